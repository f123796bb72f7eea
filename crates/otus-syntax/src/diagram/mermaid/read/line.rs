//! The statements of Mermaid, one function for each kind.

use super::{OpenerKind, Reader};
use crate::diagram::mermaid::entity::{decode, shown, without_wrap};
use crate::diagram::mermaid::lexis::{self, Arrow, KEYWORDS};
use crate::diagram::number::Form;
use crate::diagram::picture::Decoration;
use crate::diagram::statement::{
    self, Course, Fragment, Look, Message, Numbering, Options, Separator, Statement, StatementKind,
};
use crate::diagram::{directive, is_one_of, values};
use crate::drawing::{
    self, ArrowHead, Frame, Head, HeadBox, HeadKind, Mark, Note, NotePlace, NoteShape, Title,
    TitlePlace,
};
use crate::grammar::interaction::guard::Draft;
use crate::source::Span;
use crate::suggest;

/// The keywords that cannot be used as the name of a participant before an arrow.
const NO_NAMES: &str = "participant actor create loop alt opt par par_over break critical option \
    else and end note activate deactivate destroy";

impl Reader<'_> {
    /// Parses the statement at the cursor and moves past it.
    pub(super) fn statement(&mut self) {
        let start = self.at;
        let word = lexis::word(self.rest());
        let after = start + word.len();
        // No keyword is longer.
        let keyword = if word.len() <= 16 { word.to_ascii_lowercase() } else { String::new() };
        if is_one_of(&keyword, NO_NAMES) && !self.is_free(start, after) {
            return;
        }
        match &*keyword {
            "participant" | "actor" => self.participant(start, after, &keyword),
            "create" => self.create(start, after),
            "loop" => {
                let (span, label) = self.fragment_label(start, after);
                let repetition = directive::repetition(&decode(&self.text[label.range()]));
                self.frame(span, "loop", label);
                self.open(span, Fragment::Loop(repetition));
            }
            "alt" => self.fragment(start, after, Fragment::Alt),
            "opt" => self.fragment(start, after, Fragment::Opt),
            "par" | "par_over" => self.fragment(start, after, Fragment::Par),
            "break" => self.fragment(start, after, Fragment::Break),
            "rect" | "box" => {
                let kind = if keyword == "box" { Decoration::BOX } else { Decoration::BACKGROUND };
                self.picture.add(kind, self.span(start, after));
                if self.is_free(start, after) && keyword == "box" {
                    self.open_box(start, after);
                } else if self.at == start {
                    self.fragment(start, after, Fragment::Frame);
                }
            }
            "critical" => self.critical(start, after),
            "option" => self.option(start, after),
            "else" => self.separator(start, after, Separator::Else),
            "and" => self.separator(start, after, Separator::And),
            "end" => {
                self.at = after;
                self.close(self.span(start, after), false);
            }
            "note" => self.note(start, after),
            "activate" | "deactivate" => self.on_participant(start, after, Decoration::ACTIVATION),
            "destroy" => self.on_participant(start, after, Decoration::LIFECYCLE),
            "autonumber" => {
                self.picture(start, after, Decoration::NUMBERING);
                self.numbering(start, after);
            }
            "title"
                if !self.text[after..].starts_with(|c: char| !c.is_whitespace() && c != ':') =>
            {
                self.picture(start, after, Decoration::TITLE);
                let text = shown(self.text[after..self.at].trim().trim_start_matches(':').trim());
                let title = Title { place: TitlePlace::Title, text };
                self.look(self.span(start, self.at), Look::Title(title));
            }
            "acctitle" => self.description(start, after, Decoration::TITLE),
            "accdescr" => self.description(start, after, Decoration::DESCRIPTION),
            "link" | "links" | "properties" | "details" if self.names_participant(after) => {
                self.picture(start, after, Decoration::LINKS);
            }
            _ => self.message(start),
        }
    }

    /// `participant A`, `actor A as Alice`, `participant A@{ "type": "queue" } as Alice`.
    fn participant(&mut self, start: usize, after: usize, word: &str) {
        let text = self.text;
        let from = self.skip_blanks(after);
        let is_name = |b: u8| !b"<>:\n\r,;@".contains(&b);
        let first =
            from + lexis::run_length(&text[from..], |b| is_name(b) && !b.is_ascii_whitespace());
        if first == from {
            let span = self.span(start, after);
            let help = "write `participant A`, or `participant A as Alice`";
            return self.not_understood(span, "a participant needs a name", help);
        }
        let next = self.skip_blanks(first);
        let mut label = None;
        let mut kind = HeadKind::from_word(word).unwrap_or_default();
        let mut name_end = first;
        let end;
        if text[next..].starts_with("@{") {
            let Some(close) = self.find("}", next) else {
                let span = self.span(next, next + 2);
                self.never_closed(span, "configuration", "`}`");
                self.at = self.line_end(next);
                return;
            };
            let (text_label, label_end) = self.label(close).unwrap_or((None, close));
            let configuration = &text[next + 2..close - 1];
            label = text_label.or_else(|| setting(configuration, "alias"));
            let told = setting(configuration, "type").and_then(|word| HeadKind::from_word(&word));
            kind = told.unwrap_or(kind);
            end = label_end;
        } else if let Some((text_label, label_end)) = self.label(first) {
            label = text_label;
            end = label_end;
        } else {
            // Without `as`, blanks are part of the name.
            end = from + lexis::run_length(&text[from..], is_name);
            name_end = from + text[from..end].trim_end().len();
            if let Some(c) = text[end..].chars().next().filter(|&c| !matches!(c, '\n' | '\r' | ';'))
            {
                let message = format!("a participant's name cannot contain `{c}`");
                let help = "give it a short name: `participant A as …`";
                return self.not_understood(self.span(end, end + c.len_utf8()), &message, help);
            }
        }
        let name = self.name(from, name_end);
        let span = self.span(start, start + text[start..end].trim_end().len());
        self.at = end;
        self.push(span, StatementKind::Participant { name, label });
        let head = Head { lifeline: name, kind, stereotype: None, colour: None, order: None };
        self.look(span, Look::Head(head));
    }

    /// `as LABEL` after a participant's name, and its end. An empty label is `None`.
    fn label(&self, after: usize) -> Option<(Option<String>, usize)> {
        let next = self.skip_blanks(after);
        let word = lexis::word(&self.text[next..]);
        let rest = &self.text[next + word.len()..];
        if next == after
            || !word.eq_ignore_ascii_case("as")
            || !rest.starts_with(char::is_whitespace)
        {
            return None;
        }
        let from = next + word.len();
        let end = self.text_end(from);
        let label = shown(without_wrap(self.text[from..end].trim()));
        Some(((!label.is_empty()).then_some(label), end))
    }

    /// `create participant A`: a participant whose head is drawn at its creation.
    fn create(&mut self, start: usize, after: usize) {
        let next = self.skip_blanks(after);
        let word = lexis::word(&self.text[next..]);
        if word.eq_ignore_ascii_case("participant") || word.eq_ignore_ascii_case("actor") {
            self.picture.add(Decoration::LIFECYCLE, self.span(start, after));
            if self.is_free(start, next + word.len()) {
                let at = self.statements.len();
                self.participant(start, next + word.len(), word);
                if let Some(&Statement { span, kind: StatementKind::Participant { name, .. } }) =
                    self.statements.get(at)
                {
                    self.look(span, Look::Mark(Mark::Create(name)));
                }
            }
        } else {
            let help = "write `create participant A` or `create actor A`";
            self.not_understood(self.span(start, after), "`create` needs a participant", help);
        }
    }

    fn fragment(&mut self, start: usize, after: usize, fragment: Fragment) {
        let (span, label) = self.fragment_label(start, after);
        let is_guarded = matches!(fragment, Fragment::Alt | Fragment::Opt | Fragment::Break);
        if is_guarded && !label.is_empty() {
            self.picture.add(Decoration::GUARD, span);
        }
        let keyword = self.text[start..after].to_ascii_lowercase();
        self.frame(span, &keyword, label);
        self.open(span, fragment);
    }

    /// The look of the fragment that is opened next.
    fn frame(&mut self, span: Span, keyword: &str, label: Span) {
        let text = &self.text[label.range()];
        let mut frame = Frame { keyword: keyword.to_owned(), ..Frame::default() };
        match keyword {
            "rect" => frame.colour = Some(text.to_owned()),
            _ => frame.label = shown(without_wrap(text)),
        }
        self.look(span, Look::Frame(frame));
    }

    /// `box Aqua Title`
    fn open_box(&mut self, start: usize, after: usize) {
        let (span, label) = self.fragment_label(start, after);
        let (colour, title) = lexis::colour(&self.text[label.range()]);
        let colour = colour.map(str::to_owned);
        self.look(
            span,
            Look::OpenBox(HeadBox { title: shown(title), colour, members: Vec::new() }),
        );
        self.opened(span, OpenerKind::Box);
    }

    /// `autonumber`, `autonumber 10 5`, `autonumber off`
    fn numbering(&mut self, start: usize, after: usize) {
        let words: Vec<&str> = self.text[after..self.at].split_whitespace().collect();
        let number = |at: usize| words.get(at).and_then(|word| word.parse().ok());
        let numbering = match words[..] {
            ["off"] => Numbering::Stop,
            _ => Numbering::Start {
                outer: Vec::new(),
                first: number(0).unwrap_or(1),
                step: number(1).unwrap_or(1),
                form: Form::default(),
            },
        };
        self.look(self.span(start, self.at), Look::Numbering(numbering));
    }

    /// Moves past the line that opens a fragment; returns the spans of the line and of its label.
    fn fragment_label(&mut self, start: usize, after: usize) -> (Span, Span) {
        let from = self.skip_blanks(after);
        let end = self.text_end(from);
        self.at = end;
        let label = from + self.text[from..end].trim_end().len();
        let close = start + self.text[start..end].trim_end().len();
        (self.span(start, close), self.span(from, label))
    }

    fn separator(&mut self, start: usize, after: usize, separator: Separator) {
        let (span, label) = self.fragment_label(start, after);
        let is_guarded = separator == Separator::Else && !self.openers.is_empty();
        if is_guarded && !label.is_empty() {
            self.picture.add(Decoration::GUARD, span);
        }
        self.guard(span, label);
        self.push(span, StatementKind::Next(separator));
    }

    fn guard(&mut self, span: Span, label: Span) {
        let guard = shown(without_wrap(&self.text[label.range()]));
        self.look(span, Look::Guard(guard));
    }

    /// `critical text`, with `option`s inside.
    fn critical(&mut self, start: usize, after: usize) {
        let (span, label) = self.fragment_label(start, after);
        self.frame(span, "critical", label);
        self.opened(span, OpenerKind::Keyword);
        self.push(span, StatementKind::Open(Fragment::Critical(Options::After)));
    }

    fn option(&mut self, start: usize, after: usize) {
        let (span, label) = self.fragment_label(start, after);
        self.guard(span, label);
        self.push(span, StatementKind::Next(Separator::Option));
    }

    /// `Note right of A: text`, `note over A,B: text`.
    fn note(&mut self, start: usize, after: usize) {
        let mut next = self.skip_blanks(after);
        let place = lexis::word(&self.text[next..]).to_ascii_lowercase();
        next += place.len();
        let is_placed = match &*place {
            "left" | "right" => {
                next = self.skip_blanks(next);
                let of = lexis::word(&self.text[next..]);
                next += of.len();
                of.eq_ignore_ascii_case("of")
            }
            "over" => true,
            _ => false,
        };
        let line = &self.text[next..self.line_end(next)];
        let names = lexis::run_length(line, |b| b != b':' && b != b';');
        if !is_placed
            || line.as_bytes().get(names) != Some(&b':')
            || line[..names].trim().is_empty()
        {
            let help = "write `Note over A: text`, `Note over A,B: text`, `Note left of A: text` \
                        or `Note right of A: text`";
            return self.not_understood(self.span(start, after), "this note is not complete", help);
        }
        let from = next;
        self.picture(start, next + names, Decoration::NOTE);
        let text = shown(without_wrap(self.text[from + names + 1..self.at].trim()));
        let mut at = Vec::new();
        let mut name_start = from;
        for part in self.text[from..from + names].split(',') {
            let lead = part.len() - part.trim_start().len();
            if !part.trim().is_empty() {
                let begin = name_start + lead;
                at.push(self.name(begin, begin + part.trim().len()));
            }
            name_start += part.len() + 1;
        }
        let place = match &*place {
            "left" => NotePlace::Left,
            "right" => NotePlace::Right,
            _ => NotePlace::Over,
        };
        let span = self.span(start, self.at);
        let note = Note { place, at, text, shape: NoteShape::Sheet, colour: None };
        self.look(span, Look::Mark(Mark::Note(note)));
    }

    /// `activate A`, `destroy A`.
    fn on_participant(&mut self, start: usize, after: usize, decoration: Decoration) {
        let end = self.text_end(after);
        if self.text[after..end].trim().is_empty() {
            let word = &self.text[start..after];
            let help = format!("write `{word} A`");
            let message = format!("`{word}` needs a participant");
            return self.not_understood(self.span(start, after), &message, help);
        }
        self.picture(start, after, decoration);
        let from = self.skip_blanks(after);
        let lifeline = self.name(from, from + self.text[from..self.at].trim_end().len());
        let mark = match &self.text[start..after].to_ascii_lowercase()[..] {
            "activate" => Mark::Activate { lifeline, colour: None },
            "deactivate" => Mark::Deactivate(Some(lifeline)),
            _ => Mark::Destroy(lifeline),
        };
        self.look(self.span(start, self.at), Look::Mark(mark));
    }

    /// `accTitle: text`, `accDescr: text`, `accDescr { lines }`.
    fn description(&mut self, start: usize, after: usize, decoration: Decoration) {
        let next = self.skip_blanks(after);
        let rest = &self.text[next..];
        if rest.starts_with(':') {
            self.picture.add(decoration, self.span(start, after));
            self.at = self.line_end(next);
        } else if rest.starts_with('{') && decoration == Decoration::DESCRIPTION {
            match self.find("}", next) {
                Some(end) => {
                    self.picture.add(decoration, self.span(start, after));
                    self.at = end;
                }
                None => {
                    self.never_closed(self.span(start, next + 1), "description", "`}`");
                    self.at = self.line_end(next);
                }
            }
        } else {
            self.message(start);
        }
    }

    /// A statement that is only a decoration.
    fn picture(&mut self, start: usize, after: usize, decoration: Decoration) {
        let end = self.text_end(after);
        let span = self.span(start, start + self.text[start..end].trim_end().len());
        self.picture.add(decoration, span);
        self.at = end;
    }

    /// Whether a participant follows on the same line, as after `link`.
    fn names_participant(&self, after: usize) -> bool {
        let rest = &self.text[after..];
        let blanks = rest.bytes().take_while(|b| matches!(b, b' ' | b'\t')).count();
        blanks > 0
            && rest[blanks..]
                .chars()
                .next()
                .is_some_and(|c| !c.is_whitespace() && !"/\\+()<>:,;-".contains(c))
    }

    /// Whether a word is used as a keyword. If an arrow follows, the author meant a participant with that
    /// name, which is reported.
    fn is_free(&mut self, start: usize, after: usize) -> bool {
        let next = self.skip_blanks(after);
        if lexis::arrow(&self.text[next..]).is_none() {
            return true;
        }
        self.reserved(start, after);
        false
    }

    fn reserved(&mut self, start: usize, after: usize) {
        let word = &self.text[start..after];
        let message = format!("`{word}` is a word of Mermaid and cannot name a participant");
        let help =
            format!("give it another name and keep the label: `participant {word}_ as {word}`");
        self.not_understood(self.span(start, after), &message, help);
    }

    /// `A->>B: m` with all its arrows.
    fn message(&mut self, start: usize) {
        let text = self.text;
        let from_end = start + lexis::actor_length(&text[start..]);
        // `()` draws a circle where the arrow meets the lifeline.
        let arrow_at = self.skip_circle(from_end);
        let Some((arrow, length)) = lexis::arrow(&text[arrow_at..]).filter(|_| from_end > start)
        else {
            return self.no_message(start, from_end);
        };
        let from = start..start + text[start..from_end].trim_end().len();
        let arrow_span = self.span(arrow_at, arrow_at + length);
        let mut at = self.skip_circle(arrow_at + length);
        let activates = text[at..].chars().next().filter(|sign| matches!(sign, '+' | '-'));
        if text[at..].starts_with(['+', '-']) {
            self.picture.add(Decoration::ACTIVATION, self.span(at, at + 1));
            at = self.skip_circle(at + 1);
        }
        let to_end = at + lexis::actor_length(&text[at..]);
        let to = at..at + text[at..to_end].trim_end().len();
        if to.is_empty() {
            let help = "write the receiver: `A->>B: message`";
            return self.not_understood(arrow_span, "this arrow has no receiver", help);
        }
        for end in [&from, &to] {
            let word = lexis::word(&text[end.clone()]);
            if is_kept(word) {
                return self.reserved(end.start, end.start + word.len());
            }
        }
        if !text[to_end..].starts_with(':') {
            let (arrow, receiver) = (&text[arrow_at..arrow_at + length], &text[to.clone()]);
            // In `A->>B hello`, most likely only the colon is missing.
            let (receiver, message) = receiver.split_once(' ').unwrap_or((receiver, "message"));
            let help = format!(
                "write the message after a colon: `{}{arrow}{receiver}: {}`",
                &text[from],
                message.trim_start(),
            );
            let odd = text[to_end..].chars().next();
            let span = match odd.filter(|c| !matches!(c, '\n' | '\r' | ';' | '#')) {
                Some(odd) => self.span(to_end, to_end + odd.len_utf8()),
                None => self.span(start, to.end),
            };
            return self.not_understood(span, "this arrow has no message", help);
        }
        let end = self.text_end(to_end + 1);
        let label = without_wrap(text[to_end + 1..end].trim());
        // `label` is a suffix of the trimmed text, so its span follows from its end.
        let label_end = to_end + 1 + text[to_end + 1..end].trim_end().len();
        let label_at = label_end - label.len();
        let (body, guard) = self.without_guard(label, label_at);
        let span = self.span(start, start + text[start..end].trim_end().len());
        let message = if body.is_empty() {
            self.picture.add(Decoration::UNNAMED, span);
            self.unnamed(span)
        } else {
            self.label_name(label_at, label_at + body.len())
        };
        let mut ends = [self.name(from.start, from.end), self.name(to.start, to.end)];
        let course = match arrow {
            Arrow::Forward => Course::Arrives,
            Arrow::Lost => {
                self.picture.add(Decoration::LOST, arrow_span);
                Course::Lost
            }
            Arrow::Backward => {
                ends.reverse();
                Course::Arrives
            }
            Arrow::Both => {
                // A message from a participant to itself has only one direction.
                if ends[0].symbol != ends[1].symbol {
                    self.picture.add(Decoration::BOTH, arrow_span);
                }
                Course::BothWays
            }
        };
        let [sender, receiver] = ends;
        let [from, to] = ends.map(Some);
        self.at = end;
        let look = drawing::Arrow {
            text: shown(body),
            guard: shown(label[body.len()..].trim_start()),
            ..look_of(&text[arrow_at..arrow_at + length])
        };
        if !guard.is_empty() {
            self.push(span, StatementKind::Mark(statement::Mark::Guard(guard)));
        }
        self.look(span, Look::Arrow(look));
        self.push(span, StatementKind::Message(Message { from, to, message, course }));
        match activates {
            Some('+') => {
                let mark = Mark::Activate { lifeline: receiver, colour: None };
                self.look(span, Look::Mark(mark));
            }
            Some(_) => self.look(span, Look::Mark(Mark::Deactivate(Some(sender)))),
            None => {}
        }
    }

    /// A label without the guard at its end, and the guard.
    fn without_guard<'l>(&mut self, label: &'l str, at: usize) -> (&'l str, Vec<Draft>) {
        let Some(part) = values::part(label, decode) else { return (label, Vec::new()) };
        let written = &label[part.clone()];
        let text = decode(written);
        let span = values::span_of(at, &part);
        if !self.has_values {
            if values::is_guard(&text) {
                self.suspects.add(span);
            }
            return (label, Vec::new());
        }
        let is_literal = *text == *written;
        let guard = values::read(&text, span, is_literal, &mut self.names, &mut self.findings);
        (label[..part.start].trim_end(), guard)
    }

    fn skip_circle(&self, from: usize) -> usize {
        let at = self.skip_blanks(from);
        if self.text[at..].starts_with("()") { self.skip_blanks(at + 2) } else { at }
    }

    /// Reports a line without a keyword and without an arrow.
    fn no_message(&mut self, start: usize, name_end: usize) {
        let line_end = self.line_end(start);
        let line = self.text[start..line_end].trim_end();
        let span = self.span(start, start + line.len());
        let word = lexis::word(line);
        let help = suggest::did_you_mean(word, KEYWORDS.split(' '))
            .filter(|_| !line[word.len()..].trim_start().starts_with('-'))
            .unwrap_or_else(|| {
                "write `A->>B: message`, or begin the line with `%%` if it is a comment".to_owned()
            });
        if is_kept(word) {
            return self.reserved(start, start + word.len());
        }
        let message = if name_end > start {
            "this line is neither a message nor a keyword of a sequence diagram"
        } else {
            "this line is not understood"
        };
        self.not_understood(span, message, help);
    }
}

/// Whether a word can be used at neither end of an arrow. Some reserved words can be used there.
fn is_kept(word: &str) -> bool {
    const FREE: &str =
        "as left right title wrap style link links properties details acctitle accdescr";
    lexis::is_reserved(word) && !is_one_of(word, FREE)
}

/// The look of an arrow, from its spelling.
fn look_of(arrow: &str) -> drawing::Arrow {
    let head = match arrow {
        "->" | "-->" => ArrowHead::None,
        "-)" | "--)" => ArrowHead::Open,
        _ if arrow.contains(['|', '/', '\\']) => ArrowHead::Half,
        _ => ArrowHead::Filled,
    };
    drawing::Arrow { dotted: arrow.contains("--"), head, ..drawing::Arrow::default() }
}

/// The value of a key in the configuration of a participant.
fn setting(configuration: &str, key: &str) -> Option<String> {
    let at = configuration.find(key)? + key.len();
    let value =
        configuration[at..].trim_start_matches(['"', '\'']).trim_start().strip_prefix(':')?;
    let value = value.trim_start();
    let text = match value.chars().next()? {
        quote @ ('"' | '\'') => value[1..].split(quote).next()?,
        _ => value.split([',', '\n']).next()?.trim(),
    };
    (!text.is_empty()).then(|| shown(text))
}
