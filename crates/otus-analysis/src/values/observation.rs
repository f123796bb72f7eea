//! The logs of a multi-trace as a search sees them, and the test of an event against a leaf.

use otus_core::index::Index as _;
use otus_core::valued::{Atom, FieldId, Valued, VariableId};
use otus_core::{LifelineSet, Pool, Value};
use otus_trace::{ComponentId, Facts, MultiTrace, ObservedOrder};

use super::Clocks;
use super::epoch::Epoch;
use super::event::{End, Firing, Memory, Usage};
use super::sureness::{Between, Gap, between};
use crate::question::{Observed, Question};

/// The moment at which a component observes an event, as a range of steps; `None` if it does not observe it.
pub(crate) type Moment = Option<(usize, usize)>;

/// What a search is about.
pub(crate) struct Problem<'p> {
    pub(crate) pool: &'p Pool,
    pub(crate) valued: &'p Valued,
    pub(crate) trace: &'p MultiTrace,
    pub(crate) facts: &'p Facts,
    pub(crate) clocks: Clocks,
    pub(crate) question: &'p Question,
    /// Whether unlogged values must not be compared: the question is about Pass.
    pub(crate) strict: bool,
    /// By variable: the component whose clock an anchor belongs to.
    pub(crate) anchors: &'p [Option<usize>],
    /// The order that was observed between logs, if there is any.
    pub(crate) order: Option<&'p ObservedOrder>,
}

/// A log.
pub(crate) struct Log {
    pub(crate) observed: Observed,
    pub(crate) len: usize,
    /// The first known time of its first clock, and the last one of its last clock.
    pub(crate) first: Option<i64>,
    pub(crate) last: Option<i64>,
    /// Whether its clock goes backwards somewhere.
    pub(crate) is_broken: bool,
    /// The steps from which on it is another clock, ascending.
    pub(super) breaks: Vec<usize>,
}

impl Log {
    /// The epoch of a step: how often the clock went backwards so far.
    pub(crate) fn epoch(&self, step: usize) -> Epoch {
        if self.breaks.is_empty() {
            return 0;
        }
        epoch_of(&self.breaks, step)
    }

    /// The epoch of an event that nobody saw: of the first clock if it is before the log.
    pub(crate) fn epoch_outside(&self, is_before: bool) -> Epoch {
        if is_before { 0 } else { self.epoch(usize::MAX) }
    }

    /// Takes the epochs of another log, of which this one has some steps.
    pub(super) fn copy_epochs(&mut self, log: &Log, steps: &[usize]) {
        self.is_broken = log.is_broken;
        let own = log.breaks.iter().map(|&at| steps.partition_point(|&step| step < at));
        self.breaks = own.collect();
    }

    /// The steps of an epoch.
    fn steps(&self, epoch: Epoch) -> std::ops::Range<usize> {
        steps_of(&self.breaks, self.len, epoch)
    }
}

/// The number of breaks at or before a step.
pub(super) fn epoch_of(breaks: &[usize], step: usize) -> Epoch {
    Epoch::try_from(breaks.partition_point(|&at| at <= step)).unwrap_or(Epoch::MAX)
}

/// The steps of an epoch in a log of some length.
pub(super) fn steps_of(breaks: &[usize], len: usize, epoch: Epoch) -> std::ops::Range<usize> {
    let at = epoch as usize;
    let start = at.checked_sub(1).and_then(|before| breaks.get(before)).copied();
    start.unwrap_or(0)..breaks.get(at).copied().unwrap_or(len)
}

/// The logs of a multi-trace, and what is asked about them.
pub(crate) struct Observation<'p> {
    pub(crate) problem: &'p Problem<'p>,
    pub(crate) logs: Vec<Log>,
    /// Whether all logs end at the same moment.
    pub(crate) global: bool,
}

impl<'p> Observation<'p> {
    pub(crate) fn new(problem: &'p Problem<'p>) -> Self {
        let global = *problem.question == Question::GlobalPrefix;
        let components = problem.trace.partition().components();
        let logs: Vec<Log> = components
            .map(|component| {
                let observed = problem.question.of(component);
                let is_unobserved = observed == Observed::Unobserved;
                let len = if is_unobserved { 0 } else { problem.trace.steps(component).len() };
                let breaks = if is_unobserved { &[] } else { problem.facts.breaks(component) };
                let breaks = breaks.to_vec();
                let is_broken = !breaks.is_empty();
                let time = |at| problem.facts.time(component, at);
                let from_end = || breaks.last().copied().unwrap_or(0);
                let first = (0..breaks.first().copied().unwrap_or(len)).find_map(time);
                let last = (from_end()..len).rev().find_map(time);
                Log { observed, len, first, last, is_broken, breaks }
            })
            .collect();
        Observation { problem, logs, global }
    }

    pub(crate) fn all_consumed(&self, consumed: &[u32]) -> bool {
        self.logs.iter().zip(consumed).all(|(log, &consumed)| consumed as usize == log.len)
    }

    /// Whether events of a component may be unobserved now.
    pub(crate) fn is_outside(&self, consumed: &[u32], component: usize) -> bool {
        if self.global {
            return self.all_consumed(consumed);
        }
        let (log, consumed) = (&self.logs[component], consumed[component] as usize);
        (consumed == log.len && log.observed.may_stop_early())
            || (consumed == 0 && log.observed.may_start_late())
    }

    /// The lifelines of the logs that have events left.
    pub(crate) fn lifelines_left(&self, consumed: &[u32]) -> LifelineSet {
        let partition = self.problem.trace.partition();
        let logs = self.logs.iter().zip(consumed).enumerate();
        logs.filter(|(_, (log, consumed))| (**consumed as usize) < log.len)
            .map(|(at, _)| partition.set(ComponentId::new(at)))
            .fold(LifelineSet::EMPTY, |all, own| all.union(&own))
    }

    /// The moment that a component observes next.
    pub(crate) fn next_moment(&self, consumed: &[u32], component: usize) -> Moment {
        let from = consumed[component] as usize;
        if from == self.logs[component].len {
            return None;
        }
        let steps = self.problem.trace.steps(ComponentId::new(component));
        let to = (from + 1..steps.len()).find(|&at| !steps[at].joined()).unwrap_or(steps.len());
        Some((from, to))
    }

    /// Whether an event respects the observed order: each cause of its moments was consumed, or is a moment of this event.
    pub(super) fn is_in_order(&self, consumed: &[u32], ends: &[(usize, Moment)]) -> bool {
        let Some(order) = self.problem.order else { return true };
        let step = |step: usize| u32::try_from(step).unwrap_or(u32::MAX);
        let is_own = |component: usize, cause: u32| {
            ends.iter().any(|&(own, moment)| {
                own == component
                    && moment.is_some_and(|(from, to)| (step(from)..step(to)).contains(&cause))
            })
        };
        ends.iter().filter_map(|&(at, moment)| Some((at, moment?))).all(|(at, (from, to))| {
            order.causes(ComponentId::new(at), step(from)..step(to)).iter().all(|cause| {
                let of = cause.component.index();
                // What nobody observed has no place in the order.
                self.logs[of].len <= cause.cause as usize
                    || cause.cause < consumed[of]
                    || is_own(of, cause.cause)
            })
        })
    }

    /// Tests the guards of an event and changes the registers.
    pub(crate) fn test(
        &self,
        memory: &mut Memory,
        consumed: &[u32],
        usage: &Usage<'_>,
        ends: &[(usize, Moment)],
    ) -> bool {
        let problem = self.problem;
        let mut firing = Firing::new(memory, usage, problem.strict);
        for part in usage.parts {
            let component = problem.trace.partition().component_of(part.action.lifeline);
            let moment = ends.iter().find(|(c, _)| *c == component.index()).and_then(|(_, m)| *m);
            let mut step = None;
            if let Some((from, to)) = moment {
                let steps = problem.trace.steps(component);
                step = (from..to).find(|&at| {
                    problem.pool.action(steps[at].action()).without_peer() == part.action
                });
                let Some(at) = step else { return false };
                let peer = problem.pool.action(steps[at].action()).peer;
                if peer.is_some_and(|peer| !part.peers.contains(&peer)) {
                    return false;
                }
            }
            let logged = move |field: FieldId| -> Option<Value> {
                problem.facts.known(field, component, step?)
            };
            let log = &self.logs[component.index()];
            let time = |at: usize| problem.facts.time(component, at);
            // Before a log that starts late, or after the end of one.
            let is_before = consumed[component.index()] == 0 && log.len > 0;
            let epoch = match step {
                Some(step) => log.epoch(step),
                None => log.epoch_outside(is_before),
            };
            let (earliest, latest) = match step {
                // The actions of one moment have no order.
                Some(_) if part.guard.iter().any(|atom| atom.field == Valued::TIME) => {
                    let (from, to) = moment.unwrap_or_default();
                    let own = log.steps(epoch);
                    ((own.start..from).rev().find_map(time), (to..own.end).find_map(time))
                }
                Some(_) => (None, None),
                None if is_before => (None, log.first),
                None => (log.last, None),
            };
            let end = End {
                component: component.index(),
                epoch,
                logged: step.is_some().then_some(&logged as &dyn Fn(FieldId) -> Option<Value>),
                earliest,
                latest,
            };
            let var = |atom: &Atom| {
                let variable = atom.variable()?;
                let at = usage.variables.iter().position(|&other| other == variable)?;
                Some(usage.arguments[at])
            };
            let between = |atom: &Atom| self.between(atom, (component.index(), epoch));
            if !firing.guard(&part.guard, &end, var, between) {
                return false;
            }
        }
        if !firing.insert(usage.inserts) {
            return false;
        }
        firing.finish(usage.moves);
        true
    }

    /// The clocks of a comparison in an event on a component.
    pub(super) fn between(&self, atom: &Atom, event: (usize, Epoch)) -> Between {
        let clock = match atom.field {
            Valued::TIME => atom.variable().and_then(|anchor| self.clock(anchor)),
            _ => None,
        };
        let Some(clock) = clock else { return Between::Gap(Gap::None) };
        let anchor = (clock, self.logs[clock].is_broken);
        between(event, anchor, atom.binds().is_some(), self.problem.clocks.uncertainty)
    }

    /// The component whose clock an anchor belongs to.
    pub(super) fn clock(&self, anchor: VariableId) -> Option<usize> {
        self.problem.anchors.get(anchor.index()).copied().flatten()
    }
}
