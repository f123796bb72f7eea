//! The two interactions of the slices paper (section 5.5, figure 12).
//!
//! From each: accepted multi-traces T, slices S of them, and of each slice a mutant with a random
//! action inserted (Mia), one with two actions of a component swapped (Msa), and one with some
//! components of another slice (Msc).

use otus_analysis::budget::Budget;
use otus_analysis::config::{Config, Filters, Priorities};
use otus_analysis::generate;
use otus_core::LifelineId;
use otus_syntax::options::{Generation, Strategy};
use otus_trace::transform::{Share, derive_seed, slices, wide_slices};
use otus_trace::{MultiTrace, Partition};

use super::Model;
use super::model::{I1, I2};
use super::sets::{Class, Known, mutants};
use crate::setting::{Setting, Size};

/// The sets of an experiment.
#[derive(Debug)]
pub struct Slices {
    /// The interaction.
    pub model: Model,
    /// Which lifelines share a clock.
    pub partition: Partition,
    /// T, S, Mia, Msa and Msc.
    pub sets: Vec<Class>,
    /// How many slices there are if equal ones at different places count, as in the paper.
    pub by_place: usize,
}

/// Figure 12a: everything with at most three loop instances that cannot go on, which is how the
/// paper's 16 multi-traces come about, and every slice of it.
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
    let by_place: usize = accepted.iter().map(slices_by_place).sum();
    let all = accepted
        .iter()
        .flat_map(|trace| slices(trace).iter().map(|cut| cut.trace).collect::<Vec<_>>());
    let mut cut = model.distinct(all);
    if setting.size == Size::Tiny {
        cut = cut.into_iter().step_by(40).collect();
    }
    let sets = sets(&mut model, accepted, cut, setting);
    Slices { model, partition, sets, by_place }
}

/// How many slices there are if equal ones at different places count.
fn slices_by_place(trace: &MultiTrace) -> usize {
    let components = trace.partition().components();
    components.map(|component| trace.steps(component).len()).map(|n| n * (n + 1) / 2 + 1).product()
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
        let seed = derive_seed(setting.seed, &["slice", &i.to_string()]);
        let cuts = wide_slices(trace, Share::THIRD);
        cuts.sample(seed).take(setting.pick(5, 20, 31)).map(|cut| cut.trace).collect::<Vec<_>>()
    });
    let cut: Vec<MultiTrace> = cut.collect();
    let by_place = cut.len();
    let sets = sets(&mut model, accepted, cut, setting);
    Slices { model, partition, sets, by_place }
}

fn sets(
    model: &mut Model,
    accepted: Vec<MultiTrace>,
    cut: Vec<MultiTrace>,
    setting: Setting,
) -> Vec<Class> {
    let [noisy, swapped, mixed] = mutants(model, &cut, setting.seed);
    vec![
        Class { name: "T", traces: accepted, known: Known::Accepted },
        Class { name: "S", traces: cut, known: Known::Part },
        Class { name: "Mia", traces: noisy, known: Known::Mutant },
        Class { name: "Msa", traces: swapped, known: Known::Mutant },
        Class { name: "Msc", traces: mixed, known: Known::Mutant },
    ]
}
