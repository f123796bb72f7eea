//! Zipkin's spans of the second version: a list of spans, a list of such lists, or one on a line.
//!
//! Client and server may share one span id (`shared`, as B3 propagation has it): then the parent of
//! the server's part is the client's part, which has the same id. Times are in microseconds.

use std::io::Read;

use super::documents::{self, Documents, Place, Stop};
use super::json::{Cursor, Malformed};
use super::spans::{Draft, SpanKind};
use super::{Extent, Fields, Options, Visit};

pub(super) fn read(
    input: &mut dyn Read,
    fields: &Fields,
    options: &Options,
    visit: &mut Visit<'_>,
) -> Extent {
    let mut draft = Draft::new(fields);
    draft.begin_resource();
    documents::read(input, options, &mut Zipkin { draft }, visit)
}

struct Zipkin {
    draft: Draft,
}

impl Documents for Zipkin {
    fn document(
        &mut self,
        json: &mut Cursor<'_>,
        place: Place<'_>,
        visit: &mut Visit<'_>,
    ) -> Result<(), Stop> {
        self.any(json, place, visit)
    }

    fn element(
        &mut self,
        _: Option<&[u8]>,
        json: &mut Cursor<'_>,
        place: Place<'_>,
        visit: &mut Visit<'_>,
    ) -> Result<(), Stop> {
        self.any(json, place, visit)
    }
}

impl Zipkin {
    /// A span, a list of spans, or a list of such lists.
    fn any(
        &mut self,
        json: &mut Cursor<'_>,
        place: Place<'_>,
        visit: &mut Visit<'_>,
    ) -> Result<(), Stop> {
        let mut stop = None;
        let mut one = |json: &mut Cursor<'_>| {
            json.peek();
            let begin = json.position();
            self.span(json)?;
            self.draft.end(place, begin..json.position(), visit).map_err(|found| {
                stop = Some(found);
                json.malformed("stopped")
            })
        };
        let done = if json.peek() != Some(b'[') {
            one(json)
        } else {
            json.list(
                |json| if json.peek() == Some(b'[') { json.list(&mut one) } else { one(json) },
            )
        };
        stop.map_or(Ok(()), Err).and(done.map_err(Stop::from))
    }

    fn span(&mut self, json: &mut Cursor<'_>) -> Result<(), Malformed> {
        self.draft.begin();
        let (mut start, mut duration, mut shared) = (None, None, false);
        // A span without a kind is of its service alone.
        self.draft.span.kind = SpanKind::Internal;
        json.object(|json, key| match key {
            b"traceId" => self.draft.id(json, |span| &mut span.trace),
            b"id" => self.draft.id(json, |span| &mut span.id),
            b"parentId" => self.draft.id(json, |span| &mut span.parent),
            b"name" => {
                let slot = self.draft.known().name;
                self.draft.take(json, slot).map(drop)
            }
            b"kind" => self.draft.kind(json),
            b"timestamp" => {
                start = self.draft.number(json)?;
                Ok(())
            }
            b"duration" => {
                duration = self.draft.number(json)?;
                Ok(())
            }
            b"shared" => {
                shared = json.text(&mut self.draft.text)? && self.draft.text == b"true";
                Ok(())
            }
            b"localEndpoint" => {
                let slot = self.draft.resource_slot(b"service.name");
                self.service(json, slot)
            }
            b"remoteEndpoint" => {
                let slot = self.draft.attribute_slot(b"peer.service");
                self.service(json, slot)
            }
            b"tags" if json.peek() == Some(b'{') => json.object(|json, key| {
                let slot = self.draft.attribute_slot(key);
                self.draft.take(json, slot).map(drop)
            }),
            _ => json.value().map(drop),
        })?;
        self.draft.micros(start, duration);
        if shared && self.draft.span.kind == SpanKind::Server {
            self.draft.span.parent.clone_from(&self.draft.span.id);
        }
        Ok(())
    }

    fn service(&mut self, json: &mut Cursor<'_>, slot: Option<usize>) -> Result<(), Malformed> {
        if json.peek() != Some(b'{') {
            return json.value().map(drop);
        }
        json.object(|json, key| match key {
            b"serviceName" => self.draft.take(json, slot).map(drop),
            _ => json.value().map(drop),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::Item;
    use std::ops::ControlFlow;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let mut fields = Fields::default();
        let slots = ["resource.service.name", "name", "peer.service", "http.path"];
        let slots = slots.map(|name| fields.slot(name));
        let mut shown = Vec::new();
        read(&mut text.as_bytes(), &fields, &Options::default(), &mut |item| {
            shown.push(match item {
                Item::Record(record) => {
                    let span = record.span.unwrap();
                    let field = |slot: usize| {
                        String::from_utf8_lossy(record.field(slot).unwrap_or(b"-")).into_owned()
                    };
                    let fields = slots.map(field).join(" ");
                    let (kind, start, end) =
                        (span.kind.name(), span.start.unwrap_or(0), span.end.unwrap_or(0));
                    let (line, id, parent) = (record.at.line, &span.id, &span.parent);
                    format!("{line} {fields} {kind} {id}<{parent} {start}..{end}")
                }
                Item::Blank => "blank".to_owned(),
                Item::Fault(fault) => format!("{} {}", fault.at.line, fault.kind),
            });
            ControlFlow::Continue(())
        });
        assert_eq!(shown, expected);
    }

    const CLIENT: &str = r#"{"traceId":"1","id":"0A","parentId":"9","name":"get","kind":"CLIENT","timestamp":5,"duration":2,"localEndpoint":{"serviceName":"shop"},"remoteEndpoint":{"serviceName":"db"},"tags":{"http.path":"/x"}}"#;
    const SERVER: &str = r#"{"traceId":"1","id":"0a","parentId":"9","kind":"SERVER","shared":true,"localEndpoint":{"serviceName":"db"}}"#;

    #[test]
    fn lists_and_lists_of_lists_and_lines() {
        let client = "shop get db /x CLIENT 0a<9 5000..7000";
        let server = "db - - - SERVER 0a<0a 0..0";
        check(&format!("[{CLIENT},{SERVER}]"), &[&format!("1 {client}"), &format!("1 {server}")]);
        check(
            &format!("[[{CLIENT}],[{SERVER}]]"),
            &[&format!("1 {client}"), &format!("1 {server}")],
        );
        check(&format!("{CLIENT}\n{SERVER}"), &[&format!("1 {client}"), &format!("2 {server}")]);
        check(
            &format!("[\n[{CLIENT},\n{SERVER}]\n]"),
            &[&format!("2 {client}"), &format!("3 {server}")],
        );
        check(
            "[{]",
            &[
                "1 it is not JSON: a key in quotes is expected at byte 1",
                "1 it is not JSON: it ends too early at byte 2",
            ],
        );
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        check(&deep, &["1 it is not JSON: an object is expected at byte 2"]);
    }
}
