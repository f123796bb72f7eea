//! Command-line arguments whose value is one of a fixed list of names.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// A value, its name, and its meaning in `--help`.
pub(crate) type Choice<T> = (T, &'static str, &'static str);

/// A parser for an argument whose value is one of some names.
pub(super) fn one_of<T: Copy + Send + Sync>(
    all: &'static [Choice<T>],
) -> impl TypedValueParser<Value = T> {
    listing(all, |_| true)
}

/// A parser for an argument whose value is one of some names. The help lists only the values that
/// `is_listed` selects.
pub(super) fn listing<T: Copy + Send + Sync>(
    all: &'static [Choice<T>],
    is_listed: fn(T) -> bool,
) -> impl TypedValueParser<Value = T> {
    let possible = all
        .iter()
        .map(|&(value, name, help)| PossibleValue::new(name).help(help).hide(!is_listed(value)));
    PossibleValuesParser::new(possible)
        .map(|name| named(all, &name).expect("the parser accepts these names only"))
}

/// The value with a name.
pub(super) fn named<T: Copy>(all: &[Choice<T>], name: &str) -> Option<T> {
    all.iter().find(|(_, known, _)| known.eq_ignore_ascii_case(name)).map(|(value, ..)| *value)
}

/// The name of a value.
pub(crate) fn name_of<T: PartialEq>(all: &[Choice<T>], value: &T) -> &'static str {
    all.iter().find(|(known, ..)| known == value).map_or("", |(_, name, _)| name)
}
