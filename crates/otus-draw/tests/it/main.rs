//! Tests of the pictures from outside, in one binary.

mod multitrace;
mod order;
mod scene;
mod sequence;
mod show;
mod terminal;
