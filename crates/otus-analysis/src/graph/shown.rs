//! The recorded graph of a search with values, made readable.
//!
//! The nodes of such a search refer to letters and stores. Here each node gets an ordinary term whose messages are texts,
//! `PUBREC[mid = 7]`: the guard of the leaf, in which variables whose value is known have it, and others a number for each
//! iteration (`m2`). Steps carry what was logged, `PUBLISH(mid=7)`, or the guard if they were not observed. So whoever
//! draws, prints or exports a graph needs to know nothing of values, except for the conditions of a node
//! ([`Recorded::conditions`](super::record::Recorded::conditions)).

use std::fmt::Write as _;

use otus_core::algebra::fold::fold;
use otus_core::index::Index as _;
use otus_core::letters::{InstanceId, LetterId};
use otus_core::valued::{Atom, FieldId, Operand, Test, Valued, ValuedId, VariableId};
use otus_core::{Action, ActionId, Direction, EventId, LifelineId, Pool, Term, TermId, Value};
use otus_syntax::ast::guard::{Duration, Relation};
use otus_syntax::{Rational, SourceId, print};
use otus_trace::facts::literal_of;
use otus_trace::multitrace::Builder;
use otus_trace::{ComponentId, Facts, MultiTrace};
use rustc_hash::FxHashMap;

use super::record::Graph;
use super::state::{Occurrence, Rule, SearchState, StoreId};
use super::values::Learned;
use crate::values::condition::{Condition, Open, Requirement};
use crate::values::memory::{Member, Register};

/// A graph whose ids refer to the tables beside it.
#[derive(Debug)]
pub struct Shown {
    /// The terms, with guards and values in the names of messages.
    pub pool: Pool,
    /// The multi-trace, with values in the names of messages.
    pub trace: Option<MultiTrace>,
    /// The graph.
    pub graph: Graph,
}

impl Learned {
    /// Makes a recorded graph readable. `original` is the pool of the specification and of the multi-trace.
    pub fn show(
        &mut self,
        original: &Pool,
        graph: &Graph,
        analysed: Option<(&MultiTrace, &Facts)>,
    ) -> Shown {
        let mut view =
            View { pool: original.clone(), names: self.names(), done: FxHashMap::default() };
        let mut shown = graph.clone();
        for node in &mut shown.nodes {
            node.conditions = Some(self.conditions(&view, &node.state));
        }
        let rule =
            |rule: &mut Rule, parent: &SearchState, learned: &mut Learned, view: &mut View| {
                if let Rule::Execute(now) | Rule::Simulate(now) = rule {
                    now.event = learned.event(view, original, now, parent, analysed);
                    now.observed = learned.region(view, now.observed);
                } else if let Rule::Remove(region) = rule {
                    *region = learned.region(view, *region);
                }
            };
        for at in 0..shown.nodes.len() {
            if let Some((parent, by)) = &mut shown.nodes[at].parent {
                rule(by, &graph.nodes[parent.index()].state, self, &mut view);
            }
        }
        for (parent, by, _) in &mut shown.again {
            rule(by, &graph.nodes[parent.index()].state, self, &mut view);
        }
        for node in &mut shown.nodes {
            node.state.term = self.term(&mut view, &node.state);
            node.state.removed = self.region(&mut view, node.state.removed);
        }
        let trace = analysed.map(|(trace, facts)| {
            let mut builder = Builder::new(trace.partition().clone(), trace.len(), false);
            for component in trace.partition().components() {
                let mut step = 0;
                for moment in trace.moments(component) {
                    builder.next_moment();
                    for own in moment {
                        let action = original.action(own.action());
                        let values = carried(&self.valued, facts, [(component, step)].into_iter());
                        builder.push(view.action(action, &values), 0);
                        step += 1;
                    }
                }
                builder.next_component();
            }
            builder.finish(SourceId(0))
        });
        Shown { pool: view.pool, trace, graph: shown }
    }

    /// The leaf of the valued tree that a step of the search is about.
    pub fn leaf(&self, event: EventId) -> Option<ValuedId> {
        self.letters.letter_of(event).map(|letter| self.letters.letter(letter).leaf)
    }

    /// By instance: the name of its variable, numbered if there are several.
    fn names(&self) -> Vec<String> {
        let all: Vec<VariableId> = (0..self.letters.instance_count())
            .map(|at| self.letters.instance(InstanceId::new(at)).variable)
            .collect();
        let mut met: FxHashMap<VariableId, usize> = FxHashMap::default();
        let name = |variable: &VariableId| {
            let name = &self.valued.variables[*variable];
            let binder_repeats = all.iter().filter(|other| *other == variable).count() > 1;
            let number = met.entry(*variable).or_default();
            *number += 1;
            if binder_repeats { format!("{name}{number}") } else { name.to_string() }
        };
        all.iter().map(name).collect()
    }

    fn region(&self, view: &mut View, region: otus_core::RegionId) -> otus_core::RegionId {
        view.pool.intern_region(&self.letters.pool.region(region))
    }

    /// The value of an instance at a node, if it is known there.
    fn value(&self, state: &SearchState, instance: InstanceId) -> Option<&Value> {
        let layout = self.layouts.get(&state.term)?;
        let at = layout.instances.iter().position(|&own| own == instance)?;
        match self.stores.items[state.store].memory.registers.get(at)? {
            Register::Known(value) => Some(value),
            Register::Open(..) | Register::Missing | Register::Set(_) => None,
        }
    }

    /// The guards of letters at a node: `[mid = 7, within 2s of s]`. What only some of their actions ask for stands behind
    /// the name of the lifeline.
    fn guard(&mut self, view: &View, letters: &[LetterId], state: &SearchState) -> String {
        let mut all: Vec<(LifelineId, Vec<(FieldId, String)>)> = Vec::new();
        for &letter in letters {
            let leaf = self.letters.letter(letter).leaf;
            for part in self.valued.parts(leaf).to_vec() {
                let mut texts = Vec::new();
                for atom in &part.guard {
                    let operand = atom.variable().map(|variable| {
                        let Some(instance) = self.letters.argument(letter, variable) else {
                            return Named::Open(self.valued.variables[variable].to_string());
                        };
                        match self.value(state, instance) {
                            Some(value) => Named::Known(value.clone()),
                            None => Named::Open(view.names[instance.index()].clone()),
                        }
                    });
                    texts.push((atom.field, atom_text(&self.valued, atom, operand)));
                }
                all.push((part.action.lifeline, texts));
            }
        }
        let mut atoms: Vec<String> = Vec::new();
        for (lifeline, texts) in &all {
            for text in texts {
                let name = view.pool.signature().lifeline_name(*lifeline);
                let shown = match text {
                    (_, shown) if all.iter().all(|(_, other)| other.contains(text)) => {
                        shown.clone()
                    }
                    (Valued::TIME, shown) => format!("{name} {shown}"),
                    (_, shown) => format!("{name}.{shown}"),
                };
                if !atoms.contains(&shown) {
                    atoms.push(shown);
                }
            }
        }
        if atoms.is_empty() { String::new() } else { format!("[{}]", atoms.join(", ")) }
    }

    /// The interaction of a node.
    fn term(&mut self, view: &mut View, state: &SearchState) -> TermId {
        let mut done = view.done.remove(&state.store).unwrap_or_default();
        let mut source =
            std::mem::replace(&mut self.letters.pool, Pool::new(otus_core::Signature::default()));
        let term = fold(
            &mut source,
            state.term,
            &mut done,
            |_, _| None,
            |source, term, operands: &[TermId]| {
                let region =
                    |view: &mut View, region| view.pool.intern_region(&source.region(region));
                match (source.node(term), operands) {
                    (Term::Event(event), _) => {
                        std::mem::swap(source, &mut self.letters.pool);
                        let shown = self.letter_event(view, event, state);
                        std::mem::swap(source, &mut self.letters.pool);
                        view.pool.event(shown)
                    }
                    (Term::Strict(i, j), &[left, right]) => {
                        std::mem::swap(source, &mut self.letters.pool);
                        let passing = self.passing(view, [i, j], state);
                        std::mem::swap(source, &mut self.letters.pool);
                        let [left, right] = passing.unwrap_or([left, right]);
                        view.pool.strict(left, right)
                    }
                    (Term::Coreg(own, ..), &[left, right]) => {
                        let own = region(view, own);
                        view.pool.coreg(own, left, right)
                    }
                    (Term::Alt(..), &[left, right]) => view.pool.alt(left, right),
                    (Term::LoopS(_), &[body]) => view.pool.loop_s(body),
                    (Term::LoopC(own, _), &[body]) => {
                        let own = region(view, own);
                        view.pool.loop_c(own, body)
                    }
                    _ => Pool::EMPTY,
                }
            },
        );
        self.letters.pool = source;
        view.done.insert(state.store, done);
        term
    }

    /// Both ends of a message passing with the guards of both, so that they are recognized as one arrow.
    fn passing(
        &mut self,
        view: &mut View,
        ends: [TermId; 2],
        state: &SearchState,
    ) -> Option<[TermId; 2]> {
        let [send, receive] = ends.map(|end| self.letters.pool.node(end).as_event());
        let (send, receive) = (send?, receive?);
        let pool = &self.letters.pool;
        let message = |event: EventId| {
            let [action] = pool.event_actions(event) else { return None };
            let Action { direction, message, .. } = pool.action(*action);
            Some((direction, super::values::plain(&self.letters, &self.valued, message)))
        };
        let (sent, received) = (message(send)?, message(receive)?);
        let is_passing = sent.0 == Direction::Emission && received.0 == Direction::Reception;
        if !is_passing || sent.1 != received.1 {
            return None;
        }
        let letters = [self.letters.letter_of(send)?, self.letters.letter_of(receive)?];
        let guard = self.guard(view, &letters, state);
        Some([send, receive].map(|event| {
            let shown = self.with(&mut view.pool, event, &guard);
            view.pool.event(shown)
        }))
    }

    /// The event of a leaf, with its guard.
    fn letter_event(&mut self, view: &mut View, event: EventId, state: &SearchState) -> EventId {
        let guard = match self.letters.letter_of(event) {
            Some(letter) => self.guard(view, &[letter], state),
            None => String::new(),
        };
        self.with(&mut view.pool, event, &guard)
    }

    /// An event of letters as one of the specification, with a text behind the name of its message.
    fn with(&self, shown: &mut Pool, event: EventId, text: &str) -> EventId {
        let pool = &self.letters.pool;
        let actions: Vec<Action> = pool
            .event_actions(event)
            .iter()
            .map(|&action| {
                let action = pool.action(action);
                let message = super::values::plain(&self.letters, &self.valued, action.message);
                let name = format!("{}{text}", shown.signature().message_name(message));
                Action { message: shown.add_message(&name), ..action }
            })
            .collect();
        shown.intern_event(&actions)
    }

    /// The event of a step, with what was logged or, if it was not observed, with its guard.
    fn event(
        &mut self,
        view: &mut View,
        original: &Pool,
        now: &Occurrence,
        parent: &SearchState,
        analysed: Option<(&MultiTrace, &Facts)>,
    ) -> EventId {
        let observed = self.letters.pool.region(now.observed);
        let Some((trace, facts)) = analysed.filter(|_| !observed.is_empty()) else {
            return self.letter_event(view, now.event, parent);
        };
        let pool = &self.letters.pool;
        let actions = pool.event_actions(now.event).iter().map(|&action| pool.action(action));
        let mut steps: Vec<(ComponentId, usize)> = Vec::new();
        for action in actions.filter(|action| observed.contains(action.lifeline)) {
            let component = trace.partition().component_of(action.lifeline);
            let consumed = parent.consumed[component.index()] as usize;
            let start: usize = trace.moments(component).take(consumed).map(<[_]>::len).sum();
            let length = trace.moments(component).nth(consumed).map_or(0, <[_]>::len);
            let message = super::values::plain(&self.letters, &self.valued, action.message);
            let plain = Action { message, ..action };
            let is_own = |&at: &usize| {
                let step = trace.steps(component)[at];
                original.action(step.action()).without_peer() == plain
            };
            steps.extend((start..start + length).find(is_own).map(|at| (component, at)));
        }
        let values = carried(&self.valued, facts, steps.into_iter());
        self.with(&mut view.pool, now.event, &values)
    }

    /// The conditions of a node on what is not known, and the values that later iterations must avoid.
    fn conditions(&self, view: &View, state: &SearchState) -> Vec<String> {
        let memory = &self.stores.items[state.store].memory;
        let layout = self.layouts.get(&state.term);
        let instances = layout.map_or(&[][..], |layout| &layout.instances);
        let lists = layout.map_or(&[][..], |layout| &layout.lists);
        let mut names: FxHashMap<Open, String> = FxHashMap::default();
        for (register, instance) in memory.registers.iter().zip(instances) {
            if let Register::Open(open, _) = register {
                names.entry(*open).or_insert_with(|| view.names[instance.index()].clone());
            }
        }
        let name = |open: Open| names.get(&open).cloned().unwrap_or_else(|| format!("?{}", open.0));
        let conditions = memory.conditions.iter().map(|Condition { on, test }| {
            let on = name(*on);
            match test {
                Requirement::Constant(relation, value) => {
                    format!("{on} {} {value}", relation.symbol())
                }
                Requirement::Variable(relation, other, offset) => {
                    let (relation, other) = (relation.symbol(), name(*other));
                    format!("{on} {relation} {other}{}", plus_text(*offset))
                }
                Requirement::In(values) => {
                    let values: Vec<String> = values.iter().map(ToString::to_string).collect();
                    format!("{on} in {{{}}}", values.join(", "))
                }
                Requirement::Matches(pattern) => format!("{on} ~ {pattern:?}"),
            }
        });
        let sets = memory.registers.iter().skip(instances.len()).zip(lists);
        let sets = sets.filter_map(|(register, (variable, ..))| {
            let Register::Set(members) = register else { return None };
            let members: Vec<String> = members
                .iter()
                .filter_map(|member| match member {
                    Member::Known(value) => Some(value.to_string()),
                    Member::Open(open, _) => Some(name(*open)),
                    Member::Missing => None,
                })
                .collect();
            let variable = &self.valued.variables[*variable];
            (!members.is_empty())
                .then(|| format!("next {variable} not in {{{}}}", members.join(", ")))
        });
        conditions.chain(sets).collect()
    }
}

/// The pool in which a graph is shown.
struct View {
    pool: Pool,
    /// By instance: its name.
    names: Vec<String>,
    done: FxHashMap<StoreId, FxHashMap<TermId, TermId>>,
}

impl View {
    fn action(&mut self, action: Action, text: &str) -> ActionId {
        let name = format!("{}{text}", self.pool.signature().message_name(action.message));
        let message = self.pool.add_message(&name);
        self.pool.intern_action(Action { message, ..action })
    }
}

/// A variable of a guard.
enum Named {
    Known(Value),
    Open(String),
}

/// What was logged of an event: `(mid=7, time=1.5)`, or nothing.
fn carried(
    valued: &Valued,
    facts: &Facts,
    steps: impl Iterator<Item = (ComponentId, usize)>,
) -> String {
    let mut texts: Vec<String> = Vec::new();
    for (component, step) in steps {
        // The time comes last, as in the texts of traces.
        let fields = valued.fields.items.ids().filter(|&field| field != Valued::TIME);
        for field in fields.chain([Valued::TIME]) {
            let Some(value) = facts.known(field, component, step) else { continue };
            let text = format!("{}={}", valued.field_name(field), value_text(field, &value));
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
    }
    if texts.is_empty() { String::new() } else { format!("({})", texts.join(", ")) }
}

fn value_text(field: FieldId, value: &Value) -> String {
    print::trace_value(&literal_of(field, value))
}

/// An atom with its variable as it is known.
fn atom_text(valued: &Valued, atom: &Atom, operand: Option<Named>) -> String {
    let Test::Compare(relation, Operand::Variable(_, offset)) = &atom.test else {
        return valued.atom_text(atom);
    };
    let Some(operand) = operand else { return valued.atom_text(atom) };
    let name = match &operand {
        Named::Known(value) => value_text(atom.field, value),
        Named::Open(name) => name.clone(),
    };
    if atom.field != Valued::TIME {
        let field = valued.field_name(atom.field);
        return format!("{field} {} {name}{}", relation.symbol(), plus_text(*offset));
    }
    let duration = offset.integer().map(|nanoseconds| Duration(nanoseconds).to_string());
    let is_now = *offset == Rational::from(0);
    match (relation, duration) {
        (Relation::Equal, _) if is_now => format!("at {name}"),
        (Relation::LessEqual, Some(duration)) => format!("within {duration} of {name}"),
        (Relation::GreaterEqual, Some(duration)) => format!("at least {duration} after {name}"),
        (relation, duration) => {
            let offset = duration.filter(|_| !is_now);
            let offset = offset.map_or_else(String::new, |duration| format!(" + {duration}"));
            format!("time {} {name}{offset}", relation.symbol())
        }
    }
}

/// What is added to a variable: ` + 2`, ` - 1`, or nothing.
fn plus_text(offset: Rational) -> String {
    let mut text = String::new();
    match offset.cmp(&Rational::from(0)) {
        std::cmp::Ordering::Equal => {}
        std::cmp::Ordering::Greater => {
            let _ = write!(text, " + {offset}");
        }
        std::cmp::Ordering::Less => {
            let _ = write!(text, " - {}", offset.to_string().trim_start_matches('-'));
        }
    }
    text
}
