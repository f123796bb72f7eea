//! A search that reaches its budget never gives a wrong verdict.

use std::time::Duration;

use otus_analysis::budget::Budget;
use otus_analysis::engine::Options;
use otus_analysis::{Engine, Question, Verdict};
use otus_syntax::{Source, parse_trace};
use otus_testkit::read::{Language, read};
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

/// Interactions for which single steps are much work.
fn large() -> [(String, &'static str); 2] {
    let loops = format!("{}a!z{}", "loopS(strict(alt(a!m, b!n), ".repeat(400), "))".repeat(400));
    let choices =
        format!("{}b!z{}", "coreg(a)(alt(a!m, seq(a!m, b!n)), ".repeat(60), ")".repeat(60));
    [(loops, "{ [a] a!m.a!m.a!z; [b] b!n.b!n }"), (choices, "{ [a] a!m.a!m.a!m; [b] b!n.b!z.b!n }")]
}

/// Cancellation and memory end an analysis within a step too.
#[test]
fn a_limit_ends_an_analysis_in_the_middle_of_a_step() {
    for (interaction, trace) in large() {
        let (mut lowered, _) = read(Language::Interaction, &interaction);
        let parsed = parse_trace(&Source::new("trace", trace));
        let (trace, _) = otus_trace::lower(&parsed.tree, &mut lowered.pool);
        let term = lowered.term.expect("an interaction");
        let engine = || Engine::new(&lowered.pool, term, trace.partition(), Options::default());
        for question in [Question::ACCEPT, Question::MULTI_PREFIX, Question::SLICE] {
            let cancelled = Budget::default();
            cancelled.cancel.cancel();
            let found = engine().analyze(&trace, &question, &cancelled);
            assert!(found.states <= 256, "{question:?}: {found:?}");
            let mut engine = engine();
            let most = engine.bytes() + 100_000;
            let budget = Budget { max_bytes: Some(most as u64), ..Budget::default() };
            let found = engine.analyze(&trace, &question, &budget);
            assert!(
                engine.bytes() <= most + most / 20 + 200_000,
                "{question:?}: {found:?}, {} of {most} bytes",
                engine.bytes()
            );
        }
    }
}
