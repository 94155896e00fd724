use std::collections::BTreeSet;

use serde_json::Value;

use super::list::list_of;
use crate::violation::Collector;

/// What the head of the document declares fits together, and with what refers to it by name.
pub(super) fn check(document: &Value, violations: &mut Collector) {
    let mut addresses = BTreeSet::new();
    for (index, server) in document["servers"].as_array().into_iter().flatten().enumerate() {
        if server["url"].as_str().is_some_and(|address| !addresses.insert(address)) {
            violations.add(&format!("servers[{index}].url"), "is the address of another server, too; remove one.");
        }
        variables(server, &format!("servers[{index}]"), violations);
    }
    let mut tags = BTreeSet::new();
    for (index, tag) in document["tags"].as_array().into_iter().flatten().enumerate() {
        if tag["name"].as_str().is_some_and(|name| !tags.insert(name)) {
            violations.add(&format!("tags[{index}].name"), "is the name of another tag, too; remove one.");
        }
    }
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        let tag = item["post"]["tags"][0].as_str();
        if let Some(tag) = tag.filter(|tag| !tags.contains(tag)) {
            let declared = list_of(&tags.iter().collect::<Vec<_>>());
            let problem = format!("is `{tag}`, which `tags` does not declare; expected one of {declared}.");
            violations.add(&format!("paths.{path}.post.tags[0]"), problem);
        }
    }
    let components = &document["components"];
    for (name, _) in components["x-observed"]["responses"].as_object().into_iter().flatten() {
        if components["responses"].get(name).is_none() {
            let problem = "replaces nothing, since there is no response of that name under components.responses.";
            violations.add(&format!("components.x-observed.responses.{name}"), problem);
        }
    }
}

/// The variables in the address of a server, as `{name}`.
fn variables(server: &Value, location: &str, violations: &mut Collector) {
    let parts = server["url"].as_str().unwrap_or_default().split('{').skip(1);
    let used: BTreeSet<_> = parts.filter_map(|part| part.split_once('}')).map(|(name, _)| name).collect();
    let declared = server["variables"].as_object().into_iter().flatten().map(|(name, _)| name.as_str());
    let declared: BTreeSet<_> = declared.collect();
    for name in used.difference(&declared) {
        violations.add(&format!("{location}.url"), format!("has `{{{name}}}`, which is not among its `variables`."));
    }
    for name in declared.difference(&used) {
        let problem = "is not in the address of the server; remove it.";
        violations.add(&format!("{location}.variables.{name}"), problem);
    }
}
