//! `otus draw`: specifications, traces, orders and searches as pictures.
//!
//! The files and `--what` decide what is drawn; `-o` decides in which form. A search is drawn by the
//! command that makes it, `otus explore` or `otus analyze`, which is called with its files.

mod order;
mod specification;
mod trace;

use std::path::Path;

use anyhow::{Context as _, bail};
use clap::Parser as _;
use otus_draw::{Scene, terminal};

use crate::args::{AnalyzeArgs, DrawArgs, ExploreArgs, What};
use crate::shell::Shell;
use otus::Format;
use crate::exit::Exit;
use crate::output;
use crate::picture::{self, Look, PictureFormat};

pub(crate) fn run(args: &DrawArgs, shell: &Shell) -> anyhow::Result<Exit> {
    if let Some(name) = &args.output {
        check_ending(name, args)?;
    }
    let what = args.what.unwrap_or_else(|| implied(args));
    refuse_idle(args, what)?;
    let drawing = match what {
        What::Search => return search(args, color),
        What::Sequence => specification::sequence(args, color)?,
        What::Term => specification::term(args, color)?,
        What::Automaton => specification::automaton(args, color)?,
        What::Trace => trace::draw(args, color)?,
        What::Order => order::draw(args, color)?,
        What::Lattice => order::draw_lattice(args, color)?,
    };
    // What is wrong with the input has been told.
    let Some(drawing) = drawing else { return Ok(Exit::Error) };
    finish(args, &drawing)?;
    Ok(Exit::Success)
}

/// Something drawn, in all the forms it has.
struct Drawing {
    scene: Scene,
    /// Made of characters, or why it is not.
    text: anyhow::Result<String>,
    /// For Graphviz, if it is a graph.
    dot: Option<String>,
}

impl Drawing {
    /// A picture that has no other form.
    fn picture(scene: Scene) -> Self {
        let text = Err(anyhow::anyhow!("this has no form made of text; add -o picture.svg"));
        Drawing { scene, text, dot: None }
    }
}

/// What files without `--what` ask for.
fn implied(args: &DrawArgs) -> What {
    let formats = || args.files.iter().map(|file| format_of(file, args));
    if formats().any(|format| format == Some(Format::Pot)) {
        What::Order
    } else if formats().any(|format| matches!(format, Some(Format::Htf | Format::Jsonl))) {
        What::Trace
    } else {
        What::Sequence
    }
}

/// Refuses what says how another picture is drawn.
fn refuse_idle(args: &DrawArgs, what: What) -> anyhow::Result<()> {
    let is_order = matches!(what, What::Order | What::Lattice);
    let idle = [
        ("--step", args.step.is_some() && what != What::Term, "a term: add --what term"),
        ("--positions", args.positions && what != What::Term, "a term: add --what term"),
        (
            "--automaton",
            args.automaton.is_some() && what != What::Automaton,
            "an automaton: add --what automaton",
        ),
        (
            "--cut",
            !args.cut.is_empty() && !is_order,
            "an order of events: name a .pot.json, or add --what order",
        ),
        ("--only-used", args.only_used && what != What::Sequence, "a sequence diagram"),
    ];
    if let Some((flag, _, kind)) = idle.into_iter().find(|(_, is_idle, _)| *is_idle) {
        bail!("{flag} is about the picture of {kind}");
    }
    Ok(())
}

/// The format of a file, by its ending or by `--from`.
fn format_of(file: &str, args: &DrawArgs) -> Option<Format> {
    Format::of_name(Path::new(file)).or(args.from)
}

fn check_ending(name: &str, args: &DrawArgs) -> anyhow::Result<()> {
    if PictureFormat::of(name).is_some() || is_dot(name) || is_text(name) {
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

/// How a drawing made of text is drawn: as wide as the terminal is.
fn text_options(args: &DrawArgs) -> terminal::Options {
    let columns = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    terminal::Options {
        width: args.width.or(columns).unwrap_or(100),
        ascii: args.ascii,
        ..terminal::Options::default()
    }
}

/// What a picture is called.
fn title(what: &str, args: &DrawArgs) -> String {
    let name = |file: &String| match Path::new(file).file_name() {
        Some(name) => name.to_string_lossy().into_owned(),
        None => file.clone(),
    };
    let names: Vec<String> = args.files.iter().map(name).collect();
    format!("{what} of {}", names.join(", "))
}

/// Writes the drawing in the form that is asked for, and shows it if that is wanted.
fn finish(args: &DrawArgs, drawing: &Drawing) -> anyhow::Result<()> {
    let text = || drawing.text.as_ref().map_err(|reason| anyhow::anyhow!("{reason:#}"));
    let Some(name) = args.output.as_deref() else {
        return output::print(text()?);
    };
    if is_dot(name) {
        let dot = drawing.dot.as_ref();
        let dot = dot.context("only searches and automata can be written for Graphviz (.dot)")?;
        write_text(name, dot)?;
    } else if is_text(name) {
        write_text(name, text()?)?;
    } else {
        Look::new(&args.picture)?.write(&drawing.scene, name)?;
    }
    if args.open {
        picture::open(name);
    }
    Ok(())
}

fn write_text(name: &str, text: &str) -> anyhow::Result<()> {
    output::write_file(Path::new(name), text)?;
    output::complain(&format!("wrote {name}"));
    Ok(())
}

/// A search is drawn by the command that makes it.
fn search(args: &DrawArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let output = args.output.as_deref().context(
        "a search is drawn to a file: add -o search.svg; `otus explore` prints one as text",
    )?;
    let traces = args
        .files
        .iter()
        .any(|file| matches!(format_of(file, args), Some(Format::Htf | Format::Jsonl)));
    let mut words = vec!["otus".to_owned()];
    words.extend(args.files.iter().cloned());
    words.extend(["--graph".to_owned(), output.to_owned()]);
    words.push(format!("--graph-nodes={}", args.max_nodes));
    words.push(format!("--theme={}", args.picture.theme.name()));
    words.push(format!("--scale={}", args.picture.scale));
    words.extend(args.picture.font.iter().map(|font| format!("--font={}", font.display())));
    let exit = if traces {
        super::analyze::run(&AnalyzeArgs::try_parse_from(words)?, color)?
    } else {
        super::explore::run(&ExploreArgs::try_parse_from(words)?, color)?
    };
    if args.open {
        picture::open(output);
    }
    // A Fail was drawn as well as anything else; what could not be read was not.
    Ok(if exit == Exit::Error { Exit::Error } else { Exit::Success })
}
