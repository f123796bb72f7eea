//! The grammar of interactions (`.hif`).
//!
//! ```text
//! interaction := 'o' | '∅' | passing | operator '(' interaction (',' interaction)* ')'
//! operator    := 'strict' | 'seq' | 'par' | 'alt' | 'coreg' region | loop | 'new' '(' name (',' name)* ')'
//! loop        := ('loopS' | 'loopW' | 'loopP' | 'loopH' | 'loop_strict' | 'loop_seq' | 'loop_par') ('(' fresh ')')?
//!              | 'loopC' '(' (name (',' name)*)? (';' fresh)? ')'
//! fresh       := 'fresh' name (',' name)*
//! region      := '(' (name (',' name)*)? ')'
//! passing     := (name '--')? synch? name guard? '->' target | name '!' name guard? | name '?' name guard?
//! synch       := '<' ('synch' | 'asynch') '>'
//! target      := '|' | name | '(' name (',' name)* ')'
//! ```
//!
//! Keywords can be names: `seq` is an operator only before `(`, and `o` is the empty interaction only
//! if no arrow follows. The parser keeps open operators on an explicit stack, so it does not recurse.

pub(crate) mod guard;
mod operator;
mod passing;

use self::operator::{operator, unsupported};
use self::passing::passing;
use crate::ast::{Interaction, Node, NodeId, NodeKind, Operator};
use crate::code::Code;
use crate::lexer::Token;
use crate::lexer::TokenKind::{self, Sign};
use crate::name::Name;
use crate::parser::{Cursor, is_other_quote};
use crate::source::{Span, offset};

/// Parses one interaction; the cursor is not at the end of the text.
pub(super) fn interaction(cursor: &mut Cursor<'_>) -> Interaction {
    let mut nodes: Vec<Node> = Vec::new();
    let mut stack: Vec<Open> = Vec::new();
    let root = 'outer: loop {
        // Before an operand.
        let mut done = match head(cursor) {
            Head::Leaf(node) => push(&mut nodes, node),
            Head::Operator(open) => {
                stack.push(open);
                match cursor.kind() {
                    Sign(')') => no_operands(cursor, &mut nodes, &mut stack),
                    _ => continue 'outer,
                }
            }
        };
        // After an operand: closes operators until one expects another operand.
        loop {
            let Some(open) = stack.last_mut() else { break 'outer done };
            open.operands.push(done);
            if after_operand(cursor, open.parenthesis) {
                continue 'outer;
            }
            done = close(cursor, &mut nodes, &mut stack);
        }
    };
    Interaction { nodes, root }
}

/// An operator whose operands are being parsed.
struct Open {
    operator: Operator,
    /// The variables that each iteration of a loop has for itself.
    fresh: Vec<Name>,
    /// `false` if the keyword is not an operator, which has been reported.
    known: bool,
    /// The offset of the keyword.
    start: u32,
    /// The `(` before the first operand.
    parenthesis: Span,
    operands: Vec<NodeId>,
}

/// The beginning of an interaction.
enum Head {
    /// A complete interaction.
    Leaf(Node),
    /// An operator up to and including the `(` before its operands.
    Operator(Open),
}

fn head(cursor: &mut Cursor<'_>) -> Head {
    let Token { span, kind } = cursor.token();
    match kind {
        Sign('∅') => {
            cursor.bump();
            Head::Leaf(Node { span, kind: NodeKind::Empty })
        }
        TokenKind::Word => {
            let after = cursor.kind_after();
            let arrow =
                matches!(after, TokenKind::Dashes | TokenKind::Arrow | Sign('!' | '?' | '-' | '['));
            if cursor.text() == "o" && !arrow && after != Sign('(') {
                cursor.bump();
                return Head::Leaf(Node { span, kind: NodeKind::Empty });
            }
            if after == Sign('(') || unsupported(cursor.text(), after) {
                return operator(cursor);
            }
            Head::Leaf(passing(cursor))
        }
        TokenKind::Quoted | TokenKind::OpenQuote | TokenKind::Number | Sign('<') => {
            Head::Leaf(passing(cursor))
        }
        _ => {
            if kind == Sign('(') {
                let help = "leave them out, or write an operator before them: seq(…)".to_owned();
                cursor.unexpected_with("an interaction without parentheses around it", Some(help));
                recover(cursor);
            } else {
                cursor.unexpected("an interaction");
                if kind == TokenKind::Unknown && is_other_quote(cursor.slice(span)) {
                    // The wrong quotes make the whole operand unreadable.
                    recover(cursor);
                } else if !matches!(kind, Sign(',' | ')' | '@') | TokenKind::End) {
                    // Separators and closing brackets are left to the caller.
                    cursor.bump();
                }
            }
            Head::Leaf(Node { span, kind: NodeKind::Invalid })
        }
    }
}

/// Parses the separator after an operand; returns whether another operand follows. `open` is the
/// parenthesis of the operator.
fn after_operand(cursor: &mut Cursor<'_>, open: Span) -> bool {
    let mut complained = false;
    loop {
        match cursor.kind() {
            Sign(',') => {
                cursor.bump();
                // A trailing comma is allowed.
                return cursor.kind() != Sign(')');
            }
            Sign(';') if !complained => {
                let semicolon = cursor.bump().span;
                let message = "operands are separated by `,`, not `;`";
                let found = cursor.findings.finding(Code::UNEXPECTED_TOKEN, semicolon, message);
                cursor.findings.push(found.with_help("write `,`").with_fix(semicolon, ","));
                return cursor.kind() != Sign(')');
            }
            Sign(')') => return false,
            TokenKind::End | Sign('@') => {
                cursor.unclosed(open, ')');
                return false;
            }
            TokenKind::Word | TokenKind::Quoted | Sign('∅') if !complained && !cursor.is_lost() =>
            {
                let end = Span::at(cursor.previous_end());
                let message = format!("`,` is missing before `{}`", cursor.text());
                let span = cursor.token().span;
                let found = cursor.findings.finding(Code::UNEXPECTED_TOKEN, span, message);
                cursor
                    .findings
                    .push(found.with_help("separate operands by `,`").with_fix(end, ","));
                return true;
            }
            _ => {
                if !complained {
                    cursor.unexpected("`,` or `)`");
                    complained = true;
                }
                cursor.bump();
            }
        }
    }
}

/// Reports and closes `operator()`.
fn no_operands(cursor: &mut Cursor<'_>, nodes: &mut Vec<Node>, stack: &mut Vec<Open>) -> NodeId {
    if let Some(open) = stack.last().filter(|open| open.known) {
        let span = Span::new(open.start, cursor.token().span.end);
        let help = "the empty interaction is written `o`";
        cursor.findings.report(Code::NO_OPERANDS, span, "this operator has no operands", help);
    }
    close(cursor, nodes, stack)
}

/// Takes the `)` of the innermost operator, if it is there, and adds its node.
fn close(cursor: &mut Cursor<'_>, nodes: &mut Vec<Node>, stack: &mut Vec<Open>) -> NodeId {
    cursor.eat(Sign(')'));
    let open = stack.pop().expect("an operator is open");
    let span = Span::new(open.start, cursor.previous_end());
    let mut operands = open.operands;
    if matches!(open.operator, Operator::Loop(_) | Operator::New(_)) && operands.len() > 1 {
        let keyword = Span::new(open.start, open.parenthesis.start);
        let word = cursor.slice(keyword).trim_end();
        let kind = if matches!(open.operator, Operator::New(_)) { "`new`" } else { "a loop" };
        let message = format!("{kind} has one operand, this one has {}", operands.len());
        let help = format!("put them in sequence: {word}(seq(…, …))");
        cursor.findings.report(Code::LOOP_OPERANDS, keyword, message, help);
        let body = Node { span, kind: NodeKind::Operator(Operator::Seq, operands) };
        operands = vec![push(nodes, body)];
    }
    // An operator that is wrong, which has been reported.
    let is_wrong = !open.known || open.operator == Operator::New(Vec::new());
    if let (true, &[only]) = (is_wrong, &operands[..]) {
        return only;
    }
    if operands.is_empty() {
        return push(nodes, Node { span, kind: NodeKind::Invalid });
    }
    let mut operator =
        push(nodes, Node { span, kind: NodeKind::Operator(open.operator, operands) });
    if !open.fresh.is_empty() {
        let kind = NodeKind::Operator(Operator::Fresh(open.fresh), vec![operator]);
        operator = push(nodes, Node { span, kind });
    }
    operator
}

fn push(nodes: &mut Vec<Node>, node: Node) -> NodeId {
    nodes.push(node);
    NodeId(offset(nodes.len() - 1))
}

/// Skips to the next separator or closing bracket of the current operator.
fn recover(cursor: &mut Cursor<'_>) {
    let mut open = 0_u32;
    loop {
        match cursor.kind() {
            TokenKind::End | Sign('@') => return,
            Sign(',' | ')') if open == 0 => return,
            Sign('(') => open += 1,
            Sign(')') => open -= 1,
            _ => {}
        }
        cursor.bump();
    }
}
