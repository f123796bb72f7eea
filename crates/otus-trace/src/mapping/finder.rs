//! Finds the rules of a source whose patterns can match a line.
//!
//! The first rule whose conditions hold takes a line. Trying one pattern after the other costs one pass over the line for
//! each, although nearly all of them fail. A [`Finder`] rules most of them out before:
//!
//! - one search for the [`Literals`](super::pattern::Literals) of all patterns: where none is, none of those patterns
//!   matches. If the literal of a pattern begins its matches, its place is where the search for captures begins;
//! - one automaton (a lazy DFA) for all patterns without literals. It visits each byte once, however many patterns there are.
//!
//! The finder never says that a rule takes a line, so the order of the rules decides as before, and captures are computed for
//! one rule.
//!
//! The literal search is that of `aho-corasick`: Teddy, which compares 16 or 32 bytes at once, where the processor has it.
//! It finds only one text at each place, so of two texts with a common beginning only the shorter one is looked for.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, MatchKind, packed};
use regex_automata::hybrid::dfa;
use regex_automata::nfa::thompson;
use regex_automata::{Input, PatternSet};

use super::pattern::Pattern;

/// Finds the rules whose patterns can match a line.
#[derive(Debug, Clone, Default)]
pub(crate) struct Finder {
    /// The number of rules.
    rules: usize,
    search: Option<Search>,
    /// For each literal: the rules that need it or a longer one, and whether their matches begin with it.
    needed_by: Vec<Vec<(usize, bool)>>,
    automaton: Option<Automaton>,
    /// By rule: whether something is known about its pattern before it is tried.
    is_known: Vec<bool>,
}

/// The search for literals.
#[derive(Debug, Clone)]
enum Search {
    Packed(packed::Searcher),
    /// Many literals, or a processor without the instructions.
    Automaton(AhoCorasick),
}

/// One automaton for the patterns without literals.
#[derive(Debug, Clone)]
struct Automaton {
    dfa: dfa::DFA,
    /// By pattern of the automaton: its rule.
    rules: Vec<usize>,
}

impl Finder {
    /// The finder for rules, each with its pattern for the whole line, if it has one.
    pub(crate) fn new<'p>(patterns: impl IntoIterator<Item = Option<&'p Pattern>>) -> Finder {
        let patterns: Vec<_> = patterns.into_iter().collect();
        let mut finder = Finder {
            rules: patterns.len(),
            is_known: vec![false; patterns.len()],
            ..Finder::default()
        };
        let mut needed: BTreeMap<&[u8], Vec<(usize, bool)>> = BTreeMap::new();
        let mut without: Vec<(usize, &Pattern)> = Vec::new();
        for (rule, pattern) in patterns.into_iter().enumerate() {
            let Some(pattern) = pattern else { continue };
            let Some(literals) = pattern.literals() else {
                without.push((rule, pattern));
                continue;
            };
            finder.is_known[rule] = true;
            for text in &literals.texts {
                needed.entry(text).or_default().push((rule, literals.are_prefixes));
            }
        }
        // In the order of the texts, a text follows its beginnings.
        let mut texts: Vec<&[u8]> = Vec::new();
        for (text, rules) in needed {
            match finder.needed_by.last_mut() {
                Some(before) if texts.last().is_some_and(|last| text.starts_with(last)) => {
                    before.extend(rules);
                }
                _ => {
                    texts.push(text);
                    finder.needed_by.push(rules);
                }
            }
        }
        finder.search = Search::new(&texts);
        if finder.search.is_none() {
            finder.is_known.fill(false);
        }
        finder.automaton = Automaton::new(&without);
        for &rule in finder.automaton.iter().flat_map(|automaton| &automaton.rules) {
            finder.is_known[rule] = true;
        }
        finder
    }

    pub(crate) fn memory(&self) -> FinderMemory {
        let automaton = self.automaton.as_ref();
        FinderMemory {
            line: 0,
            found: vec![Found::default(); self.rules],
            cache: automaton.map(|it| (it.dfa.create_cache(), PatternSet::new(it.rules.len()))),
        }
    }

    /// Looks at a line. [`Finder::candidate`] then tells which rules are left.
    #[inline]
    pub(crate) fn look(&self, line: &[u8], memory: &mut FinderMemory) {
        memory.line += 1;
        if let Some(search) = &self.search {
            search.each(line, |literal, at| {
                for &(rule, is_prefix) in &self.needed_by[literal] {
                    let candidate =
                        if is_prefix { Candidate::From(at) } else { Candidate::Possible };
                    memory.found[rule].add(memory.line, candidate);
                }
            });
        }
        if let Some(automaton) = &self.automaton {
            automaton.look(line, memory);
        }
    }

    /// Whether the pattern of a rule can match the line.
    #[inline]
    pub(crate) fn candidate(&self, rule: usize, memory: &FinderMemory) -> Candidate {
        if !self.is_known[rule] {
            return Candidate::Possible;
        }
        let found = memory.found[rule];
        if found.line == memory.line { found.candidate } else { Candidate::Impossible }
    }
}

/// Whether a pattern can match a line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Candidate {
    #[default]
    Impossible,
    Possible,
    /// It can, but no match begins before this byte.
    From(usize),
}

impl Search {
    fn new(texts: &[&[u8]]) -> Option<Search> {
        if texts.is_empty() {
            return None;
        }
        if let Some(packed) = packed::Searcher::new(texts) {
            return Some(Search::Packed(packed));
        }
        let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(texts);
        automaton.ok().map(Search::Automaton)
    }

    /// Visits the places of the texts.
    #[inline]
    fn each(&self, line: &[u8], mut visit: impl FnMut(usize, usize)) {
        let mut from = 0;
        while let Some((text, at)) = self.next(line, from) {
            visit(text, at);
            // Texts may overlap, but no two of them begin at one place.
            from = at + 1;
        }
    }

    #[inline]
    fn next(&self, line: &[u8], from: usize) -> Option<(usize, usize)> {
        let found = match self {
            Search::Packed(packed) => packed.find_in(line, (from..line.len()).into()),
            Search::Automaton(automaton) => {
                automaton.find(aho_corasick::Input::new(line).range(from..))
            }
        }?;
        Some((found.pattern().as_usize(), found.start()))
    }
}

impl Automaton {
    /// The automaton for some patterns, if it is worth while: a single one is tried at once.
    fn new(patterns: &[(usize, &Pattern)]) -> Option<Automaton> {
        // A lazy DFA has Unicode's word boundaries only for ASCII lines.
        let fits =
            |pattern: &Pattern| !pattern.hir().properties().look_set().contains_word_unicode();
        let fitting = patterns.iter().filter(|(_, pattern)| fits(pattern));
        let (rules, hirs): (Vec<usize>, Vec<_>) =
            fitting.map(|&(rule, pattern)| (rule, pattern.hir())).unzip();
        if rules.len() < 2 {
            return None;
        }
        let config = thompson::Config::new()
            .utf8(false)
            .which_captures(thompson::WhichCaptures::None)
            .nfa_size_limit(Some(LARGEST));
        let nfa = thompson::Compiler::new().configure(config).build_many_from_hir(&hirs).ok()?;
        let config = dfa::Config::new()
            .match_kind(regex_automata::MatchKind::All)
            .cache_capacity(CACHE)
            // If the states do not fit, the patterns are tried one by one.
            .minimum_cache_clear_count(Some(3))
            .minimum_bytes_per_state(Some(10));
        let dfa = dfa::Builder::new().configure(config).build_from_nfa(nfa).ok()?;
        Some(Automaton { dfa, rules })
    }

    fn look(&self, line: &[u8], memory: &mut FinderMemory) {
        let FinderMemory { line: number, found, cache } = memory;
        let is_searched = cache.as_mut().is_some_and(|(cache, patterns)| {
            patterns.clear();
            let input = Input::new(line);
            self.dfa.try_which_overlapping_matches(cache, &input, patterns).is_ok()
        });
        match cache.as_ref().filter(|_| is_searched) {
            Some((_, patterns)) => {
                for pattern in patterns.iter() {
                    found[self.rules[pattern.as_usize()]].add(*number, Candidate::Possible);
                }
            }
            None => {
                // From now on, all of them are tried.
                *cache = None;
                for &rule in &self.rules {
                    found[rule].add(*number, Candidate::Possible);
                }
            }
        }
    }
}

/// The largest automaton before its states are computed.
const LARGEST: usize = 4 << 20;
/// The memory for the states of an automaton.
const CACHE: usize = 4 << 20;

/// What was found in the last line, and memory for it.
#[derive(Debug)]
pub(crate) struct FinderMemory {
    /// The number of the line.
    line: u64,
    /// By rule.
    found: Vec<Found>,
    /// `None` if there is no automaton, or if its states do not fit into memory.
    cache: Option<(dfa::Cache, PatternSet)>,
}

/// The last line in which something of a rule was found.
#[derive(Debug, Clone, Copy, Default)]
struct Found {
    line: u64,
    candidate: Candidate,
}

impl Found {
    #[inline]
    fn add(&mut self, line: u64, candidate: Candidate) {
        if self.line < line {
            *self = Found { line, candidate };
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    use Candidate::{From, Impossible, Possible};

    #[track_caller]
    fn check(patterns: &[&str], line: &str, expected: &[Candidate]) {
        let patterns: Vec<Pattern> = patterns.iter().map(|it| Pattern::new(it).unwrap()).collect();
        let finder = Finder::new(patterns.iter().map(Some));
        let mut memory = finder.memory();
        finder.look(b"xx", &mut memory);
        finder.look(line.as_bytes(), &mut memory);
        let left: Vec<_> =
            (0..patterns.len()).map(|rule| finder.candidate(rule, &memory)).collect();
        assert_eq!(left, expected, "{line}");
    }

    #[test]
    fn rules_without_their_literals_are_ruled_out() {
        let patterns = [r"Sending (\w+)", r"Send\w+", r"(\w+) took (\d+) ms$"];
        check(&patterns, "Sending x", &[From(0), From(0), Impossible]);
        check(&patterns, "a Sending Sends", &[From(2), From(2), Impossible]);
        check(&patterns, "it took 3 ms", &[Impossible, Impossible, Possible]);
        check(&patterns, "", &[Impossible; 3]);
    }

    #[test]
    fn patterns_without_literals_share_an_automaton() {
        let patterns = [r"^\d+$", r"^\w+$", r"\bx"];
        check(&patterns, "17", &[Possible, Possible, Possible]);
        check(&patterns, "a7", &[Impossible, Possible, Possible]);
        check(&patterns, "é!", &[Impossible, Impossible, Possible]);
    }

    /// Patterns with literals at all places, alternatives, classes and looks, and few letters so that they match.
    fn pattern() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            "[abc ]{1,4}".boxed(),
            Just(r"\w+".to_owned()).boxed(),
            Just(r"\S*".to_owned()).boxed(),
            Just(".".to_owned()).boxed(),
            Just(".*".to_owned()).boxed(),
            Just(r"\b".to_owned()).boxed(),
            Just("^".to_owned()).boxed(),
            Just("$".to_owned()).boxed(),
            Just("[ab]".to_owned()).boxed(),
            Just(r"\d".to_owned()).boxed(),
            Just("(?i:ab)".to_owned()).boxed(),
            Just("é".to_owned()).boxed(),
        ];
        let tree = leaf.prop_recursive(3, 12, 4, |inner| {
            prop_oneof![
                3 => prop::collection::vec(inner.clone(), 1..4).prop_map(|all| all.concat()),
                1 => prop::collection::vec(inner.clone(), 2..4)
                    .prop_map(|all| format!("(?:{})", all.join("|"))),
                1 => inner.clone().prop_map(|one| format!("({one})")),
                1 => inner.clone().prop_map(|one| format!("(?:{one})?")),
                1 => inner.prop_map(|one| format!("(?:{one}){{2,3}}")),
            ]
        });
        tree.boxed()
    }

    proptest! {
        #[test]
        fn the_finder_rules_out_no_match(
            patterns in prop::collection::vec(prop::option::of(pattern()), 1..8),
            lines in prop::collection::vec("[abcAB1é ]{0,12}", 1..12),
        ) {
            let patterns: Vec<Option<Pattern>> =
                patterns.iter().map(|it| it.as_ref().map(|it| Pattern::new(it).unwrap())).collect();
            let finder = Finder::new(patterns.iter().map(Option::as_ref));
            let mut memory = finder.memory();
            for line in &lines {
                let line = line.as_bytes();
                finder.look(line, &mut memory);
                let (mut plain_first, mut fast_first) = (None, None);
                for (rule, pattern) in patterns.iter().enumerate() {
                    let Some(pattern) = pattern else { continue };
                    let (mut plain, mut fast) = (pattern.memory(), pattern.memory());
                    let expected = pattern.matches(line, &mut plain);
                    let found = pattern.matches_candidate(
                        line,
                        finder.candidate(rule, &memory),
                        &mut fast,
                    );
                    prop_assert_eq!(found, expected, "{:?}", pattern);
                    if found {
                        prop_assert_eq!(fast.slots(), plain.slots(), "{:?}", pattern);
                        fast_first.get_or_insert(rule);
                    }
                    if expected {
                        plain_first.get_or_insert(rule);
                    }
                }
                prop_assert_eq!(fast_first, plain_first);
            }
        }
    }
}
