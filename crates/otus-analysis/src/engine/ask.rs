//! Which searches are asked, and in which order.
//!
//! From the cheapest to the one that decides everything: [greedy firing](super::sessions) of long logs,
//! [single logs](super::sequential) by places, [one log at a time](super::decompose) where that is exact, and then a search with all
//! logs together. That search gets a few states first, after which [counting](super::counting), a
//! [formula](super::sat), or components [in step](super::coupled) may tell more than a longer search.

use otus_core::index::Index as _;
use otus_trace::{ComponentId, MultiTrace};

use super::compile::Compiled;
use super::counting::Counting;
use super::coupled::Manner;
use super::decoupled::Found;
use super::logs::Logs;
use super::lookahead::LocalAnswer;
use super::sequential::Sequential;
use super::{
    Engine, OnDemand, PATIENCE, SHORT, When, coupled, decompose, decoupled, initial_expr,
    may_start_late, sat, sessions,
};
use crate::budget::{Meter, Stop};
use crate::question::{Observed, Question};

/// The size of an interaction from which on logs that may start late are first checked by places.
const LARGE_TERM: u32 = 256;

impl Engine {
    /// Whether a multi-trace is explained.
    pub(super) fn ask(
        &mut self,
        trace: &MultiTrace,
        question: &Question,
        meter: &mut Meter<'_>,
        furthest: &mut Option<Box<[u32]>>,
    ) -> Found {
        self.store.refuel();
        if let Some(found) = self.fire(trace, question, meter, furthest) {
            return found;
        }
        if let Some(found) = self.follow_places(trace, question) {
            return found;
        }
        let found = self.search(trace, question, meter, furthest);
        // A refutation is void if the fuel ran out on the way.
        if found == Found::No && self.store.is_spent() {
            Found::Unknown(self.store.why_spent())
        } else {
            found
        }
    }

    /// Makes the tables of greedy firing if a multi-trace is long; returns whether it applies.
    pub(super) fn prepare_net(&mut self, trace: &MultiTrace) -> bool {
        self.options.sessions.is_worth(trace.len()) && self.make_net()
    }

    /// Makes the tables of greedy firing; returns whether it applies.
    fn make_net(&mut self) -> bool {
        if self.compiled.is_none() {
            return false;
        }
        if matches!(self.net, OnDemand::NotMade) {
            let (mut context, &Compiled { rigid, .. }) = self.context();
            let net = sessions::Net::new(&mut context, rigid);
            if self.store.is_stopped() {
                return false;
            }
            self.net = OnDemand::new(net);
            self.store.refuel();
        }
        self.net.made().is_some()
    }

    /// The answer of greedy firing, or of single components if it has none; `None` if neither has one.
    fn fire(
        &mut self,
        trace: &MultiTrace,
        question: &Question,
        meter: &mut Meter<'_>,
        furthest: &mut Option<Box<[u32]>>,
    ) -> Option<Found> {
        if !self.options.sessions.is_worth(trace.len()) || self.decomposes(question) {
            return None;
        }
        let found = self.fire_greedily(trace, question, meter, furthest);
        if found.is_some() || self.net.made().is_none() {
            return found;
        }
        let local = self.analyze_locally(trace, question);
        self.store.refuel();
        if let LocalAnswer::Refuted(explained) = local {
            *furthest = Some(explained);
            return Some(Found::No);
        }
        None
    }

    /// The answer of greedy firing; `None` if it has none.
    fn fire_greedily(
        &mut self,
        trace: &MultiTrace,
        question: &Question,
        meter: &mut Meter<'_>,
        furthest: &mut Option<Box<[u32]>>,
    ) -> Option<Found> {
        let global = *question == Question::GlobalPrefix;
        if global && self.all_fired == Some(self.analysis) {
            return Some(Found::Yes);
        }
        let net = std::mem::take(&mut self.net);
        let found = net.made().and_then(|net| {
            let mut logs = Logs::new(trace, question, self.count);
            let (mut context, _) = self.context();
            let found = sessions::explain(&mut context, net, &mut logs, global, meter);
            if *question == Question::ACCEPT && logs.all_over() {
                self.all_fired = Some(self.analysis);
            }
            *furthest = logs.into_furthest();
            found
        });
        self.net = net;
        found
    }

    fn search(
        &mut self,
        trace: &MultiTrace,
        question: &Question,
        meter: &mut Meter<'_>,
        furthest: &mut Option<Box<[u32]>>,
    ) -> Found {
        if !self.decomposes(question) {
            return self.search_together(trace, question, meter, furthest);
        }
        let observed = |component: &usize| {
            let id = ComponentId::new(*component);
            !trace.steps(id).is_empty() && question.of(id) != Observed::Unobserved
        };
        let components = self.components.len();
        for component in (0..components).filter(observed) {
            let question = decompose::only(question, component, components);
            let mut logs = Logs::new(trace, &question, self.count);
            match self.refutes_by_places(&logs, component) {
                Some(true) => return Found::No,
                Some(false) if self.is_relaxable(component) => continue,
                Some(false) | None => {}
            }
            let (mut context, compiled) = self.context();
            let mut found = decompose::explain(&mut context, compiled, &mut logs, component, meter);
            let mut consumed = logs.into_furthest();
            if gave_up(found, meter) {
                self.store.refuel();
                found = self.search_together(trace, &question, meter, &mut consumed);
            }
            if found != Found::Yes {
                *furthest = consumed.map(|consumed| decompose::beside(trace, component, consumed));
                return found;
            }
        }
        Found::Yes
    }

    /// Whether the projection onto a component is exact if only this component is observed.
    fn is_relaxable(&self, component: usize) -> bool {
        let exact = |compiled: &Compiled| decompose::is_relaxable(compiled, component);
        self.compiled.as_ref().is_some_and(exact)
    }

    /// Whether logs are decided one by one ([`decompose`]). A term whose compilation is deferred
    /// has no loops.
    pub(super) fn decomposes(&self, question: &Question) -> bool {
        let applies = |compiled: &Compiled| decompose::applies(&self.store, compiled, question);
        self.options.decompose && self.compiled.as_ref().is_some_and(applies)
    }

    fn search_together(
        &mut self,
        trace: &MultiTrace,
        question: &Question,
        meter: &mut Meter<'_>,
        furthest: &mut Option<Box<[u32]>>,
    ) -> Found {
        let global = *question == Question::GlobalPrefix;
        let late = may_start_late(question, self.count);
        let apart = !global && self.is_decoupled(question);
        let mut counts = self.options.counting != When::Never;
        // Coupled components whose logs may start late take longest to search.
        if late && !apart && self.options.look_ahead {
            let (found, reached) = self.attempt(trace, question, apart, PATIENCE, meter);
            if !gave_up(found, meter) {
                *furthest = reached;
                return found;
            }
            if std::mem::take(&mut counts) && self.is_refuted_by_counting(trace, question) {
                *furthest = reached;
                return Found::No;
            }
            let mut logs = Logs::new(trace, question, self.count);
            let (mut context, &Compiled { relaxed, .. }) = self.context();
            context.store.refuel();
            if coupled::explains_greedily(&mut context, relaxed, &mut logs, meter) {
                return Found::Yes;
            }
        }
        if let Some(formula) = &self.formula
            && !global
            && (apart || late)
            && formula.takes(trace)
        {
            if !self.at_once && apart {
                let patience = PATIENCE + 4 * trace.len() as u64;
                let (found, reached) = self.attempt(trace, question, apart, patience, meter);
                if !gave_up(found, meter) {
                    *furthest = reached;
                    return found;
                }
                if std::mem::take(&mut counts) && self.is_refuted_by_counting(trace, question) {
                    *furthest = reached;
                    return Found::No;
                }
            }
            if let Some(formula) = &self.formula
                && let Some(answer) = formula.ask(trace, question, meter)
            {
                return match answer {
                    sat::Answer::Explained(_) => Found::Yes,
                    sat::Answer::Refuted => Found::No,
                    sat::Answer::Stopped(stop) => Found::Unknown(stop),
                };
            }
        }
        // Whether the components are coupled, and their logs start at the beginning but may stop at different
        // times.
        let may_keep_step = !global && !late && !apart && *question != Question::ACCEPT;
        if may_keep_step && trace.len() >= When::LONG {
            let patience = 4 * PATIENCE + 2 * trace.len() as u64;
            let found = self.attempt_in_step(trace, question, patience, meter, furthest);
            if !gave_up(found, meter) {
                return found;
            }
        }
        if counts {
            self.store.refuel();
            let patience = self.options.counting.patience(trace.len());
            let (found, reached) = self.attempt(trace, question, apart, patience, meter);
            let given_up = gave_up(found, meter);
            if !given_up || self.is_refuted_by_counting(trace, question) {
                *furthest = reached;
                return if given_up { Found::No } else { found };
            }
            if may_keep_step {
                let patience = 4 * PATIENCE + 8 * trace.len() as u64;
                let found = self.attempt_in_step(trace, question, patience, meter, furthest);
                if !gave_up(found, meter) {
                    return found;
                }
            }
            // Even short logs of parallel sessions may take long.
            if self.options.sessions == When::Long
                && !self.options.sessions.is_worth(trace.len())
                && self.make_net()
                && let Some(found) = self.fire_greedily(trace, question, meter, furthest)
            {
                return found;
            }
        }
        // The fuel that the first attempt used does not count against this attempt.
        self.store.refuel();
        let (found, reached) = self.attempt(trace, question, apart, u64::MAX, meter);
        *furthest = reached;
        found
    }

    /// The answer from the logs of sequential components ([`sequential`]), if they give one: No if one of these
    /// logs is refuted, Yes if there is no other component.
    fn follow_places(&mut self, trace: &MultiTrace, question: &Question) -> Option<Found> {
        let late = may_start_late(question, self.count);
        // A long multi-trace that is accepted should not be read twice.
        if !self.wants_places() || self.decomposes(question) || (trace.len() > SHORT && !late) {
            return None;
        }
        let logs = Logs::new(trace, question, self.count);
        for component in 0..self.count {
            match self.refutes_by_places(&logs, component) {
                Some(true) => return Some(Found::No),
                Some(false) if self.count == 1 => return Some(Found::Yes),
                Some(false) | None => {}
            }
        }
        None
    }

    /// Whether sequential components are followed by places.
    fn wants_places(&self) -> bool {
        self.compiled.as_ref().is_some_and(|compiled| match self.options.places {
            When::Never => false,
            When::Long => self.store.size(compiled.relaxed) >= LARGE_TERM,
            When::Always => true,
        })
    }

    /// Whether the log of a component has no run in the component's projection. `None` if the projection is not
    /// sequential, if that is too much work, or if the interaction is so small that ordinary steps are faster.
    fn refutes_by_places(&mut self, logs: &Logs<'_>, component: usize) -> Option<bool> {
        if !self.wants_places() || logs.log(component).is_empty() {
            return None;
        }
        if matches!(self.places[component], OnDemand::NotMade) {
            let relaxed = self.compiled.as_ref()?.relaxed;
            let whole = self.store.relax_fully(relaxed);
            let projection = self.store.erase(whole, self.others[component]);
            if self.store.is_spent() {
                self.store.refuel();
                return None;
            }
            self.places[component] = OnDemand::new(Sequential::new(&self.store, projection));
        }
        let places = self.places[component].made()?;
        let refuted = places.refutes(&mut self.store, &self.alphabet, logs, component)?;
        self.counters.refuted += u64::from(refuted);
        Some(refuted)
    }

    /// Whether a multi-trace is refuted by how often moments occur in it ([`counting`]).
    pub(crate) fn is_refuted_by_counting(
        &mut self,
        trace: &MultiTrace,
        question: &Question,
    ) -> bool {
        let (_, &Compiled { rigid, .. }) = self.context();
        if matches!(self.counting, OnDemand::NotMade) {
            self.counting = OnDemand::new(Counting::new(&self.store, &self.alphabet, rigid));
        }
        let logs = Logs::new(trace, question, self.count);
        let global = *question == Question::GlobalPrefix;
        let refuted = self
            .counting
            .made()
            .is_some_and(|counting| counting.refutes(&self.store, &self.alphabet, &logs, global));
        self.counters.counted += u64::from(refuted);
        refuted
    }

    /// Searches with all logs together for at most this number of states, with the components
    /// decoupled or coupled. Also returns how many actions were consumed at most.
    fn attempt(
        &mut self,
        trace: &MultiTrace,
        question: &Question,
        apart: bool,
        states: u64,
        meter: &mut Meter<'_>,
    ) -> (Found, Option<Box<[u32]>>) {
        let mut logs = Logs::new(trace, question, self.count);
        let found = if apart {
            // If only one component is observed, everything can be relaxed.
            let decoupled = self.decoupled;
            let (mut context, &Compiled { relaxed, .. }) = self.context();
            let start = if decoupled { relaxed } else { context.store.relax_fully(relaxed) };
            let start = initial_expr(&mut context, start, &logs);
            decoupled::explain(&mut context, start, &mut logs, states, meter)
        } else {
            let global = *question == Question::GlobalPrefix;
            let (mut context, &Compiled { rigid, relaxed, .. }) = self.context();
            let start = if global || *question == Question::ACCEPT { rigid } else { relaxed };
            let manner = Manner::of(global);
            coupled::explain(&mut context, start, &mut logs, manner, states, meter)
        };
        (found, logs.into_furthest())
    }

    /// Searches for coupled components in the rigid expression. In the relaxed expression, a component can run ahead of
    /// the others as far as the iterations of a loop allow, and the choices of all iterations in between stay open. In
    /// the rigid expression, components stay in step. This is mostly faster for logs that are nearly complete, though
    /// it has to simulate more unobserved events.
    fn attempt_in_step(
        &mut self,
        trace: &MultiTrace,
        question: &Question,
        states: u64,
        meter: &mut Meter<'_>,
        furthest: &mut Option<Box<[u32]>>,
    ) -> Found {
        self.store.refuel();
        let mut logs = Logs::new(trace, question, self.count);
        let (mut context, &Compiled { rigid, relaxed, .. }) = self.context();
        if rigid == relaxed {
            return Found::Unknown(Stop::States);
        }
        let found = coupled::explain(&mut context, rigid, &mut logs, Manner::InStep, states, meter);
        *furthest = logs.into_furthest();
        found
    }

    /// Whether the search can consume one component at a time ([`coupling`]), for all components or
    /// for the only observed one.
    pub(super) fn is_decoupled(&self, question: &Question) -> bool {
        let observed = |c: &usize| question.of(ComponentId::new(*c)) != Observed::Unobserved;
        let mut observed = (0..self.components.len()).filter(observed);
        self.decoupled
            || self.compiled.as_ref().is_some_and(|compiled| {
                observed.next().is_some_and(|only| compiled.relaxable[only])
                    && observed.next().is_none()
            })
    }
}

/// Whether a search ended because of its own limit on states, and another may still begin.
fn gave_up(found: Found, meter: &Meter<'_>) -> bool {
    found == Found::Unknown(Stop::States) && !meter.is_out()
}
