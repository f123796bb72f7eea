//! The choice of `auto` between interval diagrams and single cuts.
//!
//! If each atom depends on one process, interval diagrams are at least as fast as a visit to every cut, because an
//! interval then covers many cuts. If an atom depends on several processes (a variable that two of them write, a sum
//! over two of them), there are about as many residuals as cuts, and an interval costs more than a cut does. If in
//! addition the lattice is *narrow*, with few cuts per event, visiting them all is linear and cheaper by an order of
//! magnitude.
//!
//! The number of cuts is not known, but bounded from below: every allowed pair of values of two processes is part of a
//! cut, because clocks are transitive. The pairs of neighbours are counted in linear time. If this bound is low, the
//! lattice is visited with a limit on the number of cuts, so a wrong guess costs a bounded amount of work per event.

use otus_core::budget::Stop;

use crate::check::Problem;
use crate::interval::Clocks as _;
use crate::pace::Pace;
use crate::track::Course;

/// The number of cuts per event up to which a lattice is narrow.
const CUTS: u64 = 32;

/// The limit on the number of cuts for a visit; `None` if single cuts are not likely to be faster
/// than intervals.
pub(crate) fn limit(problem: Problem<'_>, pace: &mut Pace) -> Result<Option<u64>, Stop> {
    let view = problem.view;
    if !problem.atoms.iter().any(|&(_, course)| is_spread(problem, course)) {
        return Ok(None);
    }
    let limit = CUTS * (view.event_count() as u64 + 1);
    let bounds = view.bounds();
    for (one, &bound) in bounds.iter().enumerate().take(bounds.len().saturating_sub(1)) {
        let mut pairs = 0;
        for value in 0..=bound {
            pace.step(1)?;
            let (low, high) =
                (view.clocks.lower(one, value, one + 1), view.clocks.upper(one, value, one + 1));
            pairs += u64::from(high - low) + 1;
            if pairs > limit {
                return Ok(None);
            }
        }
    }
    Ok(Some(limit))
}

/// Whether an atom changes at events of several processes.
fn is_spread(problem: Problem<'_>, course: &Course) -> bool {
    let mut events = course.events();
    let Some(first) = events.next() else { return false };
    let range = problem.trace.range(problem.trace.process_of(first));
    events.any(|event| !range.contains(&event.0))
}
