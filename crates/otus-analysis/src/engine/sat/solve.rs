//! The solver of propositional formulas.
//!
//! Conflict-driven clause learning as known since GRASP (Marques-Silva and Sakallah, 1996)
//! and Chaff (Moskewicz et al., DAC 2001), in the compact form of `MiniSat` (Eén and Sörensson,
//! SAT 2003):
//!
//! - two watched literals per clause, each watch with a blocker: another literal of the clause,
//!   which saves visiting the clause if it is true;
//! - the first unique implication point is learnt, without literals that the others imply
//!   (Sörensson and Biere, SAT 2009);
//! - variables of recent conflicts are decided first, with the value they had last;
//! - restarts follow Luby's sequence; at some restarts the learnt clauses
//!   that span many decision levels are deleted (Audemard and Simon, IJCAI 2009).
//!
//! Clauses are deleted only at level 0, where no clause is a reason of an assignment that can be
//! undone. The remaining clauses are then copied and watched anew, and literals that are decided at
//! level 0 are dropped.
//!
//! *Invariants.* The watches of a clause are its first two literals; if one of them is false
//! after propagation, the other or the blocker was true no later. The literal that a clause
//! implies is its first. The solver is deterministic.

use super::formula::{Formula, Literal};
use super::heap::ActivityHeap;
use crate::budget::{Meter, Stop};

/// A model of the formula, as a value for each variable; `None` if there is none.
pub(super) fn solve(formula: &Formula, meter: &mut Meter<'_>) -> Result<Option<Vec<bool>>, Stop> {
    let mut solver = Solver::new(formula);
    for clause in formula.clauses() {
        if !solver.add(clause) {
            return Ok(None);
        }
    }
    let satisfiable = solver.search(meter)?;
    Ok(satisfiable.then_some(solver.phases))
}

/// Conflicts until the first restart; the unit of Luby's sequence.
const RESTART: u64 = 64;
/// The number of learnt clauses after which some are deleted; it grows with every deletion.
const KEEP: usize = 2000;
/// Clauses that span at most this number of levels are never deleted.
const GLUE: u32 = 2;
const NONE: u32 = u32::MAX;

/// The words before the literals of a clause in the arena: its length, and the number of decision
/// levels it spans (0 if it is not learnt).
const HEADER: usize = 2;

#[derive(Debug, Clone, Copy)]
struct Watch {
    clause: u32,
    blocker: Literal,
}

struct Solver {
    arena: Vec<u32>,
    learnt: usize,
    keep: usize,
    /// For each literal: the clauses that watch for it to become false.
    watches: Vec<Vec<Watch>>,
    /// For each literal: 1 if true, -1 if false, 0 if unassigned.
    values: Vec<i8>,
    /// By variable.
    levels: Vec<u32>,
    reasons: Vec<u32>,
    phases: Vec<bool>,
    seen: Vec<bool>,
    order: ActivityHeap,
    trail: Vec<Literal>,
    /// For each decision level: its start in the trail.
    limits: Vec<usize>,
    propagated: usize,
    /// Scratch: the clause being learnt, the same before minimization, and the levels counted so
    /// far.
    clause: Vec<Literal>,
    learning: Vec<Literal>,
    stamps: Vec<u32>,
    stamp: u32,
}

impl Solver {
    fn new(formula: &Formula) -> Self {
        let variables = formula.variables as usize;
        // Reserves enough for most lists of watches never to grow.
        let mut occurrences = vec![0; 2 * variables];
        for literal in formula.clauses().flatten() {
            occurrences[literal.index()] += 1;
        }
        Solver {
            arena: Vec::with_capacity(2 * formula.len()),
            learnt: 0,
            keep: KEEP,
            watches: occurrences.into_iter().map(Vec::with_capacity).collect(),
            values: vec![0; 2 * variables],
            levels: vec![0; variables],
            reasons: vec![NONE; variables],
            phases: vec![false; variables],
            seen: vec![false; variables],
            order: ActivityHeap::new(variables),
            trail: Vec::with_capacity(variables),
            limits: Vec::new(),
            propagated: 0,
            clause: Vec::new(),
            learning: Vec::new(),
            stamps: vec![0; variables + 1],
            stamp: 0,
        }
    }

    /// Adds a clause before the search; false if the clauses are contradictory.
    fn add(&mut self, clause: &[Literal]) -> bool {
        let mut literals = std::mem::take(&mut self.clause);
        literals.clear();
        literals.extend(clause.iter().copied().filter(|&literal| self.value(literal) >= 0));
        literals.sort_unstable();
        literals.dedup();
        let tautology = literals.windows(2).any(|pair| pair[0] == !pair[1]);
        let consistent = if tautology || literals.iter().any(|&literal| self.value(literal) > 0) {
            true
        } else {
            match literals.as_slice() {
                [] => false,
                &[only] => {
                    self.assign(only, NONE);
                    self.propagate().is_none()
                }
                [..] => {
                    self.attach(&literals, 0);
                    true
                }
            }
        };
        self.clause = literals;
        consistent
    }

    /// Whether there is a model. If so, `phases` is one.
    fn search(&mut self, meter: &mut Meter<'_>) -> Result<bool, Stop> {
        // At first, variables with many occurrences are decided first; conflicts change this order
        // later.
        for literal in 0..self.watches.len() {
            let weight = f64::from(u32::try_from(self.watches[literal].len()).unwrap_or(NONE));
            self.order.activity[literal / 2] += weight;
            self.phases[literal / 2] =
                self.watches[literal & !1].len() > self.watches[literal | 1].len();
        }
        self.order.rebuild();
        let mut restarts = 0;
        loop {
            restarts += 1;
            let mut left = RESTART * luby(restarts);
            loop {
                if let Some(conflict) = self.propagate() {
                    if self.limits.is_empty() {
                        return Ok(false);
                    }
                    if let Some(stop) = meter.count() {
                        return Err(stop);
                    }
                    self.learn(conflict);
                    left = left.saturating_sub(1);
                } else if left == 0 {
                    break;
                } else if !self.decide() {
                    return Ok(true);
                }
            }
            self.undo(0);
            if self.learnt > self.keep {
                self.forget();
                self.keep += KEEP / 4;
            }
        }
    }

    fn value(&self, literal: Literal) -> i8 {
        self.values[literal.index()]
    }

    fn assign(&mut self, literal: Literal, reason: u32) {
        self.values[literal.index()] = 1;
        self.values[(!literal).index()] = -1;
        self.levels[literal.variable()] = u32::try_from(self.limits.len()).unwrap_or(NONE);
        self.reasons[literal.variable()] = reason;
        self.trail.push(literal);
    }

    /// Decides the next variable; false if all are assigned.
    fn decide(&mut self) -> bool {
        while let Some(variable) = self.order.pop() {
            let literal = Literal(variable << 1 | u32::from(!self.phases[variable as usize]));
            if self.value(literal) == 0 {
                self.limits.push(self.trail.len());
                self.assign(literal, NONE);
                return true;
            }
        }
        // The phase of a variable is normally updated when its assignment is undone. The variables
        // of a model are never undone, so their phases are updated here.
        self.trail
            .iter()
            .for_each(|literal| self.phases[literal.variable()] = !literal.is_negative());
        false
    }

    /// Unit propagation; returns a falsified clause, if there is one.
    fn propagate(&mut self) -> Option<u32> {
        while let Some(&literal) = self.trail.get(self.propagated) {
            self.propagated += 1;
            let wrong = !literal;
            let mut watches = std::mem::take(&mut self.watches[wrong.index()]);
            let (mut read, mut kept) = (0, 0);
            let mut conflict = None;
            'clauses: while read < watches.len() {
                let watch = watches[read];
                read += 1;
                if self.values[watch.blocker.index()] > 0 {
                    watches[kept] = watch;
                    kept += 1;
                    continue;
                }
                let at = watch.clause as usize;
                let start = at + HEADER;
                let end = start + self.arena[at] as usize;
                let literals = &mut self.arena[start..end];
                if literals[0] == wrong.0 {
                    literals.swap(0, 1);
                }
                let first = Literal(literals[0]);
                let watch = Watch { clause: watch.clause, blocker: first };
                if self.values[first.index()] > 0 {
                    watches[kept] = watch;
                    kept += 1;
                    continue;
                }
                for i in 2..literals.len() {
                    let other = Literal(literals[i]);
                    if self.values[other.index()] >= 0 {
                        literals.swap(1, i);
                        self.watches[other.index()].push(watch);
                        continue 'clauses;
                    }
                }
                watches[kept] = watch;
                kept += 1;
                if self.values[first.index()] < 0 {
                    conflict = Some(watch.clause);
                    break;
                }
                self.assign(first, watch.clause);
            }
            watches.copy_within(read.., kept);
            watches.truncate(watches.len() - (read - kept));
            self.watches[wrong.index()] = watches;
            if conflict.is_some() {
                self.propagated = self.trail.len();
                return conflict;
            }
        }
        None
    }

    /// Learns from a falsified clause: returns to the level at which the learnt clause forces its
    /// first literal, and assigns that.
    fn learn(&mut self, conflict: u32) {
        let current = self.limits.len();
        self.clause.clear();
        self.clause.push(Literal::FALSE);
        let (mut open, mut at, mut reason) = (0, self.trail.len(), conflict);
        let mut skip = 0;
        let first = loop {
            let start = reason as usize + HEADER;
            for i in start + skip..start + self.arena[reason as usize] as usize {
                let literal = Literal(self.arena[i]);
                let variable = literal.variable();
                if !self.seen[variable] && self.levels[variable] > 0 {
                    self.seen[variable] = true;
                    self.order.bump(variable);
                    if self.levels[variable] as usize == current {
                        open += 1;
                    } else {
                        self.clause.push(literal);
                    }
                }
            }
            // The last assigned literal of the conflict.
            let literal = loop {
                at -= 1;
                if self.seen[self.trail[at].variable()] {
                    break self.trail[at];
                }
            };
            open -= 1;
            if open == 0 {
                break !literal;
            }
            self.seen[literal.variable()] = false;
            reason = self.reasons[literal.variable()];
            // The implied literal, which is the first literal of its reason, is skipped.
            skip = 1;
        };
        self.clause[0] = first;
        let mut clause = std::mem::take(&mut self.clause);
        self.learning.clear();
        self.learning.extend_from_slice(&clause);
        let mut kept = 1;
        for i in 1..clause.len() {
            if !self.is_implied(clause[i]) {
                clause[kept] = clause[i];
                kept += 1;
            }
        }
        clause.truncate(kept);
        for literal in &self.learning {
            self.seen[literal.variable()] = false;
        }
        // The second watch is of the level to return to.
        let level = |literal: &Literal| self.levels[literal.variable()];
        let mut back = 0;
        if let Some(second) = (1..clause.len()).max_by_key(|&i| level(&clause[i])) {
            clause.swap(1, second);
            back = level(&clause[1]);
        }
        let glue = self.span(&clause);
        self.undo(back as usize);
        let reason = match clause.as_slice() {
            [_] => NONE,
            [..] => {
                self.learnt += 1;
                self.attach(&clause, glue)
            }
        };
        self.assign(clause[0], reason);
        self.order.decay();
        self.clause = clause;
    }

    /// Whether a literal of the clause being learnt follows from others in it by a single reason.
    fn is_implied(&self, literal: Literal) -> bool {
        let reason = self.reasons[literal.variable()];
        if reason == NONE {
            return false;
        }
        let start = reason as usize + HEADER;
        self.arena[start + 1..start + self.arena[reason as usize] as usize].iter().all(|&other| {
            let variable = Literal(other).variable();
            self.seen[variable] || self.levels[variable] == 0
        })
    }

    /// The number of decision levels that a clause spans (its LBD).
    fn span(&mut self, clause: &[Literal]) -> u32 {
        self.stamp += 1;
        let mut count = 0;
        for literal in clause {
            let level = self.levels[literal.variable()] as usize;
            if self.stamps[level] != self.stamp {
                self.stamps[level] = self.stamp;
                count += 1;
            }
        }
        count
    }

    /// Undoes all assignments above a level.
    fn undo(&mut self, level: usize) {
        let Some(&limit) = self.limits.get(level) else { return };
        for i in (limit..self.trail.len()).rev() {
            let literal = self.trail[i];
            self.values[literal.index()] = 0;
            self.values[(!literal).index()] = 0;
            self.phases[literal.variable()] = !literal.is_negative();
            self.order.insert(literal.variable());
        }
        self.trail.truncate(limit);
        self.limits.truncate(level);
        self.propagated = limit;
    }

    fn attach(&mut self, clause: &[Literal], glue: u32) -> u32 {
        let at = u32::try_from(self.arena.len()).expect("the budget ends a search before this");
        self.arena.push(u32::try_from(clause.len()).unwrap_or(NONE));
        self.arena.push(glue);
        self.arena.extend(clause.iter().map(|literal| literal.0));
        self.watches[clause[0].index()].push(Watch { clause: at, blocker: clause[1] });
        self.watches[clause[1].index()].push(Watch { clause: at, blocker: clause[0] });
        at
    }

    /// At level 0: deletes half of the learnt clauses, those that span the most levels, and the
    /// clauses that are true at level 0.
    fn forget(&mut self) {
        let mut glues: Vec<u32> = clauses(&self.arena).map(|at| self.arena[at + 1]).collect();
        glues.retain(|&glue| glue > GLUE);
        let half = glues.len() / 2;
        let mut budget = half;
        let limit = if half == 0 { NONE } else { *glues.select_nth_unstable(half).1 };
        let old = std::mem::take(&mut self.arena);
        self.watches.iter_mut().for_each(Vec::clear);
        self.learnt = 0;
        let mut clause = std::mem::take(&mut self.clause);
        for at in clauses(&old) {
            let glue = old[at + 1];
            if glue > GLUE && glue >= limit {
                // Of clauses that span equally many levels, the older ones are deleted.
                if glue > limit || budget > 0 {
                    budget = budget.saturating_sub(1);
                    continue;
                }
            }
            clause.clear();
            let literals = &old[at + HEADER..at + HEADER + old[at] as usize];
            clause.extend(literals.iter().map(|&literal| Literal(literal)));
            if clause.iter().any(|&literal| self.value(literal) > 0) {
                continue;
            }
            // Propagation is complete, so at least two literals are unassigned.
            clause.retain(|&literal| self.value(literal) == 0);
            self.learnt += usize::from(glue > 0);
            self.attach(&clause, glue);
        }
        self.clause = clause;
        for &literal in &self.trail {
            self.reasons[literal.variable()] = NONE;
        }
    }
}

/// The starts of the clauses of an arena.
fn clauses(arena: &[u32]) -> impl Iterator<Item = usize> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let at = next;
        let length = *arena.get(at)?;
        next += HEADER + length as usize;
        Some(at)
    })
}

/// 1, 1, 2, 1, 1, 2, 4, 1, …: Luby, Sinclair and Zuckerman, 1993.
fn luby(number: u64) -> u64 {
    let mut number = number;
    loop {
        let bits = u64::BITS - number.leading_zeros();
        if number == (1 << bits) - 1 {
            return 1 << (bits - 1);
        }
        number -= (1 << (bits - 1)) - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;

    /// A formula from numbers: a positive number is a variable, a negative one its negation.
    fn formula(variables: u32, clauses: &[Vec<i32>]) -> Formula {
        let mut formula = Formula::default();
        for _ in 0..variables {
            formula.variable();
        }
        for clause in clauses {
            formula.add_from(clause.iter().map(|&number| {
                let positive = Literal((number.unsigned_abs() - 1) << 1);
                if number > 0 { positive } else { !positive }
            }));
        }
        formula
    }

    fn holds(formula: &Formula, values: &[bool]) -> bool {
        formula.clauses().all(|clause| clause.iter().any(|literal| literal.holds(values)))
    }

    /// Whether there is a model. If so, checks that it is one.
    #[track_caller]
    fn solved(formula: &Formula) -> bool {
        let budget = Budget::default();
        let found = solve(formula, &mut Meter::new(&budget)).expect("no budget");
        assert!(found.as_ref().is_none_or(|values| holds(formula, values)), "no model");
        found.is_some()
    }

    fn random(rng: &mut fastrand::Rng, variables: u32, clauses: usize) -> Formula {
        let clause = |rng: &mut fastrand::Rng| {
            let width = if rng.usize(..20) == 0 { rng.usize(1..=6) } else { 3 };
            let literal = |rng: &mut fastrand::Rng| {
                let number = rng.i32(1..=i32::try_from(variables).unwrap());
                if rng.bool() { number } else { -number }
            };
            (0..width).map(|_| literal(rng)).collect()
        };
        let clauses: Vec<Vec<i32>> = (0..clauses).map(|_| clause(rng)).collect();
        formula(variables, &clauses)
    }

    #[test]
    fn corner_cases() {
        let check = |variables, clauses: &[&[i32]], expected| {
            let clauses: Vec<Vec<i32>> = clauses.iter().map(|clause| clause.to_vec()).collect();
            assert_eq!(solved(&formula(variables, &clauses)), expected, "{clauses:?}");
        };
        check(0, &[], true);
        check(0, &[&[]], false);
        check(3, &[], true);
        check(1, &[&[1, -1]], true);
        check(1, &[&[1, 1], &[-1]], false);
        check(2, &[&[1, 2], &[-1, 2], &[1, -2], &[-1, -2]], false);
        check(3, &[&[1], &[-1, 2], &[-2, 3], &[-3, -1]], false);
    }

    #[test]
    fn all_assignments_say_the_same() {
        let mut counts = [0, 0];
        let mut rng = fastrand::Rng::with_seed(1);
        for _ in 0..2000 {
            let variables = rng.u32(3..=10);
            let clauses = variables as usize * rng.usize(3..=6);
            let formula = random(&mut rng, variables, clauses);
            let expected = (0..1u32 << variables).any(|number| {
                let values: Vec<bool> = (0..variables).map(|i| number >> i & 1 == 1).collect();
                holds(&formula, &values)
            });
            assert_eq!(solved(&formula), expected);
            counts[usize::from(expected)] += 1;
        }
        assert!(counts.iter().all(|&count| count > 300), "{counts:?}");
    }

    /// n + 1 pigeons do not fit into n holes. This takes so many conflicts that clauses are
    /// deleted.
    #[test]
    fn forgetting_loses_no_answer() {
        let (pigeons, holes) = (9, 8);
        let at = |pigeon: i32, hole: i32| pigeon * holes + hole + 1;
        let mut clauses: Vec<Vec<i32>> =
            (0..pigeons).map(|p| (0..holes).map(|h| at(p, h)).collect()).collect();
        for hole in 0..holes {
            for one in 0..pigeons {
                clauses.extend((0..one).map(|other| vec![-at(one, hole), -at(other, hole)]));
            }
        }
        let all = formula(u32::try_from(pigeons * holes).unwrap(), &clauses);
        let budget = Budget::default();
        let mut meter = Meter::new(&budget);
        assert_eq!(solve(&all, &mut meter), Ok(None));
        assert!(meter.states() > 4000, "{}", meter.states());
    }

    #[test]
    fn luby_is_luby() {
        let first: Vec<u64> = (1..=15).map(luby).collect();
        assert_eq!(first, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }

    /// `BatSat`, a descendant of `MiniSat`, as an independent oracle.
    fn satisfiable_by_batsat(formula: &Formula) -> bool {
        use batsat::{BasicSolver, Lit, SolverInterface as _, Var, lbool};

        let mut solver = BasicSolver::default();
        let variables: Vec<Var> =
            (0..formula.variables).map(|_| solver.new_var_default()).collect();
        for clause in formula.clauses() {
            let literal = |of: &Literal| Lit::new(variables[of.variable()], !of.is_negative());
            let mut clause: Vec<Lit> = clause.iter().map(literal).collect();
            if !solver.add_clause_reuse(&mut clause) {
                return false;
            }
        }
        solver.solve_limited(&[]) == lbool::TRUE
    }

    #[test]
    fn an_independent_solver_says_the_same() {
        let mut counts = [0, 0];
        let mut rng = fastrand::Rng::with_seed(2);
        for _ in 0..200 {
            let variables = rng.u32(10..=90);
            let clauses = variables as usize * 43 / 10;
            let formula = random(&mut rng, variables, clauses);
            let answer = solved(&formula);
            assert_eq!(answer, satisfiable_by_batsat(&formula));
            counts[usize::from(answer)] += 1;
        }
        assert!(counts.iter().all(|&count| count > 30), "{counts:?}");
    }
}
