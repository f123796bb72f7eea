//! Which runs of many are kept as examples: those whose ids have the smallest hashes.
//!
//! The hash makes this a random sample, and yet the same one wherever and in whatever order the runs were checked: of the
//! union of two sets of runs, the runs with the smallest hashes are among those of each set. So samples can be merged, and
//! merging is associative and commutative.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

/// The hash of a run's id. It is the same on every machine and in every version, since samples of different ones are merged.
pub(super) fn hash(run: &str) -> u64 {
    // FNV-1a, and then the last step of MurmurHash3, so that ids which differ in their last digits are far apart.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in run.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash = (hash ^ hash >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ hash >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ hash >> 33
}

/// A run that did not pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Sampled {
    /// The id of the run.
    pub run: String,
    /// The name of its verdict: `Fail`, or `Unusable` if it could not be checked.
    pub verdict: String,
    /// The number of its events.
    pub events: u64,
    /// The id of the failure's [`Cause`](crate::Cause); `None` if the run could not be checked.
    pub cause: Option<String>,
    /// The place of the specification that the failure is about, if it is known: `flow.mmd:3`.
    pub place: Option<String>,
    /// The problem in one line.
    pub headline: String,
    /// All that there is to say about the failure.
    pub explanation: Option<String>,
}

impl Sampled {
    /// By hash and, where runs have the same id, by everything else.
    fn order(&self, other: &Sampled) -> Ordering {
        type Rest<'a> = (&'a str, &'a str, u64, Option<&'a str>, Option<&'a str>, &'a str);
        fn rest(of: &Sampled) -> (Rest<'_>, Option<&str>) {
            let (cause, place) = (of.cause.as_deref(), of.place.as_deref());
            let rest = (&*of.run, &*of.verdict, of.events, cause, place, &*of.headline);
            (rest, of.explanation.as_deref())
        }
        let by_hash = hash(&self.run).cmp(&hash(&other.run));
        by_hash.then_with(|| rest(self).cmp(&rest(other)))
    }
}

/// A sample of a bounded size.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Sample {
    /// The number of runs that are kept at most.
    pub(super) most: usize,
    /// In the order of their hashes.
    pub(super) runs: Vec<Sampled>,
}

impl Sample {
    pub(super) fn new(most: usize) -> Sample {
        Sample { most, runs: Vec::new() }
    }

    /// Whether a run would be kept.
    pub(super) fn wants(&self, run: &str) -> bool {
        if self.runs.len() < self.most {
            return true;
        }
        let last = self.runs.last().map(|last| (hash(&last.run), &*last.run));
        last.is_some_and(|last| (hash(run), run) <= last)
    }

    /// Keeps a run, if it belongs to the sample.
    pub(super) fn add(&mut self, run: Sampled) {
        if self.wants(&run.run) {
            let before = self.runs.partition_point(|it| it.order(&run) != Ordering::Greater);
            self.runs.insert(before, run);
            self.runs.truncate(self.most);
        }
    }

    /// The sample of all runs of both. It is as large as the smaller one of both may be.
    pub(super) fn merge(&mut self, other: Sample) {
        self.most = self.most.min(other.most);
        self.runs.extend(other.runs);
        self.runs.sort_by(Sampled::order);
        self.runs.truncate(self.most);
    }

    /// Whether no run is there that should not be.
    pub(super) fn is_sound(&self) -> bool {
        self.runs.len() <= self.most
            && self.runs.windows(2).all(|pair| pair[0].order(&pair[1]) != Ordering::Greater)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_never_change() {
        assert_eq!(hash(""), 0xefd0_1f60_ba99_2926);
        assert_eq!(hash("run 1"), 0x6758_871a_2b6f_492a);
        assert_ne!(hash("run 1"), hash("run 2"));
    }
}
