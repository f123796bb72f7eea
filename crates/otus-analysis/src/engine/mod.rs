//! The fast, exact engine.
//!
//! Data flows down this list:
//!
//! - [`alphabet`], [`order`], [`store`], [`normal`], [`include`](mod@include): expressions, stored once each;
//! - [`step`] (on [`known`]), [`prune`], [`strip`], [`late`], [`cut`]: what is left of them;
//! - [`harm`], [`compile`]: from a term to expressions, components taken apart where that is exact;
//! - [`logs`], [`search`], [`coupled`]: consuming a multi-trace, with [`ahead`], [`loosen`],
//!   [`alone`], [`hurry`], [`stubborn`] and [`unroll`] to leave out what makes no difference;
//! - [`sat`]: the same question as a formula;
//! - [`witness`]: one execution that shows the answer; [`compact`]: forgetting.
//!
//! | switch | what it turns off | counter |
//! |---|---|---|
//! | [`Options::relax`] | [`harm`]: taking components apart, and so [`search`] and [`late`], but for looking ahead | |
//! | [`Options::look_ahead`] | [`ahead`], [`loosen`], [`hurry`] | [`Counters::refuted`] |
//! | [`Options::stubborn`] | [`stubborn`] | [`Counters::reduced`] |
//! | [`Options::alone`] | [`alone`] | [`Counters::alone`] |
//! | [`Options::strip`] | [`strip`] in coupled searches, [`cut`] | |
//! | [`Options::absorb`] | [`include`](mod@include), absorption in [`normal`] | |
//! | [`Options::solver`] | [`sat`] | conflicts, in [`Outcome::states`] |
//!
//! [`Counters::branches`] says how often alternatives had to be tried one by one. Every combination of
//! switches gives the same verdicts, which the tests of otus-testkit check; `docs/engine.md` tells the
//! whole story.

mod ahead;
mod alone;
mod alphabet;
mod compact;
mod compile;
mod coupled;
mod cut;
pub mod harm;
mod hurry;
mod include;
mod known;
mod late;
mod logs;
mod loosen;
mod normal;
mod order;
mod prune;
pub mod sat;
mod search;
mod step;
mod store;
mod strip;
mod stubborn;
mod unroll;
mod witness;

use otus_core::index::Index as _;
use otus_core::{LifelineSet, Pool, TermId};
use otus_trace::{ComponentId, MultiTrace, Partition};

use crate::budget::{Budget, Meter, Stop};
use crate::question::{Observed, Question};
use crate::verdict::Verdict;
use crate::witness::Witness;
use ahead::Alone;
use alphabet::Alphabet;
use compile::{Compiled, Source};
use harm::Harm;
use logs::Logs;
use search::Found;
use store::{ExprId, SetId, Store};

/// Which ideas are used. Each can be switched off and no verdict changes; only the cost does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches")]
pub struct Options {
    /// Components are taken apart where that is exact.
    pub relax: bool,
    /// At branch points, components are looked at alone before a branch is followed.
    pub look_ahead: bool,
    /// Slices of what repeats itself are asked one log at a time.
    pub alone: bool,
    /// Of coupled components only those are moved that must be.
    pub stubborn: bool,
    /// What is left of a component that stopped early is taken away where that is exact.
    pub strip: bool,
    /// Alternatives and loops that add nothing are dropped.
    pub absorb: bool,
    /// Terms with many choices go to a solver of propositional formulas, and others do if a search
    /// takes long.
    pub solver: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            relax: true,
            look_ahead: true,
            alone: true,
            stubborn: true,
            strip: true,
            absorb: true,
            solver: true,
        }
    }
}

/// An interaction and a partition, prepared for many multi-traces. Whatever is learnt from one
/// multi-trace is kept for the next. Threads have an engine each.
#[derive(Debug)]
pub struct Engine {
    store: Store,
    alphabet: Alphabet,
    /// What to compile when a search first needs it. Until then the tables are empty.
    source: Option<Box<Source>>,
    /// Searches get it from [`Engine::context`], which makes it if it is not there.
    compiled: Option<Compiled>,
    /// Whether components depend on each other by choices only.
    decoupled: bool,
    /// How many components there are. (A multi-trace knows too, but may have to be asked far away in memory.)
    count: usize,
    components: Vec<SetId>,
    /// By component: the lifelines of all others.
    others: Vec<SetId>,
    /// By expression: the component looked at there.
    hints: Vec<Hint>,
    /// By component: what it sees of the interaction, once that was asked; empty if it is too much.
    seen: Option<Vec<ExprId>>,
    /// How many analyses there were.
    analysis: u32,
    /// Whether the logs of this analysis were looked at alone, all of each, and not refuted.
    asked_alone: bool,
    /// How deep loops are nested.
    loop_depth: u64,
    /// The same as a formula, where that may be better.
    formula: Option<Formula>,
    options: Options,
    counters: Counters,
}

/// An interaction as a formula.
#[derive(Debug)]
struct Formula {
    problem: sat::Problem,
    /// After how many states of a search it is asked.
    after: u64,
}

/// How often the ideas were of use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// States in which alternatives were tried one by one.
    pub branches: u64,
    /// Branches that looking ahead saved.
    pub refuted: u64,
    /// Logs that were asked by themselves.
    pub alone: u64,
    /// Stubborn sets that leave out some components.
    pub reduced: u64,
}

/// What an analysis found.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The answer: Pass if accepted as it is, `WeakPass` if explained, Fail, or Inconclusive.
    pub verdict: Verdict,
    /// How many states were made.
    pub states: u64,
    /// Why the search ended.
    pub stop: Stop,
    /// Of the failing search that got furthest: per component how many actions were consumed. If a
    /// component alone fails, how many each can consume alone.
    pub furthest: Option<Box<[u32]>>,
}

/// After how many states of a search a formula is asked otherwise.
const PATIENCE: u64 = 400;

/// Up to how many actions the weaker question is asked first.
const SHORT: usize = 256;
/// How much new work components alone may take, beside one for each action.
const ALONE: u64 = 1000;
/// Tables beyond this are emptied before the next analysis.
const LARGE: usize = 256 << 20;

/// What the end of a log means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Nothing more happened there.
    Final,
    /// More may have happened, unseen.
    Early,
}

/// What searches use and change.
#[derive(Debug)]
pub(crate) struct Context<'e> {
    store: &'e mut Store,
    alphabet: &'e Alphabet,
    components: &'e [SetId],
    others: &'e [SetId],
    hints: &'e mut Vec<Hint>,
    analysis: u32,
    asked_alone: bool,
    loop_depth: u64,
    options: Options,
    counters: &'e mut Counters,
}

impl Context<'_> {
    /// Whether no other leaf of an expression has a part of this one, and it waits only for its own
    /// components.
    fn is_alone(&mut self, expr: ExprId, leaf: store::LeafId) -> bool {
        if let Some(known) = self.store.alone.get(expr, leaf) {
            return known;
        }
        let alone = self.store.waits_for(expr, leaf).is_some_and(|waits| {
            let parts = self.store.leaf(leaf).parts.clone();
            let mut own = LifelineSet::EMPTY;
            for &(component, _) in &parts {
                own = own.union(&self.store.components[component.0 as usize]);
            }
            waits.is_subset(&own)
                && parts.iter().all(|&(_, symbol)| {
                    let rivals = self.alphabet.leaves[symbol.0 as usize].iter();
                    rivals
                        .into_iter()
                        .all(|&other| other == leaf || !self.store.occurs(expr, other))
                })
        });
        self.store.alone.insert((expr, leaf), self.store.leaves.items.len(), alone);
        alone
    }

    /// Counts a state; says why to stop, if so.
    #[inline]
    fn tick(&mut self, meter: &mut Meter<'_>) -> Option<Stop> {
        if self.store.is_spent() {
            return Some(self.store.why_spent());
        }
        self.store.refuel();
        let stop = meter.count();
        if stop.is_none()
            && meter.states().is_multiple_of(256)
            && meter.is_too_large(self.store.bytes())
        {
            return Some(Stop::Memory);
        }
        stop
    }

    /// The component that was looked at last time in this state of this analysis, and the size of what
    /// it left: what other analyses did makes no difference.
    #[inline]
    fn hint(&self, expr: ExprId) -> Option<(usize, u32)> {
        let hint = self.hints.get(expr.0 as usize)?;
        (hint.analysis == self.analysis).then_some((hint.component as usize, hint.size))
    }

    fn set_hint(&mut self, expr: ExprId, component: usize, size: u32) {
        let index = expr.0 as usize;
        if self.hints.len() <= index {
            self.hints.resize(index + 1, Hint::default());
        }
        let component = u32::try_from(component).unwrap_or(0);
        self.hints[index] = Hint { analysis: self.analysis, component, size };
    }
}

/// Which component was looked at in a state.
#[derive(Debug, Clone, Copy, Default)]
struct Hint {
    /// By which analysis; none has the number 0 but after very many.
    analysis: u32,
    component: u32,
    /// The size of what was left after its step.
    size: u32,
}

impl Engine {
    /// Prepares an interaction for multi-traces over a partition.
    pub fn new(pool: &Pool, term: TermId, partition: &Partition, options: Options) -> Self {
        let harm = Harm::new(pool, term, partition);
        let attributes = pool.attributes(term);
        let loops = attributes.loops > 0;
        let wanted = options.solver && (loops || sat::worth_it(pool, term));
        let problem = if wanted { sat::Problem::of(&harm, (pool, term, partition)) } else { None };
        let at_once = sat::is_plain(pool, term);
        let formula =
            problem.map(|problem| Formula { problem, after: if at_once { 0 } else { PATIENCE } });
        // A formula that is asked at once mostly answers, and then nothing searches.
        let later = at_once && formula.is_some() && options.relax && harm.decoupled();
        let mut engine = Engine {
            store: Store::new(Vec::new(), options.absorb),
            alphabet: Alphabet::default(),
            source: later.then(|| Box::new(Source::new(pool, term, partition))),
            compiled: None,
            decoupled: later,
            count: partition.len(),
            components: Vec::new(),
            others: Vec::new(),
            hints: Vec::new(),
            seen: None,
            analysis: 0,
            asked_alone: false,
            loop_depth: u64::from(attributes.loop_depth),
            formula,
            options,
            counters: Counters::default(),
        };
        if !later {
            engine.compile(&harm, (pool, term, partition));
        }
        engine
    }

    /// Compiles what was left for later, if anything was.
    fn prepare(&mut self) {
        if let Some(source) = self.source.take() {
            let (pool, term, partition) = source.parts();
            let deadline = self.store.deadline();
            self.compile(&Harm::new(pool, term, partition), (pool, term, partition));
            self.store.set_deadline(deadline);
        }
    }

    fn compile(&mut self, harm: &Harm, (pool, term, partition): (&Pool, TermId, &Partition)) {
        let sets: Vec<LifelineSet> =
            partition.components().map(|component| partition.set(component)).collect();
        let all = LifelineSet::full(partition.lifeline_count());
        let mut store = Store::new(sets.clone(), self.options.absorb);
        self.alphabet = Alphabet::new(partition.len());
        let compiled = compile::compile(
            &mut store,
            &mut self.alphabet,
            (pool, term, partition),
            self.options.relax.then_some(harm),
        );
        self.decoupled = compiled.decoupled;
        self.compiled = Some(compiled);
        self.others = sets.iter().map(|own| store.set(&all.difference(own))).collect();
        self.components = sets.iter().map(|own| store.set(own)).collect();
        self.store = store;
    }

    /// The verdict on a multi-trace, whose partition must be the engine's.
    pub fn analyze(&mut self, trace: &MultiTrace, question: &Question, budget: &Budget) -> Outcome {
        self.analyze_up_to(Verdict::Pass, trace, question, budget)
    }

    /// The same with another goal: if that is `WeakPass`, whether the multi-trace is also a Pass is not
    /// asked.
    pub fn analyze_up_to(
        &mut self,
        goal: Verdict,
        trace: &MultiTrace,
        question: &Question,
        budget: &Budget,
    ) -> Outcome {
        let mut meter = Meter::new(budget);
        self.begin_analysis(&meter);
        let strong = strongest(question, self.count);
        let alone = self.ask_alone(trace, question);
        if let Alone::Refuted(explained) = alone {
            let (verdict, stop) = (Verdict::Fail, Stop::Exhausted);
            return Outcome { verdict, states: 0, stop, furthest: Some(explained) };
        }
        let mut furthest = None;
        // A short multi-trace that is not explained need not be asked twice; a long one that is
        // accepted should not be.
        let unfinished =
            alone == Alone::Unfinished || (goal < Verdict::Pass && *question != strong);
        let weak_first = *question != strong && (unfinished || trace.len() <= SHORT);
        let mut verdict = Verdict::Pass;
        let mut found = Found::No;
        if weak_first {
            found = self.ask(trace, question, &mut meter, &mut furthest);
        }
        if unfinished && found == Found::Yes {
            verdict = Verdict::WeakPass;
        } else if !weak_first || found == Found::Yes {
            let explained = found;
            found = self.ask(trace, &strong, &mut meter, &mut furthest);
            if found == Found::No && *question != strong {
                verdict = Verdict::WeakPass;
                found = if weak_first {
                    explained
                } else {
                    self.ask(trace, question, &mut meter, &mut furthest)
                };
            }
        }
        self.asked_alone = false;
        let (verdict, stop) = match found {
            Found::Yes => (verdict, Stop::Goal),
            Found::No => (Verdict::Fail, Stop::Exhausted),
            Found::Unknown(stop) => (Verdict::Inconclusive, stop),
        };
        let furthest = if verdict == Verdict::Fail { furthest } else { None };
        Outcome { verdict, states: meter.states(), stop, furthest }
    }

    /// About how much memory the tables take.
    pub fn bytes(&self) -> usize {
        self.store.bytes() + self.hints.len() * size_of::<Hint>()
    }

    /// Numbers an analysis, and forgets earlier ones if their tables have become large.
    fn begin_analysis(&mut self, meter: &Meter<'_>) {
        self.analysis = self.analysis.wrapping_add(1);
        self.asked_alone = false;
        self.store.set_deadline(meter.deadline());
        self.store.refuel();
        let bytes = self.bytes();
        if bytes > LARGE || meter.is_too_large(bytes * 2) {
            if let Some(Compiled { rigid, relaxed, .. }) = &mut self.compiled {
                self.store.compact(&mut [rigid, relaxed]);
            }
            self.hints = Vec::new();
            self.seen = None;
        }
    }

    /// What components alone say about a multi-trace, if that is worth asking.
    fn ask_alone(&mut self, trace: &MultiTrace, question: &Question) -> Alone {
        let late = may_start_late(question, self.count);
        let at_once = self.formula.as_ref().is_some_and(|formula| formula.after == 0);
        // A long multi-trace that is accepted should not be read twice.
        let long = trace.len() > SHORT && *question == Question::ACCEPT;
        if late || at_once || long || !self.options.look_ahead {
            return Alone::Unknown;
        }
        let Some(&Compiled { relaxed, decoupled, .. }) = self.compiled.as_ref() else {
            return Alone::Unknown;
        };
        let mut seen = self.seen.take().unwrap_or_else(|| {
            let whole = if decoupled { relaxed } else { self.store.loosen(relaxed) };
            self.others.iter().map(|&others| self.store.strip(whole, others)).collect()
        });
        self.store.fuel = self.store.fuel.min(ALONE + trace.len() as u64);
        let (mut context, _) = self.context();
        let alone = ahead::ask_alone(&mut context, &seen, trace, question);
        if self.store.is_spent() {
            // Too much work once is too much work again.
            seen.clear();
        }
        self.seen = Some(seen);
        self.asked_alone = matches!(alone, Alone::Unfinished | Alone::Explained);
        alone
    }

    /// How often the ideas were of use so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// A global execution that explains a multi-trace whose verdict is Pass or `WeakPass`, replayed
    /// on the term; `None` for other verdicts, or if the budget ends before it is found.
    pub fn witness(
        &mut self,
        pool: &mut Pool,
        term: TermId,
        trace: &MultiTrace,
        question: &Question,
        verdict: Verdict,
        budget: &Budget,
    ) -> Option<Witness> {
        let question = match verdict {
            Verdict::Pass => strongest(question, self.count),
            Verdict::WeakPass => question.clone(),
            Verdict::Fail | Verdict::WeakFail | Verdict::Inconclusive => return None,
        };
        let alone = self.asks_alone(&question);
        if let Some(formula) = self.formula.as_ref().filter(|_| !alone) {
            // Most witnesses are found by replaying; a formula is given a share of the budget.
            let most = budget.max_states.unwrap_or(u64::MAX).min(20_000);
            let share = Budget {
                max_states: Some(most),
                timeout: budget.timeout.map(|timeout| timeout / 2),
                ..budget.clone()
            };
            let mut meter = Meter::new(&share);
            if let Some(sat::Answer::Explained(model)) =
                formula.problem.ask(trace, &question, &mut meter)
            {
                return Some(formula.problem.witness(pool, trace, &question, &model));
            }
        }
        witness::replay(self, (pool, term), trace, &question, budget)
    }

    /// What searches use, and what they start from.
    fn context(&mut self) -> (Context<'_>, &Compiled) {
        self.prepare();
        let context = Context {
            store: &mut self.store,
            alphabet: &self.alphabet,
            components: &self.components,
            others: &self.others,
            hints: &mut self.hints,
            analysis: self.analysis,
            asked_alone: self.asked_alone,
            loop_depth: self.loop_depth,
            options: self.options,
            counters: &mut self.counters,
        };
        (context, self.compiled.as_ref().expect("it is prepared"))
    }

    /// The leaf of a whole event.
    fn leaf_of(
        &mut self,
        pool: &Pool,
        partition: &Partition,
        event: otus_core::EventId,
    ) -> Option<store::LeafId> {
        let parts = self.alphabet.parts(pool, partition, event);
        self.store.leaves.find(&Alphabet::joined(&parts))
    }

    /// Whether a multi-trace is explained.
    fn ask(
        &mut self,
        trace: &MultiTrace,
        question: &Question,
        meter: &mut Meter<'_>,
        furthest: &mut Option<Box<[u32]>>,
    ) -> Found {
        self.store.refuel();
        let found = self.search(trace, question, meter, furthest);
        // What is refuted by work that was broken off is not refuted.
        if found == Found::No && self.store.is_spent() {
            Found::Unknown(self.store.why_spent())
        } else {
            found
        }
    }

    fn search(
        &mut self,
        trace: &MultiTrace,
        question: &Question,
        meter: &mut Meter<'_>,
        furthest: &mut Option<Box<[u32]>>,
    ) -> Found {
        if !self.asks_alone(question) {
            return self.search_together(trace, question, meter, furthest);
        }
        let observed = |component: &usize| {
            let id = ComponentId::new(*component);
            !trace.steps(id).is_empty() && question.of(id) != Observed::Unobserved
        };
        let components = self.components.len();
        for component in (0..components).filter(observed) {
            let question = alone::only(question, component, components);
            let mut logs = Logs::new(trace, &question, self.count);
            let (mut context, compiled) = self.context();
            let mut found = alone::explain(&mut context, compiled, &mut logs, component, meter);
            let mut consumed = logs.into_furthest();
            if matches!(found, Found::Unknown(Stop::States)) && !meter.is_out() {
                self.store.refuel();
                found = self.search_together(trace, &question, meter, &mut consumed);
            }
            if found != Found::Yes {
                *furthest = consumed.map(|consumed| alone::beside(trace, component, consumed));
                return found;
            }
        }
        Found::Yes
    }

    /// Whether logs are asked one by one ([`alone`]). What is left for later does not repeat itself.
    fn asks_alone(&self, question: &Question) -> bool {
        let applies = |compiled: &Compiled| alone::applies(&self.store, compiled, question);
        self.options.alone && self.compiled.as_ref().is_some_and(applies)
    }

    /// [`Engine::search`] with all logs together.
    fn search_together(
        &mut self,
        trace: &MultiTrace,
        question: &Question,
        meter: &mut Meter<'_>,
        furthest: &mut Option<Box<[u32]>>,
    ) -> Found {
        let global = *question == Question::GlobalPrefix;
        let count = self.count;
        let late = may_start_late(question, self.count);
        let apart = !global && self.is_apart(question);
        // Searching coupled components for where observation began is what takes longest.
        if late && !apart && self.options.look_ahead {
            let mut logs = Logs::new(trace, question, count);
            let (mut context, compiled) = self.context();
            let start = compiled.relaxed;
            let found =
                coupled::explain_within(&mut context, start, &mut logs, (false, PATIENCE), meter);
            if !matches!(found, Found::Unknown(Stop::States)) || meter.is_out() {
                *furthest = logs.into_furthest();
                return found;
            }
            let mut logs = Logs::new(trace, question, count);
            context.store.refuel();
            if coupled::is_lucky(&mut context, start, &mut logs, meter) {
                return Found::Yes;
            }
        }
        if let Some(formula) = &self.formula
            && !global
            && (apart || late)
            && formula.problem.takes(trace)
        {
            if formula.after > 0 && apart {
                let mut logs = Logs::new(trace, question, count);
                let patience = PATIENCE + 4 * trace.len() as u64;
                let start = self.taken_apart();
                let (mut context, _) = self.context();
                let start = begin(&mut context, start, &logs);
                let found = search::explain_within(&mut context, start, &mut logs, patience, meter);
                if !matches!(found, Found::Unknown(Stop::States)) || meter.is_out() {
                    *furthest = logs.into_furthest();
                    return found;
                }
            }
            if let Some(formula) = &self.formula
                && let Some(answer) = formula.problem.ask(trace, question, meter)
            {
                return match answer {
                    sat::Answer::Explained(_) => Found::Yes,
                    sat::Answer::Refuted => Found::No,
                    sat::Answer::Stopped(stop) => Found::Unknown(stop),
                };
            }
        }
        // Work that was broken off in a first attempt does not spoil this one.
        self.store.refuel();
        let mut logs = Logs::new(trace, question, count);
        let found = if apart {
            let start = self.taken_apart();
            let (mut context, _) = self.context();
            let start = begin(&mut context, start, &logs);
            search::explain(&mut context, start, &mut logs, meter)
        } else {
            let (mut context, compiled) = self.context();
            let complete = *question == Question::ACCEPT;
            let rigid = if global || complete { compiled.rigid } else { compiled.relaxed };
            coupled::explain(&mut context, rigid, &mut logs, global, meter)
        };
        *furthest = logs.into_furthest();
        found
    }

    /// Whether components, or the only one that is observed, can be asked one at a time ([`harm`]).
    fn is_apart(&self, question: &Question) -> bool {
        let seen = |c: &usize| question.of(ComponentId::new(*c)) != Observed::Unobserved;
        let mut seen = (0..self.components.len()).filter(seen);
        self.decoupled
            || self.compiled.as_ref().is_some_and(|compiled| {
                seen.next().is_some_and(|only| compiled.alone[only]) && seen.next().is_none()
            })
    }

    /// The expression from which they are: the relaxed one, or, if it is for one only, all of it loosened.
    fn taken_apart(&mut self) -> ExprId {
        let decoupled = self.decoupled;
        let (context, compiled) = self.context();
        if decoupled { compiled.relaxed } else { context.store.loosen(compiled.relaxed) }
    }
}

/// The expression from which logs are consumed one component at a time.
fn begin(context: &mut Context<'_>, expr: ExprId, logs: &Logs<'_>) -> ExprId {
    let Some(missing) = logs.missing() else { return begin_anew(context, expr, logs) };
    if let Some(&known) = context.store.begun.get(&(expr, missing)) {
        return known;
    }
    let begun = begin_anew(context, expr, logs);
    if !context.store.is_spent() {
        context.store.begun.insert((expr, missing), begun);
    }
    begun
}

fn begin_anew(context: &mut Context<'_>, expr: ExprId, logs: &Logs<'_>) -> ExprId {
    let mut expr = expr;
    for component in 0..logs.len() {
        let lifelines = context.components[component];
        expr = match (logs.is_over(component), logs.endings[component]) {
            (true, Ending::Final) => context.store.prune(expr, lifelines),
            (true, Ending::Early) => context.store.strip(expr, lifelines),
            (false, _) => expr,
        };
    }
    for component in 0..logs.len() {
        if logs.late[component] && logs.is_fresh(component) && !logs.is_over(component) {
            expr = context.store.late(context.components[component], expr);
        }
    }
    expr
}

/// Whether some log may start late.
fn may_start_late(question: &Question, components: usize) -> bool {
    match question {
        Question::GlobalPrefix => false,
        Question::Uniform(observed) => observed.may_start_late(),
        Question::Each(_) => {
            (0..components).any(|c| question.of(ComponentId::new(c)).may_start_late())
        }
    }
}

/// The same question with nothing missing; what is unobserved stays so.
fn strongest(question: &Question, components: usize) -> Question {
    match question {
        Question::Uniform(Observed::Unobserved) => question.clone(),
        Question::GlobalPrefix | Question::Uniform(_) => Question::ACCEPT,
        Question::Each(each) => {
            let declared = (0..components).map(|i| each.get(i).copied());
            let strong = declared.map(|observed| match observed {
                Some(Observed::Unobserved) => Observed::Unobserved,
                _ => Observed::Complete,
            });
            Question::Each(strong.collect())
        }
    }
}

/// Recursion on the depth of expressions, which no input may break.
fn deep<T>(function: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, function)
}
