//! Text on its way out, through one large buffer.

use std::io::{self, Write};

use crate::error::Error;

/// Text is handed on when this much has gathered.
const FULL: usize = 64 << 10;

/// Collects text and hands it on in large pieces.
pub(super) struct Output<'w> {
    pub(super) text: Vec<u8>,
    sink: &'w mut dyn Write,
}

impl<'w> Output<'w> {
    pub(super) fn new(sink: &'w mut dyn Write) -> Self {
        Self { text: Vec::new(), sink }
    }

    pub(super) fn put(&mut self, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
    }

    pub(super) fn line(&mut self, line: &str) {
        self.put(line.as_bytes());
        self.put(b"\n");
    }

    /// A title with a line of dots under it, as a comment.
    pub(super) fn heading(&mut self, title: &str) {
        self.line("");
        self.line(&format!("# {title}"));
        self.line(&format!("# {}", ".".repeat(title.chars().count())));
    }

    /// Hands text on if enough has gathered.
    pub(super) fn breathe(&mut self) -> io::Result<()> {
        if self.text.len() >= FULL {
            self.flush()?;
        }
        Ok(())
    }

    /// Hands on all text.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.sink.write_all(&self.text)?;
        self.text.clear();
        Ok(())
    }
}

/// The reason why printing a part of a log ended early.
#[derive(Debug)]
pub enum Stop {
    /// The text could not be handed on, so there is no use in going on.
    Output(io::Error),
    /// The part is damaged; others may be sound.
    Log(Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Log(error)
    }
}
