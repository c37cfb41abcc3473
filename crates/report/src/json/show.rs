//! JSON as text that is harmless wherever it is shown.

use std::fmt;

use serde::Serialize;

use crate::text::is_harmful;

/// Returns a value as JSON on one line.
pub fn line<T: Serialize>(value: &T) -> Json<'_, T> {
    Json { value, is_pretty: false }
}

/// Returns a value as JSON with a line for each field.
pub fn pretty<T: Serialize>(value: &T) -> Json<'_, T> {
    Json { value, is_pretty: true }
}

/// A value that is displayed as JSON.
///
/// Names come from logs. Characters that control a terminal or reverse the direction of text are
/// written as `\uXXXX`, which a reader of JSON takes for the same characters.
#[derive(Debug, Clone, Copy)]
pub struct Json<'a, T> {
    value: &'a T,
    is_pretty: bool,
}

impl<T: Serialize> fmt::Display for Json<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self.is_pretty {
            true => serde_json::to_string_pretty(self.value),
            false => serde_json::to_string(self.value),
        };
        let text = text.map_err(|_| fmt::Error)?;
        // The other controls of ASCII are escaped already; line ends stand between fields.
        let is_left = |c: char| c == '\x7f' || !c.is_ascii() && is_harmful(c);
        let mut written = 0;
        for (at, harmful) in text.match_indices(is_left) {
            f.write_str(&text[written..at])?;
            for unit in harmful.encode_utf16() {
                write!(f, "\\u{unit:04x}")?;
            }
            written = at + harmful.len();
        }
        f.write_str(&text[written..])
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn what_is_escaped_reads_the_same() {
        let name =
            "a\x1b[2J\x07\x7f\u{85}\u{9b}b\u{202e}\u{2066}\u{200e}\u{2028}\u{feff}\u{e0041}é数\\\"";
        let value = json!({ name: [name, 1] });
        for text in [line(&value).to_string(), pretty(&value).to_string()] {
            let is_shown = |c: char| c == '\n' || !is_harmful(c);
            assert!(text.chars().all(is_shown), "{text:?}");
            assert!(text.contains(r"\u202e\u2066\u200e\u2028\ufeff\udb40\udc41é数"), "{text}");
            assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        }
        assert_eq!(line(&json!({"a": "b"})).to_string(), r#"{"a":"b"}"#);
    }
}
