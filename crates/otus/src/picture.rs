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
    pub remark: Option<String>,
    /// The format of the bytes, if it differs from the one that the caller asked for.
    pub replaced_by: Option<PictureFormat>,
}

impl Picture {
    /// A text or picture in the format that was asked for.
    pub(crate) fn new(bytes: impl Into<Vec<u8>>) -> Picture {
        Picture { bytes: bytes.into(), remark: None, replaced_by: None }
    }

    /// The file to write: the given name, with another ending if the format differs.
    pub fn file_name(&self, name: &str) -> String {
        file_name(name, self.replaced_by)
    }
}

pub(crate) fn file_name(name: &str, replaced_by: Option<PictureFormat>) -> String {
    let ending = match replaced_by {
        Some(PictureFormat::Svg) => "svg",
        Some(PictureFormat::Png) => "png",
        None => return name.to_owned(),
    };
    Path::new(name).with_extension(ending).to_string_lossy().into_owned()
}

/// Renders a scene.
pub(crate) fn render(
    scene: &Scene,
    format: PictureFormat,
    style: &PictureStyle,
) -> Result<Picture> {
    match format {
        PictureFormat::Svg => Ok(svg(scene, style)),
        PictureFormat::Png => png(scene, style)
            .map_err(|reason| Error::Unfit(format!("{reason}; write .svg, or lower --scale"))),
    }
}

/// Renders a scene for a command whose main result is something else, such as a verdict, which must not be lost: a
/// scene that is too large for PNG becomes SVG, with a note.
pub(crate) fn render_or_svg(scene: &Scene, format: PictureFormat, style: &PictureStyle) -> Picture {
    match format {
        PictureFormat::Svg => svg(scene, style),
        PictureFormat::Png => png(scene, style).unwrap_or_else(|reason| Picture {
            remark: Some(format!(
                "note: {reason}, so it is written as SVG; --scale makes it smaller"
            )),
            replaced_by: Some(PictureFormat::Svg),
            ..svg(scene, style)
        }),
    }
}

fn svg(scene: &Scene, style: &PictureStyle) -> Picture {
    Picture::new(otus_draw::svg(scene, style.theme))
}

/// The picture as PNG, or the reason why there is none.
#[cfg(feature = "png")]
fn png(scene: &Scene, style: &PictureStyle) -> std::result::Result<Picture, String> {
    let bytes = otus_draw::png(scene, style.theme, style.scale, &style.fonts)
        .map_err(|error| error.to_string())?;
    // An SVG is shown with the fonts of the viewer's machine; a PNG is drawn with the fonts of this
    // machine.
    let missing = otus_draw::raster::missing(scene, &style.fonts);
    Ok(Picture { remark: (!missing.is_empty()).then(|| lack(&missing)), ..Picture::new(bytes) })
}

/// The remark on characters without a font.
#[cfg(feature = "png")]
fn lack(missing: &[char]) -> String {
    let shown: Vec<String> =
        missing.iter().take(5).map(|c| format!("{c} (U+{:04X})", u32::from(*c))).collect();
    let more = match missing.len().saturating_sub(shown.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "otus: no font of this machine has {}{more}; name one that has them with --font FILE, \
         or write .svg",
        shown.join(", ")
    )
}

#[cfg(not(feature = "png"))]
fn png(_: &Scene, _: &PictureStyle) -> std::result::Result<Picture, String> {
    Err("PNG needs the feature `png` of the crate `otus`".to_owned())
}
