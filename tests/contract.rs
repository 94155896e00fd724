//! A snapshot of the contract of the document, for review. Accept a change with `cargo insta review`.

use business_data_connector::DOCUMENT;
use business_data_connector_document::contract::Contract;

#[test]
fn the_contract_matches_the_reviewed_snapshot() -> Result<(), Box<dyn std::error::Error>> {
    insta::assert_snapshot!("lines", Contract::parse(DOCUMENT)?.lines().join("\n"));
    Ok(())
}
