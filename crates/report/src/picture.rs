//! A screen of the terminal as a picture: SVG that loads nothing and follows the theme of its viewer.

use std::fmt::Write;

use crate::text::width;

/// Size of a character cell, and of the margin.
const CELL: (usize, usize) = (8, 18);
const MARGIN: usize = 16;
/// Lines of a picture, so that it stays small.
const MOST_LINES: usize = 60;

/// The fonts and colours. Those of a dark theme come last.
const STYLE: &str = "\
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono','DejaVu Sans Mono',monospace;\
fill:#16181b;white-space:pre}rect{fill:#f6f6f2}.b{font-weight:700}.d{fill:#636870}.r{fill:#b23a2e}\
.y{fill:#845600}.g{fill:#1a704e}.c{fill:#0a6470}\
@media(prefers-color-scheme:dark){text{fill:#e8ebed}rect{fill:#0e1113}.d{fill:#929ba2}.r{fill:#f28b80}\
.y{fill:#e0b24a}.g{fill:#62cb9f}.c{fill:#62c4ce}}";

/// Returns the picture of what a terminal shows. `screen` may have the escapes of bold, dim and colour.
pub fn svg(title: &str, description: &str, screen: &str) -> String {
    let lines: Vec<Vec<(String, &str)>> = screen.lines().take(MOST_LINES).map(pieces).collect();
    let columns = |line: &Vec<(String, &str)>| line.iter().map(|(text, _)| width(text)).sum();
    let widest: usize = lines.iter().map(columns).max().unwrap_or(0);
    let (wide, high) = (2 * MARGIN + widest.max(40) * CELL.0, 2 * MARGIN + lines.len() * CELL.1);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{wide}\" height=\"{high}\" \
         viewBox=\"0 0 {wide} {high}\" role=\"img\" aria-labelledby=\"t d\">\n\
         <title id=\"t\">{}</title>\n<desc id=\"d\">{}</desc>\n<style>{STYLE}</style>\n\
         <rect width=\"{wide}\" height=\"{high}\" rx=\"8\"/>\n",
        escaped(title),
        escaped(description)
    );
    for (line, number) in lines.iter().zip(1..) {
        let y = MARGIN + number * CELL.1 - 5;
        let mut column = 0;
        for (text, class) in line {
            let columns = width(text);
            let shown = text.trim_start_matches(' ');
            let start = column + columns - width(shown);
            column += columns;
            let shown = shown.trim_end_matches(' ');
            if shown.is_empty() {
                continue;
            }
            let class =
                if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
            // A string takes everything.
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{y}\" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"{class}>{}</text>",
                MARGIN + start * CELL.0,
                width(shown) * CELL.0,
                escaped(shown)
            );
        }
    }
    svg + "</svg>\n"
}

/// The pieces of a line, each with its class.
fn pieces(line: &str) -> Vec<(String, &'static str)> {
    let mut pieces = Vec::new();
    let mut class = "";
    for (part, at) in line.split("\x1b[").zip(0..) {
        let text = match part.split_once('m') {
            Some((code, text)) if at > 0 => {
                class = match code {
                    "1" => "b",
                    "2" => "d",
                    "31" => "r",
                    "32" => "g",
                    "33" => "y",
                    "36" => "c",
                    _ => "",
                };
                text
            }
            _ => part,
        };
        if !text.is_empty() {
            pieces.push((text.to_owned(), class));
        }
    }
    pieces
}

/// Text in XML, without the two characters that XML does not know.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\u{FFFE}' | '\u{FFFF}' => escaped.push('\u{FFFD}'),
            letter if letter.is_control() => escaped.push('\u{FFFD}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_become_classes_and_names_stay_text() {
        let made = svg("a < b", "c & d", "\x1b[1mbold\x1b[0m plain \x1b[31m<red>\x1b[0m\n\n  next");
        assert!(made.contains("<title id=\"t\">a &lt; b</title>"), "{made}");
        assert!(made.contains("class=\"b\">bold</text>"), "{made}");
        assert!(made.contains(">plain</text>"), "{made}");
        assert!(made.contains("class=\"r\">&lt;red&gt;</text>"), "{made}");
        assert!(
            made.contains("x=\"32\" y=\"65\""),
            "the third line begins in its third column: {made}"
        );
    }

    #[test]
    fn a_long_screen_stays_small() {
        let line = format!("{}\n", "x".repeat(80));
        assert!(svg("", "", &line.repeat(10_000)).len() < 40_000);
    }
}
