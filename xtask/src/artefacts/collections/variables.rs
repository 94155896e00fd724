//! The variables of a collection: what a user sets once for all requests.

use std::collections::BTreeMap;

use business_data_connector_document::Document;

use crate::tools::sandbox::HEADER_KEY;

/// The variable with the address to which a file is uploaded.
pub const UPLOAD: &str = "uploadUrl";

/// The variable with the base URL.
pub const BASE_URL: &str = "baseUrl";

/// A variable with its value, which is that of the sandbox.
pub struct Variable {
    pub name: String,
    pub value: String,
}

/// The variables, and which parts of a request they replace.
pub struct Variables {
    /// In the order in which they are listed.
    pub list: Vec<Variable>,
    /// The names of variables by the name of the header.
    pub headers: BTreeMap<String, String>,
    /// The fields of bodies that are variables of the same name.
    pub fields: Vec<String>,
}

/// The variables of a document: its base URL, the header keys, and the text fields that several requests have at the
/// top, with the same example.
pub fn of(document: &Document) -> Variables {
    let value = document.as_value();
    let base_url = value["servers"][0]["variables"]["base_url"]["default"].as_str().unwrap_or_default();
    let mut list = vec![Variable { name: BASE_URL.to_owned(), value: base_url.to_owned() }];
    let mut headers = BTreeMap::new();
    for (scheme, definition) in value["components"]["securitySchemes"].as_object().into_iter().flatten() {
        if let Some(header) = definition["name"].as_str() {
            headers.insert(header.to_owned(), scheme.clone());
            list.push(Variable { name: scheme.clone(), value: HEADER_KEY.to_owned() });
        }
    }
    let mut examples: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for operation in document.operations() {
        let properties = value["components"]["schemas"][&operation.request]["properties"].as_object();
        for (name, schema) in properties.into_iter().flatten().filter(|(_, schema)| schema["type"] == "string") {
            examples.entry(name).or_default().extend(schema["example"].as_str());
        }
    }
    let shared = examples.into_iter().filter(|(_, examples)| examples.len() > 1);
    let shared = shared.filter_map(|(name, examples)| {
        let first = *examples.first()?;
        examples.iter().all(|example| *example == first).then_some((name, first))
    });
    let mut fields = Vec::new();
    for (name, example) in shared {
        fields.push(name.to_owned());
        list.push(Variable { name: name.to_owned(), value: example.to_owned() });
    }
    Variables { list, headers, fields }
}
