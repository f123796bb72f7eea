//! Coverage: the actions, branches and loops of an interaction that multi-traces exercised.
//!
//! # Definition
//!
//! A multi-trace that passes has a [`Witness`]: a global execution with unobserved events filled
//! in, in which each event has a position in the interaction that is left. Replaying it
//! ([`replay`]) gives, for each event, its position in the interaction *as written* (equal subterms
//! at two places are two positions) and the iteration of every loop around it. These determine a
//! derivation, which [`tally`] counts:
//!
//! ```text
//! an action         happened, and was observed or assumed
//! f(i, j)           both operands were derived                       f ∈ {strict, coreg_r}
//! alt(i, j, …)      one branch was taken: the one with an event; if none has one, an empty branch, else the
//!                   first that can terminate at once
//! loop(i)           was left after a number of iterations, each of which has an event
//! ```
//!
//! *Exercised* are the observed parts: an action of which an occurrence was observed (a synchronous
//! one on at least one of its lifelines), a branch in which such an action happened, a loop with an
//! iteration in which one did. A part that was only ever filled in is *assumed*. That a part was
//! skipped (an empty branch, a loop without iterations) counts as observed if all of its lifelines
//! were recorded throughout; otherwise it may just not have been recorded, and is assumed.
//!
//! # Limits
//!
//! - A witness is one of possibly many, and so is a derivation: if `a!m` can come from either of
//!   two branches, one of them is counted. The choice is deterministic.
//! - A failing multi-trace contributes nothing, since it is unknown which part of it is right.
//! - The searches of the papers may stop before the interaction terminates. Such an execution shows
//!   which parts were begun, but not how they end: its loops have iterations but no exits, and no
//!   empty branch is counted.
//! - A search that removes lifelines has no actions on them. The other actions are counted, without
//!   exits.
//! - Interactions with more than [`MOST_POSITIONS`] positions, and replays with more than
//!   [`MOST_WORK`] steps, are not counted, and reported as such.
//!
//! # Cost
//!
//! A replay visits the nodes along each event's position and the nodes pruned on the way; a tally
//! visits the choices around the events. Both are linear in the witness if positions are short.
//! Counts of several threads are joined by [`Coverage::merge`], which is associative and
//! commutative.

mod replay;
mod tally;
mod tree;

use otus_core::{LifelineSet, Pool};
use otus_trace::Partition;

use crate::question::{Observed, Question};
use crate::verdict::Verdict;
use crate::witness::Witness;

pub use replay::Marked;
pub use tree::{Part, PartKind, Tree};

/// The maximum number of positions of an interaction that is counted.
pub const MOST_POSITIONS: u64 = 1 << 18;

/// The maximum number of steps of the replay of one witness.
pub const MOST_WORK: u64 = 1 << 30;

/// For each event of a witness: the node of the tree that it comes from. `None` if a step of the witness is no step of the
/// interaction, or it is too long.
pub fn nodes(pool: &Pool, tree: &Tree, witness: &Witness) -> Option<Vec<usize>> {
    let run = replay::replay(&mut Marked::new(pool, tree), tree, pool, witness)?;
    Some(run.events.iter().map(|occurrence| occurrence.node as usize).collect())
}

/// The number of terms that pruning may add before the replay tables are reset.
const MOST_TERMS: usize = 1 << 18;

/// How often a part of an interaction occurred.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// How often the part was observed: an action happened, a branch was taken, a loop iterated.
    pub observed: u64,
    /// How often the part was assumed.
    pub assumed: u64,
    /// The number of multi-traces in which it was observed.
    pub groups: u64,
    /// For a loop: how it was left.
    pub exits: LoopExits,
}

/// How a loop was left.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LoopExits {
    /// How often the loop was left without any iteration.
    pub zero: u64,
    /// How often the loop was left after one iteration.
    pub one: u64,
    /// How often the loop was left after more than one iteration.
    pub more: u64,
    /// The maximum number of iterations that were observed before the loop was left.
    pub most: u64,
    /// How often the loop was left after an unknown number of iterations, because some events were
    /// not recorded.
    pub assumed: u64,
}

/// Whether a part was exercised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CoverageState {
    /// The part did not happen.
    Never,
    /// The part was not observed: the analysis filled it in.
    Assumed,
    /// The part was observed.
    Exercised,
}

impl Count {
    /// The state that the counts imply.
    pub fn state(&self) -> CoverageState {
        match self {
            Count { observed: 1.., .. } => CoverageState::Exercised,
            Count { assumed: 1.., .. } => CoverageState::Assumed,
            Count { .. } => CoverageState::Never,
        }
    }

    /// Adds another count of the same part.
    pub fn merge(&mut self, other: &Count) {
        self.observed += other.observed;
        self.assumed += other.assumed;
        self.groups += other.groups;
        self.exits.zero += other.exits.zero;
        self.exits.one += other.exits.one;
        self.exits.more += other.exits.more;
        self.exits.most = self.exits.most.max(other.exits.most);
        self.exits.assumed += other.exits.assumed;
    }
}

/// Counts for all parts of an interaction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The counts, indexed by part of the [`Tree`].
    pub counts: Vec<Count>,
    /// How many multi-traces were counted.
    pub counted: u64,
    /// How many witnesses were not counted because of a limit.
    pub uncounted: u64,
}

impl Coverage {
    /// Adds the counts of one multi-trace, by part.
    pub fn add(&mut self, added: &[(u32, Count)]) {
        for (part, count) in added {
            self.counts[*part as usize].merge(count);
        }
        self.counted += 1;
    }

    /// Adds the counts of another thread.
    pub fn merge(&mut self, other: &Coverage) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), Count::default());
        }
        for (count, other) in self.counts.iter_mut().zip(&other.counts) {
            count.merge(other);
        }
        self.counted += other.counted;
        self.uncounted += other.uncounted;
    }
}

/// Counts the witnesses of one thread.
///
/// ```
/// use otus_analysis::coverage::{Counter, Tree, seen};
/// use otus_analysis::{Engine, Question, budget::Budget, engine::Options};
/// # use otus_syntax::{Source, parse_spec, parse_trace};
/// let text = "@lifeline{a} @message{m; n} loopS(alt(a -- m ->|, a -- n ->|))";
/// let mut lowered = otus_core::lower(&[&parse_spec(&Source::new("x.hsf", text)).tree]);
/// let (mut pool, term) = (lowered.pool, lowered.term.unwrap());
/// # let tree = parse_trace(&Source::new("x.htf", "[a] a!m.a!m")).tree;
/// # let (trace, _) = otus_trace::lower(&tree, &mut pool);
/// let (question, budget) = (Question::ACCEPT, Budget::default());
/// let mut engine = Engine::new(&pool, term, trace.partition(), Options::default());
/// let verdict = engine.analyze(&trace, &question, &budget).verdict;
/// let witness = engine.witness(&mut pool, term, &trace, &question, verdict, &budget).unwrap();
///
/// let tree = Tree::new(&pool, term).unwrap();
/// let mut counter = Counter::new(&pool, &tree);
/// counter.count(&pool, &tree, &witness, &seen(trace.partition(), &question, verdict));
/// // The loop, the first branch and a!m twice each; the other branch and a!n never.
/// let observed: Vec<u64> = counter.coverage.counts.iter().map(|count| count.observed).collect();
/// assert_eq!(observed, [2, 2, 2, 0, 0]);
/// ```
#[derive(Debug)]
pub struct Counter {
    /// The counts so far.
    pub coverage: Coverage,
    marked: Marked,
    /// The state of a replay before the first witness.
    fresh: Marked,
    tally: tally::Scratch,
}

impl Counter {
    /// A counter for the interaction of `tree`.
    pub fn new(pool: &Pool, tree: &Tree) -> Counter {
        let marked = Marked::new(pool, tree);
        let coverage =
            Coverage { counts: vec![Count::default(); tree.parts().len()], ..Coverage::default() };
        Counter { coverage, fresh: marked.clone(), marked, tally: tally::Scratch::new(tree) }
    }

    /// Adds the witness of a multi-trace. `pool` is the pool that the witness refers to, and `seen`
    /// are the lifelines that were recorded throughout. Returns the added counts, or `None` if the
    /// witness is not counted.
    pub fn count(
        &mut self,
        pool: &Pool,
        tree: &Tree,
        witness: &Witness,
        seen: &LifelineSet,
    ) -> Option<Box<[(u32, Count)]>> {
        let run = replay::replay(&mut self.marked, tree, pool, witness);
        let added = run.map(|run| tally::counts(&mut self.tally, tree, &run, seen));
        match &added {
            Some(added) => self.coverage.add(added),
            None => self.coverage.uncounted += 1,
        }
        if self.marked.pool.term_count() > self.fresh.pool.term_count() + MOST_TERMS {
            self.marked = self.fresh.clone();
        }
        added
    }
}

/// The lifelines that were recorded throughout, given the verdict on a question.
pub fn seen(partition: &Partition, question: &Question, verdict: Verdict) -> LifelineSet {
    let is_seen = |observed: Observed| match (verdict, observed) {
        (_, Observed::Unobserved) => false,
        // A Pass means that no observation is missing.
        (Verdict::Pass, _) | (_, Observed::Complete) => true,
        (_, Observed::StopsEarly | Observed::StartsLate | Observed::Slice) => false,
    };
    let components = partition.components().filter(|&component| is_seen(question.of(component)));
    components.flat_map(|component| partition.lifelines(component)).copied().collect()
}
