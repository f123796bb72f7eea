//! `otus ctl`.

use clap::{Parser, ValueEnum};

use super::common::{mebibytes, seconds};
use super::{LogArgs, PictureArgs, ResultFormat};

const CTL: &str = "\
Check CTL formulas over every order of events that a trace allows

A partial-order trace (.pot.json) has processes, their events, and which events happened before
which. What the system can have looked like in between is a cut: some first events of each
process, closed under what happened before them. A formula is asked at the first cut, where
nothing has happened, and read over all runs from there to the last, an event at a time.

  EF f   possible: f at some cut, in some order      AF f   sooner or later, in every order
  EG f   f throughout, in some order                 AG f   f throughout, in every order
  EX f   f after one event that can come next        AX f   f after each of them
  E[f U g]  A[f U g]   g in the end, and f until then; W: or f throughout; R: the dual of U

Formulas are made of these, ! & | -> <->, and comparisons: x < 3, p.role = leader, x + y <= 2*z,
x in {1, 2}, last(p) = \"crash\", count(p) > 3, count(p.send) = count(q.receive). A file of
formulas (.ctl) has one a line, as `name: formula`; `let both = p.cs & q.cs` names a part.

Patterns expand to formulas:

  always(x < 3)  never(x = 3)  possibly(x = 3)  eventually(done)
  response(asked, answered)        whenever asked, then answered sooner or later
  precedence(asked, answered)      nothing is answered before something is asked
  mutex(p.critical, q.critical)    at most one at a time
  agree(p.leader, q.leader)        the same value at every cut
  one_leader(p, q, r)              no two have role = leader with the same term

Raw logs are a trace, too: their lines are events, messages order them, and the rules of otus.toml
set variables (`lifeline.variable`). If they are several groups, --group chooses one. Without a
formula, those of [properties] in otus.toml are checked.

An answer that a run can show comes with one (EF, EU, EG, EX that hold; AG, AU, AF, AX that do
not), which is re-checked on the trace alone before it is printed.";

/// Check CTL formulas over every order of events that a trace allows.
#[derive(Debug, Parser)]
#[command(
    long_about = CTL,
    after_long_help = "\
Examples:
  otus ctl run.pot.json 'AG(x < 2)'                       at every cut, in every order
  otus ctl run.pot.json 'EF(x = 1 & y = 1)' 'AF(y = 1)'   two formulas share the work
  otus ctl run.pot.json 'mutex(p.critical, q.critical)'   a named pattern
  otus ctl run.pot.json --file props.ctl --format json    for scripts
  otus ctl run.pot.json 'x = 1' --count                   at how many cuts it holds
  otus ctl run.pot.json 'EX x = 1' --all                  and at which
  otus ctl run.pot.json 'EF y > x' --engine interval --no-slice
  otus ctl logs/ --group alice 'EF(User.state = welcome)'   raw logs, variables as in otus.toml
  otus ctl --group alice                                  the logs and [properties] of otus.toml
  otus ctl --patterns                                     what the patterns mean

Exit status: 0 all hold, 1 one does not, 2 unusable input or usage, 3 undecided and none fails."
)]
#[expect(clippy::struct_excessive_bools, reason = "switches of a command")]
pub(crate) struct CtlArgs {
    /// A partial-order trace (.pot.json), raw logs or folders of them, or `-`; then formulas
    /// [default: the logs and the properties of otus.toml].
    #[arg(value_name = "TRACE|FORMULA")]
    pub(crate) names: Vec<String>,

    #[command(flatten)]
    pub(crate) logs: LogArgs,

    /// A file of formulas (.ctl), or `-`; may be repeated.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: Vec<String>,

    /// Print the named patterns and what they mean.
    #[arg(long, exclusive = true)]
    pub(crate) patterns: bool,

    /// How sets of cuts are computed.
    #[arg(long, value_enum, default_value_t = CtlEngine::Auto, value_name = "ENGINE")]
    pub(crate) engine: CtlEngine,

    /// How the engine `ist` computes EF and AG [default: downward].
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) closure: Option<CtlClosure>,

    /// Keep events that make no difference.
    #[arg(long)]
    pub(crate) no_slice: bool,

    /// In which order processes are looked at; it decides how large sets of cuts become.
    #[arg(long, value_enum, default_value_t = ProcessOrder::Greedy, value_name = "ORDER")]
    pub(crate) process_order: ProcessOrder,

    /// Put concurrent assignments to one variable in order, by Lamport time, instead of
    /// complaining.
    #[arg(long)]
    pub(crate) order_writes: bool,

    /// Count the cuts, and those at which each formula holds.
    #[arg(long)]
    pub(crate) count: bool,

    /// Print the cuts at which each formula holds, as boxes: for each process how many of its
    /// events have happened.
    #[arg(long)]
    pub(crate) all: bool,

    /// How many boxes of cuts to print.
    #[arg(long, value_name = "NUMBER", default_value_t = 100, requires = "all")]
    pub(crate) limit: usize,

    /// Do not work out a run that shows the answer.
    #[arg(long, conflicts_with = "draw")]
    pub(crate) no_witness: bool,

    /// Draw the run that shows the answer (.svg or .png), as cuts through the trace; of several
    /// formulas, that of the first that has one.
    #[arg(long, value_name = "FILE")]
    pub(crate) draw: Option<String>,

    #[command(flatten)]
    pub(crate) picture: PictureArgs,

    /// End each check after this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub(crate) timeout: Option<f64>,

    /// End each check when a set of cuts takes more nodes than this.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) max_nodes: Option<u64>,

    /// End each check when its tables take more than this.
    #[arg(long, value_name = "MIB", default_value_t = 2048, value_parser = mebibytes)]
    pub(crate) memory: u64,

    /// How to print answers.
    #[arg(long, value_enum, default_value_t = ResultFormat::Text, value_name = "FORMAT")]
    pub(crate) format: ResultFormat,

    /// What counts as a failure besides a formula that does not hold.
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) fail_on: Option<CtlFailOn>,
}

/// How sets of cuts are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CtlEngine {
    /// The best one for each part of a formula.
    Auto,
    /// Interval diagrams: whole ranges of cuts at a time.
    Interval,
    /// One cut at a time.
    Explicit,
    /// Interval sharing trees, with the operations of the paper on them.
    Ist,
}

/// How EF and AG are computed on interval sharing trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CtlClosure {
    /// By downward closure, in one operation.
    Downward,
    /// As a fixpoint, step by step.
    Fixpoint,
}

/// In which order processes are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProcessOrder {
    /// As in the trace.
    Given,
    /// Those that communicate most are neighbours.
    Greedy,
}

/// What counts as a failure of `ctl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CtlFailOn {
    /// Whatever is undecided too.
    Undecided,
    /// Nothing, not even a formula that does not hold.
    Never,
}
