//! The input of a check, and the setting that its advice must fit.

use std::collections::BTreeMap;

use crate::advice::{self, FileSystem, Setting, TargetFile};
use crate::finding::{FileShare, Language};
use crate::model::{Direction, File, FileKind, Run, Usage};
use crate::program;
use crate::threshold::Thresholds;
use crate::tunable::Tunable;

/// The input of a check.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The run.
    pub run: &'a Run,
    /// Limits.
    pub limits: &'a Thresholds,
}

impl Context<'_> {
    /// The parts of the program, and the facts of `file`; without one, those of the file that costs
    /// most time, and the file system of most bytes.
    pub(crate) fn setting(&self, file: Option<&File>) -> Setting {
        let run = self.run;
        let file_system = file.or(run.largest()).map_or("", |file| run.fs_type(file));
        let libraries = run.libraries;
        let target = file.or_else(|| self.slowest_file());
        // Through a stream of the C library, C++ is used as C.
        let language = match run.language() {
            Language::Cpp if target.is_some_and(is_c_stream) => Language::C,
            language => language,
        };
        Setting {
            language,
            program: program::launched_name(run.doer_command()).to_owned(),
            is_tool: run.is_tool(),
            command: run.command.clone(),
            own_command: program::launched(run.doer_command()).join(" "),
            target: target.map(|file| self.target(file)).unwrap_or_default(),
            mostly_reads: self.mostly_reads(file),
            file_system: kind_of(file_system),
            has_mpi_io: run.mpiio.files > 0,
            has_hdf5: libraries.hdf5,
            has_netcdf: libraries.netcdf && !libraries.pnetcdf,
            has_pnetcdf: libraries.pnetcdf,
            is_parallel: run.ranks_mean_something,
            mpi: run.stack.mpi_kind(),
            proven: target.map_or(run.tunable, |file| Tunable::of_file(run, file)),
            proven_of_all: run.tunable,
        }
    }

    /// The data file that the slowest rank spent most time on.
    fn slowest_file(&self) -> Option<&File> {
        let time = |file: &File| file.slowest_time(self.run.ranks);
        self.run.data().max_by(|a, b| {
            time(a).total_cmp(&time(b)).then(a.bytes().cmp(&b.bytes())).then(b.name.cmp(&a.name))
        })
    }

    /// The facts of a file that its advice must heed.
    fn target(&self, file: &File) -> TargetFile {
        let database = self.database(&file.name);
        let mut files = self.run.data();
        TargetFile {
            path: database.unwrap_or(&file.name).to_owned(),
            is_only: files.next().is_some() && files.next().is_none(),
            is_shared: file.ranks(self.run.ranks) > 1,
            is_mpi_io: file.mpiio.is_some(),
            is_database: database.is_some(),
            is_hdf5: file.is_hdf5(),
            part: self.run.part_of(file),
        }
    }

    /// The database of SQLite that a file is, or is the journal of: by its name, or because both
    /// are there.
    fn database<'f>(&self, name: &'f str) -> Option<&'f str> {
        let files = &self.run.files;
        let is_there = |name: &str| files.binary_search_by(|file| (*file.name).cmp(name)).is_ok();
        // Where libraries are known, a name alone makes no database.
        let libraries = self.run.processes.iter().flat_map(|process| &process.libraries);
        let has_sqlite = self.run.processes.is_empty()
            || self.run.language() == Language::Sql
            || libraries.into_iter().any(|library| library == "sqlite3");
        advice::name_of(name)
            .filter(|_| has_sqlite)
            .or_else(|| advice::journal_of(name).filter(|name| is_there(name)))
            .or_else(|| {
                let mut journals = advice::JOURNALS.iter().map(|ending| format!("{name}{ending}"));
                journals.any(|journal| is_there(&journal)).then_some(name)
            })
    }

    /// True if more is read than written: of a file, or by the run.
    fn mostly_reads(&self, file: Option<&File>) -> bool {
        let moved = |usage: &Usage| Direction::BOTH.map(|way| usage.way(way).bytes);
        let [read, written] = match file {
            Some(file) => file
                .layers()
                .map(moved)
                .max_by_key(|[r, w]| r.saturating_add(*w))
                .unwrap_or_default(),
            None => {
                let [below, streams] = [&self.run.posix, &self.run.stdio].map(|it| moved(&it.sum));
                [below[0].saturating_add(streams[0]), below[1].saturating_add(streams[1])]
            }
        };
        read > written
    }

    /// The directory of a file, for a command. It is empty for a root or a mount, which no command
    /// should touch, and for anonymised names.
    pub(crate) fn folder_of<'f>(&self, file: &'f File) -> &'f str {
        let folder = folder(&file.name);
        let is_mount =
            self.run.mounts.iter().any(|mount| mount.path.trim_end_matches('/') == folder);
        if folder == "/" || is_mount || !folder.starts_with('/') { "" } else { folder }
    }

    /// Seconds of the rank that loses most, if a part of the time in one direction is lost on each
    /// file: the sum over its own files, and the slowest rank on files that all ranks share.
    pub(crate) fn slowest_rank<'f>(
        &self,
        parts: impl IntoIterator<Item = (&'f Usage, f64)>,
    ) -> f64 {
        let (mut ranks, mut shared) = (BTreeMap::<i64, f64>::new(), 0.0);
        for (usage, seconds) in parts {
            let all = usage.time();
            if all <= 0.0 {
                continue;
            }
            for rank in &usage.by_rank {
                *ranks.entry(rank.rank).or_default() += rank.time() * (seconds / all).min(1.0);
            }
            if usage.reduced.is_some() {
                shared += usage.slowest_part(seconds, self.run.ranks);
            }
        }
        ranks.into_values().fold(0.0, f64::max) + shared
    }

    /// The share of a file in a finding.
    pub(crate) fn share_of(&self, file: &File, seconds: f64) -> FileShare {
        FileShare {
            path: file.name.clone(),
            seconds,
            bytes: file.bytes(),
            ranks: file.ranks(self.run.ranks),
            record: if self.run.contexts.is_empty() { 0 } else { file.id },
        }
    }
}

/// The kind of a file system type, as mounts name it.
pub(crate) fn kind_of(fs_type: &str) -> FileSystem {
    match fs_type {
        "lustre" => FileSystem::Lustre,
        "gpfs" => FileSystem::Gpfs,
        _ if fs_type.starts_with("nfs") => FileSystem::Nfs,
        "ext2" | "ext3" | "ext4" | "xfs" | "btrfs" | "zfs" | "tmpfs" | "ramfs" | "overlay"
        | "f2fs" | "vfat" | "apfs" => FileSystem::Local,
        "" => FileSystem::Unknown,
        _ => FileSystem::Other,
    }
}

/// The directory of a path.
pub(crate) fn folder(path: &str) -> &str {
    match path.rfind('/') {
        Some(0) => "/",
        Some(slash) => &path[..slash],
        None => ".",
    }
}

/// The last part of a path.
pub(crate) fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// True for a file that was opened as a stream of C.
fn is_c_stream(file: &File) -> bool {
    file.posix.is_none() && FileKind::of(&file.name) != FileKind::Stream
}
