//! Pictures as files: SVG, PNG, or text on the terminal.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use otus_draw::{Scene, Theme};

use crate::args::{PictureArgs, PictureTheme};
use crate::output;

/// The formats that pictures are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PictureFormat {
    Svg,
    Png,
}

impl PictureFormat {
    /// What the ending of a file asks for; `-` is SVG on standard output.
    pub(crate) fn of(name: &str) -> Option<Self> {
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

/// How pictures look.
#[derive(Debug, Clone)]
pub(crate) struct Look {
    theme: Theme,
    scale: f64,
    fonts: Vec<Vec<u8>>,
}

impl Default for Look {
    fn default() -> Self {
        Look { theme: Theme::Light, scale: 2.0, fonts: Vec::new() }
    }
}

impl Look {
    pub(crate) fn new(args: &PictureArgs) -> anyhow::Result<Self> {
        if !(args.scale.is_finite() && args.scale > 0.0) {
            bail!("--scale takes a number above 0, not {}", args.scale);
        }
        let read = |path: &PathBuf| {
            std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
        };
        Ok(Look {
            theme: match args.theme {
                PictureTheme::Light => Theme::Light,
                PictureTheme::Dark => Theme::Dark,
                PictureTheme::Auto => Theme::Auto,
            },
            scale: args.scale,
            fonts: args.font.iter().map(read).collect::<Result<_, _>>()?,
        })
    }

    /// Writes a picture in the format that the name asks for.
    pub(crate) fn write(&self, scene: &Scene, name: &str) -> anyhow::Result<()> {
        let Some(format) = PictureFormat::of(name) else {
            bail!("pictures are written as .svg or .png, not as {name}");
        };
        if name == "-" {
            return output::print(&otus_draw::svg(scene, self.theme));
        }
        let path = Path::new(name);
        match format {
            PictureFormat::Svg => output::write_file(path, &otus_draw::svg(scene, self.theme))?,
            PictureFormat::Png => {
                self.warn_of_missing_glyphs(scene);
                let bytes = otus_draw::png(scene, self.theme, self.scale, &self.fonts)?;
                output::write_bytes(path, &bytes)?;
            }
        }
        output::complain(&format!("wrote {name}"));
        Ok(())
    }

    /// Our font has no Chinese, say; an SVG is shown with the fonts of the viewer, a PNG is not.
    fn warn_of_missing_glyphs(&self, scene: &Scene) {
        if self.fonts.is_empty() && !scene.texts().all(otus_draw::metrics::covers) {
            output::complain(
                "otus: some characters are not in the font that Otus carries; \
                 name one that has them with --font FILE, or write .svg",
            );
        }
    }
}

/// Shows a file in the desktop's viewer. Where there is none, the file is still there.
pub(crate) fn open(name: &str) {
    let programs: &[&[&str]] = if cfg!(target_os = "macos") {
        &[&["open"]]
    } else if cfg!(windows) {
        &[&["cmd", "/C", "start", ""]]
    } else {
        &[&["xdg-open"], &["gio", "open"]]
    };
    for program in programs {
        let mut command = std::process::Command::new(program[0]);
        command.args(&program[1..]).arg(name);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        if command.status().is_ok_and(|status| status.success()) {
            return;
        }
    }
    output::complain(&format!("otus: no viewer could be started; open {name} by hand"));
}
