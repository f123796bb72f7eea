//! `otus init`: writes a proposed `otus.toml`.

use std::path::{Path, PathBuf};

use otus::Status;
use otus::init::{InitRequest, propose};
use otus::project::FILE;

use crate::args::InitArgs;
use crate::output;
use crate::shell::Shell;

pub(crate) fn run(args: &InitArgs, shell: &Shell) -> anyhow::Result<Status> {
    let target = match &args.output {
        Some(name) => PathBuf::from(name),
        None if args.folder == Path::new(".") => PathBuf::from(FILE),
        None => args.folder.join(FILE),
    };
    if target.as_os_str() != "-" {
        output::refuse_existing(&target, args.force)?;
    }
    let mut request = InitRequest::new(&args.folder);
    request.spec.clone_from(&args.spec);
    let proposal = propose(&shell.context, &request)?;
    output::deliver(&target, proposal.text.as_bytes(), None)?;
    output::complain(&proposal.summary());
    Ok(Status::Passed)
}
