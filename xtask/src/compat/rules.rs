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
    let mut renamed = BTreeMap::new();
    for (id, new) in after.operations.iter().filter(|(id, _)| !before.operations.contains_key(*id)) {
        let same = |old: &Operation| old.method == new.method && old.path == new.path;
        let gone = |old: &str| !after.operations.contains_key(old);
        match before.operations.iter().find(|(old, of)| gone(old) && same(of)) {
            // New by name only, or so it begins.
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
            Some(new) => operation(id, old, new, &mut changes),
            None => changes.add(format!("{id}: was removed"), Breaking, Breaking),
        }
    }
    components(before, after, &mut changes);
    changes.0.sort_by(|a, b| a.sentence.cmp(&b.sentence));
    changes.0
}

/// What the operations do not tell of a type: that it is there, the order of its arguments, and, where no request is made
/// of it, its fields.
fn components(before: &Contract, after: &Contract, changes: &mut Changes) {
    let (unused_before, unused_after) = (before.unused(), after.unused());
    for (name, new) in &after.components {
        let Some(old) = before.components.get(name) else {
            if unused_after.contains(name.as_str()) {
                changes.add(format!("{name}: was added"), Minor, Patch);
            }
            continue;
        };
        let (was, is) = (arguments(&old.arguments), arguments(&new.arguments));
        let set = |arguments: &[&str]| arguments.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        if was != is && set(&was) == set(&is) {
            changes.add(format!("{name}: the arguments changed their order to ({})", is.join(", ")), Breaking, Patch);
        }
        if unused_before.contains(name.as_str()) && unused_after.contains(name.as_str()) {
            let mut own = Changes::default();
            fields(name, &old.fields, &new.fields, &mut own);
            own.0.into_iter().for_each(|change| changes.add(change.sentence, change.rust, Patch));
        }
    }
    for name in before.components.keys().filter(|name| !after.components.contains_key(*name)) {
        changes.add(format!("{name}: the type was removed"), Breaking, Patch);
    }
}

/// The arguments of a constructor: what is required, without the credentials that the connector puts in.
fn arguments(required: &[String]) -> Vec<&str> {
    required.iter().map(String::as_str).filter(|name| !BODY_CREDENTIALS.contains(name)).collect()
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
    if old.sensitive != new.sensitive {
        let said = |field: &Field| field.sensitive.clone().unwrap_or_else(|| "nothing".to_owned());
        // Nobody's code is touched; what is printed is.
        changes.add(format!("{id}: `{place}` hides {} where it hid {}", said(new), said(old)), Patch, Patch);
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
    let is_type = |kind: &str| kind.starts_with(|first: char| first.is_ascii_uppercase());
    match (old.strip_suffix(" or null"), new.strip_suffix(" or null")) {
        (None, Some(kind)) if kind == old => (optional, Minor),
        (Some(kind), None) if kind == new => (optional, Breaking),
        _ if (old, new) == ("integer", "decimal") => (Breaking, Minor),
        // What differs inside is told there.
        _ if is_type(old) && is_type(new) => (Breaking, Patch),
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

#[derive(Default)]
struct Changes(Vec<Change>);

impl Changes {
    fn add(&mut self, sentence: String, rust: Verdict, senders: Verdict) {
        self.0.push(Change { sentence, rust, senders });
    }
}
