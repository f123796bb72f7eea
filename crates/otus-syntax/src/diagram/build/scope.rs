//! The open fragments of a diagram during building.

use crate::ast::guard::Atom;
use crate::ast::{LoopKind, NodeId, Operator};
use crate::diagram::statement::Fragment;
use crate::drawing;
use crate::name::Name;
use crate::source::Span;

/// An open fragment and its parts so far.
pub(super) struct Scope {
    pub(super) fragment: Fragment,
    /// The line that opened it.
    pub(super) opener: Span,
    /// The complete operands.
    pub(super) operands: Vec<NodeId>,
    /// The items of the current operand.
    pub(super) items: Vec<Item>,
    /// The kind of the loop that a directive sets.
    pub(super) loop_kind: Option<LoopKind>,
    /// The variables that each iteration of the loop has for itself.
    pub(super) fresh: Vec<Name>,
    /// Whether there is an `otus: synch` before or inside a broadcast.
    pub(super) synchronous: bool,
    /// Whether the fragment happens in parallel with the member before it (PlantUML's `&`).
    pub(super) beside: bool,
    /// How the fragment is drawn.
    pub(super) frame: Option<drawing::Frame>,
    /// The guards of the operands after the first.
    pub(super) guards: Vec<String>,
    /// The marks before the first statement of the current operand.
    pub(super) pending: Vec<drawing::Mark>,
    /// The arrows of a broadcast.
    pub(super) arrows: Vec<Arrow>,
    /// The first statement that is not allowed in a broadcast.
    pub(super) foreign: Option<Span>,
}

impl Scope {
    pub(super) fn new(fragment: Fragment, opener: Span) -> Scope {
        Scope {
            fragment,
            opener,
            operands: Vec::new(),
            items: Vec::new(),
            loop_kind: None,
            fresh: Vec::new(),
            synchronous: false,
            beside: false,
            frame: None,
            guards: Vec::new(),
            pending: Vec::new(),
            arrows: Vec::new(),
            foreign: None,
        }
    }

    /// Whether the statements of the fragment are in sequence. A frame among them then needs no
    /// scope of its own.
    pub(super) fn is_sequence(&self) -> bool {
        if let Fragment::Block(operator) = &self.fragment {
            return matches!(operator, Operator::Seq | Operator::Loop(_) | Operator::New(_));
        }
        !self.is_broadcast()
    }

    pub(super) fn is_broadcast(&self) -> bool {
        self.fragment == Fragment::Broadcast
    }
}

/// A member of a sequence.
#[derive(Clone, Copy)]
pub(super) enum Item {
    Node(NodeId),
    /// The body of a `break`, and the line that opened it.
    Break(NodeId, Span),
}

impl Item {
    pub(super) fn node(self) -> NodeId {
        match self {
            Item::Node(node) | Item::Break(node, _) => node,
        }
    }
}

/// An arrow between lifelines; `None` is the environment.
#[derive(Clone)]
pub(super) struct Arrow {
    pub(super) span: Span,
    pub(super) origin: Option<Name>,
    pub(super) message: Name,
    pub(super) target: Option<Name>,
    pub(super) guard: Vec<Atom>,
}

/// An open fragment, which an `end` closes.
pub(super) struct Opener {
    pub(super) span: Span,
    /// `false` for a frame in a sequence, whose statements belong to the enclosing scope.
    pub(super) has_scope: bool,
    /// The number of members of the enclosing sequence before it.
    pub(super) first: usize,
}
