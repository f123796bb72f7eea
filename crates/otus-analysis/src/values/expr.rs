//! Hash-consed expressions: what is left of an interaction with values.
//!
//! ```text
//! e ::= NEVER | ∅ | leaf(v…) | alt(e, e) | par(e…) | sched_D(e, e) | loop_D(e) | new(x)(e) | fresh(x, s)(loop_D(e)) | hole
//! v ::= x (bound by a binder around it) | slot
//! ```
//!
//! A *hole* stands for a part whose state is kept elsewhere: the sessions of an inner loop ([`keyed`](super::keyed)). Any
//! of its events can happen at any time, as far as the expression knows, and it can always end.
//!
//! A *slot* stands for a variable whose binder has been entered; its value is in a register beside the expression. Slots
//! are numbered by first occurrence ([`Exprs::canonical`]), so expressions that differ only in values are equal: they have
//! the same *shape*, and the steps of a shape are computed once. The set `s` of a `fresh` is a slot, too, as soon as its loop
//! was entered: it holds the values of the iterations so far, which later iterations must avoid.
//!
//! `sched_D(e, f)`: an event of f on the lifelines Θ needs that e can do without the lifelines D(Θ). `strict` has
//! D(Θ) = L, `coreg_r` has D(Θ) = Θ∖r. In a *relaxed* table, `strict` has only the lifelines of the components of Θ; that is
//! exact where components are decoupled ([`coupling`](crate::engine::coupling)).

mod slots;

use std::collections::BTreeSet;
use std::sync::Arc;

use otus_core::index::Index as _;
use otus_core::intern::Interner;
use otus_core::valued::{Atom, Part, Valued, ValuedId, ValuedNode, VariableId};
use otus_core::{Action, IndexVec, LifelineId, LifelineSet, Peer, Pool, define_id};
use otus_trace::Partition;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

define_id! {
    /// An expression.
    pub(super) ExprId;
    /// A leaf of the interaction, with its guards.
    pub(super) LeafId;
    /// The actions of a leaf, without guards: what an event must look like.
    pub(super) KindId;
    /// A set of lifelines.
    pub(super) SetId;
    /// A hole of an interaction.
    pub(super) HoleId;
}

/// A variable in an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Var {
    /// Bound by a binder of the expression.
    Bound(VariableId),
    /// A register of the state.
    Slot(u16),
    /// Opened by the step at hand: it has no register yet.
    Opened(u16),
}

impl Var {
    /// The number of its register.
    pub(super) fn slot(self) -> Option<usize> {
        if let Var::Slot(at) = self { Some(usize::from(at)) } else { None }
    }
}

/// The variables that the guard of a leaf mentions, in the order of [`Leaf::variables`].
pub(super) type Arguments = SmallVec<[Var; 4]>;

/// How the operands of a scheduling operator are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Order {
    /// On all lifelines.
    Strict,
    /// On the lifelines outside this set.
    Outside(SetId),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Expr {
    Never,
    Empty,
    Leaf(LeafId, Arguments),
    Alt(ExprId, ExprId),
    /// Operands without any order between them, sorted.
    Par(Box<[ExprId]>),
    Sched(Order, ExprId, ExprId),
    Loop(Order, ExprId),
    New(VariableId, ExprId),
    /// The variable of an iteration, and the set of its values so far. The operand is a loop or another `fresh`.
    Fresh(VariableId, Var, ExprId),
    /// A hole, the table of its sessions (a slot as soon as one of its events happened), and the lifelines on which it has no
    /// more events.
    Hole(HoleId, Var, SetId),
}

/// What the expression knows of a hole.
#[derive(Debug, Clone)]
pub(super) struct Hole {
    lifelines: LifelineSet,
    /// For each kind of event: a leaf without a guard.
    pub(super) leaves: FxHashMap<KindId, LeafId>,
    /// Whether there is only one instance of it, so that its table needs no slot.
    pub(super) is_single: bool,
}

/// Some parts of an interaction, operands of one `par`, that become a hole.
#[derive(Debug, Clone)]
pub(super) struct Replaced {
    pub(super) nodes: Vec<ValuedId>,
    /// The name of its table, until that has a slot.
    pub(super) table: VariableId,
    pub(super) is_single: bool,
    /// Its actions. Each of them is an event by itself.
    pub(super) parts: Vec<Part>,
}

/// A leaf of the interaction.
#[derive(Debug, Clone)]
pub(super) struct Leaf {
    /// The node of the valued tree that it comes from.
    pub(super) node: ValuedId,
    pub(super) parts: Box<[Part]>,
    pub(super) kind: KindId,
    /// The distinct variables of all guards.
    pub(super) variables: SmallVec<[VariableId; 4]>,
    pub(super) lifelines: LifelineSet,
}

/// What is known of an expression.
#[derive(Debug, Clone, Copy)]
struct Attributes {
    lifelines: SetId,
    /// Whether it has the empty trace, conditions on values left aside.
    nullable: bool,
    /// Whether it mentions a slot or an opened variable.
    has_slots: bool,
    size: u32,
    /// The most events outside loops, and in one iteration of a loop with all loops inside it.
    outside: u32,
    inside: u32,
}

/// All expressions of one interaction and partition.
#[derive(Debug)]
pub(super) struct Exprs {
    items: Interner<ExprId, Expr>,
    attributes: IndexVec<ExprId, Attributes>,
    pub(super) leaves: IndexVec<LeafId, Leaf>,
    pub(super) kinds: Interner<KindId, Box<[Action]>>,
    pub(super) sets: Interner<SetId, LifelineSet>,
    pub(super) holes: IndexVec<HoleId, Hole>,
    pruned: FxHashMap<(ExprId, SetId), ExprId>,
    /// The lifelines that leaves wait for ([`stubborn`](super::stubborn)).
    pub(super) waiting: FxHashMap<(ExprId, LeafId), Option<SetId>>,
    /// By lifeline: the lifelines of its component; for a relaxed table.
    relaxed: Option<Vec<LifelineSet>>,
    all: LifelineSet,
    bytes: usize,
}

impl Exprs {
    pub(super) const NEVER: ExprId = ExprId(0);
    pub(super) const EMPTY: ExprId = ExprId(1);
    /// No lifeline.
    pub(super) const NONE: SetId = SetId(0);

    /// The expression of an interaction, in a table of its own.
    pub(super) fn new(
        pool: &Pool,
        valued: &Valued,
        partition: &Partition,
        relaxed: bool,
    ) -> (Self, ExprId) {
        Exprs::with_holes(pool, valued, partition, relaxed, &[])
    }

    /// The same with some parts replaced by holes, which are numbered in their order.
    pub(super) fn with_holes(
        pool: &Pool,
        valued: &Valued,
        partition: &Partition,
        relaxed: bool,
        replaced: &[Replaced],
    ) -> (Self, ExprId) {
        let components: Vec<LifelineSet> = (0..partition.lifeline_count())
            .map(|at| partition.set(partition.component_of(LifelineId::new(at))))
            .collect();
        let mut exprs = Exprs {
            items: Interner::default(),
            attributes: IndexVec::default(),
            leaves: IndexVec::default(),
            kinds: Interner::default(),
            sets: Interner::default(),
            holes: IndexVec::default(),
            pruned: FxHashMap::default(),
            waiting: FxHashMap::default(),
            relaxed: relaxed.then_some(components),
            all: LifelineSet::full(partition.lifeline_count()),
            bytes: 0,
        };
        exprs.sets.intern(LifelineSet::EMPTY);
        exprs.intern(Expr::Never);
        exprs.intern(Expr::Empty);
        let root = exprs.compile(pool, valued, replaced);
        exprs.make_leaves_of_holes(replaced);
        (exprs, root)
    }

    fn compile(&mut self, pool: &Pool, valued: &Valued, replaced: &[Replaced]) -> ExprId {
        for Replaced { is_single, parts, .. } in replaced {
            let lifelines = parts.iter().map(|part| part.action.lifeline).collect();
            let leaves = FxHashMap::default();
            self.holes.push(Hole { lifelines, leaves, is_single: *is_single });
        }
        let mut done: Vec<ExprId> = Vec::with_capacity(valued.nodes.len());
        for (id, node) in valued.nodes.iter_with_ids() {
            let of = |id: ValuedId| done[id.index()];
            if let Some(at) = replaced.iter().position(|it| it.nodes.contains(&id)) {
                // Leaves and kinds have the same numbers as without holes.
                if let ValuedNode::Event(parts) = node {
                    self.event(id, parts);
                }
                if replaced[at].nodes.first() != Some(&id) {
                    done.push(Exprs::EMPTY);
                    continue;
                }
                let table = Var::Bound(replaced[at].table);
                done.push(self.intern(Expr::Hole(HoleId::new(at), table, Exprs::NONE)));
                continue;
            }
            let expr = match node {
                ValuedNode::Empty => Exprs::EMPTY,
                ValuedNode::Event(parts) => self.event(id, parts),
                ValuedNode::Strict(i, j) => self.sched(Order::Strict, of(*i), of(*j)),
                ValuedNode::Coreg(region, i, j) => {
                    let order = Order::Outside(self.set(&pool.region(*region)));
                    self.sched(order, of(*i), of(*j))
                }
                ValuedNode::Alt(i, j) => self.alt(of(*i), of(*j)),
                ValuedNode::LoopS(i) => self.repeat(Order::Strict, of(*i)),
                ValuedNode::LoopC(region, i) => {
                    let order = Order::Outside(self.set(&pool.region(*region)));
                    self.repeat(order, of(*i))
                }
                ValuedNode::New(x, i) => self.new_variable(*x, of(*i)),
                ValuedNode::Fresh(x, i) => self.fresh(*x, Var::Bound(*x), of(*i)),
            };
            done.push(expr);
        }
        done[valued.root.index()]
    }

    /// Makes leaves without guards for the events of holes. They come after all others.
    fn make_leaves_of_holes(&mut self, replaced: &[Replaced]) {
        for (at, Replaced { nodes, parts, .. }) in replaced.iter().enumerate() {
            let mut actions: Vec<Action> = parts.iter().map(|part| part.action).collect();
            actions.sort_unstable();
            actions.dedup();
            for action in actions {
                let own = parts.iter().filter(|part| part.action == action);
                let peers: BTreeSet<Peer> =
                    own.flat_map(|part| part.peers.iter().copied()).collect();
                let kind = self.kinds.intern([action].into());
                let lifelines = std::iter::once(action.lifeline).collect();
                let part = Part { action, peers: Arc::new(peers), guard: Box::default() };
                let (variables, parts) = (SmallVec::new(), [part].into());
                let leaf = Leaf { node: nodes[0], parts, kind, variables, lifelines };
                let leaf = self.leaves.push(leaf);
                self.holes[HoleId::new(at)].leaves.insert(kind, leaf);
            }
        }
    }

    /// The holes with sessions that must do without some lifelines, if the expression does: each with its table.
    pub(super) fn holes_on(&self, id: ExprId, lifelines: SetId) -> SmallVec<[(HoleId, Var); 1]> {
        let mut found = SmallVec::new();
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            if self.holes.is_empty() || self.lifelines(id).is_disjoint(&self.sets.items[lifelines])
            {
                continue;
            }
            match self.expr(id) {
                Expr::Hole(hole, table, _) => {
                    // Nothing has happened in a hole whose table has no slot yet.
                    if self.holes[*hole].is_single || !matches!(table, Var::Bound(_)) {
                        found.push((*hole, *table));
                    }
                }
                Expr::Sched(_, left, right) => pending.extend([*right, *left]),
                Expr::Par(operands) => pending.extend(operands.iter().rev()),
                // What is inside these has not begun.
                Expr::Alt(..) | Expr::Loop(..) | Expr::New(..) | Expr::Fresh(..) => {}
                Expr::Never | Expr::Empty | Expr::Leaf(..) => {}
            }
        }
        found
    }

    /// An expression in which all holes without a slot for their tables have one: what is left after an event of a hole that
    /// changes nothing else.
    pub(super) fn opened(&mut self, id: ExprId, table: VariableId) -> ExprId {
        let opened = |var: Var| if var == Var::Bound(table) { Var::Opened(0) } else { var };
        let id = self.replace(id, &mut { opened });
        self.canonical(id).0
    }

    fn event(&mut self, node: ValuedId, parts: &[Part]) -> ExprId {
        let mut variables: SmallVec<[VariableId; 4]> = SmallVec::new();
        for variable in parts.iter().flat_map(|part| part.guard.iter()).filter_map(Atom::variable) {
            if !variables.contains(&variable) {
                variables.push(variable);
            }
        }
        let arguments = variables.iter().map(|&x| Var::Bound(x)).collect();
        let kind = self.kinds.intern(parts.iter().map(|part| part.action).collect());
        let lifelines = parts.iter().map(|part| part.action.lifeline).collect();
        let parts = parts.to_vec().into();
        let leaf = self.leaves.push(Leaf { node, parts, kind, variables, lifelines });
        self.intern(Expr::Leaf(leaf, arguments))
    }

    /// Whether `strict` orders only the events of one component.
    pub(super) fn is_relaxed(&self) -> bool {
        self.relaxed.is_some()
    }

    pub(super) fn expr(&self, id: ExprId) -> &Expr {
        &self.items.items[id]
    }

    pub(super) fn nullable(&self, id: ExprId) -> bool {
        self.attributes[id].nullable
    }

    pub(super) fn size(&self, id: ExprId) -> u32 {
        self.attributes[id].size
    }

    pub(super) fn lifelines(&self, id: ExprId) -> &LifelineSet {
        &self.sets.items[self.attributes[id].lifelines]
    }

    /// The lifelines of an expression as a set with a number.
    pub(super) fn lifeline_set(&self, id: ExprId) -> SetId {
        self.attributes[id].lifelines
    }

    /// Whether a set of lifelines has none of these.
    pub(super) fn is_disjoint(&self, set: SetId, lifelines: &LifelineSet) -> bool {
        self.sets.items[set].is_disjoint(lifelines)
    }

    /// The memory of all tables, roughly.
    pub(super) fn bytes(&self) -> usize {
        self.bytes + 24 * (self.pruned.len() + self.waiting.len())
    }

    /// An upper bound on the events of an explanation with this number of observed moments. By the loop lemma every
    /// iteration of every loop has an observed event.
    pub(super) fn bound(&self, id: ExprId, observed: u64) -> u64 {
        let Attributes { outside, inside, .. } = self.attributes[id];
        u64::from(outside).saturating_add(u64::from(inside).saturating_mul(observed))
    }

    pub(super) fn set(&mut self, set: &LifelineSet) -> SetId {
        self.sets.intern(set.clone())
    }

    /// D(Θ): the lifelines that the left operand must do without.
    pub(super) fn conflicts(&mut self, order: Order, leaf: LeafId) -> SetId {
        let own = &self.leaves[leaf].lifelines;
        let set = match (order, &self.relaxed) {
            (Order::Strict, None) => self.all.clone(),
            (Order::Strict, Some(components)) => {
                own.iter().fold(LifelineSet::EMPTY, |set, l| set.union(&components[l.index()]))
            }
            (Order::Outside(region), _) => own.difference(&self.sets.items[region]),
        };
        self.sets.intern(set)
    }

    /// Whether the order never makes an event of the right operand wait for one of the left.
    fn is_free(&self, order: Order, left: ExprId, right: ExprId) -> bool {
        let (left, right) = (self.lifelines(left), self.lifelines(right));
        match (order, &self.relaxed) {
            (Order::Strict, None) => false,
            (Order::Strict, Some(components)) => {
                right.iter().all(|lifeline| components[lifeline.index()].is_disjoint(left))
            }
            (Order::Outside(region), _) => {
                left.intersection(right).is_subset(&self.sets.items[region])
            }
        }
    }

    pub(super) fn intern(&mut self, expr: Expr) -> ExprId {
        let before = self.items.items.len();
        let id = self.items.intern(expr);
        if self.items.items.len() > before {
            let attributes = self.compute(id);
            self.attributes.push(attributes);
            let is_par =
                if let Expr::Par(operands) = &self.items.items[id] { operands } else { &[][..] };
            let boxed = size_of_val(is_par);
            self.bytes += size_of::<Expr>() + size_of::<Attributes>() + 16 + boxed;
        }
        id
    }

    /// An expression of another table of the same interaction, in this one.
    pub(super) fn copy(&mut self, other: &Exprs, id: ExprId) -> ExprId {
        let mut done = FxHashMap::default();
        self.copy_in(other, id, &mut done)
    }

    fn copy_in(
        &mut self,
        other: &Exprs,
        id: ExprId,
        done: &mut FxHashMap<ExprId, ExprId>,
    ) -> ExprId {
        if let Some(&known) = done.get(&id) {
            return known;
        }
        let copied = stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
            let order = |exprs: &mut Exprs, order: Order| match order {
                Order::Strict => Order::Strict,
                Order::Outside(set) => Order::Outside(exprs.set(&other.sets.items[set])),
            };
            let expr = match other.expr(id).clone() {
                Expr::Never => Expr::Never,
                Expr::Empty => Expr::Empty,
                // Leaves have the same numbers in all tables of an interaction.
                Expr::Leaf(leaf, arguments) => Expr::Leaf(leaf, arguments),
                Expr::Alt(i, j) => {
                    Expr::Alt(self.copy_in(other, i, done), self.copy_in(other, j, done))
                }
                Expr::Par(operands) => {
                    let mut operands: Vec<ExprId> =
                        operands.iter().map(|&i| self.copy_in(other, i, done)).collect();
                    operands.sort_unstable();
                    Expr::Par(operands.into())
                }
                Expr::Sched(old, i, j) => {
                    let (i, j) = (self.copy_in(other, i, done), self.copy_in(other, j, done));
                    Expr::Sched(order(self, old), i, j)
                }
                Expr::Loop(old, i) => {
                    let i = self.copy_in(other, i, done);
                    Expr::Loop(order(self, old), i)
                }
                Expr::New(x, i) => Expr::New(x, self.copy_in(other, i, done)),
                Expr::Fresh(x, set, i) => Expr::Fresh(x, set, self.copy_in(other, i, done)),
                Expr::Hole(hole, table, without) => {
                    Expr::Hole(hole, table, self.set(&other.sets.items[without]))
                }
            };
            self.intern(expr)
        });
        done.insert(id, copied);
        copied
    }

    fn compute(&mut self, id: ExprId) -> Attributes {
        let leaf = |lifelines, nullable, has_slots| Attributes {
            lifelines,
            nullable,
            has_slots,
            size: 1,
            outside: u32::from(!nullable),
            inside: 0,
        };
        let is_slot = |var: &Var| !matches!(var, Var::Bound(_));
        match self.items.items[id].clone() {
            Expr::Never => leaf(Exprs::NONE, false, false),
            Expr::Empty => leaf(Exprs::NONE, true, false),
            Expr::Leaf(at, arguments) => {
                let lifelines = self.sets.intern(self.leaves[at].lifelines.clone());
                leaf(lifelines, false, arguments.iter().any(is_slot))
            }
            Expr::Alt(left, right) => {
                let joined = self.join(&[left, right]);
                let [a, b] = [left, right].map(|x| self.attributes[x]);
                Attributes {
                    nullable: a.nullable || b.nullable,
                    outside: a.outside.max(b.outside),
                    ..joined
                }
            }
            Expr::Par(operands) => self.join(&operands),
            Expr::Sched(_, left, right) => self.join(&[left, right]),
            Expr::Loop(_, body) => {
                let body = self.attributes[body];
                Attributes {
                    nullable: true,
                    size: body.size.saturating_add(1),
                    outside: 0,
                    inside: body.outside.saturating_add(body.inside),
                    ..body
                }
            }
            Expr::New(_, body) => self.attributes[body],
            Expr::Fresh(_, set, body) => {
                let body = self.attributes[body];
                Attributes { has_slots: body.has_slots || is_slot(&set), ..body }
            }
            Expr::Hole(hole, table, without) => {
                let left = self.holes[hole].lifelines.difference(&self.sets.items[without]);
                Attributes { inside: 1, ..leaf(self.sets.intern(left), true, is_slot(&table)) }
            }
        }
    }

    fn join(&mut self, operands: &[ExprId]) -> Attributes {
        let mut lifelines = LifelineSet::EMPTY;
        let mut joined = Attributes {
            lifelines: Exprs::NONE,
            nullable: true,
            has_slots: false,
            size: 1,
            outside: 0,
            inside: 0,
        };
        for &operand in operands {
            let own = self.attributes[operand];
            lifelines = lifelines.union(&self.sets.items[own.lifelines]);
            joined.nullable &= own.nullable;
            joined.has_slots |= own.has_slots;
            joined.size = joined.size.saturating_add(own.size);
            joined.outside = joined.outside.saturating_add(own.outside);
            joined.inside = joined.inside.max(own.inside);
        }
        joined.lifelines = self.sets.intern(lifelines);
        joined
    }

    /// `alt(i, j)`, sorted. `alt(i, i) = i`.
    pub(super) fn alt(&mut self, left: ExprId, right: ExprId) -> ExprId {
        match (left, right) {
            (Exprs::NEVER, other) | (other, Exprs::NEVER) => other,
            (left, right) if left == right => left,
            (left, right) => self.intern(Expr::Alt(left.min(right), left.max(right))),
        }
    }

    /// `sched_D(i, j)`; `par` if nothing is ordered. `loop_D(i)` twice in its own order is that loop.
    pub(super) fn sched(&mut self, order: Order, left: ExprId, right: ExprId) -> ExprId {
        if left == Exprs::NEVER || right == Exprs::NEVER {
            return Exprs::NEVER;
        }
        if left == Exprs::EMPTY {
            return right;
        }
        if right == Exprs::EMPTY {
            return left;
        }
        if self.is_free(order, left, right) {
            return self.par(left, right);
        }
        if left == right && self.loop_order(left) == Some(order) {
            return left;
        }
        if let Expr::Sched(inner, first, _) = *self.expr(right)
            && inner == order
            && first == left
            && self.loop_order(left) == Some(order)
        {
            return right;
        }
        self.intern(Expr::Sched(order, left, right))
    }

    /// The order of a loop's iterations, if the expression is a loop of which two copies can be one. Two loops with fresh
    /// variables that have not been entered are two instances, each with values of its own.
    fn loop_order(&self, id: ExprId) -> Option<Order> {
        match self.expr(id) {
            Expr::Loop(order, _) => Some(*order),
            Expr::Fresh(_, Var::Bound(_), _) => None,
            Expr::Fresh(_, _, body) => self.loop_order(*body),
            Expr::Never
            | Expr::Empty
            | Expr::Leaf(..)
            | Expr::Alt(..)
            | Expr::Par(_)
            | Expr::Sched(..)
            | Expr::New(..)
            | Expr::Hole(..) => None,
        }
    }

    /// Whether iterations of a loop are not ordered, so that two copies of it are one.
    fn is_free_loop(&self, id: ExprId) -> bool {
        self.loop_order(id).is_some_and(|order| self.is_free(order, id, id))
    }

    fn par(&mut self, left: ExprId, right: ExprId) -> ExprId {
        self.par_of(&[left, right])
    }

    /// All of these in parallel. Joined one by one, as many sessions as are open would cost their square.
    pub(super) fn par_of(&mut self, operands: &[ExprId]) -> ExprId {
        let mut all: Vec<ExprId> = Vec::with_capacity(operands.len());
        for &operand in operands {
            match self.expr(operand) {
                Expr::Never => return Exprs::NEVER,
                Expr::Empty => {}
                Expr::Par(inner) => all.extend_from_slice(inner),
                Expr::Leaf(..)
                | Expr::Alt(..)
                | Expr::Sched(..)
                | Expr::Loop(..)
                | Expr::New(..)
                | Expr::Fresh(..)
                | Expr::Hole(..) => all.push(operand),
            }
        }
        all.sort_unstable();
        // Two equal loops in parallel are one loop, but two equal sessions are two.
        all.dedup_by(|next, before| next == before && self.is_free_loop(*next));
        match *all {
            [] => Exprs::EMPTY,
            [only] => only,
            _ => self.intern(Expr::Par(all.into())),
        }
    }

    fn repeat(&mut self, order: Order, body: ExprId) -> ExprId {
        match body {
            Exprs::NEVER | Exprs::EMPTY => Exprs::EMPTY,
            body => self.intern(Expr::Loop(order, body)),
        }
    }

    fn new_variable(&mut self, variable: VariableId, body: ExprId) -> ExprId {
        match body {
            Exprs::NEVER | Exprs::EMPTY => body,
            body => self.intern(Expr::New(variable, body)),
        }
    }

    pub(super) fn fresh(&mut self, variable: VariableId, set: Var, body: ExprId) -> ExprId {
        match body {
            Exprs::NEVER | Exprs::EMPTY => body,
            body => self.intern(Expr::Fresh(variable, set, body)),
        }
    }

    /// The expression without any event on some lifelines; NEVER if there is none. Pruning commutes with binders.
    pub(super) fn prune(&mut self, id: ExprId, lifelines: SetId) -> ExprId {
        if self.lifelines(id).is_disjoint(&self.sets.items[lifelines]) {
            return id;
        }
        if let Some(&known) = self.pruned.get(&(id, lifelines)) {
            return known;
        }
        let pruned = stacker::maybe_grow(64 * 1024, 1024 * 1024, || match self.expr(id).clone() {
            Expr::Never | Expr::Empty => id,
            Expr::Leaf(..) => Exprs::NEVER,
            Expr::Alt(left, right) => {
                let (left, right) = (self.prune(left, lifelines), self.prune(right, lifelines));
                self.alt(left, right)
            }
            Expr::Par(operands) => {
                let pruned: Vec<ExprId> =
                    operands.iter().map(|&operand| self.prune(operand, lifelines)).collect();
                self.par_of(&pruned)
            }
            Expr::Sched(order, left, right) => {
                let (left, right) = (self.prune(left, lifelines), self.prune(right, lifelines));
                self.sched(order, left, right)
            }
            Expr::Loop(order, body) => {
                let body = self.prune(body, lifelines);
                self.repeat(order, body)
            }
            Expr::New(variable, body) => {
                let body = self.prune(body, lifelines);
                self.new_variable(variable, body)
            }
            Expr::Fresh(variable, set, body) => {
                let body = self.prune(body, lifelines);
                self.fresh(variable, set, body)
            }
            Expr::Hole(hole, table, without) => {
                let all = self.sets.items[without].union(&self.sets.items[lifelines]);
                let own = &self.holes[hole].lifelines;
                if own.is_subset(&all) {
                    Exprs::EMPTY
                } else {
                    let without = own.intersection(&all);
                    let without = self.set(&without);
                    self.intern(Expr::Hole(hole, table, without))
                }
            }
        });
        self.bytes += 32;
        self.pruned.insert((id, lifelines), pruned);
        pruned
    }

    /// Whether some leaf has events of this kind.
    pub(super) fn has_kind(&self, id: ExprId, kind: KindId) -> bool {
        let mut seen: FxHashSet<ExprId> = FxHashSet::default();
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.expr(id) {
                Expr::Leaf(leaf, _) if self.leaves[*leaf].kind == kind => return true,
                Expr::Hole(hole, ..) if self.holes[*hole].leaves.contains_key(&kind) => {
                    return true;
                }
                Expr::Never | Expr::Empty | Expr::Leaf(..) | Expr::Hole(..) => {}
                Expr::Alt(left, right) | Expr::Sched(_, left, right) => {
                    pending.extend([*left, *right]);
                }
                Expr::Par(operands) => pending.extend(operands.iter()),
                Expr::Loop(_, body) | Expr::New(_, body) | Expr::Fresh(_, _, body) => {
                    pending.push(*body);
                }
            }
        }
        false
    }
}
