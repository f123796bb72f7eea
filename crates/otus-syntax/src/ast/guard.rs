//! Guards: what a message must carry.
//!
//! A guard is a list of atoms in brackets after the name of a message, `PUBLISH[mid = m, qos = 2, client at s]`. All atoms must hold, at
//! both ends of the passing unless an atom names one lifeline.

use crate::name::Name;
use crate::rational::Rational;
use crate::source::Span;

/// One test of a guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Atom {
    /// Its span.
    pub span: Span,
    /// The lifeline at which it must hold; all lifelines of the passing if there is none.
    pub lifeline: Option<Name>,
    /// What must hold.
    pub test: Test,
}

/// What an atom says of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    /// `f = v`, `f < x + 1` and the like.
    Compare {
        /// The field of the event.
        field: Name,
        /// The relation between the field and the operand.
        relation: Relation,
        /// What the field is compared with.
        operand: Operand,
    },
    /// `f in {v, w}`
    In {
        /// The field of the event.
        field: Name,
        /// The values that it may have.
        values: Vec<Literal>,
    },
    /// `f ~ "plant/*"`
    Matches {
        /// The field of the event.
        field: Name,
        /// The pattern, in which `*` stands for any text and `?` for one character.
        pattern: Box<str>,
    },
    /// `=f`: both ends of the passing carry the same value of f.
    Same(Name),
    /// `a at s`: the time of the event is the anchor s.
    At(Name),
    /// `a within 2s of s`: the time of the event is at most this long after the anchor.
    Within {
        /// The longest distance.
        duration: Duration,
        /// The anchor.
        anchor: Name,
    },
    /// `a at least 1s after s`: the time of the event is at least this long after the anchor.
    After {
        /// The shortest distance.
        duration: Duration,
        /// The anchor.
        anchor: Name,
    },
}

impl Atom {
    /// The field that it names; `None` if it is about the time.
    pub fn field(&self) -> Option<Name> {
        match self.test {
            Test::Compare { field, .. }
            | Test::In { field, .. }
            | Test::Matches { field, .. }
            | Test::Same(field) => Some(field),
            Test::At(_) | Test::Within { .. } | Test::After { .. } => None,
        }
    }

    /// All names in it.
    pub(crate) fn names_mut(&mut self) -> impl Iterator<Item = &mut Name> {
        let names = match &mut self.test {
            Test::Compare { field, operand: Operand::Variable { name, .. }, .. } => {
                [Some(field), Some(name)]
            }
            Test::Compare { field: name, operand: Operand::Literal(_), .. }
            | Test::In { field: name, .. }
            | Test::Matches { field: name, .. }
            | Test::Same(name)
            | Test::At(name)
            | Test::Within { anchor: name, .. }
            | Test::After { anchor: name, .. } => [Some(name), None],
        };
        self.lifeline.iter_mut().chain(names.into_iter().flatten())
    }

    /// The variable that it names, if there is one.
    pub fn variable(&self) -> Option<Name> {
        match &self.test {
            Test::Compare { operand: Operand::Variable { name, .. }, .. } => Some(*name),
            Test::At(anchor) | Test::Within { anchor, .. } | Test::After { anchor, .. } => {
                Some(*anchor)
            }
            Test::Compare { operand: Operand::Literal(_), .. }
            | Test::In { .. }
            | Test::Matches { .. }
            | Test::Same(_) => None,
        }
    }
}

/// A relation between two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

impl Relation {
    /// All relations.
    pub const ALL: [Relation; 6] = [
        Relation::Equal,
        Relation::NotEqual,
        Relation::Less,
        Relation::LessEqual,
        Relation::Greater,
        Relation::GreaterEqual,
    ];

    /// The relation as it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Relation::Equal => "=",
            Relation::NotEqual => "!=",
            Relation::Less => "<",
            Relation::LessEqual => "<=",
            Relation::Greater => ">",
            Relation::GreaterEqual => ">=",
        }
    }

    /// Whether the relation holds between two values whose order is known; values of different kinds have no order
    /// and are different.
    pub fn holds(self, order: Option<std::cmp::Ordering>) -> bool {
        match self {
            Relation::Equal => order.is_some_and(std::cmp::Ordering::is_eq),
            Relation::NotEqual => order.is_none_or(std::cmp::Ordering::is_ne),
            Relation::Less => order.is_some_and(std::cmp::Ordering::is_lt),
            Relation::LessEqual => order.is_some_and(std::cmp::Ordering::is_le),
            Relation::Greater => order.is_some_and(std::cmp::Ordering::is_gt),
            Relation::GreaterEqual => order.is_some_and(std::cmp::Ordering::is_ge),
        }
    }
}

/// What a field is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    /// A constant.
    Literal(Literal),
    /// A variable, to which a number or a duration may be added.
    Variable {
        /// The variable.
        name: Name,
        /// What is added to its value.
        offset: Option<Offset>,
    },
}

/// What is added to the value of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offset {
    /// `x + 1`, `x - 1/2`
    Number(Rational),
    /// `s + 2s`, for times.
    Duration(Duration),
}

/// A constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Literal {
    /// `3`, `-0.5`
    Number(Rational),
    /// `"text"`
    Text(Box<str>),
    /// `true`, `false`
    Boolean(bool),
}

/// A length of time in nanoseconds, negative if it was subtracted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(pub i64);

/// The units of durations with their nanoseconds, largest first.
const UNITS: [(&str, i64); 7] = [
    ("d", 86_400_000_000_000),
    ("h", 3_600_000_000_000),
    ("min", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

impl Duration {
    /// A number of units, such as 2 and `s`; `None` if there is no such unit, or the duration is not a whole number of
    /// nanoseconds that fits.
    ///
    /// ```
    /// use otus_syntax::Rational;
    /// use otus_syntax::ast::guard::Duration;
    ///
    /// let number = Rational::parse("1.5").unwrap();
    /// assert_eq!(Duration::new(number, "ms"), Some(Duration(1_500_000)));
    /// assert_eq!(Duration::new(number, "m"), None);
    /// assert_eq!(Duration(1_500_000).to_string(), "1500us");
    /// ```
    pub fn new(number: Rational, unit: &str) -> Option<Self> {
        let unit = if unit == "µs" { "us" } else { unit };
        let &(_, nanoseconds) = UNITS.iter().find(|(name, _)| *name == unit)?;
        number.checked_mul(Rational::from(nanoseconds))?.integer().map(Duration)
    }

    /// The names of the units, largest first.
    pub fn units() -> impl Iterator<Item = &'static str> {
        UNITS.iter().map(|&(name, _)| name)
    }
}

impl std::fmt::Display for Duration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let fits = |&&(_, length): &&(&str, i64)| self.0 % length == 0;
        let &(unit, length) = match UNITS.iter().find(fits) {
            Some(found) if self.0 != 0 => found,
            Some(_) | None => &UNITS[3],
        };
        write!(f, "{}{unit}", self.0 / length)
    }
}
