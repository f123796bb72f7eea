//! The slices of 003: figure 11, and the two interactions of section 5.5 (figure 12).
//!
//! The sets of figure 12 are accepted multi-traces T, slices S of them, and for each slice a mutant with a random
//! action inserted (Mia), one with two actions of a component swapped (Msa), and one with some
//! components of another slice (Msc).

use otus_analysis::budget::Budget;
use otus_analysis::config::{Config, Filters, Priorities};
use otus_analysis::generate;
use otus_core::LifelineId;
use otus_syntax::options::{Generation, Strategy};
use otus_trace::transform::{Share, slices, wide_slices};
use otus_trace::{MultiTrace, Partition};

use super::Model;
use super::model::{I1, I2};
use super::sets::Class;
use crate::setting::{Setting, Size};

/// Figure 11: interactions with slices that the criterion of 003 does not recognise, each with its figure.
pub const FIGURE_11: [(&str, &str, &str); 3] = [
    ("11a", "loopP(seq(l!m1, l?m2))", "[l] l?m2.l?m2.l?m2"),
    ("11b", "loopW(l1 -- m -> l2)", "[l1,l2] l2?m.l2?m"),
    ("11c", "coreg(l2)(loopW(l1 -- m1 -> l2), loopW(l1 -- m2 -> l2))", "{[l1]; [l2] l2?m2.l2?m1}"),
];

const NAMES: [&str; 5] = ["T", "S", "Mia", "Msa", "Msc"];

/// The sets of an experiment.
#[derive(Debug)]
pub struct Slices {
    /// The interaction.
    pub model: Model,
    /// The partition of the multi-traces.
    pub partition: Partition,
    /// T, S, Mia, Msa and Msc.
    pub sets: Vec<Class>,
    /// The number of slices if equal slices at different positions count separately, as in the
    /// paper.
    pub by_place: u128,
}

/// Figure 12a: all terminal executions with at most three loop instances, which give the paper's 16
/// multi-traces, and all their slices.
pub fn shallow(setting: Setting) -> Slices {
    let mut model = Model::new(I1);
    let [l1, l2, l3] = [0, 1, 2].map(LifelineId);
    let partition = Partition::new(vec![vec![l1], vec![l2, l3]], 3);
    let config = Config {
        filters: Filters { loop_depth: Some(3), ..Filters::default() },
        budget: Budget { max_states: Some(1_000_000), ..Budget::default() },
        ..Config::default()
    };
    let global =
        generate::explored(&mut model.pool.clone(), model.term, &config, Generation::Terminal);
    let accepted = model.observed(&partition, &global);
    let by_place: u128 = accepted.iter().map(|trace| slices(trace).count_by_place()).sum();
    let all = accepted
        .iter()
        .flat_map(|trace| slices(trace).iter().map(|cut| cut.trace).collect::<Vec<_>>());
    let mut cut = model.distinct(all);
    if setting.size == Size::Tiny {
        cut = cut.into_iter().step_by(40).collect();
    }
    let sets = Class::five(NAMES, &mut model, accepted, cut, setting);
    Slices { model, partition, sets, by_place }
}

/// Figure 12b: random executions with up to thirty loop instances, and wide slices of them.
pub fn deep(setting: Setting) -> Slices {
    let mut model = Model::new(I2);
    let partition = Partition::discrete(3);
    let config = Config {
        strategy: Strategy::HighCoverage,
        priorities: Priorities { randomize: true, ..Priorities::default() },
        filters: Filters {
            loop_depth: Some(setting.pick(6, 30, 30)),
            nodes: Some(setting.pick(1_000, 10_000, 10_000)),
            depth: None,
        },
        seed: setting.seed,
        ..Config::default()
    };
    let mut global =
        generate::explored(&mut model.pool.clone(), model.term, &config, Generation::Exact);
    fastrand::Rng::with_seed(setting.seed).shuffle(&mut global);
    let mut accepted = model.observed(&partition, &global);
    accepted.truncate(setting.pick(6, 100, 199));
    let cut = accepted.iter().enumerate().flat_map(|(i, trace)| {
        let cuts = wide_slices(trace, Share::THIRD);
        cuts.sample(setting.derive("slice", i))
            .take(setting.pick(5, 20, 31))
            .map(|cut| cut.trace)
            .collect::<Vec<_>>()
    });
    let cut: Vec<MultiTrace> = cut.collect();
    let by_place = cut.len() as u128;
    let sets = Class::five(NAMES, &mut model, accepted, cut, setting);
    Slices { model, partition, sets, by_place }
}
