//! Arguments that several commands have.

use std::path::PathBuf;

use otus::{Format, SearchOptions, Theme};

use super::{Choice, one_of};

/// The mapping and the group of raw logs.
#[derive(Debug, clap::Args)]
pub(crate) struct LogArgs {
    /// The mapping file, which says how lines of raw logs become actions [default: otus.toml in the
    /// folder of the logs or a parent folder].
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<String>,

    /// Read only one group of the raw logs: the run of the system with this key.
    #[arg(long, value_name = "KEY")]
    pub(crate) group: Option<String>,
}

/// The options of the searches of `explore` and `analyze`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct SearchArgs {
    /// The order in which nodes are explored: DFS (depth first), BFS (breadth first) or HCS (high
    /// coverage: prefers paths that differ most from those already explored) [default: DFS].
    #[arg(long, value_name = "STRATEGY")]
    pub(crate) strategy: Option<String>,

    /// Which of the steps that are possible at a node is taken first: a higher number goes first,
    /// for example [reception = 1, loop = -1]; `random` takes them in random order. The keys are
    /// `emission`, `reception`, `loop`, `simu`, `elim`, `step` and `multi_rdv`.
    ///
    /// The key `loop` is for actions inside a loop, `simu` for simulated steps, `elim` for removals of
    /// lifelines, `step` for all executed steps, and `multi_rdv` for rendez-vous of several lifelines.
    #[arg(long, value_name = "LIST")]
    pub(crate) priorities: Option<String>,

    /// The bounds of the search: the number of steps on a path (`max_depth`), of loop iterations begun
    /// on a path (`max_loop_depth`), and of nodes (`max_node_number`), for example `[max_depth = 20,
    /// max_node_number = 100]`.
    #[arg(long, value_name = "LIST")]
    pub(crate) filters: Option<String>,

    /// The seed of random choices; the same seed gives the same choices.
    #[arg(long, default_value_t = 0, value_name = "NUMBER")]
    pub(crate) seed: u64,

    /// Write the graph of the search to FILE (.svg, .png, .dot or .json); `-` writes DOT to standard
    /// output.
    #[arg(long, value_name = "FILE")]
    pub(crate) graph: Option<String>,

    /// The maximum number of nodes in the picture that --graph writes.
    #[arg(long, default_value_t = SearchArgs::GRAPH_NODES, value_name = "NUMBER")]
    pub(crate) graph_nodes: usize,

    #[command(flatten)]
    pub(crate) picture: PictureArgs,
}

impl SearchArgs {
    /// The default of `--graph-nodes`.
    pub(crate) const GRAPH_NODES: usize = 200;

    /// The options that all searches have.
    pub(crate) fn options(&self) -> SearchOptions {
        SearchOptions {
            strategy: self.strategy.clone(),
            priorities: self.priorities.clone(),
            filters: self.filters.clone(),
            seed: self.seed,
            ..SearchOptions::default()
        }
    }
}

/// The limits of every command.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitArgs {
    /// Stop after this many seconds, with exit status 3.
    #[arg(long, global = true, value_name = "SECONDS", value_parser = seconds)]
    #[arg(allow_negative_numbers = true)]
    pub(crate) timeout: Option<f64>,

    /// Stop when Otus uses more than this many MiB, with exit status 3 [default: three quarters of the
    /// free memory].
    ///
    /// The tables of a search may take three fifths of this memory; without this option, they may take
    /// at most 2048 MiB.
    #[arg(long, global = true, value_name = "MIB", value_parser = mebibytes)]
    pub(crate) memory: Option<u64>,
}

impl LimitArgs {
    /// Changes the help of `--timeout`, for a command that applies it to each question. A command gets the limits
    /// before its own arguments, because these are built later (`defer`).
    pub(super) fn timeout_for_each(help: &'static str) -> impl Fn(clap::Arg) -> clap::Arg {
        move |argument| match argument.get_id().as_str() {
            "timeout" => argument.help(help),
            _ => argument,
        }
    }
}

/// Parses a time limit in seconds.
fn seconds(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0);
    let number = number.filter(|&it| std::time::Duration::try_from_secs_f64(it).is_ok());
    number.ok_or_else(|| "expected a number of seconds above 0".to_owned())
}

/// Parses a memory limit in MiB.
fn mebibytes(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|&number| number > 0);
    number.ok_or_else(|| "expected a whole number of MiB above 0".to_owned())
}

/// The destination of multi-traces.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct WriteArgs {
    /// Write all resulting multi-traces to one .jsonl file, or to a folder (`out/`) with one .htf file
    /// per multi-trace [default: standard output].
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<String>,

    /// Overwrite files that exist.
    #[arg(long)]
    pub(crate) force: bool,
}

/// The appearance of pictures.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct PictureArgs {
    /// The colours of a picture; `auto` uses the light or dark setting of the program that shows the
    /// SVG.
    #[arg(long, value_name = "THEME", default_value = "light", value_parser = one_of(THEMES))]
    pub(crate) theme: Theme,

    /// The scale of a PNG: 2 doubles its width and height.
    #[arg(long, default_value_t = 2.0, value_name = "NUMBER")]
    pub(crate) scale: f64,

    /// A font file (.ttf, .otf) for characters that the built-in font lacks (PNG only), tried
    /// before the system's fonts; may be repeated.
    #[arg(long, value_name = "FILE")]
    pub(crate) font: Vec<PathBuf>,
}

const THEMES: &[Choice<Theme>] = &[
    (Theme::Light, "light", "Dark on white"),
    (Theme::Dark, "dark", "Light on black"),
    (Theme::Auto, "auto", "Light or dark, as set in the program that shows the SVG"),
];

/// The text formats.
pub(super) const FORMATS: &[Choice<Format>] = &[
    (Format::Hsf, "hsf", "Signature (names of lifelines and messages), or everything in one file"),
    (Format::Hif, "hif", "Interaction"),
    (Format::Hcf, "hcf", "Options of searches"),
    (Format::Mermaid, "mermaid", "Mermaid sequence diagram"),
    (Format::Plantuml, "plantuml", "PlantUML sequence diagram"),
    (Format::Markdown, "markdown", "Markdown with diagrams"),
    (Format::Htf, "htf", "Multi-trace"),
    (Format::Jsonl, "jsonl", "Case file: one multi-trace per line, as JSON"),
    (Format::Pot, "pot", "Partial-order trace (.pot.json)"),
    (Format::Ctl, "ctl", "CTL formulas"),
    (Format::Cnf, "cnf", "Boolean formula in conjunctive normal form (DIMACS)"),
];
