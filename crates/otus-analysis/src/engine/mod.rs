//! The fast, exact engine.
//!
//! | switch | turns off | counter |
//! |---|---|---|
//! | [`Options::relax`] | [`coupling`]: decoupling components, and thereby [`decoupled`] and [`suffix`] except for look-ahead | |
//! | [`Options::look_ahead`] | [`lookahead`], [`relaxation`], [`greedy`] | [`Counters::refuted`] |
//! | [`Options::stubborn`] | [`stubborn`] | [`Counters::reduced`] |
//! | [`Options::decompose`] | [`decompose`] | [`Counters::decomposed`] |
//! | [`Options::erase`] | [`erase`] in coupled searches, [`truncate`] | |
//! | [`Options::sessions`] | [`sessions`] | [`Counters::sessions`] |
//! | [`Options::counting`] | [`counting`] | [`Counters::counted`] |
//! | [`Options::places`] | [`sequential`] | [`Counters::refuted`] |
//! | [`Options::absorb`] | [`include`](mod@include), absorption in [`normal`] | |
//! | [`Options::solver`] | [`sat`] | conflicts, in [`Outcome::states`] |
//!
//! [`Counters::branches`] counts how often alternatives had to be tried one by one. Every
//! combination of switches gives the same verdicts, which the tests of otus-testkit check.
//! `docs/engine.md` describes how the parts work together, and ARCHITECTURE.md lists them.

mod alphabet;
mod ask;
mod compact;
mod compile;
mod counting;
mod coupled;
pub mod coupling;
mod decompose;
mod decoupled;
mod erase;
mod greedy;
mod include;
mod logs;
mod lookahead;
mod memo;
mod normal;
mod options;
mod order;
mod ordered;
mod prune;
mod relaxation;
pub(crate) mod residuals;
pub mod sat;
mod sequential;
mod sessions;
mod step;
mod store;
mod stubborn;
mod suffix;
mod truncate;
mod unroll;
mod witness;

use otus_core::index::Index as _;
use otus_core::{LifelineSet, Pool, TermId};
use otus_trace::{ComponentId, MultiTrace, Partition};

use crate::budget::{Budget, Meter, Stop};
use crate::question::{Observed, Question};
use crate::verdict::Verdict;
use crate::witness::Witness;
use alphabet::Alphabet;
use compile::{Compiled, Interaction};
use counting::Counting;
use coupling::Coupling;
use decoupled::Found;
use logs::Logs;
use lookahead::LocalAnswer;
pub use options::{Options, When};
use sequential::Sequential;
use store::{ExprId, SetId, Store};

/// An interaction and a partition, prepared for many multi-traces. Tables filled by one analysis
/// are reused by the next. An engine belongs to one thread.
#[derive(Debug)]
pub struct Engine {
    store: Store,
    alphabet: Alphabet,
    /// The term, kept until a search first needs it compiled. Until then the tables are empty.
    source: Option<Box<(Pool, TermId, Partition)>>,
    /// The compiled term. Searches get it from [`Engine::context`], which compiles the term first
    /// if necessary.
    compiled: Option<Compiled>,
    /// Whether components depend on each other only by choices.
    decoupled: bool,
    /// The number of components. (The multi-trace stores it too, but possibly far away in memory.)
    count: usize,
    components: Vec<SetId>,
    /// For each component: the lifelines of all other components.
    others: Vec<SetId>,
    /// For each expression: the component that moved last time.
    hints: Vec<Hint>,
    /// For each component: its projection of the interaction, once computed; empty if that is too
    /// much work.
    projections: Option<Vec<ExprId>>,
    /// The tables of greedy firing ([`sessions`]), if it applies.
    net: OnDemand<sessions::Net>,
    /// For each component: the automaton of its projection, if that is sequential ([`sequential`]).
    places: Vec<OnDemand<Sequential>>,
    /// The bounds on how often moments occur, unless computing them is too much work.
    counting: OnDemand<Counting>,
    /// The last analysis whose logs greedy firing consumed all when it was asked whether they are complete. Then they are
    /// at least a global prefix.
    all_fired: Option<u32>,
    /// The number of analyses so far.
    analysis: u32,
    /// Whether each log of this analysis was checked by itself, completely, and not refuted.
    locally_analyzed: bool,
    /// The nesting depth of loops.
    loop_depth: u64,
    /// The encoding of the interaction as a formula, for interactions where a SAT solver may be
    /// faster.
    formula: Option<sat::Problem>,
    /// Whether the SAT solver is asked before any search; otherwise it is asked after [`PATIENCE`]
    /// states.
    at_once: bool,
    options: Options,
    counters: Counters,
}

/// A table that is computed when it is first needed.
#[derive(Debug, Default)]
enum OnDemand<T> {
    #[default]
    NotMade,
    Impossible,
    Made(Box<T>),
}

impl<T> OnDemand<T> {
    fn new(made: Option<T>) -> Self {
        made.map_or(OnDemand::Impossible, |made| OnDemand::Made(Box::new(made)))
    }

    fn made(&self) -> Option<&T> {
        match self {
            OnDemand::Made(made) => Some(made),
            OnDemand::NotMade | OnDemand::Impossible => None,
        }
    }
}

/// Counts how often each reduction applied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// States in which alternatives were tried one by one.
    pub branches: u64,
    /// Branches refuted by look-ahead.
    pub refuted: u64,
    /// Logs that were decided one at a time.
    pub decomposed: u64,
    /// Stubborn sets that left out some component.
    pub reduced: u64,
    /// Logs of parallel sessions that were decided greedily.
    pub sessions: u64,
    /// Questions that were refuted by counting.
    pub counted: u64,
}

/// The result of an analysis.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The verdict: Pass if accepted as it is, `WeakPass` if explained, Fail, or Inconclusive.
    pub verdict: Verdict,
    /// The number of states.
    pub states: u64,
    /// Why the search ended.
    pub stop: Stop,
    /// For a Fail, by component: the number of actions consumed by the search that got furthest. If
    /// a component fails by itself, the number of actions that each component can consume by
    /// itself.
    pub furthest: Option<Box<[u32]>>,
}

/// The number of states of a search after which the SAT solver is asked, unless it is asked at
/// once.
const PATIENCE: u64 = 400;

/// The maximum number of actions for which the weaker question (WeakPass) is asked first.
const SHORT: usize = 256;
/// The fuel for checking components by themselves, in addition to one unit per action.
const LOCAL_FUEL: u64 = 1000;
/// Tables that are larger than this number of bytes are emptied before the next analysis.
const LARGE: usize = 256 << 20;

/// The meaning of the end of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Nothing more happened on the component.
    Final,
    /// More may have happened on the component, unobserved.
    Early,
}

/// The state that searches read and change.
#[derive(Debug)]
pub(crate) struct Context<'e> {
    store: &'e mut Store,
    alphabet: &'e Alphabet,
    components: &'e [SetId],
    others: &'e [SetId],
    hints: &'e mut Vec<Hint>,
    analysis: u32,
    locally_analyzed: bool,
    loop_depth: u64,
    options: Options,
    counters: &'e mut Counters,
}

impl Context<'_> {
    /// Whether no other leaf of an expression shares an observation with this leaf, and the leaf
    /// waits only for its own components.
    fn is_independent(&mut self, expr: ExprId, leaf: store::LeafId) -> bool {
        if let Some(known) = self.store.independent.get(expr, leaf) {
            return known != 0;
        }
        let independent = self.store.waits_for(expr, leaf).is_some_and(|waits| {
            let parts = self.store.leaf(leaf).parts.clone();
            waits.is_subset(&self.store.homes(leaf))
                && parts.iter().all(|&(_, symbol)| {
                    let rivals = self.alphabet.leaves[symbol.0 as usize].iter();
                    rivals
                        .into_iter()
                        .all(|&other| other == leaf || !self.store.occurs(expr, other))
                })
        });
        let leaves = self.store.leaves.items.len();
        self.store.independent.insert(expr, leaf, leaves, u32::from(independent));
        independent
    }

    fn lifelines(&self, components: impl Iterator<Item = usize>) -> LifelineSet {
        let sets = components.map(|component| &self.store.components[component]);
        sets.fold(LifelineSet::EMPTY, |all, own| all.union(own))
    }

    /// The expression after the log of a component has ended.
    fn end(&mut self, expr: ExprId, component: usize, ending: Ending) -> ExprId {
        match ending {
            Ending::Final => self.store.prune(expr, self.components[component]),
            Ending::Early => self.store.erase(expr, self.components[component]),
        }
    }

    /// Counts a state; returns a reason to stop, if there is one.
    #[inline]
    fn tick(&mut self, meter: &mut Meter<'_>) -> Option<Stop> {
        if self.store.is_spent() {
            return Some(self.store.why_spent());
        }
        self.store.refuel();
        meter
            .count()
            .or_else(|| if meter.states().is_multiple_of(256) { self.store.check() } else { None })
    }

    /// The component that moved last time from this expression in this analysis, and the size after
    /// its step. Hints of other analyses are ignored, so that results do not depend on them.
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

/// A hint: the component that moved from an expression.
#[derive(Debug, Clone, Copy, Default)]
struct Hint {
    /// The number of the analysis that recorded the hint. No analysis has number 0 before the
    /// counter wraps around.
    analysis: u32,
    component: u32,
    /// The size of the expression after the step of that component.
    size: u32,
}

impl Engine {
    /// Prepares an interaction for multi-traces over a partition.
    pub fn new(pool: &Pool, term: TermId, partition: &Partition, options: Options) -> Self {
        let interaction = Interaction { pool, term, partition };
        let coupling = Coupling::new(pool, term, partition);
        let attributes = pool.attributes(term);
        let loops = attributes.loops > 0;
        let wanted = options.solver && (loops || sat::worth_it(pool, term));
        let formula = if wanted { sat::Problem::of(&coupling, interaction) } else { None };
        let at_once = formula.is_some() && sat::is_plain(pool, term);
        // If the SAT solver is asked at once, it mostly answers, so that no search needs the
        // expressions.
        let later = at_once && options.relax && coupling.decoupled();
        let mut engine = Engine {
            store: Store::new(Vec::new(), options.absorb),
            alphabet: Alphabet::default(),
            source: later.then(|| Box::new((pool.clone(), term, partition.clone()))),
            compiled: None,
            decoupled: later,
            count: partition.len(),
            components: Vec::new(),
            others: Vec::new(),
            hints: Vec::new(),
            projections: None,
            places: partition.components().map(|_| OnDemand::NotMade).collect(),
            net: OnDemand::NotMade,
            counting: OnDemand::NotMade,
            all_fired: None,
            analysis: 0,
            locally_analyzed: false,
            loop_depth: u64::from(attributes.loop_depth),
            formula,
            at_once,
            options,
            counters: Counters::default(),
        };
        if !later {
            engine.compile(&coupling, interaction);
        }
        engine
    }

    /// Compiles the term if that was deferred.
    fn prepare(&mut self) {
        if let Some(source) = self.source.take() {
            let (ref pool, term, ref partition) = *source;
            let before = std::mem::take(&mut self.store);
            let coupling = Coupling::new(pool, term, partition);
            self.compile(&coupling, Interaction { pool, term, partition });
            self.store.inherit_limits(before);
        }
    }

    fn compile(&mut self, coupling: &Coupling, interaction: Interaction<'_>) {
        let partition = interaction.partition;
        let sets: Vec<LifelineSet> =
            partition.components().map(|component| partition.set(component)).collect();
        let all = LifelineSet::full(partition.lifeline_count());
        let mut store = Store::new(sets.clone(), self.options.absorb);
        self.alphabet = Alphabet::new(partition.len());
        let compiled = compile::compile(
            &mut store,
            &mut self.alphabet,
            interaction,
            self.options.relax.then_some(coupling),
        );
        self.decoupled = compiled.decoupled;
        self.compiled = Some(compiled);
        self.others = sets.iter().map(|own| store.set(&all.difference(own))).collect();
        self.components = sets.iter().map(|own| store.set(own)).collect();
        store.note_original();
        self.store = store;
    }

    /// The verdict on a multi-trace. Its partition must be the engine's.
    pub fn analyze(&mut self, trace: &MultiTrace, question: &Question, budget: &Budget) -> Outcome {
        self.analyze_up_to(Verdict::Pass, trace, question, budget)
    }

    /// Like [`Engine::analyze`], but stops at a goal: with `WeakPass` the engine does not ask
    /// whether the multi-trace is also a Pass.
    pub fn analyze_up_to(
        &mut self,
        goal: Verdict,
        trace: &MultiTrace,
        question: &Question,
        budget: &Budget,
    ) -> Outcome {
        let mut meter = Meter::new(budget);
        self.begin_analysis(budget, &meter);
        let strong = strongest(question, self.count);
        // Greedy firing needs no projections, whose expressions grow with the number of sessions in flight.
        let fires = self.prepare_net(trace);
        let local =
            if fires { LocalAnswer::Unknown } else { self.analyze_locally(trace, question) };
        if let LocalAnswer::Refuted(explained) = local {
            let (verdict, stop) = (Verdict::Fail, Stop::Exhausted);
            return Outcome { verdict, states: 0, stop, furthest: Some(explained) };
        }
        let mut furthest = None;
        // Asking the weak question first saves the second question if a short multi-trace fails;
        // asking the strong question first saves it if a long multi-trace is accepted.
        let unfinished =
            local == LocalAnswer::Unfinished || (goal < Verdict::Pass && *question != strong);
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
        self.locally_analyzed = false;
        let (verdict, stop) = match found {
            Found::Yes => (verdict, Stop::Goal),
            Found::No => (Verdict::Fail, Stop::Exhausted),
            Found::Unknown(stop) => (Verdict::Inconclusive, stop),
        };
        let furthest = if verdict == Verdict::Fail { furthest } else { None };
        Outcome { verdict, states: meter.states(), stop, furthest }
    }

    /// The approximate memory of the tables.
    pub fn bytes(&self) -> usize {
        self.store.bytes() + self.hints.len() * size_of::<Hint>()
    }

    /// Numbers an analysis, and empties the tables of earlier ones if they have become large.
    fn begin_analysis(&mut self, budget: &Budget, meter: &Meter<'_>) {
        self.analysis = self.analysis.wrapping_add(1);
        self.locally_analyzed = false;
        self.store.limit(budget, meter);
        let bytes = self.bytes();
        if bytes > LARGE || meter.is_too_large(bytes * 2) {
            if let Some(Compiled { rigid, relaxed, .. }) = &mut self.compiled {
                self.store.compact(&mut [rigid, relaxed]);
                self.store.note_original();
            }
            self.hints = Vec::new();
            self.projections = None;
            self.net = OnDemand::NotMade;
        }
    }

    /// The local analysis of a multi-trace, if it is worth the work.
    fn analyze_locally(&mut self, trace: &MultiTrace, question: &Question) -> LocalAnswer {
        let late = may_start_late(question, self.count);
        // A long multi-trace that is accepted should not be read twice.
        let long = trace.len() > SHORT && *question == Question::ACCEPT;
        if late || self.at_once || long || !self.options.look_ahead {
            return LocalAnswer::Unknown;
        }
        let Some(&Compiled { relaxed, decoupled, .. }) = self.compiled.as_ref() else {
            return LocalAnswer::Unknown;
        };
        let mut projections = self.projections.take().unwrap_or_else(|| {
            let whole = if decoupled { relaxed } else { self.store.relax_fully(relaxed) };
            self.others.iter().map(|&others| self.store.erase(whole, others)).collect()
        });
        self.store.fuel = self.store.fuel.min(LOCAL_FUEL + trace.len() as u64);
        let (mut context, _) = self.context();
        let local = lookahead::analyze_locally(&mut context, &projections, trace, question);
        if self.store.is_spent() {
            // The projections are too large for this analysis, so they are too large for later ones
            // as well.
            projections.clear();
        }
        self.projections = Some(projections);
        self.locally_analyzed = matches!(local, LocalAnswer::Unfinished | LocalAnswer::Explained);
        local
    }

    /// How often each reduction applied so far.
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
        if let Some(witness) = witness::guided(self, pool, term, trace, &question, budget) {
            return Some(witness);
        }
        let decomposed = self.decomposes(&question);
        if let Some(formula) = self.formula.as_ref().filter(|_| !decomposed) {
            // Most witnesses are found by replaying, so the SAT solver gets only a share of the
            // budget.
            let most = budget.max_states.unwrap_or(u64::MAX).min(20_000);
            let share = Budget {
                max_states: Some(most),
                timeout: budget.timeout.map(|timeout| timeout / 2),
                ..budget.clone()
            };
            let mut meter = Meter::new(&share);
            if let Some(sat::Answer::Explained(model)) = formula.ask(trace, &question, &mut meter) {
                return Some(formula.witness(pool, trace, &question, &model));
            }
        }
        witness::replay(self, pool, term, trace, None, &question, budget)
    }

    /// The state that searches use, and the expressions that they start from.
    fn context(&mut self) -> (Context<'_>, &Compiled) {
        self.prepare();
        let context = Context {
            store: &mut self.store,
            alphabet: &self.alphabet,
            components: &self.components,
            others: &self.others,
            hints: &mut self.hints,
            analysis: self.analysis,
            locally_analyzed: self.locally_analyzed,
            loop_depth: self.loop_depth,
            options: self.options,
            counters: &mut self.counters,
        };
        (context, self.compiled.as_ref().expect("it is prepared"))
    }
}

/// The expression from which a decoupled search starts, memoized. Components without a log to
/// consume are pruned or erased, and logs that may start late become suffixes.
fn initial_expr(context: &mut Context<'_>, expr: ExprId, logs: &Logs<'_>) -> ExprId {
    let Some(missing) = logs.missing() else { return compute_initial(context, expr, logs) };
    if let Some(&known) = context.store.initial.get(&(expr, missing)) {
        return known;
    }
    let initial = compute_initial(context, expr, logs);
    if !context.store.is_spent() {
        context.store.initial.insert((expr, missing), initial);
    }
    initial
}

fn compute_initial(context: &mut Context<'_>, expr: ExprId, logs: &Logs<'_>) -> ExprId {
    let mut expr = expr;
    for component in (0..logs.len()).filter(|&component| logs.is_over(component)) {
        expr = context.end(expr, component, logs.endings[component]);
    }
    for component in 0..logs.len() {
        if logs.is_unstarted(component) {
            expr = context.store.suffix(context.components[component], expr);
        }
    }
    expr
}

fn may_start_late(question: &Question, components: usize) -> bool {
    (0..components).any(|c| question.of(ComponentId::new(c)).may_start_late())
}

/// The question in which no observation is missing; unobserved components stay unobserved.
pub(crate) fn strongest(question: &Question, components: usize) -> Question {
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

/// Recursion on the depth of expressions, which grows the stack if necessary.
fn deep<T>(function: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, function)
}
