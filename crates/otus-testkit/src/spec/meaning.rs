//! The meaning of an interaction: its traces, its steps, and the results of pruning and removal.
//!
//! Sets of traces are computed twice, by the equations of [`oracle::traces`](mod@crate::oracle::traces)
//! and by running the step relation; if the two differ, the answer says so and no fence agrees with it.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, ensure};
use otus_core::algebra::{Memo, prune, remove};
use otus_core::semantics::{Frontiers, terminates};
use otus_core::{EventId, LifelineSet, Lowered, Pool, TermId};
use otus_trace::Partition;

use super::Fence;
use crate::oracle::observe::project;
use crate::oracle::{Observation, Trace, Traces, local, traces};

/// The most traces of an example, including intermediate ones.
const BUDGET: usize = 100_000;
/// The default length of traces.
const LENGTH: usize = 6;

/// The kinds of fences that are answered here.
pub(super) const KINDS: [&str; 6] =
    ["traces", "multi-traces", "local-traces", "steps", "pruned", "removed"];

pub(super) fn answer(fence: &Fence, spec: &mut Lowered) -> anyhow::Result<String> {
    let term = spec.term.context("there is no interaction")?;
    let pool = &mut spec.pool;
    match fence.kind.as_str() {
        "steps" => Ok(steps(pool, term)),
        kind @ ("pruned" | "removed") => {
            let lifelines = lifelines(pool, &fence.argument)?;
            let region = pool.intern_region(&lifelines);
            let left = match kind {
                "pruned" => prune(pool, &mut Memo::default(), term, region),
                _ => Some(remove(pool, &mut Memo::default(), term, region)),
            };
            Ok(left.map_or("⊥".to_owned(), |left| pool.text(left)))
        }
        kind => {
            let length = match fence.argument.as_str() {
                "" => LENGTH,
                given => given.parse().context("a length is a number")?,
            };
            listed(kind, pool, term, length)
        }
    }
}

/// Traces of at most `length` events, a line each, shorter ones first; `…` if there are longer ones.
fn listed(kind: &str, pool: &mut Pool, term: TermId, length: usize) -> anyhow::Result<String> {
    const TOO_MANY: &str = "there are too many traces; give a smaller length";
    let (by_steps, has_more) = run(pool, term, length).context(TOO_MANY)?;
    let by_definition = traces(pool, term, length, BUDGET).context(TOO_MANY)?;
    ensure!(by_steps == by_definition, "steps and definition disagree on the traces");
    let discrete = Partition::discrete(pool.signature().lifeline_count());
    let seen = |components| Observation { partition: discrete.clone(), components };
    // An empty component is `[a]`, without a space after it.
    let line = |seen: &Observation| seen.text(pool).replace("] ;", "];").trim_end().to_owned();
    let lines: BTreeSet<(usize, String)> = match kind {
        "traces" => by_steps.iter().map(|trace| (trace.len(), text(pool, trace))).collect(),
        kind => {
            let tuples: BTreeSet<local::Tuple> = match kind {
                "multi-traces" => {
                    by_steps.iter().map(|trace| project(pool, &discrete, trace)).collect()
                }
                _ => local::tuples(pool, term, length, BUDGET).context(TOO_MANY)?,
            };
            tuples.into_iter().map(seen).map(|seen| (seen.len(), line(&seen))).collect()
        }
    };
    let lines = lines.into_iter().map(|(_, line)| line);
    Ok(lines.chain(has_more.then(|| "…".to_owned())).collect::<Vec<_>>().join("\n"))
}

/// The accepted traces of at most `length` events by the step relation, and whether there are longer ones. Every reachable
/// term can terminate, so a further step means a longer trace.
fn run(pool: &mut Pool, term: TermId, length: usize) -> Option<(Traces, bool)> {
    let mut frontiers = Frontiers::default();
    let mut reached: BTreeMap<Trace, BTreeSet<TermId>> = BTreeMap::new();
    reached.entry(Trace::new()).or_default().insert(term);
    let mut accepted = Traces::new();
    for spent in 0..=length {
        let mut next: BTreeMap<Trace, BTreeSet<TermId>> = BTreeMap::new();
        for (trace, terms) in &reached {
            for &term in terms {
                if terminates(pool, term) {
                    accepted.insert(trace.clone());
                }
                for step in frontiers.steps(pool, term).iter() {
                    let longer = trace.iter().copied().chain([step.event]).collect();
                    next.entry(longer).or_default().insert(step.follow_up);
                }
            }
        }
        if spent == length {
            return Some((accepted, !next.is_empty()));
        }
        if next.len() > BUDGET {
            return None;
        }
        reached = next;
    }
    None
}

/// `a!m@1 → follow-up`, in the order of positions.
fn steps(pool: &mut Pool, term: TermId) -> String {
    let mut frontiers = Frontiers::default();
    let steps = frontiers.steps(pool, term);
    let line = |step: &otus_core::semantics::Step| {
        let position = frontiers.positions.text(step.position);
        let event = pool.event_text(step.event);
        format!("{event}@{position} → {}", pool.text(step.follow_up))
    };
    steps.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// `a!m.b?m`, with `{a!m, b?m}` for actions that are one event.
fn text(pool: &Pool, trace: &[EventId]) -> String {
    let events: Vec<String> = trace.iter().map(|&event| pool.event_text(event)).collect();
    if events.is_empty() { "ε".to_owned() } else { events.join(".") }
}

fn lifelines(pool: &Pool, names: &str) -> anyhow::Result<LifelineSet> {
    let lifeline = |name: &str| {
        let found = pool.signature().lifeline(name);
        found.with_context(|| format!("there is no lifeline `{name}`"))
    };
    names.split(',').map(|name| lifeline(name.trim())).collect()
}
