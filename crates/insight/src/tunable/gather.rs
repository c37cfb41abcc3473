//! The facts of a run that conditions of parameters are about.

use super::{Known, MpiIo, SEEKS, Tunable};
use crate::model::{Dataset, Direction, File, FileKind, Run, Usage};
use crate::program;

impl Tunable {
    /// What is proven about all files of the user's.
    pub fn of_run(run: &Run) -> Self {
        let datasets = run.datasets.iter().filter(|dataset| !dataset.is_pnetcdf);
        Self::gathered(run, run.data(), datasets)
    }

    /// What is proven about one file.
    pub fn of_file(run: &Run, file: &File) -> Self {
        let of_file = |dataset: &&Dataset| !dataset.is_pnetcdf && dataset.file == Some(file.id);
        let own = Some(file).filter(|file| file.kind == FileKind::Data);
        Self::gathered(run, own.into_iter(), run.datasets.iter().filter(of_file))
    }

    fn gathered<'a>(
        run: &'a Run,
        files: impl Iterator<Item = &'a File>,
        datasets: impl Iterator<Item = &'a Dataset>,
    ) -> Self {
        let mut all = Self {
            mpi: run.stack.mpi_kind(),
            mpi_io: match run.stack.mpiio.as_deref() {
                Some("ROMIO") => Some(MpiIo::Romio),
                Some("OMPIO") => Some(MpiIo::Ompio),
                _ => None,
            },
            is_interpreter: is_interpreter(run),
            ..Self::default()
        };
        let mut seeks: Option<Known> = None;
        let mut order: Option<Known> = None;
        let mut opens: Option<Known> = None;
        for file in files {
            all.add_file(run, file);
            if let Some(stream) = file.stdio.as_deref().filter(|usage| usage.bytes() > 0) {
                both(&mut seeks, reads_without_seeks(stream));
            }
            if let Some(known) = reads_in_order(file) {
                both(&mut order, known);
            }
            if let Some(usage) = file.h5f.as_deref() {
                both(&mut opens, same_opens(run, usage));
            }
        }
        let mut whole: Option<Known> = None;
        let mut transfers: Option<Known> = None;
        for dataset in datasets {
            both(&mut opens, same_opens(run, &dataset.usage));
            all.has_collective_hdf5 |= dataset.is_collective;
            let written = dataset.usage.way(Direction::Write);
            if written.calls > 0 {
                let is_chunked = dataset.chunk_bytes().is_some();
                all.has_chunked |= is_chunked;
                all.has_contiguous |= !is_chunked;
            } else {
                all.has_chunked |= dataset.chunk_bytes().is_some();
            }
            // A dataset that is only read was made by somebody else.
            if written.calls > 0 || dataset.usage.calls() == 0 {
                both(&mut whole, dataset.is_written_in_full());
            }
            if dataset.usage.calls() > 0 {
                both(&mut transfers, same_transfers(run, dataset));
            }
        }
        all.writes_every_element = whole.unwrap_or_default();
        all.has_same_transfers = transfers.unwrap_or_default();
        all.has_same_opens = opens.unwrap_or_default();
        all.reads_without_seeks = seeks.unwrap_or_default();
        all.reads_in_order = order.unwrap_or_default();
        all
    }

    fn add_file(&mut self, run: &Run, file: &File) {
        let moves = |usage: &Option<Box<Usage>>| usage.as_deref().is_some_and(|u| u.bytes() > 0);
        let is_hdf5 = file.h5f.is_some();
        let is_moved = file.bytes() > 0;
        self.has_parallel_hdf5 |= is_hdf5 && file.h5f_uses_mpiio && is_moved;
        self.has_serial_hdf5 |= is_hdf5 && !file.h5f_uses_mpiio && is_moved;
        self.has_streams |= moves(&file.stdio);
        let is_of_library = is_hdf5 || file.mpiio.is_some() || file.pnetcdf.is_some();
        self.has_calls |= moves(&file.posix) && !is_of_library;
        if moves(&file.mpiio) {
            self.has_mpi_io = true;
            self.is_on_lustre |= run.fs_type(file) == "lustre";
            self.is_collective |= file
                .mpiio
                .as_deref()
                .is_some_and(|u| u.way(Direction::Write).kinds().together() > 0);
        }
        let layouts = file.stripes.iter().flat_map(|stripes| &stripes.components);
        let numbers = layouts.flat_map(|part| part.targets.iter().copied());
        let highest = numbers.filter_map(|number| u64::try_from(number).ok()).max();
        self.targets = self.targets.max(highest.map(|number| number.saturating_add(1)));
        let sum = |direction| {
            file.layers().map(|usage| usage.way(direction).bytes).fold(0, u64::saturating_add)
        };
        let [read, written] = Direction::BOTH.map(sum);
        self.has_written |= written > 0;
        self.has_read_only |= read > 0 && written == 0;
    }
}

/// Adds what is known of one more.
fn both(known: &mut Option<Known>, new: Known) {
    *known = Some(known.map_or(new, |known| known.and(new)));
}

/// A program of Python, Perl or Ruby, as the library knows them by their names.
fn is_interpreter(run: &Run) -> bool {
    let name = program::launched_name(run.doer_command());
    ["python", "perl", "ruby"].iter().any(|known| name.starts_with(known))
}

fn reads_without_seeks(stream: &Usage) -> Known {
    let reads = stream.way(Direction::Read).calls as f64;
    if stream.has_unknown {
        return Known::Unknown;
    }
    // Each seek may have moved the position of a read.
    Known::of(reads == 0.0 || stream.seeks as f64 <= SEEKS * reads)
}

/// None if nothing is read that an advice to the system could be about.
fn reads_in_order(file: &File) -> Option<Known> {
    let stream = file.stdio.as_deref().filter(|usage| usage.way(Direction::Read).bytes > 0);
    let calls = file.posix.as_deref().filter(|usage| usage.way(Direction::Read).bytes > 0);
    let in_stream = stream.map(reads_without_seeks);
    let in_calls = calls.map(|usage| {
        let reads = usage.way(Direction::Read).calls as f64;
        Known::of(usage.random(Direction::Read) as f64 <= SEEKS * reads)
    });
    match (in_stream, in_calls) {
        (Some(stream), Some(calls)) => Some(stream.and(calls)),
        (one, other) => one.or(other),
    }
}

/// A record of all ranks has opens of each of them, so as many opens as ranks are one for each.
fn same_opens(run: &Run, usage: &Usage) -> Known {
    match &usage.reduced {
        _ if run.ranks == 1 => Known::Yes,
        Some(_) if usage.opens == run.ranks => Known::Yes,
        None if (usage.by_rank.len() as u64) < run.ranks => Known::No,
        _ => Known::Unknown,
    }
}

/// All ranks make the same number of transfers: all are of one size and one direction, and each rank
/// moves as many bytes.
fn same_transfers(run: &Run, dataset: &Dataset) -> Known {
    let usage = &dataset.usage;
    if run.ranks == 1 {
        return Known::Yes;
    }
    let Some(reduced) = usage.reduced.as_deref() else {
        // Not all ranks have a record, or not one that tells of them all.
        return if (usage.by_rank.len() as u64) < run.ranks { Known::No } else { Known::Unknown };
    };
    let calls = usage.calls();
    if !calls.is_multiple_of(run.ranks) {
        return Known::No;
    }
    let is_one_way = usage.ways.iter().any(|way| way.calls == 0);
    let is_one_size = matches!(usage.common_sizes.as_slice(), [(_, count)] if *count == calls);
    let is_alike = is_one_way && is_one_size && reduced.variance_bytes == 0.0;
    if is_alike && usage.bytes() > 0 { Known::Yes } else { Known::Unknown }
}

impl Run {
    /// The dataset of a file with most bytes written, of those that have no chunks and are written
    /// in parts of more than one dimension: such parts may lie scattered over the file.
    pub(crate) fn scattered_dataset(&self, file: &File) -> Option<&Dataset> {
        let own = |dataset: &&Dataset| {
            !dataset.is_pnetcdf && dataset.file == Some(file.id) && dataset.part().is_some()
        };
        let written = |dataset: &&Dataset| dataset.usage.way(Direction::Write).bytes;
        let most = self.datasets.iter().filter(own).max_by_key(written);
        most.filter(|dataset| written(dataset) > 0)
    }

    /// Bytes of such a part.
    pub(crate) fn part_of(&self, file: &File) -> Option<u64> {
        self.scattered_dataset(file)?.part()
    }
}

impl Dataset {
    /// Elements of its commonest access along each dimension; empty if none is known.
    pub(crate) fn sides(&self) -> Vec<u64> {
        let lengths = self.accesses.first().map(|(lengths, _)| *lengths).unwrap_or_default();
        lengths.into_iter().filter(|length| *length > 0).collect()
    }

    /// Bytes of its commonest access, if it has no chunks and an access is a part of it in more than
    /// one dimension.
    fn part(&self) -> Option<u64> {
        let sides = self.sides();
        let points = sides.iter().copied().fold(1, u64::saturating_mul);
        let is_flat = sides.iter().filter(|side| **side > 1).count() < 2;
        let is_part = !is_flat && points < self.points && self.chunk_bytes().is_none();
        is_part.then(|| points.saturating_mul(self.element.max(1)))
    }

    /// As many bytes are written as it has.
    fn is_written_in_full(&self) -> Known {
        let bytes = self.points.saturating_mul(self.element);
        if bytes == 0 {
            return Known::Unknown;
        }
        Known::of(self.usage.way(Direction::Write).bytes >= bytes)
    }
}
