//! Which parts of an interaction are keyed, and by which fields.

use otus_core::index::Index as _;
use otus_core::valued::{
    self, Atom, FieldId, Operand, Test, Valued, ValuedId, ValuedNode, VariableId,
};
use otus_core::{Action, Pool};
use otus_syntax::ast::guard::Relation;
use otus_trace::Partition;
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::expr::{Expr, ExprId, Exprs, KindId, Replaced};
use super::super::search::Tables;
use super::super::step::Steps;
use super::fast::FastSteps;

/// An interaction as units: the root, and for each hole the unit that is there.
#[derive(Debug)]
pub(in super::super) struct Keyed {
    /// The root first.
    pub(super) units: Vec<Unit>,
    /// Where the events of an action go.
    pub(super) routes: FxHashMap<Action, Route>,
    /// The levels of all routes, each from the outermost unit to the innermost.
    pub(super) levels: Vec<Level>,
    /// Whether some unit has keys.
    pub(in super::super) has_keys: bool,
    /// Whether some time has a bound from below.
    pub(super) has_lower_bounds: bool,
    /// Whether the root orders nothing, so that routes begin inside it.
    pub(super) skips_root: bool,
    /// If the root is a `strict`: by kind of event, the operand in which it occurs.
    pub(super) ranks: Option<Vec<usize>>,
}

/// Where the events of an action go.
#[derive(Debug, Clone, Copy)]
pub(super) struct Route {
    /// Its kind, which is the same in all units.
    pub(super) kind: KindId,
    /// The range of its levels.
    from: usize,
    to: usize,
}

/// A unit on the way to an action.
#[derive(Debug, Clone, Copy)]
pub(super) struct Level {
    pub(super) unit: usize,
    /// The field with the key of its session; `None` for a unit without keys.
    pub(super) key: Option<FieldId>,
}

/// A part of the interaction that is an expression with holes.
#[derive(Debug)]
pub(super) struct Unit {
    /// The expressions of one session.
    pub(super) tables: Tables,
    pub(super) fast: FastSteps,
    /// By hole: the unit that is there.
    pub(super) holes: Vec<usize>,
    /// The loops of its sessions.
    pub(super) nodes: Vec<ValuedId>,
    /// By loop: the variable that tells its sessions apart. None if there is one session, which is always there.
    pub(super) keys: Vec<VariableId>,
    /// Whether there is one table of its sessions.
    pub(super) is_single: bool,
    /// The units around it, the root first.
    pub(super) around: Vec<usize>,
    /// Whether all shapes after at most so many events are confluent, for the largest number of events that was asked about;
    /// first if events may be unobserved, then if none is.
    pub(super) confluent: [Option<(usize, bool)>; 2],
    /// The fewest events for which that was too much to find out.
    pub(super) unclear: [Option<usize>; 2],
}

impl Unit {
    /// The variable that tells its sessions apart, if it is the same for all of its events.
    pub(super) fn only_key(&self) -> Option<VariableId> {
        if let [key] = *self.keys { Some(key) } else { None }
    }
}

/// The root unit.
pub(super) const ROOT: usize = 0;
/// The most units around a unit.
const DEEPEST: usize = 8;

impl Keyed {
    /// The plan of an interaction; `None` if an event is on several components.
    pub(in super::super) fn new(
        pool: &Pool,
        valued: &Valued,
        partition: &Partition,
    ) -> Option<Keyed> {
        let mut planner = Planner::new(pool, valued, partition)?;
        let whole = Part::new(valued.root);
        planner.add(&whole, Vec::new(), true);
        if !planner.keyed.has_keys {
            planner.keyed.units.clear();
            planner.finds_holes = false;
            planner.add(&whole, Vec::new(), true);
        }
        planner.find_routes();
        planner.keyed.ranks = planner.ranks();
        planner.keyed.has_lower_bounds = valued.atoms().any(|atom| {
            let is_above = matches!(
                atom.test,
                Test::Compare(Relation::Greater | Relation::GreaterEqual, Operand::Variable(..))
            );
            atom.field == Valued::TIME && is_above
        });
        Some(planner.keyed)
    }

    /// The levels of a route.
    #[inline]
    pub(super) fn levels(&self, route: Route) -> &[Level] {
        &self.levels[route.from..route.to]
    }

    /// The number of keyed loops inside each other, at most.
    pub(in super::super) fn depth(&self) -> usize {
        let is_keyed = |unit: &usize| !self.units[*unit].keys.is_empty();
        let depth = |unit: usize| {
            self.units[unit].around.iter().chain([&unit]).filter(|&unit| is_keyed(unit)).count()
        };
        (0..self.units.len()).map(depth).max().unwrap_or(0)
    }

    /// The field of the key of an action's session, if it has one.
    pub(in super::super) fn key_of(&self, action: Action) -> Option<FieldId> {
        self.levels(*self.routes.get(&action)?).last()?.key
    }
}

/// A part of the interaction that becomes a unit.
#[derive(Debug)]
struct Part {
    /// Where its events and holes are.
    bodies: Vec<ValuedId>,
    /// If it is a loop of sessions, or several in parallel that share actions and keys.
    sessions: Vec<Session>,
    /// The keys of the loops around it.
    keys: Vec<Key>,
}

impl Part {
    fn new(body: ValuedId) -> Self {
        Part { bodies: vec![body], sessions: Vec::new(), keys: Vec::new() }
    }

    fn of_sessions(sessions: Vec<Session>) -> Self {
        let bodies = sessions.iter().map(|session| session.body).collect();
        Part { bodies, sessions, keys: Vec::new() }
    }

    /// The keys of the loops around it, and its own.
    fn all_keys(&self) -> Vec<Key> {
        let own = self.sessions.iter().map(|session| session.key.clone());
        self.keys.iter().cloned().chain(own).collect()
    }

    /// Its events outside of some nodes.
    fn events<'v>(
        &self,
        valued: &'v Valued,
        without: &[ValuedId],
    ) -> impl Iterator<Item = &'v valued::Part> {
        let all = self.bodies.iter().map(|&body| events_outside(valued, body, without));
        all.flatten().flatten().collect::<Vec<_>>().into_iter()
    }
}

struct Planner<'p> {
    pool: &'p Pool,
    valued: &'p Valued,
    partition: &'p Partition,
    /// By node: the number of paths to it from the root.
    paths: Vec<u64>,
    /// By action: the number of paths to its events.
    occurrences: FxHashMap<Action, u64>,
    /// By action: the unit in which it is an event.
    unit_of: FxHashMap<Action, usize>,
    /// By unit: the keys of its actions.
    keys: Vec<Vec<Key>>,
    finds_holes: bool,
    keyed: Keyed,
}

impl<'p> Planner<'p> {
    fn new(pool: &'p Pool, valued: &'p Valued, partition: &'p Partition) -> Option<Self> {
        let paths = paths(valued, &[valued.root]);
        let mut occurrences: FxHashMap<Action, u64> = FxHashMap::default();
        for (id, node) in valued.nodes.iter_with_ids() {
            if let ValuedNode::Event(parts) = node
                && paths[id.index()] > 0
            {
                let [part] = &**parts else { return None };
                let count = occurrences.entry(part.action).or_default();
                *count = count.saturating_add(paths[id.index()]);
            }
        }
        let keyed = Keyed {
            units: Vec::new(),
            routes: FxHashMap::default(),
            levels: Vec::new(),
            has_keys: false,
            has_lower_bounds: false,
            skips_root: false,
            ranks: None,
        };
        Some(Planner {
            pool,
            valued,
            partition,
            paths,
            occurrences,
            unit_of: FxHashMap::default(),
            keys: Vec::new(),
            finds_holes: true,
            keyed,
        })
    }

    /// Adds the unit of a part, and those of its holes.
    fn add(&mut self, part: &Part, around: Vec<usize>, is_single: bool) -> usize {
        let number = self.keyed.units.len();
        let mut holes = if self.finds_holes && around.len() < DEEPEST {
            self.holes(part, is_single)
        } else {
            Vec::new()
        };
        let keys = part.all_keys();
        let nodes_of = |holes: &[(Part, Replaced)]| -> Vec<ValuedId> {
            holes.iter().flat_map(|(_, replaced)| replaced.nodes.iter().copied()).collect()
        };
        let nodes = nodes_of(&holes);
        // The events of a hole do not tell the sessions around them the value of a key.
        if keys.iter().any(|key| is_mentioned(self.valued, part, key, &nodes)) {
            holes.clear();
        }
        let replaced: Vec<Replaced> = holes.iter().map(|(_, replaced)| replaced.clone()).collect();
        let nodes = nodes_of(&holes);
        let tree = tree(self.valued, part, &keys, &nodes);
        let (exprs, start) = Exprs::with_holes(self.pool, &tree, self.partition, false, &replaced);
        let tables =
            Tables { exprs, steps: Steps::default(), root: start, kinds: FxHashMap::default() };
        self.keyed.has_keys |= !part.sessions.is_empty();
        for part in part.events(self.valued, &nodes) {
            self.unit_of.insert(part.action, number);
        }
        self.keys.truncate(number);
        self.keys.push(part.sessions.iter().map(|session| session.key.clone()).collect());
        self.keyed.units.push(Unit {
            tables,
            fast: FastSteps::default(),
            holes: Vec::new(),
            nodes: part.sessions.iter().map(|session| session.node).collect(),
            keys: part.sessions.iter().map(|session| session.key.variable).collect(),
            is_single,
            around: around.clone(),
            confluent: [None; 2],
            unclear: [None; 2],
        });
        let mut inside = around;
        inside.push(number);
        for (hole, replaced) in holes {
            let hole =
                self.add(&Part { keys: keys.clone(), ..hole }, inside.clone(), replaced.is_single);
            self.keyed.units[number].holes.push(hole);
        }
        number
    }

    /// The holes of a part: loops of sessions whose actions occur nowhere else, and operands of a `par` of which there is one
    /// instance only, so that the states of different operands are not multiplied.
    fn holes(&self, part: &Part, is_single: bool) -> Vec<(Part, Replaced)> {
        let mut found = Vec::new();
        let keys: Vec<VariableId> = part.all_keys().iter().map(|key| key.variable).collect();
        // Whether there is one instance of the node, and whether it is an operand of `par`.
        let is_single = is_single && part.sessions.is_empty();
        let mut pending: Vec<(ValuedId, bool, bool)> =
            part.bodies.iter().map(|&body| (body, is_single, false)).collect();
        while let Some((id, is_single, is_operand)) = pending.pop() {
            if let Some(session) = Session::of(self.valued, id)
                && self.is_apart(&[id], &keys)
            {
                found.push(self.hole_of(vec![session], is_single));
                continue;
            }
            if is_operand && is_single && self.is_apart(&[id], &keys) {
                // There is one table, so its name is of no use.
                let name = VariableId(u32::MAX);
                found.push((Part::new(id), self.replaced(vec![id], name, true)));
                continue;
            }
            match &self.valued.nodes[id] {
                ValuedNode::Empty | ValuedNode::Event(_) | ValuedNode::Fresh(..) => {}
                ValuedNode::Strict(i, j) => {
                    pending.extend([(*j, is_single, false), (*i, is_single, false)]);
                }
                ValuedNode::Coreg(region, ..) => {
                    let is_par = *region == Pool::ALL;
                    let split = |node: &ValuedNode| {
                        let ValuedNode::Coreg(own, i, j) = node else { return None };
                        (own == region).then_some((*i, *j))
                    };
                    let mut operands = flatten(self.valued, id, split);
                    for sessions in self.alike(&operands, &keys).into_iter().filter(|_| is_par) {
                        operands.retain(|id| sessions.iter().all(|session| session.node != *id));
                        found.push(self.hole_of(sessions, is_single));
                    }
                    pending.extend(operands.into_iter().rev().map(|it| (it, is_single, is_par)));
                }
                ValuedNode::Alt(i, j) => pending.extend([(*j, false, false), (*i, false, false)]),
                ValuedNode::New(_, i) => pending.push((*i, is_single, false)),
                ValuedNode::LoopS(i) | ValuedNode::LoopC(Pool::NONE, i) => {
                    pending.push((*i, false, false));
                }
                // Its iterations would have to be told apart first.
                ValuedNode::LoopC(..) => {}
            }
        }
        found
    }

    fn hole_of(&self, sessions: Vec<Session>, is_single: bool) -> (Part, Replaced) {
        let nodes = sessions.iter().map(|session| session.node).collect();
        let table = sessions.first().map_or(VariableId(u32::MAX), |first| first.key.variable);
        (Part::of_sessions(sessions), self.replaced(nodes, table, is_single))
    }

    fn replaced(&self, nodes: Vec<ValuedId>, table: VariableId, is_single: bool) -> Replaced {
        let own = nodes.iter().flat_map(|&node| events(self.valued, node).flatten());
        let parts = own.cloned().collect();
        Replaced { nodes, table, is_single, parts }
    }

    /// The loops of sessions among the operands of a `par` that share actions, each of which has one field for the keys:
    /// sets of at least two. Sessions of different loops with the same key are one session then:
    /// `par(loopP(fresh x)(i), loopP(fresh y)(j)) = loopP(fresh z)(par(alt(i[z/x], ∅), alt(j[z/y], ∅)))`.
    fn alike(&self, operands: &[ValuedId], keys: &[VariableId]) -> Vec<Vec<Session>> {
        let mut groups: Vec<Vec<Session>> = Vec::new();
        for &operand in operands.iter().filter(|operand| !self.is_apart(&[**operand], keys)) {
            let Some(session) = Session::of(self.valued, operand) else { continue };
            let is_alike = |other: &Session| {
                let fields = &other.key.fields;
                session.key.fields.keys().any(|action| fields.contains_key(action))
            };
            let (with, without): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|group| group.iter().any(is_alike));
            groups = without;
            groups.push(with.into_iter().flatten().chain([session]).collect());
        }
        groups.retain(|group| {
            let nodes: Vec<ValuedId> = group.iter().map(|session| session.node).collect();
            let mut fields: FxHashMap<Action, FieldId> = FxHashMap::default();
            let own = group.iter().flat_map(|session| &session.key.fields);
            let mut is_same =
                own.map(|(&action, &field)| *fields.entry(action).or_insert(field) == field);
            group.len() > 1 && is_same.all(|is_same| is_same) && self.is_apart(&nodes, keys)
        });
        groups
    }

    /// Whether some nodes occur once, have events whose actions occur nowhere else, and mention no variable from outside but
    /// keys.
    fn is_apart(&self, nodes: &[ValuedId], keys: &[VariableId]) -> bool {
        if nodes.iter().any(|node| self.paths[node.index()] != 1) {
            return false;
        }
        let inside = paths(self.valued, nodes);
        let mut bound: FxHashSet<VariableId> = keys.iter().copied().collect();
        let mut used: Vec<VariableId> = Vec::new();
        let mut own: FxHashMap<Action, u64> = FxHashMap::default();
        for (at, node) in self.valued.nodes.iter_with_ids() {
            let count = inside[at.index()];
            if count == 0 {
                continue;
            }
            match node {
                ValuedNode::New(variable, _) | ValuedNode::Fresh(variable, _) => {
                    bound.insert(*variable);
                }
                ValuedNode::Event(parts) => {
                    for part in parts {
                        *own.entry(part.action).or_default() += count;
                        used.extend(part.guard.iter().filter_map(Atom::variable));
                    }
                }
                ValuedNode::Empty
                | ValuedNode::Strict(..)
                | ValuedNode::Coreg(..)
                | ValuedNode::Alt(..)
                | ValuedNode::LoopS(_)
                | ValuedNode::LoopC(..) => {}
            }
        }
        !own.is_empty()
            && used.iter().all(|variable| bound.contains(variable))
            && own.iter().all(|(action, count)| self.occurrences.get(action) == Some(count))
    }

    fn find_routes(&mut self) {
        let root = &self.keyed.units[ROOT].tables.exprs;
        let start = self.keyed.units[ROOT].tables.root;
        // A root that orders nothing stays as it is.
        let is_plain = |id: ExprId| matches!(root.expr(id), Expr::Hole(..));
        let skips_root = if let Expr::Par(operands) = root.expr(start) {
            operands.iter().all(|&operand| is_plain(operand))
        } else {
            is_plain(start)
        };
        self.keyed.skips_root = skips_root;
        let mut actions: Vec<(Action, usize)> =
            self.unit_of.iter().map(|(&action, &unit)| (action, unit)).collect();
        actions.sort_unstable();
        for (action, unit) in actions {
            let own = &self.keyed.units[unit];
            let exprs = &own.tables.exprs;
            let Some(kind) = exprs.kinds.find_as(&[action], |kind| **kind == [action]) else {
                continue;
            };
            let from = self.keyed.levels.len();
            let path = own.around.iter().copied().chain([unit]).skip(usize::from(skips_root));
            for unit in path.collect::<Vec<usize>>() {
                let key = self.keys[unit].iter().find_map(|key| key.fields.get(&action)).copied();
                self.keyed.levels.push(Level { unit, key });
            }
            let to = self.keyed.levels.len();
            self.keyed.routes.insert(action, Route { kind, from, to });
        }
    }

    /// By kind of event: the operand of the outermost `strict` in which it occurs; `None` if it occurs in several of them.
    fn ranks(&self) -> Option<Vec<usize>> {
        let split = |node: &ValuedNode| {
            if let ValuedNode::Strict(i, j) = node { Some((*i, *j)) } else { None }
        };
        let operands = flatten(self.valued, self.valued.root, split);
        let kinds = &self.keyed.units[ROOT].tables.exprs.kinds;
        let mut ranks: Vec<Option<usize>> = vec![None; kinds.items.len()];
        for (rank, &operand) in operands.iter().enumerate().filter(|_| operands.len() > 1) {
            for part in events(self.valued, operand).flatten() {
                let kind = kinds.find_as(&[part.action], |kind| **kind == [part.action])?;
                if *ranks[kind.index()].get_or_insert(rank) != rank {
                    return None;
                }
            }
        }
        (operands.len() > 1).then(|| ranks.into_iter().map(Option::unwrap_or_default).collect())
    }
}

/// By node: the number of paths to it from some others.
fn paths(valued: &Valued, roots: &[ValuedId]) -> Vec<u64> {
    let mut paths = vec![0_u64; valued.nodes.len()];
    for root in roots {
        paths[root.index()] = 1;
    }
    let add = |from: u64, to: &[ValuedId], paths: &mut Vec<u64>| {
        for to in to {
            paths[to.index()] = paths[to.index()].saturating_add(from);
        }
    };
    // Children are before their parents.
    for id in (0..valued.nodes.len()).rev().map(ValuedId::new) {
        let own = paths[id.index()];
        match &valued.nodes[id] {
            ValuedNode::Empty | ValuedNode::Event(_) => {}
            ValuedNode::Strict(i, j) | ValuedNode::Coreg(_, i, j) | ValuedNode::Alt(i, j) => {
                add(own, &[*i, *j], &mut paths);
            }
            ValuedNode::LoopS(i)
            | ValuedNode::LoopC(_, i)
            | ValuedNode::New(_, i)
            | ValuedNode::Fresh(_, i) => add(own, &[*i], &mut paths),
        }
    }
    paths
}

/// The operands of nested binary operators of one kind, from left to right.
fn flatten(
    valued: &Valued,
    root: ValuedId,
    split: impl Fn(&ValuedNode) -> Option<(ValuedId, ValuedId)>,
) -> Vec<ValuedId> {
    let mut parts = Vec::new();
    let mut pending = vec![root];
    while let Some(id) = pending.pop() {
        match split(&valued.nodes[id]) {
            Some((left, right)) => pending.extend([right, left]),
            None => parts.push(id),
        }
    }
    parts
}

/// The events below a node.
pub(super) fn events(valued: &Valued, root: ValuedId) -> impl Iterator<Item = &[valued::Part]> {
    events_outside(valued, root, &[])
}

/// The same without those below some nodes.
fn events_outside<'v>(
    valued: &'v Valued,
    root: ValuedId,
    without: &[ValuedId],
) -> impl Iterator<Item = &'v [valued::Part]> {
    let mut pending = vec![root];
    let mut found = Vec::new();
    let mut seen = vec![false; valued.nodes.len()];
    while let Some(id) = pending.pop() {
        if without.contains(&id) || std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        match &valued.nodes[id] {
            ValuedNode::Empty => {}
            ValuedNode::Event(parts) => found.push(&**parts),
            ValuedNode::Strict(i, j) | ValuedNode::Coreg(_, i, j) | ValuedNode::Alt(i, j) => {
                pending.extend([*i, *j]);
            }
            ValuedNode::LoopS(i)
            | ValuedNode::LoopC(_, i)
            | ValuedNode::New(_, i)
            | ValuedNode::Fresh(_, i) => pending.push(*i),
        }
    }
    found.into_iter()
}

/// A parallel loop and the binders around its body.
pub(super) struct Binders {
    /// The variables of an iteration, fresh ones first.
    pub(super) variables: Vec<VariableId>,
    /// The number of fresh variables.
    fresh: usize,
    /// The body of one iteration, inside all binders.
    pub(super) body: ValuedId,
}

/// The binders of a parallel loop; `None` if the node is none.
pub(super) fn binders(valued: &Valued, root: ValuedId) -> Option<Binders> {
    let mut variables = Vec::new();
    let mut at = root;
    while let ValuedNode::Fresh(variable, inner) = valued.nodes[at] {
        variables.push(variable);
        at = inner;
    }
    let fresh = variables.len();
    let ValuedNode::LoopC(Pool::ALL, mut body) = valued.nodes[at] else { return None };
    while let ValuedNode::New(variable, inner) = valued.nodes[body] {
        variables.push(variable);
        body = inner;
    }
    Some(Binders { variables, fresh, body })
}

/// A variable that tells sessions apart, and the field that carries it, by action.
#[derive(Debug, Clone)]
pub(super) struct Key {
    pub(super) variable: VariableId,
    fields: FxHashMap<Action, FieldId>,
}

impl Key {
    /// Whether an atom says which session an event belongs to.
    fn is_told_by(&self, action: Action, atom: &Atom) -> bool {
        atom.binds() == Some(self.variable) && self.fields.get(&action) == Some(&atom.field)
    }
}

/// A loop of sessions with a key.
#[derive(Debug)]
pub(super) struct Session {
    node: ValuedId,
    pub(super) key: Key,
    /// The body of one session, without the binder of the key.
    body: ValuedId,
    /// The binders between the loop and the body, besides that of the key.
    others: Vec<VariableId>,
    /// Whether a key is used in one iteration only.
    is_fresh: bool,
}

impl Session {
    pub(super) fn of(valued: &Valued, root: ValuedId) -> Option<Session> {
        let Binders { variables, fresh, body } = binders(valued, root)?;
        // A loop with fresh variables must remember the values of each of them. Its key is remembered by its session,
        // so there may be only one, and it must be the key.
        let candidates = if fresh > 0 { &variables[..fresh] } else { &variables[..] };
        if fresh > 1 {
            return None;
        }
        candidates.iter().find_map(|&variable| {
            let fields = key_fields(valued, body, variable)?;
            let others = variables.iter().copied().filter(|&other| other != variable).collect();
            let key = Key { variable, fields };
            Some(Session { node: root, key, body, others, is_fresh: fresh > 0 })
        })
    }
}

/// The tree of one session of a part. The atoms of keys are left out, since the session is found by them; unless other atoms
/// of its own events, those outside of its holes, mention the key, too.
fn tree(valued: &Valued, part: &Part, keys: &[Key], holes: &[ValuedId]) -> Valued {
    let mut tree = valued.clone();
    let is_mentioned = |key: &&Key| is_mentioned(valued, part, key, holes);
    let (mentioned, dropped): (Vec<&Key>, Vec<&Key>) = keys.iter().partition(is_mentioned);
    if !dropped.is_empty() {
        let without_keys = |part: &valued::Part| {
            let is_left =
                |atom: &&Atom| !dropped.iter().any(|key| key.is_told_by(part.action, atom));
            valued::Part {
                guard: part.guard.iter().filter(is_left).cloned().collect(),
                ..part.clone()
            }
        };
        let nodes = tree.nodes.iter().map(|node| {
            if let ValuedNode::Event(parts) = node {
                ValuedNode::Event(parts.iter().map(without_keys).collect())
            } else {
                node.clone()
            }
        });
        tree.nodes = nodes.collect();
    }
    let mut roots = part.bodies.clone();
    for (root, session) in roots.iter_mut().zip(&part.sessions) {
        for &variable in &session.others {
            *root = tree.nodes.push(ValuedNode::New(variable, *root));
        }
        if !session.is_fresh {
            *root = tree.nodes.push(ValuedNode::LoopC(Pool::ALL, *root));
        } else if part.sessions.len() > 1 {
            let empty = tree.nodes.push(ValuedNode::Empty);
            *root = tree.nodes.push(ValuedNode::Alt(*root, empty));
        }
    }
    let both = |one, other| tree.nodes.push(ValuedNode::Coreg(Pool::ALL, one, other));
    tree.root = roots.into_iter().reduce(both).unwrap_or(tree.root);
    for key in mentioned {
        tree.root = tree.nodes.push(ValuedNode::New(key.variable, tree.root));
    }
    tree
}

/// By action: the field that carries a variable; `None` if some action lacks it, or has it in different fields.
fn key_fields(
    valued: &Valued,
    body: ValuedId,
    variable: VariableId,
) -> Option<FxHashMap<Action, FieldId>> {
    let mut fields = FxHashMap::default();
    for part in events(valued, body).flatten() {
        let is_key = |atom: &&Atom| atom.binds() == Some(variable) && atom.field != Valued::TIME;
        let field = part.guard.iter().find(is_key)?.field;
        if *fields.entry(part.action).or_insert(field) != field {
            return None;
        }
    }
    Some(fields)
}

/// Whether an event of a part, outside of its holes, mentions a key besides telling its session.
fn is_mentioned(valued: &Valued, part: &Part, key: &Key, holes: &[ValuedId]) -> bool {
    part.events(valued, holes).any(|part| {
        let field = key.fields.get(&part.action);
        let mut others = part.guard.iter().filter(|atom| !key.is_told_by(part.action, atom));
        others.any(|atom| {
            // An event that nobody saw has some value in that field, which must be the key.
            atom.variable() == Some(key.variable) || Some(&atom.field) == field
        })
    })
}
