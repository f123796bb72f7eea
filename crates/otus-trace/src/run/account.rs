//! The accounting of a run: what became of every line.
//!
//! `records = matched + ignored + blank + unmatched + incomplete + unreadable`, always; whoever
//! prints a part of it can print the rest. Nothing here depends on what is printed.

use std::collections::BTreeMap;

use otus_core::Direction;
use otus_syntax::{Code, Severity};

use super::shape::{Place, Shape};
use super::vocabulary::Vocabulary;
use crate::mapping::RuleKind;
use crate::read::{Format, Packing};

/// What became of every line of a run.
#[derive(Debug, Default)]
pub struct Accounting {
    /// The files in the order in which they were read.
    pub files: Vec<FileAccount>,
    /// The rules of all sources, in order.
    pub rules: Vec<RuleAccount>,
    /// What became of all records.
    pub total: Tally,
    /// The shapes of unmatched lines, the most frequent first.
    pub shapes: Vec<Shape>,
    /// Unmatched lines of still other shapes.
    pub other_shapes: u64,
    /// By lifeline of the vocabulary: what it did.
    pub lifelines: Vec<LifelineAccount>,
    /// By message of the vocabulary: how often it was sent and received.
    pub messages: Vec<MessageAccount>,
    /// The groups.
    pub groups: GroupAccount,
    /// The pairs of sends and receives.
    pub pairs: PairAccount,
    /// What is wrong or odd, in words, the worst first.
    pub findings: Vec<Finding>,
    /// The names that numbers stand for.
    pub vocabulary: Vocabulary,
}

/// What became of some records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Lines, spans or rows.
    pub records: u64,
    /// Taken by a rule.
    pub matched: u64,
    /// Left out by a rule.
    pub ignored: u64,
    /// Nothing on them.
    pub blank: u64,
    /// Taken by no rule.
    pub unmatched: u64,
    /// Taken by a rule, but without something that it needs.
    pub incomplete: u64,
    /// Not what the format says.
    pub unreadable: u64,
}

impl Tally {
    /// Adds the counts of another one.
    pub fn add(&mut self, other: Tally) {
        self.records += other.records;
        self.matched += other.matched;
        self.ignored += other.ignored;
        self.blank += other.blank;
        self.unmatched += other.unmatched;
        self.incomplete += other.incomplete;
        self.unreadable += other.unreadable;
    }

    /// Whether every record is counted once.
    pub fn adds_up(&self) -> bool {
        let parts = self.matched + self.ignored + self.blank + self.unmatched;
        self.records == parts + self.incomplete + self.unreadable
    }
}

/// What became of a file.
#[derive(Debug, Clone)]
pub struct FileAccount {
    /// What the caller calls it.
    pub name: String,
    /// The number of its source in the plan.
    pub source: usize,
    /// How it is written.
    pub format: Format,
    /// How it was packed.
    pub packing: Packing,
    /// Its length, unpacked.
    pub bytes: u64,
    /// Its lines.
    pub lines: u64,
    /// Its records.
    pub tally: Tally,
    /// Events that came from it.
    pub events: u64,
    /// Lines with bytes that are not UTF-8, which were read as U+FFFD where they are names.
    pub not_utf8: u64,
}

/// What became of a rule.
#[derive(Debug, Clone)]
pub struct RuleAccount {
    /// The number of its source in the plan.
    pub source: usize,
    /// Its name.
    pub name: String,
    /// Where it is described in `otus.toml`.
    pub span: otus_syntax::Span,
    /// Who made it.
    pub kind: RuleKind,
    /// Whether its records are left out.
    pub ignore: bool,
    /// How many records it took.
    pub hits: u64,
    /// The first of them.
    pub first: Option<Place>,
}

/// What a lifeline did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LifelineAccount {
    /// Actions that send.
    pub sends: u64,
    /// Actions that receive.
    pub receives: u64,
    /// Events without an action.
    pub others: u64,
    /// How often others name it as their peer.
    pub named: u64,
    /// Where it first acted.
    pub first: Option<Place>,
}

/// How often a message was sent and received.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MessageAccount {
    /// Sent.
    pub sends: u64,
    /// Received.
    pub receives: u64,
}

/// The groups of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupAccount {
    /// How many there were.
    pub total: u64,
    /// How many a rule or the canonical format closed.
    pub closed: u64,
    /// Whether anything closes groups in this plan.
    pub closable: bool,
    /// The most that were open at once.
    pub most_open: usize,
    /// The most events of one.
    pub largest: usize,
    /// Some of those that never ended.
    pub never_closed: Vec<String>,
    /// Events without a group, in a run where others have one.
    pub ungrouped: u64,
}

/// Sends and receives.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PairAccount {
    /// How many receptions have their emission.
    pub paired: u64,
    /// Emissions that nobody received, and receptions that nobody sent.
    pub unpaired: BTreeMap<Unpaired, (u64, Place)>,
}

impl PairAccount {
    /// How many are unpaired in a direction.
    pub fn unpaired(&self, direction: Direction) -> u64 {
        let those = self.unpaired.iter().filter(|(key, _)| key.direction == direction);
        those.map(|(_, (count, _))| count).sum()
    }
}

/// Messages without a counterpart, in numbers of the vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unpaired {
    /// Sent and not received, or the other way round.
    pub direction: Direction,
    /// On which lifeline.
    pub lifeline: u32,
    /// Which message.
    pub message: u32,
    /// The other side, if it is known.
    pub peer: Option<u32>,
}

/// Something that the user should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its code.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// A sentence without a final stop.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// How often it is so.
    pub count: u64,
    /// Some places.
    pub places: Vec<Place>,
}

/// How many places of a finding are kept.
pub(crate) const PLACES: usize = 3;

/// Findings that repeat, by what they are about.
#[derive(Debug, Default)]
pub(crate) struct Repeated {
    found: BTreeMap<(Code, String), Finding>,
}

impl Repeated {
    /// Notes that something is so once more.
    pub(crate) fn note(&mut self, code: Code, place: Place, message: String, help: &str) {
        if self.found.len() >= MOST_FINDINGS && !self.found.contains_key(&(code, message.clone())) {
            let rest = format!("{}, in other ways", code.title());
            return self.add(code, place, rest, "");
        }
        self.add(code, place, message, help);
    }

    fn add(&mut self, code: Code, place: Place, message: String, help: &str) {
        let finding =
            self.found.entry((code, message)).or_insert_with_key(|(code, message)| Finding {
                code: *code,
                severity: code.severity(),
                message: message.clone(),
                help: (!help.is_empty()).then(|| help.to_owned()),
                count: 0,
                places: Vec::new(),
            });
        finding.count += 1;
        if finding.places.len() < PLACES {
            finding.places.push(place);
        }
    }

    /// All findings, the worst first, then by code, then in the order of the logs.
    pub(crate) fn finish(self) -> Vec<Finding> {
        let mut found: Vec<Finding> = self.found.into_values().collect();
        found.sort_by(|a, b| {
            let severity = b.severity.cmp(&a.severity);
            severity.then(a.code.cmp(&b.code)).then(a.places.cmp(&b.places))
        });
        found
    }
}

/// How many distinct findings are kept.
const MOST_FINDINGS: usize = 1000;
