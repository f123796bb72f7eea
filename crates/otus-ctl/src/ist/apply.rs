//! Union, intersection and difference of trees (section 4.2).
//!
//! Labels are split where those of either tree begin or end, and on each piece the operation recurs on the
//! successors. The depth of recursion is the number of processes.

use otus_core::budget::Stop;

use super::tree::{EMPTY, END, Ist, Node, Trees};

/// The maximum number of results in the memo.
const MEMORY: usize = 1 << 20;

/// An operation with a memo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Operation {
    Union,
    Intersection,
    Difference,
    /// ↓I, of one tree.
    Closure,
}

impl Trees {
    /// I₁ ∪ I₂
    pub(super) fn union(&mut self, left: Ist, right: Ist) -> Result<Ist, Stop> {
        self.apply(Operation::Union, left, right)
    }

    /// I₁ ∪ I₂ ∪ …, pairwise: adding one tree after the other would copy the growing result each time.
    pub(super) fn union_all(&mut self, mut all: Vec<Ist>) -> Result<Ist, Stop> {
        while all.len() > 1 {
            let mut halves = Vec::with_capacity(all.len().div_ceil(2));
            for pair in all.chunks(2) {
                halves.push(match *pair {
                    [left, right] => self.union(left, right)?,
                    _ => pair[0],
                });
            }
            all = halves;
        }
        Ok(all.first().copied().unwrap_or(EMPTY))
    }

    /// I₁ ∩ I₂
    pub(super) fn intersect(&mut self, left: Ist, right: Ist) -> Result<Ist, Stop> {
        self.apply(Operation::Intersection, left, right)
    }

    /// I₁ ∖ I₂
    pub(super) fn difference(&mut self, left: Ist, right: Ist) -> Result<Ist, Stop> {
        self.apply(Operation::Difference, left, right)
    }

    /// `I₁ ⊆ I₂`, by their difference.
    pub(super) fn is_within(&mut self, left: Ist, right: Ist) -> Result<bool, Stop> {
        Ok(self.difference(left, right)? == EMPTY)
    }

    fn apply(&mut self, operation: Operation, left: Ist, right: Ist) -> Result<Ist, Stop> {
        self.memoized((operation, left, right), |trees| {
            let mut nodes = Vec::new();
            for (low, high, [a, b]) in pieces(trees.list(left), trees.list(right)) {
                nodes.push(Node { low, high, below: trees.apply(operation, a, b)? });
            }
            Ok(nodes)
        })
    }

    /// The result of an operation: computed directly if it is simple, taken from the memo if it is
    /// known, and otherwise the tree of the nodes that `make` returns.
    fn memoized(
        &mut self,
        key: (Operation, Ist, Ist),
        make: impl FnOnce(&mut Self) -> Result<Vec<Node>, Stop>,
    ) -> Result<Ist, Stop> {
        let (operation, left, right) = key;
        let known = simple(operation, left, right).or_else(|| self.memory.get(&key).copied());
        if let Some(known) = known {
            return Ok(known);
        }
        let nodes = stacker::maybe_grow(64 * 1024, 1024 * 1024, || make(self))?;
        let result = self.tree(nodes)?;
        if self.memory.len() >= MEMORY {
            self.memory.clear();
        }
        self.memory.insert(key, result);
        Ok(result)
    }
}

/// The result of an operation that needs no recursion.
fn simple(operation: Operation, left: Ist, right: Ist) -> Option<Ist> {
    match operation {
        Operation::Union if left == EMPTY || left == right => Some(right),
        Operation::Union if right == EMPTY => Some(left),
        Operation::Intersection if left == right => Some(left),
        Operation::Intersection if left == EMPTY || right == EMPTY => Some(EMPTY),
        Operation::Difference if left == EMPTY || left == right => Some(EMPTY),
        Operation::Difference if right == EMPTY => Some(left),
        Operation::Closure if left == EMPTY || left == END => Some(left),
        Operation::Union | Operation::Intersection | Operation::Difference | Operation::Closure => {
            None
        }
    }
}

/// Splits two lists into pieces on which neither changes, each with the successors in both.
fn pieces(left: &[Node], right: &[Node]) -> Vec<(i64, i64, [Ist; 2])> {
    let mut found = Vec::with_capacity(left.len() + right.len());
    let (mut i, mut j) = (0, 0);
    let mut from = i64::MIN;
    loop {
        // The rest of each node, from the current value on.
        let rest = |node: &Node| (node.low.max(from), node.high, node.below);
        let (a, b) = (left.get(i).map(rest), right.get(j).map(rest));
        let (low, high, below) = match (a, b) {
            (None, None) => return found,
            (Some((low, high, below)), None) => (low, high, [below, EMPTY]),
            (None, Some((low, high, below))) => (low, high, [EMPTY, below]),
            (Some(a), Some(b)) if a.0 < b.0 => (a.0, a.1.min(b.0 - 1), [a.2, EMPTY]),
            (Some(a), Some(b)) if b.0 < a.0 => (b.0, b.1.min(a.0 - 1), [EMPTY, b.2]),
            (Some(a), Some(b)) => (a.0, a.1.min(b.1), [a.2, b.2]),
        };
        found.push((low, high, below));
        from = high + 1;
        i += usize::from(a.is_some_and(|a| a.1 < from));
        j += usize::from(b.is_some_and(|b| b.1 < from));
    }
}

impl Trees {
    /// ↓I: all vectors of naturals that are below an accepted one. From the greatest label of a layer down, the
    /// successors are united.
    pub(super) fn downward(&mut self, tree: Ist) -> Result<Ist, Stop> {
        self.memoized((Operation::Closure, tree, EMPTY), |trees| {
            let list: Vec<Node> = trees.list(tree).to_vec();
            let mut nodes = Vec::new();
            let mut passed = EMPTY;
            for (at, node) in list.iter().enumerate().rev() {
                let below = trees.downward(node.below)?;
                passed = trees.union(passed, below)?;
                let low = at.checked_sub(1).map_or(0, |before| list[before].high + 1);
                nodes.push(Node { low: low.max(0), high: node.high, below: passed });
            }
            nodes.reverse();
            Ok(nodes)
        })
    }
}
