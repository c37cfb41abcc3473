//! A timeline for Perfetto and Chrome.
//!
//! A profile has no times of single visits. So regions are laid out back to back, each with its whole
//! time, and the document says that.

use std::io::{self, Write};

use ioglass_profile::{Kind, Set};

use super::{Table, Together};
use crate::json::line;
use crate::profile::By;
use crate::profile::rows::Key;

/// Spans may overlap what is beside them, so each has a track of its own from this number on.
const SPANS: u64 = 1_000_000;

/// Writes the JSON of Chrome's trace events: one process for each rank, one track for each thread.
/// What ends first comes first, as some readers want it.
pub fn chrome(out: &mut impl Write, set: &Set, together: Together) -> io::Result<()> {
    let table = Table::new(set, &[By::Thread], together);
    let children = table.children();
    let note = "made-up timeline: regions are laid out back to back with their whole time";
    write!(
        out,
        "{{\"displayTimeUnit\": \"ns\", \"otherData\": {{\"note\": \"{note}\"}},\n\"traceEvents\": ["
    )?;
    let mut is_first = true;
    for key in table.keys() {
        let has = |region: usize| table.values[region].contains_key(&key);
        let is_root = |region: &usize| {
            has(*region) && table.parent(*region).is_none_or(|parent| !has(parent))
        };
        let roots: Vec<usize> = (0..children.len()).filter(is_root).collect();
        // Each open region with the time at which its next child begins.
        let mut open: Vec<(Option<usize>, std::vec::IntoIter<usize>, f64, f64)> =
            vec![(None, roots.into_iter(), 0.0, 0.0)];
        while let Some((region, list, begin, next)) = open.last_mut() {
            if let Some(child) = list.next() {
                let start = *next;
                let value = table.values[child].get(&key).copied().unwrap_or_default();
                if set.profile().regions[child].kind != Kind::Span {
                    *next += value.time_ns;
                }
                let own: Vec<usize> =
                    children[child].iter().copied().filter(|region| has(*region)).collect();
                open.push((Some(child), own.into_iter(), start, start));
                continue;
            }
            let (region, begin) = (*region, *begin);
            open.pop();
            if let Some(region) = region {
                if !std::mem::take(&mut is_first) {
                    out.write_all(b",")?;
                }
                event(out, &table, &key, region, begin)?;
            }
        }
    }
    writeln!(out, "]}}")
}

fn event(
    out: &mut impl Write,
    table: &Table<'_>,
    key: &Key,
    region: usize,
    begin: f64,
) -> io::Result<()> {
    let value = table.values[region].get(key).copied().unwrap_or_default();
    let own = &table.set.profile().regions[region];
    let track = match own.kind {
        Kind::Span => SPANS + region as u64,
        Kind::Region | Kind::Iteration => key.thread.unwrap_or(0).into(),
    };
    let name = table.name(region);
    let name = line(&name);
    // Microseconds with the nanoseconds behind the point.
    write!(
        out,
        "\n{{\"name\": {name}, \"cat\": \"{}\", \"ph\": \"X\", \"ts\": {:.3}, \"dur\": {:.3}, \
         \"pid\": {}, \"tid\": {track}, \"args\": {{\"calls\": {}}}}}",
        own.kind.word(),
        begin / 1e3,
        value.time_ns / 1e3,
        key.rank.unwrap_or(0),
        value.calls
    )
}
