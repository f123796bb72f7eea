//! Exploration: the execution tree of an interaction.
//!
//! The HIBOU README of 2020, section 4.4, and Mahe et al., "Tooling offline runtime
//! verification…", section 7.3. The same driver as for analyses, with an edge for every step and
//! nothing to consume. A node whose interaction may end is marked `Cov`; it goes on all the same.

use otus_core::algebra::simplify;
use otus_core::semantics::{Frontiers, Positions};
use otus_core::{Pool, TermId};

use crate::config::Config;
use crate::graph::Observer;
use crate::graph::measure::Measure;
use crate::graph::rules::happening;
use crate::graph::search::{self, Expansion, Report, Span};
use crate::graph::state::{Leaf, LeafKind, Rule, State};
use crate::verdict::Verdict;

/// Explores the executions of an interaction. Of the configuration, strategy, priorities,
/// filters, memoization, seed and budget matter; with loops, an exploration ends only by one of
/// the filters or budgets.
pub fn explore(
    pool: &mut Pool,
    term: TermId,
    config: &Config,
    observer: &mut dyn Observer,
) -> (Report, Positions) {
    let config = Config { goal: None, ..config.clone() };
    let root = State {
        term: simplify(pool, term),
        consumed: Box::default(),
        removed: Pool::NONE,
        measure: Measure::default(),
        exact: true,
    };
    let mut executions = Executions { pool, frontiers: Frontiers::default() };
    let report = search::search(&mut executions, root, &config, observer);
    (report, executions.frontiers.positions)
}

/// All steps of all follow-ups.
struct Executions<'a> {
    pool: &'a mut Pool,
    frontiers: Frontiers,
}

impl Span for Executions<'_> {
    fn expand(&mut self, state: &State, _: Option<Rule>) -> Expansion {
        let steps = self.frontiers.steps(self.pool, state.term);
        let children = steps
            .iter()
            .map(|step| {
                let next = State { term: step.follow_up, ..state.clone() };
                (Rule::Execute(happening(self.pool, step)), next)
            })
            .collect();
        let ends = self.pool.attributes(state.term).terminates;
        let leaf = Leaf { kind: LeafKind::Cov, verdict: Verdict::Pass };
        (ends.then_some(leaf), children)
    }

    fn pool(&self) -> &Pool {
        self.pool
    }
}
