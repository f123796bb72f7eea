//! From a term to an automaton: states are follow-ups, transitions are steps.
//!
//! The follow-ups of a term by one event are its *partial derivatives* (Antimirov, "Partial
//! derivatives of regular expressions and finite automaton constructions", TCS 1996): together
//! they accept what is left of the traces that begin with the event. Taken together as one `alt`
//! they would be the derivative (Brzozowski, "Derivatives of regular expressions", JACM 1964),
//! which is what [`determinize`](super::determinize()) makes of them. Both count derivatives up to a
//! congruence; ours is [`normalize`](super::normalize). Regular expressions have finitely many
//! derivatives. Interactions may have infinitely many, and not only for want of laws: see the head
//! of [`automaton`](super).
//!
//! Each step is correct because the operational and the denotational semantics agree: Mahe et al.,
//! "Equivalence of denotational and operational semantics for interaction languages", TASE 2022.
//! Tests check it against the denotational one.

use std::cmp::Ordering;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::normalize::Normalizer;
use super::{Automaton, Limits, State, StateId, SymbolId, Transition};
use crate::index::{EventId, Index as _, IndexVec, TermId};
use crate::pool::Pool;
use crate::semantics::{Frontiers, Step};

/// The automaton of a term, in general nondeterministic. Its words are the global traces of the
/// term; if it had to be cut, some of them.
///
/// States are explored breadth first, so what a limit leaves out is far from the beginning. The
/// numbers of states depend on the term and on what the pool met before, and on nothing else.
pub fn build(pool: &mut Pool, term: TermId, limits: Limits) -> Automaton {
    let mut explorer = Explorer {
        limits,
        terms: Vec::new(),
        numbers: FxHashMap::default(),
        cut: Vec::new(),
        transitions: Vec::new(),
    };
    let mut normalizer = Normalizer::default();
    let mut frontiers = Bounded::new(limits.work);
    let initial = normalizer.normal(pool, term);
    explorer.number(initial);
    let mut at = 0;
    while let Some(&term) = explorer.terms.get(at) {
        let from = StateId::new(at);
        at += 1;
        let Some(steps) = frontiers.steps(pool, term) else {
            explorer.cut[from.index()] = true;
            continue;
        };
        for step in steps.iter() {
            let follow_up = normalizer.normal(pool, step.follow_up);
            match explorer.number(follow_up) {
                Some(to) => explorer.transitions.push((from, step.event, to)),
                None => explorer.cut[from.index()] = true,
            }
        }
    }
    explorer.finish(pool)
}

/// Steps of terms, up to a number of them.
///
/// The steps of a term are made from those of its parts, and in a deep term there can be
/// quadratically many of these (think of an event at every depth). So parts are asked for one by
/// one, innermost first, and each is counted.
struct Bounded {
    frontiers: Frontiers,
    /// The terms whose steps are known, and were counted.
    counted: FxHashSet<TermId>,
    left: usize,
}

impl Bounded {
    fn new(work: usize) -> Self {
        Bounded { frontiers: Frontiers::default(), counted: FxHashSet::default(), left: work }
    }

    /// All steps of a term; `None` if that is too much.
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

struct Explorer {
    limits: Limits,
    /// By state.
    terms: Vec<TermId>,
    numbers: FxHashMap<TermId, StateId>,
    cut: Vec<bool>,
    transitions: Vec<(StateId, EventId, StateId)>,
}

impl Explorer {
    /// The state of a term, new or known; `None` if there is no room for it.
    fn number(&mut self, term: TermId) -> Option<StateId> {
        if let Some(&known) = self.numbers.get(&term) {
            return Some(known);
        }
        if !self.terms.is_empty() && self.terms.len() >= self.limits.states {
            return None;
        }
        let state = StateId::new(self.terms.len());
        self.terms.push(term);
        self.cut.push(false);
        self.numbers.insert(term, state);
        Some(state)
    }

    fn finish(self, pool: &Pool) -> Automaton {
        let mut events: Vec<EventId> =
            self.transitions.iter().map(|&(_, event, _)| event).collect();
        events.sort_unstable();
        events.dedup();
        events.sort_by(|&x, &y| by_actions(pool, x, y));
        let alphabet: IndexVec<SymbolId, EventId> = events.into_iter().collect();
        let symbols: FxHashMap<EventId, SymbolId> =
            alphabet.iter_with_ids().map(|(symbol, &event)| (event, symbol)).collect();
        let transitions = self
            .transitions
            .iter()
            .map(|&(from, event, to)| Transition { from, symbol: symbols[&event], to })
            .collect();
        let states: Vec<State> = self
            .terms
            .iter()
            .zip(&self.cut)
            .map(|(&term, &cut)| State {
                accepting: pool.attributes(term).terminates,
                cut,
                term: Some(term),
            })
            .collect();
        Automaton::from_parts(&states, &alphabet, transitions)
    }
}

/// The order of events by their actions, which is that of the declarations in the signature:
/// numbers of events would depend on what the pool met first.
fn by_actions(pool: &Pool, x: EventId, y: EventId) -> Ordering {
    let actions = |event| pool.event_actions(event).iter().map(|&action| pool.action(action));
    actions(x).cmp(actions(y))
}
