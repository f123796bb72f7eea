//! Normal forms of terms that preserve the traces, so that the follow-ups of a loop recur.
//!
//! *Claim.* The normal form of a term has exactly its traces. Below, `D = (L(i) ∩ L(j)) ∖ r` are the
//! lifelines on which `coreg_r(i,j)` orders i before j; r has no other effect. A *chain* is a list
//! of operands with one such D for all of them: of two events of different operands on a lifeline
//! of D, the event of the earlier operand comes first.
//!
//! ```text
//! units          strict and coreg drop ∅;   loop(∅) = ∅
//! associativity  strict(strict(i,j),k) = strict(i,strict(j,k));   chains within chains are spliced
//!                if the order between all operands is unchanged;   alt likewise
//! commutativity  neighbours in a chain that share no lifeline of D commute;   alt is a set
//! independence   operands of a chain that are not linked by D are operands of par
//! one lifeline   strict = seq and loopS = loopW on a single lifeline; neighbours in a strict that
//!                are on the same single lifeline become one seq
//! inclusion      alt(i,j) = j if i ⊑ j
//! iteration      loop(alt(i,∅)) = loop(i);   loop(loop(i)) = loop(i) if both loops have one kind,
//!                also if the inner one is an alternative
//! absorption     f(i,loop(j)) = f(loop(j),i) = loop(j) if i has the empty trace, i ⊑ loop(j), and f
//!                orders i and the iterations of j at least as the loop orders its iterations
//! ```
//!
//! *Soundness.* Each is a law of the denotational semantics: sets of traces with `;` or ××|r
//! and {ε} are monoids that distribute over unions, hence Kleene algebras. Commutation is that of
//! Mazurkiewicz traces, and a chain is sorted into the least of its equivalent orders (Anisimov and
//! Knuth, "Inhomogeneous sorting", 1979). Absorption holds because the traces of i are iterations of
//! the loop, and i may also contribute nothing. [`include`](super::include) decides ⊑ and errs towards
//! "no".
//!
//! *Limits.* The normal form is not unique: terms with the same traces may have different normal forms,
//! because ⊑ is incomplete and because an order that is both a chain of `par` and a `par` of chains
//! is left as it is. A second [`Normalizer`] may even change a normal form. Missed
//! equalities cost states, which minimization merges, but never change the traces.
//!
//! *Cost.* Quadratic in the operands of a chain and in the alternatives of an alt; splicing keeps both
//! below [`FLAT`]. Each distinct sub-term is normalized once. Normalization cannot be switched off,
//! since the normal forms are the states of the automaton.

use rustc_hash::FxHashMap;

use super::include::Inclusion;
use crate::algebra::fold::fold;
use crate::algebra::simplify;
use crate::index::{RegionId, TermId};
use crate::pool::Pool;
use crate::set::LifelineSet;
use crate::term::Term;

/// The longest list of operands that splicing may produce.
const FLAT: usize = 64;
/// The maximum number of alternatives that are compared pairwise.
const COMPARED: usize = 24;

/// The memoized normal forms of terms of one pool.
#[derive(Debug, Clone, Default)]
pub struct Normalizer {
    done: FxHashMap<TermId, TermId>,
    inclusion: Inclusion,
}

impl Normalizer {
    /// The normal form of a term: it has the same traces.
    pub fn normal(&mut self, pool: &mut Pool, term: TermId) -> TermId {
        let Normalizer { done, inclusion } = self;
        let normal = fold(
            pool,
            term,
            done,
            |_, _| None,
            |pool, term, operands: &[TermId]| {
                let mut laws = Laws { pool, inclusion };
                match (laws.pool.node(term), operands) {
                    (Term::Strict(..), &[left, right]) => laws.strict(left, right),
                    (Term::Coreg(region, ..), &[left, right]) => laws.coreg(region, left, right),
                    (Term::Alt(..), &[left, right]) => laws.alt(left, right),
                    (Term::LoopS(_), &[body]) => laws.loop_s(body),
                    (Term::LoopC(region, _), &[body]) => laws.loop_c(region, body),
                    _ => term,
                }
            },
        );
        done.insert(normal, normal);
        normal
    }
}

/// The operands of a chain and D, the lifelines on which they are ordered. Each lifeline of D is in
/// at least two operands.
#[derive(Debug, Clone)]
pub(super) struct Chain {
    pub(super) operands: Vec<TermId>,
    pub(super) ordered: LifelineSet,
}

impl Chain {
    /// A `coreg` in normal form as a chain. On lifelines of several operands, the region of all operators
    /// along its right spine is L∖D.
    pub(super) fn of(pool: &Pool, term: TermId) -> Option<Chain> {
        let Term::Coreg(region, ..) = pool.node(term) else { return None };
        let operands = spine(pool, term, |node| node.as_coreg(region));
        let ordered = in_several(pool, &operands).difference(&pool.region(region));
        Some(Chain { operands, ordered })
    }
}

/// The alternatives of a term, at most [`FLAT`]; the last may be an `alt` itself.
pub(super) fn alternatives(pool: &Pool, term: TermId) -> Vec<TermId> {
    spine(pool, term, Term::as_alt)
}

/// The parts of a strict sequence, at most [`FLAT`]; the last may be a `strict` itself.
pub(super) fn strict_parts(pool: &Pool, term: TermId) -> Vec<TermId> {
    spine(pool, term, Term::as_strict)
}

/// The left operands along the right spine, and the term at its end.
fn spine(
    pool: &Pool,
    term: TermId,
    split: impl Fn(Term) -> Option<(TermId, TermId)>,
) -> Vec<TermId> {
    let mut parts = Vec::new();
    let mut rest = term;
    while parts.len() + 1 < FLAT {
        let Some((left, right)) = split(pool.node(rest)) else { break };
        parts.push(left);
        rest = right;
    }
    parts.push(rest);
    parts
}

/// The lifelines that occur in at least two of the terms.
pub(super) fn in_several(pool: &Pool, terms: &[TermId]) -> LifelineSet {
    let sets: Vec<LifelineSet> = terms.iter().map(|&term| pool.lifelines(term)).collect();
    LifelineSet::in_several(sets.iter())
}

/// The constructors of normal forms, over operands in normal form.
struct Laws<'a> {
    pool: &'a mut Pool,
    inclusion: &'a mut Inclusion,
}

impl Laws<'_> {
    fn strict(&mut self, left: TermId, right: TermId) -> TermId {
        if left == Pool::EMPTY || right == Pool::EMPTY {
            return simplify::strict(self.pool, left, right);
        }
        let parts = strict_parts(self.pool, left);
        parts.into_iter().rev().fold(right, |rest, part| self.strict_pair(part, rest))
    }

    /// `strict` with a left operand that is not itself a `strict`, unless [`FLAT`] cut it.
    fn strict_pair(&mut self, left: TermId, right: TermId) -> TermId {
        let (next, rest) = match self.pool.node(right).as_strict() {
            Some((next, rest)) => (next, Some(rest)),
            None => (right, None),
        };
        let lifelines = self.pool.lifelines(left).union(&self.pool.lifelines(next));
        if lifelines.len() == 1 {
            let both = self.coreg(Pool::NONE, left, next);
            return rest.map_or(both, |rest| self.pool.strict(both, rest));
        }
        if self.strict_absorbs(next, left) {
            return right;
        }
        if self.strict_absorbs(left, next) {
            return rest.map_or(left, |rest| self.pool.strict(left, rest));
        }
        self.pool.strict(left, right)
    }

    /// Whether a loop absorbs a term strictly before or after it. No loop orders its iterations more
    /// than strictly.
    fn strict_absorbs(&mut self, repeated: TermId, other: TermId) -> bool {
        self.pool.node(repeated).is_loop()
            && self.pool.attributes(other).terminates
            && self.inclusion.includes(self.pool, other, repeated)
    }

    fn coreg(&mut self, region: RegionId, left: TermId, right: TermId) -> TermId {
        if left == Pool::EMPTY || right == Pool::EMPTY {
            return simplify::coreg(self.pool, region, left, right);
        }
        let shared = self.pool.lifelines(left).intersection(&self.pool.lifelines(right));
        let ordered = shared.difference(&self.pool.region(region));
        self.chain(Chain { operands: vec![left, right], ordered })
    }

    /// Converts a chain into a term. Recurses on proper parts of the chain, which has at most
    /// [`FLAT`] operands.
    fn chain(&mut self, mut chain: Chain) -> TermId {
        let mut at = 0;
        while at < chain.operands.len() {
            // A splice may make further splices possible, also of earlier operands.
            at = if self.splice(&mut chain, at) { 0 } else { at + 1 };
        }
        let groups = self.groups(&chain);
        if groups.len() == 1 {
            return self.linked(chain);
        }
        let mut parts = Vec::new();
        for operands in groups {
            let part = if let [only] = operands.as_slice() {
                *only
            } else {
                // A part has fewer orders to keep than the whole chain, which may allow more splices.
                let ordered = chain.ordered.intersection(&in_several(self.pool, &operands));
                self.chain(Chain { operands, ordered })
            };
            match Chain::of(self.pool, part) {
                Some(inner)
                    if inner.ordered.is_empty() && parts.len() + inner.operands.len() <= FLAT =>
                {
                    parts.extend(inner.operands);
                }
                Some(_) | None => parts.push(part),
            }
        }
        // Parts that are not linked are not ordered at all.
        self.linked(Chain { operands: parts, ordered: LifelineSet::EMPTY })
    }

    /// Replaces an operand that is a chain by its operands, if that keeps the order between all operands.
    fn splice(&mut self, chain: &mut Chain, at: usize) -> bool {
        let Some(inner) = Chain::of(self.pool, chain.operands[at]) else { return false };
        if chain.operands.len() + inner.operands.len() > FLAT + 1 {
            return false;
        }
        let others = chain.operands.iter().enumerate().filter(|&(i, _)| i != at);
        let others = others
            .map(|(_, &operand)| self.pool.lifelines(operand))
            .fold(LifelineSet::EMPTY, |all, own| all.union(&own));
        // The inner chain must not order the other operands, nor the outer chain the inner operands.
        let inside = inner.ordered.difference(&chain.ordered).intersection(&others);
        let outside = chain.ordered.difference(&inner.ordered);
        let outside = outside.intersection(&in_several(self.pool, &inner.operands));
        if !inside.is_empty() || !outside.is_empty() {
            return false;
        }
        chain.ordered = chain.ordered.union(&inner.ordered);
        chain.operands.splice(at..=at, inner.operands);
        true
    }

    /// The classes of operands that are linked by lifelines of D, each in the order of the chain.
    fn groups(&self, chain: &Chain) -> Vec<Vec<TermId>> {
        let mut groups: Vec<(LifelineSet, Vec<(usize, TermId)>)> = Vec::new();
        for (i, &operand) in chain.operands.iter().enumerate() {
            let mut links = self.pool.lifelines(operand).intersection(&chain.ordered);
            let mut members = vec![(i, operand)];
            // Groups are pairwise unlinked, so one pass finds all groups that this operand links.
            let own = links.clone();
            for (others, group) in groups.extract_if(.., |group| !group.0.is_disjoint(&own)) {
                links = links.union(&others);
                members.extend(group);
            }
            members.sort_unstable();
            groups.push((links, members));
        }
        let operands = |members: Vec<(usize, TermId)>| members.into_iter().map(|(_, x)| x);
        groups.into_iter().map(|(_, members)| operands(members).collect()).collect()
    }

    /// A fully spliced chain as a term: in the least order, without absorbed operands.
    fn linked(&mut self, chain: Chain) -> TermId {
        let Chain { operands, ordered } = chain;
        let mut operands = self.least_order(operands, &ordered);
        self.absorb(&mut operands, &ordered);
        let shared = in_several(self.pool, &operands);
        let ordered = ordered.intersection(&shared);
        let region = if ordered.is_empty() {
            Pool::ALL
        } else {
            self.pool.intern_region(&shared.difference(&ordered))
        };
        let last = operands.pop().unwrap_or(Pool::EMPTY);
        operands.into_iter().rev().fold(last, |rest, next| self.pool.coreg(region, next, rest))
    }

    /// The least of all orders that are equal up to swaps of neighbours without a common lifeline of D.
    fn least_order(&self, operands: Vec<TermId>, ordered: &LifelineSet) -> Vec<TermId> {
        let mut rest: Vec<(TermId, LifelineSet)> = operands
            .into_iter()
            .map(|operand| (operand, self.pool.lifelines(operand).intersection(ordered)))
            .collect();
        let mut out = Vec::with_capacity(rest.len());
        while !rest.is_empty() {
            let mut before = LifelineSet::EMPTY;
            let mut least = 0;
            for (i, (operand, links)) in rest.iter().enumerate() {
                if links.is_disjoint(&before) && *operand < rest[least].0 {
                    least = i;
                }
                before = before.union(links);
            }
            out.push(rest.remove(least).0);
        }
        out
    }

    /// Removes the operands that a loop of the chain absorbs.
    fn absorb(&mut self, operands: &mut Vec<TermId>, ordered: &LifelineSet) {
        let mut at = 0;
        while at < operands.len() {
            if self.is_absorbed(operands, at, ordered) {
                operands.remove(at);
            } else {
                at += 1;
            }
        }
    }

    fn is_absorbed(&mut self, operands: &[TermId], at: usize, ordered: &LifelineSet) -> bool {
        let other = operands[at];
        if !self.pool.attributes(other).terminates {
            return false;
        }
        let lifelines = self.pool.lifelines(other);
        let links = lifelines.intersection(ordered);
        let outwards: [Vec<usize>; 2] =
            [(at + 1..operands.len()).collect(), (0..at).rev().collect()];
        for neighbour in outwards.into_iter().flat_map(|side| {
            // The operand commutes with its neighbours up to the first one it is ordered with.
            let linked = |&i: &usize| !self.pool.lifelines(operands[i]).is_disjoint(&links);
            let end = side.iter().position(linked).map_or(side.len(), |first| first + 1);
            side[..end].iter().map(|&i| operands[i]).collect::<Vec<_>>()
        }) {
            let Term::LoopC(region, _) = self.pool.node(neighbour) else { continue };
            let between = lifelines.difference(&self.pool.region(region));
            if between.is_subset(ordered) && self.inclusion.includes(self.pool, other, neighbour) {
                return true;
            }
        }
        false
    }

    fn alt(&mut self, left: TermId, right: TermId) -> TermId {
        let mut all = alternatives(self.pool, left);
        let more = alternatives(self.pool, right);
        if all.len() + more.len() > FLAT {
            all = vec![left, right];
        } else {
            all.extend(more);
        }
        self.alt_of(all)
    }

    fn alt_of(&mut self, mut all: Vec<TermId>) -> TermId {
        all.sort_unstable();
        all.dedup();
        if all.len() <= COMPARED {
            let mut at = 0;
            while at < all.len() {
                let one = all[at];
                let covers = |&other: &TermId| {
                    other != one && self.inclusion.includes(self.pool, one, other)
                };
                if all.iter().any(covers) {
                    all.remove(at);
                } else {
                    at += 1;
                }
            }
        }
        let last = all.pop().unwrap_or(Pool::EMPTY);
        all.into_iter().rev().fold(last, |rest, next| self.pool.alt(next, rest))
    }

    fn loop_s(&mut self, body: TermId) -> TermId {
        if self.pool.lifelines(body).len() == 1 {
            return self.loop_c(Pool::NONE, body);
        }
        let body = self.iterations(body, |pool, node| match node {
            Term::LoopS(inner) => Some(inner),
            Term::LoopC(region, inner) => {
                let lifelines = pool.lifelines(inner);
                let strict = lifelines.len() == 1 && lifelines.is_disjoint(&pool.region(region));
                strict.then_some(inner)
            }
            Term::Empty | Term::Event(_) | Term::Strict(..) | Term::Coreg(..) | Term::Alt(..) => {
                None
            }
        });
        simplify::loop_s(self.pool, body)
    }

    fn loop_c(&mut self, region: RegionId, body: TermId) -> TermId {
        let ordered = self.pool.lifelines(body).difference(&self.pool.region(region));
        let body = self.iterations(body, |pool, node| {
            let Term::LoopC(own, inner) = node else { return None };
            let lifelines = pool.lifelines(inner);
            let of_inner = lifelines.difference(&pool.region(own));
            (of_inner == lifelines.intersection(&ordered)).then_some(inner)
        });
        let region = if ordered.is_empty() {
            Pool::ALL
        } else {
            let concurrent = self.pool.lifelines(body).difference(&ordered);
            self.pool.intern_region(&concurrent)
        };
        simplify::loop_c(self.pool, region, body)
    }

    /// The body of a loop without redundant alternatives: ∅ is dropped, and a loop of the same kind is
    /// replaced by its body.
    fn iterations(
        &mut self,
        body: TermId,
        unrepeated: impl Fn(&Pool, Term) -> Option<TermId>,
    ) -> TermId {
        let mut plain = Vec::new();
        for alternative in alternatives(self.pool, body) {
            match unrepeated(self.pool, self.pool.node(alternative)) {
                Some(inner) => plain.extend(alternatives(self.pool, inner)),
                None if alternative == Pool::EMPTY => {}
                None => plain.push(alternative),
            }
        }
        self.alt_of(plain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::interaction;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let (mut pool, term) = interaction(text);
        let normal = Normalizer::default().normal(&mut pool, term);
        assert_eq!(pool.text(normal), expected);
    }

    #[test]
    fn each_law() {
        check("strict(o, a!m, o)", "a!m");
        check("loopS(alt(o, seq(o, o)))", "∅");
        check("strict(strict(a!m, b!m), c!m)", "strict(a!m, strict(b!m, c!m))");
        check("seq(seq(a!m, a!n), a!m)", "seq(a!m, seq(a!n, a!m))");
        check("strict(a!m, a!n)", "seq(a!m, a!n)");
        check("loopS(a!m)", "loopW(a!m)");
        check("alt(b!m, alt(a!m, b!m))", "alt(b!m, a!m)");
        check("alt(o, loopS(a!m))", "loopW(a!m)");
        check("loopS(alt(o, a -- m -> b))", "loopS(strict(a!m, b?m))");
        check("loopS(alt(loopS(a -- m -> b), a!n))", "loopS(alt(strict(a!m, b?m), a!n))");
        check("loopW(loopW(a -- m -> b))", "loopW(strict(a!m, b?m))");
        check("loopW(loopP(alt(a!m, b!m)))", "loopW(loopP(alt(a!m, b!m)))");
    }

    #[test]
    fn only_shared_lifelines_matter() {
        check("seq(a!m, b!m)", "par(a!m, b!m)");
        check("coreg(b)(a!m, a!n)", "seq(a!m, a!n)");
        check("coreg(a)(a!m, a!n)", "par(a!m, a!n)");
        check("seq(a!m, seq(b!m, a!n))", "par(b!m, seq(a!m, a!n))");
        check("seq(b!m, a!m)", "par(b!m, a!m)");
        check("par(a!m, seq(a!m, a!n))", "par(a!m, seq(a!m, a!n))");
    }

    #[test]
    fn loops_absorb_what_they_have_room_for() {
        check("seq(loopW(a!m), loopW(alt(a!m, b!m)))", "loopW(alt(a!m, b!m))");
        check("par(loopP(a!m), loopP(a!m))", "loopP(a!m)");
        check("strict(loopS(a -- m -> b), loopS(a -- m -> b))", "loopS(strict(a!m, b?m))");
        check("seq(alt(o, a!m), loopW(a!m))", "loopW(a!m)");
        // Not nullable, and not in the order of the iterations.
        check("seq(a!m, loopW(a!m))", "seq(a!m, loopW(a!m))");
        check("par(loopW(a -- m -> b), loopW(a -- m -> b))", {
            "par(loopW(strict(a!m, b?m)), loopW(strict(a!m, b?m)))"
        });
        check("seq(loopW(a!m), loopP(a!m))", "loopP(a!m)");
    }

    #[test]
    fn events_of_several_lifelines_keep_their_order() {
        check("seq(a -- <synch> m -> b, b!m)", "seq({a!m, b?m}, b!m)");
        check("seq(a -- <synch> m -> b, c!m)", "par({a!m, b?m}, c!m)");
    }
}
