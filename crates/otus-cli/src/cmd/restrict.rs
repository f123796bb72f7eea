//! `otus project` and `otus remove`: restrict specifications and multi-traces to some of their lifelines, or
//! divide multi-traces into more logs.

use std::path::Path;

use anyhow::Context as _;
use otus::derive::Place;
use otus::restrict::{RestrictRequest, Restriction, restrict};
use otus::{Format, PictureFormat, Status};

use super::convert;
use crate::args::{ProjectArgs, RemoveArgs, RestrictArgs};
use crate::shell::Shell;
use crate::{output, picture, trace_files};

pub(crate) fn project(args: &ProjectArgs, shell: &Shell) -> anyhow::Result<Status> {
    let to = match &args.partition {
        Some(partition) => Restriction::Partition(partition.clone()),
        None => Restriction::Onto(args.onto.clone()),
    };
    run(&args.files, to, shell)
}

pub(crate) fn remove(args: &RemoveArgs, shell: &Shell) -> anyhow::Result<Status> {
    run(&args.files, Restriction::Without(args.lifelines.clone()), shell)
}

fn run(args: &RestrictArgs, to: Restriction, shell: &Shell) -> anyhow::Result<Status> {
    let request = RestrictRequest { names: args.files.clone(), from: args.from, to };
    let name = args.output.as_deref().filter(|name| *name != "-");
    let drawn = name.filter(|_| args.to.is_none());
    let drawn = drawn.and_then(|name| Some((name, PictureFormat::of_name(name)?)));
    if drawn.is_none() {
        picture::note_idle(&args.picture, "add -o FILE.svg or FILE.png");
    }
    let restricted = restrict(&shell.context, &request)?;
    if let Some((name, format)) = drawn {
        output::refuse_existing(Path::new(name), args.force)?;
        let style = picture::style(&args.picture)?;
        picture::deliver(&restricted.picture(format, &style)?, name)?;
        return Ok(Status::Passed);
    }
    let place = trace_files::place(name);
    let format = match (&place, args.to, name) {
        (_, Some(to), _) => to,
        (Place::Folder(_), None, _) => Format::Htf,
        (_, None, Some(name)) => Format::of_name(Path::new(name)).with_context(|| {
            format!(
                "the ending of {name} names no format; use .hif, .hsf, .mmd, .puml, .htf, .jsonl, \
                 .svg or .png, or --to"
            )
        })?,
        (_, None, None) => restricted.usual_format(),
    };
    convert::write(restricted.write(format)?, format, place, args.force)
}
