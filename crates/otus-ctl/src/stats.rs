//! The sizes of the data of a check: visible events, their cuts, and the nodes that represent sets of cuts.

use otus_core::budget::Stop;

use crate::BigUint;
use crate::check::{Checker, Engine, Options};
use crate::evaluate::Evaluation;
use crate::explicit;
use crate::formula::FormulaId;
use crate::ist;

/// The sizes of a check of a formula as a whole. A real check divides the formula, and may need less.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stats {
    /// The events that can affect the formula.
    pub visible: usize,
    /// The processes of these events.
    pub processes: usize,
    /// The cuts of these events.
    pub cuts: BigUint,
    /// The nodes of all sets of cuts; with [`Engine::Explicit`], the cuts that were visited.
    pub nodes: u64,
}

impl Checker<'_> {
    /// Evaluates a formula over the events that are visible to it, and measures the sizes.
    ///
    /// # Errors
    /// The limit of the budget that was met.
    pub fn stats(&mut self, formula: FormulaId, options: &Options) -> Result<Stats, Stop> {
        let options = &options.started();
        let atoms = self.atoms(formula);
        self.prepare(&atoms, &options.budget)?;
        let view = self.view(formula, &atoms, options)?;
        let used = self.used(&atoms);
        let problem = self.problem(&view, &used);
        let (cuts, nodes) = match options.engine {
            Engine::Auto | Engine::Interval => {
                let mut evaluation = Evaluation::new(problem, &options.budget)?;
                evaluation.set(formula)?;
                let top = evaluation.top()?;
                (evaluation.diagram.count(top)?, evaluation.diagram.nodes() as u64)
            }
            Engine::Explicit => {
                let tally = explicit::walk(problem, formula, false, &options.budget)?;
                (tally.cuts.into(), tally.cuts)
            }
            Engine::Ist => ist::size(problem, formula, options.closure, &options.budget)?,
        };
        Ok(Stats { visible: view.event_count(), processes: view.processes.len(), cuts, nodes })
    }
}
