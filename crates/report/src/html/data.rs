//! The data that the page's script draws: a description as JSON, and columns of numbers.

use ioglass_insight::trace::{LayoutPart, Phase};
use ioglass_insight::view::{
    BUSY, Cells, Cut, HeatMap, Lane, LaneCall, LaneDetail, MapMeasure, MapSource, Nodes, RankCosts,
    Rows, Space, TraceView,
};
use maud::{Markup, PreEscaped, html};
use serde_json::{Map, Value, json};

use super::Page;
use super::pack::{Pack, zigzag};
use crate::json;
use crate::number::{bytes, counted, thousands};
use crate::text;

impl Page<'_> {
    /// Returns the data of all charts.
    pub(super) fn data(&self) -> Markup {
        let mut pack = Pack::default();
        let view = self.view;
        let lanes = view.traced.iter().flat_map(|traced| &traced.lanes);
        let lanes: Vec<Value> = lanes.map(|lane| self.lane(lane, &mut pack)).collect();
        let spaces = view.traced.iter().flat_map(|traced| &traced.spaces);
        let spaces: Vec<Value> = spaces.map(|one| space(one, &mut pack)).collect();
        let heat: Vec<Value> = view.heat.iter().map(|map| heat(map, &mut pack)).collect();
        let ranks: Vec<Value> = view.ranks.iter().map(|costs| ranks(costs, &mut pack)).collect();
        let files = view.traced.iter().flat_map(|traced| &traced.files).map(|file| {
            json!({
                "name": text::shorten_path(file.name, 120),
                "unit": file.unit,
                "striped": file.is_striped,
                "extent": file.extent,
                "parts": parts(&file.parts),
            })
        });
        let data = json!({
            "span": view.span,
            "ends": view.traced.as_ref().and_then(|traced| match traced.cut? {
                Cut::Full(ends) => Some(ends),
                Cut::Damaged => None,
            }),
            "whose": self.who(),
            "all": self.whose(),
            "nodes": view.nodes.as_ref().map(|found| nodes(found, &mut pack)),
            "lanes": lanes,
            "marks": self.marks(),
            "files": files.collect::<Vec<_>>(),
            "spaces": spaces,
            "heat": heat,
            "ranks": ranks,
            "columns": pack.index(),
        });
        html! {
            script type="application/json" id="data" { (PreEscaped(embedded(&data))) }
            script type="text/plain" id="pack" { (PreEscaped(pack.text())) }
        }
    }

    fn lane(&self, lane: &Lane, pack: &mut Pack) -> Value {
        let what = if lane.name == "MPI-IO" {
            "what the program asked for"
        } else {
            "what reached the file system"
        };
        let mut value = Map::new();
        value.insert("name".into(), lane.name.into());
        value.insert("words".into(), format!("{}, {what}", self.rows_in_words(&lane.rows)).into());
        value.insert("rows".into(), rows(&lane.rows, pack));
        value.insert("calls".into(), lane.calls.into());
        match &lane.detail {
            LaneDetail::Calls(calls) => {
                value.insert("single".into(), single(calls, lane.rows.count(), pack))
            }
            LaneDetail::Cells(cells) => value.insert("cells".into(), self::cells(cells, pack)),
        };
        value.into()
    }

    /// Returns words such as `64 ranks; 320 without I/O here hidden`.
    pub(super) fn rows_in_words(&self, rows: &Rows) -> String {
        let all = self.diagnosis.subject.ranks;
        let mut words = self.ranks(rows.ranks);
        if rows.per_row > 1 {
            words += &format!(", {} a row", thousands(rows.per_row));
        }
        if all > rows.ranks {
            words += &format!("; {} without I/O here hidden", thousands(all - rows.ranks));
        }
        words
    }

    /// Returns the rows of marks above the timeline: phases and collective calls.
    fn marks(&self) -> Vec<Value> {
        let Some(traced) = &self.view.traced else { return Vec::new() };
        let mut rows = Vec::new();
        if traced.phases.len() > 1 || traced.rounds.is_empty() {
            let marks: Vec<Value> =
                (1..).zip(traced.phases).map(|(i, one)| self.phase(i, one)).collect();
            rows.push(json!({
                "title": "Phases",
                "words": "times of I/O, with pauses between them",
                "marks": marks,
            }));
        }
        if !traced.rounds.is_empty() {
            rows.push(json!({
                "title": "Collective calls",
                "words": "calls that all ranks made together, the longest",
                "marks": rounds(traced),
            }));
        }
        rows
    }

    fn phase(&self, number: usize, phase: &Phase) -> Value {
        let mut lines = vec![
            format!("{} written, {} read", bytes(phase.written), bytes(phase.read)),
            counted(phase.requests, "call", "calls"),
        ];
        if phase.ranks > 0 {
            lines.push(format!("{}, last to end: {}", self.ranks(phase.ranks), phase.last_rank));
        }
        json!({
            "label": format!("phase {number}"),
            "short": number.to_string(),
            "begin": phase.begin,
            "end": phase.end,
            "lines": lines,
        })
    }
}

/// Returns JSON that cannot end the script element around it.
pub(crate) fn embedded(data: &Value) -> String {
    json::line(data).to_string().replace('<', "\\u003c")
}

fn rounds(traced: &TraceView<'_>) -> Vec<Value> {
    let marks = (1..).zip(&traced.rounds).map(|(number, together): (usize, _)| {
        let round = &together.round;
        let verb = if together.is_read { "read" } else { "write" };
        let lines = vec![
            format!("asked {}", bytes(round.asked)),
            format!("POSIX wrote {}, read {}", bytes(round.written), bytes(round.read)),
            counted(round.aggregators, "aggregator", "aggregators"),
        ];
        json!({
            "label": format!("collective {verb} {number}"),
            "short": number.to_string(),
            "begin": round.begin,
            "end": round.end,
            "lines": lines,
        })
    });
    marks.collect()
}

/// The names of nodes, and the node of each rank.
fn nodes(nodes: &Nodes<'_>, pack: &mut Pack) -> Value {
    json!({
        "names": nodes.names.iter().map(|name| text::shorten(name, 60)).collect::<Vec<_>>(),
        "rank": pack.column(nodes.of_rank.iter().map(|(rank, _)| u64::from(*rank))),
        "node": pack.column(nodes.of_rank.iter().map(|(_, node)| u64::from(*node))),
    })
}

/// The stripes of a file, by component: first byte, first byte after it, unit, targets in turn.
fn parts(parts: &[LayoutPart]) -> Value {
    parts.iter().map(|part| json!([part.start, part.stop, part.unit, part.targets])).collect()
}

fn rows(rows: &Rows, pack: &mut Pack) -> Value {
    let first = pack.column(rows.first.iter().map(|rank| u64::from(*rank)));
    json!({"first": first, "per": rows.per_row, "ranks": rows.ranks})
}

/// Columns of calls, sorted by row and time.
fn single(calls: &[LaneCall], row_count: usize, pack: &mut Pack) -> Value {
    let mut in_row = vec![0_u64; row_count];
    calls.iter().for_each(|call| in_row[call.row as usize] += 1);
    // Within a row, starts and offsets are relative to the call before.
    let mut last = (u32::MAX, 0_i64);
    let starts = calls.iter().map(|call| {
        let before = if last.0 == call.row { last.1 } else { 0 };
        last = (call.row, call.start);
        zigzag(call.start.wrapping_sub(before))
    });
    let start = pack.column(starts);
    let mut end = (u32::MAX, 0_u64);
    let places = calls.iter().map(|call| {
        let before = if end.0 == call.row { end.1 } else { 0 };
        let place = call.offset.unwrap_or(before);
        let next = if call.offset.is_some() { place.saturating_add(call.length) } else { before };
        end = (call.row, next);
        zigzag(place.wrapping_sub(before).cast_signed())
    });
    let offset = pack.column(places);
    let kind = |call: &LaneCall| u64::from(call.is_read) | u64::from(call.offset.is_none()) << 1;
    json!({
        "rows": pack.column(in_row),
        "start": start,
        "took": pack.column(calls.iter().map(|call| call.took)),
        "kind": pack.column(calls.iter().map(kind)),
        "offset": offset,
        "length": pack.steps(calls.iter().map(|call| call.length)),
        "file": pack.steps(calls.iter().map(|call| u64::from(call.file))),
    })
}

fn cells(cells: &Cells, pack: &mut Pack) -> Value {
    json!({
        "bins": cells.bins,
        "begin": cells.begin,
        "width": cells.width,
        "full": BUSY,
        "read": pack.column(cells.read.iter().copied()),
        "write": pack.column(cells.write.iter().copied()),
        "bytesRead": pack.column(cells.bytes_read.iter().copied()),
        "bytesWritten": pack.column(cells.bytes_written.iter().copied()),
    })
}

fn space(space: &Space, pack: &mut Pack) -> Value {
    json!({
        "lane": space.name,
        "file": space.file,
        "rows": rows(&space.rows, pack),
        "bins": space.bins,
        "width": space.width,
        "full": BUSY,
        "read": pack.column(space.read.iter().copied()),
        "written": pack.column(space.written.iter().copied()),
        "moments": {
            "rows": space.moments.rows,
            "begin": space.moments.begin,
            "width": space.moments.width,
            "read": pack.column(space.moments.read.iter().copied()),
            "written": pack.column(space.moments.written.iter().copied()),
        },
    })
}

fn heat(map: &HeatMap, pack: &mut Pack) -> Value {
    json!({
        "name": map.name,
        "measure": if map.measure == MapMeasure::Bytes { "bytes" } else { "time" },
        "traced": map.source == MapSource::Trace,
        "rows": rows(&map.rows, pack),
        "bins": map.bins,
        "bin": map.bin,
        "read": pack.column(map.read.iter().copied()),
        "written": pack.column(map.written.iter().copied()),
    })
}

fn ranks(costs: &RankCosts, pack: &mut Pack) -> Value {
    let nanoseconds = |seconds: f64| (seconds * 1e9).round() as u64;
    json!({
        "name": costs.name,
        "per": costs.per_bar,
        "traced": costs.is_traced,
        "rank": pack.column(costs.bars.iter().map(|bar| u64::from(bar.rank))),
        "data": pack.column(costs.bars.iter().map(|bar| nanoseconds(bar.data))),
        "meta": pack.column(costs.bars.iter().map(|bar| nanoseconds(bar.meta))),
    })
}
