//! OpenTelemetry's OTLP as JSON: spans, and log records.
//!
//! The shape is `resourceSpans[] → scopeSpans[] → spans[]`, where the resource has the name of the
//! service. Writers differ: keys in camel or snake case, ids in hexadecimal or base64, kinds and
//! numbers as numbers or texts, `instrumentationLibrarySpans` of old. All of that is read. Log
//! records (`resourceLogs → scopeLogs → logRecords`) have the fields `body`, `severity_text` and
//! `event_name` besides their attributes. Metrics have nothing to say about messages and are
//! counted as blank.

use std::io::Read;

use super::documents::{self, Documents, Place, Stop};
use super::json::{Cursor, Malformed};
use super::spans::{Draft, id};
use super::{Extent, Fields, Item, Options, Visit};

pub(super) fn read(
    input: &mut dyn Read,
    fields: &Fields,
    options: &Options,
    visit: &mut Visit<'_>,
) -> Extent {
    let mut reader = Otlp { draft: Draft::new(fields) };
    documents::read(input, options, &mut reader, visit)
}

struct Otlp {
    draft: Draft,
}

/// What the members of a resource are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Signal {
    Spans,
    Logs,
    Other,
}

impl Signal {
    fn of(key: &[u8]) -> Signal {
        match key {
            b"resourceSpans" | b"resource_spans" => Signal::Spans,
            b"resourceLogs" | b"resource_logs" => Signal::Logs,
            _ => Signal::Other,
        }
    }
}

impl Documents for Otlp {
    fn document(
        &mut self,
        json: &mut Cursor<'_>,
        place: Place<'_>,
        visit: &mut Visit<'_>,
    ) -> Result<(), Stop> {
        // A list of documents is as good as one on each line.
        if json.peek() == Some(b'[') {
            let mut stop = None;
            json.list(|json| self.one(json, place, visit, &mut stop))?;
            return stop.map_or(Ok(()), Err);
        }
        let mut stop = None;
        let done = self.one(json, place, visit, &mut stop);
        stop.map_or(Ok(()), Err).and(done.map_err(Stop::from))
    }

    fn element(
        &mut self,
        key: Option<&[u8]>,
        json: &mut Cursor<'_>,
        place: Place<'_>,
        visit: &mut Visit<'_>,
    ) -> Result<(), Stop> {
        let mut stop = None;
        let done = match key.map(Signal::of) {
            None => self.one(json, place, visit, &mut stop),
            Some(Signal::Other) => {
                return blank(visit);
            }
            Some(signal) => self.resource(signal, json, place, visit, &mut stop),
        };
        stop.map_or(Ok(()), Err).and(done.map_err(Stop::from))
    }
}

fn blank(visit: &mut Visit<'_>) -> Result<(), Stop> {
    match visit(Item::Blank) {
        std::ops::ControlFlow::Continue(()) => Ok(()),
        std::ops::ControlFlow::Break(()) => Err(Stop::Break),
    }
}

/// The way out of nested objects when the visitor wants no more.
const STOPPED: Malformed = Malformed { cause: "stopped", at: 0 };

impl Otlp {
    /// One document: `{"resourceSpans": […]}`.
    fn one(
        &mut self,
        json: &mut Cursor<'_>,
        place: Place<'_>,
        visit: &mut Visit<'_>,
        stop: &mut Option<Stop>,
    ) -> Result<(), Malformed> {
        let mut known = false;
        json.object(|json, key| match Signal::of(key) {
            Signal::Other => json.value().map(drop),
            signal @ (Signal::Spans | Signal::Logs) => {
                known = true;
                json.list(|json| self.resource(signal, json, place, visit, stop))
            }
        })?;
        if !known && let Err(found) = blank(visit) {
            *stop = Some(found);
            return Err(STOPPED);
        }
        Ok(())
    }

    /// One resource and what it has. The resource mostly comes first; if not, what came before it
    /// is read afterwards.
    fn resource(
        &mut self,
        signal: Signal,
        json: &mut Cursor<'_>,
        place: Place<'_>,
        visit: &mut Visit<'_>,
        stop: &mut Option<Stop>,
    ) -> Result<(), Malformed> {
        self.draft.begin_resource();
        let mut has_resource = false;
        let mut waiting: Vec<usize> = Vec::new();
        json.object(|json, key| match key {
            b"resource" => {
                has_resource = true;
                json.object(|json, key| match key {
                    b"attributes" => self.attributes(json, true),
                    _ => json.value().map(drop),
                })?;
                self.draft.end_resource();
                Ok(())
            }
            b"scopeSpans"
            | b"scope_spans"
            | b"instrumentationLibrarySpans"
            | b"instrumentation_library_spans"
            | b"scopeLogs"
            | b"scope_logs" => {
                if !has_resource {
                    json.peek();
                    waiting.push(json.position());
                    return json.value().map(drop);
                }
                json.list(|json| self.scope(signal, json, place, visit, stop))
            }
            _ => json.value().map(drop),
        })?;
        for at in waiting {
            json.at(at).list(|json| self.scope(signal, json, place, visit, stop))?;
        }
        Ok(())
    }

    fn scope(
        &mut self,
        signal: Signal,
        json: &mut Cursor<'_>,
        place: Place<'_>,
        visit: &mut Visit<'_>,
        stop: &mut Option<Stop>,
    ) -> Result<(), Malformed> {
        let mut scope = Vec::new();
        json.object(|json, key| match key {
            b"scope" | b"instrumentationLibrary" => json.object(|json, key| match key {
                b"name" => json.text(&mut scope).map(drop),
                _ => json.value().map(drop),
            }),
            b"spans" if signal == Signal::Spans => {
                json.list(|json| self.span(json, &scope, place, visit, stop))
            }
            b"logRecords" | b"log_records" | b"logs" if signal == Signal::Logs => {
                json.list(|json| self.log(json, &scope, place, visit, stop))
            }
            _ => json.value().map(drop),
        })
    }

    fn span(
        &mut self,
        json: &mut Cursor<'_>,
        scope: &[u8],
        place: Place<'_>,
        visit: &mut Visit<'_>,
        stop: &mut Option<Stop>,
    ) -> Result<(), Malformed> {
        self.draft.begin();
        json.peek();
        let begin = json.position();
        json.object(|json, key| match key {
            b"traceId" | b"trace_id" => self.draft.id(json, |span| &mut span.trace),
            b"spanId" | b"span_id" => self.draft.id(json, |span| &mut span.id),
            b"parentSpanId" | b"parent_span_id" => self.draft.id(json, |span| &mut span.parent),
            b"name" => {
                let slot = self.draft.known().name;
                match slot {
                    Some(slot) => json.field(slot, &mut self.draft.found),
                    None => json.value().map(drop),
                }
            }
            b"kind" => self.draft.kind(json),
            b"startTimeUnixNano" | b"start_time_unix_nano" => {
                self.draft.span.start = self.draft.number(json)?.filter(|&time| time > 0);
                Ok(())
            }
            b"endTimeUnixNano" | b"end_time_unix_nano" => {
                self.draft.span.end = self.draft.number(json)?.filter(|&time| time > 0);
                Ok(())
            }
            b"attributes" => self.attributes(json, false),
            b"status" if json.peek() == Some(b'{') => {
                let (code, message) =
                    (self.draft.known().status_code, self.draft.known().status_message);
                json.object(|json, key| match (key, code, message) {
                    (b"code", Some(slot), _) | (b"message", _, Some(slot)) => {
                        json.field(slot, &mut self.draft.found)
                    }
                    _ => json.value().map(drop),
                })
            }
            b"links" if json.peek() == Some(b'[') => json.list(|json| {
                json.object(|json, key| match key {
                    b"spanId" | b"span_id" => {
                        json.text(&mut self.draft.text)?;
                        let mut link = String::new();
                        id(&self.draft.text, &mut link);
                        if !link.is_empty() {
                            self.draft.span.links.push(link);
                        }
                        Ok(())
                    }
                    _ => json.value().map(drop),
                })
            }),
            _ => json.value().map(drop),
        })?;
        self.end(begin..json.position(), scope, place, visit, stop)
    }

    fn log(
        &mut self,
        json: &mut Cursor<'_>,
        scope: &[u8],
        place: Place<'_>,
        visit: &mut Visit<'_>,
        stop: &mut Option<Stop>,
    ) -> Result<(), Malformed> {
        self.draft.begin();
        self.draft.span.instant = true;
        json.peek();
        let begin = json.position();
        json.object(|json, key| match key {
            b"traceId" | b"trace_id" => self.draft.id(json, |span| &mut span.trace),
            // A log record is within a span and is none itself.
            b"spanId" | b"span_id" => self.draft.id(json, |span| &mut span.parent),
            b"timeUnixNano" | b"time_unix_nano" => {
                self.draft.span.start = self.draft.number(json)?.filter(|&time| time > 0);
                Ok(())
            }
            b"observedTimeUnixNano" | b"observed_time_unix_nano" => {
                let observed = self.draft.number(json)?.filter(|&time| time > 0);
                self.draft.span.start = self.draft.span.start.or(observed);
                Ok(())
            }
            b"severityText" | b"severity_text" => self.plain(json, b"severity_text"),
            b"eventName" | b"event_name" => self.plain(json, b"event_name"),
            b"body" => match self.draft.attribute_slot(b"body") {
                Some(slot) => self.any_value(json, slot),
                None => json.value().map(drop),
            },
            b"attributes" => self.attributes(json, false),
            _ => json.value().map(drop),
        })?;
        self.end(begin..json.position(), scope, place, visit, stop)
    }

    fn plain(&mut self, json: &mut Cursor<'_>, name: &[u8]) -> Result<(), Malformed> {
        match self.draft.attribute_slot(name) {
            Some(slot) => json.field(slot, &mut self.draft.found),
            None => json.value().map(drop),
        }
    }

    fn end(
        &mut self,
        range: std::ops::Range<usize>,
        scope: &[u8],
        place: Place<'_>,
        visit: &mut Visit<'_>,
        stop: &mut Option<Stop>,
    ) -> Result<(), Malformed> {
        if let Some(slot) = self.draft.known().scope_name.filter(|_| !scope.is_empty()) {
            self.draft.set(Some(slot), scope);
        }
        self.draft.end(place, range, visit).map_err(|found| {
            *stop = Some(found);
            STOPPED
        })
    }

    /// `[{"key": "k", "value": {"stringValue": "v"}}, …]`.
    fn attributes(&mut self, json: &mut Cursor<'_>, resource: bool) -> Result<(), Malformed> {
        if json.peek() != Some(b'[') {
            return json.value().map(drop);
        }
        json.list(|json| {
            let mut slot = None;
            // The value may come before its key.
            let mut waiting = None;
            json.object(|json, key| match key {
                b"key" => {
                    json.text(&mut self.draft.text)?;
                    let key = &self.draft.text;
                    slot = if resource {
                        self.draft.resource_slot(key)
                    } else {
                        self.draft.attribute_slot(key)
                    };
                    Ok(())
                }
                b"value" => match slot {
                    Some(slot) => self.any_value(json, slot),
                    None => {
                        json.peek();
                        waiting = Some(json.position());
                        json.value().map(drop)
                    }
                },
                _ => json.value().map(drop),
            })?;
            if let (Some(slot), Some(at)) = (slot, waiting) {
                self.any_value(&mut json.at(at), slot)?;
            }
            Ok(())
        })
    }

    /// `{"stringValue": "v"}`, or a value as it is. The resource's own are copied, because they
    /// outlive the place where they stand.
    fn any_value(&mut self, json: &mut Cursor<'_>, slot: usize) -> Result<(), Malformed> {
        if json.peek() != Some(b'{') {
            return self.draft.take(json, Some(slot)).map(drop);
        }
        json.object(|json, _| self.draft.take(json, Some(slot)).map(drop))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::ControlFlow;

    /// Each span as `line service name kind trace/span<parent start..end attribute`.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let mut fields = Fields::default();
        let slots = ["resource.service.name", "name", "kind", "http.status", "body"];
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
                    let (line, start, end) =
                        (record.at.line, span.start.unwrap_or(0), span.end.unwrap_or(0));
                    assert!(record.bytes.starts_with(b"{") && record.bytes.ends_with(b"}"));
                    format!(
                        "{line} {fields} {}/{}<{} {start}..{end}",
                        span.trace, span.id, span.parent
                    )
                }
                Item::Blank => "blank".to_owned(),
                Item::Fault(fault) => format!("{} {}", fault.at.line, fault.kind),
            });
            ControlFlow::Continue(())
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
        read(&mut input, &Fields::default(), &Options::default(), &mut |_| {
            count += 1;
            ControlFlow::Break(())
        });
        assert_eq!(count, 1);
    }
}
