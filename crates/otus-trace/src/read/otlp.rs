//! Reads OpenTelemetry's OTLP as JSON: spans, and log records.
//!
//! The structure is `resourceSpans[] → scopeSpans[] → spans[]`; the resource has the name of the
//! service. Writers differ, and the reader accepts all variants: keys in camel or snake case, ids
//! in hexadecimal or base64, kinds and numbers as numbers or strings, and the old keys
//! `instrumentationLibrarySpans` and `batches`. Answers of query services have the document inside
//! (`{"result": {"resourceSpans": …}}`, `{"trace": …}`). Spans may also stand alone or in a list,
//! each with its resource, as consoles print them. Log records (`resourceLogs → scopeLogs → logRecords`) have the
//! fields `body`, `severity_text` and `event_name` besides their attributes. Metrics say nothing
//! about messages and are counted as blank.

use std::ops::ControlFlow;

use super::documents::{self, Documents, Fragment, Interrupted, ReadResult};
use super::json::{Cursor, JsonResult};
use super::spans::{AttributeOwner, SpanBuilder};
use super::{Item, ReadTask};

pub(super) fn read(task: ReadTask<'_, '_, '_>) -> ControlFlow<()> {
    let mut reader = Otlp { span: SpanBuilder::new(task.fields), used: false };
    documents::read(task, &mut reader)
}

struct Otlp {
    span: SpanBuilder,
    /// Whether any part of the document was used.
    used: bool,
}

/// The kind of telemetry that a member of a document holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Signal {
    Spans,
    Logs,
    Other,
}

impl Signal {
    /// The signal of a member of a document; `None` if the key is none of OTLP.
    fn of(key: &[u8]) -> Option<Signal> {
        Some(match key {
            // Tempo says `batches`.
            b"resourceSpans" | b"resource_spans" | b"batches" => Signal::Spans,
            b"resourceLogs" | b"resource_logs" => Signal::Logs,
            b"resourceMetrics" | b"resource_metrics" | b"resourceProfiles"
            | b"resource_profiles" => Signal::Other,
            _ => return None,
        })
    }
}

/// The signal of a resource whose scopes are a member with this key.
fn scopes(key: &[u8]) -> Option<Signal> {
    match key {
        b"scopeSpans"
        | b"scope_spans"
        | b"instrumentationLibrarySpans"
        | b"instrumentation_library_spans" => Some(Signal::Spans),
        b"scopeLogs" | b"scope_logs" | b"instrumentationLibraryLogs" => Some(Signal::Logs),
        _ => None,
    }
}

impl Documents for Otlp {
    fn document(&mut self, json: &mut Cursor<'_>, fragment: &mut Fragment<'_, '_>) -> ReadResult {
        self.value(json, fragment, 0)
    }

    fn element(&mut self, json: &mut Cursor<'_>, fragment: &mut Fragment<'_, '_>) -> ReadResult {
        match fragment.key {
            None => self.value(json, fragment, 0),
            Some(key) => match Signal::of(key) {
                Some(Signal::Other) => {
                    self.used = true;
                    fragment.visit(Item::Blank)
                }
                Some(signal) => self.resource(signal, json, fragment),
                None if is_wrapper(key) => self.value(json, fragment, 1),
                None => Ok(()),
            },
        }
    }

    /// Whether the object is a resource or a span by itself.
    fn is_whole(&self, first_key: &[u8]) -> bool {
        Signal::of(first_key).is_none() && !is_wrapper(first_key)
    }

    fn begin_list(&mut self, key: &[u8]) {
        self.used |= Signal::of(key).is_some();
    }

    fn take_used(&mut self) -> bool {
        std::mem::take(&mut self.used)
    }
}

/// The maximum number of wrappers around a document. Values that are nested more deeply are
/// ignored.
const DEEPEST: usize = 4;

/// Whether query services put documents into a member with this key.
fn is_wrapper(key: &[u8]) -> bool {
    matches!(key, b"result" | b"results" | b"trace" | b"traces" | b"data" | b"response" | b"spans")
}

impl Otlp {
    /// A document, a resource or a span, or a list of them, perhaps in the answer of a service.
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
        let begin = json.start();
        let mut own = None;
        let mut is_span = false;
        let mut wrapped = Vec::new();
        json.object(|json, key| {
            match Signal::of(key) {
                Some(Signal::Other) => {
                    self.used = true;
                    json.skip()?;
                    return fragment.visit(Item::Blank);
                }
                Some(signal) if json.peek() == Some(b'[') => {
                    self.used = true;
                    return json.list(|json| self.resource(signal, json, fragment));
                }
                Some(_) | None => {}
            }
            own = own.or(scopes(key));
            is_span |= matches!(
                key,
                b"spanId" | b"span_id" | b"context" | b"SpanContext" | b"spanContext"
            );
            if is_wrapper(key) {
                wrapped.push(json.start());
            }
            Ok::<_, Interrupted>(json.skip()?)
        })?;
        match own {
            // A resource outside of a document.
            Some(signal) => self.resource(signal, &mut json.at(begin), fragment),
            None if is_span => self.lone_span(json.at(begin), fragment),
            None => wrapped
                .into_iter()
                .try_for_each(|at| self.value(&mut json.at(at), fragment, depth + 1)),
        }
    }

    /// A span that is in no resource, as consoles and queries print it. It contains its resource,
    /// or the name of its service.
    fn lone_span(&mut self, mut json: Cursor<'_>, fragment: &mut Fragment<'_, '_>) -> ReadResult {
        let begin = json.start();
        self.span.begin_resource();
        let service = self.span.slot(AttributeOwner::Resource, b"service.name");
        json.clone().object(|json, key| match key {
            b"resource" if json.peek() == Some(b'{') => json.object(|json, key| match key {
                b"attributes" => self.attributes(json, AttributeOwner::Resource),
                _ => match self.span.slot(AttributeOwner::Resource, key) {
                    Some(slot) => self.any_value(json, slot),
                    None => json.skip(),
                },
            }),
            b"Resource" => self.attributes(json, AttributeOwner::Resource),
            b"serviceName" | b"service_name" | b"service.name" => self.span.copy(json, service),
            _ => json.skip(),
        })?;
        self.span.end_resource();
        self.span(&mut json)?;
        self.used = true;
        self.span.finish(begin..json.position(), fragment)
    }

    /// One resource with its scopes. Scopes that come before the attributes of the resource are
    /// read after them.
    fn resource(
        &mut self,
        signal: Signal,
        json: &mut Cursor<'_>,
        fragment: &mut Fragment<'_, '_>,
    ) -> ReadResult {
        self.used = true;
        self.span.begin_resource();
        let mut has_resource = false;
        let mut waiting: Vec<usize> = Vec::new();
        json.object(|json, key| match key {
            b"resource" if json.peek() == Some(b'{') => {
                has_resource = true;
                json.object(|json, key| match key {
                    b"attributes" => self.attributes(json, AttributeOwner::Resource),
                    _ => json.skip(),
                })?;
                self.span.end_resource();
                Ok::<_, Interrupted>(())
            }
            key if scopes(key).is_some() && json.peek() == Some(b'[') => {
                if !has_resource {
                    waiting.push(json.start());
                    return Ok(json.skip()?);
                }
                json.list(|json| self.scope(signal, json, fragment))
            }
            _ => Ok(json.skip()?),
        })?;
        for at in waiting {
            json.at(at).list(|json| self.scope(signal, json, fragment))?;
        }
        Ok(())
    }

    fn scope(
        &mut self,
        signal: Signal,
        json: &mut Cursor<'_>,
        fragment: &mut Fragment<'_, '_>,
    ) -> ReadResult {
        let mut scope = Vec::new();
        json.object(|json, key| match key {
            b"scope" | b"instrumentationLibrary" | b"instrumentation_library"
                if json.peek() == Some(b'{') =>
            {
                Ok(json.object(|json, key| match key {
                    b"name" => json.text(&mut scope).map(drop),
                    _ => json.skip(),
                })?)
            }
            b"spans" if signal == Signal::Spans => self.records(Self::span, &scope, json, fragment),
            b"logRecords" | b"log_records" | b"logs" if signal == Signal::Logs => {
                self.records(Self::log, &scope, json, fragment)
            }
            _ => Ok(json.skip()?),
        })
    }

    fn span(&mut self, json: &mut Cursor<'_>) -> JsonResult {
        self.span.begin();
        json.object(|json, key| match key {
            b"traceId" | b"trace_id" => self.span.id(json, |span| &mut span.trace),
            b"spanId" | b"span_id" => self.span.id(json, |span| &mut span.id),
            b"parentSpanId" | b"parent_span_id" | b"parent_id" | b"parentId" => {
                self.span.id(json, |span| &mut span.parent)
            }
            b"context" | b"SpanContext" | b"spanContext" if json.peek() == Some(b'{') => json
                .object(|json, key| match key {
                    b"trace_id" | b"TraceID" | b"traceId" => {
                        self.span.id(json, |span| &mut span.trace)
                    }
                    b"span_id" | b"SpanID" | b"spanId" => self.span.id(json, |span| &mut span.id),
                    _ => json.skip(),
                }),
            b"Parent" | b"parent" | b"parentSpanContext" if json.peek() == Some(b'{') => json
                .object(|json, key| match key {
                    b"SpanID" | b"spanId" | b"span_id" => {
                        self.span.id(json, |span| &mut span.parent)
                    }
                    _ => json.skip(),
                }),
            b"name" | b"Name" => self.span.field(json, self.span.known.name),
            b"kind" | b"SpanKind" => self.span.kind(json),
            b"startTimeUnixNano" | b"start_time_unix_nano" => {
                self.span.time(json, |span| &mut span.start)
            }
            b"endTimeUnixNano" | b"end_time_unix_nano" => {
                self.span.time(json, |span| &mut span.end)
            }
            b"startTime" | b"start_time" | b"StartTime" => {
                self.span.span.start = self.span.moment(json)?;
                Ok(())
            }
            b"endTime" | b"end_time" | b"EndTime" => {
                self.span.span.end = self.span.moment(json)?;
                Ok(())
            }
            b"attributes" | b"Attributes" => self.attributes(json, AttributeOwner::Span),
            b"status" if json.peek() == Some(b'{') => json.object(|json, key| match key {
                b"code" | b"status_code" => self.span.field(json, self.span.known.status_code),
                b"message" | b"description" => {
                    self.span.field(json, self.span.known.status_message)
                }
                _ => json.skip(),
            }),
            b"links" | b"Links" if json.peek() == Some(b'[') => json.list(|json| self.link(json)),
            _ => json.skip(),
        })
    }

    /// A link: the id of a span, perhaps in a context.
    fn link(&mut self, json: &mut Cursor<'_>) -> JsonResult {
        if json.peek() != Some(b'{') {
            return json.skip();
        }
        json.object(|json, key| match key {
            b"context" | b"SpanContext" if json.peek() == Some(b'{') => {
                json.object(|json, key| self.linked(json, key))
            }
            key => self.linked(json, key),
        })
    }

    fn linked(&mut self, json: &mut Cursor<'_>, key: &[u8]) -> JsonResult {
        let is_trace = matches!(key, b"traceId" | b"trace_id" | b"TraceID");
        if !is_trace && !matches!(key, b"spanId" | b"span_id" | b"SpanID") {
            return json.skip();
        }
        let id = self.span.other_id(json)?;
        let span = &mut self.span.span;
        if !id.is_empty() {
            if is_trace { &mut span.linked_traces } else { &mut span.links }.push(id);
        }
        Ok(())
    }

    fn log(&mut self, json: &mut Cursor<'_>) -> JsonResult {
        self.span.begin();
        self.span.span.instant = true;
        json.object(|json, key| match key {
            b"traceId" | b"trace_id" => self.span.id(json, |span| &mut span.trace),
            // A log record belongs to a span but is not a span itself.
            b"spanId" | b"span_id" => self.span.id(json, |span| &mut span.parent),
            b"timeUnixNano" | b"time_unix_nano" => self.span.time(json, |span| &mut span.start),
            b"observedTimeUnixNano" | b"observed_time_unix_nano" => {
                let start = self.span.span.start;
                self.span.time(json, |span| &mut span.start)?;
                self.span.span.start = start.or(self.span.span.start);
                Ok(())
            }
            b"severityText" | b"severity_text" => {
                self.span.field(json, self.span.slot(AttributeOwner::Span, b"severity_text"))
            }
            b"eventName" | b"event_name" => {
                self.span.field(json, self.span.slot(AttributeOwner::Span, b"event_name"))
            }
            b"body" => match self.span.slot(AttributeOwner::Span, b"body") {
                Some(slot) => self.any_value(json, slot),
                None => json.skip(),
            },
            b"attributes" => self.attributes(json, AttributeOwner::Span),
            _ => json.skip(),
        })
    }

    /// A list of spans or log records of a scope.
    fn records(
        &mut self,
        read_one: fn(&mut Self, &mut Cursor<'_>) -> JsonResult,
        scope: &[u8],
        json: &mut Cursor<'_>,
        fragment: &mut Fragment<'_, '_>,
    ) -> ReadResult {
        json.list(|json| {
            let begin = json.start();
            read_one(self, json)?;
            let slot = self.span.known.scope_name.filter(|_| !scope.is_empty());
            self.span.set(slot, scope);
            self.span.finish(begin..json.position(), fragment)
        })
    }

    /// `[{"key": "k", "value": {"stringValue": "v"}}, …]`, or `{"k": "v", …}`.
    fn attributes(&mut self, json: &mut Cursor<'_>, owner: AttributeOwner) -> JsonResult {
        match json.peek() {
            Some(b'[') => {}
            Some(b'{') => {
                return json.object(|json, key| match self.span.slot(owner, key) {
                    Some(slot) => self.any_value(json, slot),
                    None => json.skip(),
                });
            }
            _ => return json.skip(),
        }
        json.list(|json| {
            if json.peek() != Some(b'{') {
                return json.skip();
            }
            let mut slot = None;
            // The value may come before its key.
            let mut waiting = None;
            json.object(|json, key| match key {
                b"key" | b"Key" => {
                    json.text(&mut self.span.text)?;
                    slot = self.span.slot(owner, &self.span.text);
                    Ok(())
                }
                b"value" | b"Value" => match slot {
                    Some(slot) => self.any_value(json, slot),
                    None => {
                        waiting = Some(json.start());
                        json.skip()
                    }
                },
                _ => json.skip(),
            })?;
            match (slot, waiting) {
                (Some(slot), Some(at)) => self.any_value(&mut json.at(at), slot),
                _ => Ok(()),
            }
        })
    }

    /// `{"stringValue": "v"}`, or a plain value. The text is copied, because the attributes of a
    /// resource are fields of all its spans.
    fn any_value(&mut self, json: &mut Cursor<'_>, slot: usize) -> JsonResult {
        if json.peek() != Some(b'{') {
            return self.span.copy(json, Some(slot));
        }
        json.object(|json, key| match key {
            // Go's console exporter has the type beside the value.
            b"Type" => json.skip(),
            _ => self.span.copy(json, Some(slot)),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::super::tests::read_shown;
    use super::super::{Fields, Format, Options, read};

    /// Each span as `line service name kind trace/span<parent start..end attribute`.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let fields = ["resource.service.name", "name", "kind", "http.status", "body"];
        let shown =
            read_shown(Format::Otlp, text, &Options::default(), &fields, |record, fields| {
                let span = record.span.unwrap();
                let (start, end) = (span.start.unwrap_or(0), span.end.unwrap_or(0));
                assert!(record.bytes.starts_with(b"{") && record.bytes.ends_with(b"}"));
                let fields = fields.join(" ");
                format!("{fields} {}/{}<{} {start}..{end}", span.trace, span.id, span.parent)
            });
        assert_eq!(shown, expected);
    }

    const RESOURCE: &str =
        r#""resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]}"#;

    #[test]
    fn a_line_of_the_file_exporter() {
        check(
            &format!(
                r#"{{"resourceSpans":[{{{RESOURCE},"scopeSpans":[{{"scope":{{"name":"x"}},"spans":[{{"traceId":"AB01","spanId":"02","parentSpanId":"03","name":"GET","kind":3,"startTimeUnixNano":"10","endTimeUnixNano":20,"attributes":[{{"key":"http.status","value":{{"intValue":"200"}}}}],"status":{{}}}}]}}]}}]}}"#
            ),
            &["1 shop GET CLIENT 200 - ab01/02<03 10..20"],
        );
    }

    #[test]
    fn a_document_over_many_lines_in_snake_case_with_the_resource_last() {
        check(
            &format!(
                "{{\n \"resource_spans\": [\n  {{\n \"scope_spans\": [{{\"spans\": [\n{{\"trace_id\": \"AAAAAAAAAAE=\", \"span_id\": \"2\",\n \"name\": \"a\\\"b\", \"kind\": \"SPAN_KIND_SERVER\",\n \"attributes\": [{{\"value\": {{\"string_value\": \"x\"}}, \"key\": \"http.status\"}}]}},\n{{\"name\": \"c\"}}]}}],\n{RESOURCE}}}]}}"
            ),
            &[
                "5 shop a\"b SERVER x - 0000000000000001/2< 0..0",
                "8 shop c UNSPECIFIED - - /< 0..0",
            ],
        );
    }

    #[test]
    fn log_records_have_a_body() {
        check(
            &format!(
                r#"{{"resourceLogs":[{{{RESOURCE},"scopeLogs":[{{"logRecords":[{{"timeUnixNano":"5","traceId":"1","spanId":"2","body":{{"stringValue":"sent"}}}}]}}]}}]}}"#
            ),
            &["1 shop - - - sent 1/<2 5..0"],
        );
    }

    #[test]
    fn other_lines_are_counted_and_cut_ones_are_faults() {
        check("{\"resourceMetrics\":[]}\n\n{}", &["blank", "blank", "blank"]);
        check(
            "{\"resourceSpans\":[]}\n{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"name\":\"x\"},{\"na",
            &["2 it is not JSON: it ends too early at byte 60"],
        );
        check(
            &format!(
                "{{}}\n{{\"resourceSpans\":[{{{RESOURCE},\"scopeSpans\":[{{\"spans\":[{{\"name\":\"x\"}},{{\"na"
            ),
            &[
                "blank",
                "2 shop x UNSPECIFIED - - /< 0..0",
                "2 it is not JSON: it ends too early at byte 142",
            ],
        );
    }

    #[test]
    fn a_reader_stops_when_told() {
        let span = r#"{"name":"x"}"#;
        let text = format!(
            r#"{{"resourceSpans":[{{{RESOURCE},"scopeSpans":[{{"spans":[{span},{span}]}}]}}]}}"#
        );
        let mut count = 0;
        let mut input = text.as_bytes();
        read(Format::Otlp, &mut input, &Fields::default(), &Options::default(), &mut |_| {
            count += 1;
            ControlFlow::Break(())
        });
        assert_eq!(count, 1);
    }
}
