//! Logs that grow, in pieces, against the same logs as a whole.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::super::{Ends, LogFile, Observed, Sink, Stream, map};
use super::parallel::{TEXT, text};
use super::plan;
use crate::read::At;

/// Counts what a stream shows.
#[derive(Default)]
struct Seen {
    /// By group: the number of its events, and how often a rule has closed it.
    records: BTreeMap<String, (usize, usize)>,
    ended: BTreeMap<String, String>,
}

impl Sink for Seen {
    fn group(&mut self, observed: &Observed<'_>) -> ControlFlow<()> {
        self.ended.insert(observed.key().into_owned(), observed.htf());
        ControlFlow::Continue(())
    }

    fn record(&mut self, observed: &Observed<'_>, Ends { closes, .. }: Ends) {
        let (events, closed) = self.records.entry(observed.key().into_owned()).or_default();
        *events += observed.len();
        *closed += usize::from(closes);
        assert!(observed.events().all(|event| !event.lifeline().is_empty()));
    }
}

/// Pieces of whole lines, of different lengths.
fn pieces(text: &[u8], seed: u64) -> Vec<(At, Vec<u8>)> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut pieces = Vec::new();
    let (mut at, mut left) = (At { line: 1, offset: 0 }, text);
    while !left.is_empty() {
        let wanted = random.usize(..2_000).min(left.len());
        let end = memchr::memchr(b'\n', &left[wanted..]).map_or(left.len(), |it| wanted + it + 1);
        let (piece, rest) = left.split_at(end);
        pieces.push((at, piece.to_vec()));
        at.line += u32::try_from(memchr::memchr_iter(b'\n', piece).count()).unwrap();
        at.offset += piece.len() as u64;
        left = rest;
    }
    pieces
}

#[test]
fn pieces_give_the_same_groups() {
    let toml = TEXT.replace("clock = \"{host}\"\n", "");
    let mut plan = plan(&toml);
    plan.keep(["v", "time"]);
    let logs = [("a.log", text(1, 4_000)), ("b.log", text(2, 3_000))];
    let mut whole = BTreeMap::new();
    let mut events = BTreeMap::new();
    let files = logs.iter().map(|(name, bytes)| LogFile::in_memory(name, 0, bytes)).collect();
    let accounting = map(&plan, files, &mut |observed: &Observed<'_>| {
        whole.insert(observed.key().into_owned(), observed.htf());
        events.insert(observed.key().into_owned(), observed.len());
        ControlFlow::Continue(())
    });

    let mut stream = Stream::new(Arc::new(plan));
    let mut seen = Seen::default();
    let mut all: Vec<_> = Vec::new();
    for (number, (name, bytes)) in logs.iter().enumerate() {
        let log = stream.add(name, 0).unwrap();
        all.push((log, pieces(bytes, number as u64).into_iter()));
    }
    // One piece of each log in turn.
    while let Some(next) = all.iter_mut().find_map(|(log, pieces)| Some((*log, pieces.next()?))) {
        let (log, (at, piece)) = next;
        stream.feed(log, at, piece, &mut seen);
        // Whatever is forgotten, open groups have their values.
        stream.forget_values();
        all.rotate_left(1);
    }
    let keys: Vec<String> = seen.records.keys().cloned().collect();
    assert_eq!(keys, whole.keys().cloned().collect::<Vec<_>>());
    for key in &keys {
        let mut looked = String::new();
        stream.look(key.as_bytes(), &mut |observed| looked = observed.htf());
        stream.end(key.as_bytes(), &mut |observed| {
            assert_eq!(observed.htf(), looked);
            assert_eq!(observed.len(), seen.records[key].0);
            seen.ended.insert(key.clone(), looked.clone());
        });
        assert!(!stream.is_open(key.as_bytes()));
    }
    assert_eq!(seen.ended, whole);
    assert_eq!(
        seen.records.iter().map(|(key, it)| (key.clone(), it.0)).collect::<BTreeMap<_, _>>(),
        events
    );
    assert!(seen.records.values().any(|&(_, closed)| closed > 0));
    assert_eq!(stream.accounting().total, accounting.total);
    assert_eq!(stream.files()[0].lines, accounting.files[0].lines);
}

#[test]
fn groups_can_be_looked_at_while_they_grow() {
    let plan = plan(
        "[[source]]\nfiles = [\"*.log\"]\nformat = \"regex\"\nlifeline = \"{file.stem}\"\n\
         [[source.rule]]\nmatch = '^(?<d>sent|got) (?<m>\\w+)'\n\
         dir = { from = \"d\", map = { sent = \"!\", got = \"?\" } }\nmessage = \"{m}\"\n",
    );
    let mut stream = Stream::new(Arc::new(plan));
    let (a, b) = (stream.add("a.log", 0).unwrap(), stream.add("b.log", 0).unwrap());
    let mut seen = Seen::default();
    let mut looks = Vec::new();
    for (number, (log, line)) in
        [(a, "sent x\n"), (b, "what?\n"), (b, "got x\n")].into_iter().enumerate()
    {
        let at = At { line: u32::try_from(number).unwrap() + 1, offset: 0 };
        stream.feed(log, at, line.into(), &mut seen);
        stream.look(b"", &mut |observed| looks.push(observed.htf()));
    }
    assert_eq!(looks, ["{[a] a!x}", "{[a] a!x}", "{[a] a!x; [b] b?x}"]);
    assert_eq!(stream.accounting().total.unmatched, 1);
    assert!(stream.bytes() > 0);
}
