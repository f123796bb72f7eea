//! The names of a run: lifelines, messages, actions, clocks, variables, values.
//!
//! Everything that repeats is interned, and other names (`[lifelines]`, `[messages]`) are resolved
//! once for each distinct name. Numbers follow the order of first use, so they do not depend on
//! anything but the input.

use otus_core::intern::Interner;
use otus_core::{Direction, define_id};
use otus_syntax::name::{Names, Symbol};

use crate::mapping::Aliases;
use crate::order::Value;

define_id! {
    /// An action of a run.
    pub ActionNumber;
    /// A value of a run.
    pub ValueNumber;
}

/// All names of a run.
#[derive(Debug, Default)]
pub struct Vocabulary {
    pub(crate) lifelines: Aliased,
    pub(crate) messages: Aliased,
    actions: Interner<ActionNumber, ActionKey>,
    pub(crate) clocks: Names,
    /// By lifeline: its clock, once it is known.
    clock_of: Vec<Option<u32>>,
    /// By clock: its lifelines.
    lifelines_of: Vec<Vec<u32>>,
    pub(crate) labels: Names,
    pub(crate) variables: Names,
    values: Interner<ValueNumber, Value>,
    pub(crate) files: Vec<String>,
}

/// What an action is, in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ActionKey {
    /// Where it happens.
    pub lifeline: u32,
    /// Sent or received.
    pub direction: Direction,
    /// What.
    pub message: u32,
}

/// Names with other names.
#[derive(Debug, Default)]
pub(crate) struct Aliased {
    pub(crate) names: Names,
    /// Names as they are in the logs, and what they mean; empty if there are no other names.
    raw: Names,
    meaning: Vec<u32>,
}

impl Aliased {
    /// The number of the name that a text means.
    #[inline]
    pub(crate) fn intern(&mut self, text: &str, aliases: &Aliases) -> u32 {
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
    pub fn lifeline(&self, number: u32) -> &str {
        self.lifelines.names.text(Symbol(number))
    }

    /// All lifelines in the order of their first use, peers that never act included.
    pub fn lifeline_names(&self) -> impl Iterator<Item = &str> {
        self.lifelines.names.iter().map(|(_, name)| name)
    }

    /// The name of a message.
    pub fn message(&self, number: u32) -> &str {
        self.messages.names.text(Symbol(number))
    }

    /// All messages in the order of their first use.
    pub fn message_names(&self) -> impl Iterator<Item = &str> {
        self.messages.names.iter().map(|(_, name)| name)
    }

    /// What an action is.
    pub fn action(&self, number: u32) -> ActionKey {
        self.actions.items[ActionNumber(number)]
    }

    /// The name of a clock.
    pub fn clock(&self, number: u32) -> &str {
        self.clocks.text(Symbol(number))
    }

    /// The clock of a lifeline, if it ever acted.
    pub fn clock_of(&self, lifeline: u32) -> Option<u32> {
        self.clock_of.get(lifeline as usize).copied().flatten()
    }

    /// The lifelines of a clock, in the order in which they first acted.
    pub fn lifelines_of(&self, clock: u32) -> &[u32] {
        self.lifelines_of.get(clock as usize).map_or(&[], Vec::as_slice)
    }

    /// The text of a label.
    pub fn label(&self, number: u32) -> &str {
        self.labels.text(Symbol(number))
    }

    /// The name of a variable.
    pub fn variable(&self, number: u32) -> &str {
        self.variables.text(Symbol(number))
    }

    /// A value.
    pub fn value(&self, number: u32) -> &Value {
        &self.values.items[ValueNumber(number)]
    }

    /// The name of a file.
    pub fn file(&self, number: u32) -> &str {
        self.files.get(number as usize).map_or("", String::as_str)
    }

    pub(crate) fn intern_action(&mut self, action: ActionKey) -> u32 {
        self.actions.intern(action).0
    }

    pub(crate) fn intern_value(&mut self, value: Value) -> u32 {
        self.values.intern(value).0
    }

    /// Gives a lifeline its clock; the clock that it has, if that is another.
    pub(crate) fn set_clock(&mut self, lifeline: u32, clock: Option<&str>) -> Result<u32, u32> {
        let index = lifeline as usize;
        if self.clock_of.len() <= index {
            self.clock_of.resize(index + 1, None);
        }
        // Without a name the clock is the lifeline's own, unless another source has named it.
        if let (None, Some(known)) = (clock, self.clock_of[index]) {
            return Ok(known);
        }
        let name = clock.unwrap_or_else(|| self.lifelines.names.text(Symbol(lifeline)));
        let number = self.clocks.intern(name).0;
        match self.clock_of[index] {
            None => {
                self.clock_of[index] = Some(number);
                if self.lifelines_of.len() <= number as usize {
                    self.lifelines_of.resize_with(number as usize + 1, Vec::new);
                }
                self.lifelines_of[number as usize].push(lifeline);
                Ok(number)
            }
            Some(known) if known == number => Ok(number),
            Some(known) => Err(known),
        }
    }
}
