//! The account of mapped logs as plain data. It serializes to the document of `otus map --format json`.
//!
//! `records = matched + ignored + blank + unmatched + incomplete + unreadable`, for each log and for all of them.

use otus_core::Direction;
use otus_trace::run::{self, Accounting, Tally, ValueAccount};
use serde::Serialize;

use super::{Groups, LogFinding, Mapping, Specification, UnknownName};
use crate::case::Place;
use crate::logs::{findings, unknown_names};
use crate::summary::Status;
use crate::units::counted;

/// The account of mapped logs.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct LogMap {
    version: u32,
    /// The name of the `otus.toml`, if there is one.
    pub config: Option<String>,
    /// The logs, in the order in which they were read.
    pub logs: Vec<MappedLog>,
    /// The records of all logs.
    pub records: LineCounts,
    /// The number of actions in the groups that the request selects.
    pub actions: usize,
    /// The rules of all sources.
    pub rules: Vec<MappedRule>,
    /// The unmatched records.
    pub unmatched: UnmatchedLines,
    /// The lifelines.
    pub lifelines: Vec<MappedLifeline>,
    /// The messages.
    pub messages: Vec<MappedMessage>,
    /// The fields whose values are kept, if any: those that guards of the specification name, or else those that rules
    /// list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<MappedField>,
    /// The groups.
    pub groups: MappedGroups,
    /// Emissions and their receptions.
    pub pairs: MappedPairs,
    /// The logs compared with a specification, if one is known.
    pub specification: Option<Comparison>,
    /// All findings, the most severe first.
    pub findings: Vec<LogFinding>,
    /// Whether the request names one group. Everything except actions and groups is about all groups, because the
    /// group of a line is known only after it has been read and counted.
    #[serde(skip)]
    pub is_group_chosen: bool,
}

/// One log.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct MappedLog {
    /// The name of the file.
    pub file: String,
    /// The name of the source of the log in `otus.toml`.
    pub source: Option<String>,
    /// The format it is read as.
    pub format: &'static str,
    /// The length of the log in bytes, unpacked.
    pub bytes: u64,
    /// The number of lines of the log.
    pub lines: u64,
    /// The records of the log.
    pub records: LineCounts,
    /// The number of events that came from it.
    pub events: u64,
}

/// The outcomes of records. A record is a line, a row or a span.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LineCounts {
    /// The number of all records.
    pub all: u64,
    /// The number of records that a rule matched.
    pub matched: u64,
    /// The number of records that a rule ignored.
    pub ignored: u64,
    /// The number of records without content.
    pub blank: u64,
    /// The number of records that no rule matched.
    pub unmatched: u64,
    /// The number of records that a rule matched, but that lack a value that the rule needs.
    pub incomplete: u64,
    /// The number of records that are not in the format of their log.
    pub unreadable: u64,
}

/// One rule of a source.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct MappedRule {
    /// The name of the source of the rule.
    pub source: String,
    /// The name of the rule.
    pub rule: String,
    /// Whether the rule ignores the records that it matches.
    pub ignore: bool,
    /// The number of records it matched.
    pub hits: u64,
    /// The first record that the rule matched.
    pub first: Option<Place>,
    /// The place of the rule in `otus.toml`; `None` for a rule of a built-in format.
    #[serde(skip)]
    pub place: Option<Place>,
}

/// The unmatched records.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct UnmatchedLines {
    /// The shapes of the records, the most frequent first.
    pub shapes: Vec<LineShape>,
    /// The number of different shapes.
    pub distinct: usize,
    /// The number of records with further shapes, which are not kept because there are too many.
    pub others: u64,
}

/// Lines that differ only in numbers, names and the like.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct LineShape {
    /// The common part.
    pub shape: String,
    /// The number of such lines.
    pub count: u64,
    /// The first of these lines.
    pub first: Place,
    /// The text of the first line.
    pub example: String,
}

/// One lifeline.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct MappedLifeline {
    /// The name of the lifeline.
    pub lifeline: String,
    /// The number of emissions by the lifeline.
    pub sends: u64,
    /// The number of receptions by the lifeline.
    pub receives: u64,
    /// The number of other events of the lifeline.
    pub others: u64,
    /// The number of times that others name it as their peer.
    pub named: u64,
    /// The first event of the lifeline.
    pub first: Option<Place>,
}

/// One message.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct MappedMessage {
    /// The name of the message.
    pub message: String,
    /// The number of emissions of the message.
    pub sent: u64,
    /// The number of receptions of the message.
    pub received: u64,
}

/// One field of events.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct MappedField {
    /// The name of the field.
    pub field: String,
    /// The number of events with a value of the field.
    pub known: u64,
    /// The number of events without one.
    pub unknown: u64,
    /// The number of records whose value of the field cannot be used.
    pub unusable: u64,
}

/// The groups.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct MappedGroups {
    /// The number of requested groups.
    pub total: usize,
    /// The number of groups that a rule closed.
    pub closed: u64,
    /// Whether any rule closes groups.
    pub closable: bool,
    /// The number of events of the largest group.
    pub largest: usize,
    /// The number of events without a group, if other events have a group.
    pub ungrouped: u64,
    /// The first groups.
    pub first: Vec<FirstGroup>,
    /// The number of all groups, requested or not.
    #[serde(skip)]
    pub all: u64,
}

/// One of the first groups.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct FirstGroup {
    /// The name of the group.
    pub group: String,
    /// The number of events of the group.
    pub events: usize,
    /// Whether a rule closed it.
    pub closed: bool,
}

/// Emissions and their receptions.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct MappedPairs {
    /// The number of receptions whose emission is known.
    pub paired: u64,
    /// The actions without their counterpart.
    pub unpaired: Vec<UnpairedAction>,
}

/// Equal actions without their counterpart.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct UnpairedAction {
    /// The action, as `client!request`.
    pub action: String,
    /// The peer, if the logs name it.
    pub peer: Option<String>,
    /// The number of occurrences.
    pub count: u64,
    /// The first occurrence.
    pub first: Place,
    /// Whether the action is an emission.
    #[serde(skip)]
    pub is_emission: bool,
    /// The first place, in the order in which logs were read.
    #[serde(skip)]
    pub(super) order: run::RunPlace,
}

/// Logs compared with a specification.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// The files of the specification.
    pub name: String,
    /// The names that only the logs have.
    pub only_in_logs: Names<UnknownName>,
    /// The names that only the specification has.
    pub only_in_specification: Names<String>,
    /// The lifelines among these that `otus.toml` declares as unobserved.
    #[serde(skip)]
    pub unobserved: Vec<String>,
}

/// Names that only the logs have, or only the specification has.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Names<T> {
    /// Lifelines.
    pub lifelines: Vec<T>,
    /// Messages.
    pub messages: Vec<T>,
}

impl MappedField {
    fn new(account: &ValueAccount) -> MappedField {
        let ValueAccount { name, known, unknown, unusable } = account;
        MappedField { field: name.clone(), known: *known, unknown: *unknown, unusable: *unusable }
    }
}

impl LogMap {
    pub(super) fn new(mapping: &Mapping, accounting: &Accounting, groups: Groups) -> LogMap {
        let place = |place: run::RunPlace| findings::place(accounting, place);
        let source =
            |number: usize| mapping.logs.plan.sources.get(number).map(|source| source.name.clone());
        let names = &accounting.vocabulary;
        let project = mapping.finder.project();
        let logs = accounting.files.iter().map(|file| MappedLog {
            file: file.name.clone(),
            source: source(file.source),
            format: file.format.name(),
            bytes: file.bytes,
            lines: file.lines,
            records: counts(file.tally),
            events: file.events,
        });
        let rules = accounting.rules.iter().map(|rule| {
            // Sources after those of the file were added for built-in formats.
            let project = project.filter(|it| rule.source < it.plan.sources.len());
            MappedRule {
                source: source(rule.source).unwrap_or_default(),
                rule: rule.name.clone(),
                ignore: rule.ignore,
                hits: rule.hits,
                first: rule.first.map(place),
                place: project.map(|project| Place {
                    file: project.name.clone(),
                    line: project.source.line_column(rule.span.start).0,
                    columns: None,
                }),
            }
        });
        let shapes = accounting.shapes.iter().map(|shape| LineShape {
            shape: shape.text.clone(),
            count: shape.count,
            first: place(shape.first),
            example: shape.example.clone(),
        });
        let lifelines = names.lifeline_names().zip(&accounting.lifelines);
        let lifelines = lifelines.map(|(name, account)| MappedLifeline {
            lifeline: name.to_owned(),
            sends: account.sends,
            receives: account.receives,
            others: account.others,
            named: account.named,
            first: account.first.map(place),
        });
        let messages = names.message_names().zip(&accounting.messages);
        let messages = messages.map(|(name, account)| MappedMessage {
            message: name.to_owned(),
            sent: account.sends,
            received: account.receives,
        });
        let unpaired = accounting.pairs.unpaired.iter().map(|(key, &(count, first))| {
            let sign = key.direction.symbol();
            let (lifeline, message) = (names.lifeline(key.lifeline), names.message(key.message));
            UnpairedAction {
                action: format!("{lifeline}{sign}{message}"),
                peer: key.peer.map(|peer| names.lifeline(peer).to_owned()),
                count,
                first: place(first),
                is_emission: key.direction == Direction::Emission,
                order: first,
            }
        });
        let account = &accounting.groups;
        let mut map = LogMap {
            version: 1,
            config: project.map(|project| project.name.clone()),
            logs: logs.collect(),
            records: counts(accounting.total),
            actions: groups.actions,
            rules: rules.collect(),
            unmatched: UnmatchedLines {
                shapes: shapes.collect(),
                distinct: accounting.shapes.len(),
                others: accounting.other_shapes,
            },
            lifelines: lifelines.collect(),
            messages: messages.collect(),
            values: accounting.values.iter().map(MappedField::new).collect(),
            groups: MappedGroups {
                total: groups.total,
                closed: account.closed,
                closable: account.closable,
                largest: account.largest,
                ungrouped: account.ungrouped,
                first: groups.first,
                all: account.total,
            },
            pairs: MappedPairs { paired: accounting.pairs.paired, unpaired: unpaired.collect() },
            specification: None,
            findings: findings::all(accounting),
            is_group_chosen: mapping.logs.only.is_some(),
        };
        let specification = mapping.specification.as_ref();
        map.specification = specification.map(|it| map.compare(mapping, accounting, it));
        map
    }

    fn compare(
        &self,
        mapping: &Mapping,
        accounting: &Accounting,
        specification: &Specification,
    ) -> Comparison {
        let Specification { name, signature } = specification;
        let acts = |name: &str| self.lifelines.iter().any(|it| it.lifeline == name && it.acts());
        let other_names = accounting.other_names.iter();
        let other_names: Vec<&str> =
            other_names.map(|(_, name)| accounting.vocabulary.message(*name)).collect();
        let occurs = |name: &str| {
            other_names.contains(&name)
                || self.messages.iter().any(|it| it.message == name && it.occurs())
        };
        let lifelines = signature.lifelines().map(|(_, name)| name).filter(|name| !acts(name));
        let messages = signature.messages().map(|(_, name)| name).filter(|name| !occurs(name));
        let lifelines: Vec<String> = lifelines.map(str::to_owned).collect();
        let is_unobserved = |name: &&String| mapping.logs.plan.observation.of(name).unobserved;
        Comparison {
            name: name.clone(),
            only_in_logs: Names {
                lifelines: unknown_names::lifelines(accounting, signature),
                messages: unknown_names::messages(accounting, signature),
            },
            unobserved: lifelines.iter().filter(is_unobserved).cloned().collect(),
            only_in_specification: Names {
                lifelines,
                messages: messages.map(str::to_owned).collect(),
            },
        }
    }

    /// The status of a run: unusable if a log cannot be read; with `is_strict`, failed if a record is unmatched or
    /// there is no action.
    pub fn status(&self, is_strict: bool) -> Status {
        if self.findings.iter().any(|finding| finding.severity == "error") {
            Status::Unusable
        } else if is_strict && (self.records.left_over() > 0 || self.actions == 0) {
            Status::Failed
        } else {
            Status::Passed
        }
    }

    /// `mapped 2 logs, 8 lines (7 matched, …): 7 actions, 2 groups`.
    pub fn summary(&self) -> String {
        let records = self.records;
        let mut parts = vec![
            format!("{} matched", records.matched),
            format!("{} ignored", records.ignored),
            format!("{} blank", records.blank),
            format!("{} unmatched", records.unmatched),
        ];
        for (count, name) in
            [(records.incomplete, "incomplete"), (records.unreadable, "unreadable")]
        {
            if count > 0 {
                parts.push(format!("{count} {name}"));
            }
        }
        format!(
            "mapped {}, {} ({}): {}, {}",
            counted(self.logs.len(), "log"),
            counted(records.all, "line"),
            parts.join(", "),
            counted(self.actions, "action"),
            counted(self.groups.total, "group"),
        )
    }

    /// The account as one JSON document, with at most `limit` shapes of unmatched lines.
    pub fn json(&self, limit: usize) -> String {
        let mut map = self.clone();
        map.unmatched.shapes.truncate(limit);
        // Strings and numbers always serialize.
        let text = serde_json::to_string_pretty(&map).unwrap_or_default();
        text + "\n"
    }
}

impl LineCounts {
    /// The number of records that are neither matched, ignored nor blank.
    pub fn left_over(&self) -> u64 {
        self.unmatched + self.incomplete + self.unreadable
    }
}

fn counts(tally: Tally) -> LineCounts {
    let Tally { records, matched, ignored, blank, unmatched, incomplete, unreadable } = tally;
    LineCounts { all: records, matched, ignored, blank, unmatched, incomplete, unreadable }
}

impl MappedLifeline {
    pub(super) fn acts(&self) -> bool {
        self.sends + self.receives + self.others > 0
    }
}

impl MappedMessage {
    pub(super) fn occurs(&self) -> bool {
        self.sent + self.received > 0
    }
}
