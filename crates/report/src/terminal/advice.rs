//! Advice, ready to be pasted.

use std::io::{self, Write};

use ioglass_insight::{Advice, Command, Language, Snippet};

use super::screen::{COMMAND, INDENT, LABEL, PLAIN, Screen};
use crate::text;

/// Column in which commands begin.
const TEXT: usize = INDENT + LABEL;
/// Pieces of advice on the first screen.
const SHOWN: usize = 3;
/// Lines of a snippet on the first screen.
const SHORT: usize = 3;
/// From this width on, comments stand further from commands.
const WIDE: usize = 100;

/// Writes `do this:` and the advice. The first screen has commands, a short snippet or a sentence. With
/// `-v` it has all of them and the snippet that fits the program, with `-vv` all snippets.
pub(super) fn write<W: Write>(
    screen: &mut Screen<'_, W>,
    advice: &[Advice],
    verbosity: u8,
) -> io::Result<()> {
    let mut list = AdviceList { screen, is_first: true };
    let mut room = SHOWN;
    for piece in advice {
        let short = piece.snippets.first().filter(|snippet| is_short(snippet));
        if verbosity > 0 {
            list.whole(piece, if verbosity > 1 { usize::MAX } else { 1 })?;
        } else if !piece.commands.is_empty() {
            for command in piece.commands.iter().take(room) {
                list.command(command)?;
            }
            room = room.saturating_sub(piece.commands.len());
        } else if let Some(snippet) = short.filter(|_| room > 0) {
            list.snippet(snippet)?;
            room -= 1;
        } else if room > 0 && !piece.text.is_empty() {
            list.sentence(&piece.text)?;
            room -= 1;
        }
    }
    Ok(())
}

fn is_short(snippet: &Snippet) -> bool {
    (1..=SHORT).contains(&snippet.code.lines().count())
}

/// Lines under one label.
struct AdviceList<'a, 'b, W> {
    screen: &'a mut Screen<'b, W>,
    is_first: bool,
}

impl<W: Write> AdviceList<'_, '_, W> {
    fn whole(&mut self, advice: &Advice, snippets: usize) -> io::Result<()> {
        if !advice.text.is_empty() {
            self.sentence(&advice.text)?;
        }
        for command in &advice.commands {
            self.command(command)?;
        }
        for snippet in advice.snippets.iter().filter(|s| !s.code.is_empty()).take(snippets) {
            let language = match snippet.language {
                Language::Shell => "in a shell:".to_owned(),
                language => format!("in {}:", language.title()),
            };
            self.line(PLAIN, &language, "")?;
            self.snippet(snippet)?;
        }
        if !advice.see.is_empty() {
            self.line(PLAIN, &format!("see {}", advice.see), "")?;
        }
        Ok(())
    }

    /// Writes a command on one line. A comment without room becomes shorter, or gets its own line.
    fn command(&mut self, command: &Command) -> io::Result<()> {
        let line = self.screen.text(&command.line);
        let room = self.screen.width.saturating_sub(TEXT + text::width(&line));
        let air = if self.screen.width < WIDE { 3 } else { 6 };
        for comment in [&command.comment, &command.brief] {
            if comment.is_empty() {
                continue;
            }
            let comment = format!("# {}", self.screen.text(comment));
            if let Some(gap) = room.checked_sub(text::width(&comment)).filter(|gap| *gap > 1) {
                let comment = format!("{:1$}{comment}", "", gap.min(air));
                return self.line(COMMAND, &line, &comment);
            }
        }
        self.line(COMMAND, &line, "")?;
        if command.comment.is_empty() {
            return Ok(());
        }
        for comment in self.screen.wrap(&command.comment, self.screen.room(TEXT + 2)) {
            self.line(PLAIN, &format!("# {comment}"), "")?;
        }
        Ok(())
    }

    fn snippet(&mut self, snippet: &Snippet) -> io::Result<()> {
        for line in snippet.code.lines() {
            let line = self.screen.text(line);
            self.line(COMMAND, &line, "")?;
        }
        Ok(())
    }

    /// Writes a sentence. Words in parentheses are left out if they would need a second line.
    fn sentence(&mut self, sentence: &str) -> io::Result<()> {
        let room = self.screen.room(TEXT);
        let mut lines = self.screen.wrap(sentence, room);
        if let Some(shorter) = without_aside(sentence).filter(|_| lines.len() > 1) {
            lines = self.screen.wrap(&shorter, room);
        }
        lines.iter().try_for_each(|line| self.line(PLAIN, line, ""))
    }

    fn line(&mut self, style: anstyle::Style, line: &str, rest: &str) -> io::Result<()> {
        let label = if self.is_first { "do this:" } else { "" };
        self.is_first = false;
        let label = format!("{:INDENT$}{label:<LABEL$}", "");
        self.screen.line(&[(PLAIN, &label), (style, line), (PLAIN, rest)])
    }
}

/// Returns a sentence without its first parentheses.
fn without_aside(sentence: &str) -> Option<String> {
    let (before, rest) = sentence.split_once(" (")?;
    let (_, after) = rest.split_once(')')?;
    Some(format!("{before}{after}"))
}
