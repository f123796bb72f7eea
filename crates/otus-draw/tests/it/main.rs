//! Tests of the pictures from outside, in one binary.

mod automaton;
mod common;
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
