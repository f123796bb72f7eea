//! Interactions as interned terms.
//!
//! This crate turns the syntax trees of [`otus_syntax`] into the data that the rest of Otus computes
//! with: a [`Signature`] of lifelines and messages, and a [`Pool`] of hash-consed binary [`Term`]s
//! over it, in which equal terms have equal ids. It depends on neither traces nor analyses.
//!
//! [`lower()`] resolves names and builds terms, [`lint()`] warns about parts that are valid but
//! probably unintended, and [`raise()`] turns a term back into a syntax tree for printing.
//!
//! Invariants:
//! - constructors do not simplify, so positions in a term are those of the papers;
//! - the operands of a term have smaller ids than the term;
//! - no function recurses on the depth of a term, and no output depends on hash order.
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
pub mod letters;
pub mod lint;
pub mod lower;
pub mod passing;
pub mod peer;
pub mod pool;
pub mod raise;
mod region;
pub mod residual;
pub mod semantics;
pub mod set;
pub mod signature;
pub mod term;
pub mod unknown;
pub mod value;
pub mod valued;

#[cfg(test)]
mod sample;

pub use action::Action;
pub use index::{ActionId, EventId, IndexVec, LifelineId, MessageId, RegionId, TermId};
pub use lint::lint;
pub use lower::{Lowered, lower};
pub use otus_syntax::ast::Direction;
pub use peer::{Partners, Peer};
pub use pool::Pool;
pub use raise::{raise, raise_valued};
pub use set::LifelineSet;
pub use signature::Signature;
pub use term::{Attributes, Term};
pub use unknown::NameKind;
pub use value::Value;
pub use valued::Valued;
