//! The parser of Mermaid diagrams, one statement at a time.

mod line;

use crate::ast::{Comment, SpecFile};
use crate::code::Code;
use crate::diagram::picture::{Decoration, Picture};
use crate::diagram::statement::{Fragment, Look, Statement, StatementKind};
use crate::diagram::values::{self, Suspects};
use crate::diagram::{UNNAMED, build, directive, is_one_of, without_mark};
use crate::drawing::{Title, TitlePlace};
use crate::grammar::Parsed;
use crate::name::{Name, Names};
use crate::parser::Findings;
use crate::source::{Source, Span, offset};
use crate::suggest;

use super::entity::{decode, entity_length, on_one_line};
use super::lexis::{self, KEYWORDS};
use super::preamble;

/// Parses the diagram at `range` of a text.
pub fn read(source: &Source, range: Span) -> Parsed<SpecFile> {
    let range = diagram_at(source, range);
    let reader = Reader::at(source, range);
    let Reader { names, statements, mut findings, comments, picture, suspects, .. } = reader;
    picture.report(&mut findings);
    suspects.report(&mut findings);
    let tree = build::build(range, names, &statements, &mut findings);
    findings.with_tree(SpecFile { comments, ..tree })
}

/// The statements of the diagram at `range` of a text, without the tree that they make.
pub(crate) fn statements(source: &Source, range: Span) -> (Names, Vec<Statement>) {
    let reader = Reader::at(source, diagram_at(source, range));
    (reader.names, reader.statements)
}

fn diagram_at(source: &Source, range: Span) -> Span {
    let range = if source.text().get(range.range()).is_some() { range } else { source.whole() };
    without_mark(source, range)
}

/// The number of wrong lines after which parsing stops, because the text is probably not a diagram.
const MAX_ERRORS: u32 = 100;

struct Reader<'a> {
    /// The source up to the end of the diagram, so that offsets are those of the source.
    text: &'a str,
    at: usize,
    names: Names,
    statements: Vec<Statement>,
    findings: Findings,
    comments: Vec<Comment>,
    picture: Picture,
    /// The open fragments and blocks. A keyword is closed by `end`, a directive by `otus: end`.
    openers: Vec<Opener>,
    open_directives: usize,
    errors: u32,
    /// The closing brackets for which a search has failed, so that later searches for them fail
    /// too.
    unclosed: Vec<&'static str>,
    /// Whether brackets at the end of a label are a guard.
    has_values: bool,
    suspects: Suspects,
}

#[derive(Clone, Copy)]
struct Opener {
    span: Span,
    kind: OpenerKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OpenerKind {
    Keyword,
    /// A `box` around participants.
    Box,
    Directive,
}

impl<'a> Reader<'a> {
    /// A reader that has read the whole diagram.
    fn at(source: &'a Source, range: Span) -> Reader<'a> {
        let mut reader = Reader {
            text: &source.text()[..range.end as usize],
            at: range.start as usize,
            names: Names::default(),
            statements: Vec::new(),
            findings: Findings::unbounded(source.id()),
            comments: Vec::new(),
            picture: Picture::default(),
            openers: Vec::new(),
            open_directives: 0,
            errors: 0,
            unclosed: Vec::new(),
            has_values: values::is_declared(
                source.text()[range.range()]
                    .lines()
                    .filter_map(|line| line.trim().strip_prefix("%%")),
            ),
            suspects: Suspects::default(),
        };
        if reader.header(range) {
            reader.trivia();
            while reader.at < reader.text.len() {
                reader.statement();
                reader.trivia();
            }
        }
        reader
    }
}

impl Reader<'_> {
    /// Parses the text up to and including `sequenceDiagram`. Returns whether to parse the rest.
    fn header(&mut self, range: Span) -> bool {
        if let Some((start, end)) = preamble::front_matter(self.rest()) {
            let span = self.span(self.at + start, self.at + start + 3);
            let is_closed = self.rest()[..end].trim_end().len() > start + 3;
            self.at += end;
            if is_closed {
                self.picture.add(Decoration::SETTINGS, span);
                let matter = &self.text[self.at - end..self.at];
                let title = matter.lines().find_map(|line| line.strip_prefix("title:"));
                if let Some(title) =
                    title.map(|title| title.trim().trim_matches(['"', '\'']).to_owned())
                {
                    self.look(span, Look::Title(Title { place: TitlePlace::Title, text: title }));
                }
            } else {
                self.never_closed(span, "front matter", "a line `---`");
                // It is unknown where the diagram begins, so the rest is not parsed.
                return false;
            }
        }
        self.trivia();
        let line_end = self.line_end(self.at);
        let line = self.text[self.at..line_end].trim_end();
        let word = lexis::word(line);
        let first = line.chars().next().map_or(0, char::len_utf8);
        let span = self.span(self.at, self.at + word.len().max(first));
        if word == "sequenceDiagram" {
            self.at += word.len();
            return true;
        }
        let beginning = "a Mermaid sequence diagram begins with a line `sequenceDiagram`";
        if line.is_empty() {
            let message = "there is no diagram here";
            self.findings.report(Code::NOT_A_DIAGRAM, range, message, beginning);
            return false;
        }
        if let Some(kind) = preamble::other_kind(line) {
            let message = format!("this is a Mermaid `{kind}`, not a sequence diagram");
            let help = "only sequence diagrams (`sequenceDiagram`) have a meaning here";
            self.findings.report(Code::NOT_A_DIAGRAM, span, message, help);
            return false;
        }
        let nearest = suggest::nearest(word, ["sequenceDiagram"]);
        let is_statement =
            is_one_of(word, KEYWORDS) || lexis::arrow(&line[lexis::actor_length(line)..]).is_some();
        let message = match nearest {
            Some(_) => format!("`{word}` is not a kind of diagram"),
            None => "this is not a Mermaid sequence diagram".to_owned(),
        };
        let found = self.findings.finding(Code::NOT_A_DIAGRAM, span, message);
        self.findings.push(found.with_nearest(nearest, beginning));
        if nearest.is_some() {
            self.at = line_end;
        }
        // If only the first line is missing or misspelt, the rest is still parsed to find its
        // faults.
        nearest.is_some() || is_statement
    }

    /// Skips white space, `;`, comments and settings; parses the directives in comments.
    fn trivia(&mut self) {
        loop {
            let rest = self.rest();
            let space =
                rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == ';').len();
            self.at += space;
            let rest = self.rest();
            if rest.starts_with("%%{") {
                let start = self.at;
                let span = self.span(start, start + 3);
                match self.find("}%%", start) {
                    Some(end) => {
                        self.picture.add(Decoration::SETTINGS, span);
                        self.at = end;
                    }
                    None => {
                        self.never_closed(span, "setting", "`}%%`");
                        self.at = self.line_end(start);
                    }
                }
            } else if rest.starts_with('%')
                || (rest.starts_with('#') && entity_length(rest).is_none())
            {
                self.comment();
            } else {
                return;
            }
        }
    }

    /// A comment to the end of the line, which may be a directive.
    fn comment(&mut self) {
        let start = self.at;
        let end = self.line_end(start);
        self.at = end;
        let line = self.text[start..end].trim_end();
        let span = self.span(start, start + line.len());
        if let Some(body) = line.strip_prefix("%%") {
            let found = self.findings.list.len();
            let at = offset(start + 2);
            match directive::read(body, at, &mut self.names, &mut self.findings) {
                Some(kind) => return self.directive(span, kind),
                None if self.findings.list.len() > found => return,
                None => {}
            }
        }
        let line_start = self.text[..start].rfind(['\n', '\r']).map_or(0, |at| at + 1);
        let trailing = !self.text[line_start..start].trim().is_empty();
        self.comments.push(Comment { span, text: line.into(), trailing });
    }

    fn directive(&mut self, span: Span, kind: StatementKind) {
        if kind == StatementKind::Close {
            return self.close(span, true);
        }
        if matches!(kind, StatementKind::Open(_)) {
            self.opened(span, OpenerKind::Directive);
        }
        self.push(span, kind);
    }

    fn open(&mut self, span: Span, fragment: Fragment) {
        self.opened(span, OpenerKind::Keyword);
        self.push(span, StatementKind::Open(fragment));
    }

    fn opened(&mut self, span: Span, kind: OpenerKind) {
        self.open_directives += usize::from(kind == OpenerKind::Directive);
        self.openers.push(Opener { span, kind });
    }

    /// Closes the innermost keyword (`end`) or the innermost directive (`otus: end`). Fragments that are
    /// still open inside it are reported.
    fn close(&mut self, span: Span, is_directive: bool) {
        let candidates = if is_directive {
            self.open_directives
        } else {
            self.openers.len() - self.open_directives
        };
        if candidates == 0 {
            let (message, help) = match (is_directive, self.openers.is_empty()) {
                (true, _) => (
                    "this `otus: end` closes nothing: no `otus:` block is open here",
                    "remove it, or open a block above (`%% otus: strict`, …); `alt`, `loop` and \
                     other fragments close with a plain `end`",
                ),
                (false, true) => (
                    "this `end` closes nothing: no fragment is open here",
                    "remove it, or open a fragment above (`alt`, `loop`, …)",
                ),
                (false, false) => (
                    "this `end` closes nothing: only an `otus:` block is open here",
                    "a block that a directive opened closes with `%% otus: end`",
                ),
            };
            self.findings.report(Code::NOTHING_TO_CLOSE, span, message, help);
            return;
        }
        while let Some(opener) = self.openers.pop() {
            let fits = (opener.kind == OpenerKind::Directive) == is_directive;
            self.open_directives -= usize::from(opener.kind == OpenerKind::Directive);
            match opener.kind {
                OpenerKind::Box => self.look(span, Look::CloseBox),
                OpenerKind::Keyword | OpenerKind::Directive => {
                    self.push(span, StatementKind::Close);
                }
            }
            if fits {
                return;
            }
            let (what, close) = match opener.kind {
                OpenerKind::Directive => ("block", "`%% otus: end`"),
                OpenerKind::Keyword | OpenerKind::Box => ("fragment", "`end`"),
            };
            self.never_closed(opener.span, what, close);
        }
    }

    fn never_closed(&mut self, span: Span, what: &str, close: &str) {
        let message = format!("this {what} is never closed");
        self.findings.report(Code::NEVER_CLOSED, span, message, format!("close it with {close}"));
    }

    /// Adds a part of the picture.
    fn look(&mut self, span: Span, look: Look) {
        self.push(span, StatementKind::Look(look));
    }

    fn push(&mut self, span: Span, kind: StatementKind) {
        self.statements.push(Statement { span, kind });
    }

    /// Reports a syntax error; parsing continues with the next line.
    fn not_understood(&mut self, span: Span, message: &str, help: impl Into<String>) {
        self.error(Code::LINE_NOT_UNDERSTOOD, span, message, help);
    }

    fn error(&mut self, code: Code, span: Span, message: &str, help: impl Into<String>) {
        self.findings.report(code, span, message, help);
        self.at = self.line_end(self.at.max(span.start as usize));
        self.errors += 1;
        if self.errors == MAX_ERRORS {
            let rest = Span::at(offset(self.at));
            let message = format!("{MAX_ERRORS} lines are wrong; the rest was not read");
            let help = "is this a Mermaid sequence diagram?";
            self.findings.report(Code::TOO_MANY_ERRORS, rest, message, help);
            // Cuts the text here, so that no function reads beyond this point.
            self.text = &self.text[..self.at];
        }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(offset(start), offset(end.min(self.text.len()).max(start)))
    }

    fn name(&mut self, start: usize, end: usize) -> Name {
        let span = self.span(start, end);
        let symbol = self.names.intern(&decode(&self.text[start..end]));
        Name { symbol, span }
    }

    /// The name of a message: its text, with line breaks as blanks.
    fn label_name(&mut self, start: usize, end: usize) -> Name {
        let span = self.span(start, end);
        let symbol = self.names.intern(&on_one_line(&self.text[start..end], decode));
        Name { symbol, span }
    }

    /// The name of a message without a text.
    fn unnamed(&mut self, span: Span) -> Name {
        Name { symbol: self.names.intern(UNNAMED), span }
    }

    /// The end of the line at `from`, without its line break.
    fn line_end(&self, from: usize) -> usize {
        let from = from.min(self.text.len());
        memchr::memchr2(b'\n', b'\r', &self.text.as_bytes()[from..])
            .map_or(self.text.len(), |length| from + length)
    }

    /// The end of a text: a line break, a `;` or a comment.
    fn text_end(&self, from: usize) -> usize {
        from + lexis::run_length(&self.text[from..], |b| !matches!(b, b'\n' | b'\r' | b';' | b'#'))
    }

    /// The first offset from `from` on that is not a blank of the same line.
    fn skip_blanks(&self, from: usize) -> usize {
        let rest = &self.text[from..];
        let is_blank = |c: char| c.is_whitespace() && c != '\n' && c != '\r';
        from + rest.len() - rest.trim_start_matches(is_blank).len()
    }

    /// The offset after the next closer. A failure is recorded, so all searches together take linear time.
    fn find(&mut self, closer: &'static str, from: usize) -> Option<usize> {
        if self.unclosed.contains(&closer) {
            return None;
        }
        let found = memchr::memmem::find(&self.text.as_bytes()[from..], closer.as_bytes());
        if found.is_none() {
            self.unclosed.push(closer);
        }
        found.map(|length| from + length + closer.len())
    }
}
