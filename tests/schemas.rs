//! Snapshots of one generated file of each type, for review. Accept a change with `cargo insta review`.

use std::fs;

use serde_json::Value;

fn file(path: &str) -> std::io::Result<String> {
    Ok(fs::read_to_string(format!("{}/openapi/{path}", env!("CARGO_MANIFEST_DIR")))?.replace("\r\n", "\n"))
}

#[test]
fn a_request_a_record_and_a_callback_match_the_reviewed_snapshots() -> std::io::Result<()> {
    insta::assert_snapshot!("request", file("schemas/PushSettlementRequest.schema.json")?);
    insta::assert_snapshot!("record", file("schemas/SaleItem.schema.json")?);
    insta::assert_snapshot!("callback", file("schemas/Callback.schema.json")?);
    Ok(())
}

#[test]
fn the_index_entries_of_an_operation_match_the_reviewed_snapshots() -> Result<(), Box<dyn std::error::Error>> {
    let schemas: Value = serde_json::from_str(&file("schemas/index.json")?)?;
    insta::assert_snapshot!("index_entry", serde_json::to_string_pretty(&schemas["operations"]["push_settlement"])?);
    insta::assert_snapshot!("index_callbacks", serde_json::to_string_pretty(&schemas["callbacks"])?);
    let vectors: Value = serde_json::from_str(&file("vectors/index.json")?)?;
    insta::assert_snapshot!("vectors_entry", serde_json::to_string_pretty(&vectors[0])?);
    Ok(())
}

#[test]
fn no_generated_schema_restricts_amounts_to_multiples_of_a_cent() -> std::io::Result<()> {
    for entry in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/openapi/schemas"))? {
        let path = entry?.path();
        assert!(!fs::read_to_string(&path)?.contains("multipleOf"), "{}", path.display());
    }
    Ok(())
}
