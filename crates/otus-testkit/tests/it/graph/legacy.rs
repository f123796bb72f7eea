//! The verdicts of 2020.

use std::collections::BTreeSet;

use otus_analysis::config::Kind;
use otus_analysis::{Config, Verdict};
use otus_core::algebra::simplify;
use otus_core::semantics::{Frontiers, terminates};
use otus_testkit::oracle::observe::project;

use super::case::Case;

impl Case<'_> {
    /// The verdicts of 2020, from the leaves of all paths.
    pub(crate) fn check_legacy(&mut self) {
        let mut leaves = Vec::new();
        let mut frontiers = Frontiers::default();
        let mut pending = vec![(simplify(self.pool, self.term), vec![0; self.trace_len()])];
        let mut met = BTreeSet::new();
        while let Some((term, consumed)) = pending.pop() {
            if !met.insert((term, consumed.clone())) {
                continue;
            }
            let rests = self.seen.components.iter().zip(&consumed);
            let over = rests.filter(|(trace, consumed)| trace.len() == **consumed).count();
            if over == consumed.len() {
                let ends = terminates(self.pool, term);
                leaves.push(if ends { Verdict::Pass } else { Verdict::WeakPass });
                continue;
            }
            let before = pending.len();
            for step in frontiers.steps(self.pool, term).iter() {
                let parts = project(self.pool, &self.seen.partition, &[step.event]);
                let fits = |c: usize| self.seen.components[c][consumed[c]..].starts_with(&parts[c]);
                if (0..parts.len()).all(fits) {
                    let next = consumed.iter().zip(&parts).map(|(n, part)| n + part.len());
                    pending.push((step.follow_up, next.collect()));
                }
            }
            if pending.len() == before {
                // The leaves LackObs and Out of the tool of 2020.
                leaves.push(if over > 0 { Verdict::Inconclusive } else { Verdict::Fail });
            }
        }
        let expected = *leaves.iter().max().expect("a path ends");
        for _ in 0..2 {
            let config = Config { legacy_verdicts: true, ..self.variant(Kind::Prefix) };
            let outcome = self.analyze(&config);
            let context = || format!("{leaves:?} of {}", self.context(&config));
            let enough = config.goal == Some(Verdict::WeakPass) && expected == Verdict::Pass;
            assert!(
                outcome.verdict == expected || enough && outcome.verdict == Verdict::WeakPass,
                "{:?} for {}",
                outcome.verdict,
                context()
            );
        }
        self.counts.legacy += 1;
    }

    fn trace_len(&self) -> usize {
        self.seen.components.len()
    }
}
