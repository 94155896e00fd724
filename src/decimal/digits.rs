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
        let parts = number.0.unpack();
        let (scale, low) = (parts.scale as usize, u64::from(parts.mid) << 32 | u64::from(parts.lo));
        // Zeros, with which a short half and a short fraction are padded.
        let mut digits = Self { bytes: [b'0'; LENGTH], start: LENGTH };
        match parts.hi {
            0 => digits.write_with_point(low, scale),
            high => digits.write_long(u128::from(high) << 64 | u128::from(low), scale),
        }
        if parts.negative {
            digits.push(b'-');
        }
        digits
    }

    pub(super) fn as_str(&self) -> &str {
        // Half of the bytes is enough for most.
        let from = if self.start < LENGTH / 2 { 0 } else { LENGTH / 2 };
        let text = std::str::from_utf8(self.bytes.get(from..).unwrap_or_default()).unwrap_or_default();
        text.get(self.start - from..).unwrap_or_default()
    }

    /// Each digit where it belongs, since to move them takes longer.
    fn write_with_point(&mut self, mut mantissa: u64, scale: usize) {
        if scale > 0 {
            for _ in 0..scale / 2 {
                self.push_pair(mantissa % 100);
                mantissa /= 100;
            }
            if scale % 2 == 1 {
                self.push(b'0' + (mantissa % 10) as u8);
                mantissa /= 10;
            }
            self.push(b'.');
        }
        // One digit before the point at least.
        match mantissa {
            0 => self.push(b'0'),
            _ => self.write(mantissa),
        }
    }

    /// In two halves that are cheap to divide.
    #[cold]
    fn write_long(&mut self, mantissa: u128, scale: usize) {
        /// How many digits a `u64` always holds.
        const HALF: u32 = 19;
        const POWER: u128 = 10_u128.pow(HALF);

        self.write((mantissa % POWER) as u64);
        self.start = LENGTH - HALF as usize;
        self.write((mantissa / POWER) as u64);
        let point = LENGTH - scale;
        // One digit before the point at least.
        self.start = self.start.min(point - 1);
        if scale > 0 {
            self.bytes.copy_within(self.start..point, self.start - 1);
            self.start -= 1;
            self.bytes[point - 1] = b'.';
        }
    }

    fn write(&mut self, mut number: u64) {
        while number >= 10 {
            self.push_pair(number % 100);
            number /= 100;
        }
        if number > 0 {
            self.push(b'0' + number as u8);
        }
    }

    fn push(&mut self, byte: u8) {
        self.start -= 1;
        self.bytes[self.start] = byte;
    }

    /// Two digits of a number below 100.
    fn push_pair(&mut self, number: u64) {
        self.start -= 2;
        if let Some(two) = self.bytes.get_mut(self.start..self.start + 2) {
            two.copy_from_slice(&PAIRS[number as usize]);
        }
    }
}

/// The two digits of each number below 100.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[b'0'; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
        number += 1;
    }
    pairs
};

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
