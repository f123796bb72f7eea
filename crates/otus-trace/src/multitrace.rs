//! Multi-traces: a partition of the lifelines, and one trace per component of it.
//!
//! Invariants:
//! - every lifeline is in exactly one component, and no component is empty;
//! - the actions of a component are on its lifelines;
//! - the actions of one moment are sorted by id, so that equal observations are equal values.
//!
//! A trace is a flat vector of four-byte steps, like [`otus_syntax::ast::Occurrence`]: an action,
//! and a bit that joins it to the step before. The offsets in the text are a second vector, which a
//! long analysis can drop.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use otus_core::index::Index as _;
use otus_core::{ActionId, IndexVec, LifelineId, LifelineSet, define_id};
use otus_syntax::SourceId;

define_id! {
    /// A component of a partition.
    pub ComponentId;
}

/// A partition of the lifelines into co-localizations.
///
/// ```
/// use otus_core::LifelineId;
/// use otus_trace::{ComponentId, Partition};
///
/// let [a, b, c] = [0, 1, 2].map(LifelineId);
/// let partition = Partition::new(vec![vec![c, a]], 3);
/// assert_eq!(partition.component_of(c), ComponentId(0));
/// assert_eq!(partition.lifelines(ComponentId(0)), [a, c]);
/// assert_eq!(partition.lifelines(ComponentId(1)), [b]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    /// The lifelines of all components, component after component, ascending within each.
    members: Vec<LifelineId>,
    /// The end of each component in `members`.
    ends: IndexVec<ComponentId, usize>,
    component_of: IndexVec<LifelineId, ComponentId>,
}

impl Partition {
    /// The partition of `count` lifelines with the given components, in this order. A lifeline in
    /// several components belongs to the first. Lifelines in no component follow, each in its own.
    /// Empty components are left out.
    ///
    /// # Panics
    /// If a component has a lifeline that is not among the first `count`.
    pub fn new(components: Vec<Vec<LifelineId>>, count: usize) -> Self {
        let mut component_of = IndexVec::filled(None, count);
        let mut partition = Partition {
            members: Vec::with_capacity(count),
            ends: IndexVec::default(),
            component_of: IndexVec::default(),
        };
        let singletons = component_of.ids().map(|lifeline| vec![lifeline]);
        for mut component in components.into_iter().chain(singletons) {
            let id = ComponentId::new(partition.ends.len());
            component.sort_unstable();
            let before = partition.members.len();
            for lifeline in component {
                if component_of[lifeline].is_none() {
                    component_of[lifeline] = Some(id);
                    partition.members.push(lifeline);
                }
            }
            if partition.members.len() > before {
                partition.ends.push(partition.members.len());
            }
        }
        partition.component_of = component_of.iter().map(|of| of.expect("all have one")).collect();
        partition
    }

    /// The partition with one lifeline in each component.
    pub fn discrete(count: usize) -> Self {
        Partition::new(Vec::new(), count)
    }

    /// The partition with one component.
    pub fn trivial(count: usize) -> Self {
        Partition::new(vec![(0..count).map(LifelineId::new).collect()], count)
    }

    /// The number of components.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no lifelines.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The components in order.
    pub fn components(&self) -> impl ExactSizeIterator<Item = ComponentId> + use<> {
        self.ends.ids()
    }

    /// The lifelines of a component, ascending.
    pub fn lifelines(&self, component: ComponentId) -> &[LifelineId] {
        &self.members[range(&self.ends, component)]
    }

    /// The lifelines of a component as a set.
    pub fn set(&self, component: ComponentId) -> LifelineSet {
        self.lifelines(component).iter().copied().collect()
    }

    /// `θ_C(l)`, the component of a lifeline.
    pub fn component_of(&self, lifeline: LifelineId) -> ComponentId {
        self.component_of[lifeline]
    }

    /// The number of lifelines.
    pub fn lifeline_count(&self) -> usize {
        self.component_of.len()
    }

    /// Whether every component has one lifeline.
    pub fn is_discrete(&self) -> bool {
        self.len() == self.lifeline_count()
    }

    /// Whether there is at most one component.
    pub fn is_trivial(&self) -> bool {
        self.len() <= 1
    }
}

impl Hash for Partition {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // `component_of` follows from the other two fields, so it is not hashed.
        self.members.hash(state);
        for end in &self.ends {
            end.hash(state);
        }
    }
}

/// A multi-trace: the observed actions of each component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MultiTrace {
    /// Shared, because many multi-traces have the same partition.
    pub(crate) partition: Arc<Partition>,
    /// The steps of each component in turn.
    pub(crate) steps: Vec<Step>,
    /// The end of each component in `steps`.
    pub(crate) ends: IndexVec<ComponentId, usize>,
    /// The text from which the steps were read, and for each step the offset of its first byte.
    offsets: Option<(SourceId, Vec<u32>)>,
}

/// One action of a component's trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step(u32);

impl Step {
    const JOINED: u32 = 1 << 31;

    pub(crate) fn new(action: ActionId, joined: bool) -> Self {
        assert!(action.0 < Self::JOINED, "an action id has 31 bits here");
        Step(action.0 | if joined { Self::JOINED } else { 0 })
    }

    /// The steps of a moment: its first action, and the others joined to it. The actions must be sorted.
    pub fn moment(actions: &[ActionId]) -> impl Iterator<Item = Step> {
        actions.iter().enumerate().map(|(at, &action)| Step::new(action, at > 0))
    }

    /// The action.
    #[inline]
    pub fn action(self) -> ActionId {
        ActionId(self.0 & !Self::JOINED)
    }

    /// Whether this step happens at the same moment as the step before it.
    #[inline]
    pub fn joined(self) -> bool {
        self.0 & Self::JOINED != 0
    }
}

impl MultiTrace {
    /// The multi-trace without any action.
    pub fn empty(partition: impl Into<Arc<Partition>>) -> Self {
        let partition = partition.into();
        let ends = IndexVec::filled(0, partition.len());
        MultiTrace { partition, steps: Vec::new(), ends, offsets: None }
    }

    /// The partition.
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// The shared partition.
    pub fn shared_partition(&self) -> &Arc<Partition> {
        &self.partition
    }

    /// The trace of a component.
    pub fn steps(&self, component: ComponentId) -> &[Step] {
        &self.steps[range(&self.ends, component)]
    }

    /// The number of the first step of a component among the steps of all components.
    pub(crate) fn first(&self, component: ComponentId) -> usize {
        range(&self.ends, component).start
    }

    /// The trace of a component, moment by moment. A moment has several steps if their actions were
    /// observed as simultaneous.
    pub fn moments(&self, component: ComponentId) -> impl Iterator<Item = &[Step]> {
        self.steps(component).chunk_by(|_, next| next.joined())
    }

    /// The actions of all components.
    pub fn actions(&self) -> impl Iterator<Item = ActionId> {
        self.steps.iter().map(|step| step.action())
    }

    /// The number of actions of all components.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are no actions.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The text and the offset from which a step of a component was read.
    pub fn place(&self, component: ComponentId, index: usize) -> Option<(SourceId, u32)> {
        let (source, starts) = self.offsets.as_ref()?;
        Some((*source, *starts[range(&self.ends, component)].get(index)?))
    }

    /// The number of moments of all components.
    pub fn moment_count(&self) -> usize {
        self.steps.iter().filter(|step| !step.joined()).count()
    }

    /// The multi-trace with other actions at the same places. The actions of a moment keep their order.
    #[must_use]
    pub fn map_actions(&self, mut change: impl FnMut(ActionId) -> ActionId) -> Self {
        let steps = self.steps.iter().map(|step| Step::new(change(step.action()), step.joined()));
        MultiTrace {
            partition: Arc::clone(&self.partition),
            steps: steps.collect(),
            ends: self.ends.clone(),
            offsets: self.offsets.clone(),
        }
    }

    /// The same multi-trace without offsets, in half the memory.
    #[must_use]
    pub fn without_places(self) -> Self {
        MultiTrace { offsets: None, ..self }
    }
}

/// Builds a multi-trace, component after component.
#[derive(Debug)]
pub struct Builder {
    trace: MultiTrace,
    starts: Option<Vec<u32>>,
    /// By step: the tag with which it was added, if tags are kept.
    tags: Option<Vec<u32>>,
    /// The index of the first step of the current moment.
    moment: usize,
}

impl Builder {
    /// A builder for a partition, with memory for `capacity` actions. With `places`, the offsets of
    /// actions are kept.
    pub fn new(partition: impl Into<Arc<Partition>>, capacity: usize, places: bool) -> Self {
        let partition = partition.into();
        let steps = Vec::with_capacity(capacity);
        let ends = IndexVec::default();
        Builder {
            trace: MultiTrace { partition, steps, ends, offsets: None },
            starts: places.then(|| Vec::with_capacity(capacity)),
            tags: None,
            moment: 0,
        }
    }

    /// Keeps the tags of actions, which tell where a step comes from: the actions of a moment are sorted.
    #[must_use]
    pub fn with_tags(self) -> Self {
        Builder { tags: Some(Vec::with_capacity(self.trace.steps.capacity())), ..self }
    }

    /// The partition.
    pub fn partition(&self) -> &Partition {
        &self.trace.partition
    }

    /// The current component.
    pub fn component(&self) -> ComponentId {
        ComponentId::new(self.trace.ends.len())
    }

    /// Ends the current moment: the next action comes after it.
    pub fn next_moment(&mut self) {
        let steps = &mut self.trace.steps[self.moment..];
        if let [_, _, ..] = steps {
            // Actions of one moment are unordered; sorting makes equal observations equal.
            if let Some(tags) = &mut self.tags {
                let mut order: Vec<usize> = (0..steps.len()).collect();
                let starts = self.starts.as_mut().map(|starts| &mut starts[self.moment..]);
                let start = |i: usize| starts.as_deref().map_or(0, |starts| starts[i]);
                order.sort_by_key(|&i| (steps[i].action(), start(i)));
                let old: Vec<(Step, u32)> = order.iter().map(|&i| (steps[i], start(i))).collect();
                let tags = &mut tags[self.moment..];
                let old_tags: Vec<u32> = order.iter().map(|&i| tags[i]).collect();
                tags.copy_from_slice(&old_tags);
                if let Some(starts) = starts {
                    starts.iter_mut().zip(&old).for_each(|(new, &(_, start))| *new = start);
                }
                for (i, (step, _)) in old.into_iter().enumerate() {
                    steps[i] = Step::new(step.action(), i > 0);
                }
            } else if let Some(starts) = &mut self.starts {
                let starts = &mut starts[self.moment..];
                let mut paired: Vec<(ActionId, u32)> =
                    steps.iter().map(|step| step.action()).zip(starts.iter().copied()).collect();
                paired.sort_unstable();
                for (i, (action, start)) in paired.into_iter().enumerate() {
                    steps[i] = Step::new(action, i > 0);
                    starts[i] = start;
                }
            } else {
                steps.sort_unstable_by_key(|step| step.action());
                for (i, step) in steps.iter_mut().enumerate() {
                    *step = Step::new(step.action(), i > 0);
                }
            }
        }
        self.moment = self.trace.steps.len();
    }

    /// Adds an action to the current moment. `start` is its offset, if offsets are kept.
    pub fn push(&mut self, action: ActionId, start: u32) {
        let joined = self.trace.steps.len() > self.moment;
        self.trace.steps.push(Step::new(action, joined));
        if let Some(starts) = &mut self.starts {
            starts.push(start);
        }
    }

    /// Adds an action with a tag.
    pub fn push_tagged(&mut self, action: ActionId, start: u32, tag: u32) {
        self.push(action, start);
        if let Some(tags) = &mut self.tags {
            tags.push(tag);
        }
    }

    /// Ends the current component.
    pub fn next_component(&mut self) {
        self.next_moment();
        self.trace.ends.push(self.trace.steps.len());
    }

    /// Builds the multi-trace; the remaining components are empty. The offsets refer to `source`.
    pub fn finish(self, source: SourceId) -> MultiTrace {
        self.finish_tagged(source).0
    }

    /// Builds the multi-trace; returns the tags of its steps, too, if they are kept.
    pub fn finish_tagged(mut self, source: SourceId) -> (MultiTrace, Vec<u32>) {
        self.next_moment();
        while self.trace.ends.len() < self.trace.partition.len() {
            self.trace.ends.push(self.trace.steps.len());
        }
        self.trace.offsets = self.starts.map(|starts| (source, starts));
        (self.trace, self.tags.unwrap_or_default())
    }
}

/// The actions of one moment in words: `a!m`, or `{a!m, b?m}`.
pub(crate) fn moment_text(actions: &[String]) -> String {
    match actions {
        [action] => action.clone(),
        actions => format!("{{{}}}", actions.join(", ")),
    }
}

fn range(ends: &IndexVec<ComponentId, usize>, component: ComponentId) -> std::ops::Range<usize> {
    let start = component.0.checked_sub(1).map_or(0, |before| ends[ComponentId(before)]);
    start..ends[component]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_are_completed_with_singletons() {
        let lists = |partition: &Partition| -> Vec<Vec<u32>> {
            partition
                .components()
                .map(|c| partition.lifelines(c).iter().map(|lifeline| lifeline.0).collect())
                .collect()
        };
        let ids = |numbers: &[u32]| numbers.iter().map(|&number| LifelineId(number)).collect();
        let partition = Partition::new(vec![ids(&[]), ids(&[3, 1, 3]), ids(&[1, 0])], 5);
        assert_eq!(lists(&partition), [vec![1, 3], vec![0], vec![2], vec![4]]);
        assert_eq!(partition.component_of(LifelineId(2)), ComponentId(2));
        assert!(!partition.is_discrete() && !partition.is_trivial());
        assert!(Partition::discrete(3).is_discrete());
        assert_eq!(lists(&Partition::trivial(2)), [vec![0, 1]]);
        assert!(Partition::trivial(0).is_empty());
    }

    #[test]
    fn moments_are_sorted_with_their_places() {
        let mut builder = Builder::new(Partition::discrete(2), 4, true);
        for (action, start) in [(7, 0), (5, 10), (6, 20)] {
            builder.push(ActionId(action), start);
        }
        builder.next_moment();
        builder.push(ActionId(1), 30);
        builder.next_component();
        let trace = builder.finish(SourceId(4));
        let first = ComponentId(0);
        let moments: Vec<Vec<u32>> = trace
            .moments(first)
            .map(|moment| moment.iter().map(|step| step.action().0).collect())
            .collect();
        assert_eq!(moments, [vec![5, 6, 7], vec![1]]);
        let places: Vec<u32> = (0..4).map(|i| trace.place(first, i).unwrap().1).collect();
        assert_eq!(places, [10, 20, 0, 30]);
        assert_eq!(trace.place(first, 4), None);
        assert!(trace.steps(ComponentId(1)).is_empty());
        assert_eq!(trace.without_places().place(first, 0), None);
    }

    #[test]
    fn a_step_is_four_bytes() {
        assert_eq!(size_of::<Step>(), 4);
    }
}
