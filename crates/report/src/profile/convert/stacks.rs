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
    let names: Vec<String> =
        (0..table.values.len()).map(|region| escaped(&table.name(region))).collect();
    table.check_depth(|region| names[region].len())?;
    for key in table.keys() {
        for (region, own) in table.values.iter().enumerate() {
            let Some(value) = own.get(&key) else { continue };
            if let Some(rank) = key.rank {
                write!(out, "rank {rank};")?;
            }
            let path: Vec<&str> = table.path(region).iter().map(|at| &*names[*at]).collect();
            writeln!(out, "{} {}", path.join(";"), value.exclusive_ns.round() as u64)?;
        }
    }
    Ok(())
}

/// A name without what separates names and lines, and without what a terminal obeys. The format has no
/// escape, so it is one that is read as it stands; a backslash is two.
fn escaped(name: &str) -> String {
    let mut escaped = String::with_capacity(name.len());
    for letter in name.chars() {
        match letter {
            ';' => escaped.push_str("\\u003b"),
            '\\' => escaped.push_str("\\\\"),
            '\n' => escaped.push_str("\\n"),
            '\t' => escaped.push_str("\\t"),
            letter => escaped.push_str(&visible(letter.encode_utf8(&mut [0; 4]))),
        }
    }
    escaped
}

/// Writes JSON for speedscope: a profile for each rank, its stacks with their own time.
pub fn speedscope(out: &mut impl Write, set: &Set, together: Together) -> io::Result<()> {
    let table = Table::new(set, &[], together);
    table.check_depth(digits)?;
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

/// Digits of a number.
fn digits(number: usize) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
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
        let stack = json!(table.path(*region));
        write!(out, "{}{stack}", if number > 0 { "," } else { "" })?;
    }
    let weights: Vec<u64> = own.iter().map(|(_, weight)| *weight).collect();
    write!(out, "], \"weights\": {}}}", json!(weights))
}
