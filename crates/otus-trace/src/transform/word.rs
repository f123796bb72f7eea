//! Words over moments: the local trace of a component as a list of letters.

use otus_core::Signature;
use otus_syntax::SourceId;
use rustc_hash::FxHashMap;

use crate::multitrace::{Builder, ComponentId, MultiTrace, Partition, Step};

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

/// A changed copy of a multi-trace: `add` appends the moments of each component.
pub(super) fn rebuild(
    partition: &Partition,
    capacity: usize,
    mut add: impl FnMut(ComponentId, &mut Builder),
) -> MultiTrace {
    let mut builder = Builder::new(partition.clone(), capacity, false);
    for component in partition.components() {
        add(component, &mut builder);
        builder.next_component();
    }
    builder.finish(SourceId::default())
}

/// Appends whole moments.
pub(super) fn copy(builder: &mut Builder, steps: &[Step]) {
    for step in steps {
        if !step.joined() {
            builder.next_moment();
        }
        builder.push(step.action(), 0);
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
