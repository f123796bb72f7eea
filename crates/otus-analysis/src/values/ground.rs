//! An interaction with values as one without: every variable is replaced by each value that logs give it.
//!
//! ```text
//! new(x)(i)              alt of i[v/x], for each v
//! loopP(fresh x)(i)      par of alt(i[v/x], ∅), for each v, and of loopP(i[?/x])
//! a[g], all x replaced   alt of the events of a in the logs that satisfy g, and of an event that no log has
//! ```
//!
//! The values v are those of the events that may give x its value, by an atom `f = x`; `?` is any other value. An event is a letter:
//! its action with what it carries. So the result is an interaction without values, over a finite alphabet.
//!
//! **Claim.** If the interaction with values explains the logs (at least weakly), this one explains the same logs over
//! letters. *Proof.* The first two lines are the equations of the semantics (values.md, section 3), where different iterations
//! of a loop have different values; for other loops this is forgotten, which only adds executions. An atom is
//! evaluated where both sides are known, by the log or by an atom `f = c` or `f = x` of the same leaf, and holds otherwise. So every execution with values is one of this interaction, if
//! each of its events is replaced by the letter of what was logged of it. An event that no log has is not before the end of
//! its log, if the log cannot start late: a deadline that had passed by then excludes it, nothing else does. ∎
//!
//! Hence *a proof that this interaction fails is a proof that the interaction with values fails*. The converse is false:
//! nothing is concluded from values that were not logged, nor from `fresh` in other loops.
//!
//! # Some sessions
//!
//! Let `loopP(fresh x)(i)` or `loopP(new(x)(i))` be an operand of nested strict, coreg and `new`, and its actions occur nowhere
//! else; let each of its leaves have one atom `f = x`, the same for leaves with the same action; and let f be logged in all
//! events of these actions. If the interaction explains the logs, the sessions of some values V explain the events that carry
//! these: events of other values are neither before nor between the others of their sessions, and a log of which events are left out
//! is still whole, a prefix or a suffix. So it is enough to refute the events of a few sessions. The time at which
//! a log ended remains that of the whole log.
//!
//! # Clocks that go backwards
//!
//! Such a clock is another one from there on. So the value of an anchor is a time and the number of its clock, and letters differ if
//! the clocks of their events do.

use std::collections::BTreeMap;

use otus_core::index::Index as _;
use otus_core::valued::{
    Atom, FieldId, Operand, Part, Test, Valued, ValuedId, ValuedNode, VariableId,
};
use otus_core::{Action, ActionId, MessageId, Pool, TermId, Value};
use otus_syntax::SourceId;
use otus_syntax::ast::guard::Relation;
use otus_trace::multitrace::Builder;
use otus_trace::{ComponentId, MultiTrace};
use rustc_hash::FxHashMap;

use super::anchors;
use super::certify::ValuedCase;
use super::epoch::Epoch;
use super::observation::{epoch_of, steps_of};
use super::sureness::{Between, Gap, Sureness, between};
use super::witness::shown;
use crate::question::{Observed, Question};

/// What is refuted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// All logs.
    Whole,
    /// The events of some sessions: those with these values of a variable.
    Sessions(VariableId, Vec<Value>),
}

/// An interaction without values and a multi-trace over its letters.
#[derive(Debug)]
pub struct Ground {
    /// The pool of both.
    pub pool: Pool,
    /// The interaction; `None` if it has no execution at all.
    pub term: Option<TermId>,
    /// The multi-trace.
    pub trace: MultiTrace,
}

/// The most nodes of the interaction that is made.
const MANY: usize = 2_000;
/// The most events of logs.
const LONG: usize = 2_000;

/// The interaction without values; `None` if it would be too large, if events have several actions, or if the
/// sessions cannot be regarded by themselves.
pub fn ground(
    pool: &Pool,
    case: ValuedCase<'_>,
    question: &Question,
    scope: &Scope,
) -> Option<Ground> {
    let ValuedCase { valued, trace, .. } = case;
    let single = |node: &ValuedNode| !matches!(node, ValuedNode::Event(parts) if parts.len() > 1);
    if !valued.nodes.iter().all(single) {
        return None;
    }
    let sessions = match scope {
        Scope::Whole => None,
        Scope::Sessions(variable, values) => {
            let loops = Sessions::find(valued, *variable)?;
            loops.is_apart(pool, case).then_some(())?;
            Some((loops, values))
        }
    };
    // The events that are regarded, by component.
    let mut events: Vec<Vec<usize>> = Vec::new();
    for component in trace.partition().components() {
        let is_own = |&step: &usize| match &sessions {
            None => true,
            Some((loops, values)) => {
                let action = pool.action(trace.steps(component)[step].action()).without_peer();
                let field = loops.fields.get(&action);
                let value = field.and_then(|&field| case.facts.known(field, component, step));
                value.is_some_and(|value| values.contains(&value))
            }
        };
        let is_observed = question.of(component) != Observed::Unobserved;
        events.push(
            (0..trace.steps(component).len()).filter(|_| is_observed).filter(is_own).collect(),
        );
    }
    if events.iter().map(Vec::len).sum::<usize>() > LONG {
        return None;
    }
    let mut maker = Maker::new(pool, case, question, &events);
    let term = match &sessions {
        None => maker.node(valued.root, &BTreeMap::new()).ok()?,
        Some((loops, values)) => maker.sessions(loops, values).ok()?,
    };
    let mut builder = Builder::new(trace.partition().clone(), trace.len(), false);
    for component in trace.partition().components() {
        for (at, &step) in events[component.index()].iter().enumerate() {
            if at > 0 && !trace.steps(component)[step].joined() {
                builder.next_moment();
            }
            builder.push(maker.letter_of[&(component, step)], 0);
        }
        if !events[component.index()].is_empty() {
            builder.next_moment();
        }
        builder.next_component();
    }
    let trace = builder.finish(SourceId::default());
    Some(Ground { pool: maker.made, term, trace })
}

/// A parallel loop whose iterations are told apart by the value of a variable.
struct Sessions {
    /// Variables of the binders around the loop.
    around: Vec<VariableId>,
    /// The variable of the key, and whether it is fresh.
    key: VariableId,
    is_fresh: bool,
    /// The other variables of an iteration, and what they are bound in.
    others: Vec<VariableId>,
    body: ValuedId,
    /// By action: the field of the key.
    fields: BTreeMap<Action, FieldId>,
}

impl Sessions {
    fn find(valued: &Valued, key: VariableId) -> Option<Sessions> {
        let mut pending = vec![(valued.root, Vec::new())];
        while let Some((at, around)) = pending.pop() {
            match &valued.nodes[at] {
                ValuedNode::Strict(i, j) | ValuedNode::Coreg(_, i, j) => {
                    pending.extend([(*i, around.clone()), (*j, around)]);
                }
                ValuedNode::New(x, i) => pending.push((*i, [&around[..], &[*x]].concat())),
                ValuedNode::Fresh(..) | ValuedNode::LoopC(..) => {
                    if let Some(found) = Sessions::of(valued, at, key, &around) {
                        return Some(found);
                    }
                }
                ValuedNode::Empty
                | ValuedNode::Event(_)
                | ValuedNode::Alt(..)
                | ValuedNode::LoopS(_) => {}
            }
        }
        None
    }

    fn of(
        valued: &Valued,
        root: ValuedId,
        key: VariableId,
        around: &[VariableId],
    ) -> Option<Sessions> {
        let (mut variables, mut at) = (Vec::new(), root);
        while let ValuedNode::Fresh(x, inner) = valued.nodes[at] {
            variables.push(x);
            at = inner;
        }
        let is_fresh = variables.contains(&key);
        let ValuedNode::LoopC(Pool::ALL, mut body) = valued.nodes[at] else { return None };
        while let ValuedNode::New(x, inner) = valued.nodes[body] {
            variables.push(x);
            body = inner;
        }
        if !variables.contains(&key) {
            return None;
        }
        let others = variables.into_iter().filter(|&x| x != key).collect();
        let (inside, outside) = (leaves(valued, body), leaves(valued, valued.root));
        let mut fields: BTreeMap<Action, FieldId> = BTreeMap::new();
        for part in inside.iter().flat_map(|&leaf| valued.parts(leaf)) {
            let is_key = |atom: &&Atom| atom.binds() == Some(key) && atom.field != Valued::TIME;
            let field = part.guard.iter().find(is_key)?.field;
            if *fields.entry(part.action).or_insert(field) != field {
                return None;
            }
        }
        // A node that stands inside and outside would be found inside only, so places are counted.
        let is_elsewhere = |leaf: &ValuedId| {
            let known = |part: &Part| fields.contains_key(&part.action);
            !inside.contains(leaf) && valued.parts(*leaf).iter().any(known)
        };
        let is_once = places(valued, root) == 1;
        if !is_once || outside.iter().any(is_elsewhere) {
            return None;
        }
        Some(Sessions { around: around.to_vec(), key, is_fresh, others, body, fields })
    }

    /// Whether all events of these sessions carry their key.
    fn is_apart(&self, pool: &Pool, ValuedCase { trace, facts, .. }: ValuedCase<'_>) -> bool {
        trace.partition().components().all(|component| {
            trace.steps(component).iter().enumerate().all(|(at, step)| {
                let field = self.fields.get(&pool.action(step.action()).without_peer());
                field.is_none_or(|&field| facts.value(field, component, at).is_some())
            })
        })
    }
}

/// The leaves below a node.
fn leaves(valued: &Valued, root: ValuedId) -> Vec<ValuedId> {
    let mut is_met = vec![false; valued.nodes.len()];
    let (mut pending, mut found) = (vec![root], Vec::new());
    while let Some(at) = pending.pop() {
        if std::mem::replace(&mut is_met[at.index()], true) {
            continue;
        }
        match &valued.nodes[at] {
            ValuedNode::Empty => {}
            ValuedNode::Event(_) => found.push(at),
            ValuedNode::Strict(..)
            | ValuedNode::Coreg(..)
            | ValuedNode::Alt(..)
            | ValuedNode::LoopS(_)
            | ValuedNode::LoopC(..)
            | ValuedNode::New(..)
            | ValuedNode::Fresh(..) => pending.extend(operands(&valued.nodes[at])),
        }
    }
    found
}

fn operands(node: &ValuedNode) -> Vec<ValuedId> {
    match node {
        ValuedNode::Empty | ValuedNode::Event(_) => Vec::new(),
        ValuedNode::Strict(i, j) | ValuedNode::Coreg(_, i, j) | ValuedNode::Alt(i, j) => {
            vec![*i, *j]
        }
        ValuedNode::LoopS(i)
        | ValuedNode::LoopC(_, i)
        | ValuedNode::New(_, i)
        | ValuedNode::Fresh(_, i) => vec![*i],
    }
}

/// The number of places of a node in the tree, at most 2. Operands have smaller numbers than their operators.
fn places(valued: &Valued, node: ValuedId) -> usize {
    let mut count = vec![0_usize; valued.nodes.len()];
    count[valued.root.index()] = 1;
    for (id, own) in valued.nodes.iter_with_ids().collect::<Vec<_>>().into_iter().rev() {
        let times = count[id.index()];
        for operand in operands(own) {
            count[operand.index()] = (count[operand.index()] + times).min(2);
        }
    }
    count[node.index()]
}

/// A value that logs give a variable. That of an anchor is of an epoch of its clock.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Given {
    value: Value,
    epoch: Epoch,
}

/// The value that stands for a variable; `None` is any value that no log gives it.
type Chosen = Option<Given>;

/// What an event carries: its peer and the values of guarded fields, and the epoch of its time.
type Letter = (ActionId, Vec<Option<Value>>, Epoch);

/// The message of a letter, and an event of the logs that is this letter.
type Met = (MessageId, (ComponentId, usize));

/// The interaction would be too large.
#[derive(Debug)]
struct TooLarge;

/// Makes the terms.
struct Maker<'a> {
    pool: &'a Pool,
    case: ValuedCase<'a>,
    question: &'a Question,
    anchors: Vec<Option<usize>>,
    made: Pool,
    /// By action: the fields that its guards name.
    fields: BTreeMap<Action, Vec<FieldId>>,
    /// By action: its letters, with an event of the logs for each.
    letters: BTreeMap<Action, Vec<Met>>,
    letter_of: FxHashMap<(ComponentId, usize), ActionId>,
    unseen: BTreeMap<Action, MessageId>,
    /// By variable: the values that logs may give it.
    candidates: Vec<Vec<Given>>,
    /// By node: the variables that are free below it.
    free: Vec<Vec<VariableId>>,
    done: FxHashMap<(ValuedId, Vec<Chosen>), Option<TermId>>,
    count: usize,
}

impl<'a> Maker<'a> {
    fn new(
        pool: &'a Pool,
        case: ValuedCase<'a>,
        question: &'a Question,
        events: &[Vec<usize>],
    ) -> Self {
        let ValuedCase { valued, trace, facts, .. } = case;
        let mut maker = Maker {
            pool,
            case,
            question,
            anchors: anchors(valued, trace.partition()),
            made: Pool::new(pool.signature().clone()),
            fields: BTreeMap::new(),
            letters: BTreeMap::new(),
            letter_of: FxHashMap::default(),
            unseen: BTreeMap::new(),
            candidates: vec![Vec::new(); valued.variables.len()],
            free: Vec::new(),
            done: FxHashMap::default(),
            count: 0,
        };
        let mut binding: BTreeMap<Action, Vec<(FieldId, VariableId)>> = BTreeMap::new();
        for part in valued.nodes.ids().flat_map(|id| valued.parts(id)) {
            let fields = maker.fields.entry(part.action).or_default();
            fields.extend(part.guard.iter().map(|atom| atom.field));
            fields.sort_unstable();
            fields.dedup();
            let bound = part.guard.iter().filter_map(|atom| Some((atom.field, atom.binds()?)));
            binding.entry(part.action).or_default().extend(bound);
        }
        let mut known: FxHashMap<Letter, MessageId> = FxHashMap::default();
        for component in trace.partition().components() {
            for &step in &events[component.index()] {
                let action_id = trace.steps(component)[step].action();
                let action = pool.action(action_id).without_peer();
                let fields = maker.fields.get(&action).cloned().unwrap_or_default();
                let values: Vec<_> =
                    fields.iter().map(|&field| facts.known(field, component, step)).collect();
                let text = fields.iter().zip(&values).map(|(&field, value)| match value {
                    Some(value) => format!("{}={}", valued.field_name(field), shown(field, value)),
                    None => format!("{}=?", valued.field_name(field)),
                });
                let text = text.collect::<Vec<_>>().join(", ");
                let name = pool.signature().message_name(action.message);
                let count = known.len();
                let has_time = fields.contains(&Valued::TIME);
                let epoch = if has_time { maker.epoch(component, step) } else { 0 };
                let message = *known.entry((action_id, values, epoch)).or_insert_with(|| {
                    // Different letters have different names, even if their texts are the same.
                    let message = maker.made.add_message(&format!("{name}({text})#{count}"));
                    let own = maker.letters.entry(action).or_default();
                    own.push((message, (component, step)));
                    message
                });
                let letter = maker.made.intern_action(Action { message, ..action });
                maker.letter_of.insert((component, step), letter);
                for &(field, variable) in binding.get(&action).into_iter().flatten() {
                    let own = &mut maker.candidates[variable.index()];
                    let epoch = if field == Valued::TIME { epoch } else { 0 };
                    if let Some(value) = facts.known(field, component, step) {
                        let given = Given { value, epoch };
                        if !own.contains(&given) {
                            own.push(given);
                        }
                    }
                }
            }
        }
        for node in &valued.nodes {
            let below = operands(node);
            let mut free: Vec<VariableId> =
                below.iter().flat_map(|it| maker.free[it.index()].clone()).collect();
            if let ValuedNode::Event(parts) = node {
                let atoms = parts.iter().flat_map(|part| part.guard.iter());
                free.extend(atoms.filter_map(Atom::variable));
            }
            if let ValuedNode::New(x, _) | ValuedNode::Fresh(x, _) = node {
                free.retain(|other| other != x);
            }
            free.sort_unstable();
            free.dedup();
            maker.free.push(free);
        }
        maker
    }

    /// The sessions with some values of their key.
    fn sessions(
        &mut self,
        sessions: &Sessions,
        values: &[Value],
    ) -> Result<Option<TermId>, TooLarge> {
        let Sessions { around, key, is_fresh, others, body, .. } = sessions;
        let all = self.choices(around, &BTreeMap::new())?;
        let mut ways = None;
        for chosen in all {
            let mut parts = Pool::EMPTY;
            for value in values {
                let mut chosen = chosen.clone();
                chosen.insert(*key, Some(Given { value: value.clone(), epoch: 0 }));
                let one = self.iteration(*body, others, &chosen)?;
                let one = self.repeated(one, *is_fresh);
                parts = self.made.par(parts, one);
            }
            ways = self.either(ways, Some(parts));
        }
        Ok(ways)
    }

    /// No iteration or one of them, or any number in parallel.
    fn repeated(&mut self, one: Option<TermId>, is_once: bool) -> TermId {
        match one {
            None => Pool::EMPTY,
            Some(one) if is_once => self.made.alt(one, Pool::EMPTY),
            Some(one) => self.made.loop_p(one),
        }
    }

    /// All ways to choose values for some variables.
    fn choices(
        &self,
        variables: &[VariableId],
        chosen: &BTreeMap<VariableId, Chosen>,
    ) -> Result<Vec<BTreeMap<VariableId, Chosen>>, TooLarge> {
        let mut all = vec![chosen.clone()];
        for &variable in variables {
            let known = &self.candidates[variable.index()];
            let values: Vec<Chosen> = known.iter().cloned().map(Some).chain([None]).collect();
            if all.len().saturating_mul(values.len()) > MANY {
                return Err(TooLarge);
            }
            let with = |chosen: &BTreeMap<VariableId, Chosen>, value: &Chosen| {
                let mut chosen = chosen.clone();
                chosen.insert(variable, value.clone());
                chosen
            };
            all = all
                .iter()
                .flat_map(|chosen| values.iter().map(|value| with(chosen, value)))
                .collect();
        }
        Ok(all)
    }

    /// A body with any values of some variables.
    fn iteration(
        &mut self,
        body: ValuedId,
        variables: &[VariableId],
        chosen: &BTreeMap<VariableId, Chosen>,
    ) -> Result<Option<TermId>, TooLarge> {
        let free = &self.free[body.index()];
        let variables: Vec<_> = variables.iter().copied().filter(|x| free.contains(x)).collect();
        let mut ways = None;
        for chosen in self.choices(&variables, chosen)? {
            let way = self.node(body, &chosen)?;
            ways = self.either(ways, way);
        }
        Ok(ways)
    }

    fn either(&mut self, one: Option<TermId>, other: Option<TermId>) -> Option<TermId> {
        match (one, other) {
            (Some(one), Some(other)) if one != other => Some(self.made.alt(one, other)),
            (one, other) => one.or(other),
        }
    }

    /// The term of a node with values for its variables: `None` if it has no execution, not even the
    /// empty one. Depth is that of the text.
    fn node(
        &mut self,
        id: ValuedId,
        chosen: &BTreeMap<VariableId, Chosen>,
    ) -> Result<Option<TermId>, TooLarge> {
        let free = &self.free[id.index()];
        let key: Vec<Chosen> =
            free.iter().map(|x| chosen.get(x).cloned().unwrap_or_default()).collect();
        if let Some(known) = self.done.get(&(id, key.clone())) {
            return Ok(*known);
        }
        self.count += 1;
        if self.count > MANY {
            return Err(TooLarge);
        }
        let valued = self.case.valued;
        let found = match &valued.nodes[id] {
            ValuedNode::Empty => Some(Pool::EMPTY),
            ValuedNode::Event(parts) => match parts.first() {
                Some(part) => self.leaf(part, chosen),
                None => Some(Pool::EMPTY),
            },
            ValuedNode::Strict(i, j) => {
                let (i, j) = (self.node(*i, chosen)?, self.node(*j, chosen)?);
                i.zip(j).map(|(i, j)| self.made.strict(i, j))
            }
            ValuedNode::Coreg(region, i, j) => {
                let region = self.made.intern_region(&self.pool.region(*region));
                let (i, j) = (self.node(*i, chosen)?, self.node(*j, chosen)?);
                i.zip(j).map(|(i, j)| self.made.coreg(region, i, j))
            }
            ValuedNode::Alt(i, j) => {
                let (i, j) = (self.node(*i, chosen)?, self.node(*j, chosen)?);
                self.either(i, j)
            }
            ValuedNode::LoopS(i) => {
                let body = self.node(*i, chosen)?;
                Some(body.map_or(Pool::EMPTY, |body| self.made.loop_s(body)))
            }
            ValuedNode::LoopC(region, i) => {
                let region = self.made.intern_region(&self.pool.region(*region));
                let body = self.node(*i, chosen)?;
                Some(body.map_or(Pool::EMPTY, |body| self.made.loop_c(region, body)))
            }
            ValuedNode::New(x, i) => self.iteration(*i, &[*x], chosen)?,
            ValuedNode::Fresh(x, i) => Some(self.fresh(*x, *i, chosen)?),
        };
        self.done.insert((id, key), found);
        Ok(found)
    }

    /// A loop with a fresh variable.
    fn fresh(
        &mut self,
        x: VariableId,
        inner: ValuedId,
        chosen: &BTreeMap<VariableId, Chosen>,
    ) -> Result<TermId, TooLarge> {
        let valued = self.case.valued;
        let (mut variables, mut at) = (vec![x], inner);
        while let ValuedNode::Fresh(x, inner) = valued.nodes[at] {
            variables.push(x);
            at = inner;
        }
        Ok(match valued.nodes[at] {
            ValuedNode::LoopC(Pool::ALL, body) => {
                let (x, others) = (variables[0], &variables[1..]);
                let values = self.candidates[x.index()].clone();
                let mut all = Pool::EMPTY;
                for value in values.into_iter().map(Some).chain([None]) {
                    let is_once = value.is_some();
                    let mut chosen = chosen.clone();
                    chosen.insert(x, value);
                    let one = self.iteration(body, others, &chosen)?;
                    if let Some(one) = one {
                        let one = self.repeated(Some(one), is_once);
                        all = if all == Pool::EMPTY { one } else { self.made.par(all, one) };
                    }
                }
                all
            }
            ValuedNode::LoopC(region, body) => {
                let region = self.made.intern_region(&self.pool.region(region));
                let one = self.iteration(body, &variables, chosen)?;
                one.map_or(Pool::EMPTY, |one| self.made.loop_c(region, one))
            }
            ValuedNode::LoopS(body) => {
                let one = self.iteration(body, &variables, chosen)?;
                one.map_or(Pool::EMPTY, |one| self.made.loop_s(one))
            }
            ValuedNode::Empty
            | ValuedNode::Event(_)
            | ValuedNode::Strict(..)
            | ValuedNode::Coreg(..)
            | ValuedNode::Alt(..)
            | ValuedNode::New(..)
            | ValuedNode::Fresh(..) => return Err(TooLarge),
        })
    }

    /// The events that a leaf can be.
    fn leaf(&mut self, part: &Part, chosen: &BTreeMap<VariableId, Chosen>) -> Option<TermId> {
        let mut found: Option<TermId> = None;
        for (message, (component, step)) in
            self.letters.get(&part.action).cloned().unwrap_or_default()
        {
            let action = self.pool.action(self.case.trace.steps(component)[step].action());
            let has_peer = action.peer.is_none_or(|peer| part.peers.contains(&peer));
            let place = (component, self.epoch(component, step));
            let value = |field| {
                let known = self.case.facts.known(field, component, step);
                known.or_else(|| self.implied(part, field, place, chosen))
            };
            let mut guard = part.guard.iter();
            if has_peer && guard.all(|atom| self.may_hold(atom, place, value(atom.field), chosen)) {
                let letter = self.made.single(Action { message, ..part.action });
                found = self.either(found, Some(letter));
            }
        }
        if self.may_be_unseen(part, chosen) {
            let made = &mut self.made;
            let name = self.pool.signature().message_name(part.action.message);
            let message = *self
                .unseen
                .entry(part.action)
                .or_insert_with(|| made.add_message(&format!("{name}(?)")));
            let letter = self.made.single(Action { message, ..part.action });
            found = self.either(found, Some(letter));
        }
        found
    }

    /// The value that a field must have that was not logged, by an atom `f = c` or `f = x`.
    fn implied(
        &self,
        part: &Part,
        field: FieldId,
        place: (ComponentId, Epoch),
        chosen: &BTreeMap<VariableId, Chosen>,
    ) -> Option<Value> {
        part.guard.iter().filter(|atom| atom.field == field).find_map(|atom| match &atom.test {
            Test::Compare(Relation::Equal, Operand::Constant(value)) => Some(value.clone()),
            Test::Compare(..) => {
                let given = chosen.get(&atom.binds()?)?.as_ref()?;
                (self.gap(atom, place, given.epoch)? == Gap::None).then(|| given.value.clone())
            }
            Test::In(_) | Test::Matches(_) => None,
        })
    }

    /// Whether an atom holds for some value of what is not known.
    fn may_hold(
        &self,
        atom: &Atom,
        place: (ComponentId, Epoch),
        value: Option<Value>,
        chosen: &BTreeMap<VariableId, Chosen>,
    ) -> bool {
        let Test::Compare(relation, Operand::Variable(x, offset)) = &atom.test else {
            return value.is_none_or(|value| atom.test.holds(&value, None));
        };
        match (chosen.get(x), value) {
            (Some(Some(known)), value) => {
                // An event sets an anchor on its own clock.
                let Some(gap) = self.gap(atom, place, known.epoch) else { return false };
                let sureness = Sureness { gap, strict: false };
                value.is_none_or(|value| sureness.holds(&value, *relation, &known.value, *offset))
            }
            // Another value than all that events give it. (A value that a guard implies need not be one of these.)
            (Some(None), Some(value)) if atom.binds() == Some(*x) => {
                let epoch = if atom.field == Valued::TIME { place.1 } else { 0 };
                self.gap(atom, place, epoch) != Some(Gap::None)
                    || !self.candidates[x.index()].contains(&Given { value, epoch })
            }
            (Some(None) | None, _) => true,
        }
    }

    /// The epoch of a step.
    fn epoch(&self, component: ComponentId, step: usize) -> Epoch {
        epoch_of(self.case.facts.breaks(component), step)
    }

    /// The uncertainty between the clock of an event and that of an anchor, given its epoch; `None` if the event sets the anchor,
    /// but on another clock.
    fn gap(
        &self,
        atom: &Atom,
        (component, epoch): (ComponentId, Epoch),
        anchor: Epoch,
    ) -> Option<Gap> {
        let ValuedCase { facts, clocks, .. } = self.case;
        let clock = atom.variable().filter(|_| atom.field == Valued::TIME);
        let Some(clock) = clock.and_then(|x| self.anchors.get(x.index()).copied().flatten()) else {
            return Some(Gap::None);
        };
        let is_broken = !facts.breaks(ComponentId::new(clock)).is_empty();
        let (event, sets) = ((component.index(), epoch), atom.binds().is_some());
        match between(event, (clock, is_broken), sets, clocks.uncertainty) {
            Between::Sets(own) if own != anchor => None,
            between @ (Between::Gap(_) | Between::If(..) | Between::Sets(_)) => {
                Some(between.gap(Some(anchor)))
            }
        }
    }

    /// Whether an event may be one that no log has: before its log, or after it.
    fn may_be_unseen(&self, part: &Part, chosen: &BTreeMap<VariableId, Chosen>) -> bool {
        let component = self.case.trace.partition().component_of(part.action.lifeline);
        let observed = self.question.of(component);
        // A global prefix stops on all components at once.
        let is_global = *self.question == Question::GlobalPrefix;
        let is_unobserved = !is_global && observed == Observed::Unobserved;
        let before = is_unobserved || (!is_global && observed.may_start_late());
        let after = is_global || observed.may_stop_early();
        let last = self.epoch(component, usize::MAX);
        let holds = |epoch: Epoch| {
            part.guard.iter().all(|atom| {
                let value = self.implied(part, atom.field, (component, epoch), chosen);
                self.may_hold(atom, (component, epoch), value, chosen)
            })
        };
        before && holds(0) || after && holds(last) && self.is_after(part, (component, last), chosen)
    }

    /// Whether an event may come after the end of its log: no deadline has passed by then.
    fn is_after(
        &self,
        part: &Part,
        (component, epoch): (ComponentId, Epoch),
        chosen: &BTreeMap<VariableId, Chosen>,
    ) -> bool {
        let ValuedCase { trace, facts, .. } = self.case;
        let steps = steps_of(facts.breaks(component), trace.steps(component).len(), epoch);
        let Some(last) = steps.rev().find_map(|step| facts.time(component, step)) else {
            return true;
        };
        part.guard.iter().all(|atom| {
            let is_deadline = |relation: Relation| {
                matches!(relation, Relation::Less | Relation::LessEqual | Relation::Equal)
            };
            let Test::Compare(relation, Operand::Variable(x, offset)) = &atom.test else {
                return true;
            };
            let Some(Some(known)) = chosen.get(x) else { return true };
            if atom.field != Valued::TIME || !is_deadline(*relation) {
                return true;
            }
            let Some(gap) = self.gap(atom, (component, epoch), known.epoch) else { return false };
            let sureness = Sureness { gap, strict: false };
            // An earlier time than the last one is too early, and a later one too late, if the last one is.
            let relation =
                if *relation == Relation::Equal { Relation::LessEqual } else { *relation };
            sureness.holds(&Value::integer(last), relation, &known.value, *offset)
        })
    }
}
