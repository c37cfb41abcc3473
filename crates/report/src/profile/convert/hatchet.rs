//! Hatchet: `GraphFrame.from_json` and `GraphFrame.from_literal`.

use std::io::{self, Write};

use ioglass_profile::Set;
use serde_json::{Map, Value as Json, json};

use super::{Table, Together, part, seconds};
use crate::json::line;
use crate::profile::By;

/// Writes JSON for `GraphFrame.from_json`: a row for every region and place, null where it was absent.
pub fn hatchet(out: &mut impl Write, set: &Set, by: &[By], together: Together) -> io::Result<()> {
    let table = Table::new(set, by, together);
    let children = table.children();
    out.write_all(b"{\"graph\": [")?;
    let mut is_first = true;
    for root in (0..children.len()).filter(|region| table.parent(*region).is_none()) {
        separate(out, &mut is_first)?;
        out.write_all(b"{")?;
        let (mut waiting, mut is_first_node) = (vec![root], true);
        while let Some(region) = waiting.pop() {
            separate(out, &mut is_first_node)?;
            let kind = set.profile().regions[region].kind.word();
            let node = json!({
                "data": {"name": table.name(region), "type": kind},
                "children": children[region],
            });
            write!(out, "\"{region}\": {}", line(&node))?;
            waiting.extend(children[region].iter().rev());
        }
        out.write_all(b"}")?;
    }
    let indices: Vec<&str> =
        ["node"].into_iter().chain(table.by.iter().map(|by| by.word())).collect();
    write!(out, "],\n\"dataframe_indices\": {},\n\"dataframe\": [", json!(indices))?;
    let keys = table.keys();
    let mut is_first = true;
    for (region, own) in table.values.iter().enumerate() {
        for key in &keys {
            let value = own.get(key);
            let mut row = Map::new();
            row.insert("node".into(), region.into());
            for by in &table.by {
                row.insert(by.word().into(), part(key, *by).map_or(Json::from(-1), Json::from));
            }
            row.insert("name".into(), table.name(region).into());
            row.insert("time".into(), json!(value.map(|value| seconds(value.exclusive_ns))));
            row.insert("time (inc)".into(), json!(value.map(|value| seconds(value.time_ns))));
            row.insert("calls".into(), json!(value.map(|value| value.calls)));
            row.insert("present".into(), u8::from(value.is_some()).into());
            separate(out, &mut is_first)?;
            write!(out, "\n{}", line(&Json::Object(row)))?;
        }
    }
    writeln!(
        out,
        "],\n\"exclusive_metrics\": [\"time\", \"calls\"], \"inclusive_metrics\": [\"time (inc)\"]}}"
    )
}

fn separate(out: &mut impl Write, is_first: &mut bool) -> io::Result<()> {
    if !std::mem::take(is_first) {
        out.write_all(b", ")?;
    }
    Ok(())
}

/// Writes JSON for `GraphFrame.from_literal`: the tree itself, without ranks.
pub fn hatchet_literal(out: &mut impl Write, set: &Set, together: Together) -> io::Result<()> {
    let together = if together == Together::All { Together::Sum } else { together };
    let table = Table::new(set, &[], together);
    let children = table.children();
    let roots: Vec<usize> =
        (0..children.len()).filter(|region| table.parent(*region).is_none()).collect();
    // A tree may be deep, so each step is the next sibling of an open list.
    let mut open: Vec<std::vec::IntoIter<usize>> = vec![roots.into_iter()];
    let mut is_first = true;
    out.write_all(b"[")?;
    while let Some(list) = open.last_mut() {
        let Some(region) = list.next() else {
            open.pop();
            out.write_all(if open.is_empty() { b"]\n" } else { b"]}" })?;
            is_first = false;
            continue;
        };
        separate(out, &mut is_first)?;
        let value = table.values[region].values().next().copied().unwrap_or_default();
        let kind = set.profile().regions[region].kind.word();
        let frame = json!({"name": table.name(region), "type": kind});
        let metrics = json!({
            "time": seconds(value.exclusive_ns),
            "time (inc)": seconds(value.time_ns),
            "calls": value.calls,
        });
        let frame = line(&frame);
        write!(out, "{{\"frame\": {frame}, \"metrics\": {metrics}, \"children\": [")?;
        open.push(children[region].clone().into_iter());
        is_first = true;
    }
    Ok(())
}
