//! Inputs that never end: each has a thread, and sends batches to the one that owns the groups.

mod http;
mod receive;
mod rotated;
mod stdin;
mod tail;
mod tls;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use otus::Context;
use otus::live::Watched;
use otus_trace::mapping::Plan;
use otus_trace::read::Format;
use otus_trace::run::Stream;

use crate::batch::{FileMark, Sender};
use crate::config::Config;
use crate::counters::Counters;
use crate::error::{Error, Result};

/// Which sources of the mapping the inputs belong to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sources {
    stdin: Option<usize>,
    spans: Option<usize>,
}

impl Sources {
    /// Finds them, and refuses what cannot be followed.
    pub(crate) fn find(watched: &mut Watched, config: &Config) -> Result<Sources> {
        let inputs = &config.inputs;
        let receives = inputs.grpc.is_some() || inputs.http.is_some();
        let has_files = inputs.files && !watched.logs().sources.is_empty();
        if !has_files && !inputs.stdin && !receives {
            return Err(Error::Unfit(
                "there is nothing to follow: no source of an otus.toml has files; name `-` for standard input, or \
                 listen for spans by --otlp-grpc or --otlp-http"
                    .to_owned(),
            ));
        }
        let own = watched.logs().sources.len();
        if inputs.files {
            let sources = &watched.logs().sources;
            if sources.iter().all(|source| source.files.is_empty()) {
                return Err(Error::Unfit(
                    "no source of otus.toml says which files are followed; add `files = [\"logs/*.log\"]`".to_owned(),
                ));
            }
            if let Some(source) = sources.iter().find(|source| !Stream::reads(source.format)) {
                return Err(Error::Unfit(format!(
                    "{}: logs of the format `{}` cannot be read while they grow; text, JSON lines, canonical lines \
                     and OTLP can",
                    source.name,
                    source.format.name()
                )));
            }
        }
        let stdin = match (inputs.stdin, own) {
            (false, _) => None,
            (true, 1) if Stream::reads(watched.logs().sources[0].format) => Some(0),
            (true, 0) => watched.source_for(Format::Otlp),
            (true, _) => {
                return Err(Error::Unfit(
                    "standard input belongs to the only source of otus.toml, which must be text, JSON lines, canonical \
                     lines or OTLP; without an otus.toml it is OTLP as lines of JSON"
                        .to_owned(),
                ));
            }
        };
        let spans = if receives { watched.source_for(Format::Otlp) } else { None };
        Ok(Sources { stdin, spans })
    }
}

/// What inputs need to start.
pub(crate) struct Start<'s> {
    pub(crate) context: &'s Context,
    pub(crate) config: &'s Config,
    pub(crate) sources: Sources,
    /// How far an earlier process read the files.
    pub(crate) positions: Vec<(FileMark, String, u64, u32)>,
    pub(crate) sender: Sender,
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) counters: Arc<Counters>,
    pub(crate) folder: PathBuf,
    pub(crate) plan: &'s Plan,
}

/// Inputs that run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Running {
    /// The number of inputs that end when they are asked to.
    pub(crate) waits: usize,
}

/// Starts all inputs.
pub(crate) fn start(start: &Start<'_>) -> Result<Running> {
    let inputs = &start.config.inputs;
    let mut waits = 0;
    if let Some(source) = start.sources.stdin {
        stdin::start(&*start.context.files, source, start.sender.clone())?;
    }
    if inputs.files {
        waits += 1;
        tail::start(start)?;
    }
    if inputs.grpc.is_some() || inputs.http.is_some() || start.config.metrics.is_some() {
        waits += 1;
        receive::start(start)?;
    }
    Ok(Running { waits })
}

/// Starts a thread of an input.
fn thread(name: &str, run: impl FnOnce() + Send + 'static) -> Result<()> {
    let thread = std::thread::Builder::new().name(name.to_owned()).spawn(run);
    thread.map(drop).map_err(|error| Error::Io { what: "cannot start a thread".to_owned(), error })
}
