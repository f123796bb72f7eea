//! Scenes as PNG, rendered by resvg with the bundled font: the same pixels on every machine.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};
use thiserror::Error;

use crate::metrics::{BOLD, REGULAR};
use crate::scene::Scene;
use crate::svg::svg;
use crate::theme::Theme;

/// The reason why there is no PNG.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RasterError {
    /// It would have too many pixels.
    #[error("a picture of {width} × {height} pixels is too large for PNG")]
    TooLarge {
        /// The width in pixels.
        width: u64,
        /// The height in pixels.
        height: u64,
    },
    /// The renderer rejects our SVG, which is a bug.
    #[error("the SVG could not be rendered: {0}")]
    Renderer(String),
}

/// The most pixels of a picture: 400 MB of memory.
const MAX_PIXELS: u64 = 100_000_000;

/// The picture as a PNG file, with `scale` pixels for each unit. Characters that the bundled font lacks
/// are taken from `fonts`, the contents of other font files.
///
/// # Errors
/// If it is too large.
pub fn png(
    scene: &Scene,
    theme: Theme,
    scale: f64,
    fonts: &[Vec<u8>],
) -> Result<Vec<u8>, RasterError> {
    let renderer = |error: &dyn std::fmt::Display| RasterError::Renderer(error.to_string());
    let mut known = fontdb::Database::new();
    for font in [REGULAR, BOLD].into_iter().chain(fonts.iter().map(Vec::as_slice)) {
        known.load_font_data(font.to_vec());
    }
    known.set_sans_serif_family("DejaVu Sans");
    let options = Options { fontdb: Arc::new(known), ..Options::default() };
    let pixels = |length: f64| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let count = (length * scale).ceil().max(1.0) as u64;
        count
    };
    let (width, height) = (pixels(scene.size.width), pixels(scene.size.height));
    let too_large = RasterError::TooLarge { width, height };
    if width.saturating_mul(height) > MAX_PIXELS {
        return Err(too_large);
    }
    let (Ok(w), Ok(h)) = (u32::try_from(width), u32::try_from(height)) else {
        return Err(too_large);
    };
    let tree = Tree::from_str(&svg(scene, theme), &options).map_err(|error| renderer(&error))?;
    let mut pixmap = Pixmap::new(w, h).ok_or(too_large)?;
    #[expect(clippy::cast_possible_truncation, reason = "a scale needs no sixteen digits")]
    let transform = Transform::from_scale(scale as f32, scale as f32);
    resvg::render(&tree, transform, &mut pixmap.as_mut());
    pixmap.encode_png().map_err(|error| renderer(&error))
}
