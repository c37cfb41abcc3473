//! Snippets with holes for numbers and names.

use super::{Setting, words};
use crate::finding::{Language, Snippet};
use crate::program;

/// The same few lines in each language they exist in. A hole is a name in braces, `{count}`.
#[derive(Debug)]
pub(super) struct Template {
    pub(super) versions: &'static [(Language, &'static str)],
}

impl Template {
    /// The snippets that fit the program, with their holes filled, that in its own language first.
    /// `{path}` becomes the name of the only file, or a variable.
    pub(super) fn fill(&self, setting: &Setting, values: &[(&str, String)]) -> Vec<Snippet> {
        languages(setting)
            .iter()
            .filter_map(|wanted| self.versions.iter().find(|(language, _)| language == wanted))
            .map(|&(language, code)| {
                let path = ("path", file_name(setting, language));
                let code = filled(code, values.iter().chain([&path]));
                Snippet { language, code }
            })
            .collect()
    }
}

/// Languages that the source of the program can hold, its own first. Who programs in an
/// interpreter's language is not shown another. What is compiled can be of several languages.
fn languages(setting: &Setting) -> &'static [Language] {
    use Language::{C, Cpp, Fortran, JavaScript, Perl, Python, Shell, Sql};
    match setting.language {
        C => &[C, Fortran, Sql],
        Fortran => &[Fortran, C, Sql],
        Cpp => &[Cpp, C, Sql],
        Python => &[Python, Sql],
        JavaScript => &[JavaScript, Sql],
        Perl => &[Perl, Sql],
        Shell if program::is_shell(&setting.program) => &[Shell, Sql],
        // The source of a tool is not at hand; other languages have no snippets.
        Sql | Shell => &[Sql],
    }
}

/// A longer name is not put into code. Lines of Fortran have 132 letters.
const LONGEST: [usize; 2] = [60, 32];

/// The file in code of a language: its name if it is the only one, else a variable.
fn file_name(setting: &Setting, language: Language) -> String {
    let target = &setting.target;
    let name = target.path.as_str();
    let longest = LONGEST[usize::from(language == Language::Fortran)];
    let is_known = target.is_only && (1..=longest).contains(&name.len());
    // Letters that mean nothing in a string of any language.
    if is_known && name.chars().all(|c| words::is_plain(c) || c == ' ') {
        return match language {
            Language::Fortran | Language::Perl | Language::Shell => format!("'{name}'"),
            _ => format!("\"{name}\""),
        };
    }
    match language {
        Language::Perl => "$path",
        Language::Shell => "\"$path\"",
        _ => "path",
    }
    .into()
}

fn filled<'v>(code: &str, values: impl Iterator<Item = &'v (&'v str, String)>) -> String {
    let mut code = code.trim_end().to_owned();
    for (name, value) in values {
        code = code.replace(&format!("{{{name}}}"), value);
    }
    code
}

/// A template of files in `snippets/` by their common name and their languages.
macro_rules! template {
    ($name:literal: $($language:ident $extension:literal),+) => {
        $crate::advice::template::Template {
            versions: &[$((
                $crate::finding::Language::$language,
                include_str!(concat!("snippets/", $name, ".", $extension)),
            ),)+],
        }
    };
}
pub(super) use template;
