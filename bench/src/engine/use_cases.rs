//! The use cases of the papers: accepted multi-traces, parts of them and mutants.

use std::time::Duration;

use otus_analysis::config::{Config, Kind, Simulation};
use otus_analysis::engine::Options;
use otus_analysis::{Engine, Verdict, generate};
use otus_trace::{MultiTrace, Partition};

use super::checks::Checks;
use super::sets::derived;
use super::timing::{Times, analyse, print_head, search, show, times};
use super::{QUESTIONS, SEED, Size};
use otus_papers::workload::Model;
use otus_papers::workload::model;

/// The models, as signature and interaction.
pub(super) const MODELS: [(&str, (&str, &str)); 4] = [
    ("abp", model::ABP),
    ("book", model::BOOK),
    ("network", model::NETWORK),
    ("sensor", model::SENSOR),
];

/// A model that is as they are but for twins, which make it coupled and ambiguous. It is of our own
/// making: what stays undecided there is shown and not counted, what is wrong is.
pub(super) const TWINS: (&str, (&str, &str)) = ("twins", model::TWINS);

/// The same with messages that travel.
pub(super) fn asynchronous((signature, interaction): (&str, &str)) -> Model {
    Model::new((signature, &interaction.replace("<synch> ", "")))
}

pub(super) fn run(size: Size, checks: &mut Checks) {
    println!();
    println!("## Use cases");
    println!();
    println!(
        "Random accepted multi-traces of up to 60 events on the discrete partition, prefixes, slices and \
         mutants. `graph` is the paper's search for the same question with memory, at \
         most 5,000 nodes, on some of them."
    );
    print_head("model | question", &["wrong", "`graph` mean", "its undecided", "ratio"]);
    let (mut undecided, mut wrong) = (0, 0);
    for (name, texts) in MODELS.into_iter().chain([TWINS]) {
        for (suffix, mut model) in [("", Model::new(texts)), (" async", asynchronous(texts))] {
            let (u, w) = report(&format!("{name}{suffix}"), &mut model, size);
            undecided += if name == TWINS.0 { 0 } else { u };
            wrong += w;
        }
    }
    checks.add(
        "use cases: undecided and wrong",
        "0 and 0",
        format!("{undecided} and {wrong}"),
        undecided + wrong == 0,
    );
}

fn report(name: &str, model: &mut Model, size: Size) -> (usize, usize) {
    let partition = Partition::discrete(model.pool.signature().lifeline_count());
    let count = size.pick(100, 1_000);
    let global = generate::random(&mut model.pool.clone(), model.term, count, 60, SEED);
    let accepted: Vec<MultiTrace> =
        global.iter().map(|trace| generate::project(&model.pool, &partition, trace)).collect();
    let sets = derived(model, accepted, 2, name);
    let kinds =
        [Kind::Accept, Kind::Prefix, Kind::Eliminate, Kind::Simulate(Simulation::default())];
    let (mut undecided, mut wrong) = (0, 0);
    for (question, kind) in QUESTIONS.iter().zip(kinds) {
        let mut engine = Engine::new(&model.pool, model.term, &partition, Options::default());
        let (mut all, mut bad) = (Times::default(), 0);
        for set in &sets {
            let found = analyse(&mut engine, &set.traces, question, size);
            if set.must_pass(question) {
                bad += found.count(Verdict::Fail);
            }
            if set.name == "accepted" {
                bad += found.count(Verdict::WeakPass);
            }
            all.extend(&found);
        }
        let mut config =
            Config { kind, memoize: true, goal: Some(Verdict::WeakPass), ..Config::default() };
        config.budget.max_states = Some(5_000);
        let some = sets.iter().flat_map(|set| &set.traces).step_by(37);
        let slow = search(model, some, &config, Duration::from_secs(size.pick(3, 20)));
        println!(
            "| {name} | {} | {} | {bad} | {} | {} of {} | {} |",
            question.name(),
            all.cells(),
            show(slow.mean()),
            slow.undecided(),
            slow.len(),
            times(slow.mean() / all.mean())
        );
        undecided += all.undecided();
        wrong += bad;
    }
    (undecided, wrong)
}

#[cfg(test)]
mod tests {
    use otus_analysis::engine::coupling::Coupling;

    use super::*;
    use crate::engine::walk::{Part, execution};

    /// What the tables take for granted when they call a model regular or coupled.
    #[test]
    fn regular_models_are_decoupled_and_the_others_are_not() {
        for (name, texts) in MODELS.into_iter().chain([TWINS]) {
            for model in [Model::new(texts), asynchronous(texts)] {
                let partition = Partition::discrete(model.pool.signature().lifeline_count());
                let coupling = Coupling::new(&model.pool, model.term, &partition);
                assert_eq!(coupling.decoupled(), !matches!(name, "book" | "twins"), "{name}");
            }
        }
    }

    /// Two answers that differ in their order only, or in who gave them, are told apart by the logs.
    #[test]
    fn a_regular_model_is_decided_without_a_choice() {
        for (name, texts) in MODELS.into_iter().filter(|(name, _)| *name != "book") {
            let model = Model::new(texts);
            let mut rng = fastrand::Rng::with_seed(SEED);
            let global = execution(&model.pool, model.term, 2_000, 1, &mut rng);
            let trace = Part::Whole.of(&model.pool, &global, &mut rng);
            let mut engine =
                Engine::new(&model.pool, model.term, trace.partition(), Options::default());
            let outcome =
                engine.analyze(&trace, &QUESTIONS[0], &Size { full: false }.budget(&trace));
            assert_eq!((outcome.verdict, engine.counters().branches), (Verdict::Pass, 0), "{name}");
        }
    }
}
