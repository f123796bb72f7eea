//! One case, with every question and option.

use crate::reference;
use otus_analysis::config::Kind;
use otus_analysis::graph::{Outcome, Silent, Unfit, analyze};
use otus_analysis::{Config, Verdict};
use otus_core::{Pool, TermId};
use otus_testkit::oracle::Observation;
use otus_trace::MultiTrace;

use super::options::{complete, plain};
use super::truth::Truth;

/// Counts of checked cases.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) cases: usize,
    pub(crate) analyses: usize,
    pub(crate) too_large: usize,
    pub(crate) witnesses: usize,
    pub(crate) refuted: usize,
    pub(crate) still_valid: usize,
    pub(crate) closed: usize,
    pub(crate) cut: usize,
    pub(crate) legacy: usize,
    /// Cases in which `eliminate` passes and the multi-trace is not a multi-prefix in σ.
    pub(crate) beyond: usize,
    /// Cases in which it fails and the multi-trace is a multi-prefix in the semantics of tuples.
    pub(crate) short_of_tuples: usize,
}

/// One case.
pub(crate) struct Case<'a> {
    pub(crate) pool: &'a mut Pool,
    pub(crate) term: TermId,
    pub(crate) seen: &'a Observation,
    pub(crate) trace: MultiTrace,
    pub(crate) truth: Truth,
    pub(crate) rng: &'a mut fastrand::Rng,
    pub(crate) counts: &'a mut Counts,
}

impl Case<'_> {
    pub(crate) fn context(&self, config: &Config) -> String {
        let (term, seen) = (self.pool.text(self.term), self.seen.text(self.pool));
        format!("{term} and {seen}, {:?}, {config:?}", self.truth)
    }

    /// Asks all questions without options, and in turn with options, witnesses, certificates and budgets.
    pub(crate) fn check(&mut self) {
        self.counts.cases += 1;
        let number = self.counts.cases;
        for kind in self.kinds() {
            let plain = plain(kind);
            let expected = self.expected(kind);
            self.check_verdict(&plain, expected);
            if self.rng.bool() {
                let config = self.variant(kind);
                self.check_verdict(&config, expected);
            }
            if number.is_multiple_of(5) {
                self.check_cuts(kind, expected);
            }
            if number.is_multiple_of(3) {
                self.check_closed(kind, expected);
            }
        }
        self.check_bounded();
        if number.is_multiple_of(4) {
            self.check_legacy();
        }
        if !self.seen.partition.is_discrete() {
            let refused =
                analyze(self.pool, self.term, &self.trace, &plain(Kind::Eliminate), &mut Silent);
            assert!(matches!(refused, Err(Unfit::NotDiscrete)));
        }
    }

    pub(crate) fn kinds(&self) -> Vec<Kind> {
        let simulate = |before| Kind::Simulate(complete(self.pool, self.term, self.seen, before));
        let mut kinds = vec![Kind::Accept, Kind::Prefix, simulate(true), simulate(false)];
        if self.seen.partition.is_discrete() {
            kinds.push(Kind::Eliminate);
        }
        kinds
    }

    /// The expected verdict. That of `eliminate` must lie between the two semantics: removal keeps every multi-prefix of σ, and
    /// adds none that the semantics of tuples does not have.
    fn expected(&mut self, kind: Kind) -> Verdict {
        let by_projection = self.truth.verdict(kind);
        if kind != Kind::Eliminate {
            return by_projection;
        }
        let config = plain(kind);
        let found = self.analyze(&config).verdict;
        if found != by_projection {
            assert_eq!((by_projection, found), (Verdict::Fail, Verdict::WeakPass));
            assert!(reference::has_concurrency(self.pool, self.term), "{}", self.context(&config));
            self.counts.beyond += 1;
        }
        if let Some(tuples) = self.truth.tuples {
            assert!(tuples || found == Verdict::Fail, "{}", self.context(&config));
            if tuples == (found == Verdict::Fail) {
                assert!(
                    reference::has_causality(self.pool, self.term),
                    "{}",
                    self.context(&config)
                );
                assert!(reference::has_concurrency(self.pool, self.term));
                self.counts.short_of_tuples += 1;
            }
            // It is exact for terms without causality between lifelines, as in the language of paper 000.
            let relaxed = reference::relax(self.pool, self.term);
            let outcome = analyze(self.pool, relaxed, &self.trace, &config, &mut Silent);
            let passes = outcome.expect("discrete").verdict >= Verdict::WeakPass;
            assert_eq!(passes, tuples, "{}", self.context(&config));
        }
        found
    }

    pub(crate) fn analyze(&mut self, config: &Config) -> Outcome {
        self.counts.analyses += 1;
        let outcome = analyze(self.pool, self.term, &self.trace, config, &mut Silent);
        outcome.expect("kind and partition fit")
    }

    fn check_verdict(&mut self, config: &Config, expected: Verdict) {
        let outcome = self.analyze(config);
        if outcome.stop.is_early() {
            assert!(config.budget.max_states.is_some());
            self.counts.too_large += 1;
            self.check_cut_verdict(config, &outcome, expected);
        } else if config.goal == Some(Verdict::WeakPass) && expected == Verdict::Pass {
            assert!(outcome.verdict >= Verdict::WeakPass, "{}", self.context(config));
        } else {
            assert_eq!(outcome.verdict, expected, "{}", self.context(config));
            assert_eq!(outcome.reason, None, "{}", self.context(config));
        }
        self.check_witness(config, &outcome);
    }

    /// A search that was cut gives no wrong verdict, and says that it was cut.
    pub(crate) fn check_cut_verdict(
        &mut self,
        config: &Config,
        outcome: &Outcome,
        expected: Verdict,
    ) {
        let context = || self.context(config);
        match outcome.verdict {
            Verdict::Inconclusive => assert!(outcome.reason.is_some(), "{}", context()),
            Verdict::Fail | Verdict::WeakFail | Verdict::Pass => {
                assert_eq!(outcome.verdict, expected, "{}", context());
            }
            Verdict::WeakPass => {
                assert!(expected >= Verdict::WeakPass, "{}", context());
                let undecided = expected == Verdict::Pass;
                assert!(!undecided || outcome.reason.is_some(), "{}", context());
            }
        }
    }
}
