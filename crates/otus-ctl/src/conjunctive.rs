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

use otus_core::index::Index as _;
use otus_trace::order::{EventId, ProcessId};

use crate::check::{Checker, Engine, Options};
use crate::formula::{Formula, FormulaId};
use crate::track::Course;

/// The conditions of one process: the intervals of xᵢ that satisfy it, ascending, both ends included.
pub(crate) type Allowed = Vec<(u32, u32)>;

/// The least vector that satisfies all conditions, and all demands: `demand(i, x, j)` is the least xⱼ that
/// xᵢ = x allows, monotone in x.
fn least(
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

impl Checker<'_> {
    /// The least cut of `EF` of a conjunction of local conditions, if it is one and possible: how far each of some
    /// processes has got.
    pub(crate) fn least_cut(
        &self,
        part: FormulaId,
        options: &Options,
    ) -> Option<Vec<(ProcessId, u32)>> {
        let conditions = self.local_conditions(part, options)?;
        let least = self.least(&conditions)?;
        Some(conditions.iter().map(|&(process, _)| process).zip(least).collect())
    }

    /// The conditions of `EF` of a conjunction of local conditions, where the engine may be chosen.
    pub(crate) fn local_conditions(
        &self,
        part: FormulaId,
        options: &Options,
    ) -> Option<Vec<(ProcessId, Allowed)>> {
        let goal = self.formulas.as_possibility(part)?;
        let free = options.engine == Engine::Auto && options.slice;
        if free { self.conditions(goal) } else { None }
    }

    /// A conjunction as a condition on each of some processes, if it is one.
    fn conditions(&self, goal: FormulaId) -> Option<Vec<(ProcessId, Allowed)>> {
        let literals =
            if let Formula::And(all) = self.formulas.get(goal) { all } else { &[goal][..] };
        let mut conditions: Vec<(ProcessId, Allowed)> = Vec::new();
        for &literal in literals {
            let (atom, positive) = self.formulas.as_literal(literal)?;
            let Course::Flips(initial, flips) = self.course(atom) else { return None };
            let process = flips.first().map(|&event| self.trace().process_of(event));
            let process = process.unwrap_or(ProcessId(0));
            if self.trace().process_count() == 0 {
                return None;
            }
            let range = self.trace().range(process);
            if !flips.iter().all(|event| range.contains(&event.0)) {
                return None;
            }
            let allowed = stretches(range.start, (range.len(), flips), *initial == positive);
            match conditions.iter_mut().find(|(other, _)| *other == process) {
                Some((_, known)) => *known = both(known, &allowed),
                None => conditions.push((process, allowed)),
            }
        }
        Some(conditions)
    }

    /// The least values that satisfy conditions on processes.
    pub(crate) fn least(&self, conditions: &[(ProcessId, Allowed)]) -> Option<Vec<u32>> {
        let column = |process: ProcessId| process.index();
        let allowed: Vec<Allowed> = conditions.iter().map(|(_, allowed)| allowed.clone()).collect();
        least(&allowed, |from, value, to| {
            let Some(last) = value.checked_sub(1) else { return 0 };
            let event = EventId(self.trace().range(conditions[from].0).start + last);
            self.clocks().at(event, column(conditions[to].0))
        })
    }
}

/// The intervals on which something holds that flips at some events.
fn stretches(start: u32, (length, flips): (usize, &[EventId]), initial: bool) -> Allowed {
    let length = u32::try_from(length).unwrap_or(u32::MAX);
    let mut found = Vec::new();
    let (mut holds, mut since) = (initial, 0);
    for &event in flips {
        let at = event.0 - start + 1;
        if holds {
            found.push((since, at - 1));
        }
        (holds, since) = (!holds, at);
    }
    if holds {
        found.push((since, length));
    }
    found
}

/// The intervals that two lists share.
fn both(left: &Allowed, right: &Allowed) -> Allowed {
    let (mut i, mut j) = (0, 0);
    let mut found = Vec::new();
    while let (Some(a), Some(b)) = (left.get(i), right.get(j)) {
        let (low, high) = (a.0.max(b.0), a.1.min(b.1));
        if low <= high {
            found.push((low, high));
        }
        if a.1 < b.1 { i += 1 } else { j += 1 }
    }
    found
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
