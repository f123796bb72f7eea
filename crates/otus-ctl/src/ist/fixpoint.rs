//! Computes the sharing tree of a formula, that is, of the cuts at which it holds (sections 5.3 to
//! 5.6 of paper 001).

use otus_core::budget::{Budget, Stop};
use otus_core::index::Index as _;

use super::Closure;
use super::blocks::Blocks;
use super::tree::{EMPTY, Ist, Trees};
use crate::check::Problem;
use crate::formula::{Formula, FormulaId, Formulas};

/// The trees of some formulas.
#[derive(Debug)]
pub(super) struct Evaluation<'f> {
    formulas: &'f Formulas,
    closure: Closure,
    pub(super) trees: Trees,
    blocks: Blocks<'f>,
    pub(super) known: Known,
}

/// The trees that garbage collection keeps.
#[derive(Debug)]
pub(super) struct Known {
    universe: Ist,
    pub(super) top: Ist,
    end: Ist,
    /// For each process: the tree of the cuts at which it is blocked.
    blocked: Vec<Ist>,
    /// For each formula: its tree, once computed.
    sets: Vec<Option<Ist>>,
}

impl Known {
    fn all(&mut self) -> impl Iterator<Item = &mut Ist> {
        [&mut self.universe, &mut self.top, &mut self.end]
            .into_iter()
            .chain(&mut self.blocked)
            .chain(self.sets.iter_mut().flatten())
    }
}

impl<'f> Evaluation<'f> {
    /// Builds `I_⊤`.
    pub(super) fn new(
        problem: Problem<'f>,
        closure: Closure,
        budget: &Budget,
    ) -> Result<Self, Stop> {
        let mut trees = Trees::new(budget);
        trees.pace.check()?;
        let blocks = Blocks::new(problem, &mut trees.pace)?;
        let mut universe = blocks.labelled(&mut trees, &[])?;
        let top = blocks.top(&mut trees, &mut universe)?;
        let end = blocks.end(&mut trees)?;
        let sets = vec![None; problem.formulas.count()];
        let known = Known { universe, top, end, blocked: Vec::new(), sets };
        Ok(Evaluation { formulas: problem.formulas, closure, trees, blocks, known })
    }

    /// `I_φ`, with sets(`I_φ`) = ⟦φ⟧.
    pub(super) fn set(&mut self, formula: FormulaId) -> Result<Ist, Stop> {
        let mut pending = vec![formula];
        while let Some(&part) = pending.last() {
            if self.known.sets[part.index()].is_some() {
                pending.pop();
                continue;
            }
            let before = pending.len();
            let missing = self.needed(part).into_iter();
            pending.extend(missing.filter(|needed| self.known.sets[needed.index()].is_none()));
            if pending.len() > before {
                continue;
            }
            pending.pop();
            let set = self.make(part)?;
            self.known.sets[part.index()] = Some(set);
            self.trees.tidy(self.known.all());
        }
        Ok(self.known(formula))
    }

    fn known(&self, formula: FormulaId) -> Ist {
        self.known.sets[formula.index()].unwrap_or(EMPTY)
    }

    /// The way in which a formula is computed, with its operands.
    fn shape(&self, part: FormulaId) -> Shape {
        let formulas = self.formulas;
        let downward = self.closure == Closure::Downward;
        match formulas.get(part) {
            Formula::Next(f) => Shape::ExistsNext(*f),
            Formula::Until([Formulas::TRUE, g]) if downward => Shape::Downward(*g),
            &Formula::Until([f, g]) => Shape::Exists(f, g),
            Formula::Not(inner) => {
                if let Formula::Next(f) = formulas.get(*inner) {
                    Shape::AllNext(formulas.not(*f))
                } else if let &Formula::Until([f, g]) = formulas.get(*inner)
                    && !(downward && f == Formulas::TRUE)
                {
                    Shape::All(formulas.not(f), formulas.not(g))
                } else {
                    Shape::Negation(*inner)
                }
            }
            Formula::True
            | Formula::False
            | Formula::End
            | Formula::Atom(_)
            | Formula::And(_)
            | Formula::Or(_) => Shape::Plain,
        }
    }

    fn needed(&self, part: FormulaId) -> Vec<FormulaId> {
        match self.shape(part) {
            Shape::Plain => self.formulas.get(part).operands().to_vec(),
            Shape::Negation(f) | Shape::ExistsNext(f) | Shape::AllNext(f) | Shape::Downward(f) => {
                vec![f]
            }
            Shape::Exists(f, g) | Shape::All(f, g) => vec![f, g],
        }
    }

    fn make(&mut self, part: FormulaId) -> Result<Ist, Stop> {
        match self.shape(part) {
            Shape::Plain => self.plain(part),
            // Lemma 3: negation is the complement, intersected with I_⊤.
            Shape::Negation(f) => {
                let complement = self.trees.difference(self.known.universe, self.known(f))?;
                self.trees.intersect(complement, self.known.top)
            }
            Shape::ExistsNext(f) => self.some_before(self.known(f)),
            Shape::AllNext(f) => {
                self.block()?;
                self.all_before(self.known(f))
            }
            // Lemma 10.
            Shape::Downward(g) => {
                let below = self.trees.downward(self.known(g))?;
                self.trees.intersect(below, self.known.top)
            }
            Shape::Exists(f, g) => self.least(f, g),
            Shape::All(f, g) => self.greatest(f, g),
        }
    }

    fn plain(&mut self, part: FormulaId) -> Result<Ist, Stop> {
        match self.formulas.get(part) {
            Formula::True => Ok(self.known.top),
            Formula::False => Ok(EMPTY),
            Formula::End => Ok(self.known.end),
            Formula::Atom(atom) => {
                let Known { universe, top, .. } = self.known;
                self.blocks.predicate(&mut self.trees, universe, top, *atom)
            }
            Formula::And(all) => {
                let mut set = self.known.top;
                for &f in all {
                    set = self.trees.intersect(set, self.known(f))?;
                }
                Ok(set)
            }
            Formula::Or(all) => {
                let mut set = EMPTY;
                for &f in all {
                    set = self.trees.union(set, self.known(f))?;
                }
                Ok(set)
            }
            Formula::Not(_) | Formula::Next(_) | Formula::Until(_) => {
                unreachable!("these have shapes of their own")
            }
        }
    }

    /// Builds all `I_blockedᵢ`, which only universal modalities need.
    fn block(&mut self) -> Result<(), Stop> {
        while self.known.blocked.len() < self.blocks.bounds.len() {
            let process = self.known.blocked.len();
            let blocked = self.blocks.blocked(&mut self.trees, self.known.top, process)?;
            self.known.blocked.push(blocked);
        }
        Ok(())
    }

    /// Definition 3, by Lemmas 4 and 5:
    ///
    /// ```text
    /// spre∃(I) = ⋃ᵢ (I^[xᵢ ← xᵢ − 1] ∩ I_⊤)
    /// ```
    fn some_before(&mut self, set: Ist) -> Result<Ist, Stop> {
        let mut found = EMPTY;
        for process in 0..self.blocks.bounds.len() {
            let before = self.before(set, process)?;
            found = self.trees.union(found, before)?;
        }
        Ok(found)
    }

    /// Definition 4, by Lemmas 6, 7 and 9:
    ///
    /// ```text
    /// spre∀(I) = ⋂ᵢ ((I^[xᵢ ← xᵢ − 1] ∩ I_⊤) ∪ I_blockedᵢ)
    /// ```
    fn all_before(&mut self, set: Ist) -> Result<Ist, Stop> {
        let mut found = self.known.top;
        for process in 0..self.blocks.bounds.len() {
            let before = self.before(set, process)?;
            let allowed = self.trees.union(before, self.known.blocked[process])?;
            found = self.trees.intersect(found, allowed)?;
        }
        Ok(found)
    }

    /// Lemma 5: pre∃ᵢ as `I^[xᵢ ← xᵢ − 1] ∩ I_⊤`.
    fn before(&mut self, set: Ist, process: usize) -> Result<Ist, Stop> {
        let moved = self.trees.shift(set, process, -1)?;
        self.trees.intersect(moved, self.known.top)
    }

    /// Section 5.4, and with g = f ∧ end the corrected EG:
    ///
    /// ```text
    /// ⟦E[f U g]⟧ = lfp X. ⟦g⟧ ∪ (⟦f⟧ ∩ spre∃(X))
    /// ```
    fn least(&mut self, f: FormulaId, g: FormulaId) -> Result<Ist, Stop> {
        let mut set = EMPTY;
        loop {
            let before = self.some_before(set)?;
            let through = self.trees.intersect(self.known(f), before)?;
            let mut next = self.trees.union(self.known(g), through)?;
            if self.trees.is_within(next, set)? {
                return Ok(set);
            }
            self.trees.pace.check()?;
            self.trees.tidy(self.known.all().chain([&mut next]));
            set = next;
        }
    }

    /// Section 5.5. After reduction to the core operators, the formula is `¬E[¬f U ¬g]`, and f and g are the arguments:
    ///
    /// ```text
    /// ⟦¬E[¬f U ¬g]⟧ = gfp X. ⟦g⟧ ∩ (⟦f⟧ ∪ spre∀(X))
    /// ```
    ///
    /// For AG φ it is g = φ and f false: the paper's `gfp X. ⟦φ⟧ ∩ spre∀(X)`. For A[φ U ψ] it is g = ψ ∨ (φ ∧ ¬end) and f = ψ, so that
    /// the right side is ⟦ψ⟧ ∪ ((⟦φ⟧ ∖ {E}) ∩ spre∀(X)): the corrected one. Least and greatest fixpoint are the
    /// same, as every chain of successors ends in E.
    fn greatest(&mut self, f: FormulaId, g: FormulaId) -> Result<Ist, Stop> {
        self.block()?;
        let mut set = self.known.top;
        loop {
            let before = self.all_before(set)?;
            let allowed = self.trees.union(self.known(f), before)?;
            let mut next = self.trees.intersect(self.known(g), allowed)?;
            if self.trees.is_within(set, next)? {
                return Ok(set);
            }
            self.trees.pace.check()?;
            self.trees.tidy(self.known.all().chain([&mut next]));
            set = next;
        }
    }
}

/// The way in which a formula is computed.
#[derive(Debug, Clone, Copy)]
enum Shape {
    /// Computed from its operands, or without operands.
    Plain,
    Negation(FormulaId),
    /// `EX f`
    ExistsNext(FormulaId),
    /// `AX f`
    AllNext(FormulaId),
    /// `EF g`, in one operation.
    Downward(FormulaId),
    /// `E[f U g]`
    Exists(FormulaId, FormulaId),
    /// `¬E[¬f U ¬g]`
    All(FormulaId, FormulaId),
}
