//! Interactions as interned terms.
//!
//! This crate turns the trees of [`otus_syntax`] into what the rest of Otus computes with: a
//! [`Signature`] of lifelines and messages, and a [`Pool`] of hash-consed binary [`Term`]s over
//! it, in which equal terms have equal numbers. It knows what interactions are; it knows nothing
//! of traces or analyses.
//!
//! Data flows through it in this order: [`lower()`] resolves names and builds terms, [`lint()`]
//! looks for parts that are probably not meant, [`raise()`] turns a term back into a tree to print.
//!
//! Invariants:
//! - terms are faithful: no constructor simplifies, so positions are those of the papers;
//! - a term's operands have smaller numbers than the term;
//! - nothing recurses on the depth of a term, and nothing observable depends on hash order.
//!
//! ```
//! use otus_core::{Pool, Signature};
//!
//! let mut signature = Signature::default();
//! let (a, b) = (signature.add_lifeline("a"), signature.add_lifeline("b"));
//! let m = signature.add_message("m");
//! let mut pool = Pool::new(signature);
//! let (send, receive) = (pool.emission(a, m), pool.reception(b, m));
//! let passing = pool.strict(send, receive);
//! assert_eq!(pool.text(passing), "strict(a!m, b?m)");
//! assert!(!pool.attributes(passing).terminates);
//! ```
#![forbid(unsafe_code)]

pub mod action;
pub mod algebra;
pub mod automaton;
pub mod budget;
pub mod findings;
pub mod index;
pub mod intern;
pub mod lint;
pub mod lower;
pub mod pool;
pub mod raise;
mod region;
pub mod semantics;
pub mod set;
pub mod signature;
pub mod term;
pub mod unknown;

#[cfg(test)]
mod sample;

pub use action::Action;
pub use index::{ActionId, EventId, IndexVec, LifelineId, MessageId, RegionId, TermId};
pub use lint::lint;
pub use lower::{Lowered, lower};
pub use otus_syntax::ast::Direction;
pub use pool::Pool;
pub use raise::raise;
pub use set::LifelineSet;
pub use signature::Signature;
pub use term::{Attributes, Term};
pub use unknown::NameKind;
