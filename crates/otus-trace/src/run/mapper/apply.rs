//! What a rule says of a record: its lifeline, clock, actions, variables and order.

use otus_syntax::Code;

use super::super::shape::Place;
use super::super::time;
use super::super::vocabulary::ActionKey;
use super::spans::span_keys;
use super::{Lacking, Mapper, Pending, Slot, View, string};
use crate::group::Marks;
use crate::mapping::template::{Context, Template};
use crate::mapping::{ActionPlan, Assign, DirectionPlan, Mapped, Rule};
use crate::order::Value;
use crate::read::Format;

impl Mapper {
    /// Does what a rule says; the group it was for.
    pub(super) fn apply(
        &mut self,
        view: &View<'_>,
        context: &Context<'_>,
    ) -> Result<Option<Slot>, Lacking> {
        let rule = view.rule;
        self.row.clear();
        self.pending.clear();
        let lifeline = match &rule.lifeline {
            Some(mapped) => self.lifeline(mapped, view, context)?,
            None => return Err(Lacking::Setting("lifeline")),
        };
        let clock = self.clock(rule.clock.as_ref(), lifeline, view, context)?;
        let start = || context.record.span.and_then(|span| span_keys(span).0);
        let order = self.order_key(rule, view, context).or_else(start);
        if let (Some(actions), Some(span)) = (&rule.span_actions, context.record.span) {
            self.span_actions(actions, span, lifeline, view, context)?;
        }
        for action in &rule.actions {
            self.action(action, lifeline, order, view, context)?;
        }
        if view.source.format == Format::Shiviz {
            self.vector(view, context)?;
        }
        self.row.label = match &rule.label {
            Some(label) => label
                .value(context, &mut self.scratch)
                .map(|text| self.accounting.vocabulary.labels.intern(&string(text)).0),
            None => None,
        };
        let key: &[u8] = match &rule.group {
            Some(group) => match group.value(context, &mut self.scratch) {
                Some(key) => key,
                None => return Err(Lacking::Setting("group")),
            },
            None => {
                self.accounting.groups.ungrouped += u64::from(self.grouped);
                b""
            }
        };
        let group = self.groups.find(key, self.now);
        for assign in &rule.set {
            self.assign(assign, lifeline, context)?;
        }
        self.watch_clock(rule, clock, order, view, context);
        self.store(group, lifeline, order, view, context);
        Ok(Some(Slot { group, closes: rule.closes }))
    }

    /// A lifeline by its name in the log.
    pub(super) fn lifeline(
        &mut self,
        mapped: &Mapped,
        view: &View<'_>,
        context: &Context<'_>,
    ) -> Result<u32, Lacking> {
        let value = mapped.template.value(context, &mut self.scratch);
        let value = value.filter(|value| !value.is_empty()).ok_or(Lacking::Setting("lifeline"))?;
        let known = mapped.map.iter().find(|(key, _)| key == value);
        let lifelines = &mut self.accounting.vocabulary.lifelines;
        let aliases = &view.plan.lifelines;
        Ok(match known {
            Some((_, name)) => lifelines.intern(name, aliases),
            None => lifelines.intern(&string(value), aliases),
        })
    }

    pub(super) fn clock(
        &mut self,
        template: Option<&Template>,
        lifeline: u32,
        view: &View<'_>,
        context: &Context<'_>,
    ) -> Result<u32, Lacking> {
        let name = match template {
            None => None,
            Some(template) => {
                let value = template.value(context, &mut self.scratch);
                Some(string(value.ok_or(Lacking::Setting("clock"))?))
            }
        };
        let vocabulary = &mut self.accounting.vocabulary;
        match vocabulary.set_clock(lifeline, name.as_deref()) {
            Ok(clock) => Ok(clock),
            Err(known) => {
                let message = format!(
                    "`{}` has the clock `{}` and elsewhere `{}`",
                    vocabulary.lifeline(lifeline),
                    vocabulary.clock(known),
                    name.as_deref().unwrap_or_default(),
                );
                let place = Place { file: view.file, line: context.record.at.line };
                let help = "the first one counts; say the same `clock` wherever it logs";
                self.repeated.note(Code::TWO_CLOCKS, place, message, help);
                Ok(known)
            }
        }
    }

    pub(super) fn action(
        &mut self,
        plan: &ActionPlan,
        lifeline: u32,
        order: Option<i128>,
        view: &View<'_>,
        context: &Context<'_>,
    ) -> Result<(), Lacking> {
        let lifeline = match &plan.lifeline {
            Some(mapped) => {
                let lifeline = self.lifeline(mapped, view, context)?;
                self.clock(view.rule.clock.as_ref(), lifeline, view, context)?;
                lifeline
            }
            None => lifeline,
        };
        let direction = match &plan.direction {
            DirectionPlan::Fixed(direction) => *direction,
            DirectionPlan::From(template, map) => {
                let value = template.value(context, &mut self.scratch);
                let value = value.ok_or(Lacking::Setting("dir"))?;
                let known = map.iter().find(|(key, _)| key == value).map(|(_, d)| *d);
                let usual = || map.is_empty().then(|| crate::mapping::direction(value)).flatten();
                let found = known.or_else(usual);
                found.ok_or_else(|| Lacking::Bad("dir", format!("`{}`", string(value))))?
            }
        };
        let message = plan.message.value(context, &mut self.scratch);
        let message =
            message.filter(|message| !message.is_empty()).ok_or(Lacking::Setting("message"))?;
        let vocabulary = &mut self.accounting.vocabulary;
        let message = vocabulary.messages.intern(&string(message), &view.plan.messages);
        let peer = plan.peer.as_ref().and_then(|peer| peer.value(context, &mut self.scratch));
        let peer = peer.filter(|peer| !peer.is_empty());
        let peer =
            peer.map(|peer| vocabulary.lifelines.intern(&string(peer), &view.plan.lifelines));
        let mut marks = Marks::default();
        let id = plan.id.as_ref().and_then(|id| id.value(context, &mut self.scratch_too));
        let id = id.map(|id| {
            marks.add(Marks::HAS_ID);
            let start = self.row.id.len();
            self.row.id.extend_from_slice(id);
            (start, self.row.id.len())
        });
        let action = vocabulary.intern_action(ActionKey { lifeline, direction, message });
        self.pending.push(Pending { lifeline, action, peer, id, marks, order });
        Ok(())
    }

    pub(super) fn assign(
        &mut self,
        assign: &Assign,
        lifeline: u32,
        context: &Context<'_>,
    ) -> Result<(), Lacking> {
        let Some(value) = assign.value.value(context, &mut self.scratch) else {
            return Err(Lacking::Setting("set"));
        };
        let value = parse_value(&string(value));
        self.set(&assign.name, assign.shared, lifeline, value);
        Ok(())
    }

    pub(super) fn set(&mut self, name: &str, shared: bool, lifeline: u32, value: Value) {
        let vocabulary = &mut self.accounting.vocabulary;
        let name = if shared {
            vocabulary.variables.intern(name).0
        } else {
            let full = format!("{}.{name}", vocabulary.lifeline(lifeline));
            vocabulary.variables.intern(&full).0
        };
        let value = vocabulary.intern_value(value);
        self.row.set.retain(|(other, _)| *other != name);
        self.row.set.push((name, value));
    }

    /// What a record is ordered by.
    pub(super) fn order_key(
        &mut self,
        rule: &Rule,
        view: &View<'_>,
        context: &Context<'_>,
    ) -> Option<i128> {
        let template = rule.order.as_ref()?;
        let value = template.value(context, &mut self.scratch);
        let key = value.and_then(time::key);
        if key.is_none() {
            let place = Place { file: view.file, line: context.record.at.line };
            let message = format!(
                "`{}` of `{}` takes lines whose `order` is no number or time",
                rule.name, view.source.name
            );
            let help = "they stay after the line before them";
            self.repeated.note(Code::INCOMPLETE_RECORD, place, message, help);
        }
        key
    }

    /// Notes clocks that go backwards, and files of one clock without a common order.
    pub(super) fn watch_clock(
        &mut self,
        rule: &Rule,
        clock: u32,
        order: Option<i128>,
        view: &View<'_>,
        context: &Context<'_>,
    ) {
        let place = Place { file: view.file, line: context.record.at.line };
        let index = clock as usize;
        let time = match &rule.time {
            Some(time) => time.value(context, &mut self.scratch).and_then(time::key),
            // Spans are written when they end, so their starts go back and forth.
            None => order.filter(|_| rule.order.is_some()),
        };
        if let Some(time) = time {
            if self.last_time.len() <= index {
                self.last_time.resize(index + 1, None);
            }
            let before = self.last_time[index].replace((view.file, time));
            if before.is_some_and(|(file, before)| file == view.file && time < before) {
                let clock = self.accounting.vocabulary.clock(clock);
                let file = self.accounting.vocabulary.file(view.file);
                let message = format!("the clock of `{clock}` goes backwards in {file}");
                let help = if rule.order.is_some() {
                    "the events were put in the order of their times"
                } else {
                    "the lines keep their order; the clock was set, or several writers share the file"
                };
                self.repeated.note(Code::CLOCK_BACKWARDS, place, message, help);
            }
        }
        if rule.clock.is_some()
            && order.is_none()
            && self.row.vector.is_empty()
            && view.source.format != Format::Htf
        {
            let Some(lifeline) = self.pending.first().map(|pending| pending.lifeline) else {
                return;
            };
            if self.last_line.len() <= index {
                self.last_line.resize(index + 1, None);
            }
            let before = self.last_line[index].replace((view.file, lifeline));
            if let Some((file, other)) = before
                && file != view.file
                && other != lifeline
            {
                let vocabulary = &self.accounting.vocabulary;
                let message = format!(
                    "{} and {} share the clock `{}` but have no common order",
                    vocabulary.file(file),
                    vocabulary.file(view.file),
                    vocabulary.clock(clock),
                );
                let help = "say `order = \"{field}\"` with a time that both have, or give them clocks of their own";
                self.repeated.note(Code::TWO_CLOCKS, place, message, help);
            }
        }
    }
}

/// A value as it is meant: a truth value, a number, or a text.
pub(super) fn parse_value(text: &str) -> Value {
    match text {
        "true" => return Value::Boolean(true),
        "false" => return Value::Boolean(false),
        _ => {}
    }
    let number =
        time::key(text.as_bytes()).filter(|_| !text.contains([':', ',']) && text.len() < 30);
    let number = number.filter(|_| !text.get(1..).is_some_and(|rest| rest.contains('-')));
    let billion = 1_000_000_000;
    match number.and_then(|number| otus_syntax::Rational::new(number, billion)) {
        Some(number) => Value::Number(number),
        None => Value::text(text),
    }
}
