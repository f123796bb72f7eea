//! From a loop-free term to its leaves, and what is known of them without any multi-trace.
//!
//! The leaves are numbered from left to right, each occurrence by itself. Whatever an operator
//! orders, it orders a leaf before one with a larger number.
//!
//! Two leaves p < q are related by the operator where their ways from the root part. Of all
//! operators between p and q in reading order this is the one nearest to the root, so it is enough to
//! know it for neighbours: for others it is the one of least depth on the way.

use otus_core::index::Index as _;
use otus_core::{ActionId, EventId, LifelineSet, Pool, RegionId, Term, TermId};
use otus_trace::multitrace::{ComponentId, Step};
use otus_trace::{MultiTrace, Partition};
use rustc_hash::FxHashMap;

use super::formula::{Formula, Literal};
use crate::engine::harm;

/// The largest terms that are taken, in nodes.
const NODES: u64 = 1_000_000;

/// A loop-free term that is decoupled by a partition, prepared for many multi-traces.
#[derive(Debug)]
pub(crate) struct Compiled {
    /// What the alternatives say about the variables of branches.
    pub(crate) choices: Formula,
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) scopes: Vec<Scope>,
    /// The parts of the leaves, component by component, from left to right in each.
    parts: Vec<Part>,
    /// Where each component ends in `parts`.
    ends: Vec<u32>,
    /// By component: whether every choice of branches leaves it with one possible trace.
    pub(crate) chains: Vec<bool>,
    labels: Labels,
    sets: Sets,
}

/// An occurrence of an event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leaf {
    pub(crate) event: EventId,
    /// Whether the branches around it are chosen.
    pub(crate) chosen: Literal,
    /// The innermost operand of a `strict` it is in.
    pub(crate) scope: u32,
}

/// An operand of a `strict`. The first one is the whole term.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope {
    /// The next one around it.
    pub(crate) parent: u32,
    /// Whether it comes after the one with the preceding number.
    pub(crate) follows: bool,
}

/// What a component sees of a leaf.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    pub(crate) leaf: u32,
    /// What is observed.
    pub(crate) label: u32,
    /// The operator between this part and the one before it on the same component.
    pub(crate) before: Operator,
}

/// A binary operator in a term.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Operator {
    pub(crate) depth: u32,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Alt,
    Strict,
    Coreg(RegionId),
}

/// No observation of the term.
pub(crate) const UNKNOWN: u32 = u32::MAX;

impl Compiled {
    /// Prepares a term. `None` if it has loops, or more nodes than is sensible.
    ///
    /// The partition must decouple it (see [`harm`]); without this the answers are wrong.
    pub(crate) fn new(pool: &Pool, term: TermId, partition: &Partition) -> Option<Self> {
        let attributes = pool.attributes(term);
        if attributes.loops > 0 || attributes.nodes > NODES {
            return None;
        }
        let mut reader = Reader {
            pool,
            partition,
            choices: Formula::default(),
            leaves: Vec::new(),
            scopes: vec![Scope { parent: 0, follows: false }],
            parts: Vec::new(),
            chains: vec![true; partition.len()],
            labels: Labels::default(),
            last: vec![None; partition.len()],
            between: Vec::new(),
            nearest: None,
        };
        reader.read(term);
        let Reader { choices, leaves, scopes, parts: mixed, chains, labels, .. } = reader;
        let mut ends = vec![0; partition.len()];
        for &(component, _) in &mixed {
            ends[component as usize] += 1;
        }
        let mut total = 0;
        for end in &mut ends {
            total += *end;
            *end = total;
        }
        // Counting sort: what comes last goes last.
        let mut next = ends.clone();
        let mut parts = mixed.first().map_or_else(Vec::new, |&(_, part)| vec![part; mixed.len()]);
        for &(component, part) in mixed.iter().rev() {
            next[component as usize] -= 1;
            parts[next[component as usize] as usize] = part;
        }
        let mut compiled = Compiled {
            choices,
            leaves,
            scopes,
            parts,
            ends,
            chains,
            labels,
            sets: Sets::default(),
        };
        compiled.collect_sets(pool, partition);
        Some(compiled)
    }

    /// Only what is no chain asks which leaves are ordered.
    fn collect_sets(&mut self, pool: &Pool, partition: &Partition) {
        let mut sets = Sets::default();
        for component in partition.components().filter(|c| !self.chains[c.index()]) {
            for part in self.on(component) {
                let event = self.leaves[part.leaf as usize].event;
                let lifelines = || pool.region(pool.event_lifelines(event));
                sets.events.entry(event).or_insert_with(lifelines);
                if let Kind::Coreg(region) = part.before.kind {
                    sets.regions.entry(region).or_insert_with(|| pool.region(region));
                }
            }
        }
        self.sets = sets;
    }

    /// The parts of leaves on a component, from left to right.
    pub(crate) fn on(&self, component: ComponentId) -> &[Part] {
        let end = self.ends[component.index()] as usize;
        let start = component.index().checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.parts[start..end]
    }

    /// Whether an operator orders two leaves, the first of which stands in its left operand, as far as
    /// a component that is no chain can tell.
    pub(crate) fn orders(
        &self,
        kind: Kind,
        (left, right): (u32, u32),
        component: &LifelineSet,
    ) -> bool {
        match kind {
            Kind::Alt => false,
            Kind::Strict => true,
            Kind::Coreg(region) => {
                let lifelines = |leaf: u32| &self.sets.events[&self.leaves[leaf as usize].event];
                let shared = lifelines(left).intersection(lifelines(right)).intersection(component);
                !shared.is_subset(&self.sets.regions[&region])
            }
        }
    }

    /// The labels of the moments of a component.
    pub(crate) fn moments(
        &self,
        trace: &MultiTrace,
        component: ComponentId,
    ) -> impl Iterator<Item = u32> {
        trace.moments(component).map(|moment| self.labels.find(moment))
    }
}

/// The lifelines of events and regions.
#[derive(Debug, Default)]
struct Sets {
    events: FxHashMap<EventId, LifelineSet>,
    regions: FxHashMap<RegionId, LifelineSet>,
}

/// Moments as numbers.
#[derive(Debug, Default)]
struct Labels {
    /// By action: the label of the moment that has it alone.
    alone: Vec<u32>,
    together: FxHashMap<Box<[ActionId]>, u32>,
    count: u32,
}

impl Labels {
    fn intern(&mut self, actions: &[ActionId]) -> u32 {
        let next = self.count;
        let label = if let [only] = actions {
            if self.alone.len() <= only.index() {
                self.alone.resize(only.index() + 1, UNKNOWN);
            }
            let label = &mut self.alone[only.index()];
            if *label == UNKNOWN {
                *label = next;
            }
            *label
        } else {
            *self.together.entry(actions.into()).or_insert(next)
        };
        self.count += u32::from(label == next);
        label
    }

    fn find(&self, moment: &[Step]) -> u32 {
        let found = if let [only] = moment {
            self.alone.get(only.action().index())
        } else {
            let actions: Vec<ActionId> = moment.iter().map(|step| step.action()).collect();
            self.together.get(actions.as_slice())
        };
        found.copied().unwrap_or(UNKNOWN)
    }
}

struct Reader<'a> {
    pool: &'a Pool,
    partition: &'a Partition,
    choices: Formula,
    leaves: Vec<Leaf>,
    scopes: Vec<Scope>,
    /// The parts of leaves with their components, as they come.
    parts: Vec<(u32, Part)>,
    chains: Vec<bool>,
    labels: Labels,
    /// By component: the last leaf so far.
    last: Vec<Option<u32>>,
    /// Operators that are nearer to the root than all that follow, each with the leaf before it.
    between: Vec<(u32, Operator, TermId)>,
    /// The operator nearest to the root since the last leaf.
    nearest: Option<(Operator, TermId)>,
}

/// A part of the way through a term.
enum Visit {
    Term {
        term: TermId,
        depth: u32,
        chosen: Literal,
        scope: u32,
    },
    /// Between the operands.
    Between {
        operator: Operator,
        term: TermId,
    },
}

impl Reader<'_> {
    fn read(&mut self, root: TermId) {
        let mut pending =
            vec![Visit::Term { term: root, depth: 0, chosen: Literal::TRUE, scope: 0 }];
        while let Some(visit) = pending.pop() {
            let (term, depth, chosen, scope) = match visit {
                Visit::Term { term, depth, chosen, scope } => (term, depth, chosen, scope),
                Visit::Between { operator, term } => {
                    if self.nearest.is_none_or(|(nearest, _)| operator.depth < nearest.depth) {
                        self.nearest = Some((operator, term));
                    }
                    continue;
                }
            };
            let (kind, left, right) = match self.pool.node(term) {
                Term::Event(event) => {
                    self.leaf(Leaf { event, chosen, scope });
                    continue;
                }
                Term::Alt(left, right) => {
                    let (one, other) = self.choose(chosen);
                    (Kind::Alt, (left, one, scope), (right, other, scope))
                }
                Term::Strict(left, right) => {
                    let first = u32::try_from(self.scopes.len()).expect("terms are far smaller");
                    self.scopes.push(Scope { parent: scope, follows: false });
                    self.scopes.push(Scope { parent: scope, follows: true });
                    (Kind::Strict, (left, chosen, first), (right, chosen, first + 1))
                }
                Term::Coreg(region, left, right) => {
                    (Kind::Coreg(region), (left, chosen, scope), (right, chosen, scope))
                }
                // There are no loops.
                Term::Empty | Term::LoopS(_) | Term::LoopC(..) => continue,
            };
            let visit =
                |(term, chosen, scope)| Visit::Term { term, depth: depth + 1, chosen, scope };
            pending.push(visit(right));
            pending.push(Visit::Between { operator: Operator { depth, kind }, term });
            pending.push(visit(left));
        }
    }

    /// The literals of the two branches of an alternative that is itself in some branch: exactly
    /// one of them is chosen if it is, and none if it is not.
    fn choose(&mut self, chosen: Literal) -> (Literal, Literal) {
        let left = self.choices.variable();
        if chosen == Literal::TRUE {
            return (left, !left);
        }
        let right = self.choices.variable();
        self.choices.add(&[!left, chosen]);
        self.choices.add(&[!right, chosen]);
        self.choices.add(&[!chosen, left, right]);
        self.choices.add(&[!left, !right]);
        (left, right)
    }

    fn leaf(&mut self, leaf: Leaf) {
        let number = u32::try_from(self.leaves.len()).expect("terms are far smaller");
        self.leaves.push(leaf);
        // What comes before the first leaf is between no two.
        if let (Some((operator, term)), Some(before)) = (self.nearest.take(), number.checked_sub(1))
        {
            while self.between.last().is_some_and(|(_, last, _)| last.depth >= operator.depth) {
                self.between.pop();
            }
            self.between.push((before, operator, term));
        }
        let actions = self.pool.event_actions(leaf.event);
        let component =
            |action: ActionId| self.partition.component_of(self.pool.action(action).lifeline);
        if let &[only] = actions {
            let component = component(only);
            let label = self.labels.intern(actions);
            self.part(number, component, label);
            return;
        }
        let mut parts: Vec<(ComponentId, ActionId)> =
            actions.iter().map(|&action| (component(action), action)).collect();
        parts.sort_unstable();
        for part in parts.chunk_by(|one, other| one.0 == other.0) {
            let actions: Vec<ActionId> = part.iter().map(|&(_, action)| action).collect();
            let label = self.labels.intern(&actions);
            self.part(number, part[0].0, label);
        }
    }

    fn part(&mut self, leaf: u32, component: ComponentId, label: u32) {
        // For the first part it does not matter.
        let mut before = Operator { depth: 0, kind: Kind::Strict };
        if let Some(last) = self.last[component.index()].replace(leaf) {
            let at = self.between.partition_point(|&(leaf, ..)| leaf < last);
            let (_, operator, term) = self.between[at];
            before = operator;
            if let (Kind::Coreg(region), Term::Coreg(_, left, right)) =
                (operator.kind, self.pool.node(term))
                && self.chains[component.index()]
            {
                let sides = (left, right);
                let loose =
                    harm::is_loose(self.pool, self.partition, region, sides, component.index());
                self.chains[component.index()] = !loose;
            }
        }
        let component = u32::try_from(component.index()).expect("components have 32 bits");
        self.parts.push((component, Part { leaf, label, before }));
    }
}
