//! The plan of `otus.toml`: how lines of logs become actions.
//!
//! A [`Plan`] has *sources* (which files, in which format) and each source has *rules*. The first
//! rule that fits a record takes it and says what happened: one or several actions, variables that
//! change, or nothing (`ignore`). [`Plan::parse`] reads the text and finds everything that is
//! wrong with it at once, each fault at its place; a plan without errors can be run on any input.
//!
//! ```toml
//! [[source]]
//! name = "broker"
//! files = ["logs/broker.log"]
//! format = "regex"                  # regex, json, csv, otlp, jaeger, zipkin, shiviz, htf, otus
//! lifeline = "broker"               # a constant, "{field}", or { from = "{field}", map = { x = "y" } }
//! clock = "host1"                   # lifelines of one clock are co-localized; else each has its own
//! order = "line"                    # or "{seq}", "{ts}": the local order, never across clocks
//! time = "{ts}"                     # only looked at for clocks that go backwards
//! group = "{peer}"                  # which multi-trace it belongs to
//! ignore = ['^New connection', 'No will message']
//!
//! [[source.rule]]
//! match = '(?<d>Sending|Received) (?<pkt>[A-Z]+) (?:to|from) (?<peer>\S+)'
//! dir = { from = "d", map = { Sending = "!", Received = "?" } }
//! message = "{pkt}"
//! peer = "{peer}"                   # the other side; pairs messages per channel
//! id = "{mid}"                      # pairs messages by id
//!
//! [[source.rule]]
//! where = { level = "info", kind = ["a", "b"], error = false }   # fields: equal, one of, absent
//! match = { msg = 'became (?<role>\w+) at term (?<t>\d+)' }      # patterns of fields
//! emit = ["?CONNECT", { dir = "!", message = "CONNACK", peer = "{peer}" }]
//! set = { role = "{role}", term = "{t}" }     # variables of the lifeline, for CTL
//! share = { leader = "{id}" }                 # variables of all
//! closes = true                               # the group is complete
//!
//! [lifelines]                       # other names of lifelines, `*` allowed
//! "bdae9bbc11dd390d" = "n1"
//! [messages]                        # and of messages
//! "GET /users/*" = "get user"
//! [observation]                     # what a verdict may assume, by lifeline
//! complete = ["broker"]
//! may_stop_early = ["sub*"]
//! [pairing]
//! by = "auto"                       # id, fifo, count, none
//! [group]
//! idle = 100000                     # a group is complete after so many records without it
//! ```
//!
//! The names in templates are the groups of the rule's patterns first, then `file`, `file.name`,
//! `file.stem`, `file.folder` and `line`, then fields of the record (dotted JSON paths, columns,
//! attributes).
//! Captures of a pattern on a field are as good as those of one on the line.

mod glob;
mod parse;
mod table;
pub(crate) mod template;

#[cfg(test)]
mod tests;

use otus_core::Direction;
use otus_syntax::{Diagnostic, Source, Span};
use regex::bytes::Regex;

use crate::read::{Fields, Format, Options};

pub use glob::Glob;
pub(crate) use parse::direction;
pub use template::Template;

/// A plan without errors.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// Where logs are and what they say, in the order of the file.
    pub sources: Vec<SourcePlan>,
    /// Other names of lifelines.
    pub lifelines: Aliases,
    /// Other names of messages.
    pub messages: Aliases,
    /// What may be assumed of the logs.
    pub observation: Observation,
    /// How sends and receives are paired.
    pub pairing: Pairing,
    /// A group ends after so many records without it, if this is said.
    pub idle: Option<u64>,
}

impl Plan {
    /// Reads an `otus.toml`. Top-level keys that are `others` belong to someone else and are passed
    /// over. The plan is there unless something is an error.
    ///
    /// ```
    /// use otus_syntax::Source;
    /// use otus_trace::mapping::Plan;
    ///
    /// let text = "[[source]]\nfiles = ['*.log']\nformat = 'regex'\nlifeline = 'a'\n\
    ///             [[source.rule]]\nmatch = 'sent (?<m>\\w+)'\nemit = ['!{m}']\n";
    /// let (plan, found) = Plan::parse(&Source::new("otus.toml", text), &[]);
    /// assert!(found.is_empty());
    /// assert_eq!(plan.unwrap().sources[0].rules.len(), 1);
    ///
    /// let text = "[[source]]\nfile = 1\nfiles = ['*.jsonl']\nformat = 'otlp'\n";
    /// let (_, found) = Plan::parse(&Source::new("otus.toml", text), &[]);
    /// assert_eq!(found[0].help.as_deref(), Some("did you mean `files`?"));
    /// ```
    pub fn parse(source: &Source, others: &[&str]) -> (Option<Plan>, Vec<Diagnostic>) {
        parse::parse(source, others)
    }

    /// The plan of a format that needs none: spans, vector clocks and our own formats say
    /// themselves what happened. `None` for text, JSON and CSV.
    pub fn for_format(format: Format) -> Option<Plan> {
        if matches!(format, Format::Text | Format::Json | Format::Csv) {
            return None;
        }
        let name = format.name();
        let text =
            format!("[[source]]\nname = \"{name}\"\nfiles = [\"**\"]\nformat = \"{name}\"\n");
        Plan::parse(&Source::new(name, text), &[]).0
    }

    /// The source that a file belongs to: the first of which a pattern fits its path, which is
    /// relative to the folder of `otus.toml` and has `/` between folders.
    pub fn source_of(&self, path: &str) -> Option<usize> {
        self.sources.iter().position(|source| source.files.iter().any(|glob| glob.matches(path)))
    }
}

/// The JSON Schema of `otus.toml`, as far as logs are concerned.
pub fn schema() -> &'static str {
    include_str!("otus.schema.json")
}

/// Some logs.
#[derive(Debug, Clone)]
pub struct SourcePlan {
    /// What to call it.
    pub name: String,
    /// Where it is described.
    pub span: Span,
    /// Which files.
    pub files: Vec<Glob>,
    /// How they are written.
    pub format: Format,
    /// Settings of the reader.
    pub options: Options,
    /// The fields that its rules want.
    pub fields: Fields,
    /// The first that fits a record takes it.
    pub rules: Vec<Rule>,
}

/// What to do with a record.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Its name, or `rule 3`.
    pub name: String,
    /// Where it is described.
    pub span: Span,
    pub(crate) conditions: Vec<Condition>,
    /// Whether records are left out.
    pub ignore: bool,
    pub(crate) lifeline: Option<Mapped>,
    pub(crate) clock: Option<Template>,
    pub(crate) order: Option<Template>,
    pub(crate) time: Option<Template>,
    pub(crate) group: Option<Template>,
    pub(crate) actions: Vec<ActionPlan>,
    pub(crate) span_actions: Option<SpanActions>,
    pub(crate) label: Option<Template>,
    pub(crate) set: Vec<Assign>,
    pub(crate) closes: bool,
    pub(crate) kind: RuleKind,
}

/// Who made a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleKind {
    /// The user.
    Written,
    /// The user, as an item of `ignore`.
    Ignored,
    /// The format: spans, vector clocks, our own files.
    Format,
}

/// A rule takes a record if all its conditions hold.
#[derive(Debug, Clone)]
pub(crate) enum Condition {
    /// The line, or a field, fits a pattern.
    Pattern { slot: Option<usize>, regex: Regex, index: usize },
    /// A field is one of these.
    OneOf { slot: usize, values: Vec<Vec<u8>> },
    /// A field is there, or not.
    Present { slot: usize, there: bool },
}

/// A template whose values are looked up in a table.
#[derive(Debug, Clone)]
pub(crate) struct Mapped {
    pub(crate) template: Template,
    pub(crate) map: Vec<(Vec<u8>, String)>,
}

/// An action of a rule.
#[derive(Debug, Clone)]
pub(crate) struct ActionPlan {
    pub(crate) direction: DirectionPlan,
    pub(crate) message: Template,
    pub(crate) peer: Option<Template>,
    pub(crate) id: Option<Template>,
    pub(crate) lifeline: Option<Mapped>,
}

/// Whether something is sent or received.
#[derive(Debug, Clone)]
pub(crate) enum DirectionPlan {
    Fixed(Direction),
    /// By a field, and what its values mean.
    From(Template, Vec<(Vec<u8>, Direction)>),
}

/// The actions of a span: its start and its end.
#[derive(Debug, Clone)]
pub(crate) struct SpanActions {
    pub(crate) message: Template,
    /// None if ends say nothing.
    pub(crate) reply: Option<Template>,
    pub(crate) peer: Option<Template>,
}

/// A variable that a record changes.
#[derive(Debug, Clone)]
pub(crate) struct Assign {
    pub(crate) name: String,
    /// Whether it is one of all lifelines.
    pub(crate) shared: bool,
    pub(crate) value: Template,
}

/// Other names.
#[derive(Debug, Clone, Default)]
pub struct Aliases {
    entries: Vec<(Glob, String)>,
}

impl Aliases {
    /// The name that is meant by one: that of the first entry that fits, exact ones first.
    pub fn resolve<'n>(&'n self, name: &'n str) -> &'n str {
        let exact = self.entries.iter().find(|(glob, _)| glob.is_plain() && glob.matches(name));
        let found = exact.or_else(|| self.entries.iter().find(|(glob, _)| glob.matches(name)));
        found.map_or(name, |(_, other)| other)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// What may be assumed of the logs of a lifeline.
#[derive(Debug, Clone, Default)]
pub struct Observation {
    /// All that happened is there.
    pub complete: Vec<Glob>,
    /// The end may be missing.
    pub may_stop_early: Vec<Glob>,
    /// The beginning may be missing.
    pub may_start_late: Vec<Glob>,
    /// There is no log.
    pub unobserved: Vec<Glob>,
}

/// How much of what happened on a lifeline is in its log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Observed {
    /// The end may be missing.
    pub may_stop_early: bool,
    /// The beginning may be missing.
    pub may_start_late: bool,
    /// Nothing is there.
    pub unobserved: bool,
}

impl Observation {
    /// What is said about a lifeline; nothing is if it may miss nothing. An exact name counts
    /// more than one with wildcards, and among equals `complete` counts most.
    pub fn of(&self, lifeline: &str) -> Observed {
        let fits = |globs: &[Glob], exact: bool| {
            globs.iter().any(|glob| glob.matches(lifeline) && (!exact || glob.is_plain()))
        };
        for exact in [true, false] {
            if fits(&self.complete, exact) {
                return Observed::default();
            }
            let said = Observed {
                may_stop_early: fits(&self.may_stop_early, exact),
                may_start_late: fits(&self.may_start_late, exact),
                unobserved: fits(&self.unobserved, exact),
            };
            if said != Observed::default() {
                return said;
            }
        }
        Observed::default()
    }

    /// Whether nothing is said at all.
    pub fn is_empty(&self) -> bool {
        [&self.complete, &self.may_stop_early, &self.may_start_late, &self.unobserved]
            .iter()
            .all(|globs| globs.is_empty())
    }
}

/// How sends and receives are paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pairing {
    /// By id if they have one, else first in first out per channel if it is known, else by
    /// counting.
    #[default]
    Auto,
    /// By id only.
    Id,
    /// First in, first out per channel, whatever ids say.
    Fifo,
    /// By counting only, which claims no more than is certain.
    Count,
    /// Not at all.
    None,
}
