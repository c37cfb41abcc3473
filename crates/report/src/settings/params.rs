//! The table of parameters as text, Markdown and JSON.

use std::fmt::Write as _;

use ioglass_param::{Layer, PARAMS, Param};
use serde_json::{Value, json};

/// The conditions of a parameter, in words.
fn conditions(param: &Param) -> Vec<&'static str> {
    param.conditions.iter().map(|condition| condition.text()).collect()
}

/// Values worth a search, by preset. Some presets have two forms with the same values.
fn presets(param: &Param) -> Vec<(&'static str, &'static [&'static str])> {
    let mut presets: Vec<(&str, &[&str])> = Vec::new();
    for preset in param.search.iter().map(|search| (search.preset.name(), search.values)) {
        if !presets.contains(&preset) {
            presets.push(preset);
        }
    }
    presets
}

fn of_layer(layer: Layer) -> impl Iterator<Item = &'static &'static Param> {
    PARAMS.iter().filter(move |param| param.layer == layer)
}

/// The table for people: name, values, what it does and what to beware of.
pub fn terminal() -> String {
    let mut text = String::new();
    for layer in Layer::ALL {
        for param in of_layer(layer) {
            let _ = writeln!(text, "{param}  {}", param.kind);
            let mut facts = vec![param.meaning().to_owned(), param.risk.to_owned()];
            facts.push(format!("default: {}; applied at: {}", param.default, param.site.text()));
            facts.extend(conditions(param).iter().map(|condition| format!("needs: {condition}")));
            for fact in facts {
                for line in crate::text::wrap(&fact, 74) {
                    let _ = writeln!(text, "    {line}");
                }
            }
        }
    }
    text
}

/// The table as `docs/parameters.md` has it.
pub fn markdown() -> String {
    let mut text = String::from(
        "# Parameters\n\nMade from the table in `crates/param`. `ioglass apply --params` prints it. \
         A parameter is applied\nonly where its conditions hold; `ioglass apply --verify` says where \
         that was. Bytes may be typed as\n`64K` or `1MiB`.\n",
    );
    for layer in Layer::ALL {
        let _ = write!(text, "\n## `{}`\n", layer.name());
        for param in of_layer(layer) {
            let _ = write!(text, "\n### `{param}`\n\n");
            let mut lines = vec![format!("{} {}", param.meaning(), param.risk)];
            lines.push(format!("- Value: {}. Default: {}.", param.kind, param.default));
            let at = format!("- Applied at: {}.", param.site.text());
            lines.push(format!("{at} Verified by: {}.", param.proof.text()));
            let needs = conditions(param);
            if !needs.is_empty() {
                lines.push(format!("- Needs: {}.", needs.join("; ")));
            }
            for (preset, values) in presets(param) {
                lines.push(format!("- Searched in `{preset}`: {}.", values.join(" ")));
            }
            for (place, line) in lines.iter().enumerate() {
                let (first, room) = if place == 0 { ("", 100) } else { ("  ", 98) };
                for (number, part) in crate::text::wrap(line, room).iter().enumerate() {
                    let indent = if number == 0 { "" } else { first };
                    let _ = writeln!(text, "{indent}{part}");
                }
                if place == 0 {
                    text.push('\n');
                }
            }
        }
    }
    text
}

/// The table as JSON.
pub fn json() -> Value {
    let rows = PARAMS.iter().map(|param| {
        let presets = presets(param).into_iter();
        let presets: Vec<Value> =
            presets.map(|(name, values)| json!({"preset": name, "values": values})).collect();
        json!({
            "name": param.to_string(),
            "layer": param.layer.name(),
            "values": param.kind.to_string(),
            "default": param.default,
            "conditions": conditions(param),
            "applied_at": param.site.text(),
            "verified_by": param.proof.text(),
            "meaning": param.meaning(),
            "risk": param.risk,
            "presets": presets,
        })
    });
    json!({"schema": "ioglass.params/1", "params": rows.collect::<Vec<_>>()})
}
