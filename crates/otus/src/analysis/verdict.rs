//! The verdict on one multi-trace, with its witness and attachments.

use std::borrow::Cow;
use std::fmt::Display;
use std::time::{Duration, Instant};

use otus_analysis::budget::{Budget, Stop};
use otus_analysis::certify::{certify, certify_order, closed};
use otus_analysis::config::{Kind, Simulation};
use otus_analysis::graph::record::{Context, Graph};
use otus_analysis::graph::shown::Shown;
use otus_analysis::graph::{self, Carried, SearchState, Silent};
use otus_analysis::values::certify::ValuedCase;
use otus_analysis::values::{ValueEngine, ValueFailure, ValuedWitness};
use otus_analysis::witness::WitnessStep;
use otus_analysis::{Config, Engine, Observed, Question, Verdict, Witness};
use otus_core::{EventId, LifelineId, Pool, RegionId};
use otus_trace::run::Group;
use otus_trace::{ComponentId, Facts, MultiTrace, ObservedOrder, Partition};

use super::alike::Alike;
use super::attach;
use super::legend::Legend;
use super::pictures::Met;
use super::places::{From, Origin};
use super::plan::{Method, Plan};
use super::relax;
use super::values;
use super::worker::{Engines, Prepared, PreparedEngine};
use super::{lifelines, summary};
use crate::case::{Attachment, AttachmentKind, Case, Execution, Missing, Reached, Unexplained};
use crate::error::Error;

pub(super) struct Subject<'a> {
    pub(super) plan: &'a Plan,
    /// The budget of the plan, with its clock started. Everything that is computed about a
    /// multi-trace shares this time.
    pub(super) budget: &'a Budget,
    pub(super) id: &'a str,
    pub(super) trace: &'a MultiTrace,
    /// What its events carry, if the specification has values.
    pub(super) facts: Option<&'a Facts>,
    /// The group of raw logs that the multi-trace comes from, if any.
    pub(super) group: Option<&'a Group>,
    /// The order that was observed between its logs, unless it is ignored.
    pub(super) order: Option<&'a ObservedOrder>,
}

/// The result of an engine.
#[derive(Debug)]
pub(super) struct Found {
    verdict: Verdict,
    states: u64,
    stop: Stop,
    /// The limit that left the verdict undecided.
    reason: Option<Cow<'static, str>>,
    pub(super) witness: Option<Witness>,
    /// The witness with the values that it assumes, if the specification has values.
    valued_witness: Option<Box<ValuedWitness>>,
    is_witness_missing: bool,
    /// Whether the multi-trace fails only because of the order that was observed between logs.
    pub(super) is_by_order: bool,
    note: Option<Cow<'static, str>>,
    /// The weaker question that the verdict answers, if the original question fails because of
    /// missing observations.
    pub(super) asked: Option<Question>,
    /// For a Fail: the maximum number of actions of each component that could be explained.
    pub(super) furthest: Option<Box<[u32]>>,
    /// For a Fail by values: what is wrong with them.
    pub(super) by_value: Option<Box<ValueFailure>>,
    /// For a `WeakPass`: the values that were not logged and had to be assumed.
    assumed: Option<Box<values::Unlogged>>,
    /// Whether the multi-trace may be among the first accepted ones, which are drawn.
    pub(super) is_drawn: bool,
    elapsed: Duration,
    /// Boxed, since it is large and rare.
    graph: Option<Box<Attachment>>,
}

impl Found {
    /// The result for a group without any action of the specification.
    fn nothing() -> Found {
        Found {
            verdict: Verdict::Inconclusive,
            states: 0,
            stop: Stop::Exhausted,
            reason: Some(
                "nothing was observed: no event is on a lifeline of the specification".into(),
            ),
            witness: None,
            valued_witness: None,
            is_witness_missing: false,
            is_by_order: false,
            note: None,
            asked: None,
            furthest: None,
            by_value: None,
            assumed: None,
            is_drawn: false,
            elapsed: Duration::ZERO,
            graph: None,
        }
    }
}

/// The maximum number of nodes of a search for the answer of 2020.
const NODES_OF_2020: u64 = 10_000;

/// The maximum number of states for a witness, unless the request insists on one.
const WITNESS_STATES: u64 = 20_000;

impl Subject<'_> {
    /// Runs the engine. The error is the reason why there is no verdict.
    pub(super) fn decide(
        &self,
        pool: &mut Pool,
        prepared: &mut Prepared,
        met: &mut Met,
    ) -> Result<Found, String> {
        let question = &prepared.question;
        if self.group.is_some_and(Group::is_empty) && self.plan.request.allow_empty != Some(true) {
            return Ok(Found::nothing());
        }
        let mut found = match &mut prepared.engine {
            PreparedEngine::Fast(engines, made) => {
                let mut alike = std::mem::take(&mut engines.alike);
                let found = self.ask(pool, engines, question, Some(&mut alike), met);
                engines.alike = alike;
                let mut found = found?;
                *made += found.states;
                if found.verdict == Verdict::Fail
                    && let Some(weaker) = self.without_silent(pool, engines, met)?
                {
                    *made += weaker.states;
                    found = weaker;
                }
                found
            }
            PreparedEngine::Graph(config) => self.search(pool, config, question, met)?,
        };
        if self.plan.is_of_2020 && found.verdict == Verdict::Fail && self.facts.is_none() {
            found.note = self.answer_of_2020(pool).map(Cow::Borrowed);
        }
        Ok(found)
    }

    /// The result for a multi-trace that fails, if it is explained when silent and blurred lifelines count as
    /// unobserved.
    fn without_silent(
        &self,
        pool: &mut Pool,
        engines: &mut Engines,
        met: &mut Met,
    ) -> Result<Option<Found>, String> {
        let Subject { plan, trace, .. } = *self;
        let (Some(group), Method::Fast(declared)) = (self.group, &plan.method) else {
            return Ok(None);
        };
        let own = pool.lifelines(plan.spec.term);
        let [silent, blurred] = [&group.silent, &group.blurred].map(|lifelines| {
            lifelines.iter().copied().filter(|&it| own.contains(it)).collect::<Vec<LifelineId>>()
        });
        let question = relax::without_silent(declared, trace.partition(), &silent, &blurred);
        let Some(question) = question else { return Ok(None) };
        let found = self.ask(pool, engines, &question, None, met)?;
        if found.verdict < Verdict::WeakPass {
            return Ok(None);
        }
        let names = |lifelines: &[LifelineId], between: &str| {
            let names = lifelines.iter().map(|&it| pool.signature().lifeline_name(it));
            names.collect::<Vec<_>>().join(between)
        };
        let unheard = names(&silent, " or ");
        let unheard = format!("no log has an event of {unheard}, so it counts as unobserved");
        let unclear = names(&blurred, " and ");
        let unclear = format!(
            "only spans of several callers tell about {unclear}, and their clocks need not agree, so the order of its \
             events is not compared"
        );
        let notes =
            [(!silent.is_empty()).then_some(unheard), (!blurred.is_empty()).then_some(unclear)];
        let note = notes.into_iter().flatten().collect::<Vec<_>>().join("; ");
        // Nothing is known about these lifelines, so the verdict cannot be a Pass.
        let verdict = Verdict::WeakPass;
        Ok(Some(Found { verdict, note: Some(note.into()), asked: Some(question), ..found }))
    }

    /// The remark that the tool of 2020 answers Inconc to a multi-trace that fails. It did so if some path of its
    /// search consumed one log and was stuck before the end of another (`LackObs`). That search is repeated here to
    /// find out whether there is such a path.
    fn answer_of_2020(&self, pool: &mut Pool) -> Option<&'static str> {
        let Subject { plan, trace, .. } = *self;
        let config = Config {
            legacy_verdicts: true,
            memoize: true,
            goal: Some(Verdict::Inconclusive),
            budget: Budget { max_states: Some(NODES_OF_2020), ..plan.budget.clone() },
            ..Config::default()
        };
        let term = plan.spec.term_for(pool, trace);
        let outcome = graph::analyze(pool, term, trace, &config, &mut Silent).ok()?;
        match outcome.verdict {
            Verdict::Inconclusive if outcome.stop == Stop::Goal => Some(
                "the tool of 2020 answers Inconc here, because a log is over while others cannot \
                 continue; so does --legacy-verdicts",
            ),
            Verdict::Inconclusive => Some(
                "the tool of 2020 may answer Inconc here, because a log may be over while others \
                 cannot continue; --legacy-verdicts finds out",
            ),
            Verdict::Fail | Verdict::WeakFail | Verdict::WeakPass | Verdict::Pass => None,
        }
    }

    /// The answer of the fast engine. `alike` has its answers to this question about other groups.
    fn ask(
        &self,
        pool: &mut Pool,
        engines: &mut Engines,
        question: &Question,
        alike: Option<&mut Alike>,
        met: &mut Met,
    ) -> Result<Found, String> {
        let Subject { plan, trace, .. } = *self;
        let start = Instant::now();
        let Engines { plain: engine, valued, .. } = engines;
        let is_valued = valued.is_some();
        let values::Answer { outcome, is_by_order, failure: by_value } =
            match valued.as_mut().zip(self.facts) {
                Some((valued, facts)) => {
                    values::Asked { subject: self, facts, question }.answer(engine, valued)
                }
                None => self.without_values(engine, question, alike),
            };
        let elapsed = start.elapsed();
        let assumed = match valued.as_mut().zip(self.facts) {
            Some((valued, facts))
                if outcome.verdict == Verdict::WeakPass && !plan.request.is_brief =>
            {
                values::Asked { subject: self, facts, question }.assumed(pool, valued)
            }
            _ => None,
        };
        let is_drawn = self.is_drawn(outcome.verdict, met);
        let is_wanted = (is_drawn || plan.shows_witness(outcome.verdict))
            && trace.moment_count() <= plan.request.witness.max_moments();
        let is_pass = outcome.verdict >= Verdict::WeakPass;
        let covering = plan.covering.as_ref().filter(|_| is_pass);
        // Equal names may have exercised different parts if values differ.
        let covering = covering.filter(|covering| is_valued || !covering.again(trace));
        let (mut witness, mut with_values) = (None, None);
        if is_wanted || covering.is_some() {
            match valued.as_mut().zip(self.facts) {
                Some((valued, facts)) if is_pass => {
                    let asked = values::Asked { subject: self, facts, question };
                    with_values = asked.witness(pool, valued, outcome.verdict)?;
                    witness = with_values.as_ref().map(|found| found.witness.clone());
                }
                Some(_) => {}
                None => witness = self.witness(pool, engine, question, outcome.verdict)?,
            }
        }
        if witness.is_none() && is_valued && covering.is_some() {
            witness = self.searched(pool, question, outcome.verdict)?;
        }
        if let Some(covering) = covering {
            let plain = witness.as_ref().map(|witness| plan.spec.plain(pool, witness));
            covering.count(pool, trace, (question, outcome.verdict), plain.as_deref());
        }
        let witness = witness.filter(|_| is_wanted);
        Ok(Found {
            verdict: outcome.verdict,
            states: outcome.states,
            stop: outcome.stop,
            reason: outcome.stop.is_early().then(|| outcome.stop.reason().into()),
            is_witness_missing: is_wanted
                && witness.is_none()
                && !(is_valued && self.order.is_some()),
            valued_witness: with_values.filter(|_| witness.is_some()).map(Box::new),
            witness,
            is_by_order,
            note: None,
            asked: None,
            furthest: outcome.furthest,
            by_value,
            assumed: assumed.map(Box::new),
            is_drawn,
            elapsed,
            graph: None,
        })
    }

    /// The answer about the interaction without values.
    fn without_values(
        &self,
        engine: &mut Engine,
        question: &Question,
        alike: Option<&mut Alike>,
    ) -> values::Answer {
        let mut alike = alike.filter(|_| self.group.is_some_and(|it| it.unknown.is_empty()));
        if let Some(known) = alike.as_mut().and_then(|alike| alike.find(self.trace, self.order)) {
            return values::Answer { outcome: known, is_by_order: false, failure: None };
        }
        let outcome = match self.order {
            Some(order) => engine.analyze_ordered(self.trace, order, question, self.budget),
            None => engine.analyze(self.trace, question, self.budget),
        };
        if let Some(alike) = alike {
            alike.keep(&outcome);
        }
        let is_by_order = outcome.verdict == Verdict::Fail && self.is_by_order(engine, question);
        values::Answer { outcome, is_by_order, failure: None }
    }

    /// Whether a multi-trace that fails is explained without the order between its logs.
    pub(super) fn is_by_order(&self, engine: &mut Engine, question: &Question) -> bool {
        self.order.is_some()
            && engine.analyze(self.trace, question, self.budget).verdict >= Verdict::WeakPass
    }

    /// The budget for a witness.
    pub(super) fn witness_budget(&self) -> Budget {
        let Subject { plan, trace, .. } = *self;
        let mut budget = self.budget.clone();
        if plan.request.witness != super::WitnessPolicy::Always {
            // The budget for a witness must allow one or two steps for each moment, since coverage
            // needs the witness.
            let moments = if plan.covering.is_some() { trace.moment_count() as u64 } else { 0 };
            let enough = WITNESS_STATES + 4 * moments;
            budget.max_states = budget.max_states.map(|most| most.min(enough));
        }
        budget
    }

    /// An execution that explains a verdict of the fast engine, certified; none if the budget ends before
    /// one is found.
    fn witness(
        &self,
        pool: &mut Pool,
        engine: &mut Engine,
        question: &Question,
        verdict: Verdict,
    ) -> Result<Option<Witness>, String> {
        let Subject { plan, trace, .. } = *self;
        let budget = self.witness_budget();
        let term = plan.spec.term_for(pool, trace);
        let found = match self.order {
            Some(order) => {
                engine.witness_ordered(pool, term, trace, order, question, verdict, &budget)
            }
            None => engine.witness(pool, term, trace, question, verdict, &budget),
        };
        let Some(witness) = found else { return Ok(None) };
        if let Some(order) = self.order {
            certify_order(pool, trace, order, &witness)
                .map_err(|error| self.bug("the witness", "does not hold", &error))?;
        }
        certify(pool, term, trace, (question, verdict), &witness)
            .map_err(|error| self.bug("the witness", "does not hold", &error))?;
        Ok(Some(witness))
    }

    /// What the events carry, if the specification has values that can explain them.
    fn carried(&self, question: &Question) -> Option<Carried<'_>> {
        let Subject { plan, trace, facts, .. } = *self;
        let valued = plan.spec.valued.as_deref()?;
        let known = plan.spec.pool.action_count();
        let facts = facts.filter(|_| !values::has_stranger(trace, question, known))?;
        Some(Carried { valued, facts, clocks: plan.clocks })
    }

    /// Checks the witness of a search. That of a search with values is an execution of the skeleton, which knows neither
    /// peers nor values that were not logged.
    fn certify_searched(
        &self,
        pool: &mut Pool,
        (kind, verdict): (Kind, Verdict),
        witness: &Witness,
        is_valued: bool,
    ) -> Result<(), String> {
        let Subject { plan, trace, .. } = *self;
        let certified = if is_valued {
            let is_accepted = kind == Kind::Accept && verdict == Verdict::WeakPass;
            let claimed = if is_accepted { Verdict::Pass } else { verdict };
            let plain = trace.map_actions(|action| {
                let action = pool.action(action).without_peer();
                pool.intern_action(action)
            });
            certify(pool, plan.spec.term, &plain, (kind, claimed), witness)
        } else {
            let term = plan.spec.term_for(pool, trace);
            certify(pool, term, trace, (kind, verdict), witness)
        };
        certified.map_err(|error| self.bug("the witness", "does not hold", &error))
    }

    /// An execution that explains a verdict of the engine for values, by a search of the papers; none if there is none for the
    /// question, or the budget ends before one is found.
    fn searched(
        &self,
        pool: &mut Pool,
        question: &Question,
        verdict: Verdict,
    ) -> Result<Option<Witness>, String> {
        let simulate =
            |before| Kind::Simulate(Simulation { before, multiply: true, ..Simulation::default() });
        let kind = match question {
            _ if verdict == Verdict::Pass => Kind::Accept,
            Question::GlobalPrefix => Kind::Prefix,
            Question::Uniform(Observed::Complete) => Kind::Accept,
            Question::Uniform(Observed::StopsEarly) => simulate(false),
            Question::Uniform(Observed::Slice) => simulate(true),
            Question::Uniform(_) | Question::Each(_) => return Ok(None),
        };
        let moments = self.trace.moment_count() as u64;
        let most = WITNESS_STATES + 4 * moments;
        let max_states = Some(self.budget.max_states.map_or(most, |own| own.min(most)));
        let budget = Budget { max_states, ..self.budget.clone() };
        let config =
            Config { kind, goal: Some(verdict), memoize: true, budget, ..Config::default() };
        let Some(carried) = self.carried(question) else { return Ok(None) };
        let found = graph::analyze_valued(pool, &carried, self.trace, &config, &mut Silent);
        let Some(witness) = found.ok().and_then(|(outcome, _)| outcome.witness) else {
            return Ok(None);
        };
        self.certify_searched(pool, (kind, verdict), &witness, true)?;
        Ok(Some(witness))
    }

    /// The answer of a search of the papers, with a certified witness.
    fn search(
        &self,
        pool: &mut Pool,
        config: &Config,
        question: &Question,
        met: &mut Met,
    ) -> Result<Found, String> {
        let Subject { plan, trace, .. } = *self;
        let term = plan.spec.term_for(pool, trace);
        let mut recorded = Graph::default();
        let observer: &mut dyn graph::Observer =
            if plan.graph.is_some() { &mut recorded } else { &mut Silent };
        let start = Instant::now();
        let found = match self.carried(question) {
            Some(carried) => graph::analyze_valued(pool, &carried, trace, config, observer)
                .map(|(outcome, learned)| (outcome, Some(learned))),
            None => graph::analyze(pool, term, trace, config, observer).map(|it| (it, None)),
        };
        let (outcome, learned) =
            found.map_err(|unfit| format!("it cannot be analysed this way: {unfit}"))?;
        let elapsed = start.elapsed();
        if let Some(witness) = &outcome.witness {
            let is_valued = learned.is_some();
            self.certify_searched(pool, (config.kind, outcome.verdict), witness, is_valued)?;
        }
        if let Some(covering) = &plan.covering
            && outcome.verdict >= Verdict::WeakPass
        {
            let plain = outcome.witness.as_ref().map(|witness| plan.spec.plain(pool, witness));
            covering.count(pool, trace, (question, outcome.verdict), plain.as_deref());
        }
        let mut graph = None;
        if let Some(options) = &plan.graph {
            let shown = learned
                .zip(self.facts)
                .map(|(mut learned, facts)| learned.show(pool, &recorded, Some((trace, facts))));
            if outcome.verdict == Verdict::Fail && shown.is_none() {
                let states: Vec<SearchState> =
                    recorded.nodes.iter().map(|node| node.state.clone()).collect();
                closed(pool, term, trace, config, Verdict::Fail, &states)
                    .map_err(|error| self.bug("the refutation", "is not closed", &error))?;
            }
            let positions = &outcome.positions;
            let (context, recorded) = match &shown {
                Some(Shown { pool, trace, graph }) => {
                    (Context { pool, positions, trace: trace.as_ref() }, graph)
                }
                None => (Context { pool, positions, trace: Some(trace) }, &recorded),
            };
            let legend = Legend::of_analysis(config, outcome.verdict);
            let answer = (&legend, Some(outcome.verdict));
            let picture = options.render(&context, recorded, answer);
            graph = Some(Box::new(Attachment {
                path: options.path.clone(),
                remark: picture.remark,
                replaced_by: picture.replaced_by,
                ..Attachment::new(AttachmentKind::Graph, Ok(picture.bytes))
            }));
        }
        let (mut furthest, mut by_value) = (None, None);
        if let (Verdict::Fail, Some(carried)) = (outcome.verdict, self.carried(question)) {
            // The search only says that nothing explains the logs; the engine for values also says why.
            let Carried { valued, facts, clocks } = carried;
            let mut engine = ValueEngine::new(pool, plan.spec.term, valued, trace.partition());
            let found = engine.analyze(trace, facts, clocks, question, self.budget);
            if found.verdict == Verdict::Fail {
                furthest = found.furthest;
                by_value = engine.failure().cloned().map(Box::new);
            }
        }
        let is_lacking = outcome.verdict == Verdict::Inconclusive && outcome.reason.is_none();
        let lacking = "a log is over while others cannot continue (LackObs)";
        Ok(Found {
            verdict: outcome.verdict,
            states: outcome.nodes,
            stop: outcome.stop,
            reason: outcome.reason.map(Into::into).or(is_lacking.then_some(lacking.into())),
            is_witness_missing: false,
            is_by_order: false,
            note: None,
            asked: None,
            witness: outcome.witness.filter(|_| plan.request.witness.max_moments() > 0),
            valued_witness: None,
            furthest,
            by_value,
            assumed: None,
            is_drawn: self.is_drawn(outcome.verdict, met),
            elapsed,
            graph,
        })
    }

    /// The case, without explanation and picture.
    pub(super) fn case(
        &self,
        found: &Found,
        question: &Question,
        pool: &Pool,
        origin: &Origin<'_>,
    ) -> Case {
        let Subject { plan, id, trace, .. } = *self;
        let names = origin.names.unwrap_or(pool);
        let mut case = Case::new(id, found.verdict);
        self.fill(&mut case, found);
        if plan.request.is_brief && plan.choice.is_none() {
            return case;
        }
        case.origin = origin.from.place().filter(|place| place != id);
        if let (Some(valued), Some(assumed)) = (plan.spec.valued.as_deref(), &found.assumed) {
            let (component, step) = assumed.first();
            let places = origin.from.places(trace, plan);
            let place = places.excerpt(component, step, "").map(|(place, ..)| place.in_line());
            let text = assumed.text(valued, names, trace, place.as_deref());
            case.note = Some(match case.note.take() {
                Some(note) => format!("{note}; {text}").into(),
                None => text.into(),
            });
        }
        // A witness that was computed only for the picture is not shown.
        let witness = found.witness.as_ref().filter(|_| plan.shows_witness(found.verdict));
        case.witness = witness.map(|witness| Execution { events: witness.texts(pool) });
        let valued = plan.spec.valued.as_deref().zip(self.facts);
        if let (Some(witness), Some((valued, facts)), Some(_)) =
            (&found.valued_witness, valued, witness)
        {
            let events = witness.texts(pool, valued, trace, facts);
            case.witness = Some(Execution { events });
            case.valuation = values::valuation(witness, pool, valued, trace.partition());
        }
        if found.verdict == Verdict::WeakPass {
            case.missing = witness.map(|witness| self.missing(witness, question, pool));
            if let Question::Each(_) = question {
                case.declared = self.declared(question, pool);
            }
        }
        if let Some(furthest) = &found.furthest {
            let logs = trace.partition().components().zip(furthest);
            case.furthest = logs
                .map(|(component, &explained)| Reached {
                    lifelines: lifelines(trace.partition(), component, pool),
                    explained: explained as usize,
                    observed: trace.steps(component).len(),
                })
                .collect();
            if let From::Raw { group } = origin.from {
                case.unexplained = self.unexplained(group, furthest, names);
            }
        }
        if let Some((number, choice)) = &plan.choice {
            case.spec = Some(choice.specs[*number].name.clone());
            if found.verdict == Verdict::Fail {
                let candidates = choice.candidates(id).into_iter();
                case.tried = candidates.map(|number| choice.specs[number].name.clone()).collect();
            }
        }
        case
    }

    /// Sets the fields that every case has, except for its partition.
    pub(super) fn fill(&self, case: &mut Case, found: &Found) {
        let Subject { plan, id, trace, .. } = *self;
        case.id.clear();
        case.id.push_str(id);
        case.verdict = found.verdict;
        case.kind = plan.kind;
        case.observed = plan.observed;
        case.engine = plan.method.name();
        case.states = found.states;
        case.elapsed = found.elapsed;
        case.reason.clone_from(&found.reason);
        case.note.clone_from(&found.note);
        case.outcome = summary::outcome(found.verdict, plan.request.fail_on);
        case.actions = trace.len();
        case.is_limited = found.stop.is_early();
        case.is_witness_missing = found.is_witness_missing;
    }

    pub(super) fn attachments(
        &self,
        pool: &mut Pool,
        question: &Question,
        found: &Found,
    ) -> Vec<Attachment> {
        let Subject { plan, trace, .. } = *self;
        let mut attachments: Vec<Attachment> =
            found.graph.iter().map(|graph| (**graph).clone()).collect();
        if let Some(format) = plan.request.certificate {
            let answer = (question, found.verdict);
            let by_values = self.facts.zip(plan.spec.valued.as_deref()).map(|(facts, valued)| {
                let case = ValuedCase { valued, trace, facts, clocks: plan.clocks };
                (case, found.by_value.as_deref())
            });
            attachments.push(if found.is_by_order {
                attach::no_certificate("only the order between logs refutes it")
            } else {
                attach::certificate(format, plan, pool, trace, answer, by_values)
            });
        }
        if plan.request.order {
            attachments.push(attach::order(pool, trace, found.witness.as_ref()));
        }
        attachments
    }

    fn is_drawn(&self, verdict: Verdict, met: &mut Met) -> bool {
        self.plan.pictures.as_ref().is_some_and(|it| it.is_wanted(verdict, met))
    }

    /// The events of a witness that were not observed, by component.
    fn missing(&self, witness: &Witness, question: &Question, pool: &Pool) -> Vec<Missing> {
        let partition = self.trace.partition();
        let none = |component| {
            let lifelines = lifelines(partition, component, pool);
            Missing { lifelines, count: 0, first: Vec::new() }
        };
        let mut missing: Vec<Missing> = partition.components().map(none).collect();
        for step in &witness.steps {
            let (event, observed) = match step {
                WitnessStep::Observed(place) => (place.event, Some(place.observed)),
                WitnessStep::Unobserved(place) => (place.event, None),
                // The papers' rule removes a lifeline without computing its events, so there is
                // nothing to count.
                WitnessStep::Removed(_) => continue,
            };
            count_unobserved(pool, partition, event, observed, &mut missing);
        }
        let all = partition.components().zip(missing).filter(|(component, missing)| {
            // Events of a component that is declared unobserved are ignored, so they are not listed as assumed.
            missing.count > 0 && question.of(*component) != Observed::Unobserved
        });
        all.map(|(_, missing)| missing).collect()
    }

    /// The declarations of logs that are not complete.
    fn declared(&self, question: &Question, pool: &Pool) -> Vec<String> {
        let partition = self.trace.partition();
        let declared = partition.components().map(|component| (component, question.of(component)));
        let declared = declared.filter(|(_, observed)| *observed != Observed::Complete);
        let text = |(component, observed): (ComponentId, Observed)| {
            format!("{} {}", lifelines(partition, component, pool).join(" and "), observed.name())
        };
        declared.map(text).collect()
    }

    /// The first action of each component that could not be explained, with its place in a raw log.
    fn unexplained(&self, group: &Group, furthest: &[u32], pool: &Pool) -> Vec<Unexplained> {
        let Subject { plan, trace, .. } = *self;
        let first = |(component, &reached): (ComponentId, &u32)| {
            let step = trace.steps(component).get(reached as usize)?;
            let place = group.place(trace, component, reached as usize)?;
            Some(Unexplained {
                action: pool.action(step.action()).text(pool.signature()),
                file: plan.log(place.file.0)?.0,
                line: place.line,
            })
        };
        trace.partition().components().zip(furthest).filter_map(first).collect()
    }

    pub(super) fn bug(&self, what: &str, is: &str, error: &dyn Display) -> String {
        Error::Bug(format!("{what} of {} {is} ({error})", self.id)).to_string()
    }
}

/// The maximum number of unobserved events of a log that are named.
const NAMED: usize = 5;

/// Counts an event on the components that it touches and that did not observe it.
fn count_unobserved(
    pool: &Pool,
    partition: &Partition,
    event: EventId,
    observed: Option<RegionId>,
    missing: &mut [Missing],
) {
    let mut last = None;
    for &action in pool.event_actions(event) {
        let action = pool.action(action);
        if observed.is_some_and(|observed| pool.region_contains(observed, action.lifeline)) {
            continue;
        }
        let component = partition.component_of(action.lifeline);
        let Missing { count, first, .. } = &mut missing[component.0 as usize];
        // The actions of an event on one component are one moment there.
        let is_new = last.replace(component) != Some(component);
        *count += u64::from(is_new);
        if first.len() < NAMED && is_new {
            first.push(action.text(pool.signature()));
        } else if let Some(name) = first.last_mut().filter(|_| !is_new && *count <= NAMED as u64) {
            name.push_str(" with ");
            name.push_str(&action.text(pool.signature()));
        }
    }
}
