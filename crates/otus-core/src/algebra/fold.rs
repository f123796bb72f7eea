//! Post-order traversal of a term: operands first, each distinct sub-term once, without recursion.

use rustc_hash::FxHashMap;

use crate::index::TermId;
use crate::pool::Pool;

/// Computes a value for `root` from the values of its sub-terms.
///
/// `known` returns the value of a term that does not depend on its operands; `build` computes the value
/// of any other term from those of its operands, left to right. `done` is the memo table: values found
/// there are used, new ones are added.
///
/// # Panics
/// Never: the root is done when the stack is empty.
pub fn fold<R: Clone>(
    pool: &mut Pool,
    root: TermId,
    done: &mut FxHashMap<TermId, R>,
    mut known: impl FnMut(&Pool, TermId) -> Option<R>,
    mut build: impl FnMut(&mut Pool, TermId, &[R]) -> R,
) -> R {
    let mut stack = vec![root];
    let mut operands: Vec<R> = Vec::with_capacity(2);
    while let Some(&term) = stack.last() {
        if done.contains_key(&term) {
            stack.pop();
            continue;
        }
        if let Some(value) = known(pool, term) {
            done.insert(term, value);
            stack.pop();
            continue;
        }
        operands.clear();
        let height = stack.len();
        // The right operand is pushed first, so that the left one is done first.
        for operand in pool.node(term).operands().rev() {
            match done.get(&operand) {
                Some(value) => operands.push(value.clone()),
                None => stack.push(operand),
            }
        }
        if stack.len() == height {
            operands.reverse();
            let value = build(pool, term, &operands);
            done.insert(term, value);
            stack.pop();
        }
    }
    done.get(&root).expect("the root is done").clone()
}
