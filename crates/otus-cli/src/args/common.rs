//! Arguments that several commands have.

use std::path::PathBuf;

use clap::ValueEnum;

/// Which raw logs, and how they are read.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct LogArgs {
    /// How logs are read [default: the otus.toml in their folder or above].
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<String>,

    /// Only the group of raw logs with this key.
    #[arg(long, value_name = "KEY")]
    pub(crate) group: Option<String>,
}

/// How a search goes, whatever it is for.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct SearchArgs {
    /// Which node is taken next: DFS, BFS or HCS.
    #[arg(long, value_name = "STRATEGY")]
    pub(crate) strategy: Option<String>,

    /// What moves a step before its siblings: [reception = 1, loop = -1], random.
    #[arg(long, value_name = "LIST")]
    pub(crate) priorities: Option<String>,

    /// What bounds the search: `[max_depth = 20, max_loop_depth = 3, max_node_number = 100]`.
    #[arg(long, value_name = "LIST")]
    pub(crate) filters: Option<String>,

    /// Where randomness comes from.
    #[arg(long, default_value_t = 0, value_name = "NUMBER")]
    pub(crate) seed: u64,

    /// End the search after this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub(crate) timeout: Option<f64>,

    /// Write the search as a graph (.svg, .png, .dot or .json; `-` is DOT on standard output).
    #[arg(long, value_name = "FILE")]
    pub(crate) graph: Option<String>,

    /// How many nodes of the search a picture of it shows.
    #[arg(long, default_value_t = SearchArgs::GRAPH_NODES, value_name = "NUMBER")]
    pub(crate) graph_nodes: usize,

    #[command(flatten)]
    pub(crate) picture: PictureArgs,
}

impl SearchArgs {
    /// How many nodes a picture shows unless it is said.
    pub(crate) const GRAPH_NODES: usize = 200;
}

/// How long something may take.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0);
    let number = number.filter(|&it| std::time::Duration::try_from_secs_f64(it).is_ok());
    number.ok_or_else(|| "it takes a number of seconds above 0".to_owned())
}

/// How much memory something may take.
pub(super) fn mebibytes(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|&number| number > 0);
    number.ok_or_else(|| "it takes a whole number of MiB above 0".to_owned())
}

/// Where multi-traces are written.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct WriteArgs {
    /// Where to write: a .jsonl, or a folder (`out/`) for a .htf each. Otherwise standard output.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<String>,

    /// Overwrite files that exist.
    #[arg(long)]
    pub(crate) force: bool,
}

/// How pictures look.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct PictureArgs {
    /// Which colours a picture has; `auto` follows the viewer (SVG only).
    #[arg(long, value_enum, default_value_t = PictureTheme::Light, value_name = "THEME")]
    pub(crate) theme: PictureTheme,

    /// How many pixels a PNG has for each unit.
    #[arg(long, default_value_t = 2.0, value_name = "NUMBER")]
    pub(crate) scale: f64,

    /// A font file (.ttf, .otf) for characters that the font of Otus lacks, in PNG; may be
    /// repeated.
    #[arg(long, value_name = "FILE")]
    pub(crate) font: Vec<PathBuf>,
}

/// Which colours a picture has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum PictureTheme {
    /// Dark on white.
    #[default]
    Light,
    /// Light on black.
    Dark,
    /// As the viewer prefers.
    Auto,
}

/// Which automaton.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AutomatonKind {
    /// A state for each term that the rules lead to.
    Rules,
    /// At most one way to read each event.
    Deterministic,
    /// The smallest deterministic one.
    Minimal,
}

/// The formats of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TextFormat {
    /// Signature, or everything in one file as in 2020.
    Hsf,
    /// Interaction.
    Hif,
    /// Options.
    Hcf,
    /// Mermaid sequence diagram.
    Mermaid,
    /// PlantUML sequence diagram.
    Plantuml,
    /// Markdown with diagrams in it.
    Markdown,
    /// Multi-trace.
    Htf,
    /// Multi-traces, one JSON object a line.
    Jsonl,
    /// Partial-order trace (.pot.json).
    Pot,
    /// Formulas.
    Ctl,
}

impl From<TextFormat> for otus::Format {
    fn from(format: TextFormat) -> Self {
        match format {
            TextFormat::Hsf => Self::Hsf,
            TextFormat::Hif => Self::Hif,
            TextFormat::Hcf => Self::Hcf,
            TextFormat::Mermaid => Self::Mermaid,
            TextFormat::Plantuml => Self::Plantuml,
            TextFormat::Markdown => Self::Markdown,
            TextFormat::Htf => Self::Htf,
            TextFormat::Jsonl => Self::Jsonl,
            TextFormat::Pot => Self::Pot,
            TextFormat::Ctl => Self::Ctl,
        }
    }
}

impl From<AutomatonKind> for otus::draw::AutomatonKind {
    fn from(kind: AutomatonKind) -> Self {
        match kind {
            AutomatonKind::Rules => Self::Rules,
            AutomatonKind::Deterministic => Self::Deterministic,
            AutomatonKind::Minimal => Self::Minimal,
        }
    }
}
