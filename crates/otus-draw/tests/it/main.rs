//! Tests of the public API, in one binary.

mod automaton;
mod common;
mod drawn;
mod failure;
mod layered;
mod multitrace;
mod order;
mod plot;
mod scene;
mod search;
mod sequence;
mod show;
mod term;
mod terminal;
