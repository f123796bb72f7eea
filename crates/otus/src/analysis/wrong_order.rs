//! The cause of a failure that only the order between logs explains.
//!
//! The edges of the order are sorted by their place in the logs. Bisection finds the shortest initial part of this list
//! that suffices for the failure; this works because more edges allow fewer executions. The last edge of that part is
//! reported.

use otus_analysis::{Engine, Question, Verdict, engine};
use otus_core::budget::Budget;
use otus_core::{Pool, TermId};
use otus_trace::transform::learn::Pair;
use otus_trace::{MultiTrace, ObservedOrder};

/// The edge that is reported; `None` if the budget ends first.
pub(super) fn find(
    pool: &Pool,
    term: TermId,
    trace: &MultiTrace,
    order: &ObservedOrder,
    question: &Question,
    budget: &Budget,
) -> Option<Pair> {
    let mut engine = Engine::new(pool, term, trace.partition(), engine::Options::default());
    let mut edges: Vec<Pair> = order.edges().collect();
    edges.sort_by_key(|edge| (edge.to.1 + edge.from.1, *edge));
    let mut fails = |count: usize| {
        let some = ObservedOrder::new(trace, &edges[..count]);
        match engine.analyze_ordered(trace, &some, question, budget).verdict {
            Verdict::Fail => Some(true),
            Verdict::WeakFail | Verdict::Inconclusive => None,
            Verdict::WeakPass | Verdict::Pass => Some(false),
        }
    };
    let (mut least, mut most) = (0, edges.len());
    while most - least > 1 {
        let middle = least.midpoint(most);
        if fails(middle)? {
            most = middle;
        } else {
            least = middle;
        }
    }
    edges.get(most.checked_sub(1)?).copied()
}
