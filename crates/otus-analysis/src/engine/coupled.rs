//! The search for coupled components: consumes event by event, where order between components
//! matters.
//!
//! A state is an expression and how much of each log is consumed. An event can happen if, on every
//! component that it touches, it is the next moment or is outside the period of observation: before
//! the first moment of a log that may start late, or after the end of one that may stop early. The
//! search is depth first and visits no state twice. Only events that touch a stubborn set are tried
//! ([`stubborn`](super::stubborn)); branches that single components refute are dropped
//! ([`relaxation`](super::relaxation)); unconstrained events after the end of a log are erased
//! ([`erase`](super::erase)).
//!
//! *Unobserved events* are bounded by the loop lemma ([`unroll`](super::unroll)), which limits the
//! iterations begun by unobserved events in a row. The limit is low at first and doubled
//! until it cuts nothing off, or is as high as the lemma demands.
//!
//! In a *global prefix* no event is unobserved and nothing need be completed: when all logs are
//! consumed, the rest of the interaction can be completed (every expression except `NEVER` has a
//! trace).
//!
//! *Cost.* States are pairs of an expression and a position in each log: in the worst case the
//! product of the lengths of logs, times the expressions. States with a single move are not
//! remembered before the first dead end. Their move is memoized by the expression and the next
//! symbols, so that it is a look-up next time.
//!
//! With `Options::relax` off, all multi-traces come here unless the term never orders anything
//! across components.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::decoupled::{self, Found, Starts};
use super::logs::{Consumed, Logs};
use super::lookahead::is_refuted;
use super::store::{ExprId, Heads, LeafId, SetId, Store, SymbolId};
use super::unroll::Begins;
use super::{Context, Ending, initial_expr};
use crate::budget::{Meter, Stop};
use otus_core::LifelineSet;

/// The number of dead ends after which look-ahead begins.
const FAILURES: u64 = 8;
/// The maximum number of memoized single moves.
const MANY: usize = 1 << 20;
/// The maximum number of states of a look-ahead.
const AHEAD: u64 = 128;

/// How a search consumes the logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// As parts of one global prefix, which stops on all components at the same time.
    Global,
    /// Each log to its own end.
    Local,
    /// Each log to its own end, in an expression in which components stay in step. The search continues iterations that
    /// have begun before it begins another one, so that no log falls behind.
    InStep,
}

impl Manner {
    /// The manner for a global prefix if `global` holds, otherwise the one for any other question.
    pub(crate) fn of(global: bool) -> Manner {
        if global { Manner::Global } else { Manner::Local }
    }
}

/// Whether an expression explains the rest of the logs. Gives up after this number of states.
pub(crate) fn explain(
    context: &mut Context<'_>,
    start: ExprId,
    logs: &mut Logs<'_>,
    manner: Manner,
    states: u64,
    meter: &mut Meter<'_>,
) -> Found {
    let global = manner == Manner::Global;
    let mut states = states;
    let initial = logs.consumed.clone();
    let unseen =
        !global && (0..logs.len()).any(|c| logs.late[c] || logs.endings[c] == Ending::Early);
    let mut limit = u64::from(unseen);
    if unseen && manner == Manner::InStep {
        // Each loop around the next moment may have to begin an iteration now.
        limit = context.loop_depth.max(1);
    }
    let is_in_alphabet = |component| logs.is_in_alphabet(component, context.alphabet);
    if !context.locally_analyzed && !(0..logs.len()).all(is_in_alphabet) {
        return Found::No;
    }
    if context.options.look_ahead && unseen && !context.locally_analyzed {
        let relaxed = context.store.relax_fully(start);
        let relaxed = initial_expr(context, relaxed, logs);
        if is_refuted(context, logs, relaxed) {
            return Found::No;
        }
    }
    loop {
        logs.consumed.copy_from_slice(&initial);
        let mut search = Search::new(context, logs, global, limit, start);
        search.states = states;
        search.in_step = manner == Manner::InStep;
        let found = search.run(start, meter);
        states = search.states;
        if found != Found::No || !search.was_limited {
            return found;
        }
        limit = limit.saturating_mul(2);
    }
}

/// Whether the greedy attempt explains the rest: one log after the other
/// ([`greedy`](super::greedy)). If not, nothing is known.
pub(crate) fn explains_greedily(
    context: &mut Context<'_>,
    start: ExprId,
    logs: &mut Logs<'_>,
    meter: &mut Meter<'_>,
) -> bool {
    let initial = logs.consumed.clone();
    let mut search = Search::new(context, logs, false, 2, start);
    search.greedy = true;
    search.states = 500 + 8 * search.logs.left() as u64;
    let found = search.run(start, meter);
    logs.consumed.copy_from_slice(&initial);
    logs.furthest = None;
    found == Found::Yes
}

type Flags = SmallVec<[bool; 8]>;

#[derive(Debug, Clone)]
struct CoupledState {
    expr: ExprId,
    consumed: Consumed,
    /// The number of iterations begun by unobserved events since the last moment.
    unseen: u64,
    /// The observed event that led here, if it was observed.
    by: Option<LeafId>,
}

#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
struct Search<'s, 'c, 'l> {
    context: &'s mut Context<'c>,
    logs: &'s mut Logs<'l>,
    global: bool,
    /// Whether logs are consumed one after the other ([`greedy`](super::greedy)).
    greedy: bool,
    /// Whether, of several moves, the one that leaves the smallest expression is tried first.
    in_step: bool,
    /// The number of states that may still be visited.
    states: u64,
    limit: u64,
    /// The size of an expression above which its alternatives are tried one by one.
    together: u32,
    /// The number of dead ends since the last progress.
    failures: u64,
    /// The maximum number of actions consumed so far, and the number of states visited since then.
    most: u64,
    stale: u64,
    /// The component that moved last.
    last: usize,
    /// Whether some log is over. Only then can events be erased.
    may_erase: bool,
    /// The logs that were over when an expression was last settled.
    over: Over,
    /// Whether a look-ahead was made already. Only the first one follows the logs to the end.
    looked: bool,
    /// Whether the limit on iterations cut off a path.
    was_limited: bool,
    /// The visited states, with the least number of iterations begun by unobserved events.
    met: FxHashMap<(ExprId, Consumed), u64>,
}

impl<'s, 'c, 'l> Search<'s, 'c, 'l> {
    fn new(
        context: &'s mut Context<'c>,
        logs: &'s mut Logs<'l>,
        global: bool,
        limit: u64,
        start: ExprId,
    ) -> Self {
        let together = context.store.size(start).saturating_mul(4).saturating_add(32);
        Search {
            context,
            logs,
            global,
            greedy: false,
            in_step: false,
            states: u64::MAX,
            limit,
            together,
            failures: 0,
            most: 0,
            stale: 0,
            last: 0,
            may_erase: true,
            over: Over::default(),
            looked: false,
            was_limited: false,
            met: FxHashMap::default(),
        }
    }

    fn run(&mut self, start: ExprId, meter: &mut Meter<'_>) -> Found {
        let expr = self.settle(start);
        let mut stack =
            vec![CoupledState { expr, consumed: self.logs.consumed.clone(), unseen: 0, by: None }];
        let mut begun = false;
        while let Some(state) = stack.pop() {
            let mut state = state;
            // Whether there was a dead end. After a dead end, a path may reach a state that was
            // visited before.
            let turned = std::mem::replace(&mut begun, true);
            self.logs.consumed.copy_from_slice(&state.consumed);
            self.may_erase = (0..self.logs.len()).any(|c| self.logs.is_over(c));
            self.context.store.beside = self.met.capacity()
                * size_of::<((ExprId, Consumed), u64)>()
                + stack.capacity() * size_of::<CoupledState>();
            loop {
                if let Some(stop) = self.context.tick(meter) {
                    return Found::Unknown(stop);
                }
                self.states = self.states.saturating_sub(1);
                if self.states == 0 {
                    return Found::Unknown(Stop::States);
                }
                if state.expr == Store::NEVER {
                    break;
                }
                self.logs.consumed.copy_from_slice(&state.consumed);
                if self.logs.all_over() {
                    return Found::Yes;
                }
                if self.context.store.size(state.expr) > self.together
                    && let Some(mut ways) = self.split(&state, meter)
                {
                    let Some(first) = ways.pop() else { break };
                    stack.append(&mut ways);
                    state = first;
                    continue;
                }
                // A single move need not be remembered before the first dead end.
                if self.take_forced(&mut state) || (!turned && self.take_known(&mut state)) {
                    continue;
                }
                let key = (state.expr, state.consumed.clone());
                if self.met.get(&key).is_some_and(|&least| least <= state.unseen) {
                    break;
                }
                if turned {
                    self.note_progress(&state);
                    if self.take_known(&mut state) {
                        self.met.insert(key, state.unseen);
                        continue;
                    }
                }
                let limited_before = std::mem::replace(&mut self.was_limited, false);
                let mut moves = self.moves(&state);
                let complete = !self.was_limited;
                self.was_limited |= limited_before;
                if complete && self.note_single(&state, &moves) {
                    if turned {
                        self.met.insert(key, state.unseen);
                    }
                    if let Some(only) = moves.pop() {
                        state = only;
                    }
                    continue;
                }
                self.met.insert(key, state.unseen);
                if !turned {
                    self.note_progress(&state);
                }
                if moves.len() > 1 && self.context.options.look_ahead && self.is_lost() {
                    // The first look-ahead goes to the end, later ones have a limit.
                    if !std::mem::replace(&mut self.looked, true)
                        && !self.is_plausible(&state, u64::MAX, meter)
                    {
                        break;
                    }
                    moves.retain(|next| self.is_plausible(next, AHEAD, meter));
                }
                let Some(first) = moves.pop() else {
                    self.logs.consumed.copy_from_slice(&state.consumed);
                    self.logs.note_furthest();
                    self.failures += 1;
                    break;
                };
                stack.append(&mut moves);
                state = first;
            }
        }
        Found::No
    }

    /// Counts states without progress.
    fn note_progress(&mut self, state: &CoupledState) {
        let consumed = state.consumed.iter().map(|&n| u64::from(n)).sum();
        if consumed > self.most {
            self.most = consumed;
            self.stale = 0;
            self.failures = 0;
        } else {
            self.stale += 1;
        }
    }

    /// Whether the search has made no progress for long enough to use look-ahead.
    fn is_lost(&self) -> bool {
        self.failures >= FAILURES || self.stale >= 4 * FAILURES
    }

    /// Whether events may be unobserved.
    fn may_miss(&self) -> bool {
        let missing = |c| self.logs.late[c] || self.logs.endings[c] == Ending::Early;
        !self.global && (0..self.logs.len()).any(missing)
    }

    /// Splits an expression that has grown into its alternatives, the smallest last. An expression also grows with the
    /// number of iterations in flight. If all logs are complete, the rest of the logs decides which choices were made,
    /// so choices that are still undecided are not split: guesses would mostly be wrong.
    fn split(&mut self, state: &CoupledState, meter: &mut Meter<'_>) -> Option<Vec<CoupledState>> {
        let mut alternatives = if self.may_miss() {
            self.context.store.alternatives(state.expr)
        } else {
            self.context.store.past_alternatives(state.expr)
        };
        if alternatives.len() < 2 {
            return None;
        }
        self.context.counters.branches += 1;
        alternatives.sort_by_key(|&x| Reverse((self.context.store.size(x), x)));
        let mut ways: Vec<CoupledState> =
            alternatives.into_iter().map(|expr| CoupledState { expr, ..state.clone() }).collect();
        ways.retain(|way| {
            let key = (way.expr, way.consumed.clone());
            self.met.get(&key).is_none_or(|least| *least > way.unseen)
        });
        if self.context.options.look_ahead && self.is_lost() {
            ways.retain(|way| self.is_plausible(way, AHEAD, meter));
        }
        Some(ways)
    }

    #[inline]
    fn is_outside(&self, component: usize) -> bool {
        !self.global && self.logs.is_outside(component)
    }

    /// The next symbol of a component, if the interaction has it and it waits for no cause.
    #[inline]
    fn head(&self, component: usize) -> Option<(SymbolId, u32)> {
        self.logs.head(component, self.context.alphabet)
    }

    /// The component of a cause that the next moment of a component waits for.
    fn cause(&self, component: usize) -> Option<usize> {
        let (_, after) = self.logs.symbol(component, self.context.alphabet)?;
        self.logs.waits_for(component, after)
    }

    /// Takes a forced move, if one is easily recognised: the next moments of some components are
    /// parts of one leaf that can happen, no other leaf has any of these parts, and it waits only
    /// for these components. They are then a stubborn set.
    ///
    /// Of several components, the one that moved last time from this expression is tried first, so that
    /// a regular model takes few paths, and meets few expressions.
    fn take_forced(&mut self, state: &mut CoupledState) -> bool {
        if !self.context.options.stubborn {
            return false;
        }
        let count = self.logs.len();
        let usual = self.context.hint(state.expr).map(|(component, _)| component);
        let first = usual.unwrap_or(self.last);
        for offset in 0..count {
            let rotated = first + offset;
            let component = if rotated < count { rotated } else { rotated - count };
            if self.is_outside(component) {
                continue;
            }
            let Some((symbol, _)) = self.head(component) else { continue };
            let alphabet = self.context.alphabet;
            for &leaf in &alphabet.leaves[symbol.0 as usize] {
                if !self.context.is_independent(state.expr, leaf) {
                    continue;
                }
                // The only part of a leaf is the symbol by which it was found.
                if self.context.store.leaf(leaf).parts.len() > 1 && !self.fits(leaf) {
                    continue;
                }
                let next = self.context.store.step(state.expr, leaf);
                if next == Store::NEVER {
                    continue;
                }
                if usual != Some(component) {
                    self.context.set_hint(state.expr, component, 0);
                }
                self.take(state, leaf, next);
                return true;
            }
        }
        false
    }

    /// Moves to the residual after an event that all of its components observe.
    #[inline]
    fn take(&mut self, state: &mut CoupledState, leaf: LeafId, next: ExprId) {
        let mut ended = false;
        for k in 0..self.context.store.leaf(leaf).parts.len() {
            let at = self.context.store.leaf(leaf).parts[k].0.0 as usize;
            if let Some((_, after)) = self.head(at) {
                state.consumed[at] = after;
                self.logs.consumed[at] = after;
                ended |= self.logs.is_over(at);
                self.last = at;
            }
        }
        let mut settle = ended;
        if !self.global {
            self.may_erase |= ended;
            settle = self.may_erase || self.greedy;
        }
        state.expr = if settle { self.settle(next) } else { next };
        state.unseen = 0;
        state.by = None;
    }

    /// Takes the only move if it is memoized. The possible moves depend only on the expression and
    /// the next symbols.
    fn take_known(&mut self, state: &mut CoupledState) -> bool {
        let Some(heads) = self.heads() else { return false };
        let Some(&leaf) = self.context.store.forced.get(&(state.expr, heads)) else { return false };
        let next = self.context.store.step(state.expr, leaf);
        self.take(state, leaf, next);
        true
    }

    /// Memoizes an observed event that is the only move; returns whether it is one.
    fn note_single(&mut self, state: &CoupledState, moves: &[CoupledState]) -> bool {
        let &[CoupledState { by: Some(leaf), .. }] = moves else { return false };
        self.logs.consumed.copy_from_slice(&state.consumed);
        let Some(heads) = self.heads() else { return false };
        if self.context.store.forced.len() > MANY {
            self.context.store.forced.clear();
        }
        self.context.store.forced.insert((state.expr, heads), leaf);
        true
    }

    /// The key of possible moves: by component its next symbol, or how its log ended. `None` if a
    /// log may start later, or moves depend on more than that.
    fn heads(&self) -> Option<Heads> {
        if self.greedy || self.logs.is_ordered() || !self.context.options.stubborn {
            return None;
        }
        let mut heads = Heads::new();
        heads.push(u32::from(self.global));
        for component in 0..self.logs.len() {
            if self.logs.is_unstarted(component) {
                return None;
            }
            heads.push(match self.head(component) {
                Some((symbol, _)) => symbol.0 + 2,
                None => u32::from(self.is_outside(component)),
            });
        }
        Some(heads)
    }

    /// Whether all components of a leaf observe it next.
    fn fits(&self, leaf: LeafId) -> bool {
        self.context.store.leaf(leaf).parts.iter().all(|&(at, symbol)| {
            let at = at.0 as usize;
            !self.is_outside(at) && self.head(at).is_some_and(|(head, _)| head == symbol)
        })
    }

    /// The events to try, the best last.
    fn moves(&mut self, state: &CoupledState) -> Vec<CoupledState> {
        let count = self.logs.len();
        if !self.context.options.stubborn {
            return self.moves_of(state, &Flags::from_elem(true, count));
        }
        let mut best: Option<Vec<CoupledState>> = None;
        for component in 0..count {
            if self.logs.is_over(component) || self.must_wait(component) {
                continue;
            }
            self.logs.consumed.copy_from_slice(&state.consumed);
            let stubborn = self.close(state.expr, component);
            if stubborn.iter().any(|&inside| !inside) {
                self.context.counters.reduced += 1;
            }
            let moves = self.moves_of(state, &stubborn);
            if moves.is_empty() {
                return moves;
            }
            if best.as_ref().is_none_or(|best| moves.len() < best.len()) {
                best = Some(moves);
            }
        }
        best.unwrap_or_default()
    }

    /// The least stubborn set that contains a component, as flags.
    fn close(&mut self, expr: ExprId, component: usize) -> Flags {
        let mut inside = Flags::from_elem(false, self.logs.len());
        inside[component] = true;
        let mut pending: SmallVec<[usize; 8]> = SmallVec::from_elem(component, 1);
        while let Some(component) = pending.pop() {
            if let Some(cause) = self.cause(component)
                && !std::mem::replace(&mut inside[cause], true)
            {
                pending.push(cause);
            }
            for &leaf in self.leaves(component) {
                if !self.context.store.occurs(expr, leaf) {
                    continue;
                }
                // The first component that cannot take part, and whether no such component is
                // inside.
                let mut missing = None;
                let parts = &*self.context.store.leaf(leaf).parts;
                for &(at, symbol) in parts {
                    let at = at.0 as usize;
                    let absent = !self.is_outside(at)
                        && self.head(at).is_none_or(|(head, _)| head != symbol);
                    if absent {
                        let (first, open) = missing.unwrap_or((at, true));
                        missing = Some((first, open && !inside[at]));
                    }
                }
                let mut add = |at: usize| {
                    if !std::mem::replace(&mut inside[at], true) {
                        pending.push(at);
                    }
                };
                match missing {
                    Some((first, true)) => add(first),
                    Some((_, false)) => {}
                    None => {
                        for &(at, _) in parts {
                            add(at.0 as usize);
                        }
                        let waits = self.context.store.waits_for(expr, leaf).unwrap_or_default();
                        for (at, lifelines) in self.context.store.components.iter().enumerate() {
                            if !lifelines.is_disjoint(&waits) {
                                add(at);
                            }
                        }
                    }
                }
            }
        }
        inside
    }

    /// The leaves that may be next on a component, observed or not.
    fn leaves(&self, component: usize) -> &'c [LeafId] {
        let alphabet = self.context.alphabet;
        if self.is_outside(component) {
            return &alphabet.on[component];
        }
        match self.head(component) {
            Some((symbol, _)) => &alphabet.leaves[symbol.0 as usize],
            None => &[],
        }
    }

    /// The states after events that touch a set of components, unobserved events first.
    fn moves_of(&mut self, state: &CoupledState, inside: &[bool]) -> Vec<CoupledState> {
        let mut leaves: SmallVec<[LeafId; 16]> = SmallVec::new();
        for component in (0..self.logs.len()).filter(|&component| inside[component]) {
            leaves.extend_from_slice(self.leaves(component));
        }
        leaves.sort_unstable();
        leaves.dedup();
        let (mut seen, mut unseen) = (Vec::new(), Vec::new());
        for leaf in leaves {
            let ways = self.ways(state, leaf);
            if ways.is_empty() || !self.context.store.can_begin(state.expr, leaf) {
                continue;
            }
            for (consumed, observed) in ways {
                if observed {
                    let expr = self.context.store.step(state.expr, leaf);
                    if expr != Store::NEVER {
                        let state = self.follow(expr, consumed, 0, leaf);
                        seen.push(CoupledState { by: Some(leaf), ..state });
                    }
                } else {
                    let store = &mut *self.context.store;
                    let within = store.step_that(Begins::Nothing, state.expr, leaf);
                    let begun = store.step_that(Begins::Iteration, state.expr, leaf);
                    if within != Store::NEVER {
                        unseen.push(self.follow(within, consumed.clone(), state.unseen, leaf));
                    }
                    if begun != Store::NEVER && begun != state.expr && self.may_begin(state) {
                        unseen.push(self.follow(begun, consumed, state.unseen + 1, leaf));
                    }
                }
                self.logs.consumed.copy_from_slice(&state.consumed);
            }
        }
        if self.in_step {
            let size = |next: &CoupledState| Reverse(self.context.store.size(next.expr));
            unseen.sort_by_key(size);
            seen.sort_by_key(size);
        }
        unseen.append(&mut seen);
        unseen
    }

    /// The ways in which the components of a leaf can take part in it: the consumed actions, and
    /// whether any component observes it.
    fn ways(&self, state: &CoupledState, leaf: LeafId) -> SmallVec<[(Consumed, bool); 2]> {
        let mut ways: SmallVec<[(Consumed, bool); 2]> = SmallVec::new();
        ways.push((state.consumed.clone(), false));
        for &(at, symbol) in &self.context.store.leaf(leaf).parts {
            let at = at.0 as usize;
            let head = self.head(at).filter(|&(head, _)| head == symbol && !self.must_wait(at));
            match (head, self.is_outside(at)) {
                (None, false) => return SmallVec::new(),
                (None, true) => {}
                (Some((_, after)), outside) => {
                    for i in 0..ways.len() {
                        if outside {
                            let unseen = ways[i].clone();
                            ways.push(unseen);
                        }
                        let (consumed, observed) = &mut ways[i];
                        consumed[at] = after;
                        *observed = true;
                    }
                }
            }
        }
        ways
    }

    /// Whether one more iteration may be begun by an unobserved event.
    fn may_begin(&mut self, state: &CoupledState) -> bool {
        if state.unseen >= self.logs.left() as u64 * self.context.loop_depth {
            return false;
        }
        let within = state.unseen < self.limit;
        self.was_limited |= !within;
        within
    }

    fn follow(
        &mut self,
        expr: ExprId,
        consumed: Consumed,
        unseen: u64,
        leaf: LeafId,
    ) -> CoupledState {
        let ended = self.context.store.leaf(leaf).parts.iter().any(|&(at, _)| {
            let at = at.0 as usize;
            consumed[at] != self.logs.consumed[at]
                && self.logs.log(at).len() == consumed[at] as usize
        });
        // Unconstrained events are erased already; after an event there may be more.
        self.logs.consumed.copy_from_slice(&consumed);
        let may_erase = |at| self.logs.is_over(at) && self.logs.endings[at] == Ending::Early;
        let again = self.greedy || ended || (!self.global && (0..self.logs.len()).any(may_erase));
        let expr = if again { self.settle(expr) } else { expr };
        CoupledState { expr, consumed, unseen, by: None }
    }

    fn settle(&mut self, expr: ExprId) -> ExprId {
        if !self.over.is_of(self.logs) {
            self.over = Over::new(self.context, self.logs, self.global);
        }
        let expr = self.over.settle(self.context.store, expr, self.global);
        if !self.greedy {
            return expr;
        }
        let outside = (0..self.logs.len()).filter(|&component| self.is_outside(component));
        let outside = self.context.lifelines(outside);
        let outside = self.context.store.set(&outside);
        self.context.store.erase_outside_loops(expr, outside)
    }

    /// Whether a log must not start yet because another one is not consumed (greedy attempt).
    fn must_wait(&self, component: usize) -> bool {
        let busy = |c: usize| !self.logs.is_over(c) && !self.logs.is_unstarted(c);
        self.greedy && self.logs.is_unstarted(component) && (0..self.logs.len()).any(busy)
    }

    /// Whether look-ahead does not refute a state.
    fn is_plausible(&mut self, state: &CoupledState, states: u64, meter: &mut Meter<'_>) -> bool {
        self.logs.consumed.copy_from_slice(&state.consumed);
        let relaxed = self.context.store.relax_fully(state.expr);
        // The logs of a global prefix are prefixes, so the relaxation holds for it too.
        let start = initial_expr(self.context, relaxed, self.logs);
        let found =
            decoupled::run(self.context, start, self.logs, Starts::Exhaustive, states, meter);
        self.logs.consumed.copy_from_slice(&state.consumed);
        if found == Found::No {
            self.context.counters.refuted += 1;
        }
        found != Found::No
    }
}

/// The logs that are over, and what that means for expressions.
#[derive(Debug, Default)]
struct Over {
    /// By component.
    logs: Flags,
    /// The components whose logs are complete, so that no more events happen on them.
    complete: SmallVec<[SetId; 8]>,
    /// The lifelines on which events may be erased, if any.
    finished: Option<SetId>,
}

impl Over {
    fn new(context: &mut Context<'_>, logs: &Logs<'_>, global: bool) -> Over {
        let mut over = Over::default();
        let mut finished = LifelineSet::EMPTY;
        for component in 0..logs.len() {
            over.logs.push(logs.is_over(component));
            if !logs.is_over(component) {
                continue;
            }
            if global || logs.endings[component] == Ending::Early {
                finished = finished.union(&context.store.components[component]);
            } else {
                over.complete.push(context.components[component]);
            }
        }
        if context.options.erase && !finished.is_empty() {
            over.finished = Some(context.store.set(&finished));
        }
        over
    }

    fn is_of(&self, logs: &Logs<'_>) -> bool {
        self.logs.len() == logs.len() && (0..logs.len()).all(|c| self.logs[c] == logs.is_over(c))
    }

    /// The expression without events that these logs exclude, or that can be erased.
    fn settle(&self, store: &mut Store, expr: ExprId, global: bool) -> ExprId {
        let expr = self.complete.iter().fold(expr, |expr, &own| store.prune(expr, own));
        match self.finished {
            None => expr,
            Some(finished) if global => store.truncate(expr, finished),
            Some(finished) => store.erase(expr, finished),
        }
    }
}

/// The expression without events that consumed logs exclude, or that can be erased.
pub(super) fn settle(
    context: &mut Context<'_>,
    expr: ExprId,
    logs: &Logs<'_>,
    global: bool,
) -> ExprId {
    Over::new(context, logs, global).settle(context.store, expr, global)
}
