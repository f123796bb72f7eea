//! `otus watch`: turns the arguments into a configuration, and follows the system.

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::bail;
use otus::live::Watched;
use otus::{Explain, Limits, Request, Status, WitnessPolicy};
use otus_live::{Closing, Config, Format, Inputs, Stopped, Tls, watch};

use super::analyze::declare;
use crate::args::{WatchArgs, WatchFormat};
use crate::output::{self, Stream};
use crate::shell::Shell;
use crate::stop;

/// The most failures that are explained.
const EXPLAINED: usize = 1000;

/// The time for one verdict, unless `--timeout` says otherwise.
const TIMEOUT: Duration = Duration::from_secs(10);

pub(crate) fn run(args: &WatchArgs, shell: &Shell) -> anyhow::Result<Status> {
    let request = request(args, shell);
    if args.explain_memory {
        let watched = Watched::open(&shell.context, &request)?;
        let text = otus_live::memory(&watched, args.kept).map_err(anyhow::Error::msg)?;
        return output::answer(&text);
    }
    let stop = stop::on_request()?;
    let config = config(args, shell)?;
    let out = Box::new(std::io::stdout());
    let stopped = watch(&shell.context, &request, &config, out, &stop).map_err(told)?;
    Ok(status(&stopped))
}

/// An error of the core keeps its form, which the caller prints with its places.
fn told(error: otus_live::Error) -> anyhow::Error {
    if let otus_live::Error::Core(error) = error { error.into() } else { error.into() }
}

fn status(stopped: &Stopped) -> Status {
    let [pass, weak, fail, undecided] = stopped.verdicts;
    if fail > 0 {
        return Status::Failed;
    }
    if pass + weak + undecided == 0 && stopped.open == 0 {
        output::complain("otus: no group had an event, so nothing was checked");
        return Status::Undecided;
    }
    if undecided > 0 { Status::Undecided } else { Status::Passed }
}

fn request(args: &WatchArgs, shell: &Shell) -> Request {
    let specification = args.files.iter().filter(|name| *name != "-");
    let mut request = Request::new(specification.cloned());
    request.config.clone_from(&args.config);
    declare(&args.declared, &mut request);
    request.question.observed = args.observed;
    request.limits = Limits {
        timeout: Some(shell.limits.timeout.unwrap_or(TIMEOUT)),
        max_bytes: Some(shell.limits.tables),
        ..Limits::default()
    };
    request.explain = Explain::First(EXPLAINED);
    request.witness = WitnessPolicy::None;
    request.pictures = args.report.is_some();
    request
}

fn config(args: &WatchArgs, shell: &Shell) -> anyhow::Result<Config> {
    let stdin = args.files.iter().any(|name| name == "-");
    let receives = args.otlp_grpc.is_some() || args.otlp_http.is_some();
    if args.max_message == 0 || args.max_open == 0 {
        bail!("--max-message and --max-open are at least 1");
    }
    let limits = otus_live::Limits {
        message: args.max_message.saturating_mul(1 << 20),
        kept: args.kept,
        ..otus_live::Limits::default()
    };
    Ok(Config {
        inputs: Inputs {
            files: args.follow || (!stdin && !receives),
            from_start: args.from_start,
            stdin,
            grpc: args.otlp_grpc,
            http: args.otlp_http,
        },
        formulas: args.property.clone(),
        formula_files: args.properties.clone(),
        closing: Closing {
            grace: args.grace,
            idle: args.idle,
            most_open: args.max_open,
            reopen: args.reopen,
        },
        limits,
        log: args.wal.as_ref().filter(|folder| *folder != "none").map(PathBuf::from),
        format: match args.format {
            WatchFormat::Text => Format::Text,
            WatchFormat::Jsonl => Format::Jsonl,
        },
        colored: shell.colored(Stream::Output),
        all: args.all,
        verdicts: args.verdicts.clone(),
        report: args.report.clone(),
        metrics: args.metrics,
        tls: args
            .tls_cert
            .clone()
            .zip(args.tls_key.clone())
            .map(|(certificate, key)| Tls { certificate, key }),
        alerts: args.alerts.clone(),
        exit_on_fail: args.exit_on_fail,
        lasts: args.lasts,
        status: std::io::stderr().is_terminal(),
    })
}
