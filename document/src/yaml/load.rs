use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput};

use super::{
    node::{Content, Key, Node},
    place::Place,
};
use crate::violation::{Collector, Violation};

/// How deep values may be nested. The document needs less than half of it.
const MAX_DEPTH: usize = 64;

/// How many values there may be once aliases are replaced by what they stand for.
const MAX_NODES: usize = 1_000_000;

/// The value of the only document in the text.
pub(super) fn root(text: &str, violations: &mut Collector) -> Result<Node, Violation> {
    for (index, line) in text.lines().enumerate() {
        let place = |column| Place { line: index + 1, column };
        if line.starts_with("%YAML") {
            violations.at(
                place(1),
                DOCUMENT,
                "names a version of YAML, which changes how it is read; remove the line.",
            );
        }
        if let Some((column, character)) = line.chars().enumerate().find(|(_, character)| BREAKS.contains(character)) {
            let problem = format!(
                "contains U+{:04X}, which ends a line for readers of YAML 1.1; remove it, or write it as an escape in \
                 double quotes.",
                u32::from(character)
            );
            violations.at(place(column + 1), DOCUMENT, problem);
        }
    }
    let mut loader = Loader { parser: Parser::new_from_str(text), anchors: BTreeMap::new(), nodes: 0, violations };
    loader.document()
}

/// The location of what concerns the text as a whole.
const DOCUMENT: &str = "document";

/// The characters that end a line in YAML 1.1 but not in YAML 1.2.
const BREAKS: [char; 3] = ['\u{85}', '\u{2028}', '\u{2029}'];

struct Loader<'a> {
    parser: Parser<'a, StrInput<'a>>,
    anchors: BTreeMap<usize, Node>,
    nodes: usize,
    violations: &'a mut Collector,
}

impl<'a> Loader<'a> {
    fn document(&mut self) -> Result<Node, Violation> {
        let mut root = None;
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamEnd => return Ok(root.unwrap_or_else(Node::absent)),
                Event::StreamStart | Event::DocumentEnd | Event::Nothing => {}
                Event::DocumentStart(_) if root.is_some() => {
                    return Err(invalid(span.start.into(), "it has more than one document"));
                }
                Event::DocumentStart(_) => {}
                event => root = Some(self.node(event, span, 0)?),
            }
        }
    }

    fn next(&mut self) -> Result<(Event<'a>, Span), Violation> {
        match self.parser.next_event() {
            Some(event) => event.map_err(|error: ScanError| invalid((*error.marker()).into(), error.info())),
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Node, Violation> {
        let place = Place::from(span.start);
        if depth > MAX_DEPTH {
            return Err(invalid(place, "it is nested too deeply"));
        }
        self.nodes += 1;
        let (content, anchor, tag) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_plain = style == ScalarStyle::Plain;
                (Content::Scalar { text: text.into_owned(), is_plain }, anchor, tag)
            }
            Event::SequenceStart(anchor, tag) => {
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        (Event::SequenceEnd, _) => break,
                        (event, span) => items.push(self.node(event, span, depth + 1)?),
                    }
                }
                (Content::List(items), anchor, tag)
            }
            Event::MappingStart(anchor, tag) => {
                let mut members = Vec::new();
                loop {
                    let (event, span) = match self.next()? {
                        (Event::MappingEnd, _) => break,
                        key => key,
                    };
                    let key = self.key(event, span, depth)?;
                    let (event, span) = self.next()?;
                    members.push((key, self.node(event, span, depth + 1)?));
                }
                (Content::Object(members), anchor, tag)
            }
            Event::Alias(anchor) => return self.alias(anchor, place),
            _ => return Err(invalid(place, "a value is missing")),
        };
        if tag.is_some() {
            self.violations.at(place, DOCUMENT, "has a tag, which readers take differently; remove it.");
        }
        let node = Node { place, content };
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn key(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Key, Violation> {
        let node = self.node(event, span, depth + 1)?;
        match node.content {
            Content::Scalar { text, is_plain } => Ok(Key { text, is_plain, place: node.place }),
            _ => Err(invalid(node.place, "a key is not text")),
        }
    }

    fn alias(&mut self, anchor: usize, place: Place) -> Result<Node, Violation> {
        let Some(node) = self.anchors.get(&anchor) else {
            return Err(invalid(place, "an alias refers to the value that it is part of"));
        };
        self.nodes += node.count();
        if self.nodes > MAX_NODES {
            return Err(invalid(place, "aliases make it too large"));
        }
        Ok(node.clone())
    }
}

fn invalid(place: Place, reason: &str) -> Violation {
    Violation::at(place, DOCUMENT, format!("is not valid YAML: {reason}."))
}
