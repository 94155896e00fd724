//! What deployed services were observed to do otherwise, as overlay actions: `x-observed` of `components`.

use serde_json::Value;

use super::overlay::Action;

/// The extension. It has the members of `components` that replace those beside it.
const OBSERVED: &str = "x-observed";

/// Puts the observed components in place of the specified ones, and removes the extension.
pub fn actions(document: &Value) -> Vec<Action> {
    let Some(observed) = document["components"].get(OBSERVED) else { return Vec::new() };
    let components = || vec!["components".to_owned()];
    vec![
        Action {
            path: components(),
            why: "Replies have content: JSON with a loose schema.",
            update: Some(moved(observed)),
        },
        Action {
            path: [components(), vec![OBSERVED.to_owned()]].concat(),
            why: "Its content is in its place now.",
            update: None,
        },
    ]
}

/// A copy whose references point to where the overlay puts their targets.
fn moved(value: &Value) -> Value {
    match value {
        Value::String(text) => text.replace(&format!("#/components/{OBSERVED}/"), "#/components/").into(),
        Value::Array(items) => items.iter().map(moved).collect(),
        Value::Object(members) => members.iter().map(|(name, value)| (name.clone(), moved(value))).collect(),
        plain => plain.clone(),
    }
}
