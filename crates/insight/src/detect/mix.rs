//! P01 to P04: more of one direction than of the other.

use super::{Case, Check, Context, Detector, Feature};
use crate::finding::{Dimension, Level, Moment, Plot, Quantity};
use crate::model::Direction;
use crate::number;

const SEE: &str = "https://doi.org/10.1109/PDSW56643.2022.00006";

const WHY: &str = "It costs nothing by itself. It tells which direction deserves attention.";

pub(super) static MORE_WRITES: Detector = Detector {
    code: "P01",
    slug: "more-writes",
    dimension: Dimension::Information,
    highest: Level::Info,
    what: "The run writes more often than it reads.",
    condition: "The number of writes exceeds that of reads by more than imbalance_operations of \
                their sum.",
    why: WHY,
    fix: "Nothing has to be done.",
    see: SEE,
    applies_to: &[Feature::PosixCalls],
    plots: &[Plot::Interfaces, Plot::Files],
    moment: Moment::WholeRun,
    check: |cx| check(cx, Direction::Write, false),
};

pub(super) static MORE_READS: Detector = Detector {
    code: "P02",
    slug: "more-reads",
    dimension: Dimension::Information,
    highest: Level::Info,
    what: "The run reads more often than it writes.",
    condition: "The number of reads exceeds that of writes by more than imbalance_operations of \
                their sum.",
    why: WHY,
    fix: "Nothing has to be done.",
    see: SEE,
    applies_to: &[Feature::PosixCalls],
    plots: &[Plot::Interfaces, Plot::Files],
    moment: Moment::WholeRun,
    check: |cx| check(cx, Direction::Read, false),
};

pub(super) static MORE_BYTES_WRITTEN: Detector = Detector {
    code: "P03",
    slug: "more-bytes-written",
    dimension: Dimension::Information,
    highest: Level::Info,
    what: "The run writes more bytes than it reads.",
    condition: "The bytes written exceed the bytes read by more than imbalance_operations of \
                their sum.",
    why: WHY,
    fix: "Nothing has to be done.",
    see: SEE,
    applies_to: &[Feature::PosixCalls],
    plots: &[Plot::Interfaces, Plot::Files],
    moment: Moment::WholeRun,
    check: |cx| check(cx, Direction::Write, true),
};

pub(super) static MORE_BYTES_READ: Detector = Detector {
    code: "P04",
    slug: "more-bytes-read",
    dimension: Dimension::Information,
    highest: Level::Info,
    what: "The run reads more bytes than it writes.",
    condition: "The bytes read exceed the bytes written by more than imbalance_operations of \
                their sum.",
    why: WHY,
    fix: "Nothing has to be done.",
    see: SEE,
    applies_to: &[Feature::PosixCalls],
    plots: &[Plot::Interfaces, Plot::Files],
    moment: Moment::WholeRun,
    check: |cx| check(cx, Direction::Read, true),
};

fn check(cx: &Context<'_>, direction: Direction, by_bytes: bool) -> Check {
    let amount = |direction: Direction| {
        let way = cx.run.posix.way(direction);
        if by_bytes { way.bytes } else { way.calls }
    };
    let other = match direction {
        Direction::Read => Direction::Write,
        Direction::Write => Direction::Read,
    };
    let (more, less) = (amount(direction), amount(other));
    let all = more.saturating_add(less);
    if all == 0 {
        return Check::Senseless;
    }
    let share = more as f64 / all as f64;
    let (unit, quantity) =
        if by_bytes { ("bytes", Quantity::Bytes) } else { ("requests", Quantity::Count) };
    let text = |value: u64| number::quantity(value as f64, quantity);
    let (one, two) = (direction.verb(), other.verb());
    let detail =
        format!("{one}: {} ({}), {two}: {}.", text(more), number::percent(share), text(less));
    if more > less && (more - less) as f64 / all as f64 > cx.limits.imbalance_operations {
        let title = format!("{} of all {unit} are {}", number::percent(share), direction.noun());
        return Case::new(title, detail, 0.0)
            .evidence(direction.noun(), more as f64, quantity)
            .evidence(other.noun(), less as f64, quantity)
            .evidence("share", share, Quantity::Share)
            .fired();
    }
    Check::Fine(detail)
}
