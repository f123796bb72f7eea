//! Turns a span into two actions: a request at its start and a reply at its end. The kind of the
//! span decides which of them is sent and which is received.

use std::slice;

use otus_core::Direction;
use otus_syntax::Code;

use super::super::vocabulary::{RunAction, RunLifelineId};
use super::{Incomplete, Mapper, PendingAction, Taken};
use crate::group::RowFlags;
use crate::mapping::{SpanActions, peer};
use crate::read::{Span, SpanKind};
use crate::time;

impl Mapper {
    pub(super) fn span_actions(
        &mut self,
        plan: &SpanActions,
        span: &Span,
        lifeline: RunLifelineId,
        taken: &Taken<'_>,
    ) -> Result<(), Incomplete> {
        let context = &taken.context;
        let is_latent = taken.rule.latent;
        let (first, last) = match span.kind {
            SpanKind::Client => (Direction::Emission, Some(Direction::Reception)),
            SpanKind::Server => (Direction::Reception, Some(Direction::Emission)),
            SpanKind::Producer => (Direction::Emission, None),
            SpanKind::Consumer => (Direction::Reception, None),
            SpanKind::Internal | SpanKind::Unspecified if is_latent => {
                (Direction::Reception, Some(Direction::Emission))
            }
            SpanKind::Internal | SpanKind::Unspecified => return Ok(()),
        };
        if let (Some(start), Some(end)) = (span.start, span.end)
            && end < start
        {
            let service = self.accounting.vocabulary.lifeline(lifeline);
            let message = format!("a span of `{service}` ends before it begins");
            let help = "its clock was set while it ran; its events keep the order of start and end";
            self.findings.add(Code::CLOCK_BACKWARDS, taken.place, message, help);
        }
        let (start, end) = span_keys(span);
        let [begun, ended] = [span.start, span.end.or(span.start)].map(|time| {
            let time = time::near(i128::from(time.filter(|_| taken.plan.keeps_time)?));
            if time.is_err() {
                self.keep_time(time, taken);
            }
            time.ok()
        });
        let vocabulary = &mut self.accounting.vocabulary;
        let text = plan.message.value(context, &mut self.scratch);
        let text = text.filter(|text| !text.is_empty()).ok_or(Incomplete::Missing("message"))?;
        let message = vocabulary.intern_message(text, &taken.plan.messages);
        let reply = match (&plan.reply, last) {
            (Some(reply), Some(_)) => {
                let text =
                    reply.value(context, &mut self.scratch).ok_or(Incomplete::Missing("reply"))?;
                Some(vocabulary.intern_message(text, &taken.plan.messages))
            }
            _ => None,
        };
        let peer = match &plan.peer {
            Some(peer) => peer.value(context, &mut self.scratch).filter(|peer| !peer.is_empty()),
            None => peer::peer(&plan.peers, span.kind, context.record, &taken.plan.lifelines),
        };
        let peer = peer.map(|peer| vocabulary.intern_lifeline(peer, &taken.plan.lifelines));
        // An outgoing message has the id of its span. An incoming message has the id of the parent,
        // or of the spans that its span is linked to.
        let ids: &[String] = match span.kind {
            SpanKind::Client | SpanKind::Producer => slice::from_ref(&span.id),
            SpanKind::Consumer if !span.links.is_empty() => &span.links,
            SpanKind::Server if span.parent.is_empty() && !span.links.is_empty() => &span.links,
            SpanKind::Consumer | SpanKind::Server | SpanKind::Internal | SpanKind::Unspecified => {
                slice::from_ref(&span.parent)
            }
        };
        let mut common = RowFlags::default();
        if is_latent {
            common.add(RowFlags::LATENT);
        }
        if plan.named {
            common.add(RowFlags::NAMED);
        }
        let request = vocabulary.actions.intern(RunAction { lifeline, direction: first, message });
        let mut last_id = None;
        for id in ids {
            let mut flags = common;
            flags.add(RowFlags::REQUEST);
            let id = if id.is_empty() {
                flags.add(RowFlags::ROOT);
                None
            } else {
                flags.add(RowFlags::HAS_ID);
                let from = self.current.row.id.len();
                self.current.row.id.extend_from_slice(id.as_bytes());
                Some((from, self.current.row.id.len()))
            };
            last_id = id;
            let action = request;
            self.current.pending.push(PendingAction {
                lifeline,
                action,
                peer,
                id,
                flags,
                order: start,
            });
            self.current.pending_times.push(begun);
        }
        if let (Some(message), Some(direction)) = (reply, last) {
            let mut flags = common;
            flags.add(RowFlags::REPLY);
            flags.add(if last_id.is_some() { RowFlags::HAS_ID } else { RowFlags::ROOT });
            let action = vocabulary.actions.intern(RunAction { lifeline, direction, message });
            let (id, order) = (last_id, end);
            self.current.pending.push(PendingAction { lifeline, action, peer, id, flags, order });
            self.current.pending_times.push(ended);
        }
        self.current.row.span.extend_from_slice(span.id.as_bytes());
        Ok(())
    }
}

/// The order keys of the start and the end of a span. Of spans that begin at the same moment the
/// longest begins first, and of spans that end at the same moment the shortest ends first, so that
/// spans nest.
pub(super) fn span_keys(span: &Span) -> (Option<i128>, Option<i128>) {
    let Some(start) = span.start else { return (None, None) };
    let end = span.end.unwrap_or(start).max(start);
    let length = i128::from(end - start).min((1 << 61) - 1);
    let key = |time: u64, class: i128, rank: i128| i128::from(time) << 62 | class << 61 | rank;
    if length == 0 {
        // A log record comes after the spans that end at that moment, and before those that begin.
        // Its end follows at once.
        let at = key(start, 1, (1 << 61) - 1);
        return (Some(at), Some(at));
    }
    (Some(key(start, 1, (1 << 61) - 1 - length)), Some(key(end, 0, length)))
}
