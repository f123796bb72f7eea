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

use crate::ast::{Interaction, LoopKind, Node, NodeId, NodeKind, Operator, Passing, Target};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::grammar::SECTIONS;
use crate::lexer::TokenKind;
use crate::name::Name;
use crate::parser::{Cursor, is_other_quote};
use crate::source::{Span, offset};
use crate::suggest::nearest;

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

/// The operators and how they are spelt.
const OPERATORS: [&str; 13] = [
    "strict",
    "seq",
    "par",
    "alt",
    "coreg",
    "loopS",
    "loopW",
    "loopP",
    "loopC",
    "loopH",
    "loop_strict",
    "loop_seq",
    "loop_par",
];

/// `operator '('`: a keyword, its region if it has one, and the parenthesis.
fn operator(cursor: &mut Cursor<'_>) -> Head {
    let keyword = cursor.token().span;
    let word = cursor.text();
    let after = cursor.kind_after();
    cursor.bump();
    let mut known = true;
    let operator = match word {
        "strict" => Operator::Strict,
        "seq" => Operator::Seq,
        "par" => Operator::Par,
        "alt" => Operator::Alt,
        "coreg" => Operator::Coreg(region(cursor, keyword)),
        "loopS" | "loop_strict" => Operator::Loop(LoopKind::Strict),
        "loopW" | "loop_seq" => Operator::Loop(LoopKind::Weak),
        "loopP" | "loop_par" => Operator::Loop(LoopKind::Parallel),
        "loopH" => Operator::Loop(LoopKind::HeadFirst),
        "loopC" => Operator::Loop(LoopKind::Coregion(region(cursor, keyword))),
        _ => {
            unknown_operator(cursor, keyword, word);
            known = false;
            if after == TokenKind::LeftBrace {
                skip_to_parenthesis(cursor);
            }
            // Read on as if it were a sequence: its operands may have faults of their own.
            Operator::Seq
        }
    };
    let parenthesis = cursor.token().span;
    if cursor.eat(TokenKind::LeftParen).is_none() {
        cursor.unexpected("`(` before the operands");
        return Head::Leaf(Node { span: keyword, kind: NodeKind::Invalid });
    }
    let operands = Vec::new();
    Head::Operator(Open { operator, known, start: keyword.start, parenthesis, operands })
}

/// Whether this is an operator of later peers, whose first bracket may be a brace.
fn unsupported(word: &str, after: TokenKind) -> bool {
    word == "sync" && after == TokenKind::LeftBrace
}

fn unknown_operator(cursor: &mut Cursor<'_>, keyword: Span, word: &str) {
    let (code, message, help) = match word {
        "sync" | "and" => (
            Code::UNSUPPORTED_OPERATOR,
            format!("Otus does not have the operator `{word}`"),
            "it is of later versions of hibou and not of the papers; \
             for a rendez-vous write `a -- <synch> m -> b`"
                .to_owned(),
        ),
        "loop" => (
            Code::UNKNOWN_OPERATOR,
            "a loop must say how its iterations follow each other".to_owned(),
            "write loopS (strictly), loopW (weakly, as in diagrams), loopP (in parallel) \
             or loopC(l1, l2) (concurrently on l1 and l2)"
                .to_owned(),
        ),
        _ if is_loop(word) => (
            Code::UNKNOWN_OPERATOR,
            format!("there is no loop `{word}`"),
            "write loopS (strictly), loopW (weakly, as in diagrams), loopP (in parallel) \
             or loopC(l1, l2) (concurrently on l1 and l2)"
                .to_owned(),
        ),
        "opt" => (
            Code::UNKNOWN_OPERATOR,
            "there is no operator `opt`".to_owned(),
            "write alt(…, o): the second alternative is the empty interaction".to_owned(),
        ),
        _ => (
            Code::UNKNOWN_OPERATOR,
            format!("there is no operator `{word}`"),
            match nearest(word, OPERATORS) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("the operators are {}", OPERATORS[..9].join(", ")),
            },
        ),
    };
    let mut found = Diagnostic::new(code, cursor.source(), keyword, message).with_help(help);
    // Which loop or option was meant is the user's to say.
    if let Some(meant) = nearest(word, OPERATORS)
        && !matches!(word, "loop" | "opt" | "sync" | "and")
        && !is_loop(word)
    {
        found = found.with_fix(keyword, meant);
    }
    cursor.report(found);
}

/// `loopX`: as near to one loop as to another.
fn is_loop(word: &str) -> bool {
    word.strip_prefix("loop").is_some_and(|rest| rest.chars().count() == 1)
}

/// Skips the `{…}` of an operator that is not supported.
fn skip_to_parenthesis(cursor: &mut Cursor<'_>) {
    while !matches!(cursor.kind(), TokenKind::LeftParen | TokenKind::End | TokenKind::At) {
        cursor.bump();
    }
}

/// `region := '(' (name (',' name)*)? ')'`
fn region(cursor: &mut Cursor<'_>, keyword: Span) -> Vec<Name> {
    let operator = cursor.slice(keyword);
    if matches!(cursor.kind_after(), TokenKind::Word | TokenKind::Quoted) && !region_follows(cursor)
    {
        cursor.report(
            Diagnostic::new(
                Code::MISSING_REGION,
                cursor.source(),
                keyword,
                format!("`{operator}` needs its concurrent lifelines before its operands"),
            )
            .with_help(match operator {
                "loopC" => "write loopC(l1, l2)(…), or loopC()(…) for none",
                _ => "write coreg(l1, l2)(…, …), or coreg()(…, …) for none",
            }),
        );
        return Vec::new();
    }
    let Some(open) = cursor.expect(TokenKind::LeftParen, "`(` before the concurrent lifelines")
    else {
        return Vec::new();
    };
    names(cursor, open.span)
}

/// Whether the parenthesis at the cursor holds just a list of names.
fn region_follows(cursor: &Cursor<'_>) -> bool {
    let mut ahead = cursor.look_ahead();
    loop {
        match ahead.advance() {
            TokenKind::Word | TokenKind::Quoted => match ahead.advance() {
                TokenKind::Comma => {}
                TokenKind::RightParen => return true,
                _ => return false,
            },
            TokenKind::RightParen => return true,
            _ => return false,
        }
    }
}

/// `(name (',' name)*)? ')'`, after its `(`.
fn names(cursor: &mut Cursor<'_>, open: Span) -> Vec<Name> {
    let mut names = Vec::new();
    loop {
        match cursor.kind() {
            TokenKind::RightParen => {
                cursor.bump();
                return names;
            }
            TokenKind::Comma => {
                cursor.bump();
            }
            TokenKind::Word | TokenKind::Quoted | TokenKind::OpenQuote | TokenKind::Number => {
                names.extend(cursor.name("a lifeline"));
            }
            TokenKind::End | TokenKind::At => {
                cursor.unclosed(open, ')');
                return names;
            }
            _ => {
                cursor.unexpected("a lifeline, `,` or `)`");
                return names;
            }
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

/// `passing := (name '--')? synch? name '->' target | name '!' name | name '?' name`
fn passing(cursor: &mut Cursor<'_>) -> Node {
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
    if cursor.kind() == TokenKind::Less {
        let synchronous = synch(cursor);
        let message = cursor.name("a message")?;
        arrow(cursor)?;
        return Some(Passing { origin: None, message, target: target(cursor)?, synchronous });
    }
    let first = cursor.name("a lifeline or a message")?;
    match cursor.kind() {
        TokenKind::Dashes => {
            cursor.bump();
            let synchronous = synch(cursor);
            if cursor.kind() == TokenKind::Arrow {
                cursor.unexpected("a message between `--` and `->`");
                return None;
            }
            let message = cursor.name("a message")?;
            arrow(cursor)?;
            Some(Passing { origin: Some(first), message, target: target(cursor)?, synchronous })
        }
        TokenKind::Arrow => {
            cursor.bump();
            let target = target(cursor)?;
            if target == Target::Environment {
                let (end, message) = (cursor.previous_end(), cursor.slice(first.span));
                cursor.report(
                    Diagnostic::new(
                        Code::UNEXPECTED_TOKEN,
                        cursor.source(),
                        Span::new(first.span.start, end),
                        format!("nobody sends or receives `{message}` here"),
                    )
                    .with_help(format!(
                        "write `a -- {message} ->|` if lifeline a emits it, \
                         or `{message} -> a` if a receives it"
                    )),
                );
                return None;
            }
            Some(Passing { origin: None, message: first, target, synchronous: false })
        }
        TokenKind::Bang => {
            cursor.bump();
            let message = cursor.name("a message")?;
            let target = Target::Environment;
            Some(Passing { origin: Some(first), message, target, synchronous: false })
        }
        TokenKind::Question => {
            cursor.bump();
            let message = cursor.name("a message")?;
            let target = Target::Lifeline(first);
            Some(Passing { origin: None, message, target, synchronous: false })
        }
        next => {
            let help = after_name(cursor.slice(first.span), next);
            cursor.unexpected_with("`--`, `->`, `!` or `?` after this name", Some(help));
            None
        }
    }
}

/// What may have been meant by a name that neither sends nor receives.
fn after_name(name: &str, next: TokenKind) -> String {
    match next {
        TokenKind::LeftBrace if nearest(name, SECTIONS).is_some() => {
            format!("a section begins with `@`: `@{name}{{…}}`")
        }
        TokenKind::Equals => {
            "options stand in a section: `@analyze_option{…}` or `@explore_option{…}`".to_owned()
        }
        TokenKind::LeftBracket | TokenKind::LeftBrace if matches!(name, "coreg" | "loopC") => {
            format!("lifelines and operands stand in parentheses: {name}(l1, l2)(…)")
        }
        _ if OPERATORS.contains(&name) => {
            format!("if `{name}` is the operator, its operands stand in parentheses: {name}(…)")
        }
        TokenKind::Minus => "an arrow has two dashes before its message: `a -- m -> b`".to_owned(),
        _ => "write `a -- m -> b`, `a -- m ->|` or `m -> b`".to_owned(),
    }
}

fn arrow(cursor: &mut Cursor<'_>) -> Option<()> {
    let taken = cursor.eat(TokenKind::Arrow);
    if taken.is_none() {
        let help = "write `a -- m -> b`, or `a -- m ->|` if nobody of these receives it";
        cursor.unexpected_with("`->` and who receives the message", Some(help.to_owned()));
    }
    taken.map(|_| ())
}

/// `synch := '<' ('synch' | 'asynch') '>'`, if it is there.
fn synch(cursor: &mut Cursor<'_>) -> bool {
    if cursor.eat(TokenKind::Less).is_none() {
        return false;
    }
    let word = cursor.text();
    let span = cursor.token().span;
    let synchronous = match word {
        "synch" => true,
        "asynch" => false,
        _ => {
            let found = Diagnostic::new(
                Code::UNEXPECTED_TOKEN,
                cursor.source(),
                span,
                "expected `synch` or `asynch` between `<` and `>`",
            );
            let meant = nearest(word, ["synch", "asynch"]);
            cursor.report(match meant {
                Some(meant) => {
                    found.with_help(format!("did you mean `{meant}`?")).with_fix(span, meant)
                }
                None => found.with_help("leave it out for ordinary, asynchronous passing"),
            });
            meant == Some("synch")
        }
    };
    if cursor.kind() == TokenKind::Word {
        cursor.bump();
    }
    cursor.expect(TokenKind::Greater, "`>`");
    synchronous
}

/// `target := '|' | name | '(' name (',' name)* ')'`
fn target(cursor: &mut Cursor<'_>) -> Option<Target> {
    match cursor.kind() {
        TokenKind::Pipe => {
            cursor.bump();
            Some(Target::Environment)
        }
        TokenKind::LeftParen => {
            let open = cursor.bump().span;
            let names = names(cursor, open);
            if names.is_empty() {
                cursor.report(
                    Diagnostic::new(
                        Code::NO_OPERANDS,
                        cursor.source(),
                        Span::new(open.start, cursor.previous_end()),
                        "this broadcast has no receivers",
                    )
                    .with_help("list them: -> (b, c), or write ->| to send to the environment"),
                );
                return None;
            }
            Some(Target::Broadcast(names))
        }
        TokenKind::Greater => {
            let help = "`A->>B: m` is Mermaid; here it is `A -- m -> B` (`otus convert` turns one \
                        into the other)";
            cursor.unexpected_with("a lifeline, `(…)` or `|` after `->`", Some(help.to_owned()));
            None
        }
        _ => cursor.name("a lifeline, `(…)` or `|` after `->`").map(Target::Lifeline),
    }
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
