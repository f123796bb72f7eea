//! From data to scenes, a file for each kind of picture.

pub mod automaton;
pub mod failure;
pub mod layered;
pub mod multitrace;
pub mod order;
pub mod plot;
pub mod search;
pub mod sequence;
pub mod term;
pub mod tree;
