//! The use cases of the papers: accepted multi-traces, parts of them and mutants.

use std::time::Duration;

use otus_analysis::Verdict;
use otus_papers::workload::Model;
use otus_papers::workload::model::{self, Texts};

use super::sets::{Sample, derived};
use super::timing::{Times, analyse, print_head, search};
use super::{QUESTIONS, SEED, Size, searches};
use crate::measure::{show, times};
use crate::targets::Targets;

pub(super) const MODELS: [(&str, Texts<'static>); 4] = [
    ("abp", model::ABP),
    ("book", model::BOOK),
    ("network", model::NETWORK),
    ("sensor", model::SENSOR),
];

/// A model of our own, like the use cases but coupled and ambiguous, because its twin sensors cannot be told apart. Its
/// undecided analyses are shown but do not count against the targets; its wrong ones do.
pub(super) const TWINS: (&str, Texts<'static>) = ("twins", model::TWINS);

pub(super) fn asynchronous(texts: Texts<'_>) -> Model {
    Model::new(Texts { interaction: &texts.interaction.replace("<synch> ", ""), ..texts })
}

pub(super) fn run(size: Size, targets: &mut Targets) {
    println!("\n## Use cases\n");
    println!(
        "Random accepted multi-traces of up to 60 events on the discrete partition, prefixes, slices and \
         mutants. `graph` is the paper's search for the same question with memoization, at \
         most 5,000 nodes, on some of them."
    );
    print_head("model | question", &["wrong", "`graph` mean", "its undecided", "ratio"]);
    let (mut undecided, mut wrong) = (0, 0);
    for (name, texts) in MODELS.into_iter().chain([TWINS]) {
        for (suffix, mut model) in [("", Model::new(texts)), (" async", asynchronous(texts))] {
            let (unanswered, bad) = report(&format!("{name}{suffix}"), &mut model, size);
            undecided += if name == TWINS.0 { 0 } else { unanswered };
            wrong += bad;
        }
    }
    targets.add_all_right("use cases", undecided, wrong);
}

/// Prints the rows of a model; returns the numbers of undecided and of wrong analyses.
fn report(name: &str, model: &mut Model, size: Size) -> (usize, usize) {
    let sample = Sample { count: size.pick(100, 1_000), length: 60 };
    let sets = derived(model, sample, SEED, 2, name);
    let (mut undecided, mut wrong) = (0, 0);
    for (question, config) in QUESTIONS.iter().zip(searches(5_000)) {
        let mut engine = model.engine(&model.discrete());
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

    /// The tables call a model regular if it is decoupled.
    #[test]
    fn regular_models_are_decoupled_and_the_others_are_not() {
        for (name, texts) in MODELS.into_iter().chain([TWINS]) {
            for model in [Model::new(texts), asynchronous(texts)] {
                let coupling = Coupling::new(&model.pool, model.term, &model.discrete());
                assert_eq!(coupling.decoupled(), !matches!(name, "book" | "twins"), "{name}");
            }
        }
    }

    /// In a regular model, the logs determine which messages were sent, so the search never branches.
    #[test]
    fn a_regular_model_is_decided_without_a_choice() {
        for (name, texts) in MODELS.into_iter().filter(|(name, _)| *name != "book") {
            let model = Model::new(texts);
            let mut rng = fastrand::Rng::with_seed(SEED);
            let global = execution(&model.pool, model.term, 2_000, 1, &mut rng);
            let trace = Part::Whole.of(&model.pool, &global, &mut rng);
            let mut engine = model.engine(trace.partition());
            let outcome =
                engine.analyze(&trace, &QUESTIONS[0], &Size { full: false }.budget(&trace));
            assert_eq!((outcome.verdict, engine.counters().branches), (Verdict::Pass, 0), "{name}");
        }
    }
}
