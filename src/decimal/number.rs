use std::fmt;

/// An exact decimal number: the type of every `number` in the interface.
///
/// It is sent as a JSON number, digit for digit: `"100.10"` is sent as `100.10`, never as `100.1` or `100.10000001`,
/// and `"-0.00"` keeps its sign. It holds up to 28 digits after the decimal point and a 96-bit mantissa; a number that
/// does not fit is an error and is never rounded. Exponents are expanded: `1e-7` is sent as `0.0000001`. Infinity and
/// NaN do not exist.
///
/// It is read back with every digit from any serde format that it is written in, with one exception: in a
/// `serde_json::Value`, and inside `#[serde(flatten)]` and tagged or untagged enums when they are read from JSON, only
/// 15 significant digits are safe, and more are an error; see [Serialization](#serialization).
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
/// A float is converted only on request, because most decimal fractions have no exact `f64`:
///
/// ```compile_fail,E0277
/// let price: business_data_connector::Decimal = 19.99.into();
/// ```
///
/// Comparison, equality and hashing are numeric: `0.1 == 0.10`. [`checked_add`](Self::checked_add),
/// [`checked_sub`](Self::checked_sub), [`checked_sum`](Self::checked_sum) and `-` are exact; for anything else convert
/// to and from [`rust_decimal::Decimal`], which this crate re-exports.
///
/// # Serialization
///
/// What is lost, and where:
///
/// - **`serde_json::Value`** stores a fraction as an `f64`. Trailing zeros are lost, and a number that an `f64` cannot
///   hold (more than 15 significant digits, other than an integer of 64 bits) is an error, both when writing and when
///   reading.
/// - **`#[serde(flatten)]`, internally tagged and untagged enums** buffer what they read. From JSON, and from a plain
///   number in YAML, TOML or CSV, the buffer holds an `f64`, so the limits are those of a `Value`. A number is rounded
///   before this type sees it: a rounded one is recognized by having more than 15 significant digits, and rejected. A
///   number with more than 15 digits that is rounded to one with fewer, such as `0.1000000000000000055`, cannot be
///   recognized.
///
/// | format | written as | read |
/// |---|---|---|
/// | JSON text of `serde_json` | a number, exact | a number, exact; a string is an error |
/// | `serde_json::Value` | a number, as above | a number, as above |
/// | CSV, YAML, TOML, other text formats | text, exact | text, exact; plain numbers: CSV, YAML exact, TOML as above |
/// | MessagePack, CBOR, bincode, postcard, other binary formats | text, exact | text, exact |
///
/// Plain numbers in a `Value` of YAML, and in binary formats other than inside a buffer, are errors: write them as
/// text.
///
/// With `serde_json`'s feature `arbitrary_precision` enabled anywhere in the build, `Value` and the buffers are exact
/// too. What serde cannot buffer is an integer of more than 64 bits that comes from a `Value`: that is an error.
///
/// `serde_json` is recognized by its error type. Its serializer behind another error type, as in `erased-serde`, is
/// treated as an unknown text format: the number is written as a string with the same digits. A `serde_json::Value`
/// read through an adapter such as `serde_path_to_error` looks like JSON text: the number is what the `Value` holds,
/// including any rounding.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decimal(pub(super) rust_decimal::Decimal);

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
