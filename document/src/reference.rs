use serde_json::Value;

/// The target of a schema's reference, such as `#/components/schemas/SaleItem`: its `$ref`, or that of its `allOf` with
/// a single element, which is how OpenAPI 3.0 puts keywords beside a reference.
pub fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str().or_else(|| schema["allOf"][0]["$ref"].as_str())
}

/// The last segment of a schema's reference: `SaleItem`.
pub fn referred(schema: &Value) -> Option<&str> {
    reference(schema)?.rsplit('/').next()
}

/// What a value refers to in the document; any other value unchanged.
pub(crate) fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let found = reference(value).and_then(|target| document.pointer(target.strip_prefix('#')?));
    found.unwrap_or(value)
}

/// The location of a member of an object.
pub(crate) fn join(location: &str, key: &str) -> String {
    if location.is_empty() { key.to_owned() } else { [location, ".", key].concat() }
}
