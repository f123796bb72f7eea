//! The diagnostic for undeclared names, shared by specifications and traces.

use otus_syntax::suggest::did_you_mean;
use otus_syntax::{Code, Diagnostic, SourceId, Span};

use crate::findings::{Draft, Findings, MAX_CANDIDATES, and_elsewhere};
use crate::signature::Signature;

/// The kind of object that a name denotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NameKind {
    /// A lifeline.
    Lifeline,
    /// A message.
    Message,
}

impl NameKind {
    /// `lifeline` or `message`; also the keyword of its section.
    pub fn word(self) -> &'static str {
        match self {
            NameKind::Lifeline => "lifeline",
            NameKind::Message => "message",
        }
    }
}

/// An undeclared name at its first use.
#[derive(Debug, Clone, Copy)]
pub struct Unknown<'a> {
    /// The kind of name that the use requires.
    pub kind: NameKind,
    /// The name.
    pub name: &'a str,
    /// The text that uses it.
    pub source: SourceId,
    /// The first use.
    pub span: Span,
    /// The number of other uses.
    pub others: usize,
    /// Whether the text is a diagram, in which names are declared by directives.
    pub in_diagram: bool,
}

/// Reports a name that `declared` does not contain as that kind.
pub fn report(unknown: Unknown<'_>, declared: &Signature, findings: &mut Findings) {
    let code = match unknown.kind {
        NameKind::Lifeline => Code::UNDECLARED_LIFELINE,
        NameKind::Message => Code::UNDECLARED_MESSAGE,
    };
    findings.add(code, unknown.source, unknown.span, |draft| word(unknown, declared, draft));
}

fn word(unknown: Unknown<'_>, declared: &Signature, draft: Draft) -> Diagnostic {
    let Unknown { kind, name, others, in_diagram, .. } = unknown;
    let word = kind.word();
    let label = format!("used here{}", and_elsewhere(others));
    let (other, suggestion) = match kind {
        NameKind::Lifeline => (
            declared.message(name).map(|_| NameKind::Message),
            did_you_mean(name, declared.lifelines().map(|(_, name)| name).take(MAX_CANDIDATES)),
        ),
        NameKind::Message => (
            declared.lifeline(name).map(|_| NameKind::Lifeline),
            did_you_mean(name, declared.messages().map(|(_, name)| name).take(MAX_CANDIDATES)),
        ),
    };
    let declare = if in_diagram {
        format!("declare it with a directive: `otus: {word} {name}`")
    } else {
        format!("declare it in `@{word}{{…}}`")
    };
    if let Some(other) = other {
        let message = format!("`{name}` is declared as a {}, not as a {word}", other.word());
        // The sender and the message may be swapped, or one of them may be missing, so the help
        // shows the order by an example.
        let suggestion = suggestion.map(|text| format!("{text} ")).unwrap_or_default();
        let example = match kind {
            NameKind::Lifeline => format!("`a -- {name} -> b` and `a!{name}`"),
            NameKind::Message => format!("`{name} -- m -> b` and `{name}!m`"),
        };
        let help = format!(
            "{suggestion}As a {other} it stands in {example}; to use it as a {word}, {declare} too",
            other = other.word()
        );
        return draft.message(message).with_label(label).with_help(help);
    }
    let help = match suggestion {
        Some(suggestion) => format!("{suggestion} Otherwise {declare}"),
        None => declare,
    };
    draft.message(format!("the {word} `{name}` is not declared")).with_label(label).with_help(help)
}
