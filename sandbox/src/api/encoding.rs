//! Why a body is not JSON, where its encoding is the cause: a parser would only say that it expected a value.

use axum::http::{HeaderMap, header::CONTENT_ENCODING};

/// Compressions by their magic numbers.
const COMPRESSIONS: [(&[u8], &str); 5] = [
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\x78\x01", "zlib"),
    (b"\x78\x9c", "zlib"),
    (b"\x78\xda", "zlib"),
];

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Why these bytes are not JSON: a named cause, or else what the parser says.
pub(crate) fn cause(bytes: &[u8], error: &serde_json::Error) -> String {
    if let Some((_, name)) = COMPRESSIONS.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return compressed(name);
    }
    if let Some(name) = utf_16_or_32(bytes) {
        return format!("{name}; encode the body as UTF-8");
    }
    match std::str::from_utf8(bytes) {
        Ok(text) if text.starts_with(BYTE_ORDER_MARK) => {
            "a UTF-8 byte order mark before the JSON; leave it out".to_owned()
        }
        Ok(text) if text.trim().is_empty() => "an empty body".to_owned(),
        Ok(_) => error.to_string(),
        Err(at) => {
            format!("bytes that are not UTF-8, from byte {} on; encode the body as UTF-8", at.valid_up_to() + 1)
        }
    }
}

/// The same, where the header names a compression.
pub(crate) fn named(headers: &HeaderMap) -> Option<String> {
    let name = headers.get(CONTENT_ENCODING)?.to_str().ok()?;
    (!name.eq_ignore_ascii_case("identity")).then(|| compressed(name))
}

fn compressed(name: &str) -> String {
    format!("a body compressed with {name}; send it uncompressed")
}

/// The first characters of JSON are ASCII, so the zeros among their bytes tell the encoding.
fn utf_16_or_32(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] | [1..=255, 0, 0, 0, ..] => Some("UTF-32LE"),
        [0, 0, 0xfe, 0xff, ..] | [0, 0, 0, 1..=255, ..] => Some("UTF-32BE"),
        [0xff, 0xfe, ..] | [1..=255, 0, ..] => Some("UTF-16LE"),
        [0xfe, 0xff, ..] | [0, 1..=255, ..] => Some("UTF-16BE"),
        _ => None,
    }
}
