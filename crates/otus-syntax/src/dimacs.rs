//! Boolean formulas in conjunctive normal form, in the DIMACS format (`.cnf`).
//!
//! ```text
//! c a comment
//! p cnf 3 2         the numbers of variables and of clauses
//! 1 -3 0            x₁ ∨ ¬x₃; a clause ends with 0 and may take several lines
//! 2 3 -1 0
//! %                 the end, as the files of SATLIB mark it
//! 0
//! ```
//!
//! Source: "Satisfiability: Suggested Format", the report of the DIMACS challenge of 1993. Many files deviate from it
//! slightly, which causes a warning: the header gives a wrong number of clauses, or the last clause lacks its 0.

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Severity};
use crate::grammar::Parsed;
use crate::parser::report;
use crate::source::{Source, Span, offset};

/// A formula in conjunctive normal form.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Formula {
    /// The number of variables, which are numbered from 1.
    pub variables: usize,
    /// The clauses. Each is a disjunction of literals: the number of a variable, or its negative for the negation.
    pub clauses: Vec<Vec<i32>>,
}

/// The maximum number of variables of a formula.
pub const MAX_VARIABLES: usize = 10_000_000;

/// The index of the variable of a literal.
///
/// # Panics
/// If the literal is 0.
pub fn variable(literal: i32) -> usize {
    (literal.unsigned_abs() as usize).checked_sub(1).expect("no variable has the number 0")
}

/// Reads a `.cnf`.
///
/// ```
/// use otus_syntax::{Source, dimacs};
///
/// let parsed = dimacs::parse(&Source::new("f.cnf", "p cnf 2 2\n1 -2 0 2 0\n"));
/// assert!(parsed.diagnostics.is_empty());
/// assert_eq!(parsed.tree.clauses, [vec![1, -2], vec![2]]);
/// ```
pub fn parse(source: &Source) -> Parsed<Formula> {
    let mut reader =
        Reader { source, header: None, formula: Formula::default(), found: Vec::new() };
    reader.read();
    Parsed { tree: reader.formula, diagnostics: reader.found }
}

/// The text of a formula.
pub fn write(formula: &Formula) -> String {
    use std::fmt::Write as _;
    let mut out = format!("p cnf {} {}\n", formula.variables, formula.clauses.len());
    for clause in &formula.clauses {
        for literal in clause {
            let _ = write!(out, "{literal} ");
        }
        out.push_str("0\n");
    }
    out
}

struct Reader<'a> {
    source: &'a Source,
    header: Option<Header>,
    formula: Formula,
    found: Vec<Diagnostic>,
}

struct Header {
    span: Span,
    clauses: u64,
}

/// A word with its place.
#[derive(Debug, Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    span: Span,
}

const HEADER: &str = "write `p cnf VARIABLES CLAUSES` in a line before the clauses";

impl<'a> Reader<'a> {
    fn read(&mut self) {
        let text = self.source.text();
        let text_start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let mut clause = Vec::new();
        // The span of the clause that has not ended yet.
        let mut open: Option<Span> = None;
        let mut is_headless = false;
        let mut at = text_start;
        for line in text[text_start..].split_inclusive('\n') {
            let start = at;
            at += line.len();
            let mut words = words(line, start).peekable();
            let Some(&first) = words.peek() else { continue };
            if first.text.starts_with('c') {
                continue;
            }
            if first.text.starts_with('%') {
                self.check_end(at);
                break;
            }
            if first.text == "p" {
                self.read_header(&words.collect::<Vec<_>>());
                continue;
            }
            for word in words {
                if self.header.is_none() && !is_headless {
                    is_headless = true;
                    self.error(
                        word.span,
                        "the clauses begin before the line with their number",
                        HEADER,
                    );
                }
                match self.literal(word) {
                    Some(0) => {
                        self.formula.clauses.push(std::mem::take(&mut clause));
                        open = None;
                    }
                    Some(literal) => {
                        clause.push(literal);
                        open = Some(open.map_or(word.span, |open| open.to(word.span)));
                    }
                    None => open = Some(open.map_or(word.span, |open| open.to(word.span))),
                }
            }
        }
        if let Some(open) = open {
            self.formula.clauses.push(clause);
            self.warn(open, "the last clause has no end", "end it with 0");
        }
        self.check_count(is_headless);
    }

    fn read_header(&mut self, words: &[Word<'a>]) {
        let span = words.first().map_or(Span::at(0), |first| first.span);
        let span = words.last().map_or(span, |last| span.to(last.span));
        if let Some(header) = &self.header {
            let first = header.span;
            let found =
                self.diagnostic(span, "the numbers of variables and clauses are given twice");
            let found = found.with_related(self.source.id(), first, "first here");
            report(&mut self.found, found.with_help("leave out one of the two lines"));
            return;
        }
        let numbers = match words {
            [_, kind, variables, clauses] if kind.text == "cnf" => {
                variables.text.parse::<u64>().ok().zip(clauses.text.parse::<u64>().ok())
            }
            _ => None,
        };
        // If the header is faulty, the clauses are read nevertheless.
        self.header =
            Some(Header { span, clauses: numbers.map_or(u64::MAX, |(_, clauses)| clauses) });
        self.formula.variables = MAX_VARIABLES;
        let Some((variables, _)) = numbers else {
            self.error(span, "this line should give the numbers of variables and clauses", HEADER);
            return;
        };
        match usize::try_from(variables).ok().filter(|&variables| variables <= MAX_VARIABLES) {
            Some(variables) => self.formula.variables = variables,
            None => {
                let help = format!("Otus reads formulas of up to {MAX_VARIABLES} variables");
                self.error(span, &format!("{variables} variables are too many"), &help);
            }
        }
    }

    /// The number that a word stands for: a literal, or the 0 that ends a clause.
    fn literal(&mut self, word: Word<'a>) -> Option<i32> {
        let Ok(number) = word.text.parse::<i32>() else {
            let (message, help) = if is_number(word.text) {
                (format!("no variable has so large a number: {}", word.text), "correct the number")
            } else {
                let text: String = word.text.chars().take(20).collect();
                (
                    format!("expected a literal, found `{text}`"),
                    "write numbers such as 3 or -3, and 0 at the end of a clause; comments begin with c",
                )
            };
            self.error(word.span, &message, help);
            return None;
        };
        let most = self.formula.variables;
        if self.header.is_some() && number.unsigned_abs() as usize > most {
            let message =
                format!("there is no variable {}: the formula has {most}", number.unsigned_abs());
            self.error(
                word.span,
                &message,
                "correct the literal, or the number of variables in the line `p cnf`",
            );
            return None;
        }
        Some(number)
    }

    /// Checks that nothing follows the end mark except the usual 0.
    fn check_end(&mut self, from: usize) {
        let mut rest = words(&self.source.text()[from..], from);
        if let Some(word) = rest.find(|word| !matches!(word.text, "0" | "%")) {
            let found = Diagnostic::new(
                Code::TRAILING_TEXT,
                self.source.id(),
                word.span,
                "there is text after the end of the formula, which is marked by %",
            );
            report(&mut self.found, found.with_help("remove the %, or the text"));
        }
    }

    fn check_count(&mut self, is_headless: bool) {
        let count = self.formula.clauses.len() as u64;
        match &self.header {
            None if !is_headless => {
                self.error(Span::at(0), "this text has no formula", HEADER);
            }
            Some(header) if header.clauses != u64::MAX && header.clauses != count => {
                let (span, said) = (header.span, header.clauses);
                let message = format!("this line says {said} clauses, and there are {count}");
                self.warn(
                    span,
                    &message,
                    "correct the number, or look for clauses that are missing",
                );
            }
            None | Some(_) => {}
        }
    }

    fn diagnostic(&self, span: Span, message: &str) -> Diagnostic {
        Diagnostic::new(Code::BAD_DIMACS, self.source.id(), span, message)
    }

    fn error(&mut self, span: Span, message: &str, help: &str) {
        let found = self.diagnostic(span, message).with_help(help);
        report(&mut self.found, found);
    }

    fn warn(&mut self, span: Span, message: &str, help: &str) {
        let mut found = self.diagnostic(span, message).with_help(help);
        found.severity = Severity::Warning;
        report(&mut self.found, found);
    }
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The words of a line that starts at an offset.
fn words(line: &str, start: usize) -> impl Iterator<Item = Word<'_>> {
    line.split_whitespace().map(move |text| {
        let from = start + (text.as_ptr() as usize - line.as_ptr() as usize);
        Word { text, span: Span::new(offset(from), offset(from + text.len())) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the clauses, and the findings as `severity line:column message`.
    #[track_caller]
    fn check(text: &str, variables: usize, clauses: &[&[i32]], expected: &[&str]) {
        let source = Source::new("f.cnf", text);
        let parsed = parse(&source);
        let shown = |found: &Diagnostic| {
            let (line, column) = source.line_column(found.primary.span.start);
            format!("{} {line}:{column} {}", found.severity.name(), found.message)
        };
        assert_eq!(parsed.diagnostics.iter().map(shown).collect::<Vec<_>>(), expected);
        assert_eq!(parsed.tree.clauses, clauses);
        assert_eq!(parsed.tree.variables, variables);
    }

    #[test]
    fn clauses_end_with_zero_and_not_with_the_line() {
        check("p cnf 3 2\n1 -3 0\n2 3 -1 0\n", 3, &[&[1, -3], &[2, 3, -1]], &[]);
        check("c x\n\np  cnf\t3 2\r\n1\n-3 0 2 3\nc y\n -1 0", 3, &[&[1, -3], &[2, 3, -1]], &[]);
        check("\u{feff}p cnf 0 0", 0, &[], &[]);
        check("p cnf 1 2\n0 0\n", 1, &[&[], &[]], &[]);
    }

    #[test]
    fn satlib_marks_the_end() {
        check("p cnf 2 1\n1 2 0\n%\n0\n\n", 2, &[&[1, 2]], &[]);
        check(
            "p cnf 2 1\n1 2 0\n%\n0\n2 0\n",
            2,
            &[&[1, 2]],
            &["error 5:1 there is text after the end of the formula, which is marked by %"],
        );
    }

    #[test]
    fn small_differences_are_warnings() {
        check("p cnf 2 1\n1 2", 2, &[&[1, 2]], &["warning 2:1 the last clause has no end"]);
        check(
            "p cnf 2 2\n1 2 0\n",
            2,
            &[&[1, 2]],
            &["warning 1:1 this line says 2 clauses, and there are 1"],
        );
    }

    #[test]
    fn faults_have_their_places() {
        check("", 0, &[], &["error 1:1 this text has no formula"]);
        check(
            "1 2 0\n",
            0,
            &[&[1, 2]],
            &["error 1:1 the clauses begin before the line with their number"],
        );
        check(
            "p sat 3\n1 0\n",
            MAX_VARIABLES,
            &[&[1]],
            &["error 1:1 this line should give the numbers of variables and clauses"],
        );
        check(
            "p cnf 2 2\np cnf 2 1\n1 x 0\n3 -2 0",
            2,
            &[&[1], &[-2]],
            &[
                "error 2:1 the numbers of variables and clauses are given twice",
                "error 3:3 expected a literal, found `x`",
                "error 4:1 there is no variable 3: the formula has 2",
            ],
        );
        check(
            "p cnf 99999999999 1\n99999999999 0\n",
            MAX_VARIABLES,
            &[&[]],
            &[
                "error 1:1 99999999999 variables are too many",
                "error 2:1 no variable has so large a number: 99999999999",
            ],
        );
    }

    #[test]
    fn what_is_written_is_read_again() {
        let formula = Formula { variables: 4, clauses: vec![vec![1, -4], vec![], vec![3]] };
        let text = write(&formula);
        assert_eq!(text, "p cnf 4 3\n1 -4 0\n0\n3 0\n");
        let parsed = parse(&Source::new("f.cnf", text));
        assert_eq!((parsed.tree, parsed.diagnostics), (formula, Vec::new()));
    }
}
