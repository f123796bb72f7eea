//! Draws a value that satisfies the atoms of a field.
//!
//! [`Wish`] collects what is known of the value: constants, the values of variables, and the conditions on a variable that
//! is still open. A draw is a proposal: whoever asks for it tests the guard with it, and draws again if it does not hold.
//! So a draw that misses costs time, and never makes a wrong event.

use otus_core::Value;
use otus_core::value::Kind;
use otus_core::valued::{Atom, Operand, Test, plus};
use otus_syntax::Rational;
use otus_syntax::ast::guard::Relation;

use super::condition::{Condition, Open, Requirement};
use super::event::{Firing, Register};
use super::expr::Var;

/// What is known of a value.
#[derive(Debug, Default)]
pub(super) struct Wish {
    /// The only value that can be right.
    exact: Option<Value>,
    one_of: Option<Box<[Value]>>,
    pattern: Option<Box<str>>,
    /// The value is not below, or not above, this one; the flag says whether it may be equal.
    least: Option<(Value, bool)>,
    most: Option<(Value, bool)>,
}

impl Wish {
    /// What the atoms of one field ask for, in a state.
    pub(super) fn new(
        atoms: &[&Atom],
        firing: &Firing<'_>,
        var: impl Fn(&Atom) -> Option<Var>,
    ) -> Wish {
        let mut wish = Wish::default();
        for atom in atoms {
            match &atom.test {
                Test::In(values) => wish.one_of = Some(values.clone()),
                Test::Matches(pattern) => wish.pattern = Some(pattern.clone()),
                Test::Compare(relation, Operand::Constant(value)) => {
                    wish.compare(*relation, value.clone());
                }
                Test::Compare(relation, Operand::Variable(_, offset)) => {
                    match var(atom).map(|var| firing.register(var)) {
                        Some(Register::Known(value)) => {
                            if let Some(value) = plus(value, *offset) {
                                wish.compare(*relation, value);
                            }
                        }
                        Some(Register::Open(open, _)) if *relation == Relation::Equal => {
                            wish.conditions(&firing.memory.conditions, *open, *offset);
                        }
                        Some(Register::Open(..) | Register::Missing | Register::Set(_)) | None => {}
                    }
                }
            }
        }
        wish
    }

    /// The value is that of an open variable with a number added.
    fn conditions(&mut self, conditions: &[Condition], open: Open, offset: Rational) {
        for condition in conditions.iter().filter(|condition| condition.on == open) {
            match &condition.test {
                Requirement::Constant(relation, value) => {
                    if let Some(value) = plus(value, offset) {
                        self.compare(*relation, value);
                    }
                }
                Requirement::In(values) => self.one_of = Some(values.clone()),
                Requirement::Matches(pattern) => self.pattern = Some(pattern.clone()),
                Requirement::Variable(..) => {}
            }
        }
    }

    fn compare(&mut self, relation: Relation, value: Value) {
        let is_tighter = |old: &Option<(Value, bool)>, new: &Value, wanted| {
            old.as_ref().is_none_or(|(old, _)| new.compare(old) == Some(wanted))
        };
        match relation {
            Relation::Equal => self.exact = Some(value),
            Relation::NotEqual => {}
            Relation::Less | Relation::LessEqual => {
                if is_tighter(&self.most, &value, std::cmp::Ordering::Less) {
                    self.most = Some((value, relation == Relation::LessEqual));
                }
            }
            Relation::Greater | Relation::GreaterEqual => {
                if is_tighter(&self.least, &value, std::cmp::Ordering::Greater) {
                    self.least = Some((value, relation == Relation::GreaterEqual));
                }
            }
        }
    }

    /// A value of a field other than the time. Values without any bound are numbers up to `variety`.
    pub(super) fn draw(&self, random: &mut fastrand::Rng, variety: i64) -> Value {
        if let Some(value) = &self.exact {
            return value.clone();
        }
        if let Some(value) = self.one_of.as_ref().and_then(|values| random.choice(&**values)) {
            return value.clone();
        }
        if let Some(pattern) = &self.pattern {
            return Value::Text(instance(pattern, random).into());
        }
        let bound = self.least.as_ref().or(self.most.as_ref()).map(|(value, _)| value.kind());
        match bound {
            None => Value::integer(random.i64(1..=variety.max(1))),
            Some(Kind::Number) => self.number(random, variety),
            Some(Kind::Text) => self.text(random),
            Some(Kind::Boolean) => Value::Boolean(random.bool()),
        }
    }

    fn number(&self, random: &mut fastrand::Rng, variety: i64) -> Value {
        let of = |bound: &Option<(Value, bool)>| match bound {
            Some((Value::Number(number), _)) => Some(*number),
            Some((Value::Text(_) | Value::Boolean(_), _)) | None => None,
        };
        let (least, most) = (of(&self.least), of(&self.most));
        let far = Rational::from(random.i64(0..=variety.max(1)));
        let drawn = match (least, most) {
            (Some(least), Some(most)) => between(random, least, most),
            (Some(least), None) => least.checked_add(far),
            (None, Some(most)) => most.checked_sub(far),
            (None, None) => None,
        };
        Value::Number(drawn.or(least).or(most).unwrap_or(far))
    }

    fn text(&self, random: &mut fastrand::Rng) -> Value {
        let text = match (&self.least, &self.most) {
            (Some((Value::Text(least), _)), _) => {
                let more = if random.bool() { "a" } else { "" };
                format!("{least}{more}")
            }
            (_, Some((Value::Text(most), _))) => {
                let kept = random.usize(..=most.chars().count());
                most.chars().take(kept).collect()
            }
            _ => String::new(),
        };
        Value::Text(text.into())
    }

    /// A time in nanoseconds, not before `earliest`: `wanted` if the bounds allow it, else the nearest time that they
    /// do.
    pub(super) fn time(&self, earliest: i64, wanted: i64) -> i64 {
        // A bound between two whole nanoseconds is rounded inwards.
        let whole = |bound: &Option<(Value, bool)>, up: bool| {
            let Some((Value::Number(number), may_equal)) = bound else { return None };
            let (above, below) = (number.numerator(), number.denominator());
            let floor = above.div_euclid(below);
            let is_whole = above.rem_euclid(below) == 0;
            Some(match (up, is_whole, may_equal) {
                (_, true, true) | (false, false, _) => floor,
                (true, _, _) => floor.saturating_add(1),
                (false, true, false) => floor.saturating_sub(1),
            })
        };
        if let Some(Value::Number(number)) = &self.exact
            && let Some(exact) = number.integer()
        {
            return exact;
        }
        let (least, most) = (whole(&self.least, true), whole(&self.most, false));
        let time = wanted.max(least.unwrap_or(i64::MIN)).min(most.unwrap_or(i64::MAX));
        time.max(earliest)
    }
}

/// A number between two others: a whole one, if there is one.
fn between(random: &mut fastrand::Rng, least: Rational, most: Rational) -> Option<Rational> {
    let floor = |number: Rational| number.numerator().div_euclid(number.denominator());
    let (low, high) = (floor(least).saturating_add(1), floor(most));
    if low < high {
        // An end of the interval is as good as any other value, where it belongs to it.
        return Some(match random.u8(..8) {
            0 => least,
            1 => most,
            _ => Rational::from(random.i64(low..=high)),
        });
    }
    match random.u8(..3) {
        0 => Some(least),
        1 => Some(most),
        _ => least.checked_add(most)?.checked_mul(Rational::new(1, 2)?),
    }
}

/// A text that a pattern describes.
fn instance(pattern: &str, random: &mut fastrand::Rng) -> String {
    let mut text = String::new();
    for sign in pattern.chars() {
        match sign {
            '*' => {
                for _ in 0..random.usize(..=3) {
                    text.push(random.lowercase());
                }
            }
            '?' => text.push(random.lowercase()),
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use otus_core::valued::matches;

    use super::*;

    fn wish(bounds: &[(Relation, Value)]) -> Wish {
        let mut wish = Wish::default();
        for (relation, value) in bounds {
            wish.compare(*relation, value.clone());
        }
        wish
    }

    #[test]
    fn patterns_have_instances() {
        let mut random = fastrand::Rng::with_seed(1);
        for pattern in ["", "*", "plant/*", "?x?", "**", "é?*"] {
            for _ in 0..20 {
                assert!(matches(pattern, &instance(pattern, &mut random)), "{pattern}");
            }
        }
    }

    #[test]
    fn numbers_lie_within_their_bounds_soon() {
        let mut random = fastrand::Rng::with_seed(2);
        let half = Rational::new(1, 2).unwrap();
        for (least, most) in [(3, 5), (3, 4), (-7, -7)] {
            let (low, high) = (Value::integer(least), Value::integer(most));
            let wish =
                wish(&[(Relation::GreaterEqual, low.clone()), (Relation::LessEqual, high.clone())]);
            for _ in 0..20 {
                let drawn = wish.draw(&mut random, 10);
                assert!(drawn.compare(&low).is_some_and(std::cmp::Ordering::is_ge));
                assert!(drawn.compare(&high).is_some_and(std::cmp::Ordering::is_le));
            }
        }
        // Strictly between 0 and 1/2.
        let wish =
            wish(&[(Relation::Greater, Value::integer(0)), (Relation::Less, Value::Number(half))]);
        let found = (0..20).map(|_| wish.draw(&mut random, 10));
        let quarter = Value::Number(Rational::new(1, 4).unwrap());
        assert!(found.into_iter().any(|drawn| drawn == quarter));
    }

    #[test]
    fn times_are_as_wanted_unless_bounds_say_otherwise() {
        assert_eq!(wish(&[]).time(5, 8), 8);
        let least = (Relation::Greater, Value::integer(10));
        let most = (Relation::LessEqual, Value::integer(12));
        assert_eq!(wish(std::slice::from_ref(&least)).time(5, 8), 11);
        assert_eq!(wish(std::slice::from_ref(&most)).time(5, 20), 12);
        assert_eq!(wish(&[least, most]).time(5, 20), 12);
        assert_eq!(wish(&[(Relation::Equal, Value::integer(7))]).time(5, 20), 7);
    }
}
