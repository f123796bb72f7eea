//! Pictures as files: SVG, PNG, or text on the terminal.

use std::path::PathBuf;

use anyhow::Context as _;
pub(crate) use otus::PictureFormat;
use otus::{Picture, PictureStyle, Theme};

use crate::args::{PictureArgs, PictureTheme, SearchArgs};
use crate::output;

/// The style of pictures, from the command line.
#[derive(Debug, Clone)]
pub(crate) struct Look {
    style: PictureStyle,
}

impl Look {
    pub(crate) fn new(args: &PictureArgs) -> anyhow::Result<Self> {
        let read = |path: &PathBuf| {
            let bytes = std::fs::read(path);
            let bytes = bytes.with_context(|| format!("cannot read {}", path.display()))?;
            Ok((path.display().to_string(), bytes))
        };
        let fonts: anyhow::Result<Vec<_>> = args.font.iter().map(read).collect();
        Ok(Look { style: PictureStyle::new(theme(args.theme), args.scale, fonts?)? })
    }

    pub(crate) fn style(&self) -> PictureStyle {
        self.style.clone()
    }

    /// Warns that flags about pictures have no effect, because no picture is drawn.
    pub(crate) fn note_idle(args: &PictureArgs, advice: &str) {
        let usual = PictureStyle::default();
        let flags = [
            ("--theme", args.theme != PictureTheme::Light),
            ("--scale", args.scale.to_bits() != usual.scale.to_bits()),
            ("--font", !args.font.is_empty()),
        ];
        for (flag, _) in flags.iter().filter(|(_, is_given)| *is_given) {
            note_idle(flag, advice);
        }
    }
}

/// Writes a picture; `-` is standard output.
pub(crate) fn deliver(picture: &Picture, name: &str) -> anyhow::Result<()> {
    if let Some(remark) = picture.remark {
        output::complain(remark);
    }
    output::deliver(name, &picture.bytes, None)
}

/// Warns that a flag has no effect, because no picture is drawn.
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

/// Opens a file in the viewer of the desktop. Without a viewer, the file is still written.
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
