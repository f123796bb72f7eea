//! Where a leaf can happen next, in what is left of an interaction.
//!
//! The parts of a [residual](otus_core::residual) are found by the iterations around them, and inside of a part the
//! places of a leaf are known once and for all. So a session with a key is found by its iteration, and a session that
//! begins takes the oldest loop that can begin it: the oldest one is among those nearest to the root, so that the residual
//! stays balanced.

use std::collections::VecDeque;
use std::rc::Rc;

use otus_core::letters::{IterationId, LetterId, Letters};
use otus_core::residual::{NodeId, Place, Residual};
use otus_core::valued::ValuedId;
use otus_core::{Pool, Term, TermId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A position: the letters of the path from the root.
pub(super) type Position = Box<[u8]>;

/// A place of a leaf in a part of a residual.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    part: NodeId,
    pub(super) place: Place,
    /// Whether older parts with the same term are as good: its number among them is above 0.
    pub(super) is_later: bool,
    /// The position in the part.
    inside: Position,
}

impl Candidate {
    /// Its position in the residual.
    pub(super) fn position(&self, residual: &Residual) -> Position {
        let mut position = residual.position_of(self.part);
        position.extend(&self.inside);
        position.into()
    }
}

/// The places of a leaf in a term, the nearest first.
type Places = Rc<[(LetterId, Position)]>;

/// The parts of a residual.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// By iteration and term: the parts, oldest first. A part is also listed with the iterations around its own, but for
    /// the whole interaction.
    parts: FxHashMap<(IterationId, TermId), VecDeque<NodeId>>,
    /// By iteration: the terms of its parts.
    terms: FxHashMap<IterationId, Vec<TermId>>,
    /// By term: the parts, oldest first.
    everywhere: FxHashMap<TermId, VecDeque<NodeId>>,
    known: Vec<TermId>,
    places: FxHashMap<(TermId, ValuedId), Places>,
    /// By leaf, then by term: whether it has the leaf.
    has_leaf: FxHashMap<ValuedId, FxHashMap<TermId, bool>>,
}

/// The most places of a leaf in one part, and the most parts with the same term that are tried.
pub(super) const MANY: usize = 32;

impl Index {
    /// Adds the parts that are new.
    pub(super) fn update(&mut self, residual: &mut Residual) {
        for part in residual.born() {
            let Some((term, iteration)) = residual.part(part) else { continue };
            let mut own = Some(iteration);
            while let Some(at) = own.filter(|&at| at == iteration || at != Letters::WHOLE) {
                let parts = self.parts.entry((at, term)).or_default();
                if parts.is_empty() {
                    self.terms.entry(at).or_default().push(term);
                }
                parts.push_back(part);
                own = residual.around(at);
            }
            let parts = self.everywhere.entry(term).or_default();
            if parts.is_empty() {
                self.known.push(term);
            }
            parts.push_back(part);
        }
    }

    /// The candidates for a leaf in an iteration and those that it has begun; for the whole interaction, only those outside
    /// of all iterations. Of parts with the same term, at most so many.
    pub(super) fn of_iteration(
        &mut self,
        residual: &Residual,
        iteration: IterationId,
        leaf: ValuedId,
        most: usize,
    ) -> Vec<Candidate> {
        let mut found = Vec::new();
        let mut terms = self.terms.remove(&iteration).unwrap_or_default();
        terms.retain(|&term| {
            let Some(mut parts) = self.parts.remove(&(iteration, term)) else { return false };
            self.collect(residual, term, leaf, most, (&mut parts, &mut found));
            let is_left = !parts.is_empty();
            if is_left {
                self.parts.insert((iteration, term), parts);
            }
            is_left
        });
        if !terms.is_empty() {
            self.terms.insert(iteration, terms);
        }
        found
    }

    /// Whether an iteration has no parts any more.
    pub(super) fn is_over(&self, iteration: IterationId) -> bool {
        !self.terms.contains_key(&iteration)
    }

    /// The candidates for a leaf in all parts. Of parts with the same term, at most so many.
    pub(super) fn everywhere(
        &mut self,
        residual: &Residual,
        leaf: ValuedId,
        most: usize,
    ) -> Vec<Candidate> {
        let mut found = Vec::new();
        let mut terms = std::mem::take(&mut self.known);
        terms.retain(|&term| {
            let Some(mut parts) = self.everywhere.remove(&term) else { return false };
            self.collect(residual, term, leaf, most, (&mut parts, &mut found));
            let is_left = !parts.is_empty();
            if is_left {
                self.everywhere.insert(term, parts);
            }
            is_left
        });
        self.known = terms;
        found
    }

    /// Adds the candidates in the first parts with a term. Parts that are gone are dropped where they are met.
    fn collect(
        &mut self,
        residual: &Residual,
        term: TermId,
        leaf: ValuedId,
        most: usize,
        (parts, found): (&mut VecDeque<NodeId>, &mut Vec<Candidate>),
    ) {
        let is_there = |part: NodeId| residual.part(part).is_some_and(|(own, _)| own == term);
        while parts.front().is_some_and(|&part| !is_there(part)) {
            parts.pop_front();
        }
        if parts.is_empty() || !self.has_leaf(residual, term, leaf) {
            return;
        }
        let places = self.places(residual, term, leaf);
        let mut met: SmallVec<[NodeId; 4]> = SmallVec::new();
        while let Some(part) = parts.pop_front() {
            // A part that was changed and changed back is there twice.
            if !is_there(part) || met.contains(&part) {
                continue;
            }
            met.push(part);
            if met.len() == most {
                break;
            }
        }
        // The iterations of a parallel loop are all alike before they begin.
        let node = residual.letters().pool.node(term);
        let is_alike = matches!(node, Term::LoopC(Pool::ALL, _))
            && !residual.letters().variables(leaf).is_empty();
        let others = if is_alike { 1 } else { met.len() };
        for (number, &part) in met.iter().take(others).enumerate() {
            let Some((_, iteration)) = residual.part(part) else { continue };
            for (letter, inside) in &*places {
                let place = residual.place(*letter, iteration);
                let inside = inside.clone();
                found.push(Candidate { part, place, is_later: number > 0, inside });
            }
        }
        for part in met.into_iter().rev() {
            parts.push_front(part);
        }
    }

    /// The places of a leaf in a term, the nearest first; at most some. Only those where it can happen next.
    fn places(&mut self, residual: &Residual, term: TermId, leaf: ValuedId) -> Places {
        if let Some(known) = self.places.get(&(term, leaf)) {
            return Rc::clone(known);
        }
        let letters = residual.letters();
        let mut found = Vec::new();
        let mut pending: VecDeque<(TermId, Vec<u8>)> = VecDeque::from([(term, Vec::new())]);
        while let Some((at, path)) = pending.pop_front() {
            let node = letters.pool.node(at);
            if let Some(event) = node.as_event() {
                if let Some(letter) = letters.letter_of(event) {
                    found.push((letter, path.into()));
                }
                if found.len() == MANY {
                    break;
                }
                continue;
            }
            let is_first_over = match node {
                Term::Strict(left, _) => letters.pool.attributes(left).terminates,
                Term::Empty
                | Term::Event(_)
                | Term::Coreg(..)
                | Term::Alt(..)
                | Term::LoopS(_)
                | Term::LoopC(..) => true,
            };
            for (operand, number) in node.operands().zip([1u8, 2]) {
                if (number == 1 || is_first_over) && self.has_leaf(residual, operand, leaf) {
                    let mut path = path.clone();
                    path.push(number);
                    pending.push_back((operand, path));
                }
            }
        }
        let found: Places = found.into();
        self.places.insert((term, leaf), Rc::clone(&found));
        found
    }

    /// Whether a term has a leaf.
    fn has_leaf(&mut self, residual: &Residual, term: TermId, leaf: ValuedId) -> bool {
        let letters = residual.letters();
        let known = self.has_leaf.entry(leaf).or_default();
        let mut pending = vec![term];
        while let Some(&at) = pending.last() {
            if known.contains_key(&at) {
                pending.pop();
                continue;
            }
            let node = letters.pool.node(at);
            let operands: SmallVec<[bool; 2]> =
                node.operands().filter_map(|operand| known.get(&operand).copied()).collect();
            if operands.len() < node.operands().len() {
                pending.extend(node.operands().filter(|operand| !known.contains_key(operand)));
                continue;
            }
            let letter = node.as_event().and_then(|event| letters.letter_of(event));
            let is_own = letter.is_some_and(|letter| letters.letter(letter).leaf == leaf);
            known.insert(at, is_own || operands.contains(&true));
            pending.pop();
        }
        known.get(&term).copied().unwrap_or(false)
    }
}
