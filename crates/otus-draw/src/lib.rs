//! Pictures of interactions, traces, orders, searches and failures. Pure: data in, text or bytes out.
//!
//! - [`layout`]: makes a [`Scene`] from data, with one file for each kind of picture;
//! - [`scene`]: shapes with places, roles and tones; no colours, no format;
//! - [`check`]: finds overlaps and lines that do not end on their targets;
//! - [`theme`], [`colour`], [`metrics`]: colours and strokes, those of an author, and the size of text;
//! - [`svg()`], [`svg_in_page()`] and [`png()`]: write a scene;
//! - [`terminal`]: small pictures as text.
#![forbid(unsafe_code)]

pub mod check;
pub mod colour;
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
