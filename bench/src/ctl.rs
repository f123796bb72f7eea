//! Measurements of CTL checks over partial-order traces: `otus-bench ctl`.
//!
//! - [`paper`]: Tables 2 to 5 of paper 001, every row, including those that took the paper more than ten
//!   minutes;
//! - [`growth`]: traces whose length doubles, and the exponents of the times;
//! - [`large`]: up to a million events, each in a child process; its part `all` has formulas that mention every
//!   process;
//! - [`gossip`]: processes without locality, and bounds of memory, nodes and time;
//! - [`nusmv`]: the paper's rows by `NuSMV`, if `OTUS_NUSMV` names its program.
//!
//! `compared` has the cases of `otus-bench compare`.
//!
//! Traces come from [`otus_papers::protocol`]. Everything but the times follows from a seed. Every check has a limit of
//! time and memory. The last table compares with the targets.

mod compared;
mod every;
mod gossip;
mod growth;
mod large;
mod nusmv;
mod paper;
mod whole;
mod write;

use otus_core::budget::{Cancel, Stop};
use otus_ctl::BigUint;
use otus_papers::ctl::{Check, Method};
use otus_trace::order::PartialOrder;

use crate::measure::show;
use crate::size::Size;
use crate::targets::run_parts;

pub(crate) use compared::compared;
pub(crate) use whole::measure as whole;
pub(crate) use write::write;

const SEED: u64 = 2026;

pub(crate) fn run(size: Size, wanted: &[String]) {
    println!("# CTL over partial-order traces\n");
    println!("Seed {SEED}, one thread{}.", size.pick("", ", full size"));
    run_parts(
        size,
        wanted,
        &[
            ("paper", paper::run),
            ("growth", growth::run),
            ("large", large::run),
            ("all", large::all),
            ("gossip", gossip::run),
            ("nusmv", nusmv::run),
        ],
    );
}

fn check(trace: &PartialOrder, formula: &str, method: Method) -> Check {
    otus_papers::ctl::check(trace, formula, method, &Cancel::default())
}

fn time_cell(check: &Check) -> String {
    match check.answer {
        Ok(_) => show(check.seconds * 1e9),
        Err(stop) => limit_name(stop).to_owned(),
    }
}

fn answer_cell(check: &Check) -> &'static str {
    match &check.answer {
        Ok(answer) if answer.holds => "yes",
        Ok(_) => "no",
        Err(stop) => limit_name(*stop),
    }
}

fn limit_name(stop: Stop) -> &'static str {
    match stop {
        Stop::States => "nodes",
        Stop::Memory => "memory",
        Stop::Time => "time",
        Stop::Cancelled => "cancelled",
        Stop::Exhausted | Stop::Goal => "done",
    }
}

fn cuts(trace: &PartialOrder) -> String {
    let limit = std::time::Duration::from_secs(30);
    match otus_papers::ctl::count_cuts(trace, limit, &Cancel::default()) {
        Ok(cuts) => short(&cuts),
        Err(stop) => limit_name(stop).to_owned(),
    }
}

fn short(cuts: &BigUint) -> String {
    match u64::try_from(cuts) {
        Ok(few) if few < 100_000 => few.to_string(),
        Ok(_) | Err(_) => format!("{:.1e}", cuts.to_string().parse().unwrap_or(f64::INFINITY)),
    }
}
