//! `otus explore`, `otus generate` and `otus draw`: what an interaction is and does.

use clap::{Parser, ValueEnum};

use super::{AutomatonKind, PictureArgs, SearchArgs, TextFormat, WriteArgs};

/// Show what an interaction can do, step by step.
///
/// Prints the execution tree: a line per step with its position, `✓` where the interaction may
/// end, `…` where a filter cut. With --traces (or a `tracegen` logger in the options) it writes
/// multi-traces instead. An interaction with loops has no end: bound it by --filters.
#[derive(Debug, Default, Parser)]
#[command(after_long_help = "\
Examples:
  otus explore sig.hsf model.hif conf.hcf                    as the options say
  otus explore flow.mmd --filters '[max_depth = 4]'          the first four steps
  otus explore flow.mmd --graph tree.dot                     for Graphviz
  otus explore flow.mmd --traces exact -o runs/              accepted multi-traces, a file each
  otus explore flow.mmd --traces prefix --partition trivial  global prefixes, a line each")]
pub(crate) struct ExploreArgs {
    /// One specification (its files together) and options.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,

    #[command(flatten)]
    pub(crate) search: SearchArgs,

    /// Write multi-traces: of nodes that accept (exact), all (prefix), or leaves (terminal).
    #[arg(long, value_name = "WHICH")]
    pub(crate) traces: Option<String>,

    /// How lifelines share clocks in them: discrete, trivial, or {(l1,l2),(l3)}.
    #[arg(long, value_name = "PARTITION")]
    pub(crate) partition: Option<String>,

    #[command(flatten)]
    pub(crate) write: WriteArgs,

    /// How to read standard input and files without a telling name.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) from: Option<TextFormat>,
}

/// Draw a specification, a trace, an order of events, or a search.
///
/// What is drawn follows from the files: a sequence diagram of a specification, the lanes of a
/// multi-trace, the space-time diagram of a partial-order trace. --what asks for something else:
/// the term of an interaction as a tree, its automaton, the search of `otus explore` (a
/// specification alone) or of `otus analyze` (with a multi-trace; options from a .hcf).
///
/// Without -o, a drawing made of text is printed. Pictures need no other program and no installed
/// font, and are the same bytes on every machine.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus draw flow.mmd                                      on the terminal
  otus draw sig.hsf model.hif -o model.svg                a sequence diagram
  otus draw docs/checkout.md#login -o login.png --theme dark
  otus draw model.hsf --what term --positions -o term.svg    its operators as a tree
  otus draw model.hsf --what term --step 'subscriber!subscribe@11' -o step.svg  what a step does
  otus draw model.hsf --what automaton -o automaton.svg   its states and what leads from one to the next
  otus draw model.hsf run.htf -o run.svg                  what was observed, a lane per log
  otus draw run.pot.json --cut p=1,q=0 -o order.svg       events, messages, and a cut through them
  otus draw run.pot.json --what lattice -o lattice.svg    all cuts of it
  otus draw model.hsf --what search -o explored.svg       what it can do, step by step
  otus draw model.hsf run.htf conf.hcf --what search -o search.svg
  otus draw flow.mmd -o - > flow.svg                      SVG on standard output")]
#[expect(clippy::struct_excessive_bools, reason = "switches of a command")]
pub(crate) struct DrawArgs {
    /// A specification (its files together), a trace, options.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,

    /// Where to write it: .svg, .png or .txt, .dot for graphs; `-` is SVG on standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,

    /// What to draw.
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) what: Option<What>,

    #[command(flatten)]
    pub(crate) picture: PictureArgs,

    /// Show the picture in the desktop's viewer.
    #[arg(long, requires = "output")]
    pub(crate) open: bool,

    /// Leave out lifelines that have no action.
    #[arg(long)]
    pub(crate) only_used: bool,

    /// In a term: number every node by its position.
    #[arg(long)]
    pub(crate) positions: bool,

    /// In a term: show what executing an action at a position does, as `a!m@121`.
    #[arg(long, value_name = "ACTION@POSITION")]
    pub(crate) step: Option<String>,

    /// In an order of events: draw a cut, by how many events of each process are before it, as
    /// `p=1,q=2`; several are a run of cuts.
    #[arg(long, value_name = "CUT")]
    pub(crate) cut: Vec<String>,

    /// Which automaton: as the rules give it, made deterministic, or made minimal [default:
    /// minimal].
    #[arg(long, value_enum, value_name = "KIND")]
    pub(crate) automaton: Option<AutomatonKind>,

    /// How many states an automaton, or nodes a search, may have before parts are left out.
    #[arg(long, default_value_t = 200, value_name = "NUMBER")]
    pub(crate) max_nodes: usize,

    /// How wide a drawing made of text may be.
    #[arg(long, value_name = "COLUMNS")]
    pub(crate) width: Option<usize>,

    /// Make drawings of text from ASCII characters.
    #[arg(long)]
    pub(crate) ascii: bool,

    /// How to read standard input and files without a telling name.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) from: Option<TextFormat>,
}

/// What to draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum What {
    /// A sequence diagram of a specification.
    Sequence,
    /// The term of a specification as a tree.
    Term,
    /// A multi-trace, a lane per log.
    Trace,
    /// A partial-order trace, as a space-time diagram.
    Order,
    /// All cuts of a partial-order trace, and what leads from one to the next.
    Lattice,
    /// What `otus explore` or `otus analyze` looked at.
    Search,
    /// The automaton of a specification.
    Automaton,
}

/// Make random multi-traces that a specification accepts.
///
/// The same seed gives the same multi-traces. None is written twice.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus generate flow.mmd --count 100 --max-length 20         a line each
  otus generate sig.hsf model.hif --count 10 -o runs/        a file each
  otus generate flow.mmd --seed 7 --partition trivial        global traces")]
pub(crate) struct GenerateArgs {
    /// One specification (its files together).
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,

    /// How many.
    #[arg(long, default_value_t = 10, value_name = "NUMBER")]
    pub(crate) count: usize,

    /// How many events each may have.
    #[arg(long, default_value_t = 20, value_name = "NUMBER")]
    pub(crate) max_length: usize,

    /// Where randomness comes from.
    #[arg(long, default_value_t = 0, value_name = "NUMBER")]
    pub(crate) seed: u64,

    /// How lifelines share clocks in them: discrete, trivial, or {(l1,l2),(l3)}.
    #[arg(long, value_name = "PARTITION")]
    pub(crate) partition: Option<String>,

    #[command(flatten)]
    pub(crate) write: WriteArgs,

    /// How to read standard input and files without a telling name.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) from: Option<TextFormat>,
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
