//! What `x-record` must say.

use business_data_connector_document::Document;

const TEXT: &str = include_str!("../../openapi/connector.yaml");

const INCOME: &str = "
      x-record:
        id: id
        batch: push_many
        batch-member: income
        pulled-by: pull_income
";

#[test]
fn the_record_of_an_operation_is_read() {
    let document = Document::parse(TEXT).unwrap();
    let income = document.operations().iter().find(|operation| operation.id == "push_income").unwrap();
    let record = income.record.as_ref().unwrap();
    assert_eq!((record.id.as_str(), record.pulled_by.as_deref()), ("id", Some("pull_income")));
    assert_eq!(record.batch.as_ref().unwrap().member, "income");
}

#[test]
fn the_secrets_of_a_request_are_found_at_any_depth() {
    let document = Document::parse(TEXT).unwrap();
    let secrets: Vec<_> = document.operations().iter().flat_map(|operation| &operation.sensitive).collect();
    assert!(secrets.iter().any(|path| *path == "webhook") && secrets.iter().any(|path| *path == "data.url"));
    assert!(!secrets.iter().any(|path| *path == "apikey"), "{secrets:?}");
}

#[test]
fn what_a_record_names_must_exist_and_fit() {
    for (from, to, reason) in [
        ("        id: id\n", "", "x-record: must have `id`"),
        ("        id: id\n", "        id: 1\n", "x-record: must have `id`"),
        ("batch: push_many", "bacth: push_many", "x-record: must have `id`"),
        ("        batch-member: income\n", "", "x-record: must have `id`"),
        ("id: id\n", "id: amount\n", "x-record.id: must be a property of type string"),
        ("batch: push_many", "batch: push_sale", "x-record.batch: must be an operation whose `data` has a list of Inc"),
        ("batch-member: income", "batch-member: expenses", "x-record.batch: must be an operation whose `data` has a"),
        ("pulled-by: pull_income", "pulled-by: pull_incom", "x-record.pulled-by: must be an operation that reads"),
        ("pulled-by: pull_income", "pulled-by: push_income", "x-record.pulled-by: must be an operation that reads"),
    ] {
        assert_eq!(TEXT.matches(INCOME).count(), 1);
        let text = TEXT.replace(INCOME, &INCOME.replacen(from, to, 1));
        let problem = Document::parse(&text).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(problem.contains(reason), "{to}: {problem}");
    }
}
