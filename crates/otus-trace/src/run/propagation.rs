//! Diagnoses calls that lose their trace context.
//!
//! When the header with the context does not arrive, the called service begins a new trace. The
//! caller then has client spans without an answer, the callee has server spans without a parent,
//! and only names connect the two. A call is matched with such server spans by the address that the
//! client names, or else by the name of the span. Clocks are not compared.

use std::collections::BTreeMap;

use otus_core::Direction;
use otus_syntax::Code;

use super::account::Findings;
use super::vocabulary::{RunLifelineId, RunMessageId, RunPlace, Vocabulary};
use crate::causality::{Pairs, Side};
use crate::group::{Row, RowFlags};

/// The spans that lack their counterpart: for each kind, their number and the first line.
#[derive(Debug, Default)]
pub(super) struct SpanTrouble {
    /// Server spans without a parent, by service and name.
    roots: BTreeMap<(RunLifelineId, RunMessageId), (u64, RunPlace)>,
    /// Server spans whose parent is in no log, by service.
    pub(super) missing: BTreeMap<RunLifelineId, (u64, RunPlace)>,
    /// Client spans without an answer.
    unanswered: BTreeMap<ClientCall, (u64, RunPlace)>,
}

/// A kind of client span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ClientCall {
    client: RunLifelineId,
    /// The name of the span.
    message: RunMessageId,
    /// The address of the callee.
    peer: Option<RunLifelineId>,
}

/// The calls of one service to another that lost their context.
struct LostCalls {
    count: u64,
    messages: Vec<String>,
    /// The first places on both sides.
    places: [RunPlace; 2],
}

impl SpanTrouble {
    /// Notes the spans of a group that lack their counterpart.
    pub(super) fn note(&mut self, rows: &[Row], sides: &[Option<Side>], pairs: &Pairs) {
        for &index in &pairs.unpaired {
            let (row, Some(side)) = (&rows[index], sides[index]) else { continue };
            if !row.flags.has(RowFlags::REQUEST) {
                continue;
            }
            let place = row.place;
            let entry = match side.direction {
                Direction::Emission => {
                    let (client, message, peer) = (row.lifeline, side.message, row.peer);
                    let call = ClientCall { client, message, peer };
                    self.unanswered.entry(call).or_insert((0, place))
                }
                Direction::Reception if row.flags.has(RowFlags::ROOT) => {
                    self.roots.entry((row.lifeline, side.message)).or_insert((0, place))
                }
                Direction::Reception => self.missing.entry(row.lifeline).or_insert((0, place)),
            };
            entry.0 += 1;
        }
    }

    /// Reports calls whose callee begins a new trace. Returns the lifelines and messages whose
    /// missing counterparts this explains.
    pub(super) fn diagnose(
        &self,
        vocabulary: &Vocabulary,
        findings: &mut Findings,
    ) -> Vec<(RunLifelineId, RunMessageId)> {
        let mut explained = Vec::new();
        let mut lost: BTreeMap<(RunLifelineId, RunLifelineId), LostCalls> = BTreeMap::new();
        for (&ClientCall { client, message, peer }, &(calls, at)) in &self.unanswered {
            for (&(server, received), &(begun, begin)) in &self.roots {
                let same_name = received == message;
                if server == client || !(peer == Some(server) || (peer.is_none() && same_name)) {
                    continue;
                }
                // This server span has a name that differs from the call, and there is another
                // server span with the same name as the call.
                if peer == Some(server) && !same_name && self.roots.contains_key(&(server, message))
                {
                    continue;
                }
                explained.push((client, message));
                explained.push((server, received));
                let places = [at, begin];
                let new = LostCalls { count: 0, messages: Vec::new(), places };
                let entry = lost.entry((client, server)).or_insert(new);
                entry.count += calls.min(begun);
                entry.messages.push(vocabulary.message(message).to_owned());
            }
        }
        for ((client, server), LostCalls { count, mut messages, places }) in lost {
            messages.sort();
            messages.dedup();
            let (client, server) = (vocabulary.lifeline(client), vocabulary.lifeline(server));
            let calls = if count == 1 { "once".to_owned() } else { format!("{count} calls") };
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
                findings.add(Code::LOST_CONTEXT, place, message.clone(), &help);
            }
        }
        explained
    }
}
