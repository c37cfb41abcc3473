//! The data of the charts.

use std::collections::BTreeMap;

use ioglass_insight::profile::view::{Shown, StepView};
use ioglass_profile::Kind;
use maud::{Markup, PreEscaped, html};
use serde_json::{Value, json};

use super::{NAME, Page};
use crate::html::data::embedded;
use crate::html::pack::Pack;
use crate::text;

/// Steps between nothing and the longest iteration.
const STEPS: f64 = 1e6;
/// Nodes that are named.
const NODES: usize = 512;

impl Page<'_> {
    pub(super) fn data(&self) -> Markup {
        let mut pack = Pack::default();
        let columns = &self.view.columns;
        let regions: Vec<Value> =
            self.view.regions.iter().map(|shown| self.region_data(shown, &mut pack)).collect();
        let steps: Vec<Value> =
            self.view.steps.iter().map(|view| self.steps_data(view, &mut pack)).collect();
        let nodes = self.nodes(&mut pack);
        let data = json!({
            "seconds": self.overview.seconds,
            "who": self.who(),
            "whose": self.whose(),
            "ranks": { "count": columns.count, "per": columns.per, "all": columns.ranks, "first": columns.first },
            "nodes": nodes,
            "regions": regions,
            "steps": steps,
            "columns": pack.index(),
        });
        html! {
            script type="application/json" id="data" { (PreEscaped(embedded(&data))) }
            script type="text/plain" id="pack" { (PreEscaped(pack.text())) }
        }
    }

    fn region_data(&self, shown: &Shown, pack: &mut Pack) -> Value {
        let number = shown.region;
        let line = &self.overview.regions[number as usize];
        let summary = &self.set.summaries()[number as usize];
        let table = &shown.by_rank;
        let mut value = json!({
            "name": self.name(number),
            "parent": shown.parent,
            "work": shown.work.word(),
            "seconds": exact(line.seconds),
            "itself": exact(line.itself),
            "visits": summary.total.calls,
            "there": summary.ranks.count,
        });
        let mut add = |key: &str, one: Value| value[key] = one;
        match self.region(number).kind {
            Kind::Region => {}
            kind => add("kind", kind.word().into()),
        }
        if let Some(place) = self.place(number) {
            add("place", place.into());
        }
        if shown.files > 0.0 {
            let (read, written) = line.moved;
            add("files", json!([exact(shown.files), read, written]));
        }
        if self.has_ranks() {
            let ranks = &summary.ranks;
            let (least, most) = (ranks.min_ns as f64 / 1e9, ranks.max_ns as f64 / 1e9);
            let mean = exact(ranks.mean_ns() / 1e9);
            add("over", json!([least, mean, most, ranks.slowest]));
            add("uneven", json!(line.uneven.map(exact)));
            add("unit", table.unit_ns.into());
            // None is 0, so that all others are one more.
            let time = table.time.iter().map(|time| time.map_or(0, |time| time + 1));
            add("time", pack.column(time).into());
            let below = table.time.iter().zip(&table.own);
            let below: Vec<u64> =
                below.map(|(time, own)| time.unwrap_or(0).saturating_sub(*own)).collect();
            if below.iter().any(|below| *below > 0) {
                add("below", pack.column(below).into());
            }
            add("calls", pack.steps(table.calls.iter().copied()).into());
            if table.files.iter().any(|files| *files > 0) {
                add("fileTime", pack.column(table.files.iter().copied()).into());
            }
        }
        value
    }

    fn steps_data(&self, view: &StepView, pack: &mut Pack) -> Value {
        let longest = view.seconds.iter().chain(view.slowest.iter().map(|slow| &slow.seconds));
        let longest = longest.copied().fold(0.0, f64::max);
        let mut unit = 1e-9;
        while longest / unit > STEPS {
            unit *= 10.0;
        }
        let units = |seconds: f64| (seconds / unit).round().max(0.0) as u64;
        let metrics: Vec<Value> = view
            .metrics
            .iter()
            .map(|metric| {
                let values: Vec<Value> =
                    metric.values.iter().map(|value| json!(value.and_then(rounded))).collect();
                json!({ "name": self.metric(metric.metric), "values": values })
            })
            .collect();
        let steps = self.overview.steps.iter().find(|steps| steps.region == view.region);
        json!({
            "region": self.position(view.region),
            "count": view.count,
            "each": view.each,
            "unit": unit,
            "median": steps.map(|steps| steps.median),
            "slowest": steps.map(|steps| [steps.slowest.0 as f64, steps.slowest.1]),
            "mean": pack.column(view.seconds.iter().map(|seconds| units(*seconds))),
            "most": (!view.slowest.is_empty()).then(|| pack.column(view.slowest.iter().map(|slow| units(slow.seconds)))),
            "rank": (!view.slowest.is_empty()).then(|| pack.column(view.slowest.iter().map(|slow| slow.rank.into()))),
            "files": (!view.files.is_empty()).then(|| pack.column(view.files.iter().map(|seconds| units(*seconds)))),
            "metrics": metrics,
        })
    }

    /// The node of each rank, if there are several and ranks are shown one by one.
    fn nodes(&self, pack: &mut Pack) -> Value {
        let columns = &self.view.columns;
        if self.view.hosts < 2 || self.view.hosts > NODES || columns.per > 1 {
            return Value::Null;
        }
        let mut names: BTreeMap<&[u8], u64> = BTreeMap::new();
        let mut of = vec![0; columns.count];
        let mut list = Vec::new();
        for process in &self.set.profile().processes {
            let node = *names.entry(&process.host).or_insert_with(|| {
                list.push(text::shorten(&String::from_utf8_lossy(&process.host), NAME));
                list.len() as u64
            });
            of[columns.of_rank(process.rank)] = node;
        }
        // 0 is a rank without a process.
        json!({ "names": list, "of": pack.column(of) })
    }
}

/// A number with six digits, which are enough for a line.
fn rounded(value: f64) -> Option<f64> {
    format!("{value:.5e}").parse().ok()
}

/// Seconds without digits that nobody measured.
fn exact(seconds: f64) -> f64 {
    (seconds * 1e9).round() / 1e9
}
