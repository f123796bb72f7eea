//! A simple, independent check of answers.
//!
//! For a Pass or WeakPass the [`Witness`] is replayed: each event must be a step of what is left
//! of the interaction, be what comes next on every component that observed it, and be outside the
//! period of observation of the others. This uses the step relation and the multi-trace, and
//! none of the searches.
//!
//! For a Fail the nodes of an exhausted search are a certificate ([`closed`]): the first node is
//! among them, every rule leads from one of them to another, and none of them passes.

use otus_core::algebra::{remove, simplify};
use otus_core::semantics::Frontiers;
use otus_core::{ActionId, EventId, Pool, TermId};
use otus_trace::MultiTrace;
use otus_trace::multitrace::ComponentId;

use crate::config::{Config, Kind};
use crate::graph::Rules;
use crate::graph::search::Span as _;
use crate::graph::state::State;
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
        }
    }
}

impl std::error::Error for Refuted {}

/// Checks that a witness shows a verdict of a kind of analysis.
///
/// # Errors
/// Says which step of the witness does not hold.
pub fn certify(
    pool: &mut Pool,
    term: TermId,
    trace: &MultiTrace,
    (kind, verdict): (Kind, Verdict),
    witness: &Witness,
) -> Result<(), Refuted> {
    let mut replay = Replay {
        frontiers: Frontiers::default(),
        term: simplify(pool, term),
        trace,
        consumed: vec![0; trace.partition().len()],
        pool,
    };
    let mut complete = true;
    for (at, step) in witness.steps.iter().enumerate() {
        match step {
            WitnessStep::Observed(place) | WitnessStep::Unobserved(place) => {
                complete &= replay.observe(at, place, kind)?;
                replay.step(at, place)?;
                let is_observed = matches!(step, WitnessStep::Observed(_));
                if is_observed != (place.observed != Pool::NONE) {
                    return Err(Refuted::NotAllowed(at));
                }
            }
            WitnessStep::Removed(region) => {
                if kind != Kind::Eliminate {
                    return Err(Refuted::NotAllowed(at));
                }
                let lifelines = replay.pool.region(*region);
                let partition = trace.partition();
                let over = |lifeline| replay.rest(partition.component_of(lifeline)).is_empty();
                if !lifelines.iter().all(over) {
                    return Err(Refuted::RemovedTooEarly(at));
                }
                complete &= replay.pool.lifelines(replay.term).is_disjoint(&lifelines);
                let memo = &mut replay.frontiers.memo;
                replay.term = remove(replay.pool, memo, replay.term, *region);
            }
        }
    }
    if !trace.partition().components().all(|component| replay.rest(component).is_empty()) {
        return Err(Refuted::Unexplained);
    }
    let ends = replay.pool.attributes(replay.term).terminates;
    match verdict {
        Verdict::Pass if !complete => Err(Refuted::NotAllowed(witness.steps.len())),
        Verdict::Pass if !ends => Err(Refuted::NotTerminated),
        Verdict::WeakPass if kind == Kind::Accept => Err(Refuted::NotTerminated),
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
    /// observed it.
    fn observe(&mut self, at: usize, place: &Place, kind: Kind) -> Result<bool, Refuted> {
        let mut complete = true;
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
                let Kind::Simulate(simulation) = kind else { return Err(Refuted::NotAllowed(at)) };
                let started = self.consumed[component.0 as usize] > 0;
                let early = simulation.before && !started;
                if !early && !self.rest(component).is_empty() {
                    return Err(Refuted::InsideObservation(at));
                }
                complete = false;
            }
        }
        Ok(complete)
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

    fn rest(&self, component: ComponentId) -> &[otus_trace::multitrace::Step] {
        &self.trace.steps(component)[self.consumed[component.0 as usize]..]
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
