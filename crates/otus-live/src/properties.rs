//! Formulas about groups: when an open group is asked, and what was told about it.
//!
//! The cost of an answer grows with the events of the group, so an open group is not asked after every event. It is asked when it has
//! a quarter more events than last time, so that all answers of a group together cost a few times the last one; and when it was
//! quiet for [`QUIET`], so that nothing that is final stays untold for long.

use std::time::{Duration, Instant};

use otus::ctl::Properties;

/// The time without an event after which an open group is asked.
const QUIET: Duration = Duration::from_millis(100);

/// The formulas, and the groups that had an event since they were asked.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) properties: Properties,
    pub(crate) waiting: Vec<u32>,
}

/// What is known about the formulas of a group.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    /// The formulas whose answers were told.
    told: Vec<bool>,
    /// The number of events when the group was last asked.
    asked: u64,
    /// Whether the group is among those that wait.
    pub(crate) is_waiting: bool,
}

impl Asked {
    pub(crate) fn new(properties: Properties) -> Asked {
        Asked { properties, waiting: Vec::new() }
    }

    /// Whether there is any formula.
    pub(crate) fn is_empty(&self) -> bool {
        self.properties.count() == 0
    }

    /// Identifies what is asked in a log on disk: the specification, and the formulas if there are any.
    pub(crate) fn fingerprint(&self, specification: &str) -> String {
        let mut whole = specification.to_owned();
        for text in self.properties.texts() {
            whole.push('\n');
            whole.push_str(text);
        }
        whole
    }
}

impl Standing {
    pub(crate) fn is_told(&self, number: usize) -> bool {
        self.told.get(number) == Some(&true)
    }

    pub(crate) fn tell(&mut self, number: usize) {
        if self.told.len() <= number {
            self.told.resize(number + 1, false);
        }
        self.told[number] = true;
    }

    /// How many answers were told.
    pub(crate) fn told_count(&self) -> usize {
        self.told.iter().filter(|told| **told).count()
    }

    /// Whether a group with so many events, the last of which came at a time, is asked now. If so, that is noted.
    pub(crate) fn is_due(&mut self, events: u64, seen: Instant, now: Instant) -> bool {
        let is_due = events > self.asked
            && (events >= self.asked.saturating_add(self.asked / 4 + 1).max(8)
                || now.saturating_duration_since(seen) >= QUIET);
        if is_due {
            self.asked = events;
        }
        is_due
    }

    /// Forgets everything, for the next generation of the group.
    pub(crate) fn renew(&mut self) {
        *self = Standing { is_waiting: self.is_waiting, ..Standing::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_asked_when_it_grew_by_a_quarter_or_is_quiet() {
        let now = Instant::now();
        let mut standing = Standing::default();
        let asked: Vec<u64> =
            (1..=100).filter(|&events| standing.is_due(events, now, now)).collect();
        assert_eq!(asked, [8, 11, 14, 18, 23, 29, 37, 47, 59, 74, 93]);
        assert!(!standing.is_due(100, now, now + QUIET / 2));
        assert!(standing.is_due(100, now, now + QUIET));
        assert!(!standing.is_due(100, now, now + QUIET * 2));
    }
}
