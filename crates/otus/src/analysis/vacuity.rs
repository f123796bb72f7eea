//! Detects vacuous analyses: every log would have passed, or no log had an event to check.
//!
//! A specification is *universal* on its actions if every multi-trace of them conforms. This is undecidable in general
//! (the universality of rational trace languages), so only the forms that occur in practice are recognized:
//!
//! ```text
//! universal:  loop(alt(e1, …, en))                 for events with one action each
//!             coreg(i, j), i and j universal       if they share no lifeline
//! ```

use otus_analysis::Observed;
use otus_core::{Pool, Term, TermId};
use otus_trace::Partition;

use super::plan::{Method, Plan};
use crate::summary::Summary;

/// The reasons why an analysis is vacuous, in words.
pub(super) fn warnings(plan: &Plan, summary: &Summary) -> Vec<String> {
    let mut found = Vec::new();
    if summary.checked() == 0 && summary.logs.is_none() {
        return Vec::new();
    }
    let (pool, term) = (&plan.spec.pool, plan.spec.term);
    if !pool.has_events(term) {
        found.push("the specification has no events, so only empty logs conform to it");
    } else if plan.spec.valued.is_none() && is_universal(pool, term) {
        found.push(
            "the specification allows each of its actions at any time, so every log of these \
             actions conforms to it",
        );
    }
    if is_unobserved(plan) {
        found.push(
            "all lifelines of the specification are declared unobserved, so nothing was checked",
        );
    } else if summary.is_vacuous() && summary.logs.is_some() {
        found.push(
            "nothing was checked, since no line became an action of the specification; \
             `otus map --explain` shows what became of the lines",
        );
    } else if summary.is_vacuous() {
        found.push("no action was observed, so nothing was checked");
    }
    let mut found: Vec<String> = found.into_iter().map(str::to_owned).collect();
    found.extend(summary.silent.iter().map(|name| {
        format!(
            "no log has an event of `{name}`, so it counts as unobserved; --unobserved {name} says \
             that this is so, --complete {name} that it did nothing"
        )
    }));
    found
}

fn is_universal(pool: &Pool, term: TermId) -> bool {
    match pool.node(term) {
        Term::LoopS(body) | Term::LoopC(_, body) => is_choice(pool, body),
        Term::Coreg(_, left, right) => {
            pool.lifelines(left).is_disjoint(&pool.lifelines(right))
                && is_universal(pool, left)
                && is_universal(pool, right)
        }
        Term::Empty | Term::Event(_) | Term::Strict(..) | Term::Alt(..) => false,
    }
}

/// Whether a term is a choice of events with one action each.
fn is_choice(pool: &Pool, term: TermId) -> bool {
    let mut pending = vec![term];
    while let Some(term) = pending.pop() {
        let node = pool.node(term);
        if let Term::Alt(left, right) = node {
            pending.extend([left, right]);
        } else if node.as_event().is_none_or(|event| pool.event_actions(event).len() != 1) {
            return false;
        }
    }
    true
}

fn is_unobserved(plan: &Plan) -> bool {
    let Method::Fast(declared) = &plan.method else { return false };
    let (pool, signature) = (&plan.spec.pool, plan.spec.pool.signature());
    let partition = Partition::discrete(signature.lifeline_count());
    let Ok(question) = declared.question(&partition, signature) else { return false };
    let lifelines = pool.lifelines(plan.spec.term);
    let mut own = partition.components().filter(|&component| {
        partition.lifelines(component).iter().any(|&lifeline| lifelines.contains(lifeline))
    });
    pool.has_events(plan.spec.term)
        && own.all(|component| question.of(component) == Observed::Unobserved)
}
