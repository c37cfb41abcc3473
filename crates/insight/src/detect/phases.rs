//! Phases of I/O, from the trace or else from the heat maps.

use super::Context;
use crate::finding::Confidence;
use crate::model::HeatLayer;

/// A phase of I/O.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct IoPhase {
    pub(super) begin: f64,
    pub(super) end: f64,
    pub(super) bytes: f64,
}

impl IoPhase {
    pub(super) fn seconds(&self) -> f64 {
        self.end - self.begin
    }
}

/// The phases and the confidence in them; none if the log does not tell.
pub(super) fn of(cx: &Context<'_>) -> Option<(Vec<IoPhase>, Confidence)> {
    if let Some(trace) = &cx.run.trace {
        let span = |phase: &crate::trace::Phase| IoPhase {
            begin: phase.begin,
            end: phase.end,
            bytes: phase.bytes() as f64,
        };
        return Some((trace.phases.iter().map(span).collect(), Confidence::Measured));
    }
    let heat = largest(cx)?;
    Some((bursts(heat), Confidence::Derived))
}

/// The heat map with most bytes. POSIX wins among equals.
pub(super) fn largest<'a>(cx: &Context<'a>) -> Option<&'a HeatLayer> {
    let heat = &cx.run.heat;
    let layers = [&heat.stdio, &heat.mpiio, &heat.posix].into_iter().flatten();
    let bytes = |layer: &HeatLayer| layer.moved().iter().sum::<f64>();
    let usable = layers.filter(|layer| layer.bin > 0.0 && layer.bin.is_finite());
    usable.max_by(|a, b| bytes(a).total_cmp(&bytes(b)))
}

/// Runs of bins that are not empty.
fn bursts(heat: &HeatLayer) -> Vec<IoPhase> {
    let mut spans: Vec<IoPhase> = Vec::new();
    let mut was_empty = true;
    for (bin, bytes) in heat.moved().into_iter().enumerate() {
        if bytes > 0.0 {
            let (begin, end) = (bin as f64 * heat.bin, (bin + 1) as f64 * heat.bin);
            match spans.last_mut() {
                Some(span) if !was_empty => {
                    span.end = end;
                    span.bytes += bytes;
                }
                _ => spans.push(IoPhase { begin, end, bytes }),
            }
        }
        was_empty = bytes <= 0.0;
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_in_a_row_are_one_burst() {
        let heat = HeatLayer {
            bin: 0.5,
            read: vec![0.0, 4.0, 0.0, 0.0, 1.0, 0.0],
            written: vec![0.0, 0.0, 2.0, 0.0, 0.0, 0.0],
            ..HeatLayer::default()
        };
        let expected = [
            IoPhase { begin: 0.5, end: 1.5, bytes: 6.0 },
            IoPhase { begin: 2.0, end: 2.5, bytes: 1.0 },
        ];
        assert_eq!(bursts(&heat), expected);
        assert_eq!(bursts(&HeatLayer::default()), []);
    }
}
