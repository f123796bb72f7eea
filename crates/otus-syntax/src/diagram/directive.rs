//! `otus:` directives: constructs that diagrams lack, written in their comments.
//!
//! Mermaid (`%% otus: strict`) and PlantUML (`' otus: strict`) share this language. A diagram with
//! directives still renders in every tool, and can express every interaction.
//!
//! ```text
//! otus: strict | seq | par | alt | coreg(l1, l2) | broadcast     opens a block
//! otus: end                                                      closes it
//! otus: loopS | loopW | loopH | loopP | loopC(l1, l2)            the kind of the next loop
//! otus: loopP(fresh x) | loopC(l1, l2; fresh x)                  the same, with a value of x for each iteration
//! otus: new x, y                                                 opens a block with one value of x and y
//! otus: values                                                   brackets in labels are guards
//! otus: synch                                                    the next arrow is one step
//! otus: critical alt | critical opt                              the options of the next critical
//! otus: empty                                                    the empty interaction
//! otus: environment NAME                                         NAME is the environment
//! otus: name ALIAS NAME                                          ALIAS is the lifeline NAME
//! otus: lifeline l1, l2                                          declares lifelines
//! otus: message m1, m2                                           declares messages
//! ```
//!
//! A name is plain (without spaces, commas, parentheses and quotes) or quoted, with the escapes
//! `\"`, `\\`, `\n`, `\r`, `\t` and `\u{2028}`. Invariant: `read(write(kind)) = kind` for every
//! statement that has a directive form.

mod name;
mod read;
mod repetition;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use read::{block, has_fresh, nearly_block, read};
pub(crate) use repetition::{repetition, repetition_label};
pub(crate) use write::{block_label, write};
