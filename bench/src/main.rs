//! Workloads.
fn main() {}
