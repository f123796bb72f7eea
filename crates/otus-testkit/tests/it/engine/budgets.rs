//! A search that reaches its budget never gives a wrong verdict.

use std::time::Duration;

use otus_analysis::budget::Budget;
use otus_analysis::engine::Options;
use otus_analysis::{Engine, Question, Verdict};
use otus_testkit::small_scope::{Derivation, Scope, alphabet, derive, partitions, random_trace};

use super::compare::enough;

/// A random small budget.
fn budgets() -> Vec<Budget> {
    let most = [0, 1, 2, 3, 5, 8, 13, 21];
    let mut all: Vec<Budget> =
        most.iter().map(|&most| Budget { max_states: Some(most), ..Budget::default() }).collect();
    // Full tables are emptied between analyses.
    for most in [0, 1 << 12, 1 << 15] {
        all.push(Budget { max_bytes: Some(most), ..Budget::default() });
    }
    all.push(Budget { timeout: Some(Duration::ZERO), ..Budget::default() });
    let cancelled = Budget::default();
    cancelled.cancel.cancel();
    all.push(cancelled);
    all
}

#[test]
fn a_search_that_is_cut_claims_nothing_that_is_not_so() {
    let most = super::cases(5);
    let mut rng = super::rng(21);
    let (mut compared, mut undecided) = (0, 0);
    let questions =
        [Question::ACCEPT, Question::GlobalPrefix, Question::MULTI_PREFIX, Question::SLICE];
    while compared < most {
        let mut scope = Scope::new(3, 2, true);
        let leaves = rng.usize(2..10);
        let term = scope.random_term(&mut rng, leaves);
        let pool = &scope.pool;
        let all = partitions(3);
        let partition = &all[rng.usize(..all.len())];
        let letters = alphabet(pool, term, partition, Some(scope.foreign));
        let trace = random_trace(&mut rng, pool, term, 3);
        if trace.len() > 12 {
            continue;
        }
        let options = [Options::default(), super::random_options(&mut rng)][rng.usize(..2)];
        let mut whole = Engine::new(pool, term, partition, options);
        // A search that was cut must not leave wrong entries in the tables for the next one.
        let mut cut = Engine::new(pool, term, partition, options);
        for derivation in Derivation::ALL {
            let seen = derive(&mut rng, pool, partition, &trace, &letters, derivation);
            let observed = seen.to_multi_trace();
            for question in &questions {
                let expected = whole.analyze(&observed, question, &enough()).verdict;
                for budget in budgets() {
                    let found = cut.analyze(&observed, question, &budget);
                    let context = || {
                        let (term, seen) = (pool.text(term), seen.text(pool));
                        format!("{term} and {seen}, {question:?}, {options:?}, {budget:?}")
                    };
                    compared += 1;
                    match found.verdict {
                        Verdict::Inconclusive => {
                            assert!(found.stop.is_early(), "{}: {found:?}", context());
                            undecided += 1;
                        }
                        // The search may have been cut before it found that the multi-trace is accepted.
                        Verdict::WeakPass if expected == Verdict::Pass => {
                            assert!(found.stop.is_early(), "{}: {found:?}", context());
                        }
                        Verdict::Pass | Verdict::WeakPass | Verdict::Fail | Verdict::WeakFail => {
                            assert_eq!(found.verdict, expected, "{}", context());
                        }
                    }
                    if let Some(most) = budget.max_states {
                        assert!(found.states <= most, "{}: {found:?}", context());
                    }
                }
                let again = cut.analyze(&observed, question, &enough()).verdict;
                assert_eq!(again, expected, "{} and {}", pool.text(term), seen.text(pool));
            }
        }
    }
    println!("{compared} searches with a small budget, {undecided} of them undecided");
}
