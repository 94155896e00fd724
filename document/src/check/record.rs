use std::collections::BTreeMap;

use serde_json::Value;

use super::{list::list_of, requests};
use crate::{
    callbacks,
    record::{Batch, RECORD, Record},
    referred,
    violation::Collector,
};

/// What `x-record` names exists and fits, so that a record can be sent, sent with others, and looked for.
pub(super) fn check(document: &Value, violations: &mut Collector) {
    let mut schemas: BTreeMap<&str, String> = BTreeMap::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        let post = &item["post"];
        if post.get(RECORD).is_none() {
            continue;
        }
        let location = format!("paths.{path}.post.{RECORD}");
        let Some(schema) = record(document, post, &location, violations) else { continue };
        if let Some(other) = schemas.insert(schema, path.clone()) {
            let problem = format!("is about {schema}, as the one of {other} is; a record is pushed by one operation.");
            violations.add(&location, problem);
        }
    }
}

/// The schema of the record.
fn record<'a>(document: &'a Value, post: &'a Value, location: &str, violations: &mut Collector) -> Option<&'a str> {
    let members = post[RECORD].as_object();
    let texts = members.is_some_and(|members| {
        members.iter().all(|(name, value)| Record::MEMBERS.contains(&name.as_str()) && value.is_string())
            && members.contains_key("batch") == members.contains_key("batch-member")
    });
    let Some(record) = Record::read(post).filter(|_| texts) else {
        let known = list_of(&Record::MEMBERS);
        let problem = format!(
            "must have `id`, and may have `pulled-by`, and `batch` with `batch-member`, each with a text; known are {known}."
        );
        violations.add(location, problem);
        return None;
    };
    let schema = requests::data(document, post).and_then(referred);
    if schema.is_some_and(|schema| document["components"]["schemas"].get(schema).is_none()) {
        // The reference is reported where it is.
        return None;
    }
    let properties = schema.map(|schema| &document["components"]["schemas"][schema]["properties"]);
    if properties.is_none_or(|properties| properties[&record.id]["type"] != "string")
        || requests::required(document, post) != ["data", "uid"]
    {
        let problem = "must be a property of type string of the record in `data`, and the operation must require `uid` \
                       and `data` only.";
        violations.add(&format!("{location}.id"), problem);
    }
    if let (Some(Batch { operation, member }), Some(schema)) = (&record.batch, schema) {
        let lists = requests::find(document, operation).is_some_and(|batch| {
            let list = requests::data(document, batch)
                .and_then(referred)
                .map(|name| &document["components"]["schemas"][name]["properties"][member]["items"]);
            requests::required(document, batch) == ["data", "uid"] && list.and_then(referred) == Some(schema)
        });
        if !lists {
            let problem = format!("must be an operation whose `data` has a list of {schema} as its `{member}`.");
            violations.add(&format!("{location}.batch"), problem);
        }
    }
    if let Some(id) = &record.pulled_by {
        let pulls = requests::find(document, id).is_some_and(|pull| {
            pull["x-effect"] != "write"
                && callbacks::response(pull).is_some()
                && requests::required(document, pull).iter().all(|name| ["uid", "webhook"].contains(name))
        });
        if !pulls {
            let problem = "must be an operation that reads, has callbacks, and requires `uid` and `webhook` only.";
            violations.add(&format!("{location}.pulled-by"), problem);
        }
    }
    schema
}
