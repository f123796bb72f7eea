//! The attributes of a span that name the other side of a call.
//!
//! They are those of OpenTelemetry's semantic conventions, old and new, and of `OpenTracing`. The
//! first attribute with a usable value counts: a service by its name, then a database or a queue,
//! then a host. An IP address does not count as a name, because diagrams do not contain IP
//! addresses. It counts only if `[lifelines]` maps it to a lifeline.

use std::net::IpAddr;

use super::Aliases;
use crate::read::{Fields, Record, SpanKind};

/// An attribute that may name the other side, and where its value is in a record.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PeerField {
    slot: usize,
    names: Peer,
}

/// The kind of object that an attribute names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Peer {
    /// The service on the other side, of a caller or a callee.
    Service,
    /// A queue or a topic, which both sides name.
    Queue,
    /// The database, host or interface that a client calls. On the side of a server such an
    /// attribute names the server itself.
    Callee,
    /// A host with a port, as the other side of a client.
    HostPort,
    /// A URL, whose host is the other side of a client.
    Url,
}

/// The attributes, the most specific first.
const ATTRIBUTES: [(&str, Peer); 20] = [
    ("peer.service", Peer::Service),
    ("service.peer.name", Peer::Service),
    ("db.system.name", Peer::Callee),
    ("db.system", Peer::Callee),
    ("db.type", Peer::Callee),
    ("messaging.destination.name", Peer::Queue),
    ("messaging.destination", Peer::Queue),
    ("message_bus.destination", Peer::Queue),
    ("messaging.system", Peer::Queue),
    ("faas.invoked_name", Peer::Callee),
    ("server.address", Peer::Callee),
    ("net.peer.name", Peer::Callee),
    ("peer.hostname", Peer::Callee),
    ("http.host", Peer::HostPort),
    ("peer.address", Peer::HostPort),
    ("url.full", Peer::Url),
    ("http.url", Peer::Url),
    ("rpc.service", Peer::Callee),
    ("network.peer.address", Peer::Callee),
    ("net.peer.ip", Peer::Callee),
];

impl PeerField {
    /// The attributes as fields of a source.
    pub(crate) fn all(fields: &mut Fields) -> Vec<PeerField> {
        let field = |&(name, names): &(&str, Peer)| PeerField { slot: fields.slot(name), names };
        ATTRIBUTES.iter().map(field).collect()
    }
}

/// The other side of a span, by the first of its attributes that names one.
pub(crate) fn peer<'r>(
    fields: &[PeerField],
    kind: SpanKind,
    record: &Record<'r>,
    lifelines: &Aliases,
) -> Option<&'r [u8]> {
    let is_told = |names: Peer| match kind {
        SpanKind::Client | SpanKind::Producer => true,
        SpanKind::Consumer => matches!(names, Peer::Service | Peer::Queue),
        SpanKind::Server => names == Peer::Service,
        SpanKind::Internal | SpanKind::Unspecified => false,
    };
    fields.iter().filter(|field| is_told(field.names)).find_map(|field| {
        let value = record.field(field.slot)?.trim_ascii();
        let name = match field.names {
            Peer::Service | Peer::Queue | Peer::Callee => value,
            Peer::HostPort => without_port(value),
            Peer::Url => without_port(host(value)?),
        };
        is_name(name, lifelines).then_some(name)
    })
}

/// The host of a URL, with its port.
fn host(url: &[u8]) -> Option<&[u8]> {
    let start = url.windows(3).position(|it| it == b"://")? + 3;
    let rest = &url[start..];
    let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#'));
    let authority = &rest[..end.unwrap_or(rest.len())];
    let user = authority.iter().rposition(|&byte| byte == b'@');
    Some(&authority[user.map_or(0, |at| at + 1)..])
}

fn without_port(host: &[u8]) -> &[u8] {
    match host.iter().rposition(|&byte| byte == b':') {
        Some(at) if at > 0 && host[at + 1..].iter().all(u8::is_ascii_digit) => &host[..at],
        _ => host,
    }
}

fn is_name(text: &[u8], lifelines: &Aliases) -> bool {
    let Ok(name) = std::str::from_utf8(text) else { return !text.is_empty() };
    !is_address(text) || (!name.is_empty() && lifelines.resolve(name) != name)
}

/// Whether a text is an IP address, with or without a port, or a name such as `localhost` that
/// identifies no peer.
pub(crate) fn is_address(text: &[u8]) -> bool {
    let is_one = |text: &[u8]| {
        let name = std::str::from_utf8(text).unwrap_or("-");
        let address = name.trim_start_matches('[').trim_end_matches(']');
        matches!(name, "" | "-" | "localhost" | "unknown") || address.parse::<IpAddr>().is_ok()
    };
    is_one(text) || is_one(without_port(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_found_in_urls_and_beside_ports() {
        let show = |url: &str| {
            let found = host(url.as_bytes()).map(without_port);
            String::from_utf8(found.unwrap_or(b"-").to_vec()).unwrap()
        };
        assert_eq!(show("http://stock:8080/items?x=1"), "stock");
        assert_eq!(show("postgres://me:secret@db/shop"), "db");
        assert_eq!(show("https://[::1]:80"), "[::1]");
        assert_eq!(show("/items"), "-");
    }

    #[test]
    fn addresses_are_no_names() {
        let none = Aliases::default();
        for text in ["", "-", "localhost", "10.0.0.7", "::1", "[::1]"] {
            assert!(!is_name(text.as_bytes(), &none), "{text}");
        }
        assert!(is_name(b"stock.shop.svc", &none));
    }
}
