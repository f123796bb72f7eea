//! The arguments of `otus explore`, `otus draw` and `otus generate`.

use clap::Parser;
use otus::Format;
use otus::draw::{AutomatonKind, What};

use super::common::FORMATS;
use super::{Choice, PictureArgs, SearchArgs, WriteArgs, one_of};

/// Show the executions of an interaction, step by step.
///
/// Prints the execution tree: one line per step with its position, `✓` where the interaction may
/// end, `…` where a filter stopped the search. With --traces (or a `tracegen` logger in the options)
/// it writes multi-traces instead. An interaction with loops has infinitely many executions: bound
/// the search with --filters.
#[derive(Debug, Default, Parser)]
#[command(after_long_help = "\
Examples:
  otus explore sig.hsf model.hif conf.hcf                    with options from a file
  otus explore flow.mmd --filters '[max_depth = 4]'          the first four steps
  otus explore flow.mmd --graph tree.dot                     for Graphviz
  otus explore flow.mmd --traces exact -o runs/              accepted multi-traces, one file each
  otus explore flow.mmd --traces prefix --partition trivial  global prefixes, one per line")]
pub(crate) struct ExploreArgs {
    /// All files of one specification, and options (.hcf).
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,

    #[command(flatten)]
    pub(crate) search: SearchArgs,

    /// Write the multi-traces of accepting nodes (exact), all nodes (prefix), or leaves (terminal).
    #[arg(long, value_name = "WHICH")]
    pub(crate) traces: Option<String>,

    /// The lifelines that share a clock in them: discrete, trivial, or {(l1,l2),(l3)}.
    #[arg(long, value_name = "PARTITION")]
    pub(crate) partition: Option<String>,

    #[command(flatten)]
    pub(crate) write: WriteArgs,

    /// The format of standard input and of files whose names do not tell it.
    #[arg(long, value_name = "FORMAT", value_parser = one_of(FORMATS))]
    pub(crate) from: Option<Format>,
}

/// Draw a specification, a trace, a partial order, or a search.
///
/// By default, a specification is drawn as a sequence diagram, a multi-trace as one lane per log, and
/// a partial-order trace as a space-time diagram. --what asks for something else: the term of an
/// interaction as a tree, its automaton, the search of `otus explore` (a specification alone) or of
/// `otus analyze` (with a multi-trace; options from a .hcf).
///
/// Without -o, a text drawing is printed. Pictures need no other program and no installed font, and
/// are the same bytes on every machine.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus draw flow.mmd                                      on the terminal
  otus draw sig.hsf model.hif -o model.svg                a sequence diagram
  otus draw docs/checkout.md#login -o login.png --theme dark
  otus draw model.hsf --what term --positions -o term.svg    the operators as a tree
  otus draw model.hsf --what term --step 'subscriber!subscribe@11' -o step.svg  the effect of a step
  otus draw model.hsf --what automaton -o automaton.svg   states and transitions
  otus draw model.hsf run.htf -o run.svg                  the observed logs, one lane each
  otus draw run.pot.json --cut p=1,q=0 -o order.svg       events, messages, and a cut
  otus draw run.pot.json --what lattice -o lattice.svg    all its cuts
  otus draw model.hsf --what search -o explored.svg       the execution tree
  otus draw model.hsf run.htf conf.hcf --what search -o search.svg
  otus draw flow.mmd -o - > flow.svg                      SVG on standard output")]
#[expect(clippy::struct_excessive_bools, reason = "switches of a command")]
pub(crate) struct DrawArgs {
    /// All files of a specification, a trace, options (.hcf).
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,

    /// The file to write: .svg, .png or .txt, .dot for graphs; `-`: SVG to standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,

    /// The kind of drawing.
    #[arg(long, value_name = "WHAT", value_parser = one_of(DRAWINGS))]
    pub(crate) what: Option<Drawn>,

    #[command(flatten)]
    pub(crate) picture: PictureArgs,

    /// Open the picture in the desktop's viewer.
    #[arg(long, requires = "output")]
    pub(crate) open: bool,

    /// Leave out lifelines that have no action.
    #[arg(long)]
    pub(crate) only_used: bool,

    /// In a term: label every node with its position.
    #[arg(long)]
    pub(crate) positions: bool,

    /// In a term: show the effect of executing an action at a position, as `a!m@121`.
    #[arg(long, value_name = "ACTION@POSITION")]
    pub(crate) step: Option<String>,

    /// In a partial order: draw a cut, given by the number of events of each process before it, as
    /// `p=1,q=2`; may be repeated to draw a run of cuts.
    #[arg(long, value_name = "CUT")]
    pub(crate) cut: Vec<String>,

    /// The automaton: as the rules derive it, made deterministic, or made minimal [default:
    /// minimal].
    #[arg(long, value_name = "KIND", value_parser = one_of(AUTOMATA))]
    pub(crate) automaton: Option<AutomatonKind>,

    /// The maximum number of states of an automaton, or of nodes of a search, to draw.
    #[arg(long, default_value_t = 200, value_name = "NUMBER")]
    pub(crate) max_nodes: usize,

    /// The maximum width of a text drawing.
    #[arg(long, value_name = "COLUMNS")]
    pub(crate) width: Option<usize>,

    /// Use only ASCII characters in text drawings.
    #[arg(long)]
    pub(crate) ascii: bool,

    /// The format of standard input and of files whose names do not tell it.
    #[arg(long, value_name = "FORMAT", value_parser = one_of(FORMATS))]
    pub(crate) from: Option<Format>,
}

/// A drawing of `otus draw`.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Drawn {
    File(What),
    Search,
}

const DRAWINGS: &[Choice<Drawn>] = &[
    (Drawn::File(What::Sequence), "sequence", "A sequence diagram of a specification"),
    (Drawn::File(What::Term), "term", "The term of a specification as a tree"),
    (Drawn::File(What::Trace), "trace", "A multi-trace, one lane per log"),
    (Drawn::File(What::Order), "order", "A partial-order trace, as a space-time diagram"),
    (
        Drawn::File(What::Lattice),
        "lattice",
        "All cuts of a partial-order trace, and the events between them",
    ),
    (Drawn::Search, "search", "The search of `otus explore` or `otus analyze`"),
    (Drawn::File(What::Automaton), "automaton", "The automaton of a specification"),
];

const AUTOMATA: &[Choice<AutomatonKind>] = &[
    (AutomatonKind::Rules, "rules", "One state for each term that the rules derive"),
    (AutomatonKind::Deterministic, "deterministic", "At most one transition per state and event"),
    (AutomatonKind::Minimal, "minimal", "The smallest deterministic automaton"),
];
/// Make random multi-traces that a specification accepts.
///
/// The same seed gives the same multi-traces. None is written twice.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus generate flow.mmd --count 100 --max-length 20         one per line
  otus generate sig.hsf model.hif --count 10 -o runs/        one file each
  otus generate flow.mmd --seed 7 --partition trivial        global traces")]
pub(crate) struct GenerateArgs {
    /// All files of one specification.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,

    /// The number of multi-traces.
    #[arg(long, default_value_t = 10, value_name = "NUMBER")]
    pub(crate) count: usize,

    /// The maximum number of events of each.
    #[arg(long, default_value_t = 20, value_name = "NUMBER")]
    pub(crate) max_length: usize,

    /// The seed of random choices.
    #[arg(long, default_value_t = 0, value_name = "NUMBER")]
    pub(crate) seed: u64,

    /// The lifelines that share a clock in them: discrete, trivial, or {(l1,l2),(l3)}.
    #[arg(long, value_name = "PARTITION")]
    pub(crate) partition: Option<String>,

    #[command(flatten)]
    pub(crate) write: WriteArgs,

    /// The format of standard input and of files whose names do not tell it.
    #[arg(long, value_name = "FORMAT", value_parser = one_of(FORMATS))]
    pub(crate) from: Option<Format>,
}

impl DrawArgs {
    /// The arguments of the search that `--what search` draws to a file.
    pub(crate) fn search_args(&self, output: &str) -> SearchArgs {
        SearchArgs {
            graph: Some(output.to_owned()),
            graph_nodes: self.max_nodes,
            picture: self.picture.clone(),
            ..SearchArgs::default()
        }
    }
}
