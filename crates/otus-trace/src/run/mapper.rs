//! The work of a run: records in, groups out, every record accounted for.
//!
//! | file | step |
//! |---|---|
//! | [`file`] | opens and reads one file |
//! | [`matching`] | finds the rule that takes a record |
//! | [`apply`] | evaluates the rule: lifeline, clock, actions, variables, local order |
//! | [`spans`] | turns a span into the actions of its start and end |
//! | [`values`] | reads the values of the events, and their times |
//! | [`canonical`] | evaluates records of the canonical format, and vector clocks |
//! | [`mapped`] | what is known of a record now: the first half of the work ends here |
//! | [`store`] | stores the events in their group |
//! | [`join`] | joins spans: deduces the events that they imply, and names their messages |
//! | [`clocks`] | finds the messages that vector clocks tell, if no rule does |
//! | [`release`] | orders and pairs the events of a group that has ended |
//! | [`conclude`] | findings that need the whole run |
//! | [`stream`] | logs that grow: every record is shown, and groups are looked at before they end |
//! | [`part`] | the first half of the work for a part of a file, and how the run takes it over |

mod apply;
mod canonical;
mod clocks;
mod conclude;
mod file;
mod join;
mod mapped;
mod matching;
mod part;
mod release;
mod spans;
mod store;
mod stream;
mod values;

use std::ops::ControlFlow;

use otus_syntax::name::Names;
use rustc_hash::FxHashSet;

use super::account::{Accounting, FileAccount, Findings, RuleAccount, UnpairedCounts};
use super::propagation::SpanTrouble;
use super::shape::Shapes;
use super::vocabulary::{RunActionId, RunFileId, RunLifelineId, RunPlace};
use super::{LogFile, Sink};
use crate::group::{Groups, OpenGroupId, Row, RowFlags};
use crate::mapping::template::Context;
use crate::mapping::{Plan, Rule, SourcePlan};
use crate::read::Format;
use mapped::Mapped;
use part::Recording;

pub(super) use part::{FileInfo, Part, Pool, Recorder};
pub use stream::{Grown, Stream};

pub(super) fn run(plan: &Plan, files: Vec<LogFile<'_>>, sink: &mut dyn Sink) -> Accounting {
    let mut mapper = Mapper::for_files(plan, &files);
    for file in files {
        if mapper.file(plan, file, sink).is_break() {
            break;
        }
    }
    mapper.finish(plan, sink)
}

/// The state of a run.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub(super) struct Mapper {
    accounting: Accounting,
    /// For each source: the index of its first rule among all rules.
    rule_starts: Vec<usize>,
    /// For each source: what finds the rules of its records, between its files.
    matchers: Vec<Option<Box<matching::Matcher>>>,
    groups: Groups,
    shapes: Shapes,
    findings: Findings,
    unpaired: UnpairedCounts,
    /// The record that is evaluated, and then stored.
    current: Box<Mapped>,
    /// The names of clocks and of the origins of canonical lines.
    texts: Names,
    /// The records of a part of a file, if only the first half of the work is done.
    recording: Option<Recording>,
    /// Memory for the values of templates.
    scratch: Vec<u8>,
    id_scratch: Vec<u8>,
    release: release::Memory,
    /// The events of the current record, if the sink is shown every record.
    shown: Option<Vec<Row>>,
    /// Whether all logs have been read.
    is_read: bool,
    /// Whether a group is released as soon as it is closed.
    early: bool,
    /// The number of events that the current record has added.
    stored: u64,
    /// The number of records so far.
    now: u64,
    grouped: bool,
    spans: SpanTrouble,
    /// Traces that are joined by links, as keys of their groups.
    linked: Vec<[Vec<u8>; 2]>,
    /// The lifelines all of whose events are deduced.
    deduced: FxHashSet<RunLifelineId>,
    /// For each clock: the file and the time of its last event.
    last_time: Vec<Option<(RunFileId, i128)>>,
    /// For each clock: the file and the lifeline of its last event, if its local order is that of
    /// the lines.
    last_line: Vec<Option<(RunFileId, RunLifelineId)>>,
    /// Whether records with vector clocks were left out.
    gaps: bool,
    /// The fields whose values are kept, without the time: those of the plan, and then those that canonical lines have.
    kept: Vec<String>,
}

/// An action of the current record. The actions of a record are stored when all of them are known.
#[derive(Debug, Clone, Copy)]
struct PendingAction {
    lifeline: RunLifelineId,
    action: RunActionId,
    peer: Option<RunLifelineId>,
    /// The range of its message id in `row.id`.
    id: Option<(usize, usize)>,
    flags: RowFlags,
    order: Option<i128>,
}

/// A record and the rule that takes it.
#[derive(Clone, Copy)]
struct Taken<'v> {
    plan: &'v Plan,
    source: &'v SourcePlan,
    rule: &'v Rule,
    /// The number of the source in the plan, and of the rule in the source.
    number: (usize, usize),
    place: RunPlace,
    context: Context<'v>,
}

/// The reason why a record cannot be mapped.
enum Incomplete {
    /// A setting, given by its name, has no value.
    Missing(&'static str),
    /// A setting has a value that cannot be used.
    Unusable(&'static str, String),
}

#[derive(Clone, Copy)]
struct Stored {
    group: OpenGroupId,
    closes: bool,
}

impl Mapper {
    /// The state of a run before the first of these files.
    pub(super) fn for_files(plan: &Plan, files: &[LogFile<'_>]) -> Self {
        let mut mapper = Mapper::new(plan, files.len());
        // The ids of the given files come first, before those of files that canonical lines name.
        for file in files.iter().filter(|file| file.source < plan.sources.len()) {
            mapper.accounting.vocabulary.add_file(&file.name);
        }
        mapper
    }

    fn new(plan: &Plan, files: usize) -> Self {
        let values = Mapper::value_accounts(plan);
        let mut accounting = Accounting { values, ..Accounting::default() };
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
            kept: plan.kept.clone(),
            rule_starts,
            matchers: plan.sources.iter().map(|_| None).collect(),
            groups: Groups::new(plan.idle),
            early: files == 1 || plan.idle.is_some(),
            grouped: canonical || all_rules().any(|rule| rule.group.is_some()),
            ..Mapper::default()
        }
    }

    /// Takes over the record that has been evaluated.
    fn evaluated(
        &mut self,
        account: &mut FileAccount,
        plan: &Plan,
        sink: &mut dyn Sink,
    ) -> ControlFlow<()> {
        if self.recording.is_some() {
            self.record_part();
            return ControlFlow::Continue(());
        }
        self.accept(account, plan, sink)
    }

    /// Notes that a record was left out, if that makes gaps in vector clocks.
    fn note_gap(&mut self, format: Format) {
        if format == Format::Shiviz {
            match &mut self.recording {
                Some(recording) => recording.note_gap(),
                None => self.gaps = true,
            }
        }
    }

    /// Releases the groups that have ended with a record.
    fn after(&mut self, stored: Stored, sink: &mut dyn Sink, plan: &Plan) -> ControlFlow<()> {
        self.show_record(stored, sink);
        if stored.closes {
            self.groups.close(stored.group);
            if self.early {
                self.release(stored.group, plan, sink)?;
            }
        }
        while let Some(idle) = self.groups.idle(self.now) {
            self.release(idle, plan, sink)?;
        }
        ControlFlow::Continue(())
    }

    pub(super) fn finish(mut self, plan: &Plan, sink: &mut dyn Sink) -> Accounting {
        self.is_read = true;
        self.join_traces();
        for group in self.groups.all() {
            if self.release(group, plan, sink).is_break() {
                break;
            }
        }
        self.accounting.groups.most_open = self.groups.peak;
        self.accounting.pairs.unpaired = std::mem::take(&mut self.unpaired).finish();
        self.conclude(plan);
        let accounting = &mut self.accounting;
        (accounting.shapes, accounting.other_shapes) = self.shapes.finish();
        accounting.findings = self.findings.finish();
        let lifelines = accounting.vocabulary.lifeline_names().count();
        accounting.lifelines.resize(lifelines, super::LifelineAccount::default());
        let messages = accounting.vocabulary.message_names().count();
        accounting.messages.resize(messages, super::MessageAccount::default());
        debug_assert!(accounting.total.adds_up(), "every record is counted once");
        self.accounting
    }
}

/// The entry with an index, in a list that grows on demand.
fn entry<T: Clone + Default>(list: &mut Vec<T>, index: usize) -> &mut T {
    if list.len() <= index {
        list.resize(index + 1, T::default());
    }
    &mut list[index]
}
