//! Tests of the pictures from outside, in one binary.

mod automaton;
mod common;
mod layered;
mod scene;
mod search;
mod sequence;
mod term;
