//! Options: those of a plain search, and others that must not change the verdict.

use otus_analysis::config::{Kind, Priorities, Simulation};
use otus_analysis::{Config, Verdict};
use otus_core::{Pool, TermId};
use otus_syntax::options::{Criterion, LocalAnalysis, Strategy};
use otus_testkit::oracle::Observation;

use super::case::Case;
use super::{MAX_STATES, is_large};

/// The search without options, except memory where the graph would be large without it.
pub(crate) fn plain(kind: Kind) -> Config {
    let memoize = matches!(kind, Kind::Simulate(_));
    let mut config = Config { kind, memoize, ..Config::default() };
    config.budget.max_states = memoize.then_some(if is_large() { 100_000 } else { 2 * MAX_STATES });
    config
}

/// A complete simulation: λ = depth · |µ|, never reset, and any number of actions.
pub(crate) fn complete(pool: &Pool, term: TermId, seen: &Observation, before: bool) -> Simulation {
    let loops = u64::from(pool.attributes(term).loop_depth) * seen.len() as u64;
    Simulation {
        before,
        multiply: false,
        reset: false,
        loops: Criterion::Number(loops),
        actions: Criterion::None,
    }
}

impl Case<'_> {
    /// Options that must not change the verdict.
    pub(crate) fn variant(&mut self, kind: Kind) -> Config {
        let rng = &mut *self.rng;
        let level = |rng: &mut fastrand::Rng| if rng.usize(..3) == 0 { rng.i64(-2..3) } else { 0 };
        let priorities = Priorities {
            emission: level(rng),
            reception: level(rng),
            in_loop: level(rng),
            step: level(rng),
            simulate: level(rng),
            eliminate: level(rng),
            rendezvous: level(rng),
            randomize: rng.bool(),
        };
        let strategies = [Strategy::Depth, Strategy::Breadth, Strategy::HighCoverage];
        let locals = [LocalAnalysis::Off, LocalAnalysis::On, LocalAnalysis::Front];
        let goals = [Some(Verdict::Pass), Some(Verdict::Pass), None, Some(Verdict::WeakPass)];
        let memoize = rng.usize(..4) > 0;
        let mut config = Config {
            strategy: strategies[rng.usize(..3)],
            priorities: if rng.usize(..4) == 0 { Priorities::default() } else { priorities },
            goal: goals[rng.usize(..goals.len())],
            memoize,
            local_analysis: locals[rng.usize(..3)],
            seed: rng.u64(..),
            ..plain(kind)
        };
        if !memoize {
            config.budget.max_states = Some(MAX_STATES);
        }
        config
    }
}
