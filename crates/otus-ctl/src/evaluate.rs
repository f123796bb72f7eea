//! The interval engine: the set of cuts of a formula, as an interval diagram.
//!
//! It works bottom up. A maximal part without temporal operators takes one pass ([`encode`](crate::encode)); `¬` is a
//! difference from the lattice, `EX` a shift, and `E[f U g]` constrained backward reachability, for
//! which the diagram needs no iteration. `EF g` is the downward closure of g, since every cut
//! below a cut reaches it (Lemma 10 of paper 001).
//!
//! The set of all cuts is built only if an operator needs it (`¬`, `EX`, `EF`).
//!
//! Garbage is collected between operations. It starts when half of the allowed nodes are in use, or when there are at
//! least four million nodes and twice as many as after the last collection.

use otus_core::budget::{Budget, Stop};
use otus_core::index::Index as _;

use crate::check::{Counts, Problem};
use crate::encode::Encoder;
use crate::formula::{Formula, FormulaId, Formulas};
use crate::interval::{Diagram, Machine as _, Set};
use crate::view::View;

/// The number of nodes from which collecting garbage is worth its cost.
const MANY: usize = 4_000_000;

/// The sets of cuts of some formulas.
#[derive(Debug)]
pub(crate) struct Evaluation<'f> {
    formulas: &'f Formulas,
    view: &'f View,
    pub(crate) diagram: Diagram,
    /// All cuts, once they are needed.
    top: Option<Set>,
    encoder: Encoder<'f>,
    /// For each formula: its set of cuts, once computed.
    sets: Vec<Option<Set>>,
    /// The number of nodes after the last garbage collection.
    live: usize,
}

impl<'f> Evaluation<'f> {
    pub(crate) fn new(problem: Problem<'f>, budget: &Budget) -> Result<Self, Stop> {
        let encoder = Encoder::new(problem, budget)?;
        let mut diagram = Diagram::with_budget(&problem.view.bounds(), budget);
        diagram.beside = encoder.bytes();
        Ok(Evaluation {
            formulas: problem.formulas,
            view: problem.view,
            diagram,
            top: None,
            encoder,
            sets: vec![None; problem.formulas.count()],
            live: 0,
        })
    }

    pub(crate) fn top(&mut self) -> Result<Set, Stop> {
        if let Some(top) = self.top {
            return Ok(top);
        }
        Ok(*self.top.insert(self.diagram.lattice(&self.view.clocks)?))
    }

    /// A cut at which a formula holds, if there is one. For a formula without temporal operators, neither the lattice
    /// nor the set of the formula is built.
    pub(crate) fn find(&mut self, formula: FormulaId) -> Result<Option<Vec<u32>>, Stop> {
        if self.formulas.is_temporal(formula) {
            let set = self.set(formula)?;
            return Ok(self.diagram.least(set));
        }
        let residual = self.encoder.residual(formula);
        self.diagram.lattice_find(&self.view.clocks, &mut self.encoder, residual)
    }

    /// The cuts at which a formula holds.
    pub(crate) fn set(&mut self, formula: FormulaId) -> Result<Set, Stop> {
        let mut pending = vec![formula];
        while let Some(&f) = pending.last() {
            if self.sets[f.index()].is_some() {
                pending.pop();
                continue;
            }
            let before = pending.len();
            if self.formulas.is_temporal(f) {
                // The operands of a connective without temporal operators are encoded together.
                let operands = self.formulas.get(f).operands();
                let missing = operands.iter().filter(|&&g| {
                    self.sets[g.index()].is_none()
                        && (self.formulas.is_temporal(g) || !self.formulas.get(f).is_connective())
                });
                pending.extend(missing);
            }
            if pending.len() > before {
                continue;
            }
            let set = self.make(f)?;
            self.sets[f.index()] = Some(set);
            pending.pop();
            self.diagram.beside = self.encoder.bytes();
            self.tidy()?;
        }
        Ok(self.known(formula))
    }

    /// The number of all cuts, and the number of cuts at which a formula holds.
    pub(crate) fn counts(&mut self, formula: FormulaId) -> Result<Counts, Stop> {
        let (set, top) = (self.set(formula)?, self.top()?);
        Ok(Counts { cuts: self.diagram.count(top)?, satisfying: self.diagram.count(set)? })
    }

    fn known(&self, f: FormulaId) -> Set {
        self.sets[f.index()].unwrap_or(Set::EMPTY)
    }

    fn make(&mut self, f: FormulaId) -> Result<Set, Stop> {
        if !self.formulas.is_temporal(f) {
            let residual = self.encoder.residual(f);
            return match self.top {
                Some(top) => self.diagram.build(&mut self.encoder, residual, top),
                None => {
                    let clocks = &self.view.clocks;
                    self.diagram.lattice_where(clocks, &mut self.encoder, residual)
                }
            };
        }
        match self.formulas.get(f) {
            Formula::True | Formula::False | Formula::Atom(_) => unreachable!("not temporal"),
            Formula::End => {
                let corner = self.view.bounds().into_iter().map(|bound| (bound, bound));
                self.diagram.cuboid(&corner.collect::<Vec<_>>())
            }
            Formula::Not(g) => {
                let top = self.top()?;
                self.diagram.difference(top, self.known(*g))
            }
            Formula::And(all) => self.connective(all, true),
            Formula::Or(all) => self.connective(all, false),
            Formula::Next(g) => {
                let before = self.diagram.predecessors(self.known(*g))?;
                let top = self.top()?;
                self.diagram.intersect(before, top)
            }
            Formula::Until([through, goal]) => {
                let goal = self.known(*goal);
                if *through == Formulas::TRUE {
                    let top = self.top()?;
                    self.diagram.below(goal, top)
                } else {
                    self.diagram.until(self.known(*through), goal)
                }
            }
        }
    }

    fn connective(&mut self, all: &[FormulaId], and: bool) -> Result<Set, Stop> {
        let (mut plain, mut set) = (Vec::new(), None);
        for &g in all {
            if !self.formulas.is_temporal(g) {
                plain.push(self.encoder.residual(g));
                continue;
            }
            let next = self.known(g);
            set = Some(match set {
                None => next,
                Some(set) if and => self.diagram.intersect(set, next)?,
                Some(set) => self.diagram.union(set, next)?,
            });
        }
        let set = set.unwrap_or(Set::EMPTY);
        if plain.is_empty() {
            return Ok(set);
        }
        let residual = self.encoder.join(&plain, and);
        if and {
            return self.diagram.build(&mut self.encoder, residual, set);
        }
        let top = self.top()?;
        let more = self.diagram.build(&mut self.encoder, residual, top)?;
        self.diagram.union(set, more)
    }

    fn tidy(&mut self) -> Result<(), Stop> {
        let allowed = self.diagram.pace.budget.max_states.unwrap_or(u64::MAX) / 2;
        let limit = usize::try_from(allowed).unwrap_or(usize::MAX).min(MANY.max(2 * self.live));
        if self.diagram.nodes() > limit {
            let sets = self.sets.iter_mut().filter_map(Option::as_mut);
            self.diagram.collect(sets.chain(self.top.as_mut()))?;
            self.live = self.diagram.nodes();
        }
        Ok(())
    }
}
