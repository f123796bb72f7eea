//! Why nothing goes on from a situation, for people.
//!
//! This proves nothing: the certificate does. It says of each component what it waits for, and
//! what stands in the way right there.

use otus_core::algebra::{Memo, fold::fold, prune, simplify};
use otus_core::{EventId, LifelineSet, Pool, Term, TermId};
use otus_trace::MultiTrace;
use otus_trace::multitrace::ComponentId;
use rustc_hash::FxHashMap;

use super::rules::{Rules, Situation, Tables, events};
use crate::question::Question;

/// What a component waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// The component.
    pub component: ComponentId,
    /// Its next moment, counted from 0.
    pub moment: u32,
    /// What stands in the way.
    pub hindrance: Hindrance,
}

/// Why a moment does not happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hindrance {
    /// The interaction has no such event.
    Unknown,
    /// It had one, but none is left: it has happened, or something else was chosen.
    NoLonger,
    /// Something must happen first, on these lifelines.
    Waits(LifelineSet),
    /// It can happen, but not as these components observed.
    Elsewhere(Vec<ComponentId>),
    /// It can happen; what follows cannot.
    Possible,
}

/// What each component waits for that is not at its end, and the events that can happen next.
pub fn obstacles(
    pool: &mut Pool,
    term: TermId,
    trace: &MultiTrace,
    question: &Question,
    now: &Situation,
) -> (Vec<Obstacle>, Vec<EventId>) {
    let term = simplify(pool, term);
    let mut rules = Rules::new(pool, term, trace, question, None);
    let mut tables = Tables::default();
    let steps = tables.frontiers.steps(pool, now.term);
    let mut possible: Vec<EventId> = steps.iter().map(|step| step.event).collect();
    possible.sort_unstable();
    possible.dedup();
    let moves: Vec<EventId> =
        rules.moves(pool, &mut tables, now).iter().map(|step| step.step.event).collect();
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
            let others =
                others.map(|(own, _)| ComponentId(u32::try_from(*own).unwrap_or(u32::MAX)));
            Hindrance::Elsewhere(others.collect())
        } else {
            let memo = &mut tables.frontiers.memo;
            let waits = wanted.iter().filter_map(|&event| waits(pool, memo, now.term, event));
            Hindrance::Waits(waits.min_by_key(LifelineSet::len).unwrap_or_default())
        };
        found.push(Obstacle { component, moment: now.consumed[at], hindrance });
    }
    (found, possible)
}

/// The lifelines on which something must happen before an event of a term; `None` if it is not
/// in the term. Of several places the one that waits for the fewest counts.
fn waits(pool: &mut Pool, memo: &mut Memo, term: TermId, event: EventId) -> Option<LifelineSet> {
    let own = pool.region(pool.event_lifelines(event));
    let mut done = FxHashMap::default();
    fold(
        pool,
        term,
        &mut done,
        |_, _| None,
        |pool, term, operands: &[Option<LifelineSet>]| match (pool.node(term), operands) {
            (Term::Event(leaf), _) => (leaf == event).then(LifelineSet::default),
            (Term::Alt(..), [left, right]) => fewest(left.clone(), right.clone()),
            (Term::Strict(before, _), [left, right]) => {
                let held = !pool.attributes(before).terminates;
                let before = pool.lifelines(before);
                let right = right.clone();
                let right = right.map(|set| if held { set.union(&before) } else { set });
                fewest(left.clone(), right)
            }
            (Term::Coreg(region, before, _), [left, right]) => {
                let ordered = own.difference(&pool.region(region));
                let avoided = pool.intern_region(&ordered);
                let held = prune(pool, memo, before, avoided).is_none();
                let before = pool.lifelines(before).intersection(&ordered);
                let right = right.clone();
                let right = right.map(|set| if held { set.union(&before) } else { set });
                fewest(left.clone(), right)
            }
            (Term::LoopS(_) | Term::LoopC(..), [body]) => body.clone(),
            _ => None,
        },
    )
}

fn fewest(left: Option<LifelineSet>, right: Option<LifelineSet>) -> Option<LifelineSet> {
    [left, right].into_iter().flatten().min_by_key(LifelineSet::len)
}

/// The lifelines of a component: `a, b`.
pub(super) fn names(pool: &Pool, trace: &MultiTrace, component: ComponentId) -> String {
    let lifelines = trace.partition().lifelines(component).iter();
    let names: Vec<&str> =
        lifelines.map(|&lifeline| pool.signature().lifeline_name(lifeline)).collect();
    names.join(", ")
}
