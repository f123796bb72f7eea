//! The multi-trace of a case, as the search reads it.

use otus_core::index::Index as _;
use otus_core::valued::{FieldId, Part, Valued};
use otus_core::{Action, Peer, Value};
use otus_trace::{ComponentId, ObservedOrder};

use super::Case;
use crate::oracle::{Asked, Window};

/// The logs of all components.
#[derive(Debug)]
pub(super) struct Logs {
    /// By component.
    pub(super) components: Vec<Log>,
    /// Pairs of moments, by component and number, of which the first does not happen after the second.
    pub(super) edges: Vec<((usize, usize), (usize, usize))>,
    /// Whether the question is about a global prefix.
    pub(super) global: bool,
}

/// The log of a component.
#[derive(Debug)]
pub(super) struct Log {
    pub(super) window: Window,
    pub(super) lines: Vec<Line>,
}

/// A moment of a log.
#[derive(Debug)]
pub(super) struct Line {
    /// The number of its first step on the component.
    first: usize,
    /// What happened, without peers, sorted.
    pub(super) actions: Vec<Action>,
    /// The peers of these actions, where they are known.
    peers: Vec<Option<Peer>>,
    /// The clock of the component at this moment.
    epoch: usize,
}

/// A clock. A component has one clock, but a clock that goes backwards is another one from there on: the next *epoch*.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Clock {
    /// The number of the component.
    pub component: usize,
    /// How often its times went backwards before.
    pub epoch: usize,
}

impl Clock {
    /// The uncertainty between two clocks; between clocks of which one went backwards it is unknown.
    pub fn uncertainty(self, other: Clock, declared: Option<i64>) -> Option<i64> {
        if self == other {
            return Some(0);
        }
        declared.filter(|_| self.epoch == 0 && other.epoch == 0)
    }
}

impl Logs {
    /// The logs of a multi-trace as a question asks for them.
    pub(super) fn new(case: &Case<'_>, asked: &Asked) -> Logs {
        let pool = case.pool;
        let log = |component: ComponentId| {
            let mut first = 0;
            let mut latest: Option<i64> = None;
            let mut epoch = 0;
            let mut lines = Vec::new();
            for moment in &asked.seen.components[component.index()] {
                let actions =
                    moment.iter().map(|&action| pool.action(action).without_peer()).collect();
                let peers = moment.iter().map(|&action| pool.action(action).peer).collect();
                let steps = first..first + moment.len();
                let times = steps.clone().filter_map(|step| case.facts.time(component, step));
                let times: Vec<i64> = times.collect();
                if times.iter().any(|&time| latest.is_some_and(|latest| time < latest)) {
                    epoch += 1;
                    latest = None;
                }
                latest = times.iter().copied().chain(latest).max();
                lines.push(Line { first, actions, peers, epoch });
                first = steps.end;
            }
            let window =
                asked.windows.as_ref().map_or(Window::Prefix, |windows| windows[component.index()]);
            Log { window, lines }
        };
        let components: Vec<Log> = case.trace.partition().components().map(log).collect();
        let line = |(component, step): (ComponentId, usize)| {
            let lines = &components[component.index()].lines;
            let line = lines
                .iter()
                .position(|line| (line.first..line.first + line.actions.len()).contains(&step));
            Some((component.index(), line?))
        };
        let edges = case.order.into_iter().flat_map(ObservedOrder::edges);
        let edges = edges.filter_map(|edge| Some((line(edge.from)?, line(edge.to)?))).collect();
        Logs { components, edges, global: asked.windows.is_none() }
    }
}

impl Log {
    /// Whether events may have happened before the first line, and after the last. A window without lines that may be
    /// anywhere is at the very beginning.
    pub(super) fn open_ends(&self) -> (bool, bool) {
        let late = matches!(self.window, Window::Suffix | Window::Slice);
        let early = matches!(self.window, Window::Prefix | Window::Slice);
        (late && !(early && self.lines.is_empty()), early)
    }

    /// The number of the last clock.
    pub(super) fn last_epoch(&self) -> usize {
        self.lines.last().map_or(0, |line| line.epoch)
    }
}

impl Line {
    /// Whether the peer of an action can be one of these.
    pub(super) fn allows(&self, part: &Part) -> bool {
        let at = self.actions.iter().position(|&own| own == part.action);
        let peer = at.and_then(|at| self.peers[at]);
        peer.is_none_or(|peer| part.peers.contains(&peer))
    }

    /// The value of a field of an action, if it was logged.
    pub(super) fn value(
        &self,
        case: &Case<'_>,
        component: usize,
        field: FieldId,
        action: Action,
    ) -> Option<Value> {
        let offset = self.actions.iter().position(|&own| own == action)?;
        case.facts.known(field, ComponentId::new(component), self.first + offset)
    }

    /// The time of an action, if it was logged.
    pub(super) fn time(&self, case: &Case<'_>, component: usize, action: Action) -> Option<i64> {
        let value = self.value(case, component, Valued::TIME, action)?;
        match value {
            Value::Number(number) => number.integer(),
            Value::Boolean(_) | Value::Text(_) => None,
        }
    }

    /// The clock of this moment.
    pub(super) fn epoch(&self) -> usize {
        self.epoch
    }
}
