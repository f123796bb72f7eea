//! Reads traces as Jaeger's query service returns them:
//! `{"data": [{"spans": […], "processes": {…}}]}`.
//!
//! A span names its process by `processID`; the processes are listed in its trace and may come
//! after the spans. A trace is one element of the document, so both are in memory together. Times
//! are in microseconds. The tag `span.kind` is the kind, a reference `CHILD_OF` is the parent, and
//! references `FOLLOWS_FROM` are links.

use std::ops::{ControlFlow, Range};

use super::documents::{self, Documents, Fragment, ReadResult};
use super::json::{Cursor, JsonResult, Malformed};
use super::spans::{AttributeOwner, SpanBuilder, SpanKind};
use super::{Item, ReadTask};

pub(super) fn read(task: ReadTask<'_, '_, '_>) -> ControlFlow<()> {
    let mut reader = Jaeger { span: SpanBuilder::new(task.fields), processes: Vec::new() };
    documents::read(task, &mut reader)
}

struct Jaeger {
    span: SpanBuilder,
    /// The processes of the trace: the id, and the byte where the description begins.
    processes: Vec<(Vec<u8>, usize)>,
}

impl Documents for Jaeger {
    fn document(&mut self, json: &mut Cursor<'_>, fragment: &mut Fragment<'_, '_>) -> ReadResult {
        let begin = json.start();
        let mut traces = Vec::new();
        if json.peek() == Some(b'[') {
            list_starts(json, &mut traces)?;
        } else {
            let mut has_data = false;
            json.object(|json, key| {
                if key != b"data" {
                    return json.skip();
                }
                has_data = true;
                list_starts(json, &mut traces)
            })?;
            if !has_data {
                // A trace, or a span, by itself.
                traces.push(begin);
            }
        }
        traces.into_iter().try_for_each(|at| self.trace(&mut json.at(at), fragment))
    }

    fn element(&mut self, json: &mut Cursor<'_>, fragment: &mut Fragment<'_, '_>) -> ReadResult {
        match fragment.key {
            None | Some(b"data") => self.trace(json, fragment),
            Some(_) => Ok(()),
        }
    }
}

/// Skips a list and appends the byte where each item begins.
fn list_starts(json: &mut Cursor<'_>, starts: &mut Vec<usize>) -> JsonResult {
    json.list(|json| {
        starts.push(json.start());
        json.skip()
    })
}

impl Jaeger {
    fn trace(&mut self, json: &mut Cursor<'_>, fragment: &mut Fragment<'_, '_>) -> ReadResult {
        self.processes.clear();
        self.span.begin_resource();
        let mut spans: Vec<Range<usize>> = Vec::new();
        json.object(|json, key| match key {
            b"spans" if json.peek() == Some(b'[') => json.list(|json| {
                spans.push(json.value()?);
                Ok::<_, Malformed>(())
            }),
            b"processes" if json.peek() == Some(b'{') => json.object(|json, key| {
                self.processes.push((key.to_vec(), json.start()));
                json.skip()
            }),
            _ => json.skip(),
        })?;
        if spans.is_empty() {
            return fragment.visit(Item::Blank);
        }
        for range in spans {
            self.span(json.at(range.start))?;
            self.span.finish(range, fragment)?;
        }
        Ok(())
    }

    fn span(&mut self, mut json: Cursor<'_>) -> JsonResult {
        self.span.begin();
        let mut process = Vec::new();
        let mut own_process = None;
        let (mut start, mut duration) = (None, None);
        json.object(|json, key| {
            match key {
                b"traceID" => self.span.id(json, |span| &mut span.trace)?,
                b"spanID" => self.span.id(json, |span| &mut span.id)?,
                b"parentSpanID" => self.span.id(json, |span| &mut span.parent)?,
                b"operationName" => self.span.copy(json, self.span.known.name)?,
                b"startTime" => start = self.span.number(json)?,
                b"duration" => duration = self.span.number(json)?,
                b"processID" => drop(json.text(&mut process)?),
                b"process" => {
                    own_process = Some(json.start());
                    json.skip()?;
                }
                b"references" if json.peek() == Some(b'[') => {
                    json.list(|json| self.reference(json))?;
                }
                b"tags" => self.tags(json, AttributeOwner::Span)?,
                _ => json.skip()?,
            }
            Ok::<_, Malformed>(())
        })?;
        self.span.set_micros(start, duration);
        let known = self.processes.iter().find(|(id, _)| *id == process).map(|(_, at)| *at);
        let Some(at) = own_process.or(known) else { return Ok(()) };
        json.at(at).object(|json, key| match key {
            b"serviceName" => {
                self.span.copy(json, self.span.slot(AttributeOwner::Resource, b"service.name"))
            }
            b"tags" => self.tags(json, AttributeOwner::Resource),
            _ => json.skip(),
        })
    }

    fn reference(&mut self, json: &mut Cursor<'_>) -> JsonResult {
        let mut span = String::new();
        let mut kind = Vec::new();
        json.object(|json, key| match key {
            b"spanID" => {
                span = self.span.other_id(json)?;
                Ok(())
            }
            b"refType" => json.text(&mut kind).map(drop),
            _ => json.skip(),
        })?;
        if kind == b"FOLLOWS_FROM" {
            self.span.span.links.push(span);
        } else if self.span.span.parent.is_empty() {
            self.span.span.parent = span;
        }
        Ok(())
    }

    /// `[{"key": "k", "type": "string", "value": "v"}, …]`.
    fn tags(&mut self, json: &mut Cursor<'_>, owner: AttributeOwner) -> JsonResult {
        if json.peek() != Some(b'[') {
            return json.skip();
        }
        json.list(|json| {
            let (mut name, mut value) = (Vec::new(), Vec::new());
            json.object(|json, key| match key {
                b"key" => json.text(&mut name).map(drop),
                b"value" => json.text(&mut value).map(drop),
                _ => json.skip(),
            })?;
            if name == b"span.kind" && owner == AttributeOwner::Span {
                self.span.span.kind = SpanKind::parse(&value).unwrap_or_default();
            }
            self.span.set(self.span.slot(owner, &name), &value);
            Ok(())
        })
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
        check("{\"data\":[{}]}", &["blank"]);
        check("{\"data\":[{\"spans\":[{]}", &["1 it is not JSON: it ends too early at byte 13"]);
    }
}
