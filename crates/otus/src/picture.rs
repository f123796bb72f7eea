//! Pictures as bytes: SVG, and PNG with the feature `png`.

use std::path::Path;

use otus_draw::Scene;
pub use otus_draw::Theme;

use crate::error::{Error, Result, unfit};

/// The format of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PictureFormat {
    /// Scalable Vector Graphics.
    Svg,
    /// Portable Network Graphics.
    Png,
}

impl PictureFormat {
    /// The format for the ending of a name; `-` is SVG on standard output.
    pub fn of_name(name: &str) -> Option<Self> {
        if name == "-" {
            return Some(PictureFormat::Svg);
        }
        let ending = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "svg" => Some(PictureFormat::Svg),
            "png" => Some(PictureFormat::Png),
            _ => None,
        }
    }
}

/// The style of pictures.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PictureStyle {
    /// The colours.
    pub theme: Theme,
    /// The size of a PNG: pixels for each unit of the drawing.
    pub scale: f64,
    /// Fonts for characters that the built-in font lacks, as the bytes of font files.
    pub fonts: Vec<Vec<u8>>,
}

impl Default for PictureStyle {
    fn default() -> Self {
        PictureStyle { theme: Theme::Light, scale: 2.0, fonts: Vec::new() }
    }
}

/// The bytes with which a font file begins: TrueType, OpenType, and collections of them.
const FONTS: [&[u8]; 4] = [&[0, 1, 0, 0], b"true", b"OTTO", b"ttcf"];

impl PictureStyle {
    /// A style with a theme, a scale and the bytes of font files, each with its name.
    ///
    /// # Errors
    /// If the scale is not above 0, or a file is not a font.
    pub fn new(theme: Theme, scale: f64, fonts: Vec<(String, Vec<u8>)>) -> Result<Self> {
        if !(scale.is_finite() && scale > 0.0) {
            unfit!("--scale takes a number above 0, not {scale}");
        }
        let is_font = |bytes: &[u8]| FONTS.iter().any(|beginning| bytes.starts_with(beginning));
        if let Some((name, _)) = fonts.iter().find(|(_, bytes)| !is_font(bytes)) {
            unfit!("{name} is no font; --font takes .ttf and .otf files");
        }
        let fonts = fonts.into_iter().map(|(_, bytes)| bytes).collect();
        Ok(PictureStyle { theme, scale, fonts })
    }
}

/// A picture as bytes.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Picture {
    /// The bytes of the file.
    pub bytes: Vec<u8>,
    /// Warnings, such as characters without a font.
    pub remark: Option<&'static str>,
}

/// Renders a scene.
pub(crate) fn render(
    scene: &Scene,
    format: PictureFormat,
    style: &PictureStyle,
) -> Result<Picture> {
    match format {
        PictureFormat::Svg => {
            let bytes = otus_draw::svg(scene, style.theme).into_bytes();
            Ok(Picture { bytes, remark: None })
        }
        #[cfg(feature = "png")]
        PictureFormat::Png => {
            // A viewer shows an SVG with its own fonts; a PNG has only ours.
            let lacks_glyphs =
                style.fonts.is_empty() && !scene.texts().all(otus_draw::metrics::covers);
            let remark = "otus: some characters are not in the font that Otus carries; \
                          name one that has them with --font FILE, or write .svg";
            let bytes = otus_draw::png(scene, style.theme, style.scale, &style.fonts)
                .map_err(|error| Error::Unfit(error.to_string()))?;
            Ok(Picture { bytes, remark: lacks_glyphs.then_some(remark) })
        }
        #[cfg(not(feature = "png"))]
        PictureFormat::Png => {
            Err(Error::Unfit("PNG needs the feature `png` of the crate `otus`".to_owned()))
        }
    }
}
