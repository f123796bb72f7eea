//! The arguments of `otus watch`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use otus::UniformObservation;

use super::analyze::OBSERVED;
use super::{Choice, DeclaredArgs, LimitArgs, one_of};

/// Follow a running system, and tell when it leaves its sequence diagram.
///
/// Events come from the log files that the sources of otus.toml name, from standard input (`-`), or from the spans that services
/// export (OTLP over gRPC or HTTP); several inputs may be followed at once. All are read by the rules of otus.toml, as `otus
/// analyze` reads them; spans need no otus.toml.
///
/// A group (a request, a session, a test) is open until it ends. While it is open, every log may stop early; what is not explained
/// even so is a Fail that nothing can undo, and it is told at once, with the event that made it so. When the group ends, it gets
/// the verdict that `otus analyze` gives it. Spans arrive when they end, children before their parents, so groups of spans are judged
/// when they end, and not before.
///
/// A group ends some time (--grace) after a rule that `closes` it or after its root span, after a time without events (--idle),
/// or when too many groups are open (--max-open). Events that come later are counted as late; with --reopen, they let the group be
/// judged again, as its next generation.
///
/// Formulas of CTL are asked about every group as well, if otus.toml has [properties], or with --property. They speak of all
/// orders of events that the messages of the group leave open.
///
/// With --wal, everything that is received is on disk before it is acknowledged or judged, and a process that was killed goes on
/// where it was. The page "What `otus watch` promises" of the documentation says what this means in each case.
#[derive(Debug, Parser)]
#[command(mut_args(LimitArgs::timeout_for_each(
    "Leave a group undecided if its verdict takes more than this many seconds [default: 10]"
)))]
#[command(after_long_help = "\
Examples:
  otus watch                                     the files and the specification of otus.toml
  otus watch flow.mmd --follow --from-start      also what the files have already
  otus watch flow.mmd - < logs/Server.log        standard input
  otus watch flow.mmd --otlp-grpc 127.0.0.1:0 --otlp-http 127.0.0.1:0   spans
  otus watch --from-start --wal state/ --verdicts verdicts.jsonl   nothing is lost
  otus watch --metrics 127.0.0.1:0 --alerts http://127.0.0.1:9093  for a monitoring system
  otus watch --property 'mutex(p.critical, q.critical)'   a formula, beside the specification
  otus watch --for 60s --exit-on-fail --format jsonl   in CI
  otus watch flow.mmd --explain-memory           what a group remembers, and what bounds it

Exit status: 0 no Fail, 1 a Fail, 2 invalid input or command line, 3 undecided and no Fail.")]
#[expect(clippy::struct_excessive_bools, reason = "switches of a command")]
pub(crate) struct WatchArgs {
    /// The specification (all its files), and `-` for standard input [default: the specification of
    /// otus.toml].
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<String>,

    /// The mapping file [default: otus.toml in this folder or a parent folder].
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Follow the files of otus.toml, beside other inputs [default: only if there is no other input].
    #[arg(long)]
    pub(crate) follow: bool,

    /// Also read what the files have already, and not only what is written from now on.
    #[arg(long)]
    pub(crate) from_start: bool,

    /// Take spans over gRPC at ADDRESS, for example 127.0.0.1:4317.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) otlp_grpc: Option<SocketAddr>,

    /// Take spans over HTTP at ADDRESS, for example 127.0.0.1:4318.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) otlp_http: Option<SocketAddr>,

    /// The parts that may be missing from all logs when a group ends [default: prefix, unless otus.toml
    /// says otherwise].
    #[arg(long, value_name = "WHICH", value_parser = one_of(OBSERVED))]
    pub(crate) observed: Option<UniformObservation>,

    /// Also ask a CTL formula about every group, as `otus ctl` does. An answer that nothing can change any
    /// more is told at once, all others when the group ends [default: the properties of otus.toml].
    #[arg(long, value_name = "FORMULA")]
    pub(crate) property: Vec<String>,

    /// A file of such formulas (.ctl).
    #[arg(long, value_name = "FILE")]
    pub(crate) properties: Vec<String>,

    #[command(flatten)]
    pub(crate) declared: DeclaredArgs,

    /// Keep what is received in this folder, so that a killed process loses nothing; `none` keeps
    /// nothing [default: none].
    #[arg(long, value_name = "FOLDER")]
    pub(crate) wal: Option<String>,

    /// How long a group stays open after a rule closed it, or after its root span, for events that
    /// come by other ways.
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = span_of_time)]
    pub(crate) grace: Duration,

    /// After how long without an event a group ends.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = span_of_time)]
    pub(crate) idle: Duration,

    /// How many groups may be open; the one that was idle for longest ends first.
    #[arg(long, value_name = "NUMBER", default_value_t = 100_000)]
    pub(crate) max_open: usize,

    /// Keep ended groups for so long, and judge them again when late events come.
    #[arg(long, value_name = "SECONDS", value_parser = span_of_time)]
    pub(crate) reopen: Option<Duration>,

    /// How many events of a group are kept, to judge and to explain it.
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000)]
    pub(crate) kept: usize,

    /// How long a request of OTLP may be, unpacked.
    #[arg(long, value_name = "MIB", default_value_t = 16)]
    pub(crate) max_message: usize,

    /// How verdicts are printed.
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = one_of(FORMATS))]
    pub(crate) format: WatchFormat,

    /// Also print groups that pass.
    #[arg(long)]
    pub(crate) all: bool,

    /// Append every verdict to FILE in JSON, each once, also when a process goes on with --wal.
    #[arg(long, value_name = "FILE")]
    pub(crate) verdicts: Option<PathBuf>,

    /// Write an HTML page with what failed, when the watch ends.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,

    /// Answer /metrics (for Prometheus) and /healthz at ADDRESS.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) metrics: Option<SocketAddr>,

    /// Speak TLS at all addresses that Otus listens on: the certificate, and those that vouch for it (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,

    /// The private key of the certificate (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,

    /// Send an alert for each Fail to the Alertmanager at URL.
    #[arg(long, value_name = "URL")]
    pub(crate) alerts: Option<String>,

    /// End at the first Fail, with exit status 1.
    #[arg(long)]
    pub(crate) exit_on_fail: bool,

    /// End after this time, and judge the groups that are open then.
    #[arg(long = "for", value_name = "SECONDS", value_parser = span_of_time)]
    pub(crate) lasts: Option<Duration>,

    /// Say what an open group remembers, and what bounds it, and follow nothing.
    #[arg(long)]
    pub(crate) explain_memory: bool,
}

/// How verdicts are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WatchFormat {
    Text,
    Jsonl,
}

const FORMATS: &[Choice<WatchFormat>] = &[
    (WatchFormat::Text, "text", "Failures with their explanations"),
    (WatchFormat::Jsonl, "jsonl", "All verdicts, one JSON object per line"),
];

/// Parses a time in seconds, which may have a unit: `500ms`, `60s`, `5m`.
fn span_of_time(text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.find(|it: char| it.is_ascii_alphabetic()) {
        Some(at) => text.split_at(at),
        None => (text, "s"),
    };
    let unit = match unit {
        "ms" => 1e-3,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => f64::NAN,
    };
    let seconds = number.parse::<f64>().ok().map(|number| number * unit);
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| "expected a number of seconds, or one with a unit (ms, s, m, h)".to_owned())
}
