//! Logs of components that are sequential: refutation in linear time.
//!
//! A step of an expression combines all ways in which an event can come next. If sequences and loops are nested deeply,
//! there is one way for each level, and each residual is as large as the whole expression, so a single step takes time
//! quadratic in the depth. But if nothing in the projection onto a component is concurrent, the projection is a regular
//! expression. Its automaton has a state for each place in the expression, and a set of places stands for all ways
//! together.
//!
//! **Claim.** If the automaton of a component's projection has no run over the component's log, from its first state, or from
//! any state if the log may start late, to its last state, or to any if the log may stop early, then the multi-trace is
//! not explained.
//!
//! *Proof.* Erase the events of all other components from a trace that explains it ([`erase`](super::erase)). What remains
//! is a trace of the projection, and the log is the declared part of it. Every state of the automaton lies on a run. ∎
//!
//! If only one component is observed and its projection is exact ([`decompose`](super::decompose)), the converse holds.
//!
//! If there is only one component, the converse holds for every question, since then the projection is the interaction.
//!
//! *Cost.* The size of the projection for each moment of the log. The method is used only for large interactions, and
//! only for logs that are short or may start late. *Switch.* `Options::places`. *Counter.* `Counters::refuted`.

use super::Ending;
use super::alphabet::Alphabet;
use super::logs::Logs;
use super::store::{Expr, ExprId, Store, SymbolId};

/// The maximum number of states.
const MANY: usize = 1 << 18;
/// The most work for one log, in states.
const WORK: usize = 1 << 27;

/// The automaton of a regular expression.
#[derive(Debug)]
pub(crate) struct Sequential {
    states: Vec<State>,
    last: u32,
}

/// The transitions from a state.
#[derive(Debug, Clone, Copy, Default)]
struct State {
    /// The transition that consumes a moment.
    observed: Option<(SymbolId, u32)>,
    /// The transitions that consume nothing.
    silent: [Option<u32>; 2],
}

/// An expression to build between two states.
#[derive(Debug, Clone, Copy)]
struct Part {
    expr: ExprId,
    from: u32,
    to: u32,
}

impl Sequential {
    /// The automaton of the projection onto one component; `None` if that is not sequential, or too large.
    pub(crate) fn new(store: &Store, projection: ExprId) -> Option<Sequential> {
        let mut automaton = Sequential { states: Vec::new(), last: 1 };
        let first = automaton.add()?;
        automaton.last = automaton.add()?;
        let mut pending = vec![Part { expr: projection, from: first, to: automaton.last }];
        while let Some(Part { expr, from, to }) = pending.pop() {
            match store.expr(expr) {
                Expr::Empty => automaton.join(from, to)?,
                Expr::Leaf(leaf) => {
                    let [(_, symbol)] = *store.leaf(*leaf).parts else { return None };
                    let before = automaton.add()?;
                    automaton.states[before as usize].observed = Some((symbol, to));
                    automaton.join(from, before)?;
                }
                Expr::Alt(alternatives) => {
                    // A list of states, each with one alternative and the next state.
                    let mut from = from;
                    for &alternative in alternatives.iter() {
                        let next = automaton.add()?;
                        automaton.join(from, next)?;
                        let begin = automaton.add()?;
                        automaton.join(next, begin)?;
                        pending.push(Part { expr: alternative, from: begin, to });
                        from = next;
                    }
                }
                Expr::Seq(order, operands) => {
                    if !store.is_total(*order, expr) {
                        return None;
                    }
                    let mut from = from;
                    for (at, &operand) in operands.iter().enumerate() {
                        let next = if at + 1 == operands.len() { to } else { automaton.add()? };
                        pending.push(Part { expr: operand, from, to: next });
                        from = next;
                    }
                }
                Expr::Loop(order, body) => {
                    if !store.is_total(*order, expr) {
                        return None;
                    }
                    let round = automaton.add()?;
                    automaton.join(from, round)?;
                    automaton.join(round, to)?;
                    pending.push(Part { expr: *body, from: round, to: round });
                }
                Expr::Never | Expr::Par(_) | Expr::Suffix(..) => return None,
            }
        }
        Some(automaton)
    }

    fn add(&mut self) -> Option<u32> {
        if self.states.len() == MANY {
            return None;
        }
        self.states.push(State::default());
        u32::try_from(self.states.len() - 1).ok()
    }

    /// Adds a transition that consumes nothing.
    fn join(&mut self, from: u32, to: u32) -> Option<()> {
        let mut from = from as usize;
        loop {
            match self.states[from].silent {
                [None, _] => {
                    self.states[from].silent[0] = Some(to);
                    return Some(());
                }
                // A state holds two such transitions. The second one leads to a state that holds
                // further ones.
                [Some(_), Some(more)] => from = more as usize,
                [Some(_), None] => {
                    let more = self.add()?;
                    self.states[from].silent[1] = Some(more);
                }
            }
        }
    }

    /// Whether there is no run over the log of a component; `None` if that is too much work.
    pub(crate) fn refutes(
        &self,
        store: &mut Store,
        alphabet: &Alphabet,
        logs: &Logs<'_>,
        component: usize,
    ) -> Option<bool> {
        let mut rest = logs.log(component);
        if rest.len().checked_mul(self.states.len())? > WORK {
            return None;
        }
        let late = logs.late[component];
        let mut now: Vec<u32> =
            if late { (0..u32::try_from(self.states.len()).ok()?).collect() } else { vec![0] };
        let mut is_in = vec![0_u32; self.states.len()];
        let mut round = 0;
        loop {
            round += 1;
            // Adds all states that are reached without consuming a moment.
            for &state in &now {
                is_in[state as usize] = round;
            }
            let mut at = 0;
            while let Some(&state) = now.get(at) {
                at += 1;
                for next in self.states[state as usize].silent.into_iter().flatten() {
                    if std::mem::replace(&mut is_in[next as usize], round) != round {
                        now.push(next);
                    }
                }
            }
            if rest.is_empty() || now.is_empty() {
                break;
            }
            if store.check().is_some() {
                return None;
            }
            let (symbol, length) = alphabet.read(rest);
            rest = &rest[length..];
            let after = |&state: &u32| match self.states[state as usize].observed {
                Some((own, next)) if Some(own) == symbol => Some(next),
                _ => None,
            };
            now = now.iter().filter_map(after).collect();
        }
        let ends = logs.endings[component] == Ending::Early || now.contains(&self.last);
        Some(now.is_empty() || !ends)
    }
}

impl Store {
    /// Whether an order relates all lifelines of an expression, so that nothing in a sequence is concurrent.
    fn is_total(&self, order: super::store::OrderId, expr: ExprId) -> bool {
        let lifelines = self.lifelines(expr);
        let mut classes = self.orders.items[order].classes();
        classes.any(|class| lifelines.is_subset(&class))
    }
}
