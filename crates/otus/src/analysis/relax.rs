//! Weaker questions about a multi-trace that fails.
//!
//! A multi-trace can fail because events are missing, although the events that were recorded are correct. So the engine
//! is asked again about a failure, with weaker assumptions about the logs:
//!
//! - A *silent* lifeline has no event in any group of the logs. If nothing is declared for it, it counts as
//!   unobserved, and the verdict is at most `WeakPass` ([`without_silent`]).
//! - A *blurred* lifeline is known only from the spans of several callers ([`Group::blurred`](otus_trace::run::Group)).
//!   The clocks of the callers need not agree, so the lifeline counts as unobserved as well, whatever is declared for
//!   it. Little is lost: its events are also events of its callers, and only the order between the callers is lost.
//! - If a declaration on the command line would make a failure a `WeakPass`, its help says so ([`help`]). All other
//!   logs then count as complete, as [`Declared`] defines.

use otus_analysis::{Engine, Observed, Question, Verdict, engine};
use otus_core::budget::Budget;
use otus_core::index::Index as _;
use otus_core::{LifelineId, Pool, TermId};
use otus_trace::{ComponentId, MultiTrace, Partition};

use super::declared::Declared;
use super::lifelines;

/// The maximum number of states for one of the weaker questions.
const STATES: u64 = 5_000;

/// The question in which these lifelines are unobserved: the silent ones without a declaration, and the blurred ones.
/// `None` if there are none.
pub(super) fn without_silent(
    declared: &Declared,
    partition: &Partition,
    silent: &[LifelineId],
    blurred: &[LifelineId],
) -> Option<Question> {
    let is_free = |lifeline: &LifelineId| {
        blurred.contains(lifeline) || silent.contains(lifeline) && !declared.is_declared(*lifeline)
    };
    let is_silent = |component: ComponentId| partition.lifelines(component).iter().all(is_free);
    let asked = |component| {
        if is_silent(component) {
            Observed::Unobserved
        } else {
            declared.beside_others(component, partition)
        }
    };
    partition
        .components()
        .any(is_silent)
        .then(|| Question::Each(partition.components().map(asked).collect()))
}

/// The declaration that would make a failure a `WeakPass`, in words.
pub(super) fn help(
    pool: &Pool,
    term: TermId,
    trace: &MultiTrace,
    declared: &Declared,
    budget: &Budget,
) -> Option<String> {
    let partition = trace.partition();
    let budget = Budget { max_states: Some(STATES), ..budget.clone() };
    let mut engine = Engine::new(pool, term, partition, engine::Options::default());
    let base: Vec<Observed> = partition
        .components()
        .map(|component| declared.beside_others(component, partition))
        .collect();
    let mut is_explained = |chosen: &[ComponentId], observed: Observed| {
        let mut each = base.clone();
        for component in chosen {
            each[component.index()] = observed;
        }
        let question = Question::Each(each.into());
        engine.analyze(trace, &question, &budget).verdict >= Verdict::WeakPass
    };
    let names = |chosen: &[ComponentId]| {
        let all = chosen.iter().flat_map(|&component| lifelines(partition, component, pool));
        all.collect::<Vec<_>>().join(",")
    };
    let observed: Vec<ComponentId> =
        partition.components().filter(|&component| !trace.steps(component).is_empty()).collect();
    let spec = pool.lifelines(term);
    let absent: Vec<ComponentId> = partition
        .components()
        .filter(|component| !observed.contains(component))
        .filter(|&component| partition.lifelines(component).iter().any(|&it| spec.contains(it)))
        .collect();
    for one in &absent {
        if is_explained(&[*one], Observed::Unobserved) {
            let name = names(&[*one]);
            return Some(format!(
                "no event of {name} is here; if it was not observed, --unobserved {name} makes \
                 this a WeakPass"
            ));
        }
    }
    let ways = [
        ("--may-start-late", Observed::StartsLate, "begins"),
        ("--may-stop-early", Observed::StopsEarly, "ends"),
    ];
    for (flag, observation, verb) in ways {
        let single = observed.iter().map(std::slice::from_ref);
        for chosen in single.chain((observed.len() > 1).then_some(&observed[..])) {
            if is_explained(chosen, observation) {
                let (log, name) = (
                    if chosen.len() == 1 { "this log" } else { "each of these logs" },
                    names(chosen),
                );
                return Some(format!(
                    "if {log} {verb} in the middle of a run, {flag} {name} makes this a WeakPass"
                ));
            }
        }
    }
    None
}
