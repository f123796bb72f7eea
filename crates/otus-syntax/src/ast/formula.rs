//! Syntax trees of CTL formulas, before name resolution.
//!
//! All formulas of a file share one arena in which operands precede their operators, so no traversal
//! recurses on the depth of a formula and one pass in order visits operands first. A node may be an
//! operand of several others (if a `let` names it), so a traversal in another order has to track the
//! visited nodes.

use crate::ast::Comment;
use crate::name::{Name, Names, Symbol};
use crate::rational::Rational;
use crate::source::{SourceId, Span};

/// The formulas of a `.ctl` file, or of a command line.
#[derive(Debug, Clone, Default)]
pub struct FormulaFile {
    /// The text all spans refer to.
    pub source: SourceId,
    /// The table of the names and texts in the file.
    pub names: Names,
    /// All nodes, operands before operators.
    pub nodes: Vec<FormulaNode>,
    /// The properties and definitions, in order.
    pub items: Vec<Item>,
    /// All comments in order.
    pub comments: Vec<Comment>,
}

impl FormulaFile {
    /// The node with an id.
    ///
    /// # Panics
    /// If the id is not of this file.
    pub fn node(&self, id: FormulaId) -> &FormulaNode {
        &self.nodes[id.index()]
    }

    /// The properties, without the definitions.
    pub fn properties(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| item.kind == ItemKind::Property)
    }

    /// Some nodes and those below them, operands before operators. A named formula counts as an operand of its
    /// name. If `enters` refuses the kind of a node, the node is included, but the nodes below it are not.
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
    /// The span of the item.
    pub span: Span,
    /// Property or definition.
    pub kind: ItemKind,
    /// The name of the formula; a definition always has one.
    pub name: Option<Name>,
    /// The formula.
    pub body: FormulaId,
}

/// The use of a formula of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemKind {
    /// A formula to check.
    Property,
    /// A `let`, which later formulas can refer to.
    Definition,
}

/// A node of a [`FormulaFile`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FormulaId(pub u32);

impl FormulaId {
    /// The index of the formula in [`FormulaFile::nodes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A formula or a term with its span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormulaNode {
    /// The span of the formula or term.
    pub span: Span,
    /// The operator or leaf.
    pub kind: FormulaKind,
}

/// The operator or leaf of a formula or term.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormulaKind {
    /// `true` or `false`: a formula, or a value in a comparison.
    Constant(bool),
    /// `3`, `0.25`, `1/3`, `-2`
    Number(Rational),
    /// `"leader"`
    Text(Symbol),
    /// `x` or `p.x`: a variable; a Boolean one is a formula. A word that names no variable denotes itself as
    /// a text, so that members of enumerations need no quotes.
    Variable(Path),
    /// The name of an earlier `let`, and its formula.
    Named(Name, FormulaId),
    /// `last(p)`: the label of the last event of a process.
    Last(Name),
    /// `count(p)` or `count(p.label)`: the number of events of a process, or of those with a label.
    Count(Name, Option<Name>),
    /// `-t`
    Negative(FormulaId),
    /// `s + t`, `s - t`, `s * t`
    Arithmetic(Arithmetic, FormulaId, FormulaId),
    /// `s < t` and the other comparisons.
    Compare(Comparison, FormulaId, FormulaId),
    /// `t in {a, 1}`; the members are numbers, texts and truth values.
    Member(FormulaId, Vec<FormulaId>),
    /// `!f`
    Not(FormulaId),
    /// `f & g` and the other binary connectives.
    Connective(Connective, FormulaId, FormulaId),
    /// `EX f` and the other unary modalities.
    Temporal(Quantifier, Modality, FormulaId),
    /// `E[f U g]` and the other binary modalities.
    Until(Quantifier, UntilKind, FormulaId, FormulaId),
    /// `mutex(p.cs, q.cs)`: a named pattern.
    Call(Name, Vec<FormulaId>),
    /// `forall p != q in n*: f` or `exists p in {a, b}: f`: the conjunction or the disjunction of f over processes.
    ForEach(Quantifier, Box<Binder>, FormulaId),
    /// `at_most_one(m in n*, f, per term)`: the condition, then the keys after `per`.
    AtMostOne(Box<Binder>, Vec<FormulaId>),
    /// Text with a syntax error, which a diagnostic reports.
    Invalid,
}

impl FormulaKind {
    /// The operands, in order. The formula of a `let` is not an operand of its name.
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
            FormulaKind::Negative(f)
            | FormulaKind::Not(f)
            | FormulaKind::Temporal(_, _, f)
            | FormulaKind::ForEach(_, _, f) => ([Some(*f), None], &[]),
            FormulaKind::Arithmetic(_, f, g)
            | FormulaKind::Compare(_, f, g)
            | FormulaKind::Connective(_, f, g)
            | FormulaKind::Until(_, _, f, g) => ([Some(*f), Some(*g)], &[]),
            FormulaKind::Member(f, members) => ([Some(*f), None], members),
            FormulaKind::Call(_, arguments) | FormulaKind::AtMostOne(_, arguments) => {
                ([None, None], arguments)
            }
        };
        pair.into_iter().flatten().chain(list.iter().copied())
    }
}

/// The part of a quantifier over processes before its formula: `p != q in n*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binder {
    /// The names that stand for processes in the formula.
    pub names: Vec<Name>,
    /// Whether the names stand for different processes.
    pub distinct: bool,
    /// The processes, by name; `*` in a name stands for any characters. Empty for all processes of the trace.
    pub range: Vec<Name>,
}

/// `x` or `p.x`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Path {
    /// The process, if it is named.
    pub process: Option<Name>,
    /// The part after the first dot; the whole text if there is no dot.
    pub name: Name,
}

/// `+`, `-`, `*`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`; one of the two operands is a constant.
    Multiply,
}

impl Arithmetic {
    /// The spelling of the operator.
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
    /// The spelling of the comparison.
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

    /// Whether the comparison holds between two values with this order.
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
    /// The spelling of the connective.
    pub fn symbol(self) -> &'static str {
        match self {
            Connective::And => "&",
            Connective::Or => "|",
            Connective::Implies => "->",
            Connective::Iff => "<->",
        }
    }
}

/// A path quantifier of CTL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// `E`, `∃`: some run.
    Exists,
    /// `A`, `∀`: all runs.
    All,
}

impl Quantifier {
    /// The spelling of the quantifier.
    pub fn symbol(self) -> char {
        match self {
            Quantifier::Exists => 'E',
            Quantifier::All => 'A',
        }
    }
}

/// A unary modality of CTL.
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
    /// The spelling of the modality.
    pub fn symbol(self) -> char {
        match self {
            Modality::Next => 'X',
            Modality::Finally => 'F',
            Modality::Globally => 'G',
        }
    }
}

/// A binary modality of CTL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UntilKind {
    /// `f U g`: g at some cut, and f at all before it.
    Until,
    /// `f W g`: like `f U g`, or f at all cuts.
    Weak,
    /// `f R g`: g at all cuts up to and including one where f holds, or at all cuts.
    Release,
}

impl UntilKind {
    /// The spelling of the operator.
    pub fn symbol(self) -> char {
        match self {
            UntilKind::Until => 'U',
            UntilKind::Weak => 'W',
            UntilKind::Release => 'R',
        }
    }
}
