//! The declarations that a diagram implies.
//!
//! Lifelines are declared by their heads (`participant`) and by the arrows, notes and references that use them, in the order of the
//! text, which is the order of the picture; messages by the arrows, in order of first use. The environment is
//! not a lifeline. The list of a directive (`coreg(l1)`) does not declare its names, so that lowering
//! detects misspelt ones.

use rustc_hash::FxHashMap;

use super::Aliases;
use crate::ast::{Declaration, Declarations, Section};
use crate::diagram::statement::{Look, Statement, StatementKind};
use crate::drawing;
use crate::name::{Name, Names, Symbol};
use crate::source::Span;

/// The sections of the tree: messages and lifelines, each if there are any.
pub(super) fn sections(
    whole: Span,
    names: &Names,
    aliases: &Aliases,
    statements: &[Statement],
) -> Vec<Section> {
    let mut lifelines = Declared::default();
    let mut messages = Declared::default();
    for statement in statements {
        match &statement.kind {
            StatementKind::Participant { name, label } => {
                if let Some(name) = aliases.lifeline(*name) {
                    let shown = label.as_deref().filter(|&text| text != names.text(name.symbol));
                    lifelines.declare(name, shown);
                }
            }
            StatementKind::Lifelines(listed) => {
                for name in aliases.lifelines(listed) {
                    lifelines.declare(name, None);
                }
            }
            StatementKind::Message(message) => {
                let mut ends: Vec<Name> = message.ends().collect();
                // The sender may be at the right: `B <- A`.
                ends.sort_by_key(|name| name.span.start);
                for name in aliases.lifelines(&ends) {
                    lifelines.declare(name, None);
                }
                messages.declare(message.message, None);
            }
            StatementKind::Messages(listed) => {
                for &name in listed {
                    messages.declare(name, None);
                }
            }
            StatementKind::Look(Look::Mark(
                drawing::Mark::Note(drawing::Note { at: listed, .. })
                | drawing::Mark::Reference { over: listed, .. },
            )) => {
                for name in aliases.lifelines(listed) {
                    lifelines.declare(name, None);
                }
            }
            StatementKind::Open(_)
            | StatementKind::Next(_)
            | StatementKind::Close
            | StatementKind::Mark(_)
            | StatementKind::Look(_)
            | StatementKind::Empty => {}
        }
    }
    let mut sections = Vec::new();
    if !messages.names.is_empty() {
        sections.push(Section::Messages(Declarations { span: whole, names: messages.names }));
    }
    if !lifelines.names.is_empty() {
        sections.push(Section::Lifelines(Declarations { span: whole, names: lifelines.names }));
    }
    sections
}

/// Names in order of first declaration.
#[derive(Default)]
struct Declared {
    names: Vec<Declaration>,
    index: FxHashMap<Symbol, usize>,
}

impl Declared {
    /// Declares a name, or adds a label to a declared name without one.
    fn declare(&mut self, name: Name, label: Option<&str>) {
        let names = &mut self.names;
        let at = *self.index.entry(name.symbol).or_insert_with(|| {
            names.push(Declaration { name, label: None });
            names.len() - 1
        });
        if let (None, Some(label)) = (&self.names[at].label, label) {
            self.names[at].label = Some(label.to_owned());
        }
    }
}
