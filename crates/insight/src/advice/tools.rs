//! Tools, of which only the options can be changed: the same command line with better options.

use super::{Setting, see, words};
use crate::finding::Advice;

/// Programs that make archives or take them apart.
fn packs(program: &str) -> bool {
    matches!(program, "tar" | "bsdtar" | "zip" | "unzip" | "cpio" | "7z" | "pax")
}

/// Larger requests, of the tools that have an option for them.
pub(super) fn larger_requests(setting: &Setting, bytes: u64) -> Advice {
    let size = words::bytes(bytes);
    match setting.program.as_str() {
        "dd" => {
            let text = format!("Copy in blocks of {size}: bs={}.", words::size_option(bytes));
            Advice::of(text, see::DD).command_if(dd(setting, bytes, false), "")
        }
        "tar" => match tar(setting, bytes) {
            Some(line) => {
                let text = format!("Read and write the archive in records of {size}.");
                Advice::of(text, see::TAR).command(line, "an archive is filled up to whole records")
            }
            None => Advice::default(),
        },
        _ => Advice::default(),
    }
}

/// One sync instead of one for each block.
pub(super) fn sync_once(setting: &Setting, text: String, bytes: u64) -> Advice {
    if setting.program != "dd" {
        return Advice::default();
    }
    let comment = "syncs once, at the end: a crash before loses it all";
    Advice::of(text, see::DD).command_if(dd(setting, bytes, true), comment)
}

/// Fewer files, of the tools that move them.
pub(super) fn fewer_files(setting: &Setting, files: u64, folder: &str) -> Advice {
    let many = words::many(files, "file");
    match setting.program.as_str() {
        // It makes or opens an archive already.
        program if packs(program) => {
            let text =
                format!("Leave the {many} packed until they are needed: each costs an open.");
            Advice::of(text, see::TAR)
        }
        "cp" | "mv" | "rsync" => {
            let text =
                format!("Pack the {many} and move the archive: each file costs opens of its own.");
            Advice::of(text, see::TAR)
        }
        "git" if folder.contains("/.git/objects") => {
            let text = format!("Let git pack its objects, which are {many} now.");
            let Some((tree, _)) = folder.split_once("/.git/") else {
                return Advice::of(text, see::GIT_GC);
            };
            let line = words::path(tree).map(|tree| format!("git -C {tree} gc"));
            Advice::of(text, see::GIT_GC).command_if(line, "packs them")
        }
        _ => Advice::default(),
    }
}

/// Fewer questions about files.
pub(super) fn fewer_questions(setting: &Setting) -> Advice {
    if setting.program != "git" {
        return Advice::default();
    }
    let text = "Let git remember which directories have no new files, so that it asks less.";
    Advice::of(text, see::GIT_UNTRACKED)
        .command("git config core.untrackedCache true", "in the working tree")
}

/// A command with an option as its first.
pub(super) fn with_option(line: &str, option: &str) -> Option<String> {
    let (program, rest) = line.split_once(' ')?;
    Some(format!("{program} {option} {rest}"))
}

/// `tar` with records of so many bytes. It hands what it compresses to another program, in records
/// that do not reach the file.
fn tar(setting: &Setting, bytes: u64) -> Option<String> {
    const COMPRESSED: [&str; 9] =
        [".gz", ".tgz", ".xz", ".txz", ".bz2", ".tbz2", ".zst", ".tzst", ".lz"];
    let line = words::command(&setting.own_command)?;
    let words: Vec<&str> = line.split(' ').skip(1).collect();
    // The first word can be options without a dash.
    let letters = words.first()?.trim_start_matches('-');
    let is_compressed = words.iter().any(|word| COMPRESSED.iter().any(|end| word.ends_with(end)));
    let has_option = words.iter().enumerate().any(|(place, word)| {
        let is_short = place == 0 && !word.starts_with("--")
            || word.starts_with('-') && !word.starts_with("--");
        let others = ["--gzip", "--xz", "--bzip2", "--zstd", "--use-compress", "--auto-compress"];
        is_short && word.contains(['z', 'j', 'J', 'a', 'I', 'Z', 'b', 'r', 'u', 'A'])
            || others.iter().any(|other| word.starts_with(other))
            || matches!(*word, "--" | "--append" | "--update" | "--blocking-factor")
    });
    let is_known = letters.contains(['c', 'x']) && letters.contains('f');
    if is_compressed || has_option || !is_known {
        return None;
    }
    // Its blocks have 512 bytes. The option comes last, because the first word may be old options.
    Some(format!("{line} --blocking-factor={}", bytes.div_ceil(512)))
}

/// `dd` with blocks of so many bytes that copies the same bytes to the same place, if all its
/// operands are understood. `syncs_once`: it syncs at the end and not for each block.
fn dd(setting: &Setting, bytes: u64, syncs_once: bool) -> Option<String> {
    let line = words::command(&setting.own_command)?;
    let operands: Vec<(&str, &str)> =
        line.split(' ').skip(1).map(|word| word.split_once('=')).collect::<Option<_>>()?;
    // Other operands count in blocks, or change what is copied.
    let known = ["if", "of", "bs", "ibs", "obs", "count", "status", "conv", "oflag"];
    if operands.iter().any(|(key, _)| !known.contains(key)) {
        return None;
    }
    let of = |name| operands.iter().rfind(|(key, _)| *key == name).map(|(_, value)| *value);
    let list = |name| of(name).into_iter().flat_map(|value: &str| value.split(','));
    let (mut conv, mut oflag): (Vec<&str>, Vec<&str>) =
        (list("conv").collect(), list("oflag").collect());
    // These mean the same with blocks of any size.
    let is_same =
        |word: &&str| matches!(*word, "notrunc" | "nocreat" | "excl" | "fsync" | "fdatasync");
    if !conv.iter().all(is_same)
        || !oflag.iter().all(|word| matches!(*word, "append" | "sync" | "dsync"))
    {
        return None;
    }
    if syncs_once {
        oflag.retain(|word| *word == "append");
        if !conv.contains(&"fsync") {
            conv.push("fsync");
        }
    }
    let mut line = format!("dd bs={}", words::size_option(bytes));
    if let Some(count) = of("count") {
        let block = of("ibs").or(of("bs")).map_or(Some(512), size)?;
        let all = count.parse::<u64>().ok()?.checked_mul(block)?;
        line += &format!(" count={all} iflag=count_bytes");
    }
    line += &format!(" if={} of={}", of("if")?, of("of")?);
    for (key, values) in [("conv", conv), ("oflag", oflag)] {
        if !values.is_empty() {
            line += &format!(" {key}={}", values.join(","));
        }
    }
    Some(line)
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
        Setting { program, own_command: command.into(), ..Setting::default() }
    }

    fn line(advice: Advice) -> Option<String> {
        advice.commands.into_iter().next().map(|command| command.line)
    }

    #[test]
    fn rule_16_a_copy_stays_the_same_copy() {
        let larger = |command| line(larger_requests(&setting(command), MIB));
        let once = |command| line(sync_once(&setting(command), "Once.".into(), 4 * MIB));
        assert_eq!(larger("dd if=a of=b").as_deref(), Some("dd bs=1M if=a of=b"));
        assert_eq!(
            larger("/bin/dd if=/dev/zero of=b bs=1k count=3 status=none").as_deref(),
            Some("dd bs=1M count=3072 iflag=count_bytes if=/dev/zero of=b")
        );
        assert_eq!(
            larger("dd if=a of=b conv=notrunc oflag=append bs=1").as_deref(),
            Some("dd bs=1M if=a of=b conv=notrunc oflag=append")
        );
        assert_eq!(
            once("dd if=a of=b oflag=append,dsync conv=notrunc bs=4k").as_deref(),
            Some("dd bs=4M if=a of=b conv=notrunc,fsync oflag=append")
        );
        for other in [
            "dd of=b bs=512",
            "dd if=a of=b skip=4",
            "dd if=a of=b seek=4 conv=notrunc",
            "dd if=a of=b conv=sync",
            "dd if=a of=b conv=ucase",
            "dd if=a of=b oflag=direct",
            "dd if=a of=b iflag=fullblock",
            "dd if=a of=b bs=4x count=1",
            "dd if=a of=it's",
            "dd",
        ] {
            assert_eq!(larger(other), None, "{other}");
            assert_eq!(once(other), None, "{other}");
        }
    }

    #[test]
    fn options_go_where_the_tool_takes_them() {
        let larger = |command| line(larger_requests(&setting(command), 4 * MIB));
        assert_eq!(
            larger("tar cf a.tar src").as_deref(),
            Some("tar cf a.tar src --blocking-factor=8192")
        );
        assert_eq!(
            larger("tar -x -f a.tar").as_deref(),
            None,
            "options in several words are not looked through"
        );
        for none in [
            "tar",
            "tar czf a.tgz src",
            "tar xf a.tar.xz",
            "tar cf a.tar -z src",
            "tar rf a.tar src",
            "sort a",
            "tar cf it's src",
            "gcc -c a.c",
            "zip a.zip b",
        ] {
            assert_eq!(larger(none), None, "{none}");
        }
    }

    #[test]
    fn tools_without_a_remedy_get_no_advice() {
        for tool in ["grep -r x .", "zip a b", "make", "sort a"] {
            let setting = setting(tool);
            for advice in [
                larger_requests(&setting, MIB),
                sync_once(&setting, "Once.".into(), MIB),
                fewer_questions(&setting),
            ] {
                assert_eq!(advice, Advice::default(), "{tool}");
            }
        }
    }
}
