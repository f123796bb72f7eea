//! `otus generate`: random accepted multi-traces.

use std::path::Path;

use otus_analysis::generate::{Walks, project};
use otus_core::{EventId, Pool};
use otus_trace::case::Case;
use otus_trace::multitrace::Partition;

use super::analyze::one_specification;
use crate::args::{GenerateArgs};
use crate::shell::Shell;
use crate::cases::{Place, Sink};
use crate::exit::Exit;
use otus::load::{Fences, Loaded};
use otus::words::counted;
use crate::{options, output};

pub(crate) fn run(args: &GenerateArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let mut loaded = Loaded::read(&shell.context, &args.files, args.from.map(Into::into), Fences::One)?;
    let specification = one_specification(&mut loaded)?;
    let faulty = loaded.explain(color);
    let Some((mut lowered, term)) = specification.filter(|_| !faulty) else {
        return Ok(Exit::Error);
    };
    let partition = match &args.partition {
        Some(text) => options::partition(text, lowered.pool.signature())?,
        None => Partition::discrete(lowered.pool.signature().lifeline_count()),
    };
    let mut walks = Walks::new(&mut lowered.pool, term, args.max_length, args.seed);
    let most = counted(args.max_length, "event");
    let shortest = walks.shortest();
    if shortest > args.max_length as u64 {
        output::complain(&format!(
            "no multi-trace has at most {most}; the shortest one has {shortest}"
        ));
        return Ok(Exit::Failure);
    }
    let mut sink = Sink::open(Place::named(args.write.output.as_deref()), args.write.force, true)?;
    let wanted = args.count as u64;
    let mut tries = Tries::new(shortest, args.max_length);
    while sink.written < wanted && !tries.are_over() {
        let Some(trace) = tries.next(&mut walks) else { break };
        let multi = project(walks.pool(), &partition, &trace);
        let case = Case { id: format!("t{}", sink.written + 1), ..Case::default() };
        let before = sink.written;
        sink.write(case, &otus_trace::raise(&multi, walks.pool()))?;
        tries.note(sink.written > before, trace.len());
    }
    let written = sink.written;
    if written < wanted {
        output::complain(&format!(
            "found {written} of {wanted} with at most {most}: gave up after {} in a row that had \
             been written already; there are no others, or they are rare",
            counted(tries.vain, "execution")
        ));
    }
    if let Some(path) = sink.finish()? {
        output::complain(&wrote(written, &path));
    }
    Ok(if written == 0 && wanted > 0 { Exit::Failure } else { Exit::Success })
}

/// How long it is looked for another multi-trace.
///
/// Different executions may look the same, and short ones come again and again. After some that
/// came in vain, lengths are aimed at, short ones first; after many, it is given up, be it by their
/// number or by their size.
struct Tries {
    /// How many executions in a row gave nothing new.
    vain: usize,
    /// How many events these had.
    events: usize,
    /// Whether lengths are aimed at.
    aims: bool,
    /// How long these are.
    reach: usize,
    max_length: usize,
}

impl Tries {
    /// When lengths are aimed at, and then longer ones.
    const SOME: usize = 20;
    const SOME_EVENTS: usize = 20_000;
    /// From which length on none is chosen at random from the beginning.
    const LONG: usize = 100_000;
    /// When it is given up.
    const MANY: usize = 1000;
    const MANY_EVENTS: usize = 1_000_000;

    fn new(shortest: u64, max_length: usize) -> Tries {
        // A random length up to any number may be one that no machine gets to.
        let aims = max_length > Self::LONG;
        let shortest = usize::try_from(shortest).unwrap_or(usize::MAX);
        let reach = if aims { Self::LONG } else { Self::SOME };
        let reach = shortest.saturating_add(reach).min(max_length);
        Tries { vain: 0, events: 0, aims, reach, max_length }
    }

    fn are_over(&self) -> bool {
        self.vain >= Self::MANY || self.events >= Self::MANY_EVENTS
    }

    fn next(&self, walks: &mut Walks<'_>) -> Option<Vec<EventId>> {
        if !self.aims {
            return walks.walk();
        }
        // Short ones are as likely as long ones, of which there may be none.
        let halvings = walks.number(self.reach.max(1).ilog2() as usize);
        let length = walks.number(self.reach >> halvings);
        walks.walk_of(length)
    }

    fn note(&mut self, is_new: bool, length: usize) {
        if is_new {
            (self.vain, self.events) = (0, 0);
            return;
        }
        self.vain += 1;
        self.events += length;
        let is_enough = !self.aims && self.events >= Self::SOME_EVENTS;
        if is_enough || self.vain.is_multiple_of(Self::SOME) {
            if self.aims {
                self.reach = self.reach.saturating_mul(2).min(self.max_length);
            }
            self.aims = true;
        }
    }
}

/// That multi-traces went to a file or a folder.
fn wrote(count: u64, path: &Path) -> String {
    format!("wrote {} to {}", counted(count, "multi-trace"), path.display())
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
    let written = sink.written;
    if let Some(path) = sink.finish()? {
        output::complain(&wrote(written, &path));
    }
    Ok(())
}
