//! Tests of the parser and writer, at the level of statements.
#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes its snapshots so")]

mod accepted;
mod any_text;
mod faults;
mod fragments;
mod messages;
mod participants;
mod pictures;
mod returns;
mod round_trip;
mod written;

use std::fmt::Write as _;

use expect_test::Expect;

use crate::diagnostic::Diagnostic;
use crate::diagram::directive;
use crate::diagram::outline::Outline;
use crate::diagram::plantuml::read;
use crate::diagram::statement::{Course, Fragment, Mark, Message, Statement, StatementKind};
use crate::name::{Name, Names};
use crate::parser::Findings;
use crate::source::{Source, Span};

/// Parses a diagram and checks its statements and findings, one per line.
#[track_caller]
fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&shown(text));
}

fn shown(text: &str) -> String {
    let source = Source::new("test.puml", text);
    let (outline, diagnostics) = parse(&source);
    let mut shown = String::new();
    for statement in &outline.statements {
        let _ = writeln!(shown, "{}", show(&statement.kind, &outline.names));
    }
    for diagnostic in &diagnostics {
        let place = source.slice(diagnostic.primary.span);
        let _ = write!(
            shown,
            "{} {} {place:?} {}",
            diagnostic.severity.name(),
            diagnostic.code,
            diagnostic.message
        );
        match &diagnostic.help {
            Some(help) => {
                let _ = writeln!(shown, "; {help}");
            }
            None => shown.push('\n'),
        }
    }
    shown
}

fn parse(source: &Source) -> (Outline, Vec<Diagnostic>) {
    let (mut names, mut findings) = (Names::default(), Findings::unbounded(source.id()));
    let statements = read::statements(source, source.whole(), None, &mut names, &mut findings);
    let is_meant = |statement: &Statement| !matches!(statement.kind, StatementKind::Look(_));
    let statements: Vec<Statement> = statements.into_iter().filter(is_meant).collect();
    findings.list.sort_by_key(|diagnostic| diagnostic.primary.span.start);
    (Outline { names, statements, ..Outline::default() }, findings.list)
}

fn show(kind: &StatementKind, names: &Names) -> String {
    let end = |end: &Option<Name>| match end {
        Some(name) => format!("{:?}", names.text(name.symbol)),
        None => String::from("*"),
    };
    match kind {
        StatementKind::Participant { name, label } => {
            format!("participant {:?} label {label:?}", names.text(name.symbol))
        }
        StatementKind::Message(Message { from, to, message, course }) => {
            let arrow = match course {
                Course::Arrives => "->",
                Course::Lost => "->x",
                Course::BothWays => "<->",
            };
            format!("{} {arrow} {} : {:?}", end(from), end(to), names.text(message.symbol))
        }
        StatementKind::Mark(Mark::Beside) => String::from("beside"),
        StatementKind::Open(Fragment::Block(block)) => {
            format!("open block {}", directive::block_label(block, names))
        }
        StatementKind::Open(Fragment::Broadcast) => String::from("open block broadcast"),
        StatementKind::Open(fragment) => format!("open {fragment:?}"),
        StatementKind::Next(separator) => format!("next {separator:?}"),
        StatementKind::Close => String::from("close"),
        StatementKind::Look(_)
        | StatementKind::Mark(_)
        | StatementKind::Empty
        | StatementKind::Lifelines(_)
        | StatementKind::Messages(_) => directive::write(kind, names).expect("a directive"),
    }
}

/// An outline over these names.
fn outline(build: impl FnOnce(&mut dyn FnMut(&str) -> Name) -> Vec<StatementKind>) -> Outline {
    let mut names = Names::default();
    let kinds = build(&mut |text| Name { symbol: names.intern(text), span: Span::default() });
    let span = Span::default();
    let statements = kinds.into_iter().map(|kind| Statement { span, kind }).collect();
    Outline { names, statements, ..Outline::default() }
}

/// Pseudo-random numbers below a bound, from a seed.
fn random(mut state: u64) -> impl FnMut(usize) -> usize {
    move |below| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits") % below
    }
}
