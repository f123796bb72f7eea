//! The subset construction (Rabin and Scott, "Finite automata and their decision problems", 1959).
//!
//! A state of the result is the set of states that a word leads to. As the states of
//! [`build`](super::build()) are partial derivatives, a set of them is a derivative of Brzozowski.
//! There may be exponentially many sets, hence the limits. A set with a cut member is cut, since
//! transitions of the member may be missing.

use super::{Automaton, AutomatonLimits, AutomatonState, StateId, SymbolId, Transition};
use crate::index::Index as _;
use crate::intern::Interner;

/// A deterministic automaton with the same words, or with some of them if it is cut.
///
/// A state has a term if its set has one member.
pub fn determinize(automaton: &Automaton, limits: AutomatonLimits) -> Automaton {
    let mut sets: Interner<StateId, Box<[StateId]>> = Interner::default();
    sets.intern(Box::new([Automaton::INITIAL]));
    let mut states = Vec::new();
    let mut transitions = Vec::new();
    let mut work_left = limits.work;
    while let Some(set) = sets.items.get(StateId::new(states.len())) {
        let from = StateId::new(states.len());
        let members = set.iter().map(|&member| automaton.states[member]);
        let mut state = AutomatonState {
            accepting: members.clone().any(|member| member.accepting),
            cut: members.clone().any(|member| member.cut),
            term: if let [only] = **set { automaton.states[only].term } else { None },
        };
        let work: usize = set.iter().map(|&member| automaton.range_from(member).len()).sum();
        if work <= work_left {
            work_left -= work;
            let mut moves: Vec<(SymbolId, StateId)> = set
                .iter()
                .flat_map(|&member| automaton.transitions_from(member))
                .map(|transition| (transition.symbol, transition.to))
                .collect();
            moves.sort_unstable();
            moves.dedup();
            for group in moves.chunk_by(|x, y| x.0 == y.0) {
                let next: Box<[StateId]> = group.iter().map(|&(_, to)| to).collect();
                let known = sets.find(&next);
                let room = sets.items.len() < limits.states;
                match known.or_else(|| room.then(|| sets.intern(next))) {
                    Some(to) => transitions.push(Transition { from, symbol: group[0].0, to }),
                    None => state.cut = true,
                }
            }
        } else {
            state.cut = true;
        }
        states.push(state);
    }
    Automaton::from_parts(&states, &automaton.alphabet, transitions)
}
