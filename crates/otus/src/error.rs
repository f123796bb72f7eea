//! Why something cannot be checked.
//!
//! A run that does not conform is no error but an [`Outcome`](crate::Outcome). Errors are texts that
//! mean nothing, files that cannot be read, and options that contradict each other.

use std::path::PathBuf;

use otus_syntax::diagnostic::any_error;
use otus_syntax::{Diagnostic, Severity, Source};

use crate::render;

/// Why something cannot be checked.
///
/// Its text says what is wrong and what to do, with the lines it is about:
///
/// ```
/// let text = "sequenceDiagram\n  A->>B: hello\n  lop\n";
/// let error = otus::Spec::parse("flow.mmd", text).unwrap_err();
/// assert!(error.to_string().contains("--> flow.mmd:3:3"));
/// assert_eq!(error.findings()[0].line, 3);
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A text is wrong: a diagram, an interaction, a formula, an `otus.toml`.
    #[error("{rendered}")]
    Text {
        /// What is wrong with it.
        findings: Vec<Finding>,
        /// The same with the lines they are about.
        rendered: String,
    },
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The name of a specification does not say what it is.
    #[error(
        "cannot tell what {0} is: names of specifications end in .mmd, .puml, .md, .hif or .hsf"
    )]
    UnknownFormat(String),
    /// There is no `otus.toml`, or it does not say what is needed.
    #[error("{0}")]
    Project(String),
    /// What is recorded or asked does not fit the specification.
    #[error("{0}")]
    Unfit(String),
    /// Events of an order happened before each other, or assign a variable both at once.
    #[error("{0}")]
    Order(String),
    /// A mistake of Otus.
    #[error("a bug in Otus: {0}; please report it")]
    Bug(String),
}

impl Error {
    /// What is wrong with a text; nothing if the error is about something else.
    pub fn findings(&self) -> &[Finding] {
        match self {
            Error::Text { findings, .. } => findings,
            Error::Read { .. }
            | Error::UnknownFormat(_)
            | Error::Project(_)
            | Error::Unfit(_)
            | Error::Order(_)
            | Error::Bug(_) => &[],
        }
    }

    /// An error if one of the findings is; else those that are worth telling, as text.
    pub(crate) fn unless_usable(
        sources: &[Source],
        diagnostics: &[Diagnostic],
    ) -> Result<String, Error> {
        let told = diagnostics.iter().filter(|found| found.severity > Severity::Note);
        let rendered = render::diagnostics(sources, told);
        if !any_error(diagnostics) {
            return Ok(rendered);
        }
        let findings = diagnostics.iter().map(|found| Finding::new(sources, found)).collect();
        Err(Error::Text { findings, rendered })
    }
}

/// Something that is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// Its code, like `O0301`; `otus explain O0301` tells more.
    pub code: String,
    /// Whether the text cannot be used because of it.
    pub is_error: bool,
    /// What is wrong.
    pub message: String,
    /// The name of the text.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// What to do about it.
    pub help: Option<String>,
}

impl Finding {
    fn new(sources: &[Source], found: &Diagnostic) -> Finding {
        let source = sources.get(found.primary.source.0 as usize);
        let place = source.map(|source| source.line_column(found.primary.span.start));
        let (line, column) = place.unwrap_or((1, 1));
        Finding {
            code: found.code.to_string(),
            is_error: found.is_error(),
            message: found.message.clone(),
            file: source.map_or_else(String::new, |source| source.name().to_owned()),
            line,
            column,
            help: found.help.clone(),
        }
    }
}
