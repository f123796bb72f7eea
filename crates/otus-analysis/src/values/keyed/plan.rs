//! Which parts of an interaction are keyed, and by which fields.

use otus_core::index::Index as _;
use otus_core::valued::{Atom, FieldId, Operand, Test, Valued, ValuedId, ValuedNode, VariableId};
use otus_core::{Action, Pool};
use otus_syntax::ast::guard::Relation;
use otus_trace::Partition;
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::expr::{ExprId, Exprs, KindId};
use super::super::search::Tables;
use super::super::step::Steps;
use super::fast::FastSteps;

/// An interaction as parts of which each is a set of sessions.
#[derive(Debug)]
pub(in super::super) struct Keyed {
    pub(super) parts: Vec<Part>,
    /// The part of each action, its kind there, and the field with its key.
    pub(super) routes: FxHashMap<Action, Route>,
    /// Whether some time has a bound from below.
    pub(super) has_lower_bounds: bool,
}

/// Where the events of an action go.
#[derive(Debug, Clone, Copy)]
pub(super) struct Route {
    pub(super) part: usize,
    pub(super) kind: KindId,
    /// The field of the key; `None` for a part without keys.
    pub(super) key: Option<FieldId>,
}

/// A part of the interaction.
#[derive(Debug)]
pub(super) struct Part {
    /// The expressions of one session.
    pub(super) tables: Tables,
    pub(super) fast: FastSteps,
    /// Whether the part is one session that is always there.
    pub(super) is_single: bool,
    /// Whether every shape met so far is confluent.
    pub(super) is_confluent: bool,
    /// The shapes of which that is known.
    pub(super) checked: FxHashSet<ExprId>,
}

impl Keyed {
    /// The plan of an interaction; `None` if no part of it is keyed, or parts share an action, or an event is on several
    /// components.
    pub(in super::super) fn new(
        pool: &Pool,
        valued: &Valued,
        partition: &Partition,
    ) -> Option<Keyed> {
        let mut keyed =
            Keyed { parts: Vec::new(), routes: FxHashMap::default(), has_lower_bounds: false };
        let mut has_keys = false;
        for root in parallel_parts(valued) {
            let session = Session::of(valued, root);
            has_keys |= session.is_some();
            let (tree, fields) = match &session {
                Some(session) => (session.tree(valued), Some(&session.fields)),
                None => (Valued { root, ..valued.clone() }, None),
            };
            let (exprs, start) = Exprs::new(pool, &tree, partition, false);
            let number = keyed.parts.len();
            for part in events(valued, root) {
                let [part] = part else { return None };
                let action = part.action;
                let kind = exprs.kinds.find_as(&[action], |kind| **kind == [action])?;
                let key = fields.and_then(|fields| fields.get(&action).copied());
                let route = Route { part: number, kind, key };
                if keyed.routes.insert(action, route).is_some_and(|other| other.part != number) {
                    return None;
                }
            }
            let tables =
                Tables { exprs, steps: Steps::default(), root: start, kinds: FxHashMap::default() };
            let is_single = session.is_none();
            let fast = FastSteps::default();
            let checked = FxHashSet::default();
            keyed.parts.push(Part { tables, fast, is_single, is_confluent: true, checked });
        }
        keyed.has_lower_bounds = valued.atoms().any(|atom| {
            let is_above = matches!(
                atom.test,
                Test::Compare(Relation::Greater | Relation::GreaterEqual, Operand::Variable(..))
            );
            atom.field == Valued::TIME && is_above
        });
        has_keys.then_some(keyed)
    }
}

/// The operands of the outermost `par`.
fn parallel_parts(valued: &Valued) -> Vec<ValuedId> {
    let mut parts = Vec::new();
    let mut pending = vec![valued.root];
    while let Some(id) = pending.pop() {
        match &valued.nodes[id] {
            ValuedNode::Coreg(Pool::ALL, left, right) => pending.extend([*right, *left]),
            _ => parts.push(id),
        }
    }
    parts
}

/// The events below a node.
fn events(valued: &Valued, root: ValuedId) -> impl Iterator<Item = &[otus_core::valued::Part]> {
    let mut pending = vec![root];
    let mut found = Vec::new();
    let mut seen = vec![false; valued.nodes.len()];
    while let Some(id) = pending.pop() {
        if std::mem::replace(&mut seen[id.index()], true) {
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

/// A loop of sessions with a key.
struct Session {
    variable: VariableId,
    /// The body of one session, without the binder of the key.
    body: ValuedId,
    /// The binders between the loop and the body, besides that of the key.
    others: Vec<VariableId>,
    /// Whether a key is used in one iteration only.
    is_fresh: bool,
    /// The field of the key, by action.
    fields: FxHashMap<Action, FieldId>,
}

impl Session {
    fn of(valued: &Valued, root: ValuedId) -> Option<Session> {
        let mut candidates = Vec::new();
        let mut at = root;
        while let ValuedNode::Fresh(variable, inner) = valued.nodes[at] {
            candidates.push((variable, true));
            at = inner;
        }
        // Two fresh variables of one loop are two keys, of which only one could be forgotten.
        if candidates.len() > 1 {
            return None;
        }
        let ValuedNode::LoopC(Pool::ALL, inner) = valued.nodes[at] else { return None };
        let mut body = inner;
        let mut bound = Vec::new();
        while let ValuedNode::New(variable, inner) = valued.nodes[body] {
            bound.push(variable);
            body = inner;
        }
        candidates.extend(bound.iter().map(|&variable| (variable, false)));
        candidates.into_iter().find_map(|(variable, is_fresh)| {
            // A loop with a fresh variable that is no key has to remember its values.
            if !is_fresh && matches!(valued.nodes[root], ValuedNode::Fresh(..)) {
                return None;
            }
            let fields = key_fields(valued, body, variable)?;
            let others = bound.iter().copied().filter(|&other| other != variable).collect();
            Some(Session { variable, body, others, is_fresh, fields })
        })
    }

    /// The tree of one session. The atoms of the key are left out, since the session is found by it; unless other atoms
    /// mention the key, too.
    fn tree(&self, valued: &Valued) -> Valued {
        let mut tree = valued.clone();
        let is_key = |action: Action, atom: &Atom| {
            atom.binds() == Some(self.variable) && self.fields.get(&action) == Some(&atom.field)
        };
        let is_mentioned = events(valued, self.body).flatten().any(|part| {
            let mut atoms = part.guard.iter();
            atoms.any(|atom| atom.variable() == Some(self.variable) && !is_key(part.action, atom))
        });
        if !is_mentioned {
            let nodes = tree.nodes.iter().cloned().map(|node| match node {
                ValuedNode::Event(parts) => ValuedNode::Event(
                    parts
                        .iter()
                        .map(|part| {
                            let left = part.guard.iter().filter(|atom| !is_key(part.action, atom));
                            otus_core::valued::Part {
                                guard: left.cloned().collect(),
                                ..part.clone()
                            }
                        })
                        .collect(),
                ),
                other => other,
            });
            tree.nodes = nodes.collect();
        }
        let mut root = self.body;
        for &variable in &self.others {
            root = tree.nodes.push(ValuedNode::New(variable, root));
        }
        if !self.is_fresh {
            root = tree.nodes.push(ValuedNode::LoopC(Pool::ALL, root));
        }
        if is_mentioned {
            root = tree.nodes.push(ValuedNode::New(self.variable, root));
        }
        tree.root = root;
        tree
    }
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
