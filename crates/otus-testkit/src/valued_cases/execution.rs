//! Random executions with values.
//!
//! Branches and iterations are drawn, then an order that the operators allow, then values that satisfy the guards as far as
//! a few attempts find some. An execution that satisfies all guards is frequent, but not certain, and no one relies on it.

use std::collections::BTreeMap;

use otus_core::index::Index as _;
use otus_core::valued::{FieldId, Operand, Part, Test, Valued, ValuedId, ValuedNode, VariableId};
use otus_core::{Action, LifelineId, LifelineSet, Peer, Pool, Value};
use otus_syntax::Rational;
use otus_syntax::ast::guard::Relation;
use otus_trace::Partition;

use super::recorded::Record;
use super::shape::Flavor;
use crate::oracle::values::order::{Join, Turn, comes_before};

/// An event: what it records on each of its lifelines.
pub type Event = Vec<Record>;

struct Leaf<'a> {
    parts: &'a [Part],
    path: Vec<Turn>,
    scope: BTreeMap<VariableId, usize>,
    lifelines: LifelineSet,
}

/// By instance of a variable: its value, and its loop.
type Bound = (Option<Value>, Option<(VariableId, usize)>);

struct Run<'a, 'r> {
    rng: &'r mut fastrand::Rng,
    valued: &'a Valued,
    bound: Vec<Bound>,
    loops: usize,
    leaves: Vec<Leaf<'a>>,
    span: i64,
}

/// A random execution, in order.
pub fn random(
    rng: &mut fastrand::Rng,
    pool: &Pool,
    valued: &Valued,
    partition: &Partition,
    flavor: &Flavor,
) -> Vec<Event> {
    let mut run =
        Run { rng, valued, bound: Vec::new(), loops: 0, leaves: Vec::new(), span: flavor.span };
    run.derive(valued.root, &[], &BTreeMap::new());
    let mut open: Vec<Leaf<'_>> = std::mem::take(&mut run.leaves);
    let mut now = vec![0; partition.len()];
    let mut events = Vec::new();
    while !open.is_empty() {
        let is_first = |leaf: &Leaf<'_>| {
            !open.iter().any(|other| {
                comes_before(pool, (&other.path, &other.lifelines), (&leaf.path, &leaf.lifelines))
            })
        };
        let first: Vec<usize> = (0..open.len()).filter(|&at| is_first(&open[at])).collect();
        let next = first.get(run.rng.usize(..first.len().max(1))).copied().unwrap_or(0);
        let leaf = open.swap_remove(next);
        let start = now.clone();
        let record = |part: &Part| {
            let component = partition.component_of(part.action.lifeline).index();
            let (time, mut record) = run.record(part, &leaf.scope, start[component], flavor.times);
            now[component] = now[component].max(time);
            if flavor.peers && run.rng.u8(..3) == 0 {
                let all: Vec<Peer> = part.peers.iter().copied().collect();
                let right = run.rng.choice(&all).copied().filter(|_| run.rng.u8(..8) > 0);
                let any = Peer::Lifeline(LifelineId::new(run.rng.usize(..3)));
                record.action = Action { peer: Some(right.unwrap_or(any)), ..record.action };
            }
            record
        };
        events.push(leaf.parts.iter().map(record).collect());
    }
    events
}

impl Run<'_, '_> {
    fn derive(&mut self, node: ValuedId, path: &[Turn], scope: &BTreeMap<VariableId, usize>) {
        let valued = self.valued;
        let turn = |join, operand| [path, &[Turn { join, operand }]].concat();
        match &valued.nodes[node] {
            ValuedNode::Empty => {}
            ValuedNode::Event(parts) => {
                let lifelines = parts.iter().map(|part| part.action.lifeline).collect();
                let (path, scope) = (path.to_vec(), scope.clone());
                self.leaves.push(Leaf { parts, path, scope, lifelines });
            }
            ValuedNode::Strict(i, j) => {
                self.derive(*i, &turn(Join::Strict, 0), scope);
                self.derive(*j, &turn(Join::Strict, 1), scope);
            }
            ValuedNode::Coreg(region, i, j) => {
                self.derive(*i, &turn(Join::Coreg(*region), 0), scope);
                self.derive(*j, &turn(Join::Coreg(*region), 1), scope);
            }
            ValuedNode::Alt(i, j) => {
                let branch = if self.rng.bool() { *i } else { *j };
                self.derive(branch, path, scope);
            }
            ValuedNode::LoopS(body) => self.repeat(*body, Join::Strict, &[], path, scope),
            ValuedNode::LoopC(region, body) => {
                self.repeat(*body, Join::Coreg(*region), &[], path, scope);
            }
            ValuedNode::New(variable, body) => {
                let mut scope = scope.clone();
                scope.insert(*variable, self.bound.len());
                self.bound.push((None, None));
                self.derive(*body, path, &scope);
            }
            ValuedNode::Fresh(..) => {
                let mut fresh = Vec::new();
                let mut inner = node;
                while let ValuedNode::Fresh(variable, body) = &valued.nodes[inner] {
                    fresh.push(*variable);
                    inner = *body;
                }
                match &valued.nodes[inner] {
                    ValuedNode::LoopS(body) => {
                        self.repeat(*body, Join::Strict, &fresh, path, scope);
                    }
                    ValuedNode::LoopC(region, body) => {
                        self.repeat(*body, Join::Coreg(*region), &fresh, path, scope);
                    }
                    ValuedNode::Empty
                    | ValuedNode::Event(_)
                    | ValuedNode::Strict(..)
                    | ValuedNode::Coreg(..)
                    | ValuedNode::Alt(..)
                    | ValuedNode::New(..)
                    | ValuedNode::Fresh(..) => {}
                }
            }
        }
    }

    fn repeat(
        &mut self,
        body: ValuedId,
        join: Join,
        fresh: &[VariableId],
        path: &[Turn],
        scope: &BTreeMap<VariableId, usize>,
    ) {
        self.loops += 1;
        let number = self.loops;
        let most = if path.len() > 4 { 2 } else { 3 };
        for operand in 0..self.rng.usize(..=most) {
            let mut inner = scope.clone();
            for variable in fresh {
                inner.insert(*variable, self.bound.len());
                self.bound.push((None, Some((*variable, number))));
            }
            self.derive(body, &[path, &[Turn { join, operand }]].concat(), &inner);
        }
    }

    /// What a part records, and its time.
    fn record(
        &mut self,
        part: &Part,
        scope: &BTreeMap<VariableId, usize>,
        now: i64,
        times: bool,
    ) -> (i64, Record) {
        let mut values = BTreeMap::new();
        for field in 0..self.valued.fields.items.len() {
            let field = FieldId::new(field);
            let name = self.valued.field_name(field).to_owned();
            if field == Valued::TIME && !times {
                continue;
            }
            let value = self.draw(part, field, scope, now);
            values.insert(name, value);
        }
        let time = match values.get("time") {
            Some(Value::Number(number)) => number.integer().unwrap_or(now),
            Some(Value::Boolean(_) | Value::Text(_)) | None => now,
        };
        (time, Record { action: part.action, values })
    }

    /// A value of a field that satisfies its atoms, if a few attempts find one.
    fn draw(
        &mut self,
        part: &Part,
        field: FieldId,
        scope: &BTreeMap<VariableId, usize>,
        now: i64,
    ) -> Value {
        let atoms: Vec<&Test> =
            part.guard.iter().filter(|atom| atom.field == field).map(|atom| &atom.test).collect();
        let instance = |test: &Test| match test {
            Test::Compare(_, Operand::Variable(variable, _)) => scope.get(variable).copied(),
            Test::Compare(_, Operand::Constant(_)) | Test::In(_) | Test::Matches(_) => None,
        };
        let mut value = self.candidate(field, now);
        for _ in 0..24 {
            let holds = |test: &&Test| match instance(test) {
                None => test.holds(&value, None),
                Some(instance) => match &self.bound[instance].0 {
                    Some(known) => test.holds(&value, Some(known)),
                    None => !self.is_taken(instance, test, &value),
                },
            };
            if atoms.iter().all(holds) {
                break;
            }
            value = self.candidate(field, now);
        }
        for test in atoms {
            if let (Test::Compare(Relation::Equal, Operand::Variable(_, offset)), Some(instance)) =
                (test, instance(test))
                && *offset == Rational::from(0)
            {
                self.bound[instance].0.get_or_insert(value.clone());
            }
        }
        value
    }

    /// Whether another iteration has the value that an equality would set.
    fn is_taken(&self, instance: usize, test: &Test, value: &Value) -> bool {
        let own = self.bound[instance].1;
        let equals = matches!(test, Test::Compare(Relation::Equal, _));
        equals
            && own.is_some()
            && self.bound.iter().any(|(other, of)| *of == own && other.as_ref() == Some(value))
    }

    fn candidate(&mut self, field: FieldId, now: i64) -> Value {
        if field == Valued::TIME {
            return Value::integer(now + self.rng.i64(0..=2));
        }
        if self.valued.field_name(field) == "g" && self.rng.u8(..3) > 0 {
            if self.rng.u8(..8) == 0 {
                return Value::Boolean(self.rng.bool());
            }
            let text = *self.rng.choice(&["p1", "p2", "q"]).unwrap_or(&"q");
            return Value::Text(text.into());
        }
        Value::integer(self.rng.i64(1..=self.span))
    }
}
