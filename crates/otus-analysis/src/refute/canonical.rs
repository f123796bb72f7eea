//! Canonical terms: one representative for many terms with the same traces, so that a certificate
//! has few states.
//!
//! Each law is an equation between sets of global traces, so it holds for every question:
//!
//! ```text
//! alt       is associative, commutative, and alt(i,i) = i
//! strict    is associative; so is coreg_r, for one r
//! coreg_r   may have any r that agrees on the lifelines which both operands have:
//!           if these are all in r it is par; neighbours without a shared lifeline outside r commute
//! strict(i,j) = seq(i,j), loopS(i) = loopW(i)        if there is only one lifeline
//! f(loop_f(i), loop_f(i)) = loop_f(i)                f is the operator that repeats i
//! ```
//!
//! The last law is T⋄* ⋄ T⋄* = T⋄*, since ⋄ is associative and ε is in T⋄*. By associativity it
//! applies to neighbouring loops of a chain. It keeps the term from growing with every iteration:
//! `loopP(i)` steps to `par(loopP(i), par(i′, loopP(i)))`.
//!
//! The stronger normal form of [`otus_core::automaton`] is not used here, because the checker of
//! certificates trusts these laws and they should stay few.

use std::collections::VecDeque;

use otus_core::algebra::{fold::fold, simplify};
use otus_core::{LifelineSet, Pool, RegionId, Term, TermId};
use rustc_hash::FxHashMap;

/// Longer chains are not sorted, since sorting takes quadratic time.
const LONGEST: usize = 256;

/// Computes canonical terms, and remembers them.
#[derive(Debug, Default)]
pub struct Canonicalizer {
    done: FxHashMap<TermId, TermId>,
}

impl Canonicalizer {
    /// The canonical term with the same traces.
    pub fn canonical(&mut self, pool: &mut Pool, term: TermId) -> TermId {
        fold(
            pool,
            term,
            &mut self.done,
            |_, _| None,
            |pool, term, operands| match pool.node(term) {
                Term::Empty | Term::Event(_) => term,
                Term::Alt(..) => alt(pool, operands[0], operands[1]),
                Term::Strict(..) if is_local(pool, operands[0], operands[1]) => {
                    coreg(pool, Pool::NONE, operands[0], operands[1])
                }
                Term::Strict(..) => strict(pool, operands[0], operands[1]),
                Term::Coreg(region, ..) => coreg(pool, region, operands[0], operands[1]),
                Term::LoopS(_) if is_local(pool, operands[0], operands[0]) => {
                    simplify::loop_c(pool, Pool::NONE, operands[0])
                }
                Term::LoopS(_) => simplify::loop_s(pool, operands[0]),
                Term::LoopC(region, _) => {
                    let region = agreeing(pool, region, &pool.lifelines(operands[0]));
                    simplify::loop_c(pool, region, operands[0])
                }
            },
        )
    }
}

/// Whether two terms are on one lifeline, where strict and weak sequencing are the same.
fn is_local(pool: &Pool, left: TermId, right: TermId) -> bool {
    pool.lifelines(left).union(&pool.lifelines(right)).len() <= 1
}

fn alt(pool: &mut Pool, left: TermId, right: TermId) -> TermId {
    let mut branches = operands(pool, [left, right], |_, term| {
        if let Term::Alt(first, rest) = term { Some((first, rest)) } else { None }
    });
    branches.sort_unstable();
    branches.dedup();
    right_nested(pool, branches, simplify::alt)
}

fn strict(pool: &mut Pool, left: TermId, right: TermId) -> TermId {
    let mut chain = operands(pool, [left, right], |_, term| {
        if let Term::Strict(first, rest) = term { Some((first, rest)) } else { None }
    });
    chain.dedup_by(|next, before| next == before && matches!(pool.node(*next), Term::LoopS(_)));
    right_nested(pool, chain, simplify::strict)
}

fn coreg(pool: &mut Pool, region: RegionId, left: TermId, right: TermId) -> TermId {
    let concurrent = pool.region(region);
    let chain = operands(pool, [left, right], |pool, term| {
        let Term::Coreg(other, first, rest) = term else { return None };
        let shared = pool.lifelines(first).intersection(&pool.lifelines(rest));
        agree(&concurrent, &pool.region(other), &shared).then_some((first, rest))
    });
    let mut chain = in_order(pool, &concurrent, chain);
    chain.dedup_by(|next, before| {
        next == before
            && matches!(pool.node(*next), Term::LoopC(other, body)
                if agree(&concurrent, &pool.region(other), &pool.lifelines(body)))
    });
    right_nested(pool, chain, |pool, first, rest| {
        let shared = pool.lifelines(first).intersection(&pool.lifelines(rest));
        let region = agreeing(pool, region, &shared);
        simplify::coreg(pool, region, first, rest)
    })
}

/// Whether two regions agree on some lifelines.
fn agree(one: &LifelineSet, other: &LifelineSet, lifelines: &LifelineSet) -> bool {
    one.intersection(lifelines) == other.intersection(lifelines)
}

/// The canonical region among those that agree with one on some lifelines.
fn agreeing(pool: &mut Pool, region: RegionId, lifelines: &LifelineSet) -> RegionId {
    let concurrent = pool.region(region);
    if lifelines.is_subset(&concurrent) {
        return Pool::ALL;
    }
    pool.intern_region(&concurrent.intersection(lifelines))
}

/// The least order of a chain that is reachable by swapping neighbours that share no lifeline
/// outside the region: repeatedly takes the least term that no earlier one holds back.
fn in_order(pool: &Pool, concurrent: &LifelineSet, chain: Vec<TermId>) -> Vec<TermId> {
    if chain.len() > LONGEST {
        return chain;
    }
    let ordered = |&term: &TermId| (term, pool.lifelines(term).difference(concurrent));
    let mut left: VecDeque<(TermId, LifelineSet)> = chain.iter().map(ordered).collect();
    let mut out = Vec::with_capacity(chain.len());
    while !left.is_empty() {
        let mut before = LifelineSet::EMPTY;
        let mut least: Option<(TermId, usize)> = None;
        for (at, (term, own)) in left.iter().enumerate() {
            if own.is_disjoint(&before) && least.is_none_or(|(known, _)| *term < known) {
                least = Some((*term, at));
            }
            before = before.union(own);
        }
        // Nothing holds back the first term, so there is always a least one.
        let at = least.map_or(0, |(_, at)| at);
        out.extend(left.remove(at).map(|(term, _)| term));
    }
    out
}

/// The operands of two right-nested chains, one after the other. `split` gives the first operand
/// and the rest of a chain.
fn operands(
    pool: &Pool,
    chains: [TermId; 2],
    split: impl Fn(&Pool, Term) -> Option<(TermId, TermId)>,
) -> Vec<TermId> {
    let mut operands = Vec::new();
    for mut rest in chains {
        while let Some((first, others)) = split(pool, pool.node(rest)) {
            operands.push(first);
            rest = others;
        }
        operands.push(rest);
    }
    operands
}

fn right_nested(
    pool: &mut Pool,
    chain: Vec<TermId>,
    mut join: impl FnMut(&mut Pool, TermId, TermId) -> TermId,
) -> TermId {
    let mut operands = chain.into_iter().rev();
    let last = operands.next().unwrap_or(Pool::EMPTY);
    operands.fold(last, |rest, first| join(pool, first, rest))
}
