//! Compiles the text of a pattern into its program.
//!
//! The code of every part is contiguous, jumps by distances and ends by falling off its end, so it
//! can be moved and copied unchanged.

use super::set::{self, ByteClass};
use super::{BadPattern, MAX_PROGRAM};

/// One step of a program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Instruction {
    /// Reads any byte.
    #[default]
    Any,
    /// Reads this byte.
    Byte(u8),
    /// Reads a byte of this class, or one not of it.
    Class(ByteClass, bool),
    /// Reads a byte of the set at this offset of the pattern.
    Set(u16),
    /// Continues only at the begin of the text.
    Begin,
    /// Continues only at the end of the text.
    End,
    /// Continues at this distance.
    Jump(i16),
    /// Continues both at the next instruction and at this distance.
    Split(i16),
}

/// Maximum depth of nested groups.
const MAX_DEPTH: usize = 32;
/// Maximum number of repetitions.
const MAX_REPEAT: usize = 255;

/// A group that is being parsed, or the pattern as a whole.
#[derive(Clone, Copy, Default)]
struct Group {
    /// Begin of its code.
    begin: usize,
    /// Begin of the code of the current alternative.
    alternative: usize,
    /// The jump at the end of the last complete alternative; its distance leads back to the one
    /// before it until the group is closed.
    jump: Option<usize>,
}

/// Compiles into the start of `room`; returns the number of instructions.
pub(super) fn compile(source: &[u8], room: &mut [Instruction]) -> Result<usize, BadPattern> {
    // Sets are identified by their offset.
    if source.len() > usize::from(u16::MAX) {
        return Err(BadPattern::TooLarge);
    }
    let limit = room.len().min(MAX_PROGRAM);
    let mut compiler = Compiler {
        source,
        at: 0,
        code: Program { room: &mut room[..limit], len: 0 },
        groups: [Group::default(); MAX_DEPTH],
        depth: 0,
        atom: None,
    };
    compiler.pattern()?;
    Ok(compiler.code.len)
}

struct Compiler<'p, 'r> {
    source: &'p [u8],
    at: usize,
    code: Program<'r>,
    groups: [Group; MAX_DEPTH],
    depth: usize,
    /// Begin of the code that a `*` would repeat.
    atom: Option<usize>,
}

impl Compiler<'_, '_> {
    fn pattern(&mut self) -> Result<(), BadPattern> {
        while let Some(byte) = self.next() {
            match byte {
                b'(' => self.open_group()?,
                b')' if self.depth > 0 => self.close_group()?,
                b'|' => self.next_alternative()?,
                b'*' => self.repeat(0, None)?,
                b'+' => self.repeat(1, None)?,
                b'?' => self.repeat(0, Some(1))?,
                b'{' => self.interval()?,
                b'^' => self.anchor(Instruction::Begin)?,
                b'$' => self.anchor(Instruction::End)?,
                b'.' => self.atom(Instruction::Any)?,
                b'[' => {
                    let begin = self.at;
                    self.at = set::check(self.source, begin)?;
                    self.atom(Instruction::Set(begin as u16))?;
                }
                b'\\' => self.escape()?,
                _ => self.atom(Instruction::Byte(byte))?,
            }
        }
        if self.depth > 0 {
            return Err(BadPattern::Open);
        }
        self.end_alternatives();
        Ok(())
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.source.get(self.at).copied();
        self.at += usize::from(byte.is_some());
        byte
    }

    fn atom(&mut self, instruction: Instruction) -> Result<(), BadPattern> {
        self.atom = Some(self.code.len);
        self.code.insert(self.code.len, instruction)
    }

    /// Adds an anchor, which cannot be repeated.
    fn anchor(&mut self, instruction: Instruction) -> Result<(), BadPattern> {
        self.atom = None;
        self.code.insert(self.code.len, instruction)
    }

    fn escape(&mut self) -> Result<(), BadPattern> {
        match self.next().ok_or(BadPattern::Escape)? {
            b'w' => self.atom(Instruction::Class(ByteClass::Word, true)),
            b'W' => self.atom(Instruction::Class(ByteClass::Word, false)),
            b's' => self.atom(Instruction::Class(ByteClass::Space, true)),
            b'S' => self.atom(Instruction::Class(ByteClass::Space, false)),
            b'b' | b'B' | b'<' | b'>' | b'`' | b'\'' | b'1'..=b'9' => Err(BadPattern::Escape),
            byte => self.atom(Instruction::Byte(byte)),
        }
    }

    fn open_group(&mut self) -> Result<(), BadPattern> {
        self.depth += 1;
        let begin = self.code.len;
        let group = self.groups.get_mut(self.depth).ok_or(BadPattern::TooLarge)?;
        *group = Group { begin, alternative: begin, jump: None };
        self.atom = None;
        Ok(())
    }

    fn close_group(&mut self) -> Result<(), BadPattern> {
        self.end_alternatives();
        self.atom = Some(self.groups[self.depth].begin);
        self.depth -= 1;
        Ok(())
    }

    /// Ends an alternative with a jump behind the group, and puts a split at its begin.
    fn next_alternative(&mut self) -> Result<(), BadPattern> {
        let group = &mut self.groups[self.depth];
        let len = self.code.len - group.alternative;
        self.code.insert(group.alternative, Instruction::Split(len as i16 + 2))?;
        let jump = self.code.len;
        let back = group.jump.map_or(0, |earlier| jump - earlier);
        self.code.insert(jump, Instruction::Jump(back as i16))?;
        group.jump = Some(jump);
        group.alternative = jump + 1;
        self.atom = None;
        Ok(())
    }

    /// Directs the jumps of all alternatives behind the group.
    fn end_alternatives(&mut self) {
        let end = self.code.len;
        let mut next = self.groups[self.depth].jump;
        while let Some(jump) = next {
            let Instruction::Jump(back) = self.code.room[jump] else { return };
            self.code.room[jump] = Instruction::Jump((end - jump) as i16);
            next = if back == 0 { None } else { Some(jump - back as usize) };
        }
    }

    /// Parses `{3}`, `{3,}`, `{,3}` or `{2,5}`.
    fn interval(&mut self) -> Result<(), BadPattern> {
        let least = self.number()?;
        let most = match self.next() {
            Some(b'}') => Some(least.ok_or(BadPattern::Interval)?),
            Some(b',') => {
                let most = self.number()?;
                if self.next() != Some(b'}') || (least, most) == (None, None) {
                    return Err(BadPattern::Interval);
                }
                most
            }
            _ => return Err(BadPattern::Interval),
        };
        self.repeat(least.unwrap_or(0), most)
    }

    fn number(&mut self) -> Result<Option<usize>, BadPattern> {
        let mut number = None;
        while let Some(digit @ b'0'..=b'9') = self.source.get(self.at).copied() {
            let value = number.unwrap_or(0) * 10 + usize::from(digit - b'0');
            if value > MAX_REPEAT {
                return Err(BadPattern::Interval);
            }
            number = Some(value);
            self.at += 1;
        }
        Ok(number)
    }

    /// Repeats the last atom.
    fn repeat(&mut self, least: usize, most: Option<usize>) -> Result<(), BadPattern> {
        let begin = self.atom.ok_or(BadPattern::Repeat)?;
        let len = self.code.len - begin;
        if most.is_some_and(|most| most < least) {
            return Err(BadPattern::Interval);
        }
        // The existing atom comes last: as optional parts, as a loop, or not at all.
        for _ in 1..least {
            self.code.copy(begin, len)?;
        }
        match most {
            None if least == 0 => {
                self.code.insert(begin, Instruction::Split(len as i16 + 2))?;
                self.code.insert(self.code.len, Instruction::Jump(-(len as i16 + 1)))
            }
            None => self.code.insert(self.code.len, Instruction::Split(-(len as i16))),
            Some(0) => {
                self.code.len = begin;
                Ok(())
            }
            Some(most) => {
                let (optional, mut from) = (most - least, begin);
                if least > 0 {
                    from = self.code.len;
                    if optional > 0 {
                        self.code.copy(begin, len)?;
                    }
                }
                if optional > 0 {
                    self.code.insert(from, Instruction::Split(len as i16 + 1))?;
                    for _ in 1..optional {
                        self.code.copy(from, len + 1)?;
                    }
                }
                Ok(())
            }
        }
    }
}

struct Program<'r> {
    room: &'r mut [Instruction],
    len: usize,
}

impl Program<'_> {
    /// Inserts an instruction at `at`.
    fn insert(&mut self, at: usize, instruction: Instruction) -> Result<(), BadPattern> {
        if self.len == self.room.len() {
            return Err(BadPattern::TooLarge);
        }
        self.room.copy_within(at..self.len, at + 1);
        self.room[at] = instruction;
        self.len += 1;
        Ok(())
    }

    /// Appends a copy of `len` instructions.
    fn copy(&mut self, begin: usize, len: usize) -> Result<(), BadPattern> {
        if self.room.len() - self.len < len {
            return Err(BadPattern::TooLarge);
        }
        self.room.copy_within(begin..begin + len, self.len);
        self.len += len;
        Ok(())
    }
}
