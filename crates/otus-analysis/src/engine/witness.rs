//! From a verdict to a witness: one global execution, found by asking again.
//!
//! Searches look at normalised expressions, with components taken apart and alternatives put
//! together; they know that there is an execution, not which. So it is replayed on the term
//! itself, step by step, and before each step the engine is asked whether what would be left is
//! still explained. A step that is taken is one of the language, so a witness is right by
//! construction, whatever was asked.
//!
//! *Most questions need no search.* Let x be the expression of what is left now, known to explain
//! it. If the expression after a step *is* the one that x becomes by what is observed of the
//! step (or x itself, if nothing is), and components are taken apart, then it explains what is
//! left, since x does so exactly if that one does. If they are not, the step must be the only one
//! that is possible.
//!
//! *Unseen events* are taken only if no observed one can be: breadth first, so that as few as
//! possible come in between; at the end, the cheapest way to terminate.
//!
//! *Slices of what repeats itself* are replayed one log after the other, as they were asked
//! ([`alone`](super::alone)): each adds iterations that only its component sees.
//!
//! *Cost.* One question for each step at most, within a budget of its own; if that ends first there
//! is no witness, and the verdict stands. If a formula explains the multi-trace
//! ([`sat`](super::sat)), its model is the witness and nothing is replayed. *Switch.* None: it is
//! asked for by itself.

use std::collections::VecDeque;

use otus_core::semantics::{Frontiers, Positions};
use otus_core::{EventId, LifelineSet, Pool, RegionId, Term, TermId};
use otus_trace::{MultiTrace, Partition};
use rustc_hash::{FxHashMap, FxHashSet};

use super::compile::{Compiler, Form};
use super::logs::{Consumed, Logs};
use super::search::Found;
use super::store::{ExprId, Store, SymbolId};
use super::{Ending, Engine, alone, begin, coupled, search};
use crate::budget::{Budget, Meter};
use crate::question::Question;
use crate::witness::{Witness, WitnessEvent, WitnessStep};

/// The witness of a multi-trace that is known to be explained; `None` if the budget ends before it
/// is found.
pub(super) fn replay(
    engine: &mut Engine,
    (pool, term): (&mut Pool, TermId),
    trace: &MultiTrace,
    question: &Question,
    budget: &Budget,
) -> Option<Witness> {
    engine.prepare();
    let global = *question == Question::GlobalPrefix;
    let stages = stages(engine, trace, question);
    let term = otus_core::algebra::simplify(pool, term);
    let mut meter = Meter::new(budget);
    engine.store.set_deadline(meter.deadline());
    let mut replay = Replay {
        engine,
        pool,
        partition: trace.partition(),
        logs: Logs::new(trace, question, trace.partition().len()),
        global,
        form: Form::Rigid,
        only: None,
        frontiers: Frontiers::default(),
        compiled: FxHashMap::default(),
        parts: FxHashMap::default(),
        costs: FxHashMap::default(),
        meter: &mut meter,
        steps: Vec::new(),
    };
    let mut term = term;
    for stage in stages {
        (replay.logs, replay.form, replay.only) = (stage.logs, stage.form, stage.only);
        term = replay.run(term)?;
    }
    let positions = &replay.frontiers.positions;
    let steps = replay.steps.iter().map(|taken| taken.publish(positions)).collect();
    Some(Witness { steps })
}

/// What is replayed at a time: all logs, or only that of one component.
struct Stage<'t> {
    logs: Logs<'t>,
    form: Form,
    only: Option<usize>,
}

fn stages<'t>(engine: &Engine, trace: &'t MultiTrace, question: &Question) -> Vec<Stage<'t>> {
    let compiled = engine.compiled.as_ref().expect("it is prepared");
    let components = trace.partition().len();
    let form = |loose| if loose { Form::Loose } else { Form::Rigid };
    if engine.asks_alone(question) {
        let stage = |component| Stage {
            logs: Logs::new(trace, &alone::only(question, component, components), components),
            form: form(alone::is_loose(compiled, component)),
            only: alone::is_loose(compiled, component).then_some(component),
        };
        return (0..components).map(stage).collect();
    }
    let loose = compiled.decoupled && *question != Question::GlobalPrefix;
    vec![Stage {
        logs: Logs::new(trace, question, trace.partition().len()),
        form: form(loose),
        only: None,
    }]
}

/// A step taken.
#[derive(Debug, Clone)]
struct Taken {
    event: EventId,
    position: otus_core::semantics::PositionId,
    observed: RegionId,
}

impl Taken {
    fn publish(&self, positions: &Positions) -> WitnessStep {
        let place = WitnessEvent {
            event: self.event,
            position: positions.letters(self.position).collect(),
            observed: self.observed,
        };
        if self.observed == Pool::NONE {
            WitnessStep::Unobserved(place)
        } else {
            WitnessStep::Observed(place)
        }
    }
}

/// What is left at some point.
#[derive(Debug, Clone)]
struct Left {
    term: TermId,
    expr: ExprId,
    consumed: Consumed,
}

/// By component that an event touches: what is observed there, and its lifelines.
type Parts = Box<[(usize, Option<SymbolId>, LifelineSet)]>;

struct Replay<'a, 'b> {
    engine: &'a mut Engine,
    pool: &'a mut Pool,
    partition: &'a Partition,
    logs: Logs<'a>,
    global: bool,
    form: Form,
    /// The only component that is looked at now.
    only: Option<usize>,
    frontiers: Frontiers,
    compiled: FxHashMap<(TermId, Form), ExprId>,
    parts: FxHashMap<EventId, Parts>,
    costs: FxHashMap<TermId, Option<u64>>,
    meter: &'a mut Meter<'b>,
    steps: Vec<Taken>,
}

impl Replay<'_, '_> {
    /// Replays the logs from a term; what is left of it can end there.
    fn run(&mut self, term: TermId) -> Option<TermId> {
        let mut left = self.left(term, self.logs.consumed.clone());
        while !self.is_consumed(&left) {
            left = self.next(&left)?;
        }
        self.terminate(left.term)
    }

    fn is_consumed(&mut self, left: &Left) -> bool {
        self.logs.consumed.copy_from_slice(&left.consumed);
        (0..self.logs.len()).all(|component| self.logs.is_over(component))
    }

    /// Takes the next observed event, with as few unseen ones before it as possible.
    fn next(&mut self, from: &Left) -> Option<Left> {
        self.engine.store.refuel();
        let mut met = FxHashSet::from_iter([from.term]);
        // Each with the steps that led there.
        let mut pending: VecDeque<(Left, Vec<Taken>)> =
            VecDeque::from([(from.clone(), Vec::new())]);
        while let Some((now, path)) = pending.pop_front() {
            if self.meter.count().is_some() {
                return None;
            }
            let (seen, unseen) = self.moves(&now);
            let only = self.form == Form::Loose || seen.len() + unseen.len() == 1;
            for (taken, next) in seen {
                if self.is_explained(&now, &taken, &next, only)? {
                    self.steps.extend(path);
                    self.steps.push(taken);
                    return Some(next);
                }
            }
            for (taken, next) in unseen {
                if met.insert(next.term) && self.is_explained(&now, &taken, &next, true)? {
                    let path = [path.as_slice(), &[taken]].concat();
                    pending.push_back((next, path));
                }
            }
        }
        None
    }

    /// The events that can happen now: those that are observed, and those that are not.
    #[expect(clippy::type_complexity, reason = "two lists of the same pairs")]
    fn moves(&mut self, now: &Left) -> (Vec<(Taken, Left)>, Vec<(Taken, Left)>) {
        let (mut seen, mut unseen) = (Vec::new(), Vec::new());
        let steps = self.frontiers.steps(self.pool, now.term);
        for step in steps.iter() {
            let parts = self.parts(step.event);
            let mut ways: Vec<(Consumed, LifelineSet)> =
                vec![(now.consumed.clone(), LifelineSet::EMPTY)];
            self.logs.consumed.copy_from_slice(&now.consumed);
            for (at, symbol, lifelines) in &parts {
                let head = self.logs.symbol(*at, &self.engine.alphabet);
                let head = head.filter(|(head, _)| symbol.is_some() && head == symbol);
                let blind = self.is_blind(*at);
                let mut more = Vec::new();
                for (consumed, observed) in ways {
                    if let Some((_, after)) = head {
                        let mut consumed = consumed.clone();
                        consumed[*at] = after;
                        more.push((consumed, observed.union(lifelines)));
                    }
                    if blind {
                        more.push((consumed, observed));
                    }
                }
                ways = more;
            }
            for (consumed, observed) in ways {
                let region = self.pool.intern_region(&observed);
                let taken = Taken { event: step.event, position: step.position, observed: region };
                let next = self.left(step.follow_up, consumed);
                if observed.is_empty() { &mut unseen } else { &mut seen }.push((taken, next));
            }
        }
        (seen, unseen)
    }

    fn is_blind(&self, component: usize) -> bool {
        !self.global && self.logs.is_blind(component)
    }

    /// Whether what is left after a step is explained, if what is left before it is.
    /// `plain`: whether it must be if the expression is the expected one.
    fn is_explained(
        &mut self,
        now: &Left,
        taken: &Taken,
        next: &Left,
        plain: bool,
    ) -> Option<bool> {
        if next.expr == Store::NEVER {
            return Some(false);
        }
        if plain && self.expected(now, taken, next) == Some(next.expr) {
            return Some(true);
        }
        self.logs.consumed.copy_from_slice(&next.consumed);
        let (mut context, _) = self.engine.context();
        if let Some(only) = self.only {
            let found = alone::run(&mut context, next.expr, &mut self.logs, only, self.meter);
            match found {
                Found::Yes => return Some(true),
                Found::No => return Some(false),
                Found::Unknown(_) => {
                    context.store.refuel();
                    self.logs.consumed.copy_from_slice(&next.consumed);
                }
            }
        }
        let found = if self.form == Form::Loose {
            search::explain(&mut context, next.expr, &mut self.logs, self.meter)
        } else {
            coupled::explain(&mut context, next.expr, &mut self.logs, self.global, self.meter)
        };
        match found {
            Found::Yes => Some(true),
            Found::No => Some(false),
            Found::Unknown(_) => None,
        }
    }

    /// What the expression becomes by what is observed of a step.
    fn expected(&mut self, now: &Left, taken: &Taken, next: &Left) -> Option<ExprId> {
        if taken.observed == Pool::NONE {
            return Some(now.expr);
        }
        let parts = self.parts(taken.event);
        let mut expr = now.expr;
        if self.form == Form::Loose {
            for (at, symbol, _) in &parts {
                if now.consumed[*at] != next.consumed[*at] {
                    let leaf = self.engine.alphabet.single[(*symbol)?.0 as usize]?;
                    expr = self.engine.store.step(expr, leaf);
                }
            }
        } else {
            let leaf = self.engine.leaf_of(self.pool, self.partition, taken.event)?;
            expr = self.engine.store.step(expr, leaf);
        }
        self.logs.consumed.copy_from_slice(&next.consumed);
        Some(self.settled(expr))
    }

    /// What is left of a term, with the expression that has to explain the rest.
    fn left(&mut self, term: TermId, consumed: Consumed) -> Left {
        let expr = self.compile(term);
        self.logs.consumed.copy_from_slice(&consumed);
        Left { term, expr: self.settled(expr), consumed }
    }

    /// An expression without what the logs that are over say cannot, or may as well not, happen.
    fn settled(&mut self, expr: ExprId) -> ExprId {
        let (mut context, _) = self.engine.context();
        if self.form == Form::Loose {
            begin(&mut context, expr, &self.logs)
        } else {
            coupled::settle(&mut context, expr, &self.logs, self.global)
        }
    }

    fn compile(&mut self, term: TermId) -> ExprId {
        let mut compiler = Compiler::new(
            &mut self.engine.store,
            &mut self.engine.alphabet,
            (self.pool, self.partition),
            None,
        );
        compiler.done = std::mem::take(&mut self.compiled);
        let expr = compiler.run((term, self.form));
        self.compiled = compiler.done;
        expr
    }

    /// By component that an event touches: what is observed there, and its lifelines.
    fn parts(&mut self, event: EventId) -> Parts {
        if let Some(known) = self.parts.get(&event) {
            return known.clone();
        }
        let leaves = self.engine.alphabet.parts(self.pool, self.partition, event);
        let parts: Box<[_]> = leaves
            .into_iter()
            .map(|leaf| {
                let (component, symbol) = leaf.parts[0];
                (component.0 as usize, Some(symbol), leaf.lifelines)
            })
            .collect();
        self.parts.insert(event, parts.clone());
        parts
    }

    /// Unseen events up to the end, as few as possible.
    fn terminate(&mut self, term: TermId) -> Option<TermId> {
        let mut term = term;
        while !self.pool.attributes(term).terminates {
            if self.meter.count().is_some() {
                return None;
            }
            let cost = self.cost(term)?;
            let steps = self.frontiers.steps(self.pool, term);
            let mut best = None;
            for step in steps.iter() {
                if !self.may_be_unseen(step.event) {
                    continue;
                }
                if let Some(after) = self.cost(step.follow_up)
                    && after < cost
                    && best.as_ref().is_none_or(|(least, _)| after < *least)
                {
                    best = Some((after, *step));
                }
            }
            let (_, step) = best?;
            let (event, position) = (step.event, step.position);
            self.steps.push(Taken { event, position, observed: Pool::NONE });
            term = step.follow_up;
        }
        Some(term)
    }

    /// Whether an event may happen unseen when all logs are consumed.
    fn may_be_unseen(&mut self, event: EventId) -> bool {
        let parts = self.parts(event);
        parts.iter().all(|&(at, ..)| self.global || self.logs.endings[at] == Ending::Early)
    }

    /// How many unseen events a term needs to end, if it can.
    fn cost(&mut self, term: TermId) -> Option<u64> {
        let mut pending = vec![term];
        while let Some(&part) = pending.last() {
            if self.costs.contains_key(&part) {
                pending.pop();
                continue;
            }
            let node = self.pool.node(part);
            let before = pending.len();
            pending.extend(node.operands().filter(|x| !self.costs.contains_key(x)));
            if pending.len() > before {
                continue;
            }
            let of = |x: TermId| self.costs.get(&x).copied().flatten();
            let cost = match node {
                Term::Empty | Term::LoopS(_) | Term::LoopC(..) => Some(0),
                Term::Event(event) => self.may_be_unseen(event).then_some(1),
                Term::Strict(x, y) | Term::Coreg(_, x, y) => {
                    of(x).zip(of(y)).map(|(x, y)| x.saturating_add(y))
                }
                Term::Alt(x, y) => match (of(x), of(y)) {
                    (Some(x), Some(y)) => Some(x.min(y)),
                    (x, y) => x.or(y),
                },
            };
            self.costs.insert(part, cost);
            pending.pop();
        }
        self.costs.get(&term).copied().flatten()
    }
}
