//! Times of a clock that goes backwards, as numbers that know their epoch.
//!
//! ```text
//! number = epoch · 2⁵² + (time − the first time of the log)
//! ```
//!
//! Registers are numbers, so the time of an anchor would lose its [epoch](super::super::epoch). Numbers of one epoch differ by
//! as many nanoseconds as their times, so bounds are tested as ever. Times of different epochs differ in the bits above. A
//! log whose times are more than 52 days apart, or one with more than 2,000 epochs, is left to the search.

use super::super::epoch::Epoch;
use super::super::observation::{Log, Problem};
use otus_trace::ComponentId;

/// The bits of a time within its log.
const BITS: u32 = 52;

/// The times of a log whose clock goes backwards.
#[derive(Debug)]
pub(super) struct Instants {
    /// The least time of the log.
    base: i64,
    /// By step: the number of its time; `i64::MIN`, as in [`otus_trace::Facts`], if it is unknown.
    pub(super) numbers: Vec<i64>,
    /// The number of the last time of the last epoch.
    pub(super) last: Option<i64>,
}

impl Instants {
    /// The times of a log; `None` if they are too far apart.
    pub(super) fn new(problem: &Problem<'_>, component: ComponentId, log: &Log) -> Option<Self> {
        let time = |step| problem.facts.time(component, step);
        let base = (0..log.len).filter_map(time).min().unwrap_or(0);
        let mut instants = Instants { base, numbers: Vec::with_capacity(log.len), last: None };
        for step in 0..log.len {
            let number = match time(step) {
                Some(time) => instants.number(log.epoch(step), time)?,
                None => i64::MIN,
            };
            instants.numbers.push(number);
        }
        instants.last = match log.last {
            Some(last) => Some(instants.number(log.epoch_outside(false), last)?),
            None => None,
        };
        Some(instants)
    }

    /// The number of a time.
    pub(super) fn number(&self, epoch: Epoch, time: i64) -> Option<i64> {
        let since = time.checked_sub(self.base).filter(|since| (0..1 << BITS).contains(since))?;
        let epoch = i64::from(epoch);
        (epoch < 1 << (i64::BITS - 1 - BITS)).then_some((epoch << BITS) + since)
    }

    /// The epoch and the time of a number.
    pub(super) fn time(&self, number: i64) -> (Epoch, i64) {
        let epoch = Epoch::try_from(number >> BITS).unwrap_or(0);
        (epoch, (number & ((1 << BITS) - 1)) + self.base)
    }
}

/// Whether two numbers are times of one epoch.
#[inline]
pub(super) fn is_one_epoch(one: i64, other: i64) -> bool {
    one >> BITS == other >> BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_knows_its_epoch_and_its_time() {
        let instants = Instants { base: -5, numbers: Vec::new(), last: None };
        let all = [(0, -5), (0, 7), (1, -5), (2047, (1 << BITS) - 6)];
        for (epoch, time) in all {
            let number = instants.number(epoch, time).expect("it is in range");
            assert_eq!(instants.time(number), (epoch, time));
        }
        let numbers = all.map(|(epoch, time)| instants.number(epoch, time).unwrap());
        assert!(numbers.is_sorted());
        assert!(is_one_epoch(numbers[0], numbers[1]) && !is_one_epoch(numbers[1], numbers[2]));
        for (epoch, time) in [(0, -6), (0, (1 << BITS) - 5), (2048, 0), (0, i64::MAX)] {
            assert_eq!(instants.number(epoch, time), None);
        }
    }
}
