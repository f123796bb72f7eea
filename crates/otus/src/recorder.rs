//! Recording from many threads or tasks.
//!
//! One lock guards one list of events. So the events of a lifeline stay in the order in which it recorded them,
//! and the events of lifelines that share a clock are in the order of the recording calls.

use std::borrow::Cow;
use std::panic::Location;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use otus_core::Direction;
use otus_syntax::name::Symbol;

use crate::run::{Recorded, Run};
use crate::value::{EventTime, FieldValue};

/// Records a [`Run`] from many threads or tasks. Clones record to the same run.
///
/// ```
/// let recorder = otus::Recorder::new();
/// let (client, server) = (recorder.log("client"), recorder.log("server"));
/// client.sent("ping");
/// std::thread::spawn(move || server.received("ping").sent("pong").clone()).join().unwrap();
/// client.received("pong");
///
/// let spec = otus::Spec::parse(
///     "ping.mmd",
///     "sequenceDiagram\n  client->>server: ping\n  server-->>client: pong\n",
/// ).unwrap();
/// otus::assert_conforms!(spec, recorder);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Recorder {
    run: Arc<Mutex<Run>>,
}

impl Recorder {
    /// A recorder of a new run.
    pub fn new() -> Recorder {
        Recorder::default()
    }

    /// The log of a lifeline, for the thread or task that plays it.
    pub fn log(&self, lifeline: impl AsRef<str>) -> SharedLog {
        let lifeline = self.lock().lifeline(lifeline.as_ref());
        SharedLog { recorder: self.clone(), lifeline }
    }

    /// The events recorded so far. Running threads may record more: join them first, or declare that the run may stop
    /// early.
    pub fn run(&self) -> Run {
        self.lock().clone()
    }

    /// The events recorded so far; the next event begins a new run, also in logs that were handed out before.
    pub fn take(&self) -> Run {
        let mut run = self.lock();
        let mut next = Run::new();
        // The lifelines stay, because handed-out logs refer to them by number.
        for lifeline in run.lifelines() {
            next.lifeline(lifeline);
        }
        std::mem::replace(&mut run, next)
    }

    /// If a thread panics while it records, the list is still consistent, so a poisoned lock is
    /// ignored.
    fn lock(&self) -> MutexGuard<'_, Run> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recorded for Recorder {
    fn recorded(&self) -> Cow<'_, Run> {
        Cow::Owned(self.run())
    }
}

/// The log of a lifeline, for the thread or task that plays it. Clones are the same log.
#[derive(Debug, Clone)]
pub struct SharedLog {
    recorder: Recorder,
    lifeline: Symbol,
}

impl SharedLog {
    /// Records that the lifeline sent a message. Call it before the message is really sent; otherwise the receiver
    /// may record it first, which matters if both share a log.
    #[track_caller]
    pub fn sent(&self, message: impl AsRef<str>) -> &Self {
        self.record(Direction::Emission, message.as_ref(), Location::caller())
    }

    /// Records that the lifeline received a message. Call it after the message was really received.
    #[track_caller]
    pub fn received(&self, message: impl AsRef<str>) -> &Self {
        self.record(Direction::Reception, message.as_ref(), Location::caller())
    }

    /// Sets a field of the last event of this lifeline: the value that its message carried. Without an event, nothing
    /// happens. A lifeline that several threads play needs a log of its own for each of them, or one thread may set the
    /// field of another's event.
    pub fn with(&self, field: impl AsRef<str>, value: impl Into<FieldValue>) -> &Self {
        if let Some(event) = self.recorder.lock().last(self.lifeline) {
            event.set(field.as_ref(), value.into());
        }
        self
    }

    /// Sets when the last event of this lifeline happened, by its clock. Without an event, nothing happens.
    pub fn at(&self, time: impl Into<EventTime>) -> &Self {
        if let Some(event) = self.recorder.lock().last(self.lifeline) {
            event.time = time.into().0;
        }
        self
    }

    fn record(&self, direction: Direction, message: &str, at: &'static Location<'static>) -> &Self {
        self.recorder.lock().record(self.lifeline, direction, message, at);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_shared<T: Clone + Send + Sync + 'static>() {}

    #[test]
    fn recorders_and_logs_go_anywhere() {
        is_shared::<Recorder>();
        is_shared::<SharedLog>();
    }

    #[test]
    fn the_events_of_a_thread_stay_in_order() {
        let recorder = Recorder::new();
        let threads: Vec<_> = ["a", "b", "c"]
            .map(|name| {
                let log = recorder.log(name);
                std::thread::spawn(move || {
                    for number in 0..100 {
                        log.sent(number.to_string());
                    }
                })
            })
            .into_iter()
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        for line in recorder.run().lines(100) {
            let numbers = line[2..].split_whitespace().map(|word| word[1..].parse().unwrap());
            assert_eq!(numbers.collect::<Vec<u32>>(), (0..100).collect::<Vec<u32>>());
        }
    }

    #[test]
    fn a_run_can_be_taken_and_the_next_recorded() {
        let recorder = Recorder::new();
        let (a, b) = (recorder.log("a"), recorder.log("b"));
        a.sent("m");
        assert_eq!(recorder.take().len(), 1);
        b.sent("n");
        assert_eq!(recorder.run().to_string(), "a  nothing\nb  !n\n");
    }
}
