use super::number::Decimal;

/// The digits of a number, as [`Display`](std::fmt::Display) writes them, without an allocation.
pub(super) struct Digits {
    /// The text is at the end. The longest is `-0.` and 28 digits.
    bytes: [u8; 32],
    start: usize,
}

impl Digits {
    pub(super) fn of(number: &Decimal) -> Self {
        /// The largest power of ten in a `u64`: splits a mantissa into two halves that are cheap to divide.
        const HALF: u128 = 10_u128.pow(19);

        let mantissa = number.0.mantissa().unsigned_abs();
        let mut digits = Self { bytes: [b'0'; 32], start: 32 };
        let mut writer = Writer { digits: &mut digits, scale: number.0.scale(), written: 0 };
        // Neither half exceeds a `u64`: the mantissa has 96 bits.
        let (high, low) = match u64::try_from(mantissa) {
            Ok(low) => (0, low),
            Err(_) => ((mantissa / HALF) as u64, (mantissa % HALF) as u64),
        };
        writer.write(low, if high > 0 { 19 } else { 0 });
        writer.write(high, 0);
        writer.write(0, (writer.scale + 1).saturating_sub(writer.written));
        if number.0.is_sign_negative() {
            digits.push(b'-');
        }
        digits
    }

    pub(super) fn as_str(&self) -> &str {
        // Digits, a point and a sign are always UTF-8.
        std::str::from_utf8(&self.bytes[self.start..]).unwrap_or_default()
    }

    fn push(&mut self, byte: u8) {
        self.start -= 1;
        self.bytes[self.start] = byte;
    }
}

/// Writes from the last digit to the first.
struct Writer<'a> {
    digits: &'a mut Digits,
    scale: u32,
    written: u32,
}

impl Writer<'_> {
    /// Writes the digits of `number`, and zeros before them up to `width`.
    fn write(&mut self, mut number: u64, width: u32) {
        let end = self.written + width;
        while number > 0 || self.written < end {
            if self.written == self.scale && self.scale > 0 {
                self.digits.push(b'.');
            }
            self.digits.push(b'0' + (number % 10) as u8);
            number /= 10;
            self.written += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn digits_are_those_of_display(lo: u32, mid: u32, hi: u32, bits in 0..97_u32, negative: bool, scale in 0..29_u32) {
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
