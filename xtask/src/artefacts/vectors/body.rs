//! JSON bodies whose numbers keep their digits.

use std::collections::BTreeMap;

use business_data_connector_document::{Document, LIMITS, referred};
use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::{Value, value::RawValue};

/// A JSON value.
#[derive(Clone)]
pub enum Body {
    /// A string, number, boolean or null, as JSON text.
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

    /// The member of an object.
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.get(name),
            _ => None,
        }
    }

    /// A copy with another value at a path. In an array, only the first item can be reached.
    pub fn with(&self, path: &[&str], value: Self) -> Self {
        let Some((name, rest)) = path.split_first() else {
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

    /// A copy without the member at a path.
    pub fn without(&self, path: &[&str]) -> Self {
        let Some((name, rest)) = path.split_first() else { return self.clone() };
        match self {
            Self::Array(items) => Self::Array(items.iter().map(|item| item.without(rest)).collect()),
            Self::Object(members) => {
                let mut members = members.clone();
                match (rest.is_empty(), members.get(*name)) {
                    (false, Some(member)) => _ = members.insert((*name).to_owned(), member.without(rest)),
                    _ => _ = members.remove(*name),
                }
                Self::Object(members)
            }
            plain => plain.clone(),
        }
    }

    /// Every path in it, beginning with the empty one. Of an array, only the first item is visited.
    pub fn paths(&self) -> Vec<Vec<String>> {
        let below = |name: &str, part: &Self| {
            let inner = part.paths().into_iter().map(|path| [vec![name.to_owned()], path].concat());
            inner.collect::<Vec<_>>()
        };
        let inner = match self {
            Self::Plain(_) => Vec::new(),
            Self::Array(items) => items.first().map(|first| below("0", first)).unwrap_or_default(),
            Self::Object(members) => members.iter().flat_map(|(name, part)| below(name, part)).collect(),
        };
        [vec![Vec::new()], inner].concat()
    }
}

impl From<&Value> for Body {
    fn from(value: &Value) -> Self {
        match value {
            Value::Array(items) => Self::Array(items.iter().map(Self::from).collect()),
            Value::Object(members) => {
                Self::Object(members.iter().map(|(name, value)| (name.clone(), Self::from(value))).collect())
            }
            plain => Self::Plain(plain.to_string()),
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

/// Generates bodies of a component.
pub struct Maker<'a>(&'a Value);

impl<'a> Maker<'a> {
    pub fn new(document: &'a Document) -> Self {
        Self(&document.as_value()["components"]["schemas"])
    }

    /// A body with every property, set to its example.
    pub fn full(&self, component: &str) -> Body {
        self.object(component, &|_| None)
    }

    /// A body with the required properties only, at every depth, set to their examples.
    pub fn minimal(&self, component: &str) -> Body {
        let required = required(&self.0[component]);
        let properties = self.0[component]["properties"].as_object().into_iter().flatten();
        let members = properties.filter(|(name, _)| required.contains(&name.as_str())).map(|(name, schema)| {
            let value = match referred(schema) {
                Some(component) => self.minimal(component),
                None if schema["type"] == "array" && schema.get("minItems").is_none() => Body::Array(Vec::new()),
                None => self.value(schema, &|_| None),
            };
            (name.clone(), value)
        });
        Body::Object(members.collect())
    }

    /// The property at a path, as the document describes it.
    pub fn property(&self, component: &str, path: &[&str]) -> Property {
        let mut property = Property::default();
        let (mut owner, mut schema) = (component, &Value::Null);
        for name in path {
            match schema["type"] == "array" {
                true => schema = &schema["items"],
                false => {
                    property.required = required(&self.0[owner]).contains(name);
                    schema = &self.0[owner]["properties"][*name];
                }
            }
            owner = referred(schema).unwrap_or(owner);
        }
        let is_item = path.last().is_some_and(|last| *last == "0");
        property.required &= !is_item;
        property.nullable = schema["nullable"] == true;
        property.is_text = schema["type"] == "string";
        property.is_boolean = schema["type"] == "boolean";
        property.is_object = referred(schema).is_some();
        property
    }

    /// A body with every property, in which unrestricted properties of a type have this value. `None` if there are
    /// none.
    pub fn everywhere(&self, component: &str, json_type: &str, value: &Body) -> Option<Body> {
        let changed = std::cell::Cell::new(false);
        let body = self.object(component, &|schema| {
            let open = unrestricted_type(schema) == Some(json_type);
            changed.set(changed.get() || open);
            open.then(|| value.clone())
        });
        changed.get().then_some(body)
    }

    fn object(&self, component: &str, given: &dyn Fn(&Value) -> Option<Body>) -> Body {
        let properties = self.0[component]["properties"].as_object().into_iter().flatten();
        let members = properties.map(|(name, schema)| (name.clone(), self.value(schema, given)));
        Body::Object(members.collect())
    }

    fn value(&self, schema: &Value, given: &dyn Fn(&Value) -> Option<Body>) -> Body {
        if let Some(given) = given(schema) {
            return given;
        }
        match referred(schema) {
            Some(component) => self.object(component, given),
            None if schema["type"] == "array" => {
                let count =
                    schema["minItems"].as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or(1).max(1);
                Body::Array(vec![self.value(&schema["items"], given); count])
            }
            None if schema.get("example").is_some() => Body::raw(&schema["example"].to_string()),
            None => Body::raw(match schema["type"].as_str() {
                Some("boolean") => "true",
                Some("number" | "integer") => "1",
                _ => "\"text\"",
            }),
        }
    }
}

/// A property, as the document describes it.
#[derive(Default)]
pub struct Property {
    pub required: bool,
    pub nullable: bool,
    pub is_text: bool,
    pub is_boolean: bool,
    pub is_object: bool,
}

fn required(schema: &Value) -> Vec<&str> {
    schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// The type of a property that accepts any value of it.
fn unrestricted_type(schema: &Value) -> Option<&str> {
    let restricted = LIMITS.iter().any(|keyword| schema.get(keyword).is_some());
    schema["type"].as_str().filter(|_| !restricted)
}
