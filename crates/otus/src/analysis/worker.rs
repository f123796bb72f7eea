//! A worker: the part of an analysis that runs on one thread.
//!
//! A worker has its own pool, and an engine for each partition that it meets. An engine reuses its tables for later
//! multi-traces, but a case depends on its multi-trace alone.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use otus_analysis::values::ValueEngine;
use otus_analysis::{Config, Engine, Question, Verdict, engine};
use otus_core::{ActionId, Pool, TermId};
use otus_syntax::{Severity, Source, parse_trace};
use otus_trace::run::Group;
use otus_trace::{Facts, MultiTrace, Partition, QuickReader};
use rustc_hash::FxHashMap;

use super::alike::Alike;
use super::baseline::Met;
use super::inputs::{Job, TraceFile, read_case};
use super::pictures::{self, Drawn};
use super::pipeline::Slot;
use super::places::{From, Origin, TablePlaces};
use super::plan::{Method, Plan};
use super::request::Explain;
use super::spec_text::excerpt_of;
use super::tables::{TableRun, TableRuns};
use super::values::Guarded;
use super::verdict::Subject;
use super::wording::Failure;
use crate::case::{Case, NoAttachment, Place, Unusable};
use crate::diagnostics::Diagnostics;
use crate::error::Result;
use crate::load::{Sources, options};
use crate::summary::{self, Summary};
use crate::table::{Known, RunRows};

/// Turns a case into the caller's result, or adds it to the previous result. The worker threads call it, so that
/// formatting is parallel.
pub(super) type MapCase<T> = Arc<dyn Fn(&Case, Option<&mut T>) -> Option<T> + Send + Sync>;

/// The results of some multi-traces.
#[derive(Debug)]
pub(super) struct Piece<T> {
    pub(super) cases: Vec<Part<T>>,
    pub(super) troubles: Vec<Trouble>,
    pub(super) summary: Summary,
    pub(super) met: Met,
    /// With several specifications: the counts for each.
    pub(super) by_spec: BTreeMap<usize, Summary>,
    /// With several specifications: the number of explained actions of a failure.
    pub(super) reached: usize,
}

/// A case on its way to the caller.
#[derive(Debug)]
pub(super) enum Part<T> {
    Done(T),
    /// A case that keeps its explanation or picture only if it is among the first of the input. Only the consumer,
    /// which sees the cases in order, knows that.
    Tentative(Box<Case>),
}

impl<T> Default for Piece<T> {
    fn default() -> Self {
        Piece {
            cases: Vec::new(),
            troubles: Vec::new(),
            summary: Summary::default(),
            met: Met::default(),
            by_spec: BTreeMap::new(),
            reached: 0,
        }
    }
}

impl<T> Piece<T> {
    pub(super) fn append(&mut self, mut other: Piece<T>) {
        self.cases.append(&mut other.cases);
        self.troubles.append(&mut other.troubles);
        self.summary.add(&other.summary);
        self.met.append(other.met);
        for (number, summary) in other.by_spec {
            self.by_spec.entry(number).or_default().add(&summary);
        }
    }

    fn add_trouble(&mut self, trouble: Trouble) {
        self.summary.unusable += usize::from(trouble.unusable().is_some());
        self.troubles.push(trouble);
    }

    fn push(&mut self, case: &Case, map: &MapCase<T>) {
        let last = match self.cases.last_mut() {
            Some(Part::Done(last)) => Some(last),
            Some(Part::Tentative(_)) | None => None,
        };
        let new = map(case, last);
        self.cases.extend(new.map(Part::Done));
    }

    fn add_interrupted(&mut self) {
        self.summary.interrupted += 1;
    }
}

/// A problem of a multi-trace, or of the text that contains it.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// Findings about the text of a multi-trace; in a case file, also the line of the case.
    Text { found: Diagnostics, case: Option<CaseLine> },
    /// Another reason, and whether it prevented the check of the multi-trace.
    Other { id: Option<String>, reason: String, is_unusable: bool },
}

#[derive(Debug, Clone)]
pub(crate) struct CaseLine {
    pub(super) id: Option<String>,
    pub(super) file: String,
    pub(super) line: usize,
}

impl Trouble {
    /// The multi-trace that could not be checked because of this problem, if any.
    pub(super) fn unusable(&self) -> Option<Unusable> {
        match self {
            Trouble::Text { found: Diagnostics { sources, found }, case } => {
                let found = found.iter().find(|found| found.severity == Severity::Error)?;
                let message = found.message.clone();
                if let Some(CaseLine { id, file, line }) = case {
                    let place = Some(Place { file: file.clone(), line: *line, columns: None });
                    return Some(Unusable { id: id.clone(), message, place });
                }
                let source = sources.get(found.primary.source.0 as usize)?;
                let place = Some(excerpt_of(source, found.primary.span).place);
                Some(Unusable { id: None, message, place })
            }
            Trouble::Other { id, reason, is_unusable } => is_unusable.then(|| Unusable {
                id: id.clone(),
                message: reason.clone(),
                place: None,
            }),
        }
    }
}

pub(super) struct Worker<T> {
    plan: Arc<Plan>,
    map: MapCase<T>,
    pool: Pool,
    /// The reader, which is taken out while its multi-trace is analysed.
    reader: Option<Box<QuickReader>>,
    prepared: PreparedEngines,
    /// The fields that guards name, if the specification has values.
    guarded: Option<Guarded>,
    /// The failures of a job so far with an explanation, and the cases that may have a picture; both only if they are
    /// among the first.
    explained: usize,
    drawn: pictures::Met,
    /// The case that a bulk run reuses for every multi-trace, because a new case would cost as much as a
    /// short analysis.
    scratch: Option<Box<Case>>,
    /// By letter of the table whose runs are judged: its action in the pool, if it was looked up.
    actions: Vec<Option<ActionId>>,
}

/// The data that all multi-traces over a partition share.
#[derive(Debug)]
pub(super) struct Prepared {
    /// The partition in words.
    text: Arc<str>,
    pub(super) question: Question,
    pub(super) engine: PreparedEngine,
}

/// The key of an engine: the properties for which it was made.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct PreparedKey {
    partition: Arc<Partition>,
    term: TermId,
}

#[derive(Debug)]
pub(super) enum PreparedEngine {
    /// The fast engines, and the number of states they have created so far.
    Fast(Box<Engines>, u64),
    Graph(Arc<Config>),
}

/// The fast engines of a specification.
#[derive(Debug)]
pub(super) struct Engines {
    /// That of the interaction without its values.
    pub(super) plain: Engine,
    /// That of the interaction with its values, if it has any.
    pub(super) valued: Option<ValueEngine>,
    /// What the first one answered to the declared question about groups.
    pub(super) alike: Alike,
}

impl Engines {
    fn new(plan: &Plan, pool: &Pool, term: TermId, partition: &Partition) -> Self {
        let valued = plan.spec.valued.as_ref();
        Engines {
            plain: Engine::new(pool, term, partition, engine::Options::default()),
            valued: valued.map(|valued| ValueEngine::new(pool, term, valued, partition)),
            alike: Alike::default(),
        }
    }
}

/// The maximum number of partitions that are cached. With `[#any]`, every multi-trace may have its
/// own.
const MOST_PARTITIONS: usize = 256;

/// The maximum number of states that an engine creates before it is replaced. Its tables grow by some hundred bytes
/// for each new state.
const MOST_STATES: u64 = 1_000_000;

/// The maximum number of terms that a pool gains before it is replaced.
const MOST_TERMS: usize = 1 << 20;

impl<T: Send + 'static> Worker<T> {
    pub(super) fn new(plan: Arc<Plan>, map: MapCase<T>) -> Worker<T> {
        let pool = plan.spec.pool.clone();
        let reader = Some(Box::new(QuickReader::new(&pool)));
        let (prepared, drawn) = (PreparedEngines::default(), pictures::Met::default());
        let guarded = plan.spec.valued.as_deref().map(Guarded::new);
        Worker {
            plan,
            map,
            pool,
            reader,
            prepared,
            guarded,
            explained: 0,
            drawn,
            scratch: None,
            actions: Vec::new(),
        }
    }

    pub(super) fn work(&mut self, job: Job, slot: &Slot<Piece<T>>) {
        (self.explained, self.drawn) = (0, pictures::Met::default());
        match job {
            Job::Lines { name, first, bytes } => {
                self.lines(&name, first, &bytes, slot);
                slot.add(|piece| piece.summary.bytes += bytes.len() as u64);
            }
            Job::Files(files) => {
                for file in &files {
                    self.file(file, slot);
                }
            }
            Job::Groups(groups) => {
                for group in &groups {
                    self.group(group, slot);
                }
            }
            Job::Runs(runs) => self.runs(runs, slot),
            Job::Trouble(trouble) => slot.add(|piece| piece.add_trouble(*trouble)),
        }
    }

    fn lines(&mut self, name: &str, first: usize, bytes: &[u8], slot: &Slot<Piece<T>>) {
        let mut start = 0;
        for (index, end) in memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]).enumerate() {
            let line = &bytes[start..end];
            start = (end + 1).min(bytes.len());
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let number = first + index;
            match std::str::from_utf8(line) {
                Ok(line) => self.line(name, number, line, slot),
                Err(_) => {
                    let mut sources = Sources::default();
                    sources.add_bytes(format!("{name}:{number}"), line.to_vec());
                    let case = Some(CaseLine { id: None, file: name.to_owned(), line: number });
                    let found = Diagnostics::new(sources.all, sources.diagnostics);
                    slot.add(|piece| piece.add_trouble(Trouble::Text { found, case }));
                }
            }
        }
    }

    fn line(&mut self, name: &str, number: usize, line: &str, slot: &Slot<Piece<T>>) {
        if self.plan.is_cancelled() {
            return slot.add(Piece::add_interrupted);
        }
        match read_case(line, number) {
            Ok(None) => {}
            Ok(Some([id, htf])) => {
                let from = From::Case { file: name, line: number, text: &htf };
                self.text(&id, &htf, from, slot);
            }
            Err(diagnostic) => {
                let source = Source::new(name, line).from_line(number);
                let found = Diagnostics::new(vec![source], vec![*diagnostic]);
                slot.add(|piece| piece.add_trouble(Trouble::Text { found, case: None }));
            }
        }
    }

    fn group(&mut self, group: &Group, slot: &Slot<Piece<T>>) {
        if self.plan.is_cancelled() {
            return slot.add(Piece::add_interrupted);
        }
        let mut known = None;
        if self.plan.request.ignore_unknown_messages == Some(true) && !group.unknown.is_empty() {
            known.insert(group.clone()).drop_unknown();
        }
        let group = known.as_ref().unwrap_or(group);
        // Undeclared messages are added to a copy of the pool, so that they do not become known to the
        // next group.
        let mut scratch = (!group.unknown.is_empty()).then(|| self.pool.clone());
        let pool = scratch.as_mut().unwrap_or(&mut self.pool);
        let trace = group.trace(pool, &self.plan.spec.partners);
        let valued = self.plan.spec.valued.as_ref();
        let facts = valued.map(|valued| group.facts(&trace, &valued.fields));
        slot.add(|piece| piece.summary.groups += 1);
        let origin = Origin { from: From::Raw { group }, names: scratch.as_ref() };
        self.judge(&group.id, (&trace, facts.as_ref()), &origin, slot);
        self.renew();
    }

    fn runs(&mut self, TableRuns { known, order, runs }: TableRuns, slot: &Slot<Piece<T>>) {
        for TableRun { name, rows } in runs {
            if self.plan.is_cancelled() {
                slot.add(Piece::add_interrupted);
                continue;
            }
            match rows {
                Ok(mut rows) => self.rows((&name, &order), &mut rows, &known, slot),
                Err(reason) => {
                    let trouble = Trouble::Other { id: Some(name), reason, is_unusable: true };
                    slot.add(|piece| piece.add_trouble(trouble));
                }
            }
        }
    }

    /// Judges the run of a table, whose events are ordered by a column.
    pub(super) fn rows(
        &mut self,
        (run, column): (&str, &str),
        rows: &mut RunRows,
        known: &Known,
        slot: &Slot<Piece<T>>,
    ) {
        let mut scratch = None;
        if rows.has_unknown(known) {
            if self.plan.request.ignore_unknown_messages == Some(true) {
                rows.drop_unknown(known);
            } else {
                // As for groups, they do not become known to the next run.
                scratch = Some(self.pool.clone());
            }
        }
        let (trace, facts) = match &mut scratch {
            Some(pool) => rows.observed(known, &mut Vec::new(), pool),
            None => rows.observed(known, &mut self.actions, &mut self.pool),
        };
        let places = TablePlaces { run, column, orders: rows.orders(), trace: &trace };
        let origin = Origin { from: From::Table { places: &places }, names: scratch.as_ref() };
        self.judge(run, (&trace, facts.as_ref()), &origin, slot);
        self.renew();
    }

    fn file(&mut self, file: &TraceFile, slot: &Slot<Piece<T>>) {
        if self.plan.is_cancelled() {
            return slot.add(Piece::add_interrupted);
        }
        let TraceFile { path, id, bytes } = file;
        let mut sources = Sources::default();
        let read = || crate::load::read(&*self.plan.context.files, path);
        match bytes.clone().map_or_else(read, Ok) {
            Ok(bytes) => sources.add_bytes(path.clone(), bytes),
            Err(error) => {
                let (reason, is_unusable) = (error.to_string(), true);
                let trouble = Trouble::Other { id: None, reason, is_unusable };
                return slot.add(|piece| piece.add_trouble(trouble));
            }
        };
        if !sources.diagnostics.is_empty() {
            let found = Diagnostics::new(sources.all, sources.diagnostics);
            return slot.add(|piece| piece.add_trouble(Trouble::Text { found, case: None }));
        }
        let Some(source) = sources.all.pop() else { return };
        slot.add(|piece| piece.summary.bytes += source.text().len() as u64);
        if bytes.is_none() && self.read(source.text()) {
            // The text of a long log is dropped before the analysis, to save memory.
            drop(source);
            self.judge_read(id, From::File { path }, slot);
        } else {
            let origin = From::Text { name: source.name(), text: source.text() };
            self.text(id, source.text(), origin, slot);
        }
    }

    fn text(&mut self, id: &str, text: &str, from: From<'_>, slot: &Slot<Piece<T>>) {
        if self.read(text) {
            return self.judge_read(id, from, slot);
        }
        let source = Source::new(from.name(id), text);
        let parsed = parse_trace(&source);
        // Undeclared messages are added to a copy of the pool, so that they do not become known to the next
        // multi-trace.
        let is_declared = otus_trace::is_declared(&parsed.tree, self.pool.signature());
        let mut scratch = (!is_declared).then(|| self.pool.clone());
        let pool = scratch.as_mut().unwrap_or(&mut self.pool);
        let (trace, facts, found) = match &self.plan.spec.valued {
            Some(valued) => {
                let lowered = otus_trace::lower_with_facts(&parsed.tree, pool, &valued.fields);
                (lowered.0, Some(lowered.1), lowered.2)
            }
            None => {
                let (trace, found) = otus_trace::lower(&parsed.tree, pool);
                (trace, None, found)
            }
        };
        let mut diagnostics = parsed.diagnostics;
        diagnostics.extend(found);
        let found = Diagnostics::new(vec![source], diagnostics).without_notes();
        let is_faulty = found.has_errors();
        if !found.is_empty() {
            let case = from.case_line(id);
            slot.add(|piece| piece.add_trouble(Trouble::Text { found, case }));
        }
        if is_faulty {
            return;
        }
        let origin = Origin { from, names: scratch.as_ref() };
        self.judge(id, (&trace, facts.as_ref()), &origin, slot);
        self.renew();
    }

    /// Reads a text without a syntax tree, if it is simple enough.
    fn read(&mut self, text: &str) -> bool {
        let reader = self.reader.as_mut();
        reader.is_some_and(|reader| reader.read(text, &mut self.pool).is_some())
    }

    /// Judges the multi-trace that the reader has read. Such a text has no values.
    fn judge_read(&mut self, id: &str, from: From<'_>, slot: &Slot<Piece<T>>) {
        if let Some(reader) = self.reader.take() {
            let trace = reader.trace();
            let valued = self.plan.spec.valued.as_ref();
            let facts = valued.map(|valued| Facts::unknown(trace, valued.fields.items.len()));
            self.judge(id, (trace, facts.as_ref()), &Origin { from, names: None }, slot);
            self.reader = Some(reader);
        }
        self.renew();
    }

    /// Replaces a pool that has grown too much.
    pub(super) fn renew(&mut self) {
        let is_large = self.pool.term_count() > self.plan.spec.pool.term_count() + MOST_TERMS;
        if is_large {
            *self = Worker::new(self.plan.clone(), self.map.clone());
        }
    }

    /// Judges a multi-trace; with the values of its events, if the specification has values.
    pub(super) fn judge(
        &mut self,
        id: &str,
        (trace, facts): (&MultiTrace, Option<&Facts>),
        origin: &Origin<'_>,
        slot: &Slot<Piece<T>>,
    ) {
        let plan = &*self.plan;
        if let Some(verdict) = plan.earlier.take(id) {
            slot.add(|piece| piece.summary.acted.add(&self.pool, trace));
            return self.add_earlier(id, verdict, trace.len(), slot);
        }
        // Without a time limit there is no clock to start. Copying the budget would cost as much as a short analysis.
        let started = plan.budget.timeout.map(|_| {
            plan.budget.cancel.beat();
            plan.budget.started()
        });
        let prepared = self.prepared.find(plan, &self.pool, trace);
        let budget = started.as_ref().unwrap_or(&plan.budget);
        let group = if let From::Raw { group } = origin.from { Some(group) } else { None };
        let is_regarded =
            matches!(plan.method, Method::Fast(_)) && plan.request.ignore_order != Some(true);
        let order = group.filter(|_| is_regarded).and_then(|group| group.order(trace));
        let subject = Subject { plan, budget, id, trace, facts, group, order: order.as_ref() };
        let decided = prepared.and_then(|prepared| {
            Ok((subject.decide(&mut self.pool, prepared, &mut self.drawn)?, prepared))
        });
        let (found, prepared) = match decided {
            Ok(decided) => decided,
            Err(reason) => {
                let trouble = Trouble::Other { id: Some(id.to_owned()), reason, is_unusable: true };
                return slot.add(|piece| piece.add_trouble(trouble));
            }
        };
        if let Some((guarded, facts)) = self.guarded.as_ref().zip(facts) {
            let question = found.asked.as_ref().unwrap_or(&prepared.question);
            let names = origin.names.unwrap_or(&self.pool);
            let unlogged = guarded.unlogged(names, question, (trace, facts));
            let count = unlogged.map_or(0, |unlogged| unlogged.count());
            slot.add(|piece| piece.summary.unknown_values += count);
        }
        if plan.is_bulk() {
            let mut case =
                self.scratch.take().unwrap_or_else(|| Box::new(Case::new(id, Verdict::Pass)));
            subject.fill(&mut case, &found);
            if !Arc::ptr_eq(&case.partition, &prepared.text) {
                case.partition = prepared.text.clone();
            }
            slot.add(|piece| {
                piece.summary.count(case.verdict, case.actions);
                piece.summary.acted.add(&self.pool, trace);
                piece.push(&case, &self.map);
            });
            self.scratch = Some(case);
            return;
        }
        let question = found.asked.as_ref().unwrap_or(&prepared.question);
        let explain = plan.request.explain;
        let mut case = subject.case(&found, question, &self.pool, origin);
        case.partition = prepared.text.clone();
        case.attachments = subject.attachments(&mut self.pool, question, &found);
        let names = origin.names.unwrap_or(&self.pool);
        let mut met = Met::default();
        // The failures that precede this one in its job also precede it in the input.
        let before = self.explained.max(plan.explained.load(Ordering::Relaxed));
        let is_fail = case.verdict == Verdict::Fail;
        let is_among_first = is_fail
            && !plan.known.is_known_for_any_cause(id)
            && explain.limit().is_none_or(|limit| before < limit);
        let needs_cause = is_fail && plan.known.needs_cause(id, explain);
        let is_drawn = plan.pictures.is_some() && before < pictures::FAILURES;
        let order = order.as_ref().filter(|_| found.is_by_order);
        let furthest = found.furthest.as_deref();
        let by_value = found.by_value.as_deref();
        let failure =
            Failure { trace, facts, furthest, by_value, names, question, origin, order, is_drawn };
        let is_explained = is_among_first || needs_cause;
        let explained = is_explained.then(|| failure.explain(plan, budget, explain));
        let (explanation, picture) = explained.flatten().unzip();
        case.known = plan.known.note(id, case.verdict, explanation.as_ref(), &mut met);
        let mut is_tentative = found.is_drawn;
        if is_fail && (is_among_first || case.known) && explain != Explain::None {
            case.explanation = explanation.map(Box::new);
            case.picture = picture.flatten().map(Box::new);
        }
        if is_among_first && !case.known {
            self.explained += 1;
            is_tentative = true;
        }
        if let Some(witness) = found.witness.as_ref().filter(|_| found.is_drawn) {
            let places = origin.from.places(trace, plan);
            let drawn = Drawn { plan, trace, places: &places };
            case.picture = Some(Box::new(drawn.picture(&self.pool, None, Some(witness))));
        }
        slot.add(|piece| piece.summary.acted.add(&self.pool, trace));
        if found.asked.is_some() {
            let silent = group.into_iter().flat_map(|group| group.silent.iter());
            let names = silent.map(|&it| self.pool.signature().lifeline_name(it).to_owned());
            slot.add(|piece| piece.summary.silent.extend(names));
        }
        self.add(case, is_tentative, met, slot);
    }

    fn add_earlier(&self, id: &str, verdict: Verdict, actions: usize, slot: &Slot<Piece<T>>) {
        let mut case = Case::new(id, verdict);
        let mut met = Met::default();
        case.outcome = summary::outcome(verdict, self.plan.request.fail_on);
        case.actions = actions;
        case.is_earlier = true;
        case.known = self.plan.known.note_earlier(id, verdict, &mut met);
        slot.add(|piece| piece.summary.earlier += 1);
        self.add(case, false, met, slot);
    }

    fn add(&self, case: Case, is_tentative: bool, met: Met, slot: &Slot<Piece<T>>) {
        let (verdict, actions, known) = (case.verdict, case.actions, case.known);
        let reached = case.furthest.iter().map(|log| log.explained).sum();
        let attachments = case.attachments.iter();
        let missing: Vec<NoAttachment> =
            attachments.filter_map(|it| it.content.as_ref().err().cloned()).collect();
        let id = (!missing.is_empty()).then(|| case.id.clone());
        slot.add(|piece| {
            piece.summary.count(verdict, actions);
            piece.summary.verdicts.known += usize::from(known);
            piece.met.append(met);
            piece.reached = reached;
            for NoAttachment { reason, is_error } in missing {
                piece.summary.is_attachment_missing |= is_error;
                let id = id.clone();
                piece.add_trouble(Trouble::Other { id, reason, is_unusable: false });
            }
            if is_tentative {
                return piece.cases.push(Part::Tentative(Box::new(case)));
            }
            piece.push(&case, &self.map);
        });
    }
}

/// The engines of a worker.
#[derive(Debug, Default)]
struct PreparedEngines {
    all: Vec<(PreparedKey, Result<Prepared, String>)>,
    /// By key: the index in `all`.
    by_key: FxHashMap<PreparedKey, usize>,
    /// The index of the one that was used last. Most multi-traces of a file have the same partition, and need no look-up.
    last: usize,
}

impl PreparedEngines {
    /// The engine for a multi-trace. The error is the reason why the declarations do not fit its partition.
    fn find(
        &mut self,
        plan: &Plan,
        pool: &Pool,
        trace: &MultiTrace,
    ) -> Result<&mut Prepared, String> {
        let (partition, term) = (trace.shared_partition(), plan.spec.term_for(pool, trace));
        let last = self.all.get(self.last).map(|(key, _)| key);
        if !last.is_some_and(|key| key.term == term && Arc::ptr_eq(&key.partition, partition)) {
            let key = PreparedKey { partition: partition.clone(), term };
            self.last = match self.by_key.get(&key) {
                Some(&known) => known,
                None => self.add(plan, pool, key),
            };
        }
        let (_, prepared) = &mut self.all[self.last];
        let prepared = prepared.as_mut().map_err(|reason| reason.clone())?;
        if let PreparedEngine::Fast(engines, made) = &mut prepared.engine
            && *made > MOST_STATES
        {
            **engines = Engines::new(plan, pool, term, partition);
            *made = 0;
        }
        Ok(prepared)
    }

    /// Makes an engine; returns its index.
    fn add(&mut self, plan: &Plan, pool: &Pool, key: PreparedKey) -> usize {
        if self.all.len() >= MOST_PARTITIONS {
            *self = PreparedEngines::default();
        }
        let index = self.all.len();
        let prepared = Prepared::new(plan, pool, &key);
        self.by_key.insert(key.clone(), index);
        self.all.push((key, prepared));
        index
    }
}

impl Prepared {
    fn new(plan: &Plan, pool: &Pool, key: &PreparedKey) -> Result<Prepared, String> {
        let PreparedKey { partition, term } = key;
        let signature = pool.signature();
        let (question, engine) = match &plan.method {
            Method::Graph(config, question) => {
                (question.clone(), PreparedEngine::Graph(config.clone()))
            }
            Method::Fast(declared) => {
                let question = declared.question(partition, signature)?;
                let engines = Engines::new(plan, pool, *term, partition);
                (question, PreparedEngine::Fast(Box::new(engines), 0))
            }
        };
        Ok(Prepared { text: options::describe(partition, signature).into(), question, engine })
    }
}
