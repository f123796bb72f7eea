//! Random executions of an interaction with values.
//!
//! A walk takes one random step of the [shape](super::expr) after another and draws the values of each event at once
//! ([`draw`](super::draw)). The guard is tested by the same code that tests logged values for Pass, so an execution that
//! a walk returns is an explanation of its own multi-trace: nothing is unlogged, and every guard holds.
//!
//! All lifelines have the same exact clock, which goes on by a little at every event. The step is small against the bounds
//! of the interaction, so that exchanges in flight keep their deadlines; it is long where a guard asks for a pause.
//!
//! A walk can end where no guard holds any more, such as after a deadline. Then it begins again, and from some attempt on it
//! begins no iteration while it can go on with those that it has begun: an exchange that keeps its deadlines alone then keeps
//! them.

use otus_core::budget::Cancel;
use otus_core::index::Index as _;
use otus_core::valued::{Atom, FieldId, Operand, Test, Valued, ValuedId, VariableId};
use otus_core::{Pool, Value};
use otus_syntax::SourceId;
use otus_trace::multitrace::Builder;
use otus_trace::{Facts, MultiTrace, Partition};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::draw::Wish;
use super::event::{Between, End, Firing, Gap, Memory};
use super::expr::{Expr, ExprId, Exprs, KindId, LeafId, Var};
use super::step::{Steps, Way};

/// The attempts of one walk, and from which of them on it begins no iteration that it need not.
const ATTEMPTS: usize = 60;
const CALM: usize = 20;
/// The draws of the values of one event.
const DRAWS: usize = 24;
/// The memory of expressions after which a walk goes on with new tables.
const LARGE: usize = 16 << 20;
/// How often the interaction may be there in what is left of it, before a walk prefers to end what it has begun. All steps of
/// what is left are computed, so a walk takes time and memory in proportion to the square of this number.
const IN_FLIGHT: u32 = 12;
/// The least step of the clock if nothing asks for less, in nanoseconds.
const TICK: i64 = 1_000_000;

/// A multi-trace with the values of its events.
#[derive(Debug, Clone)]
pub struct Walked {
    /// The multi-trace.
    pub trace: MultiTrace,
    /// Its values, for the fields of the interaction.
    pub facts: Facts,
    /// The number of events of the execution.
    pub events: usize,
}

/// An endless stream of random executions with values, with repetitions.
#[derive(Debug)]
pub struct ValueWalks<'p> {
    pool: &'p mut Pool,
    valued: &'p Valued,
    partition: Partition,
    exprs: Exprs,
    steps: Steps,
    root: ExprId,
    lengths: FxHashMap<ExprId, Lengths>,
    max_length: usize,
    random: fastrand::Rng,
    cancel: Cancel,
    /// The least step of the clock.
    tick: i64,
    /// By leaf: how often its guard stopped a walk.
    refused: FxHashMap<LeafId, u64>,
}

/// The lengths of the shortest and of the longest accepted trace, values left aside; `u64::MAX` if there is none.
#[derive(Debug, Clone, Copy, Default)]
struct Lengths {
    shortest: u64,
    longest: u64,
}

/// The values of an action of an event.
type Carried = SmallVec<[(FieldId, Value); 2]>;

/// An event: its leaf, and by part of the leaf what it carries.
struct Event {
    leaf: LeafId,
    parts: Vec<Carried>,
}

/// A walk in progress.
struct State {
    expr: ExprId,
    memory: Memory,
    /// The true time, and by component that of its last event.
    now: i64,
    last: Vec<i64>,
}

impl<'p> ValueWalks<'p> {
    /// Walks of at most `max_length` events, for multi-traces over a partition.
    pub fn new(
        pool: &'p mut Pool,
        valued: &'p Valued,
        partition: &Partition,
        max_length: usize,
        seed: u64,
    ) -> Self {
        let (exprs, root) = Exprs::new(pool, valued, partition, false);
        ValueWalks {
            tick: tick(valued, max_length),
            pool,
            valued,
            partition: partition.clone(),
            exprs,
            steps: Steps::default(),
            root,
            lengths: FxHashMap::default(),
            max_length,
            random: fastrand::Rng::with_seed(seed),
            cancel: Cancel::default(),
            refused: FxHashMap::default(),
        }
    }

    /// The same walks, which end without a multi-trace once the token is cancelled.
    #[must_use]
    pub fn until(self, cancel: Cancel) -> Self {
        ValueWalks { cancel, ..self }
    }

    /// The pool that the actions refer to.
    pub fn pool(&self) -> &Pool {
        self.pool
    }

    /// How many events the shortest execution has, if guards hold; `u64::MAX` if there is none.
    pub fn shortest(&mut self) -> u64 {
        self.lengths_of(self.root).shortest
    }

    /// A random number between 0 and `most`.
    pub fn number(&mut self, most: usize) -> usize {
        self.random.usize(..=most)
    }

    /// An execution that ends as soon as it can after a random number of events. `None` if none was found, or the walks
    /// are cancelled.
    pub fn walk(&mut self) -> Option<Walked> {
        let length = self.random.usize(..=self.max_length);
        self.walk_of(length)
    }

    /// An execution of about this length; shorter if guards or the interaction end it.
    pub fn walk_of(&mut self, length: usize) -> Option<Walked> {
        if self.shortest() > self.max_length as u64 {
            return None;
        }
        for attempt in 0..ATTEMPTS {
            if self.cancel.is_cancelled() {
                return None;
            }
            // The last attempts look for any execution, however short.
            let is_last = attempt >= ATTEMPTS - CALM;
            let length = if is_last { length.min(attempt % 4) } else { length };
            if let Some(events) = self.attempt(length.min(self.max_length), attempt >= CALM) {
                return Some(self.walked(&events));
            }
        }
        None
    }

    /// An execution of these leaves, one after the other; an accepted one if `is_accepted`. `None` if no values were found for
    /// it, or the walks are cancelled.
    pub fn walk_along(&mut self, leaves: &[ValuedId], is_accepted: bool) -> Option<Walked> {
        for _ in 0..ATTEMPTS {
            if self.cancel.is_cancelled() {
                return None;
            }
            if let Some(events) = self.follow(leaves, is_accepted) {
                return Some(self.walked(&events));
            }
        }
        None
    }

    /// The guard that stopped most walks, as text: `a!m[f = 1]`. `None` if none did.
    pub fn obstacle(&self) -> Option<String> {
        let leaf =
            self.refused.iter().max_by_key(|(leaf, times)| (**times, std::cmp::Reverse(**leaf)));
        let parts = &self.exprs.leaves[*leaf?.0].parts;
        let guarded = parts.iter().find(|part| !part.guard.is_empty())?;
        Some(self.valued.part_text(self.pool, guarded))
    }

    fn start(&self) -> State {
        let components = self.partition.len();
        let times = self.valued.has_times();
        let last = if times { SmallVec::from_elem(None, components) } else { SmallVec::new() };
        let memory = Memory { last, ..Memory::new(self.valued, 0) };
        State { expr: self.root, memory, now: 0, last: vec![0; components] }
    }

    /// Takes the steps of these leaves. Several iterations may have a leaf; then any of them takes the step.
    fn follow(&mut self, leaves: &[ValuedId], is_accepted: bool) -> Option<Vec<Event>> {
        let mut state = self.start();
        let mut events = Vec::new();
        let kinds: Vec<KindId> = self.exprs.kinds.items.ids().collect();
        for (taken, &leaf) in leaves.iter().enumerate() {
            let mut ways: Vec<Way> = Vec::new();
            for &kind in &kinds {
                let all = self.steps.ways(&mut self.exprs, state.expr, kind);
                let own = all.iter().filter(|way| self.exprs.leaves[way.leaf].node == leaf);
                ways.extend(own.cloned());
            }
            self.random.shuffle(&mut ways);
            events.push(self.draw_one(&mut state, ways.iter(), taken)?);
        }
        (!is_accepted || self.exprs.nullable(state.expr)).then_some(events)
    }

    fn attempt(&mut self, length: usize, is_calm: bool) -> Option<Vec<Event>> {
        let mut state = self.start();
        let mut events = Vec::new();
        loop {
            let nullable = self.exprs.nullable(state.expr);
            if nullable && (events.len() >= length || events.len() >= self.max_length) {
                return Some(events);
            }
            if self.cancel.is_cancelled() {
                return None;
            }
            if self.exprs.bytes() > LARGE {
                self.renew(&mut state);
            }
            let is_full = self.exprs.size(state.expr) / IN_FLIGHT > self.exprs.size(self.root);
            match self.step(&mut state, events.len(), length, is_calm || is_full) {
                Some(event) => events.push(event),
                None => return nullable.then_some(events),
            }
        }
    }

    /// Goes on with tables that have nothing of earlier steps.
    fn renew(&mut self, state: &mut State) {
        let (mut exprs, root) = Exprs::new(self.pool, self.valued, &self.partition, false);
        state.expr = exprs.copy(&self.exprs, state.expr);
        (self.exprs, self.root) = (exprs, root);
        (self.steps, self.lengths) = (Steps::default(), FxHashMap::default());
    }

    /// Takes a random step whose guard some drawn values satisfy. Steps that leave room for an end only; among them those
    /// first that lead to the wanted length.
    fn step(
        &mut self,
        state: &mut State,
        taken: usize,
        length: usize,
        is_calm: bool,
    ) -> Option<Event> {
        let left = self.max_length.checked_sub(taken + 1)? as u64;
        let end = self.lengths_of(state.expr).shortest;
        let mut ranked: Vec<(u8, Way)> = Vec::new();
        let kinds: Vec<KindId> = self.exprs.kinds.items.ids().collect();
        for kind in kinds {
            let ways = self.steps.ways(&mut self.exprs, state.expr, kind);
            for way in &*ways {
                let next = self.lengths_of(way.rest);
                if next.shortest > left {
                    continue;
                }
                let is_good = if taken < length {
                    next.longest >= (length - taken - 1) as u64
                } else {
                    next.shortest < end
                };
                let begins = is_calm && !way.entered.is_empty();
                ranked.push((2 * u8::from(begins) + u8::from(!is_good), way.clone()));
            }
        }
        self.random.shuffle(&mut ranked);
        ranked.sort_by_key(|(rank, _)| *rank);
        self.draw_one(state, ranked.iter().map(|(_, way)| way), taken)
    }

    /// Takes the first of some steps whose guard some drawn values satisfy.
    fn draw_one<'w>(
        &mut self,
        state: &mut State,
        ways: impl Iterator<Item = &'w Way>,
        taken: usize,
    ) -> Option<Event> {
        for way in ways {
            for _ in 0..DRAWS {
                if let Some(event) = self.draw(state, way, taken) {
                    return Some(event);
                }
                if self.exprs.leaves[way.leaf].parts.iter().all(|part| part.guard.is_empty()) {
                    break;
                }
            }
            *self.refused.entry(way.leaf).or_default() += 1;
        }
        None
    }

    /// Draws the values of an event and tests its guards with them. The state changes if they hold.
    fn draw(&mut self, state: &mut State, way: &Way, taken: usize) -> Option<Event> {
        let leaf = &self.exprs.leaves[way.leaf];
        let mut memory = state.memory.clone();
        let mut firing = Firing::new(&mut memory, &way.usage(leaf), true);
        let var = |atom: &Atom| -> Option<Var> {
            let variable: VariableId = atom.variable()?;
            let at = leaf.variables.iter().position(|&other| other == variable)?;
            Some(way.arguments[at])
        };
        let variety = i64::try_from(taken).unwrap_or(i64::MAX).saturating_mul(2).saturating_add(99);
        let now = state.now.saturating_add(self.tick * self.random.i64(1..=10));
        let mut latest = state.now;
        let mut last = state.last.clone();
        let mut parts = Vec::with_capacity(leaf.parts.len());
        for part in &leaf.parts {
            let component = self.partition.component_of(part.action.lifeline).index();
            let mut carried = Carried::new();
            if self.valued.has_times() {
                let atoms: SmallVec<[&Atom; 4]> =
                    part.guard.iter().filter(|atom| atom.field == Valued::TIME).collect();
                let time = Wish::new(&atoms, &firing, var).time(state.last[component], now);
                if time < state.last[component] {
                    return None;
                }
                carried.push((Valued::TIME, Value::integer(time)));
                last[component] = last[component].max(time);
                latest = latest.max(time);
            }
            for atom in &part.guard {
                if atom.field != Valued::TIME && !carried.iter().any(|(f, _)| *f == atom.field) {
                    let atoms: SmallVec<[&Atom; 4]> =
                        part.guard.iter().filter(|other| other.field == atom.field).collect();
                    let wish = Wish::new(&atoms, &firing, var);
                    carried.push((atom.field, wish.draw(&mut self.random, variety)));
                }
            }
            let logged = |field: FieldId| -> Option<Value> {
                carried.iter().find(|(own, _)| *own == field).map(|(_, value)| value.clone())
            };
            let logged = Some(&logged as &dyn Fn(FieldId) -> Option<Value>);
            let end = End { component, epoch: 0, logged, earliest: None, latest: None };
            // All clocks are the same here.
            let between = |_: &Atom| Between::Gap(Gap::None);
            if !firing.guard(&part.guard, &end, var, between) {
                return None;
            }
            parts.push(carried);
        }
        if !firing.insert(&way.inserts) {
            return None;
        }
        firing.finish(&way.moves);
        if memory.settle() != Some(true) {
            return None;
        }
        *state = State { expr: way.rest, memory, now: latest, last };
        Some(Event { leaf: way.leaf, parts })
    }

    /// The multi-trace of an execution.
    fn walked(&mut self, events: &[Event]) -> Walked {
        let mut builder = Builder::new(self.partition.clone(), events.len(), false);
        let components: Vec<_> = self.partition.components().collect();
        for &component in &components {
            for event in events {
                builder.next_moment();
                for part in &self.exprs.leaves[event.leaf].parts {
                    if self.partition.component_of(part.action.lifeline) == component {
                        builder.push(self.pool.intern_action(part.action), 0);
                    }
                }
            }
            builder.next_component();
        }
        let trace = builder.finish(SourceId(0));
        let mut facts = Facts::unknown(&trace, self.valued.fields.items.len());
        for &component in &components {
            let parts_here = |event: &&Event| {
                let parts = &self.exprs.leaves[event.leaf].parts;
                parts
                    .iter()
                    .any(|part| self.partition.component_of(part.action.lifeline) == component)
            };
            let mut step = 0;
            // The actions of a moment are sorted, so each is looked up in its event.
            for (moment, event) in trace.moments(component).zip(events.iter().filter(parts_here)) {
                let parts = &self.exprs.leaves[event.leaf].parts;
                for action in moment {
                    let action = self.pool.action(action.action());
                    let at = parts.iter().position(|part| part.action == action);
                    for (field, value) in at.map_or(&[][..], |at| &event.parts[at][..]) {
                        facts.set(*field, component, step, value.clone());
                    }
                    step += 1;
                }
            }
        }
        facts.find_breaks(&trace);
        Walked { trace, facts, events: events.len() }
    }

    fn lengths_of(&mut self, expr: ExprId) -> Lengths {
        lengths(&self.exprs, &mut self.lengths, expr)
    }
}

/// The least step of the clock, of which each step is one to ten: a run of the greatest length takes half of the shortest
/// bound. A power of ten, so that times are easy to read.
fn tick(valued: &Valued, max_length: usize) -> i64 {
    let bounds = valued.atoms().filter(|atom| atom.field == Valued::TIME).filter_map(|atom| {
        let Test::Compare(_, Operand::Variable(_, offset)) = &atom.test else { return None };
        let length = offset.integer()?.checked_abs()?;
        (length > 0).then_some(length)
    });
    let shortest = bounds.min().unwrap_or(i64::MAX);
    let events = i64::try_from(max_length.max(1)).unwrap_or(i64::MAX);
    let most = (shortest / 20 / events).min(TICK);
    let mut tick = 1;
    while tick <= most / 10 {
        tick *= 10;
    }
    tick
}

fn lengths(exprs: &Exprs, known: &mut FxHashMap<ExprId, Lengths>, id: ExprId) -> Lengths {
    if let Some(&known) = known.get(&id) {
        return known;
    }
    let found = stacker::maybe_grow(64 * 1024, 1024 * 1024, || match exprs.expr(id) {
        Expr::Never => Lengths { shortest: u64::MAX, longest: 0 },
        Expr::Empty => Lengths::default(),
        Expr::Leaf(..) => Lengths { shortest: 1, longest: 1 },
        Expr::Alt(left, right) => {
            let [left, right] = [*left, *right].map(|side| lengths(exprs, known, side));
            Lengths {
                shortest: left.shortest.min(right.shortest),
                longest: left.longest.max(right.longest),
            }
        }
        Expr::Par(operands) => {
            let operands = operands.iter().map(|&operand| lengths(exprs, known, operand));
            operands.fold(Lengths::default(), sum)
        }
        Expr::Sched(_, left, right) => {
            let [left, right] = [*left, *right].map(|side| lengths(exprs, known, side));
            sum(left, right)
        }
        Expr::Loop(_, body) => {
            let body = lengths(exprs, known, *body);
            Lengths { shortest: 0, longest: if body.longest == 0 { 0 } else { u64::MAX } }
        }
        Expr::New(_, body) | Expr::Fresh(_, _, body) => lengths(exprs, known, *body),
        // Walks have no holes.
        Expr::Hole(..) => Lengths::default(),
    });
    known.insert(id, found);
    found
}

fn sum(one: Lengths, other: Lengths) -> Lengths {
    Lengths {
        shortest: one.shortest.saturating_add(other.shortest),
        longest: one.longest.saturating_add(other.longest),
    }
}
