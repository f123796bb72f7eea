//! What is followed, when groups end, and what is allowed.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// All settings of a watch.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches")]
pub struct Config {
    /// Where events come from.
    pub inputs: Inputs,
    /// Formulas that are asked about every group, beside the specification; without any, those of `otus.toml`.
    pub formulas: Vec<String>,
    /// Files of formulas.
    pub formula_files: Vec<String>,
    /// When a group ends.
    pub closing: Closing,
    /// What an input may cost.
    pub limits: Limits,
    /// The folder of the write-ahead log; without one, what was received is lost if the process is killed.
    pub log: Option<PathBuf>,
    /// How verdicts are printed.
    pub format: Format,
    /// Whether text has colours.
    pub colored: bool,
    /// Whether all verdicts are printed as text, and not only those that are no success.
    pub all: bool,
    /// The file of verdicts, to which each is appended once, in JSON.
    pub verdicts: Option<PathBuf>,
    /// The HTML page with what failed, written at the end.
    pub report: Option<PathBuf>,
    /// Where `/metrics` and `/healthz` are answered.
    pub metrics: Option<SocketAddr>,
    /// With which certificate the receivers and `/metrics` speak TLS; without one, they do not.
    pub tls: Option<Tls>,
    /// The address of an Alertmanager, as `http://host:port/path`.
    pub alerts: Option<String>,
    /// Whether the first Fail ends the watch.
    pub exit_on_fail: bool,
    /// The time after which the watch ends.
    pub lasts: Option<Duration>,
    /// Whether a line of status is shown.
    pub status: bool,
}

/// Where events come from. At least one is needed.
#[derive(Debug, Clone, Default)]
pub struct Inputs {
    /// The files of the mapping, as they grow.
    pub files: bool,
    /// Whether files that are there at the beginning are read from their beginning, and not from their end.
    pub from_start: bool,
    /// Standard input.
    pub stdin: bool,
    /// Export requests of OTLP over gRPC.
    pub grpc: Option<SocketAddr>,
    /// Export requests of OTLP over HTTP.
    pub http: Option<SocketAddr>,
}

/// The files of a server's identity, in PEM.
#[derive(Debug, Clone)]
pub struct Tls {
    /// Its certificate, and those that vouch for it.
    pub certificate: PathBuf,
    /// The private key of its certificate.
    pub key: PathBuf,
}

/// When a group ends.
#[derive(Debug, Clone)]
pub struct Closing {
    /// The time between a rule that `closes`, or the end of a root span, and the end of the group.
    pub grace: Duration,
    /// The time without an event after which a group ends.
    pub idle: Duration,
    /// The most groups that are open; beyond, the one ends that was idle for longest.
    pub most_open: usize,
    /// How long the events of a group are kept after its end, so that late events let it be judged again.
    pub reopen: Option<Duration>,
}

impl Default for Closing {
    fn default() -> Closing {
        Closing {
            grace: Duration::from_secs(2),
            idle: Duration::from_mins(1),
            most_open: 100_000,
            reopen: None,
        }
    }
}

/// What an input may cost.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The most bytes of one request, unpacked.
    pub message: usize,
    /// The most attributes of one request.
    pub attributes: usize,
    /// The most events that are kept of one group.
    pub kept: usize,
    /// The most failures that are explained.
    pub explained: usize,
    /// The most ended groups whose keys are remembered, so that late events are known as such.
    pub remembered: usize,
    /// The time after which work on one verdict ends undecided.
    pub timeout: Option<Duration>,
    /// The most bytes that the tables of one analysis take.
    pub tables: Option<u64>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            message: 16 << 20,
            attributes: 1_000_000,
            kept: 10_000,
            explained: 1000,
            remembered: 300_000,
            timeout: Some(Duration::from_secs(10)),
            tables: None,
        }
    }
}

/// How verdicts are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// For people: failures with their explanation.
    #[default]
    Text,
    /// A JSON object on each line, for every verdict.
    Jsonl,
}
