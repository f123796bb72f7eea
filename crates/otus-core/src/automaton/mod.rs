//! Finite automata of interaction terms: build, determinize, minimize, export.
//!
//! A state of [`build()`] is a follow-up term, up to laws that preserve the traces ([`normalize`]);
//! its transitions are the steps of the small-step semantics. The letters are events, so a synchronous
//! passing is one letter, and the accepted words are the global traces of the term. [`determinize()`]
//! and [`minimize()`] preserve the language, [`export`] writes an automaton as text.
//!
//! Concurrent and weak loops can have infinitely many follow-ups: `loopW(seq(a!m, b!m))` must count
//! how far a is ahead of b. Every construction therefore takes [`AutomatonLimits`]; a state that lost
//! transitions to a limit is marked as *cut* ([`AutomatonState::cut`]). A cut automaton accepts only
//! traces of the term, but perhaps not all of them, and [`Automaton::accepts`] returns `None` where the
//! answer depends on missing transitions.
//!
//! Invariants of an [`Automaton`]:
//! - state 0 is initial, and every state can be reached from it;
//! - letters are sorted by their actions, so their order follows from the signature, and every letter
//!   is on some transition;
//! - transitions are sorted and distinct;
//! - states are numbered breadth first, along the transitions in their order.
//!
//! ```
//! use otus_core::automaton::{AutomatonLimits, build, determinize, minimize};
//! # use otus_core::{Pool, Signature};
//! # let mut signature = Signature::default();
//! # let (a, b) = (signature.add_lifeline("a"), signature.add_lifeline("b"));
//! # let m = signature.add_message("m");
//! # let mut pool = Pool::new(signature);
//! let (send, receive) = (pool.emission(a, m), pool.reception(b, m));
//! let passing = pool.strict(send, receive);
//! let term = pool.loop_s(passing);
//! let any = build(&mut pool, term, AutomatonLimits::default());
//! let least = minimize(&determinize(&any, AutomatonLimits::default()));
//! assert_eq!((least.len(), least.transitions().len()), (2, 2));
//! assert!(least.is_complete());
//! ```

pub mod build;
pub mod determinize;
pub mod export;
mod include;
pub mod minimize;
pub mod normalize;

use std::ops::Range;

use crate::index::{EventId, Index as _, IndexVec, TermId};
use crate::pool::Pool;

pub use build::build;
pub use determinize::determinize;
pub use export::{dot, json};
pub use minimize::{equivalent, minimize};

crate::define_id! {
    /// A state of an automaton.
    pub StateId;
    /// A letter of an automaton: the index of its event in the alphabet.
    pub SymbolId;
}

/// A finite automaton over events, perhaps nondeterministic, perhaps cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Automaton {
    states: IndexVec<StateId, AutomatonState>,
    alphabet: IndexVec<SymbolId, EventId>,
    transitions: Vec<Transition>,
    /// For each state: the index of its first transition. The last entry is the number of
    /// transitions.
    begins: Vec<usize>,
}

/// A state of an automaton.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AutomatonState {
    /// Whether a word may end here.
    pub accepting: bool,
    /// Whether transitions from here may be missing because of a limit.
    pub cut: bool,
    /// The term whose traces are the words accepted from here (if no reachable state is cut). `None`
    /// if the state stands for several terms.
    pub term: Option<TermId>,
}

/// A transition. Transitions are ordered by their fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Transition {
    /// The state that the transition leaves.
    pub from: StateId,
    /// The letter of the transition.
    pub symbol: SymbolId,
    /// The state that the transition enters.
    pub to: StateId,
}

/// All transitions from one state to another, which pictures show as one arrow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// The state that the transitions leave.
    pub from: StateId,
    /// The state that the transitions enter.
    pub to: StateId,
    /// The letters of the transitions, sorted.
    pub symbols: Vec<SymbolId>,
}

/// The size at which the construction of an automaton is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AutomatonLimits {
    /// The maximum number of states. The initial state is always built.
    pub states: usize,
    /// The maximum number of steps of terms and sub-terms ([`build()`]), or transitions of sets of
    /// states ([`determinize()`]), that are examined. Bounds time and memory.
    pub work: usize,
}

impl Default for AutomatonLimits {
    fn default() -> Self {
        AutomatonLimits { states: 10_000, work: 2_000_000 }
    }
}

impl Automaton {
    /// The initial state.
    pub const INITIAL: StateId = StateId(0);

    /// The states, by number.
    pub fn states(&self) -> &IndexVec<StateId, AutomatonState> {
        &self.states
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Always false: there is an initial state.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The events on transitions, by letter.
    pub fn alphabet(&self) -> &IndexVec<SymbolId, EventId> {
        &self.alphabet
    }

    /// All transitions, sorted.
    pub fn transitions(&self) -> &[Transition] {
        &self.transitions
    }

    /// The transitions from a state, sorted.
    pub fn transitions_from(&self, state: StateId) -> &[Transition] {
        &self.transitions[self.range_from(state)]
    }

    /// The transitions grouped by their two states, sorted by these states.
    pub fn edges(&self) -> Vec<Edge> {
        let mut sorted = self.transitions.clone();
        sorted.sort_unstable_by_key(|transition| (transition.from, transition.to));
        let groups = sorted.chunk_by(|x, y| (x.from, x.to) == (y.from, y.to));
        groups
            .map(|group| {
                let mut symbols: Vec<SymbolId> = group.iter().map(|each| each.symbol).collect();
                symbols.sort_unstable();
                Edge { from: group[0].from, to: group[0].to, symbols }
            })
            .collect()
    }

    /// A letter as text: `a!m`, or `{a!m, b?m}` for a synchronous passing.
    ///
    /// The pool must be the one of the term that the automaton was built from.
    pub fn label(&self, pool: &Pool, symbol: SymbolId) -> String {
        pool.event_text(self.alphabet[symbol])
    }

    /// Whether no state is cut: the accepted words are then exactly the traces of the term.
    pub fn is_complete(&self) -> bool {
        self.states.iter().all(|state| !state.cut)
    }

    /// Whether no state has two transitions for one letter.
    pub fn is_deterministic(&self) -> bool {
        let pairs = self.transitions.array_windows();
        pairs.into_iter().all(|[x, y]| (x.from, x.symbol) != (y.from, y.symbol))
    }

    /// Whether a word is accepted. `None` if the answer depends on transitions that a limit left out.
    pub fn accepts(&self, word: &[EventId]) -> Option<bool> {
        let mut now = vec![Automaton::INITIAL];
        let mut unknown = false;
        for &event in word {
            unknown |= now.iter().any(|&state| self.states[state].cut);
            let mut next: Vec<StateId> = now
                .iter()
                .flat_map(|&state| self.transitions_from(state))
                .filter(|transition| self.alphabet[transition.symbol] == event)
                .map(|transition| transition.to)
                .collect();
            next.sort_unstable();
            next.dedup();
            now = next;
        }
        let accepted = now.iter().any(|&state| self.states[state].accepting);
        (accepted || !unknown).then_some(accepted)
    }

    fn range_from(&self, state: StateId) -> Range<usize> {
        self.begins[state.index()]..self.begins[state.index() + 1]
    }

    /// Establishes the invariants of the module for parts in any order: drops unreachable states and
    /// unused letters, and renumbers states. The alphabet must be sorted; the initial state is 0.
    fn from_parts(
        states: &[AutomatonState],
        alphabet: &IndexVec<SymbolId, EventId>,
        mut transitions: Vec<Transition>,
    ) -> Automaton {
        transitions.sort_unstable();
        transitions.dedup();
        let from = |transition: &Transition| transition.from;
        let ranges = begins(states.len(), transitions.iter().map(from));

        // Breadth first; `order` is also the queue.
        let mut order = vec![Automaton::INITIAL];
        let mut numbers: Vec<Option<StateId>> = vec![None; states.len()];
        numbers[0] = Some(Automaton::INITIAL);
        let mut used = vec![false; alphabet.len()];
        let mut at = 0;
        while let Some(&state) = order.get(at) {
            at += 1;
            for transition in &transitions[ranges[state.index()]..ranges[state.index() + 1]] {
                used[transition.symbol.index()] = true;
                let number = &mut numbers[transition.to.index()];
                if number.is_none() {
                    *number = Some(StateId::new(order.len()));
                    order.push(transition.to);
                }
            }
        }

        let mut kept = IndexVec::default();
        let letters: Vec<SymbolId> = alphabet
            .iter_with_ids()
            .map(|(symbol, &event)| {
                let next = SymbolId::new(kept.len());
                if used[symbol.index()] { kept.push(event) } else { next }
            })
            .collect();
        let mut renamed: Vec<Transition> = transitions
            .iter()
            .filter_map(|transition| {
                Some(Transition {
                    from: numbers[transition.from.index()]?,
                    symbol: letters[transition.symbol.index()],
                    to: numbers[transition.to.index()]?,
                })
            })
            .collect();
        renamed.sort_unstable();
        Automaton {
            states: order.iter().map(|state| states[state.index()]).collect(),
            alphabet: kept,
            begins: begins(order.len(), renamed.iter().map(from)),
            transitions: renamed,
        }
    }
}

/// For each state: the index of its first transition in a list sorted by state. The last entry is the length
/// of the list.
fn begins(states: usize, sorted_by: impl Iterator<Item = StateId>) -> Vec<usize> {
    let mut begins = vec![0; states + 1];
    for state in sorted_by {
        begins[state.index() + 1] += 1;
    }
    for state in 0..states {
        begins[state + 1] += begins[state];
    }
    begins
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::interaction;

    /// The numbers of states of the automaton, of its deterministic and of its minimal form; `None` if
    /// it is cut.
    #[track_caller]
    fn check(text: &str, expected: Option<[usize; 3]>) {
        let (mut pool, term) = interaction(text);
        let limits = AutomatonLimits { states: 100, ..AutomatonLimits::default() };
        let any = build(&mut pool, term, limits);
        let one = determinize(&any, limits);
        let least = minimize(&one);
        let sizes = [&any, &one, &least].map(Automaton::len);
        assert_eq!(least.is_complete().then_some(sizes), expected);
    }

    #[test]
    fn terms_without_loops_are_finite() {
        check("o", Some([1, 1, 1]));
        check("a!m", Some([2, 2, 2]));
        check("a -- m -> b", Some([3, 3, 3]));
        check("a -- <synch> m -> b", Some([2, 2, 2]));
        check("par(a!m, b!m)", Some([4, 4, 4]));
        check("alt(strict(a!m, b!m), strict(a!m, c!m))", Some([4, 3, 3]));
        check("par(a!m, a!m, a!m)", Some([4, 4, 4]));
    }

    #[test]
    fn loops_come_back_where_they_can() {
        check("loopS(a -- m -> b)", Some([2, 2, 2]));
        check("loopP(a!m)", Some([1, 1, 1]));
        check("loopW(alt(a!m, b!m))", Some([1, 1, 1]));
        check("loopC(a)(alt(a!m, seq(a!m, a!n)))", None);
        check("par(loopS(a -- m -> b), loopS(b -- n -> a))", Some([4, 4, 4]));
        check("loopW(a -- m -> a)", Some([2, 2, 2]));
        check("loopW(loopP(loopS(a!m)))", Some([1, 1, 1]));
    }

    #[test]
    fn what_must_count_is_cut() {
        check("loopW(seq(a!m, b!m))", None);
        check("loopW(a -- m -> b)", None);
        check("loopP(a -- m -> b)", None);
    }

    #[test]
    fn sets_of_states_need_a_letter_of_their_own() {
        // The third letter from the end is a!m: a textbook case of exponential growth.
        let any = "alt(a!m, a!n)";
        check(&format!("strict(loopS({any}), a!m, {any}, {any})"), Some([4, 8, 8]));
    }

    #[test]
    fn answers_without_knowledge_are_none() {
        let (mut pool, term) = interaction("loopW(seq(a!m, b!m))");
        let [a, b] = ["a!m", "b!m"].map(|text| {
            let events = (0..pool.event_count()).map(EventId::new);
            let mut events = events.filter(|&event| {
                let action = pool.action(pool.event_actions(event)[0]);
                action.text(pool.signature()) == text
            });
            events.next().unwrap()
        });
        let cut =
            build(&mut pool, term, AutomatonLimits { states: 4, ..AutomatonLimits::default() });
        assert_eq!(cut.accepts(&[]), Some(true));
        assert_eq!(cut.accepts(&[a, b]), Some(true));
        assert_eq!(cut.accepts(&[a]), Some(false));
        assert_eq!(cut.accepts(&[a; 9]), None);
        assert_eq!(equivalent(&cut, &cut), None);
    }
}
