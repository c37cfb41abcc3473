//! What a program prints: a number that is searched for, and the last lines.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use regex_lite::Regex;

use crate::failure::{Failure, Message};

/// The longest line in which a number is searched for.
const LONGEST: u64 = 1 << 20;
/// Lines of a run that failed that are kept.
const LINES: usize = 20;
/// Bytes of them at most.
const BYTES: u64 = 8 << 10;

/// A number that a program prints.
pub(super) struct Number(Regex);

impl Number {
    /// The first group of this pattern.
    pub(super) fn new(pattern: &str) -> Result<Number, Failure> {
        let regex = Regex::new(pattern).map_err(|error| {
            Failure::usage(
                Message::new(format!("output:{pattern} is no regular expression")).evidence(error),
            )
        })?;
        if regex.captures_len() < 2 {
            let message = Message::new(format!("output:{pattern} has no group around the number"));
            let help = format!("--objective 'output:{pattern} ([0-9.]+)'");
            return Err(Failure::usage(message.help(help, "for instance")));
        }
        Ok(Number(regex))
    }

    /// The number of the last match in these files.
    pub(super) fn of(&self, files: &[PathBuf]) -> Option<f64> {
        files.iter().filter_map(|file| self.of_file(file)).next()
    }

    fn of_file(&self, file: &Path) -> Option<f64> {
        let mut reader = BufReader::new(File::open(file).ok()?);
        let (mut last, mut line) = (None, Vec::new());
        loop {
            line.clear();
            let read = (&mut reader).take(LONGEST).read_until(b'\n', &mut line).ok()?;
            if read == 0 {
                return last;
            }
            let text = String::from_utf8_lossy(&line);
            let numbers = self.0.captures_iter(text.trim_end_matches(['\n', '\r']));
            let numbers = numbers.filter_map(|found| found.get(1)?.as_str().trim().parse().ok());
            last = numbers.last().or(last);
        }
    }
}

/// The last lines of a file.
pub(in super::super) fn tail(path: &Path) -> String {
    let read = || {
        let mut file = File::open(path)?;
        let end = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(end.saturating_sub(BYTES)))?;
        let mut bytes = Vec::new();
        file.take(BYTES).read_to_end(&mut bytes)?;
        std::io::Result::Ok(bytes)
    };
    let bytes = read().unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<String> = text.lines().map(ioglass_report::text::clean).collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_number_counts() {
        let file = std::env::temp_dir().join(format!("ioglass-number-{}", std::process::id()));
        std::fs::write(&file, "rate: 1.5 rate: 2\r\nrate: x\nrate: 3e2\nother\n").unwrap();
        let number = Number::new(r"rate: (\S+)").ok().unwrap();
        assert_eq!(number.of(&[PathBuf::from("/nowhere"), file.clone()]), Some(300.0));
        assert_eq!(Number::new("nothing (.)").ok().unwrap().of(std::slice::from_ref(&file)), None);
        std::fs::remove_file(file).unwrap();
        assert!(Number::new("(").is_err() && Number::new("no group").is_err());
    }

    #[test]
    fn the_last_lines_are_clean() {
        let file = std::env::temp_dir().join(format!("ioglass-tail-{}", std::process::id()));
        let lines: Vec<String> = (0..2000).map(|n| format!("line {n}\x1b[31m")).collect();
        std::fs::write(&file, lines.join("\n")).unwrap();
        let text = tail(&file);
        std::fs::remove_file(file).unwrap();
        assert_eq!(text.lines().count(), LINES);
        assert!(text.ends_with("line 1999[31m") || !text.contains('\x1b'), "{text}");
    }
}
