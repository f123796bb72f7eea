//! The page of a report, compiled and tested by itself until `otus analyze` writes it.

#[path = "../src/report/html/mod.rs"]
mod html;
