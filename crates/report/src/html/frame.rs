//! What every page has in common: head, bar at the top, sections, data and scripts.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::assets;

/// A section that the bar at the top links to.
pub(crate) struct Section {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) body: Markup,
}

/// The parts of a page.
pub(crate) struct Frame {
    /// Follows "ioglass" in the title; it is escaped.
    pub(crate) title: String,
    pub(crate) style: String,
    /// What readers of screens may skip to: an anchor, and its name.
    pub(crate) skip: (&'static str, &'static str),
    pub(crate) hero: Markup,
    pub(crate) sections: Vec<Section>,
    pub(crate) footer: Markup,
    /// What the scripts draw; empty if there is nothing.
    pub(crate) data: Markup,
    pub(crate) script: String,
}

/// The anchor of the first section, and the words that lead there.
pub(crate) fn first(sections: &[Section]) -> (&'static str, &'static str) {
    (sections.first().map_or("top", |first| first.id), "Skip to the content")
}

impl Frame {
    /// Returns the page as text.
    pub(crate) fn page(&self) -> String {
        let (anchor, words) = self.skip;
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width,initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    // Whatever the data says, the page loads nothing.
                    meta http-equiv="Content-Security-Policy" content=(assets::POLICY);
                    title { "ioglass · " (self.title) }
                    style { (PreEscaped(&self.style)) }
                    noscript { style { ".scripted,#theme{display:none!important}" } }
                }
                body {
                    a class="skip" href={ "#" (anchor) } { (words) }
                    (self.bar())
                    main class="w" id="top" {
                        (self.hero)
                        @for section in &self.sections {
                            section id=(section.id) { (section.body) }
                        }
                    }
                    (self.footer)
                    div id="tip" role="status" {}
                    (self.data)
                    script type="module" { (PreEscaped(&self.script)) }
                }
            }
        };
        page.into_string()
    }

    /// The bar at the top.
    fn bar(&self) -> Markup {
        html! {
            div class="top" {
                div class="w" {
                    a class="logo" href="#top" { (PreEscaped(assets::LOGO)) "ioglass" }
                    nav aria-label="Sections" {
                        @for section in &self.sections {
                            a href={ "#" (section.id) } { (section.name) }
                        }
                    }
                    button id="theme" aria-label="Switch between light and dark" { "Dark" }
                }
            }
        }
    }
}
