//! `.pot.json`, the file format of partial-order traces.
//!
//! ```text
//! trace    := { "processes": [ process… ], "edges"?: [ edge… ], "init"?: { variable: value… } }
//! process  := { "name": text, "events"?: [ event… ] }
//! event    := { ("var": variable, "val": value)?, "set"?: { variable: value… },
//!               "label"?: text, "file"?: text, "line"?: number, "clock"?: { process: number… } }
//! edge     := [ [ who, position ], [ who, position ] ]
//! who      := name of a process | its index, from 0
//! position := a number, from 1
//! value    := number | true | false | text
//! ```
//!
//! Keys may come in any order. An edge states that its first event happened before its second.
//! Instead of edges, every event may have its vector clock: for each process, the number of its
//! events that are known, this one included; processes that are not named have 0. The clocks are
//! checked ([`from_clocks`](super::from_clocks) has the conditions), and become edges.
//! Numbers are exact: `0.25` is a quarter, and so is the text `"1/4"`. A text of digits, a slash
//! and digits is a number, and `"1/0"` is an error; any other text is itself. If the values of a
//! variable are of several kinds, all of them are texts: `3` is `"3"`. A variable that `init` does
//! not mention starts with the zero of its kind: 0, false, or the empty text.
//!
//! The file is read in one pass over its bytes, straight into the columns of the result, without a
//! tree of JSON values: a million events with as many edges take a few dozen milliseconds. Unknown
//! keys are errors, so that a misspelt key does not go unnoticed.

mod read;
mod scan;
mod write;

#[cfg(test)]
mod tests;

pub use read::read;
pub use write::write;
