//! A part of a file: the records of a thread that does the first half of the work, and how the run takes them over.
//!
//! A thread evaluates the records of whole lines, as far as that depends on nothing else: with a vocabulary of its own, and
//! with findings and counts of its own. The run then takes over the parts in the order of the logs, record by
//! record, and does what one thread would have done at that record. So all answers are those of one thread.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use otus_syntax::name::Names;

use super::super::Sink;
use super::super::account::{FileAccount, Findings, RecordedFinding, Tally, ValueAccount};
use super::super::observed::Observed;
use super::super::shape::Shapes;
use super::super::vocabulary::{RunFileId, RunPlace, Translation, Vocabulary};
use super::Mapper;
use super::mapped::Mapped;
use crate::mapping::Plan;
use crate::read::{self, At, Extent, Fault, Item, Packing, Reading};

/// A file whose parts are read by threads.
#[derive(Debug)]
pub(in crate::run) struct FileInfo {
    pub(in crate::run) name: String,
    pub(in crate::run) source: usize,
    pub(in crate::run) id: RunFileId,
}

/// What threads tell of a file, in order.
pub(in crate::run) enum Part {
    /// It is there, and packed like this.
    Opened(Arc<FileInfo>, Packing),
    /// It cannot be opened.
    Unopened(Arc<FileInfo>, String),
    Records(Box<Records>),
    Fault(Fault),
    Ended(Extent),
}

/// The records that a thread has evaluated.
#[derive(Debug, Default)]
pub(super) struct Recording {
    #[expect(
        clippy::vec_box,
        reason = "records change places with the current one: pointers are swapped, not 400 bytes"
    )]
    records: Vec<Box<Mapped>>,
    /// The number of records that are in use; the others are memory.
    used: usize,
    /// The number of records in use before the first record that makes gaps in vector clocks.
    gap: Option<usize>,
}

impl Recording {
    pub(super) fn note_gap(&mut self) {
        self.gap.get_or_insert(self.used);
    }
}

/// All that a thread knows of some records of one file.
pub(in crate::run) struct Records {
    recording: Recording,
    vocabulary: Vocabulary,
    texts: Names,
    findings: Vec<RecordedFinding>,
    tally: Tally,
    not_utf8: u64,
    /// By rule of the source: the number of records it took, and the first of them.
    rules: Vec<(u64, Option<RunPlace>)>,
    shapes: Shapes,
    /// The number of all records, with and without events.
    count: u64,
    ungrouped: u64,
    kept: Vec<String>,
    values: Vec<ValueAccount>,
    linked: Vec<[Vec<u8>; 2]>,
}

/// Memory of records that were taken over.
pub(in crate::run) type Pool = Mutex<Vec<Vec<Box<Mapped>>>>;

/// Evaluates records on a thread.
pub(in crate::run) struct Recorder<'p> {
    plan: &'p Plan,
    mapper: Mapper,
    pool: &'p Pool,
}

/// The number of records after which those of a long stream are handed over.
const MANY: u64 = 4096;

impl<'p> Recorder<'p> {
    pub(in crate::run) fn new(plan: &'p Plan, pool: &'p Pool) -> Self {
        let mut mapper = Mapper::new(plan, 0);
        mapper.recording = Some(Recording::default());
        Recorder { plan, mapper, pool }
    }

    /// Evaluates whole lines.
    pub(in crate::run) fn lines(&mut self, info: &FileInfo, at: At, lines: Vec<u8>) -> Part {
        let mut all = None;
        self.read(info, Reading::Block(at, lines), |part| {
            all = Some(part);
            ControlFlow::Continue(())
        });
        all.unwrap_or_else(|| Part::Ended(Extent::default()))
    }

    /// Evaluates a stream, and hands over its records from time to time.
    pub(in crate::run) fn read(
        &mut self,
        info: &FileInfo,
        reading: Reading<'_, '_>,
        mut give: impl FnMut(Part) -> ControlFlow<()>,
    ) -> Extent {
        let plan = self.plan;
        let source = &plan.sources[info.source];
        let is_long = matches!(reading, Reading::Lines(_));
        let account = || FileAccount::new(info.name.clone(), info.source, source.format);
        self.begin();
        let mut open = self.mapper.open(plan, account(), info.id);
        let nobody = &mut |_: &Observed<'_>| ControlFlow::Continue(());
        let mut flow = ControlFlow::Continue(());
        let extent =
            read::read_on(source.format, reading, &source.fields, &source.options, &mut |item| {
                // A record is never apart from what is found in it.
                if is_long && self.mapper.now >= MANY && !matches!(item, Item::Fault(_)) {
                    let whole = std::mem::replace(&mut open.account, account());
                    flow = give(self.take(&whole));
                    self.begin();
                    flow?;
                }
                self.mapper.item(&mut open, item, nobody)
            });
        let account = self.mapper.close(open);
        if flow.is_continue() {
            let _ = give(self.take(&account));
        }
        extent
    }

    fn begin(&mut self) {
        let mapper = &mut self.mapper;
        let records = self.pool.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let records = records.unwrap_or_default();
        mapper.recording = Some(Recording { records, ..Recording::default() });
        mapper.findings = Findings::of_part();
        mapper.shapes = Shapes::of_part();
        mapper.accounting.vocabulary = Vocabulary::default();
        mapper.texts = Names::default();
        mapper.now = 0;
        mapper.kept.clone_from(&self.plan.kept);
        mapper.accounting.values = Mapper::value_accounts(self.plan);
        mapper.accounting.groups.ungrouped = 0;
        for rule in &mut mapper.accounting.rules {
            (rule.hits, rule.first) = (0, None);
        }
    }

    /// Takes what is known of the records since the last call.
    fn take(&mut self, account: &FileAccount) -> Part {
        let mapper = &mut self.mapper;
        let rules = mapper.rule_starts[account.source]..;
        let count = self.plan.sources[account.source].rules.len();
        let rules = mapper.accounting.rules[rules].iter().take(count);
        Part::Records(Box::new(Records {
            recording: mapper.recording.take().unwrap_or_default(),
            rules: rules.map(|rule| (rule.hits, rule.first)).collect(),
            vocabulary: std::mem::take(&mut mapper.accounting.vocabulary),
            texts: std::mem::take(&mut mapper.texts),
            findings: mapper.findings.take_recorded(),
            tally: account.tally,
            not_utf8: account.not_utf8,
            shapes: std::mem::take(&mut mapper.shapes),
            count: mapper.now,
            ungrouped: mapper.accounting.groups.ungrouped,
            kept: std::mem::take(&mut mapper.kept),
            values: std::mem::take(&mut mapper.accounting.values),
            linked: std::mem::take(&mut mapper.linked),
        }))
    }
}

impl Mapper {
    /// Keeps the record that has been evaluated, for the run.
    pub(super) fn record_part(&mut self) {
        let Some(recording) = &mut self.recording else { return };
        self.current.now = self.now;
        self.current.marks = self.accounting.vocabulary.marks(self.kept.len());
        if recording.used == recording.records.len() {
            recording.records.push(Box::default());
        }
        std::mem::swap(&mut recording.records[recording.used], &mut self.current);
        recording.used += 1;
        self.findings.at = recording.used;
    }

    /// Takes over the records of a thread: does for each of them what depends on the records before.
    pub(in crate::run) fn take_over(
        &mut self,
        mut part: Records,
        account: &mut FileAccount,
        plan: &Plan,
        pool: &Pool,
        sink: &mut dyn Sink,
    ) -> ControlFlow<()> {
        let before = self.now;
        let mut translation = Translation::default();
        let mut findings = std::mem::take(&mut part.findings).into_iter().peekable();
        std::mem::swap(&mut self.texts, &mut part.texts);
        let mut flow = ControlFlow::Continue(());
        for at in 0..part.recording.used {
            while let Some(finding) = findings.next_if(|finding| finding.at <= at) {
                self.findings.add_recorded(finding);
            }
            self.gaps |= part.recording.gap.is_some_and(|gap| gap <= at);
            std::mem::swap(&mut self.current, &mut part.recording.records[at]);
            let marks = self.current.marks;
            translation.advance(&marks, &part.vocabulary, &mut self.accounting.vocabulary);
            self.add_fields(&part.kept[..marks.fields], &mut translation);
            self.current.translate(&translation);
            self.now = before + self.current.now;
            flow = self.accept(account, plan, sink);
            std::mem::swap(&mut self.current, &mut part.recording.records[at]);
            if flow.is_break() {
                break;
            }
        }
        std::mem::swap(&mut self.texts, &mut part.texts);
        findings.for_each(|finding| self.findings.add_recorded(finding));
        self.gaps |= part.recording.gap.is_some();
        let marks = part.vocabulary.marks(part.kept.len());
        translation.advance(&marks, &part.vocabulary, &mut self.accounting.vocabulary);
        self.add_fields(&part.kept, &mut translation);
        self.now = before + part.count;
        account.tally.add(part.tally);
        account.not_utf8 += part.not_utf8;
        let rules = &mut self.accounting.rules[self.rule_starts[account.source]..];
        for (rule, (hits, first)) in rules.iter_mut().zip(part.rules) {
            rule.hits += hits;
            rule.first = rule.first.or(first);
        }
        self.shapes.add(part.shapes);
        self.accounting.groups.ungrouped += part.ungrouped;
        self.linked.append(&mut part.linked);
        for (index, value) in part.values.into_iter().enumerate() {
            let known = translation.fields.get(index).map(|&field| field as usize);
            // The account of times is the last one.
            let last = self.accounting.values.len().saturating_sub(1);
            if let Some(known) = self.accounting.values.get_mut(known.unwrap_or(last)) {
                known.unusable += value.unusable;
            }
        }
        pool.lock().unwrap_or_else(PoisonError::into_inner).push(part.recording.records);
        flow
    }

    /// Adds the fields that the canonical lines of a thread have.
    fn add_fields(&mut self, names: &[String], translation: &mut Translation) {
        for name in &names[translation.fields.len()..] {
            let known = self.kept.iter().position(|known| known == name);
            let field = known.unwrap_or_else(|| self.add_field(name.clone()));
            translation.fields.push(u32::try_from(field).unwrap_or(u32::MAX));
        }
    }
}
