//! The equations over a finite set of values.
//!
//! Over a finite set, an interaction with values is an ordinary one. Its messages have the values in their names:
//!
//! ```text
//! [a[g]]η = alt of a⟨w⟩ for all w of which g holds with η         [new(x)(i)]η = alt of [i]η[x↦v] for all v
//! [loop(fresh x)(i)]η = alt of [i]η[x↦v1] ∘ … ∘ [i]η[x↦vn] for all sequences of different values
//! ```
//!
//! An alternative without operands is ⊥, which has no trace: any composition with it is ⊥, an alternative drops it, and a loop
//! of it is ∅. The oracle without values then makes all traces up to a length. Those in which the times of a component
//! decrease do not count. A completion of the multi-trace gives every unknown value a value of the set; the multi-trace
//! is explained if some completion is.
//!
//! This is for tiny cases: the traces of n events are as many as the n-th power of the number of values.

use std::collections::{BTreeMap, BTreeSet};

use otus_analysis::{Observed, Question};
use otus_core::index::Index as _;
use otus_core::valued::{
    Atom, FieldId, Operand, Part, Test, Valued, ValuedId, ValuedNode, VariableId,
};
use otus_core::{Action, ActionId, EventId, Pool, TermId, Value};
use otus_trace::{ComponentId, Partition};

use super::times::{Clock, holds_across, sets};
use super::{Case, Sorts};
use crate::oracle::member::witness_length;
use crate::oracle::observe::project;
use crate::oracle::traces::traces;
use crate::oracle::{Asked, Observation};

/// The finite set of values, and how to read comparisons across clocks.
#[derive(Debug, Clone, Copy)]
pub struct Finite<'a> {
    /// The values of fields and variables.
    pub values: &'a [Value],
    /// The readings of clocks.
    pub readings: &'a [i64],
    /// Whether comparisons across clocks must hold certainly.
    pub is_certain: bool,
}

/// The value of a field of an event, or of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Carried {
    /// A value, by its number in the set.
    Value(usize),
    /// A reading, by its number in the set, and the clock.
    Time(usize, usize),
}

type Environment = BTreeMap<VariableId, Carried>;

/// An action, and by field the number of its value.
type Letter = (Action, Vec<usize>);
/// What a component records of an event, sorted.
type Moment = Vec<Letter>;

/// Whether the multi-trace is explained. `term` is the interaction without values. `None` if more than `budget` traces or
/// completions are made, or if the interaction mixes times and values.
pub fn explained(
    case: &Case<'_>,
    term: TermId,
    question: &Question,
    finite: Finite<'_>,
    budget: usize,
) -> Option<bool> {
    let asked = Asked::new(&Observation::from(case.trace), question);
    let sorts = Sorts::new(case.valued, case.trace.partition())?;
    let mut expansion = Expansion {
        case,
        finite,
        sorts,
        pool: case.pool.clone(),
        letters: BTreeMap::new(),
        left: budget,
    };
    let observed = asked.seen.len();
    let declared = case.trace.partition().components().map(|component| question.of(component));
    let accepts = *question != Question::GlobalPrefix
        && declared.into_iter().all(|observed| observed == Observed::Complete);
    let length = if accepts { observed } else { witness_length(case.pool, term, observed, |_| 1) };
    let Some(expanded) = expansion.expand(case.valued.root, &Environment::new())? else {
        return Some(false);
    };
    let completions = expansion.completions(&asked)?;
    for trace in traces(&expansion.pool, expanded, length, budget)? {
        let projected = expansion.project(&trace);
        if !projected.iter().all(|moments| expansion.ascends(moments)) {
            continue;
        }
        let is_explained = match &asked.windows {
            Some(windows) => completions.iter().any(|completed| {
                let mut pairs = completed.iter().zip(&projected).zip(windows);
                pairs.all(|((seen, trace), window)| window.fits(seen, trace))
            }),
            None => {
                (0..=trace.len()).any(|end| completions.contains(&expansion.project(&trace[..end])))
            }
        };
        if is_explained {
            return Some(true);
        }
    }
    Some(false)
}

struct Expansion<'a> {
    case: &'a Case<'a>,
    finite: Finite<'a>,
    sorts: Sorts,
    pool: Pool,
    /// By action with values in the name of its message.
    letters: BTreeMap<ActionId, Letter>,
    left: usize,
}

impl Expansion<'_> {
    fn valued(&self) -> &Valued {
        self.case.valued
    }

    /// The projections of a trace onto all components.
    fn project(&self, trace: &[EventId]) -> Vec<Vec<Moment>> {
        let projected = project(&self.pool, self.case.trace.partition(), trace).into_iter();
        let moment = |moment: Vec<ActionId>| {
            let mut letters: Moment =
                moment.iter().filter_map(|action| self.letters.get(action).cloned()).collect();
            letters.sort();
            letters
        };
        projected.map(|moments| moments.into_iter().map(moment).collect()).collect()
    }

    /// Whether no moment has a time before one of an earlier moment.
    fn ascends(&self, moments: &[Moment]) -> bool {
        let mut latest = i64::MIN;
        for moment in moments.iter().filter(|_| self.valued().has_times()) {
            let here = moment.iter().map(|(_, carried)| self.finite.readings[carried[0]]);
            if here.clone().any(|time| time < latest) {
                return false;
            }
            latest = here.max().unwrap_or(latest).max(latest);
        }
        true
    }

    fn clock(&self, action: Action) -> usize {
        self.case.trace.partition().component_of(action.lifeline).index()
    }

    /// [i]η; the outer `None` if the work is too much, the inner one is ⊥.
    #[expect(clippy::option_option, reason = "⊥ differs from too much work")]
    fn expand(&mut self, node: ValuedId, environment: &Environment) -> Option<Option<TermId>> {
        self.left = self.left.checked_sub(1)?;
        let valued = self.case.valued;
        Some(match &valued.nodes[node] {
            ValuedNode::Empty => Some(Pool::EMPTY),
            ValuedNode::Event(parts) => self.event(parts, environment)?,
            ValuedNode::Strict(i, j) => {
                let operands = (self.expand(*i, environment)?, self.expand(*j, environment)?);
                let (Some(i), Some(j)) = operands else { return Some(None) };
                Some(self.pool.strict(i, j))
            }
            ValuedNode::Coreg(region, i, j) => {
                let operands = (self.expand(*i, environment)?, self.expand(*j, environment)?);
                let (Some(i), Some(j)) = operands else { return Some(None) };
                Some(self.pool.coreg(*region, i, j))
            }
            ValuedNode::Alt(i, j) => {
                let operands = [self.expand(*i, environment)?, self.expand(*j, environment)?];
                self.alternative(operands.into_iter().flatten().collect())
            }
            ValuedNode::LoopS(body) => {
                let body = self.expand(*body, environment)?;
                Some(body.map_or(Pool::EMPTY, |body| self.pool.loop_s(body)))
            }
            ValuedNode::LoopC(region, body) => {
                let body = self.expand(*body, environment)?;
                Some(body.map_or(Pool::EMPTY, |body| self.pool.loop_c(*region, body)))
            }
            ValuedNode::New(variable, body) => {
                let mut found = Vec::new();
                for value in self.values_of(*variable) {
                    let mut inner = environment.clone();
                    inner.insert(*variable, value);
                    found.extend(self.expand(*body, &inner)?);
                }
                self.alternative(found)
            }
            ValuedNode::Fresh(..) => {
                let mut variables = Vec::new();
                let mut inner = node;
                while let ValuedNode::Fresh(variable, body) = &valued.nodes[inner] {
                    variables.push(*variable);
                    inner = *body;
                }
                let mut found = Vec::new();
                self.iterations(inner, &variables, environment, &mut Vec::new(), &mut found)?;
                self.alternative(found)
            }
        })
    }

    fn alternative(&mut self, terms: Vec<TermId>) -> Option<TermId> {
        let distinct: BTreeSet<TermId> = terms.into_iter().collect();
        distinct.into_iter().reduce(|left, right| self.pool.alt(left, right))
    }

    /// All values that a variable can have.
    fn values_of(&self, variable: VariableId) -> Vec<Carried> {
        if !self.sorts.is_time(variable) {
            return (0..self.finite.values.len()).map(Carried::Value).collect();
        }
        let mut found = Vec::new();
        for component in 0..self.case.trace.partition().len() {
            if self.sorts.allows(variable, component) {
                let readings = 0..self.finite.readings.len();
                found.extend(readings.map(|reading| Carried::Time(reading, component)));
            }
        }
        found
    }

    /// All sequences of iterations with different values, as terms. Those so far are given.
    fn iterations(
        &mut self,
        node: ValuedId,
        variables: &[VariableId],
        environment: &Environment,
        before: &mut Vec<Environment>,
        found: &mut Vec<TermId>,
    ) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        let (region, body) = match &self.case.valued.nodes[node] {
            ValuedNode::LoopS(body) => (None, *body),
            ValuedNode::LoopC(region, body) => (Some(*region), *body),
            ValuedNode::Empty
            | ValuedNode::Event(_)
            | ValuedNode::Strict(..)
            | ValuedNode::Coreg(..)
            | ValuedNode::Alt(..)
            | ValuedNode::New(..)
            | ValuedNode::Fresh(..) => return None,
        };
        let mut bodies = Vec::new();
        for environment in before.iter() {
            let Some(body) = self.expand(body, environment)? else { return Some(()) };
            bodies.push(body);
        }
        let last = bodies.pop().unwrap_or(Pool::EMPTY);
        let composed = bodies.into_iter().rev().fold(last, |rest, body| match region {
            None => self.pool.strict(body, rest),
            Some(region) => self.pool.coreg(region, body, rest),
        });
        found.push(composed);
        let mut choices = vec![environment.clone()];
        for variable in variables {
            let values = self.values_of(*variable);
            let is_used =
                |value: &Carried| before.iter().any(|e| self.is_same(&e[variable], value));
            let unused: Vec<Carried> = values.into_iter().filter(|value| !is_used(value)).collect();
            let extended = choices.iter().flat_map(|choice| {
                unused.iter().map(|value| {
                    let mut choice = choice.clone();
                    choice.insert(*variable, value.clone());
                    choice
                })
            });
            choices = extended.collect();
        }
        for choice in choices {
            before.push(choice);
            self.iterations(node, variables, environment, before, found)?;
            before.pop();
        }
        Some(())
    }

    /// Whether `fresh` does not allow both values.
    fn is_same(&self, first: &Carried, second: &Carried) -> bool {
        match (first, second) {
            (Carried::Value(x), Carried::Value(y)) => x == y,
            (Carried::Time(x, own), Carried::Time(y, other)) => {
                let relation = otus_syntax::ast::guard::Relation::NotEqual;
                !self.across(relation, (*x, *own), (*y, *other), 0.into())
            }
            (Carried::Value(_), Carried::Time(..)) | (Carried::Time(..), Carried::Value(_)) => {
                false
            }
        }
    }

    fn across(
        &self,
        relation: otus_syntax::ast::guard::Relation,
        (time, own): (usize, usize),
        (anchor, other): (usize, usize),
        distance: otus_syntax::Rational,
    ) -> bool {
        let clock = |component| Clock { component, epoch: 0 };
        holds_across(
            relation,
            self.finite.readings[time],
            self.finite.readings[anchor],
            distance,
            clock(own).uncertainty(clock(other), self.case.uncertainty),
            self.finite.is_certain,
        )
    }

    #[expect(clippy::option_option, reason = "⊥ differs from too much work")]
    fn event(&mut self, parts: &[Part], environment: &Environment) -> Option<Option<TermId>> {
        let mut events: Vec<Vec<Letter>> = vec![Vec::new()];
        for part in parts {
            let mut all = self.all_values()?;
            all.retain(|carried| {
                part.guard.iter().all(|atom| self.holds(atom, part.action, carried, environment))
            });
            let extended = events.iter().flat_map(|event| {
                all.iter().map(|carried| {
                    let mut event = event.clone();
                    event.push((part.action, carried.clone()));
                    event
                })
            });
            events = extended.collect();
        }
        let mut terms = Vec::new();
        for event in events {
            terms.push(self.leaf(event));
        }
        Some(self.alternative(terms))
    }

    /// The event of actions with values: its message has all of them in its name.
    fn leaf(&mut self, letters: Vec<Letter>) -> TermId {
        let name = |(action, carried): &Letter| format!("{action:?} {carried:?}");
        let name: Vec<String> = letters.iter().map(name).collect();
        let message = self.pool.add_message(&name.join(", "));
        let mut actions = Vec::new();
        for (action, carried) in letters {
            let renamed = Action { message, ..action };
            let id = self.pool.intern_action(renamed);
            self.letters.insert(id, (action, carried));
            actions.push(renamed);
        }
        let event = self.pool.intern_event(&actions);
        self.pool.event(event)
    }

    /// All w: by field, the number of its value. Times are left out if no guard compares them.
    fn all_values(&mut self) -> Option<Vec<Vec<usize>>> {
        let fields = self.valued().fields.items.len();
        let mut all: Vec<Vec<usize>> = vec![Vec::new()];
        for field in 0..fields {
            let count = self.count(FieldId::new(field));
            let extended = all.iter().flat_map(|carried| {
                (0..count).map(|number| {
                    let mut carried = carried.clone();
                    carried.push(number);
                    carried
                })
            });
            all = extended.collect();
            self.left = self.left.checked_sub(all.len())?;
        }
        Some(all)
    }

    /// The number of values of a field.
    fn count(&self, field: FieldId) -> usize {
        match (field == Valued::TIME, self.valued().has_times()) {
            (false, _) => self.finite.values.len(),
            (true, true) => self.finite.readings.len(),
            (true, false) => 1,
        }
    }

    fn holds(
        &self,
        atom: &Atom,
        action: Action,
        carried: &[usize],
        environment: &Environment,
    ) -> bool {
        let number = carried[atom.field.index()];
        let variable = atom.variable().and_then(|variable| environment.get(&variable));
        if atom.field != Valued::TIME {
            let variable = match variable {
                Some(Carried::Value(value)) => Some(&self.finite.values[*value]),
                Some(Carried::Time(..)) | None => None,
            };
            return atom.test.holds(&self.finite.values[number], variable);
        }
        let own = self.clock(action);
        match (&atom.test, variable) {
            (Test::Compare(relation, Operand::Variable(_, distance)), variable) => match variable {
                Some(Carried::Time(reading, clock)) if sets(&atom.test) => {
                    (*reading, *clock) == (number, own)
                }
                Some(Carried::Time(reading, clock)) => {
                    self.across(*relation, (number, own), (*reading, *clock), *distance)
                }
                Some(Carried::Value(_)) | None => false,
            },
            (test, _) => test.holds(&Value::integer(self.finite.readings[number]), None),
        }
    }

    /// All completions of a multi-trace.
    fn completions(&mut self, asked: &Asked) -> Option<BTreeSet<Vec<Vec<Moment>>>> {
        let partition: &Partition = self.case.trace.partition();
        let all = self.all_values()?;
        let mut completed: Vec<Vec<Vec<Moment>>> = vec![Vec::new()];
        for component in partition.components() {
            for made in &mut completed {
                made.push(Vec::new());
            }
            let mut step = 0;
            for moment in &asked.seen.components[component.index()] {
                for made in completed.iter_mut().filter_map(|made| made.last_mut()) {
                    made.push(Vec::new());
                }
                for &action in moment {
                    let action = self.case.pool.action(action).without_peer();
                    let fits = all.iter().filter(|carried| self.agrees(component, step, carried));
                    let letters: Vec<Letter> =
                        fits.map(|carried| (action, carried.clone())).collect();
                    step += 1;
                    self.left = self.left.checked_sub(completed.len() * letters.len())?;
                    let extended = completed.iter().flat_map(|made| {
                        letters.iter().map(|letter| {
                            let mut made = made.clone();
                            if let Some(moment) = made.last_mut().and_then(|c| c.last_mut()) {
                                moment.push(letter.clone());
                                moment.sort();
                            }
                            made
                        })
                    });
                    completed = extended.collect();
                }
            }
        }
        Some(completed.into_iter().collect())
    }

    /// Whether these values are those of a step, as far as they are known.
    fn agrees(&self, component: ComponentId, step: usize, carried: &[usize]) -> bool {
        carried.iter().enumerate().all(|(field, &number)| {
            let field = FieldId::new(field);
            if field == Valued::TIME {
                let time = self.case.facts.time(component, step);
                return !self.valued().has_times()
                    || time.is_none_or(|time| time == self.finite.readings[number]);
            }
            let value = self.case.facts.known(field, component, step);
            value.is_none_or(|value| value == self.finite.values[number])
        })
    }
}
