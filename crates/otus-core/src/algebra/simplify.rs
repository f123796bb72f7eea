//! Elimination of ∅ and empty loops, which preserves the traces.
//!
//! ```text
//! strict(∅,i) = strict(i,∅) = coreg_r(∅,i) = coreg_r(i,∅) = i     alt(∅,∅) = ∅     loop(∅) = ∅
//! ```
//!
//! The constructors apply these laws at the node they make: a term that they build from simplified
//! operands is simplified.

use rustc_hash::FxHashMap;

use crate::algebra::fold::fold;
use crate::index::{RegionId, TermId};
use crate::pool::Pool;
use crate::term::Term;

/// The simplified term.
pub fn simplify(pool: &mut Pool, term: TermId) -> TermId {
    let mut done = FxHashMap::default();
    fold(pool, term, &mut done, |_, _| None, rebuild)
}

/// The operator of `term` over other operands, simplified.
pub fn rebuild(pool: &mut Pool, term: TermId, operands: &[TermId]) -> TermId {
    match (pool.node(term), operands) {
        (Term::Strict(..), &[left, right]) => strict(pool, left, right),
        (Term::Coreg(region, ..), &[left, right]) => coreg(pool, region, left, right),
        (Term::Alt(..), &[left, right]) => alt(pool, left, right),
        (Term::LoopS(_), &[body]) => loop_s(pool, body),
        (Term::LoopC(region, _), &[body]) => loop_c(pool, region, body),
        _ => term,
    }
}

/// `strict(left, right)`, simplified.
pub fn strict(pool: &mut Pool, left: TermId, right: TermId) -> TermId {
    match (left, right) {
        (Pool::EMPTY, other) | (other, Pool::EMPTY) => other,
        (left, right) => pool.strict(left, right),
    }
}

/// `coreg_r(left, right)`, simplified.
pub fn coreg(pool: &mut Pool, region: RegionId, left: TermId, right: TermId) -> TermId {
    match (left, right) {
        (Pool::EMPTY, other) | (other, Pool::EMPTY) => other,
        (left, right) => pool.coreg(region, left, right),
    }
}

/// `alt(left, right)`, simplified.
pub fn alt(pool: &mut Pool, left: TermId, right: TermId) -> TermId {
    match (left, right) {
        (Pool::EMPTY, Pool::EMPTY) => Pool::EMPTY,
        (left, right) => pool.alt(left, right),
    }
}

/// `loopS(body)`, simplified.
pub fn loop_s(pool: &mut Pool, body: TermId) -> TermId {
    if body == Pool::EMPTY { body } else { pool.loop_s(body) }
}

/// `loopC_r(body)`, simplified.
pub fn loop_c(pool: &mut Pool, region: RegionId, body: TermId) -> TermId {
    if body == Pool::EMPTY { body } else { pool.loop_c(region, body) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::interaction;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let (mut pool, term) = interaction(text);
        let simple = simplify(&mut pool, term);
        assert_eq!(pool.text(simple), expected);
        assert_eq!(pool.attributes(simple).terminates, pool.attributes(term).terminates);
        assert_eq!(simplify(&mut pool, simple), simple);
    }

    #[test]
    fn needless_empty_parts_go() {
        check("seq(o, a!m, o)", "a!m");
        check("strict(o, par(o, o))", "∅");
        check("coreg(a)(a!m, o)", "a!m");
        check("alt(o, o)", "∅");
        check("alt(a!m, o)", "alt(a!m, ∅)");
        check("loopS(loopW(o))", "∅");
        check("loopP(alt(o, seq(o, a!m)))", "loopP(alt(∅, a!m))");
        check("a -- m -> b", "strict(a!m, b?m)");
    }
}
