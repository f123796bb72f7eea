//! Formulas over a trace as text, truncated if they are long.

use otus_ctl::atom::{Atom, Reading};
use otus_ctl::{Formula, FormulaId, Formulas};
use otus_syntax::ast::formula::Comparison;
use otus_trace::order::PartialOrder;

/// The maximum number of characters of a text. Formulas share their parts, so their texts may be
/// exponentially long.
const LONGEST: usize = 80;

/// A part of the text still to be written; a stack of these replaces recursion.
enum Work {
    Formula(FormulaId),
    Text(&'static str),
}

pub(super) fn short(formulas: &Formulas, trace: &PartialOrder, formula: FormulaId) -> String {
    let mut out = String::new();
    let mut work = vec![Work::Formula(formula)];
    while let Some(next) = work.pop() {
        if out.chars().count() > LONGEST {
            out = out.chars().take(LONGEST).collect();
            out.push('…');
            break;
        }
        let formula = match next {
            Work::Text(text) => {
                out.push_str(text);
                continue;
            }
            Work::Formula(formula) => formula,
        };
        match formulas.get(formula) {
            Formula::True => out.push_str("true"),
            Formula::False => out.push_str("false"),
            Formula::End => out.push_str("end"),
            Formula::Atom(id) => out.push_str(&atom(trace, formulas.atom_of(*id))),
            Formula::Not(inner) => match negated(formulas, trace, *inner) {
                Some(text) => out.push_str(&text),
                None => work.extend(wrapped("!(", *inner)),
            },
            Formula::And(all) => list(&mut work, all, " & "),
            Formula::Or(all) => list(&mut work, all, " | "),
            Formula::Next(inner) => work.extend(wrapped("EX(", *inner)),
            Formula::Until([Formulas::TRUE, goal]) => work.extend(wrapped("EF(", *goal)),
            Formula::Until([through, goal]) if is_globally(formulas, *through, *goal) => {
                work.extend(wrapped("EG(", *through));
            }
            Formula::Until([through, goal]) => {
                let [left, until, right] = [Work::Text("E["), Work::Text(" U "), Work::Text("]")];
                work.extend([right, Work::Formula(*goal), until, Work::Formula(*through), left]);
            }
        }
    }
    out
}

/// The parts of the text of an operator with its operand in parentheses, in reverse order, because
/// they are pushed on a stack.
fn wrapped(operator: &'static str, operand: FormulaId) -> [Work; 3] {
    [Work::Text(")"), Work::Formula(operand), Work::Text(operator)]
}

/// The negation of a comparison as the opposite comparison, where the two are equivalent.
fn negated(formulas: &Formulas, trace: &PartialOrder, formula: FormulaId) -> Option<String> {
    let &Formula::Atom(id) = formulas.get(formula) else { return None };
    let Atom::Compare(left, comparison, value) = formulas.atom_of(id) else { return None };
    let opposite = match comparison {
        Comparison::Equal => Comparison::Unequal,
        Comparison::Unequal => Comparison::Equal,
        Comparison::Less => Comparison::AtLeast,
        Comparison::AtMost => Comparison::Greater,
        Comparison::Greater => Comparison::AtMost,
        Comparison::AtLeast => Comparison::Less,
    };
    Some(atom(trace, &Atom::Compare(*left, opposite, value.clone())))
}

/// Whether `E[f U g]` is `EG f`, that is, whether g is "f at the last cut".
fn is_globally(formulas: &Formulas, through: FormulaId, goal: FormulaId) -> bool {
    let parts = |formula: FormulaId| -> Vec<FormulaId> {
        if let Formula::And(all) = formulas.get(formula) { all.to_vec() } else { vec![formula] }
    };
    let (mut goal, mut through) = (parts(goal), parts(through));
    let whole = goal.len();
    goal.retain(|&part| *formulas.get(part) != Formula::End);
    through.retain(|&part| part != Formulas::TRUE);
    goal.len() + 1 == whole && goal == through
}

fn list(work: &mut Vec<Work>, all: &[FormulaId], separator: &'static str) {
    work.push(Work::Text(")"));
    for (at, &formula) in all.iter().enumerate().rev() {
        work.push(Work::Formula(formula));
        work.push(Work::Text(if at > 0 { separator } else { "(" }));
    }
}

pub(super) fn atom(trace: &PartialOrder, atom: &Atom) -> String {
    match atom {
        Atom::Member(left, members) => {
            let members: Vec<String> = members.iter().take(9).map(ToString::to_string).collect();
            format!("{} in {{{}}}", reading(trace, *left), members.join(", "))
        }
        Atom::Compare(left, comparison, value) => {
            format!("{} {} {value}", reading(trace, *left), comparison.symbol())
        }
        Atom::Pair(left, comparison, right) => {
            let (left, right) = (reading(trace, *left), reading(trace, *right));
            format!("{left} {} {right}", comparison.symbol())
        }
        Atom::Linear(terms, comparison, constant) => {
            let terms: Vec<String> = terms
                .iter()
                .take(9)
                .map(|(term, factor)| format!("{factor}*{}", reading(trace, *term)))
                .collect();
            format!("{} {} {constant}", terms.join(" + "), comparison.symbol())
        }
    }
}

/// A reading in the syntax of formulas: `x`, `last(p)`, `count(p.send)`.
pub(super) fn reading(trace: &PartialOrder, reading: Reading) -> String {
    match reading {
        Reading::Variable(variable) => trace.variable_name(variable).to_owned(),
        Reading::Last(process) => format!("last({})", trace.process_name(process)),
        Reading::Count(process, None) => format!("count({})", trace.process_name(process)),
        Reading::Count(process, Some(label)) => {
            format!("count({}.{})", trace.process_name(process), trace.label_name(label))
        }
    }
}
