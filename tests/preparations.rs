//! A preparation of the document fails once it no longer applies, and the reserved names match `src/`.

// Helper functions are not covered by the exceptions for tests.
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "../codegen/prepare.rs"]
mod prepare;
mod support;

use std::{fs, path::Path};

use business_data_connector::DOCUMENT;
use business_data_connector_document::{Document, Violations};
use quote::ToTokens;
use serde_json::{Value, json};
use support::sources;
use syn::{Expr, ImplItem, Item};

fn document() -> Document {
    Document::parse(DOCUMENT).unwrap()
}

/// The error of a preparation after a change to the document.
fn error(change: fn(&mut Value), prepare: fn(&mut Value, &Document) -> Result<(), Violations>) -> String {
    let document = document();
    let mut value = document.as_value().clone();
    change(&mut value);
    let error = prepare(&mut value, &document).err();
    let found = error.as_ref().and_then(|violations| violations.iter().next());
    found.map(|found| format!("{}: {}", found.location, found.problem)).unwrap_or_default()
}

/// Every property of every component, changed.
fn in_properties(value: &mut Value, change: fn(&mut Value)) {
    for (_, schema) in value["components"]["schemas"].as_object_mut().unwrap() {
        schema["properties"].as_object_mut().unwrap().values_mut().for_each(change);
    }
}

#[test]
fn a_request_without_credentials_is_rejected() {
    let without = |value: &mut Value| {
        value["components"]["schemas"]["PushSaleRequest"]["properties"].as_object_mut().unwrap().remove("appid");
    };
    assert_eq!(
        error(without, prepare::lift_credentials),
        "components.schemas.PushSaleRequest: has no `appid`; every request body must have this property."
    );
}

#[test]
fn a_preparation_that_finds_nothing_to_change_asks_to_be_removed() {
    type Case = (fn(&mut Value), fn(&mut Value, &Document) -> Result<(), Violations>, &'static str);
    let cases: [Case; 5] = [
        (
            |value| {
                for (_, item) in value["paths"].as_object_mut().unwrap() {
                    item["post"].as_object_mut().unwrap().remove("callbacks");
                }
            },
            prepare::drop_callbacks,
            "`drop_callbacks` no longer applies, since no operation has callbacks",
        ),
        (
            |value| value["components"]["schemas"].as_object_mut().unwrap().retain(|name, _| name == "SaleItem"),
            prepare::close_empty_objects,
            "`close_empty_objects` no longer applies, since every object has fields",
        ),
        (
            |value| in_properties(value, |property| *property = json!({ "type": "string" })),
            prepare::keep_types_without_validation,
            "`keep_types_without_validation` no longer applies, since no property has other keywords",
        ),
        (
            |value| in_properties(value, |property| *property = json!({ "type": "string" })),
            prepare::make_numbers_decimals,
            "`make_numbers_decimals` no longer applies, since no property is a number",
        ),
        (
            |value| in_properties(value, |property| *property = json!({ "type": "string" })),
            prepare::distinguish_absent_lists_from_empty_ones,
            "`distinguish_absent_lists_from_empty_ones` no longer applies, since no optional property is a list",
        ),
    ];
    for (change, prepare, expected) in cases {
        let got = error(change, prepare);
        assert!(got.contains(expected) && got.ends_with("remove it from codegen/prepare.rs."), "{got}");
    }
}

/// The names in `METHODS_OF_CALL`, and those of the inherent methods of `Call`, from the source.
#[test]
fn every_method_of_a_call_is_a_reserved_name() {
    let mut reserved = Vec::new();
    let mut methods = Vec::new();
    for item in items("document/src").chain(items("src")) {
        match item {
            Item::Const(list) if list.ident == "METHODS_OF_CALL" => {
                let Expr::Array(names) = *list.expr else { panic!("METHODS_OF_CALL is not an array") };
                reserved.extend(names.elems.iter().map(|name| name.to_token_stream().to_string().replace('"', "")));
            }
            Item::Impl(block)
                if block.trait_.is_none() && block.self_ty.to_token_stream().to_string() == "Call < R >" =>
            {
                methods.extend(block.items.into_iter().filter_map(|item| match item {
                    ImplItem::Fn(method) => Some(method.sig.ident.to_string()),
                    _ => None,
                }));
            }
            _ => {}
        }
    }
    reserved.sort();
    methods.sort();
    assert!(!methods.is_empty(), "no `impl Call<R>` in src/");
    assert_eq!(reserved, methods);
}

/// The items in the source files of a folder and those below it.
fn items(folder: &str) -> impl Iterator<Item = Item> {
    let paths = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap();
    paths.into_iter().flat_map(|path| syn::parse_file(&fs::read_to_string(path).unwrap()).unwrap().items)
}

#[test]
fn the_prepared_document_has_no_callbacks_credentials_numbers_or_statuses() {
    let prepared = prepare::prepared(&document()).unwrap();
    assert!(prepared["components"]["schemas"].get("Callback").is_none());
    assert!(prepared["components"]["schemas"].get("CallbackReceived").is_some());
    for (path, item) in prepared["paths"].as_object().unwrap() {
        let statuses: Vec<_> = item["post"]["responses"].as_object().unwrap().keys().collect();
        assert_eq!(statuses, ["default"], "{path}");
        assert!(item["post"].get("callbacks").is_none(), "{path}");
    }
    for (name, schema) in prepared["components"]["schemas"].as_object().unwrap() {
        for (property, schema) in schema["properties"].as_object().into_iter().flatten() {
            let is_credential = ["apikey", "appid"].contains(&property.as_str());
            assert!(!is_credential || !name.ends_with("Request"), "{name}.{property}");
            assert!(schema["type"] != "number" && schema.get("example").is_none(), "{name}.{property}");
        }
    }
}
