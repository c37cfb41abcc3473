//! Paths of names in one column of a table: names joined by `/`.
//!
//! A name may have any bytes. A slash, a backslash, a tab and the ends of lines are written with a
//! backslash before them, and bytes that are no UTF-8 as U+FFFD.
//!
//! ```
//! use ioglass_log::name_path;
//!
//! let mut text = String::new();
//! name_path::write(&mut text, b"main")?;
//! text.push(name_path::SEPARATOR);
//! name_path::write(&mut text, b"read\t1/2")?;
//! assert_eq!(text, r"main/read\t1\/2");
//! assert_eq!(name_path::read(&text), ["main", "read\t1/2"]);
//! # Ok::<(), std::fmt::Error>(())
//! ```

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{Result, Write};

/// Stands between two names.
pub const SEPARATOR: char = '/';

/// Letters that are written with a backslash, and what is written then.
const ESCAPED: [(char, char); 5] =
    [(SEPARATOR, SEPARATOR), ('\\', '\\'), ('\t', 't'), ('\n', 'n'), ('\r', 'r')];

/// Writes one name.
pub fn write(out: &mut impl Write, name: &[u8]) -> Result {
    for chunk in name.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match ESCAPED.iter().find(|(escaped, _)| *escaped == letter) {
                Some((_, word)) => {
                    out.write_char('\\')?;
                    out.write_char(*word)?;
                }
                None => out.write_char(letter)?,
            }
        }
        if !chunk.invalid().is_empty() {
            out.write_char(char::REPLACEMENT_CHARACTER)?;
        }
    }
    Ok(())
}

/// The names of a path. Any text is one.
pub fn read(text: &str) -> Vec<String> {
    let (mut names, mut name) = (Vec::new(), String::new());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            SEPARATOR => names.push(core::mem::take(&mut name)),
            '\\' => {
                let word = letters.next().unwrap_or('\\');
                let known = ESCAPED.iter().find(|(_, known)| *known == word);
                name.push(known.map_or(word, |(escaped, _)| *escaped));
            }
            letter => name.push(letter),
        }
    }
    names.push(name);
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        let names = ["main", "a/b", "\\", "\t\r\n", "Größe > |", "t", ""];
        let mut text = String::new();
        for (at, name) in names.iter().enumerate() {
            if at > 0 {
                text.push(SEPARATOR);
            }
            write(&mut text, name.as_bytes()).unwrap();
        }
        assert!(!text.contains(['\t', '\n', '\r']));
        assert_eq!(read(&text), names);
        let mut text = String::new();
        write(&mut text, b"a\xFFb").unwrap();
        assert_eq!(read(&text), ["a\u{FFFD}b"]);
        assert_eq!(read("a\\"), ["a\\"]);
    }
}
