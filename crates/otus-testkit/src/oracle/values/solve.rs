//! Values: whether some values satisfy the conditions of a store on all fields but times.
//!
//! Over a finite set of values, all are tried. Over all values, an unknown is tried as each truth value, as each text of a
//! set that is large enough, and as *some number*; what must then hold between numbers is a system of
//! [`differences`].
//!
//! The set of texts has all texts of the conditions; below each of them, above it, and for each pattern, as many more as there
//! are unknowns. Conditions tell texts apart by these only, as long as no pattern is met together with an order on texts that
//! share its beginning.

use otus_core::Value;
use otus_core::valued::{Operand, Test, plus};
use otus_syntax::Rational;
use otus_syntax::ast::guard::Relation;

use super::differences::{self, Condition, ZERO, at_most, equal, minus, number};

/// Conditions on numbered slots.
#[derive(Debug, Clone, Default)]
pub struct Values<'a> {
    /// By slot: its value, if it is known.
    pub slots: Vec<Option<Value>>,
    /// The slots that need a value.
    pub relevant: Vec<usize>,
    /// The tests: slot, test, slot of its variable.
    pub tests: Vec<(usize, &'a Test, Option<usize>)>,
    /// The pairs of slots with different values.
    pub different: Vec<(usize, usize)>,
}

/// What is tried for an unknown.
#[derive(Debug, Clone)]
enum Guess {
    Is(Value),
    SomeNumber,
}

impl Values<'_> {
    /// Whether what follows from known values by `=` contradicts a condition. It is only a way to give up early.
    pub fn is_contradictory(&self) -> bool {
        let mut values = self.clone();
        values.propagate();
        values.is_refuted()
    }

    /// Whether some values satisfy all conditions: values of a finite set if one is given, otherwise any. `None` if the work
    /// is more than what is left.
    pub fn is_satisfiable(
        &self,
        constants: &[Value],
        finite: Option<&[Value]>,
        left: &mut usize,
    ) -> Option<bool> {
        if let Some(domain) = finite {
            let guesses: Vec<Guess> = domain.iter().cloned().map(Guess::Is).collect();
            return self.clone().try_all(&guesses, &mut Vec::new(), left);
        }
        let mut values = self.clone();
        values.propagate();
        let mut guesses = vec![
            Guess::SomeNumber,
            Guess::Is(Value::Boolean(false)),
            Guess::Is(Value::Boolean(true)),
        ];
        let texts = values.texts(constants);
        guesses.extend(texts.into_iter().map(|text| Guess::Is(Value::Text(text.as_str().into()))));
        values.try_all(&guesses, &mut Vec::new(), left)
    }

    /// Puts the values that `=` forces.
    fn propagate(&mut self) {
        loop {
            let mut forced = None;
            for &(slot, test, variable) in &self.tests {
                let Test::Compare(Relation::Equal, operand) = test else { continue };
                let found = match (operand, &self.slots[slot], variable) {
                    (Operand::Constant(value), None, _) => Some((slot, value.clone())),
                    (Operand::Variable(_, offset), None, Some(variable)) => {
                        let value = self.slots[variable].as_ref();
                        value.and_then(|value| plus(value, *offset)).map(|value| (slot, value))
                    }
                    (Operand::Variable(_, offset), Some(value), Some(variable))
                        if self.slots[variable].is_none() =>
                    {
                        plus(value, minus(*offset)).map(|value| (variable, value))
                    }
                    (Operand::Constant(_) | Operand::Variable(..), _, _) => None,
                };
                if found.is_some() {
                    forced = found;
                    break;
                }
            }
            let Some((slot, value)) = forced else { return };
            self.slots[slot] = Some(value);
        }
    }

    /// Whether a condition on known values does not hold.
    fn is_refuted(&self) -> bool {
        let fails = |&(slot, test, variable): &(usize, &Test, Option<usize>)| {
            let Some(value) = &self.slots[slot] else { return false };
            match variable {
                None => !test.holds(value, None),
                Some(variable) => self.slots[variable]
                    .as_ref()
                    .is_some_and(|known| !test.holds(value, Some(known))),
            }
        };
        let same =
            |&(x, y): &(usize, usize)| self.slots[x].is_some() && self.slots[x] == self.slots[y];
        self.tests.iter().any(fails) || self.different.iter().any(same)
    }

    /// Tries all guesses for all unknowns. `numbers` are the unknowns that are some number.
    fn try_all(
        &mut self,
        guesses: &[Guess],
        numbers: &mut Vec<usize>,
        left: &mut usize,
    ) -> Option<bool> {
        *left = left.checked_sub(1)?;
        if self.is_refuted() {
            return Some(false);
        }
        let is_open = |slot: &&usize| self.slots[**slot].is_none() && !numbers.contains(slot);
        let Some(&open) = self.relevant.iter().find(is_open) else {
            return self.with_numbers(numbers, left);
        };
        for guess in guesses {
            let found = match guess {
                Guess::Is(value) => {
                    self.slots[open] = Some(value.clone());
                    let found = self.try_all(guesses, numbers, left);
                    self.slots[open] = None;
                    found
                }
                Guess::SomeNumber => {
                    numbers.push(open);
                    let found = self.try_all(guesses, numbers, left);
                    numbers.pop();
                    found
                }
            };
            if found? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Whether some numbers for these slots, with the known values of all others, satisfy all conditions.
    fn with_numbers(&self, numbers: &[usize], left: &mut usize) -> Option<bool> {
        if numbers.is_empty() {
            return Some(true);
        }
        // An unknown number, a known one, or no number.
        let term = |slot: usize| -> Option<(usize, Rational)> {
            match numbers.iter().position(|&number| number == slot) {
                Some(at) => Some((at + 1, Rational::from(0))),
                None => self.slots[slot].as_ref().and_then(number).map(|value| (ZERO, value)),
            }
        };
        let mut conditions = Vec::new();
        for &(slot, test, variable) in &self.tests {
            let concerned = |slot: usize| numbers.contains(&slot);
            if !concerned(slot) && !variable.is_some_and(concerned) {
                continue;
            }
            let own = term(slot);
            match test {
                Test::In(values) => {
                    let Some((x, _)) = own else { continue };
                    let values = values.iter().filter_map(number).collect();
                    conditions.push(Condition::OneOf { x, values });
                }
                Test::Matches(_) => return Some(false),
                Test::Compare(relation, operand) => {
                    let other = match (operand, variable) {
                        (Operand::Constant(value), _) => number(value).map(|value| (ZERO, value)),
                        (Operand::Variable(_, offset), Some(variable)) => {
                            term(variable).and_then(|(y, c)| Some((y, c.checked_add(*offset)?)))
                        }
                        (Operand::Variable(..), None) => None,
                    };
                    match (own, other) {
                        (Some((x, c)), Some((y, d))) => {
                            // x + c R y + d
                            let distance = d.checked_sub(c)?;
                            conditions.extend(compare(*relation, x, y, distance));
                        }
                        // Values of different kinds are different and not ordered.
                        _ if relation.holds(None) => {}
                        _ => return Some(false),
                    }
                }
            }
        }
        for &(first, second) in &self.different {
            if let (Some((x, c)), Some((y, d))) = (term(first), term(second)) {
                let distance = d.checked_sub(c)?;
                conditions.extend(compare(Relation::NotEqual, x, y, distance));
            }
        }
        differences::is_satisfiable(numbers.len() + 1, &conditions, left)
    }

    /// Texts that are enough for these conditions.
    fn texts(&self, constants: &[Value]) -> Vec<String> {
        let mut known: Vec<&str> = Vec::new();
        for value in constants.iter().chain(self.slots.iter().flatten()) {
            if let Value::Text(text) = value
                && !known.contains(&&**text)
            {
                known.push(text);
            }
        }
        let unknowns = self.slots.iter().filter(|slot| slot.is_none()).count();
        let has_texts = !known.is_empty()
            || self.tests.iter().any(|(_, test, _)| matches!(test, Test::Matches(_)));
        let mut texts: Vec<String> = Vec::new();
        if !has_texts {
            // Texts are then as good as numbers.
            return texts;
        }
        let has_order = self.tests.iter().any(|(_, test, _)| {
            matches!(test, Test::Compare(relation, _)
                if !matches!(relation, Relation::Equal | Relation::NotEqual))
        });
        for text in known {
            texts.push(text.to_owned());
            for more in (1..=unknowns).filter(|_| has_order) {
                texts.push(format!("{text}\u{1}{more}"));
                let mut below = text.to_owned();
                if let Some(last) = below.pop() {
                    let last = u32::from(last).checked_sub(1).and_then(char::from_u32);
                    texts.push(format!("{below}{}\u{10ffff}{more}", last.unwrap_or('\0')));
                }
            }
        }
        for (_, test, _) in &self.tests {
            if let Test::Matches(pattern) = test {
                texts.push(pattern.replace('*', "").replace('?', "x"));
                for more in 1..=unknowns {
                    texts.push(pattern.replace('*', &format!("new{more}")).replace('?', "x"));
                }
            }
        }
        texts.extend((1..=unknowns).map(|more| format!("new{more}")));
        texts.sort();
        texts.dedup();
        texts
    }
}

/// x − y R c
fn compare(relation: Relation, x: usize, y: usize, c: Rational) -> Vec<Condition> {
    match relation {
        Relation::Equal => equal(x, y, c).to_vec(),
        Relation::NotEqual => vec![Condition::Outside { x, y, low: c, high: c }],
        Relation::Less => vec![at_most(x, y, c, true)],
        Relation::LessEqual => vec![at_most(x, y, c, false)],
        Relation::Greater => vec![at_most(y, x, minus(c), true)],
        Relation::GreaterEqual => vec![at_most(y, x, minus(c), false)],
    }
}
