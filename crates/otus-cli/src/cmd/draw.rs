//! `otus draw`: specifications, traces, orders and searches as pictures.
//!
//! A command line is read into a [`Drawing`], which is drawn in the form that `-o` asks for.

use std::path::Path;

use anyhow::{Context as _, bail};
use otus_core::{Lowered, TermId};
use otus_draw::Scene;
use otus_draw::layout::sequence;

use super::analyze::one_specification;
use crate::args::{Color, DrawArgs, What};
use crate::exit::Exit;
use crate::load::{Fences, Loaded};
use crate::output;
use crate::picture::{self, Look};

pub(crate) fn run(args: &DrawArgs, color: Color) -> anyhow::Result<Exit> {
    let look = Look::new(&args.picture)?;
    let mut loaded = Loaded::read(&args.files, args.from, Fences::One)?;
    let what = args.what.unwrap_or(What::Sequence);
    match what {
        What::Sequence => {
            let specification = one_specification(&mut loaded)?;
            if loaded.explain(color) {
                return Ok(Exit::Error);
            }
            let Some((lowered, _)) = specification else { return Ok(Exit::Error) };
            finish(args, &look, &sequence_of(args, &loaded, &lowered))
        }
        _ => bail!("not yet"),
    }
}

fn sequence_of(args: &DrawArgs, loaded: &Loaded, lowered: &Lowered) -> Scene {
    let files = &loaded.specs[0].files;
    let file = &files[lowered.file.unwrap_or_default()];
    let options = sequence::Options {
        title: title("Sequence diagram", args),
        only_used: args.only_used,
        ..sequence::Options::default()
    };
    sequence::sequence(file, lowered.pool.signature(), &options)
}

/// What a picture is called.
fn title(what: &str, args: &DrawArgs) -> String {
    let names: Vec<String> = args
        .files
        .iter()
        .map(|file| Path::new(file).file_name().unwrap_or_default().to_string_lossy().into_owned())
        .collect();
    format!("{what} of {}", names.join(", "))
}

/// Writes the picture, and shows it if that is wanted.
fn finish(args: &DrawArgs, look: &Look, scene: &Scene) -> anyhow::Result<Exit> {
    let output = args.output.as_deref().context("this picture needs a file: add -o picture.svg")?;
    look.write(scene, output)?;
    if args.open {
        picture::open(output)?;
    }
    Ok(Exit::Success)
}
