//! From observed runs to an interaction that accepts them.
//!
//! Data flows down this list:
//!
//! - [`pairing`]: which emission each reception belongs to, where that is not known;
//! - [`units`]: a run as a word whose letters are message passings, the same for all runs that
//!   differ only in what causality leaves open;
//! - [`fold`], with [`cut`], [`anchor`] and [`repeat`] on [`graph`]: several words as one term.
//!
//! **One run** is drawn as it is: `seq` of its messages accepts it, and nothing else but for the
//! order of lifelines that share a clock and, where messages cross, the order in which they are
//! received ([`Crossings`]). **Several runs** become one interaction that accepts each of them:
//! equal parts stay, differences are alternatives, what comes several times in a row is a loop, and
//! what came in both orders is concurrent. It accepts more than was seen, as a specification should;
//! [`Learnt::notes`] says where it was generous.
//!
//! That every run is accepted follows from the construction (see [`units`] and [`fold`]). It is
//! checked all the same, by whoever can: `accepts` is asked about each different run, and a run that is
//! refused gets an alternative for itself. A checker that gives up should say yes.
//!
//! What cannot be learnt: actions of different messages that were observed as simultaneous are a step
//! of no interaction. They are drawn one after the other, and a note says so.
//!
//! To print what was learnt, raise it: `otus_core::raise(&pool, learnt.term)` is a tree that
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
mod note;
mod pairing;
mod repeat;
mod units;

use otus_core::{LifelineSet, Pool, Term, TermId};
use rustc_hash::FxHashMap;

use crate::multitrace::{ComponentId, MultiTrace};
use graph::Sets;
use note::Notes;
pub use note::{Note, NoteKind};
use pairing::Channels;
use units::Tangles;

/// An observed run.
#[derive(Debug, Clone, Copy)]
pub struct Run<'r> {
    /// What was observed, all of it.
    pub trace: &'r MultiTrace,
    /// Emissions and receptions of which it is known that they belong together, by message ids for
    /// example. An emission may be in several, a reception in one.
    pub pairs: &'r [Pair],
    /// Whether what is in no pair is paired by its message, as far as that can be. Otherwise it
    /// goes to, or comes from, the environment.
    pub infer: bool,
}

impl<'r> Run<'r> {
    /// A run of which only the multi-trace is known.
    pub fn new(trace: &'r MultiTrace) -> Self {
        Run { trace, pairs: &[], infer: true }
    }
}

/// An emission and its reception: each as a component and the index of a step there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    /// The emission.
    pub from: (ComponentId, usize),
    /// The reception.
    pub to: (ComponentId, usize),
}

/// How runs are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// When repetitions become loops.
    pub loops: Loops,
    /// How often a block of messages must come in a row to be a repetition; at least 2.
    pub least_repetitions: usize,
    /// How messages are drawn that cross or overtake each other.
    pub crossings: Crossings,
    /// Whether parts that share no lifeline stand beside each other (`par`) rather than one after
    /// the other (`seq`). Both mean the same.
    pub beside: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            loops: Loops::Several,
            least_repetitions: 2,
            crossings: Crossings::Coregion,
            beside: true,
        }
    }
}

/// When repetitions become loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loops {
    /// Never: what was seen three times is drawn three times.
    Never,
    /// When there are several different runs; a single one stays exact.
    Several,
    /// Always.
    Always,
}

/// How messages are drawn that cross or overtake each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crossings {
    /// As arrows, in a coregion of the lifelines where they are received, which allows the other
    /// order, too. Many of them in a tangle are taken apart nevertheless.
    Coregion,
    /// Exactly: emission and reception apart, without an arrow.
    Split,
}

/// What was learnt.
#[derive(Debug, Clone)]
pub struct Learnt {
    /// The interaction.
    pub term: TermId,
    /// How many different runs there were: those that differ only in what causality leaves open
    /// are one.
    pub different: usize,
    /// What is worth knowing about it.
    pub notes: Vec<Note>,
}

/// Learns an interaction from runs over the signature of a pool.
///
/// `accepts` is asked whether a term accepts the run with an index, for each different run once
/// or twice. It need not know everything: whether it says yes to all or to none, the result accepts
/// the runs.
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
    let mut known: FxHashMap<Vec<TermId>, usize> = FxHashMap::default();
    let mut learnable = vec![true; runs.len()];
    let channels = channels(pool, runs);
    let mut tangles = Tangles::default();
    let mut drawn: Vec<Vec<TermId>> = Vec::with_capacity(runs.len());
    for (number, run) in runs.iter().enumerate() {
        let paired = pairing::pair(pool, (number, run), &channels, &mut notes);
        learnable[number] = !paired.is_altered;
        drawn.push(units::word(pool, number, &paired, options.crossings, &mut tangles, &mut notes));
    }
    for (number, word) in drawn.into_iter().enumerate() {
        // What is in order here and not elsewhere is one of the orders that a coregion allows.
        let word = if runs.len() > 1 { tangles.find(word) } else { word };
        if known.contains_key(&word) {
            notes.add(NoteKind::Same, number);
            continue;
        }
        known.insert(word.clone(), words.len());
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
    Learnt { term, different: words.len(), notes: notes.into_all() }
}

/// How often runs are replayed before the replay that counts. The first knows nothing, the second
/// who usually receives what, the third what is exchanged with the environment, too.
const REPLAYS: usize = 3;

/// What is tried for [`Channels`]: strict ones tell similar channels apart, lenient ones leave room
/// for channels that are used less.
const USUAL: [u64; 3] = [1, 3, 8];

/// As many actions are enough to know the channels.
const SAMPLE: usize = 50_000;

/// How often lifelines exchange each message, such that runs are drawn with the least trouble.
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
        // What there is to remark is remarked when the channels are known.
        let pair = |run: (usize, &Run<'_>), channels: &Channels| {
            pairing::pair(pool, run, channels, &mut Notes::default())
        };
        for _ in 0..REPLAYS {
            let mut next = channels.emptied();
            for &run in &sample {
                next.add(pool, &pair(run, &channels));
            }
            channels = next;
        }
        let trouble = sample.iter().map(|&run| units::trouble(pool, &pair(run, &channels))).sum();
        if best.as_ref().is_none_or(|(least, _)| trouble < *least) {
            best = Some((trouble, channels));
        }
        if trouble == 0 {
            break;
        }
    }
    best.map(|(_, channels)| channels).unwrap_or_default()
}

/// The parts of a sequence that share no lifeline, beside each other.
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
    let mut groups = groups.into_iter().rev();
    let last = groups.next().unwrap_or(Pool::EMPTY);
    groups.fold(last, |rest, group| pool.par(group, rest))
}

#[cfg(test)]
mod tests;
