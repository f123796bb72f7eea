//! The graph search decides satisfiability problems, by the reduction of paper 000 (section 4.3), and the partial-order
//! reduction changes no verdict.

use otus_analysis::budget::Budget;
use otus_analysis::certify::certify;
use otus_analysis::config::{Config, Kind};
use otus_analysis::graph::{Outcome, Silent, analyze};
use otus_analysis::{Verdict, generate};
use otus_core::{Pool, TermId};
use otus_syntax::SourceId;
use otus_syntax::options::LocalAnalysis;
use otus_testkit::corpus;
use otus_testkit::oracle::Observation;
use otus_testkit::sat::{Formula, random, reduce, solve};
use otus_testkit::small_scope::{Scope, alphabet, observations};
use otus_trace::multitrace::{Builder, MultiTrace, Partition};

/// Analyses with a budget; every explanation must hold.
#[track_caller]
fn analyzed(pool: &mut Pool, term: TermId, trace: &MultiTrace, config: &Config) -> Outcome {
    let outcome = analyze(pool, term, trace, config, &mut Silent).expect("a discrete partition");
    if let Some(witness) = &outcome.witness {
        certify(pool, term, trace, (config.kind, outcome.verdict), witness).expect("it holds");
    }
    assert_eq!(outcome.witness.is_some(), outcome.verdict >= Verdict::WeakPass);
    outcome
}

/// Decides a formula by the graph search and returns the number of nodes.
#[track_caller]
fn check(name: &str, formula: &Formula) -> (bool, u64) {
    let mut problem = reduce(formula);
    let config = Config {
        kind: Kind::Eliminate,
        goal: Some(Verdict::WeakPass),
        local_analysis: LocalAnalysis::On,
        partial_order_reduction: true,
        budget: Budget { max_states: Some(20_000), ..Budget::default() },
        ..Config::default()
    };
    let outcome = analyzed(&mut problem.pool, problem.term, &problem.trace, &config);
    let satisfiable = solve(formula).is_some();
    let expected = if satisfiable { Verdict::WeakPass } else { Verdict::Fail };
    let right = outcome.verdict == expected
        // If every clause contains all variables, the multi-trace can even be accepted.
        || (satisfiable && outcome.verdict == Verdict::Pass);
    assert!(right, "{name}: {} after {} nodes", outcome.verdict, outcome.nodes);
    (satisfiable, outcome.nodes)
}

#[test]
fn twenty_problems_of_uf20_are_satisfiable() {
    let Some(problems) = corpus::uf20() else { return println!("{}", corpus::MISSING) };
    assert!(problems.len() >= 20);
    for problem in problems.iter().take(20) {
        let (satisfiable, nodes) = check(&problem.name, &problem.formula);
        assert!(satisfiable, "{}", problem.name);
        println!("{}: {nodes} nodes", problem.name);
    }
}

#[test]
fn small_problems_are_decided() {
    let mut counts = [0, 0];
    for seed in 0..40 {
        let variables = 4 + usize::try_from(seed % 5).unwrap();
        let formula = random(variables, variables * 5, seed);
        let (satisfiable, nodes) = check(&format!("seed {seed}"), &formula);
        counts[usize::from(satisfiable)] += 1;
        println!("seed {seed}: {satisfiable}, {nodes} nodes");
    }
    assert!(counts.iter().all(|&count| count >= 10), "both answers occur: {counts:?}");
}

#[test]
fn degenerate_formulas_are_decided() {
    for (variables, clauses) in [
        (0, vec![]),
        (3, vec![]),
        (0, vec![vec![]]),
        (2, vec![vec![1], vec![]]),
        (1, vec![vec![1, -1]]),
        (1, vec![vec![1], vec![-1]]),
        (2, vec![vec![2, 2], vec![-2, 1], vec![-1, 2]]),
    ] {
        let formula = Formula { variables, clauses };
        check(&format!("{formula:?}"), &formula);
    }
}

/// Without any reduction small problems get the same answer.
#[test]
fn the_plain_search_agrees_on_tiny_problems() {
    for seed in 0..30 {
        let formula = random(3, 6 + usize::try_from(seed % 4).unwrap(), seed);
        let mut problem = reduce(&formula);
        for local_analysis in [LocalAnalysis::Off, LocalAnalysis::On, LocalAnalysis::Front] {
            let config = Config {
                kind: Kind::Eliminate,
                goal: Some(Verdict::WeakPass),
                memoize: true,
                local_analysis,
                budget: Budget { max_states: Some(50_000), ..Budget::default() },
                ..Config::default()
            };
            let outcome = analyzed(&mut problem.pool, problem.term, &problem.trace, &config);
            let passes = outcome.verdict >= Verdict::WeakPass;
            assert_ne!(outcome.verdict, Verdict::Inconclusive, "seed {seed}");
            assert_eq!(passes, solve(&formula).is_some(), "seed {seed}");
        }
    }
}

/// Compares a search with and without the reduction; returns whether the reduction left out nodes.
#[track_caller]
fn compare(pool: &mut Pool, term: TermId, trace: &MultiTrace, kind: Kind) -> bool {
    let plain = Config {
        kind,
        memoize: true,
        budget: Budget { max_states: Some(2_000), ..Budget::default() },
        ..Config::default()
    };
    let reduced = Config { partial_order_reduction: true, ..plain.clone() };
    let before = analyzed(pool, term, trace, &plain);
    let after = analyzed(pool, term, trace, &reduced);
    // If one exceeds its budget, there is nothing to compare.
    if before.reason.is_some() || after.reason.is_some() {
        return false;
    }
    assert_eq!(after.verdict, before.verdict, "{}", pool.text(term));
    after.nodes < before.nodes
}

const KINDS: [Kind; 3] = [Kind::Accept, Kind::Prefix, Kind::Eliminate];

#[test]
fn leaving_out_orders_changes_no_verdict_of_small_terms() {
    let mut scope = Scope::new(2, 1, true);
    let terms: Vec<TermId> = scope.terms(4).into_iter().flatten().collect();
    let partition = Partition::discrete(2);
    let (mut cases, mut left_out) = (0, 0);
    for term in scope.up_to_renaming(&terms) {
        let letters = alphabet(&scope.pool, term, &partition, None);
        for seen in observations(&partition, &letters, 3) {
            let trace = multi_trace(&seen, &partition);
            for kind in KINDS {
                cases += 1;
                left_out += usize::from(compare(&mut scope.pool, term, &trace, kind));
            }
        }
    }
    println!("{cases} cases, {left_out} with fewer nodes");
    assert!(left_out > 100, "{left_out} of {cases}");
}

#[test]
fn leaving_out_orders_changes_no_verdict_of_random_terms() {
    let mut left_out = 0;
    for seed in 0..300 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut scope = Scope::new(3, 2, seed % 4 == 0);
        let term = scope.random_term(&mut rng, 6);
        let partition = Partition::discrete(3);
        let letters = alphabet(&scope.pool, term, &partition, Some(scope.foreign));
        let mut traces: Vec<MultiTrace> = generate::random(&mut scope.pool, term, 3, 8, seed)
            .iter()
            .map(|trace| generate::project(&scope.pool, &partition, trace))
            .collect();
        let cut: Vec<MultiTrace> = traces
            .iter()
            .flat_map(|trace| {
                let cuts = otus_trace::transform::prefixes(trace);
                cuts.sample(seed).take(3).map(|cut| cut.trace).collect::<Vec<_>>()
            })
            .collect();
        traces.extend(cut);
        let mut noise = Observation::empty(partition.clone());
        for _ in 0..rng.usize(1..6) {
            if let Some((component, moment)) = rng.choice(&letters) {
                noise.components[component.0 as usize].push(moment.clone());
            }
        }
        traces.push(multi_trace(&noise, &partition));
        for trace in traces {
            for kind in KINDS {
                left_out += usize::from(compare(&mut scope.pool, term, &trace, kind));
            }
        }
    }
    println!("{left_out} with fewer nodes");
    assert!(left_out > 100, "{left_out}");
}

fn multi_trace(seen: &Observation, partition: &Partition) -> MultiTrace {
    let mut builder = Builder::new(partition.clone(), 0, false);
    for component in &seen.components {
        for moment in component {
            for &action in moment {
                builder.push(action, 0);
            }
            builder.next_moment();
        }
        builder.next_component();
    }
    builder.finish(SourceId::default())
}
