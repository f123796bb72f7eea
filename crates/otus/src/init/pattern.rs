//! Makes regular expressions that match lines of logs, for a proposed `otus.toml`.

use otus_trace::run::shape;

use super::phrase::{NOUNS, Phrase, WordOrder};

pub(super) fn of_phrase(order: WordOrder, phrase: &Phrase) -> String {
    let words: Vec<String> = phrase.words.iter().map(|word| escape(word)).collect();
    let words = words.join("|");
    let peer = match phrase.peers {
        0 => "",
        _ => r"(?:(?:\s+\S+){0,2}?\s+(?:to|from)\s+(?<peer>[\w.:/-]*\w))?",
    };
    match order {
        WordOrder::DirectionFirst => {
            let before = if phrase.is_quoted { r#"(?:^|[\s"])"# } else { r"(?:^|\s)" };
            format!(r"{before}(?<dir>{words})\s+(?<message>[\w./:-]*\w){peer}")
        }
        WordOrder::Noun => {
            let nouns = NOUNS.join("|");
            format!(
                r"(?<message>(?i:{nouns})(?:\s+[\w./:-]*\w)?)\s+(?:\S+\s+){{0,3}}?(?<dir>to|from)\s+(?<peer>[\w.:/-]*\w)"
            )
        }
        WordOrder::Between => {
            let arrow = "(?:-->>|->>|-->|->)";
            format!(
                r"(?<sender>[\w.-]*\w)\s*{arrow}\s*(?<receiver>[\w.-]*\w)\s*:\s+(?<message>\S.*)"
            )
        }
        WordOrder::BetweenLeft => {
            let arrow = "(?:<<--|<<-|<--|<-)";
            format!(
                r"(?<receiver>[\w.-]*\w)\s*{arrow}\s*(?<sender>[\w.-]*\w)\s*:\s+(?<message>\S.*)"
            )
        }
        WordOrder::MessageFirst => format!(
            r"(?<message>[\w./:-]*\w)\s+(?<dir>{words})(?:{}|$){}",
            if phrase.is_quoted { r#"[\s"]"# } else { r"\s" },
            peer.replace(r"(?:\s+\S+){0,2}?\s+", "")
        ),
    }
}

/// A pattern for the lines of a shape. A time at the beginning is left out.
pub(super) fn of_shape(shape: &str) -> String {
    let text = shape.trim();
    let text = match text.find(": ").or_else(|| text.find(' ')) {
        Some(end) if text[..end].chars().all(|c| "#-:./TZ+,[] ".contains(c)) => {
            text[end..].trim_start_matches([':', ' ', ']'])
        }
        _ => text,
    };
    unfolded(text)
}

/// A pattern for a folded text, in which `#` and similar marks stand for any text of their class.
fn unfolded(text: &str) -> String {
    let mut pattern = String::new();
    for c in text.chars().take(120) {
        match c {
            '#' => pattern.push_str(r"[\w:-]+"),
            '…' => pattern.push_str(".*"),
            '␀' => pattern.push_str(r"\x00+"),
            '\t' => pattern.push_str(r"\s+"),
            c => pattern.push_str(&escape(&c.to_string())),
        }
    }
    pattern
}

/// The words that distinguish a shape from others, and a pattern for the part of the line that they span. Words
/// that most shapes contain, such as a level, are left out.
pub(super) fn telling_part(
    shape: &str,
    is_common: impl Fn(&str) -> bool,
) -> Option<(String, String)> {
    let mut words: Vec<(usize, &str)> = Vec::new();
    for (at, word) in words_of(shape) {
        if !is_common(word) && words.len() < MOST_WORDS {
            words.push((at, word));
        }
    }
    let (first, _) = words.first()?;
    let (last, word) = words.last()?;
    let pattern = unfolded(&shape[*first..last + word.len()]);
    let name: Vec<&str> = words.iter().map(|(_, word)| *word).collect();
    Some((name.join(" "), pattern))
}

/// The maximum number of words of a name.
const MOST_WORDS: usize = 6;

/// The words of a shape, without those that hold a number.
pub(super) fn words_of(shape: &str) -> impl Iterator<Item = (usize, &str)> {
    let parts = shape.split_inclusive(|c: char| c.is_whitespace() || "[]()\"',:;=".contains(c));
    let mut at = 0;
    parts.filter_map(move |part| {
        let begin = at;
        at += part.len();
        let word = part.trim_end_matches(|c: char| !c.is_alphanumeric());
        let lead = word.len() - word.trim_start_matches(|c: char| !c.is_alphanumeric()).len();
        let word = &word[lead..];
        let is_word = word.chars().filter(|c| c.is_alphabetic()).count() >= 2;
        (is_word && !word.contains(['#', '…', '/'])).then_some((begin + lead, word))
    })
}

/// A pattern for JSON lines like this one: those with a similar value in the field that identifies the event.
pub(super) fn of_json(line: &str) -> String {
    for key in ["msg", "message", "event", "type", "name"] {
        let Some(at) = line.find(&format!("\"{key}\"")) else { continue };
        let rest = line[at + key.len() + 2..].trim_start_matches([' ', ':']);
        let Some(rest) = rest.strip_prefix('"') else { continue };
        let value = rest.split('"').next().unwrap_or_default().trim_end_matches('\\');
        return format!(r#""{key}":\s*"{}"#, unfolded(&shape(value.as_bytes())));
    }
    // Without such a field, the pattern is the line itself.
    escape(line.trim_end_matches('…'))
}

fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(c) && c != '-' {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
