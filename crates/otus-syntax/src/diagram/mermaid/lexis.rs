//! Words, names and arrows by the rules of Mermaid's lexer.

use super::entity::{FOREIGN_WORDS, entity_length};
use crate::diagram::is_one_of;

/// Words that cannot begin a name, because the lexer takes them for keywords, in upper or lower case.
const RESERVED: &str = "accdescr acctitle activate actor alt and as autonumber box break create \
    critical deactivate destroy details else end left link links loop note off opt option over par \
    par_over participant properties rect right sequencediagram style title wrap";

/// The words that can begin a statement, for suggestions.
pub(super) const KEYWORDS: &str = "participant actor create destroy loop alt else opt par and \
    break critical option rect box end note activate deactivate autonumber title links properties \
    details";

/// Whether the name begins with a reserved word of Mermaid.
pub(super) fn is_reserved(name: &str) -> bool {
    is_one_of(word(name), RESERVED)
}

/// The ASCII letters, digits and `_` at the start of a text, as in the lexer's word boundary.
pub(super) fn word(text: &str) -> &str {
    let end = text.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
    &text[..end]
}

/// Whether Mermaid reads `name` as a participant, in declarations and at both ends of arrows. This is
/// stricter than Mermaid's own rules, which have exceptions (`a-x`, `1 a`, `a as b`).
pub(super) fn is_spellable(name: &str) -> bool {
    let mut before = None;
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        let after = chars.peek().copied();
        let fits = match c {
            '_' | '.' => true,
            ' ' | '-' => {
                before.is_some_and(char::is_alphanumeric)
                    && after.is_some_and(|after| {
                        after.is_alphanumeric() && (c == ' ' || !matches!(after, 'x' | 'X'))
                    })
            }
            _ => c.is_alphanumeric(),
        };
        if !fits {
            return false;
        }
        before = Some(c);
    }
    let starts_well = name.starts_with(|c: char| c == '_' || c.is_alphanumeric());
    let is_numbered = name.contains(' ') && name.starts_with(|c: char| c.is_ascii_digit());
    starts_well
        && !is_numbered
        && !is_reserved(name)
        && !name.split(' ').any(|word| word.eq_ignore_ascii_case("as"))
        && !FOREIGN_WORDS.iter().any(|word| name.contains(word))
}

/// The length of the participant at the start of `text`; 0 if there is none.
pub(super) fn actor_length(text: &str) -> usize {
    let mut end = run_length(text, |b| !b"/\\+()<->:\n\r,;".contains(&b));
    if end == 0 {
        return 0;
    }
    loop {
        let rest = &text[end..];
        if is_arrow_like(rest) {
            return end;
        }
        let dashes = rest.bytes().take_while(|&b| b == b'-').count();
        let more = run_length(&rest[dashes..], |b| !b"+<->:\n\r,;".contains(&b));
        if more == 0 {
            return end;
        }
        end += dashes + more;
    }
}

/// The length of the longest prefix that consists of entities and of bytes for which `fits` holds.
pub(super) fn run_length(text: &str, fits: impl Fn(u8) -> bool) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&b) = bytes.get(at) {
        match entity_length(&text[at..]).filter(|_| b == b'#') {
            Some(length) => at += length,
            None if b.is_ascii() && !fits(b) => break,
            None => at += text[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    at
}

/// Whether an arrow could begin here, so that the lexer ends a name.
fn is_arrow_like(text: &str) -> bool {
    const STOPS: [&str; 13] =
        ["-x", "-X", "--", "-)", "-|\\", "-|/", "-\\", "-/", "/|-", "\\|-", "//-", "\\\\-", "()"];
    STOPS.iter().any(|stop| text.starts_with(stop))
}

/// The colour at the start of the label of a box, and the rest.
pub(super) fn colour(label: &str) -> (Option<&str>, &str) {
    const NAMES: &str = "aqua aquamarine azure beige black blue brown coral crimson cyan fuchsia gold gray \
        green grey indigo ivory khaki lavender lightblue lightcyan lightgray lightgreen lightgrey \
        lightpink lightyellow lime magenta maroon mintcream navy olive orange orchid pink plum purple \
        red salmon silver skyblue tan teal thistle tomato transparent turquoise violet wheat white yellow";
    let end = match label.find('(') {
        Some(open) if is_one_of(&label[..open], "rgb rgba hsl hsla") => {
            label.find(')').map_or(label.len(), |close| close + 1)
        }
        _ => label.find(char::is_whitespace).unwrap_or(label.len()),
    };
    let (first, rest) = label.split_at(end);
    let is_colour = !first.is_empty() && (first.contains('(') || is_one_of(first, NAMES));
    if is_colour { (Some(first), rest.trim_start()) } else { (None, label) }
}

/// The direction of an arrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrow {
    /// From left to right, with any line and head.
    Forward,
    /// With a cross: a lost message.
    Lost,
    /// A half arrow with its head at the left: the message goes from right to left.
    Backward,
    /// Heads at both ends.
    Both,
}

pub(super) fn arrow(text: &str) -> Option<(Arrow, usize)> {
    const ARROWS: [(Arrow, &str); 4] = [
        (Arrow::Forward, "-> --> ->> -->> -) --) -|\\ -|/ -\\\\ -// --|\\ --|/ --\\\\ --//"),
        (Arrow::Lost, "-x -X --x --X"),
        (Arrow::Backward, "/|- \\|- //- \\\\- /|-- \\|-- //-- \\\\--"),
        (Arrow::Both, "<-> <--> <<->> <<-->>"),
    ];
    let spellings =
        ARROWS.iter().flat_map(|&(arrow, all)| all.split(' ').map(move |each| (arrow, each)));
    spellings
        .filter(|(_, spelling)| text.starts_with(spelling))
        .map(|(arrow, spelling)| (arrow, spelling.len()))
        .max_by_key(|&(_, length)| length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_actor(text: &str, expected: &str) {
        assert_eq!(&text[..actor_length(text)], expected);
    }

    #[test]
    fn names_end_where_an_arrow_begins() {
        check_actor("A->>B: m", "A");
        check_actor("Alice Smith ->> B: m", "Alice Smith ");
        check_actor("A-B->>C", "A-B");
        check_actor("A-xB", "A");
        check_actor("a-b-xB", "a-b");
        check_actor("a--b", "a");
        check_actor("A()->>B", "A");
        check_actor("A(b)->>B", "A(b)");
        check_actor("A/b->>B", "A/b");
        check_actor("A/|-B", "A");
        check_actor("A-)B", "A");
        check_actor("A#59;b->>C", "A#59;b");
        check_actor("été->B", "été");
        check_actor("->>B", "");
        check_actor("", "");
    }

    #[test]
    fn spellable_names() {
        for name in ["a", "A1", "1", "été", "order-service", "a.b", "my broker", "_x", "ending"] {
            assert!(is_spellable(name), "{name}");
        }
        for name in [
            "",
            "end",
            "End",
            "end-user",
            "loop",
            "a-x",
            "a--b",
            "-a",
            "a-",
            " a",
            "a ",
            "a  b",
            "1 a",
            "a as b",
            "a;b",
            "a:b",
            "a,b",
            "a#b",
            "a%%b",
            "\"a\"",
            "a\nb",
            "a/b",
            "note é",
            "endé",
            "C4Container",
            "style",
            "a\u{a0}b",
        ] {
            assert!(!is_spellable(name), "{name}");
        }
    }
}
