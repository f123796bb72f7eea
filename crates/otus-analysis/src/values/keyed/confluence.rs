//! Whether two events of different components that can both come first compare the same and leave the same in either order.
//!
//! Let e be possible now, and let an explanation have events of other components before it. They commute with e, so e
//! stays possible before each of them, and it can be moved in front of them one by one, if every way in which it happens after
//! such an event is one in which it could have happened before it. (In `seq(loop(a?m), c -- m -> a)` it is not: a?m can come
//! first, but only c!m makes it the reception of that message. In `loopS(fresh x)(strict(m -> c, loopP(b!n[f = x])))`, b!n can follow
//! a second c?m with the same shape as before, but as an event of another iteration, with another x.) An event after which no event like e can happen any more,
//! such as one of another branch of an alternative, is not among those before e, so it need not commute. That holds only if e was
//! observed, since only then every explanation has it: in `alt(c -- m -> a, b -- m -> a)` an unobserved b!m lets a?m happen, but
//! excludes c!m. The events of an explanation need not be those of the greedy run, so *all* shapes of a session must be
//! confluent, not just those that the run met.

use otus_core::index::Index as _;
use otus_core::valued::VariableId;
use otus_trace::Partition;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::super::expr::{ExprId, Exprs, KindId, Var};
use super::super::step::{Steps, Way};

/// The most shapes of a session that are looked at.
const MANY: usize = 2000;
/// The most work, in nodes of shapes for which steps are found. Shapes with many iterations in parallel are large and have many
/// steps.
const WORK: usize = 300_000;
/// The most pairs of ways of two kinds of events that are compared.
const PAIRS: usize = 64;

/// Whether all shapes that a session has after at most so many events are confluent; `None` if there are too many, or if
/// `is_over` says that time is up. Events that exclude each other count as confluent if `all_observed`. With `ranks`, only events of the same rank are compared: the others are operands of the
/// outermost `strict`, which the run lets happen one after the other.
pub(super) fn all_confluent(
    exprs: &mut Exprs,
    steps: &mut Steps,
    partition: &Partition,
    (start, events): (ExprId, usize),
    ranks: Option<&[usize]>,
    all_observed: bool,
    mut is_over: impl FnMut() -> bool,
) -> Option<bool> {
    let mut seen: FxHashSet<ExprId> = FxHashSet::default();
    let mut level = vec![start];
    let mut left = WORK;
    let kinds: Vec<KindId> = exprs.kinds.items.ids().collect();
    // After all of its events, no order is left.
    for _ in 0..events {
        let mut next = Vec::new();
        for shape in level {
            if !seen.insert(shape) {
                continue;
            }
            if seen.len() > MANY || is_over() {
                return None;
            }
            left = left.checked_sub(kinds.len() * exprs.size(shape) as usize)?;
            if !is_confluent(exprs, steps, partition, (shape, ranks), all_observed, &mut left)? {
                return Some(false);
            }
            for &kind in &kinds {
                let ways = steps.ways(exprs, shape, kind);
                next.extend(ways.iter().map(|way| way.rest));
            }
        }
        level = next;
        if level.is_empty() {
            break;
        }
    }
    Some(true)
}

/// Whether a shape is confluent; `false`, too, if that is too much to find out.
fn is_confluent(
    exprs: &mut Exprs,
    steps: &mut Steps,
    partition: &Partition,
    (shape, ranks): (ExprId, Option<&[usize]>),
    all_observed: bool,
    left: &mut usize,
) -> Option<bool> {
    let kinds: Vec<KindId> = exprs.kinds.items.ids().collect();
    let rank = |kind: KindId| ranks.map(|ranks| ranks[kind.index()]);
    let component = |exprs: &Exprs, kind: KindId| {
        exprs.kinds.items[kind]
            .first()
            .map(|action| partition.component_of(action.lifeline).index())
    };
    for (at, &one) in kinds.iter().enumerate() {
        for &other in &kinds[at + 1..] {
            if component(exprs, one) == component(exprs, other) || rank(one) != rank(other) {
                continue;
            }
            let first = steps.ways(exprs, shape, one);
            let second = steps.ways(exprs, shape, other);
            if first.is_empty() || second.is_empty() {
                continue;
            }
            let work = first.len() * second.len() * (first.len() + second.len());
            *left = left.checked_sub(work.saturating_mul(exprs.size(shape) as usize))?;
            if first.len() * second.len() > PAIRS {
                return Some(false);
            }
            for a in &*first {
                for b in &*second {
                    let exclude = all_observed && exclude_each_other(exprs, (a, one), (b, other));
                    if !exclude && !commute(exprs, steps, a, b) {
                        return Some(false);
                    }
                }
            }
            if !enables_nothing(exprs, steps, &first, &second, other)
                || !enables_nothing(exprs, steps, &second, &first, one)
            {
                return Some(false);
            }
        }
    }
    Some(true)
}

/// Whether every way in which an event of a kind can happen after one of `first` is one that it had before, in `second`.
fn enables_nothing(
    exprs: &mut Exprs,
    steps: &mut Steps,
    first: &[Way],
    second: &[Way],
    kind: KindId,
) -> bool {
    first.iter().all(|a| {
        let kind_a = exprs.leaves[a.leaf].kind;
        let after_a = steps.ways(exprs, a.rest, kind);
        after_a.iter().all(|then_b| {
            let effect = effect(a, then_b, false);
            second.iter().filter(|b| b.leaf == then_b.leaf).any(|b| {
                let after_b = steps.ways(exprs, b.rest, kind_a);
                let mut then_a = after_b.iter().filter(|way| way.leaf == a.leaf);
                then_a.any(|then_a| {
                    then_a.rest == then_b.rest && self::effect(b, then_a, true) == effect
                })
            })
        })
    })
}

/// Whether no event like the second can happen any more after the first one, and the other way round.
fn exclude_each_other(
    exprs: &Exprs,
    (a, kind_a): (&Way, KindId),
    (b, kind_b): (&Way, KindId),
) -> bool {
    !exprs.has_kind(a.rest, kind_b) && !exprs.has_kind(b.rest, kind_a)
}

/// Whether two ways compare the same and leave the same in either order.
fn commute(exprs: &mut Exprs, steps: &mut Steps, a: &Way, b: &Way) -> bool {
    let [kind_a, kind_b] = [a, b].map(|way| exprs.leaves[way.leaf].kind);
    let after_a = steps.ways(exprs, a.rest, kind_b);
    let after_b = steps.ways(exprs, b.rest, kind_a);
    let then_b = after_a.iter().filter(|way| way.leaf == b.leaf);
    then_b.into_iter().any(|then_b| {
        let effect = effect(a, then_b, false);
        let mut then_a = after_b.iter().filter(|way| way.leaf == a.leaf);
        then_a.any(|then_a| then_a.rest == then_b.rest && self::effect(b, then_a, true) == effect)
    })
}

/// A variable before two steps, or one that they opened, with its number among those.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Slot(u16),
    Opened(VariableId, usize),
}

/// All that two steps do with variables: what each of them compares and keeps different, and what stands in the slots after both.
#[derive(Debug, PartialEq, Eq)]
struct Effect {
    of_one: Vec<Origin>,
    of_other: Vec<Origin>,
    slots: Vec<Origin>,
}

/// What two steps do with variables. `is_swapped` says that the second one is the one that the effect names first.
///
/// Which of two steps opens a variable depends on their order, so opened variables are numbered as they are mentioned.
fn effect(first: &Way, second: &Way, is_swapped: bool) -> Effect {
    let mut opened: SmallVec<[(bool, u16); 4]> = SmallVec::new();
    let mut number = |variable: VariableId, by: (bool, u16)| {
        let known = opened.iter().position(|&other| other == by);
        let at = known.unwrap_or_else(|| {
            opened.push(by);
            opened.len() - 1
        });
        Origin::Opened(variable, at)
    };
    let mut origin = |var: Var, is_second: bool| {
        // What the second step finds in a slot was put there by the first.
        let (var, opener) = match var.slot() {
            Some(at) if is_second => (first.moves[at], first),
            _ => (var, if is_second { second } else { first }),
        };
        match var {
            Var::Slot(at) => Origin::Slot(at),
            Var::Opened(at) => {
                number(opener.opened[usize::from(at)], (std::ptr::eq(opener, second), at))
            }
            Var::Bound(variable) => Origin::Opened(variable, usize::MAX),
        }
    };
    let (one, other) = if is_swapped { (second, first) } else { (first, second) };
    let of_one = mentioned(one).map(|var| origin(var, is_swapped)).collect();
    let of_other = mentioned(other).map(|var| origin(var, !is_swapped)).collect();
    let slots = second.moves.iter().map(|&var| origin(var, true)).collect();
    Effect { of_one, of_other, slots }
}

/// The variables that a step compares, and those that it keeps different from others.
fn mentioned(way: &Way) -> impl Iterator<Item = Var> {
    let inserts = way.inserts.iter().flat_map(|&(set, value)| [set, value]);
    way.arguments.iter().copied().chain(inserts)
}
