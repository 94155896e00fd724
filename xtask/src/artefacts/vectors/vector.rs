//! The format of a vector, and values that are easily corrupted.

use serde::Serialize;

use super::body::Body;

/// A body and its verdict.
#[derive(Serialize)]
pub struct Vector {
    /// The operation that the body is a request or a callback of.
    pub operation: String,
    /// What the body tests.
    pub why: String,
    pub valid: bool,
    pub body: Body,
}

/// A JSON string that is easily corrupted: composed and decomposed characters, surrogate pairs, right to left, escapes.
pub const UNICODE: &str = r#""Zoë e\u0301 山田 🦁 \ud83e\udd81 שלום \u200f\"\\\/\b\u007f\u2028""#;

/// Numbers at the limits of exactness: of a 32-bit float, a double and a decimal with 28 digits, and near zero.
pub const NUMBERS: [&str; 10] = [
    "0",
    "-0.01",
    "19.99",
    "1234567.89",
    "0.10",
    "1e-7",
    "9007199254740993.01",
    "79228162514264337593543950335",
    "-79228162514264337593543950335",
    "0.0000000000000000000000000001",
];

/// Why the vectors exist that serve as examples, too.
pub const MINIMAL: &str = "only what is required";
pub const FULL: &str = "every field";
