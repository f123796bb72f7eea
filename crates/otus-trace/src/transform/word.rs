//! Components as words whose letters are moments.

use otus_core::Signature;
use otus_syntax::SourceId;
use rustc_hash::FxHashMap;

use crate::multitrace::{Builder, ComponentId, MultiTrace, Partition, Step};

/// A component as a word: where its moments begin, and which of them are equal.
#[derive(Debug, Clone)]
pub(super) struct Word {
    /// By moment: its letter. Equal moments, and only they, have equal letters.
    pub(super) letters: Vec<u32>,
    /// By moment: where it begins in the component's steps; then where the last one ends.
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

    pub(super) fn len(&self) -> usize {
        self.letters.len()
    }
}

/// A builder for a changed copy of a multi-trace.
pub(super) fn rebuild(partition: &Partition, capacity: usize) -> Builder {
    Builder::new(partition.clone(), capacity, false)
}

/// Appends steps that begin with a whole moment.
pub(super) fn copy(builder: &mut Builder, steps: &[Step]) {
    for step in steps {
        if !step.joined() {
            builder.next_moment();
        }
        builder.push(step.action(), 0);
    }
}

pub(super) fn finish(builder: Builder) -> MultiTrace {
    builder.finish(SourceId::default())
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
