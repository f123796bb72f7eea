//! `otus convert`: writes an interaction or a multi-trace in another format.

use std::path::Path;

use anyhow::{Context as _, bail};
use otus::convert::{ConvertRequest, Converted, convert};
use otus::derive::Place;
use otus::{Format, Status};

use crate::args::ConvertArgs;
use crate::output;
use crate::shell::Shell;
use crate::trace_files;

pub(crate) fn run(args: &ConvertArgs, shell: &Shell) -> anyhow::Result<Status> {
    let (names, to, place) = destination(args)?;
    let request = ConvertRequest { names, from: args.from, to };
    write(convert(&shell.context, &request)?, to, place, args.force)
}

/// Writes the result of a conversion.
pub(super) fn write(
    converted: Converted,
    to: Format,
    place: Place,
    force: bool,
) -> anyhow::Result<Status> {
    let (converted, trace) = if let Converted::WithTrace { main, trace } = converted {
        (*main, Some(trace))
    } else {
        (converted, None)
    };
    let beside = match (&place, trace) {
        (Place::File(path), Some(trace)) => Some((path.with_extension("htf"), trace)),
        (_, Some(_)) => {
            output::complain(
                "note: the multi-trace is not printed; --to htf prints it, and -o FILE.hif writes both",
            );
            None
        }
        (_, None) => None,
    };
    let mut files = match (converted, place) {
        (Converted::Text(text), Place::File(path)) => vec![(path, text)],
        (Converted::Text(text), Place::Folder(folder)) if to == Format::Jsonl => {
            vec![(folder.join("cases.jsonl"), text)]
        }
        (
            Converted::Interaction { interaction, signature, has_signature_file },
            Place::File(path),
        ) => {
            let beside = (path.with_extension("hsf"), signature);
            let beside = Some(beside).filter(|_| !has_signature_file);
            beside.into_iter().chain([(path, interaction)]).collect()
        }
        (Converted::Interaction { interaction, signature, .. }, Place::Stdout) => {
            return output::answer(&format!("{signature}{interaction}"));
        }
        (Converted::Traces(traces), Place::Folder(folder)) => {
            output::make_folder(&folder)?;
            let path = |name: String| folder.join(format!("{name}.htf"));
            traces.into_iter().map(|(name, text)| (path(name), text)).collect()
        }
        (Converted::Traces(traces), place) => {
            let count = traces.len();
            let Ok([(_, text)]) = <[_; 1]>::try_from(traces) else {
                bail!(
                    "{count} multi-traces do not fit in one .htf; name a folder (`runs/`) or a .jsonl"
                );
            };
            match place {
                Place::File(path) => vec![(path, text)],
                Place::Stdout | Place::Folder(_) => return output::answer(&text),
            }
        }
        (_, Place::Folder(folder)) => {
            bail!("{} is a folder; name the file to write", folder.display())
        }
        (Converted::Text(text), _) => return output::answer(&text),
        (_, _) => vec![],
    };
    files.extend(beside);
    output::write_new(&files, force)?;
    for (path, _) in &files {
        output::complain(&format!("wrote {}", path.display()));
    }
    Ok(Status::Passed)
}

/// Separates the files to read from the file to write.
fn destination(args: &ConvertArgs) -> anyhow::Result<(Vec<String>, Format, Place)> {
    let mut inputs = args.files.clone();
    let named = match (&args.output, args.to) {
        (Some(output), _) => Some(output.clone()),
        // With --to alone, all files are read.
        (None, Some(_)) => None,
        (None, None) => {
            if inputs.len() < 2 {
                bail!(
                    "say what to convert to: `otus convert {} OUT`, or --to FORMAT for standard output",
                    inputs[0]
                );
            }
            inputs.pop()
        }
    };
    let Some(named) = named.filter(|named| named != "-") else {
        let format = args.to.context("writing to standard output needs --to FORMAT")?;
        return Ok((inputs, format, Place::Stdout));
    };
    let place = trace_files::place(Some(&named));
    if let Place::Folder(_) = place {
        return Ok((inputs, args.to.unwrap_or(Format::Htf), place));
    }
    let format = args.to.or_else(|| Format::of_name(Path::new(&named))).with_context(|| {
        format!(
            "the ending of {named} names no format; use .hif, .hsf, .mmd, .puml, .htf, .jsonl, .pot.json or .cnf, or --to"
        )
    })?;
    Ok((inputs, format, place))
}
