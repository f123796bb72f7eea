//! What `otus slice` and `otus mutate` share: reading originals, writing what is made of them.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::bail;
use otus_core::Pool;
use otus_syntax::{Source, parse_trace};
use otus_trace::MultiTrace;
use otus_trace::case::{Case, OtherFields};
use serde_json::Value;

use crate::args::{Color, DeriveArgs, Format};
use crate::cases::{Place, Sink};
use crate::exit::Exit;
use crate::input::{expand, format_of_ending};
use crate::load::{Fences, Loaded, Trace};
use crate::output;
use crate::words::counted;

/// The multi-traces to start from.
#[derive(Debug)]
pub(super) struct Originals {
    pub(super) traces: Vec<Trace>,
    /// The pool of the specification, if one is given.
    pub(super) spec: Option<Pool>,
}

impl Originals {
    /// Reads what is named; `None` if something is wrong with it, which has been said then.
    pub(super) fn read(args: &DeriveArgs, color: Color) -> anyhow::Result<Option<Originals>> {
        let mut names = args.spec.clone();
        for name in &args.files {
            names.extend(expand(name, is_trace)?);
        }
        if names.is_empty() {
            bail!("name the multi-traces to start from: .htf or .jsonl files, or `-`");
        }
        let mut loaded = Loaded::read(&names, None, Fences::One)?;
        if loaded.specs.len() > 1 {
            bail!("{} specifications are given; traces are about one", loaded.specs.len());
        }
        let mut lowered = loaded.specs.first().map(crate::load::Spec::lower);
        if let Some(lowered) = &mut lowered {
            loaded.diagnostics.append(&mut lowered.diagnostics);
        }
        loaded.check_traces(lowered.as_mut());
        if loaded.explain(color) {
            return Ok(None);
        }
        if loaded.traces.is_empty() {
            let given =
                if loaded.specs.is_empty() { "an empty case file" } else { "a specification" };
            bail!("there is no multi-trace to start from, only {given}; name .htf or .jsonl files");
        }
        Ok(Some(Originals { traces: loaded.traces, spec: lowered.map(|lowered| lowered.pool) }))
    }
}

/// Names and writes what is made.
#[derive(Debug)]
pub(super) struct Output {
    sink: Sink,
}

impl Output {
    pub(super) fn open(args: &DeriveArgs) -> anyhow::Result<Output> {
        let place = Place::named(args.write.output.as_deref());
        Ok(Output { sink: Sink::open(place, args.write.force, args.unique)? })
    }

    /// Writes what was made of an original, the `number`-th of its kind from 1.
    pub(super) fn write(&mut self, made: &Made<'_>, number: u64) -> anyhow::Result<()> {
        let mut rest = OtherFields::default();
        rest.insert("origin", made.origin);
        rest.insert("kind", made.kind);
        rest.insert("change", made.change.as_str());
        rest.extend(made.details.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
        if let Some(seed) = made.seed {
            rest.insert("seed", seed);
        }
        let id = format!("{}-{}-{number}", made.origin, made.kind);
        let case = Case { id, rest, ..Case::default() };
        self.sink.write(case, &otus_trace::raise(made.trace, made.pool))
    }

    /// Writes a multi-trace that is a text already.
    pub(super) fn write_text(
        &mut self,
        id: String,
        rest: OtherFields,
        htf: &str,
    ) -> anyhow::Result<()> {
        let case = Case { id, rest, ..Case::default() };
        self.sink.write(case, &parse_trace(&Source::new("mutant", htf)).tree)
    }

    /// Says what was made.
    pub(super) fn finish(self, what: &str, originals: usize) -> anyhow::Result<Exit> {
        let (written, repeated) = (self.sink.written, self.sink.repeated);
        let mut said =
            format!("{} of {}", counted(written, what), counted(originals, "multi-trace"));
        if let Some(path) = self.sink.finish()? {
            said = format!("wrote {said} to {}", path.display());
        }
        if repeated > 0 {
            let _ = write!(said, "; {repeated} left out as already there");
        }
        output::complain(&said);
        Ok(if written == 0 { Exit::Failure } else { Exit::Success })
    }
}

/// A multi-trace that was made of another.
#[derive(Debug)]
pub(super) struct Made<'a> {
    pub(super) trace: &'a MultiTrace,
    pub(super) pool: &'a Pool,
    /// The id of the original.
    pub(super) origin: &'a str,
    pub(super) kind: &'static str,
    /// What was done, in words.
    pub(super) change: String,
    /// The same for programs.
    pub(super) details: Vec<(&'static str, Value)>,
    pub(super) seed: Option<u64>,
}

/// That originals have too few slices or mutants: why for the first, and how many others.
#[derive(Debug, Default)]
pub(super) struct Remark {
    first: Option<String>,
    others: u64,
}

impl Remark {
    pub(super) fn add(&mut self, text: impl FnOnce() -> String) {
        match self.first {
            None => self.first = Some(text()),
            Some(_) => self.others += 1,
        }
    }

    pub(super) fn say(&self) {
        let Some(first) = &self.first else { return };
        match self.others {
            0 => output::complain(first),
            1 => output::complain(&format!("{first} (1 other multi-trace has too few as well)")),
            others => output::complain(&format!(
                "{first} ({others} other multi-traces have too few as well)"
            )),
        }
    }
}

fn is_trace(path: &Path) -> bool {
    matches!(format_of_ending(path), Some(Format::Htf | Format::Jsonl))
}
