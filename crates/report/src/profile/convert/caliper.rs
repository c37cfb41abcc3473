//! Caliper: json-split and .cali.

use std::io::{self, Write};

use ioglass_profile::Set;
use serde_json::{Value as Json, json};

use super::{Table, Together, lossy, seconds, visible};
use crate::json::line;

/// Writes Caliper's json-split: rows of numbers, the last of which is a node.
pub fn caliper_json(out: &mut impl Write, set: &Set, together: Together) -> io::Result<()> {
    let table = Table::new(set, &[], together);
    let has_ranks = together == Together::All;
    out.write_all(b"{\n\"data\": [")?;
    let keys = table.keys();
    let mut is_first = true;
    for (region, own) in table.values.iter().enumerate() {
        for key in &keys {
            // Rows of regions where no rank was keep their node, which readers look for.
            let value = match own.get(key) {
                Some(value) => *value,
                None if own.is_empty() && *key == keys[0] => Default::default(),
                None => continue,
            };
            let mut row: Vec<Json> = vec![region.into()];
            if has_ranks {
                row.push(key.rank.into());
            }
            row.extend(
                [seconds(value.exclusive_ns), seconds(value.time_ns), value.calls].map(Json::from),
            );
            row.push(region.into());
            if !std::mem::take(&mut is_first) {
                out.write_all(b",")?;
            }
            write!(out, "\n{}", Json::Array(row))?;
        }
    }
    let mut columns = vec!["Node order"];
    if has_ranks {
        columns.push("mpi.rank");
    }
    columns.extend(["time", "time (inc)", "calls", "path"]);
    let metadata: Vec<Json> =
        columns.iter().map(|column| json!({"is_value": *column != "path"})).collect();
    let node = |region: usize| match table.parent(region) {
        Some(parent) => json!({"label": table.name(region), "column": "path", "parent": parent}),
        None => json!({"label": table.name(region), "column": "path"}),
    };
    let nodes: Vec<Json> = (0..table.values.len()).map(node).collect();
    let head = &set.profile().head;
    writeln!(out, "],\n\"columns\": {},", json!(columns))?;
    writeln!(out, "\"column_metadata\": {},", json!(metadata))?;
    writeln!(out, "\"nodes\": {},", line(&nodes))?;
    let program = lossy(&head.program);
    writeln!(out, "\"jobsize\": {}, \"program\": {}}}", head.ranks, line(&program))
}

/// Writes Caliper's .cali, put together over ranks: readers of it duplicate roots by rank.
pub fn cali(out: &mut impl Write, set: &Set, together: Together) -> io::Result<()> {
    let together = if together == Together::All { Together::Sum } else { together };
    let table = Table::new(set, &[], together);
    // Ids up to 11 are those of types and of what describes attributes: 8 is a name, 10 properties.
    out.write_all(
        b"__rec=node,id=12,attr=10,data=64,parent=3\n\
          __rec=node,id=13,attr=8,data=attribute.alias,parent=12\n\
          __rec=node,id=14,attr=10,data=276,parent=3\n\
          __rec=node,id=15,attr=8,data=region,parent=14\n\
          __rec=node,id=16,attr=13,data=time,parent=5\n\
          __rec=node,id=17,attr=10,data=65,parent=16\n\
          __rec=node,id=18,attr=8,data=sum#time.duration,parent=17\n\
          __rec=node,id=19,attr=13,data=time (inc),parent=5\n\
          __rec=node,id=20,attr=10,data=65,parent=19\n\
          __rec=node,id=21,attr=8,data=inclusive#sum#time.duration,parent=20\n\
          __rec=node,id=22,attr=13,data=calls,parent=5\n\
          __rec=node,id=23,attr=10,data=65,parent=22\n\
          __rec=node,id=24,attr=8,data=calls,parent=23\n\
          __rec=node,id=25,attr=10,data=1612,parent=3\n\
          __rec=node,id=26,attr=8,data=jobsize,parent=25\n\
          __rec=node,id=27,attr=10,data=1612,parent=3\n\
          __rec=node,id=28,attr=8,data=program,parent=27\n",
    )?;
    let head = &set.profile().head;
    writeln!(out, "__rec=node,id=29,attr=26,data={}", head.ranks)?;
    let program = escaped(&lossy(&head.program));
    writeln!(out, "__rec=node,id=30,attr=28,data={program},parent=29")?;
    let first = 31;
    for region in 0..table.values.len() {
        let name = escaped(&table.name(region));
        let id = first + region;
        match table.parent(region) {
            Some(parent) => {
                writeln!(out, "__rec=node,id={id},attr=15,data={name},parent={}", first + parent)?;
            }
            None => writeln!(out, "__rec=node,id={id},attr=15,data={name}")?,
        }
    }
    for (region, own) in table.values.iter().enumerate() {
        if let Some(value) = own.values().next() {
            let (time, whole) = (seconds(value.exclusive_ns), seconds(value.time_ns));
            let calls = value.calls;
            writeln!(
                out,
                "__rec=ctx,ref={},attr=18=21=24,data={time}={whole}={calls}",
                first + region
            )?;
        }
    }
    writeln!(out, "__rec=globals,ref=30")
}

/// A value of .cali: what separates others has a `\` before it.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in visible(text).chars() {
        match letter {
            ',' | '=' | '\\' => escaped.extend(['\\', letter]),
            '\n' => escaped.push_str("\\n"),
            letter => escaped.push(letter),
        }
    }
    escaped
}
