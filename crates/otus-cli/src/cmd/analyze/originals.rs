//! All multi-traces of a call at once, for a command that changes them.

use std::path::Path;
use std::sync::Arc;

use anyhow::bail;
use otus_core::Pool;
use otus_syntax::diagnostic::any_error;
use otus_syntax::{Diagnostic, Source, SourceId, parse_trace};
use otus_trace::MultiTrace;
use otus_trace::case::{self, LinePlace};

use super::{Opened, Specification, nothing_given, open};
use crate::args::{AnalyzeArgs, Color};
use crate::feed::{Feed, Job, Shared};
use crate::output::{self, Stream};
use crate::report;

/// What a call is about.
#[derive(Debug)]
pub(in crate::cmd) struct Originals {
    /// That of the specification.
    pub(in crate::cmd) pool: Pool,
    /// Ids and multi-traces.
    pub(in crate::cmd) traces: Vec<(String, MultiTrace)>,
    /// How many others there are, with messages that the specification does not have.
    pub(in crate::cmd) strangers: usize,
}

/// Reads the specification and the multi-traces of a call; nothing if something is wrong with them,
/// which has been told.
pub(in crate::cmd) fn originals(
    args: &AnalyzeArgs,
    color: Color,
) -> anyhow::Result<Option<Originals>> {
    if args.files.iter().any(|name| name == "-") {
        bail!("standard input is read once, and this takes several looks; name a file");
    }
    let Some(Opened { mut finder, sorted, specs }) = open(args, color, false)? else {
        return Ok(None);
    };
    let Ok([Specification { lowered, .. }]) = <[Specification; 1]>::try_from(specs) else {
        bail!("mutants are checked against one specification; choose one");
    };
    let mut logs = finder.take();
    if sorted.traces.is_empty() && logs.is_none() {
        bail!(nothing_given(&finder));
    }
    match (&args.logs.group, &mut logs) {
        (Some(group), Some(logs)) => logs.only = Some(group.clone()),
        (Some(_), None) => bail!("--group chooses among raw logs, and none are given"),
        (None, _) => {}
    }
    let logs = logs.map(|logs| (logs, vec![lowered.pool.signature().clone()]));
    let mut feed = Feed::new(sorted.traces, logs, Arc::new(Shared::default()));
    let mut reader = Reader {
        color,
        found: Originals { pool: lowered.pool, traces: Vec::new(), strangers: 0 },
        faulty: false,
    };
    while let Some(job) = feed.next(1 << 20) {
        reader.job(job)?;
    }
    Ok(Some(reader.found).filter(|_| !reader.faulty))
}

struct Reader {
    color: Color,
    found: Originals,
    /// Whether something could not be read, which has been told.
    faulty: bool,
}

impl Reader {
    fn job(&mut self, job: Job) -> anyhow::Result<()> {
        match job {
            Job::Lines { name, first, bytes } => {
                for (line, number) in String::from_utf8_lossy(&bytes).lines().zip(first..) {
                    let place = LinePlace { source: SourceId(0), start: 0, line: number };
                    match case::parse_line(line, place) {
                        Ok(None) => {}
                        Ok(Some(case)) => self.text(case.id, &name, &case.htf),
                        Err(fault) => {
                            self.tell(&Source::new(&*name, line).from_line(number), &[*fault]);
                        }
                    }
                }
            }
            Job::Files(files) => {
                for (path, id) in files {
                    match std::fs::read_to_string(Path::new(&path)) {
                        Ok(text) => self.text(id, &path, &text),
                        Err(error) => bail!("cannot read {path}: {error}"),
                    }
                }
            }
            Job::Text { name, bytes, id } => {
                self.text(id, &name, &String::from_utf8_lossy(&bytes));
            }
            Job::Groups(groups) => {
                for group in groups {
                    if group.unknown.is_empty() {
                        let trace = group.trace(&mut self.found.pool).without_places();
                        self.found.traces.push((group.id, trace));
                    } else {
                        self.found.strangers += 1;
                    }
                }
            }
            // There is one specification.
            Job::Choices(_) | Job::Empty(_) => {}
            Job::Unusable { source, diagnostic } => self.tell(&source, &[*diagnostic]),
            Job::Unreadable(reason) => bail!(reason),
        }
        Ok(())
    }

    fn text(&mut self, id: String, name: &str, text: &str) {
        let source = Source::new(name, text);
        let parsed = parse_trace(&source);
        if any_error(&parsed.diagnostics) {
            return self.tell(&source, &parsed.diagnostics);
        }
        if !otus_trace::is_declared(&parsed.tree, self.found.pool.signature()) {
            self.found.strangers += 1;
            return;
        }
        let (trace, found) = otus_trace::lower(&parsed.tree, &mut self.found.pool);
        if any_error(&found) {
            return self.tell(&source, &found);
        }
        self.found.traces.push((id, trace.without_places()));
    }

    fn tell(&mut self, source: &Source, found: &[Diagnostic]) {
        self.faulty = true;
        let colored = output::colored(self.color, Stream::Error);
        let text = report::text(std::slice::from_ref(source), found, colored);
        output::complain(text.trim_end());
    }
}
