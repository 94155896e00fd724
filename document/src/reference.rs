use serde_json::Value;

/// What a schema refers to, directly or in an `allOf` of one, which is how text is put beside a reference:
/// `#/components/schemas/SaleItem`.
pub fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str().or_else(|| schema["allOf"][0]["$ref"].as_str())
}

/// The name at the end of what a schema refers to: `SaleItem`.
pub fn referred(schema: &Value) -> Option<&str> {
    reference(schema)?.rsplit('/').next()
}
