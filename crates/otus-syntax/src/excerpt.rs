//! What a message repeats of the user's text: short, and without control characters.

use std::ops::Range;

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

/// Longest line that is shown whole, in bytes; of longer ones, what is around the place.
const WIDEST: usize = 160;
const AROUND: usize = 60;

/// The line that a place begins on, or a part of it, and which bytes of that are meant. Control
/// characters, which could play with a terminal, are replaced.
pub fn line(text: &str, place: Range<usize>) -> (String, Range<usize>) {
    let start = floor(text, place.start);
    let from = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let rest = &text[start..];
    let to = start + rest.find('\n').unwrap_or(rest.len());
    let to = from + text[from..to].trim_end_matches('\r').len();
    let start = start.min(to);
    let end = floor(text, place.end).clamp(start, to);
    let (mut first, mut last) = (from, to);
    if to - from > WIDEST {
        first = floor(text, start.saturating_sub(AROUND)).max(from);
        last = floor(text, (end.min(start + WIDEST) + AROUND).min(to)).max(start);
    }
    let end = end.min(last);
    let mut out = String::new();
    if first > from {
        out.push('…');
    }
    push_clean(&text[first..start], &mut out);
    let begin = out.len();
    push_clean(&text[start..end], &mut out);
    let span = begin..out.len();
    push_clean(&text[end..last], &mut out);
    if last < to {
        out.push('…');
    }
    (out, span)
}

/// A whole line, or its beginning if it is long; and which bytes of that are no spaces around it.
pub fn whole(text: &str) -> (String, Range<usize>) {
    let start = text.len() - text.trim_start().len();
    let end = text.trim_end().len().max(start);
    let is_long = text.len() > WIDEST;
    line(text, start..if is_long { end.min(start + WIDEST - AROUND) } else { end })
}

fn push_clean(text: &str, out: &mut String) {
    out.extend(text.chars().map(|letter| match letter {
        '\t' => ' ',
        letter if letter.is_control() => '\u{fffd}',
        letter => letter,
    }));
}

/// The last place between characters that is not behind another.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, place: Range<usize>, expected: &str) {
        let (line, span) = line(text, place);
        assert_eq!(
            format!("{}[{}]{}", &line[..span.start], &line[span.clone()], &line[span.end..]),
            expected
        );
    }

    #[test]
    fn a_short_line_is_whole() {
        check("one\ntwo three\r\nfour", 4..7, "[two] three");
        check("one\ntwo three\r\nfour", 8..18, "two [three]");
        check("", 0..0, "[]");
        check("a\n", 2..2, "[]");
        check("a", 5..9, "a[]");
        check("\ta\u{1b}[0mb", 1..2, " [a]\u{fffd}[0mb");
    }

    #[test]
    fn of_a_long_line_the_part_around_is_left() {
        let text = format!("{}x!é{}", "é".repeat(100), "b".repeat(300));
        let (line, span) = line(&text, 200..204);
        assert_eq!(&line[span], "x!é");
        assert!(line.starts_with("…é") && line.ends_with("b…"), "{line}");
        assert!(line.chars().count() < 120);
        let (line, span) = whole(&text);
        assert!(line.ends_with('…') && span.start == 0, "{line}");
    }

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
