//! The faults that lowering finds, and their diagnostics.
//!
//! Faults are found in the order of the traversal and shown in the order of the text. They are stored
//! in compact form until they are sorted, and only those that are shown are rendered.

use otus_syntax::ast::SpecFile;
use otus_syntax::name::Name;
use otus_syntax::{Code, Diagnostic, Span};

use crate::findings::{Findings, and_elsewhere};
use crate::lower::names::Resolved;
use crate::unknown::{self, NameKind, Unknown};

/// A fault, without its place.
#[derive(Debug, Clone, Copy)]
pub(super) enum Problem {
    Undeclared {
        kind: NameKind,
        name: Name,
        others: usize,
    },
    Duplicate {
        kind: NameKind,
        name: Name,
        first_file: usize,
        first: Span,
    },
    NoSignature {
        names: usize,
    },
    SeveralInteractions {
        first: usize,
        first_span: Span,
    },
    /// A name is repeated in a region. If `received` gives a message and whether it is synchronous,
    /// the name is repeated among the receivers of that message.
    Repeated {
        name: Name,
        first: Span,
        received: Option<(Name, bool)>,
    },
    SynchronousSelf {
        name: Name,
        origin: Span,
    },
    HeadFirst {
        others: usize,
    },
    UnboundVariable {
        name: Name,
    },
    VariableTwice {
        name: Name,
        first: Span,
    },
    /// An atom names a lifeline that is no end of its passing.
    NotAnEnd {
        name: Name,
    },
    /// A time is compared with a number that has no unit.
    TimeWithoutUnit,
    /// A time is compared with a constant.
    TimeWithConstant,
}

#[derive(Debug, Default)]
pub(super) struct Problems {
    /// The index of the file, the span and the fault.
    all: Vec<(usize, Span, Problem)>,
}

impl Problems {
    pub(super) fn add(&mut self, file: usize, span: Span, problem: Problem) {
        self.all.push((file, span, problem));
    }

    pub(super) fn render(mut self, files: &[&SpecFile], resolved: &Resolved) -> Vec<Diagnostic> {
        self.all.sort_by_key(|&(file, span, _)| (file, span));
        let mut findings = Findings::default();
        for (file, span, problem) in self.all {
            render(files, resolved, file, span, problem, &mut findings);
        }
        findings.finish()
    }
}

fn render(
    files: &[&SpecFile],
    resolved: &Resolved,
    file: usize,
    span: Span,
    problem: Problem,
    findings: &mut Findings,
) {
    let source = files[file].source;
    let text = |name: Name| files[file].names.text(name.symbol);
    match problem {
        Problem::Undeclared { kind, name, others } => unknown::report(
            Unknown {
                kind,
                name: text(name),
                source,
                span,
                others,
                in_diagram: files[file].implicit,
            },
            &resolved.declared,
            findings,
        ),
        Problem::Duplicate { kind, name, first_file, first } => {
            findings.add(Code::DUPLICATE_DECLARATION, source, span, |draft| {
                draft
                    .message(format!("the {} `{}` is declared twice", kind.word(), text(name)))
                    .with_label("declared again here")
                    .with_related(files[first_file].source, first, "first declared here")
                    .with_help("remove one of the two, or rename it")
            });
        }
        Problem::NoSignature { names } => findings.add(Code::NO_SIGNATURE, source, span, |draft| {
            let label = match names {
                1 => "the only name in use".to_owned(),
                _ => format!("the first of {names} names in use"),
            };
            draft.message("no file declares any lifeline or message").with_label(label).with_help(
                "give the signature too (`sig.hsf model.hif`), or put `@message{…}` and \
                     `@lifeline{…}` before the interaction",
            )
        }),
        Problem::SeveralInteractions { first, first_span } => {
            findings.add(Code::SEVERAL_INTERACTIONS, source, span, |draft| {
                draft
                    .message("a specification has one interaction, and this is another")
                    .with_related(files[first].source, first_span, "the first one is here")
                    .with_help("give only one of the two files")
            });
        }
        Problem::Repeated { name, first, received } => {
            findings.add(Code::REPEATED_LIFELINE, source, span, |draft| {
                let effect = match received {
                    None => " in this region".to_owned(),
                    Some((_, true)) => " among the receivers".to_owned(),
                    Some((message, false)) => {
                        format!(", so it receives `{}` twice", text(message))
                    }
                };
                draft
                    .message(format!("`{}` is listed twice{effect}", text(name)))
                    .with_label("listed again here")
                    .with_related(source, first, "first listed here")
                    .with_help("leave one of the two out")
            });
        }
        Problem::SynchronousSelf { name, origin } => {
            findings.add(Code::SYNCHRONOUS_SELF, source, span, |draft| {
                let name = text(name);
                draft
                    .message(format!("`{name}` cannot send to itself in one indivisible step"))
                    .with_label("receives here")
                    .with_related(source, origin, "and sends here")
                    .with_help(
                        "leave out `<synch>` if it sends first and receives later, or write \
                         `->|` if only the emission matters",
                    )
            });
        }
        Problem::UnboundVariable { name } => {
            findings.add(Code::UNBOUND_VARIABLE, source, span, |draft| {
                let name = text(name);
                draft.message(format!("no binder declares the variable `{name}`")).with_help(
                    format!(
                        "write new({name})(…) around the messages that share it, or \"{name}\" if a text is meant"
                    ),
                )
            });
        }
        Problem::VariableTwice { name, first } => {
            findings.add(Code::VARIABLE_TWICE, source, span, |draft| {
                draft
                    .message(format!(
                        "the variable `{}` is declared again inside its scope",
                        text(name)
                    ))
                    .with_label("declared again here")
                    .with_related(source, first, "first declared here")
                    .with_help("give one of the two another name")
            });
        }
        Problem::NotAnEnd { name } => {
            findings.add(Code::UNDECLARED_LIFELINE, source, span, |draft| {
                draft
                    .message(format!("`{}` neither sends nor receives this message", text(name)))
                    .with_help(
                        "name one of the lifelines of this arrow, or quote a field that is called so: \
                         \"a.f\"",
                    )
            });
        }
        Problem::TimeWithoutUnit => findings.add(Code::BAD_DURATION, source, span, |draft| {
            draft
                .message("a time is compared with a number that has no unit")
                .with_help("compare it with an anchor: `a within 2s of s`, or `time <= s + 2s`")
        }),
        Problem::TimeWithConstant => findings.add(Code::BAD_DURATION, source, span, |draft| {
            draft
                .message("a time is compared with a constant")
                .with_help("compare it with an anchor: `a within 2s of s`, or `time <= s + 2s`")
        }),
        Problem::HeadFirst { others } => {
            findings.add(Code::HEAD_FIRST_LOOP, source, span, |draft| {
                draft
                    .message("`loopH` is read as `loopW`")
                    .with_label(format!("here{}", and_elsewhere(others)))
                    .with_help("Otus has no head-first rule; write `loopW` to say what is checked")
            });
        }
    }
}
