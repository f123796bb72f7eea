//! Evaluates a rule for a record: lifeline, clock, actions, variables and local order.

use otus_core::Direction;
use otus_core::index::Index as _;
use otus_syntax::Code;

use super::super::vocabulary::{RunAction, RunClockId, RunLifelineId};
use super::spans::span_keys;
use super::{Incomplete, Mapper, PendingAction, Stored, Taken, entry};
use crate::group::RowFlags;
use crate::mapping::template::Template;
use crate::mapping::{ActionPlan, DirectionPlan, Mapped};
use crate::order::Value;
use crate::read::Format;
use crate::time;

impl Mapper {
    /// Applies the rule that takes a record, and stores the events of the record.
    pub(super) fn apply(&mut self, taken: &Taken<'_>) -> Result<Stored, Incomplete> {
        let Taken { rule, context, .. } = *taken;
        self.row.clear();
        self.pending.clear();
        self.pending_times.clear();
        let mapped = rule.lifeline.as_ref().ok_or(Incomplete::Missing("lifeline"))?;
        let lifeline = self.lifeline(mapped, taken)?;
        let clock = self.clock(rule.clock.as_ref(), lifeline, taken)?;
        let start = || context.record.span.and_then(|span| span_keys(span).0);
        let order = self.order_key(taken).or_else(start);
        if let (Some(actions), Some(span)) = (&rule.span_actions, context.record.span) {
            self.span_actions(actions, span, lifeline, taken)?;
        }
        for action in &rule.actions {
            self.action(action, lifeline, order, taken)?;
        }
        if taken.source.format == Format::Shiviz {
            let slot = taken.source.fields.find("clock");
            let text = slot.and_then(|slot| context.record.field(slot));
            self.read_vector(text.ok_or(Incomplete::Missing("clock"))?, taken)?;
        }
        let label = rule.label.as_ref().and_then(|label| label.value(&context, &mut self.scratch));
        self.row.label = label.map(|text| self.accounting.vocabulary.intern_label(text));
        let key: &[u8] = match &rule.group {
            Some(group) => {
                let key = group.value(&context, &mut self.scratch);
                key.ok_or(Incomplete::Missing("group"))?
            }
            None if taken.source.format == Format::Shiviz => {
                let slot = taken.source.fields.find("execution");
                slot.and_then(|slot| context.record.field(slot)).unwrap_or(b"")
            }
            None => {
                self.accounting.groups.ungrouped += u64::from(self.grouped);
                b""
            }
        };
        if let Some(span) = context.record.span.filter(|_| taken.plan.links && !rule.latent)
            && key == span.trace.as_bytes()
        {
            let others = span.linked_traces.iter().filter(|it| **it != span.trace);
            self.linked.extend(others.map(|it| [key.to_vec(), it.as_bytes().to_vec()]));
        }
        let group = self.groups.find(key, self.now);
        for assign in &rule.set {
            let value = assign.value.value(&context, &mut self.scratch);
            let value =
                parse_value(&String::from_utf8_lossy(value.ok_or(Incomplete::Missing("set"))?));
            self.set(&assign.name, assign.shared, lifeline, value);
        }
        if !rule.kept.is_empty() {
            self.read_values(taken);
        }
        self.watch_clock(clock, order, taken);
        self.store(group, lifeline, order, taken);
        Ok(Stored { group, closes: rule.closes })
    }

    pub(super) fn lifeline(
        &mut self,
        mapped: &Mapped,
        taken: &Taken<'_>,
    ) -> Result<RunLifelineId, Incomplete> {
        let value = mapped.template.value(&taken.context, &mut self.scratch);
        let value =
            value.filter(|value| !value.is_empty()).ok_or(Incomplete::Missing("lifeline"))?;
        let known = mapped.map.iter().find(|(key, _)| key == value);
        let name = known.map_or(value, |(_, name)| name.as_bytes());
        Ok(self.accounting.vocabulary.intern_lifeline(name, &taken.plan.lifelines))
    }

    fn clock(
        &mut self,
        template: Option<&Template>,
        lifeline: RunLifelineId,
        taken: &Taken<'_>,
    ) -> Result<RunClockId, Incomplete> {
        let name = match template {
            None => None,
            Some(template) => {
                let value = template.value(&taken.context, &mut self.scratch);
                Some(String::from_utf8_lossy(value.ok_or(Incomplete::Missing("clock"))?))
            }
        };
        let vocabulary = &mut self.accounting.vocabulary;
        Ok(vocabulary.set_clock(lifeline, name.as_deref()).unwrap_or_else(|known| {
            let message = format!(
                "`{}` has the clock `{}` and elsewhere `{}`",
                vocabulary.lifeline(lifeline),
                vocabulary.clock(known),
                name.as_deref().unwrap_or_default(),
            );
            let help = "the first one counts; say the same `clock` wherever it logs";
            self.findings.add(Code::TWO_CLOCKS, taken.place, message, help);
            known
        }))
    }

    fn action(
        &mut self,
        plan: &ActionPlan,
        lifeline: RunLifelineId,
        order: Option<i128>,
        taken: &Taken<'_>,
    ) -> Result<(), Incomplete> {
        let context = &taken.context;
        let lifeline = match &plan.lifeline {
            Some(mapped) => {
                let lifeline = self.lifeline(mapped, taken)?;
                self.clock(taken.rule.clock.as_ref(), lifeline, taken)?;
                lifeline
            }
            None => lifeline,
        };
        let direction = match &plan.direction {
            DirectionPlan::Fixed(direction) => *direction,
            DirectionPlan::From(template, map) => {
                let value = template.value(context, &mut self.scratch);
                let value = value.ok_or(Incomplete::Missing("dir"))?;
                let known = map.iter().find(|(key, _)| key == value).map(|(_, d)| *d);
                let usual = || map.is_empty().then(|| crate::mapping::direction(value)).flatten();
                let found = known.or_else(usual);
                let unusable =
                    || Incomplete::Unusable("dir", format!("`{}`", String::from_utf8_lossy(value)));
                found.ok_or_else(unusable)?
            }
        };
        let vocabulary = &mut self.accounting.vocabulary;
        let message = plan.message.value(context, &mut self.scratch);
        let message =
            message.filter(|message| !message.is_empty()).ok_or(Incomplete::Missing("message"))?;
        let message = vocabulary.intern_message(message, &taken.plan.messages);
        let peer = match direction {
            Direction::Emission => &plan.peer.to,
            Direction::Reception => &plan.peer.from,
        };
        let peer = peer.as_ref().and_then(|peer| peer.value(context, &mut self.scratch));
        let peer = peer
            .filter(|peer| !peer.is_empty())
            .map(|peer| vocabulary.intern_lifeline(peer, &taken.plan.lifelines));
        let mut flags = RowFlags::default();
        let id = plan.id.as_ref().and_then(|id| id.value(context, &mut self.id_scratch));
        let id = id.map(|id| {
            flags.add(RowFlags::HAS_ID);
            let start = self.row.id.len();
            self.row.id.extend_from_slice(id);
            (start, self.row.id.len())
        });
        let action = vocabulary.actions.intern(RunAction { lifeline, direction, message });
        self.pending.push(PendingAction { lifeline, action, peer, id, flags, order });
        Ok(())
    }

    /// Sets a variable of the lifeline, or a shared one. The last value in a record counts.
    pub(super) fn set(&mut self, name: &str, shared: bool, lifeline: RunLifelineId, value: Value) {
        let vocabulary = &mut self.accounting.vocabulary;
        let variable = if shared {
            vocabulary.intern_variable(name)
        } else {
            let full = format!("{}.{name}", vocabulary.lifeline(lifeline));
            vocabulary.intern_variable(&full)
        };
        let value = vocabulary.values.intern(value);
        self.row.set.retain(|(other, _)| *other != variable);
        self.row.set.push((variable, value));
    }

    /// The key by which a record is ordered on its clock.
    fn order_key(&mut self, taken: &Taken<'_>) -> Option<i128> {
        let rule = taken.rule;
        let value = rule.order.as_ref()?.value(&taken.context, &mut self.scratch);
        let key = value.and_then(time::key);
        if key.is_none() {
            let message = format!(
                "`{}` of `{}` takes lines whose `order` is no number or time",
                rule.name, taken.source.name
            );
            let help = "they stay after the line before them";
            self.findings.add(Code::INCOMPLETE_RECORD, taken.place, message, help);
        }
        key
    }

    /// Reports clocks that go backwards, and files of one clock without a common order.
    fn watch_clock(&mut self, clock: RunClockId, order: Option<i128>, taken: &Taken<'_>) {
        let Taken { rule, place, .. } = *taken;
        let time = match &rule.time {
            Some(_) => self.read_time(taken),
            // A span is written when it ends, so the starts of spans are not in order.
            None => order.filter(|_| rule.order.is_some()),
        };
        let vocabulary = &self.accounting.vocabulary;
        if let Some(time) = time {
            let before = entry(&mut self.last_time, clock.index()).replace((place.file, time));
            if before.is_some_and(|(file, before)| file == place.file && time < before) {
                let (clock, file) = (vocabulary.clock(clock), vocabulary.file(place.file));
                let message = format!("the clock of `{clock}` goes backwards in {file}");
                let help = if rule.order.is_some() {
                    "the events were put in the order of their times"
                } else if taken.plan.keeps_time {
                    "from here on it counts as another clock, with an unknown distance to all others"
                } else {
                    "the lines keep their order; the clock was set, or several writers share the file"
                };
                self.findings.add(Code::CLOCK_BACKWARDS, place, message, help);
            }
        }
        let by_line = order.is_none()
            && self.row.vector.is_empty()
            && taken.source.format != Format::Htf
            && rule.clock.is_some();
        let Some(lifeline) = self.pending.first().map(|action| action.lifeline) else { return };
        if !by_line {
            return;
        }
        let last = entry(&mut self.last_line, clock.index()).replace((place.file, lifeline));
        if let Some((file, before)) = last
            && file != place.file
            && before != lifeline
        {
            let message = format!(
                "{} and {} share the clock `{}` but have no common order",
                vocabulary.file(file),
                vocabulary.file(place.file),
                vocabulary.clock(clock),
            );
            let help = "say `order = \"{field}\"` with a time that both have, or give them clocks of their own";
            self.findings.add(Code::TWO_CLOCKS, place, message, help);
        }
    }
}

/// Parses a text as a truth value or a number; any other text stays a text.
pub(super) fn parse_value(text: &str) -> Value {
    match text {
        "true" => return Value::Boolean(true),
        "false" => return Value::Boolean(false),
        _ => {}
    }
    let number =
        time::key(text.as_bytes()).filter(|_| !text.contains([':', ',']) && text.len() < 30);
    let number = number.filter(|_| !text.get(1..).is_some_and(|rest| rest.contains('-')));
    match number.and_then(|number| otus_syntax::Rational::new(number, time::BILLION)) {
        Some(number) => Value::Number(number),
        None => Value::text(text),
    }
}
