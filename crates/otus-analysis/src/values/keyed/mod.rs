//! Parallel sessions told apart by a key: one look-up for each event.
//!
//! *Plan.* A part `loopP(fresh x)(i)` or `loopP(new(x)(i))` is *keyed* if every action of i has an atom `f = x`. Its events
//! with the value v of f belong to the session of v, since `loopP(new(x)(i)) = loopP(fresh x)(loopP(i))`: sessions sort
//! themselves by value. After that x is the same in the whole session and can be forgotten. Parts that stand in
//! parallel and share no action are independent; a part without a key is one session. An interaction without any key is
//! one session as a whole; its logs take turns, so that what is left stays small.
//!
//! *Greedy firing.* The next event of any log whose session allows it happens. If all logs are consumed and all sessions can
//! end, that is an explanation. If nothing can happen any more and the shapes met are *confluent* (two events of different
//! components that can both come first leave the same in either order), there is none: in an explanation, the events before one
//! that is possible now are on other components, and by confluence it can be moved in front of them one by one.
//! Sessions must not be checked one by one: two sessions that are fine by themselves can contradict each other's causality.
//!
//! *Cut logs.* An event that nobody saw happens where an event waits for it. If more than one could, a stuck run proves nothing.
//! Such events take the time at which their log ended, so bounds from below are left to the search.
//!
//! `None` means that this engine does not decide; the search does then.

mod confluence;
mod failure;
mod fast;
mod plan;
mod report;
mod run;
mod sessions;
mod silent;
mod slow;
mod split;

pub(super) use plan::Keyed;
pub use report::{LoopReport, loops};
pub(super) use run::explain;
pub(super) use split::explain_by_sessions;
