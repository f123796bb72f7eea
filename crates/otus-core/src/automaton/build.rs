//! Construction of the automaton of a term: states are follow-ups, transitions are steps.
//!
//! The follow-ups of a term by one event are its *partial derivatives* (Antimirov, "Partial
//! derivatives of regular expressions and finite automaton constructions", TCS 1996): together
//! they accept the remainders of the traces that begin with the event. Their union is the
//! derivative (Brzozowski, "Derivatives of regular expressions", JACM 1964), which
//! [`determinize`](super::determinize()) computes. Derivatives are identified up to a congruence, here
//! [`normalize`](super::normalize). Regular expressions have finitely many derivatives; interactions may
//! have infinitely many under any congruence (see [`automaton`](super)).
//!
//! The steps are correct because the operational and the denotational semantics agree: Mahe et al.,
//! "Equivalence of denotational and operational semantics for interaction languages", TASE 2022.
//! Tests compare the automaton with the denotational semantics.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::normalize::Normalizer;
use super::{Automaton, AutomatonLimits, AutomatonState, StateId, SymbolId, Transition};
use crate::index::{EventId, Index as _, IndexVec, TermId};
use crate::intern::Interner;
use crate::pool::Pool;
use crate::semantics::{Frontiers, Step};

/// The automaton of a term, in general nondeterministic. Its words are the global traces of the
/// term, or some of them if it is cut.
///
/// States are explored breadth first, so a limit leaves out the states farthest from the initial one. The
/// numbering depends only on the term and on the earlier contents of the pool.
pub fn build(pool: &mut Pool, term: TermId, limits: AutomatonLimits) -> Automaton {
    let mut normalizer = Normalizer::default();
    let (frontiers, counted) = (Frontiers::default(), FxHashSet::default());
    let mut frontiers = Bounded { frontiers, counted, left: limits.work };
    let mut terms: Interner<StateId, TermId> = Interner::default();
    terms.intern(normalizer.normal(pool, term));
    let mut states = Vec::new();
    let mut moves: Vec<(StateId, EventId, StateId)> = Vec::new();
    while let Some(&term) = terms.items.get(StateId::new(states.len())) {
        let from = StateId::new(states.len());
        let steps = frontiers.steps(pool, term);
        let mut cut = steps.is_none();
        for step in steps.iter().flat_map(|steps| steps.iter()) {
            let follow_up = normalizer.normal(pool, step.follow_up);
            let known = terms.find(&follow_up);
            let room = terms.items.len() < limits.states;
            match known.or_else(|| room.then(|| terms.intern(follow_up))) {
                Some(to) => moves.push((from, step.event, to)),
                None => cut = true,
            }
        }
        let accepting = pool.attributes(term).terminates;
        states.push(AutomatonState { accepting, cut, term: Some(term) });
    }
    let mut events: Vec<EventId> = moves.iter().map(|&(_, event, _)| event).collect();
    events.sort_unstable();
    events.dedup();
    // Letters are ordered by their actions, because this order follows from the signature. The
    // order of event ids would depend on the history of the pool.
    let actions = |event| pool.event_actions(event).iter().map(|&action| pool.action(action));
    events.sort_by(|&x, &y| actions(x).cmp(actions(y)));
    let alphabet: IndexVec<SymbolId, EventId> = events.into_iter().collect();
    let symbols: FxHashMap<EventId, SymbolId> =
        alphabet.iter_with_ids().map(|(symbol, &event)| (event, symbol)).collect();
    let transitions = moves
        .into_iter()
        .map(|(from, event, to)| Transition { from, symbol: symbols[&event], to })
        .collect();
    Automaton::from_parts(&states, &alphabet, transitions)
}

/// Computes the steps of terms up to a total number of steps.
///
/// The steps of a term are computed from those of its sub-terms, which can be quadratically many in a
/// deep term (with an event at every depth). So sub-terms are visited innermost first and the steps of
/// each are counted.
struct Bounded {
    frontiers: Frontiers,
    /// The terms whose steps are computed and counted.
    counted: FxHashSet<TermId>,
    left: usize,
}

impl Bounded {
    /// All steps of a term; `None` if that exceeds the bound.
    fn steps(&mut self, pool: &mut Pool, term: TermId) -> Option<Rc<[Step]>> {
        let mut pending = vec![term];
        while let Some(&part) = pending.last() {
            let waiting = pending.len();
            if !self.counted.contains(&part) {
                let operands = pool.node(part).operands();
                pending.extend(operands.filter(|operand| !self.counted.contains(operand)));
            }
            if pending.len() > waiting {
                continue;
            }
            pending.pop();
            if self.counted.insert(part) {
                let steps = self.frontiers.steps(pool, part);
                let left = self.left.checked_sub(steps.len());
                self.left = left.unwrap_or(0);
                left?;
            }
        }
        Some(self.frontiers.steps(pool, term))
    }
}
