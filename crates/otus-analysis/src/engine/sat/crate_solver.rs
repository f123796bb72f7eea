//! The solver of a crate: `BatSat`, a descendant of `MiniSat`.
//!
//! A second opinion, for tests and comparisons. On random 3-SAT near the threshold it takes as long as
//! our own solver from 200 to 250 variables, and up to twice as long below, so nothing is
//! gained by asking it first.

use std::cell::{Cell, RefCell};

use batsat::{Callbacks, Lit, Solver, SolverInterface as _, SolverOpts, Var, lbool};

use super::Backend;
use super::formula::{Formula, Literal};
use crate::budget::{Meter, Stop};

/// `BatSat`.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Batsat;

impl Backend for Batsat {
    fn solve(&self, formula: &Formula, meter: &mut Meter<'_>) -> Result<Option<Vec<bool>>, Stop> {
        let metered = Metered { meter: RefCell::new(meter), stop: Cell::new(None) };
        let mut solver = Solver::new(SolverOpts::default(), metered);
        let variables: Vec<Var> =
            (0..formula.variables).map(|_| solver.new_var_default()).collect();
        let mut clause = Vec::new();
        for literals in formula.clauses() {
            clause.clear();
            let literal =
                |literal: &Literal| Lit::new(variables[literal.variable()], !literal.is_negative());
            clause.extend(literals.iter().map(literal));
            if !solver.add_clause_reuse(&mut clause) {
                return Ok(None);
            }
        }
        let answer = solver.solve_limited(&[]);
        if answer == lbool::FALSE {
            return Ok(None);
        }
        if answer != lbool::TRUE {
            return Err(solver.cb().stop.get().unwrap_or(Stop::States));
        }
        let value = |&variable: &Var| solver.value_var(variable) == lbool::TRUE;
        Ok(Some(variables.iter().map(value).collect()))
    }
}

/// Asks the budget now and then.
struct Metered<'a, 'b> {
    meter: RefCell<&'a mut Meter<'b>>,
    stop: Cell<Option<Stop>>,
}

impl Callbacks for Metered<'_, '_> {
    fn stop(&self) -> bool {
        if self.stop.get().is_none() {
            self.stop.set(self.meter.borrow_mut().count());
        }
        self.stop.get().is_some()
    }
}
