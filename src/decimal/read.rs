use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Unexpected, Visitor, value::MapAccessDeserializer},
};

use super::{
    format::{is_buffer, is_json, is_json_value, json_numbers_keep_digits},
    number::Decimal,
    parse::DecimalError,
    verbatim,
};

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let rounded = is_json_value::<D>() && !json_numbers_keep_digits();
        if rounded || is_buffer::<D, D::Error>() {
            // Only the buffer knows what it holds.
            deserializer.deserialize_any(Number { json: is_json::<D::Error>() })
        } else if is_json::<D::Error>() {
            // Any other method has `serde_json` convert the number to a float first.
            verbatim::read(deserializer)
        } else {
            // CSV and YAML would guess at a type; binary formats may not know one.
            deserializer.deserialize_str(Number { json: false })
        }
    }
}

/// Accepts a number in whatever form the deserializer has it.
struct Number {
    json: bool,
}

impl<'de> Visitor<'de> for Number {
    type Value = Decimal;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.json { "a decimal number" } else { "a decimal number as text, such as \"19.99\"" })
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Decimal, E> {
        match self.json {
            // In JSON text a string is not a number, so it is not one in what was buffered either.
            true => Err(E::custom(DecimalError::NotANumber)),
            false => text.parse().map_err(E::custom),
        }
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Decimal, E> {
        Ok(number.into())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Decimal, E> {
        Ok(number.into())
    }

    fn visit_i128<E: Error>(self, number: i128) -> Result<Decimal, E> {
        number.to_string().parse().map_err(E::custom)
    }

    fn visit_u128<E: Error>(self, number: u128) -> Result<Decimal, E> {
        number.to_string().parse().map_err(E::custom)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Decimal, E> {
        // A `Value` that keeps digits shows a float only if the digits are those of the float.
        if self.json && json_numbers_keep_digits() {
            return Decimal::try_from(number).map_err(E::custom);
        }
        from_rounded(number).ok_or_else(|| {
            E::custom(format_args!(
                "the number arrived as the float {number}, whose digits may not be those that were written; more than 15 \
                 significant digits are read exactly only outside of `flatten`, tagged enums and a `serde_json::Value`"
            ))
        })
    }

    /// How `serde_json` passes on a number of which it keeps the digits.
    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Decimal, A::Error> {
        if !self.json {
            return Err(A::Error::invalid_type(Unexpected::Map, &self));
        }
        let number = serde_json::Number::deserialize(MapAccessDeserializer::new(members))?;
        number.to_string().parse().map_err(A::Error::custom)
    }
}

/// The decimal that a float was made from, if it had no more digits than every `f64` keeps.
pub(super) fn from_rounded(number: f64) -> Option<Decimal> {
    let shortest = format!("{number:e}");
    let mantissa = shortest.split('e').next().unwrap_or_default();
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).count();
    match digits <= f64::DIGITS as usize {
        true => shortest.parse().ok(),
        false => None,
    }
}
