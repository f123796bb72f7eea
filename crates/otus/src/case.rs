//! The result for one multi-trace, as plain data.
//!
//! Names and places are resolved: a case refers to no term and no text, so a writer needs nothing else, and a case
//! can be dropped once it is written. A case serializes to the result object of `--format json` (`otus schema results`).

pub(crate) mod picture;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

pub use otus_analysis::Verdict;
use serde::{Serialize, Serializer};

use crate::cause::{CAUSES, Cause};
use crate::explanation::Explanation;
use crate::picture::{Picture, PictureFormat, PictureStyle};
use crate::units::counted;
use crate::value::FieldValue;

pub(crate) use picture::{CasePicture, Passage};

/// One multi-trace and its result.
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct Case {
    /// The name of a file without its ending, the id of a case, or the key of a group of logs.
    pub id: String,
    /// The verdict.
    #[serde(serialize_with = "write_verdict")]
    pub verdict: Verdict,
    /// The name of the question; empty if the case was read from results that do not tell it.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub kind: &'static str,
    /// The lifelines that share a log: `discrete`, `trivial`, or a list of groups; empty as above.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub partition: Arc<str>,
    /// The engine: `fast` or `graph`; empty as above.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub engine: &'static str,
    /// The number of states (of the fast engine) or nodes (of a search).
    pub states: u64,
    /// The time that the verdict took.
    #[serde(rename = "micros", serialize_with = "write_micros")]
    pub elapsed: Duration,
    /// The name of the question in the words of `--observed`, if these were used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed: Option<&'static str>,
    /// The limit that ended the analysis, if a better verdict may hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Cow<'static, str>>,
    /// A remark on the verdict: the answer of another tool, or an assumption.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<Cow<'static, str>>,
    /// An execution that explains a Pass or a `WeakPass`, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness: Option<Execution>,
    /// For a witness of a specification with values: those of its variables, and those that no log has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valuation: Option<Valuation>,
    /// For a `WeakPass` with a witness: the unobserved events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<Vec<Missing>>,
    /// For a Fail: how far each log could be explained at most.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub furthest: Vec<Reached>,
    /// For a Fail on raw logs: the first action of each log that could not be explained.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unexplained: Vec<Unexplained>,
    /// For a Fail: the explanation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Box<Explanation>>,
    /// The specification that the case belongs to, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<Arc<str>>,
    /// For a Fail with several specifications: those that were tried.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<Arc<str>>,
    /// For a Fail: whether the baseline lists it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub known: bool,
    /// The status of the case: it depends on which verdicts the request counts as failures.
    #[serde(skip)]
    pub outcome: Outcome,
    /// The number of observed actions.
    #[serde(skip)]
    pub actions: usize,
    /// The file and line it was read from, if there is a single place.
    #[serde(skip)]
    pub origin: Option<String>,
    /// Whether an earlier run decided it, so that only its verdict is known.
    #[serde(skip)]
    pub is_earlier: bool,
    /// Whether the search for a witness failed within its limits.
    #[serde(skip)]
    pub is_witness_missing: bool,
    /// Whether a limit ended the analysis.
    #[serde(skip)]
    pub is_limited: bool,
    /// For a `WeakPass` by declarations: the declarations, as `sub unobserved`.
    #[serde(skip)]
    pub declared: Vec<String>,
    /// The picture of the case, if the request asks for pictures and the case is among the first.
    #[serde(skip)]
    pub(crate) picture: Option<Box<CasePicture>>,
    /// The requested files, such as the graph of the search.
    #[serde(skip)]
    pub attachments: Vec<Attachment>,
}

impl Case {
    pub(crate) fn new(id: &str, verdict: Verdict) -> Case {
        Case { id: id.to_owned(), verdict, ..Case::default() }
    }

    /// Whether the specification allows the observation: a Pass or a `WeakPass`.
    pub fn conforms(&self) -> bool {
        self.verdict >= Verdict::WeakPass
    }

    /// The events of the case as a picture, with the failure marked, if the case was drawn.
    pub fn picture(&self, format: PictureFormat, style: &PictureStyle) -> Option<Picture> {
        let diagram = &self.picture.as_ref()?.diagram;
        let scene = otus_draw::layout::failure::failure(diagram, &picture::LIMITS);
        Some(crate::picture::render_or_svg(&scene, format, style))
    }

    /// The explanation of a failure, if there is one.
    pub fn failure(&self) -> Option<&Explanation> {
        self.explanation.as_deref()
    }

    /// The problem in one line. If there is no problem, the verdict in words.
    pub fn headline(&self) -> String {
        if let Some(explanation) = &self.explanation {
            return explanation.headline.clone();
        }
        match self.verdict {
            Verdict::Pass => "accepted as it is".to_owned(),
            Verdict::WeakPass => match self.missing.as_deref().unwrap_or_default() {
                [] => "accepted if something was not observed".to_owned(),
                missing => format!("accepted if this was not observed: {}", joined(missing, ", ")),
            },
            Verdict::Fail => match self.how_far() {
                Some(how_far) => format!("it cannot have happened; {how_far}"),
                None => "it cannot have happened".to_owned(),
            },
            Verdict::WeakFail => "a bounded search found no explanation".to_owned(),
            Verdict::Inconclusive => match &self.reason {
                Some(reason) => format!("undecided: {reason}"),
                None => "undecided".to_owned(),
            },
        }
    }

    /// The cause of a failure, or the kind of another verdict than Pass.
    pub fn cause(&self) -> Option<&'static Cause> {
        let id = match (&self.explanation, self.verdict) {
            (_, Verdict::Pass) => return None,
            (Some(explanation), _) => explanation.cause,
            (None, Verdict::Fail) => "not-explained",
            (None, Verdict::WeakPass) => "weak-pass",
            (None, Verdict::WeakFail | Verdict::Inconclusive) => "undecided",
        };
        CAUSES.iter().find(|cause| cause.id == id)
    }

    /// For a Fail: how far the logs could be explained, in one line.
    pub fn how_far(&self) -> Option<String> {
        if self.furthest.is_empty() {
            return None;
        }
        if self.furthest.iter().all(|reached| reached.explained >= reached.observed) {
            return Some("every log is explained by itself, but more must follow".to_owned());
        }
        let logs = self.furthest.iter().filter(|reached| reached.observed > 0);
        let logs: Vec<String> = logs
            .map(|Reached { lifelines, explained, observed }| {
                format!("{} {explained} of {observed}", lifelines.join("+"))
            })
            .collect();
        Some(format!("explained at most: {}", logs.join(", ")))
    }
}

/// The explanation of a failure; for any other case, the verdict in one line.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.explanation {
            Some(explanation) => write!(f, "{explanation}"),
            None => write!(f, "{}: {}", self.verdict, self.headline()),
        }
    }
}

/// The status of a case for the caller, by [`Request::fail_on`](crate::Request::fail_on).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Outcome {
    /// The test passed.
    #[default]
    Passed,
    /// The test failed.
    Failed,
    /// The test has no result.
    Undecided,
}

/// An execution: its events in order. Unobserved events are in parentheses, and a question mark follows a value that no log
/// has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Execution {
    /// The events as text: `a!m`, `(b?m)`, `a!m(mid=7, time=1.5?)`.
    pub events: Vec<String>,
}

impl Execution {
    /// The events joined by dots. If there are more than `most`, the middle is left out.
    pub fn shortened(&self, most: usize) -> String {
        let Some(more) = self.events.len().checked_sub(most).filter(|&more| more > 0) else {
            return self.to_string();
        };
        let (first, last) = (most / 2, self.events.len() - most / 2);
        let (first, last) = (self.events[..first].join("."), self.events[last..].join("."));
        format!("{first}. … ({more} more) … .{last}")
    }
}

impl fmt::Display for Execution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.events.join("."))
    }
}

impl Serialize for Execution {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// The values that an execution assumes.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Valuation {
    /// By event of the execution: its position in what is left of the interaction, as in the papers.
    pub positions: Vec<String>,
    /// The values of variables.
    pub variables: Vec<VariableValue>,
    /// The values of guarded fields that no log has.
    pub assumed: Vec<AssumedValue>,
}

/// The value of a variable.
#[derive(Debug, Clone, Serialize)]
pub struct VariableValue {
    /// Its name.
    pub name: String,
    /// Its number: the variable of another iteration of a loop has another one.
    pub number: usize,
    /// Its value. A time is a number of seconds.
    pub value: FieldValue,
}

/// A value that no log has.
#[derive(Debug, Clone, Serialize)]
pub struct AssumedValue {
    /// The number of the event in the execution, from 0.
    pub event: usize,
    /// The action that carries it.
    pub action: String,
    /// The field.
    pub field: String,
    /// The value. A time is a number of seconds.
    pub value: FieldValue,
}

/// Unobserved events of a log.
#[derive(Debug, Clone, Serialize)]
pub struct Missing {
    /// The lifelines of the log.
    pub lifelines: Vec<String>,
    /// The number of events.
    #[serde(rename = "events")]
    pub count: u64,
    /// The first of these events.
    pub first: Vec<String>,
}

pub(crate) fn joined(missing: &[Missing], separator: &str) -> String {
    missing.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
}

/// `2 events of bro (bro?m, bro!m)`
impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let more = if (self.first.len() as u64) < self.count { ", …" } else { "" };
        let count = counted(self.count, "event");
        write!(f, "{count} of {} ({}{more})", self.lifelines.join("+"), self.first.join(", "))
    }
}

/// How far a log could be explained.
#[derive(Debug, Clone, Serialize)]
pub struct Reached {
    /// The lifelines of the log.
    pub lifelines: Vec<String>,
    /// The number of actions that could be explained.
    pub explained: usize,
    /// The number of actions observed.
    pub observed: usize,
}

/// An action of a raw log that could not be explained.
#[derive(Debug, Clone, Serialize)]
pub struct Unexplained {
    /// The action.
    pub action: String,
    /// The log.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

/// A file that belongs to a case.
#[derive(Debug, Clone)]
pub struct Attachment {
    /// The kind of file.
    pub kind: AttachmentKind,
    /// The bytes of the file, or the reason why there are none.
    pub content: Result<Vec<u8>, NoAttachment>,
    /// The file name that the options of the specification give for it, if any.
    pub path: Option<std::path::PathBuf>,
    /// A short description of the content, if it adds information.
    pub remark: Option<String>,
    /// The format of the picture, if it differs from the one that the request asks for.
    pub replaced_by: Option<PictureFormat>,
}

impl Attachment {
    pub(crate) fn new(kind: AttachmentKind, content: Result<Vec<u8>, NoAttachment>) -> Attachment {
        Attachment { kind, content, path: None, remark: None, replaced_by: None }
    }

    /// The file to write: the given name, with another ending if the format differs.
    pub fn file_name(&self, name: &str) -> String {
        crate::picture::file_name(name, self.replaced_by)
    }
}

/// The files that a request can ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttachmentKind {
    /// The graph of a search.
    Graph,
    /// A proof that no execution explains the logs.
    Certificate,
    /// The execution that explains a Pass, as a partial-order trace.
    Order,
}

/// Why an attachment is missing.
#[derive(Debug, Clone)]
pub struct NoAttachment {
    /// The reason.
    pub reason: String,
    /// Whether this is an error, because the file was expected.
    pub is_error: bool,
}

/// A multi-trace that could not be checked.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Unusable {
    /// The name of the multi-trace, if that is known.
    pub id: Option<String>,
    /// The problem, in a line.
    pub message: String,
    /// The place of the problem.
    pub place: Option<Place>,
}

impl Unusable {
    /// The name of the multi-trace, or else the place of the problem.
    pub(crate) fn name(&self) -> Option<String> {
        self.id.clone().or_else(|| self.place.as_ref().map(Place::in_line))
    }
}

/// A place in a file. Lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The name of the file.
    pub file: String,
    /// The line; 0 for the whole file.
    pub line: usize,
    /// The columns; unknown for lines of raw logs, which are marked as a whole.
    #[serde(flatten)]
    pub columns: Option<Columns>,
}

impl Place {
    /// The place without its columns: `app.log:7`.
    pub(crate) fn in_line(&self) -> String {
        if self.line == 0 { self.file.clone() } else { format!("{}:{}", self.file, self.line) }
    }
}

/// `flow.mmd:3:5`, `app.log:7` for a whole line, or `app.log` for a whole file.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        self.columns.map_or(Ok(()), |columns| write!(f, ":{}", columns.start))
    }
}

/// The begin and the end of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Columns {
    /// The first column.
    #[serde(rename = "column")]
    pub start: usize,
    /// The last line.
    pub end_line: usize,
    /// The column after the last one.
    #[serde(rename = "end_column")]
    pub end: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn write_verdict<S: Serializer>(verdict: &Verdict, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(verdict.name())
}

fn write_micros<S: Serializer>(elapsed: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u64(u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX))
}
