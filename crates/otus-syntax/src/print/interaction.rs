//! The printer of interactions: an operator is printed on one line if it fits, otherwise with one
//! operand per line.

use crate::ast::{Comment, Interaction, LoopKind, NodeId, NodeKind, Operator, Passing, Target};
use crate::lexer::quote;
use crate::name::{Name, Names};
use crate::print::guard::Naming;
use crate::print::writer::{INDENT, MAX_INDENTED, WIDTH, Writer};
use crate::print::{Dialect, list};

/// A pending part of the output; the last one on the stack is printed next.
enum Work {
    /// A node at a level, all on one line if `flat`.
    Node {
        id: NodeId,
        level: usize,
        flat: bool,
    },
    /// The next operand begins on a new line.
    Line(usize),
    Text(&'static str),
    /// The end of a broken operator: comments before this offset, then `)` at this level.
    Close {
        end: u32,
        level: usize,
    },
}

pub(super) fn print(
    writer: &mut Writer<'_>,
    naming: &Naming<'_>,
    names: &Names,
    interaction: &Interaction,
    comments: &[Comment],
    dialect: Dialect,
) {
    let widths = widths(naming, names, interaction, dialect);
    let has_comment = |start: u32, end: u32| {
        let first = comments.partition_point(|comment| comment.span.start < start);
        comments.get(first).is_some_and(|comment| comment.span.start < end)
    };
    let mut buffer = String::new();
    let mut work = vec![Work::Node { id: interaction.root, level: 0, flat: false }];
    while let Some(next) = work.pop() {
        let (id, level, flat) = match next {
            Work::Node { id, level, flat } => (id, level, flat),
            Work::Line(level) => {
                writer.line(level);
                continue;
            }
            Work::Text(text) => {
                writer.text(text);
                continue;
            }
            Work::Close { end, level } => {
                writer.line(level + 1);
                writer.comments_before(end);
                writer.line(level);
                writer.text(")");
                continue;
            }
        };
        let node = interaction.node(id);
        if !flat {
            writer.comments_before(node.span.start);
        }
        buffer.clear();
        let NodeKind::Operator(operator, operands) = &node.kind else {
            leaf(&mut buffer, naming, names, &node.kind);
            writer.text(&buffer);
            continue;
        };
        let (operator, operands, fresh) = with_fresh(interaction, operator, operands);
        opener(&mut buffer, names, operator, fresh, dialect);
        writer.text(&buffer);
        let indent = INDENT * level.min(MAX_INDENTED);
        let fits = indent + widths[id.index()] <= WIDTH;
        if flat || (fits && !has_comment(node.span.start, node.span.end)) {
            work.push(Work::Text(")"));
            for (i, &operand) in operands.iter().enumerate().rev() {
                work.push(Work::Node { id: operand, level, flat: true });
                if i > 0 {
                    work.push(Work::Text(", "));
                }
            }
        } else {
            work.push(Work::Close { end: node.span.end, level });
            for (i, &operand) in operands.iter().enumerate().rev() {
                if i + 1 < operands.len() {
                    work.push(Work::Text(","));
                }
                work.push(Work::Node { id: operand, level: level + 1, flat: false });
                work.push(Work::Line(level + 1));
            }
        }
    }
}

/// The width of every node printed on one line.
fn widths(
    naming: &Naming<'_>,
    names: &Names,
    interaction: &Interaction,
    dialect: Dialect,
) -> Vec<usize> {
    let mut widths: Vec<usize> = Vec::with_capacity(interaction.nodes.len());
    let mut buffer = String::new();
    for node in &interaction.nodes {
        buffer.clear();
        let width = match &node.kind {
            NodeKind::Operator(operator, operands) => {
                let (operator, operands, fresh) = with_fresh(interaction, operator, operands);
                opener(&mut buffer, names, operator, fresh, dialect);
                let inner = operands
                    .iter()
                    .fold(0_usize, |sum, id| sum.saturating_add(widths[id.index()] + 2));
                buffer.chars().count().saturating_add(inner)
            }
            NodeKind::Empty | NodeKind::Passing(_) | NodeKind::Invalid => {
                leaf(&mut buffer, naming, names, &node.kind);
                buffer.chars().count()
            }
        };
        // Capped, so that no sum of widths overflows.
        widths.push(width.min(1 << 20));
    }
    widths
}

fn leaf(out: &mut String, naming: &Naming<'_>, names: &Names, kind: &NodeKind) {
    match kind {
        NodeKind::Passing(passing) => self::passing(out, naming, names, passing),
        NodeKind::Empty | NodeKind::Invalid | NodeKind::Operator(..) => out.push('o'),
    }
}

/// `a -- <synch> m -> (b, c)`
fn passing(out: &mut String, naming: &Naming<'_>, names: &Names, passing: &Passing) {
    let text = |name: &Name| quote(names.text(name.symbol));
    if let Some(origin) = &passing.origin {
        out.push_str(&text(origin));
        out.push_str(" -- ");
    }
    if passing.synchronous {
        out.push_str("<synch> ");
    }
    out.push_str(&text(&passing.message));
    out.push_str(&naming.guard(passing));
    match &passing.target {
        Target::Environment => out.push_str(" ->|"),
        Target::Lifeline(target) => {
            out.push_str(" -> ");
            out.push_str(&text(target));
        }
        Target::Broadcast(targets) => {
            out.push_str(" -> (");
            out.push_str(&list(names, targets));
            out.push(')');
        }
    }
}

/// The operator, its operands and its fresh variables. The node of `fresh` is around that of its loop, but both are
/// written as one.
fn with_fresh<'i>(
    interaction: &'i Interaction,
    operator: &'i Operator,
    operands: &'i [NodeId],
) -> (&'i Operator, &'i [NodeId], &'i [Name]) {
    if let (Operator::Fresh(fresh), &[inner]) = (operator, operands)
        && let NodeKind::Operator(operator @ Operator::Loop(_), operands) =
            &interaction.node(inner).kind
    {
        return (operator, operands, fresh);
    }
    (operator, operands, &[])
}

/// The operator up to the `(` of its operands.
fn opener(out: &mut String, names: &Names, operator: &Operator, fresh: &[Name], dialect: Dialect) {
    let then = match operator {
        Operator::Loop(LoopKind::Strict) => "loop_strict",
        Operator::Loop(LoopKind::Weak | LoopKind::HeadFirst) => "loop_seq",
        Operator::Loop(LoopKind::Parallel) => "loop_par",
        Operator::Strict
        | Operator::Seq
        | Operator::Par
        | Operator::Alt
        | Operator::Coreg(_)
        | Operator::Loop(LoopKind::Coregion(_))
        | Operator::New(_)
        | Operator::Fresh(_) => operator.keyword(),
    };
    out.push_str(dialect.choose(operator.keyword(), then));
    let mut parts = Vec::new();
    if operator.has_region() || !operator.variables().is_empty() {
        parts.push(list(names, operator.region()) + &list(names, operator.variables()));
    }
    if !fresh.is_empty() {
        parts.push(format!("fresh {}", list(names, fresh)));
    }
    if !parts.is_empty() {
        let joined = parts.join("; ");
        out.push('(');
        // `loopC(; fresh x)` is `loopC(fresh x)`.
        out.push_str(joined.strip_prefix("; ").unwrap_or(&joined));
        out.push(')');
    }
    out.push('(');
}
