//! Random larger cases.

use otus_analysis::engine::Options;
use otus_analysis::{Question, Verdict};
use otus_core::{Pool, TermId};
use otus_testkit::oracle::{Asked, Observation, Question as OracleQuestion, marked};
use otus_testkit::small_scope::{Derivation, Scope, alphabet, derive, partitions, random_trace};

use super::compare::{Report, Subject, random_declarations, verdict};

/// The budget of the oracle for one question.
const BUDGET: usize = 20_000;

/// The shape of random interactions and multi-traces.
struct Shape {
    lifelines: usize,
    messages: usize,
    leaves: std::ops::Range<usize>,
    /// The most iterations of a loop.
    iterations: usize,
    /// The number of events.
    length: usize,
}

/// Random terms, each with several multi-traces on one partition.
fn sweep(
    number: u64,
    percent: u64,
    shape: &Shape,
    mut report: Report,
    mut check: impl FnMut(&mut fastrand::Rng, &mut Subject<'_>, &Observation, Derivation, &mut Report),
) {
    let most = super::cases(percent);
    let mut rng = super::rng(number);
    let all = partitions(shape.lifelines);
    while report.cases < most && !report.is_full() {
        // Sometimes a new pool, because an engine must not depend on other terms in it.
        let mut scope = Scope::new(shape.lifelines, shape.messages, true);
        for _ in 0..50 {
            if report.cases >= most || report.is_full() {
                break;
            }
            let leaves = rng.usize(shape.leaves.clone());
            let term = scope.random_term(&mut rng, leaves);
            let pool = &scope.pool;
            let partition = &all[rng.usize(..all.len())];
            let options = [Options::default(), super::random_options(&mut rng)];
            let mut subject = Subject::new(pool, term, partition, &options);
            let letters = alphabet(pool, term, partition, Some(scope.foreign));
            for _ in 0..2 {
                let trace = random_trace(&mut rng, pool, term, shape.iterations);
                if trace.len() > shape.length {
                    continue;
                }
                for derivation in Derivation::ALL {
                    let seen = derive(&mut rng, pool, partition, &trace, &letters, derivation);
                    check(&mut rng, &mut subject, &seen, derivation, &mut report);
                }
            }
        }
    }
    report.finish(&format!(
        "random terms of {:?} leaves on {} lifelines, up to {} events",
        shape.leaves, shape.lifelines, shape.length
    ));
}

/// Compares with every answer of the oracle.
fn by_oracle(
    rng: &mut fastrand::Rng,
    subject: &mut Subject<'_>,
    seen: &Observation,
    _: Derivation,
    report: &mut Report,
) {
    let (pool, term): (&Pool, TermId) = (subject.pool, subject.term);
    let ask = |asked| marked::member(pool, term, seen, asked, BUDGET);
    let Some(accepted) = ask(OracleQuestion::Accept) else {
        report.unknown += 5;
        return;
    };
    let questions = [
        (Question::ACCEPT, OracleQuestion::Accept),
        (Question::GlobalPrefix, OracleQuestion::GlobalPrefix),
        (Question::MULTI_PREFIX, OracleQuestion::MultiPrefix),
        (Question::SLICE, OracleQuestion::Slice),
    ];
    for (question, asked) in questions {
        // An accepted multi-trace is explained for every question.
        match if accepted { Some(true) } else { ask(asked) } {
            Some(explained) => {
                subject.check_verdict(seen, &question, verdict(accepted, explained), report);
            }
            None => report.unknown += 1,
        }
    }
    let each = random_declarations(rng, seen.components.len());
    let question = Question::Each(each);
    let asked = [Asked::complete(seen, &question), Asked::new(seen, &question)];
    match asked.map(|asked| asked.by_marks(pool, term, BUDGET)) {
        [Some(accepted), Some(explained)] => {
            subject.check_verdict(seen, &question, verdict(accepted, explained), report);
        }
        [_, _] => report.unknown += 1,
    }
}

/// Compares with the verdict that follows from the construction: an accepted multi-trace must get Pass, a prefix of it at least
/// WeakPass.
fn by_construction(
    _: &mut fastrand::Rng,
    subject: &mut Subject<'_>,
    seen: &Observation,
    derivation: Derivation,
    report: &mut Report,
) {
    let questions =
        [Question::ACCEPT, Question::GlobalPrefix, Question::MULTI_PREFIX, Question::SLICE];
    // The strongest question for which it is explained.
    let first = match derivation {
        Derivation::Accepted => 0,
        Derivation::GlobalPrefix => 1,
        Derivation::MultiPrefix => 2,
        Derivation::Slice => 3,
        Derivation::Noise | Derivation::Swap | Derivation::Loss => return,
    };
    for question in &questions[first..] {
        let (fits, wanted): (fn(Verdict) -> bool, &str) = if derivation == Derivation::Accepted {
            (|found| found == Verdict::Pass, "Pass")
        } else {
            (|found| found >= Verdict::WeakPass, "Pass or WeakPass")
        };
        subject.check(seen, question, fits, wanted, report);
    }
}

#[test]
fn three_lifelines_by_the_oracle() {
    let shape = Shape { lifelines: 3, messages: 2, leaves: 3..8, iterations: 2, length: 8 };
    sweep(11, 15, &shape, Report::lenient(), by_oracle);
}

#[test]
fn two_lifelines_and_many_equal_actions_by_the_oracle() {
    let shape = Shape { lifelines: 2, messages: 1, leaves: 3..9, iterations: 3, length: 9 };
    sweep(12, 10, &shape, Report::lenient(), by_oracle);
}

#[test]
fn four_lifelines_by_the_oracle() {
    let shape = Shape { lifelines: 4, messages: 1, leaves: 3..9, iterations: 2, length: 9 };
    sweep(13, 5, &shape, Report::lenient(), by_oracle);
}

#[test]
fn larger_ones_by_construction() {
    let shape = Shape { lifelines: 4, messages: 4, leaves: 6..12, iterations: 3, length: 18 };
    sweep(14, 2, &shape, Report::patient(2), by_construction);
}

#[test]
#[ignore = "a minute"]
fn much_larger_ones_by_construction() {
    let shape = Shape { lifelines: 4, messages: 4, leaves: 8..16, iterations: 3, length: 24 };
    sweep(15, 1, &shape, Report::patient(20), by_construction);
}
