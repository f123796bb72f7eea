//! The arguments of `otus studio`.

use std::path::PathBuf;

use clap::Parser;

use super::LimitArgs;

/// Explore diagrams, logs and failures of a folder in a browser.
///
/// The studio is a web page that this program serves to this machine only. In it, the verdicts of runs follow the diagram while you
/// type; a failure is shown step by step, with the lines of the logs beside the diagram, and says why something cannot be matched where
/// you click; lines of logs become rules of otus.toml by marking their parts; the orders of a run can be walked through, with a formula
/// that is true or false at each cut; and the runs of a folder are a table, in which two of them can be compared.
///
/// Open the address that it prints. The address contains a secret, so that no other page and no other user of this machine can ask:
/// do not pass it on. The studio reads and writes only files in the folder, loads nothing from elsewhere, and sends nothing anywhere.
/// Files are written only when you save; if a file was changed on disk in the meantime, it is not overwritten.
///
/// Ctrl-C ends it.
#[derive(Debug, Parser)]
#[command(mut_args(LimitArgs::timeout_for_each(
    "Leave a run undecided if its verdict takes more than this many seconds [default: 10]"
)))]
#[command(after_long_help = "\
Examples:
  otus studio                           the folder you are in
  otus studio examples/otel-shop        another folder
  otus studio --port 8080               at a certain port
  otus studio --for 60 > url.txt        for a script: the address is the only line of the output

Exit status: 0 ended as asked, 2 the folder or the port cannot be used.")]
pub(crate) struct StudioArgs {
    /// The folder with diagrams and logs.
    #[arg(default_value = ".", value_name = "FOLDER")]
    pub(crate) folder: PathBuf,

    /// The port on 127.0.0.1; 0 takes any free one.
    #[arg(long, default_value_t = 0, value_name = "PORT")]
    pub(crate) port: u16,

    /// End after this many seconds.
    #[arg(long = "for", value_name = "SECONDS")]
    pub(crate) lasts: Option<u64>,
}
