//! `otus draw`: specifications, traces, orders and searches as pictures.
//!
//! The files and `--what` select the drawing; `-o` selects its format. A search is drawn by the command that makes it:
//! `otus explore`, or `otus analyze` if there is a multi-trace.

use std::path::Path;

use anyhow::{Context as _, bail};
use clap::Parser as _;
use otus::draw::{DrawRequest, Drawing, draw};
use otus::{Format, PictureFormat, Status};

use crate::args::{AnalyzeArgs, DrawArgs, Drawn, ExploreArgs};
use crate::shell::Shell;
use crate::{output, picture};

pub(crate) fn run(args: &DrawArgs, shell: &Shell) -> anyhow::Result<Status> {
    if let Some(name) = &args.output {
        check_ending(name, args)?;
    }
    let columns = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let mut request = DrawRequest {
        names: args.files.clone(),
        from: args.from,
        what: None,
        only_used: args.only_used,
        positions: args.positions,
        step: args.step.clone(),
        cuts: args.cut.clone(),
        formula: args.formula.clone(),
        automaton: args.automaton,
        max_nodes: args.max_nodes,
        width: args.width.or(columns).unwrap_or(100),
        ascii: args.ascii,
    };
    match args.what {
        Some(Drawn::File(what)) => request.what = Some(what),
        Some(Drawn::Search) => return search(args, &request, shell),
        None => {}
    }
    finish(args, &draw(&shell.context, &request)?)?;
    Ok(Status::Passed)
}

fn check_ending(name: &str, args: &DrawArgs) -> anyhow::Result<()> {
    if PictureFormat::of_name(name).is_some() || is_dot(name) || is_text(name) {
        return Ok(());
    }
    if args.files.len() > 1 || Format::of_name(Path::new(name)).is_none() {
        bail!("the ending of {name} names no picture; use .svg, .png, .txt, or .dot for graphs");
    }
    bail!("{name} is not a picture; `otus convert` writes the other formats")
}

fn is_dot(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|ending| ending == "dot" || ending == "gv")
}

fn is_text(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|ending| ending == "txt")
}

/// Writes the drawing in the requested format, and opens it if `--open` is given.
fn finish(args: &DrawArgs, drawing: &Drawing) -> anyhow::Result<()> {
    let Some(name) = args.output.as_deref() else {
        return output::print(drawing.text()?);
    };
    if is_dot(name) {
        let dot = drawing.dot();
        let dot = dot.context("only searches and automata can be written for Graphviz (.dot)")?;
        output::deliver(name, dot.as_bytes(), None)?;
    } else if is_text(name) {
        output::deliver(name, drawing.text()?.as_bytes(), None)?;
    } else {
        let format = PictureFormat::of_name(name).unwrap_or(PictureFormat::Svg);
        picture::deliver(&drawing.render(format, &picture::style(&args.picture)?)?, name)?;
    }
    if args.open {
        picture::open(name);
    }
    Ok(())
}

/// A search, drawn by the command that makes it.
fn search(args: &DrawArgs, request: &DrawRequest, shell: &Shell) -> anyhow::Result<Status> {
    let output = args.output.as_deref().context(
        "a search is drawn to a file: add -o search.svg; `otus explore` prints one as text",
    )?;
    let is_trace =
        |file: &String| matches!(request.format_of(file), Some(Format::Htf | Format::Jsonl));
    let search = args.search_args(output);
    let files = args.files.clone();
    let exit = if args.files.iter().any(is_trace) {
        let defaults = AnalyzeArgs::parse_from([""]);
        super::analyze::run(&AnalyzeArgs { files, search, ..defaults }, shell)?
    } else {
        super::explore::run(&ExploreArgs { files, search, ..ExploreArgs::default() }, shell)?
    };
    if args.open {
        picture::open(output);
    }
    // A search with the verdict Fail has a picture as well. An unusable input has none.
    Ok(if exit == Status::Unusable { Status::Unusable } else { Status::Passed })
}
