//! Bytes by mounted file system; streams and files on no mount have rows of their own.

use std::collections::BTreeMap;

use crate::model::{Direction, FileKind, Run};

/// A mounted file system, or a row that stands for one.
#[derive(Debug, Clone, PartialEq)]
pub struct System<'r> {
    /// Its type, such as `lustre`, or what it is.
    pub kind: &'r str,
    /// Path of the mount; empty if it is not mounted.
    pub mount: &'r str,
    /// Files.
    pub files: u64,
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
    /// Reads and writes.
    pub requests: u64,
    /// Seconds of all ranks together.
    pub seconds: f64,
}

/// By bytes, then by seconds.
pub(super) fn of(run: &Run) -> Vec<System<'_>> {
    let mut found: BTreeMap<(&str, &str), System<'_>> = BTreeMap::new();
    for file in run.files.iter().filter(|file| file.layers().next().is_some()) {
        let mount = file.mount.and_then(|mount| run.mounts.get(mount));
        let key = match (file.kind, &file.daos, mount) {
            (FileKind::Stream, ..) => ("standard streams", ""),
            (_, Some(_), _) => ("daos", ""),
            (_, None, Some(mount)) => (mount.fs_type.as_str(), mount.path.as_str()),
            (_, None, None) => ("not matched", ""),
        };
        let system = found.entry(key).or_insert_with(|| System {
            kind: key.0,
            mount: key.1,
            files: 0,
            read: 0,
            written: 0,
            requests: 0,
            seconds: 0.0,
        });
        system.files += 1;
        for usage in file.counted_once() {
            system.read = system.read.saturating_add(usage.way(Direction::Read).bytes);
            system.written = system.written.saturating_add(usage.way(Direction::Write).bytes);
            system.requests = system.requests.saturating_add(usage.calls());
            system.seconds += usage.time();
        }
    }
    let mut systems: Vec<System<'_>> = found.into_values().collect();
    systems.sort_by(|a, b| {
        let bytes = |system: &System<'_>| system.read.saturating_add(system.written);
        bytes(b).cmp(&bytes(a)).then(b.seconds.total_cmp(&a.seconds))
    });
    systems
}
