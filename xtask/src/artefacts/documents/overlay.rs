//! OpenAPI Overlay 1.0: writing one, and applying it as the specification says.

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::Value;

use super::super::vectors::Body;

/// One change of a document.
pub struct Action {
    /// The keys that lead to an object, which must exist.
    pub path: Vec<String>,
    /// The reason, as a sentence.
    pub why: &'static str,
    /// What is merged into the object; `None` if it is removed.
    pub update: Option<Value>,
}

impl Action {
    /// The path as a JSONPath.
    fn target(&self) -> String {
        let keys = self.path.iter().map(|key| format!("['{}']", key.replace('\\', r"\\").replace('\'', r"\'")));
        format!("${}", keys.collect::<String>())
    }
}

/// The members of an overlay, in the order in which the specification lists them.
#[derive(Serialize)]
struct Overlay<'a> {
    overlay: &'static str,
    info: Info<'a>,
    extends: &'static str,
    actions: Vec<Member<'a>>,
}

#[derive(Serialize)]
struct Info<'a> {
    title: &'static str,
    version: &'a str,
}

#[derive(Serialize)]
struct Member<'a> {
    target: String,
    description: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    update: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remove: Option<bool>,
}

/// The overlay as YAML.
pub fn yaml(version: &str, actions: &[Action]) -> Result<String> {
    let overlay = Overlay {
        overlay: "1.0.0",
        info: Info { title: "Business Data Connector Service, as deployed services reply", version },
        extends: "connector.json",
        actions: actions
            .iter()
            .map(|action| Member {
                target: action.target(),
                description: action.why,
                update: action.update.as_ref(),
                remove: action.update.is_none().then_some(true),
            })
            .collect(),
    };
    let text = yaml_serde::to_string(&overlay).context("the overlay cannot be written as YAML")?;
    Ok(format!("# Made by `cargo xtask regen` from `x-observed` in connector.yaml.\n{text}"))
}

/// The document with every action applied in its order.
pub fn applied(document: &Body, actions: &[Action]) -> Result<Body> {
    let mut document = document.clone();
    for action in actions {
        let path: Vec<_> = action.path.iter().map(String::as_str).collect();
        let found = path.iter().try_fold(&document, |inner, key| inner.get(key));
        let found =
            found.with_context(|| format!("the overlay has the target {}, which does not exist", action.target()))?;
        document = match &action.update {
            Some(update) => document.with(&path, merged(found, &Body::from(update))),
            None => document.without(&path),
        };
    }
    Ok(document)
}

/// Objects are merged, lists are appended, and anything else is replaced.
fn merged(target: &Body, update: &Body) -> Body {
    match (target, update) {
        (Body::Object(target), Body::Object(update)) => {
            let mut members = target.clone();
            for (name, value) in update {
                let value = target.get(name).map_or_else(|| value.clone(), |old| merged(old, value));
                members.insert(name.clone(), value);
            }
            Body::Object(members)
        }
        (Body::Array(target), Body::Array(update)) => Body::Array([&target[..], update].concat()),
        _ => update.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn body(value: Value) -> Body {
        Body::from(&value)
    }

    fn value(body: &Body) -> Value {
        serde_json::to_value(body).unwrap()
    }

    #[test]
    fn an_update_is_merged_and_lists_are_appended() {
        let document = body(json!({ "a": { "kept": 1.5, "list": [1], "replaced": {} }, "b": 2 }));
        let update = json!({ "list": [2], "replaced": "text", "added": null });
        let action = Action { path: vec!["a".to_owned()], why: "", update: Some(update) };
        let expected = json!({ "a": { "kept": 1.5, "list": [1, 2], "replaced": "text", "added": null }, "b": 2 });
        assert_eq!(value(&applied(&document, &[action]).unwrap()), expected);
    }

    #[test]
    fn a_target_is_removed_and_must_exist() {
        let remove = |key: &str| Action { path: vec!["a".to_owned(), key.to_owned()], why: "", update: None };
        let document = body(json!({ "a": { "it's": 1, "b": 2 } }));
        assert_eq!(remove("it's").target(), r"$['a']['it\'s']");
        assert_eq!(value(&applied(&document, &[remove("it's")]).unwrap()), json!({ "a": { "b": 2 } }));
        let missing = applied(&document, &[remove("c")]).map(|_| ()).unwrap_err().to_string();
        assert_eq!(missing, "the overlay has the target $['a']['c'], which does not exist");
    }
}
