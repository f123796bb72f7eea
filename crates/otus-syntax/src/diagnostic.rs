//! What is wrong with the user's text, as data.
//!
//! A diagnostic has a stable [`Code`] that `otus explain` documents, one primary place, perhaps
//! related places ("first declared here"), and a help text that says what would be right.
//! How it looks on a terminal or in JSON is the business of the command line.

use crate::code::Code;
use crate::source::{SourceId, Span};

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing is wrong, but the reader should know.
    Note,
    /// Probably not what was meant.
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

/// A place with a word about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Which text.
    pub source: SourceId,
    /// Where in it.
    pub span: Span,
    /// What about it; may be empty for a primary label.
    pub text: String,
}

/// A replacement that would mend the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What to replace, in the source of the primary label.
    pub span: Span,
    /// What to put there.
    pub replacement: String,
}

/// One finding about the user's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The stable code.
    pub code: Code,
    /// How bad it is; the code's own severity unless changed.
    pub severity: Severity,
    /// One sentence in plain words, without a final stop.
    pub message: String,
    /// The place it is about.
    pub primary: Label,
    /// Other places that matter.
    pub related: Vec<Label>,
    /// What to do about it.
    pub help: Option<String>,
    /// A replacement, when one is certain enough to apply.
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

    /// With a word at the primary place.
    #[must_use]
    pub fn with_label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// With a further place.
    #[must_use]
    pub fn with_related(mut self, source: SourceId, span: Span, text: impl Into<String>) -> Self {
        self.related.push(Label { source, span, text: text.into() });
        self
    }

    /// With what to do about it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// With a replacement that mends it.
    #[must_use]
    pub fn with_fix(mut self, span: Span, replacement: impl Into<String>) -> Self {
        self.fix = Some(Fix { span, replacement: replacement.into() });
        self
    }

    /// Whether the text cannot be used as it is.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Whether any of the findings makes the text unusable.
pub fn any_error(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}
