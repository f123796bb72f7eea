//! Sets of multi-traces of one origin, and mutants of them.

use otus_trace::MultiTrace;
use otus_trace::transform::{Swaps, derive_seed, noise, swap_actions};

use super::Model;

/// A set of multi-traces of one origin.
#[derive(Debug, Clone)]
pub struct Class {
    /// As the papers call it.
    pub name: &'static str,
    /// The multi-traces.
    pub traces: Vec<MultiTrace>,
    /// What is known of them by construction.
    pub known: Known,
}

/// What is known of multi-traces by the way they were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// They are accepted as they are.
    Accepted,
    /// They are parts of accepted ones.
    Part,
    /// Nothing: a mutant may happen to be right.
    Mutant,
}

impl Known {
    /// Whether none may fail.
    pub fn is_right(self) -> bool {
        match self {
            Known::Accepted | Known::Part => true,
            Known::Mutant => false,
        }
    }
}

/// Of each part a mutant with a random action inserted, one with two actions of a component swapped (if there
/// are two), and one with some components of another part.
pub(super) fn mutants(model: &mut Model, parts: &[MultiTrace], seed: u64) -> [Vec<MultiTrace>; 3] {
    let swaps = Swaps::new(parts);
    let (mut noisy, mut swapped, mut mixed) = (Vec::new(), Vec::new(), Vec::new());
    for (i, part) in parts.iter().enumerate() {
        let seed = |purpose| derive_seed(seed, &[purpose, &i.to_string()]);
        let mutants = noise(part, &model.pool).choose(1, seed("noise"), &mut model.pool);
        noisy.extend(mutants.into_iter().map(|mutant| mutant.trace));
        let mutants = swap_actions(part).choose(1, seed("actions"), &mut model.pool);
        swapped.extend(mutants.into_iter().map(|mutant| mutant.trace));
        let swap = swaps.sample(i, seed("components")).next();
        mixed.extend(swap.map(|swap| swap.apply(part, &parts[swap.donor])));
    }
    [noisy, swapped, mixed]
}
