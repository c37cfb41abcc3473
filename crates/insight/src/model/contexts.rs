//! I/O by the context of its calls: which regions of the program used which files.

use std::collections::HashMap;

use ioglass_log::name_path;
use ioglass_log::table::Table;

use super::believed::{MOST, add_count, believed_time};
use crate::recording::Recording;

/// An interface through which a region did I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// Descriptors.
    Posix,
    /// Streams.
    Stdio,
    /// MPI-IO.
    Mpiio,
    /// HDF5.
    Hdf5,
    /// PnetCDF.
    Pnetcdf,
}

impl Layer {
    fn of_word(word: &str) -> Option<Self> {
        Some(match word {
            "posix" => Self::Posix,
            "stdio" => Self::Stdio,
            "mpiio" => Self::Mpiio,
            "hdf5" => Self::Hdf5,
            "pnetcdf" => Self::Pnetcdf,
            _ => return None,
        })
    }
}

/// A region of the program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Region {
    /// Its name, and those of the regions around it before it. Do not trust them.
    pub path: Vec<String>,
    /// Its source file; empty if it is not known.
    pub file: String,
    /// The line there; 0 if it is not known.
    pub line: u32,
}

/// I/O of one region on one record through one layer, all ranks together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RegionUse {
    /// The record; 0 for calls on no file that is known.
    pub record: u64,
    /// The layer.
    pub layer: Layer,
    /// The place of the region among all.
    pub region: usize,
    /// Seconds in reads, writes and metadata calls.
    pub seconds: [f64; 3],
    /// Bytes read and written.
    pub bytes: [u64; 2],
}

/// The I/O of all regions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Contexts {
    /// Regions that did I/O.
    pub regions: Vec<Region>,
    /// What they did, by record, layer and region.
    pub uses: Vec<RegionUse>,
}

impl Contexts {
    pub(crate) fn of(recording: &dyn Recording) -> Self {
        recording.table("contexts").map(|text| Self::read(&text)).unwrap_or_default()
    }

    fn read(text: &str) -> Self {
        let table = Table::new(text);
        let column = |name| table.column(name);
        let (kind, record, layer) = (column("kind"), column("record"), column("layer"));
        let (path, file, line) = (column("path"), column("file"), column("line"));
        let times = ["read", "write", "metadata"].map(column);
        let bytes = ["bytes_read", "bytes_written"].map(column);
        let mut contexts = Self::default();
        let mut known: HashMap<&str, usize> = HashMap::new();
        for row in table.rows().filter(|row| row.get(kind) == Some("region")) {
            let (Some(record), Some(layer), Some(path)) =
                (row.number(record), row.get(layer).and_then(Layer::of_word), row.get(path))
            else {
                continue;
            };
            let region = *known.entry(path).or_insert_with(|| {
                contexts.regions.push(Region { path: name_path::read(path), ..Region::default() });
                contexts.regions.len() - 1
            });
            let file = row.get(file).filter(|file| *file != "-").unwrap_or_default();
            if let Some(region) = contexts.regions.get_mut(region).filter(|_| !file.is_empty()) {
                let place = (name_path::read(file).join("/"), row.number(line).unwrap_or(0));
                // Of several places in the source the first counts, in whatever order they come.
                if region.file.is_empty() || place < (region.file.clone(), region.line) {
                    (region.file, region.line) = place;
                }
            }
            let time = |column| row.number(column).map_or(0.0, believed_time);
            let count = |column| row.number(column).map_or(0, |count: u64| count.min(MOST));
            let (seconds, bytes) = (times.map(time), bytes.map(count));
            contexts.uses.push(RegionUse { record, layer, region, seconds, bytes });
        }
        let key = |one: &RegionUse| (one.record, one.layer, one.region);
        contexts.uses.sort_by_key(key);
        contexts.uses.dedup_by(|later, first| {
            let is_same = key(later) == key(first);
            if is_same {
                for (sum, part) in first.seconds.iter_mut().zip(later.seconds) {
                    *sum += part;
                }
                for (sum, part) in first.bytes.iter_mut().zip(later.bytes) {
                    add_count(sum, part);
                }
            }
            is_same
        });
        contexts
    }

    /// True if nothing is known of regions.
    pub fn is_empty(&self) -> bool {
        self.uses.is_empty()
    }

    /// The uses of a record.
    pub fn of_record(&self, record: u64) -> &[RegionUse] {
        let from = self.uses.partition_point(|one| one.record < record);
        let rest = self.uses.get(from..).unwrap_or_default();
        rest.get(..rest.partition_point(|one| one.record == record)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "rank\trecord\tlayer\tbytes_read\tbytes_written\tread\twrite\tmetadata\t\
                        kind\tline\tfile\tpath\n";

    #[test]
    fn ranks_are_added_and_paths_are_read() {
        let rows = "0\t7\tposix\t1\t2\t0.5\t0.25\t0\tregion\t9\tb.c\tmain/a\\/b\n\
                    1\t7\tposix\t1\t2\t0.5\t0.25\t1\tregion\t3\ta.c\tmain/a\\/b\n\
                    1\t7\tstdio\t0\t2\t0\t0.25\t1\tregion\t0\t-\tmain\n\
                    1\t7\tposix\t1\t2\t0.5\t0.25\t1\tline\t3\ta.c\tf\n\
                    1\tx\tposix\t1\t2\t0.5\t0.25\t1\tregion\t3\ta.c\tmain\n\
                    1\t7\tsmoke\t1\t2\t0.5\t0.25\t1\tregion\t3\ta.c\tmain\n";
        let contexts = Contexts::read(&format!("{HEAD}{rows}"));
        let region = &contexts.regions[0];
        assert_eq!(region.path, ["main", "a/b"]);
        assert_eq!((region.file.as_str(), region.line), ("a.c", 3));
        assert_eq!((contexts.regions[1].file.as_str(), contexts.regions.len()), ("", 2));
        let uses = contexts.of_record(7);
        assert_eq!((uses.len(), contexts.of_record(8).len()), (2, 0));
        assert_eq!((uses[0].seconds, uses[0].bytes), ([1.0, 0.5, 1.0], [2, 4]));
    }

    #[test]
    fn any_text_is_read_without_harm() {
        for text in ["", "\n", "kind\n\nregion\n", HEAD, "kind\trecord\tlayer\tpath\nregion\t1\t\t"]
        {
            assert!(Contexts::read(text).is_empty());
        }
        let row = "0\t1\tposix\t-1\t99999999999999999999\tNaN\tinf\t-5\tregion\t-1\t\\\t\\\n";
        let wild = Contexts::read(&format!("{HEAD}{row}"));
        assert_eq!(wild.uses[0].bytes, [0, 0]);
        assert!(wild.uses[0].seconds.iter().all(|seconds| seconds.is_finite() && *seconds >= 0.0));
    }
}
