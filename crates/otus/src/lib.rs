//! Checks what a distributed system did against what its sequence diagrams say, from tests.
//!
//! A specification is a diagram: Mermaid, PlantUML, the diagram of a Markdown page, or an interaction in
//! the language of Otus. A [`Run`] is what was observed, lifeline by lifeline, without a common clock. A
//! check says whether the run can have happened, and if not, why, where, and what would mend it.
//!
//! ```
//! use otus::{Run, Spec, assert_conforms};
//!
//! let spec = Spec::parse("checkout.mmd", "
//! sequenceDiagram
//!   shop->>bank: charge
//!   alt enough money
//!     bank-->>shop: paid
//!     shop->>store: ship
//!   else
//!     bank-->>shop: refused
//!   end
//! ")?;
//!
//! let mut run = Run::new();
//! run.log("shop").sent("charge").received("paid").sent("ship");
//! run.log("bank").received("charge").sent("paid");
//! run.log("store").received("ship");
//! assert_conforms!(spec, run);
//!
//! // A shop that does not wait for its money:
//! let mut run = Run::new();
//! run.log("shop").sent("charge").sent("ship").received("paid");
//! run.log("bank").received("charge").sent("paid");
//! run.log("store").received("ship");
//! let outcome = spec.check(&run)?;
//! assert_eq!(
//!     outcome.failure().unwrap().headline,
//!     "shop sent ship too early: it should receive paid first"
//! );
//! # Ok::<(), otus::Error>(())
//! ```
//!
//! - [`Spec`]: what should happen; [`Run`] and [`Recorder`] (for threads and tasks): what did;
//! - [`Options`]: what may be missing of logs, which lifelines share one, limits;
//! - [`Outcome`], [`Failure`]: the answer and the reason, as data and as text;
//! - [`assert_conforms!`]: the same in a test;
//! - [`Project`]: raw logs, by an `otus.toml`;
//! - [`ctl`]: formulas over every order that the observed causality allows, and [`assert_holds!`].
//!
//! The crates below (`otus-syntax`, `otus-core`, `otus-trace`, `otus-analysis`, `otus-ctl`) have all the rest;
//! their interfaces may change with every version, that of this crate does not without a new one.
//!
//! The feature `draw` adds pictures of specifications: `Spec::svg` and `Spec::text`.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod assert;
mod check;
pub mod ctl;
mod error;
mod options;
mod outcome;
mod project;
mod recorder;
mod render;
mod run;
mod spec;
mod tell;

/// The examples of `docs/library.md` are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
struct Page;

#[doc(hidden)]
pub use assert::assert_conforms;
pub use error::{Error, Finding};
pub use options::{Observed, Options};
pub use outcome::{Expected, Failure, Outcome, Place, Verdict};
pub use project::{Outcomes, Project};
pub use recorder::{Recorder, SharedLog};
pub use run::{Log, Recorded, Run};
pub use spec::Spec;
