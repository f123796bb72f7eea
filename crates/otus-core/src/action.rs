//! Actions, the letters of traces: a lifeline sends or receives a message.

use otus_syntax::ast::Direction;

use crate::index::{LifelineId, MessageId};
use crate::peer::Peer;
use crate::signature::Signature;

/// An action `l!m` or `l?m`, with its peer where that matters ([`crate::peer`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Action {
    /// θ(a), the lifeline it happens on.
    pub lifeline: LifelineId,
    /// Emission or reception.
    pub direction: Direction,
    /// The message.
    pub message: MessageId,
    /// The other end of the message; `None` if it is unknown, or makes no difference.
    pub peer: Option<Peer>,
}

impl Action {
    /// `l!m`
    pub fn emission(lifeline: LifelineId, message: MessageId) -> Self {
        Action { lifeline, direction: Direction::Emission, message, peer: None }
    }

    /// `l?m`
    pub fn reception(lifeline: LifelineId, message: MessageId) -> Self {
        Action { lifeline, direction: Direction::Reception, message, peer: None }
    }

    /// The action without its peer.
    #[must_use]
    pub fn without_peer(self) -> Action {
        Action { peer: None, ..self }
    }

    /// The action as text, without its peer: `a!m`.
    pub fn text(self, signature: &Signature) -> String {
        format!(
            "{}{}{}",
            signature.lifeline_name(self.lifeline),
            self.direction.symbol(),
            signature.message_name(self.message)
        )
    }
}
