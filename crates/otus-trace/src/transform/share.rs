//! A part of a length, given as an exact fraction.

use std::fmt;
use std::str::FromStr;

/// A fraction from 0 to 1.
///
/// ```
/// use otus_trace::transform::Share;
///
/// assert_eq!(Share::THIRD.least(10), 4);
/// assert_eq!("40%".parse::<Share>().unwrap().least(10), 4);
/// assert_eq!("0.5".parse::<Share>().unwrap(), Share::new(1, 2).unwrap());
/// assert!("3/2".parse::<Share>().is_err());
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Share {
    numerator: u64,
    denominator: u64,
}

impl Share {
    /// One third, the share of wide slices in the paper on slices.
    pub const THIRD: Share = Share { numerator: 1, denominator: 3 };

    /// The fraction of two numbers; `None` if it is not between 0 and 1.
    pub fn new(numerator: u64, denominator: u64) -> Option<Share> {
        (denominator > 0 && numerator <= denominator).then_some(Share { numerator, denominator })
    }

    /// The least length that is at least this share of a given length.
    pub fn least(self, length: usize) -> usize {
        let scaled = length as u128 * u128::from(self.numerator);
        let least = scaled.div_ceil(u128::from(self.denominator));
        // The result is at most the length, so it fits.
        usize::try_from(least).unwrap_or(length)
    }
}

impl PartialEq for Share {
    fn eq(&self, other: &Share) -> bool {
        u128::from(self.numerator) * u128::from(other.denominator)
            == u128::from(other.numerator) * u128::from(self.denominator)
    }
}

impl Eq for Share {}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.numerator, self.denominator)
    }
}

/// The error for a text that is not a share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoShare;

impl fmt::Display for NoShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a share is a fraction from 0 to 1, written as 1/3, 0.5 or 50%")
    }
}

impl std::error::Error for NoShare {}

impl FromStr for Share {
    type Err = NoShare;

    fn from_str(text: &str) -> Result<Share, NoShare> {
        let text = text.trim();
        let share = if let Some((numerator, denominator)) = text.split_once('/') {
            let number = |text: &str| text.trim().parse().map_err(|_| NoShare);
            Share::new(number(numerator)?, number(denominator)?)
        } else if let Some(percent) = text.strip_suffix('%') {
            let (numerator, denominator) = decimal(percent.trim_end())?;
            Share::new(numerator, denominator * 100)
        } else {
            let (numerator, denominator) = decimal(text)?;
            Share::new(numerator, denominator)
        };
        share.ok_or(NoShare)
    }
}

/// `12.34` as 1234 and 100.
fn decimal(text: &str) -> Result<(u64, u64), NoShare> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{part}");
    // No trace is so long that more than nine digits make a difference.
    if digits.is_empty() || digits.len() > 9 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(NoShare);
    }
    let scale = part.bytes().fold(1, |scale, _| scale * 10);
    Ok((digits.parse().map_err(|_| NoShare)?, scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(u64, u64)>) {
        let expected = expected.and_then(|(n, d)| Share::new(n, d));
        assert_eq!(text.parse::<Share>().ok(), expected, "{text}");
    }

    #[test]
    fn fractions_decimals_and_percentages_are_read() {
        check("1/3", Some((1, 3)));
        check(" 2 / 4 ", Some((1, 2)));
        check("0.25", Some((1, 4)));
        check(".5", Some((1, 2)));
        check("1", Some((1, 1)));
        check("1.", Some((1, 1)));
        check("0", Some((0, 7)));
        check("12.5%", Some((1, 8)));
        check("100 %", Some((1, 1)));
        for text in
            ["", ".", "%", "/", "1/0", "2", "101%", "-1", "1/3/5", "a", "1e3", "٣", "0.12345678901"]
        {
            check(text, None);
        }
    }

    #[test]
    fn the_least_length_is_rounded_up() {
        let least: Vec<usize> = (0..8).map(|length| Share::THIRD.least(length)).collect();
        assert_eq!(least, [0, 1, 1, 1, 2, 2, 2, 3]);
        assert_eq!(Share::new(1, 1).unwrap().least(usize::MAX), usize::MAX);
        assert_eq!(Share::new(0, 1).unwrap().least(5), 0);
    }
}
