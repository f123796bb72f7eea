//! What a message repeats of the user's text: short, and without control characters.

/// At most this many characters of a text; `…` stands for the rest.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let mut shown: String = text.chars().take(most).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// Text as it can be shown in a message: control characters are escaped.
pub(crate) fn printable(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            let escaped = c.is_control() || c == '\u{feff}';
            let plain = (!escaped).then_some(c);
            plain.into_iter().chain(escaped.then(|| c.escape_unicode()).into_iter().flatten())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(shortened("", 3), "");
        assert_eq!(shortened("été", 3), "été");
        assert_eq!(shortened("étés", 3), "été…");
    }

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(printable("a\u{7}\u{feff}é"), "a\\u{7}\\u{feff}é");
    }
}
