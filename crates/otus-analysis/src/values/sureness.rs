//! How sure a comparison of two times must be, and what it asks of the exact difference.

use otus_core::Value;
use otus_core::valued::plus;
use otus_syntax::Rational;
use otus_syntax::ast::guard::Relation;
use smallvec::{SmallVec, smallvec};

use super::epoch::Epoch;

/// The uncertainty between two clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    /// Both times are of one clock.
    None,
    /// Nanoseconds by which two clocks may differ.
    Known(i64),
    Unknown,
}

/// The clocks of a comparison with an anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Between {
    /// The uncertainty between them.
    Gap(Gap),
    /// The clock of the anchor goes backwards: the uncertainty if the anchor is of this epoch, otherwise it is unknown.
    If(Epoch, Gap),
    /// The event sets the anchor, on a clock that goes backwards and is in this epoch.
    Sets(Epoch),
}

impl Between {
    /// The uncertainty, given the epoch of the anchor; `None` is an epoch in which the comparison is exact.
    pub(super) fn gap(self, anchor: Option<Epoch>) -> Gap {
        match self {
            Between::Gap(gap) => gap,
            Between::If(epoch, gap) if anchor.is_none_or(|anchor| anchor == epoch) => gap,
            Between::If(..) => Gap::Unknown,
            Between::Sets(_) => Gap::None,
        }
    }
}

/// The clocks of an event, given its component and epoch, and of an anchor, given its component and whether its clock goes
/// backwards. `sets` says whether the event sets the anchor.
pub(super) fn between(
    (component, epoch): (usize, Epoch),
    (clock, is_broken): (usize, bool),
    sets: bool,
    uncertainty: Option<i64>,
) -> Between {
    let is_own = clock == component;
    if is_broken && is_own {
        return if sets { Between::Sets(epoch) } else { Between::If(epoch, Gap::None) };
    }
    match uncertainty {
        _ if is_own => Between::Gap(Gap::None),
        // The first clock of each component has the declared uncertainty, another one has none.
        Some(uncertainty) if epoch == 0 && is_broken => Between::If(0, Gap::Known(uncertainty)),
        Some(uncertainty) if epoch == 0 => Between::Gap(Gap::Known(uncertainty)),
        Some(_) | None => Between::Gap(Gap::Unknown),
    }
}

/// The two operands of a comparison of times, and how sure it must be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sureness {
    pub(super) gap: Gap,
    pub(super) strict: bool,
}

impl Sureness {
    /// Whether `value rel bound + offset` holds as surely as asked, if both are known.
    pub(super) fn holds(
        self,
        value: &Value,
        relation: Relation,
        bound: &Value,
        offset: Rational,
    ) -> bool {
        let compare = |relation: Relation, offset: Rational| {
            relation.holds(plus(bound, offset).and_then(|other| value.compare(&other)))
        };
        match self.requirement(relation, offset) {
            Needed::All(all) => all.iter().all(|&(relation, offset)| compare(relation, offset)),
            Needed::Apart(low, high) => {
                compare(Relation::Less, low) || compare(Relation::Greater, high)
            }
            Needed::Nothing => true,
            Needed::Never => false,
        }
    }

    /// What `t rel s + d` asks of the exact difference.
    pub(super) fn requirement(self, relation: Relation, d: Rational) -> Needed {
        let zero = Rational::from(0);
        let u = match self.gap {
            Gap::None => return Needed::All(smallvec![(relation, d)]),
            Gap::Unknown if self.strict => return Needed::Never,
            Gap::Unknown => return Needed::Nothing,
            Gap::Known(u) => Rational::from(u),
        };
        if u == zero {
            return Needed::All(smallvec![(relation, d)]);
        }
        let (Some(up), Some(down)) = (d.checked_add(u), d.checked_sub(u)) else {
            return Needed::Never;
        };
        // Certainly at most d is at most d − u, possibly at most d is at most d + u.
        let (above, below) = if self.strict { (down, up) } else { (up, down) };
        match relation {
            Relation::Less | Relation::LessEqual => Needed::All(smallvec![(relation, above)]),
            Relation::Greater | Relation::GreaterEqual => Needed::All(smallvec![(relation, below)]),
            Relation::Equal if self.strict => Needed::Never,
            Relation::Equal => {
                Needed::All(smallvec![(Relation::LessEqual, up), (Relation::GreaterEqual, down)])
            }
            Relation::NotEqual if self.strict => Needed::Apart(down, up),
            Relation::NotEqual => Needed::Nothing,
        }
    }
}

/// What a comparison asks of the difference between two times.
pub(super) enum Needed {
    /// All of these relations.
    All(SmallVec<[(Relation, Rational); 2]>),
    /// Less than the first number, or more than the second.
    Apart(Rational, Rational),
    Nothing,
    /// It cannot hold.
    Never,
}
