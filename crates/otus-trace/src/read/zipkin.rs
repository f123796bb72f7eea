//! Reads Zipkin's spans of versions 1 and 2: a list of spans, a list of such lists, or one span on a
//! line. Times are in microseconds.
//!
//! In version 2 a span has a kind and the endpoints of both sides. Client and server may share one
//! span id (`shared`, as in B3 propagation). Then the parent of the server's part is the client's
//! part, which has the same id.
//!
//! In version 1 a span has annotations instead: `cs` and `cr` for the client that sends and receives,
//! `sr` and `ss` for the server, `ms` and `mr` for a message, each with a time and the endpoint that
//! wrote it; and binary annotations, which are tags, or the address of the other side (`sa`, `ca`,
//! `ma`). One span may have the annotations of both sides, and becomes two. A server's part without
//! a time stamp of its own shares the span of its client.

use std::ops::{ControlFlow, Range};

use super::ReadTask;
use super::documents::{self, Documents, Fragment, ReadResult};
use super::json::{Cursor, JsonResult, Malformed};
use super::spans::{AttributeOwner, SpanBuilder, SpanKind};

pub(super) fn read(task: ReadTask<'_, '_, '_>) -> ControlFlow<()> {
    let mut span = SpanBuilder::new(task.fields);
    span.begin_resource();
    documents::read(task, &mut Zipkin { span, core: Core::default(), used: false })
}

struct Zipkin {
    span: SpanBuilder,
    core: Core,
    /// Whether any part of the document was used.
    used: bool,
}

/// The parts of the current span that decide how many records it becomes.
#[derive(Debug, Default)]
struct Core {
    kind: Option<SpanKind>,
    start: Option<u64>,
    duration: Option<u64>,
    is_shared: bool,
    is_span: bool,
    local: Endpoint,
    remote: Endpoint,
    annotations: Vec<Annotation>,
    /// The addresses of version 1: of the server, the client, and the queue.
    addresses: [Endpoint; 3],
    /// The endpoint that wrote the tags of version 1.
    writer: Endpoint,
}

/// A service, as far as it is known.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Endpoint {
    service: Vec<u8>,
    address: Vec<u8>,
}

impl Endpoint {
    /// The name of the endpoint, or else its address.
    fn name(&self) -> &[u8] {
        if self.service.is_empty() { &self.address } else { &self.service }
    }
}

/// An annotation of version 1 that shows which side wrote it.
#[derive(Debug)]
struct Annotation {
    event: Event,
    at: Option<u64>,
    by: Endpoint,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    ClientSend,
    ClientReceive,
    ServerReceive,
    ServerSend,
    MessageSend,
    MessageReceive,
}

impl Event {
    fn of(value: &[u8]) -> Option<Event> {
        Some(match value {
            b"cs" => Event::ClientSend,
            b"cr" => Event::ClientReceive,
            b"sr" => Event::ServerReceive,
            b"ss" => Event::ServerSend,
            b"ms" => Event::MessageSend,
            b"mr" => Event::MessageReceive,
            _ => return None,
        })
    }
}

/// A side of a span of version 1: its kind, its first and last event, and the index of the address
/// of the other side.
const SIDES: [(SpanKind, Event, Option<Event>, usize); 4] = [
    (SpanKind::Client, Event::ClientSend, Some(Event::ClientReceive), 0),
    (SpanKind::Server, Event::ServerReceive, Some(Event::ServerSend), 1),
    (SpanKind::Producer, Event::MessageSend, None, 2),
    (SpanKind::Consumer, Event::MessageReceive, None, 2),
];

impl Documents for Zipkin {
    /// A span, a list of spans, or a list of such lists.
    fn document(&mut self, json: &mut Cursor<'_>, fragment: &mut Fragment<'_, '_>) -> ReadResult {
        let mut one = |json: &mut Cursor<'_>| self.one(json, fragment);
        if json.peek() != Some(b'[') {
            return one(json);
        }
        json.list(|json| if json.peek() == Some(b'[') { json.list(&mut one) } else { one(json) })
    }

    fn is_whole(&self, _first_key: &[u8]) -> bool {
        true
    }

    fn take_used(&mut self) -> bool {
        std::mem::take(&mut self.used)
    }
}

impl Zipkin {
    fn one(&mut self, json: &mut Cursor<'_>, fragment: &mut Fragment<'_, '_>) -> ReadResult {
        let begin = json.start();
        self.span(json)?;
        if !self.core.is_span {
            return Ok(());
        }
        self.used = true;
        let bytes = begin..json.position();
        if self.core.kind.is_some() || self.core.annotations.is_empty() {
            self.second_version(bytes, fragment)
        } else {
            self.first_version(bytes, fragment)
        }
    }

    fn second_version(
        &mut self,
        bytes: Range<usize>,
        fragment: &mut Fragment<'_, '_>,
    ) -> ReadResult {
        let core = &self.core;
        let (start, duration, is_shared) = (core.start, core.duration, core.is_shared);
        // A span without a kind concerns only its own service. The same holds for a local span of
        // version 1.
        self.span.span.kind = core.kind.unwrap_or(SpanKind::Internal);
        let local = if core.local.name().is_empty() { &core.writer } else { &core.local };
        let (local, remote) = (local.clone(), core.remote.clone());
        self.span.set_micros(start, duration);
        if is_shared && self.span.span.kind == SpanKind::Server {
            self.span.span.parent.clone_from(&self.span.span.id);
        }
        self.finish(&local, &remote, bytes, fragment)
    }

    /// One record for each side that left annotations.
    fn first_version(
        &mut self,
        bytes: Range<usize>,
        fragment: &mut Fragment<'_, '_>,
    ) -> ReadResult {
        let core = std::mem::take(&mut self.core);
        let parent = self.span.span.parent.clone();
        let time = |event: Event| core.annotations.iter().find(|it| it.event == event);
        let has_client = time(Event::ClientSend).or(time(Event::ClientReceive)).is_some();
        for (kind, first, last, address) in SIDES {
            let begins = time(first);
            let ends = last.and_then(time);
            let Some(by) = begins.or(ends).map(|it| it.by.clone()) else { continue };
            let span = &mut self.span.span;
            span.kind = kind;
            let own = core.start.filter(|_| kind != SpanKind::Server || !has_client);
            let start = begins.and_then(|it| it.at).or(own);
            let end = ends.and_then(|it| it.at);
            let end = end.or(start.zip(core.duration).map(|(start, it)| start.saturating_add(it)));
            self.span
                .set_micros(start, end.zip(start).map(|(end, start)| end.saturating_sub(start)));
            let span = &mut self.span.span;
            let is_shared = kind == SpanKind::Server && (has_client || core.start.is_none());
            span.parent = if is_shared { span.id.clone() } else { parent.clone() };
            self.finish(&by, &core.addresses[address], bytes.clone(), fragment)?;
        }
        self.core = core;
        Ok(())
    }

    fn finish(
        &mut self,
        local: &Endpoint,
        remote: &Endpoint,
        bytes: Range<usize>,
        fragment: &mut Fragment<'_, '_>,
    ) -> ReadResult {
        let service = self.span.slot(AttributeOwner::Resource, b"service.name");
        self.span.set(service, local.name());
        let peer = self.span.slot(AttributeOwner::Span, b"peer.service");
        self.span.set(peer.filter(|_| !remote.service.is_empty()), &remote.service);
        self.span.finish(bytes, fragment)
    }

    fn span(&mut self, json: &mut Cursor<'_>) -> JsonResult {
        self.span.begin();
        self.core = Core::default();
        let (mut has_trace, mut has_id) = (false, false);
        json.object(|json, key| {
            match key {
                b"traceId" | b"trace_id" => {
                    has_trace = true;
                    self.span.id(json, |span| &mut span.trace)?;
                }
                b"id" => {
                    has_id = true;
                    self.span.id(json, |span| &mut span.id)?;
                }
                b"parentId" | b"parent_id" => self.span.id(json, |span| &mut span.parent)?,
                b"name" => self.span.copy(json, self.span.known.name)?,
                b"kind" => {
                    self.span.kind(json)?;
                    self.core.kind =
                        Some(self.span.span.kind).filter(|&it| it != SpanKind::Unspecified);
                }
                b"timestamp" => {
                    self.core.start = self.span.number(json)?.filter(|&time| time > 0);
                }
                b"duration" => self.core.duration = self.span.number(json)?,
                b"shared" => {
                    let is_told = json.text(&mut self.span.text)?;
                    self.core.is_shared = is_told && self.span.text == b"true";
                }
                b"localEndpoint" | b"local_endpoint" => self.core.local = endpoint(json)?,
                b"remoteEndpoint" | b"remote_endpoint" => self.core.remote = endpoint(json)?,
                b"tags" if json.peek() == Some(b'{') => json.object(|json, key| {
                    self.span.copy(json, self.span.slot(AttributeOwner::Span, key))
                })?,
                b"annotations" if json.peek() == Some(b'[') => {
                    json.list(|json| self.annotation(json))?;
                }
                b"binaryAnnotations" | b"binary_annotations" if json.peek() == Some(b'[') => {
                    json.list(|json| self.binary_annotation(json))?;
                }
                _ => json.skip()?,
            }
            Ok::<_, Malformed>(())
        })?;
        self.core.is_span = has_trace && has_id;
        Ok(())
    }

    /// `{"timestamp": 5, "value": "cs", "endpoint": {"serviceName": "shop"}}`.
    fn annotation(&mut self, json: &mut Cursor<'_>) -> JsonResult {
        if json.peek() != Some(b'{') {
            return json.skip();
        }
        let (mut event, mut at, mut by) = (None, None, Endpoint::default());
        json.object(|json, key| {
            match key {
                b"timestamp" => at = self.span.number(json)?,
                b"value" => {
                    json.text(&mut self.span.text)?;
                    event = Event::of(&self.span.text);
                }
                b"endpoint" | b"host" => by = endpoint(json)?,
                _ => json.skip()?,
            }
            Ok::<_, Malformed>(())
        })?;
        if let Some(event) = event {
            self.core.annotations.push(Annotation { event, at, by });
        }
        Ok(())
    }

    /// `{"key": "http.path", "value": "/x", "endpoint": {…}}`. If the annotation is an address, its
    /// value is just `true`, and the address is in the endpoint.
    fn binary_annotation(&mut self, json: &mut Cursor<'_>) -> JsonResult {
        if json.peek() != Some(b'{') {
            return json.skip();
        }
        let (mut name, mut value, mut by) = (Vec::new(), Vec::new(), Endpoint::default());
        json.object(|json, key| match key {
            b"key" => json.text(&mut name).map(drop),
            b"value" => json.text(&mut value).map(drop),
            b"endpoint" | b"host" => {
                by = endpoint(json)?;
                Ok(())
            }
            _ => json.skip(),
        })?;
        let address = [&b"sa"[..], b"ca", b"ma"].iter().position(|known| *known == name);
        match address {
            Some(index) => self.core.addresses[index] = by,
            None => {
                self.span.set(self.span.slot(AttributeOwner::Span, &name), &value);
                if self.core.writer.name().is_empty() {
                    self.core.writer = by;
                }
            }
        }
        Ok(())
    }
}

/// `{"serviceName": "shop", "ipv4": "10.0.0.7"}`.
fn endpoint(json: &mut Cursor<'_>) -> JsonResult<Endpoint> {
    let mut endpoint = Endpoint::default();
    if json.peek() != Some(b'{') {
        json.skip()?;
        return Ok(endpoint);
    }
    json.object(|json, key| match key {
        b"serviceName" | b"service_name" => json.text(&mut endpoint.service).map(drop),
        b"ipv4" | b"ipv6" if endpoint.address.is_empty() => {
            json.text(&mut endpoint.address).map(drop)
        }
        _ => json.skip(),
    })?;
    Ok(endpoint)
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
        let server = "db unnamed - - SERVER 0a<0a 0..0";
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
