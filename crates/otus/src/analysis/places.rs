//! The places where multi-traces and their events were read.

use std::ops::Range;

use otus_core::Pool;
use otus_syntax::{Source, Span, parse_trace};
use otus_trace::run::{Group, RunPlace};
use otus_trace::transform::learn::Pair;
use otus_trace::{ComponentId, MultiTrace};

use super::log_excerpt;
use super::plan::Plan;
use super::spec_text::{self, excerpt_of};
use super::worker::CaseLine;
use crate::case::{Passage, Place};
use crate::load::Sources;
use crate::run::Run;

#[derive(Debug, Clone, Copy)]
pub(super) struct Origin<'a> {
    pub(super) from: From<'a>,
    /// The pool with the messages of the multi-trace, if the specification lacks some of them.
    pub(super) names: Option<&'a Pool>,
}

/// The place where a multi-trace was read.
#[derive(Debug, Clone, Copy)]
pub(super) enum From<'a> {
    Raw {
        group: &'a Group,
    },
    /// A line of a case file, whose multi-trace is this text.
    Case {
        file: &'a str,
        line: usize,
        text: &'a str,
    },
    /// A file that can be read again.
    File {
        path: &'a str,
    },
    Text {
        name: &'a str,
        text: &'a str,
    },
    /// Events that a program recorded. The place of a step is the index of its event.
    Recorded {
        run: &'a Run,
    },
    /// The rows of a run in a table.
    Table {
        places: &'a TablePlaces<'a>,
    },
}

/// The places of the events of a run in a table: the steps of a multi-trace, in the order of its components.
#[derive(Debug)]
pub(crate) struct TablePlaces<'a> {
    pub(crate) run: &'a str,
    /// The column by which events are ordered.
    pub(crate) column: &'a str,
    /// By step: its value in that column. Empty if the run is very long.
    pub(crate) orders: &'a [i64],
    pub(crate) trace: &'a MultiTrace,
}

impl TablePlaces<'_> {
    /// `run r17, seq 42`
    fn place(&self, component: ComponentId, step: usize) -> Option<Place> {
        let before = self.trace.partition().components().take_while(|&it| it != component);
        let first: usize = before.map(|it| self.trace.steps(it).len()).sum();
        let order = self.orders.get(first + step)?;
        let file = format!("run {}, {} {order}", self.run, self.column);
        Some(Place { file, line: 0, columns: None })
    }
}

impl<'a> From<'a> {
    /// The name of the multi-trace in diagnostics.
    pub(super) fn name(self, id: &str) -> String {
        let place = self.place().unwrap_or_else(|| id.to_owned());
        if matches!(self, From::Case { .. }) { format!("{place} ({id})") } else { place }
    }

    pub(super) fn case_line(self, id: &str) -> Option<CaseLine> {
        let From::Case { file, line, .. } = self else { return None };
        Some(CaseLine { id: Some(id.to_owned()), file: file.to_owned(), line })
    }

    /// The place as text, if the multi-trace comes from a single place.
    pub(super) fn place(self) -> Option<String> {
        match self {
            From::Raw { .. } | From::Recorded { .. } | From::Table { .. } => None,
            From::Case { file, line, .. } => Some(format!("{file}:{line}")),
            From::File { path } => Some(path.to_owned()),
            From::Text { name, .. } => Some(name.to_owned()),
        }
    }

    /// The places of the events of a multi-trace. To find them, the texts are read again.
    pub(super) fn places(self, trace: &'a MultiTrace, plan: &'a Plan) -> Places<'a> {
        let (source, line) = match self {
            From::Raw { group } => return Places::Raw { group, trace, plan },
            From::Recorded { run } => return Places::Recorded { run, trace },
            From::Table { places } => return Places::Table { places },
            From::Case { file, line, text } => (Source::new(file, text), Some(line)),
            From::Text { name, text } => (Source::new(name, text), None),
            From::File { path } => {
                let mut sources = Sources::default();
                let bytes = plan.context.files.read(path.as_ref()).unwrap_or_default();
                sources.add_bytes(path.to_owned(), bytes);
                match sources.all.pop() {
                    Some(source) => (source, None),
                    None => return Places::Unknown,
                }
            }
        };
        let tree = parse_trace(&source).tree;
        let (read, _) = otus_trace::lower(&tree, &mut plan.spec.pool.clone());
        let is_as_long = |component| read.steps(component).len() == trace.steps(component).len();
        let is_same =
            read.partition() == trace.partition() && read.partition().components().all(is_as_long);
        if is_same { Places::Text { source, line, trace: read } } else { Places::Unknown }
    }
}

pub(super) enum Places<'a> {
    Raw {
        group: &'a Group,
        trace: &'a MultiTrace,
        plan: &'a Plan,
    },
    Recorded {
        run: &'a Run,
        trace: &'a MultiTrace,
    },
    Table {
        places: &'a TablePlaces<'a>,
    },
    Text {
        source: Source,
        /// The line of the case file, if the multi-trace comes from a case file.
        line: Option<usize>,
        trace: MultiTrace,
    },
    Unknown,
}

/// A place of a log, its line if it can be read again, and the marked bytes of the line.
type LogExcerpt = (Place, Option<String>, Range<usize>);

impl Places<'_> {
    /// The pairs of emission and reception that raw logs identify.
    pub(super) fn pairs(&self) -> Vec<Pair> {
        if let Places::Raw { group, trace, .. } = self { group.pairs(trace) } else { Vec::new() }
    }

    pub(super) fn is_case(&self) -> bool {
        matches!(self, Places::Text { line: Some(_), .. })
    }

    /// The place of a step, for an HTML page. For a raw log, the whole line is shown unless it is
    /// very long.
    pub(super) fn passage(
        &self,
        component: ComponentId,
        step: usize,
        action: &str,
    ) -> Option<Passage> {
        let Places::Raw { group, trace, plan } = self else {
            let (place, text, span) = self.excerpt(component, step, action)?;
            return Some(Passage::line(place.in_line(), place.line, text?, Some(span)));
        };
        let (place, text) = raw_line(plan, group.place(trace, component, step)?)?;
        let (name, number) = (place.in_line(), place.line);
        let Some(mut text) = text else {
            // Standard input cannot be read again, so the text of the line is missing.
            return Some(Passage { place: name, first: number as u64, ..Passage::default() });
        };
        if text.trim_start().starts_with('{') && text.len() > LONGEST || text.contains('\n') {
            text = log_excerpt::telling(&text, action).0;
        }
        if let Some((end, _)) = text.char_indices().nth(LONGEST) {
            text.truncate(end);
            text.push('…');
        }
        Some(Passage::line(name, number, text, None))
    }

    pub(super) fn excerpt(
        &self,
        component: ComponentId,
        step: usize,
        action: &str,
    ) -> Option<LogExcerpt> {
        match self {
            Places::Unknown => None,
            Places::Raw { group, trace, plan } => {
                let (place, text) = raw_line(plan, group.place(trace, component, step)?)?;
                let (text, span) = text.map(|text| log_excerpt::telling(&text, action)).unzip();
                Some((place, text, span.unwrap_or(0..0)))
            }
            Places::Recorded { run, trace } => {
                let (_, index) = trace.place(component, step)?;
                let at = &run.events.get(index as usize)?.at;
                let (file, line) = (at.file.to_string(), at.line as usize);
                let place = Place { file, line, columns: None };
                Some((place, None, 0..0))
            }
            Places::Table { places } => Some((places.place(component, step)?, None, 0..0)),
            Places::Text { source, line, trace } => {
                let (_, start) = trace.place(component, step)?;
                let rest = source.text().get(start as usize..)?;
                let length = if rest.starts_with(action) { action.len() } else { token(rest) };
                let end = start + otus_syntax::source::offset(length);
                let found = excerpt_of(source, Span::new(start, end));
                let spec_text::Excerpt { mut place, text, span } = found;
                if let Some(line) = line {
                    // The multi-trace is a string inside that line, so a column number would be
                    // misleading.
                    place.line = *line;
                    place.columns = None;
                }
                Some((place, Some(text), span))
            }
        }
    }
}

/// The maximum number of characters of a raw log line on a page.
const LONGEST: usize = 600;

/// A place in a raw log, and its line if that can be read again.
pub(super) fn raw_line(plan: &Plan, at: RunPlace) -> Option<(Place, Option<String>)> {
    let log = &plan.log(at.file.0)?;
    let line = at.line as usize;
    let place = Place { file: log.0.clone(), line, columns: None };
    Some((place, plan.line(log, line)))
}

/// The length of an action at the beginning of a text.
fn token(text: &str) -> usize {
    let ends = |letter: char| letter.is_whitespace() || ".;,{}[]".contains(letter);
    text.find(ends).unwrap_or(text.len())
}
