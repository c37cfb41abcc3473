//! Text for the terminal: shortened, wrapped, and free of what would control it.

use jiff::{Timestamp, fmt::strtime, tz::TimeZone};

/// The program's name, and the script's if an interpreter runs one.
pub(crate) fn program(command: &str) -> String {
    let mut words = command.split_whitespace();
    let base = |word: &str| word.rsplit('/').next().unwrap_or(word).to_owned();
    let Some(first) = words.next().map(base) else {
        return "unknown program".into();
    };
    let script = words.find(|word| !word.starts_with('-')).map(base);
    match script {
        Some(script) if first.starts_with("python") && script.ends_with(".py") => {
            format!("{first} {script}")
        }
        _ => first,
    }
}

/// A date of UTC in this format.
pub(crate) fn date(second: i64, format: &str) -> String {
    let timestamp = Timestamp::from_second(second).ok();
    let zoned = timestamp.map(|timestamp| timestamp.to_zoned(TimeZone::UTC));
    zoned.and_then(|zoned| strtime::format(format, &zoned).ok()).unwrap_or_else(|| "?".into())
}

/// Cuts the middle out of what is too long, and blanks out what would control the terminal: a log
/// is not to be trusted.
pub(crate) fn shorten(text: &str, room: usize) -> String {
    let clean = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let all: Vec<char> = clean.collect();
    if all.len() <= room {
        return all.into_iter().collect();
    }
    let head = (room - 1) * 2 / 3;
    let tail = room - 1 - head;
    let (head, tail) = (&all[..head], &all[all.len() - tail..]);
    head.iter().chain(&['…']).chain(tail).collect()
}

/// A path that is too long loses its first folders: the last parts say most.
pub(crate) fn shorten_path(path: &str, room: usize) -> String {
    let chars = path.chars().count();
    if chars <= room {
        return shorten(path, room);
    }
    let fits = |(at, _): &(usize, &str)| path[*at..].chars().count() < room;
    match path.match_indices('/').find(fits) {
        Some((at, _)) => shorten(&format!("…{}", &path[at..]), room),
        None => shorten(path.rsplit('/').next().unwrap_or(path), room),
    }
}

/// Breaks text into lines at blanks.
pub(crate) fn wrap(text: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().filter(|line| {
            line.is_empty() || line.chars().count() + 1 + word.chars().count() <= room
        });
        match last {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
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
    }
}
