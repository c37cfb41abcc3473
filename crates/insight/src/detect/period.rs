//! T02: I/O comes at regular intervals.

use super::{Case, Check, Context, Detector, Feature, phases};
use crate::advice;
use crate::finding::{Chart, Confidence, Dimension, Level, Moment, Need, Plot, Quantity};
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "T02",
    slug: "period",
    dimension: Dimension::Information,
    highest: Level::Info,
    what: "I/O comes at regular intervals, as checkpoints do.",
    condition: "The heat map of the interface that moves most is added up over ranks. It \
                correlates with itself by at least period_correlation after a shift of at most a \
                third of its length, and does not for a shorter shift in between.",
    why: "A program can prepare for regular I/O: write in the background, or to a faster tier \
          that is emptied before the next time.",
    fix: "Write in the background while the next step is computed, if the interval is longer \
          than the writing.",
    see: "https://hdf5-vol-async.readthedocs.io/",
    applies_to: &[Feature::IoTime],
    plots: &[Plot::Time],
    moment: Moment::WholeRun,
    check,
};

/// More bins than this are joined, because the comparison takes their square.
const MOST_BINS: usize = 2048;

fn check(cx: &Context<'_>) -> Check {
    if cx.run.io_time() <= 0.0 {
        return Check::Senseless;
    }
    let Some(heat) = phases::largest(cx) else {
        return Check::NotCheckable(Need::Heatmap);
    };
    let (mut bins, mut width) = (heat.moved(), heat.bin);
    // The heat map has empty bins after the end of the run.
    bins.truncate((cx.run.run_time / width).ceil().max(1.0) as usize);
    while bins.len() > MOST_BINS {
        bins = bins.chunks(2).map(|pair| pair.iter().sum()).collect();
        width *= 2.0;
    }
    let found = period(&bins).filter(|(_, strength)| *strength >= cx.limits.period_correlation);
    let Some((lag, strength)) = found else {
        return Check::Fine("I/O does not come at regular intervals.".into());
    };
    let interval = lag as f64 * width;
    let times = (bins.len() as f64 / lag as f64).round() as u64;
    let bytes = bins.iter().sum::<f64>() / times.max(1) as f64;
    let title = format!("I/O comes every {}", number::seconds(interval));
    let detail = format!(
        "About {} times, {} each, to within {}.",
        number::thousands(times),
        number::bytes(bytes as u64),
        number::seconds(width)
    );
    let setting = cx.setting(None);
    let is_write = heat.written.iter().sum::<f64>() >= heat.read.iter().sum::<f64>();
    let advice = if is_write {
        advice::nonblocking_write(&setting)
    } else {
        advice::nonblocking_read(&setting)
    };
    // Regularity costs nothing. Another check estimates what it allows to save.
    let mut case = Case::new(title, detail, 0.0)
        .evidence("interval", interval, Quantity::Seconds)
        .evidence("correlation", strength, Quantity::Share)
        .evidence("bytes each time", bytes, Quantity::Bytes)
        .confidence(Confidence::Derived)
        .advise(advice);
    if bins.len() <= 60 {
        let label = format!("bytes over time, bins of {}", number::seconds(width));
        let words = format!("every {}", number::seconds(interval));
        case.chart = Some(Chart { label, values: bins, words });
    }
    case.fired()
}

/// The shift with the highest correlation of a row with itself, and that correlation. The shortest
/// shift wins among equals.
fn period(bins: &[f64]) -> Option<(usize, f64)> {
    let mean = bins.iter().sum::<f64>() / bins.len().max(1) as f64;
    let row: Vec<f64> = bins.iter().map(|bin| bin - mean).collect();
    let power: f64 = row.iter().map(|bin| bin * bin).sum();
    if power.is_nan() || power <= 0.0 {
        return None;
    }
    let shifted = |lag: usize| {
        let sum: f64 = row.iter().zip(&row[lag..]).map(|(a, b)| a * b).sum();
        sum / power
    };
    let alike: Vec<f64> = (0..=bins.len() / 3).map(shifted).collect();
    // A burst longer than a bin correlates with itself after a small shift. A period comes later.
    let apart = alike.iter().position(|strength| *strength < 0.0)?;
    let (_, best) = peak(&alike, apart)?;
    let first = |lag: &usize| alike[*lag] >= 0.9 * best && alike[*lag] >= alike[*lag - 1];
    let lag = (apart + 1..alike.len()).find(first)?;
    // Go up to the top of the first peak.
    let top = (lag..alike.len()).take_while(|at| *at == lag || alike[*at] >= alike[*at - 1]).last();
    top.map(|lag| (lag, alike[lag]))
}

fn peak(alike: &[f64], from: usize) -> Option<(usize, f64)> {
    let lags = alike.iter().copied().enumerate().skip(from + 1);
    lags.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))).filter(|(_, best)| *best > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(count: usize, value: impl Fn(usize) -> f64) -> Vec<f64> {
        (0..count).map(value).collect()
    }

    #[test]
    fn regular_bursts_have_a_period() {
        let every_ten = row(100, |bin| if bin % 10 < 2 { 5.0 } else { 0.0 });
        let (lag, strength) = period(&every_ten).unwrap();
        assert_eq!(lag, 10);
        assert!(strength > 0.8, "{strength}");
        let uneven = row(120, |bin| if bin % 12 == 3 { 5.0 + (bin % 7) as f64 } else { 0.0 });
        assert_eq!(period(&uneven).unwrap().0, 12);
    }

    #[test]
    fn one_burst_steady_or_irregular_io_has_none() {
        let weak = |bins: &[f64]| period(bins).is_none_or(|(_, strength)| strength < 0.5);
        assert!(weak(&row(100, |bin| f64::from(u8::from(bin < 30)))));
        assert!(weak(&row(100, |_| 3.0)));
        assert!(weak(&row(100, |bin| (100 - bin) as f64)));
        assert!(weak(&row(100, |bin| (bin * bin * 7919 % 101) as f64)));
        assert!(weak(&[]) && weak(&[1.0]) && weak(&[f64::MAX, f64::MAX, 0.0, f64::NAN]));
    }
}
