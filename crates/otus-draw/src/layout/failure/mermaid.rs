//! A failure as Mermaid text, to paste into a ticket.
//!
//! In a Mermaid diagram, a message is sent and received at the same height. Observed messages need not be like
//! that. So a message is an arrow if the logs allow it, and two notes if another event on one of its lifelines
//! came between its emission and its reception. So the events of each component always stand in the order of
//! its log.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::{EventState, FailurePicture, Options, PictureEvent, PictureMessage, drawn};

/// The events around the failure as a Mermaid sequence diagram; empty if there are no events.
pub fn mermaid(picture: &FailurePicture, options: &Options) -> String {
    let mut writer = Writer::new(picture, options);
    if writer.logs.iter().all(Vec::is_empty) {
        return String::new();
    }
    writer.heads();
    while writer.go_on() {}
    writer.out
}

struct Writer<'p> {
    picture: &'p FailurePicture,
    components: Vec<usize>,
    logs: Vec<Vec<usize>>,
    /// For each component: the number of its events that are written.
    next: Vec<usize>,
    /// For each event: the other ends of its messages.
    others: Vec<Vec<usize>>,
    is_written: Vec<bool>,
    out: String,
}

impl<'p> Writer<'p> {
    fn new(picture: &'p FailurePicture, options: &Options) -> Self {
        let is_drawn = drawn(picture, options);
        let components = picture.components();
        let mut logs = vec![Vec::new(); picture.lifelines.len()];
        for (index, event) in picture.events.iter().enumerate().filter(|(at, _)| is_drawn[*at]) {
            logs[components[event.lifeline]].push(index);
        }
        let mut others = vec![Vec::new(); picture.events.len()];
        for &PictureMessage { from, to } in &picture.messages {
            let exist = from < others.len() && to < others.len();
            if exist && from != to && is_drawn[from] && is_drawn[to] {
                others[from].push(to);
                others[to].push(from);
            }
        }
        Writer {
            picture,
            components,
            next: vec![0; logs.len()],
            logs,
            others,
            is_written: vec![false; picture.events.len()],
            out: String::from("sequenceDiagram\n"),
        }
    }

    fn heads(&mut self) {
        let events = self.logs.iter().flatten();
        let used: BTreeSet<usize> =
            events.map(|&event| self.picture.events[event].lifeline).collect();
        for number in used {
            let name = encoded(&self.picture.lifelines[number].name);
            let _ = writeln!(self.out, "    participant P{number} as {name}");
        }
    }

    /// Writes the next event or message, if there is one left.
    fn go_on(&mut self) -> bool {
        let heads = || (0..self.logs.len()).filter_map(|log| self.head(log));
        // First the events whose counterparts are written already or can be written together with them, in
        // the order of columns.
        let is_free = |&event: &usize| {
            let mut others = self.others[event].iter();
            others.all(|&other| {
                self.is_written[other] || self.is_head(other) || self.is_behind(event, other)
            })
        };
        let Some(event) = heads().find(is_free).or_else(|| heads().min()) else { return false };
        // A message may have several receptions, of which some may be written already.
        let late: Vec<usize> =
            self.others[event].iter().copied().filter(|&other| self.is_last(other)).collect();
        self.write(event);
        let mut arrows = late.len();
        for other in late {
            self.arrow(event, other);
        }
        for at in 0..self.others[event].len() {
            let other = self.others[event][at];
            if !self.is_written[other] && self.is_head(other) {
                self.write(other);
                self.arrow(event, other);
                arrows += 1;
            }
        }
        if arrows == 0 {
            let is_culprit = self.picture.culprit == Some(event);
            let prefix = match self.picture.events[event].state {
                EventState::Explained => "",
                EventState::Offending | EventState::NotReached if is_culprit => "(fails) ",
                EventState::Offending | EventState::NotReached => "(not accepted) ",
                EventState::Expected => "(expected) ",
                EventState::Assumed => "(assumed) ",
            };
            self.note(event, prefix);
        }
        true
    }

    /// Whether an event was written, and no later event of its component was.
    fn is_last(&self, event: usize) -> bool {
        let log = self.log(event);
        self.next[log].checked_sub(1).is_some_and(|last| self.logs[log][last] == event)
    }

    /// Whether an event of a component directly follows the next event that is to be written there.
    fn is_behind(&self, event: usize, other: usize) -> bool {
        let log = self.log(event);
        self.logs[log].get(self.next[log] + 1) == Some(&other)
    }

    fn head(&self, log: usize) -> Option<usize> {
        self.logs[log].get(self.next[log]).copied()
    }

    fn is_head(&self, event: usize) -> bool {
        self.head(self.log(event)) == Some(event)
    }

    fn log(&self, event: usize) -> usize {
        self.components[self.picture.events[event].lifeline]
    }

    fn write(&mut self, event: usize) {
        let log = self.log(event);
        self.next[log] += 1;
        self.is_written[event] = true;
    }

    fn arrow(&mut self, one: usize, other: usize) {
        let is_sent = |event: usize| self.words(event).0 == "sends";
        let (from, to) = if is_sent(one) { (one, other) } else { (other, one) };
        let [sender, receiver] = [from, to].map(|at| &self.picture.events[at]);
        let (_, message) = self.words(from);
        let (line, prefix) = match worst(sender.state, receiver.state) {
            EventState::Explained => ("->>", ""),
            EventState::Offending | EventState::NotReached => ("-x", ""),
            EventState::Expected => ("-->>", "expected "),
            EventState::Assumed => ("-->>", "assumed "),
        };
        let (sender, receiver) = (sender.lifeline, receiver.lifeline);
        let text = encoded(&format!("{prefix}{message}"));
        let _ = writeln!(self.out, "    P{sender}{line}P{receiver}: {text}");
        for event in [from, to].into_iter().filter(|&event| self.picture.culprit == Some(event)) {
            self.note(event, "fails where it ");
        }
    }

    fn note(&mut self, event: usize, prefix: &str) {
        let (verb, message) = self.words(event);
        let lifeline = self.picture.events[event].lifeline;
        let text = encoded(&format!("{prefix}{verb} {message}"));
        let _ = writeln!(self.out, "    Note over P{lifeline}: {text}");
    }

    /// The verb of an event, and its message.
    fn words(&self, event: usize) -> (&'static str, &'p str) {
        let PictureEvent { lifeline, label, .. } = &self.picture.events[event];
        let rest = label.strip_prefix(&*self.picture.lifelines[*lifeline].name).unwrap_or(label);
        match (rest.strip_prefix('!'), rest.strip_prefix('?')) {
            (Some(message), _) => ("sends", message),
            (None, Some(message)) => ("receives", message),
            (None, None) => ("does", rest),
        }
    }
}

/// The state of a message, given those of its events.
fn worst(one: EventState, other: EventState) -> EventState {
    let rank = |state| match state {
        EventState::Explained => 0,
        EventState::Assumed => 1,
        EventState::Expected => 2,
        EventState::Offending | EventState::NotReached => 3,
    };
    if rank(one) >= rank(other) { one } else { other }
}

/// A text that Mermaid shows unchanged: characters with a meaning there are written by their numbers.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    // The word `end` would end a block in Mermaid.
    let has_end = text.split(|c: char| !c.is_alphanumeric()).any(|word| word == "end");
    for letter in text.chars() {
        let is_plain = letter.is_alphanumeric()
            || " !?._-/()=".contains(letter)
            || !letter.is_ascii() && !letter.is_control() && !letter.is_whitespace();
        if is_plain && !(has_end && letter == 'e') {
            out.push(letter);
        } else {
            let _ = write!(out, "#{};", u32::from(letter));
        }
    }
    // A line with an empty text would not be a valid statement.
    if out.trim().is_empty() { "#8203;".to_owned() } else { out }
}
