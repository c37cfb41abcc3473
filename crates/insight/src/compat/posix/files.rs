//! Triggers about single files: P05, P06, P15, P16, P18, P19, P21 and P22.

use std::collections::BTreeMap;

use ioglass_log::{Log, RecordRef, posix};

use super::{Posix, READ, RequestColumns, Requests, WRITE};
use crate::Level;
use crate::compat::library::Times;
use crate::compat::number::{percent, ratio, two_digits};
use crate::compat::{MOST_DETAILS, Stop, Trigger, TriggerDetail, records};
use crate::threshold::Thresholds;

/// Sums of the files.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// By id, which is the order in which the original names them.
    by_id: BTreeMap<u64, FileTraffic>,
    /// Records of rank −1 whose slowest and fastest rank differ in bytes.
    by_bytes: ListedFiles,
    /// The same in time.
    by_time: ListedFiles,
}

#[derive(Debug, Default)]
struct FileTraffic {
    small_reads: i64,
    small_writes: i64,
    /// Bytes read and bytes written in records of one rank.
    own: Option<[Extremes; 2]>,
}

/// The least and the most of something.
#[derive(Debug, Clone, Copy)]
struct Extremes {
    least: i64,
    most: i64,
}

/// Files that are counted, and the first of them with a share in percent.
#[derive(Debug, Default)]
struct ListedFiles {
    count: i64,
    first: Vec<(u64, f64)>,
}

impl ListedFiles {
    fn add(&mut self, id: u64, share: f64) {
        self.count += 1;
        if self.first.len() < MOST_DETAILS {
            self.first.push((id, two_digits(share * 100.0)));
        }
    }

    fn details(&self, log: &Log) -> Vec<TriggerDetail> {
        let detail =
            |(id, percent)| TriggerDetail { path: records::path(log, id), count: None, percent };
        self.first.iter().copied().map(detail).collect()
    }
}

impl Extremes {
    fn add(&mut self, value: i64) {
        self.least = self.least.min(value);
        self.most = self.most.max(value);
    }

    /// Distance of the least from the most, as a part of the most.
    fn imbalance(self) -> Option<f64> {
        let apart = i128::from(self.most) - i128::from(self.least);
        (self.most != 0).then(|| apart as f64 / self.most as f64)
    }
}

impl Files {
    pub(super) fn add(&mut self, record: &RecordRef<'_>, times: Times, limits: &Thresholds) {
        let (id, limit) = (record.base.id, limits.imbalance_stragglers);
        let [read, written] = [posix::BYTES_READ, posix::BYTES_WRITTEN].map(|i| record.int[i]);
        let file = self.by_id.entry(id).or_default();
        file.small_reads = file.small_reads.wrapping_add(READ.small(record));
        file.small_writes = file.small_writes.wrapping_add(WRITE.small(record));
        if record.base.rank != -1 {
            let [reads, writes] = file
                .own
                .get_or_insert([read, written].map(|bytes| Extremes { least: bytes, most: bytes }));
            reads.add(read);
            writes.add(written);
            return;
        }
        // Slowest and fastest by time, whatever they moved; the whole is that of all ranks.
        let total = i128::from(written) + i128::from(read);
        let ends = [posix::SLOWEST_RANK_BYTES, posix::FASTEST_RANK_BYTES];
        let [slowest, fastest] = ends.map(|i| i128::from(record.int[i]));
        let share = (slowest - fastest).abs() as f64 / total as f64;
        if total != 0 && share > limit {
            self.by_bytes.add(id, share);
        }
        let total = times.write + times.read + times.metadata;
        let share = (times.slowest - times.fastest).abs() / total;
        if total != 0.0 && share > limit {
            self.by_time.add(id, share);
        }
    }

    /// P18, P19, P21 and P22.
    pub(super) fn imbalances(
        &self,
        log: &Log,
        limits: &Thresholds,
    ) -> impl Iterator<Item = Trigger> {
        let mut own = [ListedFiles::default(), ListedFiles::default()];
        for (id, file) in &self.by_id {
            for (listed, span) in own.iter_mut().zip(file.own.into_iter().flatten()) {
                if let Some(share) = span.imbalance().filter(|share| *share > limits.imbalance_size)
                {
                    listed.add(*id, share);
                }
            }
        }
        let [reads, writes] = own;
        let rows = [
            ("P18", "stragglers_count", "slowest and fastest rank differ in bytes", &self.by_bytes),
            ("P19", "stragglers_count", "slowest and fastest rank differ in time", &self.by_time),
            ("P21", "imbalance_count", "ranks differ in bytes written", &writes),
            ("P22", "imbalance_count", "ranks differ in bytes read", &reads),
        ];
        let fired = rows.into_iter().filter(|(.., listed)| listed.count > 0);
        let triggers = fired.map(|(code, input, what, listed)| {
            let message = format!("files whose {what}: {}", listed.count);
            Trigger::new(code, Level::High, message)
                .figures(&[listed.count as f64])
                .inputs(&[(input, listed.count)])
                .details(listed.details(log))
        });
        triggers.collect::<Vec<_>>().into_iter()
    }
}

impl Posix {
    /// P05 and P06.
    pub(super) fn small_requests(&self, log: &Log, limits: &Thresholds) -> Vec<Trigger> {
        let (reads, writes) = (&self.all.reads, &self.all.writes);
        let inputs = [
            ("total_reads", reads.count),
            ("total_reads_small", reads.small),
            ("total_writes", writes.count),
            ("total_writes_small", writes.small),
        ];
        let small_of: [fn(&FileTraffic) -> i64; 2] =
            [|file| file.small_reads, |file| file.small_writes];
        let rows = [("P05", "reads", reads), ("P06", "writes", writes)];
        let rows = rows.into_iter().zip(small_of);
        let fired = rows.filter(|((.., requests), _)| is_small(requests, limits));
        let triggers = fired.map(|((code, noun, requests), small_of)| {
            let files = self.files.by_id.iter().map(|(id, file)| (*id, small_of(file)));
            let large_part = files.filter(|(_, small)| is_large_part(*small, requests, limits));
            let details = large_part.take(MOST_DETAILS);
            let details = details.map(|(id, small)| detail(log, id, small, requests));
            small_trigger(code, noun, requests).inputs(&inputs).details(details.collect())
        });
        triggers.collect()
    }

    /// P15 and P16.
    pub(super) fn small_shared_requests(
        &self,
        log: &Log,
        limits: &Thresholds,
    ) -> Result<Vec<Trigger>, Stop> {
        let Some(shared) = &self.shared else { return Ok(Vec::new()) };
        let (reads, writes) = (&shared.reads, &shared.writes);
        let inputs = [
            ("total_shared_reads", reads.count),
            ("total_shared_reads_small", reads.small),
            ("total_shared_writes", writes.count),
            ("total_shared_writes_small", writes.small),
        ];
        let rows = [
            ("P15", "reads of shared files", reads, READ),
            ("P16", "writes to shared files", writes, WRITE),
        ];
        let mut triggers = Vec::new();
        for (code, noun, requests, direction) in rows {
            if requests.count != 0 && is_small(requests, limits) {
                let details = shared_details(log, requests, &direction, limits)?;
                triggers.push(small_trigger(code, noun, requests).inputs(&inputs).details(details));
            }
        }
        Ok(triggers)
    }
}

/// The shared files with a large part of the small requests, in the order of the log. The limit of
/// a large part is known only after all records, so they are read again if a file reaches it.
fn shared_details(
    log: &Log,
    requests: &Requests,
    direction: &RequestColumns,
    limits: &Thresholds,
) -> Result<Vec<TriggerDetail>, Stop> {
    let mut details = Vec::new();
    if !is_large_part(requests.most_small, requests, limits) {
        return Ok(details);
    }
    records::for_each(log, &posix::MODULE, |record| {
        let small = direction.small(&record);
        let is_shared = record.base.rank == -1;
        if is_shared && details.len() < MOST_DETAILS && is_large_part(small, requests, limits) {
            details.push(detail(log, record.base.id, small, requests));
        }
    })?;
    Ok(details)
}

fn is_small(requests: &Requests, limits: &Thresholds) -> bool {
    ratio(requests.small, requests.count) > limits.small_requests
        && requests.small as f64 > limits.small_requests_absolute
}

/// A part of all requests, not of the small ones.
fn is_large_part(small: i64, requests: &Requests, limits: &Thresholds) -> bool {
    small as f64 > requests.count as f64 * limits.small_requests / 2.0
}

fn detail(log: &Log, id: u64, small: i64, requests: &Requests) -> TriggerDetail {
    let percent = percent(small, requests.count);
    TriggerDetail { path: records::path(log, id), count: Some(small), percent }
}

fn small_trigger(code: &'static str, noun: &str, requests: &Requests) -> Trigger {
    let part = percent(requests.small, requests.count);
    let message = format!("{} {noun} ({part:.2} %) have up to 1 MiB", requests.small);
    // The number between is that of "1MB" in the original's sentence.
    Trigger::new(code, Level::High, message).figures(&[requests.small as f64, 1.0, part])
}
