//! The plan of an analysis: question, engine and limits, resolved from a request.
//!
//! `EngineChoice::Auto` is the fast engine, unless the request needs a feature that only a search has: its graph, order,
//! bounds, or verdicts. With `EngineChoice::Fast`, such an option of the request is an error, because the two
//! contradict each other; such an option in a file is only noted, because the file may also serve other runs.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use otus_analysis::config::{Kind, Simulation};
use otus_analysis::values::Clocks;
use otus_analysis::{Config, Question, Verdict, Witness};
use otus_core::budget::Budget;
use otus_core::index::Index as _;
use otus_core::valued::Valued;
use otus_core::{ActionId, Lowered, Partners, Pool, Signature, TermId};
use otus_syntax::options::{OptionValue, Process};
use otus_trace::mapping;
use otus_trace::{MultiTrace, Step};

use super::attach::GraphOptions;
use super::baseline::KnownFailures;
use super::candidates::Choice;
use super::coverage::Covering;
use super::declared::Declared;
use super::earlier::{Earlier, Expected};
use super::fingerprint::fingerprint;
use super::log_lines::Lines;
use super::pictures::Pictures;
use super::request::{EngineChoice, Explain, Request, UniformObservation, WitnessPolicy};
use super::spec_text::SpecText;
use super::values;
use crate::context::Context;
use crate::error::{Error, Result, unfit};
use crate::load::{Loaded, options};
use crate::report::Run;
use crate::table::{CheckerOptions, Scope};

/// The settings for all multi-traces. Threads share them.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(super) context: Context,
    pub(super) request: Arc<Request>,
    pub(super) spec: Arc<PlannedSpec>,
    pub(super) method: Method,
    pub(super) kind: &'static str,
    /// The name of the question among the values of `--observed`, if that flag was used. The value `prefix` of
    /// `--observed` is a different question from the kind `prefix` of the papers.
    pub(super) observed: Option<&'static str>,
    pub(super) budget: Budget,
    pub(super) pictures: Option<Pictures>,
    pub(super) known: KnownFailures,
    /// The number of failures with an explanation that were returned so far.
    pub(super) explained: Arc<AtomicUsize>,
    /// If there are several specifications: the number of this specification, and the names of all
    /// of them.
    pub(super) choice: Option<(usize, Arc<Choice>)>,
    /// The graph that the request or a logger asks for.
    pub(super) graph: Option<GraphOptions>,
    /// Whether the question comes from a file of 2020. The tool of that time had a verdict between Pass and Fail, for
    /// which this engine proves a Fail.
    pub(super) is_of_2020: bool,
    /// Plans of the same multi-traces share it.
    pub(crate) covering: Option<Arc<Covering>>,
    pub(super) earlier: Earlier,
    pub(super) fingerprint: Option<String>,
    /// What is known of the clocks, for specifications with values.
    pub(crate) clocks: Clocks,
    /// The raw logs, by number. Logs that grow become more while the plan is used.
    pub(super) logs: RwLock<Vec<LogName>>,
    lines: Mutex<Lines>,
}

#[derive(Debug)]
pub(crate) struct PlannedSpec {
    pub(crate) pool: Pool,
    pub(crate) term: TermId,
    /// The interaction over letters with peers, if it differs from the plain one.
    pub(super) refined: Option<TermId>,
    /// The index of the first action with a peer in the pool, or how many actions it has.
    first_letter: usize,
    pub(super) partners: Partners,
    /// The interaction with its guards and binders, if it has any.
    pub(crate) valued: Option<Box<Valued>>,
    pub(crate) text: SpecText,
}

impl PlannedSpec {
    /// A specification, from whose `Lowered` the pool was taken, and its interaction.
    pub(crate) fn new(pool: Pool, term: TermId, loaded: &Loaded, mut lowered: Lowered) -> Self {
        let partners = std::mem::take(&mut lowered.partners);
        let refined = lowered.refined;
        let count = pool.action_count();
        let is_letter = |&index: &usize| pool.action(ActionId::new(index)).peer.is_some();
        let first_letter = (0..count).find(is_letter).unwrap_or(count);
        let valued = lowered.valued.take();
        let text = SpecText::new(loaded, lowered);
        PlannedSpec { pool, term, refined, first_letter, partners, valued, text }
    }

    /// What events of tables are compared with. `name` is that of the specification.
    pub(crate) fn scope(&self, name: String) -> Scope {
        Scope::new(name, self.pool.signature(), &self.partners, self.valued.as_deref())
    }

    /// A witness converted to an execution of the interaction as it is written.
    pub(super) fn plain<'w>(&self, pool: &mut Pool, witness: &'w Witness) -> Cow<'w, Witness> {
        match self.refined {
            Some(_) => Cow::Owned(witness.without_peers(pool)),
            None => Cow::Borrowed(witness),
        }
    }

    /// The interaction that a multi-trace is compared with: the refined one if some actions of the multi-trace
    /// have a peer.
    pub(super) fn term_for(&self, pool: &Pool, trace: &MultiTrace) -> TermId {
        let Some(refined) = self.refined else { return self.term };
        // The pool of unknown messages has additional actions, which occur in no term.
        let knows_peer = |step: &Step| {
            let index = step.action().index();
            // The first test is for bulk runs, whose traces have no peers.
            index >= self.first_letter
                && index < pool.action_count()
                && pool.action(step.action()).peer.is_some()
        };
        let mut logs = trace.partition().components().map(|component| trace.steps(component));
        if logs.any(|steps| steps.iter().any(knows_peer)) { refined } else { self.term }
    }
}

/// The name of a raw log as the user would write it, and the path under which it can be read again.
pub(super) type LogName = (String, Option<PathBuf>);

#[derive(Debug)]
pub(crate) enum Method {
    Fast(Declared),
    /// The searches of the papers, and the question they are about.
    Graph(Arc<Config>, Question),
}

impl Method {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Method::Fast(_) => "fast",
            Method::Graph(..) => "graph",
        }
    }
}

/// The maximum number of states that the fast engine makes for one multi-trace, unless the request
/// says otherwise.
const FAST_STATES: u64 = 100_000_000;
/// The maximum number of nodes of a search, and of a search that is recorded for a graph.
const SEARCH_NODES: u64 = 1_000_000;
const RECORDED_NODES: u64 = 100_000;
/// The maximum number of bytes that the tables of a search take, unless the request says otherwise.
const MEMORY: u64 = 2048 << 20;

/// The values of a kind and of a goal, as the papers write them.
const KINDS: [&str; 4] = ["accept", "prefix", "eliminate", "simulate"];
const GOALS: [&str; 3] = ["Pass", "WeakPass", "None"];

impl Plan {
    pub(super) fn new(
        context: &Context,
        request: &Arc<Request>,
        loaded: &Loaded,
        (mut lowered, term): (Lowered, TermId),
        graph: Option<GraphOptions>,
        said: Option<&mapping::Plan>,
    ) -> Result<Plan> {
        let pool = std::mem::replace(&mut lowered.pool, Pool::new(Signature::default()));
        let Configured { config, chosen, is_of_2020 } = configuration(request, loaded)?;
        let question = config.kind.question();
        let mut declared =
            Declared::new(&request.question, question.clone(), chosen, pool.signature())?;
        // A question that the request chooses for all logs replaces the declarations of otus.toml.
        if let Some(said) = said.filter(|_| !chosen) {
            declared.add(&said.observation, pool.signature());
        }
        let observed = request.question.observed.map(UniformObservation::name);
        let observed = observed.filter(|_| !declared.is_single());
        let kind = match observed {
            _ if declared.is_single() => "declared",
            Some(observed) => observed,
            None => config.kind.name(),
        };
        let only = SearchFeatures::new(request, &config);
        let valued = lowered.valued.as_deref_mut();
        let is_search = only.is_search(context, request.engine, graph.is_some())?;
        let clocks = Clocks { uncertainty: said.and_then(|said| said.uncertainty) };
        if let (Some(valued), Some(said)) = (valued, said) {
            values::drop_unlogged(context, &said.observation, valued, pool.signature());
        }
        let default = match (is_search, graph.is_some()) {
            (true, true) => RECORDED_NODES,
            (true, false) => SEARCH_NODES,
            (false, _) => FAST_STATES,
        };
        let budget = Budget {
            max_states: Some(request.limits.max_states.unwrap_or(default)),
            timeout: request.limits.timeout,
            max_bytes: Some(request.limits.max_bytes.unwrap_or(MEMORY)),
            cancel: context.cancel.clone(),
            ..Budget::default()
        };
        let method = if is_search {
            if declared.is_single() {
                let reason = match request.engine {
                    EngineChoice::Graph => "--engine graph".to_owned(),
                    EngineChoice::Auto | EngineChoice::Fast => only.text(),
                };
                unfit!(
                    "the searches of the papers know no declarations for single lifelines \
                     ({reason}); leave out one or the other"
                );
            }
            Method::Graph(Arc::new(Config { budget: budget.clone(), ..config }), question)
        } else {
            Method::Fast(declared)
        };
        let results = request.results.as_ref().map(|path| {
            let valued = lowered.valued.as_deref().map(|valued| (valued, clocks));
            let asked = (kind, observed.is_some());
            let fingerprint = fingerprint(&pool, (term, valued), asked, &method);
            let expected = Expected { kind, engine: method.name(), fingerprint: &fingerprint };
            Ok::<_, Error>((Earlier::read(context, path, expected)?, fingerprint))
        });
        let (earlier, fingerprint) = results.transpose()?.unzip();
        let mut spec = PlannedSpec::new(pool, term, loaded, lowered);
        if request.ignore_peers == Some(true) {
            (spec.refined, spec.partners) = (None, Partners::default());
        }
        Ok(Plan {
            context: context.clone(),
            request: request.clone(),
            kind,
            observed,
            pictures: request.pictures.then(Pictures::default),
            known: KnownFailures::read(context, request)?,
            graph,
            is_of_2020,
            earlier: earlier.unwrap_or_default(),
            fingerprint,
            clocks,
            ..Plan::of(Arc::new(spec), method, budget)
        })
    }

    /// A plan for single multi-traces: within a budget, with short explanations.
    pub(crate) fn of(spec: Arc<PlannedSpec>, method: Method, budget: Budget) -> Plan {
        let request = Request { witness: WitnessPolicy::Weak, ..Request::default() };
        Plan {
            context: Context::default(),
            request: Arc::new(request),
            spec,
            method,
            kind: "declared",
            observed: None,
            budget,
            pictures: None,
            known: KnownFailures::default(),
            explained: Arc::default(),
            choice: None,
            graph: None,
            is_of_2020: false,
            covering: None,
            earlier: Earlier::default(),
            fingerprint: None,
            clocks: Clocks::default(),
            logs: RwLock::default(),
            lines: Mutex::default(),
        }
    }

    /// Draws cases.
    pub(crate) fn draw(&mut self) {
        self.pictures = Some(Pictures::default());
    }

    /// A plan for the runs of a table, within the limits of a request for files. So many failures are explained.
    pub(crate) fn many(
        spec: Arc<PlannedSpec>,
        declared: Declared,
        options: &CheckerOptions,
        explained: usize,
    ) -> Plan {
        let Budget { max_states, timeout, .. } = options.checks.budget;
        let budget = Budget {
            max_states: max_states.or(Some(FAST_STATES)),
            timeout,
            max_bytes: Some(MEMORY),
            cancel: options.cancel.clone(),
            ..Budget::default()
        };
        let explain = match explained {
            0 => Explain::None,
            most => Explain::First(most),
        };
        let is_brief = explain == Explain::None;
        let witness = if is_brief { WitnessPolicy::None } else { WitnessPolicy::Weak };
        let request = Request { explain, witness, is_brief, ..Request::default() };
        let plan = Plan::of(spec, Method::Fast(declared), budget);
        Plan { request: Arc::new(request), ..plan }
    }

    /// A plan that computes verdicts only.
    pub(super) fn trial(self) -> Plan {
        let request = (*self.request).clone();
        let request = Request { explain: Explain::None, witness: WitnessPolicy::None, ..request };
        Plan { request: Arc::new(request), pictures: None, known: KnownFailures::default(), ..self }
    }

    pub(super) fn run(&self) -> Run {
        let run = Run {
            version: env!("CARGO_PKG_VERSION"),
            specs: self.spec.text.files.clone(),
            interaction: self.spec.text.excerpt(self.spec.term, None, 1).map(|it| it.place),
            kind: self.kind,
            by_observed: self.observed.is_some(),
            engine: self.method.name(),
        };
        match &self.choice {
            Some((_, choice)) => {
                let specs = choice.specs.iter().map(|spec| spec.name.to_string()).collect();
                Run { specs, interaction: None, ..run }
            }
            None => run,
        }
    }

    pub(super) fn shows_witness(&self, verdict: Verdict) -> bool {
        match self.request.witness {
            WitnessPolicy::None => false,
            WitnessPolicy::Weak => verdict == Verdict::WeakPass,
            WitnessPolicy::Cheap | WitnessPolicy::Always => verdict >= Verdict::WeakPass,
        }
    }

    /// The raw log with a number.
    pub(super) fn log(&self, number: u32) -> Option<LogName> {
        let logs = self.logs.read().unwrap_or_else(PoisonError::into_inner);
        logs.get(number as usize).cloned()
    }

    /// A line of a raw log, if it can be read again.
    pub(super) fn line(&self, (_, path): &LogName, number: usize) -> Option<String> {
        let path = path.as_ref()?;
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.line(&*self.context.files, path, number)
    }

    /// Whether cases have only the fields that every case has. A worker can then reuse one case for all
    /// multi-traces.
    pub(super) fn is_bulk(&self) -> bool {
        let Request { is_brief, certificate, order, .. } = &*self.request;
        let has_attachments = self.graph.is_some() || certificate.is_some() || *order;
        *is_brief && self.choice.is_none() && !self.known.is_some() && !has_attachments
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.budget.cancel.is_cancelled()
    }
}

/// The features that only searches support: the flags of the request, and the options of the files that differ from
/// the defaults.
struct SearchFeatures {
    flags: Vec<&'static str>,
    options: Vec<&'static str>,
}

impl SearchFeatures {
    fn new(request: &Request, config: &Config) -> SearchFeatures {
        let usual = Config::default();
        let search = &request.search;
        let has_criterion = matches!(config.kind, Kind::Simulate(simulation)
            if simulation != Simulation { before: simulation.before, ..Simulation::default() });
        let by_kind = has_criterion && request.question.kind.is_some();
        let (has_strategy, has_goal) = (search.strategy.is_some(), search.goal.is_some());
        let (has_priorities, has_filters) = (search.priorities.is_some(), search.filters.is_some());
        let has_local = search.local_analysis.is_some();
        // Each flag with whether it is given, and the option of the same meaning with whether a
        // file sets it.
        let all = [
            ("--graph", request.graph.is_some(), "", false),
            ("--strategy", has_strategy, "strategy", config.strategy != usual.strategy),
            ("--priorities", has_priorities, "priorities", config.priorities != usual.priorities),
            ("--filters", has_filters, "filters", config.filters != usual.filters),
            ("--goal", has_goal, "goal", config.goal != usual.goal),
            (
                "--local-analysis",
                has_local,
                "local_analysis",
                config.local_analysis != usual.local_analysis,
            ),
            ("--memoize", search.memoize, "memoize", config.memoize),
            ("--legacy-verdicts", search.legacy_verdicts, "", false),
            (
                "--partial-order-reduction",
                search.partial_order_reduction,
                "partial_order_reduction",
                config.partial_order_reduction,
            ),
            ("the criterion in --kind", by_kind, "the criterion of `simulate`", has_criterion),
        ];
        SearchFeatures {
            flags: all.iter().filter(|it| it.1).map(|it| it.0).collect(),
            options: all.iter().filter(|it| it.3 && !it.1).map(|it| it.2).collect(),
        }
    }

    fn is_search(
        &self,
        context: &Context,
        engine: EngineChoice,
        is_recorded: bool,
    ) -> Result<bool> {
        let is_used = !self.flags.is_empty() || !self.options.is_empty();
        match engine {
            EngineChoice::Graph => Ok(true),
            EngineChoice::Auto => Ok(is_recorded || is_used),
            EngineChoice::Fast if !self.flags.is_empty() => {
                unfit!("{} only: leave out --engine fast, or that", self.text())
            }
            EngineChoice::Fast => {
                if is_used {
                    let what = self.text();
                    context.remark(format!("note: {what} and not regarded by --engine fast"));
                }
                Ok(false)
            }
        }
    }

    /// The given flags in words or, if there are none, the options.
    fn text(&self) -> String {
        let what = if self.flags.is_empty() { &self.options } else { &self.flags };
        let verb = if what.len() == 1 { "is" } else { "are" };
        format!("{} {verb} for the searches of the papers", what.join(", "))
    }
}

/// The options of the files, overridden by those of the request.
struct Configured {
    config: Config,
    /// Whether the request or a file chose the kind.
    chosen: bool,
    /// Whether a file chose the kind as in 2020, by `semantics = prefix`.
    is_of_2020: bool,
}

fn configuration(request: &Request, loaded: &Loaded) -> Result<Configured> {
    let mut config = Config::default();
    let (asked, search) = (&request.question, &request.search);
    let mut chosen = asked.kind.is_some() || asked.observed.is_some();
    let mut is_of_2020 = false;
    for (file, section) in options::sections(&loaded.specs[0].files, Process::Analyze) {
        config.apply(section);
        let kinds = section.items.iter().filter(|it| matches!(it.value, OptionValue::Kind(_)));
        for item in kinds {
            chosen = true;
            let text = loaded.sources.source(file.source).slice(item.span);
            is_of_2020 = text.starts_with("semantics") && config.kind == Kind::Prefix;
        }
    }
    let kind = asked.kind.as_deref().or(asked.observed.map(UniformObservation::kind));
    let kind = kind.map(|kind| options::cased(kind, &KINDS));
    let goal = search.goal.as_deref().map(|goal| options::cased(goal, &GOALS));
    let priorities = search.priorities.as_ref().map(|it| it.to_lowercase());
    let filters = search.filters.as_ref().map(|it| it.to_lowercase());
    let flags = [
        ("analysis_kind", kind.as_deref()),
        ("strategy", search.strategy.as_deref()),
        ("goal", goal.as_deref()),
        ("priorities", priorities.as_deref()),
        ("filters", filters.as_deref()),
        ("local_analysis", search.local_analysis.as_deref()),
    ];
    for (key, value) in flags {
        if let Some(value) = value {
            config.apply(&options::parse(Process::Analyze, &format!("{key} = {value}"))?);
        }
    }
    config.memoize |= search.memoize;
    config.partial_order_reduction |= search.partial_order_reduction;
    config.legacy_verdicts = search.legacy_verdicts;
    config.seed = search.seed;
    let is_asked = asked.kind.is_some() || asked.observed.is_some() || search.legacy_verdicts;
    Ok(Configured { config, chosen, is_of_2020: is_of_2020 && !is_asked })
}
