//! One thread's part: multi-traces in, answers out.
//!
//! A worker has a pool of its own and an engine for each partition it meets, which learns from one
//! multi-trace for the next. Whatever it says depends on the multi-trace alone.

use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use otus_analysis::certify::{certify, closed};
use otus_analysis::engine::Options;
use otus_analysis::graph::record::{Context, Graph};
use otus_analysis::graph::{self, Silent, State};
use otus_analysis::refute::{NotRefuted, check_refutation, refute};
use otus_analysis::{Config, Engine, Question, Verdict, Witness};
use otus_core::Pool;
use otus_syntax::diagnostic::any_error;
use otus_syntax::{Diagnostic, Severity, Source, SourceId, parse_trace};
use otus_trace::case::{self, LinePlace};
use otus_trace::{ComponentId, MultiTrace, Partition, QuickReader};
use rustc_hash::FxHashMap;

use super::answer::{Answer, Found, Unexplained};
use super::pictures::{self, Accepted};
use super::plan::{Effort, LogName, Method, Plan};
use super::seen::Seen;
use super::spec_text;
use super::tally::{self, Tally};
use super::{known, ladder};
use crate::args::{Format, VerdictFormat};
use crate::baseline::Failure;
use crate::feed::Job;
use crate::group::Group;
use crate::input::Inputs;
use crate::pipeline::{self, Slot};
use crate::report::model::{self, Case, Unusable};
use crate::{certificate_file, options, order_file};

/// What is said about some multi-traces.
#[derive(Debug, Default)]
pub(super) struct Piece {
    /// What is written to outputs, but for failures that are offered an explanation.
    pub(super) out: Bytes,
    /// The same for reports.
    pub(super) cases: Vec<Case>,
    /// Failures that are explained if they are among the first.
    pub(super) offers: Vec<Offer>,
    pub(super) troubles: Vec<Trouble>,
    pub(super) tally: Tally,
    /// For a new baseline: all failures.
    pub(super) failures: Vec<Failure>,
    /// Ids of the baseline that were met, and whether they fail.
    pub(super) listed: Vec<(String, bool)>,
    /// With several specifications: verdicts by the number of one.
    pub(super) by_spec: Vec<(usize, Tally)>,
    /// With several specifications: how many actions of a failure were explained.
    pub(super) reached: usize,
}

impl Piece {
    /// Adds what comes after it.
    pub(super) fn append(&mut self, mut other: Piece) {
        let outputs = self.out.len().max(other.out.len());
        self.out.resize(outputs, Vec::new());
        other.out.resize(outputs, Vec::new());
        for mut offer in other.offers {
            offer.before.resize(outputs, 0);
            for (before, out) in offer.before.iter_mut().zip(&self.out) {
                *before += out.len();
            }
            offer.case = offer.case.map(|case| case + self.cases.len());
            self.offers.push(offer);
        }
        for (all, more) in self.out.iter_mut().zip(&other.out) {
            all.extend_from_slice(more);
        }
        self.cases.append(&mut other.cases);
        self.troubles.append(&mut other.troubles);
        self.tally.add(&other.tally);
        self.failures.append(&mut other.failures);
        self.listed.append(&mut other.listed);
        self.by_spec.append(&mut other.by_spec);
    }
}

/// By output.
pub(super) type Bytes = Vec<Vec<u8>>;

/// A failure that is explained if it is among the first. Whether it is, only whoever prints knows.
#[derive(Debug)]
pub(super) struct Offer {
    /// By output: how much of the piece comes before it.
    pub(super) before: Vec<usize>,
    pub(super) explained: Bytes,
    pub(super) plain: Bytes,
    /// The number of its case, if there are cases.
    pub(super) case: Option<usize>,
}

/// Something that is wrong with a multi-trace, or with what it is in.
#[derive(Debug)]
pub(super) enum Trouble {
    /// With its text; if that is a part of a case file, of which case.
    Text { sources: Vec<Source>, diagnostics: Vec<Diagnostic>, case: Option<CaseLine> },
    /// With what is asked about it: its id, if it is known, the reason, and whether it could not be
    /// checked because of that.
    Other { id: Option<String>, reason: String, is_unusable: bool },
}

/// A line of a case file.
#[derive(Debug, Clone)]
pub(super) struct CaseLine {
    /// Its id, if it has one.
    pub(super) id: Option<String>,
    pub(super) file: String,
    pub(super) line: usize,
}

impl Trouble {
    /// For reports, if something could not be checked because of it.
    pub(super) fn unusable(&self) -> Option<Unusable> {
        match self {
            Trouble::Text { sources, diagnostics, case } => {
                let found = diagnostics.iter().find(|found| found.severity == Severity::Error)?;
                let message = found.message.clone();
                if let Some(CaseLine { id, file, line }) = case {
                    let (file, line) = (file.clone(), *line);
                    let place = Some(model::Place { file, line, columns: None });
                    return Some(Unusable { id: id.clone(), message, place });
                }
                let source = sources.get(found.primary.source.0 as usize)?;
                let (place, ..) = spec_text::place(source, found.primary.span);
                Some(Unusable { id: None, message, place: Some(place) })
            }
            Trouble::Other { id, reason, is_unusable } => is_unusable.then(|| Unusable {
                id: id.clone(),
                message: reason.clone(),
                place: None,
            }),
        }
    }
}

/// Does the analyses of one thread.
#[derive(Debug)]
pub(super) struct Worker {
    plan: Arc<Plan>,
    pool: Pool,
    reader: QuickReader,
    prepared: FxHashMap<Arc<Partition>, Prepared>,
    /// How many of this job had something that only the first ones have.
    met: Met,
}

/// How many multi-traces of a job there were so far that get something if they are among the first.
#[derive(Debug, Default)]
struct Met {
    /// Failures that were offered an explanation.
    offered: usize,
    /// What is accepted and may be drawn.
    accepted: Accepted,
}

impl Met {
    /// Whether what is accepted may be drawn; asked once of each.
    fn is_drawn(&mut self, plan: &Plan, verdict: Verdict) -> bool {
        plan.pictures.as_ref().is_some_and(|it| it.is_wanted(verdict, &mut self.accepted))
    }
}

/// What is the same for all multi-traces over a partition.
#[derive(Debug)]
struct Prepared {
    /// The partition in words.
    text: String,
    asked: Asked,
}

#[derive(Debug)]
enum Asked {
    Fast {
        engine: Box<Engine>,
        question: Question,
        /// How many states it has made so far.
        made: u64,
    },
    Graph,
    /// What is declared does not fit the partition.
    Unfit(String),
}

/// How many partitions are kept ready. With `[#any]` every multi-trace may have its own.
const MOST_PARTITIONS: usize = 256;

/// How many states an explanation may take that nobody insists on.
const EXPLAINING_STATES: u64 = 20_000;

/// How many states an engine may make before it is made anew. Its tables grow by some hundred bytes
/// for a state that it has not met before.
const MOST_STATES: u64 = 1_000_000;

/// How many terms a pool may gain before it is made anew.
const MOST_TERMS: usize = 1 << 20;

impl Worker {
    pub(super) fn new(plan: Arc<Plan>) -> Worker {
        let pool = plan.pool.clone();
        let reader = QuickReader::new(&pool);
        Worker { plan, pool, reader, prepared: FxHashMap::default(), met: Met::default() }
    }

    /// Some lines of a case file.
    fn lines(&mut self, name: &str, first: usize, bytes: &[u8], slot: &Slot<Piece>) {
        let mut start = 0;
        for (index, end) in memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]).enumerate() {
            let line = &bytes[start..end];
            start = (end + 1).min(bytes.len());
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match std::str::from_utf8(line) {
                Ok(line) => self.line(name, first + index, line, slot),
                Err(_) => {
                    let mut inputs = Inputs::default();
                    let number = first + index;
                    inputs.add_bytes(format!("{name}:{number}"), line.to_vec());
                    let case = CaseLine { id: None, file: name.to_owned(), line: number };
                    unusable(slot, inputs.sources, inputs.diagnostics, Some(case));
                }
            }
        }
    }

    fn line(&mut self, name: &str, number: usize, line: &str, slot: &Slot<Piece>) {
        if self.plan.is_cancelled() {
            return slot.add(|piece| piece.tally.interrupted += 1);
        }
        if let Some(glance) = case::glance(line) {
            let seen = Seen::case(name, number, &glance.htf);
            return match glance.id {
                Some(id) => self.text(&id, &glance.htf, seen, slot),
                None => self.text(&number.to_string(), &glance.htf, seen, slot),
            };
        }
        let place = LinePlace { source: SourceId(0), start: 0, line: number };
        match case::parse_line(line, place) {
            Ok(None) => {}
            Ok(Some(case)) => {
                let seen = Seen::case(name, number, &case.htf);
                self.text(&case.id, &case.htf, seen, slot);
            }
            Err(diagnostic) => {
                let source = Source::new(name, line).from_line(number);
                unusable(slot, vec![source], vec![*diagnostic], None);
            }
        }
    }

    /// A group of raw logs.
    fn group(&mut self, group: &Group, slot: &Slot<Piece>) {
        if self.plan.is_cancelled() {
            return slot.add(|piece| piece.tally.interrupted += 1);
        }
        let Worker { plan, pool, prepared, met, .. } = self;
        // Undeclared messages are added to a pool, and must not be known to the next group.
        let mut scratch = (!group.unknown.is_empty()).then(|| pool.clone());
        let trace = group.trace(scratch.as_mut().unwrap_or(pool));
        slot.add(|piece| piece.tally.groups += 1);
        let seen = Seen::raw(group).with(scratch.as_ref());
        judge(plan, pool, prepared, met, (&group.id, &trace), seen, slot);
        self.renew();
    }

    /// A file with one multi-trace.
    fn file(&mut self, path: &str, id: &str, slot: &Slot<Piece>) {
        if self.plan.is_cancelled() {
            return slot.add(|piece| piece.tally.interrupted += 1);
        }
        let mut inputs = Inputs::default();
        match inputs.read_as(path, Format::Htf) {
            Ok(_) => self.source(inputs, Some(path), id, slot),
            Err(error) => trouble(slot, None, error.to_string()),
        }
    }

    /// A text that has been read, if it is one, and the file that it is in.
    fn source(&mut self, mut inputs: Inputs, path: Option<&str>, id: &str, slot: &Slot<Piece>) {
        if !inputs.diagnostics.is_empty() {
            return unusable(slot, inputs.sources, inputs.diagnostics, None);
        }
        let Some(source) = inputs.sources.pop() else { return };
        if path.is_some() {
            slot.add(|piece| piece.tally.bytes += source.text().len() as u64);
        }
        if let Some(path) = path
            && self.reader.read(source.text(), &mut self.pool).is_some()
        {
            // The text of a long log is not kept while it is analysed.
            drop(source);
            let Worker { plan, pool, reader, prepared, met } = self;
            let seen = Seen::file(path);
            judge(plan, pool, prepared, met, (id, reader.trace()), seen, slot);
            self.renew();
        } else {
            let seen = Seen::text(source.name(), source.text());
            self.text(id, source.text(), seen, slot);
        }
    }

    /// The text of a multi-trace.
    fn text(&mut self, id: &str, text: &str, seen: Seen<'_>, slot: &Slot<Piece>) {
        let Worker { plan, pool, reader, prepared, met } = self;
        if let Some(trace) = reader.read(text, pool) {
            judge(plan, pool, prepared, met, (id, trace), seen, slot);
        } else {
            let source = Source::new(seen.name(id), text);
            let parsed = parse_trace(&source);
            // Undeclared messages are added to a pool, and must not be known to the next trace.
            let declared = otus_trace::is_declared(&parsed.tree, pool.signature());
            let mut scratch = (!declared).then(|| pool.clone());
            let (trace, found) =
                otus_trace::lower(&parsed.tree, scratch.as_mut().unwrap_or(&mut *pool));
            let mut diagnostics = parsed.diagnostics;
            diagnostics.extend(found);
            if any_error(&diagnostics) {
                return unusable(slot, vec![source], diagnostics, seen.case_line(id));
            }
            diagnostics.retain(|found| found.severity > Severity::Note);
            if !diagnostics.is_empty() {
                let case = seen.case_line(id);
                let trouble = Trouble::Text { sources: vec![source], diagnostics, case };
                slot.add(|piece| piece.troubles.push(trouble));
            }
            judge(plan, pool, prepared, met, (id, &trace), seen.with(scratch.as_ref()), slot);
        }
        self.renew();
    }

    /// Begins anew when the pool has grown too much.
    fn renew(&mut self) {
        if self.pool.term_count() > self.plan.pool.term_count() + MOST_TERMS {
            *self = Worker::new(self.plan.clone());
        }
    }
}

impl pipeline::Worker for Worker {
    type Job = Job;
    type Piece = Piece;

    fn work(&mut self, job: Job, slot: &Slot<Piece>) {
        self.met = Met::default();
        match job {
            Job::Lines { name, first, bytes } => {
                self.lines(&name, first, &bytes, slot);
                slot.add(|piece| piece.tally.bytes += bytes.len() as u64);
            }
            Job::Files(files) => {
                for (path, id) in files {
                    self.file(&path, &id, slot);
                }
            }
            Job::Text { name, bytes, id } => {
                slot.add(|piece| piece.tally.bytes += bytes.len() as u64);
                let mut inputs = Inputs::default();
                inputs.add_bytes(name, bytes);
                self.source(inputs, None, &id, slot);
            }
            Job::Groups(groups) => {
                for group in &groups {
                    self.group(group, slot);
                }
            }
            // Whoever has several specifications takes these apart.
            Job::Choices(_) => {}
            Job::Empty(name) => {
                let trouble = Trouble::Other {
                    id: None,
                    reason: format!("no cases in {name}"),
                    is_unusable: false,
                };
                slot.add(|piece| piece.troubles.push(trouble));
            }
            Job::Unusable { source, diagnostic } => {
                unusable(slot, vec![*source], vec![*diagnostic], None);
            }
            Job::Unreadable(reason) => trouble(slot, None, reason),
        }
    }
}

/// The first action of each component that could not be explained, and where a raw log has it.
fn unexplained(
    group: &Group,
    trace: &MultiTrace,
    furthest: &[u32],
    pool: &Pool,
    files: &[LogName],
) -> Vec<Unexplained> {
    let partition = trace.partition();
    let first = |(component, &reached): (ComponentId, &u32)| {
        let step = trace.steps(component).get(reached as usize)?;
        let place = group.place(trace, component, reached as usize)?;
        Some(Unexplained {
            action: pool.action(step.action()).text(pool.signature()),
            file: files.get(place.file.0 as usize)?.name.clone(),
            line: place.line,
        })
    };
    partition.components().zip(furthest).filter_map(first).collect()
}

/// A multi-trace whose text is of no use.
fn unusable(
    slot: &Slot<Piece>,
    sources: Vec<Source>,
    diagnostics: Vec<Diagnostic>,
    case: Option<CaseLine>,
) {
    slot.add(|piece| {
        piece.tally.unusable += 1;
        piece.troubles.push(Trouble::Text { sources, diagnostics, case });
    });
}

/// A multi-trace that cannot be analysed.
fn trouble(slot: &Slot<Piece>, id: Option<&str>, reason: String) {
    slot.add(|piece| {
        piece.tally.unusable += 1;
        piece.troubles.push(Trouble::Other {
            id: id.map(str::to_owned),
            reason,
            is_unusable: true,
        });
    });
}

/// Analyses a multi-trace and says what was found.
fn judge(
    plan: &Plan,
    pool: &mut Pool,
    prepared: &mut FxHashMap<Arc<Partition>, Prepared>,
    met: &mut Met,
    (id, trace): (&str, &MultiTrace),
    seen: Seen<'_>,
    slot: &Slot<Piece>,
) {
    if let Some(verdict) = plan.earlier.take(id) {
        return slot.add(|piece| {
            piece.tally.count(verdict, trace.len());
            piece.tally.earlier += 1;
            // Its cause was not kept.
            let known = known::of_earlier(plan, id, verdict, piece);
            if plan.is_modelled {
                let outcome = tally::outcome(verdict, plan.fail_on);
                let case = Case::earlier(id, verdict, outcome, trace.len());
                piece.cases.push(Case { known, ..case });
            }
        });
    }
    if prepared.len() >= MOST_PARTITIONS && !prepared.contains_key(trace.partition()) {
        prepared.clear();
    }
    let prepared = match prepared.entry(trace.shared_partition().clone()) {
        Entry::Occupied(known) => known.into_mut(),
        Entry::Vacant(free) => free.insert(prepare(plan, pool, trace.partition())),
    };
    let Prepared { text, asked } = prepared;
    let found = match (&mut *asked, &plan.method) {
        (Asked::Fast { engine, question, made }, _) => {
            if *made > MOST_STATES {
                **engine = Engine::new(pool, plan.term, trace.partition(), Options::default());
                *made = 0;
            }
            let found = decide(plan, pool, engine, question, (id, trace), met);
            *made += found.as_ref().map_or(0, |found| found.states);
            found
        }
        (Asked::Graph, Method::Graph(config, _)) => search(plan, pool, config, (id, trace), met),
        (Asked::Unfit(reason), _) => Err(reason.clone()),
        (Asked::Graph, Method::Fast(_)) => Err(bug(id, "the engine", "is another")),
    };
    let found = match found {
        Ok(found) => found,
        Err(reason) => return trouble(slot, Some(id), reason),
    };
    if let Some(path) = &plan.certificate {
        let missing = match found.verdict {
            Verdict::Fail => certificate(path, plan, pool, trace, asked).err(),
            Verdict::Pass | Verdict::WeakPass => {
                Some(NoCertificate::Needless("nothing failed".to_owned()))
            }
            Verdict::WeakFail | Verdict::Inconclusive => {
                Some(NoCertificate::Needless("the verdict is undecided".to_owned()))
            }
        };
        if let Some(missing) = missing {
            no_certificate(slot, id, missing);
        }
    }
    if let Some(path) = &plan.order
        && let Err(reason) = order_file::write(path, pool, trace, found.witness.as_ref())
    {
        let trouble = Trouble::Other {
            id: Some(id.to_owned()),
            reason: format!("{reason:#}"),
            is_unusable: false,
        };
        slot.add(|piece| piece.troubles.push(trouble));
    }
    let question = match asked {
        Asked::Fast { question, .. } => Some(&*question),
        Asked::Graph | Asked::Unfit(_) => None,
    };
    let (kind, engine) = ((plan.kind, plan.by_observed), plan.method.name());
    let names = seen.names().unwrap_or(pool);
    let unexplained = match (seen.group(), &found.furthest) {
        (Some(group), Some(furthest)) => unexplained(group, trace, furthest, names, &plan.files),
        (Some(_), None) | (None, _) => Vec::new(),
    };
    let partition = &*text;
    let (explanation, known) = (None, false);
    let choice = plan.choice.as_ref();
    if let (Some(furthest), Some(_)) = (&found.furthest, choice) {
        let reached = furthest.iter().map(|&reached| reached as usize).sum();
        slot.add(|piece| piece.reached = reached);
    }
    let tried = match choice {
        Some((_, choice)) if found.verdict == Verdict::Fail => {
            choice.candidates(id).into_iter().map(|number| choice.name(number)).collect()
        }
        Some(_) | None => Vec::new(),
    };
    let mut answer = Answer {
        id,
        trace,
        found,
        question,
        kind,
        engine,
        partition,
        unexplained,
        explanation,
        known,
        spec: choice.map(|(number, choice)| choice.name(*number)),
        tried,
    };
    let verdict = answer.found.verdict;
    let outcome = tally::outcome(verdict, plan.fail_on);
    let asked = match (question, &plan.method) {
        (Some(question), _) | (None, Method::Graph(_, question)) => Some(question),
        (None, Method::Fast(_)) => None,
    };
    let is_drawn = plan.pictures.is_some() && pictures::is_drawn(plan, met.offered);
    let explain = |effort: Effort| {
        ladder::explanation(plan, (effort, is_drawn), (trace, names), asked?, &seen)
    };
    let mut worked_out = None;
    if known::matters(plan, id) {
        worked_out = known::cause(plan, id, verdict, explain);
        let why = worked_out.as_ref().map(|(explanation, _)| explanation);
        slot.add(|piece| answer.known = known::settle(plan, id, verdict, why, piece));
        if answer.known {
            let (explanation, picture) = worked_out.filter(|_| plan.effort.is_some()).unzip();
            answer.explanation = explanation.map(Box::new);
            let picture = picture.flatten().map(Box::new);
            return slot.add(|piece| {
                piece.tally.count(verdict, trace.len());
                write(plan, &answer, pool, &mut piece.out);
                if plan.is_modelled {
                    let case = answer.case(pool, outcome, seen.origin());
                    piece.cases.push(Case { picture, ..case });
                }
            });
        }
    }
    let wanted = plan.effort.filter(|effort| {
        // What is behind so many others of its job is behind so many others.
        let before = met.offered.max(plan.offered.load(Ordering::Relaxed));
        verdict == Verdict::Fail && effort.limit().is_none_or(|limit| before < limit)
    });
    let Some(effort) = wanted else {
        let witness = answer.found.witness.as_ref().filter(|_| answer.found.is_drawn);
        let picture = witness.map(|witness| {
            Box::new(pictures::accepted(plan, pool, trace, witness, &seen.places(trace, plan)))
        });
        if !plan.shows_witness(verdict) {
            // It was for the picture only, and whether there is one depends on other threads.
            answer.found.witness = None;
        }
        return slot.add(|piece| {
            piece.tally.count(verdict, trace.len());
            write(plan, &answer, pool, &mut piece.out);
            if plan.is_modelled {
                let case = answer.case(pool, outcome, seen.origin());
                piece.cases.push(Case { picture, ..case });
            }
        });
    };
    met.offered += 1;
    let mut plain = Bytes::default();
    write(plan, &answer, pool, &mut plain);
    let (explanation, picture) = worked_out.or_else(|| explain(effort)).unzip();
    answer.explanation = explanation.map(Box::new);
    let mut explained = Bytes::default();
    write(plan, &answer, pool, &mut explained);
    slot.add(|piece| {
        piece.tally.count(verdict, trace.len());
        let before = (0..plan.formats.len()).map(|at| piece.out.get(at).map_or(0, Vec::len));
        let before = before.collect();
        let case = plan.is_modelled.then_some(piece.cases.len());
        if plan.is_modelled {
            let case = answer.case(pool, outcome, seen.origin());
            piece.cases.push(Case { picture: picture.flatten().map(Box::new), ..case });
        }
        piece.offers.push(Offer { before, explained, plain, case });
    });
}

/// Puts an answer together for all outputs whose format is ours.
fn write(plan: &Plan, answer: &Answer<'_>, pool: &Pool, out: &mut Bytes) {
    out.resize(plan.formats.len(), Vec::new());
    for (at, (format, out)) in plan.formats.iter().zip(out).enumerate() {
        match format {
            VerdictFormat::Text => answer.text(pool, plan.colored && at == 0, out),
            VerdictFormat::Jsonl => {
                let asked = plan.asked.as_deref().filter(|_| at + 1 == plan.formats.len());
                answer.line(pool, asked, out);
            }
            VerdictFormat::Junit
            | VerdictFormat::Sarif
            | VerdictFormat::Github
            | VerdictFormat::Tap
            | VerdictFormat::Markdown
            | VerdictFormat::Html => {}
            VerdictFormat::Json => {
                // One of the results of a document, which is indented.
                let text = format!("{:#}", answer.json(pool)).replace('\n', "\n    ");
                out.extend_from_slice(b"    ");
                out.extend_from_slice(text.as_bytes());
                out.extend_from_slice(b",\n");
            }
        }
    }
}

fn prepare(plan: &Plan, pool: &Pool, partition: &Partition) -> Prepared {
    let signature = pool.signature();
    let asked = match &plan.method {
        Method::Graph(..) => Asked::Graph,
        Method::Fast(declared) => match declared.question(partition, signature) {
            Ok(question) => {
                let engine = Engine::new(pool, plan.term, partition, Options::default());
                Asked::Fast { engine: Box::new(engine), question, made: 0 }
            }
            Err(reason) => Asked::Unfit(reason),
        },
    };
    Prepared { text: options::describe(partition, signature), asked }
}

/// What the fast engine finds.
fn decide(
    plan: &Plan,
    pool: &mut Pool,
    engine: &mut Engine,
    question: &Question,
    (id, trace): (&str, &MultiTrace),
    met: &mut Met,
) -> Result<Found, String> {
    let start = Instant::now();
    let outcome = engine.analyze(trace, question, &plan.budget);
    let elapsed = start.elapsed();
    let is_drawn = met.is_drawn(plan, outcome.verdict);
    let wanted = (is_drawn || plan.shows_witness(outcome.verdict))
        && plan.explained > 0
        && trace.moment_count() <= plan.explained;
    let is_pass = outcome.verdict >= Verdict::WeakPass;
    let covering = plan.covering.as_ref().filter(|_| is_pass);
    let covering = covering.filter(|covering| !covering.again(trace));
    let mut witness = if wanted || covering.is_some() {
        witness(plan, pool, engine, (id, trace), (question, outcome.verdict))?
    } else {
        None
    };
    if let Some(covering) = covering {
        let asked = (question, outcome.verdict);
        covering.count(pool, trace, asked, witness.as_ref());
        witness = witness.filter(|_| wanted);
    }
    Ok(Found {
        verdict: outcome.verdict,
        states: outcome.states,
        stop: outcome.stop,
        reason: outcome.stop.is_early().then(|| outcome.stop.reason().into()),
        unexplained: wanted && witness.is_none(),
        witness,
        furthest: outcome.furthest,
        is_drawn,
        elapsed,
    })
}

/// An execution that explains a verdict of the fast engine, re-checked; none if the budget ends
/// before there is one.
fn witness(
    plan: &Plan,
    pool: &mut Pool,
    engine: &mut Engine,
    (id, trace): (&str, &MultiTrace),
    (question, verdict): (&Question, Verdict),
) -> Result<Option<Witness>, String> {
    let mut budget = plan.budget.clone();
    if plan.explained < usize::MAX {
        // Nobody insists, and the verdict is there. Coverage needs a step or two for each moment.
        let moments = if plan.covering.is_some() { trace.moment_count() as u64 } else { 0 };
        let enough = EXPLAINING_STATES + 4 * moments;
        budget.max_states = budget.max_states.map(|most| most.min(enough));
    }
    let found = engine.witness(pool, plan.term, trace, question, verdict, &budget);
    let Some(witness) = found else { return Ok(None) };
    certify(pool, plan.term, trace, (question, verdict), &witness)
        .map_err(|error| bug(id, "the explanation", &format!("does not hold ({error})")))?;
    Ok(Some(witness))
}

/// Why there is no certificate.
enum NoCertificate {
    /// None was to be had; the verdict is as good without it.
    Needless(String),
    /// There should be one.
    Failed(String),
}

/// Says that there is no certificate. Whoever asked for one that should be there relies on it, so
/// that is an error, whatever the verdict.
fn no_certificate(slot: &Slot<Piece>, id: &str, missing: NoCertificate) {
    let (reason, failed) = match missing {
        NoCertificate::Needless(why) => (format!("no certificate was written, since {why}"), false),
        NoCertificate::Failed(reason) => (reason, true),
    };
    slot.add(|piece| {
        piece.tally.unwritten |= failed;
        piece.troubles.push(Trouble::Other { id: Some(id.to_owned()), reason, is_unusable: false });
    });
}

/// Writes why nothing explains a multi-trace, checked.
fn certificate(
    path: &str,
    plan: &Plan,
    pool: &mut Pool,
    trace: &MultiTrace,
    asked: &Asked,
) -> Result<(), NoCertificate> {
    let question = match (asked, &plan.method) {
        (Asked::Fast { question, .. }, _) | (_, Method::Graph(_, question)) => question,
        (Asked::Graph | Asked::Unfit(_), Method::Fast(_)) => return Ok(()),
    };
    let certificate = match refute(pool, plan.term, trace, question, &plan.budget) {
        Ok(certificate) => certificate,
        Err(NotRefuted::TooLarge(stop)) => {
            return Err(NoCertificate::Needless(stop.reason().to_owned()));
        }
        Err(NotRefuted::Explained { .. }) => {
            return Err(NoCertificate::Failed(
                "a bug in Otus: Fail, and yet there is an explanation; please report it".to_owned(),
            ));
        }
    };
    check_refutation(pool, plan.term, trace, question, &certificate)
        .map_err(|error| bug(path, "the certificate", &format!("does not hold ({error})")))
        .map_err(NoCertificate::Failed)?;
    certificate_file::write(path, pool, trace, &certificate)
        .map_err(|error| NoCertificate::Failed(format!("{error:#}")))
}

fn bug(id: &str, what: &str, is: &str) -> String {
    format!("a bug in Otus: {what} of {id} {is}, please report it")
}

/// What a search of the papers finds, with its witness re-checked.
fn search(
    plan: &Plan,
    pool: &mut Pool,
    config: &Config,
    (id, trace): (&str, &MultiTrace),
    met: &mut Met,
) -> Result<Found, String> {
    let term = plan.term;
    let mut recorded = Graph::default();
    let observer: &mut dyn graph::Observer =
        if plan.graph.is_some() { &mut recorded } else { &mut Silent };
    let start = Instant::now();
    let outcome = graph::analyze(pool, term, trace, config, observer)
        .map_err(|unfit| format!("it cannot be analysed this way: {unfit}"))?;
    let elapsed = start.elapsed();
    if let Some(witness) = &outcome.witness {
        let claim = (config.kind, outcome.verdict);
        certify(pool, term, trace, claim, witness)
            .map_err(|error| bug(id, "the explanation", &format!("does not hold ({error})")))?;
    }
    if let (Some(covering), Method::Graph(_, question)) = (&plan.covering, &plan.method)
        && outcome.verdict >= Verdict::WeakPass
    {
        let asked = (question, outcome.verdict);
        covering.count(pool, trace, asked, outcome.witness.as_ref());
    }
    if let Some(file) = &plan.graph {
        if outcome.verdict == Verdict::Fail {
            let states: Vec<State> = recorded.nodes.iter().map(|node| node.state.clone()).collect();
            closed(pool, term, trace, (config, Verdict::Fail), &states)
                .map_err(|error| bug(id, "the refutation", &format!("is not closed ({error})")))?;
        }
        let context = Context { pool, positions: &outcome.positions, trace: Some(trace) };
        file.write(&context, &recorded, Some(outcome.verdict))
            .map_err(|error| format!("{error:#}"))?;
    }
    Ok(Found {
        verdict: outcome.verdict,
        states: outcome.nodes,
        stop: outcome.stop,
        reason: outcome.reason.map(Into::into),
        unexplained: false,
        witness: outcome.witness.filter(|_| plan.explained > 0),
        furthest: None,
        is_drawn: met.is_drawn(plan, outcome.verdict),
        elapsed,
    })
}
