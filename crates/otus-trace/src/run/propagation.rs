//! Calls that lose their trace context.
//!
//! When the header with the context does not arrive, the called service begins a trace of its own:
//! the caller has client spans that nobody answers, the callee server spans without a parent, and
//! nothing in the spans connects the two but names. A call is matched with such spans by the
//! address that the client names, or else by the name of the span. Clocks are not compared.

use std::collections::BTreeMap;

use otus_core::Direction;
use otus_syntax::Code;

use super::account::Repeated;
use super::shape::Place;
use super::vocabulary::Vocabulary;
use crate::causality::{Pairs, Side};
use crate::group::{Marks, Row};

/// What is known of spans without their counterpart.
#[derive(Debug, Default)]
pub(super) struct SpanTrouble {
    /// Server spans without a parent, by service and name.
    roots: BTreeMap<(u32, u32), (u64, Place)>,
    /// Server spans whose parent is not there.
    pub(super) missing: BTreeMap<u32, (u64, Place)>,
    /// Client spans that nobody answers, by service, name and address.
    unanswered: BTreeMap<(u32, u32, Option<u32>), (u64, Place)>,
}

/// Calls of one service to another: how many, of what, and the first places on both sides.
type Lost = (u64, Vec<String>, [Place; 2]);

impl SpanTrouble {
    /// Notes the spans of a group that lack their counterpart.
    pub(super) fn note(&mut self, rows: &[Row], sides: &[Option<Side>], pairs: &Pairs) {
        for &index in &pairs.unpaired {
            let (row, Some(side)) = (&rows[index], sides[index]) else { continue };
            if !row.marks.has(Marks::REQUEST) {
                continue;
            }
            let place = Place { file: row.file, line: row.line };
            let entry = match side.direction {
                Direction::Emission => {
                    let key = (row.lifeline, side.message, row.peer);
                    self.unanswered.entry(key).or_insert((0, place))
                }
                Direction::Reception if row.marks.has(Marks::ROOT) => {
                    self.roots.entry((row.lifeline, side.message)).or_insert((0, place))
                }
                Direction::Reception => self.missing.entry(row.lifeline).or_insert((0, place)),
            };
            entry.0 += 1;
        }
    }

    /// Calls whose callee begins a trace of its own. Returns the lifelines and messages that are
    /// explained by that.
    pub(super) fn diagnose(
        &self,
        vocabulary: &Vocabulary,
        repeated: &mut Repeated,
    ) -> Vec<(u32, u32)> {
        let mut explained = Vec::new();
        let mut lost: BTreeMap<(u32, u32), Lost> = BTreeMap::new();
        for (&(client, message, peer), &(calls, at)) in &self.unanswered {
            for (&(server, received), &(begun, begin)) in &self.roots {
                let same_name = received == message;
                if server == client || !(peer == Some(server) || (peer.is_none() && same_name)) {
                    continue;
                }
                // The callee may have been entered from outside too, under another name.
                if peer == Some(server) && !same_name && self.roots.contains_key(&(server, message))
                {
                    continue;
                }
                explained.push((client, message));
                explained.push((server, received));
                let entry = lost.entry((client, server)).or_insert((0, Vec::new(), [at, begin]));
                entry.0 += calls.min(begun);
                entry.1.push(vocabulary.message(message).to_owned());
            }
        }
        for ((client, server), (calls, mut messages, places)) in lost {
            messages.sort();
            messages.dedup();
            let (client, server) = (vocabulary.lifeline(client), vocabulary.lifeline(server));
            let calls = if calls == 1 { "once".to_owned() } else { format!("{calls} calls") };
            let message = format!(
                "`{client}` calls `{server}` ({}), but the spans of `{server}` begin new traces: the header \
                 `traceparent` does not arrive ({calls})",
                messages.join(", "),
            );
            let help = format!(
                "check that `{client}` injects the trace context into its requests, that no proxy drops \
                 `traceparent`, and that `{server}` extracts it"
            );
            for place in places {
                repeated.note(Code::LOST_CONTEXT, place, message.clone(), &help);
            }
        }
        explained
    }
}
