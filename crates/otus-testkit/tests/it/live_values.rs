//! Live groups with values: after every event, the answer so far is the offline answer about what has arrived.

use otus_analysis::Verdict;
use otus_analysis::budget::Budget;
use otus_analysis::live::values::{Given, LiveValues};
use otus_analysis::live::{Limits, Standing, open_question};
use otus_analysis::values::{Clocks, ValueEngine};
use otus_core::index::Index as _;
use otus_core::valued::FieldId;
use otus_core::{ActionId, Value};
use otus_testkit::valued_cases::Generated;
use otus_testkit::valued_cases::shape::Flavor;
use otus_trace::{ComponentId, Facts};

use crate::setting;

/// What is known of the actions of a moment that begins at a step.
fn given(facts: &Facts, component: ComponentId, first: usize, length: usize) -> Vec<Given> {
    let mut all = Vec::new();
    for at in 0..length {
        for field in (0..facts.field_count()).map(FieldId::new) {
            let known = facts.known(field, component, first + at);
            all.extend(known.map(|value| (at, field, value)));
        }
        if let Some(time) = facts.time(component, first + at) {
            all.retain(|(other, field, _)| {
                *other != at || *field != otus_core::valued::Valued::TIME
            });
            all.push((at, otus_core::valued::Valued::TIME, Value::integer(time)));
        }
    }
    all
}

#[test]
fn random_interactions_with_values() {
    let most = setting("OTUS_LIVE_PREFIXES", 20_000_u64) / 20;
    let mut rng = fastrand::Rng::with_seed(setting("OTUS_LIVE_SEED", 0_u64).wrapping_add(77));
    let (mut prefixes, mut failed, mut unknown) = (0, 0, 0);
    let budget = Budget { max_states: Some(20_000), ..Budget::default() };
    while prefixes < most {
        let flavor = if rng.bool() { Flavor::small() } else { Flavor::keyed() };
        let flavor = Flavor { edges: false, ..flavor };
        let Some(case) = Generated::random(&mut rng, &flavor) else { continue };
        let Some(prepared) = case.prepare() else { continue };
        let (Some(term), Some(valued)) = (prepared.term, prepared.lowered.valued.as_deref()) else {
            continue;
        };
        let mut pool = prepared.lowered.pool.clone();
        let partition = case.recorded.partition.clone();
        let clocks = Clocks { uncertainty: case.uncertainty };
        let limits = Limits { budget: budget.clone(), ..Limits::default() };
        let specification = (&prepared.lowered.pool, term, valued);
        let declared = case.question.clone();
        let mut live = LiveValues::new(specification, partition.clone(), clocks, declared, limits);
        let mut offline = ValueEngine::new(&prepared.lowered.pool, term, valued, &partition);
        let open = open_question(&case.question, partition.len());
        let group = live.open();
        let mut recorded = case.recorded.clone();
        recorded.use_letters(&prepared.lowered.partners);
        let whole = recorded.components.clone();
        recorded.components.iter_mut().for_each(Vec::clear);
        let mut steps = vec![0; whole.len()];
        let mut first = None;
        for event in 0_u64.. {
            let left: Vec<usize> = (0..whole.len())
                .filter(|&c| recorded.components[c].len() < whole[c].len())
                .collect();
            let Some(&chosen) = rng.choice(&left) else { break };
            let component = ComponentId::new(chosen);
            let moment = whole[chosen][recorded.components[chosen].len()].clone();
            let log = &prepared.trace.steps(component)[steps[chosen]..][..moment.len()];
            let actions: Vec<ActionId> = log.iter().map(|step| step.action()).collect();
            let values = given(&prepared.facts, component, steps[chosen], actions.len());
            steps[chosen] += actions.len();
            recorded.components[chosen].push(moment);
            let standing = live.push(group, component, &actions, &values);
            let (trace, facts) = recorded.build(&mut pool, valued);
            let found = offline.analyze(&trace, &facts, clocks, &open, &budget).verdict;
            prefixes += 1;
            match (standing, found) {
                (_, Verdict::Inconclusive) | (Some(Standing::Unknown { .. }), _) => unknown += 1,
                (Some(Standing::Explained), Verdict::Pass | Verdict::WeakPass) => {}
                (Some(Standing::Failed { event: at }), Verdict::Fail) => {
                    failed += 1;
                    assert_eq!(at, *first.get_or_insert(event), "{}", case.text());
                }
                _ => panic!("live {standing:?}, offline {found}\n  {}", case.text()),
            }
        }
        let found = offline
            .analyze(&prepared.trace, &prepared.facts, clocks, &case.question, &budget)
            .verdict;
        let answer = live.close(group).map(|answer| answer.verdict);
        if found != Verdict::Inconclusive && answer != Some(Verdict::Inconclusive) {
            assert_eq!(answer, Some(found), "{}", case.text());
        }
    }
    println!("values: {prefixes} prefixes, {failed} failed, {unknown} undecided");
    assert!(unknown * 20 <= prefixes);
}
