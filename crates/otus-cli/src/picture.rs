//! Writes pictures: as SVG or PNG files, or as text on the terminal.

use std::path::PathBuf;

use anyhow::Context as _;
use otus::{Picture, PictureStyle};

use crate::args::{PictureArgs, SearchArgs};
use crate::output;

pub(crate) fn style(args: &PictureArgs) -> anyhow::Result<PictureStyle> {
    let read = |path: &PathBuf| {
        let bytes = std::fs::read(path);
        let bytes = bytes.with_context(|| format!("cannot read {}", path.display()))?;
        Ok((path.display().to_string(), bytes))
    };
    let fonts: anyhow::Result<Vec<_>> = args.font.iter().map(read).collect();
    Ok(PictureStyle::new(args.theme, args.scale, fonts?)?)
}

/// Writes a picture; `-` is standard output.
pub(crate) fn deliver(picture: &Picture, name: &str) -> anyhow::Result<()> {
    if let Some(remark) = &picture.remark {
        output::complain(remark);
    }
    output::deliver(picture.file_name(name), &picture.bytes, None)
}

/// Warns that flags about pictures have no effect, because no picture is drawn.
pub(crate) fn note_idle(args: &PictureArgs, advice: &str) {
    let usual = PictureStyle::default();
    note_flag("--theme", args.theme != usual.theme, advice);
    note_flag("--scale", args.scale.to_bits() != usual.scale.to_bits(), advice);
    note_flag("--font", !args.font.is_empty(), advice);
}

/// Like [`note_idle`], for all flags of a search.
pub(crate) fn note_idle_search(args: &SearchArgs) {
    let advice = "add --graph FILE";
    note_idle(&args.picture, advice);
    note_flag("--graph-nodes", args.graph_nodes != SearchArgs::GRAPH_NODES, advice);
}

fn note_flag(flag: &str, is_given: bool, advice: &str) {
    if is_given {
        output::complain(&format!(
            "note: {flag} changes nothing, since no picture is drawn; {advice}"
        ));
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
