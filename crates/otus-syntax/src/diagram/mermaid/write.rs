//! The writer of Mermaid diagrams: Mermaid accepts its output, and [`super::read()`] gives the same
//! statements back.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::SpecFile;
use crate::ast::guard::Atom;
use crate::diagram::UNNAMED;
use crate::diagram::number::Form;
use crate::diagram::outline::{MAX_INDENT, Style, lifelines, outline, present};
use crate::diagram::statement::{
    Course, Fragment, Look, Mark, Message, Numbering, Repetition, Separator, Statement,
    StatementKind,
};
use crate::diagram::{Written, colour, directive, values};
use crate::drawing::{self, ArrowHead, HeadKind, NotePlace, NoteShape, TitlePlace};
use crate::grammar::interaction::guard::Draft;
use crate::lexer::quote;
use crate::name::{Name, Names, Symbol};
use crate::print::guard::Naming;
use crate::source::Span;

use super::entity::{decode, encode, encode_directive, encode_shown, on_one_line, without_wrap};
use super::lexis::{self, is_spellable};

/// The Mermaid diagram of a tree.
pub fn write(tree: &SpecFile) -> String {
    written(tree).text
}

/// The Mermaid diagram of a tree, and the parts of its drawing that Mermaid cannot show.
pub fn written(tree: &SpecFile) -> Written {
    let outline = present(outline(tree), tree.drawing.as_deref(), Style::Mermaid);
    let mut writer = Writer {
        out: String::from("sequenceDiagram\n"),
        participants: FxHashMap::default(),
        taken: lifelines(&outline.statements),
        names: outline.names,
        open: Vec::new(),
        aliases: 0,
        kinds: FxHashMap::default(),
        first: None,
        last: None,
        arrow: None,
        frame: None,
        guard: None,
        created: FxHashMap::default(),
        atoms: Vec::new(),
        has_values: outline
            .statements
            .iter()
            .any(|statement| statement.kind == StatementKind::Mark(Mark::Values)),
        left_out: outline.left_out,
    };
    writer.heads(&outline.statements);
    for statement in &outline.statements {
        writer.statement(&statement.kind);
    }
    Written { text: writer.out, left_out: writer.left_out.into_iter().collect() }
}

struct Writer {
    out: String,
    /// The name of the participant of each lifeline; the key `None` is the environment.
    participants: FxHashMap<Option<Symbol>, String>,
    /// The lifelines, whose names are not available for invented participants.
    taken: FxHashSet<Symbol>,
    names: Names,
    /// For each open fragment: whether a directive opened it.
    open: Vec<bool>,
    /// The number of aliases tried.
    aliases: u32,
    /// For each lifeline: the symbol of its head.
    kinds: FxHashMap<Symbol, HeadKind>,
    /// The first and the last participant.
    first: Option<String>,
    last: Option<String>,
    /// The looks of the next arrow, fragment and operand.
    arrow: Option<drawing::Arrow>,
    frame: Option<drawing::Frame>,
    guard: Option<String>,
    /// For each lifeline that is created later: its declaration.
    created: FxHashMap<Symbol, Option<String>>,
    /// The guard of the next arrow.
    atoms: Vec<Draft>,
    /// Whether brackets at the end of a label are a guard.
    has_values: bool,
    left_out: BTreeSet<&'static str>,
}

impl Writer {
    /// Chooses the names of the participants, and declares those that are declared in the tree or need an
    /// alias.
    #[expect(clippy::wildcard_enum_match_arm, reason = "heads are few kinds of statements")]
    fn heads(&mut self, statements: &[Statement]) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Look(Look::Head(head)) => {
                    self.kinds.insert(head.lifeline.symbol, head.kind);
                    self.left_out_if(head.stereotype.is_some(), "stereotypes");
                    self.left_out_if(head.colour.is_some(), "colours of heads");
                }
                StatementKind::Look(Look::Mark(drawing::Mark::Create(lifeline))) => {
                    self.created.insert(lifeline.symbol, None);
                }
                _ => {}
            }
        }
        for statement in statements {
            match &statement.kind {
                StatementKind::Participant { name, label } => {
                    self.head(*name, label.as_deref(), true);
                }
                StatementKind::Look(Look::OpenBox(one)) => {
                    let title = encode_shown(&one.title);
                    let colour = self.colour(one.colour.as_deref());
                    let is_known = |colour: &String| lexis::colour(colour).0.is_some();
                    let colour = colour.filter(is_known);
                    // The first word of a title may be the name of a colour, so a colour is written
                    // before it.
                    let is_clear = colour.is_none() && lexis::colour(&title).0.is_some();
                    let colour = colour.unwrap_or(if is_clear { "transparent" } else { "" }.into());
                    self.line(format!("box {colour} {title}").replace("box  ", "box ").trim_end());
                    self.open.push(false);
                }
                StatementKind::Look(Look::CloseBox) => {
                    self.open.pop();
                    self.line("end");
                }
                _ => {}
            }
        }
        for statement in statements {
            if let StatementKind::Message(message) = &statement.kind {
                for end in [&message.from, &message.to] {
                    match end {
                        Some(name) => self.head(*name, None, false),
                        None => self.environment_head(),
                    }
                }
            }
        }
    }

    fn head(&mut self, name: Name, label: Option<&str>, is_declared: bool) {
        if self.participants.contains_key(&Some(name.symbol)) {
            return;
        }
        let text = self.names.text(name.symbol).to_owned();
        let label = label.filter(|label| !label.is_empty());
        // After a name with blanks, Mermaid reads `as` as a part of the name.
        if is_spellable(&text) && (label.is_none() || !text.contains(' ')) {
            if is_declared {
                let label = label.map(|label| format!(" as {}", encode_shown(label)));
                let label = label.unwrap_or_default();
                let line = match self.kinds.get(&name.symbol).copied().unwrap_or_default() {
                    HeadKind::Participant => format!("participant {text}{label}"),
                    HeadKind::Actor => format!("actor {text}{label}"),
                    // A configuration follows a name without blanks.
                    kind @ (HeadKind::Boundary
                    | HeadKind::Control
                    | HeadKind::Entity
                    | HeadKind::Database
                    | HeadKind::Collections
                    | HeadKind::Queue)
                        if !text.contains(' ') =>
                    {
                        format!("participant {text}@{{ \"type\": \"{}\" }}{label}", kind.word())
                    }
                    HeadKind::Boundary
                    | HeadKind::Control
                    | HeadKind::Entity
                    | HeadKind::Database
                    | HeadKind::Collections
                    | HeadKind::Queue => format!("participant {text}{label}"),
                };
                self.declare(name, line);
            }
            self.first.get_or_insert_with(|| text.clone());
            self.last = Some(text.clone());
            self.participants.insert(Some(name.symbol), text);
            return;
        }
        let alias = loop {
            self.aliases += 1;
            let alias = format!("p{}", self.aliases);
            if self.is_fresh(&alias) {
                break alias;
            }
        };
        let symbol = self.names.intern(&alias);
        let mark = Mark::Rename { alias: Name { symbol, span: Span::at(0) }, name };
        self.directive(&StatementKind::Mark(mark));
        let shown = label.map_or_else(|| encode(&text).into_owned(), encode_shown);
        self.declare(name, format!("participant {alias} as {shown}"));
        self.participants.insert(Some(name.symbol), alias);
    }

    /// Writes a declaration, or keeps it until the lifeline is created.
    fn declare(&mut self, name: Name, line: String) {
        match self.created.get_mut(&name.symbol) {
            Some(later) => *later = Some(line),
            None => self.line(&line),
        }
    }

    fn environment_head(&mut self) {
        if self.participants.contains_key(&None) {
            return;
        }
        let numbered = (1..).map(|i: u64| format!("env_{i}"));
        let mut candidates =
            ["env".to_owned(), "environment".to_owned()].into_iter().chain(numbered);
        let Some(name) = candidates.find(|name| self.is_fresh(name)) else { return };
        let symbol = self.names.intern(&name);
        let mark = Mark::Environment(Name { symbol, span: Span::at(0) });
        self.directive(&StatementKind::Mark(mark));
        self.line(&format!("participant {name}"));
        self.participants.insert(None, name);
    }

    fn is_fresh(&self, name: &str) -> bool {
        self.names.find(name).is_none_or(|symbol| !self.taken.contains(&symbol))
    }

    fn statement(&mut self, kind: &StatementKind) {
        match kind {
            // Participants were written by `heads`.
            StatementKind::Participant { .. } => {}
            StatementKind::Message(Message { from, to, message, course }) => {
                let look = self.arrow.take().unwrap_or_default();
                let message = self.guarded(*message, &look.text, [*from, *to]);
                let dashes = if look.dotted { "--" } else { "-" };
                let arrow = match (course, look.head) {
                    (Course::Arrives, ArrowHead::Filled) => format!("{dashes}>>"),
                    (Course::Arrives, ArrowHead::Half) => format!("{dashes}|\\"),
                    (Course::Arrives, ArrowHead::Open) => format!("{dashes})"),
                    (Course::Arrives, ArrowHead::None) => format!("{dashes}>"),
                    (Course::Lost, _) => format!("{dashes}x"),
                    (Course::BothWays, _) => format!("<<{dashes}>>"),
                };
                self.left_out_if(look.colour.is_some(), "colours of arrows");
                let line = format!("{}{arrow}{}: {message}", self.end(*from), self.end(*to));
                self.line(&line);
            }
            StatementKind::Open(fragment) => {
                let frame = self.frame.take().unwrap_or_default();
                let label = frame.label;
                let is_rect = *fragment == Fragment::Frame && frame.keyword != "critical";
                self.left_out_if(!is_rect && frame.colour.is_some(), "colours of fragments");
                match fragment {
                    Fragment::Alt => self.labelled("alt", &label),
                    Fragment::Opt => self.labelled("opt", &label),
                    Fragment::Par => self.labelled("par", &label),
                    Fragment::Loop(_) if !label.is_empty() => self.labelled("loop", &label),
                    Fragment::Loop(Repetition { least, most, .. }) => {
                        let most = most.map_or("*".to_owned(), |most| most.to_string());
                        self.line(&format!("loop {least}..{most}"));
                    }
                    Fragment::Break => self.line("break"),
                    Fragment::Frame if frame.keyword == "critical" => {
                        self.labelled("critical", &label);
                    }
                    Fragment::Frame => {
                        self.left_out_if(!label.is_empty(), "labels of groups");
                        let colour = self.colour(frame.colour.as_deref());
                        self.line(&format!("rect {}", colour.as_deref().unwrap_or("transparent")));
                    }
                    Fragment::Critical(_) => self.line("critical"),
                    Fragment::Block(_) | Fragment::Broadcast => self.directive(kind),
                }
                self.open.push(matches!(fragment, Fragment::Block(_) | Fragment::Broadcast));
            }
            StatementKind::Next(separator) => {
                let is_directive = self.open.pop();
                let guard = self.guard.take().unwrap_or_default();
                let word = match separator {
                    Separator::Else => "else",
                    Separator::And => "and",
                    Separator::Option => "option",
                    // Mermaid has no `else` in this fragment.
                    Separator::Or => "%% else",
                };
                self.labelled(word, &guard);
                self.open.extend(is_directive);
            }
            StatementKind::Close => match self.open.pop() {
                Some(true) => self.directive(kind),
                Some(false) | None => self.line("end"),
            },
            StatementKind::Look(look) => self.look(look),
            StatementKind::Mark(Mark::Guard(drafts)) => self.atoms.clone_from(drafts),
            StatementKind::Mark(_)
            | StatementKind::Empty
            | StatementKind::Lifelines(_)
            | StatementKind::Messages(_) => self.directive(kind),
        }
    }

    /// A line with a label.
    fn labelled(&mut self, word: &str, label: &str) {
        let line = format!("{word} {}", encode_shown(label));
        self.line(line.trim_end());
    }

    /// The label of a message with its guard.
    fn guarded(&mut self, message: Name, text: &str, ends: [Option<Name>; 2]) -> String {
        let mut label = self.label(message, text);
        if !self.has_values {
            return label;
        }
        label = values::without_guards(&label, |bracket| format!("#{};", u32::from(bracket)));
        let drafts = std::mem::take(&mut self.atoms);
        if drafts.is_empty() {
            return label;
        }
        let atoms: Vec<Atom> = drafts.iter().map(|draft| draft.atom().clone()).collect();
        let written = ends.iter().flatten().filter_map(|&end| self.names.find(self.end(Some(end))));
        let symbols: Vec<Symbol> =
            ends.iter().flatten().map(|end| end.symbol).chain(written).collect();
        let guard = Naming::new(&self.names, &self.taken)
            .atoms(&atoms, &symbols, |name| quote(self.end(Some(name))).into_owned());
        format!("{label} {}", encode(&guard)).trim_start().to_owned()
    }

    /// The label of a message: the text of its arrow if the name of the message follows from that
    /// text, else the name.
    fn label(&self, message: Name, text: &str) -> String {
        let name = self.names.text(message.symbol);
        let shown = encode_shown(text);
        let is_name = if text.is_empty() {
            name == UNNAMED
        } else {
            on_one_line(&shown, decode) == name && without_wrap(&shown) == shown
        };
        if is_name { shown } else { encode(name).into_owned() }
    }

    fn look(&mut self, look: &Look) {
        match look {
            Look::Arrow(arrow) => self.arrow = Some(arrow.clone()),
            Look::Frame(frame) => self.frame = Some(frame.clone()),
            Look::Guard(guard) => self.guard = Some(guard.clone()),
            Look::Title(title)
                if title.place == TitlePlace::Title && !title.text.trim().is_empty() =>
            {
                let line = format!("title: {}", encode(&title.text.replace('\n', " ")));
                self.line(&line);
            }
            Look::Mark(mark) => self.mark(mark),
            Look::Numbering(numbering) => {
                let line = match numbering {
                    Numbering::Start { first, step, form, .. } => {
                        let is_plain = *form == Form::default();
                        self.left_out_if(!is_plain, "formats of numbers");
                        match (first, step) {
                            (1, 1) => "autonumber".to_owned(),
                            (first, 1) => format!("autonumber {first}"),
                            (first, step) => format!("autonumber {first} {step}"),
                        }
                    }
                    Numbering::Stop => "autonumber off".to_owned(),
                    Numbering::Resume { .. } | Numbering::Increment { .. } => return,
                };
                self.line(&line);
            }
            Look::Title(title) => {
                let is_shown = !title.text.trim().is_empty();
                self.left_out_if(is_shown, "headers, footers, captions, legends and frames");
            }
            // `heads` has already written these looks.
            Look::Head(_) | Look::OpenBox(_) | Look::CloseBox => {}
        }
    }

    /// A colour; `None` if there is none, or Mermaid does not have it.
    fn colour(&mut self, colour: Option<&str>) -> Option<String> {
        let written = colour::mermaid(colour?);
        let reason = "colours that are no names or mixtures of red, green and blue";
        self.left_out_if(written.is_none(), reason);
        written
    }

    fn left_out_if(&mut self, is_left_out: bool, what: &'static str) {
        if is_left_out {
            self.left_out.insert(what);
        }
    }

    /// Writes a mark. Most marks become notes in Mermaid.
    fn mark(&mut self, mark: &drawing::Mark) {
        let life = match mark {
            drawing::Mark::Activate { lifeline, colour } => {
                self.left_out_if(colour.is_some(), "colours of bars");
                Some(("activate", lifeline))
            }
            drawing::Mark::Deactivate(Some(lifeline)) => Some(("deactivate", lifeline)),
            drawing::Mark::Destroy(lifeline) => Some(("destroy", lifeline)),
            drawing::Mark::Create(lifeline) => {
                if let Some(line) = self.created.get_mut(&lifeline.symbol).and_then(Option::take) {
                    self.line(&format!("create {line}"));
                }
                return;
            }
            drawing::Mark::Note(note) => {
                let is_plain = note.shape == NoteShape::Sheet && note.colour.is_none();
                self.left_out_if(!is_plain, "shapes and colours of notes");
                None
            }
            drawing::Mark::Divider(_)
            | drawing::Mark::Delay(_)
            | drawing::Mark::Reference { .. } => {
                self.left_out.insert("dividers, delays and references (written as notes)");
                None
            }
            drawing::Mark::Space(_) | drawing::Mark::Page(_) => {
                self.left_out.insert("spaces and pages");
                None
            }
            drawing::Mark::Deactivate(None) | drawing::Mark::Open(_) | drawing::Mark::Close => None,
        };
        if let Some((word, lifeline)) = life {
            let line = format!("{word} {}", self.end(Some(*lifeline)));
            return self.line(&line);
        }
        let none = Vec::new();
        let (place, at, text) = match mark {
            drawing::Mark::Note(note) => {
                let place = match note.place {
                    NotePlace::Left => "left of",
                    NotePlace::Right => "right of",
                    NotePlace::Over | NotePlace::Across => "over",
                };
                (place, &note.at, &note.text)
            }
            drawing::Mark::Divider(text) | drawing::Mark::Delay(text) => ("over", &none, text),
            drawing::Mark::Reference { over, text } => ("over", over, text),
            drawing::Mark::Space(_)
            | drawing::Mark::Activate { .. }
            | drawing::Mark::Deactivate(_)
            | drawing::Mark::Create(_)
            | drawing::Mark::Destroy(_)
            | drawing::Mark::Open(_)
            | drawing::Mark::Close
            | drawing::Mark::Page(_) => return,
        };
        let known = at.iter().filter_map(|name| self.participants.get(&Some(name.symbol)));
        let mut ends: Vec<&str> = known.map(String::as_str).collect();
        if ends.is_empty() {
            let all = [self.first.as_deref(), self.last.as_deref()];
            ends = all.into_iter().flatten().collect();
        }
        let over = match (place, &ends[..]) {
            (_, []) => return,
            ("over", [first, .., last]) if first != last => format!("{first},{last}"),
            (_, [first, ..]) => (*first).to_owned(),
        };
        let place = if at.is_empty() { "over" } else { place };
        let line = format!("Note {place} {over}: {}", encode_shown(text));
        self.line(&line);
    }

    fn end(&self, end: Option<Name>) -> &str {
        self.participants.get(&end.map(|name| name.symbol)).map_or("", |text| text)
    }

    fn directive(&mut self, kind: &StatementKind) {
        if let Some(text) = directive::write(kind, &self.names) {
            self.line(&format!("%% {}", encode_directive(&text)));
        }
    }

    fn line(&mut self, text: &str) {
        let depth = (self.open.len() + 1).min(MAX_INDENT);
        self.out.extend(std::iter::repeat_n("    ", depth));
        self.out.push_str(text);
        self.out.push('\n');
    }
}
