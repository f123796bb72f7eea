//! Exact rational numbers: the constants of formulas and the values of traces.
//!
//! A number is a reduced fraction of two 64-bit integers with a positive denominator, so equal
//! numbers are equal values. A result that does not fit is `None`; numbers are never rounded.

use std::cmp::Ordering;
use std::fmt;

/// A rational number.
///
/// ```
/// use otus_syntax::rational::Rational;
///
/// let quarter = Rational::parse("0.25").unwrap();
/// assert_eq!(quarter, Rational::parse("2/8").unwrap());
/// assert_eq!(quarter.to_string(), "1/4");
/// assert!(quarter < Rational::from(1));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rational {
    numerator: i64,
    denominator: i64,
}

impl Rational {
    /// The fraction of two integers, reduced; `None` if the denominator is zero or the result
    /// does not fit.
    pub fn new(numerator: i128, denominator: i128) -> Option<Self> {
        if denominator == 0 {
            return None;
        }
        let divisor = greatest_common_divisor(numerator.unsigned_abs(), denominator.unsigned_abs());
        let divisor = i128::try_from(divisor).ok()?;
        let sign = if denominator < 0 { -1 } else { 1 };
        let numerator = (numerator / divisor).checked_mul(sign)?;
        let denominator = (denominator / divisor).checked_mul(sign)?;
        Some(Rational {
            numerator: i64::try_from(numerator).ok()?,
            denominator: i64::try_from(denominator).ok()?,
        })
    }

    /// The number written as `-12`, `0.25`, `1.5e3` or `1/3`; `None` if it is not written like
    /// that or does not fit.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some((above, below)) = text.split_once('/') {
            if !is_digits(above.strip_prefix('-').unwrap_or(above)) || !is_digits(below) {
                return None;
            }
            return Rational::new(above.parse().ok()?, below.parse().ok()?);
        }
        decimal(text)
    }

    /// The numerator.
    pub fn numerator(self) -> i64 {
        self.numerator
    }

    /// The denominator, which is positive.
    pub fn denominator(self) -> i64 {
        self.denominator
    }

    /// The number as an integer, if it is one.
    pub fn integer(self) -> Option<i64> {
        (self.denominator == 1).then_some(self.numerator)
    }

    /// The number with digits after a point, `12.5`, or as a fraction if these digits would never end, `1/3`. Either
    /// form is read by [`Rational::parse`].
    ///
    /// ```
    /// use otus_syntax::rational::Rational;
    ///
    /// let show = |text| Rational::parse(text).unwrap().decimal();
    /// assert_eq!([show("25/2"), show("-1/8"), show("1/3")], ["12.5", "-0.125", "1/3"]);
    /// ```
    pub fn decimal(self) -> String {
        let denominator = i128::from(self.denominator);
        // More places than these would not fit; a fraction is shorter anyway.
        let ends = (1..=18).find(|&places| 10_i128.pow(places) % denominator == 0);
        let Some(places) = ends.filter(|_| denominator > 1) else { return self.to_string() };
        let scaled = i128::from(self.numerator) * (10_i128.pow(places) / denominator);
        let (sign, places) = (if scaled < 0 { "-" } else { "" }, places as usize);
        let digits = format!("{:0>width$}", scaled.unsigned_abs(), width = places + 1);
        let (whole, fraction) = digits.split_at(digits.len() - places);
        format!("{sign}{whole}.{fraction}")
    }

    /// The sum, if it fits.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        let (a, b) = (self.wide(), other.wide());
        Rational::new((a.0 * b.1).checked_add(b.0 * a.1)?, a.1 * b.1)
    }

    /// The difference, if it fits.
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        let (a, b) = (self.wide(), other.wide());
        Rational::new((a.0 * b.1).checked_sub(b.0 * a.1)?, a.1 * b.1)
    }

    /// The product, if it fits.
    pub fn checked_mul(self, other: Self) -> Option<Self> {
        let (a, b) = (self.wide(), other.wide());
        Rational::new(a.0 * b.0, a.1 * b.1)
    }

    fn wide(self) -> (i128, i128) {
        (i128::from(self.numerator), i128::from(self.denominator))
    }
}

impl From<i64> for Rational {
    fn from(integer: i64) -> Self {
        Rational { numerator: integer, denominator: 1 }
    }
}

impl Default for Rational {
    fn default() -> Self {
        Rational::from(0)
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        let (a, b) = (self.wide(), other.wide());
        (a.0 * b.1).cmp(&(b.0 * a.1))
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.integer() {
            Some(integer) => write!(f, "{integer}"),
            None => write!(f, "{}/{}", self.numerator, self.denominator),
        }
    }
}

/// `-12`, `0.25`, `1.5e3`.
fn decimal(text: &str) -> Option<Rational> {
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => {
            let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            if !is_digits(digits) {
                return None;
            }
            (mantissa, exponent.parse::<i32>().ok()?)
        }
        None => (unsigned, 0),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) if is_digits(fraction) => (whole, fraction),
        Some(_) => return None,
        None => (mantissa, ""),
    };
    if !is_digits(whole) {
        return None;
    }
    // Trailing zeros of a fraction would overflow without changing the value.
    let fraction = fraction.trim_end_matches('0');
    let mut value: i128 = 0;
    for digit in whole.bytes().chain(fraction.bytes()) {
        value = value.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
    }
    if value == 0 {
        return Some(Rational::from(0));
    }
    if negative {
        value = -value;
    }
    let scale = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    let power = 10_i128.checked_pow(scale.unsigned_abs())?;
    if scale < 0 {
        Rational::new(value, power)
    } else {
        Rational::new(value.checked_mul(power)?, 1)
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn greatest_common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let number = Rational::parse(text);
        assert_eq!(number.map(|number| number.to_string()).as_deref(), expected, "{text}");
    }

    #[test]
    fn numbers_are_read_exactly_and_reduced() {
        check("0", Some("0"));
        check("-0", Some("0"));
        check("007", Some("7"));
        check("-12", Some("-12"));
        check("0.25", Some("1/4"));
        check("-1.50", Some("-3/2"));
        check("1.5e3", Some("1500"));
        check("25E-2", Some("1/4"));
        check("2/6", Some("1/3"));
        check("-4/2", Some("-2"));
        check("0/5", Some("0"));
        check("9223372036854775807", Some("9223372036854775807"));
        check("-9223372036854775808", Some("-9223372036854775808"));
        check("0.50000000000000000000000000", Some("1/2"));
    }

    #[test]
    fn what_is_no_number_or_does_not_fit_is_none() {
        for text in
            ["", "-", "a", "1/0", "1/-2", "1/", "/2", ".5", "1.", "1e", "1e+", "+1", "1 ", "1/2/3"]
        {
            check(text, None);
        }
        check("9223372036854775808", None);
        check("-9223372036854775809", None);
        check("1e19", None);
        check("1e-19", None);
        check("1e999999999999", None);
        check("0e99", Some("0"));
        check(&"9".repeat(60), None);
    }

    #[test]
    fn sums_products_and_order_are_exact() {
        let number = |text: &str| Rational::parse(text).unwrap();
        assert_eq!(number("1/3").checked_add(number("1/6")), Some(number("1/2")));
        assert_eq!(number("1/3").checked_sub(number("1/3")), Some(number("0")));
        assert_eq!(number("-2/3").checked_mul(number("3/4")), Some(number("-1/2")));
        assert_eq!(Rational::from(i64::MAX).checked_add(number("1")), None);
        assert_eq!(Rational::from(i64::MIN).checked_mul(number("-1")), None);
        assert!(number("1/3") < number("0.334") && number("-1") < number("-1/2"));
        let (large, larger) = (Rational::from(i64::MAX - 1), Rational::from(i64::MAX));
        assert!(large < larger);
    }
}
