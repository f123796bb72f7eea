//! The printer of formulas: one item per line, with the necessary parentheses and those that delimit
//! the operand of a modality.

use crate::ast::formula::{
    Binder, Connective, FormulaFile, FormulaId, FormulaKind, Item, ItemKind, Quantifier, UntilKind,
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
        // A comment inside a formula is printed before it.
        while let Some(comment) = comments.next_if(|comment| comment.span.start < item.span.end) {
            out.push_str(&comment.text);
            out.push('\n');
        }
        out.push_str(&text);
        // A line that begins with a minus sign would continue the previous formula.
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
    let mut out = String::new();
    match (item.kind, item.name) {
        (ItemKind::Definition, name) => {
            out.push_str("let ");
            if let Some(name) = name {
                write_name(&mut out, &tree.names, name);
            }
            out.push_str(" = ");
        }
        (ItemKind::Property, Some(name)) => {
            write_name(&mut out, &tree.names, name);
            out.push_str(": ");
        }
        (ItemKind::Property, None) => {}
    }
    write(&mut out, tree, item.body);
    out
}

/// A pending part of the output; the last one on the stack is printed next.
enum Work {
    /// A node. It is put in parentheses if its binding power is less than this number.
    Node(FormulaId, u8),
    Text(&'static str),
}

/// The binding power of nodes that never need parentheses.
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

/// Writes the first part of a node, and pushes the rest onto the stack.
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
            infix(work, *left, power, operator.symbol(), *right, power + 1);
        }
        FormulaKind::Compare(comparison, left, right) => {
            let power = COMPARISON_POWER + 1;
            infix(work, *left, power, comparison.symbol(), *right, power);
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
            let is_right_associative = *connective == Connective::Implies;
            let left_power = power + u8::from(is_right_associative);
            let right_power = power + u8::from(!is_right_associative);
            infix(work, *left, left_power, connective.symbol(), *right, right_power);
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
                UntilKind::Until => "U",
                UntilKind::Weak => "W",
                UntilKind::Release => "R",
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
        FormulaKind::ForEach(quantifier, binder, body) => {
            out.push_str(match quantifier {
                Quantifier::All => "forall ",
                Quantifier::Exists => "exists ",
            });
            write_binder(out, names, binder);
            out.push_str(": ");
            work.push(Work::Node(*body, 0));
        }
        FormulaKind::AtMostOne(binder, parts) => {
            out.push_str("at_most_one(");
            write_binder(out, names, binder);
            out.push_str(", ");
            work.push(Work::Text(")"));
            if let [_, keys @ ..] = &**parts
                && !keys.is_empty()
            {
                list(work, keys);
                work.push(Work::Text(", per "));
            }
            work.extend(parts.first().map(|&condition| Work::Node(condition, 0)));
        }
        FormulaKind::Invalid => out.push('?'),
    }
}

/// Writes `p != q in {a, b}`.
fn write_binder(out: &mut String, names: &Names, binder: &Binder) {
    for (index, &name) in binder.names.iter().enumerate() {
        if index > 0 {
            out.push_str(if binder.distinct { " != " } else { ", " });
        }
        write_name(out, names, name);
    }
    let processes = binder.range.iter().map(|name| {
        let text = names.text(name.symbol);
        let begins_with_keyword = text.split('*').next().is_some_and(|w| KEYWORDS.contains(&w));
        let is_plain = is_plain(&text.replace('*', "x")) && !begins_with_keyword;
        if is_plain { text.to_owned() } else { quoted(text, '`') }
    });
    match &*processes.collect::<Vec<_>>() {
        [] => {}
        [only] => {
            out.push_str(" in ");
            out.push_str(only);
        }
        all => {
            out.push_str(" in {");
            out.push_str(&all.join(", "));
            out.push('}');
        }
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
    work.extend([" ", symbol, " "].map(Work::Text));
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

#[expect(clippy::wildcard_enum_match_arm, reason = "the other nodes never need parentheses")]
fn power(kind: &FormulaKind) -> u8 {
    match kind {
        FormulaKind::Negative(_) => NEGATIVE_POWER,
        FormulaKind::Arithmetic(operator, ..) => arithmetic_power(*operator),
        FormulaKind::Compare(..) | FormulaKind::Member(..) => COMPARISON_POWER,
        FormulaKind::Not(_) | FormulaKind::Temporal(..) => PREFIX_POWER,
        FormulaKind::Connective(connective, ..) => connective_power(*connective),
        FormulaKind::ForEach(..) => 0,
        _ => ATOM,
    }
}

/// The least binding power of a prefix's operand without parentheses. A comparison would be parsed
/// correctly without them, but would look as if the prefix applied to its first term only.
fn prefix_operand(operand: &FormulaKind) -> u8 {
    if power(operand) == PREFIX_POWER { PREFIX_POWER } else { ATOM }
}

/// Writes a name, in back quotes if it needs them.
fn write_name(out: &mut String, names: &Names, name: Name) {
    let text = names.text(name.symbol);
    if is_plain(text) && !KEYWORDS.contains(&text) && !SOFT_KEYWORDS.contains(&text) {
        out.push_str(text);
    } else {
        out.push_str(&quoted(text, '`'));
    }
}
