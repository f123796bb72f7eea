//! Exploration: the execution tree of an interaction.
//!
//! The HIBOU README of 2020, section 4.4, and Mahe et al., "Tooling offline runtime
//! verification…", section 7.3. It uses the driver of the analyses, with an edge for every step and
//! no multi-trace. A node whose interaction may terminate is marked `Cov` and explored further.

use otus_core::algebra::simplify;
use otus_core::semantics::{Frontiers, Positions};
use otus_core::{Pool, TermId};

use crate::config::Config;
use crate::graph::Observer;
use crate::graph::measure::Measure;
use crate::graph::rules::occurrence;
use crate::graph::search::{self, Expander, Expansion, Report};
use crate::graph::state::{Leaf, LeafKind, Rule, SearchState};
use crate::verdict::Verdict;

/// Explores the executions of an interaction. Only the strategy, priorities, filters,
/// memoization, seed and budget of the configuration matter. If the interaction has loops, only a
/// filter or a budget ends the exploration.
pub fn explore(
    pool: &mut Pool,
    term: TermId,
    config: &Config,
    observer: &mut dyn Observer,
) -> (Report, Positions) {
    let config = Config { goal: None, ..config.clone() };
    let root = SearchState {
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

/// Spans the execution tree: all steps of all follow-ups.
struct Executions<'a> {
    pool: &'a mut Pool,
    frontiers: Frontiers,
}

impl Expander for Executions<'_> {
    fn expand(&mut self, state: &SearchState, _: Option<Rule>) -> Expansion {
        let steps = self.frontiers.steps(self.pool, state.term);
        let children = steps
            .iter()
            .map(|step| {
                let next = SearchState { term: step.follow_up, ..state.clone() };
                (Rule::Execute(occurrence(self.pool, step)), next)
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
