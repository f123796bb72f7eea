//! Times: whether some readings of clocks satisfy the conditions of a store on times.
//!
//! Logged times are whole nanoseconds; a time that was not logged may lie between two of them. The value of a time variable is a pair of reading and clock, so its clock is tried, too.
//! With all clocks given, a comparison across two of them with uncertainty u is
//!
//! ```text
//! time R s + d    possibly: for some d′,  certainly: for all d′,  with d − u ≤ d′ ≤ d + u
//! ```
//!
//! and `time = s` without a distance means that both are the same reading of the same clock.

use std::collections::BTreeMap;

use otus_core::Value;
use otus_core::valued::{Operand, Test};
use otus_syntax::Rational;
use otus_syntax::ast::guard::Relation;

use super::differences::{self, Condition, ZERO, at_most, equal, minus, number};
pub use super::logs::Clock;

/// A test of the time of an event.
#[derive(Debug, Clone, Copy)]
pub struct TimeTest<'a> {
    /// The slot of the time.
    pub slot: usize,
    /// The clock that shows it.
    pub clock: Clock,
    /// What must hold.
    pub test: &'a Test,
    /// The slot of its variable.
    pub variable: Option<usize>,
}

/// Conditions on numbered slots.
#[derive(Debug, Clone, Default)]
pub struct Times<'a> {
    /// By slot: its reading, if it is known.
    pub slots: Vec<Option<i64>>,
    /// The slots of variables, and the clocks that each can be on.
    pub variables: Vec<(usize, Vec<Clock>)>,
    /// The tests.
    pub tests: Vec<TimeTest<'a>>,
    /// Pairs of slots on one clock of which the first is not later.
    pub ascending: Vec<(usize, usize)>,
    /// Pairs of variables with different values.
    pub different: Vec<(usize, usize)>,
    /// The uncertainty between two clocks, if it is known.
    pub uncertainty: Option<i64>,
    /// Whether comparisons across clocks must hold certainly.
    pub is_certain: bool,
}

/// By variable: its clock.
type Clocks = BTreeMap<usize, Clock>;

/// A pair of slots between which a relation must hold, with their clocks.
#[derive(Debug, Clone, Copy)]
struct Comparison {
    relation: Relation,
    x: usize,
    y: usize,
    distance: Rational,
    clocks: (Clock, Clock),
    /// Whether it is `time = s`.
    sets: bool,
}

impl Times<'_> {
    /// Whether some times satisfy all conditions: times of a finite set if one is given, otherwise any. `None` if the work is
    /// more than what is left.
    pub fn is_satisfiable(&self, finite: Option<&[i64]>, left: &mut usize) -> Option<bool> {
        self.try_clocks(&self.variables, &mut Clocks::new(), finite, left)
    }

    fn try_clocks(
        &self,
        open: &[(usize, Vec<Clock>)],
        clocks: &mut Clocks,
        finite: Option<&[i64]>,
        left: &mut usize,
    ) -> Option<bool> {
        let [(variable, allowed), rest @ ..] = open else {
            return match finite {
                None => self.by_differences(clocks, left),
                Some(readings) => {
                    self.try_readings(clocks, readings, &mut self.slots.clone(), left)
                }
            };
        };
        for &clock in allowed {
            // `time = s` leaves no choice.
            let differs = |test: &TimeTest<'_>| {
                test.variable == Some(*variable) && test.clock != clock && sets(test.test)
            };
            if self.tests.iter().any(differs) {
                continue;
            }
            clocks.insert(*variable, clock);
            if self.try_clocks(rest, clocks, finite, left)? {
                return Some(true);
            }
        }
        clocks.remove(variable);
        Some(false)
    }

    /// All comparisons of two slots; `None` if a test compares with what is no time.
    fn comparisons(&self, clocks: &Clocks) -> Option<Vec<Comparison>> {
        let mut found = Vec::new();
        for test in &self.tests {
            if let Test::Compare(relation, Operand::Variable(_, distance)) = test.test {
                let y = test.variable?;
                found.push(Comparison {
                    relation: *relation,
                    x: test.slot,
                    y,
                    distance: *distance,
                    clocks: (test.clock, *clocks.get(&y)?),
                    sets: sets(test.test),
                });
            }
        }
        for &(x, y) in &self.different {
            // Readings differ, whatever their clocks are.
            let clock = *clocks.get(&x)?;
            found.push(Comparison {
                relation: Relation::NotEqual,
                x,
                y,
                distance: Rational::from(0),
                clocks: (clock, clock),
                sets: false,
            });
        }
        Some(found)
    }

    /// All numbers are unknowns of a system of differences.
    fn by_differences(&self, clocks: &Clocks, left: &mut usize) -> Option<bool> {
        let mut conditions = Vec::new();
        for (slot, reading) in self.slots.iter().enumerate() {
            if let Some(reading) = reading {
                conditions.extend(equal(slot + 1, ZERO, Rational::from(*reading)));
            }
        }
        for &(x, y) in &self.ascending {
            conditions.push(at_most(x + 1, y + 1, Rational::from(0), false));
        }
        for test in &self.tests {
            match test.test {
                Test::In(values) => {
                    let values = values.iter().filter_map(number).collect();
                    conditions.push(Condition::OneOf { x: test.slot + 1, values });
                }
                Test::Compare(relation, Operand::Constant(value)) => match number(value) {
                    Some(c) => conditions.extend(possibly(*relation, test.slot + 1, ZERO, c, 0)),
                    None if relation.holds(None) => {}
                    None => return Some(false),
                },
                Test::Matches(_) => return Some(false),
                Test::Compare(_, Operand::Variable(..)) => {}
            }
        }
        for comparison in self.comparisons(clocks)? {
            let Comparison { relation, x, y, distance, clocks: (own, other), sets } = comparison;
            if sets {
                if own != other {
                    return Some(false);
                }
                conditions.extend(equal(x + 1, y + 1, distance));
                continue;
            }
            match (own.uncertainty(other, self.uncertainty), self.is_certain) {
                (None, true) => return Some(false),
                (None, false) => {}
                (Some(u), false) => {
                    conditions.extend(possibly(relation, x + 1, y + 1, distance, u));
                }
                (Some(u), true) => {
                    let Some(more) = certainly(relation, x + 1, y + 1, distance, u) else {
                        return Some(false);
                    };
                    conditions.extend(more);
                }
            }
        }
        differences::is_satisfiable(self.slots.len() + 1, &conditions, left)
    }

    /// All readings of a finite set are tried.
    fn try_readings(
        &self,
        clocks: &Clocks,
        readings: &[i64],
        slots: &mut Vec<Option<i64>>,
        left: &mut usize,
    ) -> Option<bool> {
        *left = left.checked_sub(1)?;
        if !self.hold(clocks, slots)? {
            return Some(false);
        }
        let needed = |slot: &usize| {
            slots[*slot].is_none()
                && (self.variables.iter().any(|(variable, _)| variable == slot)
                    || self.tests.iter().any(|test| test.slot == *slot))
        };
        let Some(open) = (0..slots.len()).find(needed) else { return Some(true) };
        for &reading in readings {
            slots[open] = Some(reading);
            let found = self.try_readings(clocks, readings, slots, left);
            slots[open] = None;
            if found? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Whether all conditions on known readings hold.
    fn hold(&self, clocks: &Clocks, slots: &[Option<i64>]) -> Option<bool> {
        let ascends = |&(x, y): &(usize, usize)| match (slots[x], slots[y]) {
            (Some(first), Some(second)) => first <= second,
            _ => true,
        };
        let constant = |test: &TimeTest<'_>| match (test.test, slots[test.slot]) {
            (Test::Compare(_, Operand::Variable(..)), _) | (_, None) => true,
            (test, Some(reading)) => test.holds(&Value::integer(reading), None),
        };
        let compares = |comparison: &Comparison| {
            let &Comparison { relation, x, y, distance, clocks: (own, other), sets } = comparison;
            let (Some(time), Some(anchor)) = (slots[x], slots[y]) else { return true };
            if sets {
                return own == other && time == anchor;
            }
            holds_across(
                relation,
                time,
                anchor,
                distance,
                own.uncertainty(other, self.uncertainty),
                self.is_certain,
            )
        };
        Some(
            self.ascending.iter().all(ascends)
                && self.tests.iter().all(constant)
                && self.comparisons(clocks)?.iter().all(compares),
        )
    }
}

/// Whether a test is `time = s`.
pub(crate) fn sets(test: &Test) -> bool {
    matches!(test, Test::Compare(Relation::Equal, Operand::Variable(_, distance))
        if *distance == Rational::from(0))
}

/// Whether `time R anchor + d` holds for some or for all d at most the uncertainty away from the distance. By the letter: all
/// whole distances are tried.
pub fn holds_across(
    relation: Relation,
    time: i64,
    anchor: i64,
    distance: Rational,
    uncertainty: Option<i64>,
    is_certain: bool,
) -> bool {
    let Some(u) = uncertainty else { return !is_certain };
    let holds = |error: i64| {
        let sum = Rational::from(anchor).checked_add(distance);
        let sum = sum.and_then(|sum| sum.checked_add(Rational::from(error)));
        sum.is_some_and(|sum| relation.holds(Some(Rational::from(time).cmp(&sum))))
    };
    if is_certain { (-u..=u).all(holds) } else { (-u..=u).any(holds) }
}

/// x − y R c′ for some c′ with |c′ − c| ≤ u
fn possibly(relation: Relation, x: usize, y: usize, c: Rational, u: i64) -> Vec<Condition> {
    let (low, high) = around(c, u);
    match relation {
        Relation::Equal => vec![at_most(x, y, high, false), at_most(y, x, minus(low), false)],
        Relation::NotEqual if u > 0 => Vec::new(),
        Relation::NotEqual => vec![Condition::Outside { x, y, low: c, high: c }],
        Relation::Less => vec![at_most(x, y, high, true)],
        Relation::LessEqual => vec![at_most(x, y, high, false)],
        Relation::Greater => vec![at_most(y, x, minus(low), true)],
        Relation::GreaterEqual => vec![at_most(y, x, minus(low), false)],
    }
}

/// x − y R c′ for all c′ with |c′ − c| ≤ u; `None` if that is impossible.
fn certainly(
    relation: Relation,
    x: usize,
    y: usize,
    c: Rational,
    u: i64,
) -> Option<Vec<Condition>> {
    let (low, high) = around(c, u);
    Some(match relation {
        Relation::Equal if u > 0 => return None,
        Relation::Equal => equal(x, y, c).to_vec(),
        Relation::NotEqual => vec![Condition::Outside { x, y, low, high }],
        Relation::Less => vec![at_most(x, y, low, true)],
        Relation::LessEqual => vec![at_most(x, y, low, false)],
        Relation::Greater => vec![at_most(y, x, minus(high), true)],
        Relation::GreaterEqual => vec![at_most(y, x, minus(high), false)],
    })
}

/// c − u and c + u
fn around(c: Rational, u: i64) -> (Rational, Rational) {
    let u = Rational::from(u);
    (c.checked_sub(u).unwrap_or(c), c.checked_add(u).unwrap_or(c))
}
