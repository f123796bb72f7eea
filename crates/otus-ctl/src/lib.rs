//! Partial order × formula → verdict + witness.
//!
//! The cuts of a partial-order trace form a lattice; a formula of CTL is read over the runs through it. Data flows
//! down this list:
//!
//! - [`formula`], [`atom`]: formulas, each stored once, down to what can be asked of a cut; [`mod@lower`]: as
//!   written, with names resolved over a trace;
//! - [`track`], [`view`]: how atoms change along the trace, and the events that a formula can see;
//! - [`interval`]: the canonical interval diagram, a data structure for sets of vectors. It knows
//!   neither traces nor CTL;
//! - [`encode`], [`evaluate`]: formulas to sets of cuts; [`explicit`]: cut by cut; [`ist`]: as
//!   the paper does it;
//! - [`conjunctive`], [`check`]: the answer; [`satisfying`]: where else it holds; [`witness`]: a run that shows
//!   it; [`mod@certify`]: whether it does.
#![forbid(unsafe_code)]

pub mod atom;
pub mod certify;
pub mod check;
mod conjunctive;
mod encode;
mod evaluate;
mod explicit;
pub mod formula;
pub mod interval;
pub mod ist;
pub mod lower;
pub mod satisfying;
mod track;
mod view;
pub mod witness;

pub use certify::certify;
pub use check::{Answer, Checker, Counts, Engine, Options};
pub use formula::{Formula, FormulaId, Formulas};
pub use ist::Closure;
pub use lower::{Lowered, Property, lower, lower_with};
pub use satisfying::Satisfying;
pub use view::Arrangement;
pub use witness::{Evidence, Explanation};
