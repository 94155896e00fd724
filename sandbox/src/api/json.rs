//! Strict JSON: a duplicate key, which readers understand differently, is refused.

use axum::body::Bytes;
use serde_json::{Value, value::RawValue};

use super::encoding;
use crate::spec::schemas::Outline;

/// A body that is strict JSON: its text, and what its schema defines of it.
pub(crate) struct Parsed {
    bytes: Bytes,
    outline: Outline,
}

impl Parsed {
    /// Parses a body with a function such as [`Schemas::read`](crate::spec::schemas::Schemas::read).
    ///
    /// # Errors
    /// What is wrong, with line and column; never a value.
    pub(crate) fn parse(bytes: Bytes, read: impl FnOnce(&[u8]) -> serde_json::Result<Outline>) -> Result<Self, String> {
        let outline = read(&bytes).map_err(|error| encoding::cause(&bytes, &error))?;
        Ok(Self { bytes, outline })
    }

    pub(crate) fn outline(&self) -> &Outline {
        &self.outline
    }

    /// What the schema defines of it, without the items of lists, and without the digits of numbers.
    pub(crate) fn value(&self) -> &Value {
        self.outline.value()
    }

    /// The text as it was received. Strict JSON is UTF-8.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes).unwrap_or_default()
    }

    /// The text of `data`, if the body is an object that has it.
    pub(crate) fn data(&self) -> Option<&str> {
        #[derive(serde::Deserialize)]
        struct Members<'a> {
            #[serde(borrow)]
            data: Option<&'a RawValue>,
        }
        // An array is read as a struct, too.
        self.value().is_object().then_some(())?;
        let members: Members<'_> = serde_json::from_slice(&self.bytes).ok()?;
        members.data.map(RawValue::get)
    }
}

#[cfg(test)]
mod tests {
    use business_data_connector::DOCUMENT;
    use business_data_connector_document::Document;
    use serde_json::json;

    use super::*;
    use crate::spec::schemas::Schemas;

    fn parse(text: &[u8]) -> Result<Parsed, String> {
        let document = Document::parse(DOCUMENT).map_err(|e| e.to_string())?;
        let schemas = Schemas::compile(&document, ["PushIncomeRequest"].into_iter())?;
        Parsed::parse(Bytes::copy_from_slice(text), |text| schemas.read("PushIncomeRequest", text))
    }

    #[test]
    fn strict_json_has_its_outline_its_text_and_the_text_of_its_data() -> Result<(), String> {
        let text = r#"{"uid":"\u0000ü","x":[1,-2,0.5,true,null,{"y":1}],"data" : { "amount": 1.10, "id": [1] }}"#;
        let parsed = parse(text.as_bytes())?;
        assert_eq!(*parsed.value(), json!({ "uid": "\u{0}ü", "data": { "amount": 1.1, "id": [] } }));
        assert_eq!((parsed.text(), parsed.data()), (text, Some(r#"{ "amount": 1.10, "id": [1] }"#)));
        let unknown: Vec<_> = parsed.outline().unknown_keys().into_iter().map(|reason| reason.pointer).collect();
        assert_eq!(unknown, ["/x"]);
        assert!(parse(b"[1]")?.data().is_none());
        Ok(())
    }

    #[test]
    fn anything_else_is_refused_with_its_location() {
        let deep = "[".repeat(500);
        for (bytes, expected) in [
            (&br#"{"a":1,"b":{"c":1,"c":2}}"#[..], "duplicate key `c` at line 1 column 21"),
            (br#"{"a":1e400}"#, "number out of range at line 1 column 10"),
            (br#"{"a":"\ud800"}"#, "unexpected end of hex escape at line 1 column 13"),
            (b"{\"a\":\"\xff\"}", "bytes that are not UTF-8, from byte 7 on; encode the body as UTF-8"),
            (b"{\"a\":\"\x00\"}", "control character"),
            (deep.as_bytes(), "recursion limit exceeded"),
            (b"", "an empty body"),
            (b"{} {}", "trailing characters at line 1 column 4"),
            (b"NaN", "expected value at line 1 column 1"),
        ] {
            let got = parse(bytes).err().unwrap_or_default();
            assert!(got.contains(expected), "{}: {got}", String::from_utf8_lossy(bytes));
        }
    }
}
