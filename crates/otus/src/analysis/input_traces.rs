//! All multi-traces of a request at once, for a caller that changes them.

use otus_core::{Partners, Pool, Valued};
use otus_syntax::diagnostic::any_error;
use otus_syntax::{Source, parse_trace};
use otus_trace::{Facts, MultiTrace, lower_with_facts};

use super::inputs::{Job, read_case};
use super::tables::TableRuns;
use super::worker::Trouble;
use super::{Opened, Request};
use crate::context::Context;
use crate::diagnostics::Diagnostics;
use crate::error::{Error, Result, unfit};

#[derive(Debug)]
pub(crate) struct Originals {
    pub(crate) pool: Pool,
    /// The guards of the specification, if it has values.
    pub(crate) valued: Option<Box<Valued>>,
    /// The multi-traces, with the values of their events that guards name.
    pub(crate) traces: Vec<(String, MultiTrace, Option<Facts>)>,
    /// The number of multi-traces that were left out because they have messages that the specification lacks.
    pub(crate) strangers: usize,
}

pub(crate) fn originals(context: &Context, request: &Request) -> Result<Originals> {
    if request.names.iter().any(|name| name == "-") {
        unfit!("standard input is read once, and this takes several looks; name a file");
    }
    let (lowered, mut feed) = Opened::read(context, request)?.feed(context, request)?;
    let (pool, valued) = (lowered.pool, lowered.valued);
    let found = Originals { pool, valued, traces: Vec::new(), strangers: 0 };
    let mut reader = Reader { context, found, fault: None };
    while let Some(job) = feed.next(1 << 20) {
        reader.job(job)?;
    }
    match reader.fault {
        Some(fault) => Err(Error::Text(Box::new(fault))),
        None => Ok(reader.found),
    }
}

struct Reader<'c> {
    context: &'c Context,
    found: Originals,
    /// The last text with mistakes. The mistakes of earlier texts were reported already.
    fault: Option<Diagnostics>,
}

impl Reader<'_> {
    fn job(&mut self, job: Job) -> Result<()> {
        match job {
            Job::Lines { name, first, bytes } => {
                for (line, number) in String::from_utf8_lossy(&bytes).lines().zip(first..) {
                    match read_case(line, number) {
                        Ok(None) => {}
                        Ok(Some([id, htf])) => self.text(id.into_owned(), &name, &htf),
                        Err(fault) => {
                            let source = Source::new(&*name, line).from_line(number);
                            self.tell(Diagnostics::new(vec![source], vec![*fault]));
                        }
                    }
                }
            }
            Job::Files(files) => {
                for file in files {
                    let bytes = crate::load::read(&*self.context.files, &file.path)?;
                    self.text(file.id, &file.path, &String::from_utf8_lossy(&bytes));
                }
            }
            Job::Groups(groups) => {
                for group in groups {
                    if group.unknown.is_empty() {
                        let trace = group.trace(&mut self.found.pool, &Partners::default());
                        let valued = self.found.valued.as_deref();
                        let facts = valued.map(|valued| group.facts(&trace, &valued.fields));
                        self.found.traces.push((group.id, trace.without_places(), facts));
                    } else {
                        self.found.strangers += 1;
                    }
                }
            }
            Job::Runs(TableRuns { known, runs, .. }) => {
                for run in runs {
                    match run.rows {
                        Ok(rows) if rows.has_unknown(&known) => self.found.strangers += 1,
                        Ok(mut rows) => {
                            let pool = &mut self.found.pool;
                            let (trace, facts) = rows.observed(&known, &mut Vec::new(), pool);
                            self.found.traces.push((run.name, trace, facts));
                        }
                        Err(reason) => unfit!("run `{}`: {reason}", run.name),
                    }
                }
            }
            Job::Trouble(trouble) => match *trouble {
                Trouble::Text { found, .. } => self.tell(found),
                Trouble::Other { reason, is_unusable: true, .. } => unfit!("{reason}"),
                Trouble::Other { .. } => {}
            },
        }
        Ok(())
    }

    fn text(&mut self, id: String, name: &str, text: &str) {
        let source = Source::new(name, text);
        let parsed = parse_trace(&source);
        if any_error(&parsed.diagnostics) {
            return self.tell(Diagnostics::new(vec![source], parsed.diagnostics));
        }
        if !otus_trace::is_declared(&parsed.tree, self.found.pool.signature()) {
            self.found.strangers += 1;
            return;
        }
        let Originals { pool, valued, .. } = &mut self.found;
        let (trace, facts, found) = match valued {
            Some(valued) => {
                let (trace, facts, found) = lower_with_facts(&parsed.tree, pool, &valued.fields);
                (trace, Some(facts), found)
            }
            None => {
                let (trace, found) = otus_trace::lower(&parsed.tree, pool);
                (trace, None, found)
            }
        };
        if any_error(&found) {
            return self.tell(Diagnostics::new(vec![source], found));
        }
        self.found.traces.push((id, trace.without_places(), facts));
    }

    fn tell(&mut self, fault: Diagnostics) {
        if let Some(before) = self.fault.replace(fault) {
            self.context.warn(before);
        }
    }
}
