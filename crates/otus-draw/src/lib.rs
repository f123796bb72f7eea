//! Any of what Otus knows → a picture. Pure: data in, text or bytes out.
//!
//! - [`layout`]: from data to a [`Scene`], a file for each kind of picture;
//! - [`scene`]: shapes with places, roles and tones; no colours, no format;
//! - [`check`]: finds overlaps and lines that end nowhere;
//! - [`theme`], [`metrics`]: ink, and how much room text takes;
//! - [`svg()`] and [`png()`]: a scene as a file.
//! - [`terminal`]: small sequence diagrams as text.
#![forbid(unsafe_code)]

pub mod check;
pub mod geometry;
pub mod layout;
pub mod metrics;
#[cfg(feature = "png")]
pub mod raster;
pub mod scene;
pub mod svg;
pub mod terminal;
pub mod theme;

#[cfg(feature = "png")]
pub use raster::png;
pub use scene::Scene;
pub use svg::{svg, svg_in_page};
pub use theme::Theme;
