//! The published schemas, generated from the document, agree with the schemas derived from the types.
//!
//! Three differences are known, all of them when reading. The types read null as absent, though they never send null
//! (tolerant reader, strict writer), so every optional property of a derived schema also accepts null. The types
//! reject a number with more digits than a [`Decimal`](business_data_connector::Decimal) holds, which a schema cannot
//! express. And serde reads an array as an object, by position, which no schema accepts.

#![cfg(feature = "schemars")]

use std::{
    collections::{BTreeMap, BTreeSet},
    error::Error,
    fs,
};

use business_data_connector::{
    Asynchronous, AsynchronousVisitor, DOCUMENT, OPERATIONS, Request, RequestVisitor, types,
    visit_asynchronous_requests, visit_requests,
};
use business_data_connector_document::{BODY_CREDENTIALS, Document};
use jsonschema::Validator;
use proptest::{
    prelude::{Just, Strategy, any, prop_oneof},
    sample,
    test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner},
};
use schemars::{
    JsonSchema,
    transform::{RecursiveTransform, Transform},
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json, value::RawValue};

/// The validators of one request, or of one schema in callbacks: its published schema, its derived schema, and its
/// type.
struct Validators {
    /// The name of the operation or schema.
    id: &'static str,
    /// The published schema without the credentials, which the types of requests do not have.
    published: Value,
    /// The derived schema, without null for optional properties.
    derived: Value,
    of_published: Validator,
    of_derived: Validator,
    /// The same for the derived schema without null for optional properties.
    of_strict: Validator,
    reads: fn(&str) -> bool,
    /// Bodies whose numbers keep every digit.
    vectors: Vec<String>,
    example: Value,
}

type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;

#[derive(Default)]
struct Collector(BTreeMap<&'static str, Result<Validators>>);

impl RequestVisitor for Collector {
    fn visit<R: Request>(&mut self) {
        self.0.insert(R::OPERATION.id, of_request::<R>());
    }
}

impl AsynchronousVisitor for Collector {
    fn visit<R: Asynchronous>(&mut self) {
        let Some(name) = R::OPERATION.callback else { return };
        self.0.entry(name).or_insert_with(|| received::<R::Response>(name, R::OPERATION.id, "response"));
    }
}

fn all() -> Result<Vec<Validators>> {
    let mut collector = Collector::default();
    visit_requests(&mut collector);
    assert_eq!(collector.0.len(), OPERATIONS.len());
    visit_asynchronous_requests(&mut collector);
    let operation = OPERATIONS.iter().find(|operation| operation.callback.is_some()).ok_or("no callback")?;
    let name = "CallbackReceived";
    collector.0.insert(name, received::<types::CallbackReceived>(name, operation.id, "received"));
    collector.0.into_values().collect()
}

fn of_request<R: Request>() -> Result<Validators> {
    let document = Document::parse(DOCUMENT)?;
    let operation = document.operations().iter().find(|operation| operation.id == R::OPERATION.id).ok_or("unknown")?;
    let mut published = document.json_schema(&operation.request).ok_or("no schema")?;
    for credential in BODY_CREDENTIALS {
        published["properties"].as_object_mut().ok_or("no properties")?.remove(credential);
        if let Some(required) = published["required"].as_array_mut() {
            required.retain(|name| name != credential);
        }
    }
    let vectors = vectors(R::OPERATION.id)?;
    let full = vectors.iter().find(|vector| vector.why == "every field").and_then(Vector::text).ok_or("no example")?;
    validators::<R>(R::OPERATION.id, published, vectors.iter().filter_map(Vector::text).collect(), &full)
}

/// The validators of a schema in callbacks, with what the vectors of an operation have in this member.
fn received<T: JsonSchema + DeserializeOwned>(name: &'static str, operation: &str, member: &str) -> Result<Validators> {
    let published = Document::parse(DOCUMENT)?.json_schema(name).ok_or("no schema")?;
    let vectors = vectors("callback")?;
    let own = || vectors.iter().filter(|vector| vector.operation == operation);
    let every = format!("{operation}: every field");
    let full = own().find(|vector| vector.why == every).and_then(|vector| vector.member(member)).ok_or("no example")?;
    validators::<T>(name, published, own().filter_map(|vector| vector.member(member)).collect(), &full)
}

fn validators<T: JsonSchema + DeserializeOwned>(
    id: &'static str,
    published: Value,
    vectors: Vec<String>,
    example: &str,
) -> Result<Validators> {
    let derived = schemars::schema_for!(T);
    let mut strict = derived.clone();
    RecursiveTransform(without_null).transform(&mut strict);
    let mut strict = strict.to_value();
    with_null_of(&published, &mut strict);
    Ok(Validators {
        id,
        of_published: jsonschema::draft202012::new(&published)?,
        of_derived: jsonschema::draft202012::new(derived.as_value())?,
        of_strict: jsonschema::draft202012::new(&strict)?,
        published,
        derived: strict,
        reads: |text| serde_json::from_str::<T>(text).is_ok(),
        vectors,
        example: serde_json::from_str(example)?,
    })
}

/// A vector, whose body keeps every digit.
#[derive(serde::Deserialize)]
struct Vector {
    operation: String,
    why: String,
    body: Box<RawValue>,
}

impl Vector {
    /// The body without the credentials, which the types do not have; `None` if it is not an object.
    fn text(&self) -> Option<String> {
        let mut members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(self.body.get()).ok()?;
        members.retain(|name, _| !BODY_CREDENTIALS.contains(&name.as_str()));
        serde_json::to_string(&members).ok()
    }

    /// A member of the body; `None` if it is not an object.
    fn member(&self, name: &str) -> Option<String> {
        let members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(self.body.get()).ok()?;
        Some(members.get(name)?.get().to_owned()).filter(|text| text.starts_with('{'))
    }
}

fn vectors(file: &str) -> Result<Vec<Vector>> {
    let path = format!("{}/openapi/vectors/{file}.json", env!("CARGO_MANIFEST_DIR"));
    Ok(serde_json::from_str(&fs::read_to_string(path)?)?)
}

/// Removes the null that an `Option` adds.
fn without_null(schema: &mut schemars::Schema) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = schema.get("anyOf") {
        let choices: Vec<_> = choices.iter().filter(|choice| choice["type"] != "null").cloned().collect();
        if let [Value::Object(only)] = choices.as_slice() {
            let only = only.clone();
            schema.remove("anyOf");
            only.into_iter().for_each(|(key, value)| _ = schema.insert(key, value));
        }
    }
}

/// Adds null where the published schema accepts it, as callbacks do.
fn with_null_of(published: &Value, derived: &mut Value) {
    for (name, property) in published["properties"].as_object().into_iter().flatten() {
        if property["type"].as_array().is_some_and(|types| types.contains(&json!("null"))) {
            derived["properties"][name]["type"] = property["type"].clone();
        }
    }
}

/// The name and type of each property in a schema, and whether it is required.
fn outline(schema: &Value) -> BTreeMap<String, String> {
    let components = schema["$defs"].as_object().into_iter().flatten().map(|(name, schema)| (name.as_str(), schema));
    let mut outline = BTreeMap::new();
    for (component, schema) in components.chain([("", schema)]) {
        let required: BTreeSet<_> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let presence = if required.contains(name.as_str()) { "required" } else { "optional" };
            outline.insert(format!("{component}.{name}"), format!("{presence} {}", json_type(property)));
        }
    }
    outline
}

fn json_type(schema: &Value) -> String {
    match schema["$ref"].as_str().or_else(|| schema["allOf"][0]["$ref"].as_str()) {
        Some(target) => target.to_owned(),
        None if schema["type"] == "array" => format!("list of {}", json_type(&schema["items"])),
        None => schema["type"].to_string(),
    }
}

fn check_agreement(validators: &Validators, text: &str) -> Result<(), String> {
    let body: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let (published, strict) = (validators.of_published.is_valid(&body), validators.of_strict.is_valid(&body));
    if published != strict {
        return Err(format!(
            "{}: the published schema says {published}, the derived one {strict}: {text}",
            validators.id
        ));
    }
    let (derived, read) = (validators.of_derived.is_valid(&body), (validators.reads)(text));
    let by_position = read && validators.of_derived.iter_errors(&body).all(|fault| fault.instance().is_array());
    if derived != read && !by_position {
        return Err(format!("{}: the derived schema says {derived}, the type {read}: {text}", validators.id));
    }
    Ok(())
}

#[test]
fn names_types_and_required_fields_agree_for_every_type() -> Result<()> {
    let mut covered = BTreeSet::new();
    for validators in all()? {
        assert_eq!(outline(&validators.derived), outline(&validators.published), "{}", validators.id);
        covered.insert(validators.published["title"].as_str().unwrap_or_default().to_owned());
        covered.extend(validators.published["$defs"].as_object().unwrap_or(&Map::new()).keys().cloned());
    }
    let document = Document::parse(DOCUMENT)?;
    // The envelope has no generated type.
    covered.extend(document.callback_envelope().map(str::to_owned));
    assert_eq!(covered.iter().map(String::as_str).collect::<Vec<_>>(), document.components());
    Ok(())
}

#[test]
fn every_vector_gets_the_same_verdict_from_schemas_and_types() -> Result<()> {
    for validators in all()? {
        for text in &validators.vectors {
            check_agreement(&validators, text)?;
        }
    }
    Ok(())
}

#[test]
fn null_is_read_as_absent_although_the_published_schema_rejects_it() -> Result<()> {
    let all = all()?;
    let validators = all.iter().find(|validators| validators.id == "push_income").ok_or("no push_income")?;
    let body = json!({ "uid": "u", "data": { "amount": null }, "webhook": null });
    let verdicts = (
        validators.of_published.is_valid(&body),
        validators.of_derived.is_valid(&body),
        (validators.reads)(&body.to_string()),
    );
    assert_eq!(verdicts, (false, true, true));
    Ok(())
}

/// A change to a body: sets the value at the location with this index, or removes it.
type Edit = (usize, Option<Value>);

fn value() -> impl Strategy<Value = Value> {
    let plain = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (-99_999_i32..99_999).prop_map(|cents| json!(f64::from(cents) / 100.0)),
        "\\PC{0,8}".prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
    ];
    plain.prop_recursive(2, 8, 3, |inner| {
        let names = sample::select(vec!["id", "amount", "items", "settlement", "income", "unknown"]);
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map(names, inner, 0..3).prop_map(|members| Value::Object(
                members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
            )),
        ]
    })
}

/// Collects the JSON pointer of every value in a body.
fn locations(body: &Value, location: &str, into: &mut Vec<String>) {
    into.push(location.to_owned());
    match body {
        Value::Object(members) => {
            members.iter().for_each(|(name, value)| locations(value, &format!("{location}/{name}"), into))
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, value)| locations(value, &format!("{location}/{index}"), into))
        }
        _ => {}
    }
}

fn edited(body: &Value, edits: &[Edit]) -> Value {
    let mut body = body.clone();
    for (number, value) in edits {
        let mut all = Vec::new();
        locations(&body, "", &mut all);
        // Never the body itself, which stays an object.
        let location = all.get(1 + number % all.len().max(2).saturating_sub(1)).cloned().unwrap_or_default();
        let Some((parent, name)) = location.rsplit_once('/') else { continue };
        match (body.pointer_mut(parent), value) {
            (Some(Value::Object(members)), Some(value)) => _ = members.insert(name.to_owned(), value.clone()),
            (Some(Value::Object(members)), None) => _ = members.remove(name),
            (Some(Value::Array(items)), Some(value)) => items.push(value.clone()),
            (Some(Value::Array(items)), None) => items.clear(),
            _ => {}
        }
    }
    body
}

#[test]
fn thousands_of_generated_bodies_get_the_same_verdict_from_schemas_and_types() -> Result<()> {
    const SEED: [u8; 32] = *b"the same bodies at every run ...";
    const CASES: u32 = 4_000;

    let all = all()?;
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &SEED));
    let edits = proptest::collection::vec((any::<u16>().prop_map(usize::from), proptest::option::of(value())), 0..4);
    let rejected = std::cell::Cell::new(0_u32);
    runner
        .run(&(0..all.len(), edits), |(operation, edits)| {
            let validators = &all[operation];
            let body = edited(&validators.example, &edits);
            rejected.set(rejected.get() + u32::from(!validators.of_published.is_valid(&body)));
            check_agreement(validators, &body.to_string()).map_err(TestCaseError::fail)
        })
        .map_err(|e| format!("seed {:?}: {e}", String::from_utf8_lossy(&SEED)))?;
    // Both verdicts must be frequent, or little would be compared.
    assert!(
        rejected.get() > CASES / 5 && rejected.get() < CASES - CASES / 5,
        "{} of {CASES} were rejected",
        rejected.get()
    );
    Ok(())
}
