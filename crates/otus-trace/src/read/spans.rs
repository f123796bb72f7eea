//! Spans: what OTLP, Jaeger and Zipkin have in common.
//!
//! A span is one operation of one service, with a start, an end, an id, and the id of its parent.
//! Its fields are called the same whatever the format: `name`, `kind`, `trace_id`, `span_id`,
//! `parent_span_id`, `start`, `end`, `status.code`, `status.message`, `scope.name`,
//! `resource.KEY` for an attribute of the service, and `attributes.KEY` or just `KEY` for an
//! attribute of the span.

use super::documents::{Counter, Place, Stop};
use super::json::{Cursor, Malformed};
use super::{Fields, Found, Item, Record, Slot, Visit};

/// What a record says as a span.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Span {
    /// What its service does in it.
    pub kind: SpanKind,
    /// When it began, in nanoseconds since 1970 by the clock of its service.
    pub start: Option<u64>,
    /// When it ended.
    pub end: Option<u64>,
    /// The id of its trace.
    pub trace: String,
    /// Its own id; empty if it has none.
    pub id: String,
    /// The id of its parent; empty if it has none.
    pub parent: String,
    /// The ids of spans that it is linked to.
    pub links: Vec<String>,
    /// Whether it is a log record or event, which has no end.
    pub instant: bool,
}

/// What a service does in a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum SpanKind {
    /// Not said.
    #[default]
    Unspecified,
    /// Something of its own.
    Internal,
    /// Answers a request.
    Server,
    /// Makes a request.
    Client,
    /// Sends a message and does not wait.
    Producer,
    /// Takes a message.
    Consumer,
}

impl SpanKind {
    /// `SERVER` and so on.
    pub fn name(self) -> &'static str {
        match self {
            SpanKind::Unspecified => "UNSPECIFIED",
            SpanKind::Internal => "INTERNAL",
            SpanKind::Server => "SERVER",
            SpanKind::Client => "CLIENT",
            SpanKind::Producer => "PRODUCER",
            SpanKind::Consumer => "CONSUMER",
        }
    }

    /// The kind that a number or a name in any spelling means.
    pub fn parse(text: &[u8]) -> Option<SpanKind> {
        let name = text.strip_prefix(b"SPAN_KIND_").unwrap_or(text);
        Some(match name {
            b"0" => SpanKind::Unspecified,
            b"1" => SpanKind::Internal,
            b"2" => SpanKind::Server,
            b"3" => SpanKind::Client,
            b"4" => SpanKind::Producer,
            b"5" => SpanKind::Consumer,
            _ => {
                let all = [
                    SpanKind::Unspecified,
                    SpanKind::Internal,
                    SpanKind::Server,
                    SpanKind::Client,
                    SpanKind::Producer,
                    SpanKind::Consumer,
                ];
                let found =
                    all.into_iter().find(|k| k.name().as_bytes().eq_ignore_ascii_case(name));
                return found;
            }
        })
    }
}

/// The span that is being read, and the fields that are wanted of it.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) span: Span,
    pub(super) found: Found,
    known: Known,
    resource: Vec<(usize, Box<[u8]>)>,
    attributes: Vec<(usize, Box<[u8]>)>,
    /// The fields of the resource, which all its spans share.
    shared: Vec<Slot>,
    shared_scratch: usize,
    pub(super) text: Vec<u8>,
    pub(super) counter: Counter,
}

/// The slots of fields that are not attributes.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) name: Option<usize>,
    pub(super) kind: Option<usize>,
    pub(super) trace: Option<usize>,
    pub(super) id: Option<usize>,
    pub(super) parent: Option<usize>,
    pub(super) start: Option<usize>,
    pub(super) end: Option<usize>,
    pub(super) status_code: Option<usize>,
    pub(super) status_message: Option<usize>,
    pub(super) scope_name: Option<usize>,
}

impl Draft {
    pub(super) fn new(fields: &Fields) -> Self {
        let mut known = Known::default();
        let (mut resource, mut attributes) = (Vec::new(), Vec::new());
        for (slot, name) in fields.names().iter().enumerate() {
            let place = match name.as_str() {
                "name" => &mut known.name,
                "kind" => &mut known.kind,
                "trace_id" => &mut known.trace,
                "span_id" => &mut known.id,
                "parent_span_id" => &mut known.parent,
                "start" => &mut known.start,
                "end" => &mut known.end,
                "status.code" => &mut known.status_code,
                "status.message" => &mut known.status_message,
                "scope.name" => &mut known.scope_name,
                other => {
                    if let Some(key) = other.strip_prefix("resource.") {
                        resource.push((slot, key.as_bytes().into()));
                    } else {
                        let key = other.strip_prefix("attributes.").unwrap_or(other);
                        attributes.push((slot, key.as_bytes().into()));
                    }
                    continue;
                }
            };
            *place = Some(slot);
        }
        let count = fields.names().len();
        Draft {
            span: Span::default(),
            found: Found::new(count),
            known,
            resource,
            attributes,
            shared: vec![Slot::default(); count],
            shared_scratch: 0,
            text: Vec::new(),
            counter: Counter::default(),
        }
    }

    pub(super) fn known(&self) -> &Known {
        &self.known
    }

    /// Begins with a resource: what the spans of the last one shared is forgotten.
    pub(super) fn begin_resource(&mut self) {
        self.found.clear();
        self.end_resource();
    }

    /// What has been found is shared by the spans that follow.
    pub(super) fn end_resource(&mut self) {
        self.shared.copy_from_slice(&self.found.slots);
        self.shared_scratch = self.found.scratch.len();
    }

    /// Begins with a span.
    pub(super) fn begin(&mut self) {
        self.found.slots.copy_from_slice(&self.shared);
        self.found.scratch.truncate(self.shared_scratch);
        let span = &mut self.span;
        span.kind = SpanKind::Unspecified;
        (span.start, span.end) = (None, None);
        span.trace.clear();
        span.id.clear();
        span.parent.clear();
        span.links.clear();
        span.instant = false;
    }

    /// The slot of an attribute of the resource, if it is wanted.
    pub(super) fn resource_slot(&self, key: &[u8]) -> Option<usize> {
        slot(&self.resource, key)
    }

    /// The slot of an attribute of the span, if it is wanted.
    pub(super) fn attribute_slot(&self, key: &[u8]) -> Option<usize> {
        slot(&self.attributes, key)
    }

    /// A field that is made of a text.
    pub(super) fn set(&mut self, slot: Option<usize>, text: &[u8]) {
        if let Some(slot) = slot {
            self.found.copy(slot, text);
        }
    }

    /// Reads a text that is a field, and keeps it for a closer look.
    pub(super) fn take(
        &mut self,
        json: &mut Cursor<'_>,
        slot: Option<usize>,
    ) -> Result<bool, Malformed> {
        let there = json.text(&mut self.text)?;
        if let (true, Some(slot)) = (there, slot) {
            self.found.copy(slot, &self.text);
        }
        Ok(there)
    }

    /// Reads the kind of a span.
    pub(super) fn kind(&mut self, json: &mut Cursor<'_>) -> Result<(), Malformed> {
        json.text(&mut self.text)?;
        self.span.kind = SpanKind::parse(&self.text).unwrap_or_default();
        Ok(())
    }

    /// Reads a number, written as one or as a text.
    pub(super) fn number(&mut self, json: &mut Cursor<'_>) -> Result<Option<u64>, Malformed> {
        json.text(&mut self.text)?;
        Ok(number(&self.text))
    }

    /// Reads an id into the part of the span that it belongs to.
    pub(super) fn id(
        &mut self,
        json: &mut Cursor<'_>,
        part: fn(&mut Span) -> &mut String,
    ) -> Result<(), Malformed> {
        json.text(&mut self.text)?;
        id(&self.text, part(&mut self.span));
        Ok(())
    }

    /// When the span began and ended, by a beginning and a duration in microseconds.
    pub(super) fn micros(&mut self, start: Option<u64>, duration: Option<u64>) {
        let end = start.zip(duration).map(|(start, duration)| start.saturating_add(duration));
        self.span.start = start.map(|start| start.saturating_mul(1000));
        self.span.end = end.map(|end| end.saturating_mul(1000));
    }

    /// Ends a span: the fields that are made of it, and the record.
    pub(super) fn end(
        &mut self,
        place: Place<'_>,
        bytes: std::ops::Range<usize>,
        visit: &mut Visit<'_>,
    ) -> Result<(), Stop> {
        self.made_fields();
        let at = place.at(bytes.start, &mut self.counter);
        let record = Record {
            at,
            bytes: place.bytes.get(bytes).unwrap_or(&[]),
            base: place.bytes,
            slots: &self.found.slots,
            scratch: &self.found.scratch,
            span: Some(&self.span),
            repaired: false,
        };
        match visit(Item::Record(record)) {
            std::ops::ControlFlow::Continue(()) => Ok(()),
            std::ops::ControlFlow::Break(()) => Err(Stop::Break),
        }
    }

    fn made_fields(&mut self) {
        let Known { kind, trace, id, parent, start, end, .. } = self.known;
        // A log record has no kind, so that no rule about spans takes it.
        if let Some(slot) = kind.filter(|_| !self.span.instant) {
            self.found.copy(slot, self.span.kind.name().as_bytes());
        }
        for (slot, text) in
            [(trace, &self.span.trace), (id, &self.span.id), (parent, &self.span.parent)]
        {
            if let Some(slot) = slot.filter(|_| !text.is_empty()) {
                self.found.copy(slot, text.as_bytes());
            }
        }
        for (slot, time) in [(start, self.span.start), (end, self.span.end)] {
            if let (Some(slot), Some(time)) = (slot, time) {
                self.found.copy(slot, time.to_string().as_bytes());
            }
        }
    }
}

fn slot(wanted: &[(usize, Box<[u8]>)], key: &[u8]) -> Option<usize> {
    wanted.iter().find(|(_, name)| **name == *key).map(|(slot, _)| *slot)
}

/// A number without a sign; what stands after a decimal point does not count.
pub(super) fn number(text: &[u8]) -> Option<u64> {
    let whole = text.split(|&byte| byte == b'.').next()?;
    std::str::from_utf8(whole).ok()?.parse().ok()
}

/// An id as lower-case hexadecimal digits, if it was written with them or in base64; otherwise as
/// it is. One of zeros only is none.
pub(super) fn id(raw: &[u8], id: &mut String) {
    id.clear();
    let hexadecimal = raw.iter().all(u8::is_ascii_hexdigit);
    if hexadecimal {
        if raw.iter().any(|&digit| digit != b'0') {
            id.extend(raw.iter().map(|&digit| char::from(digit.to_ascii_lowercase())));
        }
        return;
    }
    let mut bytes = [0; 16];
    match base64(raw, &mut bytes) {
        Some(length @ (8 | 16)) => {
            if bytes[..length].iter().any(|&byte| byte != 0) {
                for byte in &bytes[..length] {
                    for digit in [byte >> 4, byte & 15] {
                        id.push(char::from_digit(u32::from(digit), 16).unwrap_or('0'));
                    }
                }
            }
        }
        _ => id.push_str(&String::from_utf8_lossy(raw)),
    }
}

/// Decodes base64 of either alphabet; `None` if it is none, or longer than the memory for it.
fn base64(raw: &[u8], bytes: &mut [u8; 16]) -> Option<usize> {
    let digits = raw.strip_suffix(b"==").or(raw.strip_suffix(b"=")).unwrap_or(raw);
    let (mut bits, mut count, mut length) = (0_u32, 0, 0);
    for &digit in digits {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            *bytes.get_mut(length)? = u8::try_from(bits >> count & 0xff).ok()?;
            length += 1;
        }
    }
    Some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_the_same_in_every_spelling() {
        let show = |raw: &str| {
            let mut text = String::new();
            id(raw.as_bytes(), &mut text);
            text
        };
        assert_eq!(show("D9A1BEB08A6111A3"), "d9a1beb08a6111a3");
        assert_eq!(show("2aG+sIphEaM="), "d9a1beb08a6111a3");
        assert_eq!(show("2aG-sIphEaM"), "d9a1beb08a6111a3");
        assert_eq!(show("GcQvXisszuuO8HA34Xw8sA=="), "19c42f5e2b2cceeb8ef07037e17c3cb0");
        assert_eq!(show("0000000000000000"), "");
        assert_eq!(show("AAAAAAAAAAA="), "");
        assert_eq!(show(""), "");
        assert_eq!(show("span one"), "span one");
    }

    #[test]
    fn kinds_are_numbers_or_names() {
        for text in ["3", "CLIENT", "client", "SPAN_KIND_CLIENT", "Client"] {
            assert_eq!(SpanKind::parse(text.as_bytes()), Some(SpanKind::Client), "{text}");
        }
        assert_eq!(SpanKind::parse(b"7"), None);
    }
}
