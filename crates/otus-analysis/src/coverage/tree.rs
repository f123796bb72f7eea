//! The positions of an interaction, and its parts that can be exercised.
//!
//! Nodes are numbered in preorder, so the left operand of a node has the next number, and the right
//! one the number after the last of the left. `alt(i, alt(j, k))`, which is how `alt(i, j, k)` is
//! parsed, is one choice of three branches.
//!
//! Of the branches without any action, only one is a part, since they cannot be distinguished. A
//! loop without any action is not a part.

use otus_core::{EventId, LifelineSet, Pool, Term, TermId};

/// An interaction as a tree of positions.
#[derive(Debug, Clone)]
pub struct Tree {
    nodes: Vec<Node>,
    parts: Vec<Part>,
}

/// A part that can be exercised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The kind of part.
    pub kind: PartKind,
    /// The number of the node of this part.
    pub node: usize,
}

/// The kinds of parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartKind {
    /// An event: an action, or a synchronous passing.
    Action,
    /// A branch of an `alt`.
    Branch,
    /// A loop.
    Loop,
}

#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) term: TermId,
    pub(super) kind: NodeKind,
    /// The parent; the root is its own parent.
    pub(super) parent: u32,
    /// One past the last node of its subtree.
    pub(super) end: u32,
    /// The innermost enclosing loop.
    pub(super) around: Option<u32>,
    /// Whether the subtree of the node has a choice or a loop.
    pub(super) has_choices: bool,
    /// The number of the node's part, if the node is an action or a loop.
    pub(super) part: Option<u32>,
    /// The number of the node's part, if the node is a branch.
    pub(super) branch: Option<u32>,
    pub(super) lifelines: LifelineSet,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeKind {
    Empty,
    Event(EventId),
    /// `strict` or `coreg`
    Both,
    /// An `alt`. If a choice begins here: the branch that is taken when no branch has an event.
    Alt(Option<u32>),
    Loop,
}

impl Tree {
    /// The tree of a term; `None` if it has too many positions.
    pub fn new(pool: &Pool, term: TermId) -> Option<Tree> {
        if pool.attributes(term).nodes > super::MOST_POSITIONS {
            return None;
        }
        let mut tree = Tree { nodes: Vec::new(), parts: Vec::new() };
        let mut pending = vec![(term, 0, None)];
        while let Some((term, parent, around)) = pending.pop() {
            let at = index(tree.nodes.len());
            let node = pool.node(term);
            let kind = match node {
                Term::Empty => NodeKind::Empty,
                Term::Event(event) => NodeKind::Event(event),
                Term::Strict(..) | Term::Coreg(..) => NodeKind::Both,
                Term::Alt(..) => NodeKind::Alt(None),
                Term::LoopS(_) | Term::LoopC(..) => NodeKind::Loop,
            };
            let inner = if kind == NodeKind::Loop { Some(at) } else { around };
            pending.extend(node.operands().rev().map(|operand| (operand, at, inner)));
            tree.nodes.push(Node {
                term,
                kind,
                parent,
                end: at + 1,
                around,
                has_choices: matches!(kind, NodeKind::Alt(_) | NodeKind::Loop),
                part: None,
                branch: None,
                lifelines: pool.lifelines(term),
            });
        }
        for at in (1..tree.nodes.len()).rev() {
            let Node { end, parent, has_choices, .. } = tree.nodes[at];
            let parent = &mut tree.nodes[parent as usize];
            parent.end = parent.end.max(end);
            parent.has_choices |= has_choices;
        }
        tree.name_parts(pool);
        Some(tree)
    }

    /// The parts, in preorder; a branch comes before the action or loop at its root.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no position. Never true.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The term at a position.
    pub fn term(&self, node: usize) -> TermId {
        self.nodes[node].term
    }

    /// The positions of a subtree.
    pub fn within(&self, node: usize) -> std::ops::Range<usize> {
        node..self.nodes[node].end as usize
    }

    /// For a branch: the position of its choice, its number (from 1), and the number of branches.
    pub fn branch(&self, node: usize) -> Option<(usize, usize, usize)> {
        self.nodes[node].branch?;
        let mut choice = self.nodes[node].parent;
        while self.continues(choice) {
            choice = self.nodes[choice as usize].parent;
        }
        let branches: Vec<u32> = self.branches(choice).collect();
        let number = branches.iter().position(|&branch| branch as usize == node)?;
        Some((choice as usize, number + 1, branches.len()))
    }

    pub(super) fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    pub(super) fn left(node: u32) -> u32 {
        node + 1
    }

    pub(super) fn right(&self, node: u32) -> u32 {
        self.node(Tree::left(node)).end
    }

    fn is_alt(&self, node: u32) -> bool {
        matches!(self.node(node).kind, NodeKind::Alt(_))
    }

    /// Whether a node continues a choice that begins above it.
    pub(super) fn continues(&self, node: u32) -> bool {
        let above = self.node(node).parent;
        node != above && self.is_alt(node) && self.is_alt(above) && self.right(above) == node
    }

    /// The branches of the choice that begins at a node.
    pub(super) fn branches(&self, choice: u32) -> impl Iterator<Item = u32> {
        let rest = move |&at: &u32| Some(self.right(at)).filter(|&right| self.is_alt(right));
        std::iter::successors(Some(choice), rest).flat_map(move |at| {
            let last = Some(self.right(at)).filter(|&right| !self.is_alt(right));
            std::iter::once(Tree::left(at)).chain(last)
        })
    }

    /// Numbers the parts, and determines for each choice the branch that is taken when no branch has
    /// an event: a branch without actions, otherwise the first that can terminate at once.
    fn name_parts(&mut self, pool: &Pool) {
        let mut branches = vec![false; self.nodes.len()];
        for at in 0..index(self.nodes.len()) {
            if !self.is_alt(at) || self.continues(at) {
                continue;
            }
            let is_bare = |&branch: &u32| !pool.has_events(self.node(branch).term);
            let ends = |&branch: &u32| pool.attributes(self.node(branch).term).terminates;
            let chosen = self.branches(at).find(is_bare).or_else(|| self.branches(at).find(ends));
            for branch in self.branches(at).filter(|_| !self.node(at).lifelines.is_empty()) {
                let is_part = !self.node(branch).lifelines.is_empty() || chosen == Some(branch);
                branches[branch as usize] = is_part;
            }
            self.nodes[at as usize].kind = NodeKind::Alt(chosen);
        }
        for (at, node) in self.nodes.iter_mut().enumerate() {
            if branches[at] {
                node.branch = Some(index(self.parts.len()));
                self.parts.push(Part { kind: PartKind::Branch, node: at });
            }
            let kind = match node.kind {
                NodeKind::Event(_) => PartKind::Action,
                NodeKind::Loop if !node.lifelines.is_empty() => PartKind::Loop,
                NodeKind::Empty | NodeKind::Both | NodeKind::Alt(_) | NodeKind::Loop => continue,
            };
            node.part = Some(index(self.parts.len()));
            self.parts.push(Part { kind, node: at });
        }
    }
}

/// The number of a node or part. There are at most twice [`super::MOST_POSITIONS`] of them.
pub(super) fn index(at: usize) -> u32 {
    u32::try_from(at).expect("positions are bounded")
}
