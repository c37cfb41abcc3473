//! Style, scripts and logo of the page.
//!
//! Scripts are modules that can be tested one by one. A page has them in one piece, without their
//! `import` and `export`.

/// The page loads nothing and sends nothing.
pub(crate) const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

/// A magnifying glass with bars in it.
pub(crate) const LOGO: &str = concat!(
    r#"<svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">"#,
    r#"<circle cx="8.5" cy="8.5" r="6.7" fill="none" stroke="currentColor" stroke-width="1.8"/>"#,
    r#"<path d="M13.5 13.5 18.5 18.5" stroke="currentColor" stroke-width="2.4" stroke-linecap="round"/>"#,
    r#"<path d="M5.5 10.8V8M8.5 10.8V5.4M11.5 10.8V7" stroke="var(--accent)" stroke-width="1.8"/></svg>"#,
);

/// Tokens, elements, and the parts of a page.
pub(crate) const STYLES: [&str; 3] = [
    include_str!("../../web/tokens.css"),
    include_str!("../../web/base.css"),
    include_str!("../../web/page.css"),
];

/// The scripts, in an order in which each needs only those before it.
const SCRIPTS: [&str; 25] = [
    include_str!("../../web/chart/numbers.js"),
    include_str!("../../web/chart/colours.js"),
    include_str!("../../web/chart/unpack.js"),
    include_str!("../../web/chart/range.js"),
    include_str!("../../web/chart/calls.js"),
    include_str!("../../web/chart/cells.js"),
    include_str!("../../web/chart/raster.js"),
    include_str!("../../web/chart/canvas.js"),
    include_str!("../../web/chart/tip.js"),
    include_str!("../../web/chart/gestures.js"),
    include_str!("../../web/chart/bandwidth.js"),
    include_str!("../../web/chart/flow.js"),
    include_str!("../../web/chart/pick.js"),
    include_str!("../../web/chart/lane.js"),
    include_str!("../../web/chart/timeline.js"),
    include_str!("../../web/chart/heatmap.js"),
    include_str!("../../web/chart/bars.js"),
    include_str!("../../web/chart/extents.js"),
    include_str!("../../web/chart/boxes.js"),
    include_str!("../../web/chart/space.js"),
    include_str!("../../web/page/theme.js"),
    include_str!("../../web/page/controls.js"),
    include_str!("../../web/page/charts.js"),
    include_str!("../../web/page/address.js"),
    include_str!("../../web/page/main.js"),
];

pub(crate) fn style() -> String {
    STYLES.concat()
}

/// Returns all scripts as one.
pub(crate) fn script() -> String {
    joined(&SCRIPTS)
}

/// Returns scripts as one, without their imports and exports.
pub(crate) fn joined(scripts: &[&str]) -> String {
    let mut all = String::with_capacity(scripts.iter().map(|script| script.len()).sum());
    for line in scripts.iter().flat_map(|script| script.lines()) {
        if line.starts_with("import ") {
            continue;
        }
        all.push_str(line.strip_prefix("export ").unwrap_or(line));
        all.push('\n');
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::compare::page as compare;
    use crate::profile::page::assets as profile;
    use crate::tune::page as tune;

    #[test]
    fn scripts_and_styles_cannot_end_their_elements() {
        let scripts = [script(), profile::script(), compare::script(), tune::script()];
        let styles = [style(), profile::style(), compare::style(), tune::style()];
        for text in scripts.into_iter().chain(styles) {
            assert!(!text.contains("</") && !text.contains("<!--"), "an end tag inside");
            assert!(!text.contains("\nimport ") && !text.contains("\nexport "));
        }
    }

    #[test]
    fn a_name_at_the_top_of_a_script_is_there_once() {
        names_are_there_once(&script());
        names_are_there_once(&profile::script());
        names_are_there_once(&compare::script());
        names_are_there_once(&tune::script());
    }

    #[track_caller]
    fn names_are_there_once(script: &str) {
        let mut names: Vec<&str> = Vec::new();
        for line in script.lines().filter(|line| !line.starts_with(' ')) {
            let line = line.strip_prefix("async ").unwrap_or(line);
            let mut words = line.split([' ', '(', '=', ';', '{']).filter(|word| !word.is_empty());
            if matches!(words.next(), Some("const" | "let" | "function" | "class")) {
                names.extend(words.next());
            }
        }
        names.sort_unstable();
        let twice: Vec<_> = names.windows(2).filter(|pair| pair[0] == pair[1]).collect();
        assert!(names.len() > 30 && twice.is_empty(), "{twice:?}");
    }
}
