//! The experiments, one file for each kind.

pub(crate) mod analyses;
pub(crate) mod formulas;
pub(crate) mod measures;
pub(crate) mod nodes;
pub(crate) mod orders;
pub(crate) mod slices;
pub(crate) mod use_cases;
