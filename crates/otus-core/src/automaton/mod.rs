//! The finite-state view of a term: build, determinize, minimize, export.
//!
//! The states of [`build()`] are what is left to happen, up to laws that keep the traces
//! ([`normalize`]); its transitions are the steps of the small-step semantics. Letters are events,
//! so a synchronous passing is one letter, and the words accepted are the global traces of the
//! term. [`determinize()`] and [`minimize()`] keep them, [`export`] writes an automaton as text.
//!
//! Concurrent and weak loops can have infinitely many follow-ups: `loopW(seq(a!m, b!m))` must count
//! how far a is ahead of b. So everything has [`Limits`], and a state some of whose transitions
//! were left out says so ([`State::cut`]). A cut automaton accepts only traces of the term, but
//! perhaps not all of them; [`Automaton::accepts`] does not answer where it cannot know.
//!
//! Invariants of an [`Automaton`]:
//! - state 0 is initial, and every state can be reached from it;
//! - letters are sorted by their actions, so their order follows from the signature, and each is
//!   on some transition;
//! - transitions are sorted and distinct;
//! - states are numbered breadth first, along the transitions in their order.
//!
//! ```
//! use otus_core::automaton::{Limits, build, determinize, minimize};
//! # use otus_core::{Pool, Signature};
//! # let mut signature = Signature::default();
//! # let (a, b) = (signature.add_lifeline("a"), signature.add_lifeline("b"));
//! # let m = signature.add_message("m");
//! # let mut pool = Pool::new(signature);
//! let (send, receive) = (pool.emission(a, m), pool.reception(b, m));
//! let passing = pool.strict(send, receive);
//! let term = pool.loop_s(passing);
//! let any = build(&mut pool, term, Limits::default());
//! let least = minimize(&determinize(&any, Limits::default()));
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
    /// A letter of an automaton: where its event stands in the alphabet.
    pub SymbolId;
}

/// A finite automaton over events, perhaps nondeterministic, perhaps cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Automaton {
    states: IndexVec<StateId, State>,
    alphabet: IndexVec<SymbolId, EventId>,
    transitions: Vec<Transition>,
    /// By state: where its transitions begin; and one more, where they all end.
    begins: Vec<usize>,
}

/// What is known of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    /// Whether a word may end here.
    pub accepting: bool,
    /// Whether transitions from here may be missing, because a limit was met.
    pub cut: bool,
    /// What is left to happen, if one term says it: its traces are the words accepted from here, or
    /// would be if nothing were cut.
    pub term: Option<TermId>,
}

/// One transition. Its order is that of the fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Transition {
    /// Where it begins.
    pub from: StateId,
    /// What happens.
    pub symbol: SymbolId,
    /// Where it ends.
    pub to: StateId,
}

/// All transitions from one state to another, which pictures show as one arrow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// Where they begin.
    pub from: StateId,
    /// Where they end.
    pub to: StateId,
    /// What may happen on the way, sorted.
    pub symbols: Vec<SymbolId>,
}

/// How large an automaton may become before it is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most states; there is always one.
    pub states: usize,
    /// The most steps of terms and of their parts, or transitions of sets of states, that are looked
    /// at on the way. This bounds time and memory.
    pub work: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { states: 10_000, work: 2_000_000 }
    }
}

impl Automaton {
    /// The state in which words begin.
    pub const INITIAL: StateId = StateId(0);

    /// The states, by number.
    pub fn states(&self) -> &IndexVec<StateId, State> {
        &self.states
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Never: there is always an initial state.
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

    /// The transitions with those between the same two states put together, sorted by their ends.
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
        let actions = pool.event_actions(self.alphabet[symbol]).iter();
        let texts: Vec<String> =
            actions.map(|&action| pool.action(action).text(pool.signature())).collect();
        match texts.as_slice() {
            [only] => only.clone(),
            several => format!("{{{}}}", several.join(", ")),
        }
    }

    /// Whether nothing was left out: the words accepted are exactly the traces of the term.
    pub fn is_complete(&self) -> bool {
        self.states.iter().all(|state| !state.cut)
    }

    /// Whether no state has two transitions for one letter.
    pub fn is_deterministic(&self) -> bool {
        let pairs = self.transitions.array_windows();
        pairs.into_iter().all(|[x, y]| (x.from, x.symbol) != (y.from, y.symbol))
    }

    /// Whether a word is accepted. `None` if that depends on transitions that were left out.
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

    /// An automaton from parts in any order, put into the form that the module promises: states
    /// that cannot be reached go, and so do letters on no transition. The alphabet must be sorted;
    /// the initial state is 0.
    fn from_parts(
        states: &[State],
        alphabet: &IndexVec<SymbolId, EventId>,
        mut transitions: Vec<Transition>,
    ) -> Automaton {
        transitions.sort_unstable();
        transitions.dedup();
        let ranges = begins(states.len(), &transitions);

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
            begins: begins(order.len(), &renamed),
            transitions: renamed,
        }
    }
}

/// By state: where its transitions begin in a sorted list; and where the list ends.
fn begins(states: usize, transitions: &[Transition]) -> Vec<usize> {
    let mut begins = vec![0; states + 1];
    for transition in transitions {
        begins[transition.from.index() + 1] += 1;
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

    /// How many states the automaton has, then its deterministic and its minimal one; none if cut.
    #[track_caller]
    fn check(text: &str, expected: Option<[usize; 3]>) {
        let (mut pool, term) = interaction(text);
        let limits = Limits { states: 100, ..Limits::default() };
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
        let cut = build(&mut pool, term, Limits { states: 4, ..Limits::default() });
        assert_eq!(cut.accepts(&[]), Some(true));
        assert_eq!(cut.accepts(&[a, b]), Some(true));
        assert_eq!(cut.accepts(&[a]), Some(false));
        assert_eq!(cut.accepts(&[a; 9]), None);
        assert_eq!(equivalent(&cut, &cut), None);
    }
}
