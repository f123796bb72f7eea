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
pub mod shown;
pub mod state;
pub mod values;

use std::time::Instant;

use otus_core::semantics::{Frontiers, Positions};
use otus_core::{Pool, TermId};
use otus_trace::MultiTrace;

use crate::budget::Stop;
use crate::config::{Config, Kind};
use crate::verdict::Verdict;
use crate::witness::Witness;
use values::{Problems, Values, clocks_of};

pub use rules::Rules;
pub use search::{NodeId, Observer, Report, Silent};
pub use state::{Leaf, LeafKind, Rule, SearchState};
pub use values::{Carried, Learned};

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
    /// The interaction has too many leaves, once shared parts are written out.
    #[error("the interaction is too large for the searches of the papers")]
    TooLarge,
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
    require_discrete(trace, config)?;
    let started = Instant::now();
    let mut rules = Rules::new(pool, trace, config);
    let mut outcome = run(&mut rules, term, config, observer).into_outcome(rules.into_positions());
    if let Some(exact) = again(config, &outcome, started) {
        let mut rules = Rules::new(pool, trace, &exact);
        let found = run(&mut rules, term, &exact, &mut Silent);
        outcome.improve(found.into_outcome(rules.into_positions()));
    }
    Ok(outcome)
}

/// Analyses a multi-trace with values against an interaction with guards and binders. The nodes that the observer sees
/// refer to the pool of [`Learned::letters`]; the witness refers to the `original` pool.
///
/// A search that removes lifelines may leave conditions behind, which are no steps of the skeleton; it has no witness then.
///
/// # Errors
/// If the kind of analysis is not defined for the partition of the multi-trace, or the interaction is too large.
pub fn analyze_valued(
    original: &mut Pool,
    carried: &Carried<'_>,
    trace: &MultiTrace,
    config: &Config,
    observer: &mut dyn Observer,
) -> Result<(Outcome, Learned), Unfit> {
    require_discrete(trace, config)?;
    let started = Instant::now();
    let (question, anchors) = (config.kind.question(), clocks_of(carried, trace));
    let problems = Problems::new(original, carried, trace, (&question, &anchors));
    let (values, mut pool, term) =
        Values::new(original, carried, &problems).ok_or(Unfit::TooLarge)?;
    let known = (values, Frontiers::default());
    let mut rules = Rules::with_values(&mut pool, known, trace, config);
    let found = run(&mut rules, term, config, observer);
    let (frontiers, values) = rules.into_parts();
    let mut outcome = found.into_outcome(frontiers.positions.clone());
    let mut values = values.ok_or(Unfit::TooLarge)?;
    if let Some(exact) = again(config, &outcome, started) {
        let mut rules = Rules::with_values(&mut pool, (values, frontiers), trace, &exact);
        let found = run(&mut rules, term, &exact, &mut Silent);
        let (frontiers, used) = rules.into_parts();
        outcome.improve(found.into_outcome(frontiers.positions));
        values = used.ok_or(Unfit::TooLarge)?;
    }
    let learned = values.learned(pool);
    let witness = outcome.witness.take();
    outcome.witness = witness.and_then(|witness| learned.plain(witness, original));
    Ok((outcome, learned))
}

fn require_discrete(trace: &MultiTrace, config: &Config) -> Result<(), Unfit> {
    if config.kind == Kind::Eliminate && !trace.partition().is_discrete() {
        return Err(Unfit::NotDiscrete);
    }
    Ok(())
}

/// The result of a search.
struct Found {
    report: Report,
    kind: Kind,
    /// Whether some conditions on values could not be decided.
    is_undecided: bool,
}

fn run(
    rules: &mut Rules<'_, '_>,
    term: TermId,
    config: &Config,
    observer: &mut dyn Observer,
) -> Found {
    let root = rules.root(term);
    let report = search::search(rules, root, config, observer);
    Found { report, kind: config.kind, is_undecided: rules.is_undecided() }
}

/// Removal forgets whether the removed lifelines could have been silent, so `accept` is asked as well, with the rest
/// of the budget.
fn again(config: &Config, outcome: &Outcome, started: Instant) -> Option<Config> {
    let is_open = config.kind == Kind::Eliminate
        && outcome.verdict == Verdict::WeakPass
        && config.goal != Some(Verdict::WeakPass);
    is_open.then(|| {
        let mut exact = Config { kind: Kind::Accept, ..config.clone() };
        let left = |most: Option<u64>| most.map(|most| most.saturating_sub(outcome.nodes));
        exact.budget.max_states = left(config.budget.max_states);
        exact.filters.nodes = left(config.filters.nodes);
        exact.budget.timeout = config.budget.timeout.map(|t| t.saturating_sub(started.elapsed()));
        exact
    })
}

impl Outcome {
    /// Takes the answer of another search into account, if it is a Pass.
    fn improve(&mut self, other: Outcome) {
        self.nodes += other.nodes;
        if other.verdict == Verdict::Pass {
            self.verdict = Verdict::Pass;
            self.reason = None;
            self.witness = other.witness;
        } else if self.reason.is_none() {
            self.reason = other.reason;
            if other.stop.is_early() {
                self.stop = other.stop;
            }
        }
    }
}

impl Found {
    fn into_outcome(self, positions: Positions) -> Outcome {
        let Found { report, kind, .. } = &self;
        let best = report.best.map_or(kind.worst(), |(_, leaf)| leaf.verdict);
        let missed = report.stop.is_early() || report.cut || self.is_undecided;
        let undecided = missed && best < Verdict::Inconclusive;
        Outcome {
            verdict: if undecided { Verdict::Inconclusive } else { best },
            reason: if best < Verdict::Pass { self.reason() } else { None },
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
    fn reason(&self) -> Option<String> {
        if self.report.stop.is_early() {
            Some(self.report.stop.reason().to_owned())
        } else if self.report.cut {
            Some("a filter cut the graph".to_owned())
        } else {
            self.is_undecided
                .then(|| "conditions on unlogged values could not be decided".to_owned())
        }
    }
}
