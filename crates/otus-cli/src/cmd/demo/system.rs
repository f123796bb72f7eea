//! The small system that `otus demo live` follows: a shop, a bank and a store.
//!
//! Each is a process of this program (`otus demo live --service NAME`), listens on the loopback only, and appends a line to its own log for
//! every message that it sends or receives. The bank and the store print their port; the shop reads both ports, and then
//! orders, from its standard input. A service ends when the shop hangs up, and nothing waits longer than [`PATIENCE`], so no
//! process outlives the demo.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

use crate::args::Service;

/// The longest time that a service waits for another one.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

impl Service {
    pub(super) const ALL: [Service; 3] = [Service::Shop, Service::Bank, Service::Store];

    pub(super) fn name(self) -> &'static str {
        match self {
            Service::Shop => "shop",
            Service::Bank => "bank",
            Service::Store => "store",
        }
    }

    /// Its log, in the folder of the demo.
    pub(super) fn log(self) -> String {
        format!("logs/{}.log", self.name())
    }
}

/// Runs one service until the shop hangs up, or, for the shop, until there are no more orders.
pub(super) fn serve(service: Service) -> anyhow::Result<()> {
    let mut log = Log(File::options().create(true).append(true).open(service.log())?);
    match service {
        Service::Bank => answer(|line| {
            let order = line.trim_end_matches(" charge");
            log.note(order, "received charge")?;
            log.note(order, "sent paid")?;
            Ok(Some(format!("{order} paid")))
        }),
        Service::Store => answer(|line| {
            log.note(line.trim_end_matches(" ship"), "received ship")?;
            Ok(None)
        }),
        Service::Shop => sell(&mut log),
    }
}

/// Takes the lines of the first client, and sends the replies.
fn answer(mut reply: impl FnMut(&str) -> anyhow::Result<Option<String>>) -> anyhow::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    crate::output::print(&format!("{}\n", listener.local_addr()?.port()))?;
    std::io::stdout().flush()?;
    listener.set_nonblocking(true)?;
    let begun = Instant::now();
    let stream = loop {
        match listener.accept() {
            Ok((stream, _)) => break stream,
            Err(_) if begun.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(5)),
            Err(error) => return Err(error).context("the shop did not call"),
        }
    };
    stream.set_nonblocking(false)?;
    let (lines, mut out) = conversation(stream)?;
    for line in lines {
        if let Some(reply) = reply(&line?)? {
            writeln!(out, "{reply}")?;
        }
    }
    Ok(())
}

/// Takes orders from standard input. A hasty order is shipped before it is paid.
fn sell(log: &mut Log) -> anyhow::Result<()> {
    let mut input = std::io::stdin().lines();
    let mut call = || -> anyhow::Result<_> {
        let port: u16 = input.next().context("no port was given")??.trim().parse()?;
        conversation(TcpStream::connect((Ipv4Addr::LOCALHOST, port))?)
    };
    let (mut paid, mut bank) = call()?;
    let (_, mut store) = call()?;
    for line in input {
        let line = line?;
        let (order, is_hasty) = match line.split_once(' ') {
            Some((order, "hasty")) => (order, true),
            Some(_) => bail!("an order is a word, or a word and `hasty`, not `{line}`"),
            None => (&*line, false),
        };
        let mut wait = |log: &mut Log| -> anyhow::Result<()> {
            paid.next().context("the bank hung up")??;
            log.note(order, "received paid")
        };
        log.note(order, "sent charge")?;
        writeln!(bank, "{order} charge")?;
        if !is_hasty {
            wait(log)?;
        }
        log.note(order, "sent ship")?;
        // Whoever gave the order measures from here.
        crate::output::print(&format!("{order}\n"))?;
        std::io::stdout().flush()?;
        writeln!(store, "{order} ship")?;
        if is_hasty {
            wait(log)?;
        }
    }
    Ok(())
}

/// The two directions of a connection.
fn conversation(stream: TcpStream) -> anyhow::Result<(Lines<BufReader<TcpStream>>, TcpStream)> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    Ok((BufReader::new(stream.try_clone()?).lines(), stream))
}

struct Log(File);

impl Log {
    /// Appends a line in one write, so that whoever follows the file never sees a part of it.
    fn note(&mut self, order: &str, what: &str) -> anyhow::Result<()> {
        Ok(self.0.write_all(format!("{order} {what}\n").as_bytes())?)
    }
}
