//! The obstacles in a situation, for users: what each component waits for, and why it does not
//! happen.
//!
//! Obstacles prove nothing; the certificate does.

use otus_core::algebra::{Memo, fold::fold, prune, simplify};
use otus_core::index::Index as _;
use otus_core::{EventId, LifelineSet, Pool, Term, TermId};
use otus_trace::MultiTrace;
use otus_trace::multitrace::ComponentId;
use rustc_hash::FxHashMap;

use super::rules::{Rules, Situation, Tables, events};
use crate::question::Question;
use crate::witness::lifeline_names;

/// The next moment of a component, and why it does not happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// The component.
    pub component: ComponentId,
    /// Its next moment, counted from 0.
    pub moment: u32,
    /// The reason.
    pub hindrance: Hindrance,
}

/// The reason why a moment does not happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hindrance {
    /// The interaction never had such an event.
    Unknown,
    /// The interaction had such an event, but none is left: it has happened, or another branch was
    /// taken.
    NoLonger,
    /// An event on these lifelines must happen first.
    Waits(LifelineSet),
    /// It can happen, but contradicts the next observed moment of these components.
    Elsewhere(Vec<ComponentId>),
    /// It can happen, but nothing explains the rest afterwards.
    Possible,
}

/// The obstacle of each component whose log is not consumed, and the events that can happen next.
pub fn obstacles(
    pool: &mut Pool,
    term: TermId,
    trace: &MultiTrace,
    question: &Question,
    now: &Situation,
) -> (Vec<Obstacle>, Vec<EventId>) {
    let term = simplify(pool, term);
    let mut rules = Rules::new(pool, term, trace, question, None);
    let mut tables = Tables::new(pool);
    let steps = tables.frontiers.steps(tables.pool, now.term);
    let mut possible: Vec<EventId> = steps.iter().map(|step| step.event).collect();
    possible.sort_unstable();
    possible.dedup();
    let moves: Vec<EventId> =
        rules.moves(&mut tables, now).iter().map(|step| step.step.event).collect();
    let Tables { pool, mut frontiers, .. } = tables;
    let (all, left) = (events(pool, term), events(pool, now.term));
    let mut found = Vec::new();
    for (at, component) in trace.partition().components().enumerate() {
        let Some(moment) = rules.next(now, at).cloned() else { continue };
        let mut shows = |event: &EventId| {
            rules.parts(pool, *event).iter().any(|(own, seen)| *own == at && *seen == moment)
        };
        let wanted: Vec<EventId> = left.iter().copied().filter(&mut shows).collect();
        let hindrance = if !all.iter().any(&mut shows) {
            Hindrance::Unknown
        } else if wanted.is_empty() {
            Hindrance::NoLonger
        } else if wanted.iter().any(|event| moves.contains(event)) {
            Hindrance::Possible
        } else if let Some(event) = wanted.iter().find(|event| possible.contains(event)) {
            let parts = rules.parts(pool, *event);
            let others = parts.iter().filter(|(own, seen)| {
                rules.next(now, *own) != Some(seen) && !rules.is_outside(now, *own)
            });
            let others = others.map(|(own, _)| ComponentId::new(*own));
            Hindrance::Elsewhere(others.collect())
        } else {
            let memo = &mut frontiers.memo;
            let waits = wanted.iter().filter_map(|&event| waits(pool, memo, now.term, event));
            Hindrance::Waits(waits.min_by_key(LifelineSet::len).unwrap_or_default())
        };
        found.push(Obstacle { component, moment: now.consumed[at], hindrance });
    }
    (found, possible)
}

/// The lifelines on which an event must happen before this one can; `None` if the term does not
/// have the event. If it occurs several times, the occurrence that waits for the fewest lifelines
/// counts.
fn waits(pool: &mut Pool, memo: &mut Memo, term: TermId, event: EventId) -> Option<LifelineSet> {
    let own = pool.region(pool.event_lifelines(event));
    let mut done = FxHashMap::default();
    fold(
        pool,
        term,
        &mut done,
        |_, _| None,
        |pool, term, operands: &[Option<LifelineSet>]| match pool.node(term) {
            Term::Empty => None,
            Term::Event(leaf) => (leaf == event).then(LifelineSet::default),
            Term::Alt(..) => fewest(operands[0].clone(), operands[1].clone()),
            Term::Strict(before, _) => {
                let held = !pool.attributes(before).terminates;
                let before = pool.lifelines(before);
                let right = operands[1].clone();
                let right = right.map(|set| if held { set.union(&before) } else { set });
                fewest(operands[0].clone(), right)
            }
            Term::Coreg(region, before, _) => {
                let ordered = own.difference(&pool.region(region));
                let avoided = pool.intern_region(&ordered);
                let held = prune(pool, memo, before, avoided).is_none();
                let before = pool.lifelines(before).intersection(&ordered);
                let right = operands[1].clone();
                let right = right.map(|set| if held { set.union(&before) } else { set });
                fewest(operands[0].clone(), right)
            }
            Term::LoopS(_) | Term::LoopC(..) => operands[0].clone(),
        },
    )
}

fn fewest(left: Option<LifelineSet>, right: Option<LifelineSet>) -> Option<LifelineSet> {
    [left, right].into_iter().flatten().min_by_key(LifelineSet::len)
}

/// The names of the lifelines of a component: `a, b`.
pub(super) fn names(pool: &Pool, trace: &MultiTrace, component: ComponentId) -> String {
    lifeline_names(pool, trace.partition().lifelines(component).iter().copied())
}
