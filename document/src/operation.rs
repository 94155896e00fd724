use serde_json::Value;

use crate::fault::Collector;

/// What an operation does to the data of a business: `x-effect`. Assumed, since the interface has only POST.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Repeating it changes nothing.
    Read,
    /// Repeating it may store or trigger something twice.
    Write,
}

impl Effect {
    /// As the document says it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

/// How a statement of the document is known: `x-evidence`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// The interface specification says so.
    Specified,
    /// Deployed services of this shape were seen to do so.
    Observed,
    /// Chosen, because software has to choose.
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
    /// One line on what it does.
    pub summary: String,
    /// More on what it does, and what is not shown about it.
    pub description: String,
    /// Name of the request schema under `components.schemas`.
    pub request: String,
    /// Name of the header that the operation declares as a credential: `X-API-Key`.
    pub header_key: Option<String>,
    /// Whether repeating it is harmless.
    pub effect: Effect,
    /// Whether the outcome is delivered to a webhook later.
    pub asynchronous: bool,
    /// How the operation is known.
    pub evidence: Evidence,
    /// Required body fields, in the order of the document.
    pub required: Vec<String>,
    /// Optional body fields, by name.
    pub optional: Vec<String>,
    /// Fields of `data` without which deployed services were seen to refuse a request, as they do with fields that are not
    /// known: `x-observed-required`. The interface does not ask for them.
    pub observed_required: Vec<String>,
}

/// Reads every operation of a document that passed [`check::all`](crate::check::all).
pub(crate) fn read_all(document: &Value, faults: &mut Collector) -> Vec<Operation> {
    let paths = document["paths"].as_object().into_iter().flatten();
    let mut operations: Vec<_> = paths.filter_map(|(path, item)| read(document, path, &item["post"], faults)).collect();
    operations.sort_by(|a, b| a.path.cmp(&b.path));
    operations
}

fn read(document: &Value, path: &str, post: &Value, faults: &mut Collector) -> Option<Operation> {
    let place = format!("paths.{path}.post");
    let mut text = |key: &str| {
        let text = post[key].as_str().map(str::trim).filter(|text| !text.is_empty());
        if text.is_none() {
            faults.add(&place, format!("has no `{key}`; the documentation is made from it."));
        }
        text.map(str::to_owned)
    };
    let (summary, description) = (text("summary"), text("description"));
    let effect = one_of(post, "x-effect", &place, faults, &[("read", Effect::Read), ("write", Effect::Write)]);
    let asynchronous = post["x-asynchronous"].as_bool();
    if asynchronous.is_none() {
        faults.add(&place, "has no `x-asynchronous`; write `true` or `false`.");
    }
    let evidence = one_of(
        post,
        "x-evidence",
        &place,
        faults,
        &[("specified", Evidence::Specified), ("observed", Evidence::Observed), ("assumed", Evidence::Assumed)],
    );
    let header_key = header_key(document, post, &place, faults);
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
        asynchronous: asynchronous?,
        evidence: evidence?,
        required,
        optional,
        observed_required: strings(&post["x-observed-required"]),
    })
}

fn one_of<T: Copy>(post: &Value, key: &str, place: &str, faults: &mut Collector, known: &[(&str, T)]) -> Option<T> {
    let said = post[key].as_str();
    let found = said.and_then(|said| known.iter().find(|(name, _)| *name == said));
    if found.is_none() {
        let names: Vec<_> = known.iter().map(|(name, _)| format!("`{name}`")).collect();
        faults.add(place, format!("needs `{key}` to be one of {}.", names.join(", ")));
    }
    found.map(|(_, value)| *value)
}

/// `Some(None)` for an operation without a header credential, `None` with a fault for anything not understood.
fn header_key(document: &Value, post: &Value, place: &str, faults: &mut Collector) -> Option<Option<String>> {
    let schemes = post["security"].as_array().map(Vec::as_slice);
    let scheme = match schemes {
        Some([]) => return Some(None),
        Some([one]) => one.as_object().filter(|one| one.len() == 1).and_then(|one| one.keys().next()),
        _ => None,
    };
    let declared = scheme.map(|name| &document["components"]["securitySchemes"][name]);
    let header = declared
        .filter(|scheme| scheme["type"] == "apiKey" && scheme["in"] == "header")
        .and_then(|scheme| scheme["name"].as_str());
    if header.is_none() {
        faults.add(
            &format!("{place}.security"),
            "must be `[]`, or list exactly one scheme of components.securitySchemes that is an `apiKey` in the `header`.",
        );
    }
    header.map(|header| Some(header.to_owned()))
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
