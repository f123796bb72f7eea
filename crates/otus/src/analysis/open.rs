//! Prepares an analysis: reads the specifications of a request, sorts its inputs, and makes plans.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, RwLock};

use otus_core::{Lowered, Partners, TermId};
use otus_syntax::options::Process;
use otus_trace::mapping::Glob;

use super::Analysis;
use super::attach::GraphOptions;
use super::candidates::{Candidate, Choice};
use super::coverage::Covering;
use super::inputs::{self, Feed, TraceInput};
use super::plan::{LogName, Plan};
use super::request::{EngineChoice, Request};
use super::tables::Tables;
use super::values;
use crate::context::{Cancel, Context};
use crate::error::{Error, Result, unfit};
use crate::format::Format;
use crate::load::Loaded;
use crate::logs::{Finder, Logs};
use crate::project::{Settings, SpecRule};
use crate::table::Scope;
use crate::threads::threads;

/// The inputs of a request, once its specifications have been read.
pub(crate) struct Opened {
    pub(crate) finder: Finder,
    pub(super) sorted: inputs::Sorted,
    pub(crate) specs: Vec<Specification>,
}

pub(crate) struct Specification {
    pub(super) loaded: Loaded,
    pub(crate) lowered: Lowered,
    pub(super) term: TermId,
    groups: Vec<Glob>,
}

/// Reads the specification of a request and finds its inputs.
///
/// # Errors
/// If a text has errors, a file cannot be read, or the request contradicts itself.
pub fn analyze(context: &Context, request: &Request) -> Result<Analysis> {
    let Opened { mut finder, mut sorted, specs } = Opened::read(context, request)?;
    if specs.len() > 1 {
        refuse_several(request, specs.len())?;
    }
    let mut request = request.clone();
    let mut logs = finder.take();
    if let Some(head) = request.cases.take() {
        let (name, rest) = ("cases".to_owned(), Box::new(std::io::empty()));
        sorted.traces = VecDeque::from([TraceInput::Stream { name, head, rest }]);
        logs = None;
    }
    let said = finder.project_in_use().map(|project| &project.plan);
    if let Some(said) = said.map(|said| &said.observation) {
        request.allow_empty = request.allow_empty.or(said.allow_empty);
        request.ignore_unknown_messages =
            request.ignore_unknown_messages.or(said.ignore_unknown_messages);
        request.ignore_order = request.ignore_order.or(said.ignore_order);
        request.ignore_peers = request.ignore_peers.or(said.ignore_peers);
    }
    let request = Arc::new(request);
    require_inputs(&request, &finder, &sorted, &mut logs)?;
    let names = logs.iter().flat_map(|logs| &logs.files);
    let names: Vec<LogName> =
        names.map(|log| (log.name.clone(), log.path().map(Path::to_owned))).collect();
    if let Some(logs) = &mut logs {
        let valued = specs.iter().filter_map(|spec| spec.lowered.valued.as_deref());
        values::keep(&mut logs.plan, valued);
    }
    let signatures = specs.iter().map(|spec| spec.lowered.pool.signature().clone()).collect();
    let has_logs = logs.is_some();
    let logs = logs.map(|logs| (logs, signatures));
    let mut feed = Feed::new(sorted.traces, logs, context.files.clone(), context.cancel.clone());
    feed.has_one_run = request.group.is_some();
    let mut graph = graph(context, &request, &specs, &mut feed);
    refuse_many(&request, has_logs, &mut feed)?;
    if feed.has_tables() && specs.len() > 1 {
        unfit!("tables are checked against one specification; {} are given", specs.len());
    }
    let choice = (specs.len() > 1).then(|| Arc::new(choice(&specs)));
    let (mut plans, mut trials): (Vec<Arc<Plan>>, Vec<Arc<Plan>>) = (Vec::new(), Vec::new());
    for (number, spec) in specs.into_iter().enumerate() {
        let Specification { loaded, lowered, term, .. } = spec;
        let covering = request.coverage.then(|| Covering::new(&loaded, &lowered, term));
        let covering = covering.transpose()?.map(Arc::new);
        let new = |lowered, graph| {
            let lowered = (lowered, term);
            let mut plan = Plan::new(context, &request, &loaded, lowered, graph, said)?;
            plan.choice = choice.as_ref().map(|choice| (number, choice.clone()));
            Ok::<Plan, Error>(plan)
        };
        if choice.is_some() {
            trials.push(Arc::new(new(loaded.specs[0].lower(), None)?.trial()));
        }
        let mut plan = new(lowered, graph.take())?;
        (plan.covering, plan.logs) = (covering, RwLock::new(names.clone()));
        if let Some(first) = plans.first() {
            plan.explained = first.explained.clone();
        }
        plans.push(Arc::new(plan));
    }
    if let Some(first) = plans.first() {
        let spec = &first.spec;
        set_tables(&mut feed, context, &request, || spec.scope(spec.text.files.join(" ")));
    }
    Ok(Analysis { plans, trials, feed })
}

/// Says how the tables of a request are read, if there are some.
fn set_tables(
    feed: &mut Feed,
    context: &Context,
    request: &Request,
    scope: impl FnOnce() -> Scope,
) {
    if feed.has_tables() {
        feed.set_tables(|paths| Tables {
            paths,
            files: context.files.clone(),
            columns: request.columns.clone(),
            scope: scope(),
            only: request.group.clone(),
            memory: request.limits.max_bytes,
            threads: threads(request.threads).get(),
        });
    }
}

impl Opened {
    /// Reads the specifications of a request, and separates multi-traces from logs. A mistake in a diagram is
    /// reported before problems with the logs, because users usually fix the diagram first.
    pub(crate) fn read(context: &Context, request: &Request) -> Result<Opened> {
        Opened::read_all(context, request)
            .map_err(|error| misspelt(context, &request.names).unwrap_or(error))
    }

    fn read_all(context: &Context, request: &Request) -> Result<Opened> {
        let mut finder = Finder::new(context, request.config.as_deref())?;
        let mut sorted = inputs::sort(context, &request.names, request.from, &mut finder)?;
        let rules = complete(&mut sorted, &mut finder)?;
        let mut specs = Vec::new();
        let mut faulty = None;
        for (names, groups) in by_specification(&sorted.others, &rules, finder.project()) {
            let mut loaded = Loaded::default();
            loaded.sources.standard_input = sorted.standard_input.take();
            let mut loaded = loaded.read_more(context, &names, request.from)?;
            if let Some(said) = finder.project_in_use() {
                loaded.require_same(&said.plan.same);
            }
            let (lowered, term) = loaded.lower_only()?;
            let found = loaded.take_diagnostics().or_error();
            match (found, term) {
                (Ok(found), Some(term)) => {
                    if !request.is_spec_known {
                        context.warn(found);
                    }
                    specs.push(Specification { loaded, lowered, term, groups });
                }
                (Ok(_), None) => {
                    return Err(Error::Bug("an interaction without errors has no term".to_owned()));
                }
                (Err(error), _) => {
                    // All faulty specifications are reported; the last one becomes the returned
                    // error.
                    if let Some(Error::Text(before)) = faulty.replace(error) {
                        context.warn(*before);
                    }
                }
            }
        }
        match faulty {
            Some(error) => Err(error),
            None => Ok(Opened { finder, sorted, specs }),
        }
    }

    /// The jobs of the request's multi-traces and logs over the only specification.
    pub(super) fn feed(self, context: &Context, request: &Request) -> Result<(Lowered, Feed)> {
        let Opened { mut finder, sorted, specs } = self;
        let Ok([Specification { lowered, .. }]) = <[Specification; 1]>::try_from(specs) else {
            unfit!("mutants are checked against one specification; choose one");
        };
        let mut logs = finder.take();
        require_inputs(request, &finder, &sorted, &mut logs)?;
        if let Some(logs) = &mut logs {
            values::keep(&mut logs.plan, lowered.valued.as_deref());
        }
        let logs = logs.map(|logs| (logs, vec![lowered.pool.signature().clone()]));
        let mut feed = Feed::new(sorted.traces, logs, context.files.clone(), Cancel::default());
        set_tables(&mut feed, context, request, || {
            let (name, partners) = ("the specification".to_owned(), Partners::default());
            Scope::new(name, lowered.pool.signature(), &partners, lowered.valued.as_deref())
        });
        Ok((lowered, feed))
    }
}

/// The mistakes in the first faulty diagram among some files.
fn misspelt(context: &Context, names: &[String]) -> Option<Error> {
    let is_diagram = |name: &&String| {
        let path = Path::new(name.split('#').next().unwrap_or(name));
        Format::of_name(path).is_some_and(Format::is_diagram)
    };
    names.iter().filter(is_diagram).find_map(|name| {
        let mut loaded = Loaded::read(context, std::slice::from_ref(name), None).ok()?;
        match loaded.take_diagnostics().or_error() {
            Err(error @ Error::Text(_)) => Some(error),
            _ => None,
        }
    })
}

/// Refuses a request without multi-traces, and chooses the group.
fn require_inputs(
    request: &Request,
    finder: &Finder,
    sorted: &inputs::Sorted,
    logs: &mut Option<Logs>,
) -> Result<()> {
    if sorted.traces.is_empty() && logs.is_none() {
        return Err(Error::Unfit(match finder.project_in_use() {
            Some(project) if project.plan.sources.is_empty() => finder.no_logs(),
            Some(project) => format!(
                "no file fits the sources of {}; `otus map --explain` shows their patterns",
                project.name
            ),
            None => {
                "no multi-trace is given: add a .htf or .jsonl file, or a folder of them; raw logs \
                     need an otus.toml, and `otus init` proposes one"
                    .to_owned()
            }
        }));
    }
    if let Some(logs) = logs {
        logs.threads = Some(threads(request.threads));
    }
    let is_table = |input: &TraceInput| matches!(input, TraceInput::Table { .. });
    match (&request.group, logs) {
        (Some(group), Some(logs)) => logs.only = Some(group.clone()),
        (Some(_), None) if sorted.traces.iter().any(is_table) => {}
        (Some(_), None) => {
            unfit!("--group chooses among raw logs or runs of a table, and none are given")
        }
        (None, _) => {}
    }
    Ok(())
}

/// The options of the graph: those of the request, or of a logger if there is one multi-trace and the request does
/// not ask for the fast engine.
fn graph(
    context: &Context,
    request: &Request,
    specs: &[Specification],
    feed: &mut Feed,
) -> Option<GraphOptions> {
    if request.graph.is_some() {
        return request.graph.clone();
    }
    let [spec] = specs else { return None };
    let style = request.logger_style.clone().unwrap_or_default();
    let graph = GraphOptions::of_loggers(&spec.loaded, Process::Analyze, style);
    if graph.is_none() || request.engine == EngineChoice::Fast {
        return None;
    }
    if feed.has_several() {
        context
            .remark("note: the graphic logger draws one analysis; several multi-traces are given");
        return None;
    }
    graph
}

/// The flags that ask for attachments, and whether each is given.
fn attachment_flags(request: &Request) -> impl Iterator<Item = (&'static str, bool)> {
    let flags = [
        ("--graph", request.graph.is_some()),
        ("--certificate", request.certificate.is_some()),
        ("--order", request.order),
    ];
    flags.into_iter()
}

/// Refuses attachments for several multi-traces.
fn refuse_many(request: &Request, has_logs: bool, feed: &mut Feed) -> Result<()> {
    let mut flags = attachment_flags(request);
    let Some((flag, _)) = flags.find(|(_, is_given)| *is_given) else { return Ok(()) };
    if !feed.has_several() {
        return Ok(());
    }
    if has_logs {
        unfit!("{flag} records one analysis; several groups are given; choose one by --group");
    }
    if feed.has_tables() {
        unfit!("{flag} records one analysis; a table has several runs; choose one by --group");
    }
    unfit!("{flag} records one analysis; several multi-traces are given");
}

/// The names of several specifications, and the ids that belong to each.
fn choice(specs: &[Specification]) -> Choice {
    let name = |spec: &Specification| spec.loaded.interaction_name().unwrap_or_default().to_owned();
    let names: Vec<String> = specs.iter().map(name).collect();
    let candidate = |(number, spec): (usize, &Specification)| {
        let name = &names[number];
        // Diagrams of one document are distinguished by their number.
        let is_shared = names.iter().filter(|other| *other == name).count() > 1;
        let name = if is_shared { format!("{name} ({})", number + 1) } else { name.clone() };
        Candidate { name: name.into(), groups: spec.groups.clone() }
    };
    Choice { specs: specs.iter().enumerate().map(candidate).collect() }
}

/// Refuses options that apply to a single specification only.
fn refuse_several(request: &Request, count: usize) -> Result<()> {
    let others = [("--results", request.results.is_some()), ("--coverage", request.coverage)];
    let mut flags = attachment_flags(request).chain(others);
    if let Some((flag, _)) = flags.find(|(_, is_given)| *is_given) {
        unfit!("{flag} is about one specification; {count} are given");
    }
    Ok(())
}

/// The files of each specification, and the ids that belong to it. All files in the language of Otus are one
/// specification, each diagram is one by itself; options apply to all of them.
pub(super) fn by_specification(
    names: &[String],
    rules: &[SpecRule],
    project: Option<&Settings>,
) -> Vec<(Vec<String>, Vec<Glob>)> {
    let format = |name: &String| Format::of_name(Path::new(name.split('#').next().unwrap_or(name)));
    let globs = |rule: &SpecRule| rule.groups.iter().map(|text| Glob::name(text)).collect();
    if !rules.is_empty() {
        let spec = |rule: &SpecRule| {
            let files = rule.files.iter().chain(names).cloned().collect();
            (files, globs(rule))
        };
        return rules.iter().map(spec).collect();
    }
    let is_diagram = |name: &&String| format(name).is_some_and(Format::is_diagram);
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
    let globs = |files: Vec<String>| {
        let globs = rule_of(&files);
        (files, globs)
    };
    all.into_iter().map(globs).collect()
}

/// Adds the specification, the logs, or both from `otus.toml`, if the request leaves them out. Returns the rules of
/// several specifications, if these are used.
fn complete(sorted: &mut inputs::Sorted, finder: &mut Finder) -> Result<Vec<SpecRule>> {
    let is_options = |name: &String| Format::of_name(Path::new(name)) == Some(Format::Hcf);
    let no_spec = sorted.others.iter().all(is_options);
    let no_logs = sorted.traces.is_empty() && finder.count() == 0;
    if !no_spec && !no_logs {
        return Ok(Vec::new());
    }
    if finder.project_in_use().is_none() && finder.project_here()?.is_none() {
        // If only a diagram is named, its folder may have the otus.toml.
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
