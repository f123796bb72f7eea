//! `otus fmt`: rewrites files in their canonical form.

use otus::Status;
use otus::expand;
use otus::fmt::{Formatted, format, is_formatted};
use otus::units::counted;
use similar::TextDiff;

use crate::args::FmtArgs;
use crate::output::{self, Stream};
use crate::shell::Shell;

pub(crate) fn run(args: &FmtArgs, shell: &Shell) -> anyhow::Result<Status> {
    let mut exit = Status::Passed;
    let (mut changed, mut seen) = (0, 0);
    for name in &args.files {
        for file in expand(&*shell.context.files, name, is_formatted)? {
            seen += 1;
            let formatted = match format(&shell.context, &file, args.from) {
                Ok(formatted) => formatted,
                Err(error) => {
                    if let otus::Error::Text(found) = error {
                        output::complain(&found.render(shell.colored(Stream::Error)));
                        let name = if file == "-" { "<stdin>" } else { &file };
                        output::complain(&format!("\n{name} was left as it is"));
                    } else {
                        output::complain(&format!("otus: {error}"));
                    }
                    exit = Status::Unusable;
                    continue;
                }
            };
            if write(&formatted, args)? {
                changed += 1;
                exit = exit.max(if args.check { Status::Failed } else { Status::Passed });
            }
        }
    }
    if args.check && changed > 0 {
        output::complain(&format!(
            "{changed} of {} would change; `otus fmt` rewrites {}",
            counted(seen, "file"),
            if changed == 1 { "it" } else { "them" },
        ));
    }
    Ok(exit)
}

/// Writes the canonical form, or shows the difference. Returns whether there is one.
fn write(formatted: &Formatted, args: &FmtArgs) -> anyhow::Result<bool> {
    let Formatted { name, text, canonical, path, .. } = formatted;
    let is_same = text == canonical;
    let is_dry = args.check || args.diff;
    if !is_same && args.diff {
        let diff = TextDiff::from_lines(text.as_str(), canonical);
        let new = format!("{name} (canonical)");
        output::print(&diff.unified_diff().context_radius(3).header(name, &new).to_string())?;
    } else if !is_same && args.check {
        output::print(&format!("{name} is not in canonical form\n"))?;
    }
    match path {
        None if !is_dry => output::print(canonical)?,
        Some(path) if !is_dry && !is_same => output::write_file(path, canonical)?,
        None | Some(_) => {}
    }
    Ok(!is_same)
}
