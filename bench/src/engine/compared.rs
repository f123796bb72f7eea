//! The cases of `otus-bench compare` that are about the engine.

use otus_core::raise;
use otus_papers::sat::{random, reduce};
use otus_papers::workload::Model;
use otus_syntax::print;
use otus_trace::MultiTrace;

use super::random::interactions;
use super::sets::{Sample, derived};
use super::slices::faulty;
use super::use_cases::{MODELS, TWINS, asynchronous};
use super::{QUESTIONS, SEED, sessions};
use crate::compare::{Case, Inputs, Program};

/// The names of the questions on the command line.
const OBSERVED: [&str; 4] = ["complete", "global-prefix", "prefix", "slice"];

pub(crate) fn compared(inputs: &Inputs<'_>) -> anyhow::Result<Vec<Case>> {
    let mut cases = Vec::new();
    for (name, _) in MODELS.into_iter().chain([TWINS]) {
        for question in 0..QUESTIONS.len() {
            // Accepted runs of `twins` need a search.
            let actions = if name == TWINS.0 { 2_000 } else { 20_000 };
            cases.push(repeated("long", name, question, actions, 1));
        }
    }
    for (name, _) in MODELS.into_iter().chain([TWINS]) {
        for question in [0, 3] {
            cases.push(repeated("fresh", name, question, 20, 100));
        }
    }
    for (number, mut model) in interactions(4).into_iter().enumerate() {
        let sets = derived(&mut model, Sample { count: 60, length: 20 }, SEED, 2, "random");
        let traces: Vec<&MultiTrace> = sets.iter().flat_map(|set| &set.traces).collect();
        let files = write(inputs, &format!("random{number}"), &model, &traces)?;
        for observed in OBSERVED {
            cases.push(analysis("random", format!("{number}, {observed}"), &files, observed));
        }
    }
    for (name, texts) in MODELS.into_iter().chain([TWINS]) {
        for (suffix, mut model) in [("", Model::new(texts)), ("-async", asynchronous(texts))] {
            let slices = faulty(&mut model, 300, 3);
            let name = format!("slices-{name}{suffix}");
            let files = write(inputs, &name, &model, &slices.iter().collect::<Vec<_>>())?;
            cases.push(analysis("slices", name, &files, "slice"));
        }
    }
    for name in ["sessions-book", "sessions-book-async"] {
        for (question, observed) in OBSERVED.into_iter().enumerate() {
            let Some(found) = sessions::trace(name, question, 60) else { continue };
            let files =
                write(inputs, &format!("{name}-{question}"), &found.model, &[&found.trace])?;
            cases.push(analysis("sessions", format!("{name}, {observed}"), &files, observed));
        }
    }
    for variables in [5, 12, 50, 100] {
        let problem = reduce(&random(variables, variables * 426 / 100, SEED));
        let model = Model { pool: problem.pool, term: problem.term };
        let files = write(inputs, &format!("sat{variables}"), &model, &[&problem.trace])?;
        cases.push(analysis("sat", format!("{variables} variables"), &files, "prefix"));
    }
    for (name, texts) in MODELS {
        let mut model = Model::new(texts);
        let sets = derived(&mut model, Sample { count: 100, length: 20 }, SEED, 2, name);
        let traces: Vec<&MultiTrace> = sets.iter().flat_map(|set| &set.traces).collect();
        let files = write(inputs, name, &model, &traces)?;
        for observed in OBSERVED {
            cases.push(analysis("end", format!("{name}, {observed}"), &files, observed));
        }
    }
    Ok(cases)
}

/// Repetitions of a long analysis, each with a fresh engine.
fn repeated(part: &'static str, name: &str, question: usize, actions: usize, more: usize) -> Case {
    let arguments = |runs: usize| {
        let numbers = [question, actions, runs].map(|number| number.to_string());
        ["engine-once", "long", name].map(str::to_owned).into_iter().chain(numbers).collect()
    };
    Case {
        part,
        name: format!("{name}, {}, {actions} actions", QUESTIONS[question].name()),
        program: Program::Bench,
        arguments: arguments(1 + more),
        less: Some(arguments(1)),
    }
}

fn analysis(
    part: &'static str,
    name: impl Into<String>,
    files: &[String; 3],
    observed: &str,
) -> Case {
    let [signature, interaction, cases] = files.each_ref().map(String::as_str);
    let inputs = ["analyze", signature, interaction, cases];
    let options = ["--observed", observed, "--format", "jsonl", "--jobs", "1"];
    Case::otus(part, name, &[inputs.as_slice(), &options].concat())
}

/// Writes a model and a case file of its multi-traces.
fn write(
    inputs: &Inputs<'_>,
    name: &str,
    model: &Model,
    traces: &[&MultiTrace],
) -> anyhow::Result<[String; 3]> {
    let tree = raise(&model.pool, model.term);
    // The names of the models need no escapes in JSON.
    let line = |(number, trace): (usize, &&MultiTrace)| {
        format!("{{\"id\": \"{number}\", \"htf\": \"{}\"}}\n", model.text(trace))
    };
    Ok([
        inputs.write(&format!("{name}.hsf"), print::signature(&tree))?,
        inputs.write(&format!("{name}.hif"), print::interaction(&tree))?,
        inputs.write(
            &format!("{name}.jsonl"),
            traces.iter().enumerate().map(line).collect::<String>(),
        )?,
    ])
}
