//! The measure (λ, α) that bounds simulation.
//!
//! Mahe et al., "Tooling offline runtime verification…", sections 4.1, 5.1 and appendix B. With
//! the paper's own criterion, κ(i) = (β(i), η(i)), and simulating a@p in i with follow-up i′ gives
//!
//! ```text
//! β(i,p) = 0:                     (λ, α) ⇁ (λ, η(i′))
//! β(i,p) > 0 and λ ≥ β(i,p):      (λ, α) ⇁ (λ − β(i,p), η(i′))
//! ```
//!
//! Generalised to the tool's options: a bound may be absent or a number, and κ may be multiplied by
//! the size of the multi-trace. Outside loops α decreases by as much as η does (at least one),
//! which gives η(i′) if it began as η(i); a number of actions decreases by one at every simulated
//! step.
//!
//! As in the figures of the paper, λ = 0 once pruning has left no loop. This changes no verdict,
//! because no loop is left to instantiate.

use otus_core::Attributes;
use otus_syntax::options::Criterion;

use crate::config::Simulation;

/// λ and α; `None` is unbounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Measure {
    /// λ: the number of loops that may still be instantiated.
    pub loops: Option<u64>,
    /// α: the number of actions that may still be simulated.
    pub actions: Option<u64>,
}

impl Measure {
    /// κ(i), for a multi-trace of a given size.
    pub fn initial(simulation: &Simulation, term: Attributes, size: usize) -> Self {
        let factor = if simulation.multiply { size as u64 } else { 1 };
        let bound = |criterion: Criterion, number: u32| {
            match criterion {
                Criterion::None => None,
                Criterion::Number(n) => Some(n),
                Criterion::MaxNumber => Some(u64::from(number)),
                Criterion::MaxDepth => Some(u64::from(term.loop_depth)),
            }
            .map(|bound| bound.saturating_mul(factor))
        };
        Measure {
            loops: bound(simulation.loops, term.loops),
            actions: bound(simulation.actions, term.outside_loops),
        }
    }

    /// j ⇁ j′ for an event `loop_depth` loops deep, from i to i′; `None` if it may not be
    /// simulated.
    #[must_use]
    pub fn simulated(
        self,
        simulation: &Simulation,
        loop_depth: u32,
        before: Attributes,
        after: Attributes,
    ) -> Option<Measure> {
        let loops = match self.loops {
            Some(left) => {
                let left = left.checked_sub(u64::from(loop_depth))?;
                Some(if after.loop_depth == 0 { 0 } else { left })
            }
            None => None,
        };
        let actions = match (self.actions, simulation.actions) {
            (None, _) => None,
            (Some(left), Criterion::Number(_)) => Some(left.checked_sub(1)?),
            (Some(_), Criterion::None | Criterion::MaxNumber | Criterion::MaxDepth)
                if loop_depth > 0 =>
            {
                Some(u64::from(after.outside_loops))
            }
            (Some(left), Criterion::None | Criterion::MaxNumber | Criterion::MaxDepth) => {
                let fallen = before.outside_loops.saturating_sub(after.outside_loops).max(1);
                Some(left.checked_sub(u64::from(fallen))?)
            }
        };
        Some(Measure { loops, actions })
    }
}
