//! `otus init`: writes a proposed `otus.toml`.

use std::path::{Path, PathBuf};

use otus::Status;
use otus::init::{InitRequest, propose};
use otus::project::FILE;

use crate::args::InitArgs;
use crate::output;
use crate::shell::Shell;

pub(crate) fn run(args: &InitArgs, shell: &Shell) -> anyhow::Result<Status> {
    let target = match args.output.as_deref() {
        Some("-") => None,
        Some(name) => Some(PathBuf::from(name)),
        None if args.folder == Path::new(".") => Some(PathBuf::from(FILE)),
        None => Some(args.folder.join(FILE)),
    };
    if let Some(path) = &target {
        output::refuse_existing(path, args.force)?;
    }
    let mut request = InitRequest::new(&args.folder);
    request.spec.clone_from(&args.spec);
    let proposal = propose(&shell.context, &request)?;
    match &target {
        None => output::print(&proposal.text)?,
        Some(path) => {
            output::write_file(path, &proposal.text)?;
            output::complain(&format!("wrote {}", path.display()));
        }
    }
    output::complain(&proposal.summary());
    Ok(Status::Passed)
}
