//! The grammar of message passings: an arrow, or an action of one lifeline.

use super::guard::{Draft, guard, resolve};
use super::operator::{names, operators};
use super::recover;
use crate::ast::guard::Atom;
use crate::ast::{Node, NodeKind, Passing, Target};
use crate::code::Code;
use crate::grammar::SECTIONS;
use crate::lexer::TokenKind::{self, Sign};
use crate::name::Name;
use crate::parser::Cursor;
use crate::source::Span;
use crate::suggest::nearest;

/// `passing := (name '--')? synch? name guard? '->' target | name '!' name guard? | name '?' name guard?`
pub(super) fn passing(cursor: &mut Cursor<'_>) -> Node {
    let start = cursor.token().span.start;
    match passing_kind(cursor) {
        Some(passing) => {
            Node { span: Span::new(start, cursor.previous_end()), kind: NodeKind::Passing(passing) }
        }
        None => {
            recover(cursor);
            let span = Span::new(start, cursor.previous_end().max(start));
            Node { span, kind: NodeKind::Invalid }
        }
    }
}

fn passing_kind(cursor: &mut Cursor<'_>) -> Option<Passing> {
    if cursor.kind() == Sign('<') {
        return sent_by(cursor, None);
    }
    let first = cursor.name("a lifeline or a message")?;
    // `coreg[a]` is a region in the wrong brackets.
    let is_region = matches!(cursor.slice(first.span), "coreg" | "loopC");
    let guard = if is_region { Vec::new() } else { whole_guard(cursor)? };
    match cursor.kind() {
        TokenKind::Dashes | Sign('!' | '?') if !guard.is_empty() => {
            let help = "a guard stands behind the message: a -- m[f = 1] -> b, a!m[f = 1]";
            cursor.unexpected_with("`->` after the guard of a message", Some(help.to_owned()));
            None
        }
        TokenKind::Dashes => {
            cursor.bump();
            sent_by(cursor, Some(first))
        }
        TokenKind::Arrow => {
            cursor.bump();
            let target = target(cursor)?;
            guard_after_target(cursor);
            if target == Target::Environment {
                let (end, message) = (cursor.previous_end(), cursor.slice(first.span));
                let help = format!(
                    "write `a -- {message} ->|` if lifeline a emits it, \
                     or `{message} -> a` if a receives it"
                );
                let span = Span::new(first.span.start, end);
                let message = format!("no lifeline sends or receives `{message}` here");
                cursor.findings.report(Code::UNEXPECTED_TOKEN, span, message, help);
                return None;
            }
            let guard = of_ends(guard, None, &target);
            Some(Passing { origin: None, message: first, guard, target, synchronous: false })
        }
        Sign(sign @ ('!' | '?')) => {
            cursor.bump();
            let message = cursor.name("a message")?;
            let (origin, target) = match sign {
                '!' => (Some(first), Target::Environment),
                _ => (None, Target::Lifeline(first)),
            };
            let guard = of_ends(whole_guard(cursor)?, origin, &target);
            Some(Passing { origin, message, guard, target, synchronous: false })
        }
        next => {
            let help = after_name(cursor.slice(first.span), next);
            cursor.unexpected_with("`--`, `->`, `!` or `?` after this name", Some(help));
            None
        }
    }
}

/// `synch? name '->' target`, after the sender if there is one.
fn sent_by(cursor: &mut Cursor<'_>, origin: Option<Name>) -> Option<Passing> {
    let synchronous = synch(cursor);
    if origin.is_some() && cursor.kind() == TokenKind::Arrow {
        cursor.unexpected("a message between `--` and `->`");
        return None;
    }
    let message = cursor.name("a message")?;
    let guard = whole_guard(cursor)?;
    if cursor.eat(TokenKind::Arrow).is_none() {
        let help = "write `a -- m -> b`, or `a -- m ->|` if no lifeline receives it";
        cursor.unexpected_with("`->` and the receiver of the message", Some(help.to_owned()));
        return None;
    }
    let target = target(cursor)?;
    guard_after_target(cursor);
    let guard = of_ends(guard, origin, &target);
    Some(Passing { origin, message, guard, target, synchronous })
}

/// A guard without a fault; nothing if there is none. A passing with half of a guard would mean something else.
fn whole_guard(cursor: &mut Cursor<'_>) -> Option<Vec<Draft>> {
    let found = cursor.findings.list.len();
    let guard = guard(cursor);
    (cursor.findings.list.len() == found).then_some(guard)
}

/// The atoms of a guard between these ends.
fn of_ends(guard: Vec<Draft>, origin: Option<Name>, target: &Target) -> Vec<Atom> {
    let ends = || origin.iter().chain(target.lifelines());
    resolve(guard, |symbol| ends().any(|end| end.symbol == symbol))
}

/// Reports a guard behind the receiver, where people look for it first.
fn guard_after_target(cursor: &mut Cursor<'_>) {
    if cursor.kind() == Sign('[') {
        let help = "a guard stands behind the message: a -- m[f = 1] -> b";
        cursor.unexpected_with("the end of the arrow", Some(help.to_owned()));
        guard(cursor);
    }
}

/// The help for a name that no arrow or action follows.
fn after_name(name: &str, next: TokenKind) -> String {
    match next {
        Sign('{') if nearest(name, SECTIONS).is_some() => {
            format!("a section begins with `@`: `@{name}{{…}}`")
        }
        Sign('=') => {
            "options stand in a section: `@analyze_option{…}` or `@explore_option{…}`".to_owned()
        }
        Sign('[' | '{') if matches!(name, "coreg" | "loopC") => {
            format!("lifelines and operands stand in parentheses: {name}(l1, l2)(…)")
        }
        _ if operators().any(|operator| operator == name) => {
            format!("if `{name}` is the operator, its operands stand in parentheses: {name}(…)")
        }
        Sign('-') => "an arrow has two dashes before its message: `a -- m -> b`".to_owned(),
        _ => "write `a -- m -> b`, `a -- m ->|` or `m -> b`".to_owned(),
    }
}

/// `synch := '<' ('synch' | 'asynch') '>'`, if it is there.
fn synch(cursor: &mut Cursor<'_>) -> bool {
    if cursor.eat(Sign('<')).is_none() {
        return false;
    }
    let word = cursor.text();
    let span = cursor.token().span;
    let synchronous = match word {
        "synch" => true,
        "asynch" => false,
        _ => {
            let message = "expected `synch` or `asynch` between `<` and `>`";
            let found = cursor.findings.finding(Code::UNEXPECTED_TOKEN, span, message);
            let meant = nearest(word, ["synch", "asynch"]);
            let other = "leave it out for ordinary, asynchronous passing";
            cursor.findings.push(found.with_nearest(meant, other));
            meant == Some("synch")
        }
    };
    if cursor.kind() == TokenKind::Word {
        cursor.bump();
    }
    cursor.expect(Sign('>'), "`>`");
    synchronous
}

/// `target := '|' | name | '(' name (',' name)* ')'`
fn target(cursor: &mut Cursor<'_>) -> Option<Target> {
    match cursor.kind() {
        Sign('|') => {
            cursor.bump();
            Some(Target::Environment)
        }
        Sign('(') => {
            let open = cursor.bump().span;
            let names = names(cursor, open);
            if names.is_empty() {
                let span = Span::new(open.start, cursor.previous_end());
                let message = "this broadcast has no receivers";
                let help = "list them: -> (b, c), or write ->| to send to the environment";
                cursor.findings.report(Code::NO_OPERANDS, span, message, help);
                return None;
            }
            Some(Target::Broadcast(names))
        }
        Sign('>') => {
            let help = "`A->>B: m` is Mermaid; here it is `A -- m -> B` (`otus convert` turns one \
                        into the other)";
            cursor.unexpected_with("a lifeline, `(…)` or `|` after `->`", Some(help.to_owned()));
            None
        }
        _ => cursor.name("a lifeline, `(…)` or `|` after `->`").map(Target::Lifeline),
    }
}
