//! Lints of guards and of the variables in them.
//!
//! - A variable that no guard names, and one of `new` that a single event names outside of loops. Such an event can have any value, by the law
//!   "x in one atom: the atom can go, and the binder with it". A `fresh` variable in one atom says that values differ.
//! - A field that is compared with constants of different kinds: values of different kinds are different.
//! - Two atoms of one event that cannot both hold. This looks at two atoms at a time, with constants or with one
//!   variable, and at the first atoms of a long guard only; it does not find every contradiction.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use otus_syntax::Rational;
use otus_syntax::Span;
use otus_syntax::ast::guard::{Atom, Literal, Offset, Operand, Relation, Test};
use otus_syntax::ast::{Interaction, NodeKind, Operator, Passing, SpecFile};
use otus_syntax::name::{Name, Symbol};

use super::{Lint, LintKind};
use crate::value::{Kind, Value};
use crate::valued::matches;

/// Lints the reachable nodes of an interaction without errors.
pub(super) fn values(
    at: usize,
    file: &SpecFile,
    interaction: &Interaction,
    reachable: &[bool],
    lints: &mut Vec<Lint<'_>>,
) {
    let mut add = |span, kind| lints.push(Lint { file: at, span, kind });
    variables(interaction, reachable, &mut add);
    let mut first: BTreeMap<Symbol, (Kind, Span)> = BTreeMap::new();
    let nodes = interaction.nodes.iter().zip(reachable).filter(|(_, reached)| **reached);
    for (node, _) in nodes {
        let NodeKind::Passing(passing) = &node.kind else { continue };
        for atom in &passing.guard {
            kinds(atom, &mut first, &mut add);
        }
        for end in passing.origin.iter().chain(passing.target.lifelines()) {
            contradictions(file, passing, *end, &mut add);
        }
    }
}

/// A declared variable.
struct Bound {
    name: Name,
    is_new: bool,
    /// The declaration around it.
    around: Option<usize>,
    /// The number of loops around its binder.
    loops: usize,
    /// How many events name it, and the first atom that does.
    uses: usize,
    first: Option<Span>,
}

fn variables<'a>(
    interaction: &Interaction,
    reachable: &[bool],
    add: &mut impl FnMut(Span, LintKind<'a>),
) {
    let nodes = &interaction.nodes;
    // By node: its scope, the loops around it, and how many operators have it as an operand.
    let mut scopes = vec![(None, 0_usize); nodes.len()];
    let mut users = vec![0_usize; nodes.len()];
    let mut bound: Vec<Bound> = Vec::new();
    for at in (0..nodes.len()).rev().filter(|&at| reachable[at]) {
        let (mut scope, mut loops) = scopes[at];
        match &nodes[at].kind {
            NodeKind::Empty | NodeKind::Invalid => {}
            NodeKind::Passing(passing) => {
                let ends = 1.max(ends(passing).len());
                for atom in &passing.guard {
                    let Some(variable) = atom.variable() else { continue };
                    let Some(found) = find(&bound, scope, variable.symbol) else { continue };
                    let found = &mut bound[found];
                    let is_repeated = loops > found.loops || users[at] > 1;
                    let events = if atom.lifeline.is_some() { 1 } else { ends };
                    found.uses += events + usize::from(is_repeated);
                    found.first.get_or_insert(atom.span);
                }
            }
            NodeKind::Operator(operator, operands) => {
                loops += usize::from(matches!(operator, Operator::Loop(_)));
                let is_new = matches!(operator, Operator::New(_));
                for &name in operator.variables() {
                    let (uses, first) = (0, None);
                    bound.push(Bound { name, is_new, around: scope, loops, uses, first });
                    scope = Some(bound.len() - 1);
                }
                for operand in operands {
                    scopes[operand.index()] = (scope, loops);
                    // What is inside a part that occurs twice occurs twice.
                    users[operand.index()] += users[at].max(1);
                }
            }
        }
    }
    for Bound { name, is_new, uses, first, .. } in bound {
        match (uses, first) {
            (0, _) => add(name.span, LintKind::UnusedVariable(name)),
            (1, Some(atom)) if is_new => add(atom, LintKind::LonelyVariable(name)),
            _ => {}
        }
    }
}

fn find(bound: &[Bound], scope: Option<usize>, symbol: Symbol) -> Option<usize> {
    let mut at = scope;
    while let Some(found) = at {
        if bound[found].name.symbol == symbol {
            return Some(found);
        }
        at = bound[found].around;
    }
    None
}

/// The lifelines of a passing, with both ends of a message to oneself.
fn ends(passing: &Passing) -> Vec<Symbol> {
    let ends = passing.origin.iter().chain(passing.target.lifelines());
    ends.map(|end| end.symbol).collect()
}

fn kinds<'a>(
    atom: &Atom,
    first: &mut BTreeMap<Symbol, (Kind, Span)>,
    add: &mut impl FnMut(Span, LintKind<'a>),
) {
    let (Some(field), literals) = (atom.field(), literals(atom)) else { return };
    for kind in literals.iter().map(Value::kind) {
        let &mut (known, span) = first.entry(field.symbol).or_insert((kind, atom.span));
        if known != kind {
            add(atom.span, LintKind::MixedKinds { field, kind, known, first: span });
        }
    }
}

/// The constants that an atom compares its field with.
fn literals(atom: &Atom) -> Vec<Value> {
    match &atom.test {
        Test::Compare { operand: Operand::Literal(literal), .. } => vec![value(literal)],
        Test::In { values, .. } => values.iter().map(value).collect(),
        Test::Matches { pattern, .. } => vec![Value::Text((&**pattern).into())],
        Test::Compare { operand: Operand::Variable { .. }, .. }
        | Test::Same(_)
        | Test::At(_)
        | Test::Within { .. }
        | Test::After { .. } => Vec::new(),
    }
}

fn value(literal: &Literal) -> Value {
    match literal {
        Literal::Number(number) => Value::Number(*number),
        Literal::Text(text) => Value::Text((&**text).into()),
        Literal::Boolean(truth) => Value::Boolean(*truth),
    }
}

/// What an atom says of a value, relative to a variable or as it is.
enum Said<'a> {
    Compared(Relation, Value),
    OneOf(Vec<Value>),
    Like(&'a str),
}

/// How many atoms about one field an atom is compared with, so that a guard with very many of them takes no time by their square.
const COMPARED: usize = 64;

/// Finds pairs of atoms at one end that cannot both hold.
fn contradictions<'a>(
    file: &SpecFile,
    passing: &Passing,
    end: Name,
    add: &mut impl FnMut(Span, LintKind<'a>),
) {
    let is_here = |atom: &&Atom| atom.lifeline.is_none_or(|it| it.symbol == end.symbol);
    // By field, `None` for the time, and by variable if there is one.
    let mut known: BTreeMap<_, Vec<(Said<'_>, Span)>> = BTreeMap::new();
    for atom in passing.guard.iter().filter(is_here) {
        let Some((variable, said)) = said(atom) else { continue };
        let field = atom.field().map(|field| field.symbol);
        let field = field.filter(|&field| file.names.text(field) != "time");
        let known = known.entry((field, variable)).or_default();
        let conflict =
            known.iter().find(|(other, _)| !can_both(&said, other) && !can_both(other, &said));
        if let Some(&(_, first)) = conflict {
            add(atom.span, LintKind::Contradiction { first });
        }
        if known.len() < COMPARED {
            known.push((said, atom.span));
        }
    }
}

fn said(atom: &Atom) -> Option<(Option<Symbol>, Said<'_>)> {
    let relative = |relation, anchor: Name, nanoseconds: i64| {
        Some((Some(anchor.symbol), Said::Compared(relation, Value::integer(nanoseconds))))
    };
    match &atom.test {
        Test::Compare { relation, operand: Operand::Literal(literal), .. } => {
            Some((None, Said::Compared(*relation, value(literal))))
        }
        Test::Compare { relation, operand: Operand::Variable { name, offset }, .. } => {
            let offset = match offset {
                None => Rational::from(0),
                Some(Offset::Number(number)) => *number,
                Some(Offset::Duration(duration)) => Rational::from(duration.0),
            };
            Some((Some(name.symbol), Said::Compared(*relation, Value::Number(offset))))
        }
        Test::In { values, .. } => Some((None, Said::OneOf(values.iter().map(value).collect()))),
        Test::Matches { pattern, .. } => Some((None, Said::Like(pattern))),
        Test::At(anchor) => relative(Relation::Equal, *anchor, 0),
        Test::Within { duration, anchor } => relative(Relation::LessEqual, *anchor, duration.0),
        Test::After { duration, anchor } => relative(Relation::GreaterEqual, *anchor, duration.0),
        Test::Same(_) => None,
    }
}

/// Whether some value satisfies both, as far as the values of `one` show.
fn can_both(one: &Said<'_>, other: &Said<'_>) -> bool {
    match one {
        Said::OneOf(values) => values.iter().any(|value| holds(other, value)),
        Said::Compared(Relation::Equal, value) => holds(other, value),
        Said::Compared(relation, value) => match other {
            Said::Compared(with, bound) => overlap(*relation, value, *with, bound),
            Said::OneOf(_) => false,
            // Only texts are like a pattern.
            Said::Like(_) => value.kind() == Kind::Text || *relation == Relation::NotEqual,
        },
        Said::Like(_) => !matches!(other, Said::OneOf(_) | Said::Compared(..)),
    }
}

fn holds(said: &Said<'_>, value: &Value) -> bool {
    match said {
        Said::Compared(relation, with) => relation.holds(value.compare(with)),
        Said::OneOf(values) => values.contains(value),
        Said::Like(pattern) => matches!(value, Value::Text(text) if matches(pattern, text)),
    }
}

/// Whether two comparisons, neither with `=`, leave a value.
fn overlap(one: Relation, a: &Value, other: Relation, b: &Value) -> bool {
    use Relation::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    match (one, other) {
        // The other way round decides.
        (Equal, _) | (_, Equal) => false,
        // Of infinitely many values, one is left.
        (NotEqual, _) | (_, NotEqual) => true,
        (Less | LessEqual, Less | LessEqual) | (Greater | GreaterEqual, Greater | GreaterEqual) => {
            a.kind() == b.kind()
        }
        (Less | LessEqual, Greater | GreaterEqual) => match b.compare(a) {
            Some(Ordering::Less) => true,
            Some(Ordering::Equal) => one == LessEqual && other == GreaterEqual,
            Some(Ordering::Greater) | None => false,
        },
        (Greater | GreaterEqual, Less | LessEqual) => overlap(other, b, one, a),
    }
}

#[cfg(test)]
mod tests {
    use otus_syntax::{Code, Source, parse_spec};

    #[track_caller]
    fn check(text: &str, expected: &[(Code, &str)]) {
        let text = format!("@lifeline{{ a; b }} @message{{ m; n }} {text}");
        let source = Source::new("x", text);
        let parsed = parse_spec(&source);
        let files = [&parsed.tree];
        let lowered = crate::lower(&files);
        assert_eq!(lowered.diagnostics, []);
        let found = crate::lint(&files, &lowered);
        let found: Vec<_> = found
            .iter()
            .filter(|found| found.code >= Code::NULLABLE_LOOP)
            .filter(|found| found.code != Code::ONLY_SENT)
            .filter(|found| found.code != Code::ONLY_RECEIVED)
            .map(|found| (found.code, source.slice(found.primary.span)))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn variables_that_say_nothing() {
        check("new(x)(a -- m[k = 1] -> b)", &[(Code::UNUSED_VARIABLE, "x")]);
        check("loopP(fresh x)(a -- m -> b)", &[(Code::UNUSED_VARIABLE, "x")]);
        check("new(x)(a -- m[a.k = x] -> b)", &[(Code::LONELY_VARIABLE, "a.k = x")]);
        check("new(x)(a -- m[k = x] -> b)", &[]);
        check("loopP(fresh x)(a!m[k = x])", &[]);
        check("loopP(fresh x)(loopW(a!m[k = x]))", &[]);
        check("new(x)(loopW(a!m[k = x]))", &[]);
        check("loopW(new(x)(a!m[k = x]))", &[(Code::LONELY_VARIABLE, "k = x")]);
        check("new(s)(seq(a!m[a at s], a!n[a within 2s of s]))", &[]);
    }

    #[test]
    fn fields_of_two_kinds() {
        check("seq(a!m[k = 1], a!n[k != \"1\"])", &[(Code::MIXED_KINDS, "k != \"1\"")]);
        check("seq(a!m[k = 1], a!n[k in {2, 3}, l = true])", &[]);
    }

    #[test]
    fn atoms_that_exclude_each_other() {
        let never = |guard: &str, second: &str| {
            check(&format!("a!m[{guard}]"), &[(Code::CONTRADICTION, second)]);
        };
        never("k = 1, k = 2", "k = 2");
        never("k < 3, k > 5", "k > 5");
        never("k <= 3, k > 3", "k > 3");
        never("k in {1, 2}, k >= 3", "k >= 3");
        never("k = 1, k != 1", "k != 1");
        never("k ~ \"a*\", k = \"b\"", "k = \"b\"");
        check("a!m[k >= 3, k <= 3, k != 4, l = 1, l in {1, 2}, t ~ \"a*\", t != \"b\"]", &[]);
        check("a -- m[a.k = 1, b.k = 2] -> b", &[]);
        check(
            "new(s)(seq(a!m[a at s], a!n[a within 1s of s, a at least 2s after s]))",
            &[(Code::CONTRADICTION, "a at least 2s after s")],
        );
        check(
            "new(x)(seq(a!m[k = x], a!n[k < x, k > x + 1]))",
            &[(Code::CONTRADICTION, "k > x + 1")],
        );
    }
}
