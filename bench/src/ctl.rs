//! Formulas over the cuts of partial-order traces: `-- ctl`, `-- ctl --full`, or `-- ctl paper growth` for some of it.
//!
//! - [`paper`]: Tables 2 to 5 of paper 001, every row, those included that took the paper more than ten
//!   minutes;
//! - [`growth`]: up to a million events, in processes of their own; `all` is formulas that mention every process;
//! - [`gossip`]: processes without any locality, and bounds;
//! - [`nusmv`]: the paper's rows by `NuSMV`, if `OTUS_NUSMV` names its program.
//!
//! Traces come from [`otus_papers::protocol`]. Everything but the times follows from a seed. Every check has a budget of time and
//! memory. At the end stands what was to be reached and what was.

mod ask;
mod every;
mod gossip;
mod growth;
mod nusmv;
mod paper;
mod whole;
mod write;

use crate::engine::checks::Checks;
use crate::size::Size;

pub(crate) use whole::measure as whole;
pub(crate) use write::write;

/// Where all randomness comes from.
const SEED: u64 = 2026;

/// A part of the group.
type Part = fn(Size, &mut Checks);

pub(crate) fn run(size: Size, wanted: &[String]) {
    let runs = |part: &str| wanted.is_empty() || wanted.iter().any(|name| name == part);
    println!("# Formulas over partial-order traces");
    println!();
    println!("Seed {SEED}, one thread{}.", size.pick("", ", full size"));
    let mut checks = Checks::default();
    let parts: [(&str, Part); 5] = [
        ("paper", paper::run),
        ("growth", growth::run),
        ("all", growth::all),
        ("gossip", gossip::run),
        ("nusmv", nusmv::run),
    ];
    for (part, run) in parts {
        if runs(part) {
            run(size, &mut checks);
        }
    }
    checks.print();
}
