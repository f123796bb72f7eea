//! Scenes as PNG, rendered by resvg with the bundled font: the same pixels on every machine.
//!
//! Only a picture with characters that this font lacks depends on the machine: they come from the fonts that the caller
//! gives, and then from those of the system.

use std::collections::BTreeSet;
use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};
use thiserror::Error;
use unicode_width::UnicodeWidthChar as _;

use crate::metrics::{self, BOLD, REGULAR};
use crate::scene::Scene;
use crate::svg::svg;
use crate::theme::Theme;

/// The reason why there is no PNG.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RasterError {
    /// The picture would have too many pixels.
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

/// The maximum number of pixels of a picture: 400 MB of memory.
const MAX_PIXELS: u64 = 100_000_000;

/// The fonts for a scene: the bundled one, those given by the caller, and those of the system if
/// characters are still missing.
fn database(scene: &Scene, fonts: &[Vec<u8>]) -> fontdb::Database {
    let mut known = fontdb::Database::new();
    for font in [REGULAR, BOLD].into_iter().chain(fonts.iter().map(Vec::as_slice)) {
        known.load_font_data(font.to_vec());
    }
    if !lacking(scene, &known).is_empty() {
        known.load_system_fonts();
    }
    known.set_sans_serif_family("DejaVu Sans");
    known
}

/// The characters of a scene that no font has, in order.
fn lacking(scene: &Scene, known: &fontdb::Database) -> BTreeSet<char> {
    let mut lacking: BTreeSet<char> =
        scene.texts().flat_map(str::chars).filter(|c| needs_glyph(*c)).collect();
    for face in known.faces() {
        if lacking.is_empty() {
            break;
        }
        known.with_face_data(face.id, |data, index| {
            if let Ok(face) = ttf_parser::Face::parse(data, index) {
                lacking.retain(|c| face.glyph_index(*c).is_none());
            }
        });
    }
    lacking
}

/// Whether a character needs a glyph. Control characters do not, because they are drawn as U+FFFD; selectors and
/// joiners do not, because they are invisible.
fn needs_glyph(c: char) -> bool {
    !(c.is_control() || metrics::covers(c.encode_utf8(&mut [0; 4])) || c.width() == Some(0))
}

/// The characters of a scene that have no glyph in a PNG: neither our font nor those given nor those of the system
/// have them.
pub fn missing(scene: &Scene, fonts: &[Vec<u8>]) -> Vec<char> {
    lacking(scene, &database(scene, fonts)).into_iter().collect()
}

/// The picture as a PNG file, with `scale` pixels for each unit. Characters that the bundled font lacks
/// are taken from `fonts`, the contents of other font files, and then from the fonts of the system.
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
    let options = Options { fontdb: Arc::new(database(scene, fonts)), ..Options::default() };
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
