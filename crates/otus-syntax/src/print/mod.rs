//! Printers of the canonical text of each tree, as `otus fmt` writes it.
//!
//! Printing keeps the order of all parts, syntactic sugar, arities and comments. It makes spacing, line
//! breaks and the spelling of operators and options uniform (`loop_seq` becomes `loopW`,
//! `pre_filters` becomes `filters`).
//!
//! Time is linear in the output for any depth: indentation stops growing at [`MAX_INDENTED`] levels,
//! and the width of each node is computed once.

mod dialect;
mod formula;
pub(crate) mod guard;
mod interaction;
mod options;
mod trace;
mod writer;

use crate::ast::{Declarations, Passing, Section, SpecFile};
use crate::lexer::quote;
use crate::name::{Name, Names};

pub use dialect::{Dialect, not_in_2020};
pub use formula::{formula, formulas};
pub use options::option;
pub use trace::{trace, trace_line, trace_value};
use writer::Writer;
pub use writer::{INDENT, MAX_INDENTED, WIDTH};

/// The canonical text of a specification.
///
/// ```
/// use otus_syntax::{Source, parse_spec, print};
///
/// let text = "@lifeline{a;b}@message{m} loop_seq( a--m->b )";
/// let tree = parse_spec(&Source::new("x.hsf", text)).tree;
/// assert_eq!(print::spec(&tree), "@lifeline{ a; b }\n@message{ m }\nloopW(a -- m -> b)\n");
/// ```
pub fn spec(tree: &SpecFile) -> String {
    spec_in(tree, Dialect::Current)
}

/// The canonical text of a specification in a dialect.
pub fn spec_in(tree: &SpecFile, dialect: Dialect) -> String {
    let mut writer = Writer::new(&tree.comments);
    // Sections and the interaction are printed in the order of their spans, so that comments stay next
    // to the same text; sections without a span come first.
    let interaction = tree.interaction.as_ref();
    let place = interaction.map_or(u32::MAX, |i| i.node(i.root).span.start);
    let early = |section: &&Section| section.span().is_empty() || section.span().start < place;
    for section in tree.sections.iter().filter(early) {
        self::section(&mut writer, &tree.names, section, dialect);
    }
    if let Some(interaction) = interaction {
        let naming = guard::Naming::of(tree);
        let names = &tree.names;
        interaction::print(&mut writer, &naming, names, interaction, &tree.comments, dialect);
        writer.line(0);
    }
    for section in tree.sections.iter().filter(|section| !early(section)) {
        self::section(&mut writer, &tree.names, section, dialect);
    }
    writer.finish()
}

/// The canonical text of the interaction alone, as in a `.hif` file; empty if there is none.
pub fn interaction(tree: &SpecFile) -> String {
    let mut writer = Writer::new(&[]);
    if let Some(interaction) = &tree.interaction {
        let naming = guard::Naming::of(tree);
        let dialect = Dialect::Current;
        interaction::print(&mut writer, &naming, &tree.names, interaction, &[], dialect);
        writer.line(0);
    }
    writer.finish()
}

/// The canonical text of the declarations alone, as in a `.hsf` file.
pub fn signature(tree: &SpecFile) -> String {
    let mut writer = Writer::new(&[]);
    for section in tree.sections.iter().filter(|each| !matches!(each, Section::Options(_))) {
        self::section(&mut writer, &tree.names, section, Dialect::Current);
    }
    writer.finish()
}

/// The guard of a passing of a tree, in brackets; empty if it has none.
pub fn guard(tree: &SpecFile, passing: &Passing) -> String {
    guard::Naming::of(tree).guard(passing)
}

/// The names, quoted where necessary and separated by commas.
fn list(names: &Names, list: &[Name]) -> String {
    let texts: Vec<_> = list.iter().map(|name| quote(names.text(name.symbol))).collect();
    texts.join(", ")
}

fn section(writer: &mut Writer<'_>, names: &Names, section: &Section, dialect: Dialect) {
    writer.comments_before(section.span().start);
    match section {
        Section::Messages(declared) => declarations(writer, names, "@message{", declared),
        Section::Lifelines(declared) => declarations(writer, names, "@lifeline{", declared),
        Section::Options(section) => options::print(writer, names, section, dialect),
    }
    writer.line(0);
}

/// `@message{ m1; m2 }` on one line if it fits, otherwise on filled lines; with one name per line if
/// there are comments between the names.
fn declarations(writer: &mut Writer<'_>, names: &Names, opener: &str, declared: &Declarations) {
    writer.text(opener);
    let texts: Vec<_> =
        declared.names.iter().map(|name| quote(names.text(name.name.symbol))).collect();
    let width: usize = texts.iter().map(|text| text.chars().count() + 2).sum();
    let commented = writer.has_comment_before(declared.span.end);
    if texts.is_empty() && !commented {
        writer.text("}");
        return;
    }
    if !commented && opener.len() + width < WIDTH {
        writer.text(" ");
        writer.text(&texts.join("; "));
        writer.text(" }");
        return;
    }
    let mut column = WIDTH;
    for (i, (name, text)) in declared.names.iter().zip(&texts).enumerate() {
        let last = i + 1 == texts.len();
        let length = text.chars().count() + 1;
        if commented || column + 1 + length > WIDTH {
            writer.line(1);
            column = INDENT;
        } else {
            writer.text(" ");
            column += 1;
        }
        writer.comments_before(name.name.span.start);
        writer.text(text);
        if !last {
            writer.text(";");
        }
        column += length;
    }
    if commented {
        writer.line(1);
        writer.comments_before(declared.span.end);
    }
    writer.line(0);
    writer.text("}");
}
