//! Files by what was done to them and by how many.

use ioglass_schema::{Module, RecordRef};

use super::moved;
use crate::reduce::Landmarks;

/// Files of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileGroup {
    /// Number of files.
    pub count: i64,
    /// Bytes read and written.
    pub bytes: i64,
    /// Highest offset in any of them; −1 if the module does not know.
    pub max_offset: i64,
}

/// Files by what was done to them and by how many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileGroups {
    /// All.
    pub total: FileGroup,
    /// Only read.
    pub read_only: FileGroup,
    /// Only written.
    pub write_only: FileGroup,
    /// Read and written.
    pub read_write: FileGroup,
    /// Used by one rank.
    pub unique: FileGroup,
    /// Used by several ranks or all.
    pub shared: FileGroup,
}

impl FileGroups {
    /// The groups with the names tools print.
    pub fn named(&self) -> [(&'static str, FileGroup); 6] {
        [
            ("total", self.total),
            ("read_only", self.read_only),
            ("write_only", self.write_only),
            ("read_write", self.read_write),
            ("unique", self.unique),
            ("shared", self.shared),
        ]
    }
}

/// Collects what [`FileGroups`] are computed from: records with one id are one file.
#[derive(Debug, Clone)]
pub(super) struct FilesBuilder {
    landmarks: Landmarks,
    files: Vec<FileUse>,
    /// Files when they were last made distinct; they are again at twice that many.
    distinct: usize,
}

#[derive(Debug, Clone, Copy)]
struct FileUse {
    id: u64,
    read: i64,
    written: i64,
    max_offset: i64,
    /// Ranks, or −1 for all.
    ranks: i64,
}

impl FilesBuilder {
    /// No records yet.
    pub(super) fn new(module: &Module) -> Self {
        Self { landmarks: Landmarks::of(module), files: Vec::new(), distinct: 1 << 9 }
    }

    /// Adds a record.
    pub(super) fn add(&mut self, record: RecordRef<'_>) {
        let (read, written) = moved(&self.landmarks, record);
        let offset = |index: Option<usize>| index.map_or(-1, |i| record.int[i]);
        let reaches =
            offset(self.landmarks.max_byte_read).max(offset(self.landmarks.max_byte_written));
        self.files.push(FileUse {
            id: record.base.id,
            read,
            written,
            max_offset: reaches,
            ranks: if record.base.rank < 0 { -1 } else { 1 },
        });
        if self.files.len() >= 2 * self.distinct {
            self.merge();
            self.distinct = self.distinct.max(self.files.len());
            self.files.reserve_exact(2 * self.distinct - self.files.len());
        }
    }

    /// Bytes of memory in use, at most: twice the distinct files, and half of that to sort them.
    pub(super) fn memory(&self) -> u64 {
        3 * (self.distinct * size_of::<FileUse>()) as u64
    }

    fn merge(&mut self) {
        self.files.sort_by_key(|file| file.id);
        self.files.dedup_by(|next, file| {
            if next.id != file.id {
                return false;
            }
            file.read = file.read.wrapping_add(next.read);
            file.written = file.written.wrapping_add(next.written);
            // As the reference: once unknown, a later known offset counts again.
            file.max_offset =
                if next.max_offset == -1 { -1 } else { file.max_offset.max(next.max_offset) };
            file.ranks = match next.ranks {
                -1 => -1,
                ranks => file.ranks + ranks,
            };
            true
        });
    }

    /// The groups.
    pub(super) fn finish(&mut self) -> FileGroups {
        self.merge();
        let mut groups = FileGroups::default();
        let mut partly_shared = FileGroup::default();
        for file in &self.files {
            let (mut kind, mut sharing) = (None, &mut partly_shared);
            match (file.read > 0, file.written > 0) {
                (true, _) if file.written == 0 => kind = Some(&mut groups.read_only),
                (_, true) if file.read == 0 => kind = Some(&mut groups.write_only),
                (true, true) => kind = Some(&mut groups.read_write),
                _ => {}
            }
            match file.ranks {
                1 => sharing = &mut groups.unique,
                -1 => sharing = &mut groups.shared,
                _ => {}
            }
            sharing.add(file);
            if let Some(kind) = kind {
                kind.add(file);
            }
            groups.total.add(file);
        }
        groups.shared.count += partly_shared.count;
        groups.shared.bytes = groups.shared.bytes.wrapping_add(partly_shared.bytes);
        // The reference adds the two maxima, and its users compare with what it prints.
        groups.shared.max_offset = groups.shared.max_offset.wrapping_add(partly_shared.max_offset);
        groups
    }
}

impl FileGroup {
    fn add(&mut self, file: &FileUse) {
        self.count += 1;
        self.bytes = self.bytes.wrapping_add(file.read.wrapping_add(file.written));
        self.max_offset =
            if file.max_offset == -1 { -1 } else { self.max_offset.max(file.max_offset) };
    }
}
