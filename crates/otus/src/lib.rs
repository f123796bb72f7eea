//! Checks logs of distributed systems against sequence diagrams.
//!
//! This crate is the core of Otus. A [`Request`] names specifications, multi-traces and logs; [`analyze`] turns it into
//! [`Case`]s, one for each multi-trace or group of logs, and a [`Summary`]. The command line, and every other program
//! that uses Otus, parses its input, calls this crate, and shows the result.
//!
//! Tests have a smaller interface. A specification is a diagram: Mermaid, PlantUML, the diagram of a Markdown page,
//! or an interaction in the language of Otus. A [`Run`] holds the observed events of each lifeline, without a common
//! clock. A check tells whether the specification allows the run and, if not, the reason, the place and a repair.
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
//! let case = spec.check(&run)?;
//! assert_eq!(
//!     case.failure().unwrap().headline,
//!     "shop sent ship too early: it should receive paid first"
//! );
//! # Ok::<(), otus::Error>(())
//! ```
//!
//! - [`Request`], [`analyze`], [`Case`], [`Explanation`], [`Summary`]: the core;
//! - [`Context`], [`Files`], [`Monitor`], [`Cancel`]: the environment that a caller provides;
//! - [`report`]: cases as text, JSON, `JUnit`, SARIF, TAP, GitHub annotations, Markdown and HTML;
//! - [`map`], [`init`], [`learn`]: raw logs: the account of every line, a proposed `otus.toml`, a learnt diagram;
//! - [`Spec`], [`Run`], [`Recorder`], [`Options`], [`assert_conforms!`], [`Project`]: for tests;
//! - [`table`]: the runs in batches of events, as tables and streams have them; [`findings`]: what many runs have in common;
//! - [`language`]: what editors ask about texts while they are written;
//! - [`results`]: reports from what an analysis wrote before;
//! - [`live`]: groups of logs that grow, for programs that follow a running system;
//! - [`ctl`]: formulas over every order that the observed causality allows, and [`assert_holds!`].
//!
//! The crates below (`otus-syntax`, `otus-core`, `otus-trace`, `otus-analysis`, `otus-ctl`, `otus-draw`) may change
//! their interfaces in every version; this crate only in a major version.
#![forbid(unsafe_code)]
// The other build tells what nobody needs at all.
#![cfg_attr(
    not(feature = "parquet"),
    allow(dead_code, unused_imports, reason = "some parts are for tables of Parquet only")
)]
#![warn(missing_docs)]

pub mod amend;
mod analysis;
mod assert;
mod case;
mod cause;
pub mod compare;
mod context;
pub mod convert;
pub mod ctl;
pub mod derive;
mod diagnostics;
pub mod draft;
pub mod draw;
mod error;
mod explanation;
pub mod explore;
mod files;
pub mod findings;
pub mod fmt;
mod format;
pub mod generate;
mod guard;
pub mod init;
pub mod language;
pub mod learn;
pub mod lint;
mod load;
mod logs;
pub mod map;
mod options;
mod page;
#[cfg(feature = "parquet")]
mod parquet;
mod picture;
#[doc(hidden)]
pub mod project;
mod recorder;
pub mod report;
pub mod restrict;
pub mod results;
mod run;
pub mod schema;
mod spec;
pub mod suite;
mod summary;
pub mod table;
mod threads;
#[doc(hidden)]
pub mod units;
mod value;

/// The examples of `docs/library.md` are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
struct Page;

pub use analysis::attach::{GraphFormat, GraphOptions};
pub use analysis::coverage::CoverageReport;
pub use analysis::live;
pub use analysis::study;
pub use analysis::{
    Analysis, Asked, EngineChoice, Explain, Finished, Item, Limits, Request, Running,
    SearchOptions, TextFormat, UniformObservation, WitnessPolicy, analyze,
};
#[doc(hidden)]
pub use assert::assert_conforms;
pub use case::{
    AssumedValue, Attachment, AttachmentKind, Case, Columns, Execution, Missing, NoAttachment,
    Outcome, Place, Reached, Unexplained, Unusable, Valuation, VariableValue, Verdict,
};
pub use cause::{CAUSES, Cause};
pub use context::{Cancel, Context, Monitor, Notice, Progress, Silent, Stop};
pub use diagnostics::{Diagnostics, Finding};
pub use error::{Error, Result};
pub use explanation::{
    Core, CoreLog, Edit, Explanation, LogPlace, LogProgress, Note, Repair, Situation, SpecPlace,
    ValueFault,
};
pub use files::{Disk, FileKind, Files, Tap, Tapped, Texts, without_parents};
pub use format::Format;
#[doc(hidden)]
pub use guard::quiet_panics;
#[doc(hidden)]
pub use load::expand;
pub use options::{Observed, Options};
pub use page::explain;
pub use picture::{Picture, PictureFormat, PictureStyle, Theme};
pub use project::{Checked, Project};
pub use recorder::{Recorder, SharedLog};
pub use run::{Log, Recorded, Run};
pub use spec::Spec;
pub use summary::{FailOn, LifelineCount, LogSummary, Status, Summary, Verdicts};
pub use value::{EventTime, FieldValue};
