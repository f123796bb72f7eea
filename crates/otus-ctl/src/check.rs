//! Decides whether a formula holds at the first cut.
//!
//! 0. *End.* With [`Engine::Auto`], parts that the last cut decides become constants ([`ending`](crate::ending)).
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
use otus_trace::order::{Clocks, EventId, PartialOrder, ProcessId};
use rustc_hash::FxHashMap;

use crate::BigUint;
use crate::evaluate::Evaluation;
use crate::explicit;
use crate::formula::{AtomId, Formula, FormulaId, Formulas};
use crate::ist::{self, Closure};
use crate::narrow;
use crate::pace::{Pace, beside};
use crate::track::{Course, courses};
use crate::view::{Arrangement, View};

/// The engine that computes sets of cuts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// The best engine for each part of a formula: interval diagrams, or single cuts if an atom depends on several
    /// processes and there are few cuts.
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
    /// The options with their clock started, so that all phases that get them share one time limit.
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
    /// The events at which each of these atoms changes, with the atoms themselves.
    pub(crate) atoms: &'f [(AtomId, &'f Course)],
}

/// Checks formulas over one trace. The courses of atoms and the clocks are computed once for all
/// formulas.
#[derive(Debug)]
pub struct Checker<'t> {
    trace: &'t PartialOrder,
    /// The formulas; more can be added at any time.
    pub formulas: Formulas,
    courses: Vec<OnceCell<Course>>,
    /// The number of bytes of all courses.
    course_bytes: usize,
    clocks: OnceCell<Clocks>,
}

impl<'t> Checker<'t> {
    /// A checker for some formulas.
    pub fn new(trace: &'t PartialOrder, formulas: Formulas) -> Self {
        let (courses, clocks) = (Vec::new(), OnceCell::new());
        Checker { trace, formulas, courses, course_bytes: 0, clocks }
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
        let formula = if options.engine == Engine::Auto {
            let atoms = self.atoms(formula);
            self.prepare(&atoms, &options.budget)?;
            let settled = self.settled(formula, &mut Pace::new(&options.budget))?;
            if settled == Formulas::TRUE || settled == Formulas::FALSE {
                let visible = self.visible(formula, &atoms, options);
                return Ok(Answer { holds: settled == Formulas::TRUE, visible, parts: 1 });
            }
            settled
        } else {
            formula
        };
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
        self.prepare(&atoms, &options.budget)?;
        let view = self.whole_view(options)?;
        let used = self.used(&atoms);
        let problem = self.problem(&view, &used);
        let budget = &self.beside(&options.budget, &view);
        let by_cuts = |budget: &Budget| {
            explicit::walk(problem, formula, false, budget).map(|tally| Counts {
                cuts: tally.cuts.into(),
                satisfying: tally.satisfying.into(),
            })
        };
        match options.engine {
            Engine::Auto => {
                if let Some(counts) = tried(problem, budget, by_cuts)? {
                    return Ok(counts);
                }
            }
            Engine::Interval => {}
            Engine::Explicit => return by_cuts(budget),
            Engine::Ist => {
                let (cuts, satisfying) = ist::count(problem, formula, options.closure, budget)?;
                return Ok(Counts { cuts, satisfying });
            }
        }
        Evaluation::new(problem, budget)?.counts(formula)
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
        self.prepare(&atoms, &options.budget)?;
        if let &Formula::Atom(atom) = self.formulas.get(part) {
            let course = self.course(atom);
            let atom = self.formulas.atom_of(atom);
            return Ok(course.holds(atom, &vec![0; atom.readings().len()]));
        }
        if let Some(conditions) = self.local_conditions(part, options) {
            *visible += atoms.iter().map(|&atom| self.course(atom).events().count()).sum::<usize>();
            let mut pace = Pace::new(&beside(&options.budget, self.bytes()));
            return Ok(self.least(&conditions, &mut pace)?.is_some());
        }
        let view = self.view(part, &atoms, options)?;
        *visible += view.event_count();
        let used = self.used(&atoms);
        let problem = self.problem(&view, &used);
        let budget = &self.beside(&options.budget, &view);
        let goal = self.formulas.as_possibility(part);
        let by_cuts = |budget: &Budget| {
            explicit::walk(problem, goal.unwrap_or(part), goal.is_some(), budget)
                .map(|tally| tally.holds)
        };
        match options.engine {
            Engine::Auto => {
                if let Some(holds) = tried(problem, budget, by_cuts)? {
                    return Ok(holds);
                }
            }
            Engine::Interval => {}
            Engine::Explicit => return by_cuts(budget),
            Engine::Ist => return ist::holds(problem, part, options.closure, budget),
        }
        let mut evaluation = Evaluation::new(problem, budget)?;
        if let Some(goal) = goal {
            return Ok(evaluation.find(goal)?.is_some());
        }
        let set = evaluation.set(part)?;
        Ok(evaluation.diagram.contains(set, &vec![0; view.processes.len()]))
    }

    /// The events that a part can see.
    pub(crate) fn view(
        &self,
        part: FormulaId,
        atoms: &[AtomId],
        options: &Options,
    ) -> Result<View, Stop> {
        if !options.slice || self.formulas.has_next(part) {
            return self.whole_view(options);
        }
        let visible = atoms.iter().flat_map(|&atom| self.course(atom).events());
        let mut pace = Pace::new(&beside(&options.budget, self.bytes()));
        let clocks = || self.clocks(&options.budget);
        View::of(self.trace, &clocks, visible, options.arrangement, &mut pace)
    }

    /// The number of events that a formula can see.
    fn visible(&self, formula: FormulaId, atoms: &[AtomId], options: &Options) -> usize {
        if !options.slice || self.formulas.has_next(formula) {
            return self.trace.event_count();
        }
        let events = atoms.iter().flat_map(|&atom| self.course(atom).events());
        let mut visible: Vec<EventId> = events.collect();
        // The events of each atom are in order already: a stable sort merges such runs.
        visible.sort();
        visible.dedup();
        visible.len()
    }

    /// The view of all events.
    pub(crate) fn whole_view(&self, options: &Options) -> Result<View, Stop> {
        let mut pace = Pace::new(&beside(&options.budget, self.bytes()));
        let clocks = || self.clocks(&options.budget);
        View::whole(self.trace, &clocks, options.arrangement, &mut pace)
    }

    /// The budget without the memory that the tables of the checker and a view take.
    pub(crate) fn beside(&self, budget: &Budget, view: &View) -> Budget {
        beside(budget, self.bytes() + view.bytes())
    }

    /// The number of bytes of the courses and clocks.
    pub(crate) fn bytes(&self) -> usize {
        self.course_bytes + self.clocks.get().map_or(0, Clocks::bytes)
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
    pub(crate) fn prepare(&mut self, atoms: &[AtomId], budget: &Budget) -> Result<(), Stop> {
        let mut pace = Pace::new(&beside(budget, self.bytes()));
        self.courses.resize_with(self.formulas.atoms.items.len(), OnceCell::new);
        let missing: Vec<AtomId> = atoms
            .iter()
            .copied()
            .filter(|atom| self.courses[atom.index()].get().is_none())
            .collect();
        let found: Vec<_> = missing.iter().map(|&atom| self.formulas.atom_of(atom)).collect();
        let made = courses(self.trace, &found, &mut pace)?;
        for (atom, course) in missing.iter().zip(made) {
            self.course_bytes += course.bytes();
            self.courses[atom.index()].get_or_init(|| course);
        }
        Ok(())
    }

    pub(crate) fn course(&self, atom: AtomId) -> &Course {
        self.courses[atom.index()].get().expect("courses are prepared")
    }

    /// The clocks of the trace, computed at the first use.
    pub(crate) fn clocks(&self, budget: &Budget) -> Result<&Clocks, Stop> {
        if let Some(known) = self.clocks.get() {
            return Ok(known);
        }
        let all: Vec<ProcessId> = self.trace.processes().collect();
        let made = self.trace.clocks_within(&all, &beside(budget, self.bytes()))?;
        Ok(self.clocks.get_or_init(|| made))
    }
}

/// The answer of the engine for single cuts, if that engine is likely to be faster than intervals
/// and stays within its limit.
fn tried<T>(
    problem: Problem<'_>,
    budget: &Budget,
    by_cuts: impl FnOnce(&Budget) -> Result<T, Stop>,
) -> Result<Option<T>, Stop> {
    let Some(limit) = narrow::limit(problem, &mut Pace::new(budget))? else { return Ok(None) };
    let most = budget.max_states.map_or(limit, |most| most.min(limit));
    match by_cuts(&Budget { max_states: Some(most), ..budget.clone() }) {
        Err(Stop::States | Stop::Memory) => Ok(None),
        answer => answer.map(Some),
    }
}

/// The next step for a part.
enum Step {
    Known(bool),
    Ask(FormulaId),
    Whole,
}

/// The next step for a connective whose value is decided as soon as one operand has the `decisive`
/// value.
fn decide(all: &[FormulaId], known: &FxHashMap<FormulaId, bool>, decisive: bool) -> Step {
    if all.iter().any(|part| known.get(part) == Some(&decisive)) {
        return Step::Known(decisive);
    }
    match all.iter().find(|part| !known.contains_key(part)) {
        Some(&part) => Step::Ask(part),
        None => Step::Known(!decisive),
    }
}
