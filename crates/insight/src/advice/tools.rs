//! Tools, of which only the options can be changed: the same command line with better options.

use super::{Setting, words};

/// Programs that make archives or take them apart.
pub(super) fn packs(program: &str) -> bool {
    matches!(program, "tar" | "bsdtar" | "zip" | "unzip" | "cpio" | "7z" | "pax")
}

/// The command with options that make its requests larger.
pub(super) fn larger_requests(setting: &Setting, bytes: u64) -> Option<String> {
    let line = || words::command(&setting.command);
    match setting.program.as_str() {
        "dd" => dd(setting, bytes, ""),
        // Its blocks have 512 bytes. The option comes last, because the first word may be old options.
        "tar" => line()
            .filter(|line| line.contains(' ') && !line.contains(" -- "))
            .map(|line| format!("{line} --blocking-factor={}", bytes.div_ceil(512))),
        "cc" | "c++" | "clang" | "clang++" | "gcc" | "g++" => with_option(&line()?, "-pipe"),
        _ => None,
    }
}

/// The command with one sync instead of one for each block.
pub(super) fn synced_once(setting: &Setting, bytes: u64) -> Option<String> {
    if setting.program == "dd" { dd(setting, bytes, " conv=fsync") } else { None }
}

/// A command with an option as its first.
pub(super) fn with_option(line: &str, option: &str) -> Option<String> {
    let (program, rest) = line.split_once(' ')?;
    Some(format!("{program} {option} {rest}"))
}

/// `dd` with blocks of so many bytes, and as much to copy as before.
fn dd(setting: &Setting, bytes: u64, end: &str) -> Option<String> {
    let line = words::command(&setting.command);
    let operands: Vec<(&str, &str)> = match &line {
        Some(line) => {
            line.split(' ').skip(1).map(|it| it.split_once('=')).collect::<Option<_>>()?
        }
        None => Vec::new(),
    };
    let of = |name| operands.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
    let (input, output) = match (of("if"), of("of"), &setting.from_to) {
        (Some(input), Some(output), _) => (input, output),
        (None, None, [from, to]) if !from.is_empty() && !to.is_empty() => {
            (from.as_str(), to.as_str())
        }
        _ => return None,
    };
    // Other operands count in blocks, or set their size.
    let known = ["if", "of", "bs", "ibs", "obs", "count", "status", "conv", "oflag"];
    let is_sync = |(key, value): &(&str, &str)| *key == "oflag" && value.contains("sync");
    let is_kept = |(key, _): &(&str, &str)| matches!(*key, "conv" | "oflag");
    let mut kept = operands.iter().filter(|it| is_kept(it) && !is_sync(it));
    if operands.iter().any(|(key, _)| !known.contains(key)) || kept.next().is_some() {
        return None;
    }
    let mut line = format!("dd bs={}", words::size_option(bytes));
    if let Some(count) = of("count") {
        let block = of("ibs").or(of("bs")).map_or(Some(512), size)?;
        let all = count.parse::<u64>().ok()?.checked_mul(block)?;
        line += &format!(" count={all} iflag=count_bytes");
    }
    let (input, output) = (words::path(input, ""), words::path(output, ""));
    if input.is_empty() || output.is_empty() {
        return None;
    }
    Some(format!("{line} if={input} of={output}{end}"))
}

/// A size as `dd` takes it.
fn size(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = match unit {
        "" | "c" => 1,
        "w" => 2,
        "b" => 512,
        "kB" => 1000,
        "k" | "K" | "KiB" => 1 << 10,
        "MB" => 1_000_000,
        "M" | "MiB" => 1 << 20,
        "GB" => 1_000_000_000,
        "G" | "GiB" => 1 << 30,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn setting(command: &str) -> Setting {
        let program = crate::program::program(command);
        Setting { program, command: command.into(), ..Setting::default() }
    }

    #[test]
    fn a_copy_stays_the_same_copy() {
        let larger = |command| larger_requests(&setting(command), MIB);
        assert_eq!(larger("dd if=a of=b").as_deref(), Some("dd bs=1M if=a of=b"));
        assert_eq!(
            larger("/bin/dd if=/dev/zero of=b bs=1k count=3 status=none").as_deref(),
            Some("dd bs=1M count=3072 iflag=count_bytes if=/dev/zero of=b")
        );
        for other in ["dd of=b bs=512", "dd if=a of=b skip=4", "dd if=a of=b bs=4x count=1", "dd"] {
            assert_eq!(larger(other), None, "{other}");
        }
        let from_to = ["/data/it's".to_owned(), "/data/b".to_owned()];
        let known = Setting { from_to, ..setting("dd") };
        assert_eq!(
            larger_requests(&known, MIB).as_deref(),
            Some(r"dd bs=1M if='/data/it'\''s' of=/data/b")
        );
        assert_eq!(
            synced_once(&setting("dd if=a of=b oflag=dsync bs=4k"), 4 * MIB).as_deref(),
            Some("dd bs=4M if=a of=b conv=fsync")
        );
    }

    #[test]
    fn options_go_where_the_tool_takes_them() {
        let larger = |command| larger_requests(&setting(command), 4 * MIB);
        assert_eq!(
            larger("tar czf a.tgz src").as_deref(),
            Some("tar czf a.tgz src --blocking-factor=8192")
        );
        assert_eq!(larger("gcc -c a.c").as_deref(), Some("gcc -pipe -c a.c"));
        for none in ["tar", "sort a", "tar cf it's src", "sh -c gcc"] {
            assert_eq!(larger(none), None, "{none}");
        }
    }
}
