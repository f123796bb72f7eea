//! Takes the records of a batch: each is an event of a group, which may open, fail or end by it.

use std::ops::ControlFlow;
use std::time::Instant;

use otus::live::{Asks, Watched};
use otus::{Case, Verdict};
use otus_trace::run::{Ends, Observed, RunPlace, Sink};

use crate::config::Config;
use crate::counters::{Counters, add};
use crate::follow::{Follow, Step};
use crate::groups::{Groups, State};
use crate::properties::Asked;
use crate::verdict::Ended;

/// Takes the records of a batch.
pub(crate) struct Taker<'w> {
    pub(crate) groups: &'w mut Groups,
    pub(crate) follow: &'w mut Follow,
    pub(crate) asked: &'w mut Asked,
    pub(crate) watched: &'w mut Watched,
    pub(crate) counters: &'w Counters,
    pub(crate) config: &'w Config,
    pub(crate) now: Instant,
    pub(crate) segment: u64,
    /// The keys of groups whose new events are not kept.
    pub(crate) discard: Vec<Box<[u8]>>,
    pub(crate) failed: Vec<(u32, RunPlace, u64)>,
    /// Groups with too many events.
    pub(crate) over: Vec<u32>,
    /// Groups that `[group] idle` ended, with the cases of all formulas.
    pub(crate) released: Vec<(u32, Case, Vec<Case>)>,
}

impl Taker<'_> {
    fn discard(&mut self, key: &[u8]) {
        if self.discard.last().is_none_or(|last| **last != *key) {
            self.discard.push(key.into());
        }
    }
}

impl Sink for Taker<'_> {
    fn group(&mut self, observed: &Observed<'_>) -> ControlFlow<()> {
        let Some(slot) = self.groups.slot(observed.key_bytes()) else {
            return ControlFlow::Continue(());
        };
        let is_open = self
            .groups
            .get(slot)
            .is_some_and(|group| group.state == State::Open && !group.is_thinned);
        if is_open {
            let case = self.watched.judge(observed, Asks::Declared, None).unwrap_or_else(undecided);
            let answers = self.asked.properties.judge(observed);
            self.released.push((slot, case, answers));
        }
        ControlFlow::Continue(())
    }

    fn record(&mut self, observed: &Observed<'_>, ends: Ends) {
        let key = observed.key_bytes();
        let count = observed.len() as u64;
        let slot = match self.groups.slot(key) {
            Some(slot) => slot,
            None if self.groups.has_ended(key) => {
                add(&self.counters.late, count);
                return self.discard(key);
            }
            None => {
                let slot = self.groups.open(key, self.segment, self.now);
                let followed = self.follow.open(self.watched, observed.vocabulary());
                if let Some(group) = self.groups.get(slot) {
                    group.followed = followed;
                }
                slot
            }
        };
        add(&self.counters.events, count);
        if self.groups.get(slot).is_some_and(|group| group.state == State::Judged) {
            add(&self.counters.late, count);
            self.groups.reopen(slot);
            self.groups.end_soon(slot, Ended::Rule, self.now + self.config.closing.grace);
        }
        let Some(group) = self.groups.get(slot) else { return };
        group.events += count;
        let is_failed = group.state == State::Failed;
        let is_over = group.events > self.config.limits.kept as u64;
        if let (Some(followed), false) = (group.followed, is_failed) {
            match self.follow.take(followed, observed) {
                Step::Open => {}
                Step::Lost => {
                    group.followed = None;
                    self.follow.drop_group(followed);
                }
                Step::Failed(event) => {
                    // Until the judge agrees, it only stops to be followed.
                    let last = observed.events().last();
                    if let Some(place) = last.map(otus_trace::run::Event::place)
                        && self.failed.iter().all(|(other, ..)| *other != slot)
                    {
                        self.failed.push((slot, place, event));
                    }
                }
            }
        }
        if !self.asked.is_empty() && !std::mem::replace(&mut group.standing.is_waiting, true) {
            self.asked.waiting.push(slot);
        }
        // The events of a group that fails are kept only for formulas.
        if is_failed && self.asked.is_empty() {
            self.discard(key);
        } else if is_over && self.over.last() != Some(&slot) {
            self.over.push(slot);
        }
        let ends = match ends {
            Ends { closes: true, .. } => Some(Ended::Rule),
            Ends { is_top: true, .. } => Some(Ended::Root),
            Ends { .. } => None,
        };
        self.groups.touch(slot, self.now);
        if let Some(why) = ends {
            self.groups.end_soon(slot, why, self.now + self.config.closing.grace);
        }
    }
}

/// The case of a group that cannot be judged, with the reason.
pub(crate) fn undecided(reason: String) -> Case {
    let mut case = Case::default();
    case.verdict = Verdict::Inconclusive;
    case.reason = Some(reason.into());
    case
}
