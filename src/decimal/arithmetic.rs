use std::{cmp::Ordering, ops::Neg};

use super::number::Decimal;

impl Decimal {
    /// The exact sum, with as many digits after the point as the operand that has more, or `None` if it does not fit.
    ///
    /// ```
    /// use business_data_connector::Decimal;
    ///
    /// let net = Decimal::try_from("17.30")?;
    /// let vat = Decimal::try_from("2.6")?;
    /// assert_eq!(net.checked_add(vat).map(|gross| gross.to_string()).as_deref(), Some("19.90"));
    /// # Ok::<(), business_data_connector::DecimalError>(())
    /// ```
    #[must_use = "this returns the sum and does not change the number"]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        sum_at_larger_scale(self.0, other.0)
            // Without their trailing zeros, large numbers fit more often.
            .or_else(|| sum_at_larger_scale(self.0.normalize(), other.0.normalize()))
            .map(Self)
    }

    /// The exact difference, as [`checked_add`](Self::checked_add).
    #[must_use = "this returns the difference and does not change the number"]
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.checked_add(-other)
    }

    /// The exact sum of all numbers, 0 if there are none, or `None` as soon as a subtotal does not fit.
    ///
    /// ```
    /// use business_data_connector::Decimal;
    ///
    /// let total = Decimal::checked_sum(["0.10", "0.20"].map(|text| Decimal::try_from(text).unwrap()));
    /// assert_eq!(total, Some(Decimal::try_from("0.30")?));
    /// # Ok::<(), business_data_connector::DecimalError>(())
    /// ```
    #[must_use]
    pub fn checked_sum(numbers: impl IntoIterator<Item = Self>) -> Option<Self> {
        numbers.into_iter().try_fold(Self::default(), Self::checked_add)
    }
}

impl Neg for Decimal {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0)
    }
}

/// Not `rust_decimal`'s own addition, which rounds a sum that has too many digits.
fn sum_at_larger_scale(left: rust_decimal::Decimal, right: rust_decimal::Decimal) -> Option<rust_decimal::Decimal> {
    let raised = |number: rust_decimal::Decimal, by: u32| number.mantissa().checked_mul(10_i128.checked_pow(by)?);
    let (left_scale, right_scale) = (left.scale(), right.scale());
    let (left, right) = match left_scale.cmp(&right_scale) {
        Ordering::Less => (raised(left, right_scale - left_scale)?, right.mantissa()),
        Ordering::Equal => (left.mantissa(), right.mantissa()),
        Ordering::Greater => (left.mantissa(), raised(right, left_scale - right_scale)?),
    };
    let (mut sum, mut scale) = (left.checked_add(right)?, left_scale.max(right_scale));
    loop {
        match rust_decimal::Decimal::try_from_i128_with_scale(sum, scale) {
            Ok(fits) => return Some(fits),
            Err(_) if scale > 0 && sum % 10 == 0 => (sum, scale) = (sum / 10, scale - 1),
            Err(_) => return None,
        }
    }
}
