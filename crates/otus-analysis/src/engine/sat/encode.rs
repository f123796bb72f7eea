//! The formula that says "i explains µ".
//!
//! **Setting.** The partition C decouples i, and the loops of i are unrolled. A choice of branches
//! leaves a set of leaves, and by the theorem of [`coupling`](crate::engine::coupling) `σ_C(i)` is
//! the set of multi-traces of the relaxed term: for each component c *by itself*, the parts of the
//! chosen leaves on c in some order that respects
//! ```text
//! p R q    iff p < q, and the operator between them is strict, or a coreg_r and both are on a
//!          lifeline of c outside r
//! ```
//!
//! So the formula is a conjunction: the variables of branches are shared, and each component adds
//! clauses that say "with these branches, the moments µ|c can be the part of a trace of c that the
//! declaration of c allows". Let k be the number of moments, early = c may stop early, late = c may
//! start late.
//!
//! **A single clause, where it suffices.** For k = 0 there are no clauses unless c is complete;
//! then none of its leaves is chosen. For k = 1 let M be the leaves with the right label. If early
//! and late: one of M is chosen (put the leaves to its left before and those to its right after the
//! window: R only goes right). If early and all leaves of c are in M, the same, since the leftmost
//! chosen leaf may come first; if late and all are in M, the same, with the rightmost. If c is
//! complete: exactly one of M and none outside. This makes the formula of a reduced SAT problem
//! *that problem itself*: a clause for each clause.
//!
//! **Chains.** If all pairs of leaves on c that can be chosen together are in R, the choice
//! determines the trace of c: of its leaves p₁ … pₙ the chosen ones, from left to right. The
//! variable `s(x,j)` says that the chosen ones among the first x leaves used at least the first j
//! moments:
//!
//! ```text
//! s(0,j) = (j = 0)      s(x,j) for 0 < x, 0 < j:
//!   pₓ has label µⱼ:    s(x,j) ⇔ s(x−1,j) ∨ (chosen(pₓ) ∧ s(x−1,j−1))
//!                       but only ⇒ if j = 1 and late: a chosen leaf may still be before the window
//!   it has another:     s(x,j) = s(x−1,j), and not chosen(pₓ) ∧ s(x−1,j−1) ∧ ¬s(x−1,j)
//!                       unless j = 1 and late
//! not chosen(pₓ) ∧ s(x−1,k), unless early          s(n,k)
//! ```
//!
//! *Proof.* Let b(x) be the largest j with s(x,j). The clauses say: if pₓ is not chosen, then b(x)
//! = b(x−1). If it is and 0 < b(x−1) < k, then b(x) = b(x−1) + 1 and pₓ has the label of that
//! moment. If b(x−1) = 0 the same, or, if late, b(x) = 0. If b(x−1) = k then c stops early, and
//! b(x) = k. At the end, b(n) = k. So the chosen leaves read before\* µ₁ … µₖ after\*, without
//! before unless late, without after unless early, which is the declaration; and each such reading
//! is a solution. ∎
//!
//! Constants are folded: `s(x,j)` is false for j > x, true if the remaining leaves would
//! not suffice otherwise, and a leaf with another label needs no variable.
//!
//! **Otherwise** each leaf p on c gets a place in 0..=k+1: 0 is before the window, j the j-th
//! moment, k+1 after. `y(p,j)` says that its place is at most j, for 0 ≤ j ≤ k. For chosen p, q:
//!
//! ```text
//! y(p,j) ⇒ y(p,j+1)      ¬y(p,0) unless late      y(p,k) unless early
//! p is at j ≥ 1 only if it has the label µⱼ, and no other leaf is          each j ≥ 1 has a leaf
//! p R q:   y(q,j) ⇒ y(p,j−1) for j ≥ 1       y(q,0) ⇒ y(p,0)
//! ```
//!
//! *Proof.* Order the chosen leaves by place, and those before and after the window from left to
//! right. This is a trace of c, as it respects R: by the last line p R q have places p < q, or both
//! are before or both after. Its places 1..k are the moments, which are the declared part of the
//! trace. Conversely a trace of c with such a window gives places. ∎
//!
//! **Coupled terms.** If C does not decouple i, the formula describes the relaxed term, which has
//! more multi-traces. So a refutation is exact. A model is then checked as a whole: the operators
//! of the term itself order some of its leaves, and so do their places (on chains, the choice
//! alone). If these orders have no cycle, any order of the leaves that respects them is a run, and
//! explains µ. If they have a cycle, no run has all of its leaves with these pairs of places in
//! this order, and [`forbid`] adds a clause that says so: every run is still a model, but this
//! model is not. There are finitely many choices and places, so this refinement terminates; in
//! practice it is given up after some rounds. Here components that are not chains get places even
//! for a single moment, since the single clause above determines none.

use otus_core::index::Index as _;
use otus_trace::multitrace::ComponentId;
use otus_trace::{MultiTrace, Partition};

use super::compile::{Operator, OperatorKind, Part, UNKNOWN, Unrolled};
use super::formula::{Formula, Literal};
use super::replay::{ByPlace, Cycle};
use crate::question::{Observed, Question};

/// The largest formula, in estimated literals.
const LARGEST: usize = 4_000_000;
/// The maximum number of literals for which "at most one" is encoded pairwise.
const PAIRS: usize = 8;

/// The variables `y(p,j)` of a component.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Places {
    pub(crate) component: ComponentId,
    /// The number of the first variable.
    pub(crate) first: u32,
    /// The number of moments.
    pub(crate) moments: u32,
}

impl Places {
    /// `y(p,j)` for the leaf with this index on its component.
    pub(crate) fn at_most(self, index: usize, place: usize) -> Literal {
        let row = u32::try_from(index).unwrap_or(u32::MAX) * (self.moments + 1);
        Literal((self.first + row + u32::try_from(place).unwrap_or(u32::MAX)) << 1)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoFormula {
    /// The term has no leaf for some moment.
    Refuted,
    /// The formula would be too large.
    TooLarge,
}

/// The formula that is satisfiable iff the multi-trace is explained, and the variables of the
/// components with places.
pub(crate) fn encode(
    partition: &Partition,
    compiled: &Unrolled,
    trace: &MultiTrace,
    question: &Question,
    exact: bool,
) -> Result<(Formula, Vec<Places>), NoFormula> {
    let mut encoder = Encoder {
        partition,
        compiled,
        exact,
        formula: compiled.choices.clone(),
        places: Vec::new(),
    };
    if encoder.estimate(trace, question) > LARGEST {
        return Err(NoFormula::TooLarge);
    }
    let mut moments = Vec::new();
    for component in partition.components() {
        let observed = question.of(component);
        if observed == Observed::Unobserved {
            continue;
        }
        moments.clear();
        moments.extend(compiled.moments(trace, component));
        if moments.contains(&UNKNOWN) || moments.len() > compiled.on(component).len() {
            return Err(NoFormula::Refuted);
        }
        encoder.component(component, &moments, observed);
    }
    Ok((encoder.formula, encoder.places))
}

/// Excludes a cycle: one of its leaves does not happen, or one of its pairs has other places. A new
/// variable stands for "has an earlier place" of each such pair.
pub(crate) fn forbid(formula: &mut Formula, compiled: &Unrolled, places: &[Places], cycle: &Cycle) {
    let mut clause: Vec<Literal> =
        cycle.leaves.iter().map(|&leaf| !compiled.leaves[leaf as usize].chosen).collect();
    for &ByPlace { component, pair: (first, second) } in &cycle.places {
        let Some(places) = places.iter().find(|places| places.component == component) else {
            continue;
        };
        let earlier = formula.variable();
        for j in 0..=places.moments as usize {
            formula.add(&[!places.at_most(first, j), places.at_most(second, j), earlier]);
        }
        clause.push(!earlier);
    }
    formula.add(&clause);
}

/// Whether the choice of branches alone determines the window of a component. If the order of all
/// events matters (`exact`), this holds only for chains.
pub(crate) fn is_simple(
    compiled: &Unrolled,
    component: ComponentId,
    moments: &[u32],
    observed: Observed,
    exact: bool,
) -> bool {
    let is_chain = compiled.chains[component.index()];
    is_chain
        || ((!exact || moments.is_empty())
            && is_one_clause(compiled.on(component), moments, observed))
}

fn is_one_clause(parts: &[Part], moments: &[u32], observed: Observed) -> bool {
    let (early, late) = (observed.may_stop_early(), observed.may_start_late());
    match moments {
        [] => true,
        // The component is complete, or a slice, or all of its leaves have this label.
        &[only] => early == late || parts.iter().all(|part| part.label == only),
        [..] => false,
    }
}

struct Encoder<'a> {
    partition: &'a Partition,
    compiled: &'a Unrolled,
    /// Whether components that are not chains need places.
    exact: bool,
    formula: Formula,
    places: Vec<Places>,
}

impl Encoder<'_> {
    /// An approximate upper bound on the number of literals.
    fn estimate(&self, trace: &MultiTrace, question: &Question) -> usize {
        let mut total: usize = self.compiled.choices.len();
        for component in self.partition.components() {
            if question.of(component) == Observed::Unobserved {
                continue;
            }
            let leaves = self.compiled.on(component).len();
            let moments = trace.moments(component).count();
            let places = leaves.saturating_mul(moments);
            let clauses = match moments {
                0 => leaves,
                _ if self.compiled.chains[component.index()] => places.saturating_mul(11),
                _ => places.saturating_mul(16 + 2 * leaves),
            };
            total = total.saturating_add(clauses);
        }
        total
    }

    fn component(&mut self, component: ComponentId, moments: &[u32], observed: Observed) {
        let parts = self.compiled.on(component);
        let is_simple = is_simple(self.compiled, component, moments, observed, self.exact);
        if is_simple && is_one_clause(parts, moments, observed) {
            self.one_clause(parts, moments.first().copied(), observed);
        } else if self.compiled.chains[component.index()] {
            self.chain(parts, moments, observed);
        } else {
            self.general(component, moments, observed);
        }
    }

    fn chosen(&self, part: &Part) -> Literal {
        self.compiled.leaves[part.leaf as usize].chosen
    }

    fn one_clause(&mut self, parts: &[Part], moment: Option<u32>, observed: Observed) {
        let leaves = &self.compiled.leaves;
        let chosen = |part: &Part| leaves[part.leaf as usize].chosen;
        let right = parts.iter().filter(|part| Some(part.label) == moment).map(chosen);
        if moment.is_some() {
            self.formula.add_from(right.clone());
        }
        if observed == Observed::Complete {
            for part in parts.iter().filter(|part| Some(part.label) != moment) {
                self.formula.add(&[!chosen(part)]);
            }
            if parts.len() <= PAIRS {
                // No list is allocated, since this is most of the cost of a small question.
                let mut right = right;
                while let Some(one) = right.next() {
                    right.clone().for_each(|other| self.formula.add(&[!one, !other]));
                }
            } else {
                self.at_most_one(right.collect());
            }
        }
    }

    /// Adds clauses that say that at most one of the literals holds: one clause for each pair of
    /// few literals. For many literals, a new variable stands for the first ones.
    fn at_most_one(&mut self, mut literals: Vec<Literal>) {
        while literals.len() > PAIRS {
            let rest = literals.split_off(PAIRS - 1);
            let some = self.formula.variable();
            for &literal in &literals {
                self.formula.add(&[!literal, some]);
            }
            self.pairs(&literals);
            literals = rest;
            literals.push(some);
        }
        self.pairs(&literals);
    }

    fn pairs(&mut self, literals: &[Literal]) {
        for (i, &one) in literals.iter().enumerate() {
            for &other in &literals[i + 1..] {
                self.formula.add(&[!one, !other]);
            }
        }
    }

    fn chain(&mut self, parts: &[Part], moments: &[u32], observed: Observed) {
        let (early, late) = (observed.may_stop_early(), observed.may_start_late());
        let count = moments.len();
        // s(x, 0..=k) for the leaves so far.
        let mut used = vec![Literal::FALSE; count + 1];
        used[0] = Literal::TRUE;
        for (x, part) in parts.iter().enumerate() {
            let chosen = self.chosen(part);
            if !early {
                self.formula.add(&[!chosen, !used[count]]);
            }
            let left = parts.len() - x - 1;
            // s(x−1,j) is still needed to compute s(x,j+1).
            let mut previous = used[0];
            for j in 1..=count {
                let (all, before) = (used[j], previous);
                previous = all;
                let optional = j == 1 && late;
                if part.label == moments[j - 1] {
                    used[j] = self.counted(chosen, before, all, optional);
                } else if !optional {
                    self.formula.add(&[!chosen, !before, all]);
                }
                if j + left <= count && used[j] != Literal::TRUE {
                    self.formula.add(&[used[j]]);
                    used[j] = Literal::TRUE;
                }
                if before == Literal::FALSE {
                    break;
                }
            }
        }
        self.formula.add(&[used[count]]);
    }

    /// `all ∨ (chosen ∧ before)`, or a value between that and `all` if it is optional. `all`
    /// implies `before`.
    fn counted(
        &mut self,
        chosen: Literal,
        before: Literal,
        all: Literal,
        optional: bool,
    ) -> Literal {
        if all == Literal::TRUE || before == Literal::FALSE || chosen == Literal::FALSE {
            return all;
        }
        if !optional {
            if chosen == Literal::TRUE {
                return before;
            }
            if before == Literal::TRUE && all == Literal::FALSE {
                return chosen;
            }
        }
        let counted = self.formula.variable();
        self.formula.add(&[!all, counted]);
        self.formula.add(&[!counted, all, chosen]);
        self.formula.add(&[!counted, all, before]);
        if !optional {
            self.formula.add(&[!chosen, !before, counted]);
        }
        counted
    }

    fn general(&mut self, component: ComponentId, moments: &[u32], observed: Observed) {
        let (early, late) = (observed.may_stop_early(), observed.may_start_late());
        let parts = self.compiled.on(component);
        let count = moments.len();
        let places = Places {
            component,
            first: self.formula.variables,
            moments: u32::try_from(count).unwrap_or(u32::MAX),
        };
        self.places.push(places);
        for _ in 0..parts.len() * (count + 1) {
            self.formula.variable();
        }
        let at_most = |index, place| places.at_most(index, place);
        let mut at: Vec<Vec<Literal>> = vec![Vec::new(); count];
        for (i, part) in parts.iter().enumerate() {
            let chosen = self.chosen(part);
            for j in 0..count {
                self.formula.add(&[!at_most(i, j), at_most(i, j + 1)]);
            }
            if !late {
                self.formula.add(&[!at_most(i, 0)]);
            }
            if !early {
                self.formula.add(&[!chosen, at_most(i, count)]);
            }
            for (j, &moment) in moments.iter().enumerate() {
                let (this, before) = (at_most(i, j + 1), at_most(i, j));
                if part.label == moment {
                    let here = self.formula.variable();
                    self.formula.add(&[!here, chosen]);
                    self.formula.add(&[!here, this]);
                    self.formula.add(&[!here, !before]);
                    self.formula.add(&[here, !chosen, !this, before]);
                    at[j].push(here);
                } else {
                    self.formula.add(&[!chosen, !this, before]);
                }
            }
        }
        for here in at {
            self.formula.add(&here);
            self.at_most_one(here);
        }
        self.orders(component, places);
    }

    /// The clauses of R for places.
    fn orders(&mut self, component: ComponentId, places: Places) {
        let parts = self.compiled.on(component);
        let lifelines = self.partition.set(component);
        for (p, left) in parts.iter().enumerate() {
            let leaf = self.compiled.leaves[left.leaf as usize];
            let mut operator = Operator { depth: u32::MAX, kind: OperatorKind::Alt };
            for (q, right) in parts.iter().enumerate().skip(p + 1) {
                if right.before.depth < operator.depth {
                    operator = right.before;
                }
                let other = self.compiled.leaves[right.leaf as usize];
                if !self.compiled.orders(operator.kind, left.leaf, right.leaf, &lifelines) {
                    continue;
                }
                for j in 0..=places.moments as usize {
                    let clause = [
                        !leaf.chosen,
                        !other.chosen,
                        !places.at_most(q, j),
                        places.at_most(p, j.saturating_sub(1)),
                    ];
                    self.formula.add(&clause);
                }
            }
        }
    }
}
