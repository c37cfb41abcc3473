//! F04: the same work at very different speeds.

use super::{Case, Check, Context, Detector};
use crate::advice;
use crate::finding::{Chart, Confidence, Dimension, Level, Moment, Need, Plot, Quantity};
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "F04",
    slug: "fs-weather",
    dimension: Dimension::ThroughputUtilization,
    highest: Level::Warn,
    what: "Phases of equal size run at very different speeds.",
    condition: "In the trace, at least weather_phases phases have bytes within weather_alike of \
                their median, and the standard deviation of their rates is more than \
                weather_spread of the mean.",
    why: "Other jobs use the same servers. The log cannot prove that, but it shows that this \
          program is not the cause.",
    fix: "Repeat the run at another time before you tune anything. Ask your centre.",
    see: "https://docs.nersc.gov/performance/io/",
    applies_to: &[],
    plots: &[Plot::Time],
    moment: Moment::WholeRun,
    check,
};

fn check(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    let Some(trace) = &run.trace else { return Check::NotCheckable(Need::Trace) };
    let middle = super::slow_ost::median(trace.phases.iter().map(|phase| phase.bytes() as f64));
    let alike = trace
        .phases
        .iter()
        .filter(|phase| (phase.bytes() as f64 - middle).abs() <= limits.weather_alike * middle);
    let rates: Vec<(f64, f64)> =
        alike.filter_map(|phase| Some((phase.rate()?, phase.seconds()))).collect();
    if (rates.len() as f64) < limits.weather_phases || middle <= 0.0 {
        return Check::Senseless;
    }
    let mean = rates.iter().map(|(rate, _)| rate).sum::<f64>() / rates.len() as f64;
    let variance =
        rates.iter().map(|(rate, _)| (rate - mean).powi(2)).sum::<f64>() / rates.len() as f64;
    let spread = variance.sqrt() / mean;
    let detail = format!(
        "{} phases of {} run at {} on average, give or take {}.",
        rates.len(),
        number::bytes(middle as u64),
        number::rate(mean),
        number::percent(spread)
    );
    if spread <= limits.weather_spread {
        return Check::Fine(detail);
    }
    let best = rates.iter().map(|(rate, _)| *rate).fold(0.0, f64::max);
    let seconds: f64 = rates.iter().map(|(rate, seconds)| seconds * (1.0 - rate / best)).sum();
    let title = format!(
        "Equal phases differ: {} on average, {} at best",
        number::rate(mean),
        number::rate(best)
    );
    let place = run.data().max_by_key(|file| file.bytes()).and_then(|file| file.mount);
    let place = place.map_or("", |mount| run.mounts[mount].path.as_str());
    let setting = cx.setting(None);
    let mut case = Case::new(title, detail, seconds.min(run.run_time))
        .evidence("phases", rates.len() as f64, Quantity::Count)
        .evidence("mean rate", mean, Quantity::BytesPerSecond)
        .evidence("best rate", best, Quantity::BytesPerSecond)
        .evidence("spread", spread, Quantity::Share)
        .confidence(Confidence::Assumed)
        .advise(advice::repeat_later(&setting, place))
        // It is a suspicion, and the program cannot change it.
        .cause_if(false);
    if rates.len() <= 60 {
        let values: Vec<f64> = rates.iter().map(|(rate, _)| rate / 1_048_576.0).collect();
        let words = format!("mean {:.0}, best {:.0}", mean / 1_048_576.0, best / 1_048_576.0);
        case.chart = Some(Chart { label: "MiB/s by phase".into(), values, words });
    }
    case.fired()
}
