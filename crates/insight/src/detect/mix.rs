//! More of one direction than of the other: what kind of run it is.

use super::{Case, Check, Context, Detector};
use crate::finding::{Dimension, Level, Quantity};
use crate::model::Direction;
use crate::number;

const SEE: &str = "https://doi.org/10.1109/PDSW56643.2022.00006";

macro_rules! detector {
    ($name:ident, $code:literal, $slug:literal, $direction:ident, $counts:literal, $what:literal) => {
        pub(super) static $name: Detector = Detector {
            code: $code,
            slug: $slug,
            dimension: Dimension::Information,
            highest: Level::Info,
            what: $what,
            condition: concat!(
                "The larger of both ",
                $counts,
                " exceeds the other by more than imbalance_operations of their sum."
            ),
            why: "It costs nothing by itself. It says which direction deserves attention.",
            fix: "Nothing has to be done.",
            see: SEE,
            check: |cx| check(cx, Direction::$direction, $counts == "bytes"),
        };
    };
}

detector!(
    MORE_WRITES,
    "P01",
    "more-writes",
    Write,
    "counts",
    "The run writes more often than it reads."
);
detector!(
    MORE_READS,
    "P02",
    "more-reads",
    Read,
    "counts",
    "The run reads more often than it writes."
);
detector!(
    MORE_BYTES_WRITTEN,
    "P03",
    "more-bytes-written",
    Write,
    "bytes",
    "The run writes more bytes than it reads."
);
detector!(
    MORE_BYTES_READ,
    "P04",
    "more-bytes-read",
    Read,
    "bytes",
    "The run reads more bytes than it writes."
);

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
