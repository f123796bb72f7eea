//! The writer of Mermaid diagrams: Mermaid accepts its output, and [`super::read()`] gives the same
//! statements back.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{LoopKind, SpecFile};
use crate::diagram::UNNAMED;
use crate::diagram::directive;
use crate::diagram::outline::{MAX_INDENT, outline};
use crate::diagram::statement::{
    Course, Fragment, Look, Mark, Message, Repetition, Separator, Statement, StatementKind,
};
use crate::drawing::{self, HeadKind, NotePlace, TitlePlace};
use crate::name::{Name, Names, Symbol};
use crate::source::Span;

use super::entity::{decode, encode, encode_directive, encode_shown, on_one_line, without_wrap};
use super::lexis::is_spellable;

/// The Mermaid diagram of a tree.
pub fn write(tree: &SpecFile) -> String {
    let outline = outline(tree);
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
    };
    writer.heads(&outline.statements);
    for statement in &outline.statements {
        writer.statement(&statement.kind);
    }
    writer.out
}

struct Writer {
    out: String,
    /// By lifeline, or `None` for the environment: the name of its participant.
    participants: FxHashMap<Option<Symbol>, String>,
    /// The lifelines, whose names are not available for invented participants.
    taken: FxHashSet<Symbol>,
    names: Names,
    /// By open fragment: whether a directive opened it.
    open: Vec<bool>,
    /// The number of aliases tried.
    aliases: u32,
    /// By lifeline: the symbol of its head.
    kinds: FxHashMap<Symbol, HeadKind>,
    /// The first and the last participant.
    first: Option<String>,
    last: Option<String>,
    /// The looks of the next arrow, fragment and operand.
    arrow: Option<drawing::Arrow>,
    frame: Option<drawing::Frame>,
    guard: Option<String>,
}

impl Writer {
    /// Chooses the names of the participants, and declares those that are declared in the tree or need an
    /// alias.
    fn heads(&mut self, statements: &[Statement]) {
        for statement in statements {
            if let StatementKind::Look(Look::Head(head)) = &statement.kind {
                self.kinds.insert(head.lifeline.symbol, head.kind);
            }
        }
        for statement in statements {
            if let StatementKind::Participant { name, label } = &statement.kind {
                self.head(*name, label.as_deref(), true);
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
                self.line(&line);
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
        self.line(&format!("participant {alias} as {shown}"));
        self.participants.insert(Some(name.symbol), alias);
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
            // Written by `heads`.
            StatementKind::Participant { .. } => {}
            StatementKind::Message(Message { from, to, message, course }) => {
                let look = self.arrow.take().unwrap_or_default();
                let message = self.label(*message, &look.text);
                let arrow = match (course, look.dotted) {
                    (Course::Arrives, false) => "->>",
                    (Course::Arrives, true) => "-->>",
                    (Course::Lost, false) => "-x",
                    (Course::Lost, true) => "--x",
                    (Course::BothWays, false) => "<<->>",
                    (Course::BothWays, true) => "<<-->>",
                };
                let line = format!("{}{arrow}{}: {message}", self.end(*from), self.end(*to));
                self.line(&line);
            }
            StatementKind::Open(fragment) => {
                let label = self.frame.take().map(|frame| frame.label).unwrap_or_default();
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
                    Fragment::Frame => self.line("rect transparent"),
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
                    // Mermaid has no `else` here.
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

    /// The label of a message: the text of its arrow if that gives its name, else its name.
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
            Look::Title(_)
            | Look::Head(_)
            | Look::OpenBox(_)
            | Look::CloseBox
            | Look::Numbering(_) => {}
        }
    }

    /// Marks are notes in Mermaid.
    fn mark(&mut self, mark: &drawing::Mark) {
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

fn lifelines(statements: &[Statement]) -> FxHashSet<Symbol> {
    let mut found = FxHashSet::default();
    for statement in statements {
        let names: &[Name] = match &statement.kind {
            StatementKind::Participant { name, .. } => std::slice::from_ref(name),
            StatementKind::Message(message) => {
                found.extend(message.ends().map(|name| name.symbol));
                continue;
            }
            StatementKind::Open(Fragment::Block(operator)) => operator.region(),
            StatementKind::Mark(Mark::LoopKind(LoopKind::Coregion(region))) => region,
            StatementKind::Lifelines(listed) => listed,
            StatementKind::Open(_)
            | StatementKind::Next(_)
            | StatementKind::Close
            | StatementKind::Mark(_)
            | StatementKind::Empty
            | StatementKind::Look(_)
            | StatementKind::Messages(_) => continue,
        };
        found.extend(names.iter().map(|name| name.symbol));
    }
    found
}
