//! The execution relation: all steps of a term, in the order of their positions.
//!
//! Mahe et al., "Tooling offline runtime verification against interaction models", Def. 5, with
//! two differences: an event may have several lifelines (a synchronous passing), and a step in the
//! right operand of `strict` requires that the left operand *terminates* (see
//! [`terminates`](super::terminates())). Follow-ups are simplified
//! (see [`simplify`](mod@crate::algebra::simplify)).
//!
//! The steps of a term are computed from those of its operands and memoized for every sub-term, so
//! a search recomputes only the part of a term that a step changed.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::algebra::fold::fold;
use crate::algebra::{Memo, prune, simplify};
use crate::index::{EventId, RegionId, TermId};
use crate::pool::Pool;
use crate::semantics::position::{PositionId, Positions};
use crate::term::Term;

/// i —e@p→ i′
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The event that happens.
    pub event: EventId,
    /// The position of the event in the term.
    pub position: PositionId,
    /// β(i, p): the number of loops around it, all of which the step instantiates.
    pub loop_depth: u32,
    /// The term after the step.
    pub follow_up: TermId,
}

/// The memoized steps of terms of one pool.
#[derive(Debug, Clone, Default)]
pub struct Frontiers {
    /// The positions that the steps refer to.
    pub positions: Positions,
    /// The results of pruning.
    pub memo: Memo,
    steps: FxHashMap<TermId, Rc<[Step]>>,
}

impl Frontiers {
    /// The maximum number of follow-ups that [`Frontiers::steps`] makes for a term: one for each step of each subterm
    /// whose steps are not known.
    ///
    /// With nested operators this number may be quadratic in the size of the term: each of n parallel operands has a
    /// step, and that step is also a step of every term around the operand.
    pub fn cost(&self, pool: &mut Pool, term: TermId) -> u64 {
        let mut cost = 0u64;
        fold(
            pool,
            term,
            &mut FxHashMap::default(),
            |_, term| self.steps.get(&term).map(|steps| steps.len() as u64),
            |pool, term, operands: &[u64]| {
                let sum = operands.iter().fold(0u64, |sum, &count| sum.saturating_add(count));
                let count = if pool.node(term).as_event().is_some() { 1 } else { sum };
                cost = cost.saturating_add(count);
                count
            },
        );
        cost
    }

    /// All steps of a term, in the lexicographic order of their positions.
    pub fn steps(&mut self, pool: &mut Pool, term: TermId) -> Rc<[Step]> {
        let Frontiers { positions, memo, steps } = self;
        fold(
            pool,
            term,
            steps,
            |_, _| None,
            |pool, term, operands: &[Rc<[Step]>]| {
                let mut rules = Rules { pool, memo, positions, steps: Vec::new() };
                rules.apply(term, operands);
                rules.steps.into()
            },
        )
    }
}

#[derive(Clone, Copy)]
struct Operand<'a> {
    term: TermId,
    steps: &'a [Step],
}

struct Rules<'a> {
    pool: &'a mut Pool,
    memo: &'a mut Memo,
    positions: &'a mut Positions,
    steps: Vec<Step>,
}

impl Rules<'_> {
    fn apply(&mut self, term: TermId, operands: &[Rc<[Step]>]) {
        match (self.pool.node(term), operands) {
            (Term::Event(event), _) => self.steps.push(Step {
                event,
                position: Positions::ROOT,
                loop_depth: 0,
                follow_up: Pool::EMPTY,
            }),
            (Term::Alt(..), [left, right]) => self.alt(left, right),
            (Term::Strict(i1, i2), [left, right]) => {
                self.strict(Operand { term: i1, steps: left }, Operand { term: i2, steps: right });
            }
            (Term::Coreg(region, i1, i2), [left, right]) => {
                let (left, right) =
                    (Operand { term: i1, steps: left }, Operand { term: i2, steps: right });
                self.coreg(region, left, right);
            }
            (Term::LoopS(_), [body]) => self.loop_s(term, body),
            (Term::LoopC(region, _), [body]) => self.loop_c(region, term, body),
            _ => {}
        }
    }

    /// ```text
    ///      i1 —a@p→ i1′                  i2 —a@p→ i2′
    /// ————————————————————————      ————————————————————————
    /// alt(i1,i2) —a@1.p→ i1′        alt(i1,i2) —a@2.p→ i2′
    /// ```
    fn alt(&mut self, left: &[Step], right: &[Step]) {
        for step in left {
            self.push(1, step, step.follow_up);
        }
        for step in right {
            self.push(2, step, step.follow_up);
        }
    }

    /// ```text
    ///            i1 —a@p→ i1′                   terminates(i1)   i2 —a@p→ i2′
    /// ————————————————————————————————————     ——————————————————————————————
    /// strict(i1,i2) —a@1.p→ strict(i1′,i2)       strict(i1,i2) —a@2.p→ i2′
    /// ```
    fn strict(&mut self, left: Operand<'_>, right: Operand<'_>) {
        for step in left.steps {
            let follow_up = simplify::strict(self.pool, step.follow_up, right.term);
            self.push(1, step, follow_up);
        }
        if self.pool.attributes(left.term).terminates {
            for step in right.steps {
                self.push(2, step, step.follow_up);
            }
        }
    }

    /// ```text
    ///             i1 —a@p→ i1′                      prune(i1, Θ(a)∖r) = i1′   i2 —a@p→ i2′
    /// ——————————————————————————————————————     ———————————————————————————————————————————
    /// coreg_r(i1,i2) —a@1.p→ coreg_r(i1′,i2)       coreg_r(i1,i2) —a@2.p→ coreg_r(i1′,i2′)
    /// ```
    fn coreg(&mut self, region: RegionId, left: Operand<'_>, right: Operand<'_>) {
        for step in left.steps {
            let follow_up = simplify::coreg(self.pool, region, step.follow_up, right.term);
            self.push(1, step, follow_up);
        }
        for step in right.steps {
            let ordered = self.pool.ordered(region, step.event);
            if let Some(pruned) = prune(self.pool, self.memo, left.term, ordered) {
                let follow_up = simplify::coreg(self.pool, region, pruned, step.follow_up);
                self.push(2, step, follow_up);
            }
        }
    }

    /// ```text
    ///              i —a@p→ i′
    /// ————————————————————————————————————
    /// loopS(i) —a@1.p→ strict(i′, loopS(i))
    /// ```
    fn loop_s(&mut self, term: TermId, body: &[Step]) {
        for step in body {
            let follow_up = simplify::strict(self.pool, step.follow_up, term);
            self.push_instance(step, follow_up);
        }
    }

    /// ```text
    ///              i —a@p→ i′      prune(loopC_r(i), Θ(a)∖r) = i″
    /// ————————————————————————————————————————————————————————————————
    /// loopC_r(i) —a@1.p→ coreg_r(i″, coreg_r(i′, loopC_r(i)))
    /// ```
    ///
    /// The iteration that acts first need not be the first iteration: those before it have no action on
    /// Θ(a) outside the concurrent region.
    fn loop_c(&mut self, region: RegionId, term: TermId, body: &[Step]) {
        for step in body {
            let ordered = self.pool.ordered(region, step.event);
            let before = prune(self.pool, self.memo, term, ordered).expect("a loop can be pruned");
            let after = simplify::coreg(self.pool, region, step.follow_up, term);
            let follow_up = simplify::coreg(self.pool, region, before, after);
            self.push_instance(step, follow_up);
        }
    }

    fn push(&mut self, letter: u8, step: &Step, follow_up: TermId) {
        let position = self.positions.prefixed(letter, step.position);
        self.steps.push(Step { position, follow_up, ..*step });
    }

    fn push_instance(&mut self, step: &Step, follow_up: TermId) {
        let loop_depth = step.loop_depth + 1;
        self.push(1, &Step { loop_depth, ..*step }, follow_up);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::interaction;

    /// Steps as `action@position → follow-up`.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let (mut pool, term) = interaction(text);
        let mut frontiers = Frontiers::default();
        let steps: Vec<String> = frontiers
            .steps(&mut pool, term)
            .iter()
            .map(|step| {
                let event = pool.event(step.event);
                let position = frontiers.positions.text(step.position);
                format!("{}@{position} → {}", pool.text(event), pool.text(step.follow_up))
            })
            .collect();
        assert_eq!(steps, expected);
    }

    #[test]
    fn each_rule_alone() {
        check("o", &[]);
        check("a!m", &["a!m@ε → ∅"]);
        check("alt(a!m, b!m)", &["a!m@1 → ∅", "b!m@2 → ∅"]);
        check("a -- m -> b", &["a!m@1 → b?m"]);
        check("strict(alt(a!m, o), b!m)", &["a!m@11 → b!m", "b!m@2 → ∅"]);
        check(
            "strict(loopS(alt(a!m, o)), b!m)",
            &["a!m@111 → strict(loopS(alt(a!m, ∅)), b!m)", "b!m@2 → ∅"],
        );
        check("seq(a!m, a!n)", &["a!m@1 → a!n"]);
        check("seq(a!m, b!n)", &["a!m@1 → b!n", "b!n@2 → a!m"]);
        check("par(a!m, a!n)", &["a!m@1 → a!n", "a!n@2 → a!m"]);
        check("seq(alt(a!m, b!m), a!n)", &["a!m@11 → a!n", "b!m@12 → a!n", "a!n@2 → b!m"]);
        check("loopS(a!m)", &["a!m@1 → loopS(a!m)"]);
        check("loopP(a!m)", &["a!m@1 → par(loopP(a!m), loopP(a!m))"]);
        check("loopW(a!m)", &["a!m@1 → loopW(a!m)"]);
        check(
            "coreg(b)(b!m, seq(a!m, b!n))",
            &[
                "b!m@1 → seq(a!m, b!n)",
                "a!m@21 → coreg(b)(b!m, b!n)",
                "b!n@22 → coreg(b)(b!m, a!m)",
            ],
        );
        check("a -- <synch> m -> b", &["{a!m, b?m}@ε → ∅"]);
        check(
            "seq(alt(a!n, b!n), a -- <synch> m -> b)",
            &["a!n@11 → {a!m, b?m}", "b!n@12 → {a!m, b?m}"],
        );
    }

    #[test]
    fn figure_4() {
        // The four first steps of the paper's example, at the positions it prints.
        let (mut pool, term) = interaction(
            "seq(coreg(b)(alt(a -- m1 -> (b,c), o), loopW(alt(a -- m2 -> b, b -- m3 -> c))),
                 loopP(seq(c -- m4 -> b, b -- m5 -> c)))",
        );
        let mut frontiers = Frontiers::default();
        let steps = frontiers.steps(&mut pool, term);
        let positions: Vec<String> =
            steps.iter().map(|step| frontiers.positions.text(step.position)).collect();
        assert_eq!(positions, ["1111", "12111", "12121", "2111"]);
        let depths: Vec<u32> = steps.iter().map(|step| step.loop_depth).collect();
        assert_eq!(depths, [0, 1, 1, 1]);
    }

    #[test]
    fn the_cost_bounds_the_follow_ups() {
        for text in ["a!m", "par(a!m, par(b!m, a!n))", "loopW(seq(a!m, alt(b!m, a!n)))"] {
            let (mut pool, term) = interaction(text);
            let mut frontiers = Frontiers::default();
            let cost = frontiers.cost(&mut pool, term);
            frontiers.steps(&mut pool, term);
            let made: usize = frontiers.steps.values().map(|steps| steps.len()).sum();
            assert!(made as u64 <= cost, "{text}");
            assert_eq!(frontiers.cost(&mut pool, term), 0, "{text} is known");
        }
        let nest = format!("{}a!m{}", "par(b!m, ".repeat(1000), ")".repeat(1000));
        let (mut pool, term) = interaction(&nest);
        assert!(Frontiers::default().cost(&mut pool, term) > 500_000);
    }

    #[test]
    fn depth_is_not_ours() {
        let depth = 100_000;
        let text = format!("{}a!m{}", "seq(b!m, ".repeat(depth), ")".repeat(depth));
        let (mut pool, term) = interaction(&text);
        assert_eq!(Frontiers::default().steps(&mut pool, term).len(), 2);
    }
}
