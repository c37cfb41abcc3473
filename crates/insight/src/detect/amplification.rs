//! C02: more bytes below MPI-IO than the program asked for.

use super::{Case, Check, Context, Detector, Feature, base, top_files};
use crate::advice;
use crate::finding::{Dimension, Level, Moment, Plot, Quantity};
use crate::model::Direction;
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "C02",
    slug: "amplification",
    dimension: Dimension::ThroughputUtilization,
    highest: Level::High,
    what: "More bytes move below MPI-IO than the program asked for.",
    condition: "On a file, POSIX moves more than amplification_factor times the bytes of MPI-IO \
                in one direction, and at least amplification_bytes more.",
    why: "The storage moves bytes that nobody needs: gaps between pieces, and whole blocks for \
          parts of them.",
    fix: "Make the pieces contiguous, align them, or switch data sieving off.",
    see: "https://www.mcs.anl.gov/~thakur/papers/romio-coll.pdf",
    applies_to: &[Feature::MpiIo],
    plots: &[Plot::Time, Plot::Interfaces],
    moment: Moment::FileUse,
    check,
};

fn check(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    if run.mpiio.sum.bytes() == 0 {
        return Check::Senseless;
    }
    let mut files = Vec::new();
    let mut worst: Option<(f64, &str, Direction, u64, u64)> = None;
    let mut seconds = 0.0;
    for file in run.data() {
        let (Some(posix), Some(mpiio)) = (file.posix.as_deref(), file.mpiio.as_deref()) else {
            continue;
        };
        for direction in Direction::BOTH {
            let (below, above) = (posix.way(direction).bytes, mpiio.way(direction).bytes);
            let factor = below as f64 / above.max(1) as f64;
            let surplus = below.saturating_sub(above);
            if above == 0
                || factor <= limits.amplification_factor
                || (surplus as f64) < limits.amplification_bytes
            {
                continue;
            }
            let own =
                posix.slowest_part(posix.way(direction).time * (1.0 - 1.0 / factor), run.ranks);
            seconds += own;
            if worst.is_none_or(|(most, ..)| own > most) {
                worst = Some((own, &file.name, direction, below, above));
            }
            files.push(cx.share_of(file, own));
        }
    }
    let Some((_, name, direction, below, above)) = worst else {
        return Check::Fine(format!(
            "On no file does POSIX read or write more than {} what MPI-IO was asked to, and {} more. \
             Bytes that are read only to be written back are checked apart.",
            number::ratio(limits.amplification_factor),
            number::bytes(limits.amplification_bytes as u64)
        ));
    };
    let factor = below as f64 / above.max(1) as f64;
    let verb = if direction == Direction::Read { "read" } else { "written" };
    let title = format!(
        "{}: {} the requested bytes are {verb} below MPI-IO",
        base(name),
        number::ratio(factor)
    );
    let detail = format!(
        "The program asked MPI-IO to {} {}. Below it {} were moved.",
        direction.verb(),
        number::bytes(above),
        number::bytes(below)
    );
    let mut setting = cx.setting(None);
    setting.mostly_reads = direction == Direction::Read;
    Case::new(title, detail, seconds.min(run.run_time))
        .evidence("asked for", above as f64, Quantity::Bytes)
        .evidence("moved", below as f64, Quantity::Bytes)
        .evidence("factor", factor, Quantity::Factor)
        .files(top_files(files))
        .advise(advice::disable_data_sieving(&setting))
        .fired()
}
