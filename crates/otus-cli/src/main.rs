//! The otus command.
fn main() {}
