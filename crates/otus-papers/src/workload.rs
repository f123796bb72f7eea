//! What is analysed: models that are written by us, and sets of multi-traces made from them by a seed.

pub mod formulas;
pub mod model;
pub mod sets;
pub mod slices;
pub mod use_cases;

pub use model::Model;
pub use sets::Class;
