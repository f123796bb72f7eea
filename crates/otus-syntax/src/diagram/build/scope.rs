//! What is open while a diagram is read.

use crate::ast::{LoopKind, NodeId};
use crate::diagram::statement::{Block, Fragment};
use crate::name::Name;
use crate::source::Span;

/// What has been read of an open fragment.
pub(super) struct Scope {
    pub(super) fragment: Fragment,
    /// The line that opened it.
    pub(super) opener: Span,
    /// The operands that a separator has ended.
    pub(super) operands: Vec<NodeId>,
    /// The operand being read.
    pub(super) items: Vec<Item>,
    /// The kind a directive gave to a loop.
    pub(super) loop_kind: Option<LoopKind>,
    /// Whether `otus: synch` stands before a broadcast or inside it.
    pub(super) synchronous: bool,
    /// The arrows of a broadcast.
    pub(super) arrows: Vec<Arrow>,
    /// The first statement that a broadcast cannot have.
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
            synchronous: false,
            arrows: Vec::new(),
            foreign: None,
        }
    }

    /// Whether its statements follow each other, so that a frame among them can dissolve.
    pub(super) fn is_sequence(&self) -> bool {
        match &self.fragment {
            Fragment::Alt
            | Fragment::Opt
            | Fragment::Par
            | Fragment::Loop(_)
            | Fragment::Break
            | Fragment::Frame
            | Fragment::Block(Block::Seq | Block::Loop(_)) => true,
            Fragment::Block(
                Block::Strict | Block::Par | Block::Alt | Block::Coreg(_) | Block::Broadcast,
            ) => false,
        }
    }

    pub(super) fn is_broadcast(&self) -> bool {
        matches!(self.fragment, Fragment::Block(Block::Broadcast))
    }
}

/// A member of a sequence.
#[derive(Clone, Copy)]
pub(super) enum Item {
    Node(NodeId),
    /// The body of a `break`, and the line that opened it.
    Break(NodeId, Span),
}

/// An arrow of a broadcast.
pub(super) struct Arrow {
    pub(super) span: Span,
    pub(super) origin: Option<Name>,
    pub(super) message: Name,
    pub(super) target: Option<Name>,
}

/// A fragment that an `end` will close.
pub(super) struct Opener {
    pub(super) span: Span,
    /// `false` for a frame inside a sequence, which adds to the scope around it.
    pub(super) has_scope: bool,
}
