//! A sound, incomplete test of trace inclusion: i ⊑ j if every trace of i is a trace of j.
//!
//! ```text
//! i ⊑ i      ∅ ⊑ j if j has the empty trace      alt(i,i′) ⊑ j if both are      i ⊑ alt(j,j′) if i is ⊑ one
//! f(i…) ⊑ g(j…) if each operand of f is ⊑ one of g, in their order, those of g left over have the
//!                empty trace, and f keeps every order that g asks for
//! i ⊑ loop(j) if i ⊑ j, or i is made of parts ⊑ loop(j) in at least the order of its iterations
//! ```
//!
//! "Yes" is always right, because every operator is monotone. "No" may be wrong: the test compares the
//! shapes of the terms only, since deciding inclusion of interactions is intractable. Sub-questions nest
//! up to [`DEPTH`] and are at most [`FUEL`] in total, which bounds the recursion. The test recognizes
//! that a small pruned term is ⊑ the term it was pruned from, which lets the follow-ups of loops
//! coincide.

use rustc_hash::FxHashMap;

use super::normalize::{Chain, alternatives, in_several, strict_parts};
use crate::index::{RegionId, TermId};
use crate::pool::Pool;
use crate::set::LifelineSet;
use crate::term::Term;

/// The deepest nesting of sub-questions.
const DEPTH: u32 = 12;
/// The maximum number of sub-questions for one answer.
const FUEL: u32 = 300;

/// The memoized answers, for terms in normal form of one pool.
#[derive(Debug, Clone, Default)]
pub(super) struct Inclusion {
    known: FxHashMap<(TermId, TermId), bool>,
}

impl Inclusion {
    /// Whether every trace of `small` is certainly one of `large`.
    pub(super) fn includes(&mut self, pool: &Pool, small: TermId, large: TermId) -> bool {
        // Most questions are decided by the attributes and need no memo.
        if let Some(answer) = by_attributes(pool, small, large) {
            return answer;
        }
        *self
            .known
            .entry((small, large))
            .or_insert_with(|| Question { pool, fuel: FUEL }.includes(small, large, DEPTH))
    }
}

/// The answer, if the attributes of the two terms decide it.
fn by_attributes(pool: &Pool, small: TermId, large: TermId) -> Option<bool> {
    if small == large {
        return Some(true);
    }
    let (few, many) = (pool.attributes(small), pool.attributes(large));
    if few.terminates && !many.terminates {
        return Some(false);
    }
    if small == Pool::EMPTY {
        return Some(true);
    }
    // Every event of a term occurs in one of its traces.
    let outside =
        few.lifelines != many.lifelines && !pool.lifelines(small).is_subset(&pool.lifelines(large));
    outside.then_some(false)
}

struct Question<'a> {
    pool: &'a Pool,
    fuel: u32,
}

impl Question<'_> {
    fn includes(&mut self, small: TermId, large: TermId, depth: u32) -> bool {
        if let Some(answer) = by_attributes(self.pool, small, large) {
            return answer;
        }
        if depth == 0 || self.fuel == 0 {
            return false;
        }
        self.fuel -= 1;
        let depth = depth - 1;
        if let Term::Alt(..) = self.pool.node(small) {
            let all = alternatives(self.pool, small);
            return all.into_iter().all(|each| self.includes(each, large, depth));
        }
        match self.pool.node(large) {
            Term::Empty | Term::Event(_) => false,
            Term::Alt(..) => {
                let all = alternatives(self.pool, large);
                all.into_iter().any(|each| self.includes(small, each, depth))
            }
            Term::LoopS(body) => {
                self.includes(small, body, depth) || self.repeats_strictly(small, large, depth)
            }
            Term::LoopC(region, body) => {
                self.includes(small, body, depth) || self.repeats(small, large, region, depth)
            }
            Term::Strict(..) => {
                let few = strict_parts(self.pool, small);
                let many = strict_parts(self.pool, large);
                self.matches(&few, &many, depth)
            }
            Term::Coreg(..) => {
                let Some(many) = Chain::of(self.pool, large) else { return false };
                let few = match Chain::of(self.pool, small) {
                    Some(few) if self.keeps(&few, &many.ordered) => few.operands,
                    // The term may still be included in a single operand of the other term.
                    Some(_) => vec![small],
                    None => strict_parts(self.pool, small),
                };
                self.matches(&few, &many.operands, depth)
                    || few.len() > 1 && self.matches(&[small], &many.operands, depth)
            }
        }
    }

    /// Whether a term is a strict sequence of iterations of the strict loop `large`.
    fn repeats_strictly(&mut self, small: TermId, large: TermId, depth: u32) -> bool {
        match self.pool.node(small) {
            Term::LoopS(body) => self.includes(body, large, depth),
            Term::Strict(..) => {
                let parts = strict_parts(self.pool, small);
                parts.into_iter().all(|part| self.includes(part, large, depth))
            }
            Term::Empty | Term::Event(_) | Term::Coreg(..) | Term::Alt(..) | Term::LoopC(..) => {
                false
            }
        }
    }

    /// Whether a term is a sequence of iterations of the loop `large` (a `loopC_region`), with at
    /// least as much order between its parts as the loop has between its iterations.
    fn repeats(&mut self, small: TermId, large: TermId, region: RegionId, depth: u32) -> bool {
        let concurrent = self.pool.region(region);
        let parts = match self.pool.node(small) {
            Term::LoopS(body) => vec![body],
            Term::LoopC(own, body) => {
                let asked = self.pool.lifelines(body).difference(&concurrent);
                if !asked.is_disjoint(&self.pool.region(own)) {
                    return false;
                }
                vec![body]
            }
            Term::Strict(..) => strict_parts(self.pool, small),
            Term::Coreg(..) => {
                let Some(chain) = Chain::of(self.pool, small) else { return false };
                let asked = self.pool.lifelines(large).difference(&concurrent);
                if !self.keeps(&chain, &asked) {
                    return false;
                }
                chain.operands
            }
            Term::Empty | Term::Event(_) | Term::Alt(..) => return false,
        };
        parts.into_iter().all(|part| self.includes(part, large, depth))
    }

    /// Whether a chain orders its operands on all of the `asked` lifelines.
    fn keeps(&self, chain: &Chain, asked: &LifelineSet) -> bool {
        in_several(self.pool, &chain.operands).intersection(asked).is_subset(&chain.ordered)
    }

    /// Whether each part of `few` is ⊑ one of `many`, in order, and the remaining parts of `many` accept
    /// the empty trace.
    fn matches(&mut self, few: &[TermId], many: &[TermId], depth: u32) -> bool {
        let mut wanted = few.iter().peekable();
        for &each in many {
            if wanted.next_if(|&&next| self.includes(next, each, depth)).is_none()
                && !self.pool.attributes(each).terminates
            {
                return false;
            }
        }
        wanted.next().is_none()
    }
}
