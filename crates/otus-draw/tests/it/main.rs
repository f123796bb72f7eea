//! Tests of the pictures from outside, in one binary.

mod layered;
mod scene;
