//! The sorts of operands: a formula is true or false at a cut, a term has a value.
//!
//! Each operator requires one of the two sorts. A variable has both, since a Boolean variable is a
//! formula; so do `true` and `false`. The actual values of a variable are known only from a trace.

use super::Parser;
use crate::ast::formula::{Comparison, FormulaId, FormulaKind};
use crate::code::Code;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// The operand can only be a formula.
    Formula,
    /// The operand can only be a number.
    Number,
    /// The operand can only be a text.
    Text,
    /// `true` or `false`.
    Constant,
    /// A variable, or a syntax error.
    Any,
}

impl Parser<'_> {
    /// Reports an operand of `what` that is not a formula.
    pub(super) fn needs_formula(&mut self, id: FormulaId, what: &str) {
        let found = match self.sort(id) {
            Sort::Formula | Sort::Constant | Sort::Any => return,
            Sort::Number => "a number",
            Sort::Text => "a text",
        };
        let help = "a formula is a comparison, a Boolean variable, or made of formulas";
        self.wrong_sort(id, format!("{what} needs a formula, and this is {found}"), help);
    }

    /// Reports an operand of `what` that is not a number.
    pub(super) fn needs_number(&mut self, id: FormulaId, what: &str) {
        let found = match self.sort(id) {
            Sort::Number | Sort::Any => return,
            Sort::Formula => "a formula",
            Sort::Text => "a text",
            Sort::Constant => "a truth value",
        };
        let help = "sums are made of numbers and variables";
        self.wrong_sort(id, format!("{what} needs a number, and this is {found}"), help);
    }

    /// Reports a side of a comparison that is not a value.
    pub(super) fn needs_value(&mut self, id: FormulaId, comparison: Comparison) {
        let symbol = comparison.symbol();
        match (self.sort(id), comparison) {
            (Sort::Number | Sort::Any | Sort::Text, _)
            | (Sort::Constant, Comparison::Equal | Comparison::Unequal) => {}
            (Sort::Constant, _) => {
                let message = format!("`{symbol}` does not compare truth values");
                self.wrong_sort(id, message, "they are equal or not: use `=` or `!=`");
            }
            (Sort::Formula, _) => {
                let message = format!("`{symbol}` compares values, and this is a formula");
                self.wrong_sort(id, message, "to compare formulas, write f <-> g");
            }
        }
    }

    /// Reports a left side of `in` that is not a value.
    pub(super) fn needs_member(&mut self, id: FormulaId) {
        if self.sort(id) == Sort::Formula {
            let message = "`in` needs a value, and this is a formula".to_owned();
            self.wrong_sort(id, message, "put the formula in parentheses apart from the set");
        }
    }

    /// Reports a product of two variables.
    pub(super) fn needs_linear(&mut self, left: FormulaId, right: FormulaId) {
        let is_constant = |id: FormulaId| {
            self.constant[id.index()] || self.tree.node(id).kind == FormulaKind::Invalid
        };
        if is_constant(left) || is_constant(right) {
            return;
        }
        let span = self.tree.node(left).span.to(self.tree.node(right).span);
        let message = "neither side of this product is a number";
        let help = "variables can be added and multiplied by numbers: 2 * x + y";
        self.findings.report(Code::NOT_LINEAR, span, message, help);
    }

    fn sort(&self, mut id: FormulaId) -> Sort {
        loop {
            return match &self.tree.node(id).kind {
                // Each name is an item of its own, so chains of names are short.
                FormulaKind::Named(_, body) => {
                    id = *body;
                    continue;
                }
                FormulaKind::Constant(_) => Sort::Constant,
                FormulaKind::Number(_)
                | FormulaKind::Count(..)
                | FormulaKind::Negative(_)
                | FormulaKind::Arithmetic(..) => Sort::Number,
                FormulaKind::Text(_) | FormulaKind::Last(_) => Sort::Text,
                FormulaKind::Variable(_) | FormulaKind::Invalid => Sort::Any,
                FormulaKind::Compare(..)
                | FormulaKind::Member(..)
                | FormulaKind::Not(_)
                | FormulaKind::Connective(..)
                | FormulaKind::Temporal(..)
                | FormulaKind::Until(..)
                | FormulaKind::Call(..)
                | FormulaKind::ForEach(..)
                | FormulaKind::AtMostOne(..) => Sort::Formula,
            };
        }
    }

    fn wrong_sort(&mut self, id: FormulaId, message: String, help: &str) {
        let span = self.tree.node(id).span;
        self.findings.report(Code::WRONG_SORT, span, message, help);
    }
}
