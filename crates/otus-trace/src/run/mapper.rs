//! The work of a run.

use std::borrow::Cow;
use std::ops::ControlFlow;

use otus_core::Direction;
use otus_syntax::Code;
use regex::bytes::CaptureLocations;

use super::account::{Accounting, FileAccount, Repeated, RuleAccount, Tally, Unpaired};
use super::observed::{Component, Observed};
use super::propagation::SpanTrouble;
use super::release::{arrange, duplicates};
use super::shape::{Place, Shapes};
use super::time;
use super::vocabulary::ActionKey;
use super::{LogFile, Sink};
use crate::causality::{self, Side};
use crate::group::{Groups, Marks, Row};
use crate::mapping::template::{Context, Template};
use crate::mapping::{
    ActionPlan, Assign, Condition, DirectionPlan, Mapped, Plan, Rule, SourcePlan, SpanActions,
};
use crate::order::Value;
use crate::read::json::{self, Cursor};
use crate::read::{self, FaultKind, Format, Item, Packing, Record, Span, SpanKind};

pub(super) fn run(plan: &Plan, files: Vec<LogFile<'_>>, sink: &mut dyn Sink) -> Accounting {
    let mut mapper = Mapper::new(plan, files.len());
    for file in files {
        if mapper.file(plan, file, sink).is_break() {
            break;
        }
    }
    mapper.finish(plan, sink)
}

/// Everything that grows during a run.
struct Mapper {
    accounting: Accounting,
    /// By source: where its rules begin among all.
    rule_starts: Vec<usize>,
    groups: Groups,
    shapes: Shapes,
    repeated: Repeated,
    row: Row,
    pending: Vec<Pending>,
    /// Memory for templates.
    scratch: Vec<u8>,
    scratch_too: Vec<u8>,
    release: Release,
    /// Whether groups are given away as soon as they are closed.
    early: bool,
    /// Events of the record.
    stored: u64,
    /// Records so far.
    now: u64,
    grouped: bool,
    spans: SpanTrouble,
    /// By clock: the file and the time of its last event.
    last_time: Vec<Option<(u32, i128)>>,
    /// By clock: the file and lifeline of its last event, if its order is that of the lines.
    last_line: Vec<Option<(u32, u32)>>,
    /// Whether records with vector clocks were left out.
    gaps: bool,
}

/// An action that is about to be stored.
#[derive(Debug, Clone, Copy)]
struct Pending {
    lifeline: u32,
    action: u32,
    peer: Option<u32>,
    /// The end of its id in the row's memory.
    id: Option<(usize, usize)>,
    marks: Marks,
    order: Option<i128>,
}

/// Memory to put a group together.
#[derive(Debug, Default)]
struct Release {
    rows: Vec<Row>,
    components: Vec<Component>,
    sides: Vec<Option<Side>>,
}

/// Why a record is not mapped.
enum Lacking {
    /// A setting has no value: what it is called.
    Setting(&'static str),
    /// A value cannot be used.
    Bad(&'static str, String),
}

impl Mapper {
    fn new(plan: &Plan, files: usize) -> Self {
        let mut accounting = Accounting::default();
        let mut rule_starts = Vec::new();
        for (number, source) in plan.sources.iter().enumerate() {
            rule_starts.push(accounting.rules.len());
            accounting.rules.extend(source.rules.iter().map(|rule| RuleAccount {
                source: number,
                name: rule.name.clone(),
                span: rule.span,
                kind: rule.kind,
                ignore: rule.ignore,
                hits: 0,
                first: None,
            }));
        }
        let all_rules = || plan.sources.iter().flat_map(|source| &source.rules);
        accounting.groups.closable = all_rules().any(|rule| rule.closes);
        let canonical = plan.sources.iter().any(|source| source.format == Format::Canonical);
        Mapper {
            accounting,
            rule_starts,
            groups: Groups::new(plan.idle),
            shapes: Shapes::default(),
            repeated: Repeated::default(),
            row: Row::default(),
            pending: Vec::new(),
            scratch: Vec::new(),
            scratch_too: Vec::new(),
            release: Release::default(),
            early: files == 1 || plan.idle.is_some(),
            stored: 0,
            now: 0,
            grouped: canonical || all_rules().any(|rule| rule.group.is_some()),
            spans: SpanTrouble::default(),
            last_time: Vec::new(),
            last_line: Vec::new(),
            gaps: false,
        }
    }

    /// Reads a file.
    fn file(&mut self, plan: &Plan, file: LogFile<'_>, sink: &mut dyn Sink) -> ControlFlow<()> {
        let number = u32::try_from(self.accounting.files.len()).unwrap_or(u32::MAX);
        let Some(source) = plan.sources.get(file.source) else { return ControlFlow::Continue(()) };
        self.accounting.vocabulary.files.push(file.name.clone());
        self.accounting.files.push(FileAccount {
            name: file.name.clone(),
            source: file.source,
            format: source.format,
            packing: Packing::None,
            bytes: 0,
            lines: 0,
            tally: Tally::default(),
            events: 0,
            not_utf8: 0,
        });
        let opened = (file.open)().and_then(read::unpack);
        let (mut stream, packing) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                let message = format!("{} cannot be read: {error}", file.name);
                let place = Place { file: number, line: 1 };
                self.repeated.note(Code::UNREADABLE_LOG, place, message, "look at the file itself");
                return ControlFlow::Continue(());
            }
        };
        let mut reading = Reading {
            plan,
            source,
            number: file.source,
            file: number,
            name: &file.name,
            locations: source.rules.iter().map(locations).collect(),
            tally: Tally::default(),
            events: 0,
            not_utf8: 0,
            tail: matches!(source.format, Format::Canonical)
                .then(|| read::canonical::KEYS.map(|key| source.fields.find(key).unwrap_or(0))),
        };
        let mut flow = ControlFlow::Continue(());
        let extent =
            read::read(source.format, &mut *stream, &source.fields, &source.options, &mut |item| {
                flow = self.item(&mut reading, item, sink);
                flow
            });
        let Reading { tally, events, not_utf8, .. } = reading;
        if let Some(account) = self.accounting.files.last_mut() {
            account.packing = packing;
            (account.bytes, account.lines) = (extent.bytes, extent.lines);
            (account.tally, account.events, account.not_utf8) = (tally, events, not_utf8);
        }
        self.accounting.total.add(tally);
        let place = Place { file: number, line: 1 };
        if tally.matched == 0 && tally.records > tally.blank + tally.unreadable {
            let message = if tally.ignored == 0 {
                format!(
                    "no rule takes any of the {} {} of {}",
                    tally.records,
                    source.format.records(),
                    file.name
                )
            } else {
                format!("all that rules take of {} is ignored", file.name)
            };
            let help = "`otus map --explain` shows what its lines look like";
            self.repeated.note(Code::NOTHING_MATCHED, place, message, help);
        }
        flow
    }

    /// What a reader found.
    fn item(
        &mut self,
        reading: &mut Reading<'_>,
        item: Item<'_>,
        sink: &mut dyn Sink,
    ) -> ControlFlow<()> {
        match item {
            Item::Record(record) => {
                self.now += 1;
                reading.tally.records += 1;
                reading.not_utf8 += u64::from(record.repaired);
                self.record(reading, &record, sink)
            }
            Item::Blank => {
                reading.tally.records += 1;
                reading.tally.blank += 1;
                ControlFlow::Continue(())
            }
            Item::Fault(fault) => {
                self.fault(reading, &fault);
                ControlFlow::Continue(())
            }
        }
    }

    fn fault(&mut self, reading: &mut Reading<'_>, fault: &read::Fault) {
        let place = Place { file: reading.file, line: fault.at.line };
        let name = reading.name;
        let (code, message, help) = match &fault.kind {
            FaultKind::Stream(_) | FaultKind::Encoding(_) => {
                let help = match &fault.kind {
                    FaultKind::Encoding(_) => "save it as UTF-8",
                    FaultKind::TooLong(_)
                    | FaultKind::NotJson(..)
                    | FaultKind::NotOfFormat(_)
                    | FaultKind::Stream(_) => {
                        "what comes before is used; look whether the file is whole"
                    }
                };
                (Code::UNREADABLE_LOG, format!("{name}: {}", fault.kind), help)
            }
            FaultKind::TooLong(_) => {
                let message = format!(
                    "a line of {name} is longer than {} bytes",
                    reading.source.options.longest
                );
                (Code::UNREADABLE_RECORD, message, "say `longest = …` in its source to read it")
            }
            FaultKind::NotJson(cause, _) => {
                let message = format!("a line of {name} is not JSON: {cause}");
                (Code::UNREADABLE_RECORD, message, "it is left out; the other lines are read")
            }
            FaultKind::NotOfFormat(cause) => {
                (Code::UNREADABLE_RECORD, format!("{name}: {cause}"), "mend the file")
            }
        };
        if code == Code::UNREADABLE_RECORD {
            reading.tally.records += 1;
            reading.tally.unreadable += 1;
        }
        self.repeated.note(code, place, message, help);
    }

    fn record(
        &mut self,
        reading: &mut Reading<'_>,
        record: &Record<'_>,
        sink: &mut dyn Sink,
    ) -> ControlFlow<()> {
        let place = Place { file: reading.file, line: record.at.line };
        let rules = &reading.source.rules;
        let taken = rules.iter().zip(&mut reading.locations).position(|(rule, locations)| {
            rule.conditions.iter().all(|condition| holds(condition, record, locations))
        });
        let Some(index) = taken else {
            reading.tally.unmatched += 1;
            self.gaps |= reading.source.format == Format::Shiviz;
            self.shapes.count(record.bytes, place);
            return ControlFlow::Continue(());
        };
        let rule = &rules[index];
        let account = &mut self.accounting.rules[self.rule_starts[reading.number] + index];
        account.hits += 1;
        account.first.get_or_insert(place);
        if rule.ignore {
            reading.tally.ignored += 1;
            self.gaps |= reading.source.format == Format::Shiviz;
            return ControlFlow::Continue(());
        }
        let patterns = rule.conditions.iter().filter_map(|condition| match condition {
            Condition::Pattern { slot, index, .. } => Some((*slot, *index)),
            Condition::OneOf { .. } | Condition::Present { .. } => None,
        });
        let locations = &reading.locations[index];
        let mut one = None;
        let mut several = Vec::new();
        for (slot, index) in patterns {
            let haystack = match slot {
                Some(slot) => record.field(slot).unwrap_or(&[]),
                None => record.bytes,
            };
            let Some(locations) = locations.get(index) else { continue };
            match one {
                None if several.is_empty() => one = Some((haystack, locations)),
                _ => {
                    several.extend(one.take());
                    several.push((haystack, locations));
                }
            }
        }
        let captures = if several.is_empty() { one.as_slice() } else { &several[..] };
        let context = Context { record, file: reading.name, captures };
        let view = View { plan: reading.plan, source: reading.source, rule, file: reading.file };
        let done = match reading.tail {
            Some(slots) => self.canonical(&view, &context, slots),
            None => self.apply(&view, &context),
        };
        match done {
            Ok(Some(slot)) => {
                reading.tally.matched += 1;
                reading.events += std::mem::take(&mut self.stored);
                self.after(slot, sink, reading.plan)
            }
            Ok(None) => {
                reading.tally.blank += 1;
                ControlFlow::Continue(())
            }
            Err(lacking) => {
                reading.tally.incomplete += 1;
                self.gaps |= reading.source.format == Format::Shiviz;
                let (name, source) = (&rule.name, &reading.source.name);
                let message = match lacking {
                    Lacking::Setting(setting) => {
                        format!(
                            "`{name}` of `{source}` takes lines that have no value for `{setting}`"
                        )
                    }
                    Lacking::Bad(setting, value) => {
                        format!(
                            "`{name}` of `{source}` takes a line whose `{setting}` cannot be {value}"
                        )
                    }
                };
                let help =
                    "make its `match` or `where` narrower, or give the setting another value";
                self.repeated.note(Code::INCOMPLETE_RECORD, place, message, help);
                ControlFlow::Continue(())
            }
        }
    }

    /// After a record: groups that have ended are given away.
    fn after(&mut self, slot: Slot, sink: &mut dyn Sink, plan: &Plan) -> ControlFlow<()> {
        if slot.closes {
            self.groups.close(slot.group);
            if self.early {
                self.give(slot.group, plan, sink)?;
            }
        }
        while let Some(idle) = self.groups.idle(self.now) {
            self.give(idle, plan, sink)?;
        }
        ControlFlow::Continue(())
    }

    /// Does what a rule says; the group it was for.
    fn apply(&mut self, view: &View<'_>, context: &Context<'_>) -> Result<Option<Slot>, Lacking> {
        let rule = view.rule;
        self.row.clear();
        self.pending.clear();
        let lifeline = match &rule.lifeline {
            Some(mapped) => self.lifeline(mapped, view, context)?,
            None => return Err(Lacking::Setting("lifeline")),
        };
        let clock = self.clock(rule.clock.as_ref(), lifeline, view, context)?;
        let start = || context.record.span.and_then(|span| span_keys(span).0);
        let order = self.order_key(rule, view, context).or_else(start);
        if let (Some(actions), Some(span)) = (&rule.span_actions, context.record.span) {
            self.span_actions(actions, span, lifeline, view, context)?;
        }
        for action in &rule.actions {
            self.action(action, lifeline, order, view, context)?;
        }
        if view.source.format == Format::Shiviz {
            self.vector(view, context)?;
        }
        self.row.label = match &rule.label {
            Some(label) => label
                .value(context, &mut self.scratch)
                .map(|text| self.accounting.vocabulary.labels.intern(&string(text)).0),
            None => None,
        };
        let key: &[u8] = match &rule.group {
            Some(group) => match group.value(context, &mut self.scratch) {
                Some(key) => key,
                None => return Err(Lacking::Setting("group")),
            },
            None => {
                self.accounting.groups.ungrouped += u64::from(self.grouped);
                b""
            }
        };
        let group = self.groups.find(key, self.now);
        for assign in &rule.set {
            self.assign(assign, lifeline, context)?;
        }
        self.watch_clock(rule, clock, order, view, context);
        self.store(group, lifeline, order, view, context);
        Ok(Some(Slot { group, closes: rule.closes }))
    }

    /// A lifeline by its name in the log.
    fn lifeline(
        &mut self,
        mapped: &Mapped,
        view: &View<'_>,
        context: &Context<'_>,
    ) -> Result<u32, Lacking> {
        let value = mapped.template.value(context, &mut self.scratch);
        let value = value.filter(|value| !value.is_empty()).ok_or(Lacking::Setting("lifeline"))?;
        let known = mapped.map.iter().find(|(key, _)| key == value);
        let lifelines = &mut self.accounting.vocabulary.lifelines;
        let aliases = &view.plan.lifelines;
        Ok(match known {
            Some((_, name)) => lifelines.intern(name, aliases),
            None => lifelines.intern(&string(value), aliases),
        })
    }

    fn clock(
        &mut self,
        template: Option<&Template>,
        lifeline: u32,
        view: &View<'_>,
        context: &Context<'_>,
    ) -> Result<u32, Lacking> {
        let name = match template {
            None => None,
            Some(template) => {
                let value = template.value(context, &mut self.scratch);
                Some(string(value.ok_or(Lacking::Setting("clock"))?))
            }
        };
        let vocabulary = &mut self.accounting.vocabulary;
        match vocabulary.set_clock(lifeline, name.as_deref()) {
            Ok(clock) => Ok(clock),
            Err(known) => {
                let message = format!(
                    "`{}` has the clock `{}` and elsewhere `{}`",
                    vocabulary.lifeline(lifeline),
                    vocabulary.clock(known),
                    name.as_deref().unwrap_or_default(),
                );
                let place = Place { file: view.file, line: context.record.at.line };
                let help = "the first one counts; say the same `clock` wherever it logs";
                self.repeated.note(Code::TWO_CLOCKS, place, message, help);
                Ok(known)
            }
        }
    }

    fn action(
        &mut self,
        plan: &ActionPlan,
        lifeline: u32,
        order: Option<i128>,
        view: &View<'_>,
        context: &Context<'_>,
    ) -> Result<(), Lacking> {
        let lifeline = match &plan.lifeline {
            Some(mapped) => {
                let lifeline = self.lifeline(mapped, view, context)?;
                self.clock(view.rule.clock.as_ref(), lifeline, view, context)?;
                lifeline
            }
            None => lifeline,
        };
        let direction = match &plan.direction {
            DirectionPlan::Fixed(direction) => *direction,
            DirectionPlan::From(template, map) => {
                let value = template.value(context, &mut self.scratch);
                let value = value.ok_or(Lacking::Setting("dir"))?;
                let known = map.iter().find(|(key, _)| key == value).map(|(_, d)| *d);
                let usual = || map.is_empty().then(|| crate::mapping::direction(value)).flatten();
                let found = known.or_else(usual);
                found.ok_or_else(|| Lacking::Bad("dir", format!("`{}`", string(value))))?
            }
        };
        let message = plan.message.value(context, &mut self.scratch);
        let message =
            message.filter(|message| !message.is_empty()).ok_or(Lacking::Setting("message"))?;
        let vocabulary = &mut self.accounting.vocabulary;
        let message = vocabulary.messages.intern(&string(message), &view.plan.messages);
        let peer = plan.peer.as_ref().and_then(|peer| peer.value(context, &mut self.scratch));
        let peer = peer.filter(|peer| !peer.is_empty());
        let peer =
            peer.map(|peer| vocabulary.lifelines.intern(&string(peer), &view.plan.lifelines));
        let mut marks = Marks::default();
        let id = plan.id.as_ref().and_then(|id| id.value(context, &mut self.scratch_too));
        let id = id.map(|id| {
            marks.add(Marks::HAS_ID);
            let start = self.row.id.len();
            self.row.id.extend_from_slice(id);
            (start, self.row.id.len())
        });
        let action = vocabulary.intern_action(ActionKey { lifeline, direction, message });
        self.pending.push(Pending { lifeline, action, peer, id, marks, order });
        Ok(())
    }

    /// The start and the end of a span.
    fn span_actions(
        &mut self,
        plan: &SpanActions,
        span: &Span,
        lifeline: u32,
        view: &View<'_>,
        context: &Context<'_>,
    ) -> Result<(), Lacking> {
        let (first, last) = match span.kind {
            SpanKind::Client => (Direction::Emission, Some(Direction::Reception)),
            SpanKind::Server => (Direction::Reception, Some(Direction::Emission)),
            SpanKind::Producer => (Direction::Emission, None),
            SpanKind::Consumer => (Direction::Reception, None),
            SpanKind::Internal | SpanKind::Unspecified => return Ok(()),
        };
        if let (Some(start), Some(end)) = (span.start, span.end)
            && end < start
        {
            let service = self.accounting.vocabulary.lifeline(lifeline);
            let message = format!("a span of `{service}` ends before it begins");
            let place = Place { file: view.file, line: context.record.at.line };
            let help = "its clock was set while it ran; its events keep the order of start and end";
            self.repeated.note(Code::CLOCK_BACKWARDS, place, message, help);
        }
        let (start, end) = span_keys(span);
        let vocabulary = &mut self.accounting.vocabulary;
        let text = plan.message.value(context, &mut self.scratch);
        let text = text.filter(|text| !text.is_empty()).ok_or(Lacking::Setting("message"))?;
        let message = vocabulary.messages.intern(&string(text), &view.plan.messages);
        let reply = match (&plan.reply, last) {
            (Some(reply), Some(_)) => {
                let text =
                    reply.value(context, &mut self.scratch).ok_or(Lacking::Setting("reply"))?;
                Some(vocabulary.messages.intern(&string(text), &view.plan.messages))
            }
            _ => None,
        };
        let peer = match &plan.peer {
            Some(peer) => peer.value(context, &mut self.scratch),
            None => {
                PEERS.iter().find_map(|name| context.record.field(view.source.fields.find(name)?))
            }
        };
        let outgoing = matches!(first, Direction::Emission);
        let peer = peer.filter(|_| outgoing || plan.peer.is_some());
        let peer =
            peer.map(|peer| vocabulary.lifelines.intern(&string(peer), &view.plan.lifelines));
        // An outgoing message has the id of its span; an incoming one that of its parent, or of
        // what it is linked to.
        let own = [span.id.as_str()];
        let links: Vec<&str> = span.links.iter().map(String::as_str).collect();
        let parent = [span.parent.as_str()];
        let ids: &[&str] = match span.kind {
            SpanKind::Client | SpanKind::Producer => &own,
            SpanKind::Consumer if !links.is_empty() => &links,
            SpanKind::Consumer | SpanKind::Server | SpanKind::Internal | SpanKind::Unspecified => {
                &parent
            }
        };
        let request = vocabulary.intern_action(ActionKey { lifeline, direction: first, message });
        let mut last_id = None;
        for id in ids {
            let mut marks = Marks::REQUEST;
            let id = if id.is_empty() {
                marks.add(Marks::ROOT);
                None
            } else {
                marks.add(Marks::HAS_ID);
                let from = self.row.id.len();
                self.row.id.extend_from_slice(id.as_bytes());
                Some((from, self.row.id.len()))
            };
            last_id = id;
            self.pending.push(Pending { lifeline, action: request, peer, id, marks, order: start });
        }
        if let (Some(message), Some(direction)) = (reply, last) {
            let mut marks = Marks::REPLY;
            marks.add(if last_id.is_some() { Marks::HAS_ID } else { Marks::ROOT });
            let action = vocabulary.intern_action(ActionKey { lifeline, direction, message });
            self.pending.push(Pending { lifeline, action, peer, id: last_id, marks, order: end });
        }
        self.row.span.extend_from_slice(span.id.as_bytes());
        Ok(())
    }

    fn assign(
        &mut self,
        assign: &Assign,
        lifeline: u32,
        context: &Context<'_>,
    ) -> Result<(), Lacking> {
        let Some(value) = assign.value.value(context, &mut self.scratch) else {
            return Err(Lacking::Setting("set"));
        };
        let value = parse_value(&string(value));
        self.set(&assign.name, assign.shared, lifeline, value);
        Ok(())
    }

    fn set(&mut self, name: &str, shared: bool, lifeline: u32, value: Value) {
        let vocabulary = &mut self.accounting.vocabulary;
        let name = if shared {
            vocabulary.variables.intern(name).0
        } else {
            let full = format!("{}.{name}", vocabulary.lifeline(lifeline));
            vocabulary.variables.intern(&full).0
        };
        let value = vocabulary.intern_value(value);
        self.row.set.retain(|(other, _)| *other != name);
        self.row.set.push((name, value));
    }

    /// The vector clock of a record.
    fn vector(&mut self, view: &View<'_>, context: &Context<'_>) -> Result<(), Lacking> {
        let slot = view.source.fields.find("clock");
        let text = slot.and_then(|slot| context.record.field(slot));
        self.read_vector(text.ok_or(Lacking::Setting("clock"))?, view)
    }

    fn read_vector(&mut self, text: &[u8], view: &View<'_>) -> Result<(), Lacking> {
        let mut json = Cursor::new(text);
        let mut number = Vec::new();
        let (vector, lifelines) = (&mut self.row.vector, &mut self.accounting.vocabulary.lifelines);
        let mut fits = true;
        let done = json.object(|json, host| {
            json.text(&mut number)?;
            let count = std::str::from_utf8(&number).ok().and_then(|text| text.parse().ok());
            fits &= count.is_some();
            let host = lifelines.intern(&string(host), &view.plan.lifelines);
            vector.push((host, count.unwrap_or(0)));
            Ok(())
        });
        if done.is_err() || !fits || vector.is_empty() {
            vector.clear();
            return Err(Lacking::Bad("clock", format!("`{}`", string(text))));
        }
        Ok(())
    }

    /// What a record is ordered by.
    fn order_key(&mut self, rule: &Rule, view: &View<'_>, context: &Context<'_>) -> Option<i128> {
        let template = rule.order.as_ref()?;
        let value = template.value(context, &mut self.scratch);
        let key = value.and_then(time::key);
        if key.is_none() {
            let place = Place { file: view.file, line: context.record.at.line };
            let message = format!(
                "`{}` of `{}` takes lines whose `order` is no number or time",
                rule.name, view.source.name
            );
            let help = "they stay after the line before them";
            self.repeated.note(Code::INCOMPLETE_RECORD, place, message, help);
        }
        key
    }

    /// Notes clocks that go backwards, and files of one clock without a common order.
    fn watch_clock(
        &mut self,
        rule: &Rule,
        clock: u32,
        order: Option<i128>,
        view: &View<'_>,
        context: &Context<'_>,
    ) {
        let place = Place { file: view.file, line: context.record.at.line };
        let index = clock as usize;
        let time = match &rule.time {
            Some(time) => time.value(context, &mut self.scratch).and_then(time::key),
            // Spans are written when they end, so their starts go back and forth.
            None => order.filter(|_| rule.order.is_some()),
        };
        if let Some(time) = time {
            if self.last_time.len() <= index {
                self.last_time.resize(index + 1, None);
            }
            let before = self.last_time[index].replace((view.file, time));
            if before.is_some_and(|(file, before)| file == view.file && time < before) {
                let clock = self.accounting.vocabulary.clock(clock);
                let file = self.accounting.vocabulary.file(view.file);
                let message = format!("the clock of `{clock}` goes backwards in {file}");
                let help = if rule.order.is_some() {
                    "the events were put in the order of their times"
                } else {
                    "the lines keep their order; the clock was set, or several writers share the file"
                };
                self.repeated.note(Code::CLOCK_BACKWARDS, place, message, help);
            }
        }
        if rule.clock.is_some()
            && order.is_none()
            && self.row.vector.is_empty()
            && view.source.format != Format::Htf
        {
            let Some(lifeline) = self.pending.first().map(|pending| pending.lifeline) else {
                return;
            };
            if self.last_line.len() <= index {
                self.last_line.resize(index + 1, None);
            }
            let before = self.last_line[index].replace((view.file, lifeline));
            if let Some((file, other)) = before
                && file != view.file
                && other != lifeline
            {
                let vocabulary = &self.accounting.vocabulary;
                let message = format!(
                    "{} and {} share the clock `{}` but have no common order",
                    vocabulary.file(file),
                    vocabulary.file(view.file),
                    vocabulary.clock(clock),
                );
                let help = "say `order = \"{field}\"` with a time that both have, or give them clocks of their own";
                self.repeated.note(Code::TWO_CLOCKS, place, message, help);
            }
        }
    }

    /// Stores the events of a record.
    fn store(
        &mut self,
        group: u32,
        lifeline: u32,
        order: Option<i128>,
        view: &View<'_>,
        context: &Context<'_>,
    ) {
        let place = Place { file: view.file, line: context.record.at.line };
        (self.row.file, self.row.line) = (place.file, place.line);
        let joined = view.source.format == Format::Htf && {
            let slot = view.source.fields.find("joined");
            slot.is_some_and(|slot| context.record.field(slot).is_some())
        };
        let mut room = true;
        if self.pending.is_empty() {
            (self.row.lifeline, self.row.action, self.row.order) = (lifeline, None, order);
            self.count_event(lifeline, None, None, place);
            room &= self.groups.push(group, &self.row);
        }
        let ids = std::mem::take(&mut self.row.id);
        for index in 0..self.pending.len() {
            let Pending { lifeline, action, peer, id, mut marks, order } = self.pending[index];
            if index > 0 {
                marks.add(Marks::FOLLOWS);
                // What the record says besides its actions, its first event says.
                self.row.set.clear();
                self.row.span.clear();
            }
            if joined {
                marks.add(Marks::JOINED);
            }
            self.row.id.clear();
            if let Some((from, to)) = id {
                self.row.id.extend_from_slice(&ids[from..to]);
            }
            (self.row.lifeline, self.row.action) = (lifeline, Some(action));
            (self.row.peer, self.row.marks, self.row.order) = (peer, marks, order);
            self.count_event(lifeline, Some(action), peer, place);
            room &= self.groups.push(group, &self.row);
        }
        if !room {
            let message = "more events are open at once than fit into memory".to_owned();
            let help = "close groups with `closes = true` or `[group] idle = …`";
            self.repeated.note(Code::UNREADABLE_RECORD, place, message, help);
        }
    }

    fn count_event(&mut self, lifeline: u32, action: Option<u32>, peer: Option<u32>, place: Place) {
        self.stored += 1;
        let accounting = &mut self.accounting;
        let most = lifeline.max(peer.unwrap_or(0)) as usize;
        if accounting.lifelines.len() <= most {
            accounting.lifelines.resize(most + 1, super::LifelineAccount::default());
        }
        if let Some(peer) = peer {
            accounting.lifelines[peer as usize].named += 1;
        }
        let account = &mut accounting.lifelines[lifeline as usize];
        account.first.get_or_insert(place);
        let Some(action) = action else {
            account.others += 1;
            return;
        };
        let key = accounting.vocabulary.action(action);
        let message = key.message as usize;
        if accounting.messages.len() <= message {
            accounting.messages.resize(message + 1, super::MessageAccount::default());
        }
        match key.direction {
            Direction::Emission => {
                account.sends += 1;
                accounting.messages[message].sends += 1;
            }
            Direction::Reception => {
                account.receives += 1;
                accounting.messages[message].receives += 1;
            }
        }
    }

    /// A line of our own format; `None` for its header.
    fn canonical(
        &mut self,
        view: &View<'_>,
        context: &Context<'_>,
        slots: [usize; 16],
    ) -> Result<Option<Slot>, Lacking> {
        let record = context.record;
        let [
            otus,
            version,
            group,
            _,
            clock,
            action,
            message,
            peer,
            id,
            label,
            set,
            joined,
            vector,
            file,
            line,
            end,
        ] = slots.map(|slot| record.field(slot));
        unknown_keys(record.bytes)?;
        if otus.is_some() {
            let number =
                version.and_then(|version| std::str::from_utf8(version).ok()?.parse().ok());
            if number.is_none_or(|number: u32| number > read::canonical::VERSION) {
                let version = string(version.unwrap_or(b"missing")).into_owned();
                return Err(Lacking::Bad("version", format!("`{version}`")));
            }
            return Ok(None);
        }
        self.row.clear();
        self.pending.clear();
        self.accounting.groups.closable |= end.is_some();
        let slot = self.groups.find(group.unwrap_or(b""), self.now);
        if end == Some(b"true") {
            return Ok(Some(Slot { group: slot, closes: true }));
        }
        let Some(mapped) = &view.rule.lifeline else { return Err(Lacking::Setting("lifeline")) };
        let lifeline = self.lifeline(mapped, view, context)?;
        let vocabulary = &mut self.accounting.vocabulary;
        let name = clock.map(string);
        if vocabulary.set_clock(lifeline, name.as_deref()).is_err() {
            return Err(Lacking::Bad("clock", format!("`{}`", name.unwrap_or_default())));
        }
        self.row.label = label.map(|label| vocabulary.labels.intern(&string(label)).0);
        if let Some(action) = action {
            let direction = match action {
                b"!" => Direction::Emission,
                b"?" => Direction::Reception,
                other => return Err(Lacking::Bad("action", format!("`{}`", string(other)))),
            };
            let message = message.ok_or(Lacking::Setting("message"))?;
            let message = vocabulary.messages.intern(&string(message), &view.plan.messages);
            let peer =
                peer.map(|peer| vocabulary.lifelines.intern(&string(peer), &view.plan.lifelines));
            let action = vocabulary.intern_action(ActionKey { lifeline, direction, message });
            let mut marks = Marks::default();
            if joined == Some(b"true") {
                marks.add(Marks::JOINED);
            }
            if let Some(id) = id {
                marks.add(Marks::HAS_ID);
                self.row.id.extend_from_slice(id);
            }
            let id = id.map(|id| (0, id.len()));
            self.pending.push(Pending { lifeline, action, peer, id, marks, order: None });
        }
        if let Some(set) = set {
            self.read_set(set, lifeline)?;
        }
        if let Some(vector) = vector {
            self.read_vector(vector, view)?;
        }
        // Events know the log that they were first read from.
        let place = Place { file: view.file, line: record.at.line };
        let original = file.map(|file| self.original(&string(file)));
        let number = line.and_then(|line| std::str::from_utf8(line).ok()?.parse().ok());
        let view = View { file: original.unwrap_or(place.file), ..*view };
        let mut at = *record;
        at.at.line = number.unwrap_or(place.line);
        let context = Context { record: &at, ..*context };
        self.store(slot, lifeline, None, &view, &context);
        Ok(Some(Slot { group: slot, closes: false }))
    }

    /// The number of a log that canonical lines name. Those come after the files of the run.
    fn original(&mut self, name: &str) -> u32 {
        let files = &mut self.accounting.vocabulary.files;
        let known = files.iter().rposition(|other| other == name);
        let index = known.unwrap_or_else(|| {
            files.push(name.to_owned());
            files.len() - 1
        });
        u32::try_from(index).unwrap_or(u32::MAX)
    }

    fn read_set(&mut self, text: &[u8], lifeline: u32) -> Result<(), Lacking> {
        let mut json = Cursor::new(text);
        let mut pairs: Vec<(String, Value)> = Vec::new();
        let mut value = Vec::new();
        let done = json.object(|json, name| {
            let quoted = json.peek() == Some(b'"');
            json.text(&mut value)?;
            let text = string(&value);
            let value = if quoted { Value::text(&text) } else { parse_value(&text) };
            pairs.push((string(name).into_owned(), value));
            Ok(())
        });
        if done.is_err() {
            return Err(Lacking::Bad("set", format!("`{}`", string(text))));
        }
        for (name, value) in pairs {
            match name.strip_prefix('.') {
                Some(shared) => self.set(shared, true, lifeline, value),
                None => self.set(&name, false, lifeline, value),
            }
        }
        Ok(())
    }

    /// Puts a group together and gives it away.
    fn give(&mut self, slot: u32, plan: &Plan, sink: &mut dyn Sink) -> ControlFlow<()> {
        let ended = self.groups.end(slot);
        let vocabulary = &self.accounting.vocabulary;
        let Release { rows, components, sides } = &mut self.release;
        let mut count = self.groups.take(&ended, rows, |action| vocabulary.action(action).lifeline);
        count -= duplicates(&mut rows[..count], vocabulary, &mut self.repeated);
        let rows = &mut rows[..count];
        arrange(rows, vocabulary, components);
        sides.clear();
        let mut component = 0;
        for (index, row) in rows.iter().enumerate() {
            while components.get(component).is_some_and(|c: &Component| c.events.end <= index) {
                component += 1;
            }
            sides.push(row.action.map(|action| {
                let ActionKey { direction, message, .. } = vocabulary.action(action);
                Side { direction, message, component }
            }));
        }
        let pairs = causality::pair(rows, sides, plan.pairing);
        self.spans.note(rows, sides, &pairs);
        let groups = &mut self.accounting.groups;
        groups.total += 1;
        groups.closed += u64::from(ended.closed);
        groups.largest = groups.largest.max(count);
        let key = || String::from_utf8_lossy(&ended.key).into_owned();
        if groups.closable && !ended.closed && groups.never_closed.len() < SOME_GROUPS {
            groups.never_closed.push(key());
        }
        let account = &mut self.accounting.pairs;
        account.paired += pairs.paired as u64;
        for &index in &pairs.unpaired {
            let (row, Some(side)) = (&rows[index], sides[index]) else { continue };
            let unpaired = Unpaired {
                direction: side.direction,
                lifeline: row.lifeline,
                message: side.message,
                peer: row.peer,
            };
            let place = Place { file: row.file, line: row.line };
            account.unpaired.entry(unpaired).or_insert((0, place)).0 += 1;
        }
        let observed = Observed {
            key: &ended.key,
            number: ended.number,
            closed: ended.closed,
            rows,
            components,
            pairs: &pairs,
            vocabulary,
            gaps: self.gaps || self.grouped,
        };
        sink.group(&observed)
    }

    fn finish(mut self, plan: &Plan, sink: &mut dyn Sink) -> Accounting {
        for slot in self.groups.all() {
            if self.give(slot, plan, sink).is_break() {
                break;
            }
        }
        self.accounting.groups.most_open = self.groups.peak;
        self.conclude();
        let accounting = &mut self.accounting;
        (accounting.shapes, accounting.other_shapes) = self.shapes.finish();
        accounting.findings = self.repeated.finish();
        let lifelines = accounting.vocabulary.lifeline_names().count();
        accounting.lifelines.resize(lifelines, super::LifelineAccount::default());
        let messages = accounting.vocabulary.message_names().count();
        accounting.messages.resize(messages, super::MessageAccount::default());
        debug_assert!(accounting.total.adds_up(), "every record is counted once");
        self.accounting
    }

    /// What can only be said when all has been read.
    fn conclude(&mut self) {
        let vocabulary = &self.accounting.vocabulary;
        let lost = self.spans.diagnose(vocabulary, &mut self.repeated);
        let name = |number: u32| vocabulary.lifeline(number);
        for (lifeline, (count, place)) in &self.spans.missing {
            let message =
                format!("{count} spans of `{}` have a parent that is in no log", name(*lifeline));
            let help = "give the logs of its callers too, or check that they export their spans";
            self.repeated.note(Code::PARENT_MISSING, *place, message, help);
        }
        for (key, (count, place)) in &self.accounting.pairs.unpaired {
            if lost.contains(&(key.lifeline, key.message)) {
                continue;
            }
            let (lifeline, message) = (name(key.lifeline), vocabulary.message(key.message));
            let times = if *count == 1 { "once".to_owned() } else { format!("{count} times") };
            let text = match (key.direction, key.peer.map(name)) {
                (Direction::Emission, None) => {
                    format!("`{lifeline}` sends `{message}` {times} and nobody receives it")
                }
                (Direction::Emission, Some(peer)) => {
                    format!(
                        "`{lifeline}` sends `{message}` to `{peer}` {times} without its reception"
                    )
                }
                (Direction::Reception, None) => {
                    format!("`{lifeline}` receives `{message}` {times} and nobody sends it")
                }
                (Direction::Reception, Some(peer)) => {
                    format!(
                        "`{lifeline}` receives `{message}` from `{peer}` {times} without its emission"
                    )
                }
            };
            self.repeated.note(Code::UNPAIRED_MESSAGE, *place, text, "");
        }
        let groups = &self.accounting.groups;
        let open = groups.total - groups.closed;
        if groups.closable && open > 0 {
            let some = groups.never_closed.join("`, `");
            let message = format!("{open} of {} groups never end: `{some}`", groups.total);
            let help = "they were going on when the logs ended, or the logs are cut";
            self.repeated.note(Code::GROUP_NEVER_CLOSED, Place::default(), message, help);
        }
        let matched = self.accounting.total.matched;
        for rule in &self.accounting.rules {
            if rule.hits == 0
                && rule.kind != crate::mapping::RuleKind::Format
                && matched > 0
                && self.accounting.files.iter().any(|file| file.source == rule.source)
            {
                let message = format!("no line matches `{}`", rule.name);
                self.repeated.note(
                    Code::NOTHING_MATCHED,
                    Place::default(),
                    message,
                    "look at its pattern",
                );
            }
        }
    }
}

/// Where to look for the service that a client calls.
const PEERS: [&str; 2] = ["peer.service", "server.address"];

/// How many groups are named.
const SOME_GROUPS: usize = 5;

/// The group that a record was for.
#[derive(Clone, Copy)]
struct Slot {
    group: u32,
    closes: bool,
}

/// What a record is looked at with.
#[derive(Clone, Copy)]
struct View<'v> {
    plan: &'v Plan,
    source: &'v SourcePlan,
    rule: &'v Rule,
    file: u32,
}

/// The file that is being read.
struct Reading<'v> {
    plan: &'v Plan,
    source: &'v SourcePlan,
    /// The number of the source.
    number: usize,
    file: u32,
    name: &'v str,
    /// By rule and pattern: memory for captures.
    locations: Vec<Vec<CaptureLocations>>,
    tally: Tally,
    events: u64,
    not_utf8: u64,
    /// The slots of our own format, if that is what it is.
    tail: Option<[usize; 16]>,
}

fn locations(rule: &Rule) -> Vec<CaptureLocations> {
    let patterns = rule.conditions.iter().filter_map(|condition| match condition {
        Condition::Pattern { regex, .. } => Some(regex.capture_locations()),
        Condition::OneOf { .. } | Condition::Present { .. } => None,
    });
    patterns.collect()
}

#[inline]
fn holds(condition: &Condition, record: &Record<'_>, locations: &mut [CaptureLocations]) -> bool {
    match condition {
        Condition::Pattern { slot, regex, index } => {
            let haystack = match slot {
                None => record.bytes,
                Some(slot) => match record.field(*slot) {
                    Some(field) => field,
                    None => return false,
                },
            };
            match locations.get_mut(*index) {
                Some(locations) if locations.len() > 1 => {
                    regex.captures_read(locations, haystack).is_some()
                }
                _ => regex.is_match(haystack),
            }
        }
        Condition::OneOf { slot, values } => {
            record.field(*slot).is_some_and(|field| values.iter().any(|value| value == field))
        }
        Condition::Present { slot, there } => record.field(*slot).is_some() == *there,
    }
}

/// Bytes as text; what is not UTF-8 becomes U+FFFD.
#[inline]
fn string(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// A value as it is meant: a truth value, a number, or a text.
fn parse_value(text: &str) -> Value {
    match text {
        "true" => return Value::Boolean(true),
        "false" => return Value::Boolean(false),
        _ => {}
    }
    let number =
        time::key(text.as_bytes()).filter(|_| !text.contains([':', ',']) && text.len() < 30);
    let number = number.filter(|_| !text.get(1..).is_some_and(|rest| rest.contains('-')));
    let billion = 1_000_000_000;
    match number.and_then(|number| otus_syntax::Rational::new(number, billion)) {
        Some(number) => Value::Number(number),
        None => Value::text(text),
    }
}

/// The keys of the start and the end of a span. Spans that begin at the same moment begin with the
/// longest, and those that end at the same moment end with the shortest, so that spans nest.
fn span_keys(span: &Span) -> (Option<i128>, Option<i128>) {
    let Some(start) = span.start else { return (None, None) };
    let end = span.end.unwrap_or(start).max(start);
    let length = i128::from(end - start).min((1 << 61) - 1);
    let key = |time: u64, class: i128, rank: i128| i128::from(time) << 62 | class << 61 | rank;
    if length == 0 {
        // Between what ends and what begins at that moment; the end follows at once.
        let at = key(start, 1, (1 << 61) - 1);
        return (Some(at), Some(at));
    }
    (Some(key(start, 1, (1 << 61) - 1 - length)), Some(key(end, 0, length)))
}

/// Keys that our own format does not have.
fn unknown_keys(line: &[u8]) -> Result<(), Lacking> {
    let mut unknown = None;
    let mut json = Cursor::new(line);
    let done: Result<(), json::Malformed> = json.object(|json, key| {
        if !read::canonical::KEYS.iter().any(|known| known.as_bytes() == key) {
            unknown.get_or_insert_with(|| string(key).into_owned());
        }
        json.value().map(drop)
    });
    match (done, unknown) {
        (Ok(()), Some(key)) => Err(Lacking::Bad("version", format!("1, which has no key `{key}`"))),
        _ => Ok(()),
    }
}
