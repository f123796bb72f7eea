//! The outline of a text.

use std::ops::Range;
use std::path::Path;

use otus_syntax::ast::formula::ItemKind;
use otus_syntax::ast::{Colocalization, Section, SpecFile};
use otus_syntax::mentions::{Mention, Mentions, Role};
use otus_syntax::{Source, Span, parse_formulas, parse_spec, parse_trace};
use rustc_hash::FxHashSet;
use toml::de::{DeTable, DeValue};

use super::{Kind, place, regions};
use crate::context::Context;
use crate::units::counted;

/// A part of a text that has a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// More about it.
    pub detail: String,
    /// What it is.
    pub kind: SymbolKind,
    /// The whole part.
    pub range: Range<usize>,
    /// The place of the name, within the part.
    pub selection: Range<usize>,
    /// The parts of it.
    pub children: Vec<Symbol>,
}

/// What a symbol is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SymbolKind {
    /// A lifeline.
    Lifeline,
    /// A message.
    Message,
    /// A field of events.
    Field,
    /// A variable.
    Variable,
    /// An interaction or a diagram.
    Interaction,
    /// A component of a multi-trace.
    Component,
    /// A section of options, or a table of settings.
    Section,
    /// A formula.
    Formula,
}

impl SymbolKind {
    fn of(role: Role) -> SymbolKind {
        match role {
            Role::Lifeline => SymbolKind::Lifeline,
            Role::Message => SymbolKind::Message,
            Role::Field => SymbolKind::Field,
            Role::Variable => SymbolKind::Variable,
        }
    }
}

/// The outline of a text.
pub fn symbols(context: &Context, path: &Path) -> Vec<Symbol> {
    let Some(kind) = Kind::of(path) else { return Vec::new() };
    let Some(source) = place::read(&*context.files, path) else { return Vec::new() };
    match kind {
        Kind::Model(_) => model(&parse_spec(&source).tree),
        Kind::Trace => trace(&source),
        Kind::Formulas => formulas(&source),
        Kind::Diagram(_) | Kind::Markdown => diagrams(&source, kind),
        Kind::Settings => settings(source.text()),
    }
}

fn leaf(name: String, kind: SymbolKind, range: Range<usize>) -> Symbol {
    let selection = range.clone();
    Symbol { name, detail: String::new(), kind, range, selection, children: Vec::new() }
}

fn model(tree: &SpecFile) -> Vec<Symbol> {
    let mut found = Vec::new();
    for section in &tree.sections {
        let (kind, declared) = match section {
            Section::Messages(declared) => (SymbolKind::Message, declared),
            Section::Lifelines(declared) => (SymbolKind::Lifeline, declared),
            Section::Options(options) => {
                let name = format!("@{}", options.process.keyword());
                found.push(leaf(name, SymbolKind::Section, options.span.range()));
                continue;
            }
        };
        let text = |it: &otus_syntax::ast::Declaration| tree.names.text(it.name.symbol).to_owned();
        found.extend(declared.names.iter().map(|it| leaf(text(it), kind, it.name.span.range())));
    }
    if let Some(interaction) = &tree.interaction {
        let root = interaction.node(interaction.root).span.range();
        let messages = interaction.nodes.iter().filter_map(|node| match &node.kind {
            otus_syntax::ast::NodeKind::Passing(passing) => Some(passing.message),
            otus_syntax::ast::NodeKind::Operator(..)
            | otus_syntax::ast::NodeKind::Empty
            | otus_syntax::ast::NodeKind::Invalid => None,
        });
        let mut whole = leaf("interaction".to_owned(), SymbolKind::Interaction, root);
        whole.detail = counted(messages.count(), "message");
        whole.selection = whole.range.start..whole.range.start;
        found.push(whole);
    }
    found
}

fn trace(source: &Source) -> Vec<Symbol> {
    let tree = parse_trace(source).tree;
    let component = |it: &otus_syntax::ast::Component| {
        let name = match &it.lifelines {
            Colocalization::All(_) => "#all".to_owned(),
            Colocalization::Any(_) => "#any".to_owned(),
            Colocalization::Listed(names) => {
                let names: Vec<&str> = names.iter().map(|it| tree.names.text(it.symbol)).collect();
                names.join(", ")
            }
        };
        let mut found = leaf(name, SymbolKind::Component, it.span.range());
        found.detail = counted(it.occurrences.len(), "action");
        found.selection = found.range.start..found.range.start;
        found
    };
    tree.components.iter().map(component).collect()
}

fn formulas(source: &Source) -> Vec<Symbol> {
    let tree = parse_formulas(source).tree;
    let mut found = Vec::new();
    for item in &tree.items {
        let range = item.span.range();
        let mut symbol = match item.name {
            Some(name) => {
                let mut symbol =
                    leaf(tree.names.text(name.symbol).to_owned(), SymbolKind::Formula, range);
                symbol.selection = name.span.range();
                symbol
            }
            None => leaf(first_line(source.slice(item.span)), SymbolKind::Formula, range),
        };
        if item.kind == ItemKind::Definition {
            symbol.kind = SymbolKind::Variable;
        }
        found.push(nested(symbol));
    }
    found
}

fn diagrams(source: &Source, kind: Kind) -> Vec<Symbol> {
    let one = |region: &regions::Region| {
        let mentions = region.mentions(source);
        let name = region.selector.clone().unwrap_or_else(|| "diagram".to_owned());
        let mut whole = leaf(name, SymbolKind::Interaction, region.span.range());
        whole.selection = whole.range.start..whole.range.start;
        whole.children = firsts(&mentions, region.span);
        let of = |role| whole.children.iter().filter(|it| it.kind == SymbolKind::of(role)).count();
        whole.detail = format!(
            "{}, {}",
            counted(of(Role::Lifeline), "lifeline"),
            counted(of(Role::Message), "message")
        );
        whole
    };
    regions::of(source, kind).iter().map(one).collect()
}

/// The first mention of each name.
fn firsts(mentions: &Mentions, within: Span) -> Vec<Symbol> {
    let mut seen: FxHashSet<(Role, otus_syntax::Symbol)> = FxHashSet::default();
    let mut found = Vec::new();
    for Mention { role, name, .. } in &mentions.all {
        let is_inside = within.start <= name.span.start && name.span.end <= within.end;
        if is_inside && seen.insert((*role, name.symbol)) {
            let text = mentions.text(name.symbol).to_owned();
            found.push(leaf(text, SymbolKind::of(*role), name.span.range()));
        }
    }
    found
}

fn settings(text: &str) -> Vec<Symbol> {
    let (document, _) = DeTable::parse_recoverable(text);
    let mut found = Vec::new();
    for (key, value) in document.get_ref() {
        let name = key.get_ref().to_string();
        match value.get_ref() {
            DeValue::Array(items) if items.iter().any(|item| item.get_ref().is_table()) => {
                for item in items {
                    found.push(table(&name, item));
                }
            }
            DeValue::Array(_)
            | DeValue::Table(_)
            | DeValue::String(_)
            | DeValue::Integer(_)
            | DeValue::Float(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_) => {
                found.push(leaf(name, SymbolKind::Section, key.span()));
            }
        }
    }
    found.sort_by_key(|symbol| symbol.range.start);
    found
}

/// One table of a list, such as a `[[source]]` with its rules.
fn table(list: &str, item: &toml::Spanned<DeValue<'_>>) -> Symbol {
    let mut symbol = leaf(list.to_owned(), SymbolKind::Section, item.span());
    symbol.selection = item.span().start..item.span().start;
    for (key, value) in item.get_ref().as_table().into_iter().flatten() {
        match (&**key.get_ref(), value.get_ref()) {
            ("name", DeValue::String(name)) => symbol.detail = name.to_string(),
            ("rule", DeValue::Array(rules)) => {
                symbol.children = rules.iter().map(|rule| table("rule", rule)).collect();
            }
            _ => {}
        }
    }
    for child in &symbol.children {
        symbol.range =
            symbol.range.start.min(child.range.start)..symbol.range.end.max(child.range.end);
    }
    nested(symbol)
}

/// The symbol with its name inside its range, as editors demand.
fn nested(mut symbol: Symbol) -> Symbol {
    let (start, end) = (symbol.range.start, symbol.range.end);
    let selection = symbol.selection;
    symbol.selection = selection.start.clamp(start, end)..selection.end.clamp(start, end);
    symbol
}

fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    line.chars().take(60).collect()
}
