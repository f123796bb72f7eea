//! Names that nothing declares: one wording for specifications and traces.

use otus_syntax::suggest::did_you_mean;
use otus_syntax::{Code, Diagnostic, SourceId, Span};

use crate::findings::{Draft, Findings, MAX_CANDIDATES, and_elsewhere};
use crate::signature::Signature;

/// What a name stands for.
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

    /// The code for a name of this kind that is not declared.
    pub fn undeclared(self) -> Code {
        match self {
            NameKind::Lifeline => Code::UNDECLARED_LIFELINE,
            NameKind::Message => Code::UNDECLARED_MESSAGE,
        }
    }
}

/// An undeclared name, where it is used first.
#[derive(Debug, Clone, Copy)]
pub struct Unknown<'a> {
    /// What it should stand for.
    pub kind: NameKind,
    /// The name.
    pub name: &'a str,
    /// Which text.
    pub source: SourceId,
    /// Where it is used first.
    pub span: Span,
    /// How often it is used besides.
    pub others: usize,
    /// Whether it stands in a diagram, which declares in its own way.
    pub in_diagram: bool,
}

/// Reports a name that `declared` does not have as that kind.
pub fn report(unknown: Unknown<'_>, declared: &Signature, findings: &mut Findings) {
    let code = unknown.kind.undeclared();
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
        // The other way round or with the message left out: how the parts stand says it all.
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
