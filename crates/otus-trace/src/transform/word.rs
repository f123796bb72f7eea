//! Words over moments: the local trace of a component as a list of letters.

use std::ops::Range;

use otus_core::{Pool, Signature};
use otus_syntax::SourceId;
use otus_syntax::source::offset;
use rustc_hash::FxHashMap;

use crate::multitrace::{Builder, ComponentId, MultiTrace, Partition, Step, moment_text};

/// A component as a word.
#[derive(Debug, Clone)]
pub(super) struct Word {
    /// For each moment: its letter. Two moments are equal iff their letters are.
    pub(super) letters: Vec<u32>,
    /// For each moment: the index of its first step; then the end of the last moment.
    pub(super) bounds: Vec<usize>,
}

impl Word {
    pub(super) fn new(trace: &MultiTrace, component: ComponentId) -> Word {
        let mut known: FxHashMap<&[Step], u32> = FxHashMap::default();
        let mut word = Word { letters: Vec::new(), bounds: vec![0] };
        let mut end = 0;
        for moment in trace.moments(component) {
            let next = u32::try_from(known.len()).expect("a trace has fewer than 2³² steps");
            word.letters.push(*known.entry(moment).or_insert(next));
            end += moment.len();
            word.bounds.push(end);
        }
        word
    }
}

/// Some successive steps of a component, whole moments.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'t> {
    steps: &'t [Step],
    /// The number of the first of them among the steps of all components.
    first: usize,
}

impl<'t> Part<'t> {
    /// All steps of a component.
    pub(super) fn all(trace: &'t MultiTrace, component: ComponentId) -> Self {
        Part { steps: trace.steps(component), first: trace.first(component) }
    }

    /// The steps in a range of these.
    pub(super) fn part(self, range: Range<usize>) -> Self {
        Part { first: self.first + range.start, steps: &self.steps[range] }
    }

    /// The same steps, if those of another multi-trace with this number of steps have the numbers before them.
    pub(super) fn after(self, length: usize) -> Self {
        Part { first: self.first + length, ..self }
    }
}

/// A changed copy of a multi-trace: `add` appends the moments of each component. With `tagged`, also the number of each
/// step in the original.
pub(super) fn rebuild(
    partition: &Partition,
    capacity: usize,
    tagged: bool,
    mut add: impl FnMut(ComponentId, &mut Builder),
) -> (MultiTrace, Vec<u32>) {
    let mut builder = Builder::new(partition.clone(), capacity, false);
    if tagged {
        builder = builder.with_tags();
    }
    for component in partition.components() {
        add(component, &mut builder);
        builder.next_component();
    }
    builder.finish_tagged(SourceId::default())
}

/// Appends whole moments.
pub(super) fn copy(builder: &mut Builder, part: Part<'_>) {
    for (i, step) in part.steps.iter().enumerate() {
        if !step.joined() {
            builder.next_moment();
        }
        builder.push_tagged(step.action(), 0, offset(part.first + i));
    }
}

/// `[a, b]`, or `[#all]`.
pub(super) fn component_text(
    partition: &Partition,
    component: ComponentId,
    signature: &Signature,
) -> String {
    if partition.is_trivial() {
        return "[#all]".to_owned();
    }
    let names: Vec<&str> =
        partition.lifelines(component).iter().map(|&l| signature.lifeline_name(l)).collect();
    format!("[{}]", names.join(", "))
}

/// The actions of a moment and its place, from 1: `a!m (place 3)`.
pub(super) fn place_text(
    trace: &MultiTrace,
    component: ComponentId,
    index: usize,
    pool: &Pool,
) -> String {
    let moment = trace.moments(component).nth(index).unwrap_or(&[]);
    let actions = moment.iter().map(|step| pool.action(step.action()));
    let actions: Vec<String> = actions.map(|it| it.text(pool.signature())).collect();
    format!("{} (place {})", moment_text(&actions), index + 1)
}
