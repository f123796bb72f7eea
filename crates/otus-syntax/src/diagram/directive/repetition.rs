//! The number of repetitions in the label of a loop.

use crate::diagram::statement::Repetition;

/// The repetition that a loop's label states.
///
/// Accepted are an empty label and `*`; `3`, `(3)`, `3 times`, `once`, `twice`; `2..5`, `(2,5)`,
/// `2 to 5 times`, `between 2 and 5 times`; `1..*`, `(1,*)`, `2..`, `2 or more times`,
/// `at least 2 times`; `at most 5 times`, `up to 5 times`; `any number of times`. Anything else,
/// and numbers that do not fit, is free text.
pub(crate) fn repetition(label: &str) -> Repetition {
    const FREE: Repetition = Repetition { least: 0, most: None, stated: false };
    // A longer label is free text. This limit keeps the time constant.
    if label.trim().len() > 64 {
        return FREE;
    }
    let label = label.trim().to_ascii_lowercase();
    match times(unbracketed(label.strip_prefix("loop").unwrap_or(&label))) {
        Some((least, most)) if most.is_none_or(|most| least <= most) => {
            Repetition { least, most, stated: true }
        }
        Some(_) | None => FREE,
    }
}

/// The label that [`repetition`] reads back as this repetition.
pub(crate) fn repetition_label(repetition: Repetition) -> String {
    match repetition {
        Repetition { stated: false, .. } => String::from("repeatedly"),
        Repetition { least: 0, most: None, .. } => String::new(),
        Repetition { least, most: None, .. } => format!("{least}..*"),
        Repetition { least: 1, most: Some(1), .. } => String::from("once"),
        Repetition { least, most: Some(most), .. } if least == most => format!("{least} times"),
        Repetition { least, most: Some(most), .. } => format!("{least}..{most}"),
    }
}

/// The bounds that a label states, if any.
fn times(text: &str) -> Option<(u32, Option<u32>)> {
    match text {
        "" | "*" | "any number of times" => return Some((0, None)),
        "once" => return Some((1, Some(1))),
        "twice" => return Some((2, Some(2))),
        _ => {}
    }
    let text = match text.strip_suffix("times").or_else(|| text.strip_suffix("time")) {
        Some(shorter) => unbracketed(shorter),
        None => text,
    };
    let open = |text: &str| Some((number(text)?, None));
    let closed = |least: &str, most: &str| Some((number(least)?, Some(number(most)?)));
    if let Some(least) = text.strip_suffix("or more").or_else(|| text.strip_prefix("at least")) {
        return open(least);
    }
    if let Some(most) = text.strip_prefix("at most").or_else(|| text.strip_prefix("up to")) {
        return closed("0", most);
    }
    if let Some((least, most)) = text.strip_prefix("between").and_then(|t| t.split_once("and")) {
        return closed(least, most);
    }
    if let Some((least, most)) = ["..", ",", "to", "-"].iter().find_map(|by| text.split_once(by)) {
        return match most.trim() {
            "*" | "" => open(least),
            most => closed(least, most),
        };
    }
    closed(text, text)
}

/// The text without one pair of brackets around it.
fn unbracketed(text: &str) -> &str {
    let text = text.trim();
    [('[', ']'), ('(', ')')]
        .iter()
        .find_map(|&(open, close)| text.strip_prefix(open)?.strip_suffix(close))
        .map_or(text, |inside| {
            let inside = inside.trim();
            // A guard around the bounds: `[(2,5)]`.
            inside.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(inside).trim()
        })
}

fn number(text: &str) -> Option<u32> {
    let text = text.trim();
    // `parse` alone would also accept a sign.
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_loops_state_bounds_or_are_free_text() {
        #[track_caller]
        fn check(label: &str, least: u32, most: Option<u32>) {
            let repetition = Repetition { least, most, stated: true };
            assert_eq!(super::repetition(label), repetition, "{label}");
            assert_eq!(super::repetition(&repetition_label(repetition)), repetition);
        }
        for any in ["", " ", "*", "0..*", "0,*", "(0,*)", "[0..*]", "any number of times", "0.."] {
            check(any, 0, None);
        }
        for three in
            ["3", "(3)", "[3]", "3 times", "(3) times", "3..3", "loop(3)", "(3,3)", "3 Times"]
        {
            check(three, 3, Some(3));
        }
        for range in [
            "2..5",
            "(2,5)",
            "[(2,5)]",
            "2 to 5 times",
            "loop(2,5)",
            "2-5",
            "between 2 and 5 times",
            "[2 .. 5]",
        ] {
            check(range, 2, Some(5));
        }
        for open in ["2..*", "(2,*)", "2..", "2 or more times", "2 or more", "at least 2 times"] {
            check(open, 2, None);
        }
        for most in ["at most 5 times", "up to 5 times", "0..5", "(0,5)"] {
            check(most, 0, Some(5));
        }
        check("once", 1, Some(1));
        check("1 time", 1, Some(1));
        check("1000 times", 1000, Some(1000));
        check("4294967295", u32::MAX, Some(u32::MAX));
    }

    #[test]
    fn other_labels_of_loops_are_free_text() {
        let free = Repetition { least: 0, most: None, stated: false };
        for label in [
            "Every minute",
            "for each item",
            "until ok",
            "forever",
            "5..2",
            "4294967296",
            "+3",
            "-3",
            "n times",
            "1..n",
            "times",
            "to",
            "..",
            "(",
            "()x",
            "3 items",
            "a,b",
            "[ok]",
        ] {
            assert_eq!(repetition(label), free, "{label}");
        }
        assert_eq!(repetition(&"9".repeat(1000)), free);
        assert_eq!(repetition(&repetition_label(free)), free);
    }
}
