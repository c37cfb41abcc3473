//! Text for the terminal: measured in columns, shortened, wrapped, and without control characters.

use jiff::{Timestamp, fmt::strtime, tz::TimeZone};
use unicode_width::UnicodeWidthChar;

/// Combining marks kept on one letter; more would pile up without taking a column.
const MARKS: usize = 2;

/// Returns the number of columns that clean text takes.
pub fn width(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// Returns the text on one line, without characters that control the terminal or reverse the direction
/// of text. Names in a log are not to be trusted.
pub fn clean(text: &str) -> String {
    let mut marks = 0;
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        if is_harmful(c) {
            clean.push('\u{FFFD}');
            continue;
        }
        marks = if c.width() == Some(0) { marks + 1 } else { 0 };
        // A mark with nothing before it would sit on what we wrote.
        if marks == 0 || (marks <= MARKS && !clean.is_empty()) {
            clean.push(c);
        }
    }
    clean
}

/// Returns true for controls, line separators, marks of direction and invisible characters.
pub(crate) fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
            | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Formats a time in UTC.
pub fn date(second: i64, format: &str) -> String {
    let timestamp = Timestamp::from_second(second).ok();
    let zoned = timestamp.map(|timestamp| timestamp.to_zoned(TimeZone::UTC));
    zoned.and_then(|zoned| strtime::format(format, &zoned).ok()).unwrap_or_else(|| "?".into())
}

/// Cleans text, and cuts out the middle if it is longer than `room` columns.
pub fn shorten(text: &str, room: usize) -> String {
    let text = clean(text);
    if width(&text) <= room {
        return text;
    }
    let room = room.saturating_sub(1);
    let head = prefix(text.chars(), room * 2 / 3);
    let tail = prefix(text.chars().rev(), room - room * 2 / 3);
    head.into_iter().chain(['…']).chain(tail.into_iter().rev()).collect()
}

/// Returns the first letters that fit.
fn prefix(letters: impl Iterator<Item = char>, room: usize) -> Vec<char> {
    let mut used = 0;
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used <= room
    };
    letters.take_while(fits).collect()
}

/// Cleans a path, and cuts off its first directories if it is too long: the last parts say most.
pub fn shorten_path(path: &str, room: usize) -> String {
    let path = clean(path);
    if width(&path) <= room {
        return path;
    }
    let fits = |(at, _): &(usize, &str)| width(&path[*at..]) < room;
    match path.match_indices('/').find(fits) {
        Some((at, _)) => format!("…{}", &path[at..]),
        None => shorten(path.rsplit('/').next().unwrap_or(&path), room),
    }
}

/// Returns the last parts of a path, after an ellipsis.
pub fn last_parts(path: &str, parts: usize) -> String {
    match path.trim_end_matches('/').rmatch_indices('/').nth(parts.saturating_sub(1)) {
        Some((at, _)) if at > 0 => format!("…{}", &path[at..]),
        _ => path.into(),
    }
}

/// Returns the names of a region's path without the outermost, which is in nearly all paths.
pub fn region_path(names: &[String]) -> String {
    inner(names).join(" › ")
}

fn inner(names: &[String]) -> &[String] {
    if names.len() > 1 { &names[1..] } else { names }
}

/// The same, with the middle of its longest name cut out if it is longer than `room` columns.
pub fn shorten_region(names: &[String], room: usize) -> String {
    let whole = clean(&region_path(names));
    let excess = width(&whole).saturating_sub(room);
    if excess == 0 {
        return whole;
    }
    let mut names: Vec<String> = inner(names).iter().map(|name| clean(name)).collect();
    if let Some(longest) = names.iter_mut().rev().max_by_key(|name| width(name))
        && width(longest) >= excess + SHORTEST
    {
        *longest = shorten(longest, width(longest) - excess);
    }
    shorten(&names.join(" › "), room)
}

/// Columns of a name that is cut, at least.
const SHORTEST: usize = 5;

/// Quotes a word for a shell.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.into()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Breaks text into lines at blanks. A number stays with its unit. A word that is too long for a line
/// loses its middle.
pub fn wrap(text: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in words(text) {
        let word = shorten(word, room.max(2));
        let columns = width(&word);
        match lines.last_mut() {
            Some(line) if line.is_empty() => {
                line.push_str(&word);
                used = columns;
            }
            Some(line) if used + 1 + columns <= room => {
                line.push(' ');
                line.push_str(&word);
                used += 1 + columns;
            }
            last => {
                last.into_iter().for_each(|line| line.truncate(line.trim_end().len()));
                lines.push(word);
                used = columns;
            }
        }
    }
    lines
}

/// Splits text into pieces that stay together: words, and numbers with their units.
fn words(mut text: &str) -> impl Iterator<Item = &str> {
    let mut is_done = false;
    std::iter::from_fn(move || {
        if is_done {
            return None;
        }
        let mut end = text.find(' ').unwrap_or(text.len());
        let is_number = text[..end].ends_with(|c: char| c.is_ascii_digit());
        if is_number && text.len() > end {
            let next = &text[end + 1..];
            let next = &next[..next.find(' ').unwrap_or(next.len())];
            if is_unit(next.trim_end_matches([',', '.', ';', ':', ')'])) {
                end += 1 + next.len();
            }
        }
        let word = &text[..end];
        match text.get(end + 1..) {
            Some(rest) => text = rest,
            None => is_done = true,
        }
        Some(word)
    })
}

fn is_unit(word: &str) -> bool {
    let word = word.strip_suffix("/s").unwrap_or(word);
    matches!(word, "s" | "ms" | "h" | "m" | "%" | "B" | "KiB" | "MiB" | "GiB" | "TiB" | "PiB")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_path_keeps_its_last_parts() {
        assert_eq!(shorten_path("/a/b/c", 10), "/a/b/c");
        assert_eq!(shorten_path("/scratch/project/run/output.dat", 20), "…/run/output.dat");
        assert_eq!(shorten_path("/scratch/output.dat", 12), "…/output.dat");
        assert_eq!(shorten_path("/scratch/a-very-long-name.dat", 10), "a-very…dat");
        assert_eq!(last_parts("/a/b/c/d", 2), "…/c/d");
        assert_eq!(last_parts("/c/d", 2), "/c/d");
        assert_eq!(last_parts("d", 2), "d");
    }

    #[test]
    fn a_long_region_keeps_the_ends_of_its_names() {
        let path = |text: &str| -> Vec<String> { text.split('/').map(str::to_owned).collect() };
        let long = path("main/step/dynamics/pressure_solve/matvec");
        assert_eq!(shorten_region(&long, 41), "step › dynamics › pressure_solve › matvec");
        assert_eq!(shorten_region(&long, 35), "step › dynamics › pres…lve › matvec");
        for room in 1..41 {
            assert!(width(&shorten_region(&long, room)) <= room, "{room}");
        }
        assert_eq!(shorten_region(&path("main"), 9), "main");
        assert_eq!(shorten_region(&[], 9), "");
    }

    #[test]
    fn what_controls_a_terminal_does_not_reach_it() {
        assert_eq!(
            clean("a\x1b[31mb\r\n\tc\u{9b}d"),
            "a\u{FFFD}[31mb\u{FFFD}\u{FFFD}\u{FFFD}c\u{FFFD}d"
        );
        assert_eq!(clean("x\u{202E}fdp.exe\u{2066}"), "x\u{FFFD}fdp.exe\u{FFFD}");
        let piled = format!("a{}b", "\u{301}".repeat(500));
        assert_eq!(clean(&piled), "a\u{301}\u{301}b");
        assert_eq!(clean("\u{301}a"), "a");
    }

    #[test]
    fn wide_letters_take_two_columns() {
        assert_eq!(width("数据"), 4);
        assert_eq!(shorten("数据数据数据", 7), "数据…据");
        assert!(width(&shorten("数据数据数据", 6)) <= 6);
        assert_eq!(wrap("数据 数据", 8), ["数据", "数据"]);
    }

    #[test]
    fn a_number_keeps_its_unit() {
        assert_eq!(
            wrap("up to 1,220 of 1,479 s avoidable", 20),
            ["up to 1,220 of", "1,479 s avoidable"]
        );
        assert_eq!(wrap("it is 5 %, or 7 MiB/s.", 9), ["it is", "5 %, or", "7 MiB/s."]);
        assert_eq!(wrap("F01 slow  derived ", 10), ["F01 slow", "derived "]);
        assert_eq!(wrap("", 10), [""]);
    }

    #[test]
    fn no_line_is_longer_than_there_is_room() {
        let long = format!("see {} there", "x".repeat(5000));
        for room in [0, 1, 2, 10, 60] {
            assert!(wrap(&long, room).iter().all(|line| width(line) <= room.max(2)), "{room}");
        }
        assert_eq!(shorten("abcdef", 0), "…");
        assert_eq!(quoted("a b'c"), r"'a b'\''c'");
    }
}
