//! Witnesses: finds one global execution that explains a multi-trace, given the verdict.
//!
//! The searches work on normal forms, with components decoupled and alternatives combined; they
//! prove that an execution exists, but do not construct it. So it is constructed on the term
//! itself, step by step, and before each step the engine is asked whether the rest would
//! still be explained. Every step is one of the language, so a witness is valid by
//! construction.
//!
//! *Most questions need no search.* Let x be the expression of the current rest, known to explain
//! it. If the expression after a step *is* the residual of x after the observed part of the step
//! (or x itself, if nothing is observed), and components are decoupled, then it explains the rest,
//! since x does iff its residual does. If components are coupled, the step must also be the only
//! possible one.
//!
//! *Unobserved events* are taken only if no observed one can be: breadth first, so that there are
//! as few as possible; at the end, the cheapest way to terminate is taken. An unobserved event mostly begins something, so the
//! expression after it is another one. But if x explains the rest before it, and the expression after the next *observed* event is
//! the residual of x, then all of this is explained, again without a question.
//!
//! *Parallel sessions* are replayed without any question to the engine ([`guided`]).
//!
//! *Decomposed slices* are replayed one log after the other, as they were decided
//! ([`decompose`]): each adds iterations that only its component observes.
//!
//! *Cost.* At most one question for each step, within a budget of its own. If this budget is used
//! up, there is no witness, but the verdict is still valid. If a formula explains the multi-trace
//! ([`sat`](super::sat)), its model is the witness and nothing is replayed.

mod guided;

use std::collections::VecDeque;

use otus_core::algebra::fold::fold;
use otus_core::index::Index as _;
use otus_core::semantics::{Frontiers, PositionId, Step};
use otus_core::{EventId, LifelineSet, Pool, RegionId, Term, TermId};
use otus_trace::{ComponentId, MultiTrace, ObservedOrder, Partition};
use rustc_hash::{FxHashMap, FxHashSet};

use super::alphabet::Alphabet;
use super::compile::{Compiler, Relaxation};
use super::logs::{Consumed, Logs};
use super::store::{ExprId, Store, SymbolId};
use super::{Ending, Engine, coupled, decompose, decoupled, initial_expr, sessions};
use crate::budget::{Budget, Meter};
use crate::question::Question;
use crate::witness::{Witness, WitnessEvent};

/// The witness of a multi-trace that is known to be explained; `None` if the budget ends before it
/// is found.
pub(super) fn replay(
    engine: &mut Engine,
    pool: &mut Pool,
    term: TermId,
    trace: &MultiTrace,
    order: Option<&ObservedOrder>,
    question: &Question,
    budget: &Budget,
) -> Option<Witness> {
    engine.prepare();
    let stages = match order {
        Some(_) => {
            let (question, relaxation) = (question.clone(), Relaxation::Rigid);
            vec![Stage { question, relaxation, only: None }]
        }
        None => stages(engine, trace, question),
    };
    let mut term = otus_core::algebra::simplify(pool, term);
    let mut meter = Meter::new(budget);
    engine.store.limit(budget, &meter);
    let mut replay = Replay::new(engine, pool, trace, question, &mut meter);
    for Stage { question, relaxation, only } in stages {
        replay.logs = Logs::new(trace, &question, trace.partition().len());
        if let Some(order) = order {
            replay.logs = replay.logs.in_order(order);
        }
        (replay.relaxation, replay.only) = (relaxation, only);
        term = replay.run(term)?;
    }
    let positions = &replay.frontiers.positions;
    let steps = replay.steps.iter().map(|&Taken { event, position, observed }| {
        let position = positions.letters(position).collect();
        WitnessEvent { event, position, observed }.into()
    });
    Some(Witness { steps: steps.collect() })
}

/// Like [`replay`], for parallel sessions; `None` also if greedy firing does not show a witness.
pub(super) fn guided(
    engine: &mut Engine,
    pool: &mut Pool,
    term: TermId,
    trace: &MultiTrace,
    question: &Question,
    budget: &Budget,
) -> Option<Witness> {
    let mut meter = Meter::new(budget);
    engine.store.limit(budget, &meter);
    if !engine.prepare_net(trace) {
        return None;
    }
    let term = otus_core::algebra::simplify(pool, term);
    Replay::new(engine, pool, trace, question, &mut meter).guided(term)
}

/// The logs that are replayed together: all of them, or that of one component.
struct Stage {
    /// The question about these logs.
    question: Question,
    relaxation: Relaxation,
    only: Option<usize>,
}

fn stages(engine: &Engine, trace: &MultiTrace, question: &Question) -> Vec<Stage> {
    let compiled = engine.compiled.as_ref().expect("it is prepared");
    let components = trace.partition().len();
    let relaxation = |full| if full { Relaxation::Full } else { Relaxation::Rigid };
    if engine.decomposes(question) {
        let stage = |component| {
            let full = decompose::is_relaxable(compiled, component);
            Stage {
                question: decompose::only(question, component, components),
                relaxation: relaxation(full),
                only: full.then_some(component),
            }
        };
        return (0..components).map(stage).collect();
    }
    let full = compiled.decoupled && *question != Question::GlobalPrefix;
    vec![Stage { question: question.clone(), relaxation: relaxation(full), only: None }]
}

#[derive(Debug, Clone, Copy)]
struct Taken {
    event: EventId,
    position: PositionId,
    observed: RegionId,
}

/// A possible step, with the term and the consumed actions after it.
struct Move {
    taken: Taken,
    term: TermId,
    consumed: Consumed,
}

/// The term and the logs that are left at some point of the replay.
#[derive(Debug, Clone)]
struct Rest {
    term: TermId,
    expr: ExprId,
    consumed: Consumed,
}

/// The number of terms that are about as much work as a state of the engine.
const TERMS: u64 = 64;

/// The number of terms between two observed events that are looked at before questions are asked.
const NEAR: usize = 64;

/// For each component that an event touches: the symbol observed there, and its lifelines.
type Parts = Box<[(usize, SymbolId, LifelineSet)]>;

struct Replay<'a, 'b> {
    engine: &'a mut Engine,
    pool: &'a mut Pool,
    partition: &'a Partition,
    logs: Logs<'a>,
    global: bool,
    relaxation: Relaxation,
    /// The only component that is replayed in this stage; `None` if all of them are.
    only: Option<usize>,
    frontiers: Frontiers,
    compiled: FxHashMap<(TermId, Relaxation), ExprId>,
    parts: FxHashMap<EventId, Parts>,
    costs: FxHashMap<TermId, Option<u64>>,
    meter: &'a mut Meter<'b>,
    steps: Vec<Taken>,
}

impl<'a, 'b> Replay<'a, 'b> {
    fn new(
        engine: &'a mut Engine,
        pool: &'a mut Pool,
        trace: &'a MultiTrace,
        question: &Question,
        meter: &'a mut Meter<'b>,
    ) -> Self {
        Replay {
            engine,
            pool,
            partition: trace.partition(),
            logs: Logs::new(trace, question, trace.partition().len()),
            global: *question == Question::GlobalPrefix,
            relaxation: Relaxation::Rigid,
            only: None,
            frontiers: Frontiers::default(),
            compiled: FxHashMap::default(),
            parts: FxHashMap::default(),
            costs: FxHashMap::default(),
            meter,
            steps: Vec::new(),
        }
    }
}

impl Replay<'_, '_> {
    /// Replays the logs from a term; returns the residual, which can terminate.
    fn run(&mut self, term: TermId) -> Option<TermId> {
        let mut left = self.left(term, self.logs.consumed.clone());
        while !self.logs.all_over() {
            left = self.next(&left)?;
            self.logs.consumed.copy_from_slice(&left.consumed);
        }
        self.terminate(left.term)
    }

    /// Takes the next observed event, with as few unobserved ones before it as possible.
    fn next(&mut self, from: &Rest) -> Option<Rest> {
        self.engine.store.refuel();
        if self.relaxation == Relaxation::Full
            && let Some(next) = self.expected_next(from)
        {
            return Some(next);
        }
        let mut met = FxHashSet::from_iter([from.term]);
        // The situations to continue from, each with the steps that lead to it.
        let mut pending: VecDeque<(Rest, Vec<Taken>)> =
            VecDeque::from([(from.clone(), Vec::new())]);
        while let Some((now, path)) = pending.pop_front() {
            // Computing all steps of a large term is much work, so it counts as several states.
            let work = 1 + self.frontiers.cost(self.pool, now.term) / TERMS;
            if self.meter.count_work(work).is_some() || self.engine.store.check().is_some() {
                return None;
            }
            let (seen, unseen) = self.moves(&now);
            let only = self.relaxation == Relaxation::Full || seen.len() + unseen.len() == 1;
            for Move { taken, term, consumed } in seen {
                let next = self.left(term, consumed);
                if self.is_explained(&now, &taken, &next, only)? {
                    self.steps.extend(path);
                    self.steps.push(taken);
                    return Some(next);
                }
                // The term after a step is compiled before the engine is asked about it.
                let work = 1 + self.pool.attributes(term).nodes / TERMS;
                if self.meter.count_work(work).is_some() {
                    return None;
                }
            }
            for Move { taken, term, consumed } in unseen {
                if !met.insert(term) {
                    continue;
                }
                let next = self.left(term, consumed);
                if self.is_explained(&now, &taken, &next, true)? {
                    let path = [path.as_slice(), &[taken]].concat();
                    pending.push_back((next, path));
                }
                let work = 1 + self.pool.attributes(term).nodes / TERMS;
                if self.meter.count_work(work).is_some() {
                    return None;
                }
            }
        }
        None
    }

    /// The same without a question: the next observed event whose residual is the expected one. `None` if there is none near, or
    /// if an event as near as it leaves something else, which may be explained, too.
    fn expected_next(&mut self, from: &Rest) -> Option<Rest> {
        let mut met = FxHashSet::from_iter([from.term]);
        let mut pending: VecDeque<(Rest, Vec<Taken>)> =
            VecDeque::from([(from.clone(), Vec::new())]);
        while let Some((now, path)) = pending.pop_front() {
            let work = 1 + self.frontiers.cost(self.pool, now.term) / TERMS;
            if self.meter.count_work(work).is_some() || self.engine.store.check().is_some() {
                return None;
            }
            let (seen, unseen) = self.moves(&now);
            for Move { taken, term, consumed } in seen {
                let next = self.left(term, consumed);
                if next.expr == Store::NEVER {
                    continue;
                }
                if self.expected(from, &taken, &next) != Some(next.expr) {
                    return None;
                }
                self.steps.extend(path);
                self.steps.push(taken);
                return Some(next);
            }
            for Move { taken, term, consumed } in unseen {
                if met.len() > NEAR {
                    return None;
                }
                if met.insert(term) {
                    let next = self.left(term, consumed);
                    if next.expr != Store::NEVER {
                        let path = [path.as_slice(), &[taken]].concat();
                        pending.push_back((next, path));
                    }
                }
            }
        }
        None
    }

    /// The possible steps: those that are observed, and those that are not.
    fn moves(&mut self, now: &Rest) -> (Vec<Move>, Vec<Move>) {
        let (mut seen, mut unseen) = (Vec::new(), Vec::new());
        let steps = self.frontiers.steps(self.pool, now.term);
        for step in steps.iter() {
            let parts = self.parts(step.event);
            let mut ways: Vec<(Consumed, LifelineSet)> =
                vec![(now.consumed.clone(), LifelineSet::EMPTY)];
            self.logs.consumed.copy_from_slice(&now.consumed);
            for (at, symbol, lifelines) in &parts {
                let head = self.logs.head(*at, &self.engine.alphabet);
                let head = head.filter(|(head, _)| head == symbol);
                let outside = self.is_outside(*at);
                let mut more = Vec::new();
                for (consumed, observed) in ways {
                    if let Some((_, after)) = head {
                        let mut consumed = consumed.clone();
                        consumed[*at] = after;
                        more.push((consumed, observed.union(lifelines)));
                    }
                    if outside {
                        more.push((consumed, observed));
                    }
                }
                ways = more;
            }
            for (consumed, observed) in ways {
                let region = self.pool.intern_region(&observed);
                let taken = Taken { event: step.event, position: step.position, observed: region };
                let to = if observed.is_empty() { &mut unseen } else { &mut seen };
                to.push(Move { taken, term: step.follow_up, consumed });
            }
        }
        (seen, unseen)
    }

    fn is_outside(&self, component: usize) -> bool {
        !self.global && self.logs.is_outside(component)
    }

    /// Whether the rest after a step is explained, given that the rest before it is. `plain`:
    /// whether this follows if the expression after the step is the expected one.
    fn is_explained(
        &mut self,
        now: &Rest,
        taken: &Taken,
        next: &Rest,
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
            let found = decompose::run(&mut context, next.expr, &mut self.logs, only, self.meter);
            if found.decided().is_some() {
                return found.decided();
            }
            context.store.refuel();
            self.logs.consumed.copy_from_slice(&next.consumed);
        }
        if !self.logs.is_ordered()
            && context.options.sessions.is_worth(self.logs.left())
            && let Some(net) = sessions::Net::new(&mut context, next.expr)
        {
            let (logs, global) = (&mut self.logs, self.global);
            if let Some(found) = sessions::explain(&mut context, &net, logs, global, self.meter) {
                return found.decided();
            }
        }
        let (expr, logs, most) = (next.expr, &mut self.logs, u64::MAX);
        let found = if self.relaxation == Relaxation::Full {
            decoupled::explain(&mut context, expr, logs, most, self.meter)
        } else {
            let manner = coupled::Manner::of(self.global);
            coupled::explain(&mut context, expr, logs, manner, most, self.meter)
        };
        found.decided()
    }

    /// The residual of the expression after the observed part of a step.
    fn expected(&mut self, now: &Rest, taken: &Taken, next: &Rest) -> Option<ExprId> {
        if taken.observed == Pool::NONE {
            return Some(now.expr);
        }
        let parts = self.parts(taken.event);
        let mut expr = now.expr;
        if self.relaxation == Relaxation::Full {
            for (at, symbol, _) in &parts {
                if now.consumed[*at] != next.consumed[*at] {
                    let leaf = self.engine.alphabet.single[symbol.0 as usize]?;
                    expr = self.engine.store.step(expr, leaf);
                }
            }
        } else {
            let parts = self.engine.alphabet.parts(self.pool, self.partition, taken.event);
            let leaf = self.engine.store.leaves.find(&Alphabet::joined(&parts))?;
            expr = self.engine.store.step(expr, leaf);
        }
        self.logs.consumed.copy_from_slice(&next.consumed);
        Some(self.settled(expr))
    }

    /// The rest with this term, and the expression that has to explain it.
    fn left(&mut self, term: TermId, consumed: Consumed) -> Rest {
        let expr = self.compile(term);
        self.logs.consumed.copy_from_slice(&consumed);
        Rest { term, expr: self.settled(expr), consumed }
    }

    /// The expression without events that consumed logs exclude, or that can be erased.
    fn settled(&mut self, expr: ExprId) -> ExprId {
        let (mut context, _) = self.engine.context();
        if self.relaxation == Relaxation::Full {
            initial_expr(&mut context, expr, &self.logs)
        } else {
            coupled::settle(&mut context, expr, &self.logs, self.global)
        }
    }

    fn compile(&mut self, term: TermId) -> ExprId {
        let mut compiler = Compiler::new(
            &mut self.engine.store,
            &mut self.engine.alphabet,
            self.pool,
            self.partition,
            None,
        );
        compiler.done = std::mem::take(&mut self.compiled);
        let expr = compiler.run((term, self.relaxation));
        self.compiled = compiler.done;
        expr
    }

    fn parts(&mut self, event: EventId) -> Parts {
        if let Some(known) = self.parts.get(&event) {
            return known.clone();
        }
        let leaves = self.engine.alphabet.parts(self.pool, self.partition, event);
        let parts: Box<[_]> = leaves
            .into_iter()
            .map(|leaf| {
                let (component, symbol) = leaf.parts[0];
                (component.0 as usize, symbol, leaf.lifelines)
            })
            .collect();
        self.parts.insert(event, parts.clone());
        parts
    }

    /// Takes unobserved events until the term can terminate, as few as possible.
    fn terminate(&mut self, term: TermId) -> Option<TermId> {
        let ending = self.ending(term)?;
        let last = ending.last().map_or(term, |step| step.follow_up);
        self.steps.extend(ending.into_iter().map(|Step { event, position, .. }| Taken {
            event,
            position,
            observed: Pool::NONE,
        }));
        Some(last)
    }

    /// The unobserved steps after which a term can terminate, as few as possible.
    fn ending(&mut self, term: TermId) -> Option<Vec<Step>> {
        let mut term = term;
        let mut taken = Vec::new();
        while !self.pool.attributes(term).terminates {
            if self.meter.count().is_some() || self.engine.store.check().is_some() {
                return None;
            }
            let cost = self.cost(term)?;
            let steps = self.frontiers.steps(self.pool, term);
            let open = self.open();
            let unseen = steps.iter().filter(|step| is_within(self.pool, step.event, &open));
            let unseen: Vec<Step> = unseen.copied().collect();
            let ways =
                unseen.into_iter().filter_map(|step| Some((self.cost(step.follow_up)?, step)));
            let nearer = ways.filter(|&(after, _)| after < cost);
            let (_, step) = nearer.min_by_key(|&(after, _)| after)?;
            taken.push(step);
            term = step.follow_up;
        }
        Some(taken)
    }

    /// The lifelines whose events may be unobserved when all logs are consumed.
    fn open(&self) -> LifelineSet {
        let may_go_on =
            |at: &ComponentId| self.global || self.logs.endings[at.index()] == Ending::Early;
        let open = self.partition.components().filter(may_go_on);
        open.flat_map(|component| self.partition.lifelines(component)).copied().collect()
    }

    /// The least number of unobserved events after which a term can terminate, if it can.
    fn cost(&mut self, term: TermId) -> Option<u64> {
        let open = self.open();
        fold(
            self.pool,
            term,
            &mut self.costs,
            |_, _| None,
            |pool, term, operands: &[Option<u64>]| match pool.node(term) {
                Term::Empty | Term::LoopS(_) | Term::LoopC(..) => Some(0),
                Term::Event(event) => is_within(pool, event, &open).then_some(1),
                Term::Strict(..) | Term::Coreg(..) => {
                    Some(operands[0]?.saturating_add(operands[1]?))
                }
                Term::Alt(..) => operands.iter().copied().flatten().min(),
            },
        )
    }
}

/// Whether all lifelines of an event are among these.
fn is_within(pool: &Pool, event: EventId, lifelines: &LifelineSet) -> bool {
    pool.region(pool.event_lifelines(event)).is_subset(lifelines)
}
