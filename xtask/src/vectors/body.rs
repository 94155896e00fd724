//! JSON in which a number is the text that it is written with.

use std::collections::BTreeMap;

use business_data_connector_document::Document;
use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::{Value, value::RawValue};

use super::open_kind;

/// A JSON value.
#[derive(Clone)]
pub enum Body {
    /// Anything that has no parts, as its JSON text.
    Plain(String),
    Array(Vec<Body>),
    Object(BTreeMap<String, Body>),
}

impl Body {
    pub fn raw(json: &str) -> Self {
        Self::Plain(json.to_owned())
    }

    pub fn text(text: &str) -> Self {
        Self::Plain(Value::from(text).to_string())
    }

    /// The same with another value at a place; the parts of a list are reached through its first.
    pub fn with(&self, place: &[&str], value: Self) -> Self {
        let Some((name, rest)) = place.split_first() else {
            return value;
        };
        match self {
            Self::Array(items) => {
                let mut items = items.clone();
                if let Some(first) = items.first_mut() {
                    *first = first.with(rest, value);
                }
                Self::Array(items)
            }
            Self::Object(members) => {
                let mut members = members.clone();
                let member = members.get(*name).cloned().unwrap_or_else(|| Self::raw("null"));
                members.insert((*name).to_owned(), member.with(rest, value));
                Self::Object(members)
            }
            Self::Plain(_) => value,
        }
    }

    pub fn without(&self, name: &str) -> Self {
        match self {
            Self::Object(members) => Self::Object(
                members.iter().filter(|(member, _)| *member != name).map(|(k, v)| (k.clone(), v.clone())).collect(),
            ),
            other => other.clone(),
        }
    }

    /// The place of every plain value, with its type.
    pub fn leaves(&self) -> Vec<(Vec<String>, &'static str)> {
        let below = |name: &str, part: &Self| {
            let prefixed =
                part.leaves().into_iter().map(|(place, kind)| ([vec![name.to_owned()], place].concat(), kind));
            prefixed.collect::<Vec<_>>()
        };
        match self {
            Self::Plain(json) if json.starts_with('"') => vec![(Vec::new(), "string")],
            Self::Plain(_) => vec![(Vec::new(), "other")],
            Self::Array(items) => items.first().map(|first| below("0", first)).unwrap_or_default(),
            Self::Object(members) => members.iter().flat_map(|(name, part)| below(name, part)).collect(),
        }
    }
}

impl Serialize for Body {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Plain(json) => {
                serde_json::from_str::<&RawValue>(json).map_err(S::Error::custom)?.serialize(serializer)
            }
            Self::Array(items) => items.serialize(serializer),
            Self::Object(members) => members.serialize(serializer),
        }
    }
}

/// Makes bodies of a component.
pub struct Maker<'a>(&'a Value);

impl<'a> Maker<'a> {
    pub fn new(document: &'a Document) -> Self {
        Self(&document.as_value()["components"]["schemas"])
    }

    /// Every property, with its example.
    pub fn full(&self, component: &str) -> Body {
        self.object(component, |_| true, &|_| None)
    }

    /// The required properties, with their examples.
    pub fn minimal(&self, component: &str) -> Body {
        let required = &self.0[component]["required"];
        let is_required = |name: &str| required.as_array().into_iter().flatten().any(|required| required == name);
        match self.object(component, is_required, &|_| None) {
            Body::Object(members) => {
                let minimal = |(name, member)| match self.referred(&self.0[component]["properties"][&name]) {
                    Some(component) => (name, self.minimal(component)),
                    None => (name, member),
                };
                Body::Object(members.into_iter().map(minimal).collect())
            }
            other => other,
        }
    }

    /// Every property, those of a type with this value where nothing closes them; `None` when there are none.
    pub fn everywhere(&self, component: &str, kind: &str, value: &Body) -> Option<Body> {
        let changed = std::cell::Cell::new(false);
        let body = self.object(component, |_| true, &|schema| {
            let open = open_kind(schema).is_some_and(|open| open == kind);
            changed.set(changed.get() || open);
            open.then(|| value.clone())
        });
        changed.get().then_some(body)
    }

    fn object(&self, component: &str, wanted: impl Fn(&str) -> bool, given: &dyn Fn(&Value) -> Option<Body>) -> Body {
        let properties = self.0[component]["properties"].as_object().into_iter().flatten();
        let members =
            properties.filter(|(name, _)| wanted(name)).map(|(name, schema)| (name.clone(), self.value(schema, given)));
        Body::Object(members.collect())
    }

    fn value(&self, schema: &Value, given: &dyn Fn(&Value) -> Option<Body>) -> Body {
        if let Some(given) = given(schema) {
            return given;
        }
        match self.referred(schema) {
            Some(component) => self.object(component, |_| true, given),
            None if schema["type"] == "array" => Body::Array(vec![self.value(&schema["items"], given)]),
            None if schema.get("example").is_some() => Body::raw(&schema["example"].to_string()),
            None => Body::raw(match schema["type"].as_str() {
                Some("boolean") => "true",
                Some("number" | "integer") => "1",
                _ => "\"text\"",
            }),
        }
    }

    fn referred(&self, schema: &'a Value) -> Option<&'a str> {
        let target = schema["$ref"].as_str().or_else(|| schema["allOf"][0]["$ref"].as_str())?;
        target.rsplit('/').next()
    }
}
