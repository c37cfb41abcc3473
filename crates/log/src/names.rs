//! Names of records, by id.

use std::borrow::Cow;
use std::ffi::CStr;

use crate::bytes::Order;
use crate::decode::Cursor;
use crate::error::{Damage, Error};
use crate::header::Version;
use crate::log_region::LogRegionReader;

/// The names of a log's records.
#[derive(Debug, Default)]
pub struct Names {
    /// All names, one after the other.
    bytes: Vec<u8>,
    /// Sorted by id; the first name of an id that is not empty.
    entries: Vec<NameEntry>,
    /// Positions in `entries`, in the order of the log.
    order: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct NameEntry {
    id: u64,
    start: u32,
    len: u32,
}

/// A name this long is not a path.
pub(crate) const LONGEST: usize = 64 << 10;

impl Names {
    /// The name of record `id`; `None` if the log does not know the id.
    pub fn get(&self, id: u64) -> Option<&[u8]> {
        let index = self.entries.binary_search_by_key(&id, |entry| entry.id).ok()?;
        Some(self.name(self.entries[index]))
    }

    /// The name of record `id` for people, or its number.
    pub fn lookup(&self, id: u64) -> Cow<'_, str> {
        match self.get(id) {
            Some(name) if !name.is_empty() => String::from_utf8_lossy(name),
            _ => Cow::Owned(format!("record {id}")),
        }
    }

    /// Number of ids that have a name.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if there are no names at all.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All ids with their names, in the order of the log.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.order.iter().map(|index| {
            let entry = self.entries[*index as usize];
            (entry.id, self.name(entry))
        })
    }

    fn name(&self, entry: NameEntry) -> &[u8] {
        &self.bytes[entry.start as usize..][..entry.len as usize]
    }

    /// Reads the table, as far as it is sound and fits in `budget` bytes of memory.
    pub(crate) fn read(
        mut log_region: LogRegionReader<'_>,
        version: Version,
        order: Order,
        budget: u64,
    ) -> (Self, Option<Error>) {
        let mut names = Self::default();
        let mut found = Vec::new();
        let problem = names.read_entries(&mut found, &mut log_region, version, order, budget).err();
        names.index(found);
        (names, problem)
    }

    fn read_entries(
        &mut self,
        found: &mut Vec<NameEntry>,
        log_region: &mut LogRegionReader<'_>,
        version: Version,
        order: Order,
        budget: u64,
    ) -> Result<(), Error> {
        let length_prefixed = version < Version { major: 3, minor: 10 };
        loop {
            let head = if length_prefixed { 12 } else { 8 };
            let Some(bytes) = log_region.record(head)? else {
                return Ok(());
            };
            let mut cursor = Cursor::new(bytes, order);
            let id = cursor.u64();
            let len = cursor.u32() as usize;
            let start = self.bytes.len();
            if length_prefixed {
                if len > LONGEST {
                    return Err(log_region.corrupt(Damage::ClaimedName(len)));
                }
                self.bytes.extend_from_slice(log_region.rest_of_record(len as u64, "name")?);
            } else {
                self.read_terminated(log_region)?;
            }
            // The index takes up to 24 bytes an entry, and tables grow by doubling.
            let used = 2 * (self.bytes.len() + 24 * (found.len() + 1)) as u64;
            if used > budget || u32::try_from(self.bytes.len()).is_err() {
                let kept = found.len();
                return Err(log_region.corrupt(Damage::ManyNames { kept }));
            }
            let len = (self.bytes.len() - start) as u32;
            // Gives empty names a place of their own, too: places tell the order.
            self.bytes.push(0);
            found.push(NameEntry { id, start: start as u32, len });
        }
    }

    /// Appends the bytes up to the next NUL.
    fn read_terminated(&mut self, log_region: &mut LogRegionReader<'_>) -> Result<(), Error> {
        let start = self.bytes.len();
        loop {
            let window = log_region.window()?;
            if window.is_empty() {
                self.bytes.truncate(start);
                return Err(log_region.corrupt(Damage::ShortName));
            }
            let end = CStr::from_bytes_until_nul(window).ok().map(CStr::count_bytes);
            let part = end.unwrap_or(window.len());
            self.bytes.extend_from_slice(&window[..part]);
            log_region.take(part + usize::from(end.is_some()));
            if self.bytes.len() - start > LONGEST {
                self.bytes.truncate(start);
                return Err(log_region.corrupt(Damage::LongName(LONGEST)));
            }
            if end.is_some() {
                return Ok(());
            }
        }
    }

    /// Makes the table of the entries that were found.
    fn index(&mut self, mut found: Vec<NameEntry>) {
        // The first name of an id comes first; empty ones go last.
        found.sort_unstable_by_key(|entry| (entry.id, entry.len == 0, entry.start));
        found.dedup_by_key(|entry| entry.id);
        let mut order: Vec<u32> = (0..found.len() as u32).collect();
        order.sort_unstable_by_key(|index| found[*index as usize].start);
        self.entries = found;
        self.order = order;
    }
}

impl<N: AsRef<[u8]>> FromIterator<(u64, N)> for Names {
    /// Collects ids and their names. Names beyond 4 GiB are left out.
    fn from_iter<T: IntoIterator<Item = (u64, N)>>(names: T) -> Self {
        let mut table = Self::default();
        let mut entries = Vec::new();
        for (id, name) in names {
            let name = name.as_ref();
            let start = table.bytes.len();
            if u32::try_from(start + name.len()).is_err() {
                break;
            }
            table.bytes.extend_from_slice(name);
            // The position of a name tells its order, so an empty one needs a position as well.
            table.bytes.push(0);
            entries.push(NameEntry { id, start: start as u32, len: name.len() as u32 });
        }
        table.index(entries);
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collected_names_keep_their_order_and_the_first_name_of_an_id() {
        let names: Names =
            [(9, "/b"), (3, ""), (9, "/c"), (1, "/a"), (3, "/d")].into_iter().collect();
        let all: Vec<(u64, &[u8])> = names.iter().collect();
        assert_eq!(all, [(9, &b"/b"[..]), (1, b"/a"), (3, b"/d")]);
        assert_eq!((names.get(3), names.get(2)), (Some(&b"/d"[..]), None));
    }
}
