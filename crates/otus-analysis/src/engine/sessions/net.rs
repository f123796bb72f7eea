//! The tables of greedy firing that depend only on the expression, made once for many multi-traces.

use otus_core::index::Index as _;
use smallvec::SmallVec;

use super::super::Context;
use super::super::store::{ExprId, LeafId, Store};
use super::bag::Bag;
use super::counts::Counts;
use super::frame::Frame;
use super::shapes::Shapes;

/// An expression with parallel sessions, prepared for greedy firing.
#[derive(Debug)]
pub(crate) struct Net {
    pub(super) frame: Frame,
    /// For each symbol: the leaves of the expression that have it as a part.
    pub(super) leaves: Vec<SmallVec<[LeafId; 2]>>,
    counts: Option<Sessions>,
    shapes: Option<Sessions>,
}

/// A representation of the sessions before anything is fired.
#[derive(Debug)]
pub(super) struct Sessions {
    pub(super) bag: Bag,
    /// Whether every symbol belongs to one leaf, and every leaf to one part of the frame, and the parts around the
    /// sessions have no choices.
    pub(super) distinct: bool,
}

impl Net {
    /// The tables of an expression; `None` if greedy firing does not apply to it.
    pub(crate) fn new(context: &mut Context<'_>, start: ExprId) -> Option<Net> {
        let frame = Frame::of(context.store, start)?;
        let (bodies, sessions) = (&frame.bodies, &frame.sessions);
        let counts = Counts::new(context.store, bodies, sessions).map(Bag::Counts);
        let shapes =
            Shapes::new(context.store, context.alphabet, bodies, sessions).map(Bag::Shapes);
        let mut prepare = |bag: Option<Bag>| {
            bag.map(|bag| Sessions { distinct: are_distinct(context, &frame, &bag), bag })
        };
        let (counts, shapes) = (prepare(counts), prepare(shapes));
        let own = counts.as_ref().or(shapes.as_ref())?.bag.leaves();
        let leaves = context.alphabet.leaves.iter().map(|all| {
            let occurs = |leaf: &&LeafId| {
                own.contains(leaf)
                    || context.store.occurs(frame.left, **leaf)
                    || context.store.occurs(frame.right, **leaf)
            };
            all.iter().filter(occurs).copied().collect()
        });
        let leaves = leaves.collect();
        (!context.store.is_spent()).then_some(Net { frame, leaves, counts, shapes })
    }

    /// The representation to use. Late logs need shapes, because counts cannot represent a stock of
    /// sessions.
    pub(super) fn sessions(&self, late: bool) -> Option<&Sessions> {
        let counts = self.counts.as_ref().filter(|_| !late);
        counts.or(self.shapes.as_ref()).or(self.counts.as_ref())
    }
}

/// See [`Sessions::distinct`].
fn are_distinct(context: &mut Context<'_>, frame: &Frame, bag: &Bag) -> bool {
    let own = bag.leaves();
    let store: &Store = context.store;
    if !store.is_choice_free(frame.left) || !store.is_choice_free(frame.right) {
        return false;
    }
    let (left, right) = (store.occurrences(frame.left), store.occurrences(frame.right));
    let places = |leaf: &LeafId| {
        let around = [&left, &right].map(|around| around.get(leaf).copied().unwrap_or(0));
        u8::from(own.contains(leaf)) + around[0] + around[1]
    };
    let mut is_met = vec![false; context.alphabet.leaves.len()];
    let mut all: Vec<LeafId> = own.iter().chain(left.keys()).chain(right.keys()).copied().collect();
    all.sort_unstable();
    all.dedup();
    all.iter().all(|leaf| {
        let mut symbols = store.leaf(*leaf).parts.iter().map(|(_, symbol)| symbol.index());
        places(leaf) == 1 && symbols.all(|symbol| !std::mem::replace(&mut is_met[symbol], true))
    })
}
