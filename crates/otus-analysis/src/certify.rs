//! An independent checker of witnesses.
//!
//! For a Pass or WeakPass it replays the [`Witness`]: each event must be a step of the interaction
//! that is left, must be the next moment on every component that observed it, and must lie outside
//! the period of observation of the others. The checker uses the step relation and the multi-trace,
//! and none of the searches.
//!
//! # The period of observation
//!
//! | declared | an event may be unobserved on this component |
//! |---|---|
//! | complete | never |
//! | may stop early | after the last moment |
//! | may start late | before the first moment |
//! | both | before the first and after the last moment |
//! | unobserved | always; recorded actions are ignored, and no event may be observed |
//!
//! In a global prefix an event is unobserved on all of its components or on none, and only after
//! every log is consumed.
//!
//! # The end of a witness
//!
//! The whole multi-trace must be consumed. For a Pass, events may be unobserved only on components
//! declared unobserved, and the interaction must be able to terminate. If each component is
//! complete or unobserved, there is no WeakPass. For a WeakPass on a [`Question`] the interaction
//! must be able to terminate as well: the witness is a whole execution, with the missing events
//! filled in. Without this condition the witness would prove too little, because an event on a
//! complete component might still have to happen after the last observed one. The exception is a
//! global prefix in which nothing is unobserved: it may stop anywhere, since every residual of an
//! interaction can be completed.
//!
//! The searches of the papers ([`Kind`]) stop as soon as the multi-trace is consumed. In all of
//! them every component may stop early, so by the same argument their WeakPass needs no
//! termination. In `accept`, `prefix` and `eliminate` no event is unobserved. `eliminate` removes
//! lifelines whose traces are over instead, which is sound for tuples of local traces but not
//! always for global traces (see [`remove`](mod@otus_core::algebra::remove)).
//!
//! # Refutations
//!
//! The nodes of an exhausted search certify a Fail ([`closed`]): the root is among them, every rule
//! leads from one of them to another, and none of them passes. Certificates that are independent of
//! the searches are in [`refute`](mod@crate::refute).

use otus_core::algebra::{Memo, remove, simplify};
use otus_core::index::Index as _;
use otus_core::semantics::execute;
use otus_core::{ActionId, Pool, RegionId, TermId};
use otus_trace::multitrace::ComponentId;
use otus_trace::{MultiTrace, ObservedOrder};

use crate::config::{Config, Kind};
use crate::graph::Rules;
use crate::graph::search::Expander as _;
use crate::graph::state::SearchState;
use crate::observation::by_component;
use crate::question::{Observed, Question};
use crate::verdict::Verdict;
use crate::witness::{Witness, WitnessEvent, WitnessStep};

/// The reason why a certificate does not prove its claim.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refuted {
    /// The event at this index is not a step of the interaction that is left.
    #[error("step {0} is not possible there")]
    NoSuchStep(usize),
    /// The event at this index is not the next observed moment.
    #[error("step {0} is not what was observed next")]
    NotObserved(usize),
    /// The event at this index is unobserved, but lies inside a period of observation.
    #[error("step {0} should have been observed, but was not")]
    InsideObservation(usize),
    /// The claimed verdict does not allow a step of this kind.
    #[error("step {0} does not fit the verdict")]
    NotAllowed(usize),
    /// A lifeline is removed at this index before its trace is consumed.
    #[error("step {0} removes a lifeline that is still observed")]
    RemovedTooEarly(usize),
    /// The multi-trace is not consumed completely.
    #[error("some of what was observed is not explained")]
    Unexplained,
    /// The interaction cannot terminate at the end of the witness.
    #[error("the interaction may not end there")]
    NotTerminated,
    /// A reachable node is missing from the set, or a node of the set passes.
    #[error("node {0} leads out of the set, or passes")]
    NotClosed(usize),
    /// The event at this index comes before one that was observed to happen before it.
    #[error("step {0} comes too early for the order that was observed between logs")]
    OutOfOrder(usize),
    /// A state of a certificate is not blocked for the stated reason.
    #[error("state {0} is not blocked for the stated reason")]
    NotBlocked(usize),
}

/// Whether a witness respects an observed order.
///
/// # Errors
/// The first event that comes too early.
pub fn certify_order(
    pool: &Pool,
    trace: &MultiTrace,
    order: &ObservedOrder,
    witness: &Witness,
) -> Result<(), Refuted> {
    let partition = trace.partition();
    // For each component: the number of the event of each step that was observed so far.
    let mut events: Vec<Vec<usize>> = vec![Vec::new(); partition.len()];
    for (number, step) in witness.steps.iter().enumerate() {
        let Some(place) = step.event() else { continue };
        for &action in pool.event_actions(place.event) {
            let lifeline = pool.action(action).lifeline;
            if pool.region_contains(place.observed, lifeline) {
                events[partition.component_of(lifeline).index()].push(number);
            }
        }
    }
    for edge in order.edges() {
        let event =
            |(component, step): (ComponentId, usize)| events[component.index()].get(step).copied();
        // Actions of unobserved components are ignored.
        if let (Some(cause), Some(effect)) = (event(edge.from), event(edge.to))
            && cause > effect
        {
            return Err(Refuted::OutOfOrder(effect));
        }
    }
    Ok(())
}

/// The verdict that a witness claims to prove.
#[derive(Debug, Clone)]
pub struct Claim {
    question: Question,
    verdict: Verdict,
    form: Form,
}

/// The kinds of steps that a witness may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A whole execution of the interaction, or a global prefix of one.
    Whole,
    /// Observed events only, for `accept` and `prefix`.
    Executed,
    /// Observed events and removals of lifelines.
    Eliminated,
    /// Observed and unobserved events, up to the last observed one.
    Simulated,
}

impl From<(&Question, Verdict)> for Claim {
    fn from((question, verdict): (&Question, Verdict)) -> Self {
        Claim { question: question.clone(), verdict, form: Form::Whole }
    }
}

impl From<(Kind, Verdict)> for Claim {
    fn from((kind, verdict): (Kind, Verdict)) -> Self {
        let (question, form) = match kind {
            Kind::Accept => (Question::ACCEPT, Form::Executed),
            Kind::Prefix => (Question::GlobalPrefix, Form::Executed),
            Kind::Eliminate => (Question::MULTI_PREFIX, Form::Eliminated),
            Kind::Simulate(simulation) if simulation.before => (Question::SLICE, Form::Simulated),
            Kind::Simulate(_) => (Question::MULTI_PREFIX, Form::Simulated),
        };
        Claim { question, verdict, form }
    }
}

/// Checks that a witness proves a verdict on a question, or of a kind of analysis.
///
/// # Errors
/// The first step of the witness that does not hold.
pub fn certify(
    pool: &mut Pool,
    term: TermId,
    trace: &MultiTrace,
    claim: impl Into<Claim>,
    witness: &Witness,
) -> Result<(), Refuted> {
    let mut rest = Residual { memo: Memo::default(), term: simplify(pool, term) };
    replay(pool, trace, claim.into(), witness, &mut rest)
}

/// What is left of an interaction while a witness is replayed.
pub(crate) trait Rest {
    /// Why the witness does not hold.
    type Error: From<Refuted>;

    /// Takes the step of an event at its position.
    fn step(&mut self, pool: &mut Pool, at: usize, place: &WitnessEvent)
    -> Result<(), Self::Error>;

    /// Removes lifelines; returns whether there were no events on them.
    fn remove(&mut self, pool: &mut Pool, region: RegionId) -> bool;

    /// Whether the interaction can terminate.
    fn terminates(&self, pool: &Pool) -> bool;
}

/// A term that is left.
struct Residual {
    memo: Memo,
    term: TermId,
}

impl Rest for Residual {
    type Error = Refuted;

    fn step(&mut self, pool: &mut Pool, at: usize, place: &WitnessEvent) -> Result<(), Refuted> {
        let position = place.position.iter().copied();
        let step = execute(pool, &mut self.memo, self.term, position);
        let step = step.filter(|&(event, _)| event == place.event);
        (_, self.term) = step.ok_or(Refuted::NoSuchStep(at))?;
        Ok(())
    }

    fn remove(&mut self, pool: &mut Pool, region: RegionId) -> bool {
        let none_was_left = pool.lifelines(self.term).is_disjoint(&pool.region(region));
        self.term = remove(pool, &mut self.memo, self.term, region);
        none_was_left
    }

    fn terminates(&self, pool: &Pool) -> bool {
        pool.attributes(self.term).terminates
    }
}

/// Replays a witness on what is left of an interaction.
pub(crate) fn replay<R: Rest>(
    pool: &mut Pool,
    trace: &MultiTrace,
    claim: Claim,
    witness: &Witness,
    rest: &mut R,
) -> Result<(), R::Error> {
    let Claim { question, verdict, form } = claim;
    let consumed = vec![0; trace.partition().len()];
    let mut replay = Replay { trace, question: &question, form, consumed, pool };
    let mut complete = true;
    for (at, step) in witness.steps.iter().enumerate() {
        match step {
            WitnessStep::Observed(place) | WitnessStep::Unobserved(place) => {
                complete &= replay.observe(at, place)?;
                rest.step(replay.pool, at, place)?;
                let is_observed = matches!(step, WitnessStep::Observed(_));
                if is_observed != (place.observed != Pool::NONE) {
                    return Err(Refuted::NotAllowed(at).into());
                }
            }
            WitnessStep::Removed(region) => {
                replay.may_remove(at, *region)?;
                complete &= rest.remove(replay.pool, *region);
            }
        }
    }
    if !replay.all_over() {
        return Err(Refuted::Unexplained.into());
    }
    let ends = rest.terminates(replay.pool);
    let nothing_is_missing = trace.partition().components().all(|component| {
        matches!(question.of(component), Observed::Complete | Observed::Unobserved)
    });
    let stops = complete && question == Question::GlobalPrefix;
    let refuted = match verdict {
        Verdict::Pass if !complete => Refuted::NotAllowed(witness.steps.len()),
        Verdict::Pass if !ends => Refuted::NotTerminated,
        // Without missing observations the verdict is Pass or Fail.
        Verdict::WeakPass if nothing_is_missing => Refuted::NotTerminated,
        Verdict::WeakPass if form == Form::Whole && !ends && !stops => Refuted::NotTerminated,
        Verdict::Pass | Verdict::WeakPass => return Ok(()),
        Verdict::Fail | Verdict::WeakFail | Verdict::Inconclusive => {
            Refuted::NotAllowed(witness.steps.len())
        }
    };
    Err(refuted.into())
}

struct Replay<'a> {
    pool: &'a mut Pool,
    trace: &'a MultiTrace,
    question: &'a Question,
    form: Form,
    /// For each component: the number of consumed actions.
    consumed: Vec<usize>,
}

impl Replay<'_> {
    /// Checks an event on every component it touches: either the component observed it, and the
    /// event's actions there are the next moment, or the event lies outside the component's period
    /// of observation. Returns whether the event was observed by every component that is not
    /// declared unobserved.
    fn observe(&mut self, at: usize, place: &WitnessEvent) -> Result<bool, Refuted> {
        let mut complete = true;
        // A global prefix stops on all components at once.
        let anywhere = *self.question != Question::GlobalPrefix || self.all_over();
        for (component, actions) in by_component(self.pool, self.trace.partition(), place.event) {
            let seen = |&action: &ActionId| {
                let lifeline = self.pool.action(action).lifeline;
                self.pool.region_contains(place.observed, lifeline)
            };
            // A component has one clock, so it observes either all of the event's actions on it or
            // none.
            if actions.iter().all(seen) {
                self.consume(at, component, &actions)?;
            } else if actions.iter().any(seen) {
                return Err(Refuted::NotObserved(at));
            } else {
                match self.form {
                    Form::Whole | Form::Simulated => {}
                    Form::Executed | Form::Eliminated => return Err(Refuted::NotAllowed(at)),
                }
                if !anywhere || !self.is_outside(component) {
                    return Err(Refuted::InsideObservation(at));
                }
                complete &= self.question.of(component) == Observed::Unobserved;
            }
        }
        Ok(complete)
    }

    /// Whether events on a component are now outside its period of observation.
    fn is_outside(&self, component: ComponentId) -> bool {
        let declared = self.question.of(component);
        let started = self.consumed[component.0 as usize] > 0;
        let over = self.rest(component).is_empty();
        declared.may_start_late() && !started || declared.may_stop_early() && over
    }

    /// Whether lifelines may be removed: their traces are consumed.
    fn may_remove(&self, at: usize, region: RegionId) -> Result<(), Refuted> {
        if self.form != Form::Eliminated {
            return Err(Refuted::NotAllowed(at));
        }
        let lifelines = self.pool.region(region);
        let partition = self.trace.partition();
        let over = |lifeline| self.rest(partition.component_of(lifeline)).is_empty();
        if lifelines.iter().all(over) { Ok(()) } else { Err(Refuted::RemovedTooEarly(at)) }
    }

    /// Consumes the next moment of a component, which must consist of these actions.
    fn consume(
        &mut self,
        at: usize,
        component: ComponentId,
        actions: &[ActionId],
    ) -> Result<(), Refuted> {
        let rest = self.rest(component);
        let end = 1 + rest.iter().skip(1).take_while(|step| step.joined()).count();
        let mut moment: Vec<ActionId> = rest.iter().take(end).map(|step| step.action()).collect();
        moment.sort_unstable();
        if moment != actions {
            return Err(Refuted::NotObserved(at));
        }
        self.consumed[component.0 as usize] += moment.len();
        Ok(())
    }

    fn all_over(&self) -> bool {
        self.trace.partition().components().all(|component| self.rest(component).is_empty())
    }

    /// The steps of a component that are not consumed yet; none for an unobserved component.
    fn rest(&self, component: ComponentId) -> &[otus_trace::multitrace::Step] {
        if self.question.of(component) == Observed::Unobserved {
            return &[];
        }
        &self.trace.steps(component)[self.consumed[component.0 as usize]..]
    }
}

/// Checks that a set of nodes proves that no verdict better than `verdict` is reachable: the set
/// contains the root, no rule leads out of it, and none of its leaves is better.
///
/// # Errors
/// The index of the first node that leads out of the set or is better.
pub fn closed(
    pool: &mut Pool,
    term: TermId,
    trace: &MultiTrace,
    config: &Config,
    verdict: Verdict,
    states: &[SearchState],
) -> Result<(), Refuted> {
    let mut rules = Rules::new(pool, trace, config);
    let root = rules.root(term);
    let set: rustc_hash::FxHashSet<&SearchState> = states.iter().collect();
    if !set.contains(&root) {
        return Err(Refuted::NotClosed(0));
    }
    for (at, state) in states.iter().enumerate() {
        let (leaf, children) = rules.expand(state, None);
        let better = leaf.is_some_and(|leaf| leaf.verdict > verdict);
        if better || !children.iter().all(|(_, child)| set.contains(child)) {
            return Err(Refuted::NotClosed(at));
        }
    }
    Ok(())
}
