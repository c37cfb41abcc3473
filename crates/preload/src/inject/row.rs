//! What became of settings, as rows in the capture.

use core::fmt::{self, Write};

use ioglass_param::State;
use ioglass_recorder::setting;

use super::plan::Chosen;

/// A short text that is put together without allocation; what does not fit is left out.
pub(super) struct Words<const ROOM: usize> {
    bytes: [u8; ROOM],
    length: usize,
}

/// The text of a value.
pub(super) type ValueText = Words<1056>;

impl<const ROOM: usize> Words<ROOM> {
    pub(super) const fn new() -> Self {
        Self { bytes: [0; ROOM], length: 0 }
    }

    /// The text that a value prints.
    pub(super) fn of(value: impl fmt::Display) -> Self {
        let mut words = Self::new();
        let _ = write!(words, "{value}");
        words
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        let length = bytes.len().min(ROOM - self.length);
        self.bytes[self.length..][..length].copy_from_slice(&bytes[..length]);
        self.length += length;
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl<const ROOM: usize> Write for Words<ROOM> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text.as_bytes());
        Ok(())
    }
}

/// A file, or a variable in it.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) file: &'a [u8],
    pub(super) variable: &'a [u8],
}

/// What became of a setting at a place; empty is not known.
#[derive(Clone, Copy)]
pub(super) struct Outcome<'a> {
    pub(super) state: State,
    /// What the program had asked for.
    pub(super) was: &'a [u8],
    /// What the stack says.
    pub(super) effective: &'a [u8],
    /// The call by which it says so.
    pub(super) by: &'a str,
    pub(super) reason: &'a str,
}

impl<'a> Outcome<'a> {
    /// It has no use here.
    pub(super) const fn not_applicable(reason: &'a str) -> Self {
        Self { state: State::NotApplicable, was: b"", effective: b"", by: "", reason }
    }

    /// The stack was asked and says `effective`, which is `wanted` if it was applied.
    pub(super) fn asked(was: &'a [u8], effective: &'a [u8], wanted: &[u8], by: &'a str) -> Self {
        let state = if effective == wanted { State::Applied } else { State::Changed };
        Self { state, was, effective, by, reason: "" }
    }
}

/// Notes what became of a setting.
pub(super) fn note(chosen: &Chosen, place: Place<'_>, outcome: Outcome<'_>) {
    if setting::is_wanted() && !setting::note(text_of(chosen, place, outcome).bytes()) {
        let others = Place { file: b"", variable: b"" };
        setting::note_others(text_of(chosen, others, outcome).bytes());
    }
}

/// The row as text.
fn text_of(chosen: &Chosen, place: Place<'_>, outcome: Outcome<'_>) -> Words<6000> {
    let scope = &chosen.rule.scope;
    let text = |pattern: Option<&'static str>| pattern.unwrap_or_default().as_bytes();
    let mut row = Words::<6000>::new();
    let fields = [
        chosen.setting.name.as_bytes(),
        chosen.setting.value.as_bytes(),
        text(scope.file),
        text(scope.variable),
        text(scope.program),
        place.file,
        place.variable,
        outcome.was,
        outcome.effective,
        outcome.by.as_bytes(),
        outcome.state.name().as_bytes(),
        outcome.reason.as_bytes(),
    ];
    for (number, field) in fields.into_iter().enumerate() {
        if number > 0 {
            row.push(b"\t");
        }
        for byte in field {
            // Columns are separated by control bytes.
            row.push(&[if byte.is_ascii_control() { b' ' } else { *byte }]);
        }
    }
    row
}
