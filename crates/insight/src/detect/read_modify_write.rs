//! C01: writes that read first.

use super::{Case, Check, Context, Detector, Feature, Pool, base, top_files};
use crate::advice;
use crate::finding::{Dimension, Level, Moment, Need, Plot, Quantity};
use crate::model::Direction;
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "C01",
    slug: "read-modify-write",
    dimension: Dimension::InterfaceChoice,
    highest: Level::High,
    what: "MPI-IO reads back what lies between the pieces it writes.",
    condition: "On a file that MPI-IO writes, POSIX reads more than sieve_factor times what \
                MPI-IO was asked to read, and sieve_bytes more. Or changes between reading and \
                writing are more than sieve_switches of the POSIX requests, and more than \
                sieve_switches_absolute.",
    why: "Data sieving reads a block, changes some bytes and writes it back. That doubles the \
          traffic and keeps a lock on the block meanwhile.",
    fix: "Switch data sieving off for writes (romio_ds_write), write collectively, or make the \
          pieces contiguous.",
    see: "https://www.mcs.anl.gov/~thakur/papers/romio-coll.pdf",
    applies_to: &[Feature::MpiIo, Feature::MpiIoData(Direction::Write)],
    plots: &[Plot::Time, Plot::Space],
    moment: Moment::FileUse,
    check,
};

fn check(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    if run.mpiio.way(Direction::Write).bytes == 0 {
        return Check::Senseless;
    }
    let mut files = Vec::new();
    let (mut read, mut asked, mut written, mut switches) = (0_u64, 0_u64, 0_u64, 0_u64);
    let mut seconds = 0.0;
    let mut worst: Option<(f64, &str)> = None;
    let mut seen = false;
    for file in run.data() {
        let (Some(posix), Some(mpiio)) = (file.posix.as_deref(), file.mpiio.as_deref()) else {
            continue;
        };
        if mpiio.way(Direction::Write).bytes == 0 {
            continue;
        }
        seen = true;
        let below = posix.way(Direction::Read).bytes;
        let above = mpiio.way(Direction::Read).bytes;
        let by_bytes = below as f64 > limits.sieve_factor * above as f64 + limits.sieve_bytes;
        let by_switches = posix.rare().switches as f64
            > limits.sieve_switches * posix.calls() as f64
            && posix.rare().switches as f64 > limits.sieve_switches_absolute;
        if !(by_bytes || by_switches) {
            continue;
        }
        // Without reading back, the reads are saved. The cost of the locks is not known.
        let surplus = (1.0 - above as f64 / below.max(1) as f64).clamp(0.0, 1.0);
        let part = posix.way(Direction::Read).time * if by_bytes { surplus } else { 1.0 };
        let own = posix.slowest_part(part, run.ranks);
        seconds += own;
        read = read.saturating_add(below);
        asked = asked.saturating_add(above);
        written = written.saturating_add(mpiio.way(Direction::Write).bytes);
        switches = switches.saturating_add(posix.rare().switches);
        if worst.is_none_or(|(most, _)| own > most) {
            worst = Some((own, &file.name));
        }
        files.push(cx.share_of(file, own));
    }
    if !seen {
        return Check::NotCheckable(Need::MpiIo);
    }
    let Some((_, name)) = worst else {
        return Check::Fine("POSIX reads no more than MPI-IO was asked for.".into());
    };
    let title = if read > asked {
        format!(
            "Writing {} made MPI-IO read {} back",
            number::bytes(written),
            number::bytes(read - asked)
        )
    } else {
        format!(
            "Writing {} switches {} times to reading",
            number::bytes(written),
            number::thousands(switches)
        )
    };
    let detail = format!(
        "{}: MPI-IO was asked to read {}. POSIX reads {}, with {} changes between reading and writing.",
        base(name),
        number::bytes(asked),
        number::bytes(read),
        number::thousands(switches)
    );
    let setting = cx.setting(None);
    Case::new(title, detail, seconds.min(run.posix.slowest_read).min(run.run_time))
        .evidence("asked to read", asked as f64, Quantity::Bytes)
        .evidence("read below", read as f64, Quantity::Bytes)
        .evidence("asked to write", written as f64, Quantity::Bytes)
        .evidence("switches", switches as f64, Quantity::Count)
        .files(top_files(files))
        .pool(Pool::Read)
        .advise(advice::disable_data_sieving(&setting))
        .fired()
}
