//! The writer of PlantUML diagrams.
//!
//! PlantUML accepts its output, and the parser gives the same statements back. Constructs that PlantUML
//! lacks are written in comments (see [`crate::diagram::directive`]), or as the label of a `group`
//! where the picture should show them. Names are quoted unless PlantUML accepts them bare in every
//! position. A participant with both a quoted name and a label gets an alias, since PlantUML does not
//! accept both.

use std::fmt::Write as _;

use crate::diagram::directive;
use crate::diagram::outline::Outline;
use crate::diagram::plantuml::{text, words};
use crate::diagram::statement::{Block, End, Fragment, Mark, StatementKind};
use crate::name::{Name, Names, Symbol};
use crate::source::Span;

/// The text of a diagram.
pub(super) fn spell(outline: &Outline) -> String {
    let mut writer = Writer {
        names: outline.names.clone(),
        text: String::from("@startuml\n"),
        open: Vec::new(),
        aliases: Vec::new(),
        next_alias: 1,
    };
    writer.stand_in(outline);
    let mut statements = outline.statements.iter().map(|statement| &statement.kind).peekable();
    while let Some(kind) = statements.next() {
        // A loop of a special kind without bounds is a group with the name of the loop.
        if let StatementKind::Mark(Mark::LoopKind(kind)) = kind
            && let Some(StatementKind::Open(Fragment::Loop(repetition))) = statements.peek()
            && (repetition.least, repetition.most) == (0, None)
        {
            let block = Block::Loop(kind.clone());
            if writer.fits_label(&block) {
                writer.group(&block);
                statements.next();
                continue;
            }
        }
        writer.statement(kind);
    }
    writer.text.push_str("@enduml\n");
    writer.text
}

/// The deepest level with an indentation of its own. Without a bound, the output for deep diagrams would
/// have quadratic size.
const MAX_INDENT: usize = 40;

struct Writer {
    names: Names,
    text: String,
    /// The endings of the open fragments.
    open: Vec<Ending>,
    /// By symbol: its alias, if it has one.
    aliases: Vec<Option<String>>,
    next_alias: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// `end`
    Fragment,
    /// `' otus: end`
    Directive,
}

impl Writer {
    /// Declares a participant as the environment if there are no participants, since PlantUML rejects a
    /// diagram without any.
    fn stand_in(&mut self, outline: &Outline) {
        let has_participants = outline.statements.iter().any(|statement| {
            matches!(
                statement.kind,
                StatementKind::Participant { .. }
                    | StatementKind::Message { from: End::Lifeline(_), .. }
                    | StatementKind::Message { to: End::Lifeline(_), .. }
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
            StatementKind::Message { from, to, message } => self.message(*from, *to, *message),
            StatementKind::Open(fragment) => self.fragment(fragment),
            StatementKind::Next(_) => {
                let depth = self.open.len().saturating_sub(1);
                self.line_at(depth, "else");
            }
            StatementKind::Close => match self.open.pop() {
                Some(Ending::Directive) => self.line("' otus: end"),
                Some(Ending::Fragment) | None => self.line("end"),
            },
            StatementKind::Mark(_)
            | StatementKind::Empty
            | StatementKind::Lifelines(_)
            | StatementKind::Messages(_) => self.directive(kind),
        }
    }

    fn participant(&mut self, name: Name, label: Option<&str>) {
        let text = self.names.text(name.symbol).to_owned();
        match label.filter(|label| !label.is_empty() && *label != text) {
            None => {
                let name = self.name(name);
                self.line(&format!("participant {name}"));
            }
            Some(label) => {
                if !is_bare(&text) {
                    self.alias(name);
                }
                let name = self.name(name);
                self.line(&format!("participant \"{}\" as {name}", text::quoted(label)));
            }
        }
    }

    /// Gives a lifeline an alias, unless it has one.
    fn alias(&mut self, name: Name) {
        let index = name.symbol.index();
        if self.aliases.get(index).is_some_and(Option::is_some) {
            return;
        }
        let alias = self.fresh(&format!("p{}", self.next_alias));
        self.next_alias += 1;
        let symbol = self.names.intern(&alias);
        let mark = Mark::Rename { alias: Name { symbol, span: name.span }, name };
        self.directive(&StatementKind::Mark(mark));
        if self.aliases.len() <= index {
            self.aliases.resize(index + 1, None);
        }
        self.aliases[index] = Some(alias);
    }

    /// An unused name that begins like `wish`.
    fn fresh(&self, wish: &str) -> String {
        let mut name = wish.to_owned();
        while self.names.find(&name).is_some() {
            name.push('_');
        }
        name
    }

    fn message(&mut self, from: End, to: End, message: Name) {
        let label = text::message(self.names.text(message.symbol));
        let line = match (from, to) {
            (End::Lifeline(from), End::Lifeline(to)) => {
                format!("{} -> {} : {label}", self.name(from), self.name(to))
            }
            (End::Environment, End::Lifeline(to)) => format!("[-> {} : {label}", self.name(to)),
            (End::Lifeline(from), End::Environment) => format!("{} ->] : {label}", self.name(from)),
            // A message without lifelines cannot be drawn; only its declaration is kept.
            (End::Environment, End::Environment) => {
                return self.directive(&StatementKind::Messages(vec![message]));
            }
        };
        self.line(&line);
    }

    fn fragment(&mut self, fragment: &Fragment) {
        let line = match fragment {
            Fragment::Alt => String::from("alt"),
            Fragment::Opt => String::from("opt"),
            Fragment::Par => String::from("par"),
            Fragment::Break => String::from("break"),
            Fragment::Frame => String::from("group"),
            Fragment::Loop(repetition) => {
                format!("loop {}", directive::repetition_label(*repetition)).trim_end().to_owned()
            }
            Fragment::Block(block) if self.fits_label(block) => return self.group(block),
            Fragment::Block(Block::Loop(kind)) => {
                self.directive(&StatementKind::Mark(Mark::LoopKind(kind.clone())));
                String::from("loop")
            }
            Fragment::Block(_) => {
                self.directive(&StatementKind::Open(fragment.clone()));
                self.open.push(Ending::Directive);
                return;
            }
        };
        self.line(&line);
        self.open.push(Ending::Fragment);
    }

    fn group(&mut self, block: &Block) {
        let label = directive::block_label(block, &self.names);
        self.line(&format!("group {label}"));
        self.open.push(Ending::Fragment);
    }

    /// Whether a block's label can be the text of a `group`, which PlantUML interprets.
    fn fits_label(&self, block: &Block) -> bool {
        directive::block_label(block, &self.names).chars().all(|c| {
            c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ' | ',' | '(' | ')' | '"')
        })
    }

    fn directive(&mut self, kind: &StatementKind) {
        if let Some(text) = directive::write(kind, &self.names) {
            self.line(&format!("' {text}"));
        }
    }

    /// The name of a lifeline in arrows.
    fn name(&self, name: Name) -> String {
        let Symbol(index) = name.symbol;
        if let Some(Some(alias)) = self.aliases.get(index as usize) {
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
