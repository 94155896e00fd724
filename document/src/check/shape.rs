//! Compares the document with the tables in `keywords`.

use serde_json::{Map, Value};

use super::list::list_of;
use crate::{reference::join, violation::Collector};

/// An object of the document: what it is, and its members.
pub(super) struct Shape {
    what: &'static str,
    /// What a `$ref` in its place begins with, if there may be one.
    target: Option<&'static str>,
    members: &'static [Member],
}

/// A keyword or an extension.
pub(super) struct Member {
    name: &'static str,
    kind: Kind,
    required: bool,
}

/// What a value is.
pub(super) enum Kind {
    /// Text that is not empty.
    Text,
    Flag,
    Number,
    /// A whole number, from 0.
    Count,
    /// A list of texts that differ.
    Names,
    /// An empty list.
    Empty,
    Any,
    /// Another rule checks it.
    Checked,
    /// Another rule refuses it, with its reason.
    Refused,
    List(&'static Self),
    /// An object with arbitrary names.
    Map(&'static Self),
    /// An object with HTTP statuses as its names.
    Statuses(&'static Self),
    Object(&'static Shape),
}

impl Shape {
    pub(super) const fn new(what: &'static str, members: &'static [Member]) -> Self {
        Self { what, target: None, members }
    }

    pub(super) const fn referring(what: &'static str, target: &'static str, members: &'static [Member]) -> Self {
        Self { what, target: Some(target), members }
    }

    pub(super) fn check(&self, value: &Value, location: &str, violations: &mut Collector) {
        let Some(object) = value.as_object() else {
            return violations.add(location, "must be an object.");
        };
        if let (Some(target), Some(reference)) = (self.target, object.get("$ref")) {
            // `references` reports a target that does not exist, and members beside the reference.
            let reference = reference.as_str().unwrap_or_default();
            let name = reference.strip_prefix(target);
            let elsewhere =
                reference.starts_with("#/") && name.is_none_or(|name| name.is_empty() || name.contains('/'));
            if elsewhere || reference.is_empty() {
                violations.add(&join(location, "$ref"), format!("must begin with `{target}`, followed by a name."));
            }
            return;
        }
        for (key, value) in object {
            let location = join(location, key);
            match self.members.iter().find(|member| member.name == key) {
                Some(member) => member.kind.check(value, &location, violations),
                None => violations.add(&location, self.unknown(key, object)),
            }
        }
        for member in self.members.iter().filter(|member| member.required && !object.contains_key(member.name)) {
            violations.add(location, format!("has no `{}`; add it.", member.name));
        }
    }

    /// The sentence about an unknown key, with the one that was probably meant.
    fn unknown(&self, key: &str, object: &Map<String, Value>) -> String {
        let members = self.members.iter().filter(|member| !matches!(member.kind, Kind::Refused));
        let names = members.map(|member| member.name).chain(self.target.map(|_| "$ref"));
        let mut names: Vec<_> = names.collect();
        let similarity = |name: &&str| strsim::jaro_winkler(name, key);
        let likely = names.iter().copied().max_by(|a, b| similarity(a).total_cmp(&similarity(b)));
        names.retain(|name| !object.contains_key(*name));
        match likely.filter(|name| similarity(name) >= SIMILAR || strsim::osa_distance(name, key) == 1) {
            Some(likely) => format!("is not a keyword of {}; perhaps `{likely}`.", self.what),
            None if names.len() <= LISTED => {
                format!("is not a keyword of {}; expected one of {}.", self.what, list_of(&names))
            }
            None => format!("is not a keyword that {} may have.", self.what),
        }
    }
}

/// How similar a keyword must be to be suggested, from 0 to 1.
const SIMILAR: f64 = 0.8;

/// How many keywords are listed if none is similar.
const LISTED: usize = 8;

/// A member that must be there.
pub(super) const fn must(name: &'static str, kind: Kind) -> Member {
    Member { name, kind, required: true }
}

/// A member that may be there, or whose absence another rule reports.
pub(super) const fn may(name: &'static str, kind: Kind) -> Member {
    Member { name, kind, required: false }
}

impl Kind {
    fn check(&self, value: &Value, location: &str, violations: &mut Collector) {
        let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.trim().is_empty());
        let (right, expected) = match self {
            Self::Any | Self::Checked | Self::Refused => return,
            Self::Object(shape) => return shape.check(value, location, violations),
            Self::Statuses(kind) => {
                let names = value.as_object().into_iter().flatten().map(|(name, _)| name);
                for name in names.filter(|name| !is_status(name)) {
                    violations.add(&join(location, name), "must be a status, such as `400` or `4XX`.");
                }
                return Self::Map(kind).check(value, location, violations);
            }
            Self::Map(kind) => match value.as_object() {
                Some(members) => {
                    // A `$ref` in place of all names is reported by those who look for them.
                    for (name, value) in members.iter().filter(|(name, value)| *name != "$ref" || value.is_object()) {
                        kind.check(value, &join(location, name), violations);
                    }
                    return;
                }
                None => (false, "an object"),
            },
            Self::List(kind) => match value.as_array() {
                Some(items) => {
                    for (index, value) in items.iter().enumerate() {
                        kind.check(value, &format!("{location}[{index}]"), violations);
                    }
                    return;
                }
                None => (false, "a list"),
            },
            Self::Text => (is_text(value), "text"),
            Self::Flag => (value.is_boolean(), "`true` or `false`"),
            Self::Number => (value.is_number(), "a number"),
            Self::Count => (value.is_u64(), "a whole number, from 0"),
            Self::Names => {
                let is_new = |(index, name): (usize, &Value), names: &[Value]| !names[..index].contains(name);
                let are_names = |names: &Vec<Value>| {
                    names.iter().all(is_text) && names.iter().enumerate().all(|name| is_new(name, names))
                };
                (value.as_array().is_some_and(are_names), "a list of different texts")
            }
            Self::Empty => (value.as_array().is_some_and(Vec::is_empty), "`[]`"),
        };
        if !right {
            violations.add(location, format!("must be {expected}."));
        }
    }
}

/// `paths` refuses `default`, with its reason.
fn is_status(name: &str) -> bool {
    let (class, rest) = name.split_at_checked(1).unwrap_or_default();
    let is_code = rest.len() == 2 && (rest == "XX" || rest.bytes().all(|byte| byte.is_ascii_digit()));
    name == "default" || is_code && ["1", "2", "3", "4", "5"].contains(&class)
}
