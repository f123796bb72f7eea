//! Reads a partial-order trace from its JSON text.

use std::borrow::Cow;

use otus_core::index::Index as _;
use otus_syntax::name::{Names, Symbol};
use otus_syntax::source::offset;
use otus_syntax::suggest::did_you_mean;
use otus_syntax::{Code, Diagnostic, Rational, Source, Span};

use super::scan::{Malformed, Scanner};
use crate::order::build::{Draft, Located};
use crate::order::error::out_of_range;
use crate::order::stamped::{self, ClockFault, HostClock};
use crate::order::value::{Value, ValueId, Values};
use crate::order::{
    Assignment, EventId, EventName, Happened, OrderError, PartialOrder, ProcessId, VariableId,
    Writes,
};

/// Reads a `.pot.json`.
///
/// ```
/// use otus_syntax::Source;
/// use otus_trace::order::{Writes, pot};
///
/// let text = r#"{"processes": [{"name": "p", "events": [{"var": "x", "val": 3}]},
///                              {"name": "q", "events": [{"set": {"y": 1, "z": "up"}}]}],
///                "edges": [[["p", 1], [1, 1]]], "init": {"x": 7}}"#;
/// let trace = pot::read(&Source::new("run.pot.json", text), Writes::Checked).unwrap();
/// assert_eq!((trace.event_count(), trace.edges().len()), (2, 1));
/// ```
///
/// # Errors
/// If the text is not JSON, not in the format, or not a partial-order trace; the diagnostics say
/// where and why.
pub fn read(source: &Source, writes: Writes) -> Result<PartialOrder, Vec<Diagnostic>> {
    let mut reader = PotReader::new(source, false);
    let done = reader.trace().map(|()| reader.edges_of_clocks());
    if done.is_err() || !reader.json.diagnostics.is_empty() {
        let mut found = reader.json.diagnostics;
        found.sort_by_key(|found| found.primary.span.start);
        return Err(found);
    }
    reader.finished().finish(writes).map_err(|error| vec![diagnostic(source, &error)])
}

/// Reads a text into the columns of a trace.
struct PotReader<'s> {
    json: Scanner<'s>,
    draft: Draft,
    /// For each process: the span of its name.
    name_spans: Vec<Span>,
    recent_processes: Recent,
    recent_variables: Recent,
    recent_texts: Recent,
    /// The texts that occur as values, with the values they stand for.
    texts: Names,
    text_values: Vec<ValueId>,
    /// The span of each event, if the caller needs spans.
    spans: Option<Vec<Span>>,
    clocks: Clocks,
}

/// The vector clocks of the events that have one.
#[derive(Default)]
struct Clocks {
    hosts: Names,
    /// The clocks, in the order of the events.
    all: Vec<Clock>,
    /// The span of the key `edges`, if the file has it.
    edges: Option<Span>,
}

struct Clock {
    /// The index of its event.
    event: usize,
    span: Span,
    /// The hosts, each with the number of its events that the clock knows.
    entries: Vec<(Symbol, u32)>,
}

impl<'s> PotReader<'s> {
    fn new(source: &'s Source, with_spans: bool) -> Self {
        // The shortest usual event has 19 bytes, so this is an upper bound. Reserved memory that is
        // not used costs nothing.
        let guess = source.text().len() / 19;
        let mut draft = Draft::default();
        draft.order.ends.reserve_exact(guess);
        draft.order.assignments.reserve_exact(guess);
        draft.order.edges.reserve_exact(guess);
        PotReader {
            json: Scanner::new(source),
            draft,
            name_spans: Vec::new(),
            recent_processes: Recent::new(),
            recent_variables: Recent::new(),
            recent_texts: Recent::new(),
            texts: Names::default(),
            text_values: Vec::new(),
            spans: with_spans.then(Vec::new),
            clocks: Clocks::default(),
        }
    }

    /// The draft with columns of full length and without spare memory.
    fn finished(self) -> Draft {
        let mut draft = self.draft;
        let PartialOrder { ends, assignments, notes, .. } = &mut draft.order;
        for column in [&mut notes.labels, &mut notes.files, &mut notes.lines] {
            if !column.is_empty() {
                column.resize(ends.len(), 0);
            }
        }
        ends.shrink_to_fit();
        assignments.shrink_to_fit();
        draft
    }

    /// `trace := { "processes", "edges"?, "init"? }`
    fn trace(&mut self) -> Result<(), Malformed> {
        let shape = "an object with `processes`, and perhaps `edges` and `init`";
        let mut seen = Seen::default();
        // Edges refer to processes. If they come first in the file, they are read afterwards.
        let mut edges_at = None;
        let whole = self.object("the trace", shape, |reader, key, span| {
            if reader.is_new(&mut seen, &KEYS_OF_TRACE, key, span)? {
                match key {
                    "processes" => {
                        reader.list("`processes`", "a list of processes", Self::process)?;
                    }
                    "init" => reader.init()?,
                    _ if seen.has(0) => {
                        reader.clocks.edges = Some(span);
                        reader.edges()?;
                    }
                    _ => {
                        reader.clocks.edges = Some(span);
                        reader.json.peek();
                        edges_at = Some(reader.json.at);
                        reader.json.skip()?;
                    }
                }
            }
            Ok(())
        })?;
        let Some(whole) = whole else { return Ok(()) };
        if self.json.peek().is_some() {
            return Err(self.json.malformed("nothing after the trace"));
        }
        if !seen.has(0) && !seen.has(UNKNOWN) {
            let help =
                r#"a trace is {"processes": [{"name": "p", "events": […]}, …], "edges": […]}"#;
            self.bad_field(whole, "the trace has no `processes`", help);
        }
        if let Some(at) = edges_at {
            self.json.at = at;
            self.edges()?;
        }
        Ok(())
    }

    /// `process := { "name", "events"? }`
    fn process(&mut self) -> Result<(), Malformed> {
        let mut seen = Seen::default();
        let mut name = None;
        let shape = "an object with a `name` and `events`";
        let whole = self.object("a process", shape, |reader, key, span| {
            if reader.is_new(&mut seen, &KEYS_OF_PROCESS, key, span)? {
                if key == "name" {
                    name = reader.text("`name` is no text", "write it in double quotes")?;
                } else {
                    reader.events()?;
                }
            }
            Ok(())
        })?;
        let Some(whole) = whole else { return Ok(()) };
        let Some((name, span)) = name else {
            if !seen.has(0) && !seen.has(UNKNOWN) {
                let help = r#"write {"name": "p1", "events": […]}"#;
                self.bad_field(whole, "this process has no `name`", help);
            }
            return Ok(());
        };
        let order = &mut self.draft.order;
        if let Some(Symbol(known)) = order.processes.find(&name) {
            let id = self.json.source.id();
            let message = format!("two processes have the name `{name}`");
            let help = "put the events of one process in one list, or give the other its own name";
            let found = Diagnostic::new(Code::DUPLICATE_DECLARATION, id, span, message)
                .with_related(id, self.name_spans[known as usize], "the first is here")
                .with_help(help);
            self.json.report(found);
            return Ok(());
        }
        order.processes.intern(&name);
        order.starts.push(offset(order.ends.len()));
        self.name_spans.push(span);
        Ok(())
    }

    /// `[ event… ]`
    fn events(&mut self) -> Result<(), Malformed> {
        self.list("`events`", "a list of events", |reader| {
            reader.json.peek();
            if reader.plain_event() { Ok(()) } else { reader.event() }
        })
    }

    /// Reads an event in the usual form, `{"var":"x","val":3}` with or without spaces; returns
    /// whether it has that form. This halves the time for a file of such events.
    #[inline]
    fn plain_event(&mut self) -> bool {
        self.event_between(b"{\"var\":\"", b"\",\"val\":")
            || self.event_between(b"{\"var\": \"", b"\", \"val\": ")
    }

    /// Reads an event with these texts before and after the name of its variable.
    #[inline]
    fn event_between<const M: usize, const N: usize>(
        &mut self,
        before: &[u8; M],
        between: &[u8; N],
    ) -> bool {
        let (start, bytes) = (self.json.at, self.json.bytes);
        let begins = |at: usize, text: &[u8]| bytes.get(at..at + text.len()) == Some(text);
        if !begins(start, before) {
            return false;
        }
        let name = start + before.len();
        let Some(end) = short_text_end(bytes, name) else { return false };
        if !begins(end, between) {
            return false;
        }
        self.json.at = end + between.len();
        let (Some(value), Some(b'}')) = (self.plain_value(), bytes.get(self.json.at)) else {
            self.json.at = start;
            return false;
        };
        self.json.at += 1;
        let (text, names) = (self.json.source.text(), &mut self.draft.order.variables);
        let look_up = || Some(names.intern(&text[name..end]).0);
        let known = self.recent_variables.id(bytes, name, end, look_up);
        let Some(variable) = known.map(VariableId) else { return false };
        self.draft.order.assignments.push(Assignment { variable, value });
        self.end_of_event(start);
        true
    }

    /// Reads a small integer, or a short text without escapes.
    #[inline]
    fn plain_value(&mut self) -> Option<ValueId> {
        let bytes = self.json.bytes;
        if bytes.get(self.json.at) != Some(&b'"') {
            return self.json.small_integer().and_then(Values::small);
        }
        let start = self.json.at + 1;
        let end = short_text_end(bytes, start).filter(|&end| bytes[end] == b'"')?;
        let text = &self.json.source.text()[start..end];
        let (texts, text_values, values) =
            (&mut self.texts, &mut self.text_values, &mut self.draft.order.values);
        let look_up = || text_value(texts, text_values, values, text).map(|ValueId(id)| id);
        let value = self.recent_texts.id(bytes, start, end, look_up);
        self.json.at = end + 1;
        value.map(ValueId)
    }

    #[inline]
    fn end_of_event(&mut self, start: usize) {
        if let Some(spans) = &mut self.spans {
            spans.push(self.json.span_from(start));
        }
        let order = &mut self.draft.order;
        order.ends.push(offset(order.assignments.len()));
    }

    /// `event := { ("var", "val")?, "set"?, "label"?, "file"?, "line"?, "clock"? }`
    fn event(&mut self) -> Result<(), Malformed> {
        self.json.peek();
        let start = self.json.at;
        let mut seen = Seen::default();
        let (mut variable, mut value) = (None, None);
        let shape = "an object such as {\"var\": \"x\", \"val\": 3}";
        let whole = self.object("an event", shape, |reader, key, span| {
            // The most frequent keys are tried first.
            match key {
                "var" if seen.insert(0) => variable = reader.variable()?,
                "val" if seen.insert(1) => value = reader.value()?,
                _ => reader.other_field(&mut seen, key, span)?,
            }
            Ok(())
        })?;
        let Some(whole) = whole else { return Ok(()) };
        match (variable, value) {
            (Some(variable), Some(value)) => {
                self.draft.order.assignments.push(Assignment { variable, value });
            }
            (None, None) => {}
            (Some(_), None) | (None, Some(_)) => {
                // A key with a wrong value has been reported already.
                if seen.has(0) != seen.has(1) && !seen.has(UNKNOWN) {
                    let missing = if seen.has(0) { "val" } else { "var" };
                    let help = r#"an assignment is {"var": "x", "val": 3}"#;
                    self.bad_field(whole, format!("this event has no `{missing}`"), help);
                }
            }
        }
        self.end_of_event(start);
        Ok(())
    }

    /// Reads a field that the usual form of an event does not have.
    #[inline(never)]
    fn other_field(&mut self, seen: &mut Seen, key: &str, span: Span) -> Result<(), Malformed> {
        if !self.is_new(seen, &KEYS_OF_EVENT, key, span)? {
            return Ok(());
        }
        let event = self.draft.order.ends.len();
        match key {
            "set" => {
                let shape = "an object such as {\"x\": 1, \"y\": 2}";
                self.object("`set`", shape, |reader, name, span| {
                    let variable = reader.named_variable(name, span);
                    if let Some(value) = reader.value()? {
                        reader.draft.order.assignments.push(Assignment { variable, value });
                    }
                    Ok(())
                })?;
            }
            "label" => {
                if let Some((text, _)) =
                    self.text("`label` is no text", "write it in double quotes")?
                {
                    let notes = &mut self.draft.order.notes;
                    note(&mut notes.labels, event, notes.label_names.intern(&text).0 + 1);
                }
            }
            "file" => {
                if let Some((text, _)) =
                    self.text("`file` is no text", "write it in double quotes")?
                {
                    let notes = &mut self.draft.order.notes;
                    note(&mut notes.files, event, notes.file_names.intern(&text).0 + 1);
                }
            }
            "clock" => self.clock(event)?,
            _ => {
                self.json.peek();
                let start = self.json.at;
                let line = self.json.small_integer().and_then(|line| u32::try_from(line).ok());
                match line.filter(|&line| line > 0) {
                    Some(line) => note(&mut self.draft.order.notes.lines, event, line),
                    None => {
                        self.json.at = start;
                        let span = self.json.skip()?;
                        let help = "lines are counted from 1";
                        self.bad_field(span, "`line` is no number of a line", help);
                    }
                }
            }
        }
        Ok(())
    }

    /// `clock := { process: number… }`
    fn clock(&mut self, event: usize) -> Result<(), Malformed> {
        let mut entries = Vec::new();
        let shape =
            "an object such as {\"p\": 2, \"q\": 1}: how many events of each process are known";
        let span = self.object("`clock`", shape, |reader, name, _| {
            reader.json.peek();
            let start = reader.json.at;
            let count = reader.json.small_integer().and_then(|count| u32::try_from(count).ok());
            match count {
                Some(count) => entries.push((reader.clocks.hosts.intern(name), count)),
                None => {
                    reader.json.at = start;
                    let span = reader.json.skip()?;
                    let help = "an entry is the number of events of that process that are known";
                    reader.bad_field(span, "this is no number of events", help);
                }
            }
            Ok(())
        })?;
        if let Some(span) = span {
            self.clocks.all.push(Clock { event, span, entries });
        }
        Ok(())
    }

    /// Turns vector clocks into edges. Either all events have a clock, and there are no edges, or none has.
    fn edges_of_clocks(&mut self) {
        let clocks = std::mem::take(&mut self.clocks);
        let Some(first) = clocks.all.first() else { return };
        if let Some(span) = clocks.edges {
            let id = self.json.source.id();
            let message = "the trace has both vector clocks and `edges`";
            let help = "remove one of the two: clocks say everything that edges can say";
            let found = Diagnostic::new(Code::BAD_FIELD, id, span, message);
            let found = found.with_related(id, first.span, "the first clock is here");
            self.json.report(found.with_help(help));
            return;
        }
        let order = &self.draft.order;
        let event_count = order.ends.len();
        if clocks.all.len() < event_count {
            let missing = clocks.all.iter().zip(0..).find(|(clock, index)| clock.event != *index);
            let index = missing.map_or(clocks.all.len(), |(_, index)| index);
            let event = EventId::new(index);
            let process = order.process_name(order.process_of(event));
            let position = order.position(event);
            let message =
                format!("event {position} of {process} has no clock, and others have one");
            let help = "give every event its clock, or none";
            self.bad_field(first.span, message, help);
            return;
        }
        // Hosts that occur only in clocks have no events; they come after the processes.
        let mut names: Vec<&str> = order.process_names().collect();
        let processes = names.len();
        let mut numbers = Vec::new();
        for (_, host) in clocks.hosts.iter() {
            let known = order.process(host).map(ProcessId::index);
            numbers.push(known.unwrap_or_else(|| {
                names.push(host);
                names.len() - 1
            }));
        }
        let entries: Vec<Vec<(usize, u32)>> = clocks
            .all
            .iter()
            .map(|clock| {
                let known = clock.entries.iter().filter(|(_, count)| *count > 0);
                known.map(|&(Symbol(host), count)| (numbers[host as usize], count)).collect()
            })
            .collect();
        let mut fault = None;
        let mut logs: Vec<Vec<&HostClock>> = Vec::with_capacity(processes);
        for process in order.processes() {
            let own = &entries[order.starts[process.index()] as usize..];
            let own = &own[..order.length(process) as usize];
            logs.push(own.iter().map(|clock| &**clock).collect());
            let wrong = |(clock, position): (&Vec<(usize, u32)>, u32)| {
                let entry = clock.iter().find(|(host, _)| *host == process.index());
                let cause = match entry {
                    Some(&(_, count)) if count == position => return None,
                    Some((_, count)) => {
                        format!("its own entry is {count}, where {position} comes next")
                    }
                    None => {
                        format!("it has no entry of {}, its own process", names[process.index()])
                    }
                };
                Some(ClockFault { host: process.index(), position, cause })
            };
            fault = fault.or_else(|| own.iter().zip(1_u32..).find_map(wrong));
        }
        let text = |host: usize| names[host];
        let name = |host: usize, position: u32| format!("event {position} of {}", names[host]);
        let found = match fault {
            Some(fault) => Err(fault),
            None => stamped::edges(&logs, names.len(), text, name),
        };
        match found {
            Ok(edges) => {
                let located = |at: Happened| Located {
                    process: at.process.index(),
                    event: EventId(order.starts[at.process.index()] + at.position - 1),
                };
                let edges: Vec<(Located, Located)> =
                    edges.into_iter().map(|(from, to)| (located(from), located(to))).collect();
                for (from, to) in edges {
                    self.draft.edge(from, to);
                }
            }
            Err(ClockFault { host, position, cause }) => {
                let event = order.starts[host] as usize + position as usize - 1;
                let span = clocks.all[event].span;
                let message =
                    format!("the clock of {} is not consistent: {cause}", name(host, position));
                let help =
                    "a clock counts, for each process, the events that are known, with this one";
                self.json.fault(Code::INCONSISTENT_CLOCK, span, message, help);
            }
        }
    }

    /// `{ variable: value… }` of `init`.
    fn init(&mut self) -> Result<(), Malformed> {
        self.object("`init`", "an object such as {\"x\": 0}", |reader, name, span| {
            let variable = reader.draft.order.variables.intern(name).0 as usize;
            let value = reader.value()?;
            let initial = &mut reader.draft.initial;
            if initial.len() <= variable {
                initial.resize(variable + 1, None);
            }
            if std::mem::replace(&mut initial[variable], value).is_some() {
                let help = "give each variable one initial value";
                reader.bad_field(span, format!("`init` has `{name}` twice"), help);
            }
            Ok(())
        })?;
        Ok(())
    }

    /// `[ edge… ]`
    fn edges(&mut self) -> Result<(), Malformed> {
        self.list("`edges`", "a list of edges", Self::edge)
    }

    /// Reads a list item by item; anything else is reported and skipped.
    #[inline]
    fn list(
        &mut self,
        what: &str,
        shape: &str,
        mut item: impl FnMut(&mut Self) -> Result<(), Malformed>,
    ) -> Result<(), Malformed> {
        if !self.begins(b'[', what, shape)? {
            return Ok(());
        }
        let mut more = self.json.open(b'[', b']')?;
        while more {
            item(self)?;
            more = self.json.more(b']')?;
        }
        Ok(())
    }

    /// Reads an object member by member; returns its span. Anything else is reported and skipped.
    #[inline]
    fn object(
        &mut self,
        what: &str,
        shape: &str,
        mut member: impl FnMut(&mut Self, &str, Span) -> Result<(), Malformed>,
    ) -> Result<Option<Span>, Malformed> {
        if !self.begins(b'{', what, shape)? {
            return Ok(None);
        }
        let start = self.json.at;
        let mut more = self.json.open(b'{', b'}')?;
        while more {
            let (key, span) = self.json.key()?;
            member(self, &key, span)?;
            more = self.json.more(b'}')?;
        }
        Ok(Some(self.json.span_from(start)))
    }

    /// `edge := [ [ who, position ], [ who, position ] ]`
    fn edge(&mut self) -> Result<(), Malformed> {
        self.json.peek();
        let start = self.json.at;
        if self.endpoints()? {
            return Ok(());
        }
        self.json.at = start;
        let span = self.json.skip()?;
        let help = r#"an edge is [["p", 1], ["q", 2]]: event 1 of p happened before event 2 of q"#;
        self.bad_field(span, "this is no edge", help);
        if self.json.is_full() { Err(Malformed) } else { Ok(()) }
    }

    /// Reads the two ends of an edge; returns whether it has the form of an edge.
    fn endpoints(&mut self) -> Result<bool, Malformed> {
        if !self.json.eat(b'[') {
            return Ok(false);
        }
        let from = self.endpoint()?;
        if matches!(from, EdgeEnd::Shapeless) || !self.json.eat(b',') {
            return Ok(false);
        }
        let to = self.endpoint()?;
        if let (EdgeEnd::Event(from), EdgeEnd::Event(to)) = (&from, &to) {
            self.draft.edge(*from, *to);
        }
        Ok(!matches!(to, EdgeEnd::Shapeless) && self.json.eat(b']'))
    }

    /// `[ who, position ]`
    #[inline]
    fn endpoint(&mut self) -> Result<EdgeEnd, Malformed> {
        if !self.json.eat(b'[') {
            return Ok(EdgeEnd::Shapeless);
        }
        let byte = self.json.peek();
        let who_at = self.json.at;
        let who = match byte {
            Some(b'"') => ProcessRef::Name(self.json.string()?),
            _ => match self.json.small_integer() {
                Some(index) => ProcessRef::Index(index),
                None => return Ok(EdgeEnd::Shapeless),
            },
        };
        let who_end = self.json.at;
        if !self.json.eat(b',') {
            return Ok(EdgeEnd::Shapeless);
        }
        self.json.peek();
        let position_at = self.json.at;
        let Some(position) = self.json.small_integer() else { return Ok(EdgeEnd::Shapeless) };
        let position_end = self.json.at;
        if !self.json.eat(b']') {
            return Ok(EdgeEnd::Shapeless);
        }
        let order = &self.draft.order;
        let process = match &who {
            // The cache compares the bytes of the file. A name with escapes differs from its bytes
            // in the file, so the cache cannot be used for it.
            ProcessRef::Name(Cow::Borrowed(name)) => {
                let (bytes, start) = (self.json.bytes, who_at + 1);
                let find = || order.processes.find(name).map(|Symbol(symbol)| symbol);
                self.recent_processes.id(bytes, start, who_end - 1, find).map(ProcessId)
            }
            ProcessRef::Name(Cow::Owned(name)) => order.process(name),
            ProcessRef::Index(index) => u32::try_from(*index)
                .ok()
                .map(ProcessId)
                .filter(|it| it.index() < order.processes.len()),
        };
        let Some(process) = process else {
            self.unknown_process(&who, Span::new(offset(who_at), offset(who_end)));
            return Ok(EdgeEnd::Missing);
        };
        match u32::try_from(position).ok().and_then(|position| order.event(process, position)) {
            Some(event) => Ok(EdgeEnd::Event(Located { process: process.index(), event })),
            None => {
                let span = Span::new(offset(position_at), offset(position_end));
                let (name, length) = (order.process_name(process), order.length(process));
                let message = out_of_range(name, i128::from(position), length);
                let help = "events are counted from 1 on each process";
                self.json.fault(Code::POSITION_OUT_OF_RANGE, span, message, help);
                Ok(EdgeEnd::Missing)
            }
        }
    }

    #[inline]
    fn variable(&mut self) -> Result<Option<VariableId>, Malformed> {
        let help = r#"write the name of a variable in double quotes: {"var": "x", "val": 3}"#;
        let name = self.text("`var` is no text", help)?;
        Ok(name.map(|(name, span)| self.named_variable(&name, span)))
    }

    /// The variable with a name that stands at this span, quotes included.
    #[inline]
    fn named_variable(&mut self, name: &str, span: Span) -> VariableId {
        let names = &mut self.draft.order.variables;
        let (start, end) = (span.start as usize + 1, span.end as usize - 1);
        // A name with escapes is shorter than its text, so the cache cannot be used.
        if end - start != name.len() {
            return VariableId(names.intern(name).0);
        }
        let mut look_up = || names.intern(name).0;
        let known = self.recent_variables.id(self.json.bytes, start, end, || Some(look_up()));
        VariableId(known.unwrap_or_else(look_up))
    }

    /// `value := number | true | false | text`
    #[inline]
    fn value(&mut self) -> Result<Option<ValueId>, Malformed> {
        match self.json.peek() {
            Some(b'-' | b'0'..=b'9') => {
                let small = self.json.small_integer();
                match small.and_then(Values::small) {
                    Some(id) => Ok(Some(id)),
                    None => self.large_number(small),
                }
            }
            Some(b'"') => {
                let start = self.json.at;
                let text = self.json.string()?;
                let PotReader { texts, text_values, draft, recent_texts, json, .. } = self;
                let mut look_up = || {
                    text_value(texts, text_values, &mut draft.order.values, &text)
                        .map(|ValueId(id)| id)
                };
                let value = match &text {
                    Cow::Borrowed(_) => {
                        recent_texts.id(json.bytes, start + 1, json.at - 1, look_up)
                    }
                    // A text with escapes differs from what it stands for, so the cache cannot be used.
                    Cow::Owned(_) => look_up(),
                };
                let value = value.map(ValueId);
                if value.is_none() {
                    let help = "a text of digits, a slash and digits is a fraction: two integers of 64 bits each, \
                                of which the second is not 0";
                    let span = self.json.span_from(start);
                    self.bad_field(span, format!("`{text}` is no number"), help);
                }
                Ok(value)
            }
            _ => {
                if let Some(value) = self.json.boolean() {
                    return Ok(Some(self.intern(Value::Boolean(value))));
                }
                let span = self.json.skip()?;
                let help = "a value is a number, `true`, `false` or a text in double quotes";
                self.bad_field(span, "no variable can have this value", help);
                Ok(None)
            }
        }
    }

    /// Reads an integer that is not small, or a fraction.
    #[cold]
    fn large_number(&mut self, integer: Option<i64>) -> Result<Option<ValueId>, Malformed> {
        if let Some(integer) = integer {
            return Ok(Some(self.intern(Value::integer(integer))));
        }
        let (text, span) = self.json.number()?;
        match Rational::parse(text) {
            Some(number) => Ok(Some(self.intern(Value::Number(number)))),
            None => {
                let help = "a number is a fraction of two integers of 64 bits each";
                self.bad_field(span, "this number does not fit", help);
                Ok(None)
            }
        }
    }

    fn intern(&mut self, value: Value) -> ValueId {
        self.draft.order.values.intern(value)
    }

    /// Reads a text; anything else is reported and skipped.
    #[inline]
    fn text(&mut self, fault: &str, help: &str) -> Result<Option<(Cow<'s, str>, Span)>, Malformed> {
        if self.json.peek() == Some(b'"') {
            let start = self.json.at;
            let text = self.json.string()?;
            return Ok(Some((text, self.json.span_from(start))));
        }
        let span = self.json.skip()?;
        self.bad_field(span, fault, help);
        Ok(None)
    }

    /// Whether the next value begins with a byte; if not, it is reported and skipped.
    #[inline]
    fn begins(&mut self, byte: u8, what: &str, shape: &str) -> Result<bool, Malformed> {
        if self.json.peek() == Some(byte) {
            return Ok(true);
        }
        let span = self.json.skip()?;
        self.bad_field(span, format!("{what} is not as it should be"), &format!("it is {shape}"));
        if self.json.is_full() { Err(Malformed) } else { Ok(false) }
    }

    /// Whether a key is known and occurs for the first time; if not, it is reported and its value
    /// skipped.
    fn is_new(
        &mut self,
        seen: &mut Seen,
        keys: &[&str],
        key: &str,
        span: Span,
    ) -> Result<bool, Malformed> {
        let index = keys.iter().position(|known| *known == key);
        match index {
            Some(index) if seen.insert(index) => return Ok(true),
            Some(_) => {
                let help = "keep one of the two";
                self.bad_field(span, format!("`{key}` is here twice"), help);
            }
            None => {
                seen.insert(UNKNOWN);
                let message = format!("there is no key `{key}` here");
                let help = did_you_mean(key, keys.iter().copied())
                    .unwrap_or_else(|| format!("the keys are `{}`", keys.join("`, `")));
                self.json.fault(Code::UNKNOWN_KEY, span, message, help);
            }
        }
        self.json.skip()?;
        if self.json.is_full() { Err(Malformed) } else { Ok(false) }
    }

    #[cold]
    fn bad_field(&mut self, span: Span, message: impl Into<String>, help: &str) {
        self.json.fault(Code::BAD_FIELD, span, message, help);
    }

    #[cold]
    fn unknown_process(&mut self, who: &ProcessRef<'_>, span: Span) {
        if self.json.is_full() {
            return;
        }
        let processes = &self.draft.order.processes;
        let (message, help) = match who {
            ProcessRef::Name(name) => (
                format!("there is no process `{name}`"),
                did_you_mean(name, processes.iter().map(|(_, name)| name)),
            ),
            ProcessRef::Index(index) => {
                (format!("there is no process with the index {index}"), None)
            }
        };
        let help = help.unwrap_or_else(|| match processes.len() {
            0 => "the trace has no processes".to_owned(),
            count => format!("a process is its name, or its index from 0 to {}", count - 1),
        });
        self.json.fault(Code::UNKNOWN_PROCESS, span, message, help);
    }
}

const KEYS_OF_TRACE: [&str; 3] = ["processes", "edges", "init"];
const KEYS_OF_PROCESS: [&str; 2] = ["name", "events"];
const KEYS_OF_EVENT: [&str; 7] = ["var", "val", "set", "label", "line", "file", "clock"];

/// A mark in [`Seen`] for an unknown key. An unknown key may be a misspelt required key, so no
/// missing key is reported then.
const UNKNOWN: usize = 7;

/// The keys of an object that have occurred.
#[derive(Default)]
struct Seen(u8);

impl Seen {
    fn insert(&mut self, index: usize) -> bool {
        let new = !self.has(index);
        self.0 |= 1 << index;
        new
    }

    fn has(&self, index: usize) -> bool {
        self.0 & (1 << index) != 0
    }
}

enum ProcessRef<'s> {
    Name(Cow<'s, str>),
    Index(i64),
}

enum EdgeEnd {
    Event(Located),
    /// An event that does not exist, which has been reported.
    Missing,
    /// The text does not have the form of an end of an edge.
    Shapeless,
}

/// A cache of short names, by a few bits of their bytes. Most names are found here without hashing
/// and comparing texts, which took a quarter of the time.
struct Recent {
    entries: Vec<(u128, u32)>,
}

impl Recent {
    const BITS: u32 = 8;

    fn new() -> Self {
        Recent { entries: vec![(0, 0); 1 << Self::BITS] }
    }

    /// The id of the name in `bytes[start..end]`, from the cache or by a lookup.
    #[inline]
    fn id(
        &mut self,
        bytes: &[u8],
        start: usize,
        end: usize,
        look_up: impl FnOnce() -> Option<u32>,
    ) -> Option<u32> {
        let length = end - start;
        let near: Option<&[u8; 16]> = bytes.get(start..).and_then(<[u8]>::first_chunk);
        let Some(near) = near.filter(|_| (1..=16).contains(&length)) else { return look_up() };
        // Names have no zero bytes, so the length need not be part of the key.
        let key = u128::from_le_bytes(*near) & (u128::MAX >> (128 - 8 * length));
        let half = |half: u128| u64::try_from(half & u128::from(u64::MAX)).unwrap_or(0);
        let folded = half(key) ^ half(key >> 64);
        let slot = folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - Self::BITS);
        let entry = &mut self.entries[slot as usize];
        if entry.0 == key {
            return Some(entry.1);
        }
        let id = look_up()?;
        *entry = (key, id);
        Some(id)
    }
}

/// The end of a text of at most 64 bytes: the next quote, escape or control character.
#[inline]
fn short_text_end(bytes: &[u8], start: usize) -> Option<usize> {
    let special = |&byte: &u8| byte == b'"' || byte == b'\\' || byte < b' ';
    bytes[start..].iter().take(64).position(special).map(|length| start + length)
}

/// The value of a text, which is interned at its first occurrence; `None` for a fraction that is no number.
fn text_value(
    texts: &mut Names,
    text_values: &mut Vec<ValueId>,
    values: &mut Values,
    text: &str,
) -> Option<ValueId> {
    let known = texts.find(text).map(|Symbol(symbol)| symbol as usize);
    if let Some(known) = known {
        return text_values.get(known).copied();
    }
    if Value::is_impossible_fraction(text) {
        return None;
    }
    texts.intern(text);
    let value = values.intern(Value::text(text));
    text_values.push(value);
    Some(value)
}

/// Writes a note of an event into a column, which grows with the first note.
fn note(column: &mut Vec<u32>, event: usize, note: u32) {
    column.resize(event, 0);
    column.push(note);
}

/// Turns an error into a diagnostic with the spans of the events. The text is read again to find
/// them, so that correct files need not store spans.
fn diagnostic(source: &Source, error: &OrderError) -> Diagnostic {
    let mut reader = PotReader::new(source, true);
    let _ = reader.trace();
    let span = |event: &EventName| -> Span {
        let order = &reader.draft.order;
        let index =
            order.process(&event.process).map(|process| order.range(process).start as usize);
        let spans = reader.spans.as_deref().unwrap_or_default();
        let at = index.and_then(|index| spans.get(index + event.position as usize - 1));
        at.copied().unwrap_or_default()
    };
    let id = source.id();
    let new = |code: Code, at: Span| Diagnostic::new(code, id, at, error.to_string());
    match error {
        OrderError::Cycle(events) => {
            let first = events.first().map(&span).unwrap_or_default();
            let mut found = new(Code::CYCLIC_ORDER, first)
                .with_help("an edge leads from what happened first; has one been turned round?");
            for event in events.iter().skip(1).take(9) {
                found = found.with_related(id, span(event), event.text.to_string());
            }
            found
        }
        OrderError::UnorderedWrites { first, second, .. } => {
            new(Code::UNORDERED_WRITES, span(second))
                .with_related(id, span(first), "the other is here")
                .with_help(
                    "add the edge that is missing, give each process a variable of its own, \
                     or let them be ordered (`--order-writes`)",
                )
        }
        OrderError::AssignedTwice { event, .. } => {
            new(Code::BAD_FIELD, span(event)).with_help("one event gives one value to a variable")
        }
        OrderError::OutOfRange { .. } => new(Code::POSITION_OUT_OF_RANGE, Span::default())
            .with_help("events are counted from 1 on each process"),
        OrderError::Clock { event, .. } => {
            new(Code::INCONSISTENT_CLOCK, span(event)).with_help("check how clocks are counted")
        }
        OrderError::TooLarge => new(Code::TOO_LARGE, Span::default()).with_help("split the trace"),
    }
}
