//! Reads traces of Jaeger in the forms that its parts write.
//!
//! - The query service and the user interface: `{"data": [{"spans": […], "processes": {…}}]}`, a trace
//!   by itself, or a list of traces. A span names its process by `processID`; the processes are
//!   listed in its trace and may come after the spans. A trace is one element of the document, so
//!   both are in memory together. Times are in microseconds.
//! - The storage: spans with a `process` of their own, in a list or one on a line, also as the
//!   `_source` of hits of a search. Tags may be an object `tag`.
//! - The model as protobuf's JSON: ids in base64, dates as texts, durations with a unit, and the
//!   type of a tag in its key (`vStr`).
//!
//! The tag `span.kind` is the kind, a reference `CHILD_OF` is the parent, and references
//! `FOLLOWS_FROM` are links. If a span has no `CHILD_OF` reference, its first link becomes its parent,
//! because a span is caused by the span that it follows.

use std::ops::{ControlFlow, Range};

use super::ReadTask;
use super::documents::{self, Documents, Fragment, ReadResult};
use super::json::{Cursor, JsonResult, Malformed};
use super::spans::{AttributeOwner, SpanBuilder, SpanKind};

pub(super) fn read(task: ReadTask<'_, '_, '_>) -> ControlFlow<()> {
    let mut reader =
        Jaeger { span: SpanBuilder::new(task.fields), processes: Vec::new(), used: false };
    documents::read(task, &mut reader)
}

struct Jaeger {
    span: SpanBuilder,
    /// The processes of the trace: the id, and the byte where the description begins.
    processes: Vec<(Vec<u8>, usize)>,
    /// Whether any part of the document was used.
    used: bool,
}

impl Documents for Jaeger {
    fn document(&mut self, json: &mut Cursor<'_>, fragment: &mut Fragment<'_, '_>) -> ReadResult {
        self.value(json, fragment, 0)
    }

    fn element(&mut self, json: &mut Cursor<'_>, fragment: &mut Fragment<'_, '_>) -> ReadResult {
        match fragment.key {
            None => self.value(json, fragment, 0),
            Some(key) if is_wrapper(key) => self.value(json, fragment, 1),
            Some(_) => Ok(()),
        }
    }

    /// A trace over many lines is read whole, because its processes come after its spans.
    fn is_whole(&self, first_key: &[u8]) -> bool {
        let of_answers = matches!(first_key, b"total" | b"limit" | b"offset" | b"errors");
        !of_answers && !is_wrapper(first_key)
    }

    fn begin_list(&mut self, key: &[u8]) {
        self.used |= key == b"data";
    }

    fn take_used(&mut self) -> bool {
        std::mem::take(&mut self.used)
    }
}

/// The maximum number of containers around a trace. Values that are nested more deeply are ignored.
const DEEPEST: usize = 5;

/// Whether traces are found below this key.
fn is_wrapper(key: &[u8]) -> bool {
    matches!(key, b"data" | b"result" | b"trace" | b"traces" | b"hits" | b"_source")
}

impl Jaeger {
    /// Reads a trace or a span, a list of them, or an object that contains them.
    fn value(
        &mut self,
        json: &mut Cursor<'_>,
        fragment: &mut Fragment<'_, '_>,
        depth: usize,
    ) -> ReadResult {
        match json.peek() {
            Some(b'[') if depth < DEEPEST => {
                json.list(|json| self.value(json, fragment, depth + 1))
            }
            Some(b'{') if depth < DEEPEST => self.one(json, fragment, depth),
            _ => Ok(json.skip()?),
        }
    }

    fn one(
        &mut self,
        json: &mut Cursor<'_>,
        fragment: &mut Fragment<'_, '_>,
        depth: usize,
    ) -> ReadResult {
        self.processes.clear();
        let begin = json.start();
        let mut spans: Option<Vec<Range<usize>>> = None;
        let mut wrapped = Vec::new();
        let mut is_span = false;
        json.object(|json, key| match key {
            b"spans" if json.peek() == Some(b'[') => json.list(|json| {
                spans.get_or_insert_default().push(json.value()?);
                Ok::<_, Malformed>(())
            }),
            b"processes" if json.peek() == Some(b'{') => json.object(|json, key| {
                self.processes.push((key.to_vec(), json.start()));
                json.skip()
            }),
            key => {
                is_span |= matches!(key, b"spanID" | b"spanId");
                if is_wrapper(key) {
                    wrapped.push(json.start());
                    self.used |= key == b"data" && json.peek() == Some(b'[');
                }
                json.skip()
            }
        })?;
        let end = json.position();
        if let Some(spans) = spans {
            self.used = true;
            return spans.into_iter().try_for_each(|span| self.finish(json, span, fragment));
        }
        if is_span {
            return self.finish(json, begin..end, fragment);
        }
        wrapped.into_iter().try_for_each(|at| self.value(&mut json.at(at), fragment, depth + 1))
    }

    fn finish(
        &mut self,
        json: &Cursor<'_>,
        range: Range<usize>,
        fragment: &mut Fragment<'_, '_>,
    ) -> ReadResult {
        self.used = true;
        self.span.begin_resource();
        self.span(json.at(range.start))?;
        self.span.finish(range, fragment)
    }

    fn span(&mut self, mut json: Cursor<'_>) -> JsonResult {
        self.span.begin();
        let mut process = Vec::new();
        let mut own_process = None;
        let (mut start, mut duration) = (None, None);
        json.object(|json, key| {
            match key {
                b"traceID" | b"traceId" => self.span.id(json, |span| &mut span.trace)?,
                b"spanID" | b"spanId" => self.span.id(json, |span| &mut span.id)?,
                b"parentSpanID" | b"parentSpanId" => {
                    self.span.id(json, |span| &mut span.parent)?;
                }
                b"operationName" => self.span.copy(json, self.span.known.name)?,
                b"startTime" => start = self.start(json)?,
                b"duration" => duration = self.span.duration(json)?,
                b"processID" => drop(json.text(&mut process)?),
                b"process" if json.peek() == Some(b'{') => {
                    own_process = Some(json.start());
                    json.skip()?;
                }
                b"references" if json.peek() == Some(b'[') => {
                    json.list(|json| self.reference(json))?;
                }
                b"tags" | b"tag" => self.tags(json, AttributeOwner::Span)?,
                _ => json.skip()?,
            }
            Ok::<_, Malformed>(())
        })?;
        let span = &mut self.span.span;
        span.start = start;
        span.end = start.zip(duration).map(|(start, duration)| start.saturating_add(duration));
        if span.parent.is_empty()
            && let Some(first) = span.links.first()
        {
            span.parent.clone_from(first);
        }
        let known = self.processes.iter().find(|(id, _)| *id == process).map(|(_, at)| *at);
        let Some(at) = own_process.or(known) else { return Ok(()) };
        json.at(at).object(|json, key| match key {
            b"serviceName" => {
                self.span.copy(json, self.span.slot(AttributeOwner::Resource, b"service.name"))
            }
            b"tags" | b"tag" => self.tags(json, AttributeOwner::Resource),
            _ => json.skip(),
        })
    }

    /// Microseconds since 1970, or a date.
    fn start(&mut self, json: &mut Cursor<'_>) -> JsonResult<Option<u64>> {
        if json.peek() == Some(b'"') {
            return self.span.moment(json);
        }
        Ok(self.span.number(json)?.map(|micros| micros.saturating_mul(1000)))
    }

    fn reference(&mut self, json: &mut Cursor<'_>) -> JsonResult {
        let (mut span, mut trace) = (String::new(), String::new());
        let mut kind = Vec::new();
        if json.peek() != Some(b'{') {
            return json.skip();
        }
        json.object(|json, key| match key {
            b"spanID" | b"spanId" => {
                span = self.span.other_id(json)?;
                Ok(())
            }
            b"traceID" | b"traceId" => {
                trace = self.span.other_id(json)?;
                Ok(())
            }
            b"refType" => json.text(&mut kind).map(drop),
            _ => json.skip(),
        })?;
        if span.is_empty() {
            return Ok(());
        }
        if matches!(&kind[..], b"FOLLOWS_FROM" | b"1") {
            self.span.span.links.push(span);
            self.span.span.linked_traces.push(trace);
        } else if self.span.span.parent.is_empty() {
            self.span.span.parent = span;
        }
        Ok(())
    }

    /// `[{"key": "k", "type": "string", "value": "v"}, …]`, `[{"key": "k", "vStr": "v"}, …]`, or
    /// `{"k": "v", …}` with `@` for dots.
    fn tags(&mut self, json: &mut Cursor<'_>, owner: AttributeOwner) -> JsonResult {
        let mut value = Vec::new();
        if json.peek() == Some(b'{') {
            return json.object(|json, key| {
                json.text(&mut value)?;
                let key: Vec<u8> =
                    key.iter().map(|&byte| if byte == b'@' { b'.' } else { byte }).collect();
                self.tag(&key, &value, owner);
                Ok(())
            });
        }
        if json.peek() != Some(b'[') {
            return json.skip();
        }
        let mut name = Vec::new();
        json.list(|json| {
            name.clear();
            value.clear();
            if json.peek() != Some(b'{') {
                return json.skip();
            }
            json.object(|json, key| match key {
                b"key" => json.text(&mut name).map(drop),
                b"value" | b"vStr" | b"vBool" | b"vInt64" | b"vFloat64" => {
                    json.text(&mut value).map(drop)
                }
                _ => json.skip(),
            })?;
            self.tag(&name, &value, owner);
            Ok::<_, Malformed>(())
        })
    }

    fn tag(&mut self, name: &[u8], value: &[u8], owner: AttributeOwner) {
        if name == b"span.kind" && owner == AttributeOwner::Span {
            self.span.span.kind = SpanKind::parse(value).unwrap_or_default();
        }
        self.span.set(self.span.slot(owner, name), value);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::read_shown;
    use super::super::{Format, Options};

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let fields = ["resource.service.name", "name", "peer.service", "resource.ip"];
        let shown =
            read_shown(Format::Jaeger, text, &Options::default(), &fields, |record, fields| {
                let span = record.span.unwrap();
                let (start, end) = (span.start.unwrap_or(0), span.end.unwrap_or(0));
                let (fields, kind, links) =
                    (fields.join(" "), span.kind.name(), span.links.join(","));
                format!("{fields} {kind} {}<{} [{links}] {start}..{end}", span.id, span.parent)
            });
        assert_eq!(shown, expected);
    }

    #[test]
    fn services_are_looked_up_even_if_they_come_later() {
        let span = r#"{"traceID":"1","spanID":"2","operationName":"GET","references":[{"refType":"CHILD_OF","traceID":"1","spanID":"9"},{"refType":"FOLLOWS_FROM","spanID":"8"}],"startTime":5,"duration":2,"tags":[{"key":"span.kind","value":"client"},{"key":"peer.service","value":"db"}],"processID":"p1"}"#;
        let trace = format!(
            r#"{{"traceID":"1","spans":[{span}],"processes":{{"p1":{{"serviceName":"shop","tags":[{{"key":"ip","value":"::1"}}]}}}}}}"#
        );
        let expected = "shop GET db ::1 CLIENT 2<9 [8] 5000..7000";
        check(&format!("{{\"data\":[{trace}],\"total\":0}}"), &[&format!("1 {expected}")]);
        check(&format!("{{\n\"data\":[\n{trace}],\"total\":0}}"), &[&format!("3 {expected}")]);
        check(&trace, &[&format!("1 {expected}")]);
        check(&format!("[{trace}]"), &[&format!("1 {expected}")]);
        check("{\"data\":[]}", &[]);
        check(
            "{\"data\":null,\"errors\":[]}",
            &["1 nothing is used of what has the keys `data`, `errors`"],
        );
        let pretty = trace.replace(",\"", ",\n\"");
        check(&pretty, &[&format!("2 {expected}")]);
        check("{\n}", &["blank"]);
        check("{\"data\":[{\"spans\":[{]}", &["1 it is not JSON: it ends too early at byte 13"]);
    }
}
