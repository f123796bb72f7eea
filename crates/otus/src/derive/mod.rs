//! Multi-traces derived from others: slices, mutants, and the mutation score of a specification.

mod mutate;
mod score;
mod slice;

use std::path::{Path, PathBuf};

use otus_core::{Lowered, Pool};
use otus_syntax::ast::TraceFile;
use otus_syntax::print;
use otus_trace::case::{self, Case, OtherFields};
use otus_trace::{Facts, FieldNames, MultiTrace};
use serde_json::Value;

use crate::context::Context;
use crate::error::{Error, Result, unfit};
use crate::format::Format;
use crate::load::{self, Loaded, Trace, expand};

pub use mutate::{MutantKind, MutateRequest, mutate};
#[doc(hidden)]
pub use otus_trace::transform::Share;
pub use score::{Score, ScoreRequest, score};
pub use slice::{SliceRequest, Sliced, slice};

/// A derived multi-trace: its id, its other fields, and its text.
#[derive(Debug, Clone)]
pub struct Derived {
    /// The id of the multi-trace.
    pub id: String,
    pub(crate) fields: OtherFields,
    pub(crate) tree: TraceFile,
}

impl Derived {
    /// The multi-trace in one line.
    pub fn line(&self) -> String {
        print::trace_line(&self.tree)
    }

    /// The multi-trace as a `.htf`.
    pub fn text(&self) -> String {
        print::trace(&self.tree)
    }

    /// The line of a case file, with the multi-trace in one line.
    pub fn case_line(&self, htf: String) -> String {
        let (id, rest) = (self.id.clone(), self.fields.clone());
        case::write(&Case { id, rest, htf, ..Case::default() })
    }
}

/// Receives multi-traces as they are made.
pub type Take<'t> = &'t mut dyn FnMut(Derived) -> Result<()>;

/// The originals: multi-traces and their specification.
#[derive(Debug, Clone, Default)]
pub struct From {
    /// The specification, if there is one.
    pub spec: Vec<String>,
    /// Files of multi-traces, or folders of them.
    pub files: Vec<String>,
    /// The seed of random choices.
    pub seed: u64,
}

impl From {
    /// The originals, and the meaning of the specification, if one is given.
    fn read(&self, context: &Context) -> Result<(Vec<Trace>, Option<Lowered>)> {
        let is_trace = |path: &Path| Format::of_name(path).is_some_and(Format::is_multi_trace);
        let mut names = self.spec.clone();
        for name in &self.files {
            names.extend(expand(&*context.files, name, is_trace)?);
        }
        if names.is_empty() {
            unfit!("name the multi-traces to start from: .htf or .jsonl files, or `-`");
        }
        let mut loaded = Loaded::read(context, &names, None)?;
        if loaded.specs.len() > 1 {
            unfit!("{} specifications are given; traces are about one", loaded.specs.len());
        }
        let lowered = loaded.lower_with_traces(context)?;
        if loaded.traces.is_empty() {
            let given =
                if loaded.specs.is_empty() { "an empty case file" } else { "a specification" };
            unfit!(
                "there is no multi-trace to start from, only {given}; name .htf or .jsonl files"
            );
        }
        Ok((loaded.traces, lowered))
    }
}

/// Passes multi-traces on until the context is cancelled.
fn until_cancelled<'t>(
    context: &'t Context,
    take: Take<'t>,
) -> impl FnMut(Derived) -> Result<()> + 't {
    move |made| match context.cancel.reason() {
        Some(reason) => Err(Error::Stopped(reason)),
        None => take(made),
    }
}

/// The result of the work. If the caller stopped it, the multi-traces made so far count, and there
/// is no error.
fn stopped_or(made: Result<()>) -> Result<()> {
    if matches!(made, Err(Error::Stopped(_))) { Ok(()) } else { made }
}

/// A description of a change for programs, as keys and values.
type Details = Vec<(&'static str, Value)>;

struct Made<'a> {
    trace: &'a MultiTrace,
    /// The values of its events, if there are any.
    values: Option<(&'a Facts, &'a FieldNames)>,
    pool: &'a Pool,
    origin: &'a str,
    kind: &'static str,
    /// The change in words.
    change: String,
    details: Details,
    seed: Option<u64>,
}

impl Made<'_> {
    /// The derived multi-trace; it is the `number`-th of its kind, from 1.
    fn derived(&self, number: u64) -> Derived {
        Derived { id: self.id(number), fields: self.fields(), tree: self.tree() }
    }

    fn tree(&self) -> TraceFile {
        load::facts::raise(self.trace, self.pool, self.values)
    }

    fn id(&self, number: u64) -> String {
        format!("{}-{}-{number}", self.origin, self.kind)
    }

    fn fields(&self) -> OtherFields {
        let mut fields = OtherFields::default();
        fields.insert("origin", self.origin);
        fields.insert("kind", self.kind);
        fields.insert("change", self.change.as_str());
        fields.extend(self.details.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
        if let Some(seed) = self.seed {
            fields.insert("seed", seed);
        }
        fields
    }
}

/// The remark that some originals have fewer slices or mutants than requested: the reason for the first original,
/// and the number of others.
#[derive(Debug, Default)]
struct TooFew {
    first: Option<String>,
    others: u64,
}

impl TooFew {
    fn add(&mut self, text: impl FnOnce() -> String) {
        match self.first {
            None => self.first = Some(text()),
            Some(_) => self.others += 1,
        }
    }

    fn report(&self, context: &Context) {
        let Some(first) = &self.first else { return };
        context.remark(match self.others {
            0 => first.clone(),
            1 => format!("{first} (1 other multi-trace has too few as well)"),
            others => format!("{first} ({others} other multi-traces have too few as well)"),
        });
    }
}

/// The destination of multi-traces. It limits how many may be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Standard output.
    Stdout,
    /// A file.
    File(PathBuf),
    /// A folder, with one file per multi-trace.
    Folder(PathBuf),
}
