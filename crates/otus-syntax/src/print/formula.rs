//! Formulas as text: one item a line, with the parentheses that are needed and those that make
//! the operand of a modality plain to see.

use crate::ast::formula::{
    Connective, FormulaFile, FormulaId, FormulaKind, Item, ItemKind, UntilKind,
};
use crate::grammar::formula::{
    COMPARISON_POWER, KEYWORDS, NEGATIVE_POWER, PREFIX_POWER, SOFT_KEYWORDS, arithmetic_power,
    connective_power,
};
use crate::lexer::quoted;
use crate::name::{Name, Names, is_plain};

/// The canonical text of a `.ctl` file.
///
/// ```
/// use otus_syntax::{Source, parse_formulas, print};
///
/// let tree = parse_formulas(&Source::new("x", "safe : AG ( x<2∧y≠3 ) # why")).tree;
/// assert_eq!(print::formulas(&tree), "safe: AG(x < 2 & y != 3) # why\n");
/// ```
pub fn formulas(tree: &FormulaFile) -> String {
    let mut out = String::new();
    let mut comments = tree.comments.iter().peekable();
    let mut items = tree.items.iter().map(|item| (item, item_text(tree, item))).peekable();
    while let Some((item, text)) = items.next() {
        // A comment inside a formula goes before it.
        while let Some(comment) = comments.next_if(|comment| comment.span.start < item.span.end) {
            out.push_str(&comment.text);
            out.push('\n');
        }
        out.push_str(&text);
        // A line that begins with a minus sign would go on with the formula before it.
        if items.peek().is_some_and(|(_, next)| next.starts_with('-')) {
            out.push(';');
        }
        let next = items.peek().map_or(u32::MAX, |(next, _)| next.span.start);
        if let Some(comment) =
            comments.next_if(|comment| comment.trailing && comment.span.start < next)
        {
            out.push(' ');
            out.push_str(&comment.text);
        }
        out.push('\n');
    }
    for comment in comments {
        out.push_str(&comment.text);
        out.push('\n');
    }
    out
}

/// The canonical text of one formula.
pub fn formula(tree: &FormulaFile, id: FormulaId) -> String {
    let mut out = String::new();
    write(&mut out, tree, id);
    out
}

fn item_text(tree: &FormulaFile, item: &Item) -> String {
    let mut text = String::new();
    write_item(&mut text, tree, item);
    text
}

fn write_item(out: &mut String, tree: &FormulaFile, item: &Item) {
    match (item.kind, item.name) {
        (ItemKind::Definition, name) => {
            out.push_str("let ");
            if let Some(name) = name {
                write_name(out, &tree.names, name);
            }
            out.push_str(" = ");
        }
        (ItemKind::Property, Some(name)) => {
            write_name(out, &tree.names, name);
            out.push_str(": ");
        }
        (ItemKind::Property, None) => {}
    }
    write(out, tree, item.body);
}

/// What is still to be printed; the last one comes next.
enum Work {
    /// A node, in parentheses if it binds less tight than this.
    Node(FormulaId, u8),
    /// Text.
    Text(&'static str),
}

/// How tight what needs no parentheses binds.
const ATOM: u8 = 11;

fn write(out: &mut String, tree: &FormulaFile, root: FormulaId) {
    let mut work = vec![Work::Node(root, 0)];
    while let Some(next) = work.pop() {
        let (id, least) = match next {
            Work::Node(id, least) => (id, least),
            Work::Text(text) => {
                out.push_str(text);
                continue;
            }
        };
        let kind = &tree.node(id).kind;
        if power(kind) < least {
            out.push('(');
            work.push(Work::Text(")"));
        }
        write_node(out, tree, kind, &mut work);
    }
}

/// Writes what comes first of a node, and leaves the rest to be done.
fn write_node(out: &mut String, tree: &FormulaFile, kind: &FormulaKind, work: &mut Vec<Work>) {
    let names = &tree.names;
    match kind {
        FormulaKind::Constant(value) => out.push_str(if *value { "true" } else { "false" }),
        FormulaKind::Number(number) => out.push_str(&number.to_string()),
        FormulaKind::Text(text) => out.push_str(&quoted(names.text(*text), '"')),
        FormulaKind::Variable(path) => {
            if let Some(process) = path.process {
                write_name(out, names, process);
                out.push('.');
            }
            write_name(out, names, path.name);
        }
        FormulaKind::Named(name, _) => write_name(out, names, *name),
        FormulaKind::Last(process) => {
            out.push_str("last(");
            write_name(out, names, *process);
            out.push(')');
        }
        FormulaKind::Count(process, label) => {
            out.push_str("count(");
            write_name(out, names, *process);
            if let Some(label) = label {
                out.push('.');
                write_name(out, names, *label);
            }
            out.push(')');
        }
        FormulaKind::Negative(operand) => {
            out.push('-');
            work.push(Work::Node(*operand, NEGATIVE_POWER));
        }
        FormulaKind::Arithmetic(operator, left, right) => {
            let power = arithmetic_power(*operator);
            let symbol = match operator.symbol() {
                "+" => " + ",
                "-" => " - ",
                _ => " * ",
            };
            infix(work, *left, power, symbol, *right, power + 1);
        }
        FormulaKind::Compare(comparison, left, right) => {
            let symbol = match comparison.symbol() {
                "=" => " = ",
                "!=" => " != ",
                "<" => " < ",
                "<=" => " <= ",
                ">" => " > ",
                _ => " >= ",
            };
            let power = COMPARISON_POWER + 1;
            infix(work, *left, power, symbol, *right, power);
        }
        FormulaKind::Member(term, members) => {
            work.push(Work::Text("}"));
            list(work, members);
            work.push(Work::Text(" in {"));
            work.push(Work::Node(*term, COMPARISON_POWER + 1));
        }
        FormulaKind::Not(operand) => {
            out.push('!');
            let least = prefix_operand(&tree.node(*operand).kind);
            work.push(Work::Node(*operand, least));
        }
        FormulaKind::Connective(connective, left, right) => {
            let power = connective_power(*connective);
            let (symbol, left_power, right_power) = match connective {
                Connective::And => (" & ", power, power + 1),
                Connective::Or => (" | ", power, power + 1),
                Connective::Implies => (" -> ", power + 1, power),
                Connective::Iff => (" <-> ", power, power + 1),
            };
            infix(work, *left, left_power, symbol, *right, right_power);
        }
        FormulaKind::Temporal(quantifier, modality, operand) => {
            out.push(quantifier.symbol());
            out.push(modality.symbol());
            let operand_kind = &tree.node(*operand).kind;
            let least = prefix_operand(operand_kind);
            if power(operand_kind) >= least {
                out.push(' ');
            }
            work.push(Work::Node(*operand, least));
        }
        FormulaKind::Until(quantifier, kind, left, right) => {
            out.push(quantifier.symbol());
            out.push('[');
            let word = match kind {
                UntilKind::Until => " U ",
                UntilKind::Weak => " W ",
                UntilKind::Release => " R ",
            };
            work.push(Work::Text("]"));
            infix(work, *left, 0, word, *right, 0);
        }
        FormulaKind::Call(name, arguments) => {
            write_name(out, names, *name);
            out.push('(');
            work.push(Work::Text(")"));
            list(work, arguments);
        }
        FormulaKind::Invalid => out.push('?'),
    }
}

fn infix(
    work: &mut Vec<Work>,
    left: FormulaId,
    left_power: u8,
    symbol: &'static str,
    right: FormulaId,
    right_power: u8,
) {
    work.push(Work::Node(right, right_power));
    work.push(Work::Text(symbol));
    work.push(Work::Node(left, left_power));
}

fn list(work: &mut Vec<Work>, items: &[FormulaId]) {
    for (index, &item) in items.iter().enumerate().rev() {
        work.push(Work::Node(item, 0));
        if index > 0 {
            work.push(Work::Text(", "));
        }
    }
}

/// How tight a node binds.
fn power(kind: &FormulaKind) -> u8 {
    match kind {
        FormulaKind::Constant(_)
        | FormulaKind::Number(_)
        | FormulaKind::Text(_)
        | FormulaKind::Variable(_)
        | FormulaKind::Named(..)
        | FormulaKind::Last(_)
        | FormulaKind::Count(..)
        | FormulaKind::Until(..)
        | FormulaKind::Call(..)
        | FormulaKind::Invalid => ATOM,
        FormulaKind::Negative(_) => NEGATIVE_POWER,
        FormulaKind::Arithmetic(operator, ..) => arithmetic_power(*operator),
        FormulaKind::Compare(..) | FormulaKind::Member(..) => COMPARISON_POWER,
        FormulaKind::Not(_) | FormulaKind::Temporal(..) => PREFIX_POWER,
        FormulaKind::Connective(connective, ..) => connective_power(*connective),
    }
}

/// How tight the operand of a prefix must bind to stand without parentheses: a comparison would
/// be read right, but looks as if only its first term belonged to the prefix.
fn prefix_operand(operand: &FormulaKind) -> u8 {
    if power(operand) == PREFIX_POWER { PREFIX_POWER } else { ATOM }
}

/// A name, between back quotes unless it can stand alone.
fn write_name(out: &mut String, names: &Names, name: Name) {
    let text = names.text(name.symbol);
    if is_plain(text) && !KEYWORDS.contains(&text) && !SOFT_KEYWORDS.contains(&text) {
        out.push_str(text);
    } else {
        out.push_str(&quoted(text, '`'));
    }
}
