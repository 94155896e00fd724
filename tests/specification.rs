//! Compares the document with the interface specification, which is transcribed here by hand, so that a drift is
//! noticed.

// Clippy allows these in tests, but not in the functions that tests share.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};

use business_data_connector::DOCUMENT;
use serde_json::Value;

/// Section 4: path, header, fields with R(equired) or O(ptional), and the record in `data` (section 2).
#[rustfmt::skip]
const OPERATIONS: [(&str, bool, &str, &str); 18] = [
    ("/api/verify/apikey", false, "apikey R, appid R", ""),
    ("/api/push/business", true, "apikey O, appid O, data, webhook O, signature O", "business"),
    ("/api/push/business/update", true, "apikey O, appid O, uid R, data, webhook O, signature O", "business"),
    ("/api/push/income", false, "apikey R, appid R, uid R, data, webhook O, signature O", "income"),
    ("/api/push/expense", false, "apikey R, appid R, uid R, data, webhook O, signature O", "expense"),
    ("/api/push/sale", false, "apikey R, appid R, uid R, data, webhook O, signature O", "sale"),
    ("/api/push/many", false, "apikey R, appid R, uid R, data, webhook O, signature O", "many"),
    ("/api/push/settlement", true, "apikey R, appid R, uid R, data, webhook O, signature O", "[settlement entry]"),
    ("/api/push/settlement-file", true, "apikey R, appid R, uid R, data, webhook O, signature O", "settlement file"),
    ("/api/push/subscription", false, "apikey R, appid R, uid R, data, webhook O, signature O", "continuation"),
    ("/api/push/cancellation", false, "apikey R, appid R, uid R, data, webhook O, signature O", "cancellation"),
    ("/api/push/reset", false, "apikey R, appid R, uid R", ""),
    ("/api/pull/business", false, "apikey R, appid R, email R", ""),
    ("/api/pull/insights", false, "apikey R, appid R, uid R, webhook R, signature O", ""),
    ("/api/pull/expenses", false, "apikey R, appid R, uid R, webhook R, signature O", ""),
    ("/api/pull/income", false, "apikey R, appid R, uid R, webhook R, signature O", ""),
    ("/api/pull/bank-feed", false, "apikey R, appid R, uid R, webhook O, signature O", ""),
    ("/api/pull/storage-upload-url", true, "apikey O, appid O, uid R, webhook O, signature O", ""),
];

/// Section 2: record, field, type. A record in brackets is a list of it.
#[rustfmt::skip]
const FIELDS: [(&str, &str, &str); 87] = [
    ("business", "businessname", "string"),
    ("business", "firstname", "string"),
    ("business", "lastname", "string"),
    ("business", "industry", "string"),
    ("business", "phone", "string"),
    ("business", "vatregistered", "boolean"),
    ("business", "region", "string"),
    ("business", "email", "string"),
    ("income", "id", "string"),
    ("income", "date", "string"),
    ("income", "name", "string"),
    ("income", "category", "string"),
    ("income", "notes", "string"),
    ("income", "currency", "string"),
    ("income", "amount", "number"),
    ("income", "vat", "number"),
    ("income", "productid", "string"),
    ("income", "feeid", "string"),
    ("expense", "id", "string"),
    ("expense", "date", "string"),
    ("expense", "name", "string"),
    ("expense", "category", "string"),
    ("expense", "notes", "string"),
    ("expense", "currency", "string"),
    ("expense", "amount", "number"),
    ("expense", "vat", "number"),
    ("sale", "id", "string"),
    ("sale", "payment", "payment"),
    ("sale", "items", "[item]"),
    ("sale", "customer", "customer"),
    ("payment", "id", "string"),
    ("payment", "date", "string"),
    ("payment", "name", "string"),
    ("payment", "category", "string"),
    ("payment", "currency", "string"),
    ("payment", "amount", "number"),
    ("payment", "vat", "number"),
    ("item", "id", "string"),
    ("item", "name", "string"),
    ("item", "description", "string"),
    ("item", "price", "number"),
    ("item", "quantity", "number"),
    ("item", "cost", "number"),
    ("item", "costcurrency", "string"),
    ("customer", "id", "string"),
    ("customer", "name", "string"),
    ("customer", "email", "string"),
    ("customer", "address", "string"),
    ("customer", "address2", "string"),
    ("customer", "suburb", "string"),
    ("customer", "city", "string"),
    ("customer", "postalcode", "string"),
    ("customer", "country", "string"),
    ("customer", "vatnumber", "string"),
    ("customer", "registrationnumber", "string"),
    ("settlement entry", "income", "[settlement income]"),
    ("settlement entry", "expenses", "[settlement expense]"),
    ("settlement entry", "settlement", "settlement"),
    ("settlement income", "id", "string"),
    ("settlement income", "date", "string"),
    ("settlement income", "name", "string"),
    ("settlement income", "accountid", "string"),
    ("settlement income", "notes", "string"),
    ("settlement income", "currency", "string"),
    ("settlement income", "amount", "number"),
    ("settlement income", "vat", "number"),
    ("settlement income", "productid", "string"),
    ("settlement expense", "id", "string"),
    ("settlement expense", "date", "string"),
    ("settlement expense", "name", "string"),
    ("settlement expense", "accountid", "string"),
    ("settlement expense", "notes", "string"),
    ("settlement expense", "currency", "string"),
    ("settlement expense", "amount", "number"),
    ("settlement expense", "vat", "number"),
    ("settlement", "id", "string"),
    ("settlement", "amount", "number"),
    ("settlement", "fee", "number"),
    ("settlement", "date", "string"),
    ("settlement file", "url", "string"),
    ("settlement file", "date", "string"),
    ("continuation", "id", "string"),
    ("continuation", "date", "string"),
    ("continuation", "amount", "number"),
    ("cancellation", "date", "string"),
    ("many", "income", "[income]"),
    ("many", "expenses", "[expense]"),
];

/// The names of the records in the document.
#[rustfmt::skip]
const NAMES: [(&str, &str); 15] = [
    ("business", "BusinessData"),
    ("income", "IncomeRecord"),
    ("expense", "ExpenseRecord"),
    ("sale", "SaleRecord"),
    ("payment", "SalePayment"),
    ("item", "SaleItem"),
    ("customer", "SaleCustomer"),
    ("settlement entry", "SettlementEntry"),
    ("settlement income", "SettlementIncomeLine"),
    ("settlement expense", "SettlementExpenseLine"),
    ("settlement", "Settlement"),
    ("settlement file", "SettlementFile"),
    ("continuation", "SubscriptionContinuation"),
    ("cancellation", "SubscriptionCancellation"),
    ("many", "ManyRecords"),
];

/// The document, read as plain YAML rather than by the reader that the generator uses.
fn document() -> Value {
    yaml_serde::from_str(DOCUMENT).unwrap()
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect()
}

fn target(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str().or_else(|| schema["allOf"][0]["$ref"].as_str())?.strip_prefix("#/components/schemas/")
}

/// The type of a property, in the notation of the tables above.
fn type_name(schema: &Value) -> String {
    if schema["type"] == "array" {
        return format!("[{}]", type_name(&schema["items"]));
    }
    match target(schema) {
        Some(component) => {
            NAMES.iter().find(|(_, name)| *name == component).map_or(component, |(name, _)| name).to_owned()
        }
        None => schema["type"].as_str().unwrap_or("none").to_owned(),
    }
}

#[test]
fn the_document_has_exactly_the_18_operations_with_their_fields() {
    let document = document();
    assert_eq!(keys(&document["paths"]), OPERATIONS.iter().map(|(path, ..)| *path).collect());
    for (path, header, fields, data) in OPERATIONS {
        assert_eq!(keys(&document["paths"][path]), BTreeSet::from(["post"]), "{path}");
        let post = &document["paths"][path]["post"];
        assert_eq!(post["security"] == serde_json::json!([{ "headerKey": [] }]), header, "{path}");
        assert_eq!(post["security"] == serde_json::json!([]), !header, "{path}");
        assert_eq!(keys(&post["requestBody"]["content"]), BTreeSet::from(["application/json"]), "{path}");

        let schema = target(&post["requestBody"]["content"]["application/json"]["schema"]).unwrap();
        let schema = &document["components"]["schemas"][schema];
        let fields: BTreeMap<_, _> =
            fields.split(", ").map(|field| field.split_once(' ').unwrap_or((field, "-"))).collect();
        assert_eq!(keys(&schema["properties"]), fields.keys().copied().collect(), "{path}");
        let required: BTreeSet<_> = schema["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        // The specification does not say whether `data` is required; it is assumed to be.
        let expected = fields.iter().filter(|(_, mark)| **mark != "O").map(|(field, _)| *field).collect();
        assert_eq!(required, expected, "{path}");
        for field in fields.keys() {
            let expected = if *field == "data" { data } else { "string" };
            assert_eq!(type_name(&schema["properties"][*field]), expected, "{path} {field}");
        }
    }
}

#[test]
fn every_operation_answers_200_400_and_401_without_content() {
    let document = document();
    for (path, ..) in OPERATIONS {
        let responses = &document["paths"][path]["post"]["responses"];
        assert_eq!(keys(responses), BTreeSet::from(["200", "400", "401"]), "{path}");
        for status in ["200", "400", "401"] {
            let response = responses[status]["$ref"].as_str().unwrap().strip_prefix('#').unwrap();
            assert_eq!(document.pointer(response).map(keys), Some(BTreeSet::from(["description"])), "{path} {status}");
        }
    }
}

#[test]
fn the_document_has_exactly_the_records_with_their_fields() {
    let document = document();
    let mut records: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
    for (record, field, type_) in &FIELDS {
        assert!(records.entry(record).or_default().insert(field, type_).is_none(), "{record}.{field} twice");
    }
    assert_eq!(records.len(), NAMES.len());
    for (record, name) in NAMES {
        let schema = &document["components"]["schemas"][name];
        let fields = &records[record];
        assert_eq!(keys(&schema["properties"]), fields.keys().copied().collect(), "{record}");
        assert_eq!(
            schema.get("required"),
            None,
            "the specification does not show which fields of {record} are required"
        );
        for (field, type_) in fields {
            assert_eq!(type_name(&schema["properties"][*field]), *type_, "{record}.{field}");
        }
    }
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let specified = schemas.iter().filter(|(_, schema)| schema["x-evidence"] == "specified");
    assert_eq!(specified.count(), OPERATIONS.len() + NAMES.len(), "a schema is in none of the tables");
}

#[test]
fn the_document_restricts_nothing_that_the_interface_leaves_open() {
    const KNOWN: [&str; 8] =
        ["type", "nullable", "description", "example", "items", "allOf", "x-evidence", "x-sensitive"];
    let document = document();
    let mut restricted = Vec::new();
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        let (known, found) =
            (BTreeSet::from(["type", "description", "x-evidence", "required", "properties"]), keys(schema));
        restricted.extend(found.difference(&known).map(|keyword| format!("{name}: {keyword}")));
        for (field, property) in schema["properties"].as_object().unwrap() {
            let found = keys(property);
            let unknown = found.iter().filter(|keyword| !KNOWN.contains(keyword));
            restricted.extend(unknown.map(|keyword| format!("{name}.{field}: {keyword}")));
        }
    }
    assert_eq!(restricted, Vec::<String>::new());
}

#[test]
fn the_asynchronous_operations_are_those_of_the_specification() {
    let document = document();
    // Section 4: the operations whose purpose ends in "asynchronously".
    let named = ["income", "expense", "sale", "many", "settlement", "settlement-file", "subscription", "cancellation"];
    let pulled = ["insights", "expenses", "income"];
    let expected: BTreeSet<_> = named
        .iter()
        .map(|name| format!("/api/push/{name}"))
        .chain(pulled.iter().map(|name| format!("/api/pull/{name}")))
        .collect();
    let marked = OPERATIONS.iter().map(|(path, ..)| *path);
    let marked = marked.filter(|path| document["paths"][*path]["post"]["x-asynchronous"] == true).map(str::to_owned);
    assert_eq!(marked.collect::<BTreeSet<_>>(), expected);
}

#[test]
fn callbacks_are_not_specified_and_leave_every_field_optional() {
    let document = document();
    for (path, ..) in OPERATIONS {
        for (name, callback) in document["paths"][path]["post"]["callbacks"].as_object().into_iter().flatten() {
            let evidence = &callback["{$request.body#/webhook}"]["post"]["x-evidence"];
            assert!(*evidence == "assumed" || *evidence == "observed", "{path} {name}: {evidence}");
        }
    }
    let (tables, schemas) = (NAMES.map(|(_, name)| name), document["components"]["schemas"].as_object().unwrap());
    let others = schemas.iter().filter(|(name, _)| !name.ends_with("Request") && !tables.contains(&name.as_str()));
    for (name, schema) in others {
        assert_ne!(schema["x-evidence"], "specified", "{name}");
        assert_eq!(schema.get("required"), None, "{name}");
        for (field, property) in schema["properties"].as_object().unwrap() {
            assert_ne!(property["x-evidence"], "specified", "{name}.{field}");
        }
    }
}
