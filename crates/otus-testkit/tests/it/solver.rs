//! Loop-free terms as formulas: `engine::sat` compared with the oracle, and on satisfiability problems.

use otus_analysis::budget::{Budget, Meter, Stop};
use otus_analysis::certify::certify;
use otus_analysis::engine::sat::{Answer, Problem, solve, worth_it};
use otus_analysis::engine::{Engine, Options};
use otus_analysis::{Observed, Question, Verdict};
use otus_core::{Pool, Term, TermId};
use otus_testkit::corpus;
use otus_testkit::oracle::traces::TraceSets;
use otus_testkit::oracle::{Asked, Members, Observation};
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
) -> Option<bool> {
    let budget = Budget::default();
    let answer = problem.ask(trace, question, &mut Meter::new(&budget));
    match answer? {
        Answer::Explained(model) => {
            let witness = problem.witness(pool, trace, question, &model);
            // Nothing is missing on unobserved components.
            let complete = trace.partition().components().all(|component| {
                matches!(question.of(component), Observed::Complete | Observed::Unobserved)
            });
            let verdict = if complete { Verdict::Pass } else { Verdict::WeakPass };
            if let Err(refuted) = certify(pool, term, trace, (question, verdict), &witness) {
                let shown = Observation::from(trace).text(pool);
                panic!("{}: {shown}: {}: {refuted}", pool.text(term), witness.text(pool));
            }
            Some(true)
        }
        Answer::Refuted => Some(false),
        Answer::Stopped(stop) => panic!("without budget it stopped: {}", stop.reason()),
    }
}

/// Compares all answers about a term and a multi-trace; returns the numbers of no, yes, and no answer.
#[track_caller]
fn compare(
    pool: &mut Pool,
    (term, partition): (TermId, &Partition),
    seen: &Observation,
    declarations: &[Vec<Observed>],
) -> [usize; 3] {
    let problem = Problem::new(pool, term, partition).expect("small terms are taken");
    let trace = seen.to_multi_trace();
    let mut counts = [0; 3];
    for declared in declarations {
        let question = Question::Each(declared.clone().into());
        let Some(found) = explained(pool, &problem, term, &trace, &question) else {
            counts[2] += 1;
            continue;
        };
        let mut sets = TraceSets::new(pool, 100_000);
        let mut members = Members::new(term, partition.clone());
        let expected = Asked::new(seen, &question).by_traces(&mut members, &mut sets);
        let expected = expected.expect("small terms have few traces");
        assert_eq!(found, expected, "{} on {}: {declared:?}", pool.text(term), seen.text(pool));
        counts[usize::from(found)] += 1;
    }
    counts
}

#[test]
fn random_terms_with_loops_are_decided_and_explained() {
    let mut counts = [0, 0];
    let partitions = partitions(3);
    for seed in 0..1500 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut scope = Scope::new(3, 1, seed % 3 == 0);
        let leaves = rng.usize(1..=4);
        let term = scope.random_term(&mut rng, leaves);
        let partition = &partitions[rng.usize(..partitions.len())];
        let letters = alphabet(&scope.pool, term, partition, None);
        let Some(problem) = Problem::new(&scope.pool, term, partition) else { continue };
        for derivation in Derivation::ALL {
            let trace = random_trace(&mut rng, &scope.pool, term, 2);
            if trace.len() > 6 {
                continue;
            }
            let seen = derive(&mut rng, &scope.pool, partition, &trace, &letters, derivation);
            let trace = seen.to_multi_trace();
            for observed in Observed::ALL {
                let question = Question::Uniform(observed);
                let expected = Asked::new(&seen, &question).by_marks(&scope.pool, term, 100_000);
                let Some(expected) = expected else { continue };
                let found = explained(&mut scope.pool, &problem, term, &trace, &question);
                let Some(found) = found else { continue };
                let shown = (scope.pool.text(term), seen.text(&scope.pool));
                assert_eq!(found, expected, "{shown:?}: {observed:?}");
                counts[usize::from(found)] += 1;
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 2000), "{counts:?}");
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
    let mut counts = [0; 3];
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
            let found = compare(&mut scope.pool, (term, partition), &seen, &declarations);
            counts.iter_mut().zip(found).for_each(|(count, found)| *count += found);
        }
    }
    let [no, yes, none] = counts;
    // A few coupled terms may take too many rounds.
    assert!(no > 2000 && yes > 2000 && none * 1000 < no, "{counts:?}");
}

#[test]
fn random_terms_without_loops_are_decided_and_explained() {
    random_cases(0..1200, 6);
}

#[test]
#[ignore = "minutes"]
fn very_many_random_terms_without_loops_are_decided_and_explained() {
    random_cases(10_000..30_000, 7);
}

#[test]
fn all_small_terms_without_loops_are_decided_and_explained() {
    let mut scope = Scope::new(2, 1, true);
    let terms: Vec<TermId> = scope.terms(5).into_iter().flatten().collect();
    let terms = scope.up_to_renaming(&terms).into_iter();
    let loop_free: Vec<TermId> =
        terms.filter(|&term| scope.pool.attributes(term).loops == 0).collect();
    let mut counts = [0; 3];
    for (i, term) in loop_free.into_iter().enumerate() {
        for partition in partitions(2) {
            let letters = alphabet(&scope.pool, term, &partition, None);
            let declarations: Vec<Vec<Observed>> =
                Observed::ALL.iter().map(|&all| vec![all; partition.len()]).collect();
            // Some of the multi-traces for each term, different ones for different terms.
            for seen in observations(&partition, &letters, 3).iter().skip(i % 7).step_by(7) {
                let found = compare(&mut scope.pool, (term, &partition), seen, &declarations);
                counts.iter_mut().zip(found).for_each(|(count, found)| *count += found);
            }
        }
    }
    println!("{counts:?} refuted, explained and undecided");
    assert!(counts[0] > 10_000 && counts[1] > 10_000 && counts[2] == 0, "{counts:?}");
}

/// Decides a formula by its reduction; the witness is replayed.
#[track_caller]
fn is_satisfiable(formula: &Formula) -> bool {
    let mut reduction = reduce(formula);
    let partition = reduction.trace.partition();
    let problem = Problem::new(&reduction.pool, reduction.term, partition).expect("it is taken");
    let question = Question::MULTI_PREFIX;
    let (pool, term) = (&mut reduction.pool, reduction.term);
    explained(pool, &problem, term, &reduction.trace, &question).expect("it is decoupled")
}

#[test]
fn all_of_uf20_is_satisfiable() {
    let Some(problems) = corpus::uf20() else { return println!("{}", corpus::MISSING) };
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

/// The engine uses the solver for verdicts and for witnesses.
#[test]
fn the_engine_decides_and_explains_random_problems() {
    let budget = Budget::default();
    let mut counts = [0, 0];
    for seed in 0..30 {
        let formula = random(30, 126, seed);
        let mut reduction = reduce(&formula);
        let (term, trace) = (reduction.term, &reduction.trace);
        let options = Options::default();
        let mut engine = Engine::new(&reduction.pool, term, trace.partition(), options);
        let question = Question::MULTI_PREFIX;
        let verdict = engine.analyze(trace, &question, &budget).verdict;
        assert_eq!(verdict >= Verdict::WeakPass, sat::solve(&formula).is_some(), "seed {seed}");
        counts[usize::from(verdict >= Verdict::WeakPass)] += 1;
        let pool = &mut reduction.pool;
        let witness = engine.witness(pool, term, trace, &question, verdict, &budget);
        assert_eq!(witness.is_some(), verdict >= Verdict::WeakPass);
        if let Some(witness) = witness {
            certify(pool, term, trace, (&question, verdict), &witness).expect("it holds");
        }
    }
    assert!(counts.iter().all(|&count| count > 4), "{counts:?}");
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
fn terms_that_are_not_worth_a_formula_are_left_to_the_search() {
    let mut scope = Scope::new(2, 1, false);
    let events: Vec<TermId> =
        scope.events.clone().into_iter().map(|e| scope.pool.event(e)).collect();
    let looped = scope.pool.loop_s(events[0]);
    let forth = scope.pool.strict(events[0], events[3]);
    let back = scope.pool.strict(events[2], events[1]);
    let crossing = scope.pool.par(forth, back);
    let partition = Partition::discrete(2);
    assert!(matches!(scope.pool.node(looped), Term::LoopS(_)));
    assert!(!worth_it(&scope.pool, looped));
    assert!(!worth_it(&scope.pool, crossing));
    let trace = Observation::empty(partition.clone()).to_multi_trace();
    let problem = Problem::new(&scope.pool, forth, &partition).unwrap();
    let budget = Budget::default();
    let mut meter = Meter::new(&budget);
    assert!(problem.ask(&trace, &Question::GlobalPrefix, &mut meter).is_none());
}

/// On terms that are too large for the oracle, the solver is compared with the search of the engine.
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
                let Some(found) = found else { continue };
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

/// If the solver answers first, a search compiles its expressions when it needs them: for global prefixes, and between other
/// questions.
#[test]
fn expressions_that_are_compiled_late_are_right() {
    let searching = Options { solver: false, ..Options::default() };
    let budget = Budget { max_states: Some(3_000), ..Budget::default() };
    let questions: Vec<Question> = std::iter::once(Question::GlobalPrefix)
        .chain(Observed::ALL.map(Question::Uniform))
        .collect();
    let mut counts = [0, 0];
    for seed in 0..100 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut scope = Scope::new(3, 2, seed % 4 == 0);
        let mut term = Pool::EMPTY;
        for _ in 0..14 {
            let (left, right) = (rng.usize(1..=2), rng.usize(1..=2));
            let left = random_term(&mut scope, &mut rng, left);
            let right = random_term(&mut scope, &mut rng, right);
            let either = scope.pool.alt(left, right);
            term = match rng.usize(..3) {
                0 => scope.pool.strict(either, term),
                _ => scope.pool.seq(either, term),
            };
        }
        let partition = &Partition::discrete(3);
        let mut engine = Engine::new(&scope.pool, term, partition, Options::default());
        let mut other = Engine::new(&scope.pool, term, partition, searching);
        let letters = alphabet(&scope.pool, term, partition, None);
        let first = rng.usize(..questions.len());
        for derivation in Derivation::ALL {
            let trace = random_trace(&mut rng, &scope.pool, term, 1);
            let seen = derive(&mut rng, &scope.pool, partition, &trace, &letters, derivation);
            let trace = seen.to_multi_trace();
            for i in 0..questions.len() {
                let question = &questions[(first + i) % questions.len()];
                let verdict = engine.analyze(&trace, question, &budget).verdict;
                let expected = other.analyze(&trace, question, &budget).verdict;
                if verdict == Verdict::Inconclusive || expected == Verdict::Inconclusive {
                    continue;
                }
                assert_eq!(verdict, expected, "seed {seed}: {question:?}");
                counts[usize::from(verdict >= Verdict::WeakPass)] += 1;
                let pool = &mut scope.pool;
                if let Some(witness) =
                    engine.witness(pool, term, &trace, question, verdict, &budget)
                {
                    certify(pool, term, &trace, (question, verdict), &witness).expect("it holds");
                }
            }
        }
    }
    println!("{counts:?}");
    assert!(counts.iter().all(|&count| count > 300), "{counts:?}");
}
