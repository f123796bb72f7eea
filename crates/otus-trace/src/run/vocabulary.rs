//! The names of a run: lifelines, messages, actions, clocks, variables, values, files.
//!
//! Everything that repeats is interned, and aliases (`[lifelines]`, `[messages]`) are resolved once
//! for each distinct name. Ids follow the order of first use, so they depend on nothing but the
//! input.

use otus_core::index::Index as _;
use otus_core::intern::Interner;
use otus_core::{Direction, IndexVec, LifelineId, Signature, define_id};
use otus_syntax::name::{Names, Symbol};

use super::value::ValueKey;
use crate::mapping::Aliases;
use crate::order::Value;
use crate::read::lossy;

define_id! {
    /// A lifeline of a run.
    #[derive(Default)]
    pub RunLifelineId;
    /// A message of a run.
    pub RunMessageId;
    /// An action of a run.
    pub RunActionId;
    /// A clock of a run. The lifelines of one clock are co-localized.
    pub RunClockId;
    /// A label of a run.
    pub RunLabelId;
    /// A variable of a run.
    pub RunVariableId;
    /// A value of a run.
    pub RunValueId;
    /// A file of a run: one of the given files, in their order, or one that canonical lines name as
    /// the origin of an event.
    #[derive(Default)]
    pub RunFileId;
}

/// A line of a file of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord)]
pub struct RunPlace {
    /// The file.
    pub file: RunFileId,
    /// The line, from 1.
    pub line: u32,
}

/// All names of a run.
#[derive(Debug, Default)]
pub struct Vocabulary {
    lifelines: Aliased,
    messages: Aliased,
    pub(super) actions: Interner<RunActionId, RunAction>,
    clocks: Names,
    /// For each lifeline: its clock, once it is known.
    clock_of: Vec<Option<RunClockId>>,
    lifelines_of: IndexVec<RunClockId, Vec<RunLifelineId>>,
    labels: Names,
    variables: Names,
    pub(super) values: Interner<RunValueId, Value>,
    files: Vec<String>,
}

/// An action, by the ids of its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RunAction {
    /// The lifeline on which it happens.
    pub lifeline: RunLifelineId,
    /// Sent or received.
    pub direction: Direction,
    /// The message.
    pub message: RunMessageId,
}

/// Names that may have aliases.
#[derive(Debug, Default)]
struct Aliased {
    names: Names,
    /// The names as they occur in the logs; empty if there are no aliases.
    raw: Names,
    /// For each raw name: the index of the name it stands for.
    meaning: Vec<u32>,
}

impl Aliased {
    #[inline]
    fn intern(&mut self, text: &[u8], aliases: &Aliases) -> u32 {
        let text = &lossy(text);
        if aliases.is_empty() {
            return self.names.intern(text).0;
        }
        let raw = self.raw.intern(text).0 as usize;
        if raw == self.meaning.len() {
            let name = self.names.intern(aliases.resolve(text)).0;
            self.meaning.push(name);
        }
        self.meaning[raw]
    }
}

impl Vocabulary {
    /// The name of a lifeline.
    pub fn lifeline(&self, id: RunLifelineId) -> &str {
        self.lifelines.names.text(Symbol(id.0))
    }

    /// Whether a lifeline has this name.
    pub fn has_lifeline(&self, name: &str) -> bool {
        self.lifelines.names.find(name).is_some()
    }

    /// The lifeline of a signature that a name in the logs stands for: the lifeline with this name or label. If the
    /// logs contain both its name and its label, only the name counts.
    pub fn lifeline_in(&self, signature: &Signature, name: &str) -> Option<LifelineId> {
        signature.lifeline(name).or_else(|| {
            let labelled = signature.lifeline_called(name)?;
            let is_named = self.has_lifeline(signature.lifeline_name(labelled));
            (!is_named).then_some(labelled)
        })
    }

    /// All lifelines in the order of their first use, including peers that never act.
    pub fn lifeline_names(&self) -> impl Iterator<Item = &str> {
        self.lifelines.names.iter().map(|(_, name)| name)
    }

    /// One more than the greatest number of a lifeline that acted.
    pub fn acting_count(&self) -> usize {
        self.clock_of.len()
    }

    /// The name of a message.
    pub fn message(&self, id: RunMessageId) -> &str {
        self.messages.names.text(Symbol(id.0))
    }

    /// All messages in the order of their first use.
    pub fn message_names(&self) -> impl Iterator<Item = &str> {
        self.messages.names.iter().map(|(_, name)| name)
    }

    /// The parts of an action.
    pub fn action(&self, id: RunActionId) -> RunAction {
        self.actions.items[id]
    }

    /// The name of a clock.
    pub fn clock(&self, id: RunClockId) -> &str {
        self.clocks.text(Symbol(id.0))
    }

    /// The clock of a lifeline, if it ever acted.
    pub fn clock_of(&self, lifeline: RunLifelineId) -> Option<RunClockId> {
        self.clock_of.get(lifeline.index()).copied().flatten()
    }

    /// The lifelines of a clock, in the order in which they first acted.
    pub fn lifelines_of(&self, clock: RunClockId) -> &[RunLifelineId] {
        self.lifelines_of.get(clock).map_or(&[], Vec::as_slice)
    }

    /// The text of a label.
    pub fn label(&self, id: RunLabelId) -> &str {
        self.labels.text(Symbol(id.0))
    }

    /// The name of a variable.
    pub fn variable(&self, id: RunVariableId) -> &str {
        self.variables.text(Symbol(id.0))
    }

    /// A value.
    pub fn value(&self, id: RunValueId) -> &Value {
        &self.values.items[id]
    }

    /// The name of a file.
    pub fn file(&self, id: RunFileId) -> &str {
        self.files.get(id.index()).map_or("", String::as_str)
    }

    /// The names of all files, in the order of their numbers.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    #[inline]
    pub(crate) fn intern_lifeline(&mut self, text: &[u8], aliases: &Aliases) -> RunLifelineId {
        RunLifelineId(self.lifelines.intern(text, aliases))
    }

    #[inline]
    pub(crate) fn intern_message(&mut self, text: &[u8], aliases: &Aliases) -> RunMessageId {
        RunMessageId(self.messages.intern(text, aliases))
    }

    pub(crate) fn intern_label(&mut self, text: &[u8]) -> RunLabelId {
        RunLabelId(self.labels.intern(&lossy(text)).0)
    }

    pub(crate) fn intern_variable(&mut self, name: &str) -> RunVariableId {
        RunVariableId(self.variables.intern(name).0)
    }

    /// The number of values.
    pub(super) fn value_count(&self) -> usize {
        self.values.items.len()
    }

    /// Forgets all values. The ids of those that are still needed are given anew by [`Vocabulary::intern_again`].
    pub(super) fn take_values(&mut self) -> Interner<RunValueId, Value> {
        std::mem::take(&mut self.values)
    }

    pub(super) fn intern_again(&mut self, value: Value) -> RunValueId {
        self.values.intern(value)
    }

    /// The id of a value, which is copied only if it is new.
    pub(super) fn intern_value(&mut self, value: ValueKey<'_>) -> RunValueId {
        let found = self.values.find_as(&value, |known| value.is(known));
        found.unwrap_or_else(|| self.values.intern(value.to_value()))
    }

    /// Adds a file, even if there is one with the same name.
    pub(crate) fn add_file(&mut self, name: &str) -> RunFileId {
        self.files.push(name.to_owned());
        RunFileId::new(self.files.len() - 1)
    }

    /// The last file with a name, which is added if it is new.
    pub(crate) fn intern_file(&mut self, name: &str) -> RunFileId {
        match self.files.iter().rposition(|other| other == name) {
            Some(index) => RunFileId::new(index),
            None => self.add_file(name),
        }
    }

    /// Gives a lifeline its clock and returns it. If the lifeline has another clock already,
    /// returns that clock as the error.
    pub(crate) fn set_clock(
        &mut self,
        lifeline: RunLifelineId,
        clock: Option<&str>,
    ) -> Result<RunClockId, RunClockId> {
        let index = lifeline.index();
        if self.clock_of.len() <= index {
            self.clock_of.resize(index + 1, None);
        }
        // If the source names no clock, the lifeline gets a clock of its own, unless another source
        // has named one.
        if let (None, Some(known)) = (clock, self.clock_of[index]) {
            return Ok(known);
        }
        let name = clock.unwrap_or_else(|| self.lifelines.names.text(Symbol(lifeline.0)));
        let id = RunClockId(self.clocks.intern(name).0);
        match self.clock_of[index] {
            None => {
                self.clock_of[index] = Some(id);
                // A clock that was refused below has an id, but no lifelines.
                while self.lifelines_of.len() <= id.index() {
                    self.lifelines_of.push(Vec::new());
                }
                self.lifelines_of[id].push(lifeline);
                Ok(id)
            }
            Some(known) if known == id => Ok(id),
            Some(known) => Err(known),
        }
    }
}

/// How much of a vocabulary was in use at some time: the number of its names of each kind.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Marks {
    lifelines: usize,
    messages: usize,
    actions: usize,
    labels: usize,
    variables: usize,
    values: usize,
    /// The number of fields whose values are kept.
    pub(super) fields: usize,
}

impl Vocabulary {
    pub(super) fn marks(&self, fields: usize) -> Marks {
        Marks {
            lifelines: self.lifelines.names.len(),
            messages: self.messages.names.len(),
            actions: self.actions.items.len(),
            labels: self.labels.len(),
            variables: self.variables.len(),
            values: self.values.items.len(),
            fields,
        }
    }
}

/// The ids of the run for the ids of a thread.
#[derive(Debug, Default)]
pub(crate) struct Translation {
    lifelines: Vec<RunLifelineId>,
    messages: Vec<RunMessageId>,
    actions: Vec<RunActionId>,
    labels: Vec<RunLabelId>,
    variables: Vec<RunVariableId>,
    values: Vec<RunValueId>,
    /// The indices of the fields whose values are kept.
    pub(super) fields: Vec<u32>,
}

impl Translation {
    /// Adds the names of a thread up to some marks to the vocabulary of the run, in the order in which the thread met
    /// them.
    pub(super) fn advance(&mut self, to: &Marks, from: &Vocabulary, into: &mut Vocabulary) {
        let symbol = |at: usize| Symbol(u32::try_from(at).unwrap_or(u32::MAX));
        for at in self.lifelines.len()..to.lifelines {
            let name = from.lifelines.names.text(symbol(at));
            self.lifelines.push(RunLifelineId(into.lifelines.names.intern(name).0));
        }
        for at in self.messages.len()..to.messages {
            let name = from.messages.names.text(symbol(at));
            self.messages.push(RunMessageId(into.messages.names.intern(name).0));
        }
        for at in self.actions.len()..to.actions {
            let action = from.actions.items[RunActionId::new(at)];
            let lifeline = self.lifelines[action.lifeline.index()];
            let message = self.messages[action.message.index()];
            let action = RunAction { lifeline, message, ..action };
            self.actions.push(into.actions.intern(action));
        }
        for at in self.labels.len()..to.labels {
            self.labels.push(RunLabelId(into.labels.intern(from.labels.text(symbol(at))).0));
        }
        for at in self.variables.len()..to.variables {
            let name = from.variables.text(symbol(at));
            self.variables.push(RunVariableId(into.variables.intern(name).0));
        }
        for at in self.values.len()..to.values {
            let value = &from.values.items[RunValueId::new(at)];
            let known = into.values.find(value);
            self.values.push(known.unwrap_or_else(|| into.values.intern(value.clone())));
        }
    }

    pub(crate) fn lifeline(&self, id: RunLifelineId) -> RunLifelineId {
        self.lifelines[id.index()]
    }

    pub(crate) fn action(&self, id: RunActionId) -> RunActionId {
        self.actions[id.index()]
    }

    pub(crate) fn label(&self, id: RunLabelId) -> RunLabelId {
        self.labels[id.index()]
    }

    pub(crate) fn variable(&self, id: RunVariableId) -> RunVariableId {
        self.variables[id.index()]
    }

    pub(crate) fn value(&self, id: RunValueId) -> RunValueId {
        self.values[id.index()]
    }

    pub(crate) fn field(&self, field: u32) -> u32 {
        self.fields.get(field as usize).copied().unwrap_or(u32::MAX)
    }
}
