//! Sets of multi-traces made from accepted ones.

use otus_analysis::Question;
use otus_trace::MultiTrace;
use otus_trace::transform::{Swaps, derive_seed, noise, prefixes, slices, swap_actions};

use super::SEED;
use otus_papers::workload::Model;

/// Multi-traces of one kind.
pub(super) struct Set {
    pub(super) name: &'static str,
    pub(super) traces: Vec<MultiTrace>,
    /// From which question on, by number in [`QUESTIONS`](super::QUESTIONS), they are explained.
    explained: usize,
}

impl Set {
    /// Whether a Fail would be wrong.
    pub(super) fn must_pass(&self, question: &Question) -> bool {
        super::QUESTIONS.iter().position(|q| q == question).is_some_and(|at| at >= self.explained)
    }
}

/// Accepted multi-traces, so many prefixes and slices of each, and of every prefix and slice one
/// with an action inserted, one with two actions swapped and one with components of another.
pub(super) fn derived(
    model: &mut Model,
    accepted: Vec<MultiTrace>,
    each: usize,
    purpose: &str,
) -> Vec<Set> {
    let (mut begun, mut cut) = (Vec::new(), Vec::new());
    for (i, trace) in accepted.iter().enumerate() {
        let seed = |kind| derive_seed(SEED, &[purpose, kind, &i.to_string()]);
        begun.extend(prefixes(trace).sample(seed("prefix")).take(each).map(|part| part.trace));
        cut.extend(slices(trace).sample(seed("slice")).take(each).map(|part| part.trace));
    }
    let parts: Vec<MultiTrace> = begun.iter().chain(&cut).cloned().collect();
    let swaps = Swaps::new(&parts);
    let (mut noisy, mut swapped, mut mixed) = (Vec::new(), Vec::new(), Vec::new());
    for (i, part) in parts.iter().enumerate() {
        let seed = |kind| derive_seed(SEED, &[purpose, kind, &i.to_string()]);
        let mutants = noise(part, &model.pool).choose(1, seed("noise"), &mut model.pool);
        noisy.extend(mutants.into_iter().map(|mutant| mutant.trace));
        let mutants = swap_actions(part).choose(1, seed("actions"), &mut model.pool);
        swapped.extend(mutants.into_iter().map(|mutant| mutant.trace));
        let swap = swaps.sample(i, seed("components")).next();
        mixed.extend(swap.map(|swap| swap.apply(part, &parts[swap.donor])));
    }
    vec![
        Set { name: "accepted", traces: accepted, explained: 0 },
        Set { name: "prefix", traces: begun, explained: 2 },
        Set { name: "slice", traces: cut, explained: 3 },
        Set { name: "noise", traces: noisy, explained: usize::MAX },
        Set { name: "swap", traces: swapped, explained: usize::MAX },
        Set { name: "component", traces: mixed, explained: usize::MAX },
    ]
}
