//! The four use cases of the removal paper (Appendix C).
//!
//! From each model: accepted multi-traces (ACPT), random multi-prefixes of each (PREF), and of each
//! prefix a mutant with a random action inserted (NOIS), one with two actions of a component swapped
//! (SACT) and one with some components of another prefix (SCMP). All are analysed by `eliminate`.

use otus_analysis::budget::Budget;
use otus_analysis::config::{Config, Filters, Kind};
use otus_analysis::{Verdict, generate};
use otus_core::EventId;
use otus_syntax::options::{Generation, LocalAnalysis};
use otus_trace::transform::{Swaps, derive_seed, noise, prefixes, swap_actions};
use otus_trace::{MultiTrace, Partition};

use super::model::{Model, texts};
use super::table::{Class, analyse, print};
use super::{SEED, Size};

/// One use case and how it is exercised, with two sizes where sizes differ.
struct UseCase {
    title: &'static str,
    texts: (&'static str, &'static str),
    accepted: Accepted,
    /// Of each accepted multi-trace.
    prefixes: usize,
}

/// Where accepted multi-traces come from.
enum Accepted {
    /// All executions with so many loop instances, and of them so many at random.
    Explored { loops: u64, some: (usize, usize) },
    /// So many random ones of at most a length.
    Random { count: (usize, usize), length: (usize, usize) },
}

const USE_CASES: [UseCase; 4] = [
    UseCase {
        title: "Book order: at most 2 loop instances, 5 prefixes each",
        texts: texts!("book"),
        accepted: Accepted::Explored { loops: 2, some: (usize::MAX, usize::MAX) },
        prefixes: 5,
    },
    UseCase {
        title: "Sensor (a model of ours): random, 3 prefixes each",
        texts: texts!("sensor"),
        accepted: Accepted::Random { count: (400, 2000), length: (60, 200) },
        prefixes: 3,
    },
    UseCase {
        title: "Alternating bit protocol: random, 5 prefixes each",
        texts: texts!("abp"),
        accepted: Accepted::Random { count: (400, 2000), length: (60, 200) },
        prefixes: 5,
    },
    UseCase {
        title: "Network: random, 5 prefixes each",
        texts: texts!("network"),
        accepted: Accepted::Random { count: (400, 2000), length: (50, 100) },
        prefixes: 5,
    },
];

pub(super) fn run(size: Size) {
    println!();
    println!("## Removal: four use cases");
    for case in &USE_CASES {
        println!();
        println!("### {}", case.title);
        let mut model = Model::new(case.texts);
        let config = Config {
            kind: Kind::Eliminate,
            goal: Some(Verdict::WeakPass),
            memoize: true,
            local_analysis: LocalAnalysis::On,
            budget: Budget { max_states: Some(size.pick(5_000, 100_000)), ..Budget::default() },
            ..Config::default()
        };
        let sets = classes(&mut model, case, size);
        let analysed: Vec<_> =
            sets.iter().map(|class| analyse(&model, class, &config, size.tries())).collect();
        print(&analysed);
    }
}

fn classes(model: &mut Model, case: &UseCase, size: Size) -> Vec<Class> {
    let partition = Partition::discrete(model.pool.signature().lifeline_count());
    let accepted = model.observed(&partition, &accepted(model, &case.accepted, size));
    let cut = accepted.iter().enumerate().flat_map(|(i, trace)| {
        let cuts = prefixes(trace);
        let seed = derive_seed(SEED, &["prefix", &i.to_string()]);
        cuts.sample(seed).take(case.prefixes).map(|cut| cut.trace).collect::<Vec<_>>()
    });
    let prefixes: Vec<MultiTrace> = cut.collect();
    let swaps = Swaps::new(&prefixes);
    let (mut noisy, mut swapped, mut mixed) = (Vec::new(), Vec::new(), Vec::new());
    for (i, prefix) in prefixes.iter().enumerate() {
        let seed = |purpose| derive_seed(SEED, &[purpose, &i.to_string()]);
        let mutants = noise(prefix, &model.pool).choose(1, seed("noise"), &mut model.pool);
        noisy.extend(mutants.into_iter().map(|mutant| mutant.trace));
        let mutants = swap_actions(prefix).choose(1, seed("actions"), &mut model.pool);
        swapped.extend(mutants.into_iter().map(|mutant| mutant.trace));
        let swap = swaps.sample(i, seed("components")).next();
        mixed.extend(swap.map(|swap| swap.apply(prefix, &prefixes[swap.donor])));
    }
    vec![
        Class { name: "ACPT", traces: accepted, right: true },
        Class { name: "PREF", traces: prefixes, right: true },
        Class { name: "NOIS", traces: noisy, right: false },
        Class { name: "SACT", traces: swapped, right: false },
        Class { name: "SCMP", traces: mixed, right: false },
    ]
}

/// Accepted global traces. They are made with a copy of the pool, so that analyses meet terms for
/// the first time.
fn accepted(model: &Model, accepted: &Accepted, size: Size) -> Vec<Vec<EventId>> {
    let mut pool = model.pool.clone();
    match *accepted {
        Accepted::Explored { loops, some } => {
            let config = Config {
                filters: Filters { loop_depth: Some(loops), ..Filters::default() },
                budget: Budget { max_states: Some(1_000_000), ..Budget::default() },
                ..Config::default()
            };
            let mut traces = generate::explored(&mut pool, model.term, &config, Generation::Exact);
            fastrand::Rng::with_seed(SEED).shuffle(&mut traces);
            traces.truncate(size.pick(some.0, some.1));
            traces
        }
        Accepted::Random { count, length } => {
            let bounds = (size.pick(count.0, count.1), size.pick(length.0, length.1));
            generate::random(&mut pool, model.term, bounds, SEED)
        }
    }
}
