//! The number of vectors of a set.
//!
//! `|S| = Σ (high − low + 1) · |child|` over the intervals of a node. Children have smaller ids, so one ascending pass
//! computes the count of every node once. It first uses machine integers; only if 128
//! bits do not suffice, it starts again with [`BigUint`].

use super::diagram::{Diagram, Set};
use super::store::{EMPTY, FULL};
use num_bigint::BigUint;

impl Diagram {
    pub(crate) fn count(&self, set: Set) -> BigUint {
        let small = self.total(set, 1_u128, |sum, count, width| {
            sum.checked_add(count.checked_mul(u128::from(width))?)
        });
        let large =
            || self.total(set, BigUint::from(1_u64), |sum, count, width| Some(sum + count * width));
        small.map(BigUint::from).or_else(large).unwrap_or_default()
    }

    /// The count in a type of number whose `one` is given: `add` is `sum + count * width`, `None`
    /// if that is too large.
    fn total<N: Clone + Default>(
        &self,
        set: Set,
        one: N,
        add: impl Fn(N, &N, u64) -> Option<N>,
    ) -> Option<N> {
        // By layer, the last first: the number of vectors from there on.
        let mut all = vec![one];
        for &bound in self.bounds.iter().rev() {
            let rest = &all[all.len() - 1];
            // Only full residuals need it. If it is too large, their sum is too, and is `None`.
            let Some(more) = add(N::default(), rest, u64::from(bound) + 1) else { break };
            all.push(more);
        }
        let from = |layer: usize| all.get(self.bounds.len() - layer);
        match set.0 {
            EMPTY => return Some(N::default()),
            FULL => return from(0).cloned(),
            _ => {}
        }
        let reach = self.reach_from(set.0);
        let mut counts: Vec<N> = Vec::with_capacity(reach.ids.len());
        for &id in &reach.ids {
            let next = self.store.layer(id) + 1;
            let (mut sum, mut low) = (N::default(), 0_u64);
            for edge in self.store.edges_of(id) {
                let width = u64::from(edge.high) + 1 - low;
                low += width;
                sum = match edge.child {
                    EMPTY => sum,
                    FULL => add(sum, from(next)?, width)?,
                    child => add(sum, &counts[reach.place(child)], width)?,
                };
            }
            counts.push(sum);
        }
        counts.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bounds: &[u32], ranges: &[(u32, u32)], expected: &str) {
        let mut diagram = Diagram::new(bounds);
        let set = diagram.cuboid(ranges).unwrap();
        assert_eq!(diagram.count(set).to_string(), expected);
    }

    #[test]
    fn counts_of_boxes_are_products() {
        check(&[], &[], "1");
        check(&[4], &[(1, 3)], "3");
        check(&[4, 9], &[(1, 3), (0, 9)], "30");
        check(&[4, 9], &[(3, 1), (0, 9)], "0");
        check(&[9; 3], &[(0, 9); 3], "1000");
    }

    #[test]
    fn counts_beyond_the_machine_are_exact() {
        check(&[9; 50], &[(0, 9); 50], &format!("1{}", "0".repeat(50)));
        check(&[99; 50], &[(1, 10); 50], &format!("1{}", "0".repeat(50)));
        check(&[u32::MAX; 6], &[(0, 0); 6], "1");
    }
}
