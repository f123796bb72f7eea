//! The papers' searches give the right verdicts: compared with the oracle on all small cases and
//! on random larger ones, with every option, with witnesses and certificates checked.
//!
//! - [`sweep`]: which cases; [`truth`]: what the oracle says about one; [`case`]: how it is asked, with its
//!   [`options`];
//! - [`witnesses`], [`closed`], [`cuts`], [`legacy`]: what else is checked of a case, in turn;
//! - [`generation`]: exploration and random multi-traces;
//! - [`corpus`]: the recorded verdicts of the peer and of a brute-force oracle;
//! - [`found`]: what all this found once.
//!
//! `OTUS_SCOPE=large` takes larger scopes, for hours.
#![expect(clippy::print_stdout, reason = "how much was compared, and what was skipped, is said")]

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

/// Beyond this a search without memory is taken for too large.
const MAX_STATES: u64 = 1_000;
