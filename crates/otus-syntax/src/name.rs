//! Interned names.
//!
//! A tree owns a [`Names`] table; each name in it is a [`Symbol`], so names are compared by number and
//! stored once. Symbols are dense and numbered in the order of first use, which keeps everything
//! derived from them deterministic.

use std::hash::Hasher as _;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::source::Span;

/// An interned name: an index into the [`Names`] of its tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(pub u32);

impl Symbol {
    /// The index of the name in the table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An occurrence of a name in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Name {
    /// The name.
    pub symbol: Symbol,
    /// The span of the occurrence.
    pub span: Span,
}

/// The distinct names of one tree.
///
/// Their texts stand one behind the other, because a table of events has millions of names: one allocation for each would
/// take three times the memory, and a look-up would have to fetch it from a place of its own.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// All texts.
    text: String,
    /// By symbol: the end of its text.
    ends: Vec<usize>,
    table: HashTable<u32>,
}

impl Names {
    /// The symbol of `text`. A new text gets a new symbol.
    pub fn intern(&mut self, text: &str) -> Symbol {
        let hash = hash(text.as_bytes());
        let Names { text: all, ends, table } = self;
        if let Some(&id) = table.find(hash, |&id| at(all, ends, id) == text) {
            return Symbol(id);
        }
        let id = crate::source::offset(ends.len());
        all.push_str(text);
        ends.push(all.len());
        table.insert_unique(hash, id, |&id| self::hash(at(all, ends, id).as_bytes()));
        Symbol(id)
    }

    /// The symbol of `text` if it is known.
    pub fn find(&self, text: &str) -> Option<Symbol> {
        self.table
            .find(hash(text.as_bytes()), |&id| at(&self.text, &self.ends, id) == text)
            .map(|&id| Symbol(id))
    }

    /// The text of a symbol of this table.
    pub fn text(&self, symbol: Symbol) -> &str {
        at(&self.text, &self.ends, symbol.0)
    }

    /// All names, in order of first use.
    pub fn iter(&self) -> impl Iterator<Item = (Symbol, &str)> {
        (0..self.ends.len()).map(|index| {
            let symbol = Symbol(crate::source::offset(index));
            (symbol, self.text(symbol))
        })
    }

    /// The number of distinct names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

/// The text of a symbol; nothing if there is no such symbol.
#[inline]
fn at<'a>(text: &'a str, ends: &[usize], id: u32) -> &'a str {
    let id = id as usize;
    let Some(&end) = ends.get(id) else { return "" };
    let start = id.checked_sub(1).map_or(0, |before| ends[before]);
    &text[start..end]
}

#[inline]
pub(crate) fn hash(text: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text);
    hasher.finish()
}

/// Whether `text` is a name that needs no quotes: letters, digits and `_`, but not digits only.
pub fn is_plain(text: &str) -> bool {
    text.chars().all(is_name_char) && text.chars().any(|c| !c.is_ascii_digit())
}

/// Characters of plain names.
pub fn is_name_char(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_share_a_symbol() {
        let mut names = Names::default();
        let a = names.intern("a");
        assert_eq!(names.intern("b"), Symbol(1));
        assert_eq!(names.intern("a"), a);
        assert_eq!(names.text(a), "a");
        assert_eq!(names.find("c"), None);
        assert_eq!(names.len(), 2);
    }

    #[test]
    fn plain_names() {
        for plain in ["a", "_", "l1", "2nd", "été"] {
            assert!(is_plain(plain), "{plain}");
        }
        for other in ["", "1", "a-b", "a b", "a.b", "\"", "∅"] {
            assert!(!is_plain(other), "{other}");
        }
    }
}
