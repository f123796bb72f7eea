//! The frontier of a failure: the situations in which the most moments are consumed, and what would
//! have been possible there.
//!
//! The engine says how much can be consumed, but not which interaction is left then. So the
//! multi-trace is cut there, the engine gives a witness for the rest, and the witness is replayed
//! on the term. From a few steps before its end, all continuations are searched for others that get
//! as far. If all logs are complete, only global prefixes count as situations: no unobserved event
//! has happened in them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use otus_core::algebra::{project, prune, simplify};
use otus_core::index::Index as _;
use otus_core::semantics::{Frontiers, PositionId, Step, execute};
use otus_core::{ActionId, EventId, Pool, Term, TermId};
use otus_trace::ComponentId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Case;
use super::checker::{Checker, stops_early};
use super::letters::{Letter, Letters, Logs};
use crate::engine::{self, Engine};
use crate::observation::observers;
use crate::question::{Observed, Question};
use crate::refute::{Move, Situation};
use crate::verdict::Verdict;
use crate::witness::{Witness, WitnessStep};

/// The furthest situations.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frontier {
    /// Up to three situations that differ in the consumed moments or in the interaction that is
    /// left.
    pub states: Vec<Reached>,
    /// The number of consumed moments of all components together, the same in each situation.
    pub consumed: usize,
    /// Whether nothing gets further: all situations were visited. For a long multi-trace only those
    /// near the place where the engine gets stuck are visited.
    pub is_furthest: bool,
}

/// A furthest situation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reached {
    /// The interaction that is left.
    pub term: TermId,
    /// The progress of each component.
    pub components: Vec<Progress>,
    /// The choices on the way here that were not made on the way to all other situations, in order,
    /// at most three.
    pub choices: Vec<Choice>,
}

/// The progress of a component in a situation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// The component.
    pub component: ComponentId,
    /// The number of consumed moments of the component.
    pub consumed: usize,
    /// The number of all moments of the component.
    pub total: usize,
    /// The actions of the next observed moment of the component, if there is one.
    pub next: Option<Box<[ActionId]>>,
    /// The next events of the interaction on it: first those that can happen at once, then those
    /// that wait for other components. At most sixteen.
    pub expected: Vec<Expected>,
    /// Whether the interaction can terminate without another event on this component, as far as
    /// that is known.
    pub may_end: bool,
}

/// An event that could have happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// The actions that the component would have observed.
    pub moment: Box<[ActionId]>,
    /// The term of the whole event, which is one of those that the specification was lowered to.
    pub term: TermId,
    /// The number of places of the interaction with such an event. If there are several, they all
    /// have the same term.
    pub places: u64,
    /// The smallest subterm around it that occurs only once in the interaction, if known. Nothing
    /// in it has happened yet.
    pub within: Option<TermId>,
    /// Whether the event could have happened at once; otherwise other components must do something
    /// first.
    pub now: bool,
}

/// A choice on the way to a situation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Choice {
    /// The alternative or loop in the interaction that was left then.
    pub at: TermId,
    /// The choice that was made.
    pub taken: Taken,
}

/// The outcomes of a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Taken {
    /// This operand of an alternative was chosen.
    Branch(TermId),
    /// Another iteration of a loop with this body.
    Entered(TermId),
    /// No further iteration of a loop, while another situation has had a further iteration.
    Left,
}

/// The maximum number of states that the engine visits to find out how far it gets.
const ATTEMPT: u64 = 1000;
/// The maximum number of terms that are visited for all components together.
const PROJECTED: usize = 5_000_000;
/// Events are listed only if the steps of this number of situations are affordable.
const SITUATIONS: usize = 10;
/// The maximum number of expected events that are listed.
const LISTED: usize = 16;
/// The maximum number of situations and choices that are listed.
const STATES: usize = 3;

/// The furthest situations of a multi-trace that fails.
pub(super) fn frontier(checker: &mut Checker<'_>, case: &Case<'_>) -> Frontier {
    let global = *case.question == Question::GlobalPrefix
        || case.declared.iter().all(|&observed| observed == Observed::Complete);
    let (frontiers, parts) = (Frontiers::default(), FxHashMap::default());
    let mut walker = Walker { case, global, frontiers, parts };
    let root = simplify(checker.pool, checker.term);
    let start = base(checker, &mut walker, root).unwrap_or_else(|| walker.start(root));
    let from_start = total(&start.consumed) == 0 && start.term == root;
    let (ends, all_seen) = search(checker, &mut walker, &start);
    let consumed = ends.first().map_or(0, |end| total(&end.situation.consumed));
    let choices = separate(&ends);
    let terms = count_terms(checker.pool, root);
    let states = ends.iter().zip(choices).map(|(end, choices)| Reached {
        components: walker.progress(checker, &end.situation, &terms),
        term: end.situation.term,
        choices,
    });
    Frontier { states: states.collect(), consumed, is_furthest: from_start && all_seen }
}

/// The situation a few steps before the furthest one that the engine reaches.
fn base(checker: &mut Checker<'_>, walker: &mut Walker<'_>, root: TermId) -> Option<Situation> {
    let Case { letters, logs, question, ref declared } = *walker.case;
    let trace = letters.trace(logs);
    if !checker.affords_steps(trace.len()) {
        return None;
    }
    let mut budget = checker.budget(trace.len())?;
    // Without look-ahead the engine may take long, and the frontier is not worth that much time.
    budget.max_states = budget.max_states.map(|most| most.min(ATTEMPT + 4 * trace.len() as u64));
    // This engine reports how far the logs get together; look-ahead would stop at each log alone.
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
        Question::Each(declared.iter().map(|&observed| stops_early(observed)).collect())
    };
    let budget = checker.budget(trace.len())?;
    let verdict = engine.analyze_up_to(Verdict::WeakPass, &trace, &question, &budget).verdict;
    let witness =
        engine.witness(checker.pool, checker.term, &trace, &question, verdict, &budget)?;
    walker.replay(checker.pool, root, &witness, checker.options.window * 2)
}

/// The number of moments at the start of a log that have this number of actions.
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

struct Node {
    situation: Situation,
    /// The parent node, and the position of the step from it.
    parent: Option<(usize, PositionId)>,
}

/// A situation at the end of a search.
struct End {
    situation: Situation,
    choices: Vec<Choice>,
}

/// The reachable situations with the most consumed moments, and whether all were visited.
fn search(
    checker: &mut Checker<'_>,
    walker: &mut Walker<'_>,
    start: &Situation,
) -> (Vec<End>, bool) {
    let mut nodes = vec![Node { situation: start.clone(), parent: None }];
    let mut met = FxHashSet::default();
    met.insert(start.clone());
    // Ordered by most consumed, then fewest unobserved events, then age.
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
        if looked_at > most || checker.is_late() {
            all_seen = false;
            break;
        }
        let situation = nodes[at].situation.clone();
        for Move { step, observed, next } in walker.moves(checker.pool, &situation) {
            if met.insert(next.clone()) {
                let unseen = Reverse(unseen.0 + u32::from(observed.is_empty()));
                queue.push((total(&next.consumed), unseen, Reverse(nodes.len())));
                nodes.push(Node { situation: next, parent: Some((at, step.position)) });
            }
        }
    }
    // Prefer situations that differ in consumed moments, then those that differ in the term.
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

/// The alternatives and loops on the path of a step.
fn choices_at(pool: &Pool, term: TermId, position: impl Iterator<Item = u8>) -> Vec<Choice> {
    let way = path(pool, term, position);
    let choices = way.windows(2).filter_map(|pair| {
        let (at, operand) = (pair[0], pair[1]);
        let taken = match pool.node(at) {
            Term::Alt(..) => Taken::Branch(operand),
            Term::LoopS(_) | Term::LoopC(..) => Taken::Entered(operand),
            Term::Empty | Term::Event(_) | Term::Strict(..) | Term::Coreg(..) => return None,
        };
        Some(Choice { at, taken })
    });
    choices.collect()
}

/// The subterms on the way to a position.
fn path(pool: &Pool, term: TermId, position: impl Iterator<Item = u8>) -> Vec<TermId> {
    let mut way = vec![term];
    let mut at = term;
    for letter in position {
        let mut operands = pool.node(at).operands();
        let operand = if letter == 1 { operands.next() } else { operands.next_back() };
        let Some(operand) = operand else { break };
        way.push(operand);
        at = operand;
    }
    way
}

/// The subterms on the way to the first occurrence of a term; empty if it does not occur. `all` has the subterms.
fn first_of(pool: &Pool, root: TermId, term: TermId, all: &FxHashMap<TermId, u64>) -> Vec<TermId> {
    let mut order: Vec<TermId> = all.keys().copied().collect();
    // Operands have smaller numbers.
    order.sort_unstable();
    let mut containing = FxHashSet::from_iter([term]);
    for other in order {
        if pool.node(other).operands().any(|operand| containing.contains(&operand)) {
            containing.insert(other);
        }
    }
    let mut way = Vec::new();
    let mut next = Some(root).filter(|root| containing.contains(root));
    while let Some(at) = next {
        way.push(at);
        next = pool.node(at).operands().find(|operand| containing.contains(operand));
    }
    way
}

/// For each situation: the choices that were not made on the way to all situations.
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
        // Loops of which others had another iteration.
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

/// For each subterm of a term: the number of its occurrences in the term as a tree.
pub(super) fn count_terms(pool: &Pool, root: TermId) -> FxHashMap<TermId, u64> {
    // Operands have smaller numbers, so the largest one has no parent left.
    let mut pending = BTreeMap::from([(root, 1)]);
    let mut times: FxHashMap<TermId, u64> = FxHashMap::default();
    while let Some((term, own)) = pending.pop_last() {
        for operand in pool.node(term).operands() {
            let known: &mut u64 = pending.entry(operand).or_insert(0);
            *known = known.saturating_add(own);
        }
        times.insert(term, own);
    }
    times
}

fn total(consumed: &[u32]) -> usize {
    consumed.iter().map(|&own| own as usize).sum()
}

/// Walks along the step relation on terms and consumes the logs meanwhile.
struct Walker<'l> {
    case: &'l Case<'l>,
    global: bool,
    frontiers: Frontiers,
    parts: FxHashMap<EventId, Vec<(usize, Option<Letter>)>>,
}

impl Walker<'_> {
    fn start(&self, root: TermId) -> Situation {
        Situation { term: root, consumed: vec![0; self.case.logs.len()].into() }
    }

    fn next(&self, consumed: &[u32], component: usize) -> Option<Letter> {
        self.case.log(component).get(consumed[component] as usize).copied()
    }

    /// Whether events on a component are now outside its period of observation.
    fn is_outside(&self, consumed: &[u32], component: usize) -> bool {
        let declared = self.case.declared[component];
        !self.global
            && (declared.may_start_late() && consumed[component] == 0
                || declared.may_stop_early() && self.next(consumed, component).is_none())
    }

    fn parts(&mut self, pool: &Pool, event: EventId) -> Vec<(usize, Option<Letter>)> {
        let letters = self.case.letters;
        self.parts.entry(event).or_insert_with(|| letters.parts(pool, event)).clone()
    }

    /// The letter that a component observes of an event, if any.
    fn part(&mut self, pool: &Pool, event: EventId, component: usize) -> Option<Letter> {
        self.parts(pool, event).into_iter().find(|&(own, _)| own == component)?.1
    }

    /// All steps, with every choice of the components that observe the event, among those that can
    /// observe it and those for which it is outside the period of observation.
    fn moves(&mut self, pool: &mut Pool, now: &Situation) -> Vec<Move> {
        let mut moves = Vec::new();
        let steps = self.frontiers.steps(pool, now.term);
        for &step in steps.iter() {
            let parts = self.parts(pool, step.event);
            let seen = observers(parts.iter().map(|&(at, letter)| {
                let sees = letter.is_some() && self.next(&now.consumed, at) == letter;
                (at, sees, self.is_outside(&now.consumed, at))
            }));
            for observed in seen {
                let next = now.after(step.follow_up, &observed);
                moves.push(Move { step, observed, next });
            }
        }
        moves
    }

    /// The situation this many steps before the last observed event of a witness.
    fn replay(
        &mut self,
        pool: &mut Pool,
        root: TermId,
        witness: &Witness,
        before: usize,
    ) -> Option<Situation> {
        let observed = |step: &WitnessStep| matches!(step, WitnessStep::Observed(_));
        let end = witness.steps.iter().rposition(observed).map_or(0, |last| last + 1);
        let mut now = self.start(root);
        for step in &witness.steps[..end.saturating_sub(before)] {
            let place = step.event()?;
            let position = place.position.iter().copied();
            (_, now.term) = execute(pool, &mut self.frontiers.memo, now.term, position)?;
            for (at, _) in self.parts(pool, place.event) {
                let partition = &self.case.letters.partition;
                let mut lifelines = partition.lifelines(ComponentId::new(at)).iter();
                if lifelines.any(|&lifeline| pool.region_contains(place.observed, lifeline)) {
                    now.consumed[at] += 1;
                }
            }
        }
        Some(now)
    }

    /// The progress of each component in a situation. `terms` counts the occurrences of each
    /// subterm of the interaction.
    fn progress(
        &mut self,
        checker: &mut Checker<'_>,
        now: &Situation,
        terms: &FxHashMap<TermId, u64>,
    ) -> Vec<Progress> {
        let is_cheap = checker.affords_steps(SITUATIONS) && !checker.is_late();
        let pool = &mut *checker.pool;
        let steps = if is_cheap { self.frontiers.steps(pool, now.term) } else { [].into() };
        let left = count_terms(pool, now.term);
        // Projections are skipped if there are too many terms and components.
        let letters = self.case.letters;
        let few = is_cheap && left.len().saturating_mul(self.case.logs.len()) <= PROJECTED;
        let mut progress = Vec::new();
        for component in letters.partition.components() {
            let at = component.index();
            let mut possible: Vec<(Letter, Option<Step>)> = Vec::new();
            for &step in steps.iter() {
                possible.extend(self.part(pool, step.event, at).map(|it| (it, Some(step))));
            }
            let own = pool.intern_region(&letters.partition.set(component));
            if few {
                let local = project(pool, &mut self.frontiers.memo, now.term, own);
                for step in self.frontiers.steps(pool, local).iter() {
                    possible.extend(self.part(pool, step.event, at).map(|it| (it, None)));
                }
            }
            // Events that can happen at once come first, then by letter.
            possible.sort_by_key(|&(letter, step)| (step.is_none(), letter));
            let mut listed = FxHashSet::default();
            possible.retain(|&(letter, _)| listed.insert(letter));
            possible.truncate(LISTED);
            let mut expected = Vec::new();
            for (letter, step) in possible {
                let known = letters.events(at, letter);
                let still = |event: &&EventId| left.contains_key(&pool.event(**event));
                let event = step.map(|step| step.event).or(known.iter().find(still).copied());
                let Some(event) = event.or(known.first().copied()) else { continue };
                let mut one = expectation(pool, letters, letter, event, terms);
                if let Some(step) = step {
                    one.now = true;
                    let position = self.frontiers.positions.letters(step.position);
                    let mut around = path(pool, now.term, position).into_iter().rev();
                    one.within = around.find(|term| terms.get(term) == Some(&1));
                } else if one.places > 1 {
                    // For an event that waits for others, the first occurrence that is left is
                    // taken.
                    let around = first_of(pool, now.term, one.term, &left);
                    let mut around = around.into_iter().rev();
                    one.within = around.find(|term| terms.get(term) == Some(&1));
                }
                expected.push(one);
            }
            progress.push(Progress {
                component,
                consumed: now.consumed[at] as usize,
                total: self.case.log(at).len(),
                next: self.next(&now.consumed, at).map(|letter| letters.actions(letter).into()),
                expected,
                may_end: !few || prune(pool, &mut self.frontiers.memo, now.term, own).is_some(),
            });
        }
        progress
    }
}

/// An event that a component could have observed as this letter.
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
