//! The writer of PlantUML diagrams.
//!
//! PlantUML accepts its output, and the parser gives the same statements back. Constructs that PlantUML
//! lacks are written in comments (see [`crate::diagram::directive`]), or as the label of a `group`
//! where the picture should show them. Names are quoted unless PlantUML accepts them bare in every
//! position. A participant with both a quoted name and a label gets an alias, since PlantUML does not
//! accept both.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::Operator;
use crate::ast::guard::Atom;
use crate::diagram::UNNAMED;
use crate::diagram::Written;
use crate::diagram::colour;
use crate::diagram::directive;
use crate::diagram::outline::{MAX_INDENT, Outline, lifelines};
use crate::diagram::plantuml::{text, words};
use crate::diagram::statement::{Course, Fragment, Look, Mark, Message, Numbering, StatementKind};
use crate::diagram::values;
use crate::drawing::{self, ArrowHead, HeadKind, NotePlace, NoteShape, TitlePlace};
use crate::grammar::interaction::guard::Draft;
use crate::lexer::quote;
use crate::name::{Name, Names, Symbol};
use crate::print::guard::Naming;
use crate::source::Span;

pub(super) fn spell(outline: &Outline) -> Written {
    let mut writer = Writer {
        names: outline.names.clone(),
        taken: lifelines(&outline.statements),
        text: String::from("@startuml\n"),
        open: Vec::new(),
        aliases: FxHashMap::default(),
        heads: FxHashMap::default(),
        arrow: None,
        frame: None,
        guard: None,
        atoms: Vec::new(),
        has_values: outline
            .statements
            .iter()
            .any(|statement| statement.kind == StatementKind::Mark(Mark::Values)),
        left_out: outline.left_out.clone(),
    };
    writer.stand_in(outline);
    let mut statements = outline.statements.iter().map(|statement| &statement.kind).peekable();
    while let Some(kind) = statements.next() {
        // A loop of a special kind without bounds is a group with the name of the loop.
        if let StatementKind::Mark(Mark::LoopKind(kind, fresh)) = kind
            && fresh.is_empty()
            && let Some(StatementKind::Open(Fragment::Loop(repetition))) = statements.peek()
            && (repetition.least, repetition.most) == (0, None)
            && let Some(label) = writer.group_label(&Operator::Loop(kind.clone()))
        {
            writer.open(&format!("group {label}"));
            statements.next();
            continue;
        }
        writer.statement(kind);
    }
    writer.text.push_str("@enduml\n");
    Written { text: writer.text, left_out: writer.left_out.into_iter().collect() }
}

struct Writer {
    names: Names,
    /// The lifelines, whose names are not available for aliases.
    taken: FxHashSet<Symbol>,
    text: String,
    /// For each open fragment: whether a directive opened it.
    open: Vec<bool>,
    aliases: FxHashMap<Symbol, String>,
    /// For each lifeline: the symbol of its head.
    heads: FxHashMap<Symbol, drawing::Head>,
    /// The looks of the next arrow, fragment and operand.
    arrow: Option<drawing::Arrow>,
    frame: Option<drawing::Frame>,
    guard: Option<String>,
    /// The guard of the next arrow.
    atoms: Vec<Draft>,
    /// Whether brackets at the end of a label are a guard.
    has_values: bool,
    left_out: BTreeSet<&'static str>,
}

impl Writer {
    /// If there are no participants, declares one that stands for the environment, because PlantUML
    /// rejects a diagram without participants.
    fn stand_in(&mut self, outline: &Outline) {
        let has_participants = outline.statements.iter().any(|statement| {
            matches!(
                statement.kind,
                StatementKind::Participant { .. }
                    | StatementKind::Message(
                        Message { from: Some(_), .. } | Message { to: Some(_), .. }
                    )
            )
        });
        if has_participants {
            return;
        }
        let outside = self.fresh("outside");
        let symbol = self.names.intern(&outside);
        let name = Name { symbol, span: Span::default() };
        self.directive(&StatementKind::Mark(Mark::Environment(name)));
        self.line(&format!("participant {outside}"));
    }

    fn statement(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::Participant { name, label } => self.participant(*name, label.as_deref()),
            StatementKind::Message(message) => self.message(message),
            StatementKind::Open(fragment) => self.fragment(fragment),
            StatementKind::Next(_) => {
                let depth = self.open.len().saturating_sub(1);
                let guard = self.guard.take().unwrap_or_default();
                let line = format!("else {}", shown_on_a_line(&guard));
                self.line_at(depth, line.trim_end());
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

    fn participant(&mut self, name: Name, label: Option<&str>) {
        let text = self.names.text(name.symbol);
        let label = label.filter(|&label| !label.is_empty() && label != text);
        if label.is_some() && !is_bare(text) {
            self.alias(name);
        }
        let label = label.map(|label| format!("\"{}\" as ", text::quoted_shown(label)));
        let head = self.heads.get(&name.symbol).cloned();
        let kind = head.as_ref().map(|head| head.kind).unwrap_or_default().word();
        let mut line = format!("{kind} {}{}", label.unwrap_or_default(), self.name(name));
        if let Some(head) = head {
            if let Some(stereotype) = &head.stereotype {
                let _ = write!(line, " <<{stereotype}>>");
            }
            if let Some(order) = head.order {
                let _ = write!(line, " order {order}");
            }
            line.push_str(&self.colour(head.colour.as_deref()));
        }
        self.line(&line);
    }

    /// Gives a lifeline an alias, unless it has one.
    fn alias(&mut self, name: Name) {
        if self.aliases.contains_key(&name.symbol) {
            return;
        }
        let alias = self.fresh(&format!("p{}", self.aliases.len() + 1));
        let symbol = self.names.intern(&alias);
        let mark = Mark::Rename { alias: Name { symbol, span: name.span }, name };
        self.directive(&StatementKind::Mark(mark));
        self.aliases.insert(name.symbol, alias);
    }

    /// An unused name that begins like `wish`.
    fn fresh(&self, wish: &str) -> String {
        let mut name = wish.to_owned();
        let is_taken = |name: &str| {
            let is_lifeline = self.names.find(name).is_some_and(|it| self.taken.contains(&it));
            is_lifeline || self.aliases.values().any(|alias| alias == name)
        };
        while is_taken(&name) {
            name.push('_');
        }
        name
    }

    fn message(&mut self, message: &Message) {
        let &Message { from, to, message, course } = message;
        let look = self.arrow.take().unwrap_or_default();
        let label = self.guarded(message, &look.text, [from, to]);
        let line = if look.dotted { "--" } else { "-" };
        let colour = self.colour(look.colour.as_deref());
        let line = match colour.trim() {
            "" => line.to_owned(),
            colour => format!("-[{colour}]{}", &line[1..]),
        };
        let arrow = match (course, look.head) {
            (Course::Arrives, ArrowHead::Open) => format!("{line}>>"),
            (Course::Arrives, ArrowHead::Half) => format!("{line}\\"),
            (Course::Arrives, ArrowHead::Filled | ArrowHead::None) => format!("{line}>"),
            (Course::Lost, _) => format!("{line}>x"),
            (Course::BothWays, _) => format!("<{line}>"),
        };
        if look.head == ArrowHead::None {
            self.left_out.insert("lines without a head");
        }
        let line = match (from, to) {
            (Some(from), Some(to)) => {
                format!("{} {arrow} {} : {label}", self.name(from), self.name(to))
            }
            (None, Some(to)) => format!("[{arrow} {} : {label}", self.name(to)),
            (Some(from), None) => format!("{} {arrow}] : {label}", self.name(from)),
            // A message without lifelines cannot be drawn; only its declaration is kept.
            (None, None) => {
                return self.directive(&StatementKind::Messages(vec![message]));
            }
        };
        self.line(line.trim_end());
    }

    /// The label of a message with its guard.
    fn guarded(&mut self, message: Name, shown: &str, ends: [Option<Name>; 2]) -> String {
        let mut label = self.label(message, shown);
        if !self.has_values {
            return label;
        }
        label = values::without_guards(&label, |bracket| format!("<U+{:04X}>", u32::from(bracket)));
        let drafts = std::mem::take(&mut self.atoms);
        if drafts.is_empty() {
            return label;
        }
        let atoms: Vec<Atom> = drafts.iter().map(|draft| draft.atom().clone()).collect();
        let participant = |name: Name| match self.aliases.get(&name.symbol) {
            Some(alias) => alias.as_str(),
            None => self.names.text(name.symbol),
        };
        let written = ends.iter().flatten().filter_map(|&end| self.names.find(participant(end)));
        let symbols: Vec<Symbol> =
            ends.iter().flatten().map(|end| end.symbol).chain(written).collect();
        let naming = Naming::new(&self.names, &self.taken);
        let guard = naming.atoms(&atoms, &symbols, |name| quote(participant(name)).into_owned());
        format!("{label} {}", text::message(&guard)).trim_start().to_owned()
    }

    /// The label of a message: the text of its arrow if the name of the message follows from that
    /// text, else the name.
    fn label(&self, message: Name, shown: &str) -> String {
        let name = self.names.text(message.symbol);
        let lines: Vec<String> = shown.split('\n').map(text::message).collect();
        let written = lines.join("\\n");
        let is_name = if shown.is_empty() { name == UNNAMED } else { text::name(&written) == name };
        if is_name { written } else { text::message(name) }
    }

    fn look(&mut self, look: &Look) {
        match look {
            Look::Arrow(arrow) => self.arrow = Some(arrow.clone()),
            Look::Frame(frame) => self.frame = Some(frame.clone()),
            Look::Guard(guard) => self.guard = Some(guard.clone()),
            Look::Title(title) if !title.text.trim().is_empty() => {
                let word = match title.place {
                    TitlePlace::Title => "title",
                    TitlePlace::Header => "header",
                    TitlePlace::Footer => "footer",
                    TitlePlace::Caption => "caption",
                    TitlePlace::Frame => "mainframe",
                    TitlePlace::Legend => {
                        self.line("legend");
                        let lines: Vec<String> = title.text.lines().map(text::message).collect();
                        for line in &lines {
                            self.line(line);
                        }
                        return self.line("end legend");
                    }
                };
                let line = format!("{word} {}", shown_on_a_line(&title.text));
                self.line(&line);
            }
            Look::Head(head) => {
                self.heads.insert(head.lifeline.symbol, head.clone());
            }
            Look::Mark(mark) => self.mark(mark),
            Look::OpenBox(one) => {
                let title = match shown_on_a_line(&one.title).replace('"', "") {
                    title if title.is_empty() => title,
                    title => format!(" \"{title}\""),
                };
                let line = format!("box{title}{}", self.colour(one.colour.as_deref()));
                self.line(&line);
            }
            Look::CloseBox => self.line("end box"),
            Look::Numbering(numbering) => {
                let line = match numbering {
                    Numbering::Start { first, step, form, .. } => {
                        let levels = form.levels().unwrap_or_default();
                        let first = match *first {
                            1 if levels.is_empty() && *step == 1 => String::new(),
                            first => format!(" {levels}{first}"),
                        };
                        let step = if *step == 1 { String::new() } else { format!(" {step}") };
                        let format = if levels.is_empty() { form.format() } else { None };
                        let format = format.map_or_else(String::new, |form| format!(" \"{form}\""));
                        format!("autonumber{first}{step}{format}")
                    }
                    Numbering::Stop => "autonumber stop".to_owned(),
                    Numbering::Resume { .. } | Numbering::Increment { .. } => {
                        "autonumber resume".to_owned()
                    }
                };
                self.line(&line);
            }
            Look::Title(_) => {}
        }
    }

    fn mark(&mut self, mark: &drawing::Mark) {
        let list = |names: &[Name]| {
            let names: Vec<String> = names.iter().map(|&name| self.name(name)).collect();
            names.join(", ")
        };
        let line = match mark {
            drawing::Mark::Note(note) => {
                let word = match note.shape {
                    NoteShape::Sheet => "note",
                    NoteShape::Hexagon => "hnote",
                    NoteShape::Rectangle => "rnote",
                };
                let place = match (note.place, note.at.is_empty()) {
                    (NotePlace::Left, false) => format!("left of {}", list(&note.at[..1])),
                    (NotePlace::Right, false) => format!("right of {}", list(&note.at[..1])),
                    (NotePlace::Over, false) => format!("over {}", list(&note.at)),
                    (NotePlace::Left, true) => "left".to_owned(),
                    (NotePlace::Right | NotePlace::Over, true) => "right".to_owned(),
                    (NotePlace::Across, _) => "across".to_owned(),
                };
                let colour = note.colour.as_deref().and_then(colour::plantuml);
                let colour = colour.map(|colour| format!(" {colour}")).unwrap_or_default();
                format!("{word} {place}{colour} : {}", shown_on_a_line(&note.text))
            }
            drawing::Mark::Divider(text) => format!("== {} ==", shown_on_a_line(text)),
            drawing::Mark::Delay(text) => format!("...{}...", shown_on_a_line(text)),
            drawing::Mark::Reference { over, text } if !over.is_empty() => {
                format!("ref over {} : {}", list(over), shown_on_a_line(text))
            }
            drawing::Mark::Space(None) => "|||".to_owned(),
            drawing::Mark::Space(Some(pixels)) => format!("||{pixels}||"),
            drawing::Mark::Activate { lifeline, colour } => {
                let colour = colour.as_deref().and_then(colour::plantuml);
                let colour = colour.map(|colour| format!(" {colour}")).unwrap_or_default();
                format!("activate {}{colour}", self.name(*lifeline))
            }
            drawing::Mark::Deactivate(Some(lifeline)) => {
                format!("deactivate {}", self.name(*lifeline))
            }
            drawing::Mark::Create(lifeline) => {
                let kind = self.heads.get(&lifeline.symbol).map(|head| head.kind);
                let kind = kind.filter(|&kind| kind != HeadKind::Participant);
                let kind = kind.map(|kind| format!("{} ", kind.word())).unwrap_or_default();
                format!("create {kind}{}", self.name(*lifeline))
            }
            drawing::Mark::Destroy(lifeline) => format!("destroy {}", self.name(*lifeline)),
            drawing::Mark::Page(title) => {
                format!("newpage {}", shown_on_a_line(title)).trim_end().to_owned()
            }
            drawing::Mark::Reference { .. }
            | drawing::Mark::Deactivate(None)
            | drawing::Mark::Open(_)
            | drawing::Mark::Close => return,
        };
        self.line(&line);
    }

    fn fragment(&mut self, fragment: &Fragment) {
        let frame = self.frame.take().unwrap_or_default();
        let label = frame.label;
        let colour = self.colour(frame.colour.as_deref());
        let labelled = |word: &str| {
            format!("{word}{colour} {}", shown_on_a_line(&label)).trim_end().to_owned()
        };
        let line = match fragment {
            Fragment::Alt => labelled("alt"),
            Fragment::Opt => labelled("opt"),
            Fragment::Par => labelled("par"),
            Fragment::Loop(_) if !label.is_empty() => labelled("loop"),
            Fragment::Break => String::from("break"),
            Fragment::Frame if frame.keyword == "critical" => labelled("critical"),
            Fragment::Frame if frame.second.is_empty() => labelled("group"),
            Fragment::Frame => {
                format!("{} [{}]", labelled("group"), shown_on_a_line(&frame.second))
            }
            Fragment::Critical(_) => String::from("critical"),
            Fragment::Loop(repetition) => {
                format!("loop {}", directive::repetition_label(*repetition)).trim_end().to_owned()
            }
            Fragment::Broadcast => String::from("group broadcast"),
            Fragment::Block(operator) => match (self.group_label(operator), operator) {
                (Some(label), _) => format!("group {label}"),
                (None, Operator::Loop(kind)) => {
                    let mark = Mark::LoopKind(kind.clone(), Vec::new());
                    self.directive(&StatementKind::Mark(mark));
                    String::from("loop")
                }
                (None, _) => {
                    self.directive(&StatementKind::Open(fragment.clone()));
                    self.open.push(true);
                    return;
                }
            },
        };
        self.open(&line);
    }

    fn open(&mut self, line: &str) {
        self.line(line);
        self.open.push(false);
    }

    /// The label of the `group` for an operator, unless PlantUML would interpret it.
    fn group_label(&self, operator: &Operator) -> Option<String> {
        if matches!(operator, Operator::New(_) | Operator::Fresh(_)) {
            return None;
        }
        let label = directive::block_label(operator, &self.names);
        let is_plain = |c: char| {
            c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ' | ',' | '(' | ')' | '"')
        };
        label.chars().all(is_plain).then_some(label)
    }

    /// A colour after a blank; nothing if there is none.
    fn colour(&mut self, colour: Option<&str>) -> String {
        let Some(colour) = colour else { return String::new() };
        let Some(colour) = colour::plantuml(colour) else {
            self.left_out.insert("colours that are no names or mixtures of red, green and blue");
            return String::new();
        };
        format!(" {colour}")
    }

    fn directive(&mut self, kind: &StatementKind) {
        if let Some(text) = directive::write(kind, &self.names) {
            self.line(&format!("' {text}"));
        }
    }

    /// The name of a lifeline in arrows.
    fn name(&self, name: Name) -> String {
        if let Some(alias) = self.aliases.get(&name.symbol) {
            return alias.clone();
        }
        let text = self.names.text(name.symbol);
        if is_bare(text) { text.to_owned() } else { format!("\"{}\"", text::quoted(text)) }
    }

    fn line(&mut self, line: &str) {
        self.line_at(self.open.len(), line);
    }

    fn line_at(&mut self, depth: usize, line: &str) {
        let indent = 2 * depth.min(MAX_INDENT);
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{:indent$}{line}", "");
    }
}

/// A text with line breaks, on one line.
fn shown_on_a_line(shown: &str) -> String {
    let lines: Vec<String> = shown.split('\n').map(text::message).collect();
    lines.join("\\n")
}

/// Whether PlantUML accepts a name without quotes in every position. Only Latin letters count, since the
/// set of all letters depends on the version of Java's Unicode tables.
fn is_bare(text: &str) -> bool {
    let letter = |c: char| {
        c == '_'
            || c.is_ascii_alphanumeric()
            || matches!(c, '\u{c0}'..='\u{24f}') && !matches!(c, '×' | '÷')
    };
    !text.is_empty() && text.chars().all(letter) && !words::is_reserved(text)
}
