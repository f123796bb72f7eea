//! What rows mean: lifeline, action and peer as one number.
//!
//! A letter stays valid as long as the checker. Messages that the specification lacks are letters, too, but do not become
//! known to it: they are added to a copy of its pool for each run that has one, as for files.

use std::ops::Range;
use std::sync::Arc;

use otus_core::{Action, Direction, LifelineId, Peer, Signature};
use otus_syntax::name::{Names, Symbol};
use otus_trace::{ComponentId, Partition};
use rustc_hash::FxHashMap;

use super::batch::Texts;
use super::scope::Scope;
use crate::options::{Options, unknown};

/// An event without its run and place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Letter {
    pub(super) component: ComponentId,
    pub(super) lifeline: LifelineId,
    pub(super) direction: Direction,
    pub(super) message: Message,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Message {
    /// The action, with its peer where that matters.
    Known(Action),
    /// The name of a message that the specification lacks.
    Unknown(Symbol),
}

/// What a row means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Letter(u32),
    /// An event of a lifeline that is ignored.
    Ignored,
    /// It means nothing: the index of the reason.
    Faulty(u32),
}

/// The cells of a row, as interned texts; `None` is a null.
type Cells = [Option<Symbol>; 3];

#[derive(Debug)]
pub(super) struct Letters {
    scope: Scope,
    options: Options,
    partition: Arc<Partition>,
    /// All texts of cells, and the messages that the specification lacks.
    texts: Names,
    all: Vec<Letter>,
    numbers: FxHashMap<Letter, u32>,
    meanings: FxHashMap<Cells, Meaning>,
    faults: Vec<String>,
}

impl Letters {
    pub(super) fn new(scope: Scope, options: &Options, partition: Arc<Partition>) -> Letters {
        Letters {
            scope,
            options: options.clone(),
            partition,
            texts: Names::default(),
            all: Vec::new(),
            numbers: FxHashMap::default(),
            meanings: FxHashMap::default(),
            faults: Vec::new(),
        }
    }

    pub(super) fn get(&self, letter: u32) -> Letter {
        self.all[letter as usize]
    }

    pub(super) fn component(&self, letter: u32) -> u32 {
        self.all[letter as usize].component.0
    }

    /// The number of letters.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether the specification lacks the message.
    pub(super) fn is_unknown(&self, letter: u32) -> bool {
        matches!(self.get(letter).message, Message::Unknown(_))
    }

    /// The number of components.
    pub(super) fn components(&self) -> usize {
        self.partition.len()
    }

    pub(super) fn partition(&self) -> &Arc<Partition> {
        &self.partition
    }

    fn signature(&self) -> &Signature {
        &self.scope.signature
    }

    /// The name of a message that the specification lacks.
    pub(super) fn message_text(&self, name: Symbol) -> &str {
        self.texts.text(name)
    }

    /// The letter as text, without its peer: `a!m`.
    pub(super) fn text(&self, letter: u32) -> String {
        let Letter { lifeline, direction, message, .. } = self.get(letter);
        let signature = self.signature();
        let message = match message {
            Message::Known(action) => signature.message_name(action.message),
            Message::Unknown(name) => self.texts.text(name),
        };
        format!("{}{}{message}", signature.lifeline_name(lifeline), direction.symbol())
    }

    pub(super) fn fault(&self, fault: u32) -> &str {
        &self.faults[fault as usize]
    }

    pub(super) fn intern(&mut self, text: &str) -> Symbol {
        self.texts.intern(text)
    }

    /// The meaning of a row.
    pub(super) fn meaning(&mut self, cells: Cells) -> Meaning {
        if let Some(&known) = self.meanings.get(&cells) {
            return known;
        }
        let meaning = match self.read(cells) {
            Ok(meaning) => meaning,
            Err(reason) => {
                self.faults.push(reason);
                Meaning::Faulty(u32::try_from(self.faults.len() - 1).unwrap_or(u32::MAX))
            }
        };
        self.meanings.insert(cells, meaning);
        meaning
    }

    fn read(&mut self, [lifeline, action, peer]: Cells) -> Result<Meaning, String> {
        let null = |column| format!("column `{column}` is null; leave out such rows, or fill it");
        let name = self.texts.text(lifeline.ok_or_else(|| null("lifeline"))?);
        if self.options.ignores(name) {
            return Ok(Meaning::Ignored);
        }
        let Some(lifeline) = self.signature().lifeline_called(name) else {
            let unknown = unknown(&self.scope.name, self.signature(), name);
            return Err(format!("column `lifeline`: {unknown}; or ignore this lifeline"));
        };
        let action = action.ok_or_else(|| null("action"))?;
        let text = self.texts.text(action);
        let told = text.chars().next().and_then(|first| {
            let direction = match first {
                '!' => Direction::Emission,
                '?' => Direction::Reception,
                _ => return None,
            };
            Some((direction, text.get(1..).filter(|name| !name.is_empty())?))
        });
        let Some((direction, message)) = told else {
            return Err(format!(
                "column `action`: `{text}` is neither `!message` (sent) nor `?message` (received)"
            ));
        };
        let peer = peer.map(|peer| {
            let known = self.signature().lifeline_called(self.texts.text(peer));
            known.map_or(Peer::Environment, Peer::Lifeline)
        });
        let message = match self.signature().message(message) {
            Some(message) => {
                let action = Action { lifeline, direction, message, peer: None };
                Message::Known(peer.map_or(action, |peer| self.scope.partners.letter(action, peer)))
            }
            None => {
                let message = message.to_owned();
                Message::Unknown(self.texts.intern(&message))
            }
        };
        let component = self.partition.component_of(lifeline);
        let letter = Letter { component, lifeline, direction, message };
        let next = u32::try_from(self.all.len()).map_err(|_| "too many messages".to_owned())?;
        let number = *self.numbers.entry(letter).or_insert(next);
        if number == next {
            self.all.push(letter);
        }
        Ok(Meaning::Letter(number))
    }
}

/// The symbols of the cells of a column; those of a dictionary are found once for each batch.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    texts: Texts<'a>,
    /// By key: its symbol, if it was met.
    known: Vec<Option<Symbol>>,
    /// The last text or number, and its symbol, since equal ones often stand together.
    last: Option<(Cell<'a>, Symbol)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cell<'a> {
    Text(&'a str),
    Number(i64),
}

impl<'a> Cursor<'a> {
    pub(super) fn new(texts: Texts<'a>) -> Cursor<'a> {
        let known = match texts {
            Texts::Keys { texts, .. } => vec![None; texts.len()],
            Texts::Each(_) | Texts::Numbers(_) => Vec::new(),
        };
        Cursor { texts, known, last: None }
    }

    /// The same, with what is known of the dictionary already.
    pub(super) fn knowing(self, known: Vec<Option<Symbol>>) -> Cursor<'a> {
        if known.len() == self.known.len() { Cursor { known, ..self } } else { self }
    }

    /// By key of the dictionary: its symbol, if it was met.
    pub(super) fn into_known(self) -> Vec<Option<Symbol>> {
        self.known
    }

    /// The symbols of some rows.
    pub(super) fn symbols(
        &mut self,
        rows: Range<usize>,
        mut intern: impl FnMut(&str) -> Symbol,
        symbols: &mut Vec<Option<Symbol>>,
    ) {
        symbols.clear();
        symbols.extend(rows.map(|row| self.symbol(row, &mut intern)));
    }

    /// The symbol of a row; `None` for a null.
    #[inline]
    pub(super) fn symbol(
        &mut self,
        row: usize,
        intern: impl FnOnce(&str) -> Symbol,
    ) -> Option<Symbol> {
        match self.texts {
            Texts::Each(texts) => Some(self.next(Cell::Text(texts[row]?), intern)),
            Texts::Numbers(numbers) => Some(self.next(Cell::Number(numbers[row]?), intern)),
            Texts::Keys { keys, texts } => {
                let key = keys[row]? as usize;
                // A key beyond its dictionary is a null.
                let known = self.known.get_mut(key)?;
                if known.is_none() {
                    *known = Some(intern(texts[key]?));
                }
                *known
            }
        }
    }

    fn next(&mut self, cell: Cell<'a>, intern: impl FnOnce(&str) -> Symbol) -> Symbol {
        if let Some((last, symbol)) = self.last
            && last == cell
        {
            return symbol;
        }
        let symbol = match cell {
            Cell::Text(text) => intern(text),
            Cell::Number(number) => intern(&number.to_string()),
        };
        self.last = Some((cell, symbol));
        symbol
    }
}
