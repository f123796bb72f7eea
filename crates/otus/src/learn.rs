//! Learns a diagram from runs.
//!
//! Runs are multi-traces or groups of logs. `otus_trace::transform::learn` computes an interaction that accepts each of
//! them, and the fast engine checks that it does. The check is the same as in a later analysis of the result: it uses
//! letters with peers where the result needs them, and lifelines without a log count as unobserved.
//!
//! If events carry values, fields that tell sessions apart, or that both ends of a message carry alike, become guards
//! ([`keyed`]).
//!
//! A lifeline that has no log, but that other lifelines name as their peer, is drawn as well, unless its name is an
//! address.

mod keyed;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use otus_analysis::budget::Budget;
use otus_analysis::engine::Options as EngineOptions;
use otus_analysis::{Engine, Question, Verdict};
use otus_core::algebra::{self, Memo};
use otus_core::{
    LifelineId, LifelineSet, Lowered, Partners, Pool, Signature, TermId, lower, raise,
};
use otus_draw::layout::sequence;
use otus_syntax::ast::{SpecFile, TraceFile};
use otus_syntax::diagram::{mermaid, plantuml};
use otus_syntax::print;
use otus_trace::run::Group;
use otus_trace::transform::learn::{self, Crossings, Pair, Run};
use otus_trace::{Facts, FieldNames, MultiTrace, facts, lower_with_facts, transform};

pub use otus_trace::transform::learn::Loops;

use keyed::KeyedDiagram;

use crate::context::{Cancel, Context};
use crate::error::{Error, Result, unfit};
use crate::files::FileKind;
use crate::format::Format;
use crate::load::Loaded;
use crate::logs::{Finder, Logs, Told, findings};
use crate::picture::{self, Picture, PictureFormat, PictureStyle};
use crate::units::counted;

/// The runs to learn from, and the options of the result.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LearnRequest {
    /// Multi-traces, logs, folders of them, or `-` for standard input; if empty, the sources of the nearest
    /// `otus.toml`.
    pub names: Vec<String>,
    /// The `otus.toml`; if `None`, the nearest one above the logs.
    pub config: Option<PathBuf>,
    /// The only group of logs to learn from.
    pub group: Option<String>,
    /// When repetitions become loops.
    pub loops: Loops,
    /// Whether crossing messages are drawn as separate emissions and receptions.
    pub is_split: bool,
    /// Whether the peers that logs name are ignored. `None` means the value in `[observation]` of `otus.toml`, or
    /// else `false`.
    pub ignore_peers: Option<bool>,
}

impl LearnRequest {
    /// A request that learns from all runs of these names; loops need several different runs.
    pub fn new(names: impl IntoIterator<Item = String>) -> LearnRequest {
        let names = names.into_iter().collect();
        LearnRequest {
            names,
            config: None,
            group: None,
            loops: Loops::Several,
            is_split: false,
            ignore_peers: None,
        }
    }
}

/// An interaction that accepts the runs it was learnt from.
#[derive(Debug)]
#[non_exhaustive]
pub struct Learnt {
    /// The number of runs.
    pub runs: usize,
    /// The number of runs that differ in more than the order of unrelated events.
    pub different: usize,
    /// The number of actions in all runs.
    pub actions: usize,
    /// The number of runs whose check against the result took too long.
    pub unchecked: usize,
    /// The places where the result is more general or less exact than the runs.
    pub notes: Vec<String>,
    signature: Signature,
    tree: SpecFile,
}

/// Learns from runs.
///
/// # Errors
/// If there are no runs or no actions, or a text has mistakes.
pub fn learn(context: &Context, request: &LearnRequest) -> Result<Learnt> {
    let Input { mut pool, runs: observed, values, silent } = read(context, request)?;
    if observed.iter().all(|run| run.trace.is_empty()) {
        unfit!(
            "no action was observed, so there is nothing to draw; `otus map --explain` tells why"
        );
    }
    let runs: Vec<Run<'_>> = observed
        .iter()
        .map(|run| Run { trace: &run.trace, pairs: &run.pairs, infer: true })
        .collect();
    let options = learn::Options {
        loops: request.loops,
        crossings: if request.is_split { Crossings::Split } else { Crossings::Coregion },
        silent: silent.clone(),
        ..learn::Options::default()
    };
    // Guards are about lifelines that have logs.
    let values = values.as_ref().filter(|_| silent.is_empty());
    let values = values.map(|(facts, fields)| keyed::Valued {
        runs: &observed,
        facts,
        fields,
        cancel: &context.cancel,
    });
    let actions = observed.iter().map(|run| run.trace.len()).sum();
    if request.loops != Loops::Never
        && let Some(values) = &values
        && let Some(KeyedDiagram { tree, notes }) = values.sessions(&mut pool, &options)
    {
        let signature = pool.signature().clone();
        let (runs, different, unchecked) = (observed.len(), 1, 0);
        return Ok(Learnt { runs, different, actions, unchecked, notes, signature, tree });
    }
    let mut unchecked = 0;
    let mut result: Option<Model> = None;
    let learnt = learn::learn(&mut pool, &runs, &options, &mut |pool, term, index| {
        let model = match result.take() {
            Some(model) if model.learnt == term => model,
            Some(_) | None => Model::new(pool, term, &silent),
        };
        let accepted = result.insert(model).accepts(&observed[index], &context.cancel);
        accepted.unwrap_or_else(|| {
            unchecked += 1;
            true
        })
    });
    let mut notes: Vec<String> = learnt.notes.iter().map(|note| note.text(&pool)).collect();
    let mut tree = raise(&pool, learnt.term);
    if let Some(values) = values.filter(|_| unchecked == 0)
        && let Some(found) = values.with_same_ends(&pool, &tree)
    {
        tree = found.tree;
        notes.extend(found.notes);
    }
    Ok(Learnt {
        runs: observed.len(),
        different: learnt.different,
        actions,
        unchecked,
        notes,
        tree,
        signature: pool.signature().clone(),
    })
}

/// A learnt term as a later analysis will read it.
struct Model {
    learnt: TermId,
    /// The term over letters with peers, without the silent lifelines.
    term: TermId,
    pool: Pool,
    partners: Partners,
}

impl Model {
    fn new(pool: &Pool, learnt: TermId, silent: &LifelineSet) -> Model {
        let lowered = lower(&[&raise(pool, learnt)]);
        let Lowered { mut pool, term, refined, partners, .. } = lowered;
        let term = refined.or(term).unwrap_or(Pool::EMPTY);
        let silent = pool.intern_region(silent);
        let term = algebra::remove(&mut pool, &mut Memo::default(), term, silent);
        Model { learnt, term, pool, partners }
    }

    /// Whether it accepts a run; `None` if the check takes too long.
    fn accepts(&mut self, run: &ObservedRun, cancel: &Cancel) -> Option<bool> {
        let trace = match &run.origin {
            RunOrigin::Group(group) => group.trace(&mut self.pool, &self.partners),
            RunOrigin::Trace(tree) => otus_trace::lower(tree, &mut self.pool).0,
        };
        let mut engine =
            Engine::new(&self.pool, self.term, trace.partition(), EngineOptions::default());
        let budget = Budget {
            timeout: Some(Duration::from_secs(10)),
            max_states: Some(10_000_000),
            cancel: cancel.clone(),
            ..Budget::default()
        };
        match engine.analyze(&trace, &Question::ACCEPT, &budget).verdict {
            Verdict::Pass => Some(true),
            Verdict::Fail | Verdict::WeakPass => Some(false),
            Verdict::WeakFail | Verdict::Inconclusive => None,
        }
    }
}

impl Learnt {
    /// The interaction as a text: Mermaid, `PlantUML`, or the language of Otus, where [`Format::Hsf`] is the
    /// signature and [`Format::Hif`] the interaction. `None` for other formats.
    pub fn text(&self, format: Format) -> Option<String> {
        match format {
            Format::Mermaid => Some(mermaid::write(&self.tree)),
            Format::Plantuml => Some(plantuml::write(&self.tree)),
            Format::Hsf => Some(print::signature(&self.tree)),
            Format::Hif => Some(print::interaction(&self.tree)),
            Format::Hcf
            | Format::Htf
            | Format::Markdown
            | Format::Jsonl
            | Format::Parquet
            | Format::Pot
            | Format::Ctl
            | Format::Cnf => None,
        }
    }

    /// The interaction as a picture.
    ///
    /// # Errors
    /// If it is too large for a PNG, or the feature `png` is off.
    pub fn picture(&self, format: PictureFormat, style: &PictureStyle) -> Result<Picture> {
        let title = "What was observed".to_owned();
        let options = sequence::Options { title, ..sequence::Options::default() };
        let scene = sequence::sequence(&self.tree, &self.signature, &options);
        picture::render(&scene, format, style)
    }

    /// The notes and the counts, one per line.
    pub fn remarks(&self) -> Vec<String> {
        let mut lines: Vec<String> =
            self.notes.iter().map(|note| format!("note: {note}")).collect();
        if self.unchecked > 0 {
            let runs = counted(self.unchecked, "run");
            lines.push(format!("note: {runs} took too long to be checked against the result"));
        }
        lines.push(format!(
            "learnt from {} ({} different), {}",
            counted(self.runs, "run"),
            self.different,
            counted(self.actions, "action"),
        ));
        lines
    }
}

/// The runs to learn from.
struct Input {
    pool: Pool,
    runs: Vec<ObservedRun>,
    /// By run: the values of its events, if there are any, and their fields.
    values: Option<(Vec<Facts>, FieldNames)>,
    /// The lifelines that have no log.
    silent: LifelineSet,
}

struct ObservedRun {
    /// The multi-trace, in which actions have peers.
    trace: MultiTrace,
    /// The known pairs of emission and reception.
    pairs: Vec<Pair>,
    origin: RunOrigin,
}

/// The place from which a run was read.
enum RunOrigin {
    Trace(Box<TraceFile>),
    Group(Box<Group>),
}

/// The runs of a request, over the names that occur in them.
fn read(context: &Context, request: &LearnRequest) -> Result<Input> {
    let mut finder = Finder::new(context, request.config.as_deref())?;
    let mut loaded = Loaded::default();
    let traces = sort(context, &request.names, &mut finder, &mut loaded)?;
    let mut loaded = loaded.read_more(context, &traces, None)?;
    let mut logs = match request.names.as_slice() {
        [] => Some(finder.gather([])?),
        _ => finder.take(),
    };
    if logs.is_none() && traces.is_empty() {
        return Err(Error::Unfit(finder.no_logs()));
    }
    loaded.check_traces(None);
    loaded.warn(context)?;
    let mut signature = transform::implied_signature(loaded.traces.iter().map(|it| &it.tree));
    let mut ignore_peers = false;
    let mut kept = Vec::new();
    if let Some(logs) = &mut logs {
        logs.only.clone_from(&request.group);
        ignore_peers = request.ignore_peers.or(logs.plan.observation.ignore_peers) == Some(true);
        // Of raw logs, the values count that rules list, and those of canonical lines.
        logs.plan.keep_listed();
        kept = add_names(logs, &mut signature, ignore_peers)?;
    }
    let mut pool = Pool::new(signature);
    let mut runs: Vec<ObservedRun> = Vec::new();
    let mut fields = facts::all_fields(loaded.traces.iter().map(|it| &it.tree));
    for name in kept {
        fields.intern(name.into());
    }
    let mut values: Vec<Facts> = Vec::new();
    for read in loaded.traces {
        let (trace, own, _) = lower_with_facts(&read.tree, &mut pool, &fields);
        values.push(own);
        let origin = RunOrigin::Trace(Box::new(read.tree));
        runs.push(ObservedRun { trace, pairs: Vec::new(), origin });
    }
    let mut unheard: Option<Vec<LifelineId>> = None;
    if let Some(logs) = logs {
        let accounting = logs.run(&mut |observed| {
            unheard = observed.silent(pool.signature()).or(unheard.take());
            let mut group = Group::new(observed, pool.signature());
            if ignore_peers {
                group.drop_peers();
            }
            let trace = group.trace_with_peers(&mut pool);
            let pairs = group.pairs(&trace);
            values.push(group.facts(&trace, &fields));
            runs.push(ObservedRun { trace, pairs, origin: RunOrigin::Group(Box::new(group)) });
            ControlFlow::Continue(())
        });
        findings::report(context, &accounting);
    }
    let unheard: LifelineSet = match unheard {
        Some(unheard) => unheard.into_iter().collect(),
        None => pool.signature().all_lifelines(),
    };
    let actions = runs.iter().flat_map(|run| run.trace.actions());
    let acting: LifelineSet = actions.map(|action| pool.action(action).lifeline).collect();
    let values = (fields.items.len() > 1).then_some((values, fields));
    Ok(Input { silent: unheard.difference(&acting), pool, runs, values })
}

/// Separates multi-traces, whose names are returned, from logs, which the finder takes.
fn sort(
    context: &Context,
    names: &[String],
    finder: &mut Finder,
    loaded: &mut Loaded,
) -> Result<Vec<String>> {
    let is_trace = |format: Option<Format>| format.is_some_and(Format::is_multi_trace);
    let mut traces = Vec::new();
    for name in names {
        let path = Path::new(name);
        if name == "-" {
            if let Some(head) = finder.standard_input_head()? {
                loaded.sources.standard_input = Some(head);
                traces.push(name.clone());
            }
        } else if context.files.kind(path) == Some(FileKind::Folder) {
            let others = finder.folder(path)?.into_iter();
            let others = others.filter(|file| is_trace(Format::of_name(file)));
            traces.extend(others.map(|file| file.to_string_lossy().into_owned()));
        } else {
            match finder.file(path, None)? {
                Told::Log => {}
                Told::Other(format) if is_trace(format) => traces.push(name.clone()),
                Told::Other(_) | Told::Unmapped => finder.named_file(path)?,
            }
        }
    }
    Ok(traces)
}

/// Adds the names of logs to a signature; multi-traces need it before they are read. Returns the fields of events.
fn add_names(
    logs: &mut Logs,
    signature: &mut Signature,
    ignore_peers: bool,
) -> Result<Vec<String>> {
    logs.keep()?;
    let mut kept: Vec<String> = Vec::new();
    // Lifelines that act come before those that are only named as peers.
    let mut peers: Vec<String> = Vec::new();
    logs.run(&mut |observed| {
        for name in observed.kept() {
            if !kept.contains(name) {
                kept.push(name.clone());
            }
        }
        for event in observed.events() {
            if let Some((_, message)) = event.action() {
                signature.add_lifeline(event.lifeline());
                signature.add_message(message);
                if let Some(peer) = event.named_peer().filter(|_| !ignore_peers)
                    && !peers.iter().any(|known| known == peer)
                {
                    peers.push(peer.to_owned());
                }
            }
        }
        ControlFlow::Continue(())
    });
    for peer in &peers {
        signature.add_lifeline(peer);
    }
    Ok(kept)
}
