//! Logs that grow: lines are mapped as they come, every record is shown, and a group can be looked at before it ends.
//!
//! A [`Stream`] is a run whose files never end. It keeps the events of open groups, as every run does, and ends a group only if its
//! caller says so: the caller knows what time it is, and whether more lines may come. What the rules of a source say is the same
//! as offline: mapping all lines of a log by a stream, in any pieces of whole lines, and ending all groups gives the groups of
//! [`map`](crate::run::map).
//!
//! Values are interned, and a system that runs for long has new ones all the time, such as the ids of orders. So those that no open
//! group has are forgotten whenever there are twice as many values as were left the last time.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::super::account::{FileAccount, Finding};
use super::super::observed::{Component, Observed};
use super::super::vocabulary::{RunClockId, RunFileId, Vocabulary};
use super::super::{Accounting, Ends, Sink};
use super::mapped::Kind;
use super::{Mapper, Stored};
use crate::causality::Pairs;
use crate::mapping::Plan;
use crate::read::{self, At, Format, Reading};

/// A run over logs that grow.
pub struct Stream {
    plan: Arc<Plan>,
    mapper: Mapper,
    /// By file: what was read of it.
    files: Vec<FileAccount>,
    /// The number of values beyond which those of ended groups are forgotten.
    most_values: usize,
}

/// So many values are kept in any case.
const MOST_VALUES: usize = 1 << 20;

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stream").field("files", &self.files).finish_non_exhaustive()
    }
}

/// A log that grows: its number in the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Grown(RunFileId);

/// Calls a function with a group.
struct Show<'f>(&'f mut dyn FnMut(&Observed<'_>));

impl Sink for Show<'_> {
    fn group(&mut self, observed: &Observed<'_>) -> ControlFlow<()> {
        (self.0)(observed);
        ControlFlow::Continue(())
    }
}

impl Stream {
    /// A run without files.
    pub fn new(plan: Arc<Plan>) -> Stream {
        let mut mapper = Mapper::new(&plan, 0);
        mapper.shown = Some(Vec::new());
        mapper.early = false;
        Stream { plan, mapper, files: Vec::new(), most_values: MOST_VALUES }
    }

    /// Whether logs of this format can be read in pieces of whole lines.
    pub fn reads(format: Format) -> bool {
        format.has_parts() || format == Format::Otlp
    }

    /// Adds a log, which a source of the plan describes.
    pub fn add(&mut self, name: &str, source: usize) -> Option<Grown> {
        let format = self.plan.sources.get(source)?.format;
        let file = self.mapper.accounting.vocabulary.add_file(name);
        self.files.push(FileAccount::new(name.to_owned(), source, format));
        Stream::reads(format).then_some(Grown(file))
    }

    /// Maps the spans of an export request of OTLP, in the form of protocol buffers, which passed
    /// [`check`](crate::read::otlp_bytes::check). `first` is the number of the first span, which stands for its line. Returns
    /// the number of spans.
    pub fn feed_spans(
        &mut self,
        log: Grown,
        first: u32,
        request: &[u8],
        sink: &mut dyn Sink,
    ) -> u64 {
        let Grown(file) = log;
        let Some(account) = self.files.get_mut(file.0 as usize) else { return 0 };
        let plan = &*self.plan;
        let source = &plan.sources[account.source];
        let before = account.tally;
        let mut open = self.mapper.open(plan, account.clone(), file);
        let count = read::otlp_bytes::read(request, &source.fields, first, &mut |item| {
            let _ = self.mapper.item(&mut open, item, sink);
            ControlFlow::Continue(())
        });
        *account = self.mapper.close(open);
        account.bytes += request.len() as u64;
        account.lines += count;
        self.mapper.accounting.total.add(account.tally.since(before));
        self.limit_values();
        count
    }

    /// Maps whole lines of a log; `at` is the position of the first. The sink gets every record that has events, and the groups
    /// that end by `[group] idle`.
    pub fn feed(&mut self, log: Grown, at: At, lines: Vec<u8>, sink: &mut dyn Sink) {
        let Grown(file) = log;
        let Some(account) = self.files.get_mut(file.0 as usize) else { return };
        let (plan, length) = (&*self.plan, lines.len() as u64);
        let source = &plan.sources[account.source];
        let before = account.tally;
        let mut open = self.mapper.open(plan, account.clone(), file);
        let reading = Reading::Block(at, lines);
        let extent =
            read::read_on(source.format, reading, &source.fields, &source.options, &mut |item| {
                let _ = self.mapper.item(&mut open, item, sink);
                ControlFlow::Continue(())
            });
        *account = self.mapper.close(open);
        account.bytes = account.bytes.max(at.offset + length);
        account.lines = account.lines.max(extent.lines);
        self.mapper.accounting.total.add(account.tally.since(before));
        self.limit_values();
    }

    fn limit_values(&mut self) {
        if self.mapper.accounting.vocabulary.value_count() > self.most_values {
            self.forget_values();
            let left = self.mapper.accounting.vocabulary.value_count();
            self.most_values = MOST_VALUES.max(2 * left);
        }
    }

    /// Forgets the values that no open group has.
    pub(crate) fn forget_values(&mut self) {
        let Mapper { groups, accounting, .. } = &mut self.mapper;
        let old = accounting.vocabulary.take_values();
        groups.change_values(|value| accounting.vocabulary.intern_again(old.items[value].clone()));
    }

    /// Shows an open group as it is now.
    pub fn look(&mut self, key: &[u8], show: &mut dyn FnMut(&Observed<'_>)) {
        self.mapper.join_traces();
        if let Some(group) = self.mapper.groups.open(key) {
            let _ = self.mapper.peek(group, &self.plan, &mut Show(show));
        }
    }

    /// Ends an open group, and shows it.
    pub fn end(&mut self, key: &[u8], show: &mut dyn FnMut(&Observed<'_>)) {
        self.mapper.join_traces();
        if let Some(group) = self.mapper.groups.open(key) {
            let _ = self.mapper.release(group, &self.plan, &mut Show(show));
        }
    }

    /// Whether a group is open.
    pub fn is_open(&self, key: &[u8]) -> bool {
        self.mapper.groups.open(key).is_some()
    }

    /// The number of bytes that the events of open groups take.
    pub fn bytes(&self) -> usize {
        self.mapper.groups.bytes()
    }

    /// The names of the run.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.mapper.accounting.vocabulary
    }

    /// How the records were classified so far.
    pub fn accounting(&self) -> &Accounting {
        &self.mapper.accounting
    }

    /// What was read of each log, in the order in which they were added.
    pub fn files(&self) -> &[FileAccount] {
        &self.files
    }

    /// What there is to say of the records so far, the most severe first.
    pub fn take_findings(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.mapper.findings).finish()
    }
}

impl Mapper {
    /// Shows the events of the current record to the sink of a stream.
    #[inline]
    pub(super) fn show_record(&mut self, stored: Stored, sink: &mut dyn Sink) {
        if self.shown.is_some() {
            self.show_events(stored, sink);
        }
    }

    fn show_events(&mut self, stored: Stored, sink: &mut dyn Sink) {
        let Some(mut rows) = self.shown.take() else { return };
        if self.current.kind == Kind::Latent {
            rows.clear();
        }
        let (key, number, closed) = self.groups.about(stored.group);
        let vocabulary = &self.accounting.vocabulary;
        let clock = rows.first().and_then(|row| vocabulary.clock_of(row.lifeline));
        let clock = clock.unwrap_or(RunClockId(u32::MAX));
        let components = [Component { clock, events: 0..rows.len() }];
        let observed = Observed {
            key,
            number,
            closed,
            rows: &rows,
            components: &components,
            pairs: &Pairs::default(),
            vocabulary,
            kept: &self.kept,
            gaps: true,
            is_read: false,
        };
        let ends = Ends { closes: stored.closes, is_top: self.current.is_top };
        sink.record(&observed, ends);
        rows.clear();
        self.shown = Some(rows);
    }
}
