//! Which parts of an interaction are keyed, and by which fields.

use otus_core::index::Index as _;
use otus_core::valued::{Atom, FieldId, Operand, Test, Valued, ValuedId, ValuedNode, VariableId};
use otus_core::{Action, Pool};
use otus_syntax::ast::guard::Relation;
use otus_trace::Partition;
use rustc_hash::FxHashMap;

use super::super::expr::{Exprs, KindId};
use super::super::search::Tables;
use super::super::step::Steps;
use super::fast::FastSteps;

/// An interaction as parts of which each is a set of sessions.
#[derive(Debug)]
pub(in super::super) struct Keyed {
    pub(super) parts: Vec<Part>,
    /// The part of each action, its kind there, and the field with its key.
    pub(super) routes: FxHashMap<Action, Route>,
    /// Whether some part has keys.
    pub(in super::super) has_keys: bool,
    /// Whether some time has a bound from below.
    pub(super) has_lower_bounds: bool,
    /// Whether a stage begins only when the stages before it are over on all lifelines, not just on that of the event.
    pub(super) is_strict: bool,
}

/// Where the events of an action go.
#[derive(Debug, Clone, Copy)]
pub(super) struct Route {
    pub(super) part: usize,
    pub(super) kind: KindId,
    /// The number of the lifeline of the action.
    pub(super) lifeline: usize,
    /// The field of the key; `None` for a part without keys.
    pub(super) key: Option<FieldId>,
}

/// A part of the interaction.
#[derive(Debug)]
pub(super) struct Part {
    /// The expressions of one session.
    pub(super) tables: Tables,
    pub(super) fast: FastSteps,
    /// Parts of one stage are in parallel; stages follow each other.
    pub(super) stage: usize,
    /// The variable that tells sessions apart.
    pub(super) key: Option<VariableId>,
    /// Whether the part is one session that is always there.
    pub(super) is_single: bool,
    /// Whether all shapes after at most so many events are confluent, for the largest number of events that was asked about.
    pub(super) confluent: Option<(usize, bool)>,
    /// The fewest events for which that was too much to find out.
    pub(super) unclear: Option<usize>,
}

impl Keyed {
    /// The plan of an interaction; `None` if an event is on several components. If no part is keyed, or parts share an
    /// action, all of it is one session.
    pub(in super::super) fn new(
        pool: &Pool,
        valued: &Valued,
        partition: &Partition,
    ) -> Option<Keyed> {
        let (stages, is_strict) = stages(valued);
        let parts = stages.iter().enumerate().flat_map(|(stage, &root)| {
            parallel_parts(valued, root).into_iter().map(move |part| (stage, part))
        });
        let by_parts = Keyed::of_parts(pool, valued, partition, parts, is_strict);
        by_parts.filter(|keyed| keyed.has_keys).or_else(|| {
            let whole = std::iter::once((0, valued.root));
            Keyed::of_parts(pool, valued, partition, whole, false)
        })
    }

    /// The plan of parts with their stages; `None` if parts share an action, or an event is on several components.
    fn of_parts(
        pool: &Pool,
        valued: &Valued,
        partition: &Partition,
        parts: impl Iterator<Item = (usize, ValuedId)>,
        is_strict: bool,
    ) -> Option<Keyed> {
        let mut keyed = Keyed {
            parts: Vec::new(),
            routes: FxHashMap::default(),
            has_keys: false,
            has_lower_bounds: false,
            is_strict,
        };
        for (stage, root) in parts {
            let session = Session::of(valued, root);
            keyed.has_keys |= session.is_some();
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
                let lifeline = action.lifeline.index();
                let route = Route { part: number, kind, lifeline, key };
                if keyed.routes.insert(action, route).is_some_and(|other| other.part != number) {
                    return None;
                }
            }
            let tables =
                Tables { exprs, steps: Steps::default(), root: start, kinds: FxHashMap::default() };
            let is_single = session.is_none();
            let fast = FastSteps::default();
            let key = session.as_ref().map(|session| session.variable);
            let (confluent, unclear) = (None, None);
            keyed.parts.push(Part { tables, fast, stage, key, is_single, confluent, unclear });
        }
        keyed.has_lower_bounds = valued.atoms().any(|atom| {
            let is_above = matches!(
                atom.test,
                Test::Compare(Relation::Greater | Relation::GreaterEqual, Operand::Variable(..))
            );
            atom.field == Valued::TIME && is_above
        });
        Some(keyed)
    }

    /// The field of an action's key, if it belongs to a session.
    pub(in super::super) fn key_of(&self, action: Action) -> Option<FieldId> {
        self.routes.get(&action)?.key
    }
}

/// The operands of the outermost `seq` or `strict`, and whether it is `strict`.
fn stages(valued: &Valued) -> (Vec<ValuedId>, bool) {
    let is_strict = matches!(valued.nodes[valued.root], ValuedNode::Strict(..));
    let split = |node: &ValuedNode| match (node, is_strict) {
        (ValuedNode::Strict(left, right), true)
        | (ValuedNode::Coreg(Pool::NONE, left, right), false) => Some((*left, *right)),
        _ => None,
    };
    (flatten(valued, valued.root, split), is_strict)
}

/// The operands of the outermost `par` of a node.
fn parallel_parts(valued: &Valued, root: ValuedId) -> Vec<ValuedId> {
    flatten(valued, root, |node| {
        let ValuedNode::Coreg(Pool::ALL, left, right) = node else { return None };
        Some((*left, *right))
    })
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
pub(super) fn events(
    valued: &Valued,
    root: ValuedId,
) -> impl Iterator<Item = &[otus_core::valued::Part]> {
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

/// A loop of sessions with a key.
pub(super) struct Session {
    pub(super) variable: VariableId,
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
            Some(Session { variable, body, others, is_fresh: fresh > 0, fields })
        })
    }

    /// The tree of one session. The atoms of the key are left out, since the session is found by it; unless other atoms
    /// mention the key, too.
    pub(super) fn tree(&self, valued: &Valued) -> Valued {
        let mut tree = valued.clone();
        let is_key = |action: Action, atom: &Atom| {
            atom.binds() == Some(self.variable) && self.fields.get(&action) == Some(&atom.field)
        };
        let is_mentioned = events(valued, self.body).flatten().any(|part| {
            let field = self.fields.get(&part.action);
            let mut others = part.guard.iter().filter(|atom| !is_key(part.action, atom));
            others.any(|atom| {
                // An event that nobody saw has some value in that field, which must be the key.
                atom.variable() == Some(self.variable) || Some(&atom.field) == field
            })
        });
        if !is_mentioned {
            let without_key = |part: &otus_core::valued::Part| {
                let left = part.guard.iter().filter(|atom| !is_key(part.action, atom));
                otus_core::valued::Part { guard: left.cloned().collect(), ..part.clone() }
            };
            let nodes = tree.nodes.iter().map(|node| {
                if let ValuedNode::Event(parts) = node {
                    ValuedNode::Event(parts.iter().map(without_key).collect())
                } else {
                    node.clone()
                }
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
