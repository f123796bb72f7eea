//! Alerts for an Alertmanager, or for whatever takes its version 2 of `POST /api/v2/alerts`.
//!
//! A thread of its own sends them, so that a slow receiver does not hold up the verdicts. Alerts that wait are sent together; if
//! too many wait, the newest are counted as undelivered. A failed delivery is tried again, three times in all.

use std::io::{Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{JoinHandle, sleep};
use std::time::Duration;

use serde_json::{Value, json};

use crate::counters::{Counters, add};
use crate::error::{Error, Result};
use crate::verdict::Told;

/// The most alerts that wait, and that are sent in one request.
const WAITING: usize = 1000;
const TOGETHER: usize = 64;
const TRIES: usize = 3;
const PATIENCE: Duration = Duration::from_secs(3);

#[derive(Debug)]
pub(crate) struct Alerts {
    sender: SyncSender<Value>,
    thread: JoinHandle<()>,
    counters: Arc<Counters>,
}

/// Where alerts go: the host with its port, and the path.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Target {
    host: String,
    path: String,
}

impl Target {
    fn parse(url: &str) -> Option<Target> {
        let rest = url.strip_prefix("http://")?;
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let is_odd = |text: &str| text.contains(|it: char| it.is_whitespace() || it.is_control());
        if host.is_empty() || is_odd(rest) {
            return None;
        }
        let host = if host.contains(':') { host.to_owned() } else { format!("{host}:80") };
        let path = if path.len() <= 1 { "/api/v2/alerts" } else { path };
        Some(Target { host, path: path.to_owned() })
    }

    fn post(&self, body: &str) -> std::io::Result<bool> {
        let mut addresses = self.host.to_socket_addrs()?;
        let address = addresses.next().ok_or_else(|| std::io::Error::other("no such host"))?;
        let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        write!(
            stream,
            "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n{body}",
            self.path,
            self.host,
            body.len()
        )?;
        let mut answer = Vec::new();
        stream.take(1024).read_to_end(&mut answer)?;
        Ok(answer.starts_with(b"HTTP/1.1 2") || answer.starts_with(b"HTTP/1.0 2"))
    }
}

impl Alerts {
    pub(super) fn start(url: &str, counters: Arc<Counters>) -> Result<Alerts> {
        let Some(target) = Target::parse(url) else {
            return Err(Error::Unfit(format!(
                "--alerts {url}: expected an address like http://127.0.0.1:9093 (https needs a proxy beside Otus)"
            )));
        };
        let (sender, receiver) = sync_channel(WAITING);
        let counted = counters.clone();
        let thread = std::thread::Builder::new().name("alerts".to_owned());
        let thread = thread.spawn(move || deliver(&target, &receiver, &counted));
        let thread =
            thread.map_err(|error| Error::Io { what: "cannot start a thread".into(), error })?;
        Ok(Alerts { sender, thread, counters })
    }

    pub(super) fn send(&mut self, told: &Told) {
        if self.sender.try_send(alert(told)).is_err() {
            add(&self.counters.undelivered, 1);
        }
    }

    /// Waits until all are delivered, or given up.
    pub(super) fn finish(self) {
        drop(self.sender);
        let _ = self.thread.join();
    }
}

/// The alert of a failure.
fn alert(told: &Told) -> Value {
    let mut labels = json!({
        "alertname": "OtusFail",
        "severity": "error",
        "group": told.group,
        "id": told.id,
    });
    if let Some(cause) = told.case.cause() {
        labels["cause"] = json!(cause.id);
    }
    json!({
        "labels": labels,
        "annotations": {
            "summary": told.case.headline(),
            "description": told.text(false),
        },
    })
}

fn deliver(target: &Target, receiver: &Receiver<Value>, counters: &Counters) {
    while let Ok(first) = receiver.recv() {
        let mut all = vec![first];
        while all.len() < TOGETHER
            && let Ok(next) = receiver.try_recv()
        {
            all.push(next);
        }
        let count = all.len() as u64;
        let body = Value::Array(all).to_string();
        let is_delivered = (0..TRIES).any(|time| {
            if time > 0 {
                sleep(Duration::from_millis(200 << time));
            }
            target.post(&body).unwrap_or(false)
        });
        add(if is_delivered { &counters.alerts } else { &counters.undelivered }, count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_a_port_and_a_path() {
        let target =
            |host: &str, path: &str| Some(Target { host: host.to_owned(), path: path.to_owned() });
        assert_eq!(Target::parse("http://a:9093"), target("a:9093", "/api/v2/alerts"));
        assert_eq!(Target::parse("http://a/hook"), target("a:80", "/hook"));
        for bad in ["a:9093", "https://a", "http://", "http://a/x y", "http://a/\r\nx"] {
            assert_eq!(Target::parse(bad), None, "{bad}");
        }
    }
}
