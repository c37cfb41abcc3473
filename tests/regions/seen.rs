//! A run of an annotated program, and what its profile says.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use ioglass_profile::{Io, Kind, Layer, Measure, Notice, Profile, Reader, Region, Row};

use crate::lifecycle::programs::compile;
use crate::lifecycle::recording::{log_path, run};
use crate::lifecycle::room::Room;
use crate::support::root;

/// The annotated program.
pub(super) fn scenes() -> PathBuf {
    annotated("regions/scenes.c")
}

/// An annotated program.
pub(super) fn annotated(name: &str) -> PathBuf {
    let include = format!("-I{}", root().join("crates/region/include").display());
    compile(name, &[&include])
}

/// A finished run.
pub(super) struct Seen {
    pub(super) output: Output,
    pub(super) profile: Profile,
}

/// Runs a scene and reads its profile.
pub(super) fn see(room: &Room, words: &[&str]) -> Seen {
    see_with(room, &[], &[], words)
}

/// The same with options and variables.
pub(super) fn see_with(
    room: &Room,
    options: &[&str],
    variables: &[(&str, &str)],
    words: &[&str],
) -> Seen {
    let mut command = scene(room, options, words);
    let file = log_path(room).with_extension("ioprof");
    // That of a run before must not be taken for this one's.
    let _ = fs::remove_file(&file);
    let output = command.envs(variables.iter().copied()).output().unwrap();
    assert!(file.exists(), "no profile: {output:?}");
    Seen { output, profile: read(&file) }
}

/// The command that runs a scene.
pub(super) fn scene(room: &Room, options: &[&str], words: &[&str]) -> Command {
    let mut all = vec!["--no-report"];
    all.extend_from_slice(options);
    let program = scenes().into_os_string();
    let words = std::iter::once(program).chain(words.iter().map(Into::into));
    run(room, &all, words)
}

/// The profile in a file, which is sound.
#[track_caller]
pub(super) fn read(path: &std::path::Path) -> Profile {
    let reader = Reader::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (profile, problems) = reader.whole();
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(fault(&profile), None);
    profile
}

/// What does not hold of a profile, but must of every one.
pub(super) fn fault(profile: &Profile) -> Option<String> {
    type Thread = (u32, u32);
    let mut outermost: BTreeMap<Thread, u64> = BTreeMap::new();
    let mut exclusive: BTreeMap<Thread, u64> = BTreeMap::new();
    // Time of children, by thread and the region that it was in.
    let mut inside: BTreeMap<(Thread, usize), u64> = BTreeMap::new();
    let mut own: BTreeMap<(Thread, usize), u64> = BTreeMap::new();
    let visits = |at: usize, of: Thread| {
        let mut rows = profile.regions[at].rows.iter();
        rows.any(|row| (row.process, row.thread) == of && row.calls > 0)
    };
    for (at, region) in profile.regions.iter().enumerate() {
        for row in &region.rows {
            if row.exclusive_ns > row.time_ns || row.min_ns > row.max_ns {
                return Some(format!("{}: {row:?}", path(profile, at)));
            }
            if region.kind == Kind::Span {
                continue;
            }
            let of = (row.process, row.thread);
            let above = |at: &usize| profile.regions[*at].parent.map(|parent| parent as usize);
            let mut around = std::iter::successors(above(&at), above);
            match around.find(|at| visits(*at, of)) {
                Some(parent) => *inside.entry((of, parent)).or_default() += row.time_ns,
                None => *outermost.entry(of).or_default() += row.time_ns,
            }
            *own.entry((of, at)).or_default() += row.time_ns;
            *exclusive.entry(of).or_default() += row.exclusive_ns;
        }
    }
    if let Some(((of, at), time)) = inside.iter().find(|(place, time)| own[place] < **time) {
        return Some(format!("{}: {of:?} has {time} ns in children", path(profile, *at)));
    }
    (outermost != exclusive).then(|| format!("outermost {outermost:?}, exclusive {exclusive:?}"))
}

impl Seen {
    /// Path and calls of all regions, by path; with `+n` for open visits.
    pub(super) fn tree(&self) -> Vec<String> {
        tree(&self.profile, |_| true)
    }

    /// The region at a path.
    #[track_caller]
    pub(super) fn at(&self, wanted: &str) -> &Region {
        let place = (0..self.profile.regions.len()).find(|at| path(&self.profile, *at) == wanted);
        &self.profile.regions[place.unwrap_or_else(|| panic!("no {wanted} in {:?}", self.tree()))]
    }

    /// The only row of a region.
    #[track_caller]
    pub(super) fn row(&self, path: &str) -> &Row {
        let rows = &self.at(path).rows;
        assert_eq!(rows.len(), 1, "{rows:?}");
        &rows[0]
    }

    /// Notices as `code name in path: count`.
    pub(super) fn notices(&self) -> Vec<String> {
        self.profile.notices.iter().map(|notice| words(&self.profile, notice)).collect()
    }

    /// The measure of a metric in a row.
    #[track_caller]
    pub(super) fn measure(&self, row: &Row, name: &str) -> Measure {
        let place = self.profile.metrics.iter().position(|known| known == name.as_bytes());
        let place = place.unwrap_or_else(|| panic!("no metric {name}")) as u32;
        row.metrics.iter().find(|metric| metric.metric == place).expect("a metric").measure
    }
}

/// Path and calls of the regions in rows that are meant, by path.
pub(super) fn tree(profile: &Profile, is_meant: impl Fn(&Row) -> bool) -> Vec<String> {
    let mut lines = Vec::new();
    for (at, region) in profile.regions.iter().enumerate() {
        let rows = || region.rows.iter().filter(|row| is_meant(row));
        if rows().next().is_none() {
            continue;
        }
        let (calls, open) =
            rows().fold((0, 0), |(calls, open), row| (calls + row.calls, open + row.open));
        let open = if open > 0 { format!(" +{open}") } else { String::new() };
        lines.push(format!("{} {calls}{open}", path(profile, at)));
    }
    lines.sort();
    lines
}

/// The path of a region.
pub(super) fn path(profile: &Profile, at: usize) -> String {
    let region = &profile.regions[at];
    let name = String::from_utf8_lossy(&region.name).into_owned();
    match region.parent {
        Some(parent) => format!("{} > {name}", path(profile, parent as usize)),
        None => name,
    }
}

/// A notice as `code name in path: count`.
pub(super) fn words(profile: &Profile, notice: &Notice) -> String {
    let name = String::from_utf8_lossy(&notice.name);
    let place = notice.region.map_or("-".into(), |at| path(profile, at as usize));
    format!("{} {name} in {place}: {}", notice.code.word(), notice.count)
}

/// The I/O of a layer without its times: opens, reads, writes, bytes read, bytes written, other.
pub(super) fn io(list: &[(Layer, Io)], layer: Layer) -> [u64; 6] {
    let io = list.iter().find(|(known, _)| *known == layer).map_or(Io::default(), |(_, io)| *io);
    [io.opens, io.reads, io.writes, io.bytes_read, io.bytes_written, io.other]
}
