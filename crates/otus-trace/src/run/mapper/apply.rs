//! Evaluates a rule for a record: lifeline, clock, actions, variables and local order.

use otus_core::Direction;
use otus_syntax::Code;

use super::super::vocabulary::{RunAction, RunLifelineId};
use super::spans::span_keys;
use super::{Incomplete, Mapper, PendingAction, Taken};
use crate::group::RowFlags;
use crate::mapping::template::Template;
use crate::mapping::{ActionPlan, DirectionPlan, Mapped};
use crate::order::Value;
use crate::read::{Format, Span, lossy};
use crate::time;

impl Mapper {
    /// Evaluates the rule that takes a record. The events of the record are in `current` then.
    pub(super) fn apply(&mut self, taken: &Taken<'_>) -> Result<(), Incomplete> {
        let Taken { rule, context, .. } = *taken;
        self.begin(taken);
        let mapped = rule.lifeline.as_ref().ok_or(Incomplete::Missing("lifeline"))?;
        let lifeline = self.lifeline(mapped, taken)?;
        self.clock(rule.clock.as_ref(), lifeline, taken)?;
        let start = || context.record.span.and_then(|span| span_keys(span).0);
        let order = self.order_key(taken).or_else(start);
        (self.current.lifeline, self.current.order) = (lifeline, order);
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
        self.current.row.label = label.map(|text| self.accounting.vocabulary.intern_label(text));
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
        self.current.key.extend_from_slice(key);
        if let Some(span) = context.record.span.filter(|_| taken.plan.links && !rule.latent)
            && key == span.trace.as_bytes()
        {
            let others = span.linked_traces.iter().filter(|it| **it != span.trace);
            self.linked.extend(others.map(|it| [key.to_vec(), it.as_bytes().to_vec()]));
        }
        for assign in &rule.set {
            let value = assign.value.value(&context, &mut self.scratch);
            let value =
                parse_value(&String::from_utf8_lossy(value.ok_or(Incomplete::Missing("set"))?));
            self.set(&assign.name, assign.shared, lifeline, value);
        }
        if !rule.kept.is_empty() {
            self.read_values(taken);
        }
        self.current.time = match &rule.time {
            Some(_) => self.read_time(taken),
            // A span is written when it ends, so the starts of spans are not in order.
            None => order.filter(|_| rule.order.is_some()),
        };
        self.current.is_joined = taken.source.format == Format::Htf && {
            let slot = taken.source.fields.find("joined");
            slot.is_some_and(|slot| context.record.field(slot).is_some())
        };
        self.current.closes = rule.closes;
        let is_top = |span: &Span| span.parent.is_empty() && !span.instant;
        self.current.is_top = context.record.span.is_some_and(is_top);
        Ok(())
    }

    /// Clears what is known of the record before.
    pub(super) fn begin(&mut self, taken: &Taken<'_>) {
        self.current.clear();
        self.current.place = taken.place;
        (self.current.source, self.current.rule) = taken.number;
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

    /// Notes a lifeline that acts, and its clock.
    fn clock(
        &mut self,
        template: Option<&Template>,
        lifeline: RunLifelineId,
        taken: &Taken<'_>,
    ) -> Result<(), Incomplete> {
        let name = match template {
            None => None,
            Some(template) => {
                let value = template.value(&taken.context, &mut self.scratch);
                Some(self.texts.intern(&lossy(value.ok_or(Incomplete::Missing("clock"))?)))
            }
        };
        self.current.clocks.push((lifeline, name));
        Ok(())
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
            let start = self.current.row.id.len();
            self.current.row.id.extend_from_slice(id);
            (start, self.current.row.id.len())
        });
        let action = vocabulary.actions.intern(RunAction { lifeline, direction, message });
        self.current.pending.push(PendingAction { lifeline, action, peer, id, flags, order });
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
        self.current.row.set.retain(|(other, _)| *other != variable);
        self.current.row.set.push((variable, value));
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
