use serde::{Serialize, Serializer, ser::Error};

use super::{
    digits::Digits,
    format::{is_json, json_numbers_keep_digits},
    number::Decimal,
    read::from_rounded,
    verbatim,
};

impl Serialize for Decimal {
    /// A number where `serde_json` writes, and text everywhere else.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digits = Digits::of(self);
        if !is_json::<S::Error>() {
            return serializer.serialize_str(digits.as_str());
        }
        // Only the serializer of JSON text returns nothing; others build a `Value` or a buffer, in which a number is an
        // integer of 64 bits or a float.
        if typeid::of::<S::Ok>() == typeid::of::<()>() || json_numbers_keep_digits() {
            return verbatim::write(digits.as_str(), serializer);
        }
        write_rounded(self, digits.as_str(), serializer)
    }
}

/// Writes a number to a serializer that has no decimals, if it is read back as the same.
fn write_rounded<S: Serializer>(number: &Decimal, digits: &str, serializer: S) -> Result<S::Ok, S::Error> {
    if !number.0.is_zero() {
        if let Ok(integer) = digits.parse() {
            return serializer.serialize_i64(integer);
        }
        if let Ok(integer) = digits.parse() {
            return serializer.serialize_u64(integer);
        }
    }
    match digits.parse::<f64>() {
        Ok(float) if from_rounded(float) == Some(*number) => serializer.serialize_f64(float),
        _ => Err(S::Error::custom(format_args!(
            "{number} has more digits than a `serde_json::Value` holds; write it as text, or straight to JSON text"
        ))),
    }
}
