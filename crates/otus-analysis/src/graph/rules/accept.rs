//! `accept` and `prefix`: only what was observed happens.
//!
//! The HIBOU README of 2020, section 4.3.1: a node is a pair (i, µ); a child for every frontier
//! action that is the head of a component.

use super::Rules;
use crate::graph::search::Expansion;
use crate::graph::state::{Leaf, LeafKind, State};
use crate::verdict::Verdict;

impl Rules<'_> {
    /// Cov if all is consumed and the interaction may end; UnCov if nothing can go on.
    pub(super) fn accept(&mut self, state: &State) -> Expansion {
        if self.all_over(state) {
            let leaf = if self.pool.attributes(state.term).terminates {
                Leaf { kind: LeafKind::Cov, verdict: Verdict::Pass }
            } else {
                Leaf { kind: LeafKind::UnCov, verdict: Verdict::Fail }
            };
            return (Some(leaf), Vec::new());
        }
        let children = self.executions(state);
        let stuck = Leaf { kind: LeafKind::UnCov, verdict: Verdict::Fail };
        (children.is_empty().then_some(stuck), children)
    }

    /// Cov and TooShort if all is consumed. Otherwise LackObs if some component is, else Out;
    /// only in 2020 did LackObs make the whole inconclusive.
    pub(super) fn prefix(&mut self, state: &State, legacy: bool) -> Expansion {
        if self.all_over(state) {
            let leaf = if self.pool.attributes(state.term).terminates {
                Leaf { kind: LeafKind::Cov, verdict: Verdict::Pass }
            } else {
                Leaf { kind: LeafKind::TooShort, verdict: Verdict::WeakPass }
            };
            return (Some(leaf), Vec::new());
        }
        let children = self.executions(state);
        let mut components = self.observation.trace().partition().components();
        let lacking = components.any(|component| self.is_over(state, component));
        let stuck = if lacking {
            let verdict = if legacy { Verdict::Inconclusive } else { Verdict::Fail };
            Leaf { kind: LeafKind::LackObs, verdict }
        } else {
            Leaf { kind: LeafKind::Out, verdict: Verdict::Fail }
        };
        (children.is_empty().then_some(stuck), children)
    }
}
