//! Finds the rule that takes a record: the first whose conditions all hold.

use std::ops::ControlFlow;

use otus_syntax::Code;
use regex::bytes::CaptureLocations;

use super::super::Sink;
use super::super::vocabulary::RunPlace;
use super::file::OpenFile;
use super::{Incomplete, Mapper, Taken};
use crate::mapping::template::{Captures, Context};
use crate::mapping::{Condition, Rule};
use crate::read::{Format, Record};

impl Mapper {
    pub(super) fn record(
        &mut self,
        file: &mut OpenFile<'_>,
        record: &Record<'_>,
        sink: &mut dyn Sink,
    ) -> ControlFlow<()> {
        let place = RunPlace { file: file.id, line: record.at.line };
        let rules = &file.source.rules;
        let taken = rules.iter().zip(&mut file.locations).position(|(rule, locations)| {
            rule.conditions.iter().all(|condition| holds(condition, record, locations))
        });
        let Some(index) = taken else {
            file.account.tally.unmatched += 1;
            self.gaps |= file.source.format == Format::Shiviz;
            self.shapes.count(record.bytes, place);
            return ControlFlow::Continue(());
        };
        let rule = &rules[index];
        let account = &mut self.accounting.rules[self.rule_starts[file.source_index] + index];
        account.hits += 1;
        account.first.get_or_insert(place);
        if rule.ignore {
            file.account.tally.ignored += 1;
            self.gaps |= file.source.format == Format::Shiviz;
            if rule.latent && record.span.is_some_and(|span| !span.id.is_empty()) {
                let context = Context { record, file: &file.account.name, captures: &[] };
                let taken = Taken { plan: file.plan, source: file.source, rule, place, context };
                // A span without a service cannot be joined to others, so the error is ignored.
                let _ = self.apply(&taken);
            }
            return ControlFlow::Continue(());
        }
        // Nearly all rules have one pattern, so the common case needs no allocation.
        let mut one = None;
        let mut several = Vec::new();
        for pattern in captures(rule, record, &file.locations[index]) {
            match one {
                None if several.is_empty() => one = Some(pattern),
                _ => {
                    several.extend(one.take());
                    several.push(pattern);
                }
            }
        }
        let captures = if several.is_empty() { one.as_slice() } else { &several[..] };
        let context = Context { record, file: &file.account.name, captures };
        let taken = Taken { plan: file.plan, source: file.source, rule, place, context };
        let stored = match file.canonical {
            Some(slots) => self.canonical(&taken, slots),
            None => self.apply(&taken).map(Some),
        };
        match stored {
            Ok(Some(stored)) => {
                file.account.tally.matched += 1;
                file.account.events += std::mem::take(&mut self.stored);
                self.after(stored, sink, file.plan)
            }
            Ok(None) => {
                file.account.tally.blank += 1;
                ControlFlow::Continue(())
            }
            Err(incomplete) => {
                file.account.tally.incomplete += 1;
                self.gaps |= file.source.format == Format::Shiviz;
                let (name, source) = (&rule.name, &file.source.name);
                let message = match incomplete {
                    Incomplete::Missing(setting) => {
                        format!(
                            "`{name}` of `{source}` takes lines that have no value for `{setting}`"
                        )
                    }
                    Incomplete::Unusable(setting, value) => {
                        format!(
                            "`{name}` of `{source}` takes a line whose `{setting}` cannot be {value}"
                        )
                    }
                };
                let help =
                    "make its `match` or `where` narrower, or give the setting another value";
                self.findings.add(Code::INCOMPLETE_RECORD, place, message, help);
                ControlFlow::Continue(())
            }
        }
    }
}

fn captures<'c>(
    rule: &'c Rule,
    record: &'c Record<'_>,
    locations: &'c [CaptureLocations],
) -> impl Iterator<Item = Captures<'c>> {
    rule.conditions.iter().filter_map(move |condition| {
        let &Condition::Pattern { slot, index, .. } = condition else { return None };
        let haystack = match slot {
            Some(slot) => record.field(slot).unwrap_or(&[]),
            None => record.bytes,
        };
        Some(Captures { haystack, locations: locations.get(index)? })
    })
}

/// Memory for the captures of the patterns of a rule.
pub(super) fn locations(rule: &Rule) -> Vec<CaptureLocations> {
    let patterns = rule.conditions.iter().filter_map(|condition| match condition {
        Condition::Pattern { regex, .. } => Some(regex.capture_locations()),
        Condition::OneOf { .. } | Condition::Present { .. } => None,
    });
    patterns.collect()
}

#[inline]
fn holds(condition: &Condition, record: &Record<'_>, locations: &mut [CaptureLocations]) -> bool {
    match condition {
        Condition::Pattern { slot, regex, index } => {
            let haystack = match slot {
                None => record.bytes,
                Some(slot) => match record.field(*slot) {
                    Some(field) => field,
                    None => return false,
                },
            };
            match locations.get_mut(*index) {
                Some(locations) if locations.len() > 1 => {
                    regex.captures_read(locations, haystack).is_some()
                }
                _ => regex.is_match(haystack),
            }
        }
        Condition::OneOf { slot, values } => {
            record.field(*slot).is_some_and(|field| values.iter().any(|value| value == field))
        }
        Condition::Present { slot, there } => record.field(*slot).is_some() == *there,
    }
}
