//! Random executions of an interaction.
//!
//! A walk takes one random step after another. The residual of a parallel loop grows with the number of sessions in
//! flight, and a term with n sessions has n follow-ups of size n. Two measures limit the cost. First, a step of a large
//! term is drawn without computing the other steps: a leaf is drawn uniformly, and drawn again if its event is not
//! possible. Second, from time to time the residual is copied to a fresh pool, which drops the residuals of earlier
//! steps.

use otus_core::algebra::fold::fold;
use otus_core::algebra::simplify;
use otus_core::budget::Cancel;
use otus_core::semantics::{Frontiers, execute};
use otus_core::{EventId, Pool, Term, TermId};
use rustc_hash::FxHashMap;

/// The maximum number of terms that the steps of a term may create if all of them are computed.
const AFFORDABLE: u64 = 20_000;
/// The number of terms that a pool gains before it is replaced.
const GAINED: usize = 1 << 19;

/// An endless stream of random executions, with repetitions.
#[derive(Debug)]
pub struct Walks<'p> {
    pool: &'p mut Pool,
    root: TermId,
    max_length: usize,
    random: fastrand::Rng,
    /// The pool and the root term as they were given, without any residuals.
    base: (Pool, TermId),
    frontiers: Frontiers,
    lengths: FxHashMap<TermId, Lengths>,
    cancel: Cancel,
}

impl<'p> Walks<'p> {
    /// Walks of at most `max_length` events.
    pub fn new(pool: &'p mut Pool, term: TermId, max_length: usize, seed: u64) -> Self {
        let root = simplify(pool, term);
        Walks {
            base: (pool.clone(), root),
            pool,
            root,
            max_length,
            random: fastrand::Rng::with_seed(seed),
            frontiers: Frontiers::default(),
            lengths: FxHashMap::default(),
            cancel: Cancel::default(),
        }
    }

    /// The same walks, which end without a trace once the token is cancelled.
    #[must_use]
    pub fn until(self, cancel: Cancel) -> Self {
        Walks { cancel, ..self }
    }

    /// The pool that the events refer to.
    pub fn pool(&self) -> &Pool {
        self.pool
    }

    /// How many events the shortest accepted trace has.
    pub fn shortest(&mut self) -> u64 {
        self.lengths_of(self.root).shortest
    }

    /// An accepted trace of about this length. Before this length is reached, steps that would end
    /// the trace are avoided; after it, the shortest completion is taken. A uniformly random walk
    /// rarely produces long traces, since it leaves loops early. `None` if every accepted trace is
    /// longer than `max_length`, or the walks are cancelled.
    pub fn walk_of(&mut self, length: usize) -> Option<Vec<EventId>> {
        let length = length.min(self.max_length);
        self.walk_by(length, |taken, end, next| {
            if taken < length {
                next.longest >= (length - taken - 1) as u64
            } else {
                next.shortest < end
            }
        })
    }

    /// A random number between 0 and `most`.
    pub fn number(&mut self, most: usize) -> usize {
        self.random.usize(..=most)
    }

    /// An accepted trace that ends as soon as it can after a random number of events. `None` if
    /// every accepted trace is longer than `max_length`, or the walks are cancelled.
    pub fn walk(&mut self) -> Option<Vec<EventId>> {
        let length = self.random.usize(..=self.max_length);
        self.walk_by(length, |_, _, _| true)
    }

    /// An accepted trace that ends as soon as it can after this number of events. Among the steps
    /// that leave room for an end, those are preferred that are good, given the number of steps
    /// taken before, the number of events to the nearest end, and the lengths after the step.
    fn walk_by(
        &mut self,
        length: usize,
        is_good: impl Fn(usize, u64, Lengths) -> bool,
    ) -> Option<Vec<EventId>> {
        if self.shortest() > self.max_length as u64 {
            return None;
        }
        let mut term = self.root;
        let mut trace = Vec::new();
        loop {
            let over = trace.len() >= length && self.pool.attributes(term).terminates;
            if over || trace.len() >= self.max_length {
                return Some(trace);
            }
            if self.cancel.is_cancelled() {
                return None;
            }
            if self.pool.term_count() > self.base.0.term_count() + GAINED {
                term = self.renew(term);
            }
            let left = (self.max_length - trace.len() - 1) as u64;
            let end = self.lengths_of(term).shortest;
            let taken = trace.len();
            let fits = |next: Lengths| next.shortest <= left;
            let is_good = |next: Lengths| is_good(taken, end, next);
            let is_large = self.frontiers.cost(self.pool, term) > AFFORDABLE;
            let drawn = if is_large { self.draw(term, fits, is_good) } else { None };
            let drawn = drawn.or_else(|| self.draw_among_all(term, fits, is_good));
            let Some((event, follow_up)) = drawn else { return Some(trace) };
            trace.push(event);
            term = follow_up;
        }
    }

    /// Draws a random step among all that fit, and among the good ones if there are any.
    fn draw_among_all(
        &mut self,
        term: TermId,
        fits: impl Fn(Lengths) -> bool,
        is_good: impl Fn(Lengths) -> bool,
    ) -> Option<(EventId, TermId)> {
        let steps = self.frontiers.steps(self.pool, term);
        let (mut good, mut possible) = (Vec::new(), Vec::new());
        for step in steps.iter() {
            let next = self.lengths_of(step.follow_up);
            if fits(next) {
                if is_good(next) { &mut good } else { &mut possible }.push(step);
            }
        }
        let chosen = if good.is_empty() { possible } else { good };
        let step = self.random.choice(chosen)?;
        Some((step.event, step.follow_up))
    }

    /// Draws a random step without computing all steps. Leaves are drawn until the event of one is possible and good,
    /// at most a quarter of the number of leaves; `None` if there was no such leaf.
    fn draw(
        &mut self,
        term: TermId,
        fits: impl Fn(Lengths) -> bool,
        is_good: impl Fn(Lengths) -> bool,
    ) -> Option<(EventId, TermId)> {
        for _ in 0..self.lengths_of(term).leaves / 4 {
            let position = self.random_leaf(term);
            let memo = &mut self.frontiers.memo;
            let Some((event, follow_up)) = execute(self.pool, memo, term, position) else {
                continue;
            };
            let next = self.lengths_of(follow_up);
            if fits(next) && is_good(next) {
                return Some((event, follow_up));
            }
        }
        None
    }

    /// The position of a leaf, each with the same probability.
    fn random_leaf(&mut self, term: TermId) -> Vec<u8> {
        let mut position = Vec::new();
        let mut at = term;
        loop {
            let node = self.pool.node(at);
            let mut operands = node.operands();
            let (Some(left), right) = (operands.next(), operands.next()) else { return position };
            let Some(right) = right else {
                position.push(1);
                at = left;
                continue;
            };
            let [first, second] = [left, right].map(|operand| self.lengths_of(operand).leaves);
            let is_first = self.random.u64(0..first.saturating_add(second).max(1)) < first;
            position.push(if is_first { 1 } else { 2 });
            at = if is_first { left } else { right };
        }
    }

    fn lengths_of(&mut self, term: TermId) -> Lengths {
        lengths(self.pool, &mut self.lengths, term)
    }

    /// Copies a residual to a fresh pool. Parallel loops beside each other become one:
    ///
    /// ```text
    /// par(loopP(i), loopP(i)) = loopP(i)
    /// ```
    fn renew(&mut self, term: TermId) -> TermId {
        let mut fresh = self.base.0.clone();
        let copied = fold(
            self.pool,
            term,
            &mut FxHashMap::default(),
            |_, _| None,
            |old, term, operands: &[TermId]| match (old.node(term), operands) {
                (Term::Event(event), _) => fresh.event(event),
                (Term::Strict(..), &[left, right]) => fresh.strict(left, right),
                (Term::Alt(..), &[left, right]) => fresh.alt(left, right),
                (Term::LoopS(_), &[body]) => fresh.loop_s(body),
                (Term::LoopC(region, _), &[body]) => {
                    let region = fresh.intern_region(&old.region(region));
                    fresh.loop_c(region, body)
                }
                (Term::Coreg(region, ..), &[left, right]) => {
                    let region = fresh.intern_region(&old.region(region));
                    if region == Pool::ALL {
                        return par(&mut fresh, left, right);
                    }
                    fresh.coreg(region, left, right)
                }
                _ => Pool::EMPTY,
            },
        );
        *self.pool = fresh;
        (self.frontiers, self.lengths) = (Frontiers::default(), FxHashMap::default());
        self.root = self.base.1;
        copied
    }
}

/// `par(left, right)`. If both operands end with the same loop, the loop of the left one is dropped.
fn par(pool: &mut Pool, left: TermId, right: TermId) -> TermId {
    let (operands, last) = spine(pool, left);
    let (_, other) = spine(pool, right);
    let is_loop = matches!(pool.node(last), Term::LoopC(region, _) if region == Pool::ALL);
    if !is_loop || last != other {
        return pool.par(left, right);
    }
    operands.into_iter().rev().fold(right, |rest, operand| pool.par(operand, rest))
}

/// The left operands of right-nested `par` terms, and the last operand.
fn spine(pool: &Pool, term: TermId) -> (Vec<TermId>, TermId) {
    let (mut operands, mut at) = (Vec::new(), term);
    while let Term::Coreg(Pool::ALL, left, right) = pool.node(at) {
        operands.push(left);
        at = right;
    }
    (operands, at)
}

/// The lengths of the shortest and of the longest accepted trace, `u64::MAX` if there is no longest
/// one.
///
/// ```text
/// ∅: 0    e: 1    alt: the smaller, the larger    strict, coreg: the sum
/// loop(i): 0, and MAX unless i is empty
/// ```
fn lengths(pool: &mut Pool, known: &mut FxHashMap<TermId, Lengths>, term: TermId) -> Lengths {
    fold(
        pool,
        term,
        known,
        |_, _| None,
        |pool, term, operands| match (pool.node(term), operands) {
            (Term::Event(_), _) => Lengths { shortest: 1, longest: 1, leaves: 1 },
            (Term::LoopS(_) | Term::LoopC(..), [body]) => Lengths {
                shortest: 0,
                longest: if body.longest == 0 { 0 } else { u64::MAX },
                leaves: body.leaves,
            },
            (Term::Alt(..), [one, other]) => Lengths {
                shortest: one.shortest.min(other.shortest),
                longest: one.longest.max(other.longest),
                leaves: one.leaves.saturating_add(other.leaves),
            },
            (_, operands) => operands.iter().fold(Lengths::default(), |sum, more| Lengths {
                shortest: sum.shortest.saturating_add(more.shortest),
                longest: sum.longest.saturating_add(more.longest),
                leaves: sum.leaves.saturating_add(more.leaves),
            }),
        },
    )
}

#[derive(Debug, Clone, Copy, Default)]
struct Lengths {
    shortest: u64,
    longest: u64,
    /// The number of events in the tree of the term.
    leaves: u64,
}
