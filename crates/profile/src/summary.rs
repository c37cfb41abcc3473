//! Totals of regions: what an overview needs of rows that may be many.

use alloc::vec::Vec;
use core::cmp::Reverse;

use crate::build::series::join;
use crate::model::{Io, Layer, Metric, Process, Profile, Row, Series};
use crate::{NoMemory, push};

/// Slow iterations that are kept of a region.
pub const SLOWEST: usize = 16;
/// Entries that are kept of the series of a region.
pub const ENTRIES: usize = 4096;

/// The totals of a region over all ranks, threads and executions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Summary {
    /// Sums.
    pub total: Figures,
    /// How it differs between ranks.
    pub ranks: Ranks,
    /// The mean of its iterations, if it has some.
    pub series: Option<MeanSeries>,
    /// Its slowest iterations, the slowest first.
    pub slowest: Vec<SlowVisit>,
}

/// Sums of rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Figures {
    /// Visits.
    pub calls: u64,
    /// Those of them that had not ended.
    pub open: u64,
    /// Time in it, children included.
    pub time_ns: u64,
    /// Time in it, without that of its children on the same thread.
    pub exclusive_ns: u64,
    /// The shortest visit.
    pub min_ns: u64,
    /// The longest visit.
    pub max_ns: u64,
    /// Metrics, in the order of their names.
    pub metrics: Vec<Metric>,
    /// I/O by layer.
    pub io: Vec<(Layer, Io)>,
}

/// How the time of a region differs between the ranks that were there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ranks {
    /// Number of ranks.
    pub count: u32,
    /// Those of them that wrote bytes in it.
    pub writers: u32,
    /// The slowest one.
    pub slowest: u32,
    /// Time of the fastest.
    pub min_ns: u64,
    /// Time of the slowest.
    pub max_ns: u64,
    /// Sum of their times.
    pub sum_ns: u128,
    /// Sum of the squares of their times.
    pub squares: u128,
}

/// A slow iteration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SlowVisit {
    /// Its rank.
    pub rank: u32,
    /// Its thread.
    pub thread: u32,
    /// Its execution.
    pub execution: u32,
    /// Its number.
    pub iteration: u64,
    /// Its time.
    pub time_ns: u64,
}

/// Sums of iterations with the same number. An entry stands for `each` of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MeanSeries {
    /// Iterations of an entry.
    pub each: u64,
    /// The largest number of iterations.
    pub iterations: u64,
    /// Time, added over ranks, threads and executions.
    pub time_ns: Vec<u64>,
    /// Visits of each entry.
    pub visits: Vec<u64>,
}

impl Summary {
    /// The totals of these rows, which are in the order of a profile.
    pub fn of(rows: &[Row], processes: &[Process]) -> Result<Self, NoMemory> {
        let mut summary = Self::default();
        summary.add_rows(rows, processes)?;
        Ok(summary)
    }

    /// Adds rows of further ranks.
    pub fn add_rows(&mut self, rows: &[Row], processes: &[Process]) -> Result<(), NoMemory> {
        let rank =
            |row: &Row| processes.get(row.process as usize).map_or(0, |process| process.rank);
        for rows in rows.chunk_by(|one, other| rank(one) == rank(other)) {
            let Some(first) = rows.first() else { continue };
            let (mut time, mut writes) = (0_u64, false);
            for row in rows {
                time = time.saturating_add(row.time_ns);
                writes |= row.io.iter().any(|(_, io)| io.bytes_written > 0);
                self.total.add_row(row)?;
                for slow in &row.slowest {
                    let (iteration, time_ns) = (slow.iteration, slow.time_ns);
                    let (thread, execution) = (row.thread, row.execution);
                    let slow = SlowVisit { rank: rank(row), thread, execution, iteration, time_ns };
                    push(&mut self.slowest, slow)?;
                }
                if let Some(series) = &row.series {
                    self.series.get_or_insert_default().add(series)?;
                }
                // Not more than twice what is kept.
                if self.slowest.len() > 2 * SLOWEST {
                    self.sort_slowest();
                }
            }
            // A process that was started in the region has no visit of it.
            if rows.iter().any(|row| row.calls > 0) {
                self.ranks.add_rank(rank(first), time, writes);
            }
        }
        self.sort_slowest();
        Ok(())
    }

    /// Adds the totals of other ranks.
    pub fn add(&mut self, other: &Self) -> Result<(), NoMemory> {
        self.total.add(&other.total)?;
        self.ranks.add(&other.ranks);
        for slow in &other.slowest {
            push(&mut self.slowest, *slow)?;
        }
        self.sort_slowest();
        if let Some(series) = &other.series {
            self.series.get_or_insert_default().join(series)?;
        }
        Ok(())
    }

    fn sort_slowest(&mut self) {
        self.slowest.sort_unstable_by_key(|slow| {
            (Reverse(slow.time_ns), slow.rank, slow.thread, slow.execution, slow.iteration)
        });
        self.slowest.truncate(SLOWEST);
    }
}

/// The totals of all regions of a profile.
pub fn summarize(profile: &Profile) -> Result<Vec<Summary>, NoMemory> {
    let mut list = Vec::new();
    for region in &profile.regions {
        push(&mut list, Summary::of(&region.rows, &profile.processes)?)?;
    }
    Ok(list)
}

impl Figures {
    /// Adds a row.
    pub fn add_row(&mut self, row: &Row) -> Result<(), NoMemory> {
        self.add_times(
            [row.calls, row.open, row.time_ns, row.exclusive_ns],
            [row.min_ns, row.max_ns],
        );
        self.add_lists(&row.metrics, &row.io)
    }

    /// Adds other figures.
    pub fn add(&mut self, other: &Self) -> Result<(), NoMemory> {
        let Self { calls, open, time_ns, exclusive_ns, min_ns, max_ns, .. } = *other;
        self.add_times([calls, open, time_ns, exclusive_ns], [min_ns, max_ns]);
        self.add_lists(&other.metrics, &other.io)
    }

    fn add_times(&mut self, sums: [u64; 4], [min, max]: [u64; 2]) {
        let [calls, open, time, exclusive] = sums;
        // Without a visit there is no shortest one.
        self.min_ns = match (self.calls, calls) {
            (_, 0) => self.min_ns,
            (0, _) => min,
            _ => self.min_ns.min(min),
        };
        self.max_ns = self.max_ns.max(max);
        self.calls = self.calls.saturating_add(calls);
        self.open = self.open.saturating_add(open);
        self.time_ns = self.time_ns.saturating_add(time);
        self.exclusive_ns = self.exclusive_ns.saturating_add(exclusive);
    }

    fn add_lists(&mut self, metrics: &[Metric], io: &[(Layer, Io)]) -> Result<(), NoMemory> {
        for metric in metrics {
            match self.metrics.binary_search_by_key(&metric.metric, |known| known.metric) {
                Ok(at) => self.metrics[at].measure.add(&metric.measure),
                Err(at) => {
                    self.metrics.try_reserve(1).map_err(|_| NoMemory)?;
                    self.metrics.insert(at, *metric);
                }
            }
        }
        for (layer, io) in io {
            match self.io.binary_search_by_key(layer, |(known, _)| *known) {
                Ok(at) => self.io[at].1.add(io),
                Err(at) => {
                    self.io.try_reserve(1).map_err(|_| NoMemory)?;
                    self.io.insert(at, (*layer, *io));
                }
            }
        }
        Ok(())
    }

    /// Time in I/O, each second once: that of the layers that the program called.
    ///
    /// What a layer does for the one above it is in the time of both. So of POSIX, MPI-IO and the
    /// libraries above the largest counts; streams are beside them.
    pub fn io_ns(&self) -> u64 {
        let of = |layer: Layer| {
            self.io.iter().find(|(known, _)| *known == layer).map_or(0, |(_, io)| io.time_ns())
        };
        let stack =
            of(Layer::Posix).max(of(Layer::Mpiio)).max(of(Layer::Hdf5)).max(of(Layer::Pnetcdf));
        stack.saturating_add(of(Layer::Stdio))
    }

    /// Bytes read and written by system calls and streams.
    pub fn moved(&self) -> (u64, u64) {
        let layers = [Layer::Posix, Layer::Stdio];
        let io = self.io.iter().filter(|(layer, _)| layers.contains(layer));
        io.fold((0, 0), |(read, written), (_, io)| {
            (read.saturating_add(io.bytes_read), written.saturating_add(io.bytes_written))
        })
    }
}

impl Ranks {
    /// Adds a rank.
    pub fn add_rank(&mut self, rank: u32, time_ns: u64, writes: bool) {
        let square = u128::from(time_ns) * u128::from(time_ns);
        let (count, writers) = (1, writes.into());
        let (min_ns, max_ns, sum_ns) = (time_ns, time_ns, time_ns.into());
        self.add(&Self { count, writers, slowest: rank, min_ns, max_ns, sum_ns, squares: square });
    }

    /// Adds other ranks.
    pub fn add(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = *other;
            return;
        }
        if (Reverse(other.max_ns), other.slowest) < (Reverse(self.max_ns), self.slowest) {
            (self.max_ns, self.slowest) = (other.max_ns, other.slowest);
        }
        self.count = self.count.saturating_add(other.count);
        self.writers = self.writers.saturating_add(other.writers);
        self.min_ns = self.min_ns.min(other.min_ns);
        self.sum_ns = self.sum_ns.saturating_add(other.sum_ns);
        self.squares = self.squares.saturating_add(other.squares);
    }

    /// The mean of their times.
    pub fn mean_ns(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum_ns as f64 / f64::from(self.count) }
    }

    /// The variance of their times.
    pub fn variance(&self) -> f64 {
        let count = u128::from(self.count);
        if count == 0 {
            return 0.0;
        }
        // Exact as long as the products fit.
        let exact = self.squares.checked_mul(count).zip(self.sum_ns.checked_mul(self.sum_ns));
        match exact {
            Some((squares, square)) => {
                squares.saturating_sub(square) as f64 / (count as f64 * count as f64)
            }
            None => (self.squares as f64 / count as f64 - self.mean_ns() * self.mean_ns()).max(0.0),
        }
    }

    /// How much the slowest is above the mean, as a share of it.
    pub fn imbalance(&self) -> Option<f64> {
        let mean = self.mean_ns();
        (mean > 0.0).then(|| (self.max_ns as f64 / mean - 1.0).max(0.0))
    }
}

impl MeanSeries {
    /// Adds the series of a row.
    pub fn add(&mut self, series: &Series) -> Result<(), NoMemory> {
        let visits = (0..series.time_ns.len()).map(|at| series.visits_of(at));
        self.add_entries(series.each, series.iterations, &series.time_ns, visits)
    }

    /// Adds the series of other ranks.
    pub fn join(&mut self, other: &Self) -> Result<(), NoMemory> {
        let visits = other.visits.iter().copied();
        self.add_entries(other.each, other.iterations, &other.time_ns, visits)
    }

    fn add_entries(
        &mut self,
        each: u64,
        iterations: u64,
        times: &[u64],
        visits: impl Iterator<Item = u64>,
    ) -> Result<(), NoMemory> {
        let each = each.max(1);
        self.prepare(each, times.len(), iterations)?;
        let step = (self.each / each).max(1) as usize;
        for ((time, visits), at) in times.iter().zip(visits).zip(0..) {
            let entry = at / step;
            let Some(sum) = self.time_ns.get_mut(entry) else { break };
            *sum = sum.saturating_add(*time);
            self.visits[entry] = self.visits[entry].saturating_add(visits);
        }
        Ok(())
    }

    /// Makes entries wide enough for a series of `len` entries of `each`, and as many as it needs.
    fn prepare(&mut self, each: u64, len: usize, iterations: u64) -> Result<(), NoMemory> {
        let mut wanted = each.max(self.each).max(1);
        let entries = |wanted: u64| (len as u64).saturating_mul(each).div_ceil(wanted);
        while entries(wanted) > ENTRIES as u64 {
            wanted = wanted.saturating_mul(2);
        }
        self.each = self.each.max(1);
        while self.each < wanted {
            join(&mut self.time_ns, 2, u64::saturating_add);
            join(&mut self.visits, 2, u64::saturating_add);
            self.each = self.each.saturating_mul(2);
        }
        self.iterations = self.iterations.max(iterations);
        let entries = entries(self.each) as usize;
        if entries > self.time_ns.len() {
            let more = entries - self.time_ns.len();
            self.time_ns.try_reserve(more).map_err(|_| NoMemory)?;
            self.visits.try_reserve(more).map_err(|_| NoMemory)?;
            self.time_ns.resize(entries, 0);
            self.visits.resize(entries, 0);
        }
        Ok(())
    }

    /// Mean time of one iteration in each entry, in nanoseconds.
    pub fn means(&self) -> impl Iterator<Item = f64> + '_ {
        self.time_ns.iter().zip(&self.visits).map(|(time, visits)| {
            let visits = (*visits).max(1);
            *time as f64 / visits as f64
        })
    }
}
