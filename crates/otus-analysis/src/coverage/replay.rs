//! Replays a witness to find, for each event, its position in the interaction as written.
//!
//! A witness gives the position of an event in the interaction that is *left*, which consists of
//! parts of the original interaction, some of them pruned, some copied for each iteration of a
//! loop. To trace events back, each event of the interaction gets a message of its own
//! ([`Marked`]). This changes no step, since the rules look at lifelines only. A subterm that no
//! event has touched yet is kept as a marked term together with the iteration it belongs to;
//! `prune` and `remove` apply to it as usual, and are memoized. The touched part is a small tree
//! over these, rewritten in place by the rules of the step relation:
//!
//! ```text
//! strict, coreg    the operand that moved is replaced; a left one that is passed by is pruned, or dropped
//! alt              becomes the branch that moved
//! loop             a new iteration, with the rest of the loop before and after it
//! ```
//!
//! ∅ is simplified away exactly as in [`simplify`](mod@otus_core::algebra::simplify), so the
//! letters of positions keep their meaning. There is no search and no guess: a witness whose
//! letters lead to no such step is rejected.

use otus_core::algebra::{Memo, prune, remove, simplify};
use otus_core::index::Index as _;
use otus_core::{Action, LifelineSet, Pool, RegionId, Term, TermId};

use super::MOST_WORK;
use super::tree::{NodeKind, Tree, index};
use crate::witness::{Witness, WitnessEvent, WitnessStep};

/// The reason why a witness is not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uncounted {
    /// The replay takes more than [`MOST_WORK`] steps.
    TooMuchWork,
    /// The step with this index is not a step of the interaction.
    NoSuchStep(usize),
}

/// An interaction in which each event has a message of its own.
#[derive(Debug, Clone)]
pub struct Marked {
    pool: Pool,
    memo: Memo,
    /// The whole interaction, simplified.
    term: TermId,
    /// The number of messages before marking.
    first: usize,
    /// By added message: the node of its event.
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

    pub(super) fn term_count(&self) -> usize {
        self.pool.term_count()
    }

    /// The node of an event.
    fn node(&self, event: otus_core::EventId) -> Option<u32> {
        let action = *self.pool.event_actions(event).first()?;
        let message = self.pool.action(action).message.index();
        self.nodes.get(message.checked_sub(self.first)?).copied()
    }

    /// Θ(e)∖r
    fn ordered(&mut self, region: RegionId, event: otus_core::EventId) -> RegionId {
        let lifelines = self.pool.event_lifelines(event);
        let outside = self.pool.region(lifelines).difference(&self.pool.region(region));
        self.pool.intern_region(&outside)
    }

    fn lifelines(&self, term: TermId) -> u64 {
        mask(&self.pool.lifelines(term))
    }
}

/// The events and iterations of a witness, by position in the interaction as written.
#[derive(Debug)]
pub(super) struct Run {
    /// In the order of the witness.
    pub(super) events: Vec<Occurrence>,
    /// The first is the whole execution, which belongs to no loop; an iteration comes after its
    /// parent.
    pub(super) iterations: Vec<Iteration>,
    /// Whether the execution terminates.
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
    /// The enclosing iteration.
    pub(super) parent: u32,
    /// Whether an event in it was observed.
    pub(super) observed: bool,
}

/// Replays a witness.
pub(super) fn replay(
    marked: &mut Marked,
    tree: &Tree,
    pool: &Pool,
    witness: &Witness,
) -> Result<Run, Uncounted> {
    let whole = Iteration { node: None, parent: 0, observed: false };
    let run = Run { events: Vec::new(), iterations: vec![whole], ends: true };
    let mut replay =
        Replay { marked, tree, cells: Vec::new(), free: Vec::new(), root: NOTHING, run, work: 0 };
    replay.root = replay.untouched(replay.marked.term, 0);
    let mut whole = true;
    for (at, step) in witness.steps.iter().enumerate() {
        let refused = |broken| match broken {
            Broken::NoSuchStep => Uncounted::NoSuchStep(at),
            Broken::TooMuchWork => Uncounted::TooMuchWork,
        };
        match step {
            WitnessStep::Observed(place) => replay.step(place, true, whole).map_err(refused)?,
            WitnessStep::Unobserved(place) => replay.step(place, false, whole).map_err(refused)?,
            WitnessStep::Removed(region) => {
                whole = false;
                replay.remove(&pool.region(*region)).map_err(refused)?;
            }
        }
    }
    replay.run.ends = whole && replay.terminates(replay.root);
    Ok(replay.run)
}

enum Broken {
    NoSuchStep,
    TooMuchWork,
}

/// The number of a cell.
type CellId = u32;

/// ∅
const NOTHING: CellId = u32::MAX;

/// A node of the interaction that is left.
#[derive(Debug, Clone, Copy)]
struct Cell {
    kind: CellKind,
    /// Its lifelines modulo 64, as a bit set. Disjoint masks imply disjoint lifelines.
    lifelines: u64,
}

#[derive(Debug, Clone, Copy)]
enum CellKind {
    /// A marked term that no event has touched (it may be pruned), and the iteration it belongs to.
    Untouched(TermId, u32),
    Strict(CellId, CellId),
    Coreg(RegionId, CellId, CellId),
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
    fn step(&mut self, place: &WitnessEvent, observed: bool, whole: bool) -> Result<(), Broken> {
        // Descend to an untouched term.
        let mut letters = place.position.iter().copied();
        let mut path: Vec<(CellId, u8)> = Vec::new();
        let mut at = self.root;
        let (term, iteration) = loop {
            self.count()?;
            if at == NOTHING {
                return Err(Broken::NoSuchStep);
            }
            let (left, right) = match self.cells[at as usize].kind {
                CellKind::Untouched(term, iteration) => break (term, iteration),
                CellKind::Strict(left, right) | CellKind::Coreg(_, left, right) => (left, right),
            };
            let letter = letters.next().ok_or(Broken::NoSuchStep)?;
            path.push((at, letter));
            at = if letter == 1 { left } else { right };
        };
        self.release(at);
        let mut now = self.touch(term, iteration, letters, place, observed, whole)?;
        // Rebuild the path upwards.
        let event = now.event;
        while let Some((at, letter)) = path.pop() {
            self.count()?;
            let cell = match (self.cells[at as usize].kind, letter) {
                (CellKind::Strict(_, right), 1) => CellKind::Strict(now.left, right),
                (CellKind::Coreg(region, _, right), 1) => CellKind::Coreg(region, now.left, right),
                (CellKind::Strict(left, _), _) => {
                    if !self.terminates(left) {
                        return Err(Broken::NoSuchStep);
                    }
                    self.release_all(left)?;
                    CellKind::Strict(NOTHING, now.left)
                }
                (CellKind::Coreg(region, left, _), _) => {
                    let ordered = self.marked.ordered(region, event);
                    CellKind::Coreg(region, self.prune(left, ordered)?, now.left)
                }
                (CellKind::Untouched(..), _) => return Err(Broken::NoSuchStep),
            };
            now.left = self.renew(at, cell);
        }
        self.root = now.left;
        Ok(())
    }

    /// Applies the rules within an untouched term: along the remaining letters to the event, and
    /// back up.
    fn touch(
        &mut self,
        term: TermId,
        iteration: u32,
        letters: impl Iterator<Item = u8>,
        place: &WitnessEvent,
        observed: bool,
        whole: bool,
    ) -> Result<Residual, Broken> {
        let mut path: Vec<(TermId, u8)> = Vec::new();
        let mut at = term;
        for letter in letters {
            self.count()?;
            path.push((at, letter));
            let mut operands = self.marked.pool.node(at).operands();
            let next = if letter == 1 { operands.next() } else { operands.nth(1) };
            at = next.ok_or(Broken::NoSuchStep)?;
        }
        let Term::Event(event) = self.marked.pool.node(at) else { return Err(Broken::NoSuchStep) };
        let node = self.marked.node(event).ok_or(Broken::NoSuchStep)?;
        if whole && self.tree.node(node).kind != NodeKind::Event(place.event) {
            return Err(Broken::NoSuchStep);
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
                    self.strict(left, right)
                }
                (Term::Strict(passed, _), _) => {
                    if !self.marked.pool.attributes(passed).terminates {
                        return Err(Broken::NoSuchStep);
                    }
                    left
                }
                (Term::Coreg(region, _, right), 1) => {
                    let right = self.untouched(right, here);
                    self.coreg(region, left, right)
                }
                (Term::Coreg(region, passed, _), _) => {
                    let ordered = self.marked.ordered(region, event);
                    let Marked { pool, memo, .. } = &mut *self.marked;
                    let pruned = prune(pool, memo, passed, ordered).ok_or(Broken::NoSuchStep)?;
                    let pruned = self.untouched(pruned, here);
                    self.coreg(region, pruned, left)
                }
                (Term::LoopS(_), _) => {
                    entered -= 1;
                    let after = self.untouched(at, around(entered));
                    self.strict(left, after)
                }
                (Term::LoopC(region, _), _) => {
                    entered -= 1;
                    let ordered = self.marked.ordered(region, event);
                    let Marked { pool, memo, .. } = &mut *self.marked;
                    let pruned = prune(pool, memo, at, ordered).ok_or(Broken::NoSuchStep)?;
                    let before = self.untouched(pruned, around(entered));
                    let after = self.untouched(at, around(entered));
                    let after = self.coreg(region, left, after);
                    self.coreg(region, before, after)
                }
                (Term::Empty | Term::Event(_), _) => return Err(Broken::NoSuchStep),
            };
        }
        Ok(Residual { event, left })
    }

    /// Creates the iterations of the loops along a path to an event, outermost first.
    fn enter(&mut self, path: &[(TermId, u8)], node: u32, from: u32) -> Result<Vec<u32>, Broken> {
        let is_loop = |&&(term, _): &&(TermId, u8)| {
            matches!(self.marked.pool.node(term), Term::LoopS(_) | Term::LoopC(..))
        };
        let count = path.iter().filter(is_loop).count();
        let mut loops = Vec::with_capacity(count);
        let mut around = self.tree.node(node).around;
        for _ in 0..count {
            let inner = around.ok_or(Broken::NoSuchStep)?;
            loops.push(inner);
            around = self.tree.node(inner).around;
        }
        if around != self.run.iterations[from as usize].node {
            return Err(Broken::NoSuchStep);
        }
        let mut parent = from;
        let mut entered = Vec::with_capacity(count);
        for &inner in loops.iter().rev() {
            let new = index(self.run.iterations.len());
            self.run.iterations.push(Iteration { node: Some(inner), parent, observed: false });
            entered.push(new);
            parent = new;
        }
        Ok(entered)
    }

    /// Prunes a subtree, in place.
    fn prune(&mut self, root: CellId, region: RegionId) -> Result<CellId, Broken> {
        if region == Pool::NONE {
            return Ok(root);
        }
        let avoided = mask(&self.marked.pool.region(region));
        self.rewrite(
            root,
            |replay, term| {
                if replay.marked.lifelines(term) & avoided == 0 {
                    return Ok(term);
                }
                let Marked { pool, memo, .. } = &mut *replay.marked;
                prune(pool, memo, term, region).ok_or(Broken::NoSuchStep)
            },
            avoided,
        )
    }

    /// Removes lifelines from the whole tree.
    fn remove(&mut self, lifelines: &LifelineSet) -> Result<(), Broken> {
        let region = self.marked.pool.intern_region(lifelines);
        self.root = self.rewrite(
            self.root,
            |replay, term| {
                let Marked { pool, memo, .. } = &mut *replay.marked;
                Ok(remove(pool, memo, term, region))
            },
            u64::MAX,
        )?;
        Ok(())
    }

    /// Rewrites the untouched terms below a cell that have one of the lifelines.
    fn rewrite(
        &mut self,
        root: CellId,
        mut change: impl FnMut(&mut Self, TermId) -> Result<TermId, Broken>,
        lifelines: u64,
    ) -> Result<CellId, Broken> {
        enum Task {
            Visit(CellId),
            Join(CellId),
        }
        let mut tasks = vec![Task::Visit(root)];
        let mut done: Vec<CellId> = Vec::new();
        while let Some(task) = tasks.pop() {
            self.count()?;
            match task {
                Task::Visit(at) => {
                    if at == NOTHING || self.cells[at as usize].lifelines & lifelines == 0 {
                        done.push(at);
                        continue;
                    }
                    match self.cells[at as usize].kind {
                        CellKind::Untouched(term, iteration) => {
                            let changed = change(self, term)?;
                            self.release(at);
                            done.push(self.untouched(changed, iteration));
                        }
                        CellKind::Strict(left, right) | CellKind::Coreg(_, left, right) => {
                            tasks.push(Task::Join(at));
                            tasks.push(Task::Visit(right));
                            tasks.push(Task::Visit(left));
                        }
                    }
                }
                Task::Join(at) => {
                    let right = done.pop().expect("both operands are done");
                    let left = done.pop().expect("both operands are done");
                    let kind = match self.cells[at as usize].kind {
                        CellKind::Coreg(region, ..) => CellKind::Coreg(region, left, right),
                        CellKind::Strict(..) | CellKind::Untouched(..) => {
                            CellKind::Strict(left, right)
                        }
                    };
                    done.push(self.renew(at, kind));
                }
            }
        }
        Ok(done.pop().expect("the root is done"))
    }

    /// Whether a subtree may terminate.
    fn terminates(&mut self, root: CellId) -> bool {
        let mut pending = vec![root];
        while let Some(at) = pending.pop() {
            self.work += 1;
            if at == NOTHING {
                continue;
            }
            match self.cells[at as usize].kind {
                CellKind::Untouched(term, _) => {
                    if !self.marked.pool.attributes(term).terminates {
                        return false;
                    }
                }
                CellKind::Strict(left, right) | CellKind::Coreg(_, left, right) => {
                    pending.extend([left, right]);
                }
            }
        }
        true
    }

    fn untouched(&mut self, term: TermId, iteration: u32) -> CellId {
        if term == Pool::EMPTY {
            return NOTHING;
        }
        self.cell(CellKind::Untouched(term, iteration))
    }

    fn strict(&mut self, left: CellId, right: CellId) -> CellId {
        match (left, right) {
            (NOTHING, other) | (other, NOTHING) => other,
            (left, right) => self.cell(CellKind::Strict(left, right)),
        }
    }

    fn coreg(&mut self, region: RegionId, left: CellId, right: CellId) -> CellId {
        match (left, right) {
            (NOTHING, other) | (other, NOTHING) => other,
            (left, right) => self.cell(CellKind::Coreg(region, left, right)),
        }
    }

    /// Updates a cell with new operands; returns the cell, or its only operand that is not ∅.
    fn renew(&mut self, at: CellId, kind: CellKind) -> CellId {
        match kind {
            CellKind::Strict(NOTHING, other)
            | CellKind::Strict(other, NOTHING)
            | CellKind::Coreg(_, NOTHING, other)
            | CellKind::Coreg(_, other, NOTHING) => {
                self.release(at);
                other
            }
            CellKind::Strict(..) | CellKind::Coreg(..) | CellKind::Untouched(..) => {
                self.cells[at as usize] = Cell { kind, lifelines: self.lifelines(kind) };
                at
            }
        }
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

    fn release_all(&mut self, root: CellId) -> Result<(), Broken> {
        let mut pending = vec![root];
        while let Some(at) = pending.pop() {
            self.count()?;
            if at == NOTHING {
                continue;
            }
            match self.cells[at as usize].kind {
                CellKind::Untouched(..) => {}
                CellKind::Strict(left, right) | CellKind::Coreg(_, left, right) => {
                    pending.extend([left, right]);
                }
            }
            self.release(at);
        }
        Ok(())
    }

    fn count(&mut self) -> Result<(), Broken> {
        self.work += 1;
        if self.work > MOST_WORK { Err(Broken::TooMuchWork) } else { Ok(()) }
    }
}

/// An untouched term after an event in it.
struct Residual {
    /// The marked event.
    event: otus_core::EventId,
    left: CellId,
}

fn mask(lifelines: &LifelineSet) -> u64 {
    lifelines.iter().fold(0, |mask, lifeline| mask | 1 << (lifeline.index() % 64))
}
