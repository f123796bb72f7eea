//! The thread that owns the log on disk, the mapping, and the groups.
//!
//! It repeats four steps: take what inputs sent, write it to the log and force it to disk, acknowledge it, map it. Then groups
//! end whose time has come. What is found is told after the log knows it, so that nothing that was told is forgotten.
//!
//! The records of a batch are taken by [`Taker`](crate::taker::Taker), and a restart is in `recover.rs`.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use otus::ctl::Properties;
use otus::live::{Asks, Watched};
use otus::{Case, Context, Notice, Request, Verdict};
use otus_trace::read::At;
use otus_trace::run::{Grown, Observed, RunPlace, Stream};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::batch::{Batch, Content, FileMark, Message, Taken, WAITING};
use crate::config::Config;
use crate::counters::{Counters, add, set};
use crate::error::{Error, Result};
use crate::follow::Follow;
use crate::groups::{Groups, State};
use crate::input;
use crate::output::Outputs;
use crate::properties::Asked;
use crate::taker::{Taker, undecided};
use crate::verdict::{Ended, Told};
use crate::wal::record::Logged;
use crate::wal::{Checkpoint, Log, Record};

/// How a watch ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped {
    /// The verdicts that were told: Pass, `WeakPass`, Fail, undecided.
    pub verdicts: [u64; 4],
    /// The number of events of groups.
    pub events: u64,
    /// The number of groups that are still open, whose events are in the log on disk.
    pub open: usize,
}

/// How long it waits for an input before it looks at the time.
const TICK: Duration = Duration::from_millis(20);

/// The most bytes that are forced to disk together.
const TOGETHER: usize = 8 << 20;

/// The time between two looks at sizes.
const LOOK: Duration = Duration::from_secs(1);

/// Follows a system until all inputs end, the configured time is up, or `stop` is set.
///
/// # Errors
/// If the specification, the mapping or the configuration cannot be used, or the disk fails.
pub fn watch(
    context: &Context,
    request: &Request,
    config: &Config,
    out: Box<dyn Write + Send>,
    stop: &Arc<AtomicBool>,
) -> Result<Stopped> {
    let mut watched = Watched::open(context, request)?;
    let sources = input::Sources::find(&mut watched, config)?;
    let counters = Arc::new(Counters::default());
    let outputs = Outputs::new(config, out, &counters)?;
    let mut watch = Watch::new(context, watched, config, outputs, counters.clone())?;
    let mut positions = Vec::new();
    if let Some(folder) = &config.log {
        watch.open_log(folder)?;
        positions = watch.positions();
    }
    counters.healthy.store(true, Ordering::Relaxed);
    let (sender, receiver) = sync_channel(WAITING);
    let inputs = input::start(&input::Start {
        context,
        config,
        sources,
        positions,
        sender,
        stop: stop.clone(),
        counters,
        folder: watch.watched.folder().to_owned(),
        plan: watch.watched.logs(),
    })?;
    let result = watch.run(&receiver, stop, inputs.waits);
    // Inputs that wait for room end when nobody receives.
    stop.store(true, Ordering::Relaxed);
    drop(receiver);
    let all_ended = result?;
    watch.finish(all_ended)
}

/// Judges export requests of OTLP that a program has already, with all steps but the network: checked, written to the log, mapped,
/// and judged. Requests that are no such messages are counted as refused.
///
/// # Errors
/// As [`watch`].
pub fn judge_requests(
    context: &Context,
    request: &Request,
    config: &Config,
    out: Box<dyn Write + Send>,
    requests: &mut dyn Iterator<Item = Vec<u8>>,
) -> Result<Stopped> {
    /// As many as wait at most when clients are faster.
    const TOGETHER: usize = 32;
    let mut watched = Watched::open(context, request)?;
    let source = watched.source_for(otus_trace::read::Format::Otlp).unwrap_or(0);
    let counters = Arc::new(Counters::default());
    let outputs = Outputs::new(config, out, &counters)?;
    let mut watch = Watch::new(context, watched, config, outputs, counters.clone())?;
    if let Some(folder) = &config.log {
        watch.open_log(folder)?;
    }
    loop {
        let mut batches = Vec::new();
        for bytes in requests.take(TOGETHER) {
            match otus_trace::read::otlp_bytes::check(&bytes, config.limits.attributes) {
                Ok(spans) => batches.push(Batch {
                    name: "otlp".to_owned(),
                    source,
                    line: 1,
                    offset: 0,
                    content: Content::Spans(bytes, u32::try_from(spans).unwrap_or(u32::MAX)),
                    file: None,
                    receipt: None,
                }),
                Err(_) => add(&counters.refused, 1),
            }
        }
        if batches.is_empty() {
            return watch.finish(true);
        }
        watch.take(batches)?;
        watch.end_groups(Instant::now());
        watch.ask(Instant::now());
        watch.tell()?;
        watch.look()?;
    }
}

pub(crate) struct Watch {
    pub(crate) context: Context,
    pub(crate) config: Config,
    pub(crate) watched: Watched,
    pub(crate) fingerprint: String,
    pub(crate) stream: Stream,
    pub(crate) groups: Groups,
    pub(crate) follow: Follow,
    pub(crate) asked: Asked,
    pub(crate) log: Option<Log>,
    pub(crate) outputs: Outputs,
    pub(crate) counters: Arc<Counters>,
    pub(crate) grown: FxHashMap<(String, usize), Option<Grown>>,
    /// The number of the next span of each receiver.
    pub(crate) spans: BTreeMap<String, u32>,
    /// By file: its name, and how far it was read.
    pub(crate) read: BTreeMap<(u64, u64), (FileMark, String, u64, u32)>,
    /// What will be told when the log is on disk.
    pub(crate) pending: Vec<Told>,
    /// While the log is read again: what was told about which generation of which group.
    pub(crate) told_before: FxHashSet<(Box<[u8]>, u32, About)>,
    pub(crate) is_recovering: bool,
    pub(crate) begun: Instant,
    pub(crate) looked: Instant,
    pub(crate) has_failed: bool,
}

/// What a verdict that was told is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum About {
    /// A Fail while the group was open.
    Fail,
    /// The group at its end, with all formulas.
    End,
    /// A formula while the group was open.
    Formula(u32),
}

impl Watch {
    fn new(
        context: &Context,
        watched: Watched,
        config: &Config,
        outputs: Outputs,
        counters: Arc<Counters>,
    ) -> Result<Watch> {
        let limits = otus::Limits {
            timeout: config.limits.timeout,
            max_bytes: config.limits.tables,
            ..otus::Limits::default()
        };
        let (formulas, files) = (&config.formulas, &config.formula_files);
        let properties = Properties::open(context, &watched, formulas, files, limits)?;
        let follow = Follow::new(&watched, config.limits.kept, context.cancel.clone());
        Ok(Watch {
            context: context.clone(),
            config: config.clone(),
            fingerprint: watched.fingerprint().to_owned(),
            stream: watched.stream(),
            groups: Groups::new(config.limits.remembered),
            follow,
            asked: Asked::new(properties),
            watched,
            log: None,
            outputs,
            counters,
            grown: FxHashMap::default(),
            spans: BTreeMap::new(),
            read: BTreeMap::new(),
            pending: Vec::new(),
            told_before: FxHashSet::default(),
            is_recovering: false,
            begun: Instant::now(),
            looked: Instant::now(),
            has_failed: false,
        })
    }

    /// Opens the log on disk, and goes on from what an earlier process left in it.
    fn open_log(&mut self, folder: &Path) -> Result<()> {
        let (log, recovery) = Log::open(folder, &self.asked.fingerprint(&self.fingerprint))?;
        self.log = Some(log);
        self.recover(&recovery)?;
        self.outputs.recovered();
        Ok(())
    }

    pub(crate) fn remark(&self, text: impl Into<String>) {
        self.context.monitor.notice(&Notice::Remark(text.into()));
    }

    /// Takes what inputs send. Returns whether all of them ended by themselves, or the time is up.
    fn run(
        &mut self,
        receiver: &Receiver<Message>,
        stop: &AtomicBool,
        waits: usize,
    ) -> Result<bool> {
        let mut ended = 0;
        let mut stopped: Option<Instant> = None;
        loop {
            let is_idle = match receiver.recv_timeout(TICK) {
                Ok(message) => {
                    let mut batches = Vec::new();
                    let mut bytes = 0;
                    let mut next = Some(message);
                    while let Some(message) = next {
                        match message {
                            Message::Batch(batch) => {
                                bytes += batch.content.bytes().len();
                                batches.push(batch);
                            }
                            Message::Remark(text) => self.remark(text),
                            Message::Ended => ended += 1,
                        }
                        next = (bytes < TOGETHER).then(|| receiver.try_recv().ok()).flatten();
                    }
                    self.take(batches)?;
                    false
                }
                Err(RecvTimeoutError::Timeout) => true,
                Err(RecvTimeoutError::Disconnected) => {
                    // Inputs that were asked to end have more to say to the next process.
                    let is_asked = stop.load(Ordering::Relaxed) && !self.is_over();
                    return Ok(!is_asked || self.log.is_none());
                }
            };
            self.end_groups(Instant::now());
            self.ask(Instant::now());
            self.tell()?;
            self.look()?;
            if self.config.exit_on_fail && self.has_failed {
                return Ok(false);
            }
            let is_over = self.is_over();
            if is_over {
                stop.store(true, Ordering::Relaxed);
            }
            if stop.load(Ordering::Relaxed) {
                // What was sent before the stop still counts; an input that waits for others may never end.
                let since = *stopped.get_or_insert_with(Instant::now);
                if is_idle && (ended >= waits || since.elapsed() > Duration::from_secs(1)) {
                    return Ok(is_over || self.log.is_none());
                }
            }
        }
    }

    /// Whether the time is up for which the watch lasts.
    fn is_over(&self) -> bool {
        self.config.lasts.is_some_and(|lasts| self.begun.elapsed() >= lasts)
    }

    /// Writes batches to the log, acknowledges and maps them.
    fn take(&mut self, mut batches: Vec<Batch>) -> Result<()> {
        for batch in &mut batches {
            if let Content::Spans(_, count) = batch.content {
                batch.line = self.spans.get(&batch.name).copied().unwrap_or(1);
                self.spans.insert(batch.name.clone(), batch.line.saturating_add(count));
            }
            if let Some(log) = &mut self.log {
                log.append(&Record::Batch(Logged::new(batch)));
            }
        }
        if let Err(error) = self.sync() {
            self.counters.healthy.store(false, Ordering::Relaxed);
            for receipt in batches.iter_mut().filter_map(|batch| batch.receipt.take()) {
                receipt.give(Taken::No(error.to_string()));
            }
            return Err(error);
        }
        let now = Instant::now();
        for mut batch in batches {
            if let Some(receipt) = batch.receipt.take() {
                receipt.give(Taken::Yes);
            }
            let segment = self.log.as_ref().map_or(0, |log| log.segment);
            self.feed(&Logged::new(&batch), segment, now)?;
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<()> {
        let Some(log) = &mut self.log else { return Ok(()) };
        let bytes = log.sync()?;
        if bytes > 0 {
            add(&self.counters.synced, 1);
            add(&self.counters.logged, bytes);
        }
        Ok(())
    }

    /// Maps a batch.
    pub(crate) fn feed(&mut self, batch: &Logged<'_>, segment: u64, now: Instant) -> Result<()> {
        if let Some(mark) = batch.file {
            let end = batch.offset + batch.bytes.len() as u64;
            let lines = memchr::memchr_iter(b'\n', batch.bytes).count();
            let line = batch.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
            self.read.insert(mark.inode, (mark, batch.name.to_owned(), end, line));
        }
        let key = (batch.name.to_owned(), batch.source);
        let log =
            *self.grown.entry(key).or_insert_with(|| self.stream.add(batch.name, batch.source));
        let Some(log) = log else {
            return Err(Error::Unfit(format!(
                "{}: logs of this format cannot be read while they grow; `otus analyze` reads them as a whole",
                batch.name
            )));
        };
        let before = self.stream.accounting().total;
        // What is read again was counted by the process that read it first.
        let uncounted = Counters::default();
        let counters = if self.is_recovering { &uncounted } else { &*self.counters };
        let mut taker = Taker {
            groups: &mut self.groups,
            follow: &mut self.follow,
            asked: &mut self.asked,
            watched: &mut self.watched,
            counters,
            config: &self.config,
            now,
            segment,
            discard: Vec::new(),
            failed: Vec::new(),
            over: Vec::new(),
            released: Vec::new(),
        };
        if batch.is_spans {
            self.stream.feed_spans(log, batch.line, batch.bytes, &mut taker);
        } else {
            let at = At { line: batch.line, offset: batch.offset };
            self.stream.feed(log, at, batch.bytes.to_vec(), &mut taker);
        }
        let Taker { discard, failed, over, released, .. } = taker;
        let tally = self.stream.accounting().total.since(before);
        add(&counters.records, tally.records);
        add(&counters.unmatched, tally.unmatched);
        add(&counters.unreadable, tally.unreadable);
        for (slot, case, answers) in released {
            self.ended(slot, Ended::Idle, Some(case), answers);
        }
        for (slot, place, event) in failed {
            self.fail(slot, place, event);
        }
        for slot in over {
            self.thin(slot);
        }
        for key in discard {
            self.stream.end(&key, &mut |_| {});
        }
        Ok(())
    }

    /// Tells that an open group fails, if the judge agrees.
    fn fail(&mut self, slot: u32, place: RunPlace, event: u64) {
        let Some(group) = self.groups.get(slot) else { return };
        let (key, generation, events) = (group.key.clone(), group.generation, group.events);
        let followed = group.followed.take();
        let is_told = self.told_before.contains(&(key.clone(), generation, About::Fail));
        let mut judged = None;
        if !is_told {
            let watched = &mut self.watched;
            self.stream.look(&key, &mut |observed| {
                judged = Some(watched.judge(observed, Asks::Open, Some(place)));
            });
        }
        let case = match judged {
            Some(Ok(case)) if case.verdict == Verdict::Fail => Some(case),
            // The judge is asked again when the group ends.
            Some(_) => None,
            None if is_told => Some(Case::default()),
            None => None,
        };
        if let Some(followed) = followed {
            self.follow.drop_group(followed);
        }
        let Some(case) = case else { return };
        if let Some(group) = self.groups.get(slot) {
            group.state = State::Failed;
        }
        if self.asked.is_empty() {
            self.stream.end(&key, &mut |_| {});
        }
        if is_told {
            return;
        }
        if let Some(log) = self.log.as_mut().filter(|_| !self.is_recovering) {
            log.append(&Record::Fail { key: (&*key).into(), generation });
        }
        self.has_failed = true;
        let told = self.told(&key, generation, Ended::Open, (events, Some(event)), case);
        self.pending.push(told);
    }

    /// Drops the events of a group that has too many.
    fn thin(&mut self, slot: u32) {
        if let Some(group) = self.groups.get(slot).filter(|group| group.state == State::Open) {
            group.is_thinned = true;
            let key = group.key.clone();
            self.stream.end(&key, &mut |_| {});
        }
    }

    fn told(
        &self,
        key: &[u8],
        generation: u32,
        ended: Ended,
        (events, event): (u64, Option<u64>),
        case: Case,
    ) -> Told {
        let name = String::from_utf8_lossy(key);
        Told {
            id: Told::id(&self.fingerprint, key, generation),
            group: if name.is_empty() { "all".to_owned() } else { name.into_owned() },
            generation,
            ended,
            events,
            event,
            property: None,
            case,
        }
    }

    /// Asks the formulas about the open groups whose time has come. Only what is final is told.
    fn ask(&mut self, now: Instant) {
        let waiting = std::mem::take(&mut self.asked.waiting);
        for slot in waiting {
            let Some(group) = self.groups.get(slot) else { continue };
            let is_asked = group.state != State::Judged && !group.is_thinned;
            let has_more = group.standing.told_count() < self.asked.properties.count();
            if !is_asked || !has_more {
                group.standing.is_waiting = false;
                continue;
            }
            if !group.standing.is_due(group.events, group.seen, now) {
                self.asked.waiting.push(slot);
                continue;
            }
            group.standing.is_waiting = false;
            let (key, generation, events) = (group.key.clone(), group.generation, group.events);
            let mut answers = Vec::new();
            let properties = &self.asked.properties;
            self.stream.look(&key, &mut |observed| answers = properties.early(observed));
            for (number, case) in answers {
                let Some(group) = self.groups.get(slot) else { continue };
                if group.standing.is_told(number) {
                    continue;
                }
                group.standing.tell(number);
                if let Some(log) = &mut self.log {
                    let formula = u32::try_from(number).unwrap_or(u32::MAX);
                    log.append(&Record::Answer { key: (&*key).into(), generation, formula });
                }
                self.answer(number, (&key, generation, events), Ended::Open, case);
            }
        }
    }

    /// Notes the answer to a formula, which will be told.
    fn answer(
        &mut self,
        number: usize,
        (key, generation, events): (&[u8], u32, u64),
        ended: Ended,
        case: Case,
    ) {
        self.has_failed |= case.verdict == Verdict::Fail;
        let mut told = self.told(key, generation, ended, (events, None), case);
        let properties = &self.asked.properties;
        let text = properties.texts().nth(number).unwrap_or_default();
        told.id = Told::id(&format!("{}\n{text}", self.fingerprint), key, generation);
        told.property = Some(properties.title(number).to_owned());
        self.pending.push(told);
    }

    /// The cases of the formulas about a group that ends.
    fn answers(&mut self, slot: u32) -> Vec<Case> {
        let Some(group) = self.groups.get(slot).filter(|_| !self.asked.is_empty()) else {
            return Vec::new();
        };
        let count = self.asked.properties.count();
        if group.is_thinned {
            let most = self.config.limits.kept;
            let reason = format!("it has more than {most} events, so they were not kept (--kept)");
            return vec![undecided(reason); count];
        }
        let mut answers = Vec::new();
        let properties = &self.asked.properties;
        self.stream.look(&group.key, &mut |observed| answers = properties.judge(observed));
        answers
    }

    /// Ends the groups whose time has come.
    fn end_groups(&mut self, now: Instant) {
        while let Some((slot, why)) = self.groups.next_end(&self.config.closing, now) {
            add(&self.counters.forced, u64::from(why == Ended::Forced));
            self.end(slot, why, now);
        }
        while let Some(slot) = self.groups.next_leaving(now) {
            if let Some(group) = self.groups.remove(slot) {
                self.stream.end(&group.key, &mut |_| {});
            }
        }
    }

    /// Ends a group now, and notes it in the log.
    pub(crate) fn end(&mut self, slot: u32, why: Ended, now: Instant) {
        let Some(group) = self.groups.get(slot) else { return };
        if group.state == State::Judged {
            return;
        }
        if let Some(log) = self.log.as_mut().filter(|_| !self.is_recovering) {
            let (key, generation) = ((*group.key).into(), group.generation);
            log.append(&Record::Close { key, generation, ended: why });
        }
        let answers = self.answers(slot);
        let case = self.judge(slot);
        self.ended(slot, why, case, answers);
        if let Some(reopen) = self.config.closing.reopen
            && self.groups.get(slot).is_some()
        {
            self.groups.linger(slot, now + reopen);
        }
    }

    /// The case of a group that ends; `None` if its failure was told.
    fn judge(&mut self, slot: u32) -> Option<Case> {
        let group = self.groups.get(slot)?;
        let (key, is_thinned, followed) =
            (group.key.clone(), group.is_thinned, group.followed.take());
        if group.state == State::Failed {
            // They were kept for the formulas.
            self.stream.end(&key, &mut |_| {});
            return None;
        }
        if is_thinned {
            let answer = followed.and_then(|followed| self.follow.close(followed));
            let most = self.config.limits.kept;
            let mut case = Case::default();
            case.verdict = answer.map_or(Verdict::Inconclusive, |answer| answer.verdict);
            case.reason = match case.verdict {
                Verdict::Pass | Verdict::WeakPass => None,
                Verdict::Fail => Some(
                    format!("it has more than {most} events, so they were not kept (--kept)")
                        .into(),
                ),
                Verdict::WeakFail | Verdict::Inconclusive => Some(
                    format!(
                        "it has more than {most} events, which are too many to be kept (--kept)"
                    )
                    .into(),
                ),
            };
            return Some(case);
        }
        if let Some(followed) = followed {
            self.follow.drop_group(followed);
        }
        let watched = &mut self.watched;
        let mut judged = None;
        let mut show = |observed: &Observed<'_>| {
            judged = Some(watched.judge(observed, Asks::Declared, None));
        };
        if self.config.closing.reopen.is_some() {
            self.stream.look(&key, &mut show);
        } else {
            self.stream.end(&key, &mut show);
        }
        // A trace that another one links to has become a part of it, and has no events of its own.
        judged.map(|judged| judged.unwrap_or_else(undecided))
    }

    /// Notes that a group has ended, and what will be told about it.
    fn ended(&mut self, slot: u32, why: Ended, case: Option<Case>, answers: Vec<Case>) {
        let Some(group) = self.groups.get(slot) else { return };
        let (key, generation, events) = (group.key.clone(), group.generation, group.events);
        let standing = std::mem::take(&mut group.standing);
        if self.config.closing.reopen.is_none() || group.state == State::Failed || group.is_thinned
        {
            self.groups.remove(slot);
        }
        let is_told = self.told_before.contains(&(key.clone(), generation, About::End));
        if let Some(case) = case.filter(|_| !is_told) {
            self.has_failed |= case.verdict == Verdict::Fail;
            let told = self.told(&key, generation, why, (events, None), case);
            self.pending.push(told);
        }
        for (number, case) in answers.into_iter().enumerate() {
            if !is_told && !standing.is_told(number) {
                self.answer(number, (&key, generation, events), why, case);
            }
        }
    }

    /// Tells what was found, after the log has what it follows from.
    pub(crate) fn tell(&mut self) -> Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        self.sync()?;
        self.outputs.tell_all(&std::mem::take(&mut self.pending))?;
        if let Some(log) = &mut self.log {
            self.outputs.sync()?;
            log.append(&Record::Told);
        }
        Ok(())
    }

    /// Looks at sizes now and then, and lets the log begin another segment.
    fn look(&mut self) -> Result<()> {
        if self.log.as_ref().is_some_and(Log::is_full) {
            if let Some(log) = &mut self.log {
                log.turn()?;
            }
            self.checkpoint()?;
        }
        if self.looked.elapsed() < LOOK {
            return Ok(());
        }
        self.looked = Instant::now();
        self.sync()?;
        let mut held = 0;
        let mut silent: Vec<String> = Vec::new();
        for slot in self.groups.in_order().into_iter().take(1000) {
            if let Some(followed) = self.groups.get(slot).and_then(|group| group.followed) {
                let own = self.follow.held(followed);
                held += own;
                if own >= 1000 && silent.is_empty() {
                    silent = self.follow.silent(followed);
                }
            }
        }
        let counters = &self.counters;
        set(&counters.open, self.groups.len());
        set(&counters.held, held);
        set(&counters.kept, self.stream.bytes());
        set(&counters.tables, self.follow.table_bytes());
        if let Some(log) = &self.log {
            set(&counters.segments, usize::try_from(log.segment - log.first + 1).unwrap_or(0));
            let is_old = self.groups.first_segment().unwrap_or(log.segment) > log.first;
            if is_old {
                self.checkpoint()?;
            }
        }
        if !silent.is_empty() && !self.is_recovering && self.config.status {
            self.remark(format!(
                "note: {held} events wait for {}; if it writes no log, say `unobserved = [\"{}\"]` in \
                 [observation] of otus.toml",
                silent.join(", "),
                silent.join("\", \"")
            ));
        }
        if self.config.status {
            self.remark(self.status());
        }
        Ok(())
    }

    /// The line of status.
    fn status(&self) -> String {
        let get = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
        let counters = &self.counters;
        format!(
            "{} groups open, {} events, {} pass, {} weak, {} fail, {} undecided, {} held, {} late, {} unmatched",
            self.groups.len(),
            get(&counters.events),
            get(&counters.pass),
            get(&counters.weak),
            get(&counters.fail),
            get(&counters.undecided),
            get(&counters.held),
            get(&counters.late),
            get(&counters.unmatched),
        )
    }

    fn checkpoint(&mut self) -> Result<()> {
        self.sync()?;
        let Some(log) = &mut self.log else { return Ok(()) };
        let checkpoint = Checkpoint {
            first: self.groups.first_segment().unwrap_or(log.segment).min(log.segment),
            positions: self.read.values().cloned().collect(),
            ended: self.groups.ended(),
            spans: self.spans.clone().into_iter().collect(),
        };
        log.keep_from(&checkpoint)
    }

    /// Judges the groups that are still open, if nothing more comes, and writes what is written at the end.
    fn finish(mut self, is_over: bool) -> Result<Stopped> {
        if is_over {
            for slot in self.groups.in_order() {
                self.end(slot, Ended::Stopped, Instant::now());
            }
        }
        self.tell()?;
        if self.groups.len() == 0
            && let Some(log) = &mut self.log
        {
            // Nothing need be read again.
            log.turn()?;
        }
        self.checkpoint()?;
        let open = if is_over { 0 } else { self.groups.len() };
        let get = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
        let counters = self.counters.clone();
        for finding in self.stream.take_findings() {
            let places = finding.places.first();
            let place = places.map(|place| {
                let file = self.stream.vocabulary().file(place.file);
                format!(" at {file}:{}", place.line)
            });
            let place = place.unwrap_or_default();
            let help = finding.help.map(|help| format!("; {help}")).unwrap_or_default();
            self.remark(format!("{}: {}{place}{help}", finding.code, finding.message));
        }
        self.remark(self.status());
        self.outputs.finish(&self.watched.run())?;
        Ok(Stopped {
            verdicts: [&counters.pass, &counters.weak, &counters.fail, &counters.undecided]
                .map(get),
            events: get(&counters.events),
            open,
        })
    }
}
