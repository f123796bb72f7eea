//! `otus map`: prints the account of mapped logs, and writes their groups.

mod write;

use std::path::PathBuf;
use std::time::Instant;

use otus::map::{self, MapRequest};
use otus::{Status, TextFormat};

use crate::args::MapArgs;
use crate::output;
use crate::shell::Shell;
use write::Writer;

pub(crate) fn run(args: &MapArgs, shell: &Shell) -> anyhow::Result<Status> {
    let start = Instant::now();
    let mut request = MapRequest::default();
    request.names.clone_from(&args.files);
    request.spec.clone_from(&args.spec);
    request.config = args.logs.config.as_ref().map(PathBuf::from);
    request.group.clone_from(&args.logs.group);
    request.threads = args.jobs;
    let mapping = map::open(&shell.context, &request)?;
    let target = args.write.as_deref();
    let mut writer = target.map(|name| Writer::open(name, args.force)).transpose()?;
    let map =
        mapping.run(&mut |group| writer.as_mut().map_or(Ok(()), |writer| writer.write(group)))?;
    if let Some(writer) = writer {
        writer.finish()?;
    }
    // With `--write -`, standard output is used for the canonical lines, so the account is not
    // printed there.
    if target != Some("-") {
        let is_json = args.format == TextFormat::Json;
        let text = if is_json { map.json(args.limit) } else { map.text(args.explain, args.limit) };
        output::print(&text)?;
    }
    let millis = start.elapsed().as_secs_f64() * 1000.0;
    output::complain(&format!("{} in {millis:.0} ms", map.summary()));
    Ok(map.status(args.strict))
}
