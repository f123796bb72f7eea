//! Multi-traces with an observed order between logs, against the definition: all global traces are enumerated, and all
//! positions at which they explain the logs.

use otus_analysis::certify::{certify, certify_order};
use otus_analysis::{Engine, Observed, Question, Verdict, engine};
use otus_core::budget::Budget;
use otus_core::index::Index as _;
use otus_core::{EventId, Pool, TermId};
use otus_testkit::oracle::Observation;
use otus_testkit::oracle::member::witness_length;
use otus_testkit::oracle::observe::moments;
use otus_testkit::oracle::traces::TraceSets;
use otus_testkit::small_scope::{Scope, random_trace};
use otus_trace::transform::learn::Pair;
use otus_trace::{ComponentId, ObservedOrder};

const BUDGET: usize = 3_000;

/// An edge between moments: by component and index.
type Edge = ((usize, usize), (usize, usize));

/// Whether some global trace explains the logs in an order with these edges; `None` if there are too many.
fn by_definition(
    pool: &Pool,
    term: TermId,
    seen: &Observation,
    edges: &[Edge],
    question: &Question,
) -> Option<bool> {
    let length = witness_length(pool, term, seen.len(), |_| 1);
    let traces = TraceSets::new(pool, BUDGET).traces(term, length)?;
    let is_explained = |trace: &Vec<EventId>| {
        if *question == Question::GlobalPrefix {
            let ends = 0..=trace.len();
            return ends
                .into_iter()
                .any(|end| explains(pool, &trace[..end], seen, edges, |_| Observed::Complete));
        }
        explains(pool, trace, seen, edges, |component| question.of(ComponentId::new(component)))
    };
    Some(traces.iter().any(is_explained))
}

/// Whether a trace explains the logs at some positions that respect the edges.
fn explains(
    pool: &Pool,
    trace: &[EventId],
    seen: &Observation,
    edges: &[Edge],
    observed: impl Fn(usize) -> Observed,
) -> bool {
    let count = seen.components.len();
    // By component: its moments in the trace, with their positions.
    let mut all = vec![Vec::new(); count];
    for (position, &event) in trace.iter().enumerate() {
        for (component, moment) in moments(pool, &seen.partition, event) {
            all[component.index()].push((moment, position));
        }
    }
    // By component: where the observed part may begin.
    let starts: Vec<Vec<usize>> = (0..count)
        .map(|component| {
            let (log, whole) = (&seen.components[component], &all[component]);
            let observed = observed(component);
            (0..=whole.len())
                .filter(|&start| start == 0 || observed.may_start_late())
                .filter(|&start| {
                    let end = start + log.len();
                    (end == whole.len() || (end < whole.len() && observed.may_stop_early()))
                        && log.iter().zip(&whole[start..end]).all(|(one, (other, _))| one == other)
                })
                .collect()
        })
        .collect();
    let combinations: usize = starts.iter().map(Vec::len).product();
    (0..combinations).any(|number| {
        let mut rest = number;
        let chosen: Vec<usize> = starts
            .iter()
            .map(|starts| {
                let start = starts[rest % starts.len()];
                rest /= starts.len();
                start
            })
            .collect();
        let position =
            |(component, moment): (usize, usize)| all[component][chosen[component] + moment].1;
        edges.iter().all(|&(from, to)| position(from) <= position(to))
    })
}

fn random_edges(rng: &mut fastrand::Rng, seen: &Observation) -> Vec<Edge> {
    let places: Vec<(usize, usize)> = (0..seen.components.len())
        .flat_map(|component| (0..seen.components[component].len()).map(move |at| (component, at)))
        .collect();
    let count = rng.usize(1..4);
    let pick = |rng: &mut fastrand::Rng| places[rng.usize(..places.len())];
    let edges = (0..count).map(|_| (pick(rng), pick(rng)));
    edges.filter(|((from, _), (to, _))| from != to).collect()
}

/// Whether both ends of an edge may be one event: then it is not enforced.
fn may_be_one_event(pool: &Pool, seen: &Observation, (from, to): &Edge) -> bool {
    let moment = |(component, at): &(usize, usize)| &seen.components[*component][*at];
    (0..pool.event_count()).map(EventId::new).any(|event| {
        let parts = moments(pool, &seen.partition, event);
        let has = |place: &(usize, usize)| {
            parts.contains(&(ComponentId::new(place.0), moment(place).clone()))
        };
        has(from) && has(to)
    })
}

#[test]
fn the_engine_in_order_agrees_with_the_definition() {
    let mut rng = fastrand::Rng::with_seed(2026);
    let (mut compared, mut decisive, mut witnesses) = (0, 0, 0);
    for round in 0..8_000 {
        let mut scope = Scope::new(3, 2, round % 4 == 0);
        let leaves = rng.usize(2..6);
        let term = scope.random_term(&mut rng, leaves);
        let pool = scope.pool;
        let trace = random_trace(&mut rng, &pool, term, 2);
        if trace.len() > 6 {
            continue;
        }
        let partitions = otus_testkit::small_scope::partitions(3);
        let partition = partitions[rng.usize(..partitions.len())].clone();
        let mut seen = Observation {
            components: otus_testkit::oracle::observe::project(&pool, &partition, &trace),
            partition,
        };
        // Parts of the logs, and sometimes a swap.
        for log in &mut seen.components {
            match rng.u8(..8) {
                0 => log.truncate(rng.usize(..=log.len())),
                1 if !log.is_empty() => drop(log.remove(0)),
                2 if log.len() > 1 => log.swap(0, 1),
                _ => {}
            }
        }
        if seen.len() < 2 {
            continue;
        }
        let edges = random_edges(&mut rng, &seen);
        if edges.is_empty() || edges.iter().any(|edge| may_be_one_event(&pool, &seen, edge)) {
            continue;
        }
        let multi_trace = seen.to_multi_trace();
        // The index of the first step of a moment.
        let step = |(component, at): (usize, usize)| {
            let before = &seen.components[component][..at];
            (ComponentId::new(component), before.iter().map(Vec::len).sum::<usize>())
        };
        let pairs: Vec<Pair> =
            edges.iter().map(|&(from, to)| Pair { from: step(from), to: step(to) }).collect();
        let order = ObservedOrder::new(&multi_trace, &pairs);
        let mut engine = Engine::new(&pool, term, &seen.partition, engine::Options::default());
        for question in
            [Question::ACCEPT, Question::GlobalPrefix, Question::MULTI_PREFIX, Question::SLICE]
        {
            let Some(expected) = by_definition(&pool, term, &seen, &edges, &question) else {
                continue;
            };
            let budget = Budget::default();
            let verdict = engine.analyze_ordered(&multi_trace, &order, &question, &budget).verdict;
            let text =
                || format!("{}\n{}\n{edges:?} {question:?}", pool.text(term), seen.text(&pool));
            assert_eq!(verdict >= Verdict::WeakPass, expected, "{}", text());
            let accepted = by_definition(&pool, term, &seen, &edges, &Question::ACCEPT);
            if let Some(accepted) = accepted {
                assert_eq!(verdict == Verdict::Pass, accepted && expected, "{}", text());
            }
            compared += 1;
            let without = engine.analyze(&multi_trace, &question, &budget).verdict;
            decisive += usize::from(without >= Verdict::WeakPass && !expected);
            if expected {
                let mut own = pool.clone();
                let witness = engine.witness_ordered(
                    &mut own,
                    term,
                    &multi_trace,
                    &order,
                    &question,
                    verdict,
                    &budget,
                );
                let witness = witness.unwrap_or_else(|| panic!("no witness: {}", text()));
                certify(&mut own, term, &multi_trace, (&question, verdict), &witness).unwrap();
                certify_order(&own, &multi_trace, &order, &witness).unwrap();
                witnesses += 1;
            }
        }
    }
    assert!(
        compared > 2_000 && decisive > 150 && witnesses > 500,
        "{compared} {decisive} {witnesses}"
    );
}
