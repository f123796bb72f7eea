//! Marks: the tones of parts of a term, and the marks that show a step.
//!
//! Equal parts of a term are one term at several positions, so marks are attached to positions.
//! They form a tree (a trie of positions) that is traversed in parallel with the term.

use otus_core::{LifelineSet, Pool, Term, TermId};
use rustc_hash::FxHashMap;

use crate::scene::Tone;

/// Tones by position.
#[derive(Debug, Clone)]
pub struct Marks {
    nodes: Vec<Mark>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Mark {
    /// The tone of this node alone.
    own: Option<Tone>,
    /// The tone of all nodes below, and of this node if it has none of its own.
    below: Option<Tone>,
    children: [Option<u32>; 2],
}

/// A position in the marks: its node in the trie, if the position or one below it is marked, and the
/// tone that it inherits.
#[derive(Debug, Clone, Copy)]
pub struct Cursor {
    at: Option<u32>,
    inherited: Tone,
}

impl Default for Marks {
    fn default() -> Self {
        Marks { nodes: vec![Mark::default()] }
    }
}

impl Marks {
    /// The position ε.
    pub(crate) fn cursor(&self) -> Cursor {
        let inherited = self.nodes[0].below.unwrap_or_default();
        Cursor { at: Some(0), inherited }
    }

    pub(crate) fn tone(&self, cursor: Cursor) -> Tone {
        let own = cursor.at.and_then(|at| self.nodes[at as usize].own);
        own.unwrap_or(cursor.inherited)
    }

    /// Whether a part further down has a mark of its own.
    pub(crate) fn has_below(&self, cursor: Cursor) -> bool {
        cursor.at.is_some_and(|at| self.nodes[at as usize].children.iter().any(Option::is_some))
    }

    /// The position of an operand.
    pub(crate) fn below(&self, cursor: Cursor, letter: u8) -> Cursor {
        let at = cursor.at.and_then(|at| self.nodes[at as usize].children[operand(letter)]);
        let below = at.and_then(|at| self.nodes[at as usize].below);
        Cursor { at, inherited: below.unwrap_or(cursor.inherited) }
    }

    fn child(&mut self, at: usize, letter: u8) -> usize {
        let next = u32::try_from(self.nodes.len()).expect("fewer marks than 32 bits count");
        let child = *self.nodes[at].children[operand(letter)].get_or_insert(next);
        if child == next {
            self.nodes.push(Mark::default());
        }
        child as usize
    }

    fn fade(&mut self, at: usize, letter: u8) {
        let child = self.child(at, letter);
        self.nodes[child].below = Some(Tone::Faded);
    }
}

/// The index of an operand; digits of a position other than 1 and 2 count as 2.
fn operand(letter: u8) -> usize {
    usize::from(letter != 1)
}

/// The marks that show the step at a position of a term (Fig. 3 and 4 of the paper): the executed event is
/// active, pruned or unchosen parts are faded, and operators that vanish with an operand
/// are assumed. A loop is copied when an iteration of it begins, so within it only
/// the executed event is marked. `None` if the position has no event, or one that cannot be executed now.
pub fn step(pool: &Pool, term: TermId, position: &[u8]) -> Option<Marks> {
    let mut marks = Marks::default();
    // The terms from the root to the event, and their nodes in the marks.
    let (mut path, mut here) = (vec![term], vec![0]);
    let (mut now, mut place) = (term, 0);
    for &letter in position {
        now = pool.node(now).operands().nth(operand(letter))?;
        place = marks.child(place, letter);
        path.push(now);
        here.push(place);
    }
    let Term::Event(event) = pool.node(now) else { return None };
    marks.nodes[place].own = Some(Tone::Active);
    let lifelines = pool.region(pool.event_lifelines(event));
    let is_loop = |&term: &TermId| matches!(pool.node(term), Term::LoopS(_) | Term::LoopC(..));
    // Parts below the first loop are not marked.
    let deepest = path.iter().position(is_loop).unwrap_or(path.len());

    // From the event upwards: whether the operand on the path becomes ∅ by the step.
    let mut empty = true;
    for at in (0..position.len()).rev() {
        let marked = at <= deepest;
        let (right, other) = (operand(position[at]) == 1, 3 - position[at].clamp(1, 2));
        let vanishes = match pool.node(path[at]) {
            Term::Empty | Term::Event(_) => return None,
            Term::LoopS(_) | Term::LoopC(..) => {
                empty = false;
                false
            }
            Term::Alt(..) => {
                if marked {
                    marks.fade(here[at], other);
                }
                true
            }
            Term::Strict(left, _) if right => {
                if !pool.attributes(left).terminates {
                    return None;
                }
                if marked {
                    marks.fade(here[at], 1);
                }
                true
            }
            Term::Coreg(region, left, _) if right => {
                let avoided = match region {
                    Pool::NONE => lifelines.clone(),
                    region => lifelines.difference(&pool.region(region)),
                };
                let left_is = prune(pool, left, &avoided, &mut Known::default());
                if left_is == Pruned::Nothing {
                    return None;
                }
                if marked && !avoided.is_empty() {
                    let aside = marks.child(here[at], 1);
                    mark_pruned(pool, left, &avoided, &mut marks, aside);
                }
                let vanishes = empty || left_is == Pruned::Empty;
                empty &= left_is == Pruned::Empty;
                vanishes
            }
            Term::Strict(_, rest) | Term::Coreg(_, _, rest) => {
                let vanishes = empty || rest == Pool::EMPTY;
                empty &= rest == Pool::EMPTY;
                vanishes
            }
        };
        if vanishes && marked {
            marks.nodes[here[at]].own = Some(Tone::Assumed);
        }
    }
    Some(marks)
}

/// The result of pruning. A choice becomes the greater of the results of its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Pruned {
    /// ⊥: not even ∅.
    Nothing,
    Empty,
    Some,
}

type Known = FxHashMap<TermId, Pruned>;

/// The result of pruning a term, by the rules of [`otus_core::algebra::prune()`].
fn prune(pool: &Pool, root: TermId, avoided: &LifelineSet, known: &mut Known) -> Pruned {
    let mut stack = vec![root];
    while let Some(&term) = stack.last() {
        let height = stack.len();
        stack.extend(pool.node(term).operands().filter(|operand| !known.contains_key(operand)));
        if stack.len() > height {
            continue;
        }
        stack.pop();
        let left = match pool.node(term) {
            Term::Empty => Pruned::Empty,
            Term::Event(event) => {
                let touched = pool.region(pool.event_lifelines(event));
                if touched.is_disjoint(avoided) { Pruned::Some } else { Pruned::Nothing }
            }
            Term::Strict(i, j) | Term::Coreg(_, i, j) => match (known[&i], known[&j]) {
                (Pruned::Nothing, _) | (_, Pruned::Nothing) => Pruned::Nothing,
                (left, right) => left.max(right),
            },
            Term::Alt(i, j) => known[&i].max(known[&j]),
            Term::LoopS(body) | Term::LoopC(_, body) => known[&body].max(Pruned::Empty),
        };
        known.insert(term, left);
    }
    known[&root]
}

/// The maximum number of marks that one pruning makes; a picture has fewer nodes.
const MOST: usize = 100_000;

/// Marks the subterms that pruning removes, in a part that is not removed as a whole.
fn mark_pruned(pool: &Pool, part: TermId, avoided: &LifelineSet, marks: &mut Marks, place: usize) {
    let mut known = Known::default();
    prune(pool, part, avoided, &mut known);
    // Entries: a subterm, its node in the marks, and whether simplification removes its pruned
    // form.
    let mut queue = std::collections::VecDeque::from([(part, place, false)]);
    while let Some((term, at, is_gone)) = queue.pop_front() {
        if marks.nodes.len() > MOST {
            break;
        }
        if is_gone {
            marks.nodes[at].own = Some(Tone::Assumed);
        } else if pool.lifelines(term).is_disjoint(avoided) {
            continue;
        }
        let operands: Vec<TermId> = pool.node(term).operands().collect();
        let is_loop = matches!(pool.node(term), Term::LoopS(_) | Term::LoopC(..));
        if is_loop && known[&operands[0]] == Pruned::Nothing {
            marks.nodes[at].below = Some(Tone::Faded);
            continue;
        }
        let mut vanishes = false;
        for (letter, operand) in (1..).zip(operands) {
            match known[&operand] {
                Pruned::Nothing => {
                    marks.fade(at, letter);
                    vanishes = true;
                }
                left @ (Pruned::Empty | Pruned::Some) => {
                    // ∅ stays as an operand of a choice, but not of a sequence.
                    let goes = left == Pruned::Empty && !matches!(pool.node(term), Term::Alt(..));
                    vanishes |= goes;
                    queue.push_back((operand, marks.child(at, letter), is_gone || goes));
                }
            }
        }
        if vanishes {
            marks.nodes[at].own = Some(Tone::Assumed);
        }
    }
}
