//! The operators of interactions: keywords, regions, and suggestions for misspelt keywords.

use super::guard::variable;
use super::{Head, Open};
use crate::ast::{LoopKind, Node, NodeKind, Operator};
use crate::code::Code;
use crate::lexer::TokenKind::{self, Sign};
use crate::name::Name;
use crate::parser::Cursor;
use crate::source::Span;
use crate::suggest::nearest;

/// The keywords of the operators, except some loops.
const OPERATORS: &str = "strict, seq, par, alt, coreg, loopS, loopW, loopP, loopC, new";

/// The keywords of all operators.
pub(super) fn operators() -> impl Iterator<Item = &'static str> {
    OPERATORS.split(", ").chain(["loopH", "loop_strict", "loop_seq", "loop_par"])
}

/// `operator '('`: a keyword, its region if it has one, and the parenthesis.
pub(super) fn operator(cursor: &mut Cursor<'_>) -> Head {
    let keyword = cursor.token().span;
    let word = cursor.text();
    let after = cursor.kind_after();
    cursor.bump();
    let mut known = true;
    let mut fresh = Vec::new();
    let operator = match word {
        "coreg" => Operator::Coreg(region(cursor, keyword)),
        "loopC" => {
            let (region, variables) = region_and_fresh(cursor, keyword);
            fresh = variables;
            Operator::Loop(LoopKind::Coregion(region))
        }
        "new" => Operator::New(new_variables(cursor)),
        _ => match Operator::from_keyword(word) {
            Some(operator) => {
                if matches!(operator, Operator::Loop(_)) && is_fresh_next(cursor) {
                    fresh = parenthesized_fresh(cursor);
                }
                operator
            }
            None => {
                unknown_operator(cursor, keyword, word);
                known = false;
                // Skips the `{…}` of an operator that is not supported.
                while after == Sign('{')
                    && !matches!(cursor.kind(), Sign('(' | '@') | TokenKind::End)
                {
                    cursor.bump();
                }
                // The operands of an unknown operator are parsed as those of a sequence, to find
                // faults in them.
                Operator::Seq
            }
        },
    };
    let parenthesis = cursor.token().span;
    if cursor.eat(Sign('(')).is_none() {
        cursor.unexpected("`(` before the operands");
        return Head::Leaf(Node { span: keyword, kind: NodeKind::Invalid });
    }
    let operands = Vec::new();
    Head::Operator(Open { operator, fresh, known, start: keyword.start, parenthesis, operands })
}

/// Whether `(fresh x` follows. A lifeline `fresh` has an arrow or a sign behind it.
fn is_fresh_next(cursor: &Cursor<'_>) -> bool {
    cursor.kind() == Sign('(')
        && cursor.text_after() == "fresh"
        && matches!(
            cursor.kinds_after().nth(1),
            Some(TokenKind::Word | TokenKind::Quoted | TokenKind::OpenQuote | TokenKind::Number)
        )
}

/// `'(' fresh ')'`
fn parenthesized_fresh(cursor: &mut Cursor<'_>) -> Vec<Name> {
    let open = cursor.bump().span;
    cursor.bump();
    variables(cursor, open)
}

/// `'(' (name (',' name)*)? (';' fresh)? ')'`
fn region_and_fresh(cursor: &mut Cursor<'_>, keyword: Span) -> (Vec<Name>, Vec<Name>) {
    if is_fresh_next(cursor) {
        return (Vec::new(), parenthesized_fresh(cursor));
    }
    let region = region(cursor, keyword);
    let mut fresh = Vec::new();
    if cursor.kind() == Sign(';') {
        let open = cursor.bump().span;
        if cursor.text() == "fresh" {
            cursor.bump();
            fresh = variables(cursor, open);
        } else {
            cursor.unexpected("`fresh` and a variable after `;`");
        }
    }
    (region, fresh)
}

/// `'(' name (',' name)* ')'`
fn new_variables(cursor: &mut Cursor<'_>) -> Vec<Name> {
    match cursor.expect(Sign('('), "`(` before the variables") {
        Some(open) => variables(cursor, open.span),
        None => Vec::new(),
    }
}

/// `name (',' name)* ')'`, after its `(`.
fn variables(cursor: &mut Cursor<'_>, open: Span) -> Vec<Name> {
    let found = cursor.findings.list.len();
    let names = list(cursor, open, "a variable", variable);
    if names.is_empty() && cursor.findings.list.len() == found {
        let span = Span::new(open.start, cursor.previous_end());
        let help = "name at least one: new(x)(…), loopP(fresh x)(…)";
        cursor.findings.report(Code::NO_OPERANDS, span, "no variable is declared here", help);
    }
    names
}

/// Whether this is the operator `sync{…}(…)` of later versions of `hibou_label`.
pub(super) fn unsupported(word: &str, after: TokenKind) -> bool {
    word == "sync" && after == Sign('{')
}

fn unknown_operator(cursor: &mut Cursor<'_>, keyword: Span, word: &str) {
    const LOOPS: &str = "write loopS (strictly), loopW (weakly, as in diagrams), loopP (in parallel) \
        or loopC(l1, l2) (concurrently on l1 and l2)";
    let (message, help) = match word {
        "sync" | "and" => (
            format!("Otus does not have the operator `{word}`"),
            "it is of later versions of hibou and not of the papers; \
             for a rendez-vous write `a -- <synch> m -> b`"
                .to_owned(),
        ),
        "loop" => {
            ("a loop must say how its iterations follow each other".to_owned(), LOOPS.to_owned())
        }
        _ if is_loop(word) => (format!("there is no loop `{word}`"), LOOPS.to_owned()),
        _ => {
            let help = if word == "opt" {
                "write alt(…, o): the second alternative is the empty interaction".to_owned()
            } else if let Some(meant) = nearest(word, operators()) {
                format!("did you mean `{meant}`?")
            } else {
                format!("the operators are {OPERATORS}")
            };
            (format!("there is no operator `{word}`"), help)
        }
    };
    let code = match word {
        "sync" | "and" => Code::UNSUPPORTED_OPERATOR,
        _ => Code::UNKNOWN_OPERATOR,
    };
    let mut found = cursor.findings.finding(code, keyword, message).with_help(help);
    // No fix is offered if several operators are equally likely.
    if let Some(meant) = nearest(word, operators())
        && !matches!(word, "loop" | "opt" | "sync" | "and")
        && !is_loop(word)
    {
        found = found.with_fix(keyword, meant);
    }
    cursor.findings.push(found);
}

/// Whether the word is `loop` and one more letter, which is equally near to all loops.
fn is_loop(word: &str) -> bool {
    word.strip_prefix("loop").is_some_and(|rest| rest.chars().count() == 1)
}

/// `region := '(' (name (',' name)*)? ')'`
fn region(cursor: &mut Cursor<'_>, keyword: Span) -> Vec<Name> {
    let operator = cursor.slice(keyword);
    if matches!(cursor.kind_after(), TokenKind::Word | TokenKind::Quoted) && !region_follows(cursor)
    {
        let message = format!("`{operator}` needs its concurrent lifelines before its operands");
        let help = match operator {
            "loopC" => "write loopC(l1, l2)(…), or loopC()(…) for none",
            _ => "write coreg(l1, l2)(…, …), or coreg()(…, …) for none",
        };
        cursor.findings.report(Code::MISSING_REGION, keyword, message, help);
        return Vec::new();
    }
    let Some(open) = cursor.expect(Sign('('), "`(` before the concurrent lifelines") else {
        return Vec::new();
    };
    names(cursor, open.span)
}

/// Whether the parenthesis at the cursor contains only a list of names.
fn region_follows(cursor: &Cursor<'_>) -> bool {
    let mut ahead = cursor.kinds_after();
    loop {
        match ahead.next() {
            Some(TokenKind::Word | TokenKind::Quoted) => match ahead.next() {
                Some(Sign(',')) => {}
                after => return matches!(after, Some(Sign(')' | ';'))),
            },
            after => return after == Some(Sign(')')),
        }
    }
}

/// `(name (',' name)*)? ')'`, after its `(`.
pub(super) fn names(cursor: &mut Cursor<'_>, open: Span) -> Vec<Name> {
    list(cursor, open, "a lifeline", Cursor::name)
}

/// As [`names`], of things called `what`. A `;` ends the list, too, and is left to the caller.
fn list<'s>(
    cursor: &mut Cursor<'s>,
    open: Span,
    what: &str,
    item: impl Fn(&mut Cursor<'s>, &str) -> Option<Name>,
) -> Vec<Name> {
    let mut names = Vec::new();
    loop {
        match cursor.kind() {
            Sign(')') => {
                cursor.bump();
                return names;
            }
            Sign(',') => {
                cursor.bump();
            }
            Sign(';') => return names,
            TokenKind::Word | TokenKind::Quoted | TokenKind::OpenQuote | TokenKind::Number => {
                names.extend(item(cursor, what));
            }
            TokenKind::End | Sign('@') => {
                cursor.unclosed(open, ')');
                return names;
            }
            _ => {
                cursor.unexpected(&format!("{what}, `,` or `)`"));
                return names;
            }
        }
    }
}
