//! Loop-free terms as formulas: `engine::sat` against the oracle, and on satisfiability problems.

use std::path::Path;

use otus_analysis::budget::{Budget, Meter, Stop};
use otus_analysis::certify::certify;
use otus_analysis::engine::sat::{Answer, Problem, solve, worth_it};
use otus_analysis::engine::{Engine, Options};
use otus_analysis::{Observed, Question, Verdict};
use otus_core::{Pool, Term, TermId};
use otus_testkit::oracle::traces::TraceSets;
use otus_testkit::oracle::{Members, Observation, Window};
use otus_testkit::sat::{self, Formula, random, reduce};
use otus_testkit::small_scope::{
    Derivation, Scope, alphabet, derive, observations, partitions, random_trace,
};
use otus_trace::{MultiTrace, Partition};

/// The answer, whose witness must hold. `None` if the solver does not take the term.
#[track_caller]
fn explained(
    pool: &mut Pool,
    problem: &Problem,
    term: TermId,
    trace: &MultiTrace,
    question: &Question,
) -> bool {
    let budget = Budget::default();
    let answer = problem.ask(trace, question, &mut Meter::new(&budget));
    match answer.expect("small formulas are made") {
        Answer::Explained(model) => {
            let witness = problem.witness(pool, trace, question, &model);
            let complete = trace.partition().components();
            let complete = complete.into_iter().all(|c| question.of(c) == Observed::Complete);
            let verdict = if complete { Verdict::Pass } else { Verdict::WeakPass };
            if let Err(refuted) = certify(pool, term, trace, (question, verdict), &witness) {
                let shown = Observation::from(trace).text(pool);
                panic!("{}: {shown}: {}: {refuted}", pool.text(term), witness.text(pool));
            }
            true
        }
        Answer::Refuted => false,
        Answer::Stopped(stop) => panic!("without budget it stopped: {}", stop.reason()),
    }
}

fn window(observed: Observed) -> Window {
    match observed {
        Observed::Complete => Window::Complete,
        Observed::StopsEarly => Window::Prefix,
        Observed::StartsLate => Window::Suffix,
        // Nothing is recorded of what is unobserved; see `disregard`.
        Observed::Slice | Observed::Unobserved => Window::Slice,
    }
}

/// Compares all answers about a term and a multi-trace; returns how many were yes.
#[track_caller]
fn compare(
    pool: &mut Pool,
    (term, partition): (TermId, &Partition),
    seen: &Observation,
    declarations: &[Vec<Observed>],
) -> Option<[usize; 2]> {
    let problem = Problem::new(pool, term, partition)?;
    let trace = seen.to_multi_trace();
    let mut counts = [0, 0];
    for declared in declarations {
        let question = Question::Each(declared.clone().into());
        let found = explained(pool, &problem, term, &trace, &question);
        let mut sets = TraceSets::new(pool, 100_000);
        let windows: Vec<Window> = declared.iter().map(|&observed| window(observed)).collect();
        let mut components = seen.components.clone();
        for (component, observed) in components.iter_mut().zip(declared) {
            if *observed == Observed::Unobserved {
                component.clear();
            }
        }
        let mut members = Members::new(term, partition.clone());
        let expected = members.ask_windows(&mut sets, &components, &windows);
        let expected = expected.expect("small terms have few traces");
        assert_eq!(found, expected, "{} on {}: {declared:?}", pool.text(term), seen.text(pool));
        counts[usize::from(found)] += 1;
    }
    Some(counts)
}

/// A random term without loops.
fn random_term(scope: &mut Scope, rng: &mut fastrand::Rng, leaves: usize) -> TermId {
    if leaves <= 1 {
        let event = scope.events[rng.usize(..scope.events.len())];
        return if rng.usize(..8) == 0 { Pool::EMPTY } else { scope.pool.event(event) };
    }
    let split = rng.usize(1..leaves);
    let left = random_term(scope, rng, split);
    let right = random_term(scope, rng, leaves - split);
    match rng.usize(..9) {
        0 | 1 => scope.pool.strict(left, right),
        2..=4 => scope.pool.alt(left, right),
        5 | 6 => scope.pool.seq(left, right),
        7 => scope.pool.par(left, right),
        _ => {
            let region = scope.regions[rng.usize(..scope.regions.len())];
            scope.pool.coreg(region, left, right)
        }
    }
}

fn random_cases(seeds: std::ops::Range<u64>, leaves: usize) {
    let mut counts = [0, 0];
    let mut coupled = 0;
    let partitions = partitions(3);
    for seed in seeds {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut scope = Scope::new(3, 2, seed % 3 == 0);
        let count = rng.usize(2..=leaves);
        let term = random_term(&mut scope, &mut rng, count);
        let partition = &partitions[rng.usize(..partitions.len())];
        let letters = alphabet(&scope.pool, term, partition, Some(scope.foreign));
        for derivation in Derivation::ALL {
            let trace = random_trace(&mut rng, &scope.pool, term, 1);
            let seen = derive(&mut rng, &scope.pool, partition, &trace, &letters, derivation);
            let mut declarations: Vec<Vec<Observed>> =
                Observed::ALL.iter().map(|&all| vec![all; partition.len()]).collect();
            declarations
                .push((0..partition.len()).map(|_| Observed::ALL[rng.usize(..5)]).collect());
            match compare(&mut scope.pool, (term, partition), &seen, &declarations) {
                Some([no, yes]) => {
                    counts[0] += no;
                    counts[1] += yes;
                }
                None => coupled += 1,
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 2000) && coupled > 0, "{counts:?} {coupled}");
}

#[test]
fn random_terms_without_loops_are_decided_and_explained() {
    random_cases(0..1200, 6);
}

#[test]
#[ignore = "minutes"]
fn very_many_random_terms_without_loops_are_decided_and_explained() {
    random_cases(10_000..60_000, 8);
}

#[test]
fn all_small_terms_without_loops_are_decided_and_explained() {
    let mut scope = Scope::new(2, 1, true);
    let terms: Vec<TermId> = scope.terms(5).into_iter().flatten().collect();
    let terms = scope.up_to_renaming(&terms).into_iter();
    let loop_free: Vec<TermId> =
        terms.filter(|&term| scope.pool.attributes(term).loops == 0).collect();
    let mut counts = [0, 0];
    for (i, term) in loop_free.into_iter().enumerate() {
        for partition in partitions(2) {
            let letters = alphabet(&scope.pool, term, &partition, None);
            let declarations: Vec<Vec<Observed>> =
                Observed::ALL.iter().map(|&all| vec![all; partition.len()]).collect();
            // Each term with some of its multi-traces, and every multi-trace with some terms.
            for seen in observations(&partition, &letters, 3).iter().skip(i % 7).step_by(7) {
                if let Some([no, yes]) =
                    compare(&mut scope.pool, (term, &partition), seen, &declarations)
                {
                    counts[0] += no;
                    counts[1] += yes;
                }
            }
        }
    }
    println!("{counts:?} refuted and explained");
    assert!(counts.iter().all(|&count| count > 10_000), "{counts:?}");
}

/// Decides a formula by its reduction; the witness is replayed.
#[track_caller]
fn is_satisfiable(formula: &Formula) -> bool {
    let mut reduction = reduce(formula);
    let partition = reduction.trace.partition();
    let problem = Problem::new(&reduction.pool, reduction.term, partition).expect("it is taken");
    let question = Question::MULTI_PREFIX;
    explained(&mut reduction.pool, &problem, reduction.term, &reduction.trace, &question)
}

#[test]
fn all_of_uf20_is_satisfiable() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/uf20/uf20.jsonl");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: there is no {}", path.display());
        return;
    };
    let problems = sat::Problem::from_json_lines(&text).expect("the corpus is well-formed");
    let mut times = Vec::new();
    for problem in &problems {
        assert!(is_satisfiable(&problem.formula), "{}", problem.name);
        let reduction = reduce(&problem.formula);
        let start = std::time::Instant::now();
        let budget = Budget::default();
        let answer = solve(
            &reduction.pool,
            reduction.term,
            &reduction.trace,
            &Question::MULTI_PREFIX,
            &mut Meter::new(&budget),
        );
        times.push(start.elapsed());
        assert!(matches!(answer, Some(Answer::Explained(_))));
        assert!(worth_it(&reduction.pool, reduction.term));
    }
    times.sort_unstable();
    println!("{} problems, median {:?}", problems.len(), times[times.len() / 2]);
}

#[test]
fn random_problems_near_the_threshold_are_decided() {
    let mut counts = [0, 0];
    for seed in 0..150 {
        let variables = 5 + usize::try_from(seed % 26).unwrap();
        let formula = random(variables, variables * 426 / 100, seed);
        let expected = sat::solve(&formula).is_some();
        assert_eq!(is_satisfiable(&formula), expected, "seed {seed}");
        counts[usize::from(expected)] += 1;
    }
    println!("{counts:?}");
    assert!(counts.iter().all(|&count| count > 20), "{counts:?}");
}

#[test]
fn a_budget_ends_the_search() {
    let reduction = reduce(&random(120, 550, 3));
    let partition = reduction.trace.partition();
    let problem = Problem::new(&reduction.pool, reduction.term, partition).unwrap();
    let budget = Budget { max_states: Some(20), ..Budget::default() };
    let mut meter = Meter::new(&budget);
    let answer = problem.ask(&reduction.trace, &Question::MULTI_PREFIX, &mut meter);
    assert!(matches!(answer, Some(Answer::Stopped(Stop::States))), "{answer:?}");
}

#[test]
fn what_is_not_for_a_formula_is_left_alone() {
    let mut scope = Scope::new(2, 1, false);
    let events: Vec<TermId> =
        scope.events.clone().into_iter().map(|e| scope.pool.event(e)).collect();
    let looped = scope.pool.loop_s(events[0]);
    let forth = scope.pool.strict(events[0], events[3]);
    let back = scope.pool.strict(events[2], events[1]);
    let crossing = scope.pool.par(forth, back);
    let partition = Partition::discrete(2);
    assert!(matches!(scope.pool.node(looped), Term::LoopS(_)));
    assert!(Problem::new(&scope.pool, looped, &partition).is_none());
    assert!(Problem::new(&scope.pool, crossing, &partition).is_none());
    assert!(!worth_it(&scope.pool, crossing));
    let trace = Observation::empty(partition.clone()).to_multi_trace();
    let problem = Problem::new(&scope.pool, forth, &partition).unwrap();
    let budget = Budget::default();
    let mut meter = Meter::new(&budget);
    assert!(problem.ask(&trace, &Question::GlobalPrefix, &mut meter).is_none());
}

/// On terms that are too large for the oracle, the search of the engine is the other opinion.
#[test]
fn larger_terms_are_decided_as_the_search_decides_them() {
    let options = Options { solver: false, ..Options::default() };
    let budget = Budget { max_states: Some(3_000), ..Budget::default() };
    let mut counts = [0, 0];
    let mut undecided = 0;
    for seed in 0..400 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let lifelines = rng.usize(2..=5);
        let mut scope = Scope::new(lifelines, 2, seed % 4 == 0);
        let leaves = rng.usize(8..=40);
        let term = random_term(&mut scope, &mut rng, leaves);
        let all = partitions(lifelines);
        let partition = &all[rng.usize(..all.len())];
        let Some(problem) = Problem::new(&scope.pool, term, partition) else { continue };
        let mut engine = Engine::new(&scope.pool, term, partition, options);
        let letters = alphabet(&scope.pool, term, partition, None);
        for derivation in Derivation::ALL {
            let trace = random_trace(&mut rng, &scope.pool, term, 1);
            let seen = derive(&mut rng, &scope.pool, partition, &trace, &letters, derivation);
            let trace = seen.to_multi_trace();
            for observed in Observed::ALL {
                let question = Question::Uniform(observed);
                let found = explained(&mut scope.pool, &problem, term, &trace, &question);
                counts[usize::from(found)] += 1;
                match engine.analyze(&trace, &question, &budget).verdict {
                    Verdict::Pass | Verdict::WeakPass => assert!(found, "seed {seed}"),
                    Verdict::Fail => assert!(!found, "seed {seed}"),
                    Verdict::WeakFail | Verdict::Inconclusive => undecided += 1,
                }
            }
        }
    }
    println!("{counts:?} refuted and explained, {undecided} undecided by the search");
    assert!(counts.iter().all(|&count| count > 1000), "{counts:?}");
}
