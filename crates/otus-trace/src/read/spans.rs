//! Spans: the part that OTLP, Jaeger and Zipkin have in common.
//!
//! A span is one operation of one service, with a start, an end, an id, and the id of its parent.
//! Its fields have the same names in every format: `name`, `kind`, `trace_id`, `span_id`,
//! `parent_span_id`, `start`, `end`, `status.code`, `status.message`, `scope.name`,
//! `resource.KEY` for an attribute of the service, and `attributes.KEY` or just `KEY` for an
//! attribute of the span.

use super::documents::{Fragment, ReadResult};
use super::json::{Cursor, JsonResult};
use super::{At, Fields, FoundFields, Item, LineCounter, Record, Slot};

/// A span, as far as Otus needs it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Span {
    /// The role of the service in the call.
    pub kind: SpanKind,
    /// The time of the start of the span, in nanoseconds since 1970 by the clock of its service.
    pub start: Option<u64>,
    /// The time of the end of the span.
    pub end: Option<u64>,
    /// The id of the trace that contains the span.
    pub trace: String,
    /// The id of the span; empty if it has none.
    pub id: String,
    /// The id of the parent span; empty if the span has no parent.
    pub parent: String,
    /// The ids of other spans that the span links to.
    pub links: Vec<String>,
    /// The ids of the traces of the linked spans, as far as the log gives them.
    pub linked_traces: Vec<String>,
    /// Whether this is a log record, which has no end.
    pub instant: bool,
}

/// The role of a service in a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum SpanKind {
    /// The log does not say the role.
    #[default]
    Unspecified,
    /// The operation is internal to the service.
    Internal,
    /// The service answers a request.
    Server,
    /// The service makes a request.
    Client,
    /// The service sends a message and does not wait.
    Producer,
    /// The service takes a message.
    Consumer,
}

impl SpanKind {
    /// All kinds, in the order of their numbers.
    const ALL: [SpanKind; 6] = [
        SpanKind::Unspecified,
        SpanKind::Internal,
        SpanKind::Server,
        SpanKind::Client,
        SpanKind::Producer,
        SpanKind::Consumer,
    ];

    /// The name of the kind: `SERVER` and so on.
    pub fn name(self) -> &'static str {
        let names = ["UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"];
        names[self as usize]
    }

    /// The kind with a number in OpenTelemetry.
    pub(super) fn of_number(number: u64) -> SpanKind {
        let index = usize::try_from(number).unwrap_or(usize::MAX);
        SpanKind::ALL.get(index).copied().unwrap_or_default()
    }

    /// The kind that a text denotes: its number in OpenTelemetry, or its name in any spelling.
    pub fn parse(text: &[u8]) -> Option<SpanKind> {
        let words = text.rsplit(|&byte| byte == b'.').next().unwrap_or(text);
        let prefix = words.get(..PREFIX.len()).filter(|it| it.eq_ignore_ascii_case(PREFIX));
        let name = if prefix.is_some() { &words[PREFIX.len()..] } else { words };
        if let [digit @ b'0'..=b'5'] = name {
            return Some(SpanKind::ALL[usize::from(digit - b'0')]);
        }
        SpanKind::ALL.into_iter().find(|kind| kind.name().as_bytes().eq_ignore_ascii_case(name))
    }
}

/// The beginning of the names of kinds in OTLP.
const PREFIX: &[u8] = b"SPAN_KIND_";

/// Builds the span that is being read and collects its wanted fields.
#[derive(Debug, Default)]
pub(super) struct SpanBuilder {
    pub(super) span: Span,
    found: FoundFields,
    pub(super) known: KnownSlots,
    resource: Vec<(usize, Box<[u8]>)>,
    attributes: Vec<(usize, Box<[u8]>)>,
    /// The fields of the resource, which all its spans share.
    shared: Vec<Slot>,
    shared_scratch: usize,
    pub(super) text: Vec<u8>,
    counter: LineCounter,
}

/// The slots of the fields that are not attributes.
#[derive(Debug, Default)]
pub(super) struct KnownSlots {
    pub(super) name: Option<usize>,
    kind: Option<usize>,
    trace: Option<usize>,
    id: Option<usize>,
    parent: Option<usize>,
    start: Option<usize>,
    end: Option<usize>,
    pub(super) status_code: Option<usize>,
    pub(super) status_message: Option<usize>,
    pub(super) scope_name: Option<usize>,
    /// The attribute of the resource that names the service.
    service: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AttributeOwner {
    /// The service, whose attributes are fields of all its spans.
    Resource,
    Span,
}

impl SpanBuilder {
    pub(super) fn new(fields: &Fields) -> Self {
        let mut known = KnownSlots::default();
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
        known.service = fields.find("resource.service.name");
        let count = fields.names().len();
        SpanBuilder {
            found: FoundFields::new(count),
            known,
            resource,
            attributes,
            shared: vec![Slot::default(); count],
            ..SpanBuilder::default()
        }
    }

    /// Begins a resource, and clears the fields of the resource before.
    pub(super) fn begin_resource(&mut self) {
        self.found.clear();
        self.end_resource();
    }

    /// Ends the resource: its fields are shared by the spans that follow.
    pub(super) fn end_resource(&mut self) {
        self.shared.copy_from_slice(&self.found.slots);
        self.shared_scratch = self.found.scratch.len();
    }

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
        span.linked_traces.clear();
        span.instant = false;
    }

    pub(super) fn slot(&self, owner: AttributeOwner, key: &[u8]) -> Option<usize> {
        let wanted = match owner {
            AttributeOwner::Resource => &self.resource,
            AttributeOwner::Span => &self.attributes,
        };
        wanted.iter().find(|(_, name)| **name == *key).map(|(slot, _)| *slot)
    }

    /// Copies a text into a field, if the field is wanted.
    pub(super) fn set(&mut self, slot: Option<usize>, text: &[u8]) {
        if let Some(slot) = slot {
            self.found.copy(slot, text);
        }
    }

    /// Lets a field be a part of the text in which the record stands, if the field is wanted.
    pub(super) fn point(&mut self, slot: Option<usize>, range: std::ops::Range<usize>) {
        if let Some(slot) = slot {
            self.found.set(slot, range);
        }
    }

    /// Reads a value and copies it into a field, if the field is wanted.
    pub(super) fn copy(&mut self, json: &mut Cursor<'_>, slot: Option<usize>) -> JsonResult {
        if let (true, Some(slot)) = (json.text(&mut self.text)?, slot) {
            self.found.copy(slot, &self.text);
        }
        Ok(())
    }

    /// Reads a value into a field, if the field is wanted, without a copy where possible.
    pub(super) fn field(&mut self, json: &mut Cursor<'_>, slot: Option<usize>) -> JsonResult {
        match slot {
            Some(slot) => json.field(slot, &mut self.found),
            None => json.skip(),
        }
    }

    pub(super) fn kind(&mut self, json: &mut Cursor<'_>) -> JsonResult {
        json.text(&mut self.text)?;
        self.span.kind = SpanKind::parse(&self.text).unwrap_or_default();
        Ok(())
    }

    /// Reads a number, written as one or as a string.
    pub(super) fn number(&mut self, json: &mut Cursor<'_>) -> JsonResult<Option<u64>> {
        json.text(&mut self.text)?;
        Ok(number(&self.text))
    }

    /// Reads a time in nanoseconds; 0 means that it is not known.
    pub(super) fn time(
        &mut self,
        json: &mut Cursor<'_>,
        part: fn(&mut Span) -> &mut Option<u64>,
    ) -> JsonResult {
        *part(&mut self.span) = self.number(json)?.filter(|&time| time > 0);
        Ok(())
    }

    /// Reads an id into the part of the span that it belongs to.
    pub(super) fn id(
        &mut self,
        json: &mut Cursor<'_>,
        part: fn(&mut Span) -> &mut String,
    ) -> JsonResult {
        json.text(&mut self.text)?;
        id(&self.text, part(&mut self.span));
        Ok(())
    }

    pub(super) fn other_id(&mut self, json: &mut Cursor<'_>) -> JsonResult<String> {
        json.text(&mut self.text)?;
        let mut other = String::new();
        id(&self.text, &mut other);
        Ok(other)
    }

    /// Reads a point in time: a count since 1970 in a unit that follows from its magnitude, a date,
    /// or a list of seconds and nanoseconds.
    pub(super) fn moment(&mut self, json: &mut Cursor<'_>) -> JsonResult<Option<u64>> {
        if json.peek() == Some(b'[') {
            let mut parts = [0, 0];
            let mut count = 0;
            json.list(|json| {
                if let (Some(part), Some(number)) = (parts.get_mut(count), self.number(json)?) {
                    *part = number;
                }
                count += 1;
                Ok::<_, super::json::Malformed>(())
            })?;
            let [seconds, nanos] = parts;
            return Ok(Some(seconds.saturating_mul(1_000_000_000).saturating_add(nanos)));
        }
        json.text(&mut self.text)?;
        Ok(moment(&self.text))
    }

    /// Reads a duration in nanoseconds. A number without a unit is in microseconds.
    pub(super) fn duration(&mut self, json: &mut Cursor<'_>) -> JsonResult<Option<u64>> {
        json.text(&mut self.text)?;
        Ok(duration(&self.text))
    }

    /// Sets the start and the end of the span from a start and a duration in microseconds.
    pub(super) fn set_micros(&mut self, start: Option<u64>, duration: Option<u64>) {
        let end = start.zip(duration).map(|(start, duration)| start.saturating_add(duration));
        self.span.start = start.map(|start| start.saturating_mul(1000));
        self.span.end = end.map(|end| end.saturating_mul(1000));
    }

    /// Ends a span that stands in these bytes of a fragment, and visits its record.
    pub(super) fn finish(
        &mut self,
        bytes: std::ops::Range<usize>,
        fragment: &mut Fragment<'_, '_>,
    ) -> ReadResult {
        let at = fragment.position(bytes.start, &mut self.counter);
        let record = self.ended(at, fragment.bytes, bytes);
        fragment.visit(Item::Record(record))
    }

    /// Ends a span: its record, which stands in these bytes of a text.
    pub(super) fn ended<'r>(
        &'r mut self,
        at: At,
        base: &'r [u8],
        bytes: std::ops::Range<usize>,
    ) -> Record<'r> {
        self.add_derived_fields();
        let bytes = base.get(bytes).unwrap_or(&[]);
        Record { base, span: Some(&self.span), ..self.found.record(at, bytes) }
    }

    /// Adds the fields that are derived from the span, such as its kind by name.
    fn add_derived_fields(&mut self) {
        // A service or a span without a name gets the name that OpenTelemetry gives it, or a
        // similar one.
        for (slot, name) in
            [(self.known.service, &b"unknown_service"[..]), (self.known.name, b"unnamed")]
        {
            let is_empty = |slot: &usize| {
                let Slot { start, end, held } = self.found.slots[*slot];
                matches!(held, super::Held::Absent) || start == end
            };
            // Only a span that passes a message gets a default name. An internal span of an unknown
            // service gives no information.
            let is_message = !matches!(self.span.kind, SpanKind::Internal | SpanKind::Unspecified);
            if let Some(slot) = slot.filter(|_| is_message).filter(is_empty) {
                self.found.copy(slot, name);
            }
        }
        let KnownSlots { kind, trace, id, parent, start, end, .. } = self.known;
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

/// A point in time in nanoseconds since 1970.
fn moment(text: &[u8]) -> Option<u64> {
    let is_count = text.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    if !is_count {
        return crate::time::key(text).and_then(|nanos| u64::try_from(nanos).ok());
    }
    let count = number(text).filter(|&count| count > 0)?;
    // A count of seconds has ten digits until the year 2286, so the number of digits determines the
    // unit.
    let scale = match count {
        0..100_000_000_000 => 1_000_000_000,
        100_000_000_000..100_000_000_000_000 => 1_000_000,
        100_000_000_000_000..100_000_000_000_000_000 => 1000,
        _ => 1,
    };
    Some(count.saturating_mul(scale))
}

/// A duration in nanoseconds: `5000ns`, `0.25s`, or a number of microseconds.
fn duration(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let unit =
        text.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | '-'));
    let nanos = match unit {
        "ns" => 1.0,
        "" | "us" | "µs" | "μs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return None,
    };
    let count: f64 = text.strip_suffix(unit)?.parse().ok()?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast of a float saturates, and negative durations are none"
    )]
    (count >= 0.0).then_some((count * nanos).round() as u64)
}

/// Parses a number without a sign and drops its digits after a decimal point.
fn number(text: &[u8]) -> Option<u64> {
    let whole = text.split(|&byte| byte == b'.').next()?;
    std::str::from_utf8(whole).ok()?.parse().ok()
}

/// Writes an id as lower-case hexadecimal digits, if it is in hexadecimal or base64, and unchanged
/// otherwise. An id that consists of zeros counts as no id.
fn id(raw: &[u8], id: &mut String) {
    id.clear();
    let raw = raw.strip_prefix(b"0x").unwrap_or(raw);
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

/// Decodes base64 of either alphabet; `None` if the text is not base64 or longer than 16 bytes.
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
        assert_eq!(show("0x0A"), "0a");
    }

    #[test]
    fn kinds_are_numbers_or_names() {
        for text in
            ["3", "CLIENT", "client", "SPAN_KIND_CLIENT", "span_kind_client", "SpanKind.CLIENT"]
        {
            assert_eq!(SpanKind::parse(text.as_bytes()), Some(SpanKind::Client), "{text}");
        }
        assert_eq!(SpanKind::parse(b"7"), None);
    }

    #[test]
    fn times_are_counts_in_any_unit_or_dates() {
        let nanos = 1_700_000_000_123_456_000;
        for text in ["1700000000123456000", "1700000000123456", "2023-11-14T22:13:20.123456Z"] {
            assert_eq!(moment(text.as_bytes()), Some(nanos), "{text}");
        }
        assert_eq!(moment(b"1700000000123"), Some(1_700_000_000_123_000_000));
        assert_eq!(moment(b"1700000000"), Some(1_700_000_000_000_000_000));
        assert_eq!(moment(b"0"), None);
        let micros = ["5", "5000ns", "0.000005s", "5µs", "0.005ms"];
        assert!(micros.iter().all(|text| duration(text.as_bytes()) == Some(5000)));
        assert_eq!(duration(b"soon"), None);
    }
}
