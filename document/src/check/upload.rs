use heck::ToSnakeCase;
use serde_json::Value;

use super::{list::list_of, requests};
use crate::{
    callbacks, referred,
    upload::{UPLOAD, Upload},
    violation::Collector,
};

/// What `x-upload` names exists, and can be put together to one method.
pub(super) fn check(document: &Value, violations: &mut Collector) {
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        if item["post"].get(UPLOAD).is_some() {
            upload(document, &item["post"], &format!("paths.{path}.post.{UPLOAD}"), violations);
        }
    }
}

fn upload(document: &Value, post: &Value, location: &str, violations: &mut Collector) {
    let mut members: Vec<_> = post[UPLOAD].as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    members.sort_unstable();
    let Some(upload) = Upload::read(post).filter(|_| members == Upload::MEMBERS) else {
        let expected = list_of(&Upload::MEMBERS);
        return violations.add(location, format!("must have exactly these members, each with a text: {expected}."));
    };
    let schemas = &document["components"]["schemas"];
    if schemas[&upload.items]["type"] != "object" {
        violations.add(&format!("{location}.items"), "must name an object under components.schemas.");
    }
    let ids: Vec<_> = requests::posts(document).filter_map(|post| post["operationId"].as_str()).collect();
    // With two words, it is not a keyword of Rust.
    let is_snake = upload.method == upload.method.to_snake_case() && upload.method.contains('_');
    if !is_snake || ids.contains(&upload.method.as_str()) {
        let problem =
            "must be a name in snake_case with two words or more that no operation has, since it becomes a method.";
        violations.add(&format!("{location}.method"), problem);
    }
    let is_text = |schema: &str| schemas[schema]["properties"][&upload.address]["type"] == "string";
    let data = requests::data(document, post).and_then(|data| referred(data).or_else(|| referred(&data["allOf"][0])));
    if !data.is_some_and(is_text) || requests::required(document, post) != ["data", "uid"] {
        violations.add(
            &format!("{location}.address"),
            "must be a property of type string of `data`, and the operation must require `uid` and `data` only.",
        );
    }
    let source = requests::find(document, &upload.address_from);
    let known = source.is_some_and(|source| {
        callbacks::response(source).is_some_and(is_text) && requests::required(document, source) == ["uid"]
    });
    if !known {
        let problem = "must be an operation that requires `uid` only, and whose `x-callback-response` has the property";
        violations.add(&format!("{location}.address-from"), format!("{problem} `{}`.", upload.address));
    }
}
