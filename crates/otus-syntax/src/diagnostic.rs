//! Diagnostics about the user's text, as data.
//!
//! A diagnostic has a stable [`Code`] that `otus explain` documents, one primary place, optional
//! related places ("first declared here"), and a help text that suggests a correction. Rendering for a
//! terminal or as JSON is not part of this crate.

use crate::code::Code;
use crate::source::{Source, SourceId, Span};

/// The severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Useful information about a correct text.
    Note,
    /// Probably not intended.
    Warning,
    /// The text cannot be used as it is.
    Error,
}

impl Severity {
    /// `note`, `warning` or `error`.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// A place with a remark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The text.
    pub source: SourceId,
    /// The place in the text.
    pub span: Span,
    /// The remark; may be empty for a primary label.
    pub text: String,
}

/// A replacement that corrects the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// The span to replace, in the source of the primary label.
    pub span: Span,
    /// The new text.
    pub replacement: String,
}

/// One finding about the user's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The stable code.
    pub code: Code,
    /// The severity of the finding; that of the code unless it was changed.
    pub severity: Severity,
    /// One sentence without a final stop.
    pub message: String,
    /// The place of the finding.
    pub primary: Label,
    /// Related places.
    pub related: Vec<Label>,
    /// A suggestion how to correct it.
    pub help: Option<String>,
    /// A replacement, if one is certain enough to apply.
    pub fix: Option<Fix>,
}

impl Diagnostic {
    /// A finding with the code's usual severity.
    pub fn new(code: Code, source: SourceId, span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            severity: code.severity(),
            message: message.into(),
            primary: Label { source, span, text: String::new() },
            related: Vec::new(),
            help: None,
            fix: None,
        }
    }

    /// The diagnostic that replaces findings beyond a limit. It has the worst severity among them, so
    /// that an error is never hidden.
    pub fn hidden(count: usize, worst: Severity, source: SourceId, span: Span) -> Self {
        let message = match count {
            1 => "1 more finding is not shown".to_owned(),
            _ => format!("{count} more findings are not shown"),
        };
        let last = Diagnostic::new(Code::TOO_MANY_ERRORS, source, span, message);
        Diagnostic { severity: worst, ..last.with_help("fix the first ones and try again") }
    }

    /// Adds a remark at the primary place.
    #[must_use]
    pub fn with_label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// Adds a related place.
    #[must_use]
    pub fn with_related(mut self, source: SourceId, span: Span, text: impl Into<String>) -> Self {
        self.related.push(Label { source, span, text: text.into() });
        self
    }

    /// Adds a suggestion.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a replacement that corrects the text.
    #[must_use]
    pub fn with_fix(mut self, span: Span, replacement: impl Into<String>) -> Self {
        self.fix = Some(Fix { span, replacement: replacement.into() });
        self
    }

    /// Adds the word that was probably meant, as a suggestion and as a replacement. If there is
    /// none, adds the help `other`.
    #[must_use]
    pub(crate) fn with_nearest(self, meant: Option<impl Into<String>>, other: &str) -> Self {
        let span = self.primary.span;
        let Some(meant) = meant.map(Into::into) else { return self.with_help(other) };
        self.with_help(format!("did you mean `{meant}`?")).with_fix(span, meant)
    }

    /// Whether the text cannot be used as it is.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl Source {
    /// A finding about this text.
    pub fn finding(&self, code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, self.id(), span, message)
    }
}

/// Whether any of the findings makes the text unusable.
pub fn any_error(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}
