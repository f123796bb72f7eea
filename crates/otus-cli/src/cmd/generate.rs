//! `otus generate`: random accepted multi-traces.

use otus_analysis::generate::{project, random};
use otus_core::{EventId, Pool};
use otus_trace::case::Case;
use otus_trace::multitrace::Partition;

use super::analyze::one_specification;
use crate::args::{Color, GenerateArgs};
use crate::cases::{Place, Sink};
use crate::exit::Exit;
use crate::load::{Fences, Loaded};
use crate::{options, output};

pub(crate) fn run(args: &GenerateArgs, color: Color) -> anyhow::Result<Exit> {
    let mut loaded = Loaded::read(&args.files, args.from, Fences::One)?;
    let specification = one_specification(&mut loaded)?;
    let faulty = loaded.explain(color);
    let Some((mut lowered, term)) = specification.filter(|_| !faulty) else {
        return Ok(Exit::Error);
    };
    let partition = match &args.partition {
        Some(text) => options::partition(text, lowered.pool.signature())?,
        None => Partition::discrete(lowered.pool.signature().lifeline_count()),
    };
    let traces = random(&mut lowered.pool, term, (args.count, args.max_length), args.seed);
    let place = Place::named(args.output.as_deref());
    let written = write_traces(&lowered.pool, &partition, &traces, place, args.force)?;
    if written < args.count as u64 {
        output::complain(&format!(
            "{written} different multi-traces of at most {} events were found, not {}",
            args.max_length, args.count
        ));
    }
    Ok(Exit::Success)
}

/// Writes the projections of global traces, each once; returns how many.
pub(super) fn write_traces(
    pool: &Pool,
    partition: &Partition,
    traces: &[Vec<EventId>],
    place: Place,
    force: bool,
) -> anyhow::Result<u64> {
    let mut sink = Sink::open(place, force, true)?;
    for (number, trace) in (1..).zip(traces) {
        let multi = project(pool, partition, trace);
        let case = Case { id: format!("t{number}"), ..Case::default() };
        sink.write(case, &otus_trace::raise(&multi, pool))?;
    }
    let written = sink.written;
    sink.finish()?;
    Ok(written)
}
