//! Reads what an event carries: the values of the fields that are kept, and its time.

use otus_syntax::Code;

use super::super::account::ValueAccount;
use super::super::value::{self, ValueFault};
use super::{Mapper, Taken};
use crate::facts::TIME;
use crate::mapping::template::Piece;
use crate::mapping::{As, Plan, ValueSource};
use crate::read::Format;
use crate::read::json::{Cursor, Malformed};
use crate::time::{self, TimeFault};

impl Mapper {
    /// The accounts of the fields that are kept, the time last.
    pub(super) fn value_accounts(plan: &Plan) -> Vec<ValueAccount> {
        let names = plan.kept.iter().map(String::as_str).chain(plan.keeps_time.then_some(TIME));
        let account =
            |name: &str| ValueAccount { name: name.to_owned(), ..ValueAccount::default() };
        names.map(account).collect()
    }

    /// Reads the values of a record that its rule has and that are kept.
    pub(super) fn read_values(&mut self, taken: &Taken<'_>) {
        let Mapper { scratch, accounting, current, findings, .. } = self;
        let row = &mut current.row;
        for (field, source) in &taken.rule.kept {
            let Some(text) = source.template.value(&taken.context, scratch) else { continue };
            let known = source.map.iter().find(|(key, _)| key == text);
            let text = known.map_or(text, |(_, other)| other.as_bytes());
            // A group of a pattern that took nothing has no value.
            if text.is_empty() && taken.source.format == Format::Text {
                continue;
            }
            let text = String::from_utf8_lossy(text);
            let (text, kind) = match source.kind {
                As::Literal => value::literal(&text),
                kind @ (As::Plain | As::Text | As::Number | As::Boolean) => (text, kind),
            };
            let is_bare = known.is_none() && is_bare(source, taken);
            let parsed = if is_repeated(source, taken) {
                Err(ValueFault::Repeated)
            } else {
                value::parse(&text, kind, is_bare)
            };
            match parsed {
                Ok(value) => {
                    row.add_value(*field, accounting.vocabulary.intern_value(value));
                }
                Err(fault) => {
                    let account = &mut accounting.values[*field as usize];
                    account.unusable += 1;
                    let message = unusable(taken, &account.name, fault.describe());
                    findings.add(Code::UNUSABLE_VALUE, taken.place, message, fault.help());
                }
            }
        }
    }

    /// Reads the values of a canonical line, `{"mid": 7, "topic": "a/b"}`.
    pub(super) fn read_value_object(
        &mut self,
        text: &[u8],
        taken: &Taken<'_>,
    ) -> Result<(), Malformed> {
        let mut memory = Vec::new();
        Cursor::new(text).object(|json, name| {
            let known = self.kept.iter().position(|known| known.as_bytes() == name);
            let Some(field) = known.or_else(|| {
                // An empty name could not be written again.
                let is_wanted = taken.plan.keeps_all && !name.is_empty() && name != TIME.as_bytes();
                is_wanted.then(|| self.add_field(String::from_utf8_lossy(name).into_owned()))
            }) else {
                return json.skip();
            };
            let Mapper { accounting, current, findings, .. } = self;
            let row = &mut current.row;
            let is_bare = json.peek() != Some(b'"');
            if !json.text(&mut memory)? {
                return Ok(());
            }
            let text = String::from_utf8_lossy(&memory);
            let kind = if is_bare { As::Plain } else { As::Text };
            match value::parse(&text, kind, is_bare) {
                Ok(value) => {
                    let value = accounting.vocabulary.intern_value(value);
                    row.add_value(u32::try_from(field).unwrap_or(u32::MAX), value);
                }
                Err(fault) => {
                    let account = &mut accounting.values[field];
                    account.unusable += 1;
                    let message = unusable(taken, &account.name, fault.describe());
                    findings.add(Code::UNUSABLE_VALUE, taken.place, message, fault.help());
                }
            }
            Ok(())
        })
    }

    /// Adds a field whose values are kept; returns its index.
    pub(super) fn add_field(&mut self, name: String) -> usize {
        let account = ValueAccount { name: name.clone(), ..ValueAccount::default() };
        // The account of times is the last one.
        self.accounting.values.insert(self.kept.len(), account);
        self.kept.push(name);
        self.kept.len() - 1
    }

    /// Reads the time of a record, as a key of its clock, and keeps it.
    pub(super) fn read_time(&mut self, taken: &Taken<'_>) -> Option<i128> {
        let plan = taken.rule.time.as_ref()?;
        let text = plan.template.value(&taken.context, &mut self.scratch)?;
        let key = time::scaled_key(text, plan.per_second);
        if taken.plan.keeps_time && !text.is_empty() {
            let time = key.ok_or(TimeFault::NotATime).and_then(time::near);
            self.keep_time(time, taken);
        }
        key
    }

    /// Keeps the time of a record, or tells why there is none.
    pub(super) fn keep_time(&mut self, time: Result<i64, TimeFault>, taken: &Taken<'_>) {
        let (cause, help) = match time {
            Ok(time) => {
                self.current.row.set_time(time);
                return;
            }
            Err(TimeFault::NotATime) => {
                ("no time", "it counts as unknown; a time is a number, or has the form of RFC 3339")
            }
            Err(TimeFault::TooFar) => (
                "more than 146 years away from 1970",
                "it counts as unknown; say `time = { from = \"field\", unit = \"ms\" }` if it is not in seconds",
            ),
        };
        if let Some(account) = self.accounting.values.last_mut() {
            account.unusable += 1;
        }
        let message = unusable(taken, TIME, cause);
        self.findings.add(Code::UNUSABLE_VALUE, taken.place, message, help);
    }

    /// Counts which kept values the current event has.
    pub(super) fn count_values(&mut self) {
        let accounts = &mut self.accounting.values;
        for (field, account) in (0..).zip(accounts.iter_mut()) {
            let is_known = self.current.row.values().iter().any(|(known, _)| *known == field);
            let is_time = account.name == TIME && self.current.row.time().is_some();
            let is_id = account.name == "id" && !self.current.row.id.is_empty();
            if is_known || is_time || is_id {
                account.known += 1;
            } else {
                account.unknown += 1;
            }
        }
    }
}

fn unusable(taken: &Taken<'_>, field: &str, cause: &str) -> String {
    let (rule, source) = (&taken.rule.name, &taken.source.name);
    format!("`{rule}` of `{source}` takes lines whose `{field}` is {cause}")
}

/// Whether a record has the field of a value twice.
fn is_repeated(source: &ValueSource, taken: &Taken<'_>) -> bool {
    taken.context.record.repeated.is_some_and(|repeated| {
        let mut pieces = source.template.pieces.iter();
        pieces.any(|piece| matches!(piece, Piece::Field(slot) if *slot == repeated))
    })
}

/// Whether a value is a JSON value without quotes.
fn is_bare(source: &ValueSource, taken: &Taken<'_>) -> bool {
    match source.template.pieces.as_slice() {
        [Piece::Field(slot)] if taken.source.format == Format::Json => {
            !taken.context.record.is_quoted(*slot)
        }
        _ => false,
    }
}
