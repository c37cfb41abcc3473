//! I/O in no region: all that was recorded, less that of regions.

use ioglass_profile::{Builder, Layer};
use ioglass_schema::{h5d, h5f, mpiio, pnetcdf_file, pnetcdf_var, posix, stdio};
use ioglass_shm::{
    H5dCell, H5fCell, IoCounts, IoLayer, Kind, MetadataCell, MpiioCell, PnetcdfFileCell,
    PnetcdfVarCell, Pod, PosixCell, StdioCell,
};

use super::cells::Cells;
use super::rows;
use crate::NoMemory;
use crate::capture::Capture;
use crate::time::Timeline;

/// Adds the I/O of a process that was in no region.
pub(super) fn add(
    builder: &mut Builder,
    capture: &Capture<'_>,
    time: &Timeline,
    cells: &Cells<'_>,
) -> Result<(), NoMemory> {
    let mut all = [IoCounts::default(); IoLayer::COUNT];
    totals(capture, &mut all);
    for (_, io) in &cells.io {
        if let Some(of_layer) = usize::try_from(io.layer).ok().and_then(|at| all.get_mut(at)) {
            of_layer.subtract(&io.counts);
        }
    }
    for (layer, counts) in Layer::ALL.iter().zip(all) {
        if counts != IoCounts::default() {
            builder.outside(*layer, &rows::of_counts(&counts, time))?;
        }
    }
    Ok(())
}

/// The cells of a kind where they lie.
fn cells<'r, C: Pod + 'r>(capture: &Capture<'r>, kind: Kind) -> impl Iterator<Item = &'r C> {
    capture.of(kind).filter_map(|entry| C::view(entry.bytes))
}

/// Adds counters and times: opens, reads, writes, bytes read and written; times of reads, writes and
/// metadata.
fn sum(
    counts: &mut IoCounts,
    int: &[i64],
    [opens, reads, writes]: [&[usize]; 3],
    bytes: [Option<usize>; 2],
    tick: &[u64],
    times: [Option<usize>; 3],
    others: u64,
) {
    let count = |at: usize| int.get(at).map_or(0, |count| (*count).max(0).cast_unsigned());
    let ticks = |at: Option<usize>| at.and_then(|at| tick.get(at)).copied().unwrap_or(0);
    let added = IoCounts {
        opens: opens.iter().map(|at| count(*at)).sum(),
        reads: reads.iter().map(|at| count(*at)).sum(),
        writes: writes.iter().map(|at| count(*at)).sum(),
        bytes_read: bytes[0].map_or(0, count),
        bytes_written: bytes[1].map_or(0, count),
        other: others,
        read: ticks(times[0]),
        write: ticks(times[1]),
        metadata: ticks(times[2]),
    };
    counts.add(&added);
}

fn totals(capture: &Capture<'_>, all: &mut [IoCounts; IoLayer::COUNT]) {
    let [on_files, on_streams, mpi, hdf5, pnetcdf] = all;
    for cell in cells::<PosixCell>(capture, Kind::Posix) {
        use posix::f;
        let calls: [&[usize]; 3] = [&[posix::OPENS], &[posix::READS], &[posix::WRITES]];
        let bytes = [Some(posix::BYTES_READ), Some(posix::BYTES_WRITTEN)];
        let times = [Some(f::READ_TIME), Some(f::WRITE_TIME), Some(f::META_TIME)];
        sum(on_files, &cell.int, calls, bytes, &cell.tick, times, cell.facts.others);
    }
    for cell in cells::<MetadataCell>(capture, Kind::Metadata) {
        for count in &cell.of {
            on_files.other = on_files.other.saturating_add(count.calls);
            on_files.metadata = on_files.metadata.saturating_add(count.ticks);
        }
    }
    for cell in cells::<StdioCell>(capture, Kind::Stdio) {
        use stdio::f;
        let calls: [&[usize]; 3] = [&[stdio::OPENS], &[stdio::READS], &[stdio::WRITES]];
        let bytes = [Some(stdio::BYTES_READ), Some(stdio::BYTES_WRITTEN)];
        let times = [Some(f::READ_TIME), Some(f::WRITE_TIME), Some(f::META_TIME)];
        sum(on_streams, &cell.int, calls, bytes, &cell.tick, times, cell.facts.others);
    }
    for cell in cells::<MpiioCell>(capture, Kind::Mpiio) {
        use mpiio::f;
        let calls: [&[usize]; 3] = [
            &[mpiio::INDEP_OPENS, mpiio::COLL_OPENS],
            &[mpiio::INDEP_READS, mpiio::COLL_READS, mpiio::SPLIT_READS, mpiio::NB_READS],
            &[mpiio::INDEP_WRITES, mpiio::COLL_WRITES, mpiio::SPLIT_WRITES, mpiio::NB_WRITES],
        ];
        let bytes = [Some(mpiio::BYTES_READ), Some(mpiio::BYTES_WRITTEN)];
        let times = [Some(f::READ_TIME), Some(f::WRITE_TIME), Some(f::META_TIME)];
        sum(mpi, &cell.int, calls, bytes, &cell.tick, times, cell.others);
    }
    for cell in cells::<H5fCell>(capture, Kind::H5f) {
        let times = [None, None, Some(h5f::f::META_TIME)];
        let calls: [&[usize]; 3] = [&[h5f::OPENS], &[], &[]];
        sum(hdf5, &cell.int, calls, [None; 2], &cell.tick, times, cell.others);
    }
    for cell in cells::<H5dCell>(capture, Kind::H5d) {
        use h5d::f;
        let calls: [&[usize]; 3] = [&[h5d::OPENS], &[h5d::READS], &[h5d::WRITES]];
        let bytes = [Some(h5d::BYTES_READ), Some(h5d::BYTES_WRITTEN)];
        let times = [Some(f::READ_TIME), Some(f::WRITE_TIME), Some(f::META_TIME)];
        sum(hdf5, &cell.int, calls, bytes, &cell.tick, times, cell.others);
    }
    for cell in cells::<PnetcdfFileCell>(capture, Kind::PnetcdfFile) {
        let times = [None, None, Some(pnetcdf_file::f::META_TIME)];
        let calls: [&[usize]; 3] = [&[pnetcdf_file::CREATES, pnetcdf_file::OPENS], &[], &[]];
        sum(pnetcdf, &cell.int, calls, [None; 2], &cell.tick, times, cell.others);
    }
    for cell in cells::<PnetcdfVarCell>(capture, Kind::PnetcdfVar) {
        use pnetcdf_var::f;
        let calls: [&[usize]; 3] = [
            &[pnetcdf_var::OPENS],
            &[pnetcdf_var::INDEP_READS, pnetcdf_var::COLL_READS, pnetcdf_var::NB_READS],
            &[pnetcdf_var::INDEP_WRITES, pnetcdf_var::COLL_WRITES, pnetcdf_var::NB_WRITES],
        ];
        let bytes = [Some(pnetcdf_var::BYTES_READ), Some(pnetcdf_var::BYTES_WRITTEN)];
        let times = [Some(f::READ_TIME), Some(f::WRITE_TIME), Some(f::META_TIME)];
        sum(pnetcdf, &cell.int, calls, bytes, &cell.tick, times, cell.others);
    }
}
