//! Interactions with values: a tree beside the term.
//!
//! Events carry *fields*; leaves test them; variables link tests. A guard is a conjunction of atoms on the fields of one
//! event, and binders say how far the value of a variable reaches:
//!
//! ```text
//! ρη(a[g])              = { (a,w) : g holds of w and η }
//! ρη(new(x)(i))         = ∪v ρη[x↦v](i)
//! ρη(loop(fresh x)(i))  = ∪n ∪ v1…vn different of ρη[x↦v1](i) ∘ … ∘ ρη[x↦vn](i)     ∘ as the loop has it
//! ```
//!
//! All other operators keep their meaning. The time of an event is its field [`Valued::TIME`], in nanoseconds.
//!
//! A [`Term`](crate::Term) has neither guards nor binders. It is the *skeleton* of the valued tree: whatever the valued tree
//! explains, the term explains, so a multi-trace that the term refuses is refused. Most specifications have no
//! values, and nothing of this page costs them anything.
//!
//! Nodes are stored children first and may be shared. Each binder of the text has variables of its own.

use std::collections::BTreeSet;
use std::sync::Arc;

use otus_syntax::ast::guard::Relation;
use otus_syntax::{Rational, Span};

use crate::action::Action;
use crate::define_id;
use crate::index::{Index as _, IndexVec, RegionId};
use crate::intern::Interner;
use crate::peer::Peer;
use crate::pool::Pool;
use crate::value::Value;

define_id! {
    /// A field of events.
    pub FieldId;
    /// A variable of a valued interaction.
    pub VariableId;
    /// A node of a valued interaction.
    pub ValuedId;
}

/// An interaction with guards and binders.
#[derive(Debug, Clone)]
pub struct Valued {
    /// The fields that guards name, [`Valued::TIME`] first.
    pub fields: Interner<FieldId, Box<str>>,
    /// The names of the variables.
    pub variables: IndexVec<VariableId, Box<str>>,
    /// The nodes, children before parents.
    pub nodes: IndexVec<ValuedId, ValuedNode>,
    /// By node: its place in the text.
    pub spans: IndexVec<ValuedId, Span>,
    /// The whole interaction.
    pub root: ValuedId,
}

impl Valued {
    /// The field of times.
    pub const TIME: FieldId = FieldId(0);

    /// The name of a field.
    pub fn field_name(&self, field: FieldId) -> &str {
        &self.fields.items[field]
    }

    /// The field with a name, if some guard names it.
    pub fn field(&self, name: &str) -> Option<FieldId> {
        self.fields.find_as(&name, |known| **known == *name)
    }

    /// An atom as text: `mid = m`, `time <= s + 2000000000`.
    pub fn atom_text(&self, atom: &Atom) -> String {
        let field = self.field_name(atom.field);
        match &atom.test {
            Test::Compare(relation, Operand::Constant(value)) => {
                format!("{field} {} {value}", relation.symbol())
            }
            Test::Compare(relation, Operand::Variable(variable, offset)) => {
                let (relation, variable) = (relation.symbol(), &self.variables[*variable]);
                match offset.cmp(&Rational::from(0)) {
                    std::cmp::Ordering::Equal => format!("{field} {relation} {variable}"),
                    std::cmp::Ordering::Greater => {
                        format!("{field} {relation} {variable} + {offset}")
                    }
                    std::cmp::Ordering::Less => {
                        let offset = offset.to_string();
                        format!(
                            "{field} {relation} {variable} - {}",
                            offset.trim_start_matches('-')
                        )
                    }
                }
            }
            Test::In(values) => {
                let values: Vec<String> = values.iter().map(ToString::to_string).collect();
                format!("{field} in {{{}}}", values.join(", "))
            }
            Test::Matches(pattern) => format!("{field} ~ {pattern:?}"),
        }
    }

    /// The interaction in the notation of the papers, for tests. Shared parts are written at every occurrence.
    pub fn text(&self, pool: &Pool) -> String {
        let mut texts: Vec<String> = Vec::with_capacity(self.nodes.len());
        let region = |[none, all, some]: [&str; 3], region: RegionId| match region {
            Pool::NONE => none.to_owned(),
            Pool::ALL => all.to_owned(),
            _ => {
                let lifelines = pool.region(region);
                let names = lifelines.iter().map(|l| pool.signature().lifeline_name(l));
                format!("{some}({})", names.collect::<Vec<_>>().join(", "))
            }
        };
        for node in &self.nodes {
            let of = |id: ValuedId| &texts[id.index()];
            let text = match node {
                ValuedNode::Empty => "∅".to_owned(),
                ValuedNode::Event(parts) => {
                    let parts: Vec<String> =
                        parts.iter().map(|part| self.part_text(pool, part)).collect();
                    if let [part] = &*parts {
                        part.clone()
                    } else {
                        format!("{{{}}}", parts.join(", "))
                    }
                }
                ValuedNode::Strict(i, j) => format!("strict({}, {})", of(*i), of(*j)),
                ValuedNode::Coreg(r, i, j) => {
                    format!("{}({}, {})", region(["seq", "par", "coreg"], *r), of(*i), of(*j))
                }
                ValuedNode::Alt(i, j) => format!("alt({}, {})", of(*i), of(*j)),
                ValuedNode::LoopS(i) => format!("loopS({})", of(*i)),
                ValuedNode::LoopC(r, i) => {
                    format!("{}({})", region(["loopW", "loopP", "loopC"], *r), of(*i))
                }
                ValuedNode::New(x, i) => format!("new({})({})", self.variables[*x], of(*i)),
                ValuedNode::Fresh(x, i) => format!("fresh({})({})", self.variables[*x], of(*i)),
            };
            texts.push(text);
        }
        texts.swap_remove(self.root.index())
    }

    /// An action with its guard: `a!m[f = 1]`.
    pub fn part_text(&self, pool: &Pool, part: &Part) -> String {
        let action = part.action.text(pool.signature());
        if part.guard.is_empty() {
            return action;
        }
        let atoms: Vec<String> = part.guard.iter().map(|atom| self.atom_text(atom)).collect();
        format!("{action}[{}]", atoms.join(", "))
    }

    /// The actions of a leaf with their guards; none if the node is no leaf.
    pub fn parts(&self, leaf: ValuedId) -> &[Part] {
        if let ValuedNode::Event(parts) = &self.nodes[leaf] { parts } else { &[] }
    }

    /// Whether some guard compares times.
    pub fn has_times(&self) -> bool {
        self.atoms().any(|atom| atom.field == Valued::TIME)
    }

    /// All atoms of all guards.
    pub fn atoms(&self) -> impl Iterator<Item = &Atom> {
        let parts = self
            .nodes
            .iter()
            .flat_map(|node| if let ValuedNode::Event(parts) = node { &**parts } else { &[] });
        parts.flat_map(|part| part.guard.iter())
    }
}

/// A node of a valued interaction.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ValuedNode {
    /// ∅
    Empty,
    /// One indivisible step: an action with its guard, or several of a synchronous passing, sorted by action.
    Event(Box<[Part]>),
    /// `strict(i, j)`
    Strict(ValuedId, ValuedId),
    /// `coreg_r(i, j)`
    Coreg(RegionId, ValuedId, ValuedId),
    /// `alt(i, j)`
    Alt(ValuedId, ValuedId),
    /// `loopS(i)`
    LoopS(ValuedId),
    /// `loopC_r(i)`
    LoopC(RegionId, ValuedId),
    /// `new(x)(i)`
    New(VariableId, ValuedId),
    /// `loop(fresh x)(i)`: a loop, or another `fresh` around a loop.
    Fresh(VariableId, ValuedId),
}

/// An action of an event, and what it must carry.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Part {
    /// The action, without a peer.
    pub action: Action,
    /// Who may be at the other end.
    pub peers: Arc<BTreeSet<Peer>>,
    /// The atoms, all of which must hold.
    pub guard: Box<[Atom]>,
}

/// A test of one field.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Atom {
    /// The field.
    pub field: FieldId,
    /// What must hold of its value.
    pub test: Test,
}

/// What must hold of a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Test {
    /// The relation holds between it and the operand.
    Compare(Relation, Operand),
    /// It is one of these.
    In(Box<[Value]>),
    /// It is a text that this pattern describes, in which `*` is any text and `?` any character.
    Matches(Box<str>),
}

/// What a value is compared with.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A constant.
    Constant(Value),
    /// A variable with a number added to its value.
    Variable(VariableId, Rational),
}

impl Atom {
    /// The variable that the atom compares with, if there is one.
    pub fn variable(&self) -> Option<VariableId> {
        match self.test {
            Test::Compare(_, Operand::Variable(variable, _)) => Some(variable),
            Test::Compare(_, Operand::Constant(_)) | Test::In(_) | Test::Matches(_) => None,
        }
    }

    /// Whether the atom is `f = x`, which gives x its value.
    pub fn binds(&self) -> Option<VariableId> {
        match &self.test {
            Test::Compare(Relation::Equal, Operand::Variable(variable, offset))
                if *offset == Rational::from(0) =>
            {
                Some(*variable)
            }
            Test::Compare(..) | Test::In(_) | Test::Matches(_) => None,
        }
    }
}

impl Test {
    /// Whether the test holds of a value, given the value of its variable. A sum that does not fit in 64 bits is
    /// different from everything.
    pub fn holds(&self, value: &Value, variable: Option<&Value>) -> bool {
        match self {
            Test::Compare(relation, Operand::Constant(constant)) => {
                relation.holds(value.compare(constant))
            }
            Test::Compare(relation, Operand::Variable(_, offset)) => {
                let operand = variable.and_then(|variable| plus(variable, *offset));
                relation.holds(operand.and_then(|operand| value.compare(&operand)))
            }
            Test::In(values) => values.contains(value),
            Test::Matches(pattern) => match value {
                Value::Text(text) => matches(pattern, text),
                Value::Boolean(_) | Value::Number(_) => false,
            },
        }
    }
}

/// A value with a number added to it; `None` if it is no number, or the sum does not fit.
pub fn plus(value: &Value, offset: Rational) -> Option<Value> {
    match value {
        _ if offset == Rational::from(0) => Some(value.clone()),
        Value::Number(number) => number.checked_add(offset).map(Value::Number),
        Value::Boolean(_) | Value::Text(_) => None,
    }
}

/// Whether a pattern describes a text: `*` is any text, `?` any character. Takes time in proportion to the product of
/// their lengths at most.
pub fn matches(pattern: &str, text: &str) -> bool {
    let (mut rest, mut from) = (pattern, text);
    // After the last `*`: the pattern behind it, and the text from which it was tried last.
    let mut retry: Option<(&str, &str)> = None;
    loop {
        let mut wanted = rest.chars();
        let mut have = from.chars();
        match (wanted.next(), have.next()) {
            (None, None) => return true,
            (Some('*'), _) => {
                rest = wanted.as_str();
                retry = Some((rest, from));
                continue;
            }
            (Some(sign), Some(c)) if sign == '?' || sign == c => {
                (rest, from) = (wanted.as_str(), have.as_str());
                continue;
            }
            _ => {}
        }
        let Some((behind, tried)) = retry else { return false };
        let mut next = tried.chars();
        if next.next().is_none() {
            return false;
        }
        (rest, from) = (behind, next.as_str());
        retry = Some((behind, next.as_str()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, text, expected) in [
            ("", "", true),
            ("*", "", true),
            ("plant/*", "plant/7", true),
            ("plant/*", "plan/7", false),
            ("*a*b", "xaab", true),
            ("*a*b", "xaabc", false),
            ("?é?", "aéb", true),
            ("?", "", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn values_of_different_kinds_are_different_and_not_ordered() {
        let compare = |relation, with: Value| Test::Compare(relation, Operand::Constant(with));
        let one = Value::integer(1);
        assert!(compare(Relation::NotEqual, "1".into()).holds(&one, None));
        for relation in Relation::ALL.into_iter().filter(|&r| r != Relation::NotEqual) {
            assert!(!compare(relation, "1".into()).holds(&one, None));
        }
        assert!(compare(Relation::Less, 2.into()).holds(&one, None));
    }
}
