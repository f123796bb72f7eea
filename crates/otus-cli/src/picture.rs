//! Pictures as files: SVG, PNG, or text on the terminal.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use otus_draw::{Scene, Theme};

use crate::args::{PictureArgs, PictureTheme, SearchArgs};
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

/// How the files begin that can be fonts: TrueType, OpenType, and collections of them.
const FONTS: [&[u8]; 4] = [&[0, 1, 0, 0], b"true", b"OTTO", b"ttcf"];

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
            let bytes = std::fs::read(path);
            let bytes = bytes.with_context(|| format!("cannot read {}", path.display()))?;
            if !FONTS.iter().any(|beginning| bytes.starts_with(beginning)) {
                bail!("{} is no font; --font takes .ttf and .otf files", path.display());
            }
            Ok(bytes)
        };
        Ok(Look {
            theme: theme(args.theme),
            scale: args.scale,
            fonts: args.font.iter().map(read).collect::<Result<_, _>>()?,
        })
    }

    /// Says that it was chosen how pictures look, though none is drawn.
    pub(crate) fn note_idle(args: &PictureArgs, advice: &str) {
        let usual = Look::default();
        let flags = [
            ("--theme", args.theme != PictureTheme::Light),
            ("--scale", args.scale.to_bits() != usual.scale.to_bits()),
            ("--font", !args.font.is_empty()),
        ];
        for (flag, _) in flags.iter().filter(|(_, is_given)| *is_given) {
            note_idle(flag, advice);
        }
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

/// Says that a flag about pictures does nothing, since none is drawn.
fn note_idle(flag: &str, advice: &str) {
    output::complain(&format!("note: {flag} changes nothing, since no picture is drawn; {advice}"));
}

/// The same for all flags of a search.
pub(crate) fn note_idle_search(args: &SearchArgs) {
    let advice = "add --graph FILE";
    Look::note_idle(&args.picture, advice);
    if args.graph_nodes != SearchArgs::GRAPH_NODES {
        note_idle("--graph-nodes", advice);
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

/// The theme that a flag names.
pub(crate) fn theme(named: PictureTheme) -> Theme {
    match named {
        PictureTheme::Light => Theme::Light,
        PictureTheme::Dark => Theme::Dark,
        PictureTheme::Auto => Theme::Auto,
    }
}
