//! `otus init`: an `otus.toml` for a folder of logs.
use crate::args::{Color, InitArgs};
use crate::exit::Exit;
pub(crate) fn run(_args: &InitArgs, _color: Color) -> anyhow::Result<Exit> { anyhow::bail!("not yet") }
