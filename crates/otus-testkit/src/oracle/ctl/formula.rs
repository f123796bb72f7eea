//! Formulas with every modality as an operator of its own.

use std::fmt::{self, Write as _};

use otus_ctl::atom::{Atom, Reading};
use otus_ctl::{FormulaId, Formulas};
use otus_syntax::ast::formula::{Connective, Modality, Quantifier, UntilKind};

/// A formula as a list of nodes, operands first; the last node is the whole formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ctl(pub Vec<Node>);

/// A node of a formula; its operands are indices into the [`Ctl`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// True or false.
    Constant(bool),
    /// An atomic predicate.
    Atom(Atom),
    /// `¬f`
    Not(usize),
    /// `f ∧ g` or another Boolean connective.
    Connective(Connective, usize, usize),
    /// `EX f` or another modality with one operand.
    Temporal(Quantifier, Modality, usize),
    /// `E[f U g]` or another modality with two operands.
    Until(Quantifier, UntilKind, usize, usize),
}

impl Node {
    /// The operands.
    pub fn operands(&self) -> Vec<usize> {
        match self {
            Node::Constant(_) | Node::Atom(_) => vec![],
            Node::Not(f) | Node::Temporal(_, _, f) => vec![*f],
            Node::Connective(_, f, g) | Node::Until(_, _, f, g) => vec![*f, *g],
        }
    }
}

impl Ctl {
    /// Whether EX or AX occurs in it.
    pub fn has_next(&self) -> bool {
        self.0.iter().any(|node| matches!(node, Node::Temporal(_, Modality::Next, _)))
    }

    /// The subformula at a node, as a formula of its own.
    #[must_use]
    pub fn part(&self, whole: usize) -> Ctl {
        let mut wanted = vec![false; whole + 1];
        wanted[whole] = true;
        for at in (0..=whole).rev() {
            if wanted[at] {
                self.0[at].operands().into_iter().for_each(|operand| wanted[operand] = true);
            }
        }
        let mut places = vec![0; whole + 1];
        let mut nodes = Vec::new();
        for at in 0..=whole {
            if !wanted[at] {
                continue;
            }
            places[at] = nodes.len();
            nodes.push(match self.0[at].clone() {
                node @ (Node::Constant(_) | Node::Atom(_)) => node,
                Node::Not(f) => Node::Not(places[f]),
                Node::Connective(kind, f, g) => Node::Connective(kind, places[f], places[g]),
                Node::Temporal(runs, when, f) => Node::Temporal(runs, when, places[f]),
                Node::Until(runs, kind, f, g) => Node::Until(runs, kind, places[f], places[g]),
            });
        }
        Ctl(nodes)
    }

    /// The same formula for `otus-ctl`, by the constructors that derive one operator from others.
    pub fn lower(&self, formulas: &mut Formulas) -> FormulaId {
        let mut lowered: Vec<FormulaId> = Vec::with_capacity(self.0.len());
        for node in &self.0 {
            let id = match *node {
                Node::Constant(true) => Formulas::TRUE,
                Node::Constant(false) => Formulas::FALSE,
                Node::Atom(ref atom) => formulas.atom(atom.clone()),
                Node::Not(f) => formulas.not(lowered[f]),
                Node::Connective(kind, f, g) => formulas.connective(kind, lowered[f], lowered[g]),
                Node::Temporal(runs, when, f) => formulas.temporal(runs, when, lowered[f]),
                Node::Until(runs, kind, f, g) => formulas.until(runs, kind, lowered[f], lowered[g]),
            };
            lowered.push(id);
        }
        lowered.last().copied().unwrap_or(Formulas::TRUE)
    }
}

/// With the numbers of variables, processes and labels: `A[v0 < 3 U last(p1) = "go"]`.
impl fmt::Display for Ctl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut texts: Vec<String> = Vec::with_capacity(self.0.len());
        for node in &self.0 {
            texts.push(match node {
                Node::Constant(value) => value.to_string(),
                Node::Atom(atom) => show(atom),
                Node::Not(f) => format!("!({})", texts[*f]),
                Node::Connective(kind, f, g) => {
                    format!("({} {} {})", texts[*f], kind.symbol(), texts[*g])
                }
                Node::Temporal(runs, when, f) => {
                    format!("{}{}({})", runs.symbol(), when.symbol(), texts[*f])
                }
                Node::Until(runs, kind, f, g) => {
                    format!("{}[{} {} {}]", runs.symbol(), texts[*f], kind.symbol(), texts[*g])
                }
            });
        }
        f.write_str(texts.last().map_or("true", String::as_str))
    }
}

fn show(atom: &Atom) -> String {
    match atom {
        Atom::Member(reading, values) => {
            let values: Vec<String> = values.iter().map(ToString::to_string).collect();
            format!("{} in {{{}}}", read(*reading), values.join(", "))
        }
        Atom::Compare(reading, comparison, value) => {
            format!("{} {} {value}", read(*reading), comparison.symbol())
        }
        Atom::Pair(left, comparison, right) => {
            format!("{} {} {}", read(*left), comparison.symbol(), read(*right))
        }
        Atom::Linear(terms, comparison, constant) => {
            let mut text = String::new();
            for (at, (reading, factor)) in terms.iter().enumerate() {
                let plus = if at > 0 { " + " } else { "" };
                let _ = write!(text, "{plus}{factor}*{}", read(*reading));
            }
            format!("{text} {} {constant}", comparison.symbol())
        }
    }
}

fn read(reading: Reading) -> String {
    match reading {
        Reading::Variable(variable) => format!("v{}", variable.0),
        Reading::Last(process) => format!("last(p{})", process.0),
        Reading::Count(process, None) => format!("count(p{})", process.0),
        Reading::Count(process, Some(label)) => format!("count(p{}.l{})", process.0, label.0),
    }
}
