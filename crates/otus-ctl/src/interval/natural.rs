//! Natural numbers of any size: what a count of vectors needs, and no more.

use std::cmp::Ordering;
use std::fmt::{self, Write};
use std::ops::{Add, AddAssign, Mul};

/// A natural number.
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash)]
pub struct Natural {
    /// In base 2^64, the lowest first, the last one not zero.
    digits: Vec<u64>,
}

impl Natural {
    /// The number as a machine integer, if it fits.
    pub fn to_u128(&self) -> Option<u128> {
        match *self.digits {
            [] => Some(0),
            [low] => Some(u128::from(low)),
            [low, high] => Some(u128::from(high) << 64 | u128::from(low)),
            _ => None,
        }
    }

    /// Nearly the number; infinite if that is beyond all floating-point numbers.
    #[expect(clippy::cast_precision_loss, reason = "an approximation is what is asked for")]
    pub fn to_f64(&self) -> f64 {
        self.digits.iter().rev().fold(0.0, |sum, &digit| sum * 2f64.powi(64) + digit as f64)
    }

    /// Whether it is nought.
    pub fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// `self += other * factor`.
    pub fn add_product(&mut self, other: &Natural, factor: u64) {
        if factor == 0 {
            return;
        }
        let mut carry = 0_u128;
        let length = self.digits.len().max(other.digits.len());
        self.digits.resize(length, 0);
        for (at, digit) in self.digits.iter_mut().enumerate() {
            let more = other.digits.get(at).copied().unwrap_or(0);
            if more == 0 && carry == 0 && at >= other.digits.len() {
                break;
            }
            carry += u128::from(*digit) + u128::from(more) * u128::from(factor);
            *digit = low(carry);
            carry >>= 64;
        }
        if carry != 0 {
            self.digits.push(low(carry));
        }
    }

    /// Divides by `divisor`, which is not zero, and returns the rest.
    fn divide(&mut self, divisor: u64) -> u64 {
        let mut rest = 0_u128;
        for digit in self.digits.iter_mut().rev() {
            let part = rest << 64 | u128::from(*digit);
            *digit = low(part / u128::from(divisor));
            rest = part % u128::from(divisor);
        }
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        low(rest)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half is meant")]
fn low(number: u128) -> u64 {
    number as u64
}

impl From<u128> for Natural {
    fn from(number: u128) -> Self {
        let mut digits = vec![low(number), low(number >> 64)];
        while digits.last() == Some(&0) {
            digits.pop();
        }
        Natural { digits }
    }
}

impl From<u64> for Natural {
    fn from(number: u64) -> Self {
        Natural::from(u128::from(number))
    }
}

impl AddAssign<&Natural> for Natural {
    fn add_assign(&mut self, other: &Natural) {
        self.add_product(other, 1);
    }
}

impl Add<&Natural> for Natural {
    type Output = Natural;

    fn add(mut self, other: &Natural) -> Natural {
        self += other;
        self
    }
}

impl Mul for &Natural {
    type Output = Natural;

    fn mul(self, other: &Natural) -> Natural {
        let mut product = Natural::default();
        for &digit in other.digits.iter().rev() {
            if !product.digits.is_empty() {
                product.digits.insert(0, 0);
            }
            product.add_product(self, digit);
        }
        product
    }
}

impl Ord for Natural {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_length = self.digits.len().cmp(&other.digits.len());
        by_length.then_with(|| self.digits.iter().rev().cmp(other.digits.iter().rev()))
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Natural {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        const CHUNK: u64 = 10_000_000_000_000_000_000;
        let mut rest = self.clone();
        let mut chunks = Vec::new();
        while !rest.is_zero() {
            chunks.push(rest.divide(CHUNK));
        }
        let mut text = chunks.pop().unwrap_or(0).to_string();
        for chunk in chunks.into_iter().rev() {
            write!(text, "{chunk:019}")?;
        }
        out.pad_integral(true, "", &text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn power(base: u64, exponent: u32) -> Natural {
        let base = Natural::from(base);
        (0..exponent).fold(Natural::from(1_u64), |product, _| &product * &base)
    }

    #[test]
    fn large_numbers_print_in_full() {
        assert_eq!(Natural::default().to_string(), "0");
        assert_eq!(power(10, 19).to_string(), format!("1{}", "0".repeat(19)));
        assert_eq!(power(10, 100).to_string(), format!("1{}", "0".repeat(100)));
        assert_eq!(power(2, 130).to_string(), "1361129467683753853853498429727072845824");
        assert_eq!(format!("{:>6}", power(7, 3)), "   343");
    }

    #[test]
    fn small_numbers_are_as_those_of_the_machine() {
        for a in [0, 1, 9, u128::from(u64::MAX), 1 << 64, u128::MAX >> 2] {
            for b in [0, 1, 12, u128::from(u64::MAX), u128::MAX >> 2] {
                let sum = Natural::from(a) + &Natural::from(b);
                assert_eq!(sum.to_u128(), Some(a + b));
                assert_eq!(Natural::from(a).cmp(&Natural::from(b)), a.cmp(&b));
                let product = &Natural::from(a) * &Natural::from(b);
                assert_eq!(product.is_zero(), a == 0 || b == 0);
                if let Some(expected) = a.checked_mul(b) {
                    assert_eq!(product.to_u128(), Some(expected), "{a} * {b}");
                }
            }
        }
        assert_eq!(power(2, 128).to_u128(), None);
        assert!((power(10, 30).to_f64() / 1e30 - 1.0).abs() < 1e-12);
    }
}
