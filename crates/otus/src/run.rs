//! The observed events of a run, in memory.
//!
//! A [`Run`] is a list of events in the order in which they were recorded. Only the order of events on the same
//! lifeline counts: the recorded order of events on different lifelines proves nothing, because machines have no
//! common clock. A caller with a common clock declares it ([`Options::together`](crate::Options::together)).

use std::borrow::Cow;
use std::fmt::Write as _;
use std::panic::Location;

use otus_core::Direction;
use otus_syntax::name::{Names, Symbol};

/// The observed events of one run of a system.
///
/// ```
/// let mut run = otus::Run::new();
/// run.log("client").sent("request").received("response");
/// run.log("server").received("request").sent("response");
/// assert_eq!(run.len(), 4);
/// assert_eq!(
///     run.to_string(),
///     "client  !request ?response\nserver  ?request !response\n"
/// );
/// ```
#[derive(Debug, Clone, Default)]
pub struct Run {
    pub(crate) events: Vec<Event>,
    /// The lifelines in the order of their first mention; a log may be empty.
    lifelines: Names,
}

#[derive(Debug, Clone)]
pub(crate) struct Event {
    pub(crate) lifeline: Symbol,
    pub(crate) direction: Direction,
    pub(crate) message: String,
    /// The line of the program that recorded it.
    pub(crate) at: &'static Location<'static>,
}

impl Run {
    /// A run without events.
    pub fn new() -> Run {
        Run::default()
    }

    /// The log of a lifeline, to record its events.
    pub fn log(&mut self, lifeline: impl AsRef<str>) -> Log<'_> {
        let lifeline = self.lifelines.intern(lifeline.as_ref());
        Log { run: self, lifeline }
    }

    /// The number of recorded events.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether no event was recorded.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// The lifelines in the order of their first mention.
    pub fn lifelines(&self) -> impl Iterator<Item = &str> {
        self.lifelines.iter().map(|(_, name)| name)
    }

    pub(crate) fn lifeline(&mut self, name: &str) -> Symbol {
        self.lifelines.intern(name)
    }

    pub(crate) fn record(
        &mut self,
        lifeline: Symbol,
        direction: Direction,
        message: &str,
        at: &'static Location<'static>,
    ) {
        self.events.push(Event { lifeline, direction, message: message.to_owned(), at });
    }

    /// One line per log: its lifeline and its first events, up to this many.
    pub(crate) fn lines(&self, most: usize) -> Vec<String> {
        let mut logs: Vec<(String, usize)> = vec![(String::new(), 0); self.lifelines.len()];
        for event in &self.events {
            let (text, count) = &mut logs[event.lifeline.0 as usize];
            *count += 1;
            if *count <= most {
                let _ = write!(text, " {}{}", event.direction.symbol(), event.message);
            }
        }
        let width = self.lifelines().map(|name| name.chars().count()).max().unwrap_or(0);
        let lines = self.lifelines().zip(logs).map(|(name, (text, count))| {
            let more = match count.saturating_sub(most) {
                0 => String::new(),
                more => format!(" … and {more} more"),
            };
            let text = if count == 0 { " nothing" } else { &text };
            format!("{name:width$} {text}{more}")
        });
        lines.collect()
    }
}

/// One line per log.
impl std::fmt::Display for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.lines(usize::MAX).iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

/// The log of a lifeline, while a run is recorded.
#[derive(Debug)]
pub struct Log<'r> {
    run: &'r mut Run,
    lifeline: Symbol,
}

impl Log<'_> {
    /// Records that the lifeline sent a message.
    #[track_caller]
    pub fn sent(&mut self, message: impl AsRef<str>) -> &mut Self {
        self.run.record(self.lifeline, Direction::Emission, message.as_ref(), Location::caller());
        self
    }

    /// Records that the lifeline received a message.
    #[track_caller]
    pub fn received(&mut self, message: impl AsRef<str>) -> &mut Self {
        self.run.record(self.lifeline, Direction::Reception, message.as_ref(), Location::caller());
        self
    }
}

/// The observations that a specification can be checked against: a [`Run`], or the [`Recorder`](crate::Recorder) of
/// one.
pub trait Recorded {
    /// The events recorded so far.
    fn recorded(&self) -> Cow<'_, Run>;
}

impl Recorded for Run {
    fn recorded(&self) -> Cow<'_, Run> {
        Cow::Borrowed(self)
    }
}

impl<R: Recorded + ?Sized> Recorded for &R {
    fn recorded(&self) -> Cow<'_, Run> {
        (**self).recorded()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_can_be_recorded_in_turns() {
        let mut run = Run::new();
        run.log("a").sent("m");
        run.log("long").received("m");
        run.log("a").sent("n").sent("o");
        run.log("idle");
        assert_eq!(run.to_string(), "a     !m !n !o\nlong  ?m\nidle  nothing\n");
        assert_eq!(run.lines(1)[0], "a     !m … and 2 more");
    }

    #[test]
    fn an_event_knows_the_line_that_recorded_it() {
        let mut run = Run::new();
        let line = line!() + 1;
        run.log("a").sent("m");
        assert_eq!((run.events[0].at.line(), run.events[0].at.file()), (line, file!()));
    }
}
