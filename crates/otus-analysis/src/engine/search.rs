//! Explaining a multi-trace component by component.
//!
//! If no conflict and no event of an expression is across components, then the order in which
//! components are looked at makes no difference:
//!
//! **Claim.** Let a be the next moment of some component c. Then µ is explained by x iff what is left
//! of µ is explained by `∂_a x`.
//!
//! *Proof.* In a trace of x that explains µ, let e be the event that is observed as a, the first
//! of c (events that were skipped are gone, see [`late`](super::late)). Events before e are on
//! other components, hence in no conflict with it, so e can be moved to the front: conditions of
//! operators are about pairs in conflict. The other components see no difference. ∎
//!
//! So nothing is tried but the alternatives of the expression, and these are kept together in one
//! expression as long as it stays small: a deterministic run of a lazy automaton. Only when it has
//! grown are its alternatives tried one by one. When the log of a component is consumed, its
//! remaining events are pruned (it was complete) or stripped (it may have stopped early).
//!
//! *Which component next.* One whose step makes the expression smaller, at once, beginning with the one
//! that moved last; else the one that leaves it smallest. If one component ran ahead, a loop would be
//! unrolled as often as it iterates; so the others follow close behind. In an expression that has grown, how
//! small a component's next few steps can make it counts, not the next one alone: that one may be a choice, which
//! doubles the expression until the step after it tells. (If it were put off, another component would
//! run ahead with plain steps, and each makes the choice dearer.) An impossible step ends the branch
//! wherever it is. In an expression that was met before in this analysis the same component is taken,
//! if it leaves no more than it did then. (Not to strip a log that is over makes the random benchmark
//! take 1.6 times as many instructions: fewer residuals are the same.)
//!
//! *Cost.* A step that was taken before, by this or another multi-trace, is a look-up for each
//! component that is compared; a run without branches remembers no state. With branches it is exponential in
//! the worst case (the question is NP-hard); after some states a formula is asked, if there is one
//! ([`sat`](super::sat)).
//!
//! *Switch.* `Options::relax`: without it every component is coupled. *Counter.*
//! `Counters::branches`, the expressions that were split.

use rustc_hash::FxHashSet;

use super::ahead::{Seen, beginnings, is_possible_alone, plausible};
use super::logs::{Consumed, Logs};
use super::store::{Expr, ExprId, LeafId, Store};
use super::{Context, Ending};
use crate::budget::{Meter, Stop};

/// How many steps of a component are looked at where an expression has grown and no single one makes it smaller.
const FORESIGHT: usize = 4;
/// How much is remembered of what components alone said.
const REMEMBERED: usize = 1 << 14;

/// What a search found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// It is explained.
    Yes,
    /// It cannot be.
    No,
    /// Nobody knows, because of a limit.
    Unknown(Stop),
}

/// Alternatives that are still to be tried, from the last to the first.
struct Branch {
    alternatives: Vec<ExprId>,
    consumed: Consumed,
}

/// Whether an expression explains what is left of the logs.
pub(crate) fn explain(
    context: &mut Context<'_>,
    start: ExprId,
    logs: &mut Logs<'_>,
    meter: &mut Meter<'_>,
) -> Found {
    explain_within(context, start, logs, u64::MAX, meter)
}

/// The same, giving up after so many states beyond those that luck takes.
pub(crate) fn explain_within(
    context: &mut Context<'_>,
    start: ExprId,
    logs: &mut Logs<'_>,
    states: u64,
    meter: &mut Meter<'_>,
) -> Found {
    if context.options.look_ahead && logs.late.contains(&true) {
        if !(0..logs.len()).all(|component| is_possible_alone(context, logs, start, component)) {
            if !context.store.is_spent() {
                return Found::No;
            }
            context.store.refuel();
        }
        // With luck, if that is quick.
        let initial = logs.consumed.clone();
        let states = 1000 + 4 * logs.left() as u64;
        let found = run(context, start, logs, (Manner::Hurried, states), meter);
        logs.furthest = None;
        if found == Found::Yes {
            return found;
        }
        logs.consumed.copy_from_slice(&initial);
    }
    run(context, start, logs, (Manner::Thorough, states), meter)
}

/// The same, giving up after so many states.
pub(crate) fn look_ahead(
    context: &mut Context<'_>,
    start: ExprId,
    logs: &mut Logs<'_>,
    states: u64,
    meter: &mut Meter<'_>,
) -> Found {
    run(context, start, logs, (Manner::Thorough, states), meter)
}

/// How logs that may start late are begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// In all ways.
    Thorough,
    /// One after the other ([`hurry`](super::hurry)).
    Hurried,
}

fn run(
    context: &mut Context<'_>,
    start: ExprId,
    logs: &mut Logs<'_>,
    (manner, states): (Manner, u64),
    meter: &mut Meter<'_>,
) -> Found {
    let mut left = states;
    let together = context.store.size(start).saturating_mul(8).saturating_add(64);
    let alert = context.store.size(start).saturating_add(4);
    let fresh = logs.late.iter().filter(|&&late| late).count();
    let mut search = Search {
        context,
        logs,
        manner,
        alert,
        together,
        branches: Vec::new(),
        fresh,
        current: 0,
        met: FxHashSet::default(),
        seen: Seen::default(),
    };
    let mut expr = start;
    loop {
        if search.manner == Manner::Hurried && search.fresh > 0 {
            expr = search.context.store.hurry(expr);
        }
        if search.fresh == 0 {
            expr = search.cruise(expr, &mut left, meter);
        }
        if left == 0 {
            return Found::Unknown(Stop::States);
        }
        left -= 1;
        if let Some(stop) = search.context.tick(meter) {
            return Found::Unknown(stop);
        }
        if search.context.options.look_ahead && search.context.store.size(expr) > search.alert {
            if search.seen.len() > REMEMBERED {
                search.seen.clear();
            }
            let kept = plausible(search.context, &mut search.seen, search.logs, expr);
            // Looking ahead is not worth more work than a step.
            if search.context.store.is_spent() && !search.context.store.is_late() {
                search.context.store.refuel();
                search.seen.clear();
            } else {
                expr = kept;
            }
        }
        while search.context.store.size(expr) > search.together {
            let Some(smaller) = search.split(expr) else { break };
            expr = smaller;
        }
        let next = if expr == Store::NEVER { None } else { search.advance(expr) };
        expr = match next {
            Some(Move::Done) => return Found::Yes,
            Some(Move::To(next)) => next,
            None => {
                search.logs.note_furthest();
                match search.backtrack() {
                    Some(next) => next,
                    None => return Found::No,
                }
            }
        };
    }
}

enum Move {
    Done,
    To(ExprId),
}

struct Search<'s, 'c, 'l> {
    context: &'s mut Context<'c>,
    logs: &'s mut Logs<'l>,
    manner: Manner,
    /// From which size on components are looked at alone.
    alert: u32,
    /// From which size on alternatives are tried one by one.
    together: u32,
    branches: Vec<Branch>,
    /// Whether, and how many, logs that may start late have not begun; no less than there are.
    fresh: usize,
    /// The component that was looked at last.
    current: usize,
    met: FxHashSet<(ExprId, Consumed)>,
    seen: Seen,
}

impl Search<'_, '_, '_> {
    /// Takes steps that this analysis took before, as long as they are plain: the component is known,
    /// the expression does not grow more than it did then, and the log goes on. This is where long multi-traces of regular
    /// models spend their time, so it does no more for an action than look up its component, its leaf
    /// and its step. It takes no step that would not be taken one by one, and counts all of them.
    fn cruise(&mut self, expr: ExprId, left: &mut u64, meter: &mut Meter<'_>) -> ExprId {
        let most = meter.room().min(*left);
        let mut expr = expr;
        let mut size = self.context.store.size(expr);
        let mut taken = 0;
        while taken < most && (size <= self.alert || self.is_plain(expr, size)) {
            let Some((component, usual)) = self.context.hint(expr) else { break };
            let at = self.logs.consumed[component];
            let log = self.logs.log(component);
            let Some(&[now, then]) = log.get(at as usize..at as usize + 2) else { break };
            if then.joined() {
                break;
            }
            let Some(leaf) = self.context.alphabet.direct(now) else { break };
            let Some(next) = self.context.store.stepped.get(expr, leaf) else { break };
            let after_size = self.context.store.size(next);
            if after_size > size.max(usual) || next == Store::NEVER {
                break;
            }
            self.logs.consumed[component] = at + 1;
            self.current = component;
            size = after_size;
            expr = next;
            taken += 1;
        }
        *left -= taken;
        meter.count_many(taken);
        expr
    }

    /// Whether an expression that has grown is neither looked at more closely nor split.
    fn is_plain(&self, expr: ExprId, size: u32) -> bool {
        size <= self.together && !matches!(self.context.store.expr(expr), Expr::Alt(_))
    }

    /// Consumes a moment of the component that is best looked at now.
    fn advance(&mut self, expr: ExprId) -> Option<Move> {
        if self.fresh > 0
            && !(self.manner == Manner::Hurried && self.is_busy())
            && let Some(component) = self.latecomer(expr)
        {
            self.fresh -= 1;
            let (leaf, after) = self.logs.next(component, self.context.alphabet)?;
            let next = self.step(expr, leaf?)?;
            return Some(self.take(component, next, after));
        }
        let size = self.context.store.size(expr);
        if let Some((component, usual)) = self.context.hint(expr)
            && !(self.manner == Manner::Hurried && self.fresh > 0 && self.logs.is_unborn(component))
            && let Some((leaf, after)) = self.logs.next(component, self.context.alphabet)
        {
            let next = self.step(expr, leaf?)?;
            let after_size = self.context.store.size(next);
            if after_size <= size.max(usual) {
                return Some(self.take(component, next, after));
            }
        }
        let mut best: Option<(u32, usize, ExprId, u32)> = None;
        let mut over = true;
        let count = self.logs.len();
        for offset in 0..count {
            let rotated = self.current + offset;
            let component = if rotated < count { rotated } else { rotated - count };
            if self.manner == Manner::Hurried && self.fresh > 0 && self.logs.is_unborn(component) {
                continue;
            }
            let Some((leaf, after)) = self.logs.next(component, self.context.alphabet) else {
                continue;
            };
            over = false;
            let next = self.step(expr, leaf?)?;
            let cost = self.context.store.size(next);
            if cost < size {
                best = Some((cost, component, next, after));
                break;
            }
            if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                best = Some((cost, component, next, after));
            }
        }
        if over {
            return self.context.store.nullable(expr).then_some(Move::Done);
        }
        let (mut cost, mut component, mut next, mut after) = best?;
        // While that is cheap: in an expression that has grown far, each step is as dear as the expression is large.
        if cost >= size && size / 2 > self.alert && size / 4 <= self.alert {
            (cost, component, next, after) = self.foresee(expr, size)?;
        }
        self.context.set_hint(expr, component, cost);
        Some(self.take(component, next, after))
    }

    /// The step of the component whose next few steps make an expression smallest, where no single one makes
    /// it smaller: its cost, the component, what is left and what is consumed. `None` if some component cannot go on.
    fn foresee(&mut self, expr: ExprId, size: u32) -> Option<(u32, usize, ExprId, u32)> {
        let mut best: Option<((u32, u32), usize, ExprId, u32)> = None;
        let count = self.logs.len();
        for offset in 0..count {
            let component = (self.current + offset) % count;
            if self.manner == Manner::Hurried && self.fresh > 0 && self.logs.is_unborn(component) {
                continue;
            }
            let Some((leaf, after)) = self.logs.next(component, self.context.alphabet) else {
                continue;
            };
            let next = self.step(expr, leaf?)?;
            let cost = self.context.store.size(next);
            let (mut least, mut further, mut at) = (cost, next, after);
            for _ in 1..FORESIGHT {
                if least <= size {
                    break;
                }
                let Some((leaf, then)) = self.logs.next_at(component, at, self.context.alphabet)
                else {
                    break;
                };
                further = self.step(further, leaf?)?;
                least = least.min(self.context.store.size(further));
                at = then;
            }
            if best.as_ref().is_none_or(|(known, ..)| (least, cost) < *known) {
                best = Some(((least, cost), component, next, after));
            }
        }
        best.map(|((_, cost), component, next, after)| (cost, component, next, after))
    }

    /// Whether a log that has begun is not over.
    fn is_busy(&self) -> bool {
        (0..self.logs.len()).any(|c| !self.logs.is_over(c) && !self.logs.is_unborn(c))
    }

    /// The log that is begun next: of those that may start late the one with the fewest beginnings
    /// that its component alone does not refute.
    fn latecomer(&mut self, expr: ExprId) -> Option<usize> {
        let fresh: Vec<usize> = (0..self.logs.len()).filter(|&c| self.logs.is_unborn(c)).collect();
        self.fresh = fresh.len();
        if let [_, _, ..] = fresh.as_slice() {
            let mut best = None;
            for component in fresh {
                let count = beginnings(self.context, &mut self.seen, self.logs, expr, component);
                if best.is_none_or(|(least, _)| count < least) {
                    best = Some((count, component));
                }
            }
            return best.map(|(_, component)| component);
        }
        fresh.first().copied()
    }

    fn step(&mut self, expr: ExprId, leaf: LeafId) -> Option<ExprId> {
        let next = self.context.store.step(expr, leaf);
        (next != Store::NEVER).then_some(next)
    }

    /// Goes on to an expression, with a component's log consumed up to `after`.
    fn take(&mut self, component: usize, next: ExprId, after: u32) -> Move {
        self.logs.consumed[component] = after;
        self.current = component;
        if !self.logs.is_over(component) {
            return Move::To(next);
        }
        // All others have ended, so what is left has events on this component only, and every expression
        // but `NEVER` has a trace.
        if self.logs.endings[component] == Ending::Early && self.logs.all_over() {
            return Move::Done;
        }
        Move::To(self.end(component, next))
    }

    fn end(&mut self, component: usize, expr: ExprId) -> ExprId {
        let lifelines = self.context.components[component];
        match self.logs.endings[component] {
            Ending::Final => self.context.store.prune(expr, lifelines),
            Ending::Early => self.context.store.strip(expr, lifelines),
        }
    }

    /// Alternatives of an expression that has grown are tried one by one.
    fn split(&mut self, expr: ExprId) -> Option<ExprId> {
        let mut alternatives = self.context.store.alternatives(expr);
        if alternatives.len() < 2 {
            return None;
        }
        if !self.met.insert((expr, self.logs.consumed.clone())) {
            return Some(Store::NEVER);
        }
        // The smallest first.
        alternatives.sort_by_key(|&x| std::cmp::Reverse((self.context.store.size(x), x)));
        self.context.counters.branches += 1;
        let first = alternatives.pop().unwrap_or(Store::NEVER);
        self.branches.push(Branch { alternatives, consumed: self.logs.consumed.clone() });
        Some(first)
    }

    fn backtrack(&mut self) -> Option<ExprId> {
        loop {
            let branch = self.branches.last_mut()?;
            match branch.alternatives.pop() {
                Some(next) => {
                    self.logs.consumed.copy_from_slice(&branch.consumed);
                    self.fresh = self.logs.late.iter().filter(|&&late| late).count();
                    return Some(next);
                }
                None => {
                    self.branches.pop();
                }
            }
        }
    }
}
