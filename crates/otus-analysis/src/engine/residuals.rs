//! Residuals of logs that are still growing, for the live engine ([`crate::live`]).
//!
//! The searches of this module read whole logs. A live group has no whole logs; it has residuals, which it steps as
//! events arrive. This is the interface to them: start expressions, steps, erasure, and the searches for what is left.
//!
//! Expressions live as long as these tables: nothing is compacted unless the owner of all residuals says so and
//! gives all of them as roots.

use otus_core::index::Index as _;
use otus_core::{ActionId, Pool, TermId};
use otus_trace::Partition;
use otus_trace::multitrace::{ComponentId, Step};
use rustc_hash::FxHashSet;

use super::coupled::{self, Manner};
use super::decoupled::{self, Found, Starts};
use super::logs::Logs;
use super::store::{Expr, Store};
use super::{Compiled, Ending, Engine, Options, decompose, initial_expr, may_start_late};
use crate::budget::{Budget, Meter, Stop};
use crate::question::{Observed, Question};

pub(crate) use super::store::{ExprId, LeafId, SymbolId};

/// No execution at all: the residual of what is not explained.
pub(crate) const NEVER: ExprId = Store::NEVER;

/// Stands for a residual that is too much work to compute. It has the largest size.
pub(crate) const TOO_LARGE: ExprId = ExprId(u32::MAX);
/// The fuel of one step. Searches provide more, but they split large expressions, so they need less.
const STEP: u64 = 20_000;

/// The tables of one interaction and partition.
#[derive(Debug)]
pub(crate) struct Residuals {
    engine: Engine,
    budget: Budget,
    /// Whether the budget has begun for the event at hand. Most events need no work, and reading the clock costs more than
    /// they do.
    has_begun: bool,
    /// By leaf on one component: its moment, once it was seen.
    moments: Vec<Box<[Step]>>,
    /// The size of the largest start expression.
    original: u32,
    /// The steps that are too much work.
    hopeless: FxHashSet<(ExprId, LeafId)>,
}

impl Residuals {
    pub(crate) fn new(pool: &Pool, term: TermId, partition: &Partition, budget: Budget) -> Self {
        let options = Options { solver: false, ..Options::default() };
        let engine = Engine::new(pool, term, partition, options);
        Residuals {
            engine,
            budget,
            has_begun: false,
            moments: Vec::new(),
            original: 0,
            hopeless: FxHashSet::default(),
        }
    }

    fn store(&self) -> &Store {
        &self.engine.store
    }

    fn compiled(&self) -> Option<&Compiled> {
        self.engine.compiled.as_ref()
    }

    /// Begins the work for one event: the budget holds for each.
    #[inline]
    pub(crate) fn begin(&mut self) {
        self.has_begun = false;
    }

    /// Provides fuel for one operation that is not memoized.
    fn provide(&mut self) {
        if self.has_begun {
            self.engine.store.refuel();
        } else {
            self.has_begun = true;
            let meter = Meter::new(&self.budget);
            self.engine.store.limit(&self.budget, &meter);
            if self.budget.cancel.is_cancelled() {
                self.engine.store.check();
            }
        }
    }

    /// A result, unless the fuel ran out on the way to it.
    fn valid<T>(&self, found: T) -> Result<T, Stop> {
        if self.store().is_spent() { Err(self.store().why_spent()) } else { Ok(found) }
    }

    /// Whether components depend on each other only by choices, for the components that are observed.
    pub(crate) fn is_decoupled(&self, question: &Question) -> bool {
        self.engine.is_decoupled(question)
    }

    /// The residual of no events at all, if components are decoupled: unobserved ones are erased, and those that may
    /// start late are suffixes.
    pub(crate) fn start(&mut self, question: &Question) -> Result<ExprId, Stop> {
        self.provide();
        let decoupled = self.engine.decoupled;
        let count = self.engine.count;
        let (context, &Compiled { relaxed, .. }) = self.engine.context();
        let mut expr = if decoupled { relaxed } else { context.store.relax_fully(relaxed) };
        for component in 0..count {
            let own = context.components[component];
            match question.of(ComponentId::new(component)) {
                Observed::Unobserved => expr = context.store.erase(expr, own),
                Observed::StartsLate | Observed::Slice => expr = context.store.suffix(own, expr),
                Observed::Complete | Observed::StopsEarly => {}
            }
        }
        self.original = self.original.max(self.size(expr));
        self.valid(expr)
    }

    /// The same with the order of the interaction between components.
    pub(crate) fn rigid_start(&mut self, question: &Question) -> Result<ExprId, Stop> {
        self.provide();
        let count = self.engine.count;
        let (context, &Compiled { rigid, .. }) = self.engine.context();
        let mut expr = rigid;
        for component in 0..count {
            if question.of(ComponentId::new(component)) == Observed::Unobserved {
                expr = context.store.erase(expr, context.components[component]);
            }
        }
        self.valid(expr)
    }

    /// For each component, the residual of no events of it alone, if each log can be decided by itself
    /// ([`decompose`]); `None` where every sequence of its own events is explained.
    pub(crate) fn starts_alone(
        &mut self,
        question: &Question,
    ) -> Result<Option<Vec<Option<ExprId>>>, Stop> {
        let count = self.engine.count;
        let observed = |c: &usize| question.of(ComponentId::new(*c)) != Observed::Unobserved;
        if !self.engine.decomposes(question) {
            return Ok(None);
        }
        let is_parallel =
            self.compiled().is_some_and(|c| decompose::is_parallel(self.store(), c.rigid));
        let relaxable =
            |c: usize| self.compiled().is_some_and(|all| decompose::is_relaxable(all, c));
        if !is_parallel && !(0..count).filter(observed).all(relaxable) {
            return Ok(None);
        }
        if is_parallel {
            return Ok(Some(vec![None; count]));
        }
        self.provide();
        let (context, &Compiled { relaxed, .. }) = self.engine.context();
        let whole = context.store.relax_fully(relaxed);
        let mut starts = Vec::with_capacity(count);
        for component in 0..count {
            let alone = context.store.erase(whole, context.others[component]);
            starts.push(Some(context.store.suffix(context.components[component], alone)));
        }
        let sizes = starts.iter().flatten().map(|&start| self.size(start));
        self.original = sizes.fold(self.original, u32::max);
        self.valid(Some(starts))
    }

    /// The leaf of a moment on its component alone, if the interaction has it.
    #[inline]
    pub(crate) fn leaf(&mut self, moment: &[ActionId]) -> Option<LeafId> {
        let leaf = match moment {
            [only] => self.engine.alphabet.direct_action(*only)?,
            _ => self.joint_leaf(moment)?,
        };
        if self.moments.get(leaf.0 as usize).is_none_or(|known| known.is_empty()) {
            self.note(leaf, moment);
        }
        Some(leaf)
    }

    #[cold]
    fn joint_leaf(&self, moment: &[ActionId]) -> Option<LeafId> {
        let steps: Vec<Step> = Step::moment(moment).collect();
        self.engine.alphabet.leaf_at(&steps, 0).and_then(|(leaf, _)| leaf)
    }

    #[cold]
    fn note(&mut self, leaf: LeafId, moment: &[ActionId]) {
        let index = leaf.0 as usize;
        if self.moments.len() <= index {
            self.moments.resize(index + 1, Box::default());
        }
        self.moments[index] = Step::moment(moment).collect();
    }

    /// The moment of a leaf that was found by [`Residuals::leaf`].
    pub(crate) fn moment(&self, leaf: LeafId) -> &[Step] {
        self.moments.get(leaf.0 as usize).map_or(&[], |moment| moment)
    }

    /// What a component observes of a leaf on it alone.
    pub(crate) fn symbol(&self, leaf: LeafId) -> Option<SymbolId> {
        self.store().leaf(leaf).parts.first().map(|&(_, symbol)| symbol)
    }

    /// All leaves of which a component observes this, as (component, symbol) pairs.
    pub(crate) fn leaves(&self, symbol: SymbolId) -> &[LeafId] {
        self.engine.alphabet.leaves.get(symbol.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// What each component observes of a leaf.
    pub(crate) fn parts(&self, leaf: LeafId) -> &[(ComponentId, SymbolId)] {
        &self.store().leaf(leaf).parts
    }

    #[inline]
    pub(crate) fn size(&self, expr: ExprId) -> u32 {
        self.store().facts.get(expr).map_or(u32::MAX, |facts| facts.size)
    }

    /// Whether every component may have stopped: nothing more need happen.
    pub(crate) fn is_nullable(&self, expr: ExprId) -> bool {
        self.store().nullable(expr)
    }

    /// The residual after an event; [`NEVER`] if it cannot happen, [`TOO_LARGE`] if that is too much work.
    #[inline]
    pub(crate) fn step(&mut self, expr: ExprId, leaf: LeafId) -> Result<ExprId, Stop> {
        match self.engine.store.stepped.get(expr, leaf) {
            Some(known) => Ok(ExprId(known)),
            None => self.first_step(expr, leaf),
        }
    }

    #[cold]
    fn first_step(&mut self, expr: ExprId, leaf: LeafId) -> Result<ExprId, Stop> {
        if expr == TOO_LARGE || self.hopeless.contains(&(expr, leaf)) {
            return Ok(TOO_LARGE);
        }
        self.provide();
        self.engine.store.fuel = self.engine.store.fuel.min(STEP);
        let next = self.engine.store.step(expr, leaf);
        if self.store().is_spent() && !self.store().is_stopped() {
            self.hopeless.insert((expr, leaf));
            return Ok(TOO_LARGE);
        }
        self.valid(next)
    }

    /// An expression with the same prefixes and less to complete.
    pub(crate) fn reduce(&mut self, expr: ExprId) -> Result<ExprId, Stop> {
        if let Some(&known) = self.engine.store.prefix_reduced.get(&expr) {
            return Ok(known);
        }
        self.provide();
        let reduced = self.engine.store.prefix_reduce(expr);
        self.valid(reduced)
    }

    /// Whether an expression has events on a component.
    #[inline]
    pub(crate) fn may_act(&self, expr: ExprId, component: usize) -> bool {
        !self.store().lifelines(expr).is_disjoint(&self.store().components[component])
    }

    /// The expression after a component has stopped early.
    pub(crate) fn without(&mut self, expr: ExprId, component: usize) -> Result<ExprId, Stop> {
        if !self.may_act(expr, component) {
            return Ok(expr);
        }
        self.provide();
        let own = self.engine.components[component];
        let erased = self.engine.store.erase(expr, own);
        self.valid(erased)
    }

    /// Whether a decoupled residual explains the rest of the logs, with these endings.
    pub(crate) fn explains(
        &mut self,
        expr: ExprId,
        rest: &[Vec<Step>],
        endings: &[Ending],
    ) -> Result<bool, Stop> {
        let budget = self.budget.clone();
        let mut meter = Meter::new(&budget);
        self.search(&meter);
        if expr == NEVER {
            return Ok(false);
        }
        let mut logs = Logs::of_rest(rest, endings);
        let (mut context, _) = self.engine.context();
        let start = initial_expr(&mut context, expr, &logs);
        if context.store.is_spent() {
            return Err(context.store.why_spent());
        }
        // A search splits what grows beyond some multiple of what it begins with.
        let together = self.original.saturating_mul(8).saturating_add(64);
        let mut pending = vec![start];
        while let Some(start) = pending.pop() {
            if context.store.size(start) > together {
                let alternatives = context.store.alternatives(start);
                if alternatives.len() > 1 {
                    pending.extend(alternatives);
                    context.tick(&mut meter).map_or(Ok(()), Err)?;
                    continue;
                }
            }
            logs.consumed.fill(0);
            let starts = Starts::Exhaustive;
            match decoupled::run(&mut context, start, &mut logs, starts, u64::MAX, &mut meter) {
                Found::Yes => return Ok(true),
                Found::Unknown(stop) => return Err(stop),
                // A refutation is void if the fuel ran out on the way.
                Found::No if context.store.is_spent() => return Err(context.store.why_spent()),
                Found::No => {}
            }
        }
        Ok(false)
    }

    /// Whether some residual with the order of the interaction explains the rest of the logs, all of which may stop
    /// early. Gives up after this number of states.
    pub(crate) fn explains_in_order(
        &mut self,
        expr: ExprId,
        rest: &[Vec<Step>],
        states: u64,
    ) -> Result<bool, Stop> {
        let budget = self.budget.clone();
        let mut meter = Meter::new(&budget);
        self.search(&meter);
        let endings = vec![Ending::Early; rest.len()];
        let mut logs = Logs::of_rest(rest, &endings);
        let (mut context, _) = self.engine.context();
        let manner = Manner::Local;
        let found = coupled::explain(&mut context, expr, &mut logs, manner, states, &mut meter);
        self.decided(found)
    }

    /// Begins a search.
    fn search(&mut self, meter: &Meter<'_>) {
        self.engine.analysis = self.engine.analysis.wrapping_add(1);
        self.engine.locally_analyzed = false;
        self.engine.store.limit(&self.budget, meter);
        self.has_begun = true;
    }

    fn decided(&self, found: Found) -> Result<bool, Stop> {
        match found {
            Found::Yes => Ok(true),
            // A refutation is void if the fuel ran out on the way.
            Found::No => self.valid(false),
            Found::Unknown(stop) => Err(stop),
        }
    }

    /// The number of components.
    pub(crate) fn count(&self) -> usize {
        self.engine.count
    }

    /// The number of expressions, which tells cheaply whether tables have grown.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.store().len()
    }

    /// The approximate memory of the tables.
    pub(crate) fn bytes(&self) -> usize {
        self.engine.bytes()
    }

    /// Forgets everything but these residuals, which get new numbers.
    pub(crate) fn compact(&mut self, roots: &mut [&mut ExprId]) {
        let engine = &mut self.engine;
        if let Some(Compiled { rigid, relaxed, .. }) = &mut engine.compiled {
            let mut all: Vec<&mut ExprId> = roots.iter_mut().map(|root| &mut **root).collect();
            all.extend([rigid, relaxed]);
            engine.store.compact(&mut all);
            engine.store.note_original();
        }
        self.hopeless = FxHashSet::default();
        engine.hints = Vec::new();
        engine.projections = None;
        engine.net = super::OnDemand::NotMade;
    }

    /// Whether the interaction has a loop whose iterations may overlap on some component, so that any number of them may
    /// be in flight.
    pub(crate) fn has_sessions(&self) -> bool {
        let Some(&Compiled { rigid, .. }) = self.compiled() else { return false };
        let mut pending = vec![rigid];
        let mut met = FxHashSet::default();
        while let Some(expr) = pending.pop() {
            if !met.insert(expr) {
                continue;
            }
            let form = self.store().expr(expr);
            if let Expr::Loop(order, body) = form {
                let lifelines = self.store().lifelines(*body);
                let free = self.store().order(*order).conflicts(lifelines);
                if !lifelines.is_subset(&free) {
                    return true;
                }
            }
            pending.extend(form.operands());
        }
        false
    }
}

/// Whether a question lets some log start late.
pub(crate) fn starts_late(question: &Question, components: usize) -> bool {
    may_start_late(question, components)
}
