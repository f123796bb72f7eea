//! `cargo run --release -p otus-bench`: runs every workload and prints what it measured.
//!
//! `cargo run --release -p otus-bench -- parse` runs one group. Each of its workloads is also run at
//! half its size, so that the ratio shows how the cost grows: 2 is linear.
//!
//! The tables of the papers' experiments are printed by `otus bench papers`.
//!
//! `-- engine` measures the fast engine beside everything it can be compared with; names after it are
//! parts of it: `-- engine long sat`.
//!
//! `-- ctl` checks formulas over partial-order traces: `-- ctl paper growth`; `-- ctl --write DIR` writes
//! the traces.
//!
//! `-- logs` maps generated logs: `-- logs json otlp`, with `--full` a gigabyte of each and a million groups.
#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, reason = "printing measurements is what this program does")]

mod ctl;
mod draw;
mod engine;
mod logs;
mod measure;
mod parse;
mod size;

use size::Size;

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let write = arguments.iter().position(|argument| argument == "--write").and_then(|at| {
        let both: Vec<String> = arguments.drain(at..arguments.len().min(at + 2)).collect();
        both.into_iter().nth(1)
    });
    let (flags, wanted): (Vec<String>, Vec<String>) =
        arguments.into_iter().partition(|argument| argument.starts_with("--"));
    if let [command, workload] = wanted.as_slice()
        && command == "memory"
    {
        return parse::print_memory(workload);
    }
    if let [command, model, question, actions] = wanted.as_slice()
        && command == "engine-memory"
    {
        return engine::measure(model, question, actions);
    }
    if let [command, rest @ ..] = wanted.as_slice()
        && command == "engine-once"
    {
        return engine::once(rest);
    }
    if let [command, file, formula] = wanted.as_slice()
        && command == "ctl-whole"
    {
        return ctl::whole(file, formula);
    }
    let full = flags.iter().any(|flag| flag == "--full");
    if let [command, parts @ ..] = wanted.as_slice()
        && command == "engine"
    {
        return engine::run(Size { full }, parts);
    }
    if let [command, parts @ ..] = wanted.as_slice()
        && command == "ctl"
    {
        return match write {
            Some(folder) => ctl::write(Size { full }, folder.as_ref()),
            None => ctl::run(Size { full }, parts),
        };
    }
    if let [command, parts @ ..] = wanted.as_slice()
        && command == "logs"
    {
        return logs::run(Size { full }, parts);
    }
    let runs = |group: &str| wanted.is_empty() || wanted.iter().any(|name| name == group);
    if runs("parse") {
        parse::run();
    }
    if runs("engine") {
        engine::run(Size { full }, &[]);
    }
    if runs("ctl") {
        ctl::run(Size { full }, &[]);
    }
    if runs("logs") {
        logs::run(Size { full }, &[]);
    }
    if runs("draw") {
        draw::run();
    }
}
