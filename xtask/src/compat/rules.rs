//! The verdict on each type of change. The categories follow oasdiff and `buf breaking`. The verdicts for Rust take
//! into account that structs are `#[non_exhaustive]`, with a constructor for the required fields and setters for the
//! others. What callbacks consist of is compared in `receivers`.

use std::collections::{BTreeMap, BTreeSet};

use business_data_connector_document::{
    BODY_CREDENTIALS,
    contract::{Contract, Field, Operation},
};

use super::{
    receivers,
    verdict::{
        Change,
        Verdict::{self, Breaking, Minor, Patch},
    },
};

/// All changes, sorted by location.
pub fn changes(before: &Contract, after: &Contract) -> Vec<Change> {
    let mut changes = Changes::default();
    let mut renamed = BTreeMap::new();
    for (id, new) in after.operations.iter().filter(|(id, _)| !before.operations.contains_key(*id)) {
        let same = |old: &Operation| old.method == new.method && old.path == new.path;
        let gone = |old: &str| !after.operations.contains_key(old);
        match before.operations.iter().find(|(old, of)| gone(old) && same(of)) {
            // The name is new; what else changed is compared below.
            Some((old, _)) => {
                changes.add(format!("{old}: was renamed {id}"), Breaking, Patch);
                renamed.insert(old.as_str(), id.as_str());
            }
            None => changes.add(format!("{id}: was added"), Minor, Minor),
        }
    }
    for (id, old) in &before.operations {
        let id = renamed.get(id.as_str()).copied().unwrap_or(id);
        match after.operations.get(id) {
            Some(new) => {
                operation(id, old, new, &mut changes);
                changes.0.extend(receivers::operation(id, (before, old), (after, new)));
            }
            None => changes.add(format!("{id}: was removed"), Breaking, Breaking),
        }
    }
    components(before, after, &mut changes);
    changes.0.extend(receivers::components(before, after));
    changes.0.sort_by(|a, b| a.sentence.cmp(&b.sentence));
    changes.0
}

/// Changes to a type that the operations do not show: its existence, the order of its arguments, and the fields of a
/// type that no request contains.
fn components(before: &Contract, after: &Contract, changes: &mut Changes) {
    let (unused_before, unused_after) = (before.unused(), after.unused());
    for (name, new) in &after.components {
        let Some(old) = before.components.get(name) else {
            let of_callbacks = after.callbacks.contains(name);
            if unused_after.contains(name.as_str()) && !of_callbacks {
                changes.add(format!("{name}: was added"), Minor, Patch);
            }
            continue;
        };
        let (was, is) = (arguments(&old.arguments), arguments(&new.arguments));
        let set = |arguments: &[&str]| arguments.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        if was != is && set(&was) == set(&is) {
            changes.add(format!("{name}: the arguments changed their order to ({})", is.join(", ")), Breaking, Patch);
        }
        let of_callbacks = before.callbacks.contains(name) && after.callbacks.contains(name);
        if unused_before.contains(name.as_str()) && unused_after.contains(name.as_str()) && !of_callbacks {
            let mut own = Changes::default();
            fields(name, &old.fields, &new.fields, &mut own);
            own.0.into_iter().for_each(|change| changes.add(change.sentence, change.rust, Patch));
        }
    }
    let gone = before.components.keys().filter(|name| !after.components.contains_key(*name));
    for name in gone.filter(|name| !before.callbacks.contains(*name)) {
        changes.add(format!("{name}: the type was removed"), Breaking, Patch);
    }
}

/// The arguments of a constructor: the required fields without the credentials, which the connector adds.
fn arguments(required: &[String]) -> Vec<&str> {
    required.iter().map(String::as_str).filter(|name| !BODY_CREDENTIALS.contains(name)).collect()
}

fn operation(id: &str, old: &Operation, new: &Operation, changes: &mut Changes) {
    if (&old.method, &old.path) != (&new.method, &new.path) {
        // The method of `Connector` is unaffected.
        let sentence = format!("{id}: moved from {} {} to {} {}", old.method, old.path, new.method, new.path);
        changes.add(sentence, Patch, Breaking);
    }
    match (old.body_required, new.body_required) {
        (true, false) => changes.add(format!("{id}: the body became optional"), Patch, Patch),
        // The connector always sends a body.
        (false, true) => changes.add(format!("{id}: the body became required"), Patch, Breaking),
        _ => {}
    }
    for header in new.headers.difference(&old.headers) {
        changes.add(format!("{id}: the header `{header}` became required"), Breaking, Breaking);
    }
    for header in old.headers.difference(&new.headers) {
        changes.add(format!("{id}: the header `{header}` is no longer required"), Patch, Patch);
    }
    statuses(id, old, new, changes);
    extensions(id, old, new, changes);
    if old.request != new.request {
        changes.add(
            format!("{id}: the type of the request went from {} to {}", old.request, new.request),
            Breaking,
            Patch,
        );
    }
    fields(id, &old.fields, &new.fields, changes);
}

fn statuses(id: &str, old: &Operation, new: &Operation, changes: &mut Changes) {
    for (status, content) in &new.statuses {
        match old.statuses.get(status) {
            None => changes.add(format!("{id}: the status {status} was added"), Minor, Minor),
            Some(before) if before == content => {}
            Some(before) => {
                // Code that reads the old content finds another; without content, there was nothing to read.
                let senders = if before == "no content" { Minor } else { Breaking };
                changes.add(format!("{id}: the status {status} went from {before} to {content}"), Minor, senders);
            }
        }
    }
    for status in old.statuses.keys().filter(|status| !new.statuses.contains_key(*status)) {
        // Code that handles it is dead, but `Error` still represents any status.
        changes.add(format!("{id}: the status {status} was removed"), Patch, Breaking);
    }
}

fn extensions(id: &str, old: &Operation, new: &Operation, changes: &mut Changes) {
    for (name, value) in &new.extensions {
        let before = old.extensions.get(name).map_or("nothing", String::as_str);
        if before != value {
            // The effect determines what is retried.
            let rust = if name == "evidence" { Patch } else { Minor };
            changes.add(format!("{id}: {name} went from {before} to {value}"), rust, Patch);
        }
    }
}

fn fields(id: &str, old: &BTreeMap<String, Field>, new: &BTreeMap<String, Field>, changes: &mut Changes) {
    for (path, field) in new {
        match old.get(path) {
            Some(before) => one_field(id, path, before, field, changes),
            None if inside(path, |parent| new.contains_key(parent) && !old.contains_key(parent)) => {}
            None if field.required => changes.add(format!("{id}: `{path}` was added, required"), Breaking, Breaking),
            None => changes.add(format!("{id}: `{path}` was added, optional"), Minor, Minor),
        }
    }
    for path in old.keys().filter(|path| !new.contains_key(*path)) {
        if !inside(path, |parent| old.contains_key(parent) && !new.contains_key(parent)) {
            changes.add(format!("{id}: `{path}` was removed"), Breaking, Breaking);
        }
    }
}

/// Whether a parent of a path satisfies a predicate.
fn inside(path: &str, holds: impl Fn(&str) -> bool) -> bool {
    let ends = path.char_indices().filter(|(_, c)| ['.', '['].contains(c)).map(|(end, _)| end);
    ends.into_iter().any(|end| holds(&path[..end]))
}

fn one_field(id: &str, path: &str, old: &Field, new: &Field, changes: &mut Changes) {
    // The connector adds credentials by itself. For other fields, an argument becomes a setter or the other way round.
    let rust = if BODY_CREDENTIALS.contains(&path) { Patch } else { Breaking };
    match (old.required, new.required) {
        (false, true) => changes.add(format!("{id}: `{path}` became required"), rust, Breaking),
        (true, false) => changes.add(format!("{id}: `{path}` became optional"), rust, Minor),
        _ => {}
    }
    if old.value_type != new.value_type {
        let (rust, senders) = types(&old.value_type, &new.value_type, new.required);
        changes.add(format!("{id}: `{path}` went from {} to {}", old.value_type, new.value_type), rust, senders);
    }
    if old.sensitive != new.sensitive {
        let hidden = |field: &Field| field.sensitive.clone().unwrap_or_else(|| "nothing".to_owned());
        // This affects what is printed, and no code.
        changes.add(format!("{id}: `{path}` hides {} where it hid {}", hidden(new), hidden(old)), Patch, Patch);
    }
    for (keyword, value) in &new.limits {
        let before = old.limits.get(keyword);
        if before != Some(value) {
            let (rust, senders) = limit(keyword, before, value);
            let from = before.map_or_else(String::new, |before| format!(" went from {before} to"));
            changes.add(format!("{id}: `{path}`: {keyword}{from} {value}"), rust, senders);
        }
    }
    for keyword in old.limits.keys().filter(|keyword| !new.limits.contains_key(*keyword)) {
        let rust = if keyword == "enum" { Breaking } else { Minor };
        changes.add(format!("{id}: `{path}`: {keyword} was removed"), rust, Minor);
    }
}

fn types(old: &str, new: &str, required: bool) -> (Verdict, Verdict) {
    // An optional field is an `Option` either way.
    let optional = if required { Breaking } else { Patch };
    let is_schema = |name: &str| name.starts_with(|first: char| first.is_ascii_uppercase());
    match (old.strip_suffix(" or null"), new.strip_suffix(" or null")) {
        (None, Some(name)) if name == old => (optional, Minor),
        (Some(name), None) if name == new => (optional, Breaking),
        _ if (old, new) == ("integer", "decimal") => (Breaking, Minor),
        // Differences between their fields are reported separately.
        _ if is_schema(old) && is_schema(new) => (Breaking, Patch),
        _ => (Breaking, Breaking),
    }
}

/// Rust types have no limits, so that only an `enum`, which would be a type, breaks Rust users.
fn limit(keyword: &str, before: Option<&String>, value: &str) -> (Verdict, Verdict) {
    let number = |text: &str| text.parse::<f64>().ok();
    let both = before.and_then(|before| Some((number(before)?, number(value)?)));
    let wider = match both {
        Some((before, after)) if keyword.starts_with("max") => after > before,
        Some((before, after)) if keyword.starts_with("min") => after < before,
        _ => false,
    };
    match keyword {
        "default" => (Patch, Patch),
        "additionalProperties" if value != "false" => (Patch, Minor),
        "enum" => (Breaking, Breaking),
        _ if wider => (Minor, Minor),
        _ => (Minor, Breaking),
    }
}

#[derive(Default)]
struct Changes(Vec<Change>);

impl Changes {
    fn add(&mut self, sentence: String, rust: Verdict, senders: Verdict) {
        self.0.push(Change { sentence, rust, senders, receivers: Patch });
    }
}
