//! The papers' searches give the right verdicts. They are compared with the oracle on all small cases and on random larger
//! ones, with every option, and their witnesses and certificates are checked.
//!
//! - [`sweep`]: the cases; [`truth`]: the answer of the oracle; [`case`]: the questions about a case, with [`options`];
//! - [`witnesses`], [`closed`], [`cuts`], [`legacy`]: further checks of a case, in turn;
//! - [`generation`]: exploration and random multi-traces;
//! - [`corpus`]: recorded verdicts of `hibou_label` and of a brute-force oracle;
//! - [`found`]: errors that these tests once found.
//!
//! `OTUS_SCOPE=large` takes larger scopes, for hours.
#![expect(clippy::print_stdout, reason = "the tests print how much was compared and skipped")]

mod case;
mod closed;
mod corpus;
mod cuts;
mod found;
mod generation;
mod legacy;
mod options;
mod sweep;
mod truth;
mod witnesses;

use crate::is_large;

const BUDGET: usize = 1_000_000;

/// The most nodes of a search without memory; a larger one is run with memory.
const MAX_STATES: u64 = 1_000;
