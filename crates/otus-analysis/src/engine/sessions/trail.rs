//! The events that greedy firing let happen, with their sessions. An execution can be reconstructed
//! from this record.

use std::collections::VecDeque;

use super::super::store::LeafId;

/// The record of everything that was fired.
#[derive(Debug, Default)]
pub(crate) struct Trail {
    /// The events, in the order in which they were fired.
    pub(crate) fired: Vec<Fired>,
    /// The events that sessions of the stock have done before observation started, those of each session in order.
    pub(crate) stocked: Vec<Fired>,
    /// The number of events that were fired before those of the stock.
    pub(crate) before_stock: usize,
    /// The number of sessions.
    pub(crate) sessions: u32,
    /// For each shape: its sessions.
    by_shape: Vec<VecDeque<u32>>,
    /// For each kind of body: its sessions, in the order in which they began.
    by_kind: Vec<Vec<u32>>,
}

/// An event that happened.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fired {
    pub(crate) leaf: LeafId,
    /// The session of the event; `None` if the event belongs to no session.
    pub(crate) session: Option<u32>,
    /// Whether some component observed it.
    pub(crate) observed: bool,
}

impl Trail {
    pub(super) fn add(&mut self, leaf: LeafId, session: Option<u32>, observed: bool) {
        self.fired.push(Fired { leaf, session, observed });
    }

    pub(super) fn begin(&mut self) -> u32 {
        self.sessions += 1;
        self.sessions - 1
    }

    /// The queue of the sessions with a shape.
    pub(super) fn shape(&mut self, shape: u32) -> &mut VecDeque<u32> {
        let index = shape as usize;
        if self.by_shape.len() <= index {
            self.by_shape.resize_with(index + 1, VecDeque::new);
        }
        &mut self.by_shape[index]
    }

    /// The session with this number among those of a kind, which begins if it is the next.
    pub(super) fn of_kind(&mut self, kind: usize, number: u64) -> u32 {
        if self.by_kind.len() <= kind {
            self.by_kind.resize_with(kind + 1, Vec::new);
        }
        let index = usize::try_from(number).unwrap_or(usize::MAX);
        if index >= self.by_kind[kind].len() {
            let session = self.begin();
            self.by_kind[kind].push(session);
            return session;
        }
        self.by_kind[kind][index]
    }
}
