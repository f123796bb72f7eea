//! Exploration and generation make accepted multi-traces.

use std::collections::BTreeSet;

use otus_analysis::config::{Filters, Priorities};
use otus_analysis::{Config, generate};
use otus_core::EventId;
use otus_syntax::options::{Generation, Strategy};
use otus_testkit::oracle::member::witness_length;
use otus_testkit::oracle::observe::project;
use otus_testkit::oracle::{Observation, traces};
use otus_testkit::small_scope::{Scope, partitions};

use super::{BUDGET, is_large};

#[test]
fn exploration_generates_exactly_the_accepted_traces() {
    let mut compared = 0;
    for (lifelines, messages, nodes) in [(2, 1, 4), (3, 1, 3), (2, 2, 3)] {
        let mut scope = Scope::new(lifelines, messages, true);
        let terms = scope.terms(nodes).concat();
        for term in scope.up_to_renaming(&terms) {
            let depth = 3;
            let strategies = [Strategy::Depth, Strategy::Breadth, Strategy::HighCoverage];
            let config = Config {
                strategy: strategies[compared % 3],
                priorities: Priorities {
                    randomize: compared % 2 == 0,
                    reception: i64::from(compared % 5 == 0),
                    ..Priorities::default()
                },
                filters: Filters { depth: Some(depth as u64), ..Filters::default() },
                ..Config::default()
            };
            let mut explored = |generation| -> BTreeSet<Vec<EventId>> {
                let found = generate::explored(&mut scope.pool, term, &config, generation);
                found.into_iter().collect()
            };
            let exact = explored(Generation::Exact);
            let prefixes = explored(Generation::Prefix);
            let deepest = explored(Generation::Depth(depth as u64));
            let terminal = explored(Generation::Terminal);
            let even = explored(Generation::Modulo(2));
            let pool = &scope.pool;
            let text = pool.text(term);
            assert_eq!(Some(&exact), traces(pool, term, depth, BUDGET).as_ref(), "{text}");
            let longer = witness_length(pool, term, depth, |_| 1);
            let all = traces(pool, term, longer, BUDGET).expect("small");
            let all: BTreeSet<Vec<EventId>> = all
                .iter()
                .flat_map(|trace| (0..=trace.len().min(depth)).map(|end| trace[..end].to_vec()))
                .collect();
            assert_eq!(prefixes, all, "{text}");
            let only = |keep: &dyn Fn(usize) -> bool| -> BTreeSet<Vec<EventId>> {
                all.iter().filter(|trace| keep(trace.len())).cloned().collect()
            };
            assert_eq!(deepest, only(&|length| length == depth), "{text}");
            assert_eq!(even, only(&|length| length.is_multiple_of(2)), "{text}");
            assert!(terminal.is_superset(&deepest) && terminal.is_subset(&prefixes), "{text}");
            compared += 1;
        }
    }
    println!("{compared} terms");
}

#[test]
fn random_traces_are_accepted_distinct_short_and_the_same_for_the_same_seed() {
    let mut scope = Scope::new(3, 2, true);
    let mut rng = fastrand::Rng::with_seed(5);
    let small = scope.terms(2).concat();
    let mut terms = scope.up_to_renaming(&small);
    for _ in 0..if is_large() { 5000 } else { 500 } {
        let leaves = rng.usize(2..7);
        terms.push(scope.random_term(&mut rng, leaves));
    }
    let mut checked = 0;
    for term in terms {
        for (count, length) in [(5, 0), (5, 2), (20, 5)] {
            let seed = rng.u64(..);
            let found = generate::random(&mut scope.pool, term, count, length, seed);
            assert_eq!(found, generate::random(&mut scope.pool, term, count, length, seed));
            let pool = &scope.pool;
            let text = pool.text(term);
            let distinct: BTreeSet<_> = found.iter().collect();
            assert!(distinct.len() == found.len() && found.len() <= count, "{text}");
            assert!(found.iter().all(|trace| trace.len() <= length), "{text}");
            let Some(all) = traces(pool, term, length, 50_000) else { continue };
            assert!(found.iter().all(|trace| all.contains(trace)), "{text}");
            // If there are accepted multi-traces, some are found.
            assert_eq!(found.is_empty(), all.is_empty(), "{text}");
            if all.len() <= 3 && count >= 5 {
                assert_eq!(found.len(), all.len(), "{text}");
            }
            for partition in partitions(3) {
                for trace in &found {
                    let seen = Observation::from(&generate::project(pool, &partition, trace));
                    assert_eq!(seen.components, project(pool, &partition, trace), "{text}");
                }
            }
            checked += found.len();
        }
    }
    println!("{checked} traces");
    assert!(checked > 2_000);
}
