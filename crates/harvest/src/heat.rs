//! Heat maps: the bytes of each rank over time, all on one scale.

use ioglass_log::{Heatmap, ModuleWriter, Sink};
use ioglass_schema::{Base, record_id};
use ioglass_shm::{Api, BINS, HeatCell, Kind, MIN_WIDTH_NS, Pod, ThreadCell};

use crate::capture::Capture;
use crate::rank::Rank;
use crate::write::Error;

/// Names of the records, by [`Api`].
pub(crate) const HEAT_NAMES: [&str; Api::ALL.len()] =
    ["heatmap:POSIX", "heatmap:STDIO", "heatmap:MPIIO"];

/// A bin this often doubled is longer than any job.
const MOST_DOUBLINGS: u64 = 40;

/// Written, then read.
type Bytes = [i64; 2];

/// The scale that all heat maps of a log share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    pub(crate) width_ns: u64,
    bins: usize,
    /// Start of the job, in nanoseconds since 1970.
    start_ns: u64,
    /// Time of the last event.
    pub(crate) end_ns: u64,
    /// Interfaces that moved anything.
    pub(crate) used: [bool; Api::ALL.len()],
}

impl Scale {
    /// The finest scale on which the whole job, and all that was recorded of it, has room.
    pub(crate) fn new(captures: &[Capture<'_>], start_ns: u64, end_ns: u64) -> Self {
        let mut used = [false; Api::ALL.len()];
        let (mut width_ns, mut end_ns) = (MIN_WIDTH_NS, end_ns.max(start_ns));
        for capture in captures {
            each_bin(capture, start_ns, |api, middle_ns, width, _| {
                width_ns = width_ns.max(width);
                if let Some(used) = used.get_mut(api) {
                    *used = true;
                }
                end_ns = end_ns.max(start_ns.saturating_add(middle_ns).saturating_add(1));
            });
        }
        Self::with(start_ns, end_ns, width_ns, used)
    }

    /// The finest scale with bins of at least this width.
    pub(crate) fn with(
        start_ns: u64,
        end_ns: u64,
        mut width_ns: u64,
        used: [bool; Api::ALL.len()],
    ) -> Self {
        let duration = end_ns.saturating_sub(start_ns);
        while duration.div_ceil(width_ns) > BINS as u64 {
            width_ns = width_ns.saturating_mul(2);
        }
        let bins = duration.div_ceil(width_ns).max(1) as usize;
        Self { width_ns, bins, start_ns, end_ns, used }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.used == [false; Api::ALL.len()]
    }

    /// Names of the records that will be written.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        HEAT_NAMES.into_iter().zip(self.used).filter_map(|(name, used)| used.then_some(name))
    }

    /// Writes the heat maps of one rank; interfaces that moved nothing have none.
    pub(crate) fn write<S: Sink>(
        &self,
        captures: &[Capture<'_>],
        rank: &Rank,
        out: &mut ModuleWriter<'_, S>,
    ) -> Result<(), Error<S::Error>> {
        for (wanted, name) in HEAT_NAMES.iter().enumerate() {
            let mut sums: [[i64; BINS]; 2] = [[0; BINS]; 2];
            for capture in rank.members.iter().filter_map(|member| captures.get(*member)) {
                each_bin(capture, self.start_ns, |api, middle_ns, _, bytes| {
                    let bin = usize::try_from(middle_ns / self.width_ns).unwrap_or(usize::MAX);
                    for (sums, bytes) in sums.iter_mut().zip(bytes).filter(|_| api == wanted) {
                        if let Some(sum) = sums.get_mut(bin) {
                            *sum = sum.saturating_add(bytes);
                        }
                    }
                });
            }
            if sums.iter().flatten().all(|bytes| *bytes == 0) {
                continue;
            }
            let [writes, reads] = sums.map(|sums| sums.into_iter().take(self.bins).collect());
            let base = Base { id: record_id(name.as_bytes()), rank: rank.number };
            let bin_width = self.width_ns as f64 / 1e9;
            out.record(&Heatmap { base, bin_width, writes, reads })?;
        }
        Ok(())
    }
}

/// Every bin of a capture that has bytes: interface, middle, width, bytes. The middle is that since
/// the job began, also if the process counted from elsewhere, as in a job inside another.
fn each_bin(capture: &Capture<'_>, start_ns: u64, mut bin: impl FnMut(usize, u64, u64, Bytes)) {
    let shift = match capture.header.origin_real_ns {
        0 => 0,
        origin => origin.wrapping_sub(start_ns).cast_signed(),
    };
    let middle = |begin_ns: u64, width_ns: u64| {
        let middle = begin_ns.saturating_add(width_ns / 2);
        middle.saturating_add_signed(shift)
    };
    let cells = capture.of(Kind::Heat).filter_map(|entry| HeatCell::read(entry.bytes));
    for cell in cells.filter(|cell| cell.doublings <= MOST_DOUBLINGS) {
        let width_ns = MIN_WIDTH_NS << cell.doublings;
        let [writes, reads] = &cell.bins;
        for (i, (written, read)) in writes.iter().zip(reads).enumerate() {
            let bytes = [*written.max(&0), *read.max(&0)];
            if bytes != [0, 0] {
                let api = usize::try_from(cell.api).unwrap_or(usize::MAX);
                bin(api, middle(i as u64 * width_ns, width_ns), width_ns, bytes);
            }
        }
    }
    // What threads have not yet added to the heat maps.
    for cell in capture.of(Kind::Thread).filter_map(|entry| ThreadCell::read(entry.bytes)) {
        for (api, bytes) in cell.pending.iter().enumerate() {
            let bytes = bytes.map(|bytes| bytes.max(0));
            if bytes != [0, 0] {
                bin(api, middle(cell.bin_begin_ns, MIN_WIDTH_NS), MIN_WIDTH_NS, bytes);
            }
        }
    }
}
