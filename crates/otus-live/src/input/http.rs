//! The answers to requests: OTLP over HTTP and over gRPC, `/metrics` and `/healthz`.
//!
//! gRPC is HTTP/2 with five bytes before the message and its status in the trailers, so both ways share everything but the
//! form of their answers. What OTLP prescribes:
//!
//! | | HTTP | gRPC |
//! |---|---|---|
//! | taken | 200 | 0 |
//! | send it again later | 503 with `Retry-After` | 14 (unavailable) with `RetryInfo` |
//! | never send it again: malformed | 400 | 3 (invalid argument) |
//! | never send it again: too large | 413 | 8 (resource exhausted), without `RetryInfo` |
//! | another path, method or type | 404, 405, 415 | 12 (unimplemented) |
//!
//! A request is acknowledged when it is in the write-ahead log on disk. Its body is counted while it arrives and while it is
//! unpacked, so no request takes more memory than the limit on messages.

use std::io::Read as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::TrySendError;
use std::time::Duration;

use bytes::{Buf as _, Bytes};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use otus_trace::read::otlp_bytes;
use tokio::sync::{Semaphore, oneshot};

use crate::batch::{Batch, Content, Message, Receipt, Sender, Taken};
use crate::config::Limits;
use crate::counters::{Counters, add};

/// The path of the service in gRPC.
const GRPC: &str = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";

/// How long a client should wait before it sends again, in seconds.
const RETRY: u8 = 1;

/// How long a request waits until it is on disk.
const PATIENCE: Duration = Duration::from_secs(10);

/// The depth beyond which a JSON document is refused.
const DEEPEST: usize = 100;

/// What an address is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Spans,
    Metrics,
}

/// Answers requests.
#[derive(Debug, Clone)]
pub(super) struct Service {
    pub(super) sender: Sender,
    pub(super) source: usize,
    pub(super) limits: Limits,
    pub(super) counters: Arc<Counters>,
    /// The requests whose bodies may be in memory at a time.
    pub(super) waiting: Arc<Semaphore>,
}

/// The forms of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Protobuf,
    Json,
    Grpc,
}

/// Why a request is not taken.
enum Refusal {
    Malformed(String),
    TooLarge(String),
    Unsupported(String),
    /// It should be sent again later.
    Busy(String),
}

/// A text in the form of a message.
type Told = fn(&str) -> Vec<u8>;

type Answer = Response<BoxBody<Bytes, std::convert::Infallible>>;

impl Service {
    pub(super) async fn answer(&self, role: Role, request: Request<Incoming>) -> Answer {
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        match (role, &method, path.as_str()) {
            (Role::Metrics, &Method::GET, "/metrics") => {
                let text = self.counters.metrics();
                plain(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", text)
            }
            (Role::Metrics, &Method::GET, "/healthz") => {
                if self.counters.healthy.load(Ordering::Relaxed) {
                    plain(StatusCode::OK, "text/plain", "ok\n".to_owned())
                } else {
                    let text =
                        "not ready: the write-ahead log is read, or cannot be written\n".to_owned();
                    plain(StatusCode::SERVICE_UNAVAILABLE, "text/plain", text)
                }
            }
            (Role::Metrics, _, "/metrics" | "/healthz") => {
                plain(StatusCode::METHOD_NOT_ALLOWED, "text/plain", "use GET\n".to_owned())
            }
            (Role::Spans, &Method::POST, "/v1/traces") => self.export_http(request).await,
            (Role::Spans, &Method::POST, GRPC) => self.export_grpc(request).await,
            (Role::Spans, _, "/v1/traces") => {
                plain(StatusCode::METHOD_NOT_ALLOWED, "text/plain", "use POST\n".to_owned())
            }
            (Role::Spans, _, _) if is_grpc(request.headers()) => {
                grpc(12, &format!("{path} is not served here; Otus takes traces only"), None)
            }
            (Role::Spans, _, _) => plain(
                StatusCode::NOT_FOUND,
                "text/plain",
                "Otus takes traces only, at POST /v1/traces\n".to_owned(),
            ),
            (Role::Metrics, _, _) => plain(
                StatusCode::NOT_FOUND,
                "text/plain",
                "there are /metrics and /healthz\n".to_owned(),
            ),
        }
    }

    async fn export_http(&self, request: Request<Incoming>) -> Answer {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok());
        let kind = kind.unwrap_or_default().split(';').next().unwrap_or_default().trim();
        let form = match kind {
            "application/x-protobuf" => Form::Protobuf,
            "application/json" => Form::Json,
            other => {
                add(&self.counters.refused, 1);
                let text = format!(
                    "the type is `{other}`; OTLP has application/x-protobuf and application/json\n"
                );
                return plain(StatusCode::UNSUPPORTED_MEDIA_TYPE, "text/plain", text);
            }
        };
        let packing = request.headers().get(header::CONTENT_ENCODING).cloned();
        let (kind, empty, error): (_, &[u8], Told) = match form {
            Form::Json => ("application/json", b"{}", |text| {
                serde_json::json!({ "message": text }).to_string().into_bytes()
            }),
            Form::Protobuf | Form::Grpc => {
                ("application/x-protobuf", b"", |text| status(0, text, None))
            }
        };
        let answer = |status: StatusCode, body: Vec<u8>| {
            let mut answer = Response::new(Full::new(Bytes::from(body)).boxed());
            *answer.status_mut() = status;
            answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
            answer
        };
        match self.export(form, packing.as_ref(), request.into_body()).await {
            Ok(()) => answer(StatusCode::OK, empty.to_vec()),
            Err(Refusal::Malformed(text)) => answer(StatusCode::BAD_REQUEST, error(&text)),
            Err(Refusal::TooLarge(text)) => answer(StatusCode::PAYLOAD_TOO_LARGE, error(&text)),
            Err(Refusal::Unsupported(text)) => {
                answer(StatusCode::UNSUPPORTED_MEDIA_TYPE, error(&text))
            }
            Err(Refusal::Busy(text)) => {
                let mut answer = answer(StatusCode::SERVICE_UNAVAILABLE, error(&text));
                answer
                    .headers_mut()
                    .insert(header::RETRY_AFTER, HeaderValue::from(u16::from(RETRY)));
                answer
            }
        }
    }

    async fn export_grpc(&self, request: Request<Incoming>) -> Answer {
        if !is_grpc(request.headers()) {
            let text = "the type of a gRPC request is application/grpc\n".to_owned();
            return plain(StatusCode::UNSUPPORTED_MEDIA_TYPE, "text/plain", text);
        }
        let packing = request.headers().get("grpc-encoding").cloned();
        match self.export(Form::Grpc, packing.as_ref(), request.into_body()).await {
            Ok(()) => {
                let mut trailers = HeaderMap::new();
                trailers.insert("grpc-status", HeaderValue::from_static("0"));
                let body = Full::new(Bytes::from_static(&[0; 5]));
                let body = body.with_trailers(async move { Some(Ok(trailers)) }).boxed();
                let mut answer = Response::new(body);
                let kind = HeaderValue::from_static("application/grpc");
                answer.headers_mut().insert(header::CONTENT_TYPE, kind);
                answer
            }
            Err(Refusal::Malformed(text)) => grpc(3, &text, None),
            Err(Refusal::TooLarge(text)) => grpc(8, &text, None),
            Err(Refusal::Unsupported(text)) => grpc(12, &text, None),
            Err(Refusal::Busy(text)) => grpc(14, &text, Some(RETRY)),
        }
    }

    /// Takes a request: unpacks, checks, and sends it, and waits until it is on disk.
    async fn export(
        &self,
        form: Form,
        packing: Option<&HeaderValue>,
        body: Incoming,
    ) -> Result<(), Refusal> {
        let result = self.try_export(form, packing, body).await;
        let counter = match &result {
            Ok(()) => &self.counters.requests,
            Err(Refusal::Busy(_)) => &self.counters.retried,
            Err(_) => &self.counters.refused,
        };
        add(counter, 1);
        result
    }

    async fn try_export(
        &self,
        form: Form,
        packing: Option<&HeaderValue>,
        body: Incoming,
    ) -> Result<(), Refusal> {
        let is_packed = match packing.map(HeaderValue::as_bytes) {
            None | Some(b"" | b"identity") => false,
            Some(b"gzip") => true,
            Some(other) => {
                let name = String::from_utf8_lossy(other);
                return Err(Refusal::Unsupported(format!(
                    "the encoding `{name}` is not known; gzip is"
                )));
            }
        };
        // A gRPC message has a length before it, which the limit does not count.
        let most = self.limits.message;
        let place = self.waiting.acquire().await;
        let _place = place.map_err(|_| Refusal::Busy("Otus stops".to_owned()))?;
        let collected = Limited::new(body, most + 5).collect();
        let collected = tokio::time::timeout(3 * PATIENCE, collected).await;
        let collected =
            collected.map_err(|_| Refusal::Malformed("the body did not come in time".into()))?;
        let mut bytes = match collected {
            Ok(collected) => collected.to_bytes(),
            Err(error) if error.is::<LengthLimitError>() => return Err(self.too_large()),
            Err(error) => return Err(Refusal::Malformed(format!("the body is cut: {error}"))),
        };
        let mut unpacks = is_packed;
        if form == Form::Grpc {
            let is_marked = message(&mut bytes)?;
            unpacks = is_packed && is_marked;
        }
        let bytes = if unpacks { self.unpack(&bytes)? } else { Vec::from(bytes) };
        let (name, content) = match form {
            Form::Protobuf | Form::Grpc => {
                let spans = otlp_bytes::check(&bytes, self.limits.attributes);
                let spans = spans.map_err(|fault| match fault {
                    otlp_bytes::Malformed::Attributes(_) => Refusal::TooLarge(fault.to_string()),
                    otlp_bytes::Malformed::Cut(_)
                    | otlp_bytes::Malformed::NoField(_)
                    | otlp_bytes::Malformed::NotUtf8(_) => {
                        Refusal::Malformed(format!("the body is no export request: {fault}"))
                    }
                })?;
                if spans == 0 {
                    return Ok(());
                }
                let name = if form == Form::Grpc { "otlp-grpc" } else { "otlp-http" };
                (name, Content::Spans(bytes, u32::try_from(spans).unwrap_or(u32::MAX)))
            }
            Form::Json => ("otlp-json", Content::Lines(one_line(bytes)?)),
        };
        let (done, taken) = oneshot::channel();
        let batch = Batch {
            name: name.to_owned(),
            source: self.source,
            line: 1,
            offset: 0,
            content,
            file: None,
            receipt: Some(Receipt::new(move |taken| drop(done.send(taken)))),
        };
        let busy = |text: &str| Refusal::Busy(text.to_owned());
        match self.sender.try_send(Message::Batch(batch)) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => {
                return Err(busy("the groups are behind; send it again later"));
            }
            Err(TrySendError::Disconnected(_)) => {
                return Err(busy("Otus stops; send it again later"));
            }
        }
        match tokio::time::timeout(PATIENCE, taken).await {
            Ok(Ok(Taken::Yes)) => Ok(()),
            Ok(Ok(Taken::No(reason))) => Err(Refusal::Busy(reason)),
            Ok(Err(_)) => Err(busy("Otus stops; send it again later")),
            Err(_) => Err(busy("the disk is behind; send it again later")),
        }
    }

    fn too_large(&self) -> Refusal {
        let most = self.limits.message >> 20;
        Refusal::TooLarge(format!(
            "the message is longer than {most} MiB (--max-message); let the exporter send fewer spans at a time"
        ))
    }

    fn unpack(&self, packed: &[u8]) -> Result<Vec<u8>, Refusal> {
        let most = self.limits.message;
        let mut bytes = Vec::new();
        let reader = flate2::read::MultiGzDecoder::new(packed);
        let read = reader.take(most as u64 + 1).read_to_end(&mut bytes);
        read.map_err(|error| Refusal::Malformed(format!("the body is no gzip: {error}")))?;
        if bytes.len() > most { Err(self.too_large()) } else { Ok(bytes) }
    }
}

/// Takes the five bytes before a gRPC message off. Returns whether it is packed.
fn message(bytes: &mut Bytes) -> Result<bool, Refusal> {
    if bytes.len() < 5 {
        return Err(Refusal::Malformed(
            "the body is shorter than the length before a message".into(),
        ));
    }
    let is_packed = bytes.get_u8() == 1;
    let length = bytes.get_u32() as usize;
    if length != bytes.len() {
        return Err(Refusal::Malformed(format!(
            "the length before the message is {length}, and {} bytes follow",
            bytes.len()
        )));
    }
    Ok(is_packed)
}

/// A JSON document on one line, as files of OTLP have it.
fn one_line(mut bytes: Vec<u8>) -> Result<Vec<u8>, Refusal> {
    let malformed = |error| Refusal::Malformed(format!("the body is no JSON document: {error}"));
    serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).map_err(malformed)?;
    if depth(&bytes) > DEEPEST {
        let text =
            format!("the body is nested more deeply than {DEEPEST} times, as no export request is");
        return Err(Refusal::Malformed(text));
    }
    if std::str::from_utf8(&bytes).is_err() {
        return Err(Refusal::Malformed("the body is not UTF-8".to_owned()));
    }
    // Between the parts of a document, a line end is a blank; in a text it would be escaped.
    for byte in &mut bytes {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    bytes.push(b'\n');
    Ok(bytes)
}

/// The depth of a JSON document. Nothing that reads it recurses, so this is no limit of ours: such a document is none of OTLP.
fn depth(document: &[u8]) -> usize {
    let (mut depth, mut deepest, mut is_text, mut is_escaped) = (0_usize, 0, false, false);
    for &byte in document {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_text,
            b'"' => is_text = !is_text,
            b'[' | b'{' if !is_text => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !is_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

fn is_grpc(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/grpc"))
}

fn plain(status: StatusCode, kind: &'static str, text: String) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from(text)).boxed());
    *answer.status_mut() = status;
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    answer
}

/// An answer with a status only.
fn grpc(code: u8, text: &str, retry: Option<u8>) -> Answer {
    let mut answer = plain(StatusCode::OK, "application/grpc", String::new());
    let headers = answer.headers_mut();
    headers.insert("grpc-status", HeaderValue::from(u16::from(code)));
    let is_plain = |it: char| it.is_ascii_graphic() && it != '%' || it == ' ';
    let text: String = text.chars().map(|it| if is_plain(it) { it } else { '?' }).collect();
    if let Ok(value) = HeaderValue::from_str(&text) {
        headers.insert("grpc-message", value);
    }
    if retry.is_some() {
        let details = base64(&status(code, &text, retry));
        if let Ok(value) = HeaderValue::from_str(&details) {
            headers.insert("grpc-status-details-bin", value);
        }
    }
    answer
}

/// A `google.rpc.Status` with a code, a message, and `RetryInfo`.
fn status(code: u8, text: &str, retry: Option<u8>) -> Vec<u8> {
    let mut out = Vec::new();
    if code > 0 {
        out.extend_from_slice(&[1 << 3, code]);
    }
    field(2, text.as_bytes(), &mut out);
    if let Some(seconds) = retry {
        let mut info = Vec::new();
        field(1, &[1 << 3, seconds], &mut info);
        let mut any = Vec::new();
        field(1, b"type.googleapis.com/google.rpc.RetryInfo", &mut any);
        field(2, &info, &mut any);
        field(3, &any, &mut out);
    }
    out
}

/// Appends a field with bytes of a protocol buffer.
fn field(number: u8, bytes: &[u8], out: &mut Vec<u8>) {
    out.push(number << 3 | 2);
    let mut length = bytes.len();
    while length >= 0x80 {
        out.push(u8::try_from(length & 0x7f).unwrap_or(0) | 0x80);
        length >>= 7;
    }
    out.push(u8::try_from(length).unwrap_or(0));
    out.extend_from_slice(bytes);
}

/// Without padding, as headers of gRPC have bytes.
fn base64(bytes: &[u8]) -> String {
    otlp_bytes::base64(bytes).trim_end_matches('=').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_says_when_to_send_again() {
        assert_eq!(base64(b"\xff\x00"), "/wA");
        assert_eq!(status(14, "x", None), [8, 14, 18, 1, b'x']);
        let bytes = status(14, "x", Some(1));
        let end = &bytes[bytes.len() - 6..];
        assert_eq!(end, [0x12, 4, 10, 2, 8, 1]);
    }

    #[test]
    fn documents_become_one_line() {
        let text =
            |bytes: &[u8]| one_line(bytes.to_vec()).ok().and_then(|it| String::from_utf8(it).ok());
        assert_eq!(text(b"{\n \"a\": \"b\\n\"}").as_deref(), Some("{  \"a\": \"b\\n\"}\n"));
        let deep = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
        for bad in [&b"{"[..], b"{} {}", b"{\"a\": \"\xff\"}", &b"[".repeat(100_000), &deep] {
            assert_eq!(text(bad), None);
        }
        assert_eq!(depth(br#"{"a": ["[\"[", {}]}"#), 3);
    }
}
