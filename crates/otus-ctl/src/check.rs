//! Decides whether a formula holds at the first cut.
//!
//! 1. *Parts.* A formula is split at the top wherever that is exact: at Boolean connectives, and by
//!    `EF (f ∨ g) = EF f ∨ EF g` (so `AG (f ∧ g) = AG f ∧ AG g`). The parts are checked one by one until the formula is
//!    decided.
//! 2. *View.* A part sees only some events ([`view`](crate::view)).
//! 3. *Answer.* `EF` of a conjunction of local conditions is decided by its least cut
//!    ([`conjunctive`](crate::conjunctive)), every other part by the chosen engine. For an outermost `EF g` it is enough
//!    to find one cut that satisfies g.

use std::cell::OnceCell;

use otus_core::budget::{Budget, Stop};
use otus_core::index::Index as _;
use otus_trace::order::{Clocks, PartialOrder};
use rustc_hash::FxHashMap;

use crate::BigUint;
use crate::evaluate::Evaluation;
use crate::explicit;
use crate::formula::{AtomId, Formula, FormulaId, Formulas};
use crate::ist::{self, Closure};
use crate::narrow;
use crate::track::{Course, courses};
use crate::view::{Arrangement, View};

/// The engine that computes sets of cuts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// The best one for each part: interval diagrams, or single cuts where an atom depends on several processes and
    /// there are few cuts.
    Auto,
    /// Canonical interval diagrams.
    Interval,
    /// One cut at a time.
    Explicit,
    /// Interval sharing trees, with the operations of paper 001.
    Ist,
}

/// The options of a check.
#[derive(Debug, Clone)]
pub struct Options {
    /// The engine that computes sets of cuts.
    pub engine: Engine,
    /// Whether events that cannot change the verdict are left out ([`view`](crate::view)).
    pub slice: bool,
    /// The order of processes, which are the dimensions of diagrams.
    pub arrangement: Arrangement,
    /// The way in which [`Engine::Ist`] computes EF and AG.
    pub closure: Closure,
    /// The limits.
    pub budget: Budget,
}

impl Options {
    /// The options from now on: phases that are given them share one time limit.
    pub(crate) fn started(&self) -> Self {
        Options { budget: self.budget.started(), ..self.clone() }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            engine: Engine::Auto,
            slice: true,
            arrangement: Arrangement::Greedy,
            closure: Closure::Downward,
            budget: Budget::default(),
        }
    }
}

/// The verdict of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Whether the formula holds at the first cut.
    pub holds: bool,
    /// The number of visible events, over all parts that were checked.
    pub visible: usize,
    /// The number of parts that were checked.
    pub parts: usize,
}

/// Numbers of cuts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    /// All cuts of the trace.
    pub cuts: BigUint,
    /// The cuts at which the formula holds.
    pub satisfying: BigUint,
}

/// The input of an engine: formulas over some atoms, on a view of a trace.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Problem<'f> {
    pub(crate) formulas: &'f Formulas,
    pub(crate) trace: &'f PartialOrder,
    /// The visible events.
    pub(crate) view: &'f View,
    /// The atoms of the formulas, and their courses.
    pub(crate) atoms: &'f [(AtomId, &'f Course)],
}

/// Checks formulas over one trace; the courses of atoms and the clocks are computed once.
#[derive(Debug)]
pub struct Checker<'t> {
    trace: &'t PartialOrder,
    /// The formulas; more can be added at any time.
    pub formulas: Formulas,
    courses: Vec<OnceCell<Course>>,
    clocks: OnceCell<Clocks>,
}

impl<'t> Checker<'t> {
    /// A checker for some formulas.
    pub fn new(trace: &'t PartialOrder, formulas: Formulas) -> Self {
        Checker { trace, formulas, courses: Vec::new(), clocks: OnceCell::new() }
    }

    /// The trace.
    pub fn trace(&self) -> &'t PartialOrder {
        self.trace
    }

    /// Whether a formula holds at the first cut.
    ///
    /// # Errors
    /// The limit of the budget that was met.
    pub fn check(&mut self, formula: FormulaId, options: &Options) -> Result<Answer, Stop> {
        let options = &options.started();
        let mut answer = Answer { holds: false, visible: 0, parts: 0 };
        let mut known: FxHashMap<FormulaId, bool> = FxHashMap::default();
        let mut pending = vec![formula];
        while let Some(&part) = pending.last() {
            if known.contains_key(&part) {
                pending.pop();
                continue;
            }
            match self.divide(part, &known) {
                Step::Known(holds) => {
                    known.insert(part, holds);
                }
                Step::Ask(other) => pending.push(other),
                Step::Whole => {
                    answer.parts += 1;
                    let holds = self.answer(part, options, &mut answer.visible)?;
                    known.insert(part, holds);
                }
            }
        }
        answer.holds = known[&formula];
        Ok(answer)
    }

    /// Counts all cuts, and those at which a formula holds.
    ///
    /// # Errors
    /// The limit of the budget that was met.
    pub fn count(&mut self, formula: FormulaId, options: &Options) -> Result<Counts, Stop> {
        let options = &options.started();
        let atoms = self.atoms(formula);
        self.prepare(&atoms);
        let view = View::whole(self.trace, &|| self.clocks(), options.arrangement);
        let used = self.used(&atoms);
        let problem = self.problem(&view, &used);
        let (cuts, satisfying) = match options.engine {
            Engine::Auto | Engine::Interval => {
                let mut evaluation = Evaluation::new(problem, &options.budget);
                let (set, top) = (evaluation.set(formula)?, evaluation.top()?);
                (evaluation.diagram.count(top), evaluation.diagram.count(set))
            }
            Engine::Explicit => {
                let tally = explicit::walk(problem, formula, false, &options.budget)?;
                (tally.cuts.into(), tally.satisfying.into())
            }
            Engine::Ist => ist::count(problem, formula, options.closure, &options.budget)?,
        };
        Ok(Counts { cuts, satisfying })
    }

    /// The next step for a part: its value follows from its own parts, or it must be checked as a whole.
    fn divide(&mut self, part: FormulaId, known: &FxHashMap<FormulaId, bool>) -> Step {
        match self.formulas.get(part).clone() {
            Formula::True => Step::Known(true),
            Formula::False => Step::Known(false),
            Formula::End => Step::Known(self.trace.event_count() == 0),
            Formula::Atom(_) => Step::Whole,
            Formula::Not(inner) => match known.get(&inner) {
                Some(holds) => Step::Known(!holds),
                None => Step::Ask(inner),
            },
            Formula::And(all) => decide(&all, known, false),
            Formula::Or(all) => decide(&all, known, true),
            Formula::Next(_) => Step::Whole,
            Formula::Until(_) => {
                let goal = self.formulas.as_possibility(part).map(|goal| self.formulas.get(goal));
                let Some(Formula::Or(all)) = goal.cloned() else { return Step::Whole };
                let all: Vec<FormulaId> = all.iter().map(|&g| self.formulas.ef(g)).collect();
                decide(&all, known, true)
            }
        }
    }

    /// Checks a part as a whole.
    fn answer(
        &mut self,
        part: FormulaId,
        options: &Options,
        visible: &mut usize,
    ) -> Result<bool, Stop> {
        let atoms = self.atoms(part);
        self.prepare(&atoms);
        if let &Formula::Atom(atom) = self.formulas.get(part) {
            let course = self.course(atom);
            let atom = self.formulas.atom_of(atom);
            return Ok(course.holds(atom, &vec![0; atom.readings().len()]));
        }
        if let Some(conditions) = self.local_conditions(part, options) {
            *visible += atoms.iter().map(|&atom| self.course(atom).events().count()).sum::<usize>();
            return Ok(self.least(&conditions).is_some());
        }
        let view = self.view(part, &atoms, options);
        *visible += view.event_count();
        let used = self.used(&atoms);
        let problem = self.problem(&view, &used);
        let goal = self.formulas.as_possibility(part);
        let by_cuts = |budget: &Budget| {
            explicit::walk(problem, goal.unwrap_or(part), goal.is_some(), budget)
                .map(|tally| tally.holds)
        };
        match options.engine {
            Engine::Auto => {
                if let Some(limit) = narrow::limit(problem) {
                    let most = options.budget.max_states.map_or(limit, |most| most.min(limit));
                    let budget = Budget { max_states: Some(most), ..options.budget.clone() };
                    match by_cuts(&budget) {
                        Err(Stop::States | Stop::Memory) => {}
                        answer => return answer,
                    }
                }
            }
            Engine::Interval => {}
            Engine::Explicit => return by_cuts(&options.budget),
            Engine::Ist => return ist::holds(problem, part, options.closure, &options.budget),
        }
        let mut evaluation = Evaluation::new(problem, &options.budget);
        if let Some(goal) = goal {
            return Ok(evaluation.find(goal)?.is_some());
        }
        let set = evaluation.set(part)?;
        Ok(evaluation.diagram.contains(set, &vec![0; view.processes.len()]))
    }

    /// The events that a part can see.
    pub(crate) fn view(&self, part: FormulaId, atoms: &[AtomId], options: &Options) -> View {
        let (trace, clocks) = (self.trace, || self.clocks());
        if !options.slice || self.formulas.has_next(part) {
            return View::whole(trace, &clocks, options.arrangement);
        }
        let visible = atoms.iter().flat_map(|&atom| self.course(atom).events());
        View::of(trace, &clocks, visible, options.arrangement)
    }

    /// The problem of formulas over some atoms, on a view of the trace.
    pub(crate) fn problem<'a>(
        &'a self,
        view: &'a View,
        atoms: &'a [(AtomId, &'a Course)],
    ) -> Problem<'a> {
        Problem { formulas: &self.formulas, trace: self.trace, view, atoms }
    }

    /// Atoms with their courses.
    pub(crate) fn used(&self, atoms: &[AtomId]) -> Vec<(AtomId, &Course)> {
        atoms.iter().map(|&atom| (atom, self.course(atom))).collect()
    }

    /// The atoms of a formula.
    pub(crate) fn atoms(&self, formula: FormulaId) -> Vec<AtomId> {
        let parts = self.formulas.parts(formula, |_| true).into_iter();
        let mut atoms: Vec<AtomId> = parts
            .filter_map(|part| {
                if let Formula::Atom(atom) = *self.formulas.get(part) { Some(atom) } else { None }
            })
            .collect();
        atoms.sort_unstable();
        atoms
    }

    /// Computes the courses of some atoms, unless they are known.
    pub(crate) fn prepare(&mut self, atoms: &[AtomId]) {
        self.courses.resize_with(self.formulas.atoms.items.len(), OnceCell::new);
        let missing: Vec<AtomId> = atoms
            .iter()
            .copied()
            .filter(|atom| self.courses[atom.index()].get().is_none())
            .collect();
        let found: Vec<_> = missing.iter().map(|&atom| self.formulas.atom_of(atom)).collect();
        for (atom, course) in missing.iter().zip(courses(self.trace, &found)) {
            self.courses[atom.index()].get_or_init(|| course);
        }
    }

    pub(crate) fn course(&self, atom: AtomId) -> &Course {
        self.courses[atom.index()].get().expect("courses are prepared")
    }

    /// The clocks of the trace, computed at the first use.
    pub(crate) fn clocks(&self) -> &Clocks {
        self.clocks.get_or_init(|| self.trace.clocks())
    }
}

/// The next step for a part.
enum Step {
    Known(bool),
    Ask(FormulaId),
    Whole,
}

/// The next step for a connective that an operand with the `decisive` value decides.
fn decide(all: &[FormulaId], known: &FxHashMap<FormulaId, bool>, decisive: bool) -> Step {
    if all.iter().any(|part| known.get(part) == Some(&decisive)) {
        return Step::Known(decisive);
    }
    match all.iter().find(|part| !known.contains_key(part)) {
        Some(&part) => Step::Ask(part),
        None => Step::Known(!decisive),
    }
}
