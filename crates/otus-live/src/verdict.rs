//! What is told about a group.
//!
//! The id of a verdict follows from the specification with its question, the key of the group, and the generation of the group:
//! nothing else. Two processes that judge the same group give it the same id, and whoever gets a verdict twice can tell.

use std::fmt::Write as _;

use otus::{Case, Explanation, Verdict};
use serde::Serialize;

use crate::hash::{SEED, fnv, mixed};

/// Why a group has a verdict now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It is still open, but its Fail is final.
    Open,
    /// A rule of the mapping closed it.
    Rule,
    /// Its root span ended.
    Root,
    /// It had no event for a while.
    Idle,
    /// Too many groups were open.
    Forced,
    /// The watch ended.
    Stopped,
}

impl Ended {
    const ALL: [Ended; 6] =
        [Ended::Open, Ended::Rule, Ended::Root, Ended::Idle, Ended::Forced, Ended::Stopped];

    /// The word for it in JSON.
    pub fn name(self) -> &'static str {
        ["open", "rule", "root", "idle", "forced", "stopped"][self as usize]
    }

    pub(crate) fn from_number(number: u8) -> Option<Ended> {
        Ended::ALL.get(usize::from(number)).copied()
    }

    /// In a sentence about the group.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Ended::Open => "told while the group is open",
            Ended::Rule => "a rule closed the group",
            Ended::Root => "the root span ended",
            Ended::Idle => "the group was idle",
            Ended::Forced => "too many groups were open, and this one was idle for longest",
            Ended::Stopped => "the watch ended",
        }
    }
}

/// The verdict about a group.
#[derive(Debug, Clone)]
pub struct Told {
    /// The same in every process that judges this generation of this group.
    pub id: String,
    /// The key of the group.
    pub group: String,
    /// How often the group was judged, with this time.
    pub generation: u32,
    /// Why it is told now.
    pub ended: Ended,
    /// The number of events of the group so far.
    pub events: u64,
    /// For a Fail that was told early: the number of events of the specification before the one that made it final.
    pub event: Option<u64>,
    /// The formula that the verdict is about; `None` if it is about the specification.
    pub property: Option<String>,
    /// The verdict with its explanation, as `otus analyze` gives it.
    pub case: Case,
}

/// The keys of a verdict, in their order.
#[derive(Serialize)]
struct Line<'t> {
    id: &'t str,
    group: &'t str,
    generation: u32,
    verdict: &'t str,
    ended: &'t str,
    events: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    property: Option<&'t str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    headline: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'t str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'t str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'t str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<&'t Explanation>,
}

impl Told {
    /// The id of a verdict: 128 bits in hexadecimal digits.
    pub(crate) fn id(fingerprint: &str, group: &[u8], generation: u32) -> String {
        let parts = [fingerprint.as_bytes(), &[0], group, &generation.to_le_bytes()];
        let hash = |seed: u64| mixed(parts.into_iter().fold(seed, fnv));
        format!("{:016x}{:016x}", hash(SEED), hash(0x6c62_272e_07bb_0142))
    }

    /// The line of JSON, without its end.
    pub fn json(&self) -> String {
        let case = &self.case;
        let line = Line {
            id: &self.id,
            group: &self.group,
            generation: self.generation,
            verdict: case.verdict.name(),
            ended: self.ended.name(),
            events: self.events,
            property: self.property.as_deref(),
            event: self.event,
            headline: (case.verdict < Verdict::Pass).then(|| case.headline()),
            cause: case.cause().map(|cause| cause.id),
            reason: case.reason.as_deref(),
            note: case.note.as_deref(),
            explanation: case.failure(),
        };
        serde_json::to_string(&line).unwrap_or_default()
    }

    /// Some lines for people.
    pub fn text(&self, colored: bool) -> String {
        let mut text = self.group.clone();
        if let Some(property) = &self.property {
            let _ = write!(text, ", {property}");
        }
        let _ = write!(text, ": {} ({}", self.case.verdict, self.ended.text());
        if self.generation > 1 {
            let _ = write!(text, ", generation {}", self.generation);
        }
        text.push_str(")\n");
        let details = match self.case.failure() {
            Some(explanation) => explanation.render(colored),
            None if self.case.verdict == Verdict::Pass => return text,
            None => self.case.headline(),
        };
        for line in details.lines() {
            let _ = writeln!(text, "  {line}");
        }
        if let Some(note) = &self.case.note {
            let _ = writeln!(text, "  note: {note}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ_with_each_of_their_parts() {
        let all = [("f", "g", 1), ("f", "g", 2), ("f", "h", 1), ("e", "g", 1), ("fg", "", 1)];
        let ids: std::collections::BTreeSet<String> =
            all.iter().map(|(f, g, n)| Told::id(f, g.as_bytes(), *n)).collect();
        assert_eq!(ids.len(), all.len());
        assert!(ids.iter().all(|id| id.len() == 32));
        // An id is a promise to whoever stored it, so it must not change.
        assert_eq!(Told::id("f", b"g", 1), Told::id("f", b"g", 1));
    }
}
