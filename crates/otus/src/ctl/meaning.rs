//! The meaning of an answer in words, by the outermost modality of its formula: *possible in some order* (EF) is not
//! *in every order* (AF).

use std::fmt::Write as _;

use otus_ctl::lower::pattern::{PATTERNS, Pattern};
use otus_syntax::ast::formula::{
    FormulaFile, FormulaId, FormulaKind, Modality, Quantifier, UntilKind,
};

/// The claim of a formula about runs, by its outermost operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sense {
    /// A modality, or the negation of one.
    Runs { quantifier: Quantifier, when: When, negated: bool },
    /// No modality: the formula is about the first cut only.
    Cut,
    /// A combination of several modalities.
    Several,
    /// The pattern `at_most_one`, which is about the whole history.
    History,
    /// The pattern `one_leader`: no two leaders at one moment.
    Moment,
}

/// The part of a modality after its quantifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// X, F or G.
    Once(Modality),
    /// U, W or R.
    Until(UntilKind),
}

impl Sense {
    pub(super) fn of(tree: &FormulaFile, formula: FormulaId) -> Sense {
        let (mut at, mut negated) = (formula, false);
        loop {
            let kind = &tree.node(at).kind;
            let (quantifier, when) = if let FormulaKind::Not(inner) = kind {
                (at, negated) = (*inner, !negated);
                continue;
            } else if let FormulaKind::Named(_, body) = kind {
                at = *body;
                continue;
            } else if let FormulaKind::ForEach(Quantifier::All, _, body) = kind
                && !negated
            {
                // If all instances hold, or one of them fails, the meaning is that of the body.
                at = *body;
                continue;
            } else if let FormulaKind::ForEach(..) = kind {
                return Sense::Several;
            } else if let FormulaKind::AtMostOne(..) = kind {
                return if negated { Sense::Several } else { Sense::History };
            } else if let FormulaKind::Temporal(quantifier, modality, _) = kind {
                (*quantifier, When::Once(*modality))
            } else if let FormulaKind::Until(quantifier, kind, ..) = kind {
                (*quantifier, When::Until(*kind))
            } else if let FormulaKind::Call(name, _) = kind {
                match tree.names.text(name.symbol) {
                    "one_leader" if !negated => return Sense::Moment,
                    "possibly" => (Quantifier::Exists, When::Once(Modality::Finally)),
                    "eventually" => (Quantifier::All, When::Once(Modality::Finally)),
                    "precedence" => (Quantifier::All, When::Until(UntilKind::Weak)),
                    _ => (Quantifier::All, When::Once(Modality::Globally)),
                }
            } else if matches!(kind, FormulaKind::Connective(..)) && is_temporal(tree, at) {
                return Sense::Several;
            } else {
                return Sense::Cut;
            };
            return Sense::Runs { quantifier, when, negated };
        }
    }

    /// The meaning of the verdict; `None` for a combination of modalities, which no single phrase describes.
    pub(super) fn phrase(self, holds: bool) -> Option<String> {
        let (quantifier, when, negated) = match self {
            Sense::Several => return None,
            Sense::History if holds => {
                return Some("at most one ever, over the whole history".to_owned());
            }
            Sense::History => {
                return Some("more than one over the whole history, in every order".to_owned());
            }
            Sense::Moment if holds => {
                return Some("at no moment two in one term, in every order (AG)".to_owned());
            }
            Sense::Moment => {
                return Some("at some moment two in one term, in some order (AG)".to_owned());
            }
            Sense::Cut => return Some("at the first cut, before any event".to_owned()),
            Sense::Runs { quantifier, when, negated } => (quantifier, when, negated),
        };
        let some = quantifier == Quantifier::Exists;
        let yes = holds != negated;
        let (phrase, letter) = match when {
            When::Once(modality) => {
                let phrase = match (modality, some, yes) {
                    (Modality::Next, true, true) => "after an event that can come first",
                    (Modality::Next, true, false) => "after no event that can come first",
                    (Modality::Next, false, true) => "after every event that can come first",
                    (Modality::Next, false, false) => "not after every event that can come first",
                    (Modality::Finally, true, true) => "possible in some order",
                    (Modality::Finally, true, false) => "impossible in every order",
                    (Modality::Finally, false, true) => "sooner or later in every order",
                    (Modality::Finally, false, false) => "never in some order",
                    (Modality::Globally, true, true) => "throughout in some order",
                    (Modality::Globally, true, false) => "throughout in no order",
                    (Modality::Globally, false, true) => "throughout in every order",
                    (Modality::Globally, false, false) => "broken at some cut, in some order",
                };
                (phrase, modality.symbol())
            }
            When::Until(kind) => {
                let phrase = match (some, yes) {
                    (true, true) => "possible in some order",
                    (true, false) => "impossible in every order",
                    (false, true) => "in every order",
                    (false, false) => "not in every order",
                };
                (phrase, kind.symbol())
            }
        };
        Some(format!("{phrase} ({}{letter})", quantifier.symbol()))
    }
}

/// Whether a formula has a modality.
fn is_temporal(tree: &FormulaFile, formula: FormulaId) -> bool {
    tree.below(&[formula], |_| true).into_iter().any(|id| {
        let kind = &tree.node(id).kind;
        matches!(
            kind,
            FormulaKind::Temporal(..)
                | FormulaKind::Until(..)
                | FormulaKind::Call(..)
                | FormulaKind::AtMostOne(..)
        )
    })
}

/// The named patterns as text: name, formula, meaning and example of each.
pub fn patterns() -> String {
    let mut out = String::new();
    for Pattern { call, formula, says, example, .. } in PATTERNS {
        let _ = writeln!(out, "{call}\n    {formula}\n    {says}, as in {example}");
    }
    out
}

#[cfg(test)]
mod tests {
    use otus_syntax::{Source, parse_formulas};

    use super::*;

    #[track_caller]
    fn check(formula: &str, holds: &str, fails: &str) {
        let parsed = parse_formulas(&Source::new("f", formula));
        assert!(parsed.diagnostics.is_empty(), "{formula}");
        let body = parsed.tree.properties().next().unwrap().body;
        let sense = Sense::of(&parsed.tree, body);
        let phrase = |holds| sense.phrase(holds).unwrap_or_default();
        assert_eq!((&*phrase(true), &*phrase(false)), (holds, fails), "{formula}");
    }

    #[test]
    fn the_outermost_operator_gives_the_sense() {
        check("EF x = 1", "possible in some order (EF)", "impossible in every order (EF)");
        check("AF x = 1", "sooner or later in every order (AF)", "never in some order (AF)");
        check(
            "always(x = 1)",
            "throughout in every order (AG)",
            "broken at some cut, in some order (AG)",
        );
        check("A[x = 1 U EF y = 1]", "in every order (AU)", "not in every order (AU)");
        check("A[x = 1 W y = 1]", "in every order (AW)", "not in every order (AW)");
        check("precedence(x = 1, y = 1)", "in every order (AW)", "not in every order (AW)");
        check(
            "EX x = 1",
            "after an event that can come first (EX)",
            "after no event that can come first (EX)",
        );
    }

    #[test]
    fn moments_and_histories_are_told_apart() {
        check(
            "one_leader(a, b)",
            "at no moment two in one term, in every order (AG)",
            "at some moment two in one term, in some order (AG)",
        );
        check(
            "at_most_one(m, role = leader, per term)",
            "at most one ever, over the whole history",
            "more than one over the whole history, in every order",
        );
        check(
            "forall p != q in n*: AG !(p.up & q.up)",
            "throughout in every order (AG)",
            "broken at some cut, in some order (AG)",
        );
        check("exists p: EF p.up", "", "");
    }

    #[test]
    fn negations_and_names_are_looked_through() {
        check("!EF x = 1", "impossible in every order (EF)", "possible in some order (EF)");
        check(
            "let f = EG x = 1; !!f",
            "throughout in some order (EG)",
            "throughout in no order (EG)",
        );
    }

    #[test]
    fn without_a_modality_outside_there_is_no_run() {
        let first = "at the first cut, before any event";
        check("x = 1 & y = 1", first, first);
        check("EF x = 1 & AF y = 1", "", "");
    }
}
