//! The printer of multi-traces: one component per line.

use std::borrow::Cow;
use std::ops::Range;

use crate::ast::guard::Literal;
use crate::ast::{Colocalization, Comment, TraceAction, TraceFile, TraceValue};
use crate::lexer::{quote, quoted};
use crate::print::list;
use crate::print::writer::Writer;

/// The canonical text of a multi-trace.
///
/// ```
/// use otus_syntax::{Source, parse_trace, print};
///
/// let tree = parse_trace(&Source::new("x.htf", "[a,b]a!m.b?m;[c]")).tree;
/// assert_eq!(print::trace(&tree), "{\n  [a, b] a!m.b?m;\n  [c]\n}\n");
/// ```
pub fn trace(tree: &TraceFile) -> String {
    let mut writer = Writer::new(&tree.comments);
    let actions = actions(tree);
    if let Some(first) = tree.components.first() {
        writer.comments_before(first.span.start);
    }
    writer.text("{");
    for (i, component) in tree.components.iter().enumerate() {
        writer.line(1);
        writer.comments_before(component.span.start);
        writer.text(&colocalization(tree, &component.lifelines));
        occurrences(&mut writer, tree, component.occurrences.clone(), &actions);
        if i + 1 < tree.components.len() {
            writer.text(";");
        } else if !tree.comments.last().is_some_and(is_open) {
            // A comment before the closing brace stays before it.
            writer.comments_before(component.span.end);
        }
    }
    if !tree.components.is_empty() {
        writer.line(0);
    }
    writer.text("}");
    writer.line(0);
    writer.finish()
}

/// The multi-trace on one line, without comments, as in case files.
///
/// ```
/// use otus_syntax::{Source, parse_trace, print};
///
/// let tree = parse_trace(&Source::new("x.htf", "[a] a!m;\n[b]")).tree;
/// assert_eq!(print::trace_line(&tree), "{[a] a!m; [b]}");
/// ```
pub fn trace_line(tree: &TraceFile) -> String {
    let mut writer = Writer::new(&[]);
    let actions = actions(tree);
    writer.text("{");
    for (i, component) in tree.components.iter().enumerate() {
        if i > 0 {
            writer.text("; ");
        }
        writer.text(&colocalization(tree, &component.lifelines));
        occurrences(&mut writer, tree, component.occurrences.clone(), &actions);
    }
    writer.text("}");
    writer.finish().trim_end().to_owned()
}

/// Whether a comment is unclosed, so that it would swallow the text printed after it.
fn is_open(comment: &Comment) -> bool {
    let inside = comment.text.strip_prefix("/*");
    inside.is_some_and(|inside| !inside.ends_with("*/"))
}

/// The texts of all distinct actions.
fn actions(tree: &TraceFile) -> Vec<String> {
    let text = |action: &TraceAction| {
        let lifeline = quote(tree.names.text(action.lifeline.symbol));
        let message = quote(tree.names.text(action.message.symbol));
        format!("{lifeline}{}{message}", action.direction.symbol())
    };
    tree.actions.iter().map(text).collect()
}

fn colocalization(tree: &TraceFile, lifelines: &Colocalization) -> Cow<'static, str> {
    match lifelines {
        Colocalization::All(_) => Cow::Borrowed("[#all]"),
        Colocalization::Any(_) => Cow::Borrowed("[#any]"),
        Colocalization::Listed(names) => Cow::Owned(format!("[{}]", list(&tree.names, names))),
    }
}

/// ` a!m.{b?m, c!n(x=1)}.…`
fn occurrences(writer: &mut Writer<'_>, tree: &TraceFile, range: Range<usize>, actions: &[String]) {
    let first = range.start;
    let all = &tree.occurrences[range];
    for (i, occurrence) in all.iter().enumerate() {
        let joined = i > 0 && occurrence.joined();
        let opens = all.get(i + 1).is_some_and(|next| next.joined()) && !joined;
        let closes = joined && !all.get(i + 1).is_some_and(|next| next.joined());
        writer.text(match (i, joined) {
            (0, _) => " ",
            (_, false) => ".",
            (_, true) => ", ",
        });
        writer.comments_before(occurrence.start);
        if opens {
            writer.text("{");
        }
        writer.text(&actions[occurrence.action()]);
        if !tree.values.is_empty() {
            writer.text(&values(tree, tree.values_of(first + i)));
        }
        if closes {
            writer.text("}");
        }
    }
}

/// `(mid=7, topic="a/b")`; nothing for an occurrence without values.
fn values(tree: &TraceFile, values: &[TraceValue]) -> String {
    if values.is_empty() {
        return String::new();
    }
    let one = |value: &TraceValue| {
        let field = quote(tree.names.text(value.field.symbol));
        format!("{field}={}", value.value.as_ref().map_or("null".to_owned(), trace_value))
    };
    let all: Vec<String> = values.iter().map(one).collect();
    format!("({})", all.join(", "))
}

/// A value of an event as it is written in a multi-trace.
pub fn trace_value(literal: &Literal) -> String {
    match literal {
        Literal::Number(number) => number.decimal(),
        Literal::Text(text) => quoted(text, '"'),
        Literal::Boolean(truth) => truth.to_string(),
    }
}
