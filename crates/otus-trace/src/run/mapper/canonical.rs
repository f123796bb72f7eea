//! Records of our own format, which say what they are; and vector clocks.

use otus_core::Direction;

use super::super::shape::Place;
use super::super::vocabulary::ActionKey;
use super::apply::parse_value;
use super::{Lacking, Mapper, Pending, Slot, View, string};
use crate::group::Marks;
use crate::mapping::template::Context;
use crate::order::Value;
use crate::read;
use crate::read::json::{self, Cursor};

impl Mapper {
    /// A line of our own format; `None` for its header.
    pub(super) fn canonical(
        &mut self,
        view: &View<'_>,
        context: &Context<'_>,
        slots: [usize; 16],
    ) -> Result<Option<Slot>, Lacking> {
        let record = context.record;
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
        ] = slots.map(|slot| record.field(slot));
        unknown_keys(record.bytes)?;
        if otus.is_some() {
            let number =
                version.and_then(|version| std::str::from_utf8(version).ok()?.parse().ok());
            if number.is_none_or(|number: u32| number > read::canonical::VERSION) {
                let version = string(version.unwrap_or(b"missing")).into_owned();
                return Err(Lacking::Bad("version", format!("`{version}`")));
            }
            return Ok(None);
        }
        self.row.clear();
        self.pending.clear();
        self.accounting.groups.closable |= end.is_some();
        let slot = self.groups.find(group.unwrap_or(b""), self.now);
        if end == Some(b"true") {
            return Ok(Some(Slot { group: slot, closes: true }));
        }
        let Some(mapped) = &view.rule.lifeline else { return Err(Lacking::Setting("lifeline")) };
        let lifeline = self.lifeline(mapped, view, context)?;
        let vocabulary = &mut self.accounting.vocabulary;
        let name = clock.map(string);
        if vocabulary.set_clock(lifeline, name.as_deref()).is_err() {
            return Err(Lacking::Bad("clock", format!("`{}`", name.unwrap_or_default())));
        }
        self.row.label = label.map(|label| vocabulary.labels.intern(&string(label)).0);
        if let Some(action) = action {
            let direction = match action {
                b"!" => Direction::Emission,
                b"?" => Direction::Reception,
                other => return Err(Lacking::Bad("action", format!("`{}`", string(other)))),
            };
            let message = message.ok_or(Lacking::Setting("message"))?;
            let message = vocabulary.messages.intern(&string(message), &view.plan.messages);
            let peer =
                peer.map(|peer| vocabulary.lifelines.intern(&string(peer), &view.plan.lifelines));
            let action = vocabulary.intern_action(ActionKey { lifeline, direction, message });
            let mut marks = Marks::default();
            if joined == Some(b"true") {
                marks.add(Marks::JOINED);
            }
            if let Some(id) = id {
                marks.add(Marks::HAS_ID);
                self.row.id.extend_from_slice(id);
            }
            let id = id.map(|id| (0, id.len()));
            self.pending.push(Pending { lifeline, action, peer, id, marks, order: None });
        }
        if let Some(set) = set {
            self.read_set(set, lifeline)?;
        }
        if let Some(vector) = vector {
            self.read_vector(vector, view)?;
        }
        // Events know the log that they were first read from.
        let place = Place { file: view.file, line: record.at.line };
        let original = file.map(|file| self.original(&string(file)));
        let number = line.and_then(|line| std::str::from_utf8(line).ok()?.parse().ok());
        let view = View { file: original.unwrap_or(place.file), ..*view };
        let mut at = *record;
        at.at.line = number.unwrap_or(place.line);
        let context = Context { record: &at, ..*context };
        self.store(slot, lifeline, None, &view, &context);
        Ok(Some(Slot { group: slot, closes: false }))
    }

    /// The number of a log that canonical lines name. Those come after the files of the run.
    pub(super) fn original(&mut self, name: &str) -> u32 {
        let files = &mut self.accounting.vocabulary.files;
        let known = files.iter().rposition(|other| other == name);
        let index = known.unwrap_or_else(|| {
            files.push(name.to_owned());
            files.len() - 1
        });
        u32::try_from(index).unwrap_or(u32::MAX)
    }

    pub(super) fn read_set(&mut self, text: &[u8], lifeline: u32) -> Result<(), Lacking> {
        let mut json = Cursor::new(text);
        let mut pairs: Vec<(String, Value)> = Vec::new();
        let mut value = Vec::new();
        let done = json.object(|json, name| {
            let quoted = json.peek() == Some(b'"');
            json.text(&mut value)?;
            let text = string(&value);
            let value = if quoted { Value::text(&text) } else { parse_value(&text) };
            pairs.push((string(name).into_owned(), value));
            Ok(())
        });
        if done.is_err() {
            return Err(Lacking::Bad("set", format!("`{}`", string(text))));
        }
        for (name, value) in pairs {
            match name.strip_prefix('.') {
                Some(shared) => self.set(shared, true, lifeline, value),
                None => self.set(&name, false, lifeline, value),
            }
        }
        Ok(())
    }

    /// The vector clock of a record.
    pub(super) fn vector(&mut self, view: &View<'_>, context: &Context<'_>) -> Result<(), Lacking> {
        let slot = view.source.fields.find("clock");
        let text = slot.and_then(|slot| context.record.field(slot));
        self.read_vector(text.ok_or(Lacking::Setting("clock"))?, view)
    }

    pub(super) fn read_vector(&mut self, text: &[u8], view: &View<'_>) -> Result<(), Lacking> {
        let mut json = Cursor::new(text);
        let mut number = Vec::new();
        let (vector, lifelines) = (&mut self.row.vector, &mut self.accounting.vocabulary.lifelines);
        let mut fits = true;
        let done = json.object(|json, host| {
            json.text(&mut number)?;
            let count = std::str::from_utf8(&number).ok().and_then(|text| text.parse().ok());
            fits &= count.is_some();
            let host = lifelines.intern(&string(host), &view.plan.lifelines);
            vector.push((host, count.unwrap_or(0)));
            Ok(())
        });
        if done.is_err() || !fits || vector.is_empty() {
            vector.clear();
            return Err(Lacking::Bad("clock", format!("`{}`", string(text))));
        }
        Ok(())
    }
}

/// Keys that our own format does not have.
pub(super) fn unknown_keys(line: &[u8]) -> Result<(), Lacking> {
    let mut unknown = None;
    let mut json = Cursor::new(line);
    let done: Result<(), json::Malformed> = json.object(|json, key| {
        if !read::canonical::KEYS.iter().any(|known| known.as_bytes() == key) {
            unknown.get_or_insert_with(|| string(key).into_owned());
        }
        json.value().map(drop)
    });
    match (done, unknown) {
        (Ok(()), Some(key)) => Err(Lacking::Bad("version", format!("1, which has no key `{key}`"))),
        _ => Ok(()),
    }
}
