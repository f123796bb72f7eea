//! Which actions, branches and loops of an interaction were exercised by multi-traces.
//!
//! # Definition
//!
//! A multi-trace that passes has a [`Witness`]: a global execution, with what was not
//! observed filled in, each of whose events stands at a position of what is left of the interaction.
//! Replaying it ([`replay`]) gives, for each event, the *position of the interaction as it was written*
//! (equal sub-terms at two places are two positions) and the iteration of every loop around it. These
//! make a derivation, read off by [`tally`]:
//!
//! ```text
//! an action         happened, and was observed or only assumed
//! f(i, j)           both operands were derived                       f ∈ {strict, coreg_r}
//! alt(i, j, …)      one branch was taken: the one with an event; if none has one, the one that is empty, else the
//!                   first that can end at once
//! loop(i)           was left after so many iterations, each of which has an event
//! ```
//!
//! *Exercised* is what was observed: an action of which an occurrence was observed (a synchronous one on
//! at least one of its lifelines), a branch in which such an action happened, a loop with an iteration in which one
//! did. What was never more than filled in is *only assumed*. That something was left out (an empty branch, a loop
//! without iteration) is seen if all of it is on lifelines that were recorded throughout; elsewhere it might just
//! not have been recorded, and is assumed.
//!
//! # Limits
//!
//! - A witness is one of possibly many, and so is a derivation: where `a!m` could have come from either of two
//!   branches, one of them is counted. Which one is the same in each run.
//! - What fails contributes nothing, since nothing says which part of it is right.
//! - An execution that just stops (of the searches of the papers) says what was begun, not how it would have
//!   ended: its loops have iterations but are not left, and no empty branch is counted.
//! - A search that removes lifelines has no action on them, so what is left is counted and, again, no end.
//! - Interactions with more than [`MOST_POSITIONS`] positions and replays with more than [`MOST_WORK`] steps are not
//!   counted, which is said.
//!
//! # Cost
//!
//! A replay visits the nodes along each event's position, and what is pruned on the way; a tally visits the choices
//! around what happened. Both are linear in the witness where positions are short. Counts of several threads are
//! joined by [`Coverage::merge`], which is associative and commutative.

mod replay;
mod tally;
mod tree;

use otus_core::{LifelineSet, Pool, TermId};
use otus_trace::Partition;

use crate::question::{Observed, Question};
use crate::verdict::Verdict;
use crate::witness::Witness;

pub use replay::{Marked, Uncounted};
pub use tree::{Part, PartKind, Tree};

/// Most positions of an interaction that are told apart.
pub const MOST_POSITIONS: u64 = 1 << 18;

/// Most steps that the replay of one witness may take.
pub const MOST_WORK: u64 = 1 << 30;

/// How many terms pruning may add before it is begun anew.
const MOST_TERMS: usize = 1 << 18;

/// How often a part of an interaction occurred.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// How often it was observed: an action happened, a branch was taken, a loop was iterated.
    pub observed: u64,
    /// How often it was only assumed.
    pub assumed: u64,
    /// In how many multi-traces it was observed.
    pub groups: u64,
    /// Of a loop: how it was left.
    pub left: Left,
}

/// How a loop was left.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Left {
    /// How often without an iteration.
    pub zero: u64,
    /// How often after one.
    pub one: u64,
    /// How often after more.
    pub more: u64,
    /// After how many at most.
    pub most: u64,
    /// How often it is not known after how many, since something was not recorded.
    pub assumed: u64,
}

/// What is known of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// It did not happen.
    Never,
    /// It was filled in, and not observed.
    Assumed,
    /// It was observed.
    Exercised,
}

impl Count {
    /// What that says.
    pub fn state(&self) -> State {
        match self {
            Count { observed: 1.., .. } => State::Exercised,
            Count { assumed: 1.., .. } => State::Assumed,
            Count { .. } => State::Never,
        }
    }

    /// Adds another count of the same part.
    pub fn merge(&mut self, other: &Count) {
        self.observed += other.observed;
        self.assumed += other.assumed;
        self.groups += other.groups;
        self.left.zero += other.left.zero;
        self.left.one += other.left.one;
        self.left.more += other.left.more;
        self.left.most = self.left.most.max(other.left.most);
        self.left.assumed += other.left.assumed;
    }
}

/// Counts for all parts of an interaction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage {
    /// By part of the [`Tree`].
    pub counts: Vec<Count>,
    /// How many multi-traces were counted.
    pub counted: u64,
    /// How many witnesses were not, since a limit was reached.
    pub uncounted: u64,
}

impl Coverage {
    /// Adds what a multi-trace adds to some parts.
    pub fn add(&mut self, added: &[(u32, Count)]) {
        for (part, count) in added {
            self.counts[*part as usize].merge(count);
        }
        self.counted += 1;
    }

    /// Adds what others counted.
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
    /// What was counted so far.
    pub coverage: Coverage,
    marked: Marked,
    /// As it was in the beginning.
    fresh: Marked,
    tally: tally::Scratch,
}

impl Counter {
    /// For the interaction of a tree.
    pub fn new(pool: &Pool, tree: &Tree) -> Counter {
        let marked = Marked::new(pool, tree);
        let coverage =
            Coverage { counts: vec![Count::default(); tree.parts().len()], ..Coverage::default() };
        Counter { coverage, fresh: marked.clone(), marked, tally: tally::Scratch::new(tree) }
    }

    /// Adds the witness of a multi-trace, with the pool that it is from. `seen` are the lifelines on which
    /// nothing can have gone unnoticed. Returns what it adds; if it is not counted, that is counted.
    pub fn count(
        &mut self,
        pool: &Pool,
        tree: &Tree,
        witness: &Witness,
        seen: &LifelineSet,
    ) -> Option<Box<[(u32, Count)]>> {
        let added = match replay::replay(&mut self.marked, tree, (pool, witness)) {
            Ok(run) => Some(tally::counts(&mut self.tally, tree, &run, seen)),
            Err(Uncounted::TooMuchWork | Uncounted::NoSuchStep(_)) => None,
        };
        match &added {
            Some(added) => self.coverage.add(added),
            None => self.coverage.uncounted += 1,
        }
        if self.marked.term_count() > self.fresh.term_count() + MOST_TERMS {
            self.marked = self.fresh.clone();
        }
        added
    }
}

/// The lifelines on which nothing can have gone unnoticed, if a question was answered so.
pub fn seen(partition: &Partition, question: &Question, verdict: Verdict) -> LifelineSet {
    let is_seen = |observed: Observed| match (verdict, observed) {
        (_, Observed::Unobserved) => false,
        // Nothing was missing.
        (Verdict::Pass, _) | (_, Observed::Complete) => true,
        (_, Observed::StopsEarly | Observed::StartsLate | Observed::Slice) => false,
    };
    let components = partition.components().filter(|&component| is_seen(question.of(component)));
    components.flat_map(|component| partition.lifelines(component)).copied().collect()
}

/// Whether an interaction has few enough positions to be told apart.
pub fn is_countable(pool: &Pool, term: TermId) -> bool {
    pool.attributes(term).nodes <= MOST_POSITIONS
}
