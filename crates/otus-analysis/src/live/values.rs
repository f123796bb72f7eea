//! Live groups of interactions with guards and binders.
//!
//! The residual of an interaction with values would need registers and conditions for everything that is still open, so
//! a group keeps its events with their values, up to the cap, and the value engine decides again about all of them after each
//! event. It follows parallel sessions by their keys, so this takes linear time for each event of a group, and
//! quadratic time for the group: caps of some hundreds or thousands of events are reasonable.
//!
//! The skeleton, which has no values, is followed as well. What it does not explain is not explained with values either, so such
//! a Fail is told even beyond the cap.
//!
//! **Claim.** A Fail of the open question is final here, too. *Proof.* The values of events that have arrived do not change, and a
//! clock that goes backwards later goes on as it was before that; so what explains more events explains those that came
//! first, with the same values. ∎

use otus_core::index::Index as _;
use otus_core::valued::{FieldId, Valued};
use otus_core::{ActionId, Pool, TermId, Value};
use otus_syntax::SourceId;
use otus_trace::multitrace::{Builder, ComponentId};
use otus_trace::{Facts, MultiTrace, Partition};
use std::sync::Arc;

use super::{Answer, GroupId, Limits, Live, Standing, Why, open_question};
use crate::question::Question;
use crate::values::{Clocks, ValueEngine};
use crate::verdict::Verdict;

/// A value of an event: the number of the action in its moment, the field, and the value.
pub type Given = (usize, FieldId, Value);

/// One event of a group, with its values.
#[derive(Debug)]
struct Event {
    moment: Box<[ActionId]>,
    given: Box<[Given]>,
}

#[derive(Debug, Default)]
struct Group {
    /// Which group this is, unless the slot is free.
    id: Option<GroupId>,
    standing: Option<Standing>,
    events: u64,
    /// By component, unless there were too many.
    logs: Option<Box<[Vec<Event>]>>,
    kept: usize,
}

/// A specification with values and a partition, prepared for many groups.
#[derive(Debug)]
pub struct LiveValues {
    /// The same groups without values.
    skeleton: Live,
    engine: ValueEngine,
    partition: Arc<Partition>,
    fields: usize,
    clocks: Clocks,
    declared: Question,
    open: Question,
    limits: Limits,
    groups: Vec<Group>,
}

impl LiveValues {
    /// Prepares an interaction for groups over a partition. The term is its skeleton.
    pub fn new(
        (pool, term, valued): (&Pool, TermId, &Valued),
        partition: impl Into<Arc<Partition>>,
        clocks: Clocks,
        declared: Question,
        limits: Limits,
    ) -> LiveValues {
        let partition = partition.into();
        // The skeleton only tells what is not explained while the group is open.
        let open = open_question(&declared, partition.len());
        let for_skeleton = Limits { goal: Verdict::WeakPass, ..limits.clone() };
        LiveValues {
            skeleton: Live::new(pool, term, Arc::clone(&partition), open.clone(), for_skeleton),
            engine: ValueEngine::new(pool, term, valued, &partition),
            fields: valued.fields.items.len(),
            partition,
            clocks,
            declared,
            open,
            limits,
            groups: Vec::new(),
        }
    }

    /// Opens a group.
    pub fn open(&mut self) -> GroupId {
        let id = self.skeleton.open();
        let slot = id.slot as usize;
        if self.groups.len() <= slot {
            self.groups.resize_with(slot + 1, Group::default);
        }
        self.groups[slot] = Group {
            id: Some(id),
            standing: Some(Standing::Explained),
            events: 0,
            logs: Some((0..self.partition.len()).map(|_| Vec::new()).collect()),
            kept: 0,
        };
        id
    }

    /// Takes the next moment of a component of a group, with its values: like [`Live::push`].
    pub fn push(
        &mut self,
        group: GroupId,
        component: ComponentId,
        moment: &[ActionId],
        given: &[Given],
    ) -> Option<Standing> {
        let of = self.groups.get_mut(group.slot as usize).filter(|of| of.id == Some(group))?;
        let event = of.events;
        of.events += 1;
        if of.standing != Some(Standing::Explained) || moment.is_empty() {
            return of.standing;
        }
        of.kept += 1;
        if of.kept > self.limits.kept {
            of.logs = None;
        }
        if let Some(logs) = &mut of.logs {
            logs[component.index()].push(Event { moment: moment.into(), given: given.into() });
        }
        let standing = match self.skeleton.push(group, component, moment) {
            Some(Standing::Failed { .. }) => Standing::Failed { event },
            _ => match self.decide(group, &self.open.clone()) {
                Some((Verdict::Pass | Verdict::WeakPass, _)) => Standing::Explained,
                Some((Verdict::Fail, _)) => Standing::Failed { event },
                Some((Verdict::WeakFail | Verdict::Inconclusive, why)) => {
                    Standing::Unknown { event, why }
                }
                // Whether the skeleton fails later is still told.
                None => return Some(Standing::Unknown { event, why: Why::Kept }),
            },
        };
        if standing != Standing::Explained {
            let of = self.groups.get_mut(group.slot as usize)?;
            (of.standing, of.logs) = (Some(standing), None);
        }
        Some(standing)
    }

    /// The verdict on all events; `None` if they were too many.
    fn decide(&mut self, group: GroupId, question: &Question) -> Option<(Verdict, Why)> {
        let logs = self.groups.get(group.slot as usize)?.logs.as_ref()?;
        let (trace, facts) = observed(&self.partition, self.fields, logs);
        let budget = &self.limits.budget;
        let outcome = self.engine.analyze(&trace, &facts, self.clocks, question, budget);
        Some((outcome.verdict, Why::Stopped(outcome.stop)))
    }

    /// The answer that [`LiveValues::close`] would give now; `None` if the group is not open.
    pub fn answer(&mut self, group: GroupId) -> Option<Answer> {
        let of = self.groups.get(group.slot as usize).filter(|of| of.id == Some(group))?;
        let (events, standing) = (of.events, of.standing?);
        let answer =
            |verdict, explained, why| Answer { verdict, explained, event: None, events, why };
        Some(match standing {
            Standing::Failed { event } => {
                Answer { event: Some(event), ..answer(Verdict::Fail, Some(false), None) }
            }
            Standing::Unknown { why, .. } => answer(Verdict::Inconclusive, None, Some(why)),
            Standing::Explained => match self.decide(group, &self.declared.clone()) {
                Some((verdict @ (Verdict::Pass | Verdict::WeakPass), _)) => {
                    answer(verdict, Some(true), None)
                }
                Some((Verdict::Fail, _)) => answer(Verdict::Fail, Some(false), None),
                Some((Verdict::WeakFail | Verdict::Inconclusive, why)) => {
                    answer(Verdict::Inconclusive, None, Some(why))
                }
                None => answer(Verdict::Inconclusive, None, Some(Why::Kept)),
            },
        })
    }

    /// Ends a group, and answers the declared question about it; `None` if the group is not open.
    pub fn close(&mut self, group: GroupId) -> Option<Answer> {
        let answer = self.answer(group)?;
        self.skeleton.close(group);
        self.groups[group.slot as usize] = Group::default();
        Some(answer)
    }
}

/// Logs as a multi-trace, with the values of its events.
fn observed(partition: &Arc<Partition>, fields: usize, logs: &[Vec<Event>]) -> (MultiTrace, Facts) {
    let actions = logs.iter().flatten().map(|event| event.moment.len()).sum();
    let mut builder = Builder::new(Arc::clone(partition), actions, false);
    for log in logs {
        for event in log {
            for &action in &event.moment {
                builder.push(action, 0);
            }
            builder.next_moment();
        }
        builder.next_component();
    }
    let trace = builder.finish(SourceId(0));
    let mut facts = Facts::unknown(&trace, fields);
    for (component, log) in logs.iter().enumerate() {
        let mut first = 0;
        for event in log {
            for (at, field, value) in &event.given {
                facts.set(*field, ComponentId::new(component), first + at, value.clone());
            }
            first += event.moment.len();
        }
    }
    facts.find_breaks(&trace);
    (trace, facts)
}
