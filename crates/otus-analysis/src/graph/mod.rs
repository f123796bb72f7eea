//! The searches of the papers, as written.
//!
//! One driver ([`search`]) explores a graph whose edges are given by rules ([`rules`]): those of
//! `accept` and `prefix` (the HIBOU README of 2020, section 4.3), of `eliminate` (Mahe et al.,
//! "Dealing with observability…", Def. 6) and of `simulate` (Mahe et al., "Tooling offline runtime
//! verification…", Def. 7). An [`Observer`] sees every step of a search, to draw or export its
//! graph, and cannot change it.

pub mod local;
pub mod measure;
pub mod queue;
pub mod record;
mod reduce;
pub mod rules;
pub mod search;
pub mod state;

use std::time::Instant;

use otus_core::semantics::Positions;
use otus_core::{Pool, TermId};
use otus_trace::MultiTrace;

use crate::budget::Stop;
use crate::config::{Config, Kind};
use crate::verdict::Verdict;
use crate::witness::Witness;

pub use rules::Rules;
pub use search::{NodeId, Observer, Report, Silent};
pub use state::{Leaf, LeafKind, Rule, SearchState};

/// The result of an analysis.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// For an undecided verdict: why it is not better.
    pub reason: Option<String>,
    /// The number of nodes.
    pub nodes: u64,
    /// Why the search ended.
    pub stop: Stop,
    /// The path to the leaf that decided, for a Pass or WeakPass.
    pub witness: Option<Witness>,
    /// The positions that the observed rules refer to.
    pub positions: Positions,
}

/// The reason why the papers' algorithms do not cover an analysis.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// `eliminate` is defined on the discrete partition.
    #[error(
        "`eliminate` removes lifelines one by one and is defined only when every lifeline has a \
         component of its own; use `simulate` with `before = false` here"
    )]
    NotDiscrete,
}

/// Analyses a multi-trace against an interaction.
///
/// # Errors
/// If the kind of analysis is not defined for the partition of the multi-trace.
pub fn analyze(
    pool: &mut Pool,
    term: TermId,
    trace: &MultiTrace,
    config: &Config,
    observer: &mut dyn Observer,
) -> Result<Outcome, Unfit> {
    if config.kind == Kind::Eliminate && !trace.partition().is_discrete() {
        return Err(Unfit::NotDiscrete);
    }
    let started = Instant::now();
    let mut rules = Rules::new(pool, trace, config);
    let root = rules.root(term);
    let report = search::search(&mut rules, root, config, observer);
    let mut outcome = outcome(&report, config, rules.into_positions());
    // Removal forgets whether the removed lifelines could have been silent, so `accept` is asked
    // as well, with the rest of the budget.
    if config.kind == Kind::Eliminate
        && outcome.verdict == Verdict::WeakPass
        && config.goal != Some(Verdict::WeakPass)
    {
        let mut exact = Config { kind: Kind::Accept, ..config.clone() };
        let left = |most: Option<u64>| most.map(|most| most.saturating_sub(outcome.nodes));
        exact.budget.max_states = left(config.budget.max_states);
        exact.filters.nodes = left(config.filters.nodes);
        exact.budget.timeout = config.budget.timeout.map(|t| t.saturating_sub(started.elapsed()));
        let mut rules = Rules::new(pool, trace, &exact);
        let root = rules.root(term);
        let again = search::search(&mut rules, root, &exact, &mut Silent);
        outcome.nodes += again.nodes;
        if again.best.is_some_and(|(_, leaf)| leaf.verdict == Verdict::Pass) {
            let positions = rules.into_positions();
            outcome.verdict = Verdict::Pass;
            outcome.reason = None;
            outcome.witness = again.path().map(|path| Witness::new(&path, &positions));
        } else if outcome.reason.is_none() {
            outcome.reason = reason(&again);
            if again.stop.is_early() {
                outcome.stop = again.stop;
            }
        }
    }
    Ok(outcome)
}

fn outcome(report: &Report, config: &Config, positions: Positions) -> Outcome {
    let best = report.best.map_or(config.kind.worst(), |(_, leaf)| leaf.verdict);
    let missed = report.stop.is_early() || report.cut;
    let undecided = missed && best < Verdict::Inconclusive;
    let reason = if best < Verdict::Pass { reason(report) } else { None };
    Outcome {
        verdict: if undecided { Verdict::Inconclusive } else { best },
        reason,
        nodes: report.nodes,
        stop: report.stop,
        witness: (best >= Verdict::WeakPass)
            .then(|| report.path())
            .flatten()
            .map(|path| Witness::new(&path, &positions)),
        positions,
    }
}

/// The reason why the search may have missed a better verdict.
fn reason(report: &Report) -> Option<String> {
    if report.stop.is_early() {
        Some(report.stop.reason().to_owned())
    } else {
        report.cut.then(|| "a filter cut the graph".to_owned())
    }
}
