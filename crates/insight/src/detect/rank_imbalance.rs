//! B01, B02: some ranks do the I/O while others wait.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{Case, Check, Context, Detector, Feature, Pool, top_files};
use crate::advice;
use crate::finding::{Chart, Confidence, Dimension, Level, Moment, Need, Plot, Quantity, Top};
use crate::model::RankUse;
use crate::number;

pub(super) static IMBALANCE: Detector = Detector {
    code: "B01",
    slug: "rank-imbalance",
    dimension: Dimension::ParallelismEfficiency,
    highest: Level::High,
    what: "Some ranks move much more, or take much longer, than the average rank.",
    condition: "At least imbalance_ranks ranks do I/O. One moves imbalance_factor times the \
                mean, and imbalance_bytes more than it. Or, where ranks can be told apart, one \
                takes imbalance_factor times the mean, and imbalance_time of the run longer. \
                With collective MPI-IO the calls of the program count, not those of the \
                aggregators. Unequal times for equal bytes decide the verdict from \
                imbalance_time_factor times the mean on. Bytes of twice the mean decide before \
                the interface does.",
    why: "A parallel program goes on when its slowest rank is done. The others wait.",
    fix: "Give every rank the same amount. Spread large pieces. Use collective calls.",
    see: "https://docs.nersc.gov/performance/io/",
    applies_to: &[Feature::Ranks],
    plots: &[Plot::Ranks, Plot::Heat],
    moment: Moment::WholeRun,
    check: imbalance,
};

pub(super) static RANK0: Detector = Detector {
    code: "B02",
    slug: "rank0-io",
    dimension: Dimension::ParallelismEfficiency,
    highest: Level::High,
    what: "One rank moves most of the data.",
    condition: "One of at least rank0_ranks ranks moves at least rank0_share of all bytes, and \
                at least imbalance_bytes. It decides before the interface does, because the \
                other ranks hardly touch the files.",
    why: "The data gets the bandwidth of one process, and its memory has to hold what it gathers.",
    fix: "Let all ranks, or one on each node, read and write their own part with MPI-IO.",
    see: "https://docs.nersc.gov/performance/io/",
    applies_to: &[Feature::Ranks],
    plots: &[Plot::Ranks, Plot::Heat],
    moment: Moment::WholeRun,
    check: rank0,
};

/// The bytes and seconds of each rank, as the program asked for them, and the confidence in them.
fn by_rank(cx: &Context<'_>) -> Option<(BTreeMap<i64, RankUse>, Confidence)> {
    let run = cx.run;
    let is_collective = run.mpiio.sum.is_collective();
    let (heat, totals) =
        if is_collective { (&run.heat.mpiio, &run.mpiio) } else { (&run.heat.posix, &run.posix) };
    // Records that stand for all ranks do not tell them apart. Heat maps do.
    if totals.hides_ranks {
        let heat = heat.as_ref()?;
        return Some((heat.ranks.clone(), Confidence::Derived));
    }
    Some((totals.by_rank.clone(), Confidence::Derived))
}

/// The rank that moves most.
fn heaviest(ranks: &BTreeMap<i64, RankUse>) -> Option<RankUse> {
    ranks.values().max_by_key(|rank| (rank.bytes(), Reverse(rank.rank))).copied()
}

/// True if unequal bytes explain unequal times: more than half of what one rank moves is surplus.
pub(crate) fn is_lopsided(cx: &Context<'_>) -> bool {
    match by_rank(cx) {
        Some((mut ranks, _)) => {
            ranks.retain(|_, rank| rank.bytes() > 0);
            let all = ranks.values().map(RankUse::bytes).fold(0, u64::saturating_add);
            let mean = all / (ranks.len() as u64).max(1);
            heaviest(&ranks).is_some_and(|most| is_surplus(cx, most.bytes(), mean))
        }
        None => slowest(cx).is_some_and(|slow| slow.is_lopsided(cx)),
    }
}

/// True if more than half of these bytes of a rank are surplus over the mean.
fn is_surplus(cx: &Context<'_>, bytes: u64, mean: u64) -> bool {
    let surplus = bytes.saturating_sub(mean);
    surplus >= mean && surplus as f64 >= cx.limits.imbalance_bytes
}

fn imbalance(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    if !run.ranks_mean_something || run.posix.sum.bytes() + run.mpiio.sum.bytes() == 0 {
        return Check::Senseless;
    }
    let Some((mut ranks, confidence)) = by_rank(cx) else { return by_time(cx) };
    ranks.retain(|_, rank| rank.bytes() > 0);
    let count = ranks.len();
    if (count as f64) < limits.imbalance_ranks {
        return Check::Senseless;
    }
    let all: u64 = ranks.values().map(RankUse::bytes).fold(0, u64::saturating_add);
    let mean = all as f64 / count as f64;
    let Some(most) = heaviest(&ranks) else { return Check::Senseless };
    let factor = most.bytes() as f64 / mean.max(1.0);
    let detail = format!(
        "Rank {} moves {}. The average of {} ranks is {}.",
        most.rank,
        number::bytes(most.bytes()),
        number::thousands(count as u64),
        number::bytes(mean as u64)
    );
    if factor < limits.imbalance_factor || (most.bytes() as f64 - mean) < limits.imbalance_bytes {
        return by_time_of(cx, &ranks, detail);
    }
    let time: f64 = ranks.values().map(RankUse::time).sum();
    // Heat maps have no seconds. The time of the slowest rank is taken to follow its bytes.
    let seconds = if time > 0.0 {
        most.time() - time / count as f64
    } else {
        run.posix.slowest.max(run.mpiio.slowest) * (1.0 - 1.0 / factor)
    };
    let over: Vec<i64> = ranks
        .values()
        .filter(|rank| rank.bytes() as f64 > mean * limits.imbalance_factor)
        .map(|r| r.rank)
        .collect();
    let title =
        format!("Rank {} moves {} as much as the average rank", most.rank, number::ratio(factor));
    let more = over.len().saturating_sub(3) as u64;
    let setting = cx.setting(None);
    let files = run.data().filter_map(|file| {
        let usage = file.posix.as_deref()?;
        let own = usage.by_rank.iter().find(|rank| rank.rank == most.rank)?;
        Some(cx.share_of(file, own.time()))
    });
    let mut case = Case::new(title, detail, seconds.clamp(0.0, run.run_time))
        .evidence("most bytes of a rank", most.bytes() as f64, Quantity::Bytes)
        .evidence("mean bytes of a rank", mean, Quantity::Bytes)
        .evidence("factor", factor, Quantity::Factor)
        .evidence("ranks", count as f64, Quantity::Count)
        .files(top_files(files))
        .ranks(Top { list: over.into_iter().take(3).collect(), more })
        .confidence(confidence)
        .advise(advice::balance(&setting, most.bytes(), mean as u64));
    if count <= 60 {
        let values = ranks.values().map(|rank| rank.bytes() as f64).collect();
        let words = format!(
            "most {} at {}, mean {}",
            number::bytes(most.bytes()),
            most.rank,
            number::bytes(mean as u64)
        );
        case.chart = Some(Chart { label: format!("bytes by rank, {count} ranks"), values, words });
    }
    case.fired()
}

/// Seconds of single ranks, where they are known.
fn by_time_of(cx: &Context<'_>, ranks: &BTreeMap<i64, RankUse>, detail: String) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    let time: f64 = ranks.values().map(RankUse::time).sum();
    if time <= 0.0 || !run.cores_are_enough {
        return Check::Fine(detail);
    }
    let mean = time / ranks.len() as f64;
    let slowest =
        ranks.values().max_by(|a, b| a.time().total_cmp(&b.time()).then(b.rank.cmp(&a.rank)));
    let Some(slowest) = slowest else { return Check::Senseless };
    let bytes = ranks.values().map(RankUse::bytes).fold(0, u64::saturating_add);
    let slow = Slow {
        rank: slowest.rank,
        seconds: slowest.time(),
        mean,
        bytes: slowest.bytes(),
        mean_bytes: bytes / ranks.len() as u64,
        is_own: true,
    };
    timed(cx, &slow, limits.imbalance_time).unwrap_or(Check::Fine(detail))
}

/// Judges by records that stand for all ranks.
fn by_time(cx: &Context<'_>) -> Check {
    if !cx.run.cores_are_enough {
        return Check::NotCheckable(Need::CoresForRanks);
    }
    let Some(slow) = slowest(cx) else { return Check::NotCheckable(Need::Heatmap) };
    timed(cx, &slow, cx.limits.imbalance_time).unwrap_or_else(|| {
        Check::Fine(format!(
            "The slowest rank takes {}, the average rank {}.",
            number::seconds(slow.seconds),
            number::seconds(slow.mean)
        ))
    })
}

/// The rank that loses most time on a file, by records that stand for all ranks.
fn slowest(cx: &Context<'_>) -> Option<Slow> {
    let run = cx.run;
    let is_collective = run.mpiio.sum.is_collective();
    let files = run.data().flat_map(|file| [(file, true), (file, false)]);
    let slow = files.filter_map(|(file, above)| {
        let usage = if above { file.mpiio.as_deref() } else { file.posix.as_deref() }?;
        let reduced = usage.reduced.as_deref()?;
        // Below collective calls some ranks write for the others, unless all of them do.
        let all_write = reduced.fastest_bytes > 0;
        if above != is_collective && !(is_collective && all_write) {
            return None;
        }
        Some(Slow {
            rank: reduced.slowest,
            seconds: reduced.slowest_time,
            mean: usage.time() / run.ranks as f64,
            bytes: reduced.slowest_bytes,
            mean_bytes: usage.bytes() / run.ranks.max(1),
            // Below MPI-IO an aggregator may move the bytes of others.
            is_own: above || file.mpiio.is_none(),
        })
    });
    slow.max_by(|a, b| a.surplus().total_cmp(&b.surplus()))
}

/// The slowest rank, against the average.
struct Slow {
    rank: i64,
    seconds: f64,
    mean: f64,
    bytes: u64,
    mean_bytes: u64,
    /// True if the program itself asked for these bytes.
    is_own: bool,
}

impl Slow {
    fn surplus(&self) -> f64 {
        self.seconds - self.mean
    }

    fn is_lopsided(&self, cx: &Context<'_>) -> bool {
        self.is_own && is_surplus(cx, self.bytes, self.mean_bytes)
    }
}

fn timed(cx: &Context<'_>, slow: &Slow, least: f64) -> Option<Check> {
    let run = cx.run;
    let &Slow { rank, seconds: slowest, mean, .. } = slow;
    let more = slow.surplus();
    if slowest < mean * cx.limits.imbalance_factor || run.share(more) < least {
        return None;
    }
    let title = format!(
        "Rank {rank} takes {} as long as the average rank",
        number::ratio(slowest / mean.max(1e-9))
    );
    let detail = format!(
        "It spends {} in I/O, the average rank {}{}.",
        number::seconds(slowest),
        number::seconds(mean),
        if is_alike(slow, cx.limits.imbalance_factor) {
            ", for about the same bytes".to_owned()
        } else {
            let [bytes, mean] = [slow.bytes, slow.mean_bytes].map(number::bytes);
            format!(". It moves {bytes}, the average rank {mean}")
        }
    );
    let setting = cx.setting(None);
    Some(
        Case::new(title, detail, more.min(run.run_time))
            .evidence("slowest", slowest, Quantity::Seconds)
            .evidence("mean", mean, Quantity::Seconds)
            .ranks(Top { list: vec![rank], more: 0 })
            .advise(match run.trace {
                Some(_) => advice::look_at_rank(rank),
                None => advice::trace_on(&setting),
            })
            // A little slower may be luck, or competition for the file. This much is not.
            .cause_if(slowest >= mean * cx.limits.imbalance_time_factor || slow.is_lopsided(cx))
            .fired(),
    )
}

/// True if it moves about as much as the average rank.
fn is_alike(slow: &Slow, factor: f64) -> bool {
    let (bytes, mean) = (slow.bytes as f64, slow.mean_bytes as f64);
    bytes <= mean * factor && mean <= bytes * factor
}

fn rank0(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    if !run.ranks_mean_something || (run.ranks as f64) < limits.rank0_ranks {
        return Check::Senseless;
    }
    if run.posix.sum.bytes() + run.mpiio.sum.bytes() == 0 {
        return Check::Senseless;
    }
    let Some((ranks, confidence)) = by_rank(cx) else { return Check::NotCheckable(Need::Heatmap) };
    let all: u64 = ranks.values().map(RankUse::bytes).fold(0, u64::saturating_add);
    let Some(most) = heaviest(&ranks) else { return Check::Senseless };
    let share = most.bytes() as f64 / all.max(1) as f64;
    let detail = format!(
        "Rank {} moves {} of {} ({}), {}.",
        most.rank,
        number::bytes(most.bytes()),
        number::bytes(all),
        number::percent(share),
        if most.bytes() < all {
            format!("{} share the rest", number::counted(run.ranks - 1, "rank", "ranks"))
        } else {
            format!("the other {} move nothing", number::thousands(run.ranks - 1))
        }
    );
    if share < limits.rank0_share || (most.bytes() as f64) < limits.imbalance_bytes {
        return Check::Fine(detail);
    }
    let own =
        if most.time() > 0.0 { most.time() } else { run.posix.slowest.max(run.mpiio.slowest) };
    let title = format!("Rank {} alone moves {} of all data", most.rank, number::percent(share));
    let setting = cx.setting(None);
    let read = ranks.values().map(|rank| rank.read).fold(0, u64::saturating_add);
    let advice = if read > all / 2 {
        advice::collective_read(&setting, setting.library())
    } else {
        advice::collective_write(&setting, setting.library())
    };
    Case::new(title, detail, (own * (1.0 - 1.0 / run.ranks as f64)).min(run.run_time))
        .evidence("bytes of this rank", most.bytes() as f64, Quantity::Bytes)
        .evidence("bytes of all", all as f64, Quantity::Bytes)
        .evidence("share", share, Quantity::Share)
        .ranks(Top { list: vec![most.rank], more: 0 })
        .confidence(confidence)
        .pool(Pool::Data)
        .advise(advice)
        .fired()
}
