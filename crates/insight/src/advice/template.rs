//! Snippets with holes for numbers.

use crate::finding::{Language, Snippet};

/// The same few lines in each language they exist in. A hole is a name in braces, `{count}`.
#[derive(Debug)]
pub(super) struct Template {
    pub(super) versions: &'static [(Language, &'static str)],
}

impl Template {
    /// The snippets with their holes filled, `first` first, then in the order of the template.
    pub(super) fn fill(&self, first: Language, values: &[(&str, String)]) -> Vec<Snippet> {
        let mut snippets: Vec<Snippet> = self
            .versions
            .iter()
            .map(|&(language, code)| Snippet { language, code: filled(code, values) })
            .collect();
        snippets.sort_by_key(|snippet| snippet.language != first);
        snippets
    }
}

fn filled(code: &str, values: &[(&str, String)]) -> String {
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
