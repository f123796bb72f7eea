//! The pattern that all samples match: groups for what is marked, and what is between them.

use std::fmt::Write as _;

use otus_core::Direction;
use otus_trace::mapping::direction;

use super::{ExampleRequest, Mark, Role, Sample};
use crate::error::{Result, unfit};

/// The groups of a sample in the order of its marks: their roles and names.
pub(super) fn group_names(sample: &Sample) -> Vec<(Role, String)> {
    let mut marks: Vec<&Mark> = sample.marks.iter().collect();
    marks.sort_by_key(|mark| mark.span.start);
    let mut names: Vec<(Role, String)> = Vec::new();
    for mark in marks {
        if matches!(mark.role, Role::Any | Role::Fixed) {
            continue;
        }
        let own = mark.name.as_deref().filter(|_| mark.role == Role::Value);
        let base: String = own
            .unwrap_or(mark.role.name())
            .chars()
            .map(|it| if it.is_ascii_alphanumeric() { it } else { '_' })
            .collect();
        let base = match base.chars().next() {
            Some(first) if first.is_ascii_digit() => format!("_{base}"),
            Some(_) => base,
            None => mark.role.name().to_owned(),
        };
        let is_used = |name: &str| names.iter().any(|(_, known)| known == name);
        let mut numbered = (2..).map(|number| format!("{base}{number}"));
        let name = if is_used(&base) {
            numbered.find(|name| !is_used(name)).unwrap_or_default()
        } else {
            base
        };
        names.push((mark.role, name));
    }
    names
}

/// The pattern that all samples match.
pub(super) fn pattern(request: &ExampleRequest) -> Result<String> {
    let pieces: Vec<Pieces<'_>> = request.samples.iter().map(Pieces::new).collect::<Result<_>>()?;
    let Some(first) = pieces.first() else { return Ok(String::new()) };
    // A further sample without marks only has to be taken, which the account shows.
    let alike: Vec<&Pieces<'_>> = pieces.iter().filter(|it| !it.marks.is_empty()).collect();
    if let Some(other) = alike.iter().find(|it| it.roles() != first.roles()) {
        let (one, other) = (first.roles(), other.roles());
        let names =
            |roles: &[Role]| roles.iter().map(|role| role.name()).collect::<Vec<_>>().join(", ");
        unfit!(
            "the samples are marked differently ({} and {}): mark the same parts in each, or make two rules",
            names(&one),
            names(&other)
        );
    }
    if first.marks.is_empty() {
        let gaps: Vec<&str> = pieces.iter().filter_map(|it| it.gaps.first().copied()).collect();
        let text = between(&gaps, false);
        if text.is_empty() || text == ".*?" {
            unfit!("the lines have nothing in common: mark what makes such a line");
        }
        return Ok(text);
    }
    let names = first.names();
    let mut names = names.into_iter();
    let is_about_direction = first.roles().contains(&Role::Direction);
    let mut out = before(&alike.iter().map(|it| it.gaps[0]).collect::<Vec<_>>());
    for (index, mark) in first.marks.iter().enumerate() {
        let texts: Vec<&str> = alike.iter().map(|it| it.texts[index]).collect();
        let following: Vec<&str> = alike.iter().map(|it| it.gaps[index + 1]).collect();
        let is_last = index + 1 == first.marks.len();
        let class = match mark.role {
            Role::Fixed => alternatives(&texts),
            Role::Direction => directions(&texts),
            Role::Lifeline
            | Role::Peer
            | Role::Message
            | Role::Group
            | Role::Id
            | Role::Value
            | Role::Time
            | Role::Any => class(&texts),
        };
        match mark.role {
            Role::Fixed | Role::Any => out.push_str(&class),
            Role::Lifeline
            | Role::Peer
            | Role::Message
            | Role::Direction
            | Role::Group
            | Role::Id
            | Role::Value
            | Role::Time => {
                let _ = write!(out, "(?<{}>{class})", names.next().unwrap_or_default());
            }
        }
        if !is_last {
            out.push_str(&between(&following, is_about_direction));
        } else if class.ends_with('?') {
            out.push_str(&end(&following));
        }
    }
    Ok(out)
}

/// A sample, cut at its marks.
struct Pieces<'s> {
    sample: &'s Sample,
    marks: Vec<&'s Mark>,
    /// The marked texts.
    texts: Vec<&'s str>,
    /// What is before, between and after them.
    gaps: Vec<&'s str>,
}

impl<'s> Pieces<'s> {
    fn new(sample: &'s Sample) -> Result<Pieces<'s>> {
        let mut marks: Vec<&Mark> = sample.marks.iter().collect();
        marks.sort_by_key(|mark| mark.span.start);
        let (mut texts, mut gaps, mut at) = (Vec::new(), Vec::new(), 0);
        for mark in &marks {
            let text = sample.text.get(mark.span.clone()).filter(|text| !text.is_empty());
            let (Some(text), Some(gap)) = (text, sample.text.get(at..mark.span.start)) else {
                unfit!("a mark is empty, overlaps another one, or is not in its line");
            };
            texts.push(text);
            gaps.push(gap);
            at = mark.span.end;
        }
        gaps.push(sample.text.get(at..).unwrap_or_default());
        Ok(Pieces { sample, marks, texts, gaps })
    }

    fn roles(&self) -> Vec<Role> {
        self.marks.iter().map(|mark| mark.role).collect()
    }

    fn names(&self) -> Vec<String> {
        group_names(self.sample).into_iter().map(|(_, name)| name).collect()
    }
}

/// The characters of texts, as a class that is repeated.
fn class(texts: &[&str]) -> String {
    let all = || texts.iter().flat_map(|text| text.chars());
    if all().any(char::is_whitespace) {
        return ".+?".to_owned();
    }
    if all().all(|it| it.is_ascii_digit()) {
        return "\\d+".to_owned();
    }
    if all().all(|it| it.is_ascii_uppercase()) && all().count() > texts.len() {
        return "[A-Z]+".to_owned();
    }
    let mut others: Vec<char> = all().filter(|&it| !(it.is_alphanumeric() || it == '_')).collect();
    others.sort_unstable();
    others.dedup();
    if others.is_empty() {
        return "\\w+".to_owned();
    }
    let others: String = others.into_iter().map(|it| regex::escape(&it.to_string())).collect();
    // A minus between two characters would mean a range.
    let others = others.replace("\\-", "-");
    let (others, minus) =
        if others.contains('-') { (others.replace('-', ""), "-") } else { (others, "") };
    format!("[\\w{others}{minus}]+")
}

/// Words for sending and receiving: each word of the samples, and its counterpart.
fn directions(texts: &[&str]) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut add = |word: String| {
        if !words.contains(&word) {
            words.push(word);
        }
    };
    for text in texts {
        add((*text).to_owned());
        let is_known = |word: &&[&str; 2]| word.iter().any(|it| text.eq_ignore_ascii_case(it));
        let Some(pair) = COUNTERPARTS.iter().find(is_known) else { continue };
        let other = if text.eq_ignore_ascii_case(pair[0]) { pair[1] } else { pair[0] };
        add(like_case(other, text));
        // `sending` goes with `received` and with `receiving`.
        for [sent, received] in COUNTERPARTS {
            let wanted = direction(text.as_bytes());
            let other = if wanted == Some(Direction::Emission) { received } else { sent };
            let same = if wanted == Some(Direction::Emission) { sent } else { received };
            if same.eq_ignore_ascii_case(text) {
                add(like_case(other, text));
            }
        }
    }
    alternatives(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Words for sending, each with one for receiving.
const COUNTERPARTS: [[&str; 2]; 10] = [
    ["sending", "received"],
    ["sending", "receiving"],
    ["sent", "received"],
    ["send", "receive"],
    ["send", "recv"],
    ["sends", "receives"],
    ["out", "in"],
    ["tx", "rx"],
    ["->", "<-"],
    [">>", "<<"],
];

/// A word with capitals like another one.
fn like_case(word: &str, like: &str) -> String {
    let is_upper = like.len() > 1 && like.chars().all(|it| !it.is_lowercase());
    if is_upper {
        return word.to_uppercase();
    }
    let mut letters = word.chars();
    match (like.chars().next(), letters.next()) {
        (Some(model), Some(first)) if model.is_uppercase() => {
            first.to_uppercase().chain(letters).collect()
        }
        _ => word.to_owned(),
    }
}

fn alternatives(texts: &[&str]) -> String {
    let mut all: Vec<String> = texts.iter().map(|text| regex::escape(text)).collect();
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|text| seen.insert(text.clone()));
    match all.as_slice() {
        [only] => only.clone(),
        several => format!("(?:{})", several.join("|")),
    }
}

/// What is before the first mark: its end, as far as it is the same in all samples and has no number.
fn before(gaps: &[&str]) -> String {
    const LONGEST: usize = 40;
    let tail = |gap: &&str| {
        let start = gap.rfind(|it: char| it.is_ascii_digit()).map_or(0, |at| at + 1);
        gap[start..].to_owned()
    };
    let tails: Vec<String> = gaps.iter().map(tail).collect();
    let Some(first) = tails.first() else { return String::new() };
    let common = tails.iter().skip(1).fold(first.len(), |length, other| {
        let pairs = first.bytes().rev().zip(other.bytes().rev());
        length.min(pairs.take_while(|(a, b)| a == b).count())
    });
    let from = first.ceil_char_boundary(first.len() - common.min(LONGEST));
    let text = &first[from..];
    // Half of a word says nothing.
    let is_cut = from > 0 && !first[..from].ends_with(char::is_whitespace);
    let text = match text.find(char::is_whitespace) {
        Some(at) if is_cut && text.starts_with(char::is_alphanumeric) => &text[at..],
        _ => text,
    };
    spaced(&regex::escape(text))
}

/// What is between two marks: as it is, except for its numbers and for what differs.
fn between(gaps: &[&str], is_about_direction: bool) -> String {
    let Some(first) = gaps.first() else { return String::new() };
    let mut texts: Vec<String> = gaps.iter().map(|gap| numbers(&regex::escape(gap))).collect();
    let mut seen = std::collections::BTreeSet::new();
    texts.retain(|text| seen.insert(text.clone()));
    let text = match texts.as_slice() {
        [only] => only.clone(),
        _ => {
            let shortest = gaps.iter().map(|gap| gap.len()).min().unwrap_or(0);
            let common = |matches: &dyn Fn(usize) -> bool| {
                (0..=shortest).rev().find(|&length| matches(length)).unwrap_or(0)
            };
            let starts = common(&|length| {
                first.is_char_boundary(length)
                    && gaps.iter().all(|gap| gap.starts_with(&first[..length]))
            });
            let ends = common(&|length| {
                let from = first.len() - length;
                length + starts <= shortest
                    && first.is_char_boundary(from)
                    && gaps.iter().all(|gap| gap.ends_with(&first[from..]))
            });
            let (start, end) = (&first[..starts], &first[first.len() - ends..]);
            let middles: Vec<&str> =
                gaps.iter().map(|gap| &gap[starts..gap.len() - ends]).collect();
            let are_words = middles.iter().all(|it| it.chars().all(char::is_alphabetic));
            let middle = if are_words && middles.len() <= 8 {
                alternatives(&middles)
            } else {
                ".*?".to_owned()
            };
            format!("{}{middle}{}", numbers(&regex::escape(start)), numbers(&regex::escape(end)))
        }
    };
    let text = if is_about_direction { to_and_from(&text) } else { text };
    spaced(&text)
}

/// `to` in lines about sending is `from` in those about receiving.
fn to_and_from(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let words: Vec<&str> = words
        .into_iter()
        .map(|word| if matches!(word, "to" | "from") { "(?:to|from)" } else { word })
        .collect();
    words.join(" ")
}

/// Numbers of any size for those of an escaped text.
fn numbers(escaped: &str) -> String {
    let mut out = String::new();
    let mut is_number = false;
    for letter in escaped.chars() {
        if !letter.is_ascii_digit() {
            out.push(letter);
        } else if !is_number {
            out.push_str("\\d+");
        }
        is_number = letter.is_ascii_digit();
    }
    out
}

/// Any number of spaces for several.
fn spaced(text: &str) -> String {
    let mut out = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == ' ' && letters.peek() == Some(&' ') {
            while letters.next_if_eq(&' ').is_some() {}
            out.push_str(" +");
        } else {
            out.push(letter);
        }
    }
    out
}

/// The end of a last group that may have any character: what follows in all samples, or the end of the line.
fn end(gaps: &[&str]) -> String {
    let Some(first) = gaps.first() else { return String::new() };
    if gaps.iter().all(|gap| gap.trim().is_empty()) {
        return "\\s*$".to_owned();
    }
    let common = (0..=first.len().min(3)).rev().find(|&length| {
        first.is_char_boundary(length) && gaps.iter().all(|gap| gap.starts_with(&first[..length]))
    });
    match common {
        Some(length) if length > 0 => numbers(&regex::escape(&first[..length])),
        _ => "\\s*$".to_owned(),
    }
}
