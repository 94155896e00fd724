//! The layer in `src/` knows no operation and no record: the document does.

use std::fs;

use business_data_connector::DOCUMENT;
use business_data_connector_document::Document;

#[test]
fn no_line_of_the_layer_names_an_operation_or_a_record() -> Result<(), Box<dyn std::error::Error>> {
    let document = Document::parse(DOCUMENT)?;
    let schemas = document.as_value()["components"]["schemas"].as_object().ok_or("no schemas")?;
    let names =
        document.operations().iter().flat_map(|operation| [&operation.id, &operation.path]).chain(schemas.keys());
    let names: Vec<_> = names.collect();
    let mut files = 0;
    for entry in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))? {
        let path = entry?.path();
        for (number, line) in fs::read_to_string(&path)?.lines().enumerate() {
            let named = names.iter().find(|name| line.contains(name.as_str()));
            assert_eq!(named, None, "{}:{}: {line}", path.display(), number + 1);
        }
        files += 1;
    }
    assert!(files > 10);
    Ok(())
}
