//! `otus draw`: specifications, traces, orders and searches as pictures.
//!
//! The files and `--what` select the drawing; `-o` selects its format. A search is drawn by the command that makes it:
//! `otus explore`, or `otus analyze` if there is a multi-trace.

use std::path::Path;

use anyhow::{Context as _, bail};
use otus::Format;
use otus::draw::{DrawRequest, Drawing, draw};

use crate::args::{AnalyzeArgs, DrawArgs, ExploreArgs, What};
use crate::exit::Exit;
use crate::output;
use crate::picture::{self, Look, PictureFormat};
use crate::shell::Shell;

pub(crate) fn run(args: &DrawArgs, shell: &Shell) -> anyhow::Result<Exit> {
    if let Some(name) = &args.output {
        check_ending(name, args)?;
    }
    let columns = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let mut request = DrawRequest {
        names: args.files.clone(),
        from: args.from.map(Into::into),
        what: None,
        only_used: args.only_used,
        positions: args.positions,
        step: args.step.clone(),
        cuts: args.cut.clone(),
        automaton: args.automaton.map(Into::into),
        max_nodes: args.max_nodes,
        width: args.width.or(columns).unwrap_or(100),
        ascii: args.ascii,
    };
    match args.what.map(otus::draw::What::try_from) {
        Some(Ok(what)) => request.what = Some(what),
        Some(Err(())) => return search(args, &request, shell),
        None => {}
    }
    finish(args, &draw(&shell.context, &request)?)?;
    Ok(Exit::Success)
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
        let look = Look::new(&args.picture)?;
        let format = PictureFormat::of_name(name).unwrap_or(PictureFormat::Svg);
        picture::deliver(&drawing.render(format, &look.style())?, name)?;
    }
    if args.open {
        picture::open(name);
    }
    Ok(())
}

/// A search, drawn by the command that makes it.
fn search(args: &DrawArgs, request: &DrawRequest, shell: &Shell) -> anyhow::Result<Exit> {
    let output = args.output.as_deref().context(
        "a search is drawn to a file: add -o search.svg; `otus explore` prints one as text",
    )?;
    let is_trace =
        |file: &String| matches!(request.format_of(file), Some(Format::Htf | Format::Jsonl));
    let search = args.search_args(output);
    let exit = if args.files.iter().any(is_trace) {
        let files = args.files.clone();
        super::analyze::run(&AnalyzeArgs { files, search, ..AnalyzeArgs::default() }, shell)?
    } else {
        let files = args.files.clone();
        super::explore::run(&ExploreArgs { files, search, ..ExploreArgs::default() }, shell)?
    };
    if args.open {
        picture::open(output);
    }
    // A Fail has a picture as well; an unusable input has none.
    Ok(if exit == Exit::Error { Exit::Error } else { Exit::Success })
}

impl TryFrom<What> for otus::draw::What {
    type Error = ();

    /// Returns an error for a search, which is not a drawing of a file.
    fn try_from(what: What) -> Result<Self, ()> {
        Ok(match what {
            What::Sequence => Self::Sequence,
            What::Term => Self::Term,
            What::Trace => Self::Trace,
            What::Order => Self::Order,
            What::Lattice => Self::Lattice,
            What::Automaton => Self::Automaton,
            What::Search => return Err(()),
        })
    }
}
