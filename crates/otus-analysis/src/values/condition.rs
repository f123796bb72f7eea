//! Conditions on open variables: those whose value no event has told yet.
//!
//! A condition compares a variable with a constant or with another variable plus a number, or says that its value is one of
//! a set or matches a pattern. [`satisfiable`] decides a conjunction of them.
//!
//! *Numbers* are rational, so differences `x − y ≤ d` are decided by shortest paths, and a disequality `x ≠ y + d`
//! fails only if the differences force the equality: the solutions are a convex set, and finitely many hyperplanes cover
//! such a set only if one of them contains it. *Texts and truth values* are tried one by one, over the constants and
//! enough others; if only that fails and texts are compared by `<` or by patterns, the answer is unknown. Finite sets are
//! branched over, which makes the problem NP-hard (three colours); the work is bounded.

use std::borrow::Cow;
use std::cmp::Ordering;

use otus_core::Value;
use otus_core::value::Kind;
use otus_core::valued::{matches, plus};
use otus_syntax::Rational;
use otus_syntax::ast::guard::Relation;

/// An open variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Open(pub(crate) u32);

/// A condition on an open variable.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Condition {
    pub(crate) on: Open,
    pub(crate) test: Requirement,
}

/// What must hold of an open variable.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Requirement {
    Constant(Relation, Value),
    Variable(Relation, Open, Rational),
    In(Box<[Value]>),
    Matches(Box<str>),
}

impl Condition {
    /// The variables of the condition.
    pub(crate) fn variables(&self) -> impl Iterator<Item = Open> {
        let other = match self.test {
            Requirement::Variable(_, other, _) => Some(other),
            Requirement::Constant(..) | Requirement::In(_) | Requirement::Matches(_) => None,
        };
        std::iter::once(self.on).chain(other)
    }

    /// The condition with its variables renamed.
    pub(crate) fn renamed(&self, name: impl Fn(Open) -> Open) -> Condition {
        let test = match &self.test {
            Requirement::Variable(relation, other, offset) => {
                Requirement::Variable(*relation, name(*other), *offset)
            }
            Requirement::Constant(..) | Requirement::In(_) | Requirement::Matches(_) => {
                self.test.clone()
            }
        };
        Condition { on: name(self.on), test }
    }

    /// Whether the condition holds of an assignment; `None` if a variable has no value.
    pub(super) fn holds(&self, value: impl Fn(Open) -> Option<Value>) -> Option<bool> {
        let own = value(self.on)?;
        Some(match &self.test {
            Requirement::Constant(relation, constant) => relation.holds(own.compare(constant)),
            Requirement::Variable(relation, other, offset) => {
                let other = plus(&value(*other)?, *offset);
                relation.holds(other.and_then(|other| own.compare(&other)))
            }
            Requirement::In(values) => values.contains(&own),
            Requirement::Matches(pattern) => {
                matches!(&own, Value::Text(text) if matches(pattern, text))
            }
        })
    }
}

/// The most work of one decision, in conditions that are looked at.
const WORK: u64 = 16_000_000;

/// Whether some values satisfy all conditions; `None` if that takes too much work, or needs more about texts than is known
/// here.
pub(crate) fn satisfiable(conditions: &[Condition]) -> Option<bool> {
    satisfiable_counted(conditions, &mut 0)
}

/// The same. Adds the work that it took, in conditions that were looked at.
pub(crate) fn satisfiable_counted(conditions: &[Condition], work: &mut u64) -> Option<bool> {
    let conditions = &*relevant(conditions);
    if conditions.is_empty() {
        return Some(true);
    }
    let mut problem = Problem::new(conditions, false);
    let found = problem.choose_kinds(0);
    *work += WORK - problem.left;
    found
}

/// Values of the variables that satisfy all conditions; `None` if there are none, or they are not found.
pub(super) fn model(conditions: &[Condition]) -> Option<Vec<(Open, Value)>> {
    let mut problem = Problem::new(conditions, true);
    if problem.choose_kinds(0) != Some(true) {
        return None;
    }
    let Problem { variables, model, .. } = problem;
    let found = variables.into_iter().zip(model);
    let found = found.map(|(open, value)| Some((open, value?))).collect::<Option<Vec<_>>>()?;
    let value = |open: Open| {
        let at = found.binary_search_by_key(&open, |(open, _)| *open).ok()?;
        Some(found[at].1.clone())
    };
    conditions.iter().all(|condition| condition.holds(value) == Some(true)).then_some(found)
}

/// The conditions without those on variables that only have to be different from others: there are infinitely many
/// values, so such a variable can have one that nothing else has.
fn relevant(conditions: &[Condition]) -> Cow<'_, [Condition]> {
    let mut left = Cow::Borrowed(conditions);
    loop {
        let is_free = |variable: Open| {
            left.iter().filter(|condition| condition.variables().any(|own| own == variable)).all(
                |condition| match condition.test {
                    Requirement::Constant(relation, _) => relation == Relation::NotEqual,
                    Requirement::Variable(relation, other, _) => {
                        relation == Relation::NotEqual && other != condition.on
                    }
                    Requirement::In(_) | Requirement::Matches(_) => false,
                },
            )
        };
        let mut free: Vec<Open> = left.iter().flat_map(Condition::variables).collect();
        free.sort_unstable();
        free.dedup();
        free.retain(|&variable| is_free(variable));
        if free.is_empty() {
            return left;
        }
        left.to_mut()
            .retain(|condition| !condition.variables().any(|own| free.binary_search(&own).is_ok()));
    }
}

struct Problem<'c> {
    conditions: &'c [Condition],
    variables: Vec<Open>,
    kinds: Vec<Option<Kind>>,
    /// By variable: whether it may be a text, and a truth value.
    allowed: Vec<[bool; 2]>,
    /// The work that may still be done.
    left: u64,
    /// Whether values are asked for, and those found.
    wants_model: bool,
    model: Vec<Option<Value>>,
}

impl<'c> Problem<'c> {
    fn new(conditions: &'c [Condition], wants_model: bool) -> Self {
        let mut variables: Vec<Open> = conditions.iter().flat_map(Condition::variables).collect();
        variables.sort_unstable();
        variables.dedup();
        let count = variables.len();
        let mut problem = Problem {
            conditions,
            variables,
            kinds: vec![None; count],
            allowed: Vec::new(),
            left: WORK,
            wants_model,
            model: vec![None; count],
        };
        problem.allowed = problem.find_allowed();
        problem
    }
}

impl Problem<'_> {
    /// Counts one look at all conditions; `None` if that was too much.
    fn count(&mut self) -> Option<()> {
        let all = u64::try_from(self.conditions.len()).unwrap_or(u64::MAX);
        self.left = self.left.checked_sub(all.saturating_add(1))?;
        Some(())
    }

    fn at(&self, variable: Open) -> usize {
        self.variables.binary_search(&variable).unwrap_or(0)
    }

    /// The kinds besides numbers that are worth trying: what has no solution in numbers has none in another ordered set,
    /// unless a constant of that set is mentioned.
    fn find_allowed(&self) -> Vec<[bool; 2]> {
        let mut allowed = vec![[false; 2]; self.variables.len()];
        let mut note = |at: usize, value: &Value| match value.kind() {
            Kind::Text => allowed[at][0] = true,
            Kind::Boolean => allowed[at][1] = true,
            Kind::Number => {}
        };
        for condition in self.conditions {
            let at = self.at(condition.on);
            match &condition.test {
                Requirement::Constant(_, value) => note(at, value),
                Requirement::In(values) => values.iter().for_each(|value| note(at, value)),
                Requirement::Matches(_) => note(at, &Value::Text("".into())),
                Requirement::Variable(..) => {}
            }
        }
        // Compared variables have one kind.
        loop {
            let before = allowed.clone();
            for condition in self.conditions {
                if let Requirement::Variable(_, other, _) = condition.test {
                    let (one, other) = (self.at(condition.on), self.at(other));
                    let [a, b] = [allowed[one], allowed[other]];
                    let either = [a[0] || b[0], a[1] || b[1]];
                    (allowed[one], allowed[other]) = (either, either);
                }
            }
            if allowed == before {
                return allowed;
            }
        }
    }

    /// Tries the kinds of the variables from an index on.
    fn choose_kinds(&mut self, from: usize) -> Option<bool> {
        self.count()?;
        if from == self.variables.len() {
            return self.solve();
        }
        let mut unknown = false;
        let [text, boolean] = self.allowed[from];
        let kinds = [(Kind::Number, true), (Kind::Text, text), (Kind::Boolean, boolean)];
        for (kind, _) in kinds.into_iter().filter(|(_, allowed)| *allowed) {
            self.kinds[from] = Some(kind);
            if self.conditions.iter().all(|condition| self.may_hold(condition)) {
                match self.choose_kinds(from + 1) {
                    Some(true) => return Some(true),
                    Some(false) => {}
                    None => unknown = true,
                }
            }
        }
        self.kinds[from] = None;
        if unknown { None } else { Some(false) }
    }

    /// Whether the kinds chosen so far allow a condition.
    fn may_hold(&self, condition: &Condition) -> bool {
        let Some(own) = self.kinds[self.at(condition.on)] else { return true };
        match &condition.test {
            Requirement::Constant(relation, constant) => {
                *relation == Relation::NotEqual || constant.kind() == own
            }
            Requirement::Variable(Relation::NotEqual, ..) => true,
            Requirement::Variable(_, other, offset) => {
                (*offset == Rational::from(0) || own == Kind::Number)
                    && self.kinds[self.at(*other)].is_none_or(|other| other == own)
            }
            Requirement::In(values) => values.iter().any(|value| value.kind() == own),
            Requirement::Matches(_) => own == Kind::Text,
        }
    }

    /// Decides the conditions for the chosen kinds: numbers, and all else.
    fn solve(&mut self) -> Option<bool> {
        let numbers = self.numbers(&mut Vec::new());
        if numbers == Some(false) {
            return numbers;
        }
        match (numbers, self.others()) {
            (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        }
    }

    fn is(&self, variable: Open, kind: Kind) -> bool {
        self.kinds[self.at(variable)] == Some(kind)
    }

    /// Whether the numbers have a solution, given the values chosen for variables with finite sets.
    fn numbers(&mut self, chosen: &mut Vec<(Open, Value)>) -> Option<bool> {
        self.count()?;
        let open = self.conditions.iter().find_map(|condition| match &condition.test {
            Requirement::In(values)
                if self.is(condition.on, Kind::Number)
                    && !chosen.iter().any(|(known, _)| *known == condition.on) =>
            {
                Some((condition.on, values.clone()))
            }
            Requirement::In(_)
            | Requirement::Constant(..)
            | Requirement::Variable(..)
            | Requirement::Matches(_) => None,
        });
        let Some((variable, values)) = open else {
            let in_all_sets = self.conditions.iter().all(|condition| match &condition.test {
                Requirement::In(values) if self.is(condition.on, Kind::Number) => chosen
                    .iter()
                    .filter(|(known, _)| *known == condition.on)
                    .all(|(_, value)| values.contains(value)),
                Requirement::In(_)
                | Requirement::Constant(..)
                | Requirement::Variable(..)
                | Requirement::Matches(_) => true,
            });
            return if in_all_sets { self.differences(chosen) } else { Some(false) };
        };
        let mut unknown = false;
        for value in values.iter().filter(|value| value.kind() == Kind::Number) {
            chosen.push((variable, value.clone()));
            let found = self.numbers(chosen);
            chosen.pop();
            match found {
                Some(true) => return found,
                Some(false) => {}
                None => unknown = true,
            }
        }
        if unknown { None } else { Some(false) }
    }

    /// Decides differences of numbers by shortest paths.
    fn differences(&mut self, chosen: &[(Open, Value)]) -> Option<bool> {
        let numbers: Vec<Open> =
            self.variables.iter().copied().filter(|&x| self.is(x, Kind::Number)).collect();
        let count = numbers.len() + 1;
        let zero = numbers.len();
        // Every path of two differences is looked at.
        let paths = u64::try_from(count).unwrap_or(u64::MAX).saturating_pow(3);
        self.left = self.left.checked_sub(paths)?;
        let at = |variable: Open| numbers.iter().position(|&other| other == variable);
        // x − y ≤ d, or < d: by x and y.
        let mut bounds: Vec<Option<Bound>> = vec![None; count * count];
        let mut differ: Vec<(usize, usize, Rational)> = Vec::new();
        let mut add = |x: usize, y: usize, relation: Relation, d: Rational| -> Option<()> {
            let minus = Rational::from(0).checked_sub(d)?;
            let mut bound = |x: usize, y: usize, d: Rational, strict: bool| {
                let new = Bound { d, strict };
                let old = &mut bounds[x * count + y];
                if old.is_none_or(|old| new.is_tighter(old)) {
                    *old = Some(new);
                }
            };
            match relation {
                Relation::Equal => {
                    bound(x, y, d, false);
                    bound(y, x, minus, false);
                }
                Relation::NotEqual => differ.push((x, y, d)),
                Relation::Less => bound(x, y, d, true),
                Relation::LessEqual => bound(x, y, d, false),
                Relation::Greater => bound(y, x, minus, true),
                Relation::GreaterEqual => bound(y, x, minus, false),
            }
            Some(())
        };
        for condition in self.conditions {
            let Some(x) = at(condition.on) else { continue };
            match &condition.test {
                Requirement::Constant(relation, Value::Number(number)) => {
                    add(x, zero, *relation, *number)?;
                }
                Requirement::Variable(relation, other, offset) => {
                    // A value of another kind is different, whatever it is.
                    if let Some(y) = at(*other) {
                        add(x, y, *relation, *offset)?;
                    }
                }
                Requirement::Constant(..) | Requirement::In(_) | Requirement::Matches(_) => {}
            }
        }
        for (variable, value) in chosen {
            if let (Some(x), Value::Number(number)) = (at(*variable), value) {
                add(x, zero, Relation::Equal, *number)?;
            }
        }
        for via in 0..count {
            for x in 0..count {
                let Some(first) = bounds[x * count + via] else { continue };
                for y in 0..count {
                    let Some(second) = bounds[via * count + y] else { continue };
                    let joined = first.plus(second)?;
                    let old = &mut bounds[x * count + y];
                    if old.is_none_or(|old| joined.is_tighter(old)) {
                        *old = Some(joined);
                    }
                }
            }
        }
        let none = Bound { d: Rational::from(0), strict: false };
        let is_negative = |x: usize| bounds[x * count + x].is_some_and(|own| own.is_tighter(none));
        if (0..count).any(is_negative) {
            return Some(false);
        }
        let is_forced = |&(x, y, d): &(usize, usize, Rational)| {
            let minus = Rational::from(0).checked_sub(d);
            let exact = |bound: Option<Bound>, d| bound.is_some_and(|b| b.d == d && !b.strict);
            (x == y && d == Rational::from(0))
                || (exact(bounds[x * count + y], d)
                    && minus.is_some_and(|minus| exact(bounds[y * count + x], minus)))
        };
        if differ.iter().any(is_forced) {
            return Some(false);
        }
        if self.wants_model {
            let mut values: Vec<Option<Rational>> = vec![None; count];
            values[zero] = Some(Rational::from(0));
            Solution { count, bounds: &bounds, differ: &differ, left: &mut self.left }
                .assign(0, &mut values)?;
            for (variable, value) in numbers.iter().zip(values) {
                let at = self.at(*variable);
                self.model[at] = value.map(Value::Number);
            }
        }
        Some(true)
    }

    /// Tries texts and truth values one by one.
    fn others(&mut self) -> Option<bool> {
        let others: Vec<Open> =
            self.variables.iter().copied().filter(|&x| !self.is(x, Kind::Number)).collect();
        if others.is_empty() {
            return Some(true);
        }
        let mut candidates: Vec<Value> = Vec::new();
        let mut is_exact = true;
        for condition in self.conditions {
            match &condition.test {
                Requirement::Constant(relation, value @ (Value::Text(_) | Value::Boolean(_))) => {
                    is_exact &= matches!(relation, Relation::Equal | Relation::NotEqual);
                    candidates.push(value.clone());
                    if let Value::Text(text) = value {
                        candidates.push(Value::Text(format!("{text}\u{0}").into()));
                    }
                }
                Requirement::In(values) => candidates.extend(values.iter().cloned()),
                Requirement::Matches(pattern) => {
                    is_exact = false;
                    for filler in ["", "a", "b", "c"] {
                        let text = pattern.replace('*', filler).replace('?', "x");
                        candidates.push(Value::Text(text.into()));
                    }
                }
                Requirement::Variable(relation, ..) => {
                    is_exact &= matches!(relation, Relation::Equal | Relation::NotEqual);
                }
                Requirement::Constant(_, Value::Number(_)) => {}
            }
        }
        candidates.push(Value::Text("".into()));
        candidates.extend([Value::Boolean(false), Value::Boolean(true)]);
        // One more than there are variables, and different from all constants.
        let new = (0..others.len()).map(|k| Value::Text(format!("\u{10ffff}{k}").into()));
        candidates.extend(new);
        let mut values: Vec<Option<Value>> = vec![None; self.variables.len()];
        match self.assign(&others, &candidates, &mut values) {
            Some(false) if !is_exact => None,
            found => {
                if found == Some(true) {
                    for variable in others {
                        let at = self.at(variable);
                        self.model[at] = values[at].take();
                    }
                }
                found
            }
        }
    }

    fn assign(
        &mut self,
        open: &[Open],
        candidates: &[Value],
        values: &mut Vec<Option<Value>>,
    ) -> Option<bool> {
        self.count()?;
        let Some((&first, rest)) = open.split_first() else { return Some(true) };
        let at = self.at(first);
        let mut unknown = false;
        let kind = self.kinds[at];
        for candidate in candidates.iter().filter(|c| Some(c.kind()) == kind) {
            values[at] = Some(candidate.clone());
            let value = |variable: Open| values[self.at(variable)].clone();
            let fits = self.conditions.iter().all(|condition| {
                let is_other = !self.is(condition.on, Kind::Number);
                let other = condition.variables().all(|own| !self.is(own, Kind::Number));
                // A text and a number are different.
                !is_other || !other || condition.holds(value).unwrap_or(true)
            });
            if fits {
                match self.assign(rest, candidates, values) {
                    Some(true) => return Some(true),
                    Some(false) => {}
                    None => unknown = true,
                }
            }
        }
        values[at] = None;
        if unknown { None } else { Some(false) }
    }
}

/// The search for a solution of differences whose bounds are as tight as they can be: whatever lies between the bounds to
/// the values chosen so far can be completed, up to the differences that are excluded.
struct Solution<'a> {
    count: usize,
    bounds: &'a [Option<Bound>],
    /// x − y ≠ d
    differ: &'a [(usize, usize, Rational)],
    left: &'a mut u64,
}

impl Solution<'_> {
    fn assign(&mut self, from: usize, values: &mut [Option<Rational>]) -> Option<bool> {
        let looked_at = u64::try_from(self.count + self.differ.len()).unwrap_or(u64::MAX);
        *self.left = self.left.checked_sub(looked_at)?;
        if from + 1 == self.count {
            return Some(true);
        }
        for candidate in self.candidates(from, values) {
            values[from] = Some(candidate);
            if self.fits(from, values) && self.assign(from + 1, values)? {
                return Some(true);
            }
        }
        values[from] = None;
        Some(false)
    }

    /// Whether no difference between chosen values is an excluded one.
    fn fits(&self, at: usize, values: &[Option<Rational>]) -> bool {
        self.differ.iter().filter(|(x, y, _)| *x == at || *y == at).all(|&(x, y, d)| {
            let (Some(x), Some(y)) = (values[x], values[y]) else { return true };
            x.checked_sub(y) != Some(d)
        })
    }

    /// Values within the bounds: the ends first, then more inside than there are excluded ones.
    fn candidates(&self, at: usize, values: &[Option<Rational>]) -> Vec<Rational> {
        let (mut low, mut high): (Option<Bound>, Option<Bound>) = (None, None);
        for (other, value) in values.iter().enumerate() {
            let Some(value) = *value else { continue };
            // x − y ≤ d is x ≤ y + d, and y − x ≤ d is x ≥ y − d.
            if let Some(bound) = self.bounds[at * self.count + other]
                && let Some(d) = value.checked_add(bound.d)
            {
                let new = Bound { d, ..bound };
                high = Some(high.filter(|old| !new.is_tighter(*old)).unwrap_or(new));
            }
            if let Some(bound) = self.bounds[other * self.count + at]
                && let Some(d) = bound.d.checked_sub(value)
            {
                let new = Bound { d, ..bound };
                low = Some(low.filter(|old| !new.is_tighter(*old)).unwrap_or(new));
            }
        }
        let low = low.map(|bound| (Rational::from(0).checked_sub(bound.d), bound.strict));
        let (low, low_open) = low.map_or((None, true), |(d, strict)| (d, strict));
        let (high, high_open) = high.map_or((None, true), |bound| (Some(bound.d), bound.strict));
        let mut found: Vec<Rational> = Vec::new();
        found.extend(low.filter(|_| !low_open));
        found.extend(high.filter(|_| !high_open));
        let more = i64::try_from(self.differ.len()).unwrap_or(i64::MAX).saturating_add(2).min(64);
        for step in 1..=more {
            let inside = match (low, high) {
                (Some(low), Some(high)) => high.checked_sub(low).and_then(|width| {
                    let part = Rational::new(i128::from(step), i128::from(more) + 1)?;
                    low.checked_add(width.checked_mul(part)?)
                }),
                (Some(low), None) => low.checked_add(Rational::from(step)),
                (None, Some(high)) => high.checked_sub(Rational::from(step)),
                (None, None) => Some(Rational::from(step - 1)),
            };
            found.extend(inside.filter(|value| !found.contains(value)));
        }
        let is_inside = |value: &Rational| {
            low.is_none_or(|low| if low_open { low < *value } else { low <= *value })
                && high.is_none_or(|high| if high_open { *value < high } else { *value <= high })
        };
        found.retain(is_inside);
        found
    }
}

/// An upper bound of a difference.
#[derive(Debug, Clone, Copy)]
struct Bound {
    d: Rational,
    strict: bool,
}

impl Bound {
    fn is_tighter(self, other: Bound) -> bool {
        match self.d.cmp(&other.d) {
            Ordering::Less => true,
            Ordering::Equal => self.strict && !other.strict,
            Ordering::Greater => false,
        }
    }

    fn plus(self, other: Bound) -> Option<Bound> {
        Some(Bound { d: self.d.checked_add(other.d)?, strict: self.strict || other.strict })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: Open = Open(3);
    const Y: Open = Open(5);
    const Z: Open = Open(7);

    fn constant(on: Open, relation: Relation, value: impl Into<Value>) -> Condition {
        Condition { on, test: Requirement::Constant(relation, value.into()) }
    }

    fn variable(on: Open, relation: Relation, other: Open, offset: i64) -> Condition {
        Condition { on, test: Requirement::Variable(relation, other, Rational::from(offset)) }
    }

    #[track_caller]
    fn check(conditions: &[Condition], expected: Option<bool>) {
        assert_eq!(satisfiable(conditions), expected);
        assert_eq!(model(conditions).is_some(), expected == Some(true));
    }

    #[test]
    fn numbers() {
        use Relation::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        check(&[], Some(true));
        check(&[constant(X, Less, 3), constant(X, Greater, 2)], Some(true));
        check(&[constant(X, Less, 3), constant(X, GreaterEqual, 3)], Some(false));
        check(&[variable(X, LessEqual, Y, -1), variable(Y, LessEqual, X, 0)], Some(false));
        check(&[variable(X, LessEqual, Y, 2), variable(Y, LessEqual, X, -2)], Some(true));
        let forced = [variable(X, LessEqual, Y, 0), variable(Y, LessEqual, X, 0)];
        let mut differ = forced.to_vec();
        differ.push(variable(X, NotEqual, Y, 0));
        check(&differ, Some(false));
        check(
            &[constant(X, Equal, 1), variable(Y, Equal, X, 2), constant(Y, NotEqual, 3)],
            Some(false),
        );
        check(&[variable(X, NotEqual, X, 0)], Some(false));
    }

    #[test]
    fn three_colours_for_four() {
        let colours: Box<[Value]> = ["red", "green", "blue"].map(Value::from).into();
        let all = [X, Y, Z, Open(9)];
        let mut conditions: Vec<Condition> = all
            .iter()
            .map(|&on| Condition { on, test: Requirement::In(colours.clone()) })
            .collect();
        for (i, &x) in all.iter().enumerate() {
            conditions.extend(all[..i].iter().map(|&y| variable(x, Relation::NotEqual, y, 0)));
        }
        check(&conditions, Some(false));
        conditions.pop();
        check(&conditions, Some(true));
    }

    #[test]
    fn kinds() {
        use Relation::{Equal, Less, NotEqual};
        check(
            &[constant(X, Equal, "a"), variable(X, Equal, Y, 0), constant(Y, Less, 3)],
            Some(false),
        );
        check(
            &[constant(X, Equal, "a"), variable(X, NotEqual, Y, 0), constant(Y, Less, 3)],
            Some(true),
        );
        check(&[constant(X, Equal, "a"), variable(Y, Equal, X, 1)], Some(false));
        let pattern = Condition { on: X, test: Requirement::Matches("p/*".into()) };
        check(&[pattern.clone(), constant(X, NotEqual, "p/")], Some(true));
        check(&[pattern, constant(X, Equal, "q")], None);
        check(
            &[constant(X, Equal, true), variable(X, Equal, Y, 0), constant(Y, Equal, false)],
            Some(false),
        );
    }
}
