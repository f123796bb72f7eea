//! How far an explanation gets: the situations in which most is consumed, and what would have been
//! possible there.
//!
//! The engine says how much can be consumed, but not what is left of the interaction then. So the
//! multi-trace is cut there, the engine gives a witness for what remains, and that is replayed on
//! the term. From a few steps before its end, all continuations are searched for others that get
//! as far. Of a multi-trace none of whose logs may miss something, a situation here is one of a
//! global prefix: nothing has happened in it that was not observed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use otus_core::algebra::{project, prune, simplify};
use otus_core::index::Index as _;
use otus_core::semantics::{Frontiers, PositionId, Step};
use otus_core::{ActionId, EventId, Pool, Term, TermId};
use otus_trace::ComponentId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::checker::{Checker, declared, stops_early};
use super::letters::{Letter, Letters, Logs};
use super::{Options, length};
use crate::engine::{self, Engine};
use crate::question::{Observed, Question};
use crate::refute::Situation;
use crate::verdict::Verdict;
use crate::witness::{Witness, WitnessStep};

/// The furthest situations.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frontier {
    /// Up to three of them, different in what is consumed or in what is left to happen.
    pub states: Vec<Reached>,
    /// How many moments are consumed in each of them, of all components together.
    pub consumed: usize,
    /// Whether it is known that nothing gets further: all situations were looked at. Of a long
    /// multi-trace only those near where the engine gets stuck are.
    pub is_furthest: bool,
}

/// A situation from which no explanation goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reached {
    /// What is left of the interaction.
    pub term: TermId,
    /// By component.
    pub components: Vec<Progress>,
    /// Choices on the way here that were not made on the way to all others, in order, three at
    /// most.
    pub choices: Vec<Choice>,
}

/// How far a component has got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// Which.
    pub component: ComponentId,
    /// How many of its moments are consumed.
    pub consumed: usize,
    /// Of how many.
    pub total: usize,
    /// The actions of its next moment, if there is one.
    pub next: Option<Box<[ActionId]>>,
    /// What the interaction has next for it: first what can happen at once, then what waits for
    /// other components. Sixteen at most.
    pub expected: Vec<Expected>,
    /// Whether the interaction can go on to its end without it, as far as that is known.
    pub may_end: bool,
}

/// Something that could have happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// What the component would have seen of it.
    pub moment: Box<[ActionId]>,
    /// Where it stands in the interaction: the term of the whole event, which is one of those that
    /// the specification was lowered to.
    pub term: TermId,
    /// In how many places of the interaction such an event stands. If there are several, the term
    /// is that of all of them.
    pub places: u64,
    /// The smallest part of the interaction around it that stands in one place only, where that is
    /// known. Nothing in it has happened yet.
    pub within: Option<TermId>,
    /// Whether it could have happened at once; else others must do something first.
    pub now: bool,
}

/// A choice on the way to a situation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Choice {
    /// The alternative or loop, as it stood there.
    pub at: TermId,
    /// What was done.
    pub taken: Taken,
}

/// What a choice chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Taken {
    /// This operand of an alternative.
    Branch(TermId),
    /// Once more into a loop with this body.
    Entered(TermId),
    /// Not into the loop any more, where others went into it.
    Left,
}

/// How many states the engine may make to say how far it gets.
const ATTEMPT: u64 = 1000;
/// How many terms are looked at for all components together.
const PROJECTED: usize = 5_000_000;
/// How many things are listed as expected.
const LISTED: usize = 16;
/// How many situations and choices are listed.
const STATES: usize = 3;

/// The furthest situations of a multi-trace that fails.
pub(super) fn frontier(
    checker: &mut Checker<'_>,
    letters: &Letters,
    logs: &Logs,
    question: &Question,
    options: &Options,
) -> Frontier {
    let declared = declared(question, logs.len());
    let global = *question == Question::GlobalPrefix
        || declared.iter().all(|&observed| observed == Observed::Complete);
    let mut walker = Walker::new(letters, logs, declared, global);
    let root = simplify(checker.pool, checker.term);
    let base = base(checker, &mut walker, root, question, options);
    let start =
        base.unwrap_or_else(|| Situation { term: root, consumed: vec![0; logs.len()].into() });
    let from_start = total(&start.consumed) == 0 && start.term == root;
    let (ends, all_seen) = search(checker, &mut walker, &start);
    let consumed = ends.first().map_or(0, |end| total(&end.situation.consumed));
    let choices = separate(&ends);
    let terms = count_terms(checker.pool, root);
    let states = ends.iter().zip(choices).map(|(end, choices)| Reached {
        components: walker.progress(checker.pool, &end.situation, &terms),
        term: end.situation.term,
        choices,
    });
    Frontier { states: states.collect(), consumed, is_furthest: from_start && all_seen }
}

/// A furthest situation a few steps before its end, as the engine knows it.
fn base(
    checker: &mut Checker<'_>,
    walker: &mut Walker<'_>,
    root: TermId,
    question: &Question,
    options: &Options,
) -> Option<Situation> {
    let (letters, logs) = (walker.letters, walker.logs);
    let trace = letters.trace(logs);
    if !checker.affords_steps(trace.len()) {
        return None;
    }
    let mut budget = checker.budget(trace.len())?;
    // Without looking ahead it may take long to find out, and this is not worth it.
    budget.max_states = budget.max_states.map(|most| most.min(ATTEMPT + 4 * trace.len() as u64));
    // An engine that says how far the logs get together, and not what each of them does alone.
    let plain = engine::Options { look_ahead: false, solver: false, ..engine::Options::default() };
    let mut engine = Engine::new(checker.pool, checker.term, &letters.partition, plain);
    let whole = if walker.global { Question::GlobalPrefix } else { question.clone() };
    checker.questions += 2;
    checker.work += 2 * trace.len() as u64;
    let outcome = engine.analyze_up_to(Verdict::WeakPass, &trace, &whole, &budget);
    let cut: Vec<usize> = match outcome.verdict {
        Verdict::Pass | Verdict::WeakPass => logs.iter().map(|log| log.len()).collect(),
        Verdict::Fail => {
            let furthest = outcome.furthest?;
            (0..logs.len()).map(|at| moments(letters, &logs[at], furthest[at])).collect()
        }
        Verdict::WeakFail | Verdict::Inconclusive => return None,
    };
    let shorter: Logs = logs.iter().zip(&cut).map(|(log, &at)| log[..at].into()).collect();
    let trace = letters.trace(&shorter);
    let question = if walker.global {
        Question::GlobalPrefix
    } else {
        Question::Each(walker.declared.iter().map(|&observed| stops_early(observed)).collect())
    };
    let budget = checker.budget(trace.len())?;
    let verdict = engine.analyze_up_to(Verdict::WeakPass, &trace, &question, &budget).verdict;
    let witness =
        engine.witness(checker.pool, checker.term, &trace, &question, verdict, &budget)?;
    walker.replay(checker.pool, root, &witness, options.window * 2)
}

/// How many moments so many actions are.
pub(super) fn moments(letters: &Letters, log: &[Letter], actions: u32) -> usize {
    let mut left = actions as usize;
    let fits = |letter: &&Letter| {
        let size = letters.actions(**letter).len();
        let fits = size <= left;
        left = left.saturating_sub(size);
        fits
    };
    log.iter().take_while(fits).count()
}

/// What a search has reached.
struct Node {
    situation: Situation,
    /// Where from, and by which step.
    parent: Option<(usize, PositionId)>,
}

/// A situation at the end of a search.
struct End {
    situation: Situation,
    choices: Vec<Choice>,
}

/// The situations with most consumed that can be reached, and whether all were looked at.
fn search(
    checker: &mut Checker<'_>,
    walker: &mut Walker<'_>,
    start: &Situation,
) -> (Vec<End>, bool) {
    let mut nodes = vec![Node { situation: start.clone(), parent: None }];
    let mut met = FxHashSet::default();
    met.insert(start.clone());
    // Most consumed first; of these what saw the fewest unseen events; then in order.
    let mut queue = BinaryHeap::from([(total(&start.consumed), Reverse(0u32), Reverse(0))]);
    let mut best: (usize, Reverse<u32>) = (0, Reverse(u32::MAX));
    let mut found: Vec<usize> = Vec::new();
    let most = checker.most_situations();
    let mut looked_at = 0;
    let mut all_seen = true;
    while let Some((consumed, unseen, Reverse(at))) = queue.pop() {
        if (consumed, unseen) > best {
            (best, found) = ((consumed, unseen), Vec::new());
        }
        if (consumed, unseen) == best {
            found.push(at);
        }
        looked_at += 1;
        if looked_at > most {
            all_seen = false;
            break;
        }
        let situation = nodes[at].situation.clone();
        for next in walker.moves(checker.pool, &situation) {
            if met.insert(next.situation.clone()) {
                let unseen = Reverse(unseen.0 + u32::from(!next.is_seen));
                let consumed = total(&next.situation.consumed);
                queue.push((consumed, unseen, Reverse(nodes.len())));
                let parent = Some((at, next.step.position));
                nodes.push(Node { situation: next.situation, parent });
            }
        }
    }
    // Different in what is consumed first, then in what is left.
    let mut chosen: Vec<usize> = Vec::new();
    for distinct in [true, false] {
        for &at in &found {
            let same = |&other: &usize| {
                other == at
                    || distinct && nodes[other].situation.consumed == nodes[at].situation.consumed
            };
            if chosen.len() < STATES && !chosen.iter().any(same) {
                chosen.push(at);
            }
        }
    }
    let ends = chosen.into_iter().map(|at| {
        let mut choices = Vec::new();
        let mut way = at;
        while let Some((parent, position)) = nodes[way].parent {
            let positions = &walker.frontiers.positions;
            let letters = positions.letters(position);
            let made = choices_at(checker.pool, nodes[parent].situation.term, letters);
            choices.extend(made.into_iter().rev());
            way = parent;
        }
        choices.reverse();
        End { situation: nodes[at].situation.clone(), choices }
    });
    (ends.collect(), all_seen)
}

/// The alternatives and loops that a step goes into.
fn choices_at(pool: &Pool, term: TermId, position: impl Iterator<Item = u8>) -> Vec<Choice> {
    let mut choices = Vec::new();
    let mut at = term;
    for letter in position {
        let node = pool.node(at);
        let mut operands = node.operands();
        let operand = if letter == 1 { operands.next() } else { operands.next_back() };
        let Some(operand) = operand else { break };
        match node {
            Term::Alt(..) => choices.push(Choice { at, taken: Taken::Branch(operand) }),
            Term::LoopS(_) | Term::LoopC(..) => {
                choices.push(Choice { at, taken: Taken::Entered(operand) });
            }
            Term::Empty | Term::Event(_) | Term::Strict(..) | Term::Coreg(..) => {}
        }
        at = operand;
    }
    choices
}

/// By situation: the choices that were not made for all of them.
fn separate(ends: &[End]) -> Vec<Vec<Choice>> {
    let counts: Vec<FxHashMap<Choice, usize>> = ends
        .iter()
        .map(|end| {
            let mut counts = FxHashMap::default();
            for &choice in &end.choices {
                *counts.entry(choice).or_insert(0) += 1;
            }
            counts
        })
        .collect();
    let times = |of: usize, choice: Choice| counts[of].get(&choice).copied().unwrap_or(0);
    let separated = |of: usize| {
        let mut own = Vec::new();
        let mut so_far: FxHashMap<Choice, usize> = FxHashMap::default();
        for &choice in &ends[of].choices {
            let made = so_far.entry(choice).or_insert(0);
            *made += 1;
            let common = (0..ends.len()).map(|other| times(other, choice)).min().unwrap_or(0);
            if *made > common {
                own.push(choice);
            }
        }
        // Loops that others went into once more.
        for (other, end) in ends.iter().enumerate() {
            for &choice in &end.choices {
                let left = Choice { at: choice.at, taken: Taken::Left };
                let more = matches!(choice.taken, Taken::Entered(_))
                    && times(other, choice) > times(of, choice);
                if more && !own.contains(&left) {
                    own.push(left);
                }
            }
        }
        own.truncate(STATES);
        own
    };
    (0..ends.len()).map(separated).collect()
}

/// How often each sub-term stands in a term, as a tree.
pub(super) fn count_terms(pool: &Pool, root: TermId) -> FxHashMap<TermId, u64> {
    // Parents before operands.
    let (mut order, mut met, mut stack) = (Vec::new(), FxHashSet::default(), vec![(root, false)]);
    while let Some((term, done)) = stack.pop() {
        if done {
            order.push(term);
        } else if met.insert(term) {
            stack.push((term, true));
            stack.extend(pool.node(term).operands().map(|operand| (operand, false)));
        }
    }
    let mut times: FxHashMap<TermId, u64> = FxHashMap::default();
    times.insert(root, 1);
    for &term in order.iter().rev() {
        let own = times.get(&term).copied().unwrap_or(0);
        for operand in pool.node(term).operands() {
            let known = times.entry(operand).or_insert(0);
            *known = known.saturating_add(own);
        }
    }
    times
}

fn total(consumed: &[u32]) -> usize {
    consumed.iter().map(|&own| own as usize).sum()
}

/// A step from a situation.
struct Move {
    step: Step,
    is_seen: bool,
    situation: Situation,
}

/// What may happen next, on terms.
struct Walker<'l> {
    letters: &'l Letters,
    logs: &'l Logs,
    declared: Vec<Observed>,
    global: bool,
    frontiers: Frontiers,
    parts: FxHashMap<EventId, Vec<(usize, Option<Letter>)>>,
}

impl<'l> Walker<'l> {
    fn new(letters: &'l Letters, logs: &'l Logs, declared: Vec<Observed>, global: bool) -> Self {
        let (frontiers, parts) = (Frontiers::default(), FxHashMap::default());
        Walker { letters, logs, declared, global, frontiers, parts }
    }

    /// How many moments of a component are to be explained.
    fn length(&self, component: usize) -> usize {
        length(&self.logs[component], self.declared[component])
    }

    fn next(&self, consumed: &[u32], component: usize) -> Option<Letter> {
        let at = consumed[component] as usize;
        self.logs[component][..self.length(component)].get(at).copied()
    }

    /// Whether what happens on a component now is outside its period of observation.
    fn is_outside(&self, consumed: &[u32], component: usize) -> bool {
        let declared = self.declared[component];
        let at = consumed[component] as usize;
        !self.global
            && (declared.may_start_late() && at == 0
                || declared.may_stop_early() && at >= self.length(component))
    }

    fn parts(&mut self, pool: &Pool, event: EventId) -> Vec<(usize, Option<Letter>)> {
        let letters = self.letters;
        let parts = self.parts.entry(event).or_insert_with(|| {
            let touched = letters.touched(pool, event).into_iter();
            touched.map(|at| (at, letters.part(pool, event, at))).collect()
        });
        parts.clone()
    }

    /// All that may be next. Where an event can be observed by some of the components that see it
    /// and is outside the observation of others, all of that is tried.
    fn moves(&mut self, pool: &mut Pool, now: &Situation) -> Vec<Move> {
        let mut moves = Vec::new();
        let steps = self.frontiers.steps(pool, now.term);
        for &step in steps.iter() {
            let mut choices: Vec<Vec<usize>> = vec![Vec::new()];
            for (at, letter) in self.parts(pool, step.event) {
                let sees = letter.is_some() && self.next(&now.consumed, at) == letter;
                let with = choices.iter().filter(|_| sees);
                let mut longer: Vec<Vec<usize>> =
                    with.map(|chosen| [chosen.as_slice(), &[at]].concat()).collect();
                let without = self.is_outside(&now.consumed, at);
                longer.extend(choices.into_iter().filter(|_| without));
                choices = longer;
            }
            for seen in choices {
                let mut consumed = now.consumed.clone();
                for &at in &seen {
                    consumed[at] += 1;
                }
                let situation = Situation { term: step.follow_up, consumed };
                moves.push(Move { step, is_seen: !seen.is_empty(), situation });
            }
        }
        moves
    }

    /// The situation some steps before the last observed event of a witness.
    fn replay(
        &mut self,
        pool: &mut Pool,
        root: TermId,
        witness: &Witness,
        before: usize,
    ) -> Option<Situation> {
        let observed = |step: &WitnessStep| matches!(step, WitnessStep::Observed(_));
        let end = witness.steps.iter().rposition(observed).map_or(0, |last| last + 1);
        let mut now = Situation { term: root, consumed: vec![0; self.logs.len()].into() };
        for step in &witness.steps[..end.saturating_sub(before)] {
            let place = match step {
                WitnessStep::Observed(place) | WitnessStep::Unobserved(place) => place,
                WitnessStep::Removed(_) => return None,
            };
            let steps = self.frontiers.steps(pool, now.term);
            let positions = &self.frontiers.positions;
            let same = |step: &&Step| {
                step.event == place.event
                    && positions.letters(step.position).eq(place.position.iter().copied())
            };
            now.term = steps.iter().find(same)?.follow_up;
            for (at, _) in self.parts(pool, place.event) {
                let lifelines = self.letters.partition.lifelines(ComponentId::new(at)).iter();
                let mut lifelines = lifelines;
                if lifelines.any(|&lifeline| pool.region_contains(place.observed, lifeline)) {
                    now.consumed[at] += 1;
                }
            }
        }
        Some(now)
    }

    /// How far each component has got, and what it could do, given how often each term stands in the
    /// interaction.
    fn progress(
        &mut self,
        pool: &mut Pool,
        now: &Situation,
        terms: &FxHashMap<TermId, u64>,
    ) -> Vec<Progress> {
        let steps = self.frontiers.steps(pool, now.term);
        let left = count_terms(pool, now.term);
        // What each component sees of the whole is not asked if there are too many of both.
        let few = left.len().saturating_mul(self.logs.len()) <= PROJECTED;
        let mut progress = Vec::new();
        for component in self.letters.partition.components() {
            let at = component.index();
            let mut possible: Vec<(Letter, Option<Step>)> = Vec::new();
            for &step in steps.iter() {
                let part = self.parts(pool, step.event).into_iter().find(|&(own, _)| own == at);
                let letter = part.and_then(|(_, letter)| letter);
                possible.extend(letter.map(|letter| (letter, Some(step))));
            }
            let own = pool.intern_region(&self.letters.partition.set(component));
            if few {
                let local = project(pool, &mut self.frontiers.memo, now.term, own);
                for step in self.frontiers.steps(pool, local).iter() {
                    possible.extend(self.letters.part(pool, step.event, at).map(|it| (it, None)));
                }
            }
            // What can happen at once, then what cannot; each by its letter.
            possible.sort_by_key(|&(letter, step)| (step.is_none(), letter));
            let mut listed = FxHashSet::default();
            possible.retain(|&(letter, _)| listed.insert(letter));
            possible.truncate(LISTED);
            let mut expected = Vec::new();
            for (letter, step) in possible {
                let known = self.letters.events(at, letter);
                let still = |event: &&EventId| left.contains_key(&pool.event(**event));
                let event = step.map(|step| step.event).or(known.iter().find(still).copied());
                let Some(event) = event.or(known.first().copied()) else { continue };
                let mut one = expectation(pool, self.letters, letter, event, terms);
                if let Some(step) = step {
                    one.now = true;
                    let letters = self.frontiers.positions.letters(step.position);
                    one.within = around(pool, now.term, letters, terms);
                }
                expected.push(one);
            }
            progress.push(Progress {
                component,
                consumed: now.consumed[at] as usize,
                total: self.length(at),
                next: self
                    .next(&now.consumed, at)
                    .map(|letter| self.letters.actions(letter).into()),
                expected,
                may_end: !few || prune(pool, &mut self.frontiers.memo, now.term, own).is_some(),
            });
        }
        progress
    }
}

/// The smallest term around a position that stands only once in the interaction.
fn around(
    pool: &Pool,
    term: TermId,
    position: impl Iterator<Item = u8>,
    terms: &FxHashMap<TermId, u64>,
) -> Option<TermId> {
    let mut at = term;
    let mut way = vec![at];
    for letter in position {
        let mut operands = pool.node(at).operands();
        at = if letter == 1 { operands.next()? } else { operands.next_back()? };
        way.push(at);
    }
    way.into_iter().rev().find(|term| terms.get(term) == Some(&1))
}

/// An event that a component could have seen as a letter.
pub(super) fn expectation(
    pool: &mut Pool,
    letters: &Letters,
    letter: Letter,
    event: EventId,
    terms: &FxHashMap<TermId, u64>,
) -> Expected {
    let term = pool.event(event);
    Expected {
        moment: letters.actions(letter).into(),
        term,
        places: terms.get(&term).copied().unwrap_or(0),
        within: None,
        now: false,
    }
}
