//! `docs/json.md`, made from the schema.

use std::fmt::Write;

use serde_json::{Map, Value};

const START: &str = "\
# The report as JSON

`ioglass report --json LOG` prints one object; several logs give one object per line. It holds
everything that the terminal report shows, and more: checks that are fine, all advice, full paths.
[report.schema.json](report.schema.json) describes it as a JSON Schema (draft 2020-12), exact for
the version it comes with. This page and the schema are made from the types in
`crates/report/src/json/`; tests keep them fresh and validate reports against the schema.
`ioglass_report::json::read` reads a report back into these types. `--compare` prints another
object, `ioglass.compare/1`: [before and after](compare.md).

**Stability.** `schema` is `ioglass.report/1`. Within this version fields may be added, and values
of `needs` and of `language`: such lists may grow. No field is removed or changes its type or
meaning; such a change makes it `/2`. A reader should skip fields, needs and languages that it does
not know.

**Values.** Every field is always present. `null` means that a value is unknown or meaningless here.
Numbers are finite; seconds and bytes are never rounded. Names come from the log and are not to be
trusted. Bytes that are not UTF-8 are replaced. Characters that control a terminal or reverse the
direction of text are written as `\\uXXXX`, as in all JSON that ioglass prints.
";

/// Returns the document on reports as JSON.
pub fn markdown() -> String {
    let schema = super::schema();
    let mut text = START.to_owned();
    section(&mut text, "Report", &schema);
    let parts = schema["$defs"].as_object().into_iter().flatten();
    let (objects, words): (Vec<_>, Vec<_>) =
        parts.partition(|(_, part)| part.get("properties").is_some());
    for (name, part) in objects {
        section(&mut text, name, part);
    }
    for (name, part) in words {
        heading(&mut text, name, part);
        put(&mut text, "\n| value | meaning |\n|---|---|");
        for word in part["oneOf"].as_array().into_iter().flatten() {
            put(&mut text, &format!("| `{}` | {} |", string(&word["const"]), described(word)));
        }
    }
    text
}

/// An object and its fields.
fn section(text: &mut String, name: &str, part: &Value) {
    heading(text, name, part);
    put(text, "\n| field | type | meaning |\n|---|---|---|");
    for (field, schema) in part["properties"].as_object().into_iter().flatten() {
        put(text, &format!("| `{field}` | {} | {} |", kind(schema), described(schema)));
    }
}

fn heading(text: &mut String, name: &str, part: &Value) {
    put(text, &format!("\n## {name}\n\n{}", described(part)));
}

/// The type of a field, such as `string or null` or `array of Finding`.
fn kind(schema: &Value) -> String {
    let fields = schema.as_object();
    let field = |name| fields.and_then(|fields: &Map<String, Value>| fields.get(name));
    let joined = |kinds: &[Value], of: fn(&Value) -> String| {
        kinds.iter().map(of).collect::<Vec<_>>().join(" or ")
    };
    match (field("$ref"), field("anyOf"), field("items"), field("type")) {
        (Some(target), ..) => {
            let name = string(target).trim_start_matches("#/$defs/");
            format!("[{name}](#{})", name.to_lowercase())
        }
        (_, Some(Value::Array(kinds)), ..) => joined(kinds, kind),
        (_, _, Some(items), _) => match kind(items) {
            kinds if kinds.contains(" or ") => format!("array of ({kinds})"),
            kind => format!("array of {kind}"),
        },
        (.., Some(Value::Array(names))) => joined(names, |name| string(name).to_owned()),
        (.., name) => name.map_or_else(String::new, |name| string(name).to_owned()),
    }
}

fn described(schema: &Value) -> &str {
    string(&schema["description"])
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn put(text: &mut String, line: &str) {
    // A string takes everything.
    let _ = writeln!(text, "{line}");
}
