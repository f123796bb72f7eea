//! Recognition of asynchronous message passings in terms.
//!
//! Lowering turns `a -- m -> (b, c)` into `strict(a!m, seq(b?m, c?m))`. Printing and drawing turn such a
//! term back into one arrow.

use otus_syntax::ast::Direction;

use crate::action::Action;
use crate::index::{LifelineId, MessageId, TermId};
use crate::pool::Pool;
use crate::term::Term;

/// An asynchronous message passing with at least one receiver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AsynchronousPassing {
    /// The lifeline that sends the message.
    pub sender: LifelineId,
    /// The message.
    pub message: MessageId,
    /// The lifelines that receive it, distinct, in the order of the term.
    pub receivers: Vec<LifelineId>,
}

/// The passing `strict(a!m, seq(b?m, seq(c?m, …)))` that a term is, if the receivers are distinct.
pub fn asynchronous_passing(pool: &Pool, term: TermId) -> Option<AsynchronousPassing> {
    let (left, mut rest) = pool.node(term).as_strict()?;
    let Action { lifeline: sender, message, .. } = only_action(pool, left, Direction::Emission)?;
    let mut receivers = Vec::new();
    loop {
        let tail = pool.node(rest).as_coreg(Pool::NONE);
        let reception =
            only_action(pool, tail.map_or(rest, |(head, _)| head), Direction::Reception)?;
        if reception.message != message {
            return None;
        }
        receivers.push(reception.lifeline);
        let Some((_, next)) = tail else { break };
        rest = next;
    }
    let mut sorted = receivers.clone();
    sorted.sort_unstable();
    let distinct = sorted.windows(2).all(|pair| pair[0] != pair[1]);
    distinct.then_some(AsynchronousPassing { sender, message, receivers })
}

/// The action of a term that is an event of one action in the given direction.
fn only_action(pool: &Pool, term: TermId, direction: Direction) -> Option<Action> {
    let Term::Event(event) = pool.node(term) else { return None };
    let [only] = pool.event_actions(event) else { return None };
    Some(pool.action(*only)).filter(|action| action.direction == direction)
}
