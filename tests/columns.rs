//! Records and traces as columns say what listings say.

use std::collections::HashSet;

use ioglass_log::text::{ListOptions, TextBuilder, TraceOptions, list, trace};
use ioglass_log::{Compression, DxtColumns, Layout, Log, Module, Operation, RecordColumns, dxt};

use crate::support::{real_logs, root};

/// The real logs, and those that fixtures make.
fn logs() -> Vec<(String, Log)> {
    let real =
        real_logs().into_iter().map(|real| (real.name, Log::from_bytes(real.bytes).unwrap()));
    let names = ["posix-small.txt", "lustre.txt", "hdf5.txt", "partial.txt", "dxt.txt"];
    let fixtures = names.into_iter().map(|name| {
        let mut text = TextBuilder::new();
        text.read(&std::fs::read(root().join("tests/fixtures").join(name)).unwrap()[..]).unwrap();
        let log = text.write(Vec::new(), Compression::Zlib).unwrap();
        (name.to_owned(), Log::from_bytes(log).unwrap())
    });
    real.chain(fixtures).collect()
}

/// Rank, id, name and value of the counters in a listing, as they are printed.
fn listed<'t>(text: &'t str, module: &Module) -> Vec<[&'t str; 4]> {
    let known = |name: &str| module.int_index(name).is_some() || module.float_index(name).is_some();
    let lines = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let lines = lines.filter(|line| line.len() >= 5 && line[0] == module.name && known(line[3]));
    lines.map(|line| [line[1], line[2], line[3], line[4]]).collect()
}

/// The same of columns, without the counters that the listing of an old log does not have.
fn told(columns: &RecordColumns, names: &HashSet<&str>) -> Vec<[String; 4]> {
    let mut told = Vec::new();
    for (row, (rank, id)) in columns.ranks().iter().zip(columns.ids()).enumerate() {
        let ints = columns.ints().map(|(counter, values)| {
            let value = values[row];
            let unsigned = counter.unit == ioglass_log::Unit::Id;
            let value =
                if unsigned { value.cast_unsigned().to_string() } else { value.to_string() };
            (counter.name, value)
        });
        let floats =
            columns.floats().map(|(counter, values)| (counter.name, format!("{:.6}", values[row])));
        for (name, value) in ints.chain(floats).filter(|(name, _)| names.contains(name)) {
            told.push([rank.to_string(), id.to_string(), name.to_owned(), value]);
        }
    }
    told
}

#[test]
fn counters_are_those_of_a_listing() {
    let mut compared = 0;
    for (name, log) in logs() {
        let mut text = Vec::new();
        let options = ListOptions { base: true, show_incomplete: true, ..ListOptions::default() };
        list(&log, options, &mut text).unwrap();
        let text = String::from_utf8_lossy(&text);
        let modules = log.modules().filter_map(|info| info.id.module());
        for module in modules.filter(|module| module.layout == Layout::Counters) {
            let listed = listed(&text, module);
            let names = listed.iter().map(|line| line[2]).collect();
            let columns = log.columns(module).unwrap();
            let told = told(&columns, &names);
            let differs = listed.iter().zip(&told).find(|(listed, told)| **listed != **told);
            assert_eq!(differs, None, "{name}: {}", module.name);
            assert_eq!(listed.len(), told.len(), "{name}: {}", module.name);
            assert_eq!(columns.links().map(<[u64]>::len), module.link.map(|_| columns.len()));
            compared += told.len();

            let (mut chunks, mut rows) = (log.column_chunks(module, 7).unwrap(), 0);
            while let Some(chunk) = chunks.next().unwrap() {
                assert!((1..=7).contains(&chunk.len()), "{name}");
                assert_eq!(chunk.ids(), &columns.ids()[rows..rows + chunk.len()]);
                for (part, whole) in chunk.floats().zip(columns.floats()) {
                    let bits =
                        |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
                    assert_eq!(bits(part.1), bits(&whole.1[rows..rows + chunk.len()]));
                }
                rows += chunk.len();
            }
            assert_eq!(rows, columns.len(), "{name}: {}", module.name);
        }
    }
    assert!(compared > 500, "{compared}");
}

/// File and columns of the operations that a trace prints.
fn traced(text: &str, label: &str) -> Vec<(u64, Vec<String>)> {
    let mut file = 0;
    let mut operations = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# DXT, file_id: ") {
            file = rest.split(',').next().unwrap().parse().unwrap();
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.first() == Some(&label) {
            let columns = [1, 2, 4, 5, 6, 7].map(|column| words[column].to_owned());
            operations.push((file, columns.into()));
        }
    }
    operations
}

fn operations(columns: &DxtColumns) -> Vec<(u64, Vec<String>)> {
    let whos = columns.ids().zip(columns.ranks()).zip(columns.operations());
    let what = columns.offset.iter().zip(&columns.length);
    let when = columns.start.iter().zip(&columns.end);
    let lines = whos.zip(what).zip(when).map(|((((id, rank), operation), what), when)| {
        let kind = if operation == Operation::Write { "write" } else { "read" };
        let times = [when.0, when.1].map(|time| format!("{time:.4}"));
        let [start, end] = times;
        (
            id,
            vec![rank.to_string(), kind.into(), what.0.to_string(), what.1.to_string(), start, end],
        )
    });
    lines.collect()
}

#[test]
fn operations_are_those_of_a_trace() {
    let mut compared = 0;
    for (name, log) in logs() {
        let mut text = Vec::new();
        trace(&log, TraceOptions { show_incomplete: true }, &mut text).unwrap();
        let text = String::from_utf8_lossy(&text);
        for (module, label) in [(&dxt::POSIX, "X_POSIX"), (&dxt::MPIIO, "X_MPIIO")] {
            let columns = log.dxt_columns(module).unwrap();
            let (printed, told) = (traced(&text, label), operations(&columns));
            let differs = printed.iter().zip(&told).find(|(printed, told)| printed != told);
            assert_eq!(differs, None, "{name}: {label}");
            assert_eq!(printed.len(), columns.len(), "{name}: {label}");
            compared += printed.len();
            for rows in [1, 100, usize::MAX] {
                let mut chunks = log.dxt_column_chunks(module, rows).unwrap();
                let (mut all, mut threads) = (Vec::new(), Vec::new());
                while let Some(chunk) = chunks.next().unwrap() {
                    assert!(chunk.len() < rows.saturating_add(512), "{name}");
                    all.extend(operations(chunk));
                    threads.extend_from_slice(&chunk.thread);
                }
                assert!(all == told && threads == columns.thread, "{name}: {label}, by {rows}");
            }
        }
    }
    assert!(compared > 10, "{compared}");
}
