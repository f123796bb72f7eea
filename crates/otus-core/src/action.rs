//! Actions, the letters of traces.

use otus_syntax::ast::Direction;

use crate::index::{LifelineId, MessageId};
use crate::signature::Signature;

/// An action `l!m` or `l?m`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Action {
    /// θ(a), the lifeline it happens on.
    pub lifeline: LifelineId,
    /// Emission or reception.
    pub direction: Direction,
    /// The message.
    pub message: MessageId,
}

impl Action {
    /// `l!m`
    pub fn emission(lifeline: LifelineId, message: MessageId) -> Self {
        Action { lifeline, direction: Direction::Emission, message }
    }

    /// `l?m`
    pub fn reception(lifeline: LifelineId, message: MessageId) -> Self {
        Action { lifeline, direction: Direction::Reception, message }
    }

    /// The action as text: `a!m`.
    pub fn text(self, signature: &Signature) -> String {
        format!(
            "{}{}{}",
            signature.lifeline_name(self.lifeline),
            self.direction.symbol(),
            signature.message_name(self.message)
        )
    }
}
