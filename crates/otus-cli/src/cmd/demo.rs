//! `otus demo`: the main job on a built-in example, without files or network.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context as _;
use otus_analysis::budget::Budget;
use otus_analysis::certify::certify;
use otus_analysis::engine::Options;
use otus_analysis::{Engine, Question};
use otus_core::{Pool, TermId, lint, lower, raise};
use otus_syntax::diagram::mermaid;
use otus_syntax::{Source, SourceId, parse_spec, parse_trace, print};
use otus_trace::MultiTrace;

use super::analyze::how_far;
use crate::args::{Color, DemoArgs, Observed};
use crate::exit::Exit;
use crate::output::Stream;
use crate::words::counted;
use crate::{output, report};

/// The example's files.
const FILES: [(&str, &str); 3] = [
    ("pubsub.hsf", include_str!("../../demo/pubsub.hsf")),
    ("pubsub.hif", include_str!("../../demo/pubsub.hif")),
    ("run.htf", include_str!("../../demo/run.htf")),
];

/// What was observed, cut short, and wrong.
const RUNS: [(&str, &str); 3] = [
    (
        "The run as it was",
        "[pub] pub!publish; [bro] bro?subscribe.bro?publish.bro!publish; [sub] sub!subscribe.sub?publish",
    ),
    ("Without the subscriber's log", "[pub] pub!publish; [bro] bro?subscribe.bro?publish"),
    (
        "A broker that forwards too early",
        "[pub]; [bro] bro!publish.bro?subscribe; [sub] sub!subscribe",
    ),
];

/// The same log with two slips of the pen, to show what Otus says about them.
const BROKEN: &str = "{\n  [pub] pub!publish;\n  [bro] bro?subscirbe.sub!publish\n}\n";

pub(crate) fn run(args: &DemoArgs, color: Color) -> anyhow::Result<Exit> {
    if let Some(folder) = &args.write {
        return write(folder);
    }
    let sources: Vec<Source> = FILES
        .iter()
        .zip(0..)
        .map(|(&(name, text), id)| Source::with_id(SourceId(id), name, text))
        .collect();
    let [signature, model, run] = sources.as_slice() else { return Ok(Exit::Error) };
    let files = [parse_spec(signature).tree, parse_spec(model).tree];
    let trees = [&files[0], &files[1]];
    let mut lowered = lower(&trees);
    let term = lowered.term.context("the example has an interaction")?;
    let findings = lint(&trees, &lowered);
    let observed = parse_trace(run).tree;
    let (multi_trace, named) = otus_trace::lower(&observed, &mut lowered.pool);

    let mut out = String::new();
    let mut say = |text: &str| {
        out.push_str(text);
        out.push('\n');
    };
    say("A publish/subscribe model, as an interaction:\n");
    say(&indent(&print::interaction(&files[1])));
    say("and as the Mermaid diagram that `otus convert` makes of it:\n");
    say(&indent(&mermaid::write(&raise(&lowered.pool, term))));
    say("What was observed, one log per machine:\n");
    say(&indent(&print::trace(&observed)));
    say(&format!(
        "Checked: {}, {}, {} in {}; {}.\n",
        counted(lowered.pool.signature().lifelines().len(), "lifeline"),
        counted(lowered.pool.signature().messages().len(), "message"),
        counted(multi_trace.len(), "action"),
        counted(multi_trace.partition().len(), "log"),
        counted(findings.len() + named.len(), "finding"),
    ));
    for (what, htf) in RUNS {
        let tree = parse_trace(&Source::new("run", htf)).tree;
        let (trace, _) = otus_trace::lower(&tree, &mut lowered.pool);
        say(&format!("{what}: {htf}\n"));
        say(&indent(&verdicts(&mut lowered.pool, term, &trace)?));
    }
    say("With two slips of the pen in the log, Otus says:\n");
    let broken = Source::with_id(SourceId(3), "broken.htf", BROKEN);
    let trace = parse_trace(&broken).tree;
    let mut found = otus_trace::lower(&trace, &mut lowered.pool).1;
    let mut sources = sources;
    sources.push(broken);
    found.sort_by_key(|found| found.primary.span.start);
    say(&indent(&report::text(&sources, &found, output::colored(color, Stream::Output))));
    say("Try next:\n");
    say("  otus demo --write demo        writes these files, to play with");
    say("  otus analyze demo/pubsub.hsf demo/pubsub.hif demo/run.htf --observed complete");
    output::print(&out)?;
    Ok(Exit::Success)
}

/// What the engine says about a multi-trace, a line for each question by its `--observed`.
fn verdicts(pool: &mut Pool, term: TermId, trace: &MultiTrace) -> anyhow::Result<String> {
    let questions = [
        (Observed::Complete, Question::ACCEPT),
        (Observed::GlobalPrefix, Question::GlobalPrefix),
        (Observed::Prefix, Question::MULTI_PREFIX),
        (Observed::Slice, Question::SLICE),
    ];
    let mut engine = Engine::new(pool, term, trace.partition(), Options::default());
    let mut out = String::new();
    for (observed, question) in questions {
        let budget = Budget::default();
        let outcome = engine.analyze(trace, &question, &budget);
        let witness = engine.witness(pool, term, trace, &question, outcome.verdict, &budget);
        let why = match (witness, &outcome.furthest) {
            (Some(witness), _) => {
                certify(pool, term, trace, (&question, outcome.verdict), &witness)?;
                format!("explained by {}", witness.text(pool))
            }
            (None, Some(furthest)) => how_far(trace, furthest, pool),
            (None, None) => "no explanation".to_owned(),
        };
        let (name, verdict) = (observed.name(), outcome.verdict.name());
        let _ = writeln!(out, "{name:<13}  {verdict:<8}  {why}");
    }
    Ok(out)
}

fn write(folder: &Path) -> anyhow::Result<Exit> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for (name, text) in FILES {
        let path = folder.join(name);
        anyhow::ensure!(!path.exists(), "{} exists already", path.display());
        output::write_file(&path, text)?;
        output::complain(&format!("wrote {}", path.display()));
    }
    Ok(Exit::Success)
}

fn indent(text: &str) -> String {
    let mut out = String::new();
    for line in text.trim_end().lines() {
        if !line.is_empty() {
            out.push_str("    ");
            out.push_str(line);
        }
        out.push('\n');
    }
    out
}
