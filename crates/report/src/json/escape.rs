//! JSON as text that is harmless wherever it is shown.

use serde_json::Value;

use crate::text::is_harmful;

/// On one line.
pub fn line(value: &Value) -> String {
    escaped(value.to_string())
}

/// With a line for each field.
pub fn page(value: &Value) -> String {
    escaped(format!("{value:#}"))
}

/// Names come from logs. What in them would control a terminal or turn letters around is written by
/// its number, which a reader of JSON takes for the same letter.
fn escaped(text: String) -> String {
    // The controls of ASCII are escaped already, but for the last one; line ends are between fields.
    let is_left = |c: char| c == '\x7f' || !c.is_ascii() && is_harmful(c);
    if !text.contains(is_left) {
        return text;
    }
    let mut escaped = String::with_capacity(text.len() + 64);
    for c in text.chars() {
        if is_left(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                escaped += &format!("\\u{unit:04x}");
            }
        } else {
            escaped.push(c);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_escaped_reads_the_same() {
        let name =
            "a\x1b[2J\x07\x7f\u{85}\u{9b}b\u{202e}\u{2066}\u{200e}\u{2028}\u{feff}\u{e0041}é数\\\"";
        let value = json!({ name: [name, 1] });
        for text in [line(&value), page(&value)] {
            let is_shown = |c: char| c == '\n' || !is_harmful(c);
            assert!(text.chars().all(is_shown), "{text:?}");
            assert!(text.contains(r"\u202e\u2066\u200e\u2028\ufeff\udb40\udc41é数"), "{text}");
            assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        }
        assert_eq!(line(&json!({"a": "b"})), r#"{"a":"b"}"#);
    }
}
