//! Counts with their units: `1 action`, `2 actions`.

use std::fmt::Display;

/// A count of something, in the singular or the plural: `1 action`, `2 actions`.
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let plural = if count == N::from(1) { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_is_singular_and_nothing_is_plural() {
        assert_eq!(counted(0_usize, "action"), "0 actions");
        assert_eq!(counted(1_u64, "action"), "1 action");
        assert_eq!(counted(21_u128, "more finding"), "21 more findings");
    }
}
