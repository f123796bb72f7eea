//! The answer for each run of a table, and what all answers have in common.
//!
//! A run is judged without an explanation first. A failure that belongs to the sample of the findings is then explained by a
//! second worker. Both count coverage in the same place: failures count nothing, so no run counts twice.

use std::sync::Arc;

use super::Known;
use super::gather::Gathered;
use super::options::CheckerOptions;
use super::run::{MOST_PLACES, RunRows};
use crate::analysis::coverage::Covering;
use crate::analysis::{Item, Judge, Plan, PlannedSpec};
use crate::case::{Case, Unusable, Verdict};
use crate::error::{Result, unfit};
use crate::findings::Findings;
use crate::spec::Spec;
use crate::summary::Summary;

/// An answer: a case, or a run that cannot be checked.
pub(super) type Answer = Item<Case>;

#[derive(Debug)]
pub(super) struct Answering {
    judge: Judge,
    /// The column by which events are ordered.
    order: String,
    wanted: Option<Box<Wanted>>,
}

/// What all answers have in common, if somebody asks.
#[derive(Debug)]
struct Wanted {
    findings: Findings,
    /// Explains the failures of the sample.
    explaining: Judge,
    covering: Option<Arc<Covering>>,
    spec: Arc<PlannedSpec>,
}

impl Answering {
    pub(super) fn new(spec: &Spec, options: &CheckerOptions) -> Result<Answering> {
        let declared = options.checks.declared(spec)?;
        let covering = options.has_coverage.then(|| spec.covering().map(Arc::new)).transpose()?;
        let judge = |explained: usize| -> Judge {
            let mut plan = Plan::many(spec.planned().clone(), declared.clone(), options, explained);
            plan.clocks = options.checks.clocks();
            plan.covering.clone_from(&covering);
            Judge::new(plan)
        };
        let wanted = options.sample.map(|sample| {
            let findings = Findings::new(spec.name(), sample);
            let (explaining, covering) = (judge(usize::MAX), covering.clone());
            Box::new(Wanted { findings, explaining, covering, spec: spec.planned().clone() })
        });
        Ok(Answering {
            judge: judge(options.explained),
            order: options.names.order.clone(),
            wanted,
        })
    }

    /// Judges a run.
    pub(super) fn answer(&mut self, Gathered { name, rows, fault, known }: Gathered<'_>) -> Answer {
        let judged = match fault {
            Some(fault) => Err(fault),
            None => self.judge(name, rows, known),
        };
        match judged {
            Ok(case) => Item::Case(case),
            Err(message) => {
                let unusable = Unusable { id: Some(name.to_owned()), message, place: None };
                if let Some(wanted) = &mut self.wanted {
                    wanted.findings.add_unusable(&unusable);
                }
                Item::Unusable(unusable)
            }
        }
    }

    fn judge(&mut self, run: &str, rows: &mut RunRows, known: &Known) -> Result<Case, String> {
        let Answering { judge, order, wanted } = self;
        let place = (run, order.as_str());
        let Some(Wanted { findings, explaining, .. }) = wanted.as_deref_mut() else {
            return judge.judge_rows(place, rows, known);
        };
        // The rows of a long run are given up for memory, so it can be judged once only.
        if rows.len() > MOST_PLACES && findings.wants(run) {
            let mut case = explaining.judge_rows(place, rows, known)?;
            findings.add(&case);
            // What a row tells does not depend on the sample.
            case.explanation = None;
            return Ok(case);
        }
        let case = judge.judge_rows(place, rows, known)?;
        let is_open = case.verdict == Verdict::Fail && case.failure().is_none();
        if is_open && findings.wants(run) {
            findings.add(&explaining.judge_rows(place, rows, known)?);
        } else {
            findings.add(&case);
        }
        Ok(case)
    }

    pub(super) fn into_findings(self) -> Result<Findings> {
        let Some(wanted) = self.wanted else {
            unfit!("this checker counts no findings; ask for them with `CheckerOptions::findings`");
        };
        let Wanted { mut findings, covering, spec, .. } = *wanted;
        if let Some(covering) = covering {
            findings.set_coverage(&covering.report(&spec.pool, &Summary::default()));
        }
        Ok(findings)
    }
}
