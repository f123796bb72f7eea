//! Peers: the other end of a message.
//!
//! A log may know to whom a message was sent, or from whom it came. An action is then a letter of a finer alphabet:
//!
//! ```text
//! letter = (lifeline, direction, message, peer)      peer: unknown, the environment, or a lifeline
//! ```
//!
//! The leaf `a!m` of a passing whose other end has the *partners* P (the receivers of an emission, the sender of a
//! reception) stands for a set of letters. A passing without another end (`a -- m ->|`, `m -> b`, a message that is lost)
//! does not say who is there, so its partners are all lifelines and the environment.
//!
//! ```text
//! ⟦a!m⟧_P = { (a, !, m, unknown) } ∪ { (a, !, m, p) : p ∈ P }
//! ```
//!
//! So an event whose peer is unknown matches every passing of its message, and an event that knows its peer only those
//! with that peer. Everything else keeps its meaning, because a leaf with several letters is the `alt` of them.
//!
//! Few interactions need the finer alphabet. If all passings of an action have the same partners ([`Partners`]), an
//! event either has one of these and matches all passings, or matches none of them. [`Partners::letter`] uses
//! the action without a peer in the first case and an action that no term has in the second. Only the leaves
//! of *ambiguous* actions, which have passings with different partners, must be split into letters.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::action::Action;
use crate::index::LifelineId;

/// The other end of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Peer {
    /// A lifeline of the interaction.
    Lifeline(LifelineId),
    /// The environment: something that is no lifeline of the interaction.
    Environment,
}

/// The partners of the actions of an interaction.
#[derive(Debug, Clone, Default)]
pub struct Partners {
    /// The partners of each action, which is stored without a peer.
    known: FxHashMap<Action, PartnerSet>,
}

#[derive(Debug, Clone)]
struct PartnerSet {
    /// Shared, since all passings without another end have the same partners, as many as there are lifelines.
    peers: Arc<BTreeSet<Peer>>,
    /// Whether its passings have different partners.
    is_ambiguous: bool,
}

impl Partners {
    /// Adds a passing of an action.
    pub fn add(&mut self, action: Action, peers: &Arc<BTreeSet<Peer>>) {
        let new = || PartnerSet { peers: peers.clone(), is_ambiguous: false };
        let known = self.known.entry(action).or_insert_with(new);
        if !Arc::ptr_eq(&known.peers, peers) && known.peers != *peers {
            known.is_ambiguous = true;
            Arc::make_mut(&mut known.peers).extend(peers.iter());
        }
    }

    /// The partners of an action over all its passings.
    pub fn of(&self, action: Action) -> impl Iterator<Item = Peer> {
        let known = self.known.get(&Action { peer: None, ..action });
        known.into_iter().flat_map(|known| known.peers.iter().copied())
    }

    /// Whether an action has passings with different partners.
    pub fn is_ambiguous(&self, action: Action) -> bool {
        self.known.get(&action).is_some_and(|known| known.is_ambiguous)
    }

    /// Whether some action has passings with different partners.
    pub fn has_ambiguous(&self) -> bool {
        self.known.values().any(|known| known.is_ambiguous)
    }

    /// The letter of an event whose peer is known.
    pub fn letter(&self, action: Action, peer: Peer) -> Action {
        match self.known.get(&action) {
            // No passing has this action, whatever the peer is, so the action can be used as it is.
            None => action,
            Some(known) if known.peers.contains(&peer) && !known.is_ambiguous => action,
            Some(_) => Action { peer: Some(peer), ..action },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::MessageId;

    #[test]
    fn letters_are_split_only_where_passings_differ() {
        let [own, b, c] = [0, 1, 2].map(LifelineId);
        let messages = [0, 1].map(MessageId);
        let [b_only, c_only] = [b, c].map(|it| Arc::new(BTreeSet::from([Peer::Lifeline(it)])));
        let mut partners = Partners::default();
        let [one, two] = messages.map(|message| Action::emission(own, message));
        partners.add(one, &b_only);
        partners.add(one, &b_only);
        partners.add(two, &b_only);
        partners.add(two, &c_only);
        assert!(!partners.is_ambiguous(one) && partners.is_ambiguous(two));
        assert!(partners.has_ambiguous());

        let with = |action, peer| Action { peer: Some(peer), ..action };
        assert_eq!(partners.letter(one, Peer::Lifeline(b)), one);
        let wrong = Peer::Lifeline(c);
        assert_eq!(partners.letter(one, wrong), with(one, wrong));
        assert_eq!(partners.letter(one, Peer::Environment), with(one, Peer::Environment));
        assert_eq!(partners.letter(two, wrong), with(two, wrong));
        let unknown = Action::reception(own, messages[0]);
        assert_eq!(partners.letter(unknown, wrong), unknown);
        assert_eq!(partners.of(with(two, wrong)).count(), 2);
    }
}
