//! A real log that is divided by rank and merged again says the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use ioglass_log::{
    Compression, DxtHead, Encode, Heatmap, Layout, Log, LogWriter, Lustre, dxt, modules,
};

use super::dump::{counters, heat, trace};
use super::merged;
use crate::lifecycle::room::empty;
use crate::support::real_logs;

/// Jobs of more ranks would only take longer.
const MOST_RANKS: i64 = 32;

#[test]
fn real_logs_survive_being_divided() {
    let mut divided = 0;
    for real in real_logs() {
        let log = Log::from_bytes(real.bytes).unwrap();
        let known = log.modules().all(|info| {
            info.id.module().is_some_and(|module| {
                matches!(
                    module.layout,
                    Layout::Counters | Layout::Dxt | Layout::Heatmap | Layout::Lustre
                )
            })
        });
        let fits = (2..=MOST_RANKS).contains(&log.job().nprocs) && log.warnings().count() == 0;
        if !fits || !known || log.modules().next().is_none() {
            continue;
        }
        // Old releases did not reduce all that ranks share; merging does.
        let mut users: BTreeMap<(&str, String), i64> = BTreeMap::new();
        for (module, _, name) in counters(&log).into_keys().filter(|(_, rank, _)| *rank >= 0) {
            *users.entry((module, name)).or_default() += 1;
        }
        if users.values().any(|users| *users == log.job().nprocs) {
            continue;
        }
        divided += 1;
        let folder = empty("merge-divided");
        let logs: Vec<PathBuf> = ranks(&log)
            .into_iter()
            .map(|rank| write(&log, rank, &folder.join(format!("{rank}.darshan"))))
            .collect();
        let whole = merged(&logs, &folder.join("out.darshan"));
        assert_eq!(counters(&whole), counters(&log), "{}", real.name);
        assert_eq!(trace(&whole), trace(&log), "{}", real.name);
        assert_eq!(heat(&whole), heat(&log), "{}", real.name);
        let lustre = |log: &Log| {
            log.special::<Lustre>().unwrap().map(|l| format!("{l:?}")).collect::<BTreeSet<_>>()
        };
        assert_eq!(lustre(&whole), lustre(&log), "{}", real.name);
        assert_eq!(whole.run_time(), log.run_time(), "{}", real.name);
        assert_eq!(whole.header().partial, log.header().partial, "{}", real.name);
        assert_eq!(whole.job().exe(), log.job().exe(), "{}", real.name);
        fs::remove_dir_all(&folder).unwrap();
    }
    assert!(divided > 0 || real_logs().is_empty(), "no log was divided");
}

/// The ranks that have records; the first of all logs takes the shared ones, too.
fn ranks(log: &Log) -> BTreeSet<i64> {
    let mut ranks: BTreeSet<i64> = counters(log).into_keys().map(|(_, rank, _)| rank).collect();
    ranks.extend(trace(log).into_keys().map(|(_, rank, _)| rank));
    ranks.extend(heat(log).into_keys().map(|(_, rank, _)| rank));
    ranks
}

/// The part of a log that is one rank's.
fn write(log: &Log, rank: i64, path: &Path) -> PathBuf {
    let mut writer = LogWriter::new(File::create(path).unwrap(), Compression::Zlib).unwrap();
    writer.job(&log.job().to_current(log.header().version)).unwrap();
    writer.names(log.names().iter()).unwrap();
    for module in modules() {
        let info = log.module_info(module.id);
        if info.partial && rank <= 0 {
            writer.set_partial(module.id);
        }
        if info.extent.len == 0 {
            continue;
        }
        let mut out = writer.module(module).unwrap();
        match module.layout {
            Layout::Counters => {
                let mut records = log.records(module).unwrap();
                while let Some(record) = records.next().unwrap() {
                    if record.base.rank == rank {
                        out.record(&record).unwrap();
                    }
                }
            }
            Layout::Heatmap => {
                for map in log.special::<Heatmap>().unwrap().map(Result::unwrap) {
                    if map.base.rank == rank {
                        out.record(&map).unwrap();
                    }
                }
            }
            Layout::Lustre => {
                for file in log.special::<Lustre>().unwrap().map(Result::unwrap) {
                    if file.base.rank == rank {
                        out.record(&file).unwrap();
                    }
                }
            }
            Layout::Dxt => {
                assert!([dxt::POSIX.id, dxt::MPIIO.id].contains(&module.id));
                let mut reader = log.dxt(module).unwrap();
                while let Some(head) = reader.next_record().unwrap() {
                    if head.base.rank != rank {
                        continue;
                    }
                    out.record(&DxtHead { ..head }).unwrap();
                    while let Some(chunk) = reader.next_chunk().unwrap() {
                        let mut bytes = Vec::new();
                        chunk.segments.iter().for_each(|segment| segment.encode(&mut bytes));
                        out.bytes(&bytes).unwrap();
                    }
                }
            }
            other => panic!("{other:?}"),
        }
        out.finish().unwrap();
    }
    writer.finish().unwrap();
    path.into()
}
