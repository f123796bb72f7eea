//! Replays a witness to find, for each event, its position in the interaction as written.
//!
//! A witness gives the position of an event in the interaction that is *left*, which consists of parts of
//! the original interaction, some of them pruned, some copied for each iteration of a loop. To trace events
//! back, each event of the interaction gets a message of its own ([`Marked`]). This changes no step, since
//! the rules look at lifelines only. A subterm that no event has touched yet is kept as a marked term
//! together with the iteration it belongs to; `prune` and `remove` apply to it as usual, and are memoized.
//! The part of the interaction that events have touched is a small tree whose leaves are such untouched
//! subterms. The rules of the step relation rewrite this tree in place:
//!
//! ```text
//! strict, coreg    the operand that moved is replaced; a left one that is passed by is pruned, or dropped
//! alt              becomes the branch that moved
//! loop             a new iteration, with the rest of the loop before and after it
//! ```
//!
//! ∅ is simplified away exactly as in [`simplify`](mod@otus_core::algebra::simplify), so the
//! letters of positions keep their meaning. There is no search and no guess: a witness whose
//! letters lead to no such step is rejected. Letters beyond an event are ignored: they choose a letter of a
//! refined leaf ([`otus_core::peer`]), which is one event of the interaction as written.

use otus_core::algebra::{Memo, prune, remove, simplify};
use otus_core::index::Index as _;
use otus_core::{Action, EventId, LifelineSet, Pool, RegionId, Term, TermId};

use super::MOST_WORK;
use super::tree::{NodeKind, Tree, index};
use crate::witness::{Witness, WitnessEvent, WitnessStep};

/// An interaction in which each event has a message of its own.
#[derive(Debug, Clone)]
pub struct Marked {
    pub(super) pool: Pool,
    memo: Memo,
    /// The whole interaction, simplified.
    term: TermId,
    /// The number of messages before marking.
    first: usize,
    /// For each added message: the node of its event.
    nodes: Vec<u32>,
}

impl Marked {
    /// Marks the events of an interaction.
    pub fn new(pool: &Pool, tree: &Tree) -> Marked {
        let first = pool.signature().message_count();
        let mut marked = Marked {
            pool: pool.clone(),
            memo: Memo::default(),
            term: Pool::EMPTY,
            first,
            nodes: Vec::new(),
        };
        // Reverse preorder visits operands before operators.
        let mut terms = vec![Pool::EMPTY; tree.len()];
        for at in (0..index(tree.len())).rev() {
            let operand = |node: u32| terms[node as usize];
            let left = || operand(Tree::left(at));
            let right = || operand(tree.right(at));
            let pool = &mut marked.pool;
            terms[at as usize] = match pool.node(tree.node(at).term) {
                Term::Empty => Pool::EMPTY,
                Term::Event(event) => {
                    // A name in a source text cannot contain NUL, so the message is new.
                    let message = pool.add_message(&format!("\0{at}"));
                    debug_assert_eq!(message.index(), first + marked.nodes.len(), "it is new");
                    marked.nodes.push(at);
                    let actions =
                        pool.event_actions(event).iter().map(|&action| pool.action(action));
                    let actions: Vec<Action> =
                        actions.map(|action| Action { message, ..action }).collect();
                    let event = pool.intern_event(&actions);
                    pool.event(event)
                }
                Term::Strict(..) => pool.strict(left(), right()),
                Term::Coreg(region, ..) => pool.coreg(region, left(), right()),
                Term::Alt(..) => pool.alt(left(), right()),
                Term::LoopS(_) => pool.loop_s(left()),
                Term::LoopC(region, _) => pool.loop_c(region, left()),
            };
        }
        marked.term = simplify(&mut marked.pool, terms[0]);
        marked
    }

    fn node(&self, event: EventId) -> Option<u32> {
        let action = *self.pool.event_actions(event).first()?;
        let message = self.pool.action(action).message.index();
        self.nodes.get(message.checked_sub(self.first)?).copied()
    }

    fn lifelines(&self, term: TermId) -> u64 {
        mask(&self.pool.lifelines(term))
    }

    fn prune(&mut self, term: TermId, region: RegionId) -> Option<TermId> {
        prune(&mut self.pool, &mut self.memo, term, region)
    }
}

/// The events and iterations of a witness, by position in the interaction as written.
#[derive(Debug)]
pub(super) struct Run {
    /// The events, in the order of the witness.
    pub(super) events: Vec<Occurrence>,
    /// The iterations. The first entry is the whole execution, which belongs to no loop; an
    /// iteration comes after its parent.
    pub(super) iterations: Vec<Iteration>,
    pub(super) ends: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Occurrence {
    pub(super) node: u32,
    pub(super) iteration: u32,
    pub(super) observed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Iteration {
    /// The loop; `None` for the whole execution.
    pub(super) node: Option<u32>,
    pub(super) parent: u32,
    /// Whether an event of the iteration was observed.
    pub(super) observed: bool,
}

/// Replays a witness. `None` if a step of it is not a step of the interaction, or if the replay takes
/// more than [`MOST_WORK`] steps.
pub(super) fn replay(
    marked: &mut Marked,
    tree: &Tree,
    pool: &Pool,
    witness: &Witness,
) -> Option<Run> {
    let whole = Iteration { node: None, parent: 0, observed: false };
    let run = Run { events: Vec::new(), iterations: vec![whole], ends: true };
    let mut replay =
        Replay { marked, tree, cells: Vec::new(), free: Vec::new(), root: NOTHING, run, work: 0 };
    replay.root = replay.untouched(replay.marked.term, 0);
    let mut whole = true;
    for step in &witness.steps {
        match step {
            WitnessStep::Observed(place) => replay.step(place, true, whole)?,
            WitnessStep::Unobserved(place) => replay.step(place, false, whole)?,
            WitnessStep::Removed(region) => {
                whole = false;
                replay.remove(&pool.region(*region))?;
            }
        }
    }
    replay.run.ends = whole && replay.terminates(replay.root);
    Some(replay.run)
}

type CellId = u32;

/// ∅
const NOTHING: CellId = u32::MAX;

/// A node of the interaction that is left.
#[derive(Debug, Clone, Copy)]
struct Cell {
    kind: CellKind,
    /// The lifelines of the node modulo 64, as a bit set. Disjoint bit sets imply disjoint
    /// lifelines.
    lifelines: u64,
}

#[derive(Debug, Clone, Copy)]
enum CellKind {
    /// A marked term that no event has touched (it may be pruned), and the iteration it belongs to.
    Untouched(TermId, u32),
    Strict(CellId, CellId),
    Coreg(RegionId, CellId, CellId),
}

impl CellKind {
    /// The operands; `None` for an untouched term.
    fn operands(self) -> Option<[CellId; 2]> {
        match self {
            CellKind::Untouched(..) => None,
            CellKind::Strict(left, right) | CellKind::Coreg(_, left, right) => Some([left, right]),
        }
    }

    /// The same operator with other operands.
    fn with(self, left: CellId, right: CellId) -> CellKind {
        match self {
            CellKind::Coreg(region, ..) => CellKind::Coreg(region, left, right),
            CellKind::Strict(..) | CellKind::Untouched(..) => CellKind::Strict(left, right),
        }
    }

    /// The other operand, if one operand is ∅.
    fn simplified(self) -> Option<CellId> {
        match self.operands()? {
            [NOTHING, other] | [other, NOTHING] => Some(other),
            [..] => None,
        }
    }
}

struct Replay<'m> {
    marked: &'m mut Marked,
    tree: &'m Tree,
    cells: Vec<Cell>,
    free: Vec<CellId>,
    root: CellId,
    run: Run,
    work: u64,
}

impl Replay<'_> {
    /// Takes a step. `whole`: whether no lifeline was removed before.
    fn step(&mut self, place: &WitnessEvent, observed: bool, whole: bool) -> Option<()> {
        // Descend to an untouched term.
        let mut letters = place.position.iter().copied();
        let mut path: Vec<(CellId, u8)> = Vec::new();
        let mut at = self.root;
        let (term, iteration) = loop {
            self.count()?;
            // ∅ has no cell.
            let (left, right) = match self.cells.get(at as usize)?.kind {
                CellKind::Untouched(term, iteration) => break (term, iteration),
                CellKind::Strict(left, right) | CellKind::Coreg(_, left, right) => (left, right),
            };
            let letter = letters.next()?;
            path.push((at, letter));
            at = if letter == 1 { left } else { right };
        };
        self.release(at);
        let (event, mut now) = self.touch(term, iteration, letters, place, observed, whole)?;
        // Rebuild the path upwards.
        while let Some((at, letter)) = path.pop() {
            self.count()?;
            let cell = match (self.cells[at as usize].kind, letter) {
                (kind @ (CellKind::Strict(_, right) | CellKind::Coreg(_, _, right)), 1) => {
                    kind.with(now, right)
                }
                (CellKind::Strict(left, _), _) => {
                    if !self.terminates(left) {
                        return None;
                    }
                    self.release_all(left)?;
                    CellKind::Strict(NOTHING, now)
                }
                (CellKind::Coreg(region, left, _), _) => {
                    let ordered = self.marked.pool.ordered(region, event);
                    CellKind::Coreg(region, self.prune(left, ordered)?, now)
                }
                (CellKind::Untouched(..), _) => return None,
            };
            now = self.renew(at, cell);
        }
        self.root = now;
        Some(())
    }

    /// Applies the rules within an untouched term: along the remaining letters to the event, and
    /// back up. Returns the marked event, and the cell of what is left.
    fn touch(
        &mut self,
        term: TermId,
        iteration: u32,
        letters: impl Iterator<Item = u8>,
        place: &WitnessEvent,
        observed: bool,
        whole: bool,
    ) -> Option<(EventId, CellId)> {
        let mut path: Vec<(TermId, u8)> = Vec::new();
        let mut at = term;
        for letter in letters {
            self.count()?;
            if self.marked.pool.node(at).as_event().is_some() {
                break;
            }
            path.push((at, letter));
            let mut operands = self.marked.pool.node(at).operands();
            at = if letter == 1 { operands.next()? } else { operands.nth(1)? };
        }
        let event = self.marked.pool.node(at).as_event()?;
        let node = self.marked.node(event)?;
        if whole && self.tree.node(node).kind != NodeKind::Event(place.event) {
            return None;
        }
        let iterations = self.enter(&path, node, iteration)?;
        let inside = iterations.last().copied().unwrap_or(iteration);
        self.run.events.push(Occurrence { node, iteration: inside, observed });
        let mut seen = inside;
        while observed && !self.run.iterations[seen as usize].observed {
            self.run.iterations[seen as usize].observed = true;
            seen = self.run.iterations[seen as usize].parent;
        }

        let mut entered = iterations.len();
        let mut left = NOTHING;
        while let Some((at, letter)) = path.pop() {
            self.count()?;
            let around = |entered: usize| match entered {
                0 => iteration,
                entered => iterations[entered - 1],
            };
            let here = around(entered);
            left = match (self.marked.pool.node(at), letter) {
                (Term::Alt(..), _) => left,
                (Term::Strict(_, right), 1) => {
                    let right = self.untouched(right, here);
                    self.compose(CellKind::Strict(left, right))
                }
                (Term::Strict(passed, _), _) => {
                    if !self.marked.pool.attributes(passed).terminates {
                        return None;
                    }
                    left
                }
                (Term::Coreg(region, _, right), 1) => {
                    let right = self.untouched(right, here);
                    self.compose(CellKind::Coreg(region, left, right))
                }
                (Term::Coreg(region, passed, _), _) => {
                    let ordered = self.marked.pool.ordered(region, event);
                    let pruned = self.marked.prune(passed, ordered)?;
                    let pruned = self.untouched(pruned, here);
                    self.compose(CellKind::Coreg(region, pruned, left))
                }
                (Term::LoopS(_), _) => {
                    entered -= 1;
                    let after = self.untouched(at, around(entered));
                    self.compose(CellKind::Strict(left, after))
                }
                (Term::LoopC(region, _), _) => {
                    entered -= 1;
                    let ordered = self.marked.pool.ordered(region, event);
                    let pruned = self.marked.prune(at, ordered)?;
                    let before = self.untouched(pruned, around(entered));
                    let after = self.untouched(at, around(entered));
                    let after = self.compose(CellKind::Coreg(region, left, after));
                    self.compose(CellKind::Coreg(region, before, after))
                }
                (Term::Empty | Term::Event(_), _) => return None,
            };
        }
        Some((event, left))
    }

    /// Creates the iterations of the loops along a path to an event, outermost first.
    fn enter(&mut self, path: &[(TermId, u8)], node: u32, from: u32) -> Option<Vec<u32>> {
        let is_loop = |&&(term, _): &&(TermId, u8)| self.marked.pool.node(term).is_loop();
        let count = path.iter().filter(is_loop).count();
        let mut loops = Vec::with_capacity(count);
        let mut around = self.tree.node(node).around;
        for _ in 0..count {
            let inner = around?;
            loops.push(inner);
            around = self.tree.node(inner).around;
        }
        if around != self.run.iterations[from as usize].node {
            return None;
        }
        let mut parent = from;
        let mut entered = Vec::with_capacity(count);
        for &inner in loops.iter().rev() {
            let new = index(self.run.iterations.len());
            self.run.iterations.push(Iteration { node: Some(inner), parent, observed: false });
            entered.push(new);
            parent = new;
        }
        Some(entered)
    }

    /// Prunes a subtree, in place.
    fn prune(&mut self, root: CellId, region: RegionId) -> Option<CellId> {
        if region == Pool::NONE {
            return Some(root);
        }
        let avoided = mask(&self.marked.pool.region(region));
        let change = |marked: &mut Marked, term: TermId| {
            let touched = marked.lifelines(term) & avoided != 0;
            if touched { marked.prune(term, region) } else { Some(term) }
        };
        self.rewrite(root, change, avoided)
    }

    /// Removes lifelines from the whole tree.
    fn remove(&mut self, lifelines: &LifelineSet) -> Option<()> {
        let region = self.marked.pool.intern_region(lifelines);
        let change = |marked: &mut Marked, term: TermId| {
            Some(remove(&mut marked.pool, &mut marked.memo, term, region))
        };
        self.root = self.rewrite(self.root, change, u64::MAX)?;
        Some(())
    }

    /// Rewrites the untouched terms below a cell that have one of the lifelines.
    fn rewrite(
        &mut self,
        root: CellId,
        mut change: impl FnMut(&mut Marked, TermId) -> Option<TermId>,
        lifelines: u64,
    ) -> Option<CellId> {
        // Cells that are still to be rewritten, each with whether its operands are rewritten
        // already.
        let mut pending = vec![(root, false)];
        let mut done: Vec<CellId> = Vec::new();
        while let Some((at, operands_done)) = pending.pop() {
            self.count()?;
            if operands_done {
                let right = done.pop().expect("both operands are done");
                let left = done.pop().expect("both operands are done");
                let kind = self.cells[at as usize].kind.with(left, right);
                done.push(self.renew(at, kind));
                continue;
            }
            if at == NOTHING || self.cells[at as usize].lifelines & lifelines == 0 {
                done.push(at);
                continue;
            }
            match self.cells[at as usize].kind {
                CellKind::Untouched(term, iteration) => {
                    let changed = change(self.marked, term)?;
                    self.release(at);
                    done.push(self.untouched(changed, iteration));
                }
                CellKind::Strict(left, right) | CellKind::Coreg(_, left, right) => {
                    pending.extend([(at, true), (right, false), (left, false)]);
                }
            }
        }
        done.pop()
    }

    fn terminates(&mut self, root: CellId) -> bool {
        let mut pending = vec![root];
        while let Some(at) = pending.pop() {
            self.work += 1;
            if at == NOTHING {
                continue;
            }
            let kind = self.cells[at as usize].kind;
            if let CellKind::Untouched(term, _) = kind
                && !self.marked.pool.attributes(term).terminates
            {
                return false;
            }
            pending.extend(kind.operands().into_iter().flatten());
        }
        true
    }

    fn untouched(&mut self, term: TermId, iteration: u32) -> CellId {
        if term == Pool::EMPTY {
            return NOTHING;
        }
        self.cell(CellKind::Untouched(term, iteration))
    }

    /// The cell of an operator, or its only operand that is not ∅.
    fn compose(&mut self, kind: CellKind) -> CellId {
        kind.simplified().unwrap_or_else(|| self.cell(kind))
    }

    /// Like [`Replay::compose`], but overwrites an existing cell.
    fn renew(&mut self, at: CellId, kind: CellKind) -> CellId {
        if let Some(other) = kind.simplified() {
            self.release(at);
            return other;
        }
        self.cells[at as usize] = Cell { kind, lifelines: self.lifelines(kind) };
        at
    }

    fn cell(&mut self, kind: CellKind) -> CellId {
        let cell = Cell { kind, lifelines: self.lifelines(kind) };
        if let Some(free) = self.free.pop() {
            self.cells[free as usize] = cell;
            return free;
        }
        self.cells.push(cell);
        index(self.cells.len() - 1)
    }

    fn lifelines(&self, kind: CellKind) -> u64 {
        let of = |at: CellId| self.cells.get(at as usize).map_or(0, |cell| cell.lifelines);
        match kind {
            CellKind::Untouched(term, _) => self.marked.lifelines(term),
            CellKind::Strict(left, right) | CellKind::Coreg(_, left, right) => of(left) | of(right),
        }
    }

    fn release(&mut self, at: CellId) {
        self.free.push(at);
    }

    fn release_all(&mut self, root: CellId) -> Option<()> {
        let mut pending = vec![root];
        while let Some(at) = pending.pop() {
            self.count()?;
            if at == NOTHING {
                continue;
            }
            pending.extend(self.cells[at as usize].kind.operands().into_iter().flatten());
            self.release(at);
        }
        Some(())
    }

    /// Counts a step of the replay; `None` if there are too many.
    fn count(&mut self) -> Option<()> {
        self.work += 1;
        (self.work <= MOST_WORK).then_some(())
    }
}

fn mask(lifelines: &LifelineSet) -> u64 {
    lifelines.iter().fold(0, |mask, lifeline| mask | 1 << (lifeline.index() % 64))
}
