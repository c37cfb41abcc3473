//! Metrics of regions, and their I/O by layer.

use ioglass_insight::profile::unit;
use ioglass_profile::{Io, Layer, Measure};
use maud::{Markup, html};

use super::{NAME, Page};
use crate::number::{bytes, counted, short_seconds, thousands};
use crate::text;

/// Rows of a table.
const MOST: usize = 500;

impl Page<'_> {
    /// The section of metrics and layers, if there are any.
    pub(super) fn measures(&self) -> Option<Markup> {
        let metrics = self.metric_rows();
        let layers = self.layer_rows();
        if metrics.is_empty() && layers.is_empty() {
            return None;
        }
        Some(html! {
            h2 { "What the program counted" }
            p class="sub" { "Metrics that the program noted, and calls of files by layer: of the region itself, over all " (self.whose()) "." }
            div class="two" {
                @if !metrics.is_empty() { div class="panel" { p class="ptitle" { "Metrics" } (self.metric_table(&metrics)) } }
                @if !layers.is_empty() { div class="panel" { p class="ptitle" { "Files, by layer" } (self.layer_table(&layers)) } }
            }
        })
    }

    /// Region, name with its unit, and figures of each metric.
    fn metric_rows(&self) -> Vec<(u32, String, Measure)> {
        let mut rows = Vec::new();
        for shown in &self.view.regions {
            for metric in &self.set.summaries()[shown.region as usize].total.metrics {
                rows.push((shown.region, self.metric(metric.metric), metric.measure));
            }
        }
        rows
    }

    /// A metric with its unit: `residual, m/s`.
    pub(super) fn metric(&self, number: u32) -> String {
        let name = self.set.profile().metrics.get(number as usize);
        let name = name.map(|name| String::from_utf8_lossy(name).into_owned()).unwrap_or_default();
        match unit(&name) {
            (name, Some(unit)) => text::shorten(&format!("{name}, {unit}"), NAME),
            (name, None) => text::shorten(name, NAME),
        }
    }

    fn metric_table(&self, rows: &[(u32, String, Measure)]) -> Markup {
        html! {
            div class="tw" {
                table {
                    thead {
                        tr {
                            th { "Region" } th { "Metric" } th class="n" { "Noted" } th class="n" { "Sum" }
                            th class="n" { "Least" } th class="n" { "Largest" } th class="n" { "Last" }
                        }
                    }
                    tbody {
                        @for (region, name, measure) in rows.iter().take(MOST) {
                            tr {
                                td title=(self.path(*region)) { (self.name(*region)) }
                                td { (name) }
                                @match *measure {
                                    Measure::Count { calls, sum } => {
                                        td class="n" { (thousands(calls)) "×" }
                                        td class="n" { @if sum < 0 { "−" } (thousands(sum.unsigned_abs())) }
                                        td {} td {} td {}
                                    },
                                    Measure::Value { calls, min, max, last, .. } => {
                                        td class="n" { (thousands(calls)) "×" }
                                        td {}
                                        td class="n" { (value(min)) }
                                        td class="n" { (value(max)) }
                                        td class="n" { (value(last)) }
                                    },
                                }
                            }
                        }
                    }
                }
            }
            (rest(rows.len()))
        }
    }

    fn layer_rows(&self) -> Vec<(Option<u32>, Layer, Io)> {
        let mut rows = Vec::new();
        for shown in &self.view.regions {
            let total = &self.set.summaries()[shown.region as usize].total;
            rows.extend(total.io.iter().map(|(layer, io)| (Some(shown.region), *layer, *io)));
        }
        rows.extend(self.set.profile().outside.iter().map(|(layer, io)| (None, *layer, *io)));
        rows
    }

    fn layer_table(&self, rows: &[(Option<u32>, Layer, Io)]) -> Markup {
        html! {
            div class="tw" {
                table {
                    thead {
                        tr {
                            th { "Region" } th { "Layer" } th class="n" { "Opens" } th class="n" { "Reads" } th class="n" { "Writes" }
                            th class="n" { "Other" } th class="n" { "Read" } th class="n" { "Written" } th class="n" { "Time, all" }
                        }
                    }
                    tbody {
                        @for (region, layer, io) in rows.iter().take(MOST) {
                            tr {
                                @match region {
                                    Some(region) => td title=(self.path(*region)) { (self.name(*region)) },
                                    None => td class="z" { "outside" },
                                }
                                td { (layer_name(*layer)) }
                                @for number in [io.opens, io.reads, io.writes, io.other] {
                                    td class="n" { @if number > 0 { (thousands(number)) } }
                                }
                                @for amount in [io.bytes_read, io.bytes_written] {
                                    td class="n" data-v=(amount) { @if amount > 0 { (bytes(amount)) } }
                                }
                                td class="n" { (short_seconds(io.time_ns() as f64 / 1e9)) }
                            }
                        }
                    }
                }
            }
            (rest(rows.len()))
        }
    }
}

/// Says how many rows of a table are left out.
fn rest(rows: usize) -> Markup {
    html! {
        @if rows > MOST {
            p class="hint" { "and " (counted((rows - MOST) as u64, "row", "rows")) " more: " code { "ioglass profile show --json" } }
        }
    }
}

/// The name of a layer as people write it.
fn layer_name(layer: Layer) -> &'static str {
    match layer {
        Layer::Posix => "POSIX",
        Layer::Stdio => "STDIO",
        Layer::Mpiio => "MPI-IO",
        Layer::Hdf5 => "HDF5",
        Layer::Pnetcdf => "PnetCDF",
    }
}

/// A value with four digits.
fn value(value: f64) -> String {
    match value.abs() {
        _ if !value.is_finite() => String::new(),
        0.0 => "0".into(),
        size if (1e-3..1e6).contains(&size) => {
            let digits = (3 - size.log10().floor() as i32).clamp(0, 6) as usize;
            let text = format!("{value:.digits$}");
            let text = match text.contains('.') {
                true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
                false => text,
            };
            text.replace('-', "−")
        }
        _ => format!("{value:.2e}").replace('-', "−"),
    }
}

#[cfg(test)]
mod tests {
    use super::value;

    #[test]
    fn values_have_four_digits() {
        let values = [0.0, 1.0, -2.5, 0.012345, 123456.7, 2.4e-7, -3e9, f64::INFINITY];
        let texts = ["0", "1", "−2.5", "0.01235", "123457", "2.40e−7", "−3.00e9", ""];
        assert_eq!(values.map(value), texts);
    }
}
