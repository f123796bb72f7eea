//! Questions to the engine, counted.
//!
//! Everything an explanation claims is asked here, under the limits of [`Options`]. When a limit is
//! reached, no question is answered any more, and whoever asked says that it gave up.

use std::time::Instant;

use otus_core::algebra::{Memo, project};
use otus_core::index::Index as _;
use otus_core::{Pool, TermId};
use otus_trace::{ComponentId, MultiTrace};
use rustc_hash::FxHashMap;

use super::{GaveUp, Options};
use crate::budget::{Budget, Stop};
use crate::certify::certify;
use crate::engine::{self, Engine, Outcome};
use crate::question::{Observed, Question};
use crate::refute::{NotRefuted, check_refutation, refute};
use crate::verdict::Verdict;

/// How many terms steps may make.
const STEPPED: u64 = 20_000_000;

/// The engine with a meter.
#[derive(Debug)]
pub(super) struct Checker<'a> {
    pub(super) pool: &'a mut Pool,
    pub(super) term: TermId,
    pub(super) engine: &'a mut Engine,
    options: &'a Options,
    deadline: Option<Instant>,
    /// How many questions were asked.
    pub(super) questions: u64,
    /// How many actions they were about.
    pub(super) work: u64,
    /// Up to how many questions may be asked now, and about how many actions.
    allowance: (u64, u64),
    /// By component: an engine for what it sees by itself, in wide interactions.
    local: FxHashMap<usize, Engine>,
    /// The limit that was reached.
    pub(super) gave_up: Option<GaveUp>,
}

/// What the engine said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    /// It is explained.
    Passes(Verdict),
    /// It is not; the engine got so far, in actions.
    Fails(Option<Box<[u32]>>),
    /// A limit was reached.
    Unknown,
}

/// What a simple checker said about a claim of the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checked {
    /// A checker that knows no engine accepted the witness or certificate.
    Certified,
    /// Making a witness or certificate takes more than was allowed; only the engine says so.
    EngineOnly,
}

impl<'a> Checker<'a> {
    pub(super) fn new(
        engine: &'a mut Engine,
        pool: &'a mut Pool,
        term: TermId,
        options: &'a Options,
    ) -> Self {
        let deadline = options.budget.timeout.and_then(|time| Instant::now().checked_add(time));
        let (questions, work) = (0, 0);
        let allowance = (options.max_questions, options.max_work);
        let (local, gave_up) = (FxHashMap::default(), None);
        Checker {
            pool,
            term,
            engine,
            options,
            deadline,
            questions,
            work,
            allowance,
            local,
            gave_up,
        }
    }

    /// Leaves a share of what is left to those who come later. Returns what was allowed before.
    pub(super) fn reserve(&mut self, share: u64) -> (u64, u64) {
        let before = self.allowance;
        let kept = |most: u64, used: u64| most.saturating_sub(most.saturating_sub(used) / share);
        self.allowance = (kept(before.0, self.questions), kept(before.1, self.work));
        before
    }

    /// Allows what was allowed before.
    pub(super) fn release(&mut self, before: (u64, u64)) {
        self.allowance = before;
    }

    /// Whether something about so many actions is worth asking: a small part of what may be asked.
    pub(super) fn affords(&self, size: usize) -> bool {
        size as u64 <= self.allowance.1.saturating_sub(self.work) / 8
    }

    /// Whether so many steps may be taken on terms. A step makes as many terms as the interaction is
    /// deep, which is too much if both are large.
    pub(super) fn affords_steps(&self, steps: usize) -> bool {
        let depth = u64::from(self.pool.attributes(self.term).depth) + 1;
        depth.saturating_mul(steps as u64) <= STEPPED
    }

    /// How many situations may be looked at.
    pub(super) fn most_situations(&self) -> u64 {
        let depth = u64::from(self.pool.attributes(self.term).depth) + 1;
        self.options.max_situations.min(STEPPED / 10 / depth)
    }

    /// What one question may use; `None` if nothing is left.
    pub(super) fn budget(&mut self, size: usize) -> Option<Budget> {
        let most = self.options;
        let time = self.deadline.map(|deadline| deadline.checked_duration_since(Instant::now()));
        let reason = if most.budget.cancel.is_cancelled() {
            Some(GaveUp::Stopped(Stop::Cancelled))
        } else if time == Some(None) {
            Some(GaveUp::Stopped(Stop::Time))
        } else if self.questions >= self.allowance.0 {
            Some(GaveUp::Questions)
        } else if self.work.saturating_add(size as u64) > self.allowance.1 {
            Some(GaveUp::Work)
        } else {
            None
        };
        if let Some(reason) = reason {
            self.gave_up = Some(reason);
            return None;
        }
        let states = most.budget.max_states.unwrap_or(u64::MAX);
        Some(Budget {
            max_states: Some(states.saturating_add(4 * size as u64)),
            timeout: time.flatten(),
            ..most.budget.clone()
        })
    }

    /// Whether no question is answered any more. One that was too hard does not mean that.
    pub(super) fn is_out(&self) -> bool {
        match self.gave_up {
            None | Some(GaveUp::Stopped(Stop::States | Stop::Memory)) => false,
            Some(GaveUp::Questions | GaveUp::Work | GaveUp::Stopped(_)) => true,
        }
    }

    /// Whether a multi-trace is explained.
    pub(super) fn ask(&mut self, trace: &MultiTrace, question: &Question) -> Answer {
        let Some(budget) = self.budget(trace.len()) else { return Answer::Unknown };
        self.questions += 1;
        self.work += trace.len() as u64 + 1;
        let found = self.engine.analyze_up_to(Verdict::WeakPass, trace, question, &budget);
        self.answer(found)
    }

    /// Whether one component of a multi-trace is explained by what it sees of the interaction. What
    /// fails so fails; what passes may still fail because of an order that others impose.
    pub(super) fn ask_local(
        &mut self,
        component: ComponentId,
        trace: &MultiTrace,
        question: &Question,
    ) -> Answer {
        let Some(budget) = self.budget(trace.len()) else { return Answer::Unknown };
        self.questions += 1;
        self.work += trace.len() as u64 + 1;
        let (pool, term) = (&mut *self.pool, self.term);
        let engine = self.local.entry(component.index()).or_insert_with(|| {
            let own = pool.intern_region(&trace.partition().set(component));
            let local = project(pool, &mut Memo::default(), term, own);
            Engine::new(pool, local, trace.partition(), engine::Options::default())
        });
        let found = engine.analyze_up_to(Verdict::WeakPass, trace, question, &budget);
        self.answer(found)
    }

    fn answer(&mut self, found: Outcome) -> Answer {
        match found.verdict {
            Verdict::Pass | Verdict::WeakPass => Answer::Passes(found.verdict),
            Verdict::Fail => Answer::Fails(found.furthest),
            Verdict::WeakFail | Verdict::Inconclusive => {
                self.gave_up.get_or_insert(GaveUp::Stopped(found.stop));
                Answer::Unknown
            }
        }
    }

    /// The verdict on a multi-trace that is explained, and whether a witness of it is certified;
    /// `None` if the witness is refused, which would be a fault of the engine.
    pub(super) fn certify(
        &mut self,
        trace: &MultiTrace,
        question: &Question,
    ) -> Option<(Verdict, Checked)> {
        let Some(budget) = self.budget(trace.len()) else {
            return Some((Verdict::WeakPass, Checked::EngineOnly));
        };
        self.questions += 1;
        self.work += trace.len() as u64 + 1;
        let found = self.engine.analyze(trace, question, &budget).verdict;
        if !matches!(found, Verdict::Pass | Verdict::WeakPass) {
            return None;
        }
        if !self.affords_steps(trace.len()) {
            return Some((found, Checked::EngineOnly));
        }
        let witness = self.engine.witness(self.pool, self.term, trace, question, found, &budget);
        let Some(witness) = witness else { return Some((found, Checked::EngineOnly)) };
        let claim = (question, found);
        let accepted = certify(self.pool, self.term, trace, claim, &witness).is_ok();
        accepted.then_some((found, Checked::Certified))
    }

    /// Whether a certificate of a failure of moderate size can be made and is accepted; `None` if
    /// there is an explanation, which would be a fault of the engine.
    pub(super) fn refute(
        &mut self,
        term: TermId,
        trace: &MultiTrace,
        question: &Question,
    ) -> Option<Checked> {
        let most = self.options.max_certificate;
        let nodes = self.pool.attributes(term).nodes;
        if most == 0 || trace.len() > 200 || nodes > 1000 || self.budget(0).is_none() {
            return Some(Checked::EngineOnly);
        }
        let budget = Budget { max_states: Some(most), ..self.options.budget.clone() };
        match refute(self.pool, term, trace, question, &budget) {
            Ok(certificate) => {
                let checked = check_refutation(self.pool, term, trace, question, &certificate);
                checked.is_ok().then_some(Checked::Certified)
            }
            Err(NotRefuted::TooLarge(_)) => Some(Checked::EngineOnly),
            Err(NotRefuted::Explained { .. }) => None,
        }
    }
}

/// The same declaration for a log of which the end may have been lost.
pub(super) fn stops_early(observed: Observed) -> Observed {
    match observed {
        Observed::Complete | Observed::StopsEarly => Observed::StopsEarly,
        Observed::StartsLate | Observed::Slice => Observed::Slice,
        Observed::Unobserved => Observed::Unobserved,
    }
}

/// The declarations of a question, one for each component.
pub(super) fn declared(question: &Question, components: usize) -> Vec<Observed> {
    (0..components)
        .map(|at| question.of(ComponentId(u32::try_from(at).unwrap_or(u32::MAX))))
        .collect()
}

/// The question about some components only.
pub(super) fn only(declared: &[Observed], chosen: &[usize]) -> Question {
    let kept = declared
        .iter()
        .enumerate()
        .map(|(at, &observed)| if chosen.contains(&at) { observed } else { Observed::Unobserved });
    Question::Each(kept.collect())
}
