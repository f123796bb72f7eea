//! Runs a plan: from streams of bytes to observed groups and an account of every record.
//!
//! [`map`] reads the files one after the other, applies the rules of their sources to each record,
//! stores the events by group, and gives each group to the [`Sink`] when it has ended. A
//! [`LogFile`] is a name and a function that opens the stream.
//!
//! With one file, or with `[group] idle`, a group is released as soon as a rule closes it, so
//! memory is bounded by the open groups. With several files, a group may continue in the next file,
//! so it is released at the end.

mod account;
mod group;
mod mapper;
mod observed;
mod parallel;
mod propagation;
mod shape;
#[cfg(test)]
mod tests;
mod value;
mod vocabulary;

use std::io::Read;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use crate::mapping::Plan;

pub use crate::time::key as time_key;
pub use account::{
    Accounting, FileAccount, Finding, GroupAccount, LifelineAccount, MessageAccount, PairAccount,
    RuleAccount, Tally, Unpaired, ValueAccount,
};
pub use group::Group;
pub use mapper::{Grown, Stream};
pub use observed::{Component, Event, Observed};
pub use shape::{Shape, shape};
pub(crate) use vocabulary::Translation;
pub use vocabulary::{
    RunAction, RunActionId, RunClockId, RunFileId, RunLabelId, RunLifelineId, RunMessageId,
    RunPlace, RunValueId, RunVariableId, Vocabulary,
};

/// Opens a log. It may be opened on another thread.
pub type Open<'f> = Box<dyn FnOnce() -> std::io::Result<Box<dyn Read + 'f>> + Send + 'f>;

/// A log to be read.
pub struct LogFile<'f> {
    /// The name by which the user knows it.
    pub name: String,
    /// The index of its source in the plan ([`Plan::source_of`]).
    pub source: usize,
    /// Opens it. The stream may be compressed.
    pub open: Open<'f>,
}

impl<'f> LogFile<'f> {
    /// A log that is in memory.
    pub fn in_memory(name: &str, source: usize, bytes: &'f [u8]) -> LogFile<'f> {
        let open = Box::new(move || Ok(Box::new(bytes) as Box<dyn Read + 'f>));
        LogFile { name: name.to_owned(), source, open }
    }
}

impl std::fmt::Debug for LogFile<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LogFile").field("name", &self.name).field("source", &self.source).finish()
    }
}

/// Receives the groups of a run.
pub trait Sink {
    /// Receives a group that has ended. A break ends the run.
    fn group(&mut self, observed: &Observed<'_>) -> ControlFlow<()>;

    /// Receives the events of one record of a [`Stream`], before its group ends. An internal span has none, unless it turns
    /// out later to be a call.
    fn record(&mut self, _observed: &Observed<'_>, _ends: Ends) {}
}

/// What a record says about the end of its group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ends {
    /// The rule that takes the record closes the group.
    pub closes: bool,
    /// It is a span without a parent. Spans come when they end, so those of its children came before, if they took the same way.
    pub is_top: bool,
}

impl<F: FnMut(&Observed<'_>) -> ControlFlow<()>> Sink for F {
    fn group(&mut self, observed: &Observed<'_>) -> ControlFlow<()> {
        self(observed)
    }
}

/// Reads logs by a plan. The files are read in the given order, which is also the local order of a
/// lifeline that occurs in several of them.
///
/// ```
/// use std::ops::ControlFlow;
/// use otus_syntax::Source;
/// use otus_trace::mapping::Plan;
/// use otus_trace::run::{LogFile, Observed, map};
///
/// let text = r#"
/// [[source]]
/// files = ["*.log"]
/// format = "regex"
/// lifeline = "{file.stem}"
/// [[source.rule]]
/// match = '(?<d>sent|received) (?<m>\w+)'
/// dir = "{d}"
/// message = "{m}"
/// "#;
/// let (plan, _) = Plan::parse(&Source::new("otus.toml", text), &[]);
/// let plan = plan.unwrap();
/// let files = vec![
///     LogFile::in_memory("a.log", 0, b"starting\nsent x\n"),
///     LogFile::in_memory("b.log", 0, b"received x\n"),
/// ];
/// let mut traces = Vec::new();
/// let accounting = map(&plan, files, &mut |observed: &Observed<'_>| {
///     traces.push(observed.htf());
///     ControlFlow::Continue(())
/// });
/// assert_eq!(traces, ["{[a] a!x; [b] b?x}"]);
/// assert_eq!((accounting.total.matched, accounting.total.unmatched), (2, 1));
/// assert_eq!(accounting.shapes[0].text, "starting");
/// ```
pub fn map(plan: &Plan, files: Vec<LogFile<'_>>, sink: &mut dyn Sink) -> Accounting {
    mapper::run(plan, files, sink)
}

/// Reads logs by a plan, on several threads. The answers are those of [`map`], to the byte; with one thread, it is
/// [`map`].
///
/// The rules are evaluated on `threads` threads, for files and for parts of large files at once. One more thread reads, and the
/// caller's thread puts the events in order and into groups.
pub fn map_on(
    plan: &Plan,
    files: Vec<LogFile<'_>>,
    threads: NonZeroUsize,
    sink: &mut dyn Sink,
) -> Accounting {
    if threads == NonZeroUsize::MIN {
        return map(plan, files, sink);
    }
    parallel::run(plan, files, threads, sink)
}
