//! JSON Schemas generated from components.

// Helper functions are not covered by the exceptions for tests.
#![allow(clippy::unwrap_used, clippy::panic)]

use business_data_connector_document::Document;
use serde_json::json;

fn document() -> Document {
    Document::parse(include_str!("../../openapi/connector.yaml")).unwrap()
}

#[test]
fn a_schema_is_self_contained_and_complete() {
    let schema = document().json_schema("PushSaleRequest").unwrap();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(schema["required"], json!(["apikey", "appid", "uid", "data"]));
    assert_eq!(schema["properties"]["data"]["allOf"], json!([{ "$ref": "#/$defs/SaleRecord" }]));
    assert_eq!(schema["properties"]["apikey"]["examples"], json!(["demo-apikey"]));
    let defs: Vec<_> = schema["$defs"].as_object().unwrap().keys().collect();
    assert_eq!(defs, ["SaleCustomer", "SaleItem", "SalePayment", "SaleRecord"]);
    assert_eq!(schema["$defs"]["SaleRecord"]["properties"]["items"]["items"], json!({ "$ref": "#/$defs/SaleItem" }));
    assert!(!schema.to_string().contains("#/components/"));
}

#[test]
fn one_schema_contains_every_type_once_and_reaches_each() {
    let document = document();
    let schema = document.requests_schema().unwrap();
    let defs: Vec<_> = schema["$defs"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(defs, document.components());
    for (name, schema) in schema["$defs"].as_object().unwrap() {
        assert_eq!(schema["title"], **name);
        assert!(schema.get("$id").is_none(), "{name}: with an `$id`, its references would be resolved against itself");
    }
    for operation in document.operations() {
        let target = format!("#/$defs/{}", operation.request);
        assert_eq!(schema["properties"][&operation.id], json!({ "$ref": target }));
        let response = schema["properties"].get(format!("{}_response", operation.id));
        let expected = operation.callback.as_ref().map(|name| json!({ "$ref": format!("#/$defs/{name}") }));
        assert_eq!(response, expected.as_ref());
    }
    assert_eq!(schema["properties"]["callback"], json!({ "$ref": "#/$defs/Callback" }));
    let properties: Vec<_> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(schema["required"], json!(properties));
}

#[test]
fn a_nullable_property_accepts_null() {
    let text = include_str!("../../openapi/connector.yaml").replacen(
        "          type: boolean\n",
        "          type: boolean\n          nullable: true\n",
        1,
    );
    let schema = Document::parse(&text).unwrap().json_schema("BusinessData").unwrap();
    assert_eq!(schema["properties"]["vatregistered"]["type"], json!(["boolean", "null"]));
}

#[test]
fn an_exclusive_limit_becomes_a_number() {
    let text = include_str!("../../openapi/connector.yaml").replacen(
        "          example: 19.99",
        "          minimum: 0\n          exclusiveMinimum: true\n          maximum: 9\n          exclusiveMaximum: false\n          example: 5",
        1,
    );
    let schema = Document::parse(&text).unwrap().json_schema("IncomeRecord").unwrap();
    let amount = &schema["properties"]["amount"];
    assert_eq!((&amount["exclusiveMinimum"], &amount["maximum"]), (&json!(0), &json!(9)));
    assert_eq!((amount.get("minimum"), amount.get("exclusiveMaximum")), (None, None));
}

#[test]
fn an_unknown_component_has_no_schema() {
    assert_eq!(document().json_schema("Nothing"), None);
}

#[test]
fn the_schema_of_a_callback_leaves_the_response_open() {
    let schema = document().json_schema("Callback").unwrap();
    let response = schema["properties"]["response"].as_object().unwrap();
    assert_eq!(response.keys().collect::<Vec<_>>(), ["description"]);
    assert_eq!(schema["properties"]["signature"]["type"], json!(["string", "null"]));
    assert_eq!(schema.get("required"), None);
    assert_eq!(schema["$defs"].as_object().unwrap().keys().collect::<Vec<_>>(), ["CallbackReceived"]);
}
