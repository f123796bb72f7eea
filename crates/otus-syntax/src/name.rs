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
#[derive(Debug, Clone, Default)]
pub struct Names {
    texts: Vec<Box<str>>,
    table: HashTable<u32>,
}

impl Names {
    /// The symbol of `text`. A new text gets a new symbol.
    pub fn intern(&mut self, text: &str) -> Symbol {
        let hash = hash(text.as_bytes());
        let found = self.table.find(hash, |&id| *self.texts[id as usize] == *text);
        if let Some(&id) = found {
            return Symbol(id);
        }
        let id = crate::source::offset(self.texts.len());
        self.texts.push(text.into());
        self.table.insert_unique(hash, id, |&id| self::hash(self.texts[id as usize].as_bytes()));
        Symbol(id)
    }

    /// The symbol of `text` if it is known.
    pub fn find(&self, text: &str) -> Option<Symbol> {
        self.table
            .find(hash(text.as_bytes()), |&id| *self.texts[id as usize] == *text)
            .map(|&id| Symbol(id))
    }

    /// The text of a symbol of this table.
    pub fn text(&self, symbol: Symbol) -> &str {
        self.texts.get(symbol.index()).map_or("", |text| text)
    }

    /// All names, in order of first use.
    pub fn iter(&self) -> impl Iterator<Item = (Symbol, &str)> {
        self.texts.iter().enumerate().map(|(i, text)| (Symbol(crate::source::offset(i)), &**text))
    }

    /// The number of distinct names.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
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
