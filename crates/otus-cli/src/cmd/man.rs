//! `otus man`: the manual pages, generated from the text of `--help`.

use anyhow::Context as _;
use clap::CommandFactory as _;
use clap_mangen::Man;
use otus::Status;

use crate::args::{Args, ManArgs};
use crate::output;

pub(crate) fn run(args: &ManArgs) -> anyhow::Result<Status> {
    let mut command = Args::command();
    command.build();
    let Some(folder) = &args.dir else {
        return output::answer(&page(command)?);
    };
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let commands: Vec<clap::Command> = command.get_subcommands().cloned().collect();
    let mut written = Vec::new();
    for command in std::iter::once(command).chain(commands) {
        let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
        if name.ends_with("help") {
            continue;
        }
        let path = folder.join(format!("{name}.1"));
        output::write_file(&path, &page(command)?)?;
        written.push(format!("{name}.1"));
    }
    output::complain(&format!("wrote {} to {}", written.join(", "), folder.display()));
    Ok(Status::Passed)
}

fn page(command: clap::Command) -> anyhow::Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    Ok(page)
}
