//! Code that the tests of all crates share. It is never part of the product.
//!
//! - [`corpus`]: models with recorded verdicts, if they are available;
//! - [`generate`]: random texts for property tests;
//! - [`oracle`]: a slow reference semantics of interactions and formulas; [`small_scope`]: all small interactions and random
//!   larger ones, to compare with it;
//! - [`valued_cases`]: random interactions with values, and multi-traces with facts;
//! - [`ctl_cases`]: random partial orders and formulas about them;
//! - [`sat`]: satisfiability problems as questions about multi-traces;
//! - [`spec`]: the runner of the literate cases of `spec/`;
//! - [`fuzz`]: promises about all inputs, and a harness that needs no special toolchain; `fuzz/` runs the same functions with
//!   libFuzzer.
#![forbid(unsafe_code)]

pub mod corpus;
pub mod ctl_cases;
pub mod fuzz;
pub mod generate;
pub mod oracle;
pub mod read;
pub mod small_scope;
pub mod spec;
pub mod valued_cases;

pub use otus_papers::sat;
