//! Sets of multi-traces derived from accepted ones.

use otus_analysis::{Question, generate};
use otus_papers::workload::Model;
use otus_papers::workload::sets::mutants;
use otus_trace::MultiTrace;
use otus_trace::transform::{derive_seed, prefixes, slices};

use super::SEED;

pub(super) struct Set {
    pub(super) name: &'static str,
    pub(super) traces: Vec<MultiTrace>,
    /// The index in [`QUESTIONS`](super::QUESTIONS) of the strongest question to which they are known to pass.
    explained: usize,
}

impl Set {
    /// Whether a Fail would be wrong.
    pub(super) fn must_pass(&self, question: &Question) -> bool {
        super::QUESTIONS.iter().position(|q| q == question).is_some_and(|at| at >= self.explained)
    }
}

/// The number and the greatest length of random executions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    pub(super) count: usize,
    pub(super) length: usize,
}

/// Random accepted multi-traces on the discrete partition, `each` prefixes and slices of every one, and three mutants of
/// every prefix and slice. `purpose` distinguishes the seeds of different sets.
pub(super) fn derived(
    model: &mut Model,
    sample: Sample,
    seed: u64,
    each: usize,
    purpose: &str,
) -> Vec<Set> {
    let global =
        generate::random(&mut model.pool.clone(), model.term, sample.count, sample.length, seed);
    let partition = model.discrete();
    let accepted: Vec<MultiTrace> =
        global.iter().map(|trace| generate::project(&model.pool, &partition, trace)).collect();
    let seed = |kind: &str, index: usize| derive_seed(SEED, &[purpose, kind, &index.to_string()]);
    let (mut begun, mut cut) = (Vec::new(), Vec::new());
    for (i, trace) in accepted.iter().enumerate() {
        begun.extend(prefixes(trace).sample(seed("prefix", i)).take(each).map(|part| part.trace));
        cut.extend(slices(trace).sample(seed("slice", i)).take(each).map(|part| part.trace));
    }
    let parts: Vec<MultiTrace> = begun.iter().chain(&cut).cloned().collect();
    let [noisy, swapped, mixed] = mutants(model, &parts, seed);
    vec![
        Set { name: "accepted", traces: accepted, explained: 0 },
        Set { name: "prefix", traces: begun, explained: 2 },
        Set { name: "slice", traces: cut, explained: 3 },
        Set { name: "noise", traces: noisy, explained: usize::MAX },
        Set { name: "swap", traces: swapped, explained: usize::MAX },
        Set { name: "component", traces: mixed, explained: usize::MAX },
    ]
}
