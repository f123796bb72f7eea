//! Expressions: interactions in normal form, hash-consed.
//!
//! An expression denotes the same traces as the term it comes from, in a form in which equivalent
//! expressions nearly always have the same number: operators take any number of operands, operands
//! whose order does not matter are sorted, and conflict relations contain only what matters (see
//! [`normal`](super::normal)). A number is therefore a state of a lazily built automaton, and
//! everything that is computed for it is memoized.
//!
//! Tables grow during analyses; [`Store::bytes`] tells their size.
//!
//! If alternatives multiply, a single step can be too much work. Work that is not memoized yet uses
//! *fuel* ([`FUEL`]). When the fuel is used up, everything computed since is void, nothing of it is
//! memoized, and the analysis is undecided.

use std::hash::Hash;
use std::sync::Arc;

use otus_core::LifelineSet;
use otus_core::index::{Index as _, IndexVec};
use otus_core::intern::Interner;
use otus_trace::multitrace::ComponentId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::erase::Loops;
use super::memo::LeafMemo;
use super::order::Order;
use super::unroll::Begins;
use crate::budget::{Budget, Meter, Stop};

/// The next symbols of the logs, as a key of forced moves.
pub(crate) type Heads = SmallVec<[u32; 8]>;

otus_core::define_id! {
    /// An interaction in normal form. The default is [`Store::NEVER`].
    #[derive(Default)]
    pub(crate) ExprId;
    /// An event, on one or several components.
    pub(crate) LeafId;
    /// An observation that a component can make at one time.
    pub(crate) SymbolId;
    /// A conflict relation.
    pub(crate) OrderId;
    /// A set of lifelines.
    pub(crate) SetId;
}

/// An interaction in normal form, with lists of operands `O`, and `P` if they have multiplicities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Form<O, P> {
    /// No trace at all.
    Never,
    /// The empty trace.
    Empty,
    /// One event.
    Leaf(LeafId),
    /// One of several alternatives, sorted.
    Alt(O),
    /// All operands, without conflicts between them, sorted, each with its multiplicity.
    Par(P),
    /// All operands, with conflicts between them.
    Seq(OrderId, O),
    /// Any number of iterations, with conflicts between them.
    Loop(OrderId, ExprId),
    /// The suffixes after skipping some first events on lifelines of one component (see
    /// [`suffix`](super::suffix)).
    Suffix(SetId, ExprId),
}

/// An interaction in normal form.
pub(crate) type Expr = Form<Arc<[ExprId]>, Arc<[(ExprId, u32)]>>;

/// An expression with borrowed operands, for looking it up before it is allocated.
pub(crate) type ExprRef<'o> = Form<&'o [ExprId], &'o [(ExprId, u32)]>;

impl Expr {
    /// The operands, without their multiplicities.
    pub(crate) fn operands(&self) -> impl Iterator<Item = ExprId> {
        let (many, counted, only): (&[ExprId], &[(ExprId, u32)], Option<ExprId>) = match self {
            Expr::Never | Expr::Empty | Expr::Leaf(_) => (&[], &[], None),
            Expr::Alt(operands) | Expr::Seq(_, operands) => (operands, &[], None),
            Expr::Par(operands) => (&[], operands, None),
            Expr::Loop(_, inner) | Expr::Suffix(_, inner) => (&[], &[], Some(*inner)),
        };
        many.iter().copied().chain(counted.iter().map(|&(x, _)| x)).chain(only)
    }

    pub(crate) fn as_ref(&self) -> ExprRef<'_> {
        match self {
            Expr::Never => ExprRef::Never,
            Expr::Empty => ExprRef::Empty,
            Expr::Leaf(leaf) => ExprRef::Leaf(*leaf),
            Expr::Alt(operands) => ExprRef::Alt(operands),
            Expr::Par(operands) => ExprRef::Par(operands),
            Expr::Seq(order, operands) => ExprRef::Seq(*order, operands),
            Expr::Loop(order, body) => ExprRef::Loop(*order, *body),
            Expr::Suffix(skipped, inner) => ExprRef::Suffix(*skipped, *inner),
        }
    }
}

/// Attributes that are computed once for each expression.
#[derive(Debug, Clone)]
pub(crate) struct Facts {
    pub(crate) lifelines: LifelineSet,
    /// The lifelines as a bit set, if there are at most 64 lifelines ([`Store::narrow`]). Normal
    /// forms compare sets of lifelines very often.
    pub(crate) word: u64,
    /// Whether the expression accepts the empty trace.
    pub(crate) nullable: bool,
    /// The number of leaves and choices.
    pub(crate) size: u32,
}

/// An event as components observe it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Leaf {
    pub(crate) lifelines: LifelineSet,
    /// For each component that it touches: the symbol observed there.
    pub(crate) parts: Box<[(ComponentId, SymbolId)]>,
}

/// All expressions of an engine, with the memo tables for them.
#[derive(Debug, Default)]
pub(crate) struct Store {
    pub(super) exprs: Interner<ExprId, Expr>,
    pub(super) facts: IndexVec<ExprId, Facts>,
    pub(super) orders: Interner<OrderId, Arc<Order>>,
    pub(super) sets: Interner<SetId, LifelineSet>,
    pub(super) leaves: Interner<LeafId, Leaf>,
    /// For each component: its lifelines.
    pub(super) components: Vec<LifelineSet>,
    /// Whether a set of lifelines fits in a 64-bit word.
    pub(super) narrow: bool,
    /// For each order: if each lifeline is in conflict only with itself, these lifelines as a word.
    pub(super) order_words: Vec<Option<u64>>,
    /// The inverse of `order_words`.
    pub(super) diagonals: FxHashMap<u64, OrderId>,
    /// Whether alternatives and loops that another one includes are dropped.
    pub(super) absorb: bool,
    pub(super) stepped: LeafMemo,
    pub(super) stepped_that: FxHashMap<(Begins, ExprId, LeafId), ExprId>,
    pub(super) pruned: FxHashMap<(ExprId, SetId), ExprId>,
    pub(super) erased: FxHashMap<(ExprId, SetId, Loops, SetId), ExprId>,
    pub(super) truncated: FxHashMap<(ExprId, SetId, SetId), ExprId>,
    pub(super) idle: FxHashMap<(ExprId, SetId), bool>,
    pub(super) prefix_reduced: FxHashMap<ExprId, ExprId>,
    /// Start expressions of decoupled searches, by expression and consumed logs
    /// ([`Logs::missing`](super::logs::Logs::missing)).
    pub(super) initial: FxHashMap<(ExprId, u64), ExprId>,
    pub(super) expanded: FxHashMap<(ExprId, SetId), ExprId>,
    pub(super) greedy: FxHashMap<ExprId, ExprId>,
    pub(super) included: FxHashMap<(ExprId, ExprId), bool>,
    pub(super) waiting: FxHashMap<(ExprId, LeafId), Option<LifelineSet>>,
    pub(super) occurring: LeafMemo,
    pub(super) independent: LeafMemo,
    pub(super) fully_relaxed: FxHashMap<ExprId, ExprId>,
    /// The only move, by expression and next symbols of the logs.
    pub(super) forced: FxHashMap<(ExprId, Heads), LeafId>,
    /// The size of the boxed operands of all expressions, in bytes.
    pub(super) boxed: usize,
    /// The work that may be done before [`Store::is_spent`]; work that is memoized already is free.
    pub(super) fuel: u64,
    /// The first expression that was created after the interaction was compiled.
    original: ExprId,
    /// The limits of this analysis, which work checks within a step too, since a step can be long.
    limits: Budget,
    /// The limit that this analysis has reached, if any. No more fuel is given after that.
    stopped: Option<Stop>,
    /// The size of the tables that searches keep outside of the store, in bytes.
    pub(super) beside: usize,
}

/// The fuel of one step of a search: some seconds of work.
const FUEL: u64 = 500_000;
/// The fuel between two checks of the limits.
const CHECKED: u64 = 256;

impl Store {
    /// Begins an analysis with a budget.
    pub(crate) fn limit(&mut self, budget: &Budget, meter: &Meter<'_>) {
        self.limits = Budget { timeout: None, deadline: meter.deadline(), ..budget.clone() };
        self.stopped = None;
        self.beside = 0;
        self.refuel();
    }

    /// Moves the limits of an analysis to a store that replaces this one.
    pub(crate) fn inherit_limits(&mut self, other: Store) {
        (self.limits, self.stopped) = (other.limits, other.stopped);
        self.refuel();
    }

    /// Provides the fuel of one more step.
    #[inline]
    pub(crate) fn refuel(&mut self) {
        self.fuel = if self.stopped.is_some() { 0 } else { FUEL };
    }

    /// Whether the fuel is used up. Everything computed since the last refuel is void.
    #[inline]
    pub(crate) fn is_spent(&self) -> bool {
        self.fuel == 0
    }

    /// The reason why work was interrupted.
    pub(crate) fn why_spent(&self) -> Stop {
        self.stopped.unwrap_or(Stop::States)
    }

    /// Whether a limit of the analysis was met, so that no further attempt may begin.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    /// Uses fuel; returns whether it is used up.
    #[inline]
    pub(super) fn work(&mut self) -> bool {
        self.fuel = self.fuel.saturating_sub(1);
        if self.fuel.is_multiple_of(CHECKED) {
            self.check();
        }
        self.fuel == 0
    }

    /// Checks the limits of the analysis; returns the one that is met, if any.
    #[inline(never)]
    pub(crate) fn check(&mut self) -> Option<Stop> {
        let time = self.limits.check_time();
        let met = time.and_then(|()| self.limits.check_bytes(self.bytes())).err();
        if met.is_some() {
            self.stopped = met;
            self.fuel = 0;
        }
        met
    }

    /// The value of a key in a memo table, computed if it is not known yet. If the fuel is used up,
    /// the result is void: the default value, which is not memoized.
    #[inline]
    pub(super) fn memoized<K: Copy + Eq + Hash, V: Clone + Default>(
        &mut self,
        table: impl Fn(&mut Store) -> &mut FxHashMap<K, V>,
        key: K,
        compute: impl FnOnce(&mut Store) -> V,
    ) -> V {
        if let Some(known) = table(self).get(&key) {
            return known.clone();
        }
        let found = super::deep(|| compute(self));
        if self.is_spent() {
            return V::default();
        }
        table(self).insert(key, found.clone());
        found
    }

    /// Like [`Store::memoized`]; a computation uses fuel.
    #[inline]
    pub(super) fn worked<K: Copy + Eq + Hash, V: Clone + Default>(
        &mut self,
        table: impl Fn(&mut Store) -> &mut FxHashMap<K, V>,
        key: K,
        compute: impl FnOnce(&mut Store) -> V,
    ) -> V {
        let work = |store: &mut Store| if store.work() { V::default() } else { compute(store) };
        self.memoized(table, key, work)
    }

    pub(crate) const NEVER: ExprId = ExprId(0);
    pub(crate) const EMPTY: ExprId = ExprId(1);
    /// No lifelines.
    const NOWHERE: SetId = SetId(0);

    /// A store for components with these lifelines.
    pub(crate) fn new(components: Vec<LifelineSet>, absorb: bool) -> Self {
        let narrow = components.iter().all(|own| own.iter().all(|x| x.0 < u64::BITS));
        let mut store = Store { narrow, components, absorb, fuel: FUEL, ..Store::default() };
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

    pub(crate) fn len(&self) -> usize {
        self.exprs.items.len()
    }

    /// The approximate memory of the tables.
    pub(crate) fn bytes(&self) -> usize {
        let expressions = self.len() * (size_of::<Expr>() + size_of::<Facts>() + 8) + self.boxed;
        let steps = self.stepped_that.capacity();
        let parts = self.pruned.capacity() + self.erased.capacity() + self.expanded.capacity();
        let looks = self.waiting.capacity() * 2;
        let short = self.truncated.capacity()
            + self.idle.capacity()
            + self.prefix_reduced.capacity()
            + self.fully_relaxed.capacity()
            + self.greedy.capacity()
            + self.initial.capacity() * 2;
        let hashed = steps + parts + looks + short + self.included.capacity();
        let moves = self.forced.capacity() * size_of::<((ExprId, Heads), LeafId)>();
        let rows = self.stepped.bytes() + self.independent.bytes() + self.occurring.bytes();
        expressions + rows + hashed * 14 + moves + self.beside
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

    /// The number of an existing expression.
    pub(super) fn find(&self, form: ExprRef<'_>) -> Option<ExprId> {
        self.exprs.find_as(&form, |known| known.as_ref() == form)
    }

    /// The number of an expression with known facts. Only the constructors of normal forms call
    /// this.
    pub(super) fn intern(&mut self, expr: Expr, facts: Facts) -> ExprId {
        let boxed = match &expr {
            Expr::Alt(operands) | Expr::Seq(_, operands) => 16 + size_of_val(&**operands),
            Expr::Par(operands) => 16 + size_of_val(&**operands),
            Expr::Never | Expr::Empty | Expr::Leaf(_) | Expr::Loop(..) | Expr::Suffix(..) => 0,
        };
        let id = self.exprs.intern(expr);
        if id.0 as usize == self.facts.len() {
            self.boxed += boxed;
            self.facts.push(facts);
        }
        id
    }

    /// The alternatives of an expression, with the first inner choice distributed outwards.
    pub(crate) fn alternatives(&mut self, expr: ExprId) -> Vec<ExprId> {
        self.alternatives_from(expr, ExprId(0))
    }

    /// Like [`Store::alternatives`], but only for choices that steps have introduced. Choices that are part of the
    /// interaction itself stay, because no event has decided them yet.
    pub(crate) fn past_alternatives(&mut self, expr: ExprId) -> Vec<ExprId> {
        self.alternatives_from(expr, self.original)
    }

    /// The alternatives of an expression, by choices whose numbers are at least `least`.
    fn alternatives_from(&mut self, expr: ExprId, least: ExprId) -> Vec<ExprId> {
        match self.expr(expr).clone() {
            Expr::Alt(alternatives) if expr >= least => alternatives.to_vec(),
            form @ (Expr::Par(_) | Expr::Seq(..) | Expr::Suffix(..)) => {
                for (k, operand) in form.operands().enumerate() {
                    let inner = super::deep(|| self.alternatives_from(operand, least));
                    if inner.len() > 1 {
                        return inner.into_iter().map(|x| self.replaced(&form, k, x)).collect();
                    }
                }
                vec![expr]
            }
            Expr::Never | Expr::Empty | Expr::Leaf(_) | Expr::Alt(_) | Expr::Loop(..) => vec![expr],
        }
    }

    /// Records that all expressions created so far are parts of the interaction.
    pub(crate) fn note_original(&mut self) {
        self.original = ExprId::new(self.len());
    }

    /// An expression with another operand at an index; of equal operands, one is replaced.
    fn replaced(&mut self, form: &Expr, at: usize, by: ExprId) -> ExprId {
        match form {
            Expr::Par(operands) => self.par_with(operands, at, by),
            Expr::Seq(order, operands) => {
                let mut all = operands.to_vec();
                all[at] = by;
                self.seq(*order, &all)
            }
            Expr::Suffix(skipped, _) => self.suffix(*skipped, by),
            Expr::Loop(order, _) => self.repeat(*order, by),
            Expr::Never | Expr::Empty | Expr::Leaf(_) | Expr::Alt(_) => by,
        }
    }

    /// The composition without conflicts, with another operand for one of those at an index.
    pub(super) fn par_with(&mut self, all: &[(ExprId, u32)], at: usize, by: ExprId) -> ExprId {
        let mut rest: SmallVec<[(ExprId, u32); 16]> = SmallVec::from_slice(all);
        if rest[at].1 > 1 {
            rest[at].1 -= 1;
        } else {
            rest.remove(at);
        }
        rest.push((by, 1));
        self.par(rest)
    }
}

/// A set of lifelines below 64 as a bit set.
pub(super) fn word(lifelines: &LifelineSet) -> u64 {
    lifelines.iter().fold(0, |all, lifeline| all | 1 << lifeline.0)
}
