//! Projection: what one co-localization sees.

use crate::algebra::{Memo, remove};
use crate::index::{RegionId, TermId};
use crate::pool::Pool;

/// The term with everything outside the given lifelines removed: a term whose local traces
/// include those of every accepted multi-trace on these lifelines. Exact for one component by
/// itself; it forgets how components depend on each other.
pub fn project(pool: &mut Pool, memo: &mut Memo, term: TermId, lifelines: RegionId) -> TermId {
    let all = pool.signature().all_lifelines();
    let others = all.difference(&pool.region(lifelines));
    let others = pool.intern_region(&others);
    remove(pool, memo, term, others)
}
