//! Whether a conjunction of local conditions is possible: the least cut, in linear time.
//!
//! Garg and Waldecker (1994). Let each process i have a condition that depends on how far it has got alone, xᵢ.
//! Whether some cut satisfies all of them is `EF` of their conjunction, however many cuts there are.
//!
//! **Claim.** If there is such a cut there is a least one, and this finds it: start with the
//! first xᵢ that satisfies its condition; as long as some event xᵢ has an event of j in its past beyond xⱼ,
//! move xⱼ there and on to the next value that satisfies its condition.
//!
//! *Proof.* Every such cut is componentwise at least x, at first and after each move: xⱼ has to be at least what the past of
//! event xᵢ demands, since the cut's own i-th component is at least xᵢ and clocks are monotone. If no
//! demand is left, x is a cut with all conditions satisfied. ∎
//!
//! *Cost.* Each move costs one look per process, and moves only go up.

/// The conditions of one process: the intervals of xᵢ that satisfy it, ascending, both ends included.
pub(crate) type Allowed = Vec<(u32, u32)>;

/// The least vector that satisfies all conditions, and all demands: `demand(i, x, j)` is the least xⱼ that
/// xᵢ = x allows, monotone in x.
pub(crate) fn least(
    allowed: &[Allowed],
    mut demand: impl FnMut(usize, u32, usize) -> u32,
) -> Option<Vec<u32>> {
    // By process: the interval it is in.
    let mut at = vec![0; allowed.len()];
    let mut least: Vec<u32> =
        allowed.iter().map(|ranges| ranges.first().map(|range| range.0)).collect::<Option<_>>()?;
    let mut pending: Vec<usize> = (0..allowed.len()).collect();
    let mut is_pending = vec![true; allowed.len()];
    while let Some(from) = pending.pop() {
        is_pending[from] = false;
        for to in (0..allowed.len()).filter(|&to| to != from) {
            let needed = demand(from, least[from], to);
            if needed <= least[to] {
                continue;
            }
            let ranges = &allowed[to];
            while ranges.get(at[to])?.1 < needed {
                at[to] += 1;
            }
            least[to] = needed.max(ranges[at[to]].0);
            if !std::mem::replace(&mut is_pending[to], true) {
                pending.push(to);
            }
        }
    }
    Some(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_up_until_nothing_is_demanded() {
        // Event 2 of the first needs event 3 of the second.
        let demand = |i: usize, x: u32, _: usize| if i == 0 && x >= 2 { 3 } else { 0 };
        let check = |allowed: [&[(u32, u32)]; 2], expected: Option<[u32; 2]>| {
            let allowed: Vec<Allowed> = allowed.iter().map(|ranges| ranges.to_vec()).collect();
            assert_eq!(least(&allowed, demand), expected.map(|x| x.to_vec()));
        };
        check([&[(0, 4)], &[(1, 1)]], Some([0, 1]));
        check([&[(2, 4)], &[(1, 1)]], None);
        check([&[(2, 4)], &[(1, 1), (4, 5)]], Some([2, 4]));
        check([&[(2, 4)], &[(1, 9)]], Some([2, 3]));
        check([&[], &[(0, 0)]], None);
    }
}
