//! Errors that the other tests once found.

use std::collections::BTreeSet;

use otus_analysis::certify::certify;
use otus_analysis::config::{Kind, Simulation};
use otus_analysis::graph::{Outcome, Silent, analyze};
use otus_analysis::{Config, Verdict};
use otus_syntax::options::LocalAnalysis;
use otus_syntax::{Source, parse_trace};
use otus_testkit::read::{Language, read};

use super::options::plain;

/// The outcome for an interaction and a multi-trace as texts.
#[track_caller]
fn check(interaction: &str, trace: &str, config: &Config) -> Outcome {
    let (mut lowered, _) = read(Language::Interaction, interaction);
    let parsed = parse_trace(&Source::new("x", trace));
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let (trace, _) = otus_trace::lower(&parsed.tree, &mut lowered.pool);
    let term = lowered.term.expect("the text has an interaction");
    let outcome = analyze(&mut lowered.pool, term, &trace, config, &mut Silent);
    let outcome = outcome.expect("kind and partition fit");
    if let Some(witness) = &outcome.witness {
        let claim = (config.kind, outcome.verdict);
        assert_eq!(certify(&mut lowered.pool, term, &trace, claim, witness), Ok(()));
    }
    outcome
}

#[test]
fn a_rendez_vous_may_be_observed_by_one_side_only() {
    let simulate = |before| plain(Kind::Simulate(Simulation { before, ..Simulation::default() }));
    let passing = "a -- <synch> m -> b";
    for before in [false, true] {
        let outcome = check(passing, "[a] a!m; [b]", &simulate(before));
        assert_eq!(outcome.verdict, Verdict::WeakPass);
        assert_eq!(check(passing, "[a]; [b] b?m", &simulate(before)).verdict, Verdict::WeakPass);
        assert_eq!(check(passing, "[a] a!m; [b] b?m", &simulate(before)).verdict, Verdict::Pass);
    }
    // b observes the second of two messages, a observes both.
    let twice = "seq(a -- <synch> m -> b, a -- <synch> m -> b)";
    let late = "[a] a!m.a!m; [b] b?m";
    assert_eq!(check(twice, late, &simulate(true)).verdict, Verdict::WeakPass);
    assert_eq!(check(twice, "[a,b] {a!m, b?m}", &simulate(true)).verdict, Verdict::WeakPass);
    assert_eq!(check(twice, "[a,b] a!m", &simulate(true)).verdict, Verdict::WeakFail);
}

#[test]
fn local_analyses_keep_the_verdicts_of_2020() {
    for local_analysis in [LocalAnalysis::Off, LocalAnalysis::On, LocalAnalysis::Front] {
        let config = Config { legacy_verdicts: true, local_analysis, ..plain(Kind::Prefix) };
        let outcome = check("seq(a!m, b!m)", "[a] a!m.a!m; [b]", &config);
        assert_eq!(outcome.verdict, Verdict::Inconclusive);
        let outcome = check("seq(a!m, b!m)", "[a] a!m.a!m; [b] b!m.b!m", &config);
        assert_eq!(outcome.verdict, Verdict::Fail);
    }
}

#[test]
fn a_weak_pass_that_may_be_a_pass_says_so() {
    // Paths that remove b fail early; a Pass needs the right choices.
    let interaction =
        "seq(alt(seq(a!m, b!m), a!m), alt(seq(a!m, b!m), a!m), alt(seq(a!m, b!m), a!m))";
    let trace = "[a] a!m.a!m.a!m; [b]";
    let mut seen = BTreeSet::new();
    for most in 0..40 {
        let mut config = Config { memoize: true, ..plain(Kind::Eliminate) };
        config.budget.max_states = Some(most);
        let outcome = check(interaction, trace, &config);
        assert_eq!(outcome.reason.is_some(), outcome.verdict != Verdict::Pass);
        assert!(outcome.nodes <= most);
        seen.insert(outcome.verdict);
    }
    assert!(seen.iter().eq(&[Verdict::Inconclusive, Verdict::WeakPass, Verdict::Pass]));
}

#[test]
fn eliminate_lies_between_the_two_semantics() {
    let verdict = |text, trace| check(text, trace, &plain(Kind::Eliminate)).verdict;
    let crossing = "par(a -- <synch> m -> b, b -- <synch> m -> a)";
    assert_eq!(verdict(crossing, "[a] a!m; [b] b!m"), Verdict::Fail);
    let ordered = "coreg(a)(a -- <synch> m -> b, b -- <synch> m -> a)";
    assert_eq!(verdict(ordered, "[a] a?m; [b]"), Verdict::WeakPass);
}
