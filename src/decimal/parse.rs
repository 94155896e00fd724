use std::{fmt, str::FromStr};

use super::number::Decimal;

/// Why a value is not a [`Decimal`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecimalError {
    /// Not written as a JSON number.
    NotANumber,
    /// More digits than fit: at most 28 after the decimal point, and 96 bits in all.
    OutOfRange,
}

impl fmt::Display for DecimalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotANumber => "not a decimal number; write digits with a point, such as 19.99",
            Self::OutOfRange => {
                "a decimal with more digits than can be kept exactly: at most 28 after the point, and 96 bits in all"
            }
        })
    }
}

impl std::error::Error for DecimalError {}

impl FromStr for Decimal {
    type Err = DecimalError;

    /// Accepts exactly what JSON accepts as a number: `+5`, `.5` and `1_000` are errors.
    fn from_str(text: &str) -> Result<Self, DecimalError> {
        if !is_json_number(text.as_bytes()) {
            return Err(DecimalError::NotANumber);
        }
        let parsed = match text.split_once(['e', 'E']) {
            None => rust_decimal::Decimal::from_str_exact(text),
            Some((digits, exponent)) => rust_decimal::Decimal::from_str_exact(&expanded(digits, exponent)?),
        };
        let mut number = parsed.map_err(|_| DecimalError::OutOfRange)?;
        // The parser drops the sign of zero.
        if number.is_zero() {
            number.set_sign_negative(text.starts_with('-'));
        }
        Ok(Self(number))
    }
}

/// Whether the text is a number by the grammar of JSON.
fn is_json_number(text: &[u8]) -> bool {
    let unsigned = text.strip_prefix(b"-").unwrap_or(text);
    let after_integer = match unsigned {
        [b'0', rest @ ..] => Some(rest),
        _ => after_digits(unsigned),
    };
    let after_fraction = match after_integer {
        Some([b'.', rest @ ..]) => after_digits(rest),
        other => other,
    };
    match after_fraction {
        Some([b'e' | b'E', b'+' | b'-', rest @ ..] | [b'e' | b'E', rest @ ..]) => after_digits(rest) == Some(b""),
        rest => rest == Some(b""),
    }
}

/// What follows one or more digits.
fn after_digits(text: &[u8]) -> Option<&[u8]> {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    text.get(length..).filter(|_| length > 0)
}

/// Expands an exponent: `12.5` and `-3` become `0.0125`. Both are parts of a JSON number.
fn expanded(digits: &str, exponent: &str) -> Result<String, DecimalError> {
    /// Beyond this exponent, no digit but zero fits.
    const LARGEST: i64 = 1_000;

    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |digits| ("-", digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    if all.bytes().all(|digit| digit == b'0') {
        return Ok("0".to_owned());
    }
    let point = exponent
        .parse()
        .ok()
        .and_then(|exponent: i64| exponent.checked_add(i64::try_from(whole.len()).ok()?))
        .filter(|point| point.abs() <= LARGEST)
        .ok_or(DecimalError::OutOfRange)?;
    let length = i64::try_from(all.len()).map_err(|_| DecimalError::OutOfRange)?;
    let zeros = |count: i64| "0".repeat(usize::try_from(count).unwrap_or(0));
    Ok(match usize::try_from(point) {
        Ok(point) if point > 0 && point < all.len() => format!("{sign}{}.{}", &all[..point], &all[point..]),
        Ok(point) if point > 0 => format!("{sign}{all}{}", zeros(i64::try_from(point).unwrap_or(0) - length)),
        _ => format!("{sign}0.{}{all}", zeros(-point)),
    })
}

impl TryFrom<&str> for Decimal {
    type Error = DecimalError;

    fn try_from(text: &str) -> Result<Self, DecimalError> {
        text.parse()
    }
}

impl TryFrom<f64> for Decimal {
    type Error = DecimalError;

    /// The shortest decimal that reads back as the same `f64`: `19.99` is 19.99, and `0.1 + 0.2` is
    /// 0.30000000000000004. NaN and the infinities are errors.
    fn try_from(number: f64) -> Result<Self, DecimalError> {
        if !number.is_finite() {
            return Err(DecimalError::NotANumber);
        }
        format!("{number:e}").parse()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::value::RawValue;

    use super::*;

    proptest! {
        #[test]
        fn the_grammar_of_a_number_is_that_of_serde_json(
            text in "-{0,2}[0-9]{0,3}[.]{0,2}[0-9]{0,3}([eE][+-]{0,2}[0-9]{0,2})?",
        ) {
            let number = serde_json::from_str::<&RawValue>(&text).is_ok_and(|raw| raw.get().len() == text.len());
            prop_assert_eq!(is_json_number(text.as_bytes()), number);
        }
    }
}
