//! All small interactions, partitions and multi-traces, and random larger ones.
//!
//! Errors in a semantics show in small cases, and there are few enough of these to try all of them. The order is fixed, and the
//! same seed gives the same random cases.
//!
//! The random functions recurse on terms, so they are for the small terms of tests.

use std::collections::BTreeSet;

use otus_core::index::Index as _;
use otus_core::{
    Action, ActionId, EventId, LifelineId, LifelineSet, MessageId, Pool, RegionId, Signature, Term,
    TermId,
};
use otus_trace::{ComponentId, Partition};

use crate::oracle::observe::{Moment, Observation, moments, project};
use crate::oracle::traces::conflict;

/// The building blocks of terms.
#[derive(Debug)]
pub struct Scope {
    /// The terms made so far.
    pub pool: Pool,
    /// All leaves but ∅.
    pub events: Vec<EventId>,
    /// All regions.
    pub regions: Vec<RegionId>,
    /// An action that no term contains: the first lifeline sends a message that no term uses.
    pub foreign: ActionId,
    lifelines: usize,
    messages: usize,
}

impl Scope {
    /// Lifelines a, b, …, messages m, n, …, all actions over them, and, if `synchronous`, all rendez-vous of two lifelines.
    ///
    /// ```
    /// let scope = otus_testkit::small_scope::Scope::new(2, 1, true);
    /// assert_eq!((scope.events.len(), scope.regions.len()), (6, 4));
    /// ```
    pub fn new(lifelines: usize, messages: usize, synchronous: bool) -> Scope {
        let mut signature = Signature::default();
        let name = |first: u8, i: usize| {
            char::from(first.wrapping_add(u8::try_from(i).unwrap_or(u8::MAX))).to_string()
        };
        let lifeline_ids: Vec<LifelineId> =
            (0..lifelines).map(|i| signature.add_lifeline(&name(b'a', i))).collect();
        let message_ids: Vec<MessageId> =
            (0..messages).map(|i| signature.add_message(&name(b'm', i))).collect();
        let foreign = signature.add_message("foreign");
        let mut pool = Pool::new(signature);
        let mut events = Vec::new();
        for &message in &message_ids {
            for &from in &lifeline_ids {
                events.push(pool.intern_event(&[Action::emission(from, message)]));
                events.push(pool.intern_event(&[Action::reception(from, message)]));
            }
            for (&from, &to) in
                lifeline_ids.iter().flat_map(|from| lifeline_ids.iter().map(move |to| (from, to)))
            {
                if synchronous && from != to {
                    let passing = [Action::emission(from, message), Action::reception(to, message)];
                    events.push(pool.intern_event(&passing));
                }
            }
        }
        let regions = (0..1u32 << lifelines)
            .map(|bits| {
                let members = lifeline_ids.iter().filter(|id| bits >> id.0 & 1 == 1);
                let set: LifelineSet = members.copied().collect();
                pool.intern_region(&set)
            })
            .collect();
        let foreign = pool.intern_action(Action::emission(LifelineId(0), foreign));
        Scope { pool, events, regions, foreign, lifelines, messages }
    }

    /// All terms with exactly 1, 2, … up to `max_nodes` nodes: the list of each size.
    ///
    /// ```
    /// let mut scope = otus_testkit::small_scope::Scope::new(2, 1, true);
    /// let sizes: Vec<usize> = scope.terms(3).iter().map(Vec::len).collect();
    /// // 7 leaves; 5 loops; 6 operators.
    /// assert_eq!(sizes, [7, 7 * 5, 7 * 5 * 5 + 7 * 6 * 7]);
    /// ```
    pub fn terms(&mut self, max_nodes: usize) -> Vec<Vec<TermId>> {
        let mut sizes: Vec<Vec<TermId>> = Vec::new();
        for size in 1..=max_nodes {
            let mut terms = Vec::new();
            if size == 1 {
                terms.push(Pool::EMPTY);
                terms.extend(self.events.iter().map(|&event| self.pool.event(event)));
            }
            for &body in size.checked_sub(2).and_then(|i| sizes.get(i)).into_iter().flatten() {
                terms.push(self.pool.loop_s(body));
                terms.extend(self.regions.iter().map(|&region| self.pool.loop_c(region, body)));
            }
            for left_size in 1..size.saturating_sub(1) {
                for &left in &sizes[left_size - 1] {
                    for &right in &sizes[size - 2 - left_size] {
                        terms.push(self.pool.strict(left, right));
                        terms.push(self.pool.alt(left, right));
                        for &region in &self.regions {
                            terms.push(self.pool.coreg(region, left, right));
                        }
                    }
                }
            }
            sizes.push(terms);
        }
        sizes
    }

    /// One of the terms that differ only by a renaming of lifelines and messages.
    ///
    /// No answer depends on the names of lifelines or messages, so nothing is lost as long as all partitions and all
    /// multi-traces are tried with each term. A list that is closed under renaming keeps one term of each class: the one whose
    /// description is the smallest.
    #[must_use]
    pub fn up_to_renaming(&self, terms: &[TermId]) -> Vec<TermId> {
        let lifelines = permutations(self.lifelines);
        let messages = permutations(self.messages);
        let first = |term: &TermId| {
            let own = self.describe(*term, None);
            let others = lifelines.iter().flat_map(|l| messages.iter().map(move |m| (l, m)));
            others.into_iter().all(|(l, m)| own <= self.describe(*term, Some((l, m))))
        };
        terms.iter().copied().filter(first).collect()
    }

    /// The nodes of a term in preorder, after a renaming.
    fn describe(&self, term: TermId, renaming: Option<(&Vec<usize>, &Vec<usize>)>) -> Vec<usize> {
        let lifeline = |id: LifelineId| renaming.map_or(id.index(), |(l, _)| l[id.index()]);
        let message = |id: MessageId| renaming.map_or(id.index(), |(_, m)| m[id.index()]);
        let region = |id: RegionId| {
            let set = self.pool.region(id);
            set.iter().fold(0, |bits: usize, member| bits | 1 << lifeline(member))
        };
        let mut out = Vec::new();
        let mut pending = vec![term];
        while let Some(term) = pending.pop() {
            let node = self.pool.node(term);
            match node {
                Term::Empty => out.push(0),
                Term::Event(event) => {
                    let actions = self.pool.event_actions(event);
                    let mut actions: Vec<[usize; 3]> = actions
                        .iter()
                        .map(|&action| self.pool.action(action))
                        .map(|action| {
                            let direction = action.direction as usize;
                            [lifeline(action.lifeline), direction, message(action.message)]
                        })
                        .collect();
                    actions.sort_unstable();
                    out.extend([1, actions.len()]);
                    out.extend(actions.into_iter().flatten());
                }
                Term::Strict(..) => out.push(2),
                Term::Coreg(r, ..) => out.extend([3, region(r)]),
                Term::Alt(..) => out.push(4),
                Term::LoopS(_) => out.push(5),
                Term::LoopC(r, _) => out.extend([6, region(r)]),
            }
            pending.extend(node.operands().rev());
        }
        out
    }

    /// A random term with a given number of leaves. One part in five is a loop.
    pub fn random_term(&mut self, rng: &mut fastrand::Rng, leaves: usize) -> TermId {
        if rng.usize(..5) == 0 {
            let body = self.random_loopless(rng, leaves);
            let kind = rng.usize(..=self.regions.len());
            return match self.regions.get(kind) {
                Some(&region) => self.pool.loop_c(region, body),
                None => self.pool.loop_s(body),
            };
        }
        self.random_loopless(rng, leaves)
    }

    /// The same, but the outermost operator is not a loop.
    fn random_loopless(&mut self, rng: &mut fastrand::Rng, leaves: usize) -> TermId {
        if leaves <= 1 {
            return match rng.choice(&self.events) {
                Some(&event) if rng.usize(..8) > 0 => self.pool.event(event),
                Some(_) | None => Pool::EMPTY,
            };
        }
        let split = rng.usize(1..leaves);
        let left = self.random_term(rng, split);
        let right = self.random_term(rng, leaves - split);
        match rng.usize(..8) {
            0 | 1 => self.pool.strict(left, right),
            2 | 3 => self.pool.alt(left, right),
            4 => self.pool.seq(left, right),
            5 => self.pool.par(left, right),
            _ => {
                let region = self.regions[rng.usize(..self.regions.len())];
                self.pool.coreg(region, left, right)
            }
        }
    }
}

/// All partitions of `count` lifelines.
///
/// ```
/// use otus_testkit::small_scope::partitions;
/// assert_eq!([1, 2, 3, 4].map(|count| partitions(count).len()), [1, 2, 5, 15]);
/// ```
pub fn partitions(count: usize) -> Vec<Partition> {
    // Each lifeline joins an existing component, or opens a new one.
    let mut all: Vec<Vec<Vec<LifelineId>>> = vec![Vec::new()];
    for lifeline in (0..count).map(LifelineId::new) {
        let mut longer = Vec::new();
        for components in all {
            for i in 0..=components.len() {
                let mut components = components.clone();
                match components.get_mut(i) {
                    Some(component) => component.push(lifeline),
                    None => components.push(vec![lifeline]),
                }
                longer.push(components);
            }
        }
        all = longer;
    }
    all.into_iter().map(|components| Partition::new(components, count)).collect()
}

/// The moments that could be observed on each component: each action of the term alone, the moments of its events of several
/// actions, and the foreign action if one is given.
pub fn alphabet(
    pool: &Pool,
    term: TermId,
    partition: &Partition,
    foreign: Option<ActionId>,
) -> Vec<(ComponentId, Moment)> {
    let component = |action: ActionId| partition.component_of(pool.action(action).lifeline);
    let mut letters = BTreeSet::new();
    for event in events(pool, term) {
        letters.extend(moments(pool, partition, event));
        let actions = pool.event_actions(event).iter();
        letters.extend(actions.map(|&action| (component(action), vec![action])));
    }
    letters.extend(foreign.map(|action| (component(action), vec![action])));
    letters.into_iter().collect()
}

/// The events of a term.
pub fn events(pool: &Pool, term: TermId) -> BTreeSet<EventId> {
    let mut events = BTreeSet::new();
    let (mut pending, mut met) = (vec![term], BTreeSet::from([term]));
    while let Some(term) = pending.pop() {
        let node = pool.node(term);
        if let Term::Event(event) = node {
            events.insert(event);
        }
        pending.extend(node.operands().filter(|&operand| met.insert(operand)));
    }
    events
}

/// All multi-traces over an alphabet with at most `max_len` moments, the shortest first.
pub fn observations(
    partition: &Partition,
    alphabet: &[(ComponentId, Moment)],
    max_len: usize,
) -> Vec<Observation> {
    // Each multi-trace is made once: its components in order, each from left to right.
    let mut all = Vec::new();
    let mut layer = vec![(ComponentId(0), Observation::empty(partition.clone()))];
    for _ in 0..max_len {
        let mut longer = Vec::new();
        for (reached, observation) in &layer {
            for (component, moment) in alphabet.iter().filter(|(at, _)| at >= reached) {
                let mut observation = observation.clone();
                observation.components[component.index()].push(moment.clone());
                longer.push((*component, observation));
            }
        }
        all.append(&mut layer);
        layer = longer;
    }
    all.append(&mut layer);
    all.into_iter().map(|(_, observation)| observation).collect()
}

/// A random trace of ρ(i), in which each loop has up to `iterations` iterations.
pub fn random_trace(
    rng: &mut fastrand::Rng,
    pool: &Pool,
    term: TermId,
    iterations: usize,
) -> Vec<EventId> {
    let repeat = |rng: &mut fastrand::Rng, region: Option<LifelineSet>, body: TermId| {
        (0..rng.usize(..=iterations)).fold(Vec::new(), |before, _| {
            let next = random_trace(rng, pool, body, iterations);
            random_composition(rng, pool, region.as_ref(), &before, &next)
        })
    };
    match pool.node(term) {
        Term::Empty => Vec::new(),
        Term::Event(event) => vec![event],
        Term::Alt(left, right) => {
            let chosen = if rng.bool() { left } else { right };
            random_trace(rng, pool, chosen, iterations)
        }
        Term::Strict(left, right) => {
            let first = random_trace(rng, pool, left, iterations);
            [first, random_trace(rng, pool, right, iterations)].concat()
        }
        Term::Coreg(region, left, right) => {
            let first = random_trace(rng, pool, left, iterations);
            let second = random_trace(rng, pool, right, iterations);
            random_composition(rng, pool, Some(&pool.region(region)), &first, &second)
        }
        Term::LoopS(body) => repeat(rng, None, body),
        Term::LoopC(region, body) => repeat(rng, Some(pool.region(region)), body),
    }
}

/// One of the conditional sequencings of two traces; their concatenation without a region.
fn random_composition(
    rng: &mut fastrand::Rng,
    pool: &Pool,
    region: Option<&LifelineSet>,
    mut left: &[EventId],
    mut right: &[EventId],
) -> Vec<EventId> {
    let mut out = Vec::new();
    while let ([e1, t1 @ ..], [e2, t2 @ ..]) = (left, right) {
        let others = pool.region(pool.event_lifelines(*e2));
        let free = region.is_some_and(|region| !conflict(pool, left, region, &others));
        if free && rng.bool() {
            out.push(*e2);
            right = t2;
        } else {
            out.push(*e1);
            left = t1;
        }
    }
    out.extend_from_slice(left);
    out.extend_from_slice(right);
    out
}

/// A way to make a random multi-trace from a trace of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Derivation {
    /// Its projection.
    Accepted,
    /// The projection of a prefix of it.
    GlobalPrefix,
    /// A prefix of each component of its projection.
    MultiPrefix,
    /// A contiguous part of each component.
    Slice,
    /// A slice into which a moment of the alphabet is inserted.
    Noise,
    /// A slice in which two moments of a component are swapped.
    Swap,
    /// A slice from which one moment is missing.
    Loss,
}

impl Derivation {
    /// All of them.
    pub const ALL: [Derivation; 7] = [
        Derivation::Accepted,
        Derivation::GlobalPrefix,
        Derivation::MultiPrefix,
        Derivation::Slice,
        Derivation::Noise,
        Derivation::Swap,
        Derivation::Loss,
    ];
}

/// A random multi-trace made from a trace.
pub fn derive(
    rng: &mut fastrand::Rng,
    pool: &Pool,
    partition: &Partition,
    trace: &[EventId],
    alphabet: &[(ComponentId, Moment)],
    derivation: Derivation,
) -> Observation {
    let end = if derivation == Derivation::GlobalPrefix {
        rng.usize(..=trace.len())
    } else {
        trace.len()
    };
    let mut components = project(pool, partition, &trace[..end]);
    let (early, late) = match derivation {
        Derivation::Accepted | Derivation::GlobalPrefix => (false, false),
        Derivation::MultiPrefix => (true, false),
        Derivation::Slice | Derivation::Noise | Derivation::Swap | Derivation::Loss => (true, true),
    };
    for component in &mut components {
        if early {
            component.truncate(rng.usize(..=component.len()));
        }
        if late {
            component.drain(..rng.usize(..=component.len()));
        }
    }
    let chosen = rng.usize(..components.len().max(1));
    match derivation {
        Derivation::Accepted
        | Derivation::GlobalPrefix
        | Derivation::MultiPrefix
        | Derivation::Slice => {}
        Derivation::Noise => {
            if let Some((component, moment)) = rng.choice(alphabet) {
                let component = &mut components[component.index()];
                component.insert(rng.usize(..=component.len()), moment.clone());
            }
        }
        Derivation::Swap => {
            if let Some(component) = components.get_mut(chosen).filter(|trace| trace.len() > 1) {
                let (first, second) = (rng.usize(..component.len()), rng.usize(..component.len()));
                component.swap(first, second);
            }
        }
        Derivation::Loss => {
            if let Some(component) = components.get_mut(chosen).filter(|trace| !trace.is_empty()) {
                component.remove(rng.usize(..component.len()));
            }
        }
    }
    Observation { partition: partition.clone(), components }
}

fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        all = all
            .iter()
            .flat_map(|begun: &Vec<usize>| {
                let rest = (0..count).filter(|next| !begun.contains(next));
                rest.map(|next| [begun.as_slice(), &[next]].concat()).collect::<Vec<_>>()
            })
            .collect();
    }
    all
}
