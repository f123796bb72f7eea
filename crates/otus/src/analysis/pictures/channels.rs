//! The messages of an interaction: which emission belongs to which reception.

use otus_core::{ActionId, Direction, MessageId, Pool, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// For each action, the first event of an interaction that has it.
pub(in crate::analysis) fn first_terms(pool: &Pool, term: TermId) -> FxHashMap<ActionId, TermId> {
    let mut found = FxHashMap::default();
    walk(pool, term, |term, node| {
        if let Term::Event(event) = node {
            for &action in pool.event_actions(event) {
                found.entry(action).or_insert(term);
            }
        }
    });
    found
}

/// The pairs of an emission and a reception that belong together without doubt: the emission has the same
/// receptions wherever it occurs in the interaction, and none of these receptions has another emission.
pub(super) fn channels(pool: &Pool, term: TermId) -> Vec<(ActionId, ActionId)> {
    let mut sets: FxHashMap<ActionId, Vec<ActionId>> = FxHashMap::default();
    let mut order: Vec<ActionId> = Vec::new();
    let mut doubtful: FxHashSet<ActionId> = FxHashSet::default();
    let mut add = |sent: ActionId, mut received: Vec<ActionId>| {
        received.sort_unstable();
        received.dedup();
        let known = sets.entry(sent).or_insert_with(|| {
            order.push(sent);
            received.clone()
        });
        if *known != received {
            doubtful.insert(sent);
            doubtful.extend(&received);
        }
    };
    walk(pool, term, |_, node| match node {
        Term::Event(event) => {
            let actions = pool.event_actions(event);
            let is_sent = |&&it: &&ActionId| pool.action(it).direction == Direction::Emission;
            if let Some(&sent) = actions.iter().find(is_sent) {
                let received = actions.iter().copied().filter(|&action| action != sent);
                let received: Vec<ActionId> = received.collect();
                if !received.is_empty() {
                    add(sent, received);
                }
            }
        }
        Term::Strict(left, right) => {
            let Some((sent, message)) = emission(pool, left) else { return };
            if let Some(received) = receptions(pool, right, message) {
                add(sent, received);
            }
        }
        Term::Empty | Term::Coreg(..) | Term::Alt(..) | Term::LoopS(_) | Term::LoopC(..) => {}
    });
    let mut senders: FxHashMap<ActionId, usize> = FxHashMap::default();
    for sent in &order {
        for received in &sets[sent] {
            *senders.entry(*received).or_default() += 1;
        }
    }
    let pairs = order.iter().flat_map(|sent| sets[sent].iter().map(|&received| (*sent, received)));
    pairs
        .filter(|(sent, received)| {
            senders[received] == 1 && !doubtful.contains(sent) && !doubtful.contains(received)
        })
        .collect()
}

/// The action and the message of an event, if it is a single emission.
fn emission(pool: &Pool, term: TermId) -> Option<(ActionId, MessageId)> {
    let Term::Event(event) = pool.node(term) else { return None };
    let &[action] = pool.event_actions(event) else { return None };
    let of = pool.action(action);
    (of.direction == Direction::Emission).then_some((action, of.message))
}

/// The receptions of a message, if a term consists only of these.
fn receptions(pool: &Pool, term: TermId, message: MessageId) -> Option<Vec<ActionId>> {
    let mut found = Vec::new();
    let mut stack = vec![term];
    while let Some(term) = stack.pop() {
        match pool.node(term) {
            Term::Event(event) => {
                let &[action] = pool.event_actions(event) else { return None };
                let of = pool.action(action);
                if of.direction != Direction::Reception || of.message != message {
                    return None;
                }
                found.push(action);
            }
            Term::Strict(left, right) | Term::Coreg(_, left, right) => stack.extend([right, left]),
            Term::Empty | Term::Alt(..) | Term::LoopS(_) | Term::LoopC(..) => return None,
        }
    }
    Some(found)
}

/// Visits each distinct subterm of a term, from left to right.
fn walk(pool: &Pool, term: TermId, mut visit: impl FnMut(TermId, Term)) {
    let mut met = FxHashSet::default();
    let mut stack = vec![term];
    while let Some(term) = stack.pop() {
        if met.insert(term) {
            let node = pool.node(term);
            visit(term, node);
            stack.extend(node.operands().rev());
        }
    }
}
