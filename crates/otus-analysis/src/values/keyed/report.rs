//! Which loops of sessions are fast, and what the others lack: for `otus lint`.

use otus_core::valued::{Valued, ValuedId, ValuedNode};
use otus_core::{Action, Pool};
use otus_syntax::Span;
use otus_trace::Partition;
use rustc_hash::FxHashSet;

use super::super::expr::Exprs;
use super::super::step::Steps;
use super::confluence::all_confluent;
use super::plan::{Session, binders, events, session_tree};

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
    roots.filter_map(|root| report(pool, valued, partition, root)).collect()
}

fn report(
    pool: &Pool,
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
        return Some(LoopReport { span, key: None, lacking, is_confluent: None });
    };
    let key = Some(name(session.key.variable));
    let (mut exprs, start) = Exprs::new(pool, &session_tree(valued, &session), partition, false);
    let mut steps = Steps::default();
    let is_confluent =
        all_confluent(&mut exprs, &mut steps, partition, (start, usize::MAX), None, || false);
    Some(LoopReport { span, key, lacking: Vec::new(), is_confluent })
}
