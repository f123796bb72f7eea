//! Every place where a diagram names something.

use crate::ast::{LoopKind, Operator};
use crate::diagram::markdown::Language;
use crate::diagram::plantuml::Include;
use crate::diagram::statement::{Fragment, Look, Mark, Message, Statement, StatementKind};
use crate::diagram::{build, mermaid, plantuml};
use crate::drawing;
use crate::mentions::{Mention, Mentions, Role, Use};
use crate::name::Name;
use crate::source::{Source, Span};

/// The mentions of the diagram at `range` of a text.
pub(crate) fn mentions(
    source: &Source,
    range: Span,
    language: Language,
    include: Option<&mut Include<'_>>,
) -> Mentions {
    let (names, statements) = match language {
        Language::Mermaid => mermaid::statements(source, range),
        Language::PlantUml => plantuml::statements(source, range, include),
    };
    let mut collector =
        Collector { aliases: build::Aliases::of(&statements), found: Mentions::new(names) };
    for statement in &statements {
        collector.statement(statement);
    }
    collector.found.sorted()
}

struct Collector {
    aliases: build::Aliases,
    found: Mentions,
}

impl Collector {
    /// A lifeline, unless the participant is the environment.
    fn lifeline(&mut self, name: Name, used: Use) {
        if let Some(name) = self.aliases.lifeline(name) {
            self.found.add(Role::Lifeline, name, used);
        }
    }

    fn lifelines(&mut self, names: &[Name], used: Use) {
        for &name in names {
            self.lifeline(name, used);
        }
    }

    fn variables(&mut self, names: &[Name]) {
        for &name in names {
            self.found.add(Role::Variable, name, Use::Declared);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Participant { name, .. } => self.lifeline(*name, Use::Declared),
            StatementKind::Lifelines(names) => self.lifelines(names, Use::Declared),
            StatementKind::Messages(names) => {
                for &name in names {
                    self.found.add(Role::Message, name, Use::Declared);
                }
            }
            StatementKind::Message(message) => self.message(message),
            StatementKind::Open(Fragment::Block(operator)) => self.operator(operator),
            StatementKind::Mark(mark) => self.mark(mark),
            StatementKind::Look(look) => self.look(look),
            StatementKind::Open(
                Fragment::Alt
                | Fragment::Opt
                | Fragment::Par
                | Fragment::Loop(_)
                | Fragment::Break
                | Fragment::Frame
                | Fragment::Critical(_)
                | Fragment::Broadcast,
            )
            | StatementKind::Next(_)
            | StatementKind::Close
            | StatementKind::Empty => {}
        }
    }

    fn message(&mut self, message: &Message) {
        let sender = message.from.and_then(|name| self.aliases.lifeline(name));
        if let Some(from) = message.from {
            self.lifeline(from, Use::Sent);
        }
        if let Some(to) = message.to {
            self.lifeline(to, Use::Received);
        }
        let used = if sender.is_some() { Use::Sent } else { Use::Received };
        self.found.add(Role::Message, message.message, used);
    }

    fn operator(&mut self, operator: &Operator) {
        self.lifelines(operator.region(), Use::Named);
        self.variables(operator.variables());
    }

    fn mark(&mut self, mark: &Mark) {
        match mark {
            Mark::LoopKind(kind, fresh) => {
                if let LoopKind::Coregion(names) = kind {
                    self.lifelines(names, Use::Named);
                }
                self.variables(fresh);
            }
            Mark::Guard(drafts) => {
                for draft in drafts {
                    match draft.path() {
                        Some((first, rest)) if self.is_lifeline(first) => {
                            self.lifeline(first, Use::Named);
                            self.found.add(Role::Field, rest, Use::Named);
                            if let Some(variable) = draft.atom().variable() {
                                self.found.add(Role::Variable, variable, Use::Named);
                            }
                        }
                        Some(_) | None => self.found.atom(draft.atom()),
                    }
                }
            }
            Mark::Anchor(name) => self.found.add(Role::Variable, *name, Use::Declared),
            Mark::Rename { name, .. } => {
                self.found.add(Role::Lifeline, *name, Use::Declared);
            }
            Mark::Synchronous
            | Mark::Values
            | Mark::Critical(_)
            | Mark::Beside
            | Mark::Environment(_) => {}
        }
    }

    /// Whether a name was that of a lifeline before.
    fn is_lifeline(&self, name: Name) -> bool {
        let all = &self.found.all;
        all.iter().any(|it| it.role == Role::Lifeline && it.name.symbol == name.symbol)
    }

    fn look(&mut self, look: &Look) {
        match look {
            Look::Mark(mark) => match mark {
                drawing::Mark::Note(drawing::Note { at: names, .. })
                | drawing::Mark::Reference { over: names, .. } => {
                    self.lifelines(names, Use::Named);
                }
                drawing::Mark::Create(lifeline) => self.lifeline(*lifeline, Use::Named),
                drawing::Mark::Activate { lifeline, .. }
                | drawing::Mark::Deactivate(Some(lifeline))
                | drawing::Mark::Destroy(lifeline) => {
                    // PlantUML declares what has a bar, but who looks for a declaration does not mean that.
                    let is_here = |it: &mut Mention| it.name.span == lifeline.span;
                    self.found.all.pop_if(is_here);
                    self.lifeline(*lifeline, Use::Named);
                }
                drawing::Mark::Divider(_)
                | drawing::Mark::Delay(_)
                | drawing::Mark::Space(_)
                | drawing::Mark::Deactivate(None)
                | drawing::Mark::Open(_)
                | drawing::Mark::Close
                | drawing::Mark::Page(_) => {}
            },
            Look::Head(head) => self.lifeline(head.lifeline, Use::Named),
            Look::Arrow(_)
            | Look::Frame(_)
            | Look::Guard(_)
            | Look::Title(_)
            | Look::OpenBox(_)
            | Look::CloseBox
            | Look::Numbering(_) => {}
        }
    }
}
