//! Plain events: one look-up, a few comparisons, one store.
//!
//! An event is *plain* if its action belongs to one unit that has one table of sessions, and if it is the only fast step of its
//! session that is possible and concerns no hole. Most events of most logs are. They happen in a loop that keeps all it needs at
//! hand; the first event that is not plain is left to [`Run::fire`], which can do everything.

use otus_core::index::Index as _;
use otus_core::valued::FieldId;
use otus_core::{ActionId, Peer};
use otus_trace::ComponentId;

use super::super::expr::KindId;
use super::fast::{Answer, At, Entry};
use super::plan::{Level, Route};
use super::run::Run;
use super::sessions::{IDLE, SLOW, Sessions};
use crate::budget::{Meter, Stop};

/// What the events of an action have in common.
#[derive(Debug, Clone, Copy)]
pub(super) enum Lane {
    NotYet,
    /// Its events go the general way.
    General,
    Plain {
        unit: usize,
        kind: KindId,
        key: Option<FieldId>,
        peer: Option<Peer>,
    },
}

/// Why a run of plain events ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// The log is over, or its next event is not possible now.
    Blocked,
    /// The next event is not plain.
    General,
    Stopped(Stop),
}

impl Run<'_, '_> {
    /// Lets events of a log happen as long as they are plain.
    pub(super) fn fire_plain(&mut self, component: usize, meter: &mut Meter<'_>) -> Ended {
        loop {
            match self.fire_known(component, meter) {
                Ok(ended) => return ended,
                Err(action) => self.find_lane(action),
            }
        }
    }

    /// The same; an error is an action whose lane is not known yet.
    fn fire_known(&mut self, component: usize, meter: &mut Meter<'_>) -> Result<Ended, ActionId> {
        let across = self.across(component);
        let Run { observation, facts, lanes, sessions, keyed, consumed, may_miss, .. } = self;
        let steps = observation.problem.trace.steps(ComponentId::new(component));
        let steps = &steps[..observation.logs[component].len];
        let (facts, units, may_miss) = (&facts[component], &*keyed.units, *may_miss);
        let mut at = consumed[component] as usize;
        let left = loop {
            let Some(step) = steps.get(at) else { break Ok(Ended::Blocked) };
            if steps.get(at + 1).is_some_and(|next| next.joined()) {
                break Ok(Ended::General);
            }
            let (unit, kind, key, peer) = match lanes.get(step.action().index()) {
                Some(&Lane::Plain { unit, kind, key, peer }) => (unit, kind, key, peer),
                Some(Lane::NotYet) => break Err(step.action()),
                Some(Lane::General) | None => break Ok(Ended::General),
            };
            let cell = match key {
                None => 0,
                Some(field) => match facts.value(field, at) {
                    Some(value) => value.index(),
                    None => break Ok(Ended::General),
                },
            };
            let Sessions::Dense(cells) = &mut sessions[unit] else {
                break Ok(Ended::General);
            };
            let (Some(own_shape), Some(own_registers)) =
                (cells.shapes.get_mut(cell), cells.registers.get_mut(cell))
            else {
                break Ok(Ended::General);
            };
            let own = &units[unit];
            let shape = match *own_shape {
                IDLE => own.tables.root,
                SLOW => break Ok(Ended::General),
                shape => shape,
            };
            let (from, to) = match own.fast.get(shape, kind) {
                Entry::Fast(from, to) => (from, to),
                Entry::Never if !may_miss => break Ok(Ended::Blocked),
                Entry::Never | Entry::Slow | Entry::Unknown => break Ok(Ended::General),
            };
            let event = At { facts, step: at, peer, across };
            let mut possible = own.fast.range(from, to).iter().filter_map(|step| {
                match step.test(own_registers, event) {
                    Answer::Fails => None,
                    Answer::Unlogged => Some(None),
                    Answer::Holds => Some(Some(step)),
                }
            });
            let step = match (possible.next(), possible.next()) {
                (Some(Some(step)), None) if step.is_plain() => step,
                (None, _) if !may_miss => break Ok(Ended::Blocked),
                _ => break Ok(Ended::General),
            };
            // Only a step is counted: an attempt that leads to none is counted by who tries again.
            if let Some(stop) = meter.count() {
                break Ok(Ended::Stopped(stop));
            }
            if !step.keeps_registers {
                let Some(registers) = step.registers(own_registers, event) else {
                    break Ok(Ended::General);
                };
                *own_registers = registers;
            }
            *own_shape = step.to;
            at += 1;
        };
        consumed[component] = u32::try_from(at).unwrap_or(u32::MAX);
        left
    }

    #[cold]
    fn find_lane(&mut self, action: ActionId) {
        let peer = self.observation.problem.pool.action(action).peer;
        let lane = match self.find_route(action) {
            None => Lane::General,
            Some(route @ Route { kind, .. }) => match *self.keyed.levels(route) {
                [Level { unit, key }] => Lane::Plain { unit, kind, key, peer },
                _ => Lane::General,
            },
        };
        self.lanes[action.index()] = lane;
    }
}
