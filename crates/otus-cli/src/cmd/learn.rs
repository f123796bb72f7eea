//! `otus learn`: writes the diagram that was learnt from runs.

use std::path::PathBuf;

use anyhow::bail;
use clap::ValueEnum as _;
use clap::builder::PossibleValue;
use otus::learn::{LearnRequest, Learnt, Loops, learn};
use otus::{Format, PictureFormat, PictureStyle};

use crate::args::{LearnArgs, LearnFormat, LearnLoops};
use crate::cases::refuse_existing;
use crate::exit::Exit;
use crate::output;
use crate::shell::Shell;

pub(crate) fn run(args: &LearnArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let target = Target::new(args)?;
    let mut request = LearnRequest::new(args.files.iter().cloned());
    request.config = args.logs.config.as_ref().map(PathBuf::from);
    request.group.clone_from(&args.logs.group);
    request.loops = match args.loops {
        LearnLoops::Never => Loops::Never,
        LearnLoops::Several => Loops::Several,
        LearnLoops::Always => Loops::Always,
    };
    request.is_split = args.split;
    let learnt = learn(&shell.context, &request)?;
    target.write(&learnt)?;
    for remark in learnt.remarks() {
        output::complain(&remark);
    }
    Ok(Exit::Success)
}

/// The file and the format of the diagram.
enum Target {
    Print(Format),
    File(PathBuf, Format),
    Picture(String, PictureFormat),
}

impl From<LearnFormat> for Format {
    fn from(format: LearnFormat) -> Format {
        match format {
            LearnFormat::Mermaid => Format::Mermaid,
            LearnFormat::Plantuml => Format::Plantuml,
            LearnFormat::Hif => Format::Hif,
        }
    }
}

impl Target {
    fn new(args: &LearnArgs) -> anyhow::Result<Target> {
        let to = args.to.map(Format::from);
        let Some(name) = args.output.as_deref().filter(|name| *name != "-") else {
            return Ok(Target::Print(to.unwrap_or(Format::Mermaid)));
        };
        let path = PathBuf::from(name);
        refuse_existing(&path, args.force)?;
        let picture = PictureFormat::of_name(name);
        let ending = Format::of_name(&path);
        let format = match (to, picture) {
            (Some(to), _) => {
                if picture.is_some() || ending.is_some_and(|ending| ending != to) {
                    let flag = args.to.and_then(|to| to.to_possible_value());
                    let flag = flag.as_ref().map(PossibleValue::get_name).unwrap_or_default();
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
            refuse_existing(&path.with_extension("hsf"), args.force)?;
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
            Target::File(path, format) => {
                output::write_file(path, &text(*format))?;
                output::complain(&format!("wrote {}", path.display()));
                Ok(())
            }
            Target::Picture(name, format) => {
                let picture = learnt.picture(*format, &PictureStyle::default())?;
                if let Some(remark) = picture.remark {
                    output::complain(remark);
                }
                output::deliver(name, &picture.bytes, None)
            }
        }
    }
}
