//! Searches that are cut, and simulations that are bounded, give no wrong verdict.

use otus_analysis::Verdict;
use otus_analysis::config::{Filters, Kind, Simulation};
use otus_syntax::options::Criterion;
use otus_testkit::oracle::Question;

use super::case::Case;

impl Case<'_> {
    /// Budgets and filters never make a wrong Fail.
    pub(crate) fn check_cuts(&mut self, kind: Kind, expected: Verdict) {
        for most in [0, 1, 2, 3, 5, 8].into_iter().skip(self.rng.usize(..2)).step_by(2) {
            let mut config = self.variant(kind);
            config.goal = Some(Verdict::Pass);
            match self.rng.usize(..4) {
                0 => config.filters = Filters { nodes: Some(most), ..Filters::default() },
                1 => config.filters = Filters { depth: Some(most / 2), ..Filters::default() },
                2 => config.filters = Filters { loop_depth: Some(most / 2), ..Filters::default() },
                _ => config.budget.max_states = Some(most),
            }
            let outcome = self.analyze(&config);
            self.check_cut_verdict(&config, &outcome, expected);
            self.check_witness(&config, &outcome);
            self.counts.cut += 1;
        }
    }

    /// A simulation gives no wrong verdict, whatever its bounds.
    pub(crate) fn check_bounded(&mut self) {
        let criteria = [
            Criterion::None,
            Criterion::Number(0),
            Criterion::Number(1),
            Criterion::Number(2),
            Criterion::MaxNumber,
            Criterion::MaxDepth,
        ];
        let simulation = Simulation {
            before: self.rng.bool(),
            multiply: self.rng.bool(),
            reset: self.rng.bool(),
            loops: criteria[self.rng.usize(1..criteria.len())],
            actions: criteria[self.rng.usize(..criteria.len() - 1)],
        };
        let kind = Kind::Simulate(if self.rng.bool() { simulation } else { Simulation::default() });
        let mut config = self.variant(kind);
        config.goal = Some(Verdict::Pass);
        let outcome = self.analyze(&config);
        let expected = self.truth.verdict(kind);
        assert!(
            outcome.verdict <= expected.max(Verdict::Inconclusive),
            "{}",
            self.context(&config)
        );
        if !outcome.stop.is_early() {
            // An accepted multi-trace is accepted with every bound.
            let accepted = self.truth.answer(Question::Accept);
            assert_eq!(outcome.verdict == Verdict::Pass, accepted, "{}", self.context(&config));
        }
        self.check_witness(&config, &outcome);
    }
}
