//! The arguments of `otus ctl`.

use clap::Parser;
use otus::FailOn;
use otus::ctl::{Arrangement, Closure, Engine};
use otus::report::ReportFormat;

use super::outputs::REPORT_FORMATS;
use super::{Choice, LimitArgs, LogArgs, PictureArgs, one_of};

const CTL: &str = "\
Check CTL formulas over every order of events that a trace allows

A partial-order trace (.pot.json) has processes, their events, and the happened-before relation of
the events. A cut is a state the system may have been in: a set of events that contains, with each
event, all events that happened before it. A run adds one event at a time, from the first cut, which
is empty, to the last. A formula is evaluated at the first cut, over all runs.

  EF f   f at some cut, on some run              AF f   f at some cut, on every run
  EG f   f at every cut, on some run             AG f   f at every cut, on every run
  EX f   f after some next event                 AX f   f after every next event
  E[f U g]  A[f U g]   f at every cut until g holds, and g at some cut, on some / every run
  E[f W g]  A[f W g]   the same, or f at every cut
  E[f R g]  A[f R g]   g up to and including a cut with f, or g at every cut

Formulas combine these operators, ! & | -> <->, and comparisons: x < 3, p.role = leader,
x + y <= 2*z, x in {1, 2}, last(p) = \"crash\", count(p) > 3, count(p.send) = count(q.receive).
last(p) is the label of the last event of process p in the cut, count(p) the number of events of p
in the cut, count(p.send) the number of those with the label send.

A file of formulas (.ctl) has one formula per line, with or without a name: `name: formula`. A line
`let both = p.cs & q.cs` names a subformula.

Patterns expand to formulas:

  always(x < 3)  never(x = 3)  possibly(x = 3)  eventually(done)
  response(asked, answered)        after every `asked`, `answered` holds at some cut
  precedence(asked, answered)      `answered` does not hold before `asked`
  mutex(p.critical, q.critical)    at most one holds at a cut
  agree(p.leader, q.leader)        both have the same value at every cut
  one_leader(p, q, r)              at no cut do two processes have role = leader in one term
  at_most_one(m in n*, role = leader, per term)
                                   in the whole history, at most one of the processes n* ever has
                                   role = leader in one term, even if never two at the same moment

`forall p != q in n*: f` is f for every choice of two different processes whose names begin with n,
and `exists p in {a, b}: f` is f for at least one of a and b; `p.x` is then the variable x of that
process.

Otus reads raw logs as a trace: lines are events, messages order them, and the rules of otus.toml
set variables (`lifeline.variable`). If the logs have several groups (runs of the system), --group
chooses one. Without a formula, the [properties] of otus.toml are checked.

If one run is enough to prove the answer, it is printed: for EF, EG, EX and E[f U g] that hold, and
for AF, AG, AX and A[f U g] that do not. Otus first re-checks this run on the trace.

A vacuous formula, which says nothing about the trace, is reported with a warning: a value that no
event assigns (a misspelt word), the left side of an implication that never holds, a comparison that
never changes, a formula that no event can change. With --strict, a warning makes the exit status 1.";

/// Check CTL formulas over every order of events that a trace allows.
#[derive(Debug, Parser)]
#[command(
    long_about = CTL,
    mut_args(LimitArgs::timeout_for_each(
        "Stop checking after this many seconds, with exit status 3. Each formula gets this time, \
         including its explanation"
    )),
    after_long_help = "\
Examples:
  otus ctl run.pot.json 'AG(x < 2)'                       at every cut, on every run
  otus ctl run.pot.json 'EF(x = 1 & y = 1)' 'AF(y = 1)'   two formulas
  otus ctl run.pot.json 'mutex(p.critical, q.critical)'   a named pattern
  otus ctl run.pot.json --file props.ctl --format json    for scripts
  otus ctl run.pot.json 'x = 1' --count                   the number of cuts at which it holds
  otus ctl run.pot.json 'EX x = 1' --all                  the cuts at which it holds
  otus ctl run.pot.json 'EF y > x' --engine interval --no-slice
  otus ctl logs/ --group alice 'EF(User.state = welcome)'   raw logs; otus.toml sets variables
  otus ctl --group alice                                  the logs and [properties] of otus.toml
  otus ctl --patterns                                     list the patterns

Exit status: 0 all formulas hold, 1 at least one formula does not hold (with --strict, or has a
warning), 2 invalid input or command line, 3 undecided and no formula fails."
)]
#[expect(clippy::struct_excessive_bools, reason = "switches of a command")]
pub(crate) struct CtlArgs {
    /// A partial-order trace (.pot.json), raw logs, folders of logs, or `-` for standard input; then
    /// formulas [default: the logs and the properties of otus.toml].
    #[arg(value_name = "TRACE|FORMULA")]
    pub(crate) names: Vec<String>,

    #[command(flatten)]
    pub(crate) logs: LogArgs,

    /// A file of formulas (.ctl), or `-` for standard input; may be repeated.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: Vec<String>,

    /// Print the named patterns and their meanings.
    #[arg(long, exclusive = true)]
    pub(crate) patterns: bool,

    /// The engine that computes sets of cuts. auto: picks interval or explicit for each part of the
    /// formula; interval: uses interval diagrams; explicit: visits one cut at a time; ist: uses the
    /// interval sharing trees of Kalyon et al., 2007.
    #[arg(long, value_name = "ENGINE", default_value = "auto", value_parser = one_of(ENGINES))]
    pub(crate) engine: Engine,

    /// How the engine `ist` computes EF and AG: in one operation (downward), or step by step as a
    /// fixpoint (fixpoint) [default: downward].
    #[arg(long, value_name = "HOW", value_parser = one_of(CLOSURES))]
    pub(crate) closure: Option<Closure>,

    /// Do not remove events that cannot affect the formula before checking.
    #[arg(long)]
    pub(crate) no_slice: bool,

    /// The order of processes in the representation of sets of cuts: that of the trace (given), or
    /// one that places processes that communicate most next to each other (greedy). A good order
    /// makes the representation smaller.
    #[arg(long, value_name = "ORDER", default_value = "greedy", value_parser = one_of(ORDERS))]
    pub(crate) process_order: Arrangement,

    /// If assignments to one variable are concurrent, order them by Lamport time instead of
    /// reporting an error.
    #[arg(long)]
    pub(crate) order_writes: bool,

    /// Count all cuts (states that the system may have been in), and the cuts at which each formula
    /// holds.
    #[arg(long)]
    pub(crate) count: bool,

    /// Print the cuts at which each formula holds, as boxes: a range of event counts for each
    /// process, for example `p:1-2 q:0`.
    #[arg(long)]
    pub(crate) all: bool,

    /// With --all: the maximum number of boxes to print.
    #[arg(long, value_name = "NUMBER", default_value_t = 100, requires = "all")]
    pub(crate) limit: usize,

    /// Print the sizes of each check: the number of nodes that represent sets of cuts, the number
    /// of events that can affect the formula, and the number of cuts of those events.
    #[arg(long)]
    pub(crate) stats: bool,

    /// Do not compute a run that proves the answer.
    #[arg(long, conflicts_with = "draw")]
    pub(crate) no_witness: bool,

    /// Treat a warning, such as a condition that never holds, like a formula that does not hold.
    #[arg(long, conflicts_with = "no_warnings")]
    pub(crate) strict: bool,

    /// Do not check whether a formula is vacuous, that is, says nothing about the trace. This check
    /// may take as long as checking the formula itself.
    #[arg(long)]
    pub(crate) no_warnings: bool,

    /// Draw the run that proves the answer (.svg or .png), as cuts through the trace; with several
    /// formulas, the run of the first formula that has one.
    #[arg(long, value_name = "FILE")]
    pub(crate) draw: Option<String>,

    #[command(flatten)]
    pub(crate) picture: PictureArgs,

    /// Stop each check when the representation of a set of cuts has more nodes than this.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) max_nodes: Option<u64>,

    /// The output format.
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = one_of(REPORT_FORMATS))]
    pub(crate) format: ReportFormat,

    /// Which answers give exit status 1. undecided: undecided answers also give exit status 1; never:
    /// no answer gives 1 [default: a formula that does not hold gives 1, and undecided answers give
    /// 3].
    #[arg(long, value_name = "WHAT", value_parser = one_of(FAIL_ON))]
    pub(crate) fail_on: Option<FailOn>,
}

const ENGINES: &[Choice<Engine>] = &[
    (Engine::Auto, "auto", "Picks interval or explicit for each part of the formula"),
    (Engine::Interval, "interval", "Interval diagrams, which represent ranges of cuts"),
    (Engine::Explicit, "explicit", "An explicit enumeration of cuts"),
    (Engine::Ist, "ist", "Interval sharing trees (Kalyon et al., 2007; see docs/papers.md)"),
];

const CLOSURES: &[Choice<Closure>] = &[
    (Closure::Downward, "downward", "As a downward closure, in one operation"),
    (Closure::Fixpoint, "fixpoint", "As a fixpoint, step by step"),
];

const ORDERS: &[Choice<Arrangement>] = &[
    (Arrangement::Given, "given", "The order of the trace"),
    (Arrangement::Greedy, "greedy", "Processes that communicate most are next to each other"),
];

const FAIL_ON: &[Choice<FailOn>] = &[
    (FailOn::Undecided, "undecided", "A formula that does not hold, and undecided answers"),
    (FailOn::Never, "never", "None, not even a formula that does not hold"),
];
