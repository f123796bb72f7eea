//! Guards with constants only: the alphabet is refined, and the fast engine does the rest.
//!
//! Let A be the atoms that the leaves of an action have. An event of that action is one letter of a finer alphabet: the
//! action, its peer if that is known, the atoms of A that hold, and those whose field was not logged. A leaf is the
//! alternative of the letters that satisfy its guard, so an interaction with constants is an interaction without values over
//! that alphabet, with all that is known about those.
//!
//! For Pass, an atom whose field was not logged does not hold; for `WeakPass` it may, if some value satisfies all such
//! atoms of the leaf together. So there are two refined interactions.
//!
//! Letters are found as they occur. A new letter means new terms, which happens a few times in the life of an engine.

use std::sync::Arc;

use otus_core::index::Index as _;
use otus_core::intern::Interner;
use otus_core::residual::Residual;
use otus_core::valued::{Atom, Operand, Part, Test, Valued, ValuedNode};
use otus_core::{Action, ActionId, Peer, Pool, TermId, define_id};
use otus_syntax::SourceId;
use otus_trace::multitrace::Builder;
use otus_trace::{Facts, MultiTrace, Partition};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::Observed;
use super::condition::{Condition, Open, Requirement, satisfiable};
use super::construct::{Item, Keys, Path};
use super::observation::{Observation, Problem};
use super::witness::parts;
use crate::budget::Budget;
use crate::engine::{Engine, Options, Outcome};
use crate::question::Question;
use crate::verdict::Verdict;

define_id! {
    /// A letter of the refined alphabet.
    LetterId;
}

/// A letter of the refined alphabet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Letter {
    /// The action, without its peer.
    action: Action,
    peer: Option<Peer>,
    /// The atoms of the action that hold.
    held: u64,
    /// Those whose field was not logged.
    unknown: u64,
}

/// The most atoms of an action.
const MANY: usize = 64;

/// An interaction whose guards have constants only.
#[derive(Debug)]
pub(super) struct Constants {
    /// By action: the atoms of its leaves.
    atoms: FxHashMap<Action, Vec<Atom>>,
    letters: Interner<LetterId, Letter>,
    /// The engines for Pass and `WeakPass` over the letters so far.
    refined: Option<Refined>,
}

#[derive(Debug)]
struct Refined {
    /// The action of each letter in the pool of the engines.
    actions: Vec<ActionId>,
    strict: Engine,
    weak: Engine,
    pool: Pool,
    /// The terms of the engines.
    terms: [TermId; 2],
}

impl Constants {
    /// `None` if some guard compares with a variable or cannot be satisfied, or a passing is synchronous: its actions must have one message.
    pub(super) fn new(valued: &Valued) -> Option<Constants> {
        let mut atoms: FxHashMap<Action, Vec<Atom>> = FxHashMap::default();
        for node in &valued.nodes {
            let ValuedNode::Event(parts) = node else { continue };
            for part in parts {
                if parts.len() > 1 {
                    return None;
                }
                let own = atoms.entry(part.action).or_default();
                // A leaf that nothing satisfies cannot happen unobserved either, and terms have no such leaf.
                let all: Option<Vec<Condition>> = part.guard.iter().map(condition).collect();
                if satisfiable(&all?) != Some(true) {
                    return None;
                }
                for atom in &part.guard {
                    if !own.contains(atom) {
                        own.push(atom.clone());
                    }
                }
                if own.len() > MANY {
                    return None;
                }
            }
        }
        Some(Constants { atoms, letters: Interner::default(), refined: None })
    }

    /// The answer of the fast engine over the refined alphabet. `strict`: whether an unlogged value satisfies nothing.
    pub(super) fn analyze(
        &mut self,
        pool: &Pool,
        valued: &Valued,
        Observed { trace, facts, order, .. }: Observed<'_>,
        question: &Question,
        strict: bool,
        budget: &Budget,
    ) -> Outcome {
        let (refined, trace) = self.refined(pool, valued, trace, facts);
        let engine = if strict { &mut refined.strict } else { &mut refined.weak };
        match order {
            // Steps keep their numbers.
            Some(order) => engine.analyze_ordered(&trace, order, question, budget),
            None => engine.analyze(&trace, question, budget),
        }
    }

    /// The events of an explanation, by the witness of the fast engine; `None` if the budget ends before it is found. A leaf
    /// stands for the alternatives of its letters, so positions are the same up to there.
    pub(super) fn explain(&mut self, problem: &Problem<'_>, budget: &Budget) -> Option<Path> {
        let Problem { pool, valued, trace, facts, question, strict, order, .. } = *problem;
        let (refined, letters) = self.refined(pool, valued, trace, facts);
        let Refined { strict: one, weak, pool: own, terms: [first, second], .. } = refined;
        let (engine, term) = if strict { (one, *first) } else { (weak, *second) };
        // The question is the strongest one already, if that is what is proved.
        let verdict = Verdict::WeakPass;
        let witness = match order {
            Some(order) => {
                engine.witness_ordered(own, term, &letters, order, question, verdict, budget)
            }
            None => engine.witness(own, term, &letters, question, verdict, budget),
        }?;
        let mut residual = Residual::new(pool, valued)?;
        let observation = Observation::new(problem);
        let mut consumed = vec![0; trace.partition().len()];
        let mut items = Vec::with_capacity(witness.steps.len());
        for step in &witness.steps {
            let place = step.event()?;
            let position: Box<[u8]> = residual.leaf_at(&place.position)?.into();
            let leaf = residual.step(position.iter().copied())?.leaf;
            let lifeline = parts(valued, leaf).first()?.action.lifeline;
            let component = trace.partition().component_of(lifeline).index();
            let moment = if own.region_contains(place.observed, lifeline) {
                let (from, to) = observation.next_moment(&consumed, component)?;
                consumed[component] = u32::try_from(to).ok()?;
                Some((from, to))
            } else {
                None
            };
            let ends = SmallVec::from_elem((component, moment), 1);
            items.push(Item { leaf, ends, keys: Keys::new(), position: Some(position) });
        }
        Some(Path { items, is_ordered: true })
    }

    /// The engines over the letters of a multi-trace, and the multi-trace over them.
    fn refined(
        &mut self,
        pool: &Pool,
        valued: &Valued,
        trace: &MultiTrace,
        facts: &Facts,
    ) -> (&mut Refined, MultiTrace) {
        let letters = self.letters_of(pool, trace, facts);
        let is_new = self
            .refined
            .as_ref()
            .is_none_or(|refined| refined.actions.len() < self.letters.items.len());
        if is_new {
            self.refined = None;
        }
        let partition = trace.shared_partition();
        let refined = match &mut self.refined {
            Some(refined) => refined,
            none => none.insert(refine(&self.atoms, &self.letters, pool, valued, partition)),
        };
        let mut builder = Builder::new(Arc::clone(partition), trace.len(), false);
        let mut letters = letters.into_iter();
        for component in partition.components() {
            for moment in trace.moments(component) {
                for letter in letters.by_ref().take(moment.len()) {
                    builder.push(refined.actions[letter.index()], 0);
                }
                builder.next_moment();
            }
            builder.next_component();
        }
        (refined, builder.finish(SourceId::default()))
    }

    /// The letters of all steps, component after component.
    fn letters_of(&mut self, pool: &Pool, trace: &MultiTrace, facts: &Facts) -> Vec<LetterId> {
        let mut found = Vec::with_capacity(trace.len());
        for component in trace.partition().components() {
            for (at, step) in trace.steps(component).iter().enumerate() {
                let action = pool.action(step.action());
                let peer = action.peer;
                let action = action.without_peer();
                let (mut held, mut unknown) = (0, 0);
                let atoms = self.atoms.get(&action).map_or(&[][..], Vec::as_slice);
                for (bit, atom) in atoms.iter().enumerate() {
                    match facts.value(atom.field, component, at) {
                        Some(id) => held |= u64::from(atom.test.holds(facts.item(id), None)) << bit,
                        None => unknown |= 1 << bit,
                    }
                }
                found.push(self.letters.intern(Letter { action, peer, held, unknown }));
            }
        }
        found
    }
}

/// The engines over all letters.
fn refine(
    atoms: &FxHashMap<Action, Vec<Atom>>,
    letters: &Interner<LetterId, Letter>,
    pool: &Pool,
    valued: &Valued,
    partition: &Partition,
) -> Refined {
    let mut refined = Pool::new(pool.signature().clone());
    // A message of its own for each letter; one more for leaves that no letter satisfies.
    let actions: Vec<Action> = letters
        .items
        .iter_with_ids()
        .map(|(id, letter)| {
            let message = refined.add_message(&format!("\u{1}{}", id.index()));
            Action { message, ..letter.action }
        })
        .collect();
    let none = refined.add_message("\u{1}");
    let ids = actions.iter().map(|&action| refined.intern_action(action)).collect();
    let terms = [true, false].map(|strict| {
        build(&mut refined, pool, valued, |pool, parts| {
            let Some(part) = parts.first() else { return Pool::EMPTY };
            let mut leaf: Option<TermId> = None;
            for (letter, &action) in letters.items.iter().zip(&actions) {
                if matches(atoms, letter, part, strict) {
                    let term = pool.single(action);
                    leaf = Some(leaf.map_or(term, |others| pool.alt(term, others)));
                }
            }
            leaf.unwrap_or_else(|| pool.single(Action { message: none, ..part.action }))
        })
    });
    let [strict, weak] =
        terms.map(|term| Engine::new(&refined, term, partition, Options::default()));
    Refined { actions: ids, strict, weak, pool: refined, terms }
}

/// Whether a letter satisfies a leaf.
fn matches(
    atoms: &FxHashMap<Action, Vec<Atom>>,
    letter: &Letter,
    part: &Part,
    strict: bool,
) -> bool {
    if letter.action != part.action || letter.peer.is_some_and(|peer| !part.peers.contains(&peer)) {
        return false;
    }
    let Some(all) = atoms.get(&part.action) else { return true };
    let mut unknown = Vec::new();
    for atom in &part.guard {
        let Some(bit) = all.iter().position(|other| other == atom) else { return false };
        if letter.held >> bit & 1 == 1 {
            continue;
        }
        if strict || letter.unknown >> bit & 1 == 0 {
            return false;
        }
        unknown.extend(condition(atom));
    }
    satisfiable(&unknown) != Some(false)
}

/// An atom as a condition on its field; `None` if it compares with a variable or is about the time.
fn condition(atom: &Atom) -> Option<Condition> {
    let test = match &atom.test {
        Test::Compare(relation, Operand::Constant(value)) => {
            Requirement::Constant(*relation, value.clone())
        }
        Test::In(values) => Requirement::In(values.clone()),
        Test::Matches(pattern) => Requirement::Matches(pattern.clone()),
        Test::Compare(_, Operand::Variable(..)) => return None,
    };
    (atom.field != Valued::TIME).then_some(Condition { on: Open(atom.field.0), test })
}

/// The term of a valued tree, with a term for each event; binders are left out.
fn build(
    pool: &mut Pool,
    from: &Pool,
    valued: &Valued,
    leaf: impl Fn(&mut Pool, &[Part]) -> TermId,
) -> TermId {
    let mut done: Vec<TermId> = Vec::with_capacity(valued.nodes.len());
    for node in &valued.nodes {
        let of = |id: otus_core::valued::ValuedId| done[id.index()];
        let term = match node {
            ValuedNode::Empty => Pool::EMPTY,
            ValuedNode::Event(parts) => leaf(pool, parts),
            ValuedNode::Strict(i, j) => pool.strict(of(*i), of(*j)),
            // Both pools have the same lifelines, but number regions differently.
            ValuedNode::Coreg(region, i, j) => {
                let region = pool.intern_region(&from.region(*region));
                pool.coreg(region, of(*i), of(*j))
            }
            ValuedNode::Alt(i, j) => pool.alt(of(*i), of(*j)),
            ValuedNode::LoopS(i) => pool.loop_s(of(*i)),
            ValuedNode::LoopC(region, i) => {
                let region = pool.intern_region(&from.region(*region));
                pool.loop_c(region, of(*i))
            }
            ValuedNode::New(_, i) | ValuedNode::Fresh(_, i) => of(*i),
        };
        done.push(term);
    }
    done[valued.root.index()]
}
