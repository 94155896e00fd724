use super::number::Decimal;

/// A value that converts to a [`Decimal`] exactly: what the constructors and setters of amounts accept.
///
/// Implemented for [`Decimal`], [`rust_decimal::Decimal`] and the integers. It is not implemented for `f64` and `f32`,
/// because most decimal fractions have no exact float, nor for text, which may not be a number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not convert to a `Decimal` exactly",
    label = "not an exact decimal",
    note = "for a literal, write its digits as text: `Decimal::try_from(\"19.99\")?`",
    note = "for a float, write `Decimal::try_from(value)?`, which takes the shortest digits that read back as `value`"
)]
pub trait IntoDecimal {
    /// Converts the value.
    fn into_decimal(self) -> Decimal;
}

impl IntoDecimal for Decimal {
    fn into_decimal(self) -> Decimal {
        self
    }
}

impl IntoDecimal for rust_decimal::Decimal {
    fn into_decimal(self) -> Decimal {
        self.into()
    }
}

macro_rules! from_integers {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Decimal {
            fn from(integer: $integer) -> Self {
                Self(integer.into())
            }
        }

        impl IntoDecimal for $integer {
            fn into_decimal(self) -> Decimal {
                self.into()
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
