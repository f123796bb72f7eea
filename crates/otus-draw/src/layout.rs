//! From data to scenes, a file for each kind of picture.

pub mod multitrace;
pub mod order;
pub mod sequence;
