//! Stacks: folded lines for flame graphs, and speedscope.

use std::io::{self, Write};

use ioglass_profile::Set;
use serde_json::json;

use super::{Table, Together, lossy, visible};
use crate::json::line;
use crate::profile::rows::Key;

/// Writes a line for each path: names joined by `;`, then its own nanoseconds.
pub fn folded(out: &mut impl Write, set: &Set, together: Together) -> io::Result<()> {
    let table = Table::new(set, &[], together);
    // The format has no escape for what separates names and lines.
    let name =
        |region: usize| visible(&table.name(region)).replace(';', ":").replace(['\n', '\t'], " ");
    let mut paths: Vec<String> = Vec::new();
    for region in 0..table.values.len() {
        let path = match table.parent(region) {
            Some(parent) => format!("{};{}", paths[parent], name(region)),
            None => name(region),
        };
        paths.push(path);
    }
    for key in table.keys() {
        for (path, own) in paths.iter().zip(&table.values) {
            let Some(value) = own.get(&key) else { continue };
            if let Some(rank) = key.rank {
                write!(out, "rank {rank};")?;
            }
            writeln!(out, "{path} {}", value.exclusive_ns.round() as u64)?;
        }
    }
    Ok(())
}

/// Writes JSON for speedscope: a profile for each rank, its stacks with their own time.
pub fn speedscope(out: &mut impl Write, set: &Set, together: Together) -> io::Result<()> {
    let table = Table::new(set, &[], together);
    let regions = &set.profile().regions;
    let frames: Vec<_> = (0..regions.len())
        .map(|region| {
            let own = &regions[region];
            let mut frame = json!({"name": table.name(region)});
            if let (Some(frame), false) = (frame.as_object_mut(), own.file.is_empty()) {
                frame.insert("file".into(), lossy(&own.file).into());
                frame.insert("line".into(), own.line.into());
            }
            frame
        })
        .collect();
    let name = lossy(&set.profile().head.name);
    write!(
        out,
        "{{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\",\n\"name\": {},\n\
         \"exporter\": \"ioglass {}\",\n\"shared\": {{\"frames\": {}}},\n\"profiles\": [",
        line(&name),
        env!("CARGO_PKG_VERSION"),
        line(&frames)
    )?;
    for (number, key) in table.keys().into_iter().enumerate() {
        if number > 0 {
            out.write_all(b",\n")?;
        }
        one(out, &table, &key)?;
    }
    writeln!(out, "]}}")
}

fn one(out: &mut impl Write, table: &Table<'_>, key: &Key) -> io::Result<()> {
    let own: Vec<(usize, u64)> = table
        .values
        .iter()
        .enumerate()
        .filter_map(|(region, own)| Some((region, own.get(key)?.exclusive_ns.round() as u64)))
        .collect();
    let end: u64 = own.iter().fold(0, |sum, (_, weight)| sum.saturating_add(*weight));
    let name = key.rank.map_or("all ranks".into(), |rank| format!("rank {rank}"));
    write!(
        out,
        "{{\"type\": \"sampled\", \"name\": {}, \"unit\": \"nanoseconds\", \"startValue\": 0, \
         \"endValue\": {end}, \"samples\": [",
        json!(name)
    )?;
    for (number, (region, _)) in own.iter().enumerate() {
        let mut stack = vec![*region];
        while let Some(parent) = stack.last().and_then(|last| table.parent(*last)) {
            stack.push(parent);
        }
        stack.reverse();
        write!(out, "{}{}", if number > 0 { "," } else { "" }, json!(stack))?;
    }
    let weights: Vec<u64> = own.iter().map(|(_, weight)| *weight).collect();
    write!(out, "], \"weights\": {}}}", json!(weights))
}
