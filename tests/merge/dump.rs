//! What a log says, in a form that can be compared.

use std::collections::BTreeMap;

use ioglass_log::{Heatmap, Layout, Log, Operation, dxt};

/// A record: module, rank, name.
pub(super) type Key = (&'static str, i64, String);

fn name(log: &Log, id: u64) -> String {
    log.names().lookup(id).into_owned()
}

/// Integer counters of all records; those that depend on which call was slowest are left out.
pub(super) fn counters(log: &Log) -> BTreeMap<Key, Vec<i64>> {
    let mut found = BTreeMap::new();
    for info in log.modules() {
        let Some(module) = info.id.module().filter(|m| m.layout == Layout::Counters) else {
            continue;
        };
        let mut records = log.records(module).unwrap();
        while let Some(record) = records.next().unwrap() {
            let counters = module.ints.iter().zip(record.int);
            let lasting = counters.filter(|(counter, _)| !counter.name.ends_with("_TIME_SIZE"));
            let values = lasting.map(|(_, value)| *value).collect();
            let key = (module.name, record.base.rank, name(log, record.base.id));
            assert_eq!(found.insert(key.clone(), values), None, "two records of {key:?}");
        }
    }
    found
}

/// Traced operations of each rank and file, sorted: whether it wrote, offset, length.
pub(super) fn trace(log: &Log) -> BTreeMap<Key, Vec<(bool, i64, i64)>> {
    let mut found: BTreeMap<Key, Vec<_>> = BTreeMap::new();
    for module in [&dxt::POSIX, &dxt::MPIIO] {
        let mut reader = log.dxt(module).unwrap();
        while let Some(head) = reader.next_record().unwrap() {
            let key = (module.name, head.base.rank, name(log, head.base.id));
            let all = found.entry(key).or_default();
            while let Some(chunk) = reader.next_chunk().unwrap() {
                let wrote = chunk.operation == Operation::Write;
                all.extend(chunk.segments.iter().map(|s| (wrote, s.offset, s.length)));
            }
        }
    }
    found.values_mut().for_each(|operations| operations.sort_unstable());
    found
}

/// Bytes written and read by each rank, as heat maps have it.
pub(super) fn heat(log: &Log) -> BTreeMap<Key, (i64, i64)> {
    let mut found = BTreeMap::new();
    for map in log.special::<Heatmap>().unwrap() {
        let map = map.unwrap();
        let key = ("HEATMAP", map.base.rank, name(log, map.base.id));
        let sums = (map.writes.iter().sum(), map.reads.iter().sum());
        assert_eq!(found.insert(key.clone(), sums), None, "two records of {key:?}");
    }
    found
}

/// A table of the `IOGLASS` block: its lines, of each only the columns named.
pub(super) fn table(log: &Log, section: &str, columns: &[&str]) -> Vec<Vec<String>> {
    let bytes = log.block_section(section, 1 << 20).unwrap().unwrap_or_default();
    let text = String::from_utf8(bytes).unwrap();
    let mut lines =
        text.lines().map(|line| line.split('\t').map(str::to_owned).collect::<Vec<_>>());
    let head = lines.next().unwrap_or_default();
    let at: Vec<usize> = columns
        .iter()
        .map(|column| {
            head.iter()
                .position(|name| name == column)
                .unwrap_or_else(|| panic!("{column} in {head:?}"))
        })
        .collect();
    lines.map(|line| at.iter().map(|i| line[*i].clone()).collect()).collect()
}
