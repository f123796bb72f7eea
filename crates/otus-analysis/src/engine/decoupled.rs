//! The search for decoupled components: consumes one component at a time.
//!
//! If no conflict and no event of an expression crosses components, the order in which
//! components are consumed makes no difference:
//!
//! **Claim.** Let a be the next moment of some component c. Then x explains µ iff `∂_a x` explains
//! the rest of µ.
//!
//! *Proof.* In a trace of x that explains µ, let e be the event that is observed as a, the first of
//! c (skipped events are gone, see [`suffix`](super::suffix)). Events before e are on other
//! components, hence not in conflict with it, so e can be moved to the front, because operators
//! only constrain pairs in conflict. The other components see no difference. ∎
//!
//! So only the alternatives of the expression are tried, and these are kept together in one
//! expression as long as it stays small: a deterministic run of a lazily built automaton. Only when
//! it has grown are its alternatives tried one by one. When the log of a component is consumed, its
//! remaining events are pruned (if the log was complete) or erased (if it may have stopped early).
//!
//! *Choice of the component.* The first component, beginning with the one that moved last, whose
//! step makes the expression smaller; otherwise the one that leaves it smallest. If one component
//! ran ahead, it would unroll a loop for each iteration, so the others follow closely. In an
//! expression that has grown, the smallest size within a component's next few steps counts instead
//! of the size after the next step, because that step may be a choice that doubles the expression
//! until the following step resolves it. (If such a choice were postponed, another component would
//! run ahead, and each of its steps would make the choice more expensive.) An impossible step of
//! any component ends the branch. If the expression was met before in this analysis, the component
//! that moved then moves again, unless its step now leaves a larger expression. (Without erasing
//! finished logs, the random benchmark takes 1.6 times as many instructions, since fewer residuals
//! coincide.)
//!
//! *Cost.* A step that was taken before, by this or another multi-trace, is a look-up for each
//! component that is compared; a run without branches remembers no state. With branches the search
//! is exponential in the worst case (the question is NP-hard); after some states the SAT solver is
//! asked, if there is a formula ([`sat`](super::sat)).

use rustc_hash::FxHashSet;

use super::logs::{Consumed, Logs};
use super::lookahead::{LocalMemo, beginnings, is_refuted, plausible};
use super::store::{Expr, ExprId, LeafId, Store};
use super::{Context, Ending};
use crate::budget::{Meter, Stop};

/// The number of steps of a component that are compared if an expression has grown and no single
/// step makes it smaller.
const FORESIGHT: usize = 4;
/// The maximum number of memoized results of look-ahead.
const REMEMBERED: usize = 1 << 14;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// The multi-trace is explained.
    Yes,
    /// The multi-trace is not explained.
    No,
    /// Undecided because of a limit.
    Unknown(Stop),
}

impl Found {
    /// Whether the multi-trace is explained; `None` if undecided.
    pub(crate) fn decided(self) -> Option<bool> {
        match self {
            Found::Yes => Some(true),
            Found::No => Some(false),
            Found::Unknown(_) => None,
        }
    }
}

/// Whether an expression explains the rest of the logs. Gives up after this number of states beyond
/// those of the greedy attempt.
pub(crate) fn explain(
    context: &mut Context<'_>,
    start: ExprId,
    logs: &mut Logs<'_>,
    states: u64,
    meter: &mut Meter<'_>,
) -> Found {
    if context.options.look_ahead && logs.late.contains(&true) {
        if is_refuted(context, logs, start) {
            return Found::No;
        }
        // The greedy attempt often succeeds quickly.
        let initial = logs.consumed.clone();
        let states = 1000 + 4 * logs.left() as u64;
        let found = run(context, start, logs, Starts::Greedy, states, meter);
        logs.furthest = None;
        if found == Found::Yes {
            return found;
        }
        logs.consumed.copy_from_slice(&initial);
    }
    run(context, start, logs, Starts::Exhaustive, states, meter)
}

/// How the start of logs that may start late is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Starts {
    /// All possibilities are tried.
    Exhaustive,
    /// One log after the other ([`greedy`](super::greedy)).
    Greedy,
}

/// Like [`explain`], but makes a single attempt.
pub(crate) fn run(
    context: &mut Context<'_>,
    start: ExprId,
    logs: &mut Logs<'_>,
    starts: Starts,
    states: u64,
    meter: &mut Meter<'_>,
) -> Found {
    let mut left = states;
    let together = context.store.size(start).saturating_mul(8).saturating_add(64);
    let alert = context.store.size(start).saturating_add(4);
    let fresh = logs.late.iter().filter(|&&late| late).count();
    let mut search = Search {
        context,
        logs,
        starts,
        alert,
        together,
        branches: Vec::new(),
        fresh,
        current: 0,
        met: FxHashSet::default(),
        local_memo: LocalMemo::default(),
    };
    let mut expr = start;
    loop {
        if search.starts == Starts::Greedy && search.fresh > 0 {
            expr = search.context.store.greedy(expr);
        }
        if search.fresh == 0 {
            expr = search.repeat_known_steps(expr, &mut left, meter);
        }
        if left == 0 {
            return Found::Unknown(Stop::States);
        }
        left -= 1;
        if let Some(stop) = search.context.tick(meter) {
            return Found::Unknown(stop);
        }
        if search.context.options.look_ahead && search.context.store.size(expr) > search.alert {
            if search.local_memo.len() > REMEMBERED {
                search.local_memo.clear();
            }
            let kept = plausible(search.context, &mut search.local_memo, search.logs, expr);
            // If the look-ahead runs out of fuel, it is abandoned, because it is not worth more
            // fuel than a step.
            if search.context.store.is_spent() && !search.context.store.is_stopped() {
                search.context.store.refuel();
                search.local_memo.clear();
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
    starts: Starts,
    /// The size of an expression above which look-ahead is used.
    alert: u32,
    /// The size of an expression above which its alternatives are tried one by one.
    together: u32,
    /// Alternatives that are still to be tried, the last one first, with the consumed actions of
    /// each log at that point.
    branches: Vec<(Vec<ExprId>, Consumed)>,
    /// An upper bound on the number of logs that may start late and have not started.
    fresh: usize,
    /// The component that moved last.
    current: usize,
    met: FxHashSet<(ExprId, Consumed)>,
    local_memo: LocalMemo,
}

impl Search<'_, '_, '_> {
    /// Repeats steps that this analysis took before, as long as the component is known, the
    /// expression does not grow more than it did then, and the log goes on. Long multi-traces of
    /// regular models spend their time here, so each action costs only the look-ups of its
    /// component, its leaf and its step. The steps are the same as those taken one by one, and all
    /// are counted.
    fn repeat_known_steps(
        &mut self,
        expr: ExprId,
        left: &mut u64,
        meter: &mut Meter<'_>,
    ) -> ExprId {
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
            let next = ExprId(next);
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

    /// Whether an expression, although it has grown, needs neither look-ahead nor splitting.
    fn is_plain(&self, expr: ExprId, size: u32) -> bool {
        size <= self.together && !matches!(self.context.store.expr(expr), Expr::Alt(_))
    }

    /// Consumes a moment of the best component.
    fn advance(&mut self, expr: ExprId) -> Option<Move> {
        if self.fresh > 0
            && !(self.starts == Starts::Greedy && self.has_running_log())
            && let Some(component) = self.next_to_start(expr)
        {
            self.fresh -= 1;
            let (leaf, after) = self.logs.next(component, self.context.alphabet)?;
            let next = self.step(expr, leaf?)?;
            return Some(self.take(component, next, after));
        }
        let size = self.context.store.size(expr);
        if let Some((component, usual)) = self.context.hint(expr)
            && !self.must_wait(component)
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
            if self.must_wait(component) {
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
        // Only while look-ahead is cheap: in an expression that has grown far, each step is
        // expensive.
        if cost >= size && size / 2 > self.alert && size / 4 <= self.alert {
            (cost, component, next, after) = self.foresee(expr, size)?;
        }
        self.context.set_hint(expr, component, cost);
        Some(self.take(component, next, after))
    }

    /// The step of the component whose next few steps make the expression smallest, for when no
    /// single step makes it smaller: its cost, the component, the residual and the consumed
    /// actions. `None` if some component cannot move.
    fn foresee(&mut self, expr: ExprId, size: u32) -> Option<(u32, usize, ExprId, u32)> {
        let mut best: Option<((u32, u32), usize, ExprId, u32)> = None;
        let count = self.logs.len();
        for offset in 0..count {
            let component = (self.current + offset) % count;
            if self.must_wait(component) {
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

    /// Whether a log must not start yet (greedy attempt).
    fn must_wait(&self, component: usize) -> bool {
        self.starts == Starts::Greedy && self.fresh > 0 && self.logs.is_unstarted(component)
    }

    /// Whether some log has started and is not consumed.
    fn has_running_log(&self) -> bool {
        (0..self.logs.len()).any(|c| !self.logs.is_over(c) && !self.logs.is_unstarted(c))
    }

    /// The log to start next: among those that may start late, the one with the fewest possible
    /// starts that its component by itself does not refute.
    fn next_to_start(&mut self, expr: ExprId) -> Option<usize> {
        let fresh: Vec<usize> =
            (0..self.logs.len()).filter(|&c| self.logs.is_unstarted(c)).collect();
        self.fresh = fresh.len();
        if let [_, _, ..] = fresh.as_slice() {
            let count = |&component: &usize| {
                beginnings(self.context, &mut self.local_memo, self.logs, expr, component)
            };
            return fresh.into_iter().min_by_key(count);
        }
        fresh.first().copied()
    }

    fn step(&mut self, expr: ExprId, leaf: LeafId) -> Option<ExprId> {
        let next = self.context.store.step(expr, leaf);
        (next != Store::NEVER).then_some(next)
    }

    /// Moves to an expression, with a component's log consumed up to `after`.
    fn take(&mut self, component: usize, next: ExprId, after: u32) -> Move {
        self.logs.consumed[component] = after;
        self.current = component;
        if !self.logs.is_over(component) {
            return Move::To(next);
        }
        // All other logs are consumed, so the rest has events on this component only, and every
        // expression except `NEVER` has a trace.
        if self.logs.endings[component] == Ending::Early && self.logs.all_over() {
            return Move::Done;
        }
        Move::To(self.context.end(next, component, self.logs.endings[component]))
    }

    /// Splits an expression that has grown into alternatives, to be tried one by one.
    fn split(&mut self, expr: ExprId) -> Option<ExprId> {
        let mut alternatives = self.context.store.alternatives(expr);
        if alternatives.len() < 2 {
            return None;
        }
        if !self.met.insert((expr, self.logs.consumed.clone())) {
            return Some(Store::NEVER);
        }
        // The smallest alternative is tried first.
        alternatives.sort_by_key(|&x| std::cmp::Reverse((self.context.store.size(x), x)));
        self.context.counters.branches += 1;
        self.context.store.beside += alternatives.len() * size_of::<ExprId>()
            + 2 * size_of::<(ExprId, Consumed)>()
            + size_of::<Vec<ExprId>>();
        let first = alternatives.pop().unwrap_or(Store::NEVER);
        self.branches.push((alternatives, self.logs.consumed.clone()));
        Some(first)
    }

    fn backtrack(&mut self) -> Option<ExprId> {
        loop {
            let (alternatives, consumed) = self.branches.last_mut()?;
            if let Some(next) = alternatives.pop() {
                self.logs.consumed.copy_from_slice(consumed);
                self.fresh = self.logs.late.iter().filter(|&&late| late).count();
                return Some(next);
            }
            self.branches.pop();
        }
    }
}
