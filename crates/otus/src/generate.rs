//! Random accepted multi-traces of a specification. If it has guards, events carry values that satisfy them.

use otus_analysis::generate::{Walks, project};
use otus_analysis::values::ValueWalks;
use otus_core::valued::Valued;
use otus_core::{EventId, Pool};
use otus_syntax::ast::TraceFile;
use otus_trace::case::OtherFields;
use otus_trace::multitrace::Partition;
use otus_trace::{raise, raise_with_facts};
use rustc_hash::FxHashSet;

use crate::context::Context;
use crate::derive::{Derived, Take};
use crate::error::{Result, unfit};
use crate::format::Format;
use crate::load::{Loaded, options};
use crate::units::counted;

/// The multi-traces to make.
#[derive(Debug, Clone)]
pub struct GenerateRequest {
    /// The specification.
    pub names: Vec<String>,
    /// The format of the specification, if its name does not give it.
    pub from: Option<Format>,
    /// The lifelines that share a log: `discrete`, `trivial`, `{(l1,l2),(l3)}`.
    pub partition: Option<String>,
    /// The maximum number of events.
    pub max_length: usize,
    /// The number of multi-traces.
    pub count: u64,
    /// The seed of random choices.
    pub seed: u64,
}

/// Makes distinct multi-traces, and returns their number. If there are fewer than requested, a remark is reported.
///
/// # Errors
/// If the specification cannot be read, or no execution satisfies its guards.
pub fn generate(context: &Context, request: &GenerateRequest, take: Take<'_>) -> Result<u64> {
    let mut loaded = Loaded::read(context, &request.names, request.from)?;
    let (mut lowered, term) = loaded.only_interaction(context)?;
    let partition = match &request.partition {
        Some(text) => options::partition(text, lowered.pool.signature())?,
        None => Partition::discrete(lowered.pool.signature().lifeline_count()),
    };
    let (pool, most, seed) = (&mut lowered.pool, request.max_length, request.seed);
    let mut executions = match lowered.valued.as_deref() {
        Some(valued) => {
            let walks = ValueWalks::new(pool, valued, &partition, most, seed);
            Executions::Valued(Box::new(walks.until(context.cancel.clone())), valued)
        }
        None => {
            let walks = Walks::new(pool, term, most, seed).until(context.cancel.clone());
            Executions::Plain(Box::new(walks), &partition)
        }
    };
    let most = counted(request.max_length, "event");
    let shortest = executions.shortest();
    if shortest > request.max_length as u64 {
        context
            .remark(format!("no multi-trace has at most {most}; the shortest one has {shortest}"));
        return Ok(0);
    }
    let mut unique = Unique::new(take);
    let mut tries = Tries::new(shortest, request.max_length);
    while unique.count() < request.count && !context.cancel.is_cancelled() {
        let Some(length) = tries.length(&mut executions) else { break };
        match executions.next(length) {
            Some((tree, events)) => {
                let is_new = unique.add(tree)?;
                tries.note(is_new, events);
            }
            // Many attempts to find values were in vain, which may have been bad luck.
            None if unique.count() > 0 => tries.note(false, Tries::SOME_EVENTS),
            None => break,
        }
    }
    let made = unique.count();
    if made == request.count || context.cancel.is_cancelled() {
        return Ok(made);
    }
    if made == 0
        && let Some(guard) = executions.obstacle()
    {
        unfit!(
            "no values were found that satisfy the guards in an execution of at most {most}; most \
             attempts ended at `{guard}`; `otus lint` finds guards that nothing satisfies, \
             --max-length allows longer executions"
        );
    }
    context.remark(format!(
        "found {made} of {} with at most {most}: gave up after {} in a row that \
         made no new one; there are no others, or they are rare",
        request.count,
        counted(tries.vain, "execution")
    ));
    Ok(made)
}

/// Random executions of a specification without or with guards.
enum Executions<'a> {
    Plain(Box<Walks<'a>>, &'a Partition),
    Valued(Box<ValueWalks<'a>>, &'a Valued),
}

impl Executions<'_> {
    /// How many events the shortest execution has.
    fn shortest(&mut self) -> u64 {
        match self {
            Executions::Plain(walks, _) => walks.shortest(),
            Executions::Valued(walks, _) => walks.shortest(),
        }
    }

    /// A random number between 0 and `most`.
    fn number(&mut self, most: usize) -> usize {
        match self {
            Executions::Plain(walks, _) => walks.number(most),
            Executions::Valued(walks, _) => walks.number(most),
        }
    }

    /// The multi-trace of an execution of about this length, or of any length, and its number of events. `None` if
    /// there is none, or the work is cancelled.
    fn next(&mut self, length: Option<usize>) -> Option<(TraceFile, usize)> {
        match self {
            Executions::Plain(walks, partition) => {
                let trace = match length {
                    Some(length) => walks.walk_of(length)?,
                    None => walks.walk()?,
                };
                let pool = walks.pool();
                Some((projected(pool, partition, &trace), trace.len()))
            }
            Executions::Valued(walks, valued) => {
                let walked = match length {
                    Some(length) => walks.walk_of(length)?,
                    None => walks.walk()?,
                };
                let (trace, facts) = (&walked.trace, &walked.facts);
                let tree = raise_with_facts(trace, facts, &valued.fields, walks.pool());
                Some((tree, walked.events))
            }
        }
    }

    /// The guard that ended most attempts.
    fn obstacle(&self) -> Option<String> {
        match self {
            Executions::Plain(..) => None,
            Executions::Valued(walks, _) => walks.obstacle(),
        }
    }
}

/// Passes on multi-traces, each once.
pub(crate) struct Unique<'t> {
    seen: FxHashSet<String>,
    take: Take<'t>,
}

impl<'t> Unique<'t> {
    pub(crate) fn new(take: Take<'t>) -> Unique<'t> {
        Unique { seen: FxHashSet::default(), take }
    }

    pub(crate) fn count(&self) -> u64 {
        self.seen.len() as u64
    }

    /// Passes on a multi-trace if it is new, and returns whether it is.
    pub(crate) fn add(&mut self, tree: TraceFile) -> Result<bool> {
        let id = format!("t{}", self.count() + 1);
        let derived = Derived { id, fields: OtherFields::default(), tree };
        let is_new = self.seen.insert(derived.line());
        if is_new {
            (self.take)(derived)?;
        }
        Ok(is_new)
    }
}

/// The multi-trace of a global trace.
pub(crate) fn projected(pool: &Pool, partition: &Partition, trace: &[EventId]) -> TraceFile {
    raise(&project(pool, partition, trace), pool)
}

/// Decides how long the search for another multi-trace continues.
///
/// Different executions may have the same multi-trace, and short executions occur again and again. After some
/// executions without a new multi-trace, the search chooses the length of the next execution, short lengths
/// first. After many executions or events without a new multi-trace, the search ends.
struct Tries {
    /// The number of consecutive executions without a new multi-trace.
    vain: usize,
    /// The number of events of these executions.
    events: usize,
    /// Whether the search chooses the lengths of executions.
    aims: bool,
    /// The maximum length that is chosen.
    reach: usize,
    max_length: usize,
}

impl Tries {
    /// The number of executions, and of events, without a new multi-trace after which the search begins to choose
    /// lengths, or increases the maximum length.
    const SOME: usize = 20;
    const SOME_EVENTS: usize = 20_000;
    /// If executions may be longer than this, their lengths are chosen from the beginning.
    const LONG: usize = 100_000;
    /// The number of executions, and of events, without a new multi-trace after which the search ends.
    const MANY: usize = 1000;
    const MANY_EVENTS: usize = 1_000_000;

    fn new(shortest: u64, max_length: usize) -> Tries {
        // A random length below a huge maximum may be more than any machine can make, so lengths
        // are chosen.
        let aims = max_length > Self::LONG;
        let shortest = usize::try_from(shortest).unwrap_or(usize::MAX);
        let reach = if aims { Self::LONG } else { Self::SOME };
        let reach = shortest.saturating_add(reach).min(max_length);
        Tries { vain: 0, events: 0, aims, reach, max_length }
    }

    /// The length of the next execution, `Some(None)` for any; `None` if the search is over.
    #[expect(clippy::option_option, reason = "the outer one ends the search")]
    fn length(&self, executions: &mut Executions<'_>) -> Option<Option<usize>> {
        if self.vain >= Self::MANY || self.events >= Self::MANY_EVENTS {
            return None;
        }
        if !self.aims {
            return Some(None);
        }
        // Short lengths are as likely as long ones, because there may be no long executions.
        let halvings = executions.number(self.reach.max(1).ilog2() as usize);
        Some(Some(executions.number(self.reach >> halvings)))
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
