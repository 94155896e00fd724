//! What the document promises, for a reviewer: a line per leaf. Accept a change with `cargo insta review`.

use business_data_connector::DOCUMENT;
use business_data_connector_document::contract::Contract;

#[test]
fn the_contract_is_the_one_that_was_read() -> Result<(), Box<dyn std::error::Error>> {
    insta::assert_snapshot!("lines", Contract::parse(DOCUMENT)?.lines().join("\n"));
    Ok(())
}
