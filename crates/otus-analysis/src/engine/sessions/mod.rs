//! Parallel sessions: long logs of a loop whose iterations overlap.
//!
//! `loopP(x)` has any number of *sessions* in flight. A residual of it is a multiset: how many sessions are in which
//! residual of x, its *shape*. A search over such multisets meets a new one at every event. But if each moment
//! determines the shape of the session that it moves, there is nothing to search: it never hurts to let an event happen
//! as soon as it can. So events are *fired greedily*: as long as the next moment of some log can happen, it is
//! consumed.
//!
//! **Pass.** If greedy firing consumes all logs, and what is left of each session can be completed by unobserved
//! events, then it is an explanation, whatever choices were made on the way.
//!
//! **Fail.** If greedy firing gets stuck, there is no explanation, provided that its choices were forced. Two classes
//! of bodies guarantee this:
//!
//! 1. *Shapes* ([`shapes`]). Every symbol belongs to one leaf; every leaf is enabled in one shape; and leaves that are
//!    enabled in the same shape, except the initial one, share a component. Then the next moment of a log
//!    says which shape moves and where to. Two moves that are possible at the same time are on different logs, so on different
//!    shapes, or on the initial one, of which there are enough; neither disables the other. Hence they commute, and
//!    an event that is enabled now can be moved to the front of any explanation (Keller's persistence). ∎
//! 2. *Counts* ([`counts`]). The body has no choice and no event twice: it is a partial order of events. Let #e be how
//!    often e was fired. If all sessions are served in the order in which they began, event f may happen iff
//!    #e > #f for each e before f in the body; and if an explanation exists, one in this order does: give
//!    the k-th occurrence of every event to the k-th session. This is a marked graph (Commoner, Holt, Even and
//!    Pnueli, 1971), in which no event disables another. ∎
//!
//! *Unobserved events* of a log that stopped early are fired on demand: only if a moment needs one. In class 2, and in class 1
//! if every shape that is not at its end has one predecessor, such an event is needed in every explanation, so firing it is harmless as
//! well.
//!
//! *Logs that may start late* leave a choice, so then greedy firing can only prove Pass. Before such a log starts, its
//! component may have done anything unobserved. So every shape that the components that have not started can reach by
//! themselves is in *stock*: any number of sessions may have it, and those that are not needed have never begun.
//!
//! *Around the loop* ([`frame`]) other parts may stand in sequence with it or beside it.
//!
//! In all other cases the answer is unknown, and the searches decide.
//!
//! *Cost.* Constant time for each event, memory by the number of shapes. The tables are made once for an interaction
//! ([`net`]). *Switch.* `Options::sessions`. *Counter.* `Counters::sessions`.

mod bag;
mod counts;
mod fire;
mod frame;
mod net;
mod shapes;
mod trail;

pub(super) use fire::{explain, trail};
pub(super) use net::Net;
pub(super) use trail::{Fired, Trail};
