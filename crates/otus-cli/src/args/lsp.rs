//! The arguments of `otus lsp`.

use clap::Parser;

use super::LimitArgs;

/// Answer an editor: problems, names and verdicts while you type.
///
/// An editor starts this command and talks to it over standard input and output (Language Server Protocol); it is of no use in a
/// terminal. It knows .hsf, .hif, .hcf, .htf and .ctl, otus.toml, .mmd and .puml, and the diagrams of Markdown documents, and it offers
///
/// - the problems that `otus lint` finds, with the corrections that it proposes;
/// - formatting, as `otus fmt` does it;
/// - definitions, references and renaming of lifelines and messages in all files that share them: signature, interaction,
///   traces, otus.toml and diagrams;
/// - the meaning of a word under the cursor, and the picture of a diagram;
/// - completion of words, names and settings;
/// - "analyze" above every specification, which shows the verdicts of the traces, logs or tests beside it.
///
/// The folder editors/ of the source has packages and settings for VS Code, Neovim, Helix and Emacs.
#[derive(Debug, Parser)]
#[command(mut_args(LimitArgs::timeout_for_each(
    "Leave a run undecided if its verdict takes more than this many seconds [default: 10]"
)))]
#[command(after_long_help = "\
Examples:
  otus lsp                                  what an editor starts
  otus lsp --timeout 60                     give verdicts more time

Exit status: 0 the editor ended the server, 1 the editor is gone without a word, 2 invalid command line.")]
pub(crate) struct LspArgs {
    /// Use standard input and output, which is the only way there is; some editors pass this flag.
    #[arg(long)]
    pub(crate) stdio: bool,
}
