//! The regions of the program that a finding's seconds were spent in.
//!
//! A finding has seconds on records. The log tells which part of a record's time each region has
//! spent. So each region has a part of the finding's seconds; what was spent in no region, or is
//! not told, is nobody's.

use std::collections::HashMap;

use ioglass_log::record_id;

use crate::detect::{Pool, Sources};
use crate::finding::{Finding, RegionShare};
use crate::model::{Direction, File, Layer, RegionUse, Run, Usage};

/// Regions that a finding names at most.
const MOST: usize = 32;

/// Seconds in reads, writes and metadata calls that count: 1 or 0 for each.
type Kinds = [f64; 3];

const DATA: Kinds = [1.0, 1.0, 0.0];
const ALL: Kinds = [1.0; 3];

/// What is known of the regions of a run.
pub(crate) struct Regions<'r> {
    run: &'r Run,
    /// Places of files by record.
    files: HashMap<u64, usize>,
    /// Seconds of metadata calls that no counter has, by the record of their directory.
    directories: HashMap<u64, f64>,
}

impl<'r> Regions<'r> {
    /// `None` if the run has no regions.
    pub(crate) fn of(run: &'r Run) -> Option<Self> {
        if run.contexts.is_empty() {
            return None;
        }
        let mut directories = HashMap::new();
        for calls in run.metadata.iter().filter(|calls| !calls.directory.is_empty()) {
            let id = record_id(calls.directory.as_bytes());
            *directories.entry(id).or_default() += calls.seconds;
        }
        let files = run.files.iter().enumerate().map(|(place, file)| (file.id, place)).collect();
        Some(Self { run, files, directories })
    }

    /// Tells the regions of a finding whose seconds are of this kind and on these records.
    pub(crate) fn tell(&self, finding: &mut Finding, pool: Pool, sources: &Sources) {
        let contexts = &self.run.contexts;
        let mut sums = vec![(0.0, 0); contexts.regions.len()];
        if sources.is_empty() && finding.seconds_at_stake > 0.0 {
            self.of_run(pool, &mut sums);
        } else {
            self.of_records(pool, finding.shows.is_asked, sources, &mut sums);
        }
        let shares = contexts.regions.iter().zip(sums).map(|(region, (share, bytes))| {
            let seconds = share * finding.seconds_at_stake;
            RegionShare { region: region.clone(), seconds, bytes, share }
        });
        let mut list: Vec<RegionShare> = shares.filter(|one| one.share > 0.0).collect();
        list.sort_by(|a, b| {
            b.share.total_cmp(&a.share).then_with(|| a.region.path.cmp(&b.region.path))
        });
        list.truncate(MOST);
        finding.regions = list;
    }

    /// The part of each region, if the seconds are on certain records.
    fn of_records(&self, pool: Pool, asked: bool, sources: &Sources, sums: &mut [(f64, u64)]) {
        let uses = |id: u64, layers: [Option<Layer>; 2]| {
            let uses = self.run.contexts.of_record(id).iter();
            uses.filter(move |one| layers.contains(&Some(one.layer)))
        };
        let known = sources.parts.iter().map(|(id, seconds)| {
            let (layers, time) = self.used(*id, pool, asked);
            let in_regions: f64 = uses(*id, layers).map(|one| spent(one, kinds(pool))).sum();
            // Both are sums of rounded numbers.
            (*id, layers, *seconds, time.max(in_regions))
        });
        let known: Vec<_> = known.collect();
        // Without seconds records count by their own time.
        let is_weighted = sources.seconds > 0.0;
        let weight = |seconds: f64, time: f64| if is_weighted { seconds } else { time };
        let all = match is_weighted {
            true => sources.seconds,
            false => known.iter().map(|(.., time)| *time).sum(),
        };
        for (id, layers, seconds, time) in known.into_iter().filter(|(.., time)| *time > 0.0) {
            for one in uses(id, layers) {
                let share = weight(seconds, time) / all * (spent(one, kinds(pool)) / time);
                add(sums, one, share, pool);
            }
        }
    }

    /// The layers in which a finding looks at a record, and the record's seconds there.
    fn used(&self, id: u64, pool: Pool, asked: bool) -> ([Option<Layer>; 2], f64) {
        let time = |usage: &Usage| spent_in(usage, kinds(pool));
        let file = self.files.get(&id).map(|place| &self.run.files[*place]);
        let of = |layer: Layer| {
            let usage = file.and_then(|file| usage_of(file, layer));
            usage.map(time).filter(|time| *time > 0.0)
        };
        let both = |a: Layer, b: Layer| {
            let elsewhere = self.directories.get(&id).copied().unwrap_or(0.0);
            let time = of(a).unwrap_or(0.0) + of(b).unwrap_or(0.0) + elsewhere;
            ([Some(a), Some(b)], time)
        };
        let first = |layers: [Layer; 3]| {
            let found = layers.into_iter().find_map(|layer| Some((layer, of(layer)?)));
            found.map_or(([None; 2], 0.0), |(layer, time)| ([Some(layer), None], time))
        };
        match pool {
            Pool::Metadata => both(Layer::Posix, Layer::Stdio),
            Pool::Text => first([Layer::Stdio, Layer::Posix, Layer::Mpiio]),
            Pool::Wait | Pool::Library => first([Layer::Mpiio, Layer::Posix, Layer::Stdio]),
            _ if asked => first([Layer::Mpiio, Layer::Posix, Layer::Stdio]),
            Pool::Read | Pool::Write | Pool::Data => {
                first([Layer::Posix, Layer::Mpiio, Layer::Stdio])
            }
        }
    }

    /// The part of each region, if the seconds are those of the whole run.
    fn of_run(&self, pool: Pool, sums: &mut [(f64, u64)]) {
        let run = self.run;
        let (layers, all): (&[Layer], f64) = match pool {
            Pool::Text => (&[Layer::Stdio], spent_in(&run.all_stdio.sum, ALL)),
            Pool::Wait => (&[Layer::Mpiio], spent_in(&run.all_mpiio.sum, ALL)),
            Pool::Library => {
                let sum = spent_in(&run.hdf5.sum, ALL) + spent_in(&run.pnetcdf.sum, ALL);
                (&[Layer::Hdf5, Layer::Pnetcdf], sum)
            }
            Pool::Read | Pool::Write | Pool::Data | Pool::Metadata => {
                let [below, streams] =
                    [&run.all_posix, &run.all_stdio].map(|it| spent_in(&it.sum, kinds(pool)));
                (&[Layer::Posix, Layer::Stdio], below + streams)
            }
        };
        let uses = run.contexts.uses.iter().filter(|one| layers.contains(&one.layer));
        let in_regions: f64 = uses.clone().map(|one| spent(one, kinds(pool))).sum();
        let all = all.max(in_regions);
        if all > 0.0 {
            uses.for_each(|one| add(sums, one, spent(one, kinds(pool)) / all, pool));
        }
    }
}

fn kinds(pool: Pool) -> Kinds {
    match pool {
        Pool::Read => [1.0, 0.0, 0.0],
        Pool::Write => [0.0, 1.0, 0.0],
        Pool::Data => DATA,
        Pool::Metadata => [0.0, 0.0, 1.0],
        Pool::Wait | Pool::Text | Pool::Library => ALL,
    }
}

fn spent(one: &RegionUse, kinds: Kinds) -> f64 {
    one.seconds.iter().zip(kinds).map(|(seconds, counts)| seconds * counts).sum()
}

fn spent_in(usage: &Usage, kinds: Kinds) -> f64 {
    let [read, write] = Direction::BOTH.map(|way| usage.way(way).time);
    read * kinds[0] + write * kinds[1] + usage.meta_time * kinds[2]
}

fn usage_of(file: &File, layer: Layer) -> Option<&Usage> {
    match layer {
        Layer::Posix => file.posix.as_deref(),
        Layer::Stdio => file.stdio.as_deref(),
        Layer::Mpiio => file.mpiio.as_deref(),
        Layer::Hdf5 => file.h5f.as_deref(),
        Layer::Pnetcdf => file.pnetcdf.as_deref(),
    }
}

fn add(sums: &mut [(f64, u64)], one: &RegionUse, share: f64, pool: Pool) {
    let bytes = match pool {
        Pool::Read => one.bytes[0],
        Pool::Write => one.bytes[1],
        _ => one.bytes[0].saturating_add(one.bytes[1]),
    };
    if let Some((sum, moved)) = sums.get_mut(one.region) {
        *sum += share;
        *moved = moved.saturating_add(bytes);
    }
}

#[cfg(test)]
mod tests {
    use ioglass_log::posix::{self, Posix};
    use ioglass_log::{FixedRecord as _, Job, record_id};

    use crate::memory::MemoryRecording;
    use crate::threshold::Thresholds;
    use crate::{Diagnosis, Finding};

    const HEAD: &str = "rank\trecord\tlayer\tbytes_read\tbytes_written\tread\twrite\tmetadata\t\
                        kind\tline\tfile\tpath\n";

    /// A run of 100 s in which small writes to two files took 30 and 10 s, with these contexts:
    /// file, seconds in writes, bytes, path.
    fn diagnose(contexts: &[(&str, f64, u64, &str)]) -> Diagnosis {
        let mut job = Job::default();
        (job.start_sec, job.end_sec, job.nprocs) = (1_700_000_000, 1_700_000_099, 1);
        let names = ["/data/a", "/data/b"].map(|name| (record_id(name.as_bytes()), name));
        let mut run = MemoryRecording::new(job, names.into_iter().collect());
        for ((id, _), seconds) in names.into_iter().zip([30.0, 10.0]) {
            let mut record = Posix::new(id, 0);
            record.int[posix::OPENS] = 1;
            record.int[posix::WRITES] = 1_000_000;
            record.int[posix::BYTES_WRITTEN] = 64_000_000;
            record.int[posix::SIZE_WRITE_0_100] = 1_000_000;
            record.int[posix::MAX_BYTE_WRITTEN] = 63_999_999;
            (record.int[posix::ACCESS1_ACCESS], record.int[posix::ACCESS1_COUNT]) = (64, 1_000_000);
            record.float[posix::f::WRITE_TIME] = seconds;
            record.float[posix::f::META_TIME] = 5.0;
            run.add_record(&record.view());
        }
        let rows = contexts.iter().map(|(file, seconds, bytes, path)| {
            let record = if file.is_empty() { 0 } else { record_id(file.as_bytes()) };
            format!("0\t{record}\tposix\t0\t{bytes}\t0\t{seconds}\t5\tregion\t7\tapp.c\t{path}\n")
        });
        if !contexts.is_empty() {
            run.set_table("contexts", rows.fold(HEAD.to_owned(), |text, row| text + &row));
        }
        Diagnosis::of(&run, &Thresholds::default())
    }

    fn small(diagnosis: &Diagnosis) -> &Finding {
        diagnosis.findings.iter().find(|finding| finding.detector.code == "A01").unwrap()
    }

    fn told(finding: &Finding) -> Vec<(String, u64, f64)> {
        let round = |share: f64| (share * 1e6).round() / 1e6;
        let regions = finding.regions.iter();
        regions.map(|one| (one.region.path.join(" > "), one.bytes, round(one.share))).collect()
    }

    #[test]
    fn each_region_has_its_part() {
        let diagnosis = diagnose(&[
            ("/data/a", 24.0, 51_200_000, "main/dump"),
            ("/data/a", 3.0, 6_400_000, "main/init"),
            ("/data/b", 10.0, 64_000_000, "main/init"),
            ("/data/other", 99.0, 1, "main/else"),
        ]);
        let finding = small(&diagnosis);
        // The seconds of a file count as its share in the finding.
        let all: f64 = finding.files.list.iter().map(|file| file.seconds).sum();
        let part = |at: usize| finding.files.list[at].seconds / all;
        let expected = [0.8 * part(0), 0.1 * part(0) + part(1)];
        let round = |share: f64| (share * 1e6).round() / 1e6;
        assert_eq!(
            told(finding),
            [
                ("main > dump".into(), 51_200_000, round(expected[0])),
                ("main > init".into(), 70_400_000, round(expected[1])),
            ]
        );
        let first = &finding.regions[0];
        assert!((first.seconds - first.share * finding.seconds_at_stake).abs() < 1e-9);
        assert_eq!((first.region.file.as_str(), first.region.line), ("app.c", 7));
    }

    #[test]
    fn shares_are_never_more_than_the_whole() {
        // Rounded numbers, or a log that lies.
        let diagnosis = diagnose(&[("/data/a", 60.0, 1, "main/a"), ("/data/a", 60.0, 1, "main/b")]);
        for finding in &diagnosis.findings {
            let sum: f64 = finding.regions.iter().map(|one| one.share).sum();
            assert!(sum <= 1.0 + 1e-9, "{} {sum}", finding.detector.code);
        }
        let finding = small(&diagnosis);
        assert_eq!(finding.regions[0].share, finding.regions[1].share);
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        assert!(diagnose(&[]).findings.iter().all(|finding| finding.regions.is_empty()));
        // Calls on no file that is known belong to no file of a finding.
        let diagnosis = diagnose(&[("", 20.0, 1, "main/a")]);
        assert_eq!(told(small(&diagnosis)), []);
    }
}
