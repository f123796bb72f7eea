//! Finds a run of a request by its id, and judges it.
//!
//! The inputs are read as an analysis reads them, until the run is found. If there are several specifications, the run
//! belongs to the one that explains most of it, as in an analysis.

use std::sync::Arc;

use otus_analysis::Verdict;
use otus_core::Pool;
use otus_syntax::{Source, parse_trace};
use otus_trace::MultiTrace;

use super::super::Analysis;
use super::super::inputs::{Job, TraceFile, read_case};
use super::super::judge::only_case;
use super::super::open::analyze;
use super::super::pipeline::Slot;
use super::super::plan::{Method, Plan};
use super::super::request::{Explain, Request};
use super::super::worker::{MapCase, Piece, Worker};
use super::{Held, Study};
use crate::case::Case;
use crate::context::Context;
use crate::error::{Error, Result, unfit};

/// A run that was found, by plan: with several specifications, raw logs are read once for each.
type Found = Vec<Held>;

impl Study {
    /// Finds the run with an id among the inputs of a request, and judges it.
    ///
    /// # Errors
    /// Those of [`analyze`](crate::analyze), if there is no such run, or if it cannot be checked.
    pub fn open(context: &Context, request: &Request, id: &str) -> Result<Study> {
        let full = Request {
            pictures: true,
            explain: match request.explain {
                Explain::None => Explain::Short,
                told @ (Explain::Short | Explain::First(_) | Explain::Full) => told,
            },
            coverage: true,
            group: Some(id.to_owned()),
            is_spec_known: true,
            ..request.clone()
        };
        // Coverage knows the place of every step, and needs one specification. The group is for raw logs only.
        let without_coverage = Request { coverage: false, ..full.clone() };
        let without_group = Request { group: None, ..full.clone() };
        let plain = Request { group: None, ..without_coverage.clone() };
        let mut last = None;
        for attempt in [full, without_coverage, without_group, plain] {
            match analyze(context, &attempt) {
                Ok(analysis) => return Study::find(analysis, id),
                Err(error) => last = Some(error),
            }
        }
        Err(last.unwrap_or_else(|| Error::Bug("no attempt was made".to_owned())))
    }

    fn find(analysis: Analysis, id: &str) -> Result<Study> {
        let Analysis { plans, mut feed, .. } = analysis;
        while let Some(job) = feed.next(1 << 20) {
            let Some(found) = find_in(job, id, plans.len()) else { continue };
            let studies = plans.iter().zip(found).map(|(plan, held)| judge(plan, held, id));
            let studies: Vec<Study> = studies.collect::<Result<_>>()?;
            let explained = |study: &Study| -> usize {
                study.case.furthest.iter().map(|it| it.explained).sum()
            };
            let best = |study: &Study| (study.case.verdict, explained(study));
            // Of equally good ones, the first counts.
            let best = studies.into_iter().rev().max_by_key(best);
            return best.ok_or_else(|| Error::Bug("there is no specification".to_owned()));
        }
        if plans.first().is_some_and(|plan| plan.is_cancelled()) {
            unfit!("cancelled");
        }
        unfit!("there is no run `{id}` among these logs and multi-traces")
    }
}

/// The run with an id in a job.
fn find_in(job: Job, id: &str, plans: usize) -> Option<Found> {
    match job {
        Job::Groups(groups) => {
            let found = groups.into_iter().filter(|group| group.id == id);
            let found: Found = found.map(|group| Held::Raw(Box::new(group))).take(plans).collect();
            (found.len() == plans).then_some(found)
        }
        Job::Lines { name, first, bytes } => {
            let text = String::from_utf8_lossy(&bytes);
            let mut lines = text.lines().zip(first..);
            lines.find_map(|(line, number)| {
                let [case, htf] = read_case(line, number).ok()??;
                let held =
                    || Held::Case { file: name.to_string(), line: number, text: htf.to_string() };
                (case == id).then(|| (0..plans).map(|_| held()).collect())
            })
        }
        Job::Files(files) => {
            let file = files.into_iter().find(|file| file.id == id)?;
            Some((0..plans).map(|_| Held::File { path: file.path.clone() }).collect())
        }
        Job::Runs(_) | Job::Trouble(_) => None,
    }
}

fn judge(plan: &Arc<Plan>, held: Held, id: &str) -> Result<Study> {
    let map: MapCase<Case> = Arc::new(|case, _| Some(case.clone()));
    let slot = Slot::<Piece<Case>>::default();
    let job = match &held {
        Held::Raw(group) => Job::Groups(vec![(**group).clone()]),
        Held::Case { file, line, text } => {
            let case = otus_trace::Case {
                id: id.to_owned(),
                htf: text.clone(),
                rest: otus_trace::case::OtherFields::default(),
                line: *line,
            };
            let bytes = otus_trace::case::write(&case).into_bytes();
            Job::Lines { name: file.as_str().into(), first: *line, bytes }
        }
        Held::File { path } => {
            let (path, id) = (path.clone(), id.to_owned());
            Job::Files(vec![TraceFile { path, id, bytes: None }])
        }
    };
    Worker::new(plan.clone(), map).work(job, &slot);
    let mut case = only_case(plan, slot.into_piece()).map_err(Error::Unfit)?;
    if case.verdict == Verdict::Fail && plan.choice.is_some() {
        case.tried = Vec::new();
    }
    let mut pool = plan.spec.pool.clone();
    let (trace, held) = read(plan, &mut pool, held)?;
    let question = match &plan.method {
        Method::Fast(declared) => {
            declared.question(trace.partition(), pool.signature()).map_err(Error::Unfit)?
        }
        Method::Graph(_, question) => question.clone(),
    };
    let term = plan.spec.term_for(&pool, &trace);
    Ok(Study { plan: plan.clone(), pool, term, trace, question, held, case })
}

/// The multi-trace of a run, over a pool that gets its messages.
fn read(plan: &Plan, pool: &mut Pool, held: Held) -> Result<(MultiTrace, Held)> {
    let text = match held {
        Held::Raw(mut group) => {
            if plan.request.ignore_unknown_messages == Some(true) {
                group.drop_unknown();
            }
            let trace = group.trace(pool, &plan.spec.partners);
            return Ok((trace, Held::Raw(group)));
        }
        Held::Case { ref text, .. } => text.clone(),
        Held::File { ref path } => {
            let mut sources = crate::load::Sources::default();
            let input = sources.read(&*plan.context.files, path, Some(crate::Format::Htf))?;
            sources.source(input.source).text().to_owned()
        }
    };
    let tree = parse_trace(&Source::new("run", text)).tree;
    let trace = match plan.spec.valued.as_deref() {
        Some(valued) => otus_trace::lower_with_facts(&tree, pool, &valued.fields).0,
        None => otus_trace::lower(&tree, pool).0,
    };
    Ok((trace, held))
}
