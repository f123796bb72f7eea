//! The headline of a failure: what is wrong, where, and what would have been right.
//!
//! If one edit repairs the multi-trace, the headline describes that edit. Otherwise, if a component
//! fails by itself, it names the first moment that cannot be explained. Otherwise, if the
//! components of the core disagree on how often a message was passed, it names the first occurrence
//! in excess. Otherwise it describes what blocks the core in the furthest situation.

use otus_core::index::Index as _;
use otus_core::{ActionId, Direction, LifelineSet, Peer, TermId};
use otus_trace::ComponentId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::alone::Alone;
use super::checker::Checker;
use super::core::Core;
use super::edit::{Change, Edit};
use super::frontier::{Expected, Frontier, Progress, Taken, expectation};
use super::repair::Repair;
use super::{Case, LoneFailure, phrase};
use crate::question::{Observed, Question};

/// The fault, in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Headline {
    /// The kind of fault.
    pub cause: Cause,
    /// The component with the fault.
    pub component: ComponentId,
    /// The index of its moment with the fault; the number of moments means the end of the log.
    pub moment: usize,
    /// The actions observed there; `None` at the end.
    pub observed: Option<Box<[ActionId]>>,
    /// The events that would have been right there.
    pub expected: Vec<Expected>,
    /// The events that other components should have done before.
    pub first: Vec<Expected>,
    /// If a message was sent to or received from a wrong peer: the right ones.
    pub partners: Vec<Peer>,
    /// If a message was sent and not received, or the other way round: the other end.
    pub counterpart: Option<Counterpart>,
    /// The first component that fails whatever the others observed, if there is one.
    pub alone: Option<ComponentId>,
    /// The evidence for the headline.
    pub basis: Basis,
    /// The headline as a sentence.
    pub text: String,
}

/// The other end of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counterpart {
    /// The component at the other end.
    pub component: ComponentId,
    /// The action that was observed there, or should have been.
    pub action: ActionId,
    /// How often this action was observed. If messages at this end may come from or go to several
    /// lifelines, the sum over all these lifelines.
    pub times: usize,
    /// How often the action at this end was observed, counted in the same way.
    pub own: usize,
    /// Whether the missing action could be on several lifelines, of which this is one.
    pub is_one_of_several: bool,
}

/// The kinds of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// No event of the specification involves this lifeline.
    UnknownLifeline,
    /// No event of the specification has this message.
    UnknownMessage,
    /// The lifeline never does this in the specification.
    UnknownAction,
    /// The lifeline does this in the specification, but with other peers only.
    WrongPeer,
    /// Another action was expected.
    Unexpected,
    /// The action happened before an action that must precede it.
    TooEarly,
    /// The action happened after an action that must follow it.
    TooLate,
    /// A message was sent and not received, or received and not sent.
    MissingCounterpart,
    /// The lifeline had nothing more to do.
    ExtraAfterEnd,
    /// A log ends although more had to come.
    StoppedEarly,
    /// Every choice that leads here leads no further.
    DeadEnd,
}

impl Cause {
    /// The name used in reports.
    pub fn name(self) -> &'static str {
        self.names().0
    }

    /// Whether the observed event occurs nowhere in the specification.
    pub fn is_unknown(self) -> bool {
        matches!(
            self,
            Cause::UnknownLifeline
                | Cause::UnknownMessage
                | Cause::UnknownAction
                | Cause::WrongPeer
        )
    }

    /// The stable identifier used in machine-readable output.
    pub fn id(self) -> &'static str {
        self.names().1
    }

    fn names(self) -> (&'static str, &'static str) {
        match self {
            Cause::UnknownLifeline => ("unknown lifeline", "unknown-lifeline"),
            Cause::UnknownMessage => ("unknown message", "unknown-message"),
            Cause::UnknownAction => ("unknown action", "unknown-action"),
            Cause::WrongPeer => ("wrong peer", "wrong-peer"),
            Cause::Unexpected => ("unexpected message", "unexpected-message"),
            Cause::TooEarly => ("too early", "too-early"),
            Cause::TooLate => ("too late", "too-late"),
            Cause::MissingCounterpart => ("missing counterpart", "missing-counterpart"),
            Cause::ExtraAfterEnd => ("extra after end", "extra-after-end"),
            Cause::StoppedEarly => ("stopped early", "stopped-early"),
            Cause::DeadEnd => ("dead end after a choice", "dead-end"),
        }
    }
}

/// The evidence for a headline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// The specification has no such event.
    Vocabulary,
    /// One edit at this place repairs the multi-trace.
    Repair,
    /// The component fails by itself at this place.
    Alone,
    /// Two components that fail together disagree on how often a message was passed.
    Core,
    /// No explanation gets further than this place.
    Frontier,
}

/// Makes a headline from the results of the other levels of an explanation.
pub(super) struct Maker<'a, 'c> {
    pub(super) checker: &'a mut Checker<'c>,
    pub(super) case: &'a Case<'a>,
    pub(super) alone: &'a [LoneFailure],
    pub(super) frontier: &'a Frontier,
    pub(super) repair: Option<&'a Repair>,
    pub(super) core: Option<&'a Core>,
    pub(super) terms: &'a FxHashMap<TermId, u64>,
}

impl Maker<'_, '_> {
    pub(super) fn headline(mut self) -> Option<Headline> {
        let repair = self.repair.filter(|repair| repair.edits.len() == 1);
        let edit = repair.and_then(|repair| repair.edits.first());
        let first = self.alone.first();
        let mut found = edit
            .and_then(|edit| self.of_edit(edit))
            .or_else(|| first.and_then(|lone| self.of_component(lone)))
            .or_else(|| self.of_counts())
            .or_else(|| self.of_frontier())?;
        self.name_unknown(&mut found);
        found.alone = first.map(|lone| lone.component);
        found.text = phrase::sentence(self.checker.pool, &self.case.letters.partition, &found);
        Some(found)
    }

    fn of_edit(&mut self, edit: &Edit) -> Option<Headline> {
        let component = edit.component;
        let log = &self.case.logs[component.index()];
        let named = |moment: &[ActionId]| -> Vec<Box<[ActionId]>> { vec![moment.into()] };
        let letter = |at: usize| -> Option<Box<[ActionId]>> {
            log.get(at).map(|&letter| self.case.letters.actions(letter).into())
        };
        let (cause, at, expected) = match &edit.change {
            Change::Insert(before, moment) if *before == log.len() => {
                (Cause::StoppedEarly, *before, named(moment))
            }
            Change::Insert(at, moment) | Change::Replace(at, moment) => {
                (Cause::Unexpected, *at, named(moment))
            }
            Change::Swap(first, second) => (Cause::TooEarly, *first, named(&letter(*second)?)),
            Change::Move(from, to) if to < from => (Cause::TooLate, *from, Vec::new()),
            Change::Move(from, _) => (Cause::TooEarly, *from, named(&letter(from + 1)?)),
            Change::Drop(at) => (Cause::Unexpected, *at, Vec::new()),
            Change::StoppedEarly => (Cause::StoppedEarly, log.len(), Vec::new()),
        };
        let observed = letter(at);
        let mut found = new_headline(cause, component, at, observed, Basis::Repair);
        found.expected = self.expectations(component.index(), &expected);
        match &edit.change {
            Change::Insert(_, moment) => {
                // The message was observed at the other end, on another component, but not on this
                // component.
                if let Some(other) = self.missing_here(moment) {
                    found.cause = Cause::MissingCounterpart;
                    found.counterpart = Some(other);
                }
            }
            Change::Drop(_) => self.judge_extra(&mut found),
            Change::StoppedEarly => {
                found.expected = self.next_alone(component.index(), log.len()).unwrap_or_default();
            }
            Change::Swap(..) | Change::Move(..) | Change::Replace(..) => {}
        }
        Some(found)
    }

    /// Determines what is wrong with a superfluous moment.
    fn judge_extra(&mut self, found: &mut Headline) {
        let Some(observed) = found.observed.clone() else { return };
        let expected = self.next_alone(found.component.index(), found.moment);
        if expected.as_ref().is_some_and(Vec::is_empty) {
            found.cause = Cause::ExtraAfterEnd;
        } else if let Some(other) = self.missing_there(&observed) {
            found.cause = Cause::MissingCounterpart;
            found.counterpart = Some(other);
        } else {
            found.expected = expected.unwrap_or_default();
            found.expected.retain(|expected| expected.moment != observed);
        }
    }

    fn of_component(&mut self, lone: &LoneFailure) -> Option<Headline> {
        let (component, at) = (lone.component, lone.explained?);
        let log = &self.case.logs[component.index()];
        let observed = log.get(at).map(|&letter| self.case.letters.actions(letter).into());
        let cause = if observed.is_some() { Cause::Unexpected } else { Cause::StoppedEarly };
        let mut found = new_headline(cause, component, at, observed, Basis::Alone);
        let expected = lone.expected.as_deref();
        found.expected = self.expectations(component.index(), expected.unwrap_or_default());
        if found.observed.is_some() && expected.is_some_and(<[_]>::is_empty) {
            found.cause = Cause::ExtraAfterEnd;
        }
        Some(found)
    }

    /// A message that one component of the core observed more often than the other. This is a fault
    /// if each action is the only other end of the other, and both logs are complete.
    fn of_counts(&mut self) -> Option<Headline> {
        let letters = self.case.letters;
        let core = &self.core?.components;
        for &component in core {
            let at = component.index();
            let mut met = FxHashSet::default();
            for (number, &letter) in self.case.logs[at].iter().enumerate() {
                if !met.insert(letter) {
                    continue;
                }
                let &[action] = letters.actions(letter) else { continue };
                let &[other] = letters.counterparts(action) else { continue };
                let Some(found) = self.missing_there(&[action]) else { continue };
                let whole = |at: usize| self.case.declared[at] == Observed::Complete;
                let there = found.component;
                let fits = core.contains(&there) && whole(at) && whole(there.index());
                if !fits || letters.counterparts(other) != [action] {
                    continue;
                }
                let log = self.case.logs[at].iter().enumerate().skip(number);
                let mut same = log.filter(|&(_, &other)| other == letter).map(|(at, _)| at);
                let moment = same.nth(found.times)?;
                let observed = Some(letters.actions(letter).into());
                let cause = Cause::MissingCounterpart;
                let mut headline = new_headline(cause, component, moment, observed, Basis::Core);
                headline.counterpart = Some(found);
                return Some(headline);
            }
        }
        None
    }

    fn of_frontier(&mut self) -> Option<Headline> {
        let state = self.frontier.states.first()?;
        let rank = |progress: &&Progress| -> (usize, ComponentId) {
            let rank = match &progress.next {
                Some(next) => match expected_as(progress, next) {
                    None => 0,
                    Some(Expected { now: false, .. }) => 1,
                    Some(Expected { now: true, .. }) => 2,
                },
                None if !progress.may_end => 3,
                None => 4,
            };
            (rank, progress.component)
        };
        let core = self.core.map(|core| &core.components);
        let counts = |progress: &&Progress| {
            let id = progress.component;
            self.case.declared[id.index()] != Observed::Unobserved
                && core.is_none_or(|core| core.contains(&id))
        };
        let progress = state.components.iter().filter(counts).min_by_key(rank)?;
        let (rank, component) = rank(&progress);
        let cause = if progress.next.is_some() { Cause::Unexpected } else { Cause::StoppedEarly };
        let (at, next) = (progress.consumed, progress.next.clone());
        let mut found = new_headline(cause, component, at, next.clone(), Basis::Frontier);
        found.expected.clone_from(&progress.expected);
        let Some(next) = next else { return Some(found) };
        if found.expected.is_empty() {
            found.cause = Cause::ExtraAfterEnd;
            return Some(found);
        }
        let elsewhere = self.frontier.states.iter().skip(1).any(|other| {
            let own = &other.components[component.index()];
            own.consumed > at || own.consumed == at && expected_as(own, &next).is_some()
        });
        let branched = state.choices.iter().any(|choice| matches!(choice.taken, Taken::Branch(_)));
        if rank > 0 {
            // The component could do this, but others are stuck.
            found.cause = Cause::TooEarly;
            found.expected.clear();
            let others = state.components.iter().filter(|other| other.component != component);
            let stuck = others.filter(counts).filter(|other| {
                other.next.as_ref().is_none_or(|next| expected_as(other, next).is_none())
            });
            let first = stuck.flat_map(|other| other.expected.iter().filter(|e| e.now)).cloned();
            found.first = first.collect();
        } else if elsewhere && branched {
            found.cause = Cause::DeadEnd;
        }
        Some(found)
    }

    /// Refines the cause if the specification never has the observed moment.
    fn name_unknown(&self, found: &mut Headline) {
        let Some(observed) = &found.observed else { return };
        let at = found.component.index();
        let letter = self.case.logs[at].get(found.moment).copied();
        let known = letter.is_some_and(|letter| !self.case.letters.events(at, letter).is_empty());
        // These causes are about an expected moment rather than the observed one.
        let other = matches!(found.cause, Cause::MissingCounterpart | Cause::StoppedEarly);
        if known || other {
            return;
        }
        let pool = &*self.checker.pool;
        let own: LifelineSet = observed.iter().map(|&a| pool.action(a).lifeline).collect();
        let messages = &self.case.letters.messages;
        let is_known = |&action: &ActionId| messages.contains(&pool.action(action).message);
        found.cause = if own.is_disjoint(&self.case.letters.lifelines) {
            Cause::UnknownLifeline
        } else if !observed.iter().all(is_known) {
            Cause::UnknownMessage
        } else {
            let mut letters = observed.iter().map(|&action| pool.action(action));
            if let Some(letter) = letters.find(|letter| letter.peer.is_some()) {
                found.partners = self.checker.options.partners.of(letter).collect();
            }
            if found.partners.is_empty() { Cause::UnknownAction } else { Cause::WrongPeer }
        };
        if found.basis != Basis::Repair {
            found.basis = Basis::Vocabulary;
        }
    }

    /// The other end of one of these actions, if it was observed more often than these can explain.
    fn missing_here(&self, moment: &[ActionId]) -> Option<Counterpart> {
        self.counterpart(moment, |action, other| {
            let (times, own) = (self.count(other), self.supply(other, action));
            let is_missing = times > own && self.would_be_seen(action);
            is_missing.then(|| (times, own, self.is_one(other, action)))
        })
    }

    /// The other end of one of these actions, if it was observed less often than these require.
    fn missing_there(&self, moment: &[ActionId]) -> Option<Counterpart> {
        self.counterpart(moment, |action, other| {
            let (times, own) = (self.supply(action, other), self.count(action));
            let is_missing = times < own && self.would_be_seen(other);
            is_missing.then(|| (times, own, self.is_one(action, other)))
        })
    }

    /// The first other end of these actions, on an observed component, for which there are counts:
    /// how often it and the action were observed, and whether it is one of several.
    fn counterpart(
        &self,
        moment: &[ActionId],
        counts: impl Fn(ActionId, ActionId) -> Option<(usize, usize, bool)>,
    ) -> Option<Counterpart> {
        let others = |&action: &ActionId| {
            self.case.letters.counterparts(action).iter().map(move |&other| (action, other))
        };
        moment.iter().flat_map(others).find_map(|(action, other)| {
            let (times, own, is_one_of_several) = counts(action, other)?;
            let component = self.component_of(other);
            let observed = self.case.declared[component.index()] != Observed::Unobserved;
            let action = other;
            observed.then_some(Counterpart { component, action, times, own, is_one_of_several })
        })
    }

    fn component_of(&self, action: ActionId) -> ComponentId {
        self.case.letters.partition.component_of(self.checker.pool.action(action).lifeline)
    }

    /// The number of times that an action can have had another end: the count of this end if every
    /// passing of the action has it, otherwise the sum over all ends.
    fn supply(&self, action: ActionId, other: ActionId) -> usize {
        let letters = self.case.letters;
        if letters.always_reaches(action, other) {
            return self.count(other);
        }
        letters.counterparts(action).iter().map(|&other| self.count(other)).sum()
    }

    /// Whether an action would have been observed if it had happened. In a global prefix this holds
    /// for an emission whose message was received.
    fn would_be_seen(&self, action: ActionId) -> bool {
        let direction = self.checker.pool.action(action).direction;
        let global = *self.case.question == Question::GlobalPrefix;
        self.case.declared[self.component_of(action).index()] == Observed::Complete
            || global && direction == Direction::Emission
    }

    /// Whether an action may have any one of several other ends.
    fn is_one(&self, action: ActionId, other: ActionId) -> bool {
        let letters = self.case.letters;
        letters.counterparts(action).len() > 1 && !letters.always_reaches(action, other)
    }

    fn count(&self, action: ActionId) -> usize {
        let log = self.case.logs[self.component_of(action).index()].iter();
        log.filter(|&&letter| self.case.letters.actions(letter).contains(&action)).count()
    }

    /// The events that a component by itself could have observed after this number of moments.
    fn next_alone(&mut self, component: usize, at: usize) -> Option<Vec<Expected>> {
        let (log, letters) = (&self.case.logs[component], self.case.letters);
        let (checker, declared) = (&mut *self.checker, &self.case.declared[..]);
        let mut alone = Alone { checker, declared, component };
        let found = alone.expected(&log[..at]);
        Some(self.expectations(component, &letters.moments(&found?)))
    }

    fn expectations(&mut self, component: usize, moments: &[Box<[ActionId]>]) -> Vec<Expected> {
        let letters = self.case.letters;
        // Of several events that look the same here, prefer one that can happen in the furthest
        // situation.
        let reached = self.frontier.states.first();
        let reached = reached.and_then(|state| state.components.get(component));
        let expected = moments.iter().filter_map(|moment| {
            let known = reached.and_then(|progress| expected_as(progress, moment));
            if let Some(known) = known {
                return Some(known.clone());
            }
            let letter = letters.find(moment)?;
            let event = *letters.events(component, letter).first()?;
            let pool = &mut *self.checker.pool;
            Some(expectation(pool, letters, letter, event, self.terms))
        });
        expected.collect()
    }
}

/// The expected event that looks like this moment.
fn expected_as<'p>(progress: &'p Progress, moment: &[ActionId]) -> Option<&'p Expected> {
    progress.expected.iter().find(|expected| *expected.moment == *moment)
}

fn new_headline(
    cause: Cause,
    component: ComponentId,
    moment: usize,
    observed: Option<Box<[ActionId]>>,
    basis: Basis,
) -> Headline {
    Headline {
        cause,
        component,
        moment,
        observed,
        expected: Vec::new(),
        first: Vec::new(),
        partners: Vec::new(),
        counterpart: None,
        alone: None,
        basis,
        text: String::new(),
    }
}
