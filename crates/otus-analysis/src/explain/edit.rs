//! Edits of a multi-trace: what a repair is made of.

use otus_core::index::Index as _;
use otus_core::{ActionId, Pool};
use otus_syntax::SourceId;
use otus_trace::multitrace::Builder;
use otus_trace::{ComponentId, MultiTrace};

use super::letters::{Letter, Letters, Logs};
use super::phrase;

/// One change that would help. Moments are counted from 0 in the log as it was observed, and if
/// several edits change one log, as the earlier ones have left it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Something happened that was not logged.
    Insert {
        /// Where.
        component: ComponentId,
        /// Before which moment; their number stands for the end.
        before: usize,
        /// What: the actions of one moment.
        moment: Box<[ActionId]>,
    },
    /// Something was logged that did not happen.
    Drop {
        /// Where.
        component: ComponentId,
        /// Which moment.
        moment: usize,
    },
    /// Two moments were logged in each other's place.
    Swap {
        /// Where.
        component: ComponentId,
        /// The earlier one.
        first: usize,
        /// The later one.
        second: usize,
    },
    /// A moment was logged in the wrong place.
    Move {
        /// Where.
        component: ComponentId,
        /// Which moment.
        from: usize,
        /// Where it stands afterwards.
        to: usize,
    },
    /// Something else happened than was logged.
    Replace {
        /// Where.
        component: ComponentId,
        /// Which moment.
        moment: usize,
        /// What: the actions of one moment.
        by: Box<[ActionId]>,
    },
    /// The log stopped early: the rest of it is missing.
    StoppedEarly {
        /// Whose.
        component: ComponentId,
    },
}

impl Edit {
    /// The component whose log it changes.
    pub fn component(&self) -> ComponentId {
        match *self {
            Edit::Insert { component, .. }
            | Edit::Drop { component, .. }
            | Edit::Swap { component, .. }
            | Edit::Move { component, .. }
            | Edit::Replace { component, .. }
            | Edit::StoppedEarly { component } => component,
        }
    }

    /// A multi-trace with this edit. Where places in it are not those of the edit, nothing changes.
    pub fn apply(&self, trace: &MultiTrace) -> MultiTrace {
        let mut builder = Builder::new(trace.shared_partition().clone(), trace.len() + 1, false);
        for component in trace.partition().components() {
            let moments = trace.moments(component);
            let mut log: Vec<Box<[ActionId]>> =
                moments.map(|moment| moment.iter().map(|step| step.action()).collect()).collect();
            if component == self.component() {
                self.change(&mut log);
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

    fn change(&self, log: &mut Vec<Box<[ActionId]>>) {
        match self {
            Edit::Insert { before, moment, .. } if *before <= log.len() => {
                log.insert(*before, moment.clone());
            }
            Edit::Drop { moment, .. } if *moment < log.len() => {
                log.remove(*moment);
            }
            Edit::Swap { first, second, .. } if *first.max(second) < log.len() => {
                log.swap(*first, *second);
            }
            Edit::Move { from, to, .. } if *from.max(to) < log.len() => {
                let moment = log.remove(*from);
                log.insert(*to, moment);
            }
            Edit::Replace { moment, by, .. } if *moment < log.len() => {
                log[*moment].clone_from(by);
            }
            Edit::Insert { .. }
            | Edit::Drop { .. }
            | Edit::Swap { .. }
            | Edit::Move { .. }
            | Edit::Replace { .. }
            | Edit::StoppedEarly { .. } => {}
        }
    }

    /// In words, with places counted from 1: `insert b?m before a!n (place 2)`. The logs are those
    /// before the edit.
    pub fn text(&self, trace: &MultiTrace, pool: &Pool) -> String {
        let log: Vec<&[otus_trace::Step]> = trace.moments(self.component()).collect();
        let show = |at: usize| {
            let actions = log.get(at).map(|moment| moment.iter().map(|step| step.action()));
            let actions: Vec<ActionId> = actions.into_iter().flatten().collect();
            format!("{} (place {})", phrase::moment(pool, &actions), at + 1)
        };
        match self {
            Edit::Insert { before, moment, .. } if *before < log.len() => {
                format!("insert {} before {}", phrase::moment(pool, moment), show(*before))
            }
            Edit::Insert { moment, .. } => {
                format!("insert {} at the end", phrase::moment(pool, moment))
            }
            Edit::Drop { moment, .. } => format!("drop {}", show(*moment)),
            Edit::Swap { first, second, .. } => {
                format!("swap {} and {}", show(*first), show(*second))
            }
            Edit::Move { from, to, .. } => {
                let word = if to < from { "before" } else { "after" };
                format!("move {} {word} {}", show(*from), show(*to))
            }
            Edit::Replace { moment, by, .. } => {
                format!("replace {} by {}", show(*moment), phrase::moment(pool, by))
            }
            Edit::StoppedEarly { component } => {
                let name = phrase::component(pool, trace.partition(), *component);
                format!("take it that the log of {name} stopped early")
            }
        }
    }
}

/// An edit of letters, small enough to make many of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Change {
    Drop(usize),
    Insert(usize, Letter),
    Swap(usize, usize),
    Replace(usize, Letter),
    Move(usize, usize),
    StoppedEarly,
}

impl Change {
    /// The logs with this change in one of them.
    pub(super) fn apply(self, logs: &Logs, component: usize) -> Logs {
        let mut changed = logs.clone();
        let mut log = logs[component].to_vec();
        match self {
            Change::Drop(at) => {
                log.remove(at);
            }
            Change::Insert(at, letter) => log.insert(at, letter),
            Change::Swap(first, second) => log.swap(first, second),
            Change::Replace(at, letter) => log[at] = letter,
            Change::Move(from, to) => {
                let letter = log.remove(from);
                log.insert(to, letter);
            }
            Change::StoppedEarly => return changed,
        }
        changed[component] = log.into();
        changed
    }

    /// As it is published.
    pub(super) fn publish(self, component: usize, letters: &Letters) -> Edit {
        let component = ComponentId::new(component);
        match self {
            Change::Drop(moment) => Edit::Drop { component, moment },
            Change::Insert(before, letter) => {
                Edit::Insert { component, before, moment: letters.actions(letter).into() }
            }
            Change::Swap(first, second) => Edit::Swap { component, first, second },
            Change::Replace(moment, letter) => {
                Edit::Replace { component, moment, by: letters.actions(letter).into() }
            }
            Change::Move(from, to) => Edit::Move { component, from, to },
            Change::StoppedEarly => Edit::StoppedEarly { component },
        }
    }

    /// Where a moment of the changed log stood before; `None` if it was not there. The number of
    /// moments stands for the end.
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
