use serde_json::{Map, Value};

use super::{
    place::{Place, Places},
    scalar,
};
use crate::{reference::join, violation::Collector};

/// A value as it is written.
#[derive(Clone)]
pub(super) struct Node {
    pub(super) place: Place,
    pub(super) content: Content,
}

#[derive(Clone)]
pub(super) enum Content {
    Scalar { text: String, is_plain: bool },
    List(Vec<Node>),
    Object(Vec<(Key, Node)>),
}

#[derive(Clone)]
pub(super) struct Key {
    pub(super) text: String,
    pub(super) is_plain: bool,
    pub(super) place: Place,
}

impl Node {
    /// The value of an empty text.
    pub(super) fn absent() -> Self {
        Self { place: Place::START, content: Content::Scalar { text: String::new(), is_plain: true } }
    }

    /// The number of values in it, including itself.
    pub(super) fn count(&self) -> usize {
        1 + match &self.content {
            Content::Scalar { .. } => 0,
            Content::List(items) => items.iter().map(Self::count).sum(),
            Content::Object(members) => members.iter().map(|(_, value)| value.count()).sum(),
        }
    }
}

/// Converts nodes to JSON, and records where each value is and what other readers would take otherwise.
pub(super) struct Reader {
    pub(super) violations: Collector,
    pub(super) places: Places,
}

impl Reader {
    pub(super) fn value(&mut self, node: &Node, location: &str) -> Value {
        match &node.content {
            Content::Scalar { text, .. } if location.is_empty() && text.is_empty() => Value::Null,
            Content::Scalar { text, is_plain: false } => Value::from(text.as_str()),
            Content::Scalar { text, is_plain: true } => {
                let (value, problem) = scalar::read(text);
                if let Some(problem) = problem {
                    self.violations.at(node.place, location, problem);
                }
                value
            }
            Content::List(items) => {
                let items = items.iter().enumerate().map(|(index, item)| {
                    let location = format!("{location}[{index}]");
                    self.places.insert(location.clone(), item.place);
                    self.value(item, &location)
                });
                Value::Array(items.collect())
            }
            Content::Object(members) => self.object(members, location),
        }
    }

    fn object(&mut self, members: &[(Key, Node)], location: &str) -> Value {
        let mut object = Map::new();
        let mut first = std::collections::BTreeMap::new();
        for (key, node) in members {
            let inner = join(location, &key.text);
            if let Some(place) = first.insert(key.text.as_str(), key.place) {
                let problem =
                    format!("is already defined in line {}; readers take either, so remove one of them.", place.line);
                self.violations.at(key.place, &inner, problem);
                continue;
            }
            if let Some(problem) = scalar::read_key(&key.text).filter(|_| key.is_plain) {
                self.violations.at(key.place, &inner, problem);
            }
            self.places.insert(inner.clone(), key.place);
            object.insert(key.text.clone(), self.value(node, &inner));
        }
        Value::Object(object)
    }
}
