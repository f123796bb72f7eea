//! What a check found.

use std::fmt;
use std::ops::Range;

use crate::render;

/// The answer of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// What was observed cannot have happened.
    Fail,
    /// A limit was reached before the answer was known.
    Undecided,
    /// It can have happened if some of it was not observed, as was said to be possible.
    WeakPass,
    /// It is accepted as it is.
    Pass,
}

impl Verdict {
    pub(crate) fn of(verdict: otus_analysis::Verdict) -> Verdict {
        match verdict {
            otus_analysis::Verdict::Fail => Verdict::Fail,
            // Only the searches of the papers are bounded in this way.
            otus_analysis::Verdict::WeakFail | otus_analysis::Verdict::Inconclusive => {
                Verdict::Undecided
            }
            otus_analysis::Verdict::WeakPass => Verdict::WeakPass,
            otus_analysis::Verdict::Pass => Verdict::Pass,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Fail => "Fail",
            Verdict::Undecided => "Undecided",
            Verdict::WeakPass => "WeakPass",
            Verdict::Pass => "Pass",
        })
    }
}

/// What a check found. Its text is the explanation.
///
/// ```
/// let spec = otus::Spec::parse(
///     "flow.mmd",
///     "sequenceDiagram\n  client->>server: get\n  server-->>client: page\n",
/// )?;
/// let mut run = otus::Run::new();
/// run.log("client").sent("get").received("page");
/// run.log("server").received("get");
///
/// let outcome = spec.check(&run)?;
/// assert!(!outcome.conforms());
/// let failure = outcome.failure().unwrap();
/// assert_eq!(failure.headline, "client received page but server never sent it");
/// assert_eq!(failure.repair, ["insert server!page at the end"]);
/// assert_eq!(failure.expected[0].place.to_string(), "flow.mmd:3:3");
/// assert!(outcome.to_string().starts_with("error[missing-counterpart]: client received page"));
/// # Ok::<(), otus::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Outcome {
    pub(crate) verdict: Verdict,
    pub(crate) events: usize,
    pub(crate) failure: Option<Box<Failure>>,
    pub(crate) assumed: Vec<String>,
    pub(crate) reason: Option<&'static str>,
}

impl Outcome {
    /// The answer.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Whether what was observed can have happened: a Pass or a weak one.
    pub fn conforms(&self) -> bool {
        self.verdict >= Verdict::WeakPass
    }

    /// Why not, if it is a Fail.
    pub fn failure(&self) -> Option<&Failure> {
        self.failure.as_deref()
    }

    /// Of a `WeakPass`: what was assumed to have happened without being observed, as `server!page`. Empty
    /// if that was too much to find out.
    pub fn assumed(&self) -> &[String] {
        &self.assumed
    }

    /// How many events were checked.
    pub fn events(&self) -> usize {
        self.events
    }
}

/// The explanation of a failure; else the verdict in a line.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(failure) = &self.failure {
            return write!(f, "{failure}");
        }
        write!(f, "{}", self.verdict)?;
        if let Some(reason) = self.reason {
            write!(f, ": {reason}")?;
        }
        if !self.assumed.is_empty() {
            write!(f, " if this was not observed: {}", self.assumed.join(", "))?;
        }
        Ok(())
    }
}

/// Why something cannot have happened. Its text has all of it, with the lines of the specification.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failure {
    /// Which kind of fault, like `too-early` or `missing-counterpart`; `docs/reports.md` lists them.
    pub cause: &'static str,
    /// What is wrong, in a sentence.
    pub headline: String,
    /// What would have been right, and where the specification has it; three places at most.
    pub expected: Vec<Expected>,
    /// What was observed instead, like `client!get`.
    pub observed: Option<String>,
    /// Where that was recorded, or which line of a log it was.
    pub observed_at: Option<Place>,
    /// Edits of the logs after which it would pass, one after the other; empty if none was found.
    pub repair: Vec<String>,
    /// The lifelines that fail together, whatever the others did.
    pub core: Vec<String>,
    /// The rest of the text: what it is about, and what is said.
    pub(crate) notes: Vec<(&'static str, String)>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&render::failure(self))
    }
}

/// What would have been right.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Expected {
    /// What, like `server!page`.
    pub action: String,
    /// Where the specification has it.
    pub place: Place,
    /// That line, and which bytes of it are meant.
    pub(crate) text: String,
    pub(crate) span: Range<usize>,
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The name of the file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1 and in characters, if it matters.
    pub column: Option<usize>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        self.column.map_or(Ok(()), |column| write!(f, ":{column}"))
    }
}
