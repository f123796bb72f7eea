//! A multi-trace prepared for matching.
//!
//! A *moment* is the set of actions observed at one time on one component, nearly always a
//! single action. Moments are interned, so that matching an event against the heads of the traces
//! compares numbers. An event matches if, on *every* component it touches, the next moment is
//! exactly the set of its actions there.

use otus_core::index::{Index as _, IndexVec};
use otus_core::{Action, ActionId, EventId, LifelineSet, MessageId, Pool};
use otus_trace::multitrace::{ComponentId, Step};
use otus_trace::{MultiTrace, Partition};
use rustc_hash::FxHashMap;

otus_core::define_id! {
    /// An interned set of actions observed at one time.
    pub(crate) MomentId;
}

/// A multi-trace as sequences of moments.
#[derive(Debug)]
pub(crate) struct Observation<'t> {
    trace: &'t MultiTrace,
    components: IndexVec<ComponentId, Vec<MomentId>>,
    moments: FxHashMap<Box<[ActionId]>, MomentId>,
    /// For interactions over letters.
    letters: Option<Lettered>,
    /// For each event: the components it touches, and its moment there (`None`: the multi-trace
    /// never has this moment).
    parts: FxHashMap<EventId, Parts>,
}

/// What the messages of letters are in the multi-trace.
#[derive(Debug, Default)]
struct Lettered {
    /// By message of a letter: that of its leaf.
    plain: Vec<MessageId>,
    /// The moments of the multi-trace, as actions without peers.
    moments: FxHashMap<Box<[Action]>, MomentId>,
}

/// The components an event touches, each with the moment that its actions form there.
pub(crate) type Parts = std::rc::Rc<[(ComponentId, Option<MomentId>)]>;

impl<'t> Observation<'t> {
    pub(crate) fn new(trace: &'t MultiTrace) -> Self {
        let mut moments: FxHashMap<Box<[ActionId]>, MomentId> = FxHashMap::default();
        let mut components = IndexVec::default();
        for component in trace.partition().components() {
            let observed = trace.moments(component).map(|moment| {
                let next = MomentId(u32::try_from(moments.len()).unwrap_or(u32::MAX));
                *moments.entry(sorted_actions(moment).into()).or_insert(next)
            });
            let observed: Vec<MomentId> = observed.collect();
            components.push(observed);
        }
        Observation { trace, components, moments, letters: None, parts: FxHashMap::default() }
    }

    /// The same for an interaction over letters: what a moment carries, and with whom, is tested with its guards.
    pub(crate) fn of_letters(trace: &'t MultiTrace, pool: &Pool) -> Self {
        let mut lettered = Lettered::default();
        let mut components = IndexVec::default();
        for component in trace.partition().components() {
            let observed = trace.moments(component).map(|moment| {
                let actions = moment.iter().map(|step| pool.action(step.action()).without_peer());
                let mut actions: Vec<Action> = actions.collect();
                actions.sort_unstable();
                let next = MomentId(u32::try_from(lettered.moments.len()).unwrap_or(u32::MAX));
                *lettered.moments.entry(actions.into()).or_insert(next)
            });
            let observed: Vec<MomentId> = observed.collect();
            components.push(observed);
        }
        let moments = FxHashMap::default();
        let letters = Some(lettered);
        Observation { trace, components, moments, letters, parts: FxHashMap::default() }
    }

    /// Tells the messages that letters stand for, from the first that is not known on.
    pub(crate) fn name(&mut self, count: usize, plain: impl Fn(MessageId) -> MessageId) {
        if let Some(Lettered { plain: known, .. }) = &mut self.letters {
            let new = (known.len()..count).map(|at| plain(MessageId::new(at)));
            known.extend(new);
        }
    }

    pub(crate) fn trace(&self) -> &'t MultiTrace {
        self.trace
    }

    pub(crate) fn moments(&self, component: ComponentId) -> &[MomentId] {
        &self.components[component]
    }

    /// The number of moments of all components.
    pub(crate) fn size(&self) -> usize {
        self.components.iter().map(Vec::len).sum()
    }

    /// The components an event touches, each with the moment that its actions form there.
    pub(crate) fn parts(&mut self, pool: &Pool, event: EventId) -> Parts {
        if let Some(parts) = self.parts.get(&event) {
            return parts.clone();
        }
        let parts: Parts = by_component(pool, self.trace.partition(), event)
            .into_iter()
            .map(|(component, actions)| (component, self.moment(pool, &actions)))
            .collect();
        self.parts.insert(event, parts.clone());
        parts
    }

    /// The moment that some actions of a component form.
    fn moment(&self, pool: &Pool, actions: &[ActionId]) -> Option<MomentId> {
        let Some(Lettered { plain, moments }) = &self.letters else {
            return self.moments.get(actions).copied();
        };
        let plain = actions.iter().map(|&action| {
            let action = pool.action(action);
            let message = plain.get(action.message.index()).copied();
            Action { message: message.unwrap_or(action.message), ..action }
        });
        let mut actions: Vec<Action> = plain.collect();
        actions.sort_unstable();
        moments.get(actions.as_slice()).copied()
    }
}

/// Every choice of the components that observe an event. Each component is given with whether it can
/// observe the event, and whether the event can be outside its period of observation.
pub(crate) fn observers<C: Copy>(parts: impl Iterator<Item = (C, bool, bool)>) -> Vec<Vec<C>> {
    let mut choices: Vec<Vec<C>> = vec![Vec::new()];
    for (component, sees, outside) in parts {
        let with = choices.iter().filter(|_| sees);
        let mut longer: Vec<Vec<C>> =
            with.map(|chosen| [chosen.as_slice(), &[component]].concat()).collect();
        longer.extend(choices.into_iter().filter(|_| outside));
        choices = longer;
    }
    choices
}

/// The lifelines of an event on the components that observe it.
pub(crate) fn observed_lifelines(
    pool: &Pool,
    partition: &Partition,
    event: EventId,
    observes: impl Fn(ComponentId) -> bool,
) -> LifelineSet {
    let lifelines = pool.region(pool.event_lifelines(event));
    lifelines.iter().filter(|&lifeline| observes(partition.component_of(lifeline))).collect()
}

pub(crate) fn sorted_actions(moment: &[Step]) -> Vec<ActionId> {
    let mut actions: Vec<ActionId> = moment.iter().map(|step| step.action()).collect();
    actions.sort_unstable();
    actions
}

/// The actions of an event by component that it touches, sorted within each component.
pub(crate) fn by_component(
    pool: &Pool,
    partition: &Partition,
    event: EventId,
) -> Vec<(ComponentId, Vec<ActionId>)> {
    let mut parts: Vec<(ComponentId, Vec<ActionId>)> = Vec::new();
    for &action in pool.event_actions(event) {
        let component = partition.component_of(pool.action(action).lifeline);
        match parts.iter_mut().find(|(known, _)| *known == component) {
            Some((_, actions)) => actions.push(action),
            None => parts.push((component, vec![action])),
        }
    }
    for (_, actions) in &mut parts {
        actions.sort_unstable();
    }
    parts
}
