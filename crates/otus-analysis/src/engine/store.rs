//! Expressions: normalised interactions, each stored once.
//!
//! An expression denotes the same traces as the term it comes from, in a form in which equal
//! things are nearly always the same number: operators take any number of operands, those whose
//! order does not matter are sorted, and conflict relations say only what matters (see
//! [`normal`](super::normal)). A number is therefore a state of a lazy automaton, and whatever is
//! computed for it is computed once.
//!
//! Tables grow as analyses go; [`Store::bytes`] says how large they are.
//!
//! A single step can be too much work, if alternatives multiply. It is counted where nothing is
//! known yet ([`FUEL`]); when it runs out, what was computed since is void, nothing of it is kept, and the
//! analysis is undecided.

use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::Instant;

use otus_core::LifelineSet;
use otus_core::index::IndexVec;
use otus_core::intern::Interner;
use otus_trace::multitrace::ComponentId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::known::Known;
use super::order::Order;
use super::strip::Loops;
use super::unroll::Begins;
use crate::budget::Stop;

/// What logs say about moves, for the few components there are as a rule.
pub(crate) type Heads = SmallVec<[u32; 8]>;

otus_core::define_id! {
    /// A normalised interaction.
    pub(crate) ExprId;
    /// What happens at once, on one or several components.
    pub(crate) LeafId;
    /// What a component can observe at one moment.
    pub(crate) SymbolId;
    /// A conflict relation.
    pub(crate) OrderId;
    /// A set of lifelines.
    pub(crate) SetId;
}

/// A normalised interaction.
#[derive(Debug, Clone)]
pub(crate) enum Expr {
    /// No trace at all.
    Never,
    /// The empty trace.
    Empty,
    /// One event.
    Leaf(LeafId),
    /// One of several, sorted.
    Alt(Arc<[ExprId]>),
    /// All of several, without conflict, sorted, each with how often it occurs.
    Par(Arc<[(ExprId, u32)]>),
    /// All of several, with conflicts.
    Seq(OrderId, Arc<[ExprId]>),
    /// Any number of times, with conflicts between iterations.
    Loop(OrderId, ExprId),
    /// What remains after skipping some first events on lifelines of one component (see
    /// [`late`](super::late)).
    Late(SetId, ExprId),
}

impl Expr {
    /// What makes it itself.
    pub(crate) fn form(&self) -> Form<'_> {
        match self {
            Expr::Never => Form::Never,
            Expr::Empty => Form::Empty,
            Expr::Leaf(leaf) => Form::Leaf(*leaf),
            Expr::Alt(operands) => Form::Alt(operands),
            Expr::Par(operands) => Form::Par(operands),
            Expr::Seq(order, operands) => Form::Seq(*order, operands),
            Expr::Loop(order, body) => Form::Loop(*order, *body),
            Expr::Late(skipped, inner) => Form::Late(*skipped, *inner),
        }
    }
}

impl PartialEq for Expr {
    fn eq(&self, other: &Expr) -> bool {
        self.form() == other.form()
    }
}

impl Eq for Expr {}

impl Hash for Expr {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.form().hash(state);
    }
}

/// An expression whose operands may be anywhere, so that it can be looked for before it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Form<'o> {
    Never,
    Empty,
    Leaf(LeafId),
    Alt(&'o [ExprId]),
    Par(&'o [(ExprId, u32)]),
    Seq(OrderId, &'o [ExprId]),
    Loop(OrderId, ExprId),
    Late(SetId, ExprId),
}

/// What is known of each expression.
#[derive(Debug, Clone)]
pub(crate) struct Facts {
    /// Where it has events.
    pub(crate) lifelines: LifelineSet,
    /// The same as a word, if there are at most 64 lifelines ([`Store::narrow`]): normal forms compare
    /// these all the time.
    pub(crate) word: u64,
    /// Whether it has the empty trace.
    pub(crate) nullable: bool,
    /// How many leaves and choices it has.
    pub(crate) size: u32,
}

/// An event as the components see it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Leaf {
    /// The lifelines it is on.
    pub(crate) lifelines: LifelineSet,
    /// What each component that it touches observes of it.
    pub(crate) parts: Box<[(ComponentId, SymbolId)]>,
}

/// All expressions of an engine, with what was computed for them.
#[derive(Debug)]
pub(crate) struct Store {
    pub(super) exprs: Interner<ExprId, Expr>,
    pub(super) facts: IndexVec<ExprId, Facts>,
    pub(super) orders: Interner<OrderId, Arc<Order>>,
    pub(super) sets: Interner<SetId, LifelineSet>,
    pub(super) leaves: Interner<LeafId, Leaf>,
    /// By component: its lifelines.
    pub(super) components: Vec<LifelineSet>,
    /// Whether a set of lifelines fits in a word.
    pub(super) narrow: bool,
    /// By order: the lifelines that are in conflict with themselves, as a word, if that is all.
    pub(super) order_words: Vec<Option<u64>>,
    /// The same the other way round.
    pub(super) diagonals: FxHashMap<u64, OrderId>,
    /// Whether alternatives and loops that add nothing are dropped.
    pub(super) absorb: bool,
    pub(super) stepped: Known<ExprId>,
    pub(super) stepped_that: FxHashMap<(Begins, ExprId, LeafId), ExprId>,
    pub(super) pruned: FxHashMap<(ExprId, SetId), ExprId>,
    pub(super) stripped: FxHashMap<(ExprId, SetId, Loops, SetId), ExprId>,
    pub(super) cuts: FxHashMap<(ExprId, SetId, SetId), ExprId>,
    pub(super) idle: FxHashMap<(ExprId, SetId), bool>,
    pub(super) shed: FxHashMap<ExprId, ExprId>,
    /// What is begun from, by what there was and which logs are over ([`Logs`](super::logs::Logs)).
    pub(super) begun: FxHashMap<(ExprId, u64), ExprId>,
    pub(super) expanded: FxHashMap<(ExprId, SetId), ExprId>,
    pub(super) hurried: FxHashMap<ExprId, ExprId>,
    pub(super) included: FxHashMap<(ExprId, ExprId), bool>,
    pub(super) waiting: FxHashMap<(ExprId, LeafId), Option<LifelineSet>>,
    pub(super) occurring: Known<bool>,
    pub(super) alone: Known<bool>,
    pub(super) loosened: FxHashMap<ExprId, ExprId>,
    /// The only move, by expression and what logs say about moves.
    pub(super) forced: FxHashMap<(ExprId, Heads), LeafId>,
    /// What the boxed parts of expressions take.
    pub(super) boxed: usize,
    /// How much work may be done before [`Store::is_spent`]; counted down where work is not known
    /// already.
    pub(super) fuel: u64,
    /// When work is to end.
    deadline: Option<Instant>,
}

/// How much work one step of a search may take: some seconds.
const FUEL: u64 = 500_000;

impl Store {
    /// Allows the work of one more step.
    pub(crate) fn refuel(&mut self) {
        self.fuel = FUEL;
    }

    /// Whether the work of a step was too much. What was computed since is void, and not kept.
    pub(crate) fn is_spent(&self) -> bool {
        self.fuel == 0
    }

    /// Why work was broken off.
    pub(crate) fn why_spent(&self) -> Stop {
        if self.is_late() { Stop::Time } else { Stop::States }
    }

    /// Counts work; says whether there was too much of it.
    pub(super) fn work(&mut self) -> bool {
        self.fuel = self.fuel.saturating_sub(1);
        // A step can be long: the clock is asked within it too.
        if self.fuel.is_multiple_of(1024) && self.is_late() {
            self.fuel = 0;
        }
        self.fuel == 0
    }

    /// When work is to end from now on.
    pub(crate) fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    /// When that is.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Whether time is up.
    pub(crate) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    pub(crate) const NEVER: ExprId = ExprId(0);
    pub(crate) const EMPTY: ExprId = ExprId(1);
    /// No lifelines.
    const NOWHERE: SetId = SetId(0);

    /// For components with these lifelines.
    pub(crate) fn new(components: Vec<LifelineSet>, absorb: bool) -> Self {
        let narrow = components.iter().all(|own| own.iter().all(|x| x.0 < u64::BITS));
        let mut store = Store {
            narrow,
            order_words: Vec::new(),
            diagonals: FxHashMap::default(),
            exprs: Interner::default(),
            facts: IndexVec::default(),
            orders: Interner::default(),
            sets: Interner::default(),
            leaves: Interner::default(),
            components,
            absorb,
            stepped: Known::default(),
            stepped_that: FxHashMap::default(),
            pruned: FxHashMap::default(),
            stripped: FxHashMap::default(),
            cuts: FxHashMap::default(),
            idle: FxHashMap::default(),
            shed: FxHashMap::default(),
            begun: FxHashMap::default(),
            expanded: FxHashMap::default(),
            hurried: FxHashMap::default(),
            included: FxHashMap::default(),
            waiting: FxHashMap::default(),
            occurring: Known::default(),
            alone: Known::default(),
            loosened: FxHashMap::default(),
            forced: FxHashMap::default(),
            boxed: 0,
            fuel: FUEL,
            deadline: None,
        };
        store.sets.intern(LifelineSet::EMPTY);
        for (expr, nullable) in [(Expr::Never, false), (Expr::Empty, true)] {
            store.intern(expr, Facts { lifelines: LifelineSet::EMPTY, word: 0, nullable, size: 0 });
        }
        store
    }

    #[inline]
    pub(crate) fn expr(&self, expr: ExprId) -> &Expr {
        &self.exprs.items[expr]
    }

    #[inline]
    pub(crate) fn lifelines(&self, expr: ExprId) -> &LifelineSet {
        &self.facts[expr].lifelines
    }

    #[inline]
    pub(crate) fn nullable(&self, expr: ExprId) -> bool {
        self.facts[expr].nullable
    }

    #[inline]
    pub(crate) fn size(&self, expr: ExprId) -> u32 {
        self.facts[expr].size
    }

    #[inline]
    pub(crate) fn leaf(&self, leaf: LeafId) -> &Leaf {
        &self.leaves.items[leaf]
    }

    pub(crate) fn order(&self, order: OrderId) -> Arc<Order> {
        self.orders.items[order].clone()
    }

    /// How many expressions there are.
    pub(crate) fn len(&self) -> usize {
        self.exprs.items.len()
    }

    /// About how much memory the tables take.
    pub(crate) fn bytes(&self) -> usize {
        let expressions = self.len() * (size_of::<Expr>() + size_of::<Facts>() + 8) + self.boxed;
        let steps = self.stepped_that.capacity();
        let parts = self.pruned.capacity() + self.stripped.capacity() + self.expanded.capacity();
        let looks = self.waiting.capacity() * 2;
        let short = self.cuts.capacity()
            + self.idle.capacity()
            + self.shed.capacity()
            + self.begun.capacity() * 2;
        let hashed = steps + parts + looks + short + self.included.capacity();
        let moves = self.forced.capacity() * size_of::<((ExprId, Heads), LeafId)>();
        let rows = self.stepped.bytes() + self.alone.bytes() + self.occurring.bytes();
        expressions + rows + hashed * 14 + moves
    }

    pub(crate) fn set(&mut self, lifelines: &LifelineSet) -> SetId {
        if lifelines.is_empty() {
            return Store::NOWHERE;
        }
        match self.sets.find(lifelines) {
            Some(known) => known,
            None => self.sets.intern(lifelines.clone()),
        }
    }

    pub(crate) fn event(&mut self, leaf: Leaf) -> ExprId {
        let lifelines = leaf.lifelines.clone();
        let word = if self.narrow { word(&lifelines) } else { 0 };
        let leaf = self.leaves.intern(leaf);
        self.intern(Expr::Leaf(leaf), Facts { lifelines, word, nullable: false, size: 1 })
    }

    /// The number of an expression that was made before.
    pub(super) fn find(&self, form: Form<'_>) -> Option<ExprId> {
        self.exprs.find_as(&form, |known| known.form() == form)
    }

    /// The number of an expression whose facts are known. Only constructors call this.
    pub(super) fn intern(&mut self, expr: Expr, facts: Facts) -> ExprId {
        let boxed = match &expr {
            Expr::Alt(operands) | Expr::Seq(_, operands) => 16 + size_of_val(&**operands),
            Expr::Par(operands) => 16 + size_of_val(&**operands),
            Expr::Never | Expr::Empty | Expr::Leaf(_) | Expr::Loop(..) | Expr::Late(..) => 0,
        };
        let id = self.exprs.intern(expr);
        if id.0 as usize == self.facts.len() {
            self.boxed += boxed;
            self.facts.push(facts);
        }
        id
    }
}

/// A set of lifelines below 64 as a word.
pub(super) fn word(lifelines: &LifelineSet) -> u64 {
    lifelines.iter().fold(0, |all, lifeline| all | 1 << lifeline.0)
}

impl Store {
    /// The alternatives of an expression, its choices inside brought to the outside one by one.
    pub(crate) fn alternatives(&mut self, expr: ExprId) -> Vec<ExprId> {
        match self.expr(expr).clone() {
            Expr::Alt(alternatives) => alternatives.to_vec(),
            Expr::Par(operands) => {
                for (k, &(operand, count)) in operands.iter().enumerate() {
                    let inner = super::deep(|| self.alternatives(operand));
                    if inner.len() < 2 {
                        continue;
                    }
                    let mut rest = operands.to_vec();
                    if count > 1 {
                        rest[k].1 = count - 1;
                    } else {
                        rest.remove(k);
                    }
                    let ways = inner.iter().map(|&x| {
                        let mut all = rest.clone();
                        all.push((x, 1));
                        self.par(all)
                    });
                    return ways.collect();
                }
                vec![expr]
            }
            Expr::Seq(order, operands) => {
                for (k, &operand) in operands.iter().enumerate() {
                    let inner = super::deep(|| self.alternatives(operand));
                    if inner.len() < 2 {
                        continue;
                    }
                    let ways = inner.iter().map(|&x| {
                        let mut all = operands.to_vec();
                        all[k] = x;
                        self.seq(order, &all)
                    });
                    return ways.collect();
                }
                vec![expr]
            }
            Expr::Late(skipped, inner) => {
                let inner = self.alternatives(inner);
                if inner.len() < 2 {
                    return vec![expr];
                }
                inner.into_iter().map(|x| self.late(skipped, x)).collect()
            }
            Expr::Never | Expr::Empty | Expr::Leaf(_) | Expr::Loop(..) => vec![expr],
        }
    }
}
