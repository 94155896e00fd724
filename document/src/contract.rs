//! What a document promises, a line per leaf: what a reviewer reads, and what two versions are compared by.
//!
//! ```text
//! push_income: POST /api/push/income, body required, effect write
//! push_income > status 200: no content
//! push_income > body: PushIncomeRequest
//! push_income > data.amount?: decimal
//! IncomeRecord()
//! ```
//!
//! A field that may be absent has a `?`. A list's items have `[]`. What is in brackets behind a schema are the arguments of `new`. Descriptions, summaries and examples are not in it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{Faults, document, reference, referred};

/// What a document promises.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contract {
    /// By `operationId`.
    pub operations: BTreeMap<String, Operation>,
    /// By name, every schema: each is a type in Rust, whether an operation uses it or not.
    pub components: BTreeMap<String, Component>,
}

/// What is promised of a schema as a type.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Component {
    /// Required fields in their order, which is that of the arguments of `new` in Rust.
    pub arguments: Vec<String>,
    /// By name, its own fields.
    pub fields: BTreeMap<String, Field>,
}

/// What is promised of an operation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Operation {
    /// `POST`.
    pub method: String,
    /// `/api/push/income`.
    pub path: String,
    /// Whether a request without a body is refused.
    pub body_required: bool,
    /// Headers that must be there: the credential of `security`, and parameters. In lower case, as HTTP compares them.
    pub headers: BTreeSet<String>,
    /// By status, what the answer carries, with its schema.
    pub statuses: BTreeMap<String, String>,
    /// By extension, without its `x-`: what is said of the operation.
    pub marks: BTreeMap<String, String>,
    /// The name of the request's schema, which is that of its type in Rust.
    pub request: String,
    /// By place, such as `data.items[].price`: what is promised of a field.
    pub fields: BTreeMap<String, Field>,
}

/// What is promised of a field of a request, or of what is inside it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Field {
    /// Whether it must be there, given what it stands in.
    pub required: bool,
    /// `string`, `boolean`, `decimal`, `integer`, `list`, or the name of a schema; with `or null` where null is allowed.
    pub kind: String,
    /// What is never printed of it: `x-sensitive`.
    pub sensitive: Option<String>,
    /// By keyword, what else is asked of a value: `pattern`, `maxLength`, `enum`, `additionalProperties` ...
    pub limits: BTreeMap<String, String>,
}

impl Contract {
    /// Reads the contract of any OpenAPI 3.0 document, also of one that [`Document`](crate::Document) would refuse.
    ///
    /// # Errors
    /// When it is not YAML.
    pub fn parse(text: &str) -> Result<Self, Faults> {
        let document = document::read(text)?;
        let mut contract = Self::default();
        for (path, item) in entries(&document["paths"]) {
            for (method, operation) in entries(item).filter(|(method, _)| METHODS.contains(method)) {
                let id = operation["operationId"].as_str().map_or_else(|| format!("{method} {path}"), str::to_owned);
                contract.operations.insert(id, read(&document, method, path, operation));
            }
        }
        for (name, schema) in entries(&document["components"]["schemas"]) {
            let is_required = |field: &str| required(schema).any(|required| required == field);
            let fields = entries(&schema["properties"]);
            let fields =
                fields.map(|(name, property)| (name.to_owned(), field(&document, property, is_required(name))));
            let component = Component { arguments: required(schema).map(plain).collect(), fields: fields.collect() };
            contract.components.insert(name.to_owned(), component);
        }
        Ok(contract)
    }

    /// A line per leaf, ordered.
    pub fn lines(&self) -> Vec<String> {
        let operations = self.operations.iter().flat_map(|(id, operation)| operation.lines(id));
        let unused = self.unused();
        let components = self.components.iter().flat_map(|(name, component)| {
            let fields = component.fields.iter().filter(|_| unused.contains(name.as_str()));
            let fields = fields.map(move |(field, promised)| promised.line(name, field));
            std::iter::once(format!("{name}({})", component.arguments.join(", "))).chain(fields)
        });
        operations.chain(components).collect()
    }

    /// The schemas that no request is made of.
    pub fn unused(&self) -> BTreeSet<&str> {
        let used = self.operations.values().flat_map(|operation| {
            let kinds = operation.fields.values().map(|field| field.kind.trim_end_matches(" or null"));
            kinds.chain([operation.request.as_str()])
        });
        let used: BTreeSet<_> = used.collect();
        self.components.keys().map(String::as_str).filter(|name| !used.contains(name)).collect()
    }
}

impl Field {
    fn line(&self, owner: &str, place: &str) -> String {
        let optional = if self.required { "" } else { "?" };
        let limits: String = self.limits.iter().map(|(keyword, value)| format!(", {keyword} {value}")).collect();
        let sensitive = self.sensitive.as_ref().map(|kind| format!(", sensitive {kind}")).unwrap_or_default();
        format!("{owner} > {place}{optional}: {}{limits}{sensitive}", self.kind)
    }
}

impl Operation {
    fn lines(&self, id: &str) -> Vec<String> {
        let body = if self.body_required { "body required" } else { "body optional" };
        let marks = self.marks.iter().map(|(mark, value)| format!(", {mark} {value}"));
        let mut lines = vec![format!("{id}: {} {}, {body}{}", self.method, self.path, marks.collect::<String>())];
        lines.extend(self.headers.iter().map(|header| format!("{id} > header {header}")));
        lines.extend(self.statuses.iter().map(|(status, content)| format!("{id} > status {status}: {content}")));
        lines.push(format!("{id} > body: {}", self.request));
        lines.extend(self.fields.iter().map(|(place, field)| field.line(id, place)));
        lines
    }
}

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// Keywords that say how a value is described, not what is asked of it.
const PROSE: [&str; 7] = ["title", "description", "example", "externalDocs", "deprecated", "xml", "writeOnly"];

/// Keywords that are told by the structure of the contract itself.
const STRUCTURE: [&str; 7] = ["type", "properties", "required", "items", "allOf", "$ref", "nullable"];

fn read(document: &Value, method: &str, path: &str, value: &Value) -> Operation {
    let mut operation = Operation {
        method: method.to_uppercase(),
        path: path.to_owned(),
        body_required: value["requestBody"]["required"] == true,
        headers: headers(document, value),
        ..Operation::default()
    };
    for (status, response) in entries(&value["responses"]) {
        let kinds = entries(&resolved(document, response)["content"]);
        let kinds: Vec<_> = kinds.map(|(kind, content)| format!("{kind} {}", content["schema"])).collect();
        let content = if kinds.is_empty() { "no content".to_owned() } else { kinds.join(", ") };
        operation.statuses.insert(status.to_owned(), content);
    }
    for (key, value) in entries(value) {
        if let Some(mark) = key.strip_prefix("x-") {
            operation.marks.insert(mark.to_owned(), plain(value));
        }
    }
    for (_, content) in entries(&value["requestBody"]["content"]) {
        let schema = &content["schema"];
        operation.request = referred(schema).unwrap_or("inline").to_owned();
        fields(document, schema, "", &mut operation, 0);
    }
    operation
}

fn headers(document: &Value, operation: &Value) -> BTreeSet<String> {
    let schemes = operation["security"].as_array().into_iter().flatten().flat_map(entries).map(|(name, _)| name);
    let schemes = schemes.map(|name| &document["components"]["securitySchemes"][name]["name"]);
    let parameters =
        operation["parameters"].as_array().into_iter().flatten().map(|parameter| resolved(document, parameter));
    let parameters = parameters.filter(|parameter| parameter["in"] == "header" && parameter["required"] == true);
    schemes
        .chain(parameters.map(|parameter| &parameter["name"]))
        .filter_map(Value::as_str)
        .map(str::to_lowercase)
        .collect()
}

/// Deep enough for any record that is not its own part.
const DEEPEST: usize = 12;

fn fields(document: &Value, schema: &Value, place: &str, operation: &mut Operation, depth: usize) {
    let schema = resolved(document, schema);
    if depth > DEEPEST {
        return;
    }
    for (name, property) in entries(&schema["properties"]) {
        let place = if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") };
        let required = required(schema).any(|required| required == name);
        operation.fields.insert(place.clone(), field(document, property, required));
        if resolved(document, property)["type"] == "array" {
            let items = &resolved(document, property)["items"];
            let place = format!("{place}[]");
            operation.fields.insert(place.clone(), field(document, items, true));
            fields(document, items, &place, operation, depth + 1);
        } else {
            fields(document, property, &place, operation, depth + 1);
        }
    }
    if place.is_empty() {
        let limits = limits(schema);
        if !limits.is_empty() {
            operation.fields.insert(
                "body".to_owned(),
                Field { required: true, kind: operation.request.clone(), sensitive: None, limits },
            );
        }
    }
}

fn field(document: &Value, property: &Value, required: bool) -> Field {
    let schema = resolved(document, property);
    let kind = match (referred(property), schema["type"].as_str()) {
        (Some(name), _) => name,
        (None, Some("number")) => "decimal",
        (None, Some("array")) => "list",
        (None, Some(kind)) => kind,
        (None, None) => "anything",
    };
    let null = if schema["nullable"] == true || property["nullable"] == true { " or null" } else { "" };
    let mut limits = limits(schema);
    limits.extend(self::limits(property));
    Field {
        required,
        kind: format!("{kind}{null}"),
        sensitive: property["x-sensitive"].as_str().map(str::to_owned),
        limits,
    }
}

fn limits(schema: &Value) -> BTreeMap<String, String> {
    let told = |key: &&str| PROSE.contains(key) || STRUCTURE.contains(key) || key.starts_with("x-");
    // What asks for nothing.
    let idle = |key: &str, value: &Value| {
        *value == false && key != "additionalProperties" || *value == 0 && key.starts_with("min") && key != "minimum"
    };
    let limits = entries(schema).filter(|(key, value)| !told(key) && !idle(key, value));
    limits.map(|(key, value)| (key.to_owned(), value.to_string())).collect()
}

fn required(schema: &Value) -> impl Iterator<Item = &Value> {
    schema["required"].as_array().into_iter().flatten()
}

/// What a `$ref`, alone or in an `allOf` of one, leads to; anything else is itself.
fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let found = reference(value).and_then(|target| document.pointer(target.strip_prefix('#')?));
    found.unwrap_or(value)
}

fn entries(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flatten().map(|(key, value)| (key.as_str(), value))
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
