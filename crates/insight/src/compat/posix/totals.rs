//! Triggers about sums over all records: P01 to P04, P07 to P14 and P17.

use super::{Posix, Requests};
use crate::Level;
use crate::compat::Trigger;
use crate::compat::number::{distance, percent, ratio};
use crate::threshold::Thresholds;

impl Posix {
    /// P01 to P04: more of one direction than of the other.
    pub(super) fn balance(&self, limits: &Thresholds) -> impl Iterator<Item = Trigger> {
        let (reads, writes) = (self.all.reads.count, self.all.writes.count);
        let total = writes.wrapping_add(reads);
        let inputs =
            [("total_operations", total), ("total_reads", reads), ("total_writes", writes)];
        let requests = (total != 0).then(|| {
            outweighed(["P01", "P02"], "requests", [writes, reads], total, limits, &inputs)
        });
        let (reads, writes) = (self.all.reads.bytes, self.all.writes.bytes);
        let total = self.bytes();
        let inputs =
            [("total_size", total), ("total_read_size", reads), ("total_written_size", writes)];
        let bytes = outweighed(["P03", "P04"], "bytes", [writes, reads], total, limits, &inputs);
        requests.flatten().into_iter().chain(bytes)
    }

    /// P07 and P08.
    pub(super) fn misaligned(&self, limits: &Thresholds) -> impl Iterator<Item = Trigger> {
        let total = self.all.writes.count.wrapping_add(self.all.reads.count);
        let inputs = [
            ("total_operations", total),
            ("total_mem_not_aligned", self.mem_not_aligned),
            ("total_file_not_aligned", self.file_not_aligned),
        ];
        let limit = limits.misaligned_requests;
        let kinds =
            [("P07", "memory", self.mem_not_aligned), ("P08", "file", self.file_not_aligned)];
        kinds.into_iter().filter_map(move |(code, place, count)| {
            let share = percent(count, total);
            (total != 0 && ratio(count, total) > limit).then(|| {
                let message = format!("{share:.2} % of requests are not aligned in {place}");
                Trigger::new(code, Level::High, message).figures(&[share]).inputs(&inputs)
            })
        })
    }

    /// P09 and P10: an offset beyond all bytes moved, which is the opposite of what is meant.
    pub(super) fn redundant(&self) -> impl Iterator<Item = Trigger> {
        let (reads, writes) = (&self.all.reads, &self.all.writes);
        let inputs = [
            ("max_read_offset", reads.highest),
            ("total_read_size", reads.bytes),
            ("max_write_offset", writes.highest),
            ("total_written_size", writes.bytes),
        ];
        let directions = [("P09", "read", reads), ("P10", "written", writes)];
        directions.into_iter().filter(|(.., requests)| requests.highest > requests.bytes).map(
            move |(code, verb, requests)| {
                let (highest, bytes) = (requests.highest, requests.bytes);
                let message = format!("offset {highest} is beyond the {bytes} bytes {verb}");
                Trigger::new(code, Level::Warn, message).inputs(&inputs)
            },
        )
    }

    /// P11 to P14: random, or whatever is not called that.
    pub(super) fn order(&self, limits: &Thresholds) -> impl Iterator<Item = Trigger> {
        let (reads, writes) = (&self.all.reads, &self.all.writes);
        let inputs = [
            ("read_consecutive", reads.consecutive),
            ("read_sequential", reads.sequential()),
            ("read_random", reads.random()),
            ("total_reads", reads.count),
            ("write_consecutive", writes.consecutive),
            ("write_sequential", writes.sequential()),
            ("write_random", writes.random()),
            ("total_writes", writes.count),
        ];
        let (share, least) = (limits.random_operations, limits.random_operations_absolute);
        let judge = move |[random, ordered]: [&'static str; 2], noun, requests: &Requests| {
            let (count, out_of_order) = (requests.count, requests.random());
            let is_random = ratio(out_of_order, count) > share && out_of_order as f64 > least;
            if is_random {
                let part = percent(out_of_order, count);
                let message = format!("{out_of_order} {noun} ({part:.2} %) are random");
                Trigger::new(random, Level::High, message).figures(&[out_of_order as f64, part])
            } else {
                let next = percent(requests.consecutive, count);
                let gap = percent(requests.sequential(), count);
                let message =
                    format!("{next:.2} % of {noun} are consecutive, {gap:.2} % sequential");
                Trigger::new(ordered, Level::Ok, message).figures(&[next, gap])
            }
            .inputs(&inputs)
        };
        let directions = [(["P11", "P12"], "reads", reads), (["P13", "P14"], "writes", writes)];
        let directions = directions.into_iter().filter(|(.., requests)| requests.count != 0);
        directions.map(move |(codes, noun, requests)| judge(codes, noun, requests))
    }

    /// P17.
    pub(super) fn metadata(&self, limits: &Thresholds) -> Option<Trigger> {
        let (count, limit) = (self.long_metadata, limits.metadata_time_rank);
        let message = format!("records with more than {limit} s of metadata: {count}");
        (count > 0).then(|| {
            Trigger::new("P17", Level::High, message)
                .figures(&[count as f64, limit])
                .inputs(&[("count_long_metadata", count)])
        })
    }
}

/// The trigger for more writes than reads, or its mirror image.
fn outweighed(
    codes: [&'static str; 2],
    noun: &str,
    [writes, reads]: [i64; 2],
    total: i64,
    limits: &Thresholds,
    inputs: &[(&'static str, i64)],
) -> Option<Trigger> {
    let far_apart = distance(writes, reads, total) > limits.imbalance_operations;
    if writes == reads || !far_apart {
        return None;
    }
    let code = codes[usize::from(reads > writes)];
    let (written, read) = (percent(writes, total), percent(reads, total));
    let message = format!("{written:.2} % of {noun} are written, {read:.2} % read");
    Some(Trigger::new(code, Level::Info, message).figures(&[written, read]).inputs(inputs))
}
