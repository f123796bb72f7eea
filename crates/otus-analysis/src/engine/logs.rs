//! The logs of a multi-trace, and how much of them is consumed.

use otus_core::index::Index as _;
use otus_trace::multitrace::Step;
use otus_trace::{Cause, ComponentId, MultiTrace, ObservedOrder};
use smallvec::SmallVec;

use super::Ending;
use super::alphabet::Alphabet;
use super::store::{LeafId, SymbolId};
use crate::question::{Observed, Question};

/// A list by component. There are usually few components.
type Few<T> = SmallVec<[T; 8]>;

/// For each component: the number of consumed actions.
pub(crate) type Consumed = Few<u32>;

#[derive(Debug)]
pub(crate) struct Logs<'t> {
    /// The log of each component.
    all: Few<&'t [Step]>,
    pub(crate) consumed: Consumed,
    /// For each component: the meaning of its end.
    pub(crate) endings: Few<Ending>,
    /// For each component: whether events may have happened before its first moment.
    pub(crate) late: Few<bool>,
    /// The order that was observed between logs, if the search has to respect it
    /// ([`ordered`](super::ordered)).
    order: Option<&'t ObservedOrder>,
    /// The maximum number of actions that a failed branch consumed, in total and for each
    /// component.
    pub(crate) furthest: Option<(u64, Consumed)>,
}

impl<'t> Logs<'t> {
    pub(crate) fn new(trace: &'t MultiTrace, question: &Question, components: usize) -> Self {
        let mut logs = Logs {
            all: Few::new(),
            consumed: Consumed::new(),
            endings: Few::new(),
            late: Few::new(),
            order: None,
            furthest: None,
        };
        for component in (0..components).map(ComponentId::new) {
            let observed = question.of(component);
            let log = if observed == Observed::Unobserved { &[] } else { trace.steps(component) };
            logs.all.push(log);
            // If a log that may start late is empty, all events may have happened before it
            // started.
            let early = observed.may_stop_early() || (observed.may_start_late() && log.is_empty());
            logs.endings.push(if early { Ending::Early } else { Ending::Final });
            logs.late.push(observed.may_start_late() && !log.is_empty());
        }
        logs.consumed.resize(logs.all.len(), 0);
        logs
    }

    /// What is left of logs that have begun, with the meaning of their ends.
    pub(crate) fn of_rest(rest: &'t [Vec<Step>], endings: &[Ending]) -> Self {
        Logs {
            all: rest.iter().map(Vec::as_slice).collect(),
            consumed: rest.iter().map(|_| 0).collect(),
            endings: endings.iter().copied().collect(),
            late: rest.iter().map(|_| false).collect(),
            order: None,
            furthest: None,
        }
    }

    /// The same logs, in which every action waits until its causes are consumed.
    pub(crate) fn in_order(self, order: &'t ObservedOrder) -> Self {
        Logs { order: Some(order), ..self }
    }

    pub(crate) fn is_ordered(&self) -> bool {
        self.order.is_some()
    }

    /// The component of a cause that the next moment of a component waits for. The actions up to `after` are that
    /// moment.
    #[inline]
    pub(crate) fn waits_for(&self, component: usize, after: u32) -> Option<usize> {
        // Most logs have no order, and searches ask this for every moment.
        self.order.and_then(|order| self.waits_in(order, component, after))
    }

    fn waits_in(&self, order: &ObservedOrder, component: usize, after: u32) -> Option<usize> {
        let moment = self.consumed[component]..after;
        let causes = order.causes(ComponentId::new(component), moment);
        let waits = |cause: &&Cause| {
            let log = cause.component.index();
            // The log of an unobserved component is ignored.
            self.consumed[log] <= cause.cause && (cause.cause as usize) < self.all[log].len()
        };
        causes.iter().find(waits).map(|cause| cause.component.index())
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    #[inline]
    pub(crate) fn log(&self, component: usize) -> &'t [Step] {
        self.all[component]
    }

    #[inline]
    pub(crate) fn is_over(&self, component: usize) -> bool {
        self.consumed[component] as usize >= self.all[component].len()
    }

    pub(crate) fn all_over(&self) -> bool {
        self.all.iter().zip(&self.consumed).all(|(log, &at)| at as usize >= log.len())
    }

    /// Whether a log that may start late has not started.
    pub(crate) fn is_unstarted(&self, component: usize) -> bool {
        self.late[component] && self.consumed[component] == 0 && !self.is_over(component)
    }

    /// A key of the consumed logs and their endings, two bits for each component. `None` if there
    /// are too many components, or if some log may start late.
    pub(crate) fn missing(&self) -> Option<u64> {
        if self.len() > 32 || self.late.contains(&true) {
            return None;
        }
        let mut missing = 0;
        for component in (0..self.len()).rev() {
            let how = match self.endings[component] {
                Ending::Final => 1,
                Ending::Early => 2,
            };
            missing = missing << 2 | if self.is_over(component) { how } else { 0 };
        }
        Some(missing)
    }

    /// Whether an event is now outside the period of observation of a component: before the first
    /// moment of a log that may start late, or after the end of one that may stop early.
    #[inline]
    pub(crate) fn is_outside(&self, component: usize) -> bool {
        if self.is_over(component) {
            self.endings[component] == Ending::Early
        } else {
            self.late[component] && self.consumed[component] == 0
        }
    }

    /// The next symbol of a component, if the interaction has it, and the number of actions
    /// consumed after it; `None` at the end.
    #[inline]
    pub(crate) fn symbol(
        &self,
        component: usize,
        alphabet: &Alphabet,
    ) -> Option<(Option<SymbolId>, u32)> {
        let at = self.consumed[component];
        let rest = &self.all[component][at as usize..];
        if rest.is_empty() {
            return None;
        }
        let (symbol, length) = alphabet.read(rest);
        Some((symbol, at + u32::try_from(length).unwrap_or(u32::MAX)))
    }

    /// Like [`Logs::symbol`], but `None` if the next moment of the component waits for a cause.
    #[inline]
    pub(crate) fn head(&self, component: usize, alphabet: &Alphabet) -> Option<(SymbolId, u32)> {
        let (symbol, after) = self.symbol(component, alphabet)?;
        let symbol = symbol.filter(|_| self.waits_for(component, after).is_none())?;
        Some((symbol, after))
    }

    /// Like [`Logs::symbol`], with the leaf that is observed as this symbol and nowhere else.
    #[inline]
    pub(crate) fn next(
        &self,
        component: usize,
        alphabet: &Alphabet,
    ) -> Option<(Option<LeafId>, u32)> {
        self.next_at(component, self.consumed[component], alphabet)
    }

    /// Like [`Logs::next`], after this number of actions.
    #[inline]
    pub(crate) fn next_at(
        &self,
        component: usize,
        at: u32,
        alphabet: &Alphabet,
    ) -> Option<(Option<LeafId>, u32)> {
        alphabet.leaf_at(self.all[component], at)
    }

    /// Whether the interaction has a symbol for every unconsumed moment of a component.
    pub(crate) fn is_in_alphabet(&self, component: usize, alphabet: &Alphabet) -> bool {
        let mut rest = &self.all[component][self.consumed[component] as usize..];
        while !rest.is_empty() {
            let (symbol, length) = alphabet.read(rest);
            if symbol.is_none_or(|symbol| alphabet.leaves[symbol.index()].is_empty()) {
                return false;
            }
            rest = &rest[length..];
        }
        true
    }

    /// For each component, the number of consumed actions of the branch that consumed the most.
    pub(crate) fn into_furthest(self) -> Option<Box<[u32]>> {
        self.furthest.map(|(_, consumed)| consumed.into_vec().into())
    }

    /// Records the consumed actions if they are the most so far.
    pub(crate) fn note_furthest(&mut self) {
        let total = self.consumed.iter().map(|&n| u64::from(n)).sum();
        if self.furthest.as_ref().is_none_or(|(most, _)| total > *most) {
            self.furthest = Some((total, self.consumed.clone()));
        }
    }

    /// The number of unconsumed actions of all components.
    pub(crate) fn left(&self) -> usize {
        let left = |(log, &at): (&&[Step], &u32)| log.len() - at as usize;
        self.all.iter().zip(&self.consumed).map(left).sum()
    }
}
