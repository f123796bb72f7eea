//! The arguments of `otus explore`, `otus draw` and `otus generate`.

use clap::Parser;
use otus::Format;
use otus::draw::{AutomatonKind, What};

use super::common::FORMATS;
use super::{Choice, PictureArgs, SearchArgs, WriteArgs, one_of};

/// Show the executions of an interaction, step by step.
///
/// Otus prints the execution tree: one line per step with its position, `✓` where the interaction may
/// end, `…` where a bound (--filters) stopped the search. A position is the path from the root of the
/// interaction to the action: 121 is operand 1, then 2, then 1, and ε is the root. With --traces (or a
/// `tracegen` logger in the options), Otus writes multi-traces instead: each has one log per lifeline,
/// or per group of lifelines that share a clock.
///
/// An interaction with loops has infinitely many executions, so bound the search with --filters;
/// without a bound, it stops at 6 steps on a path and 500 nodes.
#[derive(Debug, Default, Parser)]
#[command(after_long_help = "\
Examples:
  otus explore sig.hsf model.hif conf.hcf                    with options from a file
  otus explore flow.mmd --filters '[max_depth = 4]'          the first four steps
  otus explore flow.mmd --graph tree.dot                     for Graphviz
  otus explore flow.mmd --traces exact -o runs/              accepted multi-traces, one per file
  otus explore flow.mmd --traces prefix --partition trivial  prefixes, one log for all lifelines

Exit status: 0 done, 2 invalid input or command line, 3 ended by --timeout, a limit or Ctrl-C.")]
pub(crate) struct ExploreArgs {
    /// All files of one specification, and optionally an options file (.hcf).
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,

    #[command(flatten)]
    pub(crate) search: SearchArgs,

    /// Write one multi-trace per node instead of the tree: for nodes where the interaction may end
    /// (exact), for all nodes (prefix), or for nodes without a next step (terminal).
    #[arg(long, value_name = "WHICH")]
    pub(crate) traces: Option<String>,

    /// Which lifelines share a log: `discrete` (each has its own), `trivial` (one log for all), or a
    /// grouping such as {(l1,l2),(l3)} [default: discrete].
    #[arg(long, value_name = "PARTITION")]
    pub(crate) partition: Option<String>,

    #[command(flatten)]
    pub(crate) write: WriteArgs,

    /// The format of standard input, and of files whose extension does not show it.
    #[arg(long, value_name = "FORMAT", value_parser = one_of(FORMATS))]
    pub(crate) from: Option<Format>,
}

/// Draw a specification, a trace, a partial order, or the search of an analysis.
///
/// By default, a specification is drawn as a sequence diagram, a multi-trace (one log per lifeline, or
/// per group of lifelines that share a clock) as one lane per log, and a partial-order trace as a
/// space-time diagram. --what asks for something else: the operators of the interaction as a tree,
/// its automaton, all cuts of a partial-order trace, or a search. For a specification alone, the
/// search is that of `otus explore`. With a multi-trace, it is that of `otus analyze`; a .hcf gives
/// its options.
///
/// Without -o, a text drawing is printed. Pictures need no other program and no installed font, and
/// are byte-for-byte identical on every machine; only a PNG with characters that the built-in font
/// lacks takes them from the system's fonts.
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
  otus draw run.pot.json --what ist --formula 'x = 1' -o tree.svg  some cuts as a sharing tree
  otus draw model.hsf --what search -o explored.svg       the execution tree
  otus draw model.hsf run.htf conf.hcf --what search -o search.svg
  otus draw flow.mmd -o - > flow.svg                      SVG on standard output

Exit status: 0 done, 2 invalid input or command line.")]
#[expect(clippy::struct_excessive_bools, reason = "switches of a command")]
pub(crate) struct DrawArgs {
    /// What to draw: a specification (all its files) or a trace, or both if the drawing needs them, and
    /// optionally an options file (.hcf).
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,

    /// The file to write: .svg, .png or .txt; for searches and automata also .dot; `-` writes SVG to
    /// standard output [default: print a text drawing].
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,

    /// The kind of drawing; `otus draw --help` describes each [default: a sequence diagram of a
    /// specification, one lane per log of a multi-trace, a space-time diagram of a partial-order
    /// trace].
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

    /// With --what term: label every node with its position, the path from the root: 121 is child 1,
    /// then 2, then 1.
    #[arg(long)]
    pub(crate) positions: bool,

    /// With --what term: show the effect of executing an action at a position, for example
    /// `a!m@121`.
    #[arg(long, value_name = "ACTION@POSITION")]
    pub(crate) step: Option<String>,

    /// In a drawing of a partial order: draw a cut, given by the number of events of each process
    /// before it, for example `p=1,q=2`; may be repeated to draw a sequence of cuts.
    #[arg(long, value_name = "CUT")]
    pub(crate) cut: Vec<String>,

    /// With --what ist: draw the cuts at which this formula holds [default: true, which holds at all
    /// cuts].
    #[arg(long, value_name = "FORMULA")]
    pub(crate) formula: Option<String>,

    /// With --what automaton: the automaton as the execution rules of interactions produce it
    /// (rules), made deterministic (deterministic), or made minimal (minimal) [default: minimal].
    #[arg(long, value_name = "KIND", value_parser = one_of(AUTOMATA))]
    pub(crate) automaton: Option<AutomatonKind>,

    /// The maximum number of states of an automaton, or of nodes of a search, to draw.
    #[arg(long, default_value_t = 200, value_name = "NUMBER")]
    pub(crate) max_nodes: usize,

    /// The maximum width of a text drawing [default: the width of the terminal, or 100].
    #[arg(long, value_name = "COLUMNS")]
    pub(crate) width: Option<usize>,

    /// Use only ASCII characters in text drawings.
    #[arg(long)]
    pub(crate) ascii: bool,

    /// The format of standard input, and of files whose extension does not show it.
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
    (Drawn::File(What::Term), "term", "The operators of an interaction as a tree (its term)"),
    (Drawn::File(What::Trace), "trace", "A multi-trace, one lane per log"),
    (Drawn::File(What::Order), "order", "A partial-order trace, as a space-time diagram"),
    (
        Drawn::File(What::Lattice),
        "lattice",
        "All cuts of a partial-order trace, and the events between them",
    ),
    (
        Drawn::File(What::SharingTree),
        "ist",
        "The cuts at which a formula holds, as an interval sharing tree (Kalyon et al., 2007)",
    ),
    (Drawn::Search, "search", "The search of `otus explore` or `otus analyze`"),
    (Drawn::File(What::Automaton), "automaton", "The automaton of a specification"),
];

const AUTOMATA: &[Choice<AutomatonKind>] = &[
    (
        AutomatonKind::Rules,
        "rules",
        "One state for each interaction that the execution rules produce",
    ),
    (AutomatonKind::Deterministic, "deterministic", "At most one transition per state and event"),
    (AutomatonKind::Minimal, "minimal", "The smallest deterministic automaton"),
];
/// Make random multi-traces that a specification accepts.
///
/// A multi-trace has one log per lifeline, or per group of lifelines that share a clock. The same seed
/// gives the same multi-traces, and none is written twice. If Otus finds fewer than --count, because
/// there are no others or they are rare, it says so.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus generate flow.mmd --count 100 --max-length 20         print one multi-trace per line
  otus generate sig.hsf model.hif --count 10 -o runs/        write one file per multi-trace
  otus generate flow.mmd --seed 7 --partition trivial        one log for all lifelines

Exit status: 0 done, 1 no multi-trace is short enough, 2 invalid input or command line.")]
pub(crate) struct GenerateArgs {
    /// All files of one specification.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,

    /// The number of multi-traces (runs) to make.
    #[arg(long, default_value_t = 10, value_name = "NUMBER")]
    pub(crate) count: usize,

    /// The maximum number of events in each multi-trace.
    #[arg(long, default_value_t = 20, value_name = "NUMBER")]
    pub(crate) max_length: usize,

    /// The seed of random choices; the same seed gives the same multi-traces.
    #[arg(long, default_value_t = 0, value_name = "NUMBER")]
    pub(crate) seed: u64,

    /// Which lifelines share a log: `discrete` (each has its own), `trivial` (one log for all), or a
    /// grouping such as {(l1,l2),(l3)} [default: discrete].
    #[arg(long, value_name = "PARTITION")]
    pub(crate) partition: Option<String>,

    #[command(flatten)]
    pub(crate) write: WriteArgs,

    /// The format of standard input, and of files whose extension does not show it.
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
