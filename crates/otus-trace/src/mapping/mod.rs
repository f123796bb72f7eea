//! The plan of `otus.toml`: how records of logs become actions.
//!
//! A [`Plan`] has *sources* (files of one format), and each source has *rules*. The first rule that
//! matches a record takes it and maps it to actions, to assignments of variables, or to nothing
//! (`ignore`). [`Plan::parse`] reads the text and reports all errors at once, each with its span; a
//! plan without errors can be run on any input.
//!
//! ```toml
//! [[source]]
//! name = "broker"
//! files = ["logs/broker.log"]
//! format = "regex"                  # regex, json, csv, otlp, jaeger, zipkin, shiviz, htf, otus
//! lifeline = "broker"               # a constant, "{field}", or { from = "{field}", map = { x = "y" } }
//! clock = "host1"                   # lifelines of one clock are co-localized; else each has its own
//! order = "line"                    # or "{seq}", "{ts}": the local order, never across clocks
//! time = "{ts}"                     # when it happened; or { from = "ts", unit = "ms" }
//! values = { mid = "{mid}", code = { from = "rc", as = "text" } }  # what it carries, for guards
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
//! unlogged = ["sub*.mid"]           # fields that are never logged there: guards on them are dropped
//! [values]
//! same = ["id"]                     # both ends of every message carry the same of these fields
//! [clocks]
//! uncertainty = "20ms"              # the distance between any two clocks is at most this
//! [pairing]
//! by = "auto"                       # id, fifo, count, none
//! names = "server"                  # whose span names the message of a call: server, client, own
//! links = true                      # traces between which links of spans go are one group
//! deduce = true                     # databases and queues that only spans name get events, too
//! [group]
//! idle = 100000                     # a group is complete after so many records without it
//! ```
//!
//! A name in a template is a capture group of the rule's patterns, or else `file`, `file.name`,
//! `file.stem`, `file.folder` or `line`, or else a field of the record (a dotted JSON path, a
//! column, an attribute). Patterns for fields and patterns for the whole line capture alike.
//!
//! Values of events are kept only for the fields that [`Plan::keep`] names, which are those of the guards of a
//! specification; a run for a specification without guards stores none.

pub(crate) mod finder;
mod glob;
mod keep;
mod parse;
pub(crate) mod pattern;
pub(crate) mod peer;
mod table;
pub(crate) mod template;
mod unlogged;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use otus_core::Direction;
use otus_syntax::{Diagnostic, Source, Span};

use crate::read::{Fields, Format, Options};

use finder::Finder;
pub use glob::Glob;
pub(crate) use keep::{As, TimePlan, ValuePlan, ValueSource};
pub use parse::direction;
use pattern::Pattern;
use template::Template;
pub use unlogged::Unlogged;

/// A plan without errors.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "independent settings")]
pub struct Plan {
    /// The sources, in the order of the file.
    pub sources: Vec<SourcePlan>,
    /// The aliases of lifelines.
    pub lifelines: Aliases,
    /// The aliases of messages.
    pub messages: Aliases,
    /// The assumptions about the completeness of logs.
    pub observation: Observation,
    /// The way in which emissions and receptions are paired.
    pub pairing: Pairing,
    /// Which span names the message of a call.
    pub names: SpanNames,
    /// Whether services that are only named as peers of spans become lifelines with events.
    pub deduce: bool,
    /// Whether traces whose spans are connected by links are one group.
    pub links: bool,
    /// The number of records without an event of a group after which the group ends.
    pub idle: Option<u64>,
    /// The fields that both ends of every message carry alike.
    pub same: Vec<String>,
    /// The greatest distance between two clocks, in nanoseconds, if it is known.
    pub uncertainty: Option<i64>,
    /// The fields whose values are kept, without the time ([`Plan::keep`]).
    pub(crate) kept: Vec<String>,
    /// Whether times are kept.
    pub(crate) keeps_time: bool,
    /// Whether canonical lines keep all their values.
    pub(crate) keeps_all: bool,
    /// Whether somebody named the fields, so that a field without any value is worth telling.
    pub(crate) are_wanted: bool,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            sources: Vec::new(),
            lifelines: Aliases::default(),
            messages: Aliases::default(),
            observation: Observation::default(),
            pairing: Pairing::default(),
            names: SpanNames::default(),
            deduce: true,
            links: true,
            idle: None,
            same: Vec::new(),
            uncertainty: None,
            kept: Vec::new(),
            keeps_time: false,
            keeps_all: false,
            are_wanted: false,
        }
    }
}

impl Plan {
    /// Parses an `otus.toml`. The top-level keys `others` belong to other parts of Otus and are
    /// skipped. There is no plan if a diagnostic is an error.
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

    /// The names of the variables that the rules can set, without those of their lifelines; `None` if a source may set any
    /// variable, as canonical lines do.
    pub fn variables(&self) -> Option<BTreeSet<&str>> {
        let mut names = BTreeSet::new();
        for source in &self.sources {
            if matches!(source.format, Format::Canonical | Format::Htf) {
                return None;
            }
            let assigned = source.rules.iter().flat_map(|rule| &rule.set);
            names.extend(assigned.map(|assign| &*assign.name));
        }
        Some(names)
    }

    /// The plan for a format that needs no rules ([`Format::is_self_describing`]); `None` for text,
    /// JSON and CSV.
    pub fn for_format(format: Format) -> Option<Plan> {
        if !format.is_self_describing() {
            return None;
        }
        let name = format.name();
        let text =
            format!("[[source]]\nname = \"{name}\"\nfiles = [\"**\"]\nformat = \"{name}\"\n");
        Plan::parse(&Source::new(name, text), &[]).0
    }

    /// The index of the source of a file: the first source with a pattern that matches its path.
    /// The path is relative to the folder of `otus.toml` and has `/` between folders.
    pub fn source_of(&self, path: &str) -> Option<usize> {
        self.sources.iter().position(|source| source.files.iter().any(|glob| glob.matches(path)))
    }
}

/// The JSON Schema of the part of `otus.toml` that is about logs.
pub fn schema() -> &'static str {
    include_str!("otus.schema.json")
}

/// The logs of one format and the rules that map them.
#[derive(Debug, Clone)]
pub struct SourcePlan {
    /// The name of the source, or `source 3` if it has none.
    pub name: String,
    /// The span of the source in `otus.toml`.
    pub span: Span,
    /// The patterns of the names of the files.
    pub files: Vec<Glob>,
    /// The format of the files.
    pub format: Format,
    /// Settings of the reader.
    pub options: Options,
    /// The fields that the rules use.
    pub fields: Fields,
    /// The rules for these logs; the first rule that matches a record takes it.
    pub rules: Vec<Rule>,
    /// Rules out most rules for a line.
    pub(crate) finder: Finder,
}

/// A rule that maps records.
#[derive(Debug, Clone, Default)]
pub struct Rule {
    /// The name of the rule, or `rule 3` if it has none.
    pub name: String,
    /// The span of the rule in `otus.toml`.
    pub span: Span,
    pub(crate) conditions: Vec<Condition>,
    /// Whether the records that match the rule are ignored.
    pub ignore: bool,
    pub(crate) lifeline: Option<Mapped>,
    pub(crate) clock: Option<Template>,
    pub(crate) order: Option<Template>,
    pub(crate) time: Option<TimePlan>,
    /// The values of its events, by the names of their fields.
    pub(crate) values: Vec<ValuePlan>,
    /// Those that are kept: the index of the field in [`Plan::kept`].
    pub(crate) kept: Vec<(u32, ValueSource)>,
    pub(crate) group: Option<Template>,
    pub(crate) actions: Vec<ActionPlan>,
    pub(crate) span_actions: Option<SpanActions>,
    pub(crate) label: Option<Template>,
    pub(crate) set: Vec<Assign>,
    pub(crate) closes: bool,
    pub(crate) kind: RuleKind,
    /// Whether the spans of the rule are kept only to find the services of other spans' parents.
    pub(crate) latent: bool,
}

impl Rule {
    fn new(name: String, span: Span, kind: RuleKind) -> Rule {
        Rule { name, span, kind, ..Rule::default() }
    }

    /// The parts of a line that the pattern of the rule names, with their bytes; empty if the rule has no pattern for whole
    /// lines, or it does not match.
    pub fn parts(&self, line: &[u8]) -> Vec<(String, std::ops::Range<usize>)> {
        self.line_pattern().map(|pattern| pattern.parts(line)).unwrap_or_default()
    }

    /// The pattern for the whole line. A rule has at most one.
    fn line_pattern(&self) -> Option<&Pattern> {
        self.conditions.iter().find_map(|condition| match condition {
            Condition::Pattern { slot: None, pattern, .. } => Some(&**pattern),
            Condition::Pattern { slot: Some(_), .. }
            | Condition::OneOf { .. }
            | Condition::Present { .. } => None,
        })
    }
}

/// The origin of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RuleKind {
    /// Written in `otus.toml`.
    #[default]
    Written,
    /// Written in `otus.toml` as an item of `ignore`.
    Ignored,
    /// Added for a self-describing format.
    Format,
}

/// A condition of a rule. A rule takes a record if all its conditions hold.
#[derive(Debug, Clone)]
pub(crate) enum Condition {
    /// The line, or a field, matches a pattern. `index` counts the patterns of the rule.
    Pattern { slot: Option<usize>, pattern: Box<Pattern>, index: usize },
    /// A field has one of these values.
    OneOf { slot: usize, values: Vec<Vec<u8>> },
    /// A field is present, or absent.
    Present { slot: usize, there: bool },
}

impl Condition {
    /// The line matches the only pattern of a rule.
    fn line(pattern: Pattern) -> Condition {
        Condition::Pattern { slot: None, pattern: Box::new(pattern), index: 0 }
    }
}

/// A template whose values are looked up in a table.
#[derive(Debug, Clone)]
pub(crate) struct Mapped {
    pub(crate) template: Template,
    pub(crate) map: Vec<(Vec<u8>, String)>,
}

impl Mapped {
    fn field(slot: usize) -> Mapped {
        Mapped { template: Template::field(slot), map: Vec::new() }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct ActionPlan {
    pub(crate) direction: DirectionPlan,
    pub(crate) message: Template,
    pub(crate) peer: PeerPlan,
    pub(crate) id: Option<Template>,
    pub(crate) lifeline: Option<Mapped>,
}

/// The other side of an action, which depends on its direction.
#[derive(Debug, Clone, Default)]
pub(crate) struct PeerPlan {
    /// To whom an emission goes.
    pub(crate) to: Option<Template>,
    /// From whom a reception comes.
    pub(crate) from: Option<Template>,
}

#[derive(Debug, Clone)]
pub(crate) enum DirectionPlan {
    Fixed(Direction),
    /// The value of a template, with the direction that each value means. If the list is empty, the
    /// usual words are recognized.
    From(Template, Vec<(Vec<u8>, Direction)>),
}

/// The actions of a span: its start and its end.
#[derive(Debug, Clone)]
pub(crate) struct SpanActions {
    pub(crate) message: Template,
    /// The message of the end of a span; `None` if the end is not an action.
    pub(crate) reply: Option<Template>,
    pub(crate) peer: Option<Template>,
    /// The attributes that name the peer if the rule does not.
    pub(crate) peers: Vec<peer::PeerField>,
    /// Whether the rule sets the message. Otherwise it is the name of the span.
    pub(crate) named: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Assign {
    pub(crate) name: String,
    /// Whether the variable is shared by all lifelines.
    pub(crate) shared: bool,
    pub(crate) value: Template,
}

/// Aliases of names.
#[derive(Debug, Clone, Default)]
pub struct Aliases {
    entries: Vec<(Glob, String)>,
}

impl Aliases {
    /// The name for which another name stands: that of the first entry that matches. Entries
    /// without wildcards are tried first.
    pub fn resolve<'n>(&'n self, name: &'n str) -> &'n str {
        let exact = self.entries.iter().find(|(glob, _)| glob.is_plain() && glob.matches(name));
        let found = exact.or_else(|| self.entries.iter().find(|(glob, _)| glob.matches(name)));
        found.map_or(name, |(_, other)| other)
    }

    /// Whether there are no aliases.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// Assumptions about the completeness of the logs of lifelines, and the properties of logs that an
/// analysis should ignore.
#[derive(Debug, Clone, Default)]
pub struct Observation {
    /// The log is complete.
    pub complete: Vec<Glob>,
    /// The end may be missing.
    pub may_stop_early: Vec<Glob>,
    /// The beginning may be missing.
    pub may_start_late: Vec<Glob>,
    /// There is no log.
    pub unobserved: Vec<Glob>,
    /// Logs without any event of the specification are accepted.
    pub allow_empty: Option<bool>,
    /// Messages that the specification does not have are left out.
    pub ignore_unknown_messages: Option<bool>,
    /// The observed order between logs is ignored.
    pub ignore_order: Option<bool>,
    /// The peers that logs name are not compared.
    pub ignore_peers: Option<bool>,
    /// The fields that are never logged on some lifelines.
    pub unlogged: Vec<Unlogged>,
}

/// The completeness of the log of one lifeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LogCompleteness {
    /// The end may be missing.
    pub may_stop_early: bool,
    /// The beginning may be missing.
    pub may_start_late: bool,
    /// There is no log.
    pub unobserved: bool,
}

impl Observation {
    /// The completeness of the log of a lifeline. Exact names take precedence over wildcards, and
    /// `complete` takes precedence over the other assumptions. A log is complete by default.
    pub fn of(&self, lifeline: &str) -> LogCompleteness {
        let fits = |globs: &[Glob], exact: bool| {
            globs.iter().any(|glob| glob.matches(lifeline) && (!exact || glob.is_plain()))
        };
        for exact in [true, false] {
            if fits(&self.complete, exact) {
                return LogCompleteness::default();
            }
            let said = LogCompleteness {
                may_stop_early: fits(&self.may_stop_early, exact),
                may_start_late: fits(&self.may_start_late, exact),
                unobserved: fits(&self.unobserved, exact),
            };
            if said != LogCompleteness::default() {
                return said;
            }
        }
        LogCompleteness::default()
    }

    /// Whether something is assumed about the log of a lifeline.
    pub fn declares(&self, lifeline: &str) -> bool {
        self.lists().iter().any(|globs| globs.iter().any(|glob| glob.matches(lifeline)))
    }

    fn lists(&self) -> [&[Glob]; 4] {
        [&self.complete, &self.may_stop_early, &self.may_start_late, &self.unobserved]
    }

    /// Whether there are no assumptions.
    pub fn is_empty(&self) -> bool {
        self.lists().iter().all(|globs| globs.is_empty())
    }
}

/// The way in which emissions and receptions are paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pairing {
    /// By id if they have one, else first in first out per channel if the peer is known, else by
    /// counting.
    #[default]
    Auto,
    /// By id only.
    Id,
    /// First in, first out per channel, regardless of ids.
    Fifo,
    /// By counting only, which orders events as far as it is certain.
    Count,
    /// Not at all.
    None,
}

/// The span that names the message of a call, if the spans of caller and callee have different
/// names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SpanNames {
    /// The span of the callee, unless only the rule of the caller has a `message`.
    #[default]
    Server,
    /// The span of the caller, unless only the rule of the callee has a `message`.
    Client,
    /// Each side keeps its own name.
    Own,
}
