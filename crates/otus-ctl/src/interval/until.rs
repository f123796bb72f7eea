//! Constrained backward reachability by steps of one, in one pass.
//!
//! `E(F,G)` is the set of vectors from which steps `x → x + e_i` lead to a vector of `G`, all vectors before
//! it being in `F`: the least `Z` with `Z = G ∪ (F ∩ pre(Z))`.
//!
//! # Theorem
//!
//! On a layer with values `0..=n`, and `Z(n+1) = ∅`,
//!
//! ```text
//!   Z(x) = E( F(x), G(x) ∪ (F(x) ∩ Z(x+1)) )
//! ```
//!
//! and where `F` and `G` are constant on an interval, so is `Z`.
//!
//! *Proof.* A path from `(x,y)` to `G` either stays on value `x` of this component, or takes some steps
//! further down, then one step to `x+1`, then goes on. The latter kind is a path in `F(x)` to a
//! vector `y'` that is in `F(x)`, as it is left by a step, and has `(x+1,y') ∈ Z`. So the paths are those of the
//! right side. For the second claim let `F(x) = F(x+1) = F`, `G(x) = G(x+1) = G` and `W = Z(x+1)`; to show is
//! `E(F, G ∪ (F ∩ W)) = W`. By the first claim `W = E(F, G ∪ …)`, so that `G ⊆ W` and `E(F, W) = W` (a
//! path to the start of a path is a longer path).
//! `⊆`: `G ∪ (F ∩ W) ⊆ W`, hence `E(F, G ∪ (F ∩ W)) ⊆ E(F, W) = W`.
//! `⊇`: a member of `W` that is in `F` is in `F ∩ W`; one that is not has no step to take, so
//! that it is in the target of `W` itself, and as that is `G ∪ (F ∩ …)`, in `G`. ∎
//!
//! So the intervals of a layer are traversed once, from high to low, and each costs one subproblem of the same kind,
//! whatever its length. There is no iteration to a fixpoint.
//!
//! A single operation on three sets, `E(F, G ∪ (F ∩ H))` with `H = Z(x+1)`, instead of building `G ∪ (F ∩ H)` first,
//! was tried and dropped. It took a quarter less work in some cases and three times as much in others, because
//! vectors of `H` outside of `F` make memo keys differ whose results are the same.
//!
//! If `F` is a lattice of cuts and `G ⊆ F`, the downward closure ([`Diagram::below`]) gives the same at a lower cost.

use otus_core::budget::Stop;

use super::diagram::{Diagram, Set};
use super::memo::Op;
use super::store::{EMPTY, FULL, Id};

impl Diagram {
    /// The vectors from which steps of one lead into `goal`, through vectors of `through` only:
    /// the least `Z` with `Z = goal ∪ (through ∩ predecessors(Z))`.
    pub(crate) fn until(&mut self, through: Set, goal: Set) -> Result<Set, Stop> {
        self.operate(|diagram| diagram.reach(through.0, goal.0)).map(Set)
    }

    fn reach(&mut self, through: Id, goal: Id) -> Result<Id, Stop> {
        if through == EMPTY || goal == EMPTY || goal == FULL || through == goal {
            return Ok(goal);
        }
        if let Some(known) = self.memo.find(through, goal, Op::Until) {
            return Ok(known);
        }
        let layer = self.store.layer(goal);
        let base = self.scratch.len();
        // No step leads to the goal from above its last interval.
        let (mut g, mut high) = self.top_down(goal, layer);
        let mut f = self.containing(through, layer, high);
        let mut above = EMPTY;
        loop {
            let ((f_child, f_low), (g_child, g_low)) = (self.at(f), self.at(g));
            let target = self.join_meet(g_child, f_child, above)?;
            above = self.reach(f_child, target)?;
            self.append_below(base, high, above);
            self.pace.step(1)?;
            let low = f_low.max(g_low);
            if low == 0 {
                break;
            }
            high = low - 1;
            f.at -= usize::from(f_low == low);
            g.at -= usize::from(g_low == low);
        }
        self.scratch[base..].reverse();
        let result = self.finish_like(layer, base, [goal, through])?;
        Ok(self.keep(through, goal, Op::Until, result))
    }

    /// A cursor at the last interval of a node, and the upper end of that interval.
    #[inline]
    fn top_down(&self, node: Id, layer: usize) -> (Cursor, u32) {
        let (start, end) = self.store.span(node, layer);
        (Cursor { start, at: end, end }, self.store.edge(end - 1).high)
    }

    /// A cursor at the interval or gap that contains `value`.
    #[inline]
    fn containing(&self, node: Id, layer: usize, value: u32) -> Cursor {
        let (start, end) = self.store.span(node, layer);
        Cursor { start, at: self.store.seek(start, end, value) + 1, end }
    }

    /// The residual at the cursor, and the least value that has it there.
    #[inline]
    fn at(&self, cursor: Cursor) -> (Id, u32) {
        let index = cursor.at - 1;
        let child = if index < cursor.end { self.store.edge(index).child } else { EMPTY };
        let low = if index > cursor.start { self.store.edge(index - 1).high + 1 } else { 0 };
        (child, low)
    }
}

/// A position in a node: an interval, or the gap, which consists of the values above the last interval.
#[derive(Debug, Clone, Copy)]
struct Cursor {
    start: usize,
    /// One more than the index of the interval's edge in the store, as the end of a half-open range: the last
    /// interval has `end`. The values above the last interval have no edge; there it is `end + 1`.
    at: usize,
    end: usize,
}
