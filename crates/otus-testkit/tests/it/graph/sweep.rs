//! All small cases, and random larger ones.

use otus_testkit::oracle::traces::TraceSets;
use otus_testkit::oracle::{Members, Question, marked};
use otus_testkit::small_scope::{
    Derivation, Scope, alphabet, derive, observations, partitions, random_trace,
};

use super::case::{Case, Counts};
use super::truth::{Truth, Tuples};
use super::{BUDGET, is_large};

/// All partitions and multi-traces for all terms of a scope.
fn sweep(lifelines: usize, messages: usize, nodes: usize, length: usize) -> Counts {
    sweep_part(lifelines, messages, nodes, length, |_| true)
}

/// The same for some of the terms, by number.
fn sweep_part(
    lifelines: usize,
    messages: usize,
    nodes: usize,
    length: usize,
    part: impl Fn(usize) -> bool,
) -> Counts {
    let mut scope = Scope::new(lifelines, messages, true);
    let terms = scope.terms(nodes).concat();
    let terms = scope.up_to_renaming(&terms);
    let mut sets = TraceSets::new(&scope.pool, BUDGET);
    let mut rng = fastrand::Rng::with_seed(42);
    let mut counts = Counts::default();
    for (_, term) in terms.into_iter().enumerate().filter(|(number, _)| part(*number)) {
        // A search adds terms to a copy of the pool, so that the oracle can keep the original.
        let mut pool = scope.pool.clone();
        let mut tuples = Tuples::new(term);
        for partition in partitions(lifelines) {
            let letters = alphabet(&scope.pool, term, &partition, Some(scope.foreign));
            let mut members = Members::new(term, partition.clone());
            for seen in observations(&partition, &letters, length) {
                let answers = Question::ALL.map(|question| {
                    members.ask(&mut sets, &seen.components, question).expect("small")
                });
                let tuples = tuples.has_multi_prefix(&scope.pool, &seen);
                Case {
                    pool: &mut pool,
                    term,
                    trace: seen.to_multi_trace(),
                    seen: &seen,
                    truth: Truth { answers, tuples },
                    rng: &mut rng,
                    counts: &mut counts,
                }
                .check();
            }
        }
    }
    assert!(counts.too_large <= counts.analyses / 50, "{counts:?}");
    assert!(counts.refuted > counts.still_valid, "{counts:?}");
    counts
}

#[test]
fn two_lifelines_and_two_messages() {
    let length = if is_large() { 4 } else { 3 };
    println!("{:?}", sweep(2, 2, 3, length));
}

/// The largest scope, in two halves that can run at the same time.
fn half(which: usize) -> Counts {
    let (nodes, length) = if is_large() { (5, 2) } else { (4, 3) };
    let counts = sweep_part(2, 1, nodes, length, |number| number % 2 == which);
    assert!(counts.cases > 130_000);
    counts
}

#[test]
fn two_lifelines_and_one_message_one_half() {
    println!("{:?}", half(0));
}

#[test]
fn two_lifelines_and_one_message_other_half() {
    println!("{:?}", half(1));
}

#[test]
fn two_lifelines_and_longer_traces() {
    let (nodes, length) = if is_large() { (3, 5) } else { (2, 4) };
    println!("{:?}", sweep(2, 1, nodes, length));
}

#[test]
fn three_lifelines() {
    let (nodes, length) = if is_large() { (4, 3) } else { (3, 2) };
    println!("{:?}", sweep(3, 1, nodes, length));
}

#[test]
fn random_larger_cases() {
    let mut scope = Scope::new(3, 2, true);
    let mut rng = fastrand::Rng::with_seed(7);
    let mut counts = Counts::default();
    let mut given_up = 0;
    for _ in 0..if is_large() { 30_000 } else { 600 } {
        let leaves = rng.usize(3..7);
        let term = scope.random_term(&mut rng, leaves);
        let mut pool = scope.pool.clone();
        let all = partitions(3);
        let partition = &all[rng.usize(..all.len())];
        let letters = alphabet(&pool, term, partition, Some(scope.foreign));
        let trace = random_trace(&mut rng, &pool, term, 2);
        if trace.len() > 6 {
            continue;
        }
        for derivation in Derivation::ALL {
            let seen = derive(&mut rng, &pool, partition, &trace, &letters, derivation);
            let answers =
                Question::ALL.map(|question| marked::member(&pool, term, &seen, question, 30_000));
            let [Some(accept), Some(global), Some(multi), Some(slice)] = answers else {
                given_up += 1;
                continue;
            };
            let tuples = Tuples::new(term).has_multi_prefix(&pool, &seen);
            Case {
                pool: &mut pool,
                term,
                trace: seen.to_multi_trace(),
                seen: &seen,
                truth: Truth { answers: [accept, global, multi, slice], tuples },
                rng: &mut rng,
                counts: &mut counts,
            }
            .check();
        }
    }
    println!("{counts:?}, {given_up} too large for the oracle");
}
