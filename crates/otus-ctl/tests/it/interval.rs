//! The interval diagram against plain sets of vectors.
mod bounds;
mod lattice;
mod random;
mod small_scope;
