//! Long random executions of an interaction that is one loop, in linear time.
//!
//! The iterations follow one another; those of a parallel loop may overlap. The parts of a weak sequence are executed
//! in strict order, which weak sequencing allows, so only the remaining events of the overlapping iterations are kept.

use std::ops::Range;

use otus_core::index::Index as _;
use otus_core::{ActionId, EventId, Pool, Term, TermId};
use otus_syntax::SourceId;
use otus_trace::multitrace::Builder;
use otus_trace::{ComponentId, MultiTrace, Partition};

/// A global execution of at least `events` events. At most `overlapping` iterations of a parallel loop overlap.
pub(super) fn execution(
    pool: &Pool,
    term: TermId,
    events: usize,
    overlapping: usize,
    rng: &mut fastrand::Rng,
) -> Vec<EventId> {
    let mut walk = Walk { pool, rng };
    let mut out = Vec::with_capacity(events + 64);
    match pool.node(term) {
        Term::LoopC(region, body) if region == Pool::ALL => {
            let mut active: Vec<std::vec::IntoIter<EventId>> = Vec::new();
            while out.len() < events || !active.is_empty() {
                let is_full = active.len() >= overlapping || out.len() >= events;
                if active.is_empty() || !is_full && walk.rng.usize(..4) == 0 {
                    let mut iteration = Vec::new();
                    walk.part(body, &mut iteration);
                    active.push(iteration.into_iter());
                    continue;
                }
                let chosen = walk.rng.usize(..active.len());
                match active[chosen].next() {
                    Some(event) => out.push(event),
                    None => drop(active.swap_remove(chosen)),
                }
            }
        }
        Term::LoopS(body) | Term::LoopC(_, body) => {
            while out.len() < events {
                walk.part(body, &mut out);
            }
        }
        Term::Empty | Term::Event(_) | Term::Strict(..) | Term::Coreg(..) | Term::Alt(..) => {
            walk.part(term, &mut out);
        }
    }
    out
}

struct Walk<'a> {
    pool: &'a Pool,
    rng: &'a mut fastrand::Rng,
}

impl Walk<'_> {
    /// Appends one execution of a term. Recursion is safe: the models are those of `bench/models`.
    fn part(&mut self, term: TermId, out: &mut Vec<EventId>) {
        match self.pool.node(term) {
            Term::Empty => {}
            Term::Event(event) => out.push(event),
            Term::Alt(left, right) => {
                let chosen = if self.rng.bool() { left } else { right };
                self.part(chosen, out);
            }
            Term::Coreg(region, left, right) if region == Pool::ALL => {
                let (mut first, mut second) = (Vec::new(), Vec::new());
                self.part(left, &mut first);
                self.part(right, &mut second);
                let (mut first, mut second) = (first.into_iter(), second.into_iter());
                while first.len() + second.len() > 0 {
                    let is_first = self.rng.usize(..first.len() + second.len()) < first.len();
                    out.extend(if is_first { first.next() } else { second.next() });
                }
            }
            Term::Strict(left, right) | Term::Coreg(_, left, right) => {
                self.part(left, out);
                self.part(right, out);
            }
            Term::LoopS(body) | Term::LoopC(_, body) => {
                while self.rng.usize(..5) < 2 {
                    self.part(body, out);
                }
            }
        }
    }
}

/// The projection of an execution onto the discrete partition, restricted to a window of each component. `window` maps
/// the number of a component's actions to the range that is kept.
pub(super) fn observe(
    pool: &Pool,
    execution: &[EventId],
    mut window: impl FnMut(usize) -> Range<usize>,
) -> MultiTrace {
    let partition = Partition::discrete(pool.signature().lifeline_count());
    let actions: usize = execution.iter().map(|&event| pool.event_actions(event).len()).sum();
    // By component and event, the action of the event there. No event has two actions on a lifeline.
    let table: Vec<Vec<Option<ActionId>>> = partition
        .components()
        .map(|component| {
            (0..pool.event_count()).map(|e| action_on(pool, &partition, component, e)).collect()
        })
        .collect();
    let mut builder = Builder::new(partition, actions, false);
    for of_event in &table {
        let local = execution.iter().filter_map(|event| of_event[event.index()]);
        let Range { start, end } = window(local.clone().count());
        for action in local.take(end).skip(start) {
            builder.push(action, 0);
            builder.next_moment();
        }
        builder.next_component();
    }
    builder.finish(SourceId(0))
}

fn action_on(
    pool: &Pool,
    partition: &Partition,
    component: ComponentId,
    event: usize,
) -> Option<ActionId> {
    let here =
        |action: &&ActionId| partition.component_of(pool.action(**action).lifeline) == component;
    pool.event_actions(EventId::new(event)).iter().find(here).copied()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Whole,
    /// All but the last few events.
    GlobalPrefix,
    /// Of each component at least three quarters, from the beginning.
    MultiPrefix,
    /// Of each component at least three quarters, from somewhere in the first eighth.
    Slice,
}

impl Part {
    /// The part for each question, in the order of [`QUESTIONS`](super::QUESTIONS).
    pub(super) const ALL: [Part; 4] =
        [Part::Whole, Part::GlobalPrefix, Part::MultiPrefix, Part::Slice];

    pub(super) fn of(
        self,
        pool: &Pool,
        execution: &[EventId],
        rng: &mut fastrand::Rng,
    ) -> MultiTrace {
        let all = |count: usize| 0..count;
        match self {
            Part::Whole => observe(pool, execution, all),
            Part::GlobalPrefix => {
                let end = execution.len() - rng.usize(1..=10.min(execution.len()));
                observe(pool, &execution[..end], all)
            }
            Part::MultiPrefix => {
                observe(pool, execution, |count| 0..count - rng.usize(..=count / 4))
            }
            Part::Slice => observe(pool, execution, |count| {
                rng.usize(..=count / 8)..count - rng.usize(..=count / 8)
            }),
        }
    }
}
