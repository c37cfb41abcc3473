//! POSIX extended regular expressions over bytes, with the matches of `regexec`.
//!
//! A pattern is compiled once into a short program. A search follows all its branches at the same
//! time, so it takes at most as many steps as the text has bytes times the program instructions.
//! Nothing is allocated and nothing recurses. Back references and word boundaries are rejected.

mod compile;
mod set;

use compile::Instruction;

/// The most instructions one pattern may take.
pub const MAX_PROGRAM: usize = 1024;

/// The reason why a pattern cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadPattern {
    /// Its program does not fit, or its groups are nested too deeply.
    TooLarge,
    /// A `(` or `[` is never closed.
    Open,
    /// `*`, `+`, `?` or `{` has nothing to repeat.
    Repeat,
    /// The text in `{}` is not a number of repetitions.
    Interval,
    /// The text in `[]` is invalid.
    Set,
    /// A `\` at the end, or before a character that is not supported.
    Escape,
}

impl core::fmt::Display for BadPattern {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::TooLarge => "it is too large",
            Self::Open => "a ( or [ is never closed",
            Self::Repeat => "a *, +, ? or { has nothing to repeat",
            Self::Interval => "what stands in {} is no number of repetitions",
            Self::Set => "what stands in [] makes no sense",
            Self::Escape => "a \\ stands before something that is not understood",
        })
    }
}

/// An instruction; one array holds the programs of several patterns.
pub type Code = Instruction;

/// A pattern ready to search with.
#[derive(Debug, Clone, Copy)]
pub struct Pattern<'p> {
    source: &'p [u8],
    code: &'p [Instruction],
}

impl<'p> Pattern<'p> {
    /// Compiles `source` into the start of `room`, which shrinks by the space used.
    pub fn compile(source: &'p [u8], room: &mut &'p mut [Code]) -> Result<Self, BadPattern> {
        let used = compile::compile(source, room)?;
        let (code, rest) = core::mem::take(room).split_at_mut(used);
        *room = rest;
        Ok(Self { source, code })
    }

    /// Returns true if the pattern matches anywhere in `text`.
    pub fn matches(&self, text: &[u8]) -> bool {
        let mut states = States::default();
        for at in 0..=text.len() {
            // A match may begin at every byte.
            states.add(0);
            if self.close(&mut states, at == 0, at == text.len()) {
                return true;
            }
            let Some(&byte) = text.get(at) else { break };
            states = self.step(&states, byte);
        }
        false
    }

    /// Adds all states that can be reached without reading a byte; returns true if the end is one.
    fn close(&self, states: &mut States, begin: bool, end: bool) -> bool {
        let mut todo = *states;
        while let Some(at) = todo.take() {
            let mut reach = |distance: i16| {
                let target = at.wrapping_add_signed(distance.into());
                if states.add(target) {
                    todo.add(target);
                }
            };
            match self.code.get(at) {
                None => return true,
                Some(Instruction::Begin) if begin => reach(1),
                Some(Instruction::End) if end => reach(1),
                Some(&Instruction::Jump(distance)) => reach(distance),
                Some(&Instruction::Split(distance)) => {
                    reach(1);
                    reach(distance);
                }
                Some(_) => {}
            }
        }
        false
    }

    /// The states after reading `byte`.
    fn step(&self, states: &States, byte: u8) -> States {
        let mut next = States::default();
        let mut todo = *states;
        while let Some(at) = todo.take() {
            let read = match self.code.get(at) {
                Some(Instruction::Any) => true,
                Some(&Instruction::Byte(wanted)) => byte == wanted,
                Some(&Instruction::Class(class, wanted)) => class.has(byte) == wanted,
                Some(&Instruction::Set(source)) => set::has(self.source, source.into(), byte),
                _ => false,
            };
            if read {
                next.add(at + 1);
            }
        }
        next
    }
}

const WORDS: usize = MAX_PROGRAM / 64 + 1;

/// A set of positions in a program, including its end.
#[derive(Debug, Clone, Copy, Default)]
struct States {
    bits: [u64; WORDS],
    /// No bit is set in this word or after it.
    used: usize,
}

impl States {
    /// Adds a position; returns true if it is new.
    fn add(&mut self, place: usize) -> bool {
        let (word, bit) = (place / 64, 1 << (place % 64));
        let Some(bits) = self.bits.get_mut(word) else { return false };
        let new = *bits & bit == 0;
        *bits |= bit;
        self.used = self.used.max(word + 1);
        new
    }

    fn take(&mut self) -> Option<usize> {
        while self.used > 0 {
            let word = self.used - 1;
            let bits = self.bits.get_mut(word)?;
            if *bits != 0 {
                let bit = bits.trailing_zeros();
                *bits &= *bits - 1;
                return Some(word * 64 + bit as usize);
            }
            self.used = word;
        }
        None
    }
}

#[cfg(test)]
mod tests;
