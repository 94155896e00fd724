//! The code in `src/` names no operation and no record, since the document is their only source. Examples in doc
//! comments may name them, since they are compiled against the generated code. The envelope of callbacks is an
//! exception: it is the same for every operation, and read by hand.

mod support;

use std::fs;

use business_data_connector::DOCUMENT;
use business_data_connector_document::Document;
use support::sources;

#[test]
fn no_code_in_src_names_an_operation_or_a_record() -> Result<(), Box<dyn std::error::Error>> {
    let document = Document::parse(DOCUMENT)?;
    let schemas = document.as_value()["components"]["schemas"].as_object().ok_or("no schemas")?;
    let envelope = document.callback_envelope().ok_or("no envelope")?;
    let schemas = schemas.keys().filter(|name| !name.starts_with(envelope));
    let names = document.operations().iter().flat_map(|operation| [&operation.id, &operation.path]).chain(schemas);
    let names: Vec<_> = names.collect();
    let files = sources(concat!(env!("CARGO_MANIFEST_DIR"), "/src").as_ref())?;
    for path in &files {
        let text = fs::read_to_string(path)?;
        let code = |line: &str| !line.trim_start().starts_with("//");
        for (number, line) in text.lines().enumerate().filter(|(_, line)| code(line)) {
            let named = names.iter().find(|name| line.contains(name.as_str()));
            assert_eq!(named, None, "{}:{}: {line}", path.display(), number + 1);
        }
    }
    assert!(files.len() > 10);
    Ok(())
}
