//! A pattern of a rule, and texts that each of its matches contains.
//!
//! Most lines do not fit most patterns, and a line that lacks the literal texts of a pattern cannot fit it. `Sending
//! (?<m>\w+) to` matches only where `Sending ` is, and `(?<n>\d+) of \d+ failed` only in lines with ` of `. Looking for
//! such texts costs much less than running an automaton, so [`Finder`](super::finder::Finder) looks for those of all rules
//! at once.
//!
//! The texts are the prefixes that `regex-syntax` extracts from the whole pattern, or from what is left of a sequence
//! after some of its parts: a match of `a b c` passes through a match of `b c`. The choice among them is a guess about speed; each
//! of them is sound.

use std::fmt;

use regex_automata::util::primitives::{NonMaxUsize, PatternID};
use regex_automata::{Anchored, Input, meta};
use regex_syntax::hir::literal::Extractor;
use regex_syntax::hir::{Hir, HirKind};

use super::finder::Candidate;

/// A pattern of a rule.
#[derive(Clone)]
pub(crate) struct Pattern {
    regex: meta::Regex,
    hir: Hir,
    literals: Option<Literals>,
}

/// Texts one of which is in every match of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Literals {
    pub(crate) texts: Vec<Vec<u8>>,
    /// Whether every match begins with one of them.
    pub(crate) are_prefixes: bool,
}

/// The reason why a text is no pattern.
#[derive(Debug)]
pub(crate) enum PatternError {
    Syntax(Box<regex_syntax::Error>),
    TooLarge,
    Other(String),
}

/// The captures of a match: for each group, where it begins and where it ends.
pub(crate) type Slots = [Option<NonMaxUsize>];

impl Pattern {
    pub(crate) fn new(text: &str) -> Result<Pattern, PatternError> {
        // Logs may have bytes that are not UTF-8.
        let parsed = regex_syntax::ParserBuilder::new().utf8(false).build().parse(text);
        let hir = parsed.map_err(|error| PatternError::Syntax(Box::new(error)))?;
        let config = meta::Config::new().utf8_empty(false).nfa_size_limit(Some(LARGEST));
        let regex = meta::Builder::new().configure(config).build_from_hir(&hir);
        let regex = regex.map_err(|error| match error.size_limit() {
            Some(_) => PatternError::TooLarge,
            None => PatternError::Other(error.to_string()),
        })?;
        let literals = literals(&hir);
        Ok(Pattern { regex, hir, literals })
    }

    /// The names of its groups. The first group is the match, which has no name.
    pub(crate) fn group_names(&self) -> impl Iterator<Item = Option<&str>> {
        self.regex.group_info().pattern_names(PatternID::ZERO)
    }

    /// The named groups of the first match in a text, with their bytes.
    pub(crate) fn parts(&self, text: &[u8]) -> Vec<(String, std::ops::Range<usize>)> {
        let mut captures = self.regex.create_captures();
        self.regex.captures(Input::new(text), &mut captures);
        let named = self.group_names().enumerate();
        let part = |(index, name): (usize, Option<&str>)| {
            Some((name?.to_owned(), captures.get_group(index)?.range()))
        };
        named.filter_map(part).collect()
    }

    pub(crate) fn hir(&self) -> &Hir {
        &self.hir
    }

    pub(crate) fn literals(&self) -> Option<&Literals> {
        self.literals.as_ref()
    }

    /// The memory for its matches.
    pub(crate) fn memory(&self) -> PatternMemory {
        let slots = self.regex.group_info().slot_len();
        // The place of the match itself is never used.
        let slots = if slots > 2 { vec![None; slots] } else { Vec::new() };
        PatternMemory { cache: self.regex.create_cache(), slots }
    }

    /// Whether it matches a text. The captures of the first match are in the memory afterwards.
    #[inline]
    pub(crate) fn matches(&self, text: &[u8], memory: &mut PatternMemory) -> bool {
        self.search(&Input::new(text), memory)
    }

    /// Whether it matches a text, about which the finder told something.
    #[inline]
    pub(crate) fn matches_candidate(
        &self,
        text: &[u8],
        candidate: Candidate,
        memory: &mut PatternMemory,
    ) -> bool {
        match candidate {
            Candidate::Impossible => false,
            Candidate::Possible => self.matches(text, memory),
            Candidate::From(at) => self.matches_from(text, at, memory),
        }
    }

    /// Whether it matches a text in which no match begins before a byte.
    #[inline]
    fn matches_from(&self, text: &[u8], at: usize, memory: &mut PatternMemory) -> bool {
        // What comes before the range counts for anchors and word boundaries.
        self.search(&Input::new(text).range(at..).anchored(Anchored::Yes), memory)
            || at < text.len() && self.search(&Input::new(text).range(at + 1..), memory)
    }

    #[inline]
    fn search(&self, input: &Input<'_>, memory: &mut PatternMemory) -> bool {
        let PatternMemory { cache, slots } = memory;
        match slots.as_mut_slice() {
            [] => self.regex.search_half_with(cache, input).is_some(),
            slots => self.regex.search_slots_with(cache, input, slots).is_some(),
        }
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pattern")
            .field("hir", &self.hir.to_string())
            .field("literals", &self.literals)
            .finish_non_exhaustive()
    }
}

/// Memory for the matches of one pattern.
#[derive(Debug)]
pub(crate) struct PatternMemory {
    cache: meta::Cache,
    /// Empty if the pattern has no groups.
    slots: Vec<Option<NonMaxUsize>>,
}

impl PatternMemory {
    /// The captures of the last match.
    pub(crate) fn slots(&self) -> &Slots {
        &self.slots
    }
}

/// The largest compiled pattern, in bytes, as in the crate `regex`.
const LARGEST: usize = 10 << 20;

/// The shortest text that is worth looking for. Nearly every line has a given single byte.
const SHORTEST: usize = 2;
/// Prefixes of this length are preferred to longer texts, because they show where a match begins.
const TELLING: usize = 4;
/// The maximum number of texts of one pattern.
const MOST: usize = 64;
/// The maximum number of parts of a sequence after which texts are looked for.
const PARTS: usize = 32;

fn literals(hir: &Hir) -> Option<Literals> {
    let parts = parts(hir);
    let mut best: Option<(usize, Literals)> = None;
    for at in 0..parts.len().min(PARTS) {
        let rest = Hir::concat(parts[at..].iter().map(|&part| part.clone()).collect());
        let found = Extractor::new().extract(&rest);
        let (Some(length), Some(literals)) = (found.min_literal_len(), found.literals()) else {
            continue;
        };
        let is_better = best.as_ref().is_none_or(|(before, _)| length > *before);
        if length < SHORTEST || literals.len() > MOST || !is_better {
            continue;
        }
        let texts = literals.iter().map(|literal| literal.as_bytes().to_vec()).collect();
        best = Some((length, Literals { texts, are_prefixes: at == 0 }));
        if at == 0 && length >= TELLING {
            break;
        }
    }
    best.map(|(_, literals)| literals)
}

/// The parts of a pattern that match one after the other.
fn parts(hir: &Hir) -> Vec<&Hir> {
    let mut parts = Vec::new();
    let mut open = vec![hir];
    while let Some(hir) = open.pop() {
        match hir.kind() {
            HirKind::Capture(capture) => open.push(&capture.sub),
            HirKind::Concat(inside) => open.extend(inside.iter().rev()),
            HirKind::Empty
            | HirKind::Literal(_)
            | HirKind::Class(_)
            | HirKind::Look(_)
            | HirKind::Repetition(_)
            | HirKind::Alternation(_) => parts.push(hir),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, expected: &str) {
        let pattern = Pattern::new(pattern).unwrap();
        let shown = pattern.literals().map_or("none".to_owned(), |literals| {
            let texts = literals.texts.iter().map(|text| String::from_utf8_lossy(text));
            let mark = if literals.are_prefixes { "^" } else { "" };
            format!("{mark}{}", texts.collect::<Vec<_>>().join("|"))
        });
        assert_eq!(shown, expected, "{pattern:?}");
    }

    #[test]
    fn patterns_need_literals() {
        check(r"(?<d>Sending|Received) (?<pkt>[A-Z]+) to", "^Sending |Received ");
        check(r"Client (?<peer>\S+) disconnected", "^Client ");
        check(r"(?<n>\d+) of (\d+) failed$", " failed");
        check(r"^\s*\{", "none");
        check(r"\bid=(?<id>\w+)", "^id=");
        check(r"(?i)err", "^ERR|ERr|ErR|Err|eRR|eRr|erR|err");
        check(r"a*b*", "none");
        check(r".*", "none");
        check(r"(x(y(?<z>zed)) \w+|never)", "^xyzed |never");
        check(r"\w+: (?:add|remov)ed", ": added|: removed");
        check(r"[a&&b]", "none");
    }

    #[test]
    fn a_match_from_a_place_is_the_first_match() {
        let pattern = Pattern::new(r"(?<word>to \w+)$").unwrap();
        let mut memory = pattern.memory();
        let text = b"to x, to yes";
        for at in [0, 1, 6] {
            assert!(pattern.matches_from(text, at, &mut memory));
            assert_eq!(memory.slots()[2].map(NonMaxUsize::get), Some(6));
        }
        assert!(!pattern.matches_from(text, 7, &mut memory));
        assert!(!pattern.matches_from(text, text.len(), &mut memory));
        let word = Pattern::new(r"\bto").unwrap();
        assert!(!word.matches_from(b"auto", 2, &mut word.memory()));
    }
}
