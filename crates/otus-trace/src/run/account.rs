//! The accounting of a run: how every record was classified.
//!
//! Invariant: `records = matched + ignored + blank + unmatched + incomplete + unreadable`.

use std::collections::{BTreeMap, BTreeSet};

use otus_core::index::Index as _;
use otus_core::intern::Interner;
use otus_core::{Direction, define_id};
use otus_syntax::{Code, Severity};

use super::shape::Shape;
use super::vocabulary::{RunLifelineId, RunMessageId, RunPlace, Vocabulary};
use crate::mapping::RuleKind;
use crate::read::{Format, Packing};

/// The accounting of a run.
#[derive(Debug, Default)]
pub struct Accounting {
    /// The files in the order in which they were read.
    pub files: Vec<FileAccount>,
    /// The rules of all sources, in order.
    pub rules: Vec<RuleAccount>,
    /// The classification of all records.
    pub total: Tally,
    /// The shapes of unmatched lines, the most frequent first.
    pub shapes: Vec<Shape>,
    /// The number of unmatched lines of other shapes, which are not listed.
    pub other_shapes: u64,
    /// For each lifeline of the vocabulary: its actions.
    pub lifelines: Vec<LifelineAccount>,
    /// For each message of the vocabulary: how often it was sent and received.
    pub messages: Vec<MessageAccount>,
    /// The messages of calls between spans that have two names, one for each side: the name that is
    /// used, and the other one.
    pub other_names: BTreeSet<(RunMessageId, RunMessageId)>,
    /// The groups.
    pub groups: GroupAccount,
    /// The pairs of emissions and receptions.
    pub pairs: PairAccount,
    /// The fields whose values are kept, the time last: how many events have a value of them.
    pub values: Vec<ValueAccount>,
    /// Findings for the user, the most severe first.
    pub findings: Vec<Finding>,
    /// The names that the ids stand for.
    pub vocabulary: Vocabulary,
}

impl Accounting {
    /// The other names of a message: those that only one side of a call uses.
    pub fn other_names(&self, message: &str) -> impl Iterator<Item = &str> {
        let named = self.other_names.iter();
        let own = named.filter(move |(known, _)| self.vocabulary.message(*known) == message);
        own.map(|(_, other)| self.vocabulary.message(*other))
    }
}

/// The classification of some records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// All records: lines, spans or rows.
    pub records: u64,
    /// Mapped by a rule.
    pub matched: u64,
    /// Ignored by a rule.
    pub ignored: u64,
    /// Empty.
    pub blank: u64,
    /// Not taken by any rule.
    pub unmatched: u64,
    /// Taken by a rule, but without a value that the rule needs.
    pub incomplete: u64,
    /// Not in the format of the file.
    pub unreadable: u64,
}

impl Tally {
    /// Adds the counts of another tally.
    pub fn add(&mut self, other: Tally) {
        self.records += other.records;
        self.matched += other.matched;
        self.ignored += other.ignored;
        self.blank += other.blank;
        self.unmatched += other.unmatched;
        self.incomplete += other.incomplete;
        self.unreadable += other.unreadable;
    }

    /// The counts that came after those of an earlier tally.
    #[must_use]
    pub fn since(self, before: Tally) -> Tally {
        Tally {
            records: self.records - before.records,
            matched: self.matched - before.matched,
            ignored: self.ignored - before.ignored,
            blank: self.blank - before.blank,
            unmatched: self.unmatched - before.unmatched,
            incomplete: self.incomplete - before.incomplete,
            unreadable: self.unreadable - before.unreadable,
        }
    }

    /// Whether every record is counted once.
    pub fn adds_up(&self) -> bool {
        let parts = self.matched + self.ignored + self.blank + self.unmatched;
        self.records == parts + self.incomplete + self.unreadable
    }
}

/// The account of a file.
#[derive(Debug, Clone)]
pub struct FileAccount {
    /// The name of the file, as the caller gave it.
    pub name: String,
    /// The index of the source of the file in the plan.
    pub source: usize,
    /// The format of the file.
    pub format: Format,
    /// The compression of the file.
    pub packing: Packing,
    /// The length of the file in bytes, uncompressed.
    pub bytes: u64,
    /// The number of lines of the file.
    pub lines: u64,
    /// The classification of the records of the file.
    pub tally: Tally,
    /// The number of events that it yielded.
    pub events: u64,
    /// The number of lines with bytes that are not UTF-8, which were read as U+FFFD.
    pub not_utf8: u64,
}

impl FileAccount {
    pub(super) fn new(name: String, source: usize, format: Format) -> FileAccount {
        FileAccount {
            name,
            source,
            format,
            packing: Packing::None,
            bytes: 0,
            lines: 0,
            tally: Tally::default(),
            events: 0,
            not_utf8: 0,
        }
    }
}

/// The account of a rule.
#[derive(Debug, Clone)]
pub struct RuleAccount {
    /// The index of the source of the rule in the plan.
    pub source: usize,
    /// The name of the rule.
    pub name: String,
    /// The place of the rule in `otus.toml`.
    pub span: otus_syntax::Span,
    /// The origin of the rule.
    pub kind: RuleKind,
    /// Whether the records of the rule are ignored.
    pub ignore: bool,
    /// The number of records that it took.
    pub hits: u64,
    /// The place of the first record that the rule took.
    pub first: Option<RunPlace>,
}

/// The actions of a lifeline.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LifelineAccount {
    /// The number of emissions.
    pub sends: u64,
    /// The number of receptions.
    pub receives: u64,
    /// The number of events without an action.
    pub others: u64,
    /// How often other lifelines name it as their peer.
    pub named: u64,
    /// The place of the first event of the lifeline.
    pub first: Option<RunPlace>,
}

/// How often a message was sent and received.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MessageAccount {
    /// The number of emissions.
    pub sends: u64,
    /// The number of receptions.
    pub receives: u64,
}

/// How many events carry a field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ValueAccount {
    /// The name of the field.
    pub name: String,
    /// The number of events with a value of it.
    pub known: u64,
    /// The number of events without one.
    pub unknown: u64,
    /// The number of records whose value of it was left out, because it cannot be used.
    pub unusable: u64,
}

/// The groups of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupAccount {
    /// The number of groups.
    pub total: u64,
    /// The number that a rule or the canonical format marked as complete.
    pub closed: u64,
    /// Whether the plan has a way to mark a group as complete.
    pub closable: bool,
    /// The greatest number of groups that were open at once.
    pub most_open: usize,
    /// The number of events of the largest group.
    pub largest: usize,
    /// The keys of some groups that were never marked as complete.
    pub never_closed: Vec<String>,
    /// The number of events without a group, in a run where other events have one.
    pub ungrouped: u64,
}

/// Pairs of emissions and receptions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PairAccount {
    /// The number of receptions whose emission was found.
    pub paired: u64,
    /// Emissions without a reception and receptions without an emission: how many, and the first
    /// place.
    pub unpaired: BTreeMap<Unpaired, (u64, RunPlace)>,
}

impl PairAccount {
    /// The number of unpaired actions with a direction.
    pub fn unpaired(&self, direction: Direction) -> u64 {
        let those = self.unpaired.iter().filter(|(key, _)| key.direction == direction);
        those.map(|(_, (count, _))| count).sum()
    }
}

/// A kind of action without a counterpart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unpaired {
    /// Sent but not received, or received but not sent.
    pub direction: Direction,
    /// The lifeline.
    pub lifeline: RunLifelineId,
    /// The message.
    pub message: RunMessageId,
    /// The peer, if the log names it.
    pub peer: Option<RunLifelineId>,
}

define_id! {
    UnpairedId;
}

/// Counts actions without a counterpart. A log of a million clients has a million kinds of them, so they are sorted at
/// the end.
#[derive(Debug, Default)]
pub(super) struct UnpairedCounts {
    kinds: Interner<UnpairedId, Unpaired>,
    counts: Vec<(u64, RunPlace)>,
}

impl UnpairedCounts {
    pub(super) fn add(&mut self, kind: Unpaired, place: RunPlace) {
        let index = self.kinds.intern(kind).index();
        if index == self.counts.len() {
            self.counts.push((0, place));
        }
        self.counts[index].0 += 1;
    }

    pub(super) fn finish(self) -> BTreeMap<Unpaired, (u64, RunPlace)> {
        let mut all: Vec<_> = self.kinds.items.iter().copied().zip(self.counts).collect();
        // Their order, as one number.
        all.sort_unstable_by_key(|(kind, _)| {
            let peer = kind.peer.map_or(0, |peer| u128::from(peer.0) + 1);
            let is_reception = u128::from(kind.direction == Direction::Reception);
            let sender = is_reception << 32 | u128::from(kind.lifeline.0);
            (sender << 32 | u128::from(kind.message.0)) << 33 | peer
        });
        all.into_iter().collect()
    }
}

/// A finding for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The code of the finding.
    pub code: Code,
    /// The severity of the finding.
    pub severity: Severity,
    /// A sentence without a final stop.
    pub message: String,
    /// Advice.
    pub help: Option<String>,
    /// The number of occurrences.
    pub count: u64,
    /// The places of the first occurrences.
    pub places: Vec<RunPlace>,
}

impl Finding {
    /// A finding that has not occurred yet.
    fn new(code: Code, message: String, help: Option<String>) -> Finding {
        Finding { code, severity: code.severity(), message, help, count: 0, places: Vec::new() }
    }

    fn occur(&mut self, place: RunPlace) {
        self.count += 1;
        if self.places.len() < PLACES {
            self.places.push(place);
        }
    }
}

/// The maximum number of places that are kept of a finding.
const PLACES: usize = 3;

/// Collects findings; equal findings are counted.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// The findings of a thread, which are counted where all records come together.
    recorded: Option<Vec<RecordedFinding>>,
    /// The number of records with events of the thread so far.
    pub(super) at: usize,
    found: BTreeMap<(Code, String), Finding>,
    /// By code: further findings, counted together.
    others: BTreeMap<Code, Finding>,
}

/// A finding of a thread.
#[derive(Debug)]
pub(super) struct RecordedFinding {
    /// The number of records with events before it.
    pub(super) at: usize,
    code: Code,
    place: RunPlace,
    message: String,
    help: String,
}

impl Findings {
    /// The findings of a thread.
    pub(super) fn of_part() -> Findings {
        Findings { recorded: Some(Vec::new()), ..Findings::default() }
    }

    pub(super) fn take_recorded(&mut self) -> Vec<RecordedFinding> {
        self.recorded.take().unwrap_or_default()
    }

    /// Adds a finding of a thread.
    pub(super) fn add_recorded(&mut self, finding: RecordedFinding) {
        let RecordedFinding { code, place, message, help, .. } = finding;
        self.add(code, place, message, &help);
    }

    /// Adds an occurrence of a finding. Beyond [`MOST_FINDINGS`], findings of one code are counted
    /// together.
    pub(super) fn add(&mut self, code: Code, place: RunPlace, message: String, help: &str) {
        if let Some(recorded) = &mut self.recorded {
            let (at, help) = (self.at, help.to_owned());
            recorded.push(RecordedFinding { at, code, place, message, help });
            return;
        }
        let key = (code, message);
        if !self.is_full() {
            let new = |(_, message): &(Code, String)| {
                let help = (!help.is_empty()).then(|| help.to_owned());
                Finding::new(code, message.clone(), help)
            };
            self.found.entry(key).or_insert_with_key(new).occur(place);
        } else if let Some(known) = self.found.get_mut(&key) {
            known.occur(place);
        } else {
            self.add_other(code, place);
        }
    }

    /// Whether further findings are counted together.
    pub(super) fn is_full(&self) -> bool {
        self.found.len() >= MOST_FINDINGS
    }

    /// Adds an occurrence of a finding that is counted together with others of its code.
    pub(super) fn add_other(&mut self, code: Code, place: RunPlace) {
        let message = || format!("{}, in other ways", code.title());
        let other = || Finding::new(code, message(), None);
        self.others.entry(code).or_insert_with(other).occur(place);
    }

    /// All findings, the most severe first, then by code, then in the order of the logs.
    pub(super) fn finish(self) -> Vec<Finding> {
        let mut found: Vec<Finding> =
            self.found.into_values().chain(self.others.into_values()).collect();
        found.sort_by(|a, b| {
            let severity = b.severity.cmp(&a.severity);
            severity.then(a.code.cmp(&b.code)).then(a.places.cmp(&b.places))
        });
        found
    }
}

/// The maximum number of distinct findings that are kept.
const MOST_FINDINGS: usize = 1000;
