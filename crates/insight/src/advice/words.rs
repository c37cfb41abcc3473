//! Numbers and names inside sentences and commands.

pub(super) use crate::number::bytes;
use crate::number::{counted, thousands};

/// A path as a shell takes it, so that pasting it does nothing but name the path. There is none for
/// what cannot be typed: a log is not to be trusted.
pub(super) fn path(path: &str) -> Option<String> {
    if path.is_empty() || path.chars().any(is_unprintable) {
        return None;
    }
    // What begins with a dash would be an option.
    let path = if path.starts_with('-') { format!("./{path}") } else { path.to_owned() };
    let is_plain = path.chars().all(is_plain);
    Some(if is_plain { path } else { format!("'{}'", path.replace('\'', r"'\''")) })
}

/// A longer command is not read before it is pasted.
const LONGEST: usize = 200;

/// A command line that starts the same program if it is pasted. Logs keep the words without their
/// quotes, so each must be plain, and none the text of a script.
pub(super) fn command(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let program = *words.first()?;
    let is_plain = |word: &&str| word.chars().all(|c| c == '=' || is_plain(c));
    // Numbers stand for names in logs that were made anonymous.
    let is_name = program.chars().any(|c| c.is_ascii_alphabetic())
        && !program.starts_with('-')
        && !program.contains('=');
    let has_script = words.iter().any(|word| is_interpreter(word))
        && words.iter().any(|word| matches!(*word, "-c" | "-lc" | "-e"));
    let is_whole = is_name && !has_script && line.len() <= LONGEST && words.iter().all(is_plain);
    is_whole.then(|| words.join(" "))
}

fn is_interpreter(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    name.ends_with("sh") || ["python", "perl", "ruby", "node"].iter().any(|it| name.starts_with(it))
}

/// Letters that mean nothing else to a shell.
pub(super) fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "/._-+,:@%".contains(c)
}

/// Control characters, and those that change the direction of text or take no room.
fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{FFFD}' | '\u{00AD}' | '\u{FEFF}' | '\u{2028}'..='\u{202E}')
        || matches!(c, '\u{200B}'..='\u{200F}' | '\u{2060}'..='\u{206F}' | '\u{061C}')
}

/// Bytes as `lfs` and `dd` take them: `16M`, or the bare number where no unit fits.
pub(super) fn size_option(bytes: u64) -> String {
    for (shift, unit) in [(30, 'G'), (20, 'M'), (10, 'K')] {
        if bytes > 0 && bytes.trailing_zeros() >= shift {
            return format!("{}{unit}", bytes >> shift);
        }
    }
    bytes.to_string()
}

/// A count and its noun: `1 file`, `2,048 files`.
pub(super) fn many(number: u64, noun: &str) -> String {
    counted(number, noun, &format!("{noun}s"))
}

/// A number of times: `once`, `twice`, `5 times`.
pub(super) fn times(number: u64) -> String {
    match number {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        _ => format!("{} times", thousands(number)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pasted_paths_name_the_path_and_do_nothing_else() {
        for (name, typed) in [
            ("/lus/theta-fs0/run_1", "/lus/theta-fs0/run_1"),
            ("/a b/$(reboot)", "'/a b/$(reboot)'"),
            ("it's;ls", r"'it'\''s;ls'"),
            ("-rf", "./-rf"),
            ("~root", "'~root'"),
        ] {
            assert_eq!(path(name).as_deref(), Some(typed));
        }
        for bad in ["", "/a\nreboot\n", "/a\u{1b}[2J", "/a\u{202e}b", "/a\u{fffd}"] {
            assert_eq!(path(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn a_command_is_whole_or_not_there() {
        assert_eq!(command("sort -o out.txt  big.txt").as_deref(), Some("sort -o out.txt big.txt"));
        assert_eq!(command("./app --size=4").as_deref(), Some("./app --size=4"));
        let long = format!("app {}", "a".repeat(LONGEST));
        for bad in [
            "",
            "407752450 input",
            "sh -c sort big.txt > sorted.txt",
            "sh -c date",
            "app it's",
            "app a;b",
            "app \u{202e}b",
            "A=1 app",
            "-rf",
            &long,
        ] {
            assert_eq!(command(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn options_have_the_exact_size() {
        for (value, shown) in
            [(16 << 20, "16M"), (1 << 30, "1G"), (65_536, "64K"), (47_008, "47008"), (0, "0")]
        {
            assert_eq!(size_option(value), shown);
        }
    }
}
