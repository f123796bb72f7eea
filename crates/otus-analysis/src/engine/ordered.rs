//! Multi-traces with an observed order between their logs ([`ObservedOrder`]).
//!
//! The order only excludes explanations. So a multi-trace that fails without the order also fails with it, and a
//! multi-trace is explained if some explanation respects the order. The other searches forget causality that logs
//! cannot observe, so they do not know in which order the events of different logs happen. Only [`coupled`] knows it,
//! on the rigid expression: it consumes the logs in the order of a global trace, and an action waits until its causes
//! are consumed.
//!
//! *Stubborn sets stay sound.* An event that can happen now has no unconsumed cause, so it can be moved before all other
//! events of an explanation. An action that waits for a cause can become possible when the log of the cause moves, so that log
//! joins the set.
//!
//! An edge between the two ends of a message passing that may be synchronous is left out: if the passing is
//! synchronous, both ends are one event.

use otus_core::index::Index as _;
use otus_core::{Pool, TermId};
use otus_trace::transform::learn::Pair;
use otus_trace::{MultiTrace, ObservedOrder};

use super::coupled::Manner;
use super::decoupled::Found;
use super::logs::Logs;
use super::{Engine, Outcome, coupled, strongest, witness};
use crate::budget::{Budget, Meter, Stop};
use crate::question::Question;
use crate::verdict::Verdict;
use crate::witness::Witness;

impl Engine {
    /// The verdict on a multi-trace with an observed order.
    pub fn analyze_ordered(
        &mut self,
        trace: &MultiTrace,
        order: &ObservedOrder,
        question: &Question,
        budget: &Budget,
    ) -> Outcome {
        let without = self.analyze(trace, question, budget);
        let order = self.enforceable(trace, order);
        if without.verdict < Verdict::WeakPass || order.is_empty() {
            return without;
        }
        let mut meter = Meter::new(budget);
        self.begin_analysis(budget, &meter);
        let strong = strongest(question, self.count);
        let mut furthest = None;
        let mut found = Found::No;
        let mut verdict = Verdict::Pass;
        if without.verdict == Verdict::Pass {
            found = self.consume_in_order(trace, &order, &strong, &mut meter, &mut furthest);
        }
        if found == Found::No && *question != strong {
            verdict = Verdict::WeakPass;
            found = self.consume_in_order(trace, &order, question, &mut meter, &mut furthest);
        }
        let (verdict, stop) = match found {
            Found::Yes => (verdict, Stop::Goal),
            Found::No => (Verdict::Fail, Stop::Exhausted),
            Found::Unknown(stop) => (Verdict::Inconclusive, stop),
        };
        let furthest = if verdict == Verdict::Fail { furthest } else { None };
        Outcome { verdict, states: without.states + meter.states(), stop, furthest }
    }

    /// Like [`Engine::witness`], for an execution that respects an observed order.
    #[expect(clippy::too_many_arguments, reason = "those of a witness, and the order")]
    pub fn witness_ordered(
        &mut self,
        pool: &mut Pool,
        term: TermId,
        trace: &MultiTrace,
        order: &ObservedOrder,
        question: &Question,
        verdict: Verdict,
        budget: &Budget,
    ) -> Option<Witness> {
        let order = self.enforceable(trace, order);
        if order.is_empty() {
            return self.witness(pool, term, trace, question, verdict, budget);
        }
        let question = match verdict {
            Verdict::Pass => strongest(question, self.count),
            Verdict::WeakPass => question.clone(),
            Verdict::Fail | Verdict::WeakFail | Verdict::Inconclusive => return None,
        };
        witness::replay(self, pool, term, trace, Some(&order), &question, budget)
    }

    fn consume_in_order(
        &mut self,
        trace: &MultiTrace,
        order: &ObservedOrder,
        question: &Question,
        meter: &mut Meter<'_>,
        furthest: &mut Option<Box<[u32]>>,
    ) -> Found {
        self.store.refuel();
        let mut logs = Logs::new(trace, question, self.count).in_order(order);
        let is_global = *question == Question::GlobalPrefix;
        let manner = if is_global { Manner::Global } else { Manner::InStep };
        let (mut context, compiled) = self.context();
        let rigid = compiled.rigid;
        let found = coupled::explain(&mut context, rigid, &mut logs, manner, u64::MAX, meter);
        *furthest = logs.into_furthest();
        found
    }

    /// The order without the edges between actions that may be one event.
    fn enforceable(&mut self, trace: &MultiTrace, order: &ObservedOrder) -> ObservedOrder {
        self.prepare();
        let symbol = |(component, step): (otus_trace::ComponentId, usize)| {
            let steps = trace.steps(component);
            // The moment of a step begins at the last step before it that is not joined to another.
            let first = (0..=step).rev().find(|&at| !steps[at].joined()).unwrap_or(step);
            let (symbol, _) = self.alphabet.read(&steps[first..]);
            Some((component, symbol?))
        };
        let is_one_event = |edge: &Pair| {
            let (Some(from), Some(to)) = (symbol(edge.from), symbol(edge.to)) else { return false };
            let leaves = self.alphabet.leaves.get(from.1.index()).into_iter().flatten();
            leaves.into_iter().any(|&leaf| {
                let parts = &self.store.leaf(leaf).parts;
                parts.contains(&from) && parts.contains(&to)
            })
        };
        order.only(|edge| !is_one_event(edge))
    }
}
