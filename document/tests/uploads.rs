//! What `x-upload` must say.

use business_data_connector_document::Document;

const TEXT: &str = include_str!("../../openapi/connector.yaml");

fn problem(from: &str, to: &str) -> String {
    assert_eq!(TEXT.matches(from).count(), 1, "{from}");
    Document::parse(&TEXT.replace(from, to)).err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn the_upload_of_an_operation_is_read() {
    let document = Document::parse(TEXT).unwrap();
    let uploads: Vec<_> = document.operations().iter().filter_map(|operation| operation.upload.as_ref()).collect();
    assert_eq!(uploads.len(), 1);
    assert_eq!((uploads[0].items.as_str(), uploads[0].address.as_str()), ("SettlementEntry", "url"));
}

#[test]
fn what_an_upload_names_must_exist() {
    for (from, to, reason) in [
        ("        items: SettlementEntry\n", "", "must have exactly these members, each with a text"),
        ("items: SettlementEntry", "itmes: SettlementEntry", "must have exactly these members, each with a text"),
        ("items: SettlementEntry", "items: SettlementEnrty", "x-upload.items: must name an object"),
        ("method: settle_by_file", "method: push_income", "x-upload.method: must be a name in snake_case"),
        ("method: settle_by_file", "method: async", "x-upload.method: must be a name in snake_case with two words"),
        ("method: settle_by_file", "method: _", "x-upload.method: must be a name in snake_case"),
        ("method: settle_by_file", "method: settleByFile", "x-upload.method: must be a name in snake_case"),
        ("        address: url\n", "        address: date\n", "x-upload.address-from: must be an operation"),
        ("        address: url\n", "        address: path\n", "x-upload.address: must be a property"),
        ("address-from: pull_storage_upload_url", "address-from: pull_income", "x-upload.address-from: must be an"),
    ] {
        let problem = problem(from, to);
        assert!(problem.contains(reason), "{to}: {problem}");
    }
}
