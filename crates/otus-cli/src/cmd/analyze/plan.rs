//! What a call asks for: which question, of which engine, within which limits.
//!
//! `--engine auto` is the fast engine, unless something is asked for that only a search has: its
//! graph, its order, its bounds, its own verdicts. With `--engine fast`, such a flag is an error,
//! since somebody wrote both; such an option in a file is only noted, since the file may be there
//! for other runs.

use std::path::PathBuf;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, bail};
use otus_analysis::budget::Budget;
use otus_analysis::config::{Kind, Simulation};
use otus_analysis::{Config, Observed, Question, Verdict};
use otus_core::{Lowered, Pool, Signature, TermId};
use otus_syntax::options::{OptionValue, Process};
use otus_trace::mapping::Observation;

use super::coverage::Covering;
use super::declare::Declared;
use super::fingerprint::Fingerprint;
use super::outputs;
use super::pictures::Pictures;
use super::results::{Asked, Earlier};
use super::several::Choice;
use super::spec_text::SpecText;
use crate::args::{self, AnalyzeArgs, Color, Explain, FailOn, VerdictFormat};
use crate::baseline::Baseline;
use crate::graph_file::GraphFile;
use crate::load::Loaded;
use crate::output::Stream;
use crate::report::lines::Lines;
use crate::report::model::Run;
use crate::{interrupt, options, output};

/// What is to be done with every multi-trace.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) pool: Pool,
    pub(super) term: TermId,
    pub(super) method: Method,
    /// What the question is called, in the words in which it was asked.
    pub(super) kind: &'static str,
    /// Whether these are those of `--observed`: its `prefix` is another question than the papers'.
    pub(super) by_observed: bool,
    pub(super) budget: Budget,
    /// The formats of all outputs: that on standard output, then those of files.
    pub(super) formats: Vec<VerdictFormat>,
    /// Whether an output is written from the model of reports.
    pub(super) is_modelled: bool,
    /// What is drawn, if an output has pictures.
    pub(super) pictures: Option<Pictures>,
    /// Whether what is printed is coloured.
    pub(super) colored: bool,
    /// What counts as a failure.
    pub(super) fail_on: Option<FailOn>,
    /// How failures are explained, if they are.
    pub(super) effort: Option<Effort>,
    /// Failures that are known.
    pub(super) baseline: Option<Baseline>,
    /// If the failures of this run are written as known ones: what the file says now.
    pub(super) recorded: Option<Baseline>,
    /// How many failures have been printed with the offer of an explanation.
    pub(super) offered: Arc<AtomicUsize>,
    /// If there are several specifications: its number, and all of them.
    pub(super) choice: Option<(usize, Arc<Choice>)>,
    /// Up to how many moments a Pass is explained.
    pub(super) explained: usize,
    /// Which verdicts have the execution that explains them in an output, or what it assumes.
    witnesses: Witnesses,
    /// Where the search is written.
    pub(super) graph: Option<GraphFile>,
    /// Where the reason of a Fail is written.
    pub(super) certificate: Option<String>,
    /// Where the execution that explains a Pass is written.
    pub(super) order: Option<String>,
    /// What counts coverage, if it is asked for.
    pub(super) covering: Option<Covering>,
    /// What was decided before.
    pub(super) earlier: Earlier,
    /// What says so in the file of results, which is the last output.
    pub(super) asked: Option<String>,
    /// The text of the specification.
    pub(super) spec: SpecText,
    /// The raw logs, by number.
    pub(super) files: Vec<LogName>,
    /// Lines of them.
    pub(super) lines: Mutex<Lines>,
}

/// A raw log.
#[derive(Debug)]
pub(super) struct LogName {
    /// As the user would name it.
    pub(super) name: String,
    /// Where it can be read again.
    pub(super) path: Option<PathBuf>,
}

/// How much work an explanation may be, and how much is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    Short,
    Full,
}

impl Effort {
    /// How many failures are explained.
    pub(super) fn limit(self) -> Option<usize> {
        match self {
            Effort::Short => Some(20),
            Effort::Full => None,
        }
    }

    /// How long one may take. The limits on questions do not depend on the machine, and are usually
    /// reached long before; this one is for interactions of which a single question takes long.
    pub(super) fn patience(self) -> Duration {
        match self {
            Effort::Short => Duration::from_secs(30),
            Effort::Full => Duration::from_mins(5),
        }
    }

    /// How many questions one may ask.
    pub(super) fn questions(self) -> u64 {
        match self {
            Effort::Short => 20_000,
            Effort::Full => 100_000,
        }
    }
}

/// Which verdicts are shown with the execution that explains them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Witnesses {
    None,
    /// `WeakPass`, because of what it assumes.
    Weak,
    All,
}

/// Who answers.
#[derive(Debug)]
pub(super) enum Method {
    /// The fast engine.
    Fast(Declared),
    /// The searches of the papers, and the question they are about.
    Graph(Box<Config>, Question),
}

impl Method {
    /// As reported.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Method::Fast(_) => "fast",
            Method::Graph(..) => "graph",
        }
    }
}

/// Up to how many moments a Pass is explained unless somebody says otherwise.
const EXPLAINED: usize = 10_000;

/// How many states the fast engine may make of one multi-trace unless somebody says otherwise.
const FAST_STATES: u64 = 100_000_000;

/// The values of `--kind` and `--goal`, as the papers write them.
const KINDS: [&str; 4] = ["accept", "prefix", "eliminate", "simulate"];
const GOALS: [&str; 3] = ["Pass", "WeakPass", "None"];

/// How many MiB the tables of a search may take unless somebody says otherwise.
const MEMORY: u64 = 2048;

impl Plan {
    pub(super) fn new(
        args: &AnalyzeArgs,
        color: Color,
        loaded: &Loaded,
        (mut lowered, term): (Lowered, TermId),
        recorded: Option<GraphFile>,
        observation: Option<&Observation>,
    ) -> anyhow::Result<Plan> {
        let pool = std::mem::replace(&mut lowered.pool, Pool::new(Signature::default()));
        let (config, chosen) = configuration(args, loaded)?;
        let question = question(config.kind);
        let mut declared =
            Declared::new(&args.declared, question.clone(), chosen, pool.signature())?;
        // Who chooses a question for all logs of a call asks that one.
        if let Some(observation) = observation.filter(|_| !chosen) {
            declared.add(observation, pool.signature());
        }
        let by_observed = args.observed.is_some() && !declared.is_single();
        let kind = match args.observed {
            _ if declared.is_single() => "declared",
            Some(observed) => observed.name(),
            None => config.kind.name(),
        };
        let flags = only_searches_flags(args, &config);
        let options = only_searches_options(args, &config);
        let graph = match args.engine {
            args::Engine::Graph => true,
            args::Engine::Auto => recorded.is_some() || !flags.is_empty() || !options.is_empty(),
            args::Engine::Fast => {
                if !flags.is_empty() {
                    bail!("{} only: leave out --engine fast, or that", are_for_searches(&flags));
                }
                if !options.is_empty() {
                    let what = are_for_searches(&options);
                    output::complain(&format!("note: {what} and not regarded by --engine fast"));
                }
                false
            }
        };
        let default = match (graph, recorded.is_some()) {
            (true, true) => 100_000,
            (true, false) => 1_000_000,
            (false, _) => FAST_STATES,
        };
        let mut budget = budget(args.search.timeout, Some(args.max_states.unwrap_or(default)))?;
        budget.max_bytes = Some(args.memory.unwrap_or(MEMORY).saturating_mul(1 << 20));
        let method = if graph {
            if declared.is_single() {
                let reason = match args.engine {
                    args::Engine::Graph => "--engine graph".to_owned(),
                    args::Engine::Auto | args::Engine::Fast => {
                        are_for_searches(if flags.is_empty() { &options } else { &flags })
                    }
                };
                bail!(
                    "the searches of the papers know no declarations for single lifelines \
                     ({reason}); leave out one or the other"
                );
            }
            Method::Graph(Box::new(Config { budget: budget.clone(), ..config }), question)
        } else {
            Method::Fast(declared)
        };
        let formats = outputs::formats(args);
        let engine = method.name();
        let (earlier, asked) = match &args.results {
            Some(path) => {
                let fingerprint = Fingerprint::new(&pool, term, (kind, by_observed), &method);
                let asked = Asked { kind, engine, fingerprint: &fingerprint };
                (Earlier::read(path, asked)?, Some(fingerprint.text()))
            }
            None => (Earlier::default(), None),
        };
        // Who wants a line each wants many.
        let is_brief = formats.iter().all(|&format| format == VerdictFormat::Jsonl);
        let explained = match (args.no_witness, args.witness || args.order.is_some()) {
            (true, _) => 0,
            (false, true) => usize::MAX,
            (false, false) if is_brief => 0,
            (false, false) => EXPLAINED,
        };
        let shows_pass = |format: &VerdictFormat| match format {
            VerdictFormat::Text | VerdictFormat::Json | VerdictFormat::Tap => true,
            VerdictFormat::Jsonl
            | VerdictFormat::Junit
            | VerdictFormat::Sarif
            | VerdictFormat::Github
            | VerdictFormat::Markdown
            | VerdictFormat::Html => false,
        };
        let insists = args.witness || args.order.is_some();
        let witnesses = match (insists || formats.iter().any(shows_pass), is_brief) {
            (true, _) => Witnesses::All,
            (false, true) => Witnesses::None,
            (false, false) => Witnesses::Weak,
        };
        let effort = match args.explain {
            Some(Explain::None) => None,
            None if is_brief => None,
            None | Some(Explain::Short) => Some(Effort::Short),
            Some(Explain::Full) => Some(Effort::Full),
        };
        Ok(Plan {
            pool,
            term,
            method,
            kind,
            by_observed,
            budget,
            is_modelled: !formats.iter().all(|&format| outputs::by_workers(format)),
            pictures: formats.contains(&VerdictFormat::Html).then(Pictures::default),
            formats,
            colored: output::colored(color, Stream::Output),
            fail_on: args.fail_on,
            effort,
            baseline: match &args.baseline {
                Some(path) => Some(Baseline::read(path, color)?),
                None => None,
            },
            recorded: match &args.write_baseline {
                Some(path) if path.exists() => Some(Baseline::read(path, color)?),
                Some(_) => Some(Baseline::default()),
                None => None,
            },
            offered: Arc::default(),
            choice: None,
            explained,
            witnesses,
            graph: recorded,
            certificate: args.certificate.clone(),
            order: args.order.clone(),
            covering: None,
            earlier,
            asked,
            spec: SpecText::new(loaded, lowered),
            files: Vec::new(),
            lines: Mutex::default(),
        })
    }

    /// A plan that finds out verdicts and nothing else.
    pub(super) fn trial(self) -> Plan {
        Plan {
            formats: Vec::new(),
            is_modelled: false,
            pictures: None,
            effort: None,
            baseline: None,
            recorded: None,
            explained: 0,
            ..self
        }
    }

    /// For reports.
    pub(super) fn run(&self) -> Run {
        if let Some((_, choice)) = &self.choice {
            let specs = choice.specs.iter().map(|(name, _)| name.clone()).collect();
            return Run { specs, interaction: None, ..self.one() };
        }
        self.one()
    }

    /// The same for one specification.
    fn one(&self) -> Run {
        Run {
            version: env!("CARGO_PKG_VERSION"),
            specs: self.spec.files.clone(),
            interaction: self.spec.excerpt(self.term, None, 1).map(|(place, ..)| place),
            kind: self.kind,
            by_observed: self.by_observed,
            engine: self.method.name(),
        }
    }

    /// Whether an output has the execution that explains a verdict.
    pub(super) fn shows_witness(&self, verdict: Verdict) -> bool {
        match verdict {
            Verdict::Pass => self.witnesses == Witnesses::All,
            Verdict::WeakPass => self.witnesses != Witnesses::None,
            Verdict::Fail | Verdict::WeakFail | Verdict::Inconclusive => false,
        }
    }

    /// A line of a raw log, if it can be had.
    pub(super) fn line(&self, file: &LogName, number: usize) -> Option<String> {
        let path = file.path.as_ref()?;
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).line(path, number)
    }

    /// Whether somebody pressed Ctrl-C.
    pub(super) fn is_cancelled(&self) -> bool {
        self.budget.cancel.is_cancelled()
    }
}

/// Options of the files, then those of the command line; and whether one chose the kind.
fn configuration(args: &AnalyzeArgs, loaded: &Loaded) -> anyhow::Result<(Config, bool)> {
    let mut config = Config::default();
    let mut chosen = args.kind.is_some() || args.observed.is_some();
    for (_, section) in options::sections(&loaded.specs[0].files, Process::Analyze) {
        config.apply(section);
        let is_kind = |value: &OptionValue| matches!(value, OptionValue::Kind(_));
        chosen |= section.items.iter().any(|item| is_kind(&item.value));
    }
    let kind = args.kind.as_deref().or(args.observed.map(|observed| match observed {
        args::Observed::Complete => "accept",
        args::Observed::GlobalPrefix => "prefix",
        args::Observed::Prefix => "eliminate",
        args::Observed::Slice => "simulate",
    }));
    let kind = kind.map(|kind| options::cased(kind, &KINDS));
    let goal = args.goal.as_deref().map(|goal| options::cased(goal, &GOALS));
    let priorities = args.search.priorities.as_ref().map(|it| it.to_lowercase());
    let filters = args.search.filters.as_ref().map(|it| it.to_lowercase());
    let flags = [
        ("analysis_kind", kind.as_deref()),
        ("strategy", args.search.strategy.as_deref()),
        ("goal", goal.as_deref()),
        ("priorities", priorities.as_deref()),
        ("filters", filters.as_deref()),
        ("local_analysis", args.local_analysis.as_deref()),
    ];
    for (key, value) in flags {
        if let Some(value) = value {
            config.apply(&options::parse(Process::Analyze, &format!("{key} = {value}"))?);
        }
    }
    config.memoize |= args.memoize;
    config.legacy_verdicts = args.legacy_verdicts;
    config.seed = args.search.seed;
    Ok((config, chosen))
}

/// The question that a kind asks, exactly.
fn question(kind: Kind) -> Question {
    match kind {
        Kind::Accept => Question::ACCEPT,
        Kind::Prefix => Question::GlobalPrefix,
        Kind::Eliminate => Question::MULTI_PREFIX,
        Kind::Simulate(simulation) if simulation.before => Question::Uniform(Observed::Slice),
        Kind::Simulate(_) => Question::Uniform(Observed::StopsEarly),
    }
}

/// The flags of a call that only searches know.
fn only_searches_flags(args: &AnalyzeArgs, config: &Config) -> Vec<&'static str> {
    let search = &args.search;
    let flags = [
        ("--graph", search.graph.is_some()),
        ("--strategy", search.strategy.is_some()),
        ("--priorities", search.priorities.is_some()),
        ("--filters", search.filters.is_some()),
        ("--goal", args.goal.is_some()),
        ("--local-analysis", args.local_analysis.is_some()),
        ("--memoize", args.memoize),
        ("--legacy-verdicts", args.legacy_verdicts),
        ("the criterion in --kind", args.kind.is_some() && has_criterion(config)),
    ];
    flags.into_iter().filter_map(|(flag, given)| given.then_some(flag)).collect()
}

/// The options of the files that only searches know and that make them differ from the usual.
fn only_searches_options(args: &AnalyzeArgs, config: &Config) -> Vec<&'static str> {
    let usual = Config::default();
    let search = &args.search;
    let options = [
        ("strategy", search.strategy.is_none() && config.strategy != usual.strategy),
        ("priorities", search.priorities.is_none() && config.priorities != usual.priorities),
        ("filters", search.filters.is_none() && config.filters != usual.filters),
        ("goal", args.goal.is_none() && config.goal != usual.goal),
        (
            "local_analysis",
            args.local_analysis.is_none() && config.local_analysis != usual.local_analysis,
        ),
        ("memoize", !args.memoize && config.memoize),
        ("partial_order_reduction", config.partial_order_reduction),
        ("the criterion of `simulate`", args.kind.is_none() && has_criterion(config)),
    ];
    options.into_iter().filter_map(|(option, given)| given.then_some(option)).collect()
}

/// Whether a simulation is bounded otherwise than it usually is.
fn has_criterion(config: &Config) -> bool {
    match config.kind {
        Kind::Simulate(simulation) => {
            simulation != Simulation { before: simulation.before, ..Simulation::default() }
        }
        Kind::Accept | Kind::Prefix | Kind::Eliminate => false,
    }
}

fn are_for_searches(what: &[&str]) -> String {
    let verb = if what.len() == 1 { "is" } else { "are" };
    format!("{} {verb} for the searches of the papers", what.join(", "))
}

/// Limits from the command line, and Ctrl-C.
pub(in crate::cmd) fn budget(
    timeout: Option<f64>,
    max_states: Option<u64>,
) -> anyhow::Result<Budget> {
    let cancel = interrupt::token()?;
    let timeout = match timeout {
        Some(seconds) => Some(
            Duration::try_from_secs_f64(seconds).context("--timeout takes a number of seconds")?,
        ),
        None => None,
    };
    Ok(Budget { max_states, timeout, cancel, ..Budget::default() })
}
