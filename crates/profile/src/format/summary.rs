//! Totals by region.

use alloc::vec::Vec;

use super::bytes::{Damage, In, Out, list};
use super::{column, skeleton};
use crate::NoMemory;
use crate::model::{Measure, Metric};
use crate::summary::{ENTRIES, Figures, MeanSeries, Ranks, SLOWEST, SlowVisit, Summary};

pub(super) fn put(summaries: &[Summary]) -> Result<Out, NoMemory> {
    let mut out = Out::default();
    out.count(summaries.len(), size_of::<Summary>());
    for Summary { total, ranks, series, slowest } in summaries {
        put_figures(total, &mut out);
        put_ranks(ranks, &mut out);
        out.count(slowest.len(), size_of::<SlowVisit>());
        for slow in slowest {
            let SlowVisit { rank, thread, execution, iteration, time_ns } = *slow;
            let numbers = [rank.into(), thread.into(), execution.into(), iteration, time_ns];
            numbers.into_iter().for_each(|number| out.number(number));
        }
        match series {
            None => out.number(0),
            Some(series) => {
                out.number(series.each.max(1));
                out.number(series.iterations);
                out.number(series.time_ns.len() as u64);
                column::put(&series.time_ns, &mut out)?;
                column::put(&series.visits, &mut out)?;
            }
        }
    }
    Ok(out)
}

pub(crate) fn take(
    input: &mut In<'_>,
    regions: usize,
    metrics: usize,
) -> Result<Vec<Summary>, Damage> {
    let count = input.count(size_of::<Summary>(), "totals")?;
    if count != regions {
        return Err(Damage::Unknown("region"));
    }
    let mut summaries = list(count)?;
    for _ in 0..count {
        let total = take_figures(input, metrics)?;
        let ranks = take_ranks(input)?;
        let slow = input.count(size_of::<SlowVisit>(), "slow iterations")?;
        let mut slowest = list(slow.min(SLOWEST))?;
        for _ in 0..slow.min(SLOWEST) {
            let (rank, thread, execution) = (input.small()?, input.small()?, input.small()?);
            let (iteration, time_ns) = (input.number()?, input.number()?);
            slowest.push(SlowVisit { rank, thread, execution, iteration, time_ns });
        }
        let series = match input.number()? {
            0 => None,
            each => {
                let iterations = input.number()?;
                let len = input.count(0, "iterations")?;
                if len > ENTRIES {
                    return Err(Damage::Many("iterations"));
                }
                let (time_ns, visits) = (column::take(input, len)?, column::take(input, len)?);
                Some(MeanSeries { each, iterations, time_ns, visits })
            }
        };
        summaries.push(Summary { total, ranks, series, slowest });
    }
    Ok(summaries)
}

fn put_figures(figures: &Figures, out: &mut Out) {
    let Figures { calls, open, time_ns, exclusive_ns, min_ns, max_ns, metrics, io } = figures;
    [calls, open, time_ns, exclusive_ns, min_ns, max_ns].into_iter().for_each(|n| out.number(*n));
    out.count(metrics.len(), size_of::<Metric>());
    for Metric { metric, measure } in metrics {
        out.number((*metric).into());
        match *measure {
            Measure::Count { calls, sum } => {
                out.byte(0);
                out.number(calls);
                out.signed(sum);
            }
            Measure::Value { calls, sum, min, max, last } => {
                out.byte(1);
                out.number(calls);
                [sum, min, max, last].into_iter().for_each(|value| out.long(value.to_bits()));
            }
        }
    }
    skeleton::put_io(io, out);
}

fn take_figures(input: &mut In<'_>, metrics: usize) -> Result<Figures, Damage> {
    let (calls, open, time_ns) = (input.number()?, input.number()?, input.number()?);
    let (exclusive_ns, min_ns, max_ns) = (input.number()?, input.number()?, input.number()?);
    let count = input.count(size_of::<Metric>(), "metrics")?;
    let mut own: Vec<Metric> = list(count)?;
    for _ in 0..count {
        let metric = input.small()?;
        if metric as usize >= metrics || own.last().is_some_and(|last| last.metric >= metric) {
            return Err(Damage::Unknown("metric"));
        }
        let kind = input.byte()?;
        let calls = input.number()?;
        let measure = match kind {
            0 => Measure::Count { calls, sum: input.signed()? },
            _ => {
                let mut value = || input.long().map(f64::from_bits);
                let (sum, min, max, last) = (value()?, value()?, value()?, value()?);
                Measure::Value { calls, sum, min, max, last }
            }
        };
        own.push(Metric { metric, measure });
    }
    let io = skeleton::take_io(input)?;
    Ok(Figures { calls, open, time_ns, exclusive_ns, min_ns, max_ns, metrics: own, io })
}

fn put_ranks(ranks: &Ranks, out: &mut Out) {
    let Ranks { count, writers, slowest, min_ns, max_ns, sum_ns, squares } = *ranks;
    let halves = |wide: u128| [wide as u64, (wide >> 64) as u64];
    let small = [count.into(), writers.into(), slowest.into(), min_ns, max_ns];
    let wide = [halves(sum_ns), halves(squares)];
    small.into_iter().chain(wide.into_iter().flatten()).for_each(|number| out.number(number));
}

fn take_ranks(input: &mut In<'_>) -> Result<Ranks, Damage> {
    let (count, writers, slowest) = (input.small()?, input.small()?, input.small()?);
    let (min_ns, max_ns) = (input.number()?, input.number()?);
    let mut wide = || -> Result<u128, Damage> {
        Ok(u128::from(input.number()?) | u128::from(input.number()?) << 64)
    };
    let (sum_ns, squares) = (wide()?, wide()?);
    Ok(Ranks { count, writers, slowest, min_ns, max_ns, sum_ns, squares })
}
