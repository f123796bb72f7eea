//! `otus generate`: random accepted multi-traces.

use otus_analysis::generate::{Walks, project};
use otus_core::{EventId, Pool};
use otus_trace::case::Case;
use otus_trace::multitrace::Partition;

use super::analyze::one_specification;
use crate::args::{Color, GenerateArgs};
use crate::cases::{Place, Sink};
use crate::exit::Exit;
use crate::load::{Fences, Loaded};
use crate::words::counted;
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
    let mut sink = Sink::open(Place::named(args.write.output.as_deref()), args.write.force, true)?;
    let mut walks = Walks::new(&mut lowered.pool, term, args.max_length, args.seed);
    let wanted = args.count as u64;
    // Different executions may look the same: stop when that happens too often.
    while sink.written < wanted && sink.repeated < 100 + 10 * wanted {
        let Some(trace) = walks.walk() else { break };
        let multi = project(walks.pool(), &partition, &trace);
        let case = Case { id: format!("t{}", sink.written + 1), ..Case::default() };
        sink.write(case, &otus_trace::raise(&multi, walks.pool()))?;
    }
    if sink.written < wanted {
        output::complain(&format!(
            "found {} of {wanted}: few multi-traces of at most {} differ",
            sink.written,
            counted(args.max_length, "event")
        ));
    }
    sink.finish()?;
    Ok(Exit::Success)
}

/// Writes the projections of global traces, each once.
pub(super) fn write_traces(
    pool: &Pool,
    partition: &Partition,
    traces: &[Vec<EventId>],
    place: Place,
    force: bool,
) -> anyhow::Result<()> {
    let mut sink = Sink::open(place, force, true)?;
    for trace in traces {
        let multi = project(pool, partition, trace);
        let case = Case { id: format!("t{}", sink.written + 1), ..Case::default() };
        sink.write(case, &otus_trace::raise(&multi, pool))?;
    }
    sink.finish()?;
    Ok(())
}
