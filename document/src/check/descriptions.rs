use std::collections::BTreeMap;

use serde_json::Value;

use crate::violation::Collector;

/// What tools show of an operation says what it does: some show the summary only, others the description only, and
/// agents choose by it.
pub(super) fn check(document: &Value, violations: &mut Collector) {
    let (mut summaries, mut sentences) = (BTreeMap::new(), BTreeMap::new());
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        let text = |key: &str| item["post"][key].as_str().unwrap_or_default().trim();
        let location = |key: &str| format!("paths.{path}.post.{key}");
        let (summary, description) = (text("summary"), text("description"));
        if !description.is_empty() && !begins_with_verb(description) {
            let problem = "must begin with a verb that says what the operation does, such as `Records`.";
            violations.add(&location("description"), problem);
        }
        unique("summary", summary, path, &mut summaries, violations, &location("summary"));
        let sentence = description.split(". ").next().unwrap_or_default().trim_end_matches('.');
        unique("first sentence", sentence, path, &mut sentences, violations, &location("description"));
    }
}

fn unique<'a>(
    what: &str,
    text: &'a str,
    path: &'a str,
    known: &mut BTreeMap<&'a str, &'a str>,
    violations: &mut Collector,
    location: &str,
) {
    if let Some(other) = known.insert(text, path).filter(|_| !text.is_empty()) {
        violations.add(location, format!("has the same {what} as {other}; say what differs."));
    }
}

/// Whether the first word looks like a verb in the third person.
fn begins_with_verb(text: &str) -> bool {
    let word = text.split([' ', '\n', ',', '.', ':']).next().unwrap_or_default();
    let is_lower = |rest: &str| rest.len() > 2 && rest.bytes().all(|byte| byte.is_ascii_lowercase());
    word.starts_with(|first: char| first.is_ascii_uppercase())
        && word.get(1..).is_some_and(is_lower)
        && word.ends_with('s')
        && !["This", "Its", "Has", "Does", "Was", "Always", "Perhaps"].contains(&word)
}
