//! The truth of formulas at cuts, by the runs that begin there.

use otus_core::index::Index as _;
use otus_ctl::atom::Atom;
use otus_ctl::{Formula, FormulaId, Formulas};
use otus_syntax::ast::formula::{Connective, Modality, Quantifier, UntilKind};

use super::{Ctl, Lattice, Node};

impl Lattice<'_> {
    /// By cut: whether a formula holds there. Runs are unfolded at their first cut.
    pub fn truth(&self, formula: &Ctl) -> Vec<bool> {
        self.truth_with(formula, |cut, atom| self.holds(cut, atom))
    }

    /// The same with another meaning of atoms.
    pub fn truth_with(&self, formula: &Ctl, holds: impl Fn(usize, &Atom) -> bool) -> Vec<bool> {
        let mut truths: Vec<Vec<bool>> = Vec::with_capacity(formula.0.len());
        for node in &formula.0 {
            let truth = match *node {
                Node::Temporal(runs, when, f) => {
                    let f = &truths[f];
                    match when {
                        Modality::Next => (0..self.cuts.len())
                            .map(|cut| {
                                let mut after = self.successors[cut].iter().map(|&next| f[next]);
                                match runs {
                                    Quantifier::Exists => after.any(|holds| holds),
                                    Quantifier::All => after.all(|holds| holds),
                                }
                            })
                            .collect(),
                        // F: now, or later in the rest of the run. G: now, and in the rest, if there is one.
                        Modality::Finally => {
                            self.unfold(runs, |cut, rest| f[cut] || rest == Some(true))
                        }
                        Modality::Globally => {
                            self.unfold(runs, |cut, rest| f[cut] && rest != Some(false))
                        }
                    }
                }
                Node::Until(runs, kind, f, g) => {
                    let (f, g) = (&truths[f], &truths[g]);
                    self.unfold(runs, |cut, rest| match kind {
                        UntilKind::Until => g[cut] || (f[cut] && rest == Some(true)),
                        UntilKind::Weak => g[cut] || (f[cut] && rest != Some(false)),
                        UntilKind::Release => g[cut] && (f[cut] || rest != Some(false)),
                    })
                }
                Node::Constant(_) | Node::Atom(_) | Node::Not(_) | Node::Connective(..) => {
                    self.boolean(node, &truths, &holds)
                }
            };
            truths.push(truth);
        }
        truths.pop().unwrap_or_default()
    }

    /// By cut: whether some run, or every run, has a property that depends on its first cut
    /// and on whether the rest, if there is one, has it.
    fn unfold(
        &self,
        runs: Quantifier,
        property: impl Fn(usize, Option<bool>) -> bool,
    ) -> Vec<bool> {
        let mut truth = vec![false; self.cuts.len()];
        for cut in (0..self.cuts.len()).rev() {
            let mut after =
                self.successors[cut].iter().map(|&next| property(cut, Some(truth[next])));
            truth[cut] = match runs {
                _ if self.is_end(cut) => property(cut, None),
                Quantifier::Exists => after.any(|holds| holds),
                Quantifier::All => after.all(|holds| holds),
            };
        }
        truth
    }

    /// By cut: whether a formula holds there. All runs are enumerated; `None` if there are more than `most`.
    pub fn truth_by_runs(&self, formula: &Ctl, most: usize) -> Option<Vec<bool>> {
        let mut runs: Vec<Vec<Vec<usize>>> = vec![Vec::new(); self.cuts.len()];
        let mut count = 0;
        for cut in (0..self.cuts.len()).rev() {
            if self.is_end(cut) {
                runs[cut].push(vec![cut]);
            }
            for &next in &self.successors[cut] {
                let longer = runs[next].iter().map(|run| [&[cut], run.as_slice()].concat());
                let longer: Vec<Vec<usize>> = longer.collect();
                count += longer.len();
                runs[cut].extend(longer);
            }
            if count > most {
                return None;
            }
        }
        let mut truths: Vec<Vec<bool>> = Vec::with_capacity(formula.0.len());
        for node in &formula.0 {
            let quantify = |quantifier: Quantifier, holds: &dyn Fn(&[usize]) -> bool| {
                runs.iter()
                    .map(|from| match quantifier {
                        Quantifier::Exists => from.iter().any(|run| holds(run)),
                        Quantifier::All => from.iter().all(|run| holds(run)),
                    })
                    .collect::<Vec<bool>>()
            };
            let truth = match *node {
                Node::Temporal(quantifier, when, f) => {
                    let f = &truths[f];
                    match when {
                        // At E no event is enabled: EX is false and AX true.
                        Modality::Next => quantify(quantifier, &|run| match (run, quantifier) {
                            ([_, next, ..], _) => f[*next],
                            (_, Quantifier::Exists) => false,
                            (_, Quantifier::All) => true,
                        }),
                        Modality::Finally => {
                            quantify(quantifier, &|run| run.iter().any(|&cut| f[cut]))
                        }
                        Modality::Globally => {
                            quantify(quantifier, &|run| run.iter().all(|&cut| f[cut]))
                        }
                    }
                }
                Node::Until(quantifier, kind, f, g) => {
                    let (f, g) = (&truths[f], &truths[g]);
                    let until = |run: &[usize], f: &[bool], g: &[bool]| {
                        (0..run.len()).any(|i| g[run[i]] && run[..i].iter().all(|&cut| f[cut]))
                    };
                    quantify(quantifier, &|run| match kind {
                        UntilKind::Until => until(run, f, g),
                        UntilKind::Weak => until(run, f, g) || run.iter().all(|&cut| f[cut]),
                        // g at every cut that is not after one with f.
                        UntilKind::Release => {
                            (0..run.len()).all(|i| g[run[i]] || run[..i].iter().any(|&cut| f[cut]))
                        }
                    })
                }
                Node::Constant(_) | Node::Atom(_) | Node::Not(_) | Node::Connective(..) => {
                    self.boolean(node, &truths, &|cut, atom| self.holds(cut, atom))
                }
            };
            truths.push(truth);
        }
        Some(truths.pop().unwrap_or_default())
    }

    /// The truth of a formula without modalities at a cut.
    fn boolean(
        &self,
        node: &Node,
        truths: &[Vec<bool>],
        holds: &dyn Fn(usize, &Atom) -> bool,
    ) -> Vec<bool> {
        (0..self.cuts.len())
            .map(|cut| match *node {
                Node::Constant(value) => value,
                Node::Atom(ref atom) => holds(cut, atom),
                Node::Not(f) => !truths[f][cut],
                Node::Connective(kind, f, g) => {
                    let (f, g) = (truths[f][cut], truths[g][cut]);
                    match kind {
                        Connective::And => f && g,
                        Connective::Or => f || g,
                        Connective::Implies => !f || g,
                        Connective::Iff => f == g,
                    }
                }
                Node::Temporal(..) | Node::Until(..) => unreachable!("speaks of runs"),
            })
            .collect()
    }

    /// By cut: whether a formula of `otus-ctl` holds there, by the definitions of its few operators.
    pub fn core(&self, formulas: &Formulas, formula: FormulaId) -> Vec<bool> {
        let mut truths: Vec<Vec<bool>> = vec![Vec::new(); formula.index() + 1];
        for part in formulas.parts(formula, |_| true) {
            let truth: Vec<bool> = match formulas.get(part) {
                Formula::True => vec![true; self.cuts.len()],
                Formula::False => vec![false; self.cuts.len()],
                Formula::End => (0..self.cuts.len()).map(|cut| self.is_end(cut)).collect(),
                Formula::Atom(atom) => {
                    let atom = formulas.atom_of(*atom);
                    (0..self.cuts.len()).map(|cut| self.holds(cut, atom)).collect()
                }
                Formula::Not(f) => truths[f.index()].iter().map(|holds| !holds).collect(),
                Formula::And(all) => (0..self.cuts.len())
                    .map(|cut| all.iter().all(|f| truths[f.index()][cut]))
                    .collect(),
                Formula::Or(all) => (0..self.cuts.len())
                    .map(|cut| all.iter().any(|f| truths[f.index()][cut]))
                    .collect(),
                Formula::Next(f) => self
                    .successors
                    .iter()
                    .map(|after| after.iter().any(|&next| truths[f.index()][next]))
                    .collect(),
                Formula::Until([f, g]) => {
                    let (f, g) = (&truths[f.index()], &truths[g.index()]);
                    self.unfold(Quantifier::Exists, |cut, rest| {
                        g[cut] || (f[cut] && rest == Some(true))
                    })
                }
            };
            truths[part.index()] = truth;
        }
        truths.pop().unwrap_or_default()
    }
}
