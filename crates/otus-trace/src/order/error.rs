//! The reasons why events do not form a partial-order trace.

use std::fmt;

use super::{EventId, PartialOrder};

/// An event by its position in the trace, and in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventName {
    /// The process of the event.
    pub process: Box<str>,
    /// The position of the event in its process, from 1.
    pub position: u32,
    /// The event in words: `event 3 of p1 (x := 4)`.
    pub text: Box<str>,
}

impl fmt::Display for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A reason why events do not form a partial-order trace.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum OrderError {
    /// A cycle: each of these events happened before the next, and the last before the first. No
    /// cycle has fewer edges between processes, unless the trace is too large for a complete
    /// search.
    Cycle(Vec<EventName>),
    /// Two events assign the same variable and neither happened before the other.
    UnorderedWrites {
        /// The variable.
        variable: Box<str>,
        /// The event whose process comes first in the trace.
        first: EventName,
        /// The other event.
        second: EventName,
    },
    /// An edge begins or ends at a position that its process does not have.
    OutOfRange {
        /// The process.
        process: Box<str>,
        /// The position.
        position: u32,
        /// The number of events of the process.
        length: u32,
    },
    /// An event assigns a variable twice.
    AssignedTwice {
        /// The variable.
        variable: Box<str>,
        /// The event.
        event: EventName,
    },
    /// The vector clock of an event contradicts the others.
    Clock {
        /// The event, by its host and where it was read.
        event: EventName,
        /// The contradiction.
        cause: Box<str>,
    },
    /// There are more events, assignments or edges than 32 bits can count.
    TooLarge,
}

impl fmt::Display for OrderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OrderError::Cycle(events) => {
                f.write_str("events happened before each other: ")?;
                for event in events {
                    write!(f, "{event} before ")?;
                }
                f.write_str(events.first().map_or("itself", |event| &event.text))
            }
            OrderError::UnorderedWrites { variable, first, second } => write!(
                f,
                "`{variable}` is assigned by {first} and by {second}, \
                 and neither happened before the other"
            ),
            OrderError::OutOfRange { process, position, length } => {
                write!(f, "{}", out_of_range(process, i128::from(*position), *length))
            }
            OrderError::AssignedTwice { variable, event } => {
                write!(f, "{event} assigns `{variable}` twice")
            }
            OrderError::Clock { event, cause } => {
                write!(f, "the clock of {event} is not consistent: {cause}")
            }
            OrderError::TooLarge => f.write_str("the trace has more than 2^32 events or edges"),
        }
    }
}

impl std::error::Error for OrderError {}

/// The error message for a position that does not exist; it says which positions exist.
pub(super) fn out_of_range(process: &str, position: i128, length: u32) -> String {
    match length {
        0 => format!("`{process}` has no event {position}: it has none at all"),
        1 => format!("`{process}` has no event {position}: its only event is 1"),
        _ => format!("`{process}` has no event {position}: its events are 1 to {length}"),
    }
}

pub(super) fn name(order: &PartialOrder, event: EventId) -> EventName {
    EventName {
        process: order.process_name(order.process_of(event)).into(),
        position: order.position(event),
        text: describe(order, event).into(),
    }
}

/// `event 3 of p1 (x := 4, broker.log:12)`.
pub(super) fn describe(order: &PartialOrder, event: EventId) -> String {
    let mut details: Vec<String> = order.label(event).map(str::to_owned).into_iter().collect();
    let assignments = order.assignments(event);
    for assignment in assignments.iter().take(SHOWN) {
        let variable = order.variable_name(assignment.variable);
        details.push(format!("{variable} := {}", order.value(assignment.value)));
    }
    if assignments.len() > SHOWN {
        details.push("…".to_owned());
    }
    details.extend(order.place(event).text());
    let process = order.process_name(order.process_of(event));
    with_details(order.position(event), process, &details)
}

/// The event at a position of a process in words.
pub(super) fn with_details(position: u32, process: &str, details: &[String]) -> String {
    match details {
        [] => format!("event {position} of {process}"),
        _ => format!("event {position} of {process} ({})", details.join(", ")),
    }
}

/// The maximum number of assignments of an event that are shown.
const SHOWN: usize = 3;
