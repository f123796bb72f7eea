//! Slices: figures 11 and 12 of the slices paper, and long slices of the use cases.

use std::time::Instant;

use cpu_time::ThreadTime;
use otus_analysis::{Question, Verdict};
use otus_core::{ActionId, Pool};
use otus_papers::workload::Model;
use otus_papers::workload::slices::{FIGURE_11, Slices, deep, shallow};
use otus_syntax::SourceId;
use otus_trace::multitrace::Builder;
use otus_trace::{ComponentId, MultiTrace};

use super::timing::{Times, analyse, print_head};
use super::use_cases::{MODELS, TWINS, asynchronous};
use super::walk::{Part, execution};
use super::{SEED, Size};
use crate::measure::{head, nanoseconds, show};
use crate::targets::Targets;

pub(super) fn run(size: Size, targets: &mut Targets) {
    println!("\n## Slices");
    figure_11(targets);
    figure_12(size, targets);
    long(size, targets);
}

fn figure_11(targets: &mut Targets) {
    println!("\nFigure 11 of the slices paper, slices that its criterion misses:\n");
    head("interaction | multi-trace | verdict", "time");
    let mut all = true;
    for (_, interaction, text) in FIGURE_11 {
        let mut model = Model::of_interaction(interaction);
        let trace = model.trace(text);
        let start = ThreadTime::now();
        let mut engine = model.engine(trace.partition());
        let budget = Size { full: false }.budget(&trace);
        let verdict = engine.analyze(&trace, &Question::SLICE, &budget).verdict;
        let elapsed = start.elapsed();
        println!("| `{interaction}` | `{text}` | {verdict} | {} |", show(nanoseconds(elapsed)));
        all &= verdict == Verdict::WeakPass;
    }
    targets.add("figure 11 is explained", "yes", if all { "yes" } else { "no" }, all);
}

/// Figure 12: all slices of i1, wide ones of i2, and mutants.
fn figure_12(size: Size, targets: &mut Targets) {
    println!("\nFigure 12 of the slices paper, one engine for each interaction:");
    print_head("interaction | set", &["wrong"]);
    let mut everything = Times::default();
    let mut wrong = 0;
    for (name, set) in [("i1", shallow(size.setting())), ("i2", deep(size.setting()))] {
        let Slices { model, partition, sets, .. } = set;
        let mut engine = model.engine(&partition);
        for class in &sets {
            let found = analyse(&mut engine, &class.traces, &Question::SLICE, size);
            let bad = if class.known.is_right() { found.count(Verdict::Fail) } else { 0 };
            println!("| {name} | {} | {} | {bad} |", class.name, found.cells());
            everything.extend(&found);
            wrong += bad;
        }
    }
    let p99 = everything.quantile(990);
    targets.add("figure 12, slices: p99", "≤ 1 ms", show(p99), p99 <= 1e6);
    targets.add_all_right("figure 12", everything.undecided(), wrong);
}

/// Long slices of the use cases, right and with a fault.
fn long(size: Size, targets: &mut Targets) {
    println!(
        "\nSlices of the use cases: right ones of 10^4 actions; and of 10^3 actions with one fault in the \
         middle of a component: an inserted action that does not occur there (foreign) or does \
         (noise), or two swapped neighbours (swap). A multi-trace with a fault may still be a slice. A fresh engine each time."
    );
    print_head("model | slices", &["wrong"]);
    let (mut slowest_right, mut slowest_fail) = (0.0_f64, 0.0_f64);
    let (mut undecided, mut wrong) = (0, 0);
    for (name, texts) in MODELS.into_iter().chain([TWINS]) {
        for (suffix, mut model) in [("", Model::new(texts)), (" async", asynchronous(texts))] {
            for (fault, kind) in [
                ("right", Fault::None),
                ("foreign", Fault::Foreign),
                ("noise", Fault::Noise),
                ("swap", Fault::Swap),
            ] {
                let actions = if kind == Fault::None { 10_000 } else { 1_000 };
                let mut found = Times::default();
                let begin = Instant::now();
                for seed in 0..size.pick(10, 40) {
                    let slice = kind.slice(&mut model, actions, seed);
                    let start = ThreadTime::now();
                    let mut engine = model.engine(slice.partition());
                    let budget = size.budget(&slice);
                    let verdict = engine.analyze(&slice, &Question::SLICE, &budget).verdict;
                    found.push(start.elapsed(), verdict);
                    if begin.elapsed() > size.table_limit() / 3 {
                        break;
                    }
                }
                let bad = match kind {
                    Fault::None => found.count(Verdict::Fail),
                    Fault::Foreign => found.count(Verdict::WeakPass) + found.count(Verdict::Pass),
                    Fault::Noise | Fault::Swap => 0,
                };
                println!("| {name}{suffix} | {fault} | {} | {bad} |", found.cells());
                wrong += bad;
                if suffix.is_empty() && name != TWINS.0 {
                    undecided += found.undecided();
                    let slowest =
                        if kind == Fault::None { &mut slowest_right } else { &mut slowest_fail };
                    *slowest = slowest.max(found.max());
                }
            }
        }
    }
    targets.add(
        "right slices of 10^4 actions: slowest",
        "≤ 10 ms",
        show(slowest_right),
        slowest_right <= 1e7,
    );
    targets.add(
        "slices of 10^3 actions with a fault: slowest",
        "≤ 1 s",
        show(slowest_fail),
        slowest_fail <= 1e9,
    );
    targets.add_all_right("long slices", undecided, wrong);
}

/// Long slices of a model, some of each fault.
pub(super) fn faulty(model: &mut Model, actions: usize, each: u64) -> Vec<MultiTrace> {
    let mut slices = Vec::new();
    for kind in [Fault::None, Fault::Foreign, Fault::Noise, Fault::Swap] {
        slices.extend((0..each).map(|seed| kind.slice(model, actions, seed)));
    }
    slices
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    Foreign,
    Noise,
    Swap,
}

impl Fault {
    /// A random slice of this number of actions, with the fault.
    fn slice(self, model: &mut Model, actions: usize, seed: u64) -> MultiTrace {
        let mut rng = fastrand::Rng::with_seed(SEED + seed);
        let global = execution(&model.pool, model.term, actions / 2, 4, &mut rng);
        let slice = Part::Slice.of(&model.pool, &global, &mut rng);
        self.put(&mut model.pool, &slice, &mut rng)
    }

    /// Puts the fault into the middle of a component.
    fn put(self, pool: &mut Pool, slice: &MultiTrace, rng: &mut fastrand::Rng) -> MultiTrace {
        let partition = slice.partition().clone();
        let mut components: Vec<Vec<ActionId>> = partition
            .components()
            .map(|component| slice.steps(component).iter().map(|step| step.action()).collect())
            .collect();
        let chosen = rng.usize(..components.len());
        let lifeline = partition.lifelines(ComponentId(u32::try_from(chosen).unwrap_or(0)))[0];
        let component = &mut components[chosen];
        let middle = component.len() / 2;
        match self {
            Fault::None => {}
            Fault::Foreign => {
                let message = pool.add_message("foreign");
                let action = otus_core::Action::emission(lifeline, message);
                component.insert(middle, pool.intern_action(action));
            }
            Fault::Noise => {
                let action = component.get(rng.usize(..component.len().max(1))).copied();
                component.splice(middle..middle, action);
            }
            Fault::Swap => {
                let later = (middle..component.len().saturating_sub(1))
                    .find(|&i| component[i] != component[i + 1]);
                if let Some(at) = later {
                    component.swap(at, at + 1);
                }
            }
        }
        let mut builder = Builder::new(partition, slice.len() + 1, false);
        for component in &components {
            for &action in component {
                builder.push(action, 0);
                builder.next_moment();
            }
            builder.next_component();
        }
        builder.finish(SourceId(0))
    }
}
