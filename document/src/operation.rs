use serde_json::Value;

use crate::{callbacks, record::Record, sensitive, upload::Upload, violation::Collector};

/// The extension of an operation whose purpose is to remove, end or overwrite something.
pub(crate) const DESTRUCTIVE: &str = "x-destructive";

/// Whether an operation changes the data of a business: `x-effect`. Assumed, since the interface has only POST.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It changes nothing, so a retry is harmless.
    Read,
    /// A retry may store or trigger something twice.
    Write,
}

impl Effect {
    /// The value in the document: `read` or `write`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

/// What a statement in the document is based on: `x-evidence`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// The interface specification states it.
    Specified,
    /// Deployed services were observed to behave this way.
    Observed,
    /// Neither: an assumption was necessary.
    Assumed,
}

/// One operation of the interface.
#[derive(Debug, Clone)]
pub struct Operation {
    /// `operationId`, in snake_case: `push_income`.
    pub id: String,
    /// `/api/push/income`.
    pub path: String,
    /// `verify`, `push` or `pull`.
    pub tag: String,
    /// One line that says what it does.
    pub summary: String,
    /// Details, including what the specification leaves open.
    pub description: String,
    /// Name of the request schema under `components.schemas`.
    pub request: String,
    /// Name of the header that the operation declares as a credential: `X-API-Key`.
    pub header_key: Option<String>,
    /// Whether a retry is harmless.
    pub effect: Effect,
    /// Whether its purpose is to remove, end or overwrite something rather than to add to it: `x-destructive`. Assumed.
    pub destructive: bool,
    /// Whether the result is delivered to a webhook later.
    pub asynchronous: bool,
    /// Name of the schema under `components.schemas` that the `response` of its callbacks is known to have:
    /// `x-callback-response`. `None` for an operation without a `webhook`.
    pub callback: Option<String>,
    /// What the description of the operation is based on.
    pub evidence: Evidence,
    /// Required body fields, in the order of the document.
    pub required: Vec<String>,
    /// Optional body fields, sorted by name.
    pub optional: Vec<String>,
    /// Fields of `data` that deployed services were observed to require, although the specification does not:
    /// `x-observed-required`. The same services also reject unknown fields.
    pub observed_required: Vec<String>,
    /// What is known of the record in `data`.
    pub record: Option<Record>,
    /// The fields of the request, and of records within it, that have an `x-sensitive`: their paths, such as
    /// `data.url`, sorted. Items of a list are written as `[]`.
    pub sensitive: Vec<String>,
    /// How the file that `data` names is uploaded.
    pub upload: Option<Upload>,
}

/// Reads all operations of a document that passed [`check::all`](crate::check::all).
pub(crate) fn read_all(document: &Value, violations: &mut Collector) -> Vec<Operation> {
    let paths = document["paths"].as_object().into_iter().flatten();
    let mut operations: Vec<_> =
        paths.filter_map(|(path, item)| read(document, path, &item["post"], violations)).collect();
    operations.sort_by(|a, b| a.path.cmp(&b.path));
    operations
}

fn read(document: &Value, path: &str, post: &Value, violations: &mut Collector) -> Option<Operation> {
    let location = format!("paths.{path}.post");
    let mut text = |key: &str| {
        let text = post[key].as_str().map(str::trim).filter(|text| !text.is_empty());
        if text.is_none() {
            violations.add(&location, format!("has no `{key}`; add one, from which the documentation is generated."));
        }
        text.map(str::to_owned)
    };
    let (summary, description) = (text("summary"), text("description"));
    let effect = one_of(post, "x-effect", &location, violations, &[("read", Effect::Read), ("write", Effect::Write)]);
    let asynchronous = post["x-asynchronous"].as_bool();
    if asynchronous.is_none() {
        violations.add(&location, "has no boolean `x-asynchronous`; set it to `true` or `false`.");
    }
    let evidence = one_of(
        post,
        "x-evidence",
        &location,
        violations,
        &[("specified", Evidence::Specified), ("observed", Evidence::Observed), ("assumed", Evidence::Assumed)],
    );
    let header_key = header_key(document, post, &location, violations);
    let request = post["requestBody"]["content"]["application/json"]["schema"]["$ref"].as_str()?.rsplit('/').next()?;
    let schema = &document["components"]["schemas"][request];
    let required = strings(&schema["required"]);
    let mut optional: Vec<_> =
        schema["properties"].as_object()?.keys().filter(|k| !required.contains(k)).cloned().collect();
    optional.sort();
    Some(Operation {
        id: post["operationId"].as_str()?.to_owned(),
        path: path.to_owned(),
        tag: post["tags"][0].as_str()?.to_owned(),
        summary: summary?,
        description: description?,
        request: request.to_owned(),
        header_key: header_key?,
        effect: effect?,
        destructive: post[DESTRUCTIVE] == true,
        asynchronous: asynchronous?,
        callback: callbacks::response(post).map(str::to_owned),
        evidence: evidence?,
        required,
        optional,
        observed_required: strings(&post["x-observed-required"]),
        record: Record::read(post),
        sensitive: sensitive::paths(document, schema),
        upload: Upload::read(post),
    })
}

fn one_of<T: Copy>(
    post: &Value,
    key: &str,
    location: &str,
    violations: &mut Collector,
    known: &[(&str, T)],
) -> Option<T> {
    let value = post[key].as_str();
    let found = value.and_then(|value| known.iter().find(|(name, _)| *name == value));
    if found.is_none() {
        let names: Vec<_> = known.iter().map(|(name, _)| format!("`{name}`")).collect();
        violations.add(location, format!("must have one of {} as its `{key}`.", names.join(", ")));
    }
    found.map(|(_, value)| *value)
}

/// `Some(None)` for an operation without a header credential; `None`, with a violation, for anything unsupported.
fn header_key(document: &Value, post: &Value, location: &str, violations: &mut Collector) -> Option<Option<String>> {
    let schemes = post["security"].as_array().map(Vec::as_slice);
    let scheme = match schemes {
        Some([]) => return Some(None),
        Some([one]) => one.as_object().filter(|one| one.len() == 1).and_then(|one| one.iter().next()),
        _ => None,
    };
    // An API key has no scopes.
    let declared = scheme
        .filter(|(_, scopes)| scopes.as_array().is_some_and(Vec::is_empty))
        .map(|(name, _)| &document["components"]["securitySchemes"][name]);
    let header = declared
        .filter(|scheme| scheme["type"] == "apiKey" && scheme["in"] == "header")
        .and_then(|scheme| scheme["name"].as_str());
    if header.is_none() {
        violations.add(
            &format!("{location}.security"),
            "must be `[]`, or list exactly one scheme from components.securitySchemes: an `apiKey` in the `header`.",
        );
    }
    header.map(|header| Some(header.to_owned()))
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
