//! Reads Zipkin's spans of version 2: a list of spans, a list of such lists, or one span on a line.
//!
//! Client and server may share one span id (`shared`, as in B3 propagation). Then the parent of the
//! server's part is the client's part, which has the same id. Times are in microseconds.

use std::ops::ControlFlow;

use super::ReadTask;
use super::documents::{self, Documents, Fragment, ReadResult};
use super::json::{Cursor, JsonResult, Malformed};
use super::spans::{AttributeOwner, SpanBuilder, SpanKind};

pub(super) fn read(task: ReadTask<'_, '_, '_>) -> ControlFlow<()> {
    let mut span = SpanBuilder::new(task.fields);
    span.begin_resource();
    documents::read(task, &mut Zipkin { span })
}

struct Zipkin {
    span: SpanBuilder,
}

impl Documents for Zipkin {
    /// A span, a list of spans, or a list of such lists.
    fn document(&mut self, json: &mut Cursor<'_>, fragment: &mut Fragment<'_, '_>) -> ReadResult {
        let mut one = |json: &mut Cursor<'_>| -> ReadResult {
            let begin = json.start();
            self.span(json)?;
            self.span.finish(begin..json.position(), fragment)
        };
        if json.peek() != Some(b'[') {
            return one(json);
        }
        json.list(|json| if json.peek() == Some(b'[') { json.list(&mut one) } else { one(json) })
    }
}

impl Zipkin {
    fn span(&mut self, json: &mut Cursor<'_>) -> JsonResult {
        self.span.begin();
        let (mut start, mut duration, mut shared) = (None, None, false);
        // A span without a kind concerns only its own service.
        self.span.span.kind = SpanKind::Internal;
        json.object(|json, key| {
            match key {
                b"traceId" => self.span.id(json, |span| &mut span.trace)?,
                b"id" => self.span.id(json, |span| &mut span.id)?,
                b"parentId" => self.span.id(json, |span| &mut span.parent)?,
                b"name" => self.span.copy(json, self.span.known.name)?,
                b"kind" => self.span.kind(json)?,
                b"timestamp" => start = self.span.number(json)?,
                b"duration" => duration = self.span.number(json)?,
                b"shared" => {
                    shared = json.text(&mut self.span.text)? && self.span.text == b"true";
                }
                b"localEndpoint" => {
                    self.service(json, self.span.slot(AttributeOwner::Resource, b"service.name"))?;
                }
                b"remoteEndpoint" => {
                    self.service(json, self.span.slot(AttributeOwner::Span, b"peer.service"))?;
                }
                b"tags" if json.peek() == Some(b'{') => json.object(|json, key| {
                    self.span.copy(json, self.span.slot(AttributeOwner::Span, key))
                })?,
                _ => json.skip()?,
            }
            Ok::<_, Malformed>(())
        })?;
        self.span.set_micros(start, duration);
        if shared && self.span.span.kind == SpanKind::Server {
            self.span.span.parent.clone_from(&self.span.span.id);
        }
        Ok(())
    }

    /// The service of an endpoint.
    fn service(&mut self, json: &mut Cursor<'_>, slot: Option<usize>) -> JsonResult {
        if json.peek() != Some(b'{') {
            return json.skip();
        }
        json.object(|json, key| match key {
            b"serviceName" => self.span.copy(json, slot),
            _ => json.skip(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::read_shown;
    use super::super::{Format, Options};

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let fields = ["resource.service.name", "name", "peer.service", "http.path"];
        let shown =
            read_shown(Format::Zipkin, text, &Options::default(), &fields, |record, fields| {
                let span = record.span.unwrap();
                let (start, end) = (span.start.unwrap_or(0), span.end.unwrap_or(0));
                let (fields, kind) = (fields.join(" "), span.kind.name());
                format!("{fields} {kind} {}<{} {start}..{end}", span.id, span.parent)
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
