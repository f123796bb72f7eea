//! Choices: branches, iterations, and which event is observed as which moment.
//!
//! A *derivation* of an interaction takes one branch of every alternative and a number of iterations of every loop. What it
//! leaves are *instances* of leaves, each with its path through the operators that compose, and *instances of variables*: one
//! for every `new` that it passes, and one for every iteration of a loop with `fresh`.
//!
//! On each component on which an instance has an action, it happens before the window, as a moment of the log, or after the
//! window. By the claim proved in [`member`](mod@crate::oracle::member) every iteration may be asked to have a moment of the
//! multi-trace. The proof stays good with values: conditions are on events that are there, and on pairs of them, and the
//! variables of an iteration are its own. So there are finitely many choices, and this search tries them all.
//!
//! The iterations of a `loopP` are not ordered, so it suffices to try them in the order of their first moments.

use std::collections::BTreeMap;
use std::rc::Rc;

use otus_core::index::Index as _;
use otus_core::valued::{Part, ValuedId, ValuedNode, VariableId};
use otus_core::{LifelineSet, Pool};

use super::logs::Logs;
use super::order::{Join, Turn};
use super::store::Store;
use super::{Case, Domain, Sorts, Strength};

/// An occurrence of a leaf in a derivation.
#[derive(Debug)]
pub(super) struct Instance<'a> {
    /// Its actions with their guards.
    pub(super) parts: &'a [Part],
    /// Θ(e), its lifelines.
    pub(super) lifelines: LifelineSet,
    /// Its way through the operators that compose.
    pub(super) path: Rc<Vec<Turn>>,
    /// By variable in scope: its instance.
    pub(super) scope: Rc<BTreeMap<VariableId, usize>>,
    /// By component on which it has an action: its place there.
    pub(super) places: BTreeMap<usize, Place>,
}

/// Where an event is on a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// Before the window.
    Before,
    /// It is this moment of the log.
    Line(usize),
    /// After the window.
    After,
}

/// An instance of a variable.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bound {
    pub(super) variable: VariableId,
    /// The loop whose iterations give it different values.
    pub(super) loop_number: Option<usize>,
}

/// What is left to derive: a stack.
type Agenda = Option<Rc<Next>>;

#[derive(Debug)]
struct Next {
    goal: Goal,
    rest: Agenda,
}

#[derive(Debug, Clone)]
struct Position {
    path: Rc<Vec<Turn>>,
    scope: Rc<BTreeMap<VariableId, usize>>,
}

#[derive(Debug, Clone)]
enum Goal {
    /// This part of the interaction.
    Node(ValuedId, Position),
    /// Any number of further iterations.
    Again(Iterations),
    /// The iteration whose first instance would have this number is over.
    Over(usize, Iterations),
}

/// A loop, and the iterations so far.
#[derive(Debug, Clone)]
struct Iterations {
    body: ValuedId,
    join: Join,
    fresh: Rc<Vec<VariableId>>,
    number: usize,
    at: Position,
    count: usize,
    /// The first moment of the latest iteration.
    latest: Option<(usize, usize)>,
}

/// The search through all choices.
#[derive(Debug)]
pub(super) struct Search<'a> {
    case: &'a Case<'a>,
    logs: &'a Logs,
    sorts: &'a Sorts,
    strength: Strength,
    domain: Domain<'a>,
    left: usize,
    loops: usize,
    instances: Vec<Instance<'a>>,
    bound: Vec<Bound>,
    /// By component and moment: whether an instance is it.
    used: Vec<Vec<bool>>,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        case: &'a Case<'a>,
        logs: &'a Logs,
        sorts: &'a Sorts,
        strength: Strength,
        domain: Domain<'a>,
        limit: usize,
    ) -> Search<'a> {
        let used = logs.components.iter().map(|log| vec![false; log.lines.len()]).collect();
        Search {
            case,
            logs,
            sorts,
            strength,
            domain,
            left: limit,
            loops: 0,
            instances: Vec::new(),
            bound: Vec::new(),
            used,
        }
    }

    /// Whether some choice is an explanation; `None` if the work is more than the limit.
    pub(super) fn run(mut self) -> Option<bool> {
        let start = Position { path: Rc::default(), scope: Rc::default() };
        self.explore(&push(Goal::Node(self.case.valued.root, start), &None))
    }

    fn explore(&mut self, agenda: &Agenda) -> Option<bool> {
        self.left = self.left.checked_sub(1)?;
        let Some(next) = agenda else { return self.complete() };
        let Next { goal, rest } = &**next;
        match goal {
            Goal::Node(node, at) => self.node(*node, at, rest),
            Goal::Again(iterations) => {
                if self.explore(rest)? {
                    return Some(true);
                }
                // Each iteration has a moment of its own.
                if self.used.iter().flatten().all(|used| *used) {
                    return Some(false);
                }
                let before = self.bound.len();
                let mut at = step(&iterations.at, iterations.join, iterations.count);
                for &variable in &*iterations.fresh {
                    at = self.bind(&at, variable, Some(iterations.number));
                }
                let over = Goal::Over(self.instances.len(), iterations.clone());
                let agenda = push(Goal::Node(iterations.body, at), &push(over, rest));
                let found = self.explore(&agenda);
                self.bound.truncate(before);
                found
            }
            Goal::Over(from, iterations) => {
                let lines = self.instances[*from..].iter().flat_map(|instance| {
                    instance.places.iter().filter_map(|(&component, &place)| match place {
                        Place::Line(line) => Some((component, line)),
                        Place::Before | Place::After => None,
                    })
                });
                let Some(first) = lines.min() else { return Some(false) };
                let is_unordered = iterations.join == Join::Coreg(Pool::ALL);
                if is_unordered && iterations.latest.is_some_and(|latest| first < latest) {
                    return Some(false);
                }
                let next = Iterations {
                    count: iterations.count + 1,
                    latest: Some(first),
                    ..iterations.clone()
                };
                self.explore(&push(Goal::Again(next), rest))
            }
        }
    }

    fn node(&mut self, node: ValuedId, at: &Position, rest: &Agenda) -> Option<bool> {
        let valued = self.case.valued;
        match &valued.nodes[node] {
            ValuedNode::Empty => self.explore(rest),
            ValuedNode::Event(parts) => self.event(parts, at, rest),
            ValuedNode::Strict(i, j) => self.pair(Join::Strict, *i, *j, at, rest),
            ValuedNode::Coreg(region, i, j) => self.pair(Join::Coreg(*region), *i, *j, at, rest),
            ValuedNode::Alt(i, j) => Some(
                self.explore(&push(Goal::Node(*i, at.clone()), rest))?
                    || self.explore(&push(Goal::Node(*j, at.clone()), rest))?,
            ),
            ValuedNode::LoopS(_) | ValuedNode::LoopC(..) | ValuedNode::Fresh(..) => {
                let mut fresh = Vec::new();
                let mut inner = node;
                while let ValuedNode::Fresh(variable, body) = &valued.nodes[inner] {
                    fresh.push(*variable);
                    inner = *body;
                }
                let (join, body) = match &valued.nodes[inner] {
                    ValuedNode::LoopS(body) => (Join::Strict, *body),
                    ValuedNode::LoopC(region, body) => (Join::Coreg(*region), *body),
                    ValuedNode::Empty
                    | ValuedNode::Event(_)
                    | ValuedNode::Strict(..)
                    | ValuedNode::Coreg(..)
                    | ValuedNode::Alt(..)
                    | ValuedNode::New(..)
                    | ValuedNode::Fresh(..) => return None,
                };
                self.loops += 1;
                let iterations = Iterations {
                    body,
                    join,
                    fresh: Rc::new(fresh),
                    number: self.loops,
                    at: at.clone(),
                    count: 0,
                    latest: None,
                };
                self.explore(&push(Goal::Again(iterations), rest))
            }
            ValuedNode::New(variable, body) => {
                let inner = self.bind(at, *variable, None);
                let found = self.explore(&push(Goal::Node(*body, inner), rest));
                self.bound.pop();
                found
            }
        }
    }

    fn pair(
        &mut self,
        join: Join,
        left: ValuedId,
        right: ValuedId,
        at: &Position,
        rest: &Agenda,
    ) -> Option<bool> {
        let rest = push(Goal::Node(right, step(at, join, 1)), rest);
        self.explore(&push(Goal::Node(left, step(at, join, 0)), &rest))
    }

    /// A new instance of a variable.
    fn bind(
        &mut self,
        at: &Position,
        variable: VariableId,
        loop_number: Option<usize>,
    ) -> Position {
        let mut scope = (*at.scope).clone();
        scope.insert(variable, self.bound.len());
        self.bound.push(Bound { variable, loop_number });
        Position { path: at.path.clone(), scope: Rc::new(scope) }
    }

    /// A leaf, in all places that it can have.
    fn event(&mut self, parts: &'a [Part], at: &Position, rest: &Agenda) -> Option<bool> {
        let partition = self.case.trace.partition();
        let mut actions: BTreeMap<usize, Vec<_>> = BTreeMap::new();
        for part in parts {
            let component = partition.component_of(part.action.lifeline).index();
            actions.entry(component).or_default().push(part.action);
        }
        let mut choices: Vec<BTreeMap<usize, Place>> = vec![BTreeMap::new()];
        for (&component, actions) in &mut actions {
            actions.sort_unstable();
            let log = &self.logs.components[component];
            let mut places = Vec::new();
            for (number, line) in log.lines.iter().enumerate() {
                let mut logged = line.actions.clone();
                logged.sort_unstable();
                let mut own = parts.iter().filter(|part| actions.contains(&part.action));
                let has_peers = own.all(|part| line.allows(part));
                if !self.used[component][number] && logged == *actions && has_peers {
                    places.push(Place::Line(number));
                }
            }
            let (before, after) = log.open_ends();
            places.extend(before.then_some(Place::Before));
            places.extend(after.then_some(Place::After));
            let extended = choices.iter().flat_map(|choice| {
                places.iter().map(move |&place| {
                    let mut choice = choice.clone();
                    choice.insert(component, place);
                    choice
                })
            });
            choices = extended.collect();
        }
        for places in choices {
            if self.logs.global {
                let is_seen = |place: &Place| matches!(place, Place::Line(_));
                if places.values().any(is_seen) && !places.values().all(is_seen) {
                    continue;
                }
            }
            let instance = Instance {
                parts,
                lifelines: parts.iter().map(|part| part.action.lifeline).collect(),
                path: at.path.clone(),
                scope: at.scope.clone(),
                places: places.clone(),
            };
            let fits = self.instances.iter().all(|other| instance.agrees(other, self.case.pool));
            self.instances.push(instance);
            self.mark(&places, true);
            let found = if fits && !self.store().is_contradictory() {
                self.explore(rest)
            } else {
                Some(false)
            };
            self.mark(&places, false);
            self.instances.pop();
            if found? {
                return Some(true);
            }
        }
        Some(false)
    }

    fn mark(&mut self, places: &BTreeMap<usize, Place>, used: bool) {
        for (&component, &place) in places {
            if let Place::Line(line) = place {
                self.used[component][line] = used;
            }
        }
    }

    fn store(&self) -> Store<'_> {
        Store::new(self.case, self.logs, self.sorts, &self.instances, &self.bound)
    }

    /// Whether the choice is an explanation: all moments are explained, and order and values exist.
    fn complete(&mut self) -> Option<bool> {
        if !self.used.iter().flatten().all(|used| *used) {
            return Some(false);
        }
        let (strength, domain) = (self.strength, self.domain);
        let mut left = self.left;
        let found = self.store().is_satisfiable(strength, domain, &mut left);
        self.left = left;
        found
    }
}

#[expect(clippy::unnecessary_wraps, reason = "an agenda may be empty elsewhere")]
fn push(goal: Goal, rest: &Agenda) -> Agenda {
    Some(Rc::new(Next { goal, rest: rest.clone() }))
}

fn step(at: &Position, join: Join, operand: usize) -> Position {
    let mut path = (*at.path).clone();
    path.push(Turn { join, operand });
    Position { path: Rc::new(path), scope: at.scope.clone() }
}
