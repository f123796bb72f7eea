//! Exploration: the execution tree of an interaction.
//!
//! The HIBOU README of 2020, section 4.4, and Mahe et al., "Tooling offline runtime
//! verification…", section 7.3. It uses the driver of the analyses, with an edge for every step and
//! no multi-trace. A node whose interaction may terminate is marked `Cov` and explored further.
//!
//! With values, every value is open: a step exists if its guard can hold, together with the conditions of the steps before it
//! ([`graph::values`](crate::graph::values)).

use otus_core::algebra::simplify;
use otus_core::semantics::{Frontiers, Positions};
use otus_core::valued::Valued;
use otus_core::{Pool, TermId};
use otus_trace::{Facts, MultiTrace, Partition};

use crate::config::Config;
use crate::graph::measure::Measure;
use crate::graph::rules::occurrence;
use crate::graph::search::{self, Expander, Expansion, Report};
use crate::graph::state::{Leaf, LeafKind, Rule, SearchState, StoreId};
use crate::graph::values::{Carried, Learned, Problems, Values, clocks_of};
use crate::graph::{Observer, Unfit};
use crate::question::Question;
use crate::values::Clocks;
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
    let mut executions = Executions { pool, frontiers: Frontiers::default(), values: None };
    let report = executions.run(term, config, observer);
    (report, executions.frontiers.positions)
}

/// Explores the executions of an interaction with values. The nodes that the observer sees refer to the pool of
/// [`Learned::letters`].
///
/// # Errors
/// If the interaction is too large.
pub fn explore_valued(
    pool: &Pool,
    valued: &Valued,
    config: &Config,
    observer: &mut dyn Observer,
) -> Result<(Report, Positions, Learned), Unfit> {
    let lifelines = pool.signature().lifeline_count();
    let nothing = MultiTrace::empty(Partition::discrete(lifelines));
    let facts = Facts::unknown(&nothing, valued.fields.items.len());
    let carried = Carried { valued, facts: &facts, clocks: Clocks::default() };
    let anchors = clocks_of(&carried, &nothing);
    let question = Question::ACCEPT;
    let problems = Problems::new(pool, &carried, &nothing, (&question, &anchors));
    let (values, mut own, term) = Values::new(pool, &carried, &problems).ok_or(Unfit::TooLarge)?;
    let frontiers = Frontiers::default();
    let mut executions = Executions { pool: &mut own, frontiers, values: Some(values) };
    let report = executions.run(term, config, observer);
    let Executions { frontiers, values, .. } = executions;
    let values = values.ok_or(Unfit::TooLarge)?;
    Ok((report, frontiers.positions, values.learned(own)))
}

/// Spans the execution tree: all steps of all follow-ups.
struct Executions<'a, 'p> {
    pool: &'a mut Pool,
    frontiers: Frontiers,
    values: Option<Values<'p>>,
}

impl Executions<'_, '_> {
    fn run(&mut self, term: TermId, config: &Config, observer: &mut dyn Observer) -> Report {
        let config = Config { goal: None, ..config.clone() };
        let term = simplify(self.pool, term);
        let lifelines = self.pool.signature().lifeline_count();
        let (store, consumed) = match &mut self.values {
            Some(values) => (values.root(self.pool, term), vec![0; lifelines].into()),
            None => (StoreId(0), Box::default()),
        };
        let root = SearchState {
            term,
            consumed,
            removed: Pool::NONE,
            measure: Measure::default(),
            exact: true,
            store,
        };
        search::search(self, root, &config, observer)
    }
}

impl Expander for Executions<'_, '_> {
    fn expand(&mut self, state: &SearchState, _: Option<Rule>) -> Expansion {
        let mut children = Vec::new();
        if let Some(values) = &mut self.values {
            let steps = values.steps(self.pool, &mut self.frontiers, state.term);
            for taken in steps.iter() {
                let fired = values.fire((state.store, &state.consumed), taken, &[]);
                let Some(store) = fired else { continue };
                let next = SearchState { term: taken.step.follow_up, store, ..state.clone() };
                children.push((Rule::Execute(occurrence(self.pool, &taken.step)), next));
            }
        } else {
            let steps = self.frontiers.steps(self.pool, state.term);
            children.extend(steps.iter().map(|step| {
                let next = SearchState { term: step.follow_up, ..state.clone() };
                (Rule::Execute(occurrence(self.pool, step)), next)
            }));
        }
        let ends = self.pool.attributes(state.term).terminates;
        let leaf = Leaf { kind: LeafKind::Cov, verdict: Verdict::Pass };
        (ends.then_some(leaf), children)
    }

    fn pool(&self) -> &Pool {
        self.pool
    }

    fn bytes(&self) -> usize {
        self.values.as_ref().map_or(0, Values::bytes)
    }
}
