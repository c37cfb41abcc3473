//! A detector's facts stand in one place: no other source knows its code.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use ioglass_insight::detect;

use crate::support::root;

/// Sources that relate codes to each other, or to those of another tool.
const RELATED: [&str; 2] = ["insight/src/causes.rs", "insight/src/compat/"];
/// Crates in which a code may not even be mentioned. In others only `"A01"` counts: `M10` may be
/// part of the name of a time zone.
const STRICT: [&str; 2] = ["insight/", "report/"];

#[test]
fn a_code_stands_in_the_source_of_its_detector() {
    let sources = sources();
    let codes: BTreeSet<&str> = detect::ALL.iter().map(|detector| detector.code).collect();
    let homes: BTreeMap<&str, &str> =
        codes.iter().map(|code| (*code, home(code, &sources))).collect();
    let mut wrong = Vec::new();
    for (path, text) in &sources {
        let is_strict = STRICT.iter().any(|start| path.starts_with(start));
        for (line, code) in mentions(text, is_strict).filter(|(_, code)| codes.contains(code)) {
            let is_related = RELATED.iter().any(|start| path.starts_with(start));
            if !is_related && homes[code] != path {
                wrong.push(format!(
                    "crates/{path}:{line}: {code} belongs to crates/{}",
                    homes[code]
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn codes_are_found_outside_of_tests_only() {
    let source = "// A01\nkey(\"B02\", \"C03 D04\");\n#[cfg(test)]\nmod tests {\n    \"E05\"\n}\nxF06 \"G07\"\n";
    let text = without_tests(source);
    let found = |is_strict| mentions(&text, is_strict).collect::<Vec<_>>();
    assert_eq!(found(true), [(1, "A01"), (2, "B02"), (2, "C03"), (2, "D04"), (7, "G07")]);
    assert_eq!(found(false), [(2, "B02"), (7, "G07")]);
}

/// The one source that says `code: "A01"`.
#[track_caller]
fn home<'a>(code: &str, sources: &'a BTreeMap<String, String>) -> &'a str {
    let row = format!("code: \"{code}\",");
    let mut homes = sources
        .iter()
        .filter(|(path, text)| path.starts_with("insight/src/detect/") && text.contains(&row));
    let (path, _) = homes.next().unwrap_or_else(|| panic!("no detector has {row}"));
    assert!(homes.next().is_none(), "two detectors have {row}");
    path
}

/// What looks like a code, and its line.
fn mentions(text: &str, is_strict: bool) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(number, line)| (number + 1, line));
    lines.flat_map(move |(number, line)| {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        line.as_bytes().windows(3).enumerate().filter_map(move |(at, word)| {
            let is_code = word[0].is_ascii_uppercase() && word[1..].iter().all(u8::is_ascii_digit);
            let around = [at.checked_sub(1), Some(at + 3)];
            let around = around.map(|at| at.and_then(|at| line.as_bytes().get(at)));
            let stands_alone = !around.iter().flatten().any(|byte| is_word(byte));
            let is_quoted = around == [Some(&b'"'); 2];
            let is_meant = is_code && stands_alone && (is_strict || is_quoted);
            is_meant.then(|| (number, &line[at..at + 3]))
        })
    })
}

/// All sources below `crates` that are no tests, by path.
fn sources() -> BTreeMap<String, String> {
    let crates = root().join("crates");
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(&crates).unwrap() {
        let library = entry.unwrap().path().join("src");
        if library.is_dir() {
            gather(&library, &mut found);
        }
    }
    let tests: Vec<PathBuf> =
        found.iter().flat_map(|(path, text)| test_modules(path, text)).collect();
    found.retain(|path, _| !tests.iter().any(|test| path.starts_with(test)));
    let relative = |path: &Path| path.strip_prefix(&crates).unwrap().to_str().unwrap().to_owned();
    found.iter().map(|(path, text)| (relative(path), without_tests(text))).collect()
}

fn gather(folder: &Path, found: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            gather(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            found.insert(path, text);
        }
    }
}

/// Sources and directories of modules that are compiled for tests only.
fn test_modules(path: &Path, text: &str) -> Vec<PathBuf> {
    let is_root = ["lib.rs", "main.rs", "mod.rs"].iter().any(|name| path.ends_with(name));
    let folder = if is_root { path.parent().unwrap().to_owned() } else { path.with_extension("") };
    let mut lines = text.lines();
    let mut found = Vec::new();
    while lines.any(|line| line == "#[cfg(test)]") {
        let name = lines.next().and_then(|line| line.split("mod ").nth(1)?.strip_suffix(';'));
        if let Some(name) = name {
            found.extend([folder.join(name), folder.join(format!("{name}.rs"))]);
        }
    }
    found
}

/// A source with empty lines in place of the modules and items that are compiled for tests only.
fn without_tests(text: &str) -> String {
    let mut is_test = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        is_test |= line == "#[cfg(test)]";
        lines.push(if is_test { "" } else { line });
        let ends = line == "}" || line.ends_with(';') && !line.starts_with(' ');
        is_test &= !ends;
    }
    lines.join("\n")
}
