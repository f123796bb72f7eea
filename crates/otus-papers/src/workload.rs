//! The inputs of analyses: hand-written models, and sets of multi-traces and formulas generated from a seed.

pub mod formulas;
pub mod model;
pub mod sets;
pub mod slices;
pub mod use_cases;

pub use model::Model;
pub use sets::Class;
