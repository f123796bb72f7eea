//! From the text of a diagram to its statements.
//!
//! One pass over the lines. Each line is tried as a comment, a title, an arrow, and then by its
//! first word, in the order in which PlantUML tries them; `loop -> B : x` is thus an arrow from a
//! participant called `loop`. Fragments are passed on as they stand: whether they nest is judged by
//! [`crate::diagram::build`].

use std::ops::Range;

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Severity};
use crate::diagram::directive;
use crate::diagram::plantuml::arrow::{self, Activation, Arrow, Participant, Reading, Side};
use crate::diagram::plantuml::calls::{Call, Calls, Reply};
use crate::diagram::plantuml::line::{self, Line, Lines};
use crate::diagram::plantuml::picture::{Decoration, Picture};
use crate::diagram::plantuml::{text, words};
use crate::diagram::statement::{Block, End, Fragment, Separator, Statement, StatementKind};
use crate::name::{Name, Names};
use crate::source::{Source, SourceId, Span};
use crate::suggest;

/// The statements of the diagram at `range`.
pub(super) fn statements(
    source: &Source,
    range: Span,
    names: &mut Names,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Statement> {
    let Some(content) = content(source, range, diagnostics) else { return Vec::new() };
    let mut reader = Reader {
        source: source.id(),
        names,
        diagnostics,
        statements: Vec::new(),
        calls: Calls::default(),
        fragments: Vec::new(),
        concurrent: 0,
        picture: Picture::default(),
        declared: Vec::new(),
        skipping: None,
        not_understood: 0,
        other_diagram: false,
    };
    for line in Lines::new(source.text(), content) {
        reader.line(&line);
        if reader.other_diagram {
            break;
        }
    }
    reader.finish()
}

/// Where the diagram to read stands.
fn content(source: &Source, range: Span, diagnostics: &mut Vec<Diagnostic>) -> Option<Span> {
    let found = line::diagrams(source.text(), range);
    let Some(first) = found.first() else {
        if source.slice(range).trim().is_empty() {
            diagnostics.push(
                Diagnostic::new(
                    Code::NOT_A_DIAGRAM,
                    source.id(),
                    range,
                    "there is no diagram here",
                )
                .with_help("a sequence diagram stands between `@startuml` and `@enduml`"),
            );
        }
        return Some(range);
    };
    let mut sequences = found.iter().filter(|diagram| diagram.kind == "uml");
    let Some(diagram) = sequences.next() else {
        let message = format!("`@start{}` does not start a sequence diagram", first.kind);
        diagnostics.push(
            Diagnostic::new(Code::NOT_A_DIAGRAM, source.id(), first.start, message)
                .with_help("a sequence diagram stands between `@startuml` and `@enduml`"),
        );
        return None;
    };
    if !diagram.closed {
        let message = "`@startuml` has no `@enduml`";
        diagnostics.push(
            Diagnostic::new(Code::NEVER_CLOSED, source.id(), diagram.start, message)
                .with_help("write `@enduml` on a line after the diagram"),
        );
    }
    if let Some(second) = sequences.next() {
        let more = 1 + sequences.count();
        let message = format!("only the first diagram is read; {more} more in this text");
        let mut diagnostic =
            Diagnostic::new(Code::SEVERAL_INTERACTIONS, source.id(), second.start, message)
                .with_related(source.id(), diagram.start, "this one is read")
                .with_help("put each diagram into its own file");
        diagnostic.severity = Severity::Warning;
        diagnostics.push(diagnostic);
    }
    Some(diagram.content)
}

/// After this many lines that are not understood, more would only repeat the cause.
const MAX_NOT_UNDERSTOOD: usize = 50;

struct Reader<'a> {
    source: SourceId,
    names: &'a mut Names,
    diagnostics: &'a mut Vec<Diagnostic>,
    statements: Vec<Statement>,
    calls: Calls,
    /// The open fragments, outermost first.
    fragments: Vec<Opened>,
    /// How many of `fragments` run their operands concurrently.
    concurrent: usize,
    picture: Picture,
    /// By symbol: whether a participant was declared.
    declared: Vec<bool>,
    skipping: Option<Skipping>,
    not_understood: usize,
    /// Whether the text turned out to be another kind of diagram.
    other_diagram: bool,
}

/// What must be known of a fragment until it ends.
#[derive(Clone, Copy)]
struct Opened {
    /// Whether its operands run concurrently.
    concurrent: bool,
    /// Whether PlantUML sees it: not if a directive opened it.
    drawn: bool,
}

/// A construct of several lines that is being read over.
struct Skipping {
    /// Where it began.
    start: Span,
    until: Until,
}

/// What ends a construct of several lines.
enum Until {
    /// A line that ends with `'/`.
    Comment,
    /// `end note` or `endnote`, with any of the words.
    End(&'static [&'static str]),
    /// As many `}` as `{`.
    Brace(usize),
    /// `</style>`
    Style,
    /// `]`, and the lines until then are the label of a participant.
    Label { name: Name, lines: Vec<String> },
}

impl Until {
    /// What it is.
    fn word(&self) -> &'static str {
        match self {
            Until::Comment => "comment",
            Until::End(words) => words[0],
            Until::Brace(_) => "block",
            Until::Style => "style",
            Until::Label { .. } => "label",
        }
    }

    /// What to write to end it.
    fn written(&self) -> String {
        match self {
            Until::Comment => String::from("'/"),
            Until::End(words) => format!("end {}", words[0]),
            Until::Brace(_) => String::from("}"),
            Until::Style => String::from("</style>"),
            Until::Label { .. } => String::from("]"),
        }
    }
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
            self.skip(line);
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
        if text.starts_with('&') {
            self.unsupported(
                line.span(0..1),
                "`&` draws this beside the line before, which says nothing about order",
                "write `par`, `else`, `end` around what happens at the same time",
            );
            return;
        }
        if self.title(line) || self.arrow(line) || self.sign(line) || self.command(line) {
            return;
        }
        self.line_not_understood(line);
    }

    fn finish(mut self) -> Vec<Statement> {
        if let Some(skipping) = self.skipping.take() {
            let end = skipping.until.written();
            let code = match skipping.until {
                Until::Comment => Code::UNTERMINATED_COMMENT,
                Until::End(_) | Until::Brace(_) | Until::Style | Until::Label { .. } => {
                    Code::NEVER_CLOSED
                }
            };
            let message = format!(
                "this {} has no `{end}`, so the rest of the diagram is lost",
                skipping.until.word()
            );
            self.diagnostics.push(
                Diagnostic::new(code, self.source, skipping.start, message)
                    .with_help(format!("write `{end}` on a line where it ends")),
            );
        }
        self.picture.report(self.source, self.diagnostics);
        self.statements
    }

    /// The part of a line that is not in `/' … '/` at its start or end; `None` if such a comment
    /// begins and goes on.
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
                    // A comment inside a note ends before the note does; to keep one state is
                    // worth more than to tell that apart.
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
        let Some(kind) = directive::read(self.source, comment, at, self.names, self.diagnostics)
        else {
            return;
        };
        match &kind {
            StatementKind::Open(Fragment::Block(block)) => {
                let concurrent = matches!(block, Block::Par | Block::Coreg(_));
                self.enter(Opened { concurrent, drawn: false });
            }
            StatementKind::Close => self.leave(),
            StatementKind::Open(_)
            | StatementKind::Participant { .. }
            | StatementKind::Message { .. }
            | StatementKind::Next(_)
            | StatementKind::Mark(_)
            | StatementKind::Empty
            | StatementKind::Lifelines(_)
            | StatementKind::Messages(_) => {}
        }
        self.push(span, kind);
    }

    fn preprocessor(&mut self, line: &Line<'_>, rest: &str) {
        let word = first_word(rest).to_ascii_lowercase();
        if matches!(word.as_str(), "theme" | "pragma" | "log" | "dump_memory" | "assert") {
            self.picture.meet(Decoration::Pragma, line.whole());
            return;
        }
        let written = rest.split_whitespace().next().unwrap_or("");
        let shown: String = written.chars().take(20).collect();
        self.unsupported(
            line.span(0..1 + rest.find(char::is_whitespace).unwrap_or(rest.len())),
            &format!("`!{shown}` changes the text of the diagram before PlantUML reads it"),
            "give Otus the text after preprocessing, as `plantuml -preproc FILE` writes it",
        );
    }

    /// Titles and their kin, which win over arrows: `title -> x` is a title.
    fn title(&mut self, line: &Line<'_>) -> bool {
        let text = line.text();
        let lower = first_word(text).to_ascii_lowercase();
        let (word, rest) = match lower.as_str() {
            "left" | "right" | "center" => {
                let rest = text[lower.len()..].trim_start();
                let word = first_word(rest);
                if word.eq_ignore_ascii_case("header") || word.eq_ignore_ascii_case("footer") {
                    (word.to_ascii_lowercase(), &rest[word.len()..])
                } else {
                    return false;
                }
            }
            _ => (lower.clone(), &text[lower.len()..]),
        };
        let rest = rest.trim();
        let words: &'static [&'static str] = match word.as_str() {
            "title" => &["title"],
            "header" => &["header"],
            "footer" => &["footer"],
            "legend" if !rest.starts_with(['-', '<']) => &["legend"],
            "caption" | "mainframe" => &[],
            _ => return false,
        };
        self.picture.meet(Decoration::Title, line.whole());
        let place = |word: &str| {
            ["left", "right", "center", "top", "bottom"]
                .iter()
                .any(|place| word.eq_ignore_ascii_case(place))
        };
        let alone = rest.is_empty()
            || word == "legend"
                && rest.split_whitespace().all(|word| place(word) || word.starts_with('#'));
        if alone && !words.is_empty() {
            self.skip_until(line, Until::End(words));
        }
        true
    }

    /// Lines that begin with a sign: dividers, delays, spaces, styles.
    fn sign(&mut self, line: &Line<'_>) -> bool {
        let text = line.text();
        let decoration = if text.starts_with("==") && text.ends_with("==") && text.len() >= 4 {
            Decoration::Divider
        } else if text == "…" || text.starts_with("...") && text.ends_with("...") {
            Decoration::Delay
        } else if text == "|||" || is_space(text) {
            Decoration::Space
        } else if text.eq_ignore_ascii_case("<style>") {
            self.skip_until(line, Until::Style);
            Decoration::Style
        } else {
            return false;
        };
        self.picture.meet(decoration, line.whole());
        true
    }

    fn arrow(&mut self, line: &Line<'_>) -> bool {
        match arrow::read(line.text()) {
            Reading::Arrow(arrow) => self.message(line, &arrow),
            Reading::Both(place) => self.unsupported(
                line.span(trimmed(line.text(), place)),
                "an arrow with two heads stands for two messages whose order it does not say",
                "write two arrows, `A -> B : m` and `B -> A : m`, inside `par` if their order is open",
            ),
            Reading::Unclear(place) => self.unsupported(
                line.span(trimmed(line.text(), place)),
                "versions of PlantUML disagree on which way this arrow points",
                "write `->x` or `x<-` to say which end is the target",
            ),
            Reading::Multicast(place) => self.unsupported(
                line.span(trimmed(line.text(), place)),
                "one arrow to several targets does not say how they receive it",
                "write `group broadcast`, one arrow to each target, and `end`",
            ),
            Reading::Headless(place) => {
                let message = "this line between participants has no arrow head";
                let span = line.span(trimmed(line.text(), place));
                self.diagnostics.push(
                    Diagnostic::new(Code::LINE_NOT_UNDERSTOOD, self.source, span, message)
                        .with_help("write `->` for a message, `-->` for a reply"),
                );
            }
            Reading::Duration => self.picture.meet(Decoration::Anchor, line.whole()),
            Reading::Other => return false,
        }
        true
    }

    fn message(&mut self, line: &Line<'_>, arrow: &Arrow) {
        let (from, to) = (self.end(line, &arrow.from), self.end(line, &arrow.to));
        if line.text().starts_with('{') {
            self.picture.meet(Decoration::Anchor, line.whole());
        }
        if arrow.crossed {
            self.picture.meet(Decoration::Cross, line.whole());
        }
        let label = arrow.label.clone().unwrap_or(line.text().len()..line.text().len());
        let text = text::decode(&line.text()[label.clone()]);
        if text.is_empty() {
            let span = if label.is_empty() { line.whole() } else { line.span(label) };
            self.diagnostics.push(
                Diagnostic::new(Code::EMPTY_NAME, self.source, span, "this arrow has no message")
                    .with_help("name the message after a colon: `A -> B : request`"),
            );
        } else {
            let message = Name { symbol: self.names.intern(&text), span: line.span(label) };
            self.push(line.whole(), StatementKind::Message { from, to, message });
        }
        self.calls.message(Call { from, to });
        if arrow.activations.is_empty() {
            if self.calls.automatic && !arrow.crossed {
                if arrow.dotted {
                    self.calls.deactivate();
                } else {
                    self.calls.activate();
                }
            }
            return;
        }
        for activation in &arrow.activations {
            let decoration = match activation {
                Activation::Activate => {
                    self.calls.activate();
                    Decoration::Activation
                }
                Activation::Deactivate => {
                    self.calls.deactivate();
                    Decoration::Activation
                }
                Activation::Create => Decoration::Create,
                Activation::Destroy => Decoration::Destroy,
            };
            self.picture.meet(decoration, line.whole());
        }
    }

    fn end(&mut self, line: &Line<'_>, side: &Side) -> End {
        match side {
            Side::Outside => End::Environment,
            Side::Participant(participant) => {
                let name = self.name(line, participant);
                let known = self.declared.get(name.symbol.0 as usize).copied().unwrap_or(false);
                if let Some(label) = &participant.label
                    && !known
                {
                    let label = text::decode(&line.text()[label.clone()]).into_owned();
                    self.declare(line.span(participant.place.clone()), name, Some(label));
                }
                End::Lifeline(name)
            }
        }
    }

    fn name(&mut self, line: &Line<'_>, participant: &Participant) -> Name {
        let written = &line.text()[participant.name.clone()];
        let symbol = if participant.quoted {
            self.names.intern(&text::decode(written))
        } else {
            self.names.intern(written)
        };
        Name { symbol, span: line.span(participant.place.clone()) }
    }

    fn declare(&mut self, span: Span, name: Name, label: Option<String>) {
        let index = name.symbol.0 as usize;
        if self.declared.len() <= index {
            self.declared.resize(index + 1, false);
        }
        self.declared[index] = true;
        let label = label.filter(|label| label != self.names.text(name.symbol));
        self.push(span, StatementKind::Participant { name, label });
    }

    /// Commands, by their first word.
    fn command(&mut self, line: &Line<'_>) -> bool {
        let text = line.text();
        // `/ note …` puts a note beside the one before.
        let text = text.strip_prefix('/').map_or(text, str::trim_start);
        let at = line.text().len() - text.len();
        let written = first_word(text);
        let word = written.to_ascii_lowercase();
        let rest = &text[written.len()..];
        let start = at + written.len();
        // Words stand alone, except that a colour may follow a fragment's at once.
        let alone = rest.is_empty() || rest.starts_with(char::is_whitespace);
        if at > 0 && !matches!(word.as_str(), "note" | "hnote" | "rnote") {
            return false;
        }
        match word.as_str() {
            "alt" | "opt" | "loop" | "par" | "par2" | "break" | "critical" | "group"
                if alone || rest.starts_with('#') =>
            {
                self.fragment(line, &word, start);
            }
            "else" | "also" if alone => {
                let separator = if word == "else" { Separator::Else } else { Separator::And };
                if !without_colours(rest).is_empty() {
                    self.picture.meet(Decoration::Guard, line.whole());
                }
                self.calls.next();
                self.push(line.whole(), StatementKind::Next(separator));
            }
            "end" if alone => return self.end_of(line, rest.trim()),
            "endbox" if alone => self.picture.meet(Decoration::Box, line.whole()),
            "participant" | "actor" | "boundary" | "control" | "entity" | "database"
            | "collections" | "queue"
                if alone =>
            {
                return self.participant(line, start);
            }
            "create" if alone => {
                self.picture.meet(Decoration::Create, line.whole());
                let kind = first_word(rest.trim_start());
                let after = rest.trim_start()[kind.len()..].trim_start();
                let named = words::is_participant_kind(kind) && !after.is_empty();
                let skip = if named { rest.len() - after.len() } else { 0 };
                return self.participant(line, start + skip);
            }
            "activate" | "deactivate" | "destroy" if alone => {
                return self.life(line, &word, rest.trim());
            }
            "autoactivate" if is_switch(rest) => {
                self.calls.automatic = rest.trim().eq_ignore_ascii_case("on");
                self.picture.meet(Decoration::Activation, line.whole());
            }
            "return" if alone => self.reply(line, start),
            "note" | "hnote" | "rnote" if has_place(rest) => {
                self.picture.meet(Decoration::Note, line.whole());
                if colon_outside_quotes(rest).is_none() {
                    self.skip_until(line, Until::End(&["note", "hnote", "rnote"]));
                }
            }
            "ref" if first_word(rest.trim_start()).eq_ignore_ascii_case("over") => {
                self.picture.meet(Decoration::Reference, line.whole());
                if colon_outside_quotes(rest).is_none() {
                    self.skip_until(line, Until::End(&["ref"]));
                }
            }
            "box" if alone || rest.starts_with('#') => {
                self.picture.meet(Decoration::Box, line.whole());
            }
            "autonumber" if alone => self.picture.meet(Decoration::Autonumber, line.whole()),
            "newpage" | "autonewpage" if alone => {
                self.picture.meet(Decoration::Page, line.whole());
            }
            "ignore" if rest.trim().eq_ignore_ascii_case("newpage") => {
                self.picture.meet(Decoration::Page, line.whole());
            }
            "skinparam" | "skinparamlocked" => {
                self.picture.meet(Decoration::Style, line.whole());
                if text.ends_with('{') {
                    self.skip_until(line, Until::Brace(1));
                }
            }
            "footbox" if is_switch(rest) => self.picture.meet(Decoration::Style, line.whole()),
            "hide" | "show" | "scale" | "skin" | "url" if alone && !rest.trim().is_empty() => {
                self.picture.meet(Decoration::Style, line.whole());
            }
            _ => return false,
        }
        true
    }

    fn fragment(&mut self, line: &Line<'_>, word: &str, start: usize) {
        let rest = &line.text()[start..];
        let label = without_colours(rest);
        let label_at = line.text().len() - label.len();
        let mut concurrent = false;
        let fragment = match word {
            "alt" => Fragment::Alt,
            "opt" => Fragment::Opt,
            "par" | "par2" => {
                concurrent = true;
                Fragment::Par
            }
            "break" => Fragment::Break,
            "loop" => Fragment::Loop(directive::repetition(label)),
            "critical" => {
                if self.concurrent > 0 {
                    self.unsupported(
                        line.span(0..word.len()),
                        "`critical` inside `par` forbids interleavings, which no interaction can say",
                        "move it out of `par`, or write `group strict` if the order inside is what matters",
                    );
                }
                Fragment::Frame
            }
            _ => {
                // `group strict [why]`: the second label is the author's.
                let first = match label.strip_suffix(']').and_then(|label| label.find('[')) {
                    Some(second) => label[..second].trim_end(),
                    None => label,
                };
                let at = line.span(label_at..label_at + first.len()).start;
                match directive::block(first, at, self.names) {
                    Some(block) => {
                        concurrent = matches!(block, Block::Par | Block::Coreg(_));
                        Fragment::Block(block)
                    }
                    None => {
                        if let Some(meant) = directive::nearly_block(first) {
                            let span = line.span(label_at..label_at + first.len());
                            self.diagnostics.push(
                                Diagnostic::new(
                                    Code::PICTURE_ONLY,
                                    self.source,
                                    span,
                                    format!("this group is only a frame around its lines: `{first}` is free text"),
                                )
                                .with_help(format!("did you mean `group {meant}`?")),
                            );
                        }
                        Fragment::Frame
                    }
                }
            }
        };
        if matches!(fragment, Fragment::Alt | Fragment::Opt | Fragment::Break) && !label.is_empty()
        {
            self.picture.meet(Decoration::Guard, line.whole());
        }
        self.enter(Opened { concurrent, drawn: true });
        self.push(line.whole(), StatementKind::Open(fragment));
    }

    fn end_of(&mut self, line: &Line<'_>, what: &str) -> bool {
        let word = first_word(what).to_ascii_lowercase();
        match word.as_str() {
            "box" => self.picture.meet(Decoration::Box, line.whole()),
            "note" | "hnote" | "rnote" | "ref" | "title" | "header" | "footer" | "legend" => {
                return false;
            }
            _ => {
                self.leave();
                self.push(line.whole(), StatementKind::Close);
            }
        }
        true
    }

    fn enter(&mut self, opened: Opened) {
        self.concurrent += usize::from(opened.concurrent);
        if opened.drawn {
            self.calls.open();
        }
        self.fragments.push(opened);
    }

    fn leave(&mut self) {
        if let Some(opened) = self.fragments.pop() {
            self.concurrent -= usize::from(opened.concurrent);
            if opened.drawn {
                self.calls.close();
            }
        }
    }

    /// `NAME`, `"Long" as NAME`, `NAME as "Long"`, `LABEL as NAME`, and decorations.
    fn participant(&mut self, line: &Line<'_>, start: usize) -> bool {
        let part = line.part(start..line.text().len());
        let text = part.text();
        let Some(first) = arrow::name(text) else { return false };
        let mut rest = text[first.place.end..].trim_start();
        let mut declared = first.clone();
        let mut label = None;
        if first_word(rest).eq_ignore_ascii_case("as") {
            let after = rest[2..].trim_start();
            let at = text.len() - after.len();
            let shifted = |range: Range<usize>| at + range.start..at + range.end;
            if let Some(second) = arrow::name(after) {
                rest = after[second.place.end..].trim_start();
                if second.quoted {
                    if first.quoted {
                        return false;
                    }
                    label = Some(text::decode(&text[shifted(second.name)]).into_owned());
                } else {
                    label = Some(text::decode(&text[first.name]).into_owned());
                    declared = Participant {
                        name: shifted(second.name),
                        place: shifted(second.place),
                        ..second
                    };
                }
            } else {
                return false;
            }
        }
        let (mut multiple_lines, mut ordered) = (false, false);
        while !rest.is_empty() {
            let length = if rest.starts_with("<<") {
                rest.find(">>").map(|length| length + 2)
            } else if rest.starts_with("[[") {
                rest.find("]]").map(|length| length + 2)
            } else if rest.starts_with('#') {
                Some(rest.find(char::is_whitespace).unwrap_or(rest.len()))
            } else if rest == "[" {
                multiple_lines = true;
                Some(1)
            } else if first_word(rest).eq_ignore_ascii_case("order") {
                let number = rest[5..].trim_start();
                let digits = number.strip_prefix('-').unwrap_or(number);
                let length = digits.bytes().take_while(u8::is_ascii_digit).count();
                ordered = true;
                (length > 0).then_some(rest.len() - digits.len() + length)
            } else {
                None
            };
            let Some(length) = length else { return false };
            rest = rest[length..].trim_start();
        }
        if ordered {
            self.picture.meet(Decoration::Order, line.whole());
        }
        let name = self.name(&part, &declared);
        if multiple_lines {
            self.skip_until(line, Until::Label { name, lines: Vec::new() });
        } else {
            self.declare(line.whole(), name, label);
        }
        true
    }

    /// `activate B #red`
    fn life(&mut self, line: &Line<'_>, word: &str, rest: &str) -> bool {
        // Only `deactivate` may leave out whom it is about.
        let tail = match arrow::name(rest) {
            Some(name) => rest[name.place.end..].trim_start(),
            None if rest.is_empty() && word == "deactivate" => "",
            None => return false,
        };
        if !tail.is_empty() && (!tail.starts_with('#') || tail.contains(char::is_whitespace)) {
            return false;
        }
        match word {
            "activate" => self.calls.activate(),
            "deactivate" => self.calls.deactivate(),
            _ => {}
        }
        let decoration =
            if word == "destroy" { Decoration::Destroy } else { Decoration::Activation };
        self.picture.meet(decoration, line.whole());
        true
    }

    fn reply(&mut self, line: &Line<'_>, start: usize) {
        let rest = &line.text()[start..];
        let mut label = rest.trim();
        // `return #red ok`; a word alone that looks like a colour is the message.
        if label.starts_with('#')
            && let Some((_, message)) = label.split_once(char::is_whitespace)
        {
            label = message.trim_start();
        }
        let span = line.span(line.text().len() - label.len()..line.text().len());
        let call = match self.calls.reply() {
            Reply::To(call) => call,
            Reply::Nowhere => {
                self.diagnostics.push(
                    Diagnostic::new(
                        Code::RETURN_WITHOUT_CALL,
                        self.source,
                        line.span(0..start),
                        "there is no call before this `return` that it could answer",
                    )
                    .with_help("put it after the arrow it answers, or write the reply as an arrow: `B --> A : ok`"),
                );
                return;
            }
            Reply::Disputed(drawn, operand) => {
                self.disputed(line.span(0..start), drawn, operand, label);
                return;
            }
        };
        if label.is_empty() {
            self.diagnostics.push(
                Diagnostic::new(
                    Code::EMPTY_NAME,
                    self.source,
                    line.whole(),
                    "this `return` has no message",
                )
                .with_help("name the reply: `return ok`"),
            );
            return;
        }
        let message = Name { symbol: self.names.intern(&text::decode(label)), span };
        let kind = StatementKind::Message { from: call.to, to: call.from, message };
        self.push(line.whole(), kind);
    }

    fn disputed(&mut self, span: Span, drawn: Option<Call>, operand: Option<Call>, label: &str) {
        let shown = |call: Option<Call>| {
            call.map(|call| format!("{} --> {}", self.end_text(call.to), self.end_text(call.from)))
        };
        let drawn = match shown(drawn) {
            Some(arrow) => format!("PlantUML draws it as `{arrow}`"),
            None => String::from("PlantUML refuses it"),
        };
        let label = if label.is_empty() { "ok" } else { label };
        let help = match shown(operand) {
            Some(arrow) => format!("write the reply as an arrow: `{arrow} : {label}`"),
            None => format!("write the reply as an arrow: `B --> A : {label}`"),
        };
        let message = format!("the call of this `return` was answered in another operand; {drawn}");
        self.diagnostics.push(
            Diagnostic::new(Code::RETURN_WITHOUT_CALL, self.source, span, message).with_help(help),
        );
    }

    fn end_text(&self, end: End) -> &str {
        match end {
            End::Lifeline(name) => self.names.text(name.symbol),
            End::Environment => "]",
        }
    }

    fn skip_until(&mut self, line: &Line<'_>, until: Until) {
        self.skipping = Some(Skipping { start: line.whole(), until });
    }

    /// A line inside a construct of several.
    fn skip(&mut self, line: &Line<'_>) {
        let text = line.text();
        let Some(skipping) = &mut self.skipping else { return };
        let over = match &mut skipping.until {
            Until::Comment => text.ends_with("'/"),
            Until::End(words) => {
                let what = text.get(..3).filter(|end| end.eq_ignore_ascii_case("end"));
                let what = what.map_or("", |_| text[3..].trim());
                words.iter().any(|word| word.eq_ignore_ascii_case(what))
            }
            Until::Brace(depth) => {
                if text.ends_with('{') {
                    *depth += 1;
                } else if text == "}" {
                    *depth -= 1;
                }
                *depth == 0
            }
            Until::Style => text.eq_ignore_ascii_case("</style>"),
            Until::Label { lines, .. } => {
                let over = text == "]";
                if !over {
                    lines.push(text.to_owned());
                }
                over
            }
        };
        if !over {
            return;
        }
        if let Some(Skipping { start, until: Until::Label { name, lines } }) = self.skipping.take()
        {
            self.declare(start.to(line.whole()), name, Some(lines.join("\n")));
        }
    }

    fn unsupported(&mut self, span: Span, message: &str, help: &str) {
        self.diagnostics.push(
            Diagnostic::new(Code::UNSUPPORTED_CONSTRUCT, self.source, span, message)
                .with_help(help),
        );
    }

    fn line_not_understood(&mut self, line: &Line<'_>) {
        let text = line.text();
        let word = first_word(text);
        let foreign = words::is_foreign(word)
            || ["[*]", "(*)", "(", ":"].iter().any(|sign| text.starts_with(sign));
        if foreign {
            let length = if word.is_empty() { text.len().min(1) } else { word.len() };
            let message = "this line belongs to another kind of diagram";
            self.diagnostics.push(
                Diagnostic::new(Code::NOT_A_DIAGRAM, self.source, line.span(0..length), message)
                    .with_help("Otus reads sequence diagrams: participants, arrows and fragments"),
            );
            self.other_diagram = true;
            return;
        }
        self.not_understood += 1;
        if self.not_understood > MAX_NOT_UNDERSTOOD {
            if self.not_understood == MAX_NOT_UNDERSTOOD + 1 {
                let message = "further lines that are not understood are not reported";
                self.diagnostics.push(
                    Diagnostic::new(Code::TOO_MANY_ERRORS, self.source, line.whole(), message)
                        .with_help("is this a PlantUML sequence diagram?"),
                );
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
        self.diagnostics.push(
            Diagnostic::new(Code::LINE_NOT_UNDERSTOOD, self.source, line.whole(), message)
                .with_help(help),
        );
    }

    fn push(&mut self, span: Span, kind: StatementKind) {
        self.statements.push(Statement { span, kind });
    }
}

/// The letters, digits and `_` at the start.
fn first_word(text: &str) -> &str {
    &text[..text.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(text.len())]
}

/// `on` or `off`
fn is_switch(text: &str) -> bool {
    ["on", "off"].iter().any(|word| text.trim().eq_ignore_ascii_case(word))
}

/// Whether a note says where it stands.
fn has_place(text: &str) -> bool {
    let word = first_word(text.trim_start());
    ["left", "right", "over", "across"].iter().any(|place| word.eq_ignore_ascii_case(place))
}

/// What follows the colours of `alt#Gold #LightBlue label`.
fn without_colours(text: &str) -> &str {
    let mut rest = text;
    for _ in 0..2 {
        if let Some(colour) = rest.trim_start().strip_prefix('#') {
            let length = colour.find(|c: char| c != '_' && !c.is_alphanumeric());
            let after = &colour[length.unwrap_or(colour.len())..];
            if after.is_empty() || after.starts_with(char::is_whitespace) || after.starts_with('#')
            {
                rest = after;
            }
        }
    }
    rest.trim()
}

/// Where the text of a note begins on the line of its head.
fn colon_outside_quotes(text: &str) -> Option<usize> {
    let mut quoted = false;
    text.bytes().position(|byte| {
        quoted ^= byte == b'"';
        byte == b':' && !quoted
    })
}

/// `||45||`
fn is_space(text: &str) -> bool {
    text.strip_prefix("||")
        .and_then(|rest| rest.strip_suffix("||"))
        .is_some_and(|inside| inside.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A range without the spaces around it.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + (part.len() - part.trim_start().len());
    start..start + part.trim().len()
}
