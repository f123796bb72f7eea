//! Coverage: which parts of the specification the multi-traces of an analysis exercised.
//!
//! Workers count the witness of each multi-trace that passes. They borrow counters from a shared list, the shelf. So
//! there are at most as many counters as threads, and the lock of the shelf is held only while a counter is taken or
//! put back. Adding counts is commutative, so the report does not depend on the number of threads.
//!
//! A witness costs far more than a verdict, and sessions are often alike. So the counts of a multi-trace are stored,
//! and added again when an equal multi-trace comes. Multi-traces with up to [`REMEMBERED`] actions in total are
//! stored.

mod formats;
mod picture;
mod report;
mod text;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use otus_analysis::coverage::{Count, Counter, Coverage, MOST_POSITIONS, Tree, seen};
use otus_analysis::{Question, Verdict, Witness};
use otus_core::lower::{SourcePlace, source_places};
use otus_core::{Lowered, Pool, TermId};
use otus_syntax::Source;
use otus_syntax::ast::SpecFile;
use otus_trace::multitrace::Step;
use otus_trace::{MultiTrace, Partition};
use rustc_hash::FxHashMap;

use super::spec_text::excerpt_of;
use crate::case::Place;
use crate::error::{Error, Result, unfit};
use crate::load::Loaded;
use crate::summary::Summary;
pub use report::CoverageReport;

#[derive(Debug)]
pub(crate) struct Covering {
    tree: Tree,
    /// For each position of the tree: its place in the source text.
    places: Vec<SourcePlace>,
    file: SpecFile,
    source: Source,
    shelf: Mutex<Vec<Counter>>,
    memory: Mutex<Memory>,
    /// The number of passing multi-traces without a witness within the limits.
    unexplained: AtomicU64,
}

/// The maximum number of actions of all multi-traces whose counts are stored.
const REMEMBERED: usize = 1 << 20;

/// The counts of earlier multi-traces, so that no witness is computed twice.
#[derive(Debug, Default)]
struct Memory {
    known: FxHashMap<Key, Box<[(u32, Count)]>>,
    /// The number of actions of the stored multi-traces.
    actions: usize,
    /// The counts of multi-traces that equal a stored one.
    again: Coverage,
}

/// A multi-trace as a key. Different threads may give different numbers to actions that the specification lacks.
/// This does no harm, because a multi-trace that passes has such actions only on unobserved lifelines.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    partition: Arc<Partition>,
    /// For each component: the number of steps.
    lengths: Box<[usize]>,
    steps: Box<[Step]>,
}

impl Key {
    fn new(trace: &MultiTrace) -> Key {
        let components = || trace.partition().components();
        Key {
            partition: trace.shared_partition().clone(),
            lengths: components().map(|component| trace.steps(component).len()).collect(),
            steps: components().flat_map(|component| trace.steps(component)).copied().collect(),
        }
    }
}

impl Covering {
    pub(super) fn new(loaded: &Loaded, lowered: &Lowered, term: TermId) -> Result<Covering> {
        let files = loaded.specs.first().map(|spec| spec.files.as_slice()).unwrap_or_default();
        let Some(file) = lowered.file.and_then(|file| files.get(file)) else {
            return Err(Error::Bug("the interaction has no text".to_owned()));
        };
        Covering::of((&lowered.pool, term), file, loaded.sources.source(file.source))
    }

    /// Counts the parts of an interaction, whose text is in a file.
    pub(crate) fn of(
        (pool, term): (&Pool, TermId),
        file: &SpecFile,
        source: &Source,
    ) -> Result<Covering> {
        let Some(interaction) = &file.interaction else {
            return Err(Error::Bug("the interaction has no text".to_owned()));
        };
        let most = usize::try_from(MOST_POSITIONS).unwrap_or(usize::MAX);
        let (Some(tree), Some(places)) = (Tree::new(pool, term), source_places(interaction, most))
        else {
            unfit!(
                "coverage tells at most {MOST_POSITIONS} positions apart; the interaction has {}",
                pool.attributes(term).nodes
            );
        };
        if tree.len() != places.len() {
            return Err(Error::Bug("positions have no places".to_owned()));
        }
        Ok(Covering {
            tree,
            places,
            file: file.clone(),
            source: source.clone(),
            shelf: Mutex::default(),
            memory: Mutex::default(),
            unexplained: AtomicU64::new(0),
        })
    }

    /// If an equal multi-trace was counted before, counts this one in the same way and returns `true`, so that it needs
    /// no witness of its own. Otherwise changes nothing and returns `false`.
    pub(super) fn again(&self, trace: &MultiTrace) -> bool {
        let key = Key::new(trace);
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let Memory { known, again, .. } = &mut *memory;
        let Some(added) = known.get(&key) else { return false };
        again.counts.resize(self.tree.parts().len(), Count::default());
        again.add(added);
        true
    }

    /// Counts a passing multi-trace, by its witness if there is one.
    pub(super) fn count(
        &self,
        pool: &Pool,
        trace: &MultiTrace,
        (question, verdict): (&Question, Verdict),
        witness: Option<&Witness>,
    ) {
        let Some(witness) = witness else {
            self.unexplained.fetch_add(1, Ordering::Relaxed);
            return;
        };
        let free = self.shelf().pop();
        let mut counter = free.unwrap_or_else(|| Counter::new(pool, &self.tree));
        let seen = seen(trace.partition(), question, verdict);
        let added = counter.count(pool, &self.tree, witness, &seen);
        self.shelf().push(counter);
        let Some(added) = added else { return };
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let size = trace.len() + added.len() + 8;
        if memory.actions + size <= REMEMBERED {
            memory.actions += size;
            memory.known.insert(Key::new(trace), added);
        }
    }

    /// Whether a choice is not written in the text, but comes from unfolding a loop of a diagram.
    fn is_repetition(&self, node: usize) -> bool {
        let written = self.places[node].span.range();
        self.file.implicit && self.source.text()[written].trim_start().starts_with("loop")
    }

    /// The positions of the interaction.
    pub(super) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The text of the interaction.
    pub(super) fn source(&self) -> &Source {
        &self.source
    }

    /// The place of a position in the text.
    pub(super) fn place(&self, node: usize) -> Option<Place> {
        Some(excerpt_of(&self.source, self.places.get(node)?.span).place)
    }

    fn shelf(&self) -> MutexGuard<'_, Vec<Counter>> {
        // If the thread of a counter panicked, the counter is not on the shelf, so the data behind
        // a poisoned lock is valid.
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The report: all counts, with the places of the parts in the text.
    pub(crate) fn report(&self, pool: &Pool, summary: &Summary) -> CoverageReport {
        let mut sum = Coverage::default();
        sum.counts.resize(self.tree.parts().len(), Count::default());
        for counter in self.shelf().iter() {
            sum.merge(&counter.coverage);
        }
        sum.merge(&self.memory.lock().unwrap_or_else(PoisonError::into_inner).again);
        CoverageReport::new(self, pool, &sum, summary)
    }
}
