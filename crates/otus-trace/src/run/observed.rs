//! What was observed of one group: events on components, and which belong together.
//!
//! Components are clocks; the events of a component are in its local order, and events of different
//! components are ordered by nothing but their messages. From here a group becomes a multi-trace
//! over a signature ([`Group`](super::Group)), a partial order for formulas
//! ([`Observed::order`]), the text of a `.htf` ([`Observed::htf`]), or canonical lines
//! ([`Observed::canonical`]).

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use otus_core::Direction;
use otus_syntax::lexer::quote;
use otus_syntax::source::offset;

use super::shape::Place;
use super::vocabulary::Vocabulary;
use crate::causality::Pairs;
use crate::group::{Marks, Row};
use crate::order::{self, Happened, OrderError, PartialOrder, Stamped, Value, Writes};
use crate::read::canonical;

/// What was observed of one group.
#[derive(Debug)]
pub struct Observed<'r> {
    pub(super) key: &'r [u8],
    pub(super) number: u32,
    pub(super) closed: bool,
    pub(super) rows: &'r [Row],
    pub(super) components: &'r [Component],
    pub(super) pairs: &'r Pairs,
    pub(super) vocabulary: &'r Vocabulary,
    /// Whether some lines with vector clocks are not among the events of their group.
    pub(super) gaps: bool,
}

/// The events of one clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Component {
    /// The clock, in the vocabulary.
    pub clock: u32,
    /// Its events.
    pub events: Range<usize>,
}

/// One event of a group.
#[derive(Debug, Clone, Copy)]
pub struct Event<'r> {
    row: &'r Row,
    vocabulary: &'r Vocabulary,
}

impl<'r> Event<'r> {
    /// Where it happened.
    pub fn lifeline(self) -> &'r str {
        self.vocabulary.lifeline(self.row.lifeline)
    }

    /// Whether something is sent or received, and what; `None` if it only sets variables.
    pub fn action(self) -> Option<(Direction, &'r str)> {
        let action = self.vocabulary.action(self.row.action?);
        Some((action.direction, self.vocabulary.message(action.message)))
    }

    /// The other side, if the log names it.
    pub fn peer(self) -> Option<&'r str> {
        self.row.peer.map(|peer| self.vocabulary.lifeline(peer))
    }

    /// What pairs it with its counterpart, if the log says.
    pub fn id(self) -> Option<Cow<'r, str>> {
        let there = self.row.marks.has(Marks::HAS_ID);
        there.then(|| String::from_utf8_lossy(&self.row.id))
    }

    /// What happened in a word, if a rule says.
    pub fn label(self) -> Option<&'r str> {
        self.row.label.map(|label| self.vocabulary.label(label))
    }

    /// Variables and the values they have from then on. Those of a lifeline are called
    /// `lifeline.variable`.
    pub fn set(self) -> impl Iterator<Item = (&'r str, &'r Value)> {
        let vocabulary = self.vocabulary;
        let pairs = self.row.set.iter();
        pairs.map(|&(name, value)| (vocabulary.variable(name), vocabulary.value(value)))
    }

    /// Whether it happened at the same moment as the event before it.
    pub fn joined(self) -> bool {
        self.row.marks.has(Marks::JOINED)
    }

    /// Where it was read.
    pub fn place(self) -> Place {
        Place { file: self.row.file, line: self.row.line }
    }

    /// The name of the file in which it was read.
    pub fn file(self) -> &'r str {
        self.vocabulary.file(self.row.file)
    }

    /// `client!request`, or the label.
    pub fn text(self) -> String {
        match self.action() {
            Some((direction, message)) => {
                format!("{}{}{message}", self.lifeline(), sign(direction))
            }
            None => self.label().unwrap_or(self.lifeline()).to_owned(),
        }
    }
}

fn sign(direction: Direction) -> &'static str {
    match direction {
        Direction::Emission => "!",
        Direction::Reception => "?",
    }
}

impl<'r> Observed<'r> {
    /// The key of the group; empty if nothing is grouped.
    pub fn key(&self) -> Cow<'r, str> {
        String::from_utf8_lossy(self.key)
    }

    /// The name of the group: its key, or `all` if nothing is grouped.
    pub fn name(&self) -> Cow<'r, str> {
        if self.key.is_empty() { Cow::Borrowed("all") } else { self.key() }
    }

    /// Its number, from 0, in the order in which groups began.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Whether a rule said that it is complete.
    pub fn closed(&self) -> bool {
        self.closed
    }

    /// The names that it is made of.
    pub fn vocabulary(&self) -> &'r Vocabulary {
        self.vocabulary
    }

    /// Its components, in the order in which their clocks were first met in the run.
    pub fn components(&self) -> &'r [Component] {
        self.components
    }

    /// How many events it has.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// An event by its index.
    pub fn event(&self, index: usize) -> Option<Event<'r>> {
        self.rows.get(index).map(|row| Event { row, vocabulary: self.vocabulary })
    }

    /// All events, component after component.
    pub fn events(&self) -> impl ExactSizeIterator<Item = Event<'r>> {
        let vocabulary = self.vocabulary;
        self.rows.iter().map(move |row| Event { row, vocabulary })
    }

    /// Emissions and their receptions, as indices of events.
    pub fn pairs(&self) -> &'r [(usize, usize)] {
        &self.pairs.matched
    }

    /// Events that lack their counterpart, as indices.
    pub fn unpaired(&self) -> &'r [usize] {
        &self.pairs.unpaired
    }

    /// The lifelines of a component in the run, acting in this group or not.
    fn lifelines_of(&self, component: &Component) -> impl Iterator<Item = u32> + use<'r> {
        self.vocabulary.lifelines_of(component.clock).iter().copied()
    }

    /// The multi-trace as the text of a `.htf`, on one line.
    pub fn htf(&self) -> String {
        let mut text = String::from("{");
        for (number, component) in self.components.iter().enumerate() {
            text.push_str(if number > 0 { "; [" } else { "[" });
            let names = self.lifelines_of(component);
            let names: Vec<_> =
                names.map(|lifeline| quote(self.vocabulary.lifeline(lifeline))).collect();
            text.push_str(&names.join(","));
            text.push(']');
            let events = component.events.clone().filter_map(|index| self.event(index));
            let events: Vec<Event<'_>> = events.filter(|event| event.action().is_some()).collect();
            for (i, moment) in events.chunk_by(|_, next| next.joined()).enumerate() {
                text.push_str(if i > 0 { "." } else { " " });
                text.push_str(if moment.len() > 1 { "{" } else { "" });
                for (j, event) in moment.iter().enumerate() {
                    let Some((direction, message)) = event.action() else { continue };
                    text.push_str(if j > 0 { "," } else { "" });
                    let _ = write!(
                        text,
                        "{}{}{}",
                        quote(event.lifeline()),
                        sign(direction),
                        quote(message)
                    );
                }
                text.push_str(if moment.len() > 1 { "}" } else { "" });
            }
        }
        text.push('}');
        text
    }

    /// The group as a case: its key as the id, and the text of its multi-trace.
    pub fn case(&self) -> crate::Case {
        crate::Case { id: self.name().into_owned(), htf: self.htf(), ..crate::Case::default() }
    }

    /// The events as canonical lines, without the header, each with its end.
    pub fn canonical(&self) -> String {
        let mut text = String::new();
        let group = self.key();
        for event in self.events() {
            let row = event.row;
            let clock = self.vocabulary.clock_of(row.lifeline);
            let clock = clock.map(|clock| self.vocabulary.clock(clock));
            let own = format!("{}.", event.lifeline());
            // Variables of the lifeline are written without its name; those of all begin with a dot.
            let names: Vec<(String, Value)> = event
                .set()
                .map(|(name, value)| match name.strip_prefix(&own) {
                    Some(name) => (name.to_owned(), value.clone()),
                    None => (format!(".{name}"), value.clone()),
                })
                .collect();
            let set: Vec<(&str, Value)> =
                names.iter().map(|(name, value)| (&**name, value.clone())).collect();
            let vector: Vec<(String, u32)> = row
                .vector
                .iter()
                .map(|&(host, count)| (self.vocabulary.lifeline(host).to_owned(), count))
                .collect();
            // The ids of spans pair whatever the message; in canonical lines all ids do so with it.
            let id = event.id().map(|id| {
                let mark = if row.marks.has(Marks::REPLY) { "/reply" } else { "" };
                format!("{id}{mark}")
            });
            text.push_str(&canonical::write(&canonical::Event {
                group: &group,
                lifeline: event.lifeline(),
                clock: clock.filter(|&clock| clock != event.lifeline()),
                action: event.action().map(|(direction, message)| (sign(direction), message)),
                peer: event.peer(),
                id: id.as_deref(),
                label: event.label(),
                set: &set,
                joined: event.joined(),
                vector: &vector,
                file: Some(event.file()),
                line: Some(row.line),
            }));
            text.push('\n');
        }
        if self.closed {
            text.push_str(&canonical::write_end(&group));
            text.push('\n');
        }
        text
    }

    /// The partial order of the events: a process for each component, edges from emissions to
    /// their receptions, or the vector clocks of the log if it has them.
    ///
    /// # Errors
    /// If events happened before each other, or clocks contradict each other; the error names the
    /// host and the line.
    pub fn order(&self, writes: Writes) -> Result<PartialOrder, OrderError> {
        if self.rows.iter().any(|row| !row.vector.is_empty()) {
            return self.stamped(writes);
        }
        let mut builder = order::Builder::default();
        let mut at: Vec<Happened> = Vec::with_capacity(self.rows.len());
        for component in self.components {
            let process = builder.process(&self.component_name(component));
            let events: Vec<Event<'_>> =
                component.events.clone().filter_map(|index| self.event(index)).collect();
            for moment in events.chunk_by(|_, next| next.joined()) {
                // An event that only sets variables may have no name.
                let named =
                    |event: &&Event<'_>| event.action().is_some() || event.label().is_some();
                let texts = moment.iter().filter(named).map(|event| event.text());
                let label = match texts.collect::<Vec<String>>().as_slice() {
                    [] => None,
                    [only] => Some(only.clone()),
                    several => Some(format!("{{{}}}", several.join(", "))),
                };
                let mut set: Vec<(&str, &Value)> = Vec::new();
                for (name, value) in moment.iter().flat_map(|event| event.set()) {
                    // The last of a moment counts.
                    set.retain(|(other, _)| *other != name);
                    set.push((name, value));
                }
                let Some(first) = moment.first() else { continue };
                let mut event = builder.event(process);
                if let Some(label) = label {
                    event = event.label(&label);
                }
                for (name, value) in set {
                    event = event.set(name, value.clone());
                }
                let happened = event.file(first.file()).line(first.row.line).at();
                at.extend(moment.iter().map(|_| happened));
            }
        }
        for &(from, to) in self.pairs.matched.iter().chain(&self.pairs.before) {
            builder.edge(at[from], at[to]);
        }
        builder.finish(writes)
    }

    /// The order that the vector clocks of the log say.
    fn stamped(&self, writes: Writes) -> Result<PartialOrder, OrderError> {
        let name = |host: u32| self.vocabulary.lifeline(host).to_owned();
        let mut events: Vec<Stamped> = Vec::with_capacity(self.rows.len());
        for event in self.events() {
            let row = event.row;
            // An event without a clock of its own is part of the one before it.
            if (row.vector.is_empty() || row.marks.has(Marks::FOLLOWS))
                && let Some(last) = events.last_mut()
            {
                let set = event.set().map(|(name, value)| (name.to_owned(), value.clone()));
                last.assignments.extend(set);
                continue;
            }
            let label = match (event.action(), event.label()) {
                (Some(_), _) => Some(event.text()),
                (None, label) => label.map(str::to_owned),
            };
            events.push(Stamped {
                process: event.lifeline().to_owned(),
                clock: row.vector.iter().map(|&(host, count)| (name(host), count)).collect(),
                label,
                assignments: event.set().map(|(n, v)| (n.to_owned(), v.clone())).collect(),
                file: Some(event.file().to_owned()),
                line: Some(row.line),
            });
        }
        if self.gaps {
            close_gaps(&mut events);
        }
        order::from_clocks(&events, writes)
    }

    /// What to call a component: its lifelines.
    fn component_name(&self, component: &Component) -> String {
        let names = self.lifelines_of(component).map(|lifeline| self.vocabulary.lifeline(lifeline));
        names.collect::<Vec<_>>().join(",")
    }
}

/// Numbers the events of each host anew where lines are left out: an entry c of a host becomes the
/// number of its events here that have an own entry of c or less. If the clocks were
/// consistent, they still are, because the new numbers grow with the old ones.
fn close_gaps(events: &mut [Stamped]) {
    let mut hosts: std::collections::BTreeMap<String, Vec<u32>> = std::collections::BTreeMap::new();
    for event in events.iter() {
        let own = event.clock.iter().find(|(host, _)| *host == event.process);
        if let Some((host, count)) = own {
            hosts.entry(host.clone()).or_default().push(*count);
        }
    }
    for counts in hosts.values_mut() {
        counts.sort_unstable();
    }
    for event in events {
        for (host, count) in &mut event.clock {
            let known = hosts.get(host).map_or(&[][..], Vec::as_slice);
            *count = offset(known.partition_point(|own| own <= count));
        }
    }
}
