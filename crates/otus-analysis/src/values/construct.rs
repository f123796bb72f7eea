//! From the events of an explanation to a witness: positions, and values.
//!
//! An engine that says Yes knows which leaf each moment of the logs was, and which events happened unobserved, in some order
//! (its *path*). Here the path is replayed on what is left of the interaction, [in place](otus_core::residual). For each event the
//! [places](super::positions) of its leaf are tried: iterations whose variables have fitting values first, then the
//! oldest loop that can begin one. Each step takes time in the depth of its position, which grows with the logarithm of the
//! sessions.
//!
//! A place is wrong only where the same leaf occurs twice with the same values. Then the replay starts again, with the
//! next place for the last event that had another one: an event of the same session, if there is any, since sessions
//! do not depend on each other. This is rare, and bounded by the budget.
//!
//! What guards say of logged values is decided at once. What they say of others is collected, and solved at the end for each
//! set of connected variables by itself.
//!
//! A path that follows decoupled components one at a time is in no global order; of its events the first that can
//! happen does.

use std::collections::BTreeMap;

use otus_core::index::Index as _;
use otus_core::letters::Letters;
use otus_core::residual::{Happened, Residual};
use otus_core::valued::{ValuedId, VariableId};
use otus_core::{LifelineSet, Pool, Value};
use otus_trace::ComponentId;
use smallvec::SmallVec;

use super::observation::{Moment, Problem};
use super::positions::{Candidate, Index, MANY, Position};
use super::valuation::{Event, Store};
use super::witness::{ValuedWitness, parts};
use crate::budget::Meter;
use crate::witness::{Witness, WitnessEvent};

/// Variables that tell sessions from others, and their values, the outermost first.
pub(super) type Keys = SmallVec<[(VariableId, Value); 1]>;

/// The parts of a kind that are looked at first: one, and whether there is another.
const FEW: usize = 2;

/// An event of an explanation.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) leaf: ValuedId,
    /// By component of the event: the moment that it is there, or `None` if it is unobserved.
    pub(super) ends: SmallVec<[(usize, Moment); 2]>,
    /// The variables that tell its session from others, and their values, as far as the engine knows them; that of the
    /// outermost session first.
    pub(super) keys: Keys,
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

/// The witness of a path; `None` if none is found within the budget.
pub(super) fn construct(
    problem: &Problem<'_>,
    pool: &mut Pool,
    path: &Path,
    meter: &mut Meter<'_>,
) -> Option<ValuedWitness> {
    let start = Residual::new(pool, problem.valued)?;
    let mut taken: Vec<Taken> = Vec::new();
    let mut first = 0;
    loop {
        let mut replay = Replay::new(problem, path, start.clone());
        replay.again(&mut taken)?;
        let is_done = replay.run(&mut taken, first, meter)?;
        if is_done && let Some(witness) = replay.finish(pool, start.clone(), &taken) {
            return Some(witness);
        }
        if meter.count().is_some() {
            return None;
        }
        first = replay.go_back(&mut taken)?;
    }
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

    fn advance(&mut self, item: &Item) {
        for &(component, _) in &item.ends {
            self.queues[component].1 += 1;
        }
        self.done += 1;
    }
}

/// A step that was taken.
struct Taken {
    item: usize,
    position: Position,
    happened: Happened,
    /// Its number among the ways to go on from there, and whether there are more.
    number: usize,
    has_more: bool,
}

struct Replay<'r, 'p> {
    problem: &'r Problem<'p>,
    path: &'r Path,
    residual: Residual,
    index: Index,
    next: Next,
    store: Store<'r, 'p>,
    /// The item that could not happen, if there is only one.
    stuck: Option<usize>,
}

impl<'r, 'p> Replay<'r, 'p> {
    fn new(problem: &'r Problem<'p>, path: &'r Path, residual: Residual) -> Self {
        Replay {
            problem,
            path,
            residual,
            index: Index::default(),
            next: Next::new(path, problem.trace.partition().len()),
            store: Store::new(problem),
            stuck: None,
        }
    }

    /// Takes steps that were taken before.
    fn again(&mut self, taken: &mut [Taken]) -> Option<()> {
        for Taken { item, position, happened, .. } in taken {
            *happened = self.step(*item, position)?;
        }
        Some(())
    }

    /// Takes steps until all items have happened, the first of them with a number that is given at least. `None` if the budget
    /// ends, false if no item can happen.
    fn run(
        &mut self,
        taken: &mut Vec<Taken>,
        mut first: usize,
        meter: &mut Meter<'_>,
    ) -> Option<bool> {
        while taken.len() < self.path.items.len() {
            if meter.count().is_some() {
                return None;
            }
            let Some(next) = self.advance(first) else { return Some(false) };
            taken.push(next);
            first = 0;
        }
        Some(self.residual.terminates())
    }

    /// Takes the first step that is possible, of those from a number on.
    fn advance(&mut self, first: usize) -> Option<Taken> {
        let mut number = 0;
        let fronts = self.next.fronts(self.path);
        self.stuck = match &fronts[..] {
            [only] => Some(*only),
            _ => None,
        };
        for (at, &item) in fronts.iter().enumerate() {
            for most in [FEW, MANY, usize::MAX] {
                let (positions, has_others) = self.candidates(item, most);
                let count = positions.len();
                for (own, position) in positions.into_iter().enumerate() {
                    number += 1;
                    if number <= first {
                        continue;
                    }
                    if let Some(happened) = self.step(item, &position) {
                        let has_more = has_others || own + 1 < count || at + 1 < fronts.len();
                        let number = number - 1;
                        return Some(Taken { item, position, happened, number, has_more });
                    }
                }
            }
        }
        None
    }

    /// Forgets steps up to one that could have been another; its next number. `None` if there is none.
    fn go_back(&self, taken: &mut Vec<Taken>) -> Option<usize> {
        let keys = self.stuck.map_or(&[][..], |item| &self.path.items[item].keys);
        let has_more = |it: &Taken| it.has_more;
        let is_own = |it: &Taken| it.has_more && *self.path.items[it.item].keys == *keys;
        let own = taken.iter().rposition(is_own).filter(|_| !keys.is_empty());
        let at = own.or_else(|| taken.iter().rposition(has_more))?;
        let first = taken[at].number + 1;
        taken.truncate(at);
        Some(first)
    }

    /// The positions at which an item may happen, the likeliest first, and whether there are others than these. With [`FEW`], one
    /// part of each kind; with more, the others among so many of each kind. Sessions that have no key can be thousands, of which
    /// one fits, so in the end all of them are looked at.
    fn candidates(&mut self, item: usize, most: usize) -> (Vec<Position>, bool) {
        let is_first = most == FEW;
        let Item { leaf, position, keys, .. } = &self.path.items[item];
        if let Some(position) = position {
            let only = is_first.then(|| position.clone());
            return (only.into_iter().collect(), false);
        }
        self.index.update(&mut self.residual);
        let event = self.event(item);
        let (residual, index, leaf) = (&self.residual, &mut self.index, *leaf);
        let mut found = Vec::new();
        if keys.is_empty() {
            found = index.everywhere(residual, leaf, most);
        } else {
            // Sessions are found by their keys, the innermost first; a new one begins in the session around it, or
            // outside of all others.
            for (instance, key) in self.store.sessions(keys) {
                let iteration = residual.instance(instance).iteration;
                let own = index.of_iteration(residual, iteration, leaf, most);
                if own.is_empty() && index.is_over(iteration) {
                    self.store.is_over(residual, key, instance);
                }
                found.extend(own);
            }
            found.extend(index.of_iteration(residual, Letters::WHOLE, leaf, most));
        }
        found.retain(|it| self.store.may_be(residual, it.place, &event));
        let has_others = is_first && found.iter().any(|it| it.is_later);
        found.retain(|it| it.is_later != is_first);
        let has_values = |it: &Candidate| {
            let mut variables = residual.letters().variables(leaf).iter();
            variables.any(|&variable| residual.argument(it.place, variable).is_some())
        };
        found.sort_by_key(|it| !has_values(it));
        (found.iter().map(|it| it.position(residual)).collect(), has_others)
    }

    fn event(&self, item: usize) -> Event {
        let Item { leaf, ends, keys, .. } = &self.path.items[item];
        Event::new(self.problem, item, *leaf, ends, keys.clone())
    }

    /// Lets an item happen at a position; `None` if it cannot.
    fn step(&mut self, item: usize, position: &Position) -> Option<Happened> {
        let entered = self.residual.enter(position.iter().copied())?;
        if entered.happened.leaf != self.path.items[item].leaf {
            return None;
        }
        let event = self.event(item);
        if !self.store.happen(&self.residual, &entered.happened, &event) {
            return None;
        }
        let happened = entered.happened.clone();
        self.residual.take(entered);
        self.next.advance(&self.path.items[item]);
        Some(happened)
    }

    /// The witness of the steps that were taken, if there are values for it.
    fn finish(
        &self,
        pool: &mut Pool,
        mut residual: Residual,
        taken: &[Taken],
    ) -> Option<ValuedWitness> {
        let order: Vec<usize> = taken.iter().map(|taken| taken.item).collect();
        let solved = self.store.solve(&self.residual, &order)?;
        // Instances are numbered as a checker numbers them.
        let mut variables = BTreeMap::new();
        let (mut steps, mut leaves) = (Vec::new(), Vec::new());
        for Taken { item, position, happened, .. } in taken {
            let again = residual.step(position.iter().copied())?;
            for (old, new) in happened.instances.iter().zip(&again.instances) {
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
