//! A simple, independent check of answers.
//!
//! For a Pass or WeakPass the [`Witness`] is replayed: each event must be a step of what is left
//! of the interaction, be what comes next on every component that observed it, and be outside the
//! period of observation of the others. This uses the step relation and the multi-trace, and
//! none of the searches.
//!
//! # What is outside the period of observation
//!
//! | declared | an event may go unobserved |
//! |---|---|
//! | complete | never |
//! | may stop early | after its last moment |
//! | may start late | before its first |
//! | both | before its first and after its last |
//! | unobserved | always; what is recorded is not looked at, and nothing may be observed |
//!
//! In a global prefix an event goes unobserved on all components or on none, and only when
//! everything is observed.
//!
//! # How a witness ends
//!
//! Everything observed must be explained. For a Pass nothing may go unobserved but on components
//! that are unobserved altogether, and the interaction must be able to end. If each component is
//! complete or unobserved there is no WeakPass. For a WeakPass of a [`Question`] it must be able to end as
//! well: a witness is a whole execution, with what was missing at the end filled in. Without that
//! it would show too little: after the last observed event, something on a complete component may
//! be left that has to happen. Only a global prefix may just stop, if nothing at all is
//! unobserved, since whatever is left of an interaction can be brought to an end.
//!
//! The searches of the papers ([`Kind`]) stop when the multi-trace is explained. Under all of
//! them every component may stop early, so the same argument applies, and their WeakPass needs no
//! end. In `accept` and `prefix` no event is unobserved. In `eliminate` none is either; lifelines
//! whose traces are over are removed instead, which is right for tuples of local traces and not
//! always for global ones (see [`remove`](mod@otus_core::algebra::remove)).
//!
//! # Refutations
//!
//! For a Fail the nodes of an exhausted search are a certificate ([`closed`]): the first node is
//! among them, every rule leads from one of them to another, and none of them passes. Certificates
//! that depend on no search are in [`refute`](mod@crate::refute).

use otus_core::algebra::{remove, simplify};
use otus_core::semantics::Frontiers;
use otus_core::{ActionId, EventId, Pool, RegionId, TermId};
use otus_trace::MultiTrace;
use otus_trace::multitrace::ComponentId;

use crate::config::{Config, Kind};
use crate::graph::Rules;
use crate::graph::search::Span as _;
use crate::graph::state::State;
use crate::question::{Observed, Question};
use crate::verdict::Verdict;
use crate::witness::{Place, Witness, WitnessStep};

/// What is wrong with a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refuted {
    /// The event at this index is no step of what is left of the interaction.
    NoSuchStep(usize),
    /// The event at this index is not what was observed next.
    NotObserved(usize),
    /// The event at this index was not observed, but lies inside a period of observation.
    InsideObservation(usize),
    /// A step of this kind has no place in the claimed verdict.
    NotAllowed(usize),
    /// A lifeline is removed at this index while its trace goes on.
    RemovedTooEarly(usize),
    /// The multi-trace is not consumed.
    Unexplained,
    /// The interaction may not end there.
    NotTerminated,
    /// A node that can be reached is missing, or passes.
    NotClosed(usize),
    /// A state of a certificate is not blocked for the reason that is given.
    NotBlocked(usize),
}

impl std::fmt::Display for Refuted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refuted::NoSuchStep(at) => write!(f, "step {at} is not possible there"),
            Refuted::NotObserved(at) => write!(f, "step {at} is not what was observed next"),
            Refuted::InsideObservation(at) => {
                write!(f, "step {at} would have been observed, and was not")
            }
            Refuted::NotAllowed(at) => write!(f, "step {at} does not fit the verdict"),
            Refuted::RemovedTooEarly(at) => write!(f, "step {at} removes what is still observed"),
            Refuted::Unexplained => f.write_str("some of what was observed is not explained"),
            Refuted::NotTerminated => f.write_str("the interaction may not end there"),
            Refuted::NotClosed(at) => write!(f, "node {at} leads out of the set, or passes"),
            Refuted::NotBlocked(at) => write!(f, "state {at} is not blocked as is said"),
        }
    }
}

impl std::error::Error for Refuted {}

/// What a witness is to show.
#[derive(Debug, Clone)]
pub struct Claim {
    question: Question,
    verdict: Verdict,
    form: Form,
}

/// What a witness is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A whole execution of the interaction, or a global prefix of one.
    Whole,
    /// Observed events, of `accept` and `prefix`.
    Executed,
    /// Observed events and removed lifelines.
    Eliminated,
    /// Events of which some are not observed, up to the last observed one.
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

/// Checks that a witness shows a verdict, on a question or of a kind of analysis.
///
/// # Errors
/// Says which step of the witness does not hold.
pub fn certify(
    pool: &mut Pool,
    term: TermId,
    trace: &MultiTrace,
    claim: impl Into<Claim>,
    witness: &Witness,
) -> Result<(), Refuted> {
    let Claim { question, verdict, form } = claim.into();
    let mut replay = Replay {
        frontiers: Frontiers::default(),
        term: simplify(pool, term),
        trace,
        question: &question,
        form,
        consumed: vec![0; trace.partition().len()],
        pool,
    };
    let mut complete = true;
    for (at, step) in witness.steps.iter().enumerate() {
        match step {
            WitnessStep::Observed(place) | WitnessStep::Unobserved(place) => {
                complete &= replay.observe(at, place)?;
                replay.step(at, place)?;
                let is_observed = matches!(step, WitnessStep::Observed(_));
                if is_observed != (place.observed != Pool::NONE) {
                    return Err(Refuted::NotAllowed(at));
                }
            }
            WitnessStep::Removed(region) => complete &= replay.remove(at, *region)?,
        }
    }
    if !replay.all_over() {
        return Err(Refuted::Unexplained);
    }
    let ends = replay.pool.attributes(replay.term).terminates;
    let nothing_is_missing = match &question {
        Question::GlobalPrefix => false,
        Question::Uniform(Observed::Complete | Observed::Unobserved) => true,
        Question::Uniform(Observed::StopsEarly | Observed::StartsLate | Observed::Slice) => false,
        Question::Each(_) => trace.partition().components().all(|component| {
            matches!(question.of(component), Observed::Complete | Observed::Unobserved)
        }),
    };
    let stops = complete && question == Question::GlobalPrefix;
    match verdict {
        Verdict::Pass if !complete => Err(Refuted::NotAllowed(witness.steps.len())),
        Verdict::Pass if !ends => Err(Refuted::NotTerminated),
        // What can miss nothing passes or fails.
        Verdict::WeakPass if nothing_is_missing => Err(Refuted::NotTerminated),
        Verdict::WeakPass if form == Form::Whole && !ends && !stops => Err(Refuted::NotTerminated),
        Verdict::Pass | Verdict::WeakPass => Ok(()),
        Verdict::Fail | Verdict::WeakFail | Verdict::Inconclusive => {
            Err(Refuted::NotAllowed(witness.steps.len()))
        }
    }
}

struct Replay<'a> {
    pool: &'a mut Pool,
    frontiers: Frontiers,
    term: TermId,
    trace: &'a MultiTrace,
    question: &'a Question,
    form: Form,
    /// By component: how many actions are consumed.
    consumed: Vec<usize>,
}

impl Replay<'_> {
    /// Takes the step of an event at a position.
    fn step(&mut self, at: usize, place: &Place) -> Result<(), Refuted> {
        let steps = self.frontiers.steps(self.pool, self.term);
        let same = |position| {
            self.frontiers.positions.letters(position).eq(place.position.iter().copied())
        };
        let step = steps.iter().find(|step| step.event == place.event && same(step.position));
        self.term = step.ok_or(Refuted::NoSuchStep(at))?.follow_up;
        Ok(())
    }

    /// Each component that an event touches observed it, and then its actions there are the next
    /// moment, or did not, and then it is outside the period of observation. Returns whether all
    /// did that are observed at all.
    fn observe(&mut self, at: usize, place: &Place) -> Result<bool, Refuted> {
        let mut complete = true;
        // One component at a time, except in a global prefix.
        let anywhere = *self.question != Question::GlobalPrefix || self.all_over();
        for (component, actions) in self.by_component(place.event) {
            let seen = |&action: &ActionId| {
                let lifeline = self.pool.action(action).lifeline;
                self.pool.region_contains(place.observed, lifeline)
            };
            // A component has one clock: it sees all of the event that is on it, or nothing.
            if actions.iter().all(seen) {
                self.consume(at, component, actions)?;
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

    /// Whether what happens on a component now is outside its period of observation.
    fn is_outside(&self, component: ComponentId) -> bool {
        let declared = self.question.of(component);
        let started = self.consumed[component.0 as usize] > 0;
        let over = self.rest(component).is_empty();
        declared.may_start_late() && !started || declared.may_stop_early() && over
    }

    /// Removes lifelines whose traces are over. Returns whether none of them was left.
    fn remove(&mut self, at: usize, region: RegionId) -> Result<bool, Refuted> {
        if self.form != Form::Eliminated {
            return Err(Refuted::NotAllowed(at));
        }
        let lifelines = self.pool.region(region);
        let partition = self.trace.partition();
        let over = |lifeline| self.rest(partition.component_of(lifeline)).is_empty();
        if !lifelines.iter().all(over) {
            return Err(Refuted::RemovedTooEarly(at));
        }
        let none_was_left = self.pool.lifelines(self.term).is_disjoint(&lifelines);
        self.term = remove(self.pool, &mut self.frontiers.memo, self.term, region);
        Ok(none_was_left)
    }

    /// Consumes the next moment of a component, which must be these actions.
    fn consume(
        &mut self,
        at: usize,
        component: ComponentId,
        mut actions: Vec<ActionId>,
    ) -> Result<(), Refuted> {
        let rest = self.rest(component);
        let end = 1 + rest.iter().skip(1).take_while(|step| step.joined()).count();
        let mut moment: Vec<ActionId> = rest.iter().take(end).map(|step| step.action()).collect();
        moment.sort_unstable();
        actions.sort_unstable();
        if moment != actions {
            return Err(Refuted::NotObserved(at));
        }
        self.consumed[component.0 as usize] += moment.len();
        Ok(())
    }

    fn by_component(&self, event: EventId) -> Vec<(ComponentId, Vec<ActionId>)> {
        let mut parts: Vec<(ComponentId, Vec<ActionId>)> = Vec::new();
        for &action in self.pool.event_actions(event) {
            let lifeline = self.pool.action(action).lifeline;
            let component = self.trace.partition().component_of(lifeline);
            match parts.iter_mut().find(|(known, _)| *known == component) {
                Some((_, actions)) => actions.push(action),
                None => parts.push((component, vec![action])),
            }
        }
        parts
    }

    /// Whether everything observed is explained.
    fn all_over(&self) -> bool {
        self.trace.partition().components().all(|component| self.rest(component).is_empty())
    }

    /// What is still to be explained of a component: nothing if it is unobserved, whatever is
    /// recorded for it.
    fn rest(&self, component: ComponentId) -> &[otus_trace::multitrace::Step] {
        match self.question.of(component) {
            Observed::Unobserved => &[],
            Observed::Complete | Observed::StopsEarly | Observed::StartsLate | Observed::Slice => {
                &self.trace.steps(component)[self.consumed[component.0 as usize]..]
            }
        }
    }
}

/// Checks that a set of nodes shows that nothing better than `verdict` can be reached: the root
/// is in it, no rule leads out of it, and no leaf in it is better.
///
/// # Errors
/// Names the node that leads out of the set or is better.
pub fn closed(
    pool: &mut Pool,
    term: TermId,
    trace: &MultiTrace,
    (config, verdict): (&Config, Verdict),
    states: &[State],
) -> Result<(), Refuted> {
    let mut rules = Rules::new(pool, trace, config);
    let root = rules.root(term);
    let set: rustc_hash::FxHashSet<&State> = states.iter().collect();
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
