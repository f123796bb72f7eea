//! Edits of a multi-trace: moments are dropped, inserted, swapped, replaced or moved, or a log is
//! taken to stop early. A repair is a list of edits.

use otus_core::index::Index as _;
use otus_core::{ActionId, Pool};
use otus_syntax::SourceId;
use otus_trace::multitrace::Builder;
use otus_trace::{ComponentId, MultiTrace};

use super::letters::{Letter, Letters, Logs};
use super::phrase;

/// One edit of a log. Moments are counted from 0 in the observed log or, if earlier edits change
/// the same log, in the log after these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The edited component.
    pub component: ComponentId,
    /// The change of the log of this component.
    pub change: Change<Box<[ActionId]>>,
}

/// A change of a log with moments `M`. Of equally likely changes, the one that is least in the
/// derived order is tried first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change<M> {
    /// The moment with this index was logged and did not happen.
    Drop(usize),
    /// A moment happened that was not logged, before the one with this index; the number of moments
    /// means the end.
    Insert(usize, M),
    /// The moments with these indexes, the smaller one first, were logged in each other's place.
    Swap(usize, usize),
    /// Another moment happened in place of the observed one with this index.
    Replace(usize, M),
    /// The moment with the first index was logged in the wrong place; the second is its index
    /// afterwards.
    Move(usize, usize),
    /// The log stopped early, and its rest is missing.
    StoppedEarly,
}

impl<M> Change<M> {
    /// Whether the moment with an index only gets another place.
    pub(super) fn moves(&self, index: usize) -> bool {
        match *self {
            Change::Swap(first, second) => first == index || second == index,
            Change::Move(from, _) => from == index,
            Change::Drop(_) | Change::Insert(..) | Change::Replace(..) | Change::StoppedEarly => {
                false
            }
        }
    }
}

impl Edit {
    /// The multi-trace after this edit; unchanged if an index is out of range.
    pub fn apply(&self, trace: &MultiTrace) -> MultiTrace {
        let mut builder = Builder::new(trace.shared_partition().clone(), trace.len() + 1, false);
        for component in trace.partition().components() {
            let moments = trace.moments(component);
            let mut log: Vec<Box<[ActionId]>> =
                moments.map(|moment| moment.iter().map(|step| step.action()).collect()).collect();
            if component == self.component {
                self.change.apply(&mut log);
            }
            for moment in log {
                builder.next_moment();
                for &action in &moment {
                    builder.push(action, 0);
                }
            }
            builder.next_component();
        }
        builder.finish(SourceId(0))
    }

    /// The edit in words, with places counted from 1: `insert b?m before a!n (place 2)`. `trace` is
    /// the multi-trace before the edit.
    pub fn text(&self, trace: &MultiTrace, pool: &Pool) -> String {
        let log: Vec<&[otus_trace::Step]> = trace.moments(self.component).collect();
        let show = |at: usize| {
            let actions = log.get(at).map(|moment| moment.iter().map(|step| step.action()));
            let actions: Vec<ActionId> = actions.into_iter().flatten().collect();
            format!("{} (place {})", phrase::moment(pool, &actions), at + 1)
        };
        match &self.change {
            Change::Insert(before, moment) if *before < log.len() => {
                format!("insert {} before {}", phrase::moment(pool, moment), show(*before))
            }
            Change::Insert(_, moment) => {
                format!("insert {} at the end", phrase::moment(pool, moment))
            }
            Change::Drop(at) => format!("drop {}", show(*at)),
            Change::Swap(first, second) => format!("swap {} and {}", show(*first), show(*second)),
            Change::Move(from, to) => {
                let word = if to < from { "before" } else { "after" };
                format!("move {} {word} {}", show(*from), show(*to))
            }
            Change::Replace(at, by) => {
                format!("replace {} by {}", show(*at), phrase::moment(pool, by))
            }
            Change::StoppedEarly => {
                let name = phrase::component(pool, trace.partition(), self.component);
                format!("take it that the log of {name} stopped early")
            }
        }
    }
}

impl<M: Clone> Change<M> {
    /// Changes a log, unless an index is out of range.
    pub(crate) fn apply(&self, log: &mut Vec<M>) {
        match *self {
            Change::Drop(at) if at < log.len() => {
                log.remove(at);
            }
            Change::Insert(at, ref moment) if at <= log.len() => log.insert(at, moment.clone()),
            Change::Swap(first, second) if first.max(second) < log.len() => log.swap(first, second),
            Change::Replace(at, ref by) if at < log.len() => log[at] = by.clone(),
            Change::Move(from, to) if from.max(to) < log.len() => {
                let moment = log.remove(from);
                log.insert(to, moment);
            }
            Change::Drop(_) | Change::Insert(..) | Change::Swap(..) => {}
            Change::Replace(..) | Change::Move(..) | Change::StoppedEarly => {}
        }
    }
}

/// Letters are small, so that many changes can be generated.
impl Change<Letter> {
    /// The logs of all components, with this change in the log of one component.
    pub(super) fn applied(self, logs: &Logs, component: usize) -> Logs {
        let mut changed = logs.clone();
        let mut log = logs[component].to_vec();
        self.apply(&mut log);
        changed[component] = log.into();
        changed
    }

    /// The edit as plain data.
    pub(super) fn publish(self, component: usize, letters: &Letters) -> Edit {
        let moment = |letter: Letter| letters.actions(letter).into();
        let change = match self {
            Change::Drop(at) => Change::Drop(at),
            Change::Insert(at, letter) => Change::Insert(at, moment(letter)),
            Change::Swap(first, second) => Change::Swap(first, second),
            Change::Replace(at, letter) => Change::Replace(at, moment(letter)),
            Change::Move(from, to) => Change::Move(from, to),
            Change::StoppedEarly => Change::StoppedEarly,
        };
        Edit { component: ComponentId::new(component), change }
    }

    /// The index, before the change, of a moment of the changed log; `None` if it was inserted. An
    /// index equal to the number of moments stands for the end of the log.
    pub(super) fn before(self, at: usize) -> Option<usize> {
        match self {
            Change::Drop(gone) => Some(if at < gone { at } else { at + 1 }),
            Change::Insert(new, _) if at == new => None,
            Change::Insert(new, _) => Some(if at < new { at } else { at - 1 }),
            Change::Swap(first, second) if at == first => Some(second),
            Change::Swap(first, second) if at == second => Some(first),
            Change::Move(from, to) => {
                if at == to {
                    Some(from)
                } else {
                    let rest = if at > to { at - 1 } else { at };
                    Some(if rest >= from { rest + 1 } else { rest })
                }
            }
            Change::Swap(..) | Change::Replace(..) | Change::StoppedEarly => Some(at),
        }
    }
}
