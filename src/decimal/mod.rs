use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _, ser::Error as _};
use serde_json::value::RawValue;

/// An exact decimal number: what every `number` of the interface is.
///
/// It goes out as a JSON number, digit for digit: `"100.10"` is sent as `100.10`, never as `100.1` or `100.10000001`. It
/// holds up to 28 digits behind the point and 96 bits in all; what does not fit is an error, never rounded. Exponents are
/// read and written out: `1e-7` is sent as `0.0000001`. There is no infinity and no NaN.
///
/// ```
/// use business_data_connector::Decimal;
///
/// let price: Decimal = "19.99".parse()?;
/// assert_eq!(price.to_string(), "19.99");
/// assert_eq!(Decimal::from(5).to_string(), "5");
/// assert_eq!(Decimal::try_from(0.1 + 0.2)?.to_string(), "0.30000000000000004");
/// # Ok::<(), business_data_connector::DecimalError>(())
/// ```
///
/// A float is converted only where you ask for it:
///
/// ```compile_fail,E0277
/// let price: business_data_connector::Decimal = 19.99.into();
/// ```
///
/// Calculate with [`rust_decimal::Decimal`], to and from which it converts. It reads and writes with `serde_json`, from
/// and to text or bytes: by way of a `serde_json::Value` it would lose digits, and inside an untagged enum it cannot be
/// read.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decimal(rust_decimal::Decimal);

/// Why something is not a [`Decimal`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecimalError {
    /// Not written as a JSON number.
    NotANumber,
    /// More digits than fit: at most 28 behind the point, and 96 bits in all.
    OutOfRange,
}

impl fmt::Display for DecimalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotANumber => "not a decimal number; write digits with a point, such as 19.99",
            Self::OutOfRange => {
                "a decimal with more digits than can be kept exactly: at most 28 behind the point, and 96 bits in all"
            }
        })
    }
}

impl std::error::Error for DecimalError {}

impl FromStr for Decimal {
    type Err = DecimalError;

    /// Reads what JSON allows as a number, and nothing else: no `+5`, no `.5`, no `1_000`.
    fn from_str(text: &str) -> Result<Self, DecimalError> {
        let number: &RawValue = serde_json::from_str(text).map_err(|_| DecimalError::NotANumber)?;
        if number.get().len() != text.len() || !text.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
            return Err(DecimalError::NotANumber);
        }
        let written_out = match text.split_once(['e', 'E']) {
            None => rust_decimal::Decimal::from_str_exact(text),
            Some((digits, exponent)) => rust_decimal::Decimal::from_str_exact(&shifted(digits, exponent)?),
        };
        written_out.map(Self).map_err(|_| DecimalError::OutOfRange)
    }
}

/// `12.5` and `-3` as `0.0125`. Both are already known to be parts of a JSON number.
fn shifted(digits: &str, exponent: &str) -> Result<String, DecimalError> {
    /// Beyond this, no digit but zero would fit.
    const FARTHEST: i64 = 1_000;

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
        .filter(|point| point.abs() <= FARTHEST)
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

macro_rules! from_integers {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Decimal {
            fn from(integer: $integer) -> Self {
                Self(integer.into())
            }
        }
    )*};
}
from_integers!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);

impl From<rust_decimal::Decimal> for Decimal {
    fn from(decimal: rust_decimal::Decimal) -> Self {
        Self(decimal)
    }
}

impl From<Decimal> for rust_decimal::Decimal {
    fn from(decimal: Decimal) -> Self {
        decimal.0
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.0.to_string();
        serde_json::from_str::<&RawValue>(&text).map_err(S::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer)?.get().parse().map_err(D::Error::custom)
    }
}

#[cfg(feature = "schemars")]
impl schemars::JsonSchema for Decimal {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Decimal".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "number" })
    }
}
