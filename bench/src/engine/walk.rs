//! Long random executions of an interaction that is one loop, in linear time.
//!
//! The iterations follow one another; those of a parallel loop may overlap. The parts of a weak sequence are executed
//! in strict order, which weak sequencing allows, so only the remaining events of the overlapping iterations are kept.

use std::ops::Range;

use otus_core::index::Index as _;
use otus_core::{ActionId, EventId, Pool, Term, TermId};
use otus_syntax::SourceId;
use otus_trace::multitrace::Builder;
use otus_trace::{MultiTrace, Partition};

/// A global execution of at least `events` events. At most `overlapping` iterations of a parallel loop overlap.
pub(super) fn execution(
    pool: &Pool,
    term: TermId,
    events: usize,
    overlapping: usize,
    rng: &mut fastrand::Rng,
) -> Vec<EventId> {
    let mut out = Vec::with_capacity(events + 64);
    match pool.node(term) {
        Term::LoopC(region, body) if region == Pool::ALL => {
            let mut active: Vec<std::vec::IntoIter<EventId>> = Vec::new();
            while out.len() < events || !active.is_empty() {
                let is_full = active.len() >= overlapping || out.len() >= events;
                if active.is_empty() || !is_full && rng.usize(..4) == 0 {
                    let mut iteration = Vec::new();
                    part(pool, rng, body, &mut iteration);
                    active.push(iteration.into_iter());
                    continue;
                }
                let chosen = rng.usize(..active.len());
                match active[chosen].next() {
                    Some(event) => out.push(event),
                    None => drop(active.swap_remove(chosen)),
                }
            }
        }
        Term::LoopS(body) | Term::LoopC(_, body) => {
            while out.len() < events {
                part(pool, rng, body, &mut out);
            }
        }
        Term::Empty | Term::Event(_) | Term::Strict(..) | Term::Coreg(..) | Term::Alt(..) => {
            part(pool, rng, term, &mut out);
        }
    }
    out
}

/// Appends one execution of a term. Recursion is safe: the models are those of `bench/models` and of the corpus.
pub(crate) fn part(pool: &Pool, rng: &mut fastrand::Rng, term: TermId, out: &mut Vec<EventId>) {
    match pool.node(term) {
        Term::Empty => {}
        Term::Event(event) => out.push(event),
        Term::Alt(left, right) => {
            let chosen = if rng.bool() { left } else { right };
            part(pool, rng, chosen, out);
        }
        Term::Coreg(region, left, right) if region == Pool::ALL => {
            let (mut first, mut second) = (Vec::new(), Vec::new());
            part(pool, rng, left, &mut first);
            part(pool, rng, right, &mut second);
            let (mut first, mut second) = (first.into_iter(), second.into_iter());
            while first.len() + second.len() > 0 {
                let is_first = rng.usize(..first.len() + second.len()) < first.len();
                out.extend(if is_first { first.next() } else { second.next() });
            }
        }
        Term::Strict(left, right) | Term::Coreg(_, left, right) => {
            part(pool, rng, left, out);
            part(pool, rng, right, out);
        }
        Term::LoopS(body) | Term::LoopC(_, body) => {
            while rng.usize(..5) < 2 {
                part(pool, rng, body, out);
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
            let here = |action: &&ActionId| {
                partition.component_of(pool.action(**action).lifeline) == component
            };
            let action = |e: usize| pool.event_actions(EventId::new(e)).iter().find(here).copied();
            (0..pool.event_count()).map(action).collect()
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
