//! Learns a diagram from runs.
//!
//! Runs are multi-traces or groups of logs. `otus_trace::transform::learn` computes an interaction that accepts each of
//! them, and the fast engine checks that it does.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use otus_analysis::budget::Budget;
use otus_analysis::engine::Options as EngineOptions;
use otus_analysis::{Engine, Question, Verdict};
use otus_core::{Partners, Pool, Signature, TermId, raise};
use otus_draw::layout::sequence;
use otus_syntax::ast::SpecFile;
use otus_syntax::diagram::{mermaid, plantuml};
use otus_syntax::print;
use otus_trace::run::Group;
use otus_trace::transform::learn::{self, Crossings, Pair, Run};
use otus_trace::{MultiTrace, transform};

pub use otus_trace::transform::learn::Loops;

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
}

impl LearnRequest {
    /// A request that learns from all runs of these names; loops need several different runs.
    pub fn new(names: impl IntoIterator<Item = String>) -> LearnRequest {
        let names = names.into_iter().collect();
        LearnRequest { names, config: None, group: None, loops: Loops::Several, is_split: false }
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
    let (mut pool, observed) = read(context, request)?;
    if observed.iter().all(|(trace, _)| trace.is_empty()) {
        unfit!(
            "no action was observed, so there is nothing to draw; `otus map --explain` tells why"
        );
    }
    let runs: Vec<Run<'_>> =
        observed.iter().map(|(trace, pairs)| Run { trace, pairs, infer: true }).collect();
    let options = learn::Options {
        loops: request.loops,
        crossings: if request.is_split { Crossings::Split } else { Crossings::Coregion },
        ..learn::Options::default()
    };
    let mut unchecked = 0;
    let learnt = learn::learn(&mut pool, &runs, &options, &mut |pool, term, index| {
        accepts(pool, term, &observed[index].0, &context.cancel).unwrap_or_else(|| {
            unchecked += 1;
            true
        })
    });
    Ok(Learnt {
        runs: observed.len(),
        different: learnt.different,
        actions: observed.iter().map(|(trace, _)| trace.len()).sum(),
        unchecked,
        notes: learnt.notes.iter().map(|note| note.text(&pool)).collect(),
        tree: raise(&pool, learnt.term),
        signature: pool.signature().clone(),
    })
}

/// Whether a term accepts a run; `None` if the check takes too long.
fn accepts(pool: &Pool, term: TermId, trace: &MultiTrace, cancel: &Cancel) -> Option<bool> {
    let mut engine = Engine::new(pool, term, trace.partition(), EngineOptions::default());
    let budget = Budget {
        timeout: Some(Duration::from_secs(10)),
        max_states: Some(10_000_000),
        cancel: cancel.clone(),
        ..Budget::default()
    };
    match engine.analyze(trace, &Question::ACCEPT, &budget).verdict {
        Verdict::Pass => Some(true),
        Verdict::Fail | Verdict::WeakPass => Some(false),
        Verdict::WeakFail | Verdict::Inconclusive => None,
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

/// A run, and its known pairs of emission and reception.
type ObservedRun = (MultiTrace, Vec<Pair>);

/// The runs of a request, over the names that occur in them.
fn read(context: &Context, request: &LearnRequest) -> Result<(Pool, Vec<ObservedRun>)> {
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
    if let Some(logs) = &mut logs {
        logs.only.clone_from(&request.group);
        add_names(logs, &mut signature)?;
    }
    let mut pool = Pool::new(signature);
    let lowered = loaded.traces.iter().map(|it| otus_trace::lower(&it.tree, &mut pool).0);
    let mut runs: Vec<ObservedRun> = lowered.map(|trace| (trace, Vec::new())).collect();
    if let Some(logs) = logs {
        let accounting = logs.run(&mut |observed| {
            let group = Group::new(observed, pool.signature());
            let trace = group.trace(&mut pool, &Partners::default());
            let pairs = group.pairs(&trace);
            runs.push((trace, pairs));
            ControlFlow::Continue(())
        });
        findings::report(context, &accounting);
    }
    Ok((pool, runs))
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

/// Adds the names of logs to a signature; multi-traces need it before they are read.
fn add_names(logs: &mut Logs, signature: &mut Signature) -> Result<()> {
    logs.keep()?;
    logs.run(&mut |observed| {
        for event in observed.events() {
            if let Some((_, message)) = event.action() {
                signature.add_lifeline(event.lifeline());
                signature.add_message(message);
            }
        }
        ControlFlow::Continue(())
    });
    Ok(())
}
