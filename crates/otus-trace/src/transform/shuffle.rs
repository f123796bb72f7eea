//! Random order without repetition.
//!
//! The shuffle of Fisher and Yates, on an array that stores only the moved entries: the cost of a
//! draw does not depend on the bound, and the first draws do not depend on how many follow.

use std::hash::Hasher as _;

use fastrand::Rng;
use rustc_hash::FxHashMap;

/// The numbers below a bound, each once, in an order that a seed determines.
#[derive(Debug, Clone)]
pub(super) struct Shuffle {
    rng: Rng,
    drawn: u128,
    bound: u128,
    /// The entries of the array that differ from their index.
    moved: FxHashMap<u128, u128>,
}

impl Shuffle {
    pub(super) fn new(bound: u128, seed: u64) -> Shuffle {
        Shuffle { rng: Rng::with_seed(seed), drawn: 0, bound, moved: FxHashMap::default() }
    }
}

impl Iterator for Shuffle {
    type Item = u128;

    fn next(&mut self) -> Option<u128> {
        let front = self.drawn;
        if front >= self.bound {
            return None;
        }
        let place = self.rng.u128(front..self.bound);
        let number = self.moved.get(&place).copied().unwrap_or(place);
        let displaced = self.moved.remove(&front).unwrap_or(front);
        if place != front {
            self.moved.insert(place, displaced);
        }
        self.drawn += 1;
        Some(number)
    }
}

/// Derives a seed for one purpose, so that the random choices for one multi-trace do not depend on
/// the others.
///
/// ```
/// use otus_trace::transform::derive_seed;
///
/// assert_eq!(derive_seed(1, &["run", "noise"]), derive_seed(1, &["run", "noise"]));
/// assert_ne!(derive_seed(1, &["run", "noise"]), derive_seed(1, &["run", "remove"]));
/// ```
pub fn derive_seed(seed: u64, purpose: &[&str]) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write_u64(seed);
    for text in purpose {
        hasher.write(text.as_bytes());
        hasher.write_u64(text.len() as u64);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_drawn_once() {
        for bound in 0..50 {
            let mut drawn: Vec<u128> = Shuffle::new(bound, 3).collect();
            drawn.sort_unstable();
            assert_eq!(drawn, (0..bound).collect::<Vec<_>>());
        }
    }

    #[test]
    fn all_orders_are_about_equally_likely() {
        let mut counts = std::collections::BTreeMap::new();
        for seed in 0..6000 {
            *counts.entry(Shuffle::new(3, seed).collect::<Vec<_>>()).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(counts.values().all(|&count| (800..1200).contains(&count)), "{counts:?}");
    }

    #[test]
    fn a_huge_bound_costs_nothing() {
        let drawn: Vec<u128> = Shuffle::new(u128::MAX, 1).take(3).collect();
        assert_eq!(drawn, Shuffle::new(u128::MAX, 1).take(5).take(3).collect::<Vec<_>>());
        assert_ne!(drawn, Shuffle::new(u128::MAX, 2).take(3).collect::<Vec<_>>());
    }
}
