//! Strings a text mentions: names of records, by id, and words.

use super::index::{Index, next_number, push};
use super::line::shown;
use crate::names::LONGEST;

/// Many strings, one after the other.
#[derive(Debug, Default)]
struct Arena {
    bytes: Vec<u8>,
}

/// Position of a string in an [`Arena`].
#[derive(Debug, Clone, Copy, Default)]
struct StringSpan {
    start: u32,
    len: u32,
}

impl Arena {
    fn put(&mut self, string: &[u8]) -> Result<StringSpan, String> {
        let position =
            |n: usize| u32::try_from(n).map_err(|_| "the text names over 4 GiB of files");
        let span = StringSpan { start: position(self.bytes.len())?, len: position(string.len())? };
        if self.bytes.capacity() - self.bytes.len() < string.len() {
            self.bytes.reserve_exact(self.bytes.len() / 4 + string.len() + 1024);
        }
        self.bytes.extend_from_slice(string);
        Ok(span)
    }

    fn get(&self, span: StringSpan) -> &[u8] {
        &self.bytes[span.start as usize..][..span.len as usize]
    }
}

/// Words, each stored once.
#[derive(Debug, Default)]
pub(super) struct WordTable {
    arena: Arena,
    spans: Vec<StringSpan>,
    index: Index,
}

impl WordTable {
    /// The number of a word.
    pub(super) fn intern(&mut self, word: &[u8]) -> Result<u32, String> {
        let Self { arena, spans, index } = self;
        if let Some(number) = index.find(word, |i| arena.get(spans[i]) == word) {
            return Ok(number);
        }
        let number = next_number(spans)?;
        let span = arena.put(word)?;
        push(spans, span);
        index.insert(number, |i| arena.get(spans[i]));
        Ok(number)
    }

    /// The word with this number.
    pub(super) fn get(&self, number: u64) -> &[u8] {
        let span = usize::try_from(number).ok().and_then(|number| self.spans.get(number));
        self.arena.get(span.copied().unwrap_or_default())
    }
}

/// Names of records: of each id the first that is not empty.
#[derive(Debug, Default)]
pub(super) struct NameTable {
    arena: Arena,
    names: Vec<(u64, StringSpan)>,
    index: Index,
    /// The id of the line before, which has its name: most lines repeat it.
    last: Option<u64>,
}

impl NameTable {
    pub(super) fn add(&mut self, id: u64, name: &[u8]) -> Result<(), String> {
        if self.last == Some(id) {
            return Ok(());
        }
        if name.len() > LONGEST {
            return Err(format!("the name {} is longer than {LONGEST} bytes", shown(name)));
        }
        self.last = Some(id).filter(|_| !name.is_empty());
        let Self { arena, names, index, .. } = self;
        if let Some(number) = index.find(id, |i| names[i].0 == id) {
            let span = &mut names[number as usize].1;
            if span.len == 0 && !name.is_empty() {
                *span = arena.put(name)?;
            }
            return Ok(());
        }
        let number = next_number(names)?;
        let span = arena.put(name)?;
        push(names, (id, span));
        index.insert(number, |i| names[i].0);
        Ok(())
    }

    /// Ids and names, in the order of the text.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.names.iter().map(|(id, span)| (*id, self.arena.get(*span)))
    }
}
