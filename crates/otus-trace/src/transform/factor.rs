//! The first occurrences of the factors of a word.
//!
//! A factor is identified by the end of its first occurrence and its length. At each position there
//! is a threshold: the longer factors that end there occur for the first time, and the others have
//! ended earlier, because with a factor all its suffixes have ended earlier. The threshold is the
//! length of the suffix link when a suffix automaton (Blumer et al., 1985) is extended by that
//! letter. Time and memory are linear in the word for every alphabet.

use rustc_hash::FxHashMap;

/// For each position: the length of the longest factor that ends there and has also ended earlier.
pub(super) fn longest_repeats(word: &[u32]) -> Vec<u32> {
    let mut automaton = SuffixAutomaton::new(word.len());
    word.iter().map(|&letter| automaton.extend(letter)).collect()
}

/// The root, which has no link.
const ROOT: u32 = 0;
const NONE: u32 = u32::MAX;

/// The suffix automaton of a prefix of the word.
struct SuffixAutomaton {
    states: Vec<SuffixState>,
    edges: Vec<SuffixEdge>,
    /// The edge of a state with a letter.
    index: FxHashMap<(u32, u32), u32>,
    /// The state of the whole prefix.
    last: u32,
}

/// The factors that end at the same positions.
#[derive(Clone, Copy)]
struct SuffixState {
    /// The length of the longest of these factors.
    length: u32,
    /// The state of the longest suffix that ends at more positions.
    link: u32,
    /// The first of its edges, which form a linked list.
    edge: u32,
}

struct SuffixEdge {
    letter: u32,
    target: u32,
    next: u32,
}

impl SuffixAutomaton {
    fn new(capacity: usize) -> SuffixAutomaton {
        let mut states = Vec::with_capacity(capacity.saturating_mul(2));
        states.push(SuffixState { length: 0, link: NONE, edge: NONE });
        SuffixAutomaton { states, edges: Vec::new(), index: FxHashMap::default(), last: ROOT }
    }

    /// Appends a letter; returns the length of the longest suffix that has ended before.
    fn extend(&mut self, letter: u32) -> u32 {
        let length = self.state(self.last).length + 1;
        let whole = self.add_state(SuffixState { length, link: ROOT, edge: NONE });
        let mut from = self.last;
        self.last = whole;
        while from != NONE && !self.index.contains_key(&(from, letter)) {
            self.add_edge(from, letter, whole);
            from = self.state(from).link;
        }
        if from == NONE {
            return 0;
        }
        let target = self.edges[self.index[&(from, letter)] as usize].target;
        let shared = self.state(from).length + 1;
        let link = if self.state(target).length == shared {
            target
        } else {
            self.split(from, letter, target, shared)
        };
        self.states[whole as usize].link = link;
        shared
    }

    /// Splits off the factors of `target` up to a length into a new state.
    fn split(&mut self, mut from: u32, letter: u32, target: u32, length: u32) -> u32 {
        let link = self.state(target).link;
        let copy = self.add_state(SuffixState { length, link, edge: NONE });
        let mut next = self.state(target).edge;
        while let Some(&SuffixEdge { letter, target, next: after }) = self.edges.get(next as usize)
        {
            self.add_edge(copy, letter, target);
            next = after;
        }
        while from != NONE {
            let Some(&edge) = self.index.get(&(from, letter)) else { break };
            let edge = &mut self.edges[edge as usize];
            if edge.target != target {
                break;
            }
            edge.target = copy;
            from = self.state(from).link;
        }
        self.states[target as usize].link = copy;
        copy
    }

    fn state(&self, state: u32) -> SuffixState {
        self.states[state as usize]
    }

    fn add_state(&mut self, state: SuffixState) -> u32 {
        self.states.push(state);
        u32::try_from(self.states.len() - 1).expect("a word has fewer than 2³¹ letters")
    }

    fn add_edge(&mut self, from: u32, letter: u32, target: u32) {
        let edge = u32::try_from(self.edges.len()).expect("a word has fewer than 2³⁰ letters");
        let next = std::mem::replace(&mut self.states[from as usize].edge, edge);
        self.edges.push(SuffixEdge { letter, target, next });
        self.index.insert((from, letter), edge);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, checked for every length.
    fn by_definition(word: &[u32]) -> Vec<u32> {
        let longest = |end: usize| {
            let ended_before = |length: &usize| {
                let factor = &word[end + 1 - length..=end];
                word[..end].windows(*length).any(|other| other == factor)
            };
            u32::try_from((1..=end + 1).filter(ended_before).max().unwrap_or(0)).unwrap()
        };
        (0..word.len()).map(longest).collect()
    }

    #[test]
    fn all_short_words_agree_with_the_definition() {
        for (letters, longest) in [(2u32, 11), (3, 7), (4, 5)] {
            for length in 0..=longest {
                for code in 0..letters.pow(length) {
                    let word: Vec<u32> =
                        (0..length).map(|place| code / letters.pow(place) % letters).collect();
                    assert_eq!(longest_repeats(&word), by_definition(&word), "{word:?}");
                }
            }
        }
    }

    #[test]
    fn long_words_take_linear_time() {
        let length: u32 = 200_000;
        assert_eq!(longest_repeats(&vec![7; length as usize]).last(), Some(&(length - 1)));
        let distinct: Vec<u32> = (0..length).collect();
        assert!(longest_repeats(&distinct).iter().all(|&repeat| repeat == 0));
        let random: Vec<u32> = std::iter::repeat_with({
            let mut rng = fastrand::Rng::with_seed(1);
            move || rng.u32(0..1000)
        })
        .take(length as usize)
        .collect();
        assert_eq!(longest_repeats(&random).len(), length as usize);
    }
}
