//! Asks the engine the questions of an explanation, and counts them.
//!
//! Every claim of an explanation is asked here, under the limits of [`Options`]. Once a limit is
//! reached, every further answer is [`Answer::Unknown`].

use otus_core::algebra::{Memo, project};
use otus_core::index::Index as _;
use otus_core::semantics::Frontiers;
use otus_core::{Pool, TermId};
use otus_trace::{ComponentId, MultiTrace};
use rustc_hash::FxHashMap;

use super::letters::Letters;
use super::{GaveUp, Options};
use crate::budget::{Budget, Stop};
use crate::certify::certify;
use crate::engine::{self, Engine, Outcome};
use crate::question::{Observed, Question};
use crate::refute::{NotRefuted, check_refutation, refute};
use crate::verdict::Verdict;

/// The maximum number of terms that steps on terms may create.
const STEPPED: u64 = 20_000_000;

/// The approximate size of a term with its attributes and steps, in bytes.
const TERM_BYTES: usize = 200;

#[derive(Debug)]
pub(super) struct Checker<'a> {
    pub(super) pool: &'a mut Pool,
    pub(super) term: TermId,
    pub(super) engine: &'a mut Engine,
    pub(super) letters: &'a Letters,
    pub(super) options: &'a Options,
    /// The maximum number of terms that the steps of the interaction create.
    step_cost: u64,
    /// The number of terms when the explanation began.
    terms_before: usize,
    /// The limits of the whole explanation. Their clock is running.
    limits: Budget,
    pub(super) questions: u64,
    /// The number of actions in all questions so far.
    pub(super) work: u64,
    /// The limits that apply now.
    pub(super) allowance: Allowance,
    /// For each component: an engine for its projection, in interactions with many components.
    local: FxHashMap<usize, Engine>,
    /// The limit that was reached.
    pub(super) gave_up: Option<GaveUp>,
}

/// The maximum number of questions, and the maximum number of actions in them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Allowance {
    questions: u64,
    work: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    /// The multi-trace is explained.
    Passes,
    /// The multi-trace is not explained. For each component: the number of actions that the engine
    /// consumed.
    Fails(Option<Box<[u32]>>),
    /// A limit was reached.
    Unknown,
}

impl Answer {
    /// Whether the multi-trace fails; `None` if unknown.
    pub(super) fn fails(&self) -> Option<bool> {
        match self {
            Answer::Passes => Some(false),
            Answer::Fails(_) => Some(true),
            Answer::Unknown => None,
        }
    }
}

/// How a claim of the engine was confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checked {
    /// An independent checker accepted the witness or certificate.
    Certified,
    /// Only the engine confirmed it: a witness or certificate would exceed the limits.
    EngineOnly,
}

impl<'a> Checker<'a> {
    pub(super) fn new(
        engine: &'a mut Engine,
        pool: &'a mut Pool,
        term: TermId,
        letters: &'a Letters,
        options: &'a Options,
    ) -> Self {
        let (step_cost, terms_before) =
            (Frontiers::default().cost(pool, term) + 1, pool.term_count());
        Checker {
            pool,
            term,
            engine,
            letters,
            options,
            step_cost,
            terms_before,
            limits: options.budget.started(),
            questions: 0,
            work: 0,
            allowance: Allowance { questions: options.max_questions, work: options.max_work },
            local: FxHashMap::default(),
            gave_up: None,
        }
    }

    /// Reserves the fraction 1/`share` of what is left for later. Returns the limits that held
    /// before.
    pub(super) fn reserve(&mut self, share: u64) -> Allowance {
        let before = self.allowance;
        let kept = |most: u64, used: u64| most.saturating_sub(most.saturating_sub(used) / share);
        self.allowance.questions = kept(before.questions, self.questions);
        self.allowance.work = kept(before.work, self.work);
        before
    }

    /// Whether questions about this number of actions use only a small fraction of what is left.
    pub(super) fn affords(&self, size: usize) -> bool {
        size as u64 <= self.allowance.work.saturating_sub(self.work) / 8
    }

    /// Whether this number of situations may be visited on terms. The steps of a situation create
    /// many terms if the interaction is deep and wide.
    pub(super) fn affords_steps(&self, situations: usize) -> bool {
        self.step_cost.saturating_mul(situations as u64) <= STEPPED / 10
    }

    /// The maximum number of situations that may be visited.
    pub(super) fn most_situations(&self) -> u64 {
        self.options.max_situations.min(STEPPED / 10 / self.step_cost)
    }

    /// Whether the time for the explanation is over, or the steps on terms have taken its memory.
    pub(super) fn is_late(&mut self) -> bool {
        let bytes = self.pool.term_count().saturating_sub(self.terms_before) * TERM_BYTES;
        let met = self.limits.check_time().and_then(|()| self.limits.check_bytes(bytes)).err();
        self.gave_up = met.map(GaveUp::Stopped).or(self.gave_up);
        met.is_some()
    }

    /// The budget of one question about this number of actions; `None` if a limit is reached.
    pub(super) fn budget(&mut self, size: usize) -> Option<Budget> {
        let reason = if let Err(stop) = self.limits.check_time() {
            Some(GaveUp::Stopped(stop))
        } else if self.questions >= self.allowance.questions {
            Some(GaveUp::Questions)
        } else if self.work.saturating_add(size as u64) > self.allowance.work {
            Some(GaveUp::Work)
        } else {
            None
        };
        if let Some(reason) = reason {
            self.gave_up = Some(reason);
            return None;
        }
        let states = self.limits.max_states.unwrap_or(u64::MAX);
        let max_states = Some(states.saturating_add(4 * size as u64));
        Some(Budget { max_states, ..self.limits.clone() })
    }

    /// The budget of one question, which is counted; `None` if a limit is reached.
    pub(super) fn charge(&mut self, size: usize) -> Option<Budget> {
        let budget = self.budget(size)?;
        self.questions += 1;
        self.work += size as u64 + 1;
        Some(budget)
    }

    /// Whether no further question is answered. A single question that the engine could not answer
    /// does not count as a limit.
    pub(super) fn is_out(&self) -> bool {
        match self.gave_up {
            None | Some(GaveUp::Stopped(Stop::States | Stop::Memory)) => false,
            Some(GaveUp::Questions | GaveUp::Work | GaveUp::Stopped(_)) => true,
        }
    }

    /// Whether a multi-trace is explained.
    pub(super) fn ask(&mut self, trace: &MultiTrace, question: &Question) -> Answer {
        let Some(budget) = self.charge(trace.len()) else { return Answer::Unknown };
        let found = self.engine.analyze_up_to(Verdict::WeakPass, trace, question, &budget);
        self.answer(found)
    }

    /// Whether one component of a multi-trace is explained by its projection of the interaction. A
    /// failure is exact; a pass may still fail because of an order that other components impose.
    pub(super) fn ask_local(
        &mut self,
        component: ComponentId,
        trace: &MultiTrace,
        question: &Question,
    ) -> Answer {
        let Some(budget) = self.charge(trace.len()) else { return Answer::Unknown };
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
            Verdict::Pass | Verdict::WeakPass => Answer::Passes,
            Verdict::Fail => Answer::Fails(found.furthest),
            Verdict::WeakFail | Verdict::Inconclusive => {
                self.gave_up.get_or_insert(GaveUp::Stopped(found.stop));
                Answer::Unknown
            }
        }
    }

    /// The verdict on an explained multi-trace, and whether a witness was certified; `None` if
    /// the witness is refused, which would be a bug of the engine.
    pub(super) fn certify(
        &mut self,
        trace: &MultiTrace,
        question: &Question,
    ) -> Option<(Verdict, Checked)> {
        let Some(budget) = self.charge(trace.len()) else {
            return Some((Verdict::WeakPass, Checked::EngineOnly));
        };
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

    /// Whether a certificate of a failure was checked, for failures of moderate size; `None` if
    /// there is an explanation, which would be a bug of the engine.
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
        let budget = Budget { max_states: Some(most), ..self.limits.clone() };
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

/// The declaration that also allows the log to stop early.
pub(crate) fn stops_early(observed: Observed) -> Observed {
    match observed {
        Observed::Complete | Observed::StopsEarly => Observed::StopsEarly,
        Observed::StartsLate | Observed::Slice => Observed::Slice,
        Observed::Unobserved => Observed::Unobserved,
    }
}
