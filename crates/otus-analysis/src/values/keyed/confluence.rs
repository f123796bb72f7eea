//! Whether two events of different components that can both come first leave the same in either order.

use otus_core::index::Index as _;
use otus_core::valued::VariableId;
use otus_trace::Partition;
use smallvec::SmallVec;

use super::super::expr::{ExprId, Exprs, KindId, Var};
use super::super::step::{Steps, Way};

/// Where the value of a slot comes from after two steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// A slot before both steps.
    Slot(u16),
    /// A variable that one of them opened.
    Opened(VariableId),
}

/// The most pairs of ways of two kinds of events that are compared.
const MANY: usize = 64;

/// Whether a shape is confluent; `false`, too, if that is too much to find out.
pub(super) fn is_confluent(
    exprs: &mut Exprs,
    steps: &mut Steps,
    partition: &Partition,
    shape: ExprId,
) -> bool {
    let kinds: Vec<KindId> = exprs.kinds.items.ids().collect();
    let component = |exprs: &Exprs, kind: KindId| {
        exprs.kinds.items[kind]
            .first()
            .map(|action| partition.component_of(action.lifeline).index())
    };
    for (at, &one) in kinds.iter().enumerate() {
        for &other in &kinds[at + 1..] {
            if component(exprs, one) == component(exprs, other) {
                continue;
            }
            let first = steps.ways(exprs, shape, one);
            let second = steps.ways(exprs, shape, other);
            if first.len() * second.len() > MANY {
                return false;
            }
            for a in &*first {
                for b in &*second {
                    if !commute(exprs, steps, a, b) {
                        return false;
                    }
                }
            }
        }
    }
    true
}

fn commute(exprs: &mut Exprs, steps: &mut Steps, a: &Way, b: &Way) -> bool {
    let [kind_a, kind_b] = [a, b].map(|way| exprs.leaves[way.leaf].kind);
    let after_a = steps.ways(exprs, a.rest, kind_b);
    let after_b = steps.ways(exprs, b.rest, kind_a);
    let then_b = after_a.iter().filter(|way| way.leaf == b.leaf);
    then_b.into_iter().any(|then_b| {
        let origins = origins(a, then_b);
        let mut then_a = after_b.iter().filter(|way| way.leaf == a.leaf);
        then_a.any(|then_a| then_a.rest == then_b.rest && self::origins(b, then_a) == origins)
    })
}

/// By slot after two steps: its origin.
fn origins(first: &Way, second: &Way) -> SmallVec<[Origin; 4]> {
    let opened = |way: &Way, at: u16| Origin::Opened(way.opened[usize::from(at)]);
    second
        .moves
        .iter()
        .map(|&var| match var {
            Var::Opened(at) => opened(second, at),
            Var::Slot(at) => match first.moves[usize::from(at)] {
                Var::Opened(at) => opened(first, at),
                Var::Slot(at) => Origin::Slot(at),
                Var::Bound(variable) => Origin::Opened(variable),
            },
            Var::Bound(variable) => Origin::Opened(variable),
        })
        .collect()
}
