//! Learns an interaction from observed runs.
//!
//! The steps, in the order of the data flow:
//!
//! - [`pairing`] finds the emission of each reception, where it is not known;
//! - [`units`] turns a run into a word whose letters are message passings. Runs that differ only in
//!   the order of concurrent events have the same word;
//! - [`fold`], with [`cut`], [`anchor`] and [`repeat`] on [`graph`], turns several words into one
//!   term.
//!
//! [`keys`] finds fields that tell sessions apart, for callers that know the values of events.
//!
//! **One run** becomes the `seq` of its messages. This term accepts only the run, up to the order
//! of lifelines that share a clock and, where messages cross, the order of receptions
//! ([`Crossings`]). **Several runs** become one interaction that accepts each of them: equal parts
//! stay, differences become alternatives, repetitions become loops, and messages that occur in both
//! orders become concurrent. The interaction generalises the runs; [`Learnt::notes`] lists where.
//!
//! By construction every run is accepted (see [`units`] and [`fold`]). A checker of the caller
//! verifies this: `accepts` is called for each different run, and a run that it refuses becomes an
//! alternative. A checker that gives up should return true.
//!
//! Letters may name their peers. A run is then accepted over letters with peers
//! ([`otus_core::peer`]), and with the silent lifelines unobserved ([`Options::silent`]).
//!
//! Simultaneous actions of different messages cannot be learnt, because no interaction has such a
//! step. They are drawn one after the other, and a note says so.
//!
//! To print the result, raise it: `otus_core::raise(&pool, learnt.term)` is a tree that
//! `otus_syntax::print::spec`, `otus_syntax::diagram::mermaid::write` and
//! `otus_syntax::diagram::plantuml::write` turn into text.
//!
//! ```
//! use otus_core::Pool;
//! use otus_syntax::diagram::mermaid;
//! use otus_syntax::{Source, parse_trace};
//! use otus_trace::transform::{self, learn};
//!
//! let texts = [
//!     "{[client] client!get.client?page; [server] server?get.server!page}",
//!     "{[client] client!get.client?error; [server] server?get.server!error}",
//! ];
//! let trees = texts.map(|text| parse_trace(&Source::new("run.htf", text)).tree);
//! let mut pool = Pool::new(transform::implied_signature(&trees));
//! let traces = trees.each_ref().map(|tree| otus_trace::lower(tree, &mut pool).0);
//! let runs: Vec<learn::Run<'_>> = traces.iter().map(learn::Run::new).collect();
//! let learnt = learn::learn(&mut pool, &runs, &learn::Options::default(), &mut |_, _, _| true);
//! assert_eq!(
//!     mermaid::write(&otus_core::raise(&pool, learnt.term)),
//!     "sequenceDiagram
//!     participant client
//!     participant server
//!     client->>server: get
//!     alt
//!         server->>client: page
//!     else
//!         server->>client: error
//!     end
//! ",
//! );
//! ```

mod anchor;
mod cut;
mod fold;
mod graph;
pub mod keys;
mod note;
mod pairing;
mod repeat;
mod units;

use otus_core::{LifelineSet, Pool, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::multitrace::{ComponentId, MultiTrace};
use graph::Sets;
use note::Notes;
pub use note::{Note, NoteKind};
use pairing::Channels;
use units::Tangles;

/// An observed run.
#[derive(Debug, Clone, Copy)]
pub struct Run<'r> {
    /// The complete observation. Its actions may have peers.
    pub trace: &'r MultiTrace,
    /// The known pairs of emissions and receptions, for example by message ids. An emission may be
    /// in several pairs, a reception in one.
    pub pairs: &'r [Pair],
    /// Whether actions in no pair are paired by their message, as far as possible. Otherwise their
    /// messages go to, or come from, the environment.
    pub infer: bool,
}

impl<'r> Run<'r> {
    /// A run without known pairs.
    pub fn new(trace: &'r MultiTrace) -> Self {
        Run { trace, pairs: &[], infer: true }
    }
}

/// An emission and its reception, each by its component and the index of its step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    /// The emission.
    pub from: (ComponentId, usize),
    /// The reception.
    pub to: (ComponentId, usize),
}

/// Options of the learner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The condition under which repetitions become loops.
    pub loops: Loops,
    /// How often a block of messages must occur in a row to become a loop; at least 2.
    pub least_repetitions: usize,
    /// The form of messages that cross or overtake each other.
    pub crossings: Crossings,
    /// Whether parts of a sequence without a common lifeline are joined by `par` rather than `seq`.
    /// Both have the same meaning there.
    pub beside: bool,
    /// The lifelines that have no log. Messages that other lifelines exchanged with them, according
    /// to the peers of their letters, are drawn as if both ends had been observed.
    pub silent: LifelineSet,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            loops: Loops::Several,
            least_repetitions: 2,
            crossings: Crossings::Coregion,
            beside: true,
            silent: LifelineSet::EMPTY,
        }
    }
}

/// The condition under which repetitions become loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loops {
    /// Never: repeated messages are drawn repeatedly.
    Never,
    /// If there are several different runs; a single run stays exact.
    Several,
    /// Always.
    Always,
}

/// The form of messages that cross or overtake each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crossings {
    /// Arrows in a coregion of the lifelines where they are received, which also allows the other
    /// order. Large groups of crossing messages are split nevertheless.
    Coregion,
    /// Separate emissions and receptions without an arrow, which is exact.
    Split,
}

/// The result of learning.
#[derive(Debug, Clone)]
pub struct Learnt {
    /// The interaction.
    pub term: TermId,
    /// The number of different runs. Runs that differ only in the order of concurrent events count
    /// as one.
    pub different: usize,
    /// Remarks about the result.
    pub notes: Vec<Note>,
}

/// Learns an interaction from runs over the signature of a pool.
///
/// `accepts` says whether a term accepts the run with the given index. It is called at most twice
/// for each different run. It may be imprecise: the result accepts the runs even if it always
/// returns true, or always false.
pub fn learn(
    pool: &mut Pool,
    runs: &[Run<'_>],
    options: &Options,
    accepts: &mut dyn FnMut(&Pool, TermId, usize) -> bool,
) -> Learnt {
    let mut notes = Notes::default();
    let mut words: Vec<Vec<TermId>> = Vec::new();
    // The first run with each word.
    let mut first_with: Vec<usize> = Vec::new();
    let mut known: FxHashSet<Vec<TermId>> = FxHashSet::default();
    let mut learnable = vec![true; runs.len()];
    let channels = channels(pool, runs);
    let mut tangles = Tangles::default();
    let mut drawn: Vec<Vec<TermId>> = Vec::with_capacity(runs.len());
    for (number, run) in runs.iter().enumerate() {
        let paired = pairing::pair(pool, number, run, &channels, &mut notes);
        learnable[number] = !paired.is_altered;
        drawn.push(units::word(pool, number, &paired, options, &mut tangles, &mut notes));
    }
    for (number, word) in drawn.into_iter().enumerate() {
        // Messages that cross in another run may be in order here. The coregion of the other run
        // allows this order.
        let word = if runs.len() > 1 { tangles.find(word) } else { word };
        if !known.insert(word.clone()) {
            notes.add(NoteKind::Same, number);
            continue;
        }
        words.push(word);
        first_with.push(number);
    }
    let loops = match options.loops {
        Loops::Never => false,
        Loops::Several => words.len() > 1,
        Loops::Always => true,
    };
    let mut term = fold::fold(pool, &words, loops, options, &mut notes);
    if options.beside {
        term = beside(pool, term);
    }
    let mut refused = Vec::new();
    for (word, &number) in words.iter().zip(&first_with) {
        if learnable[number] && !accepts(pool, term, number) {
            notes.add(NoteKind::Refused, number);
            refused.push(fold::sequence(pool, word));
        }
    }
    if !refused.is_empty() {
        refused.insert(0, term);
        term = fold::alternatives(pool, &refused);
    }
    Learnt { term, different: words.len(), notes: notes.all }
}

/// The number of replays that estimate the channels. The first replay has no information, the
/// second knows the usual receivers, and the third also knows which messages are exchanged with the
/// environment.
const REPLAYS: usize = 3;

/// The values of [`Channels::usual`] that are tried. Small values distinguish similar channels,
/// large ones allow channels that are used less.
const USUAL: [u64; 3] = [1, 3, 8];

/// The number of actions from which channels are estimated.
const SAMPLE: usize = 50_000;

/// Estimates how often lifelines exchange each message, with the option that makes the runs easiest
/// to draw.
fn channels(pool: &Pool, runs: &[Run<'_>]) -> Channels {
    let mut length = 0;
    let mut sample: Vec<(usize, &Run<'_>)> = Vec::new();
    for (number, run) in runs.iter().enumerate().filter(|(_, run)| run.infer) {
        length += run.trace.len();
        if length > SAMPLE && !sample.is_empty() {
            break;
        }
        sample.push((number, run));
    }
    let mut best: Option<(usize, Channels)> = None;
    for usual in USUAL {
        let mut channels = Channels::new(pool, runs, usual);
        if sample.is_empty() {
            return channels;
        }
        // Notes are collected in the final replay only.
        let pair = |&(number, run): &(usize, &Run<'_>), channels: &Channels| {
            pairing::pair(pool, number, run, channels, &mut Notes::default())
        };
        for _ in 0..REPLAYS {
            let mut next = channels.emptied();
            for run in &sample {
                next.add(pool, &pair(run, &channels));
            }
            channels = next;
        }
        let trouble = sample.iter().map(|run| units::trouble(pool, &pair(run, &channels))).sum();
        if best.as_ref().is_none_or(|(least, _)| trouble < *least) {
            best = Some((trouble, channels));
        }
        if trouble == 0 {
            break;
        }
    }
    best.map(|(_, channels)| channels).unwrap_or_default()
}

/// Joins the parts of a sequence that share no lifeline by `par`.
fn beside(pool: &mut Pool, term: TermId) -> TermId {
    let mut parts = Vec::new();
    let mut rest = term;
    while let Term::Coreg(Pool::NONE, left, right) = pool.node(rest) {
        parts.push(left);
        rest = right;
    }
    parts.push(rest);
    let lifelines: Vec<LifelineSet> = parts.iter().map(|&part| pool.lifelines(part)).collect();
    let mut sets = Sets::new(parts.len());
    let mut first_on: FxHashMap<otus_core::LifelineId, usize> = FxHashMap::default();
    for (index, set) in lifelines.iter().enumerate() {
        for lifeline in set.iter() {
            let first = *first_on.entry(lifeline).or_insert(index);
            sets.join(first, index);
        }
    }
    let (group_of, count) = sets.numbered();
    if count < 2 {
        return term;
    }
    let mut groups = vec![Vec::new(); count];
    for (part, group) in parts.into_iter().zip(group_of) {
        groups[group].push(part);
    }
    let groups: Vec<TermId> = groups.iter().map(|group| fold::sequence(pool, group)).collect();
    fold::parallel(pool, &groups)
}

#[cfg(test)]
mod tests;
