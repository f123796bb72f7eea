//! Formulas as written, before names are resolved.
//!
//! All formulas of a file share one arena, in which operands come before their operators, so that
//! nothing recurses on the user's depth and one pass in order visits operands first. A node may be
//! an operand of several others (whatever a `let` names is), so a traversal that is not in
//! order has to remember what it has seen.

use crate::ast::Comment;
use crate::name::{Name, Names, Symbol};
use crate::rational::Rational;
use crate::source::{SourceId, Span};

/// The formulas of a `.ctl` file, or of a command line.
#[derive(Debug, Clone, Default)]
pub struct FormulaFile {
    /// The text all spans refer to.
    pub source: SourceId,
    /// Every name and text used.
    pub names: Names,
    /// All nodes, operands before operators.
    pub nodes: Vec<FormulaNode>,
    /// What the file says, in order.
    pub items: Vec<Item>,
    /// All comments in order.
    pub comments: Vec<Comment>,
}

impl FormulaFile {
    /// The node with a given number.
    ///
    /// # Panics
    /// If the number is not of this file.
    pub fn node(&self, id: FormulaId) -> &FormulaNode {
        &self.nodes[id.0 as usize]
    }

    /// The properties to be checked, without the definitions.
    pub fn properties(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| item.kind == ItemKind::Property)
    }

    /// Some nodes and those below them, operands before operators. A named formula counts as an operand of its
    /// name. Nodes whose kind `enters` refuses are included, those below them are not.
    pub fn below(
        &self,
        roots: &[FormulaId],
        enters: impl Fn(&FormulaKind) -> bool,
    ) -> Vec<FormulaId> {
        let mut met = vec![false; self.nodes.len()];
        let mut pending = roots.to_vec();
        let mut found = Vec::new();
        while let Some(id) = pending.pop() {
            if std::mem::replace(&mut met[id.0 as usize], true) {
                continue;
            }
            found.push(id);
            let kind = &self.node(id).kind;
            if let FormulaKind::Named(_, body) = kind {
                pending.push(*body);
            } else if enters(kind) {
                pending.extend(kind.operands());
            }
        }
        found.sort_unstable();
        found
    }
}

/// `name: formula`, a formula alone, or `let name = formula`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: ItemKind,
    /// Its name, which a definition always has.
    pub name: Option<Name>,
    /// The formula.
    pub body: FormulaId,
}

/// What a formula is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemKind {
    /// To be checked.
    Property,
    /// To be named in later formulas.
    Definition,
}

/// A node of a [`FormulaFile`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FormulaId(pub u32);

/// A formula or a term with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormulaNode {
    /// Where it was read.
    pub span: Span,
    /// What it is.
    pub kind: FormulaKind,
}

/// What a formula, or a term in it, is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormulaKind {
    /// `true` or `false`: a formula, or a value in a comparison.
    Constant(bool),
    /// `3`, `0.25`, `1/3`, `-2`
    Number(Rational),
    /// `"leader"`
    Text(Symbol),
    /// `x` or `p.x`: a variable; a Boolean one is a formula. A word that is no variable stands for
    /// the text it is, so that members of enumerations need no quotes.
    Variable(Path),
    /// The name of an earlier `let`, and what it stands for.
    Named(Name, FormulaId),
    /// `last(p)`: the label of the last event of a process.
    Last(Name),
    /// `count(p)` or `count(p.label)`: how many events of a process, or those with a label.
    Count(Name, Option<Name>),
    /// `-t`
    Negative(FormulaId),
    /// `s + t`, `s - t`, `s * t`
    Arithmetic(Arithmetic, FormulaId, FormulaId),
    /// `s < t` and its kin.
    Compare(Comparison, FormulaId, FormulaId),
    /// `t in {a, 1}`; the members are numbers, texts and truth values.
    Member(FormulaId, Vec<FormulaId>),
    /// `!f`
    Not(FormulaId),
    /// `f & g` and its kin.
    Connective(Connective, FormulaId, FormulaId),
    /// `EX f` and its kin.
    Temporal(Quantifier, Modality, FormulaId),
    /// `E[f U g]` and its kin.
    Until(Quantifier, UntilKind, FormulaId, FormulaId),
    /// `mutex(p.cs, q.cs)`: a named pattern.
    Call(Name, Vec<FormulaId>),
    /// Text that could not be read; a diagnostic says why.
    Invalid,
}

impl FormulaKind {
    /// The nodes directly below, in order. What a `let` names is not below its name.
    pub fn operands(&self) -> impl Iterator<Item = FormulaId> {
        let (pair, list): ([Option<FormulaId>; 2], &[FormulaId]) = match self {
            FormulaKind::Constant(_)
            | FormulaKind::Number(_)
            | FormulaKind::Text(_)
            | FormulaKind::Variable(_)
            | FormulaKind::Named(..)
            | FormulaKind::Last(_)
            | FormulaKind::Count(..)
            | FormulaKind::Invalid => ([None, None], &[]),
            FormulaKind::Negative(f) | FormulaKind::Not(f) | FormulaKind::Temporal(_, _, f) => {
                ([Some(*f), None], &[])
            }
            FormulaKind::Arithmetic(_, f, g)
            | FormulaKind::Compare(_, f, g)
            | FormulaKind::Connective(_, f, g)
            | FormulaKind::Until(_, _, f, g) => ([Some(*f), Some(*g)], &[]),
            FormulaKind::Member(f, members) => ([Some(*f), None], members),
            FormulaKind::Call(_, arguments) => ([None, None], arguments),
        };
        pair.into_iter().flatten().chain(list.iter().copied())
    }
}

/// `x` or `p.x`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Path {
    /// The process, if it is named.
    pub process: Option<Name>,
    /// What follows the first dot, or all of it.
    pub name: Name,
}

/// `+`, `-`, `*`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`; one of the two is a constant.
    Multiply,
}

impl Arithmetic {
    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Arithmetic::Add => "+",
            Arithmetic::Subtract => "-",
            Arithmetic::Multiply => "*",
        }
    }
}

/// `=`, `!=`, `<`, `<=`, `>`, `>=`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `=`, `==`
    Equal,
    /// `!=`, `≠`
    Unequal,
    /// `<`
    Less,
    /// `<=`, `≤`
    AtMost,
    /// `>`
    Greater,
    /// `>=`, `≥`
    AtLeast,
}

impl Comparison {
    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Comparison::Equal => "=",
            Comparison::Unequal => "!=",
            Comparison::Less => "<",
            Comparison::AtMost => "<=",
            Comparison::Greater => ">",
            Comparison::AtLeast => ">=",
        }
    }

    /// Whether two values with this order between them are related.
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Comparison::Equal => order.is_eq(),
            Comparison::Unequal => order.is_ne(),
            Comparison::Less => order.is_lt(),
            Comparison::AtMost => order.is_le(),
            Comparison::Greater => order.is_gt(),
            Comparison::AtLeast => order.is_ge(),
        }
    }
}

/// `&`, `|`, `->`, `<->`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Connective {
    /// `&`, `&&`, `and`, `∧`
    And,
    /// `|`, `||`, `or`, `∨`
    Or,
    /// `->`, `=>`, `→`, `⇒`
    Implies,
    /// `<->`, `<=>`, `↔`, `⇔`
    Iff,
}

impl Connective {
    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Connective::And => "&",
            Connective::Or => "|",
            Connective::Implies => "->",
            Connective::Iff => "<->",
        }
    }
}

/// Over which runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// `E`, `∃`: some run.
    Exists,
    /// `A`, `∀`: all runs.
    All,
}

impl Quantifier {
    /// How it is written.
    pub fn symbol(self) -> char {
        match self {
            Quantifier::Exists => 'E',
            Quantifier::All => 'A',
        }
    }
}

/// When, of one formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Modality {
    /// `X`, `○`: at the next cut.
    Next,
    /// `F`, `◇`: at some cut.
    Finally,
    /// `G`, `□`: at all cuts.
    Globally,
}

impl Modality {
    /// How it is written.
    pub fn symbol(self) -> char {
        match self {
            Modality::Next => 'X',
            Modality::Finally => 'F',
            Modality::Globally => 'G',
        }
    }
}

/// When, of two formulas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UntilKind {
    /// `f U g`: g at some cut, and f at all before it.
    Until,
    /// `f W g`: the same, or f at all cuts.
    Weak,
    /// `f R g`: g at all cuts up to and including one where f holds, or at all cuts.
    Release,
}

impl UntilKind {
    /// How it is written.
    pub fn symbol(self) -> char {
        match self {
            UntilKind::Until => 'U',
            UntilKind::Weak => 'W',
            UntilKind::Release => 'R',
        }
    }
}
