//! Changes to callbacks, from the side of those who receive them: something more is harmless, since receivers tolerate
//! what they do not know; something less, or of another type, breaks them.

use std::collections::{BTreeMap, BTreeSet};

use business_data_connector_document::contract::{Callback, Contract, Field, Operation};

use super::verdict::{
    Change,
    Verdict::{self, Breaking, Minor, Patch},
};

/// Changes to which callbacks an operation has.
pub fn operation(id: &str, before: (&Contract, &Operation), after: (&Contract, &Operation)) -> Vec<Change> {
    match (&before.1.callback, &after.1.callback) {
        (None, Some(Callback { response, .. })) => {
            vec![change(format!("{id}: a callback with {response} was added"), Minor, Minor)]
        }
        (Some(_), None) => vec![change(format!("{id}: the callback was removed"), Breaking, Breaking)],
        (Some(old), Some(new)) => {
            // Their Rust types differ in name, and the envelope has none.
            let parts =
                [("response", &old.response, &new.response, Breaking), ("body", &old.envelope, &new.envelope, Patch)];
            let changed = parts.into_iter().filter(|(_, old, new, _)| old != new);
            let changes = changed.map(|(part, old, new, rust)| {
                let (fields_before, fields_after) = (fields_of(before.0, old), fields_of(after.0, new));
                let receivers = fields(new, &fields_before, &fields_after).into_iter().map(|change| change.receivers);
                let sentence = format!("{id}: the {part} of the callback went from {old} to {new}");
                change(sentence, rust, receivers.max().unwrap_or(Patch))
            });
            changes.collect()
        }
        (None, None) => Vec::new(),
    }
}

/// Changes to the schemas that callbacks consist of.
pub fn components(before: &Contract, after: &Contract) -> Vec<Change> {
    let mut changes = Vec::new();
    let envelopes = envelopes(before).into_iter().chain(envelopes(after)).collect::<BTreeSet<_>>();
    let (sent_before, sent_after) = (before.unused(), after.unused());
    // What an envelope or a record of requests means for Rust users is decided elsewhere.
    let has_type = |name: &str| !envelopes.contains(name) && sent_before.contains(name) && sent_after.contains(name);
    for name in &after.callbacks {
        if !before.callbacks.contains(name) {
            if after.unused().contains(name.as_str()) && !before.components.contains_key(name) {
                let rust = if envelopes.contains(name.as_str()) { Patch } else { Minor };
                changes.push(change(format!("{name}: was added to callbacks"), rust, Minor));
            }
            continue;
        }
        for mut change in fields(name, &fields_of(before, name), &fields_of(after, name)) {
            change.rust = if has_type(name) { change.rust } else { Patch };
            changes.push(change);
        }
    }
    for name in before.callbacks.iter().filter(|name| !after.components.contains_key(*name)) {
        let rust = if envelopes.contains(name.as_str()) { Patch } else { Breaking };
        changes.push(change(format!("{name}: was removed from callbacks"), rust, Breaking));
    }
    changes
}

fn envelopes(contract: &Contract) -> BTreeSet<&str> {
    contract.operations.values().filter_map(|operation| Some(operation.callback.as_ref()?.envelope.as_str())).collect()
}

fn fields_of(contract: &Contract, name: &str) -> BTreeMap<String, Field> {
    contract.components.get(name).map(|component| component.fields.clone()).unwrap_or_default()
}

/// Changes to the fields of a schema. Those of the schemas that it refers to are compared on their own.
fn fields(name: &str, old: &BTreeMap<String, Field>, new: &BTreeMap<String, Field>) -> Vec<Change> {
    let mut changes = Vec::new();
    for (path, field) in new.iter().filter(|(path, _)| !path.ends_with("[]") || old.contains_key(*path)) {
        match old.get(path) {
            Some(before) => one_field(&format!("callbacks: `{name}.{path}`"), before, field, &mut changes),
            None => changes.push(change(format!("callbacks: `{name}.{path}` was added"), Minor, Minor)),
        }
    }
    for path in old.keys().filter(|path| !path.ends_with("[]") && !new.contains_key(*path)) {
        changes.push(change(format!("callbacks: `{name}.{path}` was removed"), Breaking, Breaking));
    }
    changes
}

fn one_field(location: &str, old: &Field, new: &Field, changes: &mut Vec<Change>) {
    let mut add = |what: String, rust, receivers| changes.push(change(format!("{location} {what}"), rust, receivers));
    match (old.required, new.required) {
        (true, false) => add("became optional".to_owned(), Breaking, Breaking),
        (false, true) => add("became required".to_owned(), Breaking, Patch),
        _ => {}
    }
    if old.value_type != new.value_type {
        let (rust, receivers) = types(&old.value_type, &new.value_type, new.required);
        add(format!("went from {} to {}", old.value_type, new.value_type), rust, receivers);
    }
    for (keyword, value) in new.limits.iter().filter(|(keyword, value)| old.limits.get(*keyword) != Some(value)) {
        let rust = if keyword == "enum" { Breaking } else { Patch };
        // A new limit promises more than before; a different one may promise less.
        let receivers = if old.limits.contains_key(keyword) { Breaking } else { Patch };
        add(format!("has {keyword} {value}"), rust, receivers);
    }
    for keyword in old.limits.keys().filter(|keyword| !new.limits.contains_key(*keyword)) {
        let rust = if keyword == "enum" { Breaking } else { Patch };
        add(format!("has no {keyword} any more"), rust, Breaking);
    }
}

fn types(old: &str, new: &str, required: bool) -> (Verdict, Verdict) {
    // An optional field is an `Option` either way.
    let optional = if required { Breaking } else { Patch };
    match (old.strip_suffix(" or null"), new.strip_suffix(" or null")) {
        (None, Some(name)) if name == old => (optional, Breaking),
        (Some(name), None) if name == new => (optional, Patch),
        _ if old == "anything" || (old, new) == ("decimal", "integer") => (Breaking, Patch),
        _ => (Breaking, Breaking),
    }
}

/// Nothing that is received affects what is sent.
fn change(sentence: String, rust: Verdict, receivers: Verdict) -> Change {
    Change { sentence, rust, senders: Patch, receivers }
}
