//! Tests of the pictures from outside, in one binary.

mod scene;
mod sequence;
