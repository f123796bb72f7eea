//! The engine against the oracle.

use std::collections::BTreeMap;

use otus_analysis::Verdict;
use otus_analysis::budget::Budget;
use otus_analysis::values::{Clocks, DecidedBy, ValueEngine, ValueOptions};
use otus_testkit::oracle::values::LIMIT;
use otus_testkit::valued_cases::shape::Flavor;

use super::compare::{Answers, Asked, sweep, told};

/// The oracle first, then the engine.
fn against(asked: &Asked<'_>) -> Answers {
    against_seen(asked, &mut |_| {})
}

/// The same; the engine is shown after it answered.
fn against_seen(asked: &Asked<'_>, see: &mut dyn FnMut(&ValueEngine)) -> Answers {
    let expected =
        told(asked.case().verdict(asked.question, crate::setting("OTUS_VALUE_LIMIT", LIMIT)))?;
    let mut engine =
        ValueEngine::new(asked.pool, asked.term, asked.valued, asked.trace.partition());
    let clocks = Clocks { uncertainty: asked.uncertainty };
    let budget =
        Budget { max_states: Some(crate::setting("OTUS_VALUE_STATES", 500)), ..Budget::default() };
    let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let observed = (asked.trace, asked.facts);
        engine.analyze_ordered(observed, Some(asked.order), clocks, asked.question, &budget)
    }));
    let found = found.map_or("panic".to_owned(), |outcome| outcome.verdict.to_string());
    see(&engine);
    Some((expected, found))
}

#[test]
fn small_cases() {
    sweep("small", (11, super::cases(3_000)), &Flavor::small(), against);
}

#[test]
fn cases_without_times() {
    let flavor = Flavor { times: false, ..Flavor::small() };
    sweep("without times", (12, super::cases(2_000)), &flavor, against);
}

#[test]
fn two_lifelines_and_one_message() {
    let flavor = Flavor { lifelines: 2, messages: 1, span: 2, fields: 1, ..Flavor::small() };
    sweep("two lifelines", (13, super::cases(2_000)), &flavor, against);
}

#[test]
fn larger_cases() {
    let flavor = Flavor { leaves: 6, events: 9, messages: 3, ..Flavor::small() };
    sweep("larger", (14, super::cases(500)), &flavor, against);
}

#[test]
fn strict_comparisons_of_times() {
    let flavor = Flavor { odd_times: true, ..Flavor::small() };
    sweep("odd times", (15, super::cases(500)), &flavor, against);
}

#[test]
fn clocks_that_go_backwards() {
    let flavor = Flavor::backwards();
    sweep("backwards", (27, super::cases(2_000)), &flavor, against);
    let flavor = Flavor { odd_times: true, leaves: 5, events: 9, ..flavor };
    sweep("backwards, odd times", (28, super::cases(1_000)), &flavor, against);
}

#[test]
fn sessions_with_keys_and_clocks_that_go_backwards() {
    let flavor = Flavor { backwards: true, ..Flavor::keyed() };
    sweep("keyed backwards", (29, super::cases(1_000)), &flavor, against);
    let flavor = Flavor { slices: true, ..flavor };
    sweep("slices backwards", (30, super::cases(1_000)), &flavor, against);
}

#[test]
fn sessions_with_keys() {
    sweep("keyed", (16, super::cases(2_000)), &Flavor::keyed(), against);
}

#[test]
fn sessions_with_keys_without_times() {
    let flavor = Flavor { times: false, events: 10, ..Flavor::keyed() };
    sweep("keyed without times", (17, super::cases(1_000)), &flavor, against);
}

/// Sweeps, and counts what decided: by the number of keys of an event at most.
fn sweep_counted(
    name: &str,
    cases: (u64, u64),
    flavor: &Flavor,
) -> BTreeMap<(usize, DecidedBy), u64> {
    let mut counts = BTreeMap::new();
    let mut see = |engine: &ValueEngine| {
        *counts.entry((engine.depth_of_keys(), engine.decided_by())).or_default() += 1;
    };
    sweep(name, cases, flavor, |asked| against_seen(asked, &mut see));
    println!("{name}: {counts:?}");
    counts
}

#[test]
fn sessions_inside_sessions() {
    let found = sweep_counted("nested", (23, super::cases(2_000)), &Flavor::nested());
    let flavor = Flavor { times: false, events: 10, ..Flavor::nested() };
    let others = sweep_counted("nested without times", (24, super::cases(2_000)), &flavor);
    for found in [found, others] {
        let of = |by| found.get(&(2, by)).copied().unwrap_or(0);
        // Many are looked up by two keys.
        let all: u64 = found.values().sum();
        assert!(30 * of(DecidedBy::Keys) > all, "{found:?}");
    }
}

#[test]
fn slices_of_sessions() {
    let flavor = Flavor { slices: true, ..Flavor::keyed() };
    let found = sweep_counted("slices", (25, super::cases(2_000)), &flavor);
    let flavor = Flavor { slices: true, times: false, ..Flavor::nested() };
    sweep_counted("nested slices", (26, super::cases(1_000)), &flavor);
    let by_sessions = found.get(&(1, DecidedBy::Sessions)).copied().unwrap_or(0);
    assert!(10 * by_sessions > found.values().sum(), "{found:?}");
}

#[test]
fn events_that_know_their_peers() {
    let flavor = Flavor { peers: true, ..Flavor::small() };
    sweep("peers", (18, super::cases(1_000)), &flavor, against);
}

#[test]
fn observed_orders() {
    let flavor = Flavor { edges: true, ..Flavor::small() };
    sweep("order", (19, super::cases(1_000)), &flavor, against);
    let flavor = Flavor { edges: true, peers: true, ..Flavor::keyed() };
    sweep("keyed order", (20, super::cases(1_000)), &flavor, against);
}

/// The default engine first, then one without one of its reductions, if that decides something else.
fn against_itself(asked: &Asked<'_>) -> Answers {
    let verdict = |options: ValueOptions| {
        let partition = asked.trace.partition();
        let (pool, term, valued) = (asked.pool, asked.term, asked.valued);
        let mut engine = ValueEngine::with_options(pool, term, valued, partition, options);
        let clocks = Clocks { uncertainty: asked.uncertainty };
        let budget = Budget { max_states: Some(1_000), ..Budget::default() };
        let observed = (asked.trace, asked.facts);
        let order = Some(asked.order);
        engine.analyze_ordered(observed, order, clocks, asked.question, &budget).verdict
    };
    let all = ValueOptions::default();
    let expected = Some(verdict(all)).filter(|&found| found != Verdict::Inconclusive)?;
    let others = [
        ValueOptions { skeleton: false, ..all },
        ValueOptions { keyed: false, ..all },
        ValueOptions { relax: false, ..all },
        ValueOptions { constants: false, ..all },
    ];
    let mut others = others.into_iter().map(verdict);
    let differs = |found: &Verdict| *found != expected && *found != Verdict::Inconclusive;
    let found = others.find(differs).unwrap_or(expected);
    Some((expected.to_string(), found.to_string()))
}

/// Larger cases than the oracle decides.
#[test]
fn reductions_change_no_verdict() {
    let flavor = Flavor { leaves: 5, events: 12, edges: true, ..Flavor::small() };
    sweep("reductions", (21, super::cases(500)), &flavor, against_itself);
    let flavor = Flavor { leaves: 6, events: 14, peers: true, ..Flavor::keyed() };
    sweep("reductions with keys", (22, super::cases(500)), &flavor, against_itself);
}
