//! Settings as the XML of the SC13 paper and of H5Tuner.

use std::path::Path;

use ioglass_param::{Layer, Param};
use roxmltree::{Document, Node, ParsingOptions};

use crate::argument::checked;
use crate::problem::Problems;
use crate::read::Content;
use crate::rule::{Origin, Rule};

/// The root of a document.
pub(crate) const ROOT: &str = "Parameters";
/// Sections and their layers.
pub(crate) const SECTIONS: [(&str, Layer); 3] = [
    ("High_Level_IO_Library", Layer::Hdf5),
    ("Middleware_Layer", Layer::Mpiio),
    ("Parallel_File_System", Layer::Fs),
];
/// Attributes of an element, for files and variables.
pub(crate) const FILE: &str = "FileName";
pub(crate) const VARIABLE: &str = "VariableName";

/// The most nodes of a document: more than 1 MiB of text can need.
const MAX_NODES: u32 = 1 << 18;
/// The deepest nesting that is looked at; the parser calls itself for each level.
const MAX_DEPTH: usize = 64;

/// Reads a text.
pub(crate) fn parse(text: &str, path: &Path, problems: &mut Problems) -> Content {
    let mut parser = Parser { path, problems, content: Content::default() };
    if is_deep(text) {
        parser.problems.add(path, None, "elements are nested deeper than 64");
        return parser.content;
    }
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..Default::default() };
    match Document::parse_with_options(text, options) {
        Ok(document) => parser.root(document.root_element()),
        Err(error) => {
            let line = error.pos().row as usize;
            let text = error.to_string();
            // The place stands before the text already.
            let text = text.rsplit_once(" at ").map_or(text.as_str(), |(text, _)| text);
            parser.problems.add(path, Some(line), text);
        }
    }
    parser.content
}

/// Elements are nested deeper than anybody's settings. Counts tags, not elements, so that a malformed text
/// is bounded, too.
fn is_deep(text: &str) -> bool {
    let (mut depth, mut bytes) = (0_usize, text.bytes().peekable());
    while let Some(byte) = bytes.next() {
        match (byte, bytes.peek()) {
            (b'<', Some(b'/')) | (b'/', Some(b'>')) => depth = depth.saturating_sub(1),
            (b'<', Some(next)) if !matches!(next, b'!' | b'?') => depth += 1,
            _ => {}
        }
        if depth > MAX_DEPTH {
            return true;
        }
    }
    false
}

struct Parser<'a> {
    path: &'a Path,
    problems: &'a mut Problems,
    content: Content,
}

impl Parser<'_> {
    fn problem(&mut self, node: Node<'_, '_>, text: impl Into<String>) {
        let line = line(node);
        self.problems.add(self.path, Some(line), text);
    }

    fn root(&mut self, root: Node<'_, '_>) {
        if root.tag_name().name() != ROOT {
            self.problem(root, format!("the root is not <{ROOT}>"));
            return;
        }
        for section in root.children().filter(Node::is_element) {
            let name = section.tag_name().name();
            match SECTIONS.iter().find(|(section, _)| *section == name) {
                Some((_, layer)) => {
                    for element in section.children().filter(Node::is_element) {
                        self.element(*layer, element);
                    }
                }
                None => {
                    let shown: String = name.chars().take(60).collect();
                    self.problem(section, format!("no section <{shown}>"));
                }
            }
        }
    }

    fn element(&mut self, layer: Layer, element: Node<'_, '_>) {
        let mut rule = Rule::default();
        for attribute in element.attributes() {
            let place = match attribute.name() {
                FILE => &mut rule.file,
                VARIABLE => &mut rule.variable,
                name => {
                    let shown: String = name.chars().take(60).collect();
                    self.problem(element, format!("no attribute {shown}; {FILE} or {VARIABLE}"));
                    return;
                }
            };
            *place = Some(attribute.value().trim().to_owned()).filter(|text| !text.is_empty());
        }
        if element.children().any(|child| child.is_element()) {
            self.problem(element, "an element of a parameter has a value and nothing else");
            return;
        }
        let value: String = element.descendants().filter_map(|node| text_of(node)).collect();
        let name = format!("{}.{}", layer.name(), element.tag_name().name());
        let origin = Origin::File(self.path.to_owned(), line(element));
        match checked(&name, &value, origin) {
            Ok(setting) => {
                rule.settings.push(setting);
                self.content.rules.push(rule);
            }
            Err(text) => self.problem(element, text),
        }
    }
}

fn text_of<'a>(node: Node<'a, '_>) -> Option<&'a str> {
    if node.is_text() { node.text() } else { None }
}

fn line(node: Node<'_, '_>) -> usize {
    node.document().text_pos_at(node.range().start).row as usize
}

/// The section of a parameter, if XML can say it.
pub(crate) fn section(param: &Param) -> Option<&'static str> {
    let section = SECTIONS.iter().find(|(_, layer)| *layer == param.layer)?;
    (!param.is_family()).then_some(section.0)
}
