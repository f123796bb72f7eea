//! The observation of one group: its events by component, and the pairs of emissions and
//! receptions.
//!
//! A component holds the events of one clock in local order; only messages order events of
//! different components. A group becomes a multi-trace over a signature
//! ([`Group`](super::Group)), a partial order for formulas ([`Observed::order`]), the text of a
//! `.htf` ([`Observed::htf`]), or canonical lines ([`Observed::canonical`]).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;

use otus_core::{Direction, LifelineId, Signature};
use otus_syntax::ast::guard::Literal;
use otus_syntax::lexer::quote;
use otus_syntax::print;
use otus_syntax::source::offset;
use otus_syntax::suggest::nearest;

use super::value::{self, ValueKey};
use super::vocabulary::{RunActionId, RunClockId, RunLifelineId, RunPlace, RunValueId, Vocabulary};
use crate::causality::Pairs;
use crate::facts;
use crate::group::{Row, RowFlags};
use crate::mapping::{As, peer};
use crate::multitrace::moment_text;
use crate::order::{self, Happened, OrderError, PartialOrder, Stamped, Value, Writes, write_json};
use crate::read::{canonical, json};
use crate::time;

/// The observation of one group.
#[derive(Debug)]
pub struct Observed<'r> {
    pub(super) key: &'r [u8],
    pub(super) number: u32,
    pub(super) closed: bool,
    pub(super) rows: &'r [Row],
    pub(super) components: &'r [Component],
    pub(super) pairs: &'r Pairs,
    pub(super) vocabulary: &'r Vocabulary,
    /// The fields whose values are kept.
    pub(super) kept: &'r [String],
    /// Whether some lines with vector clocks are missing from the group, so that own entries have
    /// gaps.
    pub(super) gaps: bool,
    /// Whether all logs have been read, so that the vocabulary is complete.
    pub(super) is_read: bool,
}

/// The events of one clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Component {
    /// The clock.
    pub clock: RunClockId,
    /// The indices of the events of the component.
    pub events: Range<usize>,
}

/// One event of a group.
#[derive(Debug, Clone, Copy)]
pub struct Event<'r> {
    row: &'r Row,
    vocabulary: &'r Vocabulary,
    kept: &'r [String],
}

impl<'r> Event<'r> {
    /// The lifeline on which it happened.
    pub fn lifeline(self) -> &'r str {
        self.vocabulary.lifeline(self.row.lifeline)
    }

    /// The direction and message of the event; `None` if the event only sets variables.
    pub fn action(self) -> Option<(Direction, &'r str)> {
        let action = self.vocabulary.action(self.row.action?);
        Some((action.direction, self.vocabulary.message(action.message)))
    }

    /// The peer of the event, if the log names it.
    pub fn peer(self) -> Option<&'r str> {
        self.row.peer.map(|peer| self.vocabulary.lifeline(peer))
    }

    /// The peer of the event, if it is the name of a lifeline: one that acts, or one that a log names. Addresses do not
    /// count as names. The peer of a span is often a host, so it counts only if a lifeline of that name acts.
    pub fn named_peer(self) -> Option<&'r str> {
        self.peer().filter(|peer| !self.is_of_span() && !peer::is_address(peer.as_bytes()))
    }

    /// Whether the event is the start or the end of a span.
    pub fn is_of_span(self) -> bool {
        self.row.flags.has(RowFlags::REQUEST) || self.row.flags.has(RowFlags::REPLY)
    }

    /// The name that the other side uses for the message of the event, if it differs.
    pub fn also(self) -> Option<&'r str> {
        self.row.also.map(|message| self.vocabulary.message(message))
    }

    /// The number of its lifeline in the run.
    pub fn lifeline_id(self) -> RunLifelineId {
        self.row.lifeline
    }

    /// The number of its action in the run; `None` if the event only sets variables.
    pub fn action_id(self) -> Option<RunActionId> {
        self.row.action
    }

    /// Whether its place in the local order is that of its line, so that nothing that comes later was before it.
    pub fn is_in_line(self) -> bool {
        self.row.order.is_none() && self.row.vector.is_empty()
    }

    /// Whether no log has the event, and it was deduced from the span of the other side.
    pub fn is_deduced(self) -> bool {
        self.row.flags.has(RowFlags::DEDUCED)
    }

    /// The id that pairs it with its counterpart, if the log has one.
    pub fn id(self) -> Option<Cow<'r, str>> {
        let there = self.row.flags.has(RowFlags::HAS_ID);
        there.then(|| String::from_utf8_lossy(&self.row.id))
    }

    /// The label of the event, if a rule gives one.
    pub fn label(self) -> Option<&'r str> {
        self.row.label.map(|label| self.vocabulary.label(label))
    }

    /// The variables it sets, with their values. A variable of a lifeline is called
    /// `lifeline.variable`.
    pub fn set(self) -> impl Iterator<Item = (&'r str, &'r Value)> {
        let vocabulary = self.vocabulary;
        let pairs = self.row.set.iter();
        pairs.map(|&(name, value)| (vocabulary.variable(name), vocabulary.value(value)))
    }

    /// What it carries, as far as that is kept, without its time: the fields and their values.
    pub fn values(self) -> impl Iterator<Item = (&'r str, &'r Value)> {
        let (kept, vocabulary) = (self.kept, self.vocabulary);
        let pairs = self.row.values().iter();
        pairs.filter_map(move |&(field, value)| {
            Some((kept.get(field as usize)?.as_str(), vocabulary.value(value)))
        })
    }

    /// The values by the index of their field, as ids.
    pub(super) fn value_ids(self) -> &'r [(u32, RunValueId)] {
        self.row.values()
    }

    /// When it happened, in nanoseconds, if times are kept.
    pub fn time(self) -> Option<i64> {
        self.row.time()
    }

    /// Its id as a value of the field `id`: a number if it has the form of one that fits, else a text.
    pub fn id_value(self) -> Option<Value> {
        let id = self.id()?;
        let value = value::parse(&id, As::Plain, false).unwrap_or(ValueKey::Text(&id));
        Some(value.to_value())
    }

    /// Whether the event happened at the same moment as the event before it.
    pub fn joined(self) -> bool {
        self.row.flags.has(RowFlags::JOINED)
    }

    /// The place from which the event was read.
    pub fn place(self) -> RunPlace {
        self.row.place
    }

    /// The name of the file from which it was read.
    pub fn file(self) -> &'r str {
        self.vocabulary.file(self.row.place.file)
    }

    /// `client!request`, or the label, or the lifeline if it has neither.
    pub fn text(self) -> String {
        self.name().unwrap_or_else(|| self.lifeline().to_owned())
    }

    /// `client!request`, or the label.
    fn name(self) -> Option<String> {
        match self.action().filter(|_| !self.row.flags.has(RowFlags::CLOCKED)) {
            Some((direction, message)) => {
                Some(format!("{}{}{message}", self.lifeline(), direction.symbol()))
            }
            None => self.label().map(str::to_owned),
        }
    }
}

impl<'r> Observed<'r> {
    /// The key of the group; empty if nothing is grouped.
    pub fn key(&self) -> Cow<'r, str> {
        String::from_utf8_lossy(self.key)
    }

    /// The bytes of the key.
    pub fn key_bytes(&self) -> &'r [u8] {
        self.key
    }

    /// The name of the group: its key, or `all` if nothing is grouped.
    pub fn name(&self) -> Cow<'r, str> {
        if self.key.is_empty() { Cow::Borrowed("all") } else { self.key() }
    }

    /// The number of the group, from 0, in the order of the first events of groups.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The lifelines of a signature on which no group has an event; `None` unless all logs have been read. A lifeline
    /// is left out if the logs have a similar name, because that name is probably a misspelling of the lifeline.
    pub fn silent(&self, signature: &Signature) -> Option<Vec<LifelineId>> {
        if !self.is_read {
            return None;
        }
        let acting = self.vocabulary.actions.items.iter();
        let names: BTreeSet<&str> =
            acting.map(|act| self.vocabulary.lifeline(act.lifeline)).collect();
        let known: Vec<&str> = signature
            .lifelines()
            .flat_map(|(lifeline, name)| [Some(name), signature.label(lifeline)])
            .flatten()
            .collect();
        let meant = |name: &str| {
            self.vocabulary.lifeline_in(signature, name).or_else(|| {
                let resembled = nearest(name, known.iter().copied())?;
                signature.lifeline_called(resembled)
            })
        };
        let acting: BTreeSet<LifelineId> = names.into_iter().filter_map(meant).collect();
        let all = signature.lifelines().map(|(lifeline, _)| lifeline);
        Some(all.filter(|lifeline| !acting.contains(lifeline)).collect())
    }

    /// Whether a rule marked it as complete.
    pub fn closed(&self) -> bool {
        self.closed
    }

    /// The names of the run.
    pub fn vocabulary(&self) -> &'r Vocabulary {
        self.vocabulary
    }

    /// The fields whose values are kept, without the time.
    pub fn kept(&self) -> &'r [String] {
        self.kept
    }

    /// The components of the group, in the order in which their clocks first occurred in the run.
    pub fn components(&self) -> &'r [Component] {
        self.components
    }

    /// The number of events.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it has no events.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// An event by its index.
    pub fn event(&self, index: usize) -> Option<Event<'r>> {
        let (vocabulary, kept) = (self.vocabulary, self.kept);
        self.rows.get(index).map(|row| Event { row, vocabulary, kept })
    }

    /// All events, component after component.
    pub fn events(&self) -> impl ExactSizeIterator<Item = Event<'r>> {
        let (vocabulary, kept) = (self.vocabulary, self.kept);
        self.rows.iter().map(move |row| Event { row, vocabulary, kept })
    }

    /// The pairs of an emission and its reception, as indices of events.
    pub fn pairs(&self) -> &'r [(usize, usize)] {
        &self.pairs.matched
    }

    /// The order of events of different clocks, as far as the logs show it by ids of messages, parents of spans,
    /// and vector clocks. Emissions and receptions that are paired only by counting do not contribute.
    pub fn happened_before(&self) -> Vec<(usize, usize)> {
        let tells = |index: usize| {
            let flags = self.rows[index].flags;
            [RowFlags::HAS_ID, RowFlags::REQUEST, RowFlags::REPLY].iter().any(|&it| flags.has(it))
        };
        let pairs = self.pairs().iter().copied();
        let mut edges: Vec<(usize, usize)> =
            pairs.filter(|&(from, to)| tells(from) && tells(to)).collect();
        // For each host: the own entries of its actions, ascending.
        let mut own: BTreeMap<RunLifelineId, Vec<(u32, usize)>> = BTreeMap::new();
        for (index, row) in self.rows.iter().enumerate().filter(|(_, row)| row.action.is_some()) {
            let count = row.vector.iter().find(|(host, _)| *host == row.lifeline);
            if let Some(&(host, count)) = count {
                own.entry(host).or_default().push((count, index));
            }
        }
        for counts in own.values_mut() {
            counts.sort_unstable();
        }
        for (index, row) in self.rows.iter().enumerate() {
            for (host, count) in row.vector.iter().filter(|(host, _)| *host != row.lifeline) {
                let known = own.get(host).map_or(&[][..], Vec::as_slice);
                let before = known.partition_point(|(own, _)| own <= count);
                edges.extend(before.checked_sub(1).map(|last| (known[last].1, index)));
            }
        }
        edges
    }

    /// The indices of events without a counterpart.
    pub fn unpaired(&self) -> &'r [usize] {
        &self.pairs.unpaired
    }

    /// The names of the lifelines of a component, including those without an event in this group.
    fn lifelines_of(&self, component: &Component) -> impl Iterator<Item = &'r str> + use<'r> {
        let vocabulary = self.vocabulary;
        let lifelines = vocabulary.lifelines_of(component.clock).iter();
        lifelines.map(move |&lifeline: &RunLifelineId| vocabulary.lifeline(lifeline))
    }

    /// The multi-trace as the text of a `.htf`, on one line, with the values that are kept.
    pub fn htf(&self) -> String {
        let mut text = String::from("{");
        for (number, component) in self.components.iter().enumerate() {
            text.push_str(if number > 0 { "; [" } else { "[" });
            let names: Vec<_> = self.lifelines_of(component).map(quote).collect();
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
                    let (lifeline, message) = (quote(event.lifeline()), quote(message));
                    let _ = write!(text, "{lifeline}{}{message}", direction.symbol());
                    write_values(*event, &mut text);
                }
                text.push_str(if moment.len() > 1 { "}" } else { "" });
            }
        }
        text.push('}');
        text
    }

    /// The group as a case, with its key as the id.
    pub fn case(&self) -> crate::Case {
        crate::Case { id: self.name().into_owned(), htf: self.htf(), ..crate::Case::default() }
    }

    /// The events as canonical lines, without the header.
    pub fn canonical(&self) -> String {
        let mut text = String::new();
        let group = self.key();
        for event in self.events() {
            let row = event.row;
            let mut line = canonical::LineWriter::new(&group);
            line.text("lifeline", event.lifeline());
            let clock = self.vocabulary.clock_of(row.lifeline);
            let clock = clock.map(|clock| self.vocabulary.clock(clock));
            line.optional("clock", clock.filter(|&clock| clock != event.lifeline()));
            if let Some((direction, message)) = event.action() {
                line.text("action", direction.symbol().encode_utf8(&mut [0; 4]));
                line.text("message", message);
            }
            line.optional("peer", event.peer());
            // Span ids pair actions regardless of the message; ids of the canonical format pair
            // only actions with the same message.
            let mark = if row.flags.has(RowFlags::REPLY) { "/reply" } else { "" };
            line.optional("id", event.id().map(|id| format!("{id}{mark}")).as_deref());
            line.optional("label", event.label());
            let values = event.values().map(|(name, value)| (Cow::Borrowed(name), value));
            line.object("values", values, write_value);
            if let Some(seconds) = row.time().and_then(time::seconds) {
                line.literal("time", seconds.decimal());
            }
            // Variables of the lifeline are written without its name; shared ones begin with a dot.
            let own = format!("{}.", event.lifeline());
            let set = event.set().map(|(name, value)| match name.strip_prefix(&own) {
                Some(name) => (Cow::Borrowed(name), value),
                None => (Cow::Owned(format!(".{name}")), value),
            });
            line.object("set", set, write_json);
            if event.joined() {
                line.literal("joined", "true");
            }
            let host = |host: RunLifelineId| Cow::Borrowed(self.vocabulary.lifeline(host));
            let vector = row.vector.iter().map(|&(id, count)| (host(id), count));
            line.object("vector", vector, |count, line| line.push_str(&count.to_string()));
            line.text("file", event.file());
            line.literal("line", row.place.line);
            text.push_str(&line.finish());
        }
        if self.closed {
            let mut line = canonical::LineWriter::new(&group);
            line.literal("end", "true");
            text.push_str(&line.finish());
        }
        text
    }

    /// The partial order of the events: a process for each component, and edges from emissions to
    /// their receptions, or the order of the vector clocks if the log has them.
    ///
    /// # Errors
    /// If the order is cyclic or the clocks contradict each other; the error names the host and the
    /// line.
    pub fn order(&self, writes: Writes) -> Result<PartialOrder, OrderError> {
        if self.rows.iter().any(|row| !row.vector.is_empty()) {
            return self.stamped(writes);
        }
        self.order_before(&self.ends(), writes)
    }

    /// Whether an emission that still comes can change the pair of a reception. Pairs by id are fixed, and so are those of a
    /// channel whose both ends are named. Pairs by counting are fixed as well, or they become weaker orders, in which all runs
    /// stay possible. Where only one side has the id, or only some events name their peer, the first emission that fits is taken,
    /// and a later one may fit better.
    fn may_pair_otherwise(&self) -> bool {
        let has_id = |index: usize| self.rows[index].flags.has(RowFlags::HAS_ID);
        if self.pairs.matched.iter().any(|&(from, to)| has_id(from) != has_id(to)) {
            return true;
        }
        let without_id = || self.events().filter(|event| !event.row.flags.has(RowFlags::HAS_ID));
        let named: BTreeSet<&str> = without_id()
            .filter(|event| event.row.peer.is_some())
            .filter_map(|event| Some(event.action()?.1))
            .collect();
        without_id().any(|event| {
            let received =
                event.action().filter(|(direction, _)| *direction == Direction::Reception);
            event.row.peer.is_none() && received.is_some_and(|(_, message)| named.contains(message))
        })
    }

    /// The order of those events whose causes are all here, whatever events still come: the largest part that has, with
    /// each event, all events before it in the order of the whole group. `None` if that is not known yet: where a later
    /// record may come before an earlier one, as spans and lines that are ordered by a field do, and where a reception may still
    /// get another emission.
    ///
    /// # Errors
    /// As [`Observed::order`].
    pub fn closed_order(&self, writes: Writes) -> Result<Option<PartialOrder>, OrderError> {
        if self.events().any(|event| !event.is_in_line() || event.is_of_span()) {
            return Ok(None);
        }
        match self.closed_ends() {
            Some(ends) => self.order_before(&ends, writes).map(Some),
            None => Ok(None),
        }
    }

    /// For each component: where its events end.
    fn ends(&self) -> Vec<usize> {
        self.components.iter().map(|component| component.events.end).collect()
    }

    /// For each component: where the events end whose causes are all here. A reception without an emission may still get
    /// one, so its component ends before it; then so do the components that received what is sent behind that.
    fn closed_ends(&self) -> Option<Vec<usize>> {
        if self.may_pair_otherwise() {
            return None;
        }
        let edges = || self.pairs.matched.iter().chain(&self.pairs.before);
        let mut has_cause = vec![false; self.rows.len()];
        let mut effects: Vec<Vec<usize>> = vec![Vec::new(); self.rows.len()];
        for &(from, to) in edges() {
            has_cause[to] = true;
            effects[from].push(to);
        }
        let mut component_of = vec![0; self.rows.len()];
        for (number, component) in self.components.iter().enumerate() {
            component_of[component.events.clone()].fill(number);
        }
        let is_received =
            |event: &Event<'_>| matches!(event.action(), Some((Direction::Reception, _)));
        let mut ends = self.ends();
        let mut pending: Vec<usize> = Vec::new();
        for (index, event) in self.events().enumerate() {
            if is_received(&event) && !has_cause[index] {
                pending.push(index);
            }
        }
        while let Some(index) = pending.pop() {
            let number = component_of[index];
            // Events of one moment happen together.
            let first = self.components[number].events.start;
            let mut end = index;
            while end > first && self.event(end).is_some_and(Event::joined) {
                end -= 1;
            }
            if end < ends[number] {
                for &effect in effects[end..ends[number]].iter().flatten() {
                    pending.push(effect);
                }
                ends[number] = end;
            }
        }
        Some(ends)
    }

    /// The order of the events of each component that are before an end.
    fn order_before(&self, ends: &[usize], writes: Writes) -> Result<PartialOrder, OrderError> {
        let mut builder = order::Builder::default();
        let mut at: Vec<Option<Happened>> = vec![None; self.rows.len()];
        for (component, &end) in self.components.iter().zip(ends) {
            let name = self.lifelines_of(component).collect::<Vec<_>>().join(",");
            let process = builder.process(&name);
            let indices = component.events.start..end;
            let events: Vec<(usize, Event<'_>)> =
                indices.filter_map(|index| Some((index, self.event(index)?))).collect();
            for moment in events.chunk_by(|_, (_, next)| next.joined()) {
                // An event that only sets variables may have no name.
                let names: Vec<String> =
                    moment.iter().filter_map(|(_, event)| event.name()).collect();
                let mut set: Vec<(&str, &Value)> = Vec::new();
                for (name, value) in moment.iter().flat_map(|(_, event)| event.set()) {
                    // If a moment sets a variable several times, the last value counts.
                    set.retain(|(other, _)| *other != name);
                    set.push((name, value));
                }
                let Some((_, first)) = moment.first() else { continue };
                let mut event = builder.event(process);
                if !names.is_empty() {
                    event = event.label(&moment_text(&names));
                }
                for (name, value) in set {
                    event = event.set(name, value.clone());
                }
                let happened = event.file(first.file()).line(first.row.place.line).at();
                for (index, _) in moment {
                    at[*index] = Some(happened);
                }
            }
        }
        for &(from, to) in self.pairs.matched.iter().chain(&self.pairs.before) {
            if let (Some(from), Some(to)) = (at[from], at[to]) {
                builder.edge(from, to);
            }
        }
        builder.finish(writes)
    }

    /// The order that the vector clocks of the log define.
    fn stamped(&self, writes: Writes) -> Result<PartialOrder, OrderError> {
        let mut events: Vec<Stamped<'_>> = Vec::with_capacity(self.rows.len());
        for event in self.events() {
            let row = event.row;
            // An event without a clock of its own is part of the event before it.
            if (row.vector.is_empty() || row.flags.has(RowFlags::FOLLOWS))
                && let Some(last) = events.last_mut()
            {
                last.assignments.extend(event.set());
                continue;
            }
            let clock = row.vector.iter();
            events.push(Stamped {
                process: event.lifeline(),
                clock: clock.map(|&(host, n)| (self.vocabulary.lifeline(host), n)).collect(),
                label: event.name(),
                assignments: event.set().collect(),
                file: Some(event.file()),
                line: Some(row.place.line),
            });
        }
        if self.gaps {
            close_gaps(&mut events);
        }
        order::from_clocks(&events, writes)
    }
}

/// Appends the values of an event as they are written in a `.htf`.
fn write_values(event: Event<'_>, text: &mut String) {
    let mut is_first = true;
    let mut write = |name: &str, literal: &Literal| {
        let (name, value) = (quote(name), print::trace_value(literal));
        let _ = write!(text, "{}{name}={value}", if is_first { "(" } else { ", " });
        is_first = false;
    };
    for (name, value) in event.values() {
        write(name, &facts::literal(value));
    }
    let id = event.id_value().filter(|_| event.kept.iter().any(|name| name == "id"));
    if let Some(id) = id.filter(|_| event.values().all(|(name, _)| name != "id")) {
        write("id", &facts::literal(&id));
    }
    if let Some(seconds) = event.time().and_then(time::seconds) {
        write(facts::TIME, &Literal::Number(seconds));
    }
    if !is_first {
        text.push(')');
    }
}

/// Appends a value as JSON. Numbers of logs have finitely many digits; another fraction would be a text.
fn write_value(value: &Value, out: &mut String) {
    match value {
        Value::Number(number) => match number.decimal() {
            fraction if fraction.contains('/') => json::quote(&fraction, out),
            decimal => out.push_str(&decimal),
        },
        Value::Boolean(_) | Value::Text(_) => write_json(value, out),
    }
}

/// Renumbers the events of each host when lines are missing: an entry c of a host becomes the
/// number of its events whose own entry is at most c. Consistent clocks stay consistent, because
/// the renumbering is monotone.
fn close_gaps(events: &mut [Stamped<'_>]) {
    let mut hosts: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for event in events.iter() {
        let own = event.clock.iter().find(|(host, _)| *host == event.process);
        if let Some((host, count)) = own {
            hosts.entry(host).or_default().push(*count);
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
