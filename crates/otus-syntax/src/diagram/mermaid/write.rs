//! The writer of Mermaid diagrams: Mermaid accepts its output, and [`super::read()`] gives the same
//! statements back.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{LoopKind, SpecFile};
use crate::diagram::directive;
use crate::diagram::outline::{MAX_INDENT, outline};
use crate::diagram::statement::{
    Course, Fragment, Mark, Message, Repetition, Separator, Statement, StatementKind,
};
use crate::name::{Name, Names, Symbol};
use crate::source::Span;

use super::entity::{encode, encode_directive, encode_shown};
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
}

impl Writer {
    /// Chooses the names of the participants, and declares those that are declared in the tree or need an
    /// alias.
    fn heads(&mut self, statements: &[Statement]) {
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
                self.line(&format!("participant {text}{}", label.unwrap_or_default()));
            }
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
                let message = encode(self.names.text(message.symbol));
                let arrow = match course {
                    Course::Arrives => "->>",
                    Course::Lost => "-x",
                    Course::BothWays => "<<->>",
                };
                let line = format!("{}{arrow}{}: {message}", self.end(*from), self.end(*to));
                self.line(&line);
            }
            StatementKind::Open(fragment) => {
                match fragment {
                    Fragment::Alt => self.line("alt"),
                    Fragment::Opt => self.line("opt"),
                    Fragment::Par => self.line("par"),
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
                self.line(match separator {
                    Separator::Else => "else",
                    Separator::And => "and",
                    Separator::Option => "option",
                    // Mermaid has no `else` here.
                    Separator::Or => "%% else",
                });
                self.open.extend(is_directive);
            }
            StatementKind::Close => match self.open.pop() {
                Some(true) => self.directive(kind),
                Some(false) | None => self.line("end"),
            },
            // Written by `decorate`.
            StatementKind::Look(_) => {}
            StatementKind::Mark(_)
            | StatementKind::Empty
            | StatementKind::Lifelines(_)
            | StatementKind::Messages(_) => self.directive(kind),
        }
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
