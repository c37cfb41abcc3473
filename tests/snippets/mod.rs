//! Advice is correct: its sentences keep to the style, its commands parse, its snippets compile
//! against the real libraries, and the important ones do what they say.

mod compile;
mod paste;
mod run;
mod samples;
mod style;

use std::collections::BTreeSet;
use std::fs;

use ioglass_insight::Language;

use crate::support;

/// Every snippet once, in the order of its text.
fn snippets(language: Language) -> BTreeSet<String> {
    let snippets = samples::all().into_iter().flat_map(|sample| sample.advice.snippets);
    snippets.filter(|it| it.language == language).map(|it| it.code).collect()
}

/// Those of them that name no file of a log.
fn snippets_with_variables(language: Language) -> BTreeSet<String> {
    snippets(language).into_iter().filter(|code| !code.contains(samples::ONLY)).collect()
}

/// The only snippet with this text in it.
fn snippet(language: Language, part: &str) -> String {
    let mut found =
        snippets_with_variables(language).into_iter().filter(|code| code.contains(part));
    let code = found.next().unwrap_or_else(|| panic!("no snippet has {part}"));
    assert_eq!(found.next(), None, "{part} is not unique");
    code
}

/// A snippet that no advice gives would be neither compiled nor read.
#[test]
fn every_template_is_given_and_filled() {
    let folder = support::root().join("crates/insight/src/advice/snippets");
    let mut templates = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let language = match path.extension().unwrap().to_str().unwrap() {
            "c" => Language::C,
            "f90" => Language::Fortran,
            "py" => Language::Python,
            "sh" => Language::Shell,
            "cpp" => Language::Cpp,
            "js" => Language::JavaScript,
            "pl" => Language::Perl,
            "sql" => Language::Sql,
            other => panic!("{other}: no such language"),
        };
        let template = fs::read_to_string(&path).unwrap();
        let is_filled = |code: &String| matches(template.trim_end(), code);
        assert!(snippets(language).iter().any(is_filled), "{}: never given", path.display());
        templates += 1;
    }
    assert!(templates > 140, "{templates}");
}

/// Whether `code` is `template` with something in place of each `{hole}`.
fn matches(template: &str, code: &str) -> bool {
    let mut rest = code;
    let mut template = template;
    while let Some((before, after)) = split_at_hole(template) {
        let Some(at) = rest.find(before) else { return false };
        rest = &rest[at + before.len()..];
        template = after;
    }
    rest.ends_with(template) && split_at_hole(code).is_none()
}

/// What is before and after the first hole.
fn split_at_hole(text: &str) -> Option<(&str, &str)> {
    let is_name = |c: char| c.is_ascii_lowercase() || c == '_';
    text.match_indices('{').find_map(|(at, _)| {
        let name = &text[at + 1..];
        let end = name.find(|c| !is_name(c))?;
        (end > 0 && name[end..].starts_with('}')).then(|| (&text[..at], &name[end + 1..]))
    })
}
