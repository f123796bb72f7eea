//! The steps of a shape, computed once for each kind of event.
//!
//! ```text
//! leaf[g]            —e→ ∅, if g holds of e
//! new(x)(i):             as i[z/x], z opened now
//! loop(fresh x)(i):      as the loop with the iteration i[z/x]; z differs from all values in the set of the loop
//! sched_D(i, j):         a step of i; or a step of j, if i can do without D(Θ)
//! loop_D(i):             sched_D(prune(loop_D(i), D(Θ)), sched_D(i′, loop_D(i)))
//! hole:                  itself; it notes the table in which the event happens
//! ```
//!
//! Where the left operand of `sched_D` has holes, their sessions must be able to do without D(Θ), too. A shape cannot know
//! that, so the step notes what it asks of which table.

use std::sync::Arc;

use otus_core::valued::VariableId;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::event::Usage;
use super::expr::{
    Arguments, Expr, ExprId, Exprs, HoleId, KindId, Leaf, LeafId, Order, SetId, Var,
};

/// One way in which an event of some kind can happen.
#[derive(Debug, Clone)]
pub(super) struct Way {
    pub(super) leaf: LeafId,
    /// The variables of its guard: slots of the shape before, and opened ones.
    pub(super) arguments: Arguments,
    /// The shape after it.
    pub(super) rest: ExprId,
    /// By slot of the shape after: the variable before.
    pub(super) moves: SmallVec<[Var; 4]>,
    /// The variables and sets that the step opens.
    pub(super) opened: SmallVec<[VariableId; 4]>,
    /// The opened variables that are sets, with nothing in them yet.
    pub(super) opened_sets: SmallVec<[u16; 2]>,
    /// The sets that get a value, which must not be there yet.
    pub(super) inserts: SmallVec<[(Var, Var); 2]>,
    /// The hole in which the event happens, its table, and the lifelines on which it has no more events.
    pub(super) hole: Option<(HoleId, Var, SetId)>,
    /// The tables whose sessions must do without lifelines from now on.
    pub(super) without: SmallVec<[(HoleId, Var, SetId); 1]>,
    /// By loop of which the step begins an iteration: the lifelines of the rest of that iteration.
    pub(super) entered: SmallVec<[SetId; 2]>,
}

impl Way {
    fn new(leaf: LeafId, arguments: Arguments) -> Self {
        Way {
            leaf,
            arguments,
            rest: Exprs::EMPTY,
            moves: SmallVec::new(),
            opened: SmallVec::new(),
            opened_sets: SmallVec::new(),
            inserts: SmallVec::new(),
            hole: None,
            without: SmallVec::new(),
            entered: SmallVec::new(),
        }
    }

    /// Its memory, roughly.
    fn bytes(&self) -> usize {
        let vars = self.moves.len() + self.arguments.len() + 2 * self.inserts.len();
        size_of::<Way>() + vars * size_of::<Var>() + self.opened.len() * size_of::<VariableId>()
    }

    /// How the event uses variables. The leaf is that of the way.
    pub(super) fn usage<'a>(&'a self, leaf: &'a Leaf) -> Usage<'a> {
        Usage {
            parts: &leaf.parts,
            variables: &leaf.variables,
            arguments: &self.arguments,
            opened: self.opened.len(),
            opened_sets: &self.opened_sets,
            inserts: &self.inserts,
            moves: &self.moves,
        }
    }
}

/// The ways of all shapes met so far.
#[derive(Debug, Default)]
pub(super) struct Steps {
    known: FxHashMap<(ExprId, KindId), Arc<[Way]>>,
    /// The large ones that were met once.
    met: FxHashSet<(ExprId, KindId)>,
    bytes: usize,
}

/// The most memory of the ways that are kept. Where many sessions are open, each has many of them, and few are asked for again.
const MOST_BYTES: usize = 32 << 20;

impl Steps {
    /// Whether the steps of an expression for a kind of event were asked for before. What comes twice comes often, so its ways
    /// are worth keeping.
    pub(super) fn recurs(&mut self, expr: ExprId, kind: KindId) -> bool {
        if self.known.contains_key(&(expr, kind)) {
            return true;
        }
        let is_new = self.met.insert((expr, kind));
        self.bytes += if is_new { 2 * size_of::<(ExprId, KindId)>() } else { 0 };
        !is_new
    }

    /// The ways in which an event of a kind can happen next, and whose guards may hold.
    ///
    /// Where many sessions are open there are many ways, and one event fits few of them. To number the slots of a rest takes time in
    /// proportion to all that is open, so that is done for those few only, and nothing is kept.
    pub(super) fn possible(
        exprs: &mut Exprs,
        (expr, kind): (ExprId, KindId),
        mut may_hold: impl FnMut(&Usage<'_>) -> bool,
    ) -> Arc<[Way]> {
        let mut ways = raw(exprs, expr, kind);
        ways.retain(|way| may_hold(&way.usage(&exprs.leaves[way.leaf])));
        Steps::numbered(exprs, ways)
    }

    /// The ways in which an event of a kind can happen next.
    pub(super) fn ways(&mut self, exprs: &mut Exprs, expr: ExprId, kind: KindId) -> Arc<[Way]> {
        if let Some(known) = self.known.get(&(expr, kind)) {
            return Arc::clone(known);
        }
        let ways = raw(exprs, expr, kind);
        let ways = Steps::numbered(exprs, ways);
        if self.bytes > MOST_BYTES {
            self.known.clear();
            self.met.clear();
            self.bytes = 0;
        }
        self.bytes += size_of::<Arc<[Way]>>() + 32 + ways.iter().map(Way::bytes).sum::<usize>();
        self.known.insert((expr, kind), Arc::clone(&ways));
        ways
    }

    /// The different ones of some ways, with the slots of their rests numbered.
    fn numbered(exprs: &mut Exprs, raw: Vec<Way>) -> Arc<[Way]> {
        let mut ways: Vec<Way> = Vec::new();
        for mut way in raw {
            (way.rest, way.moves) = exprs.canonical(way.rest);
            // Equal operands of a `par` have equal steps.
            let is_known = ways.iter().any(|other| {
                other.leaf == way.leaf
                    && other.arguments == way.arguments
                    && other.rest == way.rest
                    && other.moves == way.moves
                    && other.inserts == way.inserts
                    && other.hole == way.hole
                    && other.without == way.without
            });
            if !is_known {
                ways.push(way);
            }
        }
        ways.into()
    }

    /// Its memory, roughly.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// The ways, with variables not numbered anew.
fn raw(exprs: &mut Exprs, id: ExprId, kind: KindId) -> Vec<Way> {
    stacker::maybe_grow(64 * 1024, 1024 * 1024, || raw_in(exprs, id, kind))
}

fn raw_in(exprs: &mut Exprs, id: ExprId, kind: KindId) -> Vec<Way> {
    match exprs.expr(id).clone() {
        Expr::Never | Expr::Empty => Vec::new(),
        Expr::Leaf(leaf, arguments) => {
            if exprs.leaves[leaf].kind != kind {
                return Vec::new();
            }
            vec![Way::new(leaf, arguments)]
        }
        Expr::Alt(left, right) => {
            let mut ways = raw(exprs, left, kind);
            ways.extend(raw(exprs, right, kind));
            ways
        }
        Expr::Par(operands) => {
            let mut ways = Vec::new();
            for (at, &operand) in operands.iter().enumerate() {
                if at > 0 && operands[at - 1] == operand {
                    continue;
                }
                let own = raw(exprs, operand, kind);
                if own.is_empty() {
                    continue;
                }
                let mut rest = operands.to_vec();
                for mut way in own {
                    rest[at] = way.rest;
                    way.rest = exprs.par_of(&rest);
                    ways.push(way);
                }
            }
            ways
        }
        Expr::Sched(order, left, right) => {
            let mut ways = raw(exprs, left, kind);
            for way in &mut ways {
                way.rest = exprs.sched(order, way.rest, right);
            }
            for mut way in raw(exprs, right, kind) {
                let conflicts = exprs.conflicts(order, way.leaf);
                let before = exprs.prune(left, conflicts);
                let holes = exprs.holes_on(left, conflicts).into_iter();
                way.without.extend(holes.map(|(hole, table)| (hole, table, conflicts)));
                way.rest = exprs.sched(order, before, way.rest);
                if way.rest != Exprs::NEVER {
                    ways.push(way);
                }
            }
            ways
        }
        Expr::Loop(order, body) => {
            let mut ways = raw(exprs, body, kind);
            for way in &mut ways {
                again(exprs, order, way, id);
            }
            ways
        }
        Expr::New(variable, body) => {
            let mut ways = raw(exprs, body, kind);
            for way in &mut ways {
                let opened = open(way, variable);
                substitute(exprs, way, Var::Bound(variable), opened);
            }
            ways
        }
        Expr::Fresh(..) => fresh_ways(exprs, id, kind),
        Expr::Hole(hole, table, without) => {
            let Some(&leaf) = exprs.holes[hole].leaves.get(&kind) else { return Vec::new() };
            let mut way = Way::new(leaf, Arguments::new());
            if exprs.is_disjoint(without, &exprs.leaves[leaf].lifelines) {
                let table = match table {
                    Var::Bound(variable) if !exprs.holes[hole].is_single => {
                        open(&mut way, variable)
                    }
                    table @ (Var::Bound(_) | Var::Slot(_) | Var::Opened(_)) => table,
                };
                way.hole = Some((hole, table, without));
                way.rest = exprs.intern(Expr::Hole(hole, table, without));
                vec![way]
            } else {
                Vec::new()
            }
        }
    }
}

/// The steps of a loop whose iterations have variables of their own.
fn fresh_ways(exprs: &mut Exprs, id: ExprId, kind: KindId) -> Vec<Way> {
    let mut binders = Vec::new();
    let mut inner = id;
    while let Expr::Fresh(variable, set, body) = *exprs.expr(inner) {
        binders.push((variable, set));
        inner = body;
    }
    let Expr::Loop(order, body) = *exprs.expr(inner) else { return Vec::new() };
    let mut ways = raw(exprs, body, kind);
    for way in &mut ways {
        let mut template = inner;
        for &(variable, set) in binders.iter().rev() {
            let opened = open(way, variable);
            substitute(exprs, way, Var::Bound(variable), opened);
            let set = match set {
                Var::Bound(_) => {
                    let set = open(way, variable);
                    if let Var::Opened(number) = set {
                        way.opened_sets.push(number);
                    }
                    set
                }
                Var::Slot(_) | Var::Opened(_) => set,
            };
            way.inserts.push((set, opened));
            template = exprs.fresh(variable, set, template);
        }
        again(exprs, order, way, template);
    }
    ways
}

/// Makes of the rest of an iteration the rest of its loop.
fn again(exprs: &mut Exprs, order: Order, way: &mut Way, template: ExprId) {
    way.entered.push(exprs.lifeline_set(way.rest));
    let conflicts = exprs.conflicts(order, way.leaf);
    let before = exprs.prune(template, conflicts);
    let after = exprs.sched(order, way.rest, template);
    way.rest = exprs.sched(order, before, after);
}

/// A new opened variable of a way.
fn open(way: &mut Way, variable: VariableId) -> Var {
    way.opened.push(variable);
    Var::Opened(u16::try_from(way.opened.len() - 1).unwrap_or(u16::MAX))
}

fn substitute(exprs: &mut Exprs, way: &mut Way, from: Var, to: Var) {
    let mut change = |var: Var| if var == from { to } else { var };
    for argument in &mut way.arguments {
        *argument = change(*argument);
    }
    for (set, value) in &mut way.inserts {
        (*set, *value) = (change(*set), change(*value));
    }
    way.rest = exprs.replace(way.rest, &mut change);
}
