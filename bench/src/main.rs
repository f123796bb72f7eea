//! `otus-bench`: measures Otus, and regenerates the tables and figures of the papers behind it.
//!
//! Without a command it runs all groups of measurements and prints them as Markdown tables; `papers` runs only when it is
//! asked for. `bench/README.md` describes the groups and their parts.
#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, reason = "printing measurements is what this program does")]

mod compare;
mod ctl;
mod draw;
mod engine;
mod live;
mod logs;
mod measure;
mod papers;
mod parse;
mod size;
mod table;
mod targets;
mod values;

use std::io::{ErrorKind, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use size::Size;

/// Measure Otus, and regenerate the tables and figures of the papers.
///
/// Without a command, runs every group of measurements; `papers` is no part of them.
#[derive(Debug, Parser)]
#[command(name = "otus-bench", version)]
struct Args {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    size: Size,
}

#[derive(Debug, Subcommand)]
enum Command {
    Papers(papers::Args),
    /// Measure how fast the parsers read texts.
    Parse,
    /// Measure the fast engine, beside everything it can be compared with.
    Engine {
        /// Only these parts: random, uses, long, sessions, slices, sat, end, peer.
        parts: Vec<String>,
    },
    /// Measure the checks of CTL formulas over partial-order traces.
    Ctl {
        /// Only these parts: paper, growth, large, all, gossip, nusmv.
        parts: Vec<String>,

        /// Write the traces and formulas as files into this folder, and measure nothing.
        #[arg(long, value_name = "DIR")]
        write: Option<PathBuf>,
    },
    /// Measure how fast raw logs become groups.
    Logs {
        /// Only these parts: json, regex, otlp, groups.
        parts: Vec<String>,
    },
    /// Measure how long pictures take.
    Draw,
    /// Measure sessions that are told apart by values.
    Values {
        /// Only these parts: sessions, faults.
        parts: Vec<String>,
    },
    /// Measure the runs of tables.
    Table {
        /// Only these parts: grouped, scattered, spilled, one.
        parts: Vec<String>,
    },
    /// Measure live groups, fed event by event.
    Live {
        /// Only these parts: skew, endless, sessions, groups.
        parts: Vec<String>,
    },
    /// Compare two builds by the instructions that they execute (needs valgrind).
    Compare(compare::Args),
    /// Run one measurement of the engine, for a profiler.
    #[command(subcommand)]
    EngineOnce(engine::Once),
    /// Print the peak memory of one parser workload.
    #[command(hide = true)]
    Memory {
        workload: usize,
    },
    /// Print the memory of one long analysis.
    #[command(hide = true)]
    EngineMemory {
        model: String,
        question: usize,
        actions: usize,
    },
    /// Print the time and memory of one table.
    #[command(hide = true)]
    TableOnce {
        part: String,
        events: usize,
    },
    /// Print the time and memory of one way to read the files of a folder.
    #[command(hide = true)]
    TableFiles {
        part: String,
        folder: PathBuf,
    },
    /// Print the time and memory of one check, from the file to the answer.
    #[command(hide = true)]
    CtlWhole {
        file: PathBuf,
        formula: String,
    },
}

fn main() -> ExitCode {
    let args = Args::parse();
    run(args).unwrap_or_else(|error| {
        let io = error.downcast_ref::<std::io::Error>();
        if io.is_some_and(|error| error.kind() == ErrorKind::BrokenPipe) {
            return ExitCode::SUCCESS;
        }
        // If standard error is closed, there is no place left to report to.
        let _ = writeln!(std::io::stderr(), "otus-bench: {error:#}");
        ExitCode::from(2)
    })
}

fn run(Args { command, size }: Args) -> anyhow::Result<ExitCode> {
    match command {
        Some(Command::Papers(args)) => return papers::run(&args),
        Some(Command::Parse) => parse::run(),
        Some(Command::Engine { parts }) => engine::run(size, &parts),
        Some(Command::Ctl { write: Some(folder), .. }) => ctl::write(size, &folder),
        Some(Command::Ctl { parts, write: None }) => ctl::run(size, &parts),
        Some(Command::Logs { parts }) => logs::run(size, &parts),
        Some(Command::Draw) => draw::run(),
        Some(Command::Values { parts }) => values::run(size, &parts),
        Some(Command::Table { parts }) => table::run(size, &parts),
        Some(Command::TableOnce { part, events }) => table::once(&part, events),
        Some(Command::TableFiles { part, folder }) => table::files::once(&part, &folder),
        Some(Command::Live { parts }) => live::run(size, &parts),
        Some(Command::Compare(args)) => compare::run(&args)?,
        Some(Command::EngineOnce(once)) => engine::once(&once)?,
        Some(Command::Memory { workload }) => parse::print_memory(workload),
        Some(Command::EngineMemory { model, question, actions }) => {
            engine::measure(&model, question, actions);
        }
        Some(Command::CtlWhole { file, formula }) => ctl::whole(&file, &formula),
        None => {
            parse::run();
            engine::run(size, &[]);
            ctl::run(size, &[]);
            logs::run(size, &[]);
            draw::run();
            values::run(size, &[]);
            table::run(size, &[]);
            live::run(size, &[]);
        }
    }
    Ok(ExitCode::SUCCESS)
}
