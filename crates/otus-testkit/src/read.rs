//! Reads a text as a term in one step, for tests.

use otus_core::index::Index as _;
use otus_core::valued::{Atom, ValuedId, ValuedNode, VariableId};
use otus_core::{Lowered, lower};
use otus_syntax::ast::SpecFile;
use otus_syntax::diagram::markdown::{self, Fence};
use otus_syntax::diagram::{mermaid, plantuml};
use otus_syntax::grammar::Parsed;
use otus_syntax::{Diagnostic, Source, parse_spec};

/// The languages in which a test can write an interaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// The interaction language: `.hsf`, `.hif`, `.hcf`.
    Interaction,
    /// Mermaid.
    Mermaid,
    /// PlantUML.
    PlantUml,
}

impl Language {
    /// All of them.
    pub const ALL: [Language; 3] = [Language::Interaction, Language::Mermaid, Language::PlantUml];

    /// Reads a text.
    pub fn parse(self, source: &Source) -> Parsed<SpecFile> {
        match self {
            Language::Interaction => parse_spec(source),
            Language::Mermaid => mermaid::read(source, source.whole()),
            Language::PlantUml => plantuml::read(source, source.whole()),
        }
    }

    /// Writes a tree.
    pub fn write(self, tree: &SpecFile) -> String {
        match self {
            Language::Interaction => otus_syntax::print::spec(tree),
            Language::Mermaid => mermaid::write(tree),
            Language::PlantUml => plantuml::write(tree),
        }
    }
}

/// Reads the diagram in a fence of a Markdown document.
pub fn fenced(source: &Source, fence: &Fence) -> Parsed<SpecFile> {
    match fence.language {
        markdown::Language::Mermaid => mermaid::read(source, fence.content),
        markdown::Language::PlantUml => plantuml::read(source, fence.content),
    }
}

/// Parses and lowers one text. In an interaction without a signature, the use of a name declares it.
pub fn read(language: Language, text: &str) -> (Lowered, Vec<Diagnostic>) {
    let source = Source::new("test", text);
    let mut parsed = language.parse(&source);
    parsed.tree.implicit |= parsed.tree.sections.is_empty();
    let mut lowered = lower(&[&parsed.tree]);
    let mut diagnostics = parsed.diagnostics;
    diagnostics.append(&mut lowered.diagnostics);
    (lowered, diagnostics)
}

/// As [`term`], with numbers for the variables, since some have no name in the text, and with each atom of a guard once.
pub fn meaning(lowered: &Lowered) -> String {
    let Some(valued) = &lowered.valued else { return term(lowered) };
    let mut valued = valued.clone();
    for number in 0..valued.variables.len() {
        valued.variables[VariableId::new(number)] = format!("§{number}§").into();
    }
    for number in 0..valued.nodes.len() {
        if let ValuedNode::Event(parts) = &mut valued.nodes[ValuedId::new(number)] {
            for part in parts.iter_mut() {
                let mut guard: Vec<Atom> = Vec::new();
                for atom in &part.guard {
                    if !guard.contains(atom) {
                        guard.push(atom.clone());
                    }
                }
                part.guard = guard.into();
            }
        }
    }
    // Numbered as they occur, since binders and atoms declare them in different orders.
    let text = valued.text(&lowered.pool);
    let mut seen: Vec<&str> = Vec::new();
    let mut numbered = String::with_capacity(text.len());
    for (at, piece) in text.split('§').enumerate() {
        if at % 2 == 0 {
            numbered.push_str(piece);
            continue;
        }
        let number = seen.iter().position(|known| *known == piece).unwrap_or_else(|| {
            seen.push(piece);
            seen.len() - 1
        });
        numbered.push('v');
        numbered.push_str(&number.to_string());
    }
    numbered
}

/// The term of a lowered text in the notation of the papers, with its guards and binders; the empty text if there is none.
pub fn term(lowered: &Lowered) -> String {
    if let Some(valued) = &lowered.valued {
        return valued.text(&lowered.pool);
    }
    lowered.term.map(|term| lowered.pool.text(term)).unwrap_or_default()
}
