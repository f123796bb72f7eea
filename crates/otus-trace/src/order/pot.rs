//! `.pot.json`, the file format of partial-order traces.
//!
//! ```text
//! trace    := { "processes": [ process… ], "edges"?: [ edge… ], "init"?: { variable: value… } }
//! process  := { "name": text, "events"?: [ event… ] }
//! event    := { ("var": variable, "val": value)?, "set"?: { variable: value… },
//!               "label"?: text, "file"?: text, "line"?: number }
//! edge     := [ [ who, position ], [ who, position ] ]
//! who      := name of a process | its index, from 0
//! position := a number, from 1
//! value    := number | true | false | text
//! ```
//!
//! Keys may come in any order. An edge says that its first event happened before its second.
//! Numbers are exact: `0.25` is a quarter, and so is the text `"1/4"`; a text of digits, a stroke
//! and digits is a number, and every other text is itself. A variable that `init` does not mention
//! starts with the zero of its kind: 0, false, or the empty text.
//!
//! The file is read in one pass over its bytes, straight into the columns of the result: there is
//! no tree of JSON values, and a million events with as many edges take a few dozen
//! milliseconds. Whatever is wrong is told with its place; a key that the format does not have
//! is an error, so that a misspelt one is not silently without effect.

mod read;
mod scan;
mod write;

#[cfg(test)]
mod tests;

pub use read::read;
pub use write::write;
