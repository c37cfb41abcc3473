//! P21, P22: ranks that differ in what they move.

use super::unequal_ranks::Unequal;
use super::{Case, Check, Context, Detector, Feature, Pool, top_files};
use crate::advice;
use crate::finding::{Dimension, Level, Moment, Plot, Quantity};
use crate::model::{Direction, RankUse, Usage};
use crate::number;

const FIX: &str = "Give every rank the same amount. If one rank writes for all, use collective \
                  calls.";

const CONDITION: &str = "Several ranks have records of their own for a file that is used \
                        without collective MPI-IO. The most and the least bytes of a rank \
                        differ by more than imbalance_size of the most. It does not decide the \
                        verdict.";

pub(super) static WRITE: Detector = Detector {
    code: "P21",
    slug: "write-imbalance",
    dimension: Dimension::ParallelismEfficiency,
    highest: Level::High,
    what: "Some ranks write much more to a file than others.",
    condition: CONDITION,
    why: "All wait for the rank with the most.",
    fix: FIX,
    see: "https://docs.nersc.gov/performance/io/",
    applies_to: &[Feature::Ranks, Feature::Posix(Direction::Write)],
    plots: &[Plot::Ranks, Plot::Heat],
    moment: Moment::WholeRun,
    check: |cx| check(cx, Direction::Write),
};

pub(super) static READ: Detector = Detector {
    code: "P22",
    slug: "read-imbalance",
    dimension: Dimension::ParallelismEfficiency,
    highest: Level::High,
    what: "Some ranks read much more of a file than others.",
    condition: CONDITION,
    why: "All wait for the rank with the most.",
    fix: FIX,
    see: "https://docs.nersc.gov/performance/io/",
    applies_to: &[Feature::Ranks, Feature::Posix(Direction::Read)],
    plots: &[Plot::Ranks, Plot::Heat],
    moment: Moment::WholeRun,
    check: |cx| check(cx, Direction::Read),
};

fn check(cx: &Context<'_>, direction: Direction) -> Check {
    let bytes = |usage: &Usage, _| {
        let of = |rank: &RankUse| match direction {
            Direction::Read => rank.read,
            Direction::Write => rank.written,
        };
        let all = || usage.by_rank.iter().map(of);
        let (most, least) = (all().max()?, all().min()?);
        (all().len() > 1 && most > 0).then_some((most as f64, least as f64))
    };
    let found = match Unequal::find(cx, cx.limits.imbalance_size, bytes) {
        Ok(found) => found,
        Err(check) => return check,
    };
    let (most, least) = (found.most as u64, found.least as u64);
    let title = format!(
        "Ranks {} between {} and {} of {}",
        direction.verb(),
        number::bytes(least),
        number::bytes(most),
        found.name
    );
    let detail =
        format!("They differ by {} of the most{}.", number::percent(found.share), found.how_many());
    Case::new(title, detail, found.seconds().min(cx.run.run_time))
        .evidence("most", found.most, Quantity::Bytes)
        .evidence("least", found.least, Quantity::Bytes)
        .evidence("difference", found.share, Quantity::Share)
        .files(top_files(found.files))
        .pool(if direction == Direction::Read { Pool::Read } else { Pool::Write })
        .advise(advice::balance(&cx.setting(None), most, most.midpoint(least)))
        .cause_if(false)
        .fired()
}
