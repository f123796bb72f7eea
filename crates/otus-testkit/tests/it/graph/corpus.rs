//! Recorded verdicts of `hibou_label` and of a brute-force oracle.

use otus_analysis::budget::Budget;
use otus_analysis::certify::certify;
use otus_analysis::config::Kind;
use otus_analysis::graph::{self, Silent};
use otus_analysis::{Config, Verdict};
use otus_syntax::ast::Section;
use otus_syntax::{Source, parse_spec};
use otus_testkit::corpus::{self, Model, models, oracle};
use otus_trace::MultiTrace;
use otus_trace::case::Case;

/// Enough nodes to decide every case.
const ENOUGH: u64 = 1_000_000;

/// Compares one kind on all cases. `expected` gives the verdicts that a recorded verdict allows.
fn compare(
    (options, states): (&str, u64),
    key: &str,
    expected: impl Fn(Option<&str>, &Case) -> Option<Vec<Verdict>>,
) {
    let Some(models) = models() else { return println!("{}", corpus::MISSING) };
    let config = Config {
        budget: Budget { max_states: Some(states), ..Budget::default() },
        ..config(&format!("memoize = true; {options}"))
    };
    let mut compared = 0;
    for mut model in models {
        for case in std::mem::take(&mut model.cases) {
            let Some(allowed) = expected(model.peer(&case, key).as_deref(), &case) else {
                continue;
            };
            let trace = model.trace(&case);
            if config.kind == Kind::Eliminate && !trace.partition().is_discrete() {
                continue;
            }
            let outcome = graph::analyze(&mut model.pool, model.term, &trace, &config, &mut Silent)
                .expect("the kind fits the partition");
            certified(&mut model, &trace, &config, &outcome);
            compared += 1;
            assert!(
                allowed.contains(&outcome.verdict),
                "{options}: {} is {}, expected one of {allowed:?}",
                case.id,
                outcome.verdict
            );
        }
    }
    println!("{key}: {compared} compared");
}

fn certified(model: &mut Model, trace: &MultiTrace, config: &Config, outcome: &graph::Outcome) {
    let Some(witness) = &outcome.witness else { return };
    let claim = (config.kind, outcome.verdict);
    assert_eq!(certify(&mut model.pool, model.term, trace, claim, witness), Ok(()));
}

/// The configuration of an `@analyze_option` section.
fn config(options: &str) -> Config {
    let tree = parse_spec(&Source::new("x.hcf", format!("@analyze_option{{{options}}}"))).tree;
    let mut config = Config::default();
    for section in &tree.sections {
        let Section::Options(section) = section else { panic!("only options") };
        config.apply(section);
    }
    config
}

#[test]
fn accept() {
    compare(("analysis_kind = accept", ENOUGH), "accept", |peer, case| {
        let accepted = oracle(case, "accept").or(peer.map(|text| text == "Pass"))?;
        Some(vec![if accepted { Verdict::Pass } else { Verdict::Fail }])
    });
}

#[test]
fn prefix() {
    compare(("analysis_kind = prefix", ENOUGH), "prefix", |peer, case| {
        if let Some(text) = peer {
            return Some(vec![match text {
                "Pass" => Verdict::Pass,
                "WeakPass" => Verdict::WeakPass,
                _ => Verdict::Fail,
            }]);
        }
        let prefix = oracle(case, "prefix")?;
        Some(if prefix { vec![Verdict::Pass, Verdict::WeakPass] } else { vec![Verdict::Fail] })
    });
}

#[test]
fn eliminate() {
    compare(("analysis_kind = eliminate; goal = WeakPass", ENOUGH), "eliminate", |peer, case| {
        let prefix = peer.map(|text| text != "Fail").or(oracle(case, "multiprefix"))?;
        Some(if prefix { vec![Verdict::Pass, Verdict::WeakPass] } else { vec![Verdict::Fail] })
    });
}

/// Our simulation finds everything that the simulation of `hibou_label` found; if that one found nothing, it proves nothing. It is
/// unsound on models with `<synch>`, and no version of it is recorded as right there.
#[track_caller]
fn simulated(key: &str, bounds: &str) {
    // Executing before simulating, and checking components alone, do not change a verdict but find it sooner.
    let options = format!(
        "goal = WeakPass; priorities = [simu = -1]; local_analysis = true; \
         analysis_kind = simulate[before = true, loop max depth, {bounds}]"
    );
    compare((&options, ENOUGH), key, |peer, _| {
        matches!(peer?, "Pass" | "WeakPass").then(|| vec![Verdict::Pass, Verdict::WeakPass])
    });
}

#[test]
fn simulate() {
    simulated("simulate", "act none, reset = true, multiply = false");
}

#[test]
fn simulate_with_bounded_actions() {
    simulated("simulate_act", "act max num, reset = true, multiply = false");
}

#[test]
fn simulate_with_multiplied_bounds() {
    simulated("simulate_mult", "act none, reset = false, multiply = true");
}

/// Our simulation does not contradict the brute-force oracle. Its answer about slices is reliable only if it is `true`, but a
/// multi-trace that it does not accept must never be a Pass.
#[test]
fn simulation_gives_pass_to_accepted_multi_traces_only() {
    let options =
        "analysis_kind = simulate[before = true, loop max depth, act max num, reset = true]";
    compare((options, 5_000), "accept", |_, case| {
        (!oracle(case, "accept")?)
            .then(|| vec![Verdict::WeakPass, Verdict::WeakFail, Verdict::Inconclusive])
    });
}
