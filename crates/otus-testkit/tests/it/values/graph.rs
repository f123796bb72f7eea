//! The papers' searches with values, against the oracle.
//!
//! | kind | compared with | claim |
//! |---|---|---|
//! | `accept` | accept | the same verdict |
//! | `prefix` | global prefix | the same verdict |
//! | `eliminate` | multi-prefix | Pass is Pass; what is explained is explained. Removal forgets causality, so it may explain more |
//! | `simulate` | slice, multi-prefix | Pass is Pass; what it explains is explained. It is bounded, so it may say `WeakFail` |
//!
//! Options must not change a verdict: each case is asked with and without memoization, local analyses and partial-order
//! reduction. Witnesses are certified on the skeleton.

use otus_analysis::Verdict;
use otus_analysis::budget::Budget;
use otus_analysis::certify::certify;
use otus_analysis::config::{Config, Kind, Simulation};
use otus_analysis::graph::{Carried, Silent, analyze_valued};
use otus_analysis::values::Clocks;
use otus_syntax::options::LocalAnalysis;
use otus_testkit::oracle::values::LIMIT;
use otus_testkit::valued_cases::shape::Flavor;

use super::compare::{Answers, Asked, LOST, sweep};

/// The verdict of a search; `None` if it is not defined.
fn searched(asked: &Asked<'_>, config: &Config) -> Option<Result<Verdict, String>> {
    let clocks = Clocks { uncertainty: asked.uncertainty };
    let carried = Carried { valued: asked.valued, facts: asked.facts, clocks };
    let mut pool = asked.pool.clone();
    let found = analyze_valued(&mut pool, &carried, asked.trace, config, &mut Silent);
    let (outcome, _) = found.ok()?;
    if outcome.stop.is_early() {
        return Some(Ok(Verdict::Inconclusive));
    }
    if let Some(witness) = &outcome.witness {
        // The skeleton knows no values that were not logged.
        let claimed = match (config.kind, outcome.verdict) {
            (Kind::Accept, Verdict::WeakPass) => Verdict::Pass,
            (_, verdict) => verdict,
        };
        let certified =
            certify(&mut pool, asked.term, asked.trace, (config.kind, claimed), witness);
        if let Err(refuted) = certified {
            return Some(Err(format!("{} with a refuted witness: {refuted}", outcome.verdict)));
        }
    }
    Some(Ok(outcome.verdict))
}

/// The verdict of all configurations, or how they differ.
fn by_all(asked: &Asked<'_>, kind: Kind) -> Option<Result<Verdict, String>> {
    let nodes = crate::setting("OTUS_VALUE_STATES", 300);
    let usual = Config {
        kind,
        budget: Budget { max_states: Some(nodes), ..Budget::default() },
        ..Config::default()
    };
    let configs = [
        usual.clone(),
        Config { memoize: true, ..usual.clone() },
        Config { memoize: true, local_analysis: LocalAnalysis::On, ..usual.clone() },
        Config { partial_order_reduction: true, ..usual },
    ];
    let mut found: Option<Verdict> = None;
    for config in configs {
        match searched(asked, &config)? {
            Err(fault) => return Some(Err(fault)),
            Ok(Verdict::Inconclusive) => {}
            Ok(verdict) => {
                if found.is_some_and(|found| found != verdict) {
                    return Some(Err(format!("{found:?} and {verdict} by options")));
                }
                found = Some(verdict);
            }
        }
    }
    Some(Ok(found.unwrap_or(Verdict::Inconclusive)))
}

/// The oracle first, then the search; equal texts if the search keeps its claim.
fn against(asked: &Asked<'_>, kind: Kind) -> Answers {
    if kind == Kind::Eliminate && !asked.trace.partition().is_discrete() {
        return Some(("not defined".to_owned(), "not defined".to_owned()));
    }
    let expected = asked.case().verdict(&kind.question(), LIMIT)?;
    let found = match by_all(asked, kind)? {
        Ok(Verdict::Inconclusive) => return Some((expected.to_string(), LOST.to_owned())),
        Ok(found) => found,
        Err(fault) => return Some((expected.to_string(), fault)),
    };
    let keeps = match kind {
        Kind::Accept | Kind::Prefix => expected == found,
        Kind::Eliminate => {
            (expected == Verdict::Pass) == (found == Verdict::Pass)
                && (expected < Verdict::WeakPass || found >= Verdict::WeakPass)
        }
        Kind::Simulate(_) => {
            (expected == Verdict::Pass) == (found == Verdict::Pass)
                && (found < Verdict::WeakPass || expected >= Verdict::WeakPass)
        }
    };
    let found = if keeps { expected } else { found };
    Some((expected.to_string(), found.to_string()))
}

#[test]
fn accept() {
    let small = Flavor::small();
    sweep("accept by graph", (31, super::cases(400)), &small, |it| against(it, Kind::Accept));
}

#[test]
fn prefix() {
    let small = Flavor::small();
    sweep("prefix by graph", (32, super::cases(400)), &small, |it| against(it, Kind::Prefix));
}

#[test]
fn clocks_that_go_backwards() {
    let backwards = Flavor::backwards();
    sweep("accept backwards", (35, super::cases(200)), &backwards, |it| against(it, Kind::Accept));
    sweep("prefix backwards", (36, super::cases(200)), &backwards, |it| against(it, Kind::Prefix));
}

#[test]
fn eliminate() {
    let small = Flavor::small();
    sweep("eliminate by graph", (33, super::cases(200)), &small, |it| against(it, Kind::Eliminate));
}

#[test]
fn simulate() {
    let small = Flavor::small();
    // A log that starts late makes many more nodes.
    for (before, most) in [(false, 200), (true, 40)] {
        let kind = Kind::Simulate(Simulation { before, ..Simulation::default() });
        let name = if before { "slices by graph" } else { "multi-prefixes by graph" };
        sweep(name, (34, super::cases(most)), &small, |it| against(it, kind));
    }
}
