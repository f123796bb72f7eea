//! The fast engine compared with the papers' searches, where both decide.
//!
//! | search | how its verdict relates to the engine's |
//! |---|---|
//! | `accept`, `prefix` | they are equal, on any partition |
//! | `eliminate` | it passes every multi-prefix, so its Fail implies Fail; without concurrency they are equal |
//! | `simulate` | it passes only slices; with complete bounds they are equal |

use crate::reference;
use otus_analysis::config::{Kind, Simulation};
use otus_analysis::engine::Options;
use otus_analysis::graph::{self, Silent};
use otus_analysis::{Config, Question, Verdict};
use otus_core::{Pool, TermId};
use otus_syntax::options::Criterion;
use otus_testkit::oracle::Observation;
use otus_testkit::small_scope::{Derivation, Scope, alphabet, derive, partitions, random_trace};

use super::compare::{Report, Subject};

/// The verdict of a search that was not cut.
fn by_graph(pool: &mut Pool, term: TermId, seen: &Observation, kind: Kind) -> Option<Verdict> {
    // No local analyses, because they have no budget of their own.
    let mut config = Config { kind, memoize: true, ..Config::default() };
    config.budget.max_states = Some(400);
    let trace = seen.to_multi_trace();
    let outcome = graph::analyze(pool, term, &trace, &config, &mut Silent).ok()?;
    (!outcome.stop.is_early()).then_some(outcome.verdict)
}

/// Compares everything on one multi-trace.
fn compare(subject: &mut Subject<'_>, copy: &mut Pool, seen: &Observation, report: &mut Report) {
    let (pool, term) = (subject.pool, subject.term);
    for (kind, question) in
        [(Kind::Accept, Question::ACCEPT), (Kind::Prefix, Question::GlobalPrefix)]
    {
        match by_graph(copy, term, seen, kind) {
            Some(verdict) => subject.check_verdict(seen, &question, verdict, report),
            None => report.unknown += 1,
        }
    }
    if seen.partition.is_discrete() {
        let exact = !reference::has_concurrency(pool, term);
        match by_graph(copy, term, seen, Kind::Eliminate) {
            Some(verdict) if exact || verdict != Verdict::WeakPass => {
                subject.check_verdict(seen, &Question::MULTI_PREFIX, verdict, report);
            }
            Some(_) | None => report.unknown += 1,
        }
    }
    let complete = Simulation {
        before: true,
        multiply: false,
        reset: false,
        loops: Criterion::Number(u64::from(pool.attributes(term).loop_depth) * seen.len() as u64),
        actions: Criterion::None,
    };
    for simulation in [complete, Simulation::default()] {
        let verdict = by_graph(copy, term, seen, Kind::Simulate(simulation));
        match verdict {
            Some(Verdict::WeakFail) if simulation == complete => {
                subject.check_verdict(seen, &Question::SLICE, Verdict::Fail, report);
            }
            Some(verdict) if verdict >= Verdict::WeakPass => {
                subject.check_verdict(seen, &Question::SLICE, verdict, report);
            }
            Some(_) | None => report.unknown += 1,
        }
    }
}

fn sweep(number: u64, percent: u64, lifelines: usize, length: usize) {
    let most = super::cases(percent);
    let mut rng = super::rng(number);
    let mut report = Report::lenient();
    let all = partitions(lifelines);
    let mut tried = 0;
    while report.cases < most && tried < 20 * most && !report.is_full() {
        tried += 1;
        let mut scope = Scope::new(lifelines, 3, true);
        let leaves = rng.usize(4..15);
        let term = scope.random_term(&mut rng, leaves);
        let pool = &scope.pool;
        let mut copy = pool.clone();
        // Half of the partitions are discrete, for which there is one more search.
        let discrete = rng.bool().then(|| all.iter().find(|p| p.is_discrete())).flatten();
        let partition = discrete.unwrap_or(&all[rng.usize(..all.len())]);
        let options = [Options::default(), super::random_options(&mut rng)];
        let mut subject = Subject::new(pool, term, partition, &options);
        let letters = alphabet(pool, term, partition, Some(scope.foreign));
        let trace = random_trace(&mut rng, pool, term, 3);
        if trace.len() > length {
            continue;
        }
        for derivation in Derivation::ALL {
            let seen = derive(&mut rng, pool, partition, &trace, &letters, derivation);
            compare(&mut subject, &mut copy, &seen, &mut report);
        }
    }
    report
        .finish(&format!("by the papers' searches, {lifelines} lifelines, up to {length} events"));
}

#[test]
fn three_lifelines() {
    sweep(31, 2, 3, 10);
}

#[test]
fn five_lifelines() {
    sweep(32, 1, 5, 16);
}
