//! One emitted file of each kind, for a reviewer. Accept a change with `cargo insta review`.

use std::fs;

use serde_json::Value;

fn file(path: &str) -> std::io::Result<String> {
    Ok(fs::read_to_string(format!("{}/openapi/{path}", env!("CARGO_MANIFEST_DIR")))?.replace("\r\n", "\n"))
}

#[test]
fn a_request_and_a_record_are_emitted_as_they_were_read() -> std::io::Result<()> {
    insta::assert_snapshot!("request", file("schemas/PushSettlementRequest.schema.json")?);
    insta::assert_snapshot!("record", file("schemas/SaleItem.schema.json")?);
    Ok(())
}

#[test]
fn an_operation_is_indexed_as_it_was_read() -> Result<(), Box<dyn std::error::Error>> {
    let schemas: Value = serde_json::from_str(&file("schemas/index.json")?)?;
    insta::assert_snapshot!("index_entry", serde_json::to_string_pretty(&schemas["operations"]["push_settlement"])?);
    let vectors: Value = serde_json::from_str(&file("vectors/index.json")?)?;
    insta::assert_snapshot!("vectors_entry", serde_json::to_string_pretty(&vectors[0])?);
    Ok(())
}

#[test]
fn no_emitted_schema_asks_for_multiples_of_a_cent() -> std::io::Result<()> {
    for entry in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/openapi/schemas"))? {
        let path = entry?.path();
        assert!(!fs::read_to_string(&path)?.contains("multipleOf"), "{}", path.display());
    }
    Ok(())
}
