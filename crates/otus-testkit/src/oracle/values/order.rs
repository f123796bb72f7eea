//! Order: whether a global trace has these events in these places.
//!
//! By the remark in [`member`](mod@crate::oracle::member), a trace is in t1 ××|r t2 iff it is a shuffle of t1 and t2 in which no
//! event of t2 comes before one of t1 with which it conflicts, and in t1;t2 iff none comes before any. So the traces of a
//! derivation are the sequences of its instances in which
//!
//! ```text
//! e comes before f    if their paths part at an operator, e to the left, that is strict, or a coreg_r and Θ(e) ∩ Θ(f) ⊄ r
//! ```
//!
//! (for a loop: e in an earlier iteration). A component adds that what is before its window comes first, then its moments in
//! their order, then what is after it; and a global prefix that no event outside comes before one inside. An order that
//! was observed between two moments adds that the first does not come after the second, unless both are one event. Such a
//! sequence exists iff these demands have no cycle.

use otus_core::{Pool, RegionId};

use super::choices::{Instance, Place};
use super::logs::Logs;

/// How an operator composes its operands, or a loop its iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Join {
    /// `;`
    Strict,
    /// `××|r`
    Coreg(RegionId),
}

/// A step of a path: an operator and the number of the operand or iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Turn {
    pub(crate) join: Join,
    pub(crate) operand: usize,
}

/// Whether the event at the first path must come before that at the second.
pub(crate) fn comes_before(
    pool: &Pool,
    (first, own): (&[Turn], &otus_core::LifelineSet),
    (second, other): (&[Turn], &otus_core::LifelineSet),
) -> bool {
    let parting = first.iter().zip(second).find(|(here, there)| here.operand != there.operand);
    parting.is_some_and(|(here, there)| {
        here.operand < there.operand
            && match here.join {
                Join::Strict => true,
                Join::Coreg(region) => !own.intersection(other).is_subset(&pool.region(region)),
            }
    })
}

impl Instance<'_> {
    pub(super) fn comes_before(&self, other: &Instance<'_>, pool: &Pool) -> bool {
        comes_before(pool, (&self.path, &self.lifelines), (&other.path, &other.lifelines))
    }

    /// Whether the place of this event on some component is earlier than that of the other: not both before the window, nor
    /// both after it.
    fn is_placed_before(&self, other: &Instance<'_>) -> bool {
        self.places.iter().any(|(component, place)| {
            other.places.get(component).is_some_and(|there| place < there)
        })
    }

    /// Whether it is this moment, by component and number.
    fn is_at(&self, (component, line): (usize, usize)) -> bool {
        self.places.get(&component) == Some(&Place::Line(line))
    }

    /// Whether it is a moment of some log.
    fn is_seen(&self) -> bool {
        self.places.values().any(|place| matches!(place, Place::Line(_)))
    }

    /// Whether no two demands on these two events contradict each other. This only saves work.
    pub(super) fn agrees(&self, other: &Instance<'_>, pool: &Pool) -> bool {
        !(self.comes_before(other, pool) && other.is_placed_before(self)
            || other.comes_before(self, pool) && self.is_placed_before(other))
    }
}

/// A strict partial order of numbered events.
#[derive(Debug, Clone)]
pub(super) struct Order {
    before: Vec<Vec<bool>>,
}

impl Order {
    /// What must come before what; `None` if there is a cycle.
    pub(super) fn new(pool: &Pool, instances: &[Instance<'_>], logs: &Logs) -> Option<Order> {
        let count = instances.len();
        let mut order = Order { before: vec![vec![false; count]; count] };
        for (e, first) in instances.iter().enumerate() {
            for (f, second) in instances.iter().enumerate() {
                let demanded = first.comes_before(second, pool)
                    || first.is_placed_before(second)
                    || logs.global && first.is_seen() && !second.is_seen()
                    || logs.edges.iter().any(|&(from, to)| first.is_at(from) && second.is_at(to));
                if e != f && demanded {
                    order = order.with(e, f)?;
                }
            }
        }
        Some(order)
    }

    /// Whether one event comes before another in every sequence.
    pub(super) fn is_before(&self, first: usize, second: usize) -> bool {
        self.before[first][second]
    }

    /// The order with one more demand; `None` if that makes a cycle.
    pub(super) fn with(&self, first: usize, second: usize) -> Option<Order> {
        if first == second || self.before[second][first] {
            return None;
        }
        let mut order = self.clone();
        let at_most = |e: usize, f: usize| e == f || self.before[e][f];
        for e in 0..self.before.len() {
            for f in 0..self.before.len() {
                if at_most(e, first) && at_most(second, f) {
                    order.before[e][f] = true;
                }
            }
        }
        Some(order)
    }
}
