//! Hash-consed formulas of CTL.
//!
//! # Semantics
//!
//! A formula is evaluated at a cut, over the runs from there to the last cut E, one event at a time (section
//! 3.2 of paper 001). Runs are finite: `EX f` is false at E and `AX f` true.
//!
//! # Core
//!
//! All operators are reduced to atoms, Boolean connectives, `EX`, `E[f U g]`, and *end*, which holds at E alone:
//!
//! ```text
//! EF g     = E[true U g]                  AF g     = ¬EG ¬g
//! EG f     = E[f U (f ∧ end)]             AG f     = ¬EF ¬f
//! E[f W g] = E[f U (g ∨ (f ∧ end))]       A[f W g] = ¬E[¬g U (¬f ∧ ¬g)]
//! E[f R g] = E[g W (f ∧ g)]               A[f R g] = ¬E[¬f U ¬g]
//! AX f     = ¬EX ¬f                       A[f U g] = ¬E[¬g U (¬g ∧ (¬f ∨ end))]
//! ```
//!
//! *Proof* of the last one, for which the fixpoint of paper 001 is wrong: `A[f U g]` fails on a run iff before any
//! cut with g there is a cut without f, or the run ends without a cut with g; that is, through cuts without g the run
//! reaches a cut without g that has no f or is the end. `EG f` on a finite run: all cuts up
//! to E satisfy f. The others are the usual dualities. ∎
//!
//! Negation stands only before atoms, *end*, `EX` and `E U`: De Morgan's laws are applied when a formula is
//! made. Conjunctions and disjunctions are sorted sets, so equal formulas are nearly always the
//! same number, and several formulas share their parts.

use otus_core::define_id;
use otus_core::index::{Index as _, IndexVec};
use otus_core::intern::Interner;
use otus_syntax::ast::formula::{Connective, Modality, Quantifier, UntilKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::atom::Atom;

define_id! {
    /// A formula of a [`Formulas`].
    pub FormulaId;
    /// An atomic predicate of a [`Formulas`].
    pub AtomId;
}

/// The outermost operator of a formula, with its operands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Formula {
    /// Holds everywhere.
    True,
    /// Holds nowhere.
    False,
    /// Holds at the last cut alone.
    End,
    /// An atomic predicate.
    Atom(AtomId),
    /// The negation of an atom, of the end, of `EX` or of `E U`.
    Not(FormulaId),
    /// The conjunction of at least two formulas, sorted.
    And(Box<[FormulaId]>),
    /// The disjunction of at least two formulas, sorted.
    Or(Box<[FormulaId]>),
    /// `EX f`
    Next(FormulaId),
    /// `E[f U g]`
    Until([FormulaId; 2]),
}

impl Formula {
    /// Whether the formula is `EX f` or `E[f U g]`, which a run shows.
    pub(crate) fn is_run(&self) -> bool {
        matches!(self, Formula::Next(_) | Formula::Until(_))
    }

    /// Whether the formula is a conjunction or a disjunction.
    pub fn is_connective(&self) -> bool {
        matches!(self, Formula::And(_) | Formula::Or(_))
    }

    /// The formulas directly below.
    pub fn operands(&self) -> &[FormulaId] {
        match self {
            Formula::True | Formula::False | Formula::End | Formula::Atom(_) => &[],
            Formula::Not(f) | Formula::Next(f) => std::slice::from_ref(f),
            Formula::And(all) | Formula::Or(all) => all,
            Formula::Until(both) => both,
        }
    }
}

/// Formulas over a trace, and their atoms.
#[derive(Debug, Clone)]
pub struct Formulas {
    pub(crate) atoms: Interner<AtomId, Atom>,
    nodes: Interner<FormulaId, Formula>,
    /// For each formula: its negation and its attributes.
    facts: IndexVec<FormulaId, Facts>,
}

/// Attributes of a formula, computed once.
#[derive(Debug, Clone, Copy)]
struct Facts {
    /// The negation, which is made together with the formula, so that negating is a lookup.
    negation: FormulaId,
    temporal: bool,
    next: bool,
}

impl Default for Formulas {
    fn default() -> Self {
        let mut formulas = Formulas {
            atoms: Interner::default(),
            nodes: Interner::default(),
            facts: IndexVec::default(),
        };
        formulas.pair(Formula::False, Formula::True);
        formulas
    }
}

impl Formulas {
    /// `false`
    pub const FALSE: FormulaId = FormulaId(0);
    /// `true`
    pub const TRUE: FormulaId = FormulaId(1);

    /// The operator and operands of a formula. Operands have smaller ids than the formula.
    pub fn get(&self, f: FormulaId) -> &Formula {
        &self.nodes.items[f]
    }

    /// The number of formulas, with all their parts and negations.
    pub fn count(&self) -> usize {
        self.nodes.items.len()
    }

    /// An atomic predicate.
    pub fn atom_of(&self, atom: AtomId) -> &Atom {
        &self.atoms.items[atom]
    }

    /// Whether a formula has a temporal operator.
    pub fn is_temporal(&self, f: FormulaId) -> bool {
        self.facts[f].temporal
    }

    /// Whether `EX` or `AX` occurs in a formula.
    pub fn has_next(&self, f: FormulaId) -> bool {
        self.facts[f].next
    }

    /// A formula and its parts, operands first. The operands of a node are included only if `opens`
    /// holds for the node.
    pub fn parts(&self, whole: FormulaId, opens: impl Fn(&Formula) -> bool) -> Vec<FormulaId> {
        let mut met = FxHashSet::from_iter([whole]);
        let mut parts = vec![whole];
        let mut next = 0;
        while let Some(&part) = parts.get(next) {
            next += 1;
            let node = self.get(part);
            if opens(node) {
                parts.extend(node.operands().iter().filter(|&&part| met.insert(part)));
            }
        }
        // Operands have smaller ids.
        parts.sort_unstable();
        parts
    }

    /// The atom of a literal, and whether it is positive.
    pub fn as_literal(&self, f: FormulaId) -> Option<(AtomId, bool)> {
        if let Formula::Atom(atom) = *self.get(f) {
            return Some((atom, true));
        }
        let Formula::Not(inner) = *self.get(f) else { return None };
        let Formula::Atom(atom) = *self.get(inner) else { return None };
        Some((atom, false))
    }

    /// g, if a formula is `EF g`.
    pub fn as_possibility(&self, f: FormulaId) -> Option<FormulaId> {
        let Formula::Until([Formulas::TRUE, goal]) = *self.get(f) else { return None };
        Some(goal)
    }

    /// An atomic predicate as a formula. `≠` becomes the negation of `=`, so that a predicate and its
    /// negation are recognized as such.
    pub fn atom(&mut self, atom: Atom) -> FormulaId {
        if let Some(equal) = atom.as_not_equal() {
            let equal = self.atom(equal);
            return self.not(equal);
        }
        let atom = self.atoms.intern(atom);
        self.literal(Formula::Atom(atom))
    }

    /// The formula that holds at the last cut alone.
    pub fn end(&mut self) -> FormulaId {
        self.literal(Formula::End)
    }

    /// `¬f`
    pub fn not(&self, f: FormulaId) -> FormulaId {
        self.facts[f].negation
    }

    /// The conjunction of some formulas.
    pub fn and(&mut self, all: impl IntoIterator<Item = FormulaId>) -> FormulaId {
        let mut set = Vec::new();
        for f in all {
            if let Formula::And(inner) = self.get(f) {
                set.extend_from_slice(inner);
            } else {
                set.push(f);
            }
        }
        set.sort_unstable();
        set.dedup();
        set.retain(|&f| f != Formulas::TRUE);
        if set.iter().any(|&f| f == Formulas::FALSE || set.binary_search(&self.not(f)).is_ok()) {
            return Formulas::FALSE;
        }
        match *set {
            [] => Formulas::TRUE,
            [only] => only,
            _ => {
                let mut negated: Vec<FormulaId> = set.iter().map(|&f| self.not(f)).collect();
                negated.sort_unstable();
                self.pair(Formula::And(set.into()), Formula::Or(negated.into()))
            }
        }
    }

    /// The disjunction of some formulas.
    pub fn or(&mut self, all: impl IntoIterator<Item = FormulaId>) -> FormulaId {
        let negated: Vec<FormulaId> = all.into_iter().map(|f| self.not(f)).collect();
        let conjunction = self.and(negated);
        self.not(conjunction)
    }

    /// A Boolean connective of two formulas.
    pub fn connective(&mut self, connective: Connective, f: FormulaId, g: FormulaId) -> FormulaId {
        match connective {
            Connective::And => self.and([f, g]),
            Connective::Or => self.or([f, g]),
            Connective::Implies => self.implies(f, g),
            Connective::Iff => {
                let both = self.and([f, g]);
                let none = self.and([self.not(f), self.not(g)]);
                self.or([both, none])
            }
        }
    }

    /// `f → g`
    pub fn implies(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        self.or([self.not(f), g])
    }

    /// A modality with one operand.
    pub fn temporal(&mut self, runs: Quantifier, modality: Modality, f: FormulaId) -> FormulaId {
        match (runs, modality) {
            (Quantifier::Exists, Modality::Next) => self.ex(f),
            (Quantifier::Exists, Modality::Finally) => self.ef(f),
            (Quantifier::Exists, Modality::Globally) => self.eg(f),
            (Quantifier::All, Modality::Next) => {
                let some = self.ex(self.not(f));
                self.not(some)
            }
            (Quantifier::All, Modality::Finally) => self.af(f),
            (Quantifier::All, Modality::Globally) => self.ag(f),
        }
    }

    /// A modality with two operands.
    pub fn until(
        &mut self,
        runs: Quantifier,
        kind: UntilKind,
        f: FormulaId,
        g: FormulaId,
    ) -> FormulaId {
        let (no_f, no_g) = (self.not(f), self.not(g));
        let broken = match (runs, kind) {
            (Quantifier::Exists, UntilKind::Until) => return self.eu(f, g),
            (Quantifier::Exists, UntilKind::Weak) => {
                let end = self.end();
                let last = self.and([f, end]);
                let goal = self.or([g, last]);
                return self.eu(f, goal);
            }
            (Quantifier::Exists, UntilKind::Release) => {
                let both = self.and([f, g]);
                return self.until(runs, UntilKind::Weak, g, both);
            }
            (Quantifier::All, UntilKind::Until) => {
                let end = self.end();
                let stuck = self.or([no_f, end]);
                let lost = self.and([no_g, stuck]);
                self.eu(no_g, lost)
            }
            (Quantifier::All, UntilKind::Weak) => {
                let lost = self.and([no_f, no_g]);
                self.eu(no_g, lost)
            }
            (Quantifier::All, UntilKind::Release) => self.eu(no_f, no_g),
        };
        self.not(broken)
    }

    /// `EX f`
    pub fn ex(&mut self, f: FormulaId) -> FormulaId {
        if f == Formulas::FALSE {
            return f;
        }
        self.literal(Formula::Next(f))
    }

    /// `E[f U g]`
    pub fn eu(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        if g == Formulas::FALSE || g == Formulas::TRUE || f == Formulas::FALSE {
            return g;
        }
        // On a run to a cut with g, all cuts before the first such cut satisfy ¬g, so E[¬g U g] =
        // EF g.
        let f = if f == self.not(g) { Formulas::TRUE } else { f };
        self.literal(Formula::Until([f, g]))
    }

    /// `EF g`
    pub fn ef(&mut self, g: FormulaId) -> FormulaId {
        self.eu(Formulas::TRUE, g)
    }

    /// `EG f`
    pub fn eg(&mut self, f: FormulaId) -> FormulaId {
        if f == Formulas::TRUE {
            return f;
        }
        let end = self.end();
        let last = self.and([f, end]);
        self.eu(f, last)
    }

    /// `AF g`
    pub fn af(&mut self, g: FormulaId) -> FormulaId {
        let never = self.eg(self.not(g));
        self.not(never)
    }

    /// `AG f`
    pub fn ag(&mut self, f: FormulaId) -> FormulaId {
        let broken = self.ef(self.not(f));
        self.not(broken)
    }

    /// A formula in which an atom is replaced by `true` or `false`.
    pub fn with_constant(&mut self, whole: FormulaId, atom: AtomId, truth: bool) -> FormulaId {
        let constant = if truth { Formulas::TRUE } else { Formulas::FALSE };
        let mut replaced: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
        for part in self.parts(whole, |_| true) {
            let new = match self.get(part).clone() {
                Formula::Atom(own) if own == atom => constant,
                Formula::True | Formula::False | Formula::End | Formula::Atom(_) => part,
                Formula::Not(inner) => self.not(replaced[&inner]),
                Formula::And(all) => self.and(all.iter().map(|f| replaced[f]).collect::<Vec<_>>()),
                Formula::Or(all) => self.or(all.iter().map(|f| replaced[f]).collect::<Vec<_>>()),
                Formula::Next(inner) => self.ex(replaced[&inner]),
                Formula::Until([f, g]) => self.eu(replaced[&f], replaced[&g]),
            };
            replaced.insert(part, new);
        }
        replaced[&whole]
    }

    /// Interns a formula that is not a connective, with its negation.
    fn literal(&mut self, formula: Formula) -> FormulaId {
        if let Some(known) = self.nodes.find(&formula) {
            return known;
        }
        let positive = FormulaId::new(self.nodes.items.len());
        self.pair(formula, Formula::Not(positive))
    }

    /// Interns a formula and its negation. The operands of both are interned already.
    fn pair(&mut self, formula: Formula, negation: Formula) -> FormulaId {
        if let Some(known) = self.nodes.find(&formula) {
            return known;
        }
        let any = |has: fn(&Facts) -> bool| formula.operands().iter().any(|&f| has(&self.facts[f]));
        let next = matches!(formula, Formula::Next(_)) || any(|facts| facts.next);
        let temporal = matches!(formula, Formula::End | Formula::Next(_) | Formula::Until(_))
            || any(|facts| facts.temporal);
        let (positive, negative) = (self.nodes.intern(formula), self.nodes.intern(negation));
        self.facts.push(Facts { negation: negative, temporal, next });
        self.facts.push(Facts { negation: positive, temporal, next });
        positive
    }
}
