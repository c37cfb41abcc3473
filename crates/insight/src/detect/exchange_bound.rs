//! C04: collective calls that exchange data rather than move it.

use super::traced::{self, FileTrace, round_up};
use super::{Case, Check, Context, Detector, Feature, Pool, top_files};
use crate::advice;
use crate::finding::{Confidence, Dimension, Level, Moment, Need, Plot, Quantity};
use crate::model::Direction;
use crate::number;
use crate::trace::{Round, RoundSum, Rounds};

pub(super) static DETECTOR: Detector = Detector {
    code: "C04",
    slug: "exchange-bound",
    dimension: Dimension::InterfaceChoice,
    highest: Level::Warn,
    what: "Collective calls spend their time exchanging data between ranks, while the storage waits.",
    condition: "In collective calls, after the last rank has called, the busiest aggregator \
                spends less than exchange_busy of the time in POSIX calls. The rest of that time \
                adds up to exchange_time of the run.",
    why: "Aggregators collect the data of all ranks before they write, buffer by buffer. With \
          few aggregators or small buffers that takes longer than the writing.",
    fix: "Use more aggregators, larger buffers, or fewer and larger collective calls.",
    see: "https://ftp.mcs.anl.gov/pub/romio/users-guide/node6.html",
    applies_to: &[Feature::Ranks, Feature::MpiIo, Feature::CollectiveCalls],
    plots: &[Plot::Time, Plot::Space],
    moment: Moment::FileUse,
    check,
};

/// The largest buffer to advise, in bytes.
const LARGEST_BUFFER: u64 = 256 << 20;

fn check(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    if !traced::is_collective(cx) {
        return Check::Senseless;
    }
    if !run.cores_are_enough {
        return Check::NotCheckable(Need::CoresForRanks);
    }
    let (_, files) = match traced::files(cx) {
        Ok(traced) => traced,
        Err(check) => return check,
    };
    let (mut time, mut busy, mut calls) = (0.0, 0.0, 0);
    let mut found = Vec::new();
    let mut worst: Option<(f64, FileTrace<'_>, Longest)> = None;
    for traced in files {
        let mut waits = 0.0;
        let mut longest: Longest = None;
        for direction in Direction::BOTH {
            let Some((_, rounds)) = traced.collective(direction) else {
                continue;
            };
            let idle = idle_rounds(rounds, limits.exchange_busy);
            time += idle.time.seconds();
            busy += idle.busy.seconds();
            calls += idle.count;
            waits += idle.time.seconds() - idle.busy.seconds();
            for round in rounds.longest.iter().filter(|round| is_idle(round, limits.exchange_busy))
            {
                let wait = round.seconds() - round.busy();
                if longest.is_none_or(|(most, ..)| wait > most) {
                    longest = Some((wait, direction, *round));
                }
            }
        }
        if waits > 0.0 {
            found.push(traced.share(waits));
            if worst.is_none_or(|(most, ..)| waits > most) {
                worst = Some((waits, traced, longest));
            }
        }
    }
    // The whole time in which not even the busiest aggregator reads or writes.
    let seconds = (time - busy).clamp(0.0, run.run_time);
    let detail = format!(
        "After the last rank has called, they take {}. The busiest aggregator reads and writes for {} of that.",
        number::seconds(time),
        number::seconds(busy)
    );
    let Some((_, worst, longest)) = worst.filter(|_| run.share(seconds) >= limits.exchange_time)
    else {
        return Check::Fine(match calls {
            0 => "In collective calls the storage is busy.".into(),
            _ => format!("{} exchange more than they move: {detail}", calls_of(calls)),
        });
    };
    let flow = worst.flow(Direction::Write);
    let aggregators = flow.ranks.max(worst.facts.reads.ranks);
    let more = (2 * aggregators).min(run.ranks).max(1);
    let buffer = round_up(4.0 * flow.mean().max(worst.facts.reads.mean()), LARGEST_BUFFER);
    let title =
        format!("{} wait {} for data from other ranks", calls_of(calls), number::seconds(seconds));
    let setting = cx.setting(Some(worst.file));
    let mut case = Case::new(title, detail, seconds).asked();
    if let Some((_, direction, round)) = longest {
        case = case.seen_in(direction).seen_at(Some((round.begin, round.end)));
    }
    case.evidence("seconds in such calls", time, Quantity::Seconds)
        .evidence("of them reading or writing", busy, Quantity::Seconds)
        .evidence("calls", calls as f64, Quantity::Count)
        .evidence("aggregators", aggregators as f64, Quantity::Count)
        .files(top_files(found))
        .pool(Pool::Wait)
        .confidence(Confidence::Measured)
        .advise(advice::collective_buffering(&setting, more, buffer.max(16 << 20)))
        .fired()
}

/// The call that waits longest: its seconds, its direction and its round.
type Longest = Option<(f64, Direction, Round)>;

fn calls_of(calls: u64) -> String {
    number::counted(calls, "collective call", "collective calls")
}

/// True if the busiest aggregator is busy for less than `share` of the time.
fn is_idle(round: &Round, share: f64) -> bool {
    round.seconds() > 0.0 && round.busy() < share * round.seconds()
}

/// Rounds in which the busiest aggregator is busy for less than `share` of the time.
fn idle_rounds(rounds: &Rounds, share: f64) -> RoundSum {
    let classes = rounds.by_busy_share.len();
    let below = (share * classes as f64).round() as usize;
    let mut sum = RoundSum::default();
    for class in rounds.by_busy_share.iter().take(below) {
        sum.count += class.count;
        sum.time += class.time;
        sum.busy += class.busy;
    }
    sum
}
