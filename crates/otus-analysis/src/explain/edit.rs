//! Edits of a multi-trace, of which a repair consists.

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
pub enum Edit {
    /// An event happened that was not logged.
    Insert {
        /// The edited component.
        component: ComponentId,
        /// The index of the moment before which to insert; the number of moments means the end.
        before: usize,
        /// The actions of the inserted moment.
        moment: Box<[ActionId]>,
    },
    /// A moment was logged that did not happen.
    Drop {
        /// The edited component.
        component: ComponentId,
        /// The index of the moment.
        moment: usize,
    },
    /// Two moments were logged in each other's place.
    Swap {
        /// The edited component.
        component: ComponentId,
        /// The index of the earlier moment.
        first: usize,
        /// The index of the later moment.
        second: usize,
    },
    /// A moment was logged in the wrong place.
    Move {
        /// The edited component.
        component: ComponentId,
        /// The index of the moment.
        from: usize,
        /// Its index afterwards.
        to: usize,
    },
    /// Another moment happened than was logged.
    Replace {
        /// The edited component.
        component: ComponentId,
        /// The index of the moment.
        moment: usize,
        /// The actions that replace it.
        by: Box<[ActionId]>,
    },
    /// The log stopped early, and its rest is missing.
    StoppedEarly {
        /// The component.
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

    /// The multi-trace after this edit; unchanged if an index is out of range.
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

    /// The edit in words, with places counted from 1: `insert b?m before a!n (place 2)`. `trace` is
    /// the multi-trace before the edit.
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

/// An edit in terms of letters, small enough to generate many of them.
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

    /// The edit as plain data.
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

    /// The index, before the change, of a moment of the changed log; `None` if it was inserted. The
    /// number of moments means the end.
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
