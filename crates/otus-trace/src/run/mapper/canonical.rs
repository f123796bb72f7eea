//! Evaluates records of the canonical format, and vector clocks.

use otus_core::Direction;

use super::super::vocabulary::{RunAction, RunLifelineId};
use super::apply::parse_value;
use super::mapped::Kind;
use super::{Incomplete, Mapper, PendingAction, Taken};
use crate::group::RowFlags;
use crate::order::Value;
use crate::read::json::{Cursor, Malformed};
use crate::read::{self, lossy};
use crate::time;

impl Mapper {
    /// Evaluates a canonical line; returns whether it has an event or ends a group, which the header does not.
    pub(super) fn canonical(
        &mut self,
        taken: &Taken<'_>,
        slots: [usize; 18],
    ) -> Result<bool, Incomplete> {
        let record = taken.context.record;
        let [
            otus,
            version,
            group,
            _,
            clock,
            action,
            message,
            peer,
            id,
            label,
            set,
            joined,
            vector,
            file,
            line,
            end,
            values,
            time,
        ] = slots.map(|slot| record.field(slot));
        refuse_unknown_keys(record.bytes)?;
        if otus.is_some() {
            let number =
                version.and_then(|version| std::str::from_utf8(version).ok()?.parse().ok());
            if number.is_none_or(|number: u32| number > read::canonical::VERSION) {
                return Err(unusable("version", version.unwrap_or(b"missing")));
            }
            return Ok(false);
        }
        self.begin(taken);
        self.current.can_close = end.is_some();
        self.current.key.extend_from_slice(group.unwrap_or(b""));
        if end == Some(b"true") {
            self.current.kind = Kind::End;
            return Ok(true);
        }
        let mapped = taken.rule.lifeline.as_ref().ok_or(Incomplete::Missing("lifeline"))?;
        let lifeline = self.lifeline(mapped, taken)?;
        self.current.lifeline = lifeline;
        let clock = clock.map(|clock| self.texts.intern(&lossy(clock)));
        self.current.clocks.push((lifeline, clock));
        let vocabulary = &mut self.accounting.vocabulary;
        self.current.row.label = label.map(|label| vocabulary.intern_label(label));
        if let Some(action) = action {
            let direction = match action {
                b"!" => Direction::Emission,
                b"?" => Direction::Reception,
                other => return Err(unusable("action", other)),
            };
            let message = message.ok_or(Incomplete::Missing("message"))?;
            let message = vocabulary.intern_message(message, &taken.plan.messages);
            let peer = peer.map(|peer| vocabulary.intern_lifeline(peer, &taken.plan.lifelines));
            let action = vocabulary.actions.intern(RunAction { lifeline, direction, message });
            let mut flags = RowFlags::default();
            if joined == Some(b"true") {
                flags.add(RowFlags::JOINED);
            }
            if let Some(id) = id {
                flags.add(RowFlags::HAS_ID);
                self.current.row.id.extend_from_slice(id);
            }
            let id = id.map(|id| (0, id.len()));
            self.current.pending.push(PendingAction {
                lifeline,
                action,
                peer,
                id,
                flags,
                order: None,
            });
        }
        if let Some(values) = values.filter(|_| taken.plan.keeps_all || !taken.plan.kept.is_empty())
            && self.read_value_object(values, taken).is_err()
        {
            return Err(unusable("values", values));
        }
        if let Some(time) = time.filter(|_| taken.plan.keeps_time) {
            self.keep_time(time::nanoseconds(time), taken);
        }
        if let Some(set) = set {
            self.read_set(set, lifeline)?;
        }
        if let Some(vector) = vector {
            self.read_vector(vector, taken)?;
        }
        // An event keeps the file and line of the log from which it was first read.
        self.current.origin = file.map(|file| self.texts.intern(&lossy(file)));
        let line = line.and_then(|line| std::str::from_utf8(line).ok()?.parse().ok());
        self.current.place.line = line.unwrap_or(taken.place.line);
        Ok(true)
    }

    /// Reads the variables of a canonical line: `{"x": 1, ".shared": true}`.
    fn read_set(&mut self, text: &[u8], lifeline: RunLifelineId) -> Result<(), Incomplete> {
        let mut pairs: Vec<(String, Value)> = Vec::new();
        let mut value = Vec::new();
        let read: Result<(), Malformed> = Cursor::new(text).object(|json, name| {
            let quoted = json.peek() == Some(b'"');
            json.text(&mut value)?;
            let text = String::from_utf8_lossy(&value);
            let value = if quoted { Value::text(&text) } else { parse_value(&text) };
            pairs.push((String::from_utf8_lossy(name).into_owned(), value));
            Ok(())
        });
        if read.is_err() {
            return Err(unusable("set", text));
        }
        for (name, value) in pairs {
            match name.strip_prefix('.') {
                Some(shared) => self.set(shared, true, lifeline, value),
                None => self.set(&name, false, lifeline, value),
            }
        }
        Ok(())
    }

    /// Reads a vector clock: `{"host": 3, "other": 1}`.
    pub(super) fn read_vector(&mut self, text: &[u8], taken: &Taken<'_>) -> Result<(), Incomplete> {
        let mut number = Vec::new();
        let (vector, vocabulary) = (&mut self.current.row.vector, &mut self.accounting.vocabulary);
        let mut fits = true;
        let read: Result<(), Malformed> = Cursor::new(text).object(|json, host| {
            json.text(&mut number)?;
            let count = std::str::from_utf8(&number).ok().and_then(|text| text.parse().ok());
            fits &= count.is_some();
            let host = vocabulary.intern_lifeline(host, &taken.plan.lifelines);
            vector.push((host, count.unwrap_or(0)));
            Ok(())
        });
        if read.is_err() || !fits || vector.is_empty() {
            vector.clear();
            return Err(unusable("clock", text));
        }
        Ok(())
    }
}

fn unusable(setting: &'static str, value: &[u8]) -> Incomplete {
    Incomplete::Unusable(setting, format!("`{}`", String::from_utf8_lossy(value)))
}

/// Refuses a line with a key that the canonical format does not have.
fn refuse_unknown_keys(line: &[u8]) -> Result<(), Incomplete> {
    let mut unknown = None;
    let read: Result<(), Malformed> = Cursor::new(line).object(|json, key| {
        if !read::canonical::KEYS.iter().any(|known| known.as_bytes() == key) {
            unknown.get_or_insert_with(|| String::from_utf8_lossy(key).into_owned());
        }
        json.skip()
    });
    match (read, unknown) {
        (Ok(()), Some(key)) => {
            Err(Incomplete::Unusable("version", format!("1, which has no key `{key}`")))
        }
        _ => Ok(()),
    }
}
