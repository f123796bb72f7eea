//! Which answers on a part of a trace are those of the whole.
//!
//! Let S be a part of a trace T that contains, with each event, all events that happened before it. While a system runs, S is what
//! is known, and T is what will have been.
//!
//! **Claim.** Let f be made of predicates of the state, their negations, conjunctions, disjunctions, `EX`, `EF` and `E U`. If f
//! holds at a cut of S, it holds at that cut of T.
//!
//! *Proof.* By induction. The cuts of S are those of T that are within S, and a step between two of them is a step of T. A
//! predicate reads the values at a cut, which follow from the events in it. `EX g` and `E[f U g]` are shown by a run through cuts
//! of S, which begins a run of T, since every cut of T can be extended to the last one. ∎
//!
//! So a formula of this form that holds on S is final, and so is one that fails if its negation has this form: it is made of `AX`,
//! `AG`, `A R` and `A W`. `AF`, `A U`, `EG` and the rest are decided when nothing more comes.
//!
//! T may have more processes than S. Then `forall` has more conjuncts, so only its failure is final, and `exists` has more
//! disjuncts, so only its success is. `at_most_one` is like `forall`.

use otus_syntax::ast::formula::{
    Connective, FormulaFile, FormulaId, FormulaKind, Modality, Quantifier, UntilKind,
};
use rustc_hash::FxHashSet;

/// Whether the answer to a formula on a closed part of a trace is its answer on the whole trace.
pub fn is_final(file: &FormulaFile, formula: FormulaId, holds: bool) -> bool {
    // Parts, and whether they are shown to hold, or else to fail.
    let mut pending = vec![(formula, holds)];
    let mut met = FxHashSet::default();
    while let Some((id, holds)) = pending.pop() {
        if met.insert((id, holds)) && !enter(file, id, holds, &mut pending) {
            return false;
        }
    }
    true
}

/// Whether the outermost operator has a final answer if its operands have, which are added to `pending`.
fn enter(
    file: &FormulaFile,
    id: FormulaId,
    holds: bool,
    pending: &mut Vec<(FormulaId, bool)>,
) -> bool {
    match &file.node(id).kind {
        FormulaKind::Constant(_)
        | FormulaKind::Number(_)
        | FormulaKind::Text(_)
        | FormulaKind::Variable(_)
        | FormulaKind::Last(_)
        | FormulaKind::Count(..)
        | FormulaKind::Negative(_)
        | FormulaKind::Arithmetic(..)
        | FormulaKind::Compare(..)
        | FormulaKind::Member(..) => true,
        FormulaKind::Invalid => false,
        FormulaKind::Named(_, body) => {
            pending.push((*body, holds));
            true
        }
        FormulaKind::Not(f) => {
            pending.push((*f, !holds));
            true
        }
        FormulaKind::Connective(connective, f, g) => {
            let (first, second): (&[bool], &[bool]) = match connective {
                Connective::And | Connective::Or => (&[holds], &[holds]),
                Connective::Implies => (&[!holds], &[holds]),
                Connective::Iff => (&[true, false], &[true, false]),
            };
            pending.extend(first.iter().map(|&holds| (*f, holds)));
            pending.extend(second.iter().map(|&holds| (*g, holds)));
            true
        }
        FormulaKind::Temporal(quantifier, modality, f) => {
            pending.push((*f, holds));
            match (quantifier, modality) {
                (Quantifier::Exists, Modality::Next | Modality::Finally) => holds,
                (Quantifier::All, Modality::Next | Modality::Globally) => !holds,
                (Quantifier::Exists, Modality::Globally) | (Quantifier::All, Modality::Finally) => {
                    false
                }
            }
        }
        FormulaKind::Until(quantifier, kind, f, g) => {
            pending.extend([(*f, holds), (*g, holds)]);
            match (quantifier, kind) {
                (Quantifier::Exists, UntilKind::Until) => holds,
                (Quantifier::All, UntilKind::Weak | UntilKind::Release) => !holds,
                (Quantifier::Exists, UntilKind::Weak | UntilKind::Release)
                | (Quantifier::All, UntilKind::Until) => false,
            }
        }
        FormulaKind::ForEach(quantifier, _, f) => {
            pending.push((*f, holds));
            (*quantifier == Quantifier::Exists) == holds
        }
        FormulaKind::AtMostOne(..) => !holds,
        FormulaKind::Call(name, arguments) => {
            let arguments = arguments.iter();
            match file.names.text(name.symbol) {
                "always" | "agree" => {
                    pending.extend(arguments.map(|&f| (f, holds)));
                    !holds
                }
                "possibly" => {
                    pending.extend(arguments.map(|&f| (f, holds)));
                    holds
                }
                // What must not happen, or not at once.
                "never" | "mutex" | "one_leader" => {
                    pending.extend(arguments.map(|&f| (f, !holds)));
                    !holds
                }
                // `A[!g W f]`
                "precedence" => {
                    pending.extend(arguments.zip([holds, !holds]).map(|(&f, holds)| (f, holds)));
                    !holds
                }
                _ => false,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use otus_syntax::{Source, parse_formulas};

    use super::*;

    /// Whether success and failure of a formula are final.
    #[track_caller]
    fn check(text: &str, success: bool, failure: bool) {
        let parsed = parse_formulas(&Source::new("f.ctl", text));
        assert!(parsed.diagnostics.is_empty(), "{text}");
        let body = parsed.tree.properties().next().map(|item| item.body).unwrap();
        let found = (is_final(&parsed.tree, body, true), is_final(&parsed.tree, body, false));
        assert_eq!(found, (success, failure), "{text}");
    }

    #[test]
    fn existential_success_and_universal_failure_are_final() {
        check("x = 1", true, true);
        check("EF x = 1", true, false);
        check("AG x = 1", false, true);
        check("AG(x = 1 -> AX y = 1)", false, true);
        check("AG(x = 1 -> EF y = 1)", false, false);
        check("!AG x = 1", true, false);
        check("E[x = 1 U EX y = 1]", true, false);
        check("A[x = 1 W y = 1]", false, true);
        check("A[x = 1 U y = 1]", false, false);
        check("AF x = 1", false, false);
        check("EG x = 1", false, false);
        check("EF x = 1 & AG y = 1", false, false);
        check("EF x = 1 <-> y = 1", false, false);
    }

    #[test]
    fn more_processes_make_forall_stronger_and_exists_weaker() {
        check("AG(forall p in n*: p.x = 1)", false, true);
        check("AG(exists p in n*: p.x = 1)", false, false);
        check("EF(exists p in n*: p.x = 1)", true, false);
        check("AG !(exists p in n*: p.x = 1)", false, true);
        check("at_most_one(m in n*, role = leader, per term)", false, true);
    }

    #[test]
    fn patterns_are_what_they_stand_for() {
        check("never(x = 1)", false, true);
        check("always(x = 1)", false, true);
        check("possibly(x = 1)", true, false);
        check("mutex(p.x, q.x)", false, true);
        check("precedence(x = 1, y = 1)", false, true);
        check("precedence(EF x = 1, y = 1)", false, false);
        check("response(x = 1, y = 1)", false, false);
        check("eventually(x = 1)", false, false);
    }
}
