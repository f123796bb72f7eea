//! Turns a run into a word of message passings.
//!
//! An emission and its receptions are one *unit*, drawn as one arrow. The lifelines that units
//! share order them. If that order has no cycle, `seq` of the units in any compatible order accepts
//! exactly the run, up to the order of lifelines that only share a clock.
//!
//! A cycle means that messages cross or overtake each other. The units of a cycle become one unit,
//! `coreg_r1(u1, coreg_r2(u2, …))`, in the order of their emissions, where r of each unit are the
//! lifelines on which its reception comes after an action of a later unit. *This term accepts the
//! run*: in the order of the replay, every action of a later unit that comes before one of an
//! earlier unit is on such a lifeline. The term also accepts the other order there. If that is not
//! wanted, or a cycle is long (such a coregion would allow almost everything), the units are split
//! into their emission and their receptions instead, which is exact but has no arrow.
//!
//! A unit that lacks its other end may know its peer. If that lifeline is *silent* (it has no log),
//! the passing is drawn as if that lifeline had taken part: an analysis treats the lifeline as
//! unobserved, so this requires no event that was not observed. If an observed lifeline did not
//! receive an emission, the message was lost; the action keeps the peer, so that the drawing shows
//! to whom the message was sent.
//!
//! The word is canonical: runs that differ only in the order of concurrent events have the same
//! word. After a unit comes the next unit of its sender, or else of its receiver, if that unit is
//! possible; otherwise the smallest possible unit. Possible units are never equal, because equal
//! units share lifelines.

use std::collections::{BTreeMap, BTreeSet};

use otus_core::algebra::simplify::{coreg, strict};
use otus_core::index::Index as _;
use otus_core::{Action, LifelineId, LifelineSet, MessageId, Pool, TermId};

use super::graph::{component_of, components};
use super::note::Notes;
use super::pairing::{Node, PairedRun, Role};
use super::{Crossings, NoteKind, Options};

/// Cycles of more units than this are split.
const LARGE: usize = 8;

/// The number of rounds after which all units of a large cycle are split.
const ROUNDS: usize = 8;

/// The word of a run; its letters are terms.
pub(super) fn word(
    pool: &mut Pool,
    number: usize,
    paired: &PairedRun,
    options: &Options,
    tangles: &mut Tangles,
    notes: &mut Notes,
) -> Vec<TermId> {
    let mut units = Units::new(pool, paired, &options.silent);
    let mut round = 0;
    let groups = loop {
        let groups = units.cycles();
        let large = match options.crossings {
            Crossings::Coregion => LARGE,
            Crossings::Split => 1,
        };
        let apart: Vec<usize> = groups
            .iter()
            .filter(|group| group.len() > large)
            .flat_map(|group| units.to_split(pool, group, round >= ROUNDS))
            .collect();
        if apart.is_empty() {
            break groups;
        }
        for unit in apart {
            let message = paired.nodes[units.members[unit][0]].message;
            notes.add(NoteKind::Split(message), number);
            units.split(unit);
        }
        round += 1;
    };
    for (node, at) in paired.nodes.iter().enumerate() {
        if !units.lacks_end(node) || at.role == Role::Whole {
            continue;
        }
        let kind = match units.silent_peer(pool, node) {
            Some(peer) => NoteKind::Silent(peer),
            None => NoteKind::Unpaired(paired.actions(node)[0]),
        };
        notes.add(kind, number);
    }
    let letters: Vec<UnitLetter> = groups.iter().map(|group| units.letter(pool, group)).collect();
    for (group, letter) in groups.iter().zip(&letters) {
        if group.len() > 1 {
            let messages = group.iter().map(|&unit| paired.nodes[units.members[unit][0]].message);
            let messages: BTreeSet<MessageId> = messages.collect();
            let messages = messages.into_iter().collect();
            notes.add(NoteKind::Crossing(messages, letter.term), number);
            let each = group.iter().map(|&unit| units.unit_term(pool, unit)).collect();
            tangles.known.insert(each, letter.term);
        }
    }
    units.arrange(&groups, &letters)
}

/// A measure of how badly a run can be drawn with these pairs: the number of nodes without a
/// counterpart plus the number of units in cycles.
pub(super) fn trouble(pool: &Pool, paired: &PairedRun) -> usize {
    let units = Units::new(pool, paired, &LifelineSet::EMPTY);
    let alone = |node: &usize| units.lacks_end(*node) && paired.nodes[*node].role != Role::Whole;
    let cycles = units.cycles();
    let crossing: usize = cycles.iter().map(Vec::len).filter(|&count| count > 1).sum();
    crossing + (0..paired.nodes.len()).filter(alone).count()
}

/// The coregions of all runs, by their units.
#[derive(Debug, Default)]
pub(super) struct Tangles {
    known: BTreeMap<Vec<TermId>, TermId>,
}

impl Tangles {
    /// Replaces consecutive units that form a known coregion by that coregion, which also allows
    /// their order.
    pub(super) fn find(&self, word: Vec<TermId>) -> Vec<TermId> {
        if self.known.is_empty() {
            return word;
        }
        let mut found = Vec::with_capacity(word.len());
        let mut rest = word.as_slice();
        while let Some((&first, others)) = rest.split_first() {
            // Coregions with the same first unit are adjacent in the map; the longest is preferred.
            let alike = self.known.range(vec![first]..).take_while(|(units, _)| units[0] == first);
            let fitting = alike.filter(|(units, _)| rest.starts_with(units));
            if let Some((units, &term)) = fitting.max_by_key(|(units, _)| units.len()) {
                found.push(term);
                rest = &rest[units.len()..];
            } else {
                found.push(first);
                rest = others;
            }
        }
        found
    }
}

struct Units<'p> {
    paired: &'p PairedRun,
    /// The lifelines that have no log.
    silent: &'p LifelineSet,
    /// For each unit: its nodes, the emission first.
    members: Vec<Vec<usize>>,
    /// For each node: its unit.
    unit_of: Vec<usize>,
    was_split: Vec<bool>,
    /// For each lifeline: its nodes in order.
    on: Vec<Vec<usize>>,
    /// For each node: its index in the replay.
    time: Vec<usize>,
}

/// A letter of a word, with the key by which letters are ordered.
struct UnitLetter {
    term: TermId,
    key: (LifelineId, MessageId, TermId),
    lifelines: Vec<LifelineId>,
}

impl<'p> Units<'p> {
    fn new(pool: &Pool, paired: &'p PairedRun, silent: &'p LifelineSet) -> Self {
        let count = paired.nodes.len();
        let mut units = Units {
            paired,
            silent,
            members: Vec::new(),
            unit_of: vec![usize::MAX; count],
            was_split: vec![false; count],
            on: vec![Vec::new(); pool.signature().lifeline_count()],
            time: vec![0; count],
        };
        // In the replay an emission comes before its receptions.
        for (time, &node) in paired.order.iter().enumerate() {
            units.time[node] = time;
            let unit = paired.sender[node].map_or(units.members.len(), |from| units.unit_of[from]);
            if unit == units.members.len() {
                units.members.push(Vec::new());
            }
            units.members[unit].push(node);
            units.unit_of[node] = unit;
            for lifeline in paired.lifelines(node, pool) {
                units.on[lifeline.index()].push(node);
            }
        }
        units
    }

    fn split(&mut self, unit: usize) {
        let rest: Vec<usize> = self.members[unit].drain(1..).collect();
        self.was_split[self.members[unit][0]] = true;
        for node in rest {
            self.was_split[node] = true;
            self.unit_of[node] = self.members.len();
            self.members.push(vec![node]);
        }
    }

    /// For each unit: the units that follow it on a lifeline.
    fn followers(&self) -> Vec<Vec<usize>> {
        let mut followers = vec![Vec::new(); self.members.len()];
        for nodes in &self.on {
            for pair in nodes.windows(2) {
                let (unit, next) = (self.unit_of[pair[0]], self.unit_of[pair[1]]);
                if unit != next {
                    followers[unit].push(next);
                }
            }
        }
        followers
    }

    /// The strongly connected components of the units. The units of a component are sorted by the
    /// time of their emission.
    fn cycles(&self) -> Vec<Vec<usize>> {
        let mut groups = components(&self.followers());
        for group in &mut groups {
            group.sort_unstable_by_key(|&unit| self.time[self.members[unit][0]]);
        }
        groups
    }

    /// The times and lifelines of the actions of a unit.
    fn places<'u>(
        &'u self,
        pool: &'u Pool,
        unit: usize,
    ) -> impl Iterator<Item = (usize, LifelineId)> + 'u {
        self.members[unit].iter().flat_map(move |&node| {
            self.paired.lifelines(node, pool).map(move |lifeline| (self.time[node], lifeline))
        })
    }

    /// For each unit of a cycle: the lifelines on which it comes after an action of a later unit.
    fn overtaken(&self, pool: &Pool, group: &[usize]) -> Vec<LifelineSet> {
        // For each lifeline: the time of the first action of a later unit.
        let mut first: BTreeMap<LifelineId, usize> = BTreeMap::new();
        let mut found: Vec<LifelineSet> = Vec::with_capacity(group.len());
        for &unit in group.iter().rev() {
            let mut region = LifelineSet::EMPTY;
            for (time, lifeline) in self.places(pool, unit) {
                if first.get(&lifeline).is_some_and(|&first| first < time) {
                    region.insert(lifeline);
                }
            }
            for (time, lifeline) in self.places(pool, unit) {
                let first = first.entry(lifeline).or_insert(usize::MAX);
                *first = time.min(*first);
            }
            found.push(region);
        }
        found.reverse();
        found
    }

    /// The units of a cycle that are to be split.
    fn to_split(&self, pool: &Pool, group: &[usize], all: bool) -> Vec<usize> {
        let overtaken = self.overtaken(pool, group);
        let units = group.iter().zip(overtaken);
        let chosen = units
            .filter(|(unit, region)| self.members[**unit].len() > 1 && (all || !region.is_empty()));
        chosen.map(|(&unit, _)| unit).collect()
    }

    /// The letter of the units of a cycle, or of a single unit.
    fn letter(&self, pool: &mut Pool, group: &[usize]) -> UnitLetter {
        let mut lifelines: Vec<LifelineId> = Vec::new();
        for &unit in group {
            for (_, lifeline) in self.places(pool, unit) {
                if !lifelines.contains(&lifeline) {
                    lifelines.push(lifeline);
                }
            }
        }
        let overtaken = if group.len() > 1 { self.overtaken(pool, group) } else { Vec::new() };
        let mut term = Pool::EMPTY;
        for (index, &unit) in group.iter().enumerate().rev() {
            let own = self.unit_term(pool, unit);
            let region = overtaken.get(index).map_or(Pool::NONE, |set| pool.intern_region(set));
            term = coreg(pool, region, own, term);
        }
        let first = self.members[group[0]][0];
        let action = pool.action(self.paired.actions(first)[0]);
        UnitLetter { term, key: (action.lifeline, action.message, term), lifelines }
    }

    /// The term of a unit: an emission before its receptions, or a single node.
    fn unit_term(&self, pool: &mut Pool, unit: usize) -> TermId {
        let mut nodes = self.members[unit].clone();
        let lifeline = |pool: &Pool, node: usize| self.paired.lifelines(node, pool).next();
        nodes[1..].sort_by_key(|&node| lifeline(pool, node));
        let mut received = Pool::EMPTY;
        for &node in nodes[1..].iter().rev() {
            let reception = self.event(pool, node);
            received = coreg(pool, Pool::NONE, reception, received);
        }
        let sent = self.event(pool, nodes[0]);
        let Some(peer) = self.silent_peer(pool, nodes[0]) else {
            return strict(pool, sent, received);
        };
        let Node { message, role, .. } = self.paired.nodes[nodes[0]];
        let (action, is_sent) = match role {
            Role::Receive => (Action::emission(peer, message), false),
            Role::Send | Role::Whole => (Action::reception(peer, message), true),
        };
        let event = pool.intern_event(&[action]);
        let other = pool.event(event);
        if is_sent { strict(pool, sent, other) } else { strict(pool, other, sent) }
    }

    /// Whether a node has no counterpart, for another reason than that its message crossed others.
    fn lacks_end(&self, node: usize) -> bool {
        self.members[self.unit_of[node]].len() == 1 && !self.was_split[node]
    }

    /// The other end of a node without a counterpart, if that is a silent lifeline.
    fn silent_peer(&self, pool: &Pool, node: usize) -> Option<LifelineId> {
        let peer = self.paired.peer(node, pool).filter(|&peer| self.silent.contains(peer))?;
        (self.lacks_end(node) && self.paired.nodes[node].role != Role::Whole).then_some(peer)
    }

    fn event(&self, pool: &mut Pool, node: usize) -> TermId {
        let lost = self.lacks_end(node) && self.paired.nodes[node].role == Role::Send;
        let lost = lost && self.silent_peer(pool, node).is_none();
        let lost = lost && self.paired.peer(node, pool).is_some();
        let actions = self.paired.actions(node).iter().map(|&action| pool.action(action));
        let actions: Vec<Action> =
            actions.map(|action| if lost { action } else { action.without_peer() }).collect();
        let event = pool.intern_event(&actions);
        pool.event(event)
    }

    /// Sorts the letters canonically.
    fn arrange(&self, groups: &[Vec<usize>], letters: &[UnitLetter]) -> Vec<TermId> {
        let group_of = component_of(groups, self.members.len());
        // For each lifeline: its remaining groups, the next one last.
        let mut rest: Vec<Vec<usize>> = self
            .on
            .iter()
            .map(|nodes| {
                let mut all: Vec<usize> =
                    nodes.iter().rev().map(|&node| group_of[self.unit_of[node]]).collect();
                all.dedup();
                all
            })
            .collect();
        // For each group: the number of its lifelines on which it is not the next one.
        let mut blocked: Vec<usize> = letters.iter().map(|letter| letter.lifelines.len()).collect();
        let mut ready: BTreeSet<((LifelineId, MessageId, TermId), usize)> = BTreeSet::new();
        let advance = |group: usize, blocked: &mut [usize], ready: &mut BTreeSet<_>| {
            blocked[group] -= 1;
            if blocked[group] == 0 {
                ready.insert((letters[group].key, group));
            }
        };
        for &group in rest.iter().filter_map(|groups| groups.last()) {
            advance(group, &mut blocked, &mut ready);
        }
        let mut word = Vec::with_capacity(groups.len());
        let mut last: Option<usize> = None;
        loop {
            let near = last.and_then(|last| {
                let lifelines = letters[last].lifelines.iter();
                let next = lifelines.filter_map(|lifeline| {
                    let &next = rest[lifeline.index()].last()?;
                    (blocked[next] == 0 && letters[next].key.0 == *lifeline).then_some(next)
                });
                next.into_iter().next()
            });
            let Some(group) = near.or_else(|| ready.first().map(|&(_, group)| group)) else {
                return word;
            };
            ready.remove(&(letters[group].key, group));
            word.push(letters[group].term);
            for lifeline in &letters[group].lifelines {
                let rest = &mut rest[lifeline.index()];
                rest.pop();
                if let Some(&next) = rest.last() {
                    advance(next, &mut blocked, &mut ready);
                }
            }
            last = Some(group);
        }
    }
}
