//! Values in the searches of the papers: what a node knows of variables, and how a step changes it.
//!
//! The interaction of a node is a term over [letters](otus_core::letters): leaves with their guards, whose variables
//! are instances or still bound by a loop. So the step relation, pruning and positions are those of the papers. Beside the
//! term a node has a *store*: a register for each instance that the term still mentions, the values that `fresh` must avoid,
//! and conditions on what is open. The tests are those of the exact search ([`values`](crate::values)):
//!
//! ```text
//! (R_e) the guard holds of what was logged and of the store     (R_s) the guard can hold: its values are open
//! ```
//!
//! A child whose conditions cannot be satisfied does not exist. A store has two memories. In the first, whatever was not
//! logged helps; the second compares nothing that was not logged, as a Pass asks for, and is given up as soon as that fails
//! ([`SearchState::exact`]).
//!
//! *The end.* Without values every interaction has some trace, so a search may stop where the logs are consumed. With values a
//! deadline may have passed. So at such a node the rest must be able to happen unobserved ([`Values::completes`]). By the loop
//! lemma this needs no further iteration.

use std::rc::Rc;

use otus_core::algebra::fold::fold;
use otus_core::algebra::{self, Memo, simplify};
use otus_core::index::Index as _;
use otus_core::intern::Interner;
use otus_core::letters::{InstanceId, Letters, Rivals};
use otus_core::semantics::{Frontiers, Step};
use otus_core::valued::{Valued, ValuedId};
use otus_core::{Action, MessageId, Pool, RegionId, Signature, Term, TermId};
use otus_trace::{ComponentId, Facts, MultiTrace};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::graph::state::{SearchState, StoreId};
use crate::question::Question;
use crate::values::event::Usage;
use crate::values::expr::Var;
use crate::values::memory::{Memory, Register};
use crate::values::observation::{Moment, Observation, Problem};
use crate::values::{Clocks, anchors};
use crate::witness::{Witness, WitnessEvent, WitnessStep};

/// The most states of one completion.
const COMPLETION: usize = 500;

/// An interaction with values, and what the events of a multi-trace carry.
#[derive(Debug, Clone, Copy)]
pub struct Carried<'a> {
    /// The interaction.
    pub valued: &'a Valued,
    /// The values of the events.
    pub facts: &'a Facts,
    /// What is known of the clocks.
    pub clocks: Clocks,
}

/// What a node knows of variables.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Store {
    /// Whatever was not logged is whatever helps.
    pub(crate) memory: Memory,
    /// Nothing that was not logged is compared; `None` if that was not possible.
    pub(crate) strict: Option<Memory>,
}

/// The variables that a term mentions, in the order of the registers.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    pub(crate) instances: Vec<InstanceId>,
    /// The lists of values that later iterations must avoid. Their registers come after those of the instances.
    pub(crate) lists: Vec<Rivals>,
}

impl Layout {
    fn slot(&self, instance: InstanceId) -> Option<Var> {
        let at = self.instances.iter().position(|&own| own == instance)?;
        Some(Var::Slot(u16::try_from(at).ok()?))
    }

    fn list(&self, list: Rivals) -> Option<Var> {
        let at = self.lists.iter().position(|&own| own == list)?;
        Some(Var::Slot(u16::try_from(self.instances.len() + at).ok()?))
    }
}

/// A step of a term over letters, with what it does to the registers.
#[derive(Debug)]
pub(crate) struct Taken {
    /// The step. Its follow-up has the instances of all iterations that the step begins.
    pub(crate) step: Step,
    leaf: ValuedId,
    arguments: SmallVec<[Var; 4]>,
    opened: usize,
    opened_sets: SmallVec<[u16; 2]>,
    inserts: SmallVec<[(Var, Var); 2]>,
    moves: SmallVec<[Var; 4]>,
}

/// The problems of a search: with whatever helps, and with nothing that was not logged.
pub(crate) struct Problems<'p> {
    problems: [Problem<'p>; 2],
}

impl<'p> Problems<'p> {
    pub(crate) fn new(
        pool: &'p Pool,
        carried: &Carried<'p>,
        trace: &'p MultiTrace,
        (question, anchors): (&'p Question, &'p [Option<usize>]),
    ) -> Self {
        let &Carried { valued, facts, clocks } = carried;
        let problem = |strict| {
            let order = None;
            Problem { pool, valued, trace, facts, clocks, question, strict, anchors, order }
        };
        Problems { problems: [problem(false), problem(true)] }
    }
}

/// By variable: the component whose clock gives it its value.
pub(crate) fn clocks_of(carried: &Carried<'_>, trace: &MultiTrace) -> Vec<Option<usize>> {
    anchors(carried.valued, trace.partition())
}

/// The values of one search.
pub(crate) struct Values<'p> {
    /// The letters. Their pool is that of the search.
    letters: Letters,
    valued: &'p Valued,
    usual: Observation<'p>,
    strict: Observation<'p>,
    /// By component and moment: its first step.
    moments: Vec<Vec<usize>>,
    steps: FxHashMap<TermId, Rc<[Taken]>>,
    layouts: FxHashMap<TermId, Rc<Layout>>,
    stores: Interner<StoreId, Store>,
    completions: FxHashMap<(TermId, StoreId), Option<bool>>,
    /// By removed lifelines and term: what is left.
    removed: FxHashMap<RegionId, FxHashMap<TermId, TermId>>,
    /// Whether removal left conditions behind.
    has_conditions: bool,
    /// Whether some conditions could not be decided.
    pub(crate) undecided: bool,
    bytes: usize,
}

impl std::fmt::Debug for Values<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Values").field("stores", &self.stores.items.len()).finish_non_exhaustive()
    }
}

/// What is left of the values after a search: enough to show its nodes.
#[derive(Debug)]
pub struct Learned {
    /// The letters, with the pool of the search.
    pub letters: Letters,
    pub(crate) stores: Interner<StoreId, Store>,
    pub(crate) layouts: FxHashMap<TermId, Rc<Layout>>,
    pub(crate) valued: Valued,
    /// Whether removal left conditions behind.
    has_conditions: bool,
}

impl Learned {
    /// The witness of a search as an execution of the skeleton; `None` if conditions were left behind, which are no steps of the
    /// skeleton.
    pub(crate) fn plain(&self, witness: Witness, original: &mut Pool) -> Option<Witness> {
        let removes = witness.steps.iter().any(|step| matches!(step, WitnessStep::Removed(_)));
        if removes && self.has_conditions {
            return None;
        }
        let pool = &self.letters.pool;
        let event = |place: WitnessEvent, original: &mut Pool| {
            let actions = pool.event_actions(place.event).iter().map(|&action| {
                let action = pool.action(action);
                Action { message: plain(&self.letters, &self.valued, action.message), ..action }
            });
            let actions: Vec<Action> = actions.collect();
            let observed = original.intern_region(&pool.region(place.observed));
            WitnessEvent { event: original.intern_event(&actions), observed, ..place }
        };
        let mut steps = Vec::with_capacity(witness.steps.len());
        for step in witness.steps {
            steps.push(match step {
                WitnessStep::Observed(place) => WitnessStep::Observed(event(place, original)),
                WitnessStep::Unobserved(place) => WitnessStep::Unobserved(event(place, original)),
                WitnessStep::Removed(region) => {
                    WitnessStep::Removed(original.intern_region(&pool.region(region)))
                }
            });
        }
        Some(Witness { steps })
    }
}

/// The message that that of a letter stands for.
pub(super) fn plain(letters: &Letters, valued: &Valued, message: MessageId) -> MessageId {
    let leaf = letters.letter_with(message).map(|letter| letters.letter(letter).leaf);
    let parts = leaf.map_or(&[][..], |leaf| valued.parts(leaf));
    parts.first().map_or(message, |part| part.action.message)
}

impl<'p> Values<'p> {
    /// The values of a search, with the pool of its terms and its interaction; `None` if that is too large to be written out.
    pub(crate) fn new(
        original: &Pool,
        carried: &Carried<'p>,
        problems: &'p Problems<'p>,
    ) -> Option<(Values<'p>, Pool, TermId)> {
        let (mut letters, term) = Letters::new(original, carried.valued)?;
        let [usual, strict] = &problems.problems;
        let trace = usual.trace;
        let moments = trace.partition().components().map(|component| {
            let mut at = 0;
            let starts = trace.moments(component).map(|moment| {
                at += moment.len();
                at - moment.len()
            });
            starts.collect::<Vec<usize>>()
        });
        let moments = moments.collect();
        let pool = std::mem::replace(&mut letters.pool, Pool::new(Signature::default()));
        let values = Values {
            letters,
            valued: carried.valued,
            usual: Observation::new(usual),
            strict: Observation::new(strict),
            moments,
            steps: FxHashMap::default(),
            layouts: FxHashMap::default(),
            stores: Interner::default(),
            completions: FxHashMap::default(),
            removed: FxHashMap::default(),
            has_conditions: false,
            undecided: false,
            bytes: 0,
        };
        Some((values, pool, term))
    }

    /// The letters and stores, with the pool of the search.
    pub(crate) fn learned(mut self, pool: Pool) -> Learned {
        self.letters.pool = pool;
        let Values { letters, valued, stores, layouts, has_conditions, .. } = self;
        Learned { letters, valued: valued.clone(), stores, layouts, has_conditions }
    }

    /// The message that that of a letter stands for.
    pub(crate) fn plain(&self, message: MessageId) -> MessageId {
        plain(&self.letters, self.valued, message)
    }

    /// Removes the actions of some lifelines, but for those with a guard on one of them.
    pub(crate) fn remove(
        &mut self,
        pool: &mut Pool,
        memo: &mut Memo,
        term: TermId,
        lifelines: RegionId,
    ) -> TermId {
        let gone = pool.region(lifelines);
        let Values { letters, valued, removed, has_conditions, .. } = self;
        let done = removed.entry(lifelines).or_default();
        let untouched = |pool: &Pool, term| pool.lifelines(term).is_disjoint(&gone).then_some(term);
        fold(pool, term, done, untouched, |pool, term, operands| {
            let Some(event) = pool.node(term).as_event() else {
                return simplify::rebuild(pool, term, operands);
            };
            let message = pool.event_actions(event).first().map(|&it| pool.action(it).message);
            let letter = message.and_then(|message| letters.letter_with(message));
            let is_guarded = letter.is_some_and(|letter| {
                let parts = valued.parts(letters.letter(letter).leaf).iter();
                let mut own = parts.filter(|part| gone.contains(part.action.lifeline));
                own.any(|part| !part.guard.is_empty())
            });
            *has_conditions |= is_guarded;
            if is_guarded { term } else { algebra::remove(pool, memo, term, lifelines) }
        })
    }

    /// The memory of all tables, roughly.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The letters, together with their pool.
    fn with_letters<T>(&mut self, pool: &mut Pool, act: impl FnOnce(&mut Letters) -> T) -> T {
        std::mem::swap(pool, &mut self.letters.pool);
        let result = act(&mut self.letters);
        std::mem::swap(pool, &mut self.letters.pool);
        result
    }

    /// The store of a root.
    pub(crate) fn root(&mut self, pool: &mut Pool, term: TermId) -> StoreId {
        let layout = self.layout(pool, term);
        let mut memory = Memory::new(self.valued, self.moments.len());
        for _ in &layout.instances {
            memory.open();
        }
        memory.registers.extend(layout.lists.iter().map(|_| Register::Set(Vec::new())));
        let strict = Some(memory.clone());
        self.intern(Store { memory, strict })
    }

    fn intern(&mut self, store: Store) -> StoreId {
        let before = self.stores.items.len();
        let Store { memory, strict } = &store;
        let size = memory.bytes() + strict.as_ref().map_or(0, Memory::bytes);
        let id = self.stores.intern(store);
        if self.stores.items.len() > before {
            self.bytes += 2 * size;
        }
        id
    }

    /// The variables of a term, in the order of their first occurrence.
    fn layout(&mut self, pool: &mut Pool, term: TermId) -> Rc<Layout> {
        if let Some(known) = self.layouts.get(&term) {
            return Rc::clone(known);
        }
        let mut layout = Layout::default();
        let mut seen = FxHashSet::default();
        let mut pending = vec![term];
        while let Some(at) = pending.pop() {
            if !seen.insert(at) {
                continue;
            }
            let node = pool.node(at);
            let Term::Event(event) = node else {
                pending.extend(node.operands().rev());
                continue;
            };
            let (instances, lists) = self.with_letters(pool, |letters| {
                let Some(letter) = letters.letter_of(event) else { return Default::default() };
                let leaf = letters.letter(letter).leaf;
                let variables = letters.variables(leaf).to_vec();
                let instances: Vec<InstanceId> =
                    variables.iter().filter_map(|&x| letters.argument(letter, x)).collect();
                (instances, letters.lists(letter))
            });
            for instance in instances {
                if !layout.instances.contains(&instance) {
                    layout.instances.push(instance);
                }
            }
            for list in lists {
                if !layout.lists.contains(&list) {
                    layout.lists.push(list);
                }
            }
        }
        let layout = Rc::new(layout);
        self.layouts.insert(term, Rc::clone(&layout));
        layout
    }

    /// The steps of a term, in the order of positions.
    pub(crate) fn steps(
        &mut self,
        pool: &mut Pool,
        frontiers: &mut Frontiers,
        term: TermId,
    ) -> Rc<[Taken]> {
        if let Some(known) = self.steps.get(&term) {
            return Rc::clone(known);
        }
        let before = self.layout(pool, term);
        let steps = frontiers.steps(pool, term);
        let taken = steps.iter().filter_map(|step| self.taken(pool, &before, step));
        let taken: Rc<[Taken]> = taken.collect();
        self.steps.insert(term, Rc::clone(&taken));
        taken
    }

    /// A step, with the iterations that it begins.
    fn taken(&mut self, pool: &mut Pool, before: &Layout, step: &Step) -> Option<Taken> {
        let entered = |letters: &mut Letters| letters.enter(step.event, step.follow_up);
        let (letter, follow_up) = self.with_letters(pool, entered)?;
        // The event with its instances; a part of a synchronous one has none.
        let ground = self.with_letters(pool, |letters| letters.event(letter));
        let is_whole = pool.event_lifelines(ground) == pool.event_lifelines(step.event);
        let event = if is_whole { ground } else { step.event };
        let after = self.layout(pool, follow_up);
        let leaf = self.letters.letter(letter).leaf;
        let variables = self.letters.variables(leaf).to_vec();
        let used: Option<Vec<InstanceId>> =
            variables.iter().map(|&x| self.letters.argument(letter, x)).collect();
        let used = used?;
        let mut opened: Vec<InstanceId> = Vec::new();
        for &instance in used.iter().chain(&after.instances) {
            if before.slot(instance).is_none() && !opened.contains(&instance) {
                opened.push(instance);
            }
        }
        // The lists of new iterations, and of loops that stand in them.
        let mut lists: Vec<Rivals> = Vec::new();
        let rivals = opened.iter().filter_map(|&instance| self.letters.rivals(instance));
        for list in rivals.chain(after.lists.iter().copied()) {
            if before.list(list).is_none() && !lists.contains(&list) {
                lists.push(list);
            }
        }
        let number = |at: usize| u16::try_from(at).unwrap_or(u16::MAX);
        let variable = |instance: InstanceId| {
            let at = || opened.iter().position(|&own| own == instance);
            before.slot(instance).or_else(|| Some(Var::Opened(number(at()?))))
        };
        let list = |list: Rivals| {
            let at = || lists.iter().position(|&own| own == list);
            before.list(list).or_else(|| Some(Var::Opened(number(opened.len() + at()?))))
        };
        let inserts = opened.iter().filter_map(|&instance| {
            let rivals = self.letters.rivals(instance)?;
            Some((list(rivals)?, variable(instance)?))
        });
        let moves = after.instances.iter().map(|&instance| variable(instance));
        let moves = moves.chain(after.lists.iter().map(|&own| list(own)));
        Some(Taken {
            step: Step { event, follow_up, ..*step },
            leaf,
            arguments: used.iter().map(|&instance| variable(instance)).collect::<Option<_>>()?,
            opened: opened.len() + lists.len(),
            opened_sets: (opened.len()..opened.len() + lists.len()).map(number).collect(),
            inserts: inserts.collect(),
            moves: moves.collect::<Option<_>>()?,
        })
    }

    /// The store after a step that these components observe as their next moment; `None` if its guards cannot hold.
    /// [`Store::strict`] is lost if some component does not observe it.
    pub(crate) fn fire(
        &mut self,
        (store, consumed): (StoreId, &[u32]),
        taken: &Taken,
        observers: &[ComponentId],
    ) -> Option<StoreId> {
        let parts = self.valued.parts(taken.leaf);
        let partition = self.usual.problem.trace.partition();
        let mut ends: SmallVec<[(usize, Moment); 2]> = SmallVec::new();
        for part in parts {
            let component = partition.component_of(part.action.lifeline);
            let at = component.index();
            if ends.iter().any(|(known, _)| *known == at) {
                continue;
            }
            let moment = observers.contains(&component).then(|| {
                let starts = &self.moments[at];
                let number = consumed[at] as usize;
                let end = || self.usual.problem.trace.steps(component).len();
                let to = starts.get(number + 1).copied().unwrap_or_else(end);
                (starts.get(number).copied().unwrap_or(to), to)
            });
            ends.push((at, moment));
        }
        let usage = Usage {
            parts,
            variables: self.letters.variables(taken.leaf),
            arguments: &taken.arguments,
            opened: taken.opened,
            opened_sets: &taken.opened_sets,
            inserts: &taken.inserts,
            moves: &taken.moves,
        };
        let Store { mut memory, strict } = self.stores.items[store].clone();
        if !self.usual.test(&mut memory, consumed, &usage, &ends) {
            return None;
        }
        let mut undecided = false;
        let mut settles = |memory: &mut Memory| {
            let settled = memory.settle();
            undecided |= settled.is_none();
            settled == Some(true)
        };
        let holds = settles(&mut memory);
        let is_seen = ends.iter().all(|(_, moment)| moment.is_some());
        let strict = strict.filter(|_| holds && is_seen).and_then(|mut strict| {
            let holds = self.strict.test(&mut strict, consumed, &usage, &ends);
            (holds && settles(&mut strict)).then_some(strict)
        });
        self.undecided |= undecided;
        holds.then(|| self.intern(Store { memory, strict }))
    }

    /// Whether nothing that was not logged has been compared.
    pub(crate) fn is_strict(&self, store: StoreId) -> bool {
        self.stores.items[store].strict.is_some()
    }

    /// Whether the interaction of a node whose logs are consumed can end, with unobserved events; `None` if that is unknown.
    pub(crate) fn completes(
        &mut self,
        pool: &mut Pool,
        frontiers: &mut Frontiers,
        state: &SearchState,
        is_cancelled: impl Fn() -> bool,
    ) -> Option<bool> {
        let root = (state.term, state.store);
        if let Some(&known) = self.completions.get(&root) {
            return known;
        }
        let mut seen = FxHashSet::from_iter([root]);
        let mut pending = vec![root];
        let mut found = Some(false);
        while let Some((term, store)) = pending.pop() {
            if pool.attributes(term).terminates {
                found = Some(true);
                break;
            }
            if seen.len() > COMPLETION || is_cancelled() {
                found = None;
                break;
            }
            let steps = self.steps(pool, frontiers, term);
            for taken in steps.iter().rev().filter(|taken| taken.step.loop_depth == 0) {
                if let Some(store) = self.fire((store, &state.consumed), taken, &[]) {
                    let next = (taken.step.follow_up, store);
                    if seen.insert(next) {
                        pending.push(next);
                    }
                }
            }
        }
        self.undecided |= found.is_none();
        self.completions.insert(root, found);
        found
    }
}
