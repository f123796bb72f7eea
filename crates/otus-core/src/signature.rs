//! Signatures: the lifelines and messages of an interaction.
//!
//! Ids follow the order of declaration. A lifeline and a message may share a name.

use otus_syntax::name::{Names, Symbol};
use rustc_hash::FxHashMap;

use crate::index::{Index as _, IndexVec, LifelineId, MessageId};
use crate::set::LifelineSet;

/// The lifelines and messages of a specification, by name.
///
/// ```
/// let mut signature = otus_core::Signature::default();
/// let broker = signature.add_lifeline("broker");
/// assert_eq!(signature.lifeline("broker"), Some(broker));
/// assert_eq!(signature.message("broker"), None);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Signature {
    lifelines: Names,
    labels: IndexVec<LifelineId, Option<Box<str>>>,
    /// For each label, written on one line: the lifeline with this label, or `None` if several
    /// lifelines have it.
    labelled: FxHashMap<Box<str>, Option<LifelineId>>,
    messages: Names,
}

impl Signature {
    /// The lifeline with a name, declared if it is new.
    pub fn add_lifeline(&mut self, name: &str) -> LifelineId {
        let id = LifelineId(self.lifelines.intern(name).0);
        if self.labels.get(id).is_none() {
            self.labels.push(None);
        }
        id
    }

    /// The message with a name, declared if it is new.
    pub fn add_message(&mut self, name: &str) -> MessageId {
        MessageId(self.messages.intern(name).0)
    }

    /// Sets the text that pictures show instead of a lifeline's name.
    pub fn set_label(&mut self, lifeline: LifelineId, label: &str) {
        self.labels[lifeline] = Some(label.into());
        let entry = self.labelled.entry(on_one_line(label)).or_insert(Some(lifeline));
        if *entry != Some(lifeline) {
            *entry = None;
        }
    }

    /// The lifeline that a log means by a name: the lifeline with this name, or the only lifeline with this
    /// label. A line break in a label counts as a blank.
    ///
    /// ```
    /// let mut signature = otus_core::Signature::default();
    /// let client = signature.add_lifeline("C");
    /// signature.set_label(client, "Web\nClient");
    /// assert_eq!(signature.lifeline_called("Web Client"), Some(client));
    /// ```
    pub fn lifeline_called(&self, name: &str) -> Option<LifelineId> {
        self.lifeline(name).or_else(|| *self.labelled.get(name)?)
    }

    /// The lifeline with a name.
    pub fn lifeline(&self, name: &str) -> Option<LifelineId> {
        self.lifelines.find(name).map(|symbol| LifelineId(symbol.0))
    }

    /// The message with a name.
    pub fn message(&self, name: &str) -> Option<MessageId> {
        self.messages.find(name).map(|symbol| MessageId(symbol.0))
    }

    /// The name of a lifeline.
    pub fn lifeline_name(&self, lifeline: LifelineId) -> &str {
        self.lifelines.text(Symbol(lifeline.0))
    }

    /// The name of a message.
    pub fn message_name(&self, message: MessageId) -> &str {
        self.messages.text(Symbol(message.0))
    }

    /// The text that pictures show instead of a lifeline's name, if it has one.
    pub fn label(&self, lifeline: LifelineId) -> Option<&str> {
        self.labels.get(lifeline).and_then(Option::as_deref)
    }

    /// The lifelines in order, with their names.
    pub fn lifelines(&self) -> impl ExactSizeIterator<Item = (LifelineId, &str)> {
        let ids = (0..self.lifelines.len()).map(LifelineId::new);
        ids.map(|id| (id, self.lifeline_name(id)))
    }

    /// The messages in order, with their names.
    pub fn messages(&self) -> impl ExactSizeIterator<Item = (MessageId, &str)> {
        let ids = (0..self.messages.len()).map(MessageId::new);
        ids.map(|id| (id, self.message_name(id)))
    }

    /// The number of lifelines.
    pub fn lifeline_count(&self) -> usize {
        self.lifelines.len()
    }

    /// The number of messages.
    pub fn message_count(&self) -> usize {
        self.messages.len()
    }

    /// The signature with all messages, and only some of the lifelines.
    #[must_use]
    pub fn restricted(&self, kept: &LifelineSet) -> Signature {
        let mut signature = Signature { messages: self.messages.clone(), ..Signature::default() };
        for (lifeline, name) in self.lifelines().filter(|(id, _)| kept.contains(*id)) {
            let added = signature.add_lifeline(name);
            if let Some(label) = self.label(lifeline) {
                signature.set_label(added, label);
            }
        }
        signature
    }

    /// L, the set of all lifelines.
    pub fn all_lifelines(&self) -> LifelineSet {
        LifelineSet::full(self.lifeline_count())
    }
}

fn on_one_line(label: &str) -> Box<str> {
    let lines: Vec<&str> =
        label.split('\n').map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join(" ").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_order_and_their_kind() {
        let mut signature = Signature::default();
        let b = signature.add_lifeline("b");
        let a = signature.add_lifeline("a");
        let m = signature.add_message("a");
        assert_eq!(signature.add_lifeline("b"), b);
        assert_eq!((b, a, m), (LifelineId(0), LifelineId(1), MessageId(0)));
        signature.set_label(a, "Alice");
        assert_eq!(signature.label(a), Some("Alice"));
        assert_eq!(signature.label(b), None);
        assert_eq!(signature.lifeline("Alice"), None);
        assert_eq!(signature.lifeline_called("Alice"), Some(a));
        assert_eq!(signature.lifeline_called("b"), Some(b));
        signature.set_label(b, "Alice");
        assert_eq!(signature.lifeline_called("Alice"), None, "two have this label");
        assert_eq!(signature.lifelines().map(|(_, name)| name).collect::<Vec<_>>(), ["b", "a"]);
        assert_eq!(signature.all_lifelines().len(), 2);
    }
}
