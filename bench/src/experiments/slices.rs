//! The two interactions of the slices paper (section 5.5, figure 12).
//!
//! From each: accepted multi-traces T, slices S of them, and of each slice a mutant with a random
//! action inserted (Mia), one with two actions of a component swapped (Msa), and one with some
//! components of another slice (Msc). All are analysed by `simulate` with the paper's criterion and
//! with local analyses. What the paper calls Inconc is `WeakFail`: no explanation within the bounds.

use otus_analysis::budget::Budget;
use otus_analysis::config::{Config, Filters, Kind, Priorities, Simulation};
use otus_analysis::{Verdict, generate};
use otus_core::LifelineId;
use otus_syntax::options::{Generation, LocalAnalysis, Strategy};
use otus_trace::transform::{Share, Swaps, derive_seed, noise, slices, swap_actions, wide_slices};
use otus_trace::{MultiTrace, Partition};

use super::model::{Model, texts};
use super::table::{Class, analyse, print};
use super::{SEED, Size};

pub(super) fn run(size: Size) {
    println!();
    println!("## Slices: two interactions");
    report(&shallow(size), size);
    report(&deep(size), size);
}

/// The sets of an experiment.
pub(crate) struct Slices {
    /// What is said above the tables.
    heading: String,
    pub(crate) model: Model,
    pub(crate) partition: Partition,
    pub(crate) sets: [Class; 5],
}

/// Figure 12a: everything with at most three loop instances that cannot go on, which is how the
/// paper's 16 multi-traces come about, and every slice of it.
pub(crate) fn shallow(_: Size) -> Slices {
    let mut model = Model::new(texts!("i1"));
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
    let cut = model.distinct(all);
    let heading = format!(
        "### i1 on {{l1}}, {{l2, l3}}: all executions with at most 3 loop instances\n\n\
         {} accepted multi-traces, {by_place} slices counted by place (the paper: 16 and 7996), {} of \
         them different.",
        accepted.len(),
        cut.len()
    );
    let sets = sets(&mut model, accepted, cut);
    Slices { heading, model, partition, sets }
}

/// How many slices there are if equal ones at different places count, as in the paper.
fn slices_by_place(trace: &MultiTrace) -> usize {
    let components = trace.partition().components();
    components.map(|component| trace.steps(component).len()).map(|n| n * (n + 1) / 2 + 1).product()
}

/// Figure 12b: random executions with up to thirty loop instances, and wide slices of them.
pub(crate) fn deep(size: Size) -> Slices {
    let mut model = Model::new(texts!("i2"));
    let partition = Partition::discrete(3);
    let config = Config {
        strategy: Strategy::HighCoverage,
        priorities: Priorities { randomize: true, ..Priorities::default() },
        filters: Filters { loop_depth: Some(30), nodes: Some(10_000), depth: None },
        seed: SEED,
        ..Config::default()
    };
    let mut global =
        generate::explored(&mut model.pool.clone(), model.term, &config, Generation::Exact);
    fastrand::Rng::with_seed(SEED).shuffle(&mut global);
    let mut accepted = model.observed(&partition, &global);
    accepted.truncate(size.pick(100, 199));
    let cut = accepted.iter().enumerate().flat_map(|(i, trace)| {
        let seed = derive_seed(SEED, &["slice", &i.to_string()]);
        let cuts = wide_slices(trace, Share::THIRD);
        cuts.sample(seed).take(size.pick(20, 31)).map(|cut| cut.trace).collect::<Vec<_>>()
    });
    let cut: Vec<MultiTrace> = cut.collect();
    let heading = format!(
        "### i2 on {{l1}}, {{l2}}, {{l3}}: random executions with at most 30 loop instances\n\n\
         {} accepted multi-traces, {} slices of at least a third (the paper: 199 and 6124). The \
         paper's partition is hard to read in our copy; swapping components needs several.",
        accepted.len(),
        cut.len()
    );
    let sets = sets(&mut model, accepted, cut);
    Slices { heading, model, partition, sets }
}

fn sets(model: &mut Model, accepted: Vec<MultiTrace>, cut: Vec<MultiTrace>) -> [Class; 5] {
    let swaps = Swaps::new(&cut);
    let (mut noisy, mut swapped, mut mixed) = (Vec::new(), Vec::new(), Vec::new());
    for (i, slice) in cut.iter().enumerate() {
        let seed = |purpose| derive_seed(SEED, &[purpose, &i.to_string()]);
        let mutants = noise(slice, &model.pool).choose(1, seed("noise"), &mut model.pool);
        noisy.extend(mutants.into_iter().map(|mutant| mutant.trace));
        let mutants = swap_actions(slice).choose(1, seed("actions"), &mut model.pool);
        swapped.extend(mutants.into_iter().map(|mutant| mutant.trace));
        let swap = swaps.sample(i, seed("components")).next();
        mixed.extend(swap.map(|swap| swap.apply(slice, &cut[swap.donor])));
    }
    [
        Class { name: "T", traces: accepted, right: true },
        Class { name: "S", traces: cut, right: true },
        Class { name: "Mia", traces: noisy, right: false },
        Class { name: "Msa", traces: swapped, right: false },
        Class { name: "Msc", traces: mixed, right: false },
    ]
}

fn report(slices: &Slices, size: Size) {
    println!();
    println!("{}", slices.heading);
    let config = Config {
        kind: Kind::Simulate(Simulation::default()),
        goal: Some(Verdict::WeakPass),
        memoize: true,
        local_analysis: LocalAnalysis::On,
        budget: Budget { max_states: Some(size.pick(20_000, 50_000)), ..Budget::default() },
        ..Config::default()
    };
    let analysed: Vec<_> = slices
        .sets
        .iter()
        .map(|class| analyse(&slices.model, class, &config, size.tries()))
        .collect();
    print(&analysed);
}
