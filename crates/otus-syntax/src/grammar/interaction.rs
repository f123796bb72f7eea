//! Interactions (`.hif`).
//!
//! ```text
//! interaction := 'o' | '∅' | passing | operator '(' interaction (',' interaction)* ')'
//! operator    := 'strict' | 'seq' | 'par' | 'alt' | 'coreg' region | loop
//! loop        := 'loopS' | 'loopW' | 'loopP' | 'loopH' | 'loopC' region
//!              | 'loop_strict' | 'loop_seq' | 'loop_par'
//! region      := '(' (name (',' name)*)? ')'
//! passing     := (name '--')? synch? name '->' target | name '!' name | name '?' name
//! synch       := '<' ('synch' | 'asynch') '>'
//! target      := '|' | name | '(' name (',' name)* ')'
//! ```
//!
//! Keywords are names too: `seq` is the operator only before `(`, and `o` is the empty
//! interaction only where no arrow follows. Open operators are kept on a stack of our own, so
//! depth costs memory in proportion and nothing else.

mod operator;
mod passing;

use self::operator::{operator, unsupported};
use self::passing::passing;
use crate::ast::{Interaction, Node, NodeId, NodeKind, Operator};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::lexer::TokenKind;
use crate::parser::{Cursor, is_other_quote};
use crate::source::{Span, offset};

/// Reads one interaction; the cursor is not at the end of the text.
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
                    TokenKind::RightParen => no_operands(cursor, &mut nodes, &mut stack),
                    _ => continue 'outer,
                }
            }
        };
        // After an operand: close operators until one wants another operand.
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

/// An operator whose operands are being read.
struct Open {
    operator: Operator,
    /// `false` if the keyword names no operator, which has been reported.
    known: bool,
    /// From the operator's keyword on.
    start: u32,
    /// The `(` before the first operand.
    parenthesis: Span,
    operands: Vec<NodeId>,
}

/// What an interaction begins with.
enum Head {
    /// It is complete.
    Leaf(Node),
    /// An operator up to and including the `(` before its operands.
    Operator(Open),
}

/// Reads the beginning of an interaction.
fn head(cursor: &mut Cursor<'_>) -> Head {
    let token = cursor.token();
    match token.kind {
        TokenKind::EmptySet => {
            cursor.bump();
            Head::Leaf(Node { span: token.span, kind: NodeKind::Empty })
        }
        TokenKind::Word => {
            let after = cursor.kind_after();
            let arrow = matches!(
                after,
                TokenKind::Dashes
                    | TokenKind::Arrow
                    | TokenKind::Bang
                    | TokenKind::Question
                    | TokenKind::Minus
            );
            if cursor.text() == "o" && !arrow && after != TokenKind::LeftParen {
                cursor.bump();
                return Head::Leaf(Node { span: token.span, kind: NodeKind::Empty });
            }
            if after == TokenKind::LeftParen || unsupported(cursor.text(), after) {
                return operator(cursor);
            }
            Head::Leaf(passing(cursor))
        }
        TokenKind::Quoted | TokenKind::OpenQuote | TokenKind::Number | TokenKind::Less => {
            Head::Leaf(passing(cursor))
        }
        TokenKind::LeftParen => {
            let help = "leave them out, or write an operator before them: seq(…)".to_owned();
            cursor.unexpected_with("an interaction without parentheses around it", Some(help));
            recover(cursor);
            Head::Leaf(Node { span: token.span, kind: NodeKind::Invalid })
        }
        _ => {
            cursor.unexpected("an interaction");
            if token.kind == TokenKind::Unknown && is_other_quote(cursor.slice(token.span)) {
                // The whole operand is about the name that was meant.
                recover(cursor);
                return Head::Leaf(Node { span: token.span, kind: NodeKind::Invalid });
            }
            // Skip what cannot begin one, but leave what closes or separates to the caller.
            if !matches!(
                token.kind,
                TokenKind::Comma | TokenKind::RightParen | TokenKind::At | TokenKind::End
            ) {
                cursor.bump();
            }
            Head::Leaf(Node { span: token.span, kind: NodeKind::Invalid })
        }
    }
}

/// After an operand of the operator whose parenthesis is `open`: whether another follows.
fn after_operand(cursor: &mut Cursor<'_>, open: Span) -> bool {
    let mut complained = false;
    loop {
        match cursor.kind() {
            TokenKind::Comma => {
                cursor.bump();
                // A comma before the closing parenthesis is harmless.
                return cursor.kind() != TokenKind::RightParen;
            }
            TokenKind::Semicolon if !complained => {
                let semicolon = cursor.bump().span;
                cursor.report(
                    Diagnostic::new(
                        Code::UNEXPECTED_TOKEN,
                        cursor.source(),
                        semicolon,
                        "operands are separated by `,`, not `;`",
                    )
                    .with_help("write `,`")
                    .with_fix(semicolon, ","),
                );
                return cursor.kind() != TokenKind::RightParen;
            }
            TokenKind::RightParen => return false,
            TokenKind::End | TokenKind::At => {
                cursor.unclosed(open, ')');
                return false;
            }
            TokenKind::Word | TokenKind::Quoted | TokenKind::EmptySet
                if !complained && !cursor.is_lost() =>
            {
                let end = cursor.previous_end();
                cursor.report(
                    Diagnostic::new(
                        Code::UNEXPECTED_TOKEN,
                        cursor.source(),
                        cursor.token().span,
                        format!("`,` is missing before `{}`", cursor.text()),
                    )
                    .with_help("separate operands by `,`")
                    .with_fix(Span::at(end), ","),
                );
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

/// `operator()`: reports it; nothing can be said about what was meant.
fn no_operands(cursor: &mut Cursor<'_>, nodes: &mut Vec<Node>, stack: &mut Vec<Open>) -> NodeId {
    if let Some(open) = stack.last().filter(|open| open.known) {
        let span = Span::new(open.start, cursor.token().span.end);
        cursor.report(
            Diagnostic::new(
                Code::NO_OPERANDS,
                cursor.source(),
                span,
                "this operator has no operands",
            )
            .with_help("the empty interaction is written `o`"),
        );
    }
    close(cursor, nodes, stack)
}

/// Takes the `)` of the innermost operator, if it is there, and makes its node.
fn close(cursor: &mut Cursor<'_>, nodes: &mut Vec<Node>, stack: &mut Vec<Open>) -> NodeId {
    cursor.eat(TokenKind::RightParen);
    let open = stack.pop().expect("an operator is open");
    let span = Span::new(open.start, cursor.previous_end());
    let mut operands = open.operands;
    if matches!(open.operator, Operator::Loop(_)) && operands.len() > 1 {
        let keyword = Span::new(open.start, open.parenthesis.start);
        let word = cursor.slice(keyword).trim_end();
        cursor.report(
            Diagnostic::new(
                Code::LOOP_OPERANDS,
                cursor.source(),
                keyword,
                format!("a loop has one operand, this one has {}", operands.len()),
            )
            .with_help(format!("put them in sequence: {word}(seq(…, …))")),
        );
        let body = Node { span, kind: NodeKind::Operator(Operator::Seq, operands) };
        operands = vec![push(nodes, body)];
    }
    if let (false, &[only]) = (open.known, &operands[..]) {
        return only;
    }
    let kind = if operands.is_empty() {
        NodeKind::Invalid
    } else {
        NodeKind::Operator(open.operator, operands)
    };
    push(nodes, Node { span, kind })
}

fn push(nodes: &mut Vec<Node>, node: Node) -> NodeId {
    nodes.push(node);
    NodeId(offset(nodes.len() - 1))
}

/// Skips to where the next operand can begin or the current operator can end.
fn recover(cursor: &mut Cursor<'_>) {
    let mut open = 0_u32;
    loop {
        match cursor.kind() {
            TokenKind::End | TokenKind::At => return,
            TokenKind::Comma | TokenKind::RightParen if open == 0 => return,
            TokenKind::LeftParen => open += 1,
            TokenKind::RightParen => open -= 1,
            _ => {}
        }
        cursor.bump();
    }
}
