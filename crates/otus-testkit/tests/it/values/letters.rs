//! Steps over letters against the equations, over the same finite sets of values.

use std::collections::BTreeMap;

use otus_analysis::Question;
use otus_core::algebra::simplify;
use otus_core::index::Index as _;
use otus_core::letters::{InstanceId, LetterId, Letters, Variables};
use otus_core::semantics::{Frontiers, terminates};
use otus_core::valued::{Part, ValuedNode};
use otus_core::{TermId, Value};
use otus_testkit::oracle::values::equations::{self, Finite};
use otus_testkit::valued_cases::shape::Flavor;
use otus_trace::ComponentId;

use super::compare::{Answers, Asked, sweep};
use super::methods::values;

type Valuation = BTreeMap<InstanceId, Value>;

/// A depth-first search for an execution whose events are those of complete logs.
struct Search<'a> {
    asked: &'a Asked<'a>,
    values: &'a [Value],
    letters: Letters,
    frontiers: Frontiers,
    left: usize,
}

impl Search<'_> {
    /// `None` if it takes too long.
    fn run(&mut self, term: TermId, consumed: &[usize], valuation: &Valuation) -> Option<bool> {
        self.left = self.left.checked_sub(1)?;
        let partition = self.asked.trace.partition();
        let is_over =
            partition.components().all(|c| consumed[c.index()] == self.asked.trace.steps(c).len());
        if is_over {
            return Some(terminates(&self.letters.pool, term));
        }
        let steps = self.frontiers.steps(&mut self.letters.pool, term);
        for step in steps.iter() {
            let entered = self.letters.enter(step.event, step.follow_up);
            let (letter, after) = entered.expect("an event of the term is a letter");
            let Some(found) = self.observe(letter, consumed) else { continue };
            let mut now = consumed.to_vec();
            for &(component, _) in &found {
                now[component.index()] += 1;
            }
            let mut choices = Vec::new();
            self.choose(letter, valuation.clone(), 0, &mut choices);
            for choice in choices {
                if self.holds(letter, &found, &choice) && self.run(after, &now, &choice)? {
                    return Some(true);
                }
            }
        }
        Some(false)
    }

    fn parts(&self, letter: LetterId) -> &[Part] {
        let leaf = self.letters.letter(letter).leaf;
        let ValuedNode::Event(parts) = &self.asked.valued.nodes[leaf] else {
            panic!("a letter is an event");
        };
        parts
    }

    /// By part of an event: the step of a log that it is. A moment has as many steps as the event has there.
    fn observe(&self, letter: LetterId, consumed: &[usize]) -> Option<Vec<(ComponentId, usize)>> {
        let trace = self.asked.trace;
        let mut found = Vec::new();
        for part in self.parts(letter) {
            let component = trace.partition().component_of(part.action.lifeline);
            let steps = trace.steps(component);
            let from = consumed[component.index()];
            let ends = |&at: &usize| at == from || steps.get(at).is_some_and(|step| step.joined());
            let at = (from..=steps.len()).take_while(ends).find(|&at| {
                let step = steps.get(at).map(|step| self.asked.pool.action(step.action()));
                step.is_some_and(|action| action.without_peer() == part.action)
            });
            found.push((component, at?));
        }
        for &(component, _) in &found {
            let from = consumed[component.index()];
            let steps = trace.steps(component);
            let count = 1 + steps[from + 1..].iter().take_while(|step| step.joined()).count();
            if found.iter().filter(|(own, _)| *own == component).count() != count {
                return None;
            }
        }
        Some(found)
    }

    /// All values for the instances of a letter that have none.
    fn choose(&self, letter: LetterId, now: Valuation, from: usize, found: &mut Vec<Valuation>) {
        let Variables::Instances(instances) = &self.letters.letter(letter).variables else {
            panic!("the iterations of an event have begun");
        };
        let Some(instance) = instances.get(from) else {
            found.push(now);
            return;
        };
        if now.contains_key(instance) {
            self.choose(letter, now, from + 1, found);
            return;
        }
        let list = self.letters.rivals(*instance);
        for value in self.values {
            let is_rival = |other: InstanceId| list.is_some() && self.letters.rivals(other) == list;
            if now.iter().any(|(&other, used)| used == value && is_rival(other)) {
                continue;
            }
            let mut next = now.clone();
            next.insert(*instance, value.clone());
            self.choose(letter, next, from + 1, found);
        }
    }

    /// Whether each field of each part has a value that satisfies all its atoms.
    fn holds(&self, letter: LetterId, at: &[(ComponentId, usize)], valuation: &Valuation) -> bool {
        let leaf = self.letters.letter(letter).leaf;
        let Variables::Instances(instances) = &self.letters.letter(letter).variables else {
            return false;
        };
        let variables = self.letters.variables(leaf);
        self.parts(letter).iter().zip(at).all(|(part, &(component, step))| {
            part.guard.iter().all(|atom| {
                let field = atom.field;
                let logged = self.asked.facts.known(field, component, step);
                let fits = |value: &Value| {
                    part.guard.iter().filter(|other| other.field == field).all(|other| {
                        let at = other
                            .variable()
                            .and_then(|x| variables.iter().position(|&own| own == x));
                        let variable = at.and_then(|at| valuation.get(&instances[at]));
                        other.test.holds(value, variable)
                    })
                };
                logged.map_or_else(|| self.values.iter().any(fits), |value| fits(&value))
            })
        })
    }
}

/// The equations first, then steps over letters, for complete logs.
fn against(asked: &Asked<'_>) -> Answers {
    let case = asked.case();
    let (values, readings) = values(asked, &[1, 2, 3]);
    let finite = Finite { values: &values, readings: &readings, is_certain: false };
    let expected = equations::explained(&case, asked.term, &Question::ACCEPT, finite, 200_000)?;
    let (mut letters, term) = Letters::new(asked.pool, asked.valued)?;
    let term = simplify(&mut letters.pool, term);
    let consumed = vec![0; asked.trace.partition().len()];
    let frontiers = Frontiers::default();
    let mut search = Search { asked, values: &values, letters, frontiers, left: 200_000 };
    let found = search.run(term, &consumed, &Valuation::new())?;
    Some((expected.to_string(), found.to_string()))
}

#[test]
fn letters_agree_with_the_equations() {
    let flavor = Flavor { events: 4, ..Flavor::tiny(false) };
    sweep("letters", (21, super::cases(600)), &flavor, against);
}
