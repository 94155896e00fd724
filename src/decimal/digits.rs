use super::number::Decimal;

/// The digits of a number, as [`Display`](std::fmt::Display) writes them, without an allocation.
///
/// It is aligned so that `from_utf8` checks it a word at a time.
#[repr(C, align(16))]
pub(super) struct Digits {
    /// Digits, a point and a sign; the text is at the end.
    bytes: [u8; LENGTH],
    start: usize,
}

/// Room for the longest text, a sign, 29 digits and a point, and for a spare byte.
const LENGTH: usize = 32;

impl Digits {
    pub(super) fn of(number: &Decimal) -> Self {
        /// How many digits a `u64` always holds. Splits a mantissa of 96 bits into two halves that are cheap to divide.
        const HALF: u32 = 19;
        const POWER: u128 = 10_u128.pow(HALF);

        let mantissa = number.0.mantissa().unsigned_abs();
        // Zeros, so that a short half and a short fraction are padded with them.
        let mut digits = Self { bytes: [b'0'; LENGTH], start: LENGTH };
        match u64::try_from(mantissa) {
            Ok(mantissa) => digits.write(mantissa),
            Err(_) => {
                digits.write((mantissa % POWER) as u64);
                digits.start = LENGTH - HALF as usize;
                digits.write((mantissa / POWER) as u64);
            }
        }
        let scale = number.0.scale() as usize;
        let point = LENGTH - scale;
        // One digit before the point at least.
        digits.start = digits.start.min(point - 1);
        if scale > 0 {
            digits.bytes.copy_within(digits.start..point, digits.start - 1);
            digits.start -= 1;
            digits.bytes[point - 1] = b'.';
        }
        if number.0.is_sign_negative() {
            digits.push(b'-');
        }
        digits
    }

    pub(super) fn as_str(&self) -> &str {
        let all = std::str::from_utf8(&self.bytes).unwrap_or_default();
        all.get(self.start..).unwrap_or_default()
    }

    fn write(&mut self, mut number: u64) {
        while number > 0 {
            self.push(b'0' + (number % 10) as u8);
            number /= 10;
        }
    }

    fn push(&mut self, byte: u8) {
        self.start -= 1;
        self.bytes[self.start] = byte;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn digits_are_those_of_display(
            lo: u32, mid: u32, hi: u32, bits in 0..97_u32, negative: bool, scale in 0..29_u32,
        ) {
            let mantissa = u128::from(hi) << 64 | u128::from(mid) << 32 | u128::from(lo);
            let mantissa = if bits == 0 { 0 } else { mantissa >> (96 - bits) };
            let mut number = rust_decimal::Decimal::from_i128_with_scale(mantissa as i128, scale);
            number.set_sign_negative(negative);
            let number = Decimal(number);
            let digits = Digits::of(&number);
            prop_assert_eq!(digits.as_str(), number.to_string());
        }
    }
}
