//! Logs as words over letters, on which edits work.
//!
//! A letter is an interned set of actions observed at one time on one component. The letters that
//! the interaction can produce on a component are its *vocabulary*; no execution explains any other
//! letter.

use std::rc::Rc;
use std::sync::Arc;

use otus_core::algebra::simplify;
use otus_core::index::Index as _;
use otus_core::intern::Interner;
use otus_core::{ActionId, Direction, EventId, LifelineSet, MessageId, Pool, Term, TermId};
use otus_syntax::SourceId;
use otus_trace::multitrace::Builder;
use otus_trace::{ComponentId, MultiTrace, Partition};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::engine::coupling;
use crate::observation::{by_component, sorted_actions};

otus_core::define_id! {
    pub(super) Letter;
}

/// For each component: its log. Edited copies share the unchanged logs.
pub(super) type Logs = Vec<Rc<[Letter]>>;

#[derive(Debug)]
pub(super) struct Letters {
    pub(super) partition: Arc<Partition>,
    sets: Interner<Letter, Box<[ActionId]>>,
    /// For each component: its vocabulary, in order, each letter with the events that look like it.
    vocabulary: Vec<Vec<(Letter, Vec<EventId>)>>,
    /// The index of a letter in the vocabulary of a component.
    places: FxHashMap<(usize, Letter), usize>,
    /// For each action: the emissions of the message that it receives, or the receptions of the
    /// message that it emits.
    counterparts: FxHashMap<ActionId, Vec<ActionId>>,
    /// For each emission: the number of message passings that have it.
    passings: FxHashMap<ActionId, usize>,
    /// For each emission and reception: the number of message passings that have both.
    shared: FxHashMap<(ActionId, ActionId), usize>,
    pub(super) messages: FxHashSet<MessageId>,
    /// The lifelines of the interaction.
    pub(super) lifelines: LifelineSet,
}

impl Letters {
    pub(super) fn new(pool: &mut Pool, term: TermId, trace: &MultiTrace) -> (Self, Logs) {
        let term = simplify(pool, term);
        let partition = trace.shared_partition().clone();
        let mut letters = Letters {
            vocabulary: vec![Vec::new(); partition.len()],
            partition,
            sets: Interner::default(),
            places: FxHashMap::default(),
            counterparts: FxHashMap::default(),
            passings: FxHashMap::default(),
            shared: FxHashMap::default(),
            messages: FxHashSet::default(),
            lifelines: pool.lifelines(term),
        };
        letters.read_term(pool, term);
        let logs = letters.partition.clone().components().map(|component| {
            let moments = trace.moments(component);
            moments.map(|moment| letters.sets.intern(sorted_actions(moment).into())).collect()
        });
        let logs = logs.collect();
        (letters, logs)
    }

    pub(super) fn actions(&self, letter: Letter) -> &[ActionId] {
        &self.sets.items[letter]
    }

    /// The letters that the interaction can produce on a component, each with its events.
    pub(super) fn vocabulary(&self, component: usize) -> &[(Letter, Vec<EventId>)] {
        &self.vocabulary[component]
    }

    /// The events of the interaction that a component observes as this letter.
    pub(super) fn events(&self, component: usize, letter: Letter) -> &[EventId] {
        let place = self.places.get(&(component, letter));
        place.map_or(&[], |&at| &self.vocabulary[component][at].1)
    }

    /// The components that an event touches, in order, each with the letter that it observes of it.
    pub(super) fn parts(&self, pool: &Pool, event: EventId) -> Vec<(usize, Option<Letter>)> {
        let mut parts = by_component(pool, &self.partition, event);
        parts.sort_unstable();
        let letter = |(component, actions): (ComponentId, Vec<ActionId>)| {
            (component.index(), self.find(&actions))
        };
        parts.into_iter().map(letter).collect()
    }

    /// The other ends of an action in the interaction: the receptions of the message that it emits,
    /// or the emissions of the message that it receives.
    pub(super) fn counterparts(&self, action: ActionId) -> &[ActionId] {
        self.counterparts.get(&action).map_or(&[], Vec::as_slice)
    }

    /// Whether every message passing of an emission has this reception, possibly among others.
    pub(super) fn always_reaches(&self, emission: ActionId, reception: ActionId) -> bool {
        let all = self.passings.get(&emission);
        all.is_some() && all == self.shared.get(&(emission, reception))
    }

    pub(super) fn trace(&self, logs: &Logs) -> MultiTrace {
        let size = logs.iter().map(|log| log.len()).sum();
        let mut builder = Builder::new(self.partition.clone(), size, false);
        for log in logs {
            for &letter in log.iter() {
                builder.next_moment();
                for &action in self.actions(letter) {
                    builder.push(action, 0);
                }
            }
            builder.next_component();
        }
        builder.finish(SourceId(0))
    }

    pub(super) fn moments(&self, letters: &[Letter]) -> Vec<Box<[ActionId]>> {
        letters.iter().map(|&letter| self.actions(letter).into()).collect()
    }

    pub(super) fn find(&self, actions: &[ActionId]) -> Option<Letter> {
        self.sets.find_as(&actions, |known| **known == *actions)
    }

    fn read_term(&mut self, pool: &Pool, term: TermId) {
        let nodes: Vec<Term> =
            coupling::parts(pool, term).into_iter().map(|part| pool.node(part)).collect();
        let mut events: Vec<EventId> = nodes.iter().filter_map(|node| node.as_event()).collect();
        let mut passings: Vec<_> = nodes.iter().filter_map(|node| node.as_strict()).collect();
        events.sort_unstable();
        for event in events {
            let actions = pool.event_actions(event).to_vec();
            self.messages.extend(actions.iter().map(|&action| pool.action(action).message));
            self.pair(pool, &actions, &actions);
            let mut parts = by_component(pool, &self.partition, event);
            parts.sort_unstable();
            for (component, own) in parts {
                let component = component.index();
                let letter = self.sets.intern(own.into());
                let list = &mut self.vocabulary[component];
                let at = *self.places.entry((component, letter)).or_insert(list.len());
                if at == list.len() {
                    list.push((letter, Vec::new()));
                }
                list[at].1.push(event);
            }
        }
        passings.sort_unstable();
        for (left, right) in passings {
            if let (Some(sent), Some(received)) = (leaf(pool, left), receptions(pool, right)) {
                self.pair(pool, &sent, &received);
            }
        }
    }

    /// Records emissions and receptions of the same message as each other's counterparts.
    fn pair(&mut self, pool: &Pool, sent: &[ActionId], received: &[ActionId]) {
        for &one in sent {
            let from = pool.action(one);
            let receives = |other: &&ActionId| {
                let to = pool.action(**other);
                to.direction == Direction::Reception && to.message == from.message
            };
            if from.direction != Direction::Emission || !received.iter().any(|to| receives(&to)) {
                continue;
            }
            *self.passings.entry(one).or_insert(0) += 1;
            for &other in received.iter().filter(receives) {
                *self.shared.entry((one, other)).or_insert(0) += 1;
                for (of, is) in [(one, other), (other, one)] {
                    let list = self.counterparts.entry(of).or_default();
                    if !list.contains(&is) {
                        list.push(is);
                    }
                }
            }
        }
    }
}

fn leaf(pool: &Pool, term: TermId) -> Option<Vec<ActionId>> {
    pool.node(term).as_event().map(|event| pool.event_actions(event).to_vec())
}

/// The actions of a chain of receptions, which is the right operand of a message passing. `None`
/// for any other term, and for a chain that is longer than a list of targets can be.
fn receptions(pool: &Pool, term: TermId) -> Option<Vec<ActionId>> {
    let mut found = Vec::new();
    let mut rest = term;
    for _ in 0..1000 {
        if let Some(last) = leaf(pool, rest) {
            found.extend(last);
            return Some(found);
        }
        let Term::Coreg(_, first, others) = pool.node(rest) else { return None };
        found.extend(leaf(pool, first)?);
        rest = others;
    }
    None
}
