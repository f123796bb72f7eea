//! One term for many that mean the same, so that a certificate has few states.
//!
//! Each law is an equation between sets of global traces, so it holds for every question:
//!
//! ```text
//! alt       is associative, commutative, and alt(i,i) = i
//! strict    is associative; so is coreg_r, for one r
//! coreg_r   may have any r that agrees on the lifelines which both operands have:
//!           if these are all in r it is par; what is next to each other there commutes
//! strict(i,j) = seq(i,j), loopS(i) = loopW(i)        if there is only one lifeline
//! f(loop_f(i), loop_f(i)) = loop_f(i)                f is the operator that repeats i
//! ```
//!
//! The last: T⋄* ⋄ T⋄* = T⋄*, since ⋄ is associative and ε is in T⋄*. With associativity it
//! applies to loops that stand next to each other in a chain. It is what keeps the term from
//! growing with every iteration: `loopP(i)` steps to `par(loopP(i), par(i′, loopP(i)))`.

use std::collections::VecDeque;

use otus_core::algebra::{fold::fold, simplify};
use otus_core::{LifelineSet, Pool, RegionId, Term, TermId};
use rustc_hash::FxHashMap;

/// Beyond this a chain is not put in order, which takes time quadratic in its length.
const LONGEST: usize = 256;

/// The terms tidied so far.
#[derive(Debug, Default)]
pub struct Tidy {
    done: FxHashMap<TermId, TermId>,
}

impl Tidy {
    /// A term that has the same traces.
    pub fn tidy(&mut self, pool: &mut Pool, term: TermId) -> TermId {
        fold(
            pool,
            term,
            &mut self.done,
            |_, _| None,
            |pool, term, operands| match (pool.node(term), operands) {
                (Term::Alt(..), &[left, right]) => alt(pool, left, right),
                (Term::Strict(..), &[left, right]) if is_local(pool, left, right) => {
                    coreg(pool, Pool::NONE, left, right)
                }
                (Term::Strict(..), &[left, right]) => strict(pool, left, right),
                (Term::Coreg(region, ..), &[left, right]) => coreg(pool, region, left, right),
                (Term::LoopS(_), &[body]) if is_local(pool, body, body) => {
                    simplify::loop_c(pool, Pool::NONE, body)
                }
                (Term::LoopS(_), &[body]) => simplify::loop_s(pool, body),
                (Term::LoopC(region, _), &[body]) => {
                    let region = agreeing(pool, region, &pool.lifelines(body));
                    simplify::loop_c(pool, region, body)
                }
                _ => term,
            },
        )
    }
}

/// Whether all is on one lifeline, where strict and weak sequencing are the same.
fn is_local(pool: &Pool, left: TermId, right: TermId) -> bool {
    pool.lifelines(left).union(&pool.lifelines(right)).len() <= 1
}

fn alt(pool: &mut Pool, left: TermId, right: TermId) -> TermId {
    let mut branches = Vec::new();
    for mut rest in [left, right] {
        while let Term::Alt(first, others) = pool.node(rest) {
            branches.push(first);
            rest = others;
        }
        branches.push(rest);
    }
    branches.sort_unstable();
    branches.dedup();
    right_nested(pool, branches, simplify::alt)
}

fn strict(pool: &mut Pool, left: TermId, right: TermId) -> TermId {
    let mut chain = Vec::new();
    for mut rest in [left, right] {
        while let Term::Strict(first, others) = pool.node(rest) {
            chain.push(first);
            rest = others;
        }
        chain.push(rest);
    }
    chain.dedup_by(|next, before| next == before && matches!(pool.node(*next), Term::LoopS(_)));
    right_nested(pool, chain, simplify::strict)
}

fn coreg(pool: &mut Pool, region: RegionId, left: TermId, right: TermId) -> TermId {
    let concurrent = pool.region(region);
    let mut chain = Vec::new();
    for mut rest in [left, right] {
        while let Term::Coreg(other, first, others) = pool.node(rest) {
            let shared = pool.lifelines(first).intersection(&pool.lifelines(others));
            if !agree(&concurrent, &pool.region(other), &shared) {
                break;
            }
            chain.push(first);
            rest = others;
        }
        chain.push(rest);
    }
    let mut chain = in_order(pool, &concurrent, chain);
    chain.dedup_by(|next, before| {
        next == before
            && match pool.node(*next) {
                Term::LoopC(other, body) => {
                    agree(&concurrent, &pool.region(other), &pool.lifelines(body))
                }
                Term::Empty
                | Term::Event(_)
                | Term::Strict(..)
                | Term::Coreg(..)
                | Term::Alt(..)
                | Term::LoopS(_) => false,
            }
    });
    right_nested(pool, chain, |pool, first, rest| {
        let shared = pool.lifelines(first).intersection(&pool.lifelines(rest));
        let region = agreeing(pool, region, &shared);
        simplify::coreg(pool, region, first, rest)
    })
}

/// Whether two regions are the same as far as some lifelines go.
fn agree(one: &LifelineSet, other: &LifelineSet, lifelines: &LifelineSet) -> bool {
    one.intersection(lifelines) == other.intersection(lifelines)
}

/// The region that stands for all that agree with one on some lifelines.
fn agreeing(pool: &mut Pool, region: RegionId, lifelines: &LifelineSet) -> RegionId {
    let concurrent = pool.region(region);
    if lifelines.is_subset(&concurrent) {
        return Pool::ALL;
    }
    pool.intern_region(&concurrent.intersection(lifelines))
}

/// The first of the orders that a chain can be brought into by exchanging neighbours that share
/// no lifeline outside the region: again and again the least that nothing before it holds back.
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
        // The first is held back by nothing, so there is always a least one.
        let at = least.map_or(0, |(_, at)| at);
        out.extend(left.remove(at).map(|(term, _)| term));
    }
    out
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
