//! `otus analyze`: verdicts for multi-traces.
//!
//! The specification is read and planned with ([`plan`], [`declare`]); then multi-traces are a
//! stream that [`worker`]s turn into [`answer`]s, which are printed in the order of the input.

mod answer;
pub(super) mod compare;
mod coverage;
mod declare;
mod fingerprint;
mod gather;
mod known;
mod ladder;
mod originals;
mod outputs;
mod pictures;
mod plan;
mod progress;
mod results;
mod seen;
mod several;
mod spec_text;
mod tally;
mod worker;

use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Instant;

use anyhow::bail;
use otus_core::Lowered;
use otus_syntax::options::Process;
use otus_syntax::parser::MAX_DIAGNOSTICS;
use otus_syntax::{Code, Diagnostic, Severity, Span, diagnostic};
use otus_trace::mapping::Glob;
use otus_trace::run::Accounting;
use serde_json::Value;

use crate::args::{AnalyzeArgs, Color, Engine, Format};
use crate::exit::Exit;
use crate::feed::{self, Feed, TraceInput};
use crate::graph_file::GraphFile;
use crate::input::format_of_ending;
use crate::load::{Fences, Loaded};
use crate::logs::{self, Finder, LogPath, Logs};
use crate::output::{self, Stream};
use crate::project::{Project, SpecRule};
use crate::report::model::Writer;
use crate::words::counted;
use crate::{findings, picture, pipeline, report};
use gather::Gather;
pub(super) use gather::{GATHERED, gather};
use known::Known;
pub(super) use originals::{Originals, originals};
use outputs::Outputs;
pub(super) use plan::budget;
use plan::{Effort, LogName, Plan};
use progress::Progress;
use several::{Choice, Several};
use tally::{LogTally, Tally};
use worker::{Piece, Trouble, Worker};

/// More threads than any machine has cores for; a million could not even be started.
const MOST_JOBS: usize = 1024;

pub(crate) fn run(args: &AnalyzeArgs, color: Color) -> anyhow::Result<Exit> {
    check(args, color, None)
}

/// Does a call, for the user or for another command.
fn check(args: &AnalyzeArgs, color: Color, gather: Option<Gather>) -> anyhow::Result<Exit> {
    let start = Instant::now();
    outputs::refuse_same(args)?;
    // Who brings cases has read the specification before.
    let is_told = gather.as_ref().is_some_and(|gather| gather.cases.is_some());
    let Some(opened) = open(args, color, is_told)? else { return Ok(Exit::Error) };
    let Opened { mut finder, mut sorted, specs } = opened;
    if specs.len() > 1 {
        refuse_several(args, specs.len())?;
    }
    let mut logs = finder.take();
    let (collector, cases) = gather.map_or((None, None), |it| (Some(it.into), it.cases));
    let is_quiet = collector.is_some();
    if let Some(head) = cases {
        let (name, rest) = ("mutants".to_owned(), Box::new(std::io::empty()));
        sorted.traces = VecDeque::from([TraceInput::Stream { name, head, rest }]);
        logs = None;
    }
    if sorted.traces.is_empty() && logs.is_none() {
        bail!(nothing_given(&finder));
    }
    match (&args.logs.group, &mut logs) {
        (Some(group), Some(logs)) => logs.only = Some(group.clone()),
        (Some(_), None) => bail!("--group chooses among raw logs, and none are given"),
        (None, _) => {}
    }
    // Before somebody watches for Ctrl-C, since standard input may be long in coming.
    let files = [
        ("--graph", &args.search.graph),
        ("--certificate", &args.certificate),
        ("--order", &args.order),
    ];
    for (flag, file) in files {
        if file.is_none() {
            continue;
        }
        let count = feed::count(&mut sorted.traces)?;
        let groups = logs.as_mut().map_or(Ok(0), Logs::count)?;
        if groups > 1 {
            bail!("{flag} records one analysis; {groups} groups are given; choose one by --group");
        }
        if count + groups > 1 {
            bail!("{flag} records one analysis; {} multi-traces are given", count + groups);
        }
    }
    let mut graph = match specs.as_slice() {
        [spec] => recorded(args, &spec.loaded, &mut sorted.traces, logs.as_mut())?,
        _ => None,
    };
    let is_drawn = graph.is_some() || coverage::is_drawn(args);
    if !is_drawn && !is_quiet {
        picture::note_idle_search(&args.search);
    }
    let observation = finder.project_in_use().map(|project| &project.plan.observation);
    let name = |file: &LogPath| {
        let (name, path) = (file.name.clone(), file.path().map(Path::to_owned));
        LogName { name, path }
    };
    let choice = (specs.len() > 1).then(|| Arc::new(choice(&specs)));
    let offered = Arc::new(AtomicUsize::new(0));
    let mut plans: Vec<Arc<Plan>> = Vec::new();
    let mut trials: Vec<Arc<Plan>> = Vec::new();
    for (number, Specification { loaded, lowered, term, .. }) in specs.into_iter().enumerate() {
        let again = choice.as_ref().map(|_| loaded.specs[0].lower());
        let covering = match choice {
            None => coverage::Covering::new(args, &loaded, (&lowered, term))?,
            Some(_) => None,
        };
        let mut plan = Plan::new(args, color, &loaded, (lowered, term), graph.take(), observation)?;
        plan.files = logs.iter().flat_map(|logs| &logs.files).map(name).collect();
        plan.choice = choice.as_ref().map(|choice| (number, choice.clone()));
        plan.offered = offered.clone();
        plan.covering = covering;
        if let Some(lowered) = again {
            let mut trial =
                Plan::new(args, color, &loaded, (lowered, term), None, observation)?.trial();
            trial.choice.clone_from(&plan.choice);
            trials.push(Arc::new(trial));
        }
        plans.push(Arc::new(plan));
    }
    let plan = plans[0].clone();
    let jobs = NonZeroUsize::new(args.jobs.unwrap_or(0).min(MOST_JOBS))
        .or_else(|| std::thread::available_parallelism().ok());
    let cancel = plan.budget.cancel.clone();
    let feeding = Arc::new(feed::Shared { cancel, ..feed::Shared::default() });
    let signatures = plans.iter().map(|plan| plan.pool.signature().clone()).collect();
    let logs = logs.map(|logs| (logs, signatures));
    let progress = Progress::new(&sorted.traces, logs.is_some());
    let mut feed = Feed::new(sorted.traces, logs, feeding.clone());
    let mut printer = Printer::new(args, color, plan.clone(), (progress, collector))?;
    let jobs = jobs.unwrap_or(NonZeroUsize::MIN);
    let hopeless = || feeding.is_hopeless();
    let print = |piece| printer.print(piece);
    if let Some(choice) = choice {
        let pairs: Vec<_> = trials.into_iter().zip(plans.iter().cloned()).collect();
        let worker = move || Several::new(choice.clone(), &pairs);
        pipeline::run(jobs, hopeless, move |size| feed.next(size), worker, print)?;
    } else {
        let shared = plan.clone();
        let worker = move || Worker::new(shared.clone());
        pipeline::run(jobs, hopeless, move |size| feed.next(size), worker, print)?;
    }
    printer.tally.interrupted += feeding.unread.load(Ordering::Relaxed);
    let accounting = feeding.accounting.lock().unwrap_or_else(PoisonError::into_inner).take();
    printer.tally.logs = accounting.as_ref().map(LogTally::new);
    let is_missing = accounting.is_some() && printer.tally.has_no_group() && !plan.is_cancelled();
    if let Some(group) = args.logs.group.as_deref().filter(|_| is_missing) {
        printer.progress.hide();
        let found = accounting.as_ref().map(|it| findings::text(it, Severity::Warning));
        if let Some(found) = found.filter(|found| !found.is_empty()) {
            output::complain(found.trim_end());
        }
        bail!(logs::no_group(group));
    }
    printer.tally.fixed = printer.known.fixed(&plan);
    let covered = plan.covering.as_ref().map(|covering| {
        let found = covering.found(&plan.pool, &printer.tally);
        (covering, found)
    });
    printer.finish(covered.as_ref().map(|(_, found)| found))?;
    printer.tally.recorded = printer.known.write(args, &plan, &printer.tally)?;
    if is_quiet {
        return Ok(printer.tally.exit(args.fail_on, args.strict));
    }
    if let Some((covering, found)) = &covered {
        coverage::say(args, color, (covering, &plan.pool), found)?;
    }
    if let Some(accounting) = &accounting {
        about_logs(accounting, &plans, &printer.tally);
    }
    if args.strict && printer.tally.is_vacuous() {
        output::complain("otus: nothing was checked, and that is a failure by --strict");
    }
    for (name, tally) in printer.by_spec() {
        output::complain(&format!("{name}: {}", tally.verdicts()));
    }
    output::complain(&printer.tally.text(start.elapsed()));
    let exit = printer.tally.exit(args.fail_on, args.strict);
    let exit = covered.map_or(exit, |(_, found)| coverage::exit(args, &found, exit));
    Ok(match exit {
        // Nobody knows what would have come.
        Exit::Success if plan.is_cancelled() => Exit::Undecided,
        exit @ (Exit::Success | Exit::Failure | Exit::Undecided | Exit::Error) => exit,
    })
}

/// What a call is about, once its specification has been read.
struct Opened {
    finder: Finder,
    sorted: feed::Sorted,
    /// One or several.
    specs: Vec<Specification>,
}

/// A specification.
struct Specification {
    loaded: Loaded,
    lowered: Lowered,
    term: otus_core::TermId,
    /// Which ids belong to it, if that is said.
    groups: Vec<Glob>,
}

/// What each of several specifications is called, and what belongs to it.
fn choice(specs: &[Specification]) -> Choice {
    let named = specs.iter().map(|spec| {
        let names = spec.loaded.interaction_name().unwrap_or_default().to_owned();
        (names, spec.groups.clone())
    });
    let mut specs: Vec<(String, Vec<Glob>)> = named.collect();
    // Diagrams of one document are told apart by their number.
    for number in 0..specs.len() {
        let name = specs[number].0.clone();
        if specs.iter().filter(|(other, _)| *other == name).count() > 1 {
            specs[number].0 = format!("{name} ({})", number + 1);
        }
    }
    Choice { specs }
}

/// Some things are about one specification.
fn refuse_several(args: &AnalyzeArgs, count: usize) -> anyhow::Result<()> {
    let flags = [
        ("--graph", args.search.graph.is_some()),
        ("--certificate", args.certificate.is_some()),
        ("--order", args.order.is_some()),
        ("--results", args.results.is_some()),
        ("--coverage", coverage::is_asked(args)),
    ];
    if let Some((flag, _)) = flags.into_iter().find(|(_, given)| *given) {
        bail!("{flag} is about one specification; {count} are given");
    }
    Ok(())
}

/// Reads the specification of a call; nothing if something is wrong with it, which has been told.
/// Warnings are not told again if they are already.
fn open(args: &AnalyzeArgs, color: Color, is_told: bool) -> anyhow::Result<Option<Opened>> {
    let mut finder = Finder::new(args.logs.config.as_deref(), color)?;
    let mut sorted = feed::sort(&args.files, args.from, &mut finder)?;
    let rules = complete(&mut sorted, &mut finder)?;
    let mut specs = Vec::new();
    let mut faulty = false;
    for (names, groups) in by_specification(&sorted.others, &rules, finder.project()) {
        let mut loaded = Loaded::default();
        loaded.inputs.standard_input = sorted.standard_input.take();
        let mut loaded = loaded.read_more(&names, args.from, Fences::One)?;
        let found = one_specification(&mut loaded)?;
        let is_wrong = found.is_none() || diagnostic::any_error(&loaded.diagnostics);
        if !is_told || is_wrong {
            loaded.explain(color);
        }
        match found.filter(|_| !is_wrong) {
            Some((lowered, term)) => specs.push(Specification { loaded, lowered, term, groups }),
            None => faulty = true,
        }
    }
    Ok((!faulty).then_some(Opened { finder, sorted, specs }))
}

/// The files of each specification, and which ids belong to it. Those of the language are one
/// together, each diagram is one by itself; options are about all of them.
fn by_specification(
    names: &[String],
    rules: &[SpecRule],
    project: Option<&Project>,
) -> Vec<(Vec<String>, Vec<Glob>)> {
    let format =
        |name: &String| format_of_ending(Path::new(name.split('#').next().unwrap_or(name)));
    let globs = |rule: &SpecRule| rule.groups.iter().map(|text| Glob::name(text)).collect();
    if !rules.is_empty() {
        let spec = |rule: &SpecRule| {
            let files = rule.files.iter().chain(names).cloned().collect();
            (files, globs(rule))
        };
        return rules.iter().map(spec).collect();
    }
    let is_diagram = |name: &&String| {
        matches!(format(name), Some(Format::Mermaid | Format::Plantuml | Format::Markdown))
    };
    let is_options = |name: &&String| format(name) == Some(Format::Hcf);
    let together: Vec<String> = names.iter().filter(|name| !is_diagram(name)).cloned().collect();
    let options: Vec<String> = names.iter().filter(is_options).cloned().collect();
    let diagrams: Vec<&String> = names.iter().filter(is_diagram).collect();
    let is_language = together.len() > options.len();
    if diagrams.len() + usize::from(is_language) <= 1 {
        return vec![(names.to_vec(), Vec::new())];
    }
    let mut all: Vec<Vec<String>> = Vec::new();
    let mut is_taken = false;
    for name in names {
        if is_diagram(&name) {
            all.push(std::iter::once(name).chain(&options).cloned().collect());
        } else if !is_options(&name) && !std::mem::replace(&mut is_taken, true) {
            all.push(together.clone());
        }
    }
    let rule_of = |files: &Vec<String>| {
        let rules = project.map(|project| project.specs.as_slice()).unwrap_or_default();
        rules.iter().find(|rule| files.starts_with(&rule.files)).map(globs).unwrap_or_default()
    };
    all.into_iter()
        .map(|files| (rule_of(&files), files))
        .map(|(globs, files)| (files, globs))
        .collect()
}

/// Adds what the call leaves out and `otus.toml` has: the specification, the logs, or both.
/// Returns the rules of several specifications, if these are taken.
fn complete(sorted: &mut feed::Sorted, finder: &mut Finder) -> anyhow::Result<Vec<SpecRule>> {
    let is_options = |name: &String| format_of_ending(Path::new(name)) == Some(Format::Hcf);
    let no_spec = sorted.others.iter().all(is_options);
    let no_logs = sorted.traces.is_empty() && finder.count() == 0;
    if !no_spec && !no_logs {
        return Ok(Vec::new());
    }
    if finder.project_in_use().is_none() && finder.project_here()?.is_none() {
        // Whoever names only a diagram may be elsewhere.
        match sorted.others.first() {
            Some(name) if name != "-" => finder.project_of(Path::new(name))?,
            _ => {}
        }
    }
    if no_logs {
        finder.whole_project()?;
    }
    if let Some(project) = finder.project_in_use().filter(|_| no_spec) {
        sorted.others.splice(0..0, project.spec.iter().cloned());
        return Ok(project.specs.clone());
    }
    Ok(Vec::new())
}

/// What to say if there is nothing to check.
fn nothing_given(finder: &Finder) -> String {
    match finder.project_in_use() {
        Some(project) if project.plan.sources.is_empty() => {
            format!("{} has no [[source]] that says where logs are; add one", project.name)
        }
        Some(project) => format!(
            "no file fits the sources of {}; `otus map --explain` shows their patterns",
            project.name
        ),
        None => {
            "no multi-trace is given: add a .htf or .jsonl file, or a folder of them; raw logs \
                 need an otus.toml, and `otus init` proposes one"
                .to_owned()
        }
    }
}

/// Says what is odd about logs, and what of them the specification does not have.
fn about_logs(accounting: &Accounting, plans: &[Arc<Plan>], tally: &Tally) {
    let found = findings::text(accounting, Severity::Warning);
    if !found.is_empty() {
        output::complain(found.trim_end());
    }
    let mut all = plans.iter().map(|it| compare::strangers(accounting, it.pool.signature()));
    let first = all.next().unwrap_or_default();
    let others: Vec<Vec<String>> = all.collect();
    // What one of several specifications has is no stranger.
    for line in first.iter().filter(|line| others.iter().all(|other| other.contains(line))) {
        output::complain(line);
    }
    if tally.is_vacuous() {
        output::complain(
            "warning: nothing was checked, since no line became an action of the specification\n   \
             = help: `otus map --explain` shows what became of the lines",
        );
    }
}

/// Where the search goes: to the file of `--graph`, or of a logger if one multi-trace is given and
/// nobody asks for another engine than that of the papers.
fn recorded(
    args: &AnalyzeArgs,
    loaded: &Loaded,
    traces: &mut VecDeque<TraceInput>,
    logs: Option<&mut Logs>,
) -> anyhow::Result<Option<GraphFile>> {
    if let Some(graph) = GraphFile::of_flag(&args.search)? {
        return Ok(Some(graph));
    }
    let files = &loaded.specs[0].files;
    let name = loaded.interaction_name();
    let graph = GraphFile::of_loggers(&args.search, files, Process::Analyze, name)?;
    if graph.is_none() || args.engine == Engine::Fast {
        return Ok(None);
    }
    let count = feed::count(traces)? + logs.map_or(Ok(0), Logs::count)?;
    if count > 1 {
        output::complain(&format!(
            "note: the graphic logger draws one analysis; {count} multi-traces are given"
        ));
        return Ok(None);
    }
    Ok(graph)
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
            bail!(
                "no specification is given: add a .hif with its .hsf, or a diagram; or name it in \
                 otus.toml, as spec = \"docs/protocol.md#login\""
            );
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

/// Prints what workers say.
struct Printer {
    color: Color,
    plan: Arc<Plan>,
    /// Where verdicts go, until there are no more.
    outputs: Option<Outputs>,
    tally: Tally,
    /// How many findings about texts were printed.
    shown: usize,
    /// How many were not.
    hidden: usize,
    /// What else was wrong, and how often it was not told again.
    reasons: BTreeMap<String, usize>,
    /// What became of known failures.
    known: Known,
    /// With several specifications: the verdicts by specification.
    by_spec: Vec<Tally>,
    progress: Progress,
}

impl Printer {
    fn new(
        args: &AnalyzeArgs,
        color: Color,
        plan: Arc<Plan>,
        (progress, collector): (Progress, Option<Box<dyn Writer>>),
    ) -> anyhow::Result<Printer> {
        let outputs = match collector {
            Some(collector) => Outputs::only(collector, &plan.run())?,
            None => Outputs::open(args, &plan.run())?,
        };
        Ok(Printer {
            color,
            outputs: Some(outputs),
            plan,
            tally: Tally::default(),
            shown: 0,
            hidden: 0,
            reasons: BTreeMap::new(),
            known: Known::default(),
            by_spec: Vec::new(),
            progress,
        })
    }

    fn print(&mut self, mut piece: Piece) -> anyhow::Result<()> {
        self.tally.add(&piece.tally);
        self.known.add(&mut piece);
        for (number, tally) in piece.by_spec.drain(..) {
            let missing = (number + 1).saturating_sub(self.by_spec.len());
            self.by_spec.extend(std::iter::repeat_n(Tally::default(), missing));
            self.by_spec[number].add(&tally);
        }
        if !piece.troubles.is_empty() {
            self.progress.hide();
            for trouble in &piece.troubles {
                self.complain(trouble);
            }
        }
        self.progress.show(&self.tally);
        self.settle(&mut piece);
        if let Some(pictures) = &self.plan.pictures {
            pictures.settle(&mut piece.cases);
        }
        let Some(outputs) = &mut self.outputs else { return Ok(()) };
        outputs.bytes(&piece.out)?;
        for case in &piece.cases {
            outputs.case(case)?;
        }
        for trouble in &piece.troubles {
            if let Some(unusable) = trouble.unusable() {
                outputs.unusable(&unusable)?;
            }
        }
        Ok(())
    }

    /// Puts failures where they belong: the first ones with their explanations, the others without.
    fn settle(&self, piece: &mut Piece) {
        if piece.offers.is_empty() {
            return;
        }
        piece.out.resize(self.plan.formats.len(), Vec::new());
        let whole = std::mem::take(&mut piece.out);
        let mut taken = vec![0; whole.len()];
        piece.out.resize(whole.len(), Vec::new());
        for offer in std::mem::take(&mut piece.offers) {
            let number = self.plan.offered.fetch_add(1, Ordering::Relaxed);
            let limit = self.plan.effort.and_then(Effort::limit);
            let is_explained = limit.is_none_or(|limit| number < limit);
            let bytes = if is_explained { &offer.explained } else { &offer.plain };
            for (at, out) in piece.out.iter_mut().enumerate() {
                out.extend_from_slice(&whole[at][taken[at]..offer.before[at]]);
                taken[at] = offer.before[at];
                out.extend_from_slice(&bytes[at]);
            }
            if let Some(case) = offer.case.filter(|_| !is_explained) {
                piece.cases[case].explanation = None;
                piece.cases[case].picture = None;
            }
        }
        for (at, out) in piece.out.iter_mut().enumerate() {
            out.extend_from_slice(&whole[at][taken[at]..]);
        }
    }

    /// The verdicts by specification, if there are several.
    fn by_spec(&self) -> Vec<(String, Tally)> {
        let Some((_, choice)) = &self.plan.choice else { return Vec::new() };
        let tally = |number: usize| self.by_spec.get(number).cloned().unwrap_or_default();
        let names = choice.specs.iter().enumerate();
        names.map(|(number, (name, _))| (name.clone(), tally(number))).collect()
    }

    /// How many failures were explained, or would have been had that been possible.
    fn explained(&self) -> usize {
        let offered = self.plan.offered.load(Ordering::Relaxed);
        let limit = self.plan.effort.and_then(Effort::limit);
        limit.map_or(offered, |limit| offered.min(limit))
    }

    fn complain(&mut self, trouble: &Trouble) {
        match trouble {
            Trouble::Text { sources, diagnostics, .. } => {
                let worth_it = diagnostics.iter().filter(|found| found.severity > Severity::Note);
                let found: Vec<Diagnostic> = worth_it.cloned().collect();
                if self.shown >= MAX_DIAGNOSTICS {
                    self.hidden += found.len();
                    return;
                }
                let colored = output::colored(self.color, Stream::Error);
                let text = report::text(sources, &found, colored);
                let distance = if self.shown > 0 { "\n" } else { "" };
                output::complain(&format!("{distance}{}", text.trim_end()));
                self.shown += found.len();
            }
            Trouble::Other { id, reason, .. } => {
                if let Some(times) = self.reasons.get_mut(reason) {
                    *times += 1;
                    return;
                }
                let id = id.as_ref().map(|id| format!("{id}: ")).unwrap_or_default();
                output::complain(&format!("otus: {id}{reason}"));
                // Reasons are about partitions and files: few, or else all different.
                if self.reasons.len() < MAX_DIAGNOSTICS {
                    self.reasons.insert(reason.clone(), 0);
                }
            }
        }
    }

    fn finish(&mut self, covered: Option<&coverage::Found>) -> anyhow::Result<()> {
        self.progress.hide();
        let mut totals = self.tally.totals(self.explained());
        totals.coverage = covered.map(coverage::Found::covered).into_iter().collect();
        if let Some(outputs) = self.outputs.take() {
            let mut counts = self.tally.json();
            if self.plan.choice.is_some() {
                let all = self.by_spec().into_iter().map(|(name, tally)| {
                    let mut value = tally.json();
                    value["spec"] = name.into();
                    value
                });
                counts["specs"] = all.collect();
            }
            let indented = |value: &Value| format!("{value:#}").replace('\n', "\n  ");
            let mut summary = indented(&counts);
            if let Some(coverage) = covered.map(coverage::member) {
                summary = format!("{summary},\n  \"coverage\": {}", indented(&coverage));
            }
            outputs.finish(&totals, &summary)?;
        }
        if self.plan.effort == Some(Effort::Short) && totals.unexplained > 0 {
            let (count, verb) =
                (totals.unexplained, if totals.unexplained == 1 { "is" } else { "are" });
            let more = counted(count, "more failure");
            output::complain(&format!("{more} {verb} not explained (--explain full explains all)"));
        }
        if self.hidden > 0 {
            let verb = if self.hidden == 1 { "is" } else { "are" };
            let hidden = counted(self.hidden, "more finding");
            output::complain(&format!("{hidden} {verb} not shown"));
        }
        for (reason, times) in self.reasons.iter().filter(|(_, times)| **times > 0) {
            output::complain(&format!("otus: {}: {reason}", counted(*times, "more time")));
        }
        Ok(())
    }
}
