//! Which loops of sessions are fast, and what the others lack: for `otus lint`.

use otus_core::valued::{Valued, ValuedId, ValuedNode};
use otus_core::{Action, Pool};
use otus_syntax::Span;
use otus_trace::Partition;
use rustc_hash::FxHashSet;

use super::super::search::Tables;
use super::confluence::all_confluent;
use super::plan::{Keyed, Session, binders, events};

/// A parallel loop whose iterations have variables of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopReport {
    /// Its place in the text.
    pub span: Span,
    /// The variable that tells its sessions apart, if every action carries one.
    pub key: Option<String>,
    /// For each variable that could be the key: the actions that do not carry it.
    pub lacking: Vec<(String, Vec<Action>)>,
    /// Whether two events of different logs that can both come first leave the same in either order, in every state of
    /// a session; `None` without a key, or if there are too many states.
    pub is_confluent: Option<bool>,
    /// Whether events are looked up by the key. If there is a key and they are not, some action of the loop occurs elsewhere
    /// too, some message is an event of several logs, or some guard names a variable from outside that is not a key.
    pub is_looked_up: bool,
}

/// The parallel loops of an interaction whose iterations have variables of their own.
pub fn loops(pool: &Pool, valued: &Valued, partition: &Partition) -> Vec<LoopReport> {
    let inner: FxHashSet<ValuedId> = valued
        .nodes
        .iter()
        .filter_map(|node| if let ValuedNode::Fresh(_, inner) = node { Some(*inner) } else { None })
        .collect();
    let is_loop =
        |node: &ValuedNode| matches!(node, ValuedNode::Fresh(..) | ValuedNode::LoopC(Pool::ALL, _));
    let is_outermost = |id: &ValuedId| is_loop(&valued.nodes[*id]) && !inner.contains(id);
    let roots = valued.nodes.ids().filter(is_outermost);
    let mut keyed = Keyed::new(pool, valued, partition);
    roots.filter_map(|root| report(keyed.as_mut(), valued, partition, root)).collect()
}

fn report(
    keyed: Option<&mut Keyed>,
    valued: &Valued,
    partition: &Partition,
    root: ValuedId,
) -> Option<LoopReport> {
    let found = binders(valued, root)?;
    if found.variables.is_empty() {
        return None;
    }
    let span = valued.spans[root];
    let name = |variable| valued.variables[variable].to_string();
    let Some(session) = Session::of(valued, root) else {
        let lacking = found.variables.iter().map(|&variable| {
            let lacks = |part: &&otus_core::valued::Part| {
                !part
                    .guard
                    .iter()
                    .any(|atom| atom.binds() == Some(variable) && atom.field != Valued::TIME)
            };
            let mut actions: Vec<Action> = events(valued, found.body)
                .flatten()
                .filter(lacks)
                .map(|part| part.action)
                .collect();
            actions.sort_unstable();
            actions.dedup();
            (name(variable), actions)
        });
        let lacking = lacking.collect();
        let (key, is_confluent, is_looked_up) = (None, None, false);
        return Some(LoopReport { span, key, lacking, is_confluent, is_looked_up });
    };
    let key = Some(name(session.key.variable));
    let units = keyed.map(|keyed| &mut keyed.units);
    let unit = units.and_then(|units| units.iter_mut().find(|unit| unit.nodes.contains(&root)));
    let is_looked_up = unit.is_some();
    let is_confluent = unit.and_then(|unit| {
        let Tables { exprs, steps, root, .. } = &mut unit.tables;
        all_confluent(exprs, steps, partition, (*root, usize::MAX), None, true, || false)
    });
    Some(LoopReport { span, key, lacking: Vec::new(), is_confluent, is_looked_up })
}
