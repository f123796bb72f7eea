//! Random small interactions with values, and multi-traces with facts about them.
//!
//! Interactions are texts, read by the real parser, so that a failure can be read and tried by hand. Most multi-traces come
//! from a random execution with random values, which is then cut, changed or made unknown in places; so explained
//! ones are about as frequent as others. The same seed gives the same case.
//!
//! - [`shape`]: random interactions;
//! - [`execution`]: random executions of an interaction with values;
//! - [`recorded`]: multi-traces with facts as plain data, and changes to them;
//! - [`shrink`]: smaller cases of the same kind.

pub mod execution;
pub mod recorded;
pub mod shape;
pub mod shrink;

use otus_analysis::{Observed, Question};
use otus_core::index::Index as _;
use otus_core::{LifelineId, Lowered, TermId, lower};
use otus_syntax::{Source, parse_spec};
use otus_trace::transform::learn::Pair;
use otus_trace::{ComponentId, Facts, MultiTrace, ObservedOrder, Partition};

use recorded::Recorded;
use shape::{Flavor, Shape};

use crate::oracle::values::Sorts;

/// A case: an interaction, a multi-trace with facts, and a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Generated {
    /// The interaction.
    pub shape: Shape,
    /// The multi-trace with facts.
    pub recorded: Recorded,
    /// The uncertainty between clocks, in nanoseconds.
    pub uncertainty: Option<i64>,
    /// The question.
    pub question: Question,
    /// Pairs of moments, by component and index, of which the first was observed not to happen after the second.
    pub edges: Vec<[(usize, usize); 2]>,
}

/// A case, read.
#[derive(Debug)]
pub struct Prepared {
    /// The interaction. It has values.
    pub lowered: Lowered,
    /// The multi-trace.
    pub trace: MultiTrace,
    /// Its facts.
    pub facts: Facts,
    /// The order that was observed between its logs.
    pub order: ObservedOrder,
    /// The interaction without values: over letters with peers, if some event knows its peer.
    pub term: Option<TermId>,
}

/// The names that every interaction declares.
pub const LIFELINES: [&str; 3] = ["a", "b", "c"];
/// The messages that every interaction declares.
pub const MESSAGES: [&str; 3] = ["m", "n", "k"];

/// Reads an interaction.
///
/// # Errors
/// What the parser says about the text, if it is no interaction.
pub fn read(shape: &Shape) -> Result<Lowered, String> {
    let text = format!(
        "@lifeline{{{}}} @message{{{}}} {}",
        LIFELINES.join(";"),
        MESSAGES.join(";"),
        shape.text()
    );
    let parsed = parse_spec(&Source::new("case.hsf", text));
    let lowered = lower(&[&parsed.tree]);
    let found = parsed.diagnostics.iter().chain(&lowered.diagnostics);
    let errors: Vec<String> = found.map(|diagnostic| diagnostic.message.clone()).collect();
    if errors.is_empty() { Ok(lowered) } else { Err(errors.join("; ")) }
}

impl Generated {
    /// A random case; `None` if the interaction has no values, the oracle has no answer for it, or the execution is too long
    /// or nearly always if nothing was recorded.
    pub fn random(rng: &mut fastrand::Rng, flavor: &Flavor) -> Option<Generated> {
        let shape = Shape::random(rng, flavor);
        Generated::about(rng, flavor, shape)
    }

    /// The same for a given interaction.
    pub fn about(rng: &mut fastrand::Rng, flavor: &Flavor, shape: Shape) -> Option<Generated> {
        let lowered = read(&shape).ok()?;
        let valued = lowered.valued.as_deref()?;
        let partition = random_partition(rng, flavor.lifelines);
        Sorts::new(valued, &partition)?;
        let events = execution::random(rng, &lowered.pool, valued, &partition, flavor);
        if events.len() > flavor.events {
            return None;
        }
        let mut recorded = Recorded::new(&partition, &events);
        let question = random_question(rng, flavor, partition.len());
        recorded.vary(rng, flavor, &question, &events);
        if recorded.is_empty() && rng.u8(..16) > 0 {
            return None;
        }
        let uncertainty = *rng.choice(&[None, Some(0), Some(1), Some(2)])?;
        let edges = if flavor.edges { random_edges(rng, &recorded) } else { Vec::new() };
        Some(Generated { shape, recorded, uncertainty, question, edges })
    }

    /// The case, read; `None` if the interaction has no values or is no interaction.
    pub fn prepare(&self) -> Option<Prepared> {
        let mut lowered = read(&self.shape).ok()?;
        let valued = lowered.valued.as_deref()?;
        let mut recorded = self.recorded.clone();
        recorded.use_letters(&lowered.partners);
        let (trace, facts) = recorded.build(&mut lowered.pool, valued);
        let steps = |(component, moment): (usize, usize)| {
            let before = recorded.components.get(component)?.get(..moment)?;
            Some((ComponentId::new(component), before.iter().map(Vec::len).sum::<usize>()))
        };
        let pairs = self.edges.iter();
        let pairs =
            pairs.filter_map(|&[from, to]| Some(Pair { from: steps(from)?, to: steps(to)? }));
        let order = ObservedOrder::new(&trace, &pairs.collect::<Vec<_>>());
        let mut records = recorded.components.iter().flatten().flatten();
        let knows_peer = records.any(|record| record.action.peer.is_some());
        let term = lowered.refined.filter(|_| knows_peer).or(lowered.term);
        Some(Prepared { lowered, trace, facts, order, term })
    }

    /// The case as text.
    pub fn text(&self) -> String {
        let uncertainty = self.uncertainty.map_or("unknown".to_owned(), |u| format!("{u}ns"));
        format!(
            "interaction  {}\n  multi-trace  {}\n  question     {:?}\n  uncertainty  {uncertainty}\n  order        {:?}",
            self.shape.text(),
            self.recorded.text(),
            self.question,
            self.edges
        )
    }
}

/// Some partition of the declared lifelines; most often the discrete one.
pub fn random_partition(rng: &mut fastrand::Rng, used: usize) -> Partition {
    let count = LIFELINES.len();
    let lists: Vec<Vec<u32>> = match rng.u8(..8) {
        0 => vec![(0..3).collect()],
        1 | 2 => vec![vec![0, 1]],
        3 if used > 2 => vec![vec![1, 2]],
        4 if used > 2 => vec![vec![0, 2]],
        _ => Vec::new(),
    };
    let list = |list: Vec<u32>| list.into_iter().map(LifelineId).collect();
    Partition::new(lists.into_iter().map(list).collect(), count)
}

/// A few pairs of moments of different components.
fn random_edges(rng: &mut fastrand::Rng, recorded: &Recorded) -> Vec<[(usize, usize); 2]> {
    let logs = recorded.components.iter().enumerate();
    let all: Vec<(usize, usize)> =
        logs.flat_map(|(component, log)| (0..log.len()).map(move |at| (component, at))).collect();
    let mut edges = Vec::new();
    for _ in 0..rng.usize(..4) {
        if let (Some(&from), Some(&to)) = (rng.choice(&all), rng.choice(&all))
            && from.0 != to.0
        {
            // Events that are early in their logs mostly come first.
            let is_kept = from.1 <= to.1 || rng.u8(..4) == 0;
            edges.push(if is_kept { [from, to] } else { [to, from] });
        }
    }
    edges
}

fn random_question(rng: &mut fastrand::Rng, flavor: &Flavor, components: usize) -> Question {
    if flavor.slices && rng.u8(..4) > 0 {
        return Question::SLICE;
    }
    match rng.u8(..12) {
        0..3 => Question::ACCEPT,
        3..5 => Question::GlobalPrefix,
        5..7 => Question::MULTI_PREFIX,
        7..9 => Question::SLICE,
        _ => {
            let each = (0..components).map(|_| Observed::ALL[rng.usize(..Observed::ALL.len())]);
            Question::Each(each.collect())
        }
    }
}
