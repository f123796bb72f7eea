//! The least cut that satisfies a conjunction of local conditions, in linear time.
//!
//! Garg and Waldecker (1994). Let each process i have a condition on xᵢ, the number of its events in the cut.
//! `EF` of their conjunction holds iff some cut satisfies all conditions; the number of cuts does not matter.
//!
//! **Claim.** If there is such a cut there is a least one, and this algorithm finds it: start with the
//! least xᵢ that satisfies its condition; as long as event xᵢ of some process has an event of j beyond xⱼ in its past,
//! move xⱼ to that event and on to the next value that satisfies its condition.
//!
//! *Proof.* Invariant: every such cut is componentwise at least x. A move keeps it: the i-th component of the cut is at
//! least xᵢ and clocks are monotone, so its j-th component is at least the value that the past of event xᵢ demands. If
//! no demand is left, x is a cut and satisfies all conditions. ∎
//!
//! *Cost.* A move compares one clock entry per process, and values only increase.

use std::ops::Range;

use otus_core::budget::Stop;
use otus_core::index::Index as _;
use otus_trace::order::{EventId, ProcessId};

use crate::check::{Checker, Engine, Options};
use crate::formula::{Formula, FormulaId};
use crate::pace::Pace;
use crate::track::Course;

/// The condition of one process: the intervals of xᵢ that satisfy it, ascending, both ends included.
pub(crate) type Allowed = Vec<(u32, u32)>;

/// The least vector that satisfies all conditions and all demands: `demand(i, x, j)` is the least xⱼ that
/// xᵢ = x allows, monotone in x.
fn least(
    allowed: &[Allowed],
    mut demand: impl FnMut(usize, u32, usize) -> u32,
    pace: &mut Pace,
) -> Result<Option<Vec<u32>>, Stop> {
    // For each process: the number of its current interval.
    let mut at = vec![0; allowed.len()];
    let first = |ranges: &Allowed| ranges.first().map(|range| range.0);
    let Some(mut least) = allowed.iter().map(first).collect::<Option<Vec<u32>>>() else {
        return Ok(None);
    };
    let mut pending: Vec<usize> = (0..allowed.len()).collect();
    let mut is_pending = vec![true; allowed.len()];
    while let Some(from) = pending.pop() {
        is_pending[from] = false;
        pace.step(allowed.len())?;
        for to in (0..allowed.len()).filter(|&to| to != from) {
            let needed = demand(from, least[from], to);
            if needed <= least[to] {
                continue;
            }
            let ranges = &allowed[to];
            while ranges.get(at[to]).is_some_and(|range| range.1 < needed) {
                at[to] += 1;
                pace.step(1)?;
            }
            let Some(range) = ranges.get(at[to]) else { return Ok(None) };
            least[to] = needed.max(range.0);
            if !std::mem::replace(&mut is_pending[to], true) {
                pending.push(to);
            }
        }
    }
    Ok(Some(least))
}

impl Checker<'_> {
    /// The conditions of `EF` of a conjunction of local conditions; `None` if the formula has another form or the
    /// options name an engine.
    pub(crate) fn local_conditions(
        &self,
        part: FormulaId,
        options: &Options,
    ) -> Option<Vec<(ProcessId, Allowed)>> {
        let goal = self.formulas.as_possibility(part)?;
        if options.engine != Engine::Auto || !options.slice {
            return None;
        }
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
            let allowed = stretches(&range, flips, *initial == positive);
            match conditions.iter_mut().find(|(other, _)| *other == process) {
                Some((_, known)) => *known = both(known, &allowed),
                None => conditions.push((process, allowed)),
            }
        }
        Some(conditions)
    }

    /// The least cut that satisfies conditions on processes: the number of events of each, if there is one.
    pub(crate) fn least(
        &self,
        conditions: &[(ProcessId, Allowed)],
        pace: &mut Pace,
    ) -> Result<Option<Vec<u32>>, Stop> {
        // A condition on one process demands nothing of others.
        let clocks = if conditions.len() > 1 { Some(self.clocks(&pace.budget)?) } else { None };
        let allowed: Vec<Allowed> = conditions.iter().map(|(_, allowed)| allowed.clone()).collect();
        let demand = |from: usize, value: u32, to: usize| {
            let Some(last) = value.checked_sub(1) else { return 0 };
            let event = EventId(self.trace().range(conditions[from].0).start + last);
            clocks.map_or(0, |clocks| clocks.at(event, conditions[to].0.index()))
        };
        least(&allowed, demand, pace)
    }
}

/// The intervals on which a condition holds. It is `initial` at the first cut and flips at some events of
/// a process.
fn stretches(process: &Range<u32>, flips: &[EventId], initial: bool) -> Allowed {
    let mut found = Vec::new();
    let (mut holds, mut since) = (initial, 0);
    for &event in flips {
        let at = event.0 - process.start + 1;
        if holds {
            found.push((since, at - 1));
        }
        (holds, since) = (!holds, at);
    }
    if holds {
        found.push((since, process.end - process.start));
    }
    found
}

/// The intersection of two lists of intervals.
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
    use otus_core::budget::Budget;

    use super::*;

    #[test]
    fn moves_up_until_nothing_is_demanded() {
        // Event 2 of the first needs event 3 of the second.
        let demand = |i: usize, x: u32, _: usize| if i == 0 && x >= 2 { 3 } else { 0 };
        let check = |allowed: [&[(u32, u32)]; 2], expected: Option<[u32; 2]>| {
            let allowed: Vec<Allowed> = allowed.iter().map(|ranges| ranges.to_vec()).collect();
            let found = least(&allowed, demand, &mut Pace::new(&Budget::default()));
            assert_eq!(found, Ok(expected.map(|x| x.to_vec())));
        };
        check([&[(0, 4)], &[(1, 1)]], Some([0, 1]));
        check([&[(2, 4)], &[(1, 1)]], None);
        check([&[(2, 4)], &[(1, 1), (4, 5)]], Some([2, 4]));
        check([&[(2, 4)], &[(1, 9)]], Some([2, 3]));
        check([&[], &[(0, 0)]], None);
    }
}
