//! Compilation of a term to the two expressions from which analyses start.
//!
//! The *rigid* expression has the conflicts of the language: `strict` orders everything, and a
//! synchronous passing is one event. The *relaxed* expression ([`coupling`]) has
//! only the conflicts that components can observe. Long sequences become trees of short ones, so
//! that a step is cheap.
//!
//! For a term without `strict`, `loopS` and synchronous passings both expressions are the same. If
//! the question is given to the SAT solver before any search ([`sat`](super::sat)), the term itself
//! is kept and is compiled only if a search is needed after all.
//!
//! *Cost.* Every distinct subterm once for each expression.

use otus_core::{LifelineSet, Pool, Term, TermId};
use otus_trace::Partition;
use rustc_hash::FxHashMap;

use super::alphabet::Alphabet;
use super::coupling::{self, Coupling};
use super::order::Order;
use super::store::{Expr, ExprId, OrderId, Store};

#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) rigid: ExprId,
    pub(crate) relaxed: ExprId,
    /// Whether the relaxed expression has no conflict and no event across components.
    pub(crate) decoupled: bool,
    /// For each component: whether the fully relaxed expression is exact if only this component is
    /// observed.
    pub(crate) relaxable: Box<[bool]>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Interaction<'a> {
    pub(crate) pool: &'a Pool,
    pub(crate) term: TermId,
    pub(crate) partition: &'a Partition,
}

/// The number of operands of each node in the tree of a long sequence.
const BRANCH: usize = 24;

/// Compiles a term. Without `coupling`, the relaxed expression is the rigid one.
pub(crate) fn compile(
    store: &mut Store,
    alphabet: &mut Alphabet,
    interaction: Interaction<'_>,
    coupling: Option<&Coupling>,
) -> Compiled {
    let Interaction { pool, term, partition } = interaction;
    let mut compiler = Compiler::new(store, alphabet, pool, partition, coupling);
    let rigid = compiler.run((term, Relaxation::Rigid));
    let is_relaxed = |part| coupling::is_relaxed(pool, pool.node(part));
    let differs = || coupling::parts(pool, term).into_iter().any(is_relaxed);
    let relaxed = if coupling.is_some() && differs() {
        compiler.run((term, Relaxation::Exact))
    } else {
        rigid
    };
    let crosses = |order: &Order| {
        order.classes().any(|class| {
            let mut touched = class.iter().map(|lifeline| partition.component_of(lifeline));
            let first = touched.next();
            touched.any(|other| Some(other) != first)
        })
    };
    let decoupled = !is_coupled(compiler.store, relaxed, crosses);
    let relaxable = |component| coupling.is_some_and(|coupling| coupling.is_free(component));
    let relaxable = partition.components().map(relaxable).collect();
    Compiled { rigid, relaxed, decoupled, relaxable }
}

/// Whether some event or conflict of an expression crosses components.
fn is_coupled(store: &Store, expr: ExprId, crosses: impl Fn(&Order) -> bool) -> bool {
    let mut pending = vec![expr];
    let mut met = rustc_hash::FxHashSet::default();
    while let Some(expr) = pending.pop() {
        if !met.insert(expr) {
            continue;
        }
        let form = store.expr(expr);
        let crosses = match form {
            Expr::Leaf(leaf) => store.leaf(*leaf).parts.len() > 1,
            Expr::Seq(order, _) | Expr::Loop(order, _) => crosses(&store.orders.items[*order]),
            Expr::Never | Expr::Empty | Expr::Alt(_) | Expr::Par(_) | Expr::Suffix(..) => false,
        };
        if crosses {
            return true;
        }
        pending.extend(form.operands());
    }
    false
}

/// How much of the causality between components is forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Relaxation {
    /// No causality is forgotten: the expression has the conflicts of the interaction language.
    Rigid,
    /// All causality that components cannot observe is forgotten, where that is exact.
    Exact,
    /// All causality across components is forgotten, even where that is not exact.
    Full,
}

/// Compiles terms of one pool, and memoizes the results.
pub(super) struct Compiler<'a> {
    store: &'a mut Store,
    alphabet: &'a mut Alphabet,
    pool: &'a Pool,
    partition: &'a Partition,
    /// Only needed for [`Relaxation::Exact`].
    coupling: Option<&'a Coupling>,
    everything: LifelineSet,
    strict: OrderId,
    local: OrderId,
    pub(super) done: FxHashMap<(TermId, Relaxation), ExprId>,
}

impl<'a> Compiler<'a> {
    pub(super) fn new(
        store: &'a mut Store,
        alphabet: &'a mut Alphabet,
        pool: &'a Pool,
        partition: &'a Partition,
        coupling: Option<&'a Coupling>,
    ) -> Self {
        let everything = LifelineSet::full(partition.lifeline_count());
        let strict = store.intern_order(Order::new([everything.clone()]));
        let local = Order::new(partition.components().map(|c| partition.set(c)));
        let local = store.intern_order(local);
        let done = FxHashMap::default();
        Compiler { store, alphabet, pool, partition, coupling, everything, strict, local, done }
    }

    /// Compiles operands before their term, without recursion.
    pub(super) fn run(&mut self, whole: (TermId, Relaxation)) -> ExprId {
        let mut pending = vec![whole];
        while let Some(&part) = pending.last() {
            if self.done.contains_key(&part) {
                pending.pop();
                continue;
            }
            let (operands, relaxation) = self.operands(part);
            let before = pending.len();
            pending.extend(
                operands.iter().map(|&x| (x, relaxation)).filter(|x| !self.done.contains_key(x)),
            );
            if pending.len() > before {
                continue;
            }
            let compiled: Vec<ExprId> =
                operands.iter().map(|&x| self.done[&(x, relaxation)]).collect();
            let expr = self.build(part, &compiled);
            self.done.insert(part, expr);
            pending.pop();
        }
        self.done[&whole]
    }

    /// The operands of a term, with nested operators of the same kind flattened, and their
    /// relaxation: below a coupling node everything is rigid.
    fn operands(&self, (term, relaxation): (TermId, Relaxation)) -> (Vec<TermId>, Relaxation) {
        let root = self.pool.node(term);
        let relaxation = if relaxation == Relaxation::Exact && self.is_coupling(term) {
            Relaxation::Rigid
        } else {
            relaxation
        };
        let same = |node: Term| match (root, node) {
            (Term::Strict(..), Term::Strict(..)) | (Term::Alt(..), Term::Alt(..)) => true,
            (Term::Coreg(r, ..), Term::Coreg(s, ..)) => r == s,
            _ => false,
        };
        let mut operands = Vec::new();
        let mut pending: Vec<TermId> = root.operands().rev().collect();
        while let Some(operand) = pending.pop() {
            let node = self.pool.node(operand);
            let coupling = relaxation == Relaxation::Exact && self.is_coupling(operand);
            if same(node) && !coupling {
                pending.extend(node.operands().rev());
            } else {
                operands.push(operand);
            }
        }
        (operands, relaxation)
    }

    fn is_coupling(&self, term: TermId) -> bool {
        self.coupling.is_some_and(|coupling| coupling.is_coupling(term))
    }

    fn build(&mut self, (term, relaxation): (TermId, Relaxation), operands: &[ExprId]) -> ExprId {
        let whole = match relaxation {
            Relaxation::Rigid => self.strict,
            Relaxation::Exact | Relaxation::Full => self.local,
        };
        match self.pool.node(term) {
            Term::Empty => Store::EMPTY,
            Term::Event(event) => {
                let parts = self.alphabet.parts(self.pool, self.partition, event);
                // If components are examined one at a time, the part of an event on each component
                // must be a leaf by itself.
                for part in &parts {
                    let id = self.store.leaves.intern(part.clone());
                    self.alphabet.note(id, part);
                }
                let leaves = match relaxation {
                    Relaxation::Rigid => vec![Alphabet::joined(&parts)],
                    Relaxation::Exact | Relaxation::Full => parts,
                };
                let mut exprs = Vec::new();
                for leaf in leaves {
                    exprs.push((self.store.event(leaf.clone()), 1));
                    let id = self.store.leaves.intern(leaf);
                    self.alphabet.note(id, &self.store.leaves.items[id]);
                }
                self.store.par(exprs)
            }
            Term::Strict(..) => self.sequence(whole, operands),
            Term::Coreg(region, ..) => {
                let order = self.outside(region);
                self.sequence(order, operands)
            }
            Term::Alt(..) => self.store.alt(operands.iter().copied()),
            Term::LoopS(_) => self.store.repeat(whole, operands[0]),
            Term::LoopC(region, _) => {
                let order = self.outside(region);
                self.store.repeat(order, operands[0])
            }
        }
    }

    /// The order in which every lifeline outside a region is in conflict only with itself, and
    /// lifelines of the region are in conflict with nothing.
    fn outside(&mut self, region: otus_core::RegionId) -> OrderId {
        let free = self.pool.region(region);
        self.store.intern_order(Order::diagonal(self.everything.difference(&free)))
    }

    fn sequence(&mut self, order: OrderId, operands: &[ExprId]) -> ExprId {
        let mut level = operands.to_vec();
        while level.len() > BRANCH {
            level = level.chunks(BRANCH).map(|chunk| self.store.seq(order, chunk)).collect();
        }
        self.store.seq(order, &level)
    }
}
