//! The leaves of a term, and everything about them that is independent of the multi-trace.
//!
//! The leaves are numbered from left to right, each occurrence by itself. An operator always orders
//! a leaf before one with a larger number. A loop becomes as many copies of its body as are asked
//! for, each of which can be chosen only if the one before it is:
//!
//! ```text
//! loop_f(i), n times  =  alt(∅, f(i, alt(∅, f(i, …))))
//! ```
//!
//! Two leaves p < q are related by their lowest common ancestor. Of all operators between p and q
//! in reading order this is the one nearest to the root, so it suffices to store it for neighbours:
//! for other pairs it is the one of least depth in between.

use otus_core::index::Index as _;
use otus_core::{ActionId, EventId, LifelineSet, Pool, RegionId, Term, TermId};
use otus_trace::multitrace::ComponentId;
use otus_trace::{MultiTrace, Partition};
use rustc_hash::FxHashMap;

use super::formula::{Formula, Literal};
use crate::engine::alphabet::Moments;
use crate::engine::coupling;
use crate::observation::by_component;

/// The maximum number of leaves of a term.
const LEAVES: usize = 100_000;

/// A term with its loops unrolled, seen through a partition.
#[derive(Debug, Default)]
pub(crate) struct Unrolled {
    /// The clauses on the variables of branches.
    pub(crate) choices: Formula,
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) scopes: Vec<Scope>,
    pub(crate) iterations: Vec<Iteration>,
    /// The parts of the leaves, component by component, from left to right in each.
    parts: Vec<Part>,
    /// For each component: its end in `parts`.
    ends: Vec<u32>,
    /// For each component: whether its trace is determined by the choice of branches.
    pub(crate) chains: Vec<bool>,
    labels: Moments,
    /// The lifelines of events and regions that [`Unrolled::orders`] needs.
    event_sets: FxHashMap<EventId, LifelineSet>,
    region_sets: FxHashMap<RegionId, LifelineSet>,
}

/// An occurrence of an event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leaf {
    pub(crate) event: EventId,
    /// The literal that says that all branches around the leaf are chosen.
    pub(crate) chosen: Literal,
    /// The innermost operand of a `strict` that contains the leaf.
    pub(crate) scope: u32,
    /// The innermost iteration that contains the leaf.
    pub(crate) iteration: u32,
    /// The index of the leaf among the leaves directly in this iteration.
    pub(crate) ordinal: u32,
}

/// An iteration of a loop. The first one stands for the whole term.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Iteration {
    pub(crate) parent: u32,
    /// The index of the iteration's loop among the loops directly in the enclosing iteration.
    pub(crate) ordinal: u32,
    /// The index of this iteration among the iterations of the loop.
    pub(crate) index: u32,
    /// The numbers of leaves and loops directly in this iteration.
    leaves: u32,
    loops: u32,
}

/// An operand of a `strict`. The first one stands for the whole term.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope {
    pub(crate) parent: u32,
    /// Whether this operand is a right operand, which follows the left operand with the preceding
    /// number.
    pub(crate) follows: bool,
}

/// The part of a leaf on a component: the actions of the leaf's event there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    pub(crate) leaf: u32,
    /// The number of the moment that the component observes.
    pub(crate) label: u32,
    /// The operator between this part and the previous one on the same component.
    pub(crate) before: Operator,
}

/// A binary operator in a term.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Operator {
    pub(crate) depth: u32,
    pub(crate) kind: OperatorKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OperatorKind {
    Alt,
    Strict,
    Coreg(RegionId),
}

/// The label of a moment that the term does not have.
pub(crate) const UNKNOWN: u32 = u32::MAX;

impl Unrolled {
    /// Unrolls a term with these numbers of iterations of its loops. `None` if it gets too many
    /// leaves.
    ///
    /// The result describes the relaxed term (see [`coupling`]).
    pub(crate) fn new(
        pool: &Pool,
        term: TermId,
        partition: &Partition,
        iterations: impl Fn(TermId) -> usize,
    ) -> Option<Self> {
        let attributes = pool.attributes(term);
        let is_small = attributes.loops == 0 && attributes.nodes < LEAVES as u64;
        if !is_small && size(pool, term, &iterations) > LEAVES {
            return None;
        }
        let whole = Iteration { parent: 0, ordinal: 0, index: 0, leaves: 0, loops: 0 };
        let unrolled = Unrolled {
            scopes: vec![Scope { parent: 0, follows: false }],
            iterations: vec![whole],
            ends: vec![0; partition.len()],
            chains: vec![true; partition.len()],
            ..Unrolled::default()
        };
        let mut reader = Reader {
            pool,
            partition,
            count: &iterations,
            unrolled,
            parts: Vec::new(),
            last: vec![None; partition.len()],
            between: Vec::new(),
            nearest: None,
        };
        reader.read(term);
        let Reader { mut unrolled, parts, .. } = reader;
        unrolled.sort_parts(&parts);
        unrolled.collect_sets(pool, partition);
        Some(unrolled)
    }

    /// Sorts the parts of leaves by component: a counting sort, from the back to keep it stable.
    fn sort_parts(&mut self, mixed: &[(u32, Part)]) {
        for &(component, _) in mixed {
            self.ends[component as usize] += 1;
        }
        let mut total = 0;
        for end in &mut self.ends {
            total += *end;
            *end = total;
        }
        let mut next = self.ends.clone();
        self.parts = mixed.iter().map(|&(_, part)| part).collect();
        for &(component, part) in mixed.iter().rev() {
            next[component as usize] -= 1;
            self.parts[next[component as usize] as usize] = part;
        }
    }

    /// Collects the lifelines for components that are not chains.
    fn collect_sets(&mut self, pool: &Pool, partition: &Partition) {
        let (mut events, mut regions) = (FxHashMap::default(), FxHashMap::default());
        for component in partition.components().filter(|c| !self.chains[c.index()]) {
            for part in self.on(component) {
                let event = self.leaves[part.leaf as usize].event;
                let lifelines = || pool.region(pool.event_lifelines(event));
                events.entry(event).or_insert_with(lifelines);
                if let OperatorKind::Coreg(region) = part.before.kind {
                    regions.entry(region).or_insert_with(|| pool.region(region));
                }
            }
        }
        (self.event_sets, self.region_sets) = (events, regions);
    }

    /// The parts of leaves on a component, from left to right.
    pub(crate) fn on(&self, component: ComponentId) -> &[Part] {
        let end = self.ends[component.index()] as usize;
        let start = component.index().checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.parts[start..end]
    }

    /// Whether an operator orders two leaves, `left` from its left operand and `right` from its
    /// right operand, as far as a component that is not a chain can observe the order.
    pub(crate) fn orders(
        &self,
        kind: OperatorKind,
        left: u32,
        right: u32,
        component: &LifelineSet,
    ) -> bool {
        match kind {
            OperatorKind::Alt => false,
            OperatorKind::Strict => true,
            OperatorKind::Coreg(region) => {
                let lifelines = |leaf: u32| &self.event_sets[&self.leaves[leaf as usize].event];
                let shared = lifelines(left).intersection(lifelines(right)).intersection(component);
                !shared.is_subset(&self.region_sets[&region])
            }
        }
    }

    pub(crate) fn moments(
        &self,
        trace: &MultiTrace,
        component: ComponentId,
    ) -> impl Iterator<Item = u32> {
        trace.moments(component).map(|moment| self.labels.find(moment).map_or(UNKNOWN, |it| it.0))
    }
}

struct Reader<'a> {
    pool: &'a Pool,
    partition: &'a Partition,
    /// The number of iterations of a loop.
    count: &'a dyn Fn(TermId) -> usize,
    /// The result so far, without its parts.
    unrolled: Unrolled,
    /// The parts of leaves with their components, in reading order.
    parts: Vec<(u32, Part)>,
    /// For each component: the last leaf so far.
    last: Vec<Option<u32>>,
    /// Operators that are nearer to the root than all later ones, each with the leaf before it.
    between: Vec<(u32, Operator, TermId)>,
    /// The operator nearest to the root since the last leaf.
    nearest: Option<(Operator, TermId)>,
}

/// The context of a subterm.
#[derive(Clone, Copy)]
struct At {
    depth: u32,
    chosen: Literal,
    scope: u32,
    iteration: u32,
}

enum Visit {
    Term(TermId, At),
    /// Between the operands of a term.
    Between(Operator, TermId),
    /// Iterations of the loop with this ordinal.
    Iterations {
        term: TermId,
        at: At,
        ordinal: u32,
        indices: std::ops::Range<u32>,
    },
}

impl Reader<'_> {
    fn read(&mut self, root: TermId) {
        let at = At { depth: 0, chosen: Literal::TRUE, scope: 0, iteration: 0 };
        let mut pending = vec![Visit::Term(root, at)];
        while let Some(visit) = pending.pop() {
            let (term, at) = match visit {
                Visit::Term(term, at) => (term, at),
                Visit::Between(operator, term) => {
                    if self.nearest.is_none_or(|(nearest, _)| operator.depth < nearest.depth) {
                        self.nearest = Some((operator, term));
                    }
                    continue;
                }
                Visit::Iterations { term, at, ordinal, indices } => {
                    if !indices.is_empty() {
                        self.iterate(term, at, ordinal, indices, &mut pending);
                    }
                    continue;
                }
            };
            let below = At { depth: at.depth + 1, ..at };
            let (kind, left, right) = match self.pool.node(term) {
                Term::Event(event) => {
                    let ordinal = &mut self.unrolled.iterations[at.iteration as usize].leaves;
                    let At { chosen, scope, iteration, .. } = at;
                    let leaf = Leaf { event, chosen, scope, iteration, ordinal: *ordinal };
                    *ordinal += 1;
                    self.leaf(leaf);
                    continue;
                }
                Term::Alt(left, right) => {
                    let (one, other) = self.choose(at.chosen);
                    let branch = |chosen| At { chosen, ..below };
                    (OperatorKind::Alt, (left, branch(one)), (right, branch(other)))
                }
                Term::Strict(left, right) => {
                    let first = self.scopes(at.scope);
                    let operand = |scope| At { scope, ..below };
                    (OperatorKind::Strict, (left, operand(first)), (right, operand(first + 1)))
                }
                Term::Coreg(region, left, right) => {
                    (OperatorKind::Coreg(region), (left, below), (right, below))
                }
                Term::LoopS(_) | Term::LoopC(..) => {
                    let around = &mut self.unrolled.iterations[at.iteration as usize].loops;
                    let ordinal = *around;
                    *around += 1;
                    let indices = 0..u32::try_from((self.count)(term)).unwrap_or(u32::MAX);
                    pending.push(Visit::Iterations { term, at, ordinal, indices });
                    continue;
                }
                Term::Empty => continue,
            };
            pending.push(Visit::Term(right.0, right.1));
            pending.push(Visit::Between(Operator { depth: at.depth, kind }, term));
            pending.push(Visit::Term(left.0, left.1));
        }
    }

    /// Visits the next iteration of a loop, and then the others.
    fn iterate(
        &mut self,
        term: TermId,
        at: At,
        ordinal: u32,
        indices: std::ops::Range<u32>,
        pending: &mut Vec<Visit>,
    ) {
        let (kind, body, first, second) = match self.pool.node(term) {
            Term::LoopC(region, body) => (OperatorKind::Coreg(region), body, at.scope, at.scope),
            Term::LoopS(body) => {
                let first = self.scopes(at.scope);
                (OperatorKind::Strict, body, first, first + 1)
            }
            Term::Empty | Term::Event(_) | Term::Strict(..) | Term::Coreg(..) | Term::Alt(..) => {
                return;
            }
        };
        let chosen = self.unrolled.choices.variable();
        self.unrolled.choices.add(&[!chosen, at.chosen]);
        let iteration =
            u32::try_from(self.unrolled.iterations.len()).expect("terms are far smaller");
        self.unrolled.iterations.push(Iteration {
            parent: at.iteration,
            ordinal,
            index: indices.start,
            leaves: 0,
            loops: 0,
        });
        let below = At { depth: at.depth + 1, chosen, ..at };
        let rest = indices.start + 1..indices.end;
        let others = At { scope: second, ..below };
        pending.push(Visit::Iterations { term, at: others, ordinal, indices: rest });
        pending.push(Visit::Between(Operator { depth: at.depth, kind }, term));
        pending.push(Visit::Term(body, At { scope: first, iteration, ..below }));
    }

    /// Creates the scopes of the operands of a `strict`; returns the number of the first.
    fn scopes(&mut self, parent: u32) -> u32 {
        let first = u32::try_from(self.unrolled.scopes.len()).expect("terms are far smaller");
        self.unrolled.scopes.push(Scope { parent, follows: false });
        self.unrolled.scopes.push(Scope { parent, follows: true });
        first
    }

    /// The literals of the two branches of an alternative: exactly one of them holds if the
    /// alternative itself is chosen, and none if it is not.
    fn choose(&mut self, chosen: Literal) -> (Literal, Literal) {
        let left = self.unrolled.choices.variable();
        if chosen == Literal::TRUE {
            return (left, !left);
        }
        let right = self.unrolled.choices.variable();
        self.unrolled.choices.add(&[!left, chosen]);
        self.unrolled.choices.add(&[!right, chosen]);
        self.unrolled.choices.add(&[!chosen, left, right]);
        self.unrolled.choices.add(&[!left, !right]);
        (left, right)
    }

    fn leaf(&mut self, leaf: Leaf) {
        let number = u32::try_from(self.unrolled.leaves.len()).expect("terms are far smaller");
        self.unrolled.leaves.push(leaf);
        // An operator before the first leaf is between no two leaves.
        if let (Some((operator, term)), Some(before)) = (self.nearest.take(), number.checked_sub(1))
        {
            while self.between.last().is_some_and(|(_, last, _)| last.depth >= operator.depth) {
                self.between.pop();
            }
            self.between.push((before, operator, term));
        }
        let actions = self.pool.event_actions(leaf.event);
        if let &[only] = actions {
            let component = self.partition.component_of(self.pool.action(only).lifeline);
            self.part(number, component, actions);
            return;
        }
        for (component, actions) in by_component(self.pool, self.partition, leaf.event) {
            self.part(number, component, &actions);
        }
    }

    fn part(&mut self, leaf: u32, component: ComponentId, actions: &[ActionId]) {
        let label = self.unrolled.labels.intern(actions).0;
        // The first part has no part before it, so its operator does not matter.
        let mut before = Operator { depth: 0, kind: OperatorKind::Strict };
        if let Some(last) = self.last[component.index()].replace(leaf) {
            let at = self.between.partition_point(|&(leaf, ..)| leaf < last);
            let (_, operator, term) = self.between[at];
            before = operator;
            let chain = &mut self.unrolled.chains[component.index()];
            let node = self.pool.node(term);
            *chain = *chain && !coupling::is_loose(self.pool, self.partition, node, component);
        }
        let component = u32::try_from(component.index()).expect("components have 32 bits");
        self.parts.push((component, Part { leaf, label, before }));
    }
}

/// The number of leaves of a term with these numbers of iterations of its loops.
fn size(pool: &Pool, term: TermId, iterations: &impl Fn(TermId) -> usize) -> usize {
    let mut sizes: FxHashMap<TermId, usize> = FxHashMap::default();
    for part in coupling::parts(pool, term) {
        let node = pool.node(part);
        let below =
            node.operands().fold(0, |sum: usize, operand| sum.saturating_add(sizes[&operand]));
        let size = match node {
            Term::Empty | Term::Event(_) => 1,
            Term::Strict(..) | Term::Coreg(..) | Term::Alt(..) => below,
            Term::LoopS(_) | Term::LoopC(..) => below.saturating_mul(iterations(part)),
        };
        sizes.insert(part, size);
    }
    sizes[&term]
}
