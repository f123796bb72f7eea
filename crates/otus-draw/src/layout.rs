//! Layouts: each file turns one kind of data into a scene.

mod arrow;
pub mod automaton;
pub mod failure;
pub mod layered;
pub mod multitrace;
pub mod order;
pub mod plot;
pub mod search;
pub mod sequence;
pub mod sharing;
pub mod term;
pub mod tree;
