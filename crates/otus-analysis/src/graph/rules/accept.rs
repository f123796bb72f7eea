//! `accept` and `prefix`: every event is observed.
//!
//! The HIBOU README of 2020, section 4.3.1: a node is a pair (i, µ); it has a child for every
//! frontier action that is the head of a component.

use super::Rules;
use crate::graph::search::Expansion;
use crate::graph::state::{Leaf, LeafKind, SearchState};
use crate::verdict::Verdict;

impl Rules<'_, '_> {
    /// Cov if the multi-trace is consumed and the interaction may terminate; UnCov if no step
    /// applies.
    pub(super) fn accept(&mut self, state: &SearchState) -> Expansion {
        let stuck = Leaf { kind: LeafKind::UnCov, verdict: Verdict::Fail };
        self.observed_only(state, stuck, stuck)
    }

    /// Cov or TooShort if the multi-trace is consumed. If no step applies: LackObs if some
    /// component is consumed, otherwise Out. LackObs is inconclusive only in the verdicts of 2020.
    pub(super) fn prefix(&mut self, state: &SearchState, legacy: bool) -> Expansion {
        let mut components = self.observation.trace().partition().components();
        let stuck = if components.any(|component| self.is_over(state, component)) {
            let verdict = if legacy { Verdict::Inconclusive } else { Verdict::Fail };
            Leaf { kind: LeafKind::LackObs, verdict }
        } else {
            Leaf { kind: LeafKind::Out, verdict: Verdict::Fail }
        };
        let short = Leaf { kind: LeafKind::TooShort, verdict: Verdict::WeakPass };
        self.observed_only(state, short, stuck)
    }

    /// The children by R_e. `short` is the leaf of a node whose multi-trace is consumed but whose
    /// interaction may not terminate, `stuck` that of a node without children.
    fn observed_only(&mut self, state: &SearchState, short: Leaf, stuck: Leaf) -> Expansion {
        if self.all_over(state) {
            let leaf = match self.ending(state, short != stuck) {
                Some(ending) if ending.ends => {
                    Leaf { kind: LeafKind::Cov, verdict: ending.verdict(state.exact) }
                }
                Some(ending) if ending.is_known => short,
                Some(_) => Leaf { verdict: Verdict::Inconclusive, ..short },
                // What is left cannot happen any more, whatever it carries.
                None => Leaf { kind: LeafKind::UnCov, verdict: Verdict::Fail },
            };
            return (Some(leaf), Vec::new());
        }
        let children = self.executions(state);
        (children.is_empty().then_some(stuck), children)
    }
}
