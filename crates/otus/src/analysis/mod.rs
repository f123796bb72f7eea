//! The analysis of multi-traces: from a request to cases.
//!
//! [`analyze`] reads the specification and sorts the inputs ([`inputs`], [`plan`]). [`Analysis::start`] then runs
//! workers on threads ([`pipeline`], [`worker`]); each turns multi-traces into cases ([`verdict`], [`wording`]). The
//! caller takes them in the order of the input from [`Running`].

mod alike;
pub(crate) mod attach;
mod baseline;
mod candidates;
pub(crate) mod coverage;
pub(crate) mod declared;
mod earlier;
mod fingerprint;
mod input_traces;
mod inputs;
mod judge;
pub(crate) mod legend;
pub mod live;
mod log_excerpt;
mod log_lines;
mod open;
mod pictures;
mod pipeline;
mod places;
mod plan;
mod relax;
mod request;
pub(crate) mod spec_text;
pub mod study;
mod tables;
mod vacuity;
mod values;
mod verdict;
mod wording;
mod worker;
mod wrong_order;

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use otus_core::Pool;
use otus_syntax::parser::MAX_DIAGNOSTICS;
use otus_trace::run::Accounting;
use otus_trace::{ComponentId, Partition};

use baseline::Met;
use candidates::Several;
pub(crate) use declared::Declared;
pub(crate) use input_traces::{Originals, originals};
use inputs::{Feed, Job};
pub(crate) use judge::{Judge, check_recorded};
pub(crate) use open::Opened;
pub use open::analyze;
use pipeline::{Ordered, Slot};
pub(crate) use plan::{Method, Plan, PlannedSpec};
pub use request::{
    Asked, EngineChoice, Explain, Limits, Request, SearchOptions, TextFormat, UniformObservation,
    WitnessPolicy,
};
use worker::{Part, Piece, Trouble, Worker};

use crate::case::{Case, Unusable};
use crate::context::{Context, Progress};
use crate::error::{Error, Result};
use crate::logs::unknown_names;
use crate::logs::{self, findings};
use crate::report::Run;
use crate::summary::{self, LifelineCount, LogSummary, Summary};
use crate::threads::threads;
use crate::units::counted;

/// Does a job on a thread.
type Work<T> = Box<dyn FnMut(Job, &Slot<Piece<T>>)>;

/// An analysis that is ready to start.
pub struct Analysis {
    /// For each specification: its plan.
    plans: Vec<Arc<Plan>>,
    /// With several specifications: the plans by which they are tried.
    trials: Vec<Arc<Plan>>,
    feed: Feed,
}

impl std::fmt::Debug for Analysis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Analysis").field("run", &self.run()).finish_non_exhaustive()
    }
}

impl Analysis {
    /// The head of a report, which is the same for all cases.
    pub fn run(&self) -> Run {
        self.plans[0].run()
    }

    /// The length of the whole lines in the file of results, if it exists. Before it appends, the caller truncates
    /// the file to this length, because a killed run may have left a partial line.
    pub fn results_length(&self) -> Option<u64> {
        self.plans[0].earlier.whole_bytes
    }

    /// The text that identifies specification and question in a file of results.
    pub fn fingerprint(&self) -> Option<&str> {
        self.plans[0].fingerprint.as_deref()
    }

    /// Starts the threads. Each thread applies `map` to its cases, so that cases are formatted in
    /// parallel.
    pub fn start<T: Send + 'static>(
        self,
        map: impl Fn(&Case) -> T + Send + Sync + 'static,
    ) -> Running<T> {
        self.start_fold(move |case, _| Some(map(case)))
    }

    /// Like [`start`](Self::start), with a function that may add a case to the last result instead
    /// of making a new one.
    pub fn start_fold<T: Send + 'static>(
        self,
        map: impl Fn(&Case, Option<&mut T>) -> Option<T> + Send + Sync + 'static,
    ) -> Running<T> {
        let Analysis { plans, trials, mut feed } = self;
        let map: worker::MapCase<T> = Arc::new(map);
        let (feeding, total_bytes) = (feed.shared.clone(), feed.total_bytes);
        let threads = threads(plans[0].request.threads);
        let (all, shared, own) = (plans.clone(), feeding.clone(), map.clone());
        let worker = move || -> Work<T> {
            let new = |plan: &Arc<Plan>| Worker::new(plan.clone(), own.clone());
            if let Some((_, choice)) = &all[0].choice {
                let workers = trials.iter().zip(&all).map(|(trial, plan)| (new(trial), new(plan)));
                let mut several = Several { choice: choice.clone(), workers: workers.collect() };
                Box::new(move |job, slot| several.work(job, slot))
            } else {
                let mut worker = new(&all[0]);
                Box::new(move |job, slot| worker.work(job, slot))
            }
        };
        let is_stuck = move || shared.cancel.is_cancelled() && shared.waits.load(Ordering::Relaxed);
        let stream = Ordered::start(threads, is_stuck, move |size| feed.next(size), worker);
        Running {
            plans,
            stream,
            map,
            feeding,
            progress: Progress { total_bytes, ..Progress::default() },
            ready: VecDeque::new(),
            summary: Summary::default(),
            troubles: Troubles::default(),
            met: Met::default(),
            by_spec: BTreeMap::new(),
        }
    }

    /// All cases, in the order of the input.
    pub fn cases(self) -> impl Iterator<Item = Result<Case>> {
        self.start(Case::clone).filter_map(|item| match item {
            Ok(Item::Case(case)) => Some(Ok(case)),
            Ok(Item::Unusable(_)) => None,
            Err(error) => Some(Err(error)),
        })
    }
}

/// A result of an analysis, in the order of the input.
#[derive(Debug)]
#[non_exhaustive]
pub enum Item<T> {
    /// A case, as the caller's function made it.
    Case(T),
    /// A multi-trace that could not be checked. The [`Monitor`](crate::Monitor) gets the details.
    Unusable(Unusable),
}

/// A running analysis: an iterator over its results.
pub struct Running<T> {
    plans: Vec<Arc<Plan>>,
    stream: Ordered<Piece<T>>,
    map: worker::MapCase<T>,
    feeding: Arc<inputs::Shared>,
    progress: Progress,
    ready: VecDeque<Item<T>>,
    summary: Summary,
    troubles: Troubles,
    met: Met,
    by_spec: BTreeMap<usize, Summary>,
}

impl<T> std::fmt::Debug for Running<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running").field("summary", &self.summary).finish_non_exhaustive()
    }
}

impl<T: Send + 'static> Iterator for Running<T> {
    type Item = Result<Item<T>>;

    fn next(&mut self) -> Option<Result<Item<T>>> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Some(Ok(item));
            }
            match self.stream.next()? {
                Ok(piece) => self.take(piece),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl<T> Running<T> {
    fn take(&mut self, piece: Piece<T>) {
        self.summary.add(&piece.summary);
        self.met.append(piece.met);
        for (number, summary) in piece.by_spec {
            self.by_spec.entry(number).or_default().add(&summary);
        }
        let context = &self.plans[0].context;
        for trouble in &piece.troubles {
            self.troubles.report(context, trouble);
        }
        self.progress.checked = self.summary.checked();
        self.progress.earlier = self.summary.earlier;
        self.progress.bytes = self.summary.bytes;
        self.progress.verdicts = self.summary.verdicts;
        context.monitor.progress(&self.progress);
        for part in piece.cases {
            let mapped = match part {
                Part::Done(mapped) => Some(mapped),
                Part::Tentative(mut case) => {
                    self.settle(&mut case);
                    (self.map)(&case, None)
                }
            };
            self.ready.extend(mapped.map(Item::Case));
        }
        let unusable = piece.troubles.iter().filter_map(Trouble::unusable);
        self.ready.extend(unusable.map(Item::Unusable));
    }

    /// Removes the explanation and the picture of a case that is not among the first ones.
    fn settle(&self, case: &mut Case) {
        let plan = &self.plans[0];
        let is_counted = case.verdict == otus_analysis::Verdict::Fail && !case.known;
        if is_counted {
            let number = plan.explained.fetch_add(1, Ordering::Relaxed);
            if plan.request.explain.limit().is_some_and(|limit| number >= limit) {
                case.explanation = None;
                case.picture = None;
            }
        }
        if let Some(pictures) = &plan.pictures {
            pictures.settle(case);
        }
    }

    /// The counts so far.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Ends the analysis: reports findings about the logs, and returns the totals. Call it when the iterator has ended.
    ///
    /// # Errors
    /// If the request asks for a group that does not exist.
    pub fn finish(mut self) -> Result<Finished> {
        let plan = self.plans[0].clone();
        let context = &plan.context;
        let is_cancelled = plan.is_cancelled();
        self.summary.interrupted += self.feeding.unread.load(Ordering::Relaxed);
        if is_cancelled {
            self.summary.interrupted += self.feeding.unread_tables.load(Ordering::Relaxed);
        }
        let accounting = &self.feeding.accounting;
        let accounting = accounting.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.summary.logs = accounting.as_ref().map(LogSummary::new);
        self.summary.is_unobserved = self.summary.logs.is_some()
            && self.summary.is_vacuous()
            && plan.request.allow_empty != Some(true);
        if let [only] = &*self.plans {
            let lifelines = only.spec.pool.lifelines(only.spec.term);
            self.summary.lifelines = Some(LifelineCount::new(&self.summary.acted, &lifelines));
        }
        if let (Some(accounting), Some(group)) = (&accounting, &plan.request.group)
            && self.summary.has_no_group()
            && !is_cancelled
        {
            findings::report(context, accounting);
            return Err(Error::Unfit(logs::no_group(group)));
        }
        let explained = plan.explained.load(Ordering::Relaxed);
        let explained =
            plan.request.explain.limit().map_or(explained, |limit| explained.min(limit));
        let verdicts = self.summary.verdicts;
        self.summary.unexplained = (verdicts.fail - verdicts.known).saturating_sub(explained);
        let unmet = self.met.unmet(&plan.known);
        self.summary.fixed = self.met.fixed(&plan.known);
        if let Some((_, choice)) = &plan.choice {
            let specs = choice.specs.iter().enumerate().map(|(number, spec)| {
                (spec.name.to_string(), self.by_spec.remove(&number).unwrap_or_default())
            });
            self.summary.by_spec = specs.collect();
        }
        if let Some(covering) = &plan.covering {
            let report = covering.report(&plan.spec.pool, &self.summary);
            self.summary.coverage = Some(Box::new(report));
        }
        self.troubles.finish(context);
        // A caller that repeats requests about the same specification has seen these warnings
        // already.
        let warned = if plan.request.is_spec_known { &[][..] } else { &self.plans };
        for plan in warned {
            for warning in vacuity::warnings(plan, &self.summary) {
                let warning = match &plan.choice {
                    Some((number, choice)) => format!("{}: {warning}", choice.specs[*number].name),
                    None => warning,
                };
                context.remark(format!("warning: {warning}"));
                self.summary.warnings.push(warning);
            }
        }
        if plan.request.explain == Explain::Short && self.summary.unexplained > 0 {
            let count = self.summary.unexplained;
            let verb = if count == 1 { "is" } else { "are" };
            let more = counted(count, "more failure");
            context.remark(format!("{more} {verb} not explained (--explain full explains all)"));
        }
        let baseline = self.met.baseline(&plan.known, &self.summary);
        let remarks = accounting.map(|accounting| log_remarks(&accounting, &self.plans));
        let log_remarks = remarks.unwrap_or_default();
        Ok(Finished { summary: self.summary, baseline, unmet, is_cancelled, log_remarks, plan })
    }
}

/// The totals of an analysis.
#[derive(Debug)]
#[non_exhaustive]
pub struct Finished {
    /// The counts.
    pub summary: Summary,
    /// The text of the new baseline and the number of its failures, if one is to be written and the analysis was not
    /// cancelled.
    pub baseline: Option<(String, usize)>,
    /// The number of ids of the baseline that did not occur, and the number of all its ids, if
    /// there is a baseline.
    pub unmet: Option<(usize, usize)>,
    /// Whether the analysis was cancelled, so that some inputs may not have been checked.
    pub is_cancelled: bool,
    log_remarks: Vec<String>,
    plan: Arc<Plan>,
}

impl Finished {
    /// The findings about the raw logs, in words.
    pub fn log_remarks(&self) -> &[String] {
        &self.log_remarks
    }

    /// The coverage as a picture of the specification, if the request asks for it.
    pub fn coverage_picture(
        &self,
        format: crate::PictureFormat,
        style: &crate::PictureStyle,
    ) -> Option<crate::Picture> {
        let covering = self.plan.covering.as_ref()?;
        let scene = covering.scene(&self.plan.spec.pool, self.summary.coverage.as_ref()?);
        Some(crate::picture::render_or_svg(&scene, format, style))
    }
}

fn log_remarks(accounting: &Accounting, plans: &[Arc<Plan>]) -> Vec<String> {
    let mut all =
        plans.iter().map(|it| unknown_names::warnings(accounting, it.spec.pool.signature()));
    let mut unknown = all.next().unwrap_or_default();
    // With several specifications, a name counts as known if one of them has it.
    all.for_each(|other| unknown.retain(|line| other.contains(line)));
    findings::warnings(accounting).into_iter().chain(unknown).collect()
}

/// Reports problems with inputs; only the first ones are reported in full.
#[derive(Debug, Default)]
struct Troubles {
    /// The number of findings about texts that were reported, and the number of those that were
    /// not.
    shown: usize,
    hidden: usize,
    /// The other reasons, each with the number of times that it was not repeated.
    reasons: BTreeMap<String, usize>,
}

impl Troubles {
    fn report(&mut self, context: &Context, trouble: &Trouble) {
        match trouble {
            Trouble::Text { found, .. } => {
                let found = found.clone().without_notes();
                let count = found.findings().len();
                if self.shown >= MAX_DIAGNOSTICS {
                    self.hidden += count;
                    return;
                }
                self.shown += count;
                context.warn(found);
            }
            Trouble::Other { id, reason, .. } => {
                if let Some(times) = self.reasons.get_mut(reason) {
                    *times += 1;
                    return;
                }
                let id = id.as_ref().map(|id| format!("{id}: ")).unwrap_or_default();
                context.remark(format!("otus: {id}{reason}"));
                // Reasons are counted only while they are few. They concern partitions and files,
                // so typically either few reasons are repeated often, or every reason is different.
                if self.reasons.len() < MAX_DIAGNOSTICS {
                    self.reasons.insert(reason.clone(), 0);
                }
            }
        }
    }

    fn finish(&self, context: &Context) {
        if self.hidden > 0 {
            let verb = if self.hidden == 1 { "is" } else { "are" };
            let hidden = counted(self.hidden, "more finding");
            context.remark(format!("{hidden} {verb} not shown"));
        }
        for (reason, times) in self.reasons.iter().filter(|(_, times)| **times > 0) {
            context.remark(format!("otus: {}: {reason}", counted(*times, "more time")));
        }
    }
}

fn lifelines(partition: &Partition, component: ComponentId, pool: &Pool) -> Vec<String> {
    let lifelines = partition.lifelines(component).iter();
    lifelines.map(|&lifeline| pool.signature().lifeline_name(lifeline).to_owned()).collect()
}
