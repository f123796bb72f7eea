//! CTL over all possible orders of events.
//!
//! The state of a distributed system between events is a *cut*: a set of events that contains, with each event, all
//! events that happened before it. The cuts of a partial-order trace form a lattice, and a formula is evaluated over
//! all runs through it, from the first cut, which is empty, to the last.
//!
//! There are three entry points:
//!
//! - [`open()`] takes a [`Request`], which names a trace or raw logs and formulas; [`Check::run`] answers one formula
//!   after another, and [`answers`] all at once. [`Answer`]s and the [`Summary`] have a text and JSON.
//! - An [`Order`] has events on processes, the variables that they set, and the happened-before relation; tests build
//!   one and check a formula over it.
//! - [`Properties`] are formulas about groups of logs that grow.
//!
//! ```
//! use otus::ctl::Order;
//!
//! let mut order = Order::new();
//! let granted = order.event("p").set("p.critical", true).id();
//! let released = order.event("p").set("p.critical", false).id();
//! order.event("q").set("q.critical", true).after(released);
//!
//! assert!(order.check("AG !(p.critical & q.critical)")?.holds());
//! let answer = order.check("AF(q.critical & EX true)")?;
//! assert!(!answer.holds());
//! # let _ = granted;
//! # Ok::<(), otus::Error>(())
//! ```

mod answer;
mod check;
mod formula;
mod json;
pub mod lattice;
mod live;
mod meaning;
mod note;
mod open;
mod order;
mod report;
mod request;
mod summary;
mod text;
mod warning;
mod witness;

pub use answer::{Answer, SatisfyingCuts, Stats, Step};
pub use check::{Answers, Check};
pub use json::document;
pub use live::Properties;
pub use meaning::patterns;
pub use open::open;
pub(crate) use open::read_trace;
#[doc(hidden)]
pub use order::assert_holds;
pub use order::{Id, NewEvent, Order, Value};
pub use otus_ctl::{Arrangement, Closure, Engine};
pub use report::Report;
pub use request::{CutQuery, Request};
pub use summary::Summary;
pub use warning::{Warning, WarningKind};

use crate::context::Context;
use crate::error::Result;

/// The answers to all formulas of a request, in order.
///
/// # Errors
/// The errors of [`open()`], or an internal error of Otus.
pub fn answers(context: &Context, request: &Request) -> Result<Vec<Answer>> {
    open(context, request)?.run(context).collect()
}
