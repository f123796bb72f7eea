//! The work of a run: records in, groups out, every record accounted for.

mod apply;
mod canonical;
mod conclude;
mod spans;
mod store;

use std::borrow::Cow;
use std::ops::ControlFlow;

use otus_syntax::Code;
use regex::bytes::CaptureLocations;

use super::account::{Accounting, FileAccount, Repeated, RuleAccount, Tally};
use super::observed::Component;
use super::propagation::SpanTrouble;
use super::shape::{Place, Shapes};
use super::{LogFile, Sink};
use crate::causality::Side;
use crate::group::{Groups, Marks, Row};
use crate::mapping::template::Context;
use crate::mapping::{Condition, Plan, Rule, SourcePlan};
use crate::read::{self, FaultKind, Format, Item, Packing, Record};

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
}

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
