//! Coupled components: the events themselves, up to a cap.
//!
//! In a coupled interaction the order in which components move matters, so no single residual stands for the whole past. A
//! group keeps its events, and the engine decides again about all of them. Beside that it follows a *path*: the
//! residual, with the order of the interaction between components, after the events in the order in which they could happen as
//! they arrived.
//!
//! **Claim.** If the path has consumed all events and is not `NEVER`, what has arrived is explained, and is a global
//! prefix.
//!
//! *Proof.* The path is the beginning of an execution, of which each component has observed its whole part. Every
//! expression but `NEVER` has a trace, so the execution can be completed, unobserved. ∎
//!
//! Parallel sessions are followed in the same way, even if components are decoupled. The path is small for them: a reception
//! belongs to a session that has begun, and sessions in the same state are counted.
//!
//! So as long as events arrive in a possible order, each costs a step. An event that cannot happen yet waits; what waits
//! is searched from the path first, and only if this explains nothing, all events are decided again. Beyond the
//! cap, events are forgotten: as long as the path holds, the answer is known, and then it is unknown for good.

use std::collections::VecDeque;

use smallvec::SmallVec;

use super::standing::Why;
use crate::engine::Engine;
use crate::engine::residuals::{ExprId, LeafId, NEVER, Residuals, SymbolId};
use crate::question::Question;
use crate::verdict::Verdict;
use otus_core::ActionId;
use otus_syntax::SourceId;
use otus_trace::MultiTrace;
use otus_trace::multitrace::{Builder, Step};
use std::sync::Arc;

use otus_trace::Partition;

use crate::budget::Budget;
use crate::engine::Outcome;

/// The number of states of a search from the path, beside some for each event.
const PATIENCE: u64 = 400;

/// The events of a group, and a path through the interaction.
#[derive(Debug)]
pub(super) struct Kept {
    /// For each component, its events, unless there were too many.
    logs: Option<Box<[Vec<Step>]>>,
    count: usize,
    path: ExprId,
    /// For each component, the events that the path has not consumed.
    waiting: Box<[VecDeque<(SymbolId, LeafId)>]>,
    behind: usize,
    /// The size beyond which the path does not grow.
    most: u32,
}

impl Kept {
    pub(super) fn new(residuals: &Residuals, path: ExprId) -> Kept {
        let components = residuals.count();
        Kept {
            logs: Some(vec![Vec::new(); components].into()),
            count: 0,
            path,
            waiting: (0..components).map(|_| VecDeque::new()).collect(),
            behind: 0,
            most: residuals.size(path).saturating_mul(64).saturating_add(1024),
        }
    }

    /// Keeps an event, unless that makes more than `most`.
    pub(super) fn keep(&mut self, component: usize, moment: &[ActionId], most: usize) {
        self.count += 1;
        if self.count > most {
            self.logs = None;
        }
        if let Some(logs) = &mut self.logs {
            logs[component].extend(Step::moment(moment));
        }
    }

    /// Extends the path by an event, and by those that waited for it.
    pub(super) fn advance(
        &mut self,
        residuals: &mut Residuals,
        component: usize,
        leaf: LeafId,
    ) -> Result<(), Why> {
        let Some(symbol) = residuals.symbol(leaf) else { return Ok(()) };
        self.waiting[component].push_back((symbol, leaf));
        self.behind += 1;
        let count = self.waiting.len();
        let (mut idle, mut at) = (0, component);
        while idle < count && self.behind > 0 {
            if self.fire(residuals, at)? {
                idle = 0;
            } else {
                idle += 1;
                at = (at + 1) % count;
            }
        }
        Ok(())
    }

    /// Consumes the first waiting event of a component, if it can happen.
    fn fire(&mut self, residuals: &mut Residuals, component: usize) -> Result<bool, Why> {
        let Some(&(symbol, _)) = self.waiting[component].front() else { return Ok(false) };
        let leaves: SmallVec<[LeafId; 4]> = residuals.leaves(symbol).into();
        for leaf in leaves {
            let is_first = |(component, symbol): &(otus_trace::ComponentId, SymbolId)| {
                let first = self.waiting[component.0 as usize].front();
                first.is_some_and(|(own, _)| own == symbol)
            };
            if !residuals.parts(leaf).iter().all(is_first) {
                continue;
            }
            let next = residuals.step(self.path, leaf)?;
            if next != NEVER && residuals.size(next) <= self.most {
                for &(component, _) in residuals.parts(leaf) {
                    self.waiting[component.0 as usize].pop_front();
                    self.behind -= 1;
                }
                self.path = next;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether what has arrived is explained by the path alone.
    pub(super) fn follows(&self) -> bool {
        self.behind == 0
    }

    /// Whether the path has consumed all events, and nothing more need happen.
    pub(super) fn is_complete(&self, residuals: &Residuals) -> bool {
        self.follows() && residuals.is_nullable(self.path)
    }

    /// Whether the waiting events are explained from the path on; if not, nothing is known.
    pub(super) fn is_explained_from_path(&self, residuals: &mut Residuals) -> bool {
        let log = |waiting: &VecDeque<(SymbolId, LeafId)>| -> Vec<Step> {
            waiting.iter().flat_map(|&(_, leaf)| residuals.moment(leaf)).copied().collect()
        };
        let rest: Vec<Vec<Step>> = self.waiting.iter().map(log).collect();
        let states = PATIENCE + 4 * self.behind as u64;
        residuals.explains_in_order(self.path, &rest, states) == Ok(true)
    }

    /// The verdict on all events, if they were kept.
    pub(super) fn decide(
        &self,
        asker: &mut Engine,
        partition: &Arc<Partition>,
        question: &Question,
        goal: Verdict,
        budget: &Budget,
    ) -> Option<Outcome> {
        let trace = self.trace(partition)?;
        Some(asker.analyze_up_to(goal, &trace, question, budget))
    }

    fn trace(&self, partition: &Arc<Partition>) -> Option<MultiTrace> {
        let logs = self.logs.as_ref()?;
        let actions = logs.iter().map(Vec::len).sum();
        let mut builder = Builder::new(Arc::clone(partition), actions, false);
        for log in logs {
            for moment in log.chunk_by(|_, next| next.joined()) {
                for step in moment {
                    builder.push(step.action(), 0);
                }
                builder.next_moment();
            }
            builder.next_component();
        }
        Some(builder.finish(SourceId(0)))
    }

    /// The number of events that wait.
    pub(super) fn held(&self) -> usize {
        self.behind
    }

    /// The approximate memory beside the tables.
    pub(super) fn bytes(&self) -> usize {
        let kept: usize = self.logs.iter().flatten().map(|log| 4 * log.capacity()).sum();
        size_of::<Kept>() + kept + 8 * self.behind
    }

    pub(super) fn roots(&mut self) -> impl Iterator<Item = &mut ExprId> {
        std::iter::once(&mut self.path)
    }
}
