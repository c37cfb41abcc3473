//! One record out of many ranks' records of the same file.
//!
//! The rules are columns of the tables in `ioglass-schema`; a [`Reduction`] can be merged with
//! another in any order, so it serves a loop over files as well as a tree of processes.

mod columns;
mod rules;
mod sparse;
mod spread;
#[cfg(test)]
mod tests;

use alloc::vec;
use alloc::vec::Vec;

use ioglass_schema::{Module, ModuleId, RecordRef, Rule};

use crate::record::RecordBuf;
pub(crate) use columns::{Columns, RankShare};
#[cfg(feature = "std")]
pub(crate) use rules::combine;
pub use rules::join;
use rules::{combined_float, combined_int, merge_top4};
use sparse::Words;
use spread::Spread;

/// The records of some ranks, on their way to becoming one.
#[derive(Debug, Clone, PartialEq)]
pub struct Reduction {
    module: &'static Module,
    id: u64,
    /// Link, counters, times, and what is behind them, as a record has them; then how times and bytes of
    /// the ranks spread. Most are zero in most records.
    words: Words,
}

/// Reduces the records of a module.
pub struct Reducer {
    module: &'static Module,
    columns: Columns,
    places: Places,
    rules: Vec<WordRule>,
    /// Tables of four: first value and first count, as indices of counters, and the width of a value.
    tables: Vec<(usize, usize, usize)>,
}

/// Where parts of a record begin among the words of a reduction.
#[derive(Debug, Clone, Copy)]
struct Places {
    ints: usize,
    floats: usize,
    behind: usize,
    words: usize,
    spreads: usize,
    end: usize,
}

/// What becomes of two words of the same place.
#[derive(Debug, Clone, Copy)]
enum WordRule {
    Int(Rule),
    Float(Rule),
    /// The incoming one replaces the old one.
    Last,
}

impl Places {
    fn of(module: &Module) -> Self {
        let ints = usize::from(module.link.is_some());
        let floats = ints + module.ints.len();
        let behind = floats + module.floats.len();
        let words = behind + 2 * module.uuids;
        let spreads = words + module.words;
        Self { ints, floats, behind, words, spreads, end: spreads + 2 * Spread::WORDS }
    }
}

impl Reducer {
    /// For records of `module`.
    pub fn of(module: &'static Module) -> Self {
        let places = Places::of(module);
        let mut rules = vec![WordRule::Last; places.ints];
        rules.extend(module.ints.iter().map(|counter| WordRule::Int(counter.rule)));
        rules.extend(module.floats.iter().map(|counter| WordRule::Float(counter.rule)));
        rules.resize(places.spreads, WordRule::Last);
        let table = |(i, counter): (usize, &ioglass_schema::Counter)| match counter.rule {
            Rule::Top4 { counts, width } => Some((i, counts, width)),
            _ => None,
        };
        let tables = module.ints.iter().enumerate().filter_map(table).collect();
        Self { module, columns: Columns::of(module), places, rules, tables }
    }

    /// A reduction of no record.
    pub fn empty(&self) -> Reduction {
        Reduction { module: self.module, id: 0, words: Words::zero(self.places.end) }
    }

    /// Begins with the record of one rank.
    pub fn begin(&self, record: RecordRef<'_>) -> Reduction {
        let mut reduction = self.empty();
        self.begin_again(record, &mut reduction);
        reduction
    }

    /// The same, in the place of another.
    pub fn begin_again(&self, record: RecordRef<'_>, into: &mut Reduction) {
        let Places { ints, floats, behind, words, spreads, end } = self.places;
        let own = RankShare::of(&self.columns, record);
        let all = into.words.all_mut();
        set(&mut all[..ints], record.link, |link| link.cast_signed());
        set(&mut all[ints..floats], record.int, |int| *int);
        set(&mut all[floats..behind], record.float, |float| float.to_bits().cast_signed());
        for (halves, uuid) in all[behind..words].as_chunks_mut::<2>().0.iter_mut().zip(record.uuids)
        {
            set(halves, uuid.as_chunks().0, |half| i64::from_le_bytes(*half));
        }
        set(&mut all[words..spreads], record.words, |word| word.cast_signed());
        for (i, counter) in self.module.floats.iter().enumerate() {
            if let Rule::Fastest { rank, bytes } | Rule::Slowest { rank, bytes } = counter.rule {
                all[ints + rank] = record.base.rank;
                all[ints + bytes] = own.bytes;
                all[floats + i] = own.time.to_bits().cast_signed();
            }
        }
        let [time, bytes] = all[spreads..end].as_chunks_mut().0 else { return };
        *time = Spread::one(own.time).words();
        *bytes = Spread::one(own.bytes as f64).words();
        into.id = record.base.id;
        into.words.mark_all(end);
    }

    /// Adds the records of other ranks. Records of another module or file are no such records, and
    /// change nothing.
    pub fn merge(&self, into: &mut Reduction, other: &Reduction) {
        let is_known = |reduction: &Reduction| reduction.module.id == self.module.id;
        if !is_known(into) || !is_known(other) || into.id != other.id {
            return;
        }
        let Places { ints, floats, spreads, end, .. } = self.places;
        let (words, theirs) = (&mut into.words, other.words.all());
        words.mark_as(&other.words);
        for (values, counts, width) in &self.tables {
            let table = &mut words.all_mut()[ints..floats];
            if merge_top4(table, &theirs[ints..floats], *values, *counts, *width) {
                words.mark(ints + values..ints + values + 4 * width);
                words.mark(ints + counts..ints + counts + 4);
            }
        }
        words.each_used(|i, words| {
            let (Some(rule), Some(new)) = (self.rules.get(i), theirs.get(i)) else { return };
            let (old, new) = (words[i], *new);
            match rule {
                WordRule::Last => words[i] = new,
                WordRule::Int(rule) => words[i] = combined_int(*rule, old, new),
                WordRule::Float(rule) => {
                    let [old, new] = [old, new].map(|word| f64::from_bits(word.cast_unsigned()));
                    let Some(value) = combined_float(*rule, old, new) else { return };
                    words[i] = value.to_bits().cast_signed();
                    // What comes with the value that has won.
                    let mut bring = |counter: usize| words[ints + counter] = theirs[ints + counter];
                    match *rule {
                        Rule::MaxWith(size) => bring(size),
                        Rule::Fastest { rank, bytes } | Rule::Slowest { rank, bytes } => {
                            bring(rank);
                            bring(bytes);
                        }
                        _ => {}
                    }
                }
            }
        });
        let own = words.all_mut()[spreads..end].as_chunks_mut().0;
        for (own, theirs) in own.iter_mut().zip(theirs[spreads..end].as_chunks().0) {
            *own = Spread::of(*own).merge(Spread::of(*theirs)).words();
        }
        words.mark(spreads..end);
    }

    /// Reads what was encoded of a record of this module off the front of `bytes`.
    pub fn decode(&self, into: &mut Reduction, bytes: &mut &[u8]) -> Option<()> {
        let (id, mut rest) = bytes.split_first_chunk()?;
        into.id = u64::from_le_bytes(*id);
        into.words.decode(&mut rest)?;
        *bytes = rest;
        Some(())
    }

    /// Takes an encoded record of this module off the front of `bytes` as it is.
    pub fn skip<'b>(&self, bytes: &mut &'b [u8]) -> Option<&'b [u8]> {
        let len =
            size_of::<u64>() + Words::encoded_len(self.places.end, bytes.get(size_of::<u64>()..)?)?;
        let (skipped, rest) = bytes.split_at_checked(len)?;
        *bytes = rest;
        Some(skipped)
    }
}

impl Reduction {
    /// Which module and file.
    pub fn key(&self) -> (ModuleId, u64) {
        (self.module.id, self.id)
    }

    /// Appends what another process needs to go on with it: the file, then words without those that are
    /// zero.
    pub fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.id.to_le_bytes());
        self.words.encode(bytes);
    }

    /// The record of all ranks.
    pub fn finish(&self) -> RecordBuf {
        let Places { ints, floats, behind, words, spreads, end } = Places::of(self.module);
        let all = self.words.all();
        let spread =
            |i| all[spreads..end].as_chunks().0.get(i).map_or(0.0, |s| Spread::of(*s).variance());
        let mut record = RecordBuf::new(self.module);
        (record.base.id, record.base.rank) = (self.id, -1);
        set(&mut record.link, &all[..ints], |word| word.cast_unsigned());
        set(&mut record.int, &all[ints..floats], |word| *word);
        set(&mut record.float, &all[floats..behind], |word| f64::from_bits(word.cast_unsigned()));
        let halves = record.uuids.iter_mut().flat_map(|uuid| uuid.as_chunks_mut().0);
        halves.zip(&all[behind..words]).for_each(|(half, word)| *half = word.to_le_bytes());
        set(&mut record.words, &all[words..spreads], |word| word.cast_unsigned());
        for (value, counter) in record.float.iter_mut().zip(self.module.floats) {
            match counter.rule {
                Rule::VarianceOfTime => *value = spread(0),
                Rule::VarianceOfBytes => *value = spread(1),
                _ => {}
            }
        }
        record
    }
}

fn set<A, B>(into: &mut [A], from: &[B], convert: impl Fn(&B) -> A) {
    into.iter_mut().zip(from).for_each(|(into, from)| *into = convert(from));
}
