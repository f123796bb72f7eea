//! Fields that the logs of some lifelines never have: `unlogged = ["sub*.mid", "client.time"]`.
//!
//! A guard on such a field is dropped at such a lifeline, so that its absence does not weaken a verdict.
//! Names of lifelines and of fields may contain dots. An entry therefore means every way to cut it at a dot.

use otus_core::Signature;
use otus_core::valued::{Valued, ValuedNode};

use super::{Glob, Observation};

/// An entry of `unlogged`.
#[derive(Debug, Clone)]
pub struct Unlogged {
    text: String,
    /// Lifelines and fields, one pair for each dot.
    cuts: Vec<(Glob, Glob)>,
}

impl Unlogged {
    /// The entry with a text; `None` if it does not have the form `lifeline.field`.
    ///
    /// ```
    /// use otus_trace::mapping::Unlogged;
    ///
    /// let entry = Unlogged::parse("sub*.http.status").unwrap();
    /// assert!(entry.names("sub1", "http.status"));
    /// assert!(!entry.names("sub1", "status"));
    /// assert!(Unlogged::parse("mid").is_none());
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let cut = |(at, _): (usize, &str)| {
            let (lifeline, field) = (&text[..at], &text[at + 1..]);
            let is_whole = !lifeline.is_empty() && !field.is_empty();
            is_whole.then(|| (Glob::name(lifeline), Glob::name(field)))
        };
        let cuts: Vec<(Glob, Glob)> = text.match_indices('.').filter_map(cut).collect();
        (!cuts.is_empty()).then(|| Unlogged { text: text.to_owned(), cuts })
    }

    /// The entry as it is written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it says that a field of a lifeline is never logged.
    pub fn names(&self, lifeline: &str, field: &str) -> bool {
        self.cuts.iter().any(|(at, what)| at.matches(lifeline) && what.matches(field))
    }
}

impl Observation {
    /// Drops the atoms on fields that are declared as never logged. Returns the entries that no atom is about, which
    /// are probably misspelt.
    pub fn drop_unlogged(&self, valued: &mut Valued, signature: &Signature) -> Vec<&Unlogged> {
        let mut is_used = vec![false; self.unlogged.len()];
        if self.unlogged.is_empty() {
            return Vec::new();
        }
        let fields = valued.fields.clone();
        for id in valued.nodes.ids() {
            let ValuedNode::Event(parts) = &mut valued.nodes[id] else { continue };
            for part in parts {
                let lifeline = part.action.lifeline;
                let names = [Some(signature.lifeline_name(lifeline)), signature.label(lifeline)];
                let mut is_unlogged = |field: &str| {
                    let mut found = false;
                    for (entry, is_used) in self.unlogged.iter().zip(&mut is_used) {
                        if names.into_iter().flatten().any(|name| entry.names(name, field)) {
                            (*is_used, found) = (true, true);
                        }
                    }
                    found
                };
                let guard = std::mem::take(&mut part.guard).into_vec();
                let kept = guard.into_iter().filter(|atom| !is_unlogged(&fields.items[atom.field]));
                part.guard = kept.collect();
            }
        }
        let entries = self.unlogged.iter().zip(is_used);
        entries.filter(|(_, is_used)| !is_used).map(|(entry, _)| entry).collect()
    }
}
