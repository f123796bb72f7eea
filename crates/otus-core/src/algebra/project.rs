//! Projection of a term onto the lifelines of one co-localization.

use crate::algebra::{Memo, remove};
use crate::index::{RegionId, TermId};
use crate::pool::Pool;

/// The term with all other lifelines removed. Its traces include the local trace, on these lifelines, of
/// every accepted multi-trace. It is exact for one component alone, but loses the dependencies between
/// components.
pub fn project(pool: &mut Pool, memo: &mut Memo, term: TermId, lifelines: RegionId) -> TermId {
    let all = pool.signature().all_lifelines();
    let others = all.difference(&pool.region(lifelines));
    let others = pool.intern_region(&others);
    remove(pool, memo, term, others)
}
