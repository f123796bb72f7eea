//! The part around the fault as a Mermaid sequence diagram, to paste into a ticket.
//!
//! A Mermaid arrow is sent and received at once. What was observed need not be like that, so a message is an
//! arrow where the logs allow it, and two notes where something on one of its lifelines came in between. The
//! order of each lifeline is thus always that of its log.

use std::fmt::Write as _;

use super::model::{Detail, Event, State};
use super::window::drawn;

/// How many events it has: as many as a ticket has room for.
const EVENTS: usize = 40;

/// The diagram; empty if there is nothing to draw.
pub(crate) fn text(detail: &Detail) -> String {
    let mut slice = Slice::new(detail);
    if slice.logs.iter().all(Vec::is_empty) {
        return String::new();
    }
    slice.heads();
    while slice.go_on() {}
    slice.out
}

/// What is drawn, and how far it is written.
struct Slice<'d> {
    detail: &'d Detail,
    /// By component: its events that are drawn.
    logs: Vec<Vec<usize>>,
    next: Vec<usize>,
    /// By event: the other ends of its messages.
    others: Vec<Vec<usize>>,
    is_drawn: Vec<bool>,
    is_written: Vec<bool>,
    out: String,
}

impl<'d> Slice<'d> {
    fn new(detail: &'d Detail) -> Self {
        let is_drawn = drawn(detail, EVENTS);
        let components = detail.lifelines.iter().map(|it| it.component + 1).max().unwrap_or(0);
        let mut logs = vec![Vec::new(); components];
        for (index, event) in detail.events.iter().enumerate().filter(|(at, _)| is_drawn[*at]) {
            if let Some(lifeline) = detail.lifelines.get(event.lifeline) {
                logs[lifeline.component].push(index);
            }
        }
        let mut others = vec![Vec::new(); detail.events.len()];
        for &[from, to] in &detail.messages {
            let exist = from < others.len() && to < others.len();
            if exist && from != to && is_drawn[from] && is_drawn[to] {
                others[from].push(to);
                others[to].push(from);
            }
        }
        Slice {
            detail,
            next: vec![0; logs.len()],
            logs,
            others,
            is_written: vec![false; detail.events.len()],
            is_drawn,
            out: String::from("sequenceDiagram\n"),
        }
    }

    fn heads(&mut self) {
        let mut used = vec![false; self.detail.lifelines.len()];
        for (index, event) in self.detail.events.iter().enumerate() {
            used[event.lifeline] |= self.is_drawn[index];
        }
        for (number, lifeline) in self.detail.lifelines.iter().enumerate() {
            if used[number] {
                let _ =
                    writeln!(self.out, "    participant P{number} as {}", encoded(&lifeline.name));
            }
        }
    }

    /// Writes the next event or message, if there is one left.
    fn go_on(&mut self) -> bool {
        let heads = || (0..self.logs.len()).filter_map(|log| self.head(log));
        // What needs nothing from others, or has it, comes first; the order of columns decides.
        let is_free = |&event: &usize| {
            let mut others = self.others[event].iter();
            others.all(|&other| {
                self.is_written[other] || self.is_head(other) || self.is_behind(event, other)
            })
        };
        let Some(event) = heads().find(is_free).or_else(|| heads().min()) else { return false };
        // One message may have been sent to several, of whom some have it already.
        let late: Vec<usize> =
            self.others[event].iter().copied().filter(|&other| self.is_last(other)).collect();
        self.write(event);
        let mut arrows = 0;
        for &other in &late {
            self.arrow(event, other);
            arrows += 1;
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
            self.note(event);
        }
        true
    }

    /// Whether an event was written, and nothing of its component since.
    fn is_last(&self, event: usize) -> bool {
        let log = self.log(event);
        self.next[log].checked_sub(1).is_some_and(|last| self.logs[log][last] == event)
    }

    /// Whether an event comes next after the next one of the same component.
    fn is_behind(&self, event: usize, other: usize) -> bool {
        let log = self.log(event);
        self.logs[log].get(self.next[log] + 1) == Some(&other)
    }

    /// The next event of a component.
    fn head(&self, log: usize) -> Option<usize> {
        self.logs[log].get(self.next[log]).copied()
    }

    fn is_head(&self, event: usize) -> bool {
        self.head(self.log(event)) == Some(event)
    }

    fn log(&self, event: usize) -> usize {
        self.detail.lifelines[self.detail.events[event].lifeline].component
    }

    fn write(&mut self, event: usize) {
        let log = self.log(event);
        self.next[log] += 1;
        self.is_written[event] = true;
    }

    fn arrow(&mut self, one: usize, other: usize) {
        let is_sent = |event: usize| self.words(event).0 == "sends";
        let (from, to) = if is_sent(one) { (one, other) } else { (other, one) };
        let [sender, receiver] = [from, to].map(|at| &self.detail.events[at]);
        let (_, message) = self.words(from);
        let (line, what) = match (worst(sender.state, receiver.state), message) {
            (State::Accepted, message) => ("->>", encoded(message)),
            (State::Refused, message) => ("-x", encoded(message)),
            (State::Expected, message) => ("-->>", encoded(&format!("expected {message}"))),
            (State::Assumed, message) => ("-->>", encoded(&format!("assumed {message}"))),
        };
        let (sender, receiver) = (sender.lifeline, receiver.lifeline);
        let _ = writeln!(self.out, "    P{sender}{line}P{receiver}: {what}");
        for event in [from, to].into_iter().filter(|&event| self.detail.culprit == Some(event)) {
            let (verb, message) = self.words(event);
            let lifeline = self.detail.events[event].lifeline;
            let what = encoded(&format!("fails where it {verb} {message}"));
            let _ = writeln!(self.out, "    Note over P{lifeline}: {what}");
        }
    }

    fn note(&mut self, event: usize) {
        let (verb, message) = self.words(event);
        let Event { state, lifeline, .. } = self.detail.events[event];
        let is_culprit = self.detail.culprit == Some(event);
        let what = match state {
            State::Accepted => format!("{verb} {message}"),
            State::Refused if is_culprit => format!("(fails) {verb} {message}"),
            State::Refused => format!("(not accepted) {verb} {message}"),
            State::Expected => format!("(expected) {verb} {message}"),
            State::Assumed => format!("(assumed) {verb} {message}"),
        };
        let _ = writeln!(self.out, "    Note over P{lifeline}: {}", encoded(&what));
    }

    /// What an event does, and with which message.
    fn words(&self, event: usize) -> (&'static str, &'d str) {
        let Event { lifeline, label, .. } = &self.detail.events[event];
        let rest = label.strip_prefix(&*self.detail.lifelines[*lifeline].name).unwrap_or(label);
        match (rest.strip_prefix('!'), rest.strip_prefix('?')) {
            (Some(message), _) => ("sends", message),
            (None, Some(message)) => ("receives", message),
            (None, None) => ("does", rest),
        }
    }
}

/// What is to be said of a message with ends of these kinds.
fn worst(one: State, other: State) -> State {
    let rank = |state| match state {
        State::Accepted => 0,
        State::Assumed => 1,
        State::Expected => 2,
        State::Refused => 3,
    };
    if rank(one) >= rank(other) { one } else { other }
}

/// A text that Mermaid reads as it is: whatever could mean something there is written by its number.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    // Alone, this word ends a block.
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
    // An empty text would make the line no statement.
    if out.trim().is_empty() { "#8203;".to_owned() } else { out }
}

#[cfg(test)]
mod tests {
    use otus_analysis::question::Question;

    use super::super::fill::tests::fill_with;
    use super::super::model::Excerpt;
    use super::super::samples;
    use super::*;

    #[track_caller]
    fn check(model: &str, log: &str, expected: &str) {
        let none = |_, _| Excerpt::default();
        let (detail, _) = fill_with(model, log, &Question::ACCEPT, &none, &|_| Excerpt::default());
        let text = text(&detail);
        let body: Vec<&str> = text
            .lines()
            .map(str::trim)
            .filter(|line| *line != "sequenceDiagram" && !line.starts_with("participant"))
            .collect();
        assert_eq!(body.join("\n"), expected);
    }

    #[test]
    fn messages_are_arrows() {
        check(
            "seq(a -- m -> b, b -- n -> a)",
            "{[a] a!m.a?n; [b] b?m.b!n}",
            "P0->>P1: m\nP1->>P0: n",
        );
        check("a -- m -> (b, c)", "{[a] a!m; [b] b?m; [c] c?m}", "P0->>P1: m\nP0->>P2: m");
    }

    #[test]
    fn what_is_missing_is_said_where_it_should_be() {
        check(
            "seq(a -- m -> b, b -- n -> a)",
            "{[a] a!m.a?n; [b] b?m}",
            "P0->>P1: m\nNote over P0: (not accepted) receives n\nNote over P1: (expected) sends n",
        );
    }

    #[test]
    fn logs_that_several_lifelines_share_have_arrows_too() {
        let log = "{[a,b] a!m.b?m.b!n.a?n}";
        check("seq(a -- m -> b, b -- n -> a)", log, "P0->>P1: m\nP1->>P0: n");
        // One of those who receive it does so later.
        let model = "seq(a -- m -> (b, c), c -- x -> d)";
        let log = "{[a] a!m; [b] b?m; [c] c?m.c!x; [d] d?x}";
        check(model, log, "P0->>P1: m\nP0->>P2: m\nP2->>P3: x");
    }

    #[test]
    fn what_crosses_is_no_arrow() {
        let log = "{[a] a!m.a?n; [b] b!n.b?m}";
        check(
            "par(a -- m -> b, b -- n -> a)",
            log,
            "Note over P0: sends m\nP1->>P0: n\nNote over P1: receives m",
        );
    }

    #[test]
    fn nothing_in_a_name_means_something_to_mermaid() {
        assert_eq!(encoded("a;b#c:d\n%e"), "a#59;b#35;c#58;d#10;#37;e");
        assert_eq!(encoded("end"), "#101;nd");
        assert_eq!(encoded("größe 世界 👍🏽"), "größe 世界 👍🏽");
        assert_eq!(encoded(" "), "#8203;");
    }

    #[test]
    fn whatever_is_drawn_can_be_written() {
        for (name, report) in samples::all() {
            for detail in report.cases.iter().filter_map(|case| case.detail.as_ref()) {
                let text = text(detail);
                assert!(text.lines().count() <= 2 * EVENTS + 110, "{name}");
                assert_eq!(text.is_empty(), detail.events.is_empty(), "{name}");
            }
        }
    }
}
