//! The grammar of declarations: `@message{ m1; m2 }` and `@lifeline{ a; b }`.

use super::braced;
use crate::ast::{Declaration, Declarations};
use crate::code::Code;
use crate::lexer::TokenKind::{self, Sign};
use crate::parser::Cursor;
use crate::source::Span;

/// `declarations := '{' (name (';' name)* ';'?)? '}'`, after its keyword; `at` is the `@`.
pub(super) fn declarations(cursor: &mut Cursor<'_>, at: Span) -> Declarations {
    let mut names = Vec::new();
    let mut commas_reported = false;
    braced(cursor, |cursor| match cursor.kind() {
        Sign(',') => {
            let comma = cursor.bump().span;
            if !commas_reported {
                commas_reported = true;
                let message = "declared names are separated by `;`, not `,`";
                let help = "replace the commas of this section by `;`";
                let found = cursor.findings.finding(Code::UNEXPECTED_TOKEN, comma, message);
                cursor.findings.push(found.with_help(help).with_fix(comma, ";"));
            }
        }
        TokenKind::Word | TokenKind::Quoted | TokenKind::OpenQuote | TokenKind::Number => {
            if let Some(name) = cursor.name("a declared name") {
                names.push(Declaration { name, label: None });
            }
            separator(cursor);
        }
        _ => {
            cursor.unexpected("a name, `;` or `}`");
            cursor.bump();
        }
    });
    Declarations { span: Span::new(at.start, cursor.previous_end()), names }
}

/// Reports two names without a separator between them.
fn separator(cursor: &mut Cursor<'_>) {
    if !matches!(cursor.kind(), TokenKind::Word | TokenKind::Quoted | TokenKind::Number) {
        return;
    }
    let message = format!("`;` is missing before `{}`", cursor.text());
    let help = "separate declared names by `;`, or quote a name that has a space";
    let found = cursor.findings.finding(Code::UNEXPECTED_TOKEN, cursor.token().span, message);
    cursor.findings.push(found.with_help(help).with_fix(Span::at(cursor.previous_end()), ";"));
}
