//! `otus explore`: writes the execution tree of an interaction, and the multi-traces of its nodes.

use std::path::Path;

use otus::Status;
use otus::derive::Place;
use otus::explore::{ExploreRequest, explore};

use super::{analyze, generate};
use crate::args::ExploreArgs;
use crate::shell::Shell;
use crate::trace_files::{self, Sink};
use crate::{output, picture};

pub(crate) fn run(args: &ExploreArgs, shell: &Shell) -> anyhow::Result<Status> {
    let search = &args.search;
    let style = picture::style(&search.picture)?;
    let request = ExploreRequest {
        names: args.files.clone(),
        from: args.from,
        search: search.options(),
        // No timeout is set here, because the watchdog ends the command.
        timeout: None,
        graph: analyze::graph_options(search, style.clone())?,
        logger_style: style,
        traces: args.traces.clone(),
        partition: args.partition.clone(),
        has_output: args.write.output.is_some(),
    };
    let explored = explore(&shell.context, &request)?;
    if let Some((picture, by_logger)) = &explored.graph {
        let by_logger = by_logger.as_deref().map(Path::to_string_lossy);
        let name = search.graph.as_deref().or(by_logger.as_deref()).unwrap_or("-");
        picture::deliver(picture, name)?;
    }
    if let Some((picture, path)) = &explored.automaton {
        picture::deliver(picture, &path.to_string_lossy())?;
    }
    if explored.graph.is_none() && explored.automaton.is_none() {
        picture::note_idle_search(search);
    }
    if let Some((traces, by_logger)) = &explored.traces {
        let named = trace_files::place(args.write.output.as_deref());
        let place = by_logger.clone().map_or(named, Place::Folder);
        let mut sink = Sink::new(place, args.write.force, false)?;
        traces.iter().try_for_each(|trace| sink.take(trace))?;
        generate::finish(sink)?;
    }
    if let Some(tree) = &explored.tree {
        output::print(tree)?;
    }
    output::complain(&explored.text);
    Ok(if explored.is_limited { Status::Undecided } else { Status::Passed })
}
