//! Finds the rule that takes a record: the first whose conditions all hold.

use std::ops::ControlFlow;

use otus_syntax::Code;

use super::super::Sink;
use super::super::account::FileAccount;
use super::super::vocabulary::RunPlace;
use super::file::OpenFile;
use super::mapped::Kind;
use super::{Incomplete, Mapper, Taken};
use crate::mapping::finder::{Candidate, FinderMemory};
use crate::mapping::pattern::PatternMemory;
use crate::mapping::template::{Captures, Context};
use crate::mapping::{Condition, Plan, Rule, SourcePlan};
use crate::read::Record;

impl Mapper {
    pub(super) fn record(
        &mut self,
        file: &mut OpenFile<'_>,
        record: &Record<'_>,
        sink: &mut dyn Sink,
    ) -> ControlFlow<()> {
        let place = RunPlace { file: file.id, line: record.at.line };
        let rules = &file.source.rules;
        let Some(index) = file.matcher.rule(file.source, record) else {
            file.account.tally.unmatched += 1;
            self.note_gap(file.source.format);
            self.shapes.count(record.bytes, place);
            return ControlFlow::Continue(());
        };
        let rule = &rules[index];
        let account = &mut self.accounting.rules[self.rule_starts[file.source_index] + index];
        account.hits += 1;
        account.first.get_or_insert(place);
        let number = (file.source_index, index);
        if rule.ignore {
            file.account.tally.ignored += 1;
            self.note_gap(file.source.format);
            if rule.latent && record.span.is_some_and(|span| !span.id.is_empty()) {
                let context = Context { record, file: &file.account.name, captures: &[] };
                let (plan, source) = (file.plan, file.source);
                let taken = Taken { plan, source, rule, number, place, context };
                // A span without a service cannot be joined to others, so the error is ignored.
                if self.apply(&taken).is_ok() {
                    self.current.kind = Kind::Latent;
                    return self.evaluated(&mut file.account, file.plan, sink);
                }
            }
            return ControlFlow::Continue(());
        }
        // Nearly all rules have one pattern, so the common case needs no allocation.
        let mut one = None;
        let mut several = Vec::new();
        for pattern in file.matcher.captures(index, rule, record) {
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
        let (plan, source) = (file.plan, file.source);
        let taken = Taken { plan, source, rule, number, place, context };
        let evaluated = match file.canonical {
            Some(slots) => self.canonical(&taken, slots),
            None => self.apply(&taken).map(|()| true),
        };
        match evaluated {
            Ok(true) => self.evaluated(&mut file.account, plan, sink),
            Ok(false) => {
                file.account.tally.blank += 1;
                ControlFlow::Continue(())
            }
            Err(incomplete) => {
                let number = [file.source_index, index];
                self.incomplete(&mut file.account, plan, number, place, incomplete);
                ControlFlow::Continue(())
            }
        }
    }

    /// Accounts for a record that its rule cannot make events of.
    pub(super) fn incomplete(
        &mut self,
        account: &mut FileAccount,
        plan: &Plan,
        [source, rule]: [usize; 2],
        place: RunPlace,
        incomplete: Incomplete,
    ) {
        let source = &plan.sources[source];
        let (name, of) = (&source.rules[rule].name, &source.name);
        account.tally.incomplete += 1;
        self.note_gap(source.format);
        let message = match incomplete {
            Incomplete::Missing(setting) => {
                format!("`{name}` of `{of}` takes lines that have no value for `{setting}`")
            }
            Incomplete::Unusable(setting, value) => {
                format!("`{name}` of `{of}` takes a line whose `{setting}` cannot be {value}")
            }
        };
        let help = "make its `match` or `where` narrower, or give the setting another value";
        self.findings.add(Code::INCOMPLETE_RECORD, place, message, help);
    }
}

/// Finds the rules of one source; its memory serves all files of the source.
#[derive(Debug)]
pub(super) struct Matcher {
    /// For each rule and pattern.
    patterns: Vec<Vec<PatternMemory>>,
    finder: FinderMemory,
}

impl Matcher {
    pub(super) fn new(source: &SourcePlan) -> Matcher {
        let memory = |rule: &Rule| {
            let patterns = rule.conditions.iter().filter_map(|condition| match condition {
                Condition::Pattern { pattern, .. } => Some(pattern.memory()),
                Condition::OneOf { .. } | Condition::Present { .. } => None,
            });
            patterns.collect()
        };
        Matcher {
            patterns: source.rules.iter().map(memory).collect(),
            finder: source.finder.memory(),
        }
    }

    /// The rule that takes a record.
    #[inline]
    fn rule(&mut self, source: &SourcePlan, record: &Record<'_>) -> Option<usize> {
        source.finder.look(record.bytes, &mut self.finder);
        (source.rules.iter().zip(&mut self.patterns).enumerate()).position(
            |(index, (rule, memory))| {
                let line = source.finder.candidate(index, &self.finder);
                line != Candidate::Impossible
                    && rule.conditions.iter().all(|it| holds(it, record, line, memory))
            },
        )
    }

    /// The captures of the rule that takes a record.
    fn captures<'c>(
        &'c self,
        index: usize,
        rule: &'c Rule,
        record: &'c Record<'_>,
    ) -> impl Iterator<Item = Captures<'c>> {
        rule.conditions.iter().filter_map(move |condition| {
            let &Condition::Pattern { slot, index: pattern, .. } = condition else { return None };
            let haystack = match slot {
                Some(slot) => record.field(slot).unwrap_or(&[]),
                None => record.bytes,
            };
            Some(Captures { haystack, slots: self.patterns[index].get(pattern)?.slots() })
        })
    }
}

/// Whether a condition holds. `line` tells what is known about the pattern for the line.
#[inline]
fn holds(
    condition: &Condition,
    record: &Record<'_>,
    line: Candidate,
    memory: &mut [PatternMemory],
) -> bool {
    match condition {
        Condition::Pattern { slot, pattern, index } => {
            let Some(memory) = memory.get_mut(*index) else { return false };
            match slot {
                None => pattern.matches_candidate(record.bytes, line, memory),
                Some(slot) => {
                    record.field(*slot).is_some_and(|field| pattern.matches(field, memory))
                }
            }
        }
        Condition::OneOf { slot, values } => {
            record.field(*slot).is_some_and(|field| values.iter().any(|value| value == field))
        }
        Condition::Present { slot, there } => record.field(*slot).is_some() == *there,
    }
}
