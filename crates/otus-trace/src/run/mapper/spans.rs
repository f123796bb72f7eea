//! A span is two moments: a request when it starts and its reply when it ends, sent or received by
//! its kind.

use otus_core::Direction;
use otus_syntax::Code;

use super::super::shape::Place;
use super::super::vocabulary::ActionKey;
use super::{Lacking, Mapper, Pending, View, string};
use crate::group::Marks;
use crate::mapping::SpanActions;
use crate::mapping::template::Context;
use crate::read::{Span, SpanKind};

impl Mapper {
    /// The start and the end of a span.
    pub(super) fn span_actions(
        &mut self,
        plan: &SpanActions,
        span: &Span,
        lifeline: u32,
        view: &View<'_>,
        context: &Context<'_>,
    ) -> Result<(), Lacking> {
        let (first, last) = match span.kind {
            SpanKind::Client => (Direction::Emission, Some(Direction::Reception)),
            SpanKind::Server => (Direction::Reception, Some(Direction::Emission)),
            SpanKind::Producer => (Direction::Emission, None),
            SpanKind::Consumer => (Direction::Reception, None),
            SpanKind::Internal | SpanKind::Unspecified => return Ok(()),
        };
        if let (Some(start), Some(end)) = (span.start, span.end)
            && end < start
        {
            let service = self.accounting.vocabulary.lifeline(lifeline);
            let message = format!("a span of `{service}` ends before it begins");
            let place = Place { file: view.file, line: context.record.at.line };
            let help = "its clock was set while it ran; its events keep the order of start and end";
            self.repeated.note(Code::CLOCK_BACKWARDS, place, message, help);
        }
        let (start, end) = span_keys(span);
        let vocabulary = &mut self.accounting.vocabulary;
        let text = plan.message.value(context, &mut self.scratch);
        let text = text.filter(|text| !text.is_empty()).ok_or(Lacking::Setting("message"))?;
        let message = vocabulary.messages.intern(&string(text), &view.plan.messages);
        let reply = match (&plan.reply, last) {
            (Some(reply), Some(_)) => {
                let text =
                    reply.value(context, &mut self.scratch).ok_or(Lacking::Setting("reply"))?;
                Some(vocabulary.messages.intern(&string(text), &view.plan.messages))
            }
            _ => None,
        };
        let peer = match &plan.peer {
            Some(peer) => peer.value(context, &mut self.scratch),
            None => {
                PEERS.iter().find_map(|name| context.record.field(view.source.fields.find(name)?))
            }
        };
        let outgoing = matches!(first, Direction::Emission);
        let peer = peer.filter(|_| outgoing || plan.peer.is_some());
        let peer =
            peer.map(|peer| vocabulary.lifelines.intern(&string(peer), &view.plan.lifelines));
        // An outgoing message has the id of its span; an incoming one that of its parent, or of
        // what it is linked to.
        let own = [span.id.as_str()];
        let links: Vec<&str> = span.links.iter().map(String::as_str).collect();
        let parent = [span.parent.as_str()];
        let ids: &[&str] = match span.kind {
            SpanKind::Client | SpanKind::Producer => &own,
            SpanKind::Consumer if !links.is_empty() => &links,
            SpanKind::Consumer | SpanKind::Server | SpanKind::Internal | SpanKind::Unspecified => {
                &parent
            }
        };
        let request = vocabulary.intern_action(ActionKey { lifeline, direction: first, message });
        let mut last_id = None;
        for id in ids {
            let mut marks = Marks::REQUEST;
            let id = if id.is_empty() {
                marks.add(Marks::ROOT);
                None
            } else {
                marks.add(Marks::HAS_ID);
                let from = self.row.id.len();
                self.row.id.extend_from_slice(id.as_bytes());
                Some((from, self.row.id.len()))
            };
            last_id = id;
            self.pending.push(Pending { lifeline, action: request, peer, id, marks, order: start });
        }
        if let (Some(message), Some(direction)) = (reply, last) {
            let mut marks = Marks::REPLY;
            marks.add(if last_id.is_some() { Marks::HAS_ID } else { Marks::ROOT });
            let action = vocabulary.intern_action(ActionKey { lifeline, direction, message });
            self.pending.push(Pending { lifeline, action, peer, id: last_id, marks, order: end });
        }
        self.row.span.extend_from_slice(span.id.as_bytes());
        Ok(())
    }
}

/// Where to look for the service that a client calls.
pub(super) const PEERS: [&str; 2] = ["peer.service", "server.address"];

/// The keys of the start and the end of a span. Spans that begin at the same moment begin with the
/// longest, and those that end at the same moment end with the shortest, so that spans nest.
pub(super) fn span_keys(span: &Span) -> (Option<i128>, Option<i128>) {
    let Some(start) = span.start else { return (None, None) };
    let end = span.end.unwrap_or(start).max(start);
    let length = i128::from(end - start).min((1 << 61) - 1);
    let key = |time: u64, class: i128, rank: i128| i128::from(time) << 62 | class << 61 | rank;
    if length == 0 {
        // Between what ends and what begins at that moment; the end follows at once.
        let at = key(start, 1, (1 << 61) - 1);
        return (Some(at), Some(at));
    }
    (Some(key(start, 1, (1 << 61) - 1 - length)), Some(key(end, 0, length)))
}
