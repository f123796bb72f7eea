//! Excerpts of the user's text for messages: short, and without control characters.

use std::ops::Range;

/// The first `most` characters of a text, followed by `…` if there are more.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let mut shown: String = text.chars().take(most).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// The text with control characters escaped.
pub(crate) fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || c == '\u{feff}' {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

/// The longest line that is shown whole, in bytes.
const WIDEST: usize = 160;
/// The bytes of a longer line that are shown on each side of the place.
const AROUND: usize = 60;

/// The line on which a place begins, or the part of it around the place, and the range of the place in
/// this excerpt. Control characters, which could confuse a terminal, are replaced.
pub fn line(text: &str, place: Range<usize>) -> (String, Range<usize>) {
    let start = text.floor_char_boundary(place.start);
    let from = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let rest = &text[start..];
    let to = start + rest.find('\n').unwrap_or(rest.len());
    let to = from + text[from..to].trim_end_matches('\r').len();
    let start = start.min(to);
    let end = text.floor_char_boundary(place.end).clamp(start, to);
    let (mut first, mut last) = (from, to);
    if to - from > WIDEST {
        first = text.floor_char_boundary(start.saturating_sub(AROUND)).max(from);
        last = text.floor_char_boundary((end.min(start + WIDEST) + AROUND).min(to)).max(start);
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

/// A line, or its beginning if it is long, and the range of this excerpt without the surrounding white
/// space.
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
