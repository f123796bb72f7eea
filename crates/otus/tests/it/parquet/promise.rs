//! The promise about all files that call themselves Parquet: there is an answer or a message, and no panic, on one thread and
//! on several. The fuzz target `parquet` and the test with seeded mutations share it.

use otus::{
    Case, Context, Error, Explain, Item, Request, UniformObservation, WitnessPolicy, analyze,
};

use super::memory::Memory;

/// A message has this in it if a thread of Otus panicked.
const DIED: &str = "could not be read to its end";

/// What is said about files.
pub(crate) fn said(files: Memory, inputs: &[&str], threads: usize) -> Vec<String> {
    let context = Context::default().with_files(files);
    let mut request = Request::new(inputs.iter().copied());
    request.question.observed = Some(UniformObservation::Complete);
    (request.explain, request.witness) = (Explain::None, WitnessPolicy::None);
    request.threads = Some(threads);
    request.limits.max_states = Some(1_000_000);
    let running = match analyze(&context, &request) {
        Ok(analysis) => analysis.start(Case::clone),
        Err(error) => return vec![error.to_string()],
    };
    let text = |item: Result<Item<Case>, Error>| match item {
        Ok(Item::Case(case)) => format!("{} {} {}", case.id, case.verdict, case.actions),
        Ok(Item::Unusable(unusable)) => format!("{:?} {}", unusable.id, unusable.message),
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    };
    running.map(text).collect()
}

pub(crate) fn holds(spec: &str, bytes: &[u8]) {
    let files = Memory::default().with("spec.hif", spec).with("events.parquet", bytes);
    let inputs = ["spec.hif", "events.parquet"];
    let one = said(files.clone(), &inputs, 1);
    assert!(!one.is_empty(), "nothing is said");
    assert!(!one.iter().any(|text| text.contains(DIED)), "{one:?}");
    assert_eq!(one, said(files, &inputs, 3));
}
