//! `otus learn`: the diagram of what was observed.
//!
//! Runs are read as multi-traces over the names they have, learnt from ([`otus_trace::transform`]),
//! and what was learnt is checked against every run by the fast engine before it is written.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::bail;
use clap::ValueEnum as _;
use clap::builder::PossibleValue;
use otus_analysis::budget::Budget;
use otus_analysis::engine::Options as EngineOptions;
use otus_analysis::{Engine, Question, Verdict};
use otus_core::{Pool, Signature, TermId, raise};
use otus_draw::layout::sequence;
use otus_syntax::Severity;
use otus_syntax::diagram::{mermaid, plantuml};
use otus_syntax::print;
use otus_trace::transform::learn::{Crossings, Loops, Options, Pair, Run, learn};
use otus_trace::{MultiTrace, transform};

use super::map::{gather, nothing_given};
use crate::args::{LearnArgs, LearnFormat, LearnLoops};
use crate::shell::Shell;
use otus::Format;
use crate::cases::refuse_existing;
use crate::exit::Exit;
use otus::logs::group::Group;
use otus::load::{Fences, Loaded};
use otus::logs::{Finder, Logs, Told};
use crate::picture::{Look, PictureFormat};
use otus::words::counted;
use crate::{findings, output};

pub(crate) fn run(args: &LearnArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let target = Target::new(args)?;
    let mut finder = Finder::new(args.logs.config.as_deref(), color)?;
    let Some(runs) = Runs::read(args, &mut finder, color)? else { return Ok(Exit::Error) };
    let Runs { mut pool, observed } = runs;
    if observed.iter().all(|(trace, _)| trace.is_empty()) {
        bail!(
            "no action was observed, so there is nothing to draw; `otus map --explain` tells why"
        );
    }
    let runs: Vec<Run<'_>> =
        observed.iter().map(|(trace, pairs)| Run { trace, pairs, infer: true }).collect();
    let options = Options {
        loops: match args.loops {
            LearnLoops::Never => Loops::Never,
            LearnLoops::Several => Loops::Several,
            LearnLoops::Always => Loops::Always,
        },
        crossings: if args.split { Crossings::Split } else { Crossings::Coregion },
        ..Options::default()
    };
    let mut undecided = 0;
    let learnt = learn(&mut pool, &runs, &options, &mut |pool, term, index| match accepts(
        pool,
        term,
        &observed[index].0,
    ) {
        Some(accepted) => accepted,
        None => {
            undecided += 1;
            true
        }
    });
    target.write(&pool, learnt.term)?;
    for note in &learnt.notes {
        output::complain(&format!("note: {}", note.text(&pool)));
    }
    if undecided > 0 {
        let those = counted(undecided, "run");
        output::complain(&format!("note: {those} took too long to be checked against the result"));
    }
    let actions: usize = observed.iter().map(|(trace, _)| trace.len()).sum();
    output::complain(&format!(
        "learnt from {} ({} different), {}",
        counted(observed.len(), "run"),
        learnt.different,
        counted(actions, "action"),
    ));
    Ok(Exit::Success)
}

/// Whether a term accepts a run; nothing if that takes too long.
fn accepts(pool: &Pool, term: TermId, trace: &MultiTrace) -> Option<bool> {
    let mut engine = Engine::new(pool, term, trace.partition(), EngineOptions::default());
    let budget = Budget {
        timeout: Some(Duration::from_secs(10)),
        max_states: Some(10_000_000),
        ..Budget::default()
    };
    match engine.analyze(trace, &Question::ACCEPT, &budget).verdict {
        Verdict::Pass => Some(true),
        Verdict::Fail | Verdict::WeakPass => Some(false),
        Verdict::WeakFail | Verdict::Inconclusive => None,
    }
}

/// What was observed.
struct Runs {
    pool: Pool,
    /// Each run, and which of its actions belong together as far as that is known.
    observed: Vec<(MultiTrace, Vec<Pair>)>,
}

impl Runs {
    /// Nothing if a text is faulty, which is told.
    fn read(args: &LearnArgs, finder: &mut Finder, shell: &Shell) -> anyhow::Result<Option<Runs>> {
        let is_trace = |format| matches!(format, Some(Format::Htf | Format::Jsonl));
        let mut traces = Vec::new();
        let mut loaded = Loaded::default();
        for name in &args.files {
            let path = Path::new(name);
            if name == "-" {
                if let Err(bytes) = finder.standard_input(Vec::new(), Box::new(std::io::stdin()))? {
                    loaded.sources.standard_input = Some(bytes);
                    traces.push(name.clone());
                }
            } else if path.is_dir() {
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
        let mut loaded = loaded.read_more(&traces, None, Fences::One)?;
        let logs = if args.files.is_empty() { gather(&[], finder)? } else { finder.take() };
        if logs.is_none() && traces.is_empty() {
            bail!(nothing_given(finder));
        }
        loaded.check_traces(None);
        if loaded.explain(color) {
            return Ok(None);
        }
        let trees: Vec<_> = loaded.traces.iter().map(|trace| &trace.tree).collect();
        let mut signature = transform::implied_signature(trees.iter().copied());
        let logs = match logs {
            Some(mut logs) => {
                logs.only.clone_from(&args.logs.group);
                names(&mut logs, &mut signature)?;
                Some(logs)
            }
            None => None,
        };
        let mut pool = Pool::new(signature);
        let mut observed: Vec<(MultiTrace, Vec<Pair>)> = Vec::new();
        for tree in trees {
            observed.push((otus_trace::lower(tree, &mut pool).0, Vec::new()));
        }
        if let Some(logs) = logs {
            let accounting = logs.run(&mut |group| {
                let group = Group::new(group, pool.signature());
                let trace = group.trace(&mut pool);
                let pairs = group.pairs(&trace);
                observed.push((trace, pairs));
                ControlFlow::Continue(())
            });
            let found = findings::text(&accounting, Severity::Warning);
            if !found.is_empty() {
                output::complain(found.trim_end());
            }
        }
        Ok(Some(Runs { pool, observed }))
    }
}

/// Adds the names of logs to a signature, which must be known before there are multi-traces.
fn names(logs: &mut Logs, signature: &mut Signature) -> anyhow::Result<()> {
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

/// Where what was learnt goes, and how it is written.
enum Target {
    Print(LearnFormat),
    File(PathBuf, LearnFormat),
    Picture(String),
}

impl Target {
    fn new(args: &LearnArgs) -> anyhow::Result<Target> {
        let Some(name) = args.output.as_deref().filter(|name| *name != "-") else {
            return Ok(Target::Print(args.to.unwrap_or(LearnFormat::Mermaid)));
        };
        let path = PathBuf::from(name);
        refuse_existing(&path, args.force)?;
        if args.to.is_none() && PictureFormat::of(name).is_some() {
            return Ok(Target::Picture(name.to_owned()));
        }
        let ending = Format::of_name(&path);
        let format = args.to.or(match ending {
            Some(Format::Mermaid) => Some(LearnFormat::Mermaid),
            Some(Format::Plantuml) => Some(LearnFormat::Plantuml),
            Some(Format::Hif) => Some(LearnFormat::Hif),
            _ => None,
        });
        let told = ending.filter(|_| args.to.is_some()).map(|ending| match ending {
            Format::Mermaid => Some(LearnFormat::Mermaid),
            Format::Plantuml => Some(LearnFormat::Plantuml),
            Format::Hif => Some(LearnFormat::Hif),
            Format::Hsf
            | Format::Hcf
            | Format::Markdown
            | Format::Htf
            | Format::Jsonl
            | Format::Pot
            | Format::Ctl => None,
        });
        let is_picture = args.to.is_some() && PictureFormat::of(name).is_some();
        if told.is_some_and(|told| told != args.to) || is_picture {
            let to = args.to.and_then(|to| to.to_possible_value());
            let to = to.as_ref().map(PossibleValue::get_name).unwrap_or_default();
            output::complain(&format!(
                "warning: {name} is written as {to}, which its ending does not say"
            ));
        }
        let Some(format) = format else {
            bail!(
                "the ending of {name} names no format; use .mmd, .puml, .hif, .svg or .png, or --to"
            );
        };
        if format == LearnFormat::Hif {
            refuse_existing(&path.with_extension("hsf"), args.force)?;
        }
        Ok(Target::File(path, format))
    }

    fn write(&self, pool: &Pool, term: TermId) -> anyhow::Result<()> {
        let raised = raise(pool, term);
        let text = |format: &LearnFormat| match format {
            LearnFormat::Mermaid => mermaid::write(&raised),
            LearnFormat::Plantuml => plantuml::write(&raised),
            LearnFormat::Hif => {
                format!("{}{}", print::signature(&raised), print::interaction(&raised))
            }
        };
        match self {
            Target::Print(format) => output::print(&text(format)),
            Target::File(path, LearnFormat::Hif) => {
                let beside = path.with_extension("hsf");
                output::write_file(&beside, &print::signature(&raised))?;
                output::write_file(path, &print::interaction(&raised))?;
                output::complain(&format!("wrote {} and {}", path.display(), beside.display()));
                Ok(())
            }
            Target::File(path, format) => {
                output::write_file(path, &text(format))?;
                output::complain(&format!("wrote {}", path.display()));
                Ok(())
            }
            Target::Picture(name) => {
                let options = sequence::Options {
                    title: "What was observed".to_owned(),
                    ..sequence::Options::default()
                };
                let scene = sequence::sequence(&raised, pool.signature(), &options);
                Look::default().write(&scene, name)
            }
        }
    }
}
