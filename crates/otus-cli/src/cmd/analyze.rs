//! `otus analyze`: verdicts for multi-traces.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use otus_analysis::budget::Budget;
use otus_analysis::certify::{certify, closed};
use otus_analysis::graph::record::{Context, Graph};
use otus_analysis::graph::{self, Outcome, Silent, State};
use otus_analysis::{Config, Verdict};
use otus_core::Lowered;
use otus_syntax::options::Process;
use otus_syntax::{Code, Diagnostic, Span, diagnostic};
use otus_trace::MultiTrace;
use serde_json::{Value, json};

use crate::args::{AnalyzeArgs, Color, FailOn, Observed, ResultFormat};
use crate::exit::Exit;
use crate::load::{Fences, Loaded};
use crate::{graph_file, options, output};

pub(crate) fn run(args: &AnalyzeArgs, color: Color) -> anyhow::Result<Exit> {
    let start = Instant::now();
    let mut loaded = Loaded::read(&args.files, args.from, Fences::One)?;
    let Some((mut lowered, term)) = one_specification(&mut loaded)? else {
        loaded.explain(color);
        return Ok(Exit::Error);
    };
    let config = configuration(args, &loaded)?;
    if loaded.traces.is_empty() {
        bail!("no multi-trace is given: add a .htf or .jsonl file");
    }
    let traces: Vec<(String, MultiTrace)> = loaded
        .traces
        .iter()
        .map(|trace| {
            let (multi, found) = otus_trace::lower(&trace.tree, &mut lowered.pool);
            loaded.diagnostics.extend(found);
            (trace.id.clone(), multi)
        })
        .collect();
    if loaded.explain(color) {
        return Ok(Exit::Error);
    }
    if args.search.graph.is_some() && traces.len() > 1 {
        bail!("--graph records one analysis; {} multi-traces are given", traces.len());
    }
    let mut tally = Tally::default();
    let mut results: Vec<Value> = Vec::new();
    for (id, trace) in &traces {
        let result = one(args, &config, &mut lowered, term, (id, trace))?;
        tally.count(result.outcome.verdict, trace.len());
        match args.format {
            ResultFormat::Text => output::print(&result.text(&lowered))?,
            ResultFormat::Jsonl => output::print(&format!("{}\n", result.json(&lowered)))?,
            ResultFormat::Json => results.push(result.json(&lowered)),
        }
        if config.budget.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            tally.interrupted = traces.len() - tally.total();
            break;
        }
    }
    if args.format == ResultFormat::Json {
        let document = json!({ "version": 1, "results": results, "summary": tally.json() });
        output::print(&format!("{document:#}\n"))?;
    }
    output::complain(&tally.text(start.elapsed()));
    Ok(tally.exit(args.fail_on))
}

/// The one specification, with its interaction.
pub(super) fn one_specification(
    loaded: &mut Loaded,
) -> anyhow::Result<Option<(Lowered, otus_core::TermId)>> {
    let [spec] = loaded.specs.as_slice() else {
        if loaded.specs.is_empty() {
            if diagnostic::any_error(&loaded.diagnostics) {
                return Ok(None);
            }
            bail!("no specification is given: add a .hif with its .hsf, or a diagram");
        }
        bail!("one specification at a time; {} are given", loaded.specs.len());
    };
    let mut lowered = spec.lower();
    loaded.diagnostics.append(&mut lowered.diagnostics);
    if let Some(term) = lowered.term {
        return Ok(Some((lowered, term)));
    }
    if let Some(file) = spec.files.last() {
        loaded.diagnostics.push(
            Diagnostic::new(
                Code::NO_INTERACTION,
                file.source,
                Span::at(0),
                "this specification has no interaction",
            )
            .with_help("give the .hif too"),
        );
    }
    Ok(None)
}

/// Options of the files, then those of the command line.
fn configuration(args: &AnalyzeArgs, loaded: &Loaded) -> anyhow::Result<Config> {
    let mut config = Config::default();
    for (_, section) in options::sections(&loaded.specs[0].files, Process::Analyze) {
        config.apply(section);
    }
    let kind = args.kind.as_deref().or(args.observed.map(|observed| match observed {
        Observed::Complete => "accept",
        Observed::GlobalPrefix => "prefix",
        Observed::Prefix => "eliminate",
        Observed::Slice => "simulate",
    }));
    let flags = [
        ("analysis_kind", kind),
        ("strategy", args.search.strategy.as_deref()),
        ("goal", args.goal.as_deref()),
        ("priorities", args.search.priorities.as_deref()),
        ("filters", args.search.filters.as_deref()),
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
    // A search may grow without end: by default it ends before it has eaten the machine.
    let default = if args.search.graph.is_some() { 100_000 } else { 1_000_000 };
    config.budget = budget(args.search.timeout, Some(args.max_states.unwrap_or(default)))?;
    Ok(config)
}

/// Limits from the command line, and Ctrl-C.
pub(super) fn budget(timeout: Option<f64>, max_states: Option<u64>) -> anyhow::Result<Budget> {
    let cancel = Arc::new(AtomicBool::new(false));
    let flag = cancel.clone();
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed))
        .context("cannot watch for Ctrl-C")?;
    let timeout = match timeout {
        Some(seconds) => Some(
            Duration::try_from_secs_f64(seconds).context("--timeout takes a number of seconds")?,
        ),
        None => None,
    };
    Ok(Budget { max_states, timeout, cancel: Some(cancel) })
}

/// One analysis, with its witness re-checked.
fn one<'t>(
    args: &AnalyzeArgs,
    config: &Config,
    lowered: &mut Lowered,
    term: otus_core::TermId,
    (id, trace): (&'t str, &'t MultiTrace),
) -> anyhow::Result<Analysed<'t>> {
    let mut recorded = Graph::default();
    let start = Instant::now();
    let observer: &mut dyn graph::Observer =
        if args.search.graph.is_some() { &mut recorded } else { &mut Silent };
    let outcome = graph::analyze(&mut lowered.pool, term, trace, config, observer)
        .with_context(|| format!("{id} cannot be analysed this way"))?;
    let elapsed = start.elapsed();
    if let Some(witness) = &outcome.witness {
        let claim = (config.kind, outcome.verdict);
        certify(&mut lowered.pool, term, trace, claim, witness).with_context(|| {
            format!("a bug in Otus: the explanation of {id} does not hold, please report it")
        })?;
    }
    if args.search.graph.is_some() && outcome.verdict == Verdict::Fail {
        let states: Vec<State> = recorded.nodes.iter().map(|node| node.state.clone()).collect();
        let claim = (config, Verdict::Fail);
        closed(&mut lowered.pool, term, trace, claim, &states).with_context(|| {
            format!("a bug in Otus: the search that refutes {id} is not closed, please report it")
        })?;
    }
    if let Some(path) = &args.search.graph {
        let context =
            Context { pool: &lowered.pool, positions: &outcome.positions, trace: Some(trace) };
        graph_file::write(path, &context, &recorded)?;
    }
    Ok(Analysed { id, trace, outcome, elapsed, kind: config.kind.name() })
}

struct Analysed<'t> {
    id: &'t str,
    trace: &'t MultiTrace,
    outcome: Outcome,
    elapsed: Duration,
    kind: &'static str,
}

impl Analysed<'_> {
    fn text(&self, lowered: &Lowered) -> String {
        let partition = options::describe(self.trace.partition(), lowered.pool.signature());
        let nodes = self.outcome.nodes;
        let mut out = format!(
            "{}: {} ({}, {partition} partition, {nodes} node{}, {:.1} ms)\n",
            self.id,
            self.outcome.verdict,
            self.kind,
            if nodes == 1 { "" } else { "s" },
            self.elapsed.as_secs_f64() * 1000.0,
        );
        if let Some(reason) = &self.outcome.reason {
            let hint = if self.outcome.stop.is_early() { " (--max-states, --timeout)" } else { "" };
            let _ = writeln!(out, "  undecided beyond that: {reason}{hint}");
        }
        if let Some(witness) = &self.outcome.witness {
            let _ = writeln!(out, "  explained by: {}", witness.text(&lowered.pool));
        }
        out
    }

    fn json(&self, lowered: &Lowered) -> Value {
        let signature = lowered.pool.signature();
        let mut value = json!({
            "id": self.id,
            "verdict": self.outcome.verdict.name(),
            "kind": self.kind,
            "partition": options::describe(self.trace.partition(), signature),
            "engine": "graph",
            "states": self.outcome.nodes,
            "micros": u64::try_from(self.elapsed.as_micros()).unwrap_or(u64::MAX),
        });
        if let Some(reason) = &self.outcome.reason {
            value["reason"] = json!(reason);
        }
        if let Some(witness) = &self.outcome.witness {
            value["witness"] = json!(witness.text(&lowered.pool));
        }
        value
    }
}

#[derive(Default)]
struct Tally {
    pass: usize,
    weak: usize,
    fail: usize,
    undecided: usize,
    interrupted: usize,
    actions: usize,
}

impl Tally {
    fn count(&mut self, verdict: Verdict, actions: usize) {
        self.actions += actions;
        match verdict {
            Verdict::Pass => self.pass += 1,
            Verdict::WeakPass => self.weak += 1,
            Verdict::Fail => self.fail += 1,
            // A bounded search that found nothing has decided nothing.
            Verdict::WeakFail | Verdict::Inconclusive => self.undecided += 1,
        }
    }

    fn total(&self) -> usize {
        self.pass + self.weak + self.fail + self.undecided
    }

    fn text(&self, elapsed: Duration) -> String {
        let plural = if self.total() == 1 { "" } else { "s" };
        let mut out = format!(
            "checked {} multi-trace{plural}, {} actions: {} pass, {} weak, {} fail, {} undecided in {:.0} ms",
            self.total(),
            self.actions,
            self.pass,
            self.weak,
            self.fail,
            self.undecided,
            elapsed.as_secs_f64() * 1000.0,
        );
        if self.interrupted > 0 {
            let _ = write!(out, "; interrupted, {} not checked", self.interrupted);
        }
        out
    }

    fn json(&self) -> Value {
        json!({
            "checked": self.total(),
            "actions": self.actions,
            "pass": self.pass,
            "weak": self.weak,
            "fail": self.fail,
            "undecided": self.undecided,
            "interrupted": self.interrupted,
        })
    }

    fn exit(&self, fail_on: Option<FailOn>) -> Exit {
        let undecided = self.undecided + self.interrupted > 0;
        match fail_on {
            Some(FailOn::Never) => Exit::Success,
            Some(FailOn::Weak) if self.weak > 0 || self.fail > 0 || undecided => Exit::Failure,
            Some(FailOn::Undecided) if self.fail > 0 || undecided => Exit::Failure,
            _ if self.fail > 0 => Exit::Failure,
            _ if undecided => Exit::Undecided,
            _ => Exit::Success,
        }
    }
}
