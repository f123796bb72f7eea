//! Parses the numbers and times by which events are ordered.
//!
//! Such a key is a whole number: a time in nanoseconds since 1970, or a number multiplied by 10^9. All keys of one
//! clock are written in the same way, so times and numbers are never compared.

use otus_syntax::Rational;
use otus_syntax::ast::guard::Literal;

/// Parses a text as a number or a time; `None` if it is neither.
///
/// A time looks like `2026-11-15T07:13:08.454Z`, with variants: a space instead of `T`, a comma
/// instead of the point, a zone like `+02:00`, or no zone. A time without a zone is taken as UTC;
/// on one clock the zone makes no difference.
pub fn key(text: &[u8]) -> Option<i128> {
    let text = text.trim_ascii();
    if is_date(text) { time(text) } else { number(text) }
}

fn is_date(text: &[u8]) -> bool {
    text.len() >= 10 && text[4] == b'-' && text[7] == b'-'
}

pub(crate) const BILLION: i128 = 1_000_000_000;

/// Times are at most so many nanoseconds away from 1970, 146 years, so that the distance of two times fits in 64 bits.
const FARTHEST: i128 = 1 << 62;

/// Why a text is not a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimeFault {
    /// It is neither a number nor a time in the form of RFC 3339.
    NotATime,
    /// It is more than 146 years away from 1970. A number in another unit than seconds is, for instance.
    TooFar,
}

/// A time in nanoseconds, of a number of seconds or a text in the form of RFC 3339.
///
/// # Errors
/// If it is no time, or is too far away from 1970.
pub(crate) fn nanoseconds(text: &[u8]) -> Result<i64, TimeFault> {
    near(key(text).ok_or(TimeFault::NotATime)?)
}

/// The key of a text, in which a number counts so many parts of a second.
#[inline]
pub(crate) fn scaled_key(text: &[u8], per_second: i128) -> Option<i128> {
    let key = key(text)?;
    Some(if per_second == 1 || is_date(text.trim_ascii()) { key } else { key / per_second })
}

/// A number of nanoseconds, if it is near enough to 1970.
pub(crate) fn near(nanoseconds: i128) -> Result<i64, TimeFault> {
    let is_near = nanoseconds.abs() < FARTHEST;
    i64::try_from(nanoseconds).ok().filter(|_| is_near).ok_or(TimeFault::TooFar)
}

/// The time that a literal of a text means: a number of seconds, or a text in the form of RFC 3339. Parts of
/// nanoseconds are dropped.
///
/// # Errors
/// If it is no time, or is too far away from 1970.
pub(crate) fn of_literal(literal: &Literal) -> Result<i64, TimeFault> {
    match literal {
        Literal::Number(seconds) => {
            let scaled = i128::from(seconds.numerator()) * BILLION;
            near(scaled.div_euclid(i128::from(seconds.denominator())))
        }
        Literal::Text(text) if is_date(text.trim().as_bytes()) => nanoseconds(text.as_bytes()),
        Literal::Text(_) | Literal::Boolean(_) => Err(TimeFault::NotATime),
    }
}

/// A number of nanoseconds in seconds.
pub(crate) fn seconds(nanoseconds: i64) -> Option<Rational> {
    Rational::new(i128::from(nanoseconds), BILLION)
}

fn number(text: &[u8]) -> Option<i128> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let (whole, fraction) = split(digits);
    // Numbers with more digits would overflow.
    if whole.is_empty() && fraction.is_empty() || whole.len() > 24 {
        return None;
    }
    let value = integer(whole)?.checked_mul(BILLION)? + billionths(fraction)?;
    Some(if negative { -value } else { value })
}

/// The digits before and after a point or comma.
fn split(text: &[u8]) -> (&[u8], &[u8]) {
    match text.iter().position(|byte| matches!(byte, b'.' | b',')) {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, &[]),
    }
}

fn integer(digits: &[u8]) -> Option<i128> {
    digits.iter().try_fold(0_i128, |value, &digit| {
        let digit = digit.is_ascii_digit().then(|| i128::from(digit - b'0'))?;
        value.checked_mul(10)?.checked_add(digit)
    })
}

/// Parses the digits after the point; those beyond the ninth are dropped.
fn billionths(digits: &[u8]) -> Option<i128> {
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let kept = &digits[..digits.len().min(9)];
    let missing = u32::try_from(9 - kept.len()).ok()?;
    Some(integer(kept)? * 10_i128.pow(missing))
}

fn time(text: &[u8]) -> Option<i128> {
    let part = |from: usize, to: usize| text.get(from..to).and_then(integer);
    let days = days(part(0, 4)?, part(5, 7)?, part(8, 10)?)?;
    let mut seconds = days * 86_400;
    let mut fraction = 0;
    if text.len() > 10 {
        if !matches!(text.get(10), Some(b'T' | b't' | b' ' | b'_')) || text.get(13) != Some(&b':') {
            return None;
        }
        let (hours, minutes) = (part(11, 13)?, part(14, 16)?);
        if hours > 24 || minutes > 59 {
            return None;
        }
        seconds += hours * 3600 + minutes * 60;
        let mut rest = text.get(16..)?;
        if let [b':', a, b, after @ ..] = rest {
            let second = integer(&[*a, *b])?;
            // The last second of a day may be 60, a leap second. It counts as the first one of the next minute.
            if second > 60 {
                return None;
            }
            seconds += second;
            rest = after;
        }
        if let [b'.' | b',', after @ ..] = rest {
            let length = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
            fraction = billionths(&after[..length])?;
            rest = &after[length..];
        }
        seconds -= zone(rest.trim_ascii())?;
    }
    Some(seconds * BILLION + fraction)
}

/// The number of seconds that a zone is ahead of UTC.
fn zone(text: &[u8]) -> Option<i128> {
    let (sign, digits) = match text {
        [] | b"Z" | b"z" => return Some(0),
        [b'+', rest @ ..] => (1, rest),
        [b'-', rest @ ..] => (-1, rest),
        _ => return None,
    };
    let digits: Vec<u8> = digits.iter().copied().filter(|&byte| byte != b':').collect();
    let minutes = match digits.len() {
        2 => 0,
        4 => integer(&digits[2..])?,
        _ => return None,
    };
    let hours = integer(&digits[..2])?;
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

/// Days since 1970 in the Gregorian calendar, computed with years that begin in March, so that the
/// leap day is the last day of a year.
fn days(year: i128, month: i128, day: i128) -> Option<i128> {
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let century = year.div_euclid(100);
    let in_year = (153 * month + 2) / 5 + day - 1;
    let leap_days = year.div_euclid(4) - century + century.div_euclid(4);
    Some(year * 365 + leap_days + in_year - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, seconds: Option<f64>) {
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let found = key(text.as_bytes()).map(|key| key as f64 / 1e9);
        let near = match (found, seconds) {
            (Some(found), Some(seconds)) => (found - seconds).abs() < 1e-3,
            (found, seconds) => found == seconds,
        };
        assert!(near, "{text}: {found:?}, not {seconds:?}");
    }

    #[test]
    fn numbers_and_times() {
        check("7", Some(7.0));
        check("-1.25", Some(-1.25));
        check("1794726891.5", Some(1_794_726_891.5));
        check("1970-01-01", Some(0.0));
        check("1970-01-02T00:00:01Z", Some(86_401.0));
        check("2000-03-01 00:00:00,5", Some(951_868_800.5));
        check("2026-11-15T07:13:08.25+01:00", Some(1_794_723_188.25));
        check("2026-11-15T06:13:08.25", Some(1_794_723_188.25));
        check("2026-11-15T06:13", Some(1_794_723_180.0));
        for text in [
            "",
            "x",
            "1.2.3",
            "2026-13-01",
            "2026-11-15Txx:00",
            "2026-11-15T25:00",
            "--1",
            "1e5",
            ".",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn times_fit_in_64_bits() {
        assert_eq!(nanoseconds(b"12.5"), Ok(12_500_000_000));
        assert_eq!(nanoseconds(b"-0.000000001"), Ok(-1));
        assert_eq!(nanoseconds(b"1794726891116"), Err(TimeFault::TooFar));
        assert_eq!(nanoseconds(b"2300-01-01T00:00:00Z"), Err(TimeFault::TooFar));
        assert_eq!(nanoseconds(b"soon"), Err(TimeFault::NotATime));
        let seconds = |text| of_literal(&Literal::Number(Rational::parse(text).unwrap()));
        assert_eq!(seconds("12.5"), Ok(12_500_000_000));
        assert_eq!(seconds("-1/3"), Ok(-333_333_334));
        assert_eq!(seconds("9223372036854775807"), Err(TimeFault::TooFar));
        assert_eq!(of_literal(&Literal::Text("12.5".into())), Err(TimeFault::NotATime));
        assert_eq!(of_literal(&Literal::Boolean(true)), Err(TimeFault::NotATime));
    }

    #[test]
    fn large_numbers_keep_their_digits() {
        assert_eq!(key(b"1794726891116404330"), Some(1_794_726_891_116_404_330 * BILLION));
        assert_eq!(key(&[b'9'; 100]), None);
    }
}
