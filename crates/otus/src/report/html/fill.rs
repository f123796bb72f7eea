//! The picture of a multi-trace from what the analysis knows: which events it has, which of them the accepted
//! run has, what was expected instead, and which messages went where.
//!
//! The ladder in words and the Mermaid text are the caller's. Messages are drawn as the logs pair them; of the
//! others, where the interaction leaves no doubt who sends what to whom: the first sent is the first received,
//! and so on. What is expected is
//! paired with what is expected only, so that it takes nothing away from what was observed.

use otus_analysis::Verdict;
use otus_analysis::budget::Budget;
use otus_analysis::engine::{Engine, Options};
use otus_analysis::explain::{Explanation, Progress};
use otus_analysis::question::{Observed, Question};
use otus_analysis::witness::{Witness, WitnessStep};
use otus_core::index::Index as _;
use otus_core::{ActionId, Direction, LifelineId, MessageId, Pool, Term, TermId};
use otus_syntax::SourceId;
use otus_trace::multitrace::Builder;
use otus_trace::transform::learn::Pair;
use otus_trace::{ComponentId, MultiTrace};
use rustc_hash::{FxHashMap, FxHashSet};

use super::model::{Detail, Event, Excerpt, Lifeline, State};
use super::window::{EVENTS, drawn};

/// What is known of a multi-trace.
#[derive(Clone, Copy)]
pub(crate) struct Facts<'f> {
    /// The names.
    pub(crate) pool: &'f Pool,
    /// The interaction.
    pub(crate) term: TermId,
    /// What was observed.
    pub(crate) trace: &'f MultiTrace,
    /// Of a failure: why.
    pub(crate) explanation: Option<&'f Explanation>,
    /// A run that has what is accepted: all of it, or what [`accepted_run`] finds.
    pub(crate) run: Option<&'f Witness>,
    /// What was sent and what was received of it, as far as the logs tell.
    pub(crate) pairs: &'f [Pair],
    /// The log line of an action, by component and index there.
    pub(crate) log: &'f dyn Fn(ComponentId, usize) -> Option<Excerpt>,
    /// The place of an event of the interaction.
    pub(crate) place: &'f dyn Fn(TermId) -> Option<Excerpt>,
}

/// The picture. Its ladder and its Mermaid text are empty.
pub(crate) fn detail(facts: &Facts<'_>) -> Detail {
    let mut filling = Filling::new(facts);
    for step in facts.run.iter().flat_map(|run| &run.steps) {
        filling.happen(step);
    }
    filling.rest();
    filling.messages();
    filling.logs();
    filling.detail
}

/// How many moments of each component the furthest situation has.
fn consumed(trace: &MultiTrace, explanation: &Explanation) -> Vec<usize> {
    let mut consumed = vec![0; trace.partition().len()];
    for progress in progress(explanation) {
        consumed[progress.component.index()] = progress.consumed;
    }
    consumed
}

fn progress(explanation: &Explanation) -> &[Progress] {
    explanation.frontier.states.first().map_or(&[], |state| &state.components)
}

/// A run of what a failing multi-trace has in the furthest situation of its explanation.
pub(crate) fn accepted_run(
    pool: &mut Pool,
    term: TermId,
    trace: &MultiTrace,
    (question, explanation): (&Question, &Explanation),
    budget: &Budget,
) -> Option<Witness> {
    let mut builder = Builder::new(trace.shared_partition().clone(), trace.len(), false);
    let consumed = consumed(trace, explanation);
    for component in trace.partition().components() {
        for moment in trace.moments(component).take(consumed[component.index()]) {
            builder.next_moment();
            for step in moment {
                builder.push(step.action(), 0);
            }
        }
        builder.next_component();
    }
    let accepted = builder.finish(SourceId(0));
    let components = trace.partition().components();
    let declared: Vec<Observed> = components.map(|component| question.of(component)).collect();
    let is_complete = declared.iter().all(|&observed| observed == Observed::Complete);
    let question = if *question == Question::GlobalPrefix || is_complete {
        Question::GlobalPrefix
    } else {
        Question::Each(declared.into_iter().map(cut).collect())
    };
    let mut engine = Engine::new(pool, term, trace.partition(), Options::default());
    let outcome = engine.analyze_up_to(Verdict::WeakPass, &accepted, &question, budget);
    let mut run = engine.witness(pool, term, &accepted, &question, outcome.verdict, budget)?;
    // What may follow is not what was accepted.
    let is_observed = |step: &WitnessStep| matches!(step, WitnessStep::Observed(_));
    let end = run.steps.iter().rposition(is_observed).map_or(0, |last| last + 1);
    run.steps.truncate(end);
    Some(run)
}

/// What is declared of a log that is cut.
fn cut(observed: Observed) -> Observed {
    match observed {
        Observed::Complete | Observed::StopsEarly => Observed::StopsEarly,
        Observed::StartsLate | Observed::Slice => Observed::Slice,
        Observed::Unobserved => Observed::Unobserved,
    }
}

struct Filling<'f> {
    facts: &'f Facts<'f>,
    detail: Detail,
    /// By event: its action, and where it was observed.
    actions: Vec<ActionId>,
    origins: Vec<Option<(ComponentId, usize)>>,
    /// By component: how many of its actions are there.
    next: Vec<usize>,
    /// The first event of the interaction with an action.
    terms: FxHashMap<ActionId, TermId>,
    /// By term: its place in the detail.
    places: FxHashMap<TermId, Option<usize>>,
}

impl<'f> Filling<'f> {
    fn new(facts: &'f Facts<'f>) -> Self {
        let partition = facts.trace.partition();
        let core = facts.explanation.and_then(|explanation| explanation.core.as_ref());
        let lifelines = (0..partition.lifeline_count()).map(|at| {
            let lifeline = LifelineId::new(at);
            let component = partition.component_of(lifeline);
            Lifeline {
                name: facts.pool.signature().lifeline_name(lifeline).to_owned(),
                component: component.index(),
                core: core.is_some_and(|core| core.components.contains(&component)),
            }
        });
        let detail = Detail { lifelines: lifelines.collect(), ..Detail::default() };
        Filling {
            facts,
            detail,
            actions: Vec::new(),
            origins: Vec::new(),
            next: vec![0; partition.len()],
            terms: leaves(facts.pool, facts.term),
            places: FxHashMap::default(),
        }
    }

    /// Adds what a step of the run has: on each component a moment that was observed, or one that is assumed.
    fn happen(&mut self, step: &WitnessStep) {
        let (place, is_observed) = match step {
            WitnessStep::Observed(place) => (place, true),
            WitnessStep::Unobserved(place) => (place, false),
            WitnessStep::Removed(_) => return,
        };
        let pool = self.facts.pool;
        let partition = self.facts.trace.partition();
        let actions = pool.event_actions(place.event);
        let component_of = |action: ActionId| partition.component_of(pool.action(action).lifeline);
        let mut components: Vec<ComponentId> = actions.iter().map(|&a| component_of(a)).collect();
        components.sort_unstable();
        components.dedup();
        for component in components {
            let own = actions.iter().filter(|&&action| component_of(action) == component);
            let (seen, unseen): (Vec<ActionId>, Vec<ActionId>) =
                own.copied().partition(|&action| {
                    is_observed
                        && pool.region_contains(place.observed, pool.action(action).lifeline)
                });
            let first = self.actions.len();
            if !seen.is_empty() {
                self.observe(component, State::Accepted);
            }
            for action in unseen {
                let joined = self.actions.len() > first;
                self.push(action, State::Assumed, joined, None);
            }
            self.detail.run.extend(first..self.actions.len());
        }
    }

    /// Adds the next moment of a component.
    fn observe(&mut self, component: ComponentId, state: State) {
        let steps = self.facts.trace.steps(component);
        let mut joined = false;
        loop {
            let at = self.next[component.index()];
            let Some(step) = steps.get(at).filter(|step| !joined || step.joined()) else { return };
            self.push(step.action(), state, joined, Some((component, at)));
            self.next[component.index()] += 1;
            joined = true;
        }
    }

    /// Adds what no run has: what was expected, and then what was observed instead.
    fn rest(&mut self) {
        let trace = self.facts.trace;
        let explanation = self.facts.explanation;
        let headline = explanation.and_then(|explanation| explanation.headline.as_ref());
        let accepted = explanation.map(|explanation| consumed(trace, explanation));
        for component in trace.partition().components() {
            let fault = headline.filter(|headline| headline.component == component);
            let moments: Vec<usize> = trace
                .moments(component)
                .scan(0, |at, moment| {
                    let start = *at;
                    *at += moment.len();
                    Some(start)
                })
                .collect();
            let accepted = accepted.as_ref().map_or(moments.len(), |of| of[component.index()]);
            let done = moments.partition_point(|&start| start < self.next[component.index()]);
            for moment in done..=moments.len() {
                let is_fault = fault.is_some_and(|fault| fault.moment == moment);
                let event = self.actions.len();
                self.expect(component, moment == accepted, is_fault && moment >= accepted);
                let culprit = if moment == moments.len() {
                    // At the end, what is missing is what is wrong.
                    (event < self.actions.len()).then_some(event)
                } else {
                    let state = if moment < accepted { State::Accepted } else { State::Refused };
                    let event = self.actions.len();
                    self.observe(component, state);
                    Some(event)
                };
                if is_fault {
                    self.detail.culprit = culprit;
                }
            }
            // A fault that the run has is one of its events.
            if let Some(fault) = fault.filter(|fault| fault.moment < done) {
                self.detail.culprit = self.find(component, moments[fault.moment]);
            }
        }
    }

    /// The event of an observed action of a component.
    fn find(&self, component: ComponentId, at: usize) -> Option<usize> {
        let partition = self.facts.trace.partition();
        let own = self.detail.events.iter().enumerate().filter(|(index, event)| {
            let lifeline = self.facts.pool.action(self.actions[*index]).lifeline;
            partition.component_of(lifeline) == component
                && matches!(event.state, State::Accepted | State::Refused)
        });
        own.map(|(index, _)| index).nth(at)
    }

    /// Adds what could have come next on a component: at its frontier, at its fault, or at both.
    fn expect(&mut self, component: ComponentId, is_frontier: bool, is_fault: bool) {
        let Some(explanation) = self.facts.explanation else { return };
        let own = progress(explanation).iter().filter(|progress| progress.component == component);
        let now =
            own.flat_map(|progress| &progress.expected).filter(|next| is_frontier && next.now);
        let fault = explanation.headline.iter().filter(|_| is_fault);
        let said = fault.flat_map(|headline| &headline.expected);
        let mut met: FxHashSet<&[ActionId]> = FxHashSet::default();
        for next in said.chain(now).filter(|next| met.insert(&next.moment)).take(EXPECTED) {
            let mut joined = false;
            for &action in &next.moment {
                self.push(action, State::Expected, std::mem::replace(&mut joined, true), None);
                let last = self.detail.events.len() - 1;
                self.detail.events[last].specification = self.place(next.term);
            }
        }
    }

    fn push(
        &mut self,
        action: ActionId,
        state: State,
        joined: bool,
        origin: Option<(ComponentId, usize)>,
    ) {
        let of = self.facts.pool.action(action);
        let specification = self.terms.get(&action).copied().and_then(|term| self.place(term));
        self.actions.push(action);
        self.origins.push(origin);
        self.detail.events.push(Event {
            lifeline: of.lifeline.index(),
            label: of.text(self.facts.pool.signature()),
            state,
            joined,
            log: None,
            specification,
        });
    }

    fn place(&mut self, term: TermId) -> Option<usize> {
        if let Some(&known) = self.places.get(&term) {
            return known;
        }
        let found = (self.facts.place)(term).map(|excerpt| {
            self.detail.specification.push(excerpt);
            self.detail.specification.len() - 1
        });
        self.places.insert(term, found);
        found
    }

    /// Asks for the log lines of what is drawn; those of all events may be too many.
    fn logs(&mut self) {
        for (index, is_drawn) in drawn(&self.detail, EVENTS).into_iter().enumerate() {
            if let Some((component, at)) = self.origins[index].filter(|_| is_drawn) {
                self.detail.events[index].log = (self.facts.log)(component, at);
            }
        }
    }

    /// Pairs what was sent with what was received.
    fn messages(&mut self) {
        let mut is_paired = vec![false; self.actions.len()];
        let events: FxHashMap<(ComponentId, usize), usize> = self
            .origins
            .iter()
            .enumerate()
            .filter_map(|(event, origin)| origin.map(|origin| (origin, event)))
            .collect();
        for Pair { from, to } in self.facts.pairs {
            if let (Some(&from), Some(&to)) = (events.get(from), events.get(to)) {
                self.detail.messages.push([from, to]);
                is_paired[from] = true;
                is_paired[to] = true;
            }
        }
        let channels = channels(self.facts.pool, self.facts.term);
        for is_expected in [false, true] {
            let mut by_action: FxHashMap<ActionId, Vec<usize>> = FxHashMap::default();
            for (index, event) in self.detail.events.iter().enumerate() {
                if (event.state == State::Expected) == is_expected && !is_paired[index] {
                    by_action.entry(self.actions[index]).or_default().push(index);
                }
            }
            for &(sent, received) in &channels {
                let (Some(from), Some(to)) = (by_action.get(&sent), by_action.get(&received))
                else {
                    continue;
                };
                self.detail.messages.extend(from.iter().zip(to).map(|(&from, &to)| [from, to]));
            }
        }
        self.detail.messages.sort_unstable();
        self.detail.messages.dedup();
    }
}

/// How many things are drawn as expected on a component.
const EXPECTED: usize = 3;

/// For each action, the first event of an interaction that has it.
fn leaves(pool: &Pool, term: TermId) -> FxHashMap<ActionId, TermId> {
    let mut found = FxHashMap::default();
    walk(pool, term, |term, node| {
        if let Term::Event(event) = node {
            for &action in pool.event_actions(event) {
                found.entry(action).or_insert(term);
            }
        }
    });
    found
}

/// Which emission is received where, if there is no doubt: an emission has one set of receptions in all places
/// of the interaction, and none of these has another emission.
fn channels(pool: &Pool, term: TermId) -> Vec<(ActionId, ActionId)> {
    let mut sets: FxHashMap<ActionId, Vec<ActionId>> = FxHashMap::default();
    let mut order: Vec<ActionId> = Vec::new();
    let mut doubtful: FxHashSet<ActionId> = FxHashSet::default();
    let mut add = |sent: ActionId, mut received: Vec<ActionId>| {
        received.sort_unstable();
        received.dedup();
        let known = sets.entry(sent).or_insert_with(|| {
            order.push(sent);
            received.clone()
        });
        if *known != received {
            doubtful.insert(sent);
            doubtful.extend(&received);
        }
    };
    walk(pool, term, |_, node| match node {
        Term::Event(event) => {
            let actions = pool.event_actions(event);
            if let Some(&sent) =
                actions.iter().find(|&&a| direction(pool, a) == Direction::Emission)
            {
                let received = actions.iter().copied().filter(|&action| action != sent);
                let received: Vec<ActionId> = received.collect();
                if !received.is_empty() {
                    add(sent, received);
                }
            }
        }
        Term::Strict(left, right) => {
            let Some((sent, message)) = emission(pool, left) else { return };
            if let Some(received) = receptions(pool, right, message) {
                add(sent, received);
            }
        }
        Term::Empty | Term::Coreg(..) | Term::Alt(..) | Term::LoopS(_) | Term::LoopC(..) => {}
    });
    let mut senders: FxHashMap<ActionId, usize> = FxHashMap::default();
    for sent in &order {
        for received in &sets[sent] {
            *senders.entry(*received).or_default() += 1;
        }
    }
    let pairs = order.iter().flat_map(|sent| sets[sent].iter().map(|&received| (*sent, received)));
    pairs
        .filter(|(sent, received)| {
            senders[received] == 1 && !doubtful.contains(sent) && !doubtful.contains(received)
        })
        .collect()
}

fn direction(pool: &Pool, action: ActionId) -> Direction {
    pool.action(action).direction
}

/// The one action of an event, if it sends something.
fn emission(pool: &Pool, term: TermId) -> Option<(ActionId, MessageId)> {
    let Term::Event(event) = pool.node(term) else { return None };
    let &[action] = pool.event_actions(event) else { return None };
    let of = pool.action(action);
    (of.direction == Direction::Emission).then_some((action, of.message))
}

/// The receptions of a message, if a term is nothing but these.
fn receptions(pool: &Pool, term: TermId, message: MessageId) -> Option<Vec<ActionId>> {
    let mut found = Vec::new();
    let mut stack = vec![term];
    while let Some(term) = stack.pop() {
        match pool.node(term) {
            Term::Event(event) => {
                let &[action] = pool.event_actions(event) else { return None };
                let of = pool.action(action);
                if of.direction != Direction::Reception || of.message != message {
                    return None;
                }
                found.push(action);
            }
            Term::Strict(left, right) | Term::Coreg(_, left, right) => stack.extend([right, left]),
            Term::Empty | Term::Alt(..) | Term::LoopS(_) | Term::LoopC(..) => return None,
        }
    }
    Some(found)
}

/// Visits each different part of a term, from left to right.
fn walk(pool: &Pool, term: TermId, mut visit: impl FnMut(TermId, Term)) {
    let mut met = FxHashSet::default();
    let mut stack = vec![term];
    while let Some(term) = stack.pop() {
        if met.insert(term) {
            let node = pool.node(term);
            visit(term, node);
            stack.extend(node.operands().rev());
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use otus_analysis::explain;
    use otus_syntax::{Source, parse_spec, parse_trace};

    use super::*;

    fn fill(model: &str, log: &str, question: &Question) -> Detail {
        let place = |place: String| Excerpt { place, ..Excerpt::default() };
        let log_place = |component, at| place(format!("{component}:{at}"));
        let term_place = |start: usize| place(start.to_string());
        fill_with(model, log, question, &log_place, &term_place).0
    }

    /// The picture of a multi-trace and its headline, given the places of actions and of offsets of the model.
    pub(in super::super) fn fill_with(
        model: &str,
        log: &str,
        question: &Question,
        log_place: &dyn Fn(usize, usize) -> Excerpt,
        place: &dyn Fn(usize) -> Excerpt,
    ) -> (Detail, String) {
        let mut model = parse_spec(&Source::new("m.hif", model)).tree;
        model.implicit = true;
        let mut lowered = otus_core::lower(&[&model]);
        let log = parse_trace(&Source::new("run.htf", log)).tree;
        let (trace, _) = otus_trace::lower(&log, &mut lowered.pool);
        let (pool, term) = (&mut lowered.pool, lowered.term.unwrap());
        let options = explain::Options::default();
        let explanation = explain::explain(pool, term, &trace, question, &options);
        let budget = Budget::default();
        let fails = explanation.verdict == Verdict::Fail;
        let run = if fails {
            accepted_run(pool, term, &trace, (question, &explanation), &budget)
        } else {
            let mut engine = Engine::new(pool, term, trace.partition(), Options::default());
            engine.witness(pool, term, &trace, question, explanation.verdict, &budget)
        };
        let detail = detail(&Facts {
            pool: &lowered.pool,
            term,
            trace: &trace,
            explanation: fails.then_some(&explanation),
            run: run.as_ref(),
            pairs: &[],
            log: &|component, at| Some(log_place(component.index(), at)),
            place: &|term| Some(place(lowered.place(term)?.1.start as usize)),
        });
        (detail, explanation.headline.map(|headline| headline.text).unwrap_or_default())
    }

    /// Events in words, messages, run and culprit.
    #[track_caller]
    fn check(model: &str, log: &str, question: &Question, events: &str, rest: &str) {
        let detail = fill(model, log, question);
        let each = detail.events.iter().map(|event| {
            let sign = match event.state {
                State::Accepted => "",
                State::Refused => "✗",
                State::Expected => "+",
                State::Assumed => "~",
            };
            format!("{}{sign}{}", if event.joined { "&" } else { "" }, event.label)
        });
        assert_eq!(each.collect::<Vec<_>>().join(" "), events);
        let found = format!("{:?} {:?} {:?}", detail.messages, detail.run, detail.culprit);
        assert_eq!(found, rest);
        assert!(detail.events.iter().all(|event| {
            let is_logged = matches!(event.state, State::Accepted | State::Refused);
            event.log.is_some() == is_logged
        }));
    }

    const TWO: &str = "seq(a -- m -> b, b -- n -> a)";

    #[test]
    fn what_is_missing_is_expected_where_it_should_be() {
        check(
            TWO,
            "{[a] a!m.a?n; [b] b?m}",
            &Question::ACCEPT,
            "a!m b?m ✗a?n +b!n",
            "[[0, 1]] [0, 1] Some(3)",
        );
    }

    #[test]
    fn a_log_that_ends_too_early_is_at_fault_where_it_ends() {
        check(
            TWO,
            "{[a] a!m; [b] b?m.b!n}",
            &Question::ACCEPT,
            "a!m b?m b!n +a?n",
            "[[0, 1]] [0, 1, 2] Some(3)",
        );
    }

    #[test]
    fn messages_find_their_way() {
        check(
            TWO,
            "{[a] a!m.a?n; [b] b?m.b!n}",
            &Question::ACCEPT,
            "a!m b?m b!n a?n",
            "[[0, 1], [2, 3]] [0, 1, 2, 3] None",
        );
        // Who gets which is not said.
        check(
            "alt(a -- m -> b, a -- m -> c)",
            "{[a] a!m; [b] b?m; [c] }",
            &Question::ACCEPT,
            "a!m b?m",
            "[] [0, 1] None",
        );
        check(
            "a -- m -> (b, c)",
            "{[a] a!m; [b] b?m; [c] c?m}",
            &Question::ACCEPT,
            "a!m b?m c?m",
            "[[0, 1], [0, 2]] [0, 1, 2] None",
        );
    }

    #[test]
    fn what_is_assumed_is_part_of_the_run() {
        check(
            TWO,
            "{[a] a!m.a?n; [b] }",
            &Question::MULTI_PREFIX,
            "a!m ~b?m ~b!n a?n",
            "[[0, 1], [2, 3]] [0, 1, 2, 3] None",
        );
    }

    #[test]
    fn only_what_is_drawn_is_looked_up() {
        use std::cell::Cell;
        let rounds = 2000;
        let log = format!(
            "{{[a] {}a!m; [b] {}b?n}}",
            "a!m.a?n.".repeat(rounds),
            "b?m.b!n.".repeat(rounds)
        );
        let asked = Cell::new(0);
        let log_place = |_, _| {
            asked.set(asked.get() + 1);
            Excerpt::default()
        };
        let model = format!("loopS({TWO})");
        let (detail, _) =
            fill_with(&model, &log, &Question::ACCEPT, &log_place, &|_| Excerpt::default());
        assert!(detail.events.len() > 4 * rounds);
        assert!((EVENTS - 5..=EVENTS).contains(&asked.get()), "{}", asked.get());
        assert_eq!(detail.events[detail.culprit.unwrap()].label, "a?n");
    }

    #[test]
    fn places_are_those_of_the_interaction() {
        let detail = fill(TWO, "{[a] a!m.a!x; [b] b?m}", &Question::ACCEPT);
        let place = |event: &Event| Some(detail.specification[event.specification?].place.clone());
        let places: Vec<Option<String>> = detail.events.iter().map(place).collect();
        assert!(places[0].is_some() && places[0] != places[1], "{places:?}");
        let unknown = detail.events.iter().position(|event| event.label == "a!x").unwrap();
        assert_eq!(places[unknown], None);
        assert_eq!(detail.culprit, Some(unknown));
    }
}
