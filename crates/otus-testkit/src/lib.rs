//! What the tests of all crates share. Never part of the product.
//!
//! - [`corpus`]: models with recorded verdicts, when they are there;
//! - [`generate`]: random texts for property tests;
//! - [`oracle`]: what interactions mean, slowly; [`small_scope`]: all small ones, and random larger
//!   ones, to ask it about; [`mod@reference`]: the small-step rules as they are printed;
//! - [`ctl_cases`]: random partial orders and formulas about them;
//! - [`sat`]: satisfiability problems as questions about multi-traces;
//! - [`spec`]: runs the literate cases of `spec/`;
//! - [`fuzz`]: what must hold of any bytes whatever, and a harness that needs no special
//!   toolchain; `fuzz/` drives the same functions with libFuzzer.
#![forbid(unsafe_code)]

pub mod corpus;
pub mod ctl_cases;
pub mod fuzz;
pub mod generate;
pub mod oracle;
pub mod read;
pub mod reference;
pub mod small_scope;
pub mod spec;

pub use otus_papers::sat;
