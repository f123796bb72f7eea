//! The actions of traces: the hot path and the general path.
//!
//! The hot path looks up an action in plain ASCII without spaces by its text; the general path
//! looks it up by lifeline, direction and message. Both give the same index for the same action.

use std::hash::Hasher as _;

use rustc_hash::FxHasher;

use super::Reader;
use crate::ast::{Direction, Occurrence, TraceAction};
use crate::code::Code;
use crate::lexer::scan_quoted;
use crate::name;
use crate::source::{Span, offset};

impl Reader<'_> {
    /// Parses an action in plain ASCII without spaces, if there is one here.
    pub(super) fn plain_action(&mut self) -> bool {
        let start = self.at;
        let middle = scan_ascii_name(self.bytes, start);
        if middle == start || !matches!(self.bytes.get(middle), Some(b'!' | b'?')) {
            return false;
        }
        let end = scan_ascii_name(self.bytes, middle + 1);
        // A name that continues with a non-ASCII character or `-` takes the general path.
        if end == middle + 1
            || self.bytes.get(end).is_some_and(|&byte| !byte.is_ascii() || byte == b'-')
        {
            return false;
        }
        let written = &self.bytes[start..end];
        let hash = name::hash(written);
        let known = self.by_text.find(hash, |(span, _)| &self.bytes[span.range()] == written);
        let action = match known {
            Some(&(_, action)) => action,
            None => {
                let digits = |name: &[u8]| name.iter().all(u8::is_ascii_digit);
                if digits(&self.bytes[start..middle]) || digits(&self.bytes[middle + 1..end]) {
                    return false;
                }
                let lifeline = self.intern(start, middle);
                let message = self.intern(middle + 1, end);
                let direction = direction(self.bytes[middle]);
                let action = self.action_index(TraceAction { lifeline, direction, message });
                let entry = (Span::new(offset(start), offset(end)), action);
                let bytes = self.bytes;
                self.by_text
                    .insert_unique(hash, entry, |(span, _)| name::hash(&bytes[span.range()]));
                action
            }
        };
        self.tree.occurrences.push(Occurrence::new(action, false, offset(start)));
        self.at = end;
        true
    }

    /// `action := name ('!' | '?') name`; reports and returns false if there is none.
    pub(super) fn action(&mut self, joined: bool) -> bool {
        let start = self.at;
        let Some(lifeline) = self.name() else {
            self.unexpected("an action such as `a!m` or `a?m`");
            return false;
        };
        self.skip_trivia();
        let direction = match self.peek() {
            Some(sign @ (b'!' | b'?')) => direction(sign),
            // An unclosed quote, already reported, has swallowed the rest of its line.
            _ if self.bytes[start] == b'"' && !scan_quoted(self.text, start).closed => {
                return false;
            }
            found => {
                let name = self.source.slice(lifeline.span);
                let help = match found {
                    Some(b'-') => "a trace has actions instead of arrows: `a!m` where a sends m, \
                                   `b?m` where b receives it"
                        .to_owned(),
                    _ => format!(
                        "write `{name}!m` if {name} emits m, or `{name}?m` if it receives m"
                    ),
                };
                let message = format!("`{name}` is not an action");
                self.findings.report(Code::EXPECTED_ACTION, lifeline.span, message, help);
                return false;
            }
        };
        self.at += 1;
        self.skip_trivia();
        let Some(message) = self.name() else {
            self.unexpected("the message of this action");
            return false;
        };
        let action = self.action_index(TraceAction { lifeline, direction, message });
        self.tree.occurrences.push(Occurrence::new(action, joined, offset(start)));
        true
    }

    /// The index of an action among the distinct actions of the file.
    fn action_index(&mut self, action: TraceAction) -> u32 {
        let key = |a: &TraceAction| (a.lifeline.symbol, a.direction, a.message.symbol);
        let hash_of = |a: &TraceAction| {
            let mut hasher = FxHasher::default();
            std::hash::Hash::hash(&key(a), &mut hasher);
            hasher.finish()
        };
        let actions = &mut self.tree.actions;
        let hash = hash_of(&action);
        let found = self.by_action.find(hash, |&i| key(&actions[i as usize]) == key(&action));
        if let Some(&index) = found {
            return index;
        }
        let index = offset(actions.len());
        actions.push(action);
        self.by_action.insert_unique(hash, index, |&i| hash_of(&actions[i as usize]));
        index
    }
}

fn scan_ascii_name(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|&byte| NAME_BYTE[byte as usize]) {
        at += 1;
    }
    at
}

/// For each byte: whether it is an ASCII letter, a digit or `_`.
static NAME_BYTE: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte: u8 = 0;
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        byte += 1;
    }
    table
};

fn direction(sign: u8) -> Direction {
    if sign == b'!' { Direction::Emission } else { Direction::Reception }
}
