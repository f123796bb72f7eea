//! Explaining a multi-trace event by event, where order between components matters.
//!
//! A state is an expression and how much of each log is consumed. An event can happen if on every
//! component that it touches it is the next moment, or is not seen: before the first moment of a
//! log that may start late, or after the end of one that may stop early. Depth first; states that
//! were met are not met again; only events that touch a stubborn set are tried
//! ([`stubborn`](super::stubborn)); branches that components alone refute are dropped
//! ([`loosen`](super::loosen)); what happens unseen and unconstrained after the end of a log is
//! stripped ([`strip`](super::strip)).
//!
//! *Unseen events* come to an end because of the loop lemma ([`unroll`](super::unroll)): so many
//! iterations at most are begun by unseen events in a row. The limit is low at first and doubled
//! until it is never in the way, or as high as the lemma has it.
//!
//! For a *global prefix* nothing is unseen and nothing need be completed: when all logs are
//! consumed, the rest of the interaction can be (every expression but `NEVER` has a trace).
//!
//! *Cost.* States are pairs of an expression and a position in each log: in the worst case the
//! product of the lengths of logs, times the expressions. States with a single move are not
//! remembered until a way was wrong, but the move is: by the expression and the next moments, so that
//! next time it is a look-up.
//!
//! *Switch.* None: it is the search itself. What it leaves out is switched by `Options::stubborn`,
//! `Options::strip` and `Options::look_ahead`; with `Options::relax` off, all multi-traces come here
//! unless the term never orders anything across components. *Counters.*
//! `Counters::branches` (expressions split), `Counters::reduced`, `Counters::refuted`.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::ahead::is_possible_alone;
use super::logs::{Consumed, Logs};
use super::search::{self, Found};
use super::store::{ExprId, Heads, LeafId, SetId, Store};
use super::unroll::Begins;
use super::{Context, Ending, begin};
use crate::budget::{Meter, Stop};
use otus_core::LifelineSet;

/// After how many dead ends components are asked alone.
const FAILURES: u64 = 8;
/// How many single moves are remembered.
const MANY: usize = 1 << 20;
/// How many states a look-ahead may make.
const AHEAD: u64 = 128;

/// Whether an expression explains what is left of the logs.
pub(crate) fn explain(
    context: &mut Context<'_>,
    start: ExprId,
    logs: &mut Logs<'_>,
    global: bool,
    meter: &mut Meter<'_>,
) -> Found {
    explain_within(context, start, logs, (global, u64::MAX), meter)
}

/// The same, giving up after so many states.
pub(crate) fn explain_within(
    context: &mut Context<'_>,
    start: ExprId,
    logs: &mut Logs<'_>,
    (global, states): (bool, u64),
    meter: &mut Meter<'_>,
) -> Found {
    let mut states = states;
    let initial = logs.consumed.clone();
    let unseen =
        !global && (0..logs.len()).any(|c| logs.late[c] || logs.endings[c] == Ending::Early);
    let mut limit = u64::from(unseen);
    let is_known = |component| logs.is_known(component, context.alphabet);
    if !context.asked_alone && !(0..logs.len()).all(is_known) {
        return Found::No;
    }
    if context.options.look_ahead && unseen && !context.asked_alone {
        let loose = context.store.loosen(start);
        let loose = begin(context, loose, logs);
        if !(0..logs.len()).all(|component| is_possible_alone(context, logs, loose, component)) {
            if !context.store.is_spent() {
                return Found::No;
            }
            context.store.refuel();
        }
    }
    loop {
        logs.consumed.copy_from_slice(&initial);
        let mut search = Search::new(context, logs, global, limit, start);
        search.states = states;
        let found = search.run(start, meter);
        states = search.states;
        if found != Found::No || !search.cut {
            return found;
        }
        limit = limit.saturating_mul(2);
    }
}

/// Whether an expression explains what is left with luck: one log after the other
/// ([`hurry`](super::hurry)). If not, nothing is known.
pub(crate) fn is_lucky(
    context: &mut Context<'_>,
    start: ExprId,
    logs: &mut Logs<'_>,
    meter: &mut Meter<'_>,
) -> bool {
    let initial = logs.consumed.clone();
    let mut search = Search::new(context, logs, false, 2, start);
    search.hurried = true;
    search.states = 500 + 8 * search.logs.left() as u64;
    let found = search.run(start, meter);
    logs.consumed.copy_from_slice(&initial);
    logs.furthest = None;
    found == Found::Yes
}

/// By component: yes or no.
type Flags = SmallVec<[bool; 8]>;

/// A state to go to.
#[derive(Debug, Clone)]
struct State {
    expr: ExprId,
    consumed: Consumed,
    /// How many iterations were begun by unseen events since the last moment.
    unseen: u64,
    /// The observed event that led here, if it was one.
    by: Option<LeafId>,
}

#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
struct Search<'s, 'c, 'l> {
    context: &'s mut Context<'c>,
    logs: &'s mut Logs<'l>,
    global: bool,
    /// Whether logs are consumed one after the other.
    hurried: bool,
    /// How many states may still be made.
    states: u64,
    limit: u64,
    /// From which size on alternatives are tried one by one.
    together: u32,
    /// How often nothing was left to try.
    failures: u64,
    /// The most that was consumed, and for how many states it has been the most.
    most: u64,
    stale: u64,
    /// The component that moved last.
    last: usize,
    /// Whether a log may be over, so that events may be stripped.
    haunted: bool,
    /// Whether components alone were asked about all that is left.
    looked: bool,
    /// Whether the limit was in the way.
    cut: bool,
    /// The states met, with the least number of iterations so begun.
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
            hurried: false,
            states: u64::MAX,
            limit,
            together,
            failures: 0,
            most: 0,
            stale: 0,
            last: 0,
            haunted: true,
            looked: false,
            cut: false,
            met: FxHashMap::default(),
        }
    }

    fn run(&mut self, start: ExprId, meter: &mut Meter<'_>) -> Found {
        let expr = self.settle(start);
        let mut stack =
            vec![State { expr, consumed: self.logs.consumed.clone(), unseen: 0, by: None }];
        let mut begun = false;
        while let Some(state) = stack.pop() {
            let mut state = state;
            // Whether one way was wrong: then ways meet again.
            let turned = std::mem::replace(&mut begun, true);
            self.logs.consumed.copy_from_slice(&state.consumed);
            self.haunted = (0..self.logs.len()).any(|c| self.logs.is_over(c));
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
                // A single move needs no memory, as long as all went well.
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
                let was_cut = std::mem::replace(&mut self.cut, false);
                let mut moves = self.moves(&state);
                let complete = !self.cut;
                self.cut |= was_cut;
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
                    // The first time all the way to the end, later only some of it.
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

    /// Counts states in which nothing more than before was consumed.
    fn note_progress(&mut self, state: &State) {
        let consumed = state.consumed.iter().map(|&n| u64::from(n)).sum();
        if consumed > self.most {
            self.most = consumed;
            self.stale = 0;
            self.failures = 0;
        } else {
            self.stale += 1;
        }
    }

    /// Whether it is time to ask components alone: often enough the search got nowhere.
    fn is_lost(&self) -> bool {
        self.failures >= FAILURES || self.stale >= 4 * FAILURES
    }

    /// The alternatives of an expression that has grown, one by one, the smallest last.
    fn split(&mut self, state: &State, meter: &mut Meter<'_>) -> Option<Vec<State>> {
        let mut alternatives = self.context.store.alternatives(state.expr);
        if alternatives.len() < 2 {
            return None;
        }
        self.context.counters.branches += 1;
        alternatives.sort_by_key(|&x| std::cmp::Reverse((self.context.store.size(x), x)));
        let mut ways: Vec<State> =
            alternatives.into_iter().map(|expr| State { expr, ..state.clone() }).collect();
        ways.retain(|way| {
            let key = (way.expr, way.consumed.clone());
            self.met.get(&key).is_none_or(|least| *least > way.unseen)
        });
        if self.context.options.look_ahead && self.is_lost() {
            ways.retain(|way| self.is_plausible(way, AHEAD, meter));
        }
        Some(ways)
    }

    /// Whether a component sees nothing of an event now, and need not.
    #[inline]
    fn is_blind(&self, component: usize) -> bool {
        !self.global && self.logs.is_blind(component)
    }

    /// The next moment of a component, if the interaction has it.
    #[inline]
    fn head(&self, component: usize) -> Option<(super::store::SymbolId, u32)> {
        let (symbol, after) = self.logs.symbol(component, self.context.alphabet)?;
        symbol.map(|symbol| (symbol, after))
    }

    /// Takes the only move, where that is plain to see: the next moments of some components are
    /// parts of one leaf that can happen, no other leaf has any of these parts, and it waits only
    /// for these components. They are then a stubborn set.
    fn take_forced(&mut self, state: &mut State) -> bool {
        if !self.context.options.stubborn {
            return false;
        }
        let count = self.logs.len();
        for offset in 0..count {
            let component = (self.last + offset) % count;
            if self.is_blind(component) {
                continue;
            }
            let Some((symbol, _)) = self.head(component) else { continue };
            let alphabet = self.context.alphabet;
            for &leaf in &alphabet.leaves[symbol.0 as usize] {
                if !self.context.is_alone(state.expr, leaf) || !self.fits(leaf) {
                    continue;
                }
                let next = self.context.store.step(state.expr, leaf);
                if next == Store::NEVER {
                    continue;
                }
                let mut settle = false;
                for k in 0..self.context.store.leaf(leaf).parts.len() {
                    let at = self.context.store.leaf(leaf).parts[k].0.0 as usize;
                    if let Some((_, after)) = self.head(at) {
                        state.consumed[at] = after;
                        self.logs.consumed[at] = after;
                    }
                    settle |= self.logs.is_over(at);
                    self.last = at;
                }
                self.arrive(state, next, settle);
                return true;
            }
        }
        false
    }

    /// The state after an observed event, and whether a log ended by it.
    fn arrive(&mut self, state: &mut State, next: ExprId, ended: bool) {
        let mut settle = ended;
        if !self.global {
            self.haunted |= ended;
            settle = self.haunted || self.hurried;
        }
        state.expr = if settle { self.settle(next) } else { next };
        state.unseen = 0;
        state.by = None;
    }

    /// Takes the only move, where it was found to be the only one before: which moves there are depends
    /// on the expression and the next moments alone.
    fn take_known(&mut self, state: &mut State) -> bool {
        if self.hurried || !self.context.options.stubborn {
            return false;
        }
        let Some(heads) = self.heads() else { return false };
        let Some(&leaf) = self.context.store.forced.get(&(state.expr, heads)) else { return false };
        let next = self.context.store.step(state.expr, leaf);
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
        self.arrive(state, next, ended);
        true
    }

    /// Remembers an observed event that is the only move.
    fn note_single(&mut self, state: &State, moves: &[State]) -> bool {
        let &[State { by: Some(leaf), .. }] = moves else { return false };
        if self.hurried || !self.context.options.stubborn {
            return false;
        }
        self.logs.consumed.copy_from_slice(&state.consumed);
        let Some(heads) = self.heads() else { return false };
        if self.context.store.forced.len() > MANY {
            self.context.store.forced.clear();
        }
        self.context.store.forced.insert((state.expr, heads), leaf);
        true
    }

    /// What the logs say about moves: by component its next moment, or that it is over, and how. `None`
    /// if a log may begin later.
    fn heads(&self) -> Option<Heads> {
        let mut heads = Heads::new();
        heads.push(u32::from(self.global));
        for component in 0..self.logs.len() {
            if self.logs.is_unborn(component) {
                return None;
            }
            heads.push(match self.head(component) {
                Some((symbol, _)) => symbol.0 + 2,
                None => u32::from(self.is_blind(component)),
            });
        }
        Some(heads)
    }

    /// Whether all components of a leaf see it next.
    fn fits(&self, leaf: LeafId) -> bool {
        self.context.store.leaf(leaf).parts.iter().all(|&(at, symbol)| {
            let at = at.0 as usize;
            !self.is_blind(at) && self.head(at).is_some_and(|(head, _)| head == symbol)
        })
    }

    /// The events to be tried, the best last.
    fn moves(&mut self, state: &State) -> Vec<State> {
        let count = self.logs.len();
        let mut best: Option<Vec<State>> = None;
        if self.context.options.stubborn {
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
        } else {
            best = Some(self.moves_of(state, &Flags::from_elem(true, count)));
        }
        best.unwrap_or_default()
    }

    /// The least stubborn set with a component, as a flag for each.
    fn close(&mut self, expr: ExprId, component: usize) -> Flags {
        let mut inside = Flags::from_elem(false, self.logs.len());
        inside[component] = true;
        let mut pending: SmallVec<[usize; 8]> = SmallVec::from_elem(component, 1);
        while let Some(component) = pending.pop() {
            for &leaf in self.leaves(component) {
                if !self.context.store.occurs(expr, leaf) {
                    continue;
                }
                // The first that cannot take part, and whether none of these is inside.
                let mut missing = None;
                let parts = &*self.context.store.leaf(leaf).parts;
                for &(at, symbol) in parts {
                    let at = at.0 as usize;
                    let absent =
                        !self.is_blind(at) && self.head(at).is_none_or(|(head, _)| head != symbol);
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

    /// The leaves that a component may see, or not see, next.
    fn leaves(&self, component: usize) -> &'c [LeafId] {
        let alphabet = self.context.alphabet;
        if self.is_blind(component) {
            return &alphabet.on[component];
        }
        match self.head(component) {
            Some((symbol, _)) => &alphabet.leaves[symbol.0 as usize],
            None => &[],
        }
    }

    /// The events that touch a set of components, as states after them, unseen ones first.
    fn moves_of(&mut self, state: &State, inside: &[bool]) -> Vec<State> {
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
                        seen.push(State { by: Some(leaf), ..state });
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
        unseen.append(&mut seen);
        unseen
    }

    /// The ways in which the components of a leaf can take part in it: what is consumed then, and whether
    /// any of them sees it.
    fn ways(&self, state: &State, leaf: LeafId) -> SmallVec<[(Consumed, bool); 2]> {
        let mut ways: SmallVec<[(Consumed, bool); 2]> = SmallVec::new();
        ways.push((state.consumed.clone(), false));
        for &(at, symbol) in &self.context.store.leaf(leaf).parts {
            let at = at.0 as usize;
            let head = self.head(at).filter(|&(head, _)| head == symbol && !self.must_wait(at));
            match (head, self.is_blind(at)) {
                (None, false) => return SmallVec::new(),
                (None, true) => {}
                (Some((_, after)), blind) => {
                    for i in 0..ways.len() {
                        if blind {
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

    /// Whether one more iteration may be begun unseen.
    fn may_begin(&mut self, state: &State) -> bool {
        if state.unseen >= self.logs.left() as u64 * self.context.loop_depth {
            return false;
        }
        let within = state.unseen < self.limit;
        self.cut |= !within;
        within
    }

    /// The state after an event.
    fn follow(&mut self, expr: ExprId, consumed: Consumed, unseen: u64, leaf: LeafId) -> State {
        let ended = self.context.store.leaf(leaf).parts.iter().any(|&(at, _)| {
            let at = at.0 as usize;
            consumed[at] != self.logs.consumed[at] && self.logs.length(at) == consumed[at] as usize
        });
        // What was unconstrained is gone already; after an event more may be.
        self.logs.consumed.copy_from_slice(&consumed);
        let haunted = |at| self.logs.is_over(at) && self.logs.endings[at] == Ending::Early;
        let again = self.hurried || ended || (!self.global && (0..self.logs.len()).any(haunted));
        let expr = if again { self.settle(expr) } else { expr };
        State { expr, consumed, unseen, by: None }
    }

    fn settle(&mut self, expr: ExprId) -> ExprId {
        let expr = settle(self.context, expr, self.logs, self.global);
        if !self.hurried {
            return expr;
        }
        let mut blind = LifelineSet::EMPTY;
        for component in (0..self.logs.len()).filter(|&component| self.is_blind(component)) {
            blind = blind.union(&self.context.store.components[component]);
        }
        let blind = self.context.store.set(&blind);
        self.context.store.strip_open(expr, blind)
    }

    /// Whether a log is not begun now because another one is not over.
    fn must_wait(&self, component: usize) -> bool {
        let busy = |c: usize| !self.logs.is_over(c) && !self.logs.is_unborn(c);
        self.hurried && self.logs.is_unborn(component) && (0..self.logs.len()).any(busy)
    }

    /// Whether components alone do not refute a state.
    fn is_plausible(&mut self, state: &State, states: u64, meter: &mut Meter<'_>) -> bool {
        self.logs.consumed.copy_from_slice(&state.consumed);
        let loose = self.context.store.loosen(state.expr);
        // For a global prefix too, whose logs are prefixes.
        let start = begin(self.context, loose, self.logs);
        let found = search::look_ahead(self.context, start, self.logs, states, meter);
        self.logs.consumed.copy_from_slice(&state.consumed);
        if found == Found::No {
            self.context.counters.refuted += 1;
        }
        found != Found::No
    }
}

/// An expression without what logs that are over say cannot, or may as well not, happen.
pub(super) fn settle(
    context: &mut Context<'_>,
    expr: ExprId,
    logs: &Logs<'_>,
    global: bool,
) -> ExprId {
    if global {
        return cut(context, expr, logs);
    }
    let mut expr = expr;
    let mut ghosts = LifelineSet::EMPTY;
    for component in 0..logs.len() {
        if !logs.is_over(component) {
            continue;
        }
        match logs.endings[component] {
            Ending::Final => {
                let lifelines: SetId = context.components[component];
                expr = context.store.prune(expr, lifelines);
            }
            Ending::Early => ghosts = ghosts.union(&context.store.components[component]),
        }
    }
    if context.options.strip && !ghosts.is_empty() {
        let set = context.store.set(&ghosts);
        expr = context.store.strip(expr, set);
    }
    expr
}

/// The same for a global prefix.
fn cut(context: &mut Context<'_>, expr: ExprId, logs: &Logs<'_>) -> ExprId {
    let mut over = LifelineSet::EMPTY;
    for component in (0..logs.len()).filter(|&component| logs.is_over(component)) {
        over = over.union(&context.store.components[component]);
    }
    if !context.options.strip || over.is_empty() {
        return expr;
    }
    let over = context.store.set(&over);
    context.store.cut(expr, over)
}
