//! Reads OpenTelemetry's OTLP as protocol buffers: the spans of an export request, as a collector receives them.
//!
//! The message is `resource_spans = 1 → scope_spans = 2 → spans = 2` of `opentelemetry/proto/trace/v1`. Fields of the result
//! are those of the JSON form ([`super::otlp`]): ids are in hexadecimal digits, kinds and numbers are texts, and the bytes of an
//! attribute are in base64. Lists and maps as attributes have no text here, so such a field is absent.
//!
//! [`check`] comes first. It walks over the whole message once, without any allocation and without recursion, and refuses what is
//! no such message: a length beyond the end, a text that is not UTF-8, more attributes than allowed. [`read`] expects a
//! message that passed; of any other message it reads what comes before the fault. Values are not copied: the records point
//! into the message.

use std::fmt;
use std::ops::{ControlFlow, Range};

use super::spans::{AttributeOwner, SpanBuilder};
use super::{At, Fields, Item, SpanKind, Visit};

/// What is wrong with a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Malformed {
    /// The message ends inside of a field, or a length goes beyond its end; with the byte of the field.
    Cut(usize),
    /// There is no such field or type of field; with its byte.
    NoField(usize),
    /// A text is not UTF-8; with its byte.
    NotUtf8(usize),
    /// It has more attributes than the receiver allows.
    Attributes(usize),
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Malformed::Cut(at) => {
                write!(f, "the field at byte {at} goes beyond the end of the message")
            }
            Malformed::NoField(at) => write!(f, "byte {at} begins no field of a protocol buffer"),
            Malformed::NotUtf8(at) => write!(f, "the text at byte {at} is not UTF-8"),
            Malformed::Attributes(most) => {
                write!(f, "it has more than {most} attributes, which is the limit of one request")
            }
        }
    }
}

/// The value of a field.
enum Value {
    Number(u64),
    Bytes(Range<usize>),
}

/// Walks over the fields of one message.
struct Walk<'m> {
    bytes: &'m [u8],
    at: usize,
    end: usize,
}

impl<'m> Walk<'m> {
    fn new(bytes: &'m [u8], range: Range<usize>) -> Walk<'m> {
        Walk { bytes, at: range.start, end: range.end }
    }

    /// A number in groups of seven bits. Nearly all keys and lengths have one.
    #[inline]
    fn number(&mut self) -> Result<u64, Malformed> {
        if self.at < self.end
            && let Some(&byte) = self.bytes.get(self.at)
            && byte < 0x80
        {
            self.at += 1;
            return Ok(u64::from(byte));
        }
        self.long_number()
    }

    fn long_number(&mut self) -> Result<u64, Malformed> {
        let from = self.at;
        let (mut number, mut shift) = (0_u64, 0);
        while shift < 64 {
            let byte = *self.bytes[..self.end].get(self.at).ok_or(Malformed::Cut(from))?;
            self.at += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
            shift += 7;
        }
        Err(Malformed::NoField(from))
    }

    fn fixed<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let from = self.at;
        let found = self.bytes[..self.end].get(from..from + N).and_then(|it| it.try_into().ok());
        self.at += N;
        found.ok_or(Malformed::Cut(from))
    }

    /// The next field: its number and its value.
    #[inline]
    fn next(&mut self) -> Result<Option<(u64, Value)>, Malformed> {
        if self.at >= self.end {
            return Ok(None);
        }
        let from = self.at;
        let tag = self.number()?;
        let value = match tag & 7 {
            0 => Value::Number(self.number()?),
            1 => Value::Number(u64::from_le_bytes(self.fixed()?)),
            5 => Value::Number(u64::from(u32::from_le_bytes(self.fixed()?))),
            2 => {
                let length = usize::try_from(self.number()?).map_err(|_| Malformed::Cut(from))?;
                let end = self.at.checked_add(length).filter(|&end| end <= self.end);
                let range = self.at..end.ok_or(Malformed::Cut(from))?;
                self.at = range.end;
                Value::Bytes(range)
            }
            _ => return Err(Malformed::NoField(from)),
        };
        if tag >> 3 == 0 {
            return Err(Malformed::NoField(from));
        }
        Ok(Some((tag >> 3, value)))
    }
}

/// The messages that are walked over, and which of their fields are messages and texts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Request,
    ResourceSpans,
    Resource,
    ScopeSpans,
    Scope,
    Span,
    Link,
    Status,
    Attribute,
    AnyValue,
}

/// What a field with bytes is.
enum Part {
    Message(Kind),
    Text,
    Other,
}

fn part(kind: Kind, field: u64) -> Part {
    match (kind, field) {
        (Kind::Request, 1) => Part::Message(Kind::ResourceSpans),
        (Kind::ResourceSpans, 1) => Part::Message(Kind::Resource),
        (Kind::ResourceSpans, 2) => Part::Message(Kind::ScopeSpans),
        (Kind::Resource, 1) | (Kind::Span, 9) => Part::Message(Kind::Attribute),
        (Kind::ScopeSpans, 1) => Part::Message(Kind::Scope),
        (Kind::ScopeSpans, 2) => Part::Message(Kind::Span),
        (Kind::Span, 13) => Part::Message(Kind::Link),
        (Kind::Span, 15) => Part::Message(Kind::Status),
        (Kind::Attribute, 2) => Part::Message(Kind::AnyValue),
        (Kind::Scope, 1 | 2) | (Kind::Span, 5) | (Kind::Status, 2) => Part::Text,
        (Kind::Attribute | Kind::AnyValue, 1) => Part::Text,
        _ => Part::Other,
    }
}

/// The number of spans in a request, if all of it is well-formed.
///
/// # Errors
/// The first fault.
pub fn check(request: &[u8], most_attributes: usize) -> Result<u64, Malformed> {
    let (mut spans, mut attributes) = (0, 0);
    // Messages of these kinds are never deeper than this; a deeper value is not walked into.
    let mut open: [(usize, Kind); 6] = [(request.len(), Kind::Request); 6];
    let mut depth = 0;
    let mut walk = Walk::new(request, 0..request.len());
    loop {
        let (end, kind) = open[depth];
        walk.end = end;
        let from = walk.at;
        match walk.next()? {
            None if depth == 0 => return Ok(spans),
            None => depth -= 1,
            Some((_, Value::Number(_))) => {}
            Some((field, Value::Bytes(range))) => match part(kind, field) {
                Part::Message(inner) => {
                    spans += u64::from(inner == Kind::Span);
                    attributes += usize::from(inner == Kind::Attribute);
                    if attributes > most_attributes {
                        return Err(Malformed::Attributes(most_attributes));
                    }
                    depth += 1;
                    open[depth] = (range.end, inner);
                    walk.at = range.start;
                }
                Part::Text => {
                    if std::str::from_utf8(&request[range]).is_err() {
                        return Err(Malformed::NotUtf8(from));
                    }
                }
                Part::Other => {}
            },
        }
    }
}

/// Shows the spans of a request that passed the check. Returns their number.
pub fn visit(request: &[u8], fields: &Fields, show: &mut Visit<'_>) -> u64 {
    read(request, fields, 1, show)
}

/// Reads the spans of a request. The line of a record is the number of its span, counted from a first one.
pub(crate) fn read(request: &[u8], fields: &Fields, first: u32, visit: &mut Visit<'_>) -> u64 {
    let mut reader = Reader { request, span: SpanBuilder::new(fields), line: first, count: 0 };
    let whole = 0..request.len();
    // A message that passed the check has no fault; a visitor that breaks needs no answer.
    let _ = reader.request(whole, visit);
    reader.count
}

struct Reader<'m> {
    request: &'m [u8],
    span: SpanBuilder,
    line: u32,
    count: u64,
}

type Read = Result<ControlFlow<()>, Malformed>;

impl<'m> Reader<'m> {
    fn fields(&self, range: Range<usize>) -> Walk<'m> {
        Walk::new(self.request, range)
    }

    fn request(&mut self, range: Range<usize>, visit: &mut Visit<'_>) -> Read {
        let mut walk = self.fields(range);
        while let Some((field, value)) = walk.next()? {
            if let (1, Value::Bytes(inner)) = (field, value)
                && self.resource_spans(inner, visit)?.is_break()
            {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn resource_spans(&mut self, range: Range<usize>, visit: &mut Visit<'_>) -> Read {
        // The resource counts for all spans, wherever it stands among them.
        self.span.begin_resource();
        let mut walk = self.fields(range.clone());
        while let Some((field, value)) = walk.next()? {
            if let (1, Value::Bytes(resource)) = (field, value) {
                let mut walk = self.fields(resource);
                while let Some((field, value)) = walk.next()? {
                    if let (1, Value::Bytes(attribute)) = (field, value) {
                        self.attribute(attribute, AttributeOwner::Resource)?;
                    }
                }
            }
        }
        self.span.end_resource();
        let mut walk = self.fields(range);
        while let Some((field, value)) = walk.next()? {
            if let (2, Value::Bytes(scope)) = (field, value)
                && self.scope_spans(scope, visit)?.is_break()
            {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn scope_spans(&mut self, range: Range<usize>, visit: &mut Visit<'_>) -> Read {
        let mut name = None;
        if self.span.known.scope_name.is_some() {
            let mut walk = self.fields(range.clone());
            while let Some((field, value)) = walk.next()? {
                if let (1, Value::Bytes(scope)) = (field, value) {
                    let mut walk = self.fields(scope);
                    while let Some((field, value)) = walk.next()? {
                        if let (1, Value::Bytes(text)) = (field, value) {
                            name = Some(text);
                        }
                    }
                }
            }
        }
        let mut walk = self.fields(range);
        while let Some((field, value)) = walk.next()? {
            if let (2, Value::Bytes(span)) = (field, value) {
                self.span.begin();
                let shown = self.one(span)?;
                if let Some(name) = name.clone().filter(|name| !name.is_empty()) {
                    self.span.point(self.span.known.scope_name, name);
                }
                let at = At { line: self.line, offset: shown.start as u64 };
                (self.line, self.count) = (self.line.saturating_add(1), self.count + 1);
                let record = self.span.ended(at, self.request, shown);
                if visit(Item::Record(record)).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Reads a span. Returns the place of its name, which stands for it in messages.
    fn one(&mut self, range: Range<usize>) -> Result<Range<usize>, Malformed> {
        let mut name = range.start..range.start;
        let mut walk = self.fields(range);
        while let Some((field, value)) = walk.next()? {
            match (field, value) {
                (1, Value::Bytes(id)) => hexadecimal(&self.request[id], &mut self.span.span.trace),
                (2, Value::Bytes(id)) => hexadecimal(&self.request[id], &mut self.span.span.id),
                (4, Value::Bytes(id)) => hexadecimal(&self.request[id], &mut self.span.span.parent),
                (5, Value::Bytes(text)) => {
                    name = text;
                    self.span.point(self.span.known.name, name.clone());
                }
                (6, Value::Number(kind)) => self.span.span.kind = SpanKind::of_number(kind),
                (7, Value::Number(time)) => self.span.span.start = Some(time).filter(|&it| it > 0),
                (8, Value::Number(time)) => self.span.span.end = Some(time).filter(|&it| it > 0),
                (9, Value::Bytes(attribute)) => self.attribute(attribute, AttributeOwner::Span)?,
                (13, Value::Bytes(link)) => self.link(link)?,
                (15, Value::Bytes(status)) => self.status(status)?,
                _ => {}
            }
        }
        Ok(name)
    }

    fn link(&mut self, range: Range<usize>) -> Result<(), Malformed> {
        let mut walk = self.fields(range);
        while let Some((field, value)) = walk.next()? {
            let (1 | 2, Value::Bytes(id)) = (field, value) else { continue };
            let mut text = String::new();
            hexadecimal(&self.request[id], &mut text);
            let span = &mut self.span.span;
            if !text.is_empty() {
                if field == 1 { &mut span.linked_traces } else { &mut span.links }.push(text);
            }
        }
        Ok(())
    }

    fn status(&mut self, range: Range<usize>) -> Result<(), Malformed> {
        let mut walk = self.fields(range);
        while let Some((field, value)) = walk.next()? {
            match (field, value) {
                (2, Value::Bytes(text)) if !text.is_empty() => {
                    self.span.point(self.span.known.status_message, text);
                }
                (3, Value::Number(code)) => {
                    self.span.set(self.span.known.status_code, code.to_string().as_bytes());
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn attribute(&mut self, range: Range<usize>, owner: AttributeOwner) -> Result<(), Malformed> {
        let (mut slot, mut given) = (None, None);
        let mut walk = self.fields(range);
        while let Some((field, value)) = walk.next()? {
            match (field, value) {
                (1, Value::Bytes(key)) => slot = self.span.slot(owner, &self.request[key]),
                (2, Value::Bytes(value)) => given = Some(value),
                _ => {}
            }
        }
        let (Some(slot), Some(given)) = (slot, given) else { return Ok(()) };
        let mut walk = self.fields(given);
        while let Some((field, value)) = walk.next()? {
            match (field, value) {
                (1, Value::Bytes(text)) => self.span.point(Some(slot), text),
                (2, Value::Number(flag)) => {
                    self.span.set(Some(slot), if flag == 0 { b"false" } else { b"true" });
                }
                (3, Value::Number(number)) => {
                    self.span.set(Some(slot), number.cast_signed().to_string().as_bytes());
                }
                (4, Value::Number(bits)) => {
                    self.span.set(Some(slot), f64::from_bits(bits).to_string().as_bytes());
                }
                (7, Value::Bytes(bytes)) => {
                    self.span.set(Some(slot), base64(&self.request[bytes]).as_bytes());
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Writes an id as lower-case hexadecimal digits. An id of zeros counts as no id.
fn hexadecimal(bytes: &[u8], id: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    id.clear();
    if bytes.iter().any(|&byte| byte != 0) {
        for &byte in bytes {
            id.push(char::from(DIGITS[usize::from(byte >> 4)]));
            id.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
    }
}

/// Bytes in base64 in its standard form with padding, in which the JSON form has them.
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let index = (bits >> (18 - 6 * digit) & 63) as usize;
            text.push(if digit <= group.len() { char::from(DIGITS[index]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field with bytes.
    fn bytes(field: u8, content: &[u8]) -> Vec<u8> {
        let mut all = vec![field << 3 | 2];
        let mut length = content.len();
        while length >= 0x80 {
            all.push(u8::try_from(length & 0x7f).unwrap() | 0x80);
            length >>= 7;
        }
        all.push(u8::try_from(length).unwrap());
        all.extend_from_slice(content);
        all
    }

    fn attribute(field: u8, key: &str, value: &[u8]) -> Vec<u8> {
        bytes(field, &[bytes(1, key.as_bytes()), bytes(2, value)].concat())
    }

    fn request(span: &[u8]) -> Vec<u8> {
        let resource = bytes(1, &attribute(1, "service.name", &bytes(1, b"shop")));
        let scope = bytes(2, &[bytes(1, &bytes(1, b"lib")), bytes(2, span)].concat());
        // The resource may stand after its spans.
        bytes(1, &[scope, resource].concat())
    }

    fn span() -> Vec<u8> {
        [
            bytes(1, &[0xab; 16]),
            bytes(2, &[1; 8]),
            bytes(4, &[0; 8]),
            bytes(5, b"GET /"),
            vec![6 << 3, 3],
            [&[7 << 3 | 1][..], &10_u64.to_le_bytes()].concat(),
            [&[8 << 3 | 1][..], &20_u64.to_le_bytes()].concat(),
            attribute(9, "n", &[3 << 3, 7]),
            attribute(9, "flag", &[2 << 3, 1]),
            attribute(9, "raw", &bytes(7, &[255, 0])),
            bytes(13, &[bytes(1, &[2; 16]), bytes(2, &[3; 8])].concat()),
            bytes(15, &[bytes(2, b"bad"), vec![3 << 3, 2]].concat()),
        ]
        .concat()
    }

    #[test]
    fn a_span_has_the_fields_of_the_json_form() {
        let request = request(&span());
        assert_eq!(check(&request, 10), Ok(1));
        let mut fields = Fields::default();
        let names = [
            "resource.service.name",
            "name",
            "kind",
            "trace_id",
            "parent_span_id",
            "n",
            "flag",
            "raw",
            "scope.name",
            "status.code",
            "status.message",
            "end",
        ];
        for name in names {
            fields.slot(name);
        }
        let mut shown = Vec::new();
        let count = read(&request, &fields, 5, &mut |item| {
            let Item::Record(record) = item else { panic!("no record") };
            let field = |slot| record.field(slot).map_or("-".into(), String::from_utf8_lossy);
            let all: Vec<_> = (0..names.len()).map(field).collect();
            let links = &record.span.unwrap().links;
            shown.push(format!("{} {} {links:?}", record.at.line, all.join("|")));
            ControlFlow::Continue(())
        });
        assert_eq!(count, 1);
        let trace = "ab".repeat(16);
        assert_eq!(
            shown,
            [format!(
                "5 shop|GET /|CLIENT|{trace}|-|7|true|/wA=|lib|2|bad|20 [\"0303030303030303\"]"
            )]
        );
    }

    #[test]
    fn what_is_no_message_is_refused() {
        let good = request(&span());
        for length in 0..good.len() {
            // A shorter message ends inside of its only field, unless nothing is left.
            assert_eq!(check(&good[..length], 10).is_ok(), length == 0, "{length}");
        }
        assert_eq!(check(&good, 3), Err(Malformed::Attributes(3)));
        assert!(matches!(check(&request(&bytes(5, &[0xff])), 9), Err(Malformed::NotUtf8(_))));
        // A length of two gigabytes, and a number without an end.
        let long = [&[1 << 3 | 2, 0xff, 0xff, 0xff, 0xff, 0x07][..], b"xx"].concat();
        assert_eq!(check(&long, 9), Err(Malformed::Cut(0)));
        assert_eq!(check(&[0xff; 20], 9), Err(Malformed::NoField(0)));
        assert_eq!(check(&[0x0f], 9), Err(Malformed::NoField(0)));
    }

    #[test]
    fn no_bytes_make_the_reader_panic() {
        let mut random = fastrand::Rng::with_seed(7);
        let good = request(&span());
        for _ in 0..20_000 {
            let mut bad = good.clone();
            for _ in 0..random.usize(1..4) {
                let at = random.usize(..bad.len());
                bad[at] = random.u8(..);
            }
            let checked = check(&bad, 10);
            let mut fields = Fields::default();
            fields.slot("name");
            let read = read(&bad, &fields, 1, &mut |_| ControlFlow::Continue(()));
            if let Ok(spans) = checked {
                assert_eq!(read, spans);
            }
        }
    }
}
