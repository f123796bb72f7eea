//! From the events of an explanation to a witness: positions, and values.
//!
//! An engine that says Yes knows which leaf each moment of the logs was, and which events happened unobserved, in some order
//! (its *path*). Here the path is replayed on the term over [letters](otus_core::letters). For each event the positions of its
//! leaf are tried: letters whose instances have fitting values first, then the nearest loop that can begin an iteration.
//! A position is wrong only where the same leaf occurs twice with the same values, so that going back is rare;
//! it is bounded by the budget.
//!
//! What guards say of logged values is decided at once. What they say of others is collected, and solved at the end for each
//! set of connected variables by itself.
//!
//! A path that follows decoupled components one at a time is in no global order; of its events the first that can
//! happen does.

use std::collections::BTreeMap;

use otus_core::algebra::{Memo, simplify};
use otus_core::index::Index as _;
use otus_core::letters::{InstanceId, LetterId, Letters, Variables};
use otus_core::semantics::terminates;
use otus_core::valued::{ValuedId, VariableId};
use otus_core::{LifelineSet, Pool, TermId, Value};
use otus_trace::ComponentId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::observation::{Moment, Problem};
use super::positions::{Position, Positions, has_instances};
use super::valuation::{Event, Store};
use super::witness::{ValuedWitness, parts};
use crate::budget::Meter;
use crate::witness::{Witness, WitnessEvent};

/// An event of an explanation.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) leaf: ValuedId,
    /// By component of the event: the moment that it is there, or `None` if it is unobserved.
    pub(super) ends: SmallVec<[(usize, Moment); 2]>,
    /// The variable that tells its session from others, and its value, if the engine knows.
    pub(super) key: Option<(VariableId, Value)>,
    /// Its position, if the engine knows it.
    pub(super) position: Option<Position>,
}

/// The events of an explanation.
#[derive(Debug, Clone, Default)]
pub(super) struct Path {
    pub(super) items: Vec<Item>,
    /// Whether they are in a global order; otherwise they are in order on each component.
    pub(super) is_ordered: bool,
}

/// The most positions of a leaf that are tried.
const MANY: usize = 32;

/// The witness of a path; `None` if none is found within the budget.
pub(super) fn construct(
    problem: &Problem<'_>,
    pool: &mut Pool,
    path: &Path,
    meter: &mut Meter<'_>,
) -> Option<ValuedWitness> {
    let (mut letters, term) = Letters::new(pool, problem.valued)?;
    let term = simplify(&mut letters.pool, term);
    let replay = Replay {
        problem,
        path,
        letters,
        memo: Memo::default(),
        positions: Positions::default(),
        by_leaf: FxHashMap::default(),
        by_instance: FxHashMap::default(),
        known_letters: 0,
        next: Next::new(path, problem.trace.partition().len()),
        store: Store::new(problem),
    };
    replay.run(pool, term, meter)
}

/// Which items have not happened yet.
struct Next {
    /// By component: its items, in order; and how many of them have happened.
    queues: Vec<(Vec<usize>, usize)>,
    done: usize,
}

impl Next {
    fn new(path: &Path, components: usize) -> Self {
        let mut queues = vec![(Vec::new(), 0); components];
        for (at, item) in path.items.iter().enumerate() {
            for &(component, _) in &item.ends {
                queues[component].0.push(at);
            }
        }
        Next { queues, done: 0 }
    }

    /// The items that may be next, in their order.
    fn fronts(&self, path: &Path) -> Vec<usize> {
        if path.is_ordered {
            return (self.done < path.items.len()).then_some(self.done).into_iter().collect();
        }
        let front = |(items, done): &(Vec<usize>, usize)| items.get(*done).copied();
        let is_front = |&item: &usize| {
            let mut ends = path.items[item].ends.iter();
            ends.all(|&(component, _)| front(&self.queues[component]) == Some(item))
        };
        let mut found: Vec<usize> = self.queues.iter().filter_map(front).filter(is_front).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    fn advance(&mut self, item: &Item, forwards: bool) {
        for &(component, _) in &item.ends {
            let done = &mut self.queues[component].1;
            *done = if forwards { *done + 1 } else { *done - 1 };
        }
        self.done = if forwards { self.done + 1 } else { self.done - 1 };
    }
}

/// A point of the replay to which it may go back.
struct Frame {
    term: TermId,
    fronts: std::vec::IntoIter<usize>,
    /// The item that is tried, and its positions.
    item: usize,
    positions: std::vec::IntoIter<Position>,
    /// The state of the store before the item.
    mark: usize,
}

/// A step that was taken.
struct Taken {
    item: usize,
    position: Position,
    letter: LetterId,
}

struct Replay<'r, 'p> {
    problem: &'r Problem<'p>,
    path: &'r Path,
    letters: Letters,
    memo: Memo,
    positions: Positions,
    /// By leaf: its letters with instances so far.
    by_leaf: FxHashMap<ValuedId, Vec<LetterId>>,
    /// The same by leaf and one of their instances.
    by_instance: FxHashMap<(ValuedId, InstanceId), Vec<LetterId>>,
    known_letters: usize,
    next: Next,
    store: Store<'r, 'p>,
}

impl Replay<'_, '_> {
    fn run(
        mut self,
        pool: &mut Pool,
        term: TermId,
        meter: &mut Meter<'_>,
    ) -> Option<ValuedWitness> {
        let mut frames = vec![self.frame(term)];
        let mut taken: Vec<Taken> = Vec::new();
        while let Some(frame) = frames.last_mut() {
            if meter.count().is_some() {
                return None;
            }
            let term = frame.term;
            if taken.len() == self.path.items.len()
                && terminates(&self.letters.pool, term)
                && let Some(witness) = self.finish(pool, &taken)
            {
                return Some(witness);
            }
            if let Some(position) = frame.positions.next() {
                let item = frame.item;
                if let Some((letter, after)) = self.step(term, item, &position) {
                    self.next.advance(&self.path.items[item], true);
                    taken.push(Taken { item, position, letter });
                    let next = self.frame(after);
                    frames.push(next);
                }
            } else if let Some(item) = frame.fronts.next() {
                frame.item = item;
                let positions = self.candidates(term, item);
                if let Some(frame) = frames.last_mut() {
                    frame.positions = positions.into_iter();
                }
            } else {
                frames.pop();
                if let (Some(before), Some(frame)) = (taken.pop(), frames.last()) {
                    self.next.advance(&self.path.items[before.item], false);
                    self.store.undo(frame.mark);
                }
            }
        }
        None
    }

    fn frame(&mut self, term: TermId) -> Frame {
        self.index();
        Frame {
            term,
            fronts: self.next.fronts(self.path).into_iter(),
            item: 0,
            positions: Vec::new().into_iter(),
            mark: self.store.mark(),
        }
    }

    /// Finds the letters that are new.
    fn index(&mut self) {
        for letter in (self.known_letters..self.letters.letter_count()).map(LetterId::new) {
            if has_instances(&self.letters, letter) {
                let leaf = self.letters.letter(letter).leaf;
                self.by_leaf.entry(leaf).or_default().push(letter);
                for variable in self.letters.variables(leaf).to_vec() {
                    if let Some(instance) = self.letters.argument(letter, variable) {
                        self.by_instance.entry((leaf, instance)).or_default().push(letter);
                    }
                }
            }
        }
        self.known_letters = self.letters.letter_count();
    }

    /// The positions at which an item may happen, the likeliest first.
    fn candidates(&mut self, term: TermId, item: usize) -> Vec<Position> {
        let Item { leaf, position, .. } = &self.path.items[item];
        if let Some(position) = position {
            return vec![position.clone()];
        }
        let leaf = *leaf;
        let mut found = Vec::new();
        let event = self.event(item);
        let fits = |letter: &&LetterId| self.store.may_be(&self.letters, **letter, &event);
        // Sessions with a key are found by it.
        let fitting: Vec<LetterId> = match &self.path.items[item].key {
            Some((variable, value)) => {
                let sessions = self.store.told(*variable, value);
                let known = sessions.filter_map(|it| self.by_instance.get(&(leaf, it)));
                known.flatten().filter(fits).copied().collect()
            }
            None => {
                let known = self.by_leaf.get(&leaf).map_or(&[][..], Vec::as_slice);
                known.iter().filter(fits).copied().collect()
            }
        };
        for letter in fitting {
            found.extend(self.positions.of_letter(&mut self.letters, term, letter, MANY));
        }
        found.extend(self.positions.of_leaf(&self.letters, term, leaf, MANY));
        found
    }

    fn event(&self, item: usize) -> Event {
        let Item { leaf, ends, key, .. } = &self.path.items[item];
        Event::new(self.problem, item, *leaf, ends, key.clone())
    }

    fn step(
        &mut self,
        term: TermId,
        item: usize,
        position: &Position,
    ) -> Option<(LetterId, TermId)> {
        let (letter, after) = self.letters.step(&mut self.memo, term, position.iter().copied())?;
        if self.letters.letter(letter).leaf != self.path.items[item].leaf {
            return None;
        }
        let event = self.event(item);
        let mark = self.store.mark();
        if self.store.happen(&self.letters, letter, &event) {
            return Some((letter, after));
        }
        self.store.undo(mark);
        None
    }

    /// The witness of the steps that were taken, if there are values for it.
    fn finish(&self, pool: &mut Pool, taken: &[Taken]) -> Option<ValuedWitness> {
        let order: Vec<usize> = taken.iter().map(|taken| taken.item).collect();
        let solved = self.store.solve(&self.letters, &order)?;
        // Letters are numbered as a checker numbers them.
        let (mut letters, term) = Letters::new(pool, self.problem.valued)?;
        let mut term = simplify(&mut letters.pool, term);
        let mut memo = Memo::default();
        let mut variables = BTreeMap::new();
        let (mut steps, mut leaves) = (Vec::new(), Vec::new());
        for Taken { item, position, letter } in taken {
            let (again, after) = letters.step(&mut memo, term, position.iter().copied())?;
            term = after;
            for (old, new) in
                instances(&self.letters, *letter).iter().zip(instances(&letters, again))
            {
                if let Some(value) = solved.instances.get(old) {
                    variables.insert(*new, value.clone());
                }
            }
            let Item { leaf, ends, .. } = &self.path.items[*item];
            let parts = parts(self.problem.valued, *leaf);
            let partition = self.problem.trace.partition();
            let is_seen = |component: ComponentId| {
                ends.iter().any(|(at, moment)| *at == component.index() && moment.is_some())
            };
            let seen: LifelineSet = parts
                .iter()
                .map(|part| part.action.lifeline)
                .filter(|&lifeline| is_seen(partition.component_of(lifeline)))
                .collect();
            let actions: Vec<_> = parts.iter().map(|part| part.action).collect();
            let event = pool.intern_event(&actions);
            let observed = pool.intern_region(&seen);
            steps.push(WitnessEvent { event, position: position.clone(), observed }.into());
            leaves.push(*leaf);
        }
        let witness = Witness { steps };
        Some(ValuedWitness { witness, leaves, variables, assumed: solved.assumed })
    }
}

/// The instances of a letter that has happened.
fn instances(letters: &Letters, letter: LetterId) -> &[InstanceId] {
    match &letters.letter(letter).variables {
        Variables::Instances(instances) => instances,
        Variables::Bound(_) => &[],
    }
}
