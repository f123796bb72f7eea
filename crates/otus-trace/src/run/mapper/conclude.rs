//! Findings that need the whole run: broken trace contexts, unpaired messages, groups that never
//! end, rules that take nothing.

use otus_core::Direction;
use otus_syntax::Code;

use super::super::vocabulary::{RunLifelineId, RunPlace};
use super::Mapper;
use crate::facts::TIME;
use crate::mapping::{Plan, RuleKind};

impl Mapper {
    pub(super) fn conclude(&mut self, plan: &Plan) {
        let vocabulary = &self.accounting.vocabulary;
        let explained = self.spans.diagnose(vocabulary, &mut self.findings);
        let name = |lifeline: RunLifelineId| vocabulary.lifeline(lifeline);
        for (lifeline, (count, place)) in &self.spans.missing {
            let message =
                format!("{count} spans of `{}` have a parent that is in no log", name(*lifeline));
            let help = "give the logs of its callers too, or check that they export their spans";
            self.findings.add(Code::PARENT_MISSING, *place, message, help);
        }
        for (key, (count, place)) in &self.accounting.pairs.unpaired {
            if explained.contains(&(key.lifeline, key.message)) {
                continue;
            }
            // No two keys have the same sentence.
            if self.findings.is_full() {
                self.findings.add_other(Code::UNPAIRED_MESSAGE, *place);
                continue;
            }
            let (lifeline, message) = (name(key.lifeline), vocabulary.message(key.message));
            let times = if *count == 1 { "once".to_owned() } else { format!("{count} times") };
            let (does, with, undone, counterpart) = match key.direction {
                Direction::Emission => ("sends", "to", "receives", "reception"),
                Direction::Reception => ("receives", "from", "sends", "emission"),
            };
            let action = format!("`{lifeline}` {does} `{message}`");
            let text = match key.peer.map(name) {
                None => format!("{action} {times} and nobody {undone} it"),
                Some(peer) => {
                    format!("{action} {with} `{peer}` {times} without its {counterpart}")
                }
            };
            self.findings.add(Code::UNPAIRED_MESSAGE, *place, text, "");
        }
        let groups = &self.accounting.groups;
        let open = groups.total - groups.closed;
        if groups.closable && open > 0 {
            let some = groups.never_closed.join("`, `");
            let message = format!("{open} of {} groups never end: `{some}`", groups.total);
            let help = "they were going on when the logs ended, or the logs are cut";
            self.findings.add(Code::GROUP_NEVER_CLOSED, RunPlace::default(), message, help);
        }
        let matched = self.accounting.total.matched;
        for rule in &self.accounting.rules {
            if rule.hits == 0
                && rule.kind != RuleKind::Format
                && matched > 0
                && self.accounting.files.iter().any(|file| file.source == rule.source)
            {
                let message = format!("no line matches `{}`", rule.name);
                let help = "look at its pattern";
                self.findings.add(Code::NOTHING_MATCHED, RunPlace::default(), message, help);
            }
        }
        for field in self.accounting.values.iter().filter(|_| plan.are_wanted) {
            if field.known == 0 && field.unusable == 0 && field.unknown > 0 {
                let message = format!("no event has a value of `{}`", field.name);
                let help = if field.name == TIME {
                    "say `time = \"{…}\"` in the rules, or declare it `unlogged` below [observation]"
                } else {
                    "name it in `values` of the rules, or declare it `unlogged` below [observation]"
                };
                self.findings.add(Code::NOTHING_MATCHED, RunPlace::default(), message, help);
            }
        }
    }
}
