//! The parser of PlantUML diagrams: from text to statements.
//!
//! One pass over the lines. Each line is tried as a comment, a title, an arrow, and then by its
//! first word, in PlantUML's order; so `loop -> B : x` is an arrow from a participant named `loop`. The
//! nesting of fragments is not checked here but by [`crate::diagram::build`].
//!
//! This file selects the diagram of a text; it has the loop over the lines, the state between lines, the
//! order of the attempts, and the comments. Each of the modules below parses one kind of line.

mod command;
mod duration;
mod fragment;
mod message;
mod participant;
mod picture;
mod skip;

use std::ops::Range;

use self::duration::Duration;
use self::fragment::Opened;
use self::picture::Begun;
use self::skip::{Skipping, Until};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Severity};
use crate::diagram::picture::{Decoration, Picture};
use crate::diagram::plantuml::calls::Calls;
use crate::diagram::plantuml::line::{self, Line};
use crate::diagram::plantuml::preprocess::{self, Include};
use crate::diagram::plantuml::words;
use crate::diagram::statement::{Look, Mark, Statement, StatementKind};
use crate::diagram::values::{self, Suspects};
use crate::diagram::{directive, is_one_of, without_mark};
use crate::drawing;
use crate::name::Names;
use crate::parser::Findings;
use crate::source::{Source, Span};
use crate::suggest;

pub(super) fn statements(
    source: &Source,
    range: Span,
    include: Option<&mut Include<'_>>,
    names: &mut Names,
    findings: &mut Findings,
) -> Vec<Statement> {
    let range = without_mark(source, range);
    let Some(content) = content(source, range, findings) else { return Vec::new() };
    let lines = preprocess::expand(source.text(), content, include, findings);
    let mut reader = Reader {
        names,
        findings,
        statements: Vec::new(),
        calls: Calls::default(),
        fragments: Vec::new(),
        concurrent: 0,
        picture: Picture::default(),
        declared: Vec::new(),
        skipping: None,
        begun: None,
        has_values: values::is_declared(
            lines.iter().filter_map(|line| line.text().strip_prefix('\'')),
        ),
        suspects: Suspects::default(),
        durations: Vec::new(),
        not_understood: 0,
        other_diagram: false,
    };
    for line in &lines {
        reader.line(line);
        if reader.other_diagram {
            break;
        }
    }
    reader.never_ended();
    reader.close_all();
    if reader.has_values {
        reader.measure();
    }
    reader.picture.report(reader.findings);
    reader.suspects.report(reader.findings);
    reader.statements
}

struct Reader<'a> {
    names: &'a mut Names,
    findings: &'a mut Findings,
    statements: Vec<Statement>,
    calls: Calls,
    /// The open fragments, outermost first.
    fragments: Vec<Opened>,
    /// The number of `fragments` with concurrent operands.
    concurrent: usize,
    picture: Picture,
    /// For each symbol: whether a participant was declared.
    declared: Vec<bool>,
    skipping: Option<Skipping>,
    /// A part of the picture whose lines are being skipped, and those lines.
    begun: Option<(Begun, Vec<String>)>,
    /// Whether brackets at the end of a label are a guard.
    has_values: bool,
    suspects: Suspects,
    durations: Vec<Duration>,
    not_understood: usize,
    /// Whether the text is another kind of diagram.
    other_diagram: bool,
}

impl Reader<'_> {
    fn line(&mut self, line: &Line<'_>) {
        if let Some(Skipping { until: Until::Comment, .. }) = self.skipping {
            if line.text().ends_with("'/") {
                self.skipping = None;
            }
            return;
        }
        let Some(rest) = self.without_comments(line) else { return };
        let line = &line.part(rest);
        if self.skipping.is_some() {
            // Lines of a note may be comments too.
            if !line.text().starts_with('\'') {
                self.skip(line);
            }
            return;
        }
        let text = line.text();
        if text.is_empty() {
            return;
        }
        if let Some(comment) = text.strip_prefix('\'') {
            self.comment(line, comment);
            return;
        }
        if let Some(rest) = text.strip_prefix('!') {
            self.preprocessor(line, rest);
            return;
        }
        if let Some(rest) = text.strip_prefix('&') {
            return self.beside(line, rest.trim_start().len());
        }
        if self.title(line) || self.arrow(line) || self.sign(line) || self.command(line) {
            return;
        }
        self.line_not_understood(line);
    }

    /// `& …`: PlantUML draws the rest of the line, which has `length` bytes, in parallel with the
    /// line before.
    fn beside(&mut self, line: &Line<'_>, length: usize) {
        let rest = line.part(line.text().len() - length..line.text().len());
        let at = self.statements.len();
        self.line(&rest);
        let happens = |statement: &Statement| {
            matches!(statement.kind, StatementKind::Message(_) | StatementKind::Open(_))
        };
        let is_look = |statement: &&Statement| {
            let kind = &statement.kind;
            matches!(
                kind,
                StatementKind::Look(_) | StatementKind::Mark(Mark::Guard(_) | Mark::Anchor(_))
            )
        };
        if self.statements[at..].iter().find(|it| !is_look(it)).is_some_and(happens) {
            self.picture.add(Decoration::BESIDE, line.span(0..1));
            let mark = StatementKind::Mark(Mark::Beside);
            self.statements.insert(at, Statement { span: line.whole(), kind: mark });
        }
    }

    /// Adds a part of the picture.
    fn look(&mut self, span: Span, look: Look) {
        self.push(span, StatementKind::Look(look));
    }

    fn mark(&mut self, line: &Line<'_>, mark: drawing::Mark) {
        self.look(line.whole(), Look::Mark(mark));
    }

    fn push(&mut self, span: Span, kind: StatementKind) {
        self.statements.push(Statement { span, kind });
    }

    /// The part of a line without comments `/' … '/` at its start or end; `None` if such a comment
    /// continues on the next line.
    fn without_comments(&mut self, line: &Line<'_>) -> Option<Range<usize>> {
        let text = line.text();
        let mut start = 0;
        while text[start..].starts_with("/'") {
            match text[start + 2..].find("'/") {
                Some(length) => {
                    start += length + 4;
                    start += text[start..].len() - text[start..].trim_start().len();
                }
                None => {
                    let span = line.span(start..text.len());
                    // A comment inside a note is treated as part of the note, which saves a second
                    // state.
                    if self.skipping.is_none() {
                        self.skipping = Some(Skipping { start: span, until: Until::Comment });
                    }
                    return None;
                }
            }
        }
        let rest = &text[start..];
        let end = match rest.strip_suffix("'/").and_then(|inside| inside.rfind("/'")) {
            Some(comment) if !rest.starts_with('\'') => start + comment,
            Some(_) | None => text.len(),
        };
        Some(start..end)
    }

    fn comment(&mut self, line: &Line<'_>, comment: &str) {
        let span = line.whole();
        let at = line.span(1..line.text().len()).start;
        let Some(kind) = directive::read(comment, at, self.names, self.findings) else { return };
        if let StatementKind::Open(fragment) = &kind {
            self.enter(fragment, span, false);
        } else if kind == StatementKind::Close {
            self.leave();
        }
        self.push(span, kind);
    }

    fn preprocessor(&mut self, line: &Line<'_>, rest: &str) {
        const KEPT: &str = "theme pragma log dump_memory assert option";
        if is_one_of(first_word(rest.trim_start()), KEPT) {
            self.picture.add(Decoration::PRAGMA, line.whole());
            return;
        }
        let written = rest.split_whitespace().next().unwrap_or("");
        let shown: String = written.chars().take(20).collect();
        let span = line.span(0..1 + rest.find(char::is_whitespace).unwrap_or(rest.len()));
        let message = format!("the preprocessor has no `!{shown}`");
        let help =
            "a variable is set with `!$name = value`, a procedure begins with `!procedure $name()`";
        self.findings.report(Code::BAD_PREPROCESSING, span, message, help);
    }

    fn line_not_understood(&mut self, line: &Line<'_>) {
        let text = line.text();
        let word = first_word(text);
        let foreign = is_one_of(word, words::FOREIGN)
            || ["[*]", "(*)", "(", ":"].iter().any(|sign| text.starts_with(sign));
        if foreign {
            let length = if word.is_empty() { text.len().min(1) } else { word.len() };
            let message = "this line belongs to another kind of diagram";
            let help = "Otus reads sequence diagrams: participants, arrows and fragments";
            self.findings.report(Code::NOT_A_DIAGRAM, line.span(0..length), message, help);
            self.other_diagram = true;
            return;
        }
        self.not_understood += 1;
        if self.not_understood > MAX_NOT_UNDERSTOOD {
            if self.not_understood == MAX_NOT_UNDERSTOOD + 1 {
                let message = "further lines that are not understood are not reported";
                let help = "is this a PlantUML sequence diagram?";
                self.findings.report(Code::TOO_MANY_ERRORS, line.whole(), message, help);
            }
            return;
        }
        let help = if text.contains("->") || text.contains("<-") {
            String::from(
                "an arrow is written `A -> B : message`, or `A ->] : message` and \
                 `[-> A : message` to and from outside; quote a name that has other characters \
                 than letters, digits, `_`, `.` and `@`",
            )
        } else {
            let lower = word.to_ascii_lowercase();
            if words::is_participant_kind(&lower) || lower == "create" {
                format!(
                    "write `{lower} NAME` or `{lower} \"what it shows\" as NAME`; quote a name that \
                     has other characters than letters, digits, `_`, `.` and `@`"
                )
            } else if lower == "and" {
                String::from("in PlantUML, `else` separates the operands of `par` too")
            } else if words::commands().any(|command| command == lower) {
                format!("PlantUML has lines that begin with `{lower}`, but not this one")
            } else {
                suggest::did_you_mean(&lower, words::commands()).unwrap_or_else(|| {
                    String::from(
                        "a message is written `A -> B : message`, a comment begins with `'`",
                    )
                })
            }
        };
        let message = "this line is not understood";
        self.findings.report(Code::LINE_NOT_UNDERSTOOD, line.whole(), message, help);
    }
}

/// The maximum number of syntax errors that are reported; further ones usually have the same cause.
const MAX_NOT_UNDERSTOOD: usize = 50;

const BETWEEN: &str = "a sequence diagram stands between `@startuml` and `@enduml`";

/// The span of the diagram to parse.
fn content(source: &Source, range: Span, findings: &mut Findings) -> Option<Span> {
    let found = line::diagrams(source.text(), range);
    let Some(first) = found.first() else {
        if source.slice(range).trim().is_empty() {
            findings.report(Code::NOT_A_DIAGRAM, range, "there is no diagram here", BETWEEN);
        }
        return Some(range);
    };
    let mut sequences = found.iter().filter(|diagram| diagram.kind.eq_ignore_ascii_case("uml"));
    let Some(diagram) = sequences.next() else {
        let message = format!("`@start{}` does not start a sequence diagram", first.kind);
        findings.report(Code::NOT_A_DIAGRAM, first.start, message, BETWEEN);
        return None;
    };
    if !diagram.closed {
        let message = "`@startuml` has no `@enduml`";
        let help = "write `@enduml` on a line after the diagram";
        findings.report(Code::NEVER_CLOSED, diagram.start, message, help);
    }
    if let Some(second) = sequences.next() {
        let more = 1 + sequences.count();
        let message = format!("only the first diagram is read; {more} more in this text");
        let found = source
            .finding(Code::SEVERAL_INTERACTIONS, second.start, message)
            .with_related(source.id(), diagram.start, "this one is read")
            .with_help("put each diagram into its own file");
        findings.push(Diagnostic { severity: Severity::Warning, ..found });
    }
    Some(diagram.content)
}

/// The letters, digits and `_` at the start.
fn first_word(text: &str) -> &str {
    &text[..text.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(text.len())]
}
