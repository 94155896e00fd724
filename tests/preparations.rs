//! Each preparation of the document says so when it no longer applies.

// Also outside of the tests themselves, in what they share.
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "../build/prepare.rs"]
mod prepare;

use business_data_connector::DOCUMENT;
use business_data_connector_document::{Document, Faults};
use serde_json::{Value, json};

fn document() -> Document {
    Document::parse(DOCUMENT).unwrap()
}

/// What a preparation says when the document was changed before.
fn complaint(change: fn(&mut Value), prepare: fn(&mut Value, &Document) -> Result<(), Faults>) -> String {
    let document = document();
    let mut value = document.as_value().clone();
    change(&mut value);
    prepare(&mut value, &document).err().map(|faults| faults.to_string()).unwrap_or_default()
}

/// Every property of every component, changed.
fn in_properties(value: &mut Value, change: fn(&mut Value)) {
    for (_, schema) in value["components"]["schemas"].as_object_mut().unwrap() {
        schema["properties"].as_object_mut().unwrap().values_mut().for_each(change);
    }
}

#[test]
fn a_request_without_credentials_is_named() {
    let without = |value: &mut Value| {
        value["components"]["schemas"]["PushSaleRequest"]["properties"].as_object_mut().unwrap().remove("appid");
    };
    assert_eq!(
        complaint(without, prepare::lift_credentials),
        "components.schemas.PushSaleRequest: has no `appid`, which every operation carries in its body."
    );
}

#[test]
fn a_preparation_that_finds_nothing_to_do_says_that_it_should_go() {
    type Case = (fn(&mut Value), fn(&mut Value, &Document) -> Result<(), Faults>, &'static str);
    let cases: [Case; 4] = [
        (
            |_| {},
            prepare::close_empty_requests,
            "`close_empty_requests` no longer applies, since no request is without fields",
        ),
        (
            |value| in_properties(value, |property| *property = json!({ "type": "string" })),
            prepare::keep_types_without_validation,
            "`keep_types_without_validation` no longer applies, since no property says more than its type",
        ),
        (
            |value| in_properties(value, |property| *property = json!({ "type": "string" })),
            prepare::make_numbers_decimals,
            "`make_numbers_decimals` no longer applies, since no property is a number",
        ),
        (
            |value| in_properties(value, |property| *property = json!({ "type": "string" })),
            prepare::tell_absent_lists_from_empty_ones,
            "`tell_absent_lists_from_empty_ones` no longer applies, since no optional property is a list",
        ),
    ];
    for (change, prepare, wanted) in cases {
        let got = complaint(change, prepare);
        assert!(got.contains(wanted) && got.ends_with("take it out of build/prepare.rs."), "{got}");
    }
}

#[test]
fn a_component_in_the_place_of_the_decimal_is_named() {
    let taken = |value: &mut Value| value["components"]["schemas"][prepare::DECIMAL] = json!({ "type": "object" });
    assert_eq!(
        complaint(taken, prepare::make_numbers_decimals),
        "components.schemas.Decimal: is the name of the Rust type for `type: number`; choose another."
    );
}

#[test]
fn the_prepared_document_has_no_credentials_numbers_or_statuses() {
    let prepared = prepare::prepared(&document()).unwrap();
    for (path, item) in prepared["paths"].as_object().unwrap() {
        let statuses: Vec<_> = item["post"]["responses"].as_object().unwrap().keys().collect();
        assert_eq!(statuses, ["default"], "{path}");
    }
    for (name, schema) in prepared["components"]["schemas"].as_object().unwrap() {
        for (property, schema) in schema["properties"].as_object().into_iter().flatten() {
            assert!(!["apikey", "appid"].contains(&property.as_str()), "{name}.{property}");
            assert!(schema["type"] != "number" && schema.get("example").is_none(), "{name}.{property}");
        }
    }
}
