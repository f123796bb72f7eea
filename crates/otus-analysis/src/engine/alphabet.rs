//! The observations of components as small numbers.
//!
//! A component observes a moment: the actions of one event on its lifelines. Each pair of a
//! component and such a moment is a [`SymbolId`]. A multi-trace is translated to symbols while it
//! is read, so no translated copy is stored. Moments that no event of the interaction produces have
//! no symbol.

use otus_core::index::Index as _;
use otus_core::{ActionId, EventId, LifelineSet, Pool};
use otus_trace::Partition;
use otus_trace::multitrace::Step;
use rustc_hash::FxHashMap;

use super::store::{Leaf, LeafId, SymbolId};
use crate::observation::by_component;

#[derive(Debug, Default)]
pub(crate) struct Alphabet {
    moments: Moments,
    /// For each action: the leaf that is observed as this action and nowhere else. The same leaf as
    /// [`Alphabet::single`] of the action's symbol, but found in a single look-up, because every
    /// action that is read needs it.
    direct: Vec<Option<LeafId>>,
    /// For each symbol: the action, if its moment consists of a single one.
    actions: Vec<Option<ActionId>>,
    /// For each symbol: the leaf that is observed as this symbol and nowhere else, if there is one.
    pub(crate) single: Vec<Option<LeafId>>,
    /// For each symbol: all leaves that have it as a part.
    pub(crate) leaves: Vec<Vec<LeafId>>,
    /// For each component: all leaves that touch it.
    pub(crate) on: Vec<Vec<LeafId>>,
}

impl Alphabet {
    /// An alphabet without symbols, for this number of components.
    pub(crate) fn new(components: usize) -> Self {
        Alphabet { on: vec![Vec::new(); components], ..Alphabet::default() }
    }

    /// For each component that an event touches: the leaf of its actions there.
    pub(crate) fn parts(
        &mut self,
        pool: &Pool,
        partition: &Partition,
        event: EventId,
    ) -> Vec<Leaf> {
        let parts = by_component(pool, partition, event).into_iter().map(|(component, actions)| {
            let lifelines = actions.iter().map(|&action| pool.action(action).lifeline).collect();
            let symbol = self.intern(&actions);
            Leaf { lifelines, parts: Box::new([(component, symbol)]) }
        });
        parts.collect()
    }

    pub(crate) fn joined(parts: &[Leaf]) -> Leaf {
        let lifelines =
            parts.iter().fold(LifelineSet::EMPTY, |all, part| all.union(&part.lifelines));
        Leaf {
            lifelines,
            parts: parts.iter().flat_map(|part| part.parts.iter().copied()).collect(),
        }
    }

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

    /// The symbol of the first moment of a log, if it has one, and the start of the next moment.
    #[inline]
    pub(crate) fn read(&self, log: &[Step]) -> (Option<SymbolId>, usize) {
        let [first, rest @ ..] = log else { return (None, 0) };
        if rest.first().is_none_or(|step| !step.joined()) {
            return (self.moments.find_single(first.action()), 1);
        }
        let length = 1 + rest.iter().take_while(|step| step.joined()).count();
        (self.moments.find_joint(&log[..length]), length)
    }

    /// The leaf that is observed as the moment at this index of a log and nowhere else, if there is
    /// one, and the start of the next moment; `None` at the end.
    #[inline]
    pub(crate) fn leaf_at(&self, log: &[Step], at: u32) -> Option<(Option<LeafId>, u32)> {
        let start = at as usize;
        let first = log.get(start)?;
        match log.get(start + 1) {
            Some(next) if next.joined() => Some(self.joint_leaf_at(log, at)),
            _ => Some((self.direct(*first), at + 1)),
        }
    }

    /// The leaf that is observed as this action and nowhere else, if there is one.
    #[inline]
    pub(crate) fn direct(&self, step: Step) -> Option<LeafId> {
        self.direct_action(step.action())
    }

    /// The same for an action.
    #[inline]
    pub(crate) fn direct_action(&self, action: ActionId) -> Option<LeafId> {
        self.direct.get(action.index()).copied().flatten()
    }

    #[cold]
    fn joint_leaf_at(&self, log: &[Step], at: u32) -> (Option<LeafId>, u32) {
        let (symbol, length) = self.read(&log[at as usize..]);
        let after = at + u32::try_from(length).unwrap_or(u32::MAX);
        (symbol.and_then(|symbol| self.single[symbol.index()]), after)
    }

    fn intern(&mut self, actions: &[ActionId]) -> SymbolId {
        let found = self.moments.intern(actions);
        if found.index() == self.leaves.len() {
            let only = if let [only] = actions { Some(*only) } else { None };
            self.direct.resize(self.moments.by_action.len(), None);
            self.leaves.push(Vec::new());
            self.actions.push(only);
            self.single.push(None);
        }
        found
    }
}

#[derive(Debug, Default)]
pub(super) struct Moments {
    /// For each action: the symbol of the moment that consists of this action.
    by_action: Vec<Option<SymbolId>>,
    /// The symbols of moments with several actions, which are sorted.
    together: FxHashMap<Box<[ActionId]>, SymbolId>,
    count: usize,
}

impl Moments {
    /// The symbol of a set of actions, which is created if there is none yet.
    pub(super) fn intern(&mut self, actions: &[ActionId]) -> SymbolId {
        let next = SymbolId::new(self.count);
        let found = if let [only] = actions {
            if self.by_action.len() <= only.index() {
                self.by_action.resize(only.index() + 1, None);
            }
            *self.by_action[only.index()].get_or_insert(next)
        } else {
            *self.together.entry(actions.into()).or_insert(next)
        };
        self.count += usize::from(found == next);
        found
    }

    /// The symbol of a moment, if it has one.
    pub(super) fn find(&self, moment: &[Step]) -> Option<SymbolId> {
        if let [only] = moment { self.find_single(only.action()) } else { self.find_joint(moment) }
    }

    #[inline]
    fn find_single(&self, action: ActionId) -> Option<SymbolId> {
        self.by_action.get(action.index()).copied().flatten()
    }

    #[cold]
    fn find_joint(&self, moment: &[Step]) -> Option<SymbolId> {
        let actions: Vec<ActionId> = moment.iter().map(|step| step.action()).collect();
        self.together.get(actions.as_slice()).copied()
    }
}
