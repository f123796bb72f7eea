//! Sets of multi-traces that were made in the same way, and sets of their mutants.

use otus_trace::MultiTrace;
use otus_trace::transform::{Swaps, noise, swap_actions};

use super::Model;
use crate::setting::Setting;

/// A set of multi-traces of one origin.
#[derive(Debug, Clone)]
pub struct Class {
    /// The name of the set in the papers.
    pub name: &'static str,
    /// The multi-traces.
    pub traces: Vec<MultiTrace>,
    /// The verdict that is known by construction.
    pub known: Known,
}

/// The verdict of multi-traces that is known from the way they were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// The multi-traces are accepted.
    Accepted,
    /// The multi-traces are prefixes or slices of accepted multi-traces.
    Part,
    /// The verdict is unknown, because a mutant may still be correct.
    Mutant,
}

impl Known {
    /// Whether a Fail would be wrong.
    pub fn is_right(self) -> bool {
        self != Known::Mutant
    }
}

impl Class {
    /// The five sets of an experiment: accepted multi-traces, parts of them, and the three kinds of [`mutants`] of the parts.
    pub(super) fn five(
        names: [&'static str; 5],
        model: &mut Model,
        accepted: Vec<MultiTrace>,
        parts: Vec<MultiTrace>,
        setting: Setting,
    ) -> Vec<Class> {
        let [noisy, swapped, mixed] = mutants(model, &parts, |kind, at| setting.derive(kind, at));
        let sets = [
            (accepted, Known::Accepted),
            (parts, Known::Part),
            (noisy, Known::Mutant),
            (swapped, Known::Mutant),
            (mixed, Known::Mutant),
        ];
        let class = |(name, (traces, known))| Class { name, traces, known };
        names.into_iter().zip(sets).map(class).collect()
    }
}

/// Three mutants of each multi-trace: one with a random action inserted, one with two actions of a component swapped (if
/// there are two), and one with some components of another multi-trace. `seed` gives a seed for a kind of mutant and
/// the index of a multi-trace.
pub fn mutants(
    model: &mut Model,
    parts: &[MultiTrace],
    seed: impl Fn(&str, usize) -> u64,
) -> [Vec<MultiTrace>; 3] {
    let swaps = Swaps::new(parts);
    let (mut noisy, mut swapped, mut mixed) = (Vec::new(), Vec::new(), Vec::new());
    for (i, part) in parts.iter().enumerate() {
        let seed = |kind| seed(kind, i);
        let mutants = noise(part, &model.pool).choose(1, seed("noise"), &mut model.pool);
        noisy.extend(mutants.into_iter().map(|mutant| mutant.trace));
        let mutants = swap_actions(part).choose(1, seed("actions"), &mut model.pool);
        swapped.extend(mutants.into_iter().map(|mutant| mutant.trace));
        let swap = swaps.sample(i, seed("components")).next();
        mixed.extend(swap.map(|swap| swap.apply(part, &parts[swap.donor])));
    }
    [noisy, swapped, mixed]
}
