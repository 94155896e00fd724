//! The contract of a document, with one line per field: for review, and to compare two versions.
//!
//! ```text
//! push_income: POST /api/push/income, body required, effect write
//! push_income > status 200: no content
//! push_income > body: PushIncomeRequest
//! push_income > data.amount?: decimal
//! IncomeRecord()
//! ```
//!
//! An optional field has a `?`, and the items of an array have `[]`. The names in parentheses after a schema are the
//! arguments of its constructor. Descriptions, summaries and examples are not part of the contract.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{Violations, callbacks, reference::resolved, referred, yaml};

/// The contract of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contract {
    /// The operations by `operationId`.
    pub operations: BTreeMap<String, Operation>,
    /// Every schema by name. Each becomes a Rust type, whether or not an operation uses it, except for the envelope of
    /// callbacks.
    pub components: BTreeMap<String, Component>,
    /// The names of the schemas that callbacks consist of, whose fields are received and not sent.
    pub callbacks: BTreeSet<String>,
}

/// The contract of a schema as a type.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Component {
    /// Required fields in their order, which is that of the arguments of the Rust constructor.
    pub arguments: Vec<String>,
    /// Its own fields by name, and the items of a list, such as `income[]`.
    pub fields: BTreeMap<String, Field>,
}

/// The contract of an operation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Operation {
    /// `POST`.
    pub method: String,
    /// `/api/push/income`.
    pub path: String,
    /// Whether a body is required.
    pub body_required: bool,
    /// Required headers, from `security` and `parameters`, in lower case, since HTTP ignores case.
    pub headers: BTreeSet<String>,
    /// The content of the response by status, with its schema.
    pub statuses: BTreeMap<String, String>,
    /// The extensions of the operation, without the prefix `x-`.
    pub extensions: BTreeMap<String, String>,
    /// The name of the request schema, which is also the name of its Rust type.
    pub request: String,
    /// What is sent to the `webhook`, if anything is.
    pub callback: Option<Callback>,
    /// The fields by path, such as `data.items[].price`.
    pub fields: BTreeMap<String, Field>,
}

/// The contract of the callbacks of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Callback {
    /// The name of the schema of the body.
    pub envelope: String,
    /// The name of the schema that `response` in it is known to have, which is also the name of a Rust type.
    pub response: String,
}

/// The contract of a field of a request, at any depth.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Field {
    /// Whether it is required wherever its parent is present.
    pub required: bool,
    /// `string`, `boolean`, `decimal`, `integer`, `list` or the name of a schema, with `or null` if null is allowed.
    pub value_type: String,
    /// Which part of it is never printed: `x-sensitive`.
    pub sensitive: Option<String>,
    /// Other restrictions on the value by keyword: `pattern`, `maxLength`, `enum`, `additionalProperties` and so on.
    pub limits: BTreeMap<String, String>,
}

impl Contract {
    /// Reads the contract of any OpenAPI 3.0 document, including those that [`Document`](crate::Document) rejects.
    ///
    /// # Errors
    /// When the text is not valid YAML.
    pub fn parse(text: &str) -> Result<Self, Violations> {
        let document = yaml::read(text)?.value;
        let mut contract = Self::default();
        for (path, item) in entries(&document["paths"]) {
            for (method, operation) in entries(item).filter(|(method, _)| METHODS.contains(method)) {
                let id = operation["operationId"].as_str().map_or_else(|| format!("{method} {path}"), str::to_owned);
                contract.operations.insert(id, read(&document, method, path, operation));
            }
        }
        for (name, schema) in entries(&document["components"]["schemas"]) {
            let is_required = |field: &str| required(schema).any(|required| required == field);
            let fields = entries(&schema["properties"]).flat_map(|(name, property)| {
                let items = resolved(&document, property).get("items");
                let items = items.map(|items| (format!("{name}[]"), field(&document, items, true)));
                [(name.to_owned(), field(&document, property, is_required(name)))].into_iter().chain(items)
            });
            let component = Component { arguments: required(schema).map(plain).collect(), fields: fields.collect() };
            contract.components.insert(name.to_owned(), component);
        }
        contract.callbacks = callbacks::components(&document).into_iter().map(str::to_owned).collect();
        Ok(contract)
    }

    /// The contract as sorted lines, one per field.
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

    /// The schemas that no request contains.
    pub fn unused(&self) -> BTreeSet<&str> {
        let used = self.operations.values().flat_map(|operation| {
            let types = operation.fields.values().map(|field| field.value_type.trim_end_matches(" or null"));
            types.chain([operation.request.as_str()])
        });
        let used: BTreeSet<_> = used.collect();
        self.components.keys().map(String::as_str).filter(|name| !used.contains(name)).collect()
    }
}

impl Field {
    fn line(&self, owner: &str, path: &str) -> String {
        let optional = if self.required { "" } else { "?" };
        let limits: String = self.limits.iter().map(|(keyword, value)| format!(", {keyword} {value}")).collect();
        let sensitive = self.sensitive.as_ref().map(|part| format!(", sensitive {part}")).unwrap_or_default();
        format!("{owner} > {path}{optional}: {}{limits}{sensitive}", self.value_type)
    }
}

impl Operation {
    fn lines(&self, id: &str) -> Vec<String> {
        let body = if self.body_required { "body required" } else { "body optional" };
        let extensions = self.extensions.iter().map(|(name, value)| format!(", {name} {value}"));
        let mut lines = vec![format!("{id}: {} {}, {body}{}", self.method, self.path, extensions.collect::<String>())];
        lines.extend(self.headers.iter().map(|header| format!("{id} > header {header}")));
        lines.extend(self.statuses.iter().map(|(status, content)| format!("{id} > status {status}: {content}")));
        lines.push(format!("{id} > body: {}", self.request));
        lines.extend(self.fields.iter().map(|(path, field)| field.line(id, path)));
        let callback = self.callback.as_ref();
        lines
            .extend(callback.map(|Callback { envelope, response }| format!("{id} > callback: {envelope}, {response}")));
        lines
    }
}

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// Keywords that describe a value without restricting it.
const PROSE: [&str; 7] = ["title", "description", "example", "externalDocs", "deprecated", "xml", "writeOnly"];

/// Keywords that are represented by the structure of the contract itself.
const STRUCTURE: [&str; 7] = ["type", "properties", "required", "items", "allOf", "$ref", "nullable"];

fn read(document: &Value, method: &str, path: &str, value: &Value) -> Operation {
    let mut operation = Operation {
        method: method.to_uppercase(),
        path: path.to_owned(),
        body_required: value["requestBody"]["required"] == true,
        headers: headers(document, value),
        callback: callback(document, value),
        ..Operation::default()
    };
    for (status, response) in entries(&value["responses"]) {
        let types = entries(&resolved(document, response)["content"]);
        let types: Vec<_> = types.map(|(name, content)| format!("{name} {}", content["schema"])).collect();
        let content = if types.is_empty() { "no content".to_owned() } else { types.join(", ") };
        operation.statuses.insert(status.to_owned(), content);
    }
    for (key, value) in entries(value) {
        if let Some(name) = key.strip_prefix("x-").filter(|_| key != callbacks::RESPONSE) {
            operation.extensions.insert(name.to_owned(), plain(value));
        }
    }
    for (_, content) in entries(&value["requestBody"]["content"]) {
        let schema = &content["schema"];
        operation.request = referred(schema).unwrap_or("inline").to_owned();
        fields(document, schema, "", &mut operation, 0);
    }
    operation
}

fn callback(document: &Value, operation: &Value) -> Option<Callback> {
    let response = callbacks::response(operation).unwrap_or("anything").to_owned();
    let envelope = callbacks::posts(document, operation).find_map(callbacks::body);
    envelope.map(|envelope| Callback { envelope: envelope.to_owned(), response })
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

/// The maximum depth, sufficient for any record that does not contain itself.
const MAX_DEPTH: usize = 12;

fn fields(document: &Value, schema: &Value, path: &str, operation: &mut Operation, depth: usize) {
    let schema = resolved(document, schema);
    if depth > MAX_DEPTH {
        return;
    }
    for (name, property) in entries(&schema["properties"]) {
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        let required = required(schema).any(|required| required == name);
        operation.fields.insert(path.clone(), field(document, property, required));
        if resolved(document, property)["type"] == "array" {
            let items = &resolved(document, property)["items"];
            let path = format!("{path}[]");
            operation.fields.insert(path.clone(), field(document, items, true));
            fields(document, items, &path, operation, depth + 1);
        } else {
            fields(document, property, &path, operation, depth + 1);
        }
    }
    if path.is_empty() {
        let limits = limits(schema);
        if !limits.is_empty() {
            operation.fields.insert(
                "body".to_owned(),
                Field { required: true, value_type: operation.request.clone(), sensitive: None, limits },
            );
        }
    }
}

fn field(document: &Value, property: &Value, required: bool) -> Field {
    let schema = resolved(document, property);
    let value_type = match (referred(property), schema["type"].as_str()) {
        (Some(name), _) => name,
        (None, Some("number")) => "decimal",
        (None, Some("array")) => "list",
        (None, Some(name)) => name,
        (None, None) => "anything",
    };
    let null = if schema["nullable"] == true || property["nullable"] == true { " or null" } else { "" };
    let mut limits = limits(schema);
    limits.extend(self::limits(property));
    Field {
        required,
        value_type: format!("{value_type}{null}"),
        sensitive: property["x-sensitive"].as_str().map(str::to_owned),
        limits,
    }
}

fn limits(schema: &Value) -> BTreeMap<String, String> {
    let represented = |key: &&str| PROSE.contains(key) || STRUCTURE.contains(key) || key.starts_with("x-");
    // A limit without an effect, such as `minLength: 0`.
    let idle = |key: &str, value: &Value| {
        *value == false && key != "additionalProperties" || *value == 0 && key.starts_with("min") && key != "minimum"
    };
    let limits = entries(schema).filter(|(key, value)| !represented(key) && !idle(key, value));
    limits.map(|(key, value)| (key.to_owned(), value.to_string())).collect()
}

fn required(schema: &Value) -> impl Iterator<Item = &Value> {
    schema["required"].as_array().into_iter().flatten()
}

fn entries(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flatten().map(|(key, value)| (key.as_str(), value))
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
