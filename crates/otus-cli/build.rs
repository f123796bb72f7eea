//! Links the program at a fixed address where that makes it start faster.
//!
//! A program that can be loaded anywhere is adjusted to its place whenever it starts: about ten thousand pointers in
//! a hundred and fifty pages, which takes a third of the time of a small check. Linux with the GNU linker does without.
#![expect(clippy::print_stdout, reason = "a build script talks to cargo by printing")]

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |key: &str, value: &str| std::env::var(key).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
