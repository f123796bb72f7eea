//! All small interactions, all partitions, all short multi-traces, all questions.
//!
//! Terms come in a random order, so that the first ones are a fair sample of a scope. With enough cases, a scope is exhausted,
//! and the test prints so.

use otus_analysis::engine::Options;
use otus_analysis::{Question, Verdict};
use otus_testkit::oracle::traces::TraceSets;
use otus_testkit::oracle::{Asked, Members, Observation, Question as OracleQuestion};
use otus_testkit::small_scope::{Scope, alphabet, observations, partitions};

use super::compare::{Report, Subject, random_declarations, verdict};

const BUDGET: usize = 1_000_000;

/// The size of interactions and multi-traces.
struct Size {
    lifelines: usize,
    messages: usize,
    nodes: usize,
    length: usize,
}

fn sweep(number: u64, percent: u64, size: &Size) {
    let most = super::cases(percent);
    let mut rng = super::rng(number);
    let mut scope = Scope::new(size.lifelines, size.messages, true);
    let terms = scope.terms(size.nodes).concat();
    let mut terms = scope.up_to_renaming(&terms);
    rng.shuffle(&mut terms);
    let pool = &scope.pool;
    let mut report = Report::default();
    let mut done = 0;
    for &term in &terms {
        if report.cases >= most || report.is_full() {
            break;
        }
        done += 1;
        // Terms share sets of traces, but the sets of all terms do not fit into memory.
        let mut sets = TraceSets::new(pool, BUDGET);
        for partition in partitions(size.lifelines) {
            let options = [Options::default(), super::random_options(&mut rng)];
            let mut subject = Subject::new(pool, term, &partition, &options);
            let letters = alphabet(pool, term, &partition, Some(scope.foreign));
            let mut members = Members::new(term, partition.clone());
            for seen in observations(&partition, &letters, size.length) {
                for (question, expected) in truth(&mut rng, &mut members, &mut sets, &seen) {
                    subject.check_verdict(&seen, &question, expected, &mut report);
                }
            }
        }
    }
    let scope = format!(
        "{done} of {} terms of at most {} nodes on {} lifelines with {} messages, traces of at most {}",
        terms.len(),
        size.nodes,
        size.lifelines,
        size.messages,
        size.length
    );
    report.finish(&scope);
}

/// The four questions, and one with random declarations.
fn truth(
    rng: &mut fastrand::Rng,
    members: &mut Members,
    sets: &mut TraceSets<'_>,
    seen: &Observation,
) -> [(Question, Verdict); 5] {
    let each = random_declarations(rng, seen.components.len());
    let declared = Question::Each(each);
    let mut ask = |asked| members.ask(sets, &seen.components, asked).expect("small");
    let [accept, global, multi, slice] = OracleQuestion::ALL.map(&mut ask);
    let mut ask = |asked: Asked| asked.by_traces(members, sets).expect("small");
    let explained = ask(Asked::new(seen, &declared));
    let accepted = ask(Asked::complete(seen, &declared));
    [
        (Question::ACCEPT, verdict(accept, accept)),
        (Question::GlobalPrefix, verdict(accept, global)),
        (Question::MULTI_PREFIX, verdict(accept, multi)),
        (Question::SLICE, verdict(accept, slice)),
        (declared, verdict(accepted, explained)),
    ]
}

#[test]
fn two_lifelines_and_two_messages() {
    sweep(1, 15, &Size { lifelines: 2, messages: 2, nodes: 3, length: 3 });
}

#[test]
fn two_lifelines_and_one_message() {
    sweep(2, 25, &Size { lifelines: 2, messages: 1, nodes: 4, length: 3 });
}

#[test]
fn two_lifelines_and_longer_traces() {
    sweep(3, 10, &Size { lifelines: 2, messages: 1, nodes: 3, length: 4 });
}

#[test]
fn three_lifelines() {
    sweep(4, 20, &Size { lifelines: 3, messages: 1, nodes: 3, length: 2 });
}
