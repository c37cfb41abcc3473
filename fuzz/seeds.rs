//! Writes the corpus that fuzzing starts from: `seeds DIRECTORY`.
//!
//! Every module in every version that can be read, alone and together, in every compression.

use std::path::Path;

use ioglass_fuzz::with_log_regions;
use ioglass_log::text::{ListOptions, TraceOptions, list, trace};
use ioglass_log::{Compression, Layout, Log, Module, copy, dxt, modules};
use ioglass_profile::{
    Builder, Head as ProfileHead, Io, Kind as ProfileKind, Layer, Measure, Metric, Node, Process,
    Row, Series,
};
use ioglass_shm::{Header, Kind, MAGIC, MetadataCell, PosixCell, RegionCell, StdioCell, VERSION};

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).expect("a directory");
    let folder = Path::new(&folder);
    for target in ["diagnose", "read", "records", "text"] {
        std::fs::create_dir_all(folder.join(target))?;
    }
    let names = log_region(0, 0, b"\x01/data/one\0\0\0\0\0\0\0\0\0\0\x02/two");
    let mut everything = names.clone();
    for module in modules() {
        for version in 1..=module.newest {
            let own = log_region(module.id.0, version as u8, &records(module, version));
            let seed = [&names[..], &own].concat();
            write(folder, &format!("{}-{version}", module.id.0), &seed)?;
            if version == module.version {
                everything.extend_from_slice(&own);
            }
        }
    }
    everything.extend_from_slice(&log_region(50, 1, b"nobody knows"));
    write(folder, "everything", &everything)?;
    std::fs::create_dir_all(folder.join("harvest"))?;
    std::fs::write(folder.join("harvest/process"), left_behind())?;
    std::fs::create_dir_all(folder.join("profile"))?;
    std::fs::write(folder.join("profile/small"), small_profile())
}

/// The file of a profile with a row of everything.
fn small_profile() -> Vec<u8> {
    let mut builder = Builder::new(ProfileHead { ranks: 2, ..ProfileHead::default() });
    let metric = builder.metric(b"cells").expect("memory");
    for rank in 0..2 {
        let measure = Measure::Count { calls: 1, sum: 3 };
        let series = Series {
            each: 1,
            iterations: 6,
            time_ns: vec![10_000, 20_000, 15_000, 12_000, 11_000, 19_000],
            ..Series::default()
        };
        let row = Row {
            calls: 6,
            time_ns: 87_000,
            metrics: vec![Metric { metric, measure }],
            io: vec![(Layer::Posix, Io { writes: 2, bytes_written: 100, ..Io::default() })],
            series: Some(Box::new(series)),
            ..Row::default()
        };
        let tags = vec![(&b"kind"[..], &b"io"[..])];
        let main = Node { name: b"main", rows: vec![row.clone()], ..Node::default() };
        let step = Node {
            parent: Some(0),
            name: b"step",
            kind: ProfileKind::Iteration,
            tags,
            rows: vec![row],
            ..Node::default()
        };
        let process = Process { rank, pid: 7, ..Process::default() };
        builder.process(process, vec![main, step]).expect("memory");
    }
    let profile = builder.finish().expect("memory");
    ioglass_profile::write(&profile, ioglass_profile::Compression::None).expect("memory")
}

/// What a process has left behind: a header and an entry of each kind.
fn left_behind() -> Vec<u8> {
    let words = |count: usize| vec![1; count * 8];
    let mut capture = vec![0; size_of::<Header>()];
    capture[..8].copy_from_slice(&MAGIC.to_le_bytes());
    capture[8..12].copy_from_slice(&VERSION.to_le_bytes());
    let entries = [
        (Kind::Name, [&1_u64.to_le_bytes()[..], b"/data/file\0\0\0\0\0\0"].concat()),
        (Kind::Posix, [&1_u64.to_le_bytes()[..], &words(size_of::<PosixCell>() / 8 - 1)].concat()),
        (Kind::Stdio, [&1_u64.to_le_bytes()[..], &words(size_of::<StdioCell>() / 8 - 1)].concat()),
        (Kind::Thread, words(15)),
        (Kind::Ops, words(11)),
        (Kind::Heat, words(20)),
        (Kind::Trace, words(40)),
        (Kind::Command, b"program\0".to_vec()),
        (Kind::Unseen, words(4)),
        (Kind::Note, b"key=text".to_vec()),
        (Kind::Metadata, [&words(size_of::<MetadataCell>() / 8)[..], b"/data\0\0\0"].concat()),
        (
            Kind::Region,
            [&1_u64.to_le_bytes()[..], &words(size_of::<RegionCell>() / 8 - 1)].concat(),
        ),
        (Kind::RegionText, [&4_u64.to_le_bytes()[..], b"main\0\0\0\0"].concat()),
        (Kind::RegionIo, [&1_u64.to_le_bytes()[..], &words(11)].concat()),
        (Kind::RegionMetric, [&1_u64.to_le_bytes()[..], &words(8)].concat()),
        (Kind::RegionTag, words(3)),
        (Kind::RegionNotice, words(3)),
        (Kind::RegionSeries, [&1_u64.to_le_bytes()[..], &words(40)].concat()),
        (Kind::RegionSlowest, [&1_u64.to_le_bytes()[..], &words(32)].concat()),
    ];
    for (kind, bytes) in entries {
        capture.extend_from_slice(&(bytes.len() as u32 + 8).to_le_bytes());
        capture.extend_from_slice(&(kind as u32).to_le_bytes());
        capture.extend_from_slice(&bytes);
    }
    capture
}

/// The seed of all targets, whose inputs are log regions, logs and text.
fn write(folder: &Path, name: &str, log_regions: &[u8]) -> std::io::Result<()> {
    std::fs::write(folder.join("records").join(name), log_regions)?;
    std::fs::write(folder.join("diagnose").join(name), log_regions)?;
    let plain = with_log_regions(log_regions);
    std::fs::write(folder.join("read").join(name), &plain)?;
    let log = Log::from_bytes(plain).expect("its header and job are sound");
    let mut text = Vec::new();
    list(&log, ListOptions { base: true, ..ListOptions::default() }, &mut text)?;
    trace(&log, TraceOptions::default(), &mut text)?;
    std::fs::write(folder.join("text").join(name), text)?;
    for compression in [Compression::Zlib, Compression::Bzip2] {
        // Oldest records have fields that no table knows; theirs is not quite a log.
        let Ok(bytes) = copy(&log, Vec::new(), compression) else {
            continue;
        };
        let name = format!("{name}-{}", compression.name());
        std::fs::write(folder.join("read").join(name), bytes)?;
    }
    Ok(())
}

fn log_region(number: u8, version: u8, content: &[u8]) -> Vec<u8> {
    let len = (content.len() as u16).to_le_bytes();
    [&[number, version, len[0], len[1]], content].concat()
}

/// Two records of a module, as its version stores them, or a few more bytes.
fn records(module: &Module, version: u32) -> Vec<u8> {
    let words = |numbers: &[i64]| -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    };
    match module.layout {
        Layout::Counters => [1, 2]
            .into_iter()
            .flat_map(|id| {
                let counters = (module.record_size(version) - 16) / 8;
                [words(&[id, id - 2]), words(&vec![3; counters])].concat()
            })
            .collect(),
        Layout::Lustre if version == 1 => words(&[1, -1, 4, 1, 0, 1 << 20, 2, 5, 6]),
        Layout::Lustre => {
            let component = words(&[1 << 20, 2, 0, 0, 0, -1, 0, 0, 0]);
            [words(&[1, -1, 1, 2]), component, words(&[5, 6])].concat()
        }
        Layout::Heatmap => words(&[1, 0, 0x3FB9_9999_9999_999A, 3, 0, 0, 1, 2, 3, 4, 5, 6]),
        Layout::Dxt => {
            let segment = if dxt::has_threads(module, version) { 5 } else { 4 };
            let head = [words(&[1, 0, 0]), b"host".to_vec(), vec![0; 60], words(&[2, 1])].concat();
            [head, words(&vec![1; 3 * segment])].concat()
        }
        Layout::Mdhim => words(&[1, 0, 1, 1, 8, 8, 2, 0, 0, 0, 0, 7, 9]),
        Layout::Apmpi => words(&vec![1; 6 + 5232 / 8]),
        Layout::Apxc => words(&vec![1; 9 + 3184 / 8]),
    }
}
