//! `otus learn`: learns a diagram from runs and writes it.

use std::path::PathBuf;

use anyhow::bail;
use otus::learn::{LearnRequest, Learnt, learn};
use otus::{Format, PictureFormat, PictureStyle, Status};

use crate::args::{LEARN_FORMATS, LearnArgs, name_of};
use crate::shell::Shell;
use crate::{output, picture};

pub(crate) fn run(args: &LearnArgs, shell: &Shell) -> anyhow::Result<Status> {
    let target = Target::new(args)?;
    let mut request = LearnRequest::new(args.files.iter().cloned());
    request.config = args.logs.config.as_ref().map(PathBuf::from);
    request.group.clone_from(&args.logs.group);
    request.loops = args.loops;
    request.is_split = args.split;
    request.ignore_peers = args.ignore_peers;
    let learnt = learn(&shell.context, &request)?;
    target.write(&learnt)?;
    for remark in learnt.remarks() {
        output::complain(&remark);
    }
    Ok(Status::Passed)
}

enum Target {
    Print(Format),
    File(PathBuf, Format),
    Picture(String, PictureFormat),
}

impl Target {
    fn new(args: &LearnArgs) -> anyhow::Result<Target> {
        let Some(name) = args.output.as_deref().filter(|name| *name != "-") else {
            return Ok(Target::Print(args.to.unwrap_or(Format::Mermaid)));
        };
        let path = PathBuf::from(name);
        output::refuse_existing(&path, args.force)?;
        let picture = PictureFormat::of_name(name);
        let ending = Format::of_name(&path);
        let format = match (args.to, picture) {
            (Some(to), _) => {
                if picture.is_some() || ending.is_some_and(|ending| ending != to) {
                    let flag = name_of(LEARN_FORMATS, &to);
                    output::complain(&format!(
                        "warning: {name} is written as {flag}, which its ending does not say"
                    ));
                }
                to
            }
            (None, Some(picture)) => return Ok(Target::Picture(name.to_owned(), picture)),
            (None, None) => match ending {
                Some(format @ (Format::Mermaid | Format::Plantuml | Format::Hif)) => format,
                _ => bail!(
                    "the ending of {name} names no format; use .mmd, .puml, .hif, .svg or .png, or \
                     --to"
                ),
            },
        };
        if format == Format::Hif {
            output::refuse_existing(&path.with_extension("hsf"), args.force)?;
        }
        Ok(Target::File(path, format))
    }

    fn write(&self, learnt: &Learnt) -> anyhow::Result<()> {
        let text = |format| learnt.text(format).unwrap_or_default();
        match self {
            Target::Print(Format::Hif) => output::print(&(text(Format::Hsf) + &text(Format::Hif))),
            Target::Print(format) => output::print(&text(*format)),
            Target::File(path, Format::Hif) => {
                let beside = path.with_extension("hsf");
                output::write_file(&beside, &text(Format::Hsf))?;
                output::write_file(path, &text(Format::Hif))?;
                output::complain(&format!("wrote {} and {}", path.display(), beside.display()));
                Ok(())
            }
            Target::File(path, format) => output::deliver(path, text(*format).as_bytes(), None),
            Target::Picture(name, format) => {
                picture::deliver(&learnt.picture(*format, &PictureStyle::default())?, name)
            }
        }
    }
}
