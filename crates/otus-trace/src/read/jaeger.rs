//! Traces as Jaeger's query service returns them: `{"data": [{"spans": […], "processes": {…}}]}`.
//!
//! The service of a span is looked up by `processID` among the processes of its trace, which may
//! come after the spans; a trace is one element of the document, so both are at hand. Times are in
//! microseconds. The kind is the tag `span.kind`, the parent the reference `CHILD_OF`; references
//! `FOLLOWS_FROM` are links.

use std::io::Read;
use std::ops::Range;

use super::documents::{self, Documents, Place, Stop};
use super::json::{Cursor, Malformed};
use super::spans::{Draft, SpanKind, id};
use super::{Extent, Fields, Item, Options, Visit};

pub(super) fn read(
    input: &mut dyn Read,
    fields: &Fields,
    options: &Options,
    visit: &mut Visit<'_>,
) -> Extent {
    let mut reader = Jaeger { draft: Draft::new(fields), processes: Vec::new() };
    documents::read(input, options, &mut reader, visit)
}

struct Jaeger {
    draft: Draft,
    /// The processes of the trace: id, and where it is described.
    processes: Vec<(Vec<u8>, usize)>,
}

impl Documents for Jaeger {
    fn document(
        &mut self,
        json: &mut Cursor<'_>,
        place: Place<'_>,
        visit: &mut Visit<'_>,
    ) -> Result<(), Stop> {
        let mut traces: Vec<usize> = Vec::new();
        let begin = {
            json.peek();
            json.position()
        };
        if json.peek() == Some(b'[') {
            json.list(|json| {
                json.peek();
                traces.push(json.position());
                json.value().map(drop)
            })?;
        } else {
            let mut data = false;
            json.object(|json, key| {
                if key != b"data" {
                    return json.value().map(drop);
                }
                data = true;
                json.list(|json| {
                    json.peek();
                    traces.push(json.position());
                    json.value().map(drop)
                })
            })?;
            if !data {
                // A trace, or a span, by itself.
                traces.push(begin);
            }
        }
        traces.into_iter().try_for_each(|at| self.trace(&mut json.at(at), place, visit))
    }

    fn element(
        &mut self,
        key: Option<&[u8]>,
        json: &mut Cursor<'_>,
        place: Place<'_>,
        visit: &mut Visit<'_>,
    ) -> Result<(), Stop> {
        match key {
            None | Some(b"data") => self.trace(json, place, visit),
            Some(_) => Ok(()),
        }
    }
}

impl Jaeger {
    fn trace(
        &mut self,
        json: &mut Cursor<'_>,
        place: Place<'_>,
        visit: &mut Visit<'_>,
    ) -> Result<(), Stop> {
        self.processes.clear();
        self.draft.begin_resource();
        let mut spans: Vec<Range<usize>> = Vec::new();
        json.object(|json, key| match key {
            b"spans" if json.peek() == Some(b'[') => json.list(|json| {
                spans.push(json.value()?);
                Ok(())
            }),
            b"processes" if json.peek() == Some(b'{') => json.object(|json, key| {
                json.peek();
                self.processes.push((key.to_vec(), json.position()));
                json.value().map(drop)
            }),
            _ => json.value().map(drop),
        })?;
        if spans.is_empty() {
            return match visit(Item::Blank) {
                std::ops::ControlFlow::Continue(()) => Ok(()),
                std::ops::ControlFlow::Break(()) => Err(Stop::Break),
            };
        }
        for range in spans {
            self.span(json.at(range.start))?;
            self.draft.end(place, range, visit)?;
        }
        Ok(())
    }

    fn span(&mut self, mut json: Cursor<'_>) -> Result<(), Malformed> {
        self.draft.begin();
        let mut process = Vec::new();
        let mut own_process = None;
        let (mut start, mut duration) = (None, None);
        json.object(|json, key| match key {
            b"traceID" => self.draft.id(json, |span| &mut span.trace),
            b"spanID" => self.draft.id(json, |span| &mut span.id),
            b"parentSpanID" => self.draft.id(json, |span| &mut span.parent),
            b"operationName" => {
                let slot = self.draft.known().name;
                self.draft.take(json, slot).map(drop)
            }
            b"startTime" => {
                start = self.draft.number(json)?;
                Ok(())
            }
            b"duration" => {
                duration = self.draft.number(json)?;
                Ok(())
            }
            b"processID" => json.text(&mut process).map(drop),
            b"process" => {
                json.peek();
                own_process = Some(json.position());
                json.value().map(drop)
            }
            b"references" if json.peek() == Some(b'[') => json.list(|json| self.reference(json)),
            b"tags" => self.tags(json, false),
            _ => json.value().map(drop),
        })?;
        self.draft.micros(start, duration);
        let known = self.processes.iter().find(|(id, _)| *id == process).map(|(_, at)| *at);
        if let Some(at) = own_process.or(known) {
            let mut json = json.at(at);
            json.object(|json, key| match key {
                b"serviceName" => {
                    let slot = self.draft.resource_slot(b"service.name");
                    self.draft.take(json, slot).map(drop)
                }
                b"tags" => self.tags(json, true),
                _ => json.value().map(drop),
            })?;
        }
        Ok(())
    }

    fn reference(&mut self, json: &mut Cursor<'_>) -> Result<(), Malformed> {
        let mut span = String::new();
        let mut kind = Vec::new();
        json.object(|json, key| match key {
            b"spanID" => {
                json.text(&mut self.draft.text)?;
                id(&self.draft.text, &mut span);
                Ok(())
            }
            b"refType" => json.text(&mut kind).map(drop),
            _ => json.value().map(drop),
        })?;
        if kind == b"FOLLOWS_FROM" {
            self.draft.span.links.push(span);
        } else if self.draft.span.parent.is_empty() {
            self.draft.span.parent = span;
        }
        Ok(())
    }

    /// `[{"key": "k", "type": "string", "value": "v"}, …]`.
    fn tags(&mut self, json: &mut Cursor<'_>, process: bool) -> Result<(), Malformed> {
        if json.peek() != Some(b'[') {
            return json.value().map(drop);
        }
        json.list(|json| {
            let (mut name, mut value) = (Vec::new(), Vec::new());
            json.object(|json, key| match key {
                b"key" => json.text(&mut name).map(drop),
                b"value" => json.text(&mut value).map(drop),
                _ => json.value().map(drop),
            })?;
            if name == b"span.kind" && !process {
                self.draft.span.kind = SpanKind::parse(&value).unwrap_or_default();
            }
            let slot = if process {
                self.draft.resource_slot(&name)
            } else {
                self.draft.attribute_slot(&name)
            };
            self.draft.set(slot, &value);
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::ControlFlow;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let mut fields = Fields::default();
        let slots = ["resource.service.name", "name", "peer.service", "resource.ip"];
        let slots = slots.map(|name| fields.slot(name));
        let mut shown = Vec::new();
        read(&mut text.as_bytes(), &fields, &Options::default(), &mut |item| {
            shown.push(match item {
                Item::Record(record) => {
                    let span = record.span.unwrap();
                    let field = |slot: usize| {
                        String::from_utf8_lossy(record.field(slot).unwrap_or(b"-")).into_owned()
                    };
                    let (kind, start, end) =
                        (span.kind.name(), span.start.unwrap_or(0), span.end.unwrap_or(0));
                    let fields = slots.map(field).join(" ");
                    let links = span.links.join(",");
                    format!(
                        "{} {fields} {kind} {}<{} [{links}] {start}..{end}",
                        record.at.line, span.id, span.parent
                    )
                }
                Item::Blank => "blank".to_owned(),
                Item::Fault(fault) => format!("{} {}", fault.at.line, fault.kind),
            });
            ControlFlow::Continue(())
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
        check("{\"data\":[{}]}", &["blank"]);
        check("{\"data\":[{\"spans\":[{]}", &["1 it is not JSON: it ends too early at byte 13"]);
    }
}
