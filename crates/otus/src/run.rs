//! The observed events of a run, in memory.
//!
//! A [`Run`] is a list of events in the order in which they were recorded. Only the order of events on the same
//! lifeline counts: the recorded order of events on different lifelines proves nothing, because machines have no
//! common clock. A caller with a common clock declares it ([`Options::together`](crate::Options::together)).

use std::borrow::Cow;
use std::fmt::Write as _;
use std::panic::Location;

use otus_core::valued::Valued;
use otus_core::{Direction, Value};
use otus_syntax::name::{Names, Symbol};

use crate::value::{EventTime, FieldValue};

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
    /// The values that it carries, by field.
    pub(crate) values: Vec<(String, FieldValue)>,
    /// When it happened, in nanoseconds.
    pub(crate) time: Option<i64>,
    /// The place of the program that recorded it.
    pub(crate) at: Source,
}

/// A line of a program.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) file: Cow<'static, str>,
    pub(crate) line: u32,
}

impl From<&'static Location<'static>> for Source {
    fn from(at: &'static Location<'static>) -> Self {
        Source { file: Cow::Borrowed(at.file()), line: at.line() }
    }
}

impl Event {
    /// Sets the value of a field; the last one counts.
    pub(crate) fn set(&mut self, field: &str, value: FieldValue) {
        self.values.retain(|(known, _)| known != field);
        self.values.push((field.to_owned(), value));
    }

    /// `(mid=7, time=0.5)`; nothing if it carries nothing.
    fn write_values(&self, text: &mut String) {
        let time = self.time.map(|time| FieldValue::of(Valued::TIME, &Value::integer(time)));
        let time = time.map(|time| ("time", time));
        let values = self.values.iter().map(|(field, value)| (field.as_str(), value.clone()));
        let parts: Vec<String> =
            values.chain(time).map(|(field, value)| format!("{field}={value}")).collect();
        if !parts.is_empty() {
            let _ = write!(text, "({})", parts.join(", "));
        }
    }
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
        let (message, values) = (message.to_owned(), Vec::new());
        self.events.push(Event { lifeline, direction, message, values, time: None, at: at.into() });
    }

    /// The last event of a lifeline.
    pub(crate) fn last(&mut self, lifeline: Symbol) -> Option<&mut Event> {
        self.events.iter_mut().rev().find(|event| event.lifeline == lifeline)
    }

    /// One line per log: its lifeline and its first events, up to this many.
    pub(crate) fn lines(&self, most: usize) -> Vec<String> {
        let mut logs: Vec<(String, usize)> = vec![(String::new(), 0); self.lifelines.len()];
        for event in &self.events {
            let (text, count) = &mut logs[event.lifeline.0 as usize];
            *count += 1;
            if *count <= most {
                let _ = write!(text, " {}{}", event.direction.symbol(), event.message);
                event.write_values(text);
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

    /// Sets a field of the last event of this log: the value that its message carried. Without an event, nothing
    /// happens.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let spec = otus::Spec::parse(
    ///     "qos1.hif",
    ///     "loopP(fresh m)(new(s)(seq(client -- PUBLISH[mid = m, client at s] -> broker, \
    ///      broker -- PUBACK[mid = m, client within 2s of s] -> client)))",
    /// )?;
    /// let mut run = otus::Run::new();
    /// let mut client = run.log("client");
    /// client.sent("PUBLISH").with("mid", 7).at(Duration::from_millis(10));
    /// client.received("PUBACK").with("mid", 7).at(Duration::from_millis(40));
    /// run.log("broker").received("PUBLISH").with("mid", 7).sent("PUBACK").with("mid", 7);
    /// otus::assert_conforms!(spec, run);
    /// # Ok::<(), otus::Error>(())
    /// ```
    pub fn with(&mut self, field: impl AsRef<str>, value: impl Into<FieldValue>) -> &mut Self {
        if let Some(event) = self.run.last(self.lifeline) {
            event.set(field.as_ref(), value.into());
        }
        self
    }

    /// Sets when the last event of this log happened, by the clock of its lifeline. Without an event, nothing happens.
    pub fn at(&mut self, time: impl Into<EventTime>) -> &mut Self {
        if let Some(event) = self.run.last(self.lifeline) {
            event.time = time.into().0;
        }
        self
    }

    /// Sets the line that recorded the last event of this log, for a program in another language. Without an event,
    /// nothing happens.
    pub fn from_line(&mut self, file: impl Into<String>, line: u32) -> &mut Self {
        if let Some(event) = self.run.last(self.lifeline) {
            event.at = Source { file: Cow::Owned(file.into()), line };
        }
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
        let Source { file: named, line: told } = &run.events[0].at;
        assert_eq!((*told, &**named), (line, file!()));
    }
}
