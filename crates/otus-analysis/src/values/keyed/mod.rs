//! Sessions told apart by a key: one look-up for each event.
//!
//! *Plan.* A part `loopP(fresh x)(i)` or `loopP(new(x)(i))` is *keyed* if every action of i has an atom `f = x`. Its events
//! with the value v of f belong to the session of v, since `loopP(new(x)(i)) = loopP(fresh x)(loopP(i))`: sessions sort
//! themselves by value. After that x is the same in the whole session and can be forgotten.
//!
//! *Holes.* A keyed part may be anywhere: in a session of another one, in a `loopW`, between other messages. The expression around
//! it has a [hole](super::expr) in its place, and the sessions are in a table of their own. So an interaction is a tree
//! of *units*, expressions with holes, and an event is looked up level by level: in the root, in the session of the outer
//! key, in the session of the inner key there. An action belongs to one unit; a part whose actions occur elsewhere too stays in
//! the expression around it. What the expression around a hole says of its events is which may come now, and which
//! lifelines the hole must do without from now on: then all sessions in its table must be able to do without them, and are
//! pruned. Operands of a `par` outside of all loops are holes with one session, so that their states are not multiplied.
//!
//! *Greedy firing.* The next event of any log whose sessions allow it happens. If all logs are consumed and all sessions can
//! end, that is an explanation. If nothing can happen any more and all shapes are *confluent* (two events of different
//! components that can both come first leave the same in either order), there is none: in an explanation, the events before one
//! that is possible now are on other components, and by confluence it can be moved in front of them one by one.
//! Sessions must not be checked one by one: two sessions that are fine by themselves can contradict each other's causality.
//!
//! *Holes and order.* Let e make a hole do without the lifelines D, and let g, before e in an explanation, happen in that hole on
//! another component. If D has only lifelines of e, then g is outside of D, and e can be moved in front of it: what
//! remains of g's session after g has a trace without D, so there was one before g, and it begins with g. Weak sequence is
//! like that. `strict` is not, since D has all lifelines there. The check of confluence finds this, because a hole without the lifeline of
//! g has no g. Only for the outermost `strict` more is known: events of its first operand can be moved in front of those
//! of later ones, so later operands wait until nothing else can happen, and pairs of different operands need not commute.
//!
//! *Cut logs.* An event that nobody saw happens where an event, or a hole that must do without lifelines, waits for it, and at
//! the end. It is an event of a session like any other, so what was said of moving events to the front is true of it, if in each
//! state only one is possible; if more than one is, a stuck run proves nothing. This is the same for events
//! before and after a hole. Such events take the time at which their log ended, so bounds from below are left to the search.
//!
//! *Session by session.* Where that decides nothing, [`split`] asks the exact search about each session by itself.
//!
//! `None` means that this engine does not decide; the search does then.

mod confluence;
mod failure;
mod fast;
mod fire;
mod instants;
mod levels;
mod plain;
mod plan;
mod report;
mod run;
mod sessions;
mod silent;
mod slow;
mod split;

pub(super) use plan::Keyed;
pub use report::{LoopReport, loops};
pub(super) use run::{Stuck, explain};
pub(super) use split::explain_by_sessions;
