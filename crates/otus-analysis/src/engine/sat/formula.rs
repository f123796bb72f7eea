//! Formulas in conjunctive normal form: the input of the SAT solver.

use std::ops::Not;

/// A variable or its negation: twice the number of the variable, plus one for a negation. The two
/// constants are literals as well, so that an encoding needs no case distinctions; they
/// disappear when a clause is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Literal(pub(crate) u32);

impl Literal {
    pub(crate) const TRUE: Literal = Literal(u32::MAX - 1);
    pub(crate) const FALSE: Literal = Literal(u32::MAX);

    pub(crate) fn variable(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(crate) fn is_negative(self) -> bool {
        self.0 & 1 == 1
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    /// The value of the literal in a model.
    pub(crate) fn holds(self, model: &[bool]) -> bool {
        match self {
            Literal::TRUE => true,
            Literal::FALSE => false,
            _ => model[self.variable()] != self.is_negative(),
        }
    }
}

impl Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}

/// A conjunction of clauses.
#[derive(Debug, Clone, Default)]
pub(crate) struct Formula {
    /// The number of variables.
    pub(crate) variables: u32,
    literals: Vec<Literal>,
    /// For each clause: its end in `literals`.
    ends: Vec<u32>,
}

impl Formula {
    /// A new variable.
    pub(crate) fn variable(&mut self) -> Literal {
        let literal = Literal(self.variables << 1);
        self.variables += 1;
        literal
    }

    /// Adds a clause, with constants evaluated.
    pub(crate) fn add(&mut self, clause: &[Literal]) {
        self.add_from(clause.iter().copied());
    }

    /// Like [`Formula::add`], from any iterator.
    pub(crate) fn add_from(&mut self, clause: impl IntoIterator<Item = Literal>) {
        let start = self.literals.len();
        for literal in clause {
            match literal {
                Literal::TRUE => {
                    self.literals.truncate(start);
                    return;
                }
                Literal::FALSE => {}
                literal => self.literals.push(literal),
            }
        }
        self.ends.push(u32::try_from(self.literals.len()).expect("formulas are far smaller"));
    }

    pub(crate) fn clauses(&self) -> impl Iterator<Item = &[Literal]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.literals[start as usize..end as usize])
    }

    /// The number of literals of all clauses.
    pub(crate) fn len(&self) -> usize {
        self.literals.len()
    }
}
