//! What a program says about its records, in comments at its top. A line that begins with four blanks
//! continues the one before.
//!
//! ```text
//! expect: MODULE NAME: COUNTER VALUE, ...
//! ```
//!
//! Each record of HDF5 and PnetCDF has such a line, of all ranks if there are any. Counters that it
//! does not name are 0. A value is a number, perhaps times the number of ranks (`3N`), or `?` for any.

use std::collections::BTreeMap;
use std::path::Path;

use crate::record::seen::{Record, Seen};

/// What is said of one record.
pub(super) struct Line {
    module: String,
    name: String,
    counters: BTreeMap<String, String>,
}

/// All that a program says.
pub(super) fn read(source: &Path) -> Vec<Line> {
    let text = std::fs::read_to_string(source).unwrap();
    let comments = text.lines().map_while(|line| {
        line.strip_prefix("//")
            .or_else(|| line.strip_prefix('#'))
            .map(|line| &line[line.len().min(1)..])
    });
    let mut lines: Vec<String> = Vec::new();
    for comment in comments {
        match lines.last_mut() {
            Some(last) if comment.starts_with("    ") => last.push_str(comment),
            _ => lines.push(comment.to_owned()),
        }
    }
    let said = lines.iter().filter_map(|line| line.strip_prefix("expect: "));
    let lines: Vec<_> = said.map(|line| parse(line).unwrap_or_else(|| panic!("{line}"))).collect();
    assert!(!lines.is_empty(), "{} says nothing", source.display());
    lines
}

fn parse(line: &str) -> Option<Line> {
    let (about, counters) = line.split_once(": ")?;
    let (module, name) = about.split_once(' ')?;
    let counters = counters.split(',').map(|item| {
        let (counter, value) = item.trim().split_once(' ')?;
        Some((format!("{module}_{counter}"), value.to_owned()))
    });
    let counters = counters.collect::<Option<_>>()?;
    Some(Line { module: module.to_owned(), name: name.to_owned(), counters })
}

/// All differences between what was said and what was seen, in words.
pub(super) fn differences(lines: &[Line], folder: &Path, ranks: i64, seen: &Seen) -> Vec<String> {
    let full_name = |line: &Line| folder.join(&line.name).to_str().unwrap().to_owned();
    let mut wrong = Vec::new();
    for line in lines {
        let name = full_name(line);
        let is_it = |record: &&Record| record.module == line.module && record.name == name;
        match seen.objects.iter().find(is_it) {
            None => wrong.push(format!("{} {} is missing", line.module, line.name)),
            Some(record) => wrong.extend(line.compare(record, ranks)),
        }
    }
    let is_told = |record: &&Record| {
        let mut lines = lines.iter();
        lines.any(|line| line.module == record.module && full_name(line) == record.name)
    };
    let untold = seen.objects.iter().filter(|record| !is_told(record));
    wrong.extend(untold.map(|record| format!("{} {} is untold", record.module, record.name)));
    wrong.extend(seen.objects.iter().filter_map(|record| unsound(record, ranks)));
    wrong.extend(seen.partial.iter().map(|module| format!("{module} is partial")));
    wrong
}

impl Line {
    fn compare(&self, record: &Record, ranks: i64) -> Vec<String> {
        let label = format!("{} {}", self.module, self.name);
        let mut wrong = Vec::new();
        for (counter, expected) in &self.counters {
            let found = record.counter(counter);
            let is_right = match expected.strip_suffix('N') {
                None if expected == "?" => found > 0,
                None => expected.parse() == Ok(found),
                Some("") => found == ranks,
                Some(factor) => factor.parse::<i64>().unwrap() * ranks == found,
            };
            if !is_right {
                wrong.push(format!("{label}: {counter} is {found} instead of {expected}"));
            }
        }
        for (counter, found) in &record.counters {
            if !self.counters.contains_key(counter) && !depends_on_time(counter) {
                wrong.push(format!("{label}: {counter} is {found}, which is untold"));
            }
        }
        wrong
    }
}

/// Counters that another run of the same program may have otherwise.
fn depends_on_time(counter: &str) -> bool {
    ["FASTEST_RANK", "SLOWEST_RANK", "TIME_SIZE"].iter().any(|part| counter.contains(part))
}

/// What no record may say, whatever the program does.
fn unsound(record: &Record, ranks: i64) -> Option<String> {
    let time = |name: &str| {
        record.times.get(&format!("{}_F_{name}", record.module)).copied().unwrap_or(0.0)
    };
    let is_whose = record.rank == if ranks > 1 { -1 } else { 0 };
    let (open, close) = (time("OPEN_START_TIMESTAMP"), time("CLOSE_END_TIMESTAMP"));
    let is_timed = open > 0.0
        && time("META_TIME") > 0.0
        && (close == 0.0 || close >= open)
        && time("OPEN_END_TIMESTAMP") >= open
        && ["READ", "WRITE"].iter().all(|way| {
            let calls = record.counter(&format!("{}_{way}S", record.module));
            let (start, end) =
                (time(&format!("{way}_START_TIMESTAMP")), time(&format!("{way}_END_TIMESTAMP")));
            let (total, most) = (time(&format!("{way}_TIME")), time(&format!("MAX_{way}_TIME")));
            (calls == 0 || start >= open)
                && end >= start
                && total >= most
                && (start > 0.0) == (total > 0.0)
        });
    (!is_whose || !is_timed)
        .then(|| format!("{} of rank {}: {:?}", record.name, record.rank, record.times))
}
