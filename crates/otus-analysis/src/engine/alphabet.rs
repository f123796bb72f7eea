//! What components can observe, as small numbers.
//!
//! A component observes a moment: the actions of one event on its lifelines. Each pair of a
//! component and such a moment is a [`SymbolId`]; a multi-trace is read as symbols on the fly, so
//! that nothing is stored beside it. Moments that no event of the interaction shows have none.

use otus_core::index::Index as _;
use otus_core::{ActionId, EventId, LifelineSet, Pool};
use otus_trace::Partition;
use otus_trace::multitrace::{ComponentId, Step};
use rustc_hash::FxHashMap;

use super::store::{Leaf, LeafId, SymbolId};

/// The symbols of an interaction over a partition.
#[derive(Debug, Default)]
pub(crate) struct Alphabet {
    /// By action: the symbol of the moment that has this action alone.
    alone: Vec<Option<SymbolId>>,
    /// By action: the leaf that is observed as this action alone and as nothing else. It is what
    /// [`Alphabet::single`] says of the symbol, in one look-up: every action that is read asks for it.
    direct: Vec<Option<LeafId>>,
    /// The symbols of larger moments, whose actions are sorted.
    together: FxHashMap<Box<[ActionId]>, SymbolId>,
    /// By symbol: the action, if it is the moment of one alone.
    actions: Vec<Option<ActionId>>,
    /// By symbol: the leaf that is observed as this symbol and as nothing else, if there is one.
    pub(crate) single: Vec<Option<LeafId>>,
    /// By symbol: all leaves that have it as a part.
    pub(crate) leaves: Vec<Vec<LeafId>>,
    /// By component: all leaves that it can see.
    pub(crate) on: Vec<Vec<LeafId>>,
}

impl Alphabet {
    /// No symbols yet, for so many components.
    pub(crate) fn new(components: usize) -> Self {
        Alphabet { on: vec![Vec::new(); components], ..Alphabet::default() }
    }

    /// What each component sees of an event.
    pub(crate) fn parts(
        &mut self,
        pool: &Pool,
        partition: &Partition,
        event: EventId,
    ) -> Vec<Leaf> {
        let mut by_component: Vec<(ComponentId, Vec<ActionId>)> = Vec::new();
        for &action in pool.event_actions(event) {
            let component = partition.component_of(pool.action(action).lifeline);
            match by_component.iter_mut().find(|(known, _)| *known == component) {
                Some((_, actions)) => actions.push(action),
                None => by_component.push((component, vec![action])),
            }
        }
        let parts = by_component.into_iter().map(|(component, mut actions)| {
            actions.sort_unstable();
            let lifelines = actions.iter().map(|&action| pool.action(action).lifeline).collect();
            let symbol = self.intern(actions);
            Leaf { lifelines, parts: Box::new([(component, symbol)]) }
        });
        parts.collect()
    }

    /// One leaf of several parts.
    pub(crate) fn joined(parts: &[Leaf]) -> Leaf {
        let lifelines =
            parts.iter().fold(LifelineSet::EMPTY, |all, part| all.union(&part.lifelines));
        Leaf {
            lifelines,
            parts: parts.iter().flat_map(|part| part.parts.iter().copied()).collect(),
        }
    }

    /// Notes that a leaf exists.
    pub(crate) fn note(&mut self, id: LeafId, leaf: &Leaf) {
        for &(component, symbol) in &leaf.parts {
            if !self.on[component.index()].contains(&id) {
                self.on[component.index()].push(id);
            }
            let leaves = &mut self.leaves[symbol.index()];
            if !leaves.contains(&id) {
                leaves.push(id);
            }
            if leaf.parts.len() == 1 {
                self.single[symbol.index()] = Some(id);
                if let Some(action) = self.actions[symbol.index()] {
                    self.direct[action.index()] = Some(id);
                }
            }
        }
    }

    /// The symbol of the moment that begins a log, if it is known, and where the next one begins.
    #[inline]
    pub(crate) fn read(&self, log: &[Step]) -> (Option<SymbolId>, usize) {
        let [first, rest @ ..] = log else { return (None, 0) };
        if rest.first().is_none_or(|step| !step.joined()) {
            let symbol = self.alone.get(first.action().index()).copied().flatten();
            return (symbol, 1);
        }
        self.read_joint(log)
    }

    #[cold]
    fn read_joint(&self, log: &[Step]) -> (Option<SymbolId>, usize) {
        let length = 1 + log.iter().skip(1).take_while(|step| step.joined()).count();
        let actions: Vec<ActionId> = log[..length].iter().map(|step| step.action()).collect();
        (self.together.get(actions.as_slice()).copied(), length)
    }

    /// The leaf that is observed as the moment after so many actions of a log and nowhere else, if there
    /// is one, and where the next moment begins; `None` at the end.
    #[inline]
    pub(crate) fn leaf_at(&self, log: &[Step], at: u32) -> Option<(Option<LeafId>, u32)> {
        let start = at as usize;
        let first = log.get(start)?;
        match log.get(start + 1) {
            Some(next) if next.joined() => Some(self.joint_leaf_at(log, at)),
            _ => Some((self.direct(*first), at + 1)),
        }
    }

    /// The leaf that is observed as this action alone and nowhere else, if there is one.
    #[inline]
    pub(crate) fn direct(&self, step: Step) -> Option<LeafId> {
        self.direct.get(step.action().index()).copied().flatten()
    }

    #[cold]
    fn joint_leaf_at(&self, log: &[Step], at: u32) -> (Option<LeafId>, u32) {
        let (symbol, length) = self.read(&log[at as usize..]);
        let after = at + u32::try_from(length).unwrap_or(u32::MAX);
        (symbol.and_then(|symbol| self.single[symbol.index()]), after)
    }

    fn intern(&mut self, actions: Vec<ActionId>) -> SymbolId {
        let next = SymbolId::new(self.leaves.len());
        let alone = if let [only] = actions.as_slice() { Some(*only) } else { None };
        let found = if let [only] = actions.as_slice() {
            let index = only.index();
            if self.alone.len() <= index {
                self.alone.resize(index + 1, None);
                self.direct.resize(index + 1, None);
            }
            *self.alone[index].get_or_insert(next)
        } else {
            *self.together.entry(actions.into()).or_insert(next)
        };
        if found == next {
            self.leaves.push(Vec::new());
            self.actions.push(alone);
            self.single.push(None);
        }
        found
    }
}
