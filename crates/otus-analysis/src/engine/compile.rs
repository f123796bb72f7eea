//! From a term to the two expressions that analyses start from.
//!
//! The *rigid* expression has the conflicts of the language: `strict` orders everything, a
//! synchronous passing is one event. The *relaxed* one ([`harm`](super::harm)) has them only as
//! far as components can tell. Long sequences become trees of short ones, so that a step costs
//! little.
//!
//! A term without `strict`, `loopS` and synchronous passings is the same in both forms. Where a
//! formula is asked before any search ([`sat`](super::sat)), a [`Source`] is kept instead and compiled if a
//! search comes about all the same.
//!
//! *Cost.* Every distinct part of the term once for each form. *Switch.* `Options::relax`: without it,
//! the rigid expression is used for both.

use otus_core::{LifelineSet, Pool, Term, TermId};
use otus_trace::Partition;
use rustc_hash::FxHashMap;

use super::alphabet::Alphabet;
use super::harm::{self, Harm};
use super::order::Order;
use super::store::{ExprId, OrderId, Store};

/// A term prepared.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) rigid: ExprId,
    pub(crate) relaxed: ExprId,
    /// Whether the relaxed expression has no conflict and no event across components.
    pub(crate) decoupled: bool,
    /// By component: whether nothing across components matters if only this one is observed.
    pub(crate) alone: Box<[bool]>,
}

/// What a term is compiled from, for later.
#[derive(Debug)]
pub(crate) struct Source {
    pool: Pool,
    term: TermId,
    partition: Partition,
}

impl Source {
    pub(crate) fn new(pool: &Pool, term: TermId, partition: &Partition) -> Self {
        Source { pool: pool.clone(), term, partition: partition.clone() }
    }

    pub(crate) fn parts(&self) -> (&Pool, TermId, &Partition) {
        (&self.pool, self.term, &self.partition)
    }
}

/// How many operands a branch of the tree of a long sequence has.
const BRANCH: usize = 24;

/// Compiles a term. Without `harm`, the relaxed expression is the rigid one.
pub(crate) fn compile(
    store: &mut Store,
    alphabet: &mut Alphabet,
    (pool, term, partition): (&Pool, TermId, &Partition),
    harm: Option<&Harm>,
) -> Compiled {
    let mut compiler = Compiler::new(store, alphabet, (pool, partition), harm);
    let rigid = compiler.run((term, Form::Rigid));
    let relaxed = if harm.is_some() && differs(pool, term) {
        compiler.run((term, Form::Relaxed))
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
    let alone = |component| harm.is_some_and(|harm| harm.is_free_alone(component));
    let alone = partition.components().map(alone).collect();
    Compiled { rigid, relaxed, decoupled, alone }
}

/// Whether relaxing might change anything.
fn differs(pool: &Pool, term: TermId) -> bool {
    harm::parts(pool, term).into_iter().any(|part| match pool.node(part) {
        Term::Strict(..) | Term::LoopS(_) => true,
        Term::Event(event) => pool.event_actions(event).len() > 1,
        Term::Empty | Term::Coreg(..) | Term::Alt(..) | Term::LoopC(..) => false,
    })
}

/// Whether some event or some conflict of an expression is across components.
fn is_coupled(store: &Store, expr: ExprId, crosses: impl Fn(&Order) -> bool) -> bool {
    use super::store::Expr;
    let mut pending = vec![expr];
    let mut met = rustc_hash::FxHashSet::default();
    while let Some(expr) = pending.pop() {
        if !met.insert(expr) {
            continue;
        }
        match store.expr(expr) {
            Expr::Never | Expr::Empty => {}
            Expr::Leaf(leaf) => {
                if store.leaf(*leaf).parts.len() > 1 {
                    return true;
                }
            }
            Expr::Alt(operands) => pending.extend_from_slice(operands),
            Expr::Par(operands) => pending.extend(operands.iter().map(|&(x, _)| x)),
            Expr::Seq(order, operands) => {
                if crosses(&store.order(*order)) {
                    return true;
                }
                pending.extend_from_slice(operands);
            }
            Expr::Loop(order, body) => {
                if crosses(&store.order(*order)) {
                    return true;
                }
                pending.push(*body);
            }
            Expr::Late(_, inner) => pending.push(*inner),
        }
    }
    false
}

/// What a part is compiled to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Form {
    /// As the language has it.
    Rigid,
    /// Without what components cannot tell, where that is exact.
    Relaxed,
    /// The same everywhere.
    Loose,
}

/// Compiles terms of one pool; what is done is kept.
pub(super) struct Compiler<'a> {
    store: &'a mut Store,
    alphabet: &'a mut Alphabet,
    pool: &'a Pool,
    partition: &'a Partition,
    /// Needed for the relaxed form only.
    harm: Option<&'a Harm>,
    everything: LifelineSet,
    strict: OrderId,
    local: OrderId,
    pub(super) done: FxHashMap<(TermId, Form), ExprId>,
}

impl<'a> Compiler<'a> {
    pub(super) fn new(
        store: &'a mut Store,
        alphabet: &'a mut Alphabet,
        (pool, partition): (&'a Pool, &'a Partition),
        harm: Option<&'a Harm>,
    ) -> Self {
        let everything = LifelineSet::full(partition.lifeline_count());
        let strict = store.intern_order(Order::new([everything.clone()]));
        let local = Order::new(partition.components().map(|c| partition.set(c)));
        let local = store.intern_order(local);
        let done = FxHashMap::default();
        Compiler { store, alphabet, pool, partition, harm, everything, strict, local, done }
    }

    /// Operands before their term, without recursion.
    pub(super) fn run(&mut self, whole: (TermId, Form)) -> ExprId {
        let mut pending = vec![whole];
        while let Some(&part) = pending.last() {
            if self.done.contains_key(&part) {
                pending.pop();
                continue;
            }
            let (operands, form) = self.operands(part);
            let before = pending.len();
            pending
                .extend(operands.iter().map(|&x| (x, form)).filter(|x| !self.done.contains_key(x)));
            if pending.len() > before {
                continue;
            }
            let compiled: Vec<ExprId> = operands.iter().map(|&x| self.done[&(x, form)]).collect();
            let expr = self.build(part, &compiled);
            self.done.insert(part, expr);
            pending.pop();
        }
        self.done[&whole]
    }

    /// The operands of a term, with those of the same operator further down in one list, and the
    /// form they take: below a harmful node everything is rigid.
    fn operands(&self, (term, form): (TermId, Form)) -> (Vec<TermId>, Form) {
        let root = self.pool.node(term);
        let form = if form == Form::Relaxed && self.is_harmful(term) { Form::Rigid } else { form };
        let same = |node: Term| match (root, node) {
            (Term::Strict(..), Term::Strict(..)) | (Term::Alt(..), Term::Alt(..)) => true,
            (Term::Coreg(r, ..), Term::Coreg(s, ..)) => r == s,
            _ => false,
        };
        let mut operands = Vec::new();
        let mut pending: Vec<TermId> = root.operands().rev().collect();
        while let Some(operand) = pending.pop() {
            let node = self.pool.node(operand);
            let harmful = form == Form::Relaxed && self.is_harmful(operand);
            if same(node) && !harmful {
                pending.extend(node.operands().rev());
            } else {
                operands.push(operand);
            }
        }
        (operands, form)
    }

    fn is_harmful(&self, term: TermId) -> bool {
        self.harm.is_some_and(|harm| harm.is_harmful(term))
    }

    fn build(&mut self, (term, form): (TermId, Form), operands: &[ExprId]) -> ExprId {
        let whole = match form {
            Form::Rigid => self.strict,
            Form::Relaxed | Form::Loose => self.local,
        };
        match self.pool.node(term) {
            Term::Empty => Store::EMPTY,
            Term::Event(event) => {
                let parts = self.alphabet.parts(self.pool, self.partition, event);
                // Whatever is looked at one component at a time needs the parts by themselves.
                for part in &parts {
                    let id = self.store.leaves.intern(part.clone());
                    self.alphabet.note(id, part);
                }
                let leaves = match form {
                    Form::Rigid => vec![Alphabet::joined(&parts)],
                    Form::Relaxed | Form::Loose => parts,
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

    /// The order in which every lifeline outside a region is in conflict with itself.
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
