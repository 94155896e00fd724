//! What each kind of change means. The categories are those of oasdiff and `buf breaking`; the Rust verdicts know that the
//! structs are `#[non_exhaustive]`, built by `new` and setters, and that what is required is an argument.

use std::collections::{BTreeMap, BTreeSet};

use business_data_connector_document::{
    BODY_CREDENTIALS,
    contract::{Contract, Field, Operation},
};

use super::{
    Change,
    Verdict::{self, Breaking, Minor, Patch},
};

/// Every change, ordered by place.
pub fn changes(before: &Contract, after: &Contract) -> Vec<Change> {
    let mut changes = Changes::default();
    for (id, new) in &after.operations {
        if before.operations.contains_key(id) {
            continue;
        }
        match renamed(id, new, before, after) {
            Some(old) => changes.add(format!("{old}: was renamed {id}"), Breaking, Patch),
            None => changes.add(format!("{id}: was added"), Minor, Minor),
        }
    }
    for (id, old) in &before.operations {
        match after.operations.get(id) {
            Some(new) => operation(id, old, new, &mut changes),
            None if after
                .operations
                .iter()
                .any(|(new, of)| renamed(new, of, before, after).is_some_and(|old| old == id)) => {}
            None => changes.add(format!("{id}: was removed"), Breaking, Breaking),
        }
    }
    changes.0.sort_by(|a, b| a.sentence.cmp(&b.sentence));
    changes.0
}

/// The former name of an operation that is new by name only.
fn renamed<'a>(id: &str, new: &Operation, before: &'a Contract, after: &Contract) -> Option<&'a str> {
    let same = |old: &Operation| old.method == new.method && old.path == new.path;
    let gone = |old: &str| old != id && !after.operations.contains_key(old);
    before.operations.iter().find(|(old, of)| gone(old) && same(of)).map(|(old, _)| old.as_str())
}

fn operation(id: &str, old: &Operation, new: &Operation, changes: &mut Changes) {
    if (&old.method, &old.path) != (&new.method, &new.path) {
        // The method of `Connector` stays as it was.
        let sentence = format!("{id}: moved from {} {} to {} {}", old.method, old.path, new.method, new.path);
        changes.add(sentence, Patch, Breaking);
    }
    match (old.body_required, new.body_required) {
        (true, false) => changes.add(format!("{id}: the body became optional"), Patch, Patch),
        // The connector always sends one.
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
    marks(id, old, new, changes);
    let (gone, come): (Vec<_>, Vec<_>) =
        (old.types.difference(&new.types).collect(), new.types.difference(&old.types).collect());
    // A type that comes or goes with its field is told there.
    if !gone.is_empty() && !come.is_empty() {
        let sentence = format!("{id}: the type `{}` became `{}`", listed(&gone), listed(&come));
        changes.add(sentence, Breaking, Patch);
    }
    let (before, after) = (arguments(old), arguments(new));
    let set = |arguments: &[&str]| arguments.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    if before != after && set(&before) == set(&after) {
        changes.add(format!("{id}: the arguments changed their order to ({})", after.join(", ")), Breaking, Patch);
    }
    fields(id, &old.fields, &new.fields, changes);
}

/// The arguments of the method: what is required, without the credentials that the connector puts in.
fn arguments(operation: &Operation) -> Vec<&str> {
    operation.arguments.iter().map(String::as_str).filter(|name| !BODY_CREDENTIALS.contains(name)).collect()
}

fn statuses(id: &str, old: &Operation, new: &Operation, changes: &mut Changes) {
    for (status, content) in &new.statuses {
        match old.statuses.get(status) {
            None => changes.add(format!("{id}: the status {status} was added"), Minor, Minor),
            Some(before) if before == content => {}
            Some(before) => {
                // What reads the content of before finds another; without content there was nothing to read.
                let senders = if before == "no content" { Minor } else { Breaking };
                changes.add(format!("{id}: the status {status} went from {before} to {content}"), Minor, senders);
            }
        }
    }
    for status in old.statuses.keys().filter(|status| !new.statuses.contains_key(*status)) {
        // A handler for it is dead; `Error` tells every status all the same.
        changes.add(format!("{id}: the status {status} was removed"), Patch, Breaking);
    }
}

fn marks(id: &str, old: &Operation, new: &Operation, changes: &mut Changes) {
    for (mark, value) in &new.marks {
        let before = old.marks.get(mark).map_or("nothing", String::as_str);
        if before != value {
            // The effect decides what is repeated.
            let rust = if mark == "evidence" { Patch } else { Minor };
            changes.add(format!("{id}: {mark} went from {before} to {value}"), rust, Patch);
        }
    }
}

fn fields(id: &str, old: &BTreeMap<String, Field>, new: &BTreeMap<String, Field>, changes: &mut Changes) {
    for (place, field) in new {
        match old.get(place) {
            Some(before) => one_field(id, place, before, field, changes),
            None if inside(place, |parent| new.contains_key(parent) && !old.contains_key(parent)) => {}
            None if field.required => changes.add(format!("{id}: `{place}` was added, required"), Breaking, Breaking),
            None => changes.add(format!("{id}: `{place}` was added, optional"), Minor, Minor),
        }
    }
    for place in old.keys().filter(|place| !new.contains_key(*place)) {
        if !inside(place, |parent| old.contains_key(parent) && !new.contains_key(parent)) {
            changes.add(format!("{id}: `{place}` was removed"), Breaking, Breaking);
        }
    }
}

/// Whether a place is inside one of which this holds.
fn inside(place: &str, holds: impl Fn(&str) -> bool) -> bool {
    let ends = place.char_indices().filter(|(_, c)| ['.', '['].contains(c)).map(|(end, _)| end);
    ends.into_iter().any(|end| holds(&place[..end]))
}

fn one_field(id: &str, place: &str, old: &Field, new: &Field, changes: &mut Changes) {
    // The connector sends its credentials wherever they may be; otherwise an argument becomes a setter, or a setter an
    // argument.
    let rust = if BODY_CREDENTIALS.contains(&place) { Patch } else { Breaking };
    match (old.required, new.required) {
        (false, true) => changes.add(format!("{id}: `{place}` became required"), rust, Breaking),
        (true, false) => changes.add(format!("{id}: `{place}` became optional"), rust, Minor),
        _ => {}
    }
    if old.kind != new.kind {
        let (rust, senders) = kinds(&old.kind, &new.kind, new.required);
        changes.add(format!("{id}: `{place}` went from {} to {}", old.kind, new.kind), rust, senders);
    }
    for (keyword, value) in &new.limits {
        let before = old.limits.get(keyword);
        if before != Some(value) {
            let (rust, senders) = limit(keyword, before, value);
            let from = before.map_or_else(String::new, |before| format!(" went from {before} to"));
            changes.add(format!("{id}: `{place}`: {keyword}{from} {value}"), rust, senders);
        }
    }
    for keyword in old.limits.keys().filter(|keyword| !new.limits.contains_key(*keyword)) {
        let rust = if keyword == "enum" { Breaking } else { Minor };
        changes.add(format!("{id}: `{place}`: {keyword} was removed"), rust, Minor);
    }
}

fn kinds(old: &str, new: &str, required: bool) -> (Verdict, Verdict) {
    // An optional field is an `Option` either way.
    let optional = if required { Breaking } else { Patch };
    match (old.strip_suffix(" or null"), new.strip_suffix(" or null")) {
        (None, Some(kind)) if kind == old => (optional, Minor),
        (Some(kind), None) if kind == new => (optional, Breaking),
        _ if (old, new) == ("integer", "decimal") => (Breaking, Minor),
        _ => (Breaking, Breaking),
    }
}

/// Types carry no limits, so none but an `enum`, which would be a type, breaks Rust users.
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

fn listed(names: &[&String]) -> String {
    names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join("`, `")
}

#[derive(Default)]
struct Changes(Vec<Change>);

impl Changes {
    fn add(&mut self, sentence: String, rust: Verdict, senders: Verdict) {
        self.0.push(Change { sentence, rust, senders });
    }
}
