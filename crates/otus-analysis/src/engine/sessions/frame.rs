//! The parts of an expression around its sessions.
//!
//! An expression with sessions is `left . sessions . right`: three parts in sequence, with some conflicts between
//! them. A parallel composition is a sequence without conflicts.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::store::{Expr, ExprId, LeafId, OrderId, Store};

/// An expression in which the sessions are separated from the rest.
#[derive(Debug)]
pub(super) struct Frame {
    /// The conflicts between `left`, the sessions and `right`; `None` if there are none.
    pub(super) order: Option<OrderId>,
    pub(super) left: ExprId,
    pub(super) right: ExprId,
    /// The bodies of the loops that begin sessions.
    pub(super) bodies: Vec<ExprId>,
    /// The residuals of sessions, each with the number of sessions that have it.
    pub(super) sessions: Vec<(ExprId, u64)>,
}

impl Frame {
    /// The frame of an expression with a loop without conflicts between its iterations, if it has that form.
    pub(super) fn of(store: &mut Store, expr: ExprId) -> Option<Frame> {
        if let Some(frame) = Frame::bare(store, expr) {
            return Some(frame);
        }
        let Expr::Seq(order, operands) = store.expr(expr).clone() else { return None };
        let mut found = None;
        for (at, &operand) in operands.iter().enumerate() {
            if let Some(frame) = Frame::bare(store, operand) {
                // Sessions in two operands of a sequence cannot be counted in one multiset.
                if found.replace((at, frame)).is_some() {
                    return None;
                }
            }
        }
        let (at, frame) = found?;
        let left = store.seq(order, &operands[..at]);
        let right = store.seq(order, &operands[at + 1..]);
        Some(Frame { order: Some(order), left, right, ..frame })
    }

    /// The frame of a loop, or of a parallel composition with a loop.
    fn bare(store: &Store, expr: ExprId) -> Option<Frame> {
        let (mut bodies, mut sessions) = (Vec::new(), Vec::new());
        let only = [(expr, 1)];
        let operands = match store.expr(expr) {
            Expr::Par(operands) => operands,
            Expr::Loop(..) => only.as_slice(),
            Expr::Never
            | Expr::Empty
            | Expr::Leaf(_)
            | Expr::Alt(_)
            | Expr::Seq(..)
            | Expr::Suffix(..) => return None,
        };
        for &(operand, count) in operands {
            match *store.expr(operand) {
                Expr::Loop(order, body) if store.orders.items[order].is_none() => bodies.push(body),
                Expr::Never
                | Expr::Empty
                | Expr::Leaf(_)
                | Expr::Alt(_)
                | Expr::Par(_)
                | Expr::Seq(..)
                | Expr::Loop(..)
                | Expr::Suffix(..) => sessions.push((operand, u64::from(count))),
            }
        }
        let (left, right) = (Store::EMPTY, Store::EMPTY);
        (!bodies.is_empty()).then_some(Frame { order: None, left, right, bodies, sessions })
    }
}

impl Store {
    /// Whether an expression has neither choices nor loops: all of its traces have the same events.
    pub(super) fn is_choice_free(&self, expr: ExprId) -> bool {
        let mut met = FxHashSet::default();
        let mut pending = vec![expr];
        while let Some(expr) = pending.pop() {
            match self.expr(expr) {
                Expr::Never | Expr::Empty | Expr::Leaf(_) => {}
                form @ (Expr::Par(_) | Expr::Seq(..)) => {
                    pending.extend(form.operands().filter(|&x| met.insert(x)));
                }
                Expr::Alt(_) | Expr::Loop(..) | Expr::Suffix(..) => return false,
            }
        }
        true
    }

    /// How often each leaf occurs in an expression without choices; 2 stands for all greater numbers.
    pub(super) fn occurrences(&self, expr: ExprId) -> FxHashMap<LeafId, u8> {
        let mut found: FxHashMap<LeafId, u8> = FxHashMap::default();
        // A subexpression that was met twice is not entered again.
        let mut met: FxHashMap<ExprId, u8> = FxHashMap::default();
        let mut pending = vec![(expr, 1)];
        while let Some((expr, count)) = pending.pop() {
            let before = met.entry(expr).or_default();
            if *before == 2 {
                continue;
            }
            let count = count.min(2 - *before);
            *before += count;
            match self.expr(expr) {
                Expr::Leaf(leaf) => *found.entry(*leaf).or_default() += count,
                Expr::Par(operands) => pending
                    .extend(operands.iter().map(|&(x, n)| (x, if n > 1 { 2 } else { count }))),
                Expr::Seq(_, operands) => pending.extend(operands.iter().map(|&x| (x, count))),
                Expr::Never | Expr::Empty | Expr::Alt(_) | Expr::Loop(..) | Expr::Suffix(..) => {}
            }
        }
        found
    }
}
