//! The number of vectors of a set.
//!
//! `|S| = Σ (high − low + 1) · |child|` over the intervals of a node. Children have smaller ids, so one ascending pass
//! computes the count of every node once. It first uses machine integers; only if 128
//! bits do not suffice, it starts again with [`BigUint`].

use num_bigint::BigUint;
use otus_core::budget::Stop;

use super::diagram::{Diagram, Set};
use super::store::{EMPTY, FULL};

impl Diagram {
    pub(crate) fn count(&mut self, set: Set) -> Result<BigUint, Stop> {
        let small = self.total(
            set,
            1_u128,
            |sum, count, width| sum.checked_add(count.checked_mul(u128::from(width))?),
            |_| size_of::<u128>(),
        )?;
        if let Some(small) = small {
            return Ok(small.into());
        }
        let large = self.total(
            set,
            BigUint::from(1_u64),
            |sum, count, width| Some(sum + count * width),
            |count| {
                let bytes = usize::try_from(count.bits().div_ceil(8)).unwrap_or(usize::MAX);
                size_of::<BigUint>().saturating_add(bytes)
            },
        )?;
        Ok(large.unwrap_or_default())
    }

    /// The number of vectors, in a number type whose `one` is given. `add` computes `sum + count *
    /// width`, and returns `None` if that is too large for the type; the result is then `None`. `size`
    /// is the number of bytes of a number.
    fn total<N: Clone + Default>(
        &mut self,
        set: Set,
        one: N,
        add: impl Fn(N, &N, u64) -> Option<N>,
        size: impl Fn(&N) -> usize,
    ) -> Result<Option<N>, Stop> {
        // For each layer, from the last to the first: the number of all vectors from that layer on.
        let mut all = vec![one];
        for &bound in self.bounds.iter().rev() {
            let rest = &all[all.len() - 1];
            // Only full residuals need this number. If it is too large, then so is their sum, and
            // the result is `None`.
            let Some(more) = add(N::default(), rest, u64::from(bound) + 1) else { break };
            all.push(more);
        }
        let dimensions = self.bounds.len();
        let from = |layer: usize| all.get(dimensions - layer);
        match set.0 {
            EMPTY => return Ok(Some(N::default())),
            FULL => return Ok(from(0).cloned()),
            _ => {}
        }
        let reach = self.reach_from(set.0)?;
        let mut held = self.bytes() + reach.bytes();
        let mut counts: Vec<N> = Vec::with_capacity(reach.ids.len());
        for &id in &reach.ids {
            let next = self.store.layer(id) + 1;
            let full = from(next);
            let (mut sum, mut low) = (N::default(), 0_u64);
            for edge in self.store.edges_of(id) {
                let width = u64::from(edge.high) + 1 - low;
                low += width;
                let child = match edge.child {
                    EMPTY => continue,
                    FULL => full,
                    child => Some(&counts[reach.place(child)]),
                };
                let Some(more) = child.and_then(|count| add(sum, count, width)) else {
                    return Ok(None);
                };
                sum = more;
            }
            let bytes = size(&sum);
            held += bytes;
            // Long numbers take longer to add.
            self.pace.step(self.store.edges_of(id).len() * (1 + bytes / 64))?;
            self.pace.budget.check_bytes(held)?;
            counts.push(sum);
        }
        Ok(counts.pop())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bounds: &[u32], ranges: &[(u32, u32)], expected: &str) {
        let mut diagram = Diagram::new(bounds);
        let set = diagram.cuboid(ranges).unwrap();
        assert_eq!(diagram.count(set).unwrap().to_string(), expected);
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
