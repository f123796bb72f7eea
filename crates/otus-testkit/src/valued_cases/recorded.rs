//! Multi-traces with facts as plain data, and random changes to them.

use std::collections::BTreeMap;

use otus_analysis::Question;
use otus_core::index::Index as _;
use otus_core::valued::Valued;
use otus_core::{Action, ActionId, Partners, Peer, Pool, Value};
use otus_syntax::SourceId;
use otus_trace::multitrace::Builder;
use otus_trace::{ComponentId, Facts, MultiTrace, Partition};

use super::execution::Event;
use super::shape::Flavor;
use super::{LIFELINES, MESSAGES};

/// An action and its known values, by the name of the field.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The action.
    pub action: Action,
    /// The values.
    pub values: BTreeMap<String, Value>,
}

/// A multi-trace with facts.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// The lifelines of each component.
    pub partition: Partition,
    /// The moments of each component.
    pub components: Vec<Vec<Vec<Record>>>,
}

impl Recorded {
    /// What the components record of an execution.
    pub fn new(partition: &Partition, events: &[Event]) -> Recorded {
        let mut components = vec![Vec::new(); partition.len()];
        for event in events {
            for component in partition.components() {
                let here =
                    |record: &&Record| partition.component_of(record.action.lifeline) == component;
                let moment: Vec<Record> = event.iter().filter(here).cloned().collect();
                if !moment.is_empty() {
                    components[component.index()].push(moment);
                }
            }
        }
        Recorded { partition: partition.clone(), components }
    }

    /// In the form of `otus-trace`. Fields that no guard names are left out.
    pub fn build(&self, pool: &mut Pool, valued: &Valued) -> (MultiTrace, Facts) {
        let count = self.components.iter().flatten().flatten().count();
        let mut builder = Builder::new(self.partition.clone(), count, false);
        let mut sorted: Vec<Vec<&Record>> = Vec::new();
        for component in &self.components {
            let mut steps = Vec::new();
            for moment in component {
                let mut moment: Vec<(ActionId, &Record)> = moment
                    .iter()
                    .map(|record| (pool.intern_action(record.action), record))
                    .collect();
                moment.sort_by_key(|(action, _)| *action);
                builder.next_moment();
                for (action, record) in moment {
                    builder.push(action, 0);
                    steps.push(record);
                }
            }
            builder.next_component();
            sorted.push(steps);
        }
        let trace = builder.finish(SourceId(0));
        let mut facts = Facts::unknown(&trace, valued.fields.items.len());
        for (component, steps) in sorted.into_iter().enumerate() {
            for (step, record) in steps.into_iter().enumerate() {
                for (name, value) in &record.values {
                    if let Some(field) = valued.field(name) {
                        facts.set(field, ComponentId::new(component), step, value.clone());
                    }
                }
            }
        }
        facts.find_breaks(&trace);
        (trace, facts)
    }

    /// Replaces the actions of events that know their peers by those of the alphabet of an interaction.
    pub fn use_letters(&mut self, partners: &Partners) {
        for record in self.components.iter_mut().flatten().flatten() {
            if let Some(peer) = record.action.peer {
                record.action = partners.letter(record.action.without_peer(), peer);
            }
        }
    }

    /// As text: `[a] a!m(f=1, time=3).a?n; [b, c] {b!m, c?m}`.
    pub fn text(&self) -> String {
        let record = |record: &Record| {
            let Action { lifeline, direction, message, .. } = record.action;
            let values: Vec<String> =
                record.values.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let values =
                if values.is_empty() { String::new() } else { format!("({})", values.join(", ")) };
            let (lifeline, message) = (LIFELINES[lifeline.index()], MESSAGES[message.index()]);
            let peer = match record.action.peer {
                None => String::new(),
                Some(Peer::Lifeline(peer)) => format!("<{}>", LIFELINES[peer.index()]),
                Some(Peer::Environment) => "<env>".to_owned(),
            };
            format!("{lifeline}{}{message}{peer}{values}", direction.symbol())
        };
        let moment = |moment: &Vec<Record>| {
            let records: Vec<String> = moment.iter().map(record).collect();
            if let [only] = &*records {
                only.clone()
            } else {
                format!("{{{}}}", records.join(", "))
            }
        };
        let components = self.partition.components().zip(&self.components).map(|(id, moments)| {
            let names = self.partition.lifelines(id).iter().map(|l| LIFELINES[l.index()]);
            let moments: Vec<String> = moments.iter().map(moment).collect();
            format!("[{}] {}", names.collect::<Vec<_>>().join(", "), moments.join("."))
        });
        components.collect::<Vec<_>>().join("; ")
    }

    /// The number of moments.
    pub fn len(&self) -> usize {
        self.components.iter().map(Vec::len).sum()
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Cuts as the question allows, sometimes as it does not, and changes some things.
    pub fn vary(
        &mut self,
        rng: &mut fastrand::Rng,
        flavor: &Flavor,
        question: &Question,
        events: &[Event],
    ) {
        if *question == Question::GlobalPrefix && rng.u8(..4) > 0 {
            let end = rng.usize(..=events.len());
            *self = Recorded::new(&self.partition, &events[..end]);
        }
        for component in self.partition.components() {
            let observed = question.of(component);
            let moments = &mut self.components[component.index()];
            let is_global = *question == Question::GlobalPrefix;
            let mistake = rng.u8(..24) == 0;
            if (observed.may_stop_early() && !is_global && rng.bool()) || mistake {
                moments.truncate(moments.len() - rng.usize(..=moments.len().min(2)));
            }
            if (observed.may_start_late() && rng.bool()) || rng.u8(..24) == 0 {
                moments.drain(..rng.usize(..=moments.len().min(2)));
            }
        }
        if rng.u8(..3) == 0 {
            let share = rng.u8(1..=4);
            for record in self.components.iter_mut().flatten().flatten() {
                record.values.retain(|_, _| rng.u8(..8) >= share);
            }
        }
        for _ in 0..*rng.choice(&[0, 0, 0, 1, 1, 2]).unwrap_or(&0) {
            self.change(rng, flavor);
        }
        if !flavor.backwards || rng.u8(..8) > 0 {
            self.ascend();
        }
        if flavor.backwards {
            self.set_back(rng, flavor);
        }
    }

    /// Sets the clocks of most components back, at one or two moments.
    fn set_back(&mut self, rng: &mut fastrand::Rng, flavor: &Flavor) {
        for moments in self.components.iter_mut().filter(|moments| moments.len() > 1) {
            for _ in 0..*rng.choice(&[0, 1, 1, 2]).unwrap_or(&1) {
                let from = rng.usize(1..moments.len());
                let shift = rng.i64(1..=flavor.span + 2);
                for record in moments[from..].iter_mut().flatten() {
                    if let Some(Value::Number(time)) = record.values.get("time") {
                        let earlier = time.integer().unwrap_or(0) - shift;
                        record.values.insert("time".to_owned(), Value::integer(earlier));
                    }
                }
            }
        }
    }

    /// One change: a value, a time, a moment lost, two moments swapped, a value unknown.
    fn change(&mut self, rng: &mut fastrand::Rng, flavor: &Flavor) {
        let filled: Vec<usize> =
            (0..self.components.len()).filter(|&c| !self.components[c].is_empty()).collect();
        let Some(&component) = rng.choice(&filled) else { return };
        let moments = &mut self.components[component];
        let at = rng.usize(..moments.len());
        match rng.u8(..8) {
            0 => {
                moments.remove(at);
            }
            1 if at + 1 < moments.len() => moments.swap(at, at + 1),
            2 => {
                let record = rng.usize(..moments[at].len());
                let names: Vec<String> = moments[at][record].values.keys().cloned().collect();
                if let Some(name) = rng.choice(&names) {
                    moments[at][record].values.remove(name);
                }
            }
            3 | 4 => {
                // All later times are shifted, too, as a pause would do.
                let shift = rng.i64(1..=3);
                for record in moments[at..].iter_mut().flatten() {
                    if let Some(Value::Number(time)) = record.values.get("time") {
                        let later = time.integer().unwrap_or(0) + shift;
                        record.values.insert("time".to_owned(), Value::integer(later));
                    }
                }
            }
            5 => {
                let record = rng.usize(..moments[at].len());
                if let Some(time) = moments[at][record].values.get_mut("time") {
                    *time = Value::integer(rng.i64(0..=flavor.span));
                }
            }
            _ => {
                let record = rng.usize(..moments[at].len());
                let values = &mut moments[at][record].values;
                let names: Vec<String> = values.keys().filter(|&n| n != "time").cloned().collect();
                if let Some(name) = rng.choice(&names) {
                    values.insert(name.clone(), Value::integer(rng.i64(1..=flavor.span)));
                }
            }
        }
    }

    /// Makes known times that are before an earlier one equal to it. The actions of one moment get one time, or none.
    pub fn ascend(&mut self) {
        for moments in &mut self.components {
            let mut latest = i64::MIN;
            for moment in moments {
                let times = moment.iter().map(|record| match record.values.get("time") {
                    Some(Value::Number(number)) => number.integer(),
                    Some(Value::Boolean(_) | Value::Text(_)) | None => None,
                });
                let times: Option<Vec<i64>> = times.collect();
                let time = times.and_then(|times| times.into_iter().max());
                latest = time.unwrap_or(latest).max(latest);
                for record in moment {
                    record.values.remove("time");
                    if time.is_some() {
                        record.values.insert("time".to_owned(), Value::integer(latest));
                    }
                }
            }
        }
    }
}
